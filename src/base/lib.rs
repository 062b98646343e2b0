//! What everything stands on: digests, files that are written to last and read within bounds, texts that
//! harm no terminal, and work shared between cores.

pub mod bounded;
pub mod derived;
pub mod digest;
pub mod durable;
pub mod file_error;
pub mod layout;
pub mod npy;
mod one_of;
pub mod own;
pub mod parallel;
pub mod printable;
pub mod scratch;
pub mod shell;
mod side_by_side;
pub mod text;
pub mod words;

pub use side_by_side::{both, side_by_side};
