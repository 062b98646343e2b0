use crate::metrics::{EPOCHS, PARAMETERS};
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use base::digest::Digest;
use contract::binary::BinaryRows;
use contract::{FitError, NOT_CONVERGED};
use math::random::Random;
use testing::{context, labelled, packed, rows_of};

const SETTINGS: Settings = Settings {
    solver: Solver::Dual,
    c: 1.0,
    class_weight: ClassWeight::None,
    bias: true,
    tolerance: 1e-9,
    max_epochs: 100_000,
};
const PRIMAL: Settings = Settings { solver: Solver::Primal, ..SETTINGS };

fn fit(settings: &Settings, train: &Labelled) -> LinearSvm {
    LinearSvm::fit(settings, train, &context(Digest::of(b"svm"), 0)).unwrap()
}

fn predict(machine: &LinearSvm, examples: &Examples) -> Vec<u32> {
    machine.predict(examples, &context(Digest::of(b"svm"), 0)).unwrap().classes
}

/// Rows of which each variable is one with its own probability; the label depends on the number of
/// ones and on chance.
fn drawn(variables: usize, examples: usize, density: f64, classes: u32) -> Labelled {
    let mut random = Random::new(Digest::of(b"drawn"));
    let mut rows = BinaryRows::new(variables);
    let mut labels = Vec::new();
    for _ in 0..examples {
        let one = |&v: &u32| random.uniform() < density * f64::from(v % 7) / 3.0;
        let ones: Vec<u32> = (0..variables as u32).filter(one).collect();
        let noise = random.below(3) as u32 / 2;
        labels.push((ones.iter().filter(|&&one| one < 9).count() as u32 + noise) % classes);
        rows.push(&ones);
    }
    labelled(&rows, &labels, classes as usize)
}

#[test]
fn one_example_of_each_class_has_a_closed_form() {
    // x_1 = (1, 0), x_0 = (0, 1), no bias: w = (a, -a) and f = a with a = 2 C / (1 + 2 C).
    let train = labelled(&rows_of(&["10", "01"]), &[1, 0], 2);
    for (c, solver) in
        [(0.01, Solver::Dual), (1.0, Solver::Dual), (25.0, Solver::Dual), (25.0, Solver::Primal)]
    {
        let settings = Settings { solver, c, bias: false, ..SETTINGS };
        let solution = &fit(&settings, &train).problems[0];
        let a = 2.0 * c / (1.0 + 2.0 * c);
        assert!((solution.weights[0] - a).abs() < 1e-9 && (solution.weights[1] + a).abs() < 1e-9);
        assert!((solution.objective - a).abs() < 1e-9);
        assert!(solution.converged && solution.bias == 0.0);
    }
    // Without variables only the bias is left: f = b² / 2 + 3 (1 - b)² + (1 + b)², b = 4 / 9.
    let mut rows = BinaryRows::new(0);
    (0..4).for_each(|_| rows.push(&[]));
    for settings in [SETTINGS, PRIMAL] {
        let machine = fit(&settings, &labelled(&rows, &[1, 1, 0, 1], 2));
        assert!((machine.problems[0].bias - 4.0 / 9.0).abs() < 1e-9);
        assert_eq!(machine.parameters, 1);
    }
}

prop_compose! {
    fn examples()(
        variables in 1usize..12,
        rows in proptest::collection::vec((proptest::collection::vec(any::<bool>(), 12), 0u32..2), 2..40),
    ) -> Labelled {
        let mut sparse = BinaryRows::new(variables);
        let mut labels = vec![0, 1];
        labels.extend(rows[2..].iter().map(|(_, label)| *label));
        for (row, _) in &rows {
            let ones: Vec<u32> = (0..variables as u32).filter(|&v| row[v as usize]).collect();
            sparse.push(&ones);
        }
        labelled(&sparse, &labels, 2)
    }
}

