//! A build without the papers' methods says what it lacks.

use std::path::Path;

use reprise::KNOWN;
use reprise::data::DataConfig;
use reprise::harness::{Error, Session};
use reprise::run::plan::MAX_TRIALS;

#[test]
fn an_experiment_of_a_paper_says_how_to_get_its_methods() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/quickstart.toml");
    let data = DataConfig::default();
    let error = Session::open(&KNOWN, &file, None, None, Path::new("results"), &data, MAX_TRIALS);
    let Err(Error::Spec(errors)) = error else { panic!("{error:?}") };
    let said = reprise::document::render::text(&errors, false);
    assert!(said.contains("there is no method of kind `mevm`"), "{said}");
    assert!(said.contains("built without the feature `papers`"), "{said}");
    assert!(said.contains("there is `"), "{said}");
}
