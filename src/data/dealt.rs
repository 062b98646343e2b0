//! Which examples get where, by chance, by class, by group or by time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use base::digest::Digest;
use math::random::Random;

use super::Dataset;
use super::marks::Marks;

/// How examples that are divided by chance get to their part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dealt {
    /// By chance alone.
    Evenly,
    /// So that each part has the classes in their proportions.
    ByClass,
    /// With all others of their group.
    ByGroup,
}

impl Dealt {
    /// What it adds to the word of a split.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Evenly => "",
            Self::ByClass => "-stratified",
            Self::ByGroup => "-grouped",
        }
    }
}

/// In which order examples are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By chance.
    Random(Dealt),
    /// The later ones first.
    InTime,
}

/// The examples of a dataset that take part.
#[derive(Debug, Clone, Copy)]
pub enum Members<'a> {
    /// All of them.
    All,
    /// These, ascending: those of a problem's classes.
    Some(&'a [usize]),
}

impl Members<'_> {
    pub(super) fn count(self, dataset: &Dataset) -> usize {
        match self {
            Self::All => dataset.examples.len(),
            Self::Some(examples) => examples.len(),
        }
    }

    pub(super) fn example(self, index: usize) -> usize {
        match self {
            Self::All => index,
            Self::Some(examples) => examples[index],
        }
    }
}

/// How many of the examples that take part each group has.
pub(super) fn sizes(groups: &[u32], members: Members<'_>, examples: usize) -> BTreeMap<u32, usize> {
    let mut sizes = BTreeMap::new();
    for index in 0..examples {
        *sizes.entry(groups[members.example(index)]).or_default() += 1;
    }
    sizes
}

/// The fold of each example, so that a group is in one fold: the groups, the largest first and else in random order, each
/// go to the fold that has least.
pub(super) fn fold_of_groups(
    groups: &[u32],
    members: Members<'_>,
    examples: usize,
    folds: usize,
    seed: Digest,
) -> Vec<usize> {
    let known: Vec<(u32, usize)> = sizes(groups, members, examples).into_iter().collect();
    let mut order = Random::new(seed).permutation(known.len());
    order.sort_by_key(|&at| Reverse(known[at].1));
    let mut filled = vec![0; folds];
    let mut fold_of = BTreeMap::new();
    for (group, size) in order.into_iter().map(|at| known[at]) {
        let least = (0..folds).min_by_key(|&fold| filled[fold]).unwrap_or(0);
        filled[least] += size;
        fold_of.insert(group, least);
    }
    (0..examples).map(|index| fold_of[&groups[members.example(index)]]).collect()
}

/// The examples in the order of their times, and where each of `folds` + 1 blocks of equal size ends. Examples of one
/// moment are in one block.
pub(super) fn blocks_in_time(
    times: &[u32],
    members: Members<'_>,
    examples: usize,
    folds: usize,
) -> (Vec<usize>, Vec<usize>) {
    let time = |index: &usize| times[members.example(*index)];
    let mut order: Vec<usize> = (0..examples).collect();
    order.sort_by_key(time);
    let end = |block: usize| {
        let mut end = (block + 1) * examples / (folds + 1);
        while end < examples && end > 0 && time(&order[end - 1]) == time(&order[end]) {
            end += 1;
        }
        end
    };
    let ends = (0..=folds).map(end).collect();
    (order, ends)
}

/// The nearest number of examples to a share.
pub fn nearest(share: f64, examples: usize) -> usize {
    (share * examples as f64).round() as usize
}

/// Which of the examples that take part are of a share of them. Those of a group, or of a moment, are so all or not at
/// all, so there may be somewhat more.
pub(super) fn share(
    dataset: &Dataset,
    members: Members<'_>,
    share: f64,
    order: Order,
    seed: Digest,
) -> Vec<bool> {
    let all = members.count(dataset);
    let wanted = nearest(share, all);
    let mut places = Random::new(seed).permutation(all);
    let of = |marks: &[u32], at: usize| marks[members.example(at)];
    let together = match (order, dataset.targets.labels(), &dataset.marks) {
        (Order::Random(Dealt::ByClass), Some(labels), _) => {
            // At equal distances from all in random order, class by class.
            places.sort_by_key(|&at| of(&labels.of_example, at));
            let before = |place: usize| place * wanted / all;
            places =
                (0..all).filter(|&at| before(at + 1) > before(at)).map(|at| places[at]).collect();
            None
        }
        (Order::Random(Dealt::ByGroup), _, Marks { groups: Some(groups), .. }) => {
            // Groups by their first example in random order.
            let mut first = BTreeMap::new();
            for (place, &at) in places.iter().enumerate() {
                first.entry(of(groups, at)).or_insert(place);
            }
            places.sort_by_key(|&at| first[&of(groups, at)]);
            Some(groups)
        }
        (Order::InTime, _, Marks { times: Some(times), .. }) => {
            places = (0..all).collect();
            places.sort_by_key(|&at| Reverse(of(times, at)));
            Some(times)
        }
        _ => None,
    };
    let mut taken = vec![false; all];
    for (count, &at) in places.iter().enumerate() {
        let belongs = |marks: &Vec<u32>| count > 0 && of(marks, at) == of(marks, places[count - 1]);
        if count >= wanted && !together.is_some_and(belongs) {
            break;
        }
        taken[at] = true;
    }
    taken
}
