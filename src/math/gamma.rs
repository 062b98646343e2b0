//! The incomplete gamma function (Numerical Recipes, section 6.2; DLMF 8.7.1, 8.9.2).

use super::continued_fraction::ContinuedFraction;
use super::special::{exp, ln, ln_gamma};

/// Relative size of what no longer matters.
const PRECISION: f64 = 1e-15;
/// More terms than any argument of ours needs; some √a of them are used.
const MOST_TERMS: usize = 1_000_000;

/// The regularised upper incomplete gamma function Q(a, x), a > 0: with its relative digits where x is
/// above a.
pub fn upper_regularized(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = exp(a * ln(x) - x - ln_gamma(a));
    if x < a + 1.0 {
        let mut term = 1.0 / a;
        let mut sum = term;
        let mut n = a;
        while term > sum * PRECISION {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    let mut fraction = ContinuedFraction::new(x + 1.0 - a);
    for i in 1..MOST_TERMS {
        let i = i as f64;
        let factor = fraction.add(-i * (i - a), x + 2.0 * i + 1.0 - a);
        if (factor - 1.0).abs() < PRECISION {
            break;
        }
    }
    front / fraction.value
}
