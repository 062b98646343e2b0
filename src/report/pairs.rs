//! What the tests are over.

use contract::{DatasetId, MethodId, Metric, PerExample};
use data::split::SplitPlan;
use run::Status;
use spec::{Blocks, Evidence, Lack, Over, PairBy, Pairs, Part, TestDesign, Whose};

use super::cells::{Cells, OfExamples, Per, Unmatched};
use super::values::{Values, lack, reason};

/// Pairs of values on the test's datasets. Datasets where a value cannot be (not applicable, or
/// not published) are left out and noted.
///
/// # Errors
/// A value that should be there is not, or there is no pair at all.
pub fn over_datasets<'a>(
    test: &'a TestDesign,
    values: Values<'a>,
    left: &'a MethodId,
    right: &'a MethodId,
) -> Result<Pairs, Lack> {
    let (mut lefts, mut rights, mut omitted) = (Vec::new(), Vec::new(), Vec::new());
    let mut why = Lack::Datasets;
    for dataset in &test.datasets {
        let value = |method: &'a MethodId| {
            values.value(dataset, method, test.metric, &[]).map_err(|status| (method, status))
        };
        match (value(left), value(right)) {
            (Ok(one), Ok(other)) => {
                lefts.push(one);
                rights.push(other);
            }
            (Err((method, status)), _) | (_, Err((method, status))) => {
                why = on(method, dataset, status);
                if !matches!(status, Status::NotApplicable | Status::PublishedOnly) {
                    return Err(why);
                }
                omitted.push(dataset.as_str());
            }
        }
    }
    if lefts.is_empty() {
        return Err(why);
    }
    let mut notes = Vec::new();
    if !omitted.is_empty() {
        notes.push(format!("without {}", omitted.join(", ")));
    }
    let quoted = (&values as &dyn Evidence).quoted_among([left, right]);
    if !quoted.is_empty() {
        notes.push(format!("{} as published", quoted.join(", ")));
    }
    Ok(Pairs {
        differences: lefts.iter().zip(&rights).map(|(one, other)| one - other).collect(),
        left: lefts,
        right: rights,
        overlap: Some(0.0),
        over: Over::Datasets,
        note: notes.join("; "),
    })
}

/// That a method has no value on a dataset.
fn on(method: &MethodId, dataset: &DatasetId, status: Status) -> Lack {
    let (method, dataset) = (method.to_owned(), dataset.to_owned());
    Lack::ValueOn { method, dataset, why: reason(status) }
}

/// Pairs of values of the problems, folds, repeats or examples of one dataset.
///
/// # Errors
/// A value that should be there is not, or the two methods' values do not pair up.
pub fn within<'a>(
    test: &'a TestDesign,
    values: Values<'a>,
    left: &'a MethodId,
    right: &'a MethodId,
    dataset: &'a DatasetId,
) -> Result<Pairs, Lack> {
    let select = |method| values.selection(dataset, method);
    let unit = unit(test.pair_by, values.cells, dataset);
    let ([lefts, rights], note): ([Vec<f64>; 2], _) = match unit {
        None => {
            let sides = [
                of_examples(test, values, left, dataset)?,
                of_examples(test, values, right, dataset)?,
            ];
            let note = remark(&[&sides[0], &sides[1]]);
            (sides.map(|side| side.values), Some(note))
        }
        Some(per) => {
            let matched = values.cells.matched(&[select(left), select(right)], test.metric, per);
            let matched = matched.map_err(|why| match why {
                Unmatched::Absent(at, status) => lack([left, right][at], status),
                Unmatched::Other(_) => Lack::Splits(left.to_owned(), right.to_owned()),
            })?;
            let note = matched.note();
            (matched.values.try_into().unwrap_or_default(), note)
        }
    };
    if lefts.len() != rights.len() {
        return Err(Lack::Examples(left.to_owned(), right.to_owned()));
    }
    let part = part_of(values, dataset, left);
    let overlap =
        unit.map_or(Some(0.0), |per| values.cells.overlap(&[select(left), select(right)], per));
    let coinciding = part.and_then(|part| values.cells.coinciding(dataset, part));
    let note = joined([note, coinciding.map(|remark| remark.to_string())]);
    let over = over(part, unit, test.metric, lefts.len());
    let differences = lefts.iter().zip(&rights).map(|(one, other)| one - other).collect();
    Ok(Pairs { left: lefts, right: rights, differences, overlap, over, note })
}

/// The part in which a method runs on a dataset.
pub fn part_of<'a>(values: Values<'a>, dataset: &DatasetId, method: &MethodId) -> Option<&'a Part> {
    values
        .experiment
        .parts
        .iter()
        .filter(|part| values.counts(&part.id))
        .find(|part| part.datasets.contains(dataset) && part.methods.contains(method))
}

/// What so many values of a part are over; of examples there is no unit.
pub fn over(part: Option<&Part>, unit: Option<Per>, metric: &Metric, count: usize) -> Over {
    // Examples that are kept in blocks give more than half as many values as are kept at most.
    let blocks = metric.per_example == PerExample::Scores && count > task::blocks::MOST / 2;
    match (unit, part.map(|part| &part.split)) {
        (None, _) => {
            if blocks {
                Over::Blocks
            } else {
                Over::Examples
            }
        }
        (Some(Per::Problem), _) => Over::Problems,
        (_, Some(SplitPlan::Resample { .. } | SplitPlan::Share { .. })) => Over::Divisions,
        (Some(Per::Fold), _) => Over::Folds,
        (Some(Per::Repeat), Some(SplitPlan::CrossValidation { .. })) => Over::Divisions,
        (Some(Per::Repeat), Some(SplitPlan::Redrawn { .. })) => Over::Draws,
        (
            Some(Per::Repeat),
            Some(
                SplitPlan::Published
                | SplitPlan::LeaveOneOut
                | SplitPlan::Folds
                | SplitPlan::Ordered { .. },
            )
            | None,
        ) => {
            if part.is_some_and(Part::draws) {
                Over::Draws
            } else {
                Over::Seeds
            }
        }
    }
}

