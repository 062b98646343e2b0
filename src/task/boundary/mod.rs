//! How far the decision boundary of a classifier of points in the plane moves when its training examples
//! change: when they come in other orders, or when outliers are added.

pub mod curve;
pub mod picture;

use contract::words::Words;
use std::time::Instant;

use crate::classification::{ClassificationData, TEST_ERROR};
use crate::measured::Measured;
use crate::metrics::{SIZES, TIME_FIT};
use crate::picture::Picture;
use crate::{Contradiction, Divided, Fitting, Given, Portion, Problem, Task, Traits, Unsuited};
use base::digest::{Digest, FieldHasher};
use contract::numeric::NumericRows;
use contract::parameter::{Choice, Count, Parameters, parameters, settings};
use contract::{
    Carry, Classifier, Context, Examples, FitError, Labelled, Measure, Metric, Prediction,
    Reported, Result, Work, listed, metrics,
};
use curve::{Curve, Displacement, Grid};
use data::generate::mixture::Points;
use data::split::{Division, SplitPlan};
use data::{Dataset, Truth};
use math::random::Random;
use math::sample::{Sample, mean};
use picture::{Group, Plane};

static ANGLES: Work = Work("angles");

metrics! {
    in pub(crate) OF_BOUNDARIES;
    pub DISPLACEMENT: Model = "displacement", "Displacement",
        "mean distance from the points of a decision boundary to the nearest ones of another, over both, within the window around the training examples; the mean over all pairs of orders".lower().within(0.0, f64::INFINITY);
    pub DISPLACEMENT_MAX: Model = "displacement_max", "Largest displacement",
        "largest distance from a point of a decision boundary to the nearest one of another: the Hausdorff distance, the largest of all pairs of orders".lower();
    pub DISAGREEMENT: Model = "disagreement", "Disagreement",
        "share of the window where two fits predict different classes; the mean over all pairs of orders".lower();
    pub BOUNDARY_ANGLE: Model = "boundary_angle", "Angle",
        "angle of the boundary's mean normal, towards the second class, from the x axis; a sample over the fits; measured where an experiment names it, and closed boundaries have none".unit("degrees").asked(&ANGLES);
    pub ANGLE_RANGE: Model = "angle_range", "Range of the angle",
        "largest minus smallest `boundary_angle` of a trial's fits; measured where an experiment names it".lower().unit("degrees").asked(&ANGLES);
    pub ERROR_RANGE: Model = "error_range", "Range of the error",
        "largest minus smallest `test_error` over the orders".lower();
    pub CHANGED_ERROR: Model = "changed_error", "Error with outliers",
        "zero-one loss on the test examples, which have no outliers, of the fit to training examples with outliers".lower();
    pub ERROR_RISE: Model = "error_rise", "Rise of the error", "`changed_error` - `test_error`".lower();
}

/// Cells of the grid along each side of the window in which boundaries are looked at.
const CELLS: usize = 100;

settings! {
    CHANGE change: Choice<fn(usize) -> Change>::new(&Words(&[
        ("order", Change::Orders, "the order of the training examples"),
        ("outliers", |_| Change::Outliers, "outliers are added; the examples of every repeat are drawn anew by the dataset's generator"),
    ]), "order"), "what changes between the fits of a trial";
    ORDERS orders: Count::within(2..=1000, 20), "in how many random orders a trial takes the training examples";
}

/// Learn to tell two classes of points in the plane apart, from training examples that change.
pub static BOUNDARY: Task = Task {
    word: "boundary",
    meaning: "learn to tell two classes of points in the plane apart, from training examples that change",
    keys: parameters![CHANGE, ORDERS],
    score: &TEST_ERROR,
    metrics: listed![&[&TEST_ERROR], SIZES, OF_BOUNDARIES, &[&TIME_FIT]],
    serves: |method| method.numeric_classifier().is_some(),
    setting: |settings| match Change::read(settings) {
        Change::Orders(orders) => format!("change=order orders={orders}"),
        Change::Outliers => "change=outliers".to_owned(),
    },
    draws: |_| true,
    contradiction,
    suits,
    problems: |classes, _| vec![Problem::whole(classes.len())],
    divide: |portion, settings| {
        let Portion { dataset, division, seed, .. } = portion;
        Ok(Box::new(BoundaryData::new(dataset, division, Change::read(settings), *seed)?))
    },
    ..Task::PLAIN
};

