//! The validated experiment: everything that an experiment file says, resolved and checked.

use std::path::PathBuf;
use std::time::Duration;

use base::text::real;
use contract::parameter::{Parameters, Value};
use contract::{MethodEntry, Metric, TaskKind};
use data::split::SplitPlan;
use stats::{Correction, Zeros};
use task::boundary::Change;

/// A validated experiment.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Id, such as `evm/table5`; results go to the folder of this name. Under a profile it ends in
    /// `@<profile>`.
    pub id: String,
    /// One-line title.
    pub title: String,
    /// Key in `papers.toml`.
    pub paper: Option<String>,
    /// The seed from which all others are derived.
    pub seed: u64,
    /// Whether trials run one at a time, because the experiment measures time.
    pub exclusive: bool,
    /// The tasks; exactly one, with an empty id, where the file has no `[[part]]`.
    pub parts: Vec<Part>,
    /// Methods in file order.
    pub methods: Vec<MethodSpec>,
    /// What the paper leaves open.
    pub choices: Vec<Choice>,
    /// Significance tests.
    pub tests: Vec<TestSpec>,
    /// Tables.
    pub tables: Vec<TableSpec>,
    /// Figures.
    pub figures: Vec<FigureSpec>,
    /// Claims.
    pub claims: Vec<ClaimSpec>,
    /// Published values, one entry for each file that a table names.
    pub published: Vec<PublishedFile>,
    /// The file that it was read from.
    pub source: SourceFile,
}

/// The text that an experiment was read from.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its bytes.
    pub text: String,
}

/// One task: the `[task]` table, with a `[[part]]`'s overrides.
#[derive(Debug, Clone)]
pub struct Part {
    /// Id; empty where the file has no parts.
    pub id: String,
    /// What people read.
    pub label: String,
    /// What its trials measure.
    pub kind: TaskKind,
    /// Dataset ids in file order.
    pub datasets: Vec<String>,
    /// How examples are divided.
    pub split: SplitPlan,
    /// Which problems the classes make.
    pub classes: Classes,
    /// Share of the training labels that are flipped.
    pub label_noise: f64,
    /// What changes between the fits of a trial of the boundary task.
    pub change: Change,
    /// How often everything is repeated with other seeds.
    pub repeats: usize,
    /// What its trials report; all that the task measures unless the file names some.
    pub metrics: Vec<&'static Metric>,
    /// Ids of the methods that run; all unless the part names some.
    pub methods: Vec<String>,
    /// Time limit of one trial.
    pub timeout: Option<Duration>,
}

impl Part {
    /// What its trials do beside its split and its kind, as `key=value` joined by spaces; empty for most.
    pub fn setting(&self) -> String {
        match (self.kind, self.change) {
            (TaskKind::Boundary, Change::Orders(orders)) => format!("change=order orders={orders}"),
            (TaskKind::Boundary, Change::Outliers) => "change=outliers".to_owned(),
            _ if self.label_noise > 0.0 => format!("label_noise={}", real(self.label_noise)),
            _ => String::new(),
        }
    }

    /// Whether every repeat has training examples of its own, also under a published split.
    pub fn draws(&self) -> bool {
        matches!(self.kind, TaskKind::Boundary | TaskKind::Partition) || self.label_noise > 0.0
    }
}

/// Which problems the classes of a dataset make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classes {
    /// All classes are one problem.
    All,
    /// Every pair of classes is a problem of its own.
    AllPairs,
}

/// One `[[method]]`.
#[derive(Debug, Clone)]
pub struct MethodSpec {
    /// Id, such as `MEVM`.
    pub id: String,
    /// What people read; the id unless the file says otherwise.
    pub label: String,
    /// Its registry entry; none for a method that is only published.
    pub entry: Option<&'static MethodEntry>,
    /// All parameters: the file's values, the chosen options of choices, defaults.
    pub parameters: Parameters,
    /// Axes that are crossed and reported.
    pub sweep: Vec<Axis>,
    /// Axes that are crossed and selected from.
    pub grid: Vec<Axis>,
    /// The metric that selects a grid point; present whenever `grid` is not empty.
    pub select: Option<&'static Metric>,
    /// Whether failures are results and leave the exit code alone.
    pub may_fail: bool,
}

