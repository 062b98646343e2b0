//! Signals: what Ctrl-C does, and what the system says when a file grows too large.
//!
//! While trials run, or results are written, the first Ctrl-C stops the run cleanly. What does not hear
//! of it soon, such as a large dataset that is being drawn, does not hold it up: nothing that finished
//! is lost when the process ends at once, which a second Ctrl-C does too. At all other times there is
//! nothing to stop cleanly, and the first one ends the process.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Once};

use signal_hook::consts::{SIGALRM, SIGINT, SIGTERM, SIGXFSZ};

use super::Exit;
use run::executor::{INTERRUPT, Working};

/// What the user reads of an interrupted run.
pub const INTERRUPTED: &str =
    "interrupted; what finished is kept, and the same command goes on from there";

/// How long a clean stop may take, in microseconds.
const PATIENCE: libc::suseconds_t = 250_000;

/// From now on SIGINT and SIGTERM end the process with [`Exit::Interrupted`].
pub fn on_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        on(SIGINT, interrupt);
        on(SIGTERM, interrupt);
        on(SIGALRM, || end(INTERRUPTED));
    });
}

fn on(signal: libc::c_int, action: fn()) {
    // SAFETY: the actions only touch atomics and call async-signal-safe functions, and end the process
    // without unwinding.
    if let Err(error) = unsafe { signal_hook::low_level::register(signal, action) } {
        log::warn!("signal {signal} is not handled: {error}");
    }
}

fn interrupt() {
    let again = INTERRUPT.swap(true, Ordering::SeqCst);
    if again {
        end(INTERRUPTED);
    }
    if !Working::now() {
        end("interrupted");
    }
    let never = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let once = libc::itimerval {
        it_interval: never,
        it_value: libc::timeval { tv_usec: PATIENCE, ..never },
    };
    // SAFETY: a system call without side effects on memory. Without the timer, a second signal helps.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const once, std::ptr::null_mut()) };
}

/// Ends the process, and says why.
fn end(why: &str) {
    for text in ["\nwarning: ", why, "\n"] {
        // SAFETY: readable bytes; `write` is async-signal-safe.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
    signal_hook::low_level::exit(Exit::Interrupted as i32);
}

/// From now on a file that would grow beyond the limit of the system (`ulimit -f`) is an error of who
/// writes it, as a full disk is, instead of the end of the process.
pub fn limits_are_errors() {
    // A handler that does next to nothing: unlike an ignored signal, a child does not inherit it.
    if let Err(error) = signal_hook::flag::register(SIGXFSZ, Arc::default()) {
        log::warn!("signal {SIGXFSZ} is not handled: {error}");
    }
}
