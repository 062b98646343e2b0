//! How an experiment is run.

use std::collections::BTreeSet;

use base::parallel::available_cores;
use report::figure::Export;
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
    /// What figures are written as beside SVG.
    pub exports: BTreeSet<Export>,
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
            exports: BTreeSet::new(),
        }
    }
}
