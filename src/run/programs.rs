//! The programs of a run, ready to be asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base::file_error::FileError;
use base::scratch::Scratch;
use contract::parameter::Parameters;
use contract::{Basis, Direction, FitError, MethodId, Metrics};
use program::{
    BatchName, Containment, Ending, Environments, Failure, HandOver, Limits, Prepared, Program,
    Reply, Request, Settings, Workers, contain,
};
use spec::Experiment;
use task::{Answered, Ask, Divided, Measured, Served};

use super::cause::Cause;
use super::interrupt::INTERRUPT;
use super::record::Trial;

/// Whose programs are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user's own, who knows what they do: they run within the bounds that the machine has.
    User,
    /// A stranger's: they run within all bounds that keep them in, or not at all.
    Stranger,
}

/// Where the environments of programs are kept, and whether any may be fetched.
#[derive(Debug, Clone, Copy)]
pub struct Cache<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// Whether no environment of an estimator may be fetched.
    pub offline: bool,
}

/// The programs of an experiment, their environments built.
pub struct Programs {
    prepared: BTreeMap<MethodId, Prepared>,
    /// Those that they may count.
    metrics: &'static Metrics,
    environments: Environments,
    workers: Workers,
    /// Holds what programs are handed.
    folder: Scratch,
    written: AtomicUsize,
}

impl Programs {
    /// Builds the environments of these methods' programs, and finds out what this machine can contain them by; none where
    /// there are no programs.
    ///
    /// # Errors
    /// If an environment can't be built, a command is not there, or the user interrupts.
    pub fn prepare(
        experiment: &Experiment,
        cache: Cache<'_>,
        author: Author,
        warn: &dyn Fn(&str),
    ) -> Result<Option<Self>, program::Error> {
        let programs = experiment.methods.iter().filter_map(|method| method.program.as_ref());
        let programs: Vec<&Arc<Program>> = programs.collect();
        if programs.is_empty() {
            return Ok(None);
        }
        let containment = contained(author, warn)?;
        let environments = Environments::new(cache.folder, &INTERRUPT)?;
        let mut prepared = BTreeMap::new();
        for program in programs {
            for place in program::mounts_below(&program.readable) {
                let (id, place) = (&program.id, place.display());
                warn(&format!(
                    "`{id}` does not see what is mounted at {place}; name it in `readable`"
                ));
            }
            if !program::is_built(cache.folder, program) {
                let id = program.id.clone();
                if cache.offline && program.is_estimator() {
                    return Err(program::Error::Offline(id));
                }
                let size = match program.is_estimator() && program.lock.is_none() {
                    true => ", with a download; it takes 390 MB",
                    false => "",
                };
                warn(&format!(
                    "the environment of `{id}` is not there yet: it is built now, once{size}"
                ));
            }
            let one = environments.prepare(program.clone())?;
            prepared.insert(program.id.clone(), one);
        }
        let in_scratch = FileError::on("create a folder in", std::env::temp_dir());
        let folder = Scratch::new().map_err(in_scratch)?;
        let workers = Workers::new(Settings {
            contain: contain::command(),
            folder: folder.path().join("workers"),
            containment,
            limits: Limits::default(),
            interrupt: &INTERRUPT,
        })?;
        let (metrics, written) = (&experiment.known.metrics, AtomicUsize::new(0));
        let all = Self { prepared, metrics, environments, workers, folder, written };
        for method in &experiment.methods {
            let prepared = all.prepared.get(&method.id);
            if let Some(prepared) = prepared.filter(|one| one.program.is_estimator()) {
                estimator::check((method, prepared), &all.workers, &all.next_folder())?;
            }
        }
        Ok(Some(all))
    }

    /// What programs are bound by.
    pub fn containment(&self) -> Containment {
        self.workers.containment()
    }

    /// What was installed for each program that has an environment, by the id of its method.
    pub fn packages(&self) -> BTreeMap<String, Vec<String>> {
        let with = self.prepared.iter().filter(|(_, prepared)| prepared.environment.is_some());
        with.map(|(method, prepared)| (method.to_string(), prepared.packages())).collect()
    }

    /// The devices that programs may use, by the id of their methods.
    pub fn devices(&self) -> BTreeMap<String, Vec<PathBuf>> {
        let of = |prepared: &Prepared| prepared.program.devices.clone();
        let all = self.prepared.iter().map(|(method, prepared)| (method.to_string(), of(prepared)));
        all.filter(|(_, devices)| !devices.is_empty()).collect()
    }

    /// The folder for the next hand-over, which does not exist yet.
    pub(crate) fn next_folder(&self) -> PathBuf {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        self.folder.path().join(format!("examples-{number}"))
    }

    /// The program of a method.
    pub(crate) fn prepared(&self, method: &MethodId) -> Result<&Prepared, FitError> {
        self.prepared.get(method).ok_or_else(unprepared)
    }

    /// A program with one thread more.
    pub(crate) fn wider(&self, program: &Program) -> Result<Prepared, program::Error> {
        let program = Program { threads: program.threads + 1, ..program.clone() };
        self.environments.prepare(program)
    }

    /// Asks a program, for as long as it takes.
    pub(crate) fn ask(
        &self,
        prepared: &Prepared,
        hand_over: &Arc<HandOver>,
        asked: &Request,
    ) -> Result<Reply, Unmeasured> {
        let answered = self.workers.ask(prepared, hand_over, asked);
        answered.map_err(|failure| self.unanswered(&failure, prepared))
    }

