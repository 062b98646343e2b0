//! Structural EM for mixtures of EVMs (Niepert and Domingos 2014, Algorithm 1) over the ones of
//! distinct rows.

use std::ops::Range;
use std::sync::Arc;

use crate::data::binary::DistinctRows;
use crate::math::parallel::Cores;
use crate::math::vector;
use crate::method::FitError;
use crate::method::evm::em::{self, Assignment, Chunks, Learner, Settings};
use crate::method::evm::mevm::{Mevm, Smoothing};
use crate::method::evm::partition::{Moments, Partition, Rule, Welch};
use crate::method::evm::structure::Structure;

/// The sample that Welch's test takes variable j for, given component y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WelchSample {
    /// x_ij δ(y|i) over all N examples.
    Literal,
    /// x_j given y in Σ δ(y|i) examples.
    Effective,
    /// x_j given y in (Σ δ(y|i))² / Σ δ(y|i)² examples.
    Kish,
}

/// Step 4 of Algorithm 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructureChoice {
    /// One choice by training likelihood.
    Global,
    /// The new structure.
    AlwaysNew,
    /// Each component by its expected log-likelihood.
    PerComponent,
}

/// The mixture of EVMs' own parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct MevmSettings {
    /// Level of the tests.
    pub alpha: f64,
    /// How tests become a partition.
    pub rule: Rule,
    /// What is tested.
    pub sample: WelchSample,
    /// Whether sample variances divide by n - 1.
    pub bessel: bool,
    /// Whether condition (2) of proposition 3.3 is tested.
    pub variance: bool,
    /// Whether condition (3) is tested.
    pub covariance: bool,
    /// Step 4.
    pub choice: StructureChoice,
    /// Whether smoothing is spread like a binomial distribution.
    pub binomial: bool,
}

/// Expectations over the examples, under one model: of one chunk, or of all.
#[derive(Debug, Clone, Default)]
struct Expected {
    /// For each variable and component, Σ x δ.
    ones: Vec<f64>,
    /// For each variable and component, Σ x δ².
    squares: Vec<f64>,
    /// For each component, Σ δ.
    totals: Vec<f64>,
    /// For each component, Σ δ².
    total_squares: Vec<f64>,
}

impl Expected {
    fn new(variables: usize, k: usize) -> Self {
        Self {
            ones: vec![0.0; variables * k],
            squares: vec![0.0; variables * k],
            totals: vec![0.0; k],
            total_squares: vec![0.0; k],
        }
    }

    fn clear(&mut self) {
        let Self { ones, squares, totals, total_squares } = self;
        [ones, squares, totals, total_squares].into_iter().for_each(|sums| sums.fill(0.0));
    }

    fn add(&mut self, other: &Self) {
        vector::add(&mut self.ones, &other.ones);
        vector::add(&mut self.squares, &other.squares);
        vector::add(&mut self.totals, &other.totals);
        vector::add(&mut self.total_squares, &other.total_squares);
    }

    /// Adds a row by the sums of δ and δ² of its examples. Components without weight change
    /// nothing and are left out where that saves time.
    #[inline]
    fn add_row(&mut self, ones: &[u32], weights: &[f64], squares: &[f64], active: &[u32]) {
        let k = weights.len();
        vector::add(&mut self.totals, weights);
        vector::add(&mut self.total_squares, squares);
        for &one in ones {
            let range = one as usize * k..(one as usize + 1) * k;
            let (sums, sums_of_squares) = (&mut self.ones[range.clone()], &mut self.squares[range]);
            if few(active, k) {
                for &y in active {
                    sums[y as usize] += weights[y as usize];
                    sums_of_squares[y as usize] += squares[y as usize];
                }
            } else {
                vector::add(sums, weights);
                vector::add(sums_of_squares, squares);
            }
        }
    }
}

