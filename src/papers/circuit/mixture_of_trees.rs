//! Mixtures of trees, by expectation maximization: M. Meila and M. I. Jordan, "Learning with mixtures of trees", Journal of Machine
//! Learning Research 1, 2000.
//!
//! ```text
//! E:  γ_ik ∝ λ_k T_k(x_i)
//! M:  λ_k = N_k / N, N_k = Σ_i γ_ik;  T_k the Chow-Liu tree of the examples weighted by γ_ik
//! ```

use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use contract::parameter::{Count, Parameters, Real, parameters};
use contract::{
    Carry, Context, DensityModel, Fit, FitError, ITERATIONS, Measure, Memory, MethodEntry,
    Reported, carried,
};
use math::sample::Sample;
use math::spanning_tree::spanning;
use math::special::{exp, ln};
use method::baseline::chow_liu::Edge;
use method::metrics::{PARAMETERS, UNCONVERGED};

use super::information::Smoothed;
use super::rows::sorted;

const COMPONENTS: Count = Count::from("components", 1, 20, "number of trees");
const SMOOTHING: Real = Real::positive(
    "smoothing",
    1.0,
    "pseudo-examples of each tree spread evenly over all states: a quarter of it is added to each of the four counts of a pair",
);
const TOLERANCE: Real = Real::not_negative(
    "tolerance",
    1e-4,
    "EM ends when the average log-likelihood of the training examples rises by less",
);
const MAX_ITERATIONS: Count = Count::from(
    "max_iterations",
    1,
    100,
    "iterations of EM at most; a grid of ascending ones lets validation examples say which",
);

/// The registry's entry.
pub static MIXTURE_OF_TREES: MethodEntry = MethodEntry {
    kind: "mixture-of-trees",
    summary: "mixture of Chow-Liu trees, by EM",
    source: "Meila and Jordan 2000",
    parameters: parameters![COMPONENTS, SMOOTHING, TOLERANCE, MAX_ITERATIONS],
    along: &["max_iterations"],
    reports: &[&PARAMETERS, &ITERATIONS, &UNCONVERGED],
    cost: |parameters, shape| {
        let (k, n) = (parameters.get(&COMPONENTS) as f64, shape.variables as f64);
        1e-7 * k * n * (n + shape.entries as f64 / 100.0)
    },
    memory: Memory::PairsOfVariables(2.0),
    fits: &[Fit::Density(fit)],
    ..MethodEntry::PLAIN
};

fn fit(
    parameters: &Parameters,
    train: &DistinctRows,
    context: &Context,
    carry: &mut Carry,
) -> Result<Box<dyn DensityModel>, FitError> {
    let most = parameters.get(&MAX_ITERATIONS);
    let before = carried::<Shared>(carry)?.filter(|(before, _)| before.iterations <= most);
    let train = sorted(train)?;
    let em = Em {
        train: &train,
        smoothing: parameters.get(&SMOOTHING),
        tolerance: parameters.get(&TOLERANCE),
        context,
    };
    let (mut mixture, mut shares) = match before {
        Some(before) => before,
        None => em.begin(parameters.get(&COMPONENTS))?,
    };
    while mixture.iterations < most && !mixture.converged {
        (mixture, shares) = em.iterate(&mixture, shares)?;
    }
    *carry = Some(Box::new((mixture.clone(), shares)));
    Ok(Box::new(mixture))
}

/// A mixture with the logarithms of the trees' shares of each training row.
type Shared = (Mixture, Vec<f64>);

/// A mixture on its way.
#[derive(Debug, Clone)]
struct Mixture {
    trees: Vec<Tree>,
    iterations: usize,
    converged: bool,
    /// The average log-likelihood under it.
    mean: f64,
}

/// A tree with its weight, as a function of the ones of a row: ln P = base + Σ over ones of (of_one + of_both where the parent is one).
#[derive(Debug, Clone)]
struct Tree {
    log_weight: f64,
    base: f64,
    parents: Vec<usize>,
    of_one: Vec<f64>,
    of_both: Vec<f64>,
}

impl Tree {
    fn new(log_weight: f64, edges: &[Edge]) -> Self {
        let mut tree = Self {
            log_weight,
            base: 0.0,
            parents: edges.iter().map(|edge| edge.parent).collect(),
            of_one: vec![0.0; edges.len()],
            of_both: vec![0.0; edges.len()],
        };
        for (child, Edge { parent, log: [zero, one] }) in edges.iter().enumerate() {
            tree.base += zero[0];
            tree.of_one[child] += zero[1] - zero[0];
            tree.of_one[*parent] += one[0] - zero[0];
            tree.of_both[child] = (one[1] - one[0]) - (zero[1] - zero[0]);
        }
        tree
    }

    /// ln P(row) and its weight; `state` has the row's ones.
    fn log(&self, ones: &[u32], state: &[bool]) -> f64 {
        let of = |&one: &u32| {
            let both =
                if state[self.parents[one as usize]] { self.of_both[one as usize] } else { 0.0 };
            self.of_one[one as usize] + both
        };
        self.log_weight + (self.base + ones.iter().map(of).sum::<f64>())
    }
}

