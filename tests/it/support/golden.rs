//! What is pinned in the files of `tests/golden`. `REPRISE_UPDATE_GOLDEN=1` writes them anew; what moved is then
//! in the diff. A digest that must not move unless something else does is not written: its cell has to be emptied
//! by hand first.

use std::path::PathBuf;

/// How to write the files anew.
pub const UPDATE: &str = "REPRISE_UPDATE_GOLDEN=1 cargo test --test it";

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file)
}

/// The lines of a file, but for its header.
pub fn read<const N: usize>(file: &str) -> Vec<[String; N]> {
    let line = |line: csv::StringRecord| std::array::from_fn(|cell| line[cell].to_owned());
    csv::Reader::from_path(path(file))
        .unwrap()
        .records()
        .map(|found| line(found.unwrap()))
        .collect()
}

/// Compares what is found with what a file pins, line by line. `must_not_move` are the digests that moved though
/// nothing that may move them did, in sentences.
pub fn compare<const N: usize>(
    file: &str,
    header: [&str; N],
    found: &[[String; N]],
    must_not_move: &[String],
) {
    let listed = read::<N>(file);
    if listed == found {
        return;
    }
    if std::env::var_os("REPRISE_UPDATE_GOLDEN").is_some() && must_not_move.is_empty() {
        let mut writer = csv::Writer::from_path(path(file)).unwrap();
        writer.write_record(header).unwrap();
        found.iter().for_each(|line| writer.write_record(line).unwrap());
        return writer.flush().unwrap();
    }
    let lines = |of: &[[String; N]], other: &[[String; N]], sign: &str| -> String {
        let moved = of.iter().filter(|line| !other.contains(line));
        moved.map(|line| format!("  {sign} {}\n", line.join(","))).collect()
    };
    panic!(
        "tests/golden/{file} is not what is found:\n{}{}{}\n{UPDATE} writes what is found.",
        lines(&listed, found, "-"),
        lines(found, &listed, "+"),
        must_not_move.join("\n"),
    );
}
