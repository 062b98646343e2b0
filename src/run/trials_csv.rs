//! `trials.csv`, `timing/timings.csv`, `lacks.csv`, `examples/*.csv` and `predictions/`: the records of a run as files. Read
//! back, they give the same outcomes bit for bit. Records of methods that promise less than their bits stand apart, in
//! `external/`.

mod predictions;
mod read;
mod table;

use base::layout::{
    EXAMPLES, EXTERNAL, LACKS, PICTURES, TIMINGS, TRIAL_IDENTITY, TRIAL_OUTCOME, TRIAL_PROVENANCE,
    TRIAL_SETTING, TRIALS, UNIVERSES,
};
use std::collections::{BTreeMap, BTreeSet};

use base::digest::Digest;
use base::text::{Real, real};
use contract::{Assignment, Measure, Metric, Metrics};
use method::command::COMMAND;

use super::cause::{Cause, Status};
use super::csv::{Writer, file, prose};
use super::outcome::Outcome;
use super::record::{Configuration, Record, Trial};

pub use read::{Totals, by_key, read, totals, universes};
pub use table::NotRecords;

/// The files of these records by path, of which `external` says whether they stand apart, and of those of universes.
pub fn write(
    records: &[Record],
    universes: &[Record],
    known: &Metrics,
    external: &dyn Fn(&Record) -> bool,
) -> BTreeMap<String, Vec<u8>> {
    let all = in_order(records.iter().chain(universes));
    let mut files = BTreeMap::from([(TIMINGS.to_owned(), timings(&all))]);
    let rows = in_order(records.iter());
    let (apart, exact): (Vec<&Record>, Vec<&Record>) = rows.into_iter().partition(|r| external(r));
    files.extend(values(&exact, known));
    let beside = [(EXTERNAL, apart), (UNIVERSES, in_order(universes.iter()))];
    for (folder, rows) in beside.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        let own = values(&rows, known).into_iter();
        files.extend(own.map(|(path, bytes)| (format!("{folder}{path}"), bytes)));
    }
    files
}

/// What these records measured, times aside, as files by path.
pub fn without_times<'r>(
    records: impl Iterator<Item = &'r Record>,
    known: &Metrics,
) -> BTreeMap<String, Vec<u8>> {
    values(&in_order(records), known)
}

fn in_order<'r>(records: impl Iterator<Item = &'r Record>) -> Vec<&'r Record> {
    let mut rows: Vec<&Record> = records.collect();
    rows.sort_by(|a, b| order(a).cmp(&order(b)));
    rows.dedup_by(|a, b| order(a) == order(b));
    rows
}

fn values(rows: &[&Record], known: &Metrics) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::from([(TRIALS.to_owned(), trials(rows, known))]);
    let with_values = outcomes(rows).flat_map(|outcome| outcome.examples.iter());
    for metric in with_values.map(|(metric, _)| metric.name).collect::<BTreeSet<&str>>() {
        files.insert(format!("{EXAMPLES}/{metric}.csv"), examples(rows, metric));
    }
    if outcomes(rows).any(|outcome| !outcome.lacks.is_empty()) {
        files.insert(LACKS.to_owned(), lacks(rows));
    }
    if outcomes(rows).any(|outcome| outcome.picture.is_some()) {
        files.insert(PICTURES.to_owned(), pictures(rows));
    }
    files.extend(predictions::write(rows));
    files
}

/// Rows are sorted by key; configurations that coincide share a key and are told apart by the rest.
fn order(record: &Record) -> (Digest, &str, &str, &Assignment, &str) {
    let trial = &record.trial;
    (trial.key, &trial.part, &trial.method, &trial.choice, &trial.dataset)
}

