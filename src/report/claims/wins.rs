//! One method is better than others.

use contract::Metric;
use document::{Flag, Form, ID, NotNegative, Spanned, reads, section};
use spec::{
    Bold, Check, Comparisons, Counted, Directed, Evidence, Finding, Kind, Methods, OneMethod, Scope,
};

use super::measured::{Measured, number};
use super::tally::Answer;
use super::test_sample;

pub(super) const KIND: Kind<dyn Check> =
    Kind::<dyn Check>::of::<Wins>("wins", "`left` is better than `right` on so many datasets");

section! {
    in Scope;
    /// `left` is better than `right` on so many datasets.
    pub struct Wins {
        left: OneMethod => "the method said to be better";
        right: Spanned<Named>
            => "the methods that it must beat, each of them; \"others\" for all others";
        metric: Directed => "what is compared";
        /// Where.
        on: Counted;
        or_tied: Flag = false => "a tie at the paper's rounding counts as a win";
        margin: NotNegative = 0.0 => "an advantage must be larger than this, in the metric's unit";
        significant: Option<Bold>, else "any win counts" => "a win must pass this test at this level";
    }
    check(scope, _table) {
        match &mut right {
            Some(Spanned { value: Opponents::Others(ids), span, .. }) => {
                ids.retain(|id| Some(id) != left.as_ref());
                if let Some(left) = left.as_ref().filter(|_| ids.is_empty()) {
                    let message = format!("there is no method but `{left}`");
                    scope
                        .faults
                        .at(span, message, "there are no others")
                        .help("a claim that compares nothing always holds: add a `[[method]]`");
                }
            }
            Some(Spanned { value: Opponents::Named(ids), span, .. }) => scope.apart(left.as_ref(), ids, span),
            None => {}
        }
        if let Some(Some(bold)) = &significant {
            scope.about(&bold.test, metric.as_slice());
            if let (Some(left), Some(right)) = (&left, &right) {
                scope.compares(&bold.test, left, right.ids());
            }
        }
    }
}

/// Whom a method must beat.
#[derive(Debug, Clone)]
pub enum Opponents {
    /// These methods.
    Named(Vec<String>),
    /// All others.
    Others(Vec<String>),
}

impl Opponents {
    fn ids(&self) -> &[String] {
        let (Self::Named(ids) | Self::Others(ids)) = self;
        ids
    }
}

reads! {
    in Scope;
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
        let measured = Measured::new(evidence, self.metric);
        let methods = std::iter::once(&self.left).chain(self.right.ids());
        let mut finding = measured
            .tally(&self.on, methods, |dataset| self.on_one(&measured, comparisons, dataset));
        let datasets = &self.on.datasets;
        if let Some(remark) = test_sample::remark(&measured, datasets, &self.left, self.right.ids())
        {
            finding.evidence += &format!("; {remark}");
        }
        finding
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }

    fn test(&self) -> Option<&str> {
        self.significant.as_ref().map(|bold| bold.test.as_str())
    }
}

impl Wins {
    /// The answer of the hardest opponent: a loss before anything unknown before a win.
    fn on_one(&self, measured: &Measured<'_>, comparisons: &Comparisons, dataset: &str) -> Answer {
        if let Some(answer) = measured.undirected() {
            return answer;
        }
        let mut least = None;
        let mut unknown = None;
        for right in self.right.ids() {
            match self.over(measured, comparisons, dataset, right) {
                Answer::No(numbers) => return Answer::No(numbers),
                Answer::Unknown(why) => unknown = unknown.or(Some(why)),
                Answer::Yes(margin) => {
                    let smaller = |old: f64| margin.is_some_and(|new| new < old);
                    if least.is_none_or(smaller) {
                        least = margin;
                    }
                }
            }
        }
        unknown.map_or(Answer::Yes(least), Answer::Unknown)
    }

    fn over(
        &self,
        measured: &Measured<'_>,
        comparisons: &Comparisons,
        dataset: &str,
        right: &str,
    ) -> Answer {
        measured.pair(dataset, &self.left, right, |one, other| {
            let mut numbers = measured.against(one, other);
            if self.right.ids().len() > 1 {
                numbers += &format!(" of {right}");
            }
            let advantage = measured.advantage(one, other);
            if self.or_tied && measured.rounding.tied(one, other) {
                return Answer::Yes(Some(advantage.max(0.0)));
            }
            if advantage <= self.margin {
                return Answer::No(numbers);
            }
            let Some(bold) = &self.significant else { return Answer::Yes(Some(advantage)) };
            let whose = measured.evidence.whose();
            let row = comparisons.on(&bold.test, whose, &self.left, right, Some(dataset));
            match row.map(|row| &row.found) {
                None => {
                    Answer::Unknown(format!("{} does not compare with {right}", bold.test.value))
                }
                Some(Err(why)) => Answer::Unknown(why.clone()),
                Some(Ok(found)) if found.significant(*bold.alpha) => Answer::Yes(Some(advantage)),
                Some(Ok(found)) => {
                    let p = found.p_adjusted.map(|p| format!(", p = {}", number(p)));
                    Answer::No(format!("{numbers}, not significant{}", p.unwrap_or_default()))
                }
            }
        })
    }
}
