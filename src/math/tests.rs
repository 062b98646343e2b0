//! Every distribution function beside statrs, over the ranges that tests and models use, tails included.
//!
//! The tolerances are some times what 100,000 random arguments showed, of which nearly all is statrs's own error: it
//! takes logarithms of gamma functions apart, so it loses a digit for each factor of ten in its parameters, and its
//! continued fractions end after 140 terms. Parameters above a thousand are held to constants of SciPy and mpmath
//! instead, beside each function.

use proptest::prelude::*;
use statrs::distribution::{
    Binomial, ChiSquared, Continuous as _, ContinuousCDF as _, DiscreteCDF as _, FisherSnedecor,
    Normal, StudentsT,
};
use statrs::function::beta::beta_reg;
use statrs::function::gamma::{gamma_lr, gamma_ur};

use super::quadrature::gauss_legendre_on;
use super::special::{exp, exp_m1, ln, ln_1p};
use super::{beta, distribution, gamma, normal, student_t, studentized_range};

/// Numbers spread evenly by their logarithm.
fn spread(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (ln(low)..ln(high)).prop_map(exp)
}

/// Tails must agree in their digits; what is near one, to an absolute error.
fn close(found: f64, expected: f64, tolerance: f64) -> Result<(), TestCaseError> {
    let tolerance = tolerance * if expected < 0.5 { expected } else { 1.0 };
    // Below 1e-290 the numbers lose their digits.
    prop_assert!((found - expected).abs() <= tolerance.max(1e-290), "{found:e} for {expected:e}");
    Ok(())
}

/// P(Z > z) by the incomplete gamma function: statrs's `erfc` has ten digits only.
fn normal_tail(z: f64) -> f64 {
    match 0.5 * z * z {
        0.0 => 0.5,
        half if z > 0.0 => 0.5 * gamma_ur(0.5, half),
        half => 0.5 + 0.5 * gamma_lr(0.5, half),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn normal(z in -36.0..36.0_f64) {
        let statrs = Normal::standard();
        let below = normal_tail(-z);
        close(normal::cdf(z), below, 1e-12)?;
        close(normal::two_sided(z), 2.0 * normal_tail(z.abs()), 1e-12)?;
        close(normal::density(z), statrs.pdf(z), 1e-12)?;
        close(normal::inverse_mills(z) * below, statrs.pdf(z), 1e-12)?;
        let ln_below = if z > 0.0 { ln_1p(-normal_tail(z)) } else { ln(below) };
        prop_assert!((normal::ln_cdf(z) / ln_below - 1.0).abs() < 1e-12);
    }

    #[test]
    fn normal_critical_values(p in spread(1e-280, 1.0)) {
        // As many digits as its description promises.
        let found = normal::critical(p);
        prop_assert!((found / -Normal::standard().inverse_cdf(0.5 * p) - 1.0).abs() < 1.2e-9);
    }

    #[test]
    fn students_t(t in spread(1e-3, 1e3), df in spread(0.5, 1e3)) {
        let statrs = StudentsT::new(0.0, 1.0, df).unwrap();
        let student = student_t::StudentT::new(df);
        let tail = 2.0 * statrs.sf(t);
        // Near zero statrs loses the digits of t; those of the other part of the beta function remain.
        let tail = if tail < 0.5 { tail } else { 1.0 - beta_reg(0.5, 0.5 * df, t * t / (df + t * t)) };
        close(student_t::two_sided(t, df), tail, 5e-11)?;
        close(student.cdf(-t), 0.5 * tail, 5e-11)?;
        close(student.cdf(t), 1.0 - 0.5 * tail, 5e-11)?;
        if tail > 1e-290 {
            prop_assert!((student.ln_cdf(-t) - ln(0.5 * tail)).abs() < 5e-11);
        }
        let ln_density = statrs.ln_pdf(t);
        prop_assert!((student.ln_density(t) - ln_density).abs() < 1e-11 * ln_density.abs().max(1.0));
    }

    #[test]
    fn students_quantiles(level in 0.0..0.9999_f64, df in spread(1.0, 1e3)) {
        let t = student_t::two_sided_quantile(level, df);
        let inside = beta_reg(0.5, 0.5 * df, t * t / (df + t * t));
        prop_assert!((inside - level).abs() < 1e-11, "{inside} for {level}");
    }

    #[test]
    fn incomplete_beta(a in spread(0.1, 1e3), b in spread(0.1, 1e3), x in 0.0..1.0_f64) {
        close(beta::regularized(a, b, x, 1.0 - x), beta_reg(a, b, x), 2e-11)?;
    }

    #[test]
    fn incomplete_gamma(a in spread(0.1, 1e3), ratio in spread(0.01, 100.0)) {
        let x = a * ratio;
        let expected = if x > a { gamma_ur(a, x) } else { 1.0 - gamma_lr(a, x) };
        close(gamma::upper_regularized(a, x), expected, 1e-11)?;
    }

    #[test]
    fn chi_squared(df in spread(1.0, 1e3), ratio in spread(0.01, 100.0)) {
        let statrs = ChiSquared::new(df.round()).unwrap();
        close(distribution::chi_squared_sf(df * ratio, df.round()), statrs.sf(df * ratio), 1e-11)?;
    }

    #[test]
    fn f(f in spread(1e-3, 1e4), left in spread(1.0, 1e3), right in spread(1.0, 1e3)) {
        // That 1/F is below 1/f: statrs's own tail loses its digits where f is large.
        let inverse = FisherSnedecor::new(right, left).unwrap();
        close(distribution::f_sf(f, left, right), inverse.cdf(1.0 / f), 2e-11)?;
    }

    #[test]
    fn fair_coins(n in 1_u64..2_000, share in 0.0..1.0_f64) {
        let count = (share * (n + 1) as f64) as u64;
        let tail = Binomial::new(0.5, n).unwrap().cdf(count.min(n - count));
        close(distribution::fair_coin_two_sided(count, n), (2.0 * tail).min(1.0), 5e-11)?;
    }

    /// statrs has none. Its definition over the smallest variable, with another rule of quadrature and the normal
    /// tails of statrs: k ∫ φ(z) (S(z)ᵏ⁻¹ - (S(z) - S(z + q))ᵏ⁻¹) dz with S(z) = P(Z > z).
    #[test]
    fn studentized_ranges(q in 0.0..15.0_f64, k in 2_usize..30) {
        let others = (k - 1) as f64;
        let outside = |z: f64| {
            let above = normal_tail(z);
            let share = (normal_tail(z + q) / above).min(1.0);
            exp(others * ln(above)) * -exp_m1(others * ln_1p(-share))
        };
        let density = Normal::standard();
        let terms = gauss_legendre_on(240, -18.0, 10.0).into_iter();
        let sum: f64 = terms.map(|(z, weight)| weight * density.pdf(z) * outside(z)).sum();
        close(studentized_range::sf(q, k), k as f64 * sum, 1e-11)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn studentized_quantiles(alpha in spread(1e-12, 0.999), k in 2_usize..30) {
        let q = studentized_range::quantile(alpha, k);
        prop_assert!((studentized_range::sf(q, k) / alpha - 1.0).abs() < 1e-12);
    }
}