/// Whether a loop over the active components beats one over all.
#[inline]
fn few(active: &[u32], k: usize) -> bool {
    active.len() * 3 < k
}

/// Sums over the ones of each variable x_j in each component, r being the ones in the rest of its
/// block: what the test of condition (3) needs.
#[derive(Debug, Clone, Default)]
struct Rest {
    /// Σ x r δ.
    sums: Vec<f64>,
    /// Σ x r² δ.
    squares: Vec<f64>,
}

/// One chunk of rows.
#[derive(Debug)]
struct Chunk {
    /// For each row, Σ δ(y|i) over its examples, for each component.
    weights: Vec<f64>,
    expected: Expected,
    /// For each slot of the structure at hand, the expected number of examples; slots of no ones
    /// hold nothing of use until the chunks are joined.
    histogram: Vec<f64>,
    rest: Rest,
    positions: Vec<u32>,
    active: Vec<u32>,
    /// One row's Σ δ².
    squares: Vec<f64>,
}

impl Chunk {
    fn new(rows: usize, variables: usize, k: usize) -> Self {
        Self {
            weights: vec![0.0; rows * k],
            expected: Expected::new(variables, k),
            histogram: Vec::new(),
            rest: Rest::default(),
            positions: Vec::new(),
            active: Vec::with_capacity(k),
            squares: vec![0.0; k],
        }
    }

    fn take_up(&mut self, structure: &Structure) {
        self.positions.clear();
        self.positions.extend_from_slice(structure.starts());
        self.histogram.clear();
        self.histogram.resize(structure.slots(), 0.0);
    }

    /// Training log-likelihood of the rows.
    fn likelihood(&mut self, train: &DistinctRows, rows: Range<usize>, model: &Mevm) -> f64 {
        let structure = model.structure();
        self.take_up(structure);
        let mut total = 0.0;
        for row in rows {
            let ones = train.rows.row(row);
            model.log_joint(ones, &mut self.positions, &mut self.squares);
            structure.reset(ones, &mut self.positions);
            total += f64::from(train.counts[row]) * em::posterior(&mut self.squares);
        }
        total
    }

    /// E-step: weights, expectations and the histogram of the model's own structure; returns the
    /// training log-likelihood of the rows.
    fn expect(&mut self, train: &DistinctRows, rows: Range<usize>, model: &Mevm) -> f64 {
        let structure = model.structure();
        let k = structure.components();
        self.take_up(structure);
        self.expected.clear();
        let mut total = 0.0;
        for (row, weights) in rows.zip(self.weights.chunks_exact_mut(k)) {
            let ones = train.rows.row(row);
            let count = f64::from(train.counts[row]);
            model.log_joint(ones, &mut self.positions, weights);
            total += count * em::posterior(weights);
            for (weight, square) in weights.iter_mut().zip(&mut self.squares) {
                let delta = *weight;
                *weight *= count;
                *square = *weight * delta;
            }
            find_active(weights, &mut self.active);
            self.expected.add_row(ones, weights, &self.squares, &self.active);
            let (positions, histogram) = (&mut self.positions, &mut self.histogram);
            fill(structure, ones, weights, &self.active, positions, histogram);
        }
        total
    }

    /// The histogram of another structure under the present weights.
    fn count(&mut self, train: &DistinctRows, rows: Range<usize>, structure: &Structure) {
        let k = structure.components();
        self.take_up(structure);
        for (row, weights) in rows.zip(self.weights.chunks_exact(k)) {
            let ones = train.rows.row(row);
            structure.count(ones, &mut self.positions);
            find_active(weights, &mut self.active);
            let (positions, histogram) = (&mut self.positions, &mut self.histogram);
            fill(structure, ones, weights, &self.active, positions, histogram);
        }
    }

