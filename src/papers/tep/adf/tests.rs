use super::*;
use crate::tep::step::Dof;
use math::special::{atan2, cos, exp, ln, sin};

/// Moments of the escort of the tilted distribution by quadrature over the plane, against (41)-(42).
#[test]
fn an_update_has_the_escort_moments() {
    use crate::tep::tests::member::Member;
    use math::quadrature::gauss_legendre_on;
    let (v, eps, x, y) = (6.0, 0.1, [0.8, -0.6], -1.0);
    let scale = Matrix::from_fn(2, 2, |row, column| [[1.2, 0.4], [0.4, 0.7]][row][column]);
    let mean = vec![0.3, -0.5];
    let member = Member::new(v, mean.clone(), scale.clone()).unwrap();
    let t = member.deformation();
    // In polar coordinates around a point of the line x'w = 0 the likelihood jumps at two angles.
    let direction = atan2(0.8, 0.6);
    let radii = gauss_legendre_on(160, 0.0, 1.0);
    let mut sums = [0.0; 6];
    for half in 0..2 {
        let from = direction + f64::from(half) * std::f64::consts::PI;
        for (angle, of_angle) in gauss_legendre_on(80, from, from + std::f64::consts::PI) {
            for (r, of_radius) in &radii {
                let (radius, rest) = (r / (1.0 - r), 1.0 - r);
                let w = [radius * cos(angle), radius * sin(angle)];
                let sign = y * (x[0] * w[0] + x[1] * w[1]);
                let likelihood = if sign > 0.0 { 1.0 - eps } else { eps };
                let weight = of_angle * of_radius * radius / (rest * rest)
                    * exp(t * (member.ln_density(&w) + ln(likelihood)));
                let terms = [1.0, w[0], w[1], w[0] * w[0], w[0] * w[1], w[1] * w[1]];
                sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
            }
        }
    }
    let [mass, first, second, one, both, two] = sums;
    let expected = [first / mass, second / mass];
    let covariances = [
        one / mass - expected[0] * expected[0],
        both / mass - expected[0] * expected[1],
        two / mass - expected[1] * expected[1],
    ];
    let mut filtered = Filtered { mean, scale };
    let step = Step::new(Dof::new(v), 2, eps);
    filtered.update(&x, y, &step, &mut [0.0; 2]).unwrap();
    let found = [filtered.scale.at(0, 0), filtered.scale.at(0, 1), filtered.scale.at(1, 1)];
    for (one, other) in filtered.mean.iter().zip(&expected).chain(found.iter().zip(&covariances)) {
        assert!((one - other).abs() < 1e-6, "{filtered:?} {expected:?} {covariances:?}");
    }
    assert_eq!(filtered.scale.at(0, 1), filtered.scale.at(1, 0));
}

/// Three latent values with a kernel matrix as scale, v = 10, eps = 0.05, in every order; the values are
/// of (41)-(42) as matrix formulas in Python with SciPy 1.17.1.
#[test]
fn the_order_decides() {
    const K: [[f64; 3]; 3] = [[1.0, 0.5, 0.2], [0.5, 1.0, -0.3], [0.2, -0.3, 1.5]];
    const PYTHON: [([usize; 3], f64); 6] = [
        ([0, 1, 2], -0.6022),
        ([0, 2, 1], -0.5877),
        ([1, 0, 2], -0.5631),
        ([1, 2, 0], -0.5659),
        ([2, 0, 1], -0.5903),
        ([2, 1, 0], -0.5533),
    ];
    for (order, expected) in PYTHON {
        let inputs = Inputs {
            rows: Matrix::from_fn(3, 3, |row, column| f64::from(order[row] == column)),
            signs: order.iter().map(|&at| [1.0, -1.0, 1.0][at]).collect(),
        };
        let mut filtered = Filtered::prior(3, 1.0);
        filtered.scale = Matrix::from_fn(3, 3, |row, column| K[row][column]);
        filtered.learn(&inputs, &Step::new(Dof::new(10.0), 3, 0.05)).unwrap();
        assert!((filtered.mean[1] - expected).abs() < 6e-5, "{order:?}: {:?}", filtered.mean);
    }
}

#[test]
fn inputs_of_zeros_say_nothing_and_broken_scales_are_errors() {
    let step = Step::new(Dof::new(3.0), 2, 0.1);
    let inputs = Inputs { rows: Matrix::zeros(1, 2), signs: vec![1.0] };
    let mut filtered = Filtered::prior(2, 1.0);
    filtered.learn(&inputs, &step).unwrap();
    assert_eq!((&filtered.mean[..], filtered.scale.at(0, 0)), (&[0.0, 0.0][..], 1.0));
    filtered.scale.set(0, 0, -1.0);
    let inputs = Inputs { rows: Matrix::from_fn(1, 2, |_, _| 0.5), signs: vec![1.0] };
    filtered.scale.set(1, 1, 0.5);
    let error = filtered.learn(&inputs, &step).unwrap_err().to_string();
    assert_eq!(error, "the scale matrix is not positive definite after example 1 of 1");
}
