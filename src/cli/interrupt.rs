//! Ctrl-C: the first one stops the run cleanly, the second one at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};

use signal_hook::consts::{SIGINT, SIGTERM};

use super::Exit;
use crate::run::executor::INTERRUPT;

/// From now on SIGINT and SIGTERM set [`INTERRUPT`]; a second one ends the process.
pub fn on_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let twice = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            let twice = twice.clone();
            // SAFETY: the action only touches atomics and ends the process without unwinding.
            let registered = unsafe {
                signal_hook::low_level::register(signal, move || {
                    INTERRUPT.store(true, Ordering::Relaxed);
                    if twice.swap(true, Ordering::Relaxed) {
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
