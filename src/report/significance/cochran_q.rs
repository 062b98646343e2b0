//! Cochran's Q over all methods of a `[[test]]`, with McNemar's comparisons.

use document::section;
use spec::{
    Adjustment, Asks, Comparison, Designed, Evidence, Made, Pairs, Test, TestDesign, pairwise,
};
use stats::{Effect, McNemarP, Measure};

use super::mcnemar::{Outcomes, mcnemar};
use super::paired::found;

section! {
    in Designed;
    pub struct CochranQ: "cochran-q" => "Cochran's Q over all methods on 0/1 outcomes, then McNemar's exact test of each pair" {
        /// Of what.
        outcomes: Outcomes;
    }
}

impl Test for CochranQ {
    fn asks(&self) -> Asks<'_> {
        self.outcomes.asks()
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        mcnemar(pairs, McNemarP::Exact, level)
    }

    /// The test of all methods on each dataset (rows without methods), then the comparisons.
    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Outcomes { correcting, level, .. } = &self.outcomes;
        let whose = evidence.whose();
        let overall = test.datasets.iter().map(|dataset| {
            let blocks = evidence.blocks(test, Some(dataset));
            let note = blocks.as_ref().map(|blocks| blocks.note.clone()).unwrap_or_default();
            let over = blocks.as_ref().map(|blocks| blocks.over).ok();
            let found = blocks.and_then(|blocks| found(stats::cochran_q(&blocks.values)));
            let effect = found.as_ref().ok().map(|found| Effect {
                measure: Measure::Chance,
                value: found.statistic / (found.n * (test.methods.len() - 1)) as f64,
                interval: None,
            });
            let row = Comparison {
                called: "Cochran's Q over all methods",
                effect,
                adjustment: Adjustment::within(Some(correcting), test, whose, " overall", dataset),
                note,
                ..Comparison::of_all(test, whose, dataset, *level, found)
            };
            row.over(over, test, &[])
        });
        let pairs = pairwise(self, test, evidence).into_iter();
        let pairs = pairs.map(|row| Comparison { called: "McNemar's exact test", ..row });
        overall.chain(pairs).collect()
    }
}
