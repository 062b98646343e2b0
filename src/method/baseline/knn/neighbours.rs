//! The nearest of rows of numbers, by comparing with all of them.

use crate::shared::prediction::check_variables;
use crate::shared::scales::check_scales;
use contract::numeric::NumericRows;
use contract::{Context, Examples, Result};

/// Examples between two looks at the clock.
const CHUNK: usize = 64;

/// Rows, ready to be searched.
#[derive(Debug)]
pub(super) struct Neighbours {
    k: usize,
    rows: NumericRows,
}

/// A neighbour: its squared distance and its place among the rows.
pub(super) type Neighbour = (f64, u32);

impl Neighbours {
    /// k neighbours among these rows.
    ///
    /// # Errors
    /// If there are fewer than k, more than can be counted, or their squares are no numbers.
    pub(super) fn new(rows: &NumericRows, k: usize) -> Result<Self> {
        super::enough(rows.len(), k)?;
        check_scales(rows)?;
        Ok(Self { k, rows: rows.clone() })
    }

    /// k.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// What `found` makes of the k nearest rows of each example, in no order, and of whether a row beyond them is as
    /// near as the farthest; of equally far rows the first are the nearer. Time O(N n) an example.
    ///
    /// # Errors
    /// If the examples are no numbers or have other variables, the deadline passes or the user interrupts.
    pub(super) fn map<T: Send>(
        &self,
        examples: &Examples,
        context: &Context,
        found: impl Fn(&mut [Neighbour], bool) -> T + Sync,
    ) -> Result<Vec<T>> {
        check_variables(examples, self.rows.columns(), "the neighbours are")?;
        let asked = examples.numeric()?;
        let nearest =
            |near: &mut Vec<Neighbour>, row| Ok(self.nearest(asked.row(row), near, &found));
        context.each_with(asked.len(), CHUNK, Vec::new, nearest)
    }

    fn nearest<T>(
        &self,
        asked: &[f64],
        near: &mut Vec<Neighbour>,
        found: &impl Fn(&mut [Neighbour], bool) -> T,
    ) -> T {
        near.clear();
        near.extend(self.rows.iter().zip(0..).map(|(row, at)| {
            let squares = row.iter().zip(asked).map(|(a, b)| (a - b) * (a - b));
            (squares.sum::<f64>(), at)
        }));
        let order = |a: &Neighbour, b: &Neighbour| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let (_, last, beyond) = near.select_nth_unstable_by(self.k - 1, order);
        let tied = beyond.iter().any(|(distance, _)| *distance == last.0);
        found(&mut near[..self.k], tied)
    }
}
