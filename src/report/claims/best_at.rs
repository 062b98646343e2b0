//! The best value along a swept parameter lies in a range.

use contract::Value;
use document::section;
use spec::{About, Check, Claimed, Comparisons, Counted, Directed, Evidence, Finding, Range};

use super::margin::Margin;
use super::measured::Measured;
use super::reading::number;
use super::sweep::Swept;
use super::tally::Known;

section! {
    in Claimed;
    /// The best value along a swept parameter, or one that the table prints like it, is where that lies in a range, on
    /// so many datasets.
    pub struct BestAt {
        /// Along what.
        swept: Swept;
        metric: Directed => "what is compared";
        /// Where.
        on: Counted;
        /// Which values of the parameter.
        range: Range;
    }
}

impl Check for BestAt {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let points = self.swept.points(&measured);
        let (label, within) = (measured.label(&self.swept.method), self.range.text(number));
        let along = &self.swept.along.value;
        let says =
            format!("{label} has its best {} where {along} is {within}", measured.metric.noun());
        measured.tally(&self.on, says, [&self.swept.method], |dataset| {
            let found = self.swept.values(&measured, &points, dataset)?;
            let rounding = measured.rounding;
            let better = |one: f64, other: f64| measured.advantage(one, other) > 0.0;
            let top = found.iter().copied().fold(found[0], |a, b| if better(b, a) { b } else { a });
            let values = points.iter().zip(&found);
            let best = values.filter(|(_, value)| rounding.tied(**value, top));
            let best: Vec<_> = best.map(|(point, _)| *point).collect();
            let inside = |point: &Value| point.number().is_some_and(|at| self.range.holds(at));
            let best_of = |within: bool| {
                let there = points.iter().zip(&found).filter(|(point, _)| inside(point) == within);
                there.map(|(_, value)| *value).reduce(|a, b| if better(b, a) { b } else { a })
            };
            let margin = best_of(true)
                .zip(best_of(false))
                .map(|(inside, outside)| Margin::between(inside, outside));
            let holds = best.iter().any(|point| inside(point));
            let places: Vec<String> = best.iter().map(ToString::to_string).collect();
            let (top, along) = (rounding.text(top), &self.swept.along.value);
            let numbers = format!("{top} at {along} = {}", places.join(", "));
            Ok(Known::of(holds, numbers, margin, None))
        })
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, None)
    }
}
