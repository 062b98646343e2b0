//! What a test of differences could have shown.

use math::distribution::chi_squared_above;
use math::student_t::two_sided_quantile;

use super::error::{StatsError, enough};
use super::student::{Dependence, Mean, varying_mean, welch_mean};

/// The probability with which a difference is to be shown.
pub const POWER: f64 = 0.8;

/// How many units are tried at most.
const MOST: usize = 1_000_000;

/// What a test of the mean of differences shows, by the differences that were seen.
///
/// The difference that a t-test shows with probability .8 is (t(1 - a / 2) + t(.8)) s sqrt(1 / n + ratio), with n - 1
/// degrees of freedom and the upper 80% bound of the standard deviation as s. Where training sets overlap, `ratio` is that
/// of [`paired_t`](super::paired_t), which no number of units takes away. A test by ranks or signs
/// needs more units by its efficiency relative to t where differences are normal (Pitman). Differences of one cluster are
/// one unit. Differences, deviations and what is shown are all in the unit of the values.
///
/// An exact test by signs gives n units a two-sided p of 2^(1 - n) at the least, so a few show no difference, however large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// How many units were seen: differences, or clusters of them.
    pub n: usize,
    /// Upper 80% bound of their standard deviation, by chi-squared.
    pub sd: f64,
    ratio: f64,
    efficiency: f64,
    /// The two-sided levels of the quantiles that are added up: of the test, and of the probability.
    levels: [f64; 2],
    /// Degrees of freedom of the standard deviation.
    df: f64,
    /// So few units show no difference.
    fewest: usize,
}

impl Power {
    /// Of differences, for a two-sided level.
    ///
    /// # Errors
    /// Fewer than two differences, one that is not finite, or all of them equal.
    pub fn of(
        differences: &[f64],
        dependence: &Dependence,
        efficiency: f64,
        alpha: f64,
    ) -> Result<Self, StatsError> {
        enough("differences", differences, 2)?;
        let Mean { error, df, .. } = varying_mean(differences, dependence)?;
        let ratio = match dependence {
            Dependence::Overlap(ratio) => *ratio,
            Dependence::None | Dependence::Clusters(_) | Dependence::Unknown => 0.0,
        };
        let n = df + 1.0;
        let sd = error / (1.0 / n + ratio).sqrt() * at_most(df);
        let levels = [1.0 - alpha, 2.0 * POWER - 1.0];
        Ok(Self { n: n as usize, sd, ratio, efficiency, levels, df, fewest: 2 })
    }

    /// Of two samples by Welch's error, where a value of each is one unit.
    ///
    /// # Errors
    /// As [`welch_t`](super::welch_t).
    pub fn of_samples(left: &[f64], right: &[f64], alpha: f64) -> Result<Self, StatsError> {
        let Mean { error, df, .. } = welch_mean(left, right)?;
        let n = left.len().min(right.len());
        let sd = error * (n as f64).sqrt() * at_most(df);
        let levels = [1.0 - alpha, 2.0 * POWER - 1.0];
        Ok(Self { n, sd, ratio: 0.0, efficiency: 1.0, levels, df, fewest: 2 })
    }

    /// The same of two one-sided tests at the level each: which margin they would show where there is no difference.
    #[must_use]
    pub fn of_margin(self) -> Self {
        Self { levels: [2.0 * self.levels[0] - 1.0, POWER], ..self }
    }

    /// The same of a test that counts the ways to deal out signs.
    #[must_use]
    pub fn by_signs(self) -> Self {
        let alpha = 1.0 - self.levels[0];
        let least = std::iter::successors(Some(1.0), |p| Some(0.5 * p)).take_while(|p| *p > alpha);
        Self { fewest: 1 + least.count(), ..self }
    }

    /// The smallest difference that would be shown; infinite where no difference would.
    pub fn smallest(&self) -> f64 {
        self.at(self.n)
    }

    /// How few units may show a difference at all.
    pub fn fewest(&self) -> usize {
        self.fewest
    }

    /// The difference that no number of units would show: 0 where training sets do not overlap.
    pub fn floor(&self) -> f64 {
        self.quantiles(MOST) * self.sd * self.ratio.sqrt()
    }

    /// How many units would show a difference; none if no number up to a million does.
    pub fn needed(&self, difference: f64) -> Option<usize> {
        if self.at(MOST) > difference {
            return None;
        }
        let (mut low, mut high) = (1, MOST);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if self.at(middle) > difference { low = middle } else { high = middle }
        }
        Some(high)
    }

    fn at(&self, n: usize) -> f64 {
        if n < self.fewest {
            return f64::INFINITY;
        }
        self.quantiles(n) * self.sd * (1.0 / (self.efficiency * n as f64) + self.ratio).sqrt()
    }

    fn quantiles(&self, n: usize) -> f64 {
        let df = self.df * (n - 1) as f64 / (self.n - 1) as f64;
        let [test, power] = self.levels.map(|level| two_sided_quantile(level, df));
        test + power
    }
}

