//! Two methods differ by little.

use contract::{DatasetId, Metric};
use document::{NotNegative, Spanned, section};
use spec::{
    Check, Claimed, Comparisons, Counted, Equivalence, Evidence, Finding, Kind, OneMethod, Reported,
};

use super::margin::{Margin, Of};
use super::measured::{BY_MEANS, Measured, by_test, near};
use super::reading::number;
use super::tally::{Answer, Known};

pub(super) const KIND: Kind<dyn Check> = Kind::<dyn Check>::of::<Equivalent>(
    "equivalent",
    "`left` and `right` differ by at most a margin, on so many datasets: by a test of equivalence, or by means",
);

section! {
    in Claimed;
    /// `left` and `right` differ by at most a margin, on so many datasets.
    pub struct Equivalent {
        left: OneMethod => "one method";
        right: Spanned<OneMethod> => "the other method";
        metric: Reported => "what is compared";
        margin: Option<Spanned<NotNegative>>, else "that of the test"
            => "the largest difference of means that is none; for values without noise";
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
                scope
                    .faults
                    .at(&margin.key, "the test has a margin of its own", "another margin")
                    .help("remove this key");
            }
            _ => {}
        }
        if let Some(Some(significant)) = &significant {
            scope.about(&significant.test, metric.as_slice());
            if let (Some(left), Some(right)) = (&left, &right) {
                scope.compares(&significant.test, left, std::slice::from_ref(&right.value));
            }
        }
    }
}

impl Check for Equivalent {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let methods = [&self.left, &self.right.value];
        match (&self.significant, &self.margin) {
            (Some(test), _) => {
                let basis = by_test(&test.test, *test.alpha);
                measured.tally(&self.on, Some(&basis), methods, |dataset| {
                    self.by_test(test, &measured, comparisons, dataset)
                })
            }
            (None, margin) => {
                let margin = margin.as_ref().map_or(0.0, |margin| margin.value);
                measured.tally(&self.on, BY_MEANS, methods, |dataset| {
                    self.by_means(margin, &measured, dataset)
                })
            }
        }
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }

    fn test(&self) -> Option<&str> {
        self.significant.as_ref().map(|significant| significant.test.as_str())
    }
}

impl Equivalent {
    fn by_means(&self, margin: f64, measured: &Measured<'_>, dataset: &DatasetId) -> Answer {
        measured.pair(dataset, &self.left, &self.right, |one, other| {
            Answer::Known(Known {
                holds: near(one, other, margin),
                numbers: measured.against(one, other),
                margin: Some(Margin::between((one - other).abs(), margin)),
                effect: measured.difference(dataset, &self.left, &self.right),
                advantage: None,
            })
        })
    }

    fn by_test(
        &self,
        test: &Equivalence,
        measured: &Measured<'_>,
        comparisons: &Comparisons,
        dataset: &DatasetId,
    ) -> Answer {
        let (whose, right) = (measured.evidence.whose(), &self.right.value);
        let Some(row) = comparisons.on(&test.test, whose, &self.left, right, Some(dataset)) else {
            return Answer::Unknown(format!("{} does not compare with {right}", test.test.value));
        };
        let p = match &row.found {
            Err(why) => return Answer::Unknown(why.to_string()),
            Ok(found) => found.p_adjusted.unwrap_or(1.0),
        };
        measured.pair(dataset, &self.left, right, |one, other| {
            let distance = math::decimal::difference(p, *test.alpha).abs();
            Answer::Known(Known {
                holds: p < *test.alpha,
                numbers: format!("{}, p = {}", measured.against(one, other), number(p)),
                margin: Some(Margin { distance, of: Of::P }),
                effect: row.size_of(&self.left),
                advantage: None,
            })
        })
    }
}
