//! `[[choice]]`.

use contract::parameter::Parameter;
use contract::{DatasetId, MethodId, Value};
use document::{
    Count, Flag, Id, Node, OneOrMany, ReadTable, Single, Span, Spanned, Table, Text, section,
    suggestion,
};

use super::design::{Choice, MethodSpec, Subject};
use super::method::typed;
use super::patterns::TargetText;
use super::refer::{Datasets, Methods};
use super::scope::{Designed, Named, Outline, each};

section! {
    in Designed;
    pub(crate) struct ChoiceKeys: "choice" => "A decision that the paper leaves open. `run --choices` runs its options one at a time; they never feed tables, tests or claims." {
        id: Id => "its id";
        question: Text => "what the paper leaves open";
        target: Spanned<OneOrMany<Spanned<TargetText>>>
            => "whose parameter it is, such as `method:MEVM` or `dataset:mnist`; methods or datasets, not both";
        parameter: Spanned<Text> => "the parameter, of every target";
        options: Spanned<Vec<Single>> => "its values, two at least";
        chosen: Single => "the option that the results use";
        why: Text => "why this one";
        seen: Flag = false => "the option was chosen after looking at printed values";
        datasets: Datasets, else "all datasets" => "where the options are run one at a time";
        methods: Option<Spanned<Methods>>, else "all methods; the targets, where they are methods"
            => "which methods the options of a dataset are run with one at a time";
        repeats: Option<Spanned<Count>>, else "the task's"
            => "how many repeats the options are run for one at a time; may count those of a split, such as draws, too";
    }
}

/// The choices, and how many are about datasets alone that the profile drops: they are left out.
pub(crate) fn choices(root: &Table, scope: &mut Designed<'_>) -> (Vec<Spanned<Choice>>, usize) {
    let read: Vec<Option<Spanned<Choice>>> = each(root, "choice", scope, choice);
    let left_out = read.iter().filter(|choice| choice.is_none()).count();
    (read.into_iter().flatten().collect(), left_out)
}

/// A choice, with the place of its chosen option, which becomes the value of its targets' parameter; none if it is left
/// out.
fn choice(table: &Table, scope: &mut Designed<'_>) -> Option<Option<Spanned<Choice>>> {
    let keys = ChoiceKeys::read_table(table, scope)?;
    let targets = targets(&keys.target, scope);
    if targets.is_empty() {
        return Some(None);
    }
    let name = keys.parameter.value.clone();
    let mut typed: Option<(Vec<Value>, Value)> = None;
    for target in &targets {
        let Some(parameter) = target_parameter(target, &keys.parameter, scope) else { continue };
        if let Some(values) = options(&keys, parameter, scope) {
            if typed.as_ref().is_some_and(|earlier| *earlier != values) {
                let message = format!("the targets' parameters `{name}` differ in type");
                scope
                    .fault(&keys.parameter.span, message, "not the same in all targets")
                    .help("write one choice for each target");
            }
            typed = Some(values);
        }
    }
    let (options, chosen) = typed?;
    if !options.contains(&chosen) {
        let words: Vec<&str> = keys.options.iter().filter_map(Node::text).collect();
        let message = format!("`{chosen}` is not among the options");
        scope
            .fault(&keys.chosen.span, message, "no option")
            .maybe_help(suggestion(&chosen.to_string(), &words));
    }
    let subject = subject(&keys.target.span, &targets, scope)?;
    let repeats = match &keys.repeats {
        Some(named) => scope.at_most_the_task(named, "options are run"),
        None => scope.parts.iter().map(|part| part.repeats).max().unwrap_or(1),
    };
    let methods = methods(keys.methods, &subject, scope);
    let span = keys.chosen.span;
    let value = Choice {
        id: keys.id.into(),
        question: keys.question,
        subject,
        parameter: name,
        options,
        chosen,
        why: keys.why,
        seen: keys.seen,
        datasets: keys.datasets,
        methods,
        repeats,
    };
    Some(Some(Spanned { value, key: span.clone(), span }))
}

/// What a choice is about.
enum Target {
    Method(MethodId),
    Dataset(DatasetId),
}

fn targets(named: &[Spanned<String>], scope: &mut Designed<'_>) -> Vec<Spanned<Target>> {
    let mut found = Vec::new();
    for Spanned { value: text, span, key } in named {
        if text == "task" {
            scope
                .fault(span, "a choice is about methods or datasets", "not about the task")
                .help("expected `method:ID` or `dataset:ID`; write a part for each option");
            continue;
        }
        let (kind, id) = text.split_once(':').unwrap_or(("method", ""));
        let of_method = kind == "method";
        let Outline { method_ids, datasets, dropped, .. } = scope.outline;
        let target = match of_method {
            true => method_ids.iter().find(|known| **known == id).cloned().map(Target::Method),
            false => datasets.iter().find(|known| **known == id).cloned().map(Target::Dataset),
        };
        if let Some(value) = target {
            found.push(Spanned { value, span: span.clone(), key: key.clone() });
        } else if of_method || !dropped.iter().any(|dropped| *dropped == id) {
            let ids: Vec<String> = match of_method {
                true => method_ids.iter().map(|id| format!("{kind}:{id}")).collect(),
                false => datasets.iter().map(|id| format!("{kind}:{id}")).collect(),
            };
            scope.refer(text, span, "target", &ids);
        }
    }
    found
}

