//! `reprise data add` and `reprise data croissant`: what people have becomes an entry, and an entry a description; what
//! can't be is refused with its cause and its cure.

use std::io::{Cursor, Write as _};
use std::path::Path;
use std::process::Output;

use reprise::base::digest::Digest;
use reprise::contract::Examples;
use reprise::data::registry::Registry;
use reprise::data::{DataConfig, Dataset, Library};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::support::registry::mirror;
use crate::support::server::{Reply, Server, ok, status};
use crate::support::terminal::{assert_says, text};

/// The program in a folder, with a mirror or none, and no network beyond this machine.
fn run(folder: &Path, mirror: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_reprise"));
    command.arg("data").args(arguments).current_dir(folder).env("NO_COLOR", "1");
    command.env("REPRISE_CACHE", folder.join("cache")).env_remove("REPRISE_MIRROR");
    if let Some(mirror) = mirror {
        command.env("REPRISE_MIRROR", mirror);
    }
    command.output().unwrap()
}

/// The program in a folder.
fn data(folder: &Path, arguments: &[&str]) -> Output {
    run(folder, None, arguments)
}

/// A dataset of the registry of a folder.
fn load(folder: &Path, registry: &str, mirror: Option<&str>, id: &str) -> Dataset {
    let config = DataConfig {
        cache: Some(folder.join("cache")),
        registry: Some(folder.join(registry)),
        mirror: mirror.map(str::to_owned),
        offline: true,
        ..DataConfig::default()
    };
    Library::open(&config, None).unwrap().load(id).unwrap()
}

/// The entry of a dataset, without what is only said of it.
fn entry(folder: &Path, registry: &str, id: &str) -> toml::Value {
    let path = folder.join(registry);
    let text = std::fs::read_to_string(&path).unwrap();
    let registry = Registry::parse(&text, registry, folder).unwrap();
    registry.table(id).unwrap().clone()
}

/// An array as NumPy writes it.
fn npy(dtype: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = u16::try_from(text.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), data].concat()
}

fn reals(shape: &str, values: &[f64]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy("<f8", shape, &bytes)
}

fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        writer.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const X: [f64; 8] = [0.5, 1.0, -2.0, 3.0, 4.25, 5.0, 6.0, 7.0];

#[test]
fn arrays_in_one_file_or_in_two_are_the_same_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (features, targets) = (reals("(4, 2)", &X), npy("|u1", "(4,)", &[7, 9, 7, 9]));
    std::fs::write(here.join("set.npz"), npz(&[("X", features.clone()), ("y", targets.clone())]))
        .unwrap();
    std::fs::write(here.join("X.npy"), &features).unwrap();
    std::fs::write(here.join("labels.npy"), &targets).unwrap();
    std::fs::create_dir(here.join("both")).unwrap();
    std::fs::write(here.join("both/features.npy"), &features).unwrap();
    std::fs::write(here.join("both/y.npy"), &targets).unwrap();
    let added = data(here, &["add", "set.npz"]);
    assert_says(
        &added,
        0,
        &["2 columns, -2 to 7", "classes: 7 2, 9 2", "`y` is taken for the target"],
    );
    let target = ["add", "X.npy", "--target", "labels.npy", "--id", "two"];
    assert_says(&data(here, &target), 0, &["classes: 7 2, 9 2", "npy-target", "`two` is in"]);
    assert_says(&data(here, &["add", "both"]), 0, &["`both` is in datasets.toml"]);
    let one = load(here, "datasets.toml", None, "set");
    let Examples::Numeric(rows) = &one.examples else { panic!("{}", one.examples.described()) };
    assert_eq!(rows.values(), X);
    let labels = one.targets.labels().unwrap();
    assert_eq!(
        (&labels.classes[..], &labels.of_example[..]),
        (&["7".into(), "9".into()][..], &[0, 1, 0, 1][..])
    );
    for other in ["two", "both"] {
        assert_eq!(load(here, "datasets.toml", None, other).digest, one.digest, "{other}");
    }
}

/// Written by NumPy 2.4.6: `numpy.savez_compressed` of a published split, and NaN in it.
#[test]
fn arrays_of_a_published_split_are_told_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let written = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/npz/packed");
    std::fs::copy(written, here.join("split.npz")).unwrap();
    let added = data(here, &["add", "split.npz"]);
    assert_says(&added, 0, &["missing = \"median\"", "train = 3, test = 1, classes = 2"]);
    let set = load(here, "datasets.toml", None, "split");
    let Examples::Table(table) = &set.examples else { panic!("{}", set.examples.described()) };
    assert_eq!((table.len(), table.columns().len(), set.published.unwrap().test), (4, 2, 3..4));
}

