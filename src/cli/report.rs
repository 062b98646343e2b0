//! `reprise report`: tables, figures and claims from stored trials; never trains.

use super::data::Bars;
use super::session::Experiments;
use super::{Exit, Failure, Global};

/// Write tables, figures and claims from the stored trials; never trains
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub experiments: Experiments,
    /// Write figures as PNG too
    #[arg(long)]
    pub png: bool,
}

/// Reports on every experiment.
///
/// # Errors
/// If there is nothing stored, the stored results are not as sealed, or outputs can't be written.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    super::interrupt::on_signals();
    for session in args.experiments.sessions() {
        let report = harness::report::report(&session?, args.png, &Bars::default())?;
        global.say(&report.terminal);
    }
    Ok(Exit::Fine)
}
