//! What took processes down that were at work on paths: a crash of a path's own, or the system for want of memory.
//!
//! A process keeps a locked file of what its workers run. Who finds one whose process has ended learns from it which paths
//! ran when a fatal signal came, or, where the system's counter of kills has moved since on the same boot, when it was
//! killed. Tags are the first eight bytes of paths' ids, as a signal's handler can deal with them.
//!
//! A process that an engine stops when its time is over writes down which path had all of it, and was not done.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::bounded::{listed, there};
use base::digest::Digest;
use base::file_error::FileError;
use base::{own, parallel};

use super::crash::Noting;

/// A path that was killed so many times for want of memory is not tried again.
pub const TRIES: u32 = 3;

/// The endings of files: what runs, what crashed, and what was killed.
const RUNNING: &str = "running";
const CRASHES: &str = "crashes";
const BLAMED: &str = "blamed";
const STOPPED: &str = "stopped";

/// How long before its time is over an engine asks a process to stop, at most.
pub const NOTICE: Duration = Duration::from_secs(60);

/// The most bytes of a file that are read: those of eight million paths.
const MOST: u64 = 1 << 26;

/// How often paths took a process down.
#[derive(Debug, Clone, Default)]
pub struct Tally(BTreeMap<u64, u32>);

impl Tally {
    fn add(&mut self, tags: impl IntoIterator<Item = u64>) {
        tags.into_iter().for_each(|tag| *self.0.entry(tag).or_insert(0) += 1);
    }

    /// How often this path did.
    pub fn of(&self, path: Digest) -> u32 {
        self.0.get(&tag(path)).copied().unwrap_or(0)
    }
}

/// Which paths have taken a process down.
#[derive(Debug, Clone, Default)]
pub struct Endings {
    /// By crashes: a path with two is recorded as crashed instead of run.
    pub crashes: Tally,
    /// By the system, for want of memory.
    pub kills: Tally,
    /// Those that had all the time that an engine gives, and were stopped.
    pub stops: Stops,
    /// When the time of this process began, how long it is, and where a stop is written down; none without a limit.
    time: Option<(Instant, Duration, PathBuf)>,
    /// What this process runs; none where nobody watches.
    running: Option<Arc<Noting>>,
}

/// Paths that engines stopped although each had all of its process's time: a path's tag, for how many seconds it ran, and
/// how many there were.
#[derive(Debug, Clone, Default)]
pub struct Stops(Vec<[u64; 3]>);

impl Stops {
    /// Those that are recorded in a folder of journals.
    ///
    /// # Errors
    /// If one can't be read.
    pub fn read(folder: &Path) -> Result<Self, FileError> {
        Ok(look(folder, Machine::default())?.0.stops)
    }

    /// For how many seconds a path ran at most, if as much time as this, or more, was too little for it twice.
    pub fn twice(&self, path: Digest, time: Duration) -> Option<u64> {
        let tag = tag(path);
        let own = self.0.iter().filter(|[of, _, had]| *of == tag && *had >= time.as_secs());
        let seconds: Vec<u64> = own.map(|&[_, seconds, _]| seconds).collect();
        seconds.iter().copied().max().filter(|_| seconds.len() >= 2)
    }
}

/// This boot of the system, and how many processes it has killed for want of memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Machine {
    boot: u64,
    kills: u64,
}

impl Machine {
    fn now() -> Option<Self> {
        let boot = std::fs::read("/proc/sys/kernel/random/boot_id").ok()?;
        let counters = std::fs::read_to_string("/proc/vmstat").ok()?;
        let kills = counters.lines().find_map(|line| line.strip_prefix("oom_kill "))?;
        Some(Self { boot: tag(Digest::of(&boot)), kills: kills.trim().parse().ok()? })
    }
}

/// The paths that ended processes ran, by what ended them.
#[derive(Default)]
struct Ended {
    crashed: Vec<u64>,
    killed: Vec<u64>,
}

impl Endings {
    /// From now on, records which paths take this process down, in files of this name beside the journals; returns what is
    /// known so far of any process.
    ///
    /// # Errors
    /// If the records can't be read or written.
    pub fn watch(folder: &Path, name: &str) -> Result<Self, FileError> {
        Self::watch_on(folder, name, Machine::now().unwrap_or_default())
    }

