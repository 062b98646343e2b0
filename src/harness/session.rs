//! An experiment with its data.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::report::Cited;
use base::bounded::MOST_WRITTEN;
use base::layout::{CODE, MANIFEST, OVERLAY, SPEC};
use base::own;
use contract::{DatasetId, Metrics};
use data::registry::Entry;
use data::{DataConfig, Library};
use itertools::Itertools as _;
use run::datasets::Datasets;
use run::plan::{Plan, WithChoices, plan};
use run::programs::{Author, Cache, Programs};
use seal::Manifest;
use spec::{self, Experiment, Known, KnownDataset, Lists, Overlay, Universe};

use super::checked::{Checked, Means};
use super::universes::Which;
use super::{Error, built_in, inputs, universes};

/// A validated experiment, where its data comes from and where its results go.
#[derive(Debug)]
pub struct Session {
    /// The experiment.
    pub experiment: Experiment,
    /// The universes of its choices that run, the chosen one first; none unless they are asked for or stand in its folder.
    pub universes: Vec<Universe>,
    /// Its data.
    pub library: Library,
    /// Its results folder.
    pub dir: PathBuf,
    /// How many trials it may have.
    pub max_trials: u64,
    /// Whether its programs lie in sealed results, which may be a stranger's, and nobody has said that they may run.
    pub untrusted: bool,
}

impl Session {
    /// Reads and validates an experiment file, or the built-in one of this id; it may name what is in `lists`, with the keys that are set from outside;
    /// its results go below `results`.
    ///
    /// # Errors
    /// If the file is wrong, or the dataset registry is.
    pub fn open(
        lists: &'static Lists,
        file: &Path,
        profile: Option<&str>,
        overlay: Option<&Overlay>,
        results: &Path,
        data: &DataConfig,
        max_trials: u64,
    ) -> Result<Self, Error> {
        let built_in = built_in::meant(file);
        let library = Library::open(data, file.parent().filter(|_| built_in.is_none()))?;
        let unreadable = |cause| Error::Unreadable { path: library.cache().to_owned(), cause };
        let kept = built_in.map(|id| built_in::keep(id, library.cache()).map_err(unreadable));
        let kept = kept.transpose()?;
        let file = kept.as_deref().unwrap_or(file);
        // A sealed file has the code of its programs beside it.
        let sealed = file.with_file_name(MANIFEST).is_file();
        let code = sealed.then(|| file.with_file_name(CODE));
        let experiment = load(lists, file, profile, overlay, &library, code.as_deref())?;
        let dir = results.join(&experiment.id);
        let universes = universes::of(&experiment, universes::sealed(&dir)?, max_trials)?;
        let untrusted = sealed && experiment.methods.iter().any(|method| method.program.is_some());
        Ok(Self { experiment, universes, library, dir, max_trials, untrusted })
    }

    /// The same with programs that may run wherever they lie, if so.
    #[must_use]
    pub fn trusting(self, trust: bool) -> Self {
        Self { untrusted: self.untrusted && !trust, ..self }
    }

    /// The experiment that was sealed in a results folder, with data from sources that are vouched for; says what the entries of
    /// its datasets were equal to.
    ///
    /// # Errors
    /// If this program can't check it, the sealed experiment file is wrong, or a source is nobody's here.
    pub(super) fn sealed(
        dir: &Path,
        manifest: &Manifest,
        means: &Means,
        checked: &mut Checked,
    ) -> Result<Self, Error> {
        let &Means { lists, max_trials, .. } = means;
        inputs::same_version(manifest, &lists.catalogue)?;
        let registry = inputs::datasets(dir, means, checked)?;
        let profile = Some(manifest.profile.as_str()).filter(|name| !name.is_empty());
        let library = Library::with(registry, &means.data)?.anew();
        let set = dir.join(OVERLAY);
        let unreadable = |cause| Error::Unreadable { path: set.clone(), cause };
        let wrong = |why| std::io::Error::new(std::io::ErrorKind::InvalidData, why);
        let overlay = own::read_there(&set, MOST_WRITTEN)
            .and_then(|bytes| bytes.map(Overlay::of_text).transpose().map_err(wrong));
        let overlay = overlay.map_err(unreadable)?;
        let code = Some(dir.join(CODE));
        let experiment =
            load(lists, &dir.join(SPEC), profile, overlay.as_ref(), &library, code.as_deref())?;
        let universes = universes::of(&experiment, universes::sealed(dir)?, max_trials)?;
        let dir = dir.to_owned();
        Ok(Self { experiment, universes, library, dir, max_trials, untrusted: false })
    }

