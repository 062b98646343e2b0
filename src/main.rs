//! The `reprise` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    reprise::cli::main()
}
