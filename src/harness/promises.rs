//! Values of programs that promise less than their bits, executed again: within their tolerance, or draws of one
//! distribution.

use std::collections::BTreeMap;

use contract::Metric;
use math::decimal::significant;
use program::{Determinism, MOST_TOLERANCE};
use run::{Outcome, Trial};
use spec::Experiment;
use stats::{Correction, Zeros, adjust, wilcoxon_signed_rank};

/// The level at which fresh draws refute sealed ones, over all metrics of all methods of a folder (Holm).
const ALPHA: f64 = 0.01;

/// What is compared so of the trials of a folder.
pub(super) struct Promises<'a> {
    experiment: &'a Experiment,
    differences: Vec<String>,
    /// By method: its tolerance, how many values were compared, and how far the one that moved most did.
    within: BTreeMap<&'a str, (f64, usize, f64)>,
    /// By method and metric: fresh values minus sealed ones.
    draws: BTreeMap<(&'a str, &'static str), Vec<f64>>,
}

/// What came of it, in sentences.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Judged {
    /// Promises that were not kept.
    pub differences: Vec<String>,
    /// Promises that were, with the evidence.
    pub kept: Vec<String>,
    /// Promises of so little that no execution confirms them.
    pub refused: Vec<String>,
    /// Promises that so few values can't refute.
    pub unchecked: Vec<String>,
}

impl<'a> Promises<'a> {
    pub fn new(experiment: &'a Experiment) -> Self {
        Self {
            experiment,
            differences: Vec::new(),
            within: BTreeMap::new(),
            draws: BTreeMap::new(),
        }
    }

    /// Compares what a trial was sealed with and what it gave again. False where its method promises its bits: it is
    /// not compared so.
    pub fn compare(&mut self, trial: &Trial, sealed: &Outcome, again: &Outcome) -> bool {
        let Some(method) = self.experiment.method(&trial.method) else { return false };
        let Some(program) = method.program.as_ref().filter(|_| !method.is_exact()) else {
            return false;
        };
        if sealed.status() != again.status() {
            self.differences.push(format!(
                "{}: status is {}, sealed as {}",
                trial.place(),
                again.status().word(),
                sealed.status().word()
            ));
            return true;
        }
        let by_example = program.determinism != Determinism::Stochastic;
        for (metric, before, now) in values(sealed, again, by_example) {
            match (program.determinism, now) {
                (_, None) => self.differences.push(format!(
                    "{}: there is no {} again, sealed as {before}",
                    trial.place(),
                    metric.name
                )),
                (Determinism::Tolerance(most), Some(now)) => {
                    let apart = apart(metric, before, now);
                    let (_, count, moved) = self.within.entry(&method.id).or_insert((most, 0, 0.0));
                    *count += 1;
                    *moved = moved.max(apart);
                    if apart > most {
                        self.differences.push(format!(
                            "{}: {} is {now}, sealed as {before}: further apart than its tolerance of {most}",
                            trial.place(),
                            metric.name
                        ));
                    }
                }
                (Determinism::Stochastic, Some(now)) => {
                    self.draws.entry((&method.id, metric.name)).or_default().push(now - before);
                }
                (Determinism::Bitwise, Some(_)) => {}
            }
        }
        true
    }

    /// Judges the draws, all together.
    pub fn judge(self) -> Judged {
        let mut judged = Judged { differences: self.differences, ..Judged::default() };
        for (method, (most, values, moved)) in self.within {
            if moved > most {
                continue;
            }
            if most > MOST_TOLERANCE {
                judged.refused.push(format!(
                    "{method}: its tolerance of {most} is above {MOST_TOLERANCE}, and confirms nothing"
                ));
                continue;
            }
            let moved = significant(moved, 2);
            judged.kept.push(format!(
                "{method}: {values} values moved by at most {moved}, within its tolerance of {most}"
            ));
        }
        // A metric that never moves says nothing of a distribution.
        let moving = |draws: &[f64]| draws.iter().any(|difference| *difference != 0.0);
        let draws: Vec<_> = self.draws.into_iter().filter(|(_, draws)| moving(draws)).collect();
        let tested = |draws: &[f64]| {
            let exact = draws.len() <= stats::EXACT_MOST;
            wilcoxon_signed_rank(draws, exact, Zeros::Drop, false)
        };
        let tests: Vec<_> = draws.iter().map(|(_, draws)| tested(draws)).collect();
        let p = |test: &Result<stats::TestResult, _>| test.as_ref().map_or(0.0, |test| test.p);
        let raw: Vec<f64> = tests.iter().map(p).collect();
        let adjusted = adjust(&raw, Correction::Holm);
        let (family, least) = (draws.len(), ALPHA / draws.len().max(1) as f64);
        for (((method, metric), draws), (test, p)) in draws.iter().zip(tests.iter().zip(adjusted)) {
            let what =
                format!("{method}, {metric}: {} fresh draws beside the sealed ones", draws.len());
            let of = format!("(Wilcoxon, Holm over {family}, level {ALPHA})");
            match test {
                Err(error) => judged.differences.push(format!("{what}: {error}")),
                Ok(test) if smallest_p(test.n) > least => {
                    judged.unchecked.push(format!("{what} are too few to refute them {of}"));
                }
                Ok(_) if p <= ALPHA => {
                    let p = significant(p, 2);
                    judged
                        .differences
                        .push(format!("{what} are of another distribution: p = {p} {of}"));
                }
                Ok(_) => {
                    let p = significant(p, 2);
                    judged.kept.push(format!("{what}: no shift, p = {p} {of}"));
                }
            }
        }
        judged
    }
}

/// How far a value moved: as a share of its metric's range, or of the size that it had where the metric has none.
fn apart(metric: &Metric, before: f64, now: f64) -> f64 {
    let range = metric.range.1 - metric.range.0;
    let size = if range.is_finite() { range } else { before.abs() };
    let apart = (now - before).abs() / size;
    match now == before {
        true => 0.0,
        false if apart.is_nan() => f64::INFINITY,
        false => apart,
    }
}

/// The smallest p-value of Wilcoxon's test of so many differences: they all have one sign.
fn smallest_p(n: usize) -> f64 {
    1.0 / (1u64 << n.clamp(1, 64).saturating_sub(1)) as f64
}

/// What a trial was sealed with, by metric, beside what it gave again; values of single test examples too, where
/// they are asked for: those of one fit hang together, and are no draws of their own.
fn values<'o>(
    sealed: &'o Outcome,
    again: &'o Outcome,
    by_example: bool,
) -> impl Iterator<Item = (&'static Metric, f64, Option<f64>)> + 'o {
    let metrics = sealed.metrics.iter().map(|(metric, before)| {
        let now = again.metrics.get(metric.name).map(contract::Measure::value);
        (metric, before.value(), now)
    });
    let examples =
        sealed.examples.iter().filter(move |_| by_example).flat_map(|(metric, before)| {
            let now = again.examples.get(metric.name);
            let at = move |row: usize| now.and_then(|now| now.get(row)).copied();
            before.iter().enumerate().map(move |(row, &before)| (metric, before, at(row)))
        });
    metrics.chain(examples)
}
