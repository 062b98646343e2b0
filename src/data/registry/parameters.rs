//! Keys of an entry that experiment files may vary: the parameters of datasets.

use super::{Entry, Format, Kind, Origin};
use crate::binning::Binning;
use crate::preprocessing::{Missing, Preprocessing, Vocabulary};
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

/// The keys with the kinds of datasets that have them.
pub(super) const VARIED: [(&Parameter, &[Kind]); 5] = [
    (&VOCABULARY.parameter, &[Kind::Text]),
    (&THRESHOLD.parameter, &[Kind::Image]),
    (&BINNING.parameter, &[Kind::Numeric]),
    (&STANDARDISED.parameter, &[Kind::Numeric]),
    (&MISSING.parameter, &[Kind::Categorical, Kind::Numeric]),
];

impl Entry {
    /// Its parameters with their present values.
    pub fn parameters(&self) -> Vec<(&'static Parameter, Value)> {
        if let Origin::Generated(generator) = &self.origin {
            return generator.parameters();
        }
        let word = |word: &str| Value::Text(word.to_owned());
        let Preprocessing { vocabulary, missing, binning, standardised } = self.preprocessing;
        let values = [
            word(vocabulary.word()),
            Value::Integer(self.threshold.into()),
            word(Binning::ALL.word(binning)),
            Value::Bool(standardised),
            word(missing.word()),
        ];
        let all = VARIED.into_iter().zip(values);
        let own = all.filter(|((_, kinds), _)| kinds.contains(&self.kind));
        own.map(|((parameter, _), value)| (parameter, value)).collect()
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
            Origin::Files(_) | Origin::Derived(_) => entry.set(name, &value)?,
        }
        Some(entry)
    }

    /// What its variables are in a trial.
    pub fn variables(&self) -> Variables {
        match self.kind {
            Kind::Binary | Kind::Text | Kind::Image => Variables::Binary,
            Kind::Numeric if self.preprocessing.binning.is_none() && !self.has_names_alone() => {
                Variables::Numeric
            }
            Kind::Categorical | Kind::Numeric => Variables::Categorical,
        }
    }

    /// Whether all its columns have names for values, although it may have numbers.
    fn has_names_alone(&self) -> bool {
        let names = |format: &Format| matches!(format, Format::Csv(layout) if layout.categories.len() == self.shape.variables);
        !self.files().is_empty() && self.files().iter().all(|file| names(&file.format))
    }

    /// Sets one of its parameters; none if it can't be that.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Option<()> {
        let columns = &mut self.preprocessing;
        match name {
            "vocabulary" => columns.vocabulary = VOCABULARY.read(value)?,
            "threshold" => self.threshold = THRESHOLD.read(value)?.try_into().ok()?,
            "binning" => columns.binning = BINNING.read(value)?,
            "standardised" => columns.standardised = STANDARDISED.read(value)?,
            "missing" => columns.missing = MISSING.read(value)?,
            _ => return None,
        }
        Some(())
    }
}
