//! One pass over up to 64 rows: upward for their likelihoods, downward for expected counts.
//!
//! Numbers are probabilities, not logarithms. Those of a node and a row are scaled by a power of two, which is exact, and its exponent is
//! kept: so no product of many small factors vanishes.
//!
//! ```text
//! u_Y(z) = P(x_Y | z) Π over children m_C(z)      m_Y(j) = Σ_z θ_Y[j][z] u_Y(z)
//! post_Y(z) = u_Y(z) Σ_j θ_Y[j][z] post_X(j) / m_Y(j), X the parent of Y
//! ```

use contract::packed::bits_of;
use math::product::add_product;
use math::vector;

use super::Shape;

/// Rows of a tile.
pub const ROWS: usize = 64;
/// Factors, each at most one, after which numbers are scaled anew.
const FACTORS: usize = 8;

/// What a sum, or both values of a leaf, have: probabilities, or expected counts. One layout for both.
#[derive(Debug, Clone, PartialEq)]
pub struct Tables {
    /// Of the root's states.
    pub prior: Vec<f64>,
    /// Of each inner variable but the root, H by H: row j has the states' probabilities given the parent's state j.
    pub states: Vec<Vec<f64>>,
    /// Of each variable, zero in each of the states and one in each of them. As counts, all and ones.
    pub values: Vec<[Vec<f64>; 2]>,
}

impl Tables {
    /// Zeros.
    pub fn zeros(shape: &Shape, states: usize) -> Self {
        let zeros = |n: usize| vec![0.0; n];
        let inner = shape.inner.iter().map(|inner| match inner.parent {
            Some(_) => zeros(states * states),
            None => Vec::new(),
        });
        Self {
            prior: zeros(states),
            states: inner.collect(),
            values: shape.of_variable.iter().map(|_| [zeros(states), zeros(states)]).collect(),
        }
    }

    /// Adds those of another part of the rows.
    pub fn add(&mut self, other: &Self) {
        vector::add(&mut self.prior, &other.prior);
        for (all, of) in self.states.iter_mut().zip(&other.states) {
            vector::add(all, of);
        }
        for (all, of) in self.values.iter_mut().zip(&other.values) {
            all.iter_mut().zip(of).for_each(|(all, of)| vector::add(all, of));
        }
    }
}

/// The numbers of one tree at one tile: state by state, the rows in each.
#[derive(Debug, Clone)]
pub struct Tile {
    states: usize,
    /// u of each inner variable.
    u: Vec<Vec<f64>>,
    /// m of each; downward, the parent's posterior divided by it.
    m: Vec<Vec<f64>>,
    /// The posteriors, in rows.
    post: Vec<Vec<f64>>,
    /// The root's sum in each row: this times two to the exponent.
    pub value: [f64; ROWS],
    /// The exponents.
    pub exponent: [i32; ROWS],
    turned: Vec<f64>,
}

impl Tile {
    /// Room for a tree.
    pub fn new(shape: &Shape, states: usize) -> Self {
        let zeros = || vec![vec![0.0; states * ROWS]; shape.inner.len()];
        Self {
            states,
            u: zeros(),
            m: zeros(),
            post: zeros(),
            value: [0.0; ROWS],
            exponent: [0; ROWS],
            turned: vec![0.0; states * ROWS],
        }
    }

    /// The likelihoods of the rows, whose ones are `bits`.
    pub fn upward(&mut self, shape: &Shape, tables: &Tables, bits: &[u64]) {
        self.exponent = [0; ROWS];
        for (at, inner) in shape.inner.iter().enumerate() {
            let u = &mut self.u[at];
            u.fill(1.0);
            let mut factors = 0;
            let mut scaled = |u: &mut [f64]| {
                factors += 1;
                if factors % FACTORS == 0 {
                    scale(u, &mut self.exponent);
                }
            };
            for &variable in &inner.variables {
                times_values(u, &tables.values[variable as usize], bits[variable as usize]);
                scaled(u);
            }
            for &child in &inner.children {
                u.iter_mut().zip(&self.m[child]).for_each(|(u, m)| *u *= m);
                scaled(u);
            }
            scale(u, &mut self.exponent);
            if inner.parent.is_some() {
                self.m[at].fill(0.0);
                add_product(&tables.states[at], u, self.states, ROWS, &mut self.m[at]);
            }
        }
        self.value = [0.0; ROWS];
        if let Some(u) = self.u.last() {
            add_product(&tables.prior, u, self.states, ROWS, &mut self.value);
        }
    }

