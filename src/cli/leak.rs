//! `reprise leak`: whether something tells a method the labels of the test examples.

use super::{Exit, Failure, Global, run};

/// Check experiments for leaks: copies and groups across divisions, permuted labels, answers that depend on what they
/// are asked with. Results go to <id>@leak; exit code 1 if something leaks. `--only part=given` looks at the tables alone
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: run::Args,
    /// How often labels are permuted, at least 99 [default: what [leak] says, else 99]
    #[arg(long, value_name = "N")]
    permutations: Option<u64>,
    /// Level of the tests [default: what [leak] says, else 0.001]
    #[arg(long, value_name = "LEVEL")]
    alpha: Option<f64>,
    /// Exit code 1 for what is suspicious too
    #[arg(long)]
    strict: bool,
}

/// Runs the leak check of every experiment.
///
/// # Errors
/// As [`run::run`].
pub fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let mut of = args.run.clone();
    let permutations = args.permutations.map(|n| format!("leak.permutations={n}"));
    let alpha = args.alpha.map(|alpha| format!("leak.alpha={}", base::text::real(alpha)));
    of.experiments.from.check_for_leaks(permutations.into_iter().chain(alpha));
    of.strict = args.strict;
    run::run(&of, global)
}