#[test]
fn truth_values_without_targets_are_for_densities_and_numbers_are_targets() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("bits.npy"), npy("|b1", "(3, 2)", &[0, 1, 1, 1, 0, 0])).unwrap();
    assert_says(&data(here, &["add", "bits.npy"]), 0, &["kind = \"binary\"", "no target"]);
    let bits = load(here, "datasets.toml", None, "bits");
    let Examples::Binary(rows) = &bits.examples else { panic!("{}", bits.examples.described()) };
    assert_eq!(rows.iter().collect::<Vec<_>>(), [&[1_u32][..], &[0, 1], &[]]);
    let price = reals("(4,)", &[1.5, 2.25, 3.0, 4.0]);
    std::fs::write(
        here.join("prices.npz"),
        npz(&[("data", reals("(4, 2)", &X)), ("price", price)]),
    )
    .unwrap();
    assert_says(&data(here, &["add", "prices.npz"]), 0, &["target: a number from 1.5 to 4"]);
    assert_eq!(
        load(here, "datasets.toml", None, "prices").targets.numbers().unwrap(),
        [1.5, 2.25, 3.0, 4.0]
    );
    // Row by row, so that what is missing in a target takes its row along.
    let torn = reals("(4,)", &[1.5, f64::NAN, 3.0, 4.0]);
    std::fs::write(here.join("torn.npz"), npz(&[("X", reals("(4, 2)", &X)), ("y", torn)])).unwrap();
    assert_says(
        &data(here, &["add", "torn.npz"]),
        0,
        &["missing = \"drop\"", "1 rows are left out"],
    );
    assert_eq!(
        load(here, "datasets.toml", None, "torn").targets.numbers().unwrap(),
        [1.5, 3.0, 4.0]
    );
}

#[test]
fn arrays_that_can_not_be_added_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let x = || reals("(4, 2)", &X);
    let write = |name: &str, bytes: &[u8]| std::fs::write(here.join(name), bytes).unwrap();
    write("X.npy", &x());
    write("deep.npy", &reals("(2, 2, 2)", &X));
    write("object.npy", &npy("|O", "(2,)", b"\x80\x04."));
    write("short.npy", &reals("(400000000, 2)", &X));
    write("two.npz", &npz(&[("a", x()), ("b", x())]));
    write(
        "lists.npz",
        &npz(&[("X", x()), ("a", reals("(4,)", &X[..4])), ("b", reals("(4,)", &X[..4]))]),
    );
    write("long.npz", &npz(&[("X", x()), ("y", reals("(3,)", &X[..3]))]));
    let mut sheet = ZipWriter::new(Cursor::new(Vec::new()));
    sheet.start_file("workbook.xml", SimpleFileOptions::default()).unwrap();
    write("sheet.xlsx", &sheet.finish().unwrap().into_inner());
    write(
        "infinite.npz",
        &npz(&[("X", reals("(2, 1)", &[1.0, f64::INFINITY])), ("y", npy("|u1", "(2,)", &[0, 1]))]),
    );
    for (arguments, phrases) in [
        (&["X.npy"][..], &["`X` has no targets beside it", "--target y.npy"][..]),
        (&["deep.npy"], &["deep.npy, the array: its shape is (2, 2, 2)", "X.reshape(len(X), -1)"]),
        (&["object.npy"], &["its dtype is `'|O'`", "astype"]),
        (&["short.npy"], &["its header says (400000000, 2)", "64 bytes follow"]),
        (&["two.npz"], &["it is not clear which array has the examples", "`a` (4, 2), `b` (4, 2)"]),
        (&["lists.npz"], &["it is not clear which array has the targets", "--target"]),
        (&["lists.npz", "--target", "c"], &["there is no array `c` with 4 targets"]),
        (&["long.npz"], &["`X` has no targets beside it: there are `X` (4, 2), `y` (3,)"]),
        (&["sheet.xlsx"], &["is a zip file without arrays", "save a spreadsheet as CSV"]),
        (&["infinite.npz"], &["array `X` at [1, 0]: the value is infinite"]),
        (&["lists.npz", "--target", "a", "--group", "g"], &["no column `g` for --group", "CSV"]),
    ] {
        let output = data(here, &[&["add"], arguments].concat());
        assert_says(&output, 3, phrases);
        assert!(!here.join("datasets.toml").exists(), "{}", text(&output));
    }
}

