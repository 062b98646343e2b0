//! Claims: sentences of the paper, judged on our numbers and on the paper's own. Each form is one file: its keys, and
//! when it holds.

mod best_at;
mod better_on;
mod counts;
mod equivalent;
mod gains_more;
mod margin;
mod measured;
mod p_value;
mod rank;
mod ratio;
mod reading;
mod spread;
mod sweep;
mod tally;
mod test_sample;
mod ties;
mod trend;
mod value_near;
mod widens;
mod wins;

use run::csv;
use spec::{Check, ClaimSpec, Comparisons, Experiment, Finding, Kind};

use super::values::Values;

pub use best_at::BestAt;
pub use better_on::BetterOn;
pub use counts::Counts;
pub use equivalent::Equivalent;
pub use gains_more::{GainsMore, Scale};
pub use p_value::PValue;
pub use rank::Rank;
pub use ratio::Ratio;
pub use spread::Spread;
pub use sweep::Swept;
pub use ties::Ties;
pub use trend::{Direction, Trend};
pub use value_near::ValueNear;
pub use widens::Widens;
pub use wins::{Opponents, Wins};

/// Every form of claim.
pub static KINDS: &[Kind<dyn Check>] = &[
    wins::KIND,
    rank::KIND,
    p_value::KIND,
    value_near::KIND,
    trend::KIND,
    best_at::KIND,
    ratio::KIND,
    widens::KIND,
    spread::KIND,
    counts::KIND,
    equivalent::KIND,
    ties::KIND,
    gains_more::KIND,
    better_on::KIND,
];

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
        format!("{}. As published: {}", self.ours.sentence(), self.published.sentence())
    }
}

/// Judges every claim.
pub fn judge<'a>(
    experiment: &'a Experiment,
    ours: Values<'_>,
    published: Values<'_>,
    comparisons: &Comparisons,
) -> Vec<Claim<'a>> {
    let judge = |spec: &'a ClaimSpec, values: Values<'_>| {
        let of_part = Values { part: spec.part.as_deref(), ..values };
        spec.check.judge(&of_part, comparisons)
    };
    experiment
        .claims
        .iter()
        .map(|spec| Claim {
            spec,
            ours: judge(spec, ours),
            published: judge(spec, published),
            timing: spec.reads_clock(&experiment.tests),
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
