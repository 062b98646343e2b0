//! The papers whose experiments are re-run: `papers.toml`.

use std::path::Path;

use toml::{Table, Value};

use base::bounded;
use base::printable::is_hidden;

/// The copy that is built in.
const BUILT_IN: &str = include_str!("../../papers.toml");

/// A paper, as `papers.toml` describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Paper {
    /// Its key, by which experiment files name it.
    pub key: String,
    /// How it is cited.
    pub citation: String,
    /// Where to read it.
    pub link: Option<String>,
    /// Its whole entry: the two above, title, venue and year.
    pub entry: Table,
}

impl Paper {
    /// The built-in paper of this key.
    pub fn built_in(key: &str) -> Option<Self> {
        read(BUILT_IN, "papers.toml").ok()?.into_iter().find(|paper| paper.key == key)
    }

    /// A file with its entry alone.
    pub fn to_text(&self) -> String {
        let file = Table::from_iter([(self.key.clone(), Value::Table(self.entry.clone()))]);
        file.to_string()
    }

    fn read(key: &str, entry: Value) -> Result<Self, String> {
        let Value::Table(entry) = entry else {
            return Err(format!("`{key}` is no table; write `[{key}]` and below it `citation`"));
        };
        if key.contains(is_hidden) || entry.to_string().contains(|c| c != '\n' && is_hidden(c)) {
            return Err(format!("`{key}` has a character that can't be seen"));
        }
        let text = |name: &str| match entry.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("`{name}` of `{key}` is no text")),
        };
        let citation = text("citation")?.ok_or_else(|| format!("`{key}` lacks `citation`"))?;
        let link = text("link")?;
        if link.as_ref().is_some_and(|link| !is_address(link)) {
            return Err(format!("`link` of `{key}` is no http(s) address"));
        }
        Ok(Self { key: key.to_owned(), citation, link, entry })
    }
}

/// The papers of `papers.toml`: the one beside the experiment file or nearest above it, else the
/// built-in copy.
///
/// # Errors
/// Why the file can't be used, naming it.
pub fn papers(folder: &Path) -> Result<Vec<Paper>, String> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    match folder.ancestors().map(|above| above.join("papers.toml")).find(|at| at.is_file()) {
        Some(path) => {
            let name = path.display().to_string();
            let text = bounded::read_text(&path, bounded::MOST_WRITTEN)
                .map_err(|error| format!("`{name}` can't be read: {error}"))?;
            read(&text, &name)
        }
        None => read(BUILT_IN, "papers.toml"),
    }
}

fn read(text: &str, name: &str) -> Result<Vec<Paper>, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        format!("`{name}` is not valid TOML: {}", error.message())
    })?;
    let papers = table.into_iter().map(|(key, entry)| Paper::read(&key, entry));
    papers.collect::<Result<_, String>>().map_err(|why| format!("in `{name}` {why}"))
}

/// Whether a text can stand as a link in Markdown: http(s), and none of the characters that end one.
fn is_address(text: &str) -> bool {
    let after = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    after.is_some_and(|rest| {
        !rest.is_empty()
            && rest.chars().all(|c| c.is_ascii_graphic() && !"<>()[]\"'`\\".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paper_is_read_back_from_its_own_file() {
        let paper = Paper::built_in("evm").unwrap();
        assert!(paper.citation.starts_with("M. Niepert and P. Domingos."));
        assert_eq!(read(&paper.to_text(), "papers.toml").unwrap(), [paper]);
        assert_eq!(Paper::built_in("none"), None);
    }

    #[test]
    fn what_is_wrong_with_an_entry_is_said() {
        let error = |text: &str| read(text, "papers.toml").unwrap_err();
        assert_eq!(
            error("a = 1"),
            "in `papers.toml` `a` is no table; write `[a]` and below it `citation`"
        );
        assert_eq!(error("[a]\nyear = 1"), "in `papers.toml` `a` lacks `citation`");
        assert_eq!(error("[a]\ncitation = 1"), "in `papers.toml` `citation` of `a` is no text");
        let link = |link: &str| error(&format!("[a]\ncitation = \"x\"\nlink = '{link}'"));
        for wrong in ["javascript:alert(1)", "https://", "https://x](y", "https://x y"] {
            assert_eq!(link(wrong), "in `papers.toml` `link` of `a` is no http(s) address");
        }
        let hidden = error("[a]\ncitation = \"x\\u202e\"");
        assert_eq!(hidden, "in `papers.toml` `a` has a character that can't be seen");
        assert!(error("[a").starts_with("`papers.toml` is not valid TOML: "));
    }
}
