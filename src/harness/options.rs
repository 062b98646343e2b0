//! How an experiment is run.

use std::ffi::OsString;

use base::parallel::available_cores;
use run::only::Only;
use run::plan::WithChoices;

/// How an experiment is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Worker threads.
    pub jobs: usize,
    /// Which trials; all if none.
    pub only: Option<Only>,
    /// Whether the options of choices are run.
    pub choices: WithChoices,
    /// Bytes of memory that trials which run at once may hold together; four fifths of what is free if none.
    pub memory: Option<u64>,
    /// Whether what was computed before is forgotten.
    pub fresh: bool,
    /// Whether sealed trials that the experiment no longer has are given up.
    pub replace: bool,
    /// Whether figures are made pictures too.
    pub png: bool,
    /// The command that restricts itself and then becomes a program: the hidden subcommand `contain` of this binary.
    pub contain: Vec<OsString>,
}

impl Default for Options {
    /// All trials but the options of choices, on all cores; nothing is forgotten or given up.
    fn default() -> Self {
        Self {
            jobs: available_cores(),
            only: None,
            choices: WithChoices::No,
            memory: None,
            fresh: false,
            replace: false,
            png: false,
            contain: contain(),
        }
    }
}

/// The hidden subcommand that restricts itself and then becomes a program.
pub const CONTAIN: &str = "contain";

/// How the program that runs is started as its hidden subcommand.
pub fn contain() -> Vec<OsString> {
    ["/proc/self/exe", CONTAIN].map(OsString::from).into()
}
