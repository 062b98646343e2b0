//! One of several processes that execute an experiment together. It journals what it executes and seals nothing; it
//! needs no lock, and no other worker. A run of the experiment then reads what all of them journaled, executes what is
//! missing, and seals.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use base::digest::{Digest, FieldHasher};
use run::chunk::{self, Chunk, Index};
use run::claim::{Claims, End, Found, LEASE};
use run::error::RunError;
use run::executor::{self, Sink, Working};
use run::plan::Path;
use run::segment::{Host, Worker};
use run::store::{self, Shared};
use seal::write;

use super::options::Options;
use super::planned::Planned;
use super::run::Listener;
use super::sealed::Sealed;
use super::{Error, Session};

/// What a worker does.
#[derive(Debug, Clone)]
pub struct Work {
    /// Which chunks it takes.
    pub share: Share,
    /// Which share of the paths is executed on another host too.
    pub cross_check: f64,
    /// What its host is called.
    pub host: Host,
    /// How long a chunk that is claimed takes on one core, in seconds.
    pub target: f64,
    /// After how long an engine stops it; none: it has all the time that it takes.
    pub limit: Option<Duration>,
}

/// Which chunks a worker takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// This one.
    Chunk(Index),
    /// Those that no other worker has, long ones first.
    Claims,
}

/// How a worker ended.
#[derive(Debug)]
pub enum Worked {
    /// The user, or an engine, asked it to stop; what finished is journaled.
    Interrupted,
    /// All that was its to do is journaled.
    Journaled {
        /// How many paths it executed.
        paths: usize,
        /// Where the journals are.
        journals: PathBuf,
    },
}

/// Works on an experiment.
///
/// # Errors
/// Whatever stops it; what finished is journaled.
pub fn work(
    session: &Session,
    options: &Options,
    work: &Work,
    listener: &Listener<'_>,
) -> Result<Worked, Error> {
    write::check_own(&session.dir, &session.experiment.id)?;
    let sealed = match Sealed::read(session) {
        // Whoever seals it at this moment has removed the manifest, or not yet written it.
        Err(_) if store::is_at_work(&session.dir) => None,
        sealed => sealed?,
    };
    let planned = Planned::new(session, options.choices, options.only.as_ref())?;
    let execution = planned.execution(options, listener.warn)?;
    let mut shared = Shared::open(&session.dir, Worker::new(&work.host), session.metrics())?;
    if let Some(sealed) = sealed {
        shared.adopt(sealed.outcomes());
    }
    for warning in &shared.known.warnings {
        (listener.warn)(warning);
    }
    let name = shared.worker.name();
    let endings = shared.watch()?.within(work.limit, &shared.journals, name);
    let execution = executor::Options { endings, ..execution };
    let seconds = planned.seconds();
    let chunks = match work.share {
        Share::Chunk(index) => index.of,
        Share::Claims => chunk::number(&seconds, work.target),
    };
    let chunks = chunk::cut(&seconds, chunks);
    let claims = Claims::new(&shared.journals, &shared.worker, LEASE).map_err(RunError::Thread)?;
    let journals = shared.journals.to_owned();
    let _working = Working::begin();
    let mut labour = Labour { planned: &planned, execution, shared, claims, work, listener };
    let all = match work.share {
        Share::Chunk(index) => labour.one(&chunks, index)?,
        Share::Claims => labour.claimed(&chunks)?,
    };
    let paths = labour.shared.verify()?;
    Ok(if all { Worked::Journaled { paths, journals } } else { Worked::Interrupted })
}

/// A worker at work.
struct Labour<'a> {
    planned: &'a Planned<'a>,
    execution: executor::Options,
    shared: Shared,
    claims: Claims,
    work: &'a Work,
    listener: &'a Listener<'a>,
}

impl<'a> Labour<'a> {
    /// The ids of the paths that have to run, as far as is known, and for which there is time.
    fn pending(&self) -> BTreeSet<Digest> {
        let mut pending = self.planned.pending_beside(&self.shared);
        let stops = &self.execution.endings.stops;
        let too_long = |id| self.work.limit.is_some_and(|limit| stops.twice(id, limit).is_some());
        pending.retain(|&id| !too_long(id));
        pending
    }

