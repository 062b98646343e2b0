//! What a metric is.

use std::cmp::Ordering;

/// Which values of a metric are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The larger the better.
    Higher,
    /// The smaller the better.
    Lower,
    /// Neither: a description.
    Neutral,
}

/// What a metric looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The test examples: nothing may be selected by it.
    Test,
    /// The validation examples.
    Validation,
    /// The training examples, the model, or a clock.
    Model,
}

/// What is kept of a metric for the test examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PerExample {
    /// Nothing.
    Nothing,
    /// An outcome of each, 0 or 1.
    Outcomes,
    /// A real number of each; where they are many, the means of blocks of them.
    Scores,
}

/// Work that several metrics come of, such as the predictions for the training examples; it is itself and no other.
#[derive(Debug)]
pub struct Work(pub &'static str);

/// What a metric is about. The columns of `trials.csv` stand in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// How well the task is done.
    Task,
    /// The examples, and how they were divided.
    Examples,
    /// The model: what it is, and how large.
    Model,
    /// How the model was learned.
    Training,
    /// The structure that was found in the variables.
    Structure,
    /// A clock: it is recorded under `timing/` only.
    Clock,
}

/// Describes a metric. It is declared beside what reports it, a task or a method, as a row of [`metrics!`](crate::metrics!).
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name in files; those that read a clock begin with `time:`.
    pub name: &'static str,
    /// What people read on an axis or over a column.
    pub label: &'static str,
    /// Whether the label begins with somebody's name.
    pub named: bool,
    /// Unit, if it has one.
    pub unit: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// What it is about.
    pub about: About,
    /// Which values are good.
    pub direction: Direction,
    /// What it looks at.
    pub basis: Basis,
    /// What is kept of it for the test examples, for tests that pair by them.
    pub per_example: PerExample,
    /// The values that it can have, from and to.
    pub range: (f64, f64),
    /// The work of its own that it takes, which is done only where an experiment names a metric of this work.
    pub on_request: Option<&'static Work>,
    /// The time that this one is a part of, or a mean over: together they are counted once.
    pub part_of: Option<&'static Self>,
}

