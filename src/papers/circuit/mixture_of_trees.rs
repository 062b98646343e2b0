//! Mixtures of trees, by expectation maximization: M. Meila and M. I. Jordan, "Learning with mixtures of trees", Journal of Machine
//! Learning Research 1, 2000.
//!
//! ```text
//! E:  γ_ik ∝ λ_k T_k(x_i)
//! M:  λ_k = N_k / N, N_k = Σ_i γ_ik;  T_k the Chow-Liu tree of the examples weighted by γ_ik
//! ```
//!
//! The constant of smoothing is a number of pseudo-examples of each tree, spread evenly over all states: a quarter of it is added to
//! each of the four counts of a pair. A tree that is left with hardly an example stays as it is, without weight.

use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use contract::{
    Context, DensityModel, Fit, ITERATIONS, Measure, Memory, MethodEntry, Reported, Result,
};
use math::spanning_tree::spanning;
use method::baseline::chow_liu::Edge;
use method::metrics::{PARAMETERS, UNCONVERGED};
use method::shared::em::{self, Assignment, Learner, Settings, log_priors};

use super::information::Smoothed;
use super::rows::sorted;

/// The registry's entry.
pub static MIXTURE_OF_TREES: MethodEntry = MethodEntry {
    kind: "mixture-of-trees",
    summary: "mixture of Chow-Liu trees, by EM",
    source: "Meila and Jordan 2000",
    parameters: Settings::PARAMETERS,
    reports: &[&PARAMETERS, &ITERATIONS, &UNCONVERGED],
    cost: |parameters, shape| shape.variables as f64 * em::cost(parameters, shape),
    memory: Memory::PairsOfVariables(8.0),
    fits: &[Fit::Density(|parameters, train, context, _| {
        let train = sorted(train)?;
        let settings = Settings::read(parameters);
        let mut learner = Trees::new(&train, &settings, context);
        Ok(Box::new(em::best_of_restarts(&mut learner, &train, &settings, context)?))
    })],
    ..MethodEntry::PLAIN
};

/// A tree as a function of the ones of a row: ln P = base + Σ over ones of (of_one + of_both where the parent is one).
#[derive(Debug, Clone)]
struct Tree {
    base: f64,
    parents: Vec<usize>,
    of_one: Vec<f64>,
    of_both: Vec<f64>,
}

impl Tree {
    fn new(edges: &[Edge]) -> Self {
        let parents = edges.iter().map(|edge| edge.parent).collect();
        let zeros = || vec![0.0; edges.len()];
        let mut tree = Self { base: 0.0, parents, of_one: zeros(), of_both: zeros() };
        for (child, Edge { parent, log: [zero, one] }) in edges.iter().enumerate() {
            tree.base += zero[0];
            tree.of_one[child] += zero[1] - zero[0];
            tree.of_one[*parent] += one[0] - zero[0];
            tree.of_both[child] = (one[1] - one[0]) - (zero[1] - zero[0]);
        }
        tree
    }

    /// ln P(row); `is_one` has the row's ones.
    fn log(&self, ones: &[u32], is_one: &[bool]) -> f64 {
        let of = |&one: &u32| {
            let one = one as usize;
            self.of_one[one] + if is_one[self.parents[one]] { self.of_both[one] } else { 0.0 }
        };
        self.base + ones.iter().map(of).sum::<f64>()
    }
}

/// Trees with the logarithms of their weights.
#[derive(Debug, Clone)]
struct Mixture {
    log_weights: Vec<f64>,
    trees: Vec<Tree>,
}

impl Mixture {
    /// The trees' shares of each row, and ln P of each row.
    fn posteriors(&self, rows: &BinaryRows, cores: &Cores) -> (Vec<f64>, Vec<f64>) {
        let k = self.trees.len();
        let parts = cores.map_chunks(
            rows.len(),
            512,
            || vec![false; rows.variables()],
            |is_one, range| {
                let mut shares = Vec::with_capacity(range.len() * k);
                let of = |row: usize| {
                    let ones = rows.row(row);
                    ones.iter().for_each(|&one| is_one[one as usize] = true);
                    let trees = self.trees.iter().zip(&self.log_weights);
                    shares.extend(trees.map(|(tree, weight)| weight + tree.log(ones, is_one)));
                    ones.iter().for_each(|&one| is_one[one as usize] = false);
                    let first = shares.len() - k;
                    em::posterior(&mut shares[first..])
                };
                let logs: Vec<f64> = range.map(of).collect();
                (shares, logs)
            },
        );
        let (shares, logs): (Vec<Vec<f64>>, Vec<Vec<f64>>) = parts.into_iter().unzip();
        (shares.concat(), logs.concat())
    }
}

impl DensityModel for Mixture {
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64> {
        self.posteriors(rows, cores).1
    }

