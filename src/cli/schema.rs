//! `reprise schema`: the JSON Schema of experiment files.

use super::{Exit, Failure, render};
use method::METHODS;
use spec::json_schema;

/// Print the JSON Schema of experiment files
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Prints the schema.
///
/// # Errors
/// If standard output can't be written.
pub fn run(_: &Args) -> Result<Exit, Failure> {
    render::listing(&render::json(&json_schema(METHODS, &report::KINDS)))
}
