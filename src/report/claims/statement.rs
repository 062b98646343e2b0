//! What a claim says of several items, and what becomes of it: by the answers of each, so many must be true.

use base::text::first_of;
use base::words;
use base::words::Worded as _;
use spec::number::Rounding;
use spec::{Basis, Finding, HowMany, Lack, Over, Phrase, Range, Size, Strength, Verdict};

use super::margin::{Flip, Margin, Of, flip};
use super::reading::{LEVEL, interval_text, size_text};

words! {
    /// What a claim counts, each with the preposition before it.
    pub enum Items {
        Datasets = "data sets", "on";
        Cells = "cells", "in";
        Methods = "methods", "for";
        Tests = "tests", "in";
    }
}

/// How many names a sentence lists.
const NAMED: usize = 6;

/// What is said of each of several items, and of how many it must be true.
pub(super) struct Statement {
    /// A clause, such as `MEVM has a higher accuracy than NB`.
    pub says: String,
    /// What is counted.
    pub of: Items,
    /// Of how many it must be true.
    pub how_many: HowMany,
}

impl Statement {
    /// On data sets.
    pub fn on_datasets(says: String, how_many: HowMany) -> Self {
        Self { says, of: Items::Datasets, how_many }
    }

    /// The clause with an item, such as ` on MNIST`; with nothing where there is one item without a name.
    pub fn at(&self, name: &str) -> String {
        let Self { says, .. } = self;
        if name.is_empty() { says.clone() } else { format!("{says} {} {name}", self.preposition()) }
    }

    /// Of how many of all it is true, and of which not, such as ` on 3 of 4 data sets, all needed: not MNIST`.
    pub fn counted(&self, Tally { yes, not, total, .. }: &Tally) -> String {
        let needed = match self.how_many {
            HowMany::All => ", all needed".to_owned(),
            some => some.to_string(),
        };
        let not = if not.is_empty() { String::new() } else { format!(": not {}", named(not)) };
        format!("{} {yes} of {total} {}{needed}{not}", self.preposition(), self.of.word())
    }

    /// What is to be shown, such as `MEVM has a higher accuracy than NB on at least 3 of 4 data sets`.
    pub fn wanted(&self, total: usize) -> String {
        let often = match self.how_many {
            HowMany::All => format!("all {total}"),
            HowMany::AtLeast(k) => format!("at least {k} of {total}"),
            HowMany::AtMost(k) => format!("at most {k} of {total}"),
            HowMany::Exactly(k) => format!("exactly {k} of {total}"),
        };
        format!("{} {} {often} {}", self.says, self.preposition(), self.of.word())
    }

    fn preposition(&self) -> &'static str {
        Items::WORDS.meaning(self.of)
    }
}

/// The first of some names; those with commas are parted by semicolons.
pub(super) fn named(names: &[(String, String)]) -> String {
    let commas = names.iter().take(NAMED).any(|(name, _)| name.contains(','));
    let apart = if commas { "; " } else { ", " };
    first_of(names.iter().map(|(name, _)| name), NAMED, apart)
}

/// How often a statement is true, and where it is not: names with the numbers or the reasons there.
pub(super) struct Tally {
    /// Of how many it is true.
    pub yes: usize,
    /// Of which it is not.
    pub not: Vec<(String, String)>,
    /// Of which that is not known.
    pub unknown: Vec<(String, String)>,
    /// Of how many in all.
    pub total: usize,
}

impl Tally {
    /// What evidence says of it, and of how many it must be true; `by` is what decided.
    pub fn phrases(
        self,
        of: Items,
        needed: HowMany,
        by: impl IntoIterator<Item = Phrase>,
    ) -> Vec<Phrase> {
        let Self { yes, not, unknown, total } = self;
        let of = of.word();
        let not = (!not.is_empty()).then_some(Phrase::Not(not));
        let unknown = (!unknown.is_empty()).then_some(Phrase::Unknown(unknown));
        let count = Phrase::Count { yes, total, of, needed };
        std::iter::once(count).chain(by).chain(not).chain(unknown).collect()
    }
}

