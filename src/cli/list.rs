//! `reprise list` and `reprise status`: the experiments below a folder of results, and how they stand.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base::text::columns;
use harness::standing::{self, Standing, State, Trials};
use reprise::KNOWN;
use serde_json::{Value, json};

use super::progress::human;
use super::render::listing_width;
use super::{Exit, Failure, Format, render};

/// List the experiments below a folder of results
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Show how the experiments below a folder of results stand: sealed, running, half done, with how many failed trials, and
/// how long they took
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The results can't be listed.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("cannot list {}: {cause}", folder.display())]
#[diagnostic(help("name a folder of results: --results DIR"))]
struct Unlisted {
    folder: PathBuf,
    cause: std::io::Error,
}

fn below(folder: &Path) -> Result<Vec<Standing>, Failure> {
    standing::below(folder)
        .map_err(|cause| Exit::Usage.because()(Unlisted { folder: folder.to_owned(), cause }))
}

/// Lists the experiments.
///
/// # Errors
/// If the folder can't be read.
pub fn list(args: &ListArgs) -> Result<Exit, Failure> {
    let standings = below(&args.results)?;
    let digest = |one: &Standing| one.manifest.as_ref().map(|manifest| manifest.digest);
    let header = ["experiment", "state", "digest", "title"].map(str::to_owned);
    let rows = standings.iter().map(|one| {
        let short = digest(one).map_or("-".to_owned(), |digest| digest.short());
        [one.id.clone(), one.state.word().to_owned(), short, one.title.clone()]
    });
    render::listing(&match args.format {
        Format::Text if standings.is_empty() => nothing(&args.results),
        Format::Text => {
            columns(&[header].into_iter().chain(rows).collect::<Vec<_>>(), &[], listing_width())
        }
        Format::Json => render::json(
            &standings
                .iter()
                .map(|one| {
                    json!({
                        "experiment": one.id,
                        "state": one.state.word(),
                        "digest": digest(one).map(|digest| digest.to_string()),
                        "title": one.title,
                    })
                })
                .collect(),
        ),
    })
}

fn nothing(folder: &Path) -> String {
    format!("no experiments below {}\n", folder.display())
}

/// Says how the experiments stand.
///
/// # Errors
/// If the folder can't be read.
pub fn status(args: &StatusArgs) -> Result<Exit, Failure> {
    let standings = below(&args.results)?;
    let now = SystemTime::now();
    let all: Vec<(&Standing, Option<Trials>)> =
        standings.iter().map(|one| (one, one.trials(&KNOWN.catalogue.metrics))).collect();
    render::listing(&match args.format {
        Format::Text if all.is_empty() => nothing(&args.results),
        Format::Text => text(&all, now),
        Format::Json => {
            render::json(&all.iter().map(|(one, trials)| value(one, *trials)).collect())
        }
    })
}

fn text(all: &[(&Standing, Option<Trials>)], now: SystemTime) -> String {
    let header = ["experiment", "state", "trials", "failed", "running", "took", "written"]
        .map(str::to_owned);
    let rows = all.iter().map(|(one, trials)| {
        let of = |number: &dyn Fn(Trials) -> String| trials.map_or("-".to_owned(), number);
        let ago = one.written.and_then(|written| now.duration_since(written).ok());
        [
            one.id.clone(),
            one.state.word().to_owned(),
            of(&|trials| trials.done.to_string()),
            of(&|trials| trials.failed.to_string()),
            one.running.to_string(),
            of(&|trials| human(Duration::try_from_secs_f64(trials.seconds).unwrap_or_default())),
            ago.map_or("-".to_owned(), |ago| format!("{} ago", coarse(ago))),
        ]
    });
    let mut text =
        columns(&[header].into_iter().chain(rows).collect::<Vec<_>>(), &[2, 3, 4], listing_width());
    let count = |state: State| all.iter().filter(|(one, _)| one.state == state).count();
    let states = [State::Sealed, State::Incomplete, State::Running, State::HalfDone, State::Broken];
    let counts = states.into_iter().filter(|state| count(*state) > 0);
    let counts = counts.map(|state| format!("{} {}", count(state), state.word()));
    text += &format!(
        "\n{}; `running` trials are claimed by workers; `took` is the time of all trials on one core\n",
        counts.collect::<Vec<_>>().join(", ")
    );
    text
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

fn value(one: &Standing, trials: Option<Trials>) -> Value {
    let written = one.written.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    json!({
        "experiment": one.id,
        "state": one.state.word(),
        "trials": trials.map(|trials| trials.done),
        "failed": trials.map(|trials| trials.failed),
        "running": one.running,
        "seconds": trials.map(|trials| trials.seconds),
        "written": written.map(|since| since.as_secs()),
    })
}
