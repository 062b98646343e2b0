//! What rows are known by beside their attributes: whose they are, and when they were made. No method sees it.

use base::digest::FieldHasher;
use serde::{Deserialize, Serialize};

/// The groups and the times of rows, where their dataset names the columns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// The group of each row, numbered by first occurrence.
    pub groups: Option<Vec<u32>>,
    /// The rank of each row in time, from 0; rows of one moment share it.
    pub times: Option<Vec<u32>>,
}

impl Marks {
    /// Those of some rows. Groups keep their numbers.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let of = |marks: &Option<Vec<u32>>| {
            marks.as_ref().map(|marks| rows.iter().map(|&row| marks[row]).collect())
        };
        Self { groups: of(&self.groups), times: of(&self.times) }
    }

    /// Adds them to the digest of what they belong to, if there are any.
    pub fn hashed(&self, mut hasher: FieldHasher) -> FieldHasher {
        for (name, marks) in [("groups", &self.groups), ("times", &self.times)] {
            if let Some(marks) = marks {
                let bytes: Vec<u8> = marks.iter().flat_map(|mark| mark.to_le_bytes()).collect();
                hasher = hasher.field(name).field(bytes);
            }
        }
        hasher
    }
}

/// The number of each group, by first occurrence.
pub(super) fn numbered<T: Ord>(groups: &[T]) -> Vec<u32> {
    let mut known = std::collections::BTreeMap::new();
    let number = |group| {
        let next = known.len() as u32;
        *known.entry(group).or_insert(next)
    };
    groups.iter().map(number).collect()
}

/// A moment, as a number or as a date.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
pub(super) enum Moment {
    /// Any number: a year, seconds.
    Number(f64),
    /// `2026-11-23`, perhaps with `T10:51`, `T10:51:48` or fractions of seconds: as texts they are in order.
    Date(String),
}

impl Moment {
    /// The moment that a text names.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) {
            return Some(Self::Number(number));
        }
        let text = text.strip_suffix('Z').unwrap_or(text).replace(' ', "T");
        let shape = text.replace(|c: char| c.is_ascii_digit(), "0");
        let (whole, fraction) = shape.split_once('.').unwrap_or((&shape, "0"));
        let clocked = ["0000-00-00T00:00", "0000-00-00T00:00:00"].contains(&whole);
        let sound = shape == "0000-00-00"
            || clocked && !fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0');
        sound.then_some(Self::Date(text))
    }

    /// Whether both are numbers, or both dates: only then one comes first.
    pub fn comparable(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The rank of each moment; equal ones share it. All must be comparable.
pub(super) fn ranked(moments: &[Moment]) -> Vec<u32> {
    let order = |&one: &usize, &other: &usize| {
        let compared = moments[one].partial_cmp(&moments[other]);
        compared.unwrap_or(std::cmp::Ordering::Equal)
    };
    let mut places: Vec<usize> = (0..moments.len()).collect();
    places.sort_by(order);
    let mut ranks = vec![0; moments.len()];
    for pair in places.windows(2) {
        let later = moments[pair[1]] != moments[pair[0]];
        ranks[pair[1]] = ranks[pair[0]] + u32::from(later);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_numbered_by_first_occurrence() {
        let groups = ["b", "a", "b", "c"].map(str::to_owned);
        assert_eq!(numbered(&groups), [0, 1, 0, 2]);
    }

    #[test]
    fn moments_are_numbers_or_dates() {
        for text in ["2026", "-1.5", "2026-11-23", "2026-11-23 10:51", "2026-11-23T10:51:48.25Z"] {
            assert!(Moment::parse(text).is_some(), "{text}");
        }
        for text in ["", "nan", "23.11.2026", "2026-11", "2026-1-2", "2026-11-23T10", "2026-11-23T"]
        {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    #[test]
    fn equal_moments_share_a_rank() {
        let ranks = |texts: &[&str]| {
            let moments: Vec<Moment> =
                texts.iter().map(|text| Moment::parse(text).unwrap()).collect();
            ranked(&moments)
        };
        assert_eq!(ranks(&["10", "9", "10.0", "-3"]), [2, 1, 2, 0]);
        let dates = ["2026-11-23", "2026-11-23 00:30", "2025-12-31", "2026-11-23T00:30"];
        assert_eq!(ranks(&dates), [1, 2, 0, 2]);
        assert_eq!(ranks(&[]), [0; 0]);
    }

    #[test]
    fn marks_of_rows_follow_them() {
        let marks = Marks { groups: Some(vec![0, 1, 0]), times: None };
        assert_eq!(marks.select(&[2, 1]), Marks { groups: Some(vec![0, 1]), times: None });
    }
}
