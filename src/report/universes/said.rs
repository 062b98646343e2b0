//! What is said of claims in universes, in sentences.

use math::decimal::significant;
use spec::{Origin, Verdict};

use super::found::{Main, Terms};
use super::judged::OfClaim;
use super::together::Universes;
use crate::screen::Screen;
use crate::sheet::{Cell, Sheet, escaped};

/// Level of the interval of a share.
const LEVEL: f64 = 0.95;

impl Universes<'_> {
    /// How many universes there are, and of which kind.
    pub fn lead(&self) -> String {
        let of = |origin| self.rows.iter().filter(|row| row.origin == origin).count();
        let repeats = self.experiment.universes.as_ref().map_or(0, |own| own.repeats);
        let seen = self.experiment.choices.iter().filter(|choice| choice.seen).count();
        let kinds = match of(Origin::Listed) {
            0 => format!(
                "{} that cover, {} drawn at random",
                1 + of(Origin::Covering),
                of(Origin::Random)
            ),
            _ => "all that there are".to_owned(),
        };
        format!(
            "Every claim was judged again in {} universes, each one option of all {} choices ({kinds}), over {repeats} of the \
             repeats. {seen} of the choices were made after looking at printed values. Counts describe these universes: \
             a share of them is no probability",
            self.rows.len(),
            self.experiment.choices.len(),
        )
    }

    /// What is said of a claim, sentence by sentence, without full stops.
    pub fn sentences(&self, claim: &OfClaim<'_>) -> Vec<String> {
        let mut said = vec![self.counted(claim)];
        let chosen = claim.judged[0].verdict;
        if chosen != claim.sealed {
            let sealed = claim.sealed.text();
            said.push(format!(
                "On these repeats the chosen universe says {}, on all it is {sealed}",
                chosen.text()
            ));
        }
        said.push(self.seeds(claim));
        said.extend(self.turned(claim));
        said.extend(self.weighed(claim));
        said
    }

    /// Whether seeds turn it too.
    fn seeds(&self, claim: &OfClaim<'_>) -> String {
        match claim.seeds() {
            Some((turned, all)) => format!("On single repeats of the chosen universe it is another verdict in {turned} of {all}"),
            None => "Whether seeds turn it is not known: there are fewer than three repeats, or its test is over repeats".to_owned(),
        }
    }

    /// What turns it: the nearest universe, the shortest rule, and options that do so no more often than seeds.
    fn turned(&self, claim: &OfClaim<'_>) -> Vec<String> {
        let mut said = Vec::new();
        if let Some((universe, away)) = claim.nearest_flip(self.rows) {
            let options = if away.len() == 1 { "option" } else { "options" };
            said.push(format!(
                "The nearest universe that turns it is {} {options} away, number {universe}: {}",
                away.len(),
                self.terms(&away)
            ));
            said.push(self.ruled(claim));
        }
        let within = claim.turns(self.rows).into_iter().filter(|turns| turns.within_seeds);
        let within: Vec<String> = within.map(|turns| self.terms(&vec![turns.option])).collect();
        if !within.is_empty() {
            said.push(format!("Within seeds, so no finding: {}", within.join(", ")));
        }
        said
    }

    /// How often each verdict.
    fn counted(&self, claim: &OfClaim<'_>) -> String {
        let counts = claim.counts(self.rows, |_| true);
        let total: usize = counts.values().sum();
        let each = counts.iter().map(|(verdict, n)| format!("{} in {n}", verdict.text()));
        let mut text = format!("Of {total} universes: {}", each.collect::<Vec<_>>().join(", "));
        let random = claim.counts(self.rows, |origin| origin == Origin::Random);
        let drawn: usize = random.values().sum();
        let holds = random.get(&Verdict::Holds).copied().unwrap_or(0);
        if let Ok((share, (low, high))) = stats::share(holds as u64, drawn as u64, LEVEL) {
            let [share, low, high] = [share, low, high].map(percent);
            text += &format!(
                "; of the {drawn} drawn at random {holds} hold, {share}% [{low}, {high}] (95%, Wilson)"
            );
        }
        text
    }

    /// The shortest rule.
    fn ruled(&self, claim: &OfClaim<'_>) -> String {
        let most = self.experiment.universes.as_ref().map_or(1, |own| own.cover);
        let chosen = claim.judged[0].verdict.text();
        let number = ["one option", "two options", "three options"].get(most - 1).copied();
        let number = number.map_or_else(|| format!("up to {most} options"), str::to_owned);
        match claim.rule(self.rows, most) {
            Some(rule) if rule.exact() => {
                let (terms, others) = (self.terms(&rule.terms), rule.others);
                let verdict = match rule.turned {
                    true => format!("another verdict than {chosen}"),
                    false => chosen.to_owned(),
                };
                let also = if others > 0 {
                    format!(", as by {others} other rules as short")
                } else {
                    String::new()
                };
                format!("It is {verdict} exactly where {terms}{also}")
            }
            Some(rule) => {
                let (right, of) = rule.random;
                let terms = self.terms(&rule.terms);
                format!(
                    "No rule of {number} says where it turns ({terms} does where options are covered, and in {right} of {of} drawn at random)"
                )
            }
            None => format!("No rule of {number} says where it turns"),
        }
    }

    /// Which choices its effect hangs on.
    fn weighed(&self, claim: &OfClaim<'_>) -> Option<String> {
        let found = claim.importance(self.rows)?;
        let share = |main: &Main| {
            format!("{} {}%", self.experiment.choices[main.choice].id, percent(main.share))
        };
        let most: Vec<String> =
            found.choices.iter().filter(|main| main.share >= 0.005).map(share).collect();
        let most = if most.is_empty() { "no choice".to_owned() } else { most.join(", ") };
        let (left, n) = (percent(found.left), found.n);
        Some(format!(
            "Of what its effect varies over {n} universes main effects are {most}; they leave {left}%"
        ))
    }

    /// Options for reading, such as `a = 2 and b = 1`.
    pub fn terms(&self, terms: &Terms) -> String {
        let one = |&(choice, option): &(usize, usize)| {
            let choice = &self.experiment.choices[choice];
            format!("{} = {}", choice.id, choice.options[option])
        };
        terms.iter().map(one).collect::<Vec<_>>().join(" and ")
    }

    /// The claims, each with what is said of it.
    pub fn sheet(&self) -> Sheet {
        Sheet::of("Claims in universes of choices", &self.claims)
            .text("claim", "Claim", |claim: &OfClaim<'_>| Cell::prose(&claim.spec.text))
            .text("verdicts", "Verdicts", |claim| said(&[self.counted(claim)]))
            .text("turned", "What turns it", |claim| said(&self.turned(claim)))
            .text("weighed", "What its effect hangs on", |claim| {
                said(self.weighed(claim).as_slice())
            })
            .text("seeds", "Seeds", |claim| said(&[self.seeds(claim)]))
            .notes(self.notes())
            .sheet()
    }

    /// What is to be said of all.
    fn notes(&self) -> Vec<String> {
        let mut notes = vec![self.lead()];
        let refused =
            |(spec, why): &(&spec::ClaimSpec, &str)| format!("Not judged: {} ({why})", spec.id);
        notes.extend(self.unjudged.iter().map(refused));
        notes.extend(self.nearest.as_ref().map(|nearest| {
            let others = self.rows[nearest.universe].others(&self.experiment.choices, |_| true);
            let others = others.iter().map(|(choice, option)| format!("{} = {option}", choice.id));
            let mut others = others.collect::<Vec<_>>().join(", ");
            if others.is_empty() {
                others = "the chosen one".to_owned();
            }
            let left = nearest.left_out.iter().map(|(dataset, near, of)| format!("{dataset} {near} of {of}"));
            format!(
                "Nearest to the paper is universe {} ({others}): {} of {} published cells within rounding or noise, the chosen one \
                 {}. Chosen without a data set it has of its cells: {}. It is no cause by itself, and not adopted",
                nearest.universe, nearest.cells, nearest.of, nearest.chosen,
                left.collect::<Vec<_>>().join(", "),
            )
        }));
        notes
    }

    /// What each claim comes to, for programs and for the scorecard.
    pub(super) fn conclusions(&self) -> Sheet {
        let often = |claim: &OfClaim<'_>, verdict| {
            claim.counts(self.rows, |_| true).get(&verdict).copied().unwrap_or(0)
        };
        Sheet::of("", &self.claims)
            .value("claim", |claim: &OfClaim<'_>| &*claim.spec.id)
            .value("verdict", |claim| claim.sealed.word())
            .value("universes", |_| self.rows.len())
            .value("holds", move |claim| often(claim, Verdict::Holds))
            .value("fails", move |claim| often(claim, Verdict::Fails))
            .value("not_shown", move |claim| often(claim, Verdict::NotShown))
            .value("away", |claim| claim.nearest_flip(self.rows).map(|(_, away)| away.len()))
            .value("decides", |claim| self.decides(claim))
            .value("text", |claim| Cell::prose(&claim.spec.text))
            .value("sentence", |claim| Cell::prose(self.quotable(claim)))
            .sheet()
    }

    /// The choice that most of a claim's effect hangs on, where some universe turns its verdict.
    fn decides(&self, claim: &OfClaim<'_>) -> Option<&str> {
        claim.nearest_flip(self.rows)?;
        let found = claim.importance(self.rows)?;
        Some(&self.experiment.choices[found.choices.first()?.choice].id)
    }

    /// What a reader may quote.
    fn quotable(&self, claim: &OfClaim<'_>) -> String {
        let (all, chosen) = (self.rows.len(), claim.judged[0].verdict);
        let same = claim.judged.iter().filter(|judged| judged.verdict == chosen).count();
        let lead = format!("\"{}\" {}", claim.spec.text, verb(chosen));
        match claim.nearest_flip(self.rows) {
            None => {
                format!("{lead}, and so in all {all} universes of the paper's open choices")
            }
            Some(_) => format!(
                "{lead}, and so in {same} of {all} universes of the paper's open choices. {}",
                self.ruled(claim)
            ),
        }
    }

    /// The claims whose verdict some universe turns, for a terminal.
    pub(crate) fn terminal(&self, screen: &mut Screen) {
        screen.blank();
        screen.paragraph(format!("In {} universes of choices", self.rows.len()), 0);
        for claim in &self.claims {
            let said = [self.counted(claim)].into_iter();
            let flips = claim.nearest_flip(self.rows).map(|_| self.ruled(claim));
            let said: Vec<String> = said.chain(flips).collect();
            screen.paragraph(format!("{}: {}.", claim.spec.id, said.join(". ")), 2);
        }
    }

    /// The report on them.
    pub(super) fn markdown(&self) -> String {
        let title = escaped(&self.experiment.title);
        let mut text = format!("# {title}: universes of choices\n\n");
        for note in self.notes() {
            text += &format!("{}.\n\n", escaped(&note));
        }
        for claim in &self.claims {
            text += &format!("## `{}`\n\n{}\n\n", claim.spec.id, escaped(&claim.spec.text));
            for sentence in self.sentences(claim) {
                text += &format!("- {}.\n", escaped(&sentence));
            }
            text.push('\n');
        }
        text.trim_end().to_owned() + "\n"
    }
}

/// Sentences in one cell.
fn said(sentences: &[String]) -> Cell {
    match sentences {
        [] => Cell::prose("nothing"),
        _ => Cell::prose(sentences.join(". ") + "."),
    }
}

fn verb(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds here",
        Verdict::Fails => "fails here",
        Verdict::NotShown => "is not shown here",
        Verdict::NoEvidence => "has no evidence here",
    }
}

fn percent(share: f64) -> String {
    base::text::real(significant((1000.0 * share).round() / 10.0, 4))
}
