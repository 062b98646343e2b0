//! Density estimation: fit a joint distribution to the training examples, score all examples by
//! their log-likelihood.

use std::sync::OnceLock;
use std::time::Instant;

use crate::measured::Measured;
use crate::metrics::{SIZES, TIME_EVALUATE, TIME_FIT, TIME_PROGRAM};
use crate::partition::{ADJUSTED_RAND, Agreement, EXACT_RECOVERY};
use crate::picture::Picture;
use crate::program::proposal::Proposal;
use crate::{Divided, Fitting, Portion, Served, Task, blocks};
use base::parallel::Cores;
use contract::binary::DistinctRows;
use contract::{
    Carry, DensityModel, Gives, ITERATIONS, Measure, Metric, PerExample, Result, listed, metrics,
};
use data::Truth;
use data::split::Division;

metrics! {
    in pub(crate) OF_DENSITIES;
    pub TEST_LL: Task = "test_ll", "Test log-likelihood",
        "average log-likelihood of the test examples; of a Markov network, where it has at most 20 variables".higher().unit("nats per example").of_test().scores();
    pub VALID_LL: Task = "valid_ll", "Validation log-likelihood",
        "average log-likelihood of the validation examples".higher().unit("nats per example").of_validation();
    pub TRAIN_LL: Task = "train_ll", "Training log-likelihood",
        "average log-likelihood of the training examples".higher().unit("nats per example");
    pub ROBINSON_FOULDS: Structure = "robinson_foulds", "Robinson-Foulds distance",
        "how many divisions of the variables by an edge the tree and the true one do not share (Robinson and Foulds 1981); where the true one is known".named().lower().within(0.0, f64::INFINITY);
    pub TOTAL_PROBABILITY: Structure = "total_probability", "Total probability",
        "of a program that estimates a density: the total probability of all states; where it has more than 20 variables, an estimate from probes";
}

metrics! {
    in pub(crate) OF_NETWORKS;
    pub TEST_NPLL: Task = "test_npll", "Test negative pseudo-log-likelihood",
        "average negative pseudo-log-likelihood of the test examples".lower().unit("nats per example").of_test().scores();
    pub VALID_NPLL: Task = "valid_npll", "Validation negative pseudo-log-likelihood",
        "average negative pseudo-log-likelihood of the validation examples".lower().unit("nats per example").of_validation();
    pub TRAIN_NPLL: Task = "train_npll", "Training negative pseudo-log-likelihood",
        "average negative pseudo-log-likelihood of the training examples".lower().unit("nats per example");
}

metrics! {
    pub TIME_ITERATION: Clock = "time:iteration", "Time per iteration",
        "seconds of the fit divided by the number of iterations of all restarts".lower().unit("s").part_of(&TIME_FIT);
}

/// Fit a joint distribution to the training examples, score others by their log-likelihood.
pub static DENSITY: Task = Task {
    word: "density",
    meaning: "fit a joint distribution, score held-out examples by their log-likelihood",
    score: &TEST_LL,
    metrics: listed![
        OF_DENSITIES,
        SIZES,
        &[&TIME_FIT, &TIME_ITERATION, &TIME_EVALUATE, &TIME_PROGRAM]
    ],
    serves: |method| {
        method.density().is_some() || method.gives().any(|gives| gives == Gives::LogLikelihoods)
    },
    divide: |portion, _| Ok(Box::new(DensityData::new(portion, &DENSITY, false)?)),
    ..Task::PLAIN
};

/// The examples of one split, equal ones merged.
#[derive(Debug)]
pub struct DensityData {
    /// Training examples.
    pub train: DistinctRows,
    /// Validation examples; may be empty.
    pub valid: DistinctRows,
    /// Test examples.
    pub test: DistinctRows,
    /// What is known of what the examples are drawn from.
    pub truth: Truth,
    /// The task, for errors.
    task: &'static Task,
    /// Whether Markov networks are learned, and scored by their pseudo-likelihood too.
    pub networks: bool,
    /// Where rows beside them that programs are asked are drawn from; learned when the first is.
    pub(crate) proposal: OnceLock<Proposal>,
}

impl DensityData {
    /// Divides the rows of a dataset.
    ///
    /// # Errors
    /// If they are not of 0/1 variables.
    pub fn new(portion: &Portion<'_>, task: &'static Task, networks: bool) -> Result<Self> {
        let part = |examples: &[usize]| -> Result<DistinctRows> {
            let rows = portion.dataset.examples.select(examples);
            Ok(rows.binary()?.sparse().distinct())
        };
        let Division { train, valid, test } = portion.division;
        let parts = [part(train)?, part(valid)?, part(test)?];
        Ok(Self::of(parts, portion.dataset.truth.clone(), (task, networks)))
    }

