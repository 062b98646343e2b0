//! The values of one method along a parameter that it sweeps: where they go, and where the best is.

use std::cmp::Ordering;

use base::words;
use contract::{DatasetId, Value};
use document::{Spanned, Text, Word, section};
use spec::{
    Claimed, Counted, Directed, Finding, Lack, OneMethod, Place, Quantity, Range, Reported,
};

use super::margin::{Margin, above, turning_step};
use super::measured::{Measured, judged_by_values};
use super::reading::number;
use super::statement::{Known, by_values};

judged_by_values! {
    Trend of |claim| [&claim.swept.method], along claim.swept.along.as_str();
    BestAt of |claim| [&claim.swept.method], along claim.swept.along.as_str();
}

section! {
    in Claimed;
    /// A method and a parameter that it sweeps.
    pub struct Swept {
        method: OneMethod => "the method";
        along: Spanned<Text> => "a parameter that the method sweeps";
    }
    check(scope, _table) {
        if let Some(along) = &along {
            let of_method = scope.methods.iter().filter(|known| Some(&known.id) == method.as_ref());
            let axes: Vec<_> = of_method.flat_map(|method| &method.sweep).collect();
            let names: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
            let words = axes.iter().any(|axis| axis.name == along.value && !axis.is_numeric());
            scope.refer(along, &along.span, "swept parameter", &names);
            if words {
                let message = format!("`{}` has values that are not numbers", along.value);
                scope.fault(&along.span, message, "its points have no order")
                    .help("choose a parameter with numbers");
            }
        }
    }
}

impl Swept {
    /// The points of the sweep, in increasing order.
    pub(super) fn points<'a>(&self, measured: &Measured<'a>) -> Vec<&'a Value> {
        let spec = measured.evidence.method(&self.method);
        let axis = spec.and_then(|spec| spec.sweep.iter().find(|axis| axis.name == *self.along));
        let mut points: Vec<&Value> = axis.iter().flat_map(|axis| &axis.values).collect();
        points.sort_by(|a, b| a.number().partial_cmp(&b.number()).unwrap_or(Ordering::Equal));
        points
    }

    /// The value at every point, or why some are not there.
    pub(super) fn values(
        &self,
        measured: &Measured<'_>,
        points: &[&Value],
        dataset: &DatasetId,
    ) -> Result<Vec<f64>, Lack> {
        let Self { method, along } = self;
        let value = |point: &&Value| {
            let found = measured.value(dataset, Place { method, sweep: &[(along, point)] });
            found.map_err(|why| Lack::Open(format!("{why} at {} = {point}", along.value)))
        };
        let found: Vec<f64> = points.iter().map(value).collect::<Result<_, _>>()?;
        if found.len() > 1 {
            Ok(found)
        } else {
            Err(Lack::Open(format!("{method} has no two points of {}", along.value)))
        }
    }
}

words! {
    /// Where values go along a swept parameter.
    pub enum Direction {
        Rising = "rising", "values must rise";
        Falling = "falling", "values must fall";
    }
}

section! {
    in Claimed;
    pub struct Trend: "trend" => "values rise or fall along a swept parameter, on so many datasets" {
        /// Along what.
        swept: Swept;
        metric: Reported => "what is compared";
        direction: Word<Direction> => "where values must go";
        /// Where.
        on: Counted;
    }
}

impl Trend {
    fn found(&self, measured: &Measured<'_>) -> Finding {
        let points = self.swept.points(measured);
        let goes = match self.direction {
            Direction::Rising => "rises",
            Direction::Falling => "falls",
        };
        let (label, along) = (measured.label(&self.swept.method), &self.swept.along.value);
        let says = format!("the {} of {label} {goes} along {along}", measured.metric.noun());
        measured.on(&self.on, says, by_values(), |dataset| {
            let found = self.swept.values(measured, &points, dataset)?;
            let step = |step: &[f64]| match self.direction {
                Direction::Rising => above(step[1], step[0]),
                Direction::Falling => above(step[0], step[1]),
            };
            let steps: Vec<_> = found.windows(2).map(step).collect();
            let turning = turning_step(&steps);
            let margin = turning.map(|(_, margin)| margin);
            let size = turning.and_then(|(at, _)| {
                let place = |at: usize| [(self.swept.along.value.as_str(), points[at])];
                let (from, to) = (place(at), place(at + 1));
                let method = &self.swept.method;
                let [from, to] = [&from, &to].map(|sweep| Place { method, sweep });
                measured.size(dataset, Quantity::Difference(to, from))
            });
            let wrong = steps.iter().position(|(goes, _)| !goes);
            let numbers = wrong.map(|at| {
                let (from, to) = (points[at], points[at + 1]);
                let against = measured.against(found[at], found[at + 1]);
                format!("from {along} = {from} to {to}: {against}")
            });
            Ok(Known::of(wrong.is_none(), numbers.unwrap_or_default(), margin, size))
        })
    }
}

section! {
    in Claimed;
    /// Any value counts for the best that the table prints like it:
    pub struct BestAt: "best_at" => "the best value along a swept parameter is where that lies in a range, on so many datasets" {
        /// Along what.
        swept: Swept;
        metric: Directed => "what is compared";
        /// Where.
        on: Counted;
        /// Which values of the parameter.
        range: Range;
    }
}

impl BestAt {
    fn found(&self, measured: &Measured<'_>) -> Finding {
        let points = self.swept.points(measured);
        let (label, within) = (measured.label(&self.swept.method), self.range.text(number));
        let along = &self.swept.along.value;
        let says =
            format!("{label} has its best {} where {along} is {within}", measured.metric.noun());
        measured.on(&self.on, says, by_values(), |dataset| {
            let found = self.swept.values(measured, &points, dataset)?;
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
}
