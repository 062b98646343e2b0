//! Information distances: d = -ln |correlation| of binary variables, which add up along the paths of a tree
//! (equation 9).

use base::parallel::Cores;
use contract::binary::DistinctRows;
use contract::{Context, FitError};
use math::special::ln;

use crate::baseline::chow_liu::{Cooccurrence, Information};

/// The distance of independent variables, and of constant ones: -ln 1e-10. No distance is larger.
pub const FAR: f64 = 23.025_850_929_940_457;

/// The distances of all pairs of nodes; it grows as hidden nodes are found.
#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    rows: Vec<Vec<f64>>,
    /// How many examples they are estimated from; infinite if they are exact.
    pub samples: f64,
}

impl Distances {
    /// Distances that are given, symmetric.
    pub fn new(rows: Vec<Vec<f64>>, samples: f64) -> Self {
        Self { rows, samples }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The distance of two nodes.
    pub fn of(&self, a: usize, b: usize) -> f64 {
        self.rows[a][b]
    }

    /// The distances of a node to those before it and behind it.
    pub fn row(&self, node: usize) -> &[f64] {
        &self.rows[node]
    }

    /// Adds a node with its distances to all nodes before it.
    pub fn push(&mut self, mut distances: Vec<f64>) {
        for (row, distance) in self.rows.iter_mut().zip(&distances) {
            row.push(*distance);
        }
        distances.push(0.0);
        self.rows.push(distances);
    }

    /// Those of some nodes to each other.
    pub fn among(&self, nodes: &[usize]) -> Self {
        let row = |&a: &usize| nodes.iter().map(|&b| self.rows[a][b]).collect();
        Self { rows: nodes.iter().map(row).collect(), samples: self.samples }
    }
}

/// What training examples say of pairs of variables.
#[derive(Debug)]
pub struct Pairs {
    examples: u32,
    counts: Cooccurrence,
    ones: Vec<u32>,
}

impl Pairs {
    /// Counts the pairs.
    ///
    /// # Errors
    /// If there are no examples, or more than can be counted.
    pub fn count(train: &DistinctRows, cores: &Cores) -> Result<Self, FitError> {
        let examples = u32::try_from(train.examples())
            .map_err(|_| FitError::TooManyExamples { most: u32::MAX })?;
        if examples == 0 {
            return Err(FitError::NoExamples);
        }
        let counts = Cooccurrence::count(train, cores);
        let ones = (0..train.variables()).map(|v| counts.get(v, v)).collect();
        Ok(Self { examples, counts, ones })
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.ones.len()
    }

    /// The correlation of two variables; zero if one is constant.
    pub fn correlation(&self, a: usize, b: usize) -> f64 {
        let n = i128::from(self.examples);
        let [ones_a, ones_b] = [a, b].map(|v| i128::from(self.ones[v]));
        let both = i128::from(self.counts.get(a, b));
        // N² times the covariance, exactly.
        let covariance = n * both - ones_a * ones_b;
        let variance = (ones_a * (n - ones_a)) as f64 * (ones_b * (n - ones_b)) as f64;
        if variance > 0.0 { covariance as f64 / variance.sqrt() } else { 0.0 }
    }

    /// N times the mutual information of every pair, as a function.
    pub fn information(&self) -> impl Fn(usize, usize) -> f64 {
        let information = Information::new(self.examples);
        move |a, b| information.of(self.ones[a], self.ones[b], self.counts.get(a, b))
    }

    /// The distances: 0 where two variables are always equal, or always different, [`FAR`] where they are
    /// uncorrelated. O(n²).
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn distances(&self, context: &Context) -> Result<Distances, FitError> {
        let n = self.variables();
        let rows = context.cores.map_chunks(
            n,
            16,
            || (),
            |(), range| {
                let of = |a, b| if a == b { 0.0 } else { distance(self.correlation(a, b)) };
                range.map(|a| (0..n).map(|b| of(a, b)).collect()).collect::<Vec<Vec<f64>>>()
            },
        );
        context.check()?;
        Ok(Distances { rows: rows.concat(), samples: f64::from(self.examples) })
    }
}

/// The distance of two variables of this correlation, from 0 to [`FAR`].
pub fn distance(correlation: f64) -> f64 {
    let size = correlation.abs();
    if size > 1e-10 { (-ln(size)).max(0.0) } else { FAR }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use contract::testing::{context, rows_of};

    #[test]
    fn distances_are_those_of_correlations() {
        let rows = rows_of(&["11010", "00100", "11010", "00100", "10110", "01000"]).distinct();
        let context = context(Digest::of(b""), 0);
        let pairs = Pairs::count(&rows, &context.cores).unwrap();
        let distances = pairs.distances(&context).unwrap();
        // By hand: variables 0 and 1 agree in four of six examples, half of each are ones: correlation 1/3.
        assert!((pairs.correlation(0, 1) - 1.0 / 3.0).abs() < 1e-15);
        assert!((distances.of(0, 1) - ln(3.0)).abs() < 1e-15);
        assert_eq!(distances.of(0, 3), 0.0, "equal");
        assert_eq!(distances.of(0, 4), FAR, "constant");
        assert_eq!(distances.of(0, 0), 0.0);
    }
}
