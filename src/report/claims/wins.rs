//! One method is better than others.

use contract::{DatasetId, MethodId, Metric};
use document::{Flag, Form, ID, NotNegative, Spanned, reads, section};
use spec::{
    Bold, Check, Claimed, Comparisons, Counted, Directed, Evidence, Finding, Kind, Methods,
    OneMethod, Phrase,
};

use super::margin::Margin;
use super::measured::{BY_MEANS, Measured, by_test};
use super::reading::number;
use super::tally::{Answer, Known};
use super::test_sample;

pub(super) const KIND: Kind<dyn Check> =
    Kind::<dyn Check>::of::<Wins>("wins", "`left` is better than `right` on so many datasets");

section! {
    in Claimed;
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
        let measured = Measured::new(evidence, self.metric);
        let methods = std::iter::once(&self.left).chain(self.right.ids());
        let by_test = self.significant.as_ref().map(|bold| by_test(&bold.test, *bold.alpha));
        let basis = by_test.as_deref().or(BY_MEANS);
        let answer = |dataset: &DatasetId| self.on_one(&measured, comparisons, dataset);
        let mut finding = measured.tally(&self.on, basis, methods, answer);
        let datasets = &self.on.datasets;
        let remark = test_sample::remark(&measured, datasets, &self.left, self.right.ids());
        finding.evidence.extend(remark.map(Phrase::from));
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
    fn on_one(
        &self,
        measured: &Measured<'_>,
        comparisons: &Comparisons,
        dataset: &DatasetId,
    ) -> Answer {
        if let Some(answer) = measured.undirected() {
            return answer;
        }
        let answers =
            self.right.ids().iter().map(|right| self.over(measured, comparisons, dataset, right));
        let hardness = |answer: &Answer| match answer {
            Answer::Known(known) if !known.holds => 0,
            Answer::Unknown(_) => 1,
            Answer::Known(_) => 2,
        };
        let distance = |answer: &Answer| match answer {
            // Of several losses the largest is what must be made good.
            Answer::Known(known) => {
                let distance = known.margin.map_or(f64::INFINITY, |margin| margin.distance);
                if known.holds { distance } else { -distance }
            }
            Answer::Unknown(_) => 0.0,
        };
        let hardest = answers
            .min_by(|a, b| hardness(a).cmp(&hardness(b)).then(distance(a).total_cmp(&distance(b))));
        hardest.unwrap_or_else(|| Answer::Unknown("no opponent".to_owned()))
    }

    fn over(
        &self,
        measured: &Measured<'_>,
        comparisons: &Comparisons,
        dataset: &DatasetId,
        right: &MethodId,
    ) -> Answer {
        let one_opponent = self.right.ids().len() == 1;
        let answer = measured.pair(dataset, &self.left, right, |one, other| {
            let mut numbers = measured.against(one, other);
            if !one_opponent {
                numbers += &format!(" of {right}");
            }
            let advantage = measured.advantage(one, other);
            let known = Known {
                holds: advantage > self.margin,
                numbers,
                margin: Some(if self.or_tied {
                    Margin::between(one, measured.last_tie(other))
                } else {
                    Margin::between(advantage, self.margin)
                }),
                effect: None,
                advantage: one_opponent.then_some(advantage),
            };
            if self.or_tied && measured.rounding.tied(one, other) {
                return Answer::Known(Known { holds: true, ..known });
            }
            match &self.significant {
                None => Answer::Known(known),
                Some(bold) => self.by_test(bold, measured, comparisons, (dataset, right), known),
            }
        });
        match answer {
            Answer::Known(known) if self.significant.is_none() => {
                let effect = measured.difference(dataset, &self.left, right);
                Answer::Known(Known { effect, ..known })
            }
            other => other,
        }
    }

    /// What the test says, in this direction; means count only beside a margin.
    fn by_test(
        &self,
        bold: &Bold,
        measured: &Measured<'_>,
        comparisons: &Comparisons,
        (dataset, right): (&DatasetId, &MethodId),
        means: Known,
    ) -> Answer {
        let whose = measured.evidence.whose();
        let row = comparisons.on(&bold.test, whose, &self.left, right, Some(dataset));
        let compared = row
            .ok_or_else(|| format!("{} does not compare with {right}", bold.test.value))
            .and_then(|row| {
                let significant = row.significant(*bold.alpha).map_err(|why| why.to_string())?;
                Ok((row, significant))
            });
        let (row, significant) = match compared {
            Ok(compared) => compared,
            // Without a test, what is no better by means is not said to be better.
            Err(_) if !means.holds => return Answer::Known(means),
            Err(why) => return Answer::Unknown(why),
        };
        if self.margin > 0.0 && !means.holds {
            return Answer::Known(means);
        }
        let favours = row.favours(&self.left);
        let p = row.found.as_ref().ok().and_then(|found| found.p_adjusted);
        let p = p.map(|p| format!(", p = {}", number(p))).unwrap_or_default();
        let why = match (significant, favours) {
            (true, true) => "",
            (true, false) => ", significantly the other way",
            (false, _) => ", not significant",
        };
        Answer::Known(Known {
            holds: significant && favours,
            numbers: format!("{}{why}{p}", means.numbers),
            margin: Margin::of_test(row, &self.left, *bold.alpha),
            effect: row.size_of(&self.left),
            ..means
        })
    }
}
