//! The nearest of rows of numbers: found fast by products in single precision, decided by the distances themselves.
//!
//! The distance of an asked row a and a row b is D, the sum of (a - b)² in f64, column after column. With each column
//! less its mean, times one power of two that leaves no row a number above 1, and rounded to single precision, they
//! are a' and b'. With A = |a'|² and B = |b'|², D in these units is A + B - 2 a'b' but for at most ε (A + B) + τ,
//! whatever adds up the n terms of a product, in any order, fused or not. In units u = 2⁻²⁴ of A + B:
//!
//! | what is rounded | error |
//! |---|---|
//! | a product in single precision, twice | n / (1 - n u), for 2 Σ abs(a'b') is at most A + B |
//! | rows: each number by (1 + 2⁻²⁸) u of itself, so that a root of D moves by that of abs(a') + abs(b') | 4.01 |
//! | B and B - 2 a'b' in single precision | 3.1 |
//! | D itself and all else in f64 | (n + 1) / 2²⁶ |
//!
//! The sum is below 9/8 (n + 8) as long as n u is at most 1/16. Numbers below the normal ones add less than n 2⁻¹²⁰, τ.
//! Nothing overflows where A is at most 2¹⁰⁰. Elsewhere ε and τ are infinite, and nobody is left out.

use std::ops::Range;

use crate::shared::prediction::check_variables;
use crate::shared::refusals::check_scales;
use contract::numeric::NumericRows;
use contract::{Context, Examples, Result};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

/// Asked rows and rows of a block of products.
const ASKED: usize = 128;
const BLOCK: usize = 1024;
/// Products that are looked at together.
const LOOK: usize = 32;
/// The unit roundoff of single precision.
const UNIT: f64 = 1.0 / (1u32 << 24) as f64;
/// The largest squared norm of an asked row whose products can't overflow, 2¹⁰⁰.
const LARGEST: f64 = (1u128 << 100) as f64;

