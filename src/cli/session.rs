//! What `run`, `plan` and `report` share: which experiments, where their data comes from and where their
//! results go.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use miette::Diagnostic;

use base::parallel::available_cores;
use harness::options::Options;
use harness::universes::Which;
use harness::{Error, Session};
use report::figure::Export;
use reprise::KNOWN;
use run::only::Only;
use run::plan::MAX_TRIALS;
use spec::{NotASetting, Overlay};

use super::executor::absolute;
use super::quantities::{jobs, memory};
use super::{DataOptions, Exit, Failure, given};

/// Which experiments, where their data comes from and where their results go.
#[derive(Debug, Clone, clap::Args)]
pub struct Experiments {
    /// Experiment files, or ids of those that `reprise experiments` lists
    #[arg(required = true, value_name = "SPEC")]
    pub specs: Vec<PathBuf>,
    #[command(flatten)]
    pub from: From,
}

/// Where data comes from and where results go.
#[derive(Debug, Clone, clap::Args)]
pub struct From {
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub results: PathBuf,
    #[command(flatten)]
    data: DataOptions,
    /// Apply the overrides of [profile.NAME]; the results are those of <id>@NAME
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Set a key of the file, such as task.repeats=5, experiment.seed=2 or method.NB.smoothing=0.5; may be repeated. It is
    /// checked as if the file said so, and sealed beside it as overlay.toml
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    limits: Limits,
}

/// A setting of a key is none.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("--set: {0}")]
#[diagnostic(help(
    "keys are written as in a [profile]: the section, the id where it is repeated, the key"
))]
struct NoSetting(NotASetting);

/// What these settings change.
///
/// # Errors
/// If one is none.
pub fn overlay(settings: &[String]) -> Result<Option<Overlay>, Failure> {
    Overlay::of(settings).map_err(NoSetting).map_err(Exit::Usage.because())
}

/// Which universes of choices run.
#[derive(Debug, Clone, clap::Args)]
pub struct Together {
    /// Also run the universes of [universes], options of all choices together, and judge every claim in each: those that
    /// cover and are drawn, or all. Those that stand in the results stay without this
    #[arg(long, value_name = "all", num_args = 0..=1, default_missing_value = "some", value_parser = ["some", "all"], hide_possible_values = true)]
    universes: Option<String>,
}

impl Together {
    /// A session with them; where they are not asked for, without those in the results if these are given up.
    ///
    /// # Errors
    /// If its experiment has none, or too many.
    pub fn of(&self, session: Session, replace: bool) -> Result<Session, Failure> {
        Ok(match self.universes.as_deref() {
            None if replace => Session { universes: Vec::new(), ..session },
            None => session,
            Some("all") => session.with_universes(Which::All)?,
            Some(_) => session.with_universes(Which::Some)?,
        })
    }
}

/// How large an experiment may be.
#[derive(Debug, Clone, clap::Args)]
pub struct Limits {
    /// Most trials that an experiment may have
    #[arg(long, value_name = "N", default_value_t = MAX_TRIALS)]
    pub max_trials: u64,
}

impl Limits {
    /// The arguments that say the same.
    pub fn arguments(&self) -> impl Iterator<Item = OsString> {
        let most = (self.max_trials != MAX_TRIALS).then(|| self.max_trials.to_string());
        given("--max-trials", most)
    }
}

/// What figures are written as beside SVG.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(skip)]
pub struct Exports {
    /// Write figures as PNG too
    #[arg(long)]
    pub png: bool,
    /// Write figures as PDF too, as LaTeX includes them
    #[arg(long)]
    pub pdf: bool,
}

impl Exports {
    /// Those that are asked for.
    pub fn wanted(self) -> BTreeSet<Export> {
        let asked = [(self.png, Export::Png), (self.pdf, Export::Pdf)];
        asked.into_iter().filter(|(asked, _)| *asked).map(|(_, export)| export).collect()
    }
}

/// What of an experiment is executed, and in how much of the machine.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Execution {
    /// Worker threads [default: all cores]
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,
    /// Execute only these trials, such as dataset=nltcs,method=MEVM; results are sealed as incomplete
    #[arg(long, value_name = "KEY=VALUE,…")]
    only: Option<Only>,
    /// Also run the options that the paper leaves open
    #[arg(long)]
    choices: bool,
    #[command(flatten)]
    universes: Together,
    /// Start the programs of a file that lies in sealed results, which may be a stranger's
    #[arg(long)]
    trust: bool,
    /// Memory that trials which run at once may hold together, such as 8GiB [default: four fifths of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
}

