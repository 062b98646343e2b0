//! Which paths were running when the system killed the process for want of memory.
//!
//! Such a kill leaves no trace in the process. So each process keeps a small file with the paths that it runs and what
//! the system's counter of such kills said when it began, and holds its lock. Whoever begins later finds files that
//! nobody holds: where the counter has moved since, on the same boot of the same machine, their paths are blamed. A path
//! that was blamed once runs with all memory to itself, so that the next kill blames it alone; one that was blamed
//! [`TRIES`] times runs no more.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use base::digest::Digest;
use base::own;

use super::tally::{Tally, tag, word, words};
use base::file_error::FileError;

/// How often a path may be killed before it runs no more.
pub const TRIES: u32 = 3;

/// The ending of the file of a process that runs, and of the file of those it blamed.
const RUNNING: &str = "running";
const BLAMED: &str = "blamed";

/// Which boot of which machine this is, and how many processes the system has killed on it for want of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Machine {
    boot: u64,
    kills: u64,
}

impl Machine {
    fn now() -> Option<Self> {
        let boot = std::fs::read("/proc/sys/kernel/random/boot_id").ok()?;
        let counters = std::fs::read_to_string("/proc/vmstat").ok()?;
        let kills = counters.lines().find_map(|line| line.strip_prefix("oom_kill "))?;
        Some(Self { boot: word(&Digest::of(&boot).0[..8]), kills: kills.trim().parse().ok()? })
    }
}

/// How often each path was running when the system killed its process for want of memory.
#[derive(Debug, Default)]
pub struct Kills {
    times: Tally,
    /// Where this process says what it runs; none where the system does not say what it killed.
    running: Option<File>,
}

impl Kills {
    /// Reads what earlier processes left in a folder, and from now on keeps a file there under this name.
    ///
    /// # Errors
    /// If one can't be read or written, or is a link.
    pub fn watch(folder: &Path, name: &str) -> Result<Self, FileError> {
        Self::watch_on(folder, name, Machine::now())
    }

    fn watch_on(folder: &Path, name: &str, machine: Option<Machine>) -> Result<Self, FileError> {
        let Some(machine) = machine else { return Ok(Self::default()) };
        let mut kills = Self::default();
        let mut blamed: Vec<u64> = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(FileError::on("list", folder))? {
            let path = entry.map_err(FileError::on("list", folder))?.path();
            match path.extension().and_then(|ending| ending.to_str()) {
                Some(BLAMED) => {
                    kills.times.add(words(&path).map_err(FileError::on("read", &path))?);
                }
                Some(RUNNING) => {
                    let ended = ended(&path, machine).map_err(FileError::on("read", &path))?;
                    blamed.extend(ended);
                }
                _ => {}
            }
        }
        if !blamed.is_empty() {
            let path = folder.join(format!("{name}.{BLAMED}"));
            let bytes: Vec<u8> = blamed.iter().flat_map(|tag| tag.to_le_bytes()).collect();
            let append = own::open(&path, OpenOptions::new().create(true).append(true))
                .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_data()));
            append.map_err(FileError::on("write", &path))?;
            kills.times.add(blamed);
        }
        let path = folder.join(format!("{name}.{RUNNING}"));
        let begin = || -> io::Result<File> {
            let mut options = OpenOptions::new();
            let file = own::open(&path, options.write(true).create(true).truncate(true))?;
            file.try_lock().map_err(io::Error::from)?;
            file.write_all_at(&machine.boot.to_le_bytes(), 0)?;
            file.write_all_at(&machine.kills.to_le_bytes(), 8)?;
            Ok(file)
        };
        kills.running = Some(begin().map_err(FileError::on("write", &path))?);
        Ok(kills)
    }

    /// How often a path was running then.
    pub fn of(&self, path: Digest) -> u32 {
        self.times.of(path)
    }

    /// Says that a worker runs this path, until the guard is dropped.
    pub fn running(&self, worker: usize, path: Digest) -> Running<'_> {
        let running = Running { kills: self, worker };
        running.write(tag(path));
        running
    }
}

/// See [`Kills::running`].
#[derive(Debug)]
pub struct Running<'a> {
    kills: &'a Kills,
    worker: usize,
}

impl Running<'_> {
    /// A page of the system's memory, which outlives the process.
    fn write(&self, tag: u64) {
        let Some(file) = &self.kills.running else { return };
        if let Err(error) = file.write_all_at(&tag.to_le_bytes(), 16 + 8 * self.worker as u64) {
            log::debug!("a kill for want of memory would go unseen: {error}");
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.write(0);
    }
}

/// The paths that a process ran which the system killed for want of memory. Its file is removed, unless the process
/// lives or was on another machine.
fn ended(path: &Path, machine: Machine) -> io::Result<Vec<u64>> {
    let file = match own::open(path, OpenOptions::new().read(true)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    let words = words(path)?;
    let &[boot, kills, ref running @ ..] = words.as_slice() else { return Ok(Vec::new()) };
    if boot != machine.boot || file.try_lock().is_err() {
        return Ok(Vec::new());
    }
    std::fs::remove_file(path)?;
    let killed = machine.kills > kills;
    Ok(running.iter().copied().filter(|&tag| killed && tag != 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(n: u8) -> Digest {
        Digest::of(&[n])
    }

    #[test]
    fn what_ran_when_the_system_killed_is_blamed() {
        let folder = tempfile::tempdir().unwrap();
        let watch = |name: &str, boot, kills| {
            Kills::watch_on(folder.path(), name, Some(Machine { boot, kills })).unwrap()
        };
        let leave = |kills: &Kills| {
            std::mem::forget(kills.running(0, path(1)));
            drop(kills.running(1, path(2)));
            std::mem::forget(kills.running(2, path(3)));
        };
        let first = watch("run", 7, 4);
        leave(&first);
        // It lives, and is not blamed.
        assert_eq!(watch("other", 7, 5).of(path(1)), 0);
        drop(first);
        // On another boot, nothing is known.
        assert_eq!(watch("other", 8, 5).of(path(1)), 0);
        let second = watch("run", 7, 5);
        assert_eq!([1, 2, 3].map(|n| second.of(path(n))), [1, 0, 1]);
        leave(&second);
        drop(second);
        // The user killed it: the counter stands still.
        let third = watch("run", 7, 5);
        assert_eq!([1, 2, 3].map(|n| third.of(path(n))), [1, 0, 1]);
        std::mem::forget(third.running(0, path(1)));
        drop(third);
        assert_eq!([1, 2, 3].map(|n| watch("run", 7, 6).of(path(n))), [2, 0, 1]);
    }

    #[test]
    fn this_machine_says_what_it_killed() {
        let machine = Machine::now().unwrap();
        assert_eq!(Machine::now().unwrap().boot, machine.boot);
    }
}
