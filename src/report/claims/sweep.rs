//! The values of one method along a parameter that it sweeps.

use std::cmp::Ordering;

use contract::{DatasetId, Value};
use document::{Spanned, Text, section};
use spec::{Claimed, Lack, OneMethod, Place};

use super::measured::Measured;

section! {
    in Claimed;
    /// A method and a parameter that it sweeps.
    pub struct Swept {
        method: OneMethod => "the method";
        along: Spanned<Text> => "a parameter that the method sweeps";
    }
    check(scope, _table) {
        if let Some(along) = &along {
            let of_method = scope.methods().iter().filter(|known| Some(&known.id) == method.as_ref());
            let axes: Vec<_> = of_method.flat_map(|method| &method.sweep).collect();
            let names: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
            let words = axes.iter().any(|axis| axis.name == along.value && !axis.is_numeric());
            scope.refer(along, &along.span, "swept parameter", &names);
            if words {
                let message = format!("`{}` has values that are not numbers", along.value);
                scope.fault(&along.span, message, "its points have no order")
                    .help("choose a parameter with numbers");
            }
        }
    }
}

impl Swept {
    /// The points of the sweep, in increasing order.
    pub(super) fn points<'a>(&self, measured: &Measured<'a>) -> Vec<&'a Value> {
        let spec = measured.evidence.method(&self.method);
        let axis = spec.and_then(|spec| spec.sweep.iter().find(|axis| axis.name == *self.along));
        let mut points: Vec<&Value> = axis.iter().flat_map(|axis| &axis.values).collect();
        points.sort_by(|a, b| a.number().partial_cmp(&b.number()).unwrap_or(Ordering::Equal));
        points
    }

    /// The value at every point, or why some are not there.
    pub(super) fn values(
        &self,
        measured: &Measured<'_>,
        points: &[&Value],
        dataset: &DatasetId,
    ) -> Result<Vec<f64>, Lack> {
        let Self { method, along } = self;
        let value = |point: &&Value| {
            let found = measured.value(dataset, Place { method, sweep: &[(along, point)] });
            found.map_err(|why| Lack::Open(format!("{why} at {} = {point}", along.value)))
        };
        let found: Vec<f64> = points.iter().map(value).collect::<Result<_, _>>()?;
        if found.len() > 1 {
            Ok(found)
        } else {
            Err(Lack::Open(format!("{method} has no two points of {}", along.value)))
        }
    }
}
