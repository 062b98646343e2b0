//! The method `process-exact`: Gaussian and Student-t process classification without approximation, by
//! quadrature over the latent values of at most three training examples. It is there to verify that the
//! two models are one (`docs/papers/tep.md`).
//!
//! Latent values are f = L z with L L' the kernel matrix, and z is integrated over its length r and its
//! direction, orthant of f by orthant. The density of either process is a function of r; for a Student-t
//! process, with r = sqrt(v) tan(a), the integrals over r are those of sin^{N-1}(a) cos^{v-1}(a). Nothing of
//! the proposition is used: the density is that of the process for its own v.

use crate::tep::evidence::LOG_EVIDENCE;
use std::f64::consts::{FRAC_PI_2, PI};

use super::kernel::{Family, Inputs, JITTER, Kernel};
use super::labels::{classes, decisions, signed};
use super::step::EPS;
use contract::parameter::{Choice, Real, parameters, settings};
use contract::words::Words;
use contract::{
    Classifier, Context, Examples, Fit, FitError, Measure, Memory, MethodEntry, Prediction,
    Reported, Result, metrics,
};
use math::matrix::Matrix;
use math::matrix::cholesky::Cholesky;
use math::normal;
use math::quadrature::gauss_legendre_on;
use math::special::{asin, atan2, cos, exp, ln, ln_gamma, pow, sin};
use math::student_t::StudentT;
use math::vector::dot;

metrics! {
    pub EVIDENCE_DIFFERENCE: Training = "evidence_difference", "Difference of the log evidence",
        "distance of the log evidence by quadrature from that of the Gaussian process in closed form".lower().unit("nats");
    pub PROBABILITY_DIFFERENCE: Training = "probability_difference", "Difference of class probabilities",
        "largest distance of a test example's class probability from that of the Gaussian process".lower();
}

/// Nodes of a radius.
const RADII: usize = 64;
/// Nodes of an angle of a direction.
const ANGLES: usize = 24;

settings! {
    PRIOR prior: Choice<fn(f64) -> Option<f64>>::new(&Words(&[
        ("student-t", Some, "Student-t process with `dof` degrees of freedom"),
        ("gaussian", |_| None, "Gaussian process"),
    ]), "student-t"), "prior of the latent function";
    DOF dof: Real::within(1.0..=1e4, 10.0), "degrees of freedom v of a Student-t process";
    LENGTH_SCALE length_scale: Real::positive(1.0), "length scale of the Gaussian kernel, in units of the inputs";
}

/// The registry's entry.
pub static PROCESS_EXACT: MethodEntry = MethodEntry {
    kind: "process-exact",
    summary: "Gaussian or Student-t process classification by quadrature, for at most three training examples",
    source: "Futami, Sato and Sugiyama 2017, equations (57) and (91); no approximation",
    parameters: parameters![PRIOR, DOF, LENGTH_SCALE, JITTER, EPS,],
    reports: &[&LOG_EVIDENCE, &EVIDENCE_DIFFERENCE, &PROBABILITY_DIFFERENCE],
    cost: |_, shape| 0.1 * shape.examples as f64,
    memory: Memory::PairsOfExamples(3.0),
    fits: &[Fit::Numeric(|parameters, train, _, _| {
        let (rows, signs) = signed(train)?;
        if signs.len() > 3 {
            return Err(FitError::Failed(format!(
                "{} training examples; it integrates over the latent values of at most three",
                signs.len()
            )));
        }
        let kernel = Kernel::new(Family::Rbf, rows.columns(), parameters.get(&LENGTH_SCALE));
        let matrix = kernel.matrix(rows, parameters.get(&JITTER));
        let eps = parameters.get(&EPS);
        let singular = || {
            FitError::NoSolution(
                "the kernel matrix is not positive definite to working precision; raise `jitter`"
                    .to_owned(),
            )
        };
        let gaussian = Integral::new(&matrix, &signs, None, eps).ok_or_else(singular)?;
        let integral = match parameters.get(&PRIOR)(parameters.get(&DOF)) {
            None => gaussian.clone(),
            dof => Integral::new(&matrix, &signs, dof, eps).ok_or_else(singular)?,
        };
        let closed = ln(closed_evidence(&matrix, &signs, eps));
        Ok(Box::new(Exact {
            columns: rows.columns(),
            inputs: kernel.at(rows),
            closed,
            integral,
            gaussian,
        }))
    })],
    ..MethodEntry::PLAIN
};

/// The integral over the latent values of the training examples, as a sum over nodes.
#[derive(Debug, Clone)]
struct Integral {
    cholesky: Cholesky,
    /// The distribution of a further latent value, given these; none for a Gaussian process.
    conditional: Option<StudentT>,
    eps: f64,
    /// Latent values at r = 1, with the weight of the direction times the likelihood of their signs, and of
    /// the opposite signs.
    directions: Vec<(Vec<f64>, [f64; 2])>,
    /// For each radius the factor by which a further latent value's location in units of its scale
    /// grows, and the weight.
    radii: Vec<(f64, f64)>,
}

