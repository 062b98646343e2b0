//! `reprise report`: tables, figures and claims from stored trials; never trains.

use std::path::PathBuf;

use super::data::Bars;
use super::session::From;
use super::{Exit, Failure, Global};

/// Write tables, figures, claims and the page from the stored trials; without a file, the scorecard over all results.
/// Never trains
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Experiment files; without one the scorecard is written, `index.html` in the folder of the results
    #[arg(value_name = "SPEC")]
    specs: Vec<PathBuf>,
    #[command(flatten)]
    from: From,
    /// Write figures as PNG too
    #[arg(long)]
    png: bool,
}

/// Reports on every experiment, or on all results together.
///
/// # Errors
/// If there is nothing stored, the stored results are not as sealed, or outputs can't be written.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    super::interrupt::on_signals();
    if args.specs.is_empty() {
        let scorecard = harness::scorecard::write(&args.from.results)?;
        global.say(&scorecard.text(super::render::listing_width()));
        return Ok(Exit::Fine);
    }
    for session in args.from.sessions(&args.specs) {
        let report = harness::report::report(&session?, args.png, &Bars::default())?;
        global.show(&report.terminal);
    }
    Ok(Exit::Fine)
}