impl MethodSpec {
    /// Whether the experiment only quotes this method's published values.
    pub fn published_only(&self) -> bool {
        self.entry.is_none()
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

/// What the paper leaves open.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Id.
    pub id: String,
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
    /// Whether its options are crossed with those of other such choices.
    pub cross: bool,
    /// Datasets on which the options are run; all unless the file names some.
    pub datasets: Vec<String>,
    /// Methods with which the options are run: the subject, where it is methods; else all unless the
    /// file names some.
    pub methods: Vec<String>,
    /// How many repeats the options are run for; at most the task's.
    pub repeats: usize,
}

/// Whose parameter a choice is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// That of these methods.
    Methods(Vec<String>),
    /// That of these datasets.
    Datasets(Vec<String>),
}

impl Choice {
    /// Whether its options change the trials of a method on a dataset.
    pub fn concerns(&self, method: &str, dataset: &str) -> bool {
        self.datasets.iter().any(|id| id == dataset)
            && self.methods.iter().any(|id| id == method)
            && (matches!(self.subject, Subject::Methods(_)) || self.sets(dataset))
    }

    /// Whether it is about a parameter of this dataset.
    pub fn sets(&self, dataset: &str) -> bool {
        matches!(&self.subject, Subject::Datasets(datasets) if datasets.iter().any(|id| id == dataset))
    }
}

impl Experiment {
    /// The values that choices give to a dataset's parameters.
    pub fn settings(&self, dataset: &str) -> Vec<(String, Value)> {
        let choices = self.choices.iter().filter(|choice| choice.sets(dataset));
        choices.map(|choice| (choice.parameter.clone(), choice.chosen.clone())).collect()
    }
}

/// One `[[test]]`.
#[derive(Debug, Clone)]
pub struct TestSpec {
    /// Id.
    pub id: String,
    /// Which test, with its options.
    pub kind: TestKind,
    /// What is compared.
    pub metric: &'static Metric,
    /// The method that all others are compared with; without it, all pairs.
    pub reference: Option<String>,
    /// Methods that take part, in file order.
    pub methods: Vec<String>,
    /// Datasets that take part.
    pub datasets: Vec<String>,
    /// What one pair is.
    pub pair_by: PairBy,
    /// Correction over the comparisons of this test.
    pub correction: Correction,
}

/// A significance test and its options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TestKind {
    /// Student's t on paired differences.
    PairedT,
    /// Welch's t on two samples.
    WelchT,
    /// Wilcoxon signed-rank.
    WilcoxonSignedRank {
        /// Exact null distribution, or its normal approximation.
        exact: bool,
        /// What becomes of zero differences.
        zeros: Zeros,
        /// Whether the normal approximation has the continuity correction.
        continuity: bool,
    },
    /// Sign test (exact binomial).
    Sign,
    /// McNemar's test on 0/1 outcomes.
    McNemar {
        /// Exact binomial, or chi-squared.
        exact: bool,
        /// Whether the chi-squared form has the continuity correction.
        continuity: bool,
    },
    /// Friedman's test over all methods; with `reference`, Holm's step-down against it; without,
    /// Nemenyi's comparisons of all pairs.
    Friedman,
    /// Nadeau and Bengio's corrected resampled t-test.
    CorrectedResampledT,
    /// Bootstrap interval of the mean difference.
    Bootstrap {
        /// Number of resamples.
        resamples: usize,
        /// Confidence level of the interval.
        level: f64,
    },
}

/// What one pair of a paired test is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairBy {
    /// A dataset: values averaged over everything else.
    Dataset,
    /// A problem (class pair) of a dataset; one test a dataset.
    Problem,
    /// A fold; one test a dataset.
    Fold,
    /// A repeat; one test a dataset.
    Repeat,
    /// A test example; one test a dataset.
    Example,
    /// What a dataset has several of: problems, else folds, else repeats, else test examples; one test
    /// a dataset.
    Auto,
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

/// What a standard deviation is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SdOver {
    /// No standard deviation.
    None,
    /// Repeats, after averaging over problems and folds.
    Repeat,
    /// Folds, after averaging over problems; repeats pooled.
    Fold,
    /// Problems; folds and repeats averaged first.
    Problem,
    /// The pooled samples that the metric returns.
    Sample,
    /// Folds of all repeats, after averaging over problems, divided by the square root of their number:
    /// the standard error of the mean over trials.
    StandardError,
}

/// Which cells of a row (or column) are the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Best {
    /// None is marked.
    None,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// One `[[table]]`.
