//! Friedman's test over several treatments, and the comparisons after it (Demšar, "Statistical
//! Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006, section 3.2).

use super::error::{StatsError, at_least, blocks, finite, open_unit};
use super::ranks::{ranked, tie_term};
use math::distribution::{chi_squared_sf, f_sf};
use math::studentized_range;

/// What Friedman's test found.
#[derive(Debug, Clone, PartialEq)]
pub struct Friedman {
    /// Friedman's χ², corrected for ties.
    pub statistic: f64,
    /// Its p-value.
    pub p: f64,
    /// Number of blocks (datasets).
    pub n: usize,
    /// Mean rank of each treatment (method); 1 is best, ties share their mean rank.
    pub mean_ranks: Vec<f64>,
    /// Iman and Davenport's F, less conservative than χ²; infinite if all blocks agree.
    pub iman_davenport: f64,
    /// The p-value of F.
    pub iman_davenport_p: f64,
}

/// Friedman's rank test.
///
/// Null hypothesis: all treatments are alike, every order of them within a block equally likely.
/// Assumes independent blocks. `values` has one row a block, with one value for each of the k
/// treatments; larger is better. With mean ranks Rⱼ over n blocks and C = 1 - Σ(t³ - t) / (n(k³ - k))
/// over groups of t ties, χ² = [12 n/(k(k+1)) Σ Rⱼ² - 3 n (k+1)] / C with k - 1 degrees of freedom,
/// and F = (n-1) χ² / (n(k-1) - χ²) with k - 1 and (k-1)(n-1) (Iman and Davenport 1980).
///
/// # Errors
/// Fewer than two blocks or treatments, rows of different lengths, a value that is not finite, or
/// ties only.
pub fn friedman(values: &[Vec<f64>]) -> Result<Friedman, StatsError> {
    let (n, k) = blocks("value of a block", values)?;
    let mut rank_sums = vec![0.0; k];
    let mut ties = 0.0;
    for block in values {
        let (ranks, groups) = ranked(&block.iter().map(|value| -value).collect::<Vec<f64>>());
        rank_sums.iter_mut().zip(&ranks).for_each(|(sum, rank)| *sum += rank);
        ties += tie_term(&groups);
    }
    let (blocks, treatments) = (n as f64, k as f64);
    let tie_correction = 1.0 - ties / (blocks * treatments * (treatments * treatments - 1.0));
    if tie_correction <= 0.0 {
        return Err(StatsError::NoVariation { what: "the treatments' values within each block" });
    }
    // Σ (Rⱼ - (k+1)/2)² is the same sum without its cancellation.
    let expected = blocks * (treatments + 1.0) / 2.0;
    let spread: f64 = rank_sums.iter().map(|sum| (sum - expected) * (sum - expected)).sum();
    let statistic = 12.0 * spread / (blocks * treatments * (treatments + 1.0)) / tie_correction;
    let df = treatments - 1.0;
    let rest = blocks * df - statistic;
    // Equal orders in all blocks leave nothing but a rounding error.
    let iman_davenport =
        if rest > 1e-12 * blocks * df { (blocks - 1.0) * statistic / rest } else { f64::INFINITY };
    Ok(Friedman {
        statistic,
        p: chi_squared_sf(statistic, df),
        n,
        mean_ranks: rank_sums.into_iter().map(|sum| sum / blocks).collect(),
        iman_davenport,
        iman_davenport_p: f_sf(iman_davenport, df, df * (blocks - 1.0)),
    })
}

/// Nemenyi's p-value for two of `k` treatments whose mean ranks over `n` blocks differ by
/// `rank_difference`: the probability that the range of k normal variables exceeds
/// |ΔR| √2 / √(k(k+1)/(6n)). It holds for all pairs at once.
///
/// # Errors
/// Fewer than two treatments, no blocks, or a difference that is not finite.
pub fn nemenyi_p(rank_difference: f64, k: usize, n: usize) -> Result<f64, StatsError> {
    finite("rank difference", &[rank_difference])?;
    let error = rank_error(k, n)?;
    Ok(studentized_range::sf(rank_difference.abs() * std::f64::consts::SQRT_2 / error, k))
}

/// Nemenyi's critical difference: mean ranks of `k` treatments over `n` blocks that differ by less
/// are not significantly different at level `alpha`.
///
/// # Errors
/// Fewer than two treatments, no blocks, or an `alpha` outside (0, 1).
pub fn critical_difference(k: usize, n: usize, alpha: f64) -> Result<f64, StatsError> {
    open_unit("alpha", alpha)?;
    let error = rank_error(k, n)?;
    Ok(studentized_range::quantile(alpha, k) * std::f64::consts::FRAC_1_SQRT_2 * error)
}

/// Standard error of a difference of two mean ranks of `k` treatments over `n` blocks under the null hypothesis:
/// √(k(k+1)/(6n)).
///
/// # Errors
/// Fewer than two treatments, or no blocks.
pub fn rank_error(k: usize, n: usize) -> Result<f64, StatsError> {
    at_least(2, "treatments", k)?;
    at_least(1, "blocks", n)?;
    Ok((k as f64 * (k as f64 + 1.0) / (6.0 * n as f64)).sqrt())
}

#[cfg(test)]
mod tests {
    use math::normal;

    use super::super::{Correction, adjust};
    use super::*;
    use crate::tests::assert_close;

