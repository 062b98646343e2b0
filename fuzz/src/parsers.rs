//! The readers of foreign bytes, each as a function that must return whatever the bytes are.
//!
//! The same functions are played by libFuzzer (`fuzz_targets`), and by the tests on what is kept under `seeds` and on
//! damages of it, so a finding stays found without a nightly compiler.

use std::cell::RefCell;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::LazyLock;

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::base::layout::{PICTURES, TIMINGS, TRIALS};
use reprise::contract::{BinaryRows, Examples};
use reprise::data::croissant;
use reprise::data::draft::{self, Asked, Draft, Sighted};
use reprise::data::format::arff::{self, Arff};
use reprise::data::format::attribute_csv::{self, ClassColumn, Columns};
use reprise::data::format::columns::Wanted;
use reprise::data::format::csv::{self, Layout};
use reprise::data::format::npy::Array;
use reprise::data::format::npz::Npz;
use reprise::data::format::text_files::{self, Content, Pattern};
use reprise::data::format::{
    archive, binary_csv, idx, labelled_lines, libsvm, openml_splits, reuters_sgml,
};
use reprise::data::openml;
use reprise::data::registry::Registry;
use reprise::data::vocabulary::{Charset, Decimal, Role};
use reprise::data::{DataConfig, Library};
use reprise::program::{About, Batch, BatchName, Form, Gives, HandOver, answer as answers};
use reprise::run::{journal as journals, trials_csv as records};
use reprise::seal::Manifest;
use reprise::spec::{self, Known, KnownDataset, Overlay};

/// A reader of foreign bytes.
pub type Parser = fn(&[u8]);

/// Every reader by its name, which is that of its binary under `fuzz_targets` and of its folder under `seeds`.
pub const PARSERS: [(&str, Parser); 23] = [
    ("answer", answer),
    ("archive", archive),
    ("arff", arff),
    ("attribute_csv", attribute_csv),
    ("binary_csv", binary_csv),
    ("croissant", croissant),
    ("csv", csv),
    ("dataset", dataset),
    ("draft", draft),
    ("experiment", experiment),
    ("idx", idx),
    ("journal", journal),
    ("labelled_lines", labelled_lines),
    ("libsvm", libsvm),
    ("manifest", manifest),
    ("npy", npy),
    ("npz", npz),
    ("openml", openml),
    ("overlay", overlay),
    ("published", published),
    ("registry", registry),
    ("reuters_sgml", reuters_sgml),
    ("trials_csv", trials_csv),
];

/// Where files are written that only a path names: in memory, if the system has such a place.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
});

/// A folder of this thread, which has these files and no others of those names.
fn with_files<T>(files: &[(&str, &[u8])], read: impl FnOnce(&Path) -> T) -> T {
    thread_local! {
        static MINE: RefCell<tempfile::TempDir> =
            RefCell::new(tempfile::tempdir_in(FOLDER.path()).unwrap());
    }
    MINE.with_borrow(|folder| {
        for (name, bytes) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let read = read(folder.path());
        for (name, _) in files {
            let _ = std::fs::remove_file(folder.path().join(name));
        }
        read
    })
}

/// The first byte chooses among variants; the rest is read.
fn choice(bytes: &[u8]) -> (u8, &[u8]) {
    bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest))
}

fn charset(choice: u8) -> Charset {
    if choice.is_multiple_of(2) { Charset::Utf8 } else { Charset::Latin1 }
}

/// Names of one column, numbers of the others.
fn wanted(name: &str) -> Wanted {
    if name == "a" { Wanted::Names } else { Wanted::Numbers }
}

fn layout(choice: u8) -> Layout {
    let header = choice & 1 == 0;
    let column = |name: &str| name.to_owned();
    Layout {
        header,
        delimiter: if choice & 2 == 0 { b',' } else { b'\t' },
        target: column(if header { "class" } else { "1" }),
        group: None,
        time: None,
        attributes: (choice & 4 != 0).then(|| vec![column(if header { "a" } else { "2" })]),
        categories: if choice & 8 == 0 { Vec::new() } else { vec![column("a")] },
        decimal: (choice & 32 != 0).then_some(Decimal::Comma),
        charset: charset(choice >> 4),
    }
}

