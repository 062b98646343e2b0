//! The experiment files that are compiled in, with their published values: what an audit compares the inputs
//! of a stranger's results with.

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
}
