//! `trials.csv`, `timing/timings.csv` and `examples/*.csv`: the records of a run as files. Read
//! back, they give the same outcomes bit for bit.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::math::digest::{Digest, NotADigest};
use crate::math::text::{Real, real};
use crate::task::boundary::picture::Picture;
use crate::task::measure::Sample;
use crate::task::{ByMetric, METRICS, Measure, Metric, metric};

use super::csv::{Writer, file, of_prose, prose};
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

/// Behind them, where a trial has one.
const SETTING: &str = "setting";

/// The files of these records by path.
pub fn write(records: &[Record]) -> BTreeMap<String, Vec<u8>> {
    let mut rows: Vec<&Record> = records.iter().collect();
    rows.sort_by(|a, b| order(a).cmp(&order(b)));
    rows.dedup_by(|a, b| order(a) == order(b));
    let mut files =
        BTreeMap::from([(TRIALS.to_owned(), trials(&rows)), (TIMINGS.to_owned(), timings(&rows))]);
    let with_values = outcomes(&rows).flat_map(|outcome| outcome.examples.iter());
    for metric in with_values.map(|(metric, _)| metric.name).collect::<BTreeSet<&str>>() {
        files.insert(format!("{EXAMPLES}/{metric}.csv"), examples(&rows, metric));
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
    rows.iter().filter_map(|record| record.outcome.as_deref())
}

fn trials(rows: &[&Record]) -> Vec<u8> {
    let mut parameters: BTreeSet<&str> = BTreeSet::new();
    let (mut measured, mut sampled) = (BTreeSet::new(), BTreeSet::new());
    for record in rows {
        parameters.extend(record.trial.parameters.iter().map(|(name, _)| name));
        let metrics = record.outcome.iter().flat_map(|outcome| outcome.metrics.iter());
        for (metric, measure) in metrics {
            measured.insert(metric.name);
            if let Measure::Sample(_) = measure {
                sampled.insert(metric.name);
            }
        }
    }
    let in_order = |names: &BTreeSet<&str>| -> Vec<&str> {
        METRICS.iter().map(|metric| metric.name).filter(|name| names.contains(name)).collect()
    };
    let (metrics, samples) = (in_order(&measured), in_order(&sampled));
    // Most experiments have none, and their files stay as they were before there was any.
    let settings = rows.iter().any(|record| !record.trial.setting.is_empty());
    let names = IDENTITY.iter().chain(&parameters).chain(&metrics).map(|&name| name.to_owned());
    let of_samples = samples.iter().flat_map(|name| [format!("{name}.n"), format!("{name}.m2")]);
    let last = PROVENANCE.into_iter().chain(settings.then_some(SETTING)).map(str::to_owned);
    let mut file = Writer::new(names.chain(of_samples).chain(last));
    for Record { trial, outcome, selected } in rows {
        let outcome = outcome.as_deref();
        let measure = |name: &str| outcome.and_then(|outcome| outcome.metrics.get(name));
        file.cell(Some(trial.key));
        for text in [&trial.dataset, &trial.part, &trial.problem, &trial.method, &trial.split] {
            file.text(text);
        }
        file.cell(Some(trial.repeat));
        file.cell(Some(trial.fold));
        file.cell(Some(trial.seed));
        file.text(&trial.choice);
        file.cell(Some(selected));
        file.text(outcome.map_or(Status::Missing, |outcome| outcome.status).word());
        parameters.iter().for_each(|name| file.cell(trial.parameters.get(name)));
        for name in &metrics {
            file.cell(measure(name).map(|measure| Real(measure.value())));
        }
        for name in &samples {
            let sample = match measure(name) {
                Some(Measure::Sample(sample)) => Some(sample),
                _ => None,
            };
            file.cell(sample.map(|sample| sample.n));
            file.cell(sample.map(|sample| Real(sample.m2)));
        }
        file.text(trial.kind);
        file.cell(Some(trial.revision));
        file.cell(Some(trial.data));
        file.text(&prose(outcome.map_or("", |outcome| &outcome.message)));
        if settings {
            file.text(&trial.setting);
        }
        file.end();
    }
    file.finish()
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
        file.cell(Some(trial.key));
        for text in [&trial.dataset, &trial.part, &trial.problem, &trial.method] {
            file.text(text);
        }
        file.cell(Some(trial.repeat));
        file.cell(Some(trial.fold));
        file.text(&trial.choice);
        names.iter().for_each(|name| file.cell(outcome.times.get(name).copied().map(Real)));
        file.end();
    }
    file.finish()
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

/// The values of a line of [`examples`].
fn values(bits: &str, values: &str) -> Option<Vec<f64>> {
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
    /// Split seed.
    pub seed: Option<Digest>,
    /// Repeat, from 0.
    pub repeat: usize,
    /// Fold, from 0.
    pub fold: usize,
    /// Whether it is its grid's selected point.
    pub selected: bool,
    /// All else that it was, shared by rows that have it in common.
    pub setup: Arc<Described>,
    /// Its outcome; none if it had not run.
    pub outcome: Option<Arc<Outcome>>,
}

/// What a row says of a trial's setup, in words: methods, parameters and datasets of another version may be
/// others. Columns that are not there are empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Described {
    /// Dataset id.
    pub dataset: String,
    /// Part id.
    pub part: String,
    /// Problem.
    pub problem: String,
    /// Method id.
    pub method: String,
    /// The split.
    pub split: String,
    /// Options of choices.
    pub choice: String,
    /// Kind of the method.
    pub kind: String,
    /// Revision of the method.
    pub revision: String,
    /// Digest of the dataset.
    pub data: String,
    /// What its task does beside.
    pub setting: String,
    /// Names and values of the parameters that it has.
    parameters: Vec<(Arc<str>, Box<str>)>,
}

