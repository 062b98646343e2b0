//! Density estimation: fit a joint distribution to the training examples, score all examples by
//! their log-likelihood.

use crate::metrics::{TEST_EXAMPLES, TIME_EVALUATE, TIME_FIT, TRAIN_EXAMPLES, VARIABLES};
use crate::{Ask, Divided, Portion, Task, blocks};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use base::parallel::Cores;
use contract::binary::DistinctRows;
use contract::parameter::Parameters;
use contract::{
    Binary, Carry, Context, DensityModel, Gives, ITERATIONS, LatentTree, MethodEntry, Result,
    metrics,
};
use data::split::Division;
use data::{Dataset, Truth};

use crate::Served;
use crate::measured::Measured;
use crate::picture::Picture;
use crate::program::proposal::Proposal;
use contract::{Measure, Metric, PerExample};

metrics! {
    pub TEST_LL: Task = "test_ll", "Test log-likelihood",
        "average log-likelihood of the test examples; of a Markov network, where it has at most 20 variables".higher().unit("nats per example").of_test().scores();
    pub VALID_LL: Task = "valid_ll", "Validation log-likelihood",
        "average log-likelihood of the validation examples".higher().unit("nats per example").of_validation();
    pub TRAIN_LL: Task = "train_ll", "Training log-likelihood",
        "average log-likelihood of the training examples".higher().unit("nats per example");
    pub TIME_ITERATION: Clock = "time:iteration", "Time per iteration",
        "seconds of the fit divided by the number of iterations of all restarts".lower().unit("s").part_of(&TIME_FIT);
    pub ROBINSON_FOULDS: Structure = "robinson_foulds", "Robinson-Foulds distance",
        "how many divisions of the variables by an edge the tree and the true one do not share (Robinson and Foulds 1981); where the true one is known".lower().within(0.0, f64::INFINITY);
    pub TOTAL_PROBABILITY: Structure = "total_probability", "Total probability",
        "of a program that estimates a density: the total probability of all states; where it has more than 20 variables, an estimate from probes";
}

/// Fit a joint distribution to the training examples, score others by their log-likelihood.
#[derive(Debug)]
pub struct Density;

/// The task.
pub static DENSITY: Density = Density;

impl Task for Density {
    fn word(&self) -> &'static str {
        "density"
    }

    fn meaning(&self) -> &'static str {
        "fit a joint distribution, score held-out examples by their log-likelihood"
    }

    fn score(&self) -> &'static Metric {
        &TEST_LL
    }

    fn metrics(&self) -> &'static [&'static Metric] {
        const {
            &[
                &TEST_LL,
                &VALID_LL,
                &TRAIN_LL,
                &ROBINSON_FOULDS,
                &TOTAL_PROBABILITY,
                &VARIABLES,
                &TRAIN_EXAMPLES,
                &TEST_EXAMPLES,
                &TIME_FIT,
                &TIME_ITERATION,
                &TIME_EVALUATE,
            ]
        }
    }

    fn serves(&self, method: &MethodEntry) -> bool {
        method.density().is_some() || method.gives().any(|gives| gives == Gives::LogLikelihoods)
    }

    fn divide(&self, portion: &Portion<'_>, _: &Parameters) -> Result<Box<dyn Divided>> {
        Ok(Box::new(DensityData::new(portion.dataset, portion.division)?))
    }
}

/// The examples of one split, equal ones merged.
#[derive(Debug)]
pub struct DensityData {
    /// Training examples.
    pub train: DistinctRows,
    /// Validation examples; may be empty.
    pub valid: DistinctRows,
    /// Test examples.
    pub test: DistinctRows,
    /// The tree over the variables and hidden ones that the examples are drawn from, where it is known.
    pub known_tree: Option<Arc<LatentTree>>,
    /// Where rows beside them that programs are asked are drawn from; learned when the first is.
    pub(crate) proposal: OnceLock<Proposal>,
}

