//! Which examples get where, by chance, by class, by group or by time.

use std::collections::BTreeMap;
use std::ops::Range;

use base::digest::Digest;
use math::decimal::significant;
use math::random::Random;

use super::Dataset;

/// How examples that are divided by chance get to their part; by chance alone, unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dealt {
    /// So that each part has the classes in their proportions.
    pub stratified: bool,
    /// With all others of their group.
    pub grouped: bool,
}

impl Dealt {
    /// What it adds to the word of a split, and so to the keys of its trials. Groups were dealt out in another way once, as
    /// `-grouped`.
    pub fn suffix(self) -> &'static str {
        match (self.stratified, self.grouped) {
            (false, false) => "",
            (true, false) => "-stratified",
            (false, true) => "-by-group",
            (true, true) => "-stratified-by-group",
        }
    }
}

/// Which of the examples before a test set in time are for training; all of them, unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forward {
    /// At least so many of the last ones are for nothing.
    pub gap: usize,
    /// Only so many before those, and whoever is of the moment of the first.
    pub window: Option<usize>,
}

/// What the examples that take part are marked with; nothing where there are no marks.
fn marks(members: &[usize], marks: Option<&[u32]>) -> impl Iterator<Item = u32> {
    marks.into_iter().flat_map(move |marks| members.iter().map(move |&at| marks[at]))
}

/// The places of each group among the examples that take part.
pub(super) fn groups(dataset: &Dataset, members: &[usize]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, group) in marks(members, dataset.marks.groups.as_deref()).enumerate() {
        places.entry(group).or_default().push(place);
    }
    places.into_values().collect()
}

/// The class of each place, where classes are kept in proportion; else one for all.
fn classes(dataset: &Dataset, members: &[usize], dealt: Dealt) -> Vec<u32> {
    match dataset.targets.labels().filter(|_| dealt.stratified) {
        None => vec![0; members.len()],
        Some(labels) => marks(members, Some(&labels.of_example)).collect(),
    }
}

/// How many there are of each class.
fn counted<'c>(classes: impl Iterator<Item = &'c u32>) -> BTreeMap<u32, f64> {
    let mut counts = BTreeMap::new();
    classes.for_each(|&class| *counts.entry(class).or_default() += 1.0);
    counts
}

/// The fold of each place, so that a group is in one fold. Groups come in uniform order, so that seeds divide in as many
/// ways as there are, whatever the sizes. Each goes to the fold with the fewest rows; where classes are kept in
/// proportion, to the one where the sum of the squares of each class's shares in the folds grows least.
pub(super) fn fold_of_groups(
    dataset: &Dataset,
    members: &[usize],
    (folds, dealt): (usize, Dealt),
    seed: Digest,
) -> Vec<usize> {
    let classes = classes(dataset, members, dealt);
    let all = counted(classes.iter());
    let groups = groups(dataset, members);
    let mut filled = vec![BTreeMap::new(); folds];
    let mut fold_of = vec![0; classes.len()];
    for group in Random::new(seed).permutation(groups.len()) {
        let own = counted(groups[group].iter().map(|&place| &classes[place]));
        let growth = |fold: &usize| -> f64 {
            let there = |class| filled[*fold].get(class).unwrap_or(&0.0);
            own.iter().map(|(class, own)| there(class) * own / (all[class] * all[class])).sum()
        };
        let rows = |fold: &usize| filled[*fold].values().sum::<f64>();
        let fewest = |one: &usize, other: &usize| {
            growth(one).total_cmp(&growth(other)).then(rows(one).total_cmp(&rows(other)))
        };
        let fold = (0..folds).min_by(fewest).unwrap_or(0);
        own.iter().for_each(|(class, own)| *filled[fold].entry(*class).or_default() += own);
        groups[group].iter().for_each(|&place| fold_of[place] = fold);
    }
    fold_of
}

/// Examples in the order of their times. Those of one moment stay together.
pub(super) struct InTime {
    /// The places of examples.
    order: Vec<usize>,
    /// The time of each, in this order.
    times: Vec<u32>,
    forward: Forward,
}

