//! One metric on one basis, as claims are judged on it.

use base::text::real;
use contract::{DatasetId, Direction, MethodId, Metric};
use math::decimal::{difference, significant};
use spec::number::Rounding;
use spec::{Basis, Check, Counted, Evidence, Finding, Lack, Place, Quantity, Size, Verdict, Whose};

use super::statement::{Answer, Answers, Statement};
use crate::significance::oriented;

/// How a method is said to be better.
pub(super) enum Better {
    Plainly,
    Significantly,
    OrTied,
}

/// One metric on one basis, with the paper's rounding of it.
pub(super) struct Measured<'a> {
    pub evidence: &'a dyn Evidence,
    pub metric: &'static Metric,
    pub rounding: Rounding,
    /// The methods whose values count.
    methods: Vec<&'a MethodId>,
}

impl<'a> Measured<'a> {
    pub fn new(evidence: &'a dyn Evidence, metric: &'static Metric, check: &'a dyn Check) -> Self {
        let (rounding, methods) = (evidence.rounding(metric), check.about().methods);
        Self { evidence, metric, rounding, methods }
    }

    /// The value of a method on a dataset, or why there is none.
    pub fn value<'p>(&self, dataset: &DatasetId, at: impl Into<Place<'p>>) -> Result<f64, Lack> {
        self.evidence.value(dataset, at.into(), self.metric)
    }

    /// The values of two methods on a dataset, or why one is not there.
    pub fn pair(&self, on: &DatasetId, [left, right]: [&MethodId; 2]) -> Result<(f64, f64), Lack> {
        self.both((on, left), (on, right))
    }

    /// Two values, or why one is not there. Both are asked for in any case.
    pub fn both(
        &self,
        (dataset, left): (&DatasetId, &MethodId),
        (than, right): (&DatasetId, &MethodId),
    ) -> Result<(f64, f64), Lack> {
        let (one, other) = (self.value(dataset, left), self.value(than, right));
        Ok((one?, other?))
    }

    /// How much two methods differ on a dataset, if that has an interval.
    pub fn difference(&self, on: &DatasetId, [left, right]: [&MethodId; 2]) -> Option<Size> {
        self.size(on, Quantity::Difference(left.into(), right.into()))
    }

    /// How large something is on a dataset, if that has an interval.
    pub fn size(&self, dataset: &DatasetId, of: Quantity<'_>) -> Option<Size> {
        self.evidence.size(dataset, of, self.metric)
    }

    /// What people read for a method.
    pub fn label<'m>(&'m self, method: &'m MethodId) -> &'m str {
        self.evidence.label(method)
    }

    /// What people read for a dataset.
    pub fn title(&self, dataset: &DatasetId) -> String {
        self.evidence.title(dataset)
    }

    /// What people read for methods, such as `each of A, B`.
    pub fn labels(&self, methods: &[MethodId]) -> String {
        let labels: Vec<&str> = methods.iter().map(|method| self.label(method)).collect();
        match labels.as_slice() {
            [one] => (*one).to_owned(),
            several => format!("each of {}", several.join(", ")),
        }
    }

    /// That methods are better by the metric than others, significantly so, or not worse, as a clause.
    pub fn better(&self, left: &str, right: &str, how: Better) -> String {
        let name = self.metric.noun();
        let word = if self.metric.direction == Direction::Lower { "low" } else { "high" };
        let how = match how {
            Better::Plainly => "a ",
            Better::Significantly => "a significantly ",
            Better::OrTied => {
                return format!("{left} has at least as {word} a {name} as {right}");
            }
        };
        format!("{left} has {how}{word}er {name} than {right}")
    }

    /// That one is better by more than a size; below 0, that it is better, or worse by less.
    pub fn better_by(&self, left: &str, right: &str, how: Better, size: f64) -> String {
        let by = self.rounding.limit(size.abs());
        if size < 0.0 {
            let name = self.metric.noun();
            return format!("{left} is better than {right} in {name}, or worse by less than {by}");
        }
        let better = self.better(left, right, how);
        if size > 0.0 { format!("{better} by more than {by}") } else { better }
    }

    /// Two values beside each other, in the table's unit.
    pub fn against(&self, one: f64, other: f64) -> String {
        let (left, right) = (self.rounding.text(one), self.rounding.text(other));
        if left == right && difference(one, other) != 0.0 {
            let size = real(significant((one - other).abs() * self.rounding.scale, 2));
            let side = if one < other { "below" } else { "above" };
            return format!("{left} {side} {right} by {size}");
        }
        format!("{left} against {right}")
    }

    /// How much better `one` is than `other`; positive is better.
    pub fn advantage(&self, one: f64, other: f64) -> f64 {
        difference(oriented(self.metric, one), oriented(self.metric, other))
    }

    /// The worst value that the table prints like `value`.
    pub fn last_tie(&self, value: f64) -> f64 {
        let Rounding { scale, .. } = self.rounding;
        let worse = if self.metric.direction == Direction::Lower { 0.5 } else { -0.5 };
        (self.rounding.printed(value) + worse * self.rounding.unit()) / scale
    }

    /// Judges on how many of the datasets that count an answer is yes; `by` is what decides each.
    pub fn on(
        &self,
        on: &Counted,
        says: String,
        by: (Basis, String),
        answer: impl Fn(&DatasetId) -> Answer,
    ) -> Finding {
        let answers = on.datasets.iter().map(|dataset| (self.title(dataset), answer(dataset)));
        self.judge(&Statement::on_datasets(says, on.how_many.said().value), by, answers)
    }

    /// Judges a statement by answers of items with these names.
    pub fn judge(
        &self,
        statement: &Statement,
        (basis, by): (Basis, String),
        answers: impl IntoIterator<Item = (impl Into<String>, Answer)>,
    ) -> Finding {
        let answers: Vec<(String, Answer)> =
            answers.into_iter().map(|(name, answer)| (name.into(), answer)).collect();
        let unknown = !answers.is_empty() && answers.iter().all(|(_, answer)| answer.is_err());
        if unknown && self.evidence.whose() == Whose::Published {
            return Finding::of(Verdict::NoEvidence, basis, "no such values");
        }
        let quoted = self.evidence.quoted_among(self.methods.iter().copied());
        let remark = (!quoted.is_empty()).then(|| format!("{} as published", quoted.join(", ")));
        Answers { statement, answers, rounding: self.rounding, remark }.judge((basis, by))
    }

    /// Better and worse mean something for the metric.
    pub fn directed(&self) -> Result<(), Lack> {
        let Metric { direction, name, .. } = self.metric;
        match direction {
            Direction::Neutral => Err(Lack::Open(format!("{name} is neither good nor bad"))),
            Direction::Higher | Direction::Lower => Ok(()),
        }
    }
}

/// Makes claims of forms that the values of one metric decide, without a test: each says what it finds of these, and
/// which methods have them.
macro_rules! judged_by_values {
    ($($form:ident of |$claim:ident| $methods:expr $(, along $along:expr)?;)*) => {$(
        impl spec::Check for $form {
            fn judge(&self, evidence: &dyn spec::Evidence, _: &spec::Comparisons) -> Finding {
                self.found(&Measured::new(evidence, self.metric, self))
            }

            fn about(&self) -> spec::About<'_> {
                let $claim = self;
                spec::About { $(along: Some($along),)? ..spec::About::values(self.metric, $methods) }
            }
        }
    )*};
}

pub(super) use judged_by_values;

/// Whether two numbers differ by at most a margin. Decimal fractions such as 6.04 and 6.05 differ
/// by 0.01 only up to their own rounding, which is allowed for.
pub(super) fn near(a: f64, b: f64, margin: f64) -> bool {
    let rounding = 4.0 * f64::EPSILON * a.abs().max(b.abs());
    (a - b).abs() <= margin + rounding
}
