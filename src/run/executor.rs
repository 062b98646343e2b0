//! Executes paths on worker threads, and journals each as it finishes.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};

use base::derived::Derived;
use base::file_error::FileError;
use base::parallel::{Cores, TRIAL_THREAD, lock, unwrap_mutex};
use base::printable::printable;
use contract::parameter::Parameters;
use contract::{Carry, Context};
use data::inner::Inner;
use task::{Fitting, Measured};

use super::cause::{Cause, Status};
use super::endings::{Endings, TRIES};
use super::error::RunError;
use super::examples::Examples;
use super::journal::Journal;
use super::outcome::Outcome;
use super::plan::{Path, Plan};
use super::pool::Pool;
use super::programs::{Programs, Unmeasured, unprepared};
use super::queue;
use super::record::Trial;
use super::reserve::{Amount, Reserve, free_memory};
use super::validated::validated;

pub use super::interrupt::INTERRUPT;

static WORKING: AtomicBool = AtomicBool::new(false);

/// While there is one, trials run or results are written: a first wish to stop only sets [`INTERRUPT`]. At all
/// other times there is nothing to end cleanly.
#[derive(Debug)]
pub struct Working(());

impl Working {
    /// Work that is to end cleanly begins.
    pub fn begin() -> Self {
        WORKING.store(true, Ordering::SeqCst);
        Self(())
    }

    /// Whether there is such work.
    pub fn now() -> bool {
        WORKING.load(Ordering::SeqCst)
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        WORKING.store(false, Ordering::SeqCst);
    }
}

/// Takes the outcomes of a finished path. If they can't be kept, the run stops.
pub type Sink<'a> = dyn Fn(&Path, Vec<Outcome>) -> Result<(), FileError> + Sync + 'a;

/// Told of what happens, for progress.
pub trait Observer: Sync {
    /// A path starts.
    fn started(&self, path: &Path);
    /// A path has ended with these outcomes.
    fn ended(&self, path: &Path, outcomes: &[Outcome]);
}

/// Who does not want to be told.
impl Observer for () {
    fn started(&self, _: &Path) {}
    fn ended(&self, _: &Path, _: &[Outcome]) {}
}

/// How to execute.
#[derive(Clone)]
pub struct Options {
    /// Number of worker threads.
    pub jobs: usize,
    /// What paths share.
    pub derived: Derived,
    /// What took processes down before.
    pub endings: Endings,
    /// Bytes of memory that paths which run at once may hold together.
    pub memory: u64,
    /// The programs among the methods.
    pub programs: Option<Arc<Programs>>,
    /// Whether trials have all the time that they take, whatever the limits of the experiment.
    pub patient: bool,
}

impl Options {
    /// In what memory is free, where nothing is known of earlier crashes and kills.
    pub fn new(jobs: usize, derived: Derived, programs: Option<Arc<Programs>>) -> Self {
        let (endings, memory) = (Endings::default(), free_memory());
        Self { jobs, derived, endings, memory, programs, patient: false }
    }
}

/// Runs the given paths of a plan. Returns whether all of them ran; if not, the user interrupted.
///
/// # Errors
/// If the sink can't keep an outcome, or there is no thread to work on.
pub fn execute(
    pool: &Pool<'_>,
    paths: &[&Path],
    options: &Options,
    sink: &Sink<'_>,
    observer: &dyn Observer,
) -> Result<bool, RunError> {
    keep_panics_quiet();
    let scored = |(path, shares)| Examples { pool, path, round: None, shares };
    let paths = queue::order(pool, paths);
    let queue: VecDeque<Examples<'_>> = pool.shared(paths).map(scored).collect();
    let exclusive = pool.experiment.exclusive;
    let workers = if exclusive { 1 } else { options.jobs.max(1) }.min(queue.len());
    let idle = if exclusive { 0 } else { options.jobs.saturating_sub(workers) };
    let run = Run {
        pool,
        options,
        cores: Cores::new(idle),
        reserve: Reserve::new(Amount { cores: options.jobs.max(1), memory: options.memory }),
        queue: Mutex::new(queue),
        failure: Mutex::new(None),
        sink,
        observer,
    };
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let run = &run;
            let thread = std::thread::Builder::new().name(TRIAL_THREAD.to_owned());
            match thread.spawn_scoped(scope, move || run.work(worker)) {
                Ok(_) => {}
                // Nobody would work.
                Err(cause) if worker == 0 => return Err(RunError::Thread(cause)),
                Err(cause) => {
                    log::warn!("{worker} of {workers} worker threads run: {cause}");
                    break;
                }
            }
        }
        Ok(())
    })?;
    match unwrap_mutex(run.failure) {
        Some(error) => Err(error.into()),
        None => Ok(unwrap_mutex(run.queue).is_empty() && !INTERRUPT.load(Ordering::Relaxed)),
    }
}

