//! `trials.csv`, `timing/timings.csv` and `examples/*.csv`: the records of a run as files. Read
//! back, they give the same outcomes bit for bit.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::math::digest::Digest;
use crate::math::text::real;
use crate::task::boundary::picture::Picture;
use crate::task::measure::Sample;
use crate::task::{METRICS, Measure};

use super::csv::file;
use super::record::{Outcome, Record, Status};

/// Path of the trials within a results folder.
pub const TRIALS: &str = "trials.csv";
/// Path of the seconds.
pub const TIMINGS: &str = "timing/timings.csv";
/// Folder of the values per test example.
pub const EXAMPLES: &str = "examples";
/// Path of what figures show of single trials.
pub const PICTURES: &str = "pictures.csv";

const IDENTITY: [&str; 12] = [
    "key", "dataset", "part", "problem", "method", "split", "repeat", "fold", "seed", "choice",
    "selected", "status",
];

/// The last columns.
const PROVENANCE: [&str; 4] = ["kind", "revision", "data", "message"];

/// The files of these records by path.
pub fn write(records: &[Record]) -> BTreeMap<String, Vec<u8>> {
    let mut rows: Vec<&Record> = records.iter().collect();
    rows.sort_by(|a, b| order(a).cmp(&order(b)));
    rows.dedup_by(|a, b| order(a) == order(b));
    let mut files =
        BTreeMap::from([(TRIALS.to_owned(), trials(&rows)), (TIMINGS.to_owned(), timings(&rows))]);
    for metric in outcomes(&rows).flat_map(|outcome| outcome.examples.keys()) {
        let path = format!("{EXAMPLES}/{metric}.csv");
        files.entry(path).or_insert_with(|| examples(&rows, metric));
    }
    if outcomes(&rows).any(|outcome| outcome.picture.is_some()) {
        files.insert(PICTURES.to_owned(), pictures(&rows));
    }
    files
}

/// Rows are sorted by key; configurations that coincide share a key and are told apart by the rest.
fn order(record: &Record) -> (Digest, &str, &str, &str) {
    let trial = &record.trial;
    (trial.key, &trial.part, &trial.method, &trial.choice)
}

