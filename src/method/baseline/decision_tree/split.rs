//! The best split of a node.
//!
//! A node has c_k examples of class k, h_k of them with a one in a variable. The split into zeros and
//! ones leaves the least weighted Gini impurity where
//!
//! ```text
//! sum_k (c_k - h_k)² / n_zero + sum_k h_k² / n_one
//! ```
//!
//! is largest. It follows from n_one = sum h_k, sum h_k² and sum c_k h_k, which are added up class by
//! class: no table of variables by classes is needed.

use std::cmp::Ordering;

use super::count::Counter;
use super::sums::Sums;
use contract::Binary;
use math::vector::max;

/// Finds the best split of one node after another.
pub struct Search<'a> {
    counter: Counter<'a>,
    sums: Sums,
    scores: Vec<f64>,
    /// The best candidates.
    best: Vec<u32>,
}

/// Scores that differ by more than this part of them differ truly: it is hundreds of times the
/// rounding error of a score.
const NEAR: f64 = 1e-12;

impl<'a> Search<'a> {
    /// For nodes of this data. O(variables).
    pub fn new(data: Binary<'a>) -> Self {
        let (sums, scores, best) = Default::default();
        Self { counter: Counter::new(data), sums, scores, best }
    }

    /// The variable that splits a node best; none if all are constant. `examples` are those of the node
    /// by class, `counts` their number in each class; `draw`, in [0, 1), picks one of several.
    pub fn best(&mut self, examples: &[u32], counts: &[u32], draw: f64) -> Option<u32> {
        self.counter.count(examples, counts, &mut self.sums);
        let sums = &self.sums;
        let total = examples.len() as f64;
        let total_squares: f64 = counts.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
        let of_zeros = |squares: f64, products: f64| total_squares - 2.0 * products + squares;
        let parts = sums.ones.iter().zip(&sums.squares).zip(&sums.products);
        self.scores.clear();
        self.scores.extend(parts.map(|((&ones, &squares), &products)| {
            let score = of_zeros(squares, products) / (total - ones) + squares / ones;
            // Of a constant variable it is not a number.
            if score > 0.0 { score } else { 0.0 }
        }));
        let highest = max(&self.scores);
        let mut most = Fraction { numerator: 0, denominator: 1 };
        self.best.clear();
        for (candidate, &score) in self.scores.iter().enumerate() {
            if score > 0.0 && score >= highest * (1.0 - NEAR) {
                let (ones, squares) = (sums.ones[candidate], sums.squares[candidate]);
                let of_zeros = of_zeros(squares, sums.products[candidate]);
                let score = Fraction::sum([of_zeros, total - ones], [squares, ones]);
                let order = score.cmp(&most);
                if order.is_gt() {
                    self.best.clear();
                    most = score;
                }
                if order.is_ge() {
                    self.best.push(sums.candidates[candidate]);
                }
            }
        }
        let last = self.best.len().checked_sub(1)?;
        let pick = ((draw * self.best.len() as f64) as usize).min(last);
        Some(*self.best.select_nth_unstable(pick).1)
    }
}

/// A positive fraction, compared exactly. With N up to 2^26 examples a score has a numerator of at most
/// N³ / 4 and a denominator of at most N² / 4, so products of the two stay below 2^128.
struct Fraction {
    numerator: u128,
    denominator: u128,
}

impl Fraction {
    /// The sum of two fractions of whole numbers, [numerator, denominator].
    fn sum(left: [f64; 2], right: [f64; 2]) -> Self {
        let [a, b] = left.map(|whole| whole as u128);
        let [c, d] = right.map(|whole| whole as u128);
        Self { numerator: a * d + c * b, denominator: b * d }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_compared_exactly() {
        let sum = |a, b| Fraction::sum([a, b], [1.0, 3.0]);
        assert_eq!(sum(1.0, 6.0).cmp(&sum(2.0, 12.0)), Ordering::Equal);
        // The largest scores: their products must not overflow.
        let half = f64::from(1 << 25);
        let (all, fewer) = (half * half, half * half - 1.0);
        let largest = Fraction::sum([all, half], [all, half]);
        let smaller = Fraction::sum([all, half], [fewer, half]);
        assert_eq!(smaller.cmp(&largest), Ordering::Less);
        assert_eq!(largest.cmp(&smaller), Ordering::Greater);
    }
}