struct Run<'a> {
    pool: &'a Pool<'a>,
    options: &'a Options,
    cores: Cores,
    reserve: Reserve,
    queue: Mutex<VecDeque<Examples<'a>>>,
    failure: Mutex<Option<FileError>>,
    sink: &'a Sink<'a>,
    observer: &'a dyn Observer,
}

impl<'a> Run<'a> {
    fn work(&self, worker: usize) {
        let mut had_all_the_time = true;
        while let Some(examples) = self.next() {
            let path = examples.path;
            let begun = Instant::now();
            let Some(_reserved) = self.reserve.take(self.needed(path), &INTERRUPT) else { break };
            self.observer.started(path);
            // What is timed makes all that it needs.
            let kept = !self.pool.experiment.exclusive;
            let derived = if kept { self.options.derived.for_path() } else { Derived::default() };
            let outcomes = {
                let _running = self.options.endings.running(worker, path.id);
                self.path(&examples, &derived)
            };
            examples.end(self.options.programs.as_deref());
            let Some(outcomes) = outcomes else {
                if had_all_the_time {
                    self.options.endings.stopped(path.id, begun.elapsed());
                }
                break;
            };
            had_all_the_time = false;
            self.observer.ended(path, &outcomes);
            if let Err(error) = (self.sink)(path, outcomes) {
                *lock(&self.failure) = Some(error);
                break;
            }
            derived.forget_passing();
        }
        self.cores.release();
    }

    /// What is kept for a path while it runs: all memory, if the system has killed it before for want of it.
    fn needed(&self, path: &Path) -> Amount {
        let program = path.program.as_ref();
        let memory = match program {
            _ if self.options.endings.kills.of(path.id) > 0 => u64::MAX,
            Some(program) => program.memory.unwrap_or(0),
            None => path.memory,
        };
        Amount { cores: program.map_or(1, |program| program.threads), memory }
    }

    fn next(&self) -> Option<Examples<'a>> {
        if INTERRUPT.load(Ordering::Relaxed) || lock(&self.failure).is_some() {
            return None;
        }
        lock(&self.queue).pop_front()
    }

    /// The outcomes of a path's trials; none if the user interrupted it.
    fn path(&self, examples: &Examples<'_>, derived: &Derived) -> Option<Vec<Outcome>> {
        let path = examples.path;
        if self.options.endings.crashes.of(path.id) >= 2 {
            return Some(vec![crashed(); path.trials.len()]);
        }
        let kills = self.options.endings.kills.of(path.id);
        if kills >= TRIES {
            return Some(vec![killed(kills); path.trials.len()]);
        }
        let scored = self.fits(examples, derived)?;
        let mut rounds = vec![Vec::new(); scored.len()];
        for round in 0..path.inner.as_ref().map_or(0, Inner::rounds) {
            let examples = examples.of_round(round);
            let outcomes = self.fits(&examples, derived);
            examples.end(self.options.programs.as_deref());
            rounds.iter_mut().zip(outcomes?).for_each(|(rounds, outcome)| rounds.push(outcome));
        }
        Some(scored.into_iter().zip(rounds).map(|(scored, of)| validated(scored, &of)).collect())
    }

    /// What the trials of a path give on these of its examples; none if the user interrupted.
    fn fits(&self, examples: &Examples<'_>, derived: &Derived) -> Option<Vec<Outcome>> {
        let mut carry: Carry = None;
        let trials = || self.pool.plan.trials_of(examples.path);
        let parameters: Arc<[Parameters]> = trials().map(|one| one.parameters.clone()).collect();
        let mut outcomes = Vec::with_capacity(parameters.len());
        for trial in trials() {
            let attempt = || self.trial(examples, trial, &parameters, derived, &mut carry);
            let before = outcomes.last().map(Outcome::status);
            outcomes.push(if before == Some(Status::Timeout) {
                // What comes after a time-out would depend on the clock.
                Outcome::ended(Cause::Timeout, "the time limit passed earlier on its path")
            } else if before == Some(Status::OutOfMemory) {
                Outcome::ended(Cause::OutOfMemory, "memory was short earlier on its path")
            } else {
                match catch_unwind(AssertUnwindSafe(attempt)) {
                    Ok(Ok(outcome)) => outcome,
                    Ok(Err(error)) => Outcome::ended(error.cause()?, &error.to_string()),
                    Err(payload) => {
                        carry = None;
                        Outcome::ended(Cause::Panicked, &panic_message(payload.as_ref()))
                    }
                }
            });
        }
        Some(outcomes)
    }

    fn trial(
        &self,
        examples: &Examples<'_>,
        trial: &Trial,
        parameters: &Arc<[Parameters]>,
        derived: &Derived,
        carry: &mut Carry,
    ) -> Result<Outcome, Unmeasured> {
        let (path, data) = (examples.path, examples.divided()?);
        let trial = &examples.seeded(trial);
        let timeout = self.pool.experiment.parts[path.part].timeout;
        let timeout = timeout.filter(|_| !self.options.patient);
        let context = Context {
            split_seed: trial.seed,
            cores: self.cores.clone(),
            derived: derived.clone(),
            deadline: timeout.and_then(|limit| Instant::now().checked_add(limit)),
            path: parameters.clone(),
            interrupt: &INTERRUPT,
        };
        let ask = examples.ask(trial);
        let measured = match &path.program {
            None => {
                let (method, parameters) = (path.entry, &trial.parameters);
                let fitting = Fitting { method, parameters, ask: &ask, context: &context };
                data.measure(&fitting, carry)?
            }
            Some(program) => {
                let programs = self.options.programs.as_deref().ok_or_else(unprepared)?;
                let hand_over = examples.hand_over(program, &*data, programs)?;
                let handed = (&*data, &hand_over);
                programs.trial(handed, program, trial, &ask, timeout)?
            }
        };
        let Measured { metrics, times, mut examples, picture, predictions, lacks } = measured;
        examples.retain(|metric| self.pool.needs.of_trial(trial).examples.contains(metric));
        let (picture, predictions) = (picture.map(Box::new), predictions.map(Box::new));
        let lacks = lacks.iter().map(|(metric, why)| (metric, printable(why).into_owned()));
        let lacks = lacks.collect();
        let mut outcome =
            Outcome { metrics, times, examples, picture, predictions, lacks, ..Outcome::default() };
        outcome.judge();
        Ok(outcome)
    }
}

