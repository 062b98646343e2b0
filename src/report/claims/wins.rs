//! One method is better than others.

use contract::{DatasetId, MethodId};
use document::{Flag, Form, ID, NotNegative, Real, Spanned, reads, section};
use spec::{
    About, Bold, Check, Claimed, Comparisons, Counted, Directed, Evidence, Finding, Lack, Methods,
    OneMethod, Phrase, Procedure, Verdict,
};

use super::margin::Margin;
use super::measured::{Better, Measured};
use super::procedure::ByProcedure;
use super::statement::{Answer, Known, Statement};
use super::test_sample;
use super::tested::{ByTest, Item};

section! {
    in Claimed;
    pub struct Wins: "wins" => "`left` is better than `right` on so many datasets" {
        left: OneMethod => "the method said to be better";
        right: Spanned<Named>
            => "the methods that it must beat, each of them; \"others\" for all others";
        metric: Directed => "what is compared";
        /// Where.
        on: Counted;
        or_tied: Spanned<Flag> = false => "a tie at the paper's rounding counts as a win";
        margin: Spanned<NotNegative> = 0.0
            => "by values: an advantage must be larger than this, in the metric's unit";
        significant: Option<Bold>, else "any win counts" => "a win must be shown by this test at this level";
        matters: Spanned<Real> = 0.0
            => "by a test: it must show that the advantage is larger than this, in the metric's unit; below 0, that `left` is worse by less";
        negligible: Spanned<NotNegative> = 0.0
            => "by a test: if it shows a win, and that the advantage is smaller than this, it is said so; no verdict changes";
    }
    check(scope, _table) {
        match &mut right {
            Some(Spanned { value: Opponents::Others(ids), span, .. }) => {
                ids.retain(|id| Some(id) != left.as_ref());
                if let Some(left) = left.as_ref().filter(|_| ids.is_empty()) {
                    let message = format!("there is no method but `{left}`");
                    scope.fault(span, message, "there are no others")
                        .help("a claim that compares nothing always holds: add a `[[method]]`");
                }
            }
            Some(Spanned { value: Opponents::Named(ids), span, .. }) => scope.apart(left.as_ref(), ids, span),
            None => {}
        }
        let bold = significant.as_ref().and_then(Option::as_ref);
        if let Some(bold) = bold {
            scope.about(&bold.test, metric.as_slice());
            if let (Some(left), Some(right)) = (&left, &right) {
                scope.compares(&bold.test, (left, right.ids()));
                if bold.procedure == Procedure::Ours {
                    scope.alone(&bold.test, 1 + right.ids().len());
                }
            }
            scope.on_each(bold);
            if let Some(on) = &on {
                scope.one_of_all(&bold.test, on);
            }
        }
        if let (Some(margin), Some(matters)) = (&margin, &matters) {
            scope.matters(margin, ("matters", matters), bold);
        }
        if let (Some(matters), Some(negligible)) = (&matters, &negligible)
            && negligible.value > 0.0
        {
            scope.matters(&0.0.into(), ("negligible", negligible), bold);
            if negligible.value <= matters.value {
                let message = "what matters is not negligible";
                scope.fault(&negligible.key, message, "not above `matters`");
            } else if matters.value < 0.0 {
                let message = "`negligible` is of a win, and `matters` below 0 asks for none";
                scope.fault(&negligible.key, message, "no effect").help("remove one of both");
            }
        }
        if let Some(or_tied) = or_tied.as_ref().filter(|or_tied| or_tied.value && bold.is_some()) {
            let message = "a tie is one of values, and here a test decides";
            scope.fault(&or_tied.key, message, "no effect").help("remove `or_tied` or `significant`");
        }
    }
}

/// Whom a method must beat.
#[derive(Debug, Clone)]
pub enum Opponents {
    /// These methods.
    Named(Vec<MethodId>),
    /// All others.
    Others(Vec<MethodId>),
}

impl Opponents {
    fn ids(&self) -> &[MethodId] {
        let (Self::Named(ids) | Self::Others(ids)) = self;
        ids
    }
}

reads! {
    in Claimed;
    /// Methods, or all others.
    pub Named: Opponents = Form::OneOrMany(Box::new(Form::Text(&ID))), |node, scope| {
        Some(match node.text() {
            Some("others") => Opponents::Others(scope.method_ids().to_vec()),
            _ => Opponents::Named(Methods::read(node, scope)?),
        })
    };
}

