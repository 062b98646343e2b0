//! The significance tests of an experiment: `tests.csv`. Each kind is one file: its keys, and what it computes.

mod bootstrap;
mod friedman;
mod mcnemar;
mod paired;
mod paired_t;
mod resampled_t;
mod sign;
mod welch_t;
mod wilcoxon;

use run::csv;
use spec::{Comparison, Comparisons, Evidence, Kind, PairBy, Test, TestSpec};

pub use bootstrap::Bootstrap;
pub use friedman::{Friedman, ranking};
pub use mcnemar::{McNemar, PValue as McNemarPValue, Unit as McNemarUnit};
pub use paired::{Pairing, oriented};
pub use paired_t::PairedT;
pub use resampled_t::{CorrectedResampledT, Unit as Division};
pub use sign::Sign;
pub use welch_t::WelchT;
pub use wilcoxon::{PValue as WilcoxonPValue, Wilcoxon};

/// Every kind of test.
pub static KINDS: &[Kind<dyn Test>] = &[
    paired_t::KIND,
    welch_t::KIND,
    wilcoxon::KIND,
    sign::KIND,
    mcnemar::KIND,
    friedman::KIND,
    resampled_t::KIND,
    bootstrap::KIND,
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
    Comparisons(all)
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
                "low",
                "high",
                "note",
            ],
            rows.into_iter().map(row),
        )
    })
}

fn row(comparison: &Comparison) -> Vec<String> {
    let found = comparison.found.as_ref().ok();
    let interval = found.and_then(|found| found.interval);
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
        comparison.correction.to_owned(),
        csv::number(interval.map(|(low, _)| low)),
        csv::number(interval.map(|(_, high)| high)),
        csv::prose(&note).into_owned(),
    ]
}