/// What the entry says is compared with what the arrays hold.
#[test]
fn arrays_are_what_their_entry_says() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let targets = npy("|u1", "(4,)", &[7, 9, 7, 9]);
    std::fs::write(
        here.join("s.npz"),
        npz(&[("X", reals("(4, 2)", &X)), ("y", targets), ("z", reals("(3,)", &X[..3]))]),
    )
    .unwrap();
    let refused = |kind: &str, shape: &str, file: &str| {
        let text = format!(
            "schema = 1\n[dataset.s]\ntitle = \"s\"\nkind = \"{kind}\"\ncitation = \"c\"\nlicence = \"l\"\n\
             shape = {{ {shape} }}\nfiles = [{{ role = \"all\", {file}, sources = [{{ path = \"s.npz\" }}] }}]\n"
        );
        std::fs::write(here.join("datasets.toml"), text).unwrap();
        let config = DataConfig {
            cache: Some(here.join("cache")),
            registry: Some(here.join("datasets.toml")),
            offline: true,
            ..DataConfig::default()
        };
        let loaded = Library::open(&config, None).and_then(|library| library.load("s"));
        let error = loaded.unwrap_err();
        format!("{:?}", miette::Report::new(error))
    };
    let all = "format = \"npz\", features = \"X\", target = \"y\"";
    let other = |target: &str| format!("format = \"npz\", features = \"X\", target = \"{target}\"");
    for (kind, shape, file, phrase) in [
        (
            "numeric",
            "variables = 3, rows = 4, classes = 2",
            all,
            "it has 2 columns, but `shape` says 3 variables",
        ),
        ("numeric", "variables = 2, rows = 5, classes = 2", all, "has 4 rows, but `shape`"),
        ("numeric", "variables = 2, rows = 3, classes = 2", all, "has 4 rows, but `shape`"),
        ("numeric", "variables = 2, rows = 4, classes = 3", all, "has 2 classes, but `shape`"),
        (
            "numeric",
            "variables = 2, rows = 4, classes = 2",
            &other("w"),
            "array `w`: there is no such array",
        ),
        (
            "numeric",
            "variables = 2, rows = 4, classes = 2",
            &other("z"),
            "array `z`: it has 3 targets, and there are 4",
        ),
        (
            "numeric",
            "variables = 2, rows = 4, classes = 2",
            &other("X"),
            "array `X`: its shape is (4, 2), and targets",
        ),
        (
            "binary",
            "variables = 2, rows = 4",
            "format = \"npz\", features = \"X\"",
            "array `X` at [0, 0]: 0.5 is not 0 or 1",
        ),
        (
            "numeric",
            "variables = 2, rows = 4, classes = 2",
            "format = \"npz\", features = \"X\"",
            "`target` names their array",
        ),
        (
            "binary",
            "variables = 2, rows = 4",
            all,
            "the examples of a binary dataset have no targets",
        ),
        (
            "numeric",
            "variables = 2, rows = 4, classes = 2",
            "format = \"npz\", target = \"y\"",
            "lacks `features`",
        ),
        (
            "numeric",
            "variables = 2, rows = 4, classes = 2",
            "format = \"npy-features\"",
            "no file has the targets of the role `all`",
        ),
        ("text", "variables = 2, rows = 4, classes = 2", all, "kind `binary` or `numeric`"),
    ] {
        let found = refused(kind, shape, file);
        let found: String =
            found.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(found.contains(phrase), "{phrase}: {found}");
    }
}

#[test]
fn libsvm_files_are_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("heart.txt"), "# c\n+1 1:0.5 3:2\n-1 2:1\n+1 # none\n").unwrap();
    std::fs::write(here.join("prices.svm"), "1.5 1:2\n2.5 1:3\n-0.5 1:1\n").unwrap();
    let added = data(here, &["add", "heart.txt"]);
    assert_says(
        &added,
        0,
        &["3 values that are written, 33.3%", "classes: +1 2, -1 1", "format = \"libsvm\""],
    );
    let set = load(here, "datasets.toml", None, "heart");
    assert_eq!(set.examples.numeric().unwrap().values(), [0.5, 0., 2., 0., 1., 0., 0., 0., 0.]);
    assert_says(&data(here, &["add", "prices.svm"]), 0, &["target: a number from -0.5 to 2.5"]);
    std::fs::write(here.join("words.svm"), "+1 1:1 3:1\n-1 2:1\n").unwrap();
    assert_says(&data(here, &["add", "words.svm"]), 0, &["0 or 1", "kind = \"binary\""]);
    let Examples::Packed(rows) = load(here, "datasets.toml", None, "words").examples else {
        panic!("no bits")
    };
    assert_eq!((rows.row(0), rows.row(1)), (&[0b101][..], &[0b010][..]));
    std::fs::write(here.join("zero.txt"), "1 0:0.5\n2 1:1\n").unwrap();
    assert_says(
        &data(here, &["add", "zero.txt"]),
        3,
        &["zero.txt, line 1: index `0`", "zero_based=False"],
    );
    let asked = ["add", "heart.txt", "--id", "h2", "--target", "class"];
    assert_says(&data(here, &asked), 3, &["begins with its target", "leave --target out"]);
    std::fs::write(here.join("wide.txt"), "1 1:0.5\n2 4000000000:1\n").unwrap();
    assert_says(
        &data(here, &["add", "wide.txt"]),
        3,
        &["line 2: index `4000000000` is not from 1 to 10000000"],
    );
}

const VISITS: &str = "patient,day,pulse,ill\na,2026-01-03,60,no\na,2026-01-09,61,no\nb,2026-01-01,80,yes\nb,2026-02-01,82,yes\nc,2026-01-04,70,no\n";

/// A table of forty rows, each by its number.
fn forty(header: &str, row: impl Fn(usize) -> String) -> String {
    (0..40).fold(format!("{header}\n"), |text, at| text + &row(at) + "\n")
}

#[test]
fn columns_that_number_the_rows_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    // As pandas writes a frame: the first column has no name.
    let class = |at: usize| ["u", "v"][at % 2];
    let frame = forty(",a,y", |at| format!("{at},{},{}", at * at % 7, class(at)));
    std::fs::write(here.join("frame.csv"), frame).unwrap();
    assert_says(&data(here, &["add", "frame.csv"]), 0, &["classes: u 20, v 20", "variables = 1"]);
    assert_eq!(load(here, "datasets.toml", None, "frame").examples.len(), 40);
    let named = forty("nr,a,y", |at| format!("{},{},{}", at + 7, at * at % 7, class(at)));
    std::fs::write(here.join("named.csv"), named).unwrap();
    let says = ["`nr` is left out: it numbers the rows", "variables = 1"];
    assert_says(&data(here, &["add", "named.csv"]), 0, &says);
}

