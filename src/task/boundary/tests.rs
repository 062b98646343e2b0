//! The task with classifiers whose boundaries are known.

use super::*;
use crate::Ask;
use contract::{Carry, Fit, FitClassifier};
use data::generate::mixture::{Class, Component, MixtureSample, Outliers};
use data::{Labels, Targets};
use math::special::{atan2, cos, sin};
use testing::{context, method};

contract::metrics! { EPOCHS: Training = "epochs", "Epochs", "passes over the training examples"; }

fn square(x: f64) -> f64 {
    x * x
}

/// f(x) = w·x + c.
struct Linear {
    weights: [f64; 2],
    offset: f64,
}

impl Classifier for Linear {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let values = self.decision_values(examples, context)?.unwrap_or_default();
        Ok(values.into_iter().map(|value| u32::from(value > 0.0)).collect::<Vec<u32>>().into())
    }

    fn decision_values(&self, examples: &Examples, _: &Context) -> Result<Option<Vec<f64>>> {
        let value = |row: &[f64]| self.weights[0] * row[0] + self.weights[1] * row[1] + self.offset;
        Ok(Some(examples.numeric()?.iter().map(value).collect()))
    }

    fn measures(&self) -> Reported {
        vec![(&EPOCHS, Measure::Scalar(self.weights[0]))]
    }
}

