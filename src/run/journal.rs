//! The journal: finished paths, one checksummed line each, appended as they finish.
//!
//! A line is 16 hexadecimal digits of the SHA-256 of the rest, a space, and a JSON object
//! `{"path": …, "outcomes": [{"key": …, "status": …, …}, …]}`. A line that a crash tore is dropped
//! and its path runs again; so does a path whose line is damaged anywhere else, with a warning.

mod json;

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use base::bounded::{listed, there};
use base::digest::Digest;
use base::file_error::FileError;
use base::parallel::lock;
use base::{durable, own};
use contract::Metrics;

use super::cause::Status;
use super::outcome::{Aspect, Outcome, Outcomes, join};
use super::segment::{Origins, is_sealed};

/// The checksum of a line: the first eight bytes of the SHA-256 of what follows it.
pub type Checksum = u64;

/// How a journal's file name ends.
pub const ENDING: &str = "journal";

/// The most bytes of a line, which is held in memory: 1 GiB.
const MOST_LINE: u64 = 1 << 30;

/// The most values of a line: as JSON they take 32 bytes each, and a line may be made of nothing else.
const MOST_VALUES: usize = 1 << 26;

/// What journals hold: the outcomes of finished paths.
#[derive(Debug, Default)]
pub struct Finished {
    /// The checksums of the sound lines, in order.
    pub lines: Vec<Checksum>,
    /// Outcomes by trial key; of several, what they say together.
    pub outcomes: Outcomes,
    /// Which file each outcome is from.
    pub origins: Origins,
    /// Outcomes of one trial that contradict one another.
    pub contradictions: Vec<Contradiction>,
    /// The same, while files are read.
    found: Vec<Found>,
    /// What was wrong with lines, in sentences.
    pub warnings: Vec<String>,
}

/// An outcome that contradicts what was read before it.
#[derive(Debug)]
struct Found {
    key: Digest,
    /// The file that it is from.
    segment: u32,
    /// Whether it says that the trial failed.
    failed: bool,
    what: Aspect,
}

/// Two executions of one trial gave something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The trial.
    pub key: Digest,
    /// What they differ in.
    pub what: Aspect,
    /// The names of the files.
    pub segments: [String; 2],
}

impl Finished {
    /// Adds an outcome to what is known of its trial, whatever the order of the files: a trial that ran out of
    /// time may be done since, and one that was taken over from a sealed folder without its test score may
    /// have run again.
    fn add(&mut self, key: Digest, outcome: Outcome, segment: u32) {
        self.origins.add(key, segment);
        let known = self.outcomes.get(&key);
        if let Some(what) = known.and_then(|known| known.contradiction(&outcome)) {
            let failed = outcome.status() == Status::Failed;
            self.found.push(Found { key, segment, failed, what });
        }
        join(&mut self.outcomes, key, Arc::new(outcome));
    }

    /// All files are read: puts in order what was found, and names who contradicts whom.
    fn finish(&mut self) {
        self.lines.sort_unstable();
        self.origins.sort();
        for Found { key, segment, failed, what } in std::mem::take(&mut self.found) {
            // What is known beside the files contradicts nobody: it was read from them, or from a seal.
            let Some(first) = self.origins.of(&key).find(|&first| first != segment) else {
                continue;
            };
            let segments = [first, segment].map(|segment| self.origins.name(segment).to_owned());
            // A seal says of a grid of which nothing could be selected that a trial failed. That it did not fail, where
            // another file says so, is no seal's to say.
            let sealed = is_sealed(&segments[usize::from(failed)]);
            if what != Aspect::Status || !sealed {
                self.contradictions.push(Contradiction { key, what, segments });
            }
        }
    }

