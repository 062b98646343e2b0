//! Student's t distribution: its probabilities, its density, and the limits of its tails.

use super::beta::continued_fraction;
use super::normal;
use super::root::decreasing_root;
use super::special::{exp, ln, ln_1p, ln_gamma};

/// P(|T| >= |t|) of a t distribution with `df` > 0 degrees of freedom, by the continued fraction of
/// the incomplete beta function, whose length grows like the square root of `df`. The relative error
/// is below 1e-11.
pub fn two_sided(t: f64, df: f64) -> f64 {
    StudentT::new(df).two_sided(t)
}

/// The t with P(|T| <= t) = `level` for `df` > 0 degrees of freedom.
pub fn two_sided_quantile(level: f64, df: f64) -> f64 {
    decreasing_root(|t| two_sided(t, df), 1.0 - level)
}

/// Student's t distribution with location 0 and scale 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentT {
    df: f64,
    /// ln B(df / 2, 1 / 2).
    ln_beta: f64,
}

impl StudentT {
    /// That with `df` > 0 degrees of freedom.
    pub fn new(df: f64) -> Self {
        Self { df, ln_beta: ln_beta_half(0.5 * df) }
    }

    /// The logarithm of the density.
    pub fn ln_density(&self, t: f64) -> f64 {
        let ratio = t / self.df.sqrt();
        let tail = ratio * ratio;
        let ln_tail = if tail.is_infinite() { 2.0 * ln(ratio.abs()) } else { ln_1p(tail) };
        -0.5 * (self.df + 1.0) * ln_tail - 0.5 * ln(self.df) - self.ln_beta
    }

    /// P(T <= t), with its relative digits in the lower tail.
    pub fn cdf(&self, t: f64) -> f64 {
        let tail = 0.5 * self.two_sided(t);
        if t < 0.0 { tail } else { 1.0 - tail }
    }

    /// The logarithm of [`Self::cdf`], also where that is too small for a number.
    pub fn ln_cdf(&self, t: f64) -> f64 {
        if t >= 0.0 {
            return ln_1p(-0.5 * self.two_sided(t));
        }
        let (a, x) = (0.5 * self.df, self.x(t));
        if x < (a + 1.0) / (a + 2.5) {
            let tt = t * t;
            let fraction = if tt.is_infinite() { 1.0 } else { continued_fraction(a, 0.5, x) };
            self.ln_power(t) - ln(a) + ln(fraction) - std::f64::consts::LN_2
        } else {
            ln(0.5 * self.two_sided(t))
        }
    }

    /// As the function of the same name.
    pub fn two_sided(&self, t: f64) -> f64 {
        if t.is_infinite() {
            return 0.0;
        }
        let df = self.df;
        let tt = t * t;
        // I_x(a, b) with x = df / (df + t²), a = df / 2, b = 1/2.
        let (a, b) = (0.5 * df, 0.5);
        if tt.is_infinite() {
            return exp(self.ln_power(t)) / a;
        }
        let x = self.x(t);
        let front = |p: f64| exp(self.ln_power(t)) / p;
        if tt == 0.0 {
            1.0
        } else if x < (a + 1.0) / (a + b + 2.0) {
            front(a) * continued_fraction(a, b, x)
        } else {
            1.0 - front(b) * continued_fraction(b, a, tt / (df + tt))
        }
    }

    /// df / (df + t²).
    fn x(&self, t: f64) -> f64 {
        self.df / (self.df + t * t)
    }

