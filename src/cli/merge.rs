//! `reprise merge`: results that have no folder in common, brought together.

use std::path::PathBuf;

use harness::merge;
use reprise::KNOWN;

use super::{Exit, Failure, Global};

/// Bring together what workers journaled, or runs sealed, in several trees of results; `reprise run` then seals
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Trees of results, which are left as they are
    #[arg(required = true, value_name = "DIR")]
    trees: Vec<PathBuf>,
    /// The tree of results that takes it all
    #[arg(long, value_name = "RESULTS", default_value = "results")]
    into: PathBuf,
}

/// Merges.
///
/// # Errors
/// If a tree can't be read, or nothing can be written.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    for merged in merge::merge(&args.trees, &args.into, &KNOWN.catalogue.metrics)? {
        if let Some(first) = merged.contradictions.first() {
            let [one, other] = &first.segments;
            global.warn(&format!(
                "{}: {} trials came out in two ways, such as {}: {} in {one}.journal and in {other}.journal; `reprise \
                 run` refuses them where their method promises its bits",
                merged.id,
                merged.contradictions.len(),
                first.key.short(),
                first.what,
            ));
        }
        global.say(&format!(
            "{}: {} journals added, {} trials in {}",
            merged.id,
            merged.added,
            merged.trials,
            merged.dir.display(),
        ));
    }
    Ok(Exit::Fine)
}
