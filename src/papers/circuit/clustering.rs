//! Clusters of rows by online hard EM of naive Bayes, as the programme of Gens and Domingos (LearnSPN 1.0, 2013) makes them.
//!
//! A row is taken out of its cluster and joins the one with the highest score, in which a cluster's size has no part:
//!
//! ```text
//! cluster c:      Σ_v ln (n_cv(x_v) + .1) / (n_c + .2)
//! a new cluster:  Σ_v ln (w + .1) / (w + .2) - λ |V|, w the examples that the row stands for
//! ```
//!
//! Of ten restarts the best by the penalised likelihood is kept.

use std::collections::BTreeMap;

use contract::binary::DistinctRows;
use contract::{Context, FitError, Result};
use math::random::Random;
use math::special::ln;
use math::vector;

/// Added to the count of each value of a variable.
const PRIOR: f64 = 0.1;
const RESTARTS: usize = 10;
const PASSES: usize = 4;
/// More clusters than these, of more rows than those, are refused.
const MOST_CLUSTERS: usize = 2_000;
const MANY_ROWS: usize = 10_000;
/// No cluster yet.
const NONE: usize = usize::MAX;

/// The rows of each cluster, at least two of them, with the `penalty` λ. There must be two rows that differ.
///
/// # Errors
/// If there are too many clusters, the deadline passes or the user interrupts.
pub fn clusters(
    penalty: f64,
    rows: &DistinctRows,
    random: &mut Random,
    context: &Context,
) -> Result<Vec<Vec<usize>>> {
    let penalty = penalty * rows.variables() as f64;
    let logs = |prior: f64| (0..=rows.examples()).map(move |count| ln(count as f64 + prior));
    let (of_value, of_total): (Vec<f64>, Vec<f64>) =
        (logs(PRIOR).collect(), logs(2.0 * PRIOR).collect());
    let mut order: Vec<usize> = (0..rows.rows.len()).collect();
    let mut halved = 1.0;
    let mut best: Option<(f64, Vec<usize>)> = None;
    for _ in 0..RESTARTS {
        random.shuffle(&mut order);
        let mut state = State::new(rows, [&of_value, &of_total], penalty, halved);
        let mut pass = 0;
        while pass < PASSES {
            context.check()?;
            state.pass(&order)?;
            pass += 1;
            if state.clusters == 1 {
                state.halved *= 0.5;
                pass = 1;
            }
        }
        halved = state.halved;
        let score = state.log_likelihood() - penalty * state.clusters as f64;
        if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
            best = Some((score, state.of_row));
        }
    }
    let (_, of_row) = best.unwrap_or_default();
    Ok(listed(&of_row))
}

/// The members of each cluster, in the order of their first ones.
pub fn listed<T: Copy + Ord>(clusters: &[T]) -> Vec<Vec<usize>> {
    let mut members: BTreeMap<T, Vec<usize>> = BTreeMap::new();
    for (member, &cluster) in clusters.iter().enumerate() {
        members.entry(cluster).or_default().push(member);
    }
    let mut listed: Vec<Vec<usize>> = members.into_values().collect();
    listed.sort_unstable();
    listed
}

/// Clusters in slots; a slot whose cluster has vanished is taken by the next new one.
struct State<'a> {
    rows: &'a DistinctRows,
    /// ln (i + .1) and ln (i + .2).
    of_value: &'a [f64],
    of_total: &'a [f64],
    penalty: f64,
    /// The part of a new cluster's score that is left.
    halved: f64,
    clusters: usize,
    /// Slots that there is room for.
    room: usize,
    /// Examples of each slot.
    sizes: Vec<u32>,
    /// Ones of each variable in each slot, variable by variable.
    ones: Vec<u32>,
    /// The score of a slot is its base and the odds of a row's ones.
    base: Vec<f64>,
    odds: Vec<f64>,
    of_row: Vec<usize>,
    scores: Vec<f64>,
}

