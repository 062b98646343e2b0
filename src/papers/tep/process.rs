//! Expectation propagation for the values f of a process at N inputs: appendix E of the paper, with sites
//! in the directions of the unit vectors.
//!
//! Sites are visited one after another, but A is not touched after each: the sites of a block of 32 see
//! and change the 32 rows and columns of A that are theirs, and what they have done is then carried over
//! to all of A at once. That is the same sequence of updates, and turns (88) and (89), N products of
//! vectors, into a few products of matrices: N³/2 multiplications a sweep.

use contract::{Context, FitError, Result};
use math::matrix::Matrix;
use math::matrix::cholesky::{Cholesky, add_gram};
use math::matrix::panel::{DEPTH, Panel, Part, WIDTH, subtract_product};
use math::special::{exp, ln_1p};

use super::evidence::{Term, log_evidence};
use super::schedule::{Progress, Schedule};
use super::site::{Along, Rule, Site};
use super::step::Dof;

/// Sweeps after which A is computed anew from the sites.
const FRESH: usize = 20;

/// The prior and the labels: f ~ St(0, kernel), y_i in {-1, 1}.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// Scale matrix of the prior, both triangles.
    pub kernel: &'a Matrix,
    /// Label of each value, 1 or -1.
    pub signs: &'a [f64],
}

/// St(f; v, mean, psi A), the prior times a site for each value.
#[derive(Debug, Clone)]
pub struct Latent {
    /// A site for each value.
    pub sites: Vec<Site>,
    /// Location.
    pub mean: Vec<f64>,
    /// A; the lower triangle counts.
    a: Matrix,
    /// The logarithm of |A| / |kernel|.
    log_ratio: f64,
    /// kernel⁻¹ mean at the last time that A was computed anew.
    pub weights: Vec<f64>,
}

impl Latent {
    /// The prior times these sites.
    ///
    /// # Errors
    /// If A is not positive definite.
    pub fn with_sites(kernel: &Matrix, sites: Vec<Site>) -> Result<Self> {
        let mut latent = Self { sites, a: Matrix::zeros(0, 0), ..Self::prior(kernel) };
        latent.refactorise(kernel)?;
        Ok(latent)
    }

    /// The prior, with sites of no effect.
    pub fn prior(kernel: &Matrix) -> Self {
        let n = kernel.rows();
        Self {
            sites: vec![Site::default(); n],
            mean: vec![0.0; n],
            a: kernel.clone(),
            log_ratio: 0.0,
            weights: vec![0.0; n],
        }
    }

    /// psi.
    pub fn psi(&self, dof: Dof) -> f64 {
        exp(self.log_ratio * dof.inverse())
    }

    /// The posterior of one value.
    pub fn along(&self, at: usize, psi: f64) -> Along {
        Along { mean: self.mean[at], variance: self.a.at(at, at), psi }
    }

    /// A = (kernel⁻¹ + T)⁻¹ by row and column.
    pub fn a(&self, row: usize, column: usize) -> f64 {
        self.a.at(row.max(column), row.min(column))
    }

    /// Updates sites in order until nothing changes.
    ///
    /// # Errors
    /// If the posterior is no distribution any more, for the literal rule as soon as a cavity is none; if
    /// the deadline passes or the user interrupts.
    pub fn propagate(
        &mut self,
        observed: Observed<'_>,
        dof: Dof,
        rule: &Rule,
        schedule: &Schedule,
        context: &Context,
    ) -> Result<Progress> {
        let mut work = Work::default();
        let progress = schedule.run(
            self,
            context,
            |latent, sweep, damping| {
                let mut skipped = 0;
                for start in (0..latent.sites.len()).step_by(DEPTH) {
                    skipped += work.block(latent, start, observed.signs, dof, rule, damping)?;
                }
                if sweep % FRESH == 0 {
                    latent.refactorise(observed.kernel)?;
                }
                Ok(skipped)
            },
            |latent, [locations, variances]| {
                locations.clone_from(&latent.mean);
                let psi = latent.psi(dof);
                variances.clear();
                variances.extend(latent.a.diagonal().map(|value| psi * value));
            },
        )?;
        if progress.sweeps % FRESH != 0 {
            self.refactorise(observed.kernel)?;
        }
        Ok(progress)
    }

