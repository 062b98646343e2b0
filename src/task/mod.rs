//! What a trial measures.
//!
//! To add a metric, add one line to [`METRICS`] and report it from the task or the method.

pub mod boundary;
pub mod classification;
pub mod density;
pub mod measure;
pub mod partition;
pub mod pseudo_likelihood;

pub use measure::Measure;

/// The kinds of task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskKind {
    /// Fit a joint distribution, score held-out examples by their log-likelihood.
    Density,
    /// Learn a Markov network, score held-out examples by their pseudo-log-likelihood.
    PseudoLikelihood,
    /// Learn to predict the class of held-out examples.
    Classification,
    /// Divide the variables into independent groups.
    Partition,
    /// Learn to tell two classes of points in the plane apart, from training examples that change.
    Boundary,
}

impl TaskKind {
    /// Every kind with the word that files use.
    pub const ALL: &'static [(&'static str, TaskKind)] = &[
        ("density", TaskKind::Density),
        ("pseudo-likelihood", TaskKind::PseudoLikelihood),
        ("classification", TaskKind::Classification),
        ("partition", TaskKind::Partition),
        ("boundary", TaskKind::Boundary),
    ];

    /// The word that files use.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }

    /// Whether its examples have classes.
    pub fn has_classes(self) -> bool {
        matches!(self, Self::Classification | Self::Boundary)
    }
}

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

/// Describes a metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name in files; those that read a clock begin with `time:`.
    pub name: &'static str,
    /// What people read on an axis or over a column.
    pub label: &'static str,
    /// Unit, if it has one.
    pub unit: &'static str,
    /// Which values are good.
    pub direction: Direction,
    /// What it is.
    pub meaning: &'static str,
    /// The tasks that measure it.
    pub tasks: &'static [TaskKind],
    /// Whether it takes work of its own, which is done only where an experiment names it.
    pub on_request: bool,
}

impl Metric {
    /// Whether it reads a clock: such metrics are recorded under `timing/` only.
    pub fn is_time(&self) -> bool {
        self.name.starts_with("time:")
    }
}

/// The metrics that have a value for each test example.
pub const PER_EXAMPLE: [&str; 4] = ["test_ll", "test_npll", "test_accuracy", "test_error"];

const ALL: &[TaskKind] = &[TaskKind::Density, TaskKind::PseudoLikelihood, TaskKind::Classification];
const BOTH: &[TaskKind] = &[TaskKind::Density, TaskKind::Classification];
const NETWORK: &[TaskKind] = &[TaskKind::PseudoLikelihood];
const CLASSIFICATION: &[TaskKind] = &[TaskKind::Classification];
const PARTITION: &[TaskKind] = &[TaskKind::Partition];
const BOUNDARY: &[TaskKind] = &[TaskKind::Boundary];
/// What learns to predict classes.
const CLASSES: &[TaskKind] = &[TaskKind::Classification, TaskKind::Boundary];
const ALL_TASKS: &[TaskKind] = &[
    TaskKind::Density,
    TaskKind::PseudoLikelihood,
    TaskKind::Classification,
    TaskKind::Partition,
    TaskKind::Boundary,
];

