//! An outcome in a line of a journal.

use serde_json::{Map, Value, json};

use base::digest::Digest;
use contract::{Measure, Metrics};
use math::sample::Sample;
use task::picture::{Line, Picture};

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

/// An outcome, of the trial with this key.
pub(super) fn write(key: Digest, outcome: &Outcome) -> Value {
    let metrics: Map<String, Value> = outcome
        .metrics
        .iter()
        .map(|(metric, measure)| {
            let value = match measure {
                Measure::Scalar(value) => number_to_json(*value),
                Measure::Sample(sample) => {
                    json!([sample.n, number_to_json(sample.mean), number_to_json(sample.m2)])
                }
            };
            (metric.name.to_owned(), value)
        })
        .collect();
    let times: Map<String, Value> = outcome
        .times
        .iter()
        .map(|(m, value)| (m.name.to_owned(), number_to_json(*value)))
        .collect();
    let examples: Map<String, Value> = outcome
        .examples
        .iter()
        .map(|(m, values)| {
            (m.name.to_owned(), values.iter().copied().map(number_to_json).collect())
        })
        .collect();
    let mut json = json!({
        "key": key.to_string(),
        "status": outcome.status(),
        "message": outcome.message,
        "metrics": metrics,
        "times": times,
        "examples": examples,
    });
    if let Some(word) = outcome.cause.as_ref().and_then(Cause::word) {
        json["ending"] = word.into();
    }
    if !outcome.lacks.is_empty() {
        json["lacks"] = outcome.lacks.iter().map(|(m, why)| (m.name, why.as_str())).collect();
    }
    if let Some(picture) = &outcome.picture {
        let line = |(what, name, numbers): Line| {
            let numbers: Value = numbers.into_iter().map(number_to_json).collect();
            json!([what, name, numbers])
        };
        json["picture"] = picture.to_lines().into_iter().map(line).collect();
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
    for (name, why) in value.get("lacks").and_then(Value::as_object).into_iter().flatten() {
        let Some(metric) = metrics.get(name) else { continue };
        outcome.lacks.insert(metric, why.as_str()?.to_owned());
    }
    for (name, value) in value["metrics"].as_object()? {
        let Some(metric) = metrics.get(name) else { continue };
        let measure = match value {
            Value::Array(parts) => Measure::Sample(Sample {
                n: parts.first()?.as_u64()?,
                mean: number_from_json(parts.get(1)?)?,
                m2: number_from_json(parts.get(2)?)?,
            }),
            value => Measure::Scalar(number_from_json(value)?),
        };
        outcome.metrics.insert(metric, measure);
    }
    for (name, value) in value["times"].as_object()? {
        let Some(metric) = metrics.get(name) else { continue };
        outcome.times.insert(metric, number_from_json(value)?);
    }
    for (name, values) in value["examples"].as_object()? {
        let values: Option<Vec<f64>> = values.as_array()?.iter().map(number_from_json).collect();
        let Some(metric) = metrics.get(name) else { continue };
        outcome.examples.insert(metric, values?);
    }
    if let Some(lines) = value.get("picture") {
        outcome.picture = Some(Box::new(picture_from_json(lines)?));
    }
    Some((key, outcome))
}
