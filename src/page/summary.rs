//! What came out, in words and numbers.

use base::words::Worded as _;
use maud::{Markup, html};
use report::table::Agreement;
use report::{Findings, Summary};
use run::Status;
use spec::Verdict;
use task::metrics::{TIME_EVALUATE, TIME_FIT};

use super::shell::bar;

/// Claims, cells and trials, counted.
pub fn summary(findings: &Findings<'_>) -> Markup {
    let counts = Counts::of(&findings.summary);
    let seconds = seconds(findings);
    html! {
        section id="summary" {
            h2 { "Summary" }
            p class="lead" { (counts.text()) }
            div class="tiles" {
                @if counts.claims() > 0 {
                    div class="tile" {
                        h3 { a href="#claims" { "Claims" } }
                        (bar(&[("good", counts.holds), ("open", counts.open()), ("bad", counts.fails)]))
                        dl {
                            dt { "hold" } dd { (counts.holds) }
                            dt { "fail" } dd { (counts.fails) }
                            dt { "not shown" } dd { (counts.not_shown) }
                            dt { "no evidence" } dd { (counts.no_evidence) }
                        }
                    }
                }
                @if counts.cells() > 0 {
                    div class="tile" {
                        h3 { a href="#tables" { "Published cells" } }
                        (bar(&[
                            ("good", counts.reproduced()),
                            ("told", counts.explained + counts.in_part),
                            ("open", counts.no_noise_known),
                            ("bad", counts.unexplained),
                        ]))
                        dl {
                            dt { "reproduced" } dd { (counts.reproduced()) }
                            dt { "explained" } dd { (counts.explained) }
                            dt { "in part" } dd { (counts.in_part) }
                            dt { "no noise known" } dd { (counts.no_noise_known) }
                            dt { "unexplained" } dd { (counts.unexplained) }
                        }
                    }
                }
                div class="tile" {
                    h3 { "Trials" }
                    (bar(&[("good", counts.ok), ("bad", counts.trials - counts.ok)]))
                    dl {
                        dt { "with values" } dd { (counts.ok) }
                        dt { "without" } dd { (counts.trials - counts.ok) }
                        @if seconds > 0.0 { dt { "time" } dd { (duration(seconds)) } }
                    }
                }
            }
            @if counts.cells() > 0 {
                details {
                    summary { "How cells are judged" }
                    dl class="rules" {
                        @for (word, agreement) in Agreement::WORDS.iter() {
                            dt { span class=(format!("key {word}")) {} (word.replace('-', " ")) }
                            dd { (meaning(agreement)) }
                        }
                    }
                }
            }
        }
    }
}

/// What a word for a cell means.
pub fn meaning(agreement: Agreement) -> &'static str {
    let word = Agreement::WORDS.word(agreement);
    Agreement::LISTED.iter().find(|(known, _)| *known == word).map_or("", |(_, meaning)| meaning)
}

/// What is counted.
struct Counts {
    holds: usize,
    fails: usize,
    not_shown: usize,
    no_evidence: usize,
    rounding: usize,
    noise: usize,
    explained: usize,
    in_part: usize,
    unexplained: usize,
    no_noise_known: usize,
    ok: usize,
    trials: usize,
}

impl Counts {
    fn of(summary: &Summary) -> Self {
        let claims = |verdict| summary.claims.get(&verdict).copied().unwrap_or(0);
        let cells = |agreement| summary.cells.get(&agreement).copied().unwrap_or(0);
        Self {
            holds: claims(Verdict::Holds),
            fails: claims(Verdict::Fails),
            not_shown: claims(Verdict::NotShown),
            no_evidence: claims(Verdict::NoEvidence),
            rounding: cells(Agreement::Rounding),
            noise: cells(Agreement::Noise),
            explained: cells(Agreement::Explained),
            in_part: cells(Agreement::InPart),
            unexplained: cells(Agreement::Unexplained),
            no_noise_known: cells(Agreement::NoNoiseKnown),
            ok: summary.trials.get(&Status::Ok).copied().unwrap_or(0),
            trials: summary.trials.values().sum(),
        }
    }

    fn claims(&self) -> usize {
        self.holds + self.fails + self.open()
    }

    fn open(&self) -> usize {
        self.not_shown + self.no_evidence
    }

    fn reproduced(&self) -> usize {
        self.rounding + self.noise
    }

    fn cells(&self) -> usize {
        self.reproduced() + self.explained + self.in_part + self.unexplained + self.no_noise_known
    }

    fn text(&self) -> String {
        let mut sentences = Vec::new();
        if self.claims() > 0 {
            let Self { holds, fails, not_shown, no_evidence, .. } = self;
            let mut claims = format!("Of {} claims {holds} hold, {fails} fail", self.claims());
            for (n, how) in [(not_shown, "not shown"), (no_evidence, "without evidence")] {
                if *n > 0 {
                    claims += &format!(", {n} are {how}");
                }
            }
            sentences.push(claims + ".");
        }
        if self.cells() > 0 {
            sentences.push(format!(
                "Of {} published cells {} are reproduced: {} by rounding, {} within noise.",
                self.cells(),
                self.reproduced(),
                self.rounding,
                self.noise
            ));
            let rest = [
                (self.explained, "for a reason that is shown"),
                (self.in_part, "for one that is shown to be half of it or more"),
                (self.unexplained, "unexplained"),
                (self.no_noise_known, "where ours does not vary and nothing is said"),
            ];
            let rest: Vec<String> = rest
                .into_iter()
                .filter(|(n, _)| *n > 0)
                .map(|(n, how)| format!("{n} {how}"))
                .collect();
            if !rest.is_empty() {
                sentences.push(format!("The others differ: {}.", rest.join(", ")));
            }
        }
        sentences.push(match self.trials - self.ok {
            0 => format!("All {} trials gave values.", self.trials),
            n => format!("{n} of {} trials gave no value.", self.trials),
        });
        sentences.join(" ")
    }
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
