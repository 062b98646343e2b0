//! How a trial of a program can fail.

use std::fmt;
use std::str::FromStr;

/// How a trial without checked answers ended: the word of the column `outcome`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
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
    /// Its densities are not those of one distribution.
    NotNormalised,
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

/// The words of endings that have no number.
const WORDS: [(&str, Ending); 8] = [
    ("timeout", Ending::Timeout),
    ("memory", Ending::Memory),
    ("bad-answer", Ending::BadAnswer),
    ("not-normalised", Ending::NotNormalised),
    ("no-answer", Ending::NoAnswer),
    ("error", Ending::Error),
    ("start", Ending::Start),
    ("interrupted", Ending::Interrupted),
];

impl Ending {
    /// Whether the same trial would end so again. A time-out, a lack of memory and a signal from outside say more about
    /// the machine.
    pub fn is_final(self) -> bool {
        match self {
            Self::Timeout | Self::Memory | Self::Start | Self::Interrupted => false,
            Self::Signal(signal) => OWN_SIGNALS.contains(&signal),
            Self::Exit(_)
            | Self::BadAnswer
            | Self::NotNormalised
            | Self::NoAnswer
            | Self::Error => true,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            _ => {
                let word = WORDS.iter().find(|(_, ending)| ending == self);
                f.write_str(word.map_or("", |(word, _)| word))
            }
        }
    }
}

/// An ending that no version of this program writes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown ending {0:?}")]
pub struct UnknownEnding(String);

impl FromStr for Ending {
    type Err = UnknownEnding;

    fn from_str(text: &str) -> Result<Self, UnknownEnding> {
        let number = |word: &str| text.strip_prefix(word)?.strip_prefix(' ')?.parse().ok();
        let word = || WORDS.iter().find(|(word, _)| *word == text).map(|&(_, ending)| ending);
        let numbered =
            || number("exit").map(Self::Exit).or_else(|| number("signal").map(Self::Signal));
        word().or_else(numbered).ok_or_else(|| UnknownEnding(text.to_owned()))
    }
}

/// A trial without checked answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// How it ended.
    pub ending: Ending,
    /// What happened, where, what was expected, and what to do.
    pub message: String,
    /// The last of what the program printed, at most 64 KiB, with hidden characters shown.
    pub log: String,
}

impl Failure {
    /// A failure of which nothing was printed, or nothing is known yet.
    pub fn new(ending: Ending, message: impl Into<String>) -> Self {
        Self { ending, message: message.into(), log: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_tables() {
        let endings = [Ending::Exit(3), Ending::Exit(-1), Ending::Signal(9), Ending::BadAnswer];
        let words = endings.map(|ending| ending.to_string());
        assert_eq!(words, ["exit 3", "exit -1", "signal 9", "bad-answer"]);
        for ending in endings.into_iter().chain(WORDS.map(|(_, ending)| ending)) {
            assert_eq!(ending.to_string().parse(), Ok(ending));
        }
        for text in ["", "exit", "exit 3 ", "signal x", "fine"] {
            assert!(text.parse::<Ending>().is_err(), "{text}");
        }
    }

    #[test]
    fn signals_from_outside_are_not_final() {
        assert!(Ending::Signal(11).is_final() && Ending::Signal(6).is_final());
        assert!(!Ending::Signal(9).is_final() && !Ending::Signal(15).is_final());
        assert!(!Ending::Timeout.is_final() && Ending::Exit(1).is_final());
    }
}
