//! `reprise methods check FILE METHOD`: what the answers of a program depend on.

use std::path::PathBuf;

use base::text::real;
use data::DataConfig;
use harness::Session;
use harness::planned::Planned;
use program::Determinism;
use report::sheet::Sheet;
use reprise::KNOWN;
use run::check::{CheckError, Checked, Finding, Moved, check};
use run::plan::{MAX_TRIALS, WithChoices};
use run::programs::Author;

use super::render::listing_width;
use super::session::overlay;
use super::{DataOptions, Exit, Failure, Global, render};

/// Ask a method that is a program for one trial again and again, and say what its answers depend on
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment file
    #[arg(value_name = "FILE")]
    spec: PathBuf,
    /// Id of the method
    #[arg(value_name = "METHOD")]
    method: String,
    /// Set a key of the file, as `run` does; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Start the program of a file that lies in sealed results, which may be a stranger's
    #[arg(long)]
    trust: bool,
    #[command(flatten)]
    data: DataOptions,
}

/// The method can't be checked.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("`{method}` can't be checked: {why}")]
#[diagnostic(help(
    "name a `[[method]]` of kind \"command\", and see that it answers: `reprise run FILE --only method={method}`"
))]
struct Unchecked {
    method: String,
    why: CheckError,
}

/// Checks the method.
///
/// # Errors
/// If the file is wrong, its data can't be had, or the method does not answer.
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let config: DataConfig = args.data.config();
    let overlay = overlay(&args.settings)?;
    let overlay = overlay.as_ref();
    let nowhere = PathBuf::new();
    let session = Session::open(&KNOWN, &args.spec, None, overlay, &nowhere, &config, MAX_TRIALS)?;
    let session = session.trusting(args.trust);
    let planned = Planned::new(&session, WithChoices::No, None)?;
    let warn = |text: &str| global.warn(text);
    let programs = session.programs(session.library.cache(), Author::User, &warn)?;
    let checked = check(&planned.pool(), programs.as_deref(), &args.method.as_str().into());
    let unchecked = |why| Unchecked { method: args.method.clone(), why };
    let checked = checked.map_err(unchecked).map_err(Exit::Usage.because())?;
    render::listing(&text(&checked))?;
    Ok(if checked.holds() { Exit::Fine } else { Exit::CheckFailed })
}

fn promise(determinism: Determinism) -> String {
    match determinism {
        Determinism::Bitwise => "determinism = \"bitwise\"".to_owned(),
        Determinism::Tolerance(most) => {
            format!("determinism = \"tolerance\" with tolerance = {}", real(most))
        }
        Determinism::Stochastic => "determinism = \"stochastic\"".to_owned(),
    }
}

fn text(checked: &Checked) -> String {
    let moved = |moved: &Moved| match moved {
        Moved::Not => "the same bits".to_owned(),
        Moved::Labels(others, rows) => format!("{others} of {rows} labels are others"),
        Moved::Numbers(most) => format!("numbers differ by up to {}", real(*most)),
        Moved::Failed(why) => why.to_string(),
    };
    let findings = Sheet::of("", &checked.findings)
        .shown("change", |finding: &Finding| finding.change.word())
        .shown("answers", |finding| moved(&finding.moved))
        .sheet();
    let mut verdict = match checked.most() {
        None => "it can promise nothing: it does not always answer".to_owned(),
        Some(most) => format!("it can promise {}", promise(most)),
    };
    if !checked.holds() {
        verdict += &format!("; its [[method]] promises {}", promise(checked.declared));
    }
    if checked.keeps_state() {
        verdict +=
            "\nits process keeps something from trial to trial: reset it, or say mode = \"once\"";
    }
    format!("{}\n\n{}\n{verdict}\n", checked.place, findings.terminal(listing_width()))
}
