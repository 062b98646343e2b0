//! The algebra of the deformed exponential: sections 2 and 4 of the paper, equations (4) and (21)-(30).
//!
//! q of the q-product is the t of the exponential throughout.

use math::special::{exp, exp_m1, ln, ln_1p};

/// The deformed exponential, equation (4): `[1 + (1-t) x]_+^{1/(1-t)}`, and e to the x for t = 1. For
/// t > 1 it is infinite from x = 1/(t-1).
pub fn exp_t(x: f64, t: f64) -> f64 {
    let deformation = 1.0 - t;
    if deformation == 0.0 {
        return exp(x);
    }
    match deformation * x {
        inside if inside > -1.0 => exp(ln_1p(inside) / deformation),
        _ if t > 1.0 => f64::INFINITY,
        _ => 0.0,
    }
}

/// Its inverse, equation (25): `(x^{1-t} - 1) / (1-t)` for x > 0, and the logarithm for t = 1.
pub fn ln_t(x: f64, t: f64) -> f64 {
    ln_t_of_exp(ln(x), t)
}

/// [`ln_t`] of e to the x, also where that is no number.
pub fn ln_t_of_exp(x: f64, t: f64) -> f64 {
    let deformation = 1.0 - t;
    if deformation == 0.0 { x } else { exp_m1(deformation * x) / deformation }
}

/// The q-product of positive numbers, equation (23): its [`ln_t`] is the sum of theirs, so that the
/// product of exponentials is the exponential of the sum. Where (23) is not defined it is what
/// [`exp_t`] is: infinite for t > 1, else zero.
pub fn product(x: f64, y: f64, t: f64) -> f64 {
    exp_t(ln_t(x, t) + ln_t(y, t), t)
}

/// The q-quotient of positive numbers, equation (24), likewise.
pub fn quotient(x: f64, y: f64, t: f64) -> f64 {
    exp_t(ln_t(x, t) - ln_t(y, t), t)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use math::special::pow;

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-11 * expected.abs().max(1.0)
    }

    proptest! {
        /// Arguments for which no bracket is negative: |x| + |y| < 1 / |1 - t|.
        #[test]
        fn the_rules_hold(t in 0.4f64..1.9, x in -0.5f64..0.5, y in -0.5f64..0.5) {
            let deformation = 1.0 - t;
            prop_assert!(near(ln_t(exp_t(x, t), t), x), "inverse");
            // (22), of which (21) is a consequence.
            let pseudo = exp_t(x + y + deformation * x * y, t);
            prop_assert!(near(exp_t(x, t) * exp_t(y, t), pseudo), "(22)");
            let (a, b) = (exp_t(x, t), exp_t(y, t));
            if deformation.abs() > 1e-3 {
                let power = |value: f64| pow(value, deformation);
                let expected = pow(power(a) + power(b) - 1.0, 1.0 / deformation);
                prop_assert!(near(product(a, b, t), expected), "(23)");
                let expected = pow(power(a) - power(b) + 1.0, 1.0 / deformation);
                prop_assert!(near(quotient(a, b, t), expected), "(24)");
            }
            prop_assert!(near(ln_t(product(a, b, t), t), ln_t(a, t) + ln_t(b, t)), "(26)");
            prop_assert!(near(product(a, b, t), exp_t(x + y, t)), "(27)");
            prop_assert!(near(ln_t(quotient(a, b, t), t), ln_t(a, t) - ln_t(b, t)), "(28)");
            prop_assert!(near(quotient(a, b, t), exp_t(x - y, t)), "(29)");
            prop_assert!(near(quotient(product(a, b, t), b, t), a), "the quotient undoes the product");
        }
    }

    #[test]
    fn without_deformation_all_is_as_usual() {
        for (x, y) in [(0.3, 2.0), (4.0, 0.1)] {
            assert_eq!((exp_t(x, 1.0), ln_t(x, 1.0)), (exp(x), ln(x)));
            assert!(near(product(x, y, 1.0), x * y) && near(quotient(x, y, 1.0), x / y));
            // Close to 1 the deformed functions pass into them.
            assert!((exp_t(x, 1.0 + 1e-9) - exp(x)).abs() < 1e-6);
            assert!((ln_t(x, 1.0 - 1e-9) - ln(x)).abs() < 1e-6);
        }
        // (21): with deformation the exponential of a sum is not the product.
        assert!((exp_t(0.8, 1.5) - exp_t(0.4, 1.5) * exp_t(0.4, 1.5)).abs() > 0.1);
    }

    #[test]
    fn outside_its_domain_the_exponential_is_infinite_or_zero() {
        assert_eq!((exp_t(2.0, 1.5), exp_t(3.0, 1.5)), (f64::INFINITY, f64::INFINITY));
        assert_eq!(exp_t(-3.0, 0.5), 0.0);
        // A heavy tail: exp_t falls like a power.
        assert!(near(exp_t(-1e6, 1.5), 1.0 / (500_001.0 * 500_001.0)));
        assert_eq!(product(0.1, 0.1, 0.5), 0.0, "the bracket of (23) is negative");
        assert!(near(ln_t_of_exp(-800.0, 1.5), exp_m1(400.0) / -0.5));
    }
}