#[test]
fn results_of_a_file_that_was_edited_are_not_called_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let rows = forty("a,y", |at| format!("{},{}", at * at % 7, ["u", "v"][at % 2]));
    std::fs::write(here.join("own.csv"), &rows).unwrap();
    assert_says(&data(here, &["add", "own.csv"]), 0, &["variables = 1"]);
    let spec = "schema = 1\n[experiment]\nid = \"own\"\ntitle = \"Own\"\nseed = 1\n[task]\nkind = \"classification\"\n\
                datasets = [\"own\"]\nsplit = { cv = { folds = 5 } }\n[[method]]\nid = \"m\"\nkind = \"majority\"\n";
    std::fs::write(here.join("own.toml"), spec).unwrap();
    let run = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .args(["run", "own.toml"])
            .current_dir(here)
            .env("REPRISE_CACHE", here.join("cache"));
        command.env_remove("REPRISE_MIRROR").output().unwrap()
    };
    assert_says(&run(), 0, &["sealed in results/own"]);
    assert_says(&run(), 0, &["already sealed"]);
    std::fs::write(here.join("own.csv"), rows.replacen("4,u", "5,u", 1)).unwrap();
    assert_says(&run(), 3, &["own.csv", "checksum"]);
}

#[test]
fn columns_of_what_is_nearly_a_number_are_named_with_the_cause() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let rows = forty("crp;area;a;y", |at| {
        let crp = if at == 9 { "N/A".to_owned() } else { format!("{at}.5") };
        format!("{crp};{at},25;{};{}", at % 3, ["u", "v"][at % 2])
    });
    std::fs::write(here.join("lab.csv"), rows).unwrap();
    let says = [
        "`crp` is left out: its values are numbers but for `N/A`; a missing one is empty, ?, NA or nan",
        "decimal = \",\" says so",
        "0.25 to 39.25",
    ];
    assert_says(&data(here, &["add", "lab.csv"]), 0, &says);
}

#[test]
fn columns_of_groups_and_times_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("visits.csv"), VISITS).unwrap();
    let marked = ["add", "visits.csv", "--target", "ill", "--group", "patient", "--time", "day"];
    assert_says(&data(here, &marked), 0, &["group = \"patient\", time = \"day\"", "variables = 1"]);
    let set = load(here, "datasets.toml", None, "visits");
    assert_eq!(set.marks.groups.unwrap(), [0, 0, 1, 1, 2]);
    assert_eq!(set.marks.times.unwrap(), [1, 3, 0, 4, 2]);
    // Columns that are called so, and not those that have a word of it in their names.
    let home = |at: usize| {
        let sold = ["no", "yes"][at % 2];
        format!("{},{},{},{},{sold}", at % 4, at / 4, 1900 + at, 2000 + at % 7)
    };
    let homes = forty("family_history,household,year_built,year,sold", home);
    std::fs::write(here.join("homes.csv"), homes).unwrap();
    let homes = data(here, &["add", "homes.csv"]);
    assert_says(&homes, 0, &["`household` may say whose", "`year` may say when"]);
    // The target is not looked for among them.
    let none = ["add", "visits.csv", "--group", "ill", "--id", "v2"];
    assert_says(&data(here, &none), 0, &["`pulse` is taken for the target", "group = \"ill\""]);
    let before = std::fs::read_to_string(here.join("datasets.toml")).unwrap();
    for (arguments, phrase) in [
        (&["--group", "patent"][..], "did you mean `patient`?"),
        (&["--time", "year"], "there is no column `year`"),
        (&["--group", "ill"], "`ill` is the target, and --group names it too"),
        (&["--time", "patient"], "column `patient`: `a` is no time"),
    ] {
        let all = [&["add", "visits.csv", "--id", "v3", "--target", "ill"], arguments].concat();
        assert_says(&data(here, &all), 3, &[phrase]);
    }
    assert_eq!(std::fs::read_to_string(here.join("datasets.toml")).unwrap(), before);
}

