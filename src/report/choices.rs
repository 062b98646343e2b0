//! What each option of each choice changes: `choices.csv`.

use std::collections::BTreeMap;

use contract::Metric;
use contract::parameter::Value;
use run::{Record, Status};
use spec::{Choice, Experiment, Part, SdOver};

use super::cells::{Cell, Cells, Selection};
use super::published::Published;
use super::sheet::Sheet;

/// One line: what one option gives for one metric of one method on one dataset.
#[derive(Debug, Clone)]
pub struct Effect<'a> {
    /// Choice id; crossed choices are joined by `;`.
    pub choice: String,
    /// The option; of crossed choices, joined by `;`.
    pub option: String,
    /// Whether it is the one that the results use.
    pub chosen: bool,
    /// Dataset id.
    pub dataset: &'a str,
    /// Method id.
    pub method: &'a str,
    /// Part id.
    pub part: &'a str,
    /// The point of the method's sweep, such as `degree=15`.
    pub sweep: String,
    /// What is measured.
    pub metric: &'static Metric,
    /// The mean over the repeats for which options are run, with its standard deviation over them.
    pub cell: Cell,
    /// The published value, in the metric's unit.
    pub published: Option<f64>,
}

impl Effect<'_> {
    /// Whether some table shows its metric.
    pub fn is_shown(&self, experiment: &Experiment) -> bool {
        let mut metrics = experiment.tables.iter().flat_map(|table| table.metrics());
        metrics.any(|metric| metric.name == self.metric.name)
    }
}

/// The effects of all choices whose options were planned.
pub fn effects<'a>(
    experiment: &'a Experiment,
    records: &'a [Record],
    published: &Published,
) -> Vec<Effect<'a>> {
    let mut assignments: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        assignments.entry(&record.trial.choice).or_default().push(record);
    }
    let cells = |assignment: &str, repeats: usize| {
        let records = assignments.get(assignment).into_iter().flatten().copied();
        Cells::of(experiment, records.filter(move |record| record.trial.repeat < repeats))
    };
    let mut effects = Vec::new();
    for choice in &experiment.choices {
        let of_option = |option: &Value| format!("{}={option}", choice.id);
        if !choice.options.iter().any(|option| assignments.contains_key(&*of_option(option))) {
            continue;
        }
        for option in &choice.options {
            let chosen = *option == choice.chosen;
            let assignment = if chosen { String::new() } else { of_option(option) };
            let cells = cells(&assignment, choice.repeats);
            let names = (&*choice.id, &*option.to_string(), chosen);
            let assigned = Assigned { experiment, choice, cells: &cells, published, names };
            effects.extend(assigned.effects());
        }
    }
    for assignment in assignments.keys().filter(|assignment| assignment.contains(';')) {
        let (ids, options): (Vec<&str>, Vec<&str>) =
            assignment.split(';').filter_map(|one| one.split_once('=')).unzip();
        let Some(choice) = experiment.choices.iter().find(|choice| ids.contains(&&*choice.id))
        else {
            continue;
        };
        let cells = cells(assignment, choice.repeats);
        let names = (&*ids.join(";"), &*options.join(";"), false);
        let assigned = Assigned { experiment, choice, cells: &cells, published, names };
        effects.extend(assigned.effects());
    }
    effects
}

/// The effects, for programs.
pub fn sheet(effects: &[&Effect]) -> Sheet {
    Sheet::of("", effects.iter().copied())
        .value("choice", |effect: &Effect| &*effect.choice)
        .value("option", |effect| &*effect.option)
        .value("chosen", |effect| effect.chosen)
        .value("dataset", |effect| effect.dataset)
        .value("metric", |effect| effect.metric.name)
        .value("value", |effect| effect.cell.value)
        .value("published", |effect| effect.published)
        .value("method", |effect| effect.method)
        .value("part", |effect| effect.part)
        .value("sweep", |effect| &*effect.sweep)
        .value("sd", |effect| effect.cell.sd)
        .value("n", |effect| (effect.cell.n > 0).then_some(effect.cell.n))
        .value("status", |effect| effect.cell.status.word())
        .sheet()
}

/// One option, with what its effects are read from.
struct Assigned<'a, 'c> {
    experiment: &'a Experiment,
    choice: &'a Choice,
    cells: &'c Cells<'a>,
    published: &'c Published<'c>,
    /// Choice id, option, whether it is the chosen one.
    names: (&'c str, &'c str, bool),
}

impl<'a> Assigned<'a, '_> {
    fn effects(&self) -> Vec<Effect<'a>> {
        let mut effects = Vec::new();
        for part in &self.experiment.parts {
            for dataset in self.choice.datasets.iter().filter(|id| part.datasets.contains(id)) {
                let concerned = |id: &&String| self.choice.concerns(id, dataset);
                for method in part.methods.iter().filter(concerned) {
                    effects.extend(self.effects_on(part, dataset, method));
                }
            }
        }
        effects
    }

    fn effects_on(&self, part: &'a Part, dataset: &'a str, method: &'a str) -> Vec<Effect<'a>> {
        let mut effects = Vec::new();
        let (choice, option, chosen) = self.names;
        for point in self.cells.sweep_points(method) {
            let sweep: Vec<String> =
                point.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let selection = Selection {
                parts: vec![&part.id],
                sweep: point.clone(),
                ..Selection::of(self.experiment, dataset, method)
            };
            for &metric in &part.metrics {
                let cell = self.cells.cell(&selection, metric, SdOver::Repeat);
                if cell.status == Status::NotApplicable {
                    continue;
                }
                effects.push(Effect {
                    choice: choice.to_owned(),
                    option: option.to_owned(),
                    chosen,
                    dataset,
                    method,
                    part: &part.id,
                    sweep: sweep.join(" "),
                    metric,
                    cell,
                    published: self.published.value(&[&part.id], dataset, method, metric, &point),
                });
            }
        }
        effects
    }
}