proptest! {
    /// The objective is strongly convex, so a zero gradient makes w its only minimum.
    #[test]
    fn the_gradient_is_zero_at_the_solution(
        train in examples(), c in 0.01f64..20.0, bias in any::<bool>(),
        solver in prop::sample::select(vec![Solver::Dual, Solver::Primal]),
        class_weight in prop::sample::select(vec![ClassWeight::None, ClassWeight::Balanced]),
    ) {
        let Examples::Binary(rows) = &train.examples else { panic!("not sparse") };
        let machine = fit(&Settings { solver, c, bias, class_weight, ..SETTINGS }, &train);
        let solution = &machine.problems[0];
        prop_assert!(solution.converged);
        let count = |class| train.labels.iter().filter(|&&label| label == class).count() as f64;
        let cost = |class| match class_weight {
            ClassWeight::None => c,
            ClassWeight::Balanced => c * train.labels.len() as f64 / 2.0 / count(class),
        };
        let mut gradient = solution.weights.clone();
        let (mut of_bias, mut value) = (solution.bias, 0.5 * solution.bias * solution.bias);
        value += solution.weights.iter().map(|w| 0.5 * w * w).sum::<f64>();
        for (row, &label) in rows.iter().zip(&train.labels) {
            let sign = if label == 1 { 1.0 } else { -1.0 };
            let product: f64 = row.iter().map(|&v| solution.weights[v as usize]).sum();
            let loss = 1.0 - sign * (product + solution.bias);
            if loss > 0.0 {
                let cost = cost(label);
                value += cost * loss * loss;
                row.iter().for_each(|&v| gradient[v as usize] -= 2.0 * cost * sign * loss);
                of_bias -= 2.0 * cost * sign * loss;
            }
        }
        // In the dual, 2 C times the sum of projected gradients of about the tolerance.
        prop_assert!(gradient.iter().all(|g| g.abs() < 1e-5), "{gradient:?}");
        prop_assert!(!bias || of_bias.abs() < 1e-5, "{of_bias}");
        prop_assert!(bias || solution.bias == 0.0);
        prop_assert!((value - solution.objective).abs() < 1e-9 * (1.0 + value));
    }
}

#[test]
fn equal_gradients_are_not_taken_for_zero() {
    // Where the last two examples come first, every projected gradient of the first epoch is -1.
    let train = labelled(&rows_of(&["11", "10", "01"]), &[0, 1, 0], 2);
    let settings = Settings { c: 0.01, bias: false, ..SETTINGS };
    let objective = |settings: &Settings, seed: u8| {
        let context = context(Digest::of(&[seed]), 0);
        LinearSvm::fit(settings, &train, &context).unwrap().problems[0].objective
    };
    let least = objective(&Settings { solver: Solver::Primal, ..settings }, 0);
    assert!((0..20).all(|seed| (objective(&settings, seed) - least).abs() < 1e-9));
}

#[test]
fn layout_and_cores_change_no_bit() {
    for (variables, density, classes, solver) in [
        (300, 0.02, 3, Solver::Dual),
        (70, 0.5, 2, Solver::Dual),
        (64, 0.3, 4, Solver::Primal),
        (3000, 0.005, 2, Solver::Primal),
    ] {
        // Enough examples for several parts of a pass.
        let train =
            drawn(variables, if solver == Solver::Primal { 2500 } else { 400 }, density, classes);
        let settings = Settings { solver, tolerance: 1e-4, max_epochs: 30, ..SETTINGS };
        let machine = fit(&settings, &train);
        assert_eq!(fit(&settings, &packed(&train)).problems, machine.problems);
        let shared = context(Digest::of(b"svm"), 3);
        assert_eq!(LinearSvm::fit(&settings, &train, &shared).unwrap().problems, machine.problems);
        let predicted = predict(&machine, &train.examples);
        assert_eq!(machine.predict(&packed(&train).examples, &shared).unwrap().classes, predicted);
    }
}

#[test]
fn more_than_two_classes_are_one_against_the_rest() {
    let train = drawn(20, 300, 0.4, 3);
    let machine = fit(&SETTINGS, &train);
    assert_eq!((machine.problems.len(), machine.classes.len()), (3, 3));
    for class in 0..3 {
        let rest = train.labels.iter().map(|&label| u32::from(label == class)).collect();
        let alone = fit(&SETTINGS, &Labelled { labels: rest, classes: 2, ..train.clone() });
        let difference = alone.problems[0].objective - machine.problems[class as usize].objective;
        assert!(difference.abs() < 1e-6);
    }
    let Examples::Binary(rows) = &train.examples else { panic!("not sparse") };
    for (example, class) in predict(&machine, &train.examples).into_iter().enumerate() {
        let value = |class: u32| machine.problems[class as usize].decision(rows, example);
        assert!((0..3).all(|other| value(other) <= value(class)));
    }
}

