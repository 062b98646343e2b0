//! Registries of the tests' own datasets.

use std::path::{Path, PathBuf};

use reprise::base::digest::Digest;

/// A registry with these entries.
pub fn of(entries: &[String]) -> String {
    format!("schema = 1\n{}", entries.concat())
}

/// An entry: its id, and all else than what nobody reads.
pub fn entry(id: &str, kind: &str, rest: &str) -> String {
    format!(
        "[dataset.{id}]\ntitle = \"{id}\"\nkind = \"{kind}\"\ncitation = \"this test\"\nlicence = \"MIT\"\n{rest}\n"
    )
}

/// A dataset of 0/1 variables that a generator draws.
pub fn generated(id: &str, generator: &str) -> String {
    entry(id, "binary", &format!("generator = {{ {generator} }}"))
}

/// Few examples of five variables, drawn from a tree.
pub fn tree() -> String {
    generated("tree", "kind = \"tree\", seed = 1, variables = 5, train = 20, valid = 10, test = 10")
}

/// Few examples of two classes: whether enough coins of several show a one.
pub fn coins(variables: usize, sampling: &str, train: usize, test: usize) -> String {
    let generator = format!(
        "kind = \"boolean-function\", function = \"threshold\", least = 3, variables = {variables}, \
         sampling = \"{sampling}\", seed = 1, train = {train}, test = {test}"
    );
    generated("coins", &generator)
}

/// Three rows of two variables.
pub const ROWS: &str = "0,1\n1,0\n1,1\n";

/// The dataset `mine` of 0/1 variables, of which each part is [`ROWS`] from this source.
pub fn mine(source: &str) -> String {
    let file = |role: &str| {
        format!("{{ role = {role:?}, format = \"binary-csv\", sources = [{{ {source} }}] }},\n")
    };
    let files: String = ["train", "valid", "test"].map(file).concat();
    let shape = "shape = { variables = 2, train = 3, valid = 3, test = 3 }";
    of(&[entry("mine", "binary", &format!("{shape}\nfiles = [\n{files}]"))])
}

/// The source of [`ROWS`] at a url.
pub fn rows_at(url: &str) -> String {
    let digest = Digest::of(ROWS.as_bytes());
    format!("url = {url:?}, sha256 = \"{digest}\", bytes = {}, encoding = \"plain\"", ROWS.len())
}

/// The mirror of real data files, if the developer has one.
pub fn mirror() -> Option<String> {
    let mirror = std::env::var("REPRISE_MIRROR").ok();
    if mirror.is_none() {
        println!("skipped: REPRISE_MIRROR names no mirror");
    }
    mirror
}

/// The file with this content, somewhere below a folder.
pub fn find(folder: &Path, content: &[u8]) -> Option<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find_map(|path| {
        if path.is_dir() {
            find(&path, content)
        } else {
            (std::fs::read(&path).unwrap() == content).then_some(path)
        }
    })
}
