//! `reprise schema` and `docs/experiment-file.md` say what the reader of experiment files does.

use std::path::{Path, PathBuf};

use crate::support::{MIXTURE, TREE};
use reprise::data::registry;
use reprise::method::METHODS;
use reprise::report::KINDS;
use reprise::spec::{json_schema, reference};
use serde_json::{Value, json};

fn valid(schema: &Value, file: &Value) -> bool {
    jsonschema::draft202012::is_valid(schema, file)
}

fn json_of(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn the_schema_is_a_schema() {
    jsonschema::draft202012::meta::validate(&json_schema(&[&MIXTURE, &TREE], &KINDS)).unwrap();
    jsonschema::draft202012::meta::validate(&json_schema(METHODS, &KINDS)).unwrap();
}

#[test]
fn the_schema_accepts_what_the_reader_accepts_and_refuses_what_it_refuses() {
    let schema = json_schema(&[&MIXTURE, &TREE], &KINDS);
    let good = json_of(include_str!("table5.toml"));
    assert!(valid(&schema, &good), "{:?}", jsonschema::draft202012::validate(&schema, &good));

    let broken: &[(&str, Value)] = &[
        ("/schema", json!(2)),
        ("/experiment/id", json!("Evm/../x")),
        ("/experiment/sed", json!(1)),
        ("/task/repeats", json!(0)),
        ("/task/metrics/0", json!("accuracy")),
        ("/task/split", json!({ "cv": { "folds": 1 } })),
        ("/task/timeout", json!("soon")),
        ("/method/0/kind", json!("forest")),
        ("/method/0/components", json!(0)),
        ("/method/0/lambda", json!(0.1)),
        ("/method/1/grid", json!({})),
        ("/method/1/grid/smoothing", json!([])),
        ("/method/2/components", json!(3)),
        ("/choice/0/target", json!("MEVM")),
        ("/test/0/zeros", json!("keep")),
        ("/test/1/zeros", json!("drop")),
        ("/table/0/rows", json!("rows")),
        ("/figure/1/x", json!("dataset")),
        ("/claim/0/check", json!({ "loses": {} })),
        ("/profile/smoke/seed", json!(1)),
    ];
    for (pointer, value) in broken {
        let mut file = good.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = file.pointer_mut(parent).unwrap();
        match key.parse::<usize>() {
            Ok(index) => parent[index] = value.clone(),
            Err(_) => parent[key] = value.clone(),
        }
        assert!(!valid(&schema, &file), "{pointer} = {value}");
    }
    for key in ["schema", "experiment", "task", "method"] {
        let mut file = good.clone();
        file.as_object_mut().unwrap().remove(key);
        assert!(!valid(&schema, &file), "without {key}");
    }
}

#[test]
fn every_experiment_fits_the_schema() {
    let schema = json_schema(METHODS, &KINDS);
    let registry = |path: &PathBuf| path.file_name().is_some_and(|name| name == "datasets.toml");
    for path in experiments(Path::new("experiments")).into_iter().filter(|path| !registry(path)) {
        let file = json_of(&std::fs::read_to_string(&path).unwrap());
        let result = jsonschema::draft202012::validate(&schema, &file);
        assert!(result.is_ok(), "{}: {result:?}", path.display());
    }
}

/// Every `.toml` file below a folder.
fn experiments(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(experiments(&path));
        } else if path.extension().is_some_and(|end| end == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn the_schema_of_registries_accepts_what_their_reader_accepts_and_refuses_what_it_refuses() {
    let schema = registry::json_schema();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    let good = json_of(&std::fs::read_to_string("datasets.toml").unwrap());
    let result = jsonschema::draft202012::validate(&schema, &good);
    assert!(result.is_ok(), "{result:?}");
    for (pointer, value) in [
        ("/schema", json!(2)),
        ("/dataset/nltcs/titel", json!("NLTCS")),
        ("/dataset/nltcs/kind", json!("binery")),
        ("/dataset/nltcs/shape/variables", json!(0)),
        ("/dataset/nltcs/files/0/role", json!("trian")),
        ("/dataset/nltcs/files/0/sources/0/sha256", json!("abc")),
        ("/dataset/generated-tree/generator/kind", json!("forest")),
        ("/dataset/generated-tree/generator/components", json!(3)),
    ] {
        let mut file = good.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        file.pointer_mut(parent).unwrap()[key] = value.clone();
        assert!(!valid(&schema, &file), "{pointer} = {value}");
    }
}

#[test]
fn the_references_are_up_to_date() {
    for (path, text) in [
        ("docs/experiment-file.md", reference::markdown(METHODS, &KINDS)),
        ("docs/datasets-file.md", registry::markdown()),
    ] {
        if std::env::var_os("REPRISE_UPDATE_DOCS").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            committed == text,
            "{path} is out of date: REPRISE_UPDATE_DOCS=1 cargo test --test spec"
        );
    }
}
