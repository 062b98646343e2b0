//! Values rise or fall along a swept parameter.

use base::words;
use document::{Word, section};
use spec::{
    About, Check, Claimed, Comparisons, Counted, Evidence, Finding, Place, Quantity, Reported,
};

use super::margin::{Margin, turning_step};
use super::measured::Measured;
use super::sweep::Swept;
use super::tally::Known;

words! {
    /// Where values go along a swept parameter.
    pub enum Direction {
        Rising = "rising", "values must rise";
        Falling = "falling", "values must fall";
    }
}

section! {
    in Claimed;
    /// Values rise or fall along a swept parameter, on so many datasets.
    pub struct Trend {
        /// Along what.
        swept: Swept;
        metric: Reported => "what is compared";
        direction: Word<Direction> => "where values must go";
        /// Where.
        on: Counted;
    }
}

impl Check for Trend {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let points = self.swept.points(&measured);
        let goes = match self.direction {
            Direction::Rising => "rises",
            Direction::Falling => "falls",
        };
        let (label, along) = (measured.label(&self.swept.method), &self.swept.along.value);
        let says = format!("the {} of {label} {goes} along {along}", measured.metric.noun());
        measured.tally(&self.on, says, [&self.swept.method], |dataset| {
            let found = self.swept.values(&measured, &points, dataset)?;
            let steps: Vec<(bool, Option<Margin>)> = found
                .windows(2)
                .map(|step| {
                    let goes = match self.direction {
                        Direction::Rising => step[1] > step[0],
                        Direction::Falling => step[1] < step[0],
                    };
                    (goes, Some(Margin::between(step[1], step[0])))
                })
                .collect();
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

    fn about(&self) -> About<'_> {
        About::values(self.metric, None)
    }
}