    /// Computes A, location and ratio anew from the sites, without the inverse of the kernel matrix,
    /// which may be close to singular: first the sites of positive precision by the factor of I + S K S,
    /// S = T^{1/2}, then the others by that of I - S A S among themselves.
    fn refactorise(&mut self, kernel: &Matrix) -> Result<()> {
        let n = kernel.rows();
        let roots: Vec<f64> = self.sites.iter().map(|site| site.tau.max(0.0).sqrt()).collect();
        let inner = Matrix::from_fn(n, n, |row, column| {
            let product = roots[row] * kernel.at(row, column) * roots[column];
            if row == column { 1.0 + product } else { product }
        });
        let positive = Cholesky::new(inner).ok_or_else(indefinite)?;
        let mut half = Matrix::from_fn(n, n, |row, column| roots[row] * kernel.at(row, column));
        positive.solve_lower(&mut half);
        self.a = kernel.clone();
        add_gram(&mut self.a, &half, -1.0);
        self.log_ratio = -positive.log_determinant();
        let others: Vec<usize> = (0..n).filter(|&at| self.sites[at].tau < 0.0).collect();
        if !others.is_empty() {
            let root = |of: usize| (-self.sites[others[of]].tau).sqrt();
            let m = others.len();
            let inner = Matrix::from_fn(m, m, |row, column| {
                let product = root(row) * self.a(others[row], others[column]) * root(column);
                if row == column { 1.0 - product } else { -product }
            });
            let negative = Cholesky::new(inner).ok_or_else(indefinite)?;
            let mut half =
                Matrix::from_fn(m, n, |row, column| root(row) * self.a(others[row], column));
            negative.solve_lower(&mut half);
            add_gram(&mut self.a, &half, 1.0);
            self.log_ratio -= negative.log_determinant();
        }
        let nu: Vec<f64> = self.sites.iter().map(|site| site.nu).collect();
        self.a.times_symmetric(&nu, &mut self.mean);
        self.weigh(kernel, &roots, &positive);
        Ok(())
    }

    /// The weights w = kernel⁻¹ mean. w = nu - T mean would subtract numbers that are equal but for
    /// their last digits where precisions are large, so that only for the sites without a positive one, O, it is used; for
    /// the others, P, w = S u with (I + S K S) u = S⁻¹ nu - S K_PO w_O.
    fn weigh(&mut self, kernel: &Matrix, roots: &[f64], positive: &Cholesky) {
        for (weight, (site, mean)) in self.weights.iter_mut().zip(self.sites.iter().zip(&self.mean))
        {
            *weight = if site.tau > 0.0 { 0.0 } else { site.nu - site.tau * mean };
        }
        let mut of_others = vec![0.0; roots.len()];
        kernel.times(&self.weights, &mut of_others);
        let terms = roots.iter().zip(&self.sites).zip(&of_others);
        let inner = terms.map(|((&root, site), others)| match root > 0.0 {
            true => site.nu / root - root * others,
            false => 0.0,
        });
        let mut inner: Vec<f64> = inner.collect();
        positive.solve(&mut inner);
        for ((weight, root), inner) in self.weights.iter_mut().zip(roots).zip(inner) {
            *weight += root * inner;
        }
    }

    /// The logarithm of Z_EP, equation (39): that of the evidence in the Gaussian limit. None where it is
    /// not defined.
    pub fn log_evidence(&self, observed: Observed<'_>, dof: Dof, rule: &Rule) -> Option<f64> {
        let psi = self.psi(dof);
        let term = |(at, &y): (usize, &f64)| {
            let (site, along) = (self.sites[at], self.along(at, psi));
            rule.update(site, along, dof, y).map(|(_, log_z)| Term { site, along, log_z })
        };
        let terms = observed.signs.iter().enumerate().map(term).collect::<Option<Vec<_>>>()?;
        log_evidence(dof, self.log_ratio, &terms)
    }
}

fn indefinite() -> FitError {
    FitError::NoSolution(
        "the scale matrix of the latent values is not positive definite; more damping (a smaller `damping`) or \
         `variant = \"clipped\"` may help"
            .to_owned(),
    )
}

/// Working space of a sweep.
#[derive(Debug, Default)]
struct Work {
    /// The columns of A of a block, as rows.
    columns: Panel,
    /// D - D B D, and its product with the columns.
    middle: Panel,
    products: Panel,
    /// The block's rows and columns of A, and its locations, as the block changes them.
    inner: Vec<[f64; DEPTH]>,
    mean: Vec<f64>,
    /// What was added to the block's sites.
    added: Vec<Site>,
}

