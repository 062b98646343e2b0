//! The datasets of an experiment: what the plan needs to know of them, and the examples where a trial needs
//! them.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::digest::Digest;
use base::parallel::{Cores, available_cores};
use contract::parameter::Value;
use contract::{DatasetId, FitError};
use data::generate::Generator;
use data::registry::Origin;
use data::split::{Lacks, SplitError, SplitPlan};
use data::{DataError, Dataset, Library};
use document::{Spanned, suggestion};
use spec::{Accepted, Experiment, Part, Universe};
use task::columns;

use super::plan::{DatasetFacts, TooMany, Unsuited, Variant, variants};

/// The datasets of an experiment, by the names of [`variants`]. Those of files are parsed once and kept;
/// generated ones may be large and are drawn when they are needed.
#[derive(Debug)]
pub struct Datasets<'a> {
    library: &'a Library,
    variants: BTreeMap<String, Variant>,
    /// How many trials the experiment may have.
    max_trials: u64,
    parsed: BTreeMap<String, Arc<Dataset>>,
}

impl<'a> Datasets<'a> {
    /// Parses the files, fetching what is missing, on all cores.
    ///
    /// # Errors
    /// If a file is unavailable or corrupt, or choices make more of them than the experiment may have trials.
    pub fn load(
        library: &'a Library,
        experiment: &Experiment,
        universes: &[Universe],
        max_trials: u64,
    ) -> Result<Self, FactsError> {
        let variants = variants(experiment, universes, max_trials)?;
        let of_files: Vec<(&String, &Variant)> =
            variants.iter().filter(|(_, variant)| !generated(library, &variant.dataset)).collect();
        let cores = Cores::new(available_cores() - 1);
        let load = |_: &mut (), range: std::ops::Range<usize>| {
            let (name, variant) = of_files[range.start];
            let dataset = library.load_with(&variant.dataset, &variant.settings)?;
            Ok((name.clone(), Arc::new(dataset)))
        };
        let loaded = cores.map_chunks(of_files.len(), 1, || (), load);
        let parsed = loaded.into_iter().collect::<Result<_, DataError>>()?;
        Ok(Self { library, variants, max_trials, parsed })
    }

    /// What the plan needs to know of them.
    ///
    /// # Errors
    /// If a dataset can't be had, or does not suit the experiment's tasks.
    pub fn facts(
        &self,
        experiment: &Experiment,
    ) -> Result<BTreeMap<String, DatasetFacts>, FactsError> {
        let facts = |(name, variant): (&String, &Variant)| {
            let generator = self.generator(variant);
            let fixed = generator.as_ref().is_none_or(|generator| generator.redrawn(1).is_none());
            let redrawn = |part: &Part| {
                part.datasets.contains(&variant.dataset)
                    && matches!(part.split, SplitPlan::Redrawn { .. })
            };
            if fixed && experiment.parts.iter().any(redrawn) {
                let dataset = variant.dataset.to_string();
                return Err(unsuited(&variant.dataset)(
                    SplitError { dataset, why: Lacks::Seed }.into(),
                ));
            }
            let of_generated =
                |generator| DatasetFacts::of_generated(&variant.dataset, &generator, experiment);
            let foreseen = generator.map(of_generated).transpose();
            let facts = match foreseen.map_err(unsuited(&variant.dataset))?.flatten() {
                Some(facts) => facts,
                None => DatasetFacts::of(&*self.get(name)?, experiment, self.max_trials)
                    .map_err(unsuited(&variant.dataset))?,
            };
            Ok((name.clone(), facts))
        };
        let accepted = experiment.leak.iter().flat_map(|check| check.keys.accept.iter().flatten());
        let accepted: Vec<&Accepted> = accepted.collect();
        if !accepted.is_empty() {
            let columns = |name: &String| self.get(name).map(|dataset| columns::names(&dataset));
            let known: Vec<_> = self.variants.keys().map(columns).collect::<Result<_, _>>()?;
            let known: Vec<&str> = known.iter().flatten().map(String::as_str).collect();
            let absent = accepted.iter().find(|one| !known.contains(&one.column.as_str()));
            if let Some(Accepted { column, .. }) = absent {
                let (column, help) = (column.clone(), suggestion(column, &known));
                return Err(FactsError::NoColumn { column, help });
            }
        }
        self.variants.iter().map(facts).collect()
    }

    /// Digests by name.
    ///
    /// # Errors
    /// If a dataset can't be had.
    pub fn digests(&self) -> Result<BTreeMap<String, Digest>, DataError> {
        let digest = |(name, variant): (&String, &Variant)| {
            let digest = match self.generator(variant) {
                Some(generator) => generator.digest(),
                None => self.get(name)?.digest,
            };
            Ok((name.clone(), digest))
        };
        self.variants.iter().map(digest).collect()
    }

    /// The generator of a generated dataset, with the parameters that choices set.
    fn generator(&self, variant: &Variant) -> Option<Generator> {
        let Origin::Generated(generator) = &self.library.entry(&variant.dataset)?.origin else {
            return None;
        };
        let set =
            |generator: Generator, (name, value): &(String, Value)| generator.with(name, value);
        variant.settings.iter().try_fold(generator.clone(), set)
    }

    fn get(&self, name: &str) -> Result<Arc<Dataset>, DataError> {
        if let Some(dataset) = self.parsed.get(name) {
            return Ok(dataset.clone());
        }
        let variant = &self.variants[name];
        Ok(Arc::new(self.library.load_with(&variant.dataset, &variant.settings)?))
    }

    /// A dataset; from draw 1 on with its examples drawn anew.
    ///
    /// # Errors
    /// Why it can't be had.
    pub fn dataset(&self, variant: &str, draw: usize) -> Result<Arc<Dataset>, FitError> {
        if draw == 0 {
            return self.get(variant).map_err(FitError::failed);
        }
        let id = &self.variants[variant].dataset;
        let generator = self.generator(&self.variants[variant]);
        let drawn = generator.and_then(|generator| generator.redrawn(draw));
        let drawn = drawn.ok_or_else(|| {
            FitError::failed(SplitError { dataset: id.to_string(), why: Lacks::Seed })
        })?;
        self.library.drawn(id, &drawn).map(Arc::new).map_err(FitError::failed)
    }
}

fn generated(library: &Library, id: &str) -> bool {
    library.entry(id).is_some_and(|entry| matches!(entry.origin, Origin::Generated(_)))
}

/// A plan can't be made.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// A dataset can't be had.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A dataset does not suit the experiment.
    #[error("{error}")]
    Unsuited {
        /// Its id.
        dataset: DatasetId,
        /// What it has not.
        error: Unsuited,
    },
    /// A column that a leak check is told to accept is in no dataset.
    #[error("no data set has a column `{}`", **column)]
    NoColumn {
        /// Its name, where the file has it.
        column: Spanned<String>,
        /// Which may be meant.
        help: Option<String>,
    },
    /// Choices make too many of a dataset.
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

fn unsuited(dataset: &DatasetId) -> impl FnOnce(Unsuited) -> FactsError {
    let dataset = dataset.clone();
    move |error| FactsError::Unsuited { dataset, error }
}
