//! The incomplete beta function (Numerical Recipes, section 6.4; DLMF 8.17.22).

use super::continued_fraction::ContinuedFraction;
use super::special::{exp, ln, ln_gamma};

/// The regularised incomplete beta function Iₓ(a, b), with y = 1 - x given apart so that neither
/// end loses digits.
pub fn regularized(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - lower(b, a, y, x);
    }
    lower(a, b, x, y)
}

/// [`regularized`] left of its mean, where the continued fraction converges fast.
fn lower(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * ln(x) + b * ln(y);
    exp(front) / a * continued_fraction(a, b, x)
}

/// The continued fraction of I_x(a, b), for x below (a + 1) / (a + b + 2).
pub(super) fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    let mut fraction = ContinuedFraction::reciprocal(1.0);
    fraction.add(-(a + b) * x / (a + 1.0), 1.0);
    for step in 1..1_000_000 {
        let m = f64::from(step);
        fraction.add(m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)), 1.0);
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let factor = fraction.add(odd, 1.0);
        if (factor - 1.0).abs() < 3e-16 {
            break;
        }
    }
    fraction.value
}
