//! Whether the user asked to stop.

use std::sync::atomic::AtomicBool;

/// Set when the user asks to stop: running trials end at their next check, nothing new starts.
pub static INTERRUPT: AtomicBool = AtomicBool::new(false);
