//! The experiment files of the repository on generated data: each can be planned without files and network.

use std::path::Path;

use reprise::data::DataConfig;
use reprise::data::library::Silent;
use reprise::harness::Session;
use reprise::run::plan::{MAX_TRIALS, WithChoices};

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
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("experiments/{file}.toml"));
        let cache = Some(cache.path().to_owned());
        let data = DataConfig { cache, offline: true, ..DataConfig::default() };
        let session = Session::open(&file, None, Path::new("results"), &data, MAX_TRIALS).unwrap();
        let plan = session.plan(&session.datasets(&Silent).unwrap(), WithChoices::Yes).unwrap();
        assert!(!plan.trials.is_empty(), "{}", file.display());
    }
}
