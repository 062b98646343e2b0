//! What keys of an experiment file refer to: methods, datasets, parts, metrics, axes, tests.

use std::ops::Deref;

use ::task::Task;
use base::text::real;
use base::words;
use contract::{About, DatasetId, MethodId, Metric, PartId};
use document::{
    Form, ID, Level, Names, Node, Span, Spanned, Table, Word, reads, section, suggestion,
};
use itertools::Itertools as _;

use super::catalogue::{METRIC, TASK};
use super::design::{AxisRef, MethodSpec, Part};
use super::evidence::{PairBy, Says};
use super::patterns::{AxisText, Beside, is_beside};
use super::scope::{Designed, Named, Outline, Tested};

/// The name of a metric.
fn metric_name() -> Form {
    Form::Name(Names::of(METRIC))
}

reads! {
    in Named;
    /// The id that a method of the file gets.
    pub(crate) NewMethod: MethodId = Form::Text(&ID), |node, _scope| node.text().map(MethodId::from);
    /// A method of the file.
    pub OneMethod: MethodId = Form::Text(&ID), |node, scope| {
        scope.refer(node.text()?, &node.span, "method", scope.method_ids())
    };
    /// Methods in the order of the file; all unless some are named.
    pub Methods: Vec<MethodId> = ids(), |node, scope| {
        Some(scope.refer_all(node, "method", scope.method_ids()))
    }, absent |scope| scope.method_ids().to_vec();
    /// Methods in the order in which they are listed.
    pub ListedMethods: Vec<MethodId> = ids(), |node, scope| {
        Some(as_listed(node, Methods::read(node, scope)?))
    }, absent |scope| scope.method_ids().to_vec();
    /// A dataset of the registry. One that is not there has been reported and stays, so that what names it is read.
    pub RegistryDataset: DatasetId = Form::Text(&ID), |node, scope| {
        let known = scope.outline.registry.iter().map(|dataset| dataset.id.clone());
        scope.refer(node.text()?, &node.span, "dataset", &known.collect_vec());
        node.text().map(DatasetId::from)
    };
    /// A dataset of the experiment. One that the profile drops stays: a claim about it is then undecided.
    pub OneDataset: DatasetId = Form::Text(&ID), |node, scope| {
        let known = with_dropped(scope);
        scope.refer(node.text()?, &node.span, OF_EXPERIMENT, &known)
    };
    /// Datasets of the experiment in its order, narrowed to those that a profile leaves; all unless some are named.
    pub Datasets: Vec<DatasetId> = ids(), |node, scope| {
        let known = with_dropped(scope);
        let named = scope.refer_all(node, OF_EXPERIMENT, &known);
        Some(scope.outline.datasets.iter().filter(|id| named.contains(id)).cloned().collect())
    }, absent |scope| scope.outline.datasets.clone();
    /// Datasets in the order in which they are listed.
    pub ListedDatasets: Vec<DatasetId> = ids(), |node, scope| {
        Some(as_listed(node, Datasets::read(node, scope)?))
    }, absent |scope| scope.outline.datasets.clone();
    /// A part of the file.
    pub OnePart: PartId = Form::Text(&ID), |node, scope| {
        scope.refer(node.text()?, &node.span, "part", &scope.outline.part_ids)
    };
    /// Parts in the order in which they are listed; the one task, with an empty id, where the file has none.
    pub ListedParts: Vec<PartId> = ids(), |node, scope| {
        if scope.outline.part_ids.is_empty() {
            scope.fault(&node.span, "the file has no parts", "names a part");
            return Some(vec![PartId::default()]);
        }
        Some(as_listed(node, scope.refer_all(node, "part", &scope.outline.part_ids)))
    }, absent |scope| if scope.outline.part_ids.is_empty() { vec![PartId::default()] } else { scope.outline.part_ids.clone() };
    /// A kind of task.
    pub OneTask: &'static Task = Form::Name(Names::of(TASK)), |node, scope| scope.known.task(node.text()?);
    /// Any metric.
    pub AnyMetric: &'static Metric = metric_name(), |node, scope| scope.known.metrics.get(node.text()?);
    /// What rows, columns, series or positions run over.
    pub Axis: AxisRef = AxisText::form(), |node, scope| {
        let axis = AxisRef::of_text(node.text()?)?;
        if axis == AxisRef::Part && scope.outline.part_ids.is_empty() {
            let fault = scope.fault(&node.span, "the file has no parts", "nothing to run over");
            fault.help("add a `[[part]]`");
        }
        Some(axis)
    };
    /// A test of the file.
    pub OneTest: String = Form::Text(&ID), |node, scope| {
        scope.refer(node.text()?, &node.span, "test", &scope.outline.test_ids)
    };
    /// A claim of the file.
    pub OneClaim: String = document::Text::form(), |node, scope| {
        scope.refer(node.text()?, &node.span, "claim", &scope.outline.claim_ids)
    };
    /// A file of published values.
    pub Published: String = Beside::form(), |node, _scope| {
        // Of a path that is none the form has been reported.
        node.string().filter(|path| is_beside(path))
    };
}

