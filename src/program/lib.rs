//! Any program as a method.

mod answer;
mod code;
mod error;
mod failure;
mod hand_over;
mod npy;
mod program;
mod rows;

pub use answer::Answers;
pub use code::{CodeFile, code};
pub use error::Error;
pub use failure::{Failure, Outcome};
pub use hand_over::{About, Batch, BatchName, HandOver};
pub use program::{Determinism, Form, Gives, Mode, PROTOCOL, Program};
