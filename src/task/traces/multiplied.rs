//! Columns that multiply up to the target.

use math::matrix::Matrix;
use math::matrix::cholesky::{Cholesky, add_gram};
use math::sample::Sample;
use math::special::ln;
use math::vector::dot;

use super::numbers::Numbers;

/// Of more columns it is not asked, nor of fewer rows a column.
const COLUMNS: usize = 30;
const ROWS: usize = 10;
/// A product of powers leaves so much of the variance of the target's logarithm, and so much of what a sum of the columns leaves of
/// the target's own: prices and physical laws are often nearer to a product than to a sum, and not that near.
const LEFT: f64 = 0.015;
const OF_SUM: f64 = 0.25;
/// A factor moves the product by so much of what the target moves.
const FACTOR: f64 = 0.1;
/// Columns that depend on each other share their power.
const RIDGE: f64 = 1e-9;

/// The factors of the product of powers of columns that is the target, all but exactly; else none.
pub(super) fn multiplied(measured: &[(usize, &Numbers<'_>)], target: &[f64]) -> Vec<usize> {
    let columns = measured.iter().map(|(at, one)| (*at, one.values()));
    let positive = |values: &[f64]| values.iter().all(|value| *value > 0.0 || value.is_nan());
    let columns: Vec<(usize, &[f64])> = columns.filter(|(_, values)| positive(values)).collect();
    let complete = |row: &usize| columns.iter().all(|(_, values)| values[*row].is_finite());
    let rows: Vec<usize> = (0..target.len()).filter(complete).collect();
    if !(2..=COLUMNS).contains(&columns.len())
        || rows.len() < ROWS * columns.len()
        || !rows.iter().all(|row| target[*row] > 0.0)
    {
        return Vec::new();
    }
    let left = |scale: fn(f64) -> f64| {
        let scaled = |values: &[f64]| rows.iter().map(|row| scale(values[*row])).collect();
        let columns: Vec<Vec<f64>> = columns.iter().map(|(_, values)| scaled(values)).collect();
        fitted(&columns, &scaled(target))
    };
    let Some(((by_product, powers), (by_sum, _))) = left(ln).zip(left(|value| value)) else {
        return Vec::new();
    };
    if by_product > LEFT || by_product > OF_SUM * by_sum {
        return Vec::new();
    }
    let factors = columns.iter().zip(powers).filter(|(_, power)| power.abs() >= FACTOR);
    factors.map(|((at, _), _)| *at).collect()
}

/// The part of the variance that the sum of columns leaves by least squares, and their weights, all in standard deviations.
fn fitted(columns: &[Vec<f64>], target: &[f64]) -> Option<(f64, Vec<f64>)> {
    let columns: Vec<Vec<f64>> =
        columns.iter().map(|values| standard(values)).collect::<Option<_>>()?;
    let target = standard(target)?;
    let x = Matrix::from_fn(target.len(), columns.len(), |row, column| columns[column][row]);
    let mut gram = Matrix::from_diagonal(&vec![RIDGE * target.len() as f64; columns.len()]);
    add_gram(&mut gram, &x, 1.0);
    let with: Vec<f64> = columns.iter().map(|column| dot(column, &target)).collect();
    let mut weights = with.clone();
    Cholesky::new(gram)?.solve(&mut weights);
    Some((1.0 - dot(&weights, &with) / (target.len() - 1) as f64, weights))
}

fn standard(values: &[f64]) -> Option<Vec<f64>> {
    let sample: Sample = values.iter().copied().collect();
    let sd = sample.sd().filter(|sd| *sd > 0.0)?;
    Some(values.iter().map(|value| (value - sample.mean) / sd).collect())
}
