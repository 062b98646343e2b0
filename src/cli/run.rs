//! `reprise run`: from experiment files to sealed results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::harness::outputs::Outputs;
use crate::harness::{Error, Session};
use crate::layout::DATASETS;
use crate::math::digest::Digest;
use crate::math::parallel::available_cores;
use crate::report::Report;
use crate::run::executor::{self, Options};
use crate::run::needs::Needs;
use crate::run::plan::{Path, Plan};
use crate::run::store::{Folder, FolderError, Shard};
use crate::run::trials_csv::Row;
use crate::run::{Outcome, Record, Status, select, trials_csv};
use crate::seal::environment::{ENVIRONMENT, Environment};
use crate::seal::{self, Difference, FileEntry, LAYOUT, Manifest};
use crate::spec::Experiment;

use super::data::Bars;
use super::interrupt::{INTERRUPTED, Working};
use super::only::Only;
use super::progress::Progress;
use super::session::Experiments;
use super::{Exit, Failure, Global};

/// Run experiments: fetch data, train, test, report and seal
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub experiments: Experiments,
    /// Worker threads [default: all cores]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<std::num::NonZeroUsize>,
    /// Run only these trials, such as dataset=nltcs,method=MEVM; the results are sealed as
    /// incomplete
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub only: Option<Only>,
    /// Also run the options that the paper leaves open
    #[arg(long)]
    pub choices: bool,
    /// Run the I-th of N shares of the trials and only journal them; put all shares' .journal
    /// files into one folder and run once more to report and seal
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Forget what was computed before
    #[arg(long)]
    pub fresh: bool,
    /// Give up sealed trials that the experiment no longer has
    #[arg(long)]
    pub replace: bool,
    /// Write figures as PNG too
    #[arg(long)]
    pub png: bool,
}

impl Args {
    fn jobs(&self) -> usize {
        self.jobs.map_or_else(available_cores, usize::from)
    }
}

/// Runs every experiment; all files are validated before the first one starts.
///
/// # Errors
/// Whatever stops a run; experiments before it are sealed.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let sessions = args.experiments.sessions().collect::<Result<Vec<_>, _>>()?;
    super::interrupt::on_signals();
    let mut worst = Exit::Fine;
    for session in &sessions {
        match run_one(session, args, global)? {
            Exit::Interrupted => return Ok(Exit::Interrupted),
            Exit::Fine => {}
            exit => worst = exit,
        }
    }
    Ok(worst)
}

fn run_one(session: &Session, args: &Args, global: &Global) -> Result<Exit, Failure> {
    let experiment = &session.experiment;
    // Where nothing is to do, nothing has to be writable either.
    if !args.fresh && already_sealed(session, args)? {
        let dir = session.dir.display();
        global.say(&format!("{}: already sealed in {dir}; --fresh recomputes", experiment.id));
        return Ok(Exit::Fine);
    }
    let existing = session.dir.exists().then(|| open(session)).transpose()?;
    let sealed = match existing.is_some() && !args.fresh {
        true => Sealed::read(session)?,
        false => None,
    };
    let datasets = session.datasets(&Bars::default())?;
    let plan = session.plan(&datasets, args.choices.into())?;
    let wanted = args.only.as_ref().map(|only| only.keys(&plan.trials)).transpose();
    let wanted = wanted.map_err(Exit::Usage.because())?;
    if let Some(sealed) = sealed.as_ref().filter(|_| !args.replace) {
        refuse_loss(session, sealed, &plan)?;
    }
    // Nothing is created, or forgotten, before everything that this run needs is there.
    let mut folder = existing.map_or_else(|| open(session), Ok)?;
    if let Some(sealed) = sealed {
        folder.adopt(sealed.outcomes()).map_err(Exit::Results.because())?;
    }
    if args.fresh {
        folder.forget().map_err(Exit::Results.because())?;
    }
    for warning in folder.warnings() {
        global.warn(warning);
    }
    let derived = session.library.derived();
    let options = Options {
        jobs: args.jobs(),
        needs: Needs::of(experiment, plan.trials.iter()),
        derived: if args.fresh { derived.anew() } else { derived },
        crashes: folder.watch_crashes().map_err(Exit::Results.because())?,
    };
    let _working = Working::begin();
    folder.still_ours().map_err(Exit::Results.because())?;
    seal::write::unseal(&session.dir).map_err(Exit::Results.because())?;
    let mut executed: BTreeSet<Digest> = BTreeSet::new();
    // What has run may select a grid point whose test scores an earlier seal left out: it runs again.
    let records = loop {
        let records = select::records(experiment, &plan, folder.outcomes(), &options.needs);
        let mut pending: Vec<&Path> = folder.pending(&plan, &records, &options.needs);
        pending.retain(|path| !executed.contains(&path.id));
        if let Some(shard) = args.shard {
            pending.retain(|path| shard.has(path.id));
        }
        if let Some(wanted) = &wanted {
            let wanted = |&trial: &usize| wanted.contains(&plan.trials[trial].key);
            pending.retain(|path| path.trials.iter().any(wanted));
        }
        if pending.is_empty() {
            break records;
        }
        let progress = Progress::new(&experiment.id, &plan, &pending, global.quiet);
        let finished = folder.journaled(args.shard, &plan, &pending, |paths, sink| {
            executor::execute(experiment, &plan, paths, &datasets, &options, sink, &progress)
        });
        drop(progress);
        if !finished.map_err(Exit::Results.because())? {
            global.warn(INTERRUPTED);
            return Ok(Exit::Interrupted);
        }
        executed.extend(pending.iter().map(|path| path.id));
    };
    if let Some(shard) = args.shard {
        let done = executed.len();
        global.say(&format!(
            "{}: {done} paths of shard {}/{} are in {}",
            experiment.id,
            shard.index,
            shard.of,
            session.dir.join(crate::layout::JOURNAL).display()
        ));
        return Ok(Exit::Fine);
    }
    let recorded = session.dir.join(ENVIRONMENT).exists();
    let environment = (!executed.is_empty() || !recorded).then(|| Environment::now(args.jobs()));
    let outputs = Outputs::new(session, &records, args.choices, args.png)?;
    let (report, manifest) = outputs.publish(session, environment, &mut folder)?;
    Ok(conclude(session, &records, &report, &manifest, global))
}