    /// Sums over the rest of each variable's block under the present weights.
    fn sum_rest(&mut self, train: &DistinctRows, rows: Range<usize>, structure: &Structure) {
        let k = structure.components();
        self.take_up(structure);
        for sums in [&mut self.rest.sums, &mut self.rest.squares] {
            sums.clear();
            sums.resize(train.variables() * k, 0.0);
        }
        for (row, weights) in rows.zip(self.weights.chunks_exact(k)) {
            let ones = train.rows.row(row);
            structure.count(ones, &mut self.positions);
            find_active(weights, &mut self.active);
            for &one in ones {
                let blocks = structure.blocks_of(one);
                for &y in &self.active {
                    let block = blocks[y as usize] as usize;
                    let count = self.positions[block] - structure.starts()[block];
                    let rest = f64::from(count) - 1.0;
                    let cell = one as usize * k + y as usize;
                    self.rest.sums[cell] += weights[y as usize] * rest;
                    self.rest.squares[cell] += weights[y as usize] * (rest * rest);
                }
            }
            structure.reset(ones, &mut self.positions);
        }
    }
}

fn find_active(weights: &[f64], active: &mut Vec<u32>) {
    active.clear();
    active.extend((0u32..).zip(weights).filter(|(_, weight)| **weight > 0.0).map(|(y, _)| y));
}

/// Adds a row to the histogram at its blocks' positions, and brings these back to their starts.
///
/// In a walk over ones a block is met once for each of them: the first time at the slot of its
/// count, then at its start. The slots of no ones are worked out from all others when chunks are
/// joined, so what they gather here does not matter.
#[inline]
fn fill(
    structure: &Structure,
    ones: &[u32],
    weights: &[f64],
    active: &[u32],
    positions: &mut [u32],
    histogram: &mut [f64],
) {
    if structure.has_fewer_blocks(ones.len()) {
        for &y in active {
            let weight = weights[y as usize];
            for &position in &positions[structure.numbers(y as usize)] {
                histogram[position as usize] += weight;
            }
        }
        positions.copy_from_slice(structure.starts());
        return;
    }
    let starts = structure.starts();
    for &one in ones {
        let blocks = structure.blocks_of(one);
        for &y in active {
            let block = blocks[y as usize] as usize;
            histogram[positions[block] as usize] += weights[y as usize];
            positions[block] = starts[block];
        }
    }
    structure.reset(ones, positions);
}

/// Algorithm 1 on one training set. An iteration takes O(k ones) time, plus O(k n log n) for the
/// partitions; memory is O(k (rows + n)).
#[derive(Debug)]
pub struct MevmLearner<'a> {
    train: &'a DistinctRows,
    settings: &'a Settings,
    mevm: &'a MevmSettings,
    cores: &'a Cores,
    smoothing: Smoothing,
    chunks: Chunks<Chunk>,
    expected: Expected,
    histogram: Vec<f64>,
    model: Mevm,
    /// Whether the last choice between structures fell on the old one.
    kept_old: bool,
}

impl<'a> MevmLearner<'a> {
    /// Prepares EM on these examples.
    pub fn new(
        train: &'a DistinctRows,
        settings: &'a Settings,
        mevm: &'a MevmSettings,
        cores: &'a Cores,
    ) -> Self {
        let (n, k) = (train.variables(), settings.components);
        let smoothing = Smoothing::new(n, mevm.binomial);
        let structure = Arc::new(Structure::new(vec![Partition::whole(n); k], n));
        let histogram = vec![0.0; structure.slots()];
        let model = Mevm::estimate(structure, &vec![0.0; k], &histogram, settings, &smoothing);
        let chunks = Chunks::new(train, |rows| Chunk::new(rows.len(), n, k));
        let expected = Expected::new(n, k);
        Self {
            train,
            settings,
            mevm,
            cores,
            smoothing,
            chunks,
            expected,
            histogram,
            model,
            kept_old: false,
        }
    }

    fn estimate(&self, structure: Arc<Structure>, histogram: &[f64]) -> Mevm {
        Mevm::estimate(structure, &self.expected.totals, histogram, self.settings, &self.smoothing)
    }