    fn paths(&self, chunk: &Chunk) -> &'a [Path] {
        &self.planned.plan.paths[chunk.paths.clone()]
    }

    /// Those of a chunk that have to run.
    fn missing(&self, chunk: &Chunk, pending: &BTreeSet<Digest>) -> Vec<&'a Path> {
        self.paths(chunk).iter().filter(|path| pending.contains(&path.id)).collect()
    }

    /// Those of a chunk that are executed on two hosts, as far as this one has not executed them.
    fn sample(&self, chunk: &Chunk) -> Vec<&'a Path> {
        let share = (self.work.cross_check * u64::MAX as f64) as u64;
        let chosen = |path: &&Path| {
            let draw = FieldHasher::new("cross-check").field(path.id.0).finish().first();
            u64::from_be_bytes(draw) < share && self.planned.wants(path) && !self.is_done_here(path)
        };
        self.paths(chunk).iter().filter(chosen).collect()
    }

    fn is_done_here(&self, path: &Path) -> bool {
        let (plan, origins) = (&self.planned.plan, &self.shared.known.origins);
        plan.trials_of(path).all(|trial| origins.on_host(&trial.key, &self.work.host))
    }

    /// Takes one chunk, whoever has it, and what is executed twice of the next one.
    fn one(&mut self, chunks: &[Chunk], Index { index, of }: Index) -> Result<bool, Error> {
        let (own, next) = (&chunks[index - 1], &chunks[index % of]);
        let mut pending = self.pending();
        // The task before this one may have been quicker with what both execute.
        pending.extend(self.sample(own).iter().map(|path| path.id));
        let mut paths = self.missing(own, &pending);
        if of > 1 {
            paths.extend(self.sample(next));
        }
        if paths.is_empty() {
            return Ok(true);
        }
        let name = chunks[index - 1].id(&self.planned.plan.paths).to_string();
        self.claims.seize(&name, trials(&paths))?;
        self.execute(&paths, &[name])
    }

    /// Claims chunks until none is left, and then what is executed twice of those that another host has.
    fn claimed(&mut self, chunks: &[Chunk]) -> Result<bool, Error> {
        let named = chunks.iter().map(|chunk| (chunk, chunk.id(&self.planned.plan.paths)));
        let mut named: Vec<(&Chunk, String)> =
            named.map(|(chunk, id)| (chunk, id.to_string())).collect();
        named.sort_by(|(one, _), (other, _)| other.seconds.total_cmp(&one.seconds));
        let mut pending = self.pending();
        // What claims call done may be done since the journals were read, or never.
        for last in [false, true] {
            if !self.claim_all(&named, &mut pending, last)? {
                return Ok(false);
            }
            if !last {
                self.shared.reload()?;
                pending = self.pending();
                let timeouts = self.timed_out();
                pending.retain(|path| !timeouts.contains(path));
            }
        }
        for (chunk, name) in &named {
            let paths = self.sample(chunk);
            let elsewhere = |host: Option<Host>| host.is_some_and(|host| host != self.work.host);
            if paths.is_empty() || !elsewhere(self.claims.host_of(name)?) {
                continue;
            }
            let again = format!("{name}.again");
            if matches!(self.claims.take(&again, trials(&paths))?, Found::Free | Found::Expired)
                && !self.execute(&paths, &[again])?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The paths with a trial that ran out of time: they have run.
    fn timed_out(&self) -> BTreeSet<Digest> {
        let (plan, outcomes) = (&self.planned.plan, &self.shared.known.outcomes);
        let late = |path: &&Path| {
            let mut outcomes = plan.trials_of(path).filter_map(|trial| outcomes.get(&trial.key));
            outcomes.any(|outcome| outcome.status().may_pass())
        };
        plan.paths.iter().filter(late).map(|path| path.id).collect()
    }

    /// Claims and executes the chunks with pending paths that nobody has; `done` ones too, if it is known that they are
    /// not. As many at once as there are threads. False if it was asked to stop.
    fn claim_all(
        &mut self,
        chunks: &[(&Chunk, String)],
        pending: &mut BTreeSet<Digest>,
        done: bool,
    ) -> Result<bool, Error> {
        let mut left = chunks.iter();
        loop {
            let (mut paths, mut names) = (Vec::new(), Vec::new());
            while names.len() < self.execution.jobs
                && let Some((chunk, name)) = left.next()
            {
                let mut missing = self.missing(chunk, pending);
                if missing.is_empty() {
                    continue;
                }
                let found = self.claims.take(name, trials(&missing))?;
                match found {
                    Found::Held => continue,
                    Found::Done if !done => continue,
                    Found::Free => {}
                    // Some of it, or all, has been journaled since the journals were read.
                    Found::Done | Found::Expired => {
                        self.shared.reload()?;
                        let still = self.pending();
                        pending.retain(|path| still.contains(path));
                        missing = self.missing(chunk, pending);
                    }
                }
                if found == Found::Done {
                    if missing.is_empty() {
                        continue;
                    }
                    self.claims.seize(name, trials(&missing))?;
                }
                paths.extend(missing);
                names.push(name.clone());
            }
            if names.is_empty() {
                return Ok(true);
            }
            if !self.execute(&paths, &names)? {
                return Ok(false);
            }
            for path in &paths {
                pending.remove(&path.id);
            }
        }
    }

    /// Executes and journals paths, and ends these claims. False if it was asked to stop.
    fn execute(&mut self, paths: &[&Path], claims: &[String]) -> Result<bool, Error> {
        let plan = &self.planned.plan;
        let observer = (self.listener.paths)(plan, paths);
        let execute =
            |sink: &Sink<'_>| self.planned.execute(paths, &self.execution, sink, &*observer);
        let all = self.shared.journaled(plan, execute)?;
        let end = if all { End::Done } else { End::GivenUp };
        claims.iter().try_for_each(|claim| self.claims.end(claim, end))?;
        Ok(all)
    }
}

fn trials(paths: &[&Path]) -> usize {
    paths.iter().map(|path| path.trials.len()).sum()
}
