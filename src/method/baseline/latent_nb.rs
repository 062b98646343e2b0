//! Latent naive Bayes: a mixture of products of Bernoulli distributions, fitted by expectation
//! maximization from the same initial assignments as the mixture of EVMs.

use crate::metrics::{PARAMETERS, UNCONVERGED};
use crate::shared::em::{self, Assignment, Chunks, Learner, Settings};
use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use contract::parameter::{Choice, parameters, settings};
use contract::{DensityModel, Fit, ITERATIONS, Measure, MethodEntry, Reported, Result, words};
use math::special::{exp, ln_1p};
use math::vector;

words! {
    /// How EM walks the data.
    enum Layout {
        Sparse = "sparse", "loops over the ones of distinct rows";
        Dense = "dense", "plain loops over all N n k entries, for comparisons of time";
    }
}

settings! { LAYOUT layout: Choice<Layout>::worded("sparse"), "how EM walks the data; results agree up to rounding"; }

/// The registry's entry.
pub static LATENT_NB: MethodEntry = MethodEntry {
    kind: "latent-nb",
    summary: "mixture of products of Bernoulli distributions (latent naive Bayes), by EM",
    source: "Niepert and Domingos 2014, section 5.2; Lowd and Domingos 2005",
    parameters: parameters![in Settings::PARAMETERS, parameters![LAYOUT]],
    reports: &[&PARAMETERS, &ITERATIONS, &UNCONVERGED],
    cost: em::cost,
    fits: &[Fit::Density(|parameters, train, context, _| {
        let settings = Settings::read(parameters);
        let mut learner: Box<dyn Learner<Model = LatentNb>> = match parameters.get(&LAYOUT) {
            Layout::Sparse => Box::new(Sparse::new(train, &settings, &context.cores)),
            Layout::Dense => Box::new(Dense::new(train, &settings)),
        };
        Ok(Box::new(em::best_of_restarts(&mut *learner, train, &settings, context)?))
    })],
    ..MethodEntry::PLAIN
};

/// Vectors over the components are padded to a multiple of this with components of prior 0.
const LANES: usize = 4;

/// A mixture of k products of Bernoulli distributions.
#[derive(Debug, Clone, PartialEq)]
pub struct LatentNb {
    components: usize,
    /// k rounded up to whole lanes.
    padded: usize,
    /// ln P(y, no ones at all), for each component.
    base: Vec<f64>,
    /// ln P(x_j = 1 | y) - ln P(x_j = 0 | y), for each variable, for each component.
    odds: Vec<f64>,
}

impl LatentNb {
    /// The smoothed maximum-likelihood estimate from expected counts: `sums` has the ones of each
    /// variable in each component (variables by padded components), `totals` the examples of each
    /// component.
    fn estimate(sums: &[f64], totals: &[f64], settings: &Settings) -> Self {
        let k = settings.components;
        let padded = totals.len();
        let s = settings.smoothing;
        let mut odds: Vec<f64> = sums.iter().map(|sum| sum + s).collect();
        vector::ln(&mut odds);
        let mut zeros = vec![0.0; padded];
        let mut log_zero = vec![0.0; padded];
        let variables = sums.len() / padded;
        for (sums, odds) in sums.chunks_exact(padded).zip(odds.chunks_exact_mut(padded)) {
            for ((zero, total), sum) in log_zero.iter_mut().zip(totals).zip(sums) {
                // Rounding may leave the expected number of zeros a little below none.
                *zero = (total - sum).max(0.0) + s;
            }
            vector::ln(&mut log_zero);
            for (odds, zero) in odds.iter_mut().zip(&log_zero) {
                *odds -= zero;
            }
            vector::add(&mut zeros, &log_zero);
        }
        let mut norms: Vec<f64> = totals.iter().map(|total| total + 2.0 * s).collect();
        vector::ln(&mut norms);
        let mut base = vec![f64::NEG_INFINITY; padded];
        let priors = em::log_priors(&totals[..k], settings.prior_smoothing);
        for (y, prior) in priors.into_iter().enumerate() {
            base[y] = prior + (zeros[y] - variables as f64 * norms[y]);
        }
        Self { components: k, padded, base, odds }
    }