    fn read_file(&mut self, path: &Path, metrics: &Metrics) -> Result<(), FileError> {
        let on = |error| FileError::on("read", path)(error);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let segment = self.origins.segment(&name);
        let file = own::open(path, OpenOptions::new().read(true)).map_err(on)?;
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let most = (&mut reader).take(MOST_LINE);
            if { most }.read_until(b'\n', &mut line).map_err(on)? == 0 {
                break;
            }
            self.origins.read(segment, line.len() as u64);
            match parse(&line, metrics) {
                Some((checksum, outcomes)) => {
                    self.lines.push(checksum);
                    outcomes.into_iter().for_each(|(key, outcome)| self.add(key, outcome, segment));
                }
                None if !line.ends_with(b"\n") && (line.len() as u64) < MOST_LINE => {
                    log::info!("{}: dropped a torn last line", path.display());
                }
                None => {
                    self.warnings.push(format!(
                        "{}, line {number}: damaged (its checksum does not match); its path runs again",
                        path.display()
                    ));
                    if !line.ends_with(b"\n") {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Reads every `*.journal` file of a folder, so that the segments of workers merge by lying side by side. Damaged lines
/// are skipped. A file may be gone before its turn comes: whoever sealed what it held has removed it.
///
/// # Errors
/// If a file can't be read, or the folder or one of its journals is a link.
pub fn read(folder: &Path, metrics: &Metrics) -> Result<Finished, FileError> {
    read_beside(Outcomes::new(), folder, metrics)
}

/// As [`read`], beside outcomes that are known already.
///
/// # Errors
/// As [`read`].
pub fn read_beside(
    outcomes: Outcomes,
    folder: &Path,
    metrics: &Metrics,
) -> Result<Finished, FileError> {
    let mut finished = Finished { outcomes, ..Finished::default() };
    for path in files(folder)? {
        match finished.read_file(&path, metrics) {
            Err(error) if error.cause.kind() == std::io::ErrorKind::NotFound => {}
            read => read?,
        }
    }
    finished.finish();
    Ok(finished)
}

/// Where the last whole line of a file ends.
fn end_of_lines(file: &mut File) -> std::io::Result<u64> {
    let mut block = vec![0; 1 << 16];
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let block = &mut block[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(block)?;
        if let Some(last) = block.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + last as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// The journals of a folder, by name.
///
/// # Errors
/// If it can't be listed, or is a link.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    if there(own::folder(folder)).map_err(FileError::on("list", folder))?.is_none() {
        return Ok(Vec::new());
    }
    let mut paths = listed(folder).map_err(FileError::on("list", folder))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == ENDING));
    Ok(paths)
}

/// An open journal, shared by the workers.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<Appender>,
}

#[derive(Debug)]
struct Appender {
    file: File,
    unsynced: bool,
    /// Every line so far, with the path that it is of.
    lines: Vec<(Checksum, Digest)>,
}

impl Journal {
    /// Opens `<folder>/<name>.journal` for appending and cuts off a torn last line.
    ///
    /// # Errors
    /// If the file can't be written, or is a link.
    pub fn open(folder: &Path, name: &str) -> Result<Self, FileError> {
        let mut options = OpenOptions::new();
        Self::open_with(folder, name, options.create(true).truncate(false))
    }

    /// The same, if there is no such file yet.
    ///
    /// # Errors
    /// If there is, or it can't be written.
    pub fn create(folder: &Path, name: &str) -> Result<Self, FileError> {
        Self::open_with(folder, name, OpenOptions::new().create_new(true))
    }

    fn open_with(folder: &Path, name: &str, options: &mut OpenOptions) -> Result<Self, FileError> {
        let path = folder.join(format!("{name}.{ENDING}"));
        let options = options.read(true).write(true);
        let mut open = || -> std::io::Result<File> {
            let mut file = own::open(&path, options)?;
            let whole = end_of_lines(&mut file)?;
            file.set_len(whole)?;
            file.seek(SeekFrom::End(0))?;
            durable::sync_folder(folder)?;
            Ok(file)
        };
        let file = open().map_err(FileError::on("open", &path))?;
        let appender = Appender { file, unsynced: false, lines: Vec::new() };
        Ok(Self { path, file: Mutex::new(appender) })
    }

    /// Appends one finished path in one write. It is safe against the process dying as soon as
    /// this returns, and against the machine dying after the next [`Self::sync`].
    ///
    /// # Errors
    /// If the line can't be written whole; what was written of it is cut off again.
    pub fn append(&self, id: Digest, outcomes: &[(Digest, &Outcome)]) -> Result<(), FileError> {
        let (checksum, line) = line(id, outcomes);
        let mut appender = lock(&self.file);
        let mut write = || -> std::io::Result<()> {
            let before = appender.file.stream_position()?;
            let result = appender.file.write_all(line.as_bytes());
            if result.is_err() {
                appender.file.set_len(before)?;
                appender.file.seek(SeekFrom::Start(before))?;
            }
            appender.unsynced = true;
            result
        };
        write().map_err(FileError::on("write", &self.path))?;
        appender.lines.push((checksum, id));
        Ok(())
    }

    /// The ids of the paths whose lines were appended here and have been found again.
    pub fn kept(&self, found: &Finished) -> BTreeSet<Digest> {
        let appender = lock(&self.file);
        let sound = appender
            .lines
            .iter()
            .filter(|(checksum, _)| found.lines.binary_search(checksum).is_ok());
        sound.map(|&(_, path)| path).collect()
    }

    /// The number of the paths whose lines were appended here, and of those of them that its file still holds.
    ///
    /// # Errors
    /// If it can't be read again.
    pub fn verify(&self, metrics: &Metrics) -> Result<[usize; 2], FileError> {
        let mut found = Finished::default();
        found.read_file(&self.path, metrics)?;
        found.finish();
        let appended =
            lock(&self.file).lines.iter().map(|&(_, path)| path).collect::<BTreeSet<_>>();
        Ok([appended.len(), self.kept(&found).len()])
    }

    /// Makes everything appended so far safe against the machine dying.
    ///
    /// # Errors
    /// If the system can't.
    pub fn sync(&self) -> Result<(), FileError> {
        let mut appender = lock(&self.file);
        if std::mem::take(&mut appender.unsynced) {
            appender.file.sync_data().map_err(FileError::on("sync", &self.path))?;
        }
        Ok(())
    }
}

fn line(id: Digest, outcomes: &[(Digest, &Outcome)]) -> (Checksum, String) {
    let outcomes: Vec<Value> =
        outcomes.iter().map(|(key, outcome)| json::write(*key, outcome)).collect();
    let body = json!({ "path": id.to_string(), "outcomes": outcomes }).to_string();
    let checksum = checksum(&body);
    (checksum, format!("{checksum:016x} {body}\n"))
}

fn checksum(body: &str) -> Checksum {
    Checksum::from_be_bytes(Digest::of(body.as_bytes()).first())
}

fn parse(line: &[u8], metrics: &Metrics) -> Option<(Checksum, Vec<(Digest, Outcome)>)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (written, body) = line.split_once(' ')?;
    let checksum = checksum(body);
    if written != format!("{checksum:016x}") {
        return None;
    }
    if body.bytes().filter(|byte| b",[{".contains(byte)).count() > MOST_VALUES {
        return None;
    }
    let value: Value = serde_json::from_str(body).ok()?;
    value["path"].as_str()?.parse::<Digest>().ok()?;
    let outcomes = value["outcomes"].as_array()?.iter();
    let outcomes = outcomes.map(|value| json::read(value, metrics)).collect();
    Some((checksum, Option::<Vec<_>>::from_iter::<Vec<_>>(outcomes)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Cause;
    use crate::for_tests::{METRICS, metric};
    use contract::{ByMetric, Measure, Metric};
    use math::sample::Sample;
    use program::Ending;
    use task::picture::Picture;

    fn named(name: &str) -> &'static Metric {
        metric(name).unwrap()
    }

    fn outcome(value: f64) -> Outcome {
        Outcome {
            metrics: ByMetric::from_iter([
                (named("test_ll"), Measure::Scalar(value)),
                (named("nodes"), Measure::Sample(Sample { n: 3, mean: 0.1, m2: 1e-300 })),
            ]),
            times: ByMetric::from_iter([(named("time:fit"), 0.25)]),
            examples: ByMetric::from_iter([(named("test_ll"), vec![-1.0 / 3.0, value])]),
            lacks: ByMetric::from_iter([(named("auc"), "it has no `auc`".to_owned())]),
            ..Outcome::default()
        }
    }

    #[test]
    fn pictures_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "run").unwrap();
        let lines =
            [("window", "", vec![0.0, 1.0, -1.0, 1.0 / 3.0]), ("curve", "one", vec![0.1; 4])];
        let picture = Picture::from_lines(lines).map(Box::new);
        assert!(picture.is_some());
        let outcome = Outcome { picture, ..outcome(1.0) };
        journal.append(key(1), &[(key(101), &outcome)]).unwrap();
        assert_eq!(*read(folder.path(), &METRICS).unwrap().outcomes[&key(101)], outcome);
    }

