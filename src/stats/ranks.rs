//! Ranks with ties.

/// Ranks of finite values from 1 for the smallest; equal values share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    ranked(values).0
}

/// The ranks, and the size of every group of equal values.
pub(super) fn ranked(values: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut groups = Vec::new();
    let mut before = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = before as f64 + (group.len() as f64 + 1.0) / 2.0;
        group.iter().for_each(|&index| ranks[index] = rank);
        groups.push(group.len());
        before += group.len();
    }
    (ranks, groups)
}

/// The probability of each sum of those ranks to which fair signs give a plus, up to one.
pub(super) fn sums_of_ranks(ranks: impl Iterator<Item = usize>, most: usize) -> Vec<f64> {
    let mut mass = vec![0.0; most + 1];
    mass[0] = 1.0;
    for rank in ranks {
        for sum in (0..mass.len()).rev() {
            let with = if sum >= rank { mass[sum - rank] } else { 0.0 };
            mass[sum] = 0.5 * (mass[sum] + with);
        }
    }
    mass
}

/// Σ (t³ - t) over groups of t equal values.
pub(super) fn tie_term(groups: &[usize]) -> f64 {
    groups.iter().map(|&group| group as f64).map(|t| t * t * t - t).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_mean_rank() {
        // scipy.stats.rankdata([3, 1, 3, -2, 3, 1])
        assert_eq!(ranks(&[3.0, 1.0, 3.0, -2.0, 3.0, 1.0]), [5.0, 2.5, 5.0, 1.0, 5.0, 2.5]);
        assert_eq!(ranks(&[0.0, -0.0]), [1.5, 1.5]);
        assert!(ranks(&[]).is_empty());
        assert_eq!(tie_term(&ranked(&[3.0, 1.0, 3.0, -2.0, 3.0, 1.0]).1), 24.0 + 6.0);
    }
}
