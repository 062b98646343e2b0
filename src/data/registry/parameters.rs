//! Keys of an entry that experiment files may vary: the parameters of datasets.

use super::{Entry, Format, Kind, Origin};
use crate::Vocabulary;
use crate::binning::Binning;
use crate::preprocessing::Missing;
use base::words::Worded as _;
use contract::Variables;
use contract::parameter::{Choice, Count, Flag, Parameter, Value, settings};

settings! {
    pub(super) VOCABULARY vocabulary: Choice<Vocabulary>::new(&Vocabulary::OF_TEXT, "training"), "which tokens are variables";
    pub(super) THRESHOLD threshold: Count::within(0..=255, 0), "a pixel is one if its value, 0 to 255, is greater";
    pub(super) BINNING binning: Choice<Option<Binning>>::new(&Binning::ALL, "none"),
        "how numbers become categories, learned in each trial";
    pub(super) STANDARDISED standardised: Flag::flag(false),
        "numbers are moved and scaled to mean 0 and standard deviation 1 over the training values of their column, learned in \
         each trial; binned ones are the same with or without";
    pub(super) MISSING missing: Choice<Missing>::new(&Missing::WORDS, "error"),
        "what is done about missing values; what that takes is learned in each trial";
}

impl Entry {
    /// Its parameters with their present values.
    pub fn parameters(&self) -> Vec<(&'static Parameter, Value)> {
        let word = |word: &str| Value::Text(word.to_owned());
        match (&self.kind, &self.origin) {
            (_, Origin::Generated(generator)) => generator.parameters(),
            (Kind::Binary, _) => Vec::new(),
            (Kind::Text { vocabulary, .. }, _) => {
                vec![(&VOCABULARY.parameter, word(vocabulary.word()))]
            }
            (Kind::Image { threshold }, _) => {
                vec![(&THRESHOLD.parameter, Value::Integer((*threshold).into()))]
            }
            (Kind::Categorical { missing }, _) => vec![(&MISSING.parameter, word(missing.word()))],
            (Kind::Numeric { binning, standardised, missing }, _) => vec![
                (&BINNING.parameter, word(Binning::ALL.word(*binning))),
                (&STANDARDISED.parameter, Value::Bool(*standardised)),
                (&MISSING.parameter, word(missing.word())),
            ],
        }
    }

    /// The entry with another value of a parameter; none if it has no such parameter, or the value is
    /// outside of its domain.
    #[must_use]
    pub fn with(&self, name: &str, value: &Value) -> Option<Self> {
        let (parameter, _) = self.parameters().into_iter().find(|(known, _)| known.name == name)?;
        let value = parameter.check(value.clone()).ok()?;
        let mut entry = self.clone();
        match &mut entry.origin {
            Origin::Generated(generator) => *generator = generator.with(name, &value)?,
            Origin::Files(_) | Origin::Derived(_) => entry.kind.set(name, &value)?,
        }
        Some(entry)
    }

    /// What its variables are in a trial.
    pub fn variables(&self) -> Variables {
        match &self.kind {
            Kind::Binary | Kind::Text { .. } | Kind::Image { .. } => Variables::Binary,
            Kind::Categorical { .. } | Kind::Numeric { binning: Some(_), .. } => {
                Variables::Categorical
            }
            Kind::Numeric { binning: None, .. } if self.has_names_alone() => Variables::Categorical,
            Kind::Numeric { binning: None, .. } => Variables::Numeric,
        }
    }

    /// Whether all its columns have names for values, although it may have numbers.
    fn has_names_alone(&self) -> bool {
        let names = |format: &Format| matches!(format, Format::Csv(layout) if layout.categories.len() == self.shape.variables);
        !self.files().is_empty() && self.files().iter().all(|file| names(&file.format))
    }
}

impl Kind {
    /// Sets one of the parameters of its entry; none if it has no such parameter.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Option<()> {
        match self {
            Self::Text { vocabulary, .. } => *vocabulary = VOCABULARY.read(value)?,
            Self::Image { threshold } => *threshold = THRESHOLD.read(value)?.try_into().ok()?,
            Self::Categorical { missing } | Self::Numeric { missing, .. }
                if name == MISSING.parameter.name =>
            {
                *missing = MISSING.read(value)?;
            }
            Self::Numeric { binning, .. } if name == BINNING.parameter.name => {
                *binning = BINNING.read(value)?;
            }
            Self::Numeric { standardised, .. } => *standardised = STANDARDISED.read(value)?,
            Self::Binary | Self::Categorical { .. } => return None,
        }
        Some(())
    }
}
