//! Any program as a method: it gets its examples in a folder ([`HandOver`]), answers trials in a dialogue ([`Workers`]),
//! and is kept within limits of time, memory, output, files and network ([`Containment`]).
//!
//! A program never sees the labels of test rows. What it answers is checked here ([`Answers`]), and scored elsewhere:
//! nothing here knows a dataset, a task or an experiment file. Nothing that a program writes is ever executed or
//! unpickled, and it cannot make reprise read, wait or allocate without bound.
//!
//! The order of use: [`code()`] and [`CodeFile::read`] make a [`Program`], [`Environments::prepare`] makes it
//! [`Prepared`], [`HandOver::write`] writes the examples, and [`Workers::ask`] brings the answers of a trial back, or a
//! [`Failure`] with its [`Ending`].

pub mod answer;
mod code;
pub mod contain;
mod dialogue;
mod environment;
mod error;
pub mod estimator;
mod executable;
mod failure;
mod group;
mod hand_over;
mod limits;
mod log;
mod memory;
mod npy;
mod packages;
mod process;
mod program;
mod readable;
mod rows;
mod surroundings;
mod tree;
mod usage;
mod worker;
mod workers;

pub use answer::{Answers, SLACK};
pub use code::{CodeFile, code};
pub use contain::{Bound, Containment};
pub use dialogue::{Request, Seconds};
pub use environment::{Environments, Prepared, READY, changed, estimators, is_built};
pub use error::Error;
pub use failure::{Ending, Failure, UnknownEnding};
pub use hand_over::{About, Batch, BatchName, HandOver};
pub use limits::Limits;
pub use program::{Determinism, Form, Gives, MOST_TOLERANCE, Mode, PROTOCOL, Program};
pub use readable::{mounts_below, readable};
pub use rows::Labels;
pub use worker::{Reply, Settings};
pub use workers::Workers;
