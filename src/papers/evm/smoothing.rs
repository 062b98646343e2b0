//! Laplace smoothing of the numbers of ones of exchangeable blocks (Niepert and Domingos 2014, section
//! 5.1).

use contract::parameter::{Choice, settings};
use contract::words;
use math::special::{exp, ln_gamma};

words! {
    /// How the constant is spread.
    pub enum Laplace {
        Uniform = "uniform", "the smoothing constant for each of a block's |X| + 1 numbers of ones";
        Binomial = "binomial", "the same total, spread like a binomial distribution with p = 1/2";
    }
}

settings! {
    pub(super) LAPLACE laplace: Choice<Laplace>::worded("uniform"),
        "how the smoothing constant is spread over a block's numbers of ones";
}

/// Laplace smoothing of a block's histogram, and the binomial coefficients.
#[derive(Debug, Clone)]
pub(super) struct Smoothing {
    /// The constant, for each number of ones on average.
    pub(super) constant: f64,
    spread: Laplace,
    log_factorials: Vec<f64>,
}

impl Smoothing {
    /// For blocks of at most `variables` variables.
    pub(super) fn new(variables: usize, constant: f64, spread: Laplace) -> Self {
        let log_factorials = (0..=variables).map(|n| ln_gamma(n as f64 + 1.0)).collect();
        Self { constant, spread, log_factorials }
    }

    /// ln C(size, ones).
    pub(super) fn log_binomial(&self, size: usize, ones: usize) -> f64 {
        let f = &self.log_factorials;
        f[size] - (f[ones] + f[size - ones])
    }

    /// Adds pseudo-counts to a block's slots: the constant to each, or as much in all.
    pub(super) fn add_to(&self, slots: &mut [f64]) {
        if self.spread == Laplace::Uniform {
            return slots.iter_mut().for_each(|slot| *slot += self.constant);
        }
        let size = slots.len() - 1;
        let total = self.constant * slots.len() as f64;
        for (ones, slot) in slots.iter_mut().enumerate() {
            let share = exp(self.log_binomial(size, ones) - size as f64 * std::f64::consts::LN_2);
            // Far from the middle of a large block the share would vanish.
            *slot += (total * share).max(f64::MIN_POSITIVE);
        }
    }
}
