//! `reprise compare`: what differs between two results.

use std::path::PathBuf;

use harness::versus::compare;
use reprise::KNOWN;

use super::{Exit, Failure, render};

/// Say what differs between two results folders, or two trees of them: trials, cells, claims, ranks, inputs
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A results folder, or a tree of them
    #[arg(value_name = "A")]
    left: PathBuf,
    /// The other
    #[arg(value_name = "B")]
    right: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// End with code 1 if something moved
    #[arg(long)]
    exit_code: bool,
}

/// How a comparison is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// For a terminal.
    #[default]
    Text,
    /// For programs.
    Json,
    /// A page of its own.
    Html,
}

/// Compares.
///
/// # Errors
/// If one of the two holds no results.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let comparison = compare(&args.left, &args.right, &KNOWN.catalogue.metrics)?;
    render::listing(&match args.format {
        Format::Text => comparison.text(render::listing_width()),
        Format::Json => render::json(&serde_json::json!(comparison)),
        Format::Html => comparison.page(),
    })?;
    Ok(if args.exit_code && comparison.moved() { Exit::CheckFailed } else { Exit::Fine })
}