/// Every metric.
pub static METRICS: &[Metric] = &[
    Metric {
        name: "test_ll",
        label: "Test log-likelihood",
        unit: "nats per example",
        direction: Direction::Higher,
        meaning: "average log-likelihood of the test examples; of a Markov network, where it has at most 20 variables",
        tasks: &[TaskKind::Density, TaskKind::PseudoLikelihood],
        on_request: false,
    },
    Metric {
        name: "valid_ll",
        label: "Validation log-likelihood",
        unit: "nats per example",
        direction: Direction::Higher,
        meaning: "average log-likelihood of the validation examples",
        tasks: &[TaskKind::Density],
        on_request: false,
    },
    Metric {
        name: "train_ll",
        label: "Training log-likelihood",
        unit: "nats per example",
        direction: Direction::Higher,
        meaning: "average log-likelihood of the training examples",
        tasks: &[TaskKind::Density],
        on_request: false,
    },
    Metric {
        name: "test_npll",
        label: "Test negative pseudo-log-likelihood",
        unit: "nats per example",
        direction: Direction::Lower,
        meaning: "average negative pseudo-log-likelihood of the test examples",
        tasks: NETWORK,
        on_request: false,
    },
    Metric {
        name: "valid_npll",
        label: "Validation negative pseudo-log-likelihood",
        unit: "nats per example",
        direction: Direction::Lower,
        meaning: "average negative pseudo-log-likelihood of the validation examples",
        tasks: NETWORK,
        on_request: false,
    },
    Metric {
        name: "train_npll",
        label: "Training negative pseudo-log-likelihood",
        unit: "nats per example",
        direction: Direction::Lower,
        meaning: "average negative pseudo-log-likelihood of the training examples",
        tasks: NETWORK,
        on_request: false,
    },
    Metric {
        name: "test_accuracy",
        label: "Accuracy",
        unit: "",
        direction: Direction::Higher,
        meaning: "share of the test examples whose class is predicted",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "test_error",
        label: "Error",
        unit: "",
        direction: Direction::Lower,
        meaning: "zero-one loss on the test examples; of the boundary task, without outliers, or the mean over the orders",
        tasks: CLASSES,
        on_request: false,
    },
    Metric {
        name: "valid_accuracy",
        label: "Validation accuracy",
        unit: "",
        direction: Direction::Higher,
        meaning: "share of the validation examples whose class is predicted",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "train_accuracy",
        label: "Training accuracy",
        unit: "",
        direction: Direction::Higher,
        meaning: "share of the training examples whose class is predicted; measured where an experiment names it",
        tasks: CLASSIFICATION,
        on_request: true,
    },
    Metric {
        name: "train_error",
        label: "Training error",
        unit: "",
        direction: Direction::Lower,
        meaning: "zero-one loss on the training examples: 1 - `train_accuracy`; measured where an experiment names it",
        tasks: CLASSIFICATION,
        on_request: true,
    },
    Metric {
        name: "test_joint_ll",
        label: "Joint log-likelihood",
        unit: "nats per example",
        direction: Direction::Higher,
        meaning: "average log-likelihood of the test examples together with their classes; measured where an experiment names it, and there methods that do not model both fail",
        tasks: CLASSIFICATION,
        on_request: true,
    },
    Metric {
        name: "classes",
        label: "Classes",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of classes",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "variables",
        label: "|V|",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of variables",
        tasks: ALL_TASKS,
        on_request: false,
    },
    Metric {
        name: "train_examples",
        label: "Train",
        unit: "examples",
        direction: Direction::Neutral,
        meaning: "number of training examples",
        tasks: ALL_TASKS,
        on_request: false,
    },
    Metric {
        name: "test_examples",
        label: "Test",
        unit: "examples",
        direction: Direction::Neutral,
        meaning: "number of test examples",
        tasks: ALL_TASKS,
        on_request: false,
    },
    Metric {
        name: "displacement",
        label: "Displacement",
        unit: "",
        direction: Direction::Lower,
        meaning: "mean distance from the points of a decision boundary to the nearest ones of another, over both, within the window around the training examples; the mean over all pairs of orders",
        tasks: BOUNDARY,
        on_request: false,
    },
    Metric {
        name: "displacement_max",
        label: "Largest displacement",
        unit: "",
        direction: Direction::Lower,
        meaning: "largest distance from a point of a decision boundary to the nearest one of another: the Hausdorff distance, the largest of all pairs of orders",
        tasks: BOUNDARY,
        on_request: false,
    },
    Metric {
        name: "disagreement",
        label: "Disagreement",
        unit: "",
        direction: Direction::Lower,
        meaning: "share of the window where two fits predict different classes; the mean over all pairs of orders",
        tasks: BOUNDARY,
        on_request: false,
    },
    Metric {
        name: "boundary_angle",
        label: "Angle",
        unit: "degrees",
        direction: Direction::Neutral,
        meaning: "angle of the boundary's mean normal, towards the second class, from the x axis; a sample over the fits; measured where an experiment names it, and there closed boundaries fail",
        tasks: BOUNDARY,
        on_request: true,
    },
    Metric {
        name: "angle_range",
        label: "Range of the angle",
        unit: "degrees",
        direction: Direction::Lower,
        meaning: "largest minus smallest `boundary_angle` of a trial's fits; measured where an experiment names it",
        tasks: BOUNDARY,
        on_request: true,
    },
    Metric {
        name: "error_range",
        label: "Range of the error",
        unit: "",
        direction: Direction::Lower,
        meaning: "largest minus smallest `test_error` over the orders",
        tasks: BOUNDARY,
        on_request: false,
    },
    Metric {
        name: "changed_error",
        label: "Error with outliers",
        unit: "",
        direction: Direction::Lower,
        meaning: "zero-one loss on the test examples, which have no outliers, of the fit to training examples with outliers",
        tasks: BOUNDARY,
        on_request: false,
    },
    Metric {
        name: "error_rise",
        label: "Rise of the error",
        unit: "",
        direction: Direction::Lower,
        meaning: "`changed_error` - `test_error`",
        tasks: BOUNDARY,
        on_request: false,
    },
    Metric {
        name: "blocks",
        label: "Blocks",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of exchangeable blocks; a sample over the partitions of components or classes",
        tasks: BOTH,
        on_request: false,
    },
    Metric {
        name: "parameters",
        label: "Free parameters",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of free parameters of the fitted model",
        tasks: ALL,
        on_request: false,
    },
    Metric {
        name: "largest_degree",
        label: "Largest degree",
        unit: "",
        direction: Direction::Neutral,
        meaning: "largest number of neighbours of a variable in a Markov network",
        tasks: NETWORK,
        on_request: false,
    },
    Metric {
        name: "structure_residual",
        label: "Structure residual",
        unit: "",
        direction: Direction::Lower,
        meaning: "largest violation of the optimality conditions of the structure's regressions, as a part of their penalties",
        tasks: NETWORK,
        on_request: false,
    },
    Metric {
        name: "found_clusters",
        label: "Clusters found",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of clusters of parameters, fewer than asked for where fewer values are distinct",
        tasks: NETWORK,
        on_request: false,
    },
    Metric {
        name: "rounds",
        label: "Rounds",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of times that the parameters were clustered",
        tasks: NETWORK,
        on_request: false,
    },
    Metric {
        name: "gradient",
        label: "Gradient",
        unit: "nats per example",
        direction: Direction::Lower,
        meaning: "largest derivative of the objective per training example",
        tasks: NETWORK,
        on_request: false,
    },
    Metric {
        name: "objective_gap",
        label: "Objective gap",
        unit: "nats per example",
        direction: Direction::Lower,
        meaning: "objective per training example above that of the optimum reached from there",
        tasks: NETWORK,
        on_request: false,
    },
    Metric {
        name: "patterns",
        label: "Patterns",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of patterns that a table of bounded size holds",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "nodes",
        label: "Nodes",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of nodes of a decision tree, leaves included",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "depth",
        label: "Depth",
        unit: "",
        direction: Direction::Neutral,
        meaning: "depth of a decision tree: edges from the root to the deepest leaf",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "epochs",
        label: "Epochs",
        unit: "",
        direction: Direction::Neutral,
        meaning: "passes over the training examples; a sample over the problems of one class against the rest, or over the variables' regressions",
        tasks: &[TaskKind::Classification, TaskKind::Partition],
        on_request: false,
    },
    Metric {
        name: "not_converged",
        label: "Not converged",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of problems of one class against the rest that reached the limit of epochs",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "objective",
        label: "Objective",
        unit: "",
        direction: Direction::Lower,
        meaning: "objective at the solution: primal, a sample over the problems of one class against the rest; of a Markov network, per training example",
        tasks: &[TaskKind::PseudoLikelihood, TaskKind::Classification],
        on_request: false,
    },
    Metric {
        name: "boundary_ties",
        label: "Ties at the boundary",
        unit: "",
        direction: Direction::Neutral,
        meaning: "share of the test examples with a training example beyond the k nearest at the distance of the k-th",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "sweeps",
        label: "Sweeps",
        unit: "",
        direction: Direction::Neutral,
        meaning: "sweeps of expectation propagation over its sites",
        tasks: CLASSES,
        on_request: false,
    },
    Metric {
        name: "converged",
        label: "Converged",
        unit: "",
        direction: Direction::Higher,
        meaning: "1 if expectation propagation reached its tolerance in a sweep that skipped no site, else 0",
        tasks: CLASSES,
        on_request: false,
    },
    Metric {
        name: "skipped_sites",
        label: "Skipped sites",
        unit: "",
        direction: Direction::Lower,
        meaning: "sites that the last sweep of expectation propagation left alone, because no distribution would have come of them",
        tasks: CLASSES,
        on_request: false,
    },
    Metric {
        name: "log_evidence",
        label: "Log evidence",
        unit: "nats",
        direction: Direction::Higher,
        meaning: "logarithm of the evidence: of a Gaussian model by expectation propagation, or exact",
        tasks: CLASSES,
        on_request: false,
    },
    Metric {
        name: "q_log_evidence",
        label: "Log evidence in the q-algebra",
        unit: "nats",
        direction: Direction::Neutral,
        meaning: "the logarithm of equation (39) of the t-exponential EP paper, which for finite degrees of freedom is no estimate of the evidence",
        tasks: CLASSES,
        on_request: false,
    },
    Metric {
        name: "fitted_length_scale",
        label: "Length scale",
        unit: "",
        direction: Direction::Neutral,
        meaning: "length scale of the kernel; a sample over the columns where each has one",
        tasks: CLASSES,
        on_request: false,
    },
    Metric {
        name: "evidence_difference",
        label: "Difference of the log evidence",
        unit: "nats",
        direction: Direction::Lower,
        meaning: "distance of the log evidence by quadrature from that of the Gaussian process in closed form",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "probability_difference",
        label: "Difference of class probabilities",
        unit: "",
        direction: Direction::Lower,
        meaning: "largest distance of a test example's class probability from that of the Gaussian process",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "iterations",
        label: "Iterations",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of EM iterations, a sample over the restarts; or of steps of the optimiser",
        tasks: &[TaskKind::Density, TaskKind::PseudoLikelihood],
        on_request: false,
    },
    Metric {
        name: "unconverged",
        label: "Runs at the limit",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of EM restarts, or whether a Markov network's learning, reached the limit of iterations",
        tasks: &[TaskKind::Density, TaskKind::PseudoLikelihood],
        on_request: false,
    },
    Metric {
        name: "exact_recovery",
        label: "Exact recovery",
        unit: "",
        direction: Direction::Higher,
        meaning: "1 if the partition, of the variables or of the parameters of a Markov network, is the true one, else 0; where the true one is known",
        tasks: &[TaskKind::PseudoLikelihood, TaskKind::Partition],
        on_request: false,
    },
    Metric {
        name: "adjusted_rand",
        label: "Adjusted Rand index",
        unit: "",
        direction: Direction::Higher,
        meaning: "agreement of the partition with the true one: 1 if they are the same, 0 on average by chance (Hubert and Arabie 1985)",
        tasks: &[TaskKind::PseudoLikelihood, TaskKind::Partition],
        on_request: false,
    },
    Metric {
        name: "false_merges",
        label: "False merges",
        unit: "",
        direction: Direction::Lower,
        meaning: "share of the pairs of variables of different true factors that are found in one; 0 if there are none",
        tasks: PARTITION,
        on_request: false,
    },
    Metric {
        name: "splits",
        label: "Splits",
        unit: "",
        direction: Direction::Lower,
        meaning: "share of the pairs of variables of one true factor that are found in two; 0 if there are none",
        tasks: PARTITION,
        on_request: false,
    },
    Metric {
        name: "factors",
        label: "Factors",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of groups of variables that are found",
        tasks: PARTITION,
        on_request: false,
    },
    Metric {
        name: "largest_factor",
        label: "Largest factor",
        unit: "variables",
        direction: Direction::Neutral,
        meaning: "number of variables of the largest group",
        tasks: PARTITION,
        on_request: false,
    },
    Metric {
        name: "tests",
        label: "Tests",
        unit: "",
        direction: Direction::Lower,
        meaning: "number of tests of conditional independence",
        tasks: PARTITION,
        on_request: false,
    },
    Metric {
        name: "edges",
        label: "Edges",
        unit: "",
        direction: Direction::Neutral,
        meaning: "number of pairs of variables that are joined directly",
        tasks: &[TaskKind::PseudoLikelihood, TaskKind::Partition],
        on_request: false,
    },
    Metric {
        name: "conditioning_mean",
        label: "Mean conditioning set",
        unit: "variables",
        direction: Direction::Neutral,
        meaning: "mean number of variables that a test of independence is given",
        tasks: PARTITION,
        on_request: false,
    },
    Metric {
        name: "conditioning_largest",
        label: "Largest conditioning set",
        unit: "variables",
        direction: Direction::Neutral,
        meaning: "largest number of variables that a test of independence is given",
        tasks: PARTITION,
        on_request: false,
    },
    Metric {
        name: "mean_p",
        label: "Mean p-value",
        unit: "",
        direction: Direction::Neutral,
        meaning: "mean p-value of the tests of independence; 0.5 where all hypotheses hold and the test is calibrated",
        tasks: PARTITION,
        on_request: false,
    },
    Metric {
        name: "time:fit",
        label: "Fit time",
        unit: "s",
        direction: Direction::Lower,
        meaning: "seconds of the fit, all restarts",
        tasks: ALL_TASKS,
        on_request: false,
    },
    Metric {
        name: "time:iteration",
        label: "Time per iteration",
        unit: "s",
        direction: Direction::Lower,
        meaning: "seconds of the fit divided by the number of iterations of all restarts",
        tasks: &[TaskKind::Density],
        on_request: false,
    },
    Metric {
        name: "time:predict",
        label: "Prediction time",
        unit: "s",
        direction: Direction::Lower,
        meaning: "seconds of predicting the classes of the test examples",
        tasks: CLASSIFICATION,
        on_request: false,
    },
    Metric {
        name: "time:evaluate",
        label: "Evaluation time",
        unit: "s",
        direction: Direction::Lower,
        meaning: "seconds of scoring the training, validation and test examples",
        tasks: &[TaskKind::Density, TaskKind::PseudoLikelihood],
        on_request: false,
    },
];

/// The metric of this name.
pub fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}