impl<'a> State<'a> {
    fn new(
        rows: &'a DistinctRows,
        [of_value, of_total]: [&'a [f64]; 2],
        penalty: f64,
        halved: f64,
    ) -> Self {
        let mut state = Self {
            rows,
            of_value,
            of_total,
            penalty,
            halved,
            clusters: 0,
            room: 0,
            sizes: Vec::new(),
            ones: Vec::new(),
            base: Vec::new(),
            odds: Vec::new(),
            of_row: vec![NONE; rows.rows.len()],
            scores: Vec::new(),
        };
        state.make_room(8);
        state
    }

    fn make_room(&mut self, room: usize) {
        let n = self.rows.variables();
        let (mut ones, mut odds) = (vec![0; n * room], vec![0.0; n * room]);
        for v in 0..n {
            let (from, to) = (v * self.room, v * room);
            ones[to..to + self.room].copy_from_slice(&self.ones[from..from + self.room]);
            odds[to..to + self.room].copy_from_slice(&self.odds[from..from + self.room]);
        }
        (self.ones, self.odds, self.room) = (ones, odds, room);
        self.sizes.resize(room, 0);
        self.base.resize(room, f64::NEG_INFINITY);
        self.scores.resize(room, 0.0);
    }

    /// Moves each row to where it belongs.
    fn pass(&mut self, order: &[usize]) -> Result<()> {
        for &row in order {
            if self.of_row[row] != NONE {
                self.count(row, self.of_row[row], false);
            }
            let best = self.best(row);
            let slot = if best == NONE { self.free_slot() } else { best };
            self.count(row, slot, true);
            self.of_row[row] = slot;
            if self.clusters > MOST_CLUSTERS && order.len() > MANY_ROWS {
                return Err(FitError::NotApplicable(format!(
                    "more than {MOST_CLUSTERS} clusters of {} rows: raise `cluster_penalty`",
                    order.len()
                )));
            }
        }
        Ok(())
    }

    /// Where a row belongs that is in no cluster; [`NONE`] where in one of its own.
    fn best(&mut self, row: usize) -> usize {
        let weight = self.rows.counts[row] as usize;
        let n = self.rows.variables() as f64;
        let of_new = n * (self.of_value[weight] - self.of_total[weight]);
        let mut most = self.halved * (of_new - self.penalty);
        let mut best = NONE;
        self.score(row);
        for (slot, &score) in self.scores.iter().enumerate() {
            if score > most {
                (best, most) = (slot, score);
            }
        }
        best
    }

    /// Scores a row in each slot.
    fn score(&mut self, row: usize) {
        self.scores.copy_from_slice(&self.base);
        for &one in self.rows.rows.row(row) {
            vector::add(&mut self.scores, &self.odds[one as usize * self.room..][..self.room]);
        }
    }

    fn free_slot(&mut self) -> usize {
        let slot = self.sizes.iter().position(|&size| size == 0).unwrap_or(self.room);
        if slot == self.room {
            self.make_room(2 * self.room);
        }
        self.clusters += 1;
        slot
    }

    /// Puts a row into a slot, or takes it out.
    fn count(&mut self, row: usize, slot: usize, join: bool) {
        let weight = self.rows.counts[row];
        let changed = |count: u32| if join { count + weight } else { count - weight };
        for &one in self.rows.rows.row(row) {
            let ones = &mut self.ones[one as usize * self.room + slot];
            *ones = changed(*ones);
        }
        let size = changed(self.sizes[slot]);
        self.sizes[slot] = size;
        if size == 0 {
            self.base[slot] = f64::NEG_INFINITY;
            self.clusters -= 1;
            return;
        }
        let n = self.rows.variables();
        let mut base = -(n as f64) * self.of_total[size as usize];
        for v in 0..n {
            let at = v * self.room + slot;
            let zero = self.of_value[(size - self.ones[at]) as usize];
            base += zero;
            self.odds[at] = self.of_value[self.ones[at] as usize] - zero;
        }
        self.base[slot] = base;
    }

    /// Σ over the examples of ln Σ_c (n_c / |T|) P_c.
    fn log_likelihood(&mut self) -> f64 {
        let log_total = ln(self.rows.examples() as f64);
        let weight = |&size: &u32| if size == 0 { 0.0 } else { ln(f64::from(size)) - log_total };
        let weights: Vec<f64> = self.sizes.iter().map(weight).collect();
        let mut total = 0.0;
        for (row, &count) in self.rows.counts.iter().enumerate() {
            self.score(row);
            vector::add(&mut self.scores, &weights);
            total += f64::from(count) * vector::log_sum_exp(&self.scores);
        }
        total
    }
}
