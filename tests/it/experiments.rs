//! The experiment files of the repository on generated data: each can be planned without files and network.

use std::process::Command;

#[test]
fn experiments_on_generated_data_need_no_file() {
    let cache = tempfile::tempdir().unwrap();
    for file in [
        "quickstart",
        "evm/theorem44",
        "evm/theorem44-subsets",
        "idf/examples",
        "idf/recovery",
        "idf/scaling",
        "tep/figure1",
        "tep/figure2",
        "apt/theorem1",
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_reprise"))
            .args([
                "plan",
                &format!("experiments/{file}.toml"),
                "--offline",
                "--choices",
                "--cache",
            ])
            .arg(cache.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
