use proptest::prelude::*;

use super::cholesky::{Cholesky, add_gram};
use super::*;
use crate::random::Random;
use crate::special::{ln, ln_1p};
use base::digest::Digest;

/// A symmetric positive definite matrix whose eigenvalues are at least 1/2.
fn positive_definite(n: usize, seed: u64) -> Matrix {
    let mut random = Random::new(Digest::of(&seed.to_le_bytes()));
    let mut factor = Matrix::zeros(n, n);
    for row in 0..n {
        factor.row_mut(row).iter_mut().for_each(|value| *value = random.uniform() - 0.5);
    }
    Matrix::from_fn(n, n, |row, column| {
        let product = dot(factor.row(row), factor.row(column));
        product + if row == column { 0.5 } else { 0.0 }
    })
}

fn distance(left: &Matrix, right: &Matrix) -> f64 {
    assert_eq!((left.rows(), left.columns()), (right.rows(), right.columns()));
    let apart = |row| left.row(row).iter().zip(right.row(row)).map(|(left, right)| left - right);
    (0..left.rows()).flat_map(apart).fold(0.0, |most, apart| apart.abs().max(most))
}

fn product(left: &Matrix, right: &Matrix) -> Matrix {
    Matrix::from_fn(left.rows(), right.columns(), |row, column| {
        left.row(row).iter().enumerate().map(|(at, left)| left * right.at(at, column)).sum()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_inverse_inverts(n in 1usize..90, seed in any::<u64>()) {
        let matrix = positive_definite(n, seed);
        let cholesky = Cholesky::new(matrix.clone()).unwrap();
        let identity = Matrix::from_diagonal(&vec![1.0; n]);
        prop_assert!(distance(&product(&matrix, &cholesky.inverse()), &identity) < 1e-11);
        // A vector is solved for without the inverse.
        let x: Vec<f64> = (0..n).map(|at| at as f64 - 3.0).collect();
        let mut b = vec![0.0; n];
        matrix.times(&x, &mut b);
        cholesky.solve(&mut b);
        let error = b.iter().zip(&x).map(|(b, x)| (b - x).abs()).fold(0.0, f64::max);
        prop_assert!(error < 1e-9 * n as f64, "{error}");
        // The factor times each unit vector is its column: L L' is the matrix.
        let columns: Vec<Vec<f64>> = (0..n)
            .map(|at| cholesky.times(&(0..n).map(|other| f64::from(other == at)).collect::<Vec<_>>()))
            .collect();
        let squared = Matrix::from_fn(n, n, |row, column| {
            columns.iter().map(|of| of[row] * of[column]).sum()
        });
        prop_assert!(distance(&squared, &matrix) < 1e-12 * n as f64);
    }

    #[test]
    fn a_factor_is_solved_for_many_sides(n in 1usize..80, m in 1usize..20, seed in any::<u64>()) {
        let matrix = positive_definite(n, seed);
        let cholesky = Cholesky::new(matrix.clone()).unwrap();
        let sides = Matrix::from_fn(n, m, |row, column| ((row * 7 + column * 3) % 11) as f64 - 5.0);
        let mut half = sides.clone();
        cholesky.solve_lower(&mut half);
        // R' M⁻¹ R once by the factor and once by the inverse.
        let mut gram = Matrix::zeros(m, m);
        add_gram(&mut gram, &half, 1.0);
        gram.mirror();
        let transposed = Matrix::from_fn(m, n, |row, column| sides.at(column, row));
        let expected = product(&transposed, &product(&cholesky.inverse(), &sides));
        prop_assert!(distance(&gram, &expected) < 1e-9 * n as f64);
    }

    #[test]
    fn symmetric_products_look_at_the_lower_triangle(n in 1usize..40, seed in any::<u64>()) {
        let matrix = positive_definite(n, seed);
        let mut lower = matrix.clone();
        for row in 0..n {
            lower.row_mut(row)[row + 1..].fill(f64::NAN);
        }
        let x: Vec<f64> = (0..n).map(|at| 1.0 / (at as f64 + 1.0)).collect();
        let (mut whole, mut half) = (vec![0.0; n], vec![0.0; n]);
        matrix.times(&x, &mut whole);
        lower.times_symmetric(&x, &mut half);
        prop_assert!(whole.iter().zip(&half).all(|(one, other)| (one - other).abs() < 1e-12));
        lower.mirror();
        prop_assert_eq!(lower, matrix);
    }
}

#[test]
fn determinants_multiply() {
    // |D + u u'| = |D| (1 + u' D⁻¹ u), for 70 numbers on the diagonal.
    let diagonal: Vec<f64> = (0..70).map(|at| 0.5 + f64::from(at) * 0.1).collect();
    let u: Vec<f64> = (0..70).map(|at| f64::from(at % 5) - 2.0).collect();
    let matrix = Matrix::from_fn(70, 70, |row, column| {
        u[row] * u[column] + if row == column { diagonal[row] } else { 0.0 }
    });
    let quotient: f64 = diagonal.iter().zip(&u).map(|(d, u)| u * u / d).sum();
    let expected = diagonal.iter().map(|d| ln(*d)).sum::<f64>() + ln_1p(quotient);
    let found = Cholesky::new(matrix).unwrap().log_determinant();
    assert!((found - expected).abs() < 1e-12 * expected.abs(), "{found} for {expected}");
}

#[test]
fn what_is_not_positive_definite_has_no_factor() {
    for broken in [0.0, -1e-300, f64::NAN, f64::INFINITY] {
        let mut matrix = positive_definite(50, 1);
        matrix.set(45, 45, broken);
        assert!(Cholesky::new(matrix).is_none(), "{broken}");
    }
    // Two equal rows and columns.
    assert!(Cholesky::new(Matrix::from_fn(2, 2, |_, _| 1.0)).is_none());
}
