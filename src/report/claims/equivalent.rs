//! Two methods differ by little.

use document::{NotNegative, Spanned, section};
use spec::{
    About, Check, Claimed, Comparison, Comparisons, Counted, Equivalence, Evidence, Finding, Lack,
    OneMethod, Reported, Says,
};

use super::margin::Margin;
use super::measured::{Measured, near};
use super::statement::Statement;
use super::tally::Known;
use super::tested::ByTest;

section! {
    in Claimed;
    /// `left` and `right` differ by at most a margin, on so many datasets.
    pub struct Equivalent {
        left: OneMethod => "one method";
        right: Spanned<OneMethod> => "the other method";
        metric: Reported => "what is compared";
        margin: Option<Spanned<NotNegative>>, else "that of the test"
            => "by values: the largest difference that is none; for values without noise";
        /// Where.
        on: Counted;
        significant: Option<Equivalence>, else "an error, unless there is `margin`"
            => "this test must show at this level that they differ by less than its margin";
    }
    check(scope, table) {
        if let Some(right) = &right {
            scope.apart(left.as_ref(), std::slice::from_ref(&right.value), &right.span);
        }
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
            if let (Some(left), Some(right)) = (&left, &right) {
                scope.compares(&significant.test, left, std::slice::from_ref(&right.value));
            }
            if let Some(on) = &on {
                scope.one_of_all(&significant.test, &on.how_many);
            }
        }
    }
}

impl Check for Equivalent {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let (left, right) = (&self.left, &self.right.value);
        let measured = Measured::new(evidence, self.metric);
        let says = |margin: f64| {
            let (one, other) = (measured.label(left), measured.label(right));
            let (by, name) = (measured.rounding.difference(margin), measured.metric.noun());
            match margin > 0.0 {
                true => format!("{one} and {other} differ by at most {by} in {name}"),
                false => format!("{one} and {other} have the same {name}"),
            }
        };
        let Some(Equivalence { test, alpha }) = &self.significant else {
            let margin = self.margin.as_ref().map_or(0.0, |margin| margin.value);
            return measured.tally(&self.on, says(margin), [left, right], |dataset| {
                let (one, other) = measured.pair(dataset, left, right)?;
                let distance = Margin::between((one - other).abs(), margin);
                let distance = (margin > 0.0).then_some(distance);
                let effect = measured.difference(dataset, left, right);
                let numbers = measured.against(one, other);
                Ok(Known::of(near(one, other, margin), numbers, distance, effect))
            });
        };
        let margin = comparisons.test(test).map_or(0.0, |spec| match spec.kind.asks().says {
            Says::Equivalence(margin) => margin,
            Says::Difference | Says::Interval(_) | Says::Posterior => 0.0,
        });
        let by_test = ByTest::of(&measured, comparisons, test, (**alpha, 0.0)).at_whole_level();
        let rights = std::slice::from_ref(right);
        let items = by_test.items(&self.on.datasets, (left, rights), within);
        by_test.judge(&Statement::on_datasets(says(margin), self.on.how_many.value), &items)
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, self.significant.as_ref().map(|one| &**one.test))
    }
}

/// P-values of a difference within the margin, the larger one of two tests that are each at the whole level, and of one
/// outside.
fn within(row: &Comparison) -> Result<[f64; 2], Lack> {
    let found = row.found.as_ref().map_err(Clone::clone)?;
    Ok([found.p, found.outside].map(|p| p.unwrap_or(1.0)))
}