/// The parameter that a choice is about, of one of its targets.
fn target_parameter(
    target: &Spanned<Target>,
    named: &Spanned<String>,
    scope: &mut Designed<'_>,
) -> Option<&'static Parameter> {
    let (owner, parameters): (String, Vec<&'static Parameter>) = match &target.value {
        Target::Method(id) => {
            let method = scope.methods.iter().find(|method| method.id == *id)?;
            let Some(entry) = method.entry else {
                scope
                    .fault(&target.span, format!("`{id}` is published only"), "never runs")
                    .help("a choice is about a method that runs");
                return None;
            };
            (format!("method `{id}`, of kind `{}`,", entry.kind), entry.parameters.iter().collect())
        }
        Target::Dataset(id) => {
            let dataset = scope.outline.registry.iter().find(|dataset| dataset.id == *id)?;
            (format!("dataset `{id}`"), dataset.parameters.clone())
        }
    };
    let found = parameters.iter().copied().find(|parameter| parameter.name == named.value);
    if found.is_none() {
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
        let message = format!("{owner} has no `{}`", named.value);
        scope
            .fault(&named.span, message, "unknown parameter")
            .maybe_help(suggestion(named, &names));
    }
    found
}

/// All targets are methods, or all are datasets.
fn subject(span: &Span, targets: &[Spanned<Target>], scope: &mut Designed<'_>) -> Option<Subject> {
    let (mut methods, mut datasets) = (Vec::new(), Vec::new());
    for target in targets {
        match &target.value {
            Target::Method(id) => methods.push(id.clone()),
            Target::Dataset(id) => datasets.push(id.clone()),
        }
    }
    if !methods.is_empty() && !datasets.is_empty() {
        scope
            .fault(span, "a choice is about methods or about datasets", "both are named")
            .help("write two choices");
    }
    Some(match targets.first()?.value {
        Target::Method(_) => Subject::Methods(methods),
        Target::Dataset(_) => Subject::Datasets(datasets),
    })
}

/// The place of the option of a choice that a file names.
pub(crate) fn option(choice: &Choice, named: &Node, scope: &mut Named<'_>) -> Option<usize> {
    let text = named.scalar().map(Value::to_string).unwrap_or_default();
    let options: Vec<String> = choice.options.iter().map(Value::to_string).collect();
    let found = options.iter().position(|option| *option == text);
    if found.is_none() {
        scope.refer(&text, &named.span, "option", &options);
    }
    found
}

/// The options and the chosen one, in the parameter's type.
fn options(
    keys: &ChoiceKeys,
    parameter: &Parameter,
    scope: &mut Designed<'_>,
) -> Option<(Vec<Value>, Value)> {
    let options: Vec<Value> =
        keys.options.iter().filter_map(|item| typed(parameter, item, scope)).collect();
    if let [_] = &keys.options[..] {
        let message = "a choice has at least two options";
        scope.fault(&keys.options.span, message, "only one");
    }
    Some((options, typed(parameter, &keys.chosen, scope)?))
}

/// The methods with which the options are run.
fn methods(
    named: Option<Spanned<Vec<MethodId>>>,
    subject: &Subject,
    scope: &mut Designed<'_>,
) -> Vec<MethodId> {
    match (subject, named) {
        (Subject::Methods(methods), named) => {
            if let Some(named) = named {
                scope
                    .fault(&named.span, "`methods` is for choices about datasets", "not needed")
                    .help("the options are run with the methods that `target` names");
            }
            methods.clone()
        }
        (Subject::Datasets(_), Some(named)) => named.value,
        (Subject::Datasets(_), None) => scope.method_ids().to_vec(),
    }
}

/// Sets the chosen options in the methods that they are about.
pub(crate) fn apply(
    root: &Table,
    choices: &[Spanned<Choice>],
    methods: &mut [MethodSpec],
    scope: &mut Named<'_>,
) {
    for (index, choice) in choices.iter().enumerate() {
        let of_methods = |choice: &Choice| matches!(choice.subject, Subject::Methods(_));
        for id in choice.subject.ids() {
            let earlier = choices[..index].iter().find(|other| {
                of_methods(other) == of_methods(choice)
                    && other.subject.ids().contains(&id)
                    && other.parameter == choice.parameter
            });
            if let Some(earlier) = earlier {
                let message = format!("`{}` of `{id}` has two choices", choice.parameter);
                scope.fault(&choice.span, message, format!("also `{}`", earlier.id));
            }
            if !of_methods(choice) {
                continue;
            }
            conflicts(root, id, choice, scope);
            if let Some(method) = methods.iter_mut().find(|method| method.id == id) {
                method.parameters.set(&choice.parameter, choice.chosen.clone());
            }
        }
    }
}

/// The method must not give the parameter another value, nor vary it.
fn conflicts(root: &Table, id: &str, choice: &Choice, scope: &mut Named<'_>) {
    let Some(table) = root.named("method", id) else { return };
    let name = &choice.parameter;
    if let Some(node) = table.get(name)
        && node.scalar() != Some(&choice.chosen)
    {
        let message = format!("`{name}` of `{id}` is decided by the choice `{}`", choice.id);
        scope
            .fault(&node.span, message, format!("the choice says {}", choice.chosen))
            .help(format!("remove `{name}` here, or change `chosen`"));
    }
    for key in ["sweep", "grid"] {
        if let Some(axis) = table.table(key).and_then(|axes| axes.entry(name)) {
            let message = format!("`{name}` of `{id}` is decided by the choice `{}`", choice.id);
            scope
                .fault(&axis.key_span, message, format!("in the {key}"))
                .help("remove the axis or the choice");
        }
    }
}