    /// Adds up the chunks' histograms. A block's examples without ones are those of its component
    /// that have none of the other counts.
    fn join_histograms(&self, structure: &Structure) -> Vec<f64> {
        let mut histogram = vec![0.0; structure.slots()];
        self.chunks.for_each(|chunk| vector::add(&mut histogram, &chunk.histogram));
        for (y, total) in self.expected.totals.iter().enumerate() {
            for block in structure.blocks(y) {
                let slots = &mut histogram[block];
                slots[0] = (total - vector::sum(&slots[1..])).max(0.0);
            }
        }
        histogram
    }

    fn count(&self, structure: &Structure) -> Vec<f64> {
        self.chunks.map(self.cores, |chunk, rows| chunk.count(self.train, rows, structure));
        self.join_histograms(structure)
    }

    /// E-step under the present model; returns its training log-likelihood.
    fn expect(&mut self) -> f64 {
        let (train, model) = (self.train, &self.model);
        let parts = self.chunks.map(self.cores, |chunk, rows| chunk.expect(train, rows, model));
        self.join_expectations();
        self.histogram = self.join_histograms(self.model.structure());
        parts.into_iter().sum()
    }

    fn join_expectations(&mut self) {
        let expected = &mut self.expected;
        expected.clear();
        self.chunks.for_each(|chunk| expected.add(&chunk.expected));
    }

    fn likelihood(&self, model: &Mevm) -> f64 {
        let parts =
            self.chunks.map(self.cores, |chunk, rows| chunk.likelihood(self.train, rows, model));
        parts.into_iter().sum()
    }

    /// Step 2: partitions the variables, for every component.
    fn learn_structure(&self) -> Structure {
        let n = self.train.variables();
        let partitions = self.each_component(|y| {
            let (welch, moments) = self.mean_moments(y);
            let partition = Partition::whole(n).refined(&moments, self.mevm.rule, welch);
            if self.mevm.variance {
                partition.refined(&self.variance_moments(y), self.mevm.rule, self.welch(y))
            } else {
                partition
            }
        });
        let structure = Structure::new(partitions, n);
        if self.mevm.covariance { self.refine_by_covariance(structure) } else { structure }
    }