/// Rows of 0 and 1.
pub fn binary_csv(bytes: &[u8]) {
    let _ = binary_csv::parse(bytes, &mut BinaryRows::new(3));
}

/// UCI's lines of values.
pub fn attribute_csv(bytes: &[u8]) {
    let (variant, bytes) = choice(bytes);
    let class = if variant & 1 == 0 { ClassColumn::First } else { ClassColumn::Last };
    let columns = Columns { skipped: usize::from(variant & 2 != 0), class };
    for wanted in [Wanted::Names, Wanted::Numbers] {
        let _ = attribute_csv::read(bytes, 2, columns, 100, wanted);
    }
}

/// Tables.
pub fn csv(bytes: &[u8]) {
    let (variant, bytes) = choice(bytes);
    let _ = csv::read(bytes, &layout(variant), 100, &wanted, Wanted::Names);
}

/// Weka's tables, and OpenML's folds in them.
pub fn arff(bytes: &[u8]) {
    let (variant, bytes) = choice(bytes);
    let Ok(text) = csv::text(bytes, charset(variant >> 4)) else { return };
    let _ = arff::is_arff(&text);
    if let Ok(arff) = Arff::new(&text) {
        let _ = arff.read(&layout(variant & !1), 100, &wanted, Wanted::Names);
    }
    let _ = openml_splits::folds(&text, usize::from(variant % 8));
}

/// Sparse rows.
pub fn libsvm(bytes: &[u8]) {
    let _ = libsvm::table(bytes, 5, 100, (Wanted::Numbers, Wanted::Names));
}

/// Arrays of examples or of targets.
pub fn npy(bytes: &[u8]) {
    let Ok(array) = Array::of(bytes) else { return };
    let targets = array.of_targets().map(|rows| (rows, 1));
    if let Ok((rows, columns)) = array.of_examples().or(targets) {
        for row in 0..rows.min(50) {
            (0..columns.min(50)).for_each(|column| drop(array.value(row, column).name()));
        }
    }
}

/// Archives of arrays.
pub fn npz(bytes: &[u8]) {
    let Ok(mut archive) = Npz::of(bytes) else { return };
    for name in archive.names() {
        let _ = archive.shape(&name);
        let _ = archive.array(&name).map(|bytes| npy(&bytes));
    }
}

/// Descriptions of OpenML.
pub fn openml(bytes: &[u8]) {
    let _ = openml::dataset(bytes, 2, "a.xml");
    let _ = openml::task(bytes, 1, "a.xml");
}

/// Descriptions as Croissant.
pub fn croissant(bytes: &[u8]) {
    let _ = croissant::looks_so(bytes);
    let _ = croissant::read(bytes, "a.json");
}

/// Images and their labels.
pub fn idx(bytes: &[u8]) {
    let _ = idx::images(bytes).map(|images| images.pixels.chunks_exact(images.size).count());
    let _ = idx::labels(bytes, 10);
}

/// Documents, one a line.
pub fn labelled_lines(bytes: &[u8]) {
    let (variant, bytes) = choice(bytes);
    let _ = labelled_lines::read(bytes, charset(variant), &mut |_| ControlFlow::Continue(()));
}

/// Reuters' stories.
pub fn reuters_sgml(bytes: &[u8]) {
    let (variant, bytes) = choice(bytes);
    let _ = reuters_sgml::read(bytes, charset(variant), &mut |_| ControlFlow::Continue(()));
}

