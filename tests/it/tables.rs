//! Tables as people have them: read as the registry says, or refused with the cause and the cure.

use std::path::Path;

use reprise::contract::Examples;
use reprise::contract::table::Column;
use reprise::data::add::{Wanted, add};
use reprise::data::split::Division;
use reprise::data::{DataConfig, DataError, Dataset, Library};
use reprise::task::Problem;
use reprise::task::classification::ClassificationData;

use crate::support::registry::{self, entry};

/// Passengers: numbers, names, and missing values of both; the class has blanks.
const PASSENGERS: &str = "\u{feff}name,sex,age,fare,fate\r
\"Allen, Miss. E\",female,29,211.3,well done\r
\"Allison, Mr. H\",male,?,151.5,not found\r
\"Bidois, Miss. R\",female,42,227.5,well done\r
\"Carter, Mr. W\",,36,120,not found\r
\"Drew, Mr. J\",male,40,NA,not found\r
";

/// The dataset of one file in a folder.
fn load(
    folder: &Path,
    text: &str,
    kind: &str,
    keys: &str,
    file: &str,
) -> Result<Dataset, DataError> {
    std::fs::write(folder.join("set.csv"), text).unwrap();
    let rest = format!(
        "{keys}\nfiles = [{{ role = \"all\", format = \"csv\", {file}, sources = [{{ path = \"set.csv\" }}] }}]"
    );
    let path = folder.join("datasets.toml");
    std::fs::write(&path, registry::of(&[entry("set", kind, &rest)])).unwrap();
    let (cache, registry) = (Some(folder.join("cache")), Some(path));
    let config = DataConfig { cache, registry, offline: true, ..DataConfig::default() };
    Library::open(&config, None).unwrap().load("set")
}

const FILE: &str =
    "target = \"fate\", attributes = [\"sex\", \"age\", \"fare\"], categories = [\"sex\"]";

fn passengers(missing: &str) -> Result<Dataset, DataError> {
    let folder = tempfile::tempdir().unwrap();
    let keys = format!("{missing}\nshape = {{ variables = 3, rows = 5, classes = 2 }}");
    load(folder.path(), PASSENGERS, "numeric", &keys, FILE)
}

/// What is wrong, and what to do.
fn refused(result: Result<Dataset, DataError>) -> String {
    use miette::Diagnostic as _;
    let error = result.unwrap_err();
    let (message, help) = (error.to_string(), error.help().unwrap().to_string());
    let (_, rest) = message.split_once("set.csv, ").unwrap_or(("", &message));
    format!("{rest} ({help})")
}

#[test]
fn a_table_has_its_columns_by_name() {
    let set = passengers("missing = \"median\"").unwrap();
    let Examples::Table(table) = &set.examples else { panic!("{}", set.examples.described()) };
    let Column::Names { names, codes } = &table.columns()[0] else { panic!("names") };
    assert_eq!((&names[..], &codes[..3]), (&["male".into(), "female".into()][..], &[1, 0, 1][..]));
    let Column::Numbers(fares) = &table.columns()[2] else { panic!("numbers") };
    assert_eq!(fares[..4], [211.3, 151.5, 227.5, 120.0]);
    assert!(fares[4].is_nan());
    assert_eq!(set.targets.labels().unwrap().classes, ["not found", "well done"]);
}

#[test]
fn a_missing_value_is_an_error_unless_something_is_said_of_it() {
    let cure =
        "(say what is done about missing values: missing = \"drop\", \"median\" or \"category\")";
    let expected = format!("line 3, column `age`: the value is missing {cure}");
    assert_eq!(refused(passengers("")), expected);
    let without = PASSENGERS.replace("well done\r\n\"Carter", "\r\n\"Carter");
    let folder = tempfile::tempdir().unwrap();
    let keys = "missing = \"median\"\nshape = { variables = 3, rows = 5, classes = 2 }";
    assert_eq!(
        refused(load(folder.path(), &without, "numeric", keys, FILE)),
        "line 4, column `fate`: the class is missing (correct the file, or leave such rows out: missing = \
         \"drop\")"
    );
}

#[test]
fn rows_with_a_missing_value_are_left_out_and_counted() {
    // One class is left, so there is nothing to tell apart.
    let one = passengers("missing = \"drop\"").unwrap_err().to_string();
    assert!(one.starts_with("the dataset has 1 classes, but `shape`"), "{one}");
    let text = PASSENGERS.replace("227.5,well done", "227.5,not found");
    let keys = "missing = \"drop\"\nshape = { variables = 3, train = 2, test = 3, classes = 2 }";
    let folder = tempfile::tempdir().unwrap();
    let set = load(folder.path(), &text, "numeric", keys, FILE).unwrap();
    assert_eq!(set.examples.len(), 2);
    let split = set.published.unwrap();
    assert_eq!((split.train, split.test, set.dropped), (0..1, 1..2, 3));
}

