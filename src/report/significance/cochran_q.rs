//! Cochran's Q over all methods of a `[[test]]`, with McNemar's comparisons.

use document::{Level, Word, section};
use spec::{Comparison, Correcting, Evidence, Kind, PairBy, Scope, Test, TestDesign};
use stats::{Effect, McNemarP, Measure};

use super::mcnemar::{Unit, mcnemar};
use super::paired::{adjustment, found, paired};

pub(super) const KIND: Kind<dyn Test> = Kind::<dyn Test>::of::<CochranQ>(
    "cochran-q",
    "Cochran's Q over all methods on 0/1 outcomes, then McNemar's exact test of each pair",
);

section! {
    in Scope;
    /// Cochran's Q over all methods.
    pub struct CochranQ {
        pair_by: Word<Unit> = "example" => "what one block is";
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

impl Test for CochranQ {
    fn pair_by(&self) -> PairBy {
        PairBy::Example
    }

    fn correcting(&self) -> Option<&Correcting> {
        Some(&self.correcting)
    }

    /// The test of all methods on each dataset (rows without methods), then the comparisons.
    fn comparisons(&self, test: &TestDesign, evidence: &dyn Evidence) -> Vec<Comparison> {
        let Self { correcting, level, .. } = self;
        let whose = evidence.whose();
        let overall = test.datasets.iter().map(|dataset| {
            let blocks = evidence.blocks(test, Some(dataset));
            let note = blocks.as_ref().map(|blocks| blocks.note.clone()).unwrap_or_default();
            let found = blocks.and_then(|blocks| found(stats::cochran_q(&blocks.values)));
            let effect = found.as_ref().ok().map(|found| Effect {
                measure: Measure::Chance,
                value: found.statistic / (found.n * (test.methods.len() - 1)) as f64,
                interval: None,
            });
            Comparison {
                id: test.id_on(whose),
                kind: test.word,
                metric: test.metric,
                left: String::new(),
                right: String::new(),
                dataset: dataset.clone(),
                found,
                effect,
                superiority: None,
                level: *level,
                adjustment: adjustment(Some(correcting), test, whose, " overall"),
                note,
            }
        });
        let mut rows: Vec<Comparison> = overall.collect();
        rows.extend(paired(
            self.pair_by(),
            Some(correcting),
            *level,
            test,
            evidence,
            |pairs, _| mcnemar(pairs, McNemarP::Exact, *level),
        ));
        rows
    }
}
