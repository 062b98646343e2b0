//! The studentised range of normal variables with known variance (infinitely many degrees of
//! freedom), as Nemenyi's test needs it.

use super::normal;
use super::root::decreasing_root;
use super::special::exp;

/// P(Q > q) for the range Q of `k` ≥ 2 independent standard normal variables.
///
/// P(Q ≤ q) = k ∫ φ(z) (Φ(z) - Φ(z - q))ᵏ⁻¹ dz, over the largest variable z. The complement is
/// integrated as k ∫ φ(z) (aᵏ⁻¹ - bᵏ⁻¹) dz with a = Φ(z), b = Φ(z) - Φ(z - q) and the difference of
/// powers factored, so that small tails keep their digits. The trapezoidal rule converges faster
/// than any power of its step on such an integrand.
pub fn sf(q: f64, k: usize) -> f64 {
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
        let below = normal::cdf(z);
        let far_below = normal::cdf(z - q);
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
pub fn quantile(alpha: f64, k: usize) -> f64 {
    decreasing_root(|q| sf(q, k), alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(actual: f64, expected: f64) {
        assert!((actual / expected - 1.0).abs() <= 1e-12, "{actual:e} instead of {expected:e}");
    }

    #[test]
    fn tail_agrees_with_mpmath() {
        // mpmath 1.3 with 30 digits:
        // k * quad(lambda z: npdf(z) * (ncdf(z)**(k-1) - (ncdf(z) - ncdf(z-q))**(k-1)), [-12, …, 26])
        assert_close(sf(1.0, 2), 0.4795001221869535);
        assert_close(sf(2.5, 5), 0.3925427632412641);
        assert_close(sf(8.0, 4), 9.235490150444873e-8);
        assert_close(sf(12.0, 6), 3.227951238813398e-16);
        assert_close(sf(0.3, 20), 1.0);
        // scipy.stats.studentized_range.sf(4.5, 10, np.inf) = 0.04730582731292854
        assert!((sf(4.5, 10) - 0.04730582731292854).abs() < 1e-13);
    }

    #[test]
    fn two_variables_have_a_normal_difference() {
        for q in [0.01, 0.7, 3.0, 20.0] {
            let normal = normal::two_sided(q * std::f64::consts::FRAC_1_SQRT_2);
            assert_close(sf(q, 2), normal);
        }
        assert_eq!(sf(0.0, 3), 1.0);
        assert_eq!(sf(f64::INFINITY, 3), 0.0);
    }

    #[test]
    fn quantiles_are_those_of_demsars_table() {
        // Demšar 2006, table 5(a): critical values for k = 2 to 10, divided by √2.
        let table = [
            (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
            (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
        ];
        for (alpha, row) in table {
            for (k, printed) in (2..).zip(row) {
                let q = quantile(alpha, k) * std::f64::consts::FRAC_1_SQRT_2;
                assert!((q - printed).abs() < 0.0011, "k = {k}: {q} instead of {printed}");
            }
        }
    }
}
