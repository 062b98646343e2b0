//! The standard normal distribution, with tails that keep their digits.

use super::special::{erfc, exp, ln, ln_1p};

const LN_SQRT_TAU: f64 = 0.918_938_533_204_672_8;

/// Below its negative the tail is computed by its continued fraction.
pub const FAR: f64 = 10.0;

/// The density φ(x).
pub fn density(x: f64) -> f64 {
    exp(-0.5 * x * x - LN_SQRT_TAU)
}

/// The probability Φ(x) of numbers up to x, with its relative digits in the lower tail.
pub fn cdf(x: f64) -> f64 {
    0.5 * erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(|Z| >= |z|) for a standard normal Z.
pub fn two_sided(z: f64) -> f64 {
    erfc(z.abs() * std::f64::consts::FRAC_1_SQRT_2)
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

/// How the part of a standard normal Z above `x` is spread: its mean and variance, for every finite x >=
/// [`FAR`]. With v = 3/(x + 4/(x + …)), u = 2/(x + v) and t = 1/(x + u) of Laplace's continued fraction the mean is
/// x + t and the variance t² (1 + u (u - v)): no digits cancel, as they would in 1 - t (x + t).
///
/// # Panics
/// If x is below [`FAR`].
pub fn far_tail(x: f64) -> (f64, f64) {
    assert!(x >= FAR, "a far tail");
    let v = (3..=20).rev().fold(0.0, |tail, k| f64::from(k) / (x + tail));
    let u = 2.0 / (x + v);
    let t = 1.0 / (x + u);
    (x + t, t * t * (1.0 + u * (u - v)))
}

/// Mills' ratio Φ(-x) / φ(x) for x >= [`FAR`] by Laplace's continued fraction (Abramowitz and Stegun
/// 26.2.14), whose first 20 terms are then enough.
fn mills(x: f64) -> f64 {
    1.0 / (1..=20).rev().fold(x, |tail, k| x + f64::from(k) / tail)
}

/// The z with P(|Z| >= z) = `p`, 0 < p <= 1: Acklam's rational approximation of the quantile; its relative
/// error is below 1.15e-9.
pub fn critical(p: f64) -> f64 {
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const B: [f64; 5] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
    ];
    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 4] = [
        0.007_784_695_709_041_462,
        0.322_467_129_070_039_8,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
    ];
    let horner = |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = 0.5 * p;
    if tail < 0.02425 {
        let q = (-2.0 * ln(tail)).sqrt();
        -horner(&C, q) / (horner(&D, q) * q + 1.0)
    } else {
        let q = 0.5 - tail;
        let r = q * q;
        horner(&A, r) * q / (horner(&B, r) * r + 1.0)
    }
}

/// The x with Φ(x) = `p`, 0 < p < 1, to the last few bits: [`critical`] after one step of Halley's.
pub fn quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    let x = -critical(2.0 * p);
    let step = (cdf(x) - p) / density(x);
    x - step / (1.0 + 0.5 * x * step)
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
            let expected = exp(-0.5 * x * x - LN_SQRT_TAU) / erfc(-x / 2.0_f64.sqrt()) * 2.0;
            assert!((inverse_mills(x) / expected - 1.0).abs() < 1e-13, "{x}");
        }
        // -x - 1/x + 2/x³ - 10/x⁵ …
        let far = 1e6 + 1e-6;
        assert!((inverse_mills(-1e6) / far - 1.0).abs() < 1e-15);
        assert!((inverse_mills(0.0) - (2.0 / std::f64::consts::PI).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn quantiles_equal_scipy() {
        // scipy.stats.norm.ppf(p)
        for (p, x) in [
            (0.975, 1.959963984540054),
            (0.05, -1.6448536269514729),
            (0.5, 0.0),
            (1e-10, -6.361340902404056),
            (0.3, -0.5244005127080409),
        ] {
            assert!((quantile(p) - x).abs() <= 2e-15 * (1.0 + x.abs()), "{p}: {}", quantile(p));
        }
    }

    #[test]
    fn far_tails_keep_their_variance() {
        // mpmath 1.3, 60 digits: m = φ(x) / Φ(-x), 1 - m (m - x); from 1e4 on 1/x² - 6/x⁴.
        let rows: [(f64, f64, f64); 5] = [
            (12.0, 12.082214175254284, 0.006670726335845864),
            (31.0, 31.032191276777725, 0.0010341415899533916),
            (50.0, 50.01998403190564, 0.0003990431868038995),
            (1e4, 10000.000099999998, 9.9999994e-9),
            (1e8, 1e8, 1e-16),
        ];
        for (x, mean, variance) in rows {
            let found = far_tail(x);
            assert!((found.0 / mean - 1.0).abs() < 1e-15, "{x}: {found:?}");
            assert!((found.1 / variance - 1.0).abs() < 1e-14, "{x}: {found:?}");
        }
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
