//! Claims first: the paper's sentences, whether they hold, and by how much.

use maud::{Markup, html};
use report::Findings;
use report::claims::Claim;
use spec::{Finding, Verdict};

/// Every claim with its evidence; those that fail first, then the undecided.
pub fn claims(findings: &Findings<'_>) -> Markup {
    let mut claims: Vec<&Claim<'_>> = findings.claims.iter().collect();
    let order = |claim: &&Claim<'_>| match claim.ours.verdict {
        Verdict::Fails => 0,
        Verdict::Undecided => 1,
        Verdict::Holds => 2,
    };
    claims.sort_by_key(order);
    let of_paper = findings.experiment.paper.is_some();
    html! {
        @if !claims.is_empty() {
            section id="claims" {
                h2 { "Claims" }
                p {
                    @if of_paper { "Sentences of the paper, judged on our numbers and, where it prints them, on its own." }
                    @else { "What was claimed, judged on our numbers." }
                    " What fails comes first."
                }
                @for claim in claims {
                    article class="claim" id=(format!("claim-{}", claim.spec.id)) {
                        h3 {
                            (badge(claim.ours.verdict)) " " (claim.spec.text)
                        }
                        p class="source" {
                            (claim.spec.source) " · " code { (claim.spec.id) }
                            @if claim.timing { " · reads a clock" }
                        }
                        dl class="evidence" {
                            dt { "Our numbers" } dd { (parts(&claim.ours)) }
                            @if of_paper { dt { "The paper's" } dd { (badge(claim.published.verdict)) " " (parts(&claim.published)) } }
                        }
                    }
                }
            }
        }
    }
}

/// A verdict, by word and by shape.
fn badge(verdict: Verdict) -> Markup {
    let (class, mark) = match verdict {
        Verdict::Holds => ("badge good", "✓"),
        Verdict::Fails => ("badge bad", "✗"),
        Verdict::Undecided => ("badge open", "?"),
    };
    html! { span class=(class) { span aria-hidden="true" { (mark) " " } (verdict.word()) } }
}

/// The answer, and behind it what it rests on: an evidence is a list of phrases.
fn parts(finding: &Finding) -> Markup {
    html! {
        @if let Some((answer, rest)) = finding.evidence.split_first() {
            strong { (answer) }
            @if !rest.is_empty() { ul { @for phrase in rest { li { (phrase) } } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::Phrase;

    #[test]
    fn a_reason_with_a_semicolon_is_one_phrase() {
        let why = "no value; its trials ran out of memory".to_owned();
        let unknown = Phrase::Unknown(vec![("nltcs".to_owned(), why)]);
        let finding =
            Finding { verdict: Verdict::Undecided, evidence: vec!["0 of 1".into(), unknown] };
        assert_eq!(
            parts(&finding).into_string(),
            "<strong>0 of 1</strong><ul><li>unknown nltcs (no value; its trials ran out of memory)</li></ul>"
        );
    }
}
