//! The p-value of a test.

use document::{Flag, Level, NotNegative, Real, Share, Spanned, section};
use spec::{
    About, Basis, Check, Claimed, Comparison, Comparisons, Evidence, Finding, HowMany, Lack,
    OneTest, PairBy, Says, Verdict,
};

use super::margin::{Margin, Of};
use super::measured::{Better, Measured, near};
use super::pair::Pair;
use super::reading::{number, remark, size_text};
use super::statement::{Answer, Known, Statement, by_values};
use super::tested::{Asserted, ByTest};

section! {
    in Claimed;
    pub struct PValue: "p_value" => "a test finds `left` better than `right`, with a p-value below a level or near a printed one" {
        test: Spanned<OneTest> => "id of a `[[test]]`";
        /// Of what.
        pair: Pair;
        differ: Flag = false => "either may be the better one: it is said that they differ";
        below: Option<Level>, else "no level" => "the test must show it at this level";
        matters: Spanned<Real> = 0.0
            => "beside `below`: it must show that the advantage is larger than this, in the metric's unit; below 0, that `left` is worse by less";
        equals: Option<Share>, else "any value" => "it must be near this";
        within: Option<Spanned<NotNegative>>, else "an error, if there is `equals`"
            => "the distance from `equals` that is allowed";
    }
    check(scope, table) {
        match (below, equals) {
            (Some(None), Some(None)) => scope.lacks(&table.span, "`below` or `equals`"),
            (Some(Some(_)), Some(Some(_))) => {
                let message = "`below` is judged by the test, `equals` by values";
                let fault = scope.fault(&table.span, message, "two statements");
                fault.help("write two claims");
            }
            _ => {}
        }
        match (equals, &within) {
            (Some(Some(_)), Some(None)) => scope.lacks(&table.span, "`within`"),
            (Some(None), Some(Some(within))) => {
                let message = "`within` is a distance from `equals`";
                scope.fault(&within.key, message, "without `equals`");
            }
            _ => {}
        }
        if let Some(test) = &test {
            if let Some(pair) = &pair {
                scope.compares(test, pair.against());
            }
            if let Some(Some(_)) = below {
                scope.alone(test, 2);
            }
            has_one(test, differ.unwrap_or_default(), scope);
            if let Some(matters) = matters.as_ref().filter(|matters| matters.value != 0.0) {
                let one_sided = differ != Some(true) && matches!(below, Some(Some(_)));
                if !one_sided {
                    let message = "what matters is asked of `left` being better, with `below`";
                    scope.fault(&matters.key, message, "no effect").help("remove this key");
                }
                scope.shifted(test, matters);
            }
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
        Says::Posterior(_) => Some("it gives posterior probabilities"),
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
    scope.fault(&named.span, message, label).help(help);
}

impl PValue {
    fn says(&self, measured: &Measured<'_>) -> String {
        let [left, right] = self.pair.labels(measured);
        if self.differ {
            format!("{left} and {right} differ in {}", measured.metric.noun())
        } else {
            measured.better_by(left, right, Better::Plainly, self.matters.value)
        }
    }

    /// Whether the p-value is as printed, in this direction.
    fn printed(&self, printed: f64, measured: &Measured<'_>, row: &Comparison) -> Answer {
        let found = row.found.as_ref().map_err(Clone::clone)?;
        let p = found.p_adjusted.ok_or(Lack::Unmet("it gives no p-value"))?;
        let within = self.within.as_ref().map_or(0.0, |within| within.value);
        let direction = self.differ || row.favours(&self.pair.left);
        let mut numbers = format!("p = {}", number(p));
        if !direction {
            numbers += &format!(" with {} the better", self.pair.labels(measured)[1]);
        }
        if let Some(size) = row.size_of(&self.pair.left) {
            numbers += &format!(", {}", size_text(&size, measured.rounding));
        }
        numbers += &remark(row);
        let distance = ((p - printed).abs() - within).abs();
        let margin = direction.then_some(Margin { distance, of: Of::P });
        Ok(Known::of(direction && near(p, printed, within), numbers, margin, None))
    }
}

impl Check for PValue {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let Some(spec) = comparisons.test(&self.test) else {
            return Finding::of(Verdict::NoEvidence, Basis::Test, "no such test");
        };
        let measured = Measured::new(evidence, spec.metric, self);
        let [left, right] = self.pair.ids();
        let says = self.says(&measured);
        if let Some(printed) = self.equals {
            let (whose, dataset) = (evidence.whose(), spec.datasets.first());
            let row = comparisons.on(&self.test, whose, left, right, dataset);
            let answer = row.and_then(|row| self.printed(printed, &measured, row));
            let within = number(self.within.as_ref().map_or(0.0, |within| within.value));
            let printed = number(printed);
            let says = format!("the test of whether {says} gives p within {within} of {printed}");
            let statement = Statement::on_datasets(says, HowMany::All);
            return measured.judge(&statement, by_values(), [("", answer)]);
        }
        let level = (self.below.unwrap_or(0.0), self.matters.value);
        let mut test = ByTest::of(&measured, comparisons, &self.test, level);
        if self.differ {
            test = test.saying(Asserted::Differ);
        }
        let items = test.items(&spec.datasets, self.pair.against(), |row| {
            let [p, q] = row.one_sided(left)?;
            Ok(if self.differ { [2.0 * p.min(q), 1.0] } else { [p, q] })
        });
        test.judge(&Statement::on_datasets(says, HowMany::All), &items)
    }

    fn about(&self) -> About<'_> {
        let methods = self.pair.ids().to_vec();
        let corrected = self.equals.is_some();
        About { test: Some(&self.test), methods, corrected, ..About::default() }
    }
}
