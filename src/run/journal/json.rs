//! An outcome in a line of a journal.

use serde_json::{Value, json};

use base::digest::Digest;
use contract::{ByMetric, Measure, Metrics};
use math::sample::Sample;
use task::picture::{Line, Picture};
use task::predictions::Predictions;

use crate::cause::{Cause, Status};
use crate::outcome::Outcome;

fn number_to_json(value: f64) -> Value {
    match serde_json::Number::from_f64(value) {
        Some(number) => Value::Number(number),
        None => Value::String(base::text::real(value)),
    }
}

fn number_from_json(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

fn by_name<T>(values: &ByMetric<T>, to_json: impl Fn(&T) -> Value) -> Value {
    values.iter().map(|(metric, value)| (metric.name, to_json(value))).collect()
}

/// What [`by_name`] wrote of metrics that are known; none if it is nothing like it.
fn of_name<T>(
    values: Option<&Value>,
    known: &Metrics,
    read: impl Fn(&Value) -> Option<T>,
) -> Option<ByMetric<T>> {
    let values = values?.as_object()?.iter();
    let values = values.filter_map(|(name, value)| Some((known.get(name)?, value)));
    values.map(|(metric, value)| Some((metric, read(value)?))).collect()
}

/// An outcome, of the trial with this key.
pub(super) fn write(key: Digest, outcome: &Outcome) -> Value {
    let measure = |measure: &Measure| match measure {
        Measure::Scalar(value) => number_to_json(*value),
        Measure::Sample(sample) => {
            json!([sample.n, number_to_json(sample.mean), number_to_json(sample.m2)])
        }
    };
    let numbers = |values: &Vec<f64>| values.iter().copied().map(number_to_json).collect();
    let mut json = json!({
        "key": key.to_string(),
        "status": outcome.status(),
        "message": outcome.message,
        "metrics": by_name(&outcome.metrics, measure),
        "times": by_name(&outcome.times, |seconds| number_to_json(*seconds)),
        "examples": by_name(&outcome.examples, numbers),
    });
    if let Some(word) = outcome.cause.as_ref().and_then(Cause::word) {
        json["ending"] = word.into();
    }
    if !outcome.lacks.is_empty() {
        json["lacks"] = by_name(&outcome.lacks, |why| why.as_str().into());
    }
    if let Some(picture) = &outcome.picture {
        let line = |(what, name, numbers): Line| {
            let numbers: Value = numbers.into_iter().map(number_to_json).collect();
            json!([what, name, numbers])
        };
        json["picture"] = picture.to_lines().into_iter().map(line).collect();
    }
    if let Some(kept) = &outcome.predictions {
        let Predictions { rows, classes, truth, predicted, scores } = &**kept;
        let [truth, predicted, scores]: [Value; 3] = [truth, predicted, scores].map(numbers);
        json["predictions"] = json!({
            "rows": rows, "classes": classes, "truth": truth, "predicted": predicted, "scores": scores,
        });
    }
    json
}

fn picture_from_json(lines: &Value) -> Option<Picture> {
    let line = |line: &'_ Value| -> Option<(String, String, Vec<f64>)> {
        let numbers = line[2].as_array()?.iter().map(number_from_json).collect::<Option<_>>()?;
        Some((line[0].as_str()?.to_owned(), line[1].as_str()?.to_owned(), numbers))
    };
    let lines = lines.as_array()?.iter().map(line).collect::<Option<Vec<_>>>()?;
    Picture::from_lines(lines.iter().map(|(what, name, v)| (&**what, &**name, v.clone())))
}

/// The same read back; none if it is not as [`write`] has it.
pub(super) fn read(value: &Value, metrics: &Metrics) -> Option<(Digest, Outcome)> {
    let key = value["key"].as_str()?.parse().ok()?;
    let status: Status = serde_json::from_value(value["status"].clone()).ok()?;
    let message = value["message"].as_str()?;
    let word = value.get("ending").map_or(Some(""), Value::as_str)?;
    let cause = Cause::read(status, word, message, metrics).ok()?;
    let mut outcome = cause.map_or_else(Outcome::default, |cause| Outcome::ended(cause, message));
    let measure = |value: &Value| match value {
        Value::Array(parts) => Some(Measure::Sample(Sample {
            n: parts.first()?.as_u64()?,
            mean: number_from_json(parts.get(1)?)?,
            m2: number_from_json(parts.get(2)?)?,
        })),
        value => number_from_json(value).map(Measure::Scalar),
    };
    let numbers = |values: &Value| values.as_array()?.iter().map(number_from_json).collect();
    outcome.metrics = of_name(value.get("metrics"), metrics, measure)?;
    outcome.times = of_name(value.get("times"), metrics, number_from_json)?;
    outcome.examples = of_name(value.get("examples"), metrics, numbers)?;
    if let Some(lacks) = value.get("lacks") {
        outcome.lacks = of_name(Some(lacks), metrics, |why| why.as_str().map(str::to_owned))?;
    }
    if let Some(lines) = value.get("picture") {
        outcome.picture = Some(Box::new(picture_from_json(lines)?));
    }
    if let Some(kept) = value.get("predictions") {
        let of = |name: &str| numbers(&kept[name]);
        let rows = serde_json::from_value(kept["rows"].clone()).ok()?;
        let classes = serde_json::from_value(kept["classes"].clone()).ok()?;
        let (truth, predicted, scores) = (of("truth")?, of("predicted")?, of("scores")?);
        let kept = Predictions { rows, classes, truth, predicted, scores };
        outcome.predictions = Some(Box::new(kept)).filter(|kept| kept.are_sound());
        outcome.predictions.as_ref()?;
    }
    Some((key, outcome))
}
