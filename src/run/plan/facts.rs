//! What the plan needs to know of a dataset: its size, and which rounds it makes of every part.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::digest::Digest;
use contract::{Examples, Shape, TaskKind};
use data::Dataset;
use data::generate::Generator;
use data::generate::mixture::MixtureSample;
use data::split::{Members, SplitError, SplitPlan};
use spec::{Classes, Experiment, Part};
use task::boundary::Change;
use task::classification::Problem;

use super::TooMany;

/// What the plan needs to know of a dataset.
#[derive(Debug, Clone)]
pub struct DatasetFacts {
    /// Digest of the parsed content.
    pub digest: Digest,
    /// Its size.
    pub shape: Shape,
    /// What its trials are over in every part that uses it, by part index.
    pub rounds: BTreeMap<usize, Vec<Rounds>>,
}

/// What a method is run for: every fold of every repeat of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rounds {
    /// The problem; nameless where there is only one.
    pub problem: Arc<Problem>,
    /// How many repeats.
    pub repeats: usize,
    /// How many folds a repeat.
    pub folds: usize,
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
    /// It has too many classes.
    #[error(transparent)]
    #[diagnostic(transparent)]
    TooMany(#[from] TooMany),
}

impl DatasetFacts {
    /// The facts of one dataset for an experiment of at most so many trials.
    ///
    /// # Errors
    /// If a part's task or split makes no sense for the dataset, or its classes make more problems.
    pub fn of(dataset: &Dataset, experiment: &Experiment, most: u64) -> Result<Self, Unsuited> {
        let mut rounds = BTreeMap::new();
        for (index, part) in experiment.parts.iter().enumerate() {
            if part.datasets.contains(&dataset.id) {
                rounds.insert(index, rounds_of(dataset, part, most)?);
            }
        }
        Ok(Self { digest: dataset.digest, shape: Shape::of(&dataset.examples), rounds })
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
            let problem = Arc::new(problem);
            rounds.insert(index, vec![Rounds { problem, repeats: part.repeats, folds: 1 }]);
        }
        let drawn = generator.shape();
        let (examples, variables) = (drawn.rows.total(), drawn.variables);
        let shape = Shape { examples, variables, entries: examples * variables / 2 };
        Ok(Some(Self { digest: generator.digest(), shape, rounds }))
    }
}

/// The problems of a dataset in a part, at most so many; a single one without classes where there are none.
///
/// # Errors
/// If the task needs classes and the dataset has none, or has too many.
pub fn problems(dataset: &Dataset, part: &Part, most: u64) -> Result<Vec<Problem>, Unsuited> {
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
        (TaskKind::Classification, Some(labels)) => match part.classes {
            Classes::AllPairs if labels.classes.len() > 2 => {
                let classes = labels.classes.len() as u64;
                let what = || format!("all pairs of the {classes} classes of `{}`", dataset.id);
                TooMany::check(classes.saturating_mul(classes - 1) / 2, most, what)?;
                Ok(Problem::pairs(&labels.classes))
            }
            _ => Ok(vec![Problem::whole(&labels.classes)]),
        },
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

fn rounds_of(dataset: &Dataset, part: &Part, most: u64) -> Result<Vec<Rounds>, Unsuited> {
    let rounds = |problem: Problem| {
        let members = members(dataset, &problem);
        let members = members.as_deref().map_or(Members::All, Members::Some);
        part.split.check(dataset, members)?;
        let repeats = part.repeats.saturating_mul(part.split.repeats());
        let folds = part.split.folds(dataset, members);
        Ok(Rounds { problem: Arc::new(problem), repeats, folds })
    };
    problems(dataset, part, most)?.into_iter().map(rounds).collect()
}
