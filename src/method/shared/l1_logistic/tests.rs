use super::*;
use base::digest::Digest;
use contract::binary::BinaryRows;
use math::matrix::Matrix;
use math::matrix::cholesky::Cholesky;
use math::random::Random;
use testing::{context, rows_of};

const WORDS: [&str; 16] = [
    "1101", "1111", "1100", "1010", "0011", "0000", "0010", "1001", "1101", "0110", "0001", "0010",
    "1110", "0100", "1011", "0000",
];

#[test]
fn solutions_agree_with_scipy() {
    // SciPy 1.17.1: minimize(method="L-BFGS-B", ftol=1e-16, gtol=1e-12) with every weight split into
    // two parts of at least 0; scikit-learn 1.9.1's saga has the same weights. The intercept, then the
    // weights for the first column. Violations of TOLERANCE × λ in each of up to four derivatives move
    // them by twice that over the least curvature, the second number.
    let train = rows_of(&WORDS).distinct();
    let columns = train.rows.by_column();
    let mut regression = Regression::new(&train, &columns, 0).unwrap();
    for (lambda, curvature, expected) in EXPECTED {
        let error = 2.0 * TOLERANCE * lambda / curvature;
        let found = regression.solve(lambda, &context(Digest::of(b""), 0)).unwrap();
        let mut weights = [found.constant, 0.0, 0.0, 0.0];
        found.weights.iter().for_each(|&(variable, w)| weights[variable as usize] = w);
        for (found, expected) in weights.iter().zip(expected) {
            assert!((found - expected).abs() <= error, "λ = {lambda}: {weights:?}, not {expected}");
        }
    }
}

const EXPECTED: [(f64, f64, [f64; 4]); 4] = [
    (0.1, 0.25, [0.0, 0.0, 0.0, 0.0]),
    (0.05, 0.0364, [-0.660083708, 0.756554417, 0.0, 0.756554417]),
    (0.02, 0.0270, [-1.225554589, 1.411284542, 0.0, 1.411284542]),
    (0.002, 0.0145, [-2.022889747, 2.045657371, 0.493695628, 2.045657371]),
];

/// 400 examples of 30 variables in three groups.
fn grouped() -> BinaryRows {
    let mut random = Random::new(Digest::of(b"path"));
    let mut rows = BinaryRows::new(30);
    for _ in 0..400 {
        let hidden = random.below(3);
        let share = |v: usize| if v % 3 == hidden { 0.7 } else { 0.15 };
        let ones: Vec<u32> = (0..30).filter(|&v| random.uniform() < share(v as usize)).collect();
        rows.push(&ones);
    }
    rows
}

#[test]
fn every_solution_of_a_path_is_optimal() {
    let rows = grouped();
    let train = rows.distinct();
    let columns = train.rows.by_column();
    let mut regression = Regression::new(&train, &columns, 4).unwrap();
    let mut lambda = regression.largest_lambda;
    let first = regression.solve(lambda, &context(Digest::of(b""), 0)).unwrap();
    assert_eq!(first.weights, []);
    while lambda > 1e-4 {
        lambda *= 0.8;
        let found = regression.solve(lambda, &context(Digest::of(b""), 0)).unwrap();
        assert!(found.residual <= TOLERANCE);
        // The optimality conditions from the rows themselves.
        let mut slopes = [0.0; 30];
        for row in rows.iter() {
            let weight = |w: &(u32, f64)| if row.contains(&w.0) { w.1 } else { 0.0 };
            let margin = found.constant + found.weights.iter().map(weight).sum::<f64>();
            let share = 1.0 / (1.0 + math::special::exp(-margin));
            let error = share - f64::from(row.contains(&4));
            row.iter().for_each(|&one| slopes[one as usize] += error / 400.0);
        }
        for variable in (0..30).filter(|&variable| variable != 4) {
            let of = found.weights.iter().find(|w| w.0 == variable as u32);
            let violation = violation(of.map_or(0.0, |w| w.1), slopes[variable], lambda);
            assert!(violation <= 2.0 * TOLERANCE * lambda, "{variable}: {violation} at {lambda}");
        }
    }
    assert!(found_all(&regression), "the path ends with every variable");
}

/// The exact solution on what was selected, by Newton's method on dense rows, has the same signs, and no
/// other derivative reaches λ: so it is the exact solution on all variables. Where the first
/// solution within TOLERANCE is taken, three of these paths are wrong somewhere.
#[test]
fn what_is_selected_is_what_the_exact_solution_selects() {
    let rows = grouped();
    let train = rows.distinct();
    let columns = train.rows.by_column();
    for target in [0, 4, 12, 19] {
        let mut regression = Regression::new(&train, &columns, target).unwrap();
        let mut lambda = regression.largest_lambda;
        while lambda > 1e-3 {
            lambda *= 0.93;
            let found = regression.solve(lambda, &context(Digest::of(b""), 0)).unwrap();
            let exact = exact_on(&rows, target, &found, lambda);
            for (&(variable, found), exact) in found.weights.iter().zip(&exact.weights) {
                assert!(found * exact > 0.0, "{target}, {lambda}: {variable} has {exact}");
            }
            for (variable, slope) in exact.slopes.iter().enumerate() {
                let selected = found.weights.iter().any(|w| w.0 == variable as u32);
                let holds = selected || variable == target || slope.abs() < lambda;
                assert!(holds, "{target}, {lambda}: {variable} has {slope}");
            }
        }
    }
}

