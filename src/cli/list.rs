//! `reprise list` and `reprise status`: the experiments below a folder of results, and how they stand.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base::file_error::FileError;
use base::printable::printable_name;
use base::words::Worded as _;
use harness::standing::{self, Standing, State, Trials};
use report::sheet::Sheet;
use reprise::KNOWN;

use super::progress::human;
use super::{Exit, Failure, Format, render};

/// Which results, and how to print them.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn below(folder: &Path) -> Result<Vec<Standing>, Failure> {
    let failed = FileError::with("list", folder, "name a folder of results: --results DIR");
    standing::below(folder).map_err(failed).map_err(Exit::Usage.because())
}

/// Lists the experiments.
///
/// # Errors
/// If the folder can't be read.
pub fn list(args: &Args) -> Result<Exit, Failure> {
    let standings = below(&args.results)?;
    let digest = |one: &Standing| one.manifest.as_ref().map(|manifest| manifest.digest);
    let sheet = Sheet::of("", &standings)
        .text("experiment", "experiment", |one: &Standing| printable_name(&one.id))
        .text("state", "state", |one| one.state.word())
        .value("digest", |one| digest(one).map(|digest| digest.to_string()))
        .shown("digest", |one| digest(one).map(|digest| digest.short()))
        .text("title", "title", |one| &*one.title)
        .empty("-");
    render::listing(&printed(&sheet.sheet(), args.format, &args.results))
}

fn printed(sheet: &Sheet, format: Format, folder: &Path) -> String {
    match format {
        Format::Text if sheet.rows.is_empty() => {
            format!("no experiments below {}\n", folder.display())
        }
        _ => render::sheet(sheet, format),
    }
}

/// Says how the experiments stand.
///
/// # Errors
/// If the folder can't be read.
pub fn status(args: &Args) -> Result<Exit, Failure> {
    let standings = below(&args.results)?;
    let now = SystemTime::now();
    let all: Vec<(&Standing, Option<Trials>)> =
        standings.iter().map(|one| (one, one.trials(&KNOWN.catalogue.metrics))).collect();
    let ago = |one: &Standing| one.written.and_then(|written| now.duration_since(written).ok());
    let took =
        |trials: Trials| Duration::try_from_secs_f64(trials.totals.seconds).unwrap_or_default();
    let since = |at: SystemTime| at.duration_since(SystemTime::UNIX_EPOCH).ok();
    let sheet = Sheet::of("", all.iter().copied())
        .text("experiment", "experiment", |(one, _): (&Standing, Option<Trials>)| {
            printable_name(&one.id)
        })
        .text("state", "state", |(one, _)| one.state.word())
        .value("trials", |(_, trials)| trials.map(|trials| trials.totals.done))
        .value("planned", |(_, trials)| trials.and_then(|trials| trials.planned))
        .shown("trials", |(_, trials)| {
            trials.map(|Trials { totals, planned }| match planned {
                Some(planned) => format!("{} of {planned}", totals.done),
                None => totals.done.to_string(),
            })
        })
        .number("failed", "failed", |(_, trials)| trials.map(|trials| trials.totals.failed))
        .number("running", "running", |(one, _)| one.running)
        .value("seconds", |(_, trials)| trials.map(|trials| trials.totals.seconds))
        .shown("took", |(_, trials)| trials.map(|trials| human(took(trials))))
        .value("written", |(one, _)| one.written.and_then(since).map(|since| since.as_secs()))
        .shown("written", |(one, _)| ago(one).map(|ago| format!("{} ago", coarse(ago))))
        .empty("-")
        .notes([counts(&standings)]);
    render::listing(&printed(&sheet.sheet(), args.format, &args.results))
}

/// How many stand how, and what columns mean.
fn counts(standings: &[Standing]) -> String {
    let count = |state: State| standings.iter().filter(|one| one.state == state).count();
    let counts = State::WORDS.iter().filter(|(_, state)| count(*state) > 0);
    let counts = counts.map(|(word, state)| format!("{} {word}", count(state)));
    format!(
        "{}; `running` trials are claimed by workers; `took` is the time of all trials on one core",
        counts.collect::<Vec<_>>().join(", ")
    )
}

/// A length of time in its largest unit.
fn coarse(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..86400 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86400),
    }
}
