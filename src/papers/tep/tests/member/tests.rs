use super::*;
use crate::tep::step::{Dof, Step};
use crate::tep::tests::deformed::{ln_t_of_exp, product};
use math::quadrature::gauss_legendre_on;
use math::special::{cos, pow, sin};

fn in_two(v: f64) -> Member {
    let scale = Matrix::from_fn(2, 2, |row, column| [[1.2, 0.4], [0.4, 0.7]][row][column]);
    Member::new(v, vec![0.3, -0.5], scale).unwrap()
}

fn in_one(v: f64) -> Member {
    Member::new(v, vec![0.3], Matrix::from_diagonal(&[0.7])).unwrap()
}

/// The integral over the plane, by a radius to infinity and an angle around the member's location.
fn over_plane(member: &Member, f: impl Fn(&[f64; 2]) -> f64) -> f64 {
    let angles = gauss_legendre_on(90, 0.0, 2.0 * std::f64::consts::PI);
    let radii = gauss_legendre_on(150, 0.0, 1.0);
    let mut sum = 0.0;
    for (angle, of_angle) in &angles {
        for (x, of_radius) in &radii {
            let (radius, rest) = (x / (1.0 - x), 1.0 - x);
            let place =
                [member.mean[0] + radius * cos(*angle), member.mean[1] + radius * sin(*angle)];
            sum += of_angle * of_radius * radius / (rest * rest) * f(&place);
        }
    }
    sum
}