/// Archives: tar inside of a sound gzip, and bytes that should be one; and the documents in them.
pub fn archive(bytes: &[u8]) {
    let (variant, bytes) = choice(bytes);
    let packed = if variant & 1 == 0 {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    } else {
        bytes.to_vec()
    };
    let folder = (variant & 2 != 0).then_some("d");
    let visit = |_: &str, _: &[u8]| Ok::<_, std::io::Error>(std::ops::ControlFlow::Continue(()));
    let _ = archive::for_each(&packed[..], folder, visit);
    let content = if variant & 4 == 0 { Content::Text } else { Content::Messages };
    let pattern = Pattern::parse("r-{part}/{class}/{fold}{name}.txt").unwrap();
    let mut sink = |_: reprise::data::format::Document<'_>| ControlFlow::Continue(());
    let _ =
        text_files::read(&packed[..], folder, &pattern, charset(variant >> 4), content, &mut sink);
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    let _ = Pattern::parse(&text);
}

/// Datasets of one file, each as a registry describes it: kind, shape, format.
const DATASETS: [[&str; 3]; 11] = [
    [
        "binary",
        "variables = 3, train = 0, valid = 0, test = 2",
        "role = \"test\", format = \"binary-csv\"",
    ],
    [
        "categorical",
        "variables = 2, rows = 4, classes = 2",
        "format = \"attribute-csv\", class = \"last\"",
    ],
    [
        "numeric",
        "variables = 2, rows = 4, classes = 2",
        "format = \"attribute-csv\", class = \"first\"",
    ],
    [
        "numeric",
        "variables = 2, rows = 4, classes = 2",
        "format = \"csv\", target = \"class\", categories = [\"a\"]",
    ],
    [
        "numeric",
        "variables = 2, rows = 4, target = \"number\"",
        "format = \"csv\", target = \"class\"",
    ],
    [
        "categorical",
        "variables = 2, rows = 4, classes = 2",
        "format = \"csv\", header = false, target = \"1\"",
    ],
    ["numeric", "variables = 2, rows = 4, classes = 2", "format = \"arff\", target = \"class\""],
    ["numeric", "variables = 5, rows = 4, classes = 2", "format = \"libsvm\""],
    ["text", "variables = 3, rows = 3, classes = 2", "format = \"labelled-lines\""],
    [
        "text",
        "variables = 3, train = 1, test = 1, classes = 2",
        "format = \"reuters-sgml\", charset = \"latin-1\"",
    ],
    [
        "numeric",
        "variables = 2, rows = 4, classes = 2",
        "format = \"npz\", features = \"X\", target = \"y\"",
    ],
];

/// A dataset from its file on: format, columns, classes, digest.
pub fn dataset(bytes: &[u8]) {
    let (variant, bytes) = choice(bytes);
    let [kind, shape, format] = DATASETS[usize::from(variant) % DATASETS.len()];
    let role = if format.contains("role") { "" } else { "role = \"all\", " };
    let missing =
        ["", "missing = \"drop\"\n", "missing = \"median\"\n", "missing = \"category\"\n"];
    let missing = if kind == "numeric" { missing[usize::from(variant) / 64] } else { "" };
    let text = format!(
        "schema = 1\n[dataset.set]\ntitle = \"set\"\nkind = \"{kind}\"\ncitation = \"none\"\nlicence = \"MIT\"\n\
         {missing}shape = {{ {shape} }}\nfiles = [{{ {role}{format}, sources = [{{ path = \"set\" }}] }}]\n"
    );
    with_files(&[("set", bytes)], |folder| {
        let registry = Registry::parse(&text, "datasets.toml", folder);
        let registry = registry.unwrap_or_else(|errors| panic!("{text}\n{:?}", errors.errors));
        let cache = Some(folder.join("cache"));
        let config = DataConfig { cache, offline: true, ..DataConfig::default() };
        let _ = Library::with(registry, &config).unwrap().load("set");
    });
}

