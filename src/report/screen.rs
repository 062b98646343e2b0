//! What a person reads at a terminal, laid out when its width is known.

use std::fmt;

use base::text::wrapped;

use super::sheet::{PROSE, Sheet};

/// How wide lines are where nobody says.
const WIDTH: usize = 100;

/// Tables, tests and verdicts, one below the other; no colours.
#[derive(Debug, Clone, Default)]
pub struct Screen(Vec<Block>);

#[derive(Debug, Clone)]
enum Block {
    Paragraph { text: String, indent: usize },
    Sheet(Sheet),
}

impl Screen {
    /// The text in lines of at most `width` characters. A table is broken into blocks of columns, a paragraph between
    /// words.
    pub fn at(&self, width: usize) -> String {
        let block = |block: &Block| match block {
            Block::Paragraph { text, indent } => wrapped(text, *indent, width.min(PROSE)),
            Block::Sheet(sheet) => sheet.terminal(width),
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

    /// Adds a sheet under an empty line.
    pub(crate) fn sheet(&mut self, sheet: Sheet) {
        self.blank();
        self.0.push(Block::Sheet(sheet));
    }
}

impl fmt::Display for Screen {
    /// Lines of at most a hundred characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.at(WIDTH))
    }
}
