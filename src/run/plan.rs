//! Which trials an experiment consists of, and which of them form a path.

mod blocks;
mod configuration;
mod divided;
mod facts;
mod kept;
mod rounds;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use base::digest::Digest;
use contract::parameter::Value;
use contract::{Assignment, ChoiceId, DatasetId, MethodEntry, PartId};
use data::inner::Inner;
use program::Program;
use spec::{Choice, Experiment, MethodSpec, Part, Universe};
use task::Problem;

use super::record::Trial;
use configuration::{Configuration, Group};

pub use blocks::RanksOfBlocks;
pub use divided::Remark;
pub use facts::{DatasetFacts, Unsuited, members};
pub use rounds::Rounds;

/// All trials of an experiment, and the paths in which they are executed.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Trials in the order of the file: part, dataset, repeat, fold, method, choice, sweep, grid. Those of universes come
    /// last, without those that are there before.
    pub trials: Vec<Trial>,
    /// How many there are but for those of universes.
    pub own: usize,
    /// Every trial stands in exactly one path, or shares its key with one that does.
    pub paths: Vec<Path>,
    /// What a person should know of how the parts divide their datasets.
    pub remarks: Vec<(PartId, DatasetId, Remark)>,
}

impl Plan {
    /// The keys of its trials.
    pub fn keys(&self) -> BTreeSet<Digest> {
        self.trials.iter().map(|trial| trial.key).collect()
    }

    /// The trials of a path, in the order of execution.
    pub fn trials_of(&self, path: &Path) -> impl Iterator<Item = &Trial> {
        path.trials.iter().map(|&trial| &self.trials[trial])
    }

    /// The first of them, which says what all have in common.
    pub fn first_of(&self, path: &Path) -> &Trial {
        &self.trials[path.trials[0]]
    }
}

/// Trials that feed each other: the unit that is scheduled, journaled, dealt out to workers and re-executed.
#[derive(Debug, Clone)]
pub struct Path {
    /// Digest of the keys of its trials.
    pub id: Digest,
    /// Indices into [`Plan::trials`], in the order of execution.
    pub trials: Vec<usize>,
    /// Index into [`Experiment::parts`].
    pub part: usize,
    /// The registry entry that fits them.
    pub entry: &'static MethodEntry,
    /// The program that fits them, where it is one.
    pub program: Option<Arc<Program>>,
    /// Where their validation examples come from, if not from the split.
    pub inner: Option<Inner>,
    /// The classes that they tell apart.
    pub problem: Arc<Problem>,
    /// Seed of the division into training, validation and test examples.
    pub division_seed: Digest,
    /// Expected cost in seconds, very roughly: the order of paths and the time left hang on it, no result does.
    pub cost: f64,
    /// Bytes of memory that its largest fit holds, roughly.
    pub memory: u64,
}

/// How many trials an experiment may have where nobody says.
pub const MAX_TRIALS: u64 = 1_000_000;

/// More trials or paths than are allowed. They are counted before any of them is made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("{what} would be {}, more than {limit}", at_least(*count, unit))]
#[diagnostic(help(
    "write fewer repeats, folds, classes, options of choices or values of sweeps and grids; or allow them: \
     --max-trials {count}"
))]
pub struct TooMany {
    /// What has so many.
    pub what: String,
    /// Of what.
    pub unit: &'static str,
    /// How many.
    pub count: u64,
    /// How many are allowed.
    pub limit: u64,
}

fn at_least(count: u64, unit: &str) -> String {
    if count == u64::MAX { format!("at least {count} {unit}") } else { format!("{count} {unit}") }
}

impl TooMany {
    /// Checks a number of trials.
    ///
    /// # Errors
    /// If it is above the limit.
    pub fn check(count: u64, limit: u64, what: impl FnOnce() -> String) -> Result<(), Self> {
        let error = || Self { what: what(), unit: "trials", count, limit };
        if count > limit { Err(error()) } else { Ok(()) }
    }
}

/// A dataset with values of some of its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Dataset id.
    pub dataset: DatasetId,
    /// The parameters that choices set.
    pub settings: Vec<(String, Value)>,
}

/// The datasets of an experiment by name: each as the choices set its parameters, under its id; and each
/// with the other options of the choices about it, one at a time and as universes have them.
///
/// # Errors
/// If choices make more than so many of a dataset.
pub fn variants(
    experiment: &Experiment,
    universes: &[Universe],
    most: u64,
) -> Result<BTreeMap<String, Variant>, TooMany> {
    let mut variants = BTreeMap::new();
    for dataset in experiment.parts.iter().flat_map(|part| &part.datasets) {
        let about = experiment.choices.iter().filter(|choice| choice.sets(dataset));
        let about: Vec<&Choice> = about.collect();
        let options: usize = about.iter().map(|choice| choice.options.len() - 1).sum();
        TooMany::check(1 + options as u64, most, || {
            format!("the options of the choices about `{dataset}`")
        })?;
        let together = universes
            .iter()
            .map(|universe| universe.others(&experiment.choices, |choice| choice.sets(dataset)));
        for assignment in one_at_a_time(&about).into_iter().chain(together) {
            let mut settings = experiment.settings(dataset);
            for (choice, option) in &assignment {
                settings.retain(|(name, _)| *name != choice.parameter);
                settings.push((choice.parameter.clone(), (*option).clone()));
            }
            let variant = Variant { dataset: dataset.clone(), settings };
            variants.insert(variant_name(dataset, &assignment), variant);
        }
    }
    Ok(variants)
}

