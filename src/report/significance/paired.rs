//! What tests share that compare methods two by two.

use contract::{Direction, Metric};
use document::{Level, Spanned, Word, section};
use spec::{Asks, Correcting, Dependent, Designed, Found, Lack, Made, PairBy};
use stats::{Effect, StatsError, TestResult};

section! {
    in Designed;
    /// What one pair is, and what becomes of pairs that depend on each other.
    pub struct Unit {
        pair_by: Word<PairBy> = "dataset" => "what one pair is";
        dependence: Word<Dependent> = "refused"
            => "what becomes of pairs that depend on each other, as where training sets overlap, otherwise than the test is made for";
    }
}

section! {
    in Designed;
    /// What one pair is, and what becomes of several comparisons.
    pub struct Pairing {
        /// What is paired.
        unit: Unit;
        /// How p-values are corrected.
        correcting: Correcting;
        level: Level = 0.95 => "confidence level of the interval around the effect";
    }
}

impl Unit {
    /// With these corrections, and intervals of this level.
    pub(super) fn asks<'t>(&self, correcting: Option<&'t Correcting>, level: f64) -> Asks<'t> {
        Asks::of(self.pair_by, self.dependence, correcting, level)
    }
}

impl Pairing {
    pub(super) fn asks(&self) -> Asks<'_> {
        self.unit.asks(Some(&self.correcting), self.level)
    }
}

/// What a test on differences makes of them.
pub(super) fn made(
    result: Result<TestResult, StatsError>,
    effect: Result<Effect, StatsError>,
) -> Made {
    Made { found: found(result), effect: effect.ok() }
}

pub(super) fn found(result: Result<TestResult, StatsError>) -> Result<Found, Lack> {
    let TestResult { statistic, p, n, larger } = result?;
    Ok(Found::of(n, statistic, larger).with_p(p))
}

/// An exact p-value has no continuity correction.
pub(super) fn not_corrected(exact: bool, continuity: &Spanned<bool>, scope: &mut Designed<'_>) {
    if exact && continuity.value {
        scope
            .fault(&continuity.key, "an exact p-value has no continuity correction", "no effect")
            .help("remove this key, or choose another `p_value`");
    }
}

/// Values such that larger is better.
pub fn oriented(metric: &Metric, value: f64) -> f64 {
    if metric.direction == Direction::Lower { -value } else { value }
}
