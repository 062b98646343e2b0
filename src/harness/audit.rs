//! Auditing one sealed folder beyond its bytes: its inputs, its data, and whether its results come out again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::derived::Derived;
use base::digest::Digest;
use base::file_error::FileError;
use base::layout::AUDITED;
use data::library::{FetchProgress, Verdict};
use data::{DataConfig, DataError, Library};
use page::comparison::Flip;
use run::crash::{self, CRASHES};
use run::executor::{self, Options};
use run::journal::Journal;
use run::needs::Needs;
use run::plan::WithChoices;
use seal::Manifest;

use super::again::{Execution, again};
use super::compare::{flips, texts};
use super::inputs;
use super::run::unobserved;
use super::{Error, Session};
use spec::Lists;

/// With what sealed results are made again.
#[derive(Debug, Clone)]
pub struct Means {
    /// What experiment files may name.
    pub lists: &'static Lists,
    /// Where data comes from; its registry is the user's own, whose entries count before the built-in ones.
    pub data: DataConfig,
    /// Experiment files of the user's, with which sealed ones are compared.
    pub specs: Vec<PathBuf>,
    /// Whether sealed dataset entries may name sources that neither registry knows.
    pub trust: bool,
    /// How many trials an experiment may have.
    pub max_trials: u64,
}

impl Means {
    /// Those of who trusts nothing in the results.
    pub fn new(lists: &'static Lists, data: DataConfig, max_trials: u64) -> Self {
        Self { lists, data, specs: Vec::new(), trust: false, max_trials }
    }
}

/// What is asked beyond the bytes.
pub struct Request<'a> {
    /// With what.
    pub means: &'a Means,
    /// Whether the datasets in the cache are verified.
    pub verify_data: bool,
    /// Whether paths are executed.
    pub execution: Option<Execution<'a>>,
    /// Told of downloads.
    pub progress: &'a dyn FetchProgress,
}

/// What came of it.
#[derive(Debug)]
pub enum Audited {
    /// This program can't check these results.
    NotChecked(String),
    /// There is no data to check them with.
    NoData(DataError),
    /// The user asked to stop.
    Interrupted,
    /// They were checked.
    Checked(Box<Checked>),
}

/// What was found in results that could be checked, in sentences.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What is otherwise than it was sealed.
    pub differences: Vec<String>,
    /// What was executed again, and is still not checked.
    pub unchecked: Vec<String>,
    /// The paths that were to be executed and were not, with the reason.
    pub skipped: Vec<String>,
    /// Promises of less than the same bits that were kept, with the evidence.
    pub kept: Vec<String>,
    /// What each input was equal to.
    pub equal: Vec<String>,
    /// What nothing was there to compare with, or can't be made again, but for entries of datasets.
    pub believed: Vec<String>,
    /// The entries of datasets that no registry here has. There may be many.
    pub believed_datasets: Vec<String>,
    /// The experiment file of the user's that the sealed one was compared with.
    pub spec: Option<PathBuf>,
    /// Paths that were executed again.
    pub executed: usize,
    /// Of how many; none of an audit that executes none.
    pub paths: usize,
}

/// Checks the results of a folder whose bytes are as they were sealed. That they make no sense, as an experiment
/// file that is wrong, is a difference; that there is no data for them leaves them unchecked.
///
/// # Errors
/// If a file to compare with can't be read, or a process can't be started.
pub fn audit(dir: &Path, manifest: &Manifest, request: &Request<'_>) -> Result<Audited, Error> {
    let mut checked = Checked::default();
    let nonsense = match check(dir, manifest, request, &mut checked) {
        Err(Error::Spec(errors)) => {
            let errors: Vec<String> = errors.errors.iter().map(ToString::to_string).collect();
            format!("spec.toml: {}", errors.join("; "))
        }
        Err(Error::Unsuited(misfit)) => misfit.why(),
        Err(Error::Records(error)) => error.to_string(),
        Err(Error::NotChecked(why)) => return Ok(Audited::NotChecked(why)),
        Err(Error::Program(error @ program::Error::Weak(_))) => {
            return Ok(Audited::NotChecked(format!("{error}; --weak executes it all the same")));
        }
        Err(error @ (Error::TooMany(_) | Error::Figure(_) | Error::Store(_))) => {
            return Ok(Audited::NotChecked(error.to_string()));
        }
        Err(Error::Data(DataError::Interrupted)) | Ok(false) => return Ok(Audited::Interrupted),
        Err(Error::Data(error)) => return Ok(Audited::NoData(error)),
        Err(error) => return Err(error),
        Ok(true) => return Ok(Audited::Checked(Box::new(checked))),
    };
    checked.differences.push(nonsense);
    Ok(Audited::Checked(Box::new(checked)))
}