impl Described {
    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| **known == *name);
        found.map(|(_, value)| &**value)
    }
}

/// What a column holds.
enum Column {
    Key,
    Seed,
    Repeat,
    Fold,
    Selected,
    Status,
    Message,
    /// A value, or the mean of a sample.
    Value(&'static Metric),
    Size(&'static Metric),
    Deviation(&'static Metric),
    Setup(fn(&mut Described) -> &mut String),
    Parameter(Arc<str>),
}

impl Column {
    fn named(name: &str) -> Self {
        if let Some(metric) = metric(name) {
            return Self::Value(metric);
        }
        match (name.strip_suffix(".n").and_then(metric), name.strip_suffix(".m2").and_then(metric))
        {
            (Some(metric), _) => return Self::Size(metric),
            (_, Some(metric)) => return Self::Deviation(metric),
            _ => {}
        }
        match name {
            "key" => Self::Key,
            "seed" => Self::Seed,
            "repeat" => Self::Repeat,
            "fold" => Self::Fold,
            "selected" => Self::Selected,
            "status" => Self::Status,
            "message" => Self::Message,
            "dataset" => Self::Setup(|setup| &mut setup.dataset),
            "part" => Self::Setup(|setup| &mut setup.part),
            "problem" => Self::Setup(|setup| &mut setup.problem),
            "method" => Self::Setup(|setup| &mut setup.method),
            "split" => Self::Setup(|setup| &mut setup.split),
            "choice" => Self::Setup(|setup| &mut setup.choice),
            "kind" => Self::Setup(|setup| &mut setup.kind),
            "revision" => Self::Setup(|setup| &mut setup.revision),
            "data" => Self::Setup(|setup| &mut setup.data),
            SETTING => Self::Setup(|setup| &mut setup.setting),
            name => Self::Parameter(name.into()),
        }
    }

    fn of_setup(&self) -> bool {
        matches!(self, Self::Setup(_) | Self::Parameter(_))
    }
}

/// Reads the records of a results folder back, in the order of the file.
///
/// # Errors
/// If a file is missing, or not as [`write()`] writes it.
pub fn read(folder: &Path) -> Result<Vec<Row>, NotRecords> {
    let (mut rows, mut setups) = (Vec::new(), BTreeMap::new());
    let mut file = Table::open(folder, TRIALS)?;
    let columns: Vec<Column> = file.header.iter().map(|name| Column::named(name)).collect();
    for needed in ["key", "status"] {
        file.column(needed)?;
    }
    while file.next()? {
        let row = row(&columns, &file.cells, &mut setups).map_err(|problem| file.bad(problem))?;
        rows.push(row);
    }
    drop(setups);
    let mut rows = Rows::new(rows);
    rows.read_times(folder)?;
    for metric in METRICS {
        rows.read_examples(folder, metric)?;
    }
    rows.read_pictures(folder)?;
    Ok(rows.rows)
}

/// A row of `trials.csv`, whose setup is one of those that were there before or is kept with them.
fn row(
    columns: &[Column],
    cells: &csv::StringRecord,
    setups: &mut BTreeMap<String, Arc<Described>>,
) -> Result<Row, String> {
    let (mut key, mut seed, mut repeat, mut fold, mut selected) = (None, None, 0, 0, false);
    let (mut status, mut message, mut identity) = (None, "", String::new());
    let (mut metrics, mut samples) = (ByMetric::new(), ByMetric::<Sample>::new());
    let sample = |samples: &ByMetric<Sample>, metric: &Metric| {
        samples.get(metric.name).copied().unwrap_or_default()
    };
    for (column, text) in columns.iter().zip(cells) {
        match column {
            Column::Key => key = Some(digest(text)?),
            Column::Seed => seed = Some(digest(text)?),
            Column::Repeat => repeat = count("repeat", text)?,
            Column::Fold => fold = count("fold", text)?,
            Column::Selected => selected = text == "true",
            Column::Status => {
                let known = Status::from_word(text);
                let unknown = || format!("column `status`: unknown word {text:?}");
                status = Some(known.ok_or_else(unknown)?);
            }
            Column::Message => message = of_prose(text),
            Column::Setup(_) | Column::Parameter(_) => {
                identity.push_str(text);
                identity.push('\n');
            }
            _ if text.is_empty() => {}
            Column::Value(metric) => {
                metrics.insert(metric, Measure::Scalar(number(metric.name, text)?));
            }
            Column::Size(metric) => {
                let n = count(&format!("{}.n", metric.name), text)? as u64;
                samples.insert(metric, Sample { n, ..sample(&samples, metric) });
            }
            Column::Deviation(metric) => {
                let m2 = number(&format!("{}.m2", metric.name), text)?;
                samples.insert(metric, Sample { m2, ..sample(&samples, metric) });
            }
        }
    }
    let setup = setups.entry(identity).or_insert_with(|| {
        let mut setup = Described::default();
        for (column, text) in columns.iter().zip(cells).filter(|(column, _)| column.of_setup()) {
            match column {
                Column::Setup(field) => text.clone_into(field(&mut setup)),
                Column::Parameter(name) if !text.is_empty() => {
                    setup.parameters.push((name.clone(), text.into()));
                }
                _ => {}
            }
        }
        setup.parameters.shrink_to_fit();
        Arc::new(setup)
    });
    let of_samples = samples.iter().filter_map(|(metric, sample)| {
        let mean = metrics.get(metric.name)?.value();
        Some((metric, Measure::Sample(Sample { mean, ..*sample })))
    });
    let of_samples: Vec<_> = of_samples.collect();
    of_samples.into_iter().for_each(|(metric, sample)| metrics.insert(metric, sample));
    let status = status.ok_or("there is no column `status`")?;
    let ended = Outcome::ended(status, message.to_owned());
    let outcome = (status != Status::Missing).then(|| {
        Arc::new(Outcome { metrics: metrics.iter().map(|(m, v)| (m, *v)).collect(), ..ended })
    });
    let key = key.ok_or("there is no column `key`")?;
    Ok(Row { key, seed, repeat, fold, selected, setup: setup.clone(), outcome })
}

/// Rows to which the other files add.
struct Rows {
    rows: Vec<Row>,
    /// Places of the rows, by key.
    by_key: Vec<usize>,
}

impl Rows {
    fn new(rows: Vec<Row>) -> Self {
        let mut by_key: Vec<usize> = (0..rows.len()).collect();
        by_key.sort_by_key(|&row| rows[row].key);
        Self { rows, by_key }
    }

    /// Changes the outcomes of the trials with a key.
    fn change(&mut self, key: Digest, change: impl Fn(&mut Outcome)) {
        let first = self.by_key.partition_point(|&row| self.rows[row].key < key);
        for &row in &self.by_key[first..] {
            if self.rows[row].key != key {
                break;
            }
            if let Some(outcome) = &mut self.rows[row].outcome {
                change(Arc::make_mut(outcome));
            }
        }
    }

    fn read_times(&mut self, folder: &Path) -> Result<(), NotRecords> {
        let mut file = Table::open(folder, TIMINGS)?;
        let key = file.column("key")?;
        let times: Vec<(usize, &Metric)> = file
            .header
            .iter()
            .enumerate()
            .filter_map(|(at, name)| Some((at, metric(name).filter(|metric| metric.is_time())?)))
            .collect();
        while file.next()? {
            let cells = &file.cells;
            let time = |&(at, metric): &(usize, &'static Metric)| {
                let text = cells.get(at).filter(|text| !text.is_empty())?;
                Some(number(metric.name, text).map(|value| (metric, value)))
            };
            let found = digest(&cells[key]).and_then(|key| {
                Ok((key, times.iter().filter_map(time).collect::<Result<ByMetric<f64>, _>>()?))
            });
            let (key, times) = found.map_err(|problem| file.bad(problem))?;
            self.change(key, |outcome| outcome.times = times.clone());
        }
        Ok(())
    }

    fn read_examples(&mut self, folder: &Path, metric: &'static Metric) -> Result<(), NotRecords> {
        let path = format!("{EXAMPLES}/{}.csv", metric.name);
        if !folder.join(&path).exists() {
            return Ok(());
        }
        let mut file = Table::open(folder, &path)?;
        let [key, bits, numbers] = file.columns(["key", "bits", "values"])?;
        while file.next()? {
            let cells = &file.cells;
            let key = digest(&cells[key]).map_err(|problem| file.bad(problem))?;
            let values = values(&cells[bits], &cells[numbers])
                .ok_or_else(|| file.bad("expected `bits` of 0 and 1, or `values`".to_owned()))?;
            self.change(key, |outcome| outcome.examples.insert(metric, values.clone()));
        }
        Ok(())
    }

    fn read_pictures(&mut self, folder: &Path) -> Result<(), NotRecords> {
        if !folder.join(PICTURES).exists() {
            return Ok(());
        }
        let mut file = Table::open(folder, PICTURES)?;
        let [key, what, name, numbers] = file.columns(["key", "what", "name", "numbers"])?;
        let mut pictures: BTreeMap<Digest, Vec<(String, String, Vec<f64>)>> = BTreeMap::new();
        while file.next()? {
            let cells = &file.cells;
            let key = digest(&cells[key]).map_err(|problem| file.bad(problem))?;
            let numbers = cells[numbers].split_whitespace().map(str::parse);
            let numbers = numbers
                .collect::<Result<Vec<f64>, _>>()
                .map_err(|_| file.bad("expected `numbers`".to_owned()))?;
            let line = (cells[what].to_owned(), cells[name].to_owned(), numbers);
            pictures.entry(key).or_default().push(line);
        }
        for (key, lines) in pictures {
            let read =
                lines.iter().map(|(what, name, numbers)| (&**what, &**name, numbers.clone()));
            let picture = Picture::from_lines(read).ok_or_else(|| {
                file.bad(format!("the lines of the key {} are no picture", key.short()))
            })?;
            self.change(key, |outcome| outcome.picture = Some(Box::new(picture.clone())));
        }
        Ok(())
    }
}

/// The outcomes of rows by key, as they were run: a trial that counts as failed because no point of its grid had
/// a value to be selected by is one that ended well. Where configurations coincide, one of them may be selected and
/// have its test score while the other has not: what they say together counts.
pub fn by_key(rows: &[Row]) -> BTreeMap<Digest, Arc<Outcome>> {
    let mut outcomes: BTreeMap<Digest, Arc<Outcome>> = BTreeMap::new();
    for row in rows {
        let Some(outcome) = row.outcome.as_ref().map(as_run) else { continue };
        match outcomes.entry(row.key) {
            Entry::Vacant(entry) => {
                entry.insert(outcome);
            }
            Entry::Occupied(mut entry) => {
                Arc::make_mut(entry.get_mut()).join(Outcome::clone(&outcome));
            }
        }
    }
    outcomes
}

/// Trials that fail measure nothing.
fn as_run(outcome: &Arc<Outcome>) -> Arc<Outcome> {
    let mut outcome = outcome.clone();
    if outcome.status == Status::Failed && !outcome.metrics.is_empty() {
        let outcome = Arc::make_mut(&mut outcome);
        (outcome.status, outcome.message) = (Status::Ok, String::new());
    }
    outcome
}

/// A file that is read line by line.
struct Table {
    file: String,
    header: Vec<String>,
    reader: csv::Reader<File>,
    /// The line that was read last.
    cells: csv::StringRecord,
}

impl Table {
    fn open(folder: &Path, file: &str) -> Result<Self, NotRecords> {
        let bad = |error: csv::Error| NotRecords {
            file: file.to_owned(),
            line: 1,
            problem: error.to_string(),
        };
        let mut reader = csv::Reader::from_path(folder.join(file)).map_err(bad)?;
        let header = reader.headers().map_err(bad)?.iter().map(str::to_owned).collect();
        Ok(Self { file: file.to_owned(), header, reader, cells: csv::StringRecord::new() })
    }

    /// The place of a column.
    fn column(&self, name: &str) -> Result<usize, NotRecords> {
        let place = self.header.iter().position(|column| column == name);
        place.ok_or_else(|| self.bad(format!("there is no column `{name}`")))
    }

    fn columns<const N: usize>(&self, names: [&str; N]) -> Result<[usize; N], NotRecords> {
        let mut places = [0; N];
        for (place, name) in places.iter_mut().zip(names) {
            *place = self.column(name)?;
        }
        Ok(places)
    }

    /// Reads the next line, which has as many cells as the header; false if there is none.
    fn next(&mut self) -> Result<bool, NotRecords> {
        self.reader.read_record(&mut self.cells).map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            NotRecords { file: self.file.clone(), line, problem: error.to_string() }
        })
    }

    /// The error that the line which was read last has this problem.
    fn bad(&self, problem: String) -> NotRecords {
        let line = self.cells.position().map_or(1, csv::Position::line);
        NotRecords { file: self.file.clone(), line, problem }
    }
}

fn digest(text: &str) -> Result<Digest, String> {
    text.parse().map_err(|error: NotADigest| error.to_string())
}

fn number(name: &str, text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("column `{name}`: expected a number, found {text:?}"))
}

fn count(name: &str, text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("column `{name}`: not a count: {text:?}"))
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
