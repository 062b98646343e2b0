//! The command line: arguments in, a library call, an exit code out. One file per subcommand.

mod audit;
mod check;
mod clean;
mod compare;
mod completions;
mod data;
mod executor;
mod experiments;
mod explain;
mod forecast;
mod init;
mod interrupt;
mod leak;
mod list;
mod merge;
mod methods;
mod plan;
mod power;
mod progress;
mod quantities;
mod render;
mod report;
mod run;
mod schema;
mod session;
mod worker;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

use ::report::Screen;
use base::printable::printable;
use program::contain::CONTAIN;

use executor::absolute;

/// The version, and the name of the distribution: other programs are called `reprise` too.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (reprise-harness)");

/// Re-runs the experiments of machine-learning papers and proves what it got.
#[derive(Debug, Parser)]
#[command(version = VERSION, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Plan(plan::Args),
    Leak(leak::Args),
    Worker(worker::Args),
    Merge(merge::Args),
    Report(report::Args),
    Audit(audit::Args),
    Explain(explain::Args),
    Power(power::Args),
    Compare(compare::Args),
    #[command(hide = true)]
    ExecutePath(audit::ExecuteArgs),
    /// Datasets: list, fetch, verify, find their files
    Data(data::Args),
    /// List the methods, or one of them with its parameters
    Methods(methods::Args),
    /// List the experiments below a folder of results
    List(list::Args),
    /// Show how the experiments below a folder of results stand: sealed, running, half done, with how many failed trials, and
    /// how long they took
    Status(list::Args),
    Clean(clean::Args),
    /// Print the JSON Schema of experiment files
    Schema(schema::Args),
    Init(init::Args),
    Experiments(experiments::Args),
    Completions(completions::Args),
    Man(completions::ManArgs),
}

impl Command {
    fn run(&self, global: &Global) -> Result<Exit, Failure> {
        match self {
            Self::Run(args) => run::run(args, global),
            Self::Plan(args) => plan::run(args, global),
            Self::Leak(args) => leak::run(args, global),
            Self::Worker(args) => worker::run(args, global),
            Self::Merge(args) => merge::run(args, global),
            Self::Report(args) => report::run(args, global),
            Self::Audit(args) => audit::run(args, global),
            Self::Explain(args) => explain::run(args),
            Self::Power(args) => power::run(args, global),
            Self::Compare(args) => compare::run(args),
            Self::ExecutePath(args) => audit::execute(args),
            Self::Data(args) => data::run(args, global),
            Self::Methods(args) => methods::run(args, global),
            Self::List(args) => list::list(args),
            Self::Status(args) => list::status(args),
            Self::Clean(args) => clean::run(args, global),
            Self::Schema(args) => schema::run(args),
            Self::Init(args) => init::run(args, global),
            Self::Experiments(args) => experiments::run(args, global),
            Self::Completions(args) => completions::run(args),
            Self::Man(args) => completions::man(args, global),
        }
    }
}

/// Options of every subcommand.
#[derive(Debug, Args)]
pub struct Global {
    /// Print errors and warnings only
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Which log messages go to standard error, such as `debug` or `reprise::data=trace`
    #[arg(long, global = true, value_name = "FILTER")]
    pub log: Option<String>,
}

impl Global {
    /// Prints what the user asked for.
    fn say(&self, text: &str) {
        if !self.quiet {
            // Results are in files: they do not depend on who listens.
            render::say(text);
        }
    }

    /// Prints what came out, as wide as the terminal is.
    fn show(&self, screen: &Screen) {
        self.say(&render::width().map_or_else(|| screen.to_string(), |width| screen.at(width)));
    }

    /// Prints what the user should know.
    fn warn(&self, text: &str) {
        render::complain(&format!("warning: {text}\n"));
    }
}

/// Where data comes from.
#[derive(Debug, Clone, Default, Args)]
pub struct DataOptions {
    /// Folder for downloaded files and derived artefacts [default: the platform's cache folder]
    #[arg(long, env = "REPRISE_CACHE", value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Folder or http(s) URL that holds each file at `<host>/<path of its url>`
    #[arg(long, env = "REPRISE_MIRROR", value_name = "DIR|URL")]
    pub mirror: Option<String>,
    /// Open no socket: only the cache and a folder mirror serve
    #[arg(long)]
    pub offline: bool,
    /// Dataset registry that is asked first, before datasets.toml beside the experiment or above it and the
    /// built-in one
    #[arg(long, value_name = "FILE")]
    pub registry: Option<PathBuf>,
    /// Folder with the local files of the datasets: those of results that were moved, or received
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

impl DataOptions {
    /// The arguments that say the same from any folder.
    fn arguments(&self) -> impl Iterator<Item = OsString> {
        let url = |mirror: &str| mirror.starts_with("http://") || mirror.starts_with("https://");
        let mirror = self.mirror.as_deref();
        let mirror = mirror.map(|it| if url(it) { it.into() } else { absolute(it.as_ref()) });
        let absolute = |path: &Option<PathBuf>| path.as_deref().map(absolute);
        given("--cache", absolute(&self.cache))
            .chain(given("--mirror", mirror))
            .chain(given("--registry", absolute(&self.registry)))
            .chain(given("--data-dir", absolute(&self.data_dir)))
            .chain(self.offline.then(|| "--offline".into()))
    }
}

/// An option with each of these values, as arguments.
fn given<V: Into<OsString>>(
    name: &'static str,
    values: impl IntoIterator<Item = V>,
) -> impl Iterator<Item = OsString> {
    values.into_iter().flat_map(move |value| [name.into(), value.into()])
}

/// How a listing is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Fine = 0,
    /// A check failed: results differ, or something leaks.
    CheckFailed = 1,
    /// The command line or the experiment file is wrong.
    Usage = 2,
    /// Data is unavailable or corrupt.
    Data = 3,
    /// Some trials failed.
    TrialsFailed = 4,
    /// Results can't be written, or are locked.
    Results = 5,
    /// The user interrupted.
    Interrupted = 130,
}

/// An error on its way to the user: the exit code, and a report that says what, where, what was
/// expected and what to do.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What the user reads.
    pub report: miette::Report,
}

/// What is logged unless `--log` says otherwise: what the drawing of pictures leaves out is no news.
const LOGGED: &str = "warn,usvg=error,tiny_skia=error";

/// Parses the command line, runs the subcommand, and reports its error if it has one.
fn main() -> ExitCode {
    // Before any thread is there: what comes of this process is a program within its limits.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|word| word == CONTAIN) {
        return program::contain::main(&arguments.collect::<Vec<_>>());
    }
    let cli = Cli::parse();
    env_logger::Builder::new()
        .parse_filters(cli.global.log.as_deref().unwrap_or(LOGGED))
        // As the logger's own, but for what a message may hold.
        .format(|out, record| {
            let message = record.args().to_string();
            let (level, target) = (record.level(), record.target());
            writeln!(out, "[{level:<5} {target}] {}", printable(&message))
        })
        .init();
    interrupt::limits_are_errors();
    let exit = cli.command.run(&cli.global).unwrap_or_else(|failure| {
        render::print(failure.report.as_ref());
        failure.exit
    });
    ExitCode::from(exit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    /// What clap only asserts in builds for debugging.
    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        Cli::command().debug_assert();
    }
}
