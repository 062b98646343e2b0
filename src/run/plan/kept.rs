//! What is kept of a dataset's test examples has a size.

use std::collections::BTreeMap;

use contract::DatasetId;
use data::split::SplitPlan;
use spec::{Experiment, MethodSpec, Part};
use task::predictions::{MOST_KEPT, record_bytes};

use super::rounds::Rounds;

/// The predictions that would be kept are too large.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error(
    "the predictions of `{dataset}` would be {} MB, more than {}", bytes / 1_000_000, limit / 1_000_000
)]
#[diagnostic(help(
    "leave out `keep = \"predictions\"`, or write it in a `[[part]]` of fewer repeats, methods or datasets"
))]
pub struct TooLarge {
    /// The dataset's id.
    pub dataset: DatasetId,
    /// So many bytes.
    pub bytes: u64,
    /// So many are allowed.
    pub limit: u64,
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
        let keep: Vec<(&Part, &Rounds)> =
            parts.filter(|(part, _)| part.keeps_predictions).collect();
        // Records are as wide as those of the problem with most classes: what others have no score for is NaN.
        let widest = keep.iter().flat_map(|(_, rounds)| &rounds.problems);
        let widest = widest.map(|(problem, _)| problem.classes.len()).max().unwrap_or(0);
        let of_part = |&(part, rounds): &(&Part, &Rounds)| {
            let runs = experiment.methods.iter().filter(|method| part.methods.contains(&method.id));
            let fits = |method: &MethodSpec| {
                let axes = method.sweep.iter().map(|axis| axis.values.len());
                rounds.count(0..rounds.repeats.min(method.repeats)) * axes.product::<usize>() as u64
            };
            let all = rounds.problems.iter().flat_map(|(problem, _)| &problem.classes).max();
            let all = all.map_or(1, |&class| class as usize + 1);
            let tested = tested(part) as f64;
            let each = rounds.problems.iter().map(|(problem, folds)| {
                let share = match part.split {
                    // So many of each problem.
                    SplitPlan::Resample { .. } => 1.0,
                    _ => problem.classes.len().max(1) as f64 / all as f64,
                };
                (tested * share).ceil() as u64 * *folds as u64
            });
            runs.map(fits).sum::<u64>().saturating_mul(each.sum())
        };
        let examples = keep.iter().map(of_part).fold(0, u64::saturating_add);
        let bytes = examples.saturating_mul(record_bytes(widest > 0, widest) as u64);
        let [most, most_of_all] = MOST_KEPT;
        let keeping = experiment.parts.iter().filter(|part| part.keeps_predictions);
        let datasets = keeping.map(|part| part.datasets.len() as u64).sum::<u64>();
        let limit = most.min(most_of_all / datasets.max(1));
        if bytes > limit {
            return Err(Self { dataset: dataset.clone(), bytes, limit });
        }
        Ok(())
    }
}