/// A dataset of OpenML and a task on it, as its API describes them.
fn openml(path: &str) -> Option<Vec<u8>> {
    let arff = "@relation r\n@attribute id numeric\n@attribute a real\n@attribute note string\n@attribute b {x,y}\n\
                @attribute class {u,v}\n@data\n1,0.5,'n 1',x,u\n2,1.5,'n 2',y,v\n3,2.5,'n 3',x,u\n4,?,'n 4',y,v\n";
    let md5 = "9f8cbd2ba2c1d0d5d45d1b6f2cbb5f08";
    let described = |id: u64, more: &str| {
        format!(
            "<oml:data_set_description xmlns:oml=\"http://openml.org/openml\"><oml:id>{id}</oml:id><oml:name>Steel &amp; \
             iron</oml:name><oml:version>3</oml:version><oml:creator>A. Author</oml:creator><oml:creator>B. \
             Other</oml:creator><oml:licence>CC0</oml:licence><oml:url>http://www.openml.org/data/download/7/s.arff</oml:url>\
             <oml:default_target_attribute>class</oml:default_target_attribute><oml:row_id_attribute>id</oml:row_id_attribute>\
             {more}</oml:data_set_description>"
        )
    };
    let task = |id: u64, kind: &str, procedure: &str, repeats: u32| {
        format!(
            "<oml:task xmlns:oml=\"http://openml.org/openml\"><oml:task_id>{id}</oml:task_id>\
             <oml:task_type_id>{kind}</oml:task_type_id><oml:task_type>Some Type</oml:task_type>\
             <oml:input name=\"source_data\"><oml:data_set><oml:data_set_id>61</oml:data_set_id>\
             <oml:target_feature>b</oml:target_feature></oml:data_set></oml:input>\
             <oml:input name=\"estimation_procedure\"><oml:estimation_procedure><oml:type>{procedure}</oml:type>\
             <oml:data_splits_url>http://www.openml.org/api_splits/get/1/s.arff</oml:data_splits_url>\
             <oml:parameter name=\"number_repeats\">{repeats}</oml:parameter></oml:estimation_procedure></oml:input></oml:task>"
        )
    };
    let splits = "@relation s\n@attribute type {TRAIN,TEST}\n@attribute rowid numeric\n@attribute repeat numeric\n\
                  @attribute fold numeric\n@data\nTEST,0,0,0\nTEST,1,0,0\nTRAIN,2,0,0\nTRAIN,3,0,0\nTEST,2,0,1\nTEST,3,0,1\n\
                  TRAIN,0,0,1\nTRAIN,1,0,1\n";
    Some(match path {
        "data/61" => described(61, "<oml:format>ARFF</oml:format>").into_bytes(),
        "data/62" => {
            let more =
                format!("<oml:format>ARFF</oml:format><oml:md5_checksum>{md5}</oml:md5_checksum>");
            described(62, &more).into_bytes()
        }
        "data/63" => described(63, "<oml:format>Parquet</oml:format>").into_bytes(),
        "data/64" => described(61, "<oml:format>ARFF</oml:format>").into_bytes(),
        "data/65" => b"<html><body>down</body></html>".to_vec(),
        "task/59" => task(59, "1", "crossvalidation", 1).into_bytes(),
        "task/60" => task(60, "1", "crossvalidation", 10).into_bytes(),
        "task/61" => task(61, "1", "holdout", 1).into_bytes(),
        "task/62" => task(62, "5", "crossvalidation", 1).into_bytes(),
        "arff" => arff.into(),
        "splits" => splits.into(),
        _ => return None,
    })
}

#[test]
fn datasets_and_tasks_of_openml_are_added() {
    let server = Server::start(|number, request| {
        if number == 0 {
            // It is asked again.
            let at_once = vec!["Retry-After: 0".to_owned()];
            return Reply::Send("429 Too Many Requests", at_once, Vec::new());
        }
        let path = request.target.strip_prefix("/www.openml.org/").unwrap_or("");
        let path = match path {
            "data/download/7/s.arff" => "arff",
            "api_splits/get/1/s.arff" => "splits",
            path => path.strip_prefix("api/v1/xml/").unwrap_or(""),
        };
        openml(path).map_or_else(|| status("412 Precondition Failed"), |body| ok(&body))
    });
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let base = server.url("/");
    let add = |arguments: &[&str]| run(here, Some(&base), &[&["add"], arguments].concat());
    let added = add(&["openml:61"]);
    assert_says(
        &added,
        0,
        &[
            "`id` is left out: the description says so",
            "`note` is left out: it is of type string",
            "citation = \"A. Author, B. Other (OpenML dataset 61, Steel & iron, version 3)\"",
            "licence = \"CC0\"",
            "url = \"http://www.openml.org/data/download/7/s.arff\"",
            "`steel---iron` is in datasets.toml",
        ],
    );
    let task = add(&["openml:task/59", "--id", "with-folds"]);
    assert_says(
        &task,
        0,
        &["target = \"b\"", "folds = 2", "openml-splits", "folds of OpenML task 59"],
    );
    let set = load(here, "datasets.toml", None, "with-folds");
    assert_eq!(set.folds.unwrap(), [0, 0, 1, 1]);
    let before = std::fs::read_to_string(here.join("datasets.toml")).unwrap();
    for (named, phrases) in [
        ("openml:62", &["is not the file that its description means: its MD5 is"][..]),
        ("openml:63", &["dataset 63 of OpenML is of the format Parquet", "ARFF"]),
        ("openml:64", &["describes dataset 61, not 64"]),
        ("openml:65", &["is no description of OpenML: it begins with <html>"]),
        ("openml:task/60", &["repeats its cross-validation 10 times", "openml:61"]),
        ("openml:task/61", &["are of the type holdout", "openml:61"]),
        ("openml:task/62", &["is of the type Some Type"]),
        ("openml:anneal", &["`openml:anneal` has no number of OpenML", "openml:61"]),
    ] {
        assert_says(&add(&[named, "--id", "other"]), 3, phrases);
    }
    let offline = run(here, None, &["add", "openml:61", "--id", "o", "--offline"]);
    assert_says(
        &offline,
        3,
        &["not available offline: a new dataset all", "https://www.openml.org/api/v1/xml/"],
    );
    assert_eq!(std::fs::read_to_string(here.join("datasets.toml")).unwrap(), before);
}

