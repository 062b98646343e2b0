//! What is said of claims in universes, in sentences.

use std::collections::BTreeSet;

use base::text::{counted, grouped};
use itertools::Itertools as _;
use math::decimal::significant;
use spec::{Origin, Universes as Design, Verdict};

use super::importance::{Main, Unweighed};
use super::judged::{Alone, OfClaim};
use super::terms::{Terms, distinct, others};
use super::together::Universes;
use crate::sheet::{Cell, Sheet, escaped};

/// Why seeds are not known.
const UNKNOWN: &str = "fewer than three have all that it asks for, or its test is over repeats";

/// Level of the interval of a share.
const LEVEL: f64 = 0.95;

impl Universes<'_> {
    /// How many universes there are, each once.
    fn count(&self) -> usize {
        distinct(self.rows, |_| true).len()
    }

    /// How many universes there are, and of which kind.
    pub fn lead(&self) -> String {
        let of = |origin| self.rows.iter().filter(|row| row.origin == origin).count();
        let seen = self.experiment.choices.iter().filter(|choice| choice.seen).count();
        let again = match self.rows.len() - self.count() {
            0 => String::new(),
            again => format!(", {again} of them once more"),
        };
        let kinds = match of(Origin::Listed) {
            0 => format!(
                "{} that cover, {} drawn at random{again}",
                1 + of(Origin::Covering),
                of(Origin::Random)
            ),
            _ => "all that there are".to_owned(),
        };
        format!(
            "Every claim was judged again in {} universes, each one option of all {} choices ({kinds}), over {}. \
             {seen} of the choices were made after looking at printed values. Counts describe these universes: a share of \
             them is no probability",
            self.count(),
            self.experiment.choices.len(),
            counted(self.repeats, "repeat"),
        )
    }

    /// What is said of a claim, sentence by sentence, without full stops.
    pub fn sentences(&self, claim: &OfClaim<'_>) -> Vec<String> {
        let counted =
            format!("In {} universes the verdict is {}", self.count(), self.counts(claim, times));
        let seeds = match claim.seeds() {
            Some(_) => {
                let of = self.sets();
                format!("On {of} of the chosen universe it is {}", Self::seeds(claim))
            }
            None => format!("Whether seeds turn it is {}: {UNKNOWN}", Self::seeds(claim)),
        };
        let weighed = format!(
            "Of what its effect varies each choice explains, beyond all others: {}",
            self.weighed(claim)
        );
        [counted, seeds].into_iter().chain(self.turned(claim)).chain([weighed]).collect()
    }

    /// What stands for seeds.
    fn sets(&self) -> String {
        match self.set {
            1 => "single repeats".to_owned(),
            set => format!("sets of {set} repeats that have none in common"),
        }
    }

    /// Whether seeds turn it too.
    fn seeds(claim: &OfClaim<'_>) -> String {
        claim.seeds().map_or_else(
            || "not known".to_owned(),
            |(turned, all)| format!("another verdict in {turned} of {all}"),
        )
    }

    /// What turns it: the nearest universe, the shortest rule, and options that do so no more often than seeds.
    fn turned(&self, claim: &OfClaim<'_>) -> Vec<String> {
        let mut said = Vec::new();
        let chosen = claim.judged[0].verdict;
        if chosen != claim.sealed && claim.varies() {
            said.push(format!("Seen from \"{}\", the verdict on these repeats", chosen.text()));
        }
        let alone = claim.alone.iter().map(|Alone { option, repeats }| {
            let fewer = match *repeats < self.repeats {
                true => format!(" (on {})", counted(*repeats, "repeat")),
                false => String::new(),
            };
            self.terms(&vec![*option]) + &fewer
        });
        let alone: Vec<String> = alone.collect();
        if !alone.is_empty() {
            said.push(format!("Each of these options turns it by itself: {}", alone.join(", ")));
        }
        if let Some((universe, away)) = claim.nearest_flip(self.rows) {
            said.push(format!(
                "Of the universes the nearest that turns it is {} away, number {universe}: {}",
                counted(away.len(), "option"),
                self.terms(&away)
            ));
            said.push(self.ruled(claim));
        }
        let within = claim.turns(self.rows).into_iter().filter(|turns| turns.within_seeds);
        let within: Vec<String> = within.map(|turns| self.terms(&vec![turns.option])).collect();
        if !within.is_empty() {
            let what = match self.repeats == self.set {
                true => "Within seeds, so no finding",
                false => "No more often than on single repeats, which vary more than universes",
            };
            said.push(format!("{what}: {}", within.join(", ")));
        }
        said
    }

    /// How often each verdict, such as `3 holds, 24 fails`, and whether all repeats give the chosen universe another one.
    fn counts<W: Into<String>>(&self, claim: &OfClaim<'_>, word: impl Fn(Verdict) -> W) -> String {
        let mut text = claim.verdicts(self.rows).text(word);
        let random = claim.drawn(self.rows);
        let (drawn, holds) = (random.total(), random.of(Verdict::Holds));
        if let Ok((share, (low, high))) = stats::share(holds as u64, drawn as u64, LEVEL) {
            let [share, low, high] = [share, low, high].map(percent);
            text += &format!(
                "; of the {drawn} drawn at random {holds} hold, {share}% [{low}, {high}] (95%, Wilson)"
            );
        }
        let [chosen, sealed] = [claim.judged[0].verdict, claim.sealed].map(Verdict::text);
        if chosen != sealed {
            text += &format!(
                ". On these repeats the chosen universe says {chosen}, on all it is {sealed}"
            );
        }
        text
    }

    /// The shortest rule.
    fn ruled(&self, claim: &OfClaim<'_>) -> String {
        let most = self.experiment.universes.as_ref().map_or(1, |own| own.cover);
        let none = match most {
            _ if claim.stands_alone(self.rows, most) => {
                "One universe stands alone there, which almost any options would tell apart"
                    .to_owned()
            }
            1 => "No rule of one option says where it turns".to_owned(),
            2 => "No rule of two options says where it turns".to_owned(),
            _ => format!("No rule of up to {most} options says where it turns"),
        };
        let Some(rule) = claim.rule(self.rows, most) else {
            return claim.decided_by(self.rows).map_or(none, |choice| self.alone(claim, choice));
        };
        let (terms, (right, of)) = (self.terms(&rule.terms), rule.random);
        let verdict = match rule.turned {
            true => "another verdict",
            false => "the verdict of the chosen universe",
        };
        let also = match rule.others {
            0 => String::new(),
            others => format!(", as by {others} other rules as short"),
        };
        match of {
            _ if rule.exact => format!("It has {verdict} exactly where {terms}{also}"),
            0 => format!(
                "Of the universes that cover it has {verdict} where {terms} and nowhere else{also}; no random universe checks it"
            ),
            _ => format!(
                "{none} ({terms} does where options are covered, and in {right} of {of} drawn at random)"
            ),
        }
    }

    /// With which options of a choice that decides alone its verdict is another one.
    fn alone(&self, claim: &OfClaim<'_>, choice: usize) -> String {
        let turned = (0..self.rows.len()).filter(|at| claim.turned(*at));
        let options: BTreeSet<usize> = turned.map(|at| self.rows[at].options[choice]).collect();
        let choice = &self.experiment.choices[choice];
        let mut options = options.into_iter().map(|option| choice.options[option].to_string());
        let options = options.join(", ");
        format!("{} decides it alone: another verdict with {options}", choice.id)
    }

    /// Which share of its effect hangs on which choice.
    fn weighed(&self, claim: &OfClaim<'_>) -> String {
        let found = match &claim.weighed {
            Ok(found) => found,
            Err(why) => return format!("not computed: {why}"),
        };
        let share = |main: &Main| {
            format!("{} {}%", self.experiment.choices[main.choice].id, percent(main.share))
        };
        let most: Vec<String> =
            found.choices.iter().filter(|main| main.share >= 0.005).map(share).collect();
        let most = if most.is_empty() { "no choice".to_owned() } else { most.join(", ") };
        let free = counted(found.free, "degree");
        format!("{most}; {}% is left, with {free} of freedom", percent(found.left))
    }

    /// Options for reading, such as `a = 2 and b = 1`.
    pub fn terms(&self, terms: &Terms) -> String {
        let one = |&(choice, option): &(usize, usize)| {
            let choice = &self.experiment.choices[choice];
            format!("{} = {}", choice.id, choice.options[option])
        };
        terms.iter().map(one).join(" and ")
    }

    /// The claims, each with what is said of it.
    pub fn sheet(&self) -> Sheet {
        Sheet::of("Claims in universes of choices", &self.claims)
            .text("claim", "Claim", |claim: &OfClaim<'_>| Cell::prose(&claim.spec.text))
            .text("sealed", "As chosen", |claim| claim.sealed.text())
            .text("verdicts", "Verdicts", |claim| Cell::prose(self.counts(claim, Verdict::text)))
            .text("turned", "What turns it", |claim| said(&self.turned(claim)))
            .text("weighed", "Shares of its effect", |claim| Cell::prose(self.weighed(claim)))
            .text("seeds", "Seeds", |claim| Cell::prose(Self::seeds(claim)))
            .notes(self.notes())
            .sheet()
    }

    /// What is to be said of all.
    fn notes(&self) -> Vec<String> {
        let seeds =
            format!("Seeds are {} of the chosen universe; not known: {UNKNOWN}", self.sets());
        let mut notes = vec![self.lead(), seeds];
        let refused =
            |(spec, why): &(&spec::ClaimSpec, &str)| format!("Not judged: {} ({why})", spec.id);
        notes.extend(self.unjudged.iter().map(refused));
        notes.extend(self.nearest.as_ref().map(|nearest| {
            let others = match others(self.rows, nearest.universe, |_| true) {
                others if others.is_empty() => "the chosen one".to_owned(),
                others => self.terms(&others),
            };
            let mut left = nearest.left_out.iter().map(|(dataset, near, of)| format!("{dataset} {near} of {of}"));
            format!(
                "Nearest to the paper is universe {} ({others}): {} of {} published cells within rounding or noise, the chosen one \
                 {}. Where a data set's own cells do not count in the choosing, the universe that is nearest then has of \
                 them: {}. It is no cause by itself, and not adopted",
                nearest.universe, nearest.cells, nearest.of, nearest.chosen,
                left.join(", "),
            )
        }));
        notes
    }

    /// What each claim comes to, for a terminal, for programs and for the page of a paper's conclusions.
    pub(crate) fn conclusions(&self) -> Sheet {
        let often = |verdict| move |claim: &OfClaim<'_>| claim.verdicts(self.rows).of(verdict);
        Sheet::of(format!("In {} universes of choices", self.count()), &self.claims)
            .text("claim", "claim", |claim: &OfClaim<'_>| &*claim.spec.id)
            .value("verdict", |claim| claim.sealed.word())
            .value("universes", |_| self.count())
            .number("holds", "holds", often(Verdict::Holds))
            .number("fails", "fails", often(Verdict::Fails))
            .number("not_shown", "not shown", often(Verdict::NotShown))
            .number("no_evidence", "no evidence", often(Verdict::NoEvidence))
            .number("away", "away", |claim| {
                let universe = claim.nearest_flip(self.rows).map(|(_, away)| away.len());
                if claim.alone.is_empty() { universe } else { Some(1) }
            })
            .text("decides", "decides", |claim| self.decides(claim).ok().flatten())
            .value("undecided", |claim| self.decides(claim).err().map(|why| why.to_string()))
            .value("text", |claim| Cell::prose(&claim.spec.text))
            .value("sentence", |claim| Cell::prose(self.quotable(claim)))
            .sheet()
    }

    /// The choice that decides a claim's verdict alone, else the only one of which an option turns it by itself, else that on
    /// which most of its effect hangs, where some universe turns it; or why none is named.
    fn decides(&self, claim: &OfClaim<'_>) -> Result<Option<&str>, Unweighed> {
        if !claim.varies() {
            return Ok(None);
        }
        let alone = || claim.alone.iter().map(|one| one.option.0).all_equal_value().ok();
        let found = match claim.decided_by(self.rows).or_else(alone) {
            Some(choice) => Some(choice),
            None => {
                let weighed = claim.weighed.as_ref().map_err(|why| *why)?;
                match &weighed.choices[..] {
                    [one, other, ..] if percent(one.share) == percent(other.share) => {
                        return Err(Unweighed::Alike);
                    }
                    choices => choices.first().map(|main| main.choice),
                }
            }
        };
        Ok(found.map(|choice| &*self.experiment.choices[choice].id))
    }

    /// What a reader may quote.
    fn quotable(&self, claim: &OfClaim<'_>) -> String {
        let (all, chosen) = (self.count(), claim.judged[0].verdict);
        let same = claim.judged.iter().all(|judged| judged.verdict == chosen);
        let (text, verb) = (&claim.spec.text, verb(claim.sealed));
        let fewer = match chosen == claim.sealed {
            true => String::new(),
            false => format!("; with the repeats of the universes it {}", self::verb(chosen)),
        };
        let alone = claim.alone.iter().map(|one| self.terms(&vec![one.option]));
        let rule = match &alone.collect::<Vec<_>>()[..] {
            // What turns another verdict than the one that is quoted is no news of it.
            _ if chosen != claim.sealed => String::new(),
            [] if claim.varies() => format!(" {}.", self.ruled(claim)),
            [] => String::new(),
            [one] => format!(" {one} turns it by itself."),
            several => format!(" Each of these turns it by itself: {}.", several.join(", ")),
        };
        let excluded = self.experiment.universes.as_ref().is_some_and(Design::excludes);
        let most = if excluded { "at most " } else { "" };
        let possible = grouped(Design::count(&self.experiment.choices));
        let whose = if self.experiment.paper.is_some() { "the paper's open" } else { "the open" };
        let of = format!("of the {most}{possible} that {whose} choices have");
        match same {
            true => format!(
                "\"{text}\" {verb} here{fewer}, and so in all {all} universes that ran, {of}."
            ),
            false => format!(
                "\"{text}\" {verb} here{fewer}. In the {all} universes that ran, {of}, the verdict is {}.{rule}",
                claim.verdicts(self.rows).text(times)
            ),
        }
    }

    /// The report on them.
    pub(super) fn markdown(&self) -> String {
        let (title, sheet) = (escaped(&self.experiment.title), self.sheet());
        format!("# {title}: universes of choices\n\n{}", sheet.markdown())
    }
}

/// Sentences in one cell.
fn said(sentences: &[String]) -> Cell {
    match sentences {
        [] => Cell::prose("nothing"),
        _ => Cell::prose(sentences.join(". ") + "."),
    }
}

fn times(verdict: Verdict) -> String {
    format!("times {}", verdict.text())
}

fn verb(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::NotShown => "is not shown",
        Verdict::NoEvidence => "has no evidence",
    }
}

fn percent(share: f64) -> String {
    base::text::real(significant((1000.0 * share).round() / 10.0, 4))
}