/// What is known of a statement on one dataset (or in one cell), or why nothing is.
pub type Answer = Result<Known, Lack>;

/// Whether a statement is true, with the numbers behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Whether the statement is true.
    pub holds: bool,
    /// The numbers that evidence shows where it is false.
    pub numbers: String,
    /// How far it is from the opposite, if that can be compared with others.
    pub margin: Option<Margin>,
    /// How large the difference is that it is about, if its interval is known.
    pub effect: Option<Size>,
    /// How much better one side is, in the metric's unit, if that is what it is about.
    pub advantage: Option<f64>,
}

impl Known {
    /// One without an advantage.
    pub fn of(holds: bool, numbers: String, margin: Option<Margin>, effect: Option<Size>) -> Self {
        Self { holds, numbers, margin, effect, advantage: None }
    }

    /// That a number lies in a range.
    pub fn within(
        (value, of): (f64, Of),
        range: &Range,
        numbers: String,
        effect: Option<Size>,
    ) -> Self {
        Self::of(range.holds(value), numbers, Margin::in_range(value, range, of), effect)
    }

    /// That an advantage is larger than a bound.
    pub fn above(advantage: f64, bound: f64, numbers: String) -> Self {
        let (holds, margin) = super::margin::above(advantage, bound);
        Self { advantage: Some(advantage), ..Self::of(holds, numbers, margin, None) }
    }
}

/// The answers of all datasets (or cells), by name.
pub(super) struct Answers<'s> {
    /// To what.
    pub statement: &'s Statement,
    /// Each.
    pub answers: Vec<(String, Answer)>,
    /// How numbers are printed.
    pub rounding: Rounding,
    /// What is to be said of all.
    pub remark: Option<String>,
}

