//! What tests share that compare methods two by two.

use base::digest::FieldHasher;
use contract::{Direction, Metric};
use document::{Spanned, Word, section};
use math::decimal::significant;
use spec::{Comparison, Evidence, Found, PairBy, Pairs, Scope, TestDesign, Whose};
use stats::{Correction, StatsError, TestResult};

section! {
    in Scope;
    /// What one pair is, and how the p-values of several comparisons are corrected.
    pub struct Pairing {
        pair_by: Word<PairBy> = "dataset" => "what one pair is";
        correction: Word<Correction> = "none" => "correction over the comparisons of this test";
    }
}

/// Compares methods two by two, over datasets or within each.
pub(super) fn paired(
    pair_by: PairBy,
    correction: Correction,
    test: &TestDesign,
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
                .number(evidence.seed())
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
    pub(super) fn compare(
        &self,
        test: &TestDesign,
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

pub(super) fn found(result: Result<TestResult, StatsError>) -> Result<Found, String> {
    let result = result.map_err(|error| error.to_string())?;
    let p = Some(significant(result.p, 6));
    Ok(Found { n: result.n, statistic: result.statistic, p, p_adjusted: p, interval: None })
}

/// An exact p-value has no continuity correction.
pub(super) fn not_corrected(exact: bool, continuity: &Spanned<bool>, scope: &mut Scope<'_>) {
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
