//! The files of records read back: rows, and outcomes by key.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use super::predictions;
use super::table::{
    FEW, MOST, MOST_HELD, NotRecords, PARAMETER, Problem, Table, count, digest, number, status_of,
};
use crate::cause::{Cause, Status};
use crate::csv::of_prose;
use crate::outcome::{Outcome, Outcomes, join};
use crate::record::{Record, Setup, Trial};
use base::digest::Digest;
use base::own;
use contract::{ByMetric, Measure, Metric, Metrics, Value};
use math::sample::Sample;
use task::picture::Picture;

use base::layout::{
    EXAMPLES, EXTERNAL, LACKS, PICTURES, PREDICTED, PREDICTIONS, TIMINGS, TRIAL_IDENTITY,
    TRIAL_OUTCOME, TRIAL_PROVENANCE, TRIAL_SETTING, TRIALS, UNIVERSES,
};

/// The values of a line of `examples/*.csv`.
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

/// The columns of a row beside those of its setup, of its metrics and [`TRIAL_OUTCOME`].
const OWN: [&str; 7] = ["key", "seed", "repeat", "fold", "selected", "status", "message"];

/// A metric with the places of its value or mean, and of the size and the squared deviations of its sample.
type Column = (&'static Metric, [Option<usize>; 3]);

/// A cell of a column that need not be there.
fn cell(cells: &csv::StringRecord, at: Option<usize>) -> &str {
    at.map_or("", |at| &cells[at])
}

/// Reads the records of a results folder back, in the order of the file; those that stand apart come last.
///
/// # Errors
/// If a file is missing, or not as [`write()`](super::write) writes it.
pub fn read(folder: &Path, metrics: &Metrics) -> Result<Vec<Record>, NotRecords> {
    let trials = |file| trials(file, metrics);
    let mut rows = trials(Table::needed(folder, TRIALS)?)?;
    let apart = Table::open(folder, &format!("{EXTERNAL}{TRIALS}"))?;
    rows.extend(apart.map(trials).transpose()?.into_iter().flatten());
    Rows::new(folder, metrics, rows).complete(&["", EXTERNAL])
}

/// The records of universes of a results folder, none where none ran.
///
/// # Errors
/// As [`read`].
pub fn universes(folder: &Path, metrics: &Metrics) -> Result<Vec<Record>, NotRecords> {
    match Table::open(folder, &format!("{UNIVERSES}{TRIALS}"))? {
        Some(file) => Rows::new(folder, metrics, trials(file, metrics)?).complete(&[UNIVERSES]),
        None => Ok(Vec::new()),
    }
}

/// What sealed trials amount to.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Totals {
    /// How many have an outcome.
    pub done: usize,
    /// How many of them failed, ran out of time, crashed or gave what is no number.
    pub failed: usize,
    /// How many seconds they took together, on one core.
    pub seconds: f64,
}

impl Totals {
    /// Adds a trial with an outcome.
    pub fn add(&mut self, status: Status, seconds: f64) {
        self.done += 1;
        self.failed += usize::from(status.is_bad());
        self.seconds += seconds;
    }
}

/// What the records of a results folder amount to, those of universes excepted. Memory of their keys.
///
/// # Errors
/// If a file is missing, or lacks what is added up.
pub fn totals(folder: &Path, metrics: &Metrics) -> Result<Totals, NotRecords> {
    let (mut totals, mut rows) = (Totals::default(), HashMap::<Digest, usize>::new());
    let apart = Table::open(folder, &format!("{EXTERNAL}{TRIALS}"))?;
    for mut file in std::iter::once(Table::needed(folder, TRIALS)?).chain(apart) {
        file.each_line(["key", "status"], |[key, status], _| {
            let status = status_of(status)?;
            if status != Status::Missing {
                totals.add(status, 0.0);
                *rows.entry(digest(key)?).or_default() += 1;
            }
            Ok(())
        })?;
    }
    let mut file = Table::needed(folder, TIMINGS)?;
    let mut times = file.times(metrics);
    times.retain(|(_, metric)| metric.part_of.is_none());
    file.each_line(["key"], |[key], cells| {
        let rows = rows.remove(&digest(key)?).unwrap_or(0);
        for (at, metric) in times.iter().filter(|(at, _)| rows > 0 && !cells[*at].is_empty()) {
            let seconds = number(metric.name, &cells[*at])?;
            totals.seconds += if seconds.is_finite() { rows as f64 * seconds } else { 0.0 };
        }
        Ok(())
    })?;
    Ok(totals)
}

