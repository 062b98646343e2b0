//! Claims: sentences of the paper, judged on our numbers and on the paper's own.

mod check;
mod sweep;
mod tally;

use run::csv;
use spec::{Bold, Check, ClaimSpec, Experiment, TestSpec};

use super::significance::Comparisons;
use super::values::Values;

/// What the numbers say of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// They support it.
    Holds,
    /// They refute it.
    Fails,
    /// Numbers that would decide are not there.
    Undecided,
}

impl Verdict {
    /// The word that files use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Undecided => "undecided",
        }
    }
}

/// A verdict with the numbers behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// The numbers, in a sentence without its full stop.
    pub evidence: String,
}

/// A judged claim.
#[derive(Debug, Clone)]
pub struct Claim<'a> {
    /// The claim.
    pub spec: &'a ClaimSpec,
    /// On our numbers, published-only methods by their published values.
    pub ours: Finding,
    /// On the paper's numbers only; undecided where the paper does not print them.
    pub published: Finding,
    /// Whether a metric behind it reads a clock.
    pub timing: bool,
}

impl Claim<'_> {
    /// The evidence of both verdicts.
    pub fn evidence(&self) -> String {
        format!("{}. As published: {}", self.ours.evidence, self.published.evidence)
    }
}

/// Judges every claim.
pub fn judge<'a>(
    experiment: &'a Experiment,
    ours: Values<'a>,
    published: Values<'a>,
    comparisons: &Comparisons,
) -> Vec<Claim<'a>> {
    experiment
        .claims
        .iter()
        .map(|spec| Claim {
            spec,
            ours: check::check(&spec.check, ours, comparisons),
            published: check::check(&spec.check, published, comparisons),
            timing: reads_clock(&spec.check, &experiment.tests),
        })
        .collect()
}

/// The claims over metrics that read a clock, or those that do not, as a file.
pub fn file(claims: &[Claim], timing: bool) -> Option<Vec<u8>> {
    let rows: Vec<&Claim> = claims.iter().filter(|claim| claim.timing == timing).collect();
    (!timing || !rows.is_empty()).then(|| {
        csv::file(
            &["id", "verdict", "published_verdict", "evidence", "source", "text"],
            rows.into_iter().map(|claim| {
                vec![
                    claim.spec.id.clone(),
                    claim.ours.verdict.word().to_owned(),
                    claim.published.verdict.word().to_owned(),
                    csv::prose(&claim.evidence()).into_owned(),
                    csv::prose(&claim.spec.source).into_owned(),
                    csv::prose(&claim.spec.text).into_owned(),
                ]
            }),
        )
    })
}

fn reads_clock(check: &Check, tests: &[TestSpec]) -> bool {
    let by_test = |id: &str| tests.iter().any(|test| test.id == id && test.metric.is_time());
    match check {
        Check::Wins { metric, significant, .. } => {
            let by_bold = |bold: &Bold| by_test(&bold.test);
            metric.is_time() || significant.as_ref().is_some_and(by_bold)
        }
        Check::PValue { test, .. } => by_test(test),
        Check::Rank { metric, .. }
        | Check::ValueNear { metric, .. }
        | Check::Trend { metric, .. }
        | Check::BestAt { metric, .. }
        | Check::Ratio { metric, .. }
        | Check::Widens { metric, .. }
        | Check::Spread { metric, .. }
        | Check::Counts { metric, .. }
        | Check::Equivalent { metric, .. } => metric.is_time(),
    }
}
