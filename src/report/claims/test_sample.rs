//! How much of a count of datasets the error of their test examples could explain.

use super::measured::Measured;
use contract::{DatasetId, MethodId};

/// A difference that is larger than so many standard errors is beyond the error of the test examples.
const ERRORS: f64 = 2.0;

/// On how many of the datasets `left` is better than each of `rights`, and on how many worse than one of them, by more
/// than two standard errors of the difference over the test examples. None if that error is known of no dataset.
pub(super) fn remark(
    measured: &Measured<'_>,
    datasets: &[DatasetId],
    left: &MethodId,
    rights: &[MethodId],
) -> Option<String> {
    let (mut known, mut better, mut worse) = (0, 0, 0);
    for dataset in datasets {
        let errors = |right: &MethodId| -> Option<f64> {
            let error =
                measured.evidence.test_sample_error(dataset, (left, right), measured.metric)?;
            let one = measured.value(dataset, left).ok()?;
            let other = measured.value(dataset, right).ok()?;
            let beyond = measured.advantage(one, other).abs() > ERRORS * error;
            Some(if beyond { measured.advantage(one, other) } else { 0.0 })
        };
        let Some(advantages) = rights.iter().map(errors).collect::<Option<Vec<f64>>>() else {
            continue;
        };
        known += 1;
        better += usize::from(advantages.iter().all(|&advantage| advantage > 0.0));
        worse += usize::from(advantages.iter().any(|&advantage| advantage < 0.0));
    }
    let behind = if worse > 0 { format!(", behind by more on {worse}") } else { String::new() };
    (known > 0).then(|| {
        format!("by more than 2 standard errors of the test sample on {better} of {known}{behind}")
    })
}