impl Mixture {
    /// Writes the logarithms of each tree's share of a row to `logs`, and gives the row's ln P.
    fn posterior(&self, ones: &[u32], state: &mut [bool], logs: &mut [f64]) -> f64 {
        ones.iter().for_each(|&one| state[one as usize] = true);
        for (log, tree) in logs.iter_mut().zip(&self.trees) {
            *log = tree.log(ones, state);
        }
        ones.iter().for_each(|&one| state[one as usize] = false);
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            return top;
        }
        let total = top + ln(logs.iter().map(|log| exp(log - top)).sum());
        logs.iter_mut().for_each(|log| *log -= total);
        total
    }

    /// The logarithms of the shares of the trees, row by row, and ln P of each row.
    fn posteriors(&self, rows: &BinaryRows, cores: &Cores) -> (Vec<f64>, Vec<f64>) {
        let k = self.trees.len();
        let scratch = || vec![false; rows.variables()];
        let parts = cores.map_chunks(rows.len(), 512, scratch, |state, range| {
            let mut logs = vec![0.0; range.len() * k];
            let rows = range.map(|row| rows.row(row)).zip(logs.chunks_exact_mut(k));
            let totals = rows.map(|(ones, logs)| self.posterior(ones, state, logs)).collect();
            (logs, totals)
        });
        let (logs, totals): (Vec<Vec<f64>>, Vec<Vec<f64>>) = parts.into_iter().unzip();
        (logs.concat(), totals.concat())
    }
}

impl DensityModel for Mixture {
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores, out: &mut [f64]) {
        out.copy_from_slice(&self.posteriors(rows, cores).1);
    }

    fn measures(&self) -> Reported {
        let k = self.trees.len();
        let free = k * (2 * self.trees[0].parents.len() - 1) + k - 1;
        let mut iterations = Sample::default();
        iterations.push(self.iterations as f64);
        vec![
            (&PARAMETERS, Measure::Scalar(free as f64)),
            (&ITERATIONS, Measure::Sample(iterations)),
            (&UNCONVERGED, Measure::Scalar(f64::from(u8::from(!self.converged)))),
        ]
    }
}

/// A component with less than this of the examples keeps its tree, and has no weight.
const LEAST: f64 = 1e-6;

struct Em<'a> {
    train: &'a DistinctRows,
    smoothing: f64,
    tolerance: f64,
    context: &'a Context,
}

impl Em<'_> {
    /// Trees of shares that are drawn at random.
    fn begin(&self, components: usize) -> Result<Shared, FitError> {
        let mut random = self.context.random(0);
        let mut shares = vec![0.0; components * self.train.rows.len()];
        for shares in shares.chunks_exact_mut(components) {
            shares.iter_mut().for_each(|share| *share = random.uniform());
            let total: f64 = shares.iter().sum();
            shares.iter_mut().for_each(|share| *share /= total);
        }
        let trees = self.maximise(&shares, &[])?;
        Ok(self.judged(trees, 0, f64::NEG_INFINITY))
    }

    /// One step of EM.
    fn iterate(&self, mixture: &Mixture, mut shares: Vec<f64>) -> Result<Shared, FitError> {
        shares.iter_mut().for_each(|log| *log = exp(*log));
        let trees = self.maximise(&shares, &mixture.trees)?;
        Ok(self.judged(trees, mixture.iterations + 1, mixture.mean))
    }

    /// The mixture of these trees; `before` is the average log-likelihood before this iteration.
    fn judged(&self, trees: Vec<Tree>, iterations: usize, before: f64) -> Shared {
        let mut mixture = Mixture { trees, iterations, converged: false, mean: 0.0 };
        let (shares, logs) = mixture.posteriors(&self.train.rows, &self.context.cores);
        let total: f64 =
            logs.iter().zip(&self.train.counts).map(|(log, &count)| f64::from(count) * log).sum();
        mixture.mean = total / self.train.examples() as f64;
        mixture.converged = iterations > 0 && mixture.mean - before < self.tolerance;
        (mixture, shares)
    }

    /// The trees of these shares of the rows.
    fn maximise(&self, shares: &[f64], before: &[Tree]) -> Result<Vec<Tree>, FitError> {
        let k = shares.len() / self.train.rows.len();
        let tree = |component: usize| {
            let weights: Vec<f64> = shares[component..].iter().step_by(k).copied().collect();
            self.tree(&weights, before.get(component))
        };
        let cores = &self.context.cores;
        let trees = cores.map_chunks(k, 1, || (), |(), range| tree(range.start));
        let mut trees = trees.into_iter().collect::<Result<Vec<Tree>, _>>()?;
        // Without those that are left out.
        let total = ln(trees.iter().map(|tree| exp(tree.log_weight)).sum());
        trees.iter_mut().for_each(|tree| tree.log_weight -= total);
        Ok(trees)
    }

    /// The Chow-Liu tree of the rows weighted so.
    fn tree(&self, shares: &[f64], before: Option<&Tree>) -> Result<Tree, FitError> {
        let n = self.train.variables();
        let mut both = vec![0.0; n * n];
        let mut total = 0.0;
        for ((row, &count), share) in self.train.rows.iter().zip(&self.train.counts).zip(shares) {
            let weight = share * f64::from(count);
            total += weight;
            for (place, &a) in row.iter().enumerate() {
                let of = &mut both[a as usize * n..][..n];
                row[place..].iter().for_each(|&b| of[b as usize] += weight);
            }
        }
        if let Some(before) = before
            && total < LEAST
        {
            return Ok(Tree { log_weight: f64::NEG_INFINITY, ..before.clone() });
        }
        let pair = |a: usize, b: usize| both[a.min(b) * n + a.max(b)];
        let ones: Vec<f64> = (0..n).map(|v| pair(v, v)).collect();
        let information = Smoothed::new(&ones, total, self.smoothing);
        let weight = |a: usize, b: usize| information.of(a, b, pair(a, b));
        let parents = spanning(n, weight, || self.context.check())?;
        let edge = |(child, parent): (usize, Option<usize>)| {
            let parent = parent.map(|parent| (parent, ones[parent], pair(parent, child)));
            Edge::estimated(parent, ones[child], total, self.smoothing)
        };
        let edges: Vec<Edge> = parents.into_iter().enumerate().map(edge).collect();
        Ok(Tree::new(ln(total), &edges))
    }
}

#[cfg(test)]
mod tests;