impl Execution {
    /// A session with the universes that run in it, and with its programs if they may; `replace` gives up those that it has.
    ///
    /// # Errors
    /// As [`Together::of`].
    pub fn of(&self, session: Session, replace: bool) -> Result<Session, Failure> {
        self.universes.of(session.trusting(self.trust), replace)
    }

    /// As options of a run.
    pub fn options(&self) -> Options {
        Options {
            jobs: self.jobs.map_or_else(available_cores, usize::from),
            only: self.only.clone(),
            choices: self.choices.into(),
            memory: self.memory,
            ..Options::default()
        }
    }

    /// The arguments that ask for the same, on as many threads as there are.
    pub fn arguments(&self) -> impl Iterator<Item = OsString> {
        let memory = self.memory.map(|memory| format!("{}KiB", memory / 1024));
        given("--only", self.only.as_ref().map(Only::to_string))
            .chain(given("--memory", memory))
            .chain(self.choices.then(|| "--choices".into()))
            .chain(self.trust.then(|| "--trust".into()))
            .chain(given("--universes", &self.universes.universes))
    }
}

impl Experiments {
    /// Each of them, read when its turn comes.
    pub fn sessions(&self) -> impl Iterator<Item = Result<Session, Failure>> {
        self.specs.iter().map(|spec| self.from.session(spec))
    }
}

impl From {
    /// Asks for the leak check of the experiments, with further settings.
    pub fn check_for_leaks(&mut self, settings: impl Iterator<Item = String>) {
        self.profile = Some(match self.profile.take() {
            Some(name) => format!("{name}@leak"),
            None => "leak".to_owned(),
        });
        self.settings.extend(settings);
    }

    /// The arguments that say the same from any folder.
    pub fn arguments(&self) -> impl Iterator<Item = OsString> {
        let Self { results, data, profile, settings, limits } = self;
        given("--results", [absolute(results)])
            .chain(data.arguments())
            .chain(given("--profile", profile))
            .chain(given("--set", settings))
            .chain(limits.arguments())
    }

    /// This experiment file.
    ///
    /// # Errors
    /// If it is wrong.
    pub fn session(&self, spec: &Path) -> Result<Session, Failure> {
        let Self { results, data, profile, settings, limits } = self;
        let overlay = overlay(settings)?;
        let (profile, most) = (profile.as_deref(), limits.max_trials);
        Ok(Session::open(&KNOWN, spec, profile, overlay.as_ref(), results, &data.config(), most)?)
    }
}

impl std::convert::From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = match error {
            Error::Data(error) => return error.into(),
            Error::Spec(_)
            | Error::Unsuited(_)
            | Error::TooMany(_)
            | Error::NoUniverses(_)
            | Error::Untrusted(_)
            | Error::Loss { .. }
            | Error::NoTrial(_)
            | Error::Unknown { .. }
            | Error::NoResults { .. }
            | Error::TooShort(_)
            | Error::Unreadable { .. } => Exit::Usage,
            Error::Program(program::Error::Interrupted) => Exit::Interrupted,
            Error::Program(program::Error::File(_)) => Exit::Results,
            Error::Program(program::Error::Offline(_)) => Exit::Data,
            Error::Program(_) | Error::CodeChanged { .. } => Exit::Usage,
            Error::NotChecked(_)
            | Error::Records(_)
            | Error::Tampered { .. }
            | Error::NotCounted { .. }
            | Error::Disagreement { .. }
            | Error::Unsteady(_) => Exit::CheckFailed,
            Error::Store(_)
            | Error::Run(_)
            | Error::Write(_)
            | Error::Figure(_)
            | Error::Nothing { .. }
            | Error::NotSubmitted(_)
            | Error::Child { .. } => Exit::Results,
        };
        Self { exit, report: error.into() }
    }
}

impl Exit {
    /// An adaptor for `map_err`: the error ends the process with this code.
    pub fn because<E: Diagnostic + Send + Sync + 'static>(self) -> impl FnOnce(E) -> Failure {
        move |error| Failure { exit: self, report: miette::Report::new(error) }
    }
}
