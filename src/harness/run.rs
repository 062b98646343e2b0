//! From an experiment to sealed results.

use std::collections::{BTreeMap, BTreeSet};

use crate::environment::{Environment, Workers};
use base::digest::Digest;
use base::layout::{ENVIRONMENT, JOURNAL};
use report::Report;
use run::executor::{self, Observer, Sink, Working};
use run::journal::Contradiction;
use run::plan::{Path, Plan};
use run::store::Folder;
use run::{Record, Trial};
use seal::{Manifest, write};
use spec::MethodSpec;

use super::again::Observing;
pub use super::options::Options;
use super::outputs::{Outputs, Records, Renderings};
use super::planned::Planned;
use super::sealed::Sealed;
use super::{Error, Session, asked};

/// For a [`Listener`] that does not want to be told of the paths.
pub fn unobserved<'p>(_: &'p Plan, _: &[&Path]) -> Box<dyn Observer + 'p> {
    Box::new(())
}

/// Told of what happens during a run.
pub struct Listener<'a> {
    /// Told of the paths that are executed.
    pub paths: &'a Observing<'a>,
    /// Told what the user should know.
    pub warn: &'a dyn Fn(&str),
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// The folder holds already what the run would give, these trials; nothing was touched.
    AlreadySealed(Vec<Record>),
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

/// Runs an experiment: fetches its data, plans its trials, executes those that are not stored, reports and seals. Each
/// stage gives the next one what it needs, and none goes back.
///
/// # Errors
/// Whatever stops it; what finished is journaled.
pub fn run(session: &Session, options: &Options, listener: &Listener<'_>) -> Result<Ended, Error> {
    options.exports.iter().try_for_each(|export| export.can_be_drawn())?;
    // Where nothing is to do, nothing has to be writable either.
    if !options.fresh
        && let Some(sealed) = already_sealed(session, options)?
    {
        return Ok(Ended::AlreadySealed(sealed.rows));
    }
    let folder = session.dir.exists().then(|| open(session)).transpose()?;
    let sealed = match &folder {
        // What is damaged is computed anew.
        Some(_) if options.fresh => Sealed::read(session).unwrap_or_default(),
        Some(_) => Sealed::read(session)?,
        None => None,
    };
    let (choices, only) = (options.choices, options.only.as_ref());
    let planned = Planned::new(session, choices, only)?;
    if let Some(sealed) = sealed.as_ref().filter(|_| !options.replace) {
        let anew = planned.wanted.as_ref().filter(|_| options.fresh);
        sealed.refuse_loss(&planned.plan, anew)?;
    }
    // Nothing is created, or forgotten, before everything that this run needs is there.
    let execution = planned.execution(options, listener.warn)?;
    let mut folder = folder.map_or_else(|| open(session), Ok)?;
    match sealed {
        _ if options.fresh => folder.forget()?,
        Some(sealed) => folder.adopt(sealed.outcomes())?,
        None => {}
    }
    folder.known.warnings.iter().for_each(|warning| (listener.warn)(warning));
    let execution = executor::Options { endings: folder.watch()?, ..execution };
    let _working = Working::begin();
    let Some((records, environment)) = execute(&planned, &mut folder, &execution, listener.paths)?
    else {
        return Ok(Ended::Interrupted);
    };
    let renderings = Renderings::with(options.exports.clone());
    let outputs = Outputs::new(session, &records, choices, renderings, environment)?;
    let (report, manifest) = outputs.publish(&mut folder)?;
    Ok(Ended::Sealed(Box::new(Results { records: records.own, report, manifest })))
}

/// Breaks the seal, and executes what is not stored: the records, and where trials ran if some ran now; none if the user
/// interrupted.
fn execute(
    planned: &Planned<'_>,
    folder: &mut Folder,
    options: &executor::Options,
    observe: &Observing<'_>,
) -> Result<Option<(Records, Option<Environment>)>, Error> {
    folder.still_ours()?;
    write::unseal(&folder.dir)?;
    let plan = &planned.plan;
    let mut executed: BTreeSet<Digest> = BTreeSet::new();
    // What has run may select a grid point whose test scores an earlier seal left out: it runs again.
    let records = loop {
        agree(planned, folder)?;
        let records = planned.records(&folder.known.outcomes);
        let mut pending = planned.pending(&records);
        pending.retain(|path| !executed.contains(&path.id));
        if pending.is_empty() {
            break records;
        }
        let observer = observe(plan, &pending);
        let execute =
            |paths: &[&Path], sink: &Sink<'_>| planned.execute(paths, options, sink, &*observer);
        if !folder.journaled(plan, &pending, execute)? {
            return Ok(None);
        }
        executed.extend(pending.iter().map(|path| path.id));
    };
    // What a leak check is of may remember: that is its verdict, and no reason to have none.
    let promised = planned.session.experiment.leak.is_none();
    if promised && !asked::again(planned, &folder.known.outcomes, options, observe)? {
        return Ok(None);
    }
    let workers = Workers::of(folder, plan);
    let recorded = folder.dir.join(ENVIRONMENT).exists();
    let environment = (!executed.is_empty() || workers.is_some() || !recorded)
        .then(|| Environment::now(options.jobs, options.programs.as_deref(), workers));
    Ok(Some((Records::of_plan(planned, records), environment)))
}

/// Makes sure that what was executed more than once came out the same, but for methods that promise less than their bits.
fn agree(planned: &Planned<'_>, folder: &Folder) -> Result<(), Error> {
    let contradictions = &folder.known.contradictions;
    if contradictions.is_empty() {
        return Ok(());
    }
    let experiment = &planned.session.experiment;
    let exact = |trial: &&Trial| experiment.method(&trial.method).is_none_or(MethodSpec::is_exact);
    let trials: BTreeMap<Digest, &Trial> =
        planned.plan.trials.iter().filter(exact).map(|trial| (trial.key, trial)).collect();
    let found = contradictions.iter().filter_map(|it| Some((*trials.get(&it.key)?, it)));
    let found: Vec<(&Trial, &Contradiction)> = found.collect();
    match found.first() {
        None => Ok(()),
        Some((trial, first)) => Err(Error::Disagreement {
            trial: trial.place(),
            contradiction: Box::new((*first).clone()),
            journals: folder.dir.join(JOURNAL),
            others: found.len() - 1,
        }),
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

/// What the folder holds, if it is under an intact seal what this run would give.
pub(crate) fn already_sealed<'s>(
    session: &'s Session,
    options: &Options,
) -> Result<Option<Sealed<'s>>, Error> {
    // Another process may be writing: what is wrong is said once the folder is this one's.
    let Ok(Some(sealed)) = Sealed::read(session) else { return Ok(None) };
    if !sealed.serves(options)? {
        return Ok(None);
    }
    if let Some(only) = &options.only {
        only.keys(sealed.rows.iter().map(|record| &record.trial))?;
    }
    Ok(Some(sealed))
}
