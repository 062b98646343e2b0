//! What a table says of the programs among its methods.

use std::borrow::Cow;

use contract::{DatasetId, Gives, Measure};
use math::sample::Sample;
use run::Record;
use spec::{Experiment, MethodSpec, TableSpec};
use task::density::TOTAL_PROBABILITY;

use crate::axis::{Titles, method_label};
use crate::cells::Cells;

/// Behind the label of a method whose densities rest on an estimate of their total probability.
pub(crate) const ESTIMATED: &str = "‡";

/// An experiment whose labels mark the methods of which some density is not proven to be normalised: wherever a value of
/// theirs is read, in tables, tests, claims and figures, it is read beside the mark.
pub fn marked<'a>(experiment: &'a Experiment, records: &[Record]) -> Cow<'a, Experiment> {
    let mut marked = Cow::Borrowed(experiment);
    let estimates = estimates(experiment, records);
    for (place, method) in experiment.methods.iter().enumerate() {
        if estimates.iter().any(|record| record.trial.method == method.id) {
            marked.to_mut().methods[place].label += ESTIMATED;
        }
    }
    marked
}

/// The trials whose densities rest on an estimate of their total probability.
pub(crate) fn estimates<'a>(experiment: &Experiment, records: &'a [Record]) -> Vec<&'a Record> {
    let own = |record: &&Record| experiment.method(&record.trial.method).is_some_and(densities);
    records.iter().filter(own).filter(|record| estimated(record).is_some()).collect()
}

/// Whether it is a program that estimates densities.
fn densities(method: &MethodSpec) -> bool {
    method.program.as_ref().is_some_and(|program| program.gives == Gives::LogLikelihoods)
}

/// The estimate of a total probability that a trial rests on; none where all states were asked.
fn estimated(record: &Record) -> Option<Sample> {
    match record.outcome.as_ref()?.metrics.get(TOTAL_PROBABILITY.name)? {
        Measure::Sample(total) => Some(*total),
        Measure::Scalar(_) => None,
    }
}

/// Which programs see the labels of validation rows, and of which densities it is not known that they are normalised.
pub fn notes(
    experiment: &Experiment,
    table: &TableSpec,
    cells: &Cells,
    titles: Titles,
) -> Vec<String> {
    let methods = table.methods.iter().filter_map(|id| experiment.method(id));
    let (mut seeing, mut unproven, mut near) = (Vec::new(), Vec::new(), Vec::new());
    for method in methods {
        let Some(program) = &method.program else { continue };
        let label = method_label(experiment, &method.id);
        if program.sees_valid {
            seeing.push(label.to_owned());
        }
        if let Some(most) = method.tolerance() {
            near.push(format!("{label} ({most})"));
        }
        if !densities(method) {
            continue;
        }
        for dataset in &table.datasets {
            if let Some(total) = of_dataset(cells, method, dataset) {
                unproven.push(format!("{label} on {} ({})", titles(dataset), estimate(total)));
            }
        }
    }
    let estimated = "normalisation not proven, with the estimated total probability";
    [
        ("sees the labels of validation rows", seeing),
        ("comes out again within a tolerance", near),
        (&format!("{ESTIMATED}: {estimated}"), unproven),
    ]
    .into_iter()
    .filter(|(_, what)| !what.is_empty())
    .map(|(note, what)| format!("{note}: {}", what.join(", ")))
    .collect()
}

/// The estimate of a total probability on a dataset; of several the first repeat's.
fn of_dataset(cells: &Cells, method: &MethodSpec, dataset: &DatasetId) -> Option<Sample> {
    let selected = cells.records(dataset, &method.id).into_iter().filter(|record| record.selected);
    selected.filter_map(estimated).next()
}

fn error(total: &Sample) -> f64 {
    total.sd().unwrap_or(f64::INFINITY) / (total.n as f64).sqrt()
}

fn estimate(total: Sample) -> String {
    format!("{:.2} ± {:.2}", total.mean, error(&total))
}