impl Integral {
    /// None if the matrix is not positive definite.
    fn new(matrix: &Matrix, signs: &[f64], dof: Option<f64>, eps: f64) -> Option<Self> {
        let n = signs.len();
        let cholesky = Cholesky::new(matrix.clone())?;
        // Column i is the z of latent values of which only number i is not zero.
        let mut corners = Matrix::from_diagonal(&vec![1.0; n]);
        cholesky.solve_lower(&mut corners);
        let mut directions = Vec::new();
        // The last sign is positive: of the other half of the directions each is the opposite of one.
        for orthant in 0..1usize << (n - 1) {
            let sign = |at: usize| if orthant >> at & 1 == 1 { -1.0 } else { 1.0 };
            let corner = |at: usize| (0..n).map(|row| sign(at) * corners.at(row, at)).collect();
            let corners: Vec<Vec<f64>> = (0..n).map(corner).collect();
            let likelihood = |side: f64| -> f64 {
                let right = |at: usize| side * sign(at) * signs[at] > 0.0;
                (0..n).map(|at| if right(at) { 1.0 - eps } else { eps }).product()
            };
            let likelihoods = [likelihood(1.0), likelihood(-1.0)];
            directions.extend(between(&corners).into_iter().map(|(z, weight)| {
                (cholesky.times(&z), likelihoods.map(|likelihood| likelihood * weight))
            }));
        }
        let k = n as f64;
        let radii = match dof {
            None => {
                let constant = exp(-0.5 * k * ln(2.0 * PI));
                let node = |(r, weight): (f64, f64)| {
                    (r, weight * constant * pow(r, k - 1.0) * exp(-0.5 * r * r))
                };
                from_zero(10.0).map(node).collect()
            }
            Some(v) => {
                // The factors v^{N/2} of the constant of (7) and of the integral cancel.
                let constant = exp(ln_gamma(0.5 * (v + k)) - ln_gamma(0.5 * v) - 0.5 * k * ln(PI));
                let node = |(angle, weight): (f64, f64)| {
                    let (sine, cosine) = (sin(angle), cos(angle));
                    let powers = pow(sine, k - 1.0) * pow(cosine, v - 1.0);
                    // (91): r / sqrt((v + r²) / (v + N)).
                    (sine * (v + k).sqrt(), weight * constant * powers)
                };
                let most = FRAC_PI_2.min(10.0 / v.sqrt());
                from_zero(most).map(node).collect()
            }
        };
        let conditional = dof.map(|v| StudentT::new(v + k));
        Some(Self { cholesky, conditional, eps, directions, radii })
    }

    /// The evidence p(y).
    fn evidence(&self) -> f64 {
        let of_radii: f64 = self.radii.iter().map(|(_, weight)| weight).sum();
        of_radii * self.directions.iter().map(|(_, [one, other])| one + other).sum::<f64>()
    }

    /// The probability of class 1 for a test example with these kernels to the training examples and
    /// with itself: its latent value, given the others, has the distribution (91).
    fn class_1(&self, kernels: &[f64], own: f64) -> f64 {
        let mut solved = kernels.to_vec();
        self.cholesky.solve(&mut solved);
        let rest = own - dot(kernels, &solved);
        let root = rest.max(f64::MIN_POSITIVE).sqrt();
        let mut above = 0.0;
        for (direction, [one, opposite]) in &self.directions {
            let slope = dot(&solved, direction) / root;
            let (mut of_direction, mut of_opposite) = (0.0, 0.0);
            for (radius, weight) in &self.radii {
                let z = -(slope * radius).abs();
                let below = self.conditional.map_or_else(|| normal::cdf(z), |own| own.cdf(z));
                let (lower, upper) = (weight * below, weight * (1.0 - below));
                of_direction += if slope > 0.0 { upper } else { lower };
                of_opposite += if slope > 0.0 { lower } else { upper };
            }
            above += one * of_direction + opposite * of_opposite;
        }
        self.eps + (1.0 - 2.0 * self.eps) * above / self.evidence()
    }
}

/// Nodes from zero to `most` with their weights, dense at zero, where the distribution of a test example
/// close to a training example is steep.
fn from_zero(most: f64) -> impl Iterator<Item = (f64, f64)> {
    let node = move |(x, weight): (f64, f64)| (most * x * x * x, 3.0 * most * x * x * weight);
    gauss_legendre_on(RADII, 0.0, 1.0).into_iter().map(node)
}

