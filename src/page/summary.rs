//! What came out, in words and numbers.

use std::collections::BTreeMap;

use base::text::counted;
use base::words::Worded as _;
use itertools::Itertools as _;
use maud::{Markup, html};
use report::table::Agreement;
use report::{Counts, Findings, Summary};
use run::Status;
use spec::Verdict;

/// Parts of a whole: the class of their colour, how many, what they are.
pub type Parts<const N: usize> = [(&'static str, usize, &'static str); N];

/// Published cells by how they stand to ours.
pub fn standing(cells: &Counts<Agreement>) -> Parts<5> {
    [
        ("good", reproduced(cells), "reproduced"),
        ("told", cells.of(Agreement::Explained), "explained"),
        ("told", cells.of(Agreement::InPart), "in_part"),
        ("open", cells.of(Agreement::NoNoiseKnown), "no_noise_known"),
        ("bad", cells.of(Agreement::Unexplained), "unexplained"),
    ]
}

/// How many are reproduced.
pub fn reproduced(cells: &Counts<Agreement>) -> usize {
    cells.of(Agreement::Rounding) + cells.of(Agreement::Noise)
}

/// Claims by verdict.
pub fn judged(claims: &Counts<Verdict>) -> Parts<4> {
    [
        ("good", claims.of(Verdict::Holds), "hold"),
        ("open", claims.of(Verdict::NotShown), "not_shown"),
        ("open", claims.of(Verdict::NoEvidence), "no_evidence"),
        ("bad", claims.of(Verdict::Fails), "fail"),
    ]
}

/// What became of claims; none where there are none.
pub fn verdicts(claims: &Counts<Verdict>) -> Option<String> {
    let said = [
        ["holds", "hold"],
        ["is not shown", "are not shown"],
        ["has no evidence", "have no evidence"],
        ["fails", "fail"],
    ];
    let each = judged(claims).into_iter().zip(said).filter(|((_, n, _), _)| *n > 0);
    let each =
        each.map(|((_, n, _), said)| format!("{n} {}", said[usize::from(n != 1)])).join(", ");
    (claims.total() > 0).then(|| format!("Of {} {each}.", counted(claims.total(), "claim")))
}

/// How many answers stand first.
const FIRST: usize = 2;

/// Which method is first and whether that was shown; then what became of claims, cells and trials.
pub fn summary(findings: &Findings<'_>) -> Markup {
    html! {
        @if let Some(leaks) = &findings.leaks { p class="lead" { "Does anything leak? " (leaks.counts()) "." } }
        @for answer in findings.answers().iter().take(FIRST) { p class="lead" { (answer) } }
        p { (text(findings)) }
        @if findings.summary.cells.total() > 0 {
            details { summary { "How cells are judged" } (rules()) }
        }
    }
}

/// How cells are judged.
pub fn rules() -> Markup {
    html! {
        dl class="rules" {
            @for (word, agreement) in Agreement::WORDS.iter() {
                dt { span class=(format!("mark {word}")) {} (agreement.text()) }
                dd { (Agreement::WORDS.meaning(agreement)) }
            }
        }
    }
}

/// What became of claims and cells, and whether all trials gave values.
fn text(findings: &Findings<'_>) -> String {
    let Summary { trials, claims, cells } = &findings.summary;
    let of_trials = match trials.total() - trials.of(Status::Ok) {
        0 => format!("All {} trials gave values", trials.total()),
        n => format!("{n} of {} trials gave no value", trials.total()),
    };
    let seconds = seconds(findings);
    let within = (seconds > 0.0).then(|| format!(", in {} of computing", duration(seconds)));
    let of_trials = format!("{of_trials}{}.", within.unwrap_or_default());
    let said = [verdicts(claims), of_cells(cells), Some(of_trials)];
    said.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// How published cells stand, in a sentence; none where there are none.
pub fn of_cells(cells: &Counts<Agreement>) -> Option<String> {
    (cells.total() > 0).then(|| {
        format!(
            "Of {} published cells {} are reproduced, {} explained, {} in part, {} neither.",
            cells.total(),
            reproduced(cells),
            cells.of(Agreement::Explained),
            cells.of(Agreement::InPart),
            cells.of(Agreement::NoNoiseKnown) + cells.of(Agreement::Unexplained)
        )
    })
}

/// The seconds of all trials together.
fn seconds(findings: &Findings<'_>) -> f64 {
    let records = findings.records.iter();
    let trials: BTreeMap<_, f64> =
        records.filter_map(|record| Some((record.trial.key, spent(record)?))).collect();
    trials.into_values().sum()
}

/// The seconds of a trial, where its times are kept.
pub fn spent(record: &run::Record) -> Option<f64> {
    let outcome = record.outcome.as_ref().filter(|outcome| !outcome.times.is_empty())?;
    Some(outcome.seconds())
}

/// Seconds as people say them.
pub fn duration(seconds: f64) -> String {
    match seconds.round() as u64 {
        _ if seconds < 1.0 => "under 1 s".to_owned(),
        0..120 => format!("{} s", report::tested::number(seconds, 3)),
        whole @ 120..7200 => format!("{} min", whole / 60),
        whole => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}
