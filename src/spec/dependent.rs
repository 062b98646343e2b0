//! Values that depend on each other: a test that is not made for them is refused before anything runs, unless the file
//! says that it ignores it.

use ::task::overlap::CLUSTERS;
use contract::DatasetId;
use document::Table;

use super::design::Part;
use super::evidence::{PairBy, TestDesign};
use super::over::{Dependent, Over, Per};
use super::scope::{Designed, Outline};

impl Outline<'_> {
    /// Those of the file's datasets that name whose their examples are.
    pub(crate) fn grouped(&self) -> impl Iterator<Item = &DatasetId> {
        let grouped = self.registry.iter().filter(|known| known.grouped).map(|known| &known.id);
        grouped.filter(|id| self.datasets.contains(id))
    }

    /// What the values of a test on a dataset of a part are over, as far as it is known.
    fn over(&self, pair_by: PairBy, part: &Part, dataset: &DatasetId) -> Option<Over> {
        let problems = || self.problems(part, dataset);
        let per = match pair_by {
            PairBy::Dataset => return Some(Over::Datasets),
            PairBy::Problem => (problems()? > 1).then_some(Per::Problem)?,
            PairBy::Fold => Per::Fold,
            PairBy::Repeat => Per::Repeat,
            PairBy::Auto if problems()? > 1 => Per::Problem,
            PairBy::Auto if self.folds(part, dataset)? > 1 => Per::Fold,
            PairBy::Auto if part.all_repeats() > 1 => Per::Repeat,
            PairBy::Auto | PairBy::Example => {
                let grouped = self.grouped().any(|id| id == dataset) || problems()? > 1;
                return Some(part.over_examples(grouped, false));
            }
        };
        Some(part.over(per))
    }
}

/// Refuses a test that takes values for independent that are not, and that does not say so.
pub(crate) fn dependent_values(
    test: &TestDesign,
    heeds: &[Over],
    table: &Table,
    scope: &mut Designed<'_>,
) {
    if test.dependent == Dependent::Ignored || !scope.faults.is_empty() {
        return;
    }
    let outline = scope.outline;
    let counts = |part: &&Part| test.part.as_ref().is_none_or(|own| part.id == *own);
    let counting = scope.parts.iter().filter(counts);
    let mut parts = counting.filter(|part| part.reports(test.metric));
    let found = parts.find_map(|part| {
        let runs = part.methods.iter().any(|id| test.methods.contains(id));
        let mut datasets = part.datasets.iter().filter(|id| runs && test.datasets.contains(id));
        datasets.find_map(|dataset| {
            let over = outline.over(test.pair_by, part, dataset)?;
            // Of other tasks nothing says whose the test examples are.
            let known = !Over::IN_GROUPS.contains(&over) || part.task.metrics.contains(&&CLUSTERS);
            let (why, instead) = over.depends().filter(|_| !(known && heeds.contains(&over)))?;
            Some((dataset, over, why, instead))
        })
    });
    let Some((dataset, over, why, instead)) = found else { return };
    let span = table.span_of("pair_by");
    let message = format!("`{}` takes {} of `{dataset}` for independent", test.id, over.word());
    scope.fault(&span, message, why).help(format!(
        "{instead}; or dependence = \"ignored\", as a paper may have done, which is printed wherever the p-value stands"
    ));
}