    fn each_component<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        self.cores.map_chunks(self.settings.components, 1, || (), |(), y| work(y.start))
    }

    /// Number of examples that stand behind the conditional distribution given `y`.
    fn size(&self, y: usize) -> f64 {
        let total = self.expected.totals[y];
        match self.mevm.sample {
            WelchSample::Literal | WelchSample::Effective => total,
            WelchSample::Kish if total > 0.0 => total * total / self.expected.total_squares[y],
            WelchSample::Kish => 0.0,
        }
    }

    fn welch(&self, y: usize) -> Welch {
        Welch::new(self.size(y), self.mevm.alpha)
    }

    /// The factor that makes a sample variance of `size` values that of n - 1.
    fn bessel(&self, size: f64) -> f64 {
        if self.mevm.bessel && size > 1.0 { size / (size - 1.0) } else { 1.0 }
    }

    /// Σ x δ / Σ δ, and 0 in an empty component.
    fn conditional_mean(&self, variable: usize, y: usize) -> f64 {
        let total = self.expected.totals[y];
        let ones = self.expected.ones[variable * self.settings.components + y];
        if total > 0.0 { (ones / total).min(1.0) } else { 0.0 }
    }

    /// Condition (1): each variable's mean and variance, and the test on them.
    fn mean_moments(&self, y: usize) -> (Welch, Vec<Moments>) {
        let (n, k) = (self.train.variables(), self.settings.components);
        if self.mevm.sample == WelchSample::Literal {
            let size = self.train.examples() as f64;
            let factor = self.bessel(size);
            let moments = (0..n)
                .map(|variable| {
                    let mean = self.expected.ones[variable * k + y] / size;
                    let square = self.expected.squares[variable * k + y] / size;
                    Moments { mean, variance: (square - mean * mean).max(0.0) * factor }
                })
                .collect();
            (Welch::new(size, self.mevm.alpha), moments)
        } else {
            let factor = self.bessel(self.size(y));
            let moments = (0..n)
                .map(|variable| {
                    let mean = self.conditional_mean(variable, y);
                    Moments { mean, variance: mean * (1.0 - mean) * factor }
                })
                .collect();
            (self.welch(y), moments)
        }
    }

    /// Condition (2): mean and variance of (x - m)², which is (1 - m)² with probability m and m²
    /// else.
    fn variance_moments(&self, y: usize) -> Vec<Moments> {
        let factor = self.bessel(self.size(y));
        (0..self.train.variables())
            .map(|variable| {
                let m = self.conditional_mean(variable, y);
                let spread = 1.0 - 2.0 * m;
                let mean = m * (1.0 - m);
                Moments { mean, variance: mean * (spread * spread) * factor }
            })
            .collect()
    }

    /// Condition (3): if all covariances within a block are equal, so are those of its variables
    /// with the sum of the rest of the block. (That they are at least -Var/(n - 1) holds in any
    /// block on average, because the variance of its sum is not negative.)
    fn refine_by_covariance(&self, structure: Structure) -> Structure {
        let histogram = self.count(&structure);
        self.chunks.map(self.cores, |chunk, rows| chunk.sum_rest(self.train, rows, &structure));
        let cells = self.expected.ones.len();
        let mut rest = Rest { sums: vec![0.0; cells], squares: vec![0.0; cells] };
        self.chunks.for_each(|chunk| {
            vector::add(&mut rest.sums, &chunk.rest.sums);
            vector::add(&mut rest.squares, &chunk.rest.squares);
        });
        let partitions = self.each_component(|y| {
            let moments = self.covariance_moments(y, &structure, &histogram, &rest);
            structure.partitions[y].refined(&moments, self.mevm.rule, self.welch(y))
        });
        Structure::new(partitions, self.train.variables())
    }

    /// Mean and variance of (x - p)(r - ρ), p and ρ being the means of x and of the ones r in the
    /// rest of its block.
    fn covariance_moments(
        &self,
        y: usize,
        structure: &Structure,
        histogram: &[f64],
        rest: &Rest,
    ) -> Vec<Moments> {
        let total = self.expected.totals[y];
        let none = Moments { mean: 0.0, variance: 0.0 };
        if total <= 0.0 {
            return vec![none; self.train.variables()];
        }
        // First and second moment of each block's number of ones.
        let sums: Vec<(f64, f64)> = structure
            .blocks(y)
            .map(|block| {
                (0..).zip(&histogram[block]).fold((0.0, 0.0), |(first, second), (ones, share)| {
                    let (ones, share) = (f64::from(ones), share / total);
                    (first + ones * share, second + ones * ones * share)
                })
            })
            .collect();
        let sizes = structure.partitions[y].sizes();
        let factor = self.bessel(self.size(y));
        let of_variable = |(variable, &block): (usize, &u32)| {
            if sizes[block as usize] == 1 {
                return none;
            }
            let cell = variable * self.settings.components + y;
            let (t1, t2) = sums[block as usize];
            let p = self.conditional_mean(variable, y);
            let (a1, a2) = (rest.sums[cell] / total, rest.squares[cell] / total);
            let rho = t1 - p;
            let with_one = a2 - 2.0 * rho * a1 + rho * rho * p;
            let (b1, b2) = (t1 - (a1 + p), t2 - (a2 + 2.0 * a1 + p));
            let with_zero = b2 - 2.0 * rho * b1 + rho * rho * (1.0 - p);
            let mean = a1 - p * rho;
            let square = (1.0 - p) * (1.0 - p) * with_one + p * p * with_zero;
            Moments { mean, variance: (square - mean * mean).max(0.0) * factor }
        };
        structure.partitions[y].block_of.iter().enumerate().map(of_variable).collect()
    }

    /// E-step under the likelier of two models, the new one if they are equal. The full E-step is
    /// tried on the side that won last time, which usually saves a second one.
    fn choose(&mut self, old: Mevm, new: Mevm) -> f64 {
        let (likely, other) = if self.kept_old { (old, new) } else { (new, old) };
        let of_other = self.likelihood(&other);
        self.model = likely;
        let of_likely = self.expect();
        let stays = if self.kept_old { of_likely > of_other } else { of_likely >= of_other };
        if stays {
            return of_likely;
        }
        self.kept_old = !self.kept_old;
        self.model = other;
        self.expect()
    }

    /// For each component, the expected log-likelihood of its examples under its blocks.
    fn component_scores(model: &Mevm, histogram: &[f64]) -> Vec<f64> {
        let score = |y| {
            let slots = model.structure.component(y);
            let products = histogram[slots.clone()].iter().zip(&model.log_states[slots]);
            products.map(|(count, log)| count * log).sum()
        };
        (0..model.structure.components()).map(score).collect()
    }

    /// Old and new structure mixed: for each component the one of higher expected log-likelihood.
    fn mixed(&self, old: &Mevm, new: &Mevm, new_histogram: &[f64]) -> Mevm {
        let old_scores = Self::component_scores(old, &self.histogram);
        let new_scores = Self::component_scores(new, new_histogram);
        let mut partitions = Vec::with_capacity(self.settings.components);
        let mut histogram = Vec::new();
        for (y, (old_score, new_score)) in old_scores.iter().zip(&new_scores).enumerate() {
            let (model, source) =
                if old_score > new_score { (old, &*self.histogram) } else { (new, new_histogram) };
            partitions.push(model.structure.partitions[y].clone());
            histogram.extend_from_slice(&source[model.structure.component(y)]);
        }
        let structure = Structure::new(partitions, self.train.variables());
        self.estimate(Arc::new(structure), &histogram)
    }
}

