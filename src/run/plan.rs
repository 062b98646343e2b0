//! Which trials an experiment consists of, and which of them form a path.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::generate::Generator;
use crate::data::generate::mixture::MixtureSample;
use crate::data::split::{Members, SplitError, SplitPlan};
use crate::data::{Dataset, Examples};
use crate::math::digest::{Digest, FieldHasher};
use crate::method::parameter::{Parameters, Value};
use crate::method::{MethodEntry, Shape};
use crate::spec::{Axis, Choice, Classes, Experiment, MethodSpec, Part};
use crate::task::TaskKind;
use crate::task::boundary::Change;
use crate::task::classification::Problem;

use super::record::Trial;

/// All trials of an experiment, and the paths in which they are executed.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Trials in the order of the file: part, dataset, repeat, fold, method, choice, sweep, grid.
    pub trials: Vec<Trial>,
    /// Every trial stands in exactly one path, or shares its key with one that does.
    pub paths: Vec<Path>,
}

impl Plan {
    /// The keys of its trials.
    pub fn keys(&self) -> BTreeSet<Digest> {
        self.trials.iter().map(|trial| trial.key).collect()
    }
}

/// Trials that feed each other: the unit that is scheduled, journaled, sharded and re-executed.
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
    /// The classes that they tell apart.
    pub problem: Problem,
    /// Seed of the division into training, validation and test examples.
    pub division_seed: Digest,
    /// Expected cost in seconds, very roughly; only the order matters.
    pub cost: f64,
}

/// What the plan needs to know of a dataset.
#[derive(Debug, Clone)]
pub struct DatasetFacts {
    /// Digest of the parsed content.
    pub digest: Digest,
    /// Its size.
    pub shape: Shape,
    /// The rounds of every part that uses it, by part index.
    pub rounds: BTreeMap<usize, Vec<Round>>,
}

/// What a method is run for once: one fold of one repeat of one problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Repeat, from 0.
    pub repeat: usize,
    /// Fold, from 0.
    pub fold: usize,
    /// The problem; nameless where there is only one.
    pub problem: Problem,
}

/// An experiment asks a dataset for what it has not.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum Unsuited {
    /// It can't be divided so.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Split(#[from] SplitError),
    /// It has no classes.
    #[error("dataset `{dataset}` has no classes, but the task is {}", task.word())]
    #[diagnostic(help("name datasets with classes: `reprise data list` shows them"))]
    NoClasses {
        /// Dataset id.
        dataset: String,
        /// The task.
        task: TaskKind,
    },
    /// Its examples are not points in the plane of two classes.
    #[error("dataset `{dataset}` has {found}, but the task is boundary")]
    #[diagnostic(help(
        "boundaries are drawn between two classes of examples with two numeric columns"
    ))]
    NotPlane {
        /// Dataset id.
        dataset: String,
        /// What it has instead.
        found: String,
    },
    /// It has no outliers to add.
    #[error("dataset `{0}` has no outliers, but the task adds them")]
    #[diagnostic(help(
        "name a dataset whose generator is a `normal-mixture` with `outliers`, or write change = \"order\""
    ))]
    NoOutliers(String),
}

impl DatasetFacts {
    /// The facts of one dataset for an experiment.
    ///
    /// # Errors
    /// If a part's task or split makes no sense for the dataset.
    pub fn of(dataset: &Dataset, experiment: &Experiment) -> Result<Self, Unsuited> {
        let mut rounds = BTreeMap::new();
        for (index, part) in experiment.parts.iter().enumerate() {
            if part.datasets.contains(&dataset.id) {
                rounds.insert(index, rounds_of(dataset, part)?);
            }
        }
        Ok(Self { digest: dataset.digest, shape: Shape::of(dataset), rounds })
    }

    /// The facts of a generated dataset without drawing its examples; none if they depend on them.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_generated(
        id: &str,
        generator: &Generator,
        experiment: &Experiment,
    ) -> Result<Option<Self>, Unsuited> {
        let mut rounds = BTreeMap::new();
        for (index, part) in experiment.parts.iter().enumerate() {
            if !part.datasets.iter().any(|named| named == id) {
                continue;
            }
            let classes = generator.classes();
            if part.kind.has_classes() && classes.is_empty() {
                return Err(Unsuited::NoClasses { dataset: id.to_owned(), task: part.kind });
            }
            if part.kind == TaskKind::Boundary {
                let numeric = matches!(generator, Generator::Mixture(_));
                suits_boundary(id, numeric, generator.shape().variables, classes.len())?;
                has_outliers(id, part, generator.mixture())?;
            }
            if part.split != SplitPlan::Published || classes.len() > 2 {
                return Ok(None);
            }
            let problem =
                Problem { name: String::new(), classes: (0..classes.len() as u32).collect() };
            let round = |repeat| Round { repeat, fold: 0, problem: problem.clone() };
            rounds.insert(index, (0..part.repeats).map(round).collect());
        }
        let drawn = generator.shape();
        let (examples, variables) = (drawn.rows.total(), drawn.variables);
        let shape = Shape { examples, variables, entries: examples * variables / 2 };
        Ok(Some(Self { digest: generator.digest(), shape, rounds }))
    }
}

