//! What the tests are over.

use std::collections::BTreeMap;

use contract::{DatasetId, MethodId, Metric, PerExample};
use run::Status;
use spec::{Blocks, Dependent, Evidence, Lack, Over, PairBy, Pairs, Part, Per, TestDesign, Whose};
use stats::Dependence;

use super::cells::{Cells, OfExamples, Unmatched};
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
    let OnDatasets { rows, note, lack } = on_datasets(test, values, &[left, right], Vec::new())?;
    if rows.is_empty() {
        return Err(lack.unwrap_or(Lack::Datasets));
    }
    let side = |at: usize| rows.iter().map(|row| row[at]).collect();
    let (left, right): (Vec<f64>, Vec<f64>) = (side(0), side(1));
    let differences = left.iter().zip(&right).map(|(one, other)| one - other).collect();
    let (dependence, over) = (Dependence::None, Over::Datasets);
    Ok(Pairs { differences, left, right, dependence, over, note })
}

/// The values of methods on datasets.
struct OnDatasets {
    /// Those on each dataset, in the order of the methods.
    rows: Vec<Vec<f64>>,
    /// Which datasets are left out, which count once, and which methods are quoted.
    note: String,
    /// Why the last dataset that was left out is.
    lack: Option<Lack>,
}

/// The values of methods on each dataset where all can have one; datasets of equal content count once.
///
/// # Errors
/// A value that should be there is not.
fn on_datasets<'a>(
    test: &'a TestDesign,
    values: Values<'a>,
    methods: &[&'a MethodId],
    mut omitted: Vec<&'a str>,
) -> Result<OnDatasets, Lack> {
    let (mut rows, mut lack) = (Vec::new(), None);
    let (mut contents, mut twice) = (BTreeMap::new(), Vec::new());
    for dataset in &test.datasets {
        let content = values.cells.content(dataset);
        if let Some(first) = content.and_then(|content| contents.get(&content)) {
            twice.push(format!("{first} and {dataset} are one data set, counted once"));
            continue;
        }
        let value = |method: &&'a MethodId| {
            let found = values.value(dataset, method, test.metric, &[]);
            found.map_err(|status| (on(method, dataset, status), status))
        };
        match methods.iter().map(value).collect() {
            Ok(row) => {
                rows.push(row);
                contents.extend(content.map(|content| (content, dataset)));
            }
            Err((why, Status::NotApplicable | Status::PublishedOnly)) => {
                lack = Some(why);
                omitted.push(dataset);
            }
            Err((why, _)) => return Err(why),
        }
    }
    let quoted = (&values as &dyn Evidence).quoted_among(methods.iter().copied());
    let without = (!omitted.is_empty()).then(|| format!("without {}", omitted.join(", ")));
    let quoted = (!quoted.is_empty()).then(|| format!("{} as published", quoted.join(", ")));
    let note = joined([without, quoted].into_iter().chain(twice.into_iter().map(Some)));
    Ok(OnDatasets { rows, note, lack })
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
    let part = part_of(values, dataset, left);
    let unit = unit(test.pair_by, values.cells, dataset);
    let (over, dependence, [lefts, rights], note): (_, _, [Vec<f64>; 2], _) = match unit {
        None => {
            let sides = [
                of_examples(test, values, left, dataset)?,
                of_examples(test, values, right, dataset)?,
            ];
            let note = remark(&[&sides[0], &sides[1]]);
            let over = over_examples(part, &sides[0], test.metric);
            (over, sides[0].dependence(), sides.map(|side| side.values), Some(note))
        }
        Some(per) => {
            let places = [select(left), select(right)];
            let matched = values.cells.matched(&places, test.metric, per);
            let matched = matched.map_err(|why| match why {
                Unmatched::Absent(at, status) => lack([left, right][at], status),
                Unmatched::Other(_) => Lack::Splits(left.to_owned(), right.to_owned()),
            })?;
            let note = matched.note();
            let over = part.map_or(Over::Seeds, |part| part.over(per));
            let dependence = dependence(over, values.cells.overlap(&places, per));
            (over, dependence, matched.values.try_into().unwrap_or_default(), note)
        }
    };
    if lefts.len() != rights.len() {
        return Err(Lack::Examples(left.to_owned(), right.to_owned()));
    }
    let coinciding = part.and_then(|part| values.cells.coinciding(dataset, part));
    let by_group = part.filter(|part| part.split.dealt().grouped && over.depends().is_some());
    let by_group = by_group.map(|_| BY_GROUP.to_owned());
    let note = joined([note, coinciding.map(|remark| remark.to_string()), by_group]);
    let differences = lefts.iter().zip(&rights).map(|(one, other)| one - other).collect();
    let dependence = match test.dependent {
        Dependent::Refused => dependence,
        Dependent::Ignored => Dependence::None,
    };
    Ok(Pairs { left: lefts, right: rights, differences, dependence, over, note })
}