fn contradiction(settings: &Parameters, given: &Given<'_>) -> Option<Contradiction> {
    let Change::Outliers = Change::read(settings) else { return None };
    if given.keys.contains(&ORDERS.parameter.name) {
        return Some(Contradiction {
            key: ORDERS.parameter.name,
            message: "`orders` is a key of change = \"order\"",
            why: "outliers are added",
            help: "leave it out",
        });
    }
    (*given.split != SplitPlan::Published).then_some(Contradiction {
        key: "split",
        message: "every repeat draws its own examples",
        why: "there is nothing to split",
        help: "write split = \"published\"",
    })
}

fn suits(dataset: &Traits<'_>, settings: &Parameters) -> Result<(), Unsuited> {
    let classes = dataset.with_classes("boundary")?.len();
    let found = match (dataset.numeric, dataset.variables, classes) {
        (true, 2, 2) => None,
        (false, ..) => Some("no numeric columns, or bins them".to_owned()),
        (true, 2, _) => Some(format!("{classes} classes")),
        (true, columns, _) => Some(format!("{columns} columns")),
    };
    if let Some(found) = found {
        return Err(Unsuited::NotPlane { dataset: dataset.id.to_owned(), found });
    }
    let has_outliers = dataset.mixture.is_some_and(|mixture| mixture.outliers.is_some());
    match Change::read(settings) {
        Change::Outliers if !has_outliers => Err(Unsuited::NoOutliers(dataset.id.to_owned())),
        _ => Ok(()),
    }
}

/// What changes between the fits of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The order of the training examples: so many random ones.
    Orders(usize),
    /// Outliers are added. Every repeat draws examples and outliers anew.
    Outliers,
}

impl Change {
    fn read(settings: &Parameters) -> Self {
        settings.get(&CHANGE)(settings.get(&ORDERS))
    }
}

/// The training examples of each fit of a trial, and what they are judged by.
#[derive(Debug, Clone)]
pub struct BoundaryData {
    /// Training examples by the name of what they are: at least two sets.
    pub train: Vec<(String, Labelled)>,
    /// Test examples, without outliers.
    pub test: Labelled,
    /// Where boundaries are looked at: around all training examples.
    pub grid: Grid,
    /// What changes.
    pub change: Change,
    /// The training points, for a picture.
    points: Vec<Group>,
}

impl BoundaryData {
    /// The examples of a division: their training examples in random orders; or examples and outliers that
    /// the mixture behind the dataset draws, without and with the outliers. `seed` depends on the repeat.
    ///
    /// # Errors
    /// If the dataset has none of what the change needs.
    pub fn new(
        dataset: &Dataset,
        division: &Division,
        change: Change,
        seed: Digest,
    ) -> Result<Self> {
        let labels = dataset.targets.labels().ok_or_else(|| crate::lacking("classes"))?;
        let problem = Problem::whole(labels.classes.len());
        let divided = ClassificationData::new(dataset, &labels.of_example, division, &problem);
        let ClassificationData { train, test, .. } = divided;
        match change {
            Change::Orders(count) => {
                let seed = FieldHasher::new("orders").field(seed.0).finish();
                let mut random = Random::new(seed);
                let sets = (1..=count).map(|order| {
                    let permutation = random.permutation(train.labels.len());
                    (format!("order {order}"), reordered(&train, &permutation))
                });
                let groups = groups(&train, &labels.classes, false);
                Self::around(sets.collect(), test, change, groups)
            }
            Change::Outliers => {
                let Truth::Mixture(sample) = &dataset.truth else {
                    return Err(crate::lacking("mixture"));
                };
                let outliers = sample.outliers(seed).ok_or_else(|| crate::lacking("outliers"))?;
                let of = |Points { rows, labels }: Points| Labelled {
                    examples: Examples::Numeric(rows),
                    labels,
                    ..train.clone()
                };
                let (train, test) = (of(sample.train(seed)), of(sample.test(seed)));
                let outliers = of(outliers);
                let mut points = groups(&train, &labels.classes, false);
                points.extend(groups(&outliers, &labels.classes, true));
                let both = joined(&train, &outliers)?;
                let sets = [("without outliers", train), ("with outliers", both)];
                let sets = sets.map(|(name, set)| (name.to_owned(), set)).to_vec();
                Self::around(sets, test, change, points)
            }
        }
    }

    fn around(
        train: Vec<(String, Labelled)>,
        test: Labelled,
        change: Change,
        points: Vec<Group>,
    ) -> Result<Self> {
        let all = points.iter().flat_map(|group| group.coordinates.chunks_exact(2));
        if all.clone().next().is_none() {
            return Err(FitError::NoExamples);
        }
        let grid = Grid::around(all, CELLS);
        Ok(Self { train, test, grid, change, points })
    }
}