/// The rows of a `trials.csv`. Those with one setup share it.
fn trials(mut file: Table, known: &Metrics) -> Result<Vec<Record>, NotRecords> {
    for needed in TRIAL_IDENTITY.into_iter().chain(TRIAL_PROVENANCE) {
        file.column(needed)?;
    }
    let at = |name: &str| file.header.iter().position(|column| column == name);
    let column = |metric: &'static Metric| {
        (metric, ["", ".n", ".m2"].map(|of| at(&format!("{}{of}", metric.name))))
    };
    let columns = known.iter().map(column).filter(|(_, places)| *places != [None; 3]);
    let (columns, ending): (Vec<Column>, _) = (columns.collect(), at(TRIAL_OUTCOME));
    let of_setup = |(at, name): &(usize, String)| {
        let measured = columns.iter().any(|(_, places)| places.contains(&Some(*at)));
        !measured && ending != Some(*at) && !OWN.contains(&name.as_str())
    };
    let mut names: Vec<_> = file.header.iter().cloned().enumerate().filter(of_setup).collect();
    // In the order of parameters: each comes behind those that are set.
    names.sort_by(|(_, one), (_, other)| one.cmp(other));
    let (mut records, mut setups) = (Vec::new(), HashMap::<Vec<u8>, Arc<Setup>>::new());
    let (mut said, mut held) = (Vec::new(), 0);
    file.each_line(OWN, |[key, seed, repeat, fold, selected, status, message], cells| {
        let (key, seed) = (digest(key)?, digest(seed)?);
        let (repeat, fold) = (count("repeat", repeat)?, count("fold", fold)?);
        let status = status_of(status)?;
        let metrics = measures(&columns, cells)?;
        said.clear();
        // Each ends with a byte that no text has: no two rows that differ say the same.
        names.iter().for_each(|(at, _)| said.extend(cells[*at].bytes().chain([0xff])));
        let setup = match setups.get(&said) {
            Some(known) => known.clone(),
            None => {
                let setup = Arc::new(setup(&names, cells)?);
                held += PARAMETER * setup.parameters.iter().skip(FEW).count();
                if held > MOST_HELD {
                    return Err(Problem::TooMany);
                }
                setups.entry(said.clone()).or_insert(setup).clone()
            }
        };
        let ended = (cell(cells, ending), of_prose(message));
        let outcome = match status {
            Status::Missing => None,
            status => Some(Arc::new(outcome(status, ended, known, metrics)?)),
        };
        let trial = Trial { key, seed, repeat, fold, setup };
        records.push(Record { trial, outcome, selected: selected == "true" });
        Ok(())
    })?;
    Ok(records)
}

/// What a row has of these metrics.
fn measures(columns: &[Column], cells: &csv::StringRecord) -> Result<ByMetric<Measure>, Problem> {
    let mut measures = ByMetric::default();
    for (metric, places) in columns {
        let name = metric.name;
        let measure = match places.map(|at| cell(cells, at)) {
            ["", "", ""] => continue,
            [value, "", ""] => Measure::Scalar(number(name, value)?),
            [mean, n, m2] => {
                let (n, m2) = (count(&format!("{name}.n"), n)?, number(&format!("{name}.m2"), m2)?);
                Measure::Sample(Sample { n, mean: number(name, mean)?, m2 })
            }
        };
        measures.insert(metric, measure);
    }
    Ok(measures)
}

