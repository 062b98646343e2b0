//! Parameters that are set where nothing reads them.

use contract::parameter::{Parameter, Under};
use document::{Entry, Span, Spanned, Table};

use super::design::{Choice, MethodSpec, Subject};
use super::scope::Designed;

/// Refuses a parameter of a method that is given, varied or decided although the one under which it is read never has
/// the word for that.
pub(crate) fn refuse(root: &Table, choices: &[Spanned<Choice>], scope: &mut Designed<'_>) {
    for method in scope.methods {
        let Some(entry) = method.entry else { continue };
        let Some(table) = root.named("method", &method.id) else { continue };
        let about = |choice: &&Spanned<Choice>| match &choice.subject {
            Subject::Methods(ids) => ids.contains(&method.id),
            Subject::Datasets(_) => false,
        };
        let choices: Vec<&Spanned<Choice>> = choices.iter().filter(about).collect();
        for parameter in entry.parameters {
            let Some(under) = parameter.under else { continue };
            if read(method, &choices, under) {
                continue;
            }
            let (name, kind, Under { parameter: other, word }) =
                (parameter.name, entry.kind, under);
            for span in set(table, &choices, parameter) {
                let message = format!("`{name}` of a method of kind `{kind}` is not read here");
                let label = format!("read only with `{other} = {word:?}`");
                let help = format!("remove it, or set `{other} = {word:?}`");
                scope.fault(&span, message, label).help(help);
            }
        }
    }
}

/// Whether the parameter under which another one is read may have the word for that.
fn read(method: &MethodSpec, choices: &[&Spanned<Choice>], under: Under) -> bool {
    let axes = method.sweep.iter().chain(&method.grid);
    let mut varied = axes.filter(|axis| axis.name == under.parameter).peekable();
    // What is varied has no other value.
    let own = method.parameters.value(under.parameter).filter(|_| varied.peek().is_none());
    let varied = varied.flat_map(|axis| &axis.values);
    let decided = choices.iter().filter(|choice| choice.parameter == under.parameter);
    let decided = decided.flat_map(|choice| &choice.options);
    own.into_iter().chain(varied).chain(decided).any(|value| under.holds(value))
}

/// Where a parameter is set.
fn set(table: &Table, choices: &[&Spanned<Choice>], parameter: &Parameter) -> Vec<Span> {
    let axes = ["sweep", "grid"].into_iter().filter_map(|key| table.table(key));
    let keys = [table].into_iter().chain(axes);
    let given = keys.filter_map(|table| table.entry(parameter.name));
    let given = given.map(|entry: &Entry| entry.key_span.clone());
    let decided = choices.iter().filter(|choice| choice.parameter == parameter.name);
    given.chain(decided.map(|choice| choice.span.clone())).collect()
}