impl Learner for MevmLearner<'_> {
    type Model = Mevm;

    fn begin(&mut self, assignment: &Assignment) -> Result<f64, FitError> {
        let (train, k) = (self.train, self.settings.components);
        self.chunks.map(self.cores, |chunk, rows| {
            chunk.expected.clear();
            let range = rows.start * k..rows.end * k;
            chunk.weights.copy_from_slice(&assignment.weights[range.clone()]);
            let squares = assignment.squares[range].chunks_exact(k);
            for ((row, weights), squares) in rows.zip(chunk.weights.chunks_exact(k)).zip(squares) {
                find_active(weights, &mut chunk.active);
                chunk.expected.add_row(train.rows.row(row), weights, squares, &chunk.active);
            }
        });
        self.join_expectations();
        let structure = Arc::new(self.learn_structure());
        let histogram = self.count(&structure);
        self.model = self.estimate(structure, &histogram);
        Ok(self.expect())
    }

    fn iterate(&mut self) -> Result<f64, FitError> {
        let old = self.estimate(self.model.structure.clone(), &self.histogram);
        let structure = self.learn_structure();
        if structure.partitions == old.structure.partitions {
            self.model = old;
            return Ok(self.expect());
        }
        let structure = Arc::new(structure);
        let histogram = self.count(&structure);
        let new = self.estimate(structure, &histogram);
        match self.mevm.choice {
            StructureChoice::AlwaysNew => self.model = new,
            StructureChoice::PerComponent => self.model = self.mixed(&old, &new, &histogram),
            StructureChoice::Global => return Ok(self.choose(old, new)),
        }
        Ok(self.expect())
    }

    fn model(&self) -> Mevm {
        self.model.clone()
    }
}
