//! The papers whose experiments are re-run: `papers.toml`.

use std::path::Path;

use toml::de::DeTable;

use base::bounded;

/// The copy that is built in.
const BUILT_IN: &str = include_str!("../../papers.toml");

/// The keys of `papers.toml`: the one beside the experiment file or nearest above it, else the
/// built-in copy.
///
/// # Errors
/// Why the file can't be used, naming it.
pub(super) fn keys(folder: &Path) -> Result<Vec<String>, String> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let found = folder.ancestors().map(|above| above.join("papers.toml")).find(|at| at.is_file());
    let text = match &found {
        Some(path) => bounded::read_text(path, bounded::MOST_WRITTEN)
            .map_err(|error| format!("`{}` can't be read: {error}", path.display()))?,
        None => BUILT_IN.to_owned(),
    };
    let table = DeTable::parse(&text).map_err(|error| {
        let name = found.map_or("papers.toml".to_owned(), |path| path.display().to_string());
        format!("`{name}` is not valid TOML: {}", error.message())
    })?;
    Ok(table.get_ref().iter().map(|(key, _)| key.get_ref().to_string()).collect())
}
