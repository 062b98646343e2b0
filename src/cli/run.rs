//! `reprise run`: from experiment files to sealed results.

use std::num::NonZeroUsize;

use ::run::only::Only;
use ::run::store::Shard;
use ::run::{Record, Status};
use base::layout::JOURNAL;
use base::parallel::available_cores;
use harness::Session;
use harness::run::{self, Ended, Listener, Options, Results};

use super::data::Bars;
use super::interrupt::INTERRUPTED;
use super::session::Experiments;
use super::{Exit, Failure, Global, progress};

/// Run experiments: fetch data, train, test, report and seal
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub experiments: Experiments,
    /// Worker threads [default: all cores]
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,
    /// Run only these trials, such as dataset=nltcs,method=MEVM; the results are sealed as
    /// incomplete
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub only: Option<Only>,
    /// Also run the options that the paper leaves open
    #[arg(long)]
    pub choices: bool,
    /// Run the I-th of N shares of the trials and only journal them; put all shares' .journal
    /// files into one folder and run once more to report and seal
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Forget what was computed before
    #[arg(long)]
    pub fresh: bool,
    /// Give up sealed trials that the experiment no longer has, as after another seed or parameter: without this a run
    /// that would lose them refuses
    #[arg(long)]
    pub replace: bool,
    /// Write figures as PNG too
    #[arg(long)]
    pub png: bool,
}

/// A number of worker threads.
fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "expected a whole number from 1; without --jobs all cores are used".to_owned())
}

impl Args {
    fn options(&self) -> Options {
        Options {
            jobs: self.jobs.map_or_else(available_cores, usize::from),
            only: self.only.clone(),
            choices: self.choices.into(),
            shard: self.shard,
            fresh: self.fresh,
            replace: self.replace,
            png: self.png,
            ..Options::default()
        }
    }
}

/// Runs every experiment; all files are validated before the first one starts.
///
/// # Errors
/// Whatever stops a run; experiments before it are sealed.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let sessions = args.experiments.sessions().collect::<Result<Vec<_>, _>>()?;
    super::interrupt::on_signals();
    let options = args.options();
    let mut worst = Exit::Fine;
    for session in &sessions {
        match run_one(session, &options, global)? {
            Exit::Interrupted => return Ok(Exit::Interrupted),
            Exit::Fine => {}
            exit => worst = exit,
        }
    }
    Ok(worst)
}

fn run_one(session: &Session, options: &Options, global: &Global) -> Result<Exit, Failure> {
    let (id, dir) = (&session.experiment.id, session.dir.display());
    let listener = Listener {
        fetch: &Bars::default(),
        paths: &progress::of(id, global.quiet),
        warn: &|text| global.warn(text),
    };
    Ok(match run::run(session, options, &listener)? {
        Ended::AlreadySealed => {
            global.say(&format!("{id}: already sealed in {dir}; --fresh recomputes"));
            Exit::Fine
        }
        Ended::Interrupted => {
            global.warn(INTERRUPTED);
            Exit::Interrupted
        }
        Ended::Journaled(paths) => {
            let shard = options
                .shard
                .map_or_else(String::new, |Shard { index, of }| format!(" of shard {index}/{of}"));
            let journal = session.dir.join(JOURNAL);
            global.say(&format!("{id}: {paths} paths{shard} are in {}", journal.display()));
            Exit::Fine
        }
        Ended::Sealed(results) => conclude(session, &results, global),
    })
}

/// Tells the user what came out, and what to make of it.
fn conclude(session: &Session, results: &Results, global: &Global) -> Exit {
    let experiment = &session.experiment;
    let Results { records, report, manifest } = results;
    global.say(&report.terminal);
    let may_fail = |record: &Record| {
        experiment.methods.iter().any(|m| m.id == record.trial.method && m.may_fail)
    };
    let failed: Vec<&Record> = records
        .iter()
        .filter(|record| {
            record.outcome.as_ref().is_some_and(|outcome| {
                matches!(
                    outcome.status,
                    Status::Failed | Status::Nonfinite | Status::Timeout | Status::Crashed
                )
            })
        })
        .filter(|record| !may_fail(record))
        .collect();
    for record in failed.iter().take(10) {
        let Some(outcome) = &record.outcome else { continue };
        global.warn(&format!(
            "{}: {}: {}",
            record.trial.place(),
            outcome.status.word(),
            outcome.complaint()
        ));
    }
    if failed.len() > 10 {
        global.warn(&format!("… and {} more failed trials: see trials.csv", failed.len() - 10));
    }
    global.say(&format!(
        "{}: {} trials, sealed{} in {}\ndigest {}",
        experiment.id,
        records.len(),
        if manifest.complete { "" } else { " as incomplete" },
        session.dir.display(),
        manifest.digest,
    ));
    if failed.is_empty() { Exit::Fine } else { Exit::TrialsFailed }
}
