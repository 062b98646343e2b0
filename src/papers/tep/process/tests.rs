use super::*;
use crate::tep::site::Literal;
use crate::tep::step::Step;
use base::digest::Digest;
use math::random::Random;
use math::special::{cos, exp, ln, sin};
use testing::context;

const EXACT: Schedule =
    Schedule { damping: 0.5, tolerance: 1e-13, max_sweeps: 1000, settling: usize::MAX };

/// The kernel matrix of the notes' table, its first rows and columns.
fn three(n: usize) -> Matrix {
    const K: [[f64; 3]; 3] = [[1.0, 0.5, 0.2], [0.5, 1.0, -0.3], [0.2, -0.3, 1.5]];
    Matrix::from_fn(n, n, |row, column| K[row][column])
}

const SIGNS: [f64; 3] = [1.0, -1.0, 1.0];

struct Fitted {
    latent: Latent,
    progress: Progress,
    log_evidence: f64,
}

fn fit(kernel: &Matrix, signs: &[f64], dof: Dof, eps: f64) -> Fitted {
    let rule = Rule::Consistent(Step::new(dof, signs.len(), eps));
    let observed = Observed { kernel, signs };
    let mut latent = Latent::prior(kernel);
    let context = context(Digest::of(b"ep"), 0);
    let progress = latent.propagate(observed, dof, &rule, &EXACT, &context).unwrap();
    let log_evidence = latent.log_evidence(observed, dof, &rule).unwrap();
    Fitted { latent, progress, log_evidence }
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (one, other) in found.iter().zip(expected) {
        assert!((one - other).abs() <= tolerance, "{found:?} instead of {expected:?}");
    }
}

