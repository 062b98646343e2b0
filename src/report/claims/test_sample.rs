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
    let beyond = |dataset: &DatasetId, right: &MethodId| -> Option<f64> {
        let pair = (left, right);
        let error = measured.evidence.test_sample_error(dataset, pair, measured.metric)?;
        let (one, other) = measured.pair(dataset, [left, right]).ok()?;
        let advantage = measured.advantage(one, other);
        Some(if advantage.abs() > ERRORS * error { advantage } else { 0.0 })
    };
    let on = |dataset| rights.iter().map(|right| beyond(dataset, right)).collect();
    let known: Vec<Vec<f64>> = datasets.iter().filter_map(on).collect();
    let better = known.iter().filter(|all| all.iter().all(|one| *one > 0.0)).count();
    let worse = known.iter().filter(|all| all.iter().any(|one| *one < 0.0)).count();
    let known = known.len();
    let behind = if worse > 0 { format!(", behind by more on {worse}") } else { String::new() };
    (known > 0).then(|| {
        format!("by more than 2 standard errors of the test sample on {better} of {known}{behind}")
    })
}
