//! `reprise schema` and `docs/reference` say what the reader of experiment files does.

use std::path::{Path, PathBuf};

use crate::reference;
use crate::support::{Folder, LISTS};
use reprise::KNOWN;
use reprise::data::registry::{self, Registry};
use reprise::spec::{Known, KnownDataset, json_schema};
use serde_json::{Value, json};

fn valid(schema: &Value, file: &Value) -> bool {
    jsonschema::draft202012::is_valid(schema, file)
}

fn json_of(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn the_schema_is_a_schema() {
    jsonschema::draft202012::meta::validate(&json_schema(&LISTS)).unwrap();
    jsonschema::draft202012::meta::validate(&json_schema(&KNOWN)).unwrap();
}

#[test]
fn the_schema_accepts_what_the_reader_accepts_and_refuses_what_it_refuses() {
    let schema = json_schema(&LISTS);
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
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn every_experiment_fits_the_schema() {
    let schema = json_schema(&KNOWN);
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

const EXAMPLES: reference::Examples<'_> = reference::Examples {
    experiment: include_str!("../../docs/reference/example.toml"),
    papers: include_str!("../../papers.toml"),
};

/// The first block of this language on a page.
fn block<'a>(page: &'a str, language: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn the_references_are_up_to_date() {
    let folder = Path::new("docs/reference");
    let mut pages = reference::pages(&KNOWN, &EXAMPLES);
    pages.push(reference::of_registries());
    for reference::Page { file, text } in &pages {
        let path = folder.join(file);
        if std::env::var_os("REPRISE_UPDATE_DOCS").is_some() {
            std::fs::write(&path, text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let path = path.display();
        assert!(
            committed == *text,
            "{path} is out of date: REPRISE_UPDATE_DOCS=1 cargo test --test spec"
        );
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let known = pages.iter().any(|page| page.file == name);
        assert!(known || !text.contains("<!-- Generated"), "nothing generates {name} any more");
    }
}

/// The examples of the reference are parts of one file, which is read as if a person had written it.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn the_examples_of_the_reference_are_read() {
    let pages = reference::pages(&KNOWN, &EXAMPLES);
    let folder = Folder::new(EXAMPLES.experiment);
    folder.write("method.py", "");
    folder.write("papers.toml", EXAMPLES.papers);
    let tables = pages.iter().find(|page| page.file == "tables.md").unwrap();
    folder.write("published/example.csv", block(&tables.text, "csv"));
    let registry = Registry::built_in().unwrap();
    let datasets: Vec<KnownDataset> = registry.entries().iter().map(KnownDataset::from).collect();
    let known = Known { lists: &KNOWN, datasets: &datasets, code: None };
    for profile in [None, Some("smoke")] {
        let read = reprise::spec::load(&folder.path(), profile, None, &known);
        assert!(read.is_ok(), "{}", folder.render(&read.unwrap_err()));
    }
}

#[test]
fn the_example_of_a_registry_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("datasets.toml");
    std::fs::write(&path, block(&reference::of_registries().text, "toml")).unwrap();
    let registry = Registry::load(&path).unwrap();
    assert_eq!(registry.entries().len(), 3);
}

/// A section begins with its example, and so does each kind of test, figure and claim.
#[test]
fn every_section_of_the_reference_has_an_example() {
    let pages = reference::pages(&KNOWN, &EXAMPLES);
    let mut seen = 0;
    for page in pages.iter().filter(|page| page.file != "index.md") {
        let whole = ["tests.md", "figures.md", "claims.md"].contains(&page.file.as_str());
        for section in page.text.split("\n## ").skip(1) {
            let heading = section.lines().next().unwrap();
            if !heading.starts_with("`[") && !heading.starts_with("papers") {
                continue;
            }
            seen += 1;
            assert!(section.contains("```toml"), "{}: {heading}", page.file);
            for kind in section.split("\n### ").skip(1).filter(|_| whole) {
                let heading = kind.lines().next().unwrap();
                assert!(kind.contains("```toml"), "{}: {heading}", page.file);
            }
        }
    }
    assert!(seen >= 13, "{seen} sections");
}
