//! So many cells have a value in a range.

use document::section;
use spec::{
    About, Check, Claimed, Comparisons, CountedDatasets, Evidence, Finding, HowOften, Methods,
    Quantity, Range, Reported,
};

use super::margin::{Margin, Of};
use super::measured::{Measured, by_values};
use super::statement::{Items, Statement};
use super::tally::{Known, Tally};

section! {
    in Claimed;
    /// So many cells have a value in a range.
    pub struct Counts {
        methods: Methods, else "all methods" => "the methods whose cells count";
        metric: Reported => "what is compared";
        /// The datasets that count.
        datasets: CountedDatasets;
        /// Which values.
        range: Range;
        /// In how many cells.
        how_many: HowOften;
    }
    check(scope, _table) {
        if let (Some(methods), Some(datasets), Some(how_many)) = (&methods, &datasets, &how_many) {
            let cells = methods.len() * datasets.len();
            scope.possible(how_many.count(), cells, "cells", &how_many.span);
        }
    }
}

impl Check for Counts {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let mut tally = Tally::default();
        for method in &self.methods {
            for dataset in &self.datasets {
                let answer = measured.value(dataset, method).map(|value| {
                    let margin = Margin::in_range(value, &self.range, Of::Values);
                    let around = measured.size(dataset, Quantity::Value(method.into()));
                    let numbers = measured.rounding.text(value);
                    Known::of(self.range.holds(value), numbers, margin, around)
                });
                tally.push(format!("{method} on {dataset}"), answer);
            }
        }
        let within = self.range.text(|end| measured.rounding.text(end));
        let says = format!("{} is {within}", measured.metric.noun());
        let statement = Statement { says, of: Items::Cells, how_many: self.how_many.value };
        measured.judge(&tally, &statement, by_values(), &self.methods)
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, None)
    }
}
