//! What an experiment file needs of the outcome of a trial.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use base::digest::Digest;
use contract::{Basis, DatasetId, Metric, PartId, PerExample};
use data::split::SplitPlan;
use spec::{Dependent, Experiment, FigureDesign, PairBy, Pictured, TestSpec};
use task::metrics::OPTIMISM;
use task::overlap::CLUSTERS;

use super::plan::{Path, Plan};
use super::record::{Record, Trial, several};

/// What a stored outcome must hold to serve an experiment. Configurations that coincide share an outcome,
/// so it holds what any of them needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// By key; nothing is said of a trial that must hold nothing.
    by_trial: BTreeMap<Digest, Needed>,
    /// By part: a metric of the test examples, which unselected trials come back without.
    score: BTreeMap<PartId, &'static Metric>,
    /// Whether a figure over a grid shows the test scores of unselected points.
    unselected_scores: bool,
    /// Parts that compare the test scores of all points of a grid.
    compared: BTreeSet<PartId>,
}

/// What the outcome of a trial must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Needed {
    /// Metrics of which a test needs a value for each test example.
    pub examples: BTreeSet<&'static Metric>,
    /// Metrics that are measured because they, or what comes of the same work, are asked for.
    pub requested: BTreeSet<&'static Metric>,
    /// Whether a figure shows its picture, if it is selected.
    pub picture: bool,
    /// Whether its predictions are kept, if it is selected.
    pub predictions: bool,
}

/// Of a trial that must hold nothing.
static NOTHING: LazyLock<Needed> = LazyLock::new(Needed::default);

/// Whether a figure shows the picture of a trial.
pub fn shows(figure: &FigureDesign, pictured: Pictured, trial: &Trial) -> bool {
    let among = match pictured {
        Pictured::None => false,
        Pictured::First => (trial.repeat, trial.fold) == (0, 0),
        Pictured::All => true,
    };
    among
        && trial.choice.is_empty()
        && figure.parts.contains(&trial.part)
        && figure.datasets.contains(&trial.dataset)
        && figure.methods.contains(&trial.method)
}

/// By dataset, the metrics of which these tests need a value for each test example.
fn examples_of<'e, 't>(
    experiment: &Experiment,
    tests: impl Iterator<Item = &'e TestSpec>,
    trials: &(impl Iterator<Item = &'t Trial> + Clone),
) -> BTreeMap<&'e DatasetId, BTreeSet<&'static Metric>> {
    let mut by_example: BTreeMap<&DatasetId, BTreeSet<&'static Metric>> = BTreeMap::new();
    for (test, dataset) in tests.flat_map(|test| test.datasets.iter().map(move |d| (test, d))) {
        let of_dataset = trials.clone().filter(|trial| trial.dataset == *dataset);
        let needed = match test.pair_by {
            PairBy::Example => true,
            PairBy::Auto => several(of_dataset.clone()).is_none(),
            PairBy::Dataset | PairBy::Problem | PairBy::Fold | PairBy::Repeat => false,
        };
        if needed {
            let kept = by_example.entry(dataset).or_default();
            kept.insert(test.metric);
            // Which examples go together: those of a group, or those of several problems.
            let mut problems = of_dataset.map(|trial| &trial.problem);
            let clusters =
                experiment.grouped.contains(dataset) || problems.any(|problem| !problem.is_empty());
            if test.dependent == Dependent::Refused && clusters {
                kept.insert(&CLUSTERS);
            }
        }
    }
    by_example
}

/// The metrics of a part that are measured because it asks for them.
fn on_request(part: &spec::Part) -> BTreeSet<&'static Metric> {
    let named = || part.metrics.iter().filter(|named| named.on_request.is_some());
    let asked = |metric: &&Metric| named().any(|named| named.comes_with(metric));
    part.task.metrics.iter().copied().filter(asked).collect()
}

impl Needed {
    /// What this and another trial of its key must hold.
    fn join(&mut self, other: Self) {
        self.examples.extend(other.examples);
        self.requested.extend(other.requested);
        self.picture |= other.picture;
        self.predictions |= other.predictions;
    }
}