fn of_examples<'a>(
    test: &'a TestDesign,
    values: Values<'a>,
    method: &'a MethodId,
    dataset: &'a DatasetId,
) -> Result<OfExamples, Lack> {
    let selection = values.selection(dataset, method);
    let found = values.cells.examples(&selection, test.metric, test.outcomes);
    found.map_err(|status| lack(method, status))
}

/// Of which repeats the values of examples are, if there are several.
fn remark(sides: &[&OfExamples]) -> String {
    let repeats = sides.iter().map(|side| side.repeats).max().unwrap_or(1);
    match sides.iter().all(|side| side.averaged || side.repeats == 1) {
        _ if repeats < 2 => String::new(),
        true => format!("examples averaged over {repeats} repeats"),
        false => format!("examples of the first of {repeats} repeats"),
    }
}

/// The values of all methods on each dataset. Quoted methods without any published value are left out, and
/// so are datasets where a value cannot be (not applicable, or not published).
///
/// # Errors
/// A value that should be there is not.
pub fn blocks_over_datasets<'a>(test: &'a TestDesign, values: Values<'a>) -> Result<Blocks, Lack> {
    let value = |dataset: &'a DatasetId, method: &'a MethodId| {
        values.value(dataset, method, test.metric, &[])
    };
    let quotable = |method: &MethodId| values.whose == Whose::Published || values.quoted(method);
    let (methods, unquoted): (Vec<&MethodId>, Vec<&MethodId>) =
        test.methods.iter().partition(|method| {
            !quotable(method) || test.datasets.iter().any(|dataset| value(dataset, method).is_ok())
        });
    let mut omitted: Vec<&str> = unquoted.into_iter().map(MethodId::as_str).collect();
    let mut blocks = Vec::new();
    for dataset in &test.datasets {
        let row: Result<Vec<f64>, (&MethodId, Status)> = methods
            .iter()
            .map(|method| value(dataset, method).map_err(|status| (*method, status)))
            .collect();
        match row {
            Ok(row) => blocks.push(row),
            Err((_, Status::NotApplicable | Status::PublishedOnly)) => omitted.push(dataset),
            Err((method, status)) => return Err(on(method, dataset, status)),
        }
    }
    let mut notes = Vec::new();
    if !omitted.is_empty() {
        notes.push(format!("without {}", omitted.join(", ")));
    }
    let quoted = (&values as &dyn Evidence).quoted_among(methods.iter().copied());
    if !quoted.is_empty() {
        notes.push(format!("{} as published", quoted.join(", ")));
    }
    let methods = methods.into_iter().cloned().collect();
    Ok(Blocks { methods, values: blocks, over: Over::Datasets, note: notes.join("; ") })
}

/// The values of all methods on each problem, fold, repeat or example of one dataset.
pub fn blocks_within<'a>(
    test: &'a TestDesign,
    values: Values<'a>,
    dataset: &'a DatasetId,
) -> Result<Blocks, Lack> {
    let unit = unit(test.pair_by, values.cells, dataset);
    let mut note = String::new();
    let columns: Vec<Vec<f64>> = match unit {
        Some(per) => {
            let places: Vec<_> =
                test.methods.iter().map(|method| values.selection(dataset, method)).collect();
            let matched = values.cells.matched(&places, test.metric, per);
            let matched = matched.map_err(|why| match why {
                Unmatched::Absent(at, status) => lack(&test.methods[at], status),
                Unmatched::Other(at) => Lack::OtherSplits(test.methods[at].clone()),
            })?;
            note = matched.note().unwrap_or_default();
            matched.values
        }
        None => {
            let mut columns = Vec::new();
            for method in &test.methods {
                let found = of_examples(test, values, method, dataset)?;
                note = remark(&[&found]);
                columns.push(found.values);
            }
            columns
        }
    };
    let n = columns.first().map_or(0, Vec::len);
    if columns.iter().any(|column| column.len() != n) {
        return Err(Lack::OtherExamples);
    }
    let blocks = (0..n).map(|at| columns.iter().map(|column| column[at]).collect()).collect();
    let part = test.methods.first().and_then(|method| part_of(values, dataset, method));
    let over = over(part, unit, test.metric, n);
    let coinciding = part.and_then(|part| values.cells.coinciding(dataset, part));
    let note = joined([Some(note), coinciding.map(|remark| remark.to_string())]);
    Ok(Blocks { methods: test.methods.clone(), values: blocks, over, note })
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
pub fn unit(pair_by: PairBy, cells: &Cells<'_>, dataset: &DatasetId) -> Option<Per> {
    match pair_by {
        PairBy::Auto => cells.several(dataset),
        pair_by => per(pair_by),
    }
}

/// Remarks as one.
fn joined(remarks: impl IntoIterator<Item = Option<String>>) -> String {
    let said = remarks.into_iter().flatten().filter(|remark| !remark.is_empty());
    said.collect::<Vec<_>>().join("; ")
}
