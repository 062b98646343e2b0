//! What the paper's own procedure finds: each p-value against the level, as if it were the only one.

use contract::{DatasetId, MethodId};
use spec::{Basis, Bold, Comparison, Comparisons, Lack};
use stats::StatsError;

use super::measured::Measured;
use super::reading::{number, remark};
use super::statement::{Known, by_values};

/// Values, and a test whose p-values are each compared with a level, if there is one.
#[derive(Clone, Copy)]
pub(super) struct ByProcedure<'a> {
    /// The values.
    pub measured: &'a Measured<'a>,
    /// What is found by tests.
    pub comparisons: &'a Comparisons,
    /// The test, if there is one.
    pub bold: Option<&'a Bold>,
}

/// What a procedure finds of two methods, with its two-sided p-value in words, if it gives one; none where there is no
/// procedure.
type Found = Option<(bool, String)>;

impl<'a> ByProcedure<'a> {
    /// What decides.
    pub fn by(&self) -> (Basis, String) {
        let Some(Bold { test, alpha, .. }) = self.bold else { return by_values() };
        (Basis::Procedure, format!("by {} at {}, uncorrected", test.value, number(**alpha)))
    }

    /// Whether it finds the first the better one.
    pub fn finds_better(&self, pair: [&MethodId; 2], dataset: &DatasetId) -> Result<Found, Lack> {
        self.finds(pair, dataset, |row, alpha| Ok(row.one_sided(pair[0])?[0] <= 0.5 * alpha))
    }

    /// What it finds of them, by what a comparison says at its level.
    pub fn finds(
        &self,
        [left, right]: [&MethodId; 2],
        dataset: &DatasetId,
        found: impl Fn(&Comparison, f64) -> Result<bool, Lack>,
    ) -> Result<Found, Lack> {
        let Some(Bold { test, alpha, .. }) = self.bold else { return Ok(None) };
        let whose = self.measured.evidence.whose();
        let row = self.comparisons.on(test, whose, left, right, Some(dataset))?;
        let p = row.found.as_ref().ok().and_then(|found| found.p);
        let p = p.map(|p| format!(", p = {}{}", number(p), remark(row)));
        Ok(Some(match found(row, **alpha) {
            Err(Lack::Statistic(why @ StatsError::AllZero { .. })) => (false, format!(", {why}")),
            found => (found?, p.unwrap_or_default()),
        }))
    }
}

impl Known {
    /// The same by what a procedure finds: yes where it finds what it should, or finds nothing where it should not.
    pub fn by(self, found: Found, should: bool) -> Self {
        let Some((found, p)) = found else { return self };
        let numbers = format!("{}{p}", self.numbers);
        Self { holds: found == should, numbers, margin: None, ..self }
    }
}
