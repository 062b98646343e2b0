//! An experiment file in a folder of its own, run there by the library, or by the program where a test is about
//! its command line or its process.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::data::DataConfig;
use reprise::harness::run::{Ended, Listener, Options, Results, unobserved};
use reprise::harness::worker::{self, Share, Work, Worked};
use reprise::harness::{self, Error, Session};
use reprise::program::contain::BINARY;

use reprise::report::Report;
use reprise::report::figure::Export;
use reprise::run::Record;
use reprise::run::chunk::TARGET;
use reprise::run::plan::{MAX_TRIALS, WithChoices};

use super::terminal;

/// A folder with an experiment file, a cache and results.
pub struct Bench {
    folder: Arc<tempfile::TempDir>,
    spec: PathBuf,
}

impl Bench {
    /// A new folder.
    pub fn new(spec: &str) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self::in_folder(folder, spec)
    }

    /// A new folder with these files beside the experiment file.
    pub fn with(spec: &str, files: &[(&str, &str)]) -> Self {
        let bench = Self::new(spec);
        for (file, text) in files {
            bench.write(file, text);
        }
        bench
    }

    /// Another experiment file that shares the folder.
    pub fn beside(other: &Self, spec: &str) -> Self {
        Self::in_folder(other.folder.clone(), spec)
    }

    fn in_folder(folder: Arc<tempfile::TempDir>, spec: &str) -> Self {
        BINARY.get_or_init(|| env!("CARGO_BIN_EXE_reprise").into());
        let path = folder.path().join(format!("{}.toml", Digest::of(spec.as_bytes()).short()));
        std::fs::write(&path, spec).unwrap();
        Self { folder, spec: path }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The experiment file.
    pub fn spec(&self) -> &Path {
        &self.spec
    }

    /// Writes a file beside the experiment file.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.folder().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The results folder below `name`.
    pub fn results(&self, name: &str) -> PathBuf {
        let text = std::fs::read_to_string(&self.spec).unwrap();
        let id = text.lines().find_map(|line| line.strip_prefix("id = ")).unwrap();
        self.folder().join(name).join(id.trim_matches('"'))
    }

    /// The cache of this folder, and no mirror.
    pub fn data(&self) -> DataConfig {
        DataConfig { cache: Some(self.folder().join("cache")), ..DataConfig::default() }
    }

    /// The experiment with results below `name`, if the file is right.
    pub fn open(&self, name: &str) -> Result<Session, Error> {
        Session::open(
            &KNOWN,
            &self.spec,
            None,
            None,
            &self.folder().join(name),
            &self.data(),
            MAX_TRIALS,
        )
    }

    /// The experiment with results below `name`.
    pub fn session(&self, name: &str) -> Session {
        self.open(name).unwrap_or_else(|error| panic!("{}", terminal::shown(&error)))
    }

    /// Runs, however it ends.
    pub fn ended(&self, name: &str, options: &Options) -> Result<Ended, Error> {
        let listener = Listener { paths: &unobserved, warn: &|_| () };
        harness::run::run(&self.open(name)?, options, &listener)
    }

    /// Runs, and gives what was sealed.
    pub fn sealed(&self, name: &str, options: &Options) -> Results {
        match self.ended(name, options) {
            Ok(Ended::Sealed(results)) => *results,
            Ok(ended) => panic!("{ended:?}"),
            Err(error) => panic!("{}", terminal::shown(&error)),
        }
    }

    /// Why a run is refused.
    pub fn refused(&self, name: &str, options: &Options) -> Error {
        self.ended(name, options).map(|ended| panic!("{ended:?}")).unwrap_err()
    }

    /// Runs to a good end, as the program would with this of its options, and gives the results folder.
    pub fn run_with(&self, name: &str, options: &Options) -> PathBuf {
        match self.ended(name, options) {
            Ok(Ended::Sealed(results)) => {
                let bad: Vec<&Record> =
                    results.records.iter().filter(|record| bad(record)).collect();
                let methods = &self.session(name).experiment.methods;
                let may_fail = |record: &&Record| {
                    methods.iter().any(|m| m.id == record.trial.method && m.may_fail)
                };
                assert!(bad.iter().all(may_fail), "{bad:?}");
            }
            Ok(Ended::AlreadySealed(_)) => {}
            Ok(Ended::Interrupted) => panic!("nobody interrupts"),
            Err(error) => panic!("{}", terminal::shown(&error)),
        }
        self.results(name)
    }

    /// Runs everything but the options of choices to a good end, and gives the results folder.
    pub fn run(&self, name: &str) -> PathBuf {
        self.run_with(name, &Options::default())
    }

    /// Works to a good end, and gives the results folder.
    pub fn work_with(&self, name: &str, work: &Work, options: &Options) -> PathBuf {
        let listener = Listener { paths: &unobserved, warn: &|_| () };
        match worker::work(&self.session(name), options, work, &listener) {
            Ok(Worked::Journaled { .. }) => self.results(name),
            Ok(Worked::Interrupted) => panic!("nobody interrupts"),
            Err(error) => panic!("{}", terminal::shown(&error)),
        }
    }

    /// Executes all trials but the options of choices and seals nothing.
    pub fn journal(&self, name: &str) -> PathBuf {
        self.work_with(name, &chunk("1/1", "host"), &Options::default())
    }

    /// Makes the report anew from what is stored.
    pub fn report(&self, name: &str) -> Result<Report, Error> {
        self.report_with(name, &[])
    }

    /// The same, perhaps with exports.
    pub fn report_with(&self, name: &str, exports: &[Export]) -> Result<Report, Error> {
        let exports = exports.iter().copied().collect();
        harness::report::report(&self.open(name)?, exports)
    }

    /// The program with nothing of the developer's environment, and no way to the network.
    pub fn reprise(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .current_dir(self.folder())
            .env_remove("REPRISE_MIRROR")
            .env("REPRISE_CACHE", self.folder().join("cache"))
            .env("NO_COLOR", "1");
        command
    }

    /// A subcommand on the experiment file, with results below `name`.
    pub fn subcommand(&self, subcommand: &str, name: &str, arguments: &[&str]) -> Command {
        let mut command = self.reprise();
        command.arg(subcommand).arg(&self.spec).arg("--results").arg(self.folder().join(name));
        command.args(arguments);
        command
    }

    /// `reprise run`, not yet started.
    pub fn command(&self, name: &str, arguments: &[&str]) -> Command {
        self.subcommand("run", name, arguments)
    }
}

fn bad(record: &Record) -> bool {
    record.outcome.as_ref().is_some_and(|outcome| outcome.status().is_bad())
}

/// A run with the options of choices.
pub fn choices() -> Options {
    Options { choices: WithChoices::Yes, ..Options::default() }
}

/// A run that forgets what was computed before.
pub fn fresh() -> Options {
    Options { fresh: true, ..Options::default() }
}

/// A run that gives up sealed trials.
pub fn replace() -> Options {
    Options { replace: true, ..Options::default() }
}

/// A run of some trials.
pub fn only(filter: &str) -> Options {
    Options { only: Some(filter.parse().unwrap()), ..Options::default() }
}

/// A worker that takes this chunk, on a host of this name.
pub fn chunk(index: &str, host: &str) -> Work {
    let (share, host) = (Share::Chunk(index.parse().unwrap()), host.parse().unwrap());
    Work { share, cross_check: 0.0, host, target: TARGET, limit: None }
}

/// A worker that claims chunks of so many seconds, on a host of this name.
pub fn claims(target: f64, host: &str) -> Work {
    Work { share: Share::Claims, target, ..chunk("1/1", host) }
}