impl Answers<'_> {
    /// Judges "true so often", and says why. The verdict stands as soon as the unknown answers cannot change it. `by` is
    /// what decided each.
    pub fn judge(&self, (basis, by): (Basis, String)) -> Finding {
        let how_many = self.statement.how_many;
        let tally = self.tally();
        let (yes, unknown) = (tally.yes, tally.unknown.len());
        let verdict = how_many.judged(tally.total, |count| match () {
            () if yes >= count => Verdict::Holds,
            () if yes + unknown < count => Verdict::Fails,
            () => Verdict::NoEvidence,
        });
        let sentence = self.sentence(&tally);
        let mut evidence = match self.answers.as_slice() {
            // One answer has no count.
            [(_, Ok(known))] if how_many == HowMany::All && !known.numbers.is_empty() => {
                vec![known.numbers.as_str().into(), by.into()]
            }
            _ => tally.phrases(self.statement.of, self.statement.how_many, [by.into()]),
        };
        let flip = if unknown == 0 { self.flip(how_many) } else { None };
        let last = flip.and_then(|flip| self.last(flip));
        evidence.extend(self.advantage().map(Phrase::from));
        evidence.extend(flip.map(|flip| self.turns(flip, last).into()));
        evidence.extend(self.remark.clone().map(Phrase::from));
        let narrowly = last.is_some_and(|last| self.narrowly(last));
        let strength = last.map(|last| strength(last, verdict));
        Finding { verdict, basis, narrowly, sentence, evidence, power: Vec::new(), strength }
    }

    fn tally(&self) -> Tally {
        let mut tally =
            Tally { yes: 0, not: Vec::new(), unknown: Vec::new(), total: self.answers.len() };
        for (name, answer) in &self.answers {
            match answer {
                Ok(known) if known.holds => tally.yes += 1,
                Ok(known) => tally.not.push((name.clone(), known.numbers.clone())),
                Err(why) => tally.unknown.push((name.clone(), why.to_string())),
            }
        }
        tally
    }

    fn sentence(&self, tally: &Tally) -> String {
        let statement = self.statement;
        let remark = self.remark.as_ref().map(|remark| format!(" ({remark})")).unwrap_or_default();
        let sentence = match self.answers.as_slice() {
            [(name, Ok(known))] => {
                let lead = if known.holds { "" } else { "It is not so that " };
                let numbers = match known.numbers.as_str() {
                    "" => String::new(),
                    numbers => format!(": {numbers}"),
                };
                format!("{lead}{}{numbers}{remark}.", statement.at(name))
            }
            [(name, Err(why))] => {
                format!("It is not known whether {}: {why}.", statement.at(name))
            }
            _ => {
                let counted = statement.counted(tally);
                let open = match tally.unknown.len() {
                    0 => String::new(),
                    unknown => format!("; {unknown} not known"),
                };
                format!("{} {counted}{open}{remark}.", statement.says)
            }
        };
        match sentence.strip_prefix("the ") {
            Some(rest) => format!("The {rest}"),
            None => sentence,
        }
    }

    fn known(&self) -> impl Iterator<Item = (&str, &Known)> {
        let answers = self.answers.iter();
        answers.filter_map(|(name, answer)| Some((name.as_str(), answer.as_ref().ok()?)))
    }

    /// The advantage over all that have one, where they are enough for an interval.
    fn advantage(&self) -> Option<String> {
        let advantages: Vec<f64> = self.known().filter_map(|(_, known)| known.advantage).collect();
        let found = stats::pseudo_median(&advantages, LEVEL).ok()?;
        let (low, high) = found.interval?;
        let text = |value| self.rounding.difference(value);
        let interval = interval_text((text(low), text(high)), LEVEL, Over::Datasets);
        Some(format!("median advantage {}{interval}", text(found.value)))
    }

    /// What it takes to turn the verdict.
    fn flip(&self, how_many: HowMany) -> Option<Flip> {
        let answers: Vec<(bool, Option<Margin>)> =
            self.known().map(|(_, known)| (known.holds, known.margin)).collect();
        flip(&answers, how_many)
    }

    fn turns(&self, flip: Flip, last: Option<Last<'_>>) -> String {
        let side = if flip.fewer { "fewer" } else { "more" };
        let turns = format!("flips at {} {side}", flip.count);
        let Some((name, known, margin)) = last else { return turns };
        let margin = match &known.effect {
            Some(effect) => {
                let beside = margin.beside(effect, self.rounding);
                format!("margin {beside}, {}", size_text(effect, self.rounding))
            }
            None => format!("margin {}", margin.text(self.rounding)),
        };
        if self.answers.len() == 1 { margin } else { format!("{turns}: {name}, {margin}") }
    }

    /// Whether the last answer that turns the verdict is nearer to its opposite than half of its interval is wide, or
    /// than a unit of the last digit that the paper prints.
    fn narrowly(&self, (_, known, margin): Last<'_>) -> bool {
        let widths = known.effect.as_ref().and_then(|effect| margin.half_widths(effect));
        let unit = self.rounding.unit() / self.rounding.scale;
        widths.is_some_and(|widths| widths < 1.0)
            || self.rounding.printed && margin.of == Of::Values && margin.distance < unit
    }

    fn last(&self, flip: Flip) -> Option<Last<'_>> {
        let (at, margin) = flip.last?;
        self.known().nth(at).map(|(name, known)| (name, known, margin))
    }
}

/// The last answer that turns a verdict: its name, what is known, and how far it is from its opposite.
type Last<'s> = (&'s str, &'s Known, Margin);

fn strength((_, known, margin): Last<'_>, verdict: Verdict) -> Strength {
    let side = if verdict == Verdict::Holds { 1.0 } else { -1.0 };
    let value = side * margin.distance;
    let half = known.effect.as_ref().and_then(|size| margin.half(size));
    Strength { value, interval: half.map(|half| (value - half, value + half)) }
}

/// What decides where no test is named.
pub(super) fn by_values() -> (Basis, String) {
    (Basis::Values, Basis::Values.word().to_owned())
}