impl Check for Wins {
    fn judge(&self, evidence: &dyn Evidence, comparisons: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric, self);
        let mut finding = match &self.significant {
            Some(Bold { test, alpha, procedure: Procedure::Ours }) => {
                let beyond = |size: f64| ByTest::of(&measured, comparisons, test, (**alpha, size));
                let finding = self.by_test(&beyond(self.matters.value), &measured);
                let size = self.negligible.value;
                let shown = finding.verdict == Verdict::Holds && size > 0.0;
                if shown && self.items(&beyond(size)).iter().all(|item| item.refuted(0.5 * **alpha))
                {
                    finding.adding(&format!("smaller than {}", measured.rounding.limit(size)))
                } else {
                    finding
                }
            }
            bold => {
                let bold = bold.as_ref();
                self.by_values(ByProcedure { measured: &measured, comparisons, bold })
            }
        };
        let datasets = &self.on.datasets;
        let remark = test_sample::remark(&measured, datasets, &self.left, self.right.ids());
        finding.evidence.extend(remark.map(Phrase::from));
        finding
    }

    fn about(&self) -> About<'_> {
        let test = self.significant.as_ref().map(|bold| &**bold.test);
        let methods = [&self.left].into_iter().chain(self.right.ids());
        About { test, datasets: &self.on.datasets, ..About::values(self.metric, methods) }
    }
}

impl Wins {
    fn says(&self, measured: &Measured<'_>, more: f64) -> String {
        let rights = measured.labels(self.right.ids());
        let how = match &self.significant {
            Some(Bold { procedure: Procedure::Paper, .. }) => Better::Significantly,
            Some(_) => Better::Plainly,
            None if self.or_tied.value => Better::OrTied,
            None => Better::Plainly,
        };
        measured.better_by(measured.label(&self.left), &rights, how, more)
    }

    /// What the test shows, in this direction.
    fn by_test(&self, test: &ByTest<'_>, measured: &Measured<'_>) -> Finding {
        let says = self.says(measured, self.matters.value);
        let statement = Statement::on_datasets(says, self.on.how_many.said().value);
        test.judge(&statement, &self.items(test))
    }

    fn items(&self, test: &ByTest<'_>) -> Vec<Item> {
        let methods = (&self.left, self.right.ids());
        test.items(&self.on.datasets, methods, |row| row.one_sided(&self.left))
    }

    fn by_values(&self, by: ByProcedure<'_>) -> Finding {
        let says = self.says(by.measured, self.margin.value);
        by.measured.on(&self.on, says, by.by(), |dataset| self.on_one(by, dataset))
    }

    /// The answer of the hardest opponent: a loss before anything unknown before a win.
    fn on_one(&self, by: ByProcedure<'_>, dataset: &DatasetId) -> Answer {
        by.measured.directed()?;
        let answers = self.right.ids().iter().map(|right| self.over(by, dataset, right));
        let hardness = |answer: &Answer| match answer {
            Ok(known) => {
                let distance = known.margin.map_or(f64::INFINITY, |margin| margin.distance);
                // Of several losses the largest is what must be made good.
                if known.holds { (2, distance) } else { (0, -distance) }
            }
            Err(_) => (1, 0.0),
        };
        let hardest = answers.min_by(|a, b| {
            let ((a, near), (b, far)) = (hardness(a), hardness(b));
            a.cmp(&b).then(near.total_cmp(&far))
        });
        hardest.unwrap_or(Err(Lack::Unmet("no opponent")))
    }

    fn over(&self, by: ByProcedure<'_>, dataset: &DatasetId, right: &MethodId) -> Answer {
        let measured = by.measured;
        let (pair, one_opponent) = ([&self.left, right], self.right.ids().len() == 1);
        let (one, other) = measured.pair(dataset, pair)?;
        let mut numbers = measured.against(one, other);
        if !one_opponent {
            numbers += &format!(" of {}", measured.label(right));
        }
        let advantage = measured.advantage(one, other);
        let mut known = Known::above(advantage, self.margin.value, numbers);
        if self.or_tied.value {
            known.holds |= measured.rounding.tied(one, other);
            known.margin = Some(Margin::between(one, measured.last_tie(other)));
        }
        known.effect = measured.difference(dataset, pair);
        known.advantage = known.advantage.filter(|_| one_opponent);
        Ok(known.by(by.finds_better(pair, dataset)?, true))
    }
}
