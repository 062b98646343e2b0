//! In which order paths are executed.
//!
//! First those with labels that are drawn once, since others would overwrite what a method remembers of these. Then one
//! path of every method on every dataset, since what they took tells how long the rest will take; then the rest. Costly
//! ones begin before cheap ones, so that none of them runs alone at the end. Costs are rough: within a factor of two they
//! count as equal, and of equal ones methods and datasets take turns.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use data::split::SplitPlan;
use spec::{Experiment, LabelsMet};

use super::plan::{Path, Plan};
use super::pool::draw_id;

/// The paths in the order in which they are to begin.
pub fn order<'a>(experiment: &Experiment, plan: &Plan, paths: &[&'a Path]) -> VecDeque<&'a Path> {
    let mut turns: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut queue = Vec::with_capacity(paths.len());
    for &path in paths {
        let setup = &plan.trials[path.trials[0]].setup;
        let turn = turns.entry((&setup.method, &setup.dataset)).or_default();
        let others = experiment.parts[path.part].labels != LabelsMet::Drawn;
        queue.push(((others, *turn > 0, Reverse(magnitude(path.cost)), *turn), path));
        *turn += 1;
    }
    queue.sort_by_key(|&(key, _)| key);
    let queue: Vec<&Path> = queue.into_iter().map(|(_, path)| path).collect();
    draws_together(experiment, plan, queue)
}

/// The exponent of a cost to the base of two; 0 for what is no positive number.
fn magnitude(cost: f64) -> u64 {
    if cost > 0.0 { cost.to_bits() >> (f64::MANTISSA_DIGITS - 1) } else { 0 }
}

/// Paths of one draw of a dataset follow the first of them, so that not all draws are held at once.
fn draws_together<'a>(
    experiment: &Experiment,
    plan: &Plan,
    queue: Vec<&'a Path>,
) -> VecDeque<&'a Path> {
    let mut firsts = BTreeMap::new();
    let place = |(at, path): (usize, &'a Path)| {
        let part = &experiment.parts[path.part];
        let redrawn = matches!(part.split, SplitPlan::Redrawn { .. });
        let draw = draw_id(part, &plan.trials[path.trials[0]]);
        (if redrawn { *firsts.entry(draw).or_insert(at) } else { at }, path)
    };
    let mut placed: Vec<(usize, &Path)> = queue.into_iter().enumerate().map(place).collect();
    placed.sort_by_key(|&(at, _)| at);
    placed.into_iter().map(|(_, path)| path).collect()
}