impl Needs {
    /// The needs of an experiment with a plan, universes too.
    pub fn of_plan(experiment: &Experiment, plan: &Plan) -> Self {
        let (own, universes) = plan.trials.split_at(plan.own);
        Self::of(experiment, own.iter(), universes.iter())
    }

    /// The needs of an experiment with these trials and those of universes.
    pub fn of<'t>(
        experiment: &Experiment,
        trials: impl Iterator<Item = &'t Trial> + Clone,
        universes: impl Iterator<Item = &'t Trial>,
    ) -> Self {
        let kept = experiment.tests.iter();
        let kept = kept.filter(|test| test.metric.per_example != PerExample::Nothing);
        // Claims by tests that ask for test examples are not judged in universes.
        let named = |test: &&TestSpec| {
            let mut claims = experiment.claims.iter();
            test.pair_by != PairBy::Example
                && claims.any(|claim| claim.check.about().test == Some(test.id.as_str()))
        };
        let by_example = examples_of(experiment, kept.clone(), &trials);
        let by_claims = examples_of(experiment, kept.filter(named), &trials);
        let parts: BTreeMap<&PartId, (&spec::Part, BTreeSet<&'static Metric>)> =
            experiment.parts.iter().map(|part| (&part.id, (part, on_request(part)))).collect();
        let pictured = |trial: &Trial| {
            let mut figures = experiment.figures.iter();
            // A leak check shows what each column alone tells.
            let mut checked = experiment.leak.iter().flat_map(|check| &check.parts);
            figures.any(|figure| shows(figure, figure.plot.pictured(), trial))
                || checked.any(|part| part.given == trial.part)
        };
        let mut by_trial: BTreeMap<Digest, Needed> = BTreeMap::new();
        let own = trials.map(|trial| (trial, true));
        for (trial, own) in own.chain(universes.map(|trial| (trial, false))) {
            let Some((part, on_request)) = parts.get(&trial.part) else { continue };
            // Claims are judged in universes, of which options one at a time are some.
            let judged = match (trial.choice.is_empty(), &experiment.universes) {
                (true, _) => by_example.get(&trial.dataset),
                (false, Some(_)) => by_claims.get(&trial.dataset),
                (false, None) => None,
            };
            // Repeats that test other examples do not pair with the first.
            let pairs = trial.repeat == 0 || part.split == SplitPlan::Published;
            let examples = judged.filter(|_| pairs).cloned().unwrap_or_default();
            let clusters = examples.contains(&CLUSTERS) && part.task.metrics.contains(&&CLUSTERS);
            let needed = Needed {
                requested: on_request
                    .iter()
                    .copied()
                    .chain(clusters.then_some(&CLUSTERS))
                    .collect(),
                examples,
                picture: own && pictured(trial),
                predictions: own && trial.choice.is_empty() && part.keeps_predictions,
            };
            if needed != Needed::default() {
                by_trial.entry(trial.key).or_default().join(needed);
            }
        }
        let unselected_scores = experiment.figures.iter().any(|figure| figure.plot.shows_grid());
        let score = |part: &spec::Part| (part.id.clone(), part.task.score);
        let score = experiment.parts.iter().map(score).collect();
        let compared = experiment.parts.iter().filter(|part| part.reports(&OPTIMISM));
        let compared = compared.map(|part| part.id.clone()).collect();
        Self { by_trial, score, unselected_scores, compared }
    }

    /// The paths of a plan that have to run: those with a trial without an outcome, or with one that does not hold what
    /// is needed.
    pub fn pending<'p>(&self, plan: &'p Plan, records: &[Record]) -> Vec<&'p Path> {
        let unmet = records.iter().filter(|record| !self.met_by(record));
        let unmet: BTreeSet<Digest> = unmet.map(|record| record.trial.key).collect();
        let has_unmet = |path: &&Path| plan.trials_of(path).any(|trial| unmet.contains(&trial.key));
        plan.paths.iter().filter(has_unmet).collect()
    }

    /// What the outcome of a trial must hold.
    pub(crate) fn of_trial(&self, trial: &Trial) -> &Needed {
        self.by_trial.get(&trial.key).unwrap_or(&NOTHING)
    }

    /// Trims a record to what the experiment asks for, so that what is reported and sealed does not depend on
    /// what else was ever measured: metrics on request, values for each example and pictures stay
    /// where they are needed, the values of selected trials only, and what is measured on the test examples of an
    /// unselected grid point only where a figure shows it.
    pub fn project(&self, record: &mut Record) {
        let Record { trial, outcome: Some(outcome), selected } = record else { return };
        let Needed { examples, requested, picture, predictions } = self.of_trial(trial);
        let asked = |metric: &Metric| metric.on_request.is_none() || requested.contains(metric);
        let shown = self.shown(trial, *selected);
        let kept = |metric: &Metric| asked(metric) && (shown || metric.basis != Basis::Test);
        let selected = *selected;
        let needed = |metric: &Metric| selected && examples.contains(metric);
        let (pictured, predicted) = (selected && *picture, selected && *predictions);
        if outcome.lacks.iter().all(|(metric, _)| kept(metric))
            && outcome.broken().is_empty()
            && outcome.metrics.iter().all(|(metric, _)| kept(metric))
            && outcome.examples.iter().all(|(metric, _)| needed(metric))
            && (pictured || outcome.picture.is_none())
            && (predicted || outcome.predictions.is_none())
        {
            return;
        }
        let outcome = Arc::make_mut(outcome);
        outcome.lacks.retain(kept);
        let mut broken = outcome.broken();
        if !broken.is_empty() {
            broken.retain(|metric| asked(metric));
            outcome.judge_by(broken);
        }
        outcome.metrics.retain(kept);
        outcome.examples.retain(needed);
        outcome.picture.take_if(|_| !pictured);
        outcome.predictions.take_if(|_| !predicted);
    }

    /// Whether the test scores of a grid point are looked at.
    fn shown(&self, trial: &Trial, selected: bool) -> bool {
        selected || self.unselected_scores || self.compared.contains(&trial.part)
    }

    /// Whether a record has an outcome that holds what is needed. A time-out never does. An unselected grid point
    /// comes back from a sealed folder without its test metrics, which is enough until it is
    /// selected or shown. Of what cannot be measured there are no values for each example either.
    pub fn met_by(&self, record: &Record) -> bool {
        let Record { trial, outcome: Some(outcome), selected } = record else { return false };
        if !outcome.measured() {
            return !outcome.status().may_pass();
        }
        let has = |metric: &Metric| outcome.metrics.has(metric.name);
        let measured = |metric: &Metric| has(metric) || outcome.lacks.has(metric.name);
        let shown = self.shown(trial, *selected);
        let unseen = |metric: &Metric| !shown && metric.basis == Basis::Test;
        let of_examples = |metric: &Metric| outcome.examples.has(metric.name) || !has(metric);
        let needed = self.of_trial(trial);
        (!shown || self.score.get(&trial.part).is_none_or(|metric| measured(metric)))
            && needed.requested.iter().all(|metric| measured(metric) || unseen(metric))
            && (!selected || !needed.picture || outcome.picture.is_some())
            && (!selected || !needed.predictions || outcome.predictions.is_some())
            && (!selected || needed.examples.iter().all(|metric| of_examples(metric)))
    }
}

#[cfg(test)]
mod tests {
    use contract::Measure;

    use super::*;
    use crate::cause::Cause;
    use crate::for_tests::metric;
    use crate::outcome::Outcome;
    use crate::record::Setup;

    #[test]
    fn what_is_not_asked_for_breaks_nothing_and_mends_nothing() {
        let [asked, other] = ["test_accuracy", "train_accuracy"].map(|name| metric(name).unwrap());
        let cause = |outcome: Outcome| {
            let (key, seed) = Default::default();
            let trial = Trial { key, seed, repeat: 0, fold: 0, setup: Arc::new(Setup::default()) };
            let mut record = Record { trial, outcome: Some(Arc::new(outcome)), selected: true };
            Needs::default().project(&mut record);
            record.outcome.unwrap().cause.clone()
        };
        let mut broken = Outcome::default();
        broken.judge_by([asked, other].into());
        assert_eq!(cause(broken), Some(Cause::NotFinite([asked].into())));
        let mut failed = Outcome::ended(Cause::Unselected, "why");
        failed.metrics.insert(other, Measure::Scalar(1.0));
        assert_eq!(cause(failed), Some(Cause::Unselected));
    }
}
