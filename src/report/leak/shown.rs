//! The verdicts of a leak check, as people and programs read them.

use contract::DatasetId;

use base::layout::LEAKS;
use base::words::Worded as _;
use itertools::Itertools as _;
use math::decimal::significant;
use spec::{CheckedPart, LeakKeys};

use super::{Checked, Found, Leak, Leaks, OfData, OfLabels, P, Verdict};
use crate::counts::Counts;
use crate::screen::Screen;
use crate::sheet::{Cell, Sheet, Tone, gathered};
use crate::tested::number;

/// What no check of this kind sees, after Kapoor and Narayanan (2023).
const UNSEEN: [&str; 7] = [
    "values filled in, scaled, encoded or sampled, or columns selected, on all rows before the file was made, as far as it leaves no trace",
    "columns that the entry of a data set leaves out, such as dates",
    "columns that are not known when a prediction is made, as long as they tell less than all",
    "test rows that are earlier than training rows, where no `time` is named",
    "test rows of other people, places or times than those that the sentence of the paper is about",
    "rows of one person, rows in a row and rows that were made of others in tables of more than 20,000 rows, of few, or of names alone",
    "labels or answers that a program brings along, or has learned elsewhere",
];

/// How many reasons a terminal shows.
const LISTED: usize = 10;

