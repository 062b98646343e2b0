//! Two one-sided tests.

use base::words;
use document::{Level, Positive, Word, section};
use spec::{Asks, Correcting, Designed, Found, Made, Over, Pairs, Says, Test};
use stats::{Power, Zeros};

use super::paired::{Unit, made};

words! {
    /// Which one-sided tests.
    pub enum Form {
        T = "t", "Student's t on paired differences, with the error of `corrected-resampled-t` where training sets overlap, and that of groups of test examples";
        Exact = "wilcoxon", "Wilcoxon signed-rank, exact";
        Normal = "wilcoxon-normal", "Wilcoxon signed-rank, normal approximation";
    }
}

section! {
    in Designed;
    pub struct Equivalence: "equivalence" => "two one-sided tests (TOST): a small p-value says that methods differ by less than `margin`" {
        /// What is paired.
        unit: Unit;
        margin: Positive => "differences below this are none, in the metric's unit";
        form: Word<Form> = "t" => "which one-sided tests";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.9
            => "confidence level of the interval around the effect; at alpha .05 the test asks that of .9 to be within the margin";
    }
}

impl Test for Equivalence {
    fn asks(&self) -> Asks<'_> {
        let (heeds, orders): (&[Over], _) = match self.form {
            Form::T => (&[Over::Folds, Over::Divisions, Over::Groups, Over::FittedGroups], false),
            Form::Exact | Form::Normal => (&[], true),
        };
        let asks = self.unit.asks(Some(&self.correcting), self.level);
        Asks { says: Says::Equivalence(self.margin), heeds, orders, ..asks }
    }

    fn power(&self, pairs: &Pairs, alpha: f64) -> Option<Power> {
        let power = Power::of(&pairs.differences, &pairs.dependence, 1.0, alpha).ok();
        power.filter(|_| self.form == Form::T).map(Power::of_margin)
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let Pairs { differences, dependence, .. } = pairs;
        let wilcoxon = |exact: bool| {
            let on_paper = pairs.on_paper();
            made(
                stats::equivalence_wilcoxon(&on_paper, exact, self.margin),
                stats::pseudo_median(&on_paper, level),
            )
        };
        // A t is as far outside as it is not within; sums of ranks may be at an end.
        let beyond = |end: f64, exact: bool| {
            let beyond: Vec<f64> = pairs.on_paper().iter().map(|d| d - end).collect();
            let tested = stats::wilcoxon_signed_rank(&beyond, exact, Zeros::Drop, false).ok()?;
            let outside = tested.larger == 0.0.partial_cmp(&-end)?;
            Some(if outside { 0.5 * tested.p } else { 1.0 - 0.5 * tested.p })
        };
        let ends = |exact| {
            let ends = beyond(self.margin, exact).zip(beyond(-self.margin, exact));
            ends.map(|(low, high)| low.min(high))
        };
        let (Made { found, effect }, by_ranks) = match self.form {
            Form::T => {
                let tested = stats::equivalence_t(differences, dependence, self.margin);
                let effect = stats::mean_difference(differences, dependence, level);
                (made(tested, effect), None)
            }
            Form::Exact => (wilcoxon(true), Some(ends(true))),
            Form::Normal => (wilcoxon(false), Some(ends(false))),
        };
        let outside = |found: Found| by_ranks.unwrap_or(found.p.map(|p| 1.0 - p));
        Made { found: found.map(|found| Found { outside: outside(found), ..found }), effect }
    }
}