/// The values of section 7 of the notes, from an independent program.
#[test]
fn small_problems_have_the_values_of_the_notes() {
    type Row = (usize, f64, &'static [f64], f64);
    let table: [Row; 4] = [
        (1, 0.0, &[0.7978845608], -std::f64::consts::LN_2),
        (2, 0.0, &[0.5987479893, -0.5987479893], -1.7910721721),
        (3, 0.0, &[0.6363509252, -0.6426998817, 1.1797284727], -2.1529974295),
        (3, 0.05, &[0.5532864046, -0.5690326720, 1.0980554532], -2.1402099385),
    ];
    for (n, eps, mean, log_evidence) in table {
        let found = fit(&three(n), &SIGNS[..n], Dof::GAUSSIAN, eps);
        assert!(found.progress.converged, "{n} {eps}");
        assert_near(&found.latent.mean, mean, 6e-11);
        assert_near(&[found.log_evidence], &[log_evidence], 6e-11);
    }
    let student = fit(&three(3), &SIGNS, Dof::new(10.0), 0.05);
    assert_near(&student.latent.mean, &[0.5339660252, -0.5443334435, 1.0202128997], 6e-11);
    assert_near(&[student.log_evidence], &[-2.0206533407], 6e-11);
    // 3.5: with eps = 0 the exact evidence is -2.153 for every v, and (39) is not.
    let student = fit(&three(3), &SIGNS, Dof::new(10.0), 0.0);
    assert_near(&[student.log_evidence], &[-2.002], 5e-4);
}

#[test]
fn many_degrees_of_freedom_approach_the_gaussian_limit() {
    let gaussian = fit(&three(3), &SIGNS, Dof::GAUSSIAN, 0.05);
    for (v, bound) in [(1e3, 3e-3), (1e6, 3e-6)] {
        let student = fit(&three(3), &SIGNS, Dof::new(v), 0.05);
        assert_near(&student.latent.mean, &gaussian.latent.mean, bound);
        assert_near(&[student.log_evidence], &[gaussian.log_evidence], bound);
        let distance = (student.latent.mean[0] - gaussian.latent.mean[0]).abs();
        assert!(distance > bound / 300.0, "the limit is approached, not taken: {distance}");
    }
}

#[test]
fn amplitudes_scale_the_posterior_and_not_the_literal_one() {
    let kernel = three(3);
    let larger = Matrix::from_fn(3, 3, |row, column| 9.0 * kernel.at(row, column));
    for dof in [Dof::new(10.0), Dof::GAUSSIAN] {
        let (one, other) = (fit(&kernel, &SIGNS, dof, 0.05), fit(&larger, &SIGNS, dof, 0.05));
        let scaled: Vec<f64> = one.latent.mean.iter().map(|mean| 3.0 * mean).collect();
        assert_near(&other.latent.mean, &scaled, 1e-11);
        assert_near(&[other.log_evidence], &[one.log_evidence], 1e-11);
        assert_near(&[other.latent.psi(dof)], &[one.latent.psi(dof)], 1e-12);
    }
    let literal = |kernel: &Matrix| {
        let log_determinant = Cholesky::new(kernel.clone()).unwrap().log_determinant();
        let rule = Rule::Literal(Literal::new(10.0, 3, 0.05, log_determinant));
        let mut latent = Latent::prior(kernel);
        let observed = Observed { kernel, signs: &SIGNS };
        let context = context(Digest::of(b"ep"), 0);
        latent.propagate(observed, Dof::new(10.0), &rule, &EXACT, &context).unwrap();
        latent.mean
    };
    let (one, other) = (literal(&kernel), literal(&larger));
    let apart: Vec<f64> = one.iter().zip(&other).map(|(one, other)| other - 3.0 * one).collect();
    let most = apart.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    // The notes' 0.49.
    assert!((most - 0.49).abs() < 0.005, "{one:?} {other:?}");
}

/// With one value there is no difference between matching and projecting, and the literal variant is
/// the same algorithm.
#[test]
fn one_observation_is_exact() {
    let kernel = Matrix::from_diagonal(&[2.25]);
    for v in [3.0, 10.0, 50.0] {
        let dof = Dof::new(v);
        for eps in [0.0, 0.1] {
            let found = fit(&kernel, &[-1.0], dof, eps);
            // The moments of the escort distribution, which step.rs verifies by quadrature.
            let tilted = Step::new(dof, 1, eps).tilt(0.0);
            let scale = found.latent.psi(dof) * found.latent.a(0, 0);
            assert_near(&found.latent.mean, &[-tilted.shift * 1.5], 1e-12);
            assert_near(&[scale], &[2.25 * (1.0 - tilted.shrink)], 1e-12);
            // With Z = the integral of p l, (39) is the evidence, one half.
            let along = found.latent.along(0, found.latent.psi(dof));
            let site = found.latent.sites[0];
            let log_z = Step::with_power(dof, 1.0, eps).tilt(0.0).log_z;
            let terms = [Term { site, along, log_z }];
            let evidence = log_evidence(dof, found.latent.log_ratio, &terms).unwrap();
            assert_near(&[evidence], &[-std::f64::consts::LN_2], 1e-12);
            let literal = Rule::Literal(Literal::new(v, 1, eps, ln(2.25)));
            let mut latent = Latent::prior(&kernel);
            let observed = Observed { kernel: &kernel, signs: &[-1.0] };
            let context = context(Digest::of(b"ep"), 0);
            latent.propagate(observed, dof, &literal, &EXACT, &context).unwrap();
            assert_near(&latent.mean, &found.latent.mean, 1e-12);
            assert_near(&[latent.a(0, 0)], &[found.latent.a(0, 0)], 1e-12);
        }
    }
}

/// A kernel matrix of points on a line and noisy labels.
fn line(n: usize) -> (Matrix, Vec<f64>) {
    let mut random = Random::new(Digest::of(b"line"));
    let places: Vec<f64> = (0..n).map(|_| 6.0 * random.uniform() - 3.0).collect();
    let label = |place: &f64| if (*place > 0.0) == (random.uniform() < 0.9) { 1.0 } else { -1.0 };
    let signs = places.iter().map(label).collect();
    let kernel = Matrix::from_fn(n, n, |row, column| {
        let apart = places[row] - places[column];
        exp(-0.5 * apart * apart) + if row == column { 1e-3 } else { 0.0 }
    });
    (kernel, signs)
}

/// Equations (88) and (89) after every site, on all of A.
fn one_by_one(kernel: &Matrix, signs: &[f64], dof: Dof, rule: &Rule, sweeps: usize) -> Latent {
    let n = signs.len();
    let mut latent = Latent::prior(kernel);
    for _ in 0..sweeps {
        for (at, &y) in signs.iter().enumerate() {
            let along = latent.along(at, latent.psi(dof));
            let old = latent.sites[at];
            let (new, _) = rule.update(old, along, dof, y).unwrap();
            let (tau, nu) = (0.5 * (new.tau - old.tau), 0.5 * (new.nu - old.nu));
            let column: Vec<f64> = (0..n).map(|row| latent.a(row, at)).collect();
            let factor = 1.0 + tau * along.variance;
            for row in 0..n {
                latent.mean[row] += column[row] * (nu - tau * along.mean) / factor;
                for other in 0..=row {
                    let change = column[row] * column[other] * tau / factor;
                    latent.a.set(row, other, latent.a.at(row, other) - change);
                }
            }
            latent.log_ratio -= ln(factor);
            latent.sites[at] = Site { tau: old.tau + tau, nu: old.nu + nu };
        }
    }
    latent
}

#[test]
fn blocks_of_sites_are_the_same_as_one_by_one() {
    let (kernel, signs) = line(77);
    let context = context(Digest::of(b"ep"), 0);
    for dof in [Dof::new(5.0), Dof::GAUSSIAN] {
        let rule = Rule::Consistent(Step::new(dof, 77, 0.05));
        let expected = one_by_one(&kernel, &signs, dof, &rule, 3);
        let mut latent = Latent::prior(&kernel);
        let schedule = Schedule { max_sweeps: 3, ..EXACT };
        let observed = Observed { kernel: &kernel, signs: &signs };
        latent.propagate(observed, dof, &rule, &schedule, &context).unwrap();
        assert_near(&latent.mean, &expected.mean, 1e-11);
        assert_near(&[latent.log_ratio], &[expected.log_ratio], 1e-10);
        for row in 0..77 {
            let found: Vec<f64> = (0..=row).map(|column| latent.a(row, column)).collect();
            assert_near(&found, &expected.a.row(row)[..=row], 1e-11);
        }
        // Afresh from the sites, some of which have negative precision, A is the same.
        assert!(latent.sites.iter().any(|site| site.tau < 0.0), "{dof:?}");
        let fresh = Latent::with_sites(&kernel, latent.sites.clone()).unwrap();
        let weights = &fresh.weights;
        let mut mean = vec![0.0; 77];
        kernel.times(weights, &mut mean);
        assert_near(&mean, &fresh.mean, 1e-10);
    }
}

/// A kernel matrix that is nearly constant, as at a long length scale: precisions of sites are near to 1e6, and
/// nu - T mean would leave four digits of the weights.
#[test]
fn weights_keep_their_digits_where_the_kernel_is_nearly_singular() {
    let (_, signs) = line(77);
    let kernel = Matrix::from_fn(77, 77, |row, column| {
        let apart = (row as f64 - column as f64) / 2000.0;
        let jitter = if row == column { 1e-6 } else { 0.0 };
        exp(-0.5 * apart * apart) + jitter
    });
    let rule = Rule::Consistent(Step::new(Dof::GAUSSIAN, 77, 0.05));
    let observed = Observed { kernel: &kernel, signs: &signs };
    let context = context(Digest::of(b"ep"), 0);
    let weights = |tolerance: f64| {
        let mut latent = Latent::prior(&kernel);
        let schedule = Schedule { tolerance, ..EXACT };
        latent.propagate(observed, Dof::GAUSSIAN, &rule, &schedule, &context).unwrap();
        (latent.weights.to_vec(), latent)
    };
    let (found, latent) = weights(1e-8);
    // (K + T⁻¹) w = T⁻¹ nu, line by line.
    let mut product = vec![0.0; 77];
    kernel.times(&found, &mut product);
    let largest = latent.mean.iter().fold(0.0, |most: f64, mean| most.max(mean.abs()));
    assert!(latent.sites.iter().any(|site| site.tau > 1e5));
    for ((product, weight), site) in product.iter().zip(&found).zip(&latent.sites) {
        if site.tau > 0.0 {
            let apart = product + weight / site.tau - site.nu / site.tau;
            assert!(apart.abs() < 1e-8 * largest, "{apart} {largest}");
        }
    }
    // What they decide on between the inputs.
    let decisions = |weights: &[f64]| -> Vec<f64> {
        let decide = |at: usize| -> f64 {
            let near = |(other, weight): (usize, &f64)| {
                let apart = (at as f64 + 0.5 - other as f64) / 2000.0;
                weight * exp(-0.5 * apart * apart)
            };
            weights.iter().enumerate().map(near).sum()
        };
        (0..76).map(decide).collect()
    };
    assert_near(&decisions(&found), &decisions(&weights(1e-12).0), 1e-3 * largest);
}

#[test]
fn a_fixed_point_does_not_know_the_order() {
    let (kernel, signs) = line(40);
    let turned = Matrix::from_fn(40, 40, |row, column| kernel.at(39 - row, 39 - column));
    let reversed: Vec<f64> = signs.iter().rev().copied().collect();
    for dof in [Dof::new(10.0), Dof::GAUSSIAN] {
        let one = fit(&kernel, &signs, dof, 0.1);
        let other = fit(&turned, &reversed, dof, 0.1);
        assert!(one.progress.converged && other.progress.converged);
        let back: Vec<f64> = other.latent.mean.iter().rev().copied().collect();
        assert_near(&one.latent.mean, &back, 1e-9);
    }
}

#[test]
fn clipped_sites_have_no_negative_precision() {
    let (kernel, signs) = line(40);
    let dof = Dof::new(10.0);
    let rule = Rule::Clipped(Step::new(dof, 40, 0.05));
    let observed = Observed { kernel: &kernel, signs: &signs };
    let mut latent = Latent::prior(&kernel);
    let context = context(Digest::of(b"ep"), 0);
    let progress = latent.propagate(observed, dof, &rule, &EXACT, &context).unwrap();
    assert!(progress.converged, "{progress:?}");
    assert!(latent.sites.iter().all(|site| site.tau >= 0.0));
    // Damping halves a precision that is clipped in every sweep.
    let clipped = |site: &Site| site.tau < 1e-9;
    assert!(latent.sites.iter().any(clipped), "some are clipped");
    // The others are where the free rule leaves them.
    let free = Rule::Consistent(Step::new(dof, 40, 0.05));
    let psi = latent.psi(dof);
    for (at, &y) in signs.iter().enumerate().filter(|(at, _)| !clipped(&latent.sites[*at])) {
        let (site, _) = free.update(latent.sites[at], latent.along(at, psi), dof, y).unwrap();
        assert!((site.tau - latent.sites[at].tau).abs() < 1e-8 * (1.0 + site.tau));
        assert!((site.nu - latent.sites[at].nu).abs() < 1e-8 * (1.0 + site.nu.abs()));
    }
}

#[test]
fn the_literal_variant_says_where_it_breaks() {
    let (kernel, signs) = line(60);
    let log_determinant = Cholesky::new(kernel.clone()).unwrap().log_determinant();
    let rule = Rule::Literal(Literal::new(3.0, 60, 0.01, log_determinant));
    let observed = Observed { kernel: &kernel, signs: &signs };
    let context = context(Digest::of(b"ep"), 0);
    let schedule = Schedule { damping: 1.0, ..EXACT };
    let found =
        Latent::prior(&kernel).propagate(observed, Dof::new(3.0), &rule, &schedule, &context);
    let error = found.unwrap_err().to_string();
    assert!(error.contains(" of training example "), "{error}");
    assert!(error.contains("is no distribution: its precision is not positive"), "{error}");
}

/// (36)-(39): the q-product of the prior with all site functions, each with its constant, integrated
/// numerically over two dimensions.
#[test]
fn the_marginal_likelihood_is_the_integral_of_the_q_product() {
    use crate::tep::tests::deformed::{exp_t, ln_t_of_exp};
    use crate::tep::tests::member::Member;
    use math::quadrature::gauss_legendre_on;
    let v = 6.0;
    let dof = Dof::new(v);
    let kernel = three(2);
    let found = fit(&kernel, &SIGNS[..2], dof, 0.05);
    let prior = Member::new(v, vec![0.0; 2], kernel.clone()).unwrap();
    let t = prior.deformation();
    let unit = prior.psi() / v;
    // Posterior and cavities as members, by their natural parameters.
    let natural = prior.natural();
    let with = |sites: [Site; 2]| {
        let mut natural = natural.clone();
        for (at, site) in sites.into_iter().enumerate() {
            natural.first[at] += unit * site.nu;
            natural.second.set(at, at, natural.second.at(at, at) + unit * site.tau);
        }
        Member::from_natural(v, &natural).unwrap()
    };
    let sites = [found.latent.sites[0], found.latent.sites[1]];
    let whole = with(sites);
    assert_near(whole.mean(), &found.latent.mean, 1e-10);
    let rule = Rule::Consistent(Step::new(dof, 2, 0.05));
    // ln_t of the product: of the prior, and of each site with its constant (38).
    let constants: f64 = (0..2)
        .map(|at| {
            let mut without = sites;
            without[at] = Site::default();
            let cavity = with(without);
            let along = found.latent.along(at, found.latent.psi(dof));
            let (_, log_z) = rule.update(sites[at], along, dof, SIGNS[at]).unwrap();
            let of_z = ln_t_of_exp((v + 2.0) / v * log_z, t);
            whole.psi() * of_z - whole.log_partition() + cavity.log_partition()
        })
        .sum();
    let product = |f: [f64; 2]| {
        let of_site = |(site, f): (Site, f64)| {
            // <Phi, theta~> = Psi~ K~ (f² - 2 mu~ f) / (1 - t).
            unit * (site.tau * f * f - 2.0 * site.nu * f) / (1.0 - t)
        };
        let sum: f64 = sites.into_iter().zip(f).map(of_site).sum();
        exp_t(ln_t_of_exp(prior.ln_density(&f), t) + sum + constants, t)
    };
    // A radius up to infinity and an angle around the location.
    let angles = gauss_legendre_on(80, 0.0, 2.0 * std::f64::consts::PI);
    let radii = gauss_legendre_on(200, 0.0, 1.0);
    let center = [found.latent.mean[0], found.latent.mean[1]];
    let mut integral = 0.0;
    for (angle, of_angle) in &angles {
        for (x, of_radius) in &radii {
            let (radius, rest) = (x / (1.0 - x), 1.0 - x);
            let place = [center[0] + radius * cos(*angle), center[1] + radius * sin(*angle)];
            integral += of_angle * of_radius * radius / (rest * rest) * product(place);
        }
    }
    assert_near(&[found.log_evidence], &[ln(integral)], 1e-9);
}
