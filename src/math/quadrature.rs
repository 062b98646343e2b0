//! Gauss-Legendre quadrature.

use std::f64::consts::PI;

use super::special::cos;

/// The n nodes in (-1, 1), ascending, with their weights: sums over them are exact integrals of
/// polynomials up to degree 2n - 1.
///
/// # Panics
/// If n is zero.
pub fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    assert!(n > 0, "at least one node");
    let node = |index: usize| {
        // Newton's method from Tricomi's estimate.
        let mut x = -cos(PI * (index as f64 + 0.75) / (n as f64 + 0.5));
        let mut slope = 1.0;
        for _ in 0..100 {
            let value;
            (value, slope) = legendre(n, x);
            let step = value / slope;
            x -= step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(node).collect()
}

/// The same for the interval from `low` to `high`.
///
/// # Panics
/// If n is zero.
pub fn gauss_legendre_on(n: usize, low: f64, high: f64) -> Vec<(f64, f64)> {
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    gauss_legendre(n).into_iter().map(|(x, weight)| (middle + half * x, half * weight)).collect()
}

/// The Legendre polynomial of degree n and its derivative.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for degree in 2..=n {
        let d = degree as f64;
        (before, value) = (value, ((2.0 * d - 1.0) * x * value - (d - 1.0) * before) / d);
    }
    (value, n as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::{exp, pow};

    #[test]
    fn polynomials_are_integrated_exactly() {
        for n in [1, 2, 5, 16, 40] {
            let rule = gauss_legendre(n);
            assert!(rule.is_sorted_by(|one, other| one.0 < other.0));
            for power in 0..2 * n {
                let sum: f64 = rule.iter().map(|(x, weight)| weight * pow(*x, power as f64)).sum();
                let expected = if power % 2 == 0 { 2.0 / (power as f64 + 1.0) } else { 0.0 };
                assert!((sum - expected).abs() < 1e-13, "{n} nodes, degree {power}: {sum}");
            }
        }
        let area: f64 =
            gauss_legendre_on(20, 0.0, 1.0).iter().map(|(x, weight)| weight * exp(*x)).sum();
        assert!((area - (std::f64::consts::E - 1.0)).abs() < 1e-14);
    }
}