fn outcomes<'a>(rows: &'a [&'a Record]) -> impl Iterator<Item = &'a Outcome> {
    rows.iter().filter_map(|record| record.outcome.as_ref())
}

fn trials(rows: &[&Record]) -> Vec<u8> {
    let parameters: BTreeSet<&str> = rows
        .iter()
        .flat_map(|record| record.trial.parameters.iter().map(|(name, _)| name))
        .collect();
    let measured: BTreeSet<&str> =
        outcomes(rows).flat_map(|o| o.metrics.keys().map(String::as_str)).collect();
    let metrics: Vec<&str> =
        METRICS.iter().map(|metric| metric.name).filter(|name| measured.contains(name)).collect();
    let samples: Vec<&str> = metrics
        .iter()
        .copied()
        .filter(|name| {
            outcomes(rows).any(|o| matches!(o.metrics.get(*name), Some(Measure::Sample(_))))
        })
        .collect();
    let mut header: Vec<String> = IDENTITY.iter().map(|&name| name.to_owned()).collect();
    header.extend(parameters.iter().chain(&metrics).map(|&name| name.to_owned()));
    header.extend(samples.iter().flat_map(|name| [format!("{name}.n"), format!("{name}.m2")]));
    header.extend(PROVENANCE.map(str::to_owned));
    // Most experiments have none, and their files stay as they were before there was any.
    let settings = rows.iter().any(|record| !record.trial.setting.is_empty());
    header.extend(settings.then(|| "setting".to_owned()));
    file(
        &header,
        rows.iter().map(|record| {
            let trial = &record.trial;
            let outcome = record.outcome.as_ref();
            let measure = |name: &str| outcome.and_then(|outcome| outcome.metrics.get(name));
            let mut row = vec![
                trial.key.to_string(),
                trial.dataset.clone(),
                trial.part.clone(),
                trial.problem.clone(),
                trial.method.clone(),
                trial.split.clone(),
                trial.repeat.to_string(),
                trial.fold.to_string(),
                trial.seed.to_string(),
                trial.choice.clone(),
                record.selected.to_string(),
                outcome.map_or(Status::Missing, |outcome| outcome.status).word().to_owned(),
            ];
            row.extend(parameters.iter().map(|name| {
                trial.parameters.get(name).map(ToString::to_string).unwrap_or_default()
            }));
            row.extend(metrics.iter().map(|name| {
                measure(name).map(|measure| real(measure.value())).unwrap_or_default()
            }));
            row.extend(samples.iter().flat_map(|name| match measure(name) {
                Some(Measure::Sample(sample)) => [sample.n.to_string(), real(sample.m2)],
                _ => [String::new(), String::new()],
            }));
            row.extend([trial.kind.to_owned(), trial.revision.to_string(), trial.data.to_string()]);
            row.push(outcome.map(|outcome| outcome.message.clone()).unwrap_or_default());
            row.extend(settings.then(|| trial.setting.clone()));
            row
        }),
    )
}

fn timings(rows: &[&Record]) -> Vec<u8> {
    let names: BTreeSet<&str> =
        outcomes(rows).flat_map(|o| o.times.keys().map(String::as_str)).collect();
    let mut header: Vec<String> =
        ["key", "dataset", "part", "problem", "method", "repeat", "fold", "choice"]
            .map(str::to_owned)
            .into();
    header.extend(names.iter().map(|&name| name.to_owned()));
    file(
        &header,
        rows.iter().filter_map(|record| {
            let trial = &record.trial;
            let times = &record.outcome.as_ref()?.times;
            let mut row = vec![
                trial.key.to_string(),
                trial.dataset.clone(),
                trial.part.clone(),
                trial.problem.clone(),
                trial.method.clone(),
                trial.repeat.to_string(),
                trial.fold.to_string(),
                trial.choice.clone(),
            ];
            row.extend(
                names.iter().map(|&name| times.get(name).copied().map(real).unwrap_or_default()),
            );
            (!times.is_empty()).then_some(row)
        }),
    )
}

/// One line a trial: its values in the order of the test examples; as `bits` where all are 0 or 1.
fn examples(rows: &[&Record], metric: &str) -> Vec<u8> {
    let header = ["key", "bits", "values"].map(str::to_owned);
    let mut keys = BTreeSet::new();
    let rows = rows.iter().filter_map(|record| {
        let values = record.outcome.as_ref()?.examples.get(metric)?;
        // Of configurations that coincide one may be selected while the other is not.
        if !keys.insert(record.trial.key) {
            return None;
        }
        let binary = values.iter().all(|value| *value == 0.0 || *value == 1.0);
        let texts: Vec<String> = values.iter().map(|value| real(*value)).collect();
        let (bits, values) = match binary {
            true => (texts.concat(), String::new()),
            false => (String::new(), texts.join(" ")),
        };
        Some(vec![record.trial.key.to_string(), bits, values])
    });
    file(&header, rows)
}

/// The lines of each trial's picture, numbers separated by spaces.
fn pictures(rows: &[&Record]) -> Vec<u8> {
    let header = ["key", "what", "name", "numbers"].map(str::to_owned);
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
    file(&header, rows)
}

/// The pictures of [`pictures`] by key.
fn read_pictures(folder: &Path) -> Result<BTreeMap<Digest, Picture>, NotRecords> {
    let mut lines: BTreeMap<Digest, Vec<(String, String, Vec<f64>)>> = BTreeMap::new();
    let bad = |line: u64, problem: String| NotRecords { file: PICTURES.to_owned(), line, problem };
    if !folder.join(PICTURES).exists() {
        return Ok(BTreeMap::new());
    }
    let mut ends: BTreeMap<Digest, u64> = BTreeMap::new();
    for (line, columns) in table(folder, PICTURES)? {
        let key = key_of(&columns).map_err(|problem| bad(line, problem))?;
        let text = |column: &str| columns.get(column).cloned().unwrap_or_default();
        let numbers = text("numbers");
        let numbers = numbers.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
        let numbers = numbers.map_err(|_| bad(line, "expected `numbers`".to_owned()))?;
        lines.entry(key).or_default().push((text("what"), text("name"), numbers));
        ends.insert(key, line);
    }
    let picture = |(key, lines): (Digest, Vec<(String, String, Vec<f64>)>)| {
        let read = lines.iter().map(|(what, name, v)| (&**what, &**name, v.clone()));
        let picture = Picture::from_lines(read);
        let broken = || bad(ends[&key], "the lines of this key are no picture".to_owned());
        picture.map(|picture| (key, picture)).ok_or_else(broken)
    };
    lines.into_iter().map(picture).collect()
}

/// The values of a line of [`examples`].
fn values(columns: &Columns) -> Option<Vec<f64>> {
    let (bits, values) = (columns.get("bits")?, columns.get("values")?);
    if values.is_empty() {
        let bit = |bit| match bit {
            b'0' => Some(0.0),
            b'1' => Some(1.0),
            _ => None,
        };
        return bits.bytes().map(bit).collect();
    }
    values.split(' ').map(|value| value.parse().ok()).collect()
}

/// The files of a results folder can't be read back as records.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{file}, line {line}: {problem}")]
#[diagnostic(help("the file is not as reprise wrote it: restore it, or run with --fresh"))]
pub struct NotRecords {
    /// The file within the results folder.
    pub file: String,
    /// 1-based line.
    pub line: u64,
    /// What is wrong.
    pub problem: String,
}

/// A sealed trial as its row describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The trial's key. Configurations that coincide have a row each.
    pub key: Digest,
    /// All columns by name.
    pub columns: BTreeMap<String, String>,
    /// Its outcome; none if it had not run.
    pub outcome: Option<Outcome>,
}

