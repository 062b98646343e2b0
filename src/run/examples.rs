//! The examples that trials meet: those that are scored, or those of a round inside of the training examples.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use base::digest::FieldHasher;
use contract::{Basis, FitError, Metric};
use data::Dataset;
use data::inner;
use data::split::Division;
use program::{HandOver, Program};
use spec::LabelsMet;
use task::{Ask, Divided, Portion, Whole};

use super::needs::Needed;
use super::plan::{Path, members};
use super::pool::{Pool, Shares, draw_id, split_id};
use super::programs::{Programs, served};
use super::record::Trial;

/// The examples that the trials of a path meet: those that are scored, or those of a round inside of its training
/// examples.
pub struct Examples<'a> {
    /// Where they come from.
    pub pool: &'a Pool<'a>,
    /// The path.
    pub path: &'a Path,
    /// The round, if they are those of one.
    pub round: Option<usize>,
    /// What there is of them.
    pub shares: Shares,
}

impl Examples<'_> {
    /// Those of a round, which are nobody else's but for the dataset.
    pub fn of_round(&self, round: usize) -> Self {
        let shares = Shares { dataset: self.shares.dataset.clone(), ..Shares::default() };
        Self { round: Some(round), shares, ..*self }
    }

    /// The examples, divided.
    ///
    /// # Errors
    /// If the dataset can't be had, or the split does not fit it.
    pub fn divided(&self) -> Result<Arc<dyn Divided>, FitError> {
        let divide = || {
            let (path, (part, &Trial { fold, .. })) = (self.path, self.pool.of(self.path));
            let (dataset, problem, seed) = (&self.labelled()?, &path.problem, path.division_seed);
            let division = &self.division(dataset)?;
            let portion = Portion { dataset, division, problem, seed, fold };
            (part.task.divide)(&portion, &part.settings).map(Arc::from)
        };
        self.shares.divided.get_or_init(divide).clone()
    }

    /// The dataset, with the labels that the path meets.
    fn labelled(&self) -> Result<Arc<Whole>, FitError> {
        let (part, trial) = self.pool.of(self.path);
        let (variant, draw) = draw_id(part, trial);
        let whole = |dataset| Arc::new(Whole::from(dataset));
        let load = || self.pool.datasets.dataset(variant, draw).map(whole);
        let dataset = self.shares.dataset.get_or_init(load).clone()?;
        Ok(match part.labels {
            LabelsMet::Given => dataset,
            LabelsMet::Permuted => {
                whole(dataset.with_permuted_labels(self.path.division_seed).into())
            }
            LabelsMet::Drawn => whole(dataset.with_drawn_labels(self.path.division_seed).into()),
        })
    }

    fn division(&self, dataset: &Dataset) -> Result<Division, FitError> {
        let (path, (part, &Trial { fold, .. })) = (self.path, self.pool.of(self.path));
        let members = members(dataset, &path.problem);
        let division = part.split.divide(dataset, &members, path.division_seed, fold);
        let seed = inner::seed(path.division_seed, fold);
        let division = division.and_then(|division| match (&path.inner, self.round) {
            (Some(inner), Some(round)) => inner.round(dataset, &division, seed, round),
            (Some(inner), None) if !inner.refit => inner.hold_out(dataset, division, seed),
            _ => Ok(division),
        });
        division.map_err(FitError::failed)
    }

    /// What a program is handed of them.
    ///
    /// # Errors
    /// Why it can't be written.
    pub fn hand_over(
        &self,
        program: &Program,
        data: &dyn Divided,
        programs: &Programs,
    ) -> Result<Arc<HandOver>, FitError> {
        let write = || {
            let (part, trial) = self.pool.of(self.path);
            // Of what paths share it by, and nothing that tells them apart: whichever comes first writes it.
            let (variant, (task, setting), split, problem, repeat, fold) = split_id(part, trial);
            let seed = [variant, task, setting, split, problem]
                .iter()
                .fold(FieldHasher::new("hand-over").field(trial.data.0), FieldHasher::field)
                .number(self.pool.experiment.seed)
                .number(repeat as u64)
                .number(fold as u64);
            let seed = match self.round {
                None => seed,
                Some(round) => seed.field("round").number(round as u64),
            };
            let folder = programs.next_folder();
            let written = served(data)?.hand_over(&folder, program, trial.key, seed.finish());
            written.map(Arc::new).map_err(FitError::failed)
        };
        self.shares.hand_over.get_or_init(write).clone()
    }

    /// Says that the path is done with them. Processes that know them end with the last one.
    pub fn end(self, programs: Option<&Programs>) {
        let last = Arc::into_inner(self.shares.hand_over).and_then(OnceLock::into_inner);
        if let (Some(Ok(hand_over)), Some(programs)) = (last, programs) {
            programs.end_of(&hand_over);
        }
    }

    /// What is measured of a trial: a round only validates.
    pub fn ask(&self, trial: &Trial) -> Ask {
        let scored = self.round.is_none();
        let asked = |metric: &&Metric| scored || metric.basis == Basis::Validation;
        let Needed { requested, picture, predictions, .. } = self.pool.needs.of_trial(trial);
        let metrics = requested.iter().copied().filter(asked).collect();
        Ask { metrics, picture: scored && *picture, predictions: scored && *predictions }
    }

    /// A trial with the seed of its fit on these examples.
    pub fn seeded<'t>(&self, trial: &'t Trial) -> Cow<'t, Trial> {
        let Some(round) = self.round else { return Cow::Borrowed(trial) };
        let seed = FieldHasher::new("round").field(trial.seed.0).number(round as u64).finish();
        Cow::Owned(Trial { seed, ..trial.clone() })
    }
}