fn reordered(train: &Labelled, order: &[usize]) -> Labelled {
    Labelled {
        examples: train.examples.select(order),
        labels: order.iter().map(|&example| train.labels[example]).collect(),
        ..train.clone()
    }
}

fn joined(train: &Labelled, outliers: &Labelled) -> Result<Labelled> {
    let values =
        [train.examples.numeric()?.values(), outliers.examples.numeric()?.values()].concat();
    Ok(Labelled {
        examples: Examples::Numeric(NumericRows::new(train.examples.variables(), values)),
        labels: [&train.labels[..], &outliers.labels].concat(),
        ..train.clone()
    })
}

/// The points of each class.
fn groups(labelled: &Labelled, classes: &[String], outliers: bool) -> Vec<Group> {
    let Examples::Numeric(rows) = &labelled.examples else { return Vec::new() };
    let group = |(class, name): (usize, &String)| {
        let of_class =
            rows.iter().zip(&labelled.labels).filter(|(_, label)| **label as usize == class);
        let coordinates = of_class.flat_map(|(row, _)| row).copied().collect::<Vec<f64>>();
        (!outliers || !coordinates.is_empty()).then(|| Group {
            class: name.clone(),
            outliers,
            coordinates,
        })
    };
    classes.iter().enumerate().filter_map(group).collect()
}

impl Divided for BoundaryData {
    /// Fits one configuration to every set of training examples and compares the boundaries, every two of them.
    fn measure(&self, fitting: &Fitting<'_>, _: &mut Carry) -> Result<Measured> {
        let Fitting { method, parameters, ask, context } = *fitting;
        let fit = method.numeric_classifier().ok_or_else(|| BOUNDARY.unserved())?;
        crate::needs("test", self.test.labels.len())?;
        let mut measured = Measured::default();
        let nodes = Examples::Numeric(NumericRows::new(2, self.grid.nodes()));
        let mut fitted = Vec::with_capacity(self.train.len());
        let mut seconds = 0.0;
        for (name, train) in &self.train {
            let start = Instant::now();
            let classifier = fit(parameters, train, context, &mut None)?;
            seconds += start.elapsed().as_secs_f64();
            let (one, noticed) = Fitted::new(classifier.as_ref(), name, self, &nodes, context)?;
            fitted.push(one);
            for (metric, measure) in classifier.measures().into_iter().chain(noticed) {
                add(&mut measured, metric, measure);
            }
        }
        measured.times.insert(&TIME_FIT, seconds);
        let pairs = pairs(&fitted);
        let average = |of: fn(&Pair) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
        let largest = pairs.iter().map(|pair| pair.displacement.largest).fold(0.0, f64::max);
        measured.scalar(&DISPLACEMENT, average(|pair| pair.displacement.mean));
        measured.scalar(&DISPLACEMENT_MAX, largest);
        measured.scalar(&DISAGREEMENT, average(|pair| pair.disagreement));
        let error = |of: &Fitted<'_>| mean(&of.wrong);
        let wrong = match self.change {
            Change::Orders(_) => {
                measured.scalar(&ERROR_RANGE, range(fitted.iter().map(error)));
                mean_of_each(&fitted)
            }
            Change::Outliers => {
                let (before, after) = (error(&fitted[0]), error(&fitted[fitted.len() - 1]));
                measured.scalar(&CHANGED_ERROR, after);
                measured.scalar(&ERROR_RISE, after - before);
                fitted[0].wrong.clone()
            }
        };
        measured.scalar(&TEST_ERROR, mean(&wrong));
        if ask.names(&BOUNDARY_ANGLE) {
            match angles(&fitted) {
                Ok(angles) => {
                    measured.scalar(&ANGLE_RANGE, range(angles.iter().copied()));
                    let sample: Sample = angles.into_iter().collect();
                    measured.metrics.insert(&BOUNDARY_ANGLE, Measure::Sample(sample));
                }
                Err(closed) => {
                    let why = format!("{closed}: its boundary is closed");
                    measured.lacks([&BOUNDARY_ANGLE, &ANGLE_RANGE], ask, &why);
                }
            }
        }
        let (train, test) = (&self.train[0].1, &self.test);
        measured.sizes(test.examples.variables(), train.labels.len(), test.labels.len());
        measured.examples.insert(&TEST_ERROR, wrong);
        if ask.picture {
            measured.picture = Some(Picture::Plane(picture(self, &fitted, &pairs)));
        }
        Ok(measured)
    }
}