reads! {
    in Designed;
    /// A metric that trials report.
    pub Reported: &'static Metric = metric_name(), |node, scope| {
        let metric = scope.known.metrics.get(node.text()?)?;
        scope.require_reported(metric, &node.span);
        Some(metric)
    };
    /// A reported metric of which some values are better than others.
    pub Directed: &'static Metric = metric_name(), |node, scope| {
        let metric = Reported::read(node, scope)?;
        scope.require_direction(metric, &node.span);
        Some(metric)
    };
}

reads! {
    in Tested;
    /// The title; the experiment's unless the table has one.
    pub Title: String = document::Text::form(), |node, _scope| node.string(), absent |scope| scope.title.to_owned();
}

const OF_EXPERIMENT: &str = "dataset in this experiment";

fn ids() -> Form {
    Form::List(Box::new(Form::Text(&ID)))
}

/// The datasets of the experiment, and those that the profile drops.
fn with_dropped(scope: &Named<'_>) -> Vec<DatasetId> {
    let Outline { datasets, dropped, .. } = scope.outline;
    datasets.iter().chain(dropped).unique().cloned().collect()
}

/// In the order in which a list names them.
fn as_listed<I: Deref<Target = str>>(node: &Node, mut ids: Vec<I>) -> Vec<I> {
    let listed: Vec<&str> = node.items().iter().filter_map(Node::text).collect();
    ids.sort_by_key(|id| listed.iter().position(|listed| **listed == **id));
    ids
}

words! {
    /// Whose rule says what the p-values of a test mean.
    pub enum Procedure {
        Ours = "ours", "that of reprise: a claim is shown, refuted or neither; of a table's row a method is left out if another one is better, one-sided at `alpha` / (methods - 1), so that with a probability of at least 1 - `alpha` the best is among those in bold";
        Paper = "paper", "that of papers: each p-value is compared with `alpha`, uncorrected; of a table's row what does not differ from the best is bold, which says less";
    }
}

section! {
    in Tested;
    /// A test of differences at a level.
    #[derive(PartialEq)]
    pub struct Bold {
        test: Spanned<OneTest> => "id of a `[[test]]`";
        alpha: Spanned<Level> => "its level";
        procedure: Word<Procedure> = "ours" => "whose rule says what its p-values mean";
    }
    check(scope, _table) {
        if let (Some(test), Some(alpha)) = (&test, &alpha) {
            scope.tells_apart(test);
            if let Some(Says::Interval(level)) = scope.test(test).map(|test| test.says)
                && (alpha.value - (1.0 - level)).abs() > 1e-9
            {
                let message = format!("the interval of `{}` has the level {level}", test.value);
                scope.fault(&alpha.span, message, "another level").help(format!(
                    "write alpha = {}, or change the test's `level`",
                    base::text::real(math::decimal::difference(1.0, level))
                ));
            }
        }
    }
}