/// The treatment is part of what a trial is: it enters the digest, where it can make a difference.
#[test]
fn what_is_done_about_missing_values_enters_the_digest() {
    let digest = |missing: &str| passengers(&format!("missing = {missing:?}")).unwrap().digest;
    assert_ne!(digest("median"), digest("category"));
    let complete = |missing: &str| {
        let folder = tempfile::tempdir().unwrap();
        let keys = format!("{missing}\nshape = {{ variables = 2, rows = 3, classes = 2 }}");
        let text = "a,fate,b\n1,x,2\n3,y,4\n5,x,6\n";
        load(folder.path(), text, "numeric", &keys, "target = \"fate\"").unwrap()
    };
    let set = complete("");
    assert_eq!(set.digest, complete("missing = \"median\"").digest);
    assert_eq!(set.examples.numeric().unwrap().row(1), [3.0, 4.0]);
}

/// What a trial makes of columns is learned from its training examples.
#[test]
fn missing_values_are_filled_from_the_training_part_of_each_split() {
    let set = passengers("missing = \"median\"").unwrap();
    let labels = &set.targets.labels().unwrap().of_example;
    let divided = |train: &[usize], test: &[usize]| {
        let division = Division { train: train.to_vec(), valid: vec![], test: test.to_vec() };
        let data = ClassificationData::new(&set, labels, &division, &Problem::whole(2));
        let test = data.test.examples.numeric().unwrap();
        test.iter().map(<[f64]>::to_vec).collect::<Vec<_>>()
    };
    // Male, female, age, fare. The ages of training are 29 and 42, the fares 211.3 and 227.5; `male` is unseen.
    assert_eq!(divided(&[0, 2], &[1, 4]), [[0.0, 35.5, 151.5], [0.0, 40.0, 219.4]]);
    let other = divided(&[0, 2, 3, 4], &[1]);
    assert_eq!(other, [[1.0, 0.0, 38.0, 151.5]]);
}

#[test]
fn a_header_that_nobody_expects_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let keys = "shape = { variables = 2, rows = 2, classes = 2 }";
    let text = "a,b,fate\n1,2,x\n3,4,y\n";
    let file = "header = false, target = \"3\"";
    assert_eq!(
        refused(load(folder.path(), text, "numeric", keys, file)),
        "line 1, column `1`: `a` is no number (the first line is a header: set header = true)"
    );
    let names = "a,b,fate\n1,2,x\nred,4,y\n";
    assert_eq!(
        refused(load(folder.path(), names, "numeric", keys, "target = \"fate\"")),
        "line 3, column `a`: `red` is no number (correct the value, where it is missing leave it empty or write ?, NA or \
         nan; or name the column in categories = [\"a\"])"
    );
    let wide = "shape = { variables = 7, rows = 2, classes = 2 }";
    assert_eq!(
        refused(load(folder.path(), text, "numeric", wide, "target = \"fate\"")),
        "line 1: it has 2 attributes, but `shape` says 7 variables (set variables = 2, or name the columns \
         in `attributes`)"
    );
    let class = text.replace('x', "a\u{8}b");
    assert_eq!(
        refused(load(folder.path(), &class, "numeric", keys, "target = \"fate\"")),
        "line 2, column `fate`: `a\u{8}b` is no class name (a class name has at most 200 characters, and none \
         that moves the cursor)"
    );
}

/// A library of the built-in datasets, and a folder of a user's own.
fn user() -> (Library, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Some(folder.path().join("cache"));
    let mirror = Some(folder.path().join("mirror").display().to_string());
    std::fs::create_dir(folder.path().join("mirror")).unwrap();
    let config = DataConfig { cache, mirror, offline: true, ..DataConfig::default() };
    (Library::open(&config, Some(folder.path())).unwrap(), folder)
}

