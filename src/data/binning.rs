//! Ten intervals for the values of a numeric column, so that methods for categorical attributes can take
//! it.
//!
//! All rules but one look at the training examples only. [`Binning::FileOrder`] ranks all examples and
//! breaks ties by their order in the file; where the file is sorted by class it tells the class of test
//! examples, and stands here because a published result can't be had without it.

use contract::words;
use contract::words::{Worded as _, Words};
use std::sync::Arc;

use contract::categorical::{Attribute, CategoricalRows};
use contract::numeric::NumericRows;

/// Number of intervals.
pub const BINS: usize = 10;

words! {
    /// How the values of a column are divided.
    pub enum Binning {
        /// Interpolated linearly; a value at a decile lies above it.
        Deciles = "deciles", "ten intervals between the deciles of the training values";
        /// As many tenths as lie below a value, half of those that equal it counted.
        AverageRank = "average-rank", "tenths by the rank among the training values, half of the equal ones counted";
        EqualWidth = "equal-width", "ten intervals of one length over the range of the training values";
        FileOrder = "file-order", "tenths by the rank among all values, equal ones in the order of the file; tells the class of test examples where the file is sorted by class";
    }
}

impl Binning {
    /// The rules by the words that files use, and that for none.
    pub const ALL: Words<Option<Self>> = {
        const RULES: Words<Binning> = Binning::WORDS;
        Words(&[
            ("none", None, "they stay numbers"),
            RULES.some(0),
            RULES.some(1),
            RULES.some(2),
            RULES.some(3),
        ])
    };

    /// The codes of all rows, by a rule fitted to those of `train`. Time O(n N log N).
    pub fn codes(self, rows: &NumericRows, train: &[usize]) -> CategoricalRows {
        let columns = rows.columns();
        let mut codes = vec![0; rows.len() * columns];
        for column in 0..columns {
            let values: Vec<f64> = rows.column(column).collect();
            let of_column = self.column(&values, train);
            for (row, code) in of_column.into_iter().enumerate() {
                codes[row * columns + column] = code;
            }
        }
        let values = (1..=BINS).map(|bin| bin.to_string()).collect();
        let attribute = Attribute { values, missing: false };
        let mut coded = CategoricalRows::new(Arc::new(vec![attribute; columns]));
        codes.chunks_exact(columns).for_each(|row| coded.push(row));
        coded
    }

    /// The codes of one column.
    pub(super) fn column(self, values: &[f64], train: &[usize]) -> Vec<u16> {
        let mut sorted: Vec<f64> = train.iter().map(|&row| values[row]).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else {
            return vec![0; values.len()];
        };
        let below = |value: f64| sorted.partition_point(|&other| other < value);
        match self {
            Self::Deciles => {
                let deciles: Vec<f64> = (1..BINS).map(|k| quantile(&sorted, k, BINS)).collect();
                let bin = |&value: &f64| deciles.partition_point(|&cut| cut <= value) as u16;
                values.iter().map(bin).collect()
            }
            Self::AverageRank => {
                let upto = |value: f64| sorted.partition_point(|&other| other <= value);
                let bin = |&value: &f64| {
                    let twice = below(value) + upto(value);
                    (BINS * twice / (2 * sorted.len())).min(BINS - 1) as u16
                };
                values.iter().map(bin).collect()
            }
            Self::EqualWidth => {
                let width = (high - low) / BINS as f64;
                let bin = |&value: &f64| {
                    let steps = if width > 0.0 { (value - low) / width } else { 0.0 };
                    (steps.clamp(0.0, (BINS - 1) as f64)) as u16
                };
                values.iter().map(bin).collect()
            }
            Self::FileOrder => {
                let mut order: Vec<usize> = (0..values.len()).collect();
                order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
                let mut codes = vec![0; values.len()];
                for (rank, row) in order.into_iter().enumerate() {
                    codes[row] = (BINS * rank / values.len()) as u16;
                }
                codes
            }
        }
    }
}

/// The k-th of n quantiles of sorted values, interpolated linearly between order statistics.
fn quantile(sorted: &[f64], k: usize, n: usize) -> f64 {
    let (place, rest) = (k * (sorted.len() - 1) / n, k * (sorted.len() - 1) % n);
    let low = sorted[place];
    let high = sorted[(place + 1).min(sorted.len() - 1)];
    low + (high - low) * (rest as f64 / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 13] = [5.1, 4.9, 4.7, 4.6, 5.0, 5.4, 4.6, 5.0, 4.4, 4.9, 9.0, 1.0, 5.0];

    fn codes(binning: Binning) -> Vec<u16> {
        let train: Vec<usize> = (0..10).collect();
        binning.codes(&NumericRows::new(1, VALUES.to_vec()), &train).codes().to_vec()
    }

    #[test]
    fn deciles_are_those_of_numpy() {
        // numpy 2.4.6: np.searchsorted(np.quantile(v[:10], np.arange(1, 10) / 10), v, side="right")
        assert_eq!(codes(Binning::Deciles), [8, 5, 3, 2, 7, 9, 2, 7, 0, 5, 9, 0, 7]);
    }

    #[test]
    fn average_ranks_count_half_of_the_ties() {
        // By hand: sorted 4.4 4.6 4.6 4.7 4.9 4.9 5.0 5.0 5.1 5.4.
        assert_eq!(codes(Binning::AverageRank), [8, 5, 3, 2, 7, 9, 2, 7, 0, 5, 9, 0, 7]);
        assert_eq!(
            Binning::AverageRank.column(&[1.0, 1.0, 1.0, 2.0, 0.0], &[0, 1, 2]),
            [5, 5, 5, 9, 0]
        );
    }

    #[test]
    fn equal_widths_end_at_the_training_range() {
        // numpy 2.4.6, and by hand where the range is empty.
        assert_eq!(codes(Binning::EqualWidth), [6, 5, 2, 1, 5, 9, 1, 5, 0, 5, 9, 0, 5]);
        assert_eq!(Binning::EqualWidth.column(&[3.0, 3.0, 8.0], &[0, 1]), [0, 0, 0]);
    }

    #[test]
    fn file_order_breaks_ties_by_place() {
        let rows: Vec<f64> = vec![1.0; 20];
        let codes = Binning::FileOrder.column(&rows, &[0]);
        assert_eq!(codes, (0..20).map(|row| row / 2).collect::<Vec<u16>>());
    }

    #[test]
    fn only_the_file_order_rule_looks_at_other_examples() {
        let train: Vec<usize> = (0..10).collect();
        let mut others = VALUES;
        others[10] = -3.0;
        for (word, binning) in Binning::ALL.iter() {
            let Some(binning) = binning else { continue };
            let same =
                binning.column(&VALUES, &train)[..10] == binning.column(&others, &train)[..10];
            assert_eq!(same, binning != Binning::FileOrder, "{word}");
        }
    }
}