#[derive(Debug, Clone)]
pub struct TableSpec {
    /// Id: the name of its files.
    pub id: String,
    /// Caption; the experiment's title unless given.
    pub title: String,
    /// Row axes, outermost first.
    pub rows: Vec<AxisRef>,
    /// Column axes, outermost first.
    pub columns: Vec<AxisRef>,
    /// The metrics shown: one, unless `metric` is an axis.
    pub metrics: Vec<&'static Metric>,
    /// Methods shown, in file order.
    pub methods: Vec<String>,
    /// Datasets shown.
    pub datasets: Vec<String>,
    /// Parts shown.
    pub parts: Vec<String>,
    /// Digits after the decimal point.
    pub digits: usize,
    /// Factor applied to values, published ones excepted.
    pub scale: f64,
    /// Path of the published values beside the experiment file, a key of
    /// [`Experiment::published`].
    pub published: Option<String>,
    /// Which cells are best; compared along a row, or along a column where `best_along` says so.
    pub best: Best,
    /// Whether the best is sought along a column instead of a row.
    pub best_in_column: bool,
    /// Bold: the best and every method not significantly worse by this test at this level.
    pub bold: Option<Bold>,
    /// Whether cells are means over those trials that report the metric.
    pub partial: bool,
    /// The method that marks what is worse.
    pub worse_than: Option<String>,
    /// What standard deviations are over.
    pub sd: SdOver,
}

/// Marks the best and what is not significantly worse.
#[derive(Debug, Clone, PartialEq)]
pub struct Bold {
    /// Id of the test.
    pub test: String,
    /// Level.
    pub alpha: f64,
}

/// One `[[figure]]`.
#[derive(Debug, Clone)]
pub struct FigureSpec {
    /// Id: the name of its files.
    pub id: String,
    /// Title drawn above.
    pub title: String,
    /// Which plot.
    pub kind: FigureKind,
    /// Position on the x axis (on the y axis of `dot`, whose categories are rows).
    pub x: AxisRef,
    /// What is drawn.
    pub y: &'static Metric,
    /// One line, marker or colour each.
    pub series: AxisRef,
    /// Methods shown.
    pub methods: Vec<String>,
    /// Datasets shown.
    pub datasets: Vec<String>,
    /// Parts shown.
    pub parts: Vec<String>,
    /// Text under the x axis, if not the default.
    pub x_label: Option<String>,
    /// Text beside the y axis, if not the default.
    pub y_label: Option<String>,
    /// Whether x is on a logarithmic scale.
    pub x_log: bool,
    /// Whether y is on a logarithmic scale.
    pub y_log: bool,
    /// Whether the points of a `line` at one x stand side by side.
    pub dodge: bool,
    /// Methods whose lines are dashed.
    pub dashed: Vec<String>,
    /// Method whose value is subtracted from every other's.
    pub relative_to: Option<String>,
    /// Published values, drawn as hollow markers; a key of [`Experiment::published`].
    pub published: Option<String>,
    /// The Friedman test behind a critical-difference diagram.
    pub test: Option<String>,
}

/// The kinds of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureKind {
    /// Lines over a numeric axis, with error bars.
    Line,
    /// One row a category, one marker a series.
    Dot,
    /// Mean ranks with Nemenyi's critical difference (Demšar 2006).
    CriticalDifference,
    /// Points of two classes with decision boundaries, a panel for each trial of the first repeat.
    Boundary,
}

/// One `[[claim]]`: a sentence of the paper that the results can support or refute.
#[derive(Debug, Clone)]
pub struct ClaimSpec {
    /// Id.
    pub id: String,
    /// The sentence.
    pub text: String,
    /// Where the paper says it.
    pub source: String,
    /// How it is judged.
    pub check: Check,
}

/// Which of two sides of a comparison must hold how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HowMany {
    /// Every time.
    All,
    /// At least so often.
    AtLeast(usize),
    /// At most so often.
    AtMost(usize),
    /// Exactly so often.
    Exactly(usize),
}

