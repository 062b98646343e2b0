//! `reprise explain`: where a number comes from.

use std::path::PathBuf;

use harness::audit::Means;
use harness::explain::{Ask, explain};
use reprise::KNOWN;

use super::quantities::Expected;
use super::session::Limits;
use super::{DataOptions, Exit, Failure, Format, render};

/// Say where a number of sealed results comes from, down to its trials, and which commands make it again
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment's id, such as evm/table5, or the folder of its results
    #[arg(value_name = "ID")]
    id: String,
    /// A cell by the ids of its row and its column, such as nltcs,MEVM
    #[arg(long, value_name = "ROW,COLUMN", conflicts_with = "claim", value_parser = place)]
    cell: Option<(String, String)>,
    /// The table of the cell [default: the first that has it]
    #[arg(long, value_name = "ID", requires = "cell")]
    table: Option<String>,
    /// A claim by its id
    #[arg(long, value_name = "ID")]
    claim: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    #[command(flatten)]
    data: DataOptions,
    #[command(flatten)]
    limits: Limits,
}

/// A row and a column.
fn place(text: &str) -> Result<(String, String), Expected> {
    let (row, column) = text.split_once(',').ok_or(Expected("ROW,COLUMN, such as nltcs,MEVM"))?;
    Ok((row.to_owned(), column.to_owned()))
}

/// Explains.
///
/// # Errors
/// If there are no such results, or they have no such cell or claim.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let ask = match (&args.cell, &args.claim) {
        (Some((row, column)), _) => Ask::Cell(args.table.clone(), row.clone(), column.clone()),
        (None, Some(claim)) => Ask::Claim(claim.clone()),
        (None, None) => Ask::Experiment,
    };
    let means = Means::new(&KNOWN, args.data.config(), args.limits.max_trials);
    let found = explain(&args.results, &args.id, &ask, &means)?;
    render::listing(&match args.format {
        Format::Text => found.text(render::listing_width()),
        Format::Json => render::json(&found.json()),
    })
}
