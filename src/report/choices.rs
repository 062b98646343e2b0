//! What each option of each choice changes: `choices.csv`.

use std::collections::BTreeMap;

use contract::{Assignment, DatasetId, MethodId, Metric, PartId};
use math::decimal::significant;
use run::{Record, Status, record};
use spec::{Choice, Experiment, SdOver};

use super::cells::{Cell, Cells, Selection};
use super::published::Published;
use super::sheet::Sheet;

/// One line: what one option gives for one metric of one method on one dataset.
#[derive(Debug, Clone)]
pub struct Effect<'a> {
    /// The option of its choice.
    pub assignment: Assignment,
    /// Whether it is the one that the results use.
    pub chosen: bool,
    /// Dataset id.
    pub dataset: &'a DatasetId,
    /// Method id.
    pub method: &'a MethodId,
    /// Part id.
    pub part: &'a PartId,
    /// The point of the method's sweep, such as `degree=15`.
    pub sweep: String,
    /// What is measured.
    pub metric: &'static Metric,
    /// The mean over the repeats for which the option is run, with its standard deviation over them.
    pub cell: Cell,
    /// The value of the results' own options over the same repeats.
    pub base: Option<f64>,
    /// The published value, in the metric's unit.
    pub published: Option<f64>,
}

impl Effect<'_> {
    /// By how much it moves the value over the same repeats, to twelve digits; none of the option that the results use.
    pub fn moves(&self) -> Option<f64> {
        let moves = self.cell.value? - self.base?;
        (!self.chosen).then(|| significant(moves, 12))
    }

    /// Whether some table shows its metric.
    pub fn is_shown(&self, experiment: &Experiment) -> bool {
        let mut metrics = experiment.tables.iter().flat_map(|table| table.metrics());
        metrics.any(|metric| metric.name == self.metric.name)
    }
}

/// The trials of an experiment, by the options that they are run with.
pub(crate) struct Options<'a> {
    experiment: &'a Experiment,
    trials: BTreeMap<&'a Assignment, Vec<&'a Record>>,
}

impl<'a> Options<'a> {
    pub(crate) fn new(experiment: &'a Experiment, records: &'a [Record]) -> Self {
        let mut trials: BTreeMap<&Assignment, Vec<&Record>> = BTreeMap::new();
        for record in records {
            trials.entry(&record.trial.choice).or_default().push(record);
        }
        Self { experiment, trials }
    }

    /// The cells of an option, and those of the results' own options over the same repeats.
    pub(crate) fn beside(&self, option: &Assignment) -> [Cells<'a>; 2] {
        let chosen = Assignment::default();
        let choice = self.experiment.choices.iter().find(|one| option.sets(&one.id));
        let repeats = choice.map_or(0, |one| one.repeats);
        let is_chosen = |one: &Choice| *option == Assignment::of(&one.id, &one.chosen);
        let own = if choice.is_some_and(is_chosen) { &chosen } else { option };
        [own, &chosen].map(|assignment| {
            let records = self.trials.get(assignment).into_iter().flatten().copied();
            Cells::of(self.experiment, records.filter(move |record| record.trial.repeat < repeats))
        })
    }
}

/// The effects of all choices whose options were planned.
pub(crate) fn effects<'a>(options: &Options<'a>, published: &Published) -> Vec<Effect<'a>> {
    let Options { experiment, trials } = options;
    let mut effects = Vec::new();
    for choice in &experiment.choices {
        let each = choice.options.iter().map(|option| Assignment::of(&choice.id, option));
        if each.clone().any(|option| trials.contains_key(&option)) {
            effects.extend(each.flat_map(|option| options.effects(choice, &option, published)));
        }
    }
    effects
}

/// The effects, for programs.
pub fn sheet(effects: &[&Effect]) -> Sheet {
    Sheet::of("", effects.iter().copied())
        .value("choice", |effect: &Effect| effect.assignment.choices())
        .value("option", |effect| effect.assignment.options())
        .value("chosen", |effect| effect.chosen)
        .value("dataset", |effect| effect.dataset.as_str())
        .value("metric", |effect| effect.metric.name)
        .value("value", |effect| effect.cell.value)
        .value("published", |effect| effect.published)
        .value("method", |effect| effect.method.as_str())
        .value("part", |effect| effect.part.as_str())
        .value("sweep", |effect| &*effect.sweep)
        .value("sd", |effect| effect.cell.sd)
        .value("n", |effect| (effect.cell.n > 0).then_some(effect.cell.n))
        .value("status", |effect| effect.cell.status.word())
        .value("moves", |effect| effect.moves())
        .sheet()
}

impl<'a> Options<'a> {
    /// The effects of one option of a choice.
    fn effects(
        &self,
        choice: &'a Choice,
        option: &Assignment,
        published: &Published,
    ) -> Vec<Effect<'a>> {
        let experiment = self.experiment;
        let [own, base] = &self.beside(option);
        let chosen = *option == Assignment::of(&choice.id, &choice.chosen);
        let places = experiment.parts.iter().flat_map(|part| {
            let datasets = choice.datasets.iter().filter(|id| part.datasets.contains(id));
            datasets.flat_map(move |dataset| {
                let concerned = part.methods.iter().filter(|id| choice.concerns(id, dataset));
                concerned.map(move |method| (part, dataset, method))
            })
        });
        let mut effects = Vec::new();
        for (part, dataset, method) in places {
            for point in own.sweep_points(method) {
                let sweep = record::point(&point);
                let selection = Selection {
                    parts: vec![&part.id],
                    sweep: point,
                    ..Selection::of(experiment, dataset, method)
                };
                for &metric in &part.metrics {
                    let cell = own.cell(&selection, metric, SdOver::Repeat);
                    if cell.status == Status::NotApplicable {
                        continue;
                    }
                    effects.push(Effect {
                        assignment: option.clone(),
                        chosen,
                        dataset,
                        method,
                        part: &part.id,
                        sweep: sweep.clone(),
                        metric,
                        cell,
                        base: base.cell(&selection, metric, SdOver::None).value,
                        published: published.value(&selection, metric),
                    });
                }
            }
        }
        effects
    }
}
