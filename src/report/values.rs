//! "The value of a method on a dataset", from our cells or from the paper's tables: what tests
//! over datasets and claims are computed from.

use std::collections::BTreeSet;

use base::parallel::lock;
use contract::{DatasetId, MethodId, Metric, PartId};
use run::Status;
use spec::{About, Asks, ClaimSpec, Comparisons, Experiment, PairBy, Part, Place, SdOver, Whose};
use stats::Correction;

use super::axis::Titles;
use super::cells::{Asked, Asking, Cells, Selection};
use super::published::Published;

/// The values of methods on datasets.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Our numbers.
    pub cells: &'a Cells<'a>,
    /// The paper's.
    pub published: &'a Published<'a>,
    /// Which of them count.
    pub whose: Whose,
    /// The part whose trials count; none if all do.
    pub part: Option<&'a PartId>,
    /// What people read for a dataset.
    pub titles: Titles<'a>,
}

impl<'a> Values<'a> {
    /// The datasets and methods that a claim asks for, by way of its test too.
    pub fn asked_by(self, claim: &ClaimSpec, comparisons: &Comparisons) -> BTreeSet<Asking> {
        let noted = Asked::default();
        let values = Values { cells: &self.cells.noted(&noted), part: claim.part.as_ref(), ..self };
        claim.check.judge(&values, comparisons);
        let mut asked = std::mem::take(&mut *lock(&noted));
        let About { test, mut methods, mut datasets, corrected, .. } = claim.check.about();
        let Some(test) = test.and_then(|id| self.experiment.test(id)) else { return asked };
        let Asks { ranks, correcting, .. } = test.kind.asks();
        let together =
            corrected && correcting.is_some_and(|own| own.correction != Correction::None);
        if ranks || together {
            methods = test.methods.iter().collect();
        }
        if together || datasets.is_empty() || test.pair_by == PairBy::Dataset {
            datasets = &test.datasets;
        }
        let pair = |dataset: &DatasetId, method: &&MethodId| (dataset.clone(), (*method).clone());
        asked.extend(datasets.iter().flat_map(|on| methods.iter().map(move |own| pair(on, own))));
        asked
    }

    /// The trials of a method on a dataset at a point of its sweep, of the parts that count.
    pub fn selection(&self, dataset: &'a DatasetId, at: impl Into<Place<'a>>) -> Selection<'a> {
        let Place { method, sweep } = at.into();
        let mut selection = Selection::of(self.experiment, dataset, method);
        selection.parts.retain(|part| self.counts(part));
        selection.sweep = sweep.to_vec();
        selection
    }

    /// The part in which a method runs on a dataset.
    pub fn part_of(&self, dataset: &DatasetId, method: &MethodId) -> Option<&'a Part> {
        let mut parts = self.experiment.parts.iter().filter(|part| self.counts(&part.id));
        parts.find(|part| part.datasets.contains(dataset) && part.methods.contains(method))
    }

    /// Whether the trials of a part count.
    pub fn counts(&self, part: &PartId) -> bool {
        self.part.is_none_or(|only| only == part)
    }

    /// One value, in the metric's unit. Of a dataset that is in several parts the first published value counts.
    ///
    /// # Errors
    /// Why there is none: [`Status::PublishedOnly`] where only the paper could have it, and has
    /// not.
    pub fn value(
        &self,
        dataset: &'a DatasetId,
        at: impl Into<Place<'a>>,
        metric: &Metric,
    ) -> Result<f64, Status> {
        let at = at.into();
        let selection = self.selection(dataset, at);
        if self.of_paper(at.method) {
            return self.published.value(&selection, metric).ok_or(Status::PublishedOnly);
        }
        let cell = self.cells.cell(&selection, metric, SdOver::None);
        cell.value.ok_or(cell.status)
    }

    /// Whether the values of a method are the paper's.
    pub fn of_paper(&self, method: &MethodId) -> bool {
        let only = || self.experiment.method(method).is_some_and(|spec| spec.published_only());
        self.whose == Whose::Published || only()
    }
}
