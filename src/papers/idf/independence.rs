//! What every test of conditional independence offers, and at which level it decides.

use stats::{Correction, adjust};

/// A test of the hypothesis that two variables are independent given others.
pub trait IndependenceTest: Sync {
    /// Number of variables, n.
    fn variables(&self) -> usize;

    /// The test with what one thread needs to work.
    fn tester(&self) -> Tester<'_>;
}

/// The evidence against independence of two different variables given others. The order of those given
/// does not matter to the result, save for roundings and for the draws of a permutation test; tests of which
/// they begin as those of the one before may be faster.
pub type Tester<'a> = Box<dyn FnMut((usize, usize), &[usize]) -> Evidence + 'a>;

/// What a test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Its p-value; 1 where the data tell nothing.
    pub p: f64,
    /// How far the statistic is from what independence lets expect; the larger the stronger the
    /// dependence. It still orders tests whose p-values are all zero.
    pub strength: f64,
}

impl Evidence {
    /// No evidence at all.
    pub const NONE: Self = Self { p: 1.0, strength: 0.0 };
}

/// The level of a family of tests: one for each pair of variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The level that is to be kept.
    pub alpha: f64,
    /// How it is kept by all tests together.
    pub correction: Correction,
}

impl Level {
    /// Which of the tests of a whole family find a dependence.
    pub fn dependent(&self, p: &[f64]) -> Vec<bool> {
        adjust(p, self.correction).into_iter().map(|p| p <= self.alpha).collect()
    }

    /// The level of each of `family` tests where each is decided before the next is made: only Bonferroni's
    /// correction is possible then, and stands for any other.
    pub fn of_each(&self, family: usize) -> f64 {
        match self.correction {
            Correction::None => self.alpha,
            Correction::Bonferroni | Correction::Holm | Correction::BenjaminiHochberg => {
                self.alpha / family.max(1) as f64
            }
        }
    }
}

/// Number of pairs of n variables.
pub fn pairs(variables: usize) -> usize {
    variables * variables.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_kept_by_all_tests_together() {
        let dependent = |correction| {
            Level { alpha: 0.05, correction }.dependent(&[0.06, 0.04, 0.011, 0.016, 0.0125])
        };
        // By hand: of five ordered p-values 0.011, 0.0125, 0.016, 0.04 and 0.06, Bonferroni's and Holm's first
        // bar is 0.01; those of Benjamini and Hochberg are 0.01, 0.02, 0.03, 0.04 and 0.05.
        assert_eq!(dependent(Correction::None), [false, true, true, true, true]);
        assert_eq!(dependent(Correction::Bonferroni), [false; 5]);
        assert_eq!(dependent(Correction::Holm), [false; 5]);
        assert_eq!(dependent(Correction::BenjaminiHochberg), [false, true, true, true, true]);
        let holm = Level { alpha: 0.05, correction: Correction::Holm };
        assert_eq!(holm.dependent(&[0.02, 0.02, 0.04]), [false; 3]);
        assert_eq!(holm.dependent(&[0.01, 0.02, 0.04]), [true; 3]);
    }

    #[test]
    fn a_test_in_order_has_its_share_of_the_level() {
        let of_each = |correction| Level { alpha: 0.06, correction }.of_each(pairs(4));
        assert_eq!((of_each(Correction::None), of_each(Correction::Bonferroni)), (0.06, 0.01));
        assert_eq!(Level { alpha: 0.06, correction: Correction::Bonferroni }.of_each(0), 0.06);
        assert_eq!([0, 1, 2, 5].map(pairs), [0, 0, 1, 10]);
    }
}
