//! Auditing one sealed folder beyond its bytes: its inputs, its data, and whether its results come out again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::derived::Derived;
use base::digest::Digest;
use base::layout::AUDITED;
use data::library::{FetchProgress, Verdict};
use data::registry::Registry;
use data::{DataConfig, DataError, Library};
use run::crash::{self, CRASHES};
use run::executor::{self, Options};
use run::journal::{Journal, StoreError};
use run::needs::Needs;
use run::plan::WithChoices;
use seal::Manifest;

use super::again::{Again, Execution, again};
use super::inputs::{self, Inputs};
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

/// What was found in results that could be checked.
#[derive(Debug, Default)]
pub struct Checked {
    /// What is otherwise than it was sealed, in sentences.
    pub differences: Vec<String>,
    /// What the inputs were compared with.
    pub inputs: Inputs,
    /// What came out again, if that was asked for.
    pub again: Option<Again>,
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
        Err(Error::Program(error @ program::Error::Weak(_))) => {
            return Ok(Audited::NotChecked(format!("{error}; --weak executes it all the same")));
        }
        Err(error @ (Error::TooMany(_) | Error::Figure(_) | Error::Store(_))) => {
            return Ok(Audited::NotChecked(error.to_string()));
        }
        Err(Error::Data(DataError::Interrupted)) | Ok(Some(Audited::Interrupted)) => {
            return Ok(Audited::Interrupted);
        }
        Err(Error::Data(error)) => return Ok(Audited::NoData(error)),
        Err(error) => return Err(error),
        Ok(Some(audited)) => return Ok(audited),
        Ok(None) => return Ok(Audited::Checked(Box::new(checked))),
    };
    checked.differences.push(nonsense);
    Ok(Audited::Checked(Box::new(checked)))
}

/// Fills `checked`, unless it comes to another end.
fn check(
    dir: &Path,
    manifest: &Manifest,
    request: &Request<'_>,
    checked: &mut Checked,
) -> Result<Option<Audited>, Error> {
    let session = match open(dir, manifest, request.means, &mut checked.inputs)? {
        Ok(session) => session,
        Err(why) => return Ok(Some(Audited::NotChecked(why))),
    };
    checked.inputs.compare_spec(&session.experiment, &request.means.specs)?;
    let spec = session.experiment.spec_digest();
    if spec != manifest.spec {
        checked
            .differences
            .push(format!("manifest.toml: spec is {spec}, sealed as {}", manifest.spec));
        return Ok(None);
    }
    if request.verify_data {
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
        if !checked.differences.is_empty() {
            return Ok(None);
        }
    }
    if !request.verify_data && request.execution.is_none() {
        return Ok(None);
    }
    // What universes have of datasets is under their digest alone, and looked at where they run.
    let session = if request.execution.is_some() { session } else { session.without_universes() };
    let datasets = session.datasets(request.progress)?;
    match &request.execution {
        Some(execution) => match again(&session, manifest, &datasets, execution)? {
            Some(again) => checked.again = Some(again),
            None => return Ok(Some(Audited::Interrupted)),
        },
        None => {
            let digests = datasets.digests()?;
            for id in digests.keys().filter(|id| !manifest.datasets.contains_key(*id)) {
                checked.differences.push(format!("dataset {id}: manifest.toml does not name it"));
            }
            for (id, sealed) in &manifest.datasets {
                match digests.get(id) {
                    Some(digest) if digest == sealed => {}
                    Some(digest) => checked
                        .differences
                        .push(format!("dataset {id}: its digest is {digest}, sealed as {sealed}")),
                    None => {
                        checked.differences.push(format!("dataset {id}: no dataset of spec.toml"));
                    }
                }
            }
        }
    }
    Ok(None)
}

/// The sealed experiment with data from sources that are vouched for. The inner error says why this program
/// can't check it.
pub(super) fn open(
    dir: &Path,
    manifest: &Manifest,
    means: &Means,
    inputs: &mut Inputs,
) -> Result<Result<Session, String>, Error> {
    if let Some(why) = inputs::other_version(manifest, &means.lists.catalogue) {
        return Ok(Err(why));
    }
    let named =
        means.data.registry.as_deref().map(|path| {
            Registry::load(path).map(|registry| (path.display().to_string(), registry))
        });
    let named = named.transpose()?;
    let named = named.as_ref().map(|(name, registry)| (name.as_str(), registry));
    let open = inputs::Open { trust: means.trust, files: means.data.files.as_deref() };
    let registry = inputs::datasets(dir, named, open, inputs).map_err(DataError::from)?;
    let registry = match registry {
        inputs::Datasets::Known(registry) => registry,
        inputs::Datasets::Unreadable(why) => return Ok(Err(why)),
        inputs::Datasets::Unknown(sources) => {
            return Ok(Err(format!(
                "its datasets.toml names sources that no registry here does: {}; --registry FILE \
                 names your own entries, --data-dir DIR the folder of local files, --trust opens these",
                sources.join(", ")
            )));
        }
    };
    let profile = Some(manifest.profile.as_str()).filter(|name| !name.is_empty());
    let library = Library::with(registry, &means.data)?;
    Session::sealed(means.lists, dir, profile, library, means.max_trials).map(Ok)
}

/// Executes one path of sealed results and journals it: what an audit has done in a process of its own where
/// the path took its process down. The inner error says why it can't.
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
) -> Result<Result<(), String>, Error> {
    let session = match open(dir, manifest, means, &mut Inputs::default())? {
        Ok(session) => session,
        Err(why) => return Ok(Err(why)),
    };
    let datasets = session.datasets(progress)?;
    let plan = session.plan(&datasets, WithChoices::from(manifest.choices))?;
    let Some(path) = plan.paths.iter().find(|path| path.id == id) else {
        return Ok(Err(format!("{} has no path {id}", dir.display())));
    };
    let needs = Needs::of_plan(&session.experiment, &plan);
    let options = Options::new(1, needs, Derived::apart(), Arc::default());
    let crashes = journal.join(CRASHES);
    crash::watch(&crashes).map_err(StoreError::on("watch", &crashes))?;
    let journal = Journal::open(journal, "again")?;
    let all = executor::journaled(&journal, &plan, |sink| {
        let experiment = &session.experiment;
        let observer = unobserved(&plan, &[path]);
        executor::execute(experiment, &plan, &[path], &datasets, &options, sink, &*observer)
    })?;
    Ok(if all { Ok(()) } else { Err("interrupted".to_owned()) })
}

impl Checked {
    /// Everything that is otherwise than it was sealed.
    pub fn all_differences(&self) -> impl Iterator<Item = &String> {
        let again = self.again.iter().flat_map(|again| &again.differences);
        self.differences.iter().chain(&self.inputs.differences).chain(again)
    }
}
