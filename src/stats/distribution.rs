//! Tail probabilities of the tests' null distributions, in pure Rust so that p-values are the same
//! on every machine. Continued fractions by the modified Lentz method (Press et al., Numerical
//! Recipes, sections 6.2 and 6.4).

use crate::math::special::{exp, ln, ln_gamma};

/// Relative size of the first factor that no longer matters.
const PRECISION: f64 = 1e-15;
/// Keeps a continued fraction's denominators off zero.
const TINY: f64 = 1e-300;
/// More terms than any argument of ours needs; some √a of them are used.
const MOST_TERMS: usize = 1_000_000;

/// P(Z > z) for a standard normal Z.
pub fn normal_sf(z: f64) -> f64 {
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(|Z| ≥ |z|) for a standard normal Z.
pub fn normal_two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(|T| ≥ |t|) for Student's T with `df` > 0 degrees of freedom.
pub fn student_two_sided(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let total = df + t * t;
    beta_regularized(0.5 * df, 0.5, df / total, t * t / total)
}

/// The t with P(|T| ≤ t) = `level` for Student's T with `df` > 0 degrees of freedom.
pub fn student_two_sided_quantile(level: f64, df: f64) -> f64 {
    decreasing_root(|t| student_two_sided(t, df), 1.0 - level)
}

/// P(F > f) for Fisher and Snedecor's F with `left` and `right` degrees of freedom.
pub fn f_sf(f: f64, left: f64, right: f64) -> f64 {
    if f.is_infinite() {
        return 0.0;
    }
    let total = right + left * f;
    beta_regularized(0.5 * right, 0.5 * left, right / total, left * f / total)
}

/// P(X > x) for a chi-squared X with `df` > 0 degrees of freedom.
pub fn chi_squared_sf(x: f64, df: f64) -> f64 {
    gamma_upper_regularized(0.5 * df, 0.5 * x)
}

/// Two-sided p-value of `count` heads in `n` tosses of a fair coin.
pub fn fair_coin_two_sided(count: u64, n: u64) -> f64 {
    let fewer = count.min(n - count) as f64;
    let tail = beta_regularized(n as f64 - fewer, fewer + 1.0, 0.5, 0.5);
    (2.0 * tail).min(1.0)
}

/// Where a continuous function that falls from 1 at zero towards 0 takes `value`, by bisection to
/// the last bit.
pub fn decreasing_root(function: impl Fn(f64) -> f64, value: f64) -> f64 {
    let mut high = 1.0;
    while function(high) > value && high < f64::MAX / 2.0 {
        high *= 2.0;
    }
    let mut low = 0.0;
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if function(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The regularised incomplete beta function Iₓ(a, b), with y = 1 - x given apart so that neither
/// end loses digits.
fn beta_regularized(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_regularized_lower(b, a, y, x);
    }
    beta_regularized_lower(a, b, x, y)
}

/// [`beta_regularized`] left of its mean, where the continued fraction converges fast.
fn beta_regularized_lower(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * ln(x) + b * ln(y);
    let odd = |m: f64| -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    let even = |m: f64| m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    let terms = (0..MOST_TERMS).map(|term| {
        let m = (term / 2) as f64;
        (if term % 2 == 0 { odd(m) } else { even(m + 1.0) }, 1.0)
    });
    exp(front) / (a * lentz(1.0, terms))
}

/// The regularised upper incomplete gamma function Q(a, x).
fn gamma_upper_regularized(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = exp(a * ln(x) - x - ln_gamma(a));
    if x < a + 1.0 {
        let mut term = 1.0 / a;
        let mut sum = term;
        let mut n = a;
        while term > sum * PRECISION {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    let terms = (1..MOST_TERMS).map(|i| {
        let i = i as f64;
        (-i * (i - a), x + 2.0 * i + 1.0 - a)
    });
    front / lentz(x + 1.0 - a, terms)
}

/// The continued fraction `first` + a₁/(b₁ + a₂/(b₂ + …)) over the pairs (aᵢ, bᵢ).
fn lentz(first: f64, terms: impl Iterator<Item = (f64, f64)>) -> f64 {
    let off_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut fraction = off_zero(first);
    let mut c = fraction;
    let mut d = 0.0;
    for (numerator, denominator) in terms {
        d = 1.0 / off_zero(denominator + numerator * d);
        c = off_zero(denominator + numerator / c);
        let factor = c * d;
        fraction *= factor;
        if (factor - 1.0).abs() < PRECISION {
            break;
        }
    }
    fraction
}
