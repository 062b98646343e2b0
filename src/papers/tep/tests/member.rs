//! Student-t distributions as members of the t-exponential family: section 2, equations (5)-(13), (53),
//! (54) and theorem 2.
//!
//! The matrix of a member is its *scale*, so the covariance of its escort distribution is the scale
//! itself (the ordinary covariance is v/(v-2) of it).

use math::matrix::Matrix;
use math::matrix::cholesky::Cholesky;
use math::special::{exp, ln, ln_1p};

use super::deformed::exp_t;
use crate::tep::site::{ln_constant, ln_ratio};

/// St(z; v, mu, Sigma) in k dimensions.
#[derive(Debug, Clone)]
pub struct Member {
    dof: f64,
    mean: Vec<f64>,
    scale: Matrix,
    cholesky: Cholesky,
}

/// Natural parameters of a member, equation (10), without the factors -2/(1-t) and 1/(1-t): theta1 is
/// the first times `-2 / (1 - t)`, theta2 the second times `1 / (1 - t)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Natural {
    /// Psi K mu.
    pub first: Vec<f64>,
    /// Psi K.
    pub second: Matrix,
}

impl Member {
    /// The member with v = `dof` > 0 degrees of freedom; none if `scale`, of which the lower triangle
    /// counts, is not positive definite.
    ///
    /// # Panics
    /// If mean and scale differ in size.
    pub fn new(dof: f64, mean: Vec<f64>, scale: Matrix) -> Option<Self> {
        assert_eq!(mean.len(), scale.rows(), "mean and scale of one size");
        let cholesky = Cholesky::new(scale.clone())?;
        Some(Self { dof, mean, scale, cholesky })
    }

    /// Location mu.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Number of dimensions, k.
    fn dimensions(&self) -> f64 {
        self.mean.len() as f64
    }

    /// t of the family, equation (8): 1 + 2 / (v + k).
    pub fn deformation(&self) -> f64 {
        1.0 + 2.0 / (self.dof + self.dimensions())
    }

    /// The logarithm of the density, equation (7).
    pub fn ln_density(&self, z: &[f64]) -> f64 {
        let power = 0.5 * (self.dof + self.dimensions());
        self.ln_constant() - power * ln_1p(self.distance(z) / self.dof)
    }

    /// The logarithm of the density at the location.
    fn ln_constant(&self) -> f64 {
        ln_constant(self.dof, self.dimensions()) - 0.5 * self.cholesky.log_determinant()
    }

    /// (z - mu)' Sigma⁻¹ (z - mu).
    fn distance(&self, z: &[f64]) -> f64 {
        let apart: Vec<f64> = z.iter().zip(&self.mean).map(|(z, mean)| z - mean).collect();
        let mut solved = apart.clone();
        self.cholesky.solve(&mut solved);
        apart.iter().zip(&solved).map(|(one, other)| one * other).sum()
    }

    /// Psi of equation (9): the density at the location to the power 1 - t.
    pub fn psi(&self) -> f64 {
        exp((1.0 - self.deformation()) * self.ln_constant())
    }

    /// Natural parameters, equation (10).
    pub fn natural(&self) -> Natural {
        let factor = self.psi() / self.dof;
        let mut first = self.mean.clone();
        self.cholesky.solve(&mut first);
        first.iter_mut().for_each(|value| *value *= factor);
        let inverse = self.cholesky.inverse();
        let size = self.mean.len();
        let second = Matrix::from_fn(size, size, |row, column| factor * inverse.at(row, column));
        Natural { first, second }
    }

    /// The member with these natural parameters, by the determinants of (53) and (54):
    /// |Psi K| = c^k |Sigma|^{-v/(v+k)} and Psi = c v |Sigma|^{1/(v+k)} with c the constant of (53) to
    /// the power 1 - t, over v. None if Psi K is not positive definite.
    pub fn from_natural(dof: f64, natural: &Natural) -> Option<Self> {
        let k = natural.first.len() as f64;
        let cholesky = Cholesky::new(natural.second.clone())?;
        let ln_c = ln_ratio(dof, k);
        let ln_determinant = (k * ln_c - cholesky.log_determinant()) * (dof + k) / dof;
        let psi = dof * exp(ln_c + ln_determinant / (dof + k));
        let inverse = cholesky.inverse();
        let size = natural.first.len();
        let scale = Matrix::from_fn(size, size, |row, column| psi / dof * inverse.at(row, column));
        let mut mean = natural.first.clone();
        cholesky.solve(&mut mean);
        Self::new(dof, mean, scale)
    }

    /// <Phi(z), theta>, equation (10).
    pub fn inner(&self, z: &[f64]) -> f64 {
        let deformation = 1.0 - self.deformation();
        self.psi() / deformation * (self.distance(z) - self.distance(&vec![0.0; z.len()]))
            / self.dof
    }

    /// The log-partition function g_t, equation (11).
    pub fn log_partition(&self) -> f64 {
        let deformation = 1.0 - self.deformation();
        let at_zero = self.distance(&vec![0.0; self.mean.len()]) / self.dof;
        (1.0 - self.psi() * (at_zero + 1.0)) / deformation
    }

    /// The escort distribution, equation (6): p to the power t, normalised. It has v + 2 degrees of
    /// freedom, mean mu and *covariance* Sigma. None if the scale is too small to be multiplied by
    /// v / (v + 2).
    pub fn escort(&self) -> Option<Self> {
        let size = self.mean.len();
        let factor = self.dof / (self.dof + 2.0);
        let scale = Matrix::from_fn(size, size, |row, column| factor * self.scale.at(row, column));
        Self::new(self.dof + 2.0, self.mean.clone(), scale)
    }

    /// The integral of p to the power t: v / ((v + k) Psi).
    pub fn escort_mass(&self) -> f64 {
        self.dof / ((self.dof + self.dimensions()) * self.psi())
    }

    /// The t-divergence D_t of another member with the same degrees of freedom from this one, equation
    /// (13): the escort mean of ln_t p - ln_t p~. Both are quadratic functions, so the first two moments
    /// of the escort, mu and Sigma, are all that is needed.
    ///
    /// # Panics
    /// If they are not of one family.
    pub fn divergence(&self, other: &Self) -> f64 {
        assert_eq!(self.deformation(), other.deformation(), "members of one family");
        let deformation = 1.0 - self.deformation();
        // ln_t p at z is (Psi (1 + distance / v) - 1) / (1 - t).
        let mean_of = |of: &Self| {
            let inverse = of.cholesky.inverse();
            let size = self.mean.len();
            let elements = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
            let trace: f64 = elements
                .map(|(row, column)| inverse.at(row, column) * self.scale.at(row, column))
                .sum();
            of.psi() * (1.0 + (of.distance(&self.mean) + trace) / of.dof)
        };
        (mean_of(self) - mean_of(other)) / deformation
    }

    /// The integral of exp_t(<Phi, theta> - g) for any g: theorem 2 in k dimensions,
    /// `exp_t((g_t(theta) - g) / Psi)^{v/(v+k)}`. The paper proves k = 1, where the exponent is
    /// (3 - t)/2; in general it is 1 + k (1 - t)/2 = v / (v + k).
    pub fn integral(&self, g: f64) -> f64 {
        let t = self.deformation();
        let inside = exp_t((self.log_partition() - g) / self.psi(), t);
        exp(self.dof / (self.dof + self.dimensions()) * ln(inside))
    }
}

mod tests;