/// The results folder, which this process has to itself.
///
/// # Errors
/// If it is another process's, can't be written, or holds what is not reprise's own.
pub fn open(session: &Session) -> Result<Folder, Failure> {
    seal::write::check_own(&session.dir, &session.experiment.id)
        .map_err(Exit::Results.because())?;
    Folder::open(&session.dir).map_err(Exit::Results.because::<FolderError>())
}

/// Whether the folder already holds, under an intact seal, what this run would give.
fn already_sealed(session: &Session, args: &Args) -> Result<bool, Failure> {
    // Another process may be writing: what is wrong is said once the folder is this one's.
    match Sealed::read(session) {
        Ok(Some(sealed)) => sealed.serves(session, args),
        Ok(None) | Err(_) => Ok(false),
    }
}

/// What a folder holds as it was sealed.
pub struct Sealed {
    /// Its manifest.
    pub manifest: Manifest,
    /// Its trials.
    pub rows: Vec<Row>,
}

impl Sealed {
    /// Reads a results folder; none if it is not sealed.
    ///
    /// # Errors
    /// If it is not as it was sealed.
    pub fn read(session: &Session) -> Result<Option<Self>, Failure> {
        let seal::Folder { manifest, differences, .. } = seal::check(&session.dir);
        match (manifest, differences.as_slice()) {
            (Some(manifest), []) => {
                let rows = trials_csv::read(&session.dir).map_err(Exit::CheckFailed.because())?;
                Ok(Some(Self { manifest, rows }))
            }
            (None, [] | [Difference::NotSealed]) => Ok(None),
            (_, differences) => Err(tampered(session, differences)),
        }
    }

    /// The outcomes of its trials, by key.
    pub fn outcomes(&self) -> BTreeMap<Digest, Arc<Outcome>> {
        trials_csv::by_key(&self.rows)
    }

    /// Whether it is what this run would give.
    fn serves(&self, session: &Session, args: &Args) -> Result<bool, Failure> {
        let (manifest, experiment) = (&self.manifest, &session.experiment);
        let current = methods(experiment).iter().all(|(kind, revision)| {
            manifest.methods.get(kind).is_none_or(|sealed| sealed == revision)
        });
        let choices = args.choices && !experiment.choices.is_empty();
        let has_png = manifest.files.iter().any(|file| file.path.ends_with(".png"));
        Ok(manifest.complete
            && current
            && manifest.spec == experiment.spec_digest()
            && manifest.reprise == env!("CARGO_PKG_VERSION")
            && manifest.layout == LAYOUT
            && (manifest.choices == choices || manifest.choices && !args.replace)
            && (has_png || !args.png || experiment.figures.is_empty())
            && self.same_data(session)?)
    }

