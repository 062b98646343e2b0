//! What is kept of real values of the test examples: those of each example, or means of blocks.

use base::digest::FieldHasher;
use math::decimal::significant;
use math::random::Random;

/// At most so many values are kept.
pub const MOST: usize = 1000;

/// Significant digits of what is kept.
const DIGITS: usize = 7;

/// The values of the test examples, in seven significant digits. Of more than [`MOST`], the means of blocks of so
/// many examples each as are needed; the last to fill up may have one less.
///
/// Which examples are a block depends on their number alone: the blocks of two methods, or of two repeats of a
/// published split, are of the same examples. They are drawn, so the order of the file, by class or by day, does not
/// enter; means of blocks differ from each other as independent examples would, by the root of the block's
/// size less.
pub fn means(values: &[f64]) -> Vec<f64> {
    let size = values.len().div_ceil(MOST);
    if size <= 1 {
        return values.iter().map(|&value| significant(value, DIGITS)).collect();
    }
    let mut blocks = vec![(0.0, 0_u32); values.len().div_ceil(size)];
    let seed = FieldHasher::new("blocks of test examples").number(values.len() as u64);
    let places = Random::new(seed.finish()).permutation(values.len());
    for (place, value) in places.into_iter().zip(values) {
        let count = blocks.len();
        let (sum, examples) = &mut blocks[place % count];
        *sum += value;
        *examples += 1;
    }
    let mean = |(sum, examples): (f64, u32)| significant(sum / f64::from(examples), DIGITS);
    blocks.into_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::sample::Sample;

    #[test]
    fn up_to_a_thousand_are_kept_each() {
        let values: Vec<f64> = (0..MOST).map(|at| -(at as f64) / 3.0).collect();
        let kept = means(&values);
        assert_eq!(kept.len(), MOST);
        assert_eq!(kept[100], -33.33333);
        assert_eq!(means(&[f64::NEG_INFINITY, 0.0]), [f64::NEG_INFINITY, 0.0]);
        assert!(means(&[]).is_empty());
    }

    #[test]
    fn larger_samples_are_blocks_of_equal_size() {
        for (examples, blocks, size) in
            [(1001, 501, 2), (1186, 593, 2), (2000, 1000, 2), (2001, 667, 3), (58_265, 988, 59)]
        {
            // One example is worth one: its block is found by that, and its size by its share.
            for at in [0, examples / 2, examples - 1] {
                let mut values = vec![0.0; examples];
                values[at] = 1.0;
                let kept = means(&values);
                let shares: Vec<f64> = kept.iter().copied().filter(|&value| value != 0.0).collect();
                assert_eq!((kept.len(), shares.len()), (blocks, 1), "{examples}, {at}");
                let found = (1.0 / shares[0]).round() as usize;
                assert!((size - 1..=size).contains(&found), "{examples}, {at}: {found}");
            }
        }
    }

    /// The standard error of the mean over blocks is that over examples, also where the file is sorted.
    #[test]
    fn blocks_have_the_standard_error_of_their_examples() {
        let error = |values: &[f64]| {
            let sample: Sample = values.iter().copied().collect();
            sample.sd().unwrap() / (values.len() as f64).sqrt()
        };
        for examples in [1200, 5000, 40_000] {
            let sorted: Vec<f64> = (0..examples).map(|at| f64::from(at) / 7.0 - 100.0).collect();
            let kept = means(&sorted);
            let ratio = error(&kept) / error(&sorted);
            // Relative standard deviation of a standard error over so many blocks: 1 / root of twice their number.
            let allowed = 4.0 / (2.0 * kept.len() as f64).sqrt();
            assert!((ratio - 1.0).abs() < allowed, "{examples}: {ratio}");
            let mean = kept.iter().sum::<f64>() / kept.len() as f64;
            let expected = sorted.iter().sum::<f64>() / sorted.len() as f64;
            assert!((mean - expected).abs() < 0.1 * error(&sorted), "{examples}: {mean}");
        }
    }
}
