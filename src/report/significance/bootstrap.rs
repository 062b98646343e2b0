//! Bootstrap intervals of mean differences.

use std::cmp::Ordering;

use document::{Count, Level, Word, section};
use spec::{Comparison, Designed, Evidence, Found, Kind, Lack, PairBy, Says, Test, TestDesign};
use stats::Ends;

use super::paired::{Made, paired};

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<Bootstrap>("bootstrap", "bootstrap interval of the mean difference");

section! {
    in Designed;
    /// Bootstrap interval of the mean difference.
    pub struct Bootstrap {
        pair_by: Word<PairBy> = "dataset" => "what one pair is";
        resamples: Count = 10000 => "number of resamples";
        interval: Word<Ends> = "percentile" => "which quantiles of resampled means are its ends";
        level: Level = 0.95 => "confidence level";
    }
}

impl Test for Bootstrap {
    fn pair_by(&self) -> PairBy {
        self.pair_by
    }

    fn says(&self) -> Says {
        Says::Interval(self.level)
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Self { pair_by, resamples, interval, level } = *self;
        paired(pair_by, None, level, test, evidence, |pairs, seed| {
            let differences = &pairs.differences;
            let effect =
                stats::bootstrap_mean(differences, resamples, level, interval, seed.finish());
            let found = effect.clone().map_err(Lack::from).map(|effect| Found {
                n: differences.len(),
                statistic: effect.value,
                larger: effect.value.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
                p: None,
                p_adjusted: None,
                posterior: None,
            });
            Made::of_pairs(found, effect, pairs, level)
        })
    }
}