section! {
    in Tested;
    /// A test of equivalence at a level.
    #[derive(PartialEq)]
    pub struct Equivalence {
        test: Spanned<OneTest> => "id of a `[[test]]` with kind = \"equivalence\"";
        alpha: Spanned<Level> => "its level";
    }
    check(scope, _table) {
        if let Some(test) = &test
            && let Some(known) = scope.test(test)
            && !matches!(known.says, Says::Equivalence(_))
        {
            let message = format!("`{}` is no test of equivalence", test.value);
            scope.fault(&test.span, message, format!("a test of kind `{}`", known.design.word))
                .help("that a test finds no difference does not show that there is none: name one with kind = \"equivalence\"");
        }
    }
}

impl Tested<'_> {
    /// A test says that methods differ, not that they do not.
    pub fn tells_apart(&mut self, named: &Spanned<String>) {
        if let Some(Says::Equivalence(_)) = self.test(named).map(|test| test.says) {
            let message = format!("`{}` is a test of equivalence", named.value);
            self.fault(&named.span, message, "it does not say that methods differ")
                .help("name a test of another kind");
        }
    }

    /// What a test shows of so many methods does not depend on others, as by the ranks among all of them.
    pub fn alone(&mut self, named: &Spanned<String>, count: usize) {
        let Some(test) = self.test(named) else { return };
        let of = test.methods.len();
        if test.ranks && !test.shifts && of > count {
            let message = format!("what `{}` says of these depends on the others", named.value);
            self.fault(&named.span, message, format!("it ranks {of} methods"))
                .help("write pairs = \"wilcoxon\" in the test");
        }
    }

    /// By a procedure each dataset has a p-value of its own.
    pub fn on_each(&mut self, bold: &Bold) {
        if bold.procedure == Procedure::Paper {
            self.of_each(bold);
        }
    }

    /// A test has a p-value on each dataset.
    pub(crate) fn of_each(&mut self, bold: &Bold) {
        if self.test(&bold.test).is_some_and(|test| test.design.pair_by == PairBy::Dataset) {
            let message = format!("test `{}` has one p-value for all datasets", bold.test.value);
            self.fault(&bold.test.span, message, "it is that of none of them")
                .help("name a test with a p-value on each dataset");
        }
    }

    /// Who succeeds where nothing is shown goes by the paper's procedure.
    pub fn procedure(&mut self, bold: &Bold) {
        self.on_each(bold);
        if bold.procedure != Procedure::Paper {
            let message = "this would hold where the test shows nothing";
            self.fault(&bold.test.span, message, "no procedure of the paper is named").help(
                "write procedure = \"paper\" beside `alpha` if the paper says it so; that methods are alike is shown by \
                 check = { equivalent = {…} }",
            );
        }
    }

    /// What matters is asked of a test that can tell, and a margin of values.
    pub fn matters(
        &mut self,
        margin: &Spanned<f64>,
        (key, matters): (&str, &Spanned<f64>),
        bold: Option<&Bold>,
    ) {
        let by_test = bold.filter(|bold| bold.procedure == Procedure::Ours);
        match by_test {
            Some(bold) => {
                if margin.value > 0.0 {
                    let message = "`margin` is of values, and here a test decides";
                    self.fault(&margin.key, message, "no effect").help("write `matters`");
                }
                self.shifted(&bold.test, matters);
            }
            None if matters.value != 0.0 => {
                let message = format!("`{key}` is asked of a test, and here values decide");
                self.fault(&matters.key, message, "no effect").help("write `margin`");
            }
            None => {}
        }
    }

    /// A test can be made of differences less what does not matter.
    pub fn shifted(&mut self, named: &Spanned<String>, matters: &Spanned<f64>) {
        let Some(test) = self.test(named).filter(|_| matters.value != 0.0) else { return };
        if !test.shifts {
            let message = format!("`{}` can't tell how large a difference is", test.design.id);
            let label = format!("a test of kind `{}`", test.design.word);
            self.fault(&matters.key, message, label)
                .help("name a t-test, Wilcoxon's or the sign test, or remove this key");
        } else {
            let metric = test.design.metric;
            self.can_differ(matters.value.abs(), metric, &matters.span);
        }
    }

    /// A test says something about these metrics.
    pub fn about(&mut self, named: &Spanned<String>, metrics: &[&'static Metric]) {
        let Some(of_test) = self.test(named).map(|test| test.design.metric) else { return };
        if let Some(other) = metrics.iter().find(|metric| **metric != of_test) {
            let message = format!("`{}` says nothing about `{}`", named.value, other.name);
            self.fault(&named.span, message, format!("it compares `{}`", of_test.name)).help(
                match metrics {
                    [_] => format!("name a test with metric = \"{}\"", other.name),
                    _ => "tables of several metrics have no `bold`".to_owned(),
                },
            );
        }
    }

    /// A test compares a method with each of these.
    pub fn compares(&mut self, named: &Spanned<String>, (one, others): (&MethodId, &[MethodId])) {
        let Some(test) = self.test(named).map(|test| &test.design) else { return };
        let absent = others.iter().chain([one]).find(|id| !test.methods.contains(id));
        if let Some(absent) = absent {
            let message = format!("test `{}` does not compare `{absent}`", test.id);
            let fault = self.fault(&named.span, message, "without this method");
            fault.help(format!("add \"{absent}\" to the `methods` of the test"));
        } else if let Some(reference) =
            test.reference.as_ref().filter(|reference| *reference != one)
            && let Some(other) = others.iter().find(|other| *other != reference)
        {
            let message = format!("test `{}` compares with `{reference}` only", test.id);
            self.fault(&named.span, message, format!("not `{one}` with `{other}`"));
        }
    }

    /// A test says by a p-value of each two of these methods that they differ, on each of these datasets.
    pub(crate) fn compares_all_of(
        &mut self,
        named: &Spanned<String>,
        methods: &[MethodId],
        datasets: &[DatasetId],
    ) {
        let Some(test) = self.test(named) else { return };
        let over = test.pair_by == PairBy::Dataset;
        let method = methods.iter().find(|id| !test.methods.contains(id));
        let dataset = datasets.iter().find(|id| !over && !test.datasets.contains(id));
        let lacks = if test.says != Says::Difference {
            "it has no p-value".to_owned()
        } else if let Some(reference) = &test.reference {
            format!("it compares with `{reference}` only")
        } else if let Some(method) = method {
            format!("it does not compare `{method}`")
        } else if let Some(dataset) = dataset {
            format!("it compares nothing on `{dataset}`")
        } else {
            return;
        };
        let message =
            format!("`bold` needs a test of all pairs of a row, and `{}` is none", test.id);
        self.fault(&named.span, message, lacks).help(
            "name a test of all methods and datasets that the table shows, without `reference`; or write procedure = \"paper\", \
             which marks what does not differ from the best",
        );
    }

    /// A test compares two of these methods.
    pub(crate) fn compares_two_of(&mut self, named: &Spanned<String>, methods: &[MethodId]) {
        let Some(test) = self.test(named).map(|test| &test.design) else { return };
        let pairs = test.method_pairs();
        // A test without pairs has been reported.
        if !pairs.is_empty()
            && !pairs.iter().any(|(one, other)| methods.contains(one) && methods.contains(other))
        {
            let message = format!("test `{}` compares no two methods that are shown", test.id);
            self.fault(&named.span, message, "nothing to compare here")
                .help("name a test that compares methods of this table, or remove `bold`");
        }
    }
}