/// Reads the records of a results folder back, in the order of the file.
///
/// # Errors
/// If a file is missing, or not as [`write()`] writes it.
pub fn read(folder: &Path) -> Result<Vec<Row>, NotRecords> {
    let mut rows = Vec::new();
    let mut of_key: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
    for (line, columns) in table(folder, TRIALS)? {
        let bad = |problem: String| NotRecords { file: TRIALS.to_owned(), line, problem };
        let key = key_of(&columns).map_err(bad)?;
        let outcome = outcome_of(&columns).map_err(bad)?;
        of_key.entry(key).or_default().push(rows.len());
        rows.push(Row { key, columns, outcome });
    }
    for (line, columns) in table(folder, TIMINGS)? {
        let bad = |problem: String| NotRecords { file: TIMINGS.to_owned(), line, problem };
        let key = key_of(&columns).map_err(bad)?;
        let mut times = BTreeMap::new();
        for (name, text) in columns.iter().filter(|(name, _)| name.starts_with("time:")) {
            if !text.is_empty() {
                times.insert(name.clone(), number(name, text).map_err(bad)?);
            }
        }
        for &row in of_key.get(&key).into_iter().flatten() {
            if let Some(outcome) = &mut rows[row].outcome {
                outcome.times.clone_from(&times);
            }
        }
    }
    for metric in METRICS.iter().map(|metric| metric.name) {
        let file = format!("{EXAMPLES}/{metric}.csv");
        if !folder.join(&file).exists() {
            continue;
        }
        for (line, columns) in table(folder, &file)? {
            let bad = |problem: String| NotRecords { file: file.clone(), line, problem };
            let key = key_of(&columns).map_err(bad)?;
            let values = values(&columns)
                .ok_or_else(|| bad("expected `bits` of 0 and 1, or `values`".to_owned()))?;
            for &row in of_key.get(&key).into_iter().flatten() {
                if let Some(outcome) = &mut rows[row].outcome {
                    outcome.examples.insert(metric.to_owned(), values.clone());
                }
            }
        }
    }
    for (key, picture) in read_pictures(folder)? {
        for &row in of_key.get(&key).into_iter().flatten() {
            if let Some(outcome) = &mut rows[row].outcome {
                outcome.picture = Some(picture.clone());
            }
        }
    }
    Ok(rows)
}

