//! The significance tests of an experiment: `tests.csv`. Each kind is one file: its keys, and what it computes.

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
use run::csv;
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

/// The rows over metrics that read a clock, or those that do not.
pub fn file(comparisons: &Comparisons, timing: bool) -> Option<Vec<u8>> {
    let rows: Vec<&Comparison> =
        comparisons.0.iter().filter(|row| row.metric.is_time() == timing).collect();
    (!timing || !rows.is_empty()).then(|| {
        csv::file(
            &[
                "id",
                "kind",
                "metric",
                "left",
                "right",
                "dataset",
                "n",
                "statistic",
                "p",
                "p_adjusted",
                "correction",
                "family",
                "effect",
                "value",
                "low",
                "high",
                "a12",
                "a12_low",
                "a12_high",
                "level",
                "p_left",
                "p_region",
                "p_right",
                "over",
                "note",
            ],
            rows.into_iter().map(row),
        )
    })
}

fn row(comparison: &Comparison) -> Vec<String> {
    let Comparison { effect, superiority, adjustment, .. } = comparison;
    let found = comparison.found.as_ref().ok();
    let posterior = found.and_then(|found| found.posterior);
    // Ends of intervals come from quantiles, whose last bits nobody reads.
    let size = |value: Option<f64>| csv::number(value.map(|value| significant(value, 9)));
    let interval = effect.and_then(|effect| effect.interval);
    let share = superiority.and_then(|superiority| superiority.interval);
    let interval_is = interval.or(share).map(|_| comparison.level);
    let note = match &comparison.found {
        Err(reason) if comparison.note.is_empty() => reason.clone(),
        Err(reason) => format!("{reason}; {}", comparison.note),
        Ok(_) => comparison.note.clone(),
    };
    vec![
        comparison.id.clone(),
        comparison.kind.to_owned(),
        comparison.metric.name.to_owned(),
        comparison.left.clone(),
        comparison.right.clone(),
        comparison.dataset.clone(),
        csv::text(found.map(|found| found.n)),
        csv::number(found.map(|found| found.statistic)),
        csv::number(found.and_then(|found| found.p)),
        csv::number(found.and_then(|found| found.p_adjusted)),
        adjustment.word().to_owned(),
        adjustment.family().to_owned(),
        effect.map(|effect| effect.measure.word().to_owned()).unwrap_or_default(),
        size(effect.map(|effect| effect.value)),
        size(interval.map(|(low, _)| low)),
        size(interval.map(|(_, high)| high)),
        size(superiority.map(|superiority| superiority.value)),
        size(share.map(|(low, _)| low)),
        size(share.map(|(_, high)| high)),
        csv::number(interval_is),
        csv::number(posterior.map(|posterior| posterior.left)),
        csv::number(posterior.map(|posterior| posterior.region)),
        csv::number(posterior.map(|posterior| posterior.right)),
        csv::text(comparison.over.map(|over| over.word())),
        csv::prose(&note).into_owned(),
    ]
}
