//! Chow-Liu trees: the tree-shaped distribution of highest likelihood.
//!
//! C. K. Chow and C. N. Liu, "Approximating discrete probability distributions with dependence
//! trees", IEEE Transactions on Information Theory 14(3), 1968.

use crate::metrics::PARAMETERS;
use crate::shared::refusals::countable;
use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use contract::parameter::{Real, parameters, settings};
use contract::{
    Context, DensityModel, Fit, Measure, Memory, MethodEntry, Reported, Result, carried,
};
use math::mutual_information::Information;
use math::spanning_tree::spanning;
use math::special::ln;

settings! {
    SMOOTHING smoothing: Real::not_negative(1e-3),
        "pseudo-examples spread evenly over all 2^n states: a quarter of it is added to each of the four counts of an edge; \
         the tree itself is that of the plain counts";
}

/// The registry's entry.
pub static CHOW_LIU: MethodEntry = MethodEntry {
    kind: "chow-liu",
    summary: "maximum-likelihood tree over the variables, by pairwise mutual information",
    source: "Chow and Liu 1968",
    parameters: parameters![SMOOTHING],
    along: &["smoothing"],
    reports: &[&PARAMETERS],
    cost: |_, shape| 1e-9 * (shape.variables * shape.entries) as f64,
    memory: Memory::PairsOfVariables(4.0),
    fits: &[Fit::Density(|parameters, train, context, carry| {
        let tree = carried(carry)?.map_or_else(|| Tree::learn(train, context), Ok)?;
        let model = tree.smoothed(parameters.get(&SMOOTHING));
        *carry = Some(Box::new(tree));
        Ok(Box::new(model))
    })],
    ..MethodEntry::PLAIN
};

/// A maximum-likelihood tree and the counts that its parameters need.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// Number of training examples, N.
    examples: u32,
    /// How many examples have a one in each variable.
    ones: Vec<u32>,
    /// For each variable its parent and how many examples have a one in both; none for the root.
    parents: Vec<Option<(usize, u32)>>,
}

impl Tree {
    /// Maximum spanning tree of the mutual informations (Prim), rooted at variable 0. Of equally
    /// informative edges the one with the lower pair of indices goes first. A constant column has
    /// mutual information 0 with every other; it is joined like any other variable.
    ///
    /// Time O(pairs of ones + n²) or O(n² N / 64), whichever is less; memory 4 n² bytes.
    pub(super) fn learn(train: &DistinctRows, context: &Context) -> Result<Self> {
        let n = train.variables();
        let examples = countable(train.examples(), u32::MAX)?;
        let pairs = Cooccurrence::count(train, &context.cores);
        context.check()?;
        let information = Information::new(examples);
        let ones: Vec<u32> = (0..n).map(|v| pairs.get(v, v)).collect();
        let weight = |a: usize, b: usize| information.of(ones[a], ones[b], pairs.get(a, b));
        let joined = |(child, parent): (usize, Option<usize>)| {
            parent.map(|parent| (parent, pairs.get(parent, child)))
        };
        let parents =
            spanning(n, weight, || context.check())?.into_iter().enumerate().map(joined).collect();
        Ok(Self { examples, ones, parents })
    }

    /// The tree's edges, each with N times the mutual information of its ends in nats.
    pub(super) fn edges(&self) -> Vec<(usize, usize, f64)> {
        let information = Information::new(self.examples);
        let edge = |(child, parent): (usize, &Option<(usize, u32)>)| {
            let (parent, both) = (*parent)?;
            Some((parent, child, information.of(self.ones[parent], self.ones[child], both)))
        };
        self.parents.iter().enumerate().filter_map(edge).collect()
    }

    /// The tree's distribution with `smoothing` pseudo-examples spread evenly over all states.
    fn smoothed(&self, smoothing: f64) -> TreeModel {
        let total = f64::from(self.examples);
        let edge = |(parent, &ones): (&Option<(usize, u32)>, &u32)| {
            let joined = |(parent, both)| (parent, f64::from(self.ones[parent]), f64::from(both));
            Edge::estimated(parent.map(joined), f64::from(ones), total, smoothing)
        };
        TreeModel { edges: self.parents.iter().zip(&self.ones).map(edge).collect() }
    }
}

/// How many examples have a one in both of two variables.
#[derive(Debug, PartialEq)]
pub struct Cooccurrence {
    variables: usize,
    /// Row a holds the counts with b = a.. of each a; below the diagonal nothing is set.
    counts: Vec<u32>,
}

/// Word operations (and, count, add) that cost as much as one scattered addition, as measured.
const WORDS_PER_ADDITION: usize = 1;
/// Variables whose counts one core computes at a time.
const CHUNK: usize = 16;