#[cfg(test)]
mod tests {
    use stats::{Effect, Measure};

    use super::*;

    fn verdict(yes: usize, no: usize, unknown: usize, how_many: HowMany) -> Verdict {
        let known = |holds| Ok(Known::of(holds, String::new(), None, None));
        let answers = [(yes, known(true)), (no, known(false)), (unknown, Err(Lack::Datasets))];
        let answers = answers.into_iter().flat_map(|(n, answer)| vec![(String::new(), answer); n]);
        let statement = &Statement::on_datasets("it is so".into(), how_many);
        let rounding = Rounding { digits: 2, scale: 1.0, printed: false };
        Answers { statement, answers: answers.collect(), rounding, remark: None }
            .judge(by_values())
            .verdict
    }

    #[test]
    fn names_with_commas_are_parted_by_semicolons() {
        let of = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| ((*name).into(), String::new())).collect();
            named(&names)
        };
        assert_eq!(of(&["Iris", "Pima"]), "Iris, Pima");
        assert_eq!(of(&["Iris", "Pima, 5% label noise"]), "Iris; Pima, 5% label noise");
    }

    #[test]
    fn narrowly_is_by_half_of_the_interval_or_by_the_printed_digit() {
        let size = |half: f64| Size {
            effect: Effect { measure: Measure::Mean, value: 0.0, interval: Some((-half, half)) },
            level: LEVEL,
            over: Over::Folds,
        };
        let narrowly = |distance, half: Option<f64>, printed| {
            let margin = Some(Margin { distance, of: Of::Values });
            let known = Known::of(true, String::new(), margin, half.map(size));
            let statement = &Statement::on_datasets("it is so".into(), HowMany::All);
            let rounding = Rounding { digits: 2, scale: 1.0, printed };
            let answers = vec![(String::new(), Ok(known))];
            Answers { statement, answers, rounding, remark: None }.judge(by_values()).narrowly
        };
        // Nearer than half of the interval is wide, or than .01 where the paper prints two digits.
        assert!(narrowly(0.02, Some(0.03), false));
        assert!(narrowly(0.004, Some(0.001), true) && narrowly(0.004, None, true));
        // Neither, or nothing to compare with.
        assert!(!narrowly(0.02, Some(0.01), true) && !narrowly(0.004, Some(0.001), false));
        assert!(!narrowly(0.02, None, true) && !narrowly(0.004, None, false));
    }

    #[test]
    fn unknown_answers_decide_only_where_they_could_change_the_verdict() {
        use Verdict::{Fails, Holds, NoEvidence};
        assert_eq!(verdict(3, 0, 0, HowMany::All), Holds);
        assert_eq!(verdict(2, 0, 1, HowMany::All), NoEvidence);
        assert_eq!(verdict(1, 1, 1, HowMany::All), Fails);
        assert_eq!(verdict(0, 0, 0, HowMany::All), NoEvidence);
        assert_eq!(verdict(0, 0, 0, HowMany::AtMost(2)), NoEvidence);
        assert_eq!(verdict(2, 0, 1, HowMany::AtLeast(2)), Holds);
        assert_eq!(verdict(1, 0, 1, HowMany::AtLeast(2)), NoEvidence);
        assert_eq!(verdict(1, 2, 0, HowMany::AtLeast(2)), Fails);
        assert_eq!(verdict(1, 1, 1, HowMany::AtMost(2)), Holds);
        assert_eq!(verdict(2, 0, 1, HowMany::AtMost(2)), NoEvidence);
        assert_eq!(verdict(3, 0, 0, HowMany::AtMost(2)), Fails);
        assert_eq!(verdict(2, 1, 0, HowMany::Exactly(2)), Holds);
        assert_eq!(verdict(2, 0, 1, HowMany::Exactly(2)), NoEvidence);
        assert_eq!(verdict(3, 0, 1, HowMany::Exactly(2)), Fails);
        assert_eq!(verdict(0, 3, 1, HowMany::Exactly(2)), Fails);
    }
}
