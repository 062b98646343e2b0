//! The significance tests of an experiment: `tests.csv`.

use std::collections::BTreeSet;

use base::digest::FieldHasher;
use contract::{Direction, Metric};
use run::csv;
use spec::{PairBy, TestKind, TestSpec};
use stats::{self, Correction, StatsError, TestResult};

use super::friedman;
use super::pairs::{self, Pairs};
use super::values::{Basis, Values};
use math::decimal::significant;

/// What is added to a test's id where it is run on the paper's numbers.
pub const PUBLISHED: &str = "@published";

/// One comparison: a row of `tests.csv`.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The test's id, with [`PUBLISHED`] behind it where it is over the paper's numbers.
    pub id: String,
    /// The kind of test.
    pub kind: &'static str,
    /// What is compared.
    pub metric: &'static Metric,
    /// One method; empty for a test of all at once.
    pub left: String,
    /// The other; empty for a test of all at once.
    pub right: String,
    /// The dataset, for tests within one.
    pub dataset: String,
    /// What the test found, or why it cannot be computed. P-values have six significant digits, so
    /// that no verdict depends on the last bits of a distribution function.
    pub finding: Result<Finding, String>,
    /// The correction behind the adjusted p-value.
    pub correction: &'static str,
    /// Remarks.
    pub note: String,
}

/// What a test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// Number of pairs (or values) behind it.
    pub n: usize,
    /// The statistic; of a bootstrap, the mean difference.
    pub statistic: f64,
    /// The p-value; none for intervals.
    pub p: Option<f64>,
    /// The p-value after the correction.
    pub p_adjusted: Option<f64>,
    /// The interval of the mean difference; none for p-values.
    pub interval: Option<(f64, f64)>,
}

impl Finding {
    pub(super) fn of(result: TestResult) -> Self {
        let p = significant(result.p, 6);
        Self {
            n: result.n,
            statistic: result.statistic,
            p: Some(p),
            p_adjusted: Some(p),
            interval: None,
        }
    }

    /// Whether the difference is significant: its adjusted p-value is below `alpha`, or its
    /// interval does not hold zero.
    pub fn significant(&self, alpha: f64) -> bool {
        self.p_adjusted.is_some_and(|p| p < alpha)
            || self.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }
}

/// All comparisons of an experiment.
pub struct Comparisons(pub Vec<Comparison>);

impl Comparisons {
    /// Runs every test on our numbers and, where it pairs datasets, on the paper's.
    pub fn run(tests: &[TestSpec], ours: Values, published: Values) -> Self {
        let mut all = Vec::new();
        for test in tests {
            all.extend(comparisons(test, ours));
            if test.pair_by == PairBy::Dataset {
                all.extend(comparisons(test, published));
            }
        }
        Self(all)
    }

    /// The comparisons of two methods by one test: one, or one a dataset.
    pub fn between<'c>(
        &'c self,
        test: &str,
        basis: Basis,
        one: &str,
        other: &str,
    ) -> impl Iterator<Item = &'c Comparison> {
        let id = id(test, basis);
        self.0.iter().filter(move |row| {
            row.id == id
                && ((row.left == one && row.right == other)
                    || (row.left == other && row.right == one))
        })
    }

    /// The comparison of two methods that says something about a dataset: over that dataset's
    /// problems, folds, repeats or examples, or over all datasets.
    pub fn on(
        &self,
        test: &str,
        basis: Basis,
        one: &str,
        other: &str,
        dataset: Option<&str>,
    ) -> Option<&Comparison> {
        self.between(test, basis, one, other)
            .find(|row| row.dataset.is_empty() || Some(row.dataset.as_str()) == dataset)
    }

    /// The rows over metrics that read a clock, or those that do not.
    pub fn file(&self, timing: bool) -> Option<Vec<u8>> {
        let rows: Vec<&Comparison> =
            self.0.iter().filter(|row| row.metric.is_time() == timing).collect();
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
}

fn row(comparison: &Comparison) -> Vec<String> {
    let finding = comparison.finding.as_ref().ok();
    let interval = finding.and_then(|finding| finding.interval);
    let note = match &comparison.finding {
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
        csv::text(finding.map(|finding| finding.n)),
        csv::number(finding.map(|finding| finding.statistic)),
        csv::number(finding.and_then(|finding| finding.p)),
        csv::number(finding.and_then(|finding| finding.p_adjusted)),
        comparison.correction.to_owned(),
        csv::number(interval.map(|(low, _)| low)),
        csv::number(interval.map(|(_, high)| high)),
        csv::prose(&note).into_owned(),
    ]
}

/// The id of a test's rows.
pub(super) fn id(test: &str, basis: Basis) -> String {
    match basis {
        Basis::Ours => test.to_owned(),
        Basis::Published => format!("{test}{PUBLISHED}"),
    }
}

