//! The datasets of a run, each loaded once, divided once per split and problem, and dropped after its
//! last path.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use base::digest::{Digest, FieldHasher};
use base::parallel::lock;
use contract::{FitError, Gives};
use data::Dataset;
use data::dealt::Members;
use data::inner;
use data::split::{Division, SplitPlan};
use program::{HandOver, Program};
use spec::{Experiment, LabelsMet, Part};
use task::{Divided, Portion};

use super::plan::{Path, Plan, members};
use super::programs::{Programs, served};
use super::record::{Setup, Trial};

/// Where datasets come from, by the names of [`super::plan::variants`].
pub trait Source: Sync {
    /// A dataset; from draw 1 on with its examples drawn anew.
    ///
    /// # Errors
    /// Why it can't be had.
    fn dataset(&self, variant: &str, draw: usize) -> Result<Arc<Dataset>, FitError>;
}

/// Datasets that are what they are in every draw.
impl Source for BTreeMap<String, Arc<Dataset>> {
    fn dataset(&self, variant: &str, _: usize) -> Result<Arc<Dataset>, FitError> {
        let none = || FitError::Failed(format!("there is no dataset `{variant}`"));
        self.get(variant).cloned().ok_or_else(none)
    }
}

/// What paths share a dataset by: its variant, and the draw of it.
type DrawId<'a> = (&'a str, usize);
/// What paths share their divided examples by: variant of the dataset, task with its setting, split, problem,
/// repeat and fold; under a split that the authors give all repeats are the first one, unless each draws its
/// own examples.
type SplitId<'a> = (&'a str, (&'static str, &'a str), &'a str, &'a str, usize, usize);
/// What paths of programs share their hand-over by: the split, and what the program wants of it. Densities share none: of
/// each trial other rows are asked.
type HandOverId<'a> = (SplitId<'a>, [&'static str; 2], [bool; 2], Option<Digest>);
type Shared<T> = Arc<OnceLock<Result<Arc<T>, FitError>>>;

/// See the module's text.
pub struct Pool<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    source: &'a dyn Source,
    datasets: Mutex<BTreeMap<DrawId<'a>, Counted<Shared<Dataset>>>>,
    divided: Mutex<BTreeMap<SplitId<'a>, Counted<Shared<dyn Divided>>>>,
    hand_overs: Mutex<BTreeMap<HandOverId<'a>, Counted<Shared<HandOver>>>>,
}

/// Something with the number of paths that still need it.
#[derive(Debug, Default)]
struct Counted<T> {
    item: T,
    paths: usize,
}

impl<'a> Pool<'a> {
    /// A pool that serves these paths.
    pub fn new(
        experiment: &'a Experiment,
        plan: &'a Plan,
        paths: &[&Path],
        source: &'a dyn Source,
    ) -> Self {
        let mut datasets: BTreeMap<DrawId<'_>, Counted<_>> = BTreeMap::new();
        let mut divided: BTreeMap<SplitId<'_>, Counted<_>> = BTreeMap::new();
        let mut hand_overs: BTreeMap<HandOverId<'_>, Counted<_>> = BTreeMap::new();
        for path in paths {
            let trial = &plan.trials[path.trials[0]];
            let part = &experiment.parts[path.part];
            datasets.entry(draw_id(part, trial)).or_default().paths += 1;
            divided.entry(split_id(part, trial)).or_default().paths += 1;
            if let Some(program) = &path.program {
                hand_overs.entry(hand_over_id(part, trial, program)).or_default().paths += 1;
            }
        }
        let (datasets, divided) = (Mutex::new(datasets), Mutex::new(divided));
        let hand_overs = Mutex::new(hand_overs);
        Self { experiment, plan, source, datasets, divided, hand_overs }
    }

    /// The divided examples of a path; made at the first call, shared by the others.
    ///
    /// # Errors
    /// If the dataset can't be had, or the split does not fit it.
    pub fn divided(&self, path: &Path) -> Result<Arc<dyn Divided>, FitError> {
        let (part, trial) = self.of(path);
        let cell = lock(&self.divided)[&split_id(part, trial)].item.clone();
        cell.get_or_init(|| {
            let dataset = self.labelled(path)?;
            self.divide(path, &dataset, &self.division(path, &dataset)?)
        })
        .clone()
    }

    /// The examples of one of the rounds inside of a path's training examples. Nobody shares them.
    ///
    /// # Errors
    /// As [`Self::divided`].
    pub fn round(&self, path: &Path, round: usize) -> Result<Arc<dyn Divided>, FitError> {
        let dataset = self.labelled(path)?;
        let outer = self.division(path, &dataset)?;
        let nothing = || FitError::failed("its method has nothing to select");
        let inner = path.inner.ok_or_else(nothing)?;
        let seed = inner::seed(path.division_seed, self.of(path).1.fold);
        let inside = inner.round(&dataset, &outer, seed, round);
        self.divide(path, &dataset, &inside.map_err(FitError::failed)?)
    }

    /// The part of a path, and its first trial.
    fn of(&self, path: &Path) -> (&'a Part, &'a Trial) {
        (&self.experiment.parts[path.part], &self.plan.trials[path.trials[0]])
    }

    /// The dataset of a path, with the labels that it meets.
    fn labelled(&self, path: &Path) -> Result<Arc<Dataset>, FitError> {
        let (part, trial) = self.of(path);
        let (variant, draw) = draw_id(part, trial);
        let cell = lock(&self.datasets)[&(variant, draw)].item.clone();
        let dataset = cell.get_or_init(|| self.source.dataset(variant, draw)).clone()?;
        Ok(match part.labels {
            LabelsMet::Given => dataset,
            LabelsMet::Permuted => Arc::new(dataset.with_permuted_labels(path.division_seed)),
            LabelsMet::Drawn => Arc::new(dataset.with_drawn_labels(path.division_seed)),
        })
    }