/// How a claim is judged. Values are per dataset, averaged over problems, folds and repeats, at
/// full precision unless `tied` says that values equal at the paper's rounding count as ties.
#[derive(Debug, Clone)]
pub enum Check {
    /// `left` is better than `right` on so many datasets.
    Wins {
        /// An advantage must be larger than this.
        margin: f64,
        /// The method said to be better.
        left: String,
        /// The methods it is compared with; it must beat each of them.
        right: Vec<String>,
        /// What is compared.
        metric: &'static Metric,
        /// The datasets that count.
        datasets: Vec<String>,
        /// How many wins the claim needs.
        how_many: HowMany,
        /// Whether a tie at the paper's rounding counts as a win.
        or_tied: bool,
        /// Test that a win must pass, with its level.
        significant: Option<Bold>,
    },
    /// `method` ranks at `rank` or better among `among` on so many datasets.
    Rank {
        /// The method.
        method: String,
        /// All that are ranked, the method included; published-only ones by their published values.
        among: Vec<String>,
        /// What is ranked.
        metric: &'static Metric,
        /// The datasets that count.
        datasets: Vec<String>,
        /// The worst rank that counts.
        rank: usize,
        /// How many the claim needs.
        how_many: HowMany,
        /// Whether ties at the paper's rounding share the better rank.
        tied: bool,
        /// Test that whoever ranks before the method must pass against it, with its level.
        significant: Option<Bold>,
    },
    /// The p-value of `test` between `left` and `right` is below a level, or near a printed one.
    PValue {
        /// Id of the test.
        test: String,
        /// One method.
        left: String,
        /// The other.
        right: String,
        /// The p-value must be below this.
        below: Option<f64>,
        /// The p-value must be within `within` of this.
        equals: Option<f64>,
        /// Distance from `equals` that is allowed.
        within: f64,
    },
    /// A cell is within a distance of a value.
    ValueNear {
        /// The method.
        method: String,
        /// The dataset.
        dataset: String,
        /// What is measured.
        metric: &'static Metric,
        /// The value.
        value: f64,
        /// The distance that is allowed.
        within: f64,
    },
    /// Values rise or fall along a swept parameter, on so many datasets.
    Trend {
        /// The method.
        method: String,
        /// What is measured.
        metric: &'static Metric,
        /// The swept parameter.
        along: String,
        /// Whether values must rise (or fall).
        rising: bool,
        /// The datasets that count.
        datasets: Vec<String>,
        /// How many the claim needs.
        how_many: HowMany,
    },
    /// The best value along a swept parameter is where that lies in a range, on so many datasets.
    BestAt {
        /// The method.
        method: String,
        /// What is measured.
        metric: &'static Metric,
        /// The swept parameter, of numbers.
        along: String,
        /// The datasets that count.
        datasets: Vec<String>,
        /// The parameter must be at least this.
        least: Option<f64>,
        /// The parameter must be at most this.
        most: Option<f64>,
        /// How many the claim needs.
        how_many: HowMany,
    },
    /// `left / right` lies in a range, on so many datasets.
    Ratio {
        /// Numerator.
        left: String,
        /// Denominator.
        right: String,
        /// What is measured.
        metric: &'static Metric,
        /// The datasets that count.
        datasets: Vec<String>,
        /// The ratio must be at least this.
        least: Option<f64>,
        /// The ratio must be at most this.
        most: Option<f64>,
        /// How many the claim needs.
        how_many: HowMany,
    },
    /// The advantage of one method over another grows from pair to pair, on so many datasets.
    Widens {
        /// Each step must be larger than this.
        margin: f64,
        /// The better method of each pair.
        left: Vec<String>,
        /// The other of each.
        right: Vec<String>,
        /// What is compared.
        metric: &'static Metric,
        /// The datasets that count.
        datasets: Vec<String>,
        /// How many the claim needs.
        how_many: HowMany,
    },
    /// The standard deviation of a method over repeats, or its ratio to that of another method, lies in a
    /// range, on so many datasets.
    Spread {
        /// The method.
        method: String,
        /// The method whose standard deviation it is divided by.
        than: Option<String>,
        /// What is measured.
        metric: &'static Metric,
        /// The datasets that count.
        datasets: Vec<String>,
        /// It must be at least this.
        least: Option<f64>,
        /// It must be at most this.
        most: Option<f64>,
        /// How many the claim needs.
        how_many: HowMany,
    },
    /// So many cells have a value in a range.
    Counts {
        /// The methods whose cells count.
        methods: Vec<String>,
        /// What is measured.
        metric: &'static Metric,
        /// The datasets that count.
        datasets: Vec<String>,
        /// The value must be at least this.
        least: Option<f64>,
        /// The value must be at most this.
        most: Option<f64>,
        /// How many cells the claim needs.
        how_many: HowMany,
    },
    /// `left` and `right` differ by at most a margin, on so many datasets.
    Equivalent {
        /// One method.
        left: String,
        /// The other.
        right: String,
        /// What is measured.
        metric: &'static Metric,
        /// The datasets that count.
        datasets: Vec<String>,
        /// The largest difference that counts as equal.
        margin: f64,
        /// How many the claim needs.
        how_many: HowMany,
    },
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
    /// Metric name.
    pub metric: String,
    /// The number.
    pub value: f64,
    /// Its standard deviation, if printed.
    pub sd: Option<f64>,
}
