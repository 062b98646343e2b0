//! `predictions/`: what models answer to each test example, as arrays of NumPy. `trials.csv` there says which trial has
//! which number, and what its classes are; `DATASET.npy` has one record a trial and test example.

use std::collections::{BTreeMap, BTreeSet};

use base::digest::Digest;
use base::layout::{PREDICTED, PREDICTIONS};
use task::predictions::{Predictions, record_bytes};

use crate::csv::{file, prose};
use crate::record::Record;

/// The files of what these records keep, by path; none if none of them keeps anything.
pub(super) fn write(rows: &[&Record]) -> BTreeMap<String, Vec<u8>> {
    let mut keys = BTreeSet::new();
    let mut datasets: BTreeMap<&str, Vec<(u32, &Predictions)>> = BTreeMap::new();
    let mut lines = Vec::new();
    for record in rows {
        let Some(kept) = record.outcome.as_ref().and_then(|one| one.predictions.as_deref()) else {
            continue;
        };
        // Configurations that coincide say the same.
        let trial = keys.len() as u32;
        if !keys.insert(record.trial.key) {
            continue;
        }
        let dataset: &str = &record.trial.dataset;
        let line = |class: &str| {
            vec![
                trial.to_string(),
                record.trial.key.to_string(),
                dataset.into(),
                prose(class).into(),
            ]
        };
        match &kept.classes[..] {
            [] => lines.push(line("")),
            classes => lines.extend(classes.iter().map(|class| line(class))),
        }
        datasets.entry(dataset).or_default().push((trial, kept));
    }
    if lines.is_empty() {
        return BTreeMap::new();
    }
    let array = |(dataset, trials): (&str, Vec<(u32, &Predictions)>)| {
        (format!("{PREDICTIONS}/{dataset}.npy"), array(&trials))
    };
    let mut files: BTreeMap<String, Vec<u8>> = datasets.into_iter().map(array).collect();
    files.insert(PREDICTED.to_owned(), file(&["trial", "key", "dataset", "class"], lines));
    files
}

/// What the records of an array hold: whether targets are classes, and how many scores.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fields {
    classes: bool,
    scores: usize,
}

impl Fields {
    /// The header of an array of so many records: version 1 of the format, padded as NumPy does.
    fn header(self, records: usize) -> Vec<u8> {
        let target = if self.classes { "<i4" } else { "<f8" };
        let scores = match self.scores {
            0 => String::new(),
            scores => format!(", ('scores', '<f8', ({scores},))"),
        };
        let mut text = format!(
            "{{'descr': [('trial', '<u4'), ('row', '<u4'), ('truth', '{target}'), ('predicted', '{target}'){scores}], \
             'fortran_order': False, 'shape': ({records},), }}"
        );
        let padding = 63 - (10 + text.len()) % 64;
        text += &" ".repeat(padding);
        text.push('\n');
        let length = (text.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes()].concat()
    }

    fn bytes(self) -> usize {
        record_bytes(self.classes, self.scores)
    }
}

/// What trials of one dataset keep. Where classes differ in number, as those of a pair and of all, what a trial has
/// no score for is NaN.
fn array(trials: &[(u32, &Predictions)]) -> Vec<u8> {
    let classes = trials.iter().any(|(_, kept)| !kept.classes.is_empty());
    let scored = trials.iter().filter(|(_, kept)| !kept.scores.is_empty());
    let scores = scored.map(|(_, kept)| kept.classes.len()).max().unwrap_or(0);
    let fields = Fields { classes, scores };
    let records: usize = trials.iter().map(|(_, kept)| kept.rows.len()).sum();
    let mut bytes = fields.header(records);
    bytes.reserve_exact(records * fields.bytes());
    for &(trial, kept) in trials {
        let own = kept.classes.len();
        for (place, row) in kept.rows.iter().enumerate() {
            bytes.extend(trial.to_le_bytes());
            bytes.extend(row.to_le_bytes());
            for value in [kept.truth[place], kept.predicted[place]] {
                match classes {
                    true => bytes.extend((value as i32).to_le_bytes()),
                    false => bytes.extend(value.to_le_bytes()),
                }
            }
            for class in 0..scores {
                let score = kept.scores.get(place * own + class).filter(|_| class < own);
                bytes.extend(score.copied().unwrap_or(f64::NAN).to_le_bytes());
            }
        }
    }
    bytes
}

/// The trials that an array should be of: key and classes by number.
pub(super) type Trials = BTreeMap<u32, (Digest, Vec<String>)>;

