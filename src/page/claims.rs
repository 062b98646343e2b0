//! Claims first: the paper's sentences, whether they hold, and by how much.

use maud::{Markup, html};
use report::Findings;
use report::claims::Claim;
use report::figure::claimed;
use report::sheet::Cell;
use spec::Verdict;

use super::figures::drawn;
use super::sheet::{badge, cell, evidence};

/// What the picture of all claims is called.
const TITLE: &str = "How far each claim is from its opposite";

/// All claims as one picture, then each with what was found; those that fail first, then those that nothing decides.
pub fn claims(findings: &Findings<'_>) -> Markup {
    let mut claims: Vec<&Claim<'_>> = findings.claims.iter().collect();
    claims.sort_by_key(|claim| (claim.ours.verdict == Verdict::Holds, claim.ours.verdict));
    let of_paper = findings.experiment.paper.is_some();
    html! {
        @if !claims.is_empty() {
            p {
                @if of_paper { "Sentences of the paper and some of ours, each with where it stands, judged on our numbers and, where the paper prints them, on its own." }
                @else { "What was claimed, judged on our numbers." }
                " What fails comes first."
            }
            (drawn("claims", TITLE, claimed(TITLE, &claims).as_ref(), &html! {}))
            @for claim in claims {
                article class="claim" id=(format!("claim-{}", claim.spec.id)) {
                    h3 {
                        (badge(claim.ours.verdict, &claim.ours.verdict.text())) " " (claim.spec.text)
                    }
                    p class="source" {
                        (claim.ours.by()) " · " (claim.spec.source.text()) " · " code { (claim.spec.id) }
                        @if claim.timing { " · reads a clock" }
                    }
                    p { (claim.ours.sentence) }
                    details {
                        summary { "What it rests on" }
                        dl class="evidence" {
                            dt { "Our numbers" } dd { (evidence(&claim.ours)) }
                            @if of_paper { dt { "The paper's" } dd { (cell(&Cell::from(&claim.published))) } }
                        }
                    }
                }
            }
        }
    }
}
