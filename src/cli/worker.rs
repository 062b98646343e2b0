//! `reprise worker`: one of several processes that execute an experiment together.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use ::run::chunk::{Index, TARGET};
use ::run::segment::Host;
use harness::engine;
use harness::run::Listener;
use harness::worker::{self, Share, Work, Worked};

use super::interrupt::INTERRUPTED;
use super::quantities::{jobs, seconds, share};
use super::session::{Execution, From};
use super::{Exit, Failure, Global, progress};

/// Execute a part of an experiment and only journal it, beside other workers; `reprise run` then seals
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Experiment file
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    #[command(flatten)]
    from: From,
    /// Take the I-th of N chunks [default: by the array index of Slurm, Grid Engine, LSF, PBS, AWS Batch, HyperQueue or
    /// Kubernetes; without one, chunks that no other worker on this folder has]
    #[arg(long, value_name = "I/N", conflicts_with = "count")]
    index: Option<Index>,
    /// How many tasks the array has, where its engine does not say (PBS, HyperQueue, Kubernetes)
    #[arg(long, value_name = "N", value_parser = jobs)]
    count: Option<NonZeroUsize>,
    /// Execute this share of the paths on a second host too, to see that they come out the same
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    cross_check: f64,
    /// About how long a chunk that is claimed takes on one core, in seconds; the same for all workers
    #[arg(long, value_name = "SECONDS", default_value_t = TARGET, value_parser = seconds)]
    chunk: f64,
    /// After how many seconds an engine stops this worker; a path that had all of them twice waits for more
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    limit: Option<f64>,
    /// What this host is called in the name of the journal [default: the system's name]
    #[arg(long, value_name = "NAME")]
    host: Option<Host>,
    #[command(flatten)]
    execution: Execution,
}

/// There is no array whose tasks could be counted.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("--count says how many tasks an array has, and this process is in none")]
#[diagnostic(help("say which chunk this worker takes: --index I/N"))]
struct NoArray;

impl Args {
    fn share(&self) -> Result<Share, Failure> {
        if let Some(index) = self.index {
            return Ok(Share::Chunk(index));
        }
        let task = engine::task(|name| std::env::var(name).ok());
        let task = task.map_err(Exit::Usage.because())?;
        if task.is_none() && self.count.is_some() {
            return Err(Exit::Usage.because()(NoArray));
        }
        let index = task.and_then(|task| task.index(self.count.map(usize::from)));
        Ok(index.map_or(Share::Claims, Share::Chunk))
    }
}

/// Works until its part is done.
///
/// # Errors
/// Whatever stops it; what finished is journaled.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let share = args.share()?;
    let session = args.execution.of(args.from.session(&args.spec)?, false)?;
    super::interrupt::on_signals();
    let id = &session.experiment.id;
    let options = args.execution.options();
    let host = args.host.clone().unwrap_or_else(Host::this);
    let limit = args.limit.map(Duration::from_secs_f64);
    let work = Work { share, cross_check: args.cross_check, host, target: args.chunk, limit };
    let listener =
        Listener { paths: &progress::of(id, global.quiet), warn: &|text| global.warn(text) };
    Ok(match worker::work(&session, &options, &work, &listener)? {
        Worked::Interrupted => {
            global.warn(INTERRUPTED);
            Exit::Interrupted
        }
        Worked::Journaled { paths, journals } => {
            global.say(&format!("{id}: {paths} paths are in {}", journals.display()));
            Exit::Fine
        }
    })
}
