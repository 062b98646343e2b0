//! Which of an experiment's trials are wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::record::Trial;
use base::digest::Digest;
use document::suggestion;

/// Which trials to run: for each named property, the values that are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Only(BTreeMap<String, Vec<String>>);

const PROPERTIES: [&str; 6] = ["dataset", "method", "part", "repeat", "fold", "choice"];

/// A value of `--only` that fits no trial.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("--only {property}={value}: no trial has this {property}")]
pub struct NoTrial {
    property: String,
    value: String,
    #[help]
    help: Option<String>,
}

impl fmt::Display for Only {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.0.iter().flat_map(|(property, values)| {
            values.iter().map(move |value| format!("{property}={value}"))
        });
        f.write_str(&pairs.collect::<Vec<_>>().join(","))
    }
}

impl Only {
    /// The datasets, methods and parts of these trials, with the chosen options; none of no trials.
    pub fn around<'t>(trials: impl IntoIterator<Item = &'t Trial>) -> Option<Self> {
        let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for trial in trials {
            for property in ["dataset", "method", "part"] {
                let value = value_of(trial, property);
                let values = wanted.entry(property.to_owned()).or_default();
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
    pub fn keys(&self, trials: &[Trial]) -> Result<BTreeSet<Digest>, NoTrial> {
        for (property, wanted) in &self.0 {
            let known: BTreeSet<String> =
                trials.iter().map(|trial| value_of(trial, property)).collect();
            if let Some(value) = wanted.iter().find(|value| !known.contains(*value)) {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let help = suggestion(value, &known);
                return Err(NoTrial { property: property.clone(), value: value.clone(), help });
            }
        }
        let has = |trial: &&Trial| {
            self.0.iter().all(|(property, wanted)| wanted.contains(&value_of(trial, property)))
        };
        Ok(trials.iter().filter(has).map(|trial| trial.key).collect())
    }
}

fn value_of(trial: &Trial, property: &str) -> String {
    match property {
        "dataset" => trial.dataset.clone(),
        "method" => trial.method.clone(),
        "part" => trial.part.clone(),
        "repeat" => trial.repeat.to_string(),
        "fold" => trial.fold.to_string(),
        _ => trial.choice.clone(),
    }
}

impl std::str::FromStr for Only {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for pair in text.split(',') {
            let (property, value) = pair.split_once('=').ok_or_else(|| {
                format!("expected KEY=VALUE, such as dataset=nltcs, not {pair:?}")
            })?;
            if !PROPERTIES.contains(&property) {
                return Err(format!("unknown key {property:?}: one of {}", PROPERTIES.join(", ")));
            }
            wanted.entry(property.to_owned()).or_default().push(value.to_owned());
        }
        Ok(Self(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_key_add_up() {
        let only: Only = "dataset=nltcs,dataset=kdd,method=CL".parse().unwrap();
        assert_eq!(only.0["dataset"], ["nltcs", "kdd"]);
        assert_eq!(only.to_string().parse(), Ok(only));
        assert!("nltcs".parse::<Only>().unwrap_err().contains("expected KEY=VALUE"));
        assert!("data=nltcs".parse::<Only>().unwrap_err().contains("one of dataset, method"));
    }
}
