//! The numbers that tests, figures and claims are about.

use ::task::picture::Picture;
use ::task::predictions::Predictions;
use base::digest::Digest;
use base::words;
use contract::{DatasetId, MethodId, Metric, PartId, Value};
use itertools::Itertools as _;
use math::decimal::Grid as DecimalGrid;
use stats::{Dependence, Effect};

use super::design::{AxisRef, MethodSpec};
use super::lack::Lack;
use super::number::Rounding;
use super::over::{Dependent, Over};

/// Whose numbers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Ours; of methods that are only published, the paper's.
    Ours,
    /// The paper's only.
    Published,
}

/// Of which trials a figure shows the pictures; of a grid, of selected points only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictured {
    /// Of none.
    None,
    /// Of the first fold of the first repeat.
    First,
    /// Of all folds of all repeats, joined.
    All,
}

/// The numbers of an experiment on one basis: what holds them answers. Where there is none, an error says why.
pub trait Evidence: Sync {
    /// A method of the experiment.
    fn method(&self, id: &MethodId) -> Option<&MethodSpec>;

    /// How the paper prints a metric.
    fn rounding(&self, metric: &Metric) -> Rounding;

    /// Whose numbers these are.
    fn whose(&self) -> Whose;

    /// What people read for a dataset.
    fn title(&self, dataset: &DatasetId) -> String;

    /// The value of a method on a dataset, in the metric's unit.
    ///
    /// # Errors
    /// There is none.
    fn value(&self, dataset: &DatasetId, at: Place<'_>, metric: &Metric) -> Result<f64, Lack>;

    /// The standard deviation of a method on a dataset over repeats.
    ///
    /// # Errors
    /// There is none.
    fn deviation(
        &self,
        dataset: &DatasetId,
        method: &MethodId,
        metric: &Metric,
    ) -> Result<f64, Lack>;

    /// How large something is on a dataset, with the interval that what is known of its noise gives; none where nothing
    /// is known.
    fn size(&self, dataset: &DatasetId, of: Quantity<'_>, metric: &Metric) -> Option<Size>;

    /// The standard error, over the test examples, of the difference of two methods' values on a dataset, in the
    /// metric's unit; none where the values of the test examples were not kept.
    fn test_sample_error(
        &self,
        dataset: &DatasetId,
        methods: (&MethodId, &MethodId),
        metric: &Metric,
    ) -> Option<f64>;

    /// The values of two methods of a test, pair by pair: over datasets, or within one.
    ///
    /// # Errors
    /// A value that should be there is not, or they do not pair up.
    fn pairs(
        &self,
        test: &TestDesign,
        methods: (&MethodId, &MethodId),
        dataset: Option<&DatasetId>,
    ) -> Result<Pairs, Lack>;

    /// The values of all methods of a test, block by block: over datasets, or within one.
    ///
    /// # Errors
    /// A value that should be there is not, or they do not line up.
    fn blocks(&self, test: &TestDesign, dataset: Option<&DatasetId>) -> Result<Blocks, Lack>;

    /// The values of a figure where `x` and `series` meet.
    fn grid(&self, figure: &FigureDesign, axes: &GridAxes<'_>) -> Grid;

    /// The pictures of trials that a figure shows.
    fn panels(&self, figure: &FigureDesign, pictured: Pictured) -> Vec<Panel>;

    /// The predictions that are kept of the trials which a figure shows.
    fn predictions<'a>(&'a self, figure: &'a FigureDesign) -> Vec<Panel<Vec<&'a Predictions>>>;

    /// The values of the trials which a figure shows.
    fn spread(&self, figure: &FigureDesign) -> Vec<Panel<Vec<f64>>>;
}

impl dyn Evidence + '_ {
    /// What people read for a method.
    pub fn label<'e>(&'e self, method: &'e MethodId) -> &'e str {
        self.method(method).map_or(method.as_str(), |spec| &spec.label)
    }

    /// Those of these methods whose published values stand beside our own numbers.
    pub fn quoted_among<'m>(
        &self,
        methods: impl IntoIterator<Item = &'m MethodId>,
    ) -> Vec<MethodId> {
        let ours = self.whose() == Whose::Ours;
        let only = |id: &&MethodId| self.method(id).is_some_and(|spec| spec.published_only());
        methods.into_iter().filter(|id| ours && only(id)).unique().cloned().collect()
    }
}

/// What has a size.
#[derive(Debug, Clone, Copy)]
pub enum Quantity<'a> {
    /// A value.
    Value(Place<'a>),
    /// How much the first differs from the second.
    Difference(Place<'a>, Place<'a>),
    /// How many times the second the first is.
    Ratio(Place<'a>, Place<'a>),
}

/// A method, at a point of its sweep.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Its id.
    pub method: &'a MethodId,
    /// The point.
    pub sweep: &'a [(&'a str, &'a Value)],
}

