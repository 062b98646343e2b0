//! Why a trial has to run: nothing like it is stored, or which part of its key changed.

use std::collections::BTreeMap;

use method::command::COMMAND;

use super::cause::Status;
use super::record::{Configuration, Record, Trial};

/// The records of an earlier `trials.csv`, by the place of their trial in the experiment.
#[derive(Debug)]
pub struct Earlier<'a>(BTreeMap<(&'a Configuration, usize, usize), Vec<&'a Record>>);

impl<'a> Earlier<'a> {
    /// Over these records.
    pub fn new(records: &'a [Record]) -> Self {
        let mut places: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for record in records {
            places.entry(place(&record.trial)).or_default().push(record);
        }
        Self(places)
    }

    /// Why a stored result does not serve for a trial.
    pub fn why(&self, trial: &Trial) -> String {
        let alike = self.0.get(&place(trial)).map_or(&[][..], Vec::as_slice);
        if let Some(record) = alike.iter().find(|record| record.trial.key == trial.key) {
            let why = match &record.outcome {
                None => "it has not run",
                Some(outcome) if outcome.status() == Status::Timeout => "it ran out of time",
                Some(outcome) if outcome.status() == Status::OutOfMemory => "it ran out of memory",
                Some(_) => "what is stored is not sealed, or not enough for this experiment file",
            };
            return why.to_owned();
        }
        alike.iter().map(|record| changes(&record.trial, trial)).min_by_key(Vec::len).map_or_else(
            || "new".to_owned(),
            |changes| match changes.as_slice() {
                [] if trial.kind == COMMAND.kind => {
                    "the code, the command or the lock of its program changed".to_owned()
                }
                [] => "an earlier trial of its path changed".to_owned(),
                changes => changes.join("; "),
            },
        )
    }
}

fn place(trial: &Trial) -> (&Configuration, usize, usize) {
    (&trial.configuration, trial.repeat, trial.fold)
}

fn changes(stored: &Trial, trial: &Trial) -> Vec<String> {
    let mut changes = Vec::new();
    let mut compare = |what: &str, before: String, now: String| {
        if before.is_empty() && !now.is_empty() {
            changes.push(format!("{what} is {now}, and was not there before"));
        } else if before != now {
            changes.push(format!("{what} was {before}, is {now}"));
        }
    };
    compare("kind", stored.kind.to_string(), trial.kind.to_string());
    compare("revision", stored.revision.to_string(), trial.revision.to_string());
    compare("split", stored.split.clone(), trial.split.clone());
    compare("setting", stored.setting.clone(), trial.setting.clone());
    for (name, value) in trial.parameters.iter() {
        let before = stored.parameters.value(name).map(ToString::to_string);
        compare(name, before.unwrap_or_default(), value.to_string());
    }
    if stored.data != trial.data {
        changes.push("the dataset changed".to_owned());
    } else if stored.split == trial.split && stored.seed != trial.seed {
        changes.push("the experiment's seed changed".to_owned());
    }
    changes
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::for_tests::METRICS;
    use crate::record::Setup;
    use crate::trials_csv;
    use base::digest::Digest;
    use contract::parameter::{Parameters, Value};

    fn trial() -> Trial {
        let mut parameters = Parameters::defaults(&[]);
        parameters.set("smoothing", Value::Real(0.1));
        let (dataset, method) = ("nltcs".into(), "CL".into());
        let setup = Setup {
            configuration: Configuration { dataset, method, ..Configuration::default() },
            variant: "nltcs".to_owned(),
            split: "published".to_owned(),
            kind: "chow-liu".into(),
            revision: 1,
            data: Digest::of(b"data"),
            parameters,
            ..Setup::default()
        };
        let (key, seed) = (Digest::of(b"key"), Digest::of(b"seed"));
        Trial { key, seed, repeat: 0, fold: 0, setup: Arc::new(setup) }
    }

    /// Why the changed trial has to run after the unchanged one was stored.
    fn why(change: impl FnOnce(&mut Trial)) -> String {
        let folder = tempfile::tempdir().unwrap();
        let record = Record { trial: trial(), outcome: None, selected: true };
        for (path, bytes) in trials_csv::write(&[record], &[], &METRICS, &|_| false) {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let mut now = trial();
        now.key = Digest::of(b"another key");
        change(&mut now);
        Earlier::new(&trials_csv::read(folder.path(), &METRICS).unwrap()).why(&now)
    }

    #[test]
    fn each_part_of_the_key_is_named() {
        assert_eq!(why(|t| t.data = Digest::of(b"other")), "the dataset changed");
        assert_eq!(why(|t| t.seed = Digest::of(b"other")), "the experiment's seed changed");
        assert_eq!(why(|t| t.revision = 2), "revision was 1, is 2");
        assert_eq!(why(|t| t.kind = "mevm".into()), "kind was chow-liu, is mevm");
        assert_eq!(why(|t| t.split = "cv-10".to_owned()), "split was published, is cv-10");
        let smoothing = |t: &mut Trial| t.parameters.set("smoothing", Value::Real(0.5));
        assert_eq!(why(smoothing), "smoothing was 0.1, is 0.5");
        let added = |t: &mut Trial| t.parameters.set("alpha", Value::Real(0.5));
        assert_eq!(why(added), "alpha is 0.5, and was not there before");
        assert_eq!(why(|_| ()), "an earlier trial of its path changed");
    }

    #[test]
    fn several_changes_are_all_named() {
        let both = |t: &mut Trial| {
            t.revision = 2;
            t.data = Digest::of(b"other");
        };
        assert_eq!(why(both), "revision was 1, is 2; the dataset changed");
    }

    #[test]
    fn a_trial_at_another_place_is_new() {
        for change in [
            |t: &mut Trial| t.dataset = "kdd".into(),
            |t: &mut Trial| t.method = "other".into(),
            |t: &mut Trial| t.repeat = 1,
            |t: &mut Trial| t.fold = 1,
            |t: &mut Trial| t.part = "p".into(),
            |t: &mut Trial| t.choice = "c=1".parse().unwrap(),
        ] {
            assert_eq!(why(change), "new");
        }
        assert_eq!(why(|t| t.key = Digest::of(b"key")), "it has not run");
    }
}