impl DensityData {
    /// Divides the rows of a dataset.
    ///
    /// # Errors
    /// If they are not of 0/1 variables.
    pub fn new(dataset: &Dataset, division: &Division) -> Result<Self> {
        let rows = dataset.examples.binary()?;
        let part = |examples: &[usize]| match rows {
            Binary::Sparse(rows) => rows.select(examples.iter().copied()).distinct(),
            Binary::Packed(rows) => rows.select(examples).to_sparse().distinct(),
        };
        let parts = [part(&division.train), part(&division.valid), part(&division.test)];
        let known_tree = match &dataset.truth {
            Truth::Tree(tree) => Some(tree.clone()),
            _ => None,
        };
        Ok(Self::of(parts, known_tree))
    }

    /// Training, validation and test examples.
    pub(crate) fn of(parts: [DistinctRows; 3], known_tree: Option<Arc<LatentTree>>) -> Self {
        let [train, valid, test] = parts;
        Self { train, valid, test, known_tree, proposal: OnceLock::new() }
    }
}

impl Divided for DensityData {
    fn served(&self) -> Option<&dyn Served> {
        Some(self)
    }

    fn measure(
        &self,
        method: &MethodEntry,
        parameters: &Parameters,
        ask: &Ask,
        context: &Context,
        carry: &mut Carry,
    ) -> Result<Measured> {
        let fit = method.density().ok_or_else(|| DENSITY.unserved())?;
        crate::needs("test", self.test.examples())?;
        let mut measured = Measured::default();
        let start = Instant::now();
        let model = fit(parameters, &self.train, context, carry)?;
        let fit_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        for (metric, rows) in
            [(&TRAIN_LL, &self.train), (&VALID_LL, &self.valid), (&TEST_LL, &self.test)]
        {
            if rows.examples() > 0 {
                let values = log_likelihoods(model.as_ref(), rows, &context.cores);
                measured.over(metric, rows, &values);
            }
        }
        measured.seconds(&TIME_EVALUATE, start);
        measured.times.insert(&TIME_FIT, fit_seconds);
        measured.sizes(self);
        for (metric, measure) in model.measures() {
            if let (true, Measure::Sample(sample)) = (*metric == ITERATIONS, measure) {
                let iterations = sample.mean * sample.n as f64;
                if iterations > 0.0 {
                    measured.times.insert(&TIME_ITERATION, fit_seconds / iterations);
                }
            }
            measured.metrics.insert(metric, measure);
        }
        if let Some(tree) = model.tree() {
            if let Some(known) = &self.known_tree {
                measured.scalar(&ROBINSON_FOULDS, tree.robinson_foulds(known) as f64);
            }
            if ask.picture {
                measured.picture = Some(Picture::Tree(tree.clone()));
            }
        }
        Ok(measured)
    }
}

impl Measured {
    /// Adds the mean of a metric over examples, and its values for each, or for blocks of them, where they are kept.
    pub(super) fn over(&mut self, metric: &'static Metric, rows: &DistinctRows, values: &[f64]) {
        self.scalar(metric, mean(values, &rows.counts));
        if metric.per_example == PerExample::Scores {
            let of_examples = rows.of_example.iter().map(|&row| values[row as usize]);
            self.examples.insert(metric, blocks::means(&of_examples.collect::<Vec<f64>>()));
        }
    }

    pub(super) fn sizes(&mut self, data: &DensityData) {
        self.scalar(&VARIABLES, data.train.variables() as f64);
        self.scalar(&TRAIN_EXAMPLES, data.train.examples() as f64);
        self.scalar(&TEST_EXAMPLES, data.test.examples() as f64);
    }
}

fn log_likelihoods(model: &dyn DensityModel, rows: &DistinctRows, cores: &Cores) -> Vec<f64> {
    let mut values = vec![0.0; rows.rows.len()];
    model.log_likelihoods(&rows.rows, cores, &mut values);
    values
}

/// Mean over examples, each distinct row weighted by its count; summed in row order.
fn mean(values: &[f64], counts: &[u32]) -> f64 {
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let sum: f64 = values.iter().zip(counts).map(|(value, &count)| value * f64::from(count)).sum();
    sum / total as f64
}
