//! Exponential and logarithm of whole slices, written without branches so that the compiler turns
//! them into vector code. The operations and their order are the same for any vector width, so the
//! bits are the same on every x86-64 CPU. Both follow FreeBSD's msun (`e_exp.c`, `e_log.c`).

use super::special;
use super::wide::{Level, wide};

const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
/// Adding it leaves a real of moderate size rounded to a whole number in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

wide! {
    /// Replaces every x by e to the x - `top`, to within one unit in the last place, and by zero where
    /// x - `top` is below `least`. No x may be above `top`, nor `least` below -708.
    pub fn exp_relative(values: &mut [f64], top: f64, least: f64) {
        for value in values {
            let x = *value - top;
            let result = exp_one(x);
            *value = if x < least { 0.0 } else { result };
        }
    }
}

/// e to the x, for x from -708 to 709; of any other x a number without meaning.
#[inline(always)]
fn exp_one(x: f64) -> f64 {
    const P: [f64; 5] = [
        1.666_666_666_666_660_2e-1,
        -2.777_777_777_701_559_3e-3,
        6.613_756_321_437_934e-5,
        -1.653_390_220_546_525_2e-6,
        4.138_136_797_057_238_5e-8,
    ];
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let twos = rounded - ROUND;
    let high = x - twos * LN2_HIGH;
    let low = twos * LN2_LOW;
    let r = high - low;
    let rr = r * r;
    let c = r - rr * (P[0] + rr * (P[1] + rr * (P[2] + rr * (P[3] + rr * P[4]))));
    let y = 1.0 + (r * c / (2.0 - c) - low + high);
    y * f64::from_bits((rounded.to_bits().wrapping_add(1023)) << 52)
}

wide! {
    /// Replaces every x by its natural logarithm, with the bits of [`super::special::ln`]. Every x
    /// must be finite and at least the smallest normal number, 2.3e-308.
    pub fn ln(values: &mut [f64]) {
        for value in values {
            *value = ln_one(*value);
        }
    }
}

#[inline(always)]
fn ln_one(value: f64) -> f64 {
    // High words of the square root of one half and of one.
    const HALF_ROOT: u64 = 0x3fe6_a09e << 32;
    const ONE: u64 = 0x3ff0_0000 << 32;
    const TWO_52: u64 = 0x4330_0000 << 32;
    let bits = value.to_bits().wrapping_add(ONE - HALF_ROOT);
    let exponent = f64::from_bits(TWO_52 | (bits >> 52)) - (f64::from_bits(TWO_52) + 1023.0);
    let mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(HALF_ROOT));
    let f = mantissa - 1.0;
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let t1 = w * (ARTANH[1] + w * (ARTANH[3] + w * ARTANH[5]));
    let t2 = z * (ARTANH[0] + w * (ARTANH[2] + w * (ARTANH[4] + w * ARTANH[6])));
    let r = t2 + t1;
    s * (half_square + r) + exponent * LN2_LOW - half_square + f + exponent * LN2_HIGH
}

wide! {
    /// Replaces every x by 1 / (1 + e^-x), and writes ln(1 + e^x) beside it. Absolute errors are a few units
    /// in the last place of one; e to minus any |x| above 700 is taken for e^-700.
    pub fn logistic(values: &mut [f64], softplus: &mut [f64]) {
        for (value, plus) in values.iter_mut().zip(softplus) {
            let x = *value;
            let Odds { e, large, above, inverse, share } = Odds::of(x);
            let s = above * (inverse * (1.0 + e));
            let z = s * s;
            let (zz, zzzz) = (z * z, (z * z) * (z * z));
            let tail = (ARTANH[0] + ARTANH[1] * z)
                + (ARTANH[2] + ARTANH[3] * z) * zz
                + ((ARTANH[4] + ARTANH[5] * z) + ARTANH[6] * zz) * zzzz;
            let log = if large { std::f64::consts::LN_2 } else { 0.0 } + (2.0 * s + s * z * tail);
            *value = if x < 0.0 { e * share } else { share };
            *plus = log + if x > 0.0 { x } else { 0.0 };
        }
    }
}

wide! {
    /// Replaces every x by 1 / (1 + e^-x): the same numbers as those of [`logistic`].
    pub fn sigmoid(values: &mut [f64]) {
        for value in values {
            let Odds { e, share, .. } = Odds::of(*value);
            *value = if *value < 0.0 { e * share } else { share };
        }
    }
}

