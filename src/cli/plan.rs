//! `reprise plan`: what a run would do, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use report::sheet::Sheet;
use serde_json::json;

use base::layout::JOURNAL;
use contract::{DatasetId, MethodId, PartId};
use data::library::{FileStatus, Whence};
use harness::Session;
use harness::planned::Planned;
use harness::sealed::Sealed;
use run::estimate::Estimates;
use run::needs::Needs;
use run::outcome::{Outcomes, join};
use run::plan::{Plan, Remark, WithChoices};
use run::programs::Author;
use run::why::Earlier;
use run::{Record, journal, trials_csv};
use spec::{MethodSpec, Origin};

use super::progress::human;
use super::session::{Experiments, Together};
use super::{Exit, Failure, Format, Global, render};

/// Show what would run and why, which data would be fetched, and how long it may take
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub experiments: Experiments,
    /// Also plan the options that the paper leaves open
    #[arg(long)]
    pub choices: bool,
    #[command(flatten)]
    pub universes: Together,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Plans every experiment.
///
/// # Errors
/// If a file is wrong, stored results are not as they were sealed, or data that lies here is
/// corrupt.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    for session in args.experiments.sessions() {
        render::listing(&plan_one(&args.universes.of(session?, false)?, args, global)?)?;
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

fn plan_one(session: &Session, args: &Args, global: &Global) -> Result<String, Failure> {
    let ids = session.dataset_ids();
    let absent: Vec<_> = session
        .library
        .plan_fetch(&ids)?
        .into_iter()
        .filter(|file| matches!(file.whence, Whence::Network | Whence::Missing))
        .collect();
    if !absent.is_empty() {
        return Ok(to_fetch(session, &absent, args.format));
    }
    let planned = Planned::new(session, WithChoices::from(args.choices), None)?;
    let Planned { plan, needs, .. } = &planned;
    let stored = Stored::read(session)?;
    let (earlier, estimates) = (Earlier::new(stored.rows()), Estimates::of(stored.rows()));
    let mut lines: BTreeMap<(DatasetId, MethodId), Line> = BTreeMap::new();
    let mut expected = Some(Duration::ZERO);
    let records = planned.records(&stored.outcomes);
    for record in &records[..plan.own] {
        let trial = &record.trial;
        let line = lines.entry((trial.dataset.clone(), trial.method.clone())).or_default();
        line.trials += 1;
        if needs.met_by(record) {
            line.done += 1;
        } else {
            *line.reasons.entry(earlier.why(trial)).or_default() += 1;
            let seconds = estimates.trial(trial);
            let more = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            expected = expected.zip(more).map(|(sum, more)| sum + more);
        }
    }
    let unchecked = unchecked(session, global)?;
    // Of what is stored it is known already which cells differ from the paper's.
    report::check_differences(&session.experiment, &records[..plan.own], &|id| session.title(id))
        .map_err(harness::Error::from)?;
    let lost = stored.sealed.map_or(0, |sealed| sealed.lost(plan, None).len());
    let universes = beside(session, plan, &records[plan.own..], (needs, &estimates));
    let mut remarks: Vec<String> = plan.remarks.iter().map(remark).collect();
    remarks.extend(unchecked);
    Ok(listing(session, (plan, universes), &lines, (expected, lost), &remarks, args.format))
}

/// What universes have beside all else, for programs and for people; none if no universe runs.
fn beside(
    session: &Session,
    plan: &Plan,
    records: &[Record],
    (needs, estimates): (&Needs, &Estimates),
) -> Option<(serde_json::Value, String)> {
    // One that is drawn may be there already.
    let universes = session.universes.iter().map(|universe| &universe.options);
    let universes = universes.collect::<BTreeSet<_>>().len();
    let trials = records.len();
    if universes == 0 {
        return None;
    }
    let drawn = session.universes.iter().filter(|universe| universe.origin == Origin::Random);
    let (random, paths) = (drawn.count(), plan.paths.len() - own_paths(plan));
    let (done, missing): (Vec<&Record>, Vec<&Record>) =
        records.iter().partition(|record| needs.met_by(record));
    // Options that cost more than the chosen ones are met in other universes.
    let elsewhere = Estimates::of(done.iter().copied());
    let trial =
        |record: &&Record| elsewhere.trial(&record.trial).or(estimates.trial(&record.trial));
    let seconds = missing.iter().map(trial).sum::<Option<f64>>();
    let done = done.len();
    // On one core.
    let expected = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let json = json!({
        "universes": universes, "random": random, "paths": paths, "trials": trials, "done": done,
        "expected_seconds": expected.map(|time| time.as_secs_f64()),
    });
    let takes = match expected {
        _ if done == trials => "nothing to run".to_owned(),
        Some(time) => format!("{} by earlier timings on one core", human(time)),
        None => "no earlier timings for some".to_owned(),
    };
    let text = format!(
        "{universes} universes, of {random} draws at random: {trials} trials beside those in {paths} \
         paths, {done} done, {takes}.\n"
    );
    Some((json, text))
}

/// How many paths there are beside those of universes.
fn own_paths(plan: &Plan) -> usize {
    plan.paths.iter().filter(|path| path.trials[0] < plan.own).count()
}

