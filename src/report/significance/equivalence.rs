//! Two one-sided tests.

use base::digest::Digest;
use base::words;
use document::{Level, Positive, Word, section};
use spec::{Asks, Correcting, Designed, Found, Kind, Made, Over, PairBy, Pairs, Says, Test};
use stats::Zeros;

use super::paired::{Unit, made};
use super::resampled_t::{of_overlapping, resampled};

pub(super) const KIND: Kind<dyn Test> = Kind::<dyn Test>::of::<Equivalence>(
    "equivalence",
    "two one-sided tests (TOST): a small p-value says that methods differ by less than `margin`",
);

words! {
    /// Which one-sided tests.
    pub enum Form {
        T = "t", "Student's t on paired differences, corrected where training sets overlap or test examples are of groups";
        ResampledT = "corrected-resampled-t", "Nadeau and Bengio's corrected resampled t, on folds or repeats only";
        Exact = "wilcoxon", "Wilcoxon signed-rank, exact";
        Normal = "wilcoxon-normal", "Wilcoxon signed-rank, normal approximation";
    }
}

section! {
    in Designed;
    /// Two one-sided tests.
    pub struct Equivalence {
        /// What is paired.
        unit: Unit;
        margin: Positive => "differences below this are none, in the metric's unit";
        form: Word<Form> = "t" => "which one-sided tests";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.9
            => "confidence level of the interval around the effect; at alpha .05 the test asks that of .9 to be within the margin";
    }
    check(scope, table) {
        if let (Some(Form::ResampledT), Some(unit @ (PairBy::Dataset | PairBy::Problem | PairBy::Example))) =
            (form, unit.as_ref().map(|unit| unit.pair_by))
            && let Some(form) = table.get("form")
        {
            let message = "pairs of the corrected resampled t-test are folds or repeats";
            let found = format!("pair_by = \"{}\"", unit.word());
            scope.faults.at(&form.span, message, found).help("write pair_by = \"fold\", \"repeat\" or \"auto\"");
        }
    }
}

impl Test for Equivalence {
    fn asks(&self) -> Asks<'_> {
        self.unit.asks(Some(&self.correcting), self.level)
    }

    fn says(&self) -> Says {
        Says::Equivalence(self.margin)
    }

    fn orders(&self) -> bool {
        match self.form {
            Form::T | Form::ResampledT => false,
            Form::Exact | Form::Normal => true,
        }
    }

    fn heeds(&self, over: Over) -> bool {
        !self.orders() && (resampled(over) || over == Over::Groups)
    }

    fn compare(&self, pairs: &Pairs, level: f64, _: Digest) -> Made {
        let Pairs { differences, dependence, .. } = pairs;
        let t = || {
            made(
                stats::equivalence_t(differences, dependence, self.margin),
                stats::mean_difference(differences, dependence, level),
            )
        };
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
            Form::T => (t(), None),
            Form::ResampledT => (of_overlapping(pairs, t()), None),
            Form::Exact => (wilcoxon(true), Some(ends(true))),
            Form::Normal => (wilcoxon(false), Some(ends(false))),
        };
        let outside = |found: Found| by_ranks.unwrap_or(found.p.map(|p| 1.0 - p));
        Made { found: found.map(|found| Found { outside: outside(found), ..found }), effect }
    }
}
