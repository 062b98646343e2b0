//! `reprise run`: from experiment files to sealed results.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::math::digest::Digest;
use crate::math::parallel::available_cores;
use crate::report::Report;
use crate::run::executor::{self, Options};
use crate::run::needs::Needs;
use crate::run::plan::{Path, WithChoices};
use crate::run::store::{Folder, FolderError, Shard};
use crate::run::{Record, Status, select, trials_csv};
use crate::seal::environment::{ENVIRONMENT, Environment};
use crate::seal::{self, Manifest};
use crate::spec::Experiment;

use super::interrupt::Working;
use super::only::Only;
use super::progress::Progress;
use super::session::{Experiments, Session};
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
    let mut folder = Folder::open(&session.dir).map_err(Exit::Results.because::<FolderError>())?;
    if !args.fresh && already_sealed(session, args, &mut folder)? {
        let dir = session.dir.display();
        global.say(&format!("{}: already sealed in {dir}; --fresh recomputes", experiment.id));
        return Ok(Exit::Fine);
    }
    let datasets = session.datasets()?;
    let plan = session.plan(&datasets, args.choices.into())?;
    let wanted = args.only.as_ref().map(|only| only.keys(&plan.trials)).transpose();
    let wanted = wanted.map_err(Exit::Usage.because())?;
    // Not before everything that this run needs is there.
    if args.fresh {
        folder.forget().map_err(Exit::Results.because())?;
    }
    for warning in folder.warnings() {
        global.warn(warning);
    }
    let needs = Needs::of(experiment, plan.trials.iter());
    let records = select::records(experiment, &plan, folder.outcomes(), &needs);
    let mut pending: Vec<&Path> = folder.pending(&plan, &records, &needs);
    if let Some(shard) = args.shard {
        pending.retain(|path| shard.has(path.id));
    }
    if let Some(wanted) = wanted {
        pending.retain(|path| path.trials.iter().any(|&t| wanted.contains(&plan.trials[t].key)));
    }
    let derived = session.library.derived();
    let options = Options {
        jobs: args.jobs(),
        needs,
        derived: if args.fresh { derived.anew() } else { derived },
        crashes: folder.watch_crashes().map_err(Exit::Results.because())?,
    };
    let _working = Working::begin();
    seal::write::unseal(&session.dir).map_err(Exit::Results.because())?;
    let journal = folder.journal(args.shard).map_err(Exit::Results.because())?;
    let progress = Progress::new(&experiment.id, &plan, &pending, global.quiet);
    let finished = executor::journaled(&journal, &plan, |sink| {
        executor::execute(experiment, &plan, &pending, &datasets, &options, sink, &progress)
    });
    progress.finish();
    if !finished.map_err(Exit::Results.because())? {
        global.warn("interrupted; what finished is kept, and the same command goes on from there");
        return Ok(Exit::Interrupted);
    }
    folder.reload().map_err(Exit::Results.because())?;
    if let Some(shard) = args.shard {
        let done = pending.len();
        global.say(&format!(
            "{}: {done} paths of shard {}/{} are in {}",
            experiment.id,
            shard.index,
            shard.of,
            session.dir.join(crate::run::store::JOURNAL).display()
        ));
        return Ok(Exit::Fine);
    }
    let whole = session.plan(&datasets, WithChoices::Yes)?;
    let needs = Needs::of(experiment, whole.trials.iter());
    let records = select::records(experiment, &whole, folder.outcomes(), &needs);
    let (records, choices) = finished_choices(records, args.choices);
    let recorded = session.dir.join(ENVIRONMENT).exists();
    let environment = (!pending.is_empty() || !recorded).then(|| Environment::now(args.jobs()));
    let (report, manifest) = publish(session, &records, choices, environment, args.png)?;
    folder.forget().map_err(Exit::Results.because())?;
    Ok(conclude(session, &records, &report, &manifest, global))
}

/// The records without those options of choices that have not run, unless all are asked for; and
/// whether all are there. What an earlier run with choices computed stays.
pub fn finished_choices(records: Vec<Record>, all: bool) -> (Vec<Record>, bool) {
    let planned = records.len();
    let open = |record: &Record| !record.trial.choice.is_empty();
    let any = records.iter().any(open);
    let records: Vec<Record> =
        records.into_iter().filter(|r| all || !open(r) || r.outcome.is_some()).collect();
    let complete = all || (any && records.len() == planned);
    (records, complete)
}

/// Whether the folder already holds what this run would give. If it holds something else that is
/// sealed, its records are taken over.
fn already_sealed(session: &Session, args: &Args, folder: &mut Folder) -> Result<bool, Failure> {
    let sealed = seal::check(&session.dir);
    let Some(manifest) = sealed.manifest else {
        return match sealed.differences.first() {
            Some(seal::Difference::Manifest(_)) => Err(tampered(session, &sealed.differences)),
            _ => Ok(false),
        };
    };
    if !sealed.differences.is_empty() {
        return Err(tampered(session, &sealed.differences));
    }
    let experiment = &session.experiment;
    let current = methods(experiment)
        .iter()
        .all(|(kind, revision)| manifest.methods.get(kind).is_none_or(|sealed| sealed == revision));
    let has_png = manifest.files.iter().any(|file| file.path.ends_with(".png"));
    if manifest.complete
        && current
        && manifest.spec == experiment.spec_digest()
        && manifest.reprise == env!("CARGO_PKG_VERSION")
        && (manifest.choices || !args.choices || experiment.choices.is_empty())
        && (has_png || !args.png || experiment.figures.is_empty())
        && same_data(session, &manifest)?
    {
        return Ok(true);
    }
    let rows = trials_csv::read(&session.dir).map_err(Exit::CheckFailed.because())?;
    folder.adopt(trials_csv::by_key(&rows)).map_err(Exit::Results.because())?;
    Ok(false)
}

