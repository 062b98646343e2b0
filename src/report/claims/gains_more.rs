//! The advantage of one method over another is larger on some datasets than on others.

use base::words;
use contract::{DatasetId, MethodId, Metric};
use document::{Spanned, Word, section};
use math::special::{exp, ln};
use spec::{
    Check, Claimed, Comparisons, Datasets, Directed, Evidence, Finding, Kind, OneMethod, Over,
    Verdict,
};
use stats::{Effect, Measure};

use super::measured::{Measured, undecided};
use super::reading::{LEVEL, interval_text, number};
use crate::significance::oriented;

pub(super) const KIND: Kind<dyn Check> = Kind::<dyn Check>::of::<GainsMore>(
    "gains_more",
    "the mean advantage of `left` over `right` is larger on some datasets than on others",
);

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
            scope.faults.at(&than.span, message, "also in `on`");
        }
    }
}

impl Check for GainsMore {
    fn judge(&self, evidence: &dyn Evidence, _: &Comparisons) -> Finding {
        let measured = Measured::new(evidence, self.metric);
        let groups =
            (self.advantages(&measured, &self.on), self.advantages(&measured, &self.than.value));
        let (there, elsewhere) = match groups {
            (Ok(there), Ok(elsewhere)) => (there, elsewhere),
            (Err(why), _) | (_, Err(why)) => return undecided(why),
        };
        let (one, other) = (mean(&there), mean(&elsewhere));
        let verdict = if one > other { Verdict::Holds } else { Verdict::Fails };
        let text = |value: f64| match self.scale {
            Scale::Difference => measured.rounding.difference(value),
            Scale::Ratio => format!("{} times", number(exp(value))),
        };
        let means = format!(
            "by means: {} on {} data sets against {} on {}",
            text(one),
            there.len(),
            text(other),
            elsewhere.len(),
        );
        let mut margin = format!("margin {}", text((one - other).abs()));
        if let Ok(Effect { value, interval: Some((low, high)), .. }) =
            stats::welch_difference(&there, &elsewhere, LEVEL)
        {
            let word = match self.scale {
                Scale::Difference => Measure::Mean.word(),
                Scale::Ratio => Measure::Ratio.word(),
            };
            let interval = interval_text((text(low), text(high)), LEVEL, Over::Datasets);
            margin += &format!(", {word} {}{interval}", text(value));
        }
        Finding { verdict, evidence: vec![means.into(), margin.into()] }
    }

    fn metric(&self) -> Option<&'static Metric> {
        Some(self.metric)
    }
}

impl GainsMore {
    /// The advantage on each of these datasets; of ratios its logarithm.
    fn advantages(
        &self,
        measured: &Measured<'_>,
        datasets: &[DatasetId],
    ) -> Result<Vec<f64>, String> {
        let advantage = |dataset: &DatasetId| -> Result<f64, String> {
            let value = |method: &MethodId| measured.value(dataset, method);
            let (one, other) = (value(&self.left)?, value(&self.right)?);
            match self.scale {
                Scale::Difference => Ok(measured.advantage(one, other)),
                Scale::Ratio if one > 0.0 && other > 0.0 => {
                    Ok(oriented(measured.metric, ln(one)) - oriented(measured.metric, ln(other)))
                }
                Scale::Ratio => Err(format!("{dataset}: no ratio of {one} and {other}")),
            }
        };
        let found: Vec<f64> = datasets.iter().map(advantage).collect::<Result<_, _>>()?;
        if found.is_empty() { Err("no such data sets".to_owned()) } else { Ok(found) }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
