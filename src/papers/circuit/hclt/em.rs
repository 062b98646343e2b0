//! Expectation maximization, by mini-batches and then by full passes.
//!
//! ```text
//! full pass:   θ ← (F + a/K) / (Σ F + a), F expected counts in examples, K the children of the sum
//! mini-batch:  θ ← (1 - η) θ + η times that, with the F of the batch alone
//! ```

use contract::binary::DistinctRows;
use contract::{Context, Result};

use super::tile::{ROWS, Tables, Tile, turn};
use super::{Settings, Shape};
use crate::blocks::bits;

/// Fewest tiles of a part of the rows whose counts are added up by itself, and most parts: what is added when does not depend on cores.
const LEAST_TILES: usize = 4;
const MOST_PARTS: usize = 16;

/// Hidden Chow-Liu trees on their way.
#[derive(Debug, Clone)]
pub struct Learned {
    pub shapes: Vec<Shape>,
    pub tables: Vec<Tables>,
    /// H.
    pub states: usize,
    /// Passes over the rows.
    pub passes: usize,
}

pub struct Em<'a> {
    pub train: &'a DistinctRows,
    pub settings: Settings,
    pub context: &'a Context,
}

impl Em<'_> {
    /// Weights from .6 to 1.4, normalised.
    pub fn begin(&self, shapes: Vec<Shape>, states: usize) -> Learned {
        let mut random = self.context.random(0);
        let mut tables: Vec<Tables> =
            shapes.iter().map(|shape| Tables::zeros(shape, states)).collect();
        for tables in &mut tables {
            let of_values = tables.values.iter_mut().flatten();
            let all = tables.states.iter_mut().chain(of_values).chain([&mut tables.prior]);
            for number in all.flatten() {
                *number = 0.6 + 0.8 * random.uniform();
            }
        }
        let mut learned = Learned { shapes, tables, states, passes: 0 };
        let drawn = learned.tables.clone();
        learned.each_sum(&drawn, |of, weights| {
            let total: f64 = weights.iter().sum();
            of.iter_mut().zip(weights).for_each(|(of, weight)| *of = weight / total);
        });
        learned
    }

    /// One pass over the rows.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn pass(&self, learned: &mut Learned) -> Result<()> {
        learned.passes += 1;
        let mut order: Vec<usize> = (0..self.train.rows.len()).collect();
        if learned.passes > self.settings.batch_passes {
            return self.step(learned, &order, 1.0);
        }
        self.context.random(learned.passes).shuffle(&mut order);
        let done = (learned.passes - 1) as f64 / (self.settings.batch_passes - 1).max(1) as f64;
        order
            .chunks(self.settings.batch)
            .try_for_each(|batch| self.step(learned, batch, 0.9 - 0.8 * done))
    }

    /// Moves the weights towards what these rows say, as far as `eta`.
    fn step(&self, learned: &mut Learned, rows: &[usize], eta: f64) -> Result<()> {
        let counts = self.counts(learned, rows)?;
        let a = self.settings.pseudo_count;
        learned.each_sum(&counts, |weights, counts| {
            let share = a / counts.len() as f64;
            let total = counts.iter().sum::<f64>() + a;
            if total > 0.0 {
                for (weight, count) in weights.iter_mut().zip(counts) {
                    *weight = (1.0 - eta) * *weight + eta * ((count + share) / total);
                }
            }
        });
        Ok(())
    }

    /// The expected counts of each tree.
    pub fn counts(&self, learned: &Learned, rows: &[usize]) -> Result<Vec<Tables>> {
        let turned: Vec<Vec<Vec<f64>>> =
            learned.tables.iter().map(|of| turned(of, learned.states)).collect();
        let tiles = rows.len().div_ceil(ROWS);
        let chunk = tiles.div_ceil(MOST_PARTS).max(LEAST_TILES);
        let scratch = || (vec![0; self.train.variables()], learned.tiles());
        let parts = self.context.cores.map_chunks(tiles, chunk, scratch, |(ones, tiles), range| {
            let mut counts = learned.zeros();
            for tile in range {
                self.context.check()?;
                let rows = &rows[tile * ROWS..rows.len().min((tile + 1) * ROWS)];
                self.count(learned, &turned, rows, (ones, tiles), &mut counts);
            }
            Ok(counts)
        });
        let mut all = learned.zeros();
        for part in parts {
            let part: Vec<Tables> = part?;
            all.iter_mut().zip(&part).for_each(|(all, counts)| all.add(counts));
        }
        for (counts, tables) in all.iter_mut().zip(&learned.tables) {
            for (counts, tables) in counts.states.iter_mut().zip(&tables.states) {
                counts.iter_mut().zip(tables).for_each(|(count, weight)| *count *= weight);
            }
            for [zeros, ones] in &mut counts.values {
                // Rounding may leave a little less than nothing.
                zeros.iter_mut().zip(ones).for_each(|(all, ones)| *all = (*all - *ones).max(0.0));
            }
        }
        Ok(all)
    }

    /// Adds the counts of a tile's rows.
    fn count(
        &self,
        learned: &Learned,
        turned: &[Vec<Vec<f64>>],
        rows: &[usize],
        (ones, tiles): (&mut [u64], &mut [Tile]),
        counts: &mut [Tables],
    ) {
        bits(&self.train.rows, rows.iter().copied(), ones);
        let (_, factors) = learned.upward(tiles, ones);
        let mut examples = [0.0; ROWS];
        for (examples, &row) in examples.iter_mut().zip(rows) {
            *examples = f64::from(self.train.counts[row]);
        }
        for (at, tile) in tiles.iter_mut().enumerate() {
            let weights = std::array::from_fn(|row| examples[row] * factors[at][row]);
            let tables = (&learned.tables[at], &*turned[at]);
            tile.downward(&learned.shapes[at], tables, &weights, ones, &mut counts[at]);
        }
    }
}

/// The tables of states with rows and columns exchanged.
fn turned(tables: &Tables, states: usize) -> Vec<Vec<f64>> {
    let turned = |table: &Vec<f64>| {
        let mut turned = vec![0.0; table.len()];
        turn(table, states, &mut turned);
        turned
    };
    tables.states.iter().map(turned).collect()
}

impl Learned {
    fn zeros(&self) -> Vec<Tables> {
        self.shapes.iter().map(|shape| Tables::zeros(shape, self.states)).collect()
    }

    /// Calls `of` with the weights of each sum and with its part of `others`: the root's over all trees, each row of states, both values
    /// of a leaf in each state.
    pub fn each_sum(&mut self, others: &[Tables], mut of: impl FnMut(&mut [f64], &[f64])) {
        let h = self.states;
        let mut prior: Vec<f64> =
            self.tables.iter().flat_map(|tables| tables.prior.clone()).collect();
        let of_others: Vec<f64> = others.iter().flat_map(|tables| tables.prior.clone()).collect();
        of(&mut prior, &of_others);
        for ((tables, prior), others) in
            self.tables.iter_mut().zip(prior.chunks_exact(h)).zip(others)
        {
            tables.prior.copy_from_slice(prior);
            for (table, others) in tables.states.iter_mut().zip(&others.states) {
                table.chunks_exact_mut(h).zip(others.chunks_exact(h)).for_each(|(t, o)| of(t, o));
            }
            for ([zero, one], [of_zero, of_one]) in tables.values.iter_mut().zip(&others.values) {
                for state in 0..h {
                    let mut both = [zero[state], one[state]];
                    of(&mut both, &[of_zero[state], of_one[state]]);
                    [zero[state], one[state]] = both;
                }
            }
        }
    }
}