    fn key(n: u8) -> Digest {
        Digest::of(&[n])
    }

    #[test]
    fn outcomes_come_back_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "run").unwrap();
        for (n, value) in [(1, -6.1 / 3.0), (2, f64::NEG_INFINITY), (3, f64::MIN_POSITIVE)] {
            journal.append(key(n), &[(key(n + 100), &outcome(value))]).unwrap();
        }
        journal.sync().unwrap();
        let finished = read(folder.path(), &METRICS).unwrap();
        let warnings = &finished.warnings;
        assert!(warnings.is_empty());
        assert_eq!(finished.lines.len(), 3);
        assert_eq!(*finished.outcomes[&key(101)], outcome(-6.1 / 3.0));
        assert_eq!(*finished.outcomes[&key(102)], outcome(f64::NEG_INFINITY));
        assert_eq!(*finished.outcomes[&key(103)], outcome(f64::MIN_POSITIVE));
    }

    #[test]
    fn causes_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "run").unwrap();
        let broken = [named("test_ll")].into();
        let ended = [
            (Cause::Program(Ending::Exit(3)), "line one\nline \"two\""),
            (Cause::GaveUp, "it has no `auc`"),
            (Cause::NotFinite(broken), "not a finite number: test_ll"),
            (Cause::OutOfMemory, "killed"),
        ];
        let ended = ended.map(|(cause, message)| Outcome::ended(cause, message));
        let keyed: Vec<_> = (1..).map(key).zip(&ended).collect();
        journal.append(key(0), &keyed).unwrap();
        let found = read(folder.path(), &METRICS).unwrap();
        assert!(found.outcomes.len() == ended.len() && found.warnings.is_empty());
        for (key, outcome) in keyed {
            assert_eq!(*found.outcomes[&key], *outcome);
        }
    }

    #[test]
    fn a_torn_last_line_is_dropped_wherever_it_tears() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "run").unwrap();
        journal.append(key(1), &[(key(101), &outcome(1.0))]).unwrap();
        journal.append(key(2), &[(key(102), &outcome(2.0))]).unwrap();
        drop(journal);
        let path = folder.path().join("run.journal");
        let bytes = std::fs::read(&path).unwrap();
        let first = bytes.iter().position(|&b| b == b'\n').unwrap() + 1;
        for cut in first..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let finished = read(folder.path(), &METRICS).unwrap();
            let warnings = &finished.warnings;
            assert_eq!((finished.lines.len(), warnings.len()), (1, 0), "cut at {cut}");
        }
        let journal = Journal::open(folder.path(), "run").unwrap();
        journal.append(key(2), &[(key(102), &outcome(2.0))]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_damaged_line_is_reported_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "run").unwrap();
        for n in 1..=3 {
            journal.append(key(n), &[(key(n + 100), &outcome(f64::from(n)))]).unwrap();
        }
        let path = folder.path().join("run.journal");
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.iter().position(|&b| b == b'\n').unwrap() + 40;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let finished = read(folder.path(), &METRICS).unwrap();
        let warnings = &finished.warnings;
        assert!(finished.outcomes.keys().eq(&BTreeSet::from([key(101), key(103)])));
        assert_eq!(journal.kept(&finished), BTreeSet::from([key(1), key(3)]));
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("run.journal, line 2: damaged"), "{}", warnings[0]);
    }

    #[test]
    fn of_two_outcomes_the_one_that_says_more_counts() {
        let timeout = Outcome { cause: Some(Cause::Timeout), ..outcome(1.0) };
        let mut poor = outcome(2.0);
        poor.metrics.retain(|metric| metric.name != "test_ll");
        // The files are read in the order of their names: either may come first.
        for (first, second) in [("run", "sealed"), ("sealed", "run")] {
            let folder = tempfile::tempdir().unwrap();
            let less = Journal::open(folder.path(), first).unwrap();
            less.append(key(1), &[(key(101), &timeout), (key(102), &poor)]).unwrap();
            let more = Journal::open(folder.path(), second).unwrap();
            more.append(key(1), &[(key(101), &poor), (key(102), &outcome(2.0))]).unwrap();
            let finished = read(folder.path(), &METRICS).unwrap();
            assert_eq!(*finished.outcomes[&key(101)], poor, "{first} before {second}");
            assert_eq!(*finished.outcomes[&key(102)], outcome(2.0), "{first} before {second}");
        }
    }

    #[test]
    fn a_seal_may_say_that_a_trial_failed_and_not_that_it_did_not() {
        // A worker's host may be called so too.
        for (sealed, sealed_failed, contradictions) in
            [("sealed-0", true, 0), ("sealed-0", false, 1), ("sealed-7-00000000", true, 1)]
        {
            let folder = tempfile::tempdir().unwrap();
            let failed = Outcome::ended(Cause::GaveUp, "singular");
            for (name, failing) in [("host-1-0", !sealed_failed), (sealed, sealed_failed)] {
                let journal = Journal::open(folder.path(), name).unwrap();
                let outcome = if failing { failed.clone() } else { outcome(0.0) };
                journal.append(key(1), &[(key(101), &outcome)]).unwrap();
            }
            let found = read(folder.path(), &METRICS).unwrap().contradictions;
            assert_eq!(found.len(), contradictions, "{found:?}");
        }
    }

    #[test]
    fn segments_merge_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        for n in 1..=2 {
            let journal = Journal::open(folder.path(), &format!("host-{n}-0")).unwrap();
            journal.append(key(n), &[(key(n + 100), &outcome(0.0))]).unwrap();
        }
        let merged = read(folder.path(), &METRICS).unwrap();
        assert!(merged.outcomes.keys().eq(&BTreeSet::from([key(101), key(102)])));
    }
}