    fn watch_on(folder: &Path, name: &str, machine: Machine) -> Result<Self, FileError> {
        let (mut known, Ended { crashed, killed }) = look(folder, machine)?;
        let found = [(CRASHES, crashed, &mut known.crashes), (BLAMED, killed, &mut known.kills)];
        for (ending, tags, tally) in found.into_iter().filter(|(_, tags, _)| !tags.is_empty()) {
            let path = folder.join(format!("{name}.{ending}"));
            append(&path, &tags).map_err(FileError::on("write", &path))?;
            tally.add(tags);
        }
        let path = folder.join(format!("{name}.{RUNNING}"));
        let begin = || -> io::Result<Noting> {
            let mut options = OpenOptions::new();
            let file = own::open(&path, options.write(true).create(true).truncate(true))?;
            file.try_lock().map_err(io::Error::from)?;
            let words = [machine.boot, machine.kills, 0].map(u64::to_le_bytes);
            file.write_all_at(words.as_flattened(), 0)?;
            Noting::begin(file)
        };
        known.running = Some(Arc::new(begin().map_err(FileError::on("write", &path))?));
        Ok(known)
    }

    /// An engine stops this process after so much time from now on: stops are recorded in a file of this name.
    #[must_use]
    pub fn within(self, time: Option<Duration>, folder: &Path, name: &str) -> Self {
        let begin = |time| (Instant::now(), time, folder.join(format!("{name}.{STOPPED}")));
        Self { time: time.map(begin), ..self }
    }

    /// A path that had all the time of this process was stopped after so long: recorded if its time is over.
    pub fn stopped(&self, path: Digest, ran: Duration) {
        let Some((begun, time, file)) = &self.time else { return };
        if begun.elapsed() + NOTICE < *time {
            return;
        }
        let words = [tag(path), ran.as_secs(), time.as_secs()];
        if let Err(error) = append(file, &words) {
            log::warn!("{}: {error}", file.display());
        }
    }

    /// Says that a worker thread executes a path, until what is returned is dropped.
    pub fn running(&self, worker: usize, path: Digest) -> Running<'_> {
        let running = Running { file: self.running.as_ref().map(|noting| &noting.0), worker };
        running.write(tag(path));
        parallel::set_worker(Some(worker));
        running
    }
}

/// Which paths crashed by the records of a folder.
///
/// # Errors
/// If one can't be read.
pub fn crashes(folder: &Path) -> Result<Tally, FileError> {
    let (mut known, ended) = look(folder, Machine::default())?;
    known.crashes.add(ended.crashed);
    Ok(known.crashes)
}

/// A path is executed.
#[derive(Debug)]
pub struct Running<'a> {
    file: Option<&'a File>,
    worker: usize,
}

impl Running<'_> {
    fn write(&self, tag: u64) {
        let Some(file) = self.file else { return };
        if let Err(error) = file.write_all_at(&tag.to_le_bytes(), 24 + 8 * self.worker as u64) {
            log::debug!("what takes this process down would go unseen: {error}");
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.write(0);
        parallel::set_worker(None);
    }
}

/// What is recorded in a folder, and what ended processes left there.
fn look(folder: &Path, machine: Machine) -> Result<(Endings, Ended), FileError> {
    let (mut known, mut found) = (Endings::default(), Ended::default());
    for path in listed(folder).map_err(FileError::on("list", folder))? {
        let failed = FileError::on("read", &path);
        match path.extension().and_then(|ending| ending.to_str()) {
            Some(CRASHES) => known.crashes.add(words(&path).map_err(failed)?),
            Some(BLAMED) => known.kills.add(words(&path).map_err(failed)?),
            Some(STOPPED) => known.stops.0.extend(words(&path).map_err(failed)?.as_chunks().0),
            Some(RUNNING) => ended(&path, machine, &mut found).map_err(failed)?,
            _ => {}
        }
    }
    Ok((known, found))
}

/// The paths that a process ran which a crash of its own or the system ended. Its file is removed, unless the process lives
/// or nothing is known of its machine.
fn ended(path: &Path, machine: Machine, found: &mut Ended) -> io::Result<()> {
    let opened = own::open(path, OpenOptions::new().read(true));
    let Some(file) = there(opened)? else { return Ok(()) };
    let words = words(path)?;
    let &[boot, kills, worker, ref running @ ..] = words.as_slice() else { return Ok(()) };
    if file.try_lock().is_err() || worker == 0 && boot != machine.boot {
        return Ok(());
    }
    let tags = running.iter().copied().zip(1..).filter(|(tag, _)| *tag != 0);
    match worker {
        0 if machine.kills > kills => found.killed.extend(tags.map(|(tag, _)| tag)),
        0 => {}
        _ => {
            let own = tags.filter(|(_, at)| [*at, u64::MAX].contains(&worker));
            found.crashed.extend(own.map(|(tag, _)| tag));
        }
    }
    std::fs::remove_file(path)
}

