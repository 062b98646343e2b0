//! Why cells of a table differ from the paper's, as the file says, and the notes below the table.

use base::words::Worded as _;
use document::{DocumentErrors, Faults};
use spec::{Difference, Experiment, Shows, TableSpec, Why};

use super::{Agreement, Table};

/// The differences of a table's cells. Those with one cause are one.
pub struct Causes<'a> {
    of_table: Vec<&'a Difference>,
}

impl<'a> Causes<'a> {
    /// Of a table.
    pub fn of(experiment: &'a Experiment, table: &TableSpec) -> Self {
        let of_table = experiment.differences.iter().filter(|one| one.table == table.id);
        Self { of_table: of_table.collect() }
    }

    /// Which of the causes is that of a cell.
    pub fn of_cell(&self, row: &str, column: &str) -> Option<usize> {
        let names = |one: &&&Difference| one.names(&one.table, row, column);
        let found = self.of_table.iter().find(names)?;
        let same = |one: &&Difference| one.why == found.why && one.shows == found.shows;
        self.of_table.iter().position(same)
    }

    /// Whether one of them is a cause, and no list of what was tried.
    pub fn explains(&self, cause: usize) -> bool {
        matches!(self.of_table[cause].why, Why::Cause(_))
    }

    /// The sentence of a cause, and what shows it.
    pub fn text(&self, cause: usize) -> String {
        let Difference { why, shows, .. } = self.of_table[cause];
        let (head, sentence) = match why {
            Why::Cause(cause) => ("", cause),
            Why::Tried(tried) => ("Not explained. Tried: ", tried),
        };
        let Shows { choice, document } = shows;
        let choice = choice.as_ref().map(|(choice, option)| match option {
            Some(option) => format!("choice {choice}, option {option}"),
            None => format!("choice {choice}"),
        });
        let shown: Vec<String> = choice.into_iter().chain(document.clone()).collect();
        format!("{head}{} ({})", sentence.trim_end_matches('.'), shown.join("; "))
    }
}

impl Table<'_> {
    /// The causes in the order of the cells that they are of: by row, then column.
    pub fn shown_causes(&self) -> Vec<usize> {
        let mut shown = Vec::new();
        for cause in self.cells.iter().flatten().filter_map(|cell| cell.cause) {
            if !shown.contains(&cause) {
                shown.push(cause);
            }
        }
        shown
    }
}

/// Checks that no note stands on a cell that agrees, in tables that are among all of the experiment's. Under a profile, and
/// where something is set from outside, the numbers are others, and nothing is checked.
///
/// # Errors
/// The places of cells that are said to differ, and agree with the paper by rounding or noise; and of cells that the
/// table has not.
pub fn check_notes(experiment: &Experiment, tables: &[Table]) -> Result<(), DocumentErrors> {
    if experiment.profile().is_some() || experiment.source.overlay.is_some() {
        return Ok(());
    }
    let path = experiment.source.path.display();
    let mut faults = Faults::new(&path, &experiment.source.text);
    for table in tables {
        for one in &table.causes.of_table {
            for (row, column) in one.cells() {
                let Some(why) = table.contradicts(row, column) else { continue };
                let id = &table.spec.id;
                let message =
                    format!("row `{row}`, column `{column}` of `{id}` can't be explained");
                faults
                    .at(&row.span, message, why)
                    .help("remove the cell from this `[[difference]]`; no trial is lost");
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.into_errors(&path)) }
}

impl Table<'_> {
    /// Why a cell can't have a cause; none if it can, or is not known.
    fn contradicts(&self, row: &str, column: &str) -> Option<String> {
        let place = |headers: &[super::Header], id| headers.iter().position(|one| one.id == id);
        let cell = place(&self.rows, row).zip(place(&self.columns, column));
        let Some(cell) = cell.and_then(|(row, column)| self.cells[row].get(column)) else {
            return Some("the table has no such cell".to_owned());
        };
        let agreement = cell.agreement?;
        let number = |value: f64| base::text::real(math::decimal::significant(value, 6));
        let noise =
            cell.noise.map_or(String::new(), |noise| format!(" ± {}", number(noise.interval)));
        let (ours, paper) = (cell.ours.value?, cell.published?.0);
        matches!(agreement, Agreement::Rounding | Agreement::Noise).then(|| {
            let word = Agreement::WORDS.word(agreement);
            let (ours, paper) = (number(ours), number(paper));
            format!("it does not differ: ours is {ours}{noise}, the paper's {paper}: {word}")
        })
    }
}