/// The plane halfway between the means of the classes, at right angles to their difference.
fn means(
    _: &Parameters,
    train: &Labelled,
    _: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>> {
    let mut sums = [[0.0; 3]; 2];
    for (row, &label) in train.examples.numeric()?.iter().zip(&train.labels) {
        let sum = &mut sums[label as usize];
        [1.0, row[0], row[1]].iter().zip(sum).for_each(|(value, sum)| *sum += value);
    }
    let mean = sums.map(|[count, x, y]| [x / count, y / count]);
    let weights = [mean[1][0] - mean[0][0], mean[1][1] - mean[0][1]];
    let middle = [0, 1].map(|axis| (mean[0][axis] + mean[1][axis]) / 2.0);
    let offset = -(weights[0] * middle[0] + weights[1] * middle[1]);
    Ok(Box::new(Linear { weights, offset }))
}

/// A line at right angles to the first training example, through [`MIDDLE`].
fn first(
    _: &Parameters,
    train: &Labelled,
    _: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>> {
    let row = train.examples.numeric()?.row(0);
    let offset = -(row[0] * MIDDLE[0] + row[1] * MIDDLE[1]);
    Ok(Box::new(Linear { weights: [row[0], row[1]], offset }))
}

fn dataset(values: &[f64], labels: &[u32]) -> Dataset {
    let examples = Examples::Numeric(NumericRows::new(2, values.to_vec()));
    let classes = ["no", "yes"].map(str::to_owned).to_vec();
    Dataset {
        targets: Targets::Classes(Labels { classes, of_example: labels.to_vec() }),
        ..Dataset::new("d", Digest::of(b"d"), examples)
    }
}

/// A point between the training examples of [`orders`].
const MIDDLE: [f64; 2] = [0.95, 0.2];

/// Three training examples at 0, 10 and 25 degrees on the unit circle, and two test examples.
fn orders(count: usize, seed: &[u8]) -> BoundaryData {
    let train = [0.0, 10.0, 25.0_f64].map(|degrees| degrees.to_radians());
    let mut values: Vec<f64> = train.iter().flat_map(|angle| [cos(*angle), sin(*angle)]).collect();
    values.extend([MIDDLE[0] + 1.0, MIDDLE[1], MIDDLE[0] - 0.1, MIDDLE[1] + 0.5]);
    let dataset = dataset(&values, &[0, 1, 1, 1, 0]);
    let division = Division { train: vec![0, 1, 2], valid: vec![], test: vec![3, 4] };
    BoundaryData::new(&dataset, &division, Change::Orders(count), Digest::of(seed)).unwrap()
}

fn run(fit: FitClassifier, data: &BoundaryData, requested: &[&'static Metric]) -> Result<Measured> {
    let context = context(Digest::of(b""), 0);
    let ask = Ask { metrics: requested.to_vec(), picture: true, ..Ask::default() };
    let method = method(vec![Fit::Numeric(fit)]);
    data.measure(
        &Fitting {
            method: &method,
            parameters: &Parameters::defaults(&[]),
            ask: &ask,
            context: &context,
        },
        &mut None,
    )
}

fn value(measured: &Measured, name: &str) -> f64 {
    measured.metrics[name].value()
}

#[test]
fn a_classifier_that_does_not_see_the_order_is_not_displaced_by_it() {
    let measured = run(means, &orders(5, b"a"), &[&BOUNDARY_ANGLE]).unwrap();
    // The sums of the classes differ by the order of their terms alone.
    assert!(value(&measured, "displacement") < 1e-15);
    assert!(value(&measured, "displacement_max") < 1e-15);
    assert!(value(&measured, "angle_range") < 1e-12);
    assert_eq!((value(&measured, "error_range"), value(&measured, "disagreement")), (0.0, 0.0));
    let Measure::Sample(epochs) = measured.metrics["epochs"] else { panic!("a sample") };
    assert_eq!(epochs.n, 5, "what the method reports is a sample over the fits");
}

#[test]
fn all_pairs_of_orders_are_compared() {
    let data = orders(40, b"b");
    let measured = run(first, &data, &[&ANGLE_RANGE]).unwrap();
    // With 40 orders of three examples each is first in some: normals at 0, 10 and 25 degrees.
    assert!((value(&measured, "angle_range") - 25.0).abs() < 1e-10);
    let Measure::Sample(angles) = measured.metrics["boundary_angle"] else { panic!("a sample") };
    let firsts: Vec<f64> = data
        .train
        .iter()
        .map(|(_, train)| {
            let row = train.examples.numeric().unwrap().row(0);
            atan2(row[1], row[0]).to_degrees()
        })
        .collect();
    assert_eq!(angles.n, 40);
    assert!((angles.mean - firsts.iter().sum::<f64>() / 40.0).abs() < 1e-10);
    let Some(Picture::Plane(picture)) = &measured.picture else { panic!("no plane") };
    let between: Vec<f64> = picture.curves.iter().map(|(_, c)| c.angle().unwrap()).collect();
    assert!(((between[0] - between[1]).abs() - 25.0).abs() < 1e-10, "the two that differ most");
    // The test example (-0.1, 0.5) from the middle is on the positive side of the line at 25 degrees only.
    let wrong = firsts.iter().filter(|&&angle| angle > 12.0).count() as f64;
    assert!((value(&measured, "test_error") - wrong / 80.0).abs() < 1e-15);
    assert_eq!(value(&measured, "error_range"), 0.5);
    assert_eq!(measured.examples["test_error"], [0.0, wrong / 40.0]);
    assert_ne!(
        data.train[0].1.labels,
        orders(40, b"c").train[0].1.labels,
        "other repeats, other orders"
    );
}

fn mixture(outliers: Option<Outliers>) -> MixtureSample {
    let component = |class, at: f64| Component { class, weight: 0.5, mean: vec![at, 0.0] };
    let components = vec![component(Class::Negative, -2.0), component(Class::Positive, 2.0)];
    let (seed, train, test, variance) = (1, 400, 1000, 1e-6);
    MixtureSample { seed, train, test, variance, components, outliers }.checked().unwrap()
}

fn with_outliers(seed: &[u8]) -> BoundaryData {
    // As many outliers as there are positive examples, on the far side of the negative ones.
    let (class, mean) = (Class::Positive, vec![-4.0, 3.0]);
    let mixture = mixture(Some(Outliers { class, count: 200, mean, variance: 1e-6 }));
    let dataset = Dataset { truth: Truth::Mixture(mixture), ..dataset(&[0.0; 4], &[0, 1]) };
    let division = Division { train: vec![0], valid: vec![], test: vec![1] };
    BoundaryData::new(&dataset, &division, Change::Outliers, Digest::of(seed)).unwrap()
}

#[test]
fn outliers_displace_a_boundary_as_far_as_they_should() {
    let data = with_outliers(b"a");
    assert_eq!(data.train.iter().map(|(_, set)| set.labels.len()).collect::<Vec<_>>(), [400, 600]);
    let measured = run(means, &data, &[&BOUNDARY_ANGLE]).unwrap();
    // Positive examples are n of 400, so their mean with the outliers is at (2 n - 800, 600) / (n + 200).
    let n = data.train[0].1.labels.iter().sum::<u32>() as f64;
    let mean = [(2.0 * n - 800.0) / (n + 200.0), 600.0 / (n + 200.0)];
    let (weights, middle) = ([mean[0] + 2.0, mean[1]], [(mean[0] - 2.0) / 2.0, mean[1] / 2.0]);
    let angle = atan2(weights[1], weights[0]).to_degrees();
    assert!((value(&measured, "angle_range") - angle).abs() < 0.05);
    assert_eq!(value(&measured, "test_error"), 0.0);
    // Both components lie on the sides that the new line gives them.
    let side = |x: f64| weights[0] * (x - middle[0]) - weights[1] * middle[1];
    let wrong = f64::from(u8::from(side(-2.0) > 0.0) + u8::from(side(2.0) < 0.0)) / 2.0;
    assert!((value(&measured, "changed_error") - wrong).abs() < 0.1);
    assert_eq!(value(&measured, "error_rise"), value(&measured, "changed_error"));
    // By an independent sum over the lines x = 0 and w·(x - m) = 0, sampled densely in the window.
    let [low, high] = [data.grid.low, data.grid.high];
    let normal = [cos(angle.to_radians()), sin(angle.to_radians())];
    let offset = normal[0] * middle[0] + normal[1] * middle[1];
    let inside = |p: &[f64; 2]| (0..2).all(|axis| low[axis] <= p[axis] && p[axis] <= high[axis]);
    let steps = (-20_000..20_000).map(|step| f64::from(step) * 1e-3);
    let one: Vec<[f64; 2]> = steps.clone().map(|t| [0.0, t]).filter(inside).collect();
    let other: Vec<[f64; 2]> = steps
        .map(|t| [normal[0] * offset - normal[1] * t, normal[1] * offset + normal[0] * t])
        .filter(inside)
        .collect();
    let nearest = |p: &[f64; 2], line: &[[f64; 2]]| {
        let square = line.iter().map(|q| square(p[0] - q[0]) + square(p[1] - q[1]));
        square.fold(f64::INFINITY, f64::min).sqrt()
    };
    let sample: Vec<f64> = one
        .iter()
        .step_by(50)
        .map(|p| nearest(p, &other))
        .chain(other.iter().step_by(50).map(|p| nearest(p, &one)))
        .collect();
    let expected = sample.iter().sum::<f64>() / sample.len() as f64;
    assert!((value(&measured, "displacement") - expected).abs() < 0.01, "{expected}");
    let Some(Picture::Plane(picture)) = &measured.picture else { panic!("no plane") };
    let names: Vec<&str> = picture.curves.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["without outliers", "with outliers"]);
    let groups: Vec<(&str, bool)> =
        picture.points.iter().map(|group| (&*group.class, group.outliers)).collect();
    assert_eq!(groups, [("no", false), ("yes", false), ("yes", true)]);
}

#[test]
fn every_repeat_draws_its_own_examples_and_outliers() {
    let (one, other) = (with_outliers(b"a"), with_outliers(b"b"));
    let values = |data: &BoundaryData, set: usize| {
        data.train[set].1.examples.numeric().unwrap().values().to_vec()
    };
    assert_ne!(values(&one, 0), values(&other, 0));
    assert_ne!(values(&one, 1)[800..], values(&other, 1)[800..]);
    assert_eq!(values(&one, 0), values(&one, 1)[..800]);
    assert_ne!(
        one.test.examples.numeric().unwrap().values(),
        other.test.examples.numeric().unwrap().values(),
        "test examples too"
    );
    assert_eq!(values(&one, 1), values(&with_outliers(b"a"), 1), "the same for all methods");
}

#[test]
fn what_has_no_boundary_fails_and_says_why() {
    struct Odd(fn(&[f64]) -> Option<f64>);
    impl Classifier for Odd {
        fn predict(&self, examples: &Examples, _: &Context) -> Result<Prediction> {
            Ok(vec![0; examples.len()].into())
        }
        fn decision_values(&self, examples: &Examples, _: &Context) -> Result<Option<Vec<f64>>> {
            Ok(examples.numeric()?.iter().map(|row| (self.0)(row)).collect())
        }
    }
    let message = |fit: FitClassifier| run(fit, &orders(2, b"a"), &[]).unwrap_err().to_string();
    let none: FitClassifier = |_, _, _, _| Ok(Box::new(Odd(|_| None)));
    assert_eq!(message(none), "order 1: it has no decision function");
    let same: FitClassifier = |_, _, _, _| Ok(Box::new(Odd(|_| Some(-1.0))));
    assert_eq!(message(same), "order 1: it predicts one class wherever there are examples");
    let broken: FitClassifier = |_, _, _, _| Ok(Box::new(Odd(|_| Some(f64::NAN))));
    assert_eq!(message(broken), "order 1: its decision function is not a finite number everywhere");
    // A circle of radius 0.05 around a point of the window.
    let closed: FitClassifier = |_, _, _, _| {
        Ok(Box::new(Odd(|row| Some(0.0025 - square(row[0] - 0.95) - square(row[1] - 0.2)))))
    };
    let lacking = run(closed, &orders(2, b"a"), &[&ANGLE_RANGE]).unwrap();
    for angle in ["boundary_angle", "angle_range"] {
        assert_eq!(lacking.lacks[angle], "order 1: its boundary is closed");
    }
    assert!(lacking.metrics.has("displacement"));
    let measured = run(closed, &orders(2, b"a"), &[]).unwrap();
    assert!(value(&measured, "displacement") < 1e-16, "without an angle it is fine");
}

#[test]
fn what_the_data_lack_is_said() {
    let division = Division { train: vec![0], valid: vec![], test: vec![1] };
    let new = |dataset: &Dataset, division: &Division, change| {
        BoundaryData::new(dataset, division, change, Digest::of(b"")).map(drop)
    };
    let plain = dataset(&[0.0; 4], &[0, 1]);
    let error = new(&plain, &division, Change::Outliers);
    assert_eq!(error, Err(FitError::failed("the dataset has no mixture")));
    let without = Dataset { truth: Truth::Mixture(mixture(None)), ..plain };
    let error = new(&without, &division, Change::Outliers);
    assert_eq!(error, Err(FitError::failed("the dataset has no outliers")));
    let empty = Division { train: vec![], ..division };
    let error = new(&without, &empty, Change::Orders(2));
    assert_eq!(error, Err(FitError::NoExamples));
}