    /// Whether its datasets are those that the registry describes now.
    fn same_data(&self, session: &Session) -> Result<bool, Failure> {
        let ids = session.dataset_ids();
        let entries = FileEntry::of(DATASETS, session.library.entries_text(&ids).as_bytes());
        if !self.manifest.files.contains(&entries) {
            return Ok(false);
        }
        if session.library.pinned(&ids)? {
            return Ok(true);
        }
        let digests = session.datasets(&Bars::default())?.digests().map_err(Error::from)?;
        let sealed = |name: &String| self.manifest.datasets.get(name);
        Ok(digests.iter().all(|(name, digest)| sealed(name).is_none_or(|sealed| sealed == digest)))
    }
}

/// Sealed trials would be lost.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{count} sealed trials in {} are no trials of this run, such as {}", dir.display(), example.short())]
struct Loss {
    dir: PathBuf,
    count: usize,
    example: Digest,
    #[help]
    help: &'static str,
}

/// Makes sure that sealing anew gives up no trial that is sealed.
///
/// # Errors
/// If it would.
pub fn refuse_loss(session: &Session, sealed: &Sealed, plan: &Plan) -> Result<(), Failure> {
    let planned = plan.keys();
    let outcomes = sealed.outcomes();
    let mut lost = outcomes.keys().filter(|key| !planned.contains(key));
    let Some(&example) = lost.next() else { return Ok(()) };
    let without = plan.trials.iter().all(|trial| trial.choice.is_empty());
    let open = !session.experiment.choices.is_empty();
    let help = if sealed.manifest.choices && open && without {
        "`run --choices` keeps those of choices; `run --replace` gives them up"
    } else {
        "give this run a --results folder of its own; `run --replace` gives them up"
    };
    let (dir, count) = (session.dir.clone(), 1 + lost.count());
    Err(Exit::Usage.because()(Loss { dir, count, example, help }))
}

/// Results were changed after they were sealed.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the results in {} are not as they were sealed:\n{}", dir.display(), differences.join("\n"))]
#[diagnostic(help(
    "restore the files and remove those that are not listed, or recompute them with --fresh"
))]
struct Tampered {
    dir: PathBuf,
    differences: Vec<String>,
}

/// The failure that says so.
fn tampered(session: &Session, differences: &[Difference]) -> Failure {
    let differences = differences.iter().map(ToString::to_string).collect();
    Exit::CheckFailed.because()(Tampered { dir: session.dir.clone(), differences })
}

fn methods(experiment: &Experiment) -> BTreeMap<String, u32> {
    let entries = experiment.methods.iter().filter_map(|method| method.entry);
    entries.map(|entry| (entry.kind.to_owned(), entry.revision)).collect()
}

/// Tells the user what came out, and what to make of it.
fn conclude(
    session: &Session,
    records: &[Record],
    report: &Report,
    manifest: &Manifest,
    global: &Global,
) -> Exit {
    let experiment = &session.experiment;
    global.say(&report.terminal);
    let may_fail = |record: &Record| {
        experiment.methods.iter().any(|m| m.id == record.trial.method && m.may_fail)
    };
    let failed: Vec<&Record> = records
        .iter()
        .filter(|record| {
            record.outcome.as_ref().is_some_and(|outcome| {
                matches!(
                    outcome.status,
                    Status::Failed | Status::Nonfinite | Status::Timeout | Status::Crashed
                )
            })
        })
        .filter(|record| !may_fail(record))
        .collect();
    for record in failed.iter().take(10) {
        let Some(outcome) = &record.outcome else { continue };
        global.warn(&format!(
            "{}: {}: {}",
            record.trial.place(),
            outcome.status.word(),
            outcome.message
        ));
    }
    if failed.len() > 10 {
        global.warn(&format!("… and {} more failed trials: see trials.csv", failed.len() - 10));
    }
    global.say(&format!(
        "{}: {} trials, sealed{} in {}\ndigest {}",
        experiment.id,
        records.len(),
        if manifest.complete { "" } else { " as incomplete" },
        session.dir.display(),
        manifest.digest,
    ));
    if failed.is_empty() { Exit::Fine } else { Exit::TrialsFailed }
}
