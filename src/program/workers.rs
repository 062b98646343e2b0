//! The processes of all programs: started when they are needed, kept while they may be needed again.

use std::collections::HashMap;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use base::digest::Digest;
use base::durable;
use base::parallel::lock;
use contract::MethodId;

use crate::contain::Containment;
use crate::dialogue::Request;
use crate::environment::Prepared;
use crate::error::{Error, io};
use crate::failure::{Ending, Failure};
use crate::group::{Group, Groups};
use crate::hand_over::HandOver;
use crate::program::Mode;
use crate::usage;
use crate::worker::{Reply, Settings, Worker};

/// After so many failed starts in a row a program is not started again.
const STARTS: usize = 3;

/// How the names of folders of runs begin.
const RUN: &str = "run-";

/// The processes of all programs of a run. Threads share it. When it is dropped, they end.
pub struct Workers {
    settings: Settings,
    folder: tempfile::TempDir,
    /// Held while the folder is in use.
    _lock: File,
    next: AtomicU64,
    idle: Mutex<Vec<Worker>>,
    /// How often in a row each program could not be started.
    failed: Mutex<HashMap<(MethodId, Digest), Vec<Failure>>>,
    groups: OnceLock<Option<Groups>>,
}

impl Workers {
    /// No processes yet. Folders that killed runs left are removed.
    ///
    /// # Errors
    /// If the folder can't be written.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let root = &settings.folder;
        durable::create_folders(root).map_err(io("create", root))?;
        let path = root.join("lock");
        let all = File::create(&path).map_err(io("write", &path))?;
        all.lock().map_err(io("lock", &path))?;
        remove_left(root);
        let mine = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix(RUN).permissions(mine).tempdir_in(root);
        let folder = folder.map_err(io("create", root))?;
        let path = folder.path().join("lock");
        let held = File::create(&path).map_err(io("write", &path))?;
        held.lock().map_err(io("lock", &path))?;
        Ok(Self {
            settings,
            folder,
            _lock: held,
            next: AtomicU64::new(0),
            idle: Mutex::default(),
            failed: Mutex::default(),
            groups: OnceLock::new(),
        })
    }

    /// The bounds that are set up.
    pub fn containment(&self) -> Containment {
        self.settings.containment
    }

    /// Asks a program for the answers of a trial: an idle process of this program and hand-over, or a new one. The
    /// calling thread waits, and holds the limits meanwhile.
    ///
    /// # Errors
    /// Why there are no checked answers. A program that could not be started three times in a row is not tried again.
    pub fn ask(
        &self,
        prepared: &Prepared,
        hand_over: &Arc<HandOver>,
        request: &Request,
    ) -> Result<Reply, Failure> {
        let mut worker = match self.waiting(prepared, hand_over) {
            Some(worker) => worker,
            None => self.started(prepared, hand_over)?,
        };
        let reply = worker.ask(request);
        let sound = matches!(&reply, Ok(_) | Err(Failure { ending: Ending::Error, .. }));
        if sound && prepared.program.mode == Mode::Worker {
            self.keep(worker);
        }
        reply
    }

    /// Ends the processes of a hand-over: it has no more trials. None of them may be asked meanwhile.
    pub fn end_of(&self, hand_over: &HandOver) {
        let ended: Vec<Worker> =
            lock(&self.idle).extract_if(.., |worker| worker.is_of(hand_over)).collect();
        end(ended);
    }

    /// An idle process of this program and hand-over. One that ended or spoke while nobody asked is no such.
    fn waiting(&self, prepared: &Prepared, hand_over: &HandOver) -> Option<Worker> {
        loop {
            let mut worker = {
                let mut idle = lock(&self.idle);
                let place = idle.iter().rposition(|worker| worker.serves(prepared, hand_over))?;
                idle.remove(place)
            };
            if worker.is_idle() {
                return Some(worker);
            }
        }
    }

    /// A new process, after at most three attempts.
    fn started(&self, prepared: &Prepared, hand_over: &Arc<HandOver>) -> Result<Worker, Failure> {
        loop {
            if let Some(failure) = self.given_up(prepared) {
                return Err(failure);
            }
            match Worker::start(&self.settings, self.next(prepared), prepared, hand_over) {
                Ok(worker) => {
                    lock(&self.failed).remove(&key(prepared));
                    return Ok(worker);
                }
                Err(failure) if failure.ending == Ending::Interrupted => return Err(failure),
                Err(failure) => {
                    lock(&self.failed).entry(key(prepared)).or_default().push(failure);
                }
            }
        }
    }

    fn given_up(&self, prepared: &Prepared) -> Option<Failure> {
        let failed = lock(&self.failed);
        let failure = failed.get(&key(prepared)).filter(|all| all.len() >= STARTS)?.last()?.clone();
        let message = format!("{} ({STARTS} starts in a row failed)", failure.message);
        Some(Failure { message, ..failure })
    }

    /// The group and the folder of the next process.
    fn next(&self, prepared: &Prepared) -> (Option<Group>, PathBuf) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let groups = self.groups.get_or_init(Groups::delegated).as_ref();
        // Without a group the memory is looked at from here.
        let group = groups.and_then(|groups| groups.group(prepared.program.memory).ok());
        (group, self.folder.path().join(number.to_string()))
    }

    /// Keeps a process for the next trial, and ends those that have waited longest where too many wait.
    fn keep(&self, worker: Worker) {
        let surplus: Vec<Worker> = {
            let mut idle = lock(&self.idle);
            idle.push(worker);
            let surplus = idle.len().saturating_sub(self.settings.limits.idle);
            idle.drain(..surplus).collect()
        };
        end(surplus);
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        end(std::mem::take(&mut *lock(&self.idle)));
    }
}

/// By what starts of a program are counted: its id too, since it stands in messages.
fn key(prepared: &Prepared) -> (MethodId, Digest) {
    (prepared.program.id.clone(), prepared.program.digest())
}

/// Ends processes side by side: all are told before any is waited for.
fn end(mut workers: Vec<Worker>) {
    workers.iter_mut().for_each(Worker::close);
}

/// Removes the folders of runs that have ended.
fn remove_left(root: &Path) {
    let Ok(entries) = std::fs::read_dir(root) else { return };
    for entry in
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(RUN))
    {
        let free = File::open(entry.path().join("lock")).is_ok_and(|file| file.try_lock().is_ok());
        if free {
            usage::remove(&entry.path());
        }
    }
}