fn outcomes<'a>(rows: &'a [&'a Record]) -> impl Iterator<Item = &'a Outcome> {
    rows.iter().filter_map(|record| record.outcome.as_deref())
}

/// The metrics that rows have a value of, and those of which one is the mean of a sample, in the order of all metrics.
fn measured(rows: &[&Record], known: &Metrics) -> [Vec<&'static str>; 2] {
    let (mut measured, mut sampled) = (BTreeSet::new(), BTreeSet::new());
    for (metric, measure) in outcomes(rows).flat_map(|outcome| outcome.metrics.iter()) {
        measured.insert(metric.name);
        if let Measure::Sample(_) = measure {
            sampled.insert(metric.name);
        }
    }
    [measured, sampled].map(|names| {
        known.iter().map(|metric| metric.name).filter(|name| names.contains(name)).collect()
    })
}

fn trials(rows: &[&Record], known: &Metrics) -> Vec<u8> {
    let parameters = rows.iter().flat_map(|record| record.trial.parameters.iter());
    let parameters: BTreeSet<&str> = parameters.map(|(name, _)| name).collect();
    let [metrics, samples] = measured(rows, known);
    // Most experiments have none, and their files stay as they were before there was any.
    let settings = rows.iter().any(|record| !record.trial.setting.is_empty());
    let names =
        TRIAL_IDENTITY.iter().chain(&parameters).chain(&metrics).map(|&name| name.to_owned());
    let of_samples = samples.iter().flat_map(|name| [format!("{name}.n"), format!("{name}.m2")]);
    let word = |outcome: Option<&Outcome>| outcome?.cause.as_ref().and_then(Cause::word);
    let words = rows.iter().any(|record| {
        record.trial.kind == COMMAND.kind || word(record.outcome.as_deref()).is_some()
    });
    let further =
        settings.then_some(TRIAL_SETTING).into_iter().chain(words.then_some(TRIAL_OUTCOME));
    let last = TRIAL_PROVENANCE.into_iter().chain(further).map(str::to_owned);
    let mut file = Writer::new(names.chain(of_samples).chain(last));
    for Record { trial, outcome, selected } in rows {
        let outcome = outcome.as_deref();
        let measure = |name: &str| outcome.and_then(|outcome| outcome.metrics.get(name));
        name(trial, &mut file);
        file.text(&trial.split);
        file.cell(Some(trial.repeat));
        file.cell(Some(trial.fold));
        file.cell(Some(trial.seed));
        file.text(&trial.choice.to_string());
        file.cell(Some(selected));
        file.text(outcome.map_or(Status::Missing, Outcome::status).word());
        parameters.iter().for_each(|name| file.cell(trial.parameters.value(name)));
        for name in &metrics {
            file.cell(measure(name).map(|measure| Real(measure.value())));
        }
        for name in &samples {
            let sample = match measure(name) {
                Some(Measure::Sample(sample)) => Some(sample),
                Some(Measure::Scalar(_)) | None => None,
            };
            file.cell(sample.map(|sample| sample.n));
            file.cell(sample.map(|sample| Real(sample.m2)));
        }
        file.text(&trial.kind);
        file.cell(Some(trial.revision));
        file.cell(Some(trial.data));
        file.text(&prose(outcome.map_or("", |outcome| &outcome.message)));
        if settings {
            file.text(&trial.setting);
        }
        if words {
            file.cell(word(outcome));
        }
        file.end();
    }
    file.finish()
}

/// Writes the cells with which the row of a trial begins.
fn name(trial: &Trial, file: &mut Writer) {
    file.cell(Some(trial.key));
    let Configuration { dataset, part, problem, method, .. } = &trial.configuration;
    let texts: [&str; 4] = [dataset, part, problem, method];
    texts.into_iter().for_each(|text| file.text(text));
}

fn timings(rows: &[&Record]) -> Vec<u8> {
    let measured = outcomes(rows).flat_map(|outcome| outcome.times.iter());
    let names: BTreeSet<&str> = measured.map(|(metric, _)| metric.name).collect();
    let identity = ["key", "dataset", "part", "problem", "method", "repeat", "fold", "choice"];
    let mut file = Writer::new(identity.iter().chain(&names));
    for Record { trial, outcome, .. } in rows {
        let Some(outcome) = outcome.as_deref().filter(|outcome| !outcome.times.is_empty()) else {
            continue;
        };
        name(trial, &mut file);
        file.cell(Some(trial.repeat));
        file.cell(Some(trial.fold));
        file.text(&trial.choice.to_string());
        names.iter().for_each(|name| file.cell(outcome.times.get(name).copied().map(Real)));
        file.end();
    }
    file.finish()
}

/// One line a trial: its values in the order of the test examples; as `bits` where all are 0 or 1.
fn examples(rows: &[&Record], metric: &str) -> Vec<u8> {
    let mut keys = BTreeSet::new();
    let rows = rows.iter().filter_map(|record| {
        let values = record.outcome.as_ref()?.examples.get(metric)?;
        // Of configurations that coincide one may be selected while the other is not.
        if !keys.insert(record.trial.key) {
            return None;
        }
        let bit = |value: &f64| value.to_bits() == 0 || *value == 1.0;
        let binary = values.iter().all(bit);
        let texts: Vec<String> = values.iter().map(|value| real(*value)).collect();
        let (bits, values) = match binary {
            true => (texts.concat(), String::new()),
            false => (String::new(), texts.join(" ")),
        };
        Some(vec![record.trial.key.to_string(), bits, values])
    });
    file(&["key", "bits", "values"], rows)
}

/// Why metrics of trials have no value.
fn lacks(rows: &[&Record]) -> Vec<u8> {
    let of_row = |record: &&Record| {
        let key = record.trial.key.to_string();
        let lacks = record.outcome.iter().flat_map(|outcome| outcome.lacks.iter());
        let row = |(metric, why): (&Metric, &String)| {
            vec![key.clone(), metric.name.to_owned(), prose(why).into_owned()]
        };
        lacks.map(row).collect::<Vec<_>>()
    };
    // Configurations that coincide say the same.
    let rows: BTreeSet<Vec<String>> = rows.iter().flat_map(of_row).collect();
    file(&["key", "metric", "why"], rows)
}

/// The lines of each trial's picture, numbers separated by spaces.
fn pictures(rows: &[&Record]) -> Vec<u8> {
    let mut keys = BTreeSet::new();
    let rows = rows.iter().filter(|record| keys.insert(record.trial.key)).flat_map(|record| {
        let picture = record.outcome.as_ref().and_then(|outcome| outcome.picture.as_ref());
        let key = record.trial.key.to_string();
        picture.into_iter().flat_map(|picture| picture.to_lines()).map(
            move |(what, name, numbers)| {
                let numbers: Vec<String> = numbers.into_iter().map(real).collect();
                vec![key.clone(), what.to_owned(), name, numbers.join(" ")]
            },
        )
    });
    file(&["key", "what", "name", "numbers"], rows)
}
