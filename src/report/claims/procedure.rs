//! What the paper's own procedure finds: each p-value against the level, as if it were the only one.

use contract::{DatasetId, MethodId};
use spec::{Basis, Bold, Comparison, Comparisons, Evidence, Lack, Whose};

use super::reading::number;
use super::statement::{Answer, Known};

/// A test whose p-values are each compared with a level.
pub(super) struct ByProcedure<'a> {
    comparisons: &'a Comparisons,
    whose: Whose,
    bold: &'a Bold,
}

/// What a procedure finds of two methods, with its two-sided p-value, if it gives one.
type Found = (bool, Option<f64>);

impl<'a> ByProcedure<'a> {
    pub fn of(evidence: &dyn Evidence, comparisons: &'a Comparisons, bold: &'a Bold) -> Self {
        Self { comparisons, whose: evidence.whose(), bold }
    }

    /// What decides.
    pub fn by(&self) -> (Basis, String) {
        let Bold { test, alpha, .. } = self.bold;
        (Basis::Procedure, format!("by {} at {}, uncorrected", test.value, number(**alpha)))
    }

    /// Whether it finds `left` the better one.
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
        let Bold { test, alpha, .. } = self.bold;
        let row = self.comparisons.on(test, self.whose, left, right, Some(dataset))?;
        Ok((found(row, **alpha)?, row.found.as_ref().ok().and_then(|found| found.p)))
    }

    /// An answer that is yes where it finds what it should, or finds nothing where it should not.
    pub fn answer(found: Result<Found, Lack>, should: bool, values: Known) -> Answer {
        let (found, p) = found?;
        let p = p.map(|p| format!(", p = {}", number(p))).unwrap_or_default();
        let numbers = format!("{}{p}", values.numbers);
        Ok(Known { holds: found == should, numbers, margin: None, ..values })
    }
}
