//! The advantage of one method over another is larger on some datasets than on others.

use base::words;
use contract::{DatasetId, MethodId};
use document::{Spanned, Word, section};
use math::special::{exp, ln};
use spec::{
    About, Check, Claimed, Comparisons, Datasets, Directed, Evidence, Finding, Lack, OneMethod,
    Over, Size,
};
use stats::{Effect, Measure};

use super::margin::{Margin, Of};
use super::measured::Measured;
use super::reading::{LEVEL, number};
use super::tally::{Answer, Known};
use crate::significance::oriented;

words! {
    /// How an advantage is measured.
    pub enum Scale {
        Difference = "difference", "the difference of the values; their mean is the arithmetic one";
        Ratio = "ratio", "how many times better, of positive values; their mean is the geometric one";
    }
}

section! {
    in Claimed;
    /// The mean advantage of `left` over `right` is larger on some datasets than on others.
    pub struct GainsMore {
        left: OneMethod => "the method said to be better";
        right: Spanned<OneMethod> => "the other method";
        metric: Directed => "what is compared";
        scale: Word<Scale> = "difference" => "how an advantage is measured";
        on: Datasets => "where it is said to be larger";
        than: Spanned<Datasets> => "the datasets with which those are compared";
    }
    check(scope, _table) {
        if let Some(right) = &right {
            scope.apart(left.as_ref(), std::slice::from_ref(&right.value), &right.span);
        }
        if let (Some(on), Some(than)) = (&on, &than)
            && let Some(both) = on.iter().find(|id| than.contains(id))
        {
            let message = format!("`{both}` is compared with itself");
            scope.fault(&than.span, message, "also in `on`");
        }
    }
}

impl Check for GainsMore {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let (left, right) = (measured.label(&self.left), measured.label(&self.right.value));
        let label = measured.metric.noun();
        let (on, than) = (self.on.len(), self.than.value.len());
        let says = format!(
            "{left} gains more in {label} over {right} on {on} data sets than on {than} others"
        );
        measured.single(says, [&self.left, &self.right.value], ("", self.compared(&measured)))
    }

    fn about(&self) -> About<'_> {
        About::values(self.metric, None)
    }
}

impl GainsMore {
    /// Whether the mean advantage is larger there than elsewhere, and by how much.
    fn compared(&self, measured: &Measured<'_>) -> Answer {
        let [there, elsewhere] =
            [&self.on, &self.than.value].map(|datasets| self.advantages(measured, datasets));
        let (there, elsewhere) = (there?, elsewhere?);
        let (one, other) = (mean(&there), mean(&elsewhere));
        let effect = stats::welch_difference(&there, &elsewhere, LEVEL).ok();
        let (text, margin, effect): (&dyn Fn(f64) -> String, _, _) = match self.scale {
            Scale::Difference => {
                (&|value| measured.rounding.difference(value), Margin::between(one, other), effect)
            }
            Scale::Ratio => {
                let distance = (exp(one - other) - 1.0).abs();
                let times = |effect: Effect| Effect {
                    measure: Measure::Ratio,
                    value: exp(effect.value),
                    interval: effect.interval.map(|(low, high)| (exp(low), exp(high))),
                };
                let text: &dyn Fn(f64) -> String = &|value| format!("{} times", number(exp(value)));
                (text, Margin { distance, of: Of::Ratios }, effect.map(times))
            }
        };
        let (left, right) = (text(one), text(other));
        let (n, m) = (there.len(), elsewhere.len());
        let numbers = format!("{left} on {n} data sets against {right} on {m}");
        let size = effect.map(|effect| Size { effect, level: LEVEL, over: Over::Datasets });
        Ok(Known::of(one > other, numbers, Some(margin), size))
    }

    /// The advantage on each of these datasets; of ratios its logarithm.
    fn advantages(
        &self,
        measured: &Measured<'_>,
        datasets: &[DatasetId],
    ) -> Result<Vec<f64>, Lack> {
        let advantage = |dataset: &DatasetId| {
            let value = |method: &MethodId| measured.value(dataset, method);
            let (one, other) = (value(&self.left)?, value(&self.right)?);
            match self.scale {
                Scale::Difference => Ok(measured.advantage(one, other)),
                Scale::Ratio if one > 0.0 && other > 0.0 => {
                    Ok(oriented(measured.metric, ln(one)) - oriented(measured.metric, ln(other)))
                }
                Scale::Ratio => {
                    Err(Lack::Open(format!("{dataset}: no ratio of {one} and {other}")))
                }
            }
        };
        let found: Vec<f64> = datasets.iter().map(advantage).collect::<Result<_, _>>()?;
        if found.is_empty() { Err(Lack::Unmet("no such data sets")) } else { Ok(found) }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
