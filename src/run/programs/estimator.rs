//! Estimators asked before the first trial whether they could be: what is wrong with one stops a run before it begins.

use std::path::Path;
use std::sync::Arc;

use base::digest::Digest;
use contract::numeric::NumericRows;
use contract::parameter::Parameters;
use contract::{Examples, Gives};
use program::{
    About, Batch, BatchName, Ending, Error, Form, HandOver, Labels, Prepared, Request, Workers,
};
use spec::MethodSpec;

use super::parameters;

/// Asks the estimator of a method, about no examples, with each value of each of its parameters: it is made, and nothing
/// is fitted.
///
/// # Errors
/// What is wrong, in its own words.
pub(crate) fn check(
    (method, prepared): (&MethodSpec, &Prepared),
    workers: &Workers,
    folder: &Path,
) -> Result<(), Error> {
    let gives = prepared.program.gives;
    let classes = match gives.classifies() {
        true => ["0", "1"].map(str::to_owned).into(),
        false => Vec::new(),
    };
    let about = About { gives, form: Form::Npy, sees_valid: false, columns: None, classes };
    let examples = Examples::Numeric(NumericRows::new(1, Vec::new()));
    let labels = match gives {
        Gives::Labels | Gives::Probabilities | Gives::Scores => Some(Labels::Classes(&[])),
        Gives::Values => Some(Labels::Numbers(&[])),
        Gives::LogLikelihoods => None,
    };
    let none = [Batch { name: BatchName::Train, examples: &examples, labels }];
    let nothing = Digest::of(b"no examples");
    let hand_over = Arc::new(HandOver::write(folder, about, &none, nothing)?);
    for point in points(method) {
        let parameters = parameters(&point);
        let answer = Vec::new();
        let asked = Request { trial: nothing, seed: 0, parameters, seconds: None, answer };
        workers.ask(prepared, &hand_over, &asked).map_err(|failure| match failure.ending {
            Ending::Interrupted => Error::Interrupted,
            _ => Error::Estimator(failure.message),
        })?;
    }
    workers.end_of(&hand_over);
    Ok(())
}

/// The parameters of a method with the first value of each axis, and with each other value of one of them.
fn points(method: &MethodSpec) -> Vec<Parameters> {
    let axes = || method.sweep.iter().chain(&method.grid);
    let mut first = method.parameters.clone();
    for axis in axes() {
        axis.values.first().into_iter().for_each(|value| first.set(&axis.name, value.clone()));
    }
    let others = axes().flat_map(|axis| axis.values.iter().skip(1).map(move |value| (axis, value)));
    let with = |(axis, value): (&spec::Axis, &contract::Value)| {
        let mut point = first.clone();
        point.set(&axis.name, value.clone());
        point
    };
    std::iter::once(first.clone()).chain(others.map(with)).collect()
}
