//! Which examples are near each other.

use base::digest::Digest;
use contract::categorical::CategoricalRows;
use contract::{BinaryRows, Examples};
use math::random::Random;

/// Of so many examples at most the neighbours are sought: all pairs are looked at.
const MOST: usize = 4000;

/// Examples that are near are nearer than one in so many is to its nearest other.
const ONE_IN: usize = 10;

/// The neighbours of training examples, and then of test examples.
pub(crate) struct Neighbours {
    /// How many of the examples train.
    pub train: usize,
    /// How many test.
    pub test: usize,
    /// The examples that each is near to and not equal to.
    pub of: Vec<Vec<usize>>,
}

/// Which of these examples, or of a random part of them, are near each other: the distance is Euclid's over columns in
/// units of their standard deviations, else the number of variables in which two examples differ. What is near follows
/// from all examples alike, so that it does not depend on who trains.
pub(crate) fn neighbours(train: &Examples, test: &Examples) -> Neighbours {
    let all = train.len() + test.len();
    let part = |examples: &Examples, name: &str| {
        let mut order = Random::new(Digest::of(name.as_bytes())).permutation(examples.len());
        order.truncate((examples.len() * MOST / all.max(MOST)).max(1));
        examples.select(&order)
    };
    let (train, test) = (part(train, "training examples"), part(test, "test examples"));
    let mut near = Neighbours { train: train.len(), test: test.len(), of: Vec::new() };
    let rows = near.train + near.test;
    near.of = vec![Vec::new(); rows];
    let Some(space) = Space::of(&train, &test) else { return near };
    let mut nearest = vec![f64::INFINITY; rows];
    for one in 0..rows {
        for other in 0..one {
            let distance = space.distance(one, other);
            if distance > 0.0 {
                nearest[one] = nearest[one].min(distance);
                nearest[other] = nearest[other].min(distance);
            }
        }
    }
    nearest.sort_by(f64::total_cmp);
    let limit = nearest[(rows - 1) / ONE_IN];
    for one in 0..rows {
        for other in 0..one {
            let distance = space.distance(one, other);
            if distance > 0.0 && distance <= limit {
                near.of[one].push(other);
                near.of[other].push(one);
            }
        }
    }
    near
}

/// Rows with the distances between them.
enum Space {
    /// Columns in units of their standard deviations.
    Numbers(Vec<Vec<f64>>),
    /// Ones, ascending.
    Ones(BinaryRows),
    Codes(CategoricalRows),
}

impl Space {
    /// That of training and test examples.
    fn of(train: &Examples, test: &Examples) -> Option<Self> {
        Some(match (train, test) {
            (Examples::Numeric(train), Examples::Numeric(test)) => {
                let rows = train.iter().chain(test.iter()).map(<[f64]>::to_vec);
                Self::Numbers(scaled(rows.collect()))
            }
            (Examples::Categorical(train), Examples::Categorical(test)) => {
                let mut rows = CategoricalRows::new(train.attributes().clone());
                train.iter().chain(test.iter()).for_each(|row| rows.push(row));
                Self::Codes(rows)
            }
            (train, test) => {
                let (train, test) = (train.binary().ok()?.sparse(), test.binary().ok()?.sparse());
                let mut rows = BinaryRows::new(train.variables());
                train.iter().chain(test.iter()).for_each(|row| rows.push(row));
                Self::Ones(rows)
            }
        })
    }

    fn distance(&self, one: usize, other: usize) -> f64 {
        match self {
            Self::Numbers(rows) => {
                let apart = rows[one].iter().zip(&rows[other]).map(|(a, b)| (a - b) * (a - b));
                apart.sum()
            }
            Self::Codes(rows) => {
                rows.row(one).iter().zip(rows.row(other)).filter(|(a, b)| a != b).count() as f64
            }
            Self::Ones(rows) => {
                let (one, other) = (rows.row(one), rows.row(other));
                let (mut at, mut common) = (0, 0);
                for value in one {
                    at += other[at..].partition_point(|known| known < value);
                    common += usize::from(other.get(at) == Some(value));
                }
                (one.len() + other.len() - 2 * common) as f64
            }
        }
    }
}

/// The rows with each column in units of its standard deviation; without those that do not vary.
pub(crate) fn scaled(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = rows.len() as f64;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let mean = rows.iter().map(|row| row[column]).sum::<f64>() / n;
        let square = |row: &Vec<f64>| (row[column] - mean) * (row[column] - mean);
        let deviation = (rows.iter().map(square).sum::<f64>() / n).sqrt();
        let scale = if deviation > 0.0 && deviation.is_finite() { 1.0 / deviation } else { 0.0 };
        rows.iter_mut().for_each(|row| row[column] *= scale);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::numeric::NumericRows;
    use contract::packed::PackedRows;
    use testing::rows_of;

    #[test]
    fn distances_are_of_columns_in_their_own_units_or_of_variables_that_differ() {
        let numbers = |values: &[f64]| Examples::Numeric(NumericRows::new(2, values.to_vec()));
        // The second column has a unit of its own, and does not count more for it.
        let space = Space::of(&numbers(&[0.0, 0.0, 1.0, 1e6]), &numbers(&[2.0, 2e6])).unwrap();
        let unit = 2.0 * (1.0 / (2.0 / 3.0));
        assert!((space.distance(0, 1) - unit).abs() < 1e-12);
        assert!((space.distance(0, 2) - 4.0 * unit).abs() < 1e-12);
        let bits = |rows: &[&str]| Examples::Binary(rows_of(rows));
        let space = Space::of(&bits(&["11000", "01011"]), &bits(&["00000"])).unwrap();
        assert_eq!(
            [(0, 1), (0, 2), (1, 2), (1, 1)].map(|(a, b)| space.distance(a, b)),
            [3.0, 2.0, 3.0, 0.0]
        );
        let packed = |rows: &[&str]| Examples::Packed(PackedRows::from(&rows_of(rows)));
        let space = Space::of(&packed(&["11000", "01011"]), &packed(&["00000"])).unwrap();
        assert_eq!(space.distance(1, 0), 3.0);
    }

    #[test]
    fn who_is_near_does_not_depend_on_who_trains() {
        let values: Vec<f64> = (0..40).map(|row| f64::from(row * row * 7 % 101)).collect();
        let rows = |range: std::ops::Range<usize>| {
            Examples::Numeric(NumericRows::new(1, values[range].to_vec()))
        };
        let pairs = |near: &Neighbours| near.of.iter().map(Vec::len).sum::<usize>();
        let (one, other) =
            (neighbours(&rows(0..10), &rows(10..40)), neighbours(&rows(0..30), &rows(30..40)));
        assert_eq!((one.train, one.test, other.train), (10, 30, 30));
        assert!(pairs(&one) > 0);
        assert_eq!(pairs(&one), pairs(&other));
    }

    #[test]
    fn of_many_examples_a_part_is_looked_at() {
        let rows = |count: usize| Examples::Numeric(NumericRows::new(1, vec![1.0; count]));
        let near = neighbours(&rows(6000), &rows(2000));
        assert_eq!((near.train, near.test), (3000, 1000));
        // Equal ones are not near.
        assert!(near.of.iter().all(Vec::is_empty));
    }
}
