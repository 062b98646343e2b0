//! Seconds of a sweep of expectation propagation against the number of training examples.

mod context;

use context::context;
use divan::Bencher;
use reprise::base::digest::Digest;
use reprise::contract::numeric::NumericRows;
use reprise::math::matrix::Matrix;
use reprise::math::random::Random;
use reprise::method::tep::kernel::{Family, Kernel};
use reprise::method::tep::process::{Latent, Observed};
use reprise::method::tep::schedule::Schedule;
use reprise::method::tep::site::Rule;
use reprise::method::tep::step::{Dof, Step};
use reprise::method::tep::weights::{Inputs, Weights};

/// Sweeps of a run; the process computes A anew once.
const SWEEPS: usize = 10;

const SCHEDULE: Schedule = Schedule { damping: 0.5, tolerance: 1e-300, max_sweeps: SWEEPS };

fn main() {
    divan::main();
}

/// Inputs in eight dimensions, as Pima's, and labels by the first two, a tenth of them wrong.
fn drawn(n: usize) -> (NumericRows, Vec<f64>) {
    let mut random = Random::new(Digest::of(b"tep"));
    let rows = NumericRows::new(8, (0..8 * n).map(|_| 4.0 * random.uniform() - 2.0).collect());
    let label = |row: &[f64]| {
        let right = random.uniform() < 0.9;
        if (row[0] + row[1] > 0.0) == right { 1.0 } else { -1.0 }
    };
    let signs = rows.iter().map(label).collect();
    (rows, signs)
}

/// Ten sweeps of a Student-t process classifier; N³/2 multiplications each.
#[divan::bench(args = [100, 200, 400, 614, 800], sample_count = 5, sample_size = 1)]
fn ten_sweeps_of_a_process(bencher: Bencher, n: usize) {
    let (rows, signs) = drawn(n);
    let kernel = Kernel::new(Family::Rbf, 8, 2.0).matrix(&rows, 1e-6);
    let dof = Dof::new(10.0);
    let rule = Rule::Consistent(Step::new(dof, n, 0.05));
    let observed = Observed { kernel: &kernel, signs: &signs };
    bencher.bench_local(|| {
        let mut latent = Latent::prior(&kernel);
        latent.propagate(observed, dof, &rule, &SCHEDULE, &context())
    });
}

/// Ten sweeps of a Bayes point machine with eight inputs.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 5, sample_size = 1)]
fn ten_sweeps_of_weights(bencher: Bencher, n: usize) {
    let (rows, signs) = drawn(n);
    let inputs = Inputs { rows: Matrix::from(rows.view()), signs };
    let dof = Dof::new(10.0);
    let rule = Rule::Consistent(Step::new(dof, 8, 0.05));
    bencher.bench_local(|| {
        let mut weights = Weights::prior(&inputs, 1.0);
        weights.propagate(&inputs, dof, &rule, &SCHEDULE, &context())
    });
}
