//! Which path took the process down.
//!
//! A fatal signal that the process raises itself (a stack overflow, an abort, an illegal access)
//! appends the first eight bytes of the running paths' ids to a file before the process dies. A
//! signal from outside, whichever it is, leaves no trace: it says nothing about the path.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{FromRawFd as _, IntoRawFd as _, OwnedFd};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

use base::digest::Digest;
use base::{own, parallel};

use super::tally::{Tally, tag, words};
use base::file_error::FileError;

const SIGNALS: [libc::c_int; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// The file of the paths that took their process down, and the ending of a worker's.
pub const CRASHES: &str = "crashes";

/// Workers beyond this number are not told apart from none.
const WORKERS: usize = 256;

static FILE: AtomicI32 = AtomicI32::new(-1);
static RUNNING: [AtomicU64; WORKERS] = [const { AtomicU64::new(0) }; WORKERS];
static RECORDED: AtomicBool = AtomicBool::new(false);
/// What handled each signal before: the standard library says so when a stack overflows.
static PREVIOUS: [OnceLock<libc::sigaction>; SIGNALS.len()] =
    [const { OnceLock::new() }; SIGNALS.len()];

/// How often each path, by the first eight bytes of its id, took a process down.
///
/// # Errors
/// If the file exists and can't be read, is a link, or has more than 64 MiB.
pub fn read(file: &Path) -> io::Result<Tally> {
    let mut crashes = Tally::default();
    crashes.add(words(file)?);
    Ok(crashes)
}

/// The same from all records of a folder: that of the process that had it to itself, and those of workers.
///
/// # Errors
/// If the folder or one of them can't be read, or is a link.
pub fn read_all(folder: &Path) -> Result<Tally, FileError> {
    let mut crashes = Tally::default();
    let entries = std::fs::read_dir(folder).map_err(FileError::on("list", folder))?;
    for entry in entries {
        let path = entry.map_err(FileError::on("list", folder))?.path();
        let all_of = path.file_name().is_some_and(|name| name == CRASHES);
        if all_of || path.extension().is_some_and(|ending| ending == CRASHES) {
            crashes.add(words(&path).map_err(FileError::on("read", &path))?);
        }
    }
    Ok(crashes)
}

/// From now on a fatal signal is recorded in `file`.
///
/// # Errors
/// If the file can't be opened for appending, or is a link.
pub fn watch(file: &Path) -> io::Result<()> {
    let file = own::open(file, OpenOptions::new().create(true).append(true))?;
    let previous = FILE.swap(file.into_raw_fd(), Ordering::SeqCst);
    if previous >= 0 {
        // SAFETY: it came from `into_raw_fd` in an earlier call, and nothing else owns it.
        drop(unsafe { OwnedFd::from_raw_fd(previous) });
    }
    for (signal, previous) in SIGNALS.into_iter().zip(&PREVIOUS) {
        // SAFETY: the handler below only reads atomics and calls async-signal-safe functions; it
        // runs on the alternative stack that the standard library gives each thread.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fatal_signal as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO;
            libc::sigemptyset(&raw mut action.sa_mask);
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, &raw const action, &raw mut before) != 0 {
                return Err(io::Error::last_os_error());
            }
            if before.sa_sigaction != action.sa_sigaction {
                let _ = previous.set(before);
            }
        }
    }
    Ok(())
}

/// Marks a path as running on a worker until the guard is dropped.
pub fn running(worker: usize, path: Digest) -> Running {
    let worker = worker.min(WORKERS - 1);
    RUNNING[worker].store(tag(path), Ordering::SeqCst);
    parallel::set_worker(Some(worker));
    Running { worker }
}

/// See [`running`].
#[derive(Debug)]
pub struct Running {
    worker: usize,
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING[self.worker].store(0, Ordering::SeqCst);
        parallel::set_worker(None);
    }
}

/// What raised a signal.
enum Raised {
    /// The instruction at which the process stands.
    Fault,
    /// A call of the process, such as `abort`.
    Call,
    /// Another process.
    Outside,
}

impl Raised {
    /// # Safety
    /// `info` is what the system gave the handler.
    unsafe fn of(info: *const libc::siginfo_t) -> Self {
        // SAFETY: the handler was installed with `SA_SIGINFO`; signals that were sent name their
        // sender, and `getpid` is async-signal-safe.
        unsafe {
            match (*info).si_code {
                1.. => Self::Fault,
                _ if (*info).si_pid() == libc::getpid() => Self::Call,
                _ => Self::Outside,
            }
        }
    }
}

extern "C" fn on_fatal_signal(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _: *mut libc::c_void,
) {
    // SAFETY: `info` is the system's.
    let raised = unsafe { Raised::of(info) };
    if !matches!(raised, Raised::Outside) {
        record();
    }
    // A fault comes again when this returns, for the instruction is tried again: who handled it
    // before may then say what it was. A signal that was sent does not, so it is sent again, to end
    // the process: the standard library's handler would take it for a fault that comes again.
    let place = SIGNALS.iter().position(|&known| known == signal);
    let before = place.and_then(|place| PREVIOUS[place].get());
    // SAFETY: both are async-signal-safe, and the action is one that was installed before.
    unsafe {
        match before {
            Some(before) if matches!(raised, Raised::Fault) => {
                libc::sigaction(signal, before, std::ptr::null_mut());
            }
            _ => {
                libc::signal(signal, libc::SIG_DFL);
                if !matches!(raised, Raised::Fault) {
                    libc::raise(signal);
                }
            }
        }
    }
}

/// Appends the path that this thread works on to the file, or all that run if it works on none.
fn record() {
    let file = FILE.load(Ordering::SeqCst);
    if file < 0 || RECORDED.swap(true, Ordering::SeqCst) {
        return;
    }
    let own = parallel::worker();
    for (worker, running) in RUNNING.iter().enumerate() {
        let tag = running.load(Ordering::SeqCst);
        if tag != 0 && own.is_none_or(|own| own == worker) {
            let bytes = tag.to_le_bytes();
            // SAFETY: eight readable bytes, written to a descriptor that stays open.
            unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
        }
    }
}
