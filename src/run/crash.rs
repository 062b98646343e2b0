//! Which worker took the process down.
//!
//! A fatal signal that the process raises itself (a stack overflow, an abort, an illegal access) notes the worker in the file
//! of what the process runs, before the process dies. A signal from outside, whichever it is, leaves no trace: it says nothing
//! about the path.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use base::parallel;

const SIGNALS: [libc::c_int; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// Where in the file the worker is noted, counted from 1.
pub(super) const PLACE: i64 = 16;

static FILE: AtomicI32 = AtomicI32::new(-1);
/// What handled each signal before: the standard library says so when a stack overflows.
static PREVIOUS: [OnceLock<libc::sigaction>; SIGNALS.len()] =
    [const { OnceLock::new() }; SIGNALS.len()];

/// A file in which a fatal signal is noted, until it is dropped.
#[derive(Debug)]
pub(super) struct Noting(pub(super) File);

impl Noting {
    pub(super) fn begin(file: File) -> io::Result<Self> {
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
        FILE.store(file.as_raw_fd(), Ordering::SeqCst);
        Ok(Self(file))
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        // Unless another one has begun.
        let _ = FILE.compare_exchange(self.0.as_raw_fd(), -1, Ordering::SeqCst, Ordering::SeqCst);
    }
}

extern "C" fn on_fatal_signal(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _: *mut libc::c_void,
) {
    // What raised it: the instruction at which the process stands; else a call such as `abort`, or another process.
    // SAFETY: `info` is the system's, as the handler was installed with `SA_SIGINFO`; signals that were sent name their
    // sender, and `getpid` is async-signal-safe.
    let (is_fault, is_own) = unsafe {
        let is_fault = (*info).si_code > 0;
        (is_fault, is_fault || (*info).si_pid() == libc::getpid())
    };
    if is_own {
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
            Some(before) if is_fault => {
                libc::sigaction(signal, before, std::ptr::null_mut());
            }
            _ => {
                libc::signal(signal, libc::SIG_DFL);
                if !is_fault {
                    libc::raise(signal);
                }
            }
        }
    }
}

/// Notes the worker that this thread is or helps, or all that run if it is none; once.
fn record() {
    let file = FILE.swap(-1, Ordering::SeqCst);
    if file >= 0 {
        let worker = parallel::worker().map_or(u64::MAX, |worker| 1 + worker as u64).to_le_bytes();
        // SAFETY: eight readable bytes, written to a descriptor that stays open.
        unsafe { libc::pwrite(file, worker.as_ptr().cast(), worker.len(), PLACE) };
    }
}
