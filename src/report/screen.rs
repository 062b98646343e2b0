//! What a person reads at a terminal, laid out when its width is known.

use std::fmt;

use base::text::{columns, wrapped};

use super::table::{PROSE, Shown, Table, shown, terminal};

/// How wide lines are where nobody says.
const WIDTH: usize = 100;

/// Tables, tests and verdicts, one below the other; no colours.
#[derive(Debug, Clone, Default)]
pub struct Screen(Vec<Block>);

#[derive(Debug, Clone)]
enum Block {
    Paragraph { text: String, indent: usize },
    Columns { rows: Vec<Vec<String>>, right: &'static [usize] },
    Table { title: String, shown: Shown },
}

impl Screen {
    /// The text in lines of at most `width` characters. A table is broken into blocks of columns, a paragraph between
    /// words.
    pub fn at(&self, width: usize) -> String {
        let block = |block: &Block| match block {
            Block::Paragraph { text, indent } => wrapped(text, *indent, width.min(PROSE)),
            Block::Columns { rows, right } => columns(rows, right, width),
            Block::Table { title, shown } => terminal(title, shown, width),
        };
        self.0.iter().map(block).collect()
    }

    /// Adds a paragraph, of which the first `indent` characters stand before its lines.
    pub(crate) fn paragraph(&mut self, text: impl Into<String>, indent: usize) {
        self.0.push(Block::Paragraph { text: text.into(), indent });
    }

    /// Adds an empty line.
    pub(crate) fn blank(&mut self) {
        self.paragraph("", 0);
    }

    /// Adds rows in columns under their header; those in `right` are flush right.
    pub(crate) fn columns<const N: usize>(
        &mut self,
        header: [&str; N],
        rows: impl IntoIterator<Item = [String; N]>,
        right: &'static [usize],
    ) {
        let rows = std::iter::once(header.map(str::to_owned)).chain(rows);
        self.0.push(Block::Columns { rows: rows.map(Vec::from).collect(), right });
    }

    /// Adds a table.
    pub(crate) fn table(&mut self, table: &Table<'_>) {
        self.0.push(Block::Table { title: table.spec.title.clone(), shown: shown(table) });
    }
}

impl fmt::Display for Screen {
    /// Lines of at most a hundred characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.at(WIDTH))
    }
}
