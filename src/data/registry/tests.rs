//! The registry file: what is read, and which mistakes are named.

use std::path::Path;

use miette::Diagnostic;

use super::*;
use crate::binning::Binning;
use crate::format::attribute_csv::ClassColumn;
use crate::preprocessing::Missing;
use crate::vocabulary::{Charset, Rows, Target, Vocabulary};
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
    assert_eq!(tiny.shape.rows, Rows::Split { train: 4, valid: 0, test: 2 });
    let [train, test] = tiny.files() else { panic!("two files") };
    let Place::Remote(remote) = &train.sources[0].place else { panic!("remote") };
    assert_eq!(remote.in_mirror, ["example.org:8443", "a b", "c.gz"]);
    let Place::Local { path, integrity: None } = &test.sources[0].place else { panic!("local") };
    assert_eq!(path, Path::new("/here/test.data"));
    let tinier = registry.get("tinier").unwrap();
    let rows = Rows::Split { train: 2, valid: 0, test: 2 };
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
    expect(10, "`bytes` can't be \"7\": expected a whole number from 0 to 2147483648", None);
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
    assert_eq!(kdd.shape.rows, Rows::Split { train: 180_092, valid: 19_907, test: 34_955 });
    assert!(registry.entries()[..20].iter().all(|entry| entry.files().len() == 3));
}

#[test]
fn parameters_of_generators_are_checked() {
    let text = r#"schema = 1
[dataset.g]
title = "G"
kind = "binary"
citation = ""
licence = ""
generator = { kind = "mixture-of-blocks", seed = 1, variables = 4, components = 2, blocks = 9, train = 5, valid = 0, test = 5, probabilities = 1 }
"#;
    let known =
        "there is `kind`, `seed`, `variables`, `train`, `valid`, `test`, `components`, `blocks`";
    assert_eq!(
        mistakes(text),
        [
            (
                7,
                "`blocks` must be from 1 to the number of variables, 4: out of range".to_owned(),
                None
            ),
            (
                7,
                "`generator` has no key `probabilities`: unknown key".to_owned(),
                Some(known.to_owned())
            ),
        ]
    );
}

