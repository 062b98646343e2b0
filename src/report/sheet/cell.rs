//! A cell of a sheet.

use base::text::real;
use derive_more::From;
use math::decimal::significant;
use serde_json::{Value, json};
use spec::number::fixed;
use spec::{Finding, Verdict};

/// What stands in a cell.
#[derive(Debug, Clone, Default, PartialEq, From)]
pub enum Cell {
    /// Nothing.
    #[default]
    Empty,
    /// An id, a word, or what a program of ours wrote.
    #[from(&str, String)]
    Text(String),
    /// Free text of others.
    Prose(String),
    /// What is set in one width: a key, a path, a command.
    Code(String),
    /// A number.
    Number(Number),
    /// How many.
    #[from(u32, u64)]
    Count(u64),
    /// Yes or no.
    #[from]
    Flag(bool),
    /// Why there is no number.
    Absent(&'static str),
    /// A verdict, by word and by shape.
    Mark(Tone, String),
    /// What the numbers say of a claim.
    Finding(Finding),
    /// How many of all are what: the class of its colour, how many, in a word.
    Shares(Vec<(&'static str, usize, &'static str)>),
    /// A text that leads to a file, and a text under it.
    Link {
        /// The path of the file.
        to: String,
        /// What is read.
        text: String,
        /// What stands under it.
        note: String,
    },
    /// A structure that only programs read.
    #[from]
    Json(Value),
}

/// A number, with what stands around it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Number {
    /// For programs.
    pub value: f64,
    /// For people.
    pub text: String,
    /// Its standard deviation.
    pub sd: Option<String>,
    /// Whether it is marked.
    pub bold: bool,
    /// How many trials it is of, where others do not report the metric.
    pub of: Option<usize>,
    /// Whether it is worse than that of the method that marks what is.
    pub worse: bool,
    /// Whether a note says what is wrong with its fits.
    pub flawed: bool,
    /// The letters of the note that says why it differs from the paper's.
    pub cause: Option<String>,
}

impl Number {
    /// What stands behind it: of these signs the first where it is worse, the second where its fits are flawed.
    pub fn signs(&self, signs: [&str; 2]) -> String {
        let stands = [self.worse, self.flawed].into_iter().zip(signs);
        stands.filter(|(stands, _)| *stands).map(|(_, sign)| sign).collect()
    }
}

/// The signs of what is worse and of what is flawed, where text is plain.
pub const SIGNS: [&str; 2] = ["†", "§"];

/// How a mark looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Not known.
    Open,
}

impl From<Verdict> for Tone {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Holds => Self::Good,
            Verdict::Fails => Self::Bad,
            Verdict::NotShown | Verdict::NoEvidence => Self::Open,
        }
    }
}

impl Cell {
    /// Free text of others.
    pub fn prose(text: impl Into<String>) -> Self {
        Self::Prose(text.into())
    }

    /// What is set in one width.
    pub fn code(text: impl Into<String>) -> Self {
        Self::Code(text.into())
    }

    /// A number with so many digits after the point.
    pub fn fixed(value: impl Into<Option<f64>>, digits: usize) -> Self {
        let number = |value| Number { value, text: fixed(value, digits), ..Number::default() };
        value.into().map_or(Self::Empty, |value| Self::Number(number(value)))
    }

    /// A number to so many digits.
    pub fn significant(value: impl Into<Option<f64>>, digits: usize) -> Self {
        let text = |value| real(significant(value, digits) + 0.0);
        let number = |value| Number { value, text: text(value), ..Number::default() };
        value.into().map_or(Self::Empty, |value| Self::Number(number(value)))
    }

    /// What people read who see no shapes.
    pub fn plain(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Prose(text) | Self::Code(text) | Self::Mark(_, text) => {
                text.clone()
            }
            Self::Number(number) => number.plain(),
            Self::Count(count) => count.to_string(),
            Self::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
            Self::Absent(word) => (*word).to_owned(),
            Self::Finding(finding) => format!("{}: {}", finding.verdict.text(), finding.sentence),
            Self::Shares(shares) => {
                let each = shares.iter().map(|(_, n, word)| format!("{n} {word}"));
                each.collect::<Vec<_>>().join(", ")
            }
            Self::Link { text, .. } => text.clone(),
            Self::Json(value) => value.to_string(),
        }
    }

    /// What programs read.
    pub fn json(&self) -> Value {
        match self {
            Self::Empty => Value::Null,
            Self::Number(number) => json!(number.value),
            Self::Count(count) => json!(count),
            Self::Flag(flag) => json!(flag),
            Self::Json(value) => value.clone(),
            other => Value::String(other.plain()),
        }
    }
}

impl Number {
    /// With its standard deviation and how many trials it is of, without marks.
    pub fn plain(&self) -> String {
        let sd = self.sd.as_ref().map(|sd| format!(" ± {sd}")).unwrap_or_default();
        let of = self.of.map(|of| format!(" ({of})")).unwrap_or_default();
        format!("{}{sd}{of}", self.text)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(Number { value, text: real(value + 0.0), ..Number::default() })
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<&Finding> for Cell {
    fn from(finding: &Finding) -> Self {
        Self::Finding(finding.clone())
    }
}

impl<C: Into<Self>> From<Option<C>> for Cell {
    fn from(cell: Option<C>) -> Self {
        cell.map_or(Self::Empty, Into::into)
    }
}
