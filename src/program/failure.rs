//! How a trial of a program can fail.

use std::fmt;

/// What a table says of a failed trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its time was over.
    Timeout,
    /// It used more memory than it may.
    Memory,
    /// Its process ended with this exit code, which is not 0.
    Exit(i32),
    /// This signal ended its process.
    Signal(i32),
    /// It answered, and the answer breaks a rule; or it wrote more than it may.
    BadAnswer,
    /// It said that it was done, or ended with exit code 0, without an answer.
    NoAnswer,
    /// It said itself that it failed.
    Error,
    /// It could not be started.
    Start,
    /// The user asked to stop: this is no outcome of the trial.
    Interrupted,
}

/// Signals that a process raises by what it does itself: quit is not among them, nor are those that people, the system
/// or a scheduler send.
const OWN_SIGNALS: [i32; 8] = [4, 5, 6, 7, 8, 11, 25, 31];

impl Outcome {
    /// Whether the same trial would end so again. A time-out, a lack of memory and a signal from outside say more about
    /// the machine.
    pub fn is_final(self) -> bool {
        match self {
            Self::Timeout | Self::Memory | Self::Start | Self::Interrupted => false,
            Self::Signal(signal) => OWN_SIGNALS.contains(&signal),
            Self::Exit(_) | Self::BadAnswer | Self::NoAnswer | Self::Error => true,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("timeout"),
            Self::Memory => f.write_str("memory"),
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::BadAnswer => f.write_str("bad-answer"),
            Self::NoAnswer => f.write_str("no-answer"),
            Self::Error => f.write_str("error"),
            Self::Start => f.write_str("start"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// A trial without checked answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The word for tables.
    pub outcome: Outcome,
    /// What happened, where, what was expected, and what to do.
    pub message: String,
    /// The last of what the program printed, at most 64 KiB, with hidden characters shown.
    pub log: String,
}

impl Failure {
    /// A failure of which nothing was printed, or nothing is known yet.
    pub(crate) fn new(outcome: Outcome, message: impl Into<String>) -> Self {
        Self { outcome, message: message.into(), log: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_tables() {
        let words =
            [Outcome::Exit(3), Outcome::Signal(9), Outcome::BadAnswer].map(|o| o.to_string());
        assert_eq!(words, ["exit 3", "signal 9", "bad-answer"]);
    }

    #[test]
    fn signals_from_outside_are_not_final() {
        assert!(Outcome::Signal(11).is_final() && Outcome::Signal(6).is_final());
        assert!(!Outcome::Signal(9).is_final() && !Outcome::Signal(15).is_final());
        assert!(!Outcome::Timeout.is_final() && Outcome::Exit(1).is_final());
    }
}