struct Exact {
    weights: Vec<f64>,
    slopes: Vec<f64>,
}

/// The minimum over the weights that `found` selects, its penalty linear by their signs.
fn exact_on(rows: &BinaryRows, target: usize, found: &Solution, lambda: f64) -> Exact {
    let examples = rows.len() as f64;
    let selected = |row: &[u32]| -> Vec<f64> {
        let one = |&(v, _): &(u32, f64)| f64::from(row.contains(&v));
        found.weights.iter().map(one).chain([1.0]).collect()
    };
    let size = found.weights.len() + 1;
    let mut point: Vec<f64> = found.weights.iter().map(|w| w.1).chain([found.constant]).collect();
    let mut errors = vec![];
    for _ in 0..8 {
        let mut slopes: Vec<f64> =
            found.weights.iter().map(|w| lambda * w.1.signum()).chain([0.0]).collect();
        let mut hessian = Matrix::zeros(size, size);
        errors.clear();
        for row in rows.iter() {
            let x = selected(row);
            let share = 1.0 / (1.0 + math::special::exp(-vector::dot(&x, &point)));
            let error = share - f64::from(row.contains(&(target as u32)));
            errors.push(error / examples);
            for i in 0..size {
                slopes[i] += x[i] * error / examples;
                for j in 0..size {
                    let second = x[i] * x[j] * share * (1.0 - share) / examples;
                    hessian.set(i, j, hessian.at(i, j) + second);
                }
            }
        }
        Cholesky::new(hessian).unwrap().solve(&mut slopes);
        point.iter_mut().zip(slopes).for_each(|(value, step)| *value -= step);
    }
    let mut slopes = vec![0.0; rows.variables()];
    for (row, error) in rows.iter().zip(errors) {
        row.iter().for_each(|&one| slopes[one as usize] += error);
    }
    point.pop();
    Exact { weights: point, slopes }
}

/// The last column is the second again. As a target that has its equal among the others.
#[test]
fn of_equal_variables_the_first_is_selected() {
    let twice: Vec<String> = WORDS.iter().map(|word| format!("{word}{}", &word[1..2])).collect();
    let words: Vec<&str> = twice.iter().map(String::as_str).collect();
    for (target, selected) in [(0, &[1, 3][..]), (1, &[4])] {
        let train = rows_of(&words).distinct();
        let columns = train.rows.by_column();
        let mut regression = Regression::new(&train, &columns, target).unwrap();
        let found = regression.solve(0.02, &context(Digest::of(b""), 0)).unwrap();
        let variables: Vec<u32> = found.weights.iter().map(|weight| weight.0).collect();
        assert_eq!(variables, selected, "{target}: {found:?}");
    }
}

fn found_all(regression: &Regression<'_>) -> bool {
    regression.weights.iter().filter(|weight| **weight != 0.0).count() > 25
}

/// At so small a penalty the conditions ask for derivatives below what rounding leaves of them.
#[test]
fn what_does_not_converge_is_said() {
    let train = rows_of(&WORDS).distinct();
    let columns = train.rows.by_column();
    let mut regression = Regression::new(&train, &columns, 0).unwrap();
    let error = regression.solve(1e-17, &context(Digest::of(b""), 0)).unwrap_err();
    let message = "the regression of variable 0 did not converge at λ = 0.00000000000000001";
    assert_eq!(error.to_string(), message);
}

#[test]
fn separable_and_constant_targets() {
    let train = rows_of(&["110", "110", "000", "010", "000", "110"]).distinct();
    let columns = train.rows.by_column();
    assert!(Regression::new(&train, &columns, 2).is_none());
    // The first variable with itself as the second where that is one in half the rows.
    let train = rows_of(&["11", "00", "11", "00"]).distinct();
    let columns = train.rows.by_column();
    let mut regression = Regression::new(&train, &columns, 0).unwrap();
    assert_eq!(regression.largest_lambda, 0.25);
    let found = regression.solve(1e-5, &context(Digest::of(b""), 0)).unwrap();
    // By hand: with b = -w/2 the derivative is 1/2 σ(-w/2) = λ.
    let expected = 2.0 * ln((0.5 - 1e-5) / 1e-5);
    assert!((found.weights[0].1 - expected).abs() < 1e-2, "{found:?} instead of {expected}");
}