#[test]
fn equal_values_go_to_the_lowest_class() {
    // The empty row has the value 0 in every problem.
    let train = labelled(&rows_of(&["100", "010", "001"]), &[0, 1, 2], 3);
    let settings = Settings { bias: false, ..SETTINGS };
    let empty = Examples::Binary(rows_of(&["000"]));
    assert_eq!(predict(&fit(&settings, &train), &empty), [0]);
    let train = labelled(&rows_of(&["100", "010"]), &[0, 1], 2);
    assert_eq!(predict(&fit(&settings, &train), &empty), [0]);
}

#[test]
fn classes_without_examples_are_left_out() {
    let rows = rows_of(&["110", "100", "011", "001"]);
    let machine = fit(&SETTINGS, &labelled(&rows, &[1, 1, 3, 3], 5));
    assert_eq!(machine.problems.len(), 1);
    assert_eq!(predict(&machine, &Examples::Binary(rows.clone())), [1, 1, 3, 3]);
    let machine = fit(&SETTINGS, &labelled(&rows, &[4; 4], 5));
    assert!(machine.problems.is_empty());
    assert_eq!(predict(&machine, &Examples::Binary(rows)), [4; 4]);
}

#[test]
fn the_limit_of_epochs_is_reported() {
    let train = drawn(20, 300, 0.4, 3);
    for settings in [SETTINGS, PRIMAL] {
        let machine = fit(&Settings { max_epochs: 3, ..settings }, &train);
        let measures = machine.measures();
        let Measure::Sample(epochs) = measures[0].1 else { panic!("not a sample") };
        assert_eq!((measures[0].0, epochs.n, epochs.mean), (&EPOCHS, 3, 3.0));
        assert_eq!(measures[1], (&NOT_CONVERGED, Measure::Scalar(3.0)));
        assert_eq!(measures[3], (&PARAMETERS, Measure::Scalar(63.0)));
        assert_eq!(fit(&settings, &train).measures()[1], (&NOT_CONVERGED, Measure::Scalar(0.0)));
    }
}

#[test]
fn bad_input_and_a_stop_are_errors() {
    static STOP: AtomicBool = AtomicBool::new(true);
    let train = labelled(&rows_of(&["01", "10"]), &[0, 1], 2);
    let running = context(Digest::of(b""), 0);
    let stopped = Context { interrupt: &STOP, ..running.clone() };
    for settings in [SETTINGS, PRIMAL] {
        assert_eq!(LinearSvm::fit(&settings, &train, &stopped).unwrap_err(), FitError::Interrupted);
    }
    let machine = fit(&SETTINGS, &train);
    assert_eq!(machine.predict(&train.examples, &stopped), Err(FitError::Interrupted));
    assert_eq!(
        machine.predict(&Examples::Binary(rows_of(&["010"])), &running).unwrap_err().to_string(),
        "the examples have 3 variables, those that the machine was fitted to 2"
    );
    let none = labelled(&BinaryRows::new(2), &[], 2);
    assert_eq!(
        LinearSvm::fit(&SETTINGS, &none, &running).unwrap_err().to_string(),
        "there are no training examples"
    );
}

#[test]
fn the_solver_that_suits_the_shape() {
    // Both shapes converge with either solver, in numbers of epochs that tell them apart.
    for (examples, variables, suited, other) in
        [(200, 40, Solver::Primal, Solver::Dual), (40, 200, Solver::Dual, Solver::Primal)]
    {
        let train = drawn(variables, examples, 0.3, 2);
        let epochs = |solver| {
            let settings = Settings { solver, tolerance: 1e-4, max_epochs: 1000, ..SETTINGS };
            fit(&settings, &train).measures()
        };
        assert_eq!(epochs(Solver::Auto), epochs(suited));
        assert_ne!(epochs(Solver::Auto), epochs(other));
    }
}
