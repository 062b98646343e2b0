//! The significance tests of an experiment. Each kind is one file: its keys, and what it computes.

mod bayesian;
mod bootstrap;
mod cochran_q;
mod equivalence;
mod friedman;
mod mcnemar;
mod paired;
mod paired_t;
mod resampled_t;
mod sign;
mod welch_t;
mod wilcoxon;

use std::collections::BTreeMap;

use math::decimal::significant;
use spec::{Adjustment, Comparison, Comparisons, Evidence, Found, Kind, PairBy, Test, TestSpec};
use stats::Correction;

pub use bayesian::{BayesianCorrelatedT, BayesianSignedRank};
pub use bootstrap::Bootstrap;
pub use cochran_q::CochranQ;
pub use equivalence::{Equivalence, Form as EquivalenceForm};
pub use friedman::{Friedman, ranking};
pub use mcnemar::{McNemar, Outcomes, PValue as McNemarPValue, Unit as McNemarUnit};
pub use paired::{Pairing, oriented};
pub use paired_t::PairedT;
pub use resampled_t::{CorrectedResampledT, Unit as Division};
pub use sign::{PValue as SignPValue, Sign};
pub use welch_t::WelchT;
pub use wilcoxon::{PValue as WilcoxonPValue, Wilcoxon};

/// Every kind of test.
pub static KINDS: &[Kind<dyn Test>] = &[
    paired_t::KIND,
    welch_t::KIND,
    wilcoxon::KIND,
    sign::KIND,
    mcnemar::KIND,
    cochran_q::KIND,
    friedman::KIND,
    resampled_t::KIND,
    equivalence::KIND,
    bootstrap::KIND,
    bayesian::SIGNED_RANK,
    bayesian::CORRELATED_T,
];

/// Runs every test on our numbers and, where it pairs datasets, on the paper's.
pub fn run(tests: &[TestSpec], ours: &dyn Evidence, published: &dyn Evidence) -> Comparisons {
    let mut all = Vec::new();
    for test in tests {
        all.extend(test.kind.comparisons(test, ours));
        if test.kind.pair_by() == PairBy::Dataset {
            all.extend(test.kind.comparisons(test, published));
        }
    }
    correct(&mut all);
    Comparisons(all)
}

/// Corrects the p-values of each family for all its comparisons that could be computed.
fn correct(rows: &mut [Comparison]) {
    let mut families: BTreeMap<String, (Correction, Vec<&mut Found>)> = BTreeMap::new();
    for row in rows {
        let Adjustment::Family { name, correction } = &row.adjustment else { continue };
        let Ok(found) = &mut row.found else { continue };
        if found.p.is_some() {
            let (_, members) =
                families.entry(name.clone()).or_insert_with(|| (*correction, Vec::new()));
            members.push(found);
        }
    }
    for (correction, members) in families.into_values() {
        let p: Vec<f64> = members.iter().filter_map(|found| found.p).collect();
        for (found, adjusted) in members.into_iter().zip(stats::adjust(&p, correction)) {
            found.p_adjusted = Some(significant(adjusted, 6));
        }
    }
}