    /// Writes ln P(y, x) of every (padded) component.
    fn log_joint(&self, ones: &[u32], out: &mut [f64]) {
        vector::sum_rows(&self.base, &self.odds, ones, out);
    }
}

impl DensityModel for LatentNb {
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64> {
        let joint = || vec![0.0; self.padded];
        cores.each(rows.len(), 1024, joint, |joint, index| {
            self.log_joint(rows.row(index), joint);
            em::posterior(joint)
        })
    }

    fn measures(&self) -> Reported {
        let n = self.odds.len() / self.padded;
        let free = self.components + self.components * n - 1;
        vec![(&PARAMETERS, Measure::Scalar(free as f64))]
    }
}

/// EM over the ones of distinct rows: time O(k (ones + rows)) an iteration, memory O(k n).
#[derive(Debug)]
pub struct Sparse<'a> {
    train: &'a DistinctRows,
    settings: &'a Settings,
    cores: &'a Cores,
    chunks: Chunks<Sums>,
    expected: Sums,
    model: LatentNb,
}

/// Expected counts.
#[derive(Debug, Clone)]
struct Sums {
    /// Ones of each variable in each component.
    ones: Vec<f64>,
    /// Examples of each component.
    totals: Vec<f64>,
    /// One row's posterior.
    weights: Vec<f64>,
}

impl Sums {
    fn new(variables: usize, padded: usize) -> Self {
        let zeros = |n| vec![0.0; n];
        Self { ones: zeros(variables * padded), totals: zeros(padded), weights: zeros(padded) }
    }

    fn clear(&mut self) {
        self.ones.fill(0.0);
        self.totals.fill(0.0);
    }

    /// Adds the present weights to the counts of a row's ones.
    fn add(&mut self, ones: &[u32]) {
        vector::add(&mut self.totals, &self.weights);
        vector::add_to_rows(&mut self.ones, ones, &self.weights);
    }
}

impl<'a> Sparse<'a> {
    /// Prepares EM on these examples.
    pub fn new(train: &'a DistinctRows, settings: &'a Settings, cores: &'a Cores) -> Self {
        let padded = settings.components.next_multiple_of(LANES);
        let expected = Sums::new(train.variables(), padded);
        let chunks = Chunks::new(train, |_| expected.clone());
        let model = LatentNb::estimate(&expected.ones, &expected.totals, settings);
        Self { train, settings, cores, chunks, expected, model }
    }

    fn expect(&mut self) -> f64 {
        let (train, model) = (self.train, &self.model);
        let parts = self.chunks.map(self.cores, |sums, rows| {
            sums.clear();
            let mut total = 0.0;
            for row in rows {
                let ones = train.rows.row(row);
                let count = f64::from(train.counts[row]);
                model.log_joint(ones, &mut sums.weights);
                total += count * em::posterior(&mut sums.weights);
                sums.weights.iter_mut().for_each(|weight| *weight *= count);
                sums.add(ones);
            }
            total
        });
        let expected = &mut self.expected;
        expected.clear();
        self.chunks.for_each(|part| {
            vector::add(&mut expected.ones, &part.ones);
            vector::add(&mut expected.totals, &part.totals);
        });
        parts.into_iter().sum()
    }
}

impl Learner for Sparse<'_> {
    type Model = LatentNb;

    fn begin(&mut self, assignment: &Assignment) -> Result<f64> {
        self.expected.clear();
        let k = self.settings.components;
        for (row, weights) in self.train.rows.iter().zip(assignment.weights.chunks_exact(k)) {
            self.expected.weights[..k].copy_from_slice(weights);
            self.expected.weights[k..].fill(0.0);
            self.expected.add(row);
        }
        self.iterate()
    }

    fn iterate(&mut self) -> Result<f64> {
        self.model = LatentNb::estimate(&self.expected.ones, &self.expected.totals, self.settings);
        Ok(self.expect())
    }

    fn model(&self) -> LatentNb {
        self.model.clone()
    }
}

