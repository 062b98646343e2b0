//! `reprise run`: from experiment files to sealed results.

use std::ffi::OsString;
use std::path::Path;

use ::run::Record;
use harness::run::{self, Ended, Listener, Options, Results};
use harness::submit::{Submitted, TooLong};
use harness::{Session, built_in};
use report::Report;

use super::executor::{self, absolute};
use super::interrupt::INTERRUPTED;
use super::session::{Execution, Experiments, Exports};
use super::{Exit, Failure, Global, progress};

/// Run experiments: fetch data, train, test, report and seal
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    pub experiments: Experiments,
    #[command(flatten)]
    pub execution: Execution,
    /// Forget what was computed before
    #[arg(long)]
    pub fresh: bool,
    /// Give up sealed trials that the experiment no longer has, as after another seed or parameter: without this a run
    /// that would lose them refuses
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    pub exports: Exports,
    #[command(flatten)]
    pub executor: executor::ExecutorArgs,
    /// Whether what a leak check calls suspicious is a check that failed.
    #[arg(skip)]
    pub strict: bool,
}

impl Args {
    fn options(&self) -> Options {
        Options {
            fresh: self.fresh,
            replace: self.replace,
            exports: self.exports.wanted(),
            ..self.execution.options()
        }
    }

    /// The arguments of a worker on an experiment file, and what a run that seals has beside them.
    fn elsewhere(&self, spec: &Path) -> (Vec<OsString>, Vec<OsString>) {
        let mut shared = vec![built_in::meant(spec).map_or_else(|| absolute(spec), Into::into)];
        shared.extend(self.experiments.from.arguments());
        shared.extend(self.execution.arguments());
        let Exports { png, pdf } = self.exports;
        let sealing = [(self.replace, "--replace"), (png, "--png"), (pdf, "--pdf")];
        let sealing = sealing.into_iter().filter(|(given, _)| *given);
        (shared, sealing.map(|(_, flag)| flag.into()).collect())
    }
}

/// Runs every experiment; all files are validated before the first one starts.
///
/// # Errors
/// Whatever stops a run; experiments before it are sealed.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let sessions = args.experiments.sessions();
    let sessions = sessions.map(|session| args.execution.of(session?, args.replace));
    let sessions = sessions.collect::<Result<Vec<_>, _>>()?;
    super::interrupt::on_signals();
    let options = args.options();
    let engine = args.executor.engine()?;
    let mut worst = Exit::Fine;
    for (session, spec) in sessions.iter().zip(&args.experiments.specs) {
        if let Some(engine) = &engine {
            let (shared, sealing) = args.elsewhere(spec);
            let elsewhere = (&*shared, &*sealing);
            let submitted = args.executor.submit(session, (&options, &**engine), elsewhere)?;
            if !matches!(submitted, Submitted::Done) {
                let too_long = tell(session, &submitted, global);
                worst = if too_long { Exit::TrialsFailed } else { worst };
                continue;
            }
        }
        match run_one(session, &options, args.strict, global)? {
            Exit::Interrupted => return Ok(Exit::Interrupted),
            Exit::Fine => {}
            exit => worst = exit,
        }
    }
    Ok(worst)
}

/// Tells the user what an engine was handed, and what takes longer than it gives; whether anything does.
fn tell(session: &Session, submitted: &Submitted, global: &Global) -> bool {
    let id = &session.experiment.id;
    let (what, too_long): (_, &[TooLong]) = match submitted {
        Submitted::Done => return false,
        Submitted::Running(chunks) => {
            (format!("{id}: workers are at work on the {chunks} chunks that are missing"), &[])
        }
        Submitted::TooLong(paths) => (format!("{id}: nothing was submitted"), paths),
        Submitted::Chunks { chunks, of, what, too_long } => {
            (format!("{id}: {chunks} of {of} chunks submitted: {what}"), too_long)
        }
    };
    global.say(&what);
    for TooLong { path, seconds } in too_long {
        global.warn(&format!(
            "{path}: stopped twice by the limit of time, at most after {seconds} s; it is submitted again once `time` is longer"
        ));
    }
    !too_long.is_empty()
}

fn run_one(
    session: &Session,
    options: &Options,
    strict: bool,
    global: &Global,
) -> Result<Exit, Failure> {
    let (id, dir) = (&session.experiment.id, session.dir.display());
    let listener =
        Listener { paths: &progress::of(id, global.quiet), warn: &|text| global.warn(text) };
    Ok(match run::run(session, options, &listener)? {
        Ended::AlreadySealed(records) => {
            let ended = failures(session, &records, global);
            global.say(&format!("{id}: already sealed in {dir}; --fresh recomputes"));
            let leaks = session.experiment.leak.is_some();
            let report = leaks.then(|| harness::report::sealed(session)).transpose()?;
            report.flatten().map_or(ended, |report| {
                global.show(&report.terminal);
                verdict(&report, strict, ended)
            })
        }
        Ended::Interrupted => {
            global.warn(INTERRUPTED);
            Exit::Interrupted
        }
        Ended::Sealed(results) => {
            let ended = conclude(session, &results, global);
            verdict(&results.report, strict, ended)
        }
    })
}

/// Tells the user what came out, and what to make of it.
fn conclude(session: &Session, results: &Results, global: &Global) -> Exit {
    let Results { records, report, manifest } = results;
    global.show(&report.terminal);
    report.valueless.iter().for_each(|id| global.warn(&format!("table {id} has no value")));
    let ended = failures(session, records, global);
    global.say(&format!(
        "{}: {} trials, sealed{} in {}\ndigest {}",
        session.experiment.id,
        records.len(),
        if manifest.complete { "" } else { " as incomplete" },
        session.dir.display(),
        manifest.digest,
    ));
    ended
}

/// Names the trials that failed, and may not.
fn failures(session: &Session, records: &[Record], global: &Global) -> Exit {
    let experiment = &session.experiment;
    let may_fail = |record: &Record| {
        experiment.methods.iter().any(|m| m.id == record.trial.method && m.may_fail)
    };
    let failed: Vec<&Record> = records
        .iter()
        .filter(|record| record.outcome.as_ref().is_some_and(|outcome| outcome.status().is_bad()))
        .filter(|record| !may_fail(record))
        .collect();
    for record in failed.iter().take(10) {
        let Some(outcome) = &record.outcome else { continue };
        global.warn(&format!(
            "{}: {}: {}",
            record.trial.place(),
            outcome.status().word(),
            outcome.complaint().replace('\n', "\n    ")
        ));
    }
    if failed.len() > 10 {
        global.warn(&format!("… and {} more failed trials: see trials.csv", failed.len() - 10));
    }
    if failed.is_empty() { Exit::Fine } else { Exit::TrialsFailed }
}

/// How a run ended; what leaks is a check that failed, and what is suspicious, where that is asked for.
fn verdict(report: &Report, strict: bool, ended: Exit) -> Exit {
    if report.leaking > 0 || strict && report.suspicious > 0 { Exit::CheckFailed } else { ended }
}