#[test]
fn parameters_of_factors_are_checked() {
    let found = |kind: &str, generator: &str| -> Vec<String> {
        let text = format!(
            "schema = 1\n[dataset.g]\ntitle = \"G\"\nkind = \"{kind}\"\ncitation = \"\"\nlicence = \"\"\n\
             generator = {{ {generator} }}\n"
        );
        mistakes(&text).into_iter().map(|(_, message, _)| message).collect()
    };
    let factors = r#"kind = "factors", seed = 1, variables = 4, examples = 5"#;
    assert_eq!(
        found("binary", &format!(r#"{factors}, factor = "gaussian", size = 2"#)),
        ["what this generator draws is `numeric`: another kind"]
    );
    assert_eq!(
        found("binary", &format!(r#"{factors}, factor = "nor", size = 2"#)),
        [
            "`factor` can't be \"nor\": expected one of \"network\", \"xor\", \"duplicates\", \"mixed\", \"gaussian\""
        ]
    );
    assert_eq!(
        found("binary", &format!(r#"{factors}, factor = "xor", size = 99, train = 1"#)),
        [
            "`size` must be from 1 to 16: out of range",
            "`generator` has no key `train`: unknown key"
        ]
    );
    assert_eq!(
        found("binary", r#"kind = "factors-example", example = 4, seed = 1, examples = 5"#),
        ["`example` must be from 1 to 3: out of range"]
    );
}

#[test]
fn parameters_of_mixtures_are_checked() {
    let text = |kind: &str, generator: &str| {
        format!(
            "schema = 1\n[dataset.g]\ntitle = \"G\"\nkind = \"{kind}\"\ncitation = \"\"\nlicence = \"\"\n\
             generator = {{ kind = \"normal-mixture\", seed = 1, train = 5, test = 5, {generator} }}\n"
        )
    };
    const NEGATIVE: &str = "{ class = \"negative\", weight = 0.5, mean = [0, 0] }";
    const POSITIVE: &str = "{ class = \"positive\", weight = 0.5, mean = [1, 1] }";
    let good = format!("variance = 1, components = [{NEGATIVE}, {POSITIVE}]");
    let found = |kind: &str, generator: &str| -> Vec<String> {
        mistakes(&text(kind, generator)).into_iter().map(|(_, message, _)| message).collect()
    };
    assert!(Registry::parse(&text("numeric", &good), "", Path::new("")).is_ok());
    assert_eq!(found("binary", &good), ["what this generator draws is `numeric`: another kind"]);
    let outliers = "outliers = { class = \"positive\", count = 0, mean = [0, 0], variance = 1 }";
    let outside = "at least one, with a mean of as many columns as the components', up to 1e12, and a \
                   variance above 0";
    let means = "of means with one number of columns, 1 to 1000, up to 1e12";
    for (generator, wanted) in [
        (
            good.replace("variance = 1", "variance = 0"),
            "`variance` must be above 0 and at most 1e12",
        ),
        (good.replace("[1, 1]", "[1]"), &*format!("`components` must be {means}")),
        (good.replace("[1, 1]", "[1, 1e13]"), &format!("`components` must be {means}")),
        (good.replace("positive", "negative"), "`components` must be of both classes"),
        (
            good.replacen("weight = 0.5", "weight = 0.6", 1),
            "`components` must be of positive weights that sum to 1",
        ),
        (format!("{good}, {outliers}"), &format!("`outliers` must be {outside}")),
    ] {
        assert_eq!(found("numeric", &generator), [format!("{wanted}: out of range")]);
    }
    assert_eq!(
        found("numeric", &good.replace("[1, 1]", "[1, \"b\"], sd = 1")),
        [
            "`mean` can't be \"b\": expected a number",
            "an item of `components` has no key `sd`: unknown key"
        ]
    );
    let binned = text("numeric", &good).replace("citation", "binning = \"deciles\"\ncitation");
    let [(5, message, _)] = &mistakes(&binned)[..] else { panic!("one mistake") };
    assert_eq!(message, "`binning` is a key of datasets with files: leave it out");
}

#[test]
fn parameters_of_boolean_functions_are_checked() {
    let text = |generator: &str| {
        format!(
            "schema = 1\n[dataset.g]\ntitle = \"G\"\nkind = \"binary\"\ncitation = \"\"\nlicence = \"\"\n\
             generator = {{ kind = \"boolean-function\", {generator} }}\n"
        )
    };
    let drawn = "seed = 1, train = 5, test = 5";
    let range = |what: &str| format!("{what}: out of range");
    for (generator, expected) in [
        (
            format!(r#"function = "party", sampling = "uniform", variables = 0, {drawn}"#),
            vec!["`function` can't be \"party\": expected one of \"parity\", \"counting\", \"threshold\", \
                  \"exact\", \"conjunction\", \"disjunction\"".to_owned()],
        ),
        (
            format!(r#"function = "parity", sampling = "random", variables = 9, least = 3, {drawn}"#),
            vec![
                "`sampling` can't be \"random\": expected one of \"uniform\", \"uniform-count\", \
                 \"balanced\", \"exhaustive\""
                    .to_owned(),
                "`generator` has no key `least`: unknown key".to_owned(),
            ],
        ),
        (
            r#"function = "parity", sampling = "exhaustive", variables = 21, train = 3"#.to_owned(),
            vec![range("`variables` must be from 1 to 20, since all states are to be listed"),
"`generator` has no key `train`: unknown key".to_owned()],
        ),
        (
            r#"function = "threshold", sampling = "balanced", variables = 4, seed = 1, relevant = 5, train = 0"#
                .to_owned(),
            vec!["`generator` lacks `least`: `least` is missing here".to_owned(),
                "`generator` lacks `test`: `test` is missing here".to_owned()],
        ),
        (
            format!(r#"function = "threshold", least = 9, sampling = "balanced", variables = 4, relevant = 3, {drawn}"#),
            vec![range("`least` must be from 1 to the number of relevant variables, 3")],
        ),
        (
            format!(r#"function = "counting", modulus = 5, remainder = 4, sampling = "uniform", variables = 3, {drawn}"#),
            vec![range("`remainder` must be below the modulus and at most the 3 relevant variables")],
        ),
        (
            format!(r#"function = "counting", modulus = 1, remainder = 0, sampling = "uniform", variables = 3, {drawn}"#),
            vec![range("`modulus` must be at least 2")],
        ),
        (
            format!(r#"function = "exact", values = [1, "2"], sampling = "uniform", variables = 3, {drawn}"#),
            vec!["`values` can't be \"2\": expected a whole number from 0 to 100000000".to_owned()],
        ),
        (
            format!(r#"function = "exact", values = [3, 2], sampling = "uniform", variables = 3, {drawn}"#),
            vec![range(
                "`values` must be some but not all numbers from 0 to the number of relevant variables, 3, \
                 ascending",
            )],
        ),
    ] {
        let found: Vec<String> =
            mistakes(&text(&generator)).into_iter().map(|(_, message, _)| message).collect();
        assert_eq!(found, expected, "{generator}");
    }
}

#[test]
fn registries_are_asked_from_the_named_one_outwards() {
    let folder = tempfile::TempDir::new().unwrap();
    let inner = folder.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    let ids = |named: Option<&Path>| -> Vec<String> {
        let registry = Registry::find(named, Some(&inner)).unwrap();
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
    let error = Registry::find(Some(&absent), None).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot read the dataset registry {}", absent.display()));
}

#[test]
fn an_id_stands_for_one_dataset_unless_it_says_that_it_replaces_another() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("datasets.toml");
    let mine = RECORDS.replace("[dataset.few]", "[dataset.iris]").replace("\"few\"", "\"iris\"");
    std::fs::write(&path, &mine).unwrap();
    let error = Registry::find(Some(&path), None).unwrap_err();
    let whose = path.display();
    let expected =
        format!("dataset `iris` of {whose} is another one than that of the built-in registry");
    assert_eq!(error.to_string(), expected);
    assert!(error.help().unwrap().to_string().contains("`replaces = true`"));
    let replaced = mine.replace("[dataset.iris]", "[dataset.iris]\nreplaces = true");
    std::fs::write(&path, replaced).unwrap();
    let registry = Registry::find(Some(&path), None).unwrap();
    assert_ne!(registry.get("iris").unwrap().title, "Iris");
    // What is built in and derived from the replaced one is gone with it.
    assert!(registry.get("iris-loo").is_none() && registry.get("pima-5").is_some());
    // The same dataset twice is no contradiction.
    std::fs::write(&path, BUILT_IN).unwrap();
    Registry::find(Some(&path), None).unwrap();
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

const TEXT: &str = r#"schema = 1
[dataset.mails]
title = "Mails"
kind = "text"
vocabulary = "problem"
classes = ["ham", "spam"]
shape = { variables = 9, rows = 8, classes = 2, folds = 3 }
citation = "nobody"
licence = "CC0"
files = [
  { role = "all", format = "text-files", charset = "latin-1", documents = "{class}/{fold}{name}", sources = [
    { url = "https://example.org/x", tree = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", folder = "mails/", encoding = "tar.gz" },
  ] },
]

[dataset.digits]
title = "Digits"
kind = "image"
threshold = 50
shape = { variables = 4, train = 3, test = 2, classes = 2 }
citation = "nobody"
licence = "CC0"
files = [
  { role = "test", format = "idx-labels", sources = [{ path = "tl" }] },
  { role = "train", format = "idx-images", sources = [{ path = "i" }] },
  { role = "train", format = "idx-labels", sources = [{ path = "l" }] },
  { role = "test", format = "idx-images", sources = [{ path = "ti" }] },
]

[dataset.lines]
title = "Lines"
kind = "text"
shape = { variables = 9, train = 3, test = 2, classes = 3 }
citation = "nobody"
licence = "CC0"
files = [{ role = "all", format = "labelled-lines", sources = [{ path = "lines.txt" }] }]

[dataset.some]
title = "Some"
citation = "nobody"
licence = "CC0"
from = "digits"
rows = { train = [1, 3] }
"#;

#[test]
fn text_and_image_sets_are_read() {
    let registry = Registry::parse(TEXT, "datasets.toml", Path::new("")).unwrap();
    let mails = registry.get("mails").unwrap();
    let classes = ["ham", "spam"].map(str::to_owned).to_vec();
    assert_eq!(mails.kind, Kind::Text { vocabulary: Vocabulary::Problem, classes });
    assert_eq!((mails.shape.classes(), mails.shape.folds), (Some(2), Some(3)));
    let Format::TextFiles { content: Content::Text, charset: Charset::Latin1, .. } =
        &mails.files()[0].format
    else {
        panic!("{:?}", mails.files())
    };
    let Place::Remote(remote) = &mails.files()[0].sources[0].place else { panic!("remote") };
    assert_eq!((remote.integrity.folder(), remote.integrity.size()), (Some("mails"), None));
    let digits = registry.get("digits").unwrap();
    let parts: Vec<_> = digits.files().iter().map(|file| (file.role, &file.format)).collect();
    assert_eq!(parts[0], (Role::Train, &Format::IdxImages));
    assert_eq!(parts[2].0, Role::Test);
    let lines = registry.get("lines").unwrap();
    let vocabulary = Vocabulary::Training;
    assert_eq!(lines.kind, Kind::Text { vocabulary, classes: Vec::new() });
    let some = registry.get("some").unwrap();
    assert_eq!((&some.kind, some.shape.classes()), (&digits.kind, Some(2)));
}

#[test]
fn mistakes_of_text_and_image_sets_are_named() {
    let mut missed = Vec::new();
    for (good, bad, line, why) in [
        (
            "\"problem\"",
            "\"fixed\"",
            5,
            "`vocabulary` can't be \"fixed\": expected one of \"problem\", \"training\"",
        ),
        (
            "threshold = 50",
            "threshold = 256",
            19,
            "`threshold` can't be 256: expected a whole number from 0 to 255",
        ),
        (
            "threshold = 50",
            "vocabulary = \"training\"",
            19,
            "`vocabulary` is a key of kind `text`: leave it out",
        ),
        ("\"ham\", \"spam\"", "\"ham\", \"ham\"", 6, "these are no classes: one stands twice"),
        (
            "\"ham\", \"spam\"",
            "\"ham\", \"s/m\"",
            6,
            "these are no classes: use letters, digits, `-`, `_` and `.`",
        ),
        ("\"ham\", \"spam\"", "\"ham\"", 6, "these are no classes: expected at least two classes"),
        ("\"ham\", \"spam\"", "\"ham\", 1", 6, "`classes` can't be 1: expected text"),
        (
            "\"ham\", \"spam\"",
            "\"ham\", \"spam\", \"eggs\"",
            7,
            "`shape` says 2 classes: `classes` names 3",
        ),
        (", classes = 2, folds", ", folds", 7, "`shape` lacks `classes`"),
        (", folds = 3", "", 7, "`folds` in `shape` and `{fold}` in `documents` need each other"),
        (
            "{fold}{name}",
            "{name}",
            7,
            "`folds` in `shape` and `{fold}` in `documents` need each other",
        ),
        (
            "\"{class}/",
            "\"{clas}/",
            11,
            "`{clas}` is none of {class}, {part}, {fold}, {name}: no pattern of paths",
        ),
        (
            "documents = ",
            "document = ",
            11,
            "an item of `files` has no key `document`: unknown key",
        ),
        (
            "latin-1",
            "latin-2",
            11,
            "`charset` can't be \"latin-2\": expected one of \"utf-8\", \"latin-1\"",
        ),
        (
            "text-files",
            "idx-images",
            11,
            "this format is of datasets of kind `image`: the dataset is of kind `text`",
        ),
        (
            ", encoding = \"tar.gz\"",
            "",
            12,
            "this format reads archives: expected `encoding = \"tar.gz\"`",
        ),
        (", folder = \"mails/\"", "", 12, "an item of `sources` lacks `folder`"),
        (
            "tree = ",
            "bytes = 3, tree = ",
            12,
            "`bytes` is of a file, `tree` of an archive whose bytes may change",
        ),
        (
            "path = \"i\"",
            "path = \"i\", folder = \"x\"",
            25,
            "`folder` needs `tree`: there is no `tree`",
        ),
        (
            "path = \"i\"",
            "path = \"i\", encoding = \"tar.gz\"",
            25,
            "this format reads no archives: expected `plain` or `gzip`",
        ),
        (
            "\"train\", format = \"idx-labels\"",
            "\"test\", format = \"idx-labels\"",
            26,
            "a second file has the role `test`: again",
        ),
        (
            "  { role = \"train\", format = \"idx-labels\", sources = [{ path = \"l\" }] },\n",
            "",
            23,
            "no file has the labels of the role `train`: each role needs images and labels",
        ),
        (
            "test = 2, classes = 3 }",
            "test = 2, classes = 1 }",
            33,
            "`classes` can't be 1: expected a whole number from 2",
        ),
        (
            "from = \"digits\"",
            "from = \"digits\"\nthreshold = 3",
            43,
            "`threshold` follows from the base: leave it out",
        ),
    ] {
        assert!(TEXT.contains(good), "{good}");
        let found = mistakes(&TEXT.replacen(good, bad, 1));
        let hit = found.iter().any(|(at, what, _)| *at == line && what.starts_with(why));
        if !hit {
            missed.push((line, why, found));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    let parted = TEXT.replace("{class}/{fold}{name}", "{part}/{class}/{name}").replace(
        "role = \"all\", format = \"text-files\"",
        "role = \"train\", format = \"text-files\"",
    );
    let why = "this file itself tells which part a document belongs to: its role is `all`";
    assert!(mistakes(&parted).iter().any(|(line, what, _)| *line == 11 && what == why));
    let split = TEXT.replace("rows = 8, classes = 2", "train = 5, test = 3, classes = 2");
    let why = "nothing tells which part of the published split a document belongs to: \
               expected `{part}` here, or a file for each role";
    assert!(mistakes(&split).iter().any(|(line, what, _)| *line == 11 && what == why));
}

#[test]
fn parameters_of_an_entry_can_be_set_within_their_domain() {
    let registry = Registry::parse(TEXT, "datasets.toml", Path::new("")).unwrap();
    let present = |entry: &Entry| -> Vec<(&str, Value)> {
        entry.parameters().into_iter().map(|(parameter, value)| (parameter.name, value)).collect()
    };
    let word = |word: &str| Value::Text(word.to_owned());
    let mails = registry.get("mails").unwrap();
    assert_eq!(present(mails), [("vocabulary", word("problem"))]);
    let training = mails.with("vocabulary", &word("training")).unwrap();
    assert_eq!(present(&training), [("vocabulary", word("training"))]);
    assert_eq!(Entry { kind: mails.kind.clone(), ..training }, *mails);
    assert_eq!(mails.with("vocabulary", &word("fixed")), None);
    assert_eq!(mails.with("threshold", &Value::Integer(1)), None);
    let some = registry.get("some").unwrap();
    assert_eq!(present(some), [("threshold", Value::Integer(50))]);
    let other = some.with("threshold", &Value::Integer(255)).unwrap();
    assert_eq!(present(&other), [("threshold", Value::Integer(255))]);
    for bad in [Value::Integer(256), Value::Integer(-1), Value::Real(1.0), word("0")] {
        assert_eq!(some.with("threshold", &bad), None);
    }
    let built_in = Registry::built_in().unwrap();
    assert!(built_in.get("nltcs").unwrap().parameters().is_empty());
    let parity = built_in.get("parity").unwrap();
    let [(name, present)] = &parity.parameters()[..] else { panic!("one parameter") };
    assert_eq!((name.name, parity.with("sampling", present).as_ref()), ("sampling", Some(parity)));
    assert_eq!(parity.with("sampling", &word("none")), None);
}

const RECORDS: &str = r#"schema = 1
[dataset.votes]
title = "Votes"
kind = "categorical"
shape = { variables = 3, rows = 8, classes = 2 }
citation = "nobody"
licence = "CC0"
files = [{ role = "all", format = "attribute-csv", class = "first", skipped = 1, sources = [{ path = "v" }] }]

[dataset.flowers]
title = "Flowers"
kind = "numeric"
binning = "equal-width"
shape = { variables = 4, rows = 9, classes = 3 }
citation = "nobody"
licence = "CC0"
files = [{ role = "all", format = "attribute-csv", class = "last", sources = [{ path = "f" }] }]

[dataset.few]
title = "Few"
citation = "nobody"
licence = "CC0"
from = "flowers"
rows = [0, 5]

[dataset.two]
title = "Two"
citation = "nobody"
licence = "CC0"
from = "flowers"
classes = { one = ["a"], others = ["b", "c"] }
"#;

#[test]
fn sets_of_attributes_and_numbers_are_read() {
    let registry = Registry::parse(RECORDS, "datasets.toml", Path::new("")).unwrap();
    let votes = registry.get("votes").unwrap();
    let columns = Columns { skipped: 1, class: ClassColumn::First };
    assert_eq!(
        (&votes.kind, votes.shape.classes()),
        (&Kind::Categorical { missing: Missing::Category }, Some(2))
    );
    assert_eq!(votes.files()[0].format, Format::AttributeCsv(columns));
    let names: Vec<&str> = votes.parameters().iter().map(|(known, _)| known.name).collect();
    assert_eq!(names, ["missing"]);
    let few = registry.get("few").unwrap();
    let numeric = |binning| Kind::Numeric { binning, standardised: false, missing: Missing::Error };
    assert_eq!(few.kind, numeric(Some(Binning::EqualWidth)));
    let two = registry.get("two").unwrap();
    let Origin::Derived(Derivation { classes: Some(classes), .. }) = &two.origin else { panic!() };
    assert_eq!((two.shape.classes(), &*classes[1].name), (Some(2), "others"));
    assert_eq!(classes[1].of_base, ["b", "c"]);
    let word = |word: &str| Value::Text(word.to_owned());
    for (rule, binning) in Binning::ALL.iter() {
        let kind = few.with("binning", &word(rule)).unwrap().kind;
        assert_eq!(kind, numeric(binning), "{rule}");
    }
    assert_eq!(few.with("binning", &word("quantiles")), None);
    let standardised = few.with("standardised", &Value::Bool(true)).unwrap();
    let names: Vec<(&str, Value)> =
        standardised.parameters().into_iter().map(|(p, value)| (p.name, value)).collect();
    let expected = [
        ("binning", word("equal-width")),
        ("standardised", Value::Bool(true)),
        ("missing", word("error")),
    ];
    assert_eq!(names, expected);
    assert_eq!(few.with("standardised", &word("true")), None);
}

#[test]
fn mistakes_of_sets_of_attributes_and_numbers_are_named() {
    let mut missed = Vec::new();
    for (good, bad, line, why) in [
        (
            "\"categorical\"",
            "\"binary\"",
            8,
            "this format is of datasets of kind `categorical` or `numeric`",
        ),
        (", classes = 2", "", 5, "`shape` lacks `classes`"),
        (", class = \"first\"", "", 8, "an item of `files` lacks `class`"),
        (
            "\"first\"",
            "\"second\"",
            8,
            "`class` can't be \"second\": expected one of \"first\", \"last\"",
        ),
        (", skipped = 1", ", skipped = -1", 8, "`skipped` can't be -1"),
        ("\"equal-width\"", "\"equal\"", 13, "`binning` can't be \"equal\""),
        ("binning = \"equal-width\"", "threshold = 3", 13, "`threshold` is a key of kind `image`"),
        ("from = \"flowers\"", "from = \"flowers\"\nbinning = \"none\"", 24, "`binning` follows"),
        ("\"b\", \"c\"", "\"b\"", 31, "the classes of the base are not joined so: they name 2 of"),
        ("\"b\", \"c\"", "\"b\", \"a\"", 31, "the classes of the base are not joined so: a class"),
        ("\"a\"], o", "\"a\", \"c\", \"d\"], o", 31, "the classes of the base are not joined so: "),
        (
            "one = [\"a\"], others",
            "others",
            31,
            "the classes of the base are not joined so: expected",
        ),
        ("one = [\"a\"]", "\"o/e\" = [\"a\"]", 31, "`o/e` is no class name"),
        ("one = [\"a\"]", "one = 3", 31, "`one` can't be 3"),
        (
            "kind = \"categorical\"",
            "kind = \"categorical\"\nstandardised = true",
            5,
            "`standardised` is a key",
        ),
        ("binning = \"equal-width\"", "standardised = 1", 13, "`standardised` can't be 1"),
    ] {
        assert!(RECORDS.contains(good), "{good}");
        let found = mistakes(&RECORDS.replacen(good, bad, 1));
        if !found.iter().any(|(at, what, _)| *at == line && what.starts_with(why)) {
            missed.push((line, why, found));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// What is larger than this program reads is refused before anything is allocated for it.
#[test]
fn sizes_are_within_limits() {
    let images = GOOD
        .replace("kind = \"binary\"", "kind = \"image\"")
        .replace("test = 2 }", "test = 2, classes = 257 }");
    assert!(mistakes(&images).contains(&(
        5,
        "`classes` can't be 257: expected a whole number from 2 to 256".to_owned(),
        None
    )));
    for (good, bad, line, why) in [
        (
            "variables = 3",
            "variables = 3_000_000_000",
            5,
            "`variables` can't be 3000000000: expected a whole number from 1 to 10000000",
        ),
        (
            "train = 4",
            "train = 100_000_001",
            5,
            "`train` can't be 100000001: expected a whole number from 0 to 100000000",
        ),
        (
            "variables = 3, train = 4",
            "variables = 10_000_000, train = 100_000_000",
            5,
            "the dataset is larger than this program reads: expected at most 1073741824 examples times \
             variables",
        ),
        (
            "bytes = 7",
            "bytes = 9_000_000_000_000_000_000",
            10,
            "`bytes` can't be 9000000000000000000: expected a whole number from 0 to 2147483648",
        ),
    ] {
        assert!(GOOD.contains(good), "{good}");
        let found = mistakes(&GOOD.replacen(good, bad, 1));
        assert!(found.contains(&(line, why.to_owned(), None)), "{why} not in {found:#?}");
    }
}

/// What is hostile is refused, and at once: every two items of a list are compared.
#[test]
fn lists_have_a_most() {
    let start = std::time::Instant::now();
    let many = "{},".repeat(200_000);
    let text = GOOD.replacen("files = [", &format!("files = [{many}"), 1);
    let found = mistakes(&text);
    let why = "`files` has 200002 items: expected at most 10000".to_owned();
    assert_eq!(found, [(8, why, None)]);
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
}

#[test]
fn generators_are_within_limits() {
    for (generator, why) in [
        (
            r#"kind = "tree", seed = 1, variables = 100_000, train = 10_000_000, valid = 0, test = 1"#,
            "`train` must be such that examples times variables are at most 536870912",
        ),
        (
            r#"kind = "tree", seed = 1, variables = 3_000_000_000, train = 1, valid = 0, test = 1"#,
            "`variables` can't be 3000000000",
        ),
        (
            r#"kind = "mixture-of-blocks", components = 1000, blocks = 2, seed = 1, variables = 100_000, train = 9, valid = 0, test = 1"#,
            "`components` must be such that components times variables are at most 16777216",
        ),
        (
            r#"kind = "boolean-function", function = "parity", sampling = "uniform", seed = 1, variables = 2000, train = 10_000_000, test = 1"#,
            "`train` must be such that examples times variables are at most 17179869184",
        ),
        (
            r#"kind = "boolean-function", function = "exact", values = [9_000_000_000_000_000_000], sampling = "uniform", seed = 1, variables = 10, train = 10, test = 1"#,
            "`values` must be some but not all numbers from 0 to the number of relevant variables, 10, \
             ascending",
        ),
        (
            r#"kind = "factors", factor = "gaussian", seed = 1, variables = 1000, size = 4, examples = 10_000_000"#,
            "`examples` must be such that examples times variables are at most 268435456",
        ),
        (
            r#"kind = "factors", factor = "xor", seed = 1, variables = 100_000, size = 16, examples = 1"#,
            "`size` must be such that variables times 2^size are at most 16777216",
        ),
        (
            r#"kind = "normal-mixture", seed = 1, train = 10_000_000, test = 10_000_000, variance = 1.0, components = [{ class = "negative", weight = 0.5, mean = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }, { class = "positive", weight = 0.5, mean = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }]"#,
            "`train` must be such that examples times variables are at most 268435456",
        ),
    ] {
        let kind = match generator.contains("mixture\"") {
            true => "numeric",
            false => "binary",
        };
        let kind = if generator.contains("gaussian") { "numeric" } else { kind };
        let text = format!(
            "schema = 1\n[dataset.g]\ntitle = \"G\"\nkind = \"{kind}\"\ncitation = \"none\"\nlicence = \
             \"none\"\ngenerator = {{ {generator} }}\n"
        );
        let found = mistakes(&text);
        let (line, message, _) = found
            .iter()
            .find(|(_, m, _)| m.starts_with(why))
            .unwrap_or_else(|| panic!("{why} not in {found:#?}"));
        assert_eq!(*line, 7, "{message}");
    }
}