/// The name of the variant that trials with these options are run on.
pub fn variant_of(experiment: &Experiment, dataset: &DatasetId, choice: &Assignment) -> String {
    named(
        dataset,
        choice.iter().filter_map(|(id, option)| {
            let mut choices = experiment.choices.iter();
            let choice = choices.find(|choice| choice.id == *id && choice.sets(dataset))?;
            Some((choice.parameter.as_str(), option))
        }),
    )
}

fn variant_name(dataset: &DatasetId, assignment: &Options<'_>) -> String {
    let of_dataset = assignment.iter().filter(|(choice, _)| choice.sets(dataset));
    named(dataset, of_dataset.map(|(choice, option)| (choice.parameter.as_str(), option)))
}

fn named<'a>(
    dataset: &DatasetId,
    settings: impl Iterator<Item = (&'a str, impl std::fmt::Display)>,
) -> String {
    settings
        .fold(dataset.to_string(), |name, (parameter, value)| format!("{name} {parameter}={value}"))
}

/// Whether the options of choices are run beside the chosen ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithChoices {
    /// Only the chosen options.
    No,
    /// All options.
    Yes,
}

impl From<bool> for WithChoices {
    fn from(choices: bool) -> Self {
        if choices { Self::Yes } else { Self::No }
    }
}

/// Plans an experiment of at most so many trials, with those of `universes`. `facts` holds every dataset that it names, by
/// the names of [`variants`].
///
/// # Errors
/// If it has more.
pub fn plan(
    experiment: &Experiment,
    facts: &BTreeMap<String, DatasetFacts>,
    choices: WithChoices,
    universes: &[Universe],
    most: u64,
) -> Result<Plan, TooMany> {
    let beside = if choices == WithChoices::Yes { Beside::EachAlone } else { Beside::Nothing };
    let planner = Planner { experiment, facts, beside };
    let together = Planner { beside: Beside::Universes { universes, alone: choices }, ..planner };
    let (own, others) = (planner.count(), together.count());
    TooMany::check(own.saturating_add(others), most, || "the experiment".to_owned())?;
    let trials = Vec::with_capacity((own + others).min(MAX_TRIALS) as usize);
    let mut plan = Plan { trials, own: 0, paths: Vec::new(), remarks: Vec::new() };
    for at in planner.places() {
        let remarks = at.rounds.divided.remarks.iter().cloned();
        plan.remarks.extend(remarks.map(|one| (at.part.id.clone(), at.dataset.clone(), one)));
    }
    let mut seen = BTreeSet::new();
    planner.plan(&mut plan, &mut seen);
    plan.own = plan.trials.len();
    together.plan(&mut plan, &mut seen);
    Ok(plan)
}

/// A dataset of a part, with what its trials are over.
#[derive(Clone, Copy)]
struct Place<'a> {
    index: usize,
    part: &'a Part,
    dataset: &'a DatasetId,
    rounds: &'a Rounds,
}

/// Which options of choices a planner runs.
#[derive(Clone, Copy)]
enum Beside<'a> {
    /// The chosen ones only.
    Nothing,
    /// Each other one beside the chosen ones.
    EachAlone,
    /// Those of universes that do not run anyway.
    Universes { universes: &'a [Universe], alone: WithChoices },
}

#[derive(Clone, Copy)]
struct Planner<'a> {
    experiment: &'a Experiment,
    facts: &'a BTreeMap<String, DatasetFacts>,
    beside: Beside<'a>,
}