    fn measures(&self) -> Reported {
        let free = self.trees.iter().map(|tree| 2 * tree.parents.len()).sum::<usize>() - 1;
        vec![(&PARAMETERS, Measure::Scalar(free as f64))]
    }
}

/// A component with less than this of the examples keeps its tree, and has no weight.
const LEAST: f64 = 1e-6;

/// How many trees are counted in one pass over the rows, side by side in a register: each sum is made in the order of rows.
const TOGETHER: usize = 4;

/// Trees in the middle of EM.
struct Trees<'a> {
    train: &'a DistinctRows,
    settings: &'a Settings,
    context: &'a Context,
    /// How many examples of each row belong to each tree.
    weights: Vec<f64>,
    mixture: Mixture,
}

impl<'a> Trees<'a> {
    fn new(train: &'a DistinctRows, settings: &'a Settings, context: &'a Context) -> Self {
        let mixture = Mixture { log_weights: Vec::new(), trees: Vec::new() };
        Self { train, settings, context, weights: Vec::new(), mixture }
    }

    /// The Chow-Liu trees of the rows as they belong to the components of a group, with their examples.
    fn trees(&self, group: usize) -> Result<Vec<(f64, Tree)>> {
        let n = self.train.variables();
        let first = group * TOGETHER;
        let components = first..self.settings.components.min(first + TOGETHER);
        let mut pairs = vec![[0.0; TOGETHER]; n * n];
        let mut totals = [0.0; TOGETHER];
        let shares = self.weights.chunks_exact(self.settings.components);
        for (row, shares) in self.train.rows.iter().zip(shares) {
            let mut weights = [0.0; TOGETHER];
            weights[..components.len()].copy_from_slice(&shares[components.clone()]);
            let add = |sums: &mut [f64; TOGETHER]| {
                sums.iter_mut().zip(&weights).for_each(|(sum, weight)| *sum += weight);
            };
            add(&mut totals);
            for (place, &a) in row.iter().enumerate() {
                let of = &mut pairs[a as usize * n..][..n];
                row[place..].iter().for_each(|&b| add(&mut of[b as usize]));
            }
        }
        components
            .zip(totals)
            .enumerate()
            .map(|(lane, (component, total))| {
                self.tree(component, total, |a, b| pairs[a.min(b) * n + a.max(b)][lane])
            })
            .collect()
    }

    /// The Chow-Liu tree of a component of `total` examples, in `pair` of which two variables are both one; and its examples.
    fn tree(
        &self,
        component: usize,
        total: f64,
        pair: impl Fn(usize, usize) -> f64,
    ) -> Result<(f64, Tree)> {
        if let Some(before) = self.mixture.trees.get(component).filter(|_| total < LEAST) {
            return Ok((0.0, before.clone()));
        }
        let n = self.train.variables();
        let smoothing = self.settings.smoothing;
        let ones: Vec<f64> = (0..n).map(|v| pair(v, v)).collect();
        let information = Smoothed::new(&ones, total, smoothing);
        let weight = |a: usize, b: usize| information.of(a, b, pair(a, b));
        let parents = spanning(n, weight, || self.context.check())?;
        let edge = |(child, parent): (usize, Option<usize>)| {
            let parent = parent.map(|parent| (parent, ones[parent], pair(parent, child)));
            Edge::estimated(parent, ones[child], total, smoothing)
        };
        Ok((total, Tree::new(&parents.into_iter().enumerate().map(edge).collect::<Vec<Edge>>())))
    }
}

impl Learner for Trees<'_> {
    type Model = Mixture;

    fn begin(&mut self, assignment: &Assignment) -> Result<f64> {
        self.weights.clone_from(&assignment.weights);
        self.mixture.trees.clear();
        self.iterate()
    }

    fn iterate(&mut self) -> Result<f64> {
        let cores = &self.context.cores;
        let groups = self.settings.components.div_ceil(TOGETHER);
        let trees = self.context.each(groups, 1, |group| self.trees(group))?;
        let (totals, trees): (Vec<f64>, Vec<Tree>) = trees.into_iter().flatten().unzip();
        let log_weights = log_priors(&totals, self.settings.prior_smoothing);
        self.mixture = Mixture { log_weights, trees };
        let (mut shares, logs) = self.mixture.posteriors(&self.train.rows, cores);
        let rows = shares.chunks_exact_mut(self.settings.components).zip(&self.train.counts);
        for (shares, &count) in rows {
            shares.iter_mut().for_each(|share| *share *= f64::from(count));
        }
        self.weights = shares;
        Ok(logs.iter().zip(&self.train.counts).map(|(log, &count)| f64::from(count) * log).sum())
    }

    fn model(&self) -> Mixture {
        self.mixture.clone()
    }
}

#[cfg(test)]
mod tests;