    /// ln xᵃ (1 - x)ᵇ / B(a, b).
    fn ln_power(&self, t: f64) -> f64 {
        let (df, tt) = (self.df, t * t);
        let a = 0.5 * df;
        if tt.is_infinite() {
            // The first term of the series in x: the next is smaller by a factor of x < 1e-308 df.
            return a * (ln(df) - 2.0 * ln(t.abs())) - self.ln_beta;
        }
        let log_x = -ln_1p(tt / df);
        let log_rest = ln(tt / (df + tt));
        a * log_x + 0.5 * log_rest - self.ln_beta
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

/// A number at or slightly above the t with P(|T| >= t) = `p`, for `df` degrees of freedom: the
/// Cornish-Fisher expansion around the normal quantile (Abramowitz and Stegun 26.7.5) and a margin
/// for what it leaves out. Infinite below 30 degrees of freedom or for p below 1e-4, where the
/// expansion is not close.
pub fn critical_above(p: f64, df: f64) -> f64 {
    if df < 30.0 || p < 1e-4 {
        return f64::INFINITY;
    }
    let z = normal::critical(p);
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

    const ONE_TAIL: [(f64, f64, f64, f64); 10] = [
        (-20.0, 3.0, -8.89844171394626, -10.801537396180656),
        (-2.5, 3.0, -3.1269047704697446, -3.252911375335958),
        (-0.3, 10.0, -0.9540956578916524, -0.9931759296940476),
        (0.1, 10.0, -0.6183372649217274, -0.9493946039829115),
        (1.5, 10.0, -0.08583424813886922, -2.0600719941327488),
        (-6.0, 100.0, -17.959310682301027, -16.449415828814985),
        (-0.01, 100.0, -0.7011378105450498, -0.9214889915177241),
        (4.0, 2.5, -0.019699250318835876, -4.519229593828168),
        (-30.0, 102.0, -119.70508736501702, -118.58758359490568),
        (-3.0, 10000.0, -6.605265315275635, -5.417389545004439),
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
    fn one_tail_and_density_equal_scipy() {
        // scipy.stats.t.logcdf(t, df) and .logpdf(t, df), SciPy 1.17.1.
        for (t, df, ln_cdf, ln_density) in ONE_TAIL {
            let student = StudentT::new(df);
            let found = (student.ln_cdf(t), student.ln_density(t));
            assert!((found.0 / ln_cdf - 1.0).abs() < 1e-11, "t {t} df {df}: {found:?}");
            assert!((found.1 / ln_density - 1.0).abs() < 1e-12, "t {t} df {df}: {found:?}");
            assert!((student.cdf(t) - exp(ln_cdf)).abs() <= 1e-11 * student.cdf(t));
        }
    }

    #[test]
    fn tails_too_small_for_a_number_have_logarithms() {
        // The leading term for large |t|: (v / t²)^(v/2) / (v B(v/2, 1/2)).
        for (t, df) in [(-1e9, 100.0), (-1e200, 3.0), (-1e150, 40.0)] {
            let student = StudentT::new(df);
            let expected = 0.5 * df * (ln(df) - 2.0 * ln(-t)) - ln(df) - ln_beta_half(0.5 * df);
            assert!((student.ln_cdf(t) / expected - 1.0).abs() < 1e-13, "t {t} df {df}");
            let of_density = -(df + 1.0) * (ln(-t) - 0.5 * ln(df)) - 0.5 * ln(df);
            let expected = of_density - ln_beta_half(0.5 * df);
            assert!((student.ln_density(t) / expected - 1.0).abs() < 1e-13, "t {t} df {df}");
        }
        assert_eq!(StudentT::new(100.0).cdf(-1e9), 0.0);
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
    fn the_quantile_inverts_the_tail() {
        for (level, df) in [(0.95, 1.0), (0.95, 4.0), (0.5, 30.0), (0.999, 2.5)] {
            let tail = two_sided(two_sided_quantile(level, df), df);
            assert!((tail - (1.0 - level)).abs() < 1e-14, "{tail}");
        }
    }

    #[test]
    fn critical_values_bound_the_exact_ones() {
        for p in [0.5, 0.2, 0.1, 0.05, 0.01, 1e-3, 1e-4] {
            for df in [30.0, 31.7, 50.0, 100.0, 1e3, 1e5] {
                let above = critical_above(p, df);
                assert!(two_sided(above, df) < p, "p {p} df {df}");
                assert!(two_sided(above * 0.995, df) > p, "p {p} df {df}");
            }
            assert_eq!(critical_above(p, 29.0), f64::INFINITY);
        }
    }
}
