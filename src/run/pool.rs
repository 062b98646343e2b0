//! What paths share: each dataset is loaded once, divided once per split and problem, and dropped after its last path.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use base::digest::Digest;
use contract::{FitError, Gives};
use data::split::SplitPlan;
use program::{HandOver, Program};
use spec::{Experiment, Part};
use task::{Divided, Whole};

use super::datasets::Datasets;
use super::needs::Needs;
use super::plan::{Path, Plan};
use super::record::{Setup, Trial};

/// Where the examples of paths come from.
pub struct Pool<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its plan.
    pub plan: &'a Plan,
    /// Its datasets.
    pub datasets: &'a Datasets<'a>,
    /// What the outcomes of its trials must hold.
    pub needs: &'a Needs,
}

/// Made by the first path that asks for it.
pub type Shared<T> = Arc<OnceLock<Result<Arc<T>, FitError>>>;

/// What a path has together with others. The last of them drops it.
#[derive(Default)]
pub struct Shares {
    /// The dataset.
    pub dataset: Shared<Whole>,
    /// Its divided examples.
    pub divided: Shared<dyn Divided>,
    /// What a program is handed of these.
    pub hand_over: Shared<HandOver>,
}

impl<'a> Pool<'a> {
    /// The part of a path, and its first trial.
    pub fn of(&self, path: &Path) -> (&'a Part, &'a Trial) {
        (&self.experiment.parts[path.part], self.plan.first_of(path))
    }

    /// Each path with what it shares.
    pub fn shared(&self, paths: VecDeque<&'a Path>) -> impl Iterator<Item = (&'a Path, Shares)> {
        let mut datasets: BTreeMap<DrawId<'_>, _> = BTreeMap::new();
        let mut divided: BTreeMap<SplitId<'_>, _> = BTreeMap::new();
        let mut hand_overs: BTreeMap<HandOverId<'_>, _> = BTreeMap::new();
        let shared = move |path: &'a Path| {
            let (part, trial) = self.of(path);
            let program = path.program.as_ref();
            let hand_over = program.map(|program| hand_over_id(part, trial, program));
            let shares = Shares {
                dataset: Shared::clone(datasets.entry(draw_id(part, trial)).or_default()),
                divided: Shared::clone(divided.entry(split_id(part, trial)).or_default()),
                hand_over: hand_over
                    .map(|id| Shared::clone(hand_overs.entry(id).or_default()))
                    .unwrap_or_default(),
            };
            (path, shares)
        };
        paths.into_iter().map(shared)
    }
}

/// What paths share a dataset by: its variant, and the draw of it.
pub(super) type DrawId<'a> = (&'a str, usize);
/// What paths share their divided examples by: variant of the dataset, task with its setting, split, problem,
/// repeat and fold; under a split that the authors give all repeats are the first one, unless each draws its
/// own examples.
pub(super) type SplitId<'a> = (&'a str, (&'static str, &'a str), &'a str, &'a str, usize, usize);
/// What paths of programs share their hand-over by: the split, and what the program wants of it. Densities share none: of
/// each trial other rows are asked.
type HandOverId<'a> = (SplitId<'a>, [&'static str; 2], [bool; 2], Option<Digest>);
/// The dataset of a trial, with its draw.
pub(super) fn draw_id<'a>(part: &Part, trial: &'a Trial) -> DrawId<'a> {
    let redrawn = matches!(part.split, SplitPlan::Redrawn { .. });
    (&trial.setup.variant, if redrawn { trial.repeat } else { 0 })
}

/// Whether each repeat has divisions of its own.
pub(super) fn divides_anew(part: &Part) -> bool {
    let given = matches!(part.split, SplitPlan::Published | SplitPlan::Folds);
    !given || part.draws() || part.inner.is_some()
}

pub(super) fn split_id<'a>(part: &Part, trial: &'a Trial) -> SplitId<'a> {
    let repeat = if divides_anew(part) { trial.repeat } else { 0 };
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

#[cfg(test)]
mod tests {
    use contract::{Parameters, PartId};
    use data::inner::Inner;
    use spec::LabelsMet;
    use task::classification::CLASSIFICATION;

    use super::*;

    #[test]
    fn repeats_share_examples_where_neither_division_nor_labels_are_their_own() {
        let dealt = SplitPlan::LeaveOneOut;
        let inner = Some(Inner { split: dealt, refit: true });
        for (split, inner, labels, shared) in [
            (SplitPlan::Published, None, LabelsMet::Given, true),
            (SplitPlan::Folds, None, LabelsMet::Given, true),
            (SplitPlan::Published, None, LabelsMet::Permuted, false),
            (SplitPlan::Published, inner, LabelsMet::Given, false),
            (dealt, None, LabelsMet::Given, false),
        ] {
            let part = Part {
                id: PartId::default(),
                label: String::new(),
                task: &CLASSIFICATION,
                settings: Parameters::defaults(CLASSIFICATION.keys),
                datasets: Vec::new(),
                split,
                inner,
                repeats: 2,
                metrics: Vec::new(),
                methods: Vec::new(),
                timeout: None,
                keeps_predictions: false,
                labels,
            };
            let [one, other] = [0, 1].map(|repeat| {
                let (key, seed) = Default::default();
                Trial { key, seed, repeat, fold: 0, setup: Arc::new(Setup::default()) }
            });
            assert_eq!(split_id(&part, &one) == split_id(&part, &other), shared, "{split:?}");
        }
    }
}
