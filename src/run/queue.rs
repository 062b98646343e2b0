//! In which order paths are executed.
//!
//! First those with labels that are drawn once, since others would overwrite what a method remembers of these. Then one
//! path of every method on every dataset, since what they took tells how long the rest will take; then the rest. Costly
//! ones begin before cheap ones, so that none of them runs alone at the end. Costs are rough: within a factor of two they
//! count as equal, and of equal ones methods and datasets take turns. What shares a division of many stays together.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use contract::{DatasetId, MethodId};
use data::split::SplitPlan;
use spec::LabelsMet;

use super::plan::Path;
use super::pool::{DrawId, Pool, SplitId, divides_anew, draw_id, split_id};

/// The paths in the order in which they are to begin.
pub fn order<'a>(pool: &Pool<'a>, paths: &[&'a Path]) -> VecDeque<&'a Path> {
    let mut turns: BTreeMap<(&MethodId, &DatasetId), usize> = BTreeMap::new();
    let mut queue = Vec::with_capacity(paths.len());
    for &path in paths {
        let (part, trial) = pool.of(path);
        let turn = turns.entry((&trial.setup.method, &trial.setup.dataset)).or_default();
        let others = part.labels != LabelsMet::Drawn;
        queue.push(((others, *turn > 0, Reverse(magnitude(path.cost)), *turn), path));
        *turn += 1;
    }
    queue.sort_by_key(|&(key, _)| key);
    let queue = queue.into_iter().map(|((_, further, ..), path)| (further, path));
    together(pool, queue)
}

/// The exponent of a cost to the base of two; 0 for what is no positive number.
fn magnitude(cost: f64) -> u64 {
    if cost > 0.0 { cost.to_bits() >> (f64::MANTISSA_DIGITS - 1) } else { 0 }
}

/// What is held in memory as long as a path that shares it is to come.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Held<'a> {
    Draw(DrawId<'a>),
    Division(SplitId<'a>),
}

/// Paths of one draw of a dataset, or of one division of many, follow the first of them, so that not all are held at once;
/// but for the first path of each method.
fn together<'a>(
    pool: &Pool<'a>,
    queue: impl Iterator<Item = (bool, &'a Path)>,
) -> VecDeque<&'a Path> {
    let mut firsts = BTreeMap::new();
    let place = |(at, (further, path)): (usize, (bool, &'a Path))| {
        let (part, trial) = pool.of(path);
        let held = match part.split {
            SplitPlan::Redrawn { .. } => Some(Held::Draw(draw_id(part, trial))),
            _ if further && divides_anew(part) => Some(Held::Division(split_id(part, trial))),
            _ => None,
        };
        (held.map_or(at, |held| *firsts.entry(held).or_insert(at)), path)
    };
    let mut placed: Vec<(usize, &Path)> = queue.enumerate().map(place).collect();
    placed.sort_by_key(|&(at, _)| at);
    placed.into_iter().map(|(_, path)| path).collect()
}
