//! What an experiment file says of what runs, and of what it was read from.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::task::Task;
use contract::parameter::Parameters;
use contract::{ChoiceId, DatasetId, MethodEntry, MethodId, Metric, PartId, Value, Variables};
use data::inner::Inner;
use data::split::SplitPlan;
use itertools::Itertools as _;
use program::{Determinism, Program};

use super::over::{Over, Per};
use super::overlay::Overlay;

/// The text that an experiment was read from.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its bytes.
    pub text: String,
    /// What is set beside it.
    pub overlay: Option<Overlay>,
}

/// One task: the `[task]` table, with a `[[part]]`'s overrides.
#[derive(Debug, Clone)]
pub struct Part {
    /// Id; empty where the file has no parts.
    pub id: PartId,
    /// What people read.
    pub label: String,
    /// What its trials do and measure.
    pub task: &'static Task,
    /// The task's own keys.
    pub settings: Parameters,
    /// Dataset ids in file order.
    pub datasets: Vec<DatasetId>,
    /// How examples are divided.
    pub split: SplitPlan,
    /// Where the validation examples of grids come from; from the split if none.
    pub inner: Option<Inner>,
    /// How often everything is repeated with other seeds.
    pub repeats: usize,
    /// What its trials report; all that the task measures unless the file names some.
    pub metrics: Vec<&'static Metric>,
    /// Ids of the methods that run; all unless the part names some.
    pub methods: Vec<MethodId>,
    /// Time limit of one trial.
    pub timeout: Option<Duration>,
    /// Whether what its models answer to each test example is kept.
    pub keeps_predictions: bool,
    /// Which labels the examples have, before these are divided.
    pub labels: LabelsMet,
}

/// Which labels the examples of a part have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelsMet {
    /// Their own.
    Given,
    /// Those of all, dealt anew in each repeat.
    Permuted,
    /// Classes that are drawn once, each as probable as any other, and kept for all folds.
    Drawn,
}

impl Part {
    /// How many repeats there are, those that the split makes of each counted.
    pub fn all_repeats(&self) -> usize {
        self.repeats.saturating_mul(self.split.repeats())
    }

    /// What the trials of a method do beside its split and its kind, as `key=value` joined by spaces; empty for most.
    pub fn setting(&self, method: &MethodSpec) -> String {
        let inner = self.inner_of(method).map_or(String::new(), Inner::word);
        let labels = match self.labels {
            LabelsMet::Given => "",
            LabelsMet::Permuted => "permuted",
            LabelsMet::Drawn => "drawn-labels",
        };
        let settings = [(self.task.setting)(&self.settings), inner, labels.to_owned()];
        let settings: Vec<String> = settings.into_iter().filter(|set| !set.is_empty()).collect();
        settings.join(" ")
    }

    /// Where the validation examples of a method come from, if not from the split: only what is selected needs any.
    pub fn inner_of(&self, method: &MethodSpec) -> Option<&Inner> {
        self.inner.as_ref().filter(|_| !method.grid.is_empty())
    }

    /// Whether its trials report a metric.
    pub fn reports(&self, metric: &Metric) -> bool {
        self.metrics.contains(&metric)
    }

    /// Whether every repeat has training examples of its own, also under a published split.
    pub fn draws(&self) -> bool {
        self.labels != LabelsMet::Given || (self.task.draws)(&self.settings)
    }

    /// Whether each repeat has several test sets.
    fn folded(&self) -> bool {
        matches!(
            self.split,
            SplitPlan::CrossValidation { .. }
                | SplitPlan::Ordered { .. }
                | SplitPlan::LeaveOneOut
                | SplitPlan::Folds
        )
    }

    /// What its values are over, one a unit.
    pub fn over(&self, per: Per) -> Over {
        match (per, &self.split) {
            (Per::Problem, _) => Over::Problems,
            (_, SplitPlan::Resample { .. } | SplitPlan::Share { .. }) => Over::Divisions,
            (Per::Fold, _) if self.folded() => Over::Folds,
            (Per::Repeat, SplitPlan::CrossValidation { .. }) => Over::Repeats,
            (_, SplitPlan::Redrawn { .. }) => Over::Draws,
            (Per::Fold | Per::Repeat, _) if self.draws() => Over::Draws,
            (Per::Fold | Per::Repeat, _) => Over::Seeds,
        }
    }

    /// What the values of its test examples are over: in groups, or such as may be means of blocks.
    pub fn over_examples(&self, grouped: bool, blocks: bool) -> Over {
        match (self.folded(), grouped, blocks) {
            (true, true, _) => Over::Groups,
            (false, true, _) => Over::FittedGroups,
            (true, false, true) => Over::Blocks,
            (false, false, true) => Over::FittedBlocks,
            (true, false, false) => Over::Examples,
            (false, false, false) => Over::Fitted,
        }
    }
}

/// One `[[method]]`.
#[derive(Debug, Clone)]
pub struct MethodSpec {
    /// Id, such as `MEVM`.
    pub id: MethodId,
    /// What people read; the id unless the file says otherwise.
    pub label: String,
    /// Its registry entry; none for a method that is only published.
    pub entry: Option<&'static MethodEntry>,
    /// The program that it is; none of methods of the registry.
    pub program: Option<Arc<Program>>,
    /// All parameters: the file's values, the chosen options of choices, defaults.
    pub parameters: Parameters,
    /// Axes that are crossed and reported.
    pub sweep: Vec<Axis>,
    /// Axes that are crossed and selected from.
    pub grid: Vec<Axis>,
    /// The metric that selects a grid point; present whenever `grid` is not empty.
    pub select: Option<&'static Metric>,
    /// How many points of the grid are tried; all, if that is not said.
    pub grid_sample: Option<usize>,
    /// How many repeats it runs for, where the task has more.
    pub repeats: usize,
    /// Whether failures are results and leave the exit code alone.
    pub may_fail: bool,
}

