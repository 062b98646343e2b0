//! A sheet as comma-separated values: the columns that have ids, numbers with all digits.

use base::text::real;
use run::csv::{Writer, prose};

use super::{Cell, Sheet};

impl Sheet {
    /// The bytes of the file.
    pub fn csv(&self) -> Vec<u8> {
        let named = || self.columns.iter().enumerate().filter(|(_, column)| !column.id.is_empty());
        let mut file = Writer::new(named().map(|(_, column)| column.id));
        for row in &self.rows {
            named().for_each(|(at, _)| file.text(&text(&row[at])));
            file.end();
        }
        file.finish()
    }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Prose(text) => prose(text).into_owned(),
        // Zero has no sign.
        Cell::Number(number) => real(number.value + 0.0),
        Cell::Flag(flag) => flag.to_string(),
        other => other.plain(),
    }
}