/// The outcome of a trial whose path took the process down twice.
pub fn crashed() -> Outcome {
    let message = "it took the process down twice; `--fresh` tries again";
    Outcome::ended(Cause::Crashed, message)
}

/// The outcome of a trial whose path the system killed so often for want of memory. Where there is more memory it may end
/// otherwise, so it is no result that is kept.
fn killed(times: u32) -> Outcome {
    let message = format!(
        "the system killed its process {times} times for want of memory; `--fresh` tries again, where there is more"
    );
    Outcome::ended(Cause::OutOfMemory, &message)
}

/// How often the journal is synced to the disk.
const SYNC: Duration = Duration::from_secs(1);

/// Calls `run` with a sink that journals; syncs the journal every second and once at the end.
///
/// # Errors
/// Those of `run`, or of the journal; or if there is no thread that syncs.
pub fn journaled<T>(
    journal: &Journal,
    plan: &Plan,
    run: impl FnOnce(&Sink<'_>) -> Result<T, RunError>,
) -> Result<T, RunError> {
    let failed = Mutex::new(None);
    let (working, ended) = mpsc::channel::<()>();
    let result = std::thread::scope(|scope| {
        let failed = &failed;
        let sink = |path: &Path, outcomes: Vec<Outcome>| {
            if let Some(error) = lock(failed).take() {
                return Err(error);
            }
            let keys = plan.trials_of(path).map(|trial| trial.key);
            journal.append(path.id, &keys.zip(&outcomes).collect::<Vec<_>>())
        };
        let sync = move || {
            while ended.recv_timeout(SYNC) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = journal.sync() {
                    *lock(failed) = Some(error);
                }
            }
        };
        std::thread::Builder::new().spawn_scoped(scope, sync).map_err(RunError::Thread)?;
        // Dropped, and so noticed by the other end, also when a panic passes here.
        let _working = working;
        run(&sink)
    });
    let result = result?;
    journal.sync()?;
    match lock(&failed).take() {
        Some(error) => Err(error.into()),
        None => Ok(result),
    }
}

/// A panicking trial is a result: it is recorded with its message instead of printed.
fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() == Some(TRIAL_THREAD) {
                log::error!("a trial {info}");
            } else {
                print(info);
            }
        }));
    });
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    format!("panicked: {text}")
}
