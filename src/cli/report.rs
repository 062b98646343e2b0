//! `reprise report`: tables, figures and claims from stored trials; never trains.

use std::path::PathBuf;

use super::session::{Exports, From};
use super::{Exit, Failure, Format, Global, render};

/// Write tables, figures, claims and the page from the stored trials; without a file, the scorecard over all results.
/// Never trains
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Experiment files; without one the scorecard is written, `index.html` in the folder of the results
    #[arg(value_name = "SPEC")]
    specs: Vec<PathBuf>,
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    exports: Exports,
    /// How to print the scorecard
    #[arg(long, value_enum, default_value_t, conflicts_with = "specs")]
    format: Format,
}

/// Reports on every experiment, or on all results together.
///
/// # Errors
/// If there is nothing stored, the stored results are not as sealed, or outputs can't be written.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    super::interrupt::on_signals();
    if args.specs.is_empty() {
        let scorecard = harness::scorecard::write(&args.from.results)?;
        return match args.format {
            Format::Json => render::listing(&render::json(&scorecard.json())),
            Format::Text => {
                global.say(&scorecard.text(render::listing_width()));
                Ok(Exit::Fine)
            }
        };
    }
    for spec in &args.specs {
        let session = args.from.session(spec)?;
        let report = harness::report::report(&session, args.exports.wanted())?;
        global.show(&report.terminal);
    }
    Ok(Exit::Fine)
}
