//! Counting on how many datasets a statement is true.

use spec::number::Rounding;
use spec::{Basis, Finding, HowMany, Lack, Over, Phrase, Size, Strength, Verdict};

use super::margin::{Flip, Margin, Of, flip};
use super::reading::{LEVEL, interval_text, size_text};
use super::statement::Statement;

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
}

/// The answers of all datasets (or cells), by name.
#[derive(Debug, Default)]
pub struct Tally {
    answers: Vec<(String, Answer)>,
}

impl Tally {
    /// Adds one answer.
    pub fn push(&mut self, name: impl Into<String>, answer: Answer) {
        self.answers.push((name.into(), answer));
    }

    /// Judges "true so often", and says why. The verdict stands as soon as the unknown answers cannot change it. `by` is
    /// what decided each.
    pub fn judge(
        &self,
        statement: &Statement,
        (basis, by): (Basis, String),
        rounding: Rounding,
        remark: Option<String>,
    ) -> Finding {
        let (how_many, total) = (statement.how_many, self.answers.len());
        let yes = self.known().filter(|(_, known)| known.holds).count();
        let no = self.known().filter(|(_, known)| !known.holds);
        let no: Vec<_> = no.map(|(name, no)| (name.to_owned(), no.numbers.clone())).collect();
        let unknown = self.answers.iter();
        let unknown = unknown
            .filter_map(|(name, answer)| Some((name.clone(), answer.as_ref().err()?.to_string())));
        let unknown: Vec<_> = unknown.collect();
        let most = yes + unknown.len();
        let verdict = how_many.judged(total, |count| match () {
            () if yes >= count => Verdict::Holds,
            () if most < count => Verdict::Fails,
            () => Verdict::NoEvidence,
        });
        let sentence = self.sentence(statement, yes, (&no, unknown.len()), remark.as_deref());
        let mut evidence = match self.answers.as_slice() {
            // One answer has no count.
            [(_, Ok(known))] if how_many == HowMany::All && !known.numbers.is_empty() => {
                vec![known.numbers.as_str().into(), by.into()]
            }
            _ => {
                let of = statement.of.word();
                let not = (!no.is_empty()).then_some(Phrase::Not(no));
                let count = Phrase::Count { yes, total, of, needed: how_many };
                [Some(count), Some(by.into()), not].into_iter().flatten().collect()
            }
        };
        let flip = if unknown.is_empty() { self.flip(how_many) } else { None };
        evidence.extend((!unknown.is_empty()).then_some(Phrase::Unknown(unknown)));
        evidence.extend(self.advantage(rounding).map(Phrase::from));
        evidence.extend(flip.map(|flip| self.turns(flip, rounding).into()));
        evidence.extend(remark.map(Phrase::from));
        let narrowly = flip.is_some_and(|flip| self.narrowly(flip, rounding));
        let strength = flip.and_then(|flip| self.strength(flip, verdict));
        Finding { verdict, basis, narrowly, sentence, evidence, power: Vec::new(), strength }
    }

    fn sentence(
        &self,
        statement: &Statement,
        yes: usize,
        (not, unknown): (&[(String, String)], usize),
        remark: Option<&str>,
    ) -> String {
        let says = |name: &str| statement.at(name);
        let remark = remark.map(|remark| format!(" ({remark})")).unwrap_or_default();
        let sentence = match self.answers.as_slice() {
            [(name, Ok(known))] => {
                let lead = if known.holds { "" } else { "It is not so that " };
                let numbers = match known.numbers.as_str() {
                    "" => String::new(),
                    numbers => format!(": {numbers}"),
                };
                format!("{lead}{}{numbers}{remark}.", says(name))
            }
            [(name, Err(why))] => {
                format!("It is not known whether {}: {why}.", says(name))
            }
            answers => {
                let counted = statement.counted(yes, answers.len(), not);
                let open =
                    if unknown > 0 { format!("; {unknown} not known") } else { String::new() };
                format!("{} {counted}{open}{remark}.", statement.says)
            }
        };
        match sentence.strip_prefix("the ") {
            Some(rest) => format!("The {rest}"),
            None => sentence,
        }
    }

