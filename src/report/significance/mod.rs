//! The significance tests of an experiment: `tests.csv`. Each kind is one file: its keys, and what it computes.

mod bootstrap;
mod friedman;
mod mcnemar;
mod paired_t;
mod resampled_t;
mod sign;
mod welch_t;
mod wilcoxon;

use base::digest::FieldHasher;
use contract::{Direction, Metric};
use document::{Word, section};
use math::decimal::significant;
use run::csv;
use spec::{
    Comparison, Comparisons, Evidence, Found, Kind, PairBy, Pairs, Scope, Test, TestSpec, Whose,
};
use stats::{Correction, StatsError, TestResult};

pub use bootstrap::Bootstrap;
pub use friedman::{Friedman, ranking};
pub use mcnemar::{McNemar, PValue as McNemarPValue, Unit as McNemarUnit};
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

section! {
    in Scope;
    /// What one pair is, and how the p-values of several comparisons are corrected.
    pub struct Pairing {
        pair_by: Word<PairBy> = "dataset" => "what one pair is";
        correction: Word<Correction> = "none" => "correction over the comparisons of this test";
    }
}

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

/// Compares methods two by two, over datasets or within each.
fn paired(
    pair_by: PairBy,
    correction: Correction,
    test: &TestSpec,
    evidence: &dyn Evidence,
    compute: impl Fn(&Pairs, FieldHasher) -> Result<Found, String>,
) -> Vec<Comparison> {
    let datasets: Vec<Option<&str>> = match pair_by {
        PairBy::Dataset => vec![None],
        _ => test.datasets.iter().map(|id| Some(id.as_str())).collect(),
    };
    let mut rows = Vec::new();
    for (left, right) in test.method_pairs() {
        for dataset in &datasets {
            let pairs = evidence.pairs(test, left, right, *dataset);
            if evidence.whose() == Whose::Published && pairs.is_err() {
                continue;
            }
            let note = pairs.as_ref().map(|pairs| pairs.note.clone()).unwrap_or_default();
            let seed = FieldHasher::new("bootstrap")
                .number(evidence.experiment().seed)
                .field(&test.id)
                .field(left)
                .field(right)
                .field(dataset.unwrap_or_default());
            rows.push(Comparison {
                id: test.id_on(evidence.whose()),
                kind: test.word,
                metric: test.metric,
                left: left.to_owned(),
                right: right.to_owned(),
                dataset: dataset.unwrap_or_default().to_owned(),
                found: pairs.and_then(|pairs| compute(&pairs, seed)),
                correction: correction.word(),
                note,
            });
        }
    }
    correct(&mut rows, correction);
    rows
}

impl Pairing {
    /// Compares methods two by two with a test that stats has.
    fn compare(
        &self,
        test: &TestSpec,
        evidence: &dyn Evidence,
        compute: impl Fn(&Pairs) -> Result<TestResult, StatsError>,
    ) -> Vec<Comparison> {
        paired(self.pair_by, self.correction, test, evidence, |pairs, _| found(compute(pairs)))
    }
}

/// Corrects for all comparisons of the test that could be computed.
fn correct(rows: &mut [Comparison], correction: Correction) {
    let mut findings: Vec<&mut Found> = rows
        .iter_mut()
        .filter_map(|row| row.found.as_mut().ok())
        .filter(|found| found.p.is_some())
        .collect();
    let p: Vec<f64> = findings.iter().filter_map(|found| found.p).collect();
    for (found, adjusted) in findings.iter_mut().zip(stats::adjust(&p, correction)) {
        found.p_adjusted = Some(significant(adjusted, 6));
    }
}

fn found(result: Result<TestResult, StatsError>) -> Result<Found, String> {
    let result = result.map_err(|error| error.to_string())?;
    let p = Some(significant(result.p, 6));
    Ok(Found { n: result.n, statistic: result.statistic, p, p_adjusted: p, interval: None })
}

/// An exact p-value has no continuity correction.
fn not_corrected(exact: bool, continuity: &document::Spanned<bool>, scope: &mut Scope<'_>) {
    if exact && continuity.value {
        scope
            .faults
            .at(&continuity.key, "an exact p-value has no continuity correction", "no effect")
            .help("remove this key, or choose another `p_value`");
    }
}

/// Values such that larger is better.
pub fn oriented(metric: &Metric, value: f64) -> f64 {
    if metric.direction == Direction::Lower { -value } else { value }
}