/// What a row says of its trial's setup in the columns of these names: a parameter, unless the name is one of ours.
fn setup(names: &[(usize, String)], cells: &csv::StringRecord) -> Result<Setup, Problem> {
    let mut setup = Setup::default();
    for (at, name) in names {
        let text = &cells[*at];
        match name.as_str() {
            "dataset" => setup.dataset = text.into(),
            "part" => setup.part = text.into(),
            "problem" => setup.problem = text.into(),
            "method" => setup.method = text.into(),
            "split" => text.clone_into(&mut setup.split),
            "choice" => setup.choice = text.parse()?,
            "kind" => setup.kind = text.to_owned().into(),
            "revision" => setup.revision = count("revision", text)?,
            "data" => setup.data = digest(text)?,
            TRIAL_SETTING => text.clone_into(&mut setup.setting),
            _ if text.is_empty() => {}
            parameter => setup.parameters.set(parameter, Value::Text(text.to_owned())),
        }
    }
    Ok(setup)
}

/// What a row says of how its trial ended, and its metrics.
fn outcome(
    status: Status,
    (word, message): (&str, &str),
    known: &Metrics,
    metrics: ByMetric<Measure>,
) -> Result<Outcome, Problem> {
    let outcome = match Cause::read(status, word, message, known)? {
        None => Outcome::default(),
        // Other trials that fail measure nothing.
        Some(Cause::GaveUp) if !metrics.is_empty() => Outcome::ended(Cause::Unselected, message),
        Some(cause) => Outcome::ended(cause, message),
    };
    Ok(Outcome { metrics, ..outcome })
}

/// Rows to which the other files of a folder add.
struct Rows<'f> {
    folder: &'f Path,
    metrics: &'f Metrics,
    rows: Vec<Record>,
    /// Places of the rows, by key.
    by_key: Vec<usize>,
    /// Behind the place in `by_key` that was changed last.
    next: usize,
    /// How many values of examples, numbers of pictures and of predictions they hold.
    held: usize,
}

impl<'f> Rows<'f> {
    fn new(folder: &'f Path, metrics: &'f Metrics, rows: Vec<Record>) -> Self {
        let mut by_key: Vec<usize> = (0..rows.len()).collect();
        by_key.sort_by_key(|&row| rows[row].trial.key);
        Self { folder, metrics, rows, by_key, next: 0, held: 0 }
    }

    /// The rows with what the files say of them that lie within one of these.
    fn complete(mut self, within: &[&str]) -> Result<Vec<Record>, NotRecords> {
        self.read_times()?;
        for within in within {
            for metric in self.metrics.iter() {
                self.read_examples(within, metric)?;
            }
            self.read_lacks(within)?;
            self.read_pictures(within)?;
            self.read_predictions(within)?;
        }
        Ok(self.rows)
    }

    /// Where in `by_key` the rows of a key begin, if there are any. Other files are in the order of keys too: mostly behind
    /// the last ones.
    fn first(&self, key: Digest) -> Option<usize> {
        let key_at = |at: usize| Some(self.rows[*self.by_key.get(at)?].trial.key);
        let first = match key_at(self.next) == Some(key) {
            true => self.next,
            false => self.by_key.partition_point(|&row| self.rows[row].trial.key < key),
        };
        (key_at(first) == Some(key)).then_some(first)
    }

    /// Changes the outcomes of the trials with a key, each of which then holds so many numbers more.
    ///
    /// # Errors
    /// If they hold more than is read.
    fn change(
        &mut self,
        key: Digest,
        numbers: usize,
        change: impl Fn(&mut Outcome),
    ) -> Result<(), Problem> {
        let Some(first) = self.first(key) else { return Ok(()) };
        let Self { rows, by_key, next, held, .. } = self;
        let places = by_key[first..].iter().take_while(|&&row| rows[row].trial.key == key);
        let places: Vec<usize> = places.copied().collect();
        *next = first + places.len();
        *held = held.saturating_add(places.len().saturating_mul(numbers));
        if *held > MOST_HELD {
            return Err(Problem::TooMany);
        }
        for row in places {
            if let Some(outcome) = &mut rows[row].outcome {
                change(Arc::make_mut(outcome));
            }
        }
        Ok(())
    }

