//! Executing an experiment on other machines: it is planned and cut into chunks once, an engine is handed those chunks
//! that are not done, and what it reports of them is never asked for: the journals say what is done.

mod command;
pub mod engine;
mod site;
mod slurm;

use base::durable;
use run::chunk;
use run::claim::{Claims, Found, LEASE};

use base::file_error::FileError;
use run::executor::RunError;
use run::segment::{Host, Worker};
use run::store::{LOGS, Shared};
use seal::write;

use super::options::Options;
use super::planned::Planned;
use super::run::{Listener, already_sealed};
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
    /// The engine has it.
    Chunks {
        /// How many chunks.
        chunks: usize,
        /// How many there are in all.
        of: usize,
        /// What the engine was handed.
        what: String,
    },
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
    listener: &Listener<'_>,
) -> Result<Submitted, Error> {
    if already_sealed(session, options, listener)?.is_some() {
        return Ok(Submitted::Done);
    }
    write::check_own(&session.dir, &session.experiment.id)?;
    let sealed = Sealed::read(session)?;
    let planned = Planned::new(session, options.choices, options.only.as_ref(), listener.fetch)?;
    if let Some(sealed) = sealed.as_ref().filter(|_| !options.replace) {
        sealed.refuse_loss(&session.experiment, &planned.plan, None)?;
    }
    let most = engine.most()?;
    let mut shared = Shared::open(&session.dir, Worker::new(&Host::this()), session.metrics())?;
    if let Some(sealed) = sealed {
        shared.adopt(sealed.outcomes());
    }
    let estimates = planned.estimates(shared.journals())?;
    let seconds = planned.seconds(&estimates);
    let of = chunk::number(&seconds, target * engine.cores() as f64).min(most.max(1));
    let pending = planned.pending_beside(&shared);
    let claims =
        Claims::new(shared.journals(), shared.worker(), LEASE).map_err(RunError::Thread)?;
    let (mut chunks, mut running) = (Vec::new(), 0);
    for (at, chunk) in chunk::cut(&seconds, of).iter().enumerate() {
        let paths = &planned.plan.paths[chunk.paths.clone()];
        if paths.iter().all(|path| !pending.contains(&path.id)) {
            continue;
        }
        match claims.look_at(&chunk.id(&planned.plan.paths).to_string())? {
            Found::Held => running += 1,
            Found::Free | Found::Expired | Found::Done => chunks.push(at + 1),
        }
    }
    if chunks.is_empty() {
        return Ok(if running == 0 { Submitted::Done } else { Submitted::Running(running) });
    }
    let logs = shared.journals().join(LOGS);
    durable::create_folders(&logs).map_err(FileError::on("create", &logs))?;
    let (name, count) = (session.experiment.id.clone(), chunks.len());
    let what = engine.submit(&Batch { name, commands, chunks, of, logs })?;
    shared.reload()?;
    if planned.pending_beside(&shared).is_empty() {
        return Ok(Submitted::Done);
    }
    Ok(Submitted::Chunks { chunks: count, of, what })
}
