//! How a trial ended, and why it did not end well.

use std::collections::BTreeSet;

use contract::{Metric, Metrics, words};
use program::Ending;

words! {
    /// How a trial ended, or why it has no outcome.
    #[derive(PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Status {
        Ok = "ok", "it has all its metrics";
        Failed = "failed", "the method gave up, or panicked";
        Nonfinite = "nonfinite", "a metric is not a finite number";
        Timeout = "timeout", "the time limit passed";
        OutOfMemory = "out-of-memory", "it was stopped for want of memory";
        Crashed = "crashed", "it took the process down twice";
        Missing = "missing", "it has not run";
        NotApplicable = "not-applicable", "the configuration makes no sense for the dataset";
        PublishedOnly = "published-only", "the experiment only quotes the published value";
    }
}

impl Status {
    /// Whether the trial ran and ended badly.
    pub fn is_bad(self) -> bool {
        match self {
            Self::Failed | Self::Nonfinite | Self::Timeout | Self::OutOfMemory | Self::Crashed => {
                true
            }
            Self::Ok | Self::Missing | Self::NotApplicable | Self::PublishedOnly => false,
        }
    }

    /// Whether another run may end in another way, so that this is no result that is kept.
    pub fn may_pass(self) -> bool {
        matches!(self, Self::Timeout | Self::OutOfMemory)
    }
}

/// Why a trial did not end well. Whatever depends on how a trial ended depends on this, and on no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The method gave up, or there was nothing for it to work on.
    GaveUp,
    /// The method panicked.
    Panicked,
    /// No point of its grid has a value to be selected by: it stands for the grid, and ended well itself.
    Unselected,
    /// These metrics are not finite numbers. Their values may have been left out of a sealed folder.
    NotFinite(BTreeSet<&'static Metric>),
    /// The configuration makes no sense for the dataset.
    NotApplicable,
    /// The time limit passed, or did earlier on its path.
    Timeout,
    /// The system killed its process again and again for want of memory.
    OutOfMemory,
    /// It took the process down twice.
    Crashed,
    /// A program ended so, without answers that count.
    Program(Ending),
}

/// The words of causes that a status does not tell apart.
const PANICKED: &str = "panicked";

impl Cause {
    /// How a trial ended that ended so.
    pub fn status(&self) -> Status {
        match self {
            Self::GaveUp | Self::Panicked | Self::Unselected => Status::Failed,
            Self::NotFinite(_) => Status::Nonfinite,
            Self::NotApplicable => Status::NotApplicable,
            Self::Program(ending) if ending.is_final() => Status::Failed,
            Self::OutOfMemory | Self::Program(Ending::Memory) => Status::OutOfMemory,
            Self::Timeout | Self::Program(_) => Status::Timeout,
            Self::Crashed => Status::Crashed,
        }
    }

    /// The word that files have of it beside its status; none where that says it.
    pub fn word(&self) -> Option<String> {
        match self {
            Self::Panicked => Some(PANICKED.to_owned()),
            Self::Program(ending) => Some(ending.to_string()),
            Self::GaveUp
            | Self::Unselected
            | Self::NotFinite(_)
            | Self::NotApplicable
            | Self::Timeout
            | Self::OutOfMemory
            | Self::Crashed => None,
        }
    }

    /// What a file has as a status, a word and a message; none of a trial that ended well.
    ///
    /// # Errors
    /// If no trial ends so.
    pub fn read(
        status: Status,
        word: &str,
        message: &str,
        known: &Metrics,
    ) -> Result<Option<Self>, NotACause> {
        let cause = match (status, word) {
            (Status::Ok, "") => return Ok(None),
            (Status::Failed, "") => Some(Self::GaveUp),
            (Status::Nonfinite, "") => Some(Self::NotFinite(named(message, known))),
            (Status::Timeout, "") => Some(Self::Timeout),
            (Status::OutOfMemory, "") => Some(Self::OutOfMemory),
            (Status::Crashed, "") => Some(Self::Crashed),
            (Status::NotApplicable, "") => Some(Self::NotApplicable),
            (_, PANICKED) => Some(Self::Panicked),
            // As 0.1.0 has it.
            (Status::Timeout, "out-of-memory") => Some(Self::OutOfMemory),
            (_, word) => word.parse().ok().map(Self::Program),
        };
        let told = |cause: &Self| match cause.status() {
            Status::OutOfMemory => status.may_pass(),
            known => known == status,
        };
        let cause = cause.filter(told);
        cause.map(Some).ok_or_else(|| NotACause { status, word: word.to_owned() })
    }
}

