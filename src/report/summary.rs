//! Counts and verdicts in a few lines.

use std::collections::BTreeMap;

use run::{Record, Status};
use spec::Verdict;

use super::cells;
use super::claims::Claim;
use super::screen::Screen;
use super::table::{Counts, counts_text};

/// How trials ended, claims were judged, and cells stand to the paper's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of trials by how they ended, those of choices included.
    pub trials: BTreeMap<Status, usize>,
    /// Number of claims by verdict on our numbers.
    pub claims: BTreeMap<Verdict, usize>,
    /// Number of cells by how they stand to the paper's.
    pub cells: Counts,
}

impl Summary {
    pub(super) fn of(
        records: &[Record],
        claims: &[Claim],
        cells: impl Iterator<Item = Counts>,
    ) -> Self {
        let mut summary = Self::default();
        for record in records {
            *summary.trials.entry(cells::status(record)).or_default() += 1;
        }
        for claim in claims {
            *summary.claims.entry(claim.ours.verdict).or_default() += 1;
        }
        for (agreement, count) in cells.flatten() {
            *summary.cells.entry(agreement).or_default() += count;
        }
        summary
    }

    /// Such as `178 of 180 trials ok, 2 failed`.
    pub(super) fn trials_text(&self) -> String {
        let total: usize = self.trials.values().sum();
        let ok = self.trials.get(&Status::Ok).copied().unwrap_or(0);
        let mut text = format!("{ok} of {total} trials ok");
        for (status, count) in self.trials.iter().filter(|(status, _)| **status != Status::Ok) {
            text += &format!(", {count} {}", status.word());
        }
        text
    }

    /// Trials, claims and cells in one line.
    pub fn text(&self) -> String {
        let mut text = self.trials_text();
        let total: usize = self.claims.values().sum();
        if total > 0 {
            let verdicts: Vec<String> = self
                .claims
                .iter()
                .map(|(verdict, count)| format!("{count} {}", verdict.text()))
                .collect();
            text += &format!("; claims: {}", verdicts.join(", "));
        }
        if !self.cells.is_empty() {
            text += &format!("; cells: {}", counts_text(&self.cells));
        }
        text
    }
}

/// One line a claim, the evidence under it, for a terminal; where published numbers decide a claim, their verdicts too.
pub fn verdicts(claims: &[Claim], screen: &mut Screen) {
    let of_paper = claims.iter().any(|claim| claim.published.verdict != Verdict::NoEvidence);
    if !claims.is_empty() {
        let beside = if of_paper { " (on the paper's own numbers in parentheses)" } else { "" };
        screen.blank();
        screen.paragraph(format!("Claims{beside}"), 0);
    }
    for claim in claims {
        let mut verdict = format!("{:<11} ", claim.ours.verdict.text());
        if of_paper {
            verdict += &format!("{:<13}  ", format!("({})", claim.published.verdict.text()));
        }
        let indent = verdict.len();
        screen.paragraph(format!("{verdict}{}", claim.spec.text), indent);
        let (by, sentence) = (claim.ours.by(), &claim.ours.sentence);
        screen.paragraph(format!("{:indent$}{sentence} [{by}]", ""), indent);
    }
}
