//! `reprise experiments`: what is built in, for a binary without a checkout.

use std::path::PathBuf;

use harness::built_in;
use report::sheet::Sheet;
use spec::Header;

use super::{Exit, Failure, Format, Global, init, render};

/// List the experiments that are built in, which `run` takes by their ids; or copy one out
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Copy this one, with the files that it names, to be changed
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The folder that it is copied into
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// No experiment of this id is built in.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("no experiment `{0}` is built in")]
#[diagnostic(help("`reprise experiments` lists those that are"))]
struct NotBuiltIn(String);

/// Lists the experiments, or copies one out.
///
/// # Errors
/// If there is none of this id, or its files can't be written.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let Some(id) = &args.id else { return list(args.format) };
    if built_in::file(&built_in::path(id)).is_none() {
        return Err(Exit::Usage.because()(NotBuiltIn(id.clone())));
    }
    let files = built_in::files(id);
    init::write(&args.dir, &files)?;
    let file = args.dir.join(built_in::path(id));
    global.say(&format!("wrote {id} and what it names\nnext:\n  reprise run {}\n", file.display()));
    Ok(Exit::Fine)
}

fn list(format: Format) -> Result<Exit, Failure> {
    let titled = built_in::experiments()
        .map(|(path, text)| (path.trim_end_matches(".toml"), Header::of(text.as_bytes())));
    let all: Vec<_> = titled.collect();
    let sheet = Sheet::of("", &all)
        .text("experiment", "experiment", |(id, _): &(&'static str, Header)| *id)
        .text("paper", "paper", |(_, header)| &*header.paper)
        .text("title", "title", |(_, header)| &*header.title)
        .empty("-");
    render::listing(&render::sheet(&sheet.sheet(), format))
}
