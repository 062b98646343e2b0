//! Numbers for reading.

use math::decimal::significant;
use spec::number::Rounding;
use stats::{Effect, Measure};

/// An effect with its interval, in the table's unit.
pub(super) fn effect_text(effect: &Effect, rounding: Rounding) -> String {
    let text = |value: f64| match effect.measure {
        Measure::MeanRank | Measure::Concordance | Measure::Chance => number(value),
        Measure::Mean | Measure::Median | Measure::PseudoMedian | Measure::Share => {
            rounding.difference(value)
        }
    };
    let interval = effect.interval.map(|(low, high)| format!(" [{}, {}]", text(low), text(high)));
    format!("{} {}{}", effect.measure.word(), text(effect.value), interval.unwrap_or_default())
}

/// A number for reading.
pub(super) fn number(value: f64) -> String {
    base::text::real(significant(value, 4))
}
