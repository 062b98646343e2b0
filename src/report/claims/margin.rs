//! How far a verdict is from its opposite.

use math::decimal::significant;
use spec::number::Rounding;
use spec::{HowMany, Range, Size};
use stats::Measure;

use super::reading::number;

/// How far an answer is from its opposite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Margin {
    /// The distance, not negative.
    pub distance: f64,
    /// What it is a distance of.
    pub of: Of,
}

/// What a margin is a distance of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Values of the metric.
    Values,
    /// Ratios.
    Ratios,
    /// P-values.
    P,
}

impl Margin {
    /// Between a value and the bound that it has not crossed.
    pub fn between(value: f64, bound: f64) -> Self {
        Self { distance: math::decimal::difference(value, bound).abs(), of: Of::Values }
    }

    /// Between a value and the nearest end of a range.
    pub fn in_range(value: f64, range: &Range, of: Of) -> Option<Self> {
        let ends = [range.least.as_ref().map(|least| least.value), range.most];
        let distances = ends.into_iter().flatten().map(|end| (value - end).abs());
        distances.reduce(f64::min).map(|distance| Self { distance, of })
    }

    /// How many times it is as wide as half of the interval beside it, where one has the unit of the other. From one on
    /// the opposite lies outside of the interval.
    pub fn half_widths(&self, size: &Size) -> Option<f64> {
        self.half(size).map(|half| self.distance / half)
    }

    /// Half of the interval beside it, where one has the unit of the other.
    pub fn half(&self, size: &Size) -> Option<f64> {
        let (low, high) = size.effect.interval?;
        let same_unit = match size.effect.measure {
            Measure::Mean
            | Measure::PseudoMedian
            | Measure::Median
            | Measure::Share
            | Measure::Value => self.of == Of::Values,
            Measure::Ratio => self.of == Of::Ratios,
            Measure::MeanRank | Measure::Concordance | Measure::Chance => false,
        };
        let half = 0.5 * (high - low);
        (same_unit && half > 0.0).then_some(half)
    }

    /// For reading, beside the size of what it is a margin of.
    pub fn beside(&self, size: &Size, rounding: Rounding) -> String {
        let text = self.text(rounding);
        match self.half_widths(size) {
            Some(widths) => {
                format!("{text} ({} half widths)", base::text::real(significant(widths, 2)))
            }
            None => text,
        }
    }

    /// For reading.
    pub fn text(&self, rounding: Rounding) -> String {
        match self.of {
            Of::Values => rounding.difference(self.distance),
            Of::Ratios => number(self.distance),
            Of::P => format!("{} in p", number(self.distance)),
        }
    }
}

/// What it takes to turn a verdict that counts how often a statement is true.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flip {
    /// How many answers must turn.
    pub count: usize,
    /// Whether to false.
    pub fewer: bool,
    /// The place of the last of them, nearest first, and how far it is; none if that is not known, or distances are in
    /// several units.
    pub last: Option<(usize, Margin)>,
}

/// What it takes to turn "true so often" of these answers, where none is unknown; nothing if it can't be turned.
pub fn flip(answers: &[(bool, Option<Margin>)], how_many: HowMany) -> Option<Flip> {
    let yes = answers.iter().filter(|(holds, _)| *holds).count();
    let no = answers.len() - yes;
    let fewer = |count| (true, count, yes);
    let more = |count| (false, count, no);
    let ways = match how_many {
        HowMany::All if no == 0 => vec![fewer(1)],
        HowMany::All => vec![more(no)],
        HowMany::AtLeast(k) if yes >= k => vec![fewer(yes - k + 1)],
        HowMany::AtLeast(k) => vec![more(k - yes)],
        HowMany::AtMost(k) if yes <= k => vec![more(k - yes + 1)],
        HowMany::AtMost(k) => vec![fewer(yes - k)],
        HowMany::Exactly(k) if yes == k => vec![fewer(1), more(1)],
        HowMany::Exactly(k) if yes > k => vec![fewer(yes - k)],
        HowMany::Exactly(k) => vec![more(k - yes)],
    };
    let mut units = answers.iter().filter_map(|(_, margin)| Some((*margin)?.of));
    let first = units.next();
    let one_unit = units.all(|unit| Some(unit) == first);
    let mut found: Vec<Flip> = ways
        .into_iter()
        .filter(|(_, count, of)| count <= of && *count > 0)
        .map(|(fewer, count, _)| {
            let turning = answers.iter().enumerate().filter(|(_, (holds, _))| *holds == fewer);
            let margins: Option<Vec<(usize, Margin)>> =
                turning.map(|(at, (_, margin))| Some((at, (*margin)?))).collect();
            let last = margins.and_then(|mut margins| {
                margins.sort_by(|a, b| a.1.distance.total_cmp(&b.1.distance));
                margins.get(count - 1).copied()
            });
            Flip { count, fewer, last: last.filter(|_| one_unit) }
        })
        .collect();
    let distance = |flip: &Flip| flip.last.map_or(f64::INFINITY, |(_, margin)| margin.distance);
    found.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    found.into_iter().next()
}