impl Cooccurrence {
    /// Counts over lists of ones or over packed columns, by which is cheaper for these data.
    pub fn count(train: &DistinctRows, cores: &Cores) -> Self {
        let n = train.variables();
        let additions: usize = train.rows.iter().map(|row| row.len() * (row.len() + 1) / 2).sum();
        let words = n * (n + 1) / 2 * train.examples().div_ceil(64);
        if additions * WORDS_PER_ADDITION <= words {
            Self::over_lists(train, cores)
        } else {
            Self::over_columns(train, cores)
        }
    }

    /// O(sum over distinct rows of the square of their ones).
    fn over_lists(train: &DistinctRows, cores: &Cores) -> Self {
        let columns = train.rows.by_column();
        Self::by_rows(train.variables(), cores, |a, counts| {
            for &row in columns.of(a) {
                let weight = train.counts[row as usize];
                let ones = train.rows.row(row as usize).iter().rev().map(|&b| b as usize);
                ones.take_while(|&b| b >= a).for_each(|b| counts[b] += weight);
            }
        })
    }

    /// O(n² N / 64).
    fn over_columns(train: &DistinctRows, cores: &Cores) -> Self {
        let n = train.variables();
        let words = train.examples().div_ceil(64);
        let mut columns = vec![0u64; n * words];
        for (example, &row) in train.of_example.iter().enumerate() {
            for &one in train.rows.row(row as usize) {
                columns[one as usize * words + example / 64] |= 1 << (example % 64);
            }
        }
        let column = |v: usize| &columns[v * words..(v + 1) * words];
        Self::by_rows(n, cores, |a, counts| {
            for (b, count) in counts.iter_mut().enumerate().skip(a) {
                *count = column(a).iter().zip(column(b)).map(|(x, y)| (x & y).count_ones()).sum();
            }
        })
    }

    fn by_rows(n: usize, cores: &Cores, row: impl Fn(usize, &mut [u32]) + Sync) -> Self {
        let chunks = cores.map(n, CHUNK, |range| {
            let mut counts = vec![0; range.len() * n];
            for (a, counts) in range.zip(counts.chunks_exact_mut(n)) {
                row(a, counts);
            }
            counts
        });
        Self { variables: n, counts: chunks.concat() }
    }

    /// How many have a one in both.
    pub fn get(&self, a: usize, b: usize) -> u32 {
        self.counts[a.min(b) * self.variables + a.max(b)]
    }
}

/// A fitted tree-shaped distribution.
#[derive(Debug, Clone)]
struct TreeModel {
    edges: Vec<Edge>,
}

/// One variable given its parent.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// The parent; of the root any variable, whose value has no influence.
    pub parent: usize,
    /// ln P(variable = v | parent = p) at `[p][v]`.
    pub log: [[f64; 2]; 2],
}

impl Edge {
    /// The estimate for a variable with so many ones in so many examples, with `smoothing` pseudo-examples spread evenly over all
    /// states. Of a parent: which, its ones, and how many examples have a one in both; none for the root.
    pub fn estimated(
        parent: Option<(usize, f64, f64)>,
        ones: f64,
        total: f64,
        smoothing: f64,
    ) -> Self {
        // A value that was never seen (only without smoothing) leaves its children undetermined.
        let log_share = |part: f64, whole: f64| ln(if whole > 0.0 { part / whole } else { 0.5 });
        let Some((parent, parent_ones, both)) = parent else {
            let log = [total - ones, ones]
                .map(|count| log_share(count + smoothing / 2.0, total + smoothing));
            return Self { parent: 0, log: [log, log] };
        };
        let given = |value_ones: f64, value_total: f64| {
            [value_total - value_ones, value_ones]
                .map(|count| log_share(count + smoothing / 4.0, value_total + smoothing / 2.0))
        };
        Self { parent, log: [given(ones - both, total - parent_ones), given(both, parent_ones)] }
    }
}

impl DensityModel for TreeModel {
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64> {
        let state = || vec![0u8; self.edges.len()];
        cores.each(rows.len(), 1024, state, |state, index| {
            let ones = rows.row(index);
            ones.iter().for_each(|&one| state[one as usize] = 1);
            let value = (self.edges.iter().zip(&*state))
                .map(|(edge, &x)| edge.log[state[edge.parent] as usize][x as usize])
                .sum();
            ones.iter().for_each(|&one| state[one as usize] = 0);
            value
        })
    }

    fn measures(&self) -> Reported {
        let free = (2 * self.edges.len()).saturating_sub(1);
        vec![(&PARAMETERS, Measure::Scalar(free as f64))]
    }
}

#[cfg(test)]
mod tests;
