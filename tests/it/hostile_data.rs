//! Data files and registries of others: what asks for more than there is to be had is refused, and takes
//! neither the memory nor the time that it asks for.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use reprise::data::{DataConfig, Library};

use crate::support::experiment::Bench;
use crate::support::registry::{self, entry};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::assert_says;

/// A registry with one dataset of one local file.
fn registry(kind: &str, shape: &str, file: &str) -> String {
    let rest = format!("shape = {{ {shape} }}\nfiles = [{{ role = \"all\", {file} }}]");
    registry::of(&[entry("set", kind, &rest)])
}

/// Why a dataset in a folder can't be loaded. It must fail in seconds.
fn refused(folder: &Path, registry: &str) -> String {
    let path = folder.join("datasets.toml");
    std::fs::write(&path, registry).unwrap();
    let (cache, registry) = (Some(folder.join("cache")), Some(path));
    let config = DataConfig { cache, registry, offline: true, ..DataConfig::default() };
    let start = Instant::now();
    let error = Library::open(&config, None).unwrap().load("set").unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(20), "{error}");
    match std::error::Error::source(&error) {
        Some(source) if !error.to_string().contains(&source.to_string()) => {
            format!("{error}: {source}")
        }
        _ => error.to_string(),
    }
}

/// So many megabytes of one byte, packed.
fn bomb(byte: u8, megabytes: usize) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&vec![byte; 1 << 20]).unwrap();
    gzip.finish().unwrap().repeat(megabytes)
}

#[test]
fn gzip_unpacks_to_no_more_than_the_shape_needs() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), bomb(b'0', 4096)).unwrap();
    let source = "sources = [{ path = \"f\", encoding = \"gzip\" }]";
    for (kind, shape, format, most) in [
        ("binary", "variables = 3, rows = 4", "format = \"binary-csv\"", (1 << 20) + 4 * 32),
        ("text", "variables = 3, rows = 4, classes = 2", "format = \"labelled-lines\"", 1 << 30),
    ] {
        let why = refused(folder.path(), &registry(kind, shape, &format!("{format}, {source}")));
        assert!(why.contains(&format!("/f: it has more than {most} unpacked bytes")), "{why}");
    }
}

#[test]
fn lines_rows_documents_and_tokens_end_where_there_are_too_many() {
    let folder = tempfile::tempdir().unwrap();
    let records = "variables = 3, rows = 4, classes = 2";
    let csv = "format = \"attribute-csv\", class = \"last\", sources = [{ path = \"f\" }]";
    let lines = "format = \"labelled-lines\", sources = [{ path = \"f\" }]";
    let tokens: String = (0..1_100_000).map(|token| format!("t{token} ")).collect();
    for (kind, file, text, why) in [
        (
            "numeric",
            csv,
            ",".repeat(300 << 20),
            "line 1: it has 5 or more values, the first line has 4",
        ),
        (
            "numeric",
            csv,
            "1,2,3,c\n".repeat(1_100_000),
            "line 1048585: there are many more rows than `shape` says",
        ),
        (
            "text",
            lines,
            "c\t\n".repeat(1_100_000),
            "the dataset has more than 1048584 documents, but `shape` of dataset `set` in datasets.toml says 4",
        ),
        (
            "text",
            lines,
            format!("c\t{tokens}\nd\tx\n"),
            "the dataset has more than 1048582 distinct tokens, but `shape` of dataset `set`",
        ),
    ] {
        std::fs::write(folder.path().join("f"), text).unwrap();
        let found = refused(folder.path(), &registry(kind, records, file));
        assert!(found.contains(why), "{found}");
    }
}

/// A line of a sparse file is shorter than the row that it stands for: two megabytes would be terabytes.
#[test]
fn rows_that_are_not_written_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), "1\n-1\n".repeat(500_000)).unwrap();
    let shape = "variables = 10000000, rows = 2, classes = 2";
    let file = "format = \"libsvm\", sources = [{ path = \"f\" }]";
    let why = refused(folder.path(), &registry("numeric", shape, file));
    assert!(why.contains("f, line 6: there are many more rows than `shape` says"), "{why}");
}

#[test]
fn an_attribute_has_no_more_values_than_codes() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..70_000).map(|value| format!("1,{value},c{}\n", value % 2)).collect();
    std::fs::write(folder.path().join("f"), rows).unwrap();
    let file = "format = \"attribute-csv\", class = \"last\", sources = [{ path = \"f\" }]";
    let shape = "variables = 2, rows = 70000, classes = 2";
    let why = refused(folder.path(), &registry("categorical", shape, file));
    let expected = "line 65536, column `2`: it has more than 65535 different names";
    assert!(why.contains(expected), "{why}");
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn only_regular_files_are_data() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    let text = registry(
        "binary",
        "variables = 3, rows = 4",
        "format = \"binary-csv\", sources = [{ path = \"f\" }]",
    );
    pipe(&file);
    assert!(refused(folder.path(), &text).ends_with("/f: it is no regular file"));
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert!(refused(folder.path(), &text).ends_with("/f: it is no regular file"));
    std::fs::remove_file(&file).unwrap();
    std::fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
    let why = refused(folder.path(), &text);
    assert!(
        why.ends_with("it has more than 8589934592 bytes, the most that are read here"),
        "{why}"
    );
    let digest = "a".repeat(64);
    let sized = text.replace("\"f\" }", &format!("\"f\", sha256 = \"{digest}\", bytes = 24 }}"));
    let why = refused(folder.path(), &sized);
    assert!(why.contains("24 bytes\n  found    more than 1048624 bytes"), "{why}");
}

#[test]
fn experiments_registries_and_published_values_are_regular_files_within_a_limit() {
    let spec = spec::density("quick", "", CHOW_LIU) + "published = \"published/t.csv\"\n";
    let bench = Bench::new(&spec);
    let (published, registry) =
        (bench.folder().join("published/t.csv"), bench.folder().join("datasets.toml"));
    std::fs::create_dir(bench.folder().join("published")).unwrap();
    let plan = |arguments: &[&str]| bench.subcommand("plan", "r", arguments).output().unwrap();
    let long = |path: &Path| std::fs::File::create(path).unwrap().set_len(1 << 40).unwrap();
    let limit = "it has more than 1048576 bytes";

    pipe(&published);
    assert_says(&plan(&[]), 2, &["published/t.csv` can't be read", "it is no regular file"]);
    std::fs::remove_file(&published).unwrap();
    long(&published);
    assert_says(&plan(&[]), 2, &["published/t.csv` can't be read", limit]);
    std::fs::write(&published, "row,column,metric,value,sd\n").unwrap();
    assert_says(&plan(&[]), 0, &[]);

    let named = registry.to_string_lossy().into_owned();
    pipe(&registry);
    assert_says(&plan(&["--registry", &named]), 2, &["cannot read", "it is no regular file"]);
    std::fs::remove_file(&registry).unwrap();
    long(&registry);
    assert_says(&plan(&[]), 2, &["cannot read the dataset registry", limit]);
    std::fs::remove_file(&registry).unwrap();

    std::fs::remove_file(bench.spec()).unwrap();
    pipe(bench.spec());
    assert_says(&plan(&[]), 2, &["the file can't be read: it is no regular file"]);
    std::fs::remove_file(bench.spec()).unwrap();
    long(bench.spec());
    assert_says(&plan(&[]), 2, &["the file can't be read", limit]);
}