/// What [`logistic`] and [`sigmoid`] have in common. With e = e^-|x|, ln(1 + e) is 2 artanh(e / (2 + e)), or
/// ln 2 + 2 artanh((e - 1) / (e + 3)) with a smaller argument; one division serves it and the share.
struct Odds {
    e: f64,
    large: bool,
    above: f64,
    /// 1 / ((1 + e) below).
    inverse: f64,
    /// 1 / (1 + e).
    share: f64,
}

impl Odds {
    #[inline(always)]
    fn of(x: f64) -> Self {
        let e = exp_short(if x.abs() < 700.0 { -x.abs() } else { -700.0 });
        let large = e > std::f64::consts::SQRT_2 - 1.0;
        let (above, below) = if large { (e - 1.0, e + 3.0) } else { (e, e + 2.0) };
        let inverse = 1.0 / ((1.0 + e) * below);
        Self { e, large, above, inverse, share: inverse * below }
    }
}

/// 2 artanh(s) = 2 s + s z (these, by powers of z = s²), for s² up to 0.03 (msun's coefficients).
const ARTANH: [f64; 7] = [
    0.666_666_666_666_673_5,
    0.399_999_999_994_094_2,
    0.285_714_287_436_623_9,
    0.222_221_984_321_497_84,
    0.181_835_721_616_180_5,
    0.153_138_376_992_093_73,
    0.147_981_986_051_165_86,
];

/// e to the x, for x from -708 to 709, to within two units in the last place: a Taylor polynomial whose
/// terms are added in pairs, so that short loops do not wait for each other.
#[inline(always)]
fn exp_short(x: f64) -> f64 {
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let twos = rounded - ROUND;
    let r = (x - twos * LN2_HIGH) - twos * LN2_LOW;
    let rr = r * r;
    let (r4, r8) = (rr * rr, (rr * rr) * (rr * rr));
    let pair = |at: usize| TAYLOR[at] + TAYLOR[at + 1] * r;
    let low = (pair(0) + pair(2) * rr) + (pair(4) + pair(6) * rr) * r4;
    let high = (pair(8) + pair(10) * rr) + TAYLOR[12] * r4;
    (low + high * r8) * f64::from_bits((rounded.to_bits().wrapping_add(1023)) << 52)
}

/// One over the factorials.
const TAYLOR: [f64; 13] = [
    1.0,
    1.0,
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
];

/// Sum in four interleaved lanes, then (0 + 1) + (2 + 3), then the rest in order.
pub fn sum(values: &[f64]) -> f64 {
    sum_of(values, |value| *value)
}

/// Sum of the values at some places, in four lanes as [`sum`].
pub fn sum_at(values: &[f64], places: &[u32]) -> f64 {
    sum_of(places, |&place| values[place as usize])
}

#[inline(always)]
fn sum_of<T>(items: &[T], value: impl Fn(&T) -> f64) -> f64 {
    let mut lanes = [0.0; 4];
    let (quads, rest) = items.as_chunks::<4>();
    for quad in quads {
        for (lane, item) in lanes.iter_mut().zip(quad) {
            *lane += value(item);
        }
    }
    let total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    rest.iter().fold(total, |total, item| total + value(item))
}

/// The largest value; negative infinity if there is none.
pub fn max(values: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let mut lanes = [f64::NEG_INFINITY; 4];
    let (quads, rest) = values.as_chunks::<4>();
    for quad in quads {
        for (lane, &value) in lanes.iter_mut().zip(quad) {
            *lane = larger(*lane, value);
        }
    }
    lanes.iter().chain(rest).fold(f64::NEG_INFINITY, |top, &value| larger(top, value))
}

/// The logarithm of the sum of exponentials; negative infinity if there is none.
pub fn log_sum_exp(logs: &[f64]) -> f64 {
    let top = max(logs);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + special::ln(logs.iter().map(|log| special::exp(log - top)).sum())
}

/// Adds `terms` to `totals`, element by element.
pub fn add(totals: &mut [f64], terms: &[f64]) {
    for (total, term) in totals.iter_mut().zip(terms) {
        *total += term;
    }
}

wide! {
    /// The scalar product, in four interleaved lanes.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn dot(left: &[f64], right: &[f64]) -> f64 {
        assert_eq!(left.len(), right.len(), "vectors of one length");
        let [product] = products([left], right);
        product
    }
}

