//! Student's t distribution: the probability in both tails and its limits.

use super::beta::continued_fraction;
use super::special::{exp, ln, ln_1p, ln_gamma};

/// P(|T| >= |t|) of a t distribution with `df` > 0 degrees of freedom, by the continued fraction of
/// the incomplete beta function, whose length grows like the square root of `df`. The relative error
/// is below 1e-11.
pub fn two_sided(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let tt = t * t;
    // I_x(a, b) with x = df / (df + t²), a = df / 2, b = 1/2.
    let (a, b) = (0.5 * df, 0.5);
    if tt.is_infinite() {
        // The first term of the series in x: the next is smaller by a factor of x < 1e-308 df.
        return exp(a * (ln(df) - 2.0 * ln(t.abs())) - ln_beta_half(a)) / a;
    }
    let x = df / (df + tt);
    let log_x = -ln_1p(tt / df);
    let log_rest = ln(tt / (df + tt));
    let front = |p: f64| exp(a * log_x + b * log_rest - ln_beta_half(a)) / p;
    if tt == 0.0 {
        1.0
    } else if x < (a + 1.0) / (a + b + 2.0) {
        front(a) * continued_fraction(a, b, x)
    } else {
        1.0 - front(b) * continued_fraction(b, a, tt / (df + tt))
    }
}

/// ln B(a, 1/2).
fn ln_beta_half(a: f64) -> f64 {
    const LN_SQRT_PI: f64 = 0.572_364_942_924_700_1;
    LN_SQRT_PI
        - if a < 32.0 {
            ln_gamma(a + 0.5) - ln_gamma(a)
        } else {
            // ln Γ(a + 1/2) - ln Γ(a) in powers of 1 / a (DLMF 5.11.8): for large a the difference
            // of the two gammas would lose digits.
            let aa = a * a;
            0.5 * ln(a)
                - (1.0 / 8.0 - (1.0 / 192.0 - (1.0 / 640.0 - 17.0 / 14336.0 / aa) / aa) / aa) / a
        }
}

