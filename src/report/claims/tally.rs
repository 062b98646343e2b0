//! Counting on how many datasets a statement is true.

use spec::{Finding, HowMany, Verdict};

/// How many exceptions the evidence names.
const NAMED: usize = 6;

/// What is known of a statement on one dataset (or in one cell).
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// True, by this margin if there is one that can be compared with others.
    Yes(Option<f64>),
    /// False; the numbers.
    No(String),
    /// Not known; why.
    Unknown(String),
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
    /// cannot change it. `what` is counted ("data sets"), `margin` prints the size of a margin.
    pub fn judge(
        &self,
        how_many: HowMany,
        what: &str,
        margin: impl Fn(f64) -> String,
        remarks: &[String],
    ) -> Finding {
        let total = self.answers.len();
        let yes = self.answers.iter().filter(|(_, a)| matches!(a, Answer::Yes(_))).count();
        let unknown = self.named(|answer| match answer {
            Answer::Unknown(why) => Some(why),
            _ => None,
        });
        let no = self.named(|answer| match answer {
            Answer::No(numbers) => Some(numbers),
            _ => None,
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
        let needed = match how_many {
            HowMany::All => String::new(),
            HowMany::AtLeast(k) => format!(", at least {k} needed"),
            HowMany::AtMost(k) => format!(", at most {k} allowed"),
            HowMany::Exactly(k) => format!(", exactly {k} expected"),
        };
        let mut evidence = vec![format!("{yes} of {total} {what}{needed}")];
        if !no.is_empty() {
            evidence.push(format!("not {}", listed(&no)));
        }
        if !unknown.is_empty() {
            evidence.push(format!("unknown {}", listed(&unknown)));
        }
        if let Some((name, least)) = self.closest() {
            let by = if least == 0.0 { "tied".to_owned() } else { format!("by {}", margin(least)) };
            evidence.push(format!("closest: {name} {by}"));
        }
        evidence.extend_from_slice(remarks);
        Finding { verdict, evidence: evidence.join("; ") }
    }

    /// Whether there are answers, and none of them is known.
    pub fn is_unknown(&self) -> bool {
        let unknown = |(_, answer): &(String, Answer)| matches!(answer, Answer::Unknown(_));
        !self.answers.is_empty() && self.answers.iter().all(unknown)
    }

    fn named(&self, pick: impl Fn(&Answer) -> Option<&String>) -> Vec<String> {
        self.answers
            .iter()
            .filter_map(|(name, answer)| pick(answer).map(|why| format!("{name} ({why})")))
            .collect()
    }

    /// The smallest margin of those that are true.
    fn closest(&self) -> Option<(&str, f64)> {
        let margins = self.answers.iter().filter_map(|(name, answer)| match answer {
            Answer::Yes(Some(margin)) => Some((name.as_str(), *margin)),
            _ => None,
        });
        margins.reduce(|least, next| if next.1 < least.1 { next } else { least })
    }
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut text = names[..names.len() - more].join(", ");
    if more > 0 {
        text += &format!(" and {more} more");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(yes: usize, no: usize, unknown: usize, how_many: HowMany) -> Verdict {
        let mut tally = Tally::default();
        (0..yes).for_each(|_| tally.push("y", Answer::Yes(None)));
        (0..no).for_each(|_| tally.push("n", Answer::No("1".into())));
        (0..unknown).for_each(|_| tally.push("u", Answer::Unknown("failed".into())));
        tally.judge(how_many, "data sets", |_| String::new(), &[]).verdict
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
