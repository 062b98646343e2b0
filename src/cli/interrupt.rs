//! Ctrl-C: while trials run, or results are written, the first one stops the run cleanly and the
//! second one at once. At all other times nothing can be lost, and the first one ends the process.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

use super::Exit;
use crate::run::executor::INTERRUPT;

static WORKING: AtomicBool = AtomicBool::new(false);

/// From now on SIGINT and SIGTERM end the process with [`Exit::Interrupted`].
pub fn on_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [SIGINT, SIGTERM] {
            // SAFETY: the action only touches atomics and ends the process without unwinding.
            let registered = unsafe {
                signal_hook::low_level::register(signal, || {
                    let again = INTERRUPT.swap(true, Ordering::SeqCst);
                    if again || !WORKING.load(Ordering::SeqCst) {
                        signal_hook::low_level::exit(Exit::Interrupted as i32);
                    }
                })
            };
            if let Err(error) = registered {
                log::warn!("signal {signal} is not handled: {error}");
            }
        }
    });
}

/// Until it is dropped, a first signal only sets [`INTERRUPT`].
#[derive(Debug)]
pub struct Working;

impl Working {
    /// Work that is to end cleanly begins.
    pub fn begin() -> Self {
        WORKING.store(true, Ordering::SeqCst);
        Self
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        WORKING.store(false, Ordering::SeqCst);
    }
}
