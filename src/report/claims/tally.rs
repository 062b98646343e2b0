//! Counting on how many datasets a statement is true.

use spec::number::Rounding;
use spec::{Finding, HowMany, Over, Phrase, Size, Verdict};

use super::margin::{Margin, flip};
use super::reading::{LEVEL, interval_text, size_text};

/// What is known of a statement on one dataset (or in one cell).
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// True or false.
    Known(Known),
    /// Not known; why.
    Unknown(String),
}

/// An answer with the numbers behind it.
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

impl Answer {
    /// An answer without an effect.
    pub fn of(holds: bool, numbers: String, margin: Option<Margin>) -> Self {
        Self::sized(holds, numbers, margin, None)
    }

    /// An answer with an effect, if there is one.
    pub fn sized(
        holds: bool,
        numbers: String,
        margin: Option<Margin>,
        effect: Option<Size>,
    ) -> Self {
        Self::Known(Known { holds, numbers, margin, effect, advantage: None })
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

    /// Judges "true so often", and says why. The verdict stands as soon as the unknown answers
    /// cannot change it. `of` is counted ("data sets"), `basis` is what decided each.
    pub fn judge(
        &self,
        how_many: HowMany,
        of: &'static str,
        basis: Option<&str>,
        rounding: Rounding,
        remark: Option<String>,
    ) -> Finding {
        let total = self.answers.len();
        let yes = self.known().filter(|(_, known)| known.holds).count();
        let named = |pick: fn(&Answer) -> Option<&String>| -> Vec<(String, String)> {
            let picked = self.answers.iter();
            picked
                .filter_map(|(name, answer)| Some((name.clone(), pick(answer)?.clone())))
                .collect()
        };
        let no = named(|answer| match answer {
            Answer::Known(known) => (!known.holds).then_some(&known.numbers),
            Answer::Unknown(_) => None,
        });
        let unknown = named(|answer| match answer {
            Answer::Unknown(why) => Some(why),
            Answer::Known(_) => None,
        });
        let most = yes + unknown.len();
        let (sure, excluded) = match how_many {
            HowMany::All => (total > 0 && yes == total, most < total),
            HowMany::AtLeast(k) => (yes >= k, most < k),
            HowMany::AtMost(k) => (most <= k, yes > k),
            HowMany::Exactly(k) => (unknown.is_empty() && yes == k, yes > k || most < k),
        };
        let verdict = match (total > 0 && sure, total > 0 && excluded) {
            (true, _) => Verdict::Holds,
            (_, true) => Verdict::Fails,
            _ => Verdict::Undecided,
        };
        let mut evidence = vec![Phrase::Count { yes, total, of, needed: how_many }];
        evidence.extend(basis.map(Phrase::from));
        let decided = unknown.is_empty();
        evidence.extend((!no.is_empty()).then_some(Phrase::Not(no)));
        evidence.extend((!decided).then_some(Phrase::Unknown(unknown)));
        evidence.extend(self.advantage(rounding).map(Phrase::from));
        if decided {
            evidence.extend(self.flips(how_many, rounding).map(Phrase::from));
        }
        evidence.extend(remark.map(Phrase::from));
        Finding { verdict, evidence }
    }

    /// Whether there are answers, and none of them is known.
    pub fn is_unknown(&self) -> bool {
        !self.answers.is_empty() && self.known().next().is_none()
    }

    fn known(&self) -> impl Iterator<Item = (&str, &Known)> {
        self.answers.iter().filter_map(|(name, answer)| match answer {
            Answer::Known(known) => Some((name.as_str(), known)),
            Answer::Unknown(_) => None,
        })
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
    fn flips(&self, how_many: HowMany, rounding: Rounding) -> Option<String> {
        let known: Vec<(&str, &Known)> = self.known().collect();
        let answers: Vec<(bool, Option<Margin>)> =
            known.iter().map(|(_, known)| (known.holds, known.margin)).collect();
        let flip = flip(&answers, how_many)?;
        let mut text =
            format!("flips at {} {}", flip.count, if flip.fewer { "fewer" } else { "more" });
        if let Some((at, margin)) = flip.last {
            let (name, known) = known[at];
            text += &match &known.effect {
                Some(effect) => {
                    let margin = margin.beside(effect, rounding);
                    format!(": {name}, margin {margin}, {}", size_text(effect, rounding))
                }
                None => format!(": {name}, margin {}", margin.text(rounding)),
            };
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(yes: usize, no: usize, unknown: usize, how_many: HowMany) -> Verdict {
        let mut tally = Tally::default();
        (0..yes).for_each(|_| tally.push("y", Answer::of(true, String::new(), None)));
        (0..no).for_each(|_| tally.push("n", Answer::of(false, "1".into(), None)));
        (0..unknown).for_each(|_| tally.push("u", Answer::Unknown("failed".into())));
        let rounding = Rounding { digits: 2, scale: 1.0 };
        tally.judge(how_many, "data sets", None, rounding, None).verdict
    }

    #[test]
    fn unknown_answers_decide_only_where_they_could_change_the_verdict() {
        use Verdict::{Fails, Holds, Undecided};
        assert_eq!(verdict(3, 0, 0, HowMany::All), Holds);
        assert_eq!(verdict(2, 0, 1, HowMany::All), Undecided);
        assert_eq!(verdict(1, 1, 1, HowMany::All), Fails);
        assert_eq!(verdict(0, 0, 0, HowMany::All), Undecided);
        assert_eq!(verdict(0, 0, 0, HowMany::AtMost(2)), Undecided);
        assert_eq!(verdict(2, 0, 1, HowMany::AtLeast(2)), Holds);
        assert_eq!(verdict(1, 0, 1, HowMany::AtLeast(2)), Undecided);
        assert_eq!(verdict(1, 2, 0, HowMany::AtLeast(2)), Fails);
        assert_eq!(verdict(1, 1, 1, HowMany::AtMost(2)), Holds);
        assert_eq!(verdict(2, 0, 1, HowMany::AtMost(2)), Undecided);
        assert_eq!(verdict(3, 0, 0, HowMany::AtMost(2)), Fails);
        assert_eq!(verdict(2, 1, 0, HowMany::Exactly(2)), Holds);
        assert_eq!(verdict(2, 0, 1, HowMany::Exactly(2)), Undecided);
        assert_eq!(verdict(3, 0, 1, HowMany::Exactly(2)), Fails);
        assert_eq!(verdict(0, 3, 1, HowMany::Exactly(2)), Fails);
    }
}
