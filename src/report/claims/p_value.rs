//! The p-value of a test.

use contract::Metric;
use document::{Level, NotNegative, Share, Spanned, section};
use spec::{
    Check, Comparisons, Evidence, Finding, Kind, OneMethod, OneTest, PairBy, Scope, Verdict,
};

use super::measured::{near, number, undecided};

pub(super) const KIND: Kind<dyn Check> = Kind::<dyn Check>::of::<PValue>(
    "p_value",
    "the p-value of a test between `left` and `right` is below a level, or near a printed one",
);

section! {
    in Scope;
    /// The p-value of a test between `left` and `right` is below a level, or near a printed one.
    pub struct PValue {
        test: Spanned<OneTest> => "id of a `[[test]]`";
        left: OneMethod => "one method";
        right: Spanned<OneMethod> => "the other method";
        below: Option<Level>, else "no level" => "it must be below this";
        equals: Option<Share>, else "any value" => "it must be near this";
        within: Option<Spanned<NotNegative>>, else "an error, if there is `equals`"
            => "the distance from `equals` that is allowed";
    }
    check(scope, table) {
        if let Some(right) = &right {
            scope.apart(left.as_ref(), std::slice::from_ref(&right.value), &right.span);
        }
        if let (Some(None), Some(None)) = (below, equals) {
            scope.lacks(&table.span, "`below` or `equals`");
        }
        match (equals, &within) {
            (Some(Some(_)), Some(None)) => scope.lacks(&table.span, "`within`"),
            (Some(None), Some(Some(within))) => {
                let message = "`within` is a distance from `equals`";
                scope.faults.at(&within.key, message, "without `equals`");
            }
            _ => {}
        }
        if let Some(test) = &test {
            if let (Some(left), Some(right)) = (&left, &right) {
                scope.compares(test, left, std::slice::from_ref(&right.value));
            }
            has_one(test, scope);
        }
    }
}

/// The test has one p-value.
fn has_one(named: &Spanned<String>, scope: &mut Scope<'_>) {
    let Some(test) = scope.test(named) else { return };
    let (id, design) = (&test.design.id, &test.design);
    let (message, label, help) = if test.level.is_some() {
        let message = format!("test `{id}` has no p-value");
        (message, "it gives intervals", "name a test of another kind")
    } else if design.pair_by != PairBy::Dataset && design.datasets.len() > 1 {
        let message = format!("test `{id}` has a p-value for each dataset");
        (message, "which one is meant?", "give the test one dataset, or pair_by = \"dataset\"")
    } else {
        return;
    };
    scope.faults.at(&named.span, message, label).help(help);
}

impl Check for PValue {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let Self { test, left, right, below, equals, .. } = self;
        let within = self.within.as_ref().map_or(0.0, |within| within.value);
        let (mut texts, mut verdict) = (Vec::new(), Verdict::Holds);
        for row in comparisons.between(test, evidence.whose(), left, right) {
            let dataset = match row.dataset.as_str() {
                "" => String::new(),
                dataset => format!(" on {dataset}"),
            };
            let p = match &row.found {
                Ok(found) => found.p_adjusted.ok_or_else(|| "it gives an interval".to_owned()),
                Err(why) => Err(why.clone()),
            };
            match p {
                Ok(p) => {
                    let met = below.is_none_or(|level| p < level)
                        && equals.is_none_or(|printed| near(p, printed, within));
                    if !met {
                        verdict = Verdict::Fails;
                    }
                    let note = match row.note.as_str() {
                        "" => String::new(),
                        note => format!(" ({note})"),
                    };
                    texts.push(format!("p = {}{dataset}{note}", number(p)));
                }
                Err(why) => {
                    if verdict == Verdict::Holds {
                        verdict = Verdict::Undecided;
                    }
                    texts.push(format!("no p-value{dataset}: {why}"));
                }
            }
        }
        if texts.is_empty() {
            let test = &test.value;
            return undecided(format!("{test} was not computed for {left} and {}", right.value));
        }
        let mut wanted = Vec::new();
        wanted.extend(below.map(|level| format!("below {}", number(level))));
        wanted.extend(equals.map(|p| format!("within {} of {}", number(within), number(p))));
        let evidence = format!("{}; wanted {}", texts.join(", "), wanted.join(" and "));
        Finding { verdict, evidence }
    }

    fn metric(&self) -> Option<&'static Metric> {
        None
    }

    fn test(&self) -> Option<&str> {
        Some(&self.test)
    }
}
