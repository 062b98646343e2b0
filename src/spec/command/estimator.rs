//! `estimator`: a class of scikit-learn as a method, run as any program is.

use contract::parameter::{Domain, Parameter};
use contract::{Gives, Metric, Value};
use document::{Entry, Flag, Key, Node, Section as _, Spanned, Table, Text, section};
use program::{Mode, estimator};
use task::probabilities::{OF_PROBABILITIES, OF_SCORES};

use super::{Files, ProgramKeys, Runs, Texts, entry, preset, text};
use crate::design::Part;
use crate::scope::Parted;

section! {
    in Parted;
    /// What a `[[method]]` with an `estimator` says beside what every program does.
    pub(in crate::command) struct EstimatorKeys {
        environment: Option<Spanned<Text>>, else "scikit-learn 1.7 and what it needs, for CPython 3.10 to 3.13"
            => "the requirements of pip that its environment is built of, once; hashed and sealed as code is";
        frame: Flag = false => "it gets a DataFrame of pandas, with the columns as the dataset has them: names as categories, missing values as NaN";
        code: Option<Spanned<Texts>>, else "none"
            => "files of its own classes, as patterns such as `mine/*.py`, relative to the experiment file; their bytes enter the trial key and are sealed";
    }
}

/// The keys that an estimator brings, its parameters aside.
pub fn estimator_keys() -> Vec<Key> {
    [EstimatorKeys::keys(), ProgramKeys::keys()].concat()
}

/// What an estimator's table sets, sweeps and selects beside the keys of all methods: whether the estimator has it, it alone knows.
pub(super) fn given<'t>(table: &'t Table, of_all: &[Key]) -> Vec<&'t Entry> {
    let known = [of_all, &estimator_keys()].concat();
    let is_known = |entry: &&Entry| known.iter().any(|key| key.name == entry.key);
    let own = table.entries.iter().filter(|entry| !is_known(entry));
    let axes = ["sweep", "grid"].into_iter().filter_map(|key| table.table(key));
    own.chain(axes.flat_map(|axes| &axes.entries)).collect()
}

/// The parameter of an estimator that is given so; none if it is given no value.
pub(super) fn parameter(entry: &Entry) -> Option<Parameter> {
    let values = entry.node.items().iter().filter_map(Node::scalar).cloned();
    let values: &[Value] = values.collect::<Vec<_>>().leak();
    let (name, domain) = (text(&entry.key), Domain::Given(values));
    let (default, meaning) = (preset(values.first()?.clone()), "a parameter of the estimator");
    Some(Parameter::new(name, domain, default, meaning))
}

/// What an estimator answers with: what its tasks take, and probabilities or scores where their metrics ask for them.
pub(super) fn asked(id: &str, table: &Table, scope: &Parted<'_>) -> Gives {
    let tasks = scope.outline.tasks.of_method(table);
    let takes = |gives| tasks.all().any(|task| (task.serves)(entry(gives, &[])));
    let runs = |part: &&Part| part.methods.iter().any(|method| **method == *id);
    let asks = |metrics: &[&Metric]| {
        let mut parts = scope.parts.iter().filter(runs);
        parts.any(|part| metrics.iter().any(|metric| part.reports(metric)))
    };
    match takes(Gives::Labels) {
        true if asks(OF_PROBABILITIES) => Gives::Probabilities,
        true if asks(OF_SCORES) => Gives::Scores,
        false if takes(Gives::Values) => Gives::Values,
        _ => Gives::Labels,
    }
}

/// What an estimator runs; none if a file can't be used.
pub(super) fn runs(
    (expression, gives): (&Node, Gives),
    keys: EstimatorKeys,
    files: &mut Files<'_>,
) -> Option<Runs> {
    let code = keys.code.map_or(Some(Vec::new()), |code| files.code(&code));
    let lock = files.lock(keys.environment.as_ref());
    let own = keys.environment.as_ref().map(|lock| lock.value.as_str());
    let brought = estimator::FILES.into_iter().chain(own.is_none().then_some(estimator::LOCK));
    let brought = files.brought(&brought.collect::<Vec<_>>(), &expression.span);
    Some(Runs {
        gives,
        command: estimator::command(expression.text()?),
        prepare: estimator::prepare(own),
        code: code?,
        lock: lock?,
        brought: brought?,
        form: program::Form::Npy,
        mode: Mode::Worker,
        frame: keys.frame,
    })
}