    /// Asks a program for a trial and measures its answers.
    pub(crate) fn trial(
        &self,
        (data, hand_over): (&dyn Divided, &Arc<HandOver>),
        program: &Program,
        trial: &Trial,
        ask: &Ask,
        timeout: Option<Duration>,
    ) -> Result<Measured, Unmeasured> {
        let served = served(data)?;
        let prepared = self.prepared(&program.id)?;
        let request = request(trial, served.asked(ask), timeout);
        let start = Instant::now();
        let reply = self.workers.ask(prepared, hand_over, &request);
        // Results keep its last line; all of it is for who mends the program.
        let reply = reply.inspect_err(|failure| {
            log::info!("{}: {}\n{}", trial.place(), failure, failure.log);
        });
        let judged = reply.and_then(|Reply { answers, seconds, metrics }| {
            let (trial, elapsed) = (trial.key, start.elapsed());
            let answered = Answered { trial, answers: &answers, seconds, elapsed };
            counted(&metrics, self.metrics, served.judge(&answered, ask)?)
        });
        judged.map_err(|failure| self.unanswered(&failure, prepared))
    }

    fn unanswered(&self, failure: &Failure, prepared: &Prepared) -> Unmeasured {
        let message = described(failure, prepared, self.folder.path());
        Unmeasured::Program { ending: failure.ending, message }
    }

    /// Ends the processes that know these examples.
    pub(crate) fn end_of(&self, hand_over: &HandOver) {
        self.workers.end_of(hand_over);
    }
}

/// The bounds that this machine has; what lacks is said.
fn contained(author: Author, warn: &dyn Fn(&str)) -> Result<Containment, program::Error> {
    let command = contain::command();
    let this = FileError::on("start", command.first().map(PathBuf::from).unwrap_or_default());
    let containment = Containment::of_this_machine(&command).map_err(this)?;
    let weaknesses = containment.weaknesses();
    if author == Author::Stranger && !weaknesses.is_empty() {
        return Err(program::Error::Weak(weaknesses));
    }
    let lacking: Vec<&str> = containment.lacking().iter().map(|bound| bound.word()).collect();
    if !lacking.is_empty() {
        let lacking = lacking.join(", ");
        warn(&format!("programs run without what this machine lacks: {lacking}"));
    }
    Ok(containment)
}

/// Adds what a program counted of itself: metrics of models that native methods report too.
fn counted(
    counts: &BTreeMap<String, f64>,
    known: &Metrics,
    mut measured: Measured,
) -> Result<Measured, Failure> {
    for (name, value) in counts {
        let own = known.get(name).filter(|metric| {
            metric.direction == Direction::Neutral && metric.basis == Basis::Model
        });
        let metric = own.filter(|metric| measured.metrics.get(metric.name).is_none()).ok_or_else(|| {
            let message = format!(
                "metrics.json names `{name}`; a program may report `iterations`, `nodes`, `parameters` and other counts \
                 of a model, and nothing that reprise measures"
            );
            Failure::new(Ending::BadAnswer, message)
        })?;
        measured.scalar(metric, *value);
    }
    Ok(measured)
}

/// Nothing was measured of a trial.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unmeasured {
    /// There is no fit, or no value of what was asked for.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A program gave no answers that count.
    #[error("{message}")]
    Program {
        /// How it ended.
        ending: Ending,
        /// What happened.
        message: String,
    },
}

impl Unmeasured {
    /// Why the trial did not end well; none if the user asked to stop.
    pub(crate) fn cause(&self) -> Option<Cause> {
        Some(match self {
            Self::Fit(FitError::Interrupted) => return None,
            Self::Program { ending: Ending::Interrupted, .. } => return None,
            Self::Fit(FitError::Timeout) => Cause::Timeout,
            Self::Fit(FitError::NotApplicable(_)) => Cause::NotApplicable,
            Self::Fit(
                FitError::Failed(_)
                | FitError::NoExamples
                | FitError::TooManyExamples { .. }
                | FitError::OtherKind { .. }
                | FitError::OtherVariables { .. }
                | FitError::NoSolution(_),
            ) => Cause::GaveUp,
            Self::Program { ending, .. } => Cause::Program(*ending),
        })
    }
}

/// What programs are handed of these examples, and asked.
///
/// # Errors
/// If the task has nothing for programs.
pub(crate) fn served(data: &dyn Divided) -> Result<&dyn Served, FitError> {
    data.served().ok_or_else(|| FitError::Failed("its task serves no programs".to_owned()))
}

pub(crate) fn unprepared() -> FitError {
    FitError::Failed("its program is not prepared".to_owned())
}

/// The request for a trial.
pub(crate) fn request(trial: &Trial, answer: Vec<BatchName>, seconds: Option<Duration>) -> Request {
    let parameters = parameters(&trial.parameters);
    Request { trial: trial.key, seed: seed(trial), parameters, seconds, answer }
}

/// What happened, without the folders of this machine and this run.
fn described(failure: &Failure, prepared: &Prepared, folder: &Path) -> String {
    let own = &*prepared.program.folder;
    let environment = prepared.environment.as_deref();
    [(Some(folder), "{run}"), (environment, "{env}"), (Some(own), ".")]
        .into_iter()
        .filter_map(|(folder, name)| Some((folder?.to_str()?, name)))
        .fold(failure.message.clone(), |message, (folder, name)| message.replace(folder, name))
}

/// A seed below 2^31, which every language holds, from the trial's of 256 bits.
fn seed(trial: &Trial) -> u32 {
    u32::from_le_bytes(trial.seed.first()) >> 1
}

fn parameters(parameters: &Parameters) -> serde_json::Map<String, serde_json::Value> {
    parameters.iter().map(|(name, value)| (name.to_owned(), serde_json::json!(value))).collect()
}

mod estimator;