/// Declares metrics, a row each: what it is about, its name, its label, its meaning, and where it differs from a number in no unit
/// that looks at the model and is neither good nor bad. After `in pub NAME;` their list is a constant of that name.
///
/// ```
/// use reprise_contract::{Direction, metrics};
///
/// metrics! {
///     /// Largest number of neighbours.
///     pub DEGREE: Model = "degree", "Degree", "largest number of neighbours of a variable";
///     pub VALID_BRIER: Task = "valid_brier", "Brier score",
///         "mean squared difference between the predicted probabilities and the outcome" .lower().of_validation();
/// }
/// assert_eq!(VALID_BRIER.direction, Direction::Lower);
/// ```
#[macro_export]
macro_rules! metrics {
    (in $all_seen:vis $all:ident; $($(#[$doc:meta])* $seen:vis $name:ident: $about:ident = $id:literal, $label:literal, $meaning:literal
       $(.$what:ident($($of:expr),*))*;)*) => {
        /// The list of the metrics that are declared together.
        $all_seen const $all: &[&$crate::Metric] = &[$(&$name),*];
        $crate::metrics! {
            $($(#[$doc])* $seen $name: $about = $id, $label, $meaning $(.$what($($of),*))*;)*
        }
    };
    ($($(#[$doc:meta])* $seen:vis $name:ident: $about:ident = $id:literal, $label:literal, $meaning:literal
       $(.$what:ident($($of:expr),*))*;)*) => {
        $(
            $(#[$doc])*
            #[doc = $meaning]
            $seen static $name: $crate::Metric =
                $crate::Metric::new($crate::About::$about, [$id, $label, $meaning])$(.$what($($of),*))*;
        )*
    };
}

/// The metrics of several lists, one list after another, as one.
#[macro_export]
macro_rules! listed {
    ($($list:expr),* $(,)?) => {
        const {
            const LISTS: &[&[&$crate::Metric]] = &[$($list),*];
            &$crate::joined::<_, { $crate::count(LISTS) }>(LISTS)
        }
    };
}

impl Metric {
    /// What people read within a sentence: the label, without a capital at its beginning unless that is of a name.
    pub fn noun(&self) -> String {
        let mut letters = self.label.chars();
        match (letters.next(), letters.next()) {
            (Some(first), Some(second)) if second.is_lowercase() && !self.named => {
                first.to_lowercase().collect::<String>() + &self.label[first.len_utf8()..]
            }
            _ => self.label.to_owned(),
        }
    }

    /// A number in no unit that looks at the model and is neither good nor bad: its name, its label and its meaning.
    pub const fn new(about: About, [name, label, meaning]: [&'static str; 3]) -> Self {
        Self {
            name,
            label,
            named: false,
            unit: "",
            meaning,
            about,
            direction: Direction::Neutral,
            basis: Basis::Model,
            per_example: PerExample::Nothing,
            range: (f64::NEG_INFINITY, f64::INFINITY),
            on_request: None,
            part_of: None,
        }
    }

    /// The same with a label that begins with somebody's name.
    pub const fn named(self) -> Self {
        Self { named: true, ..self }
    }

    /// The same, the larger the better.
    pub const fn higher(self) -> Self {
        Self { direction: Direction::Higher, ..self }
    }

    /// The same, the smaller the better.
    pub const fn lower(self) -> Self {
        Self { direction: Direction::Lower, ..self }
    }

    /// The same in a unit.
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// The same of the test examples: nothing may be selected by it.
    pub const fn of_test(self) -> Self {
        Self { basis: Basis::Test, ..self }
    }

    /// The same of the validation examples.
    pub const fn of_validation(self) -> Self {
        Self { basis: Basis::Validation, ..self }
    }

    /// The same with an outcome of each test example, 0 or 1.
    pub const fn outcomes(self) -> Self {
        Self { per_example: PerExample::Outcomes, ..self }
    }

    /// The same with a real number of each test example.
    pub const fn scores(self) -> Self {
        Self { per_example: PerExample::Scores, ..self }
    }

    /// The same with values from and to.
    pub const fn within(self, from: f64, to: f64) -> Self {
        Self { range: (from, to), ..self }
    }

    /// The same by work of its own, which is done only where an experiment names a metric of this work.
    pub const fn asked(self, work: &'static Work) -> Self {
        Self { on_request: Some(work), ..self }
    }

    /// The same as a part of another time, or a mean over it.
    pub const fn part_of(self, time: &'static Self) -> Self {
        Self { part_of: Some(time), ..self }
    }

    /// Whether it reads a clock: such metrics are recorded under `timing/` only.
    pub fn is_time(&self) -> bool {
        self.about == About::Clock
    }

    /// A name of something that is measured so, with the unit in parentheses if there is one.
    pub fn with_unit(&self, name: &str) -> String {
        if self.unit.is_empty() { name.to_owned() } else { format!("{name} ({})", self.unit) }
    }

    /// Whether this and another metric come of the same work, which is done where an experiment names one of them.
    pub fn comes_with(&self, other: &Self) -> bool {
        let same = |(one, other): (&Work, &Work)| std::ptr::eq(one, other);
        self == other || self.on_request.zip(other.on_request).is_some_and(same)
    }
}

/// A metric is its name.
impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Metric {}

impl PartialOrd for Metric {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Metric {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

crate::metrics! {
    pub ITERATIONS: Training = "iterations", "Iterations",
        "number of EM iterations, a sample over the restarts; or of steps of the optimiser";
    pub NOT_CONVERGED: Training = "not_converged", "Not converged",
        "number of problems, of all classes or of one against the rest, that reached the limit of epochs or of Newton steps";
}