/// Anneal from the files that OpenML served: dataset 2, and task 1, which is on the same rows under another number.
#[test]
fn anneal_is_added_by_its_number() {
    let Some(mirror) = mirror() else { return };
    let files = Path::new(&mirror).join(
        "raw.githubusercontent.com/openml/openml-python/c62bf514af6911ad91c0b7647bb70f9a4caa15ee/tests/files/org/openml/test",
    );
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let put = |place: &str, bytes: &[u8]| {
        let path = here.join("mirror/www.openml.org").join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    let read = |name: &str| std::fs::read(files.join(name)).unwrap();
    put("api/v1/xml/data/2", &read("datasets/2/description.xml"));
    put("data/download/1666876/phpFsFYVN", &read("datasets/2/dataset.arff"));
    let task = String::from_utf8(read("tasks/1/task.xml")).unwrap();
    let of_two = task.replace("<oml:data_set_id>1<", "<oml:data_set_id>2<");
    put("api/v1/xml/task/1", of_two.as_bytes());
    put("api_splits/get/1/Task_1_splits.arff", &read("tasks/1/datasplits.arff"));
    let mirror = here.join("mirror").display().to_string();
    let add =
        |arguments: &[&str]| run(here, Some(&mirror), &[&["add", "--offline"], arguments].concat());
    let all = ["openml:2", "--id", "steel"];
    assert_says(
        &add(&all),
        0,
        &["OpenML dataset 2, anneal, version 1", "licence = \"Public\"", "rows = 898, classes = 5"],
    );
    let folds = ["openml:task/1", "--id", "steel-folds"];
    assert_says(&add(&folds), 0, &["rows = 898, classes = 5, folds = 10", "target = \"class\""]);
    let set = load(here, "datasets.toml", Some(&mirror), "steel-folds");
    let folds = set.folds.unwrap();
    assert_eq!((folds.len(), folds.iter().filter(|&&fold| fold == 9).count()), (898, 89));
}

/// Titanic by its own description, whose other two files the mirror lacks and nobody asks for.
#[test]
fn titanic_is_added_by_its_description() {
    let Some(mirror) = mirror() else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let url = "https://raw.githubusercontent.com/mlcommons/croissant/401f6fff81db26a49c0d1704f02bffc4e4fa8fe2/datasets/1.0/titanic";
    let described = format!("{url}/metadata.json");
    let add = ["add", "--offline", &described, "--target", "survived", "--id", "passengers"];
    let added = run(here, Some(&mirror), &add);
    assert_says(
        &added,
        0,
        &["title = \"Titanic\"", "licence = \"afl-3.0\"", "classes: 0 809, 1 500"],
    );
    let registry = std::fs::read_to_string(here.join("datasets.toml")).unwrap();
    for part in [
        "titanic/data/titanic.csv",
        "c617db2c7470716250f6f001be51304c76bcc8815527ab8bae734bdca0735737",
        "Encyclopedia Titanica",
        // By the description these are names: enumerations say which.
        "categories = [\"sex\", \"embarked\", \"home.dest\"]",
        "rows = 1309, classes = 2",
    ] {
        assert!(registry.contains(part), "{part}: {registry}");
    }
    // From a copy on this machine, with the file beside it, it is the same dataset.
    let from = Path::new(&mirror).join(url.strip_prefix("https://").unwrap());
    std::fs::create_dir_all(here.join("copy/data")).unwrap();
    for name in ["metadata.json", "data/titanic.csv"] {
        std::fs::copy(from.join(name), here.join("copy").join(name)).unwrap();
    }
    let copied = ["add", "copy/metadata.json", "--target", "survived", "--id", "copied"];
    assert_says(&data(here, &copied), 0, &["path = \"copy/data/titanic.csv\""]);
    let digest = |id: &str| load(here, "datasets.toml", Some(&mirror), id).digest;
    assert_eq!(digest("copied"), digest("passengers"));
    std::fs::write(here.join("copy/data/titanic.csv"), "a,b\n1,2\n").unwrap();
    let other = ["add", "copy/metadata.json", "--target", "survived", "--id", "other"];
    assert_says(&data(here, &other), 3, &["is not the file that its description means: its SHA-"]);
}

const PEOPLE: &str = "number,age,\"height, cm\",colour,flat,sick\n\
    1,31,170.5,red,3,no\n2,NA,181,blue,4,yes\n3,45,165.2,red,3,no\n4,52,?,green,7,yes\n\
    5,23,160.0,blue,7,no\n6,61,175.5,red,4,yes\n";

#[test]
fn what_is_described_is_added_again_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::create_dir_all(here.join("data/split")).unwrap();
    std::fs::write(here.join("data/people.csv"), PEOPLE).unwrap();
    std::fs::write(here.join("data/prices.tsv"), "size\tprice\n1\t2.5\n2\t3.5\n3\t5.5\n").unwrap();
    for (part, rows) in [("train", "1,2,x\n2,3,z\n4,1,x\n5,5,z\n"), ("test", "1,1,x\n3,2,z\n")] {
        std::fs::write(here.join(format!("data/split/{part}.csv")), format!("a,b,y\n{rows}"))
            .unwrap();
    }
    for (source, id) in
        [("data/people.csv", "people"), ("data/prices.tsv", "prices"), ("data/split", "split")]
    {
        assert_says(&data(here, &["add", source]), 0, &[id]);
        // What only looks like a number is a name, if its column is one of names.
        if id == "people" {
            let text = std::fs::read_to_string(here.join("datasets.toml")).unwrap();
            let text =
                text.replace("categories = [\"colour\"]", "categories = [\"colour\", \"flat\"]");
            std::fs::write(here.join("datasets.toml"), text).unwrap();
        }
        let file = format!("{id}.json");
        let described = data(here, &["croissant", id, "--to", &file]);
        assert_says(&described, 0, &[&format!("`{id}` is described in {file}")]);
        let again = data(here, &["croissant", id, "--to", &file]);
        assert_says(&again, 2, &["is already there", "nothing was written"]);
        // Into another registry, from an id of its own.
        let added =
            data(here, &["add", &file, "--registry", "other.toml", "--id", &format!("{id}-2")]);
        assert_says(&added, 0, &[&format!("`{id}-2` is in other.toml")]);
        let (one, other) =
            (entry(here, "datasets.toml", id), entry(here, "other.toml", &format!("{id}-2")));
        for key in ["kind", "shape", "missing", "title", "citation", "licence"] {
            assert_eq!(one.get(key), other.get(key), "{id} {key}");
        }
        let digest = |registry: &str, id: &str| load(here, registry, None, id).digest;
        assert_eq!(digest("datasets.toml", id), digest("other.toml", &format!("{id}-2")), "{id}");
    }
    // To the terminal, as JSON.
    let shown = data(here, &["croissant", "people"]);
    let json: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(json["conformsTo"], "http://mlcommons.org/croissant/1.0");
    assert_eq!(json["distribution"][0]["contentUrl"], "data/people.csv");
    assert_eq!(json.get("license"), None, "it is not stated");
    assert_eq!(json["distribution"][0]["sha256"], Digest::of(PEOPLE.as_bytes()).to_string());
    // Below the folder of the description, or not at all.
    let elsewhere = data(here, &["croissant", "people", "--to", "data/split/people.json"]);
    assert_says(&elsewhere, 2, &["people.csv does not lie below", "--to"]);
    let drawn = data(here, &["croissant", "parity-8"]);
    assert_says(&drawn, 2, &["dataset `parity-8` has no files: it is drawn"]);
    let derived = data(here, &["croissant", "thyroid-5"]);
    assert_says(&derived, 2, &["has no files: it is derived from `new-thyroid`"]);
    assert_says(
        &data(here, &["croissant", "peopel"]),
        2,
        &["there is no dataset `peopel`", "`people`"],
    );
    // Other formats are described as files.
    std::fs::write(here.join("data/h.txt"), "+1 1:0.5 3:2\n-1 2:1\n+1 2:2\n").unwrap();
    assert_says(&data(here, &["add", "data/h.txt"]), 0, &["libsvm"]);
    let files = data(here, &["croissant", "h", "--to", "h.json"]);
    assert_says(
        &files,
        0,
        &["its records are not described: Croissant has records of CSV and TSV files only"],
    );
    assert_says(&data(here, &["add", "h.json", "--id", "h2"]), 0, &["format = \"libsvm\""]);
}

