//! What is kept of a dataset's test examples has a size.

use std::collections::BTreeMap;

use contract::DatasetId;
use spec::{Experiment, MethodSpec, Part};
use task::predictions::{MOST_KEPT, record_bytes};

use super::rounds::Rounds;

/// The predictions that would be kept are too large.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error(
    "the predictions of `{dataset}` would be {} MB, more than {}", bytes / 1_000_000, MOST_KEPT / 1_000_000
)]
#[diagnostic(help(
    "leave out `keep = \"predictions\"`, or write it in a `[[part]]` of fewer repeats, methods or datasets"
))]
pub struct TooLarge {
    /// The dataset's id.
    pub dataset: DatasetId,
    /// So many bytes.
    pub bytes: u64,
}

impl TooLarge {
    /// Checks what parts keep of a dataset with these rounds, of which so many are test examples of a trial.
    pub(super) fn check(
        experiment: &Experiment,
        dataset: &DatasetId,
        rounds: &BTreeMap<usize, Rounds>,
        tested: impl Fn(&Part) -> usize,
    ) -> Result<(), Self> {
        let parts = rounds.iter().map(|(&part, rounds)| (&experiment.parts[part], rounds));
        let of_part = |(part, rounds): (&Part, &Rounds)| {
            let runs = experiment.methods.iter().filter(|method| part.methods.contains(&method.id));
            let points = |method: &MethodSpec| {
                let axes = method.sweep.iter().map(|axis| axis.values.len());
                rounds.count(0..rounds.repeats.min(method.repeats)) * axes.product::<usize>() as u64
            };
            let fits: u64 = runs.map(points).sum();
            let all = rounds.problems.iter().flat_map(|(problem, _)| &problem.classes).max();
            let all = all.map_or(1, |&class| class as usize + 1);
            let each = rounds.problems.iter().map(|(problem, folds)| {
                let classes = problem.classes.len();
                let share = classes.max(1) as f64 / all as f64;
                let examples = (tested(part) as f64 * share).ceil() as u64 * *folds as u64;
                examples * record_bytes(classes > 0, classes) as u64
            });
            fits.saturating_mul(each.sum())
        };
        let keep = parts.filter(|(part, _)| part.keeps_predictions);
        let bytes = keep.map(of_part).fold(0, u64::saturating_add);
        if bytes > MOST_KEPT {
            return Err(Self { dataset: dataset.clone(), bytes });
        }
        Ok(())
    }
}