fn comparisons(test: &TestSpec, values: Values) -> Vec<Comparison> {
    if test.kind == TestKind::Friedman {
        return friedman::comparisons(test, values);
    }
    let datasets: Vec<Option<&str>> = match test.pair_by {
        PairBy::Dataset => vec![None],
        _ => test.datasets.iter().map(|id| Some(id.as_str())).collect(),
    };
    let mut rows = Vec::new();
    for (left, right) in method_pairs(test) {
        for dataset in &datasets {
            let pairs = match dataset {
                None => pairs::over_datasets(test, values, left, right),
                Some(dataset) => pairs::within(test, values, left, right, dataset),
            };
            if values.basis == Basis::Published && pairs.is_err() {
                continue;
            }
            let note = pairs.as_ref().map(|pairs| pairs.note.clone()).unwrap_or_default();
            let seed = FieldHasher::new("bootstrap")
                .number(values.experiment.seed)
                .field(&test.id)
                .field(left)
                .field(right)
                .field(dataset.unwrap_or_default());
            let finding = pairs.and_then(|pairs| compute(test.kind, &pairs, seed));
            rows.push(Comparison {
                id: id(&test.id, values.basis),
                kind: word(test.kind),
                metric: test.metric,
                left: left.to_owned(),
                right: right.to_owned(),
                dataset: dataset.unwrap_or_default().to_owned(),
                finding,
                correction: correction_word(test.correction),
                note,
            });
        }
    }
    correct(&mut rows, test.correction);
    rows
}

/// The reference with every other method, or all pairs.
pub(super) fn method_pairs(test: &TestSpec) -> Vec<(&str, &str)> {
    let methods: Vec<&str> = test.methods.iter().map(String::as_str).collect();
    match &test.reference {
        Some(reference) => methods
            .into_iter()
            .filter(|method| method != reference)
            .map(|method| (reference.as_str(), method))
            .collect(),
        None => methods
            .iter()
            .enumerate()
            .flat_map(|(at, left)| methods[at + 1..].iter().map(|right| (*left, *right)))
            .collect(),
    }
}

/// Corrects for all comparisons of the test that could be computed.
fn correct(rows: &mut [Comparison], correction: Correction) {
    let mut findings: Vec<&mut Finding> = rows
        .iter_mut()
        .filter_map(|row| row.finding.as_mut().ok())
        .filter(|finding| finding.p.is_some())
        .collect();
    let p: Vec<f64> = findings.iter().filter_map(|finding| finding.p).collect();
    for (finding, adjusted) in findings.iter_mut().zip(stats::adjust(&p, correction)) {
        finding.p_adjusted = Some(significant(adjusted, 6));
    }
}

fn compute(kind: TestKind, pairs: &Pairs, seed: FieldHasher) -> Result<Finding, String> {
    let differences = &pairs.differences;
    let result = match kind {
        TestKind::PairedT => stats::paired_t(differences),
        TestKind::WelchT => stats::welch_t(&pairs.left, &pairs.right),
        TestKind::WilcoxonSignedRank { exact, zeros, continuity } => {
            stats::wilcoxon_signed_rank(&pairs.on_paper(), exact, zeros, continuity)
        }
        TestKind::Sign => stats::sign(&pairs.on_paper()),
        TestKind::McNemar { exact, continuity } => {
            let binary = |values: &[f64]| values.iter().all(|v| *v == 0.0 || *v == 1.0);
            if !binary(&pairs.left) || !binary(&pairs.right) {
                return Err("values per example are not all 0 or 1".to_owned());
            }
            let count = |wanted: f64| differences.iter().filter(|d| **d == wanted).count() as u64;
            stats::mcnemar(count(1.0), count(-1.0), exact, continuity)
        }
        TestKind::CorrectedResampledT => {
            let ratio = pairs
                .test_over_train
                .ok_or("the pairs are neither folds nor repeats of one division each")?;
            stats::corrected_resampled_t(differences, ratio)
        }
        TestKind::Bootstrap { resamples, level } => {
            return bootstrap(differences, resamples, level, seed)
                .map_err(|error| error.to_string());
        }
        TestKind::Friedman => return Err("compares all methods at once".to_owned()),
    };
    result.map(Finding::of).map_err(|error| error.to_string())
}

fn bootstrap(
    differences: &[f64],
    resamples: usize,
    level: f64,
    seed: FieldHasher,
) -> Result<Finding, StatsError> {
    let interval = stats::bootstrap_mean_interval(differences, resamples, level, seed.finish())?;
    Ok(Finding {
        n: differences.len(),
        statistic: interval.mean,
        p: None,
        p_adjusted: None,
        interval: Some((interval.low, interval.high)),
    })
}

/// Values such that larger is better.
pub(super) fn oriented(metric: &Metric, value: f64) -> f64 {
    if metric.direction == Direction::Lower { -value } else { value }
}

/// The word that files use for a kind of test.
fn word(kind: TestKind) -> &'static str {
    match kind {
        TestKind::PairedT => "paired-t",
        TestKind::WelchT => "welch-t",
        TestKind::WilcoxonSignedRank { .. } => "wilcoxon-signed-rank",
        TestKind::Sign => "sign",
        TestKind::McNemar { .. } => "mcnemar",
        TestKind::Friedman => "friedman",
        TestKind::CorrectedResampledT => "corrected-resampled-t",
        TestKind::Bootstrap { .. } => "bootstrap",
    }
}

/// The word that files use for a correction.
fn correction_word(correction: Correction) -> &'static str {
    match correction {
        Correction::None => "none",
        Correction::Bonferroni => "bonferroni",
        Correction::Holm => "holm",
        Correction::BenjaminiHochberg => "benjamini-hochberg",
    }
}

/// The distinct folds among units.
pub(super) fn folds(units: impl Iterator<Item = usize>) -> usize {
    units.collect::<BTreeSet<usize>>().len()
}