/// Writes the products of asked rows with other rows.
type Product = fn(ArrayView2<'_, f32>, ArrayView2<'_, f32>, ArrayViewMut2<'_, f32>);

#[expect(clippy::disallowed_methods, reason = "its bits decide nothing: its error is bounded")]
fn product(asked: ArrayView2<'_, f32>, rows: ArrayView2<'_, f32>, mut out: ArrayViewMut2<'_, f32>) {
    ndarray::linalg::general_mat_mul(1.0, &asked, &rows.t(), 0.0, &mut out);
}

/// Rows, ready to be searched.
#[derive(Debug)]
pub(super) struct Neighbours {
    /// k.
    pub(super) k: usize,
    rows: NumericRows,
    means: Vec<f64>,
    scale: f64,
    bound: Bound,
    /// b' of each row, B, and (1 - ε) B.
    single: Array2<f32>,
    squares: Vec<f64>,
    lows: Vec<f32>,
}

/// A neighbour: its squared distance and its place among the rows.
pub(super) type Neighbour = (f64, u32);

impl Neighbours {
    /// k neighbours among these rows.
    ///
    /// # Errors
    /// If there are fewer than k, more than can be counted, or their squares are no numbers.
    pub(super) fn new(rows: &NumericRows, k: usize) -> Result<Self> {
        super::enough(rows.len(), k)?;
        check_scales(rows)?;
        let mut means = vec![0.0; rows.columns()];
        rows.iter().for_each(|row| math::vector::add(&mut means, row));
        means.iter_mut().for_each(|mean| *mean /= rows.len() as f64);
        let mut largest = 0.0_f64;
        for row in rows.iter() {
            let centred = row.iter().zip(&means).map(|(value, mean)| (value - mean).abs());
            largest = centred.fold(largest, f64::max);
        }
        // Its product with `largest` is from 1/2 to 1.
        let scale = f64::from_bits((2045 << 52) - (largest.to_bits() & f64::INFINITY.to_bits()));
        let bound = Bound::new(rows.columns());
        let mut single = Array2::zeros((rows.len(), rows.columns()));
        let squares = place(rows, 0..rows.len(), &means, scale, &mut single);
        let lows = squares.iter().map(|square| ((1.0 - bound.share) * square) as f32).collect();
        Ok(Self { k, rows: rows.clone(), means, scale, bound, single, squares, lows })
    }

    /// What `found` makes of the k nearest rows of each example, in no order, and of whether a row beyond them is as
    /// near as the farthest; of equally far rows the first are the nearer. Time O(N n) an example.
    ///
    /// # Errors
    /// If the examples are no numbers or have other variables, the deadline passes or the user interrupts.
    pub(super) fn map<T: Send>(
        &self,
        examples: &Examples,
        context: &Context,
        found: impl Fn(&mut [Neighbour], bool) -> T + Sync,
    ) -> Result<Vec<T>> {
        check_variables(examples, self.rows.columns(), "the neighbours are")?;
        self.map_by(product, examples.numeric()?, context, &found)
    }

    fn map_by<T: Send>(
        &self,
        product: Product,
        asked: &NumericRows,
        context: &Context,
        found: &(impl Fn(&mut [Neighbour], bool) -> T + Sync),
    ) -> Result<Vec<T>> {
        let scratch =
            || (Array2::zeros((ASKED, self.rows.columns())), Array2::zeros((ASKED, BLOCK)));
        let chunks =
            context.cores.map_chunks(asked.len(), ASKED, scratch, |(single, products), range| {
                let squares = place(asked, range.clone(), &self.means, self.scale, single);
                let single = single.slice(s![..range.len(), ..]);
                let candidates = |&square| Candidates::new(self.k, self.bound.of_asked(square));
                let mut near: Vec<Candidates> = squares.iter().map(candidates).collect();
                for start in (0..self.rows.len()).step_by(BLOCK) {
                    context.check()?;
                    let block = start..(start + BLOCK).min(self.rows.len());
                    let mut products = products.slice_mut(s![..range.len(), ..block.len()]);
                    product(single, self.single.slice(s![block.clone(), ..]), products.view_mut());
                    for (near, products) in near.iter_mut().zip(products.rows()) {
                        let products = products.to_slice().expect("one row after another");
                        self.offer(block.clone(), products, near);
                    }
                }
                let nearest = |(row, near): (usize, Candidates)| {
                    context.check()?;
                    Ok(self.nearest(asked.row(row), near, found))
                };
                range.zip(near).map(nearest).collect::<Result<Vec<T>>>()
            });
        Ok(chunks.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// Takes a block of rows into account.
    fn offer(&self, block: Range<usize>, products: &[f32], near: &mut Candidates) {
        let lows = self.lows[block.clone()].chunks(LOOK);
        for (start, (products, lows)) in block.step_by(LOOK).zip(products.chunks(LOOK).zip(lows)) {
            let distance = |(product, low): (&f32, &f32)| low - 2.0 * product;
            let distances = || products.iter().zip(lows).map(distance);
            // Counted, not sought: the loop is one of vectors.
            if distances().filter(|distance| *distance > near.cut).count() == lows.len() {
                continue;
            }
            for (row, distance) in (start..).zip(distances()) {
                let low = f64::from(distance) - near.margin;
                let high =
                    f64::from(distance) + near.margin + 2.0 * self.bound.share * self.squares[row];
                near.offer(Candidate { low, high, row: row as u32 });
            }
        }
    }

    /// The k nearest of those that may be.
    fn nearest<T>(
        &self,
        asked: &[f64],
        near: Candidates,
        found: &impl Fn(&mut [Neighbour], bool) -> T,
    ) -> T {
        let measured = near.rows().map(|at| {
            let row = self.rows.row(at as usize);
            let squares = row.iter().zip(asked).map(|(a, b)| (a - b) * (a - b));
            (squares.sum::<f64>(), at)
        });
        let mut near: Vec<Neighbour> = measured.collect();
        let order = |a: &Neighbour, b: &Neighbour| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let (_, last, beyond) = near.select_nth_unstable_by(self.k - 1, order);
        let tied = beyond.iter().any(|(distance, _)| *distance == last.0);
        found(&mut near[..self.k], tied)
    }
}

/// Centres, scales and rounds a range of rows, and returns their squared norms.
fn place(
    rows: &NumericRows,
    range: Range<usize>,
    means: &[f64],
    scale: f64,
    single: &mut Array2<f32>,
) -> Vec<f64> {
    let placed = range.zip(single.rows_mut()).map(|(row, mut single)| {
        let values = single.iter_mut().zip(rows.row(row).iter().zip(means));
        values.fold(0.0, |square, (single, (value, mean))| {
            *single = ((value - mean) * scale) as f32;
            square + f64::from(*single) * f64::from(*single)
        })
    });
    placed.collect()
}

/// How far a distance in single precision is from the one that decides: ε and τ.
#[derive(Debug)]
struct Bound {
    share: f64,
    smallest: f64,
}

impl Bound {
    /// For rows of so many columns.
    fn new(columns: usize) -> Self {
        let columns = columns as f64;
        let share = match columns * UNIT <= 1.0 / 16.0 {
            true => 1.125 * (columns + 8.0) * UNIT,
            false => f64::INFINITY,
        };
        Self { share, smallest: columns / (1u128 << 120) as f64 }
    }

    /// The part of an asked row with this squared norm.
    fn of_asked(&self, square: f64) -> f64 {
        if square <= LARGEST { self.share * square + self.smallest } else { f64::INFINITY }
    }
}

/// A row that may be near: its squared distance, less the squared norm of the asked row, is from `low` to `high`.
#[derive(Debug)]
struct Candidate {
    low: f64,
    high: f64,
    row: u32,
}

/// The rows that may be among the k nearest of an asked row, or as near as the k-th. Where bounds are infinite or
/// no numbers, all are.
#[derive(Debug)]
struct Candidates {
    k: usize,
    /// The asked row's part of the bound.
    margin: f64,
    found: Vec<Candidate>,
    /// Candidates from which on it pays to look for those that are too far.
    many: usize,
    /// k rows are not farther than this.
    limit: f64,
    /// Rows at a distance above this, their part of the bound subtracted, are farther than `limit`.
    cut: f32,
}

impl Candidates {
    fn new(k: usize, margin: f64) -> Self {
        let (limit, cut) = (f64::INFINITY, f32::INFINITY);
        Self { k, margin, found: Vec::new(), many: 2 * k + LOOK, limit, cut }
    }

    fn offer(&mut self, candidate: Candidate) {
        if candidate.low > self.limit {
            return;
        }
        self.found.push(candidate);
        if self.found.len() >= self.many {
            self.narrow();
            self.many = 2 * self.found.len() + LOOK;
        }
    }

    /// Leaves out those that k others are nearer than.
    fn narrow(&mut self) {
        let order = |a: &Candidate, b: &Candidate| a.high.total_cmp(&b.high);
        let limit = self.found.select_nth_unstable_by(self.k - 1, order).1.high;
        let farther = |candidate: &Candidate| candidate.low > limit;
        self.found.retain(|candidate| !farther(candidate));
        self.limit = limit;
        self.cut = ((limit + self.margin) as f32).next_up();
    }

    /// Those that are left.
    fn rows(mut self) -> impl Iterator<Item = u32> {
        self.narrow();
        self.found.into_iter().map(|candidate| candidate.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use base::digest::Digest;
    use contract::FitError;
    use math::random::Random;
    use proptest::prelude::*;
    use testing::context;

    /// The nearest by a sort of all distances, each the sum of squares in order, and whether the next is as near.
    fn sorted(rows: &NumericRows, asked: &NumericRows, k: usize) -> Vec<(Vec<(u64, u32)>, bool)> {
        let of_one = |asked: &[f64]| {
            let distance = |row: &[f64]| {
                row.iter().zip(asked).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b))
            };
            let mut all: Vec<(u64, u32)> =
                rows.iter().zip(0..).map(|(row, at)| (distance(row).to_bits(), at)).collect();
            all.sort_unstable();
            let tied = all.get(k).is_some_and(|next| next.0 == all[k - 1].0);
            all.truncate(k);
            (all, tied)
        };
        asked.iter().map(of_one).collect()
    }

    fn found(
        product: Product,
        rows: &NumericRows,
        asked: &NumericRows,
        k: usize,
    ) -> Vec<(Vec<(u64, u32)>, bool)> {
        let neighbours = Neighbours::new(rows, k).unwrap();
        let in_order = |near: &mut [Neighbour], tied| {
            let mut near: Vec<(u64, u32)> =
                near.iter().map(|(d, row)| (d.to_bits(), *row)).collect();
            near.sort_unstable();
            (near, tied)
        };
        let context = context(Digest::of(b"neighbours"), asked.len() % 2);
        neighbours.map_by(product, asked, &context, &in_order).unwrap()
    }

    /// Each element by its two rows and their places.
    fn elements(
        asked: ArrayView2<'_, f32>,
        rows: ArrayView2<'_, f32>,
        mut out: ArrayViewMut2<'_, f32>,
        element: impl Fn(&[f32], &[f32], usize) -> f32,
    ) {
        for ((at, row), out) in out.indexed_iter_mut() {
            let (one, other) = (asked.row(at), rows.row(row));
            *out = element(one.to_slice().unwrap(), other.to_slice().unwrap(), at + row);
        }
    }

    /// A product that is wrong by all that one may be, the way that `sign` says.
    fn wrong(one: &[f32], other: &[f32], sign: f64) -> f32 {
        let of = |a: &[f32], b: &[f32]| {
            a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
        };
        let roundings = one.len() as f64 * UNIT;
        let most = roundings / (1.0 - roundings) * (of(one, one) + of(other, other)) / 2.0;
        let exact = of(one, other);
        let found = (exact + sign * most) as f32;
        match (f64::from(found) - exact).abs() > most {
            true if sign > 0.0 => found.next_down(),
            true => found.next_up(),
            false => found,
        }
    }

    const PRODUCTS: [Product; 7] = [
        product,
        |asked, rows, out| {
            elements(asked, rows, out, |a, b, _| a.iter().zip(b).map(|(a, b)| a * b).sum());
        },
        |asked, rows, out| {
            elements(asked, rows, out, |a, b, _| a.iter().zip(b).rev().map(|(a, b)| a * b).sum());
        },
        |asked, rows, out| {
            let fused = |sum: f32, (a, b): (&f32, &f32)| a.mul_add(*b, sum);
            elements(asked, rows, out, |a, b, _| a.iter().zip(b).fold(0.0, fused));
        },
        |asked, rows, out| elements(asked, rows, out, |a, b, _| wrong(a, b, 1.0)),
        |asked, rows, out| elements(asked, rows, out, |a, b, _| wrong(a, b, -1.0)),
        |asked, rows, out| {
            elements(asked, rows, out, |a, b, at| wrong(a, b, [1.0, -1.0][at % 2]));
        },
    ];

    /// Rows of which some columns are of another unit, whole numbers, or constant, and some rows are there twice.
    fn drawn(seed: u64, count: usize, columns: usize) -> NumericRows {
        let mut random = Random::new(Digest::of(&seed.to_le_bytes()));
        let kinds: Vec<usize> = (0..columns).map(|_| random.below(7)).collect();
        let only = random.below(8);
        let mut values: Vec<f64> = Vec::new();
        for row in 0..count {
            if row > 0 && random.below(4) == 0 {
                let copied = random.below(row) * columns;
                values.extend_from_within(copied..copied + columns);
                continue;
            }
            values.extend(kinds.iter().map(|kind| {
                let value = random.uniform() - 0.5;
                match if only < 5 { only } else { *kind } {
                    0 => value,
                    1 => random.below(3) as f64,
                    2 => value * 1e30,
                    3 => value * 1e-30,
                    4 => 1e6 + value * 1e-3,
                    5 => 0.1,
                    _ => value * value * value * 1e6,
                }
            }));
        }
        NumericRows::new(columns, values)
    }

    proptest! {
        #[test]
        fn any_product_within_its_bound_finds_what_sorting_finds(
            seed in any::<u64>(), count in 1..300_usize, columns in 1..9_usize, k in 1..12_usize,
        ) {
            let k = if seed % 5 == 0 { count } else { k.min(count) };
            let rows = drawn(seed, count, columns);
            let half: Vec<usize> = (0..count).step_by(2).collect();
            for asked in [rows.select(&half), drawn(seed ^ 1, 130, columns)] {
                let expected = sorted(&rows, &asked, k);
                for (at, product) in PRODUCTS.iter().enumerate() {
                    prop_assert!(found(*product, &rows, &asked, k) == expected, "product {at}");
                }
            }
        }
    }

    /// Two groups on either side of their mean, whose rows are nearer to each other than single precision tells.
    #[test]
    fn rows_that_products_confuse_are_measured() {
        let mut random = Random::new(Digest::of(b"groups"));
        let side = |row: usize| if row.is_multiple_of(2) { 1.0 } else { -1.0 };
        let row = |row| (0..6).map(|_| side(row) + random.uniform() * 2e-3).collect::<Vec<f64>>();
        let rows = NumericRows::new(6, (0..3000).flat_map(row).collect());
        let asked = rows.select(&(0..40).collect::<Vec<usize>>());
        let expected = sorted(&rows, &asked, 7);
        for product in PRODUCTS {
            assert_eq!(found(product, &rows, &asked, 7), expected);
        }
    }

    #[test]
    fn nobody_is_left_out_where_products_are_no_numbers() {
        let rows = NumericRows::new(2, vec![0.0, 1.0, 3.0, 1.0, 2.0, 5.0]);
        let asked = NumericRows::new(2, vec![1e300, 1.0, -1e40, 1e10, 1e17, 1.0, f64::MAX, 0.0]);
        // More columns than the bound is proven for.
        let columns = (1 << 20) + 1;
        let wide = NumericRows::new(columns, (0..3 * columns).map(|at| (at % 7) as f64).collect());
        for (rows, asked) in [(&rows, &asked), (&wide, &wide)] {
            for k in 1..=3 {
                assert_eq!(found(product, rows, asked, k), sorted(rows, asked, k));
            }
        }
    }

    #[test]
    fn a_deadline_ends_a_search_that_has_begun() {
        static BLOCKS: AtomicUsize = AtomicUsize::new(0);
        let slow: Product = |_, _, _| {
            BLOCKS.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(200));
        };
        let rows = NumericRows::new(1, (0..3 * BLOCK).map(|at| at as f64).collect());
        let mut context = context(Digest::of(b"deadline"), 0);
        context.deadline = Some(Instant::now() + Duration::from_millis(150));
        let searched = Neighbours::new(&rows, 1).unwrap();
        let found = searched.map_by(slow, &rows.select(&[0]), &context, &|_, _| ());
        assert_eq!(found, Err(FitError::Timeout));
        assert!(BLOCKS.load(Ordering::Relaxed) <= 1);
    }

    /// The bound is worth its proof only if it leaves out nearly all.
    #[test]
    fn hardly_anybody_else_is_measured() {
        let normal = |seed: &[u8], count: usize| {
            let mut random = Random::new(Digest::of(seed));
            NumericRows::new(50, (0..50 * count).map(|_| random.normal()).collect())
        };
        let (rows, asked) = (normal(b"rows", 5000), normal(b"asked", 20));
        let neighbours = Neighbours::new(&rows, 5).unwrap();
        let mut single = Array2::zeros((20, 50));
        let squares = place(&asked, 0..20, &neighbours.means, neighbours.scale, &mut single);
        let mut products = Array2::zeros((20, 5000));
        product(single.view(), neighbours.single.view(), products.view_mut());
        let left = squares.iter().enumerate().map(|(at, square)| {
            let mut near = Candidates::new(5, neighbours.bound.of_asked(*square));
            neighbours.offer(0..5000, products.row(at).to_slice().unwrap(), &mut near);
            near.rows().count()
        });
        assert!(left.max() <= Some(6));
    }
}