wide! {
    /// Writes the scalar products of rows, one behind another, with a vector: the numbers of [`dot`].
    pub fn dots(rows: &[f64], vector: &[f64], out: &mut [f64]) {
        let columns = vector.len();
        let row = |at: usize| &rows[at * columns..][..columns];
        let (fours, rest) = out.as_chunks_mut::<4>();
        let fixed = 4 * fours.len();
        for (four, out) in fours.iter_mut().enumerate() {
            *out = products(std::array::from_fn(|at| row(4 * four + at)), vector);
        }
        for (at, out) in rest.iter_mut().enumerate() {
            [*out] = products([row(fixed + at)], vector);
        }
    }
}

/// Several rows at a time, whose sums do not wait for each other.
#[inline(always)]
fn products<const R: usize>(rows: [&[f64]; R], vector: &[f64]) -> [f64; R] {
    let mut lanes = [[0.0; 4]; R];
    let (quads, rest) = vector.as_chunks::<4>();
    let parts = rows.map(|row| row.as_chunks::<4>());
    for (at, quad) in quads.iter().enumerate() {
        for (lanes, (row, _)) in lanes.iter_mut().zip(&parts) {
            for lane in 0..4 {
                lanes[lane] += row[at][lane] * quad[lane];
            }
        }
    }
    std::array::from_fn(|row| {
        let total = (lanes[row][0] + lanes[row][1]) + (lanes[row][2] + lanes[row][3]);
        parts[row].1.iter().zip(rest).fold(total, |total, (left, right)| total + left * right)
    })
}

wide! {
    /// Adds `factor` times `terms` to `totals`, element by element.
    pub fn add_scaled(totals: &mut [f64], factor: f64, terms: &[f64]) {
        for (total, term) in totals.iter_mut().zip(terms) {
            *total += factor * term;
        }
    }
}

wide! {
    /// Adds rows, one behind another, each times its factor, to `totals`: the numbers of [`add_scaled`] row by row.
    pub fn add_rows(totals: &mut [f64], factors: &[f64], rows: &[f64]) {
        accumulate(totals, factors, rows, |x| x);
    }
}

wide! {
    /// The same with the squares of the rows' elements.
    pub fn add_squares(totals: &mut [f64], factors: &[f64], rows: &[f64]) {
        accumulate(totals, factors, rows, |x| x * x);
    }
}

#[inline(always)]
fn accumulate(totals: &mut [f64], factors: &[f64], rows: &[f64], term: impl Fn(f64) -> f64) {
    let columns = totals.len();
    let row = |at: usize| &rows[at * columns..][..columns];
    let (fours, rest) = factors.as_chunks::<4>();
    for (four, factors) in fours.iter().enumerate() {
        let rows: [&[f64]; 4] = std::array::from_fn(|at| row(4 * four + at));
        for (column, total) in totals.iter_mut().enumerate() {
            for at in 0..4 {
                *total += factors[at] * term(rows[at][column]);
            }
        }
    }
    for (at, factor) in rest.iter().enumerate() {
        let row = row(4 * fours.len() + at);
        totals.iter_mut().zip(row).for_each(|(total, &x)| *total += factor * term(x));
    }
}

/// Elements of rows that are worked on at a time: as many as the vector registers of any x86-64 CPU hold, or a lane.
const PART: usize = 20;
const LANE: usize = 4;

wide! {
    /// Writes `base` plus the rows of a table at some places, one after another. Rows are whole lanes of four.
    pub fn sum_rows(base: &[f64], table: &[f64], places: &[u32], out: &mut [f64]) {
        let whole = base.len() - base.len() % PART;
        for first in (0..whole).step_by(PART) {
            sum_part::<PART>(base, table, places, first, out);
        }
        for first in (whole..base.len()).step_by(LANE) {
            sum_part::<LANE>(base, table, places, first, out);
        }
    }
}

/// The elements `first..first + W`, whose sums stay in registers.
#[inline(always)]
fn sum_part<const W: usize>(
    base: &[f64],
    table: &[f64],
    places: &[u32],
    first: usize,
    out: &mut [f64],
) {
    let Some(base_part) = base[first..].first_chunk::<W>() else { return };
    let mut sums = *base_part;
    for &place in places {
        let row = &table[place as usize * base.len() + first..];
        let Some(row) = row.first_chunk::<W>() else { return };
        for (sum, term) in sums.iter_mut().zip(row) {
            *sum += term;
        }
    }
    out[first..first + W].copy_from_slice(&sums);
}

