//! Values rise or fall along a swept parameter.

use base::words;
use contract::Metric;
use document::{Word, section};
use spec::{Check, Comparisons, Counted, Evidence, Finding, Kind, Reported, Scope};

use super::measured::Measured;
use super::sweep::Swept;
use super::tally::Answer;

pub(super) const KIND: Kind<dyn Check> = Kind::<dyn Check>::of::<Trend>(
    "trend",
    "values rise or fall along a swept parameter, on so many datasets",
);

words! {
    /// Where values go along a swept parameter.
    pub enum Direction {
        Rising = "rising", "values must rise";
        Falling = "falling", "values must fall";
    }
}

section! {
    in Scope;
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
        measured.tally(&self.on, [&self.swept.method], |dataset| {
            let found = match self.swept.values(&measured, &points, dataset) {
                Ok(found) => found,
                Err(why) => return Answer::Unknown(why),
            };
            for (at, step) in found.windows(2).enumerate() {
                let goes = match self.direction {
                    Direction::Rising => step[1] > step[0],
                    Direction::Falling => step[1] < step[0],
                };
                if !goes {
                    return Answer::No(format!(
                        "from {} = {} to {}: {}",
                        self.swept.along.value,
                        points[at],
                        points[at + 1],
                        measured.against(step[0], step[1])
                    ));
                }
            }
            Answer::Yes(None)
        })
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }
}
