//! Keys of an entry that experiment files may vary: the parameters of datasets.

use super::{Entry, Format, Kind, Origin};
use crate::binning::Binning;
use crate::preprocessing::{Missing, Vocabulary};
use base::words::Worded as _;
use contract::Variables;
use contract::parameter::{Choice, Count, Flag, Parameter, Value, settings};

settings! {
    pub(super) VOCABULARY vocabulary: Choice<Vocabulary>::worded("training"), "which tokens are variables";
    pub(super) THRESHOLD threshold: Count::within(0..=255, 0), "a pixel is one if its value, 0 to 255, is greater";
    pub(super) BINNING binning: Choice<Option<Binning>>::new(&Binning::ALL, "none"),
        "how numbers become categories, learned in each trial";
    pub(super) STANDARDISED standardised: Flag::flag(false),
        "numbers are moved and scaled to mean 0 and standard deviation 1 over the training values of their column, learned in \
         each trial; binned ones are the same with or without";
    pub(super) MISSING missing: Choice<Missing>::new(&Missing::WORDS, "error"),
        "what is done about missing values; what that takes is learned in each trial";
}

/// A key of an entry that experiments may vary.
#[derive(Debug)]
pub(super) struct Varying {
    pub parameter: &'static Parameter,
    /// The kinds of datasets that have it.
    pub kinds: &'static [Kind],
    value: fn(&Entry) -> Value,
    /// Sets it; none if it can't be that.
    pub set: fn(&mut Entry, &Value) -> Option<()>,
}

/// All of them.
pub(super) static VARYING: [Varying; 5] = [
    Varying {
        parameter: &VOCABULARY.parameter,
        kinds: &[Kind::Text],
        value: |entry| {
            let word = entry.preprocessing.vocabulary.map_or("", Vocabulary::word);
            Value::Text(word.to_owned())
        },
        set: |entry, to| VOCABULARY.read(to).map(|it| entry.preprocessing.vocabulary = Some(it)),
    },
    Varying {
        parameter: &THRESHOLD.parameter,
        kinds: &[Kind::Image],
        value: |entry| Value::Integer(entry.threshold.into()),
        set: |entry, to| THRESHOLD.read(to)?.try_into().ok().map(|it| entry.threshold = it),
    },
    Varying {
        parameter: &BINNING.parameter,
        kinds: &[Kind::Numeric],
        value: |entry| Value::Text(Binning::ALL.word(entry.preprocessing.binning).to_owned()),
        set: |entry, to| BINNING.read(to).map(|it| entry.preprocessing.binning = it),
    },
    Varying {
        parameter: &STANDARDISED.parameter,
        kinds: &[Kind::Numeric],
        value: |entry| Value::Bool(entry.preprocessing.standardised),
        set: |entry, to| STANDARDISED.read(to).map(|it| entry.preprocessing.standardised = it),
    },
    Varying {
        parameter: &MISSING.parameter,
        kinds: &[Kind::Categorical, Kind::Numeric],
        value: |entry| Value::Text(entry.preprocessing.missing.word().to_owned()),
        set: |entry, to| MISSING.read(to).map(|it| entry.preprocessing.missing = it),
    },
];

impl Entry {
    /// Its parameters with their present values.
    pub fn parameters(&self) -> Vec<(&'static Parameter, Value)> {
        if let Origin::Generated(generator) = &self.origin {
            return generator.parameters();
        }
        let own = VARYING.iter().filter(|key| key.kinds.contains(&self.kind));
        own.map(|key| (key.parameter, (key.value)(self))).collect()
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
            Origin::Files(_) | Origin::Derived(_) => {
                let key = VARYING.iter().find(|key| key.parameter.name == name)?;
                (key.set)(&mut entry, &value)?;
            }
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
}
