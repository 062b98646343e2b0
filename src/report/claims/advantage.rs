//! The advantage of one method, or of one dataset, over another is larger than a bound, or than another advantage.

use base::words;
use contract::{DatasetId, MethodId};
use document::{NotNegative, Spanned, Word, section};
use math::sample::mean;
use math::special::{exp, ln};
use spec::{
    Claimed, Counted, Datasets, Directed, Finding, HowMany, HowOften, Lack, Methods, OneDataset,
    Over, Size,
};
use stats::{Effect, Measure};

use super::margin::{Margin, Of, above, turning_step};
use super::measured::{Measured, judged_by_values};
use super::pair::Pair;
use super::reading::{LEVEL, number};
use super::statement::{Answer, Items, Known, Statement, by_values};
use crate::significance::oriented;

judged_by_values! {
    BetterOn of |claim| &claim.methods;
    Widens of |claim| claim.left.iter().chain(&claim.right.value);
    GainsMore of |claim| claim.pair.ids();
}

section! {
    in Claimed;
    pub struct BetterOn: "better_on" => "so many methods have better values on one dataset than on another" {
        methods: Methods, else "all methods" => "the methods that count";
        metric: Directed => "what is compared";
        dataset: OneDataset => "where values are said to be better";
        than: Spanned<OneDataset> => "the other dataset";
        margin: NotNegative = 0.0 => "an advantage must be larger than this, in the metric's unit";
        /// For how many methods.
        how_many: HowOften;
    }
    check(scope, _table) {
        if let Some(than) = &than {
            scope.apart(dataset.as_ref(), std::slice::from_ref(&than.value), &than.span);
        }
        if let (Some(methods), Some(how_many)) = (&methods, &how_many) {
            let how_many = how_many.said();
            scope.possible(how_many.count(), methods.len(), "methods", &how_many.span);
        }
    }
}

impl BetterOn {
    fn found(&self, measured: &Measured<'_>) -> Finding {
        let answers = self.methods.iter().map(|method| {
            let values = measured.both((&self.dataset, method), (&self.than, method));
            let answer = values.map(|(one, other)| {
                let advantage = measured.advantage(one, other);
                Known::above(advantage, self.margin, measured.against(one, other))
            });
            (measured.label(method), answer)
        });
        let [dataset, than] = [&self.dataset, &self.than.value].map(|id| measured.title(id));
        let says = format!("{} is better on {dataset} than on {than}", measured.metric.noun());
        let statement =
            Statement { says, of: Items::Methods, how_many: self.how_many.said().value };
        measured.judge(&statement, by_values(), answers)
    }
}

section! {
    in Claimed;
    pub struct Widens: "widens" => "the advantage of `left` over `right` grows from each pair of them to the next, on so many datasets; methods are paired in the order of the file" {
        left: Methods => "the methods said to be better";
        right: Spanned<Methods> => "as many other methods";
        metric: Directed => "what is compared";
        margin: NotNegative = 0.0
            => "the advantage must grow by more than this from pair to pair, in the metric's unit";
        /// Where.
        on: Counted;
    }
    check(scope, _table) {
        if let (Some(left), Some(right)) = (&left, &right)
            && (left.len() != right.len() || left.len() < 2)
        {
            let message = "`left` and `right` make no two pairs of methods";
            let label = format!("{} methods beside {}", right.len(), left.len());
            scope.fault(&right.span, message, label);
        }
    }
}

impl Widens {
    fn found(&self, measured: &Measured<'_>) -> Finding {
        let pairs = self.left.iter().zip(&self.right.value).map(|(left, right)| {
            format!("{} over {}", measured.label(left), measured.label(right))
        });
        let says = format!(
            "the advantage in {} grows from pair to pair ({})",
            measured.metric.noun(),
            pairs.collect::<Vec<_>>().join("; ")
        );
        measured.on(&self.on, says, by_values(), |dataset| {
            let advantage = |(left, right): (&MethodId, &MethodId)| {
                let (one, other) = measured.pair(dataset, [left, right])?;
                Ok(measured.advantage(one, other))
            };
            let pairs = self.left.iter().zip(&self.right.value);
            let found = pairs.map(advantage).collect::<Result<Vec<f64>, Lack>>()?;
            let steps: Vec<_> =
                found.windows(2).map(|step| above(step[1] - step[0], self.margin)).collect();
            let margin = turning_step(&steps).map(|(_, margin)| margin);
            let holds = steps.iter().all(|(widens, _)| *widens);
            let texts: Vec<String> = found.into_iter().map(number).collect();
            Ok(Known::of(holds, texts.join(", "), margin, None))
        })
    }
}

words! {
    /// How an advantage is measured.
    pub enum Scale {
        Difference = "difference", "the difference of the values; their mean is the arithmetic one";
        Ratio = "ratio", "how many times better, of positive values; their mean is the geometric one";
    }
}

section! {
    in Claimed;
    pub struct GainsMore: "gains_more" => "the mean advantage of `left` over `right` is larger on some datasets than on others" {
        /// Of what.
        pair: Pair;
        metric: Directed => "what is compared";
        scale: Word<Scale> = "difference" => "how an advantage is measured";
        on: Datasets => "where it is said to be larger";
        than: Spanned<Datasets> => "the datasets with which those are compared";
    }
    check(scope, _table) {
        if let (Some(on), Some(than)) = (&on, &than)
            && let Some(both) = on.iter().find(|id| than.contains(id))
        {
            let message = format!("`{both}` is compared with itself");
            scope.fault(&than.span, message, "also in `on`");
        }
    }
}

impl GainsMore {
    fn found(&self, measured: &Measured<'_>) -> Finding {
        let ([left, right], label) = (self.pair.labels(measured), measured.metric.noun());
        let (on, than) = (self.on.len(), self.than.value.len());
        let says = format!(
            "{left} gains more in {label} over {right} on {on} data sets than on {than} others"
        );
        let statement = Statement::on_datasets(says, HowMany::All);
        measured.judge(&statement, by_values(), [("", self.compared(measured))])
    }

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
            let (one, other) = measured.pair(dataset, self.pair.ids())?;
            match self.scale {
                Scale::Difference => Ok(measured.advantage(one, other)),
                Scale::Ratio if one > 0.0 && other > 0.0 => {
                    Ok(oriented(measured.metric, ln(one)) - oriented(measured.metric, ln(other)))
                }
                Scale::Ratio => {
                    let on = measured.title(dataset);
                    Err(Lack::Open(format!("{on}: no ratio of {one} and {other}")))
                }
            }
        };
        let found: Vec<f64> = datasets.iter().map(advantage).collect::<Result<_, _>>()?;
        if found.is_empty() { Err(Lack::Unmet("no such data sets")) } else { Ok(found) }
    }
}
