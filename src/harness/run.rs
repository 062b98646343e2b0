//! From an experiment to sealed results.

use std::collections::{BTreeMap, BTreeSet};

use crate::environment::{Environment, Workers};
use base::digest::Digest;
use base::layout::{ENVIRONMENT, JOURNAL};
use data::library::FetchProgress;
use report::Report;
use run::executor::{self, Observer, Sink, Working};
use run::journal::Contradiction;
use run::plan::{Path, Plan};
use run::store::Folder;
use run::{Outcome, Record, Trial};
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
    if options.png {
        ::report::figure::draws_png()?;
    }
    // Where nothing is to do, nothing has to be writable either.
    if !options.fresh
        && let Some(sealed) = already_sealed(session, options, listener)?
    {
        return Ok(Ended::AlreadySealed(sealed.rows));
    }
    let found = Found::in_folder(session, options)?;
    let planned = Planned::new(session, options, listener.fetch)?;
    let begun = found.begin(planned, options, listener.warn)?;
    let Some(executed) = begun.execute(listener.paths)? else { return Ok(Ended::Interrupted) };
    Ok(Ended::Sealed(Box::new(executed.seal(options)?)))
}

/// What the results folder holds before a run; nothing in it has changed.
struct Found<'s> {
    session: &'s Session,
    /// The folder, if there is one.
    folder: Option<Folder>,
    /// What is sealed in it.
    sealed: Option<Sealed>,
}

impl<'s> Found<'s> {
    fn in_folder(session: &'s Session, options: &Options) -> Result<Self, Error> {
        let folder = session.dir.exists().then(|| open(session)).transpose()?;
        let sealed = match &folder {
            // What is damaged is computed anew.
            Some(_) if options.fresh => Sealed::read(session).unwrap_or_default(),
            Some(_) => Sealed::read(session)?,
            None => None,
        };
        Ok(Self { session, folder, sealed })
    }

    /// Takes along what is stored, or forgets it. Nothing is created, or forgotten, before everything that this run needs
    /// is there.
    fn begin(
        self,
        planned: Planned<'s>,
        options: &Options,
        warn: &dyn Fn(&str),
    ) -> Result<Begun<'s>, Error> {
        let Self { session, folder, sealed } = self;
        if let Some(sealed) = sealed.as_ref().filter(|_| !options.replace) {
            let anew = planned.wanted.as_ref().filter(|_| options.fresh);
            sealed.refuse_loss(&session.experiment, &planned.plan, anew)?;
        }
        let execution = planned.execution(options, warn)?;
        let mut folder = folder.map_or_else(|| open(session), Ok)?;
        match sealed {
            _ if options.fresh => folder.forget()?,
            Some(sealed) => folder.adopt(sealed.outcomes())?,
            None => {}
        }
        folder.known().warnings.iter().for_each(|warning| warn(warning));
        let execution = executor::Options { endings: folder.watch()?, ..execution };
        Ok(Begun { planned, folder, execution })
    }
}

/// A run that has its data, its plan, its programs and its folder.
struct Begun<'s> {
    planned: Planned<'s>,
    folder: Folder,
    execution: executor::Options,
}

impl<'s> Begun<'s> {
    /// Breaks the seal, and executes what is not stored; none if the user interrupted.
    fn execute(mut self, observe: &Observing<'_>) -> Result<Option<Executed<'s>>, Error> {
        let working = Working::begin();
        self.folder.still_ours()?;
        write::unseal(self.folder.dir())?;
        let Planned { session, plan, datasets, .. } = &self.planned;
        let mut executed: BTreeSet<Digest> = BTreeSet::new();
        // What has run may select a grid point whose test scores an earlier seal left out: it runs again.
        let records = loop {
            agree(&self.planned, &self.folder)?;
            let records = self.planned.records(&self.folder.known().outcomes);
            let mut pending = self.planned.pending(&records);
            pending.retain(|path| !executed.contains(&path.id));
            if pending.is_empty() {
                break records;
            }
            let observer = observe(plan, &pending);
            let execute = |paths: &[&Path], sink: &dyn Sink| {
                let (experiment, options) = (&session.experiment, &self.execution);
                executor::execute(experiment, plan, paths, datasets, options, sink, &*observer)
            };
            let finished = self.folder.journaled(plan, &pending, execute);
            drop(observer);
            if !finished? {
                return Ok(None);
            }
            executed.extend(pending.iter().map(|path| path.id));
        };
        // What a leak check is of may remember: that is its verdict, and no reason to have none.
        let promised = self.planned.session.experiment.leak.is_none();
        let again =
            || asked::again(&self.planned, &self.folder.known().outcomes, &self.execution, observe);
        if promised && !again()? {
            return Ok(None);
        }
        let Self { planned, folder, execution: executor::Options { jobs, programs, .. } } = self;
        let workers = Workers::of(&folder, &planned.plan);
        let recorded = folder.dir().join(ENVIRONMENT).exists();
        let environment = (!executed.is_empty() || workers.is_some() || !recorded)
            .then(|| Environment::now(jobs).with_programs(&programs).with_workers(workers));
        let session = planned.session;
        let records = Records::of_plan(session, &planned.plan, records);
        Ok(Some(Executed { session, folder, records, environment, _working: working }))
    }
}

/// A run whose trials all have their records.
struct Executed<'s> {
    session: &'s Session,
    folder: Folder,
    records: Records,
    /// Where the trials ran; none if none ran now.
    environment: Option<Environment>,
    _working: Working,
}

impl Executed<'_> {
    /// Makes what the records amount to, writes it and seals it.
    fn seal(self, options: &Options) -> Result<Results, Error> {
        let Self { session, mut folder, records, environment, _working } = self;
        let renderings = Renderings::with(options.png);
        let outputs = Outputs::new(session, &records, options.choices, renderings, environment)?;
        let (report, manifest) = outputs.publish(&mut folder)?;
        Ok(Results { records: records.own, report, manifest })
    }
}

/// Makes sure that what was executed more than once came out the same, but for methods that promise less than their bits.
fn agree(planned: &Planned<'_>, folder: &Folder) -> Result<(), Error> {
    let contradictions = &folder.known().contradictions;
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
            journals: folder.dir().join(JOURNAL),
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
pub(crate) fn already_sealed(
    session: &Session,
    options: &Options,
    listener: &Listener<'_>,
) -> Result<Option<Sealed>, Error> {
    // Another process may be writing: what is wrong is said once the folder is this one's.
    match Sealed::read(session) {
        Ok(Some(sealed)) => Ok(sealed.serves(session, options, listener.fetch)?.then_some(sealed)),
        Ok(None) | Err(_) => Ok(None),
    }
}