/// Where a test or a claim names a method.
fn naming<'t>(table: &'t Table, id: &MethodId) -> Option<&'t Span> {
    let nodes = table.entries.iter().map(|entry| &entry.node);
    let mut nodes = nodes.flat_map(|node| node.items().iter().chain([node]));
    nodes.find(|node| node.text() == Some(id)).map(|node| &node.span)
}

/// That one of these methods has a value on one of these datasets in two parts that try it otherwise.
fn in_two(parts: &[&Part], methods: &[MethodId], datasets: &[DatasetId]) -> Option<String> {
    let mut places = methods.iter().flat_map(|id| datasets.iter().map(move |on| (id, on)));
    places.find_map(|(id, dataset)| {
        let runs = |part: &&&Part| part.methods.contains(id) && part.datasets.contains(dataset);
        let mut parts = parts.iter().filter(runs);
        let one = parts.next()?;
        let tried = |part: &Part| (part.split, part.inner, part.repeats, part.labels);
        let other = parts.find(|other| tried(other) != tried(one))?;
        let (one, other) = (&one.id, &other.id);
        Some(format!("`{id}` has a value on `{dataset}` in part `{one}` and in part `{other}`"))
    })
}

impl Designed<'_> {
    /// A difference that matters, or does not, is less than any two values can have.
    pub(crate) fn can_differ(&mut self, size: f64, metric: &Metric, span: &Span) {
        let (from, to) = metric.range;
        if size >= to - from {
            let most = real(to - from);
            let message = format!("no two values of `{}` differ by more than {most}", metric.name);
            self.fault(span, message, "no difference is so large")
                .help("say a difference that can be, such as 0.01");
        }
    }

    /// Of how well a method does that is swept there is one value only where an axis names what it sweeps.
    pub fn fixes_sweeps(
        &mut self,
        span: &Span,
        methods: &[MethodId],
        axes: &[&AxisRef],
        metrics: &[&'static Metric],
    ) {
        let named = |name: &str| axes.contains(&&AxisRef::Sweep(name.to_owned()));
        let methods: Vec<&MethodId> = methods.iter().collect();
        let parameter = |axis: &&AxisRef| matches!(axis, AxisRef::Sweep(_) | AxisRef::Grid(_));
        let of_task = |metric: &&Metric| metric.about == About::Task;
        let mut shared = self.parts.iter().filter_map(|part| {
            metrics.iter().find(|metric| of_task(metric) && part.reports(metric))?;
            let mut shown = methods.iter().filter(|id| part.methods.contains(id));
            Some([shown.next()?, shown.next()?])
        });
        if axes.iter().any(parameter)
            && !axes.contains(&&AxisRef::Method)
            && let Some([one, other]) = shared.next()
        {
            let message = format!("a value would be of `{one}` and of `{other}`");
            self.fault(span, message, "no axis says of which").help(
                "let an axis be \"method\" too, in a table such as [\"method\", \"sweep:k\"]; or name one of the `methods`",
            );
            return;
        }
        let Some((id, name)) = self.open_sweep(&methods, named, metrics) else { return };
        let message = format!("`{id}` has a value for each `{name}`, and no axis says which");
        self.fault(span, message, format!("`sweep:{name}` is missing here")).help(format!(
            "let an axis be \"sweep:{name}\", in a table [\"method\", \"sweep:{name}\"]; or name other `methods`; or select one \
             value: `grid` and `select` in place of `sweep`"
        ));
    }

    /// A test or a claim, which is said in this table, has one value of each method, or one at each point along a parameter.
    pub(crate) fn one_value_each(
        &mut self,
        table: &Table,
        methods: &[&MethodId],
        along: Option<&str>,
        metric: &'static Metric,
    ) {
        let open = self.open_sweep(methods, |name| along == Some(name), &[metric]);
        let Some((id, name)) = open else { return };
        let message = format!("`{id}` has a value for each `{name}`, and nothing says which");
        let span = naming(table, &id).unwrap_or(&table.span);
        self.fault(span, message, format!("`{name}` is swept")).help(format!(
            "name other methods, such as one with a single `{name}`; or select one value: `grid` and `select` in place of `sweep`"
        ));
    }

    /// Methods that a test or a claim names, which is said in this table, run where its metric is measured.
    pub(crate) fn run_somewhere(
        &mut self,
        table: &Table,
        methods: &[&MethodId],
        part: Option<&PartId>,
        metric: &'static Metric,
    ) {
        if !self.faults.is_empty() || self.outline.narrowed {
            return;
        }
        let counts = |own: &&Part| part.is_none_or(|part| own.id == *part) && own.reports(metric);
        let runs =
            |id: &MethodId| self.parts.iter().filter(counts).any(|part| part.methods.contains(id));
        let own = self.methods.iter().filter(|method| method.entry.is_some());
        let own = own.map(|method| &method.id).filter(|id| methods.contains(id) && !runs(id));
        let named = own.filter_map(|id| Some((id, naming(table, id)?))).next();
        if let Some((id, span)) = named {
            let message = format!("`{id}` does not run where `{}` is measured", metric.name);
            self.fault(span, message, "there is no value of it")
                .help("add it to `methods` of the task or of a part, or name other methods");
        }
    }

    /// Each of these methods has a value on each dataset in one of these parts alone, where nothing tells parts apart.
    pub(crate) fn in_one_part(
        &mut self,
        span: &Span,
        (methods, datasets): (&[MethodId], &[DatasetId]),
        parts: impl Fn(&PartId) -> bool,
        metrics: &[&'static Metric],
        help: &'static str,
    ) {
        if !self.faults.is_empty() {
            return;
        }
        let of_task = metrics.iter().filter(|metric| metric.about == About::Task);
        let counting = of_task.map(|metric| {
            let counts = |part: &&Part| parts(&part.id) && part.reports(metric);
            self.parts.iter().filter(counts).collect::<Vec<&Part>>()
        });
        let twice = counting.filter_map(|parts| in_two(&parts, methods, datasets)).next();
        if let Some(message) = twice {
            self.fault(span, message, "nothing says which").help(help);
        }
    }

    /// A method with several values of how well it does, and a parameter that it sweeps, such that nobody says of which
    /// point of it.
    fn open_sweep(
        &self,
        methods: &[&MethodId],
        said: impl Fn(&str) -> bool,
        metrics: &[&'static Metric],
    ) -> Option<(MethodId, String)> {
        let of_task = |metric: &&&'static Metric| metric.about == About::Task;
        let of_task: Vec<&'static Metric> = metrics.iter().filter(of_task).copied().collect();
        let measured = |method: &MethodId| {
            let mut parts = self.parts.iter().filter(|part| part.methods.contains(method));
            parts.any(|part| of_task.iter().any(|metric| part.task.metrics.contains(metric)))
        };
        let of = |method: &&MethodSpec| methods.contains(&&method.id) && measured(&method.id);
        let swept = self.methods.iter().filter(of);
        let mut swept = swept.flat_map(|method| method.sweep.iter().map(|axis| (&method.id, axis)));
        let open = swept.find(|(_, axis)| axis.values.len() > 1 && !said(&axis.name));
        open.map(|(id, axis)| (id.clone(), axis.name.clone()))
    }

    /// An axis over a parameter has something to run over among these methods.
    pub fn runs_over(&mut self, axis: &Spanned<AxisRef>, methods: &[MethodId]) {
        let (key, verb, name) = match &axis.value {
            AxisRef::Sweep(name) => ("sweep", "sweeps", name),
            AxisRef::Grid(name) => ("grid", "has a grid over", name),
            _ => return,
        };
        let shown = self.methods.iter().filter(|method| methods.contains(&method.id));
        let names: Vec<&str> = shown
            .flat_map(|method| if key == "sweep" { &method.sweep } else { &method.grid })
            .map(|axis| axis.name.as_str())
            .collect();
        if !names.contains(&name.as_str()) {
            let help = suggestion(name, &names).unwrap_or_else(|| {
                format!("add a `{key}` to a `[[method]]`, or choose another axis")
            });
            let message = format!("no method shown {verb} `{name}`");
            self.fault(&axis.span, message, "nothing to run over").help(help);
        }
    }
}