/// A first look at a table that nobody has described.
pub fn draft(bytes: &[u8]) {
    let (variant, bytes) = choice(bytes);
    let sighted = |role| Sighted {
        role,
        name: "a.csv".to_owned(),
        source: "path = \"a.csv\"".to_owned(),
        bytes: bytes.to_vec(),
    };
    let roles: &[Role] = if variant & 1 == 0 { &[Role::All] } else { &[Role::Train, Role::Test] };
    let files: Vec<Sighted> = roles.iter().map(|&role| sighted(role)).collect();
    let target = (variant & 2 != 0).then_some("a");
    let column = |bit: u8| (variant & bit != 0).then_some("b");
    let (group, time) = (column(4), column(8));
    let header = [None, None, Some(true), Some(false)][usize::from(variant >> 6)];
    let about = draft::About::default();
    let asked = Asked { id: "set", target, header, group, time, about: &about };
    let Ok(draft) = Draft::of(&files, None, &asked) else { return };
    // What is proposed can be read.
    let text = format!("schema = 1\n\n{}", draft.entry);
    let read = Registry::parse(&text, "datasets.toml", Path::new(""));
    assert!(read.is_ok(), "{text}\n{:?}", read.err());
}

/// Registries. What is read can be written, and read again.
pub fn registry(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(registry) = Registry::parse(text, "datasets.toml", Path::new("")) else { return };
    let written = registry.to_text();
    let again = Registry::parse(&written, "datasets.toml", Path::new(""));
    assert_eq!(again.ok().map(|again| again.to_text()), Some(written));
}

fn known_datasets() -> &'static [KnownDataset] {
    static DATASETS: LazyLock<Vec<KnownDataset>> = LazyLock::new(|| {
        let registry = Registry::built_in().unwrap_or_else(|errors| panic!("{:?}", errors.errors));
        registry.entries().iter().map(KnownDataset::from).collect()
    });
    &DATASETS
}

/// Loads an experiment file that lies beside others.
fn loaded(files: &[(&str, &[u8])], overlay: Option<&Overlay>) {
    let known = Known { lists: &KNOWN, datasets: known_datasets(), code: None };
    with_files(files, |folder| {
        let read = spec::load(&folder.join(files[0].0), None, overlay, &known);
        match read {
            Ok(experiment) => drop(experiment.spec_digest()),
            Err(errors) => {
                // Every error can be shown.
                assert!(!errors.errors.is_empty());
                let text = reprise::document::render::text(&errors, false);
                assert!(!text.contains("without saying why"), "{text}");
            }
        }
    });
}

/// Experiment files.
pub fn experiment(bytes: &[u8]) {
    loaded(&[("experiment.toml", bytes)], None);
}

/// A small experiment, which others are made of.
const EXPERIMENT: &str = r#"
schema = 1
experiment = { id = "small", title = "Small", seed = 1 }
task = { kind = "density", datasets = ["generated-tree"], split = "published" }
method = [{ id = "tree", kind = "chow-liu" }, { id = "independent", kind = "independent" }]
table = [{ id = "t", rows = "dataset", columns = "method", metric = "test_ll", digits = 2, published = "published.csv" }]
"#;

/// Settings of a command line, one a line.
pub fn overlay(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let settings: Vec<String> = text.lines().map(str::to_owned).collect();
    let Ok(Some(overlay)) = Overlay::of(&settings) else { return };
    // The same settings again, from what is sealed of them.
    let again: Vec<String> = overlay.settings().collect();
    assert_eq!(Overlay::of(&again).ok().flatten().as_ref(), Some(&overlay), "{again:?}");
    let files: [(&str, &[u8]); 2] = [
        ("experiment.toml", EXPERIMENT.as_bytes()),
        ("published.csv", b"row,column,metric,value,sd\n"),
    ];
    loaded(&files, Some(&overlay));
}

/// The numbers of a paper.
pub fn published(bytes: &[u8]) {
    loaded(&[("experiment.toml", EXPERIMENT.as_bytes()), ("published.csv", bytes)], None);
}

