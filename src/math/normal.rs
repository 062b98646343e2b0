//! The standard normal distribution, with tails that keep their digits.

use super::special::{exp, ln, ln_1p};

const LN_SQRT_TAU: f64 = 0.918_938_533_204_672_8;

/// Below its negative the tail is computed by its continued fraction.
const FAR: f64 = 10.0;

/// The density φ(x).
pub fn density(x: f64) -> f64 {
    exp(-0.5 * x * x - LN_SQRT_TAU)
}

/// The probability Φ(x) of numbers up to x, with its relative digits in the lower tail.
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The logarithm of [`cdf`], for every finite x.
pub fn ln_cdf(x: f64) -> f64 {
    if x > 0.0 {
        ln_1p(-cdf(-x))
    } else if x > -FAR {
        ln(cdf(x))
    } else {
        -0.5 * x * x - LN_SQRT_TAU + ln(mills(-x))
    }
}

/// φ(x) / Φ(x), for every finite x.
pub fn inverse_mills(x: f64) -> f64 {
    if x > -FAR { density(x) / cdf(x) } else { 1.0 / mills(-x) }
}

/// Mills' ratio Φ(-x) / φ(x) for x >= [`FAR`] by Laplace's continued fraction (Abramowitz and Stegun
/// 26.2.14), whose first 20 terms are then enough.
fn mills(x: f64) -> f64 {
    1.0 / (1..=20).rev().fold(x, |tail, k| x + f64::from(k) / tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_equal_scipy() {
        // scipy.stats.norm.logcdf(x) and .pdf(x), SciPy 1.17.1.
        for (x, ln_of_cdf, of_density) in SCIPY {
            assert!((ln_cdf(x) / ln_of_cdf - 1.0).abs() < 2e-14, "{x}: {}", ln_cdf(x));
            assert!((density(x) - of_density).abs() <= 1e-13 * of_density, "{x}: {}", density(x));
            assert!((cdf(x) - exp(ln_of_cdf)).abs() <= 1e-13 * cdf(x));
        }
    }

    #[test]
    fn the_ratio_passes_smoothly_into_the_far_tail() {
        for x in [-9.999_999, -10.0, -10.000_001] {
            let expected = exp(-0.5 * x * x - LN_SQRT_TAU) / libm::erfc(-x / 2.0_f64.sqrt()) * 2.0;
            assert!((inverse_mills(x) / expected - 1.0).abs() < 1e-13, "{x}");
        }
        // -x - 1/x + 2/x³ - 10/x⁵ …
        let far = 1e6 + 1e-6;
        assert!((inverse_mills(-1e6) / far - 1.0).abs() < 1e-15);
        assert!((inverse_mills(0.0) - (2.0 / std::f64::consts::PI).sqrt()).abs() < 1e-15);
    }

    const SCIPY: [(f64, f64, f64); 10] = [
        (-50.0, -1254.8313611394199, 0.0),
        (-37.0, -689.0305855768908, 2.120006551524606e-298),
        (-12.5, -81.57596787074388, 4.6951953579751464e-35),
        (-9.5, -48.30601929896523, 1.0077935394300011e-20),
        (-3.0, -6.60772622151035, 0.0044318484119380075),
        (-0.5, -1.1759117615936188, 0.35206532676429947),
        (0.1, -0.6165050101150262, 0.3969525474770118),
        (0.75, -0.25699426683836524, 0.30113743215480443),
        (2.5, -0.00622902548586, 0.017528300493568537),
        (6.0, -9.86587645524372e-10, 6.075882849823286e-09),
    ];
}
