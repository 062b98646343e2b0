//! `reprise run`: from experiment files to sealed results.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::math::digest::Digest;
use crate::math::parallel::available_cores;
use crate::report::Report;
use crate::run::executor::{self, Options};
use crate::run::plan::{Path, Plan};
use crate::run::store::{Folder, FolderError, Shard};
use crate::run::{Record, Status, select, trials_csv};
use crate::seal::environment::{ENVIRONMENT, Environment};
use crate::seal::{self, Manifest};
use crate::spec::{AxisRef, Experiment, PairBy};

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
    if args.fresh {
        folder.forget().map_err(Exit::Results.because())?;
    } else if already_sealed(session, args, &mut folder)? {
        let dir = session.dir.display();
        global.say(&format!("{}: already sealed in {dir}; --fresh recomputes", experiment.id));
        return Ok(Exit::Fine);
    }
    for warning in folder.warnings() {
        global.warn(warning);
    }
    let datasets = session.datasets()?;
    let plan = session.plan(&datasets, args.choices.into())?;
    let examples = metrics_by_example(experiment);
    let records = select::records(experiment, &plan, folder.outcomes());
    let pending: Vec<&Path> = folder
        .pending(&plan, &records, &examples)
        .into_iter()
        .filter(|path| args.shard.is_none_or(|shard| shard.has(path.id)))
        .filter(|path| args.only.as_ref().is_none_or(|only| only.has(&plan.trials[path.trials[0]])))
        .collect();
    let options = Options {
        jobs: args.jobs(),
        examples: examples.clone(),
        crashes: folder.watch_crashes().map_err(Exit::Results.because())?,
    };
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
    let records = select::records(experiment, &plan, folder.outcomes());
    let environment = (!pending.is_empty()).then(|| Environment::now(args.jobs()));
    let report = publish(session, &records, args.choices, environment, args.png)?;
    folder.forget().map_err(Exit::Results.because())?;
    conclude(session, &plan, &records, &report, global)
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
    {
        return Ok(true);
    }
    let rows = trials_csv::read(&session.dir).map_err(Exit::CheckFailed.because())?;
    folder.adopt(rows).map_err(Exit::Results.because())?;
    Ok(false)
}

/// Results were changed after they were sealed.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the results in {} are not as they were sealed:\n{}", dir.display(), differences.join("\n"))]
#[diagnostic(help("restore the files, or recompute them with --fresh"))]
struct Tampered {
    dir: PathBuf,
    differences: Vec<String>,
}

fn tampered(session: &Session, differences: &[seal::Difference]) -> Failure {
    let differences = differences.iter().map(ToString::to_string).collect();
    Exit::CheckFailed.because()(Tampered { dir: session.dir.clone(), differences })
}

/// The metrics of which a test needs a value for each test example.
pub fn metrics_by_example(experiment: &Experiment) -> Vec<String> {
    let tests = experiment.tests.iter().filter(|test| test.pair_by == PairBy::Example);
    let mut names: Vec<String> = tests.map(|test| test.metric.name.to_owned()).collect();
    names.sort();
    names.dedup();
    names
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
) -> Result<Report, Failure> {
    let experiment = &session.experiment;
    let report = crate::report::build(experiment, records, &|id| session.title(id));
    let over_grid = experiment.figures.iter().any(|figure| {
        matches!(figure.x, AxisRef::Grid(_)) || matches!(figure.series, AxisRef::Grid(_))
    });
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
    outputs.extend(trials_csv::write(records, over_grid));
    outputs.insert("spec.toml".to_owned(), experiment.source.text.clone().into_bytes());
    for file in &experiment.published {
        outputs.insert(file.path.clone(), file.text.clone().into_bytes());
    }
    let recorded = environment
        .map(|environment| environment.to_text().into_bytes())
        .or_else(|| std::fs::read(session.dir.join(ENVIRONMENT)).ok());
    outputs.extend(recorded.map(|text| (ENVIRONMENT.to_owned(), text)));
    let done = |record: &Record| {
        record.outcome.as_ref().is_some_and(|outcome| outcome.status != Status::Timeout)
    };
    let header = Manifest {
        schema: 1,
        experiment: experiment.id.clone(),
        profile: experiment.profile().unwrap_or_default().to_owned(),
        reprise: env!("CARGO_PKG_VERSION").to_owned(),
        complete: records.iter().all(done),
        choices,
        spec: experiment.spec_digest(),
        digest: Digest::of(b""),
        datasets: records
            .iter()
            .map(|record| (record.trial.dataset.clone(), record.trial.data))
            .collect(),
        methods: methods(experiment),
        files: Vec::new(),
    };
    seal::write::seal(&session.dir, &outputs, header).map_err(Exit::Results.because())?;
    Ok(report)
}

/// Tells the user what came out, and what to make of it.
fn conclude(
    session: &Session,
    plan: &Plan,
    records: &[Record],
    report: &Report,
    global: &Global,
) -> Result<Exit, Failure> {
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
            "{} on {}, repeat {}, fold {}: {}: {}",
            record.trial.method,
            record.trial.dataset,
            record.trial.repeat,
            record.trial.fold,
            outcome.status.word(),
            outcome.message
        ));
    }
    if failed.len() > 10 {
        global.warn(&format!("… and {} more failed trials: see trials.csv", failed.len() - 10));
    }
    let manifest = Manifest::read(&session.dir).ok().flatten();
    let digest = manifest.as_ref().map_or_else(String::new, |m| m.digest.to_string());
    let complete = manifest.is_some_and(|m| m.complete);
    global.say(&format!(
        "{}: {} trials, sealed{} in {}\ndigest {digest}",
        experiment.id,
        plan.trials.len(),
        if complete { "" } else { " as incomplete" },
        session.dir.display(),
    ));
    Ok(if failed.is_empty() { Exit::Fine } else { Exit::TrialsFailed })
}
