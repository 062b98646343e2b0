//! Hidden Chow-Liu trees, by expectation maximization: A. Liu and G. Van den Broeck, "Tractable regularization of probabilistic
//! circuits", NeurIPS 2021.
//!
//! Every inner variable Y of a Chow-Liu tree has a hidden variable of H states beside it; the hidden variables depend on each other as
//! the tree says, each inner variable on its own, and each leaf of the tree on that of its parent. Several trees are a mixture.

mod em;
mod tile;
mod trees;

use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use contract::parameter::{Count, Real, settings};
use contract::{DensityModel, Fit, ITERATIONS, Measure, Memory, MethodEntry, Reported, carried};
use math::special::ln;
use method::metrics::PARAMETERS;

use self::em::{Em, Learned};
use self::tile::{ROWS, Tile, power_of_two};
use self::trees::{Edges, Walk};
use super::rows::sorted;
use crate::blocks::by_blocks;

settings! {
    /// The trees, and how they are learned.
    pub struct Settings {
        STATES states: Count::within(1..=256, 16), "H, states of each hidden variable";
        TREES trees: Count::within(1..=20, 1),
            "trees in the mixture, evenly spread from the best to the twentieth of the best spanning trees";
        PSEUDO_COUNT pseudo_count: Real::not_negative(0.1),
            "spread evenly over the children of each sum, or the values of a leaf";
        BATCH batch: Count::from(1, 1024), "distinct rows of a mini-batch";
        BATCH_PASSES batch_passes: Count::from(0, 50),
            "passes by mini-batches, whose step falls evenly from .9 to .1; those that follow are full passes of EM";
        PASSES passes: Count::from(0, 100),
            "passes over the training rows; a grid of ascending ones lets validation examples say which";
    }
}

/// The registry's entry.
pub static HCLT: MethodEntry = MethodEntry {
    kind: "hclt",
    summary: "hidden Chow-Liu tree: a Chow-Liu tree whose inner variables have hidden ones beside them, by EM",
    source: "Liu and Van den Broeck 2021",
    parameters: Settings::PARAMETERS,
    along: &["passes"],
    reports: &[&PARAMETERS, &ITERATIONS],
    cost: |parameters, shape| {
        let Settings { states, trees, passes, .. } = Settings::read(parameters);
        let of_tree = (trees * passes) as f64 / 10.0;
        1e-9 * of_tree
            * (states * states) as f64
            * (shape.variables * shape.examples.min(12_000)) as f64
    },
    memory: Memory::PairsOfVariables(12.0),
    fits: &[Fit::Density(|parameters, train, context, carry| {
        let settings = Settings::read(parameters);
        let passes = settings.passes;
        let before = carried::<Learned>(carry)?.filter(|before| before.passes <= passes);
        let train = sorted(train)?;
        let em = Em { train: &train, settings, context };
        let mut learned = match before {
            Some(learned) => learned,
            None => {
                let shapes = Shape::best(&train, settings.trees, &context.cores);
                em.begin(shapes, settings.states)
            }
        };
        while learned.passes < passes {
            em.pass(&mut learned)?;
        }
        *carry = Some(Box::new(learned.clone()));
        Ok(Box::new(learned))
    })],
    ..MethodEntry::PLAIN
};

/// An inner variable, with its hidden one.
#[derive(Debug, Clone, PartialEq)]
pub struct Inner {
    /// Its place's parent; none of the root.
    parent: Option<usize>,
    /// Inner variables below it.
    children: Vec<usize>,
    /// Itself, and the leaves of the tree below it.
    variables: Vec<u32>,
}

/// A tree as its circuit needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Children before parents, the root last.
    inner: Vec<Inner>,
    /// Of each variable the inner one whose state decides its probability.
    of_variable: Vec<usize>,
}

impl Shape {
    /// The trees of this rank and that among the best twenty.
    fn best(train: &DistinctRows, count: usize, cores: &Cores) -> Vec<Self> {
        const BEST: usize = 20;
        let apart = count.saturating_sub(1).max(1);
        let ranks = (0..count).map(|at| ((BEST - 1) * at + apart / 2) / apart);
        let last = ranks.clone().next_back().unwrap_or(0);
        let n = train.variables();
        let trees = Edges::new(train, cores).heaviest_trees(n, last + 1);
        ranks
            .filter_map(|rank| trees.get(rank))
            .map(|edges| Self::of(&Walk::centred(n, edges)))
            .collect()
    }

    fn of(walk: &Walk) -> Self {
        let n = walk.order.len();
        let mut is_inner = vec![false; n];
        walk.order.last().into_iter().for_each(|&root| is_inner[root as usize] = true);
        walk.parents.iter().flatten().for_each(|&parent| is_inner[parent as usize] = true);
        let mut place = vec![0; n];
        let mut inner: Vec<Inner> = Vec::new();
        for &node in walk.order.iter().filter(|&&node| is_inner[node as usize]) {
            place[node as usize] = inner.len();
            inner.push(Inner { parent: None, children: Vec::new(), variables: vec![node] });
        }
        let mut of_variable = place.clone();
        for (node, parent) in walk.parents.iter().enumerate() {
            let Some(parent) = parent.map(|parent| place[parent as usize]) else { continue };
            if is_inner[node] {
                inner[place[node]].parent = Some(parent);
                inner[parent].children.push(place[node]);
            } else {
                of_variable[node] = parent;
                inner[parent].variables.push(node as u32);
            }
        }
        Self { inner, of_variable }
    }
}

impl Learned {
    /// A tile for each tree.
    fn tiles(&self) -> Vec<Tile> {
        self.shapes.iter().map(|shape| Tile::new(shape, self.states)).collect()
    }

    /// The likelihoods of the rows with these ones: the logarithms, and of each tree the factor that makes its numbers shares of them.
    fn upward(&self, tiles: &mut [Tile], bits: &[u64]) -> ([f64; ROWS], Vec<[f64; ROWS]>) {
        for ((tile, shape), tables) in tiles.iter_mut().zip(&self.shapes).zip(&self.tables) {
            tile.upward(shape, tables, bits);
        }
        let mut logs = [f64::NEG_INFINITY; ROWS];
        let mut factors = vec![[0.0; ROWS]; tiles.len()];
        for row in 0..ROWS {
            let alive = tiles.iter().filter(|tile| tile.value[row] > 0.0);
            let Some(top) = alive.map(|tile| tile.exponent[row]).max() else { continue };
            let to_top = |tile: &Tile| power_of_two(tile.exponent[row] - top);
            let total: f64 = tiles.iter().map(|tile| tile.value[row] * to_top(tile)).sum();
            logs[row] = ln(total) + f64::from(top) * std::f64::consts::LN_2;
            for (factor, tile) in factors.iter_mut().zip(&*tiles) {
                factor[row] = to_top(tile) / total;
            }
        }
        (logs, factors)
    }
}

impl DensityModel for Learned {
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64> {
        by_blocks(rows, cores, || self.tiles(), |tiles, ones| self.upward(tiles, ones).0)
    }

    fn measures(&self) -> Reported {
        let h = self.states;
        let of_tree =
            |shape: &Shape| (shape.inner.len() - 1) * h * (h - 1) + shape.of_variable.len() * h;
        let free = self.shapes.iter().map(of_tree).sum::<usize>() + self.shapes.len() * h - 1;
        let passes = Measure::Sample([self.passes as f64].into_iter().collect());
        vec![(&PARAMETERS, Measure::Scalar(free as f64)), (&ITERATIONS, passes)]
    }
}

#[cfg(test)]
mod tests;