/// Whether the datasets are those that the results were made from, as far as this can be told
/// without fetching anything: the registry, or a local file, may have changed.
fn same_data(session: &Session, manifest: &Manifest) -> Result<bool, Failure> {
    let files = session.library.plan_fetch(&session.dataset_ids())?;
    if files.iter().any(|file| file.path.is_none()) {
        return Ok(true);
    }
    let digests = session.datasets()?.digests()?;
    Ok(digests
        .iter()
        .all(|(name, digest)| manifest.datasets.get(name).is_none_or(|sealed| sealed == digest)))
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
pub fn tampered(session: &Session, differences: &[seal::Difference]) -> Failure {
    let differences = differences.iter().map(ToString::to_string).collect();
    Exit::CheckFailed.because()(Tampered { dir: session.dir.clone(), differences })
}

fn methods(experiment: &Experiment) -> BTreeMap<String, u32> {
    let entries = experiment.methods.iter().filter_map(|method| method.entry);
    entries.map(|entry| (entry.kind.to_owned(), entry.revision)).collect()
}

/// Builds the report of these records, writes all outputs and seals them. `environment` is that of
/// the trials; none if none ran now, and then the one on record stays.
///
/// # Errors
/// If a figure can't be made a PNG, or an output can't be written.
pub fn publish(
    session: &Session,
    records: &[Record],
    choices: bool,
    environment: Option<Environment>,
    png: bool,
) -> Result<(Report, Manifest), Failure> {
    let experiment = &session.experiment;
    let needs = Needs::of(experiment, records.iter().map(|record| &record.trial));
    let (report, mut outputs) = outputs(session, records, png)?;
    let recorded = environment
        .map(|environment| environment.to_text().into_bytes())
        .or_else(|| std::fs::read(session.dir.join(ENVIRONMENT)).ok());
    outputs.extend(recorded.map(|text| (ENVIRONMENT.to_owned(), text)));
    // Of the method as it was when the trials ran, which may be long ago.
    let mut methods: BTreeMap<&str, u32> = BTreeMap::new();
    let mut datasets: BTreeMap<&str, Digest> = BTreeMap::new();
    for Record { trial, .. } in records {
        let revision = methods.entry(trial.kind).or_insert(trial.revision);
        *revision = trial.revision.min(*revision);
        datasets.insert(&trial.variant, trial.data);
    }
    let header = Manifest {
        schema: 1,
        experiment: experiment.id.clone(),
        profile: experiment.profile().unwrap_or_default().to_owned(),
        reprise: env!("CARGO_PKG_VERSION").to_owned(),
        complete: records.iter().all(|record| needs.met_by(record)),
        choices,
        spec: experiment.spec_digest(),
        digest: Digest::of(b""),
        datasets: datasets.into_iter().map(|(id, digest)| (id.to_owned(), digest)).collect(),
        methods: methods.into_iter().map(|(kind, rev)| (kind.to_owned(), rev)).collect(),
        files: Vec::new(),
    };
    let manifest =
        seal::write::seal(&session.dir, &outputs, header).map_err(Exit::Results.because())?;
    Ok((report, manifest))
}

/// The report of these records, and the files that are a function of them and of the experiment
/// file.
///
/// # Errors
/// If a figure can't be made a PNG.
pub fn outputs(
    session: &Session,
    records: &[Record],
    png: bool,
) -> Result<(Report, BTreeMap<String, Vec<u8>>), Failure> {
    let experiment = &session.experiment;
    let report = crate::report::build(experiment, records, &|id| session.title(id));
    let mut outputs = report.files.clone();
    if png {
        for (path, svg) in &report.files {
            if let Some(stem) = path.strip_suffix(".svg") {
                let png = crate::report::figure::png(&String::from_utf8_lossy(svg))
                    .map_err(Exit::Results.because())?;
                outputs.insert(format!("{stem}.png"), png);
            }
        }
    }
    outputs.extend(trials_csv::write(records));
    outputs.insert("spec.toml".to_owned(), experiment.source.text.clone().into_bytes());
    for file in &experiment.published {
        outputs.insert(file.path.clone(), file.text.clone().into_bytes());
    }
    Ok((report, outputs))
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
    if !manifest.choices && records.iter().any(|record| !record.trial.choice.is_empty()) {
        global.warn(&format!(
            "{}: the results hold trials of some options of choices, from an earlier run, so the \
             digest is not that of a run from nothing; with --choices the others run too",
            experiment.id
        ));
    }
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