/// Whether a value is above a bound, and how far it is from the opposite.
pub fn above(value: f64, bound: f64) -> (bool, Option<Margin>) {
    (value > bound, Some(Margin::between(value, bound)))
}

/// The step that turns first whether all steps go where they are said to, and how far it is from that.
pub fn turning_step(steps: &[(bool, Option<Margin>)]) -> Option<(usize, Margin)> {
    flip(steps, HowMany::All).and_then(|flip| flip.last)
}

#[cfg(test)]
mod tests {
    use spec::Over;
    use stats::Effect;

    use super::*;

    fn answers(yes: &[f64], no: &[f64]) -> Vec<(bool, Option<Margin>)> {
        let answer = |holds| {
            move |distance: &f64| (holds, Some(Margin { distance: *distance, of: Of::Values }))
        };
        yes.iter().map(answer(true)).chain(no.iter().map(answer(false))).collect()
    }

    fn turned(how_many: HowMany, yes: &[f64], no: &[f64]) -> Option<(usize, bool, f64)> {
        let flip = flip(&answers(yes, no), how_many)?;
        Some((flip.count, flip.fewer, flip.last?.1.distance))
    }

    #[test]
    fn a_verdict_turns_with_the_nearest_answers() {
        let (yes, no) = (&[0.5, 0.1, 0.3][..], &[0.4, 0.2][..]);
        assert_eq!(turned(HowMany::All, yes, &[]), Some((1, true, 0.1)));
        assert_eq!(turned(HowMany::All, yes, no), Some((2, false, 0.4)));
        assert_eq!(turned(HowMany::AtLeast(2), yes, no), Some((2, true, 0.3)));
        assert_eq!(turned(HowMany::AtLeast(4), yes, no), Some((1, false, 0.2)));
        assert_eq!(turned(HowMany::AtMost(4), yes, no), Some((2, false, 0.4)));
        assert_eq!(turned(HowMany::AtMost(1), yes, no), Some((2, true, 0.3)));
        assert_eq!(turned(HowMany::Exactly(3), yes, no), Some((1, true, 0.1)));
        assert_eq!(turned(HowMany::Exactly(3), yes, &[0.05]), Some((1, false, 0.05)));
        assert_eq!(turned(HowMany::Exactly(5), yes, no), Some((2, false, 0.4)));
    }

    #[test]
    fn a_value_lies_as_far_from_a_range_as_from_its_nearest_end() {
        let range = Range { least: Some(0.25.into()), most: Some(1.0) };
        let distance = |value| Margin::in_range(value, &range, Of::P).map(|it| it.distance);
        assert_eq!([0.5, 0.875, 2.0].map(distance), [0.25, 0.125, 1.0].map(Some));
        assert_eq!(distance(0.0), Some(0.25));
    }

    #[test]
    fn a_margin_is_measured_by_the_interval_beside_it() {
        let size = |measure| Size {
            effect: Effect { measure, value: 0.3, interval: Some((0.2, 0.4)) },
            level: 0.95,
            over: Over::Seeds,
        };
        let rounding = Rounding { digits: 2, scale: 1.0, printed: false };
        let text = |of, measure| Margin { distance: 0.25, of }.beside(&size(measure), rounding);
        assert_eq!(text(Of::Values, Measure::Mean), "0.25 (2.5 half widths)");
        assert_eq!(text(Of::Values, Measure::Ratio), "0.25");
        assert_eq!(text(Of::P, Measure::Mean), "0.25 in p");
        let point = Effect { interval: None, ..size(Measure::Mean).effect };
        let margin = Margin { distance: 0.25, of: Of::Values };
        assert_eq!(margin.beside(&Size { effect: point, ..size(Measure::Mean) }, rounding), "0.25");
    }

    #[test]
    fn distances_in_several_units_are_not_compared() {
        let mut mixed = answers(&[0.5, 0.1], &[]);
        mixed.push((true, Some(Margin { distance: 0.01, of: Of::P })));
        let flip = flip(&mixed, HowMany::All).unwrap();
        assert_eq!((flip.count, flip.fewer, flip.last), (1, true, None));
    }

    #[test]
    fn what_can_not_turn_has_no_margin() {
        assert_eq!(turned(HowMany::AtMost(3), &[0.1], &[0.2]), None);
        assert_eq!(turned(HowMany::AtLeast(0), &[0.1], &[]), None);
        assert_eq!(flip(&[], HowMany::All), None);
        let unknown = flip(&[(true, None)], HowMany::All).unwrap();
        assert_eq!((unknown.count, unknown.last), (1, None));
    }
}
