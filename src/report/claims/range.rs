//! A number lies in a range: a value, a ratio, a standard deviation.

use contract::MethodId;
use document::{NotNegative, Real, Spanned, section};
use math::decimal::difference;
use spec::{
    Claimed, Counted, CountedDatasets, Finding, HowMany, HowOften, Lack, Methods, OneDataset,
    OneMethod, Quantity, Range, Reported,
};

use super::margin::{Margin, Of};
use super::measured::{Measured, judged_by_values, near};
use super::pair::Pair;
use super::reading::{interval_text, number};
use super::statement::{Items, Known, Statement, by_values};

judged_by_values! {
    Counts of |claim| &claim.methods;
    ValueNear of |claim| [&claim.method];
    Ratio of |claim| claim.pair.ids();
    Spread of |claim| [&claim.method].into_iter().chain(claim.than.as_deref());
}

section! {
    in Claimed;
    pub struct Counts: "counts" => "so many cells have a value in a range" {
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
            let how_many = how_many.said();
            let cells = methods.len() * datasets.len();
            scope.possible(how_many.count(), cells, "cells", &how_many.span);
        }
    }
}

impl Counts {
    fn found(&self, measured: &Measured<'_>) -> Finding {
        let text = |value: f64| measured.rounding.text(value);
        let of = |method| self.datasets.iter().map(move |dataset| (dataset, method));
        let answers = self.methods.iter().flat_map(of).map(|(dataset, method)| {
            let answer = measured.value(dataset, method).map(|value| {
                let around = measured.size(dataset, Quantity::Value(method.into()));
                Known::within((value, Of::Values), &self.range, text(value), around)
            });
            (format!("{} on {}", measured.label(method), measured.title(dataset)), answer)
        });
        let says = format!("{} is {}", measured.metric.noun(), self.range.text(text));
        let statement = Statement { says, of: Items::Cells, how_many: self.how_many.said().value };
        measured.judge(&statement, by_values(), answers)
    }
}

section! {
    in Claimed;
    pub struct ValueNear: "value_near" => "a cell is near a value" {
        method: OneMethod => "the method";
        dataset: OneDataset => "the dataset";
        metric: Reported => "what is measured";
        value: Real => "the value";
        within: NotNegative => "the distance that is allowed";
    }
}

impl ValueNear {
    fn found(&self, measured: &Measured<'_>) -> Finding {
        let Self { method, dataset, value: target, within, .. } = self;
        let rounding = measured.rounding;
        let answer = measured.value(dataset, method).map(|value| {
            let effect = measured.size(dataset, Quantity::Value(method.into()));
            let interval = effect.and_then(|size| {
                let (low, high) = size.effect.interval?;
                let ends = (rounding.text(low), rounding.text(high));
                Some(interval_text(ends, size.level, size.over))
            });
            let numbers = rounding.text(value) + &interval.unwrap_or_default();
            let margin = Margin::between(difference(value, *target).abs(), *within);
            Known::of(near(value, *target, *within), numbers, Some(margin), effect)
        });
        let (within, target) = (rounding.limit(*within), rounding.text(*target));
        let says = format!(
            "the {} of {} is within {within} of {target}",
            measured.metric.noun(),
            measured.label(method)
        );
        let statement = Statement::on_datasets(says, HowMany::All);
        measured.judge(&statement, by_values(), [(measured.title(dataset), answer)])
    }
}

section! {
    in Claimed;
    pub struct Ratio: "ratio" => "`left / right` lies in a range, on so many datasets" {
        /// Of what.
        pair: Pair;
        metric: Reported => "what is compared";
        /// Where.
        on: Counted;
        /// Which ratios.
        range: Range;
    }
}

impl Ratio {
    fn found(&self, measured: &Measured<'_>) -> Finding {
        let ([left, right], within) = (self.pair.labels(measured), self.range.text(number));
        let says =
            format!("the {} of {left} is {within} times that of {right}", measured.metric.noun());
        measured.on(&self.on, says, by_values(), |dataset| {
            let (one, other) = measured.pair(dataset, self.pair.ids())?;
            let ratio = one / other;
            if !ratio.is_finite() {
                return Err(Lack::Open(format!("the ratio is {}", number(ratio))));
            }
            let [left, right] = self.pair.ids();
            let size = measured.size(dataset, Quantity::Ratio(left.into(), right.into()));
            Ok(Known::within((ratio, Of::Ratios), &self.range, number(ratio), size))
        })
    }
}

section! {
    in Claimed;
    pub struct Spread: "spread" => "the standard deviation of `method` over repeats, or its ratio to that of another method, lies in a range, on so many datasets" {
        method: OneMethod => "the method";
        than: Option<Spanned<OneMethod>>, else "none: the standard deviation itself counts"
            => "the method whose standard deviation it is divided by";
        metric: Reported => "what is compared";
        /// Where.
        on: Counted;
        /// Which standard deviations, or ratios.
        range: Range;
    }
    check(scope, _table) {
        if let (Some(method), Some(Some(than))) = (&method, &than)
            && than.value == *method
        {
            let message = format!("`{method}` is compared with itself");
            scope.fault(&than.span, message, "also `method`");
        }
    }
}

impl Spread {
    fn found(&self, measured: &Measured<'_>) -> Finding {
        let than = self.than.as_deref();
        let within = self.range.text(number);
        let label = measured.label(&self.method);
        let of = than.map(|than| format!(" times that of {}", measured.label(than)));
        let of = of.unwrap_or_default();
        let says = format!(
            "the spread of {label} in {} over repeats is {within}{of}",
            measured.metric.noun()
        );
        measured.on(&self.on, says, by_values(), |dataset| {
            let of = |method: &MethodId| measured.evidence.deviation(dataset, method, self.metric);
            let own = of(&self.method)?;
            let (spread, of) = match than {
                None => (own, Of::Values),
                Some(than) => (own / of(than)?, Of::Ratios),
            };
            if spread.is_nan() {
                return Err(Lack::Unmet("neither method varies"));
            }
            Ok(Known::within((spread, of), &self.range, number(spread), None))
        })
    }
}
