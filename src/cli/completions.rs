//! `reprise completions` and `reprise man`: made of the definition of the command line, so that they never say anything
//! else.

use std::path::PathBuf;

use base::durable;
use base::file_error::FileError;
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
    let failed = FileError::with("write", &args.dir, "name a folder that can be written");
    durable::create_folders(&args.dir)
        .and_then(|()| clap_mangen::generate_to(shown(), &args.dir))
        .map_err(failed)
        .map_err(Exit::Results.because())?;
    global.say(&format!("wrote the pages in {}", args.dir.display()));
    Ok(Exit::Fine)
}