    fn read_times(&mut self) -> Result<(), NotRecords> {
        let mut file = Table::needed(self.folder, TIMINGS)?;
        let times = file.times(self.metrics);
        let mut seen = vec![false; self.rows.len()];
        file.each_line(["key"], |[key], cells| {
            let time = |&(at, metric): &(usize, &'static Metric)| {
                let text = cells.get(at).filter(|text| !text.is_empty())?;
                let found = || text.to_owned();
                match number(metric.name, text) {
                    Ok(value) if value < 0.0 => {
                        Some(Err(Problem::Seconds { time: metric.name, found: found() }))
                    }
                    // The seconds by iteration of a trial without one, as they were once sealed.
                    Ok(value) if !value.is_finite() => None,
                    number => Some(number.map(|value| (metric, value))),
                }
            };
            let key = digest(key)?;
            let times = times.iter().filter_map(time).collect::<Result<ByMetric<f64>, _>>()?;
            // Rows of one key say the same.
            match self.first(key) {
                Some(first) if !std::mem::replace(&mut seen[first], true) => {
                    self.change(key, 0, |outcome| outcome.times = times.clone())
                }
                _ => Ok(()),
            }
        })
    }

    fn read_examples(&mut self, within: &str, metric: &'static Metric) -> Result<(), NotRecords> {
        let path = format!("{within}{EXAMPLES}/{}.csv", metric.name);
        let Some(mut file) = Table::open(self.folder, &path)? else { return Ok(()) };
        let mut keys = HashSet::new();
        file.each_line(["key", "bits", "values"], |[key, bits, numbers], _| {
            let key = digest(key)?;
            let values = values(bits, numbers).ok_or(Problem::NoValues)?;
            if !keys.insert(key) {
                return Err(Problem::Twice(key));
            }
            let insert = |outcome: &mut Outcome| outcome.examples.insert(metric, values.clone());
            self.change(key, values.len(), insert)
        })
    }

    fn read_lacks(&mut self, within: &str) -> Result<(), NotRecords> {
        let path = format!("{within}{LACKS}");
        let Some(mut file) = Table::open(self.folder, &path)? else { return Ok(()) };
        file.each_line(["key", "metric", "why"], |[key, name, why], _| {
            let (key, why) = (digest(key)?, of_prose(why));
            let metric = self.metrics.get(name);
            let metric = metric.ok_or_else(|| Problem::cell("metric", "a metric", name))?;
            self.change(key, 0, |outcome| outcome.lacks.insert(metric, why.to_owned()))
        })
    }

    fn read_pictures(&mut self, within: &str) -> Result<(), NotRecords> {
        let path = format!("{within}{PICTURES}");
        let Some(mut file) = Table::open(self.folder, &path)? else { return Ok(()) };
        let mut pictures: BTreeMap<Digest, Vec<(String, String, Vec<f64>)>> = BTreeMap::new();
        file.each_line(["key", "what", "name", "numbers"], |[key, what, name, numbers], _| {
            let key = digest(key)?;
            let values = numbers.split_whitespace().map(str::parse).collect::<Result<_, _>>();
            let values = values.map_err(|_| Problem::cell("numbers", "numbers", numbers))?;
            pictures.entry(key).or_default().push((what.to_owned(), name.to_owned(), values));
            Ok(())
        })?;
        for (key, lines) in pictures {
            let read =
                lines.iter().map(|(what, name, numbers)| (&**what, &**name, numbers.clone()));
            let picture = Picture::from_lines(read);
            let picture = picture.ok_or_else(|| file.bad(Problem::NoPicture(key)))?;
            let numbers = lines.iter().map(|(_, _, numbers)| numbers.len()).sum();
            let insert = |outcome: &mut Outcome| outcome.picture = Some(Box::new(picture.clone()));
            self.change(key, numbers, insert).map_err(|problem| file.bad(problem))?;
        }
        Ok(())
    }