impl<'a> Planner<'a> {
    fn places(&self) -> impl Iterator<Item = Place<'a>> {
        let facts = self.facts;
        self.experiment.parts.iter().enumerate().flat_map(move |(index, part)| {
            part.datasets.iter().map(move |dataset| {
                let rounds = &facts[dataset.as_str()].rounds[&index];
                Place { index, part, dataset, rounds }
            })
        })
    }

    /// The methods that a part runs.
    fn methods(
        &self,
        part: &'a Part,
    ) -> impl Iterator<Item = (&'a MethodSpec, &'static MethodEntry)> {
        let methods = self.experiment.methods.iter().filter(|m| part.methods.contains(&m.id));
        methods.filter_map(|method| Some((method, method.entry?)))
    }

    /// The options that a method runs with on a dataset, each for the repeats in a range.
    fn assigned(&self, method: &MethodSpec, dataset: &DatasetId) -> Vec<Assigned<'a>> {
        let (most, choices) = (method.repeats, &self.experiment.choices);
        let open = || choices.iter().filter(|choice| choice.concerns(&method.id, dataset));
        let repeats =
            |options: &Options<'_>| options.first().map_or(most, |(c, _)| c.repeats.min(most));
        match self.beside {
            Beside::Nothing => vec![(Vec::new(), 0..most)],
            Beside::EachAlone => {
                let options = one_at_a_time(&open().collect::<Vec<_>>());
                options.into_iter().map(|options| (options.clone(), 0..repeats(&options))).collect()
            }
            Beside::Universes { .. } if !method.is_exact() => Vec::new(),
            Beside::Universes { universes, alone } => {
                let together = self.experiment.universes.as_ref().map_or(0, |own| own.repeats);
                let mut seen = BTreeSet::new();
                let own = |universe: &Universe| {
                    let own =
                        universe.others(choices, |choice| choice.bears_on(&method.id, dataset));
                    let places: Vec<(&ChoiceId, String)> = own
                        .iter()
                        .map(|(choice, option)| (&choice.id, option.to_string()))
                        .collect();
                    (!own.is_empty() && seen.insert(places)).then_some(own)
                };
                let from = |options: &Options<'_>| match (&options[..], alone) {
                    ([(choice, _)], WithChoices::Yes) if open().any(|one| one.id == choice.id) => {
                        choice.repeats
                    }
                    _ => 0,
                };
                let others = universes.iter().filter_map(own);
                let until = together.min(most);
                others.map(|options| (options.clone(), from(&options)..until)).collect()
            }
        }
    }

    /// The number of trials.
    fn count(&self) -> u64 {
        let of = |(at, method): (&Place<'a>, &MethodSpec)| {
            let points: u64 = method
                .sweep
                .iter()
                .chain(&method.grid)
                .fold(1, |points, axis| points.saturating_mul(axis.values.len() as u64));
            let rounds = self.assigned(method, at.dataset).into_iter().map(|(_, repeats)| {
                let [from, to] = [repeats.start, repeats.end].map(|end| end.min(at.rounds.repeats));
                at.rounds.count(from..to.max(from))
            });
            let folds: usize = at.rounds.problems.iter().map(|(_, folds)| folds).sum();
            let rounds = rounds.fold(0, u64::saturating_add).saturating_mul(folds as u64);
            rounds.saturating_mul(points)
        };
        let counts = self.places().map(|at| {
            let methods = self.methods(at.part).map(|(method, _)| of((&at, method)));
            methods.fold(0, u64::saturating_add)
        });
        counts.fold(0, u64::saturating_add)
    }

    /// Adds all trials, and the paths that are not `seen`.
    fn plan(&self, plan: &mut Plan, seen: &mut BTreeSet<Digest>) {
        for at in self.places() {
            for (problem, folds) in &at.rounds.problems {
                let configurations = self.configurations(at, problem);
                for repeat in at.rounds.repeats() {
                    for fold in 0..*folds {
                        let mut groups = BTreeMap::new();
                        for one in configurations.iter().filter(|c| c.repeats.contains(&repeat)) {
                            one.plan(repeat, fold, plan, &mut groups);
                        }
                        let paths =
                            groups.into_values().map(|group: Group<'_>| group.path(&plan.trials));
                        // Configurations that coincide run once.
                        plan.paths.extend(paths.filter(|path| seen.insert(path.id)));
                    }
                }
            }
        }
    }

    /// What is run in each round of a problem, in order.
    fn configurations(&self, at: Place<'a>, problem: &'a Arc<Problem>) -> Vec<Configuration<'a>> {
        let mut groups = BTreeMap::new();
        let mut configurations = Vec::new();
        for (method, entry) in self.methods(at.part) {
            for assigned in self.assigned(method, at.dataset) {
                let mut one = self.configuration(at, problem, (method, entry), assigned);
                one.join(&mut groups);
                configurations.push(one);
            }
        }
        configurations
    }
}

/// Options that differ from the chosen ones; empty for the baseline.
type Options<'a> = Vec<(&'a Choice, &'a Value)>;

/// Options that a method runs with, and for which repeats.
type Assigned<'a> = (Options<'a>, Range<usize>);

/// The chosen options, and every other one alone.
fn one_at_a_time<'a>(choices: &[&'a Choice]) -> Vec<Options<'a>> {
    let others = choices.iter().flat_map(|choice| {
        choice.options.iter().filter(|option| **option != choice.chosen).map(|o| vec![(*choice, o)])
    });
    std::iter::once(Vec::new()).chain(others).collect()
}
