//! What the plan needs to know of a dataset: its size, and which rounds it makes of every part.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::digest::Digest;
use contract::{DatasetId, Shape};
use data::Dataset;
use data::generate::Generator;
use data::split::{SplitError, SplitPlan};
use data::vocabulary::Role;
use spec::{Experiment, Part};
use task::{Problem, Traits};

use super::TooMany;
use super::blocks::RanksOfBlocks;
use super::divided::{Divided, divided};
use super::kept::TooLarge;
use super::rounds::Rounds;

/// What the plan needs to know of a dataset.
#[derive(Debug, Clone)]
pub struct DatasetFacts {
    /// Digest of the parsed content.
    pub digest: Digest,
    /// Its size.
    pub shape: Shape,
    /// What its trials are over in every part that uses it, by part index.
    pub rounds: BTreeMap<usize, Rounds>,
}

base::one_of! {
    /// An experiment asks a dataset for what it has not.
    pub enum Unsuited {
        /// It can't be divided so.
        Split(SplitError),
        /// The task can do nothing with it.
        Task(task::Unsuited),
        /// A test would rank means of blocks of its examples.
        Ranks(RanksOfBlocks),
        /// What is kept of it is too large.
        Kept(TooLarge),
        /// It has too many classes.
        TooMany(TooMany),
    } or {}
}

impl DatasetFacts {
    /// The facts of one dataset for an experiment of at most so many trials.
    ///
    /// # Errors
    /// If a part's task or split makes no sense for the dataset, or its classes make more problems.
    pub fn of(dataset: &Dataset, experiment: &Experiment, most: u64) -> Result<Self, Unsuited> {
        let id = DatasetId::from(dataset.id.as_str());
        // What can't be divided is refused by its part.
        let tested = |part: &Part| part.split.tested(dataset).unwrap_or(0);
        RanksOfBlocks::check(experiment, &id, tested)?;
        let mut rounds = BTreeMap::new();
        for (index, part) in experiment.parts.iter().enumerate() {
            if part.datasets.contains(&id) {
                rounds.insert(index, rounds_of(dataset, part, experiment.seed, most)?);
            }
        }
        TooLarge::check(experiment, &id, &rounds, tested)?;
        Ok(Self { digest: dataset.digest, shape: Shape::of(&dataset.examples), rounds })
    }

    /// The facts of a generated dataset without drawing its examples; none if they depend on them.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_generated(
        id: &DatasetId,
        generator: &Generator,
        experiment: &Experiment,
    ) -> Result<Option<Self>, Unsuited> {
        let mut rounds = BTreeMap::new();
        let classes: Vec<String> =
            generator.classes().iter().map(|&class| class.to_owned()).collect();
        for (index, part) in experiment.parts.iter().enumerate() {
            if !part.datasets.contains(id) {
                continue;
            }
            (part.task.suits)(&Traits::of_generated(id, generator, &classes), &part.settings)?;
            if !matches!(part.split, SplitPlan::Published | SplitPlan::Redrawn { .. })
                || part.inner.is_some()
                || (part.task.problem_count)(classes.len(), &part.settings) > 1
            {
                return Ok(None);
            }
            let repeats = part.all_repeats();
            let problems = (part.task.problems)(&classes, &part.settings);
            let problems = problems.into_iter().map(|problem| (Arc::new(problem), 1)).collect();
            rounds.insert(index, Rounds { problems, repeats, divided: Divided::default() });
        }
        let drawn = generator.shape();
        let tested = |_: &Part| drawn.rows.of(Role::Test);
        RanksOfBlocks::check(experiment, id, tested)?;
        TooLarge::check(experiment, id, &rounds, tested)?;
        let (examples, variables) = (drawn.rows.total(), drawn.variables);
        let shape = Shape { examples, variables, entries: examples * variables / 2 };
        Ok(Some(Self { digest: generator.digest(), shape, rounds }))
    }
}

/// The problems of a dataset in a part, at most so many.
///
/// # Errors
/// If the task can do nothing with the dataset, or it has too many classes.
pub fn problems(dataset: &Dataset, part: &Part, most: u64) -> Result<Vec<Problem>, Unsuited> {
    let traits = Traits::of(dataset);
    (part.task.suits)(&traits, &part.settings)?;
    let classes = traits.classes;
    let what = || format!("the problems of the {} classes of `{}`", classes.len(), dataset.id);
    TooMany::check((part.task.problem_count)(classes.len(), &part.settings), most, what)?;
    Ok((part.task.problems)(classes, &part.settings))
}

/// The examples of a problem's classes, ascending; of the only problem all.
pub fn members(dataset: &Dataset, problem: &Problem) -> Vec<usize> {
    let all = 0..dataset.examples.len();
    match dataset.targets.labels().filter(|_| !problem.name.is_empty()) {
        None => all.collect(),
        Some(labels) => {
            all.filter(|&at| problem.classes.contains(&labels.of_example[at])).collect()
        }
    }
}

fn rounds_of(
    dataset: &Dataset,
    part: &Part,
    experiment_seed: u64,
    most: u64,
) -> Result<Rounds, Unsuited> {
    let repeats = part.all_repeats();
    let with_members = |problem| {
        let members = members(dataset, &problem);
        (problem, members)
    };
    let problems: Vec<(Problem, Vec<usize>)> =
        problems(dataset, part, most)?.into_iter().map(with_members).collect();
    let mut folds = Vec::with_capacity(problems.len());
    for (_, members) in &problems {
        part.split.check(dataset, members)?;
        folds.push(part.split.folds(dataset, members.len()));
    }
    if part.split.dealt().grouped {
        // Each is looked at.
        let divisions = (repeats as u64).saturating_mul(folds.iter().sum::<usize>() as u64);
        TooMany::check(divisions, most, || "the experiment".to_owned())?;
    }
    let divided = divided(dataset, part, &problems, experiment_seed)?;
    let problems = problems.into_iter().map(|(problem, _)| Arc::new(problem));
    Ok(Rounds { problems: problems.zip(folds).collect(), repeats, divided })
}

#[cfg(test)]
mod tests {
    use contract::{BinaryRows, Examples};
    use data::{Labels, Targets};

    use super::*;

    #[test]
    fn a_problem_has_the_examples_of_its_classes_and_the_only_one_has_all() {
        let mut rows = BinaryRows::new(1);
        (0..5).for_each(|_| rows.push(&[0]));
        let classes = ["a", "b", "c"].map(str::to_owned).to_vec();
        let labels = Labels { classes, of_example: vec![2, 0, 1, 0, 2] };
        let targets = Targets::Classes(labels);
        let dataset = Dataset {
            targets,
            ..Dataset::new("five", Digest::of(b"five"), Examples::Binary(rows))
        };
        let problem = |name: &str, classes: &[u32]| Problem {
            name: name.to_owned(),
            classes: classes.to_vec(),
        };
        assert_eq!(members(&dataset, &problem("a-c", &[0, 2])), [0, 1, 3, 4]);
        assert_eq!(members(&dataset, &problem("", &[0, 1, 2])), [0, 1, 2, 3, 4]);
    }
}