impl InTime {
    pub(super) fn new(dataset: &Dataset, members: &[usize], forward: Forward) -> Self {
        let times: Vec<u32> = marks(members, dataset.marks.times.as_deref()).collect();
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by_key(|&place| times[place]);
        let times = order.iter().map(|&place| times[place]).collect();
        Self { order, times, forward }
    }

    /// Whether a moment begins there, or all end.
    fn begins(&self, at: usize) -> bool {
        at == 0 || at >= self.times.len() || self.times[at - 1] != self.times[at]
    }

    fn moment_until(&self, at: usize) -> usize {
        (0..=at).rev().find(|&at| self.begins(at)).unwrap_or(0)
    }

    /// Where each of `folds` + 1 blocks of about equal size ends.
    fn ends(&self, folds: usize) -> Vec<usize> {
        let all = self.times.len();
        let end = |block: usize| {
            let end = (block + 1) * all / (folds + 1);
            (end..all).find(|&at| self.begins(at)).unwrap_or(all)
        };
        (0..=folds).map(end).collect()
    }

    /// What is trained on before those that are tested from there on.
    fn before(&self, tested: usize) -> Range<usize> {
        let end = self.moment_until(tested.saturating_sub(self.forward.gap));
        let window = self.forward.window;
        window.map_or(0, |window| self.moment_until(end.saturating_sub(window)))..end
    }

    /// The places of what is trained on and of what is tested, of each fold.
    pub(super) fn folds(&self, folds: usize) -> impl Iterator<Item = (&[usize], &[usize])> {
        let ends = self.ends(folds);
        (0..folds).map(move |fold| {
            let (tested, end) = (ends[fold], ends[fold + 1]);
            (&self.order[self.before(tested)], &self.order[tested..end])
        })
    }

    /// The places of what is trained on, and of the last `share` that is tested.
    pub(super) fn last(&self, share: f64) -> (&[usize], &[usize]) {
        let all = self.order.len();
        let tested = self.moment_until(all - nearest(share, all));
        (&self.order[self.before(tested)], &self.order[tested..])
    }
}

/// The nearest number of examples to a share.
pub(super) fn nearest(share: f64, examples: usize) -> usize {
    (share * examples as f64).round() as usize
}

/// How many of so many examples, or groups, a share is: of groups, which are few, rounded up, as scikit-learn's
/// `GroupShuffleSplit` has it.
pub(super) fn wanted(share: f64, units: usize, dealt: Dealt) -> usize {
    if dealt.grouped {
        return significant(share * units as f64, 12).ceil() as usize;
    }
    nearest(share, units)
}

/// Which of the examples that take part are of a share of them, or of the groups that they are in. Each group is in it as
/// probably as any other, so of unequal ones the share of examples varies.
pub(super) fn share(
    dataset: &Dataset,
    members: &[usize],
    (share, dealt): (f64, Dealt),
    seed: Digest,
) -> Vec<bool> {
    let all = members.len();
    let units = match dealt.grouped {
        true => groups(dataset, members),
        false => (0..all).map(|place| vec![place]).collect(),
    };
    let count = units.len();
    let wanted = wanted(share, count, dealt);
    let mut order = Random::new(seed).permutation(count);
    if dealt.stratified {
        // At equal distances from all in random order, class by class; a group is of its most frequent class.
        let classes = classes(dataset, members, dealt);
        order.sort_by_cached_key(|&unit| {
            let counts = counted(units[unit].iter().map(|&place| &classes[place]));
            // Of equally frequent ones the first.
            counts
                .into_iter()
                .rev()
                .max_by(|one, other| one.1.total_cmp(&other.1))
                .map(|(class, _)| class)
        });
        let before = |at: usize| at * wanted / count;
        order = (0..count).filter(|&at| before(at + 1) > before(at)).map(|at| order[at]).collect();
    }
    let mut taken = vec![false; all];
    let places = order.iter().take(wanted).flat_map(|&unit| &units[unit]);
    places.for_each(|&place| taken[place] = true);
    taken
}