/// Adds what a method reports of one of several fits: a sample over them.
fn add(measured: &mut Measured, metric: &'static Metric, measure: Measure) {
    let more = match measure {
        Measure::Scalar(value) => [value].into_iter().collect(),
        Measure::Sample(sample) => sample,
    };
    let known = match measured.metrics.get(metric.name) {
        Some(Measure::Sample(sample)) => *sample,
        _ => Sample::default(),
    };
    measured.metrics.insert(metric, Measure::Sample(known.pooled(more)));
}

/// A fitted classifier, as far as it is looked at.
struct Fitted<'a> {
    name: &'a str,
    curve: Curve,
    /// Whether class 1 is predicted at each node of the grid.
    positive: Vec<bool>,
    /// 1 for each test example whose class is not predicted, 0 for each other.
    wrong: Vec<f64>,
}

impl<'a> Fitted<'a> {
    /// With what the classifier noticed of the test examples.
    fn new(
        classifier: &dyn Classifier,
        name: &'a str,
        data: &BoundaryData,
        nodes: &Examples,
        context: &Context,
    ) -> Result<(Self, Reported)> {
        let failed = |why: &str| FitError::Failed(format!("{name}: {why}"));
        let values = classifier.decision_values(nodes, context)?;
        let values = values.ok_or_else(|| failed("it has no decision function"))?;
        if values.iter().any(|value| !value.is_finite()) {
            return Err(failed("its decision function is not a finite number everywhere"));
        }
        let curve = Curve::of(&data.grid, &values);
        if curve.is_empty() {
            return Err(failed("it predicts one class wherever there are examples"));
        }
        let Prediction { classes, noticed } = classifier.predict(&data.test.examples, context)?;
        let wrong = |(predicted, class): (u32, &u32)| f64::from(predicted != *class);
        let fitted = Self {
            name,
            curve,
            positive: values.iter().map(|value| *value >= 0.0).collect(),
            wrong: classes.into_iter().zip(&data.test.labels).map(wrong).collect(),
        };
        Ok((fitted, noticed))
    }
}

/// The share of the fits that are wrong about each test example.
fn mean_of_each(fitted: &[Fitted<'_>]) -> Vec<f64> {
    let examples = 0..fitted[0].wrong.len();
    let share = |example: usize| {
        fitted.iter().map(|fitted| fitted.wrong[example]).sum::<f64>() / fitted.len() as f64
    };
    examples.map(share).collect()
}

/// How two boundaries differ.
struct Pair {
    places: (usize, usize),
    displacement: Displacement,
    disagreement: f64,
}

fn pairs(fitted: &[Fitted<'_>]) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(fitted.len() * (fitted.len() - 1) / 2);
    for (one, left) in fitted.iter().enumerate() {
        for (other, right) in fitted.iter().enumerate().skip(one + 1) {
            let differ = left.positive.iter().zip(&right.positive).filter(|(a, b)| a != b);
            pairs.push(Pair {
                places: (one, other),
                displacement: left.curve.displacement(&right.curve),
                disagreement: differ.count() as f64 / left.positive.len() as f64,
            });
        }
    }
    pairs
}

/// The angle of each boundary, in degrees, within 180 of the first one's.
///
/// # Errors
/// The name of the first one that is closed.
fn angles<'f>(fitted: &[Fitted<'f>]) -> Result<Vec<f64>, &'f str> {
    let mut angles = Vec::with_capacity(fitted.len());
    for one in fitted {
        let angle = one.curve.angle().ok_or(one.name)?;
        let first = *angles.first().unwrap_or(&angle);
        angles.push(angle - 360.0 * ((angle - first) / 360.0).round());
    }
    Ok(angles)
}

/// From the least to the greatest.
fn range(values: impl Iterator<Item = f64>) -> f64 {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values.fold(none, |(low, high), v| (low.min(v), high.max(v)));
    high - low
}

/// The training points and the two boundaries that differ most.
fn picture(data: &BoundaryData, fitted: &[Fitted<'_>], pairs: &[Pair]) -> Plane {
    let most = pairs.iter().max_by(|a, b| {
        // Of equal ones the first.
        a.displacement.mean.total_cmp(&b.displacement.mean).then_with(|| b.places.cmp(&a.places))
    });
    let (one, other) = most.map_or((0, 0), |pair| pair.places);
    let Grid { low, high, .. } = data.grid;
    let curve = |at: usize| (fitted[at].name.to_owned(), fitted[at].curve.clone());
    Plane {
        window: [low[0], high[0], low[1], high[1]],
        points: data.points.clone(),
        curves: vec![curve(one), curve(other)],
    }
}

#[cfg(test)]
mod tests;
