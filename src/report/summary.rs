//! Counts and verdicts in a few lines.

use run::Status;
use spec::Verdict;

use super::claims::Claim;
use super::counts::Counts;
use super::screen::Screen;
use super::table::Agreement;

/// How trials ended, claims were judged, and cells stand to the paper's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of trials by how they ended, those of choices included.
    pub trials: Counts<Status>,
    /// Number of claims by verdict on our numbers.
    pub claims: Counts<Verdict>,
    /// Number of cells by how they stand to the paper's.
    pub cells: Counts<Agreement>,
}

impl Summary {
    /// Such as `178 of 180 trials ok, 2 failed`.
    pub(super) fn trials_text(&self) -> String {
        let (ok, all) = (self.trials.of(Status::Ok), self.trials.total());
        let others = self.trials.without(Status::Ok).text(Status::word);
        let others = if others.is_empty() { others } else { format!(", {others}") };
        format!("{ok} of {all} trials ok{others}")
    }

    /// Trials, claims and cells in one line.
    pub fn text(&self) -> String {
        let parts = [
            ("; claims: ", self.claims.text(Verdict::text)),
            ("; cells: ", self.cells.text(Agreement::text)),
        ];
        let parts = parts.into_iter().filter(|(_, text)| !text.is_empty());
        self.trials_text() + &parts.map(|(of, text)| format!("{of}{text}")).collect::<String>()
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
