//! Two methods differ by little, or no difference between them is found.

use document::{NotNegative, Spanned, section};
use spec::{
    About, Bold, Check, Claimed, Comparison, Comparisons, Counted, Equivalence, Evidence, Finding,
    Lack, Reported, Says,
};

use super::margin::Margin;
use super::measured::{Measured, near};
use super::pair::Pair;
use super::procedure::ByProcedure;
use super::statement::{Known, Statement, by_values};
use super::tested::{Asserted, ByTest};

section! {
    in Claimed;
    pub struct Equivalent: "equivalent" => "`left` and `right` differ by at most a margin, on so many datasets: by a test of equivalence, or by values" {
        /// Of what.
        pair: Pair;
        metric: Reported => "what is compared";
        margin: Option<Spanned<NotNegative>>, else "that of the test"
            => "by values: the largest difference that is none; for values without noise";
        /// Where.
        on: Counted;
        significant: Option<Equivalence>, else "an error, unless there is `margin`"
            => "this test must show at this level that they differ by less than its margin";
    }
    check(scope, table) {
        match (&margin, &significant) {
            (Some(None), Some(None)) => scope.lacks(&table.span, "`significant` or `margin`"),
            (Some(Some(margin)), Some(Some(_))) => {
                scope.fault(&margin.key, "the test has a margin of its own", "another margin")
                    .help("remove this key");
            }
            _ => {}
        }
        if let Some(Some(significant)) = &significant {
            scope.about(&significant.test, metric.as_slice());
            if let Some(pair) = &pair {
                scope.compares(&significant.test, pair.against());
            }
            if let Some(on) = &on {
                scope.one_of_all(&significant.test, on);
            }
        }
    }
}

impl Check for Equivalent {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric, self);
        let says = |margin: f64| {
            let [one, other] = self.pair.labels(&measured);
            let (by, name) = (measured.rounding.limit(margin), measured.metric.noun());
            match margin > 0.0 {
                true => format!("{one} and {other} differ by at most {by} in {name}"),
                false => format!("{one} and {other} have the same {name}"),
            }
        };
        let Some(Equivalence { test, alpha }) = &self.significant else {
            let margin = self.margin.as_ref().map_or(0.0, |margin| margin.value);
            return measured.on(&self.on, says(margin), by_values(), |dataset| {
                let (one, other) = measured.pair(dataset, self.pair.ids())?;
                let distance = Margin::between((one - other).abs(), margin);
                let distance = (margin > 0.0).then_some(distance);
                let effect = measured.difference(dataset, self.pair.ids());
                let numbers = measured.against(one, other);
                Ok(Known::of(near(one, other, margin), numbers, distance, effect))
            });
        };
        let margin = comparisons.test(test).map_or(0.0, |spec| match spec.kind.asks().says {
            Says::Equivalence(margin) => margin,
            Says::Difference | Says::Interval(_) | Says::Posterior(_) => 0.0,
        });
        let by_test = ByTest::of(&measured, comparisons, test, (**alpha, 0.0));
        let by_test = by_test.saying(Asserted::Within(margin));
        let items = by_test.items(&self.on.datasets, self.pair.against(), within);
        by_test.judge(&Statement::on_datasets(says(margin), self.on.how_many.said().value), &items)
    }

    fn about(&self) -> About<'_> {
        let test = self.significant.as_ref().map(|one| &**one.test);
        let datasets = &self.on.datasets;
        About { test, datasets, ..About::values(self.metric, self.pair.ids()) }
    }
}

/// P-values of a difference within the margin, the larger one of two tests that are each at the whole level, and of one
/// outside.
fn within(row: &Comparison) -> Result<[f64; 2], Lack> {
    let found = row.found.as_ref().map_err(Clone::clone)?;
    Ok([found.p, found.outside].map(|p| p.unwrap_or(1.0)))
}

section! {
    in Claimed;
    pub struct Ties: "ties" => "by the paper's procedure a test finds no difference between `left` and `right`, on so many datasets; that is no proof that there is none" {
        /// Of what.
        pair: Pair;
        metric: Reported => "what is compared";
        significant: Bold => "the test, and the level at which a difference is one";
        /// Where.
        on: Counted;
    }
    check(scope, _table) {
        if let Some(bold) = &significant {
            scope.procedure(bold);
            scope.about(&bold.test, metric.as_slice());
            if let Some(pair) = &pair {
                scope.compares(&bold.test, pair.against());
            }
        }
    }
}

impl Check for Ties {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric, self);
        let bold = Some(&self.significant);
        let test = ByProcedure { measured: &measured, comparisons, bold };
        let [one, other] = self.pair.labels(&measured);
        let says = format!(
            "no difference in {} is found between {one} and {other}",
            measured.metric.noun()
        );
        measured.on(&self.on, says, test.by(), |dataset| {
            let (one, other) = measured.pair(dataset, self.pair.ids())?;
            let known = Known::of(true, measured.against(one, other), None, None);
            let found = test.finds(self.pair.ids(), dataset, Comparison::differs)?;
            Ok(known.by(found, false))
        })
    }

    fn about(&self) -> About<'_> {
        let (test, datasets) = (Some(&**self.significant.test), &*self.on.datasets);
        About { test, datasets, ..About::values(self.metric, self.pair.ids()) }
    }
}
