//! What may be concluded of a paper: its claims, by in how many universes of its open choices they hold.

use std::collections::BTreeMap;

use base::words;
use base::words::Worded as _;
use maud::{Markup, html};
use spec::{Source, Verdict};

use super::scored::{Claimed, InUniverses, Scored};
use super::sheet::badge;
use super::shell::document;
use super::summary::verdicts;

words! {
    /// How a claim stands.
    #[derive(PartialOrd, Ord)]
    enum Standing {
        All = "Hold in all universes that ran", "In every universe that ran, each one option of all that the paper leaves open, these claims hold.";
        Most = "Hold in most universes that ran", "In more than half of the universes that ran, but not in all, these claims hold.";
        Few = "Hold in few universes that ran", "In at most half of the universes that ran these claims hold.";
        Nowhere = "Hold in no universe that ran", "In no universe that ran do these claims hold.";
        Open = "Not shown", "With the chosen options the tests show neither these claims nor their opposites, or values are missing.";
        Alone = "Judged with the chosen options alone", "No universes were run for these claims: no open choices are declared there, or they were not varied together.";
        Rivals = "Later rivals", "What the comparison with methods that came after the paper gives today.";
    }
}

impl Standing {
    fn of(claim: &Claimed) -> Self {
        match &claim.universes {
            _ if claim.source == Some(Source::Rivals) => Self::Rivals,
            _ if matches!(claim.verdict, Some(Verdict::NotShown | Verdict::NoEvidence)) => {
                Self::Open
            }
            None => Self::Alone,
            Some(InUniverses { all, holds, .. }) if holds == all => Self::All,
            Some(InUniverses { holds: 0, .. }) => Self::Nowhere,
            Some(InUniverses { all, holds, .. }) if 2 * holds > *all => Self::Most,
            Some(_) => Self::Few,
        }
    }
}

/// A claim with its verdict, and the experiment that it was judged in.
type Row<'s> = (&'s Scored, &'s Claimed, Verdict);

fn claims(experiments: &[Scored]) -> impl Iterator<Item = Row<'_>> {
    let rows = experiments.iter().flat_map(|one| one.found.iter().map(move |claim| (one, claim)));
    rows.filter_map(|(one, claim)| Some((one, claim, claim.verdict?)))
}

/// The page of a paper with this citation; none where its experiments have no claims.
pub fn page(paper: &str, experiments: &[Scored]) -> Option<String> {
    let mut groups: BTreeMap<Standing, Vec<Row<'_>>> = BTreeMap::new();
    for row in claims(experiments) {
        groups.entry(Standing::of(row.1)).or_default().push(row);
    }
    let body = html! {
        header class="top" {
            p class="kicker" { a href="index.html" { "All papers" } }
            h1 { "What may be concluded" }
            p class="paper" { (paper) }
            p class="lead" { (lead(experiments)) }
        }
        main { @for (standing, rows) in &groups { (section(*standing, rows)) } }
    };
    (!groups.is_empty()).then(|| document(paper, &body))
}

fn section(standing: Standing, rows: &[Row<'_>]) -> Markup {
    html! {
        section {
            h2 { (standing.word()) }
            p { (Standing::WORDS.meaning(standing)) }
            @for (one, claim, verdict) in rows {
                article class="claim" {
                    p { (badge(*verdict, &verdict.text())) " " (claim.sentence) }
                    p class="source" {
                        @if let Some(InUniverses { all, holds, no_evidence, decides, undecided }) = &claim.universes {
                            (verdict.text()) " with the chosen options, holds in " (holds) " of " (all) " universes · "
                            @if *no_evidence > 0 { "no evidence in " (no_evidence) " · " }
                            @if !decides.is_empty() { "most depends on " code { (decides) } " · " }
                            @if !undecided.is_empty() { "no choice is named as deciding: " (undecided) " · " }
                        }
                        a href={ (one.id) "/" (one.opens) } { (one.id) } " · " (claim.source.as_ref().map_or("", Source::text))
                    }
                }
            }
        }
    }
}

/// The verdicts, how many claims the open choices turn, and which choice turns most.
fn lead(experiments: &[Scored]) -> String {
    let judged = claims(experiments).map(|(_, _, verdict)| verdict).collect();
    let mut text = verdicts(&judged).unwrap_or_default();
    let varied: Vec<Row<'_>> =
        claims(experiments).filter(|(_, claim, _)| claim.universes.is_some()).collect();
    if varied.is_empty() {
        return text + " No open choices were varied together here: no universes of them were run.";
    }
    let mut deciding: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut unnamed = 0;
    for (one, claim, _) in &varied {
        let Some(own) = &claim.universes else { continue };
        if !own.decides.is_empty() {
            *deciding.entry((&own.decides, &one.id)).or_default() += 1;
        }
        unnamed += usize::from(!own.undecided.is_empty());
    }
    let robust = varied.iter().filter(|(_, claim, _)| Standing::of(claim) == Standing::All).count();
    text += &format!(
        " In universes, each one option of every choice that the paper leaves open, {} judged: {robust} of the paper's and \
         ours beside them hold in all. Claims stand here by the universes; the mark before each is its verdict with the \
         chosen options and all repeats.",
        match varied.len() {
            1 => "1 was".to_owned(),
            n => format!("{n} were"),
        },
    );
    if let Some(((choice, experiment), most)) = deciding.iter().max_by_key(|(_, n)| **n) {
        let turned = unnamed + deciding.values().sum::<usize>();
        text += &format!(
            " Open choices turn the verdicts on {turned}; the one that decides most is {choice} in {experiment}, with {most}."
        );
    }
    text
}
