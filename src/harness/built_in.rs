//! The experiment files that are compiled in, with the published values and the code that they name: what an audit
//! compares the inputs of a stranger's results with, and what a binary without a checkout runs.

use std::io;
use std::path::{Path, PathBuf};

use base::{durable, own};

include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// The text of the file of this path below `experiments/`, such as `evm/table5.toml` or
/// `evm/published/table5.csv`.
pub fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

/// The experiment files by their paths below `experiments/`, with their texts.
pub fn experiments() -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    FILES.iter().copied().filter(|(path, _)| path.ends_with(".toml"))
}

/// The path of the experiment file of this id.
pub fn path(id: &str) -> String {
    format!("{id}.toml")
}

/// The id of the built-in experiment that is meant by this, where no file of that name is.
pub fn meant(file: &Path) -> Option<&'static str> {
    let mut ids = experiments().filter_map(|(path, _)| path.strip_suffix(".toml"));
    ids.find(|id| Path::new(id) == file).filter(|_| !file.is_file())
}

/// The files of an experiment, its own first: their paths below the folder of this, and their texts.
pub fn files(id: &str) -> Vec<(&'static str, &'static str)> {
    let own = path(id);
    let text = file(&own).unwrap_or_default();
    let folder = &own[..own.rfind('/').map_or(0, |end| end + 1)];
    let named = |path: &str| {
        let name = path.strip_prefix(folder).map(|name| format!("\"{name}\""));
        path == own || name.is_some_and(|name| text.contains(&name))
    };
    let mut files: Vec<_> = FILES.iter().copied().filter(|(path, _)| named(path)).collect();
    files.sort_by_key(|(path, _)| *path != own);
    files
}

/// Writes an experiment with its files below a cache folder, apart from those of other versions; returns its own.
///
/// # Errors
/// If that can't be written.
pub fn keep(id: &str, cache: &Path) -> io::Result<PathBuf> {
    let folder = cache.join("experiments").join(env!("REPRISE_SOURCES"));
    for (path, text) in files(id) {
        let file = folder.join(path);
        own::create_folders(file.parent().unwrap_or(&folder))?;
        durable::replace(&file, text.as_bytes())?;
    }
    Ok(folder.join(path(id)))
}

/// The path of a file that an experiment names, which begins beside its experiment file.
pub fn beside(id: &str, path: &str) -> String {
    id.rsplit_once('/').map_or_else(|| path.to_owned(), |(folder, _)| format!("{folder}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_lie_where_their_ids_say() {
        let experiments = experiments();
        for (found, text) in experiments.clone() {
            let table: toml::Table = text.parse().unwrap();
            let id = table["experiment"]["id"].as_str().unwrap();
            assert_eq!(path(id), found);
        }
        assert!(experiments.count() > 25);
        let published = beside("evm/table5", "published/table5.csv");
        assert!(file(&published).unwrap().starts_with("row,column,metric"));
        assert_eq!(beside("quickstart", "published/x.csv"), "published/x.csv");
    }

    #[test]
    fn an_experiment_comes_with_what_it_names() {
        let paths = |id| files(id).into_iter().map(|(path, _)| path).collect::<Vec<_>>();
        let table4 = ["evm/table4.toml", "evm/published/table4.csv", "evm/published/tolerance.csv"];
        assert_eq!(paths("evm/table4"), table4);
        assert!(paths("external/density").contains(&"external/requirements-density.txt"));
        assert_eq!(meant(Path::new("evm/table4")), Some("evm/table4"));
        assert_eq!(meant(Path::new("evm/table4.toml")), None);
        assert_eq!(meant(Path::new("evm")), None);
    }
}
