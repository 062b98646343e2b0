//! `reprise schema`: the JSON Schemas of the files that people write.

use super::{Exit, Failure, render};
use data::registry;
use reprise::KNOWN;

/// Print the JSON Schema of experiment files
#[derive(Debug, clap::Args)]
pub struct Args {
    /// That of dataset registries instead
    #[arg(long)]
    datasets: bool,
}

/// Prints the schema.
///
/// # Errors
/// If standard output can't be written.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let schema = if args.datasets { registry::json_schema() } else { spec::json_schema(&KNOWN) };
    render::listing(&render::json(&schema))
}