/// The integral over the line, in two halves that meet at `center`.
fn over_line(center: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rule = gauss_legendre_on(300, 0.0, 1.0);
    let side = |sign: f64| -> f64 {
        let term = |(x, weight): &(f64, f64)| {
            let rest = 1.0 - x;
            weight * f(center + sign * x / rest) / (rest * rest)
        };
        rule.iter().map(term).sum()
    };
    side(1.0) + side(-1.0)
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

#[test]
fn natural_parameters_lead_back() {
    for v in [1.0, 3.0, 25.0] {
        for member in [in_one(v), in_two(v)] {
            let back = Member::from_natural(v, &member.natural()).unwrap();
            for row in 0..member.mean.len() {
                assert_near(back.mean[row], member.mean[row], 1e-13);
                for column in 0..=row {
                    assert_near(back.scale.at(row, column), member.scale.at(row, column), 1e-12);
                }
            }
            assert_near(back.psi(), member.psi(), 1e-12);
        }
    }
    // The form in which (54) is stated: |Psi K| = c^k |Sigma|^{-v/(v+k)}.
    let member = in_two(5.0);
    let of_natural = Cholesky::new(member.natural().second).unwrap().log_determinant();
    let of_scale = member.cholesky.log_determinant();
    assert_near(of_natural, 2.0 * ln_ratio(5.0, 2.0) - 5.0 / 7.0 * of_scale, 1e-12);
}

#[test]
fn a_member_is_the_exponential_of_its_natural_parameters() {
    for v in [2.0, 8.0] {
        let member = in_two(v);
        let t = member.deformation();
        for z in [[0.0, 0.0], [1.5, -2.0], [-0.4, 7.0]] {
            let by_family = exp_t(member.inner(&z) - member.log_partition(), t);
            let density = exp(member.ln_density(&z));
            assert_near(by_family / density, 1.0, 1e-12);
            // (30): the q-product with another member adds natural parameters and partitions.
            let other = Member::new(v, vec![0.0, 1.0], Matrix::from_diagonal(&[2.0, 3.0])).unwrap();
            let sum = member.inner(&z) + other.inner(&z);
            let expected = exp_t(sum - member.log_partition() - other.log_partition(), t);
            let found = product(density, exp(other.ln_density(&z)), t);
            assert_near(found / expected, 1.0, 1e-11);
        }
        assert_near(over_plane(&member, |z| exp(member.ln_density(z))), 1.0, 1e-6);
    }
}

#[test]
fn the_escort_has_the_location_and_the_scale_as_moments() {
    let member = in_two(8.0);
    let t = member.deformation();
    let escort = member.escort().unwrap();
    let power = |z: &[f64; 2]| exp(t * member.ln_density(z));
    let mass = over_plane(&member, power);
    assert_near(mass, member.escort_mass(), 1e-8);
    for z in [[0.2, 0.1], [3.0, -4.0]] {
        assert_near(power(&z) / mass / exp(escort.ln_density(&z)), 1.0, 1e-8);
    }
    let mean = |at: usize| over_plane(&member, |z| z[at] * power(z)) / mass;
    let second = |a: usize, b: usize| {
        over_plane(&member, |z| (z[a] - member.mean[a]) * (z[b] - member.mean[b]) * power(z)) / mass
    };
    assert_near(mean(0), 0.3, 1e-6);
    assert_near(mean(1), -0.5, 1e-6);
    assert_near(second(0, 0), 1.2, 1e-6);
    assert_near(second(0, 1), 0.4, 1e-6);
    assert_near(second(1, 1), 0.7, 1e-6);
}

/// (5): the gradient of g_t by theta is the escort mean of (z, z z').
#[test]
fn the_log_partition_has_escort_means_as_gradient() {
    let v = 4.0;
    let member = in_two(v);
    let deformation = 1.0 - member.deformation();
    let natural = member.natural();
    let partition = |first: [f64; 2], diagonal: [f64; 2]| {
        let mut moved = natural.clone();
        for at in 0..2 {
            moved.first[at] += first[at] * deformation / -2.0;
            moved.second.set(at, at, moved.second.at(at, at) + diagonal[at] * deformation);
        }
        Member::from_natural(v, &moved).unwrap().log_partition()
    };
    let h = 1e-5;
    let slope = |up: f64, down: f64| (up - down) / (2.0 * h);
    for at in 0..2 {
        let unit = |by: f64| if at == 0 { [by, 0.0] } else { [0.0, by] };
        let by_first = slope(partition(unit(h), [0.0; 2]), partition(unit(-h), [0.0; 2]));
        assert_near(by_first, member.mean[at], 1e-7);
        let by_second = slope(partition([0.0; 2], unit(h)), partition([0.0; 2], unit(-h)));
        let expected = member.scale.at(at, at) + member.mean[at] * member.mean[at];
        assert_near(by_second, expected, 1e-7);
    }
}

/// (13) by quadrature.
#[test]
fn the_divergence_is_an_escort_mean() {
    let (one, other) = (in_one(5.0), Member::new(5.0, vec![-0.4], Matrix::from_diagonal(&[1.9])));
    let other = other.unwrap();
    let t = one.deformation();
    let power = |z: f64| exp(t * one.ln_density(&[z]));
    let difference =
        |z: f64| ln_t_of_exp(one.ln_density(&[z]), t) - ln_t_of_exp(other.ln_density(&[z]), t);
    let mass = over_line(0.3, power);
    let expected = over_line(0.3, |z| power(z) * difference(z)) / mass;
    assert_near(one.divergence(&other), expected, 1e-9);
    assert!(one.divergence(&other) > 0.0);
    assert_near(one.divergence(&one), 0.0, 1e-15);
    assert_near(in_two(7.0).divergence(&in_two(7.0)), 0.0, 1e-15);
}

/// Theorem 2, in one dimension and, with the exponent v / (v + k), in two.
#[test]
fn the_integral_of_an_exponential_that_is_not_normalised() {
    for by in [-0.2, 0.0, 0.3] {
        let member = in_one(5.0);
        let (t, g) = (member.deformation(), member.log_partition() + by);
        let found = over_line(0.3, |z| exp_t(member.inner(&[z]) - g, t));
        assert_near(member.integral(g), found, 1e-8);
        let member = in_two(8.0);
        let (t, g) = (member.deformation(), member.log_partition() + by);
        let found = over_plane(&member, |z| exp_t(member.inner(z) - g, t));
        assert_near(member.integral(g), found, 1e-7);
    }
}

/// Theorem 1 (34)-(35): the escort mean of z under the tilted distribution is that of the cavity plus
/// the gradient of Z1 by theta over Z2, where Z2 must be the integral of the escort as it is, p^t l^t,
/// not normalised.
#[test]
fn moments_are_gradients_of_the_mass() {
    let (v, eps, y) = (6.0, 0.1, 1.0);
    let cavity = in_one(v);
    let t = cavity.deformation();
    let likelihood = |z: f64| pow(if y * z > 0.0 { 1.0 - eps } else { eps }, t);
    let deformation = 1.0 - t;
    let natural = cavity.natural();
    let moved = |first: f64, second: f64| {
        let mut moved = natural.clone();
        moved.first[0] += first * deformation / -2.0;
        moved.second.set(0, 0, moved.second.at(0, 0) + second * deformation);
        let member = Member::from_natural(v, &moved).unwrap();
        let z = y * member.mean[0] / member.scale.at(0, 0).sqrt();
        exp(Step::new(Dof::new(v), 1, eps).tilt(z).log_z)
    };
    // Both integrals have a jump at zero.
    let whole = |f: &dyn Fn(f64) -> f64| over_line(0.0, |z| f(z) * likelihood(z));
    let power = |z: f64| exp(t * cavity.ln_density(&[z]));
    assert_near(moved(0.0, 0.0), whole(&|z| exp(cavity.ln_density(&[z]))), 1e-9);
    let mass = whole(&power);
    let h = 1e-5;
    let gradient = [
        (moved(h, 0.0) - moved(-h, 0.0)) / (2.0 * h),
        (moved(0.0, h) - moved(0.0, -h)) / (2.0 * h),
    ];
    let before = [0.3, 0.7 + 0.09];
    let expected = [whole(&|z| z * power(z)) / mass, whole(&|z| z * z * power(z)) / mass];
    for at in 0..2 {
        assert_near(before[at] + gradient[at] / mass, expected[at], 1e-7);
        // Normalised, as the theorem reads, it is wrong.
        let normalised = mass / cavity.escort_mass();
        assert!((before[at] + gradient[at] / normalised - expected[at]).abs() > 0.02);
    }
}

#[test]
fn what_is_no_distribution_is_no_member() {
    assert!(Member::new(3.0, vec![0.0], Matrix::from_diagonal(&[-1.0])).is_none());
    let natural = Natural { first: vec![0.0], second: Matrix::from_diagonal(&[0.0]) };
    assert!(Member::from_natural(3.0, &natural).is_none());
}