/// The outcomes of rows by key, as they were run: a trial that counts as failed because no point of its grid had
/// a value to be selected by is one that ended well. Where configurations coincide, one of them may be selected and
/// have its test score while the other has not: what they say together counts.
pub fn by_key(rows: &[Row]) -> BTreeMap<Digest, Outcome> {
    let mut outcomes: BTreeMap<Digest, Outcome> = BTreeMap::new();
    for row in rows {
        let Some(outcome) = row.outcome.clone().map(as_run) else { continue };
        match outcomes.entry(row.key) {
            Entry::Vacant(entry) => {
                entry.insert(outcome);
            }
            Entry::Occupied(mut entry) => {
                entry.get_mut().join(outcome);
            }
        }
    }
    outcomes
}

/// Trials that fail measure nothing.
fn as_run(outcome: Outcome) -> Outcome {
    if outcome.status == Status::Failed && !outcome.metrics.is_empty() {
        return Outcome { status: Status::Ok, message: String::new(), ..outcome };
    }
    outcome
}

type Columns = BTreeMap<String, String>;

fn table(folder: &Path, file: &str) -> Result<Vec<(u64, Columns)>, NotRecords> {
    let bad = |line: u64, problem: String| NotRecords { file: file.to_owned(), line, problem };
    let mut reader =
        csv::Reader::from_path(folder.join(file)).map_err(|error| bad(1, error.to_string()))?;
    let header: Vec<String> = reader
        .headers()
        .map_err(|error| bad(1, error.to_string()))?
        .iter()
        .map(str::to_owned)
        .collect();
    reader
        .records()
        .map(|record| {
            let line = |position: Option<&csv::Position>| position.map_or(1, csv::Position::line);
            let record = record.map_err(|e| bad(line(e.position()), e.to_string()))?;
            let cells = record.iter().map(str::to_owned);
            Ok((line(record.position()), header.iter().cloned().zip(cells).collect()))
        })
        .collect()
}

fn key_of(columns: &Columns) -> Result<Digest, String> {
    let text = columns.get("key").ok_or("there is no column `key`")?;
    text.parse().map_err(|error: crate::math::digest::NotADigest| error.to_string())
}

fn number(name: &str, text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("column `{name}`: expected a number, found {text:?}"))
}

fn outcome_of(columns: &Columns) -> Result<Option<Outcome>, String> {
    let word = columns.get("status").ok_or("there is no column `status`")?;
    let status =
        Status::from_word(word).ok_or_else(|| format!("column `status`: unknown word {word:?}"))?;
    if status == Status::Missing {
        return Ok(None);
    }
    let mut metrics = BTreeMap::new();
    for name in METRICS.iter().map(|metric| metric.name) {
        let cell =
            |suffix: &str| columns.get(&format!("{name}{suffix}")).filter(|text| !text.is_empty());
        let Some(value) = cell("") else { continue };
        let value = number(name, value)?;
        let measure = match (cell(".n"), cell(".m2")) {
            (Some(n), Some(m2)) => Measure::Sample(Sample {
                n: n.parse().map_err(|_| format!("column `{name}.n`: not a count: {n:?}"))?,
                mean: value,
                m2: number(name, m2)?,
            }),
            _ => Measure::Scalar(value),
        };
        metrics.insert(name.to_owned(), measure);
    }
    let message = columns.get("message").cloned().unwrap_or_default();
    Ok(Some(Outcome { metrics, ..Outcome::ended(status, message) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::METHODS;

    /// A parameter with the name of another column would be read back as that one.
    #[test]
    fn parameters_have_columns_of_their_own() {
        let metrics = METRICS.iter().map(|metric| metric.name);
        let taken: BTreeSet<&str> = metrics.chain(IDENTITY).chain(PROVENANCE).collect();
        for entry in METHODS {
            for parameter in entry.parameters {
                assert!(!taken.contains(parameter.name), "{}: {}", entry.kind, parameter.name);
            }
        }
    }
}
