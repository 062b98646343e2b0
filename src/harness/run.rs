//! From an experiment to sealed results.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::environment::Environment;
use base::digest::Digest;
use base::layout::ENVIRONMENT;
use data::library::FetchProgress;
use report::Report;
use run::executor::{self, Observer, Working};
use run::needs::Needs;
use run::plan::{Path, Plan};
use run::store::Folder;
use run::{Outcome, Record, select};
use seal::{Manifest, write};

use super::again::Observing;
pub use super::options::Options;
use super::outputs::{Outputs, Renderings};
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
    /// So many paths of a shard are journaled.
    Journaled(usize),
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
    let datasets = session.datasets(listener.fetch)?;
    let plan = session.plan(&datasets, options.choices)?;
    let wanted = options.only.as_ref().map(|only| only.keys(&plan.trials)).transpose()?;
    if let Some(sealed) = sealed.as_ref().filter(|_| !options.replace) {
        sealed.refuse_loss(session, &plan, wanted.as_ref().filter(|_| options.fresh))?;
    }
    let asks = |path: &Path| {
        let among = |keys: &BTreeSet<Digest>| {
            path.trials.iter().any(|&trial| keys.contains(&plan.trials[trial].key))
        };
        path.program.is_some() && wanted.as_ref().is_none_or(among)
    };
    let programs = match plan.paths.iter().any(asks) {
        true => session.programs(&options.contain, listener.warn)?,
        false => Arc::default(),
    };
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
        needs: Needs::of(experiment, plan.trials.iter()),
        derived: if options.fresh { derived.anew() } else { derived },
        crashes: folder.watch_crashes()?,
        programs,
    };
    let _working = Working::begin();
    folder.still_ours()?;
    write::unseal(&session.dir)?;
    let mut executed: BTreeSet<Digest> = BTreeSet::new();
    // What has run may select a grid point whose test scores an earlier seal left out: it runs again.
    let records = loop {
        let records = select::records(experiment, &plan, folder.outcomes(), &execution.needs);
        let mut pending: Vec<&Path> = folder.pending(&plan, &records, &execution.needs);
        pending.retain(|path| !executed.contains(&path.id));
        if let Some(shard) = options.shard {
            pending.retain(|path| shard.has(path.id));
        }
        if let Some(wanted) = &wanted {
            let wanted = |&trial: &usize| wanted.contains(&plan.trials[trial].key);
            pending.retain(|path| path.trials.iter().any(wanted));
        }
        if pending.is_empty() {
            break records;
        }
        let observer = (listener.paths)(&plan, &pending);
        let finished = folder.journaled(options.shard, &plan, &pending, |paths, sink| {
            executor::execute(experiment, &plan, paths, &datasets, &execution, sink, &*observer)
        });
        drop(observer);
        if !finished? {
            return Ok(Ended::Interrupted);
        }
        executed.extend(pending.iter().map(|path| path.id));
    };
    if options.shard.is_some() {
        return Ok(Ended::Journaled(executed.len()));
    }
    let recorded = session.dir.join(ENVIRONMENT).exists();
    let environment = (!executed.is_empty() || !recorded)
        .then(|| Environment::now(options.jobs).with_programs(&execution.programs));
    let renderings = Renderings::with(options.png);
    let outputs = Outputs::new(session, &records, options.choices, renderings, environment)?;
    let (report, manifest) = outputs.publish(session, &mut folder)?;
    Ok(Ended::Sealed(Box::new(Results { records, report, manifest })))
}

/// The results folder, which this process has to itself.
///
/// # Errors
/// If it is another process's, can't be written, or holds what is not reprise's own.
pub fn open(session: &Session) -> Result<Folder, Error> {
    write::check_own(&session.dir, &session.experiment.id)?;
    Ok(Folder::open(&session.dir)?)
}

/// Whether the folder already holds, under an intact seal, what this run would give.
fn already_sealed(
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
