//! `reprise plan`: what a run would do, and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use base::digest::Digest;
use base::layout::JOURNAL;
use data::library::{FileStatus, Whence};
use harness::Session;
use harness::sealed::Sealed;
use run::estimate::Estimates;
use run::needs::Needs;
use run::plan::{Plan, WithChoices};
use run::record::join;
use run::trials_csv::Row;
use run::why::Earlier;
use run::{Outcome, Trial, journal, select, trials_csv};

use super::data::Bars;
use super::progress::human;
use super::session::Experiments;
use super::{Exit, Failure, Format, render};

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
/// If a file is wrong, stored results are not as they were sealed, or data that lies here is
/// corrupt.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    for session in args.experiments.sessions() {
        render::listing(&plan_one(&session?, args)?)?;
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

fn plan_one(session: &Session, args: &Args) -> Result<String, Failure> {
    let ids = session.dataset_ids();
    let absent: Vec<_> = session
        .library
        .plan_fetch(&ids)?
        .into_iter()
        .filter(|file| matches!(file.whence, Whence::Network | Whence::Missing))
        .collect();
    if !absent.is_empty() {
        return Ok(to_fetch(&session.experiment.id, &absent, args.format));
    }
    let choices = WithChoices::from(args.choices);
    let plan = session.plan(&session.datasets(&Bars::default())?, choices)?;
    let stored = Stored::read(session)?;
    let needs = Needs::of(&session.experiment, plan.trials.iter());
    let earlier = Earlier::new(stored.rows());
    let mut lines: BTreeMap<(String, String), Line> = BTreeMap::new();
    let mut expected = Some(Duration::ZERO);
    let records = select::records(&session.experiment, &plan, &stored.outcomes, &needs);
    for record in &records {
        let trial = &record.trial;
        let line = lines.entry((trial.dataset.clone(), trial.method.clone())).or_default();
        line.trials += 1;
        if needs.met_by(record) {
            line.done += 1;
        } else {
            *line.reasons.entry(earlier.why(trial)).or_default() += 1;
            expected = expected.zip(stored.seconds(trial)).map(|(sum, more)| sum + more);
        }
    }
    // Of what is stored it is known already which cells differ from the paper's.
    report::check_differences(&session.experiment, &records, &|id| session.title(id))
        .map_err(harness::Error::from)?;
    let lost = stored.sealed.map_or(0, |sealed| sealed.lost(&plan, None).len());
    Ok(listing(session, &plan, &lines, expected, lost, args.format))
}

fn to_fetch(id: &str, absent: &[FileStatus], format: Format) -> String {
    match format {
        Format::Text => {
            let bytes: u64 = absent.iter().filter_map(|file| file.bytes).sum();
            let unknown = absent.iter().any(|file| file.bytes.is_none());
            let more = if unknown { " and files of unknown size" } else { "" };
            let mut text = format!("{id}: {} files to fetch, {bytes} bytes{more}\n", absent.len());
            for file in absent {
                let size = file.bytes.map_or("size unknown".to_owned(), |n| format!("{n} bytes"));
                let _ = writeln!(text, "  {} ({size}) {}", file.dataset, file.url);
            }
            text + "The trials are planned once the data is here: reprise data fetch\n"
        }
        Format::Json => {
            let files = absent.iter().map(
                |file| json!({ "dataset": file.dataset, "url": file.url, "bytes": file.bytes }),
            );
            format!("{}\n", json!({ "experiment": id, "fetch": files.collect::<Vec<_>>() }))
        }
    }
}

/// What earlier runs left.
struct Stored {
    /// What is sealed.
    sealed: Option<Sealed>,
    /// The rows of a `trials.csv` that is not: they tell what changed.
    unsealed: Vec<Row>,
    /// What a run would not compute again: what is journaled or sealed.
    outcomes: BTreeMap<Digest, Arc<Outcome>>,
    /// How long trials took.
    estimates: Estimates,
}

impl Stored {
    fn read(session: &Session) -> Result<Self, Failure> {
        let finished = journal::read(&session.dir.join(JOURNAL), session.metrics());
        let finished = finished.map_err(Exit::Results.because())?;
        let mut outcomes = finished.outcomes;
        let sealed = Sealed::read(session)?;
        let unsealed = match &sealed {
            Some(sealed) => {
                for (key, outcome) in sealed.outcomes() {
                    join(&mut outcomes, key, outcome);
                }
                Vec::new()
            }
            None if session.dir.join(base::layout::TRIALS).exists() => {
                let rows = trials_csv::read(&session.dir, session.metrics());
                rows.map_err(Exit::CheckFailed.because())?
            }
            None => Vec::new(),
        };
        let mut stored = Self { sealed, unsealed, outcomes, estimates: Estimates::default() };
        stored.estimates = Estimates::of(stored.rows());
        Ok(stored)
    }

    fn rows(&self) -> &[Row] {
        self.sealed.as_ref().map_or(&self.unsealed, |sealed| &sealed.rows)
    }

    fn seconds(&self, trial: &Trial) -> Option<Duration> {
        Duration::try_from_secs_f64(self.estimates.trial(trial)?).ok()
    }
}

fn listing(
    session: &Session,
    plan: &Plan,
    lines: &BTreeMap<(String, String), Line>,
    expected: Option<Duration>,
    lost: usize,
    format: Format,
) -> String {
    let id = &session.experiment.id;
    let done: usize = lines.values().map(|line| line.done).sum();
    match format {
        Format::Text => {
            let (trials, paths) = (plan.trials.len(), plan.paths.len());
            let mut text = format!("{id}: {trials} trials in {paths} paths, {done} done\n");
            let widest = |least: usize, of: fn(&(String, String)) -> &String| {
                lines.keys().map(|key| of(key).chars().count()).fold(least, usize::max)
            };
            let (wide, narrow) =
                (widest(20, |(dataset, _)| dataset), widest(12, |(_, method)| method));
            for ((dataset, method), line) in lines {
                let reasons: Vec<String> =
                    line.reasons.iter().map(|(why, n)| format!("{n} to run: {why}")).collect();
                let reasons =
                    if reasons.is_empty() { "done".to_owned() } else { reasons.join(", ") };
                let trials = line.trials;
                let _ = writeln!(
                    text,
                    "  {dataset:<wide$} {method:<narrow$} {trials:>5} trials  {reasons}"
                );
            }
            if lost > 0 {
                let _ = writeln!(
                    text,
                    "{lost} sealed trials are no trials of this file: `run` refuses to lose them without --replace."
                );
            }
            text + &match expected {
                _ if done == trials => "Nothing to run.\n".to_owned(),
                Some(time) => format!("Earlier timings say {} on one core.\n", human(time)),
                None => "No earlier timings for some of these: no estimate.\n".to_owned(),
            }
        }
        Format::Json => format!(
            "{}\n",
            json!({
                "experiment": id,
                "trials": plan.trials.len(),
                "paths": plan.paths.len(),
                "done": done,
                "lost": lost,
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