    /// Training, validation and test examples.
    pub(crate) fn of(
        [train, valid, test]: [DistinctRows; 3],
        truth: Truth,
        (task, networks): (&'static Task, bool),
    ) -> Self {
        Self { train, valid, test, truth, task, networks, proposal: OnceLock::new() }
    }

    /// The scores of a model: log-likelihoods, and of a Markov network negative pseudo-log-likelihoods.
    fn score(&self, model: &dyn DensityModel, measured: &mut Measured, cores: &Cores) {
        let Self { train, valid, test, .. } = self;
        let mut parts = vec![(&TRAIN_LL, train), (&VALID_LL, valid), (&TEST_LL, test)];
        if self.networks {
            for (metric, rows) in [(&TRAIN_NPLL, train), (&VALID_NPLL, valid), (&TEST_NPLL, test)] {
                let mut values =
                    model.pseudo_log_likelihoods(&rows.rows, cores).unwrap_or_default();
                values.iter_mut().for_each(|value| *value = -*value);
                measured.over(metric, rows, &values);
            }
            parts.truncate(if model.is_normalised() { 3 } else { 0 });
            parts.retain(|(metric, _)| **metric != TRAIN_LL);
        }
        for (metric, rows) in parts {
            measured.over(metric, rows, &model.log_likelihoods(&rows.rows, cores));
        }
    }

    /// What is known of the truth, compared with what was learned.
    fn compare(&self, model: &dyn DensityModel, measured: &mut Measured) {
        match (&self.truth, model.tree(), model.clusters()) {
            (Truth::Tree(known), Some(tree), _) if !self.networks => {
                measured.scalar(&ROBINSON_FOULDS, tree.robinson_foulds(known) as f64);
            }
            (Truth::Clusters(known), _, Some(found))
                if self.networks && known.len() == found.len() =>
            {
                let Agreement { exact, adjusted_rand, .. } = Agreement::of(known, found);
                measured.scalar(&ADJUSTED_RAND, adjusted_rand);
                measured.scalar(&EXACT_RECOVERY, f64::from(exact));
            }
            _ => {}
        }
    }
}

impl Divided for DensityData {
    fn served(&self) -> Option<&dyn Served> {
        (!self.networks).then_some(self)
    }

    fn measure(&self, fitting: &Fitting<'_>, carry: &mut Carry) -> Result<Measured> {
        let Fitting { method, parameters, ask, context } = *fitting;
        let fit = if self.networks { method.network() } else { method.density() };
        let fit = fit.ok_or_else(|| self.task.unserved())?;
        crate::needs("test", self.test.examples())?;
        let mut measured = Measured::default();
        let model = measured.timed(&TIME_FIT, || fit(parameters, &self.train, context, carry))?;
        let start = Instant::now();
        self.score(model.as_ref(), &mut measured, &context.cores);
        measured.times.insert(&TIME_EVALUATE, start.elapsed().as_secs_f64());
        let (train, test) = (&self.train, &self.test);
        measured.sizes(train.variables(), train.examples(), test.examples());
        for (metric, measure) in model.measures() {
            if let (true, Measure::Sample(sample)) = (*metric == ITERATIONS, measure) {
                let iterations = sample.mean * sample.n as f64;
                if iterations > 0.0 {
                    measured.times.insert(&TIME_ITERATION, measured.times["time:fit"] / iterations);
                }
            }
            measured.metrics.insert(metric, measure);
        }
        self.compare(model.as_ref(), &mut measured);
        if let (true, Some(tree)) = (ask.picture, model.tree()) {
            measured.picture = Some(Picture::Tree(tree.clone()));
        }
        Ok(measured)
    }
}

impl Measured {
    /// Adds the mean of a metric over examples, if there are any, and its values for each, or for blocks of them, where
    /// they are kept.
    pub(super) fn over(&mut self, metric: &'static Metric, rows: &DistinctRows, values: &[f64]) {
        if values.is_empty() {
            return;
        }
        self.scalar(metric, mean(values, &rows.counts));
        if metric.per_example == PerExample::Scores {
            let of_examples = rows.of_example.iter().map(|&row| values[row as usize]);
            self.examples.insert(metric, blocks::means(&of_examples.collect::<Vec<f64>>()));
        }
    }
}

/// Mean over examples, each distinct row weighted by its count; summed in row order.
fn mean(values: &[f64], counts: &[u32]) -> f64 {
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let sum: f64 = values.iter().zip(counts).map(|(value, &count)| value * f64::from(count)).sum();
    sum / total as f64
}