impl Leaks<'_> {
    /// How it was checked, in a sentence.
    pub fn how(&self) -> String {
        let LeakKeys { permutations, alpha, .. } = &self.check.keys;
        let ran = match self.looked(Leak::Labels) {
            true => "",
            false => " (none ran)",
        };
        format!(
            "{permutations} permutations of the labels{ran}, alpha {}; p is corrected by Holm over data sets and methods",
            number(*alpha, 3)
        )
    }

    /// Whether something of this kind could have been found somewhere.
    fn looked(&self, leak: Leak) -> bool {
        let of_rows = |has: fn(&OfLabels) -> bool| self.checked.iter().any(|row| has(&row.labels));
        let of_data = |has: fn(&OfData) -> bool| self.data.iter().any(|(.., data)| has(data));
        match leak {
            Leak::Labels | Leak::Remembers => of_rows(|labels| labels.permutations > 0),
            Leak::Answers => of_rows(|labels| labels.moved.is_some()),
            Leak::Copies => of_data(|data| data.copies.is_some()),
            Leak::NearCopies => of_data(|data| data.near.is_some()),
            Leak::Groups
            | Leak::Column
            | Leak::Encoded
            | Leak::Filled
            | Leak::Clusters
            | Leak::Close
            | Leak::Between
            | Leak::Exact
            | Leak::Repeats
            | Leak::Scaled
            | Leak::Selected
            | Leak::Computed
            | Leak::Missing
            | Leak::Sequence
            | Leak::Earlier
            | Leak::Identifies
            | Leak::Wide => true,
        }
    }

    /// How many verdicts there are of each word.
    pub fn counts(&self) -> String {
        let counts: Counts<&str> = self.checked.iter().map(|row| row.verdict.word()).collect();
        counts.text(str::to_owned)
    }

    /// What was found, and what would be and may stay; none where there is neither.
    fn findings(&self) -> Option<Sheet> {
        let accepted = self.check.keys.accept.iter().flatten();
        let accepted =
            accepted.map(|one| format!("Accepted: column `{}`: {}", *one.column, one.why));
        if self.found.is_empty() {
            let (title, notes) = ("Nothing else was found".to_owned(), accepted.collect());
            let sheet = Sheet { title, notes, ..Sheet::default() };
            return Some(sheet).filter(|sheet| !sheet.notes.is_empty());
        }
        let title = "Found: what leaks, and what is suspicious unless it has an honest reason";
        let sheet = Sheet::of(title, &self.found)
            .shown("Data set", |found: &Found<'_>| {
                let (part, dataset, _) = &self.data[found.data];
                self.name(part, dataset)
            })
            .shown("Method", |found| found.method.map_or("all", |method| method.as_str()))
            .shown("What", |found| {
                format!("{}: {}", Verdict::of(&[found.leak]).word(), found.leak.word())
            })
            .shown("Why", |found| Cell::prose(&*found.what));
        Some(sheet.notes(accepted).sheet())
    }

    /// What stands under the verdicts.
    pub fn further(&self) -> impl Iterator<Item = Sheet> {
        self.findings().into_iter().chain([self.divisions(), self.looked_at()])
    }

    /// What was looked at, and of how many data sets, or methods on them, it was found.
    fn looked_at(&self) -> Sheet {
        let found = |leak: Leak| {
            let those = self.found.iter().filter(|found| found.leak == leak);
            those.unique_by(|found| (found.data, found.method)).count()
        };
        Sheet::of("What was looked at", Leak::WORDS.0)
            .shown("What", |(word, ..): &(&'static str, Leak, &'static str)| *word)
            .number("", "Found", |(_, leak, _)| match self.looked(*leak) {
                true => Cell::from(found(*leak)),
                false => Cell::Absent("not looked at"),
            })
            .shown("It is found if", |(.., meaning)| Cell::prose(*meaning))
            .notes(UNSEEN.map(|what| format!("Can't be seen: {what}")))
            .sheet()
    }

    fn name(&self, part: &CheckedPart, dataset: &DatasetId) -> String {
        match self.check.parts.len() {
            1 => dataset.to_string(),
            _ => format!("{dataset} ({})", part.label),
        }
    }

    /// The datasets with what their divisions say.
    fn divisions(&self) -> Sheet {
        type Of<'d> = &'d (&'d CheckedPart, &'d DatasetId, OfData);
        let named = |data: &OfData| data.groups.is_some_and(|groups| groups > 0.0);
        Sheet::of("What training examples give away of test examples", &self.data)
            .shown("Data set", |(part, dataset, _): Of| self.name(part, dataset))
            .number("", "Copies", |(.., data)| share(data.copies))
            .number("", "of the label", |(.., data)| share(data.alike))
            .number("", "no chance", |(.., data)| share(data.sure))
            .number("", "p", |(.., data)| adjusted(data.copies_by_chance))
            .number("", "Near copies", |(.., data)| share(data.near))
            .number("", "p", |(.., data)| adjusted(data.near_by_chance))
            .number("", "Shared groups", |(.., data)| {
                share(data.shared_groups.filter(|_| named(data)))
            })
            .sheet()
    }

    /// Each method on each dataset, and why what was not checked.
    pub fn verdicts(&self) -> Sheet {
        let data = |row: &Checked<'_>| &self.data[row.data].2;
        Sheet::of("Verdicts", &self.checked)
            .value("part", |row: &Checked<'_>| Cell::prose(&*row.part.label))
            .shown("Data set", |row| self.name(row.part, row.dataset))
            .value("dataset", |row| row.dataset.as_str())
            .text("method", "Method", |row| row.method.as_str())
            .value("verdict", |row| row.verdict.word())
            .value("leaks", |row| row.words(true))
            .value("suspicious", |row| row.words(false))
            .value("why", |row| Cell::prose(self.why(row)))
            .number("score", "Score", |row| share(row.labels.score))
            .number("permuted", "Permuted", |row| share(row.labels.permuted))
            .number("chance", "Chance", |row| share(row.labels.chance))
            .value("majority", |row| nine(row.labels.majority))
            .value("permutations", |row| row.labels.permutations)
            .value("p", |row| row.labels.p.map(|p| p.p))
            .number("p_adjusted", "p", |row| adjusted(row.labels.p))
            .value("p_learned", |row| row.labels.learned)
            .value("p_remembered", |row| row.labels.remembered.map(|p| p.p))
            .number("p_remembered_adjusted", "p drawn", |row| adjusted(row.labels.remembered))
            .number("moved_answers", "Moved", |row| share(row.labels.moved))
            .shown("Verdict", |row| Cell::Mark(tone(row.verdict), row.text()))
            .value("copies", |row| nine(data(row).copies))
            .value("copies_alike", |row| nine(data(row).alike))
            .value("copies_of_numbers", |row| nine(data(row).sure))
            .value("copies_p", |row| data(row).copies_by_chance.map(|p| p.p))
            .value("copies_p_adjusted", |row| data(row).copies_by_chance.map(|p| p.adjusted))
            .value("near_copies", |row| nine(data(row).near))
            .value("near_p", |row| data(row).near_by_chance.map(|p| p.p))
            .value("near_p_adjusted", |row| data(row).near_by_chance.map(|p| p.adjusted))
            .value("groups", |row| nine(data(row).groups))
            .value("shared_groups", |row| nine(data(row).shared_groups))
            .notes(self.reasons())
            .sheet()
    }

    /// Why a verdict is what it is.
    fn why(&self, row: &Checked<'_>) -> String {
        let found = row.found(&self.found).map(|found| &*found.what);
        found.chain(row.unchecked()).join("; ")
    }

    /// Why what was not checked.
    fn reasons(&self) -> Vec<String> {
        let reasons = gathered(self.checked.iter().filter_map(|row| {
            let what = format!("{} on {}", row.method, self.name(row.part, row.dataset));
            Some((row.unchecked()?, what))
        }));
        let parts = self.check.unchecked.iter();
        let parts = parts.map(|(part, why)| format!("Not checked: part {part}: {why}"));
        let rows =
            reasons.iter().map(|(why, those)| format!("Not checked: {}: {why}", those.join("; ")));
        parts.chain(rows).collect()
    }

    /// For a terminal.
    pub(crate) fn terminal(&self, screen: &mut Screen) {
        if let Some(findings) = self.findings() {
            screen.sheet(findings);
        }
        screen.blank();
        screen.paragraph(format!("Leaks: {}", self.how()), 0);
        screen.sheet(self.divisions());
        let mut verdicts = self.verdicts();
        let more = verdicts.notes.len().saturating_sub(LISTED);
        verdicts.notes.truncate(LISTED);
        verdicts.notes.extend((more > 0).then(|| format!("and {more} more in {LEAKS}")));
        screen.sheet(verdicts);
        screen.blank();
        screen.paragraph(self.counts(), 0);
        screen.sheet(self.looked_at());
    }

    /// For the page that is text.
    pub(crate) fn markdown(&self) -> String {
        let section = |sheet: Sheet| format!("\n## {}\n\n{}", sheet.title, sheet.markdown());
        let verdicts = self.verdicts();
        format!(
            "\n## {}\n\n{}: {}.\n\n{}{}",
            verdicts.title,
            self.how(),
            self.counts(),
            verdicts.markdown(),
            self.further().map(section).collect::<String>()
        )
    }
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Nothing => Tone::Good,
        Verdict::Leaks => Tone::Bad,
        Verdict::Suspicious | Verdict::NotChecked => Tone::Open,
    }
}

/// A number without what depends on the order of additions.
fn nine(value: Option<f64>) -> Option<f64> {
    value.map(|value| significant(value, 9))
}

/// A share or a score.
fn share(value: Option<f64>) -> Cell {
    Cell::fixed(nine(value), 3)
}

fn adjusted(p: Option<P>) -> Cell {
    Cell::significant(p.map(|p| p.adjusted), 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaks_is_bad_and_what_is_suspicious_is_open() {
        let found = |leaks: &[Leak]| tone(Verdict::of(leaks));
        assert_eq!(found(&[Leak::Column, Leak::Copies]), Tone::Bad);
        assert_eq!(found(&[Leak::Column]), Tone::Open);
        assert_eq!(tone(Verdict::Nothing), Tone::Good);
    }
}
