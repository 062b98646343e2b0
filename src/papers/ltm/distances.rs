//! Information distances: d = -ln |correlation| of binary variables, which add up along the paths of a tree
//! (equation 9).

use base::parallel::Cores;
use contract::binary::DistinctRows;
use contract::{Context, Result};
use math::special::{exp, ln};
use method::shared::refusals::countable;

use math::mutual_information::Information;
use method::baseline::chow_liu::Cooccurrence;

/// The distance of independent variables, and of constant ones: -ln 1e-10. No distance is larger.
pub const FAR: f64 = 23.025_850_929_940_457;

/// A distance, and how uncertain it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// From 0 to [`FAR`].
    pub distance: f64,
    /// Variance of the distance over samples; 0 if it is exact.
    pub variance: f64,
}

/// The distances of all pairs of nodes; it grows as hidden nodes are found.
#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    pub(super) rows: Vec<Vec<Estimate>>,
    /// How many examples they are estimated from; infinite if they are exact.
    pub samples: f64,
}

impl Distances {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.rows.len()
    }

    /// The distance of two nodes.
    pub fn of(&self, a: usize, b: usize) -> f64 {
        self.rows[a][b].distance
    }

    /// The variance of the distance of two nodes.
    pub fn variance(&self, a: usize, b: usize) -> f64 {
        self.rows[a][b].variance
    }

    /// The distances of a node to those before it and behind it.
    pub fn row(&self, node: usize) -> &[Estimate] {
        &self.rows[node]
    }

    /// Adds a hidden node with its distances to all nodes before it, which are as uncertain as those of the node that
    /// is nearest to it; that to this node is as uncertain as the node's most certain one.
    pub fn push_near(&mut self, nearest: usize, distances: &[f64]) {
        let node = self.rows.len();
        let of_nearest = &self.rows[nearest];
        let others = (0..node).filter(|&other| other != nearest);
        let least = others.map(|other| of_nearest[other].variance).fold(f64::INFINITY, f64::min);
        let estimate = |other: usize| Estimate {
            distance: distances[other],
            variance: if other == nearest { least } else { of_nearest[other].variance },
        };
        let mut row: Vec<Estimate> = (0..node).map(estimate).collect();
        for (other, estimate) in self.rows.iter_mut().zip(&row) {
            other.push(*estimate);
        }
        row.push(Estimate { distance: 0.0, variance: 0.0 });
        self.rows.push(row);
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
    pub fn count(train: &DistinctRows, cores: &Cores) -> Result<Self> {
        let examples = countable(train.examples(), u32::MAX)?;
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

    /// The distance of two variables with its variance, that of the correlation r by the delta method (Kendall and
    /// Stuart's for a fourfold table) over r². With a = (1 - 2p) / sqrt(p (1 - p)) of P(1) = p, and b of the other:
    ///
    /// N var(r) = 1 - r² + a b r (1 + r² / 2) - 3/4 r² (a² + b²)
    fn estimate(&self, a: usize, b: usize) -> Estimate {
        let correlation = self.correlation(a, b);
        let n = f64::from(self.examples);
        let skewness = |v: usize| {
            let p = f64::from(self.ones[v]) / n;
            let variance = p * (1.0 - p);
            if variance > 0.0 { (1.0 - 2.0 * p) / variance.sqrt() } else { 0.0 }
        };
        let (skew_a, skew_b) = (skewness(a), skewness(b));
        let squared = correlation * correlation;
        let variance = 1.0 - squared + skew_a * skew_b * correlation * (1.0 + 0.5 * squared)
            - 0.75 * squared * (skew_a * skew_a + skew_b * skew_b);
        let distance = distance(correlation);
        let least = exp(-2.0 * FAR);
        Estimate { distance, variance: variance.max(0.0) / n / squared.max(least) }
    }

    /// The distances: 0 where two variables are always equal, or always different, [`FAR`] where they are
    /// uncorrelated. O(n²).
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn distances(&self, context: &Context) -> Result<Distances> {
        let n = self.variables();
        let own = Estimate { distance: 0.0, variance: 0.0 };
        let of = |a, b| if a == b { own } else { self.estimate(a, b) };
        let row = |(): &mut (), a| (0..n).map(|b| of(a, b)).collect();
        let rows = context.cores.each(n, 16, || (), row);
        context.check()?;
        Ok(Distances { rows, samples: f64::from(self.examples) })
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
    use testing::{context, rows_of};

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

    /// d of the shares of the four states: neither, the first, the second, both.
    fn distance_of(shares: [f64; 4]) -> f64 {
        let [_, first, second, both] = shares;
        let (p, q) = (first + both, second + both);
        let variance = p * (1.0 - p) * q * (1.0 - q);
        -ln(((both - p * q) / variance.sqrt()).abs())
    }

    /// The delta method by numerical derivatives over the four shares, whose covariances are those of a multinomial.
    fn variance_of(counts: [u32; 4]) -> f64 {
        let n = f64::from(counts.iter().sum::<u32>());
        let shares = counts.map(|count| f64::from(count) / n);
        let slope: [f64; 4] = std::array::from_fn(|state| {
            let moved = |by: f64| {
                let mut moved = shares;
                moved[state] += by;
                distance_of(moved)
            };
            (moved(1e-6) - moved(-1e-6)) / 2e-6
        });
        let mean: f64 = shares.iter().zip(&slope).map(|(share, slope)| share * slope).sum();
        let square: f64 =
            shares.iter().zip(&slope).map(|(share, slope)| share * slope * slope).sum();
        (square - mean * mean) / n
    }

    #[test]
    fn variances_are_those_of_the_delta_method() {
        for counts in [[40, 10, 10, 40], [900, 30, 20, 50], [5, 60, 30, 5], [70, 20, 0, 10]] {
            let states = ["00", "10", "01", "11"];
            let rows: Vec<&str> = states
                .iter()
                .zip(counts)
                .flat_map(|(row, count)| std::iter::repeat_n(*row, count as usize))
                .collect();
            let context = context(Digest::of(b""), 0);
            let pairs = Pairs::count(&rows_of(&rows).distinct(), &context.cores).unwrap();
            let found = pairs.estimate(0, 1).variance;
            let expected = variance_of(counts);
            assert!((found / expected - 1.0).abs() < 1e-5, "{counts:?}: {found}, not {expected}");
        }
    }
}
