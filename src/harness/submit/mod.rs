//! Executing an experiment on other machines: it is planned and cut into chunks once, an engine is handed those chunks
//! that are not done, and what it reports of them is never asked for: the journals say what is done.

mod command;
pub mod engine;
mod site;
mod slurm;

use std::collections::BTreeSet;
use std::time::Duration;

use base::digest::Digest;
use base::durable;
use program::Limits;
use run::chunk::{self, Chunk};
use run::claim::{Claims, Found, LEASE};
use run::endings::Stops;

use base::file_error::FileError;
use run::error::RunError;
use run::plan::Plan;
use run::segment::{Host, Worker};
use run::store::{self, LOGS, Shared};
use seal::write;

use super::options::Options;
use super::planned::Planned;
use super::run::already_sealed;
use super::sealed::Sealed;
use super::{Error, Session};
use engine::Batch;

pub use command::{NoWorker, Template};
pub use engine::{Commands, Engine};
pub use site::{NoSite, Site};
pub use slurm::Slurm;

/// What came of it.
#[derive(Debug)]
pub enum Submitted {
    /// Every path has been executed: it can be sealed.
    Done,
    /// Nothing was handed over: workers are at work on all that is missing, in so many chunks.
    Running(usize),
    /// Nothing was handed over: all that is missing takes longer than the engine gives.
    TooLong(Vec<TooLong>),
    /// The engine has it.
    Chunks {
        /// How many chunks.
        chunks: usize,
        /// How many there are in all.
        of: usize,
        /// What the engine was handed.
        what: String,
        /// What it was not handed, as it takes longer than the engine gives.
        too_long: Vec<TooLong>,
    },
}

/// A path that an engine has stopped twice, although it had all the time that the engine gives.
#[derive(Debug)]
pub struct TooLong {
    /// Where its first trial is.
    pub path: String,
    /// For how many seconds it ran at most.
    pub seconds: u64,
}

/// The chunks with pending paths, counted from one, that nobody is at work on; and how many others somebody is.
fn missing(
    chunks: &[Chunk],
    plan: &Plan,
    pending: &BTreeSet<Digest>,
    claims: &Claims,
) -> Result<(Vec<usize>, usize), RunError> {
    let (mut free, mut running) = (Vec::new(), 0);
    for (at, chunk) in chunks.iter().enumerate() {
        let paths = &plan.paths[chunk.paths.clone()];
        if paths.iter().all(|path| !pending.contains(&path.id)) {
            continue;
        }
        match claims.look_at(&chunk.id(&plan.paths).to_string())? {
            Found::Held => running += 1,
            Found::Free | Found::Expired | Found::Done => free.push(at + 1),
        }
    }
    Ok((free, running))
}

/// Plans an experiment and hands an engine the chunks that are missing, of about `target` seconds each.
///
/// # Errors
/// If it can't be planned, or the engine does not take it.
pub fn submit(
    session: &Session,
    options: &Options,
    engine: &dyn Engine,
    commands: Commands,
    target: f64,
) -> Result<Submitted, Error> {
    if already_sealed(session, options)?.is_some() {
        return Ok(Submitted::Done);
    }
    write::check_own(&session.dir, &session.experiment.id)?;
    let sealed = Sealed::read(session)?;
    let planned = Planned::new(session, options.choices, options.only.as_ref())?;
    if let Some(sealed) = sealed.as_ref().filter(|_| !options.replace) {
        sealed.refuse_loss(&planned.plan, None)?;
    }
    let programs = session.experiment.methods.iter().any(|method| method.program.is_some());
    let start = if programs { Limits::default().start } else { Duration::ZERO };
    let time = engine.time(start)?;
    let most = engine.most()?;
    let mut shared = Shared::open(&session.dir, Worker::new(&Host::this()), session.metrics())?;
    if let Some(sealed) = sealed {
        shared.adopt(sealed.outcomes());
    }
    let seconds = planned.seconds();
    let of = chunk::number(&seconds, target * engine.cores() as f64).min(most.max(1));
    let mut pending = planned.pending_beside(&shared);
    let stops = Stops::read(&shared.journals)?;
    let mut too_long = Vec::new();
    for path in planned.plan.paths.iter().filter(|_| time.is_some()) {
        let stopped = time.and_then(|time| stops.twice(path.id, time));
        if let Some(seconds) = stopped.filter(|_| pending.remove(&path.id)) {
            let path = planned.plan.first_of(path).place();
            too_long.push(TooLong { path, seconds });
        }
    }
    let claims = Claims::new(&shared.journals, &shared.worker, LEASE).map_err(RunError::Thread)?;
    let (chunks, running) = missing(&chunk::cut(&seconds, of), &planned.plan, &pending, &claims)?;
    if chunks.is_empty() {
        return Ok(match running {
            0 if too_long.is_empty() => Submitted::Done,
            0 => Submitted::TooLong(too_long),
            _ => Submitted::Running(running),
        });
    }
    let logs = shared.journals.join(LOGS);
    durable::create_folders(&logs).map_err(FileError::on("create", &logs))?;
    store::note(&shared.journals, &planned.plan)?;
    let (name, count) = (session.experiment.id.clone(), chunks.len());
    let seals = too_long.is_empty();
    let what = engine.submit(&Batch { name, commands, chunks, of, logs, seals })?;
    shared.reload()?;
    if planned.pending_beside(&shared).is_empty() {
        return Ok(Submitted::Done);
    }
    Ok(Submitted::Chunks { chunks: count, of, what, too_long })
}
