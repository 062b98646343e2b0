//! Tail probabilities of the null distributions of tests. Those of the normal, Student's t distribution and the
//! studentised range have files of their own.

use super::root::decreasing_root;
use super::{beta, gamma};

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
    gamma::upper_regularized(0.5 * df, 0.5 * x)
}

/// The x above which a chi-squared variable with `df` > 0 degrees of freedom lies with probability `p`.
pub fn chi_squared_above(p: f64, df: f64) -> f64 {
    decreasing_root(|x| chi_squared_sf(x, df), p)
}

/// Probability of at most `count` heads in `n` tosses of a fair coin.
pub fn fair_coin_at_most(count: u64, n: u64) -> f64 {
    if count >= n {
        return 1.0;
    }
    beta::regularized((n - count) as f64, count as f64 + 1.0, 0.5, 0.5)
}

/// Two-sided p-value of `count` heads in `n` tosses of a fair coin.
pub fn fair_coin_two_sided(count: u64, n: u64) -> f64 {
    (2.0 * fair_coin_at_most(count.min(n - count), n)).min(1.0)
}

/// The same as a mid-p-value: what was seen counts half (Lancaster, JASA 56, 1961).
pub fn fair_coin_mid_p(count: u64, n: u64) -> f64 {
    let fewer = count.min(n - count);
    let below = if fewer == 0 { 0.0 } else { fair_coin_at_most(fewer - 1, n) };
    (fair_coin_at_most(fewer, n) + below).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(actual: f64, expected: f64) {
        assert!((actual / expected - 1.0).abs() <= 1e-12, "{actual:e} instead of {expected:e}");
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
    fn mid_p_values_agree_with_scipy() {
        // tests/reference/statistics.py
        assert_close(fair_coin_mid_p(2, 10), 0.06542968749999996);
        assert_close(fair_coin_mid_p(8, 10), 0.06542968749999996);
        assert_close(fair_coin_mid_p(5, 10), 1.0);
        assert_close(fair_coin_mid_p(10, 35), 0.011330984183587134);
        assert_close(fair_coin_mid_p(6, 65), 2.7258031986068867e-12);
        assert_close(fair_coin_mid_p(0, 3), 0.125);
    }
}
