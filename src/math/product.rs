//! Products of small matrices, row by row in memory, each element summed in one order.

use super::wide::{Level, wide};

wide! {
    /// Adds to `out` (rows by `width`) the product of `left` (rows by `inner`) and `right` (`inner` by `width`). Each element is added to
    /// in the order of `inner`.
    ///
    /// # Panics
    /// If the lengths do not fit.
    pub fn add_product(left: &[f64], right: &[f64], inner: usize, width: usize, out: &mut [f64]) {
        assert!(left.len() * width == out.len() * inner && right.len() == inner * width);
        let (mut left, mut out) = (left, out);
        while left.len() >= ROWS * inner && !left.is_empty() {
            rows::<ROWS>(left, right, inner, width, out);
            left = &left[ROWS * inner..];
            out = &mut out[ROWS * width..];
        }
        while !left.is_empty() {
            rows::<1>(left, right, inner, width, out);
            left = &left[inner..];
            out = &mut out[width..];
        }
    }
}

/// Rows and columns of a block that stays in registers.
const ROWS: usize = 4;
const COLUMNS: usize = 8;

/// The first `R` rows.
#[inline(always)]
fn rows<const R: usize>(left: &[f64], right: &[f64], inner: usize, width: usize, out: &mut [f64]) {
    let whole = width - width % COLUMNS;
    for column in (0..whole).step_by(COLUMNS) {
        block::<R, COLUMNS>(left, right, inner, (width, column), out);
    }
    for column in whole..width {
        block::<R, 1>(left, right, inner, (width, column), out);
    }
}

#[inline(always)]
fn block<const R: usize, const C: usize>(
    left: &[f64],
    right: &[f64],
    inner: usize,
    (width, column): (usize, usize),
    out: &mut [f64],
) {
    let mut sums = [[0.0; C]; R];
    for (row, sums) in sums.iter_mut().enumerate() {
        sums.copy_from_slice(&out[row * width + column..][..C]);
    }
    for (k, right) in right.chunks_exact(width).enumerate() {
        let right = &right[column..column + C];
        for (row, sums) in sums.iter_mut().enumerate() {
            let factor = left[row * inner + k];
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum += factor * right;
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        out[row * width + column..][..C].copy_from_slice(sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_gives_the_same_product() {
        let numbers = |n: usize, seed: usize| -> Vec<f64> {
            (0..n).map(|i| ((i * 37 + seed) % 19) as f64 / 7.0).collect()
        };
        for (rows, inner, width) in [(1, 1, 1), (4, 3, 8), (7, 12, 19), (64, 16, 64), (12, 64, 12)]
        {
            let (left, right) = (numbers(rows * inner, 3), numbers(inner * width, 5));
            let mut expected = numbers(rows * width, 11);
            for (at, sum) in expected.iter_mut().enumerate() {
                for k in 0..inner {
                    *sum += left[at / width * inner + k] * right[k * width + at % width];
                }
            }
            for level in Level::available() {
                let mut out = numbers(rows * width, 11);
                add_product::at(level, &left, &right, inner, width, &mut out);
                assert_eq!(out, expected, "{level:?} {rows} {inner} {width}");
            }
        }
    }
}