/// The problems of a dataset in a part; a single one without classes where there are none.
///
/// # Errors
/// If the task needs classes and the dataset has none.
pub fn problems(dataset: &Dataset, part: &Part) -> Result<Vec<Problem>, Unsuited> {
    let whole = Problem { name: String::new(), classes: Vec::new() };
    match (part.kind, &dataset.labels) {
        (TaskKind::Density | TaskKind::PseudoLikelihood | TaskKind::Partition, _) => {
            Ok(vec![whole])
        }
        (TaskKind::Classification | TaskKind::Boundary, None) => {
            Err(Unsuited::NoClasses { dataset: dataset.id.clone(), task: part.kind })
        }
        (TaskKind::Boundary, Some(labels)) => {
            let numeric = matches!(dataset.examples, Examples::Numeric(_));
            let (columns, classes) = (dataset.examples.variables(), labels.classes.len());
            suits_boundary(&dataset.id, numeric && dataset.binning.is_none(), columns, classes)?;
            has_outliers(&dataset.id, part, dataset.mixture.as_ref())?;
            Ok(vec![Problem::whole(&labels.classes)])
        }
        (TaskKind::Classification, Some(labels)) => Ok(match part.classes {
            Classes::AllPairs if labels.classes.len() > 2 => Problem::pairs(&labels.classes),
            _ => vec![Problem::whole(&labels.classes)],
        }),
    }
}

fn suits_boundary(
    dataset: &str,
    numeric: bool,
    columns: usize,
    classes: usize,
) -> Result<(), Unsuited> {
    let found = match (numeric, columns, classes) {
        (true, 2, 2) => return Ok(()),
        (false, ..) => "no numeric columns, or bins them".to_owned(),
        (true, 2, _) => format!("{classes} classes"),
        (true, ..) => format!("{columns} columns"),
    };
    Err(Unsuited::NotPlane { dataset: dataset.to_owned(), found })
}

fn has_outliers(
    dataset: &str,
    part: &Part,
    mixture: Option<&MixtureSample>,
) -> Result<(), Unsuited> {
    match part.change {
        Change::Outliers if !mixture.is_some_and(MixtureSample::has_outliers) => {
            Err(Unsuited::NoOutliers(dataset.to_owned()))
        }
        _ => Ok(()),
    }
}

/// The examples of a problem's classes, ascending; none where all are.
pub fn members(dataset: &Dataset, problem: &Problem) -> Option<Vec<usize>> {
    let labels = dataset.labels.as_ref()?;
    if problem.name.is_empty() {
        return None;
    }
    let inside = |class: &u32| problem.classes.contains(class);
    let examples = labels.of_example.iter().enumerate().filter(|(_, class)| inside(class));
    Some(examples.map(|(example, _)| example).collect())
}

fn rounds_of(dataset: &Dataset, part: &Part) -> Result<Vec<Round>, Unsuited> {
    let mut rounds = Vec::new();
    for problem in problems(dataset, part)? {
        let members = members(dataset, &problem);
        let members = members.as_deref().map_or(Members::All, Members::Some);
        part.split.check(dataset, members)?;
        let pairs = part.split.pairs(dataset, members, part.repeats);
        rounds.extend(pairs.map(|(repeat, fold)| Round { repeat, fold, problem: problem.clone() }));
    }
    Ok(rounds)
}

/// A dataset with values of some of its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Dataset id.
    pub dataset: String,
    /// The parameters that choices set.
    pub settings: Vec<(String, Value)>,
}

/// The datasets of an experiment by name: each as the choices set its parameters, under its id; and each
/// with the other options of the choices about it, one at a time and crossed where they say so.
pub fn variants(experiment: &Experiment) -> BTreeMap<String, Variant> {
    let mut variants = BTreeMap::new();
    for dataset in experiment.parts.iter().flat_map(|part| &part.datasets) {
        let about = experiment.choices.iter().filter(|choice| choice.sets(dataset));
        for assignment in assignments(&about.collect::<Vec<_>>()) {
            let mut settings = experiment.settings(dataset);
            for (choice, option) in &assignment {
                settings.retain(|(name, _)| *name != choice.parameter);
                settings.push((choice.parameter.clone(), (*option).clone()));
            }
            let variant = Variant { dataset: dataset.clone(), settings };
            variants.insert(variant_name(dataset, &assignment), variant);
        }
    }
    variants
}

