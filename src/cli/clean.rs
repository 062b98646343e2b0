//! `reprise clean`: removes what runs left and nothing needs.

use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};

use base::file_error::FileError;
use base::words::Worded as _;
use data::{DataConfig, Library};
use harness::clean::{Kind, Waste, waste};
use indicatif::HumanBytes;
use report::sheet::Sheet;

use super::render::listing_width;
use super::{Exit, Failure, Global, render};

/// Remove what runs left and nothing needs: journals of sealed experiments, artefacts that are made again, pieces of
/// downloads, unfinished environments, scratch of killed programs. Asks first; never touches what is sealed
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// Folder for downloaded files and derived artefacts [default: the platform's cache folder]
    #[arg(long, env = "REPRISE_CACHE", value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Remove without asking
    #[arg(long)]
    yes: bool,
}

/// Says what can go, asks, and removes it.
///
/// # Errors
/// If something can't be read or removed.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let config = DataConfig { cache: args.cache.clone(), ..DataConfig::default() };
    let library = Library::open(&config, None)?;
    let help = "check its permissions; what was named before it is removed already";
    let failed = |what: &'static str, path: &Path| FileError::with(what, path.to_owned(), help);
    let found = waste(&args.results, library.cache()).map_err(failed("read", &args.results));
    let found = found.map_err(Exit::Results.because())?;
    if found.is_empty() {
        global.say("nothing to remove");
        return Ok(Exit::Fine);
    }
    render::listing(&listing(&found))?;
    if !args.yes && !agreed() {
        global.say("nothing was removed");
        return Ok(Exit::Fine);
    }
    for one in &found {
        one.remove().map_err(failed("remove", &one.path)).map_err(Exit::Results.because())?;
    }
    global.say(&format!("removed: {} are free", HumanBytes(total(&found))));
    Ok(Exit::Fine)
}

fn total<'w>(found: impl IntoIterator<Item = &'w Waste>) -> u64 {
    found.into_iter().map(|one| one.bytes).sum()
}

/// A line for each kind, and one for all.
fn listing(found: &[Waste]) -> String {
    let of_kind =
        |kind: Kind| -> Vec<&Waste> { found.iter().filter(|one| one.kind == kind).collect() };
    let mut rows: Vec<(&str, Vec<&Waste>)> =
        Kind::WORDS.iter().map(|(word, kind)| (word, of_kind(kind))).collect();
    rows.retain(|(_, all)| !all.is_empty());
    rows.push(("in all", found.iter().collect()));
    type Row<'r> = &'r (&'r str, Vec<&'r Waste>);
    Sheet::of("", &rows)
        .number("", "number", |(_, all): Row| all.len())
        .shown("what", |(what, _)| *what)
        .number("", "size", |(_, all)| HumanBytes(total(all.iter().copied())).to_string())
        .shown("where", |(_, all)| place(all))
        .sheet()
        .terminal(listing_width())
}

/// Where all of them lie, if that is one folder or journals below one.
fn place(all: &[&Waste]) -> Option<String> {
    let first = all.first()?;
    let folder = first.path.parent().unwrap_or(&first.path);
    let one_kind = all.iter().all(|one| one.kind == first.kind);
    let same = all.iter().all(|one| one.path.parent() == first.path.parent());
    let more = if same || first.kind != Kind::Journals { "" } else { " and others" };
    one_kind.then(|| format!("{}{more}", folder.display()))
}

/// Whether the user says yes; no answer is none.
fn agreed() -> bool {
    let mut out = std::io::stderr();
    let _ = write!(out, "Remove all this? [y/N] ").and_then(|()| out.flush());
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}