    /// Adds the expected counts of the rows to `counts`: those of [`Tables::states`] before they are multiplied by the probabilities.
    /// `turned` has these with rows and columns exchanged; a row counts `weights` times its likelihood's share, for each of the root's
    /// states.
    pub fn downward(
        &mut self,
        shape: &Shape,
        (tables, turned): (&Tables, &[Vec<f64>]),
        weights: &[f64; ROWS],
        bits: &[u64],
        counts: &mut Tables,
    ) {
        for (at, inner) in shape.inner.iter().enumerate().rev() {
            let post = &mut self.post[at];
            post.fill(0.0);
            match inner.parent {
                Some(_) => {
                    add_product(&turned[at], &self.m[at], self.states, ROWS, post);
                    post.iter_mut().zip(&self.u[at]).for_each(|(post, u)| *post *= u);
                    turn(&self.u[at], ROWS, &mut self.turned);
                    let counts = &mut counts.states[at];
                    add_product(&self.m[at], &self.turned, ROWS, self.states, counts);
                }
                None => {
                    let rows = post.chunks_exact_mut(ROWS).zip(self.u[at].chunks_exact(ROWS));
                    for ((post, u), (prior, count)) in
                        rows.zip(tables.prior.iter().zip(&mut counts.prior))
                    {
                        for ((post, u), weight) in post.iter_mut().zip(u).zip(weights) {
                            *post = prior * u * weight;
                        }
                        *count += post.iter().sum::<f64>();
                    }
                }
            }
            self.count_values(at, &inner.variables, bits, counts);
            for &child in &inner.children {
                for (m, post) in self.m[child].iter_mut().zip(&self.post[at]) {
                    *m = if *m > 0.0 { post / *m } else { 0.0 };
                }
            }
        }
    }

    fn count_values(&mut self, at: usize, variables: &[u32], bits: &[u64], counts: &mut Tables) {
        let post = &self.post[at];
        turn(post, ROWS, &mut self.turned);
        let all: Vec<f64> = post.chunks_exact(ROWS).map(|rows| rows.iter().sum()).collect();
        for &variable in variables {
            let [of_all, of_ones] = &mut counts.values[variable as usize];
            vector::add(of_all, &all);
            for row in bits_of(bits[variable as usize]) {
                vector::add(of_ones, &self.turned[row * self.states..][..self.states]);
            }
        }
    }
}

/// Multiplies by the probability of a variable's value.
fn times_values(u: &mut [f64], [zero, one]: &[Vec<f64>; 2], bits: u64) {
    let is_one: [bool; ROWS] = std::array::from_fn(|row| bits >> row & 1 == 1);
    for ((rows, zero), one) in u.chunks_exact_mut(ROWS).zip(zero).zip(one) {
        for (u, is_one) in rows.iter_mut().zip(is_one) {
            *u *= if is_one { *one } else { *zero };
        }
    }
}

/// Scales each row so that its largest number is from one to two.
fn scale(u: &mut [f64], exponents: &mut [i32; ROWS]) {
    let mut largest = [0.0; ROWS];
    for rows in u.chunks_exact(ROWS) {
        for (largest, u) in largest.iter_mut().zip(rows) {
            *largest = if *u > *largest { *u } else { *largest };
        }
    }
    let mut by = [1.0; ROWS];
    for ((by, largest), exponent) in by.iter_mut().zip(largest).zip(exponents) {
        if largest > 0.0 {
            let power = (largest.to_bits() >> 52) as i32 - 1023;
            *by = power_of_two(-power);
            *exponent += power;
        }
    }
    for rows in u.chunks_exact_mut(ROWS) {
        rows.iter_mut().zip(by).for_each(|(u, by)| *u *= by);
    }
}

/// Two to a power; zero below the smallest normal number.
pub fn power_of_two(power: i32) -> f64 {
    if power < -1022 { 0.0 } else { f64::from_bits(((power.min(1023) + 1023) as u64) << 52) }
}

/// A matrix with rows of `width` with rows and columns exchanged.
pub fn turn(matrix: &[f64], width: usize, turned: &mut [f64]) {
    let height = matrix.len() / width;
    for (row, of_row) in matrix.chunks_exact(width).enumerate() {
        for (column, value) in of_row.iter().enumerate() {
            turned[column * height + row] = *value;
        }
    }
}