    /// The same with these universes, in place of those that its folder has.
    ///
    /// # Errors
    /// If the experiment has none, or there are too many.
    pub fn with_universes(self, which: Which) -> Result<Self, Error> {
        if self.experiment.universes.is_none() {
            return Err(Error::NoUniverses(self.experiment.id));
        }
        let universes = universes::of(&self.experiment, Some(which), self.max_trials)?;
        Ok(Self { universes, ..self })
    }

    /// The metrics that its records may have.
    pub fn metrics(&self) -> &'static Metrics {
        &self.experiment.known.metrics
    }

    /// The ids of its datasets, each once, in file order.
    pub fn dataset_ids(&self) -> Vec<&str> {
        let ids = self.experiment.parts.iter().flat_map(|part| &part.datasets);
        ids.map(DatasetId::as_str).unique().collect()
    }

    /// Its datasets; fetches what is missing.
    ///
    /// # Errors
    /// If a file is unavailable or corrupt, or choices make too many datasets.
    pub fn datasets(&self) -> Result<Datasets<'_>, Error> {
        self.library.fetch(&self.dataset_ids())?;
        let datasets =
            Datasets::load(&self.library, &self.experiment, &self.universes, self.max_trials);
        datasets.map_err(|error| Error::of_facts(error, &self.experiment))
    }

    /// Plans its trials.
    ///
    /// # Errors
    /// If a task or split makes no sense for a dataset, or there are too many trials.
    pub fn plan(&self, datasets: &Datasets<'_>, choices: WithChoices) -> Result<Plan, Error> {
        let facts = datasets.facts(&self.experiment);
        let facts = facts.map_err(|error| Error::of_facts(error, &self.experiment))?;
        Ok(plan(&self.experiment, &facts, choices, &self.universes, self.max_trials)?)
    }

    /// Its programs, if it has any, ready to be asked: their environments are built below the folder `cache`.
    ///
    /// # Errors
    /// If one can't be used, or the user interrupts.
    pub fn programs(
        &self,
        cache: &Path,
        author: Author,
        warn: &dyn Fn(&str),
    ) -> Result<Option<Arc<Programs>>, Error> {
        if self.untrusted {
            return Err(Error::Untrusted(self.experiment.id.clone()));
        }
        let cache = Cache { folder: cache, offline: self.library.is_offline() };
        Ok(Programs::prepare(&self.experiment, cache, author, warn)?.map(Arc::new))
    }

    /// The ids of its estimators whose environments lie in no cache yet.
    pub fn unbuilt(&self) -> Vec<&str> {
        let programs = self.experiment.methods.iter().filter_map(|method| method.program.as_ref());
        let cache = self.library.cache();
        let unbuilt = programs.filter(|one| one.is_estimator() && !program::is_built(cache, one));
        unbuilt.map(|program| &*program.id).collect()
    }

    /// Its datasets, with whom to cite for them.
    pub fn cited(&self) -> Vec<Cited> {
        let entries = self.dataset_ids().into_iter().filter_map(|id| self.library.entry(id));
        let cited = |Entry { title, citation, licence, .. }: &Entry| Cited {
            title: title.clone(),
            citation: citation.clone(),
            licence: licence.clone(),
        };
        entries.map(cited).collect()
    }

    /// What people read instead of a dataset's id.
    pub fn title(&self, dataset: &str) -> String {
        self.library.entry(dataset).map_or_else(|| dataset.to_owned(), |entry| entry.title.clone())
    }
}

fn load(
    lists: &'static Lists,
    file: &Path,
    profile: Option<&str>,
    overlay: Option<&Overlay>,
    library: &Library,
    code: Option<&Path>,
) -> Result<Experiment, Error> {
    let entries = library.ids().filter_map(|id| library.entry(id));
    let known = |entry: &Entry| KnownDataset {
        grouped: library.grouped(&entry.id),
        ..KnownDataset::from(entry)
    };
    let datasets: Vec<KnownDataset> = entries.map(known).collect();
    let known = Known { lists, datasets: &datasets, code };
    Ok(spec::load(file, profile, overlay, &known)?)
}