impl Work {
    /// Updates the sites of the block from `start` and carries the changes over to the posterior;
    /// returns how many were skipped.
    fn block(
        &mut self,
        latent: &mut Latent,
        start: usize,
        signs: &[f64],
        dof: Dof,
        rule: &Rule,
        damping: f64,
    ) -> Result<usize> {
        let n = latent.sites.len();
        let size = DEPTH.min(n - start);
        self.columns.load(size, n, |k, row| latent.a(row, start + k));
        self.inner.clear();
        let element = |row: usize, column: usize| {
            if column < size { latent.a(start + row, start + column) } else { 0.0 }
        };
        let of_row = |row| std::array::from_fn(|column| element(row, column));
        self.inner.extend((0..size).map(of_row));
        self.mean.clear();
        self.mean.extend_from_slice(&latent.mean[start..start + size]);
        self.added.clear();
        self.added.resize(size, Site::default());
        let mut skipped = 0;
        for at in 0..size {
            let along =
                Along { mean: self.mean[at], variance: self.inner[at][at], psi: latent.psi(dof) };
            let (old, y) = (latent.sites[start + at], signs[start + at]);
            let new = rule.update(old, along, dof, y);
            let added = new.map(|(new, _)| Site {
                tau: damping * (new.tau - old.tau),
                nu: damping * (new.nu - old.nu),
            });
            let possible = |added: &Site| 1.0 + added.tau * along.variance > 0.0;
            let Some(added) = added.filter(possible) else {
                if matches!(rule, Rule::Literal(_)) {
                    return Err(broken(start + at, new.is_some()));
                }
                skipped += 1;
                continue;
            };
            self.update(at, along, added);
            latent.log_ratio -= ln_1p(added.tau * along.variance);
            latent.sites[start + at] = Site { tau: old.tau + added.tau, nu: old.nu + added.nu };
            self.added[at] = added;
        }
        self.carry_over(latent, size);
        Ok(skipped)
    }

    /// (89) within the block.
    fn update(&mut self, at: usize, along: Along, added: Site) {
        let factor = 1.0 + added.tau * along.variance;
        let column = self.inner[at];
        let step = (added.nu - added.tau * along.mean) / factor;
        let shrink = added.tau / factor;
        for (row, mean) in self.mean.iter_mut().enumerate() {
            *mean += step * column[row];
            let scale = shrink * column[row];
            for (element, other) in self.inner[row].iter_mut().zip(&column) {
                *element -= scale * other;
            }
        }
    }

    /// With U the block's columns of A, D what was added to its precisions, B its rows and columns of the
    /// new A: the new A is A - U (D - D B D) U', and its location grows by U (added nu - D location).
    fn carry_over(&mut self, latent: &mut Latent, size: usize) {
        let (added, inner) = (&self.added, &self.inner);
        self.middle.load(size, size, |row, column| {
            let own = if row == column { added[row].tau } else { 0.0 };
            own - added[row].tau * inner[row][column] * added[column].tau
        });
        self.products.load_product(&self.middle, size, &self.columns);
        let mut pull = [0.0; DEPTH];
        for (pull, (added, mean)) in pull.iter_mut().zip(added.iter().zip(&self.mean)) {
            *pull = added.nu - added.tau * mean;
        }
        for tile in 0..self.columns.tiles() {
            let mut steps = [0.0; WIDTH];
            for (pull, columns) in pull.iter().zip(self.columns.tile(tile)) {
                for (step, column) in steps.iter_mut().zip(columns) {
                    *step += pull * column;
                }
            }
            let means = latent.mean[tile * WIDTH..].iter_mut();
            means.zip(&steps).for_each(|(mean, step)| *mean += step);
        }
        subtract_product(&mut latent.a, (0, 0), &self.products, &self.columns, Part::Lower);
    }
}

/// Why the literal rule can't go on.
fn broken(example: usize, cavity: bool) -> FitError {
    let what = if cavity { "posterior" } else { "cavity" };
    FitError::NoSolution(format!(
        "the {what} of training example {} is no distribution: its precision is not positive; the \
         self-consistent variant does not mix one and N dimensions",
        example + 1
    ))
}

#[cfg(test)]
mod tests;