/// EM by plain loops over every entry of the data matrix, duplicates included: what a direct
/// implementation does. Time O(N n k) an iteration.
#[derive(Debug)]
pub struct Dense<'a> {
    settings: &'a Settings,
    train: &'a DistinctRows,
    /// N by n zeros and ones.
    entries: Vec<u8>,
    /// Expected ones, k by n, and examples, k.
    sums: Vec<f64>,
    totals: Vec<f64>,
    model: LatentNb,
}

impl<'a> Dense<'a> {
    /// Prepares EM on these examples.
    pub fn new(train: &'a DistinctRows, settings: &'a Settings) -> Self {
        let n = train.variables();
        let mut entries = vec![0; train.examples() * n];
        for (example, &row) in train.of_example.iter().enumerate() {
            for &one in train.rows.row(row as usize) {
                entries[example * n + one as usize] = 1;
            }
        }
        let k = settings.components;
        let (sums, totals) = (vec![0.0; k * n], vec![0.0; k]);
        let model = Self::estimate(&sums, &totals, settings, n);
        Self { settings, train, entries, sums, totals, model }
    }

    fn estimate(sums: &[f64], totals: &[f64], settings: &Settings, n: usize) -> LatentNb {
        let padded = settings.components.next_multiple_of(LANES);
        let mut ones = vec![0.0; n * padded];
        // Without variables the first restart says so.
        for (y, sums) in sums.chunks_exact(n.max(1)).enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                ones[j * padded + y] = *sum;
            }
        }
        let mut examples = totals.to_vec();
        examples.resize(padded, 0.0);
        LatentNb::estimate(&ones, &examples, settings)
    }

    fn expect(&mut self) -> f64 {
        let n = self.train.variables();
        let model = &self.model;
        // For each component ln p(y), and for each variable ln P(x = 0 | y) and ln P(x = 1 | y).
        let mut priors = model.base[..model.components].to_vec();
        let mut tables = vec![[0.0; 2]; model.components * n];
        for (y, (prior, table)) in priors.iter_mut().zip(tables.chunks_exact_mut(n)).enumerate() {
            for (j, logs) in table.iter_mut().enumerate() {
                let odds = model.odds[j * model.padded + y];
                let zero = -ln_1p(exp(odds));
                *logs = [zero, zero + odds];
                *prior -= zero;
            }
        }
        self.sums.fill(0.0);
        self.totals.fill(0.0);
        let mut total = 0.0;
        let mut weights = vec![0.0; model.components];
        for row in self.entries.chunks_exact(n) {
            for ((weight, prior), table) in
                weights.iter_mut().zip(&priors).zip(tables.chunks_exact(n))
            {
                *weight = *prior;
                for (x, logs) in row.iter().zip(table) {
                    *weight += logs[usize::from(*x)];
                }
            }
            total += em::posterior(&mut weights);
            for ((weight, sums), total) in
                weights.iter().zip(self.sums.chunks_exact_mut(n)).zip(&mut self.totals)
            {
                *total += weight;
                for (x, sum) in row.iter().zip(sums) {
                    *sum += weight * f64::from(*x);
                }
            }
        }
        total
    }
}

impl Learner for Dense<'_> {
    type Model = LatentNb;

    fn begin(&mut self, assignment: &Assignment) -> Result<f64> {
        let k = self.settings.components;
        let n = self.train.variables();
        self.sums.fill(0.0);
        self.totals.fill(0.0);
        for (row, weights) in self.train.rows.iter().zip(assignment.weights.chunks_exact(k)) {
            for (y, weight) in weights.iter().enumerate() {
                self.totals[y] += weight;
                row.iter().for_each(|&one| self.sums[y * n + one as usize] += weight);
            }
        }
        self.iterate()
    }

    fn iterate(&mut self) -> Result<f64> {
        let n = self.train.variables();
        self.model = Self::estimate(&self.sums, &self.totals, self.settings, n);
        Ok(self.expect())
    }

    fn model(&self) -> LatentNb {
        self.model.clone()
    }
}

#[cfg(test)]
mod tests;
