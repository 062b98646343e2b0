//! Numbers for reading.

use math::decimal::significant;
use spec::number::Rounding;
use spec::{Comparison, Over, Size};
use stats::Measure;

use crate::tested::said;

/// Level of the intervals over datasets.
pub(super) const LEVEL: f64 = 0.95;

/// A size with its interval, in the table's unit.
pub(super) fn size_text(size: &Size, rounding: Rounding) -> String {
    let Size { effect, level, over } = size;
    let text = |value: f64| match effect.measure {
        Measure::MeanRank | Measure::Concordance | Measure::Chance | Measure::Ratio => {
            number(value)
        }
        Measure::Mean | Measure::Median | Measure::PseudoMedian | Measure::Share => {
            rounding.difference(value)
        }
        Measure::Value => rounding.text(value),
    };
    let ends = effect.interval.map(|(low, high)| (text(low), text(high)));
    let interval = ends.map(|ends| interval_text(ends, *level, *over));
    format!("{} {}{}", effect.measure.word(), text(effect.value), interval.unwrap_or_default())
}

/// An interval behind a value, such as ` [0.1, 0.3] (95% over seeds)`.
pub(super) fn interval_text((low, high): (String, String), level: f64, over: Over) -> String {
    format!(" [{low}, {high}] ({}% over {})", number(100.0 * level), over.word())
}

/// What is to be said of a comparison behind its p-value, in brackets.
pub(super) fn remark(row: &Comparison) -> String {
    let said = said(row);
    if said.is_empty() { said } else { format!(" ({said})") }
}

/// A number for reading.
pub(super) fn number(value: f64) -> String {
    base::text::real(significant(value, 4))
}
