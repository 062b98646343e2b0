//! The registry file: what is read, and which mistakes are named.

mod documents;
mod generators;
mod limits;
mod records;

use std::path::Path;

use miette::Diagnostic;

use super::*;
use crate::binning::Binning;
use crate::format::attribute_csv::ClassColumn;
use crate::preprocessing::Missing;
use crate::preprocessing::Vocabulary;
use crate::vocabulary::{Charset, Parts, Rows, Target};
use contract::parameter::Value;

/// Of each mistake its line, the message with the words at the underlined text, and the help.
fn mistakes(text: &str) -> Vec<(usize, String, Option<String>)> {
    let errors = Registry::parse(text, "datasets.toml", Path::new("")).unwrap_err();
    let parts = |error: &dyn Diagnostic| {
        let label = error.labels().unwrap().next().unwrap();
        let source = error.source_code().unwrap().read_span(label.inner(), 0, 0).unwrap();
        assert_eq!(source.name(), Some("datasets.toml"));
        let message = format!("{error}: {}", label.label().unwrap());
        (source.line() + 1, message, error.help().map(|help| help.to_string()))
    };
    errors.errors.iter().map(|error| parts(error)).collect()
}

const GOOD: &str = r#"schema = 1
[dataset.tiny]
title = "Tiny"
kind = "binary"
shape = { variables = 3, train = 4, test = 2 }
citation = "nobody"
licence = "CC0"
files = [
  { role = "test", format = "binary-csv", sources = [{ path = "test.data" }] },
  { role = "train", format = "binary-csv", sources = [{ url = "https://example.org:8443/a%20b/c.gz", sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", bytes = 7, encoding = "gzip" }] },
]

[dataset.tinier]
title = "Tinier"
citation = "nobody"
licence = "CC0"
from = "tiny"
rows = { train = [1, 3] }
columns = [0, 2]

[dataset.whole]
title = "Whole"
citation = "nobody"
licence = "CC0"
from = "tiny"
rows = [2, 6]
"#;

#[test]
fn entries_are_read_in_order() {
    let registry = Registry::parse(GOOD, "datasets.toml", Path::new("/here")).unwrap();
    let ids: Vec<&str> = registry.entries().iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["tiny", "tinier", "whole"]);
    let tiny = registry.get("tiny").unwrap();
    assert_eq!(tiny.shape.rows, Rows::Split(Parts { train: 4, valid: 0, test: 2 }));
    let [train, test] = tiny.files() else { panic!("two files") };
    let Place::Remote(remote) = &train.sources[0].place else { panic!("remote") };
    assert_eq!(remote.in_mirror, ["example.org:8443", "a b", "c.gz"]);
    let Place::Local { path, integrity: None } = &test.sources[0].place else { panic!("local") };
    assert_eq!(path, Path::new("/here/test.data"));
    let tinier = registry.get("tinier").unwrap();
    let rows = Rows::Split(Parts { train: 2, valid: 0, test: 2 });
    assert_eq!(tinier.shape, Shape { variables: 2, rows, target: Target::None, folds: None });
    assert_eq!(registry.get("whole").unwrap().shape.rows, Rows::Whole(4));
}

#[test]
fn all_mistakes_are_reported_at_once_with_lines_and_near_names() {
    let text = GOOD
        .replace("title = \"Tiny\"", "titel = \"Tiny\"")
        .replace("kind = \"binary\"", "kind = \"binery\"")
        .replace("bytes = 7", "bytes = \"7\"")
        .replace("from = \"tiny\"\nrows = [2", "from = \"tny\"\nrows = [2");
    let found = mistakes(&text);
    let expect = |line: usize, message: &str, help: Option<&str>| {
        let wanted = (line, message.to_owned(), help.map(str::to_owned));
        assert!(found.contains(&wanted), "{wanted:?} not in {found:#?}");
    };
    expect(3, "dataset `tiny` has no key `titel`: unknown key", Some("did you mean `title`?"));
    expect(
        4,
        "`kind` can't be \"binery\": expected one of \"binary\", \"text\", \"image\", \
         \"categorical\", \"numeric\"",
        Some("did you mean \"binary\"?"),
    );
    expect(10, "`bytes` can't be \"7\": expected a whole number from 0 to 8589934592", None);
    expect(25, "there is no dataset `tny`: unknown dataset", Some("did you mean `tiny`?"));
    assert_eq!(found.len(), 4, "{found:#?}");
}

#[test]
fn derived_sets_have_plain_bases() {
    let text = GOOD.replace("from = \"tiny\"\nrows = [2", "from = \"tinier\"\nrows = [2");
    assert_eq!(
        mistakes(&text),
        [(25, "`tinier` is derived itself: name its base".to_owned(), None)]
    );
}

#[test]
fn urls_that_are_not_http_or_file_are_refused() {
    let url = "https://example.org:8443/a%20b/c.gz";
    for (bad, why) in [
        ("ftp://example.org/x", "`ftp:` urls are refused: use https, http or file"),
        ("https://u:p@example.org/x", "a url in a registry must not hold a user name or password"),
        (
            "https://example.org/..%2f..%2fetc",
            "`..%2f..%2fetc` in the path of `https://example.org/..%2f..%2fetc` cannot be a file name",
        ),
        (
            "https://example.org/a//b",
            "`` in the path of `https://example.org/a//b` cannot be a file name",
        ),
        ("https://%2e%2e/x.gz", "`https://../x.gz` has no host"),
        ("nothing", "`nothing` is no url: relative URL without a base"),
    ] {
        let found = mistakes(&GOOD.replace(url, bad));
        assert!(found.contains(&(10, format!("{why}: can't be fetched"), None)), "{found:#?}");
    }
}

#[test]
fn digests_shapes_and_ranges_are_checked() {
    for (good, bad, line, why) in [
        ("ba7816", "zz7816", 10, "`sha256` can't be \"zz7816"),
        ("sha256 =", "sha257 =", 10, "an item of `sources` has no key `sha257`: unknown key"),
        (
            "variables = 3",
            "variables = 0",
            5,
            "`variables` can't be 0: expected a whole number from 1",
        ),
        (
            "test = 2 }",
            "test = 2, valid = 1 }",
            8,
            "no file has the role `valid`: `shape` gives it 1 rows",
        ),
        ("role = \"test\"", "role = \"train\"", 10, "a second file has the role `train`"),
        ("[1, 3]", "[1, 5]", 18, "`train` ends at 5: the base has only 4"),
        (
            "[1, 3]",
            "[3, 1]",
            18,
            "`train` can't be a list: expected [first, end] with 0 <= first < end",
        ),
        ("columns = [0, 2]", "columns = [0, 4]", 19, "`columns` ends at 4: the base has only 3"),
        (
            "schema = 1",
            "schema = 2",
            1,
            "unknown version of the layout: this program reads schema 1",
        ),
        ("[dataset.tiny]", "[dataset.\"a/b\"]", 2, "`a/b` is no dataset id: use letters"),
        (
            "licence = \"CC0\"\nfiles",
            "licence \"CC0\"\nfiles",
            7,
            "this is not valid TOML: key with no value",
        ),
    ] {
        let found = mistakes(&GOOD.replace(good, bad));
        let hit = found.iter().any(|(at, what, _)| *at == line && what.starts_with(why));
        assert!(hit, "{why:?} on line {line} not in {found:#?}");
    }
}

#[test]
fn each_dataset_with_a_syntax_error_is_named() {
    let text =
        GOOD.replace("shape = {", "shape = = {").replace("title = \"Whole\"", "title \"Whole\"");
    let found = mistakes(&text);
    assert_eq!(found.iter().map(|(line, ..)| *line).collect::<Vec<_>>(), [5, 22], "{found:#?}");
    let numbers = GOOD
        .replace("variables = 3", "variables = 99999999999999999999")
        .replace("columns = [0, 2]", "colums = [0, 2]");
    let large = "this whole number is too large: beyond 64 bits".to_owned();
    let key = "dataset `tinier` has no key `colums`: unknown key".to_owned();
    let help = Some("did you mean `columns`?".to_owned());
    assert_eq!(mistakes(&numbers), [(5, large, None), (19, key, help)]);
}

#[test]
fn the_built_in_registry_is_sound() {
    let registry = Registry::built_in().unwrap();
    let ids: Vec<&str> = registry.entries().iter().map(|entry| entry.id.as_str()).collect();
    let expected = "nltcs msnbc kdd plants baudio jester bnetflix accidents tretail pumsb_star dna \
         kosarek msweb book tmovie cwebkb cr52 c20ng bbc ad 20newsgrp 20newsgrp-whole reuters-8 reuters-8-sgml \
         polarity enron webkb mnist house-votes house-votes-8 iris iris-loo breast-cancer \
         breast-cancer-367 pima ionosphere new-thyroid thyroid sonar pima-5 pima-10 ionosphere-5 \
         ionosphere-10 thyroid-5 thyroid-10 sonar-5 sonar-10 generated-blocks generated-tree \
         generated-independent tied-network softly-tied-network generated-parity generated-m-of-n generated-conjunction \
         parity parity-100000 counting \
         m-of-n exact conjunction-8 disjunction-8 threshold-8 threshold-8-irrelevant exact-8 \
         parity-8 counting-8 idf-independent idf-network idf-xor idf-duplicates idf-mixed idf-gaussian \
         idf-wide idf-example-1 idf-example-2 idf-example-3 tep-figure1 tep-figure2 tep-figure2-remembered \
         ltm-star ltm-double-star ltm-hmm ltm-complete ltm-random ltm-rare-star \
         ltm-rare-random generated-latent-tree banknote iris-standardised titanic abalone automobile anneal";
    assert_eq!(ids, expected.split_whitespace().collect::<Vec<_>>());
    let kdd = registry.get("kdd").unwrap();
    assert_eq!(kdd.shape.variables, 64);
    assert_eq!(kdd.shape.rows, Rows::Split(Parts { train: 180_092, valid: 19_907, test: 34_955 }));
    assert!(registry.entries()[..20].iter().all(|entry| entry.files().len() == 3));
}

#[test]
fn registries_are_asked_from_the_named_one_outwards() {
    let folder = tempfile::TempDir::new().unwrap();
    let inner = folder.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    let ids = |named: Option<&Path>| -> Vec<String> {
        let registry = Registry::find(named, Some(&inner), None).unwrap();
        registry.entries().iter().map(|entry| entry.id.clone()).collect()
    };
    let built_in = ids(None);
    assert_eq!(built_in[0], "nltcs");
    std::fs::write(folder.path().join("datasets.toml"), GOOD).unwrap();
    assert_eq!(ids(None)[0], "tiny");
    assert_eq!(ids(None).len(), built_in.len() + GOOD.matches("[dataset.").count());
    let other = GOOD.replace("[dataset.", "[dataset.other-").replace("\"tiny\"", "\"other-tiny\"");
    std::fs::write(inner.join("datasets.toml"), &other).unwrap();
    assert_eq!(ids(None)[0], "other-tiny");
    // The nearest one hides those above it.
    assert!(!ids(None).contains(&"tiny".to_owned()));
    let named = ids(Some(&folder.path().join("datasets.toml")));
    assert_eq!(named[0], "tiny");
    assert!(named.contains(&"other-tiny".to_owned()) && named.contains(&"nltcs".to_owned()));
    let absent = folder.path().join("none.toml");
    let error = Registry::find(Some(&absent), None, None).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot read the dataset registry {}", absent.display()));
}

#[test]
fn an_id_stands_for_one_dataset_unless_it_says_that_it_replaces_another() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("datasets.toml");
    let mine =
        records::RECORDS.replace("[dataset.few]", "[dataset.iris]").replace("\"few\"", "\"iris\"");
    std::fs::write(&path, &mine).unwrap();
    let error = Registry::find(Some(&path), None, None).unwrap_err();
    let whose = path.display();
    let expected =
        format!("dataset `iris` of {whose} is another one than that of the built-in registry");
    assert_eq!(error.to_string(), expected);
    assert!(error.help().unwrap().to_string().contains("`replaces = true`"));
    let replaced = mine.replace("[dataset.iris]", "[dataset.iris]\nreplaces = true");
    std::fs::write(&path, replaced).unwrap();
    let registry = Registry::find(Some(&path), None, None).unwrap();
    assert_ne!(registry.get("iris").unwrap().title, "Iris");
    // What is built in and derived from the replaced one is gone with it.
    assert!(registry.get("iris-loo").is_none() && registry.get("pima-5").is_some());
    // A local file with a checksum is the same one in another folder.
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let mine = "schema = 1\n[dataset.mine]\ntitle = \"Mine\"\nkind = \"binary\"\nshape = { variables = 4, rows = 1 }\n\
                citation = \"c\"\nlicence = \"l\"\n\
                files = [{ role = \"all\", format = \"binary-csv\", sources = [{ path = \"a.csv\"SUM }] }]\n";
    let both = |sum: &str| [mine.replace("SUM", sum), mine.replace("SUM", sum)];
    let sum = format!(", sha256 = \"{}\", bytes = 7", "0".repeat(64));
    let find = |[near, far]: [String; 2]| {
        std::fs::write(&path, near).unwrap();
        std::fs::write(other.join("datasets.toml"), far).unwrap();
        Registry::find(Some(&path), Some(&other), None)
    };
    find(both(&sum)).unwrap();
    let error = find(both("")).unwrap_err();
    assert!(error.to_string().contains("is another one than that of"), "{error:?}");
    // So is one without, if the bytes are there.
    for (near, far, same) in [("0,1,0,1", "0,1,0,1", true), ("0,1,0,1", "0,1,0,0", false)] {
        std::fs::write(folder.path().join("a.csv"), near).unwrap();
        std::fs::write(other.join("a.csv"), far).unwrap();
        assert_eq!(find(both("")).is_ok(), same);
    }
    // The same dataset twice is no contradiction.
    std::fs::write(&path, BUILT_IN).unwrap();
    Registry::find(Some(&path), None, None).unwrap();
}

#[test]
fn local_files_are_found_in_another_folder() {
    let text = GOOD.replace("path = \"test.data\"", "path = \"/home/me/../x/test.data\"");
    let registry = Registry::parse(&text, "r", Path::new("")).unwrap();
    let places = |registry: &Registry| -> Vec<String> {
        let files = registry.entries().iter().flat_map(Entry::files);
        let sources = files.flat_map(|file| &file.sources);
        let local = sources.filter(|source| matches!(source.place, Place::Local { .. }));
        local.map(ToString::to_string).collect()
    };
    let before = places(&registry);
    let after = places(&registry.with_files_in(Path::new("/data")));
    assert!(!after.is_empty() && before.len() == after.len());
    assert!(
        after.iter().all(|path| path.starts_with("/data/") && !path.contains("..")),
        "{after:?}"
    );
}