    /// Whether there are answers, and none of them is known.
    pub fn is_unknown(&self) -> bool {
        !self.answers.is_empty() && self.known().next().is_none()
    }

    fn known(&self) -> impl Iterator<Item = (&str, &Known)> {
        let answers = self.answers.iter();
        answers.filter_map(|(name, answer)| Some((name.as_str(), answer.as_ref().ok()?)))
    }

    /// The advantage over all that have one, where they are enough for an interval.
    fn advantage(&self, rounding: Rounding) -> Option<String> {
        let advantages: Vec<f64> = self.known().filter_map(|(_, known)| known.advantage).collect();
        let found = stats::pseudo_median(&advantages, LEVEL).ok()?;
        let (low, high) = found.interval?;
        let [value, low, high] = [found.value, low, high].map(|value| rounding.difference(value));
        let interval = interval_text((low, high), LEVEL, Over::Datasets);
        Some(format!("median advantage {value}{interval}"))
    }

    /// What it takes to turn the verdict.
    fn flip(&self, how_many: HowMany) -> Option<Flip> {
        let answers: Vec<(bool, Option<Margin>)> =
            self.known().map(|(_, known)| (known.holds, known.margin)).collect();
        flip(&answers, how_many)
    }

    fn turns(&self, flip: Flip, rounding: Rounding) -> String {
        let side = if flip.fewer { "fewer" } else { "more" };
        let turns = format!("flips at {} {side}", flip.count);
        let Some(((name, known), margin)) = self.last(flip) else { return turns };
        let margin = match &known.effect {
            Some(effect) => {
                format!(
                    "margin {}, {}",
                    margin.beside(effect, rounding),
                    size_text(effect, rounding)
                )
            }
            None => format!("margin {}", margin.text(rounding)),
        };
        if self.answers.len() == 1 { margin } else { format!("{turns}: {name}, {margin}") }
    }

    /// Whether the last answer that turns the verdict is nearer to its opposite than half of its interval is wide, or
    /// than a unit of the last digit that the paper prints.
    fn narrowly(&self, flip: Flip, rounding: Rounding) -> bool {
        self.last(flip).is_some_and(|((_, known), margin)| {
            let widths = known.effect.as_ref().and_then(|effect| margin.half_widths(effect));
            let unit = rounding.unit() / rounding.scale;
            widths.is_some_and(|widths| widths < 1.0)
                || rounding.printed && margin.of == Of::Values && margin.distance < unit
        })
    }

    fn strength(&self, flip: Flip, verdict: Verdict) -> Option<Strength> {
        let ((_, known), margin) = self.last(flip)?;
        let side = if verdict == Verdict::Holds { 1.0 } else { -1.0 };
        let value = side * margin.distance;
        let half = known.effect.as_ref().and_then(|size| margin.half(size));
        Some(Strength { value, interval: half.map(|half| (value - half, value + half)) })
    }

    fn last(&self, flip: Flip) -> Option<((&str, &Known), Margin)> {
        let (at, margin) = flip.last?;
        self.known().nth(at).map(|answer| (answer, margin))
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::by_values;
    use super::*;

    fn verdict(yes: usize, no: usize, unknown: usize, how_many: HowMany) -> Verdict {
        let mut tally = Tally::default();
        (0..yes).for_each(|_| tally.push("y", Ok(Known::of(true, String::new(), None, None))));
        (0..no).for_each(|_| tally.push("n", Ok(Known::of(false, "1".into(), None, None))));
        (0..unknown).for_each(|_| tally.push("u", Err(Lack::Unmet("failed"))));
        let rounding = Rounding { digits: 2, scale: 1.0, printed: false };
        let statement = Statement::on_datasets("it is so".into(), how_many);
        tally.judge(&statement, by_values(), rounding, None).verdict
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
