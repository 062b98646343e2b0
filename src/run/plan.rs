//! Which trials an experiment consists of, and which of them form a path.

use std::collections::BTreeMap;

use crate::data::Dataset;
use crate::data::split::{Members, SplitError};
use crate::math::digest::{Digest, FieldHasher};
use crate::method::parameter::{Parameters, Value};
use crate::method::{MethodEntry, Shape};
use crate::spec::{Axis, Choice, Experiment, MethodSpec, Part};

use super::record::Trial;

/// All trials of an experiment, and the paths in which they are executed.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Trials in the order of the file: part, dataset, repeat, fold, method, choice, sweep, grid.
    pub trials: Vec<Trial>,
    /// Every trial stands in exactly one path, or shares its key with one that does.
    pub paths: Vec<Path>,
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
    /// Seed of the division into training, validation and test examples.
    pub division_seed: Digest,
    /// Expected cost in seconds, very roughly; only the order matters.
    pub cost: f64,
}

/// What the plan needs to know of a parsed dataset.
#[derive(Debug, Clone)]
pub struct DatasetFacts {
    /// Digest of the parsed content.
    pub digest: Digest,
    /// Its size.
    pub shape: Shape,
    /// The (repeat, fold) pairs of every part that uses it, by part index.
    pub rounds: BTreeMap<usize, Vec<(usize, usize)>>,
}

impl DatasetFacts {
    /// The facts of one dataset for an experiment.
    ///
    /// # Errors
    /// If a part's split makes no sense for the dataset.
    pub fn of(dataset: &Dataset, experiment: &Experiment) -> Result<Self, SplitError> {
        let mut rounds = BTreeMap::new();
        for (index, part) in experiment.parts.iter().enumerate() {
            if part.datasets.contains(&dataset.id) {
                part.split.check(dataset, Members::All)?;
                let pairs = part.split.pairs(dataset, Members::All, part.repeats);
                rounds.insert(index, pairs.collect());
            }
        }
        Ok(Self { digest: dataset.digest, shape: Shape::of(dataset), rounds })
    }
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

/// Plans an experiment. `facts` holds every dataset that it names.
pub fn plan(
    experiment: &Experiment,
    facts: &BTreeMap<String, DatasetFacts>,
    choices: WithChoices,
) -> Plan {
    let mut planner =
        Planner { plan: Plan { trials: Vec::new(), paths: Vec::new() }, seen: BTreeMap::new() };
    for (part_index, part) in experiment.parts.iter().enumerate() {
        for dataset in &part.datasets {
            let facts = &facts[dataset];
            for &(repeat, fold) in &facts.rounds[&part_index] {
                let round = Round { part_index, part, dataset, facts, repeat, fold };
                for method in &experiment.methods {
                    if !part.methods.contains(&method.id) {
                        continue;
                    }
                    let Some(entry) = method.entry else { continue };
                    for assignment in assignments(&experiment.choices, method, &round, choices) {
                        planner.add(experiment.seed, &round, method, entry, &assignment);
                    }
                }
            }
        }
    }
    planner.plan
}

/// One (part, dataset, repeat, fold).
struct Round<'a> {
    part_index: usize,
    part: &'a Part,
    dataset: &'a str,
    facts: &'a DatasetFacts,
    repeat: usize,
    fold: usize,
}

/// Options that differ from the chosen ones; empty for the baseline.
type Assignment<'a> = Vec<(&'a Choice, &'a Value)>;

fn assignments<'a>(
    choices: &'a [Choice],
    method: &MethodSpec,
    round: &Round<'_>,
    with: WithChoices,
) -> Vec<Assignment<'a>> {
    let mut all = vec![Vec::new()];
    if with == WithChoices::No {
        return all;
    }
    let open: Vec<&Choice> = choices
        .iter()
        .filter(|choice| {
            choice.methods.contains(&method.id)
                && choice.datasets.iter().any(|id| id == round.dataset)
                && round.repeat < choice.repeats
        })
        .collect();
    let others = |choice: &'a Choice| {
        choice.options.iter().filter(|option| **option != choice.chosen).map(move |o| (choice, o))
    };
    for choice in open.iter().filter(|choice| !choice.cross) {
        all.extend(others(choice).map(|option| vec![option]));
    }
    let mut crossed: Vec<Assignment<'a>> = vec![Vec::new()];
    for choice in open.iter().filter(|choice| choice.cross) {
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
        round: &Round<'_>,
        method: &MethodSpec,
        entry: &'static MethodEntry,
        assignment: &Assignment<'_>,
    ) {
        let split = round.part.split.word();
        let split_fields = |purpose: &str| {
            FieldHasher::new(purpose)
                .number(experiment_seed)
                .field(round.facts.digest.0)
                .field(&split)
                .number(round.repeat as u64)
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
                let options = assignment.iter().map(|(c, option)| (c.parameter.as_str(), *option));
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
                let key = key(experiment_seed, round, &split, entry, &parameters, previous);
                groups[group].1.push(self.plan.trials.len());
                self.plan.trials.push(Trial {
                    key,
                    dataset: round.dataset.to_owned(),
                    part: round.part.id.clone(),
                    problem: String::new(),
                    method: method.id.clone(),
                    split: split.clone(),
                    repeat: round.repeat,
                    fold: round.fold,
                    seed,
                    choice: choice.clone(),
                    kind: entry.kind,
                    revision: entry.revision,
                    data: round.facts.digest,
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
            let cost = trials
                .iter()
                .map(|&trial| (entry.cost)(&self.plan.trials[trial].parameters, &round.facts.shape))
                .sum();
            let part = round.part_index;
            self.plan.paths.push(Path { id, trials, part, entry, division_seed, cost });
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
    round: &Round<'_>,
    split: &str,
    entry: &MethodEntry,
    parameters: &Parameters,
    previous: Option<Digest>,
) -> Digest {
    let hasher = FieldHasher::new("trial")
        .field(round.facts.digest.0)
        .field(split)
        .number(round.repeat as u64)
        .number(round.fold as u64)
        .field(round.part.kind.word())
        .field(entry.kind)
        .number(u64::from(entry.revision))
        .number(experiment_seed);
    let hasher = parameters
        .iter()
        .fold(hasher, |hasher, (name, value)| hasher.field(name).field(value.to_string()));
    previous.map(|key| key.0).into_iter().fold(hasher, FieldHasher::field).finish()
}
