//! `reprise plan`: what a run would do, and why.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use crate::data::library::Whence;
use crate::math::digest::Digest;
use crate::run::plan::{Plan, WithChoices};
use crate::run::store::JOURNAL;
use crate::run::trials_csv::Row;
use crate::run::{Status, Trial, journal, trials_csv, why};

use super::progress::human;
use super::session::{Experiments, Session};
use super::{Exit, Failure, Format};

/// Show what would run and why, which data would be fetched, and how long it may take
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub experiments: Experiments,
    /// Also plan the options that the paper leaves open
    #[arg(long)]
    pub choices: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Plans every experiment.
///
/// # Errors
/// If a file is wrong, or data that lies here is corrupt.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    for session in args.experiments.sessions() {
        let session = session?;
        plan_one(&session, args)?;
    }
    Ok(Exit::Fine)
}

/// Trials of one method on one dataset.
#[derive(Debug, Default)]
struct Line {
    trials: usize,
    done: usize,
    reasons: BTreeMap<String, usize>,
}

fn plan_one(session: &Session, args: &Args) -> Result<(), Failure> {
    let ids = session.dataset_ids();
    let absent: Vec<_> = session
        .library
        .plan_fetch(&ids)?
        .into_iter()
        .filter(|file| matches!(file.whence, Whence::Network | Whence::Missing))
        .collect();
    if !absent.is_empty() {
        let bytes: u64 = absent.iter().filter_map(|file| file.bytes).sum();
        match args.format {
            Format::Text => {
                println!(
                    "{}: {} files to fetch, {bytes} bytes",
                    session.experiment.id,
                    absent.len()
                );
                for file in &absent {
                    println!("  {} ({} bytes) {}", file.dataset, file.bytes.unwrap_or(0), file.url);
                }
                println!("The trials are planned once the data is here: reprise data fetch");
            }
            Format::Json => println!(
                "{}",
                json!({
                    "experiment": session.experiment.id,
                    "fetch": absent.iter().map(|file| json!({
                        "dataset": file.dataset, "url": file.url, "bytes": file.bytes,
                    })).collect::<Vec<_>>(),
                })
            ),
        }
        return Ok(());
    }
    let choices = WithChoices::from(args.choices);
    let plan = session.plan(&session.datasets()?, choices)?;
    let stored = Stored::read(session)?;
    let mut lines: BTreeMap<(String, String), Line> = BTreeMap::new();
    let mut expected = Some(Duration::ZERO);
    for trial in &plan.trials {
        let line = lines.entry((trial.dataset.clone(), trial.method.clone())).or_default();
        line.trials += 1;
        if stored.has(trial) {
            line.done += 1;
        } else {
            *line.reasons.entry(why::why(trial, &stored.rows)).or_default() += 1;
            expected = expected.zip(stored.seconds(trial)).map(|(sum, more)| sum + more);
        }
    }
    print(session, &plan, &lines, expected, args.format);
    Ok(())
}

/// What earlier runs left.
struct Stored {
    rows: BTreeMap<Digest, Row>,
    finished: journal::Finished,
    /// Mean seconds of a trial, by dataset and method.
    seconds: BTreeMap<(String, String), (f64, usize)>,
}

impl Stored {
    fn read(session: &Session) -> Result<Self, Failure> {
        let (finished, _) =
            journal::read(&session.dir.join(JOURNAL)).map_err(Exit::Results.because())?;
        let rows = if session.dir.join(trials_csv::TRIALS).exists() {
            trials_csv::read(&session.dir).map_err(Exit::CheckFailed.because())?
        } else {
            BTreeMap::new()
        };
        let mut seconds: BTreeMap<(String, String), (f64, usize)> = BTreeMap::new();
        for row in rows.values() {
            let times = row.outcome.iter().flat_map(|outcome| &outcome.times);
            let total: f64 =
                times.filter(|(name, _)| *name != "time:iteration").map(|(_, value)| value).sum();
            let column = |name: &str| row.columns.get(name).cloned().unwrap_or_default();
            let entry = seconds.entry((column("dataset"), column("method"))).or_default();
            *entry = (entry.0 + total, entry.1 + 1);
        }
        Ok(Self { rows, finished, seconds })
    }

    fn has(&self, trial: &Trial) -> bool {
        let row = self.rows.get(&trial.key).and_then(|row| row.outcome.as_ref());
        let outcome = self.finished.outcomes.get(&trial.key).or(row);
        outcome.is_some_and(|outcome| outcome.status != Status::Timeout)
    }

    fn seconds(&self, trial: &Trial) -> Option<Duration> {
        let (total, n) = self.seconds.get(&(trial.dataset.clone(), trial.method.clone()))?;
        Duration::try_from_secs_f64(total / *n as f64).ok()
    }
}

fn print(
    session: &Session,
    plan: &Plan,
    lines: &BTreeMap<(String, String), Line>,
    expected: Option<Duration>,
    format: Format,
) {
    let id = &session.experiment.id;
    let done: usize = lines.values().map(|line| line.done).sum();
    match format {
        Format::Text => {
            println!(
                "{id}: {} trials in {} paths, {done} done",
                plan.trials.len(),
                plan.paths.len()
            );
            for ((dataset, method), line) in lines {
                let reasons: Vec<String> =
                    line.reasons.iter().map(|(why, n)| format!("{n} to run: {why}")).collect();
                let reasons =
                    if reasons.is_empty() { "done".to_owned() } else { reasons.join(", ") };
                println!("  {dataset:<20} {method:<12} {:>5} trials  {reasons}", line.trials);
            }
            match expected {
                _ if done == plan.trials.len() => println!("Nothing to run."),
                Some(time) => println!("Earlier timings say {} on one core.", human(time)),
                None => println!("No earlier timings for some of these: no estimate."),
            }
        }
        Format::Json => println!(
            "{}",
            json!({
                "experiment": id,
                "trials": plan.trials.len(),
                "paths": plan.paths.len(),
                "done": done,
                "expected_seconds": expected.map(|time| time.as_secs_f64()),
                "methods": lines.iter().map(|((dataset, method), line)| json!({
                    "dataset": dataset,
                    "method": method,
                    "trials": line.trials,
                    "done": line.done,
                    "to_run": line.reasons,
                })).collect::<Vec<_>>(),
            })
        ),
    }
}