#[test]
fn descriptions_that_are_not_read_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("f.csv"), "a,b,kind\n1,2,x\n3,4,y\n5,5,x\n").unwrap();
    std::fs::write(here.join("g.csv"), "a,kind\n1,x\n3,y\n").unwrap();
    std::os::unix::fs::symlink("/etc/hostname", here.join("link.csv")).unwrap();
    let field = |column: &str, more: &str| {
        format!(
            r#"{{"@id":"r/{column}","dataType":"sc:Text","source":{{"fileObject":{{"@id":"f"}},"extract":{{"column":"{column}"}}{more}}}}}"#
        )
    };
    let set = |id: &str, fields: &[String]| {
        format!(r#"{{"@type":"cr:RecordSet","@id":"{id}","field":[{}]}}"#, fields.join(","))
    };
    let file = |more: &str| format!(r#"{{"@type":"cr:FileObject","@id":"f",{more}}}"#);
    let plain = file(r#""contentUrl":"f.csv""#);
    let whole = |version: &str, distribution: &str, records: &str| {
        format!(
            r#"{{"@type":"sc:Dataset","name":"D","conformsTo":"http://mlcommons.org/croissant/{version}",
                "distribution":[{distribution}],"recordSet":[{records}]}}"#
        )
    };
    let kind = || set("r", &[field("a", ""), field("kind", "")]);
    let sound = whole("1.0", &plain, &kind());
    for (text, phrases) in [
        ("{\"a\": ".to_owned(), &["is no Croissant description: EOF"][..]),
        ("{\"@type\": \"Person\"}".to_owned(), &["its @type is not Dataset"]),
        (
            whole("0.8", &plain, ""),
            &["conforms to http://mlcommons.org/croissant/0.8", "Croissant 1.0"],
        ),
        (sound.replace("\"name\":\"D\",", ""), &["it has no name"]),
        (
            whole(
                "1.0",
                &plain,
                &(set("r", &[field("a", "")]) + "," + &set("s", &[field("b", "")])),
            ),
            &["describes several tables: r, s"],
        ),
        (
            whole("1.0", &format!("{plain},{}", plain.replace("\"f\"", "\"g\"")), ""),
            &["describes no records, and 2 files"],
        ),
        (whole("1.0", &plain, &set("r", &[])), &["the record set `r` has no fields"]),
        (
            whole("1.0", &plain, &set("r", &[field("a", r#","transform":{"regex":"x"}"#)])),
            &["field `r/a` has a transform"],
        ),
        (
            whole("1.0", &plain, &set("r", &[field("a", ""), field("a", "")])),
            &["is the column `a`, as another field is"],
        ),
        (
            sound.replace("\"field\":[{", "\"field\":[{\"repeated\":true,"),
            &["has several values in a record"],
        ),
        (
            sound.replace("\"field\":[{", "\"field\":[{\"subField\":[],"),
            &["field `r/a` has a subField"],
        ),
        (
            sound.replace("\"column\":\"a\"", "\"jsonPath\":\"$.a\""),
            &["field `r/a` is no column of a table"],
        ),
        (
            sound.replace(
                "\"fileObject\":{\"@id\":\"f\"},\"extract\":{\"column\":\"a\"}",
                "\"fileSet\":{\"@id\":\"f\"}",
            ),
            &["has a fileSet"],
        ),
        (
            sound.replace(
                "\"fileObject\":{\"@id\":\"f\"},\"extract\":{\"column\":\"a\"}",
                "\"fileObject\":{\"@id\":\"h\"},\"extract\":{\"column\":\"a\"}",
            ),
            &["is of the file f, and others are of h"],
        ),
        (
            sound.replace(
                "\"@type\":\"cr:FileObject\",\"@id\":\"f\"",
                "\"@type\":\"cr:FileObject\",\"@id\":\"e\"",
            ),
            &["has no file `f` in its distribution"],
        ),
        (sound.replace("cr:FileObject", "cr:FileSet"), &["is no FileObject"]),
        (
            whole("1.0", &file(r#""contentUrl":"f.csv","containedIn":{"@id":"zip"}"#), &kind()),
            &["is contained in another"],
        ),
        (whole("1.0", &file(r#""name":"f""#), &kind()), &["has no contentUrl"]),
        (
            whole("1.0", &file(r#""contentUrl":"f.csv","sha256":"12""#), &kind()),
            &["has the sha256 `12`, which is none"],
        ),
        (
            whole("1.0", &file(r#""contentUrl":"f.csv","md5":"0b""#), &kind()),
            &["its MD5 is", "not 0b"],
        ),
        (
            whole("1.0", &file(r#""contentUrl":"../f.csv""#), &kind()),
            &["the contentUrl `../f.csv` of file `f`"],
        ),
        (
            whole("1.0", &file(r#""contentUrl":"/etc/hostname""#), &kind()),
            &["no path below the description"],
        ),
        (
            whole("1.0", &file(r#""contentUrl":"file:///etc/hostname""#), &kind()),
            &["no path below the description"],
        ),
        // No description of somebody else has this machine asked, or follows a link.
        (
            whole("1.0", &file(r#""contentUrl":"http://127.0.0.1:9/f.csv""#), &kind()),
            &["is no http or https url of a server on the web"],
        ),
        (
            whole("1.0", &file(r#""contentUrl":"http://localhost:9/f.csv""#), &kind()),
            &["is no http or https url of a server on the web"],
        ),
        (
            whole("1.0", &file(r#""contentUrl":"link.csv""#), &kind()),
            &["no path below the description"],
        ),
        (whole("1.0", &file(r#""contentUrl":"gone.csv""#), &kind()), &["gone.csv"]),
        (
            whole("1.0", &plain, &set("r", &[field("a", ""), field("colour", "")])),
            &["there is no column `colour`, which the description names"],
        ),
        (
            sound.replace("\"data\"", "").replace("\"@id\":\"r\",", "\"@id\":\"r\",\"data\":[{}],"),
            &["stand in the description itself"],
        ),
    ] {
        std::fs::write(here.join("d.json"), &text).unwrap();
        assert_says(&data(here, &["add", "d.json"]), 3, phrases);
        assert!(!here.join("datasets.toml").exists(), "{text}");
    }
    std::fs::write(here.join("d.json"), &sound).unwrap();
    let added = data(here, &["add", "d.json"]);
    assert_says(
        &added,
        0,
        &["left out, since the description does not name them: `b`", "attributes = [\"a\"]"],
    );
}
