//! `reprise power`: what could have been shown.

use super::session::Experiments;
use super::{Exit, Failure, Format, Global, render};

/// Say, for each claim that a test decides, the smallest difference that it would have shown with probability .8, and
/// how many units what matters needs. Never trains
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    experiments: Experiments,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Prints a table for each experiment.
///
/// # Errors
/// If there is nothing stored, or the stored results are not as sealed.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    for session in args.experiments.sessions() {
        let sheet = harness::report::power(&session?)?;
        match args.format {
            Format::Json => drop(render::listing(&render::json(&sheet.json()))?),
            Format::Text if sheet.rows.is_empty() => global.say("no claim is decided by a test\n"),
            Format::Text => global.say(&sheet.terminal(render::listing_width())),
        }
    }
    Ok(Exit::Fine)
}