/// What the bytes of an array hold of these trials; none if they are not as [`array`] writes them.
pub(super) fn read(bytes: &[u8], trials: &Trials) -> Option<BTreeMap<Digest, Predictions>> {
    let most = trials.values().map(|(_, classes)| classes.len()).max()?;
    let classes = most > 0;
    let length = u16::from_le_bytes(bytes.get(8..10)?.try_into().ok()?);
    let (header, data) = bytes.split_at_checked(10 + usize::from(length))?;
    let of = |scores: usize| Fields { classes, scores };
    let fields = (0..=most).rev().map(of).find(|fields| {
        let records = data.len() / fields.bytes();
        data.len() == records * fields.bytes() && header == fields.header(records)
    })?;
    let mut kept: BTreeMap<Digest, Predictions> = BTreeMap::new();
    for record in data.chunks_exact(fields.bytes()) {
        let word = |at: usize| Some(u32::from_le_bytes(record.get(at..at + 4)?.try_into().ok()?));
        let real = |at: usize| Some(f64::from_le_bytes(record.get(at..at + 8)?.try_into().ok()?));
        let (key, names) = trials.get(&word(0)?)?;
        let size = if classes { 4 } else { 8 };
        let target = |at: usize| match classes {
            true => word(at).filter(|&class| (class as usize) < names.len()).map(f64::from),
            false => real(at),
        };
        let one = kept
            .entry(*key)
            .or_insert_with(|| Predictions { classes: names.clone(), ..Predictions::default() });
        one.rows.push(word(4)?);
        one.truth.push(target(8)?);
        one.predicted.push(target(8 + size)?);
        let scores =
            (0..fields.scores.min(names.len())).map(|class| real(8 + 2 * size + 8 * class));
        one.scores.extend(scores.collect::<Option<Vec<f64>>>()?);
    }
    for one in kept.values_mut() {
        if one.scores.iter().all(|score| score.is_nan())
            || one.scores.len() < one.rows.len() * one.classes.len()
        {
            one.scores.clear();
        }
    }
    kept.values().all(Predictions::are_sound).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(classes: &[&str], truth: &[f64], predicted: &[f64], scores: &[f64]) -> Predictions {
        Predictions {
            rows: (7..).take(truth.len()).collect(),
            classes: classes.iter().map(|&class| class.to_owned()).collect(),
            truth: truth.to_vec(),
            predicted: predicted.to_vec(),
            scores: scores.to_vec(),
        }
    }

    fn again(all: &[Predictions]) -> Option<Vec<Predictions>> {
        let numbered: Vec<(u32, &Predictions)> = (0..).zip(all).collect();
        let key = |number: u32| Digest::of(&number.to_le_bytes());
        let trial =
            |&(number, one): &(u32, &Predictions)| (number, (key(number), one.classes.clone()));
        let trials = numbered.iter().map(trial).collect();
        let mut read = read(&array(&numbered), &trials)?;
        numbered.iter().map(|(number, _)| read.remove(&key(*number))).collect()
    }

    #[test]
    fn arrays_come_back() {
        let scored =
            kept(&["a", "b"], &[0.0, 1.0], &[1.0, 1.0], &[0.25, 0.75, f64::INFINITY, -2.0]);
        let three = kept(&["a", "b", "c"], &[2.0], &[0.0], &[0.1, 0.2, 0.7]);
        let alone = kept(&["a", "b"], &[1.0], &[0.0], &[]);
        let numbers = kept(&[], &[1e300, -0.0], &[0.1, f64::NAN], &[]);
        let many = kept(&[], &vec![1.5; 12_345], &vec![2.5; 12_345], &[]);
        for all in [
            vec![scored.clone()],
            vec![alone.clone()],
            vec![scored, three, alone],
            vec![numbers, many],
        ] {
            assert_eq!(again(&all), Some(all));
        }
    }

    #[test]
    fn what_is_no_such_array_is_refused() {
        let one = kept(&["a", "b"], &[0.0, 1.0], &[1.0, 1.0], &[0.25, 0.75, 0.5, 0.5]);
        let trials: Trials = BTreeMap::from([(3, (Digest::default(), one.classes.clone()))]);
        let bytes = array(&[(3, &one)]);
        assert!(read(&bytes, &trials).is_some());
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length], &trials).is_none(), "{length}");
        }
        let first = bytes.len() - 2 * Fields { classes: true, scores: 2 }.bytes();
        for (at, what) in [(first, "no such trial"), (first + 8, "no such class"), (30, "header")] {
            let mut other = bytes.clone();
            other[at] = 9;
            assert!(read(&other, &trials).is_none(), "{what}");
        }
        assert!(read(&bytes, &BTreeMap::new()).is_none());
    }
}