impl MethodSpec {
    /// Whether the experiment only quotes this method's published values.
    pub fn published_only(&self) -> bool {
        self.entry.is_none()
    }

    /// What it takes: a frame is made of columns.
    pub(crate) fn takes(&self) -> Vec<Variables> {
        let framed = self.program.as_ref().is_some_and(|program| program.frame);
        let takes = self.entry.map(MethodEntry::takes).unwrap_or_default().into_iter();
        takes.filter(|variables| !framed || *variables != Variables::Binary).collect()
    }

    /// Whether the same trial gives the same bits again, as all native methods promise.
    pub fn is_exact(&self) -> bool {
        let program = self.program.as_ref();
        program.is_none_or(|program| program.determinism == Determinism::Bitwise)
    }

    /// How far its values may move, if that is what it promises.
    pub fn tolerance(&self) -> Option<f64> {
        match self.program.as_ref()?.determinism {
            Determinism::Tolerance(most) => Some(most),
            Determinism::Bitwise | Determinism::Stochastic => None,
        }
    }
}

/// One axis of a sweep or grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The parameter.
    pub name: String,
    /// Its values in file order; not empty, all different.
    pub values: Vec<Value>,
}

impl Axis {
    /// Its name with each of its values.
    pub fn points(&self) -> Vec<(&str, &Value)> {
        self.values.iter().map(|value| (self.name.as_str(), value)).collect()
    }

    /// Whether all its values are numbers.
    pub fn is_numeric(&self) -> bool {
        self.values.iter().all(|value| value.number().is_some())
    }
}

/// All combinations of a point of each axis, the last axis fastest; one empty combination of no axes.
pub fn crossed<P: Clone>(axes: impl Iterator<Item = Vec<P>>) -> Vec<Vec<P>> {
    axes.multi_cartesian_product().collect()
}

/// What the paper leaves open.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Id.
    pub id: ChoiceId,
    /// The question in words.
    pub question: String,
    /// Whose parameter it is.
    pub subject: Subject,
    /// The parameter.
    pub parameter: String,
    /// The options in file order.
    pub options: Vec<Value>,
    /// The option that the results use: already set in the methods' parameters.
    pub chosen: Value,
    /// Why.
    pub why: String,
    /// Whether it was chosen after looking at printed values.
    pub seen: bool,
    /// Datasets on which the options are run one at a time; all unless the file names some.
    pub datasets: Vec<DatasetId>,
    /// Methods with which the options are run one at a time: the subject, where it is methods; else all unless the
    /// file names some.
    pub methods: Vec<MethodId>,
    /// How many repeats the options are run for one at a time; at most the task's.
    pub repeats: usize,
}

/// Whose parameter a choice is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// That of these methods.
    Methods(Vec<MethodId>),
    /// That of these datasets.
    Datasets(Vec<DatasetId>),
}

impl Subject {
    /// Their ids.
    pub(crate) fn ids(&self) -> Vec<&str> {
        match self {
            Self::Methods(ids) => ids.iter().map(MethodId::as_str).collect(),
            Self::Datasets(ids) => ids.iter().map(DatasetId::as_str).collect(),
        }
    }
}

impl Choice {
    /// Whether its options are run one at a time for a method on a dataset.
    pub fn concerns(&self, method: &MethodId, dataset: &DatasetId) -> bool {
        self.datasets.contains(dataset)
            && self.methods.contains(method)
            && self.bears_on(method, dataset)
    }

    /// Whether a method's trials on a dataset depend on it.
    pub fn bears_on(&self, method: &MethodId, dataset: &DatasetId) -> bool {
        match &self.subject {
            Subject::Methods(methods) => methods.contains(method),
            Subject::Datasets(datasets) => datasets.contains(dataset),
        }
    }

    /// Whether it is about a parameter of this dataset.
    pub fn sets(&self, dataset: &DatasetId) -> bool {
        matches!(&self.subject, Subject::Datasets(datasets) if datasets.contains(dataset))
    }
}

/// What the rows, columns, series or x positions of a table or figure run over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AxisRef {
    /// Datasets.
    Dataset,
    /// Methods.
    Method,
    /// Parts.
    Part,
    /// Metrics.
    Metric,
    /// A swept parameter.
    Sweep(String),
    /// A grid parameter: unselected points are shown too (figures only).
    Grid(String),
}

impl AxisRef {
    /// The axis that a text names.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let (word, name) = text.split_once(':').unwrap_or((text, ""));
        Some(match word {
            "dataset" => Self::Dataset,
            "method" => Self::Method,
            "part" => Self::Part,
            "metric" => Self::Metric,
            "sweep" => Self::Sweep(name.to_owned()),
            "grid" => Self::Grid(name.to_owned()),
            _ => return None,
        })
    }
}

/// Published values from one file.
#[derive(Debug, Clone)]
pub struct PublishedFile {
    /// Its path as the experiment file names it.
    pub path: String,
    /// Its bytes, copied into the results.
    pub text: String,
    /// Its rows.
    pub values: Vec<PublishedValue>,
}

/// One published number. `row` and `column` are ids as in the table that names the file.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedValue {
    /// Row id.
    pub row: String,
    /// Column id.
    pub column: String,
    /// What is measured.
    pub metric: &'static Metric,
    /// The number.
    pub value: f64,
    /// Its standard deviation, if printed.
    pub sd: Option<f64>,
    /// One unit of its last printed digit: 0.01 of 5.30, 1 of 95.
    pub unit: f64,
}