/// No trial ends with this status and this word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no trial is `{}` with the word {word:?}", status.word())]
pub struct NotACause {
    status: Status,
    word: String,
}

const NOT_FINITE: &str = "not a finite number: ";

/// The message of a trial with metrics that are not finite numbers.
pub(super) fn not_finite(broken: &BTreeSet<&'static Metric>) -> String {
    let names: Vec<&str> = broken.iter().map(|metric| metric.name).collect();
    format!("{NOT_FINITE}{}", names.join(", "))
}

/// The metrics of such a message. Sealed rows have them nowhere else, and nobody else writes it: the status is
/// reprise's own verdict.
fn named(message: &str, known: &Metrics) -> BTreeSet<&'static Metric> {
    let names = message.strip_prefix(NOT_FINITE).into_iter();
    names.flat_map(|names| names.split(", ")).filter_map(|name| known.get(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::for_tests::{METRICS, metric};

    #[test]
    fn files_tell_causes_apart() {
        let known = |name| metric(name).unwrap();
        let broken = BTreeSet::from([known("test_ll"), known("nodes")]);
        let message = not_finite(&broken);
        assert_eq!(message, "not a finite number: nodes, test_ll");
        for (cause, status, word) in [
            (Cause::GaveUp, "failed", ""),
            (Cause::Panicked, "failed", "panicked"),
            (Cause::NotFinite(broken), "nonfinite", ""),
            (Cause::NotApplicable, "not-applicable", ""),
            (Cause::Timeout, "timeout", ""),
            (Cause::OutOfMemory, "out-of-memory", ""),
            (Cause::Crashed, "crashed", ""),
            (Cause::Program(Ending::Exit(3)), "failed", "exit 3"),
            (Cause::Program(Ending::Memory), "out-of-memory", "memory"),
        ] {
            let found = (cause.status().word(), cause.word().unwrap_or_default());
            assert_eq!(found, (status, word.to_owned()));
            assert_eq!(Cause::read(cause.status(), word, &message, &METRICS), Ok(Some(cause)));
        }
        assert_eq!(Cause::read(Status::Ok, "", "", &METRICS), Ok(None));
        let of_0_1_0 = |word| Cause::read(Status::Timeout, word, "", &METRICS).unwrap();
        assert_eq!(of_0_1_0("out-of-memory"), Some(Cause::OutOfMemory));
        assert_eq!(of_0_1_0("memory"), Some(Cause::Program(Ending::Memory)));
    }

    #[test]
    fn a_word_that_its_status_contradicts_is_refused() {
        for (status, word) in [
            (Status::Ok, "exit 3"),
            (Status::Timeout, "exit 3"),
            (Status::Failed, "memory"),
            (Status::Failed, "lacks auc"),
            (Status::Nonfinite, "panicked"),
            (Status::Missing, ""),
        ] {
            let refused = Cause::read(status, word, "", &METRICS).unwrap_err().to_string();
            assert!(refused.contains(status.word()) && refused.contains(word), "{refused}");
        }
    }

    /// What others say is read from no message.
    #[test]
    fn a_message_is_no_cause() {
        for message in ["it has no `auc`", "not a finite number: test_ll", "panicked: at `auc`"] {
            let cause = Cause::read(Status::Failed, "", message, &METRICS);
            assert_eq!(cause, Ok(Some(Cause::GaveUp)));
        }
    }
}
