//! Which of an experiment's trials are wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::record::Trial;
use base::digest::Digest;
use contract::words;
use contract::words::Worded;
use document::suggestion;

words! {
    /// What trials are told apart by.
    #[derive(PartialOrd, Ord)]
    enum Property {
        Choice = "choice", "the options that are not the chosen ones";
        Dataset = "dataset", "the id of the dataset";
        Fold = "fold", "the fold, from 0";
        Method = "method", "the id of the method";
        Part = "part", "the id of the part";
        Repeat = "repeat", "the repeat, from 0";
    }
}

impl Property {
    fn of(self, trial: &Trial) -> String {
        match self {
            Self::Choice => trial.choice.to_string(),
            Self::Dataset => trial.dataset.to_string(),
            Self::Fold => trial.fold.to_string(),
            Self::Method => trial.method.to_string(),
            Self::Part => trial.part.to_string(),
            Self::Repeat => trial.repeat.to_string(),
        }
    }
}

/// Which trials to run: for each named property, the values that are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Only(BTreeMap<Property, Vec<String>>);

/// A value of `--only` that fits no trial.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("--only {property}={value}: no trial has this {property}")]
pub struct NoTrial {
    property: &'static str,
    value: String,
    #[help]
    help: Option<String>,
}

/// What is no argument of `--only`.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum NotOnly {
    /// It names nothing.
    #[error("expected KEY=VALUE, such as dataset=nltcs, not {0:?}")]
    Form(String),
    /// It names what trials have not.
    #[error("unknown key {0:?}: one of {words}", words = Property::WORDS.iter().map(|(word, _)| word).collect::<Vec<_>>().join(", "))]
    Key(String),
}

impl fmt::Display for Only {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.0.iter().flat_map(|(property, values)| {
            values.iter().map(|value| format!("{}={value}", property.word()))
        });
        f.write_str(&pairs.collect::<Vec<_>>().join(","))
    }
}

impl Only {
    /// The datasets, methods and parts of these trials, with the chosen options; none of no trials.
    pub fn around<'t>(trials: impl IntoIterator<Item = &'t Trial>) -> Option<Self> {
        let mut wanted: BTreeMap<Property, Vec<String>> = BTreeMap::new();
        for trial in trials {
            for property in [Property::Dataset, Property::Method, Property::Part] {
                let value = property.of(trial);
                let values = wanted.entry(property).or_default();
                if !value.is_empty() && !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        wanted.retain(|_, values| !values.is_empty());
        (!wanted.is_empty()).then_some(Self(wanted))
    }

    /// The keys of the trials that are wanted. A trial that coincides with a wanted one has the
    /// same key, and is wanted too.
    ///
    /// # Errors
    /// If a value fits no trial at all.
    pub fn keys<'t>(
        &self,
        trials: impl Iterator<Item = &'t Trial> + Clone,
    ) -> Result<BTreeSet<Digest>, NoTrial> {
        for (property, wanted) in &self.0 {
            let known: BTreeSet<String> = trials.clone().map(|trial| property.of(trial)).collect();
            if let Some(value) = wanted.iter().find(|value| !known.contains(*value)) {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let help = suggestion(value, &known);
                return Err(NoTrial { property: property.word(), value: value.clone(), help });
            }
        }
        let has = |trial: &&Trial| {
            self.0.iter().all(|(property, wanted)| wanted.contains(&property.of(trial)))
        };
        Ok(trials.filter(has).map(|trial| trial.key).collect())
    }
}

impl std::str::FromStr for Only {
    type Err = NotOnly;

    fn from_str(text: &str) -> Result<Self, NotOnly> {
        let mut wanted: BTreeMap<Property, Vec<String>> = BTreeMap::new();
        for pair in text.split(',') {
            let (property, value) =
                pair.split_once('=').ok_or_else(|| NotOnly::Form(pair.to_owned()))?;
            let known = Property::WORDS.value(property);
            let known = known.ok_or_else(|| NotOnly::Key(property.to_owned()))?;
            wanted.entry(known).or_default().push(value.to_owned());
        }
        Ok(Self(wanted))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::record::{Configuration, Setup};

    #[test]
    fn values_of_trials_stand_once_and_where_they_have_any() {
        let trial = |method: &str| {
            let (dataset, method) = ("nltcs".into(), method.into());
            let configuration = Configuration { dataset, method, ..Configuration::default() };
            let setup = Arc::new(Setup { configuration, ..Setup::default() });
            let (key, seed) = Default::default();
            Trial { key, seed, repeat: 0, fold: 0, setup }
        };
        let only = |methods: &[&str]| {
            let trials: Vec<Trial> = methods.iter().map(|method| trial(method)).collect();
            Only::around(&trials).map(|only| only.to_string())
        };
        assert_eq!(only(&["CL", "NB"]).unwrap(), "dataset=nltcs,method=CL,method=NB");
        assert_eq!(only(&[]), None);
    }

    #[test]
    fn values_of_one_key_add_up() {
        let only: Only = "dataset=nltcs,dataset=kdd,method=CL".parse().unwrap();
        assert_eq!(only.0[&Property::Dataset], ["nltcs", "kdd"]);
        assert_eq!(only.to_string().parse(), Ok(only));
        let refused = |text: &str| text.parse::<Only>().unwrap_err().to_string();
        assert!(refused("nltcs").contains("expected KEY=VALUE"));
        assert!(refused("data=nltcs").contains("one of choice, dataset"));
    }
}