    /// The division that a path is scored on.
    fn division(&self, path: &Path, dataset: &Dataset) -> Result<Division, FitError> {
        let (part, &Trial { fold, .. }) = self.of(path);
        let members = members(dataset, &path.problem);
        let members = members.as_deref().map_or(Members::All, Members::Some);
        let division = part.split.divide(dataset, members, path.division_seed, fold);
        let division = match &path.inner {
            Some(inner) if !inner.refit => {
                let seed = inner::seed(path.division_seed, fold);
                division.and_then(|division| inner.hold_out(dataset, division, seed))
            }
            _ => division,
        };
        division.map_err(FitError::failed)
    }

    fn divide(
        &self,
        path: &Path,
        dataset: &Arc<Dataset>,
        division: &Division,
    ) -> Result<Arc<dyn Divided>, FitError> {
        let (part, &Trial { fold, .. }) = self.of(path);
        let portion =
            Portion { dataset, division, problem: &path.problem, seed: path.division_seed, fold };
        (part.task.divide)(&portion, &part.settings).map(Arc::from)
    }

    /// What the program of a path is handed; written at the first call, shared by the others.
    ///
    /// # Errors
    /// If there are no examples, or they can't be written.
    pub fn hand_over(
        &self,
        path: &Path,
        program: &Program,
        data: &dyn Divided,
        programs: &Programs,
    ) -> Result<Arc<HandOver>, FitError> {
        let (part, trial) = self.of(path);
        let id = hand_over_id(part, trial, program);
        let cell = lock(&self.hand_overs)[&id].item.clone();
        cell.get_or_init(|| {
            // Of what paths share the hand-over by, and nothing that tells them apart: whichever comes first writes it.
            let seed = self.hand_over_seed(id.0, trial).finish();
            write_hand_over(program, data, programs, (trial, seed))
        })
        .clone()
    }

    /// What the program of a path is handed in one of the rounds inside of its training examples. Nobody shares it.
    ///
    /// # Errors
    /// As [`Self::hand_over`].
    pub fn hand_over_of_round(
        &self,
        (path, round): (&Path, usize),
        program: &Program,
        data: &dyn Divided,
        programs: &Programs,
    ) -> Result<Arc<HandOver>, FitError> {
        let (part, trial) = self.of(path);
        let seed = self
            .hand_over_seed(split_id(part, trial), trial)
            .field("round")
            .number(round as u64)
            .finish();
        write_hand_over(program, data, programs, (trial, seed))
    }

    fn hand_over_seed(&self, id: SplitId<'_>, trial: &Trial) -> FieldHasher {
        let (variant, (task, setting), split, problem, repeat, fold) = id;
        [variant, task, setting, split, problem]
            .iter()
            .fold(FieldHasher::new("hand-over").field(trial.data.0), FieldHasher::field)
            .number(self.experiment.seed)
            .number(repeat as u64)
            .number(fold as u64)
    }

    /// Says that a path is done with its data. Processes that know its examples end with the last one.
    pub fn release(&self, path: &Path, programs: Option<&Programs>) {
        let (part, trial) = self.of(path);
        if let (Some(program), Some(programs)) = (&path.program, programs)
            && let Some(last) = release(&self.hand_overs, &hand_over_id(part, trial, program))
            && let Some(Ok(hand_over)) = last.get()
        {
            programs.end_of(hand_over);
        }
        release(&self.divided, &split_id(part, trial));
        release(&self.datasets, &draw_id(part, trial));
    }
}

fn write_hand_over(
    program: &Program,
    data: &dyn Divided,
    programs: &Programs,
    (trial, seed): (&Trial, Digest),
) -> Result<Arc<HandOver>, FitError> {
    let folder = programs.next_folder();
    let written = served(data)?.hand_over(&folder, program, trial.key, seed);
    written.map(Arc::new).map_err(FitError::failed)
}

/// The dataset of a trial, with its draw.
pub(super) fn draw_id<'a>(part: &Part, trial: &'a Trial) -> DrawId<'a> {
    let redrawn = matches!(part.split, SplitPlan::Redrawn { .. });
    (&trial.setup.variant, if redrawn { trial.repeat } else { 0 })
}

fn split_id<'a>(part: &Part, trial: &'a Trial) -> SplitId<'a> {
    let repeat = match part.split {
        SplitPlan::Published | SplitPlan::Folds if !part.draws() && part.inner.is_none() => 0,
        _ => trial.repeat,
    };
    let Setup { variant, setting, split, .. } = &*trial.setup;
    (variant, (part.task.word, setting), split, &trial.problem, repeat, trial.fold)
}

fn hand_over_id<'a>(part: &Part, trial: &'a Trial, program: &Program) -> HandOverId<'a> {
    let own = (program.gives == Gives::LogLikelihoods).then_some(trial.key);
    (
        split_id(part, trial),
        [program.form.word(), program.gives.word()],
        [program.sees_valid, program.frame],
        own,
    )
}

/// One path needs an item no more; the item, if it was the last one.
fn release<K: Ord, T>(items: &Mutex<BTreeMap<K, Counted<T>>>, key: &K) -> Option<T> {
    let mut items = lock(items);
    let counted = items.get_mut(key)?;
    counted.paths -= 1;
    if counted.paths > 0 {
        return None;
    }
    items.remove(key).map(|counted| counted.item)
}