/// Adds words to a file.
fn append(file: &Path, words: &[u64]) -> io::Result<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut file = own::open(file, OpenOptions::new().create(true).append(true))?;
    file.write_all(&bytes)?;
    file.sync_data()
}

/// The first bytes of a digest as a word.
fn tag(of: Digest) -> u64 {
    u64::from_le_bytes(of.first())
}

/// The words of a file; none where there is no such file.
fn words(file: &Path) -> io::Result<Vec<u64>> {
    let bytes = own::read_there(file, MOST)?.unwrap_or_default();
    Ok(bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(n: u8) -> Digest {
        Digest::of(&[n])
    }

    fn leave(endings: &Endings) {
        std::mem::forget(endings.running(0, path(1)));
        drop(endings.running(1, path(2)));
        std::mem::forget(endings.running(2, path(3)));
    }

    /// Of the three paths that `leave` runs.
    fn counts(tally: &Tally) -> [u32; 3] {
        [1, 2, 3].map(|n| tally.of(path(n)))
    }

    #[test]
    fn what_ran_when_the_system_killed_is_blamed() {
        let folder = tempfile::tempdir().unwrap();
        let watch = |name: &str, boot, kills| {
            Endings::watch_on(folder.path(), name, Machine { boot, kills }).unwrap()
        };
        let first = watch("run", 7, 4);
        leave(&first);
        // It lives, and is not blamed.
        assert_eq!(counts(&watch("other", 7, 5).kills), [0; 3]);
        drop(first);
        // On another boot, nothing is known.
        assert_eq!(counts(&watch("other", 8, 5).kills), [0; 3]);
        let second = watch("run", 7, 5);
        assert_eq!(counts(&second.kills), [1, 0, 1]);
        leave(&second);
        drop(second);
        // The user killed it: the counter stands still.
        let third = watch("run", 7, 5);
        assert_eq!(counts(&third.kills), [1, 0, 1]);
        std::mem::forget(third.running(0, path(1)));
        drop(third);
        let last = watch("run", 7, 6);
        assert_eq!((counts(&last.kills), counts(&last.crashes)), ([2, 0, 1], [0; 3]));
    }

    #[test]
    fn a_path_that_had_all_the_time_twice_is_known_until_there_is_more() {
        let folder = tempfile::tempdir().unwrap();
        let seconds = Duration::from_secs;
        let stop = |name: &str, time: u64, ran: u64| {
            let endings = Endings::default().within(Some(seconds(time)), folder.path(), name);
            endings.stopped(path(1), seconds(ran));
        };
        let twice = |time| Stops::read(folder.path()).unwrap().twice(path(1), seconds(time));
        stop("one", 50, 49);
        assert_eq!(twice(50), None);
        // Somebody stopped it: its time was not over.
        stop("two", 3600, 7);
        assert_eq!(twice(50), None);
        stop("three", 40, 31);
        assert_eq!((twice(50), twice(40), twice(30)), (None, Some(49), Some(49)));
        assert_eq!(Stops::read(folder.path()).unwrap().twice(path(2), seconds(1)), None);
    }

    #[test]
    fn what_a_signal_noted_is_a_crash_wherever_it_was() {
        let folder = tempfile::tempdir().unwrap();
        for (worker, crashed) in [(3, [0, 0, 1]), (u64::MAX, [1, 0, 2])] {
            let machine = Machine { boot: worker, kills: 1 };
            let endings = Endings::watch_on(folder.path(), "run", machine).unwrap();
            leave(&endings);
            // As the handler does.
            let noted = endings.running.as_ref().unwrap();
            noted.0.write_all_at(&worker.to_le_bytes(), 16).unwrap();
            drop(endings);
            assert_eq!(counts(&crashes(folder.path()).unwrap()), crashed);
            std::fs::write(folder.path().join("run.crashes"), path(3).0.split_at(8).0).unwrap();
        }
    }

    #[test]
    fn this_machine_says_what_it_killed() {
        let machine = Machine::now().unwrap();
        assert_eq!(Machine::now().unwrap().boot, machine.boot);
    }
}
