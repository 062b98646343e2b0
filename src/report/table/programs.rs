//! What a table says of the programs among its methods.

use contract::{DatasetId, Gives, Measure};
use math::sample::Sample;
use spec::{Experiment, MethodSpec, TableSpec};
use task::density::TOTAL_PROBABILITY;

use crate::axis::{Titles, method_label};
use crate::cells::Cells;

/// An estimated total probability is that of a distribution where it is so many standard errors from 1 at most,
const ERRORS: f64 = 4.0;
/// and its standard error is at most so much.
const MOST_ERROR: f64 = 0.05;

/// Which programs see the labels of validation rows, and of which densities it is not known that they are normalised.
pub fn notes(
    experiment: &Experiment,
    table: &TableSpec,
    cells: &Cells,
    titles: Titles,
) -> Vec<String> {
    let methods = table.methods.iter().filter_map(|id| experiment.method(id));
    let (mut seeing, mut unproven) = (Vec::new(), Vec::new());
    for method in methods {
        let Some(program) = &method.program else { continue };
        if program.sees_valid {
            seeing.push(method_label(experiment, &method.id));
        }
        if program.gives != Gives::LogLikelihoods {
            continue;
        }
        for dataset in &table.datasets {
            if let Some(total) = doubtful(cells, method, dataset) {
                let label = method_label(experiment, &method.id);
                unproven.push(format!("{label} on {} ({})", titles(dataset), estimate(total)));
            }
        }
    }
    let mut notes = Vec::new();
    if !seeing.is_empty() {
        notes.push(format!("sees the labels of validation rows: {}", seeing.join(", ")));
    }
    if !unproven.is_empty() {
        let estimated = "normalisation not proven, with the estimated total probability";
        notes.push(format!("{estimated}: {}", unproven.join(", ")));
    }
    notes
}

/// The estimate of a total probability on a dataset that may not be 1; of several the first repeat's.
fn doubtful(cells: &Cells, method: &MethodSpec, dataset: &DatasetId) -> Option<Sample> {
    let selected = cells.records(dataset, &method.id).into_iter().filter(|record| record.selected);
    let mut totals = selected.filter_map(|record| {
        match record.outcome.as_ref()?.metrics.get(TOTAL_PROBABILITY.name)? {
            Measure::Sample(total) => Some(*total),
            Measure::Scalar(_) => None,
        }
    });
    totals.find(|total| {
        let error = error(total);
        !(error <= MOST_ERROR && (total.mean - 1.0).abs() <= ERRORS * error)
    })
}

fn error(total: &Sample) -> f64 {
    total.sd().unwrap_or(f64::INFINITY) / (total.n as f64).sqrt()
}

fn estimate(total: Sample) -> String {
    format!("{:.2} ± {:.2}", total.mean, error(&total))
}
