//! Claims about the values along a swept parameter.

use contract::parameter::Value;

use super::check::{Measured, inside};
use super::tally::Answer;

/// The values of one method along a parameter that it sweeps.
pub struct Sweep<'a, 'm> {
    measured: &'m Measured<'a>,
    method: &'a str,
    along: &'a str,
    /// Numbers in increasing order.
    points: Vec<&'a Value>,
}

impl<'a, 'm> Sweep<'a, 'm> {
    /// The sweep of a method.
    pub fn new(measured: &'m Measured<'a>, method: &'a str, along: &'a str) -> Self {
        let methods = &measured.values.experiment.methods;
        let spec = methods.iter().find(|spec| spec.id == method);
        let axis = spec.and_then(|spec| spec.sweep.iter().find(|axis| axis.name == along));
        let mut points: Vec<&Value> =
            axis.map(|axis| axis.values.iter().collect()).unwrap_or_default();
        points.sort_by(|a, b| size(a).total_cmp(&size(b)));
        Self { measured, method, along, points }
    }

    /// The value at every point, or why some are not there.
    fn found(&self, dataset: &'a str) -> Result<Vec<f64>, String> {
        let Self { measured, method, along, .. } = *self;
        let value = |point: &&'a Value| {
            let found = measured.at(dataset, method, &[(along, point)]);
            found.map_err(|why| format!("{why} at {along} = {point}"))
        };
        let found: Vec<f64> = self.points.iter().map(value).collect::<Result<_, _>>()?;
        if found.len() > 1 {
            Ok(found)
        } else {
            Err(format!("{method} has no two points of {along}"))
        }
    }

    /// Whether every step goes the right way.
    pub fn trend(&self, dataset: &'a str, rising: bool) -> Answer {
        let found = match self.found(dataset) {
            Ok(found) => found,
            Err(why) => return Answer::Unknown(why),
        };
        for (at, step) in found.windows(2).enumerate() {
            let goes = if rising { step[1] > step[0] } else { step[1] < step[0] };
            if !goes {
                return Answer::No(format!(
                    "from {} = {} to {}: {}",
                    self.along,
                    self.points[at],
                    self.points[at + 1],
                    self.measured.against(step[0], step[1])
                ));
            }
        }
        Answer::Yes(None)
    }

    /// Whether the best value, or one that the table prints like it, is at a point of the range.
    pub fn best_at(&self, dataset: &'a str, least: Option<f64>, most: Option<f64>) -> Answer {
        let found = match self.found(dataset) {
            Ok(found) => found,
            Err(why) => return Answer::Unknown(why),
        };
        let Measured { rounding, .. } = self.measured;
        let better = |one: f64, other: f64| self.measured.advantage(one, other) > 0.0;
        let top = found.iter().copied().fold(found[0], |a, b| if better(b, a) { b } else { a });
        let best: Vec<&Value> = self
            .points
            .iter()
            .zip(&found)
            .filter(|(_, value)| rounding.tied(**value, top))
            .map(|(point, _)| *point)
            .collect();
        if best.iter().any(|point| inside(size(point), least, most)) {
            return Answer::Yes(None);
        }
        let places: Vec<String> = best.iter().map(ToString::to_string).collect();
        Answer::No(format!("{} at {} = {}", rounding.text(top), self.along, places.join(", ")))
    }
}

fn size(value: &Value) -> f64 {
    match value {
        Value::Integer(value) => *value as f64,
        Value::Real(value) => *value,
        Value::Bool(_) | Value::Text(_) => 0.0,
    }
}
