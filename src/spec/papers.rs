//! The papers whose experiments are re-run: `papers.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use base::bounded;
use derive_more::Deref;
use document::{
    Count, Faults, Form, Node, Pattern, ReadTable as _, Section as _, Text, closed, holds, parse,
    section,
};
use serde::Serialize;

/// The name of the file.
const NAME: &str = "papers.toml";

/// The copy that is built in.
const BUILT_IN: &str = include_str!("../../papers.toml");

/// Where to read a paper. It stands as a link in Markdown, so it holds none of the characters that end one.
static LINK: Pattern = Pattern::new(
    "address",
    "an address that begins with https:// or http://",
    r"^https?://[!#-&*-;=?-Z^_a-~]+$",
);

holds! {
    /// Where to read a paper.
    pub(crate) Link: String = Form::Text(&LINK), Node::string;
}

/// A file of papers while it is read.
pub(crate) struct Reading<'a> {
    faults: &'a mut Faults,
}

impl<'a> AsMut<Reading<'a>> for Reading<'a> {
    fn as_mut(&mut self) -> &mut Reading<'a> {
        self
    }
}

section! {
    in Reading;
    /// An entry of `papers.toml`.
    #[derive(PartialEq, Serialize)]
    pub struct PaperKeys {
        citation: Text => "how reports cite it";
        title: Option<Text>, else "not said" => "its title";
        venue: Option<Text>, else "not said" => "where it appeared";
        year: Option<Count>, else "not said" => "when";
        link: Option<Link>, else "no link" => "where to read it";
    }
}

/// A paper, as `papers.toml` describes it.
#[derive(Debug, Clone, PartialEq, Deref)]
pub struct Paper {
    /// Its key, by which experiment files name it.
    pub key: String,
    /// What the file says of it.
    #[deref]
    pub about: PaperKeys,
}

impl Paper {
    /// The built-in paper of this key.
    pub fn built_in(key: &str) -> Option<Self> {
        read(BUILT_IN, NAME).ok()?.into_iter().find(|paper| paper.key == key)
    }

    /// A file with its entry alone.
    pub fn to_text(&self) -> String {
        let entry = BTreeMap::from([(&self.key, &self.about)]);
        toml::to_string(&entry).expect("texts and a number are TOML")
    }
}

/// The papers of `papers.toml`: the one in `folder` or nearest above it, else the built-in copy.
///
/// # Errors
/// Everything that is wrong with the file, at its lines.
pub fn papers(folder: &Path) -> Result<Vec<Paper>, Faults> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let there = |path: &std::path::PathBuf| path.symlink_metadata().is_ok();
    let Some(path) = folder.ancestors().map(|above| above.join(NAME)).find(there) else {
        return read(BUILT_IN, NAME);
    };
    let name = path.display().to_string();
    match bounded::read_text(&path, bounded::MOST_WRITTEN) {
        Ok(text) => read(&text, &name),
        Err(error) => {
            let mut faults = Faults::new(&name, "");
            faults.at(&(0..0), format!("`{name}` can't be read: {error}"), "not a text file");
            Err(faults)
        }
    }
}

fn read(text: &str, name: &str) -> Result<Vec<Paper>, Faults> {
    let mut faults = Faults::new(name, text);
    let mut root = parse(text, &mut faults);
    let mut reading = Reading { faults: &mut faults };
    let mut papers = Vec::new();
    for entry in &mut root.entries {
        let key = entry.key.clone();
        let document::Content::Table(table) = &mut entry.node.content else {
            reading.faults.wrong(&key, &entry.node, "the table of a paper");
            continue;
        };
        closed(table, &PaperKeys::keys(), &format!("paper `{key}`"), reading.faults);
        let about = PaperKeys::read_table(table, &mut reading);
        papers.extend(about.map(|about| Paper { key, about }));
    }
    if faults.is_empty() { Ok(papers) } else { Err(faults) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paper_is_read_back_from_its_own_file() {
        let paper = Paper::built_in("evm").unwrap();
        assert!(paper.citation.starts_with("M. Niepert and P. Domingos."));
        assert_eq!(read(&paper.to_text(), NAME).unwrap(), [paper]);
        assert_eq!(Paper::built_in("none"), None);
        assert!(read(BUILT_IN, NAME).unwrap().len() >= 5);
    }

    fn errors(text: &str) -> Vec<String> {
        let errors = read(text, NAME).unwrap_err().into_errors(NAME).errors;
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn everything_that_is_wrong_with_an_entry_is_said() {
        assert_eq!(errors("a = 1"), ["`a` can't be 1"]);
        assert_eq!(errors("[a]\nyear = 1992"), ["paper `a` lacks `citation`"]);
        assert_eq!(
            errors("[a]\ncitation = 1\nlnik = \"https://a.b\""),
            ["`citation` can't be 1", "paper `a` has no key `lnik`"]
        );
        assert!(errors("[a]\ncitation = \"\"")[0].starts_with("`citation` can't be"));
        let link = |link: &str| errors(&format!("[a]\ncitation = \"x\"\nlink = '{link}'"));
        for wrong in ["javascript:alert(1)", "https://", "https://x](y", "https://x y"] {
            assert!(link(wrong)[0].starts_with("`link` can't be"), "{:?}", link(wrong));
        }
        for hidden in ["\\u202e", "\\u001b", "\\u0007"] {
            let found = errors(&format!("[a]\ncitation = \"x{hidden}\""));
            assert!(found[0].contains("can't hold the character"), "{found:?}");
        }
        assert_eq!(errors("[a").len(), 1);
    }

    #[test]
    fn the_nearest_file_is_the_one_whatever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(folder.path().join(NAME), "[own]\ncitation = \"X\"\n").unwrap();
        assert_eq!(papers(&inner).unwrap()[0].key, "own");
        std::fs::create_dir(inner.join(NAME)).unwrap();
        let errors = papers(&inner).unwrap_err().into_errors(NAME).errors;
        assert!(errors[0].to_string().contains("can't be read"), "{}", errors[0]);
    }
}