/// How many times larger than it was seen a standard deviation may be: its upper 80% bound, by chi-squared.
fn at_most(df: f64) -> f64 {
    (df / chi_squared_above(POWER, df)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::assert_close;

    #[test]
    fn a_difference_is_shown_as_scipy_says() {
        // sd of 1..5 is sqrt(2.5). scipy 1.17: chi2.ppf(.2, 4) = 1.648776618065969, t.ppf(.975, 4) = 2.7764451051977934,
        // t.ppf(.8, 4) = 0.9409645772351816.
        let power =
            Power::of(&[1.0, 2.0, 3.0, 4.0, 5.0], &Dependence::Overlap(0.25), 1.0, 0.05).unwrap();
        let sd = (2.5f64 * 4.0 / 1.648776618065969).sqrt();
        assert!((power.sd - sd).abs() < 1e-12 * sd);
        let quantiles = 2.7764451051977934 + 0.9409645772351816;
        assert!((power.smallest() / (quantiles * sd * 0.45f64.sqrt()) - 1.0).abs() < 1e-12);
        // Of a million units they are those of the normal distribution: norm.ppf(.975) + norm.ppf(.8).
        let floor = (1.959_963_984_540_054 + 0.841_621_233_572_914_3) * sd * 0.5;
        assert!((power.floor() / floor - 1.0).abs() < 1e-5);
        assert_eq!(power.needed(floor), None);
        assert!(power.needed(floor * 1.01).is_some());
        let free = Power::of(&[1.0, 2.0, 3.0, 4.0, 5.0], &Dependence::None, 1.0, 0.05).unwrap();
        let needed = free.needed(1.0).unwrap();
        assert!(free.at(needed) <= 1.0 && free.at(needed - 1) > 1.0);
        assert_close(free.floor(), 0.0);
        // Ranks need 1 / .955 times as many.
        let ranks = Power::of(&[1.0, 2.0, 3.0, 4.0, 5.0], &Dependence::None, 0.955, 0.05).unwrap();
        assert!(ranks.needed(0.1).unwrap() as f64 / free.needed(0.1).unwrap() as f64 > 1.04);
    }

    #[test]
    fn of_two_samples_and_of_a_margin_it_is_as_scipy_says() {
        // scipy 1.17, with Welch and Satterthwaite's df of 8.864864024251473 and error of 0.40797992480956585:
        // (t.ppf(.975, df) + t.ppf(.8, df)) error sqrt(df / chi2.ppf(.2, df))
        let left = [3.1, 2.9, 4.0, 3.6, 3.3];
        let right = [2.2, 4.8, 1.9, 2.6, 2.4, 3.0, 2.7];
        let welch = Power::of_samples(&left, &right, 0.05).unwrap();
        assert_eq!(welch.n, 5);
        assert!((welch.smallest() / 1.6671051684037606 - 1.0).abs() < 1e-10);
        assert_close(welch.floor(), 0.0);
        // (t.ppf(.95, 4) + t.ppf(.9, 4)) sqrt(2.5 4 / chi2.ppf(.2, 4) (1 / 5 + ratio))
        for (dependence, margin) in
            [(Dependence::None, 4.036587345155531), (Dependence::Overlap(0.25), 6.054881017733297)]
        {
            let power = Power::of(&[1.0, 2.0, 3.0, 4.0, 5.0], &dependence, 1.0, 0.05).unwrap();
            assert!((power.of_margin().smallest() / margin - 1.0).abs() < 1e-10);
        }
    }

    /// Wilcoxon's exact test of five pairs has a two-sided p of 2 / 32 at the least.
    #[test]
    fn a_few_signs_show_nothing() {
        let of = |n: usize, alpha: f64| {
            let differences: Vec<f64> = (1..=n).map(|of| of as f64).collect();
            Power::of(&differences, &Dependence::None, 0.955, alpha).unwrap().by_signs()
        };
        assert_eq!(of(5, 0.05).smallest(), f64::INFINITY);
        assert_eq!((of(5, 0.05).fewest(), of(5, 0.0625).fewest(), of(5, 0.01).fewest()), (6, 5, 8));
        assert!(of(5, 0.0625).smallest().is_finite() && of(6, 0.05).smallest().is_finite());
        assert_eq!(of(5, 0.05).needed(1e9), Some(6));
    }

    /// What is said to be shown with probability .8 is shown about so often, with the true standard deviation.
    #[test]
    fn it_is_shown_so_often() {
        let mut random = math::random::Random::new(base::digest::Digest::of(b"power"));
        let levels = [0.95, 0.6];
        let power =
            Power { n: 20, sd: 1.0, ratio: 0.0, efficiency: 1.0, levels, df: 19.0, fewest: 2 };
        let difference = power.smallest();
        let shown = (0..2000).filter(|_| {
            let sample: Vec<f64> = (0..20).map(|_| random.normal() + difference).collect();
            super::super::paired_t(&sample, &Dependence::None).is_ok_and(|found| found.p < 0.05)
        });
        let share = shown.count() as f64 / 2000.0;
        assert!((0.77..0.83).contains(&share), "{share}");
    }
}
