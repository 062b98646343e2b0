//! Which options of choices trials are run with.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::ChoiceId;

/// Options of choices, each as it is printed; of several choices in a universe. Empty where all options are
/// the chosen ones.
///
/// As text `choice=option`, joined by `;`; where an option has a `;`, it is doubled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Assignment(Vec<(ChoiceId, String)>);

/// A text that no [`Assignment`] is printed as.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `choice=option`, several joined by `;`, found {0:?}")]
pub struct NotAnAssignment(String);

impl Assignment {
    /// An option of one choice.
    pub fn of(choice: &ChoiceId, option: impl fmt::Display) -> Self {
        Self(vec![(choice.clone(), option.to_string())])
    }

    /// Whether all options are the chosen ones.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its choices, each with its option.
    pub fn iter(&self) -> impl Iterator<Item = (&ChoiceId, &str)> {
        self.0.iter().map(|(choice, option)| (choice, option.as_str()))
    }

    /// Whether it has an option of a choice.
    pub fn sets(&self, choice: &ChoiceId) -> bool {
        self.0.iter().any(|(id, _)| id == choice)
    }

    /// The ids of its choices, joined by `;`.
    pub fn choices(&self) -> String {
        self.iter().map(|(choice, _)| choice.as_str()).collect::<Vec<_>>().join(SEPARATOR)
    }

    /// Its options, joined by `;`.
    pub fn options(&self) -> String {
        self.iter().map(|(_, option)| quoted(option)).collect::<Vec<_>>().join(SEPARATOR)
    }
}

const SEPARATOR: &str = ";";

fn quoted(option: &str) -> String {
    option.replace(SEPARATOR, ";;")
}

impl FromIterator<(ChoiceId, String)> for Assignment {
    fn from_iter<I: IntoIterator<Item = (ChoiceId, String)>>(options: I) -> Self {
        Self(options.into_iter().collect())
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = self.iter().map(|(choice, option)| format!("{choice}={}", quoted(option)));
        f.write_str(&options.collect::<Vec<_>>().join(SEPARATOR))
    }
}

impl FromStr for Assignment {
    type Err = NotAnAssignment;

    fn from_str(text: &str) -> Result<Self, NotAnAssignment> {
        let mut pairs: Vec<String> = Vec::new();
        let mut pair = String::new();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter == ';' && letters.next_if_eq(&';').is_none() {
                pairs.push(std::mem::take(&mut pair));
            } else {
                pair.push(letter);
            }
        }
        if !text.is_empty() {
            pairs.push(pair);
        }
        let options = pairs.into_iter().map(|pair| match pair.split_once('=') {
            Some((choice, option)) if !choice.is_empty() => Ok((choice.into(), option.to_owned())),
            _ => Err(NotAnAssignment(pair)),
        });
        options.collect()
    }
}

/// Files are in the order of texts.
impl Ord for Assignment {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other { Ordering::Equal } else { self.to_string().cmp(&other.to_string()) }
    }
}

impl PartialOrd for Assignment {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn options_that_look_like_several_stay_one() {
        let one = Assignment::of(&"separator".into(), "a;b=c");
        assert_eq!(one.to_string(), "separator=a;;b=c");
        assert_eq!("separator=a;;b=c".parse(), Ok(one));
        let crossed: Assignment = "x=;;;y=1".parse().unwrap();
        assert_eq!(crossed.iter().collect::<Vec<_>>(), [(&"x".into(), ";"), (&"y".into(), "1")]);
        assert_eq!((&*crossed.choices(), &*crossed.options()), ("x;y", ";;;1"));
        assert_eq!("".parse(), Ok(Assignment::default()));
    }

    #[test]
    fn what_names_no_choice_is_refused() {
        for text in ["b", "x=a;b", "=a", ";", "x=a;"] {
            let refused = text.parse::<Assignment>().unwrap_err().to_string();
            assert!(refused.starts_with("expected `choice=option`"), "{text}: {refused}");
        }
    }

    proptest! {
        #[test]
        fn an_assignment_comes_back_from_its_text(options in vec(("[a-z-]{1,3}", "[a;=-]{0,4}"), 0..4)) {
            let options = options.into_iter().map(|(choice, option)| (choice.into(), option));
            let assignment: Assignment = options.collect();
            prop_assert_eq!(assignment.to_string().parse(), Ok(assignment));
        }
    }
}
