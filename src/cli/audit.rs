//! `reprise audit`: are results as they were sealed, and do they come out again?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::data::library::Verdict;
use crate::math::digest::{Digest, FieldHasher};
use crate::math::parallel::{available_cores, lock, unwrap_mutex};
use crate::math::random::Random;
use crate::run::crash::Crashes;
use crate::run::executor::{self, Options, Sink};
use crate::run::journal::StoreError;
use crate::run::needs::Needs;
use crate::run::plan::{self, Plan, WithChoices};
use crate::run::trials_csv::{self, Row};
use crate::run::{Outcome, Status};
use crate::seal::{self, Difference, Folder, Manifest};

use super::progress::Progress;
use super::session::{Limits, Session};
use super::{DataOptions, Exit, Failure, Global, render};

/// Compare sealed results with their manifests, byte by byte
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A results folder, or a tree of them
    #[arg(value_name = "DIR", default_value = "results")]
    pub dir: PathBuf,
    /// Re-execute N paths of each experiment, drawn at random but always the same, or all of them,
    /// and compare the records bit for bit
    #[arg(long, value_name = "N|all")]
    pub rerun: Option<Rerun>,
    /// Verify the datasets in the cache, and that they are those that the results were made from
    #[arg(long)]
    pub data: bool,
    /// Also compare the results' digest with one obtained elsewhere
    #[arg(long, value_name = "DIGEST")]
    pub expect: Option<Digest>,
    /// Worker threads for --rerun [default: all cores]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<std::num::NonZeroUsize>,
    #[command(flatten)]
    pub from: DataOptions,
    #[command(flatten)]
    pub limits: Limits,
}

/// How many paths to execute again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rerun {
    /// So many.
    Some(usize),
    /// All.
    All,
}

impl std::str::FromStr for Rerun {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            _ => text
                .parse()
                .map(Self::Some)
                .map_err(|_| format!("expected a number or `all`, not {text:?}")),
        }
    }
}

/// The folder can't be audited.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
enum AuditError {
    /// It can't be listed.
    #[error("failed to list {}: {cause}", dir.display())]
    #[diagnostic(help("name a folder of results: reprise audit DIR"))]
    Unreadable {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// There is nothing in it.
    #[error("no results below {}", .0.display())]
    #[diagnostic(help("name a folder of results: reprise audit DIR"))]
    Nothing(PathBuf),
}

/// Audits; lists every difference.
///
/// # Errors
/// If there is nothing to audit, or the data for a re-run is unavailable.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let unreadable = |cause| AuditError::Unreadable { dir: args.dir.clone(), cause };
    let mut folders =
        seal::audit(&args.dir).map_err(unreadable).map_err(Exit::CheckFailed.because())?;
    if folders.is_empty() {
        return Err(Exit::CheckFailed.because()(AuditError::Nothing(args.dir.clone())));
    }
    super::interrupt::on_signals();
    for folder in &mut folders {
        let Some(manifest) = folder.manifest.clone() else { continue };
        if let Some(expected) = args.expect
            && expected != manifest.digest
        {
            folder.differences.push(Difference::Other(format!(
                "its digest is {}, expected {expected}",
                manifest.digest
            )));
        }
        if (args.data || args.rerun.is_some()) && folder.differences.is_empty() {
            let found = deep(folder, &manifest, args, global)?;
            folder.differences.extend(found);
        }
    }
    let differences: usize = folders.iter().map(|folder| folder.differences.len()).sum();
    let mut text = String::new();
    for folder in &folders {
        let digest = folder.manifest.as_ref().map_or_else(String::new, |m| m.digest.to_string());
        let complete = folder.manifest.as_ref().is_none_or(|manifest| manifest.complete);
        let state = match folder.differences.len() {
            0 if complete => "ok",
            0 => "ok, but sealed as incomplete",
            _ => "DIFFERS",
        };
        let _ = writeln!(text, "{}: {state} {digest}", folder.path.display());
        for difference in &folder.differences {
            let _ = writeln!(text, "  {difference}");
        }
    }
    let _ = writeln!(text, "{} results folders, {differences} differences", folders.len());
    render::listing(&text)?;
    Ok(match differences {
        0 => Exit::Fine,
        _ => Exit::CheckFailed,
    })
}

