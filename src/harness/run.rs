//! From an experiment to sealed results.

use std::collections::{BTreeMap, BTreeSet};

use crate::environment::{Environment, Workers};
use base::digest::Digest;
use base::layout::{ENVIRONMENT, JOURNAL};
use data::library::FetchProgress;
use report::Report;
use run::executor::{self, Observer, Working};
use run::journal::Contradiction;
use run::plan::{Path, Plan};
use run::reserve::free_memory;
use run::store::Folder;
use run::{Outcome, Record, Trial};
use seal::{Manifest, write};
use spec::MethodSpec;

use super::again::Observing;
use super::error::Disagreement;
pub use super::options::Options;
use super::outputs::{Outputs, Renderings};
use super::planned::Planned;
use super::sealed::Sealed;
use super::{Error, Session};

/// For a [`Listener`] that does not want to be told of the paths.
pub fn unobserved<'p>(_: &'p Plan, _: &[&Path]) -> Box<dyn Observer + 'p> {
    Box::new(Unobserved)
}

struct Unobserved;

impl Observer for Unobserved {
    fn started(&self, _: &Path) {}
    fn ended(&self, _: &Path, _: &[Outcome]) {}
}

/// Told of what happens during a run.
pub struct Listener<'a> {
    /// Told of downloads.
    pub fetch: &'a dyn FetchProgress,
    /// Told of the paths that are executed.
    pub paths: &'a Observing<'a>,
    /// Told what the user should know.
    pub warn: &'a dyn Fn(&str),
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// The folder holds already what the run would give; nothing was touched.
    AlreadySealed,
    /// The user interrupted; what finished is journaled.
    Interrupted,
    /// The results are sealed.
    Sealed(Box<Results>),
}

/// Sealed results.
#[derive(Debug)]
pub struct Results {
    /// The trials with their outcomes.
    pub records: Vec<Record>,
    /// What they amount to.
    pub report: Report,
    /// The manifest.
    pub manifest: Manifest,
}

/// Runs an experiment: fetches its data, plans its trials, executes those that are not stored, reports and seals.
///
/// # Errors
/// Whatever stops it; what finished is journaled.
pub fn run(session: &Session, options: &Options, listener: &Listener<'_>) -> Result<Ended, Error> {
    let experiment = &session.experiment;
    if options.png {
        ::report::figure::draws_png()?;
    }
    // Where nothing is to do, nothing has to be writable either.
    if !options.fresh && already_sealed(session, options, listener)? {
        return Ok(Ended::AlreadySealed);
    }
    let existing = session.dir.exists().then(|| open(session)).transpose()?;
    let sealed = match existing.is_some() {
        // What is damaged is computed anew.
        true if options.fresh => Sealed::read(session).unwrap_or_default(),
        true => Sealed::read(session)?,
        false => None,
    };
    let planned = Planned::new(session, options, listener.fetch)?;
    let Planned { plan, datasets, wanted, .. } = &planned;
    if let Some(sealed) = sealed.as_ref().filter(|_| !options.replace) {
        sealed.refuse_loss(session, plan, wanted.as_ref().filter(|_| options.fresh))?;
    }
    let programs = planned.programs(options, listener.warn)?;
    // Nothing is created, or forgotten, before everything that this run needs is there.
    let mut folder = existing.map_or_else(|| open(session), Ok)?;
    if let Some(sealed) = sealed.filter(|_| !options.fresh) {
        folder.adopt(sealed.outcomes())?;
    }
    if options.fresh {
        folder.forget()?;
    }
    for warning in folder.warnings() {
        (listener.warn)(warning);
    }
    let derived = session.library.derived();
    let execution = executor::Options {
        jobs: options.jobs,
        needs: planned.needs.clone(),
        derived: if options.fresh { derived.anew() } else { derived },
        crashes: folder.watch_crashes()?,
        kills: folder.watch_kills()?,
        memory: options.memory.unwrap_or_else(free_memory),
        programs,
    };
    let _working = Working::begin();
    folder.still_ours()?;
    write::unseal(&session.dir)?;
    let mut executed: BTreeSet<Digest> = BTreeSet::new();
    // What has run may select a grid point whose test scores an earlier seal left out: it runs again.
    let records = loop {
        agree(&planned, &folder)?;
        let records = planned.records(folder.outcomes());
        let mut pending = planned.pending(&records);
        pending.retain(|path| !executed.contains(&path.id));
        if pending.is_empty() {
            break records;
        }
        let observer = (listener.paths)(plan, &pending);
        let finished = folder.journaled(plan, &pending, |paths, sink| {
            executor::execute(experiment, plan, paths, datasets, &execution, sink, &*observer)
        });
        drop(observer);
        if !finished? {
            return Ok(Ended::Interrupted);
        }
        executed.extend(pending.iter().map(|path| path.id));
    };
    let recorded = session.dir.join(ENVIRONMENT).exists();
    let workers = Workers::of(&folder, plan);
    let environment = (!executed.is_empty() || workers.is_some() || !recorded).then(|| {
        Environment::now(options.jobs).with_programs(&execution.programs).with_workers(workers)
    });
    let renderings = Renderings::with(options.png);
    let outputs = Outputs::new(session, &records, options.choices, renderings, environment)?;
    let (report, manifest) = outputs.publish(session, &mut folder)?;
    Ok(Ended::Sealed(Box::new(Results { records, report, manifest })))
}

/// Makes sure that what was executed more than once came out the same, but for methods that promise less than their bits.
fn agree(planned: &Planned<'_>, folder: &Folder) -> Result<(), Error> {
    let contradictions = folder.contradictions();
    if contradictions.is_empty() {
        return Ok(());
    }
    let experiment = planned.experiment();
    let exact = |trial: &&Trial| experiment.method(&trial.method).is_none_or(MethodSpec::is_exact);
    let trials: BTreeMap<Digest, &Trial> =
        planned.plan.trials.iter().filter(exact).map(|trial| (trial.key, trial)).collect();
    let found = contradictions.iter().filter_map(|it| Some((*trials.get(&it.key)?, it)));
    let found: Vec<(&Trial, &Contradiction)> = found.collect();
    match found.first() {
        None => Ok(()),
        Some((trial, first)) => Err(Disagreement {
            trial: trial.place(),
            contradiction: Box::new((*first).clone()),
            journals: folder.dir().join(JOURNAL),
            others: found.len() - 1,
        }
        .into()),
    }
}

/// The results folder, which this process has to itself.
///
/// # Errors
/// If it is another process's, can't be written, or holds what is not reprise's own.
pub fn open(session: &Session) -> Result<Folder, Error> {
    write::check_own(&session.dir, &session.experiment.id)?;
    Ok(Folder::open(&session.dir, session.metrics())?)
}

/// Whether the folder already holds, under an intact seal, what this run would give.
pub(crate) fn already_sealed(
    session: &Session,
    options: &Options,
    listener: &Listener<'_>,
) -> Result<bool, Error> {
    // Another process may be writing: what is wrong is said once the folder is this one's.
    match Sealed::read(session) {
        Ok(Some(sealed)) => sealed.serves(session, options, listener.fetch),
        Ok(None) | Err(_) => Ok(false),
    }
}