impl<'a> From<&'a MethodId> for Place<'a> {
    /// Without a sweep.
    fn from(method: &'a MethodId) -> Self {
        Self { method, sweep: &[] }
    }
}

/// How large something is, with an interval, and where that comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// What it is, its estimate and its interval.
    pub effect: Effect,
    /// Confidence level of the interval.
    pub level: f64,
    /// What it is over.
    pub over: Over,
}

/// What a `[[test]]` compares.
#[derive(Debug, Clone)]
pub struct TestDesign {
    /// Id.
    pub id: String,
    /// The word of its kind.
    pub word: &'static str,
    /// What people call its kind.
    pub called: &'static str,
    /// What is compared.
    pub metric: &'static Metric,
    /// The method that all others are compared with; without it, all pairs.
    pub reference: Option<MethodId>,
    /// Methods that take part, in file order.
    pub methods: Vec<MethodId>,
    /// Datasets that take part.
    pub datasets: Vec<DatasetId>,
    /// The part whose trials count; none if all do.
    pub part: Option<PartId>,
    /// What one pair is.
    pub pair_by: PairBy,
    /// What becomes of values that depend on each other.
    pub dependent: Dependent,
    /// Whether it is of 0/1 outcomes: of one run, where others are of means over runs.
    pub outcomes: bool,
}

/// What the rows of a test say of two methods.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Says {
    /// By a p-value, that they differ.
    Difference,
    /// By a p-value, that they differ by less than this.
    Equivalence(f64),
    /// By an interval of this level, that they differ.
    Interval(f64),
    /// By posterior probabilities, that they differ by more than this.
    Posterior(f64),
}

words! {
    /// What one pair of a paired test is.
    pub enum PairBy {
        Dataset = "dataset", "values averaged over everything else; one test";
        Problem = "problem", "a class pair; one test a dataset";
        Fold = "fold", "one test a dataset";
        Repeat = "repeat", "one test a dataset";
        Example = "example", "a test example, its values averaged over the repeats of a published split; where scores are real numbers and examples more than 1,000, one of at most 1,000 blocks of them, drawn once for all methods; one test a dataset";
        Auto = "auto", "what a dataset has several of: problems, else folds, else repeats, else test examples; one test a dataset";
    }
}

impl TestDesign {
    /// The reference with every other method, or all pairs.
    pub fn method_pairs(&self) -> Vec<(&MethodId, &MethodId)> {
        let methods = &self.methods;
        match &self.reference {
            Some(reference) => methods
                .iter()
                .filter(|method| *method != reference)
                .map(|method| (reference, method))
                .collect(),
            None => methods.iter().array_combinations().map(<(_, _)>::from).collect(),
        }
    }
}

/// What is added to a test's id where it is run on the paper's numbers.
const PUBLISHED: &str = "@published";

/// What files call a test or a family where it is run on these numbers.
pub(super) fn id_on(test: &str, whose: Whose) -> String {
    match whose {
        Whose::Ours => test.to_owned(),
        Whose::Published => format!("{test}{PUBLISHED}"),
    }
}

/// What a `[[figure]]` shows.
#[derive(Debug, Clone)]
pub struct FigureDesign {
    /// Id: the name of its files.
    pub id: String,
    /// Title drawn above.
    pub title: String,
    /// What is drawn; none of universes, where it is the effect of a claim.
    pub y: Option<&'static Metric>,
    /// Methods shown.
    pub methods: Vec<MethodId>,
    /// Datasets shown.
    pub datasets: Vec<DatasetId>,
    /// Parts shown.
    pub parts: Vec<PartId>,
}

