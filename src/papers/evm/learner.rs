//! Structural EM for mixtures of EVMs (Niepert and Domingos 2014, Algorithm 1) over the ones of
//! distinct rows.

use std::sync::Arc;

use crate::evm::conditions::{Conditions, Tests};
use crate::evm::model::Mevm;
use crate::evm::partition::Partition;
use crate::evm::passes::{Chunk, Expected, Rest, find_active};
use crate::evm::smoothing::{Laplace, Smoothing};
use crate::evm::structure::Structure;
use base::parallel::Cores;
use contract::binary::DistinctRows;
use contract::{Result, words};
use math::vector;
use method::shared::em::{Assignment, Chunks, Learner, Settings, log_priors};

words! {
    /// Step 4 of Algorithm 1.
    pub enum StructureChoice {
        Global = "global", "old or new for all components, by training likelihood after the update";
        AlwaysNew = "always-new", "always the new one";
        PerComponent = "per-component", "each component by the expected log-likelihood of its examples";
    }
}

/// The mixture of EVMs' own parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct MevmSettings {
    /// How each component's variables are partitioned.
    pub tests: Tests,
    /// Step 4.
    pub choice: StructureChoice,
    /// How smoothing is spread.
    pub laplace: Laplace,
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
        let smoothing = Smoothing::new(n, settings.smoothing, mevm.laplace);
        let structure = Arc::new(Structure::new(vec![Partition::whole(n); k], n));
        let histogram = vec![0.0; structure.slots];
        let totals = vec![0.0; k];
        let log_priors = log_priors(&totals, settings.prior_smoothing);
        let model = Mevm::estimate(structure, log_priors, &totals, &histogram, &smoothing);
        Self {
            train,
            settings,
            mevm,
            cores,
            smoothing,
            chunks: Chunks::new(train, |rows| Chunk::new(rows.len(), n, k)),
            expected: Expected::new(n, k),
            histogram,
            model,
            kept_old: false,
        }
    }

    /// Step 3, for one structure.
    fn estimate(&self, structure: Arc<Structure>, histogram: &[f64]) -> Mevm {
        let totals = &self.expected.totals;
        let log_priors = log_priors(totals, self.settings.prior_smoothing);
        Mevm::estimate(structure, log_priors, totals, histogram, &self.smoothing)
    }

    /// Adds up the chunks' histograms. A block's examples without ones are those of its component
    /// that have none of the other counts.
    fn join_histograms(&self, structure: &Structure) -> Vec<f64> {
        let mut histogram = vec![0.0; structure.slots];
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
        self.chunks.map(self.cores, |chunk, rows| chunk.count((self.train, rows), structure));
        self.join_histograms(structure)
    }

    /// Step 1: the E-step under the present model; returns its training log-likelihood.
    fn expect(&mut self) -> f64 {
        let (train, model) = (self.train, &self.model);
        let parts = self.chunks.map(self.cores, |chunk, rows| chunk.expect((train, rows), model));
        self.join_expectations();
        self.histogram = self.join_histograms(&self.model.structure);
        parts.into_iter().sum()
    }

    fn join_expectations(&mut self) {
        let expected = &mut self.expected;
        expected.clear();
        self.chunks.for_each(|chunk| expected.add(&chunk.expected));
    }

    fn likelihood(&self, model: &Mevm) -> f64 {
        let parts =
            self.chunks.map(self.cores, |chunk, rows| chunk.likelihood((self.train, rows), model));
        parts.into_iter().sum()
    }

    /// Step 2: partitions the variables, for every component.
    fn learn_structure(&self) -> Structure {
        let n = self.train.variables();
        let partitions = self.each_component(|y| self.conditions(y).partition());
        let structure = Structure::new(partitions, n);
        if self.mevm.tests.covariance() { self.refine_by_covariance(structure) } else { structure }
    }

    fn conditions(&self, component: usize) -> Conditions<'_> {
        Conditions {
            tests: &self.mevm.tests,
            expected: &self.expected,
            examples: self.train.examples(),
            component,
        }
    }

    fn each_component<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        self.cores.map(self.settings.components, 1, |y| work(y.start))
    }

    /// Condition (3), for every component.
    fn refine_by_covariance(&self, structure: Structure) -> Structure {
        let histogram = self.count(&structure);
        let rest = self.sum_rest(&structure);
        let partitions = self.each_component(|y| {
            self.conditions(y).refined_by_covariance(&structure, &histogram, &rest)
        });
        Structure::new(partitions, self.train.variables())
    }

    fn sum_rest(&self, structure: &Structure) -> Rest {
        self.chunks.map(self.cores, |chunk, rows| chunk.sum_rest((self.train, rows), structure));
        let cells = self.expected.ones.len();
        let mut rest = Rest { sums: vec![0.0; cells], squares: vec![0.0; cells] };
        self.chunks.for_each(|chunk| {
            vector::add(&mut rest.sums, &chunk.rest.sums);
            vector::add(&mut rest.squares, &chunk.rest.squares);
        });
        rest
    }

    /// Step 4: the likelier of two models, the new one if they are equal, and its E-step. The full E-step is
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

    fn begin(&mut self, assignment: &Assignment) -> Result<f64> {
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

    fn iterate(&mut self) -> Result<f64> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evm::mevm::MEVM;
    use base::digest::Digest;
    use contract::parameter::{Parameters, Value};
    use testing::{all_states, context};

    #[test]
    fn covariance_moments_equal_those_of_the_products() {
        let rows = all_states(6).select((0..200).map(|i| i * i % 61));
        let train = rows.distinct();
        let mut parameters = Parameters::defaults(MEVM.parameters);
        parameters.set("components", Value::Integer(1));
        parameters.set("bessel", Value::Bool(false));
        let settings = Settings::read(&parameters);
        let mevm = MevmSettings::read(&parameters);
        let context = context(Digest::of(b"moments"), 0);
        let mut learner = MevmLearner::new(&train, &settings, &mevm, &context.cores);
        let first = Assignment::initial(&train, &settings, &context, 0).unwrap();
        learner.begin(&first).unwrap();

        let structure = Structure::new(vec![Partition::whole(6)], 6);
        let histogram = learner.count(&structure);
        let rest = learner.sum_rest(&structure);
        let moments = learner.conditions(0).covariances(&structure, &histogram, &rest);
        for (variable, found) in (0u32..).zip(moments) {
            let pairs: Vec<(f64, f64)> = rows
                .iter()
                .map(|row| {
                    let x = f64::from(row.contains(&variable));
                    (x, row.len() as f64 - x)
                })
                .collect();
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let p = mean(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
            let rho = mean(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
            let products: Vec<f64> = pairs.iter().map(|(x, r)| (x - p) * (r - rho)).collect();
            let average = mean(&products);
            let spread: Vec<f64> = products.iter().map(|g| (g - average) * (g - average)).collect();
            assert!((found.mean - average).abs() < 1e-12);
            assert!((found.variance - mean(&spread)).abs() < 1e-12);
        }
    }
}
