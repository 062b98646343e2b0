//! The experiment files of the repository on generated data: each can be planned without files and network.

use std::path::Path;

use reprise::KNOWN;
use reprise::data::DataConfig;
use reprise::document::render::text as text_of;
use reprise::harness::{Session, built_in};
use reprise::run::plan::{MAX_TRIALS, WithChoices};
use reprise::spec::MovesTo;

use crate::support::results::rows;

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn every_experiment_file_is_valid_under_each_of_its_profiles() {
    let data = DataConfig { offline: true, ..DataConfig::default() };
    let mut opened = 0;
    for (name, text) in built_in::experiments() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments").join(name);
        let table: toml::Table = text.parse().unwrap();
        let profiles = table.get("profile").and_then(|profiles| profiles.as_table());
        let profiles = profiles.into_iter().flatten().map(|(name, _)| Some(name.as_str()));
        for profile in profiles.chain([None]) {
            let session = Session::open(
                &KNOWN,
                &file,
                profile,
                None,
                Path::new("results"),
                &data,
                MAX_TRIALS,
            );
            let errors = session.err().map(|error| text_of(&error, false));
            assert_eq!(errors, None, "{name} {profile:?}");
            opened += 1;
        }
    }
    assert!(opened > 30, "{opened}");
}

/// Beside each claim that holds where the paper's procedure finds nothing stands one of ours by a test, with a margin.
#[test]
fn what_is_not_found_has_a_claim_of_equivalence_beside_it() {
    let mut guarded = 0;
    for (name, text) in built_in::experiments() {
        let table: toml::Table = text.parse().unwrap();
        let claims = table.get("claim").and_then(|claims| claims.as_array());
        let claims: Vec<(&str, &str, &toml::Table)> = claims
            .into_iter()
            .flatten()
            .map(|claim| {
                let text = |key: &str| claim[key].as_str().unwrap();
                (text("id"), text("source"), claim["check"].as_table().unwrap())
            })
            .collect();
        let by_procedure = |of: &toml::Value| {
            of.get("significant").and_then(|by| by.get("procedure")?.as_str()) == Some("paper")
        };
        let by_margin = |check: &toml::Table| {
            check.get("equivalent").is_some_and(|of| of.get("significant").is_some())
                || check.get("wins").is_some_and(|of| of.get("matters").is_some())
        };
        for (id, _, check) in &claims {
            let nothing = |(form, of): (&String, &toml::Value)| {
                let none = of.get("exactly").and_then(toml::Value::as_integer) == Some(0);
                by_procedure(of) && (["ties", "rank"].contains(&form.as_str()) || none)
            };
            if !check.iter().any(nothing) {
                continue;
            }
            let beside = |source: &str| {
                let named = source.strip_prefix("ours, beside ");
                named.is_some_and(|named| named.split(" and ").any(|one| one == *id))
            };
            let known = claims.iter().any(|(_, source, check)| beside(source) && by_margin(check));
            assert!(known, "{name}: {id}");
            guarded += 1;
        }
    }
    assert!(guarded >= 5, "{guarded}");
}

/// The name by which links call a heading: in lower case, without punctuation, spaces as hyphens.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn documents_that_explain_differences_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = DataConfig { offline: true, ..DataConfig::default() };
    let mut named = 0;
    for (name, _) in built_in::experiments() {
        let file = root.join("experiments").join(name);
        let session =
            Session::open(&KNOWN, &file, None, None, Path::new("results"), &data, MAX_TRIALS)
                .unwrap();
        for document in
            session.experiment.differences.iter().filter_map(|one| one.shows.document.as_ref())
        {
            let (file, heading) = document.split_once('#').unwrap();
            let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
            let mut headings = text.lines().filter(|line| line.starts_with('#'));
            let there = headings.any(|line| anchor(line.trim_start_matches('#').trim()) == heading);
            assert!(there, "{name}: {document}");
            named += 1;
        }
    }
    assert!(named > 30, "{named}");
}

/// The values that a cause takes from another experiment are those that are sealed.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn what_moves_cells_is_sealed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = DataConfig { offline: true, ..DataConfig::default() };
    let mut looked_at = 0;
    for (name, _) in built_in::experiments() {
        let file = root.join("experiments").join(name);
        let session =
            Session::open(&KNOWN, &file, None, None, Path::new("results"), &data, MAX_TRIALS)
                .unwrap();
        let differences = &session.experiment.differences;
        for moves_to in differences.iter().filter_map(|one| one.shows.moves_to.as_ref()) {
            let MovesTo::Experiment(id, values) = moves_to else { continue };
            let sealed = root.join("results").join(id);
            let tables = std::fs::read_dir(sealed.join("tables")).unwrap();
            let tables = tables.map(|entry| entry.unwrap().path());
            let tables = tables.filter(|path| path.extension().is_some_and(|end| end == "csv"));
            let cells = tables.chain([sealed.join("choices.csv")]).flat_map(|path| rows(&path));
            let there: Vec<String> = cells.map(|row| row["value"].clone()).collect();
            for moved in rows_of_values(&file.with_file_name(values)) {
                assert!(there.contains(&moved), "{name}: {values}: {moved} is not in {id}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 60, "{looked_at}");
}

fn rows_of_values(path: &Path) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).unwrap();
    reader.records().map(|row| row.unwrap()[3].to_owned()).collect()
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn experiments_on_generated_data_need_no_file() {
    let cache = tempfile::tempdir().unwrap();
    for file in [
        "quickstart",
        "evm/parity",
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
        let session =
            Session::open(&KNOWN, &file, None, None, Path::new("results"), &data, MAX_TRIALS)
                .unwrap();
        let plan = session.plan(&session.datasets().unwrap(), WithChoices::Yes).unwrap();
        assert!(!plan.trials.is_empty(), "{}", file.display());
    }
}
