//! `reprise completions` and `reprise man`: made of the definition of the command line, so that they never say anything
//! else.

use std::path::{Path, PathBuf};

use base::durable;
use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{Cli, Exit, Failure, Global, render};

/// Print the completions of a shell
///
/// bash: `reprise completions bash > ~/.local/share/bash-completion/completions/reprise`;
/// zsh: a file `_reprise` in a folder of `$fpath`; fish: `~/.config/fish/completions/reprise.fish`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the man pages, one for each command, into a folder such as ~/.local/share/man/man1
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// The folder; it is made if it is not there
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// A page can't be written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("failed to write {}: {cause}", path.display())]
#[diagnostic(help("name a folder that can be written"))]
struct Unwritten {
    path: PathBuf,
    cause: std::io::Error,
}

/// The command line without the commands that reprise starts itself with.
fn shown() -> clap::Command {
    let all = Cli::command();
    let commands = all.get_subcommands().filter(|one| !one.is_hide_set()).cloned();
    let about = all.get_about().cloned().unwrap_or_default();
    clap::Command::new("reprise")
        .about(about)
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .args(all.get_arguments().cloned())
        .subcommands(commands)
}

/// Prints completions.
///
/// # Errors
/// If standard output can't be written.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut shown(), "reprise", &mut text);
    render::listing(&String::from_utf8_lossy(&text))
}

/// Writes the man pages.
///
/// # Errors
/// If one can't be written.
pub fn man(args: &ManArgs, global: &Global) -> Result<Exit, Failure> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |cause| Exit::Results.because()(Unwritten { path, cause })
    };
    durable::create_folders(&args.dir).map_err(failed(&args.dir))?;
    let pages = pages().map_err(failed(&args.dir))?;
    for (name, page) in &pages {
        let path = args.dir.join(name);
        durable::replace(&path, page).map_err(failed(&path))?;
    }
    global.say(&format!("wrote {} pages in {}", pages.len(), args.dir.display()));
    Ok(Exit::Fine)
}

/// The pages by the names of their files: that of the program, and those of its commands and their commands.
fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = shown();
    command.build();
    let mut pages = Vec::new();
    let mut left = vec![command];
    while let Some(command) = left.pop() {
        let page = clap_mangen::Man::new(command.clone());
        let mut bytes = Vec::new();
        page.render(&mut bytes)?;
        pages.push((page.get_filename(), bytes));
        let own = |one: &&clap::Command| one.get_name() != "help";
        left.extend(command.get_subcommands().filter(own).cloned());
    }
    pages.sort();
    Ok(pages)
}
