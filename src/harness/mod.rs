//! What a user does with an experiment: run it, report on it, and see whether sealed results come out again. The
//! command line is arguments in, a call of this room, an exit code out.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use reprise::data::DataConfig;
//! use reprise::data::library::Silent;
//! use reprise::harness::run::{Ended, Listener, Options, run, unobserved};
//! use reprise::harness::{Error, Session};
//! use reprise::run::plan::MAX_TRIALS;
//!
//! # fn main() -> Result<(), Error> {
//! let (file, results) = (Path::new("experiments/quickstart.toml"), Path::new("results"));
//! let session = Session::open(file, None, results, &DataConfig::default(), MAX_TRIALS)?;
//! let listener = Listener { fetch: &Silent, paths: &unobserved, warn: &|text| eprintln!("{text}") };
//! if let Ended::Sealed(results) = run(&session, &Options::default(), &listener)? {
//!     println!("{}\ndigest {}", results.report.terminal, results.manifest.digest);
//! }
//! # Ok(())
//! # }
//! ```

pub mod again;
pub mod audit;
pub mod built_in;
mod compare;
pub mod error;
pub mod inputs;
pub mod outputs;
pub mod report;
pub mod run;
pub mod sealed;
pub mod session;

pub use error::Error;
pub use session::Session;
