//! `reprise run --executor`: handing an experiment to an engine instead of executing it here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use ::run::chunk::TARGET;
use harness::Session;
use harness::run::Options;
use harness::submit::{self, Commands, Engine, NoWorker, Site, Submitted, Template};

use super::quantities::{seconds, share};
use super::{Exit, Failure};

/// What executes the trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Executor {
    /// This process.
    #[default]
    Local,
    /// Slurm: one task of an array for each chunk, and a job that seals.
    Slurm,
    /// The command of --submit, for each chunk.
    Command,
}

/// Which executor, and what it is told.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Executors")]
pub struct ExecutorArgs {
    /// What executes the trials
    #[arg(long, value_enum, default_value_t)]
    executor: Executor,
    /// Command that hands over one chunk: {worker} stands for its command, {index} and {count} for its place
    #[arg(long, value_name = "TEMPLATE")]
    submit: Option<Template>,
    /// File with what this site's engines want [default: reprise/site.toml in the user's configuration]
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    /// What jobs of Slurm ask for, such as partition=short, account=ml, time=2:00:00, memory=8G, cpus=4, throttle=50 or
    /// arguments=--exclusive; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    slurm: Vec<String>,
    /// About how long a chunk takes, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = TARGET, value_parser = seconds)]
    chunk: f64,
    /// Execute this share of the paths on a second host too, to see that they come out the same
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    cross_check: f64,
}

/// An executor can't do what is asked for.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
enum Wrong {
    /// It is not told how.
    #[error("--executor command needs a command for a chunk")]
    #[diagnostic(help(
        "--submit 'ssh node{{index}} {{worker}}', or `submit` under [command] in a site file"
    ))]
    NoTemplate,
    /// The template of a site file is none.
    #[error("submit under [command] in the site file: {0}")]
    Template(NoWorker),
    /// Workers forget nothing.
    #[error("--fresh forgets what was computed, and an executor's workers add to it")]
    #[diagnostic(help("give this run a --results folder of its own"))]
    Fresh,
    /// This program's file is not known.
    #[error("this program does not know where its own file lies: {0}")]
    Unknown(std::io::Error),
}

impl ExecutorArgs {
    /// The engine; none if this process executes the trials.
    ///
    /// # Errors
    /// If the site file or an option is wrong.
    pub fn engine(&self) -> Result<Option<Box<dyn Engine>>, Failure> {
        let file = self.site.clone().or_else(Site::of_user);
        let site = || -> Result<Site, Failure> {
            let site = file.as_deref().map_or_else(|| Ok(Site::default()), Site::read);
            site.map_err(Exit::Usage.because())
        };
        Ok(match self.executor {
            Executor::Local => None,
            Executor::Slurm => {
                let mut site = site()?;
                site.set_slurm(&self.slurm).map_err(Exit::Usage.because())?;
                Some(Box::new(site.slurm))
            }
            Executor::Command => {
                let template = match (&self.submit, site()?.command.submit) {
                    (Some(template), _) => template.clone(),
                    (None, Some(text)) => {
                        text.parse().map_err(Wrong::Template).map_err(Exit::Usage.because())?
                    }
                    (None, None) => return Err(Exit::Usage.because()(Wrong::NoTemplate)),
                };
                Some(Box::new(template))
            }
        })
    }

    /// Hands an experiment to an engine. `shared` are the arguments that a worker and the run that seals have in common,
    /// `sealing` those of the latter.
    ///
    /// # Errors
    /// If it can't be planned, or the engine does not take it.
    pub fn submit(
        &self,
        session: &Session,
        (options, engine): (&Options, &dyn Engine),
        (shared, sealing): (&[OsString], &[OsString]),
    ) -> Result<Submitted, Failure> {
        if options.fresh {
            return Err(Exit::Usage.because()(Wrong::Fresh));
        }
        let program = std::env::current_exe().map_err(Wrong::Unknown);
        let program = program.map_err(Exit::Usage.because())?;
        let command = |word: &str| {
            let mut command = vec![OsString::from(&program), word.into()];
            command.extend_from_slice(shared);
            command
        };
        let (mut worker, mut seal) = (command("worker"), command("run"));
        if self.cross_check > 0.0 {
            worker.extend(["--cross-check".into(), self.cross_check.to_string().into()]);
        }
        seal.extend_from_slice(sealing);
        let commands = Commands { worker, seal };
        Ok(submit::submit(session, options, engine, commands, self.chunk)?)
    }
}

/// A path as it is understood from any folder.
pub fn absolute(path: &Path) -> OsString {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).into_os_string()
}
