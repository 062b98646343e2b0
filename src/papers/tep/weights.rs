//! Expectation propagation for weights w of k inputs: appendix D.2 of the paper, equations (48)-(56), with
//! sites in the directions of the inputs.
//!
//! A sweep over N examples takes O(N k²) time.

use contract::{Context, FitError, Result};
use math::matrix::Matrix;
use math::matrix::cholesky::Cholesky;
use math::special::{exp, ln, ln_1p};
use math::vector::{add_scaled, dot};

use super::evidence::{Term, log_evidence};
use super::schedule::{Progress, Schedule};
use super::site::{Along, Rule, Site};
use super::step::Dof;

/// What is learned from: inputs with their labels, in the order in which they are visited.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// One row of k inputs an example.
    pub rows: Matrix,
    /// Label of each, 1 or -1.
    pub signs: Vec<f64>,
}

/// St(w; v, mean, psi A) as the prior times a site for each example. The prior has location zero and
/// scale matrix `prior_variance` I.
#[derive(Debug, Clone)]
pub struct Weights {
    prior_variance: f64,
    /// A site for each example.
    pub sites: Vec<Site>,
    /// Location.
    pub mean: Vec<f64>,
    /// A, both triangles.
    pub a: Matrix,
    /// The logarithm of |A| / |Sigma0|.
    pub log_ratio: f64,
}

impl Weights {
    /// The prior, with a site of no effect for each example.
    pub fn prior(inputs: &Inputs, prior_variance: f64) -> Self {
        let k = inputs.rows.columns();
        Self {
            prior_variance,
            sites: vec![Site::default(); inputs.signs.len()],
            mean: vec![0.0; k],
            a: Matrix::from_diagonal(&vec![prior_variance; k]),
            log_ratio: 0.0,
        }
    }

    /// psi.
    pub fn psi(&self, dof: Dof) -> f64 {
        exp(self.log_ratio * dof.inverse())
    }

    /// Updates sites in order until nothing changes.
    ///
    /// # Errors
    /// If the scale matrix is not positive definite after a sweep, the deadline passes or the user
    /// interrupts.
    pub fn propagate(
        &mut self,
        inputs: &Inputs,
        dof: Dof,
        rule: &Rule,
        schedule: &Schedule,
        context: &Context,
    ) -> Result<Progress> {
        let mut ax = vec![0.0; self.mean.len()];
        schedule.run(
            self,
            context,
            |weights, sweep, damping| {
                let skipped = weights.sweep(inputs, dof, rule, damping, &mut ax);
                weights.refactorise(inputs, sweep)?;
                Ok(skipped)
            },
            |weights, [locations, variances]| {
                locations.clone_from(&weights.mean);
                let psi = weights.psi(dof);
                variances.clear();
                for row in 0..weights.a.rows() {
                    variances.extend(weights.a.row(row).iter().map(|value| psi * value));
                }
            },
        )
    }

    /// Updates every site once; returns how many were skipped.
    fn sweep(
        &mut self,
        inputs: &Inputs,
        dof: Dof,
        rule: &Rule,
        damping: f64,
        ax: &mut [f64],
    ) -> usize {
        let mut skipped = 0;
        for (example, &y) in inputs.signs.iter().enumerate() {
            let x = inputs.rows.row(example);
            self.a.times(x, ax);
            let along =
                Along { mean: dot(x, &self.mean), variance: dot(x, ax), psi: self.psi(dof) };
            if along.variance == 0.0 {
                // An input of zeros says nothing.
                continue;
            }
            let old = self.sites[example];
            let Some((new, _)) = rule.update(old, along, dof, y) else {
                skipped += 1;
                continue;
            };
            let (tau, nu) = (damping * (new.tau - old.tau), damping * (new.nu - old.nu));
            let factor = 1.0 + tau * along.variance;
            if factor.is_nan() || factor <= 0.0 {
                skipped += 1;
                continue;
            }
            add_scaled(&mut self.mean, (nu - tau * along.mean) / factor, ax);
            for row in 0..ax.len() {
                add_scaled(self.a.row_mut(row), -tau / factor * ax[row], ax);
            }
            self.log_ratio -= ln_1p(tau * along.variance);
            self.sites[example] = Site { tau: old.tau + tau, nu: old.nu + nu };
        }
        skipped
    }

    /// Computes A, the location and the ratio anew from the sites.
    fn refactorise(&mut self, inputs: &Inputs, sweep: usize) -> Result<()> {
        let k = self.mean.len();
        let mut precision = Matrix::from_diagonal(&vec![1.0 / self.prior_variance; k]);
        self.mean.fill(0.0);
        for (example, site) in self.sites.iter().enumerate() {
            let x = inputs.rows.row(example);
            add_scaled(&mut self.mean, site.nu, x);
            for row in 0..k {
                add_scaled(precision.row_mut(row), site.tau * x[row], x);
            }
        }
        let cholesky = Cholesky::new(precision).ok_or_else(|| {
            FitError::NoSolution(format!(
                "the scale matrix of the weights is not positive definite after sweep {sweep}"
            ))
        })?;
        self.log_ratio = -cholesky.log_determinant() - k as f64 * ln(self.prior_variance);
        cholesky.solve(&mut self.mean);
        self.a = cholesky.inverse();
        Ok(())
    }

    /// The logarithm of Z_EP, equation (39): that of the evidence in the Gaussian limit. None where it is
    /// not defined.
    pub fn log_evidence(&self, inputs: &Inputs, dof: Dof, rule: &Rule) -> Option<f64> {
        let mut ax = vec![0.0; self.mean.len()];
        let psi = self.psi(dof);
        let terms = inputs.signs.iter().enumerate().map(|(example, &y)| {
            let x = inputs.rows.row(example);
            self.a.times(x, &mut ax);
            let along = Along { mean: dot(x, &self.mean), variance: dot(x, &ax), psi };
            let site = self.sites[example];
            if along.variance == 0.0 {
                return Some(Term { site, along, log_z: rule.ln_undecided() });
            }
            rule.update(site, along, dof, y).map(|(_, log_z)| Term { site, along, log_z })
        });
        log_evidence(dof, self.log_ratio, &terms.collect::<Option<Vec<_>>>()?)
    }
}

#[cfg(test)]
mod tests;
