//! Why cells of a table differ from the paper's, as the file says, and the notes below the table.

use base::words::Worded as _;
use document::{DocumentErrors, Faults};
use spec::{Difference, Experiment, Shows, Why};

use super::{Agreement, Table};

/// A note on cells of a table that stand alike.
pub struct Noted<'a> {
    difference: &'a Difference,
    agreement: Agreement,
    /// Of each cell the share of the difference that the cause closes.
    shares: Vec<f64>,
}

impl Noted<'_> {
    /// Its sentence, and what shows it.
    pub fn text(&self) -> String {
        let percent = |share: f64| format!("{:.0}%", 100.0 * share);
        let of = |pick: fn(f64, f64) -> f64| self.shares.iter().copied().reduce(pick).map(percent);
        let (head, sentence) = match (&self.difference.why, self.agreement) {
            (Why::Cause(cause), Agreement::Explained) => (String::new(), cause),
            (Why::Cause(cause), Agreement::InPart) => {
                let [least, most] = [of(f64::min), of(f64::max)].map(Option::unwrap_or_default);
                let to = if least == most { String::new() } else { format!(" to {most}") };
                (format!("In part, {least}{to} of the difference: "), cause)
            }
            (Why::Cause(tried) | Why::Tried(tried), _) => ("Not explained. Tried: ".into(), tried),
        };
        let Shows { moves_to, document } = &self.difference.shows;
        let moves_to = moves_to.iter().map(ToString::to_string);
        let shown: Vec<String> = moves_to.chain(document.clone()).collect();
        format!("{head}{} ({})", sentence.trim_end_matches('.'), shown.join("; "))
    }
}

impl<'a> Table<'a> {
    /// Where a cell has the note of its difference, among those of cells that stand alike.
    pub(super) fn noted(
        &mut self,
        difference: &'a Difference,
        cell: (Agreement, Option<f64>),
    ) -> usize {
        let (agreement, share) = cell;
        let same = |one: &Noted| {
            one.agreement == agreement
                && one.difference.why == difference.why
                && one.difference.shows == difference.shows
        };
        let at = self.notes.iter().position(same).unwrap_or_else(|| {
            self.notes.push(Noted { difference, agreement, shares: Vec::new() });
            self.notes.len() - 1
        });
        self.notes[at].shares.extend(share);
        at
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
        for one in experiment.differences.iter().filter(|one| one.table == table.spec.id) {
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