/// The z with P(|Z| >= z) = `p` of the standard normal distribution, 0 < p <= 1: Acklam's rational
/// approximation of the quantile; its relative error is below 1.15e-9.
pub fn normal_critical(p: f64) -> f64 {
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

/// A number at or slightly above the t with P(|T| >= t) = `p`, for `df` degrees of freedom: the
/// Cornish-Fisher expansion around the normal quantile (Abramowitz and Stegun 26.7.5) and a margin
/// for what it leaves out. Infinite below 30 degrees of freedom or for p below 1e-4, where the
/// expansion is not close.
pub fn critical_above(p: f64, df: f64) -> f64 {
    if df < 30.0 || p < 1e-4 {
        return f64::INFINITY;
    }
    let z = normal_critical(p);
    let zz = z * z;
    let first = z * (zz + 1.0) / 4.0;
    let second = z * ((5.0 * zz + 16.0) * zz + 3.0) / 96.0;
    let third = z * (((3.0 * zz + 19.0) * zz + 17.0) * zz - 15.0) / 384.0;
    (z + (first + (second + third / df) / df) / df) * 1.001
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF as _, StudentsT};

    use super::*;

    #[test]
    fn tails_equal_scipy() {
        // scipy.stats.t.sf(t, df) * 2 with SciPy 1.17.1.
        for (t, df, expected) in SCIPY {
            let p = two_sided(t, df);
            assert!((p / expected - 1.0).abs() < 1e-11, "t {t} df {df}: {p} for {expected}");
            assert_eq!(p.to_bits(), two_sided(-t, df).to_bits());
        }
        assert_eq!(two_sided(0.0, 3.0), 1.0);
        assert_eq!(two_sided(f64::INFINITY, 3.0), 0.0);
    }

    fn assert_close(actual: f64, expected: f64) {
        assert!((actual - expected).abs() <= 1e-12 * expected, "{actual:e} for {expected:e}");
    }

    #[test]
    fn tails_equal_mpmath() {
        // mpmath 1.3 with 30 digits: betainc(df/2, 1/2, 0, df/(df + t²), regularized=True)
        assert_close(two_sided(12.0, 30.0), 5.580185415199256e-13);
        assert_close(two_sided(-40.0, 5.0), 1.8411962171772954e-7);
        // scipy.stats: 2 * t.sf(t, df)
        assert_close(two_sided(0.3, 1.0), 0.8144528418445154);
        assert_close(two_sided(2.5, 7.0), 0.04099221858575289);
        assert_close(two_sided(1.9, 2.5), 0.17174604233373478);
        assert_close(two_sided(1e-8, 4.0), 0.9999999925);
        assert_eq!(two_sided(0.0, 4.0), 1.0);
        assert_eq!(two_sided(f64::INFINITY, 4.0), 0.0);
    }

    #[test]
    fn tails_keep_their_digits_at_many_degrees_of_freedom() {
        // As above.
        for (t, df, p) in
            [(6.0, 1e6, 1.9738498123544347e-9), (1.6449, 291324.7, 0.09999151382749158)]
        {
            let actual = two_sided(t, df);
            assert!((actual - p).abs() < 1e-9 * p, "{actual:e} instead of {p:e}");
        }
    }

    const SCIPY: [(f64, f64, f64); 12] = [
        (0.5, 1.0, 0.7048327646991335),
        (1.6448536, 2.0, 0.24173264412532416),
        (2.0, 3.5, 0.12613852257591343),
        (1.7, 10.0, 0.11996934590902035),
        (0.01, 25.0, 0.9921006611292176),
        (1.66, 99.0, 0.10007886759212903),
        (4.2, 63.9, 8.434805896397931e-05),
        (4.2, 64.1, 8.408986765090745e-05),
        (1.645, 16180.0, 0.09998923636411061),
        (1.6449, 582650.5, 0.09999097438116057),
        (12.0, 200.0, 2.422136005246625e-25),
        (0.3, 10000.0, 0.7641833912293323),
    ];

    #[test]
    fn tails_equal_statrs() {
        for df in [0.7, 1.0, 2.5, 9.0, 63.0, 64.5, 1e3, 2e4] {
            let t_distribution = StudentsT::new(0.0, 1.0, df).unwrap();
            for step in 1..60 {
                let t = f64::from(step) * 0.1;
                let expected = 2.0 * t_distribution.sf(t);
                let p = two_sided(t, df);
                assert!((p - expected).abs() < 1e-9 * expected, "t {t} df {df}: {p} {expected}");
            }
        }
    }

    #[test]
    fn squares_that_overflow_have_tails() {
        // One degree of freedom is Cauchy's distribution: P(|T| >= t) = 2 / (π t) for large t.
        let tail = two_sided(1e200, 1.0);
        assert!((tail / (2.0 / (std::f64::consts::PI * 1e200)) - 1.0).abs() < 1e-10, "{tail}");
        assert_eq!(two_sided(-1e200, 5.0), 0.0);
        assert_eq!(two_sided(f64::INFINITY, 5.0), 0.0);
    }

    #[test]
    fn critical_values_bound_the_exact_ones() {
        for p in [0.5, 0.2, 0.1, 0.05, 0.01, 1e-3, 1e-4] {
            let z = normal_critical(p);
            assert!((libm::erfc(z / 2_f64.sqrt()) / p - 1.0).abs() < 3e-8, "{p}: {z}");
            for df in [30.0, 31.7, 50.0, 100.0, 1e3, 1e5] {
                let above = critical_above(p, df);
                assert!(two_sided(above, df) < p, "p {p} df {df}");
                assert!(two_sided(above * 0.995, df) > p, "p {p} df {df}");
            }
            assert_eq!(critical_above(p, 29.0), f64::INFINITY);
        }
    }
}
