//! What a method runs in each round of a problem: the points of its sweep and its grid, and which of them form a path.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use base::digest::{Digest, FieldHasher};
use contract::MethodEntry;
use contract::parameter::Value;
use data::inner::Inner;
use math::random::Random;
use spec::{Axis, MethodSpec, crossed};
use task::Problem;

use super::divided::{self, of_problem};
use super::{Assigned, Path, Place, Plan, Planner, variant_name};
use crate::record::{self, Setup, Trial};

/// A method with some options of choices on a problem: all points of its sweep and its grid.
pub(super) struct Configuration<'a> {
    experiment_seed: u64,
    at: Place<'a>,
    method: &'a MethodSpec,
    entry: &'static MethodEntry,
    problem: &'a Arc<Problem>,
    pub(super) repeats: Range<usize>,
    points: Vec<Point>,
    /// Bytes of memory of a fit.
    memory: u64,
}

/// A point of a sweep and a grid.
struct Point {
    setup: Arc<Setup>,
    /// The parameters as the key has them.
    parameters: Values,
    /// Expected cost in seconds.
    cost: f64,
    /// Those on one path have this number, and a place in it; those that coincide have the same place.
    group: usize,
    place: usize,
}

/// What trials on one path have in common: kind, method, setting, options of choices, program, repeats, and parameters but for
/// those along which trials feed each other. Methods of a kind that says so share paths.
pub(super) type Common = ([String; 4], Option<Digest>, [usize; 2], Values);

/// Parameters as a key has them.
pub(super) type Values = Vec<(String, String)>;

/// The trials of a path in a round, as far as they are planned.
pub(super) struct Group<'a> {
    first: &'a Configuration<'a>,
    division_seed: Digest,
    trials: Vec<usize>,
    cost: f64,
}

impl<'a> Planner<'a> {
    /// What a method with these options of choices, for these repeats, runs in each round of a problem.
    pub(super) fn configuration(
        &self,
        at: Place<'a>,
        problem: &'a Arc<Problem>,
        (method, entry): (&'a MethodSpec, &'static MethodEntry),
        (assignment, repeats): Assigned<'a>,
    ) -> Configuration<'a> {
        let experiment_seed = self.experiment.seed;
        let variant = variant_name(at.dataset, &assignment);
        let facts = &self.facts[&variant];
        let options = assignment.iter();
        let configuration = record::Configuration {
            dataset: at.dataset.clone(),
            part: at.part.id.clone(),
            problem: problem.name.as_str().into(),
            method: method.id.clone(),
            choice: options
                .map(|(choice, option)| (choice.id.clone(), option.to_string()))
                .collect(),
        };
        let setup = Setup {
            configuration,
            variant,
            split: at.part.split.word(),
            kind: entry.kind.into(),
            revision: entry.revision,
            data: facts.digest,
            setting: at.part.setting(method),
            parameters: method.parameters.clone(),
            sweep: Vec::new(),
            grid: Vec::new(),
        };
        let of_method = assignment.iter().filter(|(choice, _)| !choice.sets(at.dataset));
        let options: Vec<(&str, &Value)> =
            of_method.map(|(choice, option)| (choice.parameter.as_str(), *option)).collect();
        let fits = (1 + at.part.inner_of(method).map_or(0, Inner::rounds)) as f64;
        let mut points = Vec::new();
        let owned = |point: &[(&str, &Value)]| -> Vec<(String, Value)> {
            point.iter().map(|&(name, value)| (name.to_owned(), value.clone())).collect()
        };
        let grids = drawn(crossed(method.grid.iter().map(Axis::points)), method, experiment_seed);
        for sweep in crossed(method.sweep.iter().map(Axis::points)) {
            for grid in &grids {
                let mut setup = setup.clone();
                for &(name, value) in sweep.iter().chain(grid).chain(&options) {
                    setup.parameters.set(name, value.clone());
                }
                setup.parameters = setup.parameters.in_use(entry.parameters);
                let text = |(name, value): (&str, &Value)| (name.to_owned(), value.to_string());
                let parameters: Vec<_> = setup.parameters.iter().map(text).collect();
                let cost = fits * (entry.cost)(&setup.parameters, &facts.shape);
                (setup.sweep, setup.grid) = (owned(&sweep), owned(grid));
                points.push(Point { setup: Arc::new(setup), parameters, cost, group: 0, place: 0 });
            }
        }
        let memory = entry.memory.bytes(&facts.shape);
        Configuration { experiment_seed, at, method, entry, problem, repeats, points, memory }
    }
}

