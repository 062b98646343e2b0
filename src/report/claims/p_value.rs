//! The p-value of a test.

use contract::Metric;
use document::{Flag, Level, NotNegative, Share, Spanned, section};
use spec::number::Rounding;
use spec::{
    Check, Claimed, Comparison, Comparisons, Evidence, Finding, Kind, OneMethod, OneTest, PairBy,
    Says, Verdict,
};

use super::margin::{Margin, Of};
use super::measured::{near, undecided};
use super::reading::{number, size_text};

pub(super) const KIND: Kind<dyn Check> = Kind::<dyn Check>::of::<PValue>(
    "p_value",
    "a test finds `left` better than `right`, with a p-value below a level or near a printed one",
);

section! {
    in Claimed;
    /// A test finds `left` better than `right`, with a p-value below a level or near a printed one.
    pub struct PValue {
        test: Spanned<OneTest> => "id of a `[[test]]`";
        left: OneMethod => "the method said to be better";
        right: Spanned<OneMethod> => "the other method";
        differ: Flag = false => "either may be the better one: it is said that they differ";
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
            has_one(test, differ.unwrap_or_default(), scope);
        }
    }
}

/// The test has one p-value, of a difference with a direction if that counts.
fn has_one(named: &Spanned<String>, differ: bool, scope: &mut Claimed<'_>) {
    scope.tells_apart(named);
    let Some(test) = scope.test(named) else { return };
    let (id, design) = (&test.design.id, &test.design);
    let no_p = match test.says {
        Says::Interval(_) => Some("it gives intervals"),
        Says::Posterior => Some("it gives posterior probabilities"),
        Says::Difference | Says::Equivalence(_) => None,
    };
    let (message, label, help) = if let Some(instead) = no_p {
        (format!("test `{id}` has no p-value"), instead, "name a test of another kind")
    } else if design.metric.direction == contract::Direction::Neutral && !differ {
        let message = format!("no value of `{}` is better than another", design.metric.name);
        (message, "`left` can't be the better one", "write differ = true")
    } else if design.pair_by != PairBy::Dataset && design.datasets.len() > 1 {
        let message = format!("test `{id}` has a p-value for each dataset");
        (message, "which one is meant?", "give the test one dataset, or pair_by = \"dataset\"")
    } else {
        return;
    };
    scope.faults.at(&named.span, message, label).help(help);
}

impl PValue {
    /// What one comparison says: whether the claim holds of it, and the numbers.
    fn on_one(&self, row: &Comparison, rounding: Rounding) -> Result<(bool, String), String> {
        let found = row.found.as_ref().map_err(ToString::to_string)?;
        let p = found.p_adjusted.ok_or_else(|| "it gives no p-value".to_owned())?;
        let within = self.within.as_ref().map_or(0.0, |within| within.value);
        let direction = self.differ || row.favours(&self.left);
        let met = self.below.is_none_or(|level| p < level)
            && self.equals.is_none_or(|printed| near(p, printed, within));
        let mut text = format!("p = {}", number(p));
        if !direction {
            text += &format!(" with {} the better", self.right.value);
        }
        if let Some(size) = row.size_of(&self.left) {
            text += &format!(", {}", size_text(&size, rounding));
        }
        let below = self.below.map(|level| {
            if self.differ {
                Margin { distance: (p - level).abs(), of: Of::P }
            } else {
                Margin::one_sided(p, direction, level)
            }
        });
        let near = self.equals.filter(|_| direction).map(|printed| {
            let distance = ((p - printed).abs() - within).abs();
            Margin { distance, of: Of::P }
        });
        let margins = below.into_iter().chain(near);
        if let Some(margin) = margins.min_by(|a, b| a.distance.total_cmp(&b.distance)) {
            text += &format!(", margin {}", margin.text(rounding));
        }
        Ok((met && direction, text))
    }
}

impl Check for PValue {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let Self { test, left, right, below, equals, .. } = self;
        let (mut texts, mut verdict) = (Vec::new(), Verdict::Holds);
        for row in comparisons.between(test, evidence.whose(), left, right) {
            let dataset = match row.dataset.as_str() {
                "" => String::new(),
                dataset => format!(" on {dataset}"),
            };
            match self.on_one(row, evidence.rounding(row.metric)) {
                Ok((holds, numbers)) => {
                    if !holds {
                        verdict = Verdict::Fails;
                    }
                    let note = match row.note.as_str() {
                        "" => String::new(),
                        note => format!(" ({note})"),
                    };
                    texts.push(format!("{numbers}{dataset}{note}"));
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
        let within = self.within.as_ref().map_or(0.0, |within| within.value);
        wanted.extend(below.map(|level| format!("below {}", number(level))));
        wanted.extend(equals.map(|p| format!("within {} of {}", number(within), number(p))));
        if !self.differ {
            wanted.push(format!("{left} the better"));
        }
        let wanted = format!("wanted {}", wanted.join(" and "));
        Finding { verdict, evidence: vec![texts.join(", ").into(), wanted.into()] }
    }

    fn metric(&self) -> Option<&'static Metric> {
        None
    }

    fn test(&self) -> Option<&str> {
        Some(&self.test)
    }
}
