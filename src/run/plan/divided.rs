//! What the divisions of a dataset come to, before anything runs: which can't be made, which repeats coincide, and what a
//! person should know of them.

use std::collections::{BTreeMap, BTreeSet};

use base::digest::{Digest, FieldHasher};
use base::text::real;
use data::split::{Division, SplitError, SplitPlan};
use data::{Dataset, Labels};
use math::decimal::significant;
use math::sample::Sample;
use spec::Part;
use task::Problem;

/// What a part's divisions of a dataset come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Divided {
    /// Repeats that divide the examples as an earlier one does, ascending. They do not run: they would be counted twice.
    pub coinciding: Vec<usize>,
    /// What a person should know.
    pub remarks: Vec<Remark>,
}

/// What a person should know of how examples are divided.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
pub enum Remark {
    /// So many repeats of all are divisions of their own.
    #[display("{_0} of {_1} repeats run, for the others divide as one of these does")]
    Distinct(usize, usize),
    /// The least, the mean and the greatest share of examples that are tested, where groups are whole.
    #[display(
        "{} to {} of the examples are tested, {} in the mean",
        short(_0[0]), short(_0[2]), short(_0[1])
    )]
    Tested([f64; 3]),
    /// A class that no training example of the published split has.
    #[display("no training example is of the class `{_0}`")]
    Untrained(String),
    /// A class that not every fold can have.
    #[display("too few {what} of class `{class}` for each fold of {word}: {count}")]
    Rare {
        /// Its name.
        class: String,
        /// How many examples, or groups, it has.
        count: usize,
        /// Which of them.
        what: &'static str,
        /// The folds, in one word.
        word: String,
    },
}

fn short(share: f64) -> String {
    real(significant(share, 3))
}

/// The seed of what a repeat draws for one purpose.
pub(super) fn seed_of(
    purpose: &str,
    (experiment_seed, data, split): (u64, Digest, &str),
    problem: &Problem,
    repeat: usize,
) -> FieldHasher {
    let hasher = FieldHasher::new(purpose).number(experiment_seed).field(data.0).field(split);
    of_problem(hasher, problem).number(repeat as u64)
}

/// Adds the problem, where there are several.
pub(super) fn of_problem(hasher: FieldHasher, problem: &Problem) -> FieldHasher {
    match problem.name.as_str() {
        "" => hasher,
        name => hasher.field(name),
    }
}

/// What the divisions of these problems of a dataset come to. Where groups are whole each repeat is looked at, else the
/// first: the sizes of all are the same.
///
/// # Errors
/// If the examples can't be divided, or what trains of them not again.
pub(super) fn divided(
    dataset: &Dataset,
    part: &Part,
    problems: &[(Problem, Vec<usize>)],
    experiment_seed: u64,
) -> Result<Divided, SplitError> {
    let whole = part.split.dealt().grouped;
    let repeats = part.all_repeats();
    let looked_at = if whole { repeats } else { usize::from(part.inner.is_some()) };
    let (mut seen, mut coinciding, mut shares) = (BTreeSet::new(), Vec::new(), Vec::new());
    for repeat in 0..looked_at {
        let mut tested = FieldHasher::new("divisions");
        for (problem, members) in problems {
            let drawn = (experiment_seed, dataset.digest, &*part.split.word());
            let seed = seed_of("division", drawn, problem, repeat).finish();
            let tests = tested_in(dataset, part, members, seed)?;
            for (test, share) in tests {
                shares.push(share);
                tested =
                    tested.field(test.iter().flat_map(|at| at.to_le_bytes()).collect::<Vec<_>>());
            }
        }
        if !seen.insert(tested.finish()) {
            coinciding.push(repeat);
        }
    }
    let mut remarks = rare(dataset, part);
    shares.sort_by(f64::total_cmp);
    if let (true, [least, ..], [.., greatest]) = (whole, &shares[..], &shares[..]) {
        let mean = shares.iter().copied().collect::<Sample>().mean;
        remarks.push(Remark::Tested([*least, mean, *greatest]));
    }
    if !coinciding.is_empty() {
        remarks.push(Remark::Distinct(repeats - coinciding.len(), repeats));
    }
    Ok(Divided { coinciding, remarks })
}

/// The test sets of all folds, in order, and which share of the examples each is. What trains can be divided again.
fn tested_in(
    dataset: &Dataset,
    part: &Part,
    members: &[usize],
    seed: Digest,
) -> Result<BTreeMap<Vec<usize>, f64>, SplitError> {
    let tested = (0..part.split.folds(dataset, members.len())).map(|fold| {
        let Division { train, test, .. } = part.split.divide(dataset, members, seed, fold)?;
        part.inner.iter().try_for_each(|inner| inner.check(dataset, &train))?;
        let share = test.len() as f64 / (train.len() + test.len()) as f64;
        Ok((test, share))
    });
    tested.collect()
}

/// The classes that have too few examples, or groups: none to train on, or fewer than there are folds.
fn rare(dataset: &Dataset, part: &Part) -> Vec<Remark> {
    let Some(Labels { classes, of_example }) = dataset.targets.labels() else { return Vec::new() };
    let groups = dataset.marks.groups.as_ref().filter(|_| part.split.dealt().grouped);
    let what = if groups.is_some() { "groups" } else { "examples" };
    let mut units = vec![BTreeSet::new(); classes.len()];
    for (example, &class) in of_example.iter().enumerate() {
        units[class as usize].insert(groups.map_or(example, |groups| groups[example] as usize));
    }
    let mut all = Vec::new();
    if let SplitPlan::CrossValidation { folds, .. } = part.split {
        all.push((folds, part.split.word()));
    }
    if let Some(inner) = &part.inner {
        all.extend(inner.split.own_folds().map(|folds| (folds, inner.word())));
    }
    let mut remarks = Vec::new();
    if let SplitPlan::Published = part.split {
        let untrained = dataset.untrained().into_iter();
        remarks.extend(untrained.map(|class| Remark::Untrained(class.to_owned())));
    }
    for (folds, word) in all {
        let few = classes.iter().zip(&units).filter(|(_, units)| units.len() < folds);
        remarks.extend(few.map(|(class, units)| {
            let (class, word) = (class.clone(), word.clone());
            Remark::Rare { class, count: units.len(), what, word }
        }));
    }
    remarks
}
