//! Tail probabilities of the tests' null distributions, in pure Rust so that p-values are the same
//! on every machine. The continued fraction of the incomplete gamma function is evaluated by the
//! modified Lentz method (Press et al., Numerical Recipes, section 6.2).

use math::special::{exp, ln, ln_gamma};
use math::{beta, student_t};

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

/// The t with P(|T| ≤ t) = `level` for Student's T with `df` > 0 degrees of freedom.
pub fn student_two_sided_quantile(level: f64, df: f64) -> f64 {
    decreasing_root(|t| student_t::two_sided(t, df), 1.0 - level)
}

/// P(F > f) for Fisher and Snedecor's F with `left` and `right` degrees of freedom.
pub fn f_sf(f: f64, left: f64, right: f64) -> f64 {
    if f.is_infinite() {
        return 0.0;
    }
    let total = right + left * f;
    beta::regularized(0.5 * right, 0.5 * left, right / total, left * f / total)
}

/// P(X > x) for a chi-squared X with `df` > 0 degrees of freedom.
pub fn chi_squared_sf(x: f64, df: f64) -> f64 {
    gamma_upper_regularized(0.5 * df, 0.5 * x)
}

/// Two-sided p-value of `count` heads in `n` tosses of a fair coin.
pub fn fair_coin_two_sided(count: u64, n: u64) -> f64 {
    let fewer = count.min(n - count) as f64;
    let tail = beta::regularized(n as f64 - fewer, fewer + 1.0, 0.5, 0.5);
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

#[cfg(test)]
mod tests {
    use super::super::assert_close;
    use super::*;

    #[test]
    fn the_quantile_inverts_the_tail() {
        for (level, df) in [(0.95, 1.0), (0.95, 4.0), (0.5, 30.0), (0.999, 2.5)] {
            let tail = student_t::two_sided(student_two_sided_quantile(level, df), df);
            assert!((tail - (1.0 - level)).abs() < 1e-14, "{tail}");
        }
    }

    #[test]
    fn chi_squared_agrees_with_scipy() {
        // scipy.stats.chi2.sf(x, df)
        assert_close(chi_squared_sf(0.1, 1.0), 0.7518296340458492);
        assert_close(chi_squared_sf(3.84, 1.0), 0.05004352124870519);
        assert_close(chi_squared_sf(30.0, 1.0), 4.3204630578274955e-8);
        assert_close(chi_squared_sf(10.0, 9.0), 0.3504852123233613);
        assert_close(chi_squared_sf(200.0, 19.0), 3.4047651393116526e-32);
        assert_close(chi_squared_sf(25.0, 49.0), 0.998277871832321);
        assert_eq!(chi_squared_sf(0.0, 3.0), 1.0);
    }

    #[test]
    fn f_agrees_with_scipy() {
        // scipy.stats.f.sf(f, left, right)
        assert_close(f_sf(3.69, 3.0, 33.0), 0.02143940860923684);
        assert_close(f_sf(0.2, 5.0, 7.0), 0.9524164502214273);
        assert_close(f_sf(50.0, 2.0, 10.0), 6.209213230591552e-6);
        assert_close(f_sf(1.0, 19.0, 361.0), 0.4601158733768117);
    }

    #[test]
    fn coin_tosses_agree_with_scipy() {
        // scipy.stats.binomtest(count, n).pvalue
        assert_close(fair_coin_two_sided(0, 1), 1.0);
        assert_close(fair_coin_two_sided(2, 10), 0.109375);
        assert_close(fair_coin_two_sided(8, 10), 0.109375);
        assert_close(fair_coin_two_sided(5, 10), 1.0);
        assert_close(fair_coin_two_sided(40, 100), 0.05688793364098089);
        assert_close(fair_coin_two_sided(400, 1000), 2.728464156065947e-10);
    }

    #[test]
    fn normal_tails_are_those_of_tables() {
        // scipy.stats.norm.sf(1.96), 2 * norm.sf(10)
        assert_close(normal_sf(1.96), 0.024997895148220435);
        assert_close(normal_two_sided(-10.0), 1.523970604832094e-23);
    }
}