/// The values of two methods, pair by pair.
#[derive(Debug, Clone)]
pub struct Pairs {
    /// The first method's values.
    pub left: Vec<f64>,
    /// The second method's.
    pub right: Vec<f64>,
    /// Left minus right, to the last bit; ranks are those of [`Self::on_paper`].
    pub differences: Vec<f64>,
    /// How the differences depend on each other; not at all where the test ignores it.
    pub dependence: Dependence,
    /// What the pairs are.
    pub over: Over,
    /// Remarks: pairs left out, quoted values.
    pub note: String,
    /// The seed of random numbers that are drawn for them.
    pub seed: Digest,
}

impl Pairs {
    /// Those of the second method and the first.
    pub fn turned(&self) -> Self {
        let differences = self.differences.iter().map(|difference| -difference).collect();
        Self { left: self.right.clone(), right: self.left.clone(), differences, ..self.clone() }
    }

    /// With so much subtracted from each left value.
    pub fn less(mut self, by: f64) -> Self {
        self.left.iter_mut().chain(&mut self.differences).for_each(|value| *value -= by);
        self
    }

    /// Whether differences are apart by rounding errors at most: then it may be that they are equal on paper.
    pub fn hardly_vary(&self) -> bool {
        let (Some(left), Some(right)) = (self.left.first(), self.right.first()) else {
            return false;
        };
        let rounding = 1e-9 * left.abs().max(right.abs());
        self.differences.iter().all(|one| (one - (left - right)).abs() <= rounding)
    }

    /// Differences that tie where they would on paper: all on one grid.
    pub fn on_paper(&self) -> Vec<f64> {
        let grid = DecimalGrid::of(self.left.iter().chain(&self.right));
        let pairs = self.left.iter().zip(&self.right);
        pairs.map(|(one, other)| grid.difference(*one, *other)).collect()
    }
}

/// The values of several methods, block by block.
#[derive(Debug, Clone)]
pub struct Blocks {
    /// Their ids.
    pub methods: Vec<MethodId>,
    /// The values of each block, in the order of the methods.
    pub values: Vec<Vec<f64>>,
    /// What the blocks are.
    pub over: Over,
    /// Remarks: what was left out, quoted values.
    pub note: String,
}

/// What the values of a figure run over.
#[derive(Debug, Clone, Copy)]
pub struct GridAxes<'a> {
    /// The positions.
    pub x: &'a AxisRef,
    /// The series.
    pub series: &'a AxisRef,
    /// The method whose value is subtracted from every other's.
    pub relative_to: Option<&'a MethodId>,
    /// The file of published values that stand beside ours.
    pub published: Option<&'a str>,
}

/// The values of a figure: each series has one, or none, at every position.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// The positions.
    pub positions: Vec<Position>,
    /// The series.
    pub series: Vec<Series>,
    /// What the error bars are over, if anything varies, with their level.
    pub bars: Option<(f64, &'static str)>,
}

/// A position of a figure.
#[derive(Debug, Clone)]
pub struct Position {
    /// What people read.
    pub label: String,
    /// Its place on a numeric axis, if it has one.
    pub number: Option<f64>,
    /// Why there is no value at it, neither ours nor the paper's; none if there is one.
    pub why: Option<String>,
}

/// A series of a figure.
#[derive(Debug, Clone)]
pub struct Series {
    /// What people read.
    pub label: String,
    /// The method, if it is of one.
    pub method: Option<MethodId>,
    /// Our values, by position.
    pub ours: Vec<Option<Mark>>,
    /// The paper's.
    pub paper: Vec<Option<Mark>>,
}

/// A value with the ends of its error bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// The value.
    pub value: f64,
    /// Lower and upper end of the error bar.
    pub bar: Option<(f64, f64)>,
}

/// Trials as they are.
#[derive(Debug, Clone)]
pub struct Panel<T = Picture> {
    /// What it shows.
    pub label: String,
    /// What stands under the label.
    pub note: String,
    /// What is drawn, or why there is nothing to draw.
    pub picture: Result<T, &'static str>,
}