wide! {
    /// Adds `terms`, none of them negative, to the rows of a table at some places. Rows are whole lanes of four; lanes
    /// of zeros change nothing and are left out.
    pub fn add_to_rows(table: &mut [f64], places: &[u32], terms: &[f64]) {
        let whole = terms.len() - terms.len() % PART;
        for first in (0..whole).step_by(PART) {
            let lanes = terms[first..first + PART].chunks_exact(LANE);
            let active = lanes.filter(|lane| lane.iter().any(|&term| term > 0.0)).count();
            if 2 * active > PART / LANE {
                add_part::<PART>(table, places, terms, first);
            } else {
                for first in (first..first + PART).step_by(LANE) {
                    add_part::<LANE>(table, places, terms, first);
                }
            }
        }
        for first in (whole..terms.len()).step_by(LANE) {
            add_part::<LANE>(table, places, terms, first);
        }
    }
}

#[inline(always)]
fn add_part<const W: usize>(table: &mut [f64], places: &[u32], terms: &[f64], first: usize) {
    // A copy, so that it stays in registers.
    let Some(&part) = terms[first..].first_chunk::<W>() else { return };
    if part == [0.0; W] {
        return;
    }
    for &place in places {
        let row = &mut table[place as usize * terms.len() + first..];
        let Some(row) = row.first_chunk_mut::<W>() else { return };
        for (sum, term) in row.iter_mut().zip(part) {
            *sum += term;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::special;
    use base::digest::Digest;

    #[test]
    fn exp_is_within_one_unit_in_the_last_place() {
        let mut random = Random::new(Digest::of(b"exp"));
        let mut values: Vec<f64> = (0..200_000).map(|_| random.uniform() * -708.0).collect();
        values.extend((0..100_000).map(|_| random.uniform() * -2.0));
        values.extend([0.0, -0.0, -1.0, -1e-300, -1e-17, -708.0]);
        let mut results = values.clone();
        exp_relative(&mut results, 0.0, -708.0);
        for (x, result) in values.into_iter().zip(results) {
            let units = result.to_bits().abs_diff(special::exp(x).to_bits());
            assert!(units <= 1, "{x}: {result} is off by {units}");
        }
    }

    #[test]
    fn exp_is_relative_and_cut_off() {
        let mut values = [f64::NEG_INFINITY, -1e300, -38.0, -32.5, 5.0, f64::NAN];
        exp_relative(&mut values, 5.0, -37.5);
        assert_eq!(values[..3], [0.0; 3]);
        assert_eq!(values[3].to_bits(), special::exp(-37.5).to_bits());
        assert_eq!(values[4], 1.0);
        assert!(values[5].is_nan());
    }

    #[test]
    fn ln_has_the_bits_of_libm() {
        let mut random = Random::new(Digest::of(b"ln"));
        let mut values: Vec<f64> =
            (0..200_000).map(|_| special::exp(random.uniform() * 1400.0 - 700.0)).collect();
        values.extend((0..100_000).map(|_| random.uniform() * 1.5 + 0.5));
        values.extend([1.0, 2.0, f64::MIN_POSITIVE, f64::MAX, 0.1]);
        let mut results = values.clone();
        ln(&mut results);
        for (x, result) in values.into_iter().zip(results) {
            assert_eq!(result.to_bits(), special::ln(x).to_bits(), "{x}");
        }
    }

    #[test]
    fn logistic_agrees_with_libm() {
        let mut random = Random::new(Digest::of(b"logistic"));
        let mut values: Vec<f64> = (0..20_000).map(|_| random.uniform() * 80.0 - 40.0).collect();
        values.extend([0.0, -0.0, 1e-9, 699.0, -699.0, 1e5, -1e5]);
        let mut shares = values.clone();
        let mut softplus = vec![0.0; values.len()];
        logistic(&mut shares, &mut softplus);
        let mut alone = values.clone();
        sigmoid(&mut alone);
        assert_eq!(alone, shares);
        for ((x, share), plus) in values.into_iter().zip(shares).zip(softplus) {
            let expected = 1.0 / (1.0 + special::exp(-x));
            assert!((share - expected).abs() <= 4e-16, "{x}: {share}, not {expected}");
            let expected = x.max(0.0) + special::ln_1p(special::exp(-x.abs()));
            assert!((plus - expected).abs() <= 4e-16 * expected.max(1.0), "{x}: {plus}");
        }
    }

    /// One number at a time goes through the code for what is left of a vector.
    #[test]
    fn every_level_gives_the_bits_of_single_numbers() {
        let mut random = Random::new(Digest::of(b"wide"));
        let values: Vec<f64> = (0..5_003).map(|_| random.uniform() * 60.0 - 30.0).collect();
        let functions: [fn(Level, &mut [f64]); 4] = [
            |level, values| exp_relative::at(level, values, 30.0, -700.0),
            |level, values| {
                values.iter_mut().for_each(|value| *value = value.abs() + 1e-9);
                ln::at(level, values);
            },
            |level, values| {
                let mut softplus = vec![0.0; values.len()];
                logistic::at(level, values, &mut softplus);
                values.iter_mut().zip(softplus).for_each(|(value, plus)| *value -= plus);
            },
            |level, values| sigmoid::at(level, values),
        ];
        for function in functions {
            let mut single = values.clone();
            single.chunks_mut(1).for_each(|value| function(Level::Any, value));
            for level in Level::available() {
                let mut whole = values.clone();
                function(level, &mut whole);
                let same = whole.iter().zip(&single).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{level:?}");
            }
        }
    }

    #[test]
    fn reductions_cover_every_length() {
        for n in 0..12 {
            let values: Vec<f64> = (0..n).map(|i| f64::from(i * 7 % 5) - 9.0).collect();
            assert_eq!(sum(&values), values.iter().sum::<f64>());
            let places: Vec<u32> = (0..n as u32).rev().collect();
            assert_eq!(sum_at(&values, &places), values.iter().sum::<f64>());
            assert_eq!(max(&values), values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
    }

    /// By the definitions of `dot` and `add_scaled`, a number after another.
    #[test]
    fn products_of_several_rows_are_those_of_each() {
        let mut random = Random::new(Digest::of(b"rows"));
        let mut drawn = |count: usize| (0..count).map(|_| random.uniform() - 0.5).collect();
        for (count, columns) in [(0, 3), (1, 0), (5, 1), (6, 7), (11, 130)] {
            let rows: Vec<f64> = drawn(count * columns);
            let (vector, factors): (Vec<f64>, Vec<f64>) = (drawn(columns), drawn(count));
            let row = |at: usize| &rows[at * columns..][..columns];
            let product = |row: &[f64]| {
                let mut lanes = [0.0; 4];
                let whole = columns / 4 * 4;
                (0..whole).for_each(|at| lanes[at % 4] += row[at] * vector[at]);
                let total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
                (whole..columns).fold(total, |total, at| total + row[at] * vector[at])
            };
            let expected: Vec<f64> = (0..count).map(|at| product(row(at))).collect();
            let summed = |term: fn(f64) -> f64| -> Vec<f64> {
                let of =
                    |at: usize| (0..count).fold(0.25, |sum, r| sum + factors[r] * term(row(r)[at]));
                (0..columns).map(of).collect()
            };
            for level in Level::available() {
                let mut found = vec![0.0; count];
                dots::at(level, &rows, &vector, &mut found);
                assert_eq!(found, expected, "{level:?}");
                for (at, expected) in expected.iter().enumerate() {
                    assert_eq!(dot::at(level, row(at), &vector), *expected);
                }
                let mut totals = vec![0.25; columns];
                add_rows::at(level, &mut totals, &factors, &rows);
                assert_eq!(totals, summed(|x| x), "{level:?}");
                let mut totals = vec![0.25; columns];
                (0..count).for_each(|r| add_scaled::at(level, &mut totals, factors[r], row(r)));
                assert_eq!(totals, summed(|x| x), "{level:?}");
                let mut totals = vec![0.25; columns];
                add_squares::at(level, &mut totals, &factors, &rows);
                assert_eq!(totals, summed(|x| x * x), "{level:?}");
            }
        }
    }

    #[test]
    fn rows_at_places_are_summed_in_order() {
        let mut random = Random::new(Digest::of(b"places"));
        for width in [0, 4, 8, 20, 24, 44] {
            let mut drawn = |count| -> Vec<f64> {
                let sparse = |_| (random.uniform() - 0.6).max(0.0);
                (0..count).map(sparse).collect()
            };
            let (base, mut terms, table) = (drawn(width), drawn(width), drawn(9 * width));
            // A lane that is left out beside others that are not.
            terms.iter_mut().take(4).for_each(|term| *term = 0.0);
            let places = [3, 0, 8, 3, 5];
            let (mut sums, mut added) = (base.clone(), table.clone());
            for place in places {
                let row = place as usize * width;
                (0..width).for_each(|at| sums[at] += table[row + at]);
                (0..width).for_each(|at| added[row + at] += terms[at]);
            }
            for level in Level::available() {
                let (mut out, mut changed) = (vec![0.0; width], table.clone());
                sum_rows::at(level, &base, &table, &places, &mut out);
                add_to_rows::at(level, &mut changed, &places, &terms);
                assert_eq!((out, changed), (sums.clone(), added.clone()), "{level:?} {width}");
            }
        }
    }
}
