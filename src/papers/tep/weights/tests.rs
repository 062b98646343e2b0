use super::*;
use crate::tep::adf::Filtered;
use crate::tep::step::Step;
use base::digest::Digest;
use math::random::Random;
use testing::context;

const EXACT: Schedule =
    Schedule { damping: 0.5, tolerance: 1e-12, max_sweeps: 1000, settling: usize::MAX };

/// Points of two clouds, each reaching into the other.
fn clouds(n: usize) -> Inputs {
    let mut random = Random::new(Digest::of(b"clouds"));
    let signs: Vec<f64> = (0..n).map(|at| if at % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let mut rows = Matrix::zeros(n, 3);
    for (row, sign) in signs.iter().enumerate() {
        let mut noise = || 3.0 * random.uniform() - 1.5;
        let point = [1.2 * sign + noise(), 0.6 * sign + noise(), 1.0];
        rows.row_mut(row).copy_from_slice(&point);
    }
    Inputs { rows, signs }
}

fn reversed(inputs: &Inputs) -> Inputs {
    let n = inputs.signs.len();
    Inputs {
        rows: Matrix::from_fn(n, 3, |row, column| inputs.rows.at(n - 1 - row, column)),
        signs: inputs.signs.iter().rev().copied().collect(),
    }
}

fn fit(inputs: &Inputs, dof: Dof, eps: f64) -> (Weights, Progress) {
    let rule = Rule::Consistent(Step::new(dof, inputs.rows.columns(), eps));
    let mut weights = Weights::prior(inputs, 2.0);
    let context = context(Digest::of(b"ep"), 0);
    let progress = weights.propagate(inputs, dof, &rule, &EXACT, &context).unwrap();
    (weights, progress)
}

fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
}

#[test]
fn propagation_does_not_know_the_order_and_filtering_does() {
    let (forwards, backwards) = (clouds(60), reversed(&clouds(60)));
    for dof in [Dof::new(10.0), Dof::GAUSSIAN] {
        let (one, progress) = fit(&forwards, dof, 0.1);
        assert!(progress.converged && progress.skipped == 0, "{progress:?}");
        let (other, _) = fit(&backwards, dof, 0.1);
        assert!(distance(&one.mean, &other.mean) < 1e-10);
        let filter = |inputs: &Inputs| {
            let mut filtered = Filtered::prior(3, 2.0);
            filtered.learn(inputs, &Step::new(dof, 3, 0.1)).unwrap();
            filtered.mean
        };
        assert!(distance(&filter(&forwards), &filter(&backwards)) > 1e-3);
    }
}

/// With one example the location and the scale along the input are those of complete matching.
#[test]
fn one_example_is_matched_along_its_input() {
    let inputs = Inputs {
        rows: Matrix::from_fn(1, 3, |_, column| [0.7, -1.2, 0.4][column]),
        signs: vec![-1.0],
    };
    let x = inputs.rows.row(0);
    for dof in [Dof::new(3.0), Dof::new(20.0), Dof::GAUSSIAN] {
        let (weights, _) = fit(&inputs, dof, 0.1);
        let mut filtered = Filtered::prior(3, 2.0);
        filtered.learn(&inputs, &Step::new(dof, 3, 0.1)).unwrap();
        assert!(distance(&weights.mean, &filtered.mean) < 1e-12);
        let (mut own, mut full) = (vec![0.0; 3], vec![0.0; 3]);
        weights.a.times(x, &mut own);
        filtered.scale.times(x, &mut full);
        let along = weights.psi(dof) * dot(x, &own);
        assert!((along - dot(x, &full)).abs() < 1e-12);
        // Across the input the scale is psi times the prior's, where matching has r.
        let across = [1.2, 0.7, 0.0];
        weights.a.times(&across, &mut own);
        let found = weights.psi(dof) * dot(&across, &own) / dot(&across, &across);
        assert!((found - 2.0 * weights.psi(dof)).abs() < 1e-12);
    }
}

/// One weight for each latent value of a process with kernel I is the process.
#[test]
fn weights_of_unit_vectors_are_a_process() {
    use crate::tep::process::{Latent, Observed};
    let signs = vec![1.0, -1.0, -1.0];
    let inputs = Inputs { rows: Matrix::from_diagonal(&[1.0; 3]), signs: signs.clone() };
    let kernel = Matrix::from_diagonal(&[2.0; 3]);
    let context = context(Digest::of(b"ep"), 0);
    for dof in [Dof::new(4.0), Dof::GAUSSIAN] {
        let rule = Rule::Consistent(Step::new(dof, 3, 0.02));
        let (weights, _) = fit(&inputs, dof, 0.02);
        let observed = Observed { kernel: &kernel, signs: &signs };
        let mut latent = Latent::prior(&kernel);
        latent.propagate(observed, dof, &rule, &EXACT, &context).unwrap();
        assert!(distance(&weights.mean, &latent.mean) < 1e-12);
        let found = weights.log_evidence(&inputs, dof, &rule).unwrap();
        assert!((found - latent.log_evidence(observed, dof, &rule).unwrap()).abs() < 1e-12);
    }
}

#[test]
fn inputs_of_zeros_say_nothing() {
    let mut inputs = clouds(20);
    let (without, _) = fit(&inputs, Dof::new(5.0), 0.1);
    let mut rows = Matrix::zeros(21, 3);
    for row in 0..20 {
        rows.row_mut(row).copy_from_slice(inputs.rows.row(row));
    }
    inputs = Inputs { rows, signs: inputs.signs.into_iter().chain([1.0]).collect() };
    let (with, progress) = fit(&inputs, Dof::new(5.0), 0.1);
    assert!(progress.converged, "{progress:?}");
    assert!(distance(&with.mean, &without.mean) < 1e-12);
    // Either label is as likely as the other: half of the evidence is left.
    let evidence = |inputs: &Inputs| {
        let rule = Rule::Consistent(Step::new(Dof::GAUSSIAN, 3, 0.1));
        fit(inputs, Dof::GAUSSIAN, 0.1).0.log_evidence(inputs, Dof::GAUSSIAN, &rule).unwrap()
    };
    let half = evidence(&inputs) - evidence(&clouds(20));
    assert!((half + std::f64::consts::LN_2).abs() < 1e-12, "{half}");
    // Nothing else is there to see.
    let nothing = Inputs { rows: Matrix::zeros(3, 3), signs: vec![1.0, -1.0, 1.0] };
    assert!((evidence(&nothing) + 3.0 * std::f64::consts::LN_2).abs() < 1e-12);
}
