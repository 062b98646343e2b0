//! The `--only` filter.

use std::collections::BTreeMap;

use crate::run::Trial;

/// Which trials to run: for each named property, the values that are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Only(BTreeMap<String, Vec<String>>);

const PROPERTIES: [&str; 6] = ["dataset", "method", "part", "repeat", "fold", "choice"];

impl Only {
    /// Whether a trial is wanted.
    pub fn has(&self, trial: &Trial) -> bool {
        self.0.iter().all(|(property, wanted)| {
            let value = match property.as_str() {
                "dataset" => trial.dataset.clone(),
                "method" => trial.method.clone(),
                "part" => trial.part.clone(),
                "repeat" => trial.repeat.to_string(),
                "fold" => trial.fold.to_string(),
                _ => trial.choice.clone(),
            };
            wanted.contains(&value)
        })
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
        assert!("nltcs".parse::<Only>().unwrap_err().contains("expected KEY=VALUE"));
        assert!("data=nltcs".parse::<Only>().unwrap_err().contains("one of dataset, method"));
    }
}
