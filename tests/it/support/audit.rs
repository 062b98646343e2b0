//! Audits by the library.

use std::path::{Path, PathBuf};
use std::process::Command;

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::harness::again::{Amount, Execution};
use reprise::harness::audit::{Audited, Checked, Means, Request, audit};
use reprise::harness::run::unobserved;
use reprise::run::plan::MAX_TRIALS;
use reprise::run::programs::Author;
use reprise::seal::{self, Folder};

use super::experiment::Bench;

/// What is asked beyond the bytes; nothing by default.
#[derive(Default)]
pub struct Ask {
    /// How many paths are executed.
    pub rerun: Option<Amount>,
    /// Whether the datasets in the cache are verified.
    pub data: bool,
    /// The user's experiment file.
    pub spec: Option<PathBuf>,
    /// The user's registry.
    pub registry: Option<PathBuf>,
    /// Where the local files are.
    pub data_dir: Option<PathBuf>,
    /// Whether sealed entries may name any source.
    pub trust: bool,
    /// Whether the programs of the results are executed.
    pub programs: bool,
    /// What they may read beside their code.
    pub readable: Vec<PathBuf>,
    /// Another cache than that of the bench.
    pub cache: Option<PathBuf>,
}

/// Every path is executed.
pub fn all() -> Ask {
    Ask { rerun: Some(Amount::All), ..Ask::default() }
}

/// So many paths are executed.
pub fn some(paths: usize) -> Ask {
    Ask { rerun: Some(Amount::AtMost(paths, 0)), ..Ask::default() }
}

/// What an audit says of a folder.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Why this program can't check it.
    pub not_checked: Option<String>,
    /// What it found.
    pub checked: Checked,
}

impl std::ops::Deref for Verdict {
    type Target = Checked;

    fn deref(&self) -> &Checked {
        &self.checked
    }
}

impl Verdict {
    /// Asserts that all is as it was sealed and nothing that was asked for was left out; of so many paths, so
    /// many were executed.
    #[track_caller]
    pub fn assert_same(&self, executed: usize, paths: usize) {
        assert!(self.differences.is_empty() && self.skipped.is_empty(), "{self:?}");
        assert_eq!(self.not_checked, None);
        assert_eq!((self.executed, self.paths), (executed, paths));
    }

    /// Asserts that every phrase is in a difference.
    #[track_caller]
    pub fn assert_differs(&self, phrases: &[&str]) {
        for phrase in phrases {
            let said = self.differences.iter().any(|difference| difference.contains(phrase));
            assert!(said, "{phrase:?} is not in {self:?}");
        }
        assert!(!self.differences.is_empty());
    }

    /// Asserts that it was not checked, and why.
    #[track_caller]
    pub fn assert_not_checked(&self, phrases: &[&str]) {
        let why = self.not_checked.as_deref().unwrap_or_else(|| panic!("{self:?}"));
        assert!(self.differences.is_empty(), "{self:?}");
        for phrase in phrases {
            assert!(why.contains(phrase), "{phrase:?} is not in {why}");
        }
    }

    /// Asserts that every phrase is in what is believed of the inputs.
    #[track_caller]
    pub fn assert_believes(&self, phrases: &[&str]) {
        let believed = || self.believed.iter().chain(&self.believed_datasets);
        for phrase in phrases {
            let said = believed().any(|input| input.contains(phrase));
            assert!(said, "{phrase:?} is not in {self:?}");
        }
    }
}

impl Bench {
    /// Audits a results folder as `reprise audit` does. Paths that took their process down are executed by
    /// the program.
    pub fn audit(&self, dir: &Path, ask: &Ask) -> Verdict {
        let Folder { manifest, differences, .. } = seal::check(dir);
        let mut verdict = Verdict::default();
        verdict.checked.differences = differences.iter().map(ToString::to_string).collect();
        let beyond = ask.rerun.is_some() || ask.data || ask.spec.is_some();
        let Some(manifest) = manifest.filter(|_| verdict.differences.is_empty() && beyond) else {
            return verdict;
        };
        let mut data = self.data();
        data.registry.clone_from(&ask.registry);
        data.cache = ask.cache.clone().or(data.cache);
        let specs = ask.spec.iter().cloned().collect();
        data.files.clone_from(&ask.data_dir);
        let means = Means { specs, trust: ask.trust, ..Means::new(&KNOWN, data, MAX_TRIALS) };
        let child = |id: Digest, journal: &Path| -> Command {
            let mut command = self.reprise();
            command.arg("execute-path").arg(dir).arg(id.to_string()).arg("--journal").arg(journal);
            command
        };
        let execution = ask.rerun.map(|amount| Execution {
            only: None,
            amount,
            jobs: 2,
            trust: ask.programs,
            readable: &ask.readable,
            author: Author::User,
            child: &child,
            observer: &unobserved,
        });
        let request = Request { means: &means, verify_data: ask.data, execution };
        match audit(dir, &manifest, &request).unwrap() {
            Audited::Checked(checked) => verdict.checked = *checked,
            Audited::NotChecked(why) => verdict.not_checked = Some(why),
            Audited::NoData(error) => panic!("{error}"),
            Audited::Interrupted => panic!("nobody interrupts"),
        }
        verdict
    }
}