/// Fills `checked`; whether nobody interrupted.
fn check(
    dir: &Path,
    manifest: &Manifest,
    request: &Request<'_>,
    checked: &mut Checked,
) -> Result<bool, Error> {
    let session = open(dir, manifest, request.means, checked)?;
    inputs::compare_spec(&session.experiment, &request.means.specs, checked)?;
    let spec = session.experiment.spec_digest();
    if spec != manifest.spec {
        let what = format!("manifest.toml: spec is {spec}, sealed as {}", manifest.spec);
        checked.differences.push(what);
        return Ok(true);
    }
    if request.verify_data {
        let before = checked.differences.len();
        // Before anything loads them: a damaged file of the cache would be fetched again.
        for file in session.library.verify(&session.dataset_ids())? {
            if let Verdict::Corrupt(mismatch) = file.verdict {
                let (dataset, role) = (&file.file.dataset, file.file.role.word());
                checked.differences.push(format!("data {dataset} {role}: {mismatch}"));
            }
        }
        let cache = session.library.cache();
        let audited = cache.join(AUDITED).join(manifest.digest.to_string());
        for method in &session.experiment.methods {
            let Some(program) = &method.program else { continue };
            for cache in [cache, &audited] {
                let changed = program::changed(cache, program)?;
                let says = |file| format!("environment of {}: {file}", method.id);
                checked.differences.extend(changed.into_iter().map(says));
            }
        }
        if checked.differences.len() > before {
            return Ok(true);
        }
    }
    if let Some(execution) = &request.execution {
        let datasets = session.datasets(request.progress)?;
        return again(&session, manifest, &datasets, execution, checked);
    }
    if request.verify_data {
        // What universes have of datasets is under their digest alone, and looked at where they run.
        let session = session.without_universes();
        let digests = session.datasets(request.progress)?.digests()?;
        let moved = flips([texts(&manifest.datasets), texts(&digests)]);
        checked.differences.extend(moved.into_iter().map(|Flip { what, sides: [sealed, now] }| {
            format!("dataset {what}: its digest is {now}, sealed as {sealed}")
        }));
    }
    Ok(true)
}

/// The sealed experiment with data from sources that are vouched for.
pub(super) fn open(
    dir: &Path,
    manifest: &Manifest,
    means: &Means,
    checked: &mut Checked,
) -> Result<Session, Error> {
    inputs::same_version(manifest, &means.lists.catalogue)?;
    let registry = inputs::datasets(dir, means, checked)?;
    let profile = Some(manifest.profile.as_str()).filter(|name| !name.is_empty());
    let library = Library::with(registry, &means.data)?;
    Session::sealed(means.lists, dir, profile, library, means.max_trials)
}

/// Executes one path of sealed results and journals it: what an audit has done in a process of its own where
/// the path took its process down.
///
/// # Errors
/// As [`audit`]; or if the journal can't be written.
pub fn execute_path(
    dir: &Path,
    manifest: &Manifest,
    means: &Means,
    id: Digest,
    journal: &Path,
    progress: &dyn FetchProgress,
) -> Result<(), Error> {
    let session = open(dir, manifest, means, &mut Checked::default())?;
    let datasets = session.datasets(progress)?;
    let plan = session.plan(&datasets, WithChoices::from(manifest.choices))?;
    let path = plan.paths.iter().find(|path| path.id == id);
    let none = || Error::NotChecked(format!("{} has no path {id}", dir.display()));
    let path = path.ok_or_else(none)?;
    let needs = Needs::of_plan(&session.experiment, &plan);
    let options = Options::new(1, needs, Derived::apart(), Arc::default());
    let crashes = journal.join(CRASHES);
    crash::watch(&crashes).map_err(FileError::on("watch", &crashes))?;
    let journal = Journal::open(journal, "again")?;
    let all = executor::journaled(&journal, &plan, |sink| {
        let experiment = &session.experiment;
        let observer = unobserved(&plan, &[path]);
        executor::execute(experiment, &plan, &[path], &datasets, &options, sink, &*observer)
    })?;
    if all { Ok(()) } else { Err(Error::NotChecked("interrupted".to_owned())) }
}