    fn read_predictions(&mut self, within: &str) -> Result<(), NotRecords> {
        let path = format!("{within}{PREDICTED}");
        let Some(mut file) = Table::open(self.folder, &path)? else { return Ok(()) };
        let mut datasets: BTreeMap<String, predictions::Trials> = BTreeMap::new();
        let mut numbers: BTreeMap<Digest, u32> = BTreeMap::new();
        file.each_line(["trial", "key", "dataset", "class"], |[trial, key, dataset, class], _| {
            if Path::new(dataset).file_name() != Some(OsStr::new(dataset)) {
                return Err(Problem::cell("dataset", "the id of a dataset", dataset));
            }
            let (trial, key) = (count("trial", trial)?, digest(key)?);
            let trials = datasets.entry(dataset.to_owned()).or_default();
            let (known, classes) = trials.entry(trial).or_insert((key, Vec::new()));
            if *numbers.entry(key).or_insert(trial) != trial || *known != key {
                return Err(Problem::Twice(key));
            }
            classes.extend((!class.is_empty()).then(|| of_prose(class).to_owned()));
            Ok(())
        })?;
        for (dataset, trials) in datasets {
            let file = format!("{within}{PREDICTIONS}/{dataset}.npy");
            let bad = |problem| NotRecords { file: file.clone(), line: 1, problem };
            let bytes = own::read_bounded(&self.folder.join(&file), MOST);
            let bytes = bytes.map_err(|error| bad(error.into()))?;
            let kept = predictions::read(&bytes, &trials);
            for (key, kept) in kept.ok_or_else(|| bad(Problem::NoPredictions))? {
                let kept = Box::new(kept);
                let insert = |outcome: &mut Outcome| outcome.predictions = Some(kept.clone());
                self.change(key, kept.numbers(), insert).map_err(bad)?;
            }
        }
        Ok(())
    }
}

/// The outcomes of records by key, as they were run: a trial that counts as failed because no point of its grid had
/// a value to be selected by is one that ended well. Where configurations coincide, one of them may be selected and
/// have its test score while the other has not: what they say together counts.
pub fn by_key<'r>(records: impl IntoIterator<Item = &'r Record>) -> Outcomes {
    let mut outcomes = Outcomes::new();
    for record in records {
        let Some(mut outcome) = record.outcome.clone() else { continue };
        if outcome.cause == Some(Cause::Unselected) {
            Arc::make_mut(&mut outcome).judge();
        }
        join(&mut outcomes, record.trial.key, outcome);
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::for_tests::{METRICS, metric};

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn a_trial_without_an_outcome_is_not_done() {
        let [ok, failed, missing] = [b"one", b"two", b"six"].map(|name| Digest::of(name));
        let trials = format!("key,status\n{ok},ok\n{failed},failed\n{missing},missing\n");
        let timings = format!("key,time:fit\n{ok},1.5\n{failed},0.25\n");
        let folder = folder(&[(TRIALS, &trials), (TIMINGS, &timings)]);
        let expected = Totals { done: 2, failed: 1, seconds: 1.75 };
        assert_eq!(totals(folder.path(), &METRICS).unwrap(), expected);
    }

    #[test]
    fn a_failure_with_values_was_selected_by_none() {
        let cause = |metrics: ByMetric<Measure>| {
            outcome(Status::Failed, ("", "why"), &METRICS, metrics).unwrap().cause
        };
        let value = (metric("test_ll").unwrap(), Measure::Scalar(1.0));
        assert_eq!(cause(ByMetric::default()), Some(Cause::GaveUp));
        assert_eq!(cause([value].into_iter().collect()), Some(Cause::Unselected));
    }

    #[test]
    fn a_list_of_predictions_names_a_file_beside_it_and_each_trial_once() {
        let [one, other] = [b"one", b"two"].map(|name| Digest::of(name));
        let refused = |rows: String| {
            let folder = folder(&[(PREDICTED, &format!("trial,key,dataset,class\n{rows}"))]);
            let mut read = Rows::new(folder.path(), &METRICS, Vec::new());
            read.read_predictions("").unwrap_err().to_string()
        };
        let twice = |key: Digest| format!("the key {} comes twice", key.short());
        for (rows, expected) in [
            // It is read, but that its file lacks.
            (format!("0,{one},d,a\n0,{one},d,b\n1,{other},d,a\n"), "d.npy, line 1: ".to_owned()),
            (
                format!("0,{one},../d,a\n"),
                "expected the id of a dataset, found \"../d\"".to_owned(),
            ),
            (format!("0,{one},,a\n"), "expected the id of a dataset, found \"\"".to_owned()),
            (format!("0,{one},d,a\n1,{one},d,a\n"), twice(one)),
            (format!("0,{one},d,a\n0,{other},d,a\n"), twice(other)),
        ] {
            let refused = refused(rows);
            assert!(refused.contains(&expected), "{refused}");
        }
    }
}
