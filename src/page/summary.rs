//! What came out, in words and numbers.

use std::collections::BTreeMap;

use base::words::Worded as _;
use maud::{Markup, html};
use report::table::{Agreement, Counts};
use report::{Findings, Summary};
use run::Status;
use spec::Verdict;
use task::metrics::{TIME_EVALUATE, TIME_FIT};

use super::shell::bar;

/// Parts of a whole: the class of their colour, how many, what they are.
pub type Parts<const N: usize> = [(&'static str, usize, &'static str); N];

/// Published cells by how they stand to ours.
pub fn standing(cells: &Counts) -> Parts<5> {
    let of = |agreement| cells.get(&agreement).copied().unwrap_or(0);
    [
        ("good", of(Agreement::Rounding) + of(Agreement::Noise), "reproduced"),
        ("told", of(Agreement::Explained), "explained"),
        ("told", of(Agreement::InPart), "in_part"),
        ("open", of(Agreement::NoNoiseKnown), "no_noise_known"),
        ("bad", of(Agreement::Unexplained), "unexplained"),
    ]
}

/// Claims by verdict.
pub fn judged(claims: &BTreeMap<Verdict, usize>) -> Parts<4> {
    let of = |verdict| claims.get(&verdict).copied().unwrap_or(0);
    [
        ("good", of(Verdict::Holds), "hold"),
        ("open", of(Verdict::NotShown), "not_shown"),
        ("open", of(Verdict::NoEvidence), "no_evidence"),
        ("bad", of(Verdict::Fails), "fail"),
    ]
}

/// Claims, cells and trials, counted.
pub fn summary(findings: &Findings<'_>) -> Markup {
    let Summary { trials, claims, cells } = &findings.summary;
    let (ok, seconds) = (trials.get(&Status::Ok).copied().unwrap_or(0), seconds(findings));
    let without = trials.values().sum::<usize>() - ok;
    let trials = [("good", ok, "with_values"), ("bad", without, "without")];
    html! {
        section id="summary" {
            h2 { "Summary" }
            p class="lead" { (text(&findings.summary)) }
            div class="tiles" {
                @if !claims.is_empty() { (tile(html! { a href="#claims" { "Claims" } }, &judged(claims), None)) }
                @if !cells.is_empty() {
                    (tile(html! { a href="#tables" { "Published cells" } }, &standing(cells), None))
                }
                (tile(html! { "Trials" }, &trials, (seconds > 0.0).then(|| duration(seconds))))
            }
            @if !cells.is_empty() {
                details {
                    summary { "How cells are judged" }
                    (rules())
                }
            }
        }
    }
}

/// How cells are judged.
pub fn rules() -> Markup {
    html! {
        dl class="rules" {
            @for (word, agreement) in Agreement::WORDS.iter() {
                dt { span class=(format!("key {word}")) {} (word.replace('-', " ")) }
                dd { (meaning(agreement)) }
            }
        }
    }
}

/// What a word for a cell means.
pub fn meaning(agreement: Agreement) -> &'static str {
    let word = Agreement::WORDS.word(agreement);
    Agreement::LISTED.iter().find(|(known, _)| *known == word).map_or("", |(_, meaning)| meaning)
}

/// Parts of a whole as a bar, and in numbers.
fn tile(of: Markup, parts: &[(&str, usize, &str)], time: Option<String>) -> Markup {
    html! {
        div class="tile" {
            h3 { (of) }
            (bar(parts))
            dl {
                @for (_, n, what) in parts { dt { (what.replace('_', " ")) } dd { (n) } }
                @if let Some(time) = time { dt { "time" } dd { (time) } }
            }
        }
    }
}

fn text(Summary { trials, claims, cells }: &Summary) -> String {
    let mut sentences = Vec::new();
    let [(_, holds, _), (_, open, _), (_, without, _), (_, fails, _)] = judged(claims);
    if !claims.is_empty() {
        let all: usize = claims.values().sum();
        let mut text = format!("Of {all} claims {holds} hold, {fails} fail");
        for (n, how) in [(open, "not shown"), (without, "without evidence")] {
            if n > 0 {
                text += &format!(", {n} are {how}");
            }
        }
        sentences.push(text + ".");
    }
    let [
        (_, reproduced, _),
        (_, explained, _),
        (_, in_part, _),
        (_, silent, _),
        (_, unexplained, _),
    ] = standing(cells);
    if !cells.is_empty() {
        let all: usize = cells.values().sum();
        let rounding = cells.get(&Agreement::Rounding).copied().unwrap_or(0);
        sentences.push(format!(
            "Of {all} published cells {reproduced} are reproduced: {rounding} by rounding, {} within noise.",
            reproduced - rounding
        ));
        let rest = [
            (explained, "for a reason that is shown"),
            (in_part, "in part for one that is shown"),
            (unexplained, "unexplained"),
            (silent, "where ours does not vary and nothing is said"),
        ];
        let rest = rest.into_iter().filter(|(n, _)| *n > 0);
        let rest: Vec<String> = rest.map(|(n, how)| format!("{n} {how}")).collect();
        if !rest.is_empty() {
            sentences.push(format!("The others differ: {}.", rest.join(", ")));
        }
    }
    let (all, ok) = (trials.values().sum::<usize>(), trials.get(&Status::Ok).copied().unwrap_or(0));
    sentences.push(match all - ok {
        0 => format!("All {all} trials gave values."),
        n => format!("{n} of {all} trials gave no value."),
    });
    sentences.join(" ")
}

/// The seconds of all trials together.
fn seconds(findings: &Findings<'_>) -> f64 {
    let mut trials: Vec<(base::digest::Digest, f64)> = findings
        .records
        .iter()
        .filter_map(|record| Some((record.trial.key, spent(record)?)))
        .collect();
    trials.sort_by_key(|(key, _)| *key);
    trials.dedup_by_key(|(key, _)| *key);
    trials.into_iter().map(|(_, seconds)| seconds).sum()
}

/// The seconds of a trial: to fit and to evaluate; the other clocks run within these.
pub fn spent(record: &run::Record) -> Option<f64> {
    let outcome = record.outcome.as_ref().filter(|outcome| !outcome.times.is_empty())?;
    let parts = [TIME_FIT.name, TIME_EVALUATE.name];
    Some(parts.into_iter().filter_map(|name| outcome.times.get(name)).sum())
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
