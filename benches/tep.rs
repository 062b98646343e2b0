//! Seconds of a sweep of expectation propagation against the number of training examples.

mod context;

use context::{context, sizes};
use divan::Bencher;
use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::numeric::NumericRows;
use reprise::contract::parameter::{Parameters, Value};
use reprise::contract::{Carry, Examples, Fit, Labelled};
use reprise::data::{DataConfig, Library};
use reprise::math::matrix::Matrix;
use reprise::math::random::Random;
use reprise::papers::tep::kernel::{Family, Kernel};
use reprise::papers::tep::process::{Latent, Observed};
use reprise::papers::tep::schedule::Schedule;
use reprise::papers::tep::site::Rule;
use reprise::papers::tep::step::{Dof, Step};
use reprise::papers::tep::weights::{Inputs, Weights};

/// Sweeps of a run; the process computes A anew once.
const SWEEPS: usize = 10;

const SCHEDULE: Schedule =
    Schedule { damping: 0.5, tolerance: 1e-300, max_sweeps: SWEEPS, settling: usize::MAX };

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
#[divan::bench(args = sizes(&[100, 200, 400, 614, 800]), sample_count = 5, sample_size = 1)]
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

/// Ten folds of Pima from `REPRISE_MIRROR`, example i in fold i mod 10, the length scale by the evidence.
/// `benches/peers/process_classifier.py` runs scikit-learn's Laplace approximation on the same folds.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn process_by_evidence(bencher: Bencher) {
    let Ok(mirror) = std::env::var("REPRISE_MIRROR") else { return };
    let config = DataConfig { mirror: Some(mirror), offline: true, ..DataConfig::default() };
    let pima = Library::open(&config, None).unwrap().load("pima").unwrap();
    let Examples::Numeric(rows) = &pima.examples else { panic!("no numbers") };
    let labels = &pima.targets.labels().unwrap().of_example;
    let entry = KNOWN.catalogue.methods_of("gpc-ep").next().unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.set("hyperparameters", Value::Text("evidence".to_owned()));
    let Fit::Numeric(fit) = entry.fits[0] else { panic!("no numeric fit") };
    let folds: Vec<(Labelled, Labelled)> = (0..10)
        .map(|fold| {
            let (test, train): (Vec<usize>, Vec<usize>) =
                (0..rows.len()).partition(|at| at % 10 == fold);
            let scale = Scale::of(rows, &train);
            let part = |of: &[usize]| Labelled {
                examples: Examples::Numeric(scale.apply(rows, of)),
                labels: of.iter().map(|&at| labels[at]).collect(),
                classes: 2,
                known_blocks: None,
            };
            (part(&train), part(&test))
        })
        .collect();
    bencher.bench_local(|| {
        let mut wrong = 0;
        for (train, test) in &folds {
            let model = fit(&parameters, train, &context(), &mut Carry::default()).unwrap();
            let found = model.predict(&test.examples, &context()).unwrap().classes;
            wrong += found.iter().zip(&test.labels).filter(|(found, class)| found != class).count();
        }
        println!("error {:.4}", wrong as f64 / rows.len() as f64);
    });
}

/// Mean and standard deviation of each column.
struct Scale(Vec<(f64, f64)>);

impl Scale {
    fn of(rows: &NumericRows, examples: &[usize]) -> Self {
        let count = examples.len() as f64;
        let column = |column: usize| {
            let values = || examples.iter().map(|&at| rows.row(at)[column]);
            let mean = values().sum::<f64>() / count;
            let variance =
                values().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
            (mean, variance.sqrt())
        };
        Self((0..rows.columns()).map(column).collect())
    }

    fn apply(&self, rows: &NumericRows, examples: &[usize]) -> NumericRows {
        let scaled = |&at: &usize| {
            rows.row(at)
                .iter()
                .zip(&self.0)
                .map(|(value, (mean, deviation))| (value - mean) / deviation)
        };
        NumericRows::new(rows.columns(), examples.iter().flat_map(scaled).collect())
    }
}

/// Ten sweeps of a Bayes point machine with eight inputs.
#[divan::bench(args = sizes(&[100, 1_000, 10_000]), sample_count = 5, sample_size = 1)]
fn ten_sweeps_of_weights(bencher: Bencher, n: usize) {
    let (rows, signs) = drawn(n);
    let inputs = Inputs { rows: Matrix::from_fn(n, 8, |row, column| rows.row(row)[column]), signs };
    let dof = Dof::new(10.0);
    let rule = Rule::Consistent(Step::new(dof, 8, 0.05));
    bencher.bench_local(|| {
        let mut weights = Weights::prior(&inputs, 1.0);
        weights.propagate(&inputs, dof, &rule, &SCHEDULE, &context())
    });
}