/// The name of the variant that trials with these options, `choice=option` joined by `;`, are run on.
pub fn variant_of(experiment: &Experiment, dataset: &str, choice: &str) -> String {
    let options = choice.split(';').filter_map(|option| option.split_once('='));
    named(
        dataset,
        options.filter_map(|(id, option)| {
            let mut choices = experiment.choices.iter();
            let choice = choices.find(|choice| choice.id == id && choice.sets(dataset))?;
            Some((choice.parameter.as_str(), option))
        }),
    )
}

fn variant_name(dataset: &str, assignment: &Assignment<'_>) -> String {
    let of_dataset = assignment.iter().filter(|(choice, _)| choice.sets(dataset));
    named(dataset, of_dataset.map(|(choice, option)| (choice.parameter.as_str(), option)))
}

fn named<'a>(
    dataset: &str,
    settings: impl Iterator<Item = (&'a str, impl std::fmt::Display)>,
) -> String {
    settings
        .fold(dataset.to_owned(), |name, (parameter, value)| format!("{name} {parameter}={value}"))
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

/// Plans an experiment. `facts` holds every dataset that it names, by the names of [`variants`].
pub fn plan(
    experiment: &Experiment,
    facts: &BTreeMap<String, DatasetFacts>,
    choices: WithChoices,
) -> Plan {
    let mut planner =
        Planner { plan: Plan { trials: Vec::new(), paths: Vec::new() }, seen: BTreeMap::new() };
    for (part_index, part) in experiment.parts.iter().enumerate() {
        for dataset in &part.datasets {
            for round in &facts[dataset].rounds[&part_index] {
                for method in &experiment.methods {
                    if !part.methods.contains(&method.id) {
                        continue;
                    }
                    let Some(entry) = method.entry else { continue };
                    let open = Open { method, dataset, repeat: round.repeat };
                    for assignment in assignments(&open.choices(&experiment.choices, choices)) {
                        let variant = variant_name(dataset, &assignment);
                        let place = Place {
                            part_index,
                            part,
                            dataset,
                            facts: &facts[&variant],
                            variant: &variant,
                            round,
                        };
                        planner.add(experiment.seed, &place, method, entry, &assignment);
                    }
                }
            }
        }
    }
    planner.plan
}

/// Where a method is run.
struct Place<'a> {
    part_index: usize,
    part: &'a Part,
    dataset: &'a str,
    variant: &'a str,
    facts: &'a DatasetFacts,
    round: &'a Round,
}

/// What choices may be open for.
#[derive(Clone, Copy)]
struct Open<'a> {
    method: &'a MethodSpec,
    dataset: &'a str,
    repeat: usize,
}

/// Options that differ from the chosen ones; empty for the baseline.
type Assignment<'a> = Vec<(&'a Choice, &'a Value)>;

impl Open<'_> {
    fn choices<'c>(&self, choices: &'c [Choice], with: WithChoices) -> Vec<&'c Choice> {
        let open = |choice: &&Choice| {
            with == WithChoices::Yes
                && choice.concerns(&self.method.id, self.dataset)
                && self.repeat < choice.repeats
        };
        choices.iter().filter(open).collect()
    }
}

/// The baseline, every other option of the choices alone, and every combination of those that are crossed.
fn assignments<'a>(choices: &[&'a Choice]) -> Vec<Assignment<'a>> {
    let mut all = vec![Vec::new()];
    let others = |choice: &'a Choice| {
        choice.options.iter().filter(|option| **option != choice.chosen).map(move |o| (choice, o))
    };
    for choice in choices.iter().filter(|choice| !choice.cross) {
        all.extend(others(choice).map(|option| vec![option]));
    }
    let mut crossed: Vec<Assignment<'a>> = vec![Vec::new()];
    for choice in choices.iter().filter(|choice| choice.cross) {
        let longer: Vec<Assignment<'a>> = crossed
            .iter()
            .flat_map(|shorter| {
                others(choice).map(move |option| {
                    let mut longer = shorter.clone();
                    longer.push(option);
                    longer
                })
            })
            .collect();
        crossed.extend(longer);
    }
    all.extend(crossed.into_iter().skip(1));
    all
}

struct Planner {
    plan: Plan,
    /// Paths already planned, by id: configurations that coincide run once.
    seen: BTreeMap<Digest, usize>,
}

