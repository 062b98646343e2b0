//! Any program as a method: `kind = "command"`. What an experiment file says of one makes it an entry of its own.

use base::layout::PROGRAM;
use contract::{Fit, Gives, MethodEntry};

/// The registry's entry, which serves every task that some program can. Its parameters are those that the file declares.
pub static COMMAND: MethodEntry = MethodEntry {
    kind: PROGRAM,
    summary: "any program: Python, R, Julia, a binary; reprise hands it the examples and scores its answers",
    source: "the protocol of docs/reference/command-methods.md",
    cost: |_, shape| 1.0 + 1e-6 * shape.entries as f64,
    fits: &[
        Fit::Program(Gives::Labels),
        Fit::Program(Gives::Probabilities),
        Fit::Program(Gives::Scores),
        Fit::Program(Gives::Values),
        Fit::Program(Gives::LogLikelihoods),
    ],
    ..MethodEntry::PLAIN
};