/// Asks the estimators whether they could be, where their environments are built; what was not asked is said.
fn unchecked(session: &Session, global: &Global) -> Result<Option<String>, Failure> {
    let estimators =
        |method: &MethodSpec| method.program.as_ref().is_some_and(|p| p.is_estimator());
    if !session.experiment.methods.iter().any(estimators) {
        return Ok(None);
    }
    if session.untrusted {
        let why = "parameters of estimators not checked: their code lies in sealed results";
        return Ok(Some(why.to_owned()));
    }
    let unbuilt = session.unbuilt();
    if !unbuilt.is_empty() {
        let of = unbuilt.join(", ");
        return Ok(Some(format!("{of}: parameters not checked: environment not built")));
    }
    let warn = |text: &str| global.warn(text);
    session.programs(session.library.cache(), Author::User, &warn)?;
    Ok(None)
}

fn to_fetch(session: &Session, absent: &[FileStatus], format: Format) -> String {
    let id = &session.experiment.id;
    let text =
        |file: &FileStatus| file.bytes.map_or("unknown".to_owned(), |n| format!("{n} bytes"));
    let files = Sheet::of("", absent)
        .text("dataset", "dataset", |file: &FileStatus| &*file.dataset)
        .number("", "size", text)
        .text("url", "from", |file| &*file.url)
        .value("bytes", |file| file.bytes)
        .sheet();
    if format == Format::Json {
        return render::json_line(&json!({ "experiment": id, "fetch": files.json() }));
    }
    let bytes: u64 = absent.iter().filter_map(|file| file.bytes).sum();
    let unknown = absent.iter().any(|file| file.bytes.is_none());
    let more = if unknown { " and files of unknown size" } else { "" };
    let local = |file: &FileStatus| file.whence == Whence::Missing;
    let cure = match absent.iter().all(local) && !session.library.is_offline() {
        true => "put each file there, or name the folder that has them with --data-dir",
        false => "reprise data fetch",
    };
    format!(
        "{id}: {} files to fetch, {bytes} bytes{more}\n{}The trials are planned once the data is here: {cure}\n",
        absent.len(),
        files.terminal(render::listing_width())
    )
}

/// What earlier runs left.
struct Stored<'s> {
    /// What is sealed.
    sealed: Option<Sealed<'s>>,
    /// The rows of a `trials.csv` that is not: they tell what changed.
    unsealed: Vec<Record>,
    /// What a run would not compute again: what is journaled or sealed.
    outcomes: Outcomes,
}

impl<'s> Stored<'s> {
    fn read(session: &'s Session) -> Result<Self, Failure> {
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
        Ok(Self { sealed, unsealed, outcomes })
    }

    fn rows(&self) -> &[Record] {
        self.sealed.as_ref().map_or(&self.unsealed, |sealed| &sealed.rows)
    }
}

fn listing(
    session: &Session,
    (plan, universes): (&Plan, Option<(serde_json::Value, String)>),
    lines: &BTreeMap<(DatasetId, MethodId), Line>,
    (expected, lost): (Option<Duration>, usize),
    remarks: &[String],
    format: Format,
) -> String {
    let id = &session.experiment.id;
    let done: usize = lines.values().map(|line| line.done).sum();
    let (universes, beside) = universes.unzip();
    let (paths, trials) = (own_paths(plan), plan.own);
    type Row<'r> = (&'r (DatasetId, MethodId), &'r Line);
    let methods = Sheet::of("", lines)
        .text("dataset", "dataset", |((dataset, _), _): Row| &**dataset)
        .text("method", "method", |((_, method), _)| &**method)
        .number("trials", "trials", |(_, line)| line.trials)
        .number("done", "done", |(_, line)| line.done)
        .value("to_run", |(_, line)| json!(line.reasons))
        .shown("to run", |(_, line)| {
            let reasons = line.reasons.iter().map(|(why, n)| format!("{n} to run: {why}"));
            reasons.collect::<Vec<_>>().join(", ")
        })
        .sheet();
    if format == Format::Json {
        let expected = expected.map(|time| time.as_secs_f64());
        return render::json_line(&json!({
            "experiment": id,
            "trials": trials,
            "paths": paths,
            "done": done,
            "lost": lost,
            "expected_seconds": expected,
            "methods": methods.json(),
            "universes": universes,
            "remarks": remarks,
        }));
    }
    let lost = match lost {
        0 => String::new(),
        lost => format!(
            "{lost} sealed trials are no trials of this file: `run` refuses to lose them without --replace.\n"
        ),
    };
    let takes = match expected {
        _ if done == trials => "Nothing to run.".to_owned(),
        Some(time) => format!("Earlier timings say {} on one core.", human(time)),
        None => "No earlier timings for some of these: no estimate.".to_owned(),
    };
    let methods = methods.terminal(render::listing_width());
    let remarks: String = remarks.iter().map(|remark| format!("{remark}.\n")).collect();
    let beside = beside.unwrap_or_default();
    format!(
        "{id}: {trials} trials in {paths} paths, {done} done\n{methods}{remarks}{lost}{takes}\n{beside}"
    )
}

/// What is to be said of a dataset, and in which part if there are several.
fn remark((part, dataset, remark): &(PartId, DatasetId, Remark)) -> String {
    let part = if part.is_empty() { String::new() } else { format!(" ({part})") };
    format!("{dataset}{part}: {remark}")
}
