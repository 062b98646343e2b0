//! The verdicts of a leak check, as people and programs read them.

use std::collections::BTreeMap;

use math::decimal::significant;
use run::csv;
use spec::LeakCheck;

use super::{Checked, Leaks, OfData, P};
use crate::screen::Screen;
use crate::table::markdown_escaped as escaped;
use crate::tested::number;

/// How many reasons a terminal shows.
const LISTED: usize = 10;

impl Leaks<'_> {
    /// How it was checked, in a sentence.
    pub fn how(&self) -> String {
        let LeakCheck { permutations, alpha, .. } = self.check;
        format!(
            "{permutations} permutations of the labels, alpha {}; p is corrected by Holm over data sets and methods",
            number(*alpha, 3)
        )
    }

    /// How many verdicts there are of each word.
    pub fn counts(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &self.checked {
            *counts.entry(row.verdict.word()).or_default() += 1;
        }
        let counts: Vec<String> =
            counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
        counts.join(", ")
    }

    fn name(&self, part: &str, dataset: &str) -> String {
        match self.check.parts.len() {
            1 => dataset.to_owned(),
            _ => format!("{dataset} ({part})"),
        }
    }

    /// What stands over [`Self::data_lines`].
    pub const DATA: [&'static str; 7] =
        ["Data set", "Copies", "of the label", "p", "Near copies", "p", "Shared groups"];

    /// Which of them stand over numbers.
    pub const DATA_NUMBERS: [usize; 6] = [1, 2, 3, 4, 5, 6];

    /// The datasets with what their divisions say.
    pub fn data_lines(&self) -> Vec<[String; 7]> {
        let line = |(part, dataset, data): &(&str, &str, OfData)| {
            let p = |p: Option<P>| shown(p.map(|p| p.adjusted));
            let named = data.groups.is_some_and(|groups| groups > 0.0);
            [
                self.name(part, dataset),
                share(data.copies),
                share(data.alike),
                p(data.copies_by_chance),
                share(data.near),
                p(data.near_by_chance),
                share(data.shared_groups.filter(|_| named)),
            ]
        };
        self.data.iter().map(line).collect()
    }

    /// What stands over [`Self::lines`].
    pub const VERDICTS: [&'static str; 8] =
        ["Data set", "Method", "Score", "Permuted", "Chance", "p", "Moved", "Verdict"];

    /// Which of them stand over numbers.
    pub const VERDICT_NUMBERS: [usize; 5] = [2, 3, 4, 5, 6];

    /// Each method on each dataset.
    pub fn lines(&self) -> Vec<[String; 8]> {
        let line = |row: &Checked<'_>| {
            let labels = &row.labels;
            [
                self.name(row.part, row.dataset),
                row.method.to_owned(),
                share(labels.score),
                share(labels.permuted),
                share(labels.chance),
                shown(labels.p.map(|p| p.adjusted)),
                share(labels.moved),
                row.verdict.text(),
            ]
        };
        self.checked.iter().map(line).collect()
    }

    /// Why what was not checked.
    pub fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for row in self.checked.iter().filter(|row| !row.verdict.why().is_empty()) {
            let what = format!("{} on {}", row.method, self.name(row.part, row.dataset));
            match reasons.iter_mut().find(|(why, _)| *why == row.verdict.why()) {
                Some((_, those)) => those.push(what),
                None => reasons.push((row.verdict.why(), vec![what])),
            }
        }
        let parts = self.check.unchecked.iter();
        let parts = parts.map(|(part, why)| format!("Not checked: part {part}: {why}"));
        let rows =
            reasons.iter().map(|(why, those)| format!("Not checked: {}: {why}", those.join("; ")));
        parts.chain(rows).collect()
    }

    /// For a terminal.
    pub(crate) fn terminal(&self, screen: &mut Screen) {
        screen.paragraph(format!("Leaks: {}", self.how()), 0);
        screen.blank();
        screen.columns(Self::DATA, self.data_lines(), &Self::DATA_NUMBERS);
        screen.blank();
        screen.columns(Self::VERDICTS, self.lines(), &Self::VERDICT_NUMBERS);
        let reasons = self.reasons();
        let more = reasons.len().saturating_sub(LISTED);
        reasons.into_iter().take(LISTED).for_each(|reason| screen.paragraph(reason, 0));
        if more > 0 {
            screen.paragraph(format!("and {more} more in {}", base::layout::LEAKS), 0);
        }
        screen.blank();
        screen.paragraph(self.counts(), 0);
    }

    /// For the page that is text.
    pub fn markdown(&self) -> String {
        let mut text = format!("\n## Verdicts\n\n{}: {}.\n\n", self.how(), self.counts());
        text += &table(&Self::VERDICTS, self.lines(), &Self::VERDICT_NUMBERS);
        for reason in self.reasons() {
            text += &format!("\n{}.\n", escaped(&reason));
        }
        text += "\n## What training examples give away of test examples\n\n";
        text + &table(&Self::DATA, self.data_lines(), &Self::DATA_NUMBERS)
    }

    /// All of it as a file.
    pub fn file(&self) -> Vec<u8> {
        const HEADER: [&str; 24] = [
            "part",
            "dataset",
            "method",
            "verdict",
            "leaks",
            "why",
            "score",
            "permuted",
            "chance",
            "majority",
            "permutations",
            "p",
            "p_adjusted",
            "p_learned",
            "moved_answers",
            "copies",
            "copies_alike",
            "copies_p",
            "copies_p_adjusted",
            "near_copies",
            "near_p",
            "near_p_adjusted",
            "groups",
            "shared_groups",
        ];
        let row = |row: &Checked<'_>| {
            let (labels, (.., data)) = (&row.labels, &self.data[row.data]);
            let value = |value: Option<f64>| csv::number(value.map(|value| significant(value, 9)));
            let alone = |p: Option<P>| csv::number(p.map(|p| p.p));
            let adjusted = |p: Option<P>| csv::number(p.map(|p| p.adjusted));
            vec![
                csv::prose(row.part).into_owned(),
                row.dataset.to_owned(),
                row.method.to_owned(),
                row.verdict.word().to_owned(),
                row.verdict.leaks(),
                csv::prose(row.verdict.why()).into_owned(),
                value(labels.score),
                value(labels.permuted),
                value(labels.chance),
                value(labels.majority),
                labels.permutations.to_string(),
                alone(labels.p),
                adjusted(labels.p),
                csv::number(labels.learned),
                value(labels.moved),
                value(data.copies),
                value(data.alike),
                alone(data.copies_by_chance),
                adjusted(data.copies_by_chance),
                value(data.near),
                alone(data.near_by_chance),
                adjusted(data.near_by_chance),
                value(data.groups),
                value(data.shared_groups),
            ]
        };
        csv::file(&HEADER, self.checked.iter().map(row))
    }
}

fn table<const N: usize>(header: &[&str; N], rows: Vec<[String; N]>, right: &[usize]) -> String {
    let side = |column| if right.contains(&column) { "--:|" } else { ":--|" };
    let rule: String = (0..N).map(side).collect();
    let mut text = format!("| {} |\n|{rule}\n", header.join(" | "));
    for row in rows {
        text += &format!("| {} |\n", row.map(|cell| escaped(&cell)).join(" | "));
    }
    text
}

/// A share or a score.
fn share(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{:.3}", value + 0.0))
}

/// A p-value.
fn shown(p: Option<f64>) -> String {
    p.map_or_else(String::new, |p| number(p, 2))
}