/// Journals, whose checksums are put right, since whoever makes a journal can.
pub fn journal(bytes: &[u8]) {
    let mut lines = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let checksum = Digest::of(line).to_string();
        lines.extend_from_slice(&checksum.as_bytes()[..16]);
        lines.push(b' ');
        lines.extend_from_slice(line);
        lines.push(b'\n');
    }
    for bytes in [bytes, &lines] {
        with_files(&[("run.journal", bytes)], |folder| {
            journals::read(folder, &KNOWN.catalogue.metrics).map(drop).unwrap()
        });
    }
}

/// Manifests, whose own digest is put right.
pub fn manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = Manifest::from_text(text);
    let seal = format!("{text}\n[seal]\nsha256 = \"{}\"\n", Digest::of(bytes));
    if let Ok(manifest) = Manifest::from_text(&seal) {
        assert_eq!(Manifest::from_text(&manifest.to_text().unwrap()), Ok(manifest));
    }
}

/// Between the files of [`trials_csv`].
const NEXT_FILE: &[u8] = b"\n=====\n";

/// The records of sealed results: trials, times, examples, pictures.
pub fn trials_csv(bytes: &[u8]) {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(NEXT_FILE.len()).position(|window| window == NEXT_FILE) {
        parts.push(&rest[..=at]);
        rest = &rest[at + NEXT_FILE.len()..];
    }
    parts.push(rest);
    parts.resize(4, b"key\n");
    let files = [
        (TRIALS, parts[0]),
        (TIMINGS, parts[1]),
        ("examples/test_ll.csv", parts[2]),
        (PICTURES, parts[3]),
    ];
    // The last two may be absent.
    let there = files
        .into_iter()
        .filter(|(name, bytes)| [TRIALS, TIMINGS].contains(name) || *bytes != b"key\n");
    let there: Vec<(&str, &[u8])> = there.collect();
    with_files(&there, |folder| {
        if let Ok(rows) = records::read(folder, &KNOWN.catalogue.metrics) {
            records::by_key(&rows);
        }
    });
}

/// What a program answers, of each sort: arrays, text, and what it counted.
pub fn answer(bytes: &[u8]) {
    thread_local! {
        static ASKED: Vec<HandOver> =
            [Gives::Labels, Gives::Probabilities, Gives::Values, Gives::LogLikelihoods].iter().map(asked).collect();
    }
    let (variant, bytes) = choice(bytes);
    const TOKENS: &[u8] = b"\x93NUMPY\x01\x00v\x00{'descr': '<u8', 'fortran_order': False, 'shape': (3,), }                                                            \n";
    ASKED.with(|asked| {
        let hand_over = &asked[usize::from(variant % 4)];
        let tokens = [TOKENS, &[0; 24]].concat();
        let files: Vec<(&str, &[u8])> = match variant / 4 % 4 {
            0 => vec![("test.npy", bytes), ("test.token.npy", &tokens)],
            1 => vec![("test.npy", &tokens), ("test.token.npy", bytes)],
            2 => vec![("test.csv", bytes)],
            _ => vec![("metrics.json", bytes)],
        };
        with_files(&files, |folder| {
            let _ = answers::read(folder, BatchName::Test, hand_over);
            let _ = answers::metrics(folder);
        });
    });
}

/// A hand-over of three test rows.
fn asked(gives: &Gives) -> HandOver {
    let mut rows = BinaryRows::new(2);
    [&[0][..], &[1], &[0, 1]].iter().for_each(|row| rows.push(row));
    let examples = Examples::Binary(rows);
    let names = if gives.classifies() { &["ham", "spam"][..] } else { &[] };
    let classes = names.iter().map(|&name| name.to_owned()).collect();
    let about = About { gives: *gives, form: Form::Npy, sees_valid: false, columns: None, classes };
    let test = Batch { name: BatchName::Test, examples: &examples, labels: None };
    let folder = tempfile::tempdir_in(FOLDER.path()).unwrap().keep();
    HandOver::write(&folder.join(gives.word()), about, &[test], Digest::of(b"seed")).unwrap()
}
