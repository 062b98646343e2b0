//! Two one-sided tests.

use base::words;
use document::{Level, Positive, Word, section};
use spec::{
    Comparison, Correcting, Designed, Evidence, Kind, Lack, PairBy, Says, Test, TestDesign,
};

use super::paired::{Made, found, paired};
use super::resampled_t::{overlap, resampled_mean};

pub(super) const KIND: Kind<dyn Test> = Kind::<dyn Test>::of::<Equivalence>(
    "equivalence",
    "two one-sided tests (TOST): a small p-value says that methods differ by less than `margin`",
);

words! {
    /// Which one-sided tests.
    pub enum Form {
        T = "t", "Student's t on paired differences";
        ResampledT = "corrected-resampled-t", "Nadeau and Bengio's corrected resampled t, on folds or repeats";
        Exact = "wilcoxon", "Wilcoxon signed-rank, exact";
        Normal = "wilcoxon-normal", "Wilcoxon signed-rank, normal approximation";
    }
}

section! {
    in Designed;
    /// Two one-sided tests.
    pub struct Equivalence {
        pair_by: Word<PairBy> = "dataset" => "what one pair is";
        margin: Positive => "differences below this are none, in the metric's unit";
        form: Word<Form> = "t" => "which one-sided tests";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.9
            => "confidence level of the interval around the effect; at alpha .05 the test asks that of .9 to be within the margin";
    }
    check(scope, table) {
        if let (Some(Form::ResampledT), Some(unit @ (PairBy::Dataset | PairBy::Problem | PairBy::Example))) =
            (form, pair_by)
            && let Some(form) = table.get("form")
        {
            let message = "pairs of the corrected resampled t-test are folds or repeats";
            let found = format!("pair_by = \"{}\"", unit.word());
            scope.faults.at(&form.span, message, found).help("write pair_by = \"fold\", \"repeat\" or \"auto\"");
        }
    }
}

impl Test for Equivalence {
    fn pair_by(&self) -> PairBy {
        self.pair_by
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

    fn correcting(&self) -> Option<&Correcting> {
        Some(&self.correcting)
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Self { pair_by, margin, form, correcting, level } = self;
        paired(*pair_by, Some(correcting), *level, test, evidence, |pairs, _| {
            let (differences, level) = (&pairs.differences, *level);
            let on_paper = pairs.on_paper();
            let t = |overlap: Result<f64, Lack>| {
                let effect = resampled_mean(pairs, &overlap, level);
                let tested = |overlap| found(stats::equivalence_t(differences, overlap, *margin));
                (overlap.and_then(tested), effect)
            };
            let wilcoxon = |exact: bool| {
                (
                    found(stats::equivalence_wilcoxon(&on_paper, exact, *margin)),
                    stats::pseudo_median(&on_paper, level),
                )
            };
            let (found, effect) = match form {
                Form::T => t(Ok(0.0)),
                Form::ResampledT => t(overlap(pairs)),
                Form::Exact => wilcoxon(true),
                Form::Normal => wilcoxon(false),
            };
            Made::of_pairs(found, effect, pairs, level)
        })
    }
}