/// Directions between one, two or three corners in as many dimensions, each of length 1, with weights
/// whose sum is the part of the unit sphere that they cover.
fn between(corners: &[Vec<f64>]) -> Vec<(Vec<f64>, f64)> {
    let unit = |vector: &[f64]| -> Vec<f64> {
        let length = dot(vector, vector).sqrt();
        vector.iter().map(|part| part / length).collect()
    };
    // What is left of a vector across a direction.
    let across = |vector: &[f64], direction: &[f64]| -> Vec<f64> {
        let along = dot(vector, direction);
        vector.iter().zip(direction).map(|(part, other)| part - along * other).collect()
    };
    let turned = |from: &[f64], to: &[f64], angle: f64| -> Vec<f64> {
        let (sine, cosine) = (sin(angle), cos(angle));
        from.iter().zip(to).map(|(from, to)| cosine * from + sine * to).collect()
    };
    let first = unit(&corners[0]);
    match corners {
        [] | [_] => vec![(first, 1.0)],
        [_, second] => {
            let aside = unit(&across(second, &first));
            let most = atan2(dot(second, &aside), dot(second, &first));
            let node = |(angle, weight)| (turned(&first, &aside, angle), weight);
            gauss_legendre_on(ANGLES, 0.0, most).into_iter().map(node).collect()
        }
        [_, second, third, ..] => {
            // Polar coordinates around the first corner; a ray ends at the arc between the others.
            let aside = unit(&across(second, &first));
            let up = unit(&across(&across(third, &first), &aside));
            let most = atan2(dot(third, &up), dot(third, &aside));
            let normal = [
                second[1] * third[2] - second[2] * third[1],
                second[2] * third[0] - second[0] * third[2],
                second[0] * third[1] - second[1] * third[0],
            ];
            let above = dot(&first, &normal);
            let mut nodes = Vec::new();
            for (azimuth, of_azimuth) in gauss_legendre_on(ANGLES, 0.0, most) {
                let ray = turned(&aside, &up, azimuth);
                let towards = -dot(&ray, &normal) * above.signum();
                let end = atan2(above.abs(), towards);
                for (polar, of_polar) in gauss_legendre_on(ANGLES, 0.0, end) {
                    let weight = of_azimuth * of_polar * sin(polar);
                    nodes.push((turned(&first, &ray, polar), weight));
                }
            }
            nodes
        }
    }
}

/// The evidence of a Gaussian process with at most three latent values in closed form: orthants have
/// probability 1/2, 1/4 + asin(r) / (2 pi), 1/8 + (sum of three asin(r)) / (4 pi).
fn closed_evidence(matrix: &Matrix, signs: &[f64], eps: f64) -> f64 {
    let n = signs.len();
    let orthant = |signs: &[f64]| {
        let pairs = (0..n).flat_map(|row| (0..row).map(move |column| (row, column)));
        let of_pair = |(row, column): (usize, usize)| {
            let variances = matrix.at(row, row) * matrix.at(column, column);
            let correlation = matrix.at(row, column) / variances.sqrt();
            asin((signs[row] * signs[column] * correlation).clamp(-1.0, 1.0))
        };
        let orthants = f64::from(1u32 << n);
        (1.0 + pairs.map(of_pair).sum::<f64>() * 2.0 / PI) / orthants
    };
    let all = (0..1usize << n).map(|pattern| {
        let flip = |at: usize| if pattern >> at & 1 == 1 { -1.0 } else { 1.0 };
        let flipped: Vec<f64> = (0..n).map(|at| flip(at) * signs[at]).collect();
        let wrong = pattern.count_ones() as f64;
        pow(eps, wrong) * pow(1.0 - eps, n as f64 - wrong) * orthant(&flipped)
    });
    all.sum()
}

/// A fitted classifier.
#[derive(Debug)]
struct Exact {
    columns: usize,
    inputs: Inputs,
    integral: Integral,
    /// The same for a Gaussian process.
    gaussian: Integral,
    /// The logarithm of the evidence in closed form.
    closed: f64,
}

impl Exact {
    /// The probability of class 1 of each example under `integral`.
    fn probabilities(
        &self,
        integral: &Integral,
        examples: &Examples,
        context: &Context,
    ) -> Result<Vec<f64>> {
        let scratch = || (Vec::new(), vec![0.0; integral.cholesky.rows()]);
        decisions(examples, self.columns, context, scratch, |(scaled, kernels), input| {
            self.inputs.with(input, scaled, kernels);
            integral.class_1(kernels, 1.0)
        })
    }
}

impl Classifier for Exact {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let found = self.probabilities(&self.integral, examples, context)?;
        let gaussian = self.probabilities(&self.gaussian, examples, context)?;
        let apart = found.iter().zip(&gaussian).map(|(one, other)| (one - other).abs());
        let difference = Measure::Scalar(apart.fold(0.0, f64::max));
        Ok(Prediction {
            classes: classes(&found.iter().map(|value| value - 0.5).collect::<Vec<f64>>()),
            noticed: vec![(&PROBABILITY_DIFFERENCE, difference)],
        })
    }

    /// The probability of class 1 less one half.
    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        let found = self.probabilities(&self.integral, examples, context)?;
        Ok(Some(found.into_iter().map(|value| value - 0.5).collect()))
    }

    fn measures(&self) -> Reported {
        let evidence = ln(self.integral.evidence());
        vec![
            (&LOG_EVIDENCE, Measure::Scalar(evidence)),
            (&EVIDENCE_DIFFERENCE, Measure::Scalar((evidence - self.closed).abs())),
        ]
    }
}

#[cfg(test)]
mod tests;
