//! What the paired tests are over.

use data::split::SplitPlan;
use run::Status;
use spec::{PairBy, TestSpec};

use super::cells::{Cells, Per, Selection};
use super::significance::folds;
use super::values::{Values, reason};
use math::decimal::difference;

/// The values of two methods, pair by pair.
pub struct Pairs {
    /// The first method's values.
    pub left: Vec<f64>,
    /// The second method's.
    pub right: Vec<f64>,
    /// Left minus right, to the last bit; ranks are those of [`Self::on_paper`].
    pub differences: Vec<f64>,
    /// Ratio of test to training examples of resampled splits.
    pub test_over_train: Option<f64>,
    /// Remarks: pairs left out, quoted values.
    pub note: String,
}

impl Pairs {
    /// Differences that tie where they would on paper.
    pub fn on_paper(&self) -> Vec<f64> {
        self.left.iter().zip(&self.right).map(|(one, other)| difference(*one, *other)).collect()
    }
}

/// Pairs of values on the test's datasets. Datasets where a value cannot be (not applicable, or
/// not published) are left out and noted.
///
/// # Errors
/// A value that should be there is not, or there is no pair at all.
pub fn over_datasets<'a>(
    test: &'a TestSpec,
    values: Values<'a>,
    left: &'a str,
    right: &'a str,
) -> Result<Pairs, String> {
    let (mut lefts, mut rights, mut omitted) = (Vec::new(), Vec::new(), Vec::new());
    let mut why = String::new();
    for dataset in &test.datasets {
        let value = |method: &'a str| {
            values.value(dataset, method, test.metric, &[]).map_err(|status| (method, status))
        };
        match (value(left), value(right)) {
            (Ok(one), Ok(other)) => {
                lefts.push(one);
                rights.push(other);
            }
            (Err((method, status)), _) | (_, Err((method, status))) => {
                why = format!("{method} on {dataset}: {}", reason(status));
                if !matches!(status, Status::NotApplicable | Status::PublishedOnly) {
                    return Err(why);
                }
                omitted.push(dataset.as_str());
            }
        }
    }
    if lefts.is_empty() {
        return Err(if why.is_empty() { "no datasets".to_owned() } else { why });
    }
    let mut notes = Vec::new();
    if !omitted.is_empty() {
        notes.push(format!("without {}", omitted.join(", ")));
    }
    let quoted = values.quoted_among([left, right]);
    if !quoted.is_empty() {
        notes.push(format!("{} as published", quoted.join(", ")));
    }
    Ok(Pairs {
        differences: lefts.iter().zip(&rights).map(|(one, other)| one - other).collect(),
        left: lefts,
        right: rights,
        test_over_train: None,
        note: notes.join("; "),
    })
}

/// Pairs of values of the problems, folds, repeats or examples of one dataset.
///
/// # Errors
/// A value that should be there is not, or the two methods' values do not pair up.
pub fn within<'a>(
    test: &'a TestSpec,
    values: Values<'a>,
    left: &'a str,
    right: &'a str,
    dataset: &'a str,
) -> Result<Pairs, String> {
    let select = |method| Selection::of(values.experiment, dataset, method);
    let mut note = String::new();
    let mut fold_count = 0;
    let unit = unit(test.pair_by, values.cells, dataset);
    let (lefts, rights): (Vec<f64>, Vec<f64>) = match unit {
        None => {
            let examples = |method: &'a str| {
                values
                    .cells
                    .examples(&select(method), test.metric)
                    .map_err(|status| format!("{method}: {}", reason(status)))
            };
            let ((lefts, repeats), (rights, _)) = (examples(left)?, examples(right)?);
            if repeats > 1 {
                note = format!("examples of the first of {repeats} repeats");
            }
            (lefts, rights)
        }
        Some(per) => {
            let units = |method: &'a str| {
                values
                    .cells
                    .units(&select(method), test.metric, per)
                    .map_err(|status| format!("{method}: {}", reason(status)))
            };
            let (lefts, rights) = (units(left)?, units(right)?);
            if !lefts.keys().eq(rights.keys()) {
                return Err(format!("{left} and {right} were not run on the same splits"));
            }
            fold_count = folds(lefts.keys().map(|unit| unit.fold));
            (lefts.into_values().collect(), rights.into_values().collect())
        }
    };
    if lefts.len() != rights.len() {
        return Err(format!("{left} and {right} were not tested on the same examples"));
    }
    let part = values.experiment.parts.iter().find(|part| {
        part.datasets.iter().any(|id| id == dataset) && part.methods.iter().any(|id| id == left)
    });
    // Training sets of problems do not overlap as those of folds and repeats do.
    let of_splits = matches!(unit, Some(Per::Fold | Per::Repeat));
    let test_over_train = part.filter(|_| of_splits).and_then(|part| match part.split {
        SplitPlan::Resample { train, test, .. } => Some(test as f64 / train as f64),
        // The formula is for single divisions, not for means over the folds of a repeat.
        _ if unit == Some(Per::Repeat) => None,
        SplitPlan::CrossValidation { folds, .. } => one_in(folds),
        SplitPlan::LeaveOneOut | SplitPlan::Folds => one_in(fold_count),
        SplitPlan::Published => None,
    });
    let differences = lefts.iter().zip(&rights).map(|(one, other)| one - other).collect();
    Ok(Pairs { left: lefts, right: rights, differences, test_over_train, note })
}

/// The ratio of test to training examples of cross-validation.
fn one_in(folds: usize) -> Option<f64> {
    (folds > 1).then(|| 1.0 / (folds - 1) as f64)
}

/// The unit of a pair, where it is the same for all datasets; none for examples (and datasets, which
/// are paired elsewhere).
fn per(pair_by: PairBy) -> Option<Per> {
    match pair_by {
        PairBy::Problem => Some(Per::Problem),
        PairBy::Fold => Some(Per::Fold),
        PairBy::Repeat => Some(Per::Repeat),
        PairBy::Dataset | PairBy::Example | PairBy::Auto => None,
    }
}

/// The unit of a pair on a dataset; none for examples.
pub fn unit(pair_by: PairBy, cells: &Cells<'_>, dataset: &str) -> Option<Per> {
    match pair_by {
        PairBy::Auto => cells.several(dataset),
        pair_by => per(pair_by),
    }
}
