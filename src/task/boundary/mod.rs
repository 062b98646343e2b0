//! How far the decision boundary of a classifier of points in the plane moves when its training examples
//! change: when they come in other orders, or when outliers are added.

pub mod curve;
pub mod picture;

use std::time::Instant;

use crate::classification::{ClassificationData, Problem};
use crate::measured::Measured;
use base::digest::{Digest, FieldHasher};
use contract::numeric::NumericRows;
use contract::parameter::Parameters;
use contract::{Classifier, Context, Examples, FitClassifier, FitError, Labelled, Measure};
use curve::{Curve, Displacement, Grid};
use data::Dataset;
use data::generate::mixture::Points;
use data::split::Division;
use math::random::Random;
use math::sample::Sample;
use picture::{Group, Picture};

/// Cells of the grid along each side of the window in which boundaries are looked at.
const CELLS: usize = 100;

/// What changes between the fits of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The order of the training examples: so many random ones.
    Orders(usize),
    /// Outliers are added. Every repeat draws examples and outliers anew.
    Outliers,
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
    ) -> Result<Self, String> {
        let labels = dataset.labels.as_ref().ok_or("the dataset has no classes")?;
        let problem = Problem::whole(&labels.classes);
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
                let sample = dataset.mixture.as_ref().ok_or("the dataset is no mixture")?;
                let outliers = sample.outliers(seed).ok_or("the mixture has no outliers")?;
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
    ) -> Result<Self, String> {
        let all = points.iter().flat_map(|group| group.coordinates.chunks_exact(2));
        if all.clone().next().is_none() {
            return Err("the split has no training examples".to_owned());
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

fn joined(train: &Labelled, outliers: &Labelled) -> Result<Labelled, String> {
    let rows = |labelled: &Labelled| match &labelled.examples {
        Examples::Numeric(rows) => Ok(rows.values().to_vec()),
        other => Err(format!("numeric columns are needed, not {}", other.described())),
    };
    let values = [rows(train)?, rows(outliers)?].concat();
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

/// Fits one configuration to every set of training examples and compares the boundaries, every two of them.
/// Metrics that are measured on request are if `requested` names them; a picture is taken if it is `wanted`.
///
/// # Errors
/// The method's own; or if it has no decision function, no boundary in the window, or none of a metric
/// that was asked for.
pub fn measure(
    fit: FitClassifier,
    parameters: &Parameters,
    data: &BoundaryData,
    requested: &[&str],
    wanted: bool,
    context: &Context,
) -> Result<Measured, FitError> {
    super::needs("test", data.test.labels.len())?;
    let mut measured = Measured::default();
    let nodes = Examples::Numeric(NumericRows::new(2, data.grid.nodes()));
    let mut fitted = Vec::with_capacity(data.train.len());
    let mut seconds = 0.0;
    for (name, train) in &data.train {
        let start = Instant::now();
        let classifier = fit(parameters, train, context, &mut None)?;
        seconds += start.elapsed().as_secs_f64();
        fitted.push(Fitted::new(classifier.as_ref(), name, data, &nodes, context)?);
        for (name, measure) in classifier.measures() {
            add(&mut measured, name, measure);
        }
    }
    measured.times.insert("time:fit".to_owned(), seconds);
    let pairs = pairs(&fitted);
    let count = pairs.len() as f64;
    let sum = |value: fn(&Pair) -> f64| pairs.iter().map(value).sum::<f64>();
    let largest = pairs.iter().map(|pair| pair.displacement.largest).fold(0.0, f64::max);
    measured.scalar("displacement", sum(|pair| pair.displacement.mean) / count);
    measured.scalar("displacement_max", largest);
    measured.scalar("disagreement", sum(|pair| pair.disagreement) / count);
    let (first, last) = (&fitted[0], &fitted[fitted.len() - 1]);
    let wrong = match data.change {
        Change::Orders(_) => {
            let (low, high) = ends(fitted.iter().map(|fitted| mean(&fitted.wrong)));
            measured.scalar("error_range", high - low);
            mean_of_each(&fitted)
        }
        Change::Outliers => {
            let (before, after) = (mean(&first.wrong), mean(&last.wrong));
            measured.scalar("changed_error", after);
            measured.scalar("error_rise", after - before);
            first.wrong.clone()
        }
    };
    measured.scalar("test_error", mean(&wrong));
    if requested.iter().any(|name| ["boundary_angle", "angle_range"].contains(name)) {
        let angles = angles(&fitted)?;
        let (low, high) = ends(angles.iter().copied());
        measured.scalar("angle_range", high - low);
        let sample: Sample = angles.into_iter().collect();
        measured.metrics.insert("boundary_angle".to_owned(), Measure::Sample(sample));
    }
    for (name, value) in [
        ("variables", data.test.examples.variables()),
        ("train_examples", data.train[0].1.labels.len()),
        ("test_examples", data.test.labels.len()),
    ] {
        measured.scalar(name, value as f64);
    }
    measured.examples.insert("test_error".to_owned(), wrong);
    if wanted {
        measured.picture = Some(picture(data, &fitted, &pairs));
    }
    Ok(measured)
}

/// Adds what a method reports of one of several fits: a sample over them.
fn add(measured: &mut Measured, name: &str, measure: Measure) {
    let more = match measure {
        Measure::Scalar(value) => [value].into_iter().collect(),
        Measure::Sample(sample) => sample,
    };
    let known = match measured.metrics.get(name) {
        Some(Measure::Sample(sample)) => *sample,
        _ => Sample::default(),
    };
    measured.metrics.insert(name.to_owned(), Measure::Sample(known.pooled(more)));
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
    fn new(
        classifier: &dyn Classifier,
        name: &'a str,
        data: &BoundaryData,
        nodes: &Examples,
        context: &Context,
    ) -> Result<Self, FitError> {
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
        let predicted = classifier.predict(&data.test.examples, context)?;
        let wrong = |(predicted, class): (u32, &u32)| f64::from(u8::from(predicted != *class));
        Ok(Self {
            name,
            curve,
            positive: values.iter().map(|value| *value >= 0.0).collect(),
            wrong: predicted.into_iter().zip(&data.test.labels).map(wrong).collect(),
        })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
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
fn angles(fitted: &[Fitted<'_>]) -> Result<Vec<f64>, FitError> {
    let mut angles = Vec::with_capacity(fitted.len());
    for one in fitted {
        let why = || {
            FitError::Failed(format!(
                "{}: its boundary has no `boundary_angle`: it is closed; run it in a part whose `metrics` do \
                 not name an angle",
                one.name
            ))
        };
        let angle = one.curve.angle().ok_or_else(why)?;
        let first = *angles.first().unwrap_or(&angle);
        angles.push(angle - 360.0 * ((angle - first) / 360.0).round());
    }
    Ok(angles)
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// The training points and the two boundaries that differ most.
fn picture(data: &BoundaryData, fitted: &[Fitted<'_>], pairs: &[Pair]) -> Picture {
    let most = pairs.iter().max_by(|a, b| {
        // Of equal ones the first.
        a.displacement.mean.total_cmp(&b.displacement.mean).then_with(|| b.places.cmp(&a.places))
    });
    let (one, other) = most.map_or((0, 0), |pair| pair.places);
    let Grid { low, high, .. } = data.grid;
    let curve = |at: usize| (fitted[at].name.to_owned(), fitted[at].curve.clone());
    Picture {
        window: [low[0], high[0], low[1], high[1]],
        points: data.points.clone(),
        curves: vec![curve(one), curve(other)],
    }
}

#[cfg(test)]
mod tests;