#[test]
fn a_file_is_added_with_what_can_be_known_of_it() {
    let (library, folder) = user();
    let file = folder.path().join("Passengers 1912.csv");
    std::fs::write(&file, PASSENGERS).unwrap();
    let registry = folder.path().join("datasets.toml");
    let source = file.display().to_string();
    let (target, group, time, id) = (None, None, None, None);
    let wanted = Wanted {
        source: &source,
        target,
        header: None,
        group,
        time,
        id,
        replace: false,
        registry: &registry,
    };
    let added = add(&wanted, &library).unwrap();
    assert_eq!(added.id, "passengers-1912");
    let config = DataConfig { registry: Some(registry.clone()), ..DataConfig::default() };
    let set = Library::open(&config, None).unwrap().load("passengers-1912").unwrap();
    assert_eq!(set.targets.labels().unwrap().classes, ["not found", "well done"]);
    // No id is overwritten, and no file either.
    let before = std::fs::read_to_string(&registry).unwrap();
    let again = add(&wanted, &library).unwrap_err().to_string();
    assert!(again.starts_with("there is a dataset `passengers-1912` already, in "), "{again}");
    let known = add(&Wanted { id: Some("iris"), ..wanted }, &library).unwrap_err();
    assert_eq!(
        known.to_string(),
        "there is a dataset `iris` already, among those that are known here"
    );
    let none = add(&Wanted { target: Some("age"), id: Some("other"), ..wanted }, &library);
    assert!(none.is_ok());
    let absent = Wanted { source: "nothing.csv", ..wanted };
    assert!(add(&absent, &library).unwrap_err().to_string().contains("nothing.csv"));
    let text = std::fs::read_to_string(&registry).unwrap();
    assert!(text.starts_with(before.trim_end()) && text.contains("[dataset.other]"), "{text}");
}

#[test]
fn a_folder_or_a_url_is_added_too() {
    let (library, folder) = user();
    let registry = folder.path().join("datasets.toml");
    let split = folder.path().join("split");
    std::fs::create_dir(&split).unwrap();
    let source = split.display().to_string();
    let (target, group, time, id) = (None, None, None, None);
    let wanted = Wanted {
        source: &source,
        target,
        header: None,
        group,
        time,
        id,
        replace: false,
        registry: &registry,
    };
    let none = add(&wanted, &library).unwrap_err().to_string();
    assert!(none.ends_with("split holds no table"), "{none}");
    std::fs::write(split.join("train.csv"), "a,class\n1,x\n2,y\n").unwrap();
    std::fs::write(split.join("test.csv"), "a,class\n3,x\n").unwrap();
    let added = add(&wanted, &library).unwrap();
    assert!(added.draft.entry.contains("train = 2, test = 1, classes = 2"), "{:?}", added.draft);

    let url = "https://example.org/data/flowers.tsv";
    let absent = add(&Wanted { source: url, ..wanted }, &library).unwrap_err();
    assert!(absent.to_string().contains(url), "{absent}");
    let mirrored = folder.path().join("mirror/example.org/data");
    std::fs::create_dir_all(&mirrored).unwrap();
    std::fs::write(mirrored.join("flowers.tsv"), "a\tSpecies\n1\tx\n2\ty\n").unwrap();
    let added = add(&Wanted { source: url, ..wanted }, &library).unwrap();
    assert_eq!(added.id, "flowers");
    assert!(added.draft.entry.contains("url = \"https://example.org/data/flowers.tsv\""));
    let config = DataConfig { registry: Some(registry), ..DataConfig::default() };
    assert_eq!(Library::open(&config, None).unwrap().load("split").unwrap().examples.len(), 3);
}

#[test]
fn libsvm_files_have_classes_or_numbers() {
    let load = |text: &str, shape: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("set.csv"), text).unwrap();
        let rest = format!(
            "shape = {{ variables = 3, rows = 3, {shape} }}\nfiles = [{{ role = \"all\", format = \"libsvm\", sources = \
             [{{ path = \"set.csv\" }}] }}]"
        );
        let path = folder.path().join("datasets.toml");
        std::fs::write(&path, registry::of(&[entry("set", "numeric", &rest)])).unwrap();
        let (cache, registry) = (Some(folder.path().join("cache")), Some(path));
        let config = DataConfig { cache, registry, offline: true, ..DataConfig::default() };
        Library::open(&config, None).unwrap().load("set")
    };
    const TEXT: &str = "+1 1:0.5 3:2\n-1 2:1e3\n+1\n";
    let classes = load(TEXT, "classes = 2").unwrap();
    assert_eq!(
        classes.examples.numeric().unwrap().values(),
        [0.5, 0., 2., 0., 1e3, 0., 0., 0., 0.]
    );
    assert_eq!(classes.targets.labels().unwrap().classes, ["+1", "-1"]);
    let numbers = load(TEXT, "target = \"number\"").unwrap();
    assert_eq!(numbers.targets.numbers().unwrap(), [1.0, -1.0, 1.0]);
    assert!(
        refused(load("x\n1\n2\n", "target = \"number\"")).starts_with("line 1: `x` is no number")
    );
    let short = refused(load("1\n2\n", "target = \"number\""));
    assert!(short.contains("has 2 rows, but `shape`"), "{short}");
}
