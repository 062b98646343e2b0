//! What an engine is: it takes chunks, each a command, and says in a sentence what it was handed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use base::shell;

/// What executes chunks.
pub trait Engine {
    /// How many chunks it takes at most.
    ///
    /// # Errors
    /// If it can't be asked.
    fn most(&self) -> Result<usize, NotSubmitted>;

    /// How many cores work on a chunk.
    fn cores(&self) -> usize;

    /// After how long it stops who works on a chunk, as far as that is known; a start may take so long.
    ///
    /// # Errors
    /// If no time is left.
    fn time(&self, _start: Duration) -> Result<Option<Duration>, TooShort> {
        Ok(None)
    }

    /// Hands it chunks, and what seals them all. Returns what it was handed, in a sentence.
    ///
    /// # Errors
    /// If it refuses.
    fn submit(&self, batch: &Batch) -> Result<String, NotSubmitted>;
}

/// Chunks for an engine.
#[derive(Debug)]
pub struct Batch {
    /// What it is called.
    pub name: String,
    /// The commands.
    pub commands: Commands,
    /// Which chunks, from 1.
    pub chunks: Vec<usize>,
    /// Of how many.
    pub of: usize,
    /// Where what is printed goes.
    pub logs: PathBuf,
    /// Whether all can be sealed once they are done.
    pub seals: bool,
}

/// The commands that an engine executes.
#[derive(Debug, Clone)]
pub struct Commands {
    /// A worker, without its chunk.
    pub worker: Vec<OsString>,
    /// What reports and seals.
    pub seal: Vec<OsString>,
}

/// A command as a shell understands it.
pub(super) fn quoted(command: &[OsString]) -> String {
    let quote = |word: &OsString| shell::quoted(&word.to_string_lossy());
    command.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// An engine leaves who works on a chunk no time.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error(
    "time = \"{time}\" leaves a task no time: it is asked to stop {} s before its end, and its start may take {} s",
    notice.as_secs(),
    start.as_secs()
)]
#[diagnostic(help("give it more than {} s", (*notice + *start).as_secs()))]
pub struct TooShort {
    /// What was said.
    pub time: String,
    /// How long before its end it is asked to stop.
    pub notice: Duration,
    /// How long a start may take.
    pub start: Duration,
}

/// An engine did not take chunks.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("failed to submit: {command}: {why}")]
#[diagnostic(help(
    "what was submitted before goes on; set what is wrong in the site file or on the command line, and the same command \
     submits what is missing"
))]
pub struct NotSubmitted {
    /// What was tried.
    pub command: String,
    /// What it said.
    pub why: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_command_as_it_was() {
        let words = ["/a b/reprise", "--set", "x='$HOME'", "", "plain-1.0"];
        let command: Vec<OsString> = words.iter().map(OsString::from).collect();
        let text = format!("printf '%s\\n' {}", quoted(&command));
        let output = std::process::Command::new("sh").args(["-c", &text]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{}\n", words.join("\n")));
    }
}
