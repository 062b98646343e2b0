//! Keys of an entry that experiment files may vary: the parameters of datasets.

use super::{Entry, Kind, Origin};
use crate::Vocabulary;
use crate::binning::Binning;
use contract::parameter::{Default, Domain, Parameter, Value};

/// Which tokens of a text dataset a trial sees.
pub(super) const VOCABULARY: Parameter = Parameter {
    name: "vocabulary",
    domain: Domain::Word(&[
        ("problem", "tokens of the training documents of the problem's classes"),
        ("training", "tokens of all training documents of the split"),
    ]),
    default: Default::Word("training"),
    meaning: "which tokens are variables",
};

/// Where the pixels of an image dataset become ones.
pub(super) const THRESHOLD: Parameter = Parameter {
    name: "threshold",
    domain: Domain::Integer { least: 0, most: 255 },
    default: Default::Integer(0),
    meaning: "a pixel is one if its value, 0 to 255, is greater",
};

/// How the columns of a numeric dataset become categorical attributes.
pub(super) const BINNING: Parameter = Parameter {
    name: "binning",
    domain: Domain::Word(&[
        ("none", "they stay numbers"),
        ("deciles", "ten intervals between the deciles of the training values"),
        (
            "average-rank",
            "tenths by the rank among the training values, half of the equal ones counted",
        ),
        ("equal-width", "ten intervals of one length over the range of the training values"),
        (
            "file-order",
            "tenths by the rank among all values, equal ones in the order of the file; tells the \
             class of test examples where the file is sorted by class",
        ),
    ]),
    default: Default::Word("none"),
    meaning: "how numbers become categories, learned in each trial",
};

/// Whether the columns of a numeric dataset are standardised.
pub(super) const STANDARDISED: Parameter = Parameter {
    name: "standardised",
    domain: Domain::Bool,
    default: Default::Bool(false),
    meaning: "numbers are moved and scaled to mean 0 and standard deviation 1 over the training values of \
              their column, learned in each trial; binned ones are the same with or without",
};

impl Entry {
    /// Its parameters with their present values.
    pub fn parameters(&self) -> Vec<(&'static Parameter, Value)> {
        match (&self.kind, &self.origin) {
            (_, Origin::Generated(generator)) => generator.parameters(),
            (Kind::Binary, _) => Vec::new(),
            (Kind::Text { vocabulary, .. }, _) => {
                vec![(&VOCABULARY, Value::Text(vocabulary.word().to_owned()))]
            }
            (Kind::Image { threshold }, _) => {
                vec![(&THRESHOLD, Value::Integer((*threshold).into()))]
            }
            (Kind::Categorical, _) => Vec::new(),
            (Kind::Numeric { binning, standardised }, _) => {
                let word = binning.map_or("none", Binning::word);
                vec![
                    (&BINNING, Value::Text(word.to_owned())),
                    (&STANDARDISED, Value::Bool(*standardised)),
                ]
            }
        }
    }

    /// The entry with another value of a parameter; none if it has no such parameter, or the value is
    /// outside of its domain.
    #[must_use]
    pub fn with(&self, name: &str, value: &Value) -> Option<Self> {
        let (parameter, _) = self.parameters().into_iter().find(|(known, _)| known.name == name)?;
        let value = parameter.check(value.clone()).ok()?;
        let mut entry = self.clone();
        match (&mut entry.kind, &mut entry.origin, &value) {
            (_, Origin::Generated(generator), value) => {
                *generator = generator.with(name, value)?;
            }
            (Kind::Text { vocabulary, .. }, _, Value::Text(word)) => {
                *vocabulary = Vocabulary::of_word(word)?;
            }
            (Kind::Image { threshold }, _, Value::Integer(level)) => {
                *threshold = u8::try_from(*level).ok()?;
            }
            (Kind::Numeric { binning, .. }, _, Value::Text(word)) => {
                *binning = Binning::of_word(word);
            }
            (Kind::Numeric { standardised, .. }, _, Value::Bool(value)) => *standardised = *value,
            _ => return None,
        }
        Some(entry)
    }
}