impl Planner {
    fn add(
        &mut self,
        experiment_seed: u64,
        place: &Place<'_>,
        method: &MethodSpec,
        entry: &'static MethodEntry,
        assignment: &Assignment<'_>,
    ) {
        let round = place.round;
        let split = place.part.split.word();
        let split_fields = |purpose: &str| {
            let hasher = FieldHasher::new(purpose)
                .number(experiment_seed)
                .field(place.facts.digest.0)
                .field(&split);
            of_problem(hasher, round).number(round.repeat as u64)
        };
        let seed = split_fields("split").number(round.fold as u64).finish();
        let division_seed = split_fields("division").finish();
        let choice = assignment
            .iter()
            .map(|(choice, option)| format!("{}={option}", choice.id))
            .collect::<Vec<_>>()
            .join(";");
        let mut groups: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
        for sweep in crossed(&method.sweep) {
            for grid in crossed(&method.grid) {
                let mut parameters = method.parameters.clone();
                let set = sweep.iter().chain(&grid).map(|(name, value)| (name.as_str(), value));
                let of_method = assignment.iter().filter(|(choice, _)| !choice.sets(place.dataset));
                let options = of_method.map(|(c, option)| (c.parameter.as_str(), *option));
                set.chain(options).for_each(|(name, value)| parameters.set(name, value.clone()));
                let fixed: Vec<String> = parameters
                    .iter()
                    .filter(|(name, _)| !entry.along.contains(name))
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                let group = match groups.iter().position(|(key, _)| *key == fixed) {
                    Some(group) => group,
                    None => {
                        groups.push((fixed, Vec::new()));
                        groups.len() - 1
                    }
                };
                let previous = groups[group].1.last().map(|&last| self.plan.trials[last].key);
                let key = key(experiment_seed, place, &split, entry, &parameters, previous);
                groups[group].1.push(self.plan.trials.len());
                self.plan.trials.push(Trial {
                    key,
                    dataset: place.dataset.to_owned(),
                    variant: place.variant.to_owned(),
                    part: place.part.id.clone(),
                    problem: round.problem.name.clone(),
                    method: method.id.clone(),
                    split: split.clone(),
                    repeat: round.repeat,
                    fold: round.fold,
                    seed,
                    choice: choice.clone(),
                    kind: entry.kind,
                    revision: entry.revision,
                    data: place.facts.digest,
                    setting: place.part.setting(),
                    parameters,
                    sweep: sweep.clone(),
                    grid: grid.clone(),
                });
            }
        }
        for (_, trials) in groups {
            let id = trials
                .iter()
                .fold(FieldHasher::new("path"), |hasher, &trial| {
                    hasher.field(self.plan.trials[trial].key.0)
                })
                .finish();
            if self.seen.contains_key(&id) {
                continue;
            }
            self.seen.insert(id, self.plan.paths.len());
            let shape = place.facts.shape;
            let cost = trials
                .iter()
                .map(|&trial| (entry.cost)(&self.plan.trials[trial].parameters, &shape))
                .sum();
            let (part, problem) = (place.part_index, round.problem.clone());
            let path = Path { id, trials, part, entry, problem, division_seed, cost };
            self.plan.paths.push(path);
        }
    }
}

/// All combinations of the axes' values, the last axis fastest; one empty combination of no axes.
fn crossed(axes: &[Axis]) -> Vec<Vec<(String, Value)>> {
    axes.iter().fold(vec![Vec::new()], |shorter, axis| {
        shorter
            .iter()
            .flat_map(|combination| {
                axis.values.iter().map(move |value| {
                    let mut longer = combination.clone();
                    longer.push((axis.name.clone(), value.clone()));
                    longer
                })
            })
            .collect()
    })
}

/// The trial key. A trial that continues a path depends on the trial before it.
fn key(
    experiment_seed: u64,
    place: &Place<'_>,
    split: &str,
    entry: &MethodEntry,
    parameters: &Parameters,
    previous: Option<Digest>,
) -> Digest {
    let hasher = FieldHasher::new("trial")
        .field(place.facts.digest.0)
        .field(split)
        .number(place.round.repeat as u64)
        .number(place.round.fold as u64)
        .field(place.part.kind.word())
        .field(entry.kind)
        .number(u64::from(entry.revision))
        .number(experiment_seed);
    let hasher =
        parameters.iter().fold(of_problem(hasher, place.round), |hasher, (name, value)| {
            hasher.field(name).field(value.to_string())
        });
    let hasher = match place.part.setting() {
        setting if setting.is_empty() => hasher,
        setting => hasher.field("setting").field(setting),
    };
    previous.map(|key| key.0).into_iter().fold(hasher, FieldHasher::field).finish()
}

/// Adds the problem, where there are several.
fn of_problem(hasher: FieldHasher, round: &Round) -> FieldHasher {
    if round.problem.name.is_empty() { hasher } else { hasher.field(&round.problem.name) }
}
