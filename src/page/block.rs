//! The trials behind every cell: a compressed block that the script opens on demand.
//!
//! JSON, column by column, deflated and in base64. Numbers have six digits; `trials.csv` has all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use base::digest::Digest;
use base::words::Worded as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::Metric;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use math::decimal::significant;
use report::table::{Agreement, Placed, Table};
use report::{Effect, Findings};
use run::only::Only;
use run::record::{Configuration, point};
use run::{Record, Setup};
use serde_json::{Value, json};

use super::commands::Commands;
use super::summary::spent;

/// The digits of a number in the block.
const DIGITS: usize = 6;

/// The most trials that a page holds: what a browser opens, and a page of some megabytes.
const MOST: usize = 100_000;

/// Whether the trials of these findings are in the page.
pub fn holds(findings: &Findings<'_>) -> bool {
    findings.records.len() <= MOST
}

/// The block of these findings.
pub fn block(findings: &Findings<'_>, commands: &Commands) -> String {
    let text = content(findings, commands).to_string();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    STANDARD.encode(packed.unwrap_or_default())
}

/// Texts, each once, by the order in which they are met.
#[derive(Default)]
struct Texts(Vec<String>, BTreeMap<String, usize>);

impl Texts {
    fn place(&mut self, text: String) -> usize {
        let Self(texts, places) = self;
        *places.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            texts.len() - 1
        })
    }
}

/// What tells setups apart, whichever records share one.
fn identity(setup: &Setup) -> String {
    let Configuration { dataset, part, problem, method, choice } = &setup.configuration;
    let (choice, sweep, grid) = (choice.to_string(), point(&setup.sweep), point(&setup.grid));
    let all: [&str; 8] = [dataset, part, problem, method, &setup.split, &choice, &sweep, &grid];
    all.join("\u{0}")
}

fn content(findings: &Findings<'_>, commands: &Commands) -> Value {
    let mut setups: BTreeMap<String, BTreeMap<(usize, usize, Digest), &Record>> = BTreeMap::new();
    let mut known: BTreeMap<*const Setup, String> = BTreeMap::new();
    let held = holds(findings);
    for record in findings.records {
        let trial = &record.trial;
        let identity =
            known.entry(&raw const *trial.setup).or_insert_with(|| identity(&trial.setup));
        let trials = setups.entry(identity.clone()).or_default();
        if held || trials.is_empty() {
            trials.insert((trial.repeat, trial.fold, trial.key), record);
        }
    }
    let places: BTreeMap<&str, usize> =
        setups.keys().enumerate().map(|(place, identity)| (identity.as_str(), place)).collect();
    let metrics = metrics(findings);
    let trials = setups.values().filter(|_| held);
    let records: Vec<&Record> = trials.flat_map(|trials| trials.values().copied()).collect();
    let (mut seeds, mut messages) = (Texts::default(), Texts::default());
    let column = |metric: &&'static Metric| -> Vec<Value> {
        records.iter().map(|record| real(record.value(metric), DIGITS)).collect()
    };
    json!({
        "metrics": metrics.iter().map(|metric| json!({
            "name": metric.name, "label": metric.label, "unit": metric.unit, "meaning": metric.meaning,
        })).collect::<Vec<_>>(),
        "setups": setups.values().filter_map(|trials| trials.values().next()).map(|record| {
            described(findings, &record.trial)
        }).collect::<Vec<_>>(),
        "counts": setups.values().map(|trials| if held { trials.len() } else { 0 }).collect::<Vec<_>>(),
        "repeat": records.iter().map(|record| record.trial.repeat).collect::<Vec<_>>(),
        "fold": records.iter().map(|record| record.trial.fold).collect::<Vec<_>>(),
        "key": records.iter().map(|record| record.trial.key.short()).collect::<Vec<_>>(),
        "selected": records.iter().map(|record| u8::from(record.selected)).collect::<Vec<_>>(),
        "status": records.iter().map(|record| record.status().word()).collect::<Vec<_>>(),
        "seconds": records.iter().map(|record| real(spent(record), 3)).collect::<Vec<_>>(),
        "seed": records.iter().map(|record| seeds.place(record.trial.seed.to_string())).collect::<Vec<_>>(),
        "message": records.iter().map(|record| {
            messages.place(record.outcome.as_ref().map_or_else(String::new, |o| o.remark().into_owned()))
        }).collect::<Vec<_>>(),
        "values": metrics.iter().map(column).collect::<Vec<_>>(),
        "seeds": seeds.0,
        "messages": messages.0,
        "effects": findings.effects.iter().filter(|effect| effect.is_shown(findings.experiment))
            .map(|effect| changed(findings, effect)).collect::<Vec<_>>(),
        "tables": findings.tables.iter().map(|table| {
            (0..table.rows.len()).map(|row| cells(findings, (table, row), &places, commands)).collect::<Vec<_>>()
        }).collect::<Vec<_>>(),
    })
}

