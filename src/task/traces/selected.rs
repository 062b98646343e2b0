//! Columns that were selected among very many, by all rows.

use math::sample::mean;

use super::numbers::{Numbers, PAIRED};

/// So many columns were selected, at least: each tells so much, in standard errors,
const SELECTED: usize = 8;
const TELLS: f64 = 2.0;
/// they are so large a part of those that measure something,
const MOST_OF: f64 = 0.8;
/// and half of them tell hardly more than the least, as in the tail of chance, where it is .7 divided by the least.
const TAIL: f64 = 1.1;
/// The mean of the correlations of independent columns, in standard errors, and a part of it again.
const INDEPENDENT: f64 = 1.6 * 0.8;

/// A column of this number, with its correlations with each target.
struct Told<'n, 'v> {
    at: usize,
    column: &'n Numbers<'v>,
    by: Vec<f64>,
}

impl<'n, 'v> Told<'n, 'v> {
    fn of((at, column): (usize, &'n Numbers<'v>), targets: &[Vec<f64>]) -> Self {
        Self { at, column, by: targets.iter().map(|target| column.correlation(target)).collect() }
    }

    /// The most that it tells of a target, in standard errors.
    fn errors(&self) -> f64 {
        self.by.iter().map(|by| by.abs()).fold(0.0, f64::max) * (self.column.rows() as f64).sqrt()
    }

    /// What two columns have in common but for what both tell of one target.
    fn left(&self, other: &Self) -> f64 {
        let shared = self.by.iter().zip(&other.by).map(|(one, other)| one * other);
        let shared = shared.max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
        (self.column.with(other.column) - shared).abs()
    }
}

/// The columns that tell what the best of very many columns tell by chance: most do a little, half of these hardly more than the
/// least, and independently of each other. Else none.
pub(super) fn selected(measured: &[(usize, &Numbers<'_>)], targets: &[Vec<f64>]) -> Vec<usize> {
    let told = measured.iter().map(|column| Told::of(*column, targets));
    let mut those: Vec<(f64, Told<'_, '_>)> = told.map(|one| (one.errors(), one)).collect();
    those.retain(|(errors, _)| *errors >= TELLS);
    if !(SELECTED..=PAIRED).contains(&those.len())
        || (those.len() as f64) < MOST_OF * measured.len() as f64
    {
        return Vec::new();
    }
    those.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (least, middle) = (those[0].0, those[those.len() / 2].0);
    if middle - least > TAIL / least {
        return Vec::new();
    }
    let pairs = those.iter().enumerate();
    let left =
        pairs.flat_map(|(at, (_, one))| those[..at].iter().map(move |(_, other)| one.left(other)));
    let independent = INDEPENDENT / (those[0].1.column.rows() as f64).sqrt();
    if mean(&left.collect::<Vec<f64>>()) > independent {
        return Vec::new();
    }
    those.into_iter().map(|(_, one)| one.at).collect()
}