    /// Fourteen blocks, four treatments, with ties.
    fn scores() -> Vec<Vec<f64>> {
        [
            [0.763, 0.768, 0.771, 0.798],
            [0.599, 0.591, 0.590, 0.569],
            [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657],
            [0.882, 0.888, 0.886, 0.898],
            [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685],
            [0.583, 0.583, 0.563, 0.625],
            [0.775, 0.838, 0.866, 0.875],
            [1.0, 1.0, 1.0, 1.0],
            [0.940, 0.962, 0.965, 0.962],
            [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.975, 0.975],
            [0.957, 0.978, 0.946, 0.970],
        ]
        .map(|row| row.to_vec())
        .to_vec()
    }

    #[test]
    fn friedman_agrees_with_scipy() {
        // scipy.stats.friedmanchisquare(*A.T); scipy.stats.rankdata(-row).mean(0);
        // F = 13 * chi / (14 * 3 - chi), scipy.stats.f.sf(F, 3, 39)
        let result = friedman(&scores()).unwrap();
        assert_close(result.statistic, 10.952380952380956);
        assert_close(result.p, 0.011986176325417788);
        assert_close(result.iman_davenport, 4.585889570552149);
        assert_close(result.iman_davenport_p, 0.007628838730725745);
        let ranks = [3.142857142857143, 2.0, 2.9285714285714284, 1.9285714285714286];
        result.mean_ranks.iter().zip(ranks).for_each(|(&a, b)| assert_close(a, b));
    }

    #[test]
    fn nemenyi_agrees_with_scipy() {
        // se = sqrt(4 * 5 / (6 * 14));
        // scipy.stats.studentized_range.sf(abs(R[0] - R[j]) / se * 2**.5, 4, np.inf)
        let ranks = friedman(&scores()).unwrap().mean_ranks;
        for (j, p) in [(1, 0.08867270928888271), (2, 0.9716864713022134), (3, 0.06168325891240056)]
        {
            let actual = nemenyi_p(ranks[0] - ranks[j], 4, 14).unwrap();
            assert!((actual - p).abs() < 1e-12, "{actual} instead of {p}");
        }
        // scipy.stats.studentized_range.isf(alpha, 4, np.inf) / 2**.5 * se
        for (alpha, difference) in [(0.05, 1.2535591471176057), (0.10, 1.1180601669815278)] {
            let actual = critical_difference(4, 14, alpha).unwrap();
            assert!((actual - difference).abs() < 1e-7, "{actual} instead of {difference}");
            let p = nemenyi_p(actual, 4, 14).unwrap();
            assert!((p - alpha).abs() < 1e-12, "{p}");
        }
    }

    #[test]
    fn holm_against_the_control_agrees_with_statsmodels() {
        // z = (R[1:] - R[0]) / se; p = 2 * scipy.stats.norm.sf(abs(z));
        // statsmodels.stats.multitest.multipletests(p, method="holm")[1]
        let (ranks, error) = (friedman(&scores()).unwrap().mean_ranks, rank_error(4, 14).unwrap());
        let z: Vec<f64> = ranks[1..].iter().map(|rank| (rank - ranks[0]) / error).collect();
        let p: Vec<f64> = z.iter().map(|z| normal::two_sided(*z)).collect();
        let adjusted = adjust(&p, Correction::Holm);
        let expected = [
            (-2.3421601750764793, 0.019172484755223106, 0.03848008093645639),
            (-0.43915503282684015, 0.6605492052016728, 0.6605492052016728),
            (-2.4885451860187593, 0.012826693645485464, 0.03848008093645639),
        ];
        assert_eq!(z.len(), 3);
        for (at, expected) in expected.into_iter().enumerate() {
            let found = [z[at], p[at], adjusted[at]];
            let off = found.iter().zip(<[f64; 3]>::from(expected)).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f64::max) < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn blocks_that_all_agree_have_an_infinite_f() {
        let result = friedman(&vec![vec![3.0, 2.0, 1.0]; 5]).unwrap();
        assert_eq!(result.mean_ranks, [1.0, 2.0, 3.0]);
        assert_eq!(result.statistic, 10.0);
        assert_eq!((result.iman_davenport, result.iman_davenport_p), (f64::INFINITY, 0.0));
    }

    #[test]
    fn bad_input_is_an_error() {
        let row = || vec![1.0, 2.0, 3.0];
        assert!(matches!(friedman(&[]), Err(StatsError::TooFew { what: "blocks", .. })));
        assert!(matches!(friedman(&[row()]), Err(StatsError::TooFew { what: "blocks", .. })));
        assert!(matches!(
            friedman(&[vec![1.0], vec![2.0]]),
            Err(StatsError::TooFew { what: "treatments", needed: 2, got: 1 })
        ));
        assert!(matches!(
            friedman(&[row(), vec![1.0, 2.0]]),
            Err(StatsError::UnequalLengths { index: 1, expected: 3, got: 2 })
        ));
        assert!(matches!(
            friedman(&[row(), vec![1.0, f64::NAN, 2.0]]),
            Err(StatsError::NonFinite { index: 1, .. })
        ));
        let ties = vec![vec![1.0; 3]; 4];
        assert!(matches!(friedman(&ties), Err(StatsError::NoVariation { .. })));
        assert!(nemenyi_p(f64::NAN, 3, 5).is_err());
        assert!(nemenyi_p(1.0, 1, 5).is_err());
        assert!(critical_difference(3, 0, 0.05).is_err());
        assert!(critical_difference(3, 5, 1.0).is_err());
    }
}
