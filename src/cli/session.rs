//! What `run`, `plan` and `report` share: which experiments, where their data comes from and where their
//! results go.

use std::path::PathBuf;

use miette::Diagnostic;

use harness::{Error, Session};
use run::plan::MAX_TRIALS;
use spec::Overlay;

use super::{DataOptions, Exit, Failure};

/// Which experiments, where their data comes from and where their results go.
#[derive(Debug, clap::Args)]
pub struct Experiments {
    /// Experiment files
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,
    #[command(flatten)]
    pub from: From,
}

/// Where data comes from and where results go.
#[derive(Debug, clap::Args)]
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
struct NoSetting(String);

/// What these settings change.
///
/// # Errors
/// If one is none.
pub fn overlay(settings: &[String]) -> Result<Option<Overlay>, Failure> {
    Overlay::of(settings).map_err(NoSetting).map_err(Exit::Usage.because())
}

/// How large an experiment may be.
#[derive(Debug, Clone, clap::Args)]
pub struct Limits {
    /// Most trials that an experiment may have
    #[arg(long, value_name = "N", default_value_t = MAX_TRIALS)]
    pub max_trials: u64,
}

impl Experiments {
    /// Each of them, read when its turn comes.
    pub fn sessions(&self) -> impl Iterator<Item = Result<Session, Failure>> {
        self.from.sessions(&self.specs)
    }
}

impl From {
    /// Each of these experiment files, read when its turn comes.
    pub fn sessions<'s>(
        &'s self,
        specs: &'s [PathBuf],
    ) -> impl Iterator<Item = Result<Session, Failure>> + 's {
        let Self { results, data, profile, settings, limits } = self;
        specs.iter().map(move |spec| {
            let overlay = overlay(settings)?;
            let (profile, most) = (profile.as_deref(), limits.max_trials);
            let overlay = overlay.as_ref();
            Ok(Session::open_with(spec, profile, overlay, results, &data.config(), most)?)
        })
    }
}

impl std::convert::From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = match error {
            Error::Data(error) => return error.into(),
            Error::Spec(_)
            | Error::Unsuited(_)
            | Error::TooMany(_)
            | Error::Loss(_)
            | Error::NoTrial(_)
            | Error::Unknown(_)
            | Error::NoResults(_)
            | Error::Unreadable { .. } => Exit::Usage,
            Error::Program(program::Error::Interrupted) => Exit::Interrupted,
            Error::Program(program::Error::Io { .. }) => Exit::Results,
            Error::Program(_) | Error::CodeChanged { .. } => Exit::Usage,
            Error::Records(_) | Error::Tampered(_) => Exit::CheckFailed,
            Error::Folder(_)
            | Error::Store(_)
            | Error::Run(_)
            | Error::Write(_)
            | Error::Figure(_)
            | Error::Nothing(_)
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
