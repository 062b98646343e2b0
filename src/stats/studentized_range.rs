//! The studentised range of normal variables with known variance (infinitely many degrees of
//! freedom), as Nemenyi's test needs it.

use super::distribution::{decreasing_root, normal_sf};
use crate::math::special::exp;

/// P(Q > q) for the range Q of `k` ≥ 2 independent standard normal variables.
///
/// P(Q ≤ q) = k ∫ φ(z) (Φ(z) - Φ(z - q))ᵏ⁻¹ dz, over the largest variable z. The complement is
/// integrated as k ∫ φ(z) (aᵏ⁻¹ - bᵏ⁻¹) dz with a = Φ(z), b = Φ(z) - Φ(z - q) and the difference of
/// powers factored, so that small tails keep their digits. The trapezoidal rule converges faster
/// than any power of its step on such an integrand.
pub fn studentized_range_sf(q: f64, k: usize) -> f64 {
    const STEP: f64 = 1.0 / 32.0;
    const REACH: f64 = 9.0;
    const INVERSE_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
    if q <= 0.0 {
        return 1.0;
    }
    // Beyond this the tail is below the smallest positive number.
    if q > 60.0 {
        return 0.0;
    }
    let steps = ((2.0 * REACH + q) / STEP) as usize;
    let mut sum = 0.0;
    for step in 0..=steps {
        let z = step as f64 * STEP - REACH;
        let below = normal_sf(-z);
        let far_below = normal_sf(q - z);
        let within = below - far_below;
        // Σ aⁱ bᵏ⁻²⁻ⁱ by Horner's scheme.
        let mut power = 1.0;
        let mut powers = 1.0;
        for _ in 0..k.saturating_sub(2) {
            power *= within;
            powers = powers * below + power;
        }
        sum += exp(-0.5 * z * z) * far_below * powers;
    }
    (k as f64 * sum * STEP * INVERSE_SQRT_TAU).min(1.0)
}

/// The q with P(Q > q) = `alpha`.
pub fn studentized_range_quantile(alpha: f64, k: usize) -> f64 {
    decreasing_root(|q| studentized_range_sf(q, k), alpha)
}