/// The metrics that tables show, that select, and those that read a clock.
fn metrics(findings: &Findings<'_>) -> Vec<&'static Metric> {
    let experiment = findings.experiment;
    let tables = experiment.tables.iter().flat_map(|table| table.metrics()).copied();
    let selecting = experiment.methods.iter().filter_map(|method| method.select);
    let mut seen = BTreeSet::new();
    tables.chain(selecting).filter(|metric| seen.insert(metric.name)).collect()
}

fn real(value: Option<f64>, digits: usize) -> Value {
    value.map_or(Value::Null, |value| json!(significant(value, digits) + 0.0))
}

fn described(findings: &Findings<'_>, setup: &Setup) -> Value {
    let pairs = |pairs: &mut dyn Iterator<Item = (&str, String)>| {
        pairs.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    };
    let points = setup.sweep.iter().chain(&setup.grid);
    json!({
        "dataset": (findings.titles)(&setup.dataset),
        "id": setup.dataset.as_str(),
        "method": setup.method.as_str(),
        "part": setup.part.as_str(),
        "problem": setup.problem.as_str(),
        "split": setup.split,
        "sweep": point(&setup.sweep),
        "kind": setup.kind,
        "revision": setup.revision,
        "data": setup.data.to_string(),
        "point": pairs(&mut points.map(|(name, value)| (name.as_str(), value.to_string()))),
        "parameters": pairs(&mut setup.parameters.iter().map(|(name, value)| (name, value.to_string()))),
    })
}

fn changed(findings: &Findings<'_>, effect: &Effect<'_>) -> Value {
    let rounding = findings.experiment.rounding(effect.metric);
    json!({
        "choice": effect.assignment.choices(),
        "option": effect.assignment.options(),
        "chosen": effect.chosen,
        "dataset": effect.dataset.as_str(),
        "method": effect.method.as_str(),
        "part": effect.part.as_str(),
        "sweep": effect.sweep,
        "metric": effect.metric.name,
        "value": effect.cell.value.map_or_else(|| effect.cell.status.word().to_owned(), |v| rounding.text(v)),
        "sd": effect.cell.sd.map(|sd| rounding.text(sd)),
        "paper": effect.published.map(|value| rounding.text(value)),
    })
}

/// The cells of a row, each with the setups behind it and the commands that make only it again.
fn cells<'a>(
    findings: &Findings<'a>,
    (table, row): (&Table<'a>, usize),
    places: &BTreeMap<&str, usize>,
    commands: &Commands,
) -> Value {
    let behind: Vec<Vec<&Record>> =
        Placed::in_row(table, row).map(|at| findings.behind(table, row, at.column)).collect();
    let trials = |at: Placed<'_>| behind[at.column].iter();
    let setups = |at| -> BTreeSet<usize> {
        let of = |record: &&Record| places.get(identity(&record.trial.setup).as_str()).copied();
        trials(at).filter_map(of).collect()
    };
    let only = |at| Only::around(trials(at).map(|record| &record.trial));
    let select = |at: Placed<'_>| {
        let own = table.method((row, at.column));
        let mut methods = table.spec.methods.iter().filter(|id| own.is_none_or(|own| own == *id));
        methods.find_map(|id| findings.experiment.method(id)?.select)
    };
    report::table::cells(table, Placed::in_row(table, row))
        .value("select", |at| select(at).map(|metric| metric.name))
        .value("setups", |at| json!(setups(at)))
        .value("scale", |_| table.spec.scale)
        .value("meaning", |at| at.cell().agreement.map(|how| Agreement::WORDS.meaning(how)))
        .value("cause", |at| at.cell().note.map(|note| table.notes[note].text()))
        .value("run", |at| only(at).map(|only| commands.run_only(&only)))
        .value("audit", |at| only(at).map(|only| commands.audit_only(&only)))
        .sheet()
        .json()
}