/// The checks that need the data.
fn deep(
    folder: &Folder,
    manifest: &Manifest,
    args: &Args,
    global: &Global,
) -> Result<Vec<Difference>, Failure> {
    let profile = Some(manifest.profile.as_str()).filter(|name| !name.is_empty());
    let spec = folder.path.join("spec.toml");
    let session = Session::open(&spec, profile, Path::new(""), &args.from, &args.limits)?;
    let mut differences = Vec::new();
    if args.data {
        // Before anything loads them: a damaged file of the cache would be fetched again.
        for file in session.library.verify(&session.dataset_ids())? {
            if let Verdict::Corrupt(mismatch) = file.verdict {
                let (dataset, role) = (&file.file.dataset, file.file.role.word());
                differences.push(Difference::Other(format!("data {dataset} {role}: {mismatch}")));
            }
        }
        if !differences.is_empty() {
            return Ok(differences);
        }
    }
    let datasets = session.datasets()?;
    let digests = datasets.digests()?;
    for (id, sealed) in &manifest.datasets {
        match digests.get(id) {
            Some(digest) if digest == sealed => {}
            Some(digest) => differences.push(Difference::Other(format!(
                "dataset {id}: its digest is {digest}, sealed as {sealed}"
            ))),
            None => differences.push(Difference::Other(format!("dataset {id}: not in spec.toml"))),
        }
    }
    let Some(rerun) = args.rerun else { return Ok(differences) };
    let rows = trials_csv::read(&folder.path).map_err(Exit::CheckFailed.because())?;
    differences.extend(rebuilt(&session, manifest, &rows)?);
    let plan = session.plan(&datasets, WithChoices::Yes)?;
    let planned: BTreeSet<Digest> = plan.trials.iter().map(|trial| trial.key).collect();
    for row in rows.iter().filter(|row| !planned.contains(&row.key)) {
        differences.push(Difference::Other(format!(
            "trial {}: not a trial of spec.toml on this data",
            row.key.short()
        )));
    }
    let keys: BTreeSet<Digest> = rows.iter().map(|row| row.key).collect();
    let sealed = trials_csv::by_key(&rows);
    // A crash or a time-out can't be expected to come out again; of choices, what ran is sealed.
    let again = |path: &&plan::Path| {
        path.trials.iter().map(|&trial| &plan.trials[trial]).all(|trial| {
            match sealed.get(&trial.key) {
                Some(outcome) => !matches!(outcome.status, Status::Crashed | Status::Timeout),
                None => !keys.contains(&trial.key) && (manifest.choices || trial.choice.is_empty()),
            }
        })
    };
    let mut paths: Vec<&plan::Path> = plan.paths.iter().filter(again).collect();
    if let Rerun::Some(n) = rerun {
        Random::new(FieldHasher::new("rerun").field(manifest.digest.0).finish())
            .shuffle(&mut paths);
        paths.truncate(n);
    }
    // This machine may be slower than the one that kept the limit.
    let mut patient = session.experiment.clone();
    patient.parts.iter_mut().for_each(|part| part.timeout = None);
    let jobs = args.jobs.map_or_else(available_cores, usize::from);
    let needs = Needs::of(&session.experiment, plan.trials.iter());
    // What the sealed run kept on this machine would confirm itself.
    let (derived, crashes) = (session.library.derived().anew(), Crashes::default());
    let options = Options { jobs, needs, derived, crashes };
    let progress = Progress::new(&session.experiment.id, &plan, &paths, global.quiet);
    let comparison =
        Comparison { plan: &plan, sealed: &sealed, found: Mutex::new(BTreeMap::new()) };
    let finished =
        executor::execute(&patient, &plan, &paths, &datasets, &options, &comparison, &progress);
    progress.finish();
    finished.map_err(Exit::Results.because())?;
    global.say(&format!("{}: {} paths executed again", session.experiment.id, paths.len()));
    let found = unwrap_mutex(comparison.found);
    differences.extend(found.into_values().map(Difference::Other));
    Ok(differences)
}

/// The outputs that come out differently when they are made again from `trials.csv`.
fn rebuilt(
    session: &Session,
    manifest: &Manifest,
    rows: &[Row],
) -> Result<Vec<Difference>, Failure> {
    let records = super::report::from_sealed(session, manifest, rows)?;
    let png = manifest.files.iter().any(|file| file.path.ends_with(".png"));
    let (_, outputs) = super::run::outputs(session, &records, png)?;
    let sealed = manifest.files.iter().filter(|file| file.deterministic);
    let differs = sealed.filter(|file| {
        outputs.get(&file.path).is_none_or(|bytes| Digest::of(bytes) != file.sha256)
    });
    let text = |path: &str| {
        Difference::Other(format!("{path}: does not come out again from {}", trials_csv::TRIALS))
    };
    Ok(differs.map(|file| text(&file.path)).collect())
}

/// Compares outcomes with sealed ones instead of keeping them.
struct Comparison<'a> {
    plan: &'a Plan,
    sealed: &'a BTreeMap<Digest, Arc<Outcome>>,
    /// Differences by trial index.
    found: Mutex<BTreeMap<usize, String>>,
}

impl Sink for Comparison<'_> {
    fn finished(&self, path: &plan::Path, outcomes: Vec<Outcome>) -> Result<(), StoreError> {
        for (&index, outcome) in path.trials.iter().zip(&outcomes) {
            let trial = &self.plan.trials[index];
            let difference = match self.sealed.get(&trial.key) {
                None => Some("not in trials.csv".to_owned()),
                Some(sealed) => differs(sealed, outcome),
            };
            if let Some(difference) = difference {
                let (key, place) = (trial.key.short(), trial.place());
                let text = format!("trial {key} ({place}): {difference}");
                lock(&self.found).insert(index, text);
            }
        }
        Ok(())
    }
}

fn differs(sealed: &Outcome, again: &Outcome) -> Option<String> {
    if (sealed.status, &sealed.message) != (again.status, &again.message) {
        return Some(format!(
            "{} {}, sealed as {} {}",
            again.status.word(),
            again.message,
            sealed.status.word(),
            sealed.message
        ));
    }
    // Test scores of unselected grid points are not sealed.
    let metric = sealed.metrics.iter().find(|(metric, measure)| {
        let again = again.metrics.get(metric.name);
        again.is_none_or(|again| format!("{again:?}") != format!("{measure:?}"))
    });
    if let Some((metric, measure)) = metric {
        let (name, again) = (metric.name, again.metrics.get(metric.name));
        return Some(format!("{name} is {again:?}, sealed as {measure:?}"));
    }
    // As text: a value that is not a number equals itself.
    (format!("{:?}", (&sealed.examples, &sealed.picture))
        != format!("{:?}", (&again.examples, &again.picture)))
    .then(|| "other values per example".to_owned())
}