/// What `docs/reference/calibration.md` says of the corrected t over divisions by groups.
const BY_GROUP: &str = "divisions by group: with 20 groups a p-value of .05 comes in .08 to .10 of the cases without a difference";

/// The part in which a method runs on a dataset.
pub fn part_of<'a>(values: Values<'a>, dataset: &DatasetId, method: &MethodId) -> Option<&'a Part> {
    values
        .experiment
        .parts
        .iter()
        .filter(|part| values.counts(&part.id))
        .find(|part| part.datasets.contains(dataset) && part.methods.contains(method))
}

/// How values over it depend on each other, where as many examples were tested to those that were fitted.
pub fn dependence(over: Over, overlap: Option<f64>) -> Dependence {
    match (over.depends(), overlap) {
        (None, _) => Dependence::None,
        (Some(_), Some(ratio)) if ratio > 0.0 => Dependence::Overlap(ratio),
        (Some(_), _) => Dependence::Unknown,
    }
}

/// What the values of test examples are over.
fn over_examples(part: Option<&Part>, examples: &OfExamples, metric: &Metric) -> Over {
    if examples.grouped {
        Over::Groups
    } else if in_blocks(metric, examples.values.len()) {
        Over::Blocks
    } else {
        part.map_or(Over::Examples, Part::over_examples)
    }
}

/// Whether so many values of test examples may be means of blocks: these give more than half as many as are kept at most.
pub fn in_blocks(metric: &Metric, count: usize) -> bool {
    metric.per_example == PerExample::Scores && count > task::blocks::MOST / 2
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
    let omitted = unquoted.into_iter().map(MethodId::as_str).collect();
    let OnDatasets { rows, note, .. } = on_datasets(test, values, &methods, omitted)?;
    let methods = methods.into_iter().cloned().collect();
    Ok(Blocks { methods, values: rows, over: Over::Datasets, note })
}

/// The values of all methods on each problem, fold, repeat or example of one dataset.
pub fn blocks_within<'a>(
    test: &'a TestDesign,
    values: Values<'a>,
    dataset: &'a DatasetId,
) -> Result<Blocks, Lack> {
    let unit = unit(test.pair_by, values.cells, dataset);
    let part = test.methods.first().and_then(|method| part_of(values, dataset, method));
    let (mut note, mut over) = (String::new(), Over::Examples);
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
            over = part.map_or(Over::Seeds, |part| part.over(per));
            matched.values
        }
        None => {
            let mut columns = Vec::new();
            for method in &test.methods {
                let found = of_examples(test, values, method, dataset)?;
                note = remark(&[&found]);
                over = over_examples(part, &found, test.metric);
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
    let coinciding = part.and_then(|part| values.cells.coinciding(dataset, part));
    let note = joined([Some(note), coinciding.map(|remark| remark.to_string())]);
    Ok(Blocks { methods: test.methods.clone(), values: blocks, over, note })
}

/// The unit of a pair on a dataset; none for examples, and for datasets, which are paired elsewhere.
pub fn unit(pair_by: PairBy, cells: &Cells<'_>, dataset: &DatasetId) -> Option<Per> {
    match pair_by {
        PairBy::Problem => Some(Per::Problem),
        PairBy::Fold => Some(Per::Fold),
        PairBy::Repeat => Some(Per::Repeat),
        PairBy::Auto => cells.several(dataset),
        PairBy::Dataset | PairBy::Example => None,
    }
}

/// Remarks as one.
fn joined(remarks: impl IntoIterator<Item = Option<String>>) -> String {
    let said = remarks.into_iter().flatten().filter(|remark| !remark.is_empty());
    said.collect::<Vec<_>>().join("; ")
}