impl Configuration<'_> {
    /// Gives each point its group among those that there are, and its place in it.
    pub(super) fn join(&mut self, groups: &mut BTreeMap<Common, (usize, BTreeMap<Values, usize>)>) {
        let program = self.method.program.as_ref().map(|program| program.digest());
        let repeats = [self.repeats.start, self.repeats.end];
        for point in &mut self.points {
            let Setup { setting, configuration, .. } = &*point.setup;
            let record::Configuration { method, choice, .. } = configuration;
            let method = if self.entry.shares_paths { "" } else { method };
            let mut fixed = point.parameters.clone();
            fixed.retain(|(name, _)| !self.entry.along.contains(&name.as_str()));
            let names = [self.entry.kind, method, setting, &choice.to_string()].map(str::to_owned);
            let common = (names, program, repeats, fixed);
            let next = groups.len();
            let (group, places) = groups.entry(common).or_insert((next, BTreeMap::new()));
            let next = places.len();
            point.group = *group;
            point.place = *places.entry(point.parameters.clone()).or_insert(next);
        }
    }

    /// Adds its trials of one fold of one repeat, and puts them into their groups.
    pub(super) fn plan<'c>(
        &'c self,
        repeat: usize,
        fold: usize,
        plan: &mut Plan,
        groups: &mut BTreeMap<usize, Group<'c>>,
    ) {
        let Some(Point { setup: any, .. }) = self.points.first() else { return };
        let drawn = (self.experiment_seed, any.data, any.split.as_str());
        let seed_of = |purpose: &str| divided::seed_of(purpose, drawn, self.problem, repeat);
        let seed = seed_of("split").number(fold as u64).finish();
        let division_seed = seed_of("division").finish();
        for point in &self.points {
            let first = || Group { first: self, division_seed, trials: Vec::new(), cost: 0.0 };
            let group = groups.entry(point.group).or_insert_with(first);
            let key = match group.trials.get(point.place) {
                Some(&twin) => plan.trials[twin].key,
                None => {
                    let previous = group.trials.last().map(|&last| plan.trials[last].key);
                    group.trials.push(plan.trials.len());
                    group.cost += point.cost;
                    self.key(point, repeat, fold, previous)
                }
            };
            plan.trials.push(Trial { key, seed, repeat, fold, setup: point.setup.clone() });
        }
    }

    /// The trial key. A trial that continues a path depends on the trial before it.
    fn key(&self, point: &Point, repeat: usize, fold: usize, previous: Option<Digest>) -> Digest {
        let Setup { data, split, setting, .. } = &*point.setup;
        let hasher = FieldHasher::new("trial")
            .field(data.0)
            .field(split)
            .number(repeat as u64)
            .number(fold as u64)
            .field(self.at.part.task.word)
            .field(self.entry.kind)
            .number(u64::from(self.entry.revision))
            .number(self.experiment_seed);
        let parameters = point.parameters.iter().flat_map(|(name, value)| [name, value]);
        let hasher = parameters.fold(of_problem(hasher, self.problem), FieldHasher::field);
        let hasher = match setting.as_str() {
            "" => hasher,
            setting => hasher.field("setting").field(setting),
        };
        let hasher = match &self.method.program {
            Some(program) => hasher.field("program").field(program.digest().0),
            None => hasher,
        };
        previous.map(|key| key.0).into_iter().fold(hasher, FieldHasher::field).finish()
    }
}

impl Group<'_> {
    /// The path, with what its first configuration says of it.
    pub(super) fn path(self, planned: &[Trial]) -> Path {
        let Self { first, division_seed, mut trials, cost } = self;
        let hasher = FieldHasher::new("path");
        let id = trials.iter().fold(hasher, |hasher, &trial| hasher.field(planned[trial].key.0));
        trials.shrink_to_fit();
        Path {
            id: id.finish(),
            trials,
            part: first.at.index,
            entry: first.entry,
            program: first.method.program.clone(),
            inner: first.at.part.inner_of(first.method).copied(),
            problem: first.problem.clone(),
            division_seed,
            cost,
            memory: first.memory,
        }
    }
}

/// The points of a grid that are tried, in their order.
fn drawn<P: Clone>(points: Vec<P>, method: &MethodSpec, seed: u64) -> Vec<P> {
    let Some(count) = method.grid_sample else { return points };
    let stream = FieldHasher::new("points of a grid").number(seed).field(method.id.as_str());
    let mut order = Random::new(stream.finish()).permutation(points.len());
    order.truncate(count);
    order.sort_unstable();
    order.into_iter().map(|at| points[at].clone()).collect()
}
