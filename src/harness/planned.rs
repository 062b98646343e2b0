//! An experiment planned for execution, as a run, a worker and an executor begin.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use base::digest::Digest;
use base::parallel::{lock, unwrap_mutex};
use run::datasets::Datasets;
use run::error::RunError;
use run::executor::{self, Observer, Sink};
use run::needs::Needs;
use run::only::Only;
use run::outcome::{Outcome, Outcomes};
use run::plan::{Path, Plan, WithChoices};
use run::pool::Pool;
use run::programs::Author;
use run::store::Shared;
use run::{Record, estimate, select};

use super::options::Options;
use super::{Error, Session};

/// The trials of an experiment with what they need.
pub struct Planned<'s> {
    /// The experiment, and where its data comes from.
    pub session: &'s Session,
    /// The data.
    pub datasets: Datasets<'s>,
    /// The trials.
    pub plan: Plan,
    /// What outcomes must hold.
    pub needs: Needs,
    /// The keys of the trials that are asked for; all if none.
    pub wanted: Option<BTreeSet<Digest>>,
}

impl<'s> Planned<'s> {
    /// Fetches the data and plans the trials.
    ///
    /// # Errors
    /// If data can't be had, or the experiment makes no sense on it.
    pub fn new(
        session: &'s Session,
        choices: WithChoices,
        only: Option<&Only>,
    ) -> Result<Self, Error> {
        let datasets = session.datasets()?;
        let plan = session.plan(&datasets, choices)?;
        let wanted = only.map(|only| only.keys(plan.trials.iter())).transpose()?;
        let needs = Needs::of_plan(&session.experiment, &plan);
        Ok(Self { session, datasets, plan, needs, wanted })
    }

    /// Whether a path is asked for.
    pub fn wants(&self, path: &Path) -> bool {
        let mut trials = self.plan.trials_of(path);
        self.wanted.as_ref().is_none_or(|keys| trials.any(|trial| keys.contains(&trial.key)))
    }

    /// How it is executed where nothing is known of earlier crashes, with the programs among the methods of what is asked
    /// for ready to be asked.
    ///
    /// # Errors
    /// If a program can't be used.
    pub fn execution(
        &self,
        options: &Options,
        warn: &dyn Fn(&str),
    ) -> Result<executor::Options, Error> {
        let asks = |path: &Path| path.program.is_some() && self.wants(path);
        let library = &self.session.library;
        let programs = match self.plan.paths.iter().any(asks) {
            true => self.session.programs(library.cache(), Author::User, warn)?,
            false => None,
        };
        let derived = if options.fresh { library.derived().anew() } else { library.derived() };
        let execution = executor::Options::new(options.jobs, derived, programs);
        Ok(executor::Options { memory: options.memory.unwrap_or(execution.memory), ..execution })
    }

    /// Where its paths come from.
    pub fn pool(&self) -> Pool<'_> {
        let Self { session, datasets, plan, needs, .. } = self;
        Pool { experiment: &session.experiment, plan, datasets, needs }
    }

    /// Executes paths of it; whether nobody interrupted.
    ///
    /// # Errors
    /// If what finishes can't be kept, or no thread starts.
    pub fn execute(
        &self,
        paths: &[&Path],
        options: &executor::Options,
        sink: &Sink<'_>,
        observer: &dyn Observer,
    ) -> Result<bool, RunError> {
        executor::execute(&self.pool(), paths, options, sink, observer)
    }

    /// The outcomes of paths of it, executed without a journal, by the places of their trials; none if somebody interrupted.
    ///
    /// # Errors
    /// If no thread starts.
    pub fn outcomes(
        &self,
        paths: &[&Path],
        options: &executor::Options,
        observer: &dyn Observer,
    ) -> Result<Option<BTreeMap<usize, Outcome>>, RunError> {
        let kept = Mutex::new(BTreeMap::new());
        let keep = |path: &Path, outcomes: Vec<Outcome>| {
            lock(&kept).extend(path.trials.iter().copied().zip(outcomes));
            Ok(())
        };
        let all = self.execute(paths, options, &keep, observer)?;
        Ok(all.then(|| unwrap_mutex(kept)))
    }

    /// The records of all trials, where these outcomes are known.
    pub fn records(&self, outcomes: &Outcomes) -> Vec<Record> {
        select::records(&self.pool(), outcomes)
    }

    /// The paths that are asked for and have to run, where the trials have these records.
    pub fn pending(&self, records: &[Record]) -> Vec<&Path> {
        let mut pending = self.needs.pending(&self.plan, records);
        pending.retain(|path| self.wants(path));
        pending
    }

    /// How long its paths will take on one core by what their methods expect, in seconds: a function of the plan alone, by
    /// which all workers cut the same chunks.
    pub fn seconds(&self) -> Vec<f64> {
        self.plan.paths.iter().map(estimate::expected).collect()
    }

    /// The ids of the paths that have to run, as far as is known of what others do.
    pub fn pending_beside(&self, shared: &Shared) -> BTreeSet<Digest> {
        let records = self.records(&shared.known.outcomes);
        self.pending(&records).into_iter().map(|path| path.id).collect()
    }
}
