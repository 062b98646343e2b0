//! Bootstrap intervals of mean differences.

use document::{Count, Level, Word, section};
use spec::{Comparison, Evidence, Found, Kind, PairBy, Scope, Test, TestDesign};
use stats::Correction;

use super::paired::paired;

pub(super) const KIND: Kind<dyn Test> =
    Kind::<dyn Test>::of::<Bootstrap>("bootstrap", "bootstrap interval of the mean difference");

section! {
    in Scope;
    /// Bootstrap interval of the mean difference.
    pub struct Bootstrap {
        pair_by: Word<PairBy> = "dataset" => "what one pair is";
        resamples: Count = 10000 => "number of resamples";
        level: Level = 0.95 => "confidence level";
    }
}

impl Test for Bootstrap {
    fn pair_by(&self) -> PairBy {
        self.pair_by
    }

    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Self { pair_by, resamples, level } = *self;
        paired(pair_by, Correction::None, test, evidence, |pairs, seed| {
            let differences = &pairs.differences;
            let seed = seed.finish();
            let interval = stats::bootstrap_mean_interval(differences, resamples, level, seed)
                .map_err(|error| error.to_string())?;
            Ok(Found {
                n: differences.len(),
                statistic: interval.mean,
                p: None,
                p_adjusted: None,
                interval: Some((interval.low, interval.high)),
            })
        })
    }

    fn level(&self) -> Option<f64> {
        Some(self.level)
    }
}
