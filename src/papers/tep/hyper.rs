//! How length scales are chosen: given, by the median of the distances, or by the evidence.
//!
//! The evidence is always that of the Gaussian limit. With a prior of location zero and a likelihood of
//! signs it is the evidence of the Student-t process too, for every v (`docs/papers/tep.md`), whereas (39) is
//! not, and (90) is its gradient in the limit only.

use base::digest::{Digest, FieldHasher};
use contract::numeric::NumericRows;
use contract::parameter::{Choice, Real, settings};
use contract::{Context, FitError, Result, words};
use math::ascent::{Limits, maximise};
use math::matrix::Matrix;

use super::kernel::{Family, Kernel, median_distance};
use super::process::{Latent, Observed};
use super::schedule::{Progress, Schedule};
use super::site::{Rule, Site};
use super::step::{Dof, Step};

words! {
    /// How length scales are chosen.
    pub enum Choosing {
        Median = "median", "the median of the distances between training inputs";
        Fixed = "fixed", "`length_scale`";
        /// Of equal evidences that of the smallest counts.
        Grid = "grid", "that of nine multiples of the median, from 1/4 to 4, which has the highest Gaussian evidence";
        Evidence = "evidence", "a maximum of the Gaussian evidence, climbed to from the median, or from the first of 4, 16, 64, 1/4, 1/16 \
                                and 1/64 times it where expectation propagation converges";
    }
}

settings! {
    /// The kernel of either process.
    pub struct OfKernel {
        KERNEL kernel: Choice<Family>::worded("rbf"), "kernel, of amplitude 1: a likelihood of signs sees no amplitude";
        HYPERPARAMETERS hyperparameters: Choice<Choosing>::worded("median"), "how length scales are chosen";
        LENGTH_SCALE length_scale: Real::positive(1.0), "length scale l where it is fixed, in units of the inputs";
    }
}

/// Raised by every change that can change what a search finds; it enters the key of the kept result.
const REVISION: u64 = 10;

/// Where a climb begins, as powers of the root of 2 of the median: there, and where expectation propagation does
/// not converge there, further and further away, first where functions are smoother.
const STARTS: [i32; 7] = [0, 4, 8, 12, -4, -8, -12];

/// How far a length scale may move from where the search begins: a factor of e to this.
const REACH: f64 = 6.0;

/// A tolerance that is enough to compare evidences, and the most sweeps for one: where the sites of the last
/// length scale are the start, more are needed only where none would do, and on a climb that shows after [`SETTLING`]. If it
/// converges nowhere, it has more of them with a quarter of the damping.
const ROUGH: f64 = 1e-3;
const HASTY: usize = 30;
const SETTLING: usize = 12;
const PATIENT: usize = 200;

const NO_MEDIAN: &str = "the median of the distances between training inputs is zero or does not exist, so it is no length scale; \
     set one with `hyperparameters = \"fixed\"` and `length_scale`";

/// The Gaussian process classifier with its kernel.
#[derive(Debug, Clone)]
pub struct Gaussian {
    /// The kernel.
    pub kernel: Kernel,
    /// Its matrix of the training inputs.
    pub matrix: Matrix,
    /// The posterior.
    pub latent: Latent,
    /// How the run from sites of no effect ended.
    pub progress: Progress,
    /// The logarithm of the evidence.
    pub log_evidence: Option<f64>,
}

/// A problem of Gaussian process classification without its kernel.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// Training inputs.
    pub rows: &'a NumericRows,
    /// Their labels, 1 or -1.
    pub signs: &'a [f64],
    /// Added to the diagonal of the kernel matrix.
    pub jitter: f64,
    /// eps of the likelihood.
    pub eps: f64,
    /// How sites are updated.
    pub schedule: Schedule,
}

impl Problem<'_> {
    /// Chooses length scales. The logarithm of their evidence comes with them where it was computed.
    ///
    /// # Errors
    /// If the median is zero; if expectation propagation converges nowhere on the search; if the deadline
    /// passes or the user interrupts.
    pub fn choose(&self, of: &OfKernel, context: &Context) -> Result<(Kernel, Option<f64>)> {
        let (family, columns) = (of.kernel, self.rows.columns());
        match of.hyperparameters {
            Choosing::Fixed => Ok((Kernel::new(family, columns, of.length_scale), None)),
            Choosing::Median => Ok((self.median(family)?, None)),
            search @ (Choosing::Grid | Choosing::Evidence) => {
                let key = self.search_key(family, search);
                let make = || self.search(&self.median(family)?, search, context);
                let of_family = |(_, kernel): &(f64, Kernel)| kernel.is_of(family, columns);
                let (value, kernel) = context.derive(key, make, of_family)?;
                Ok((kernel, Some(value)))
            }
        }
    }

    /// The kernel whose length scales are the median of the distances.
    fn median(&self, family: Family) -> Result<Kernel> {
        let median = median_distance(self.rows).filter(|median| *median > 0.0);
        let kernel = median.map(|median| Kernel::new(family, self.rows.columns(), median));
        kernel.ok_or_else(|| FitError::Failed(NO_MEDIAN.to_owned()))
    }

    /// Names everything that a search depends on.
    fn search_key(&self, family: Family, search: Choosing) -> Digest {
        let bytes = |values: &[f64]| -> Vec<u8> {
            values.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect()
        };
        let Schedule { damping, tolerance, .. } = self.schedule;
        FieldHasher::new("length-scales")
            .number(REVISION)
            .field(family.word())
            .field(search.word())
            .number(self.rows.columns() as u64)
            .field(bytes(self.rows.values()))
            .field(bytes(self.signs))
            .field(bytes(&[self.jitter, self.eps, damping, tolerance]))
            .finish()
    }

    /// Looks for a kernel of high evidence, and returns its logarithm too; where expectation propagation
    /// converges at no kernel that it tries, once more with patience. The evidence is that of free sites,
    /// whatever the variant: (90) is the gradient at their fixed points only.
    fn search(
        &self,
        median: &Kernel,
        search: Choosing,
        context: &Context,
    ) -> Result<(f64, Kernel)> {
        let patient = Schedule {
            damping: 0.25 * self.schedule.damping,
            max_sweeps: PATIENT,
            ..self.schedule
        };
        let climbs = search == Choosing::Evidence;
        let settling = if climbs { SETTLING } else { usize::MAX };
        let hasty = Schedule { max_sweeps: HASTY, settling, ..self.schedule };
        for schedule in [hasty, patient] {
            let tolerance = self.schedule.tolerance.max(ROUGH);
            let rough = Self { schedule: Schedule { tolerance, ..schedule }, ..*self };
            let found =
                if climbs { rough.uphill(median, context) } else { rough.on_grid(median, context) };
            if let Some(found) = found? {
                return Ok(found);
            }
        }
        Err(FitError::NoSolution(
            "expectation propagation converges at none of the length scales of the search, so there is no \
             evidence to choose by; take `hyperparameters = \"median\"`, or a larger `eps`"
                .to_owned(),
        ))
    }

    fn on_grid(&self, median: &Kernel, context: &Context) -> Result<Option<(f64, Kernel)>> {
        let mut sites = None;
        let mut best: Option<(f64, Kernel)> = None;
        for step in -4..=4 {
            let kernel = multiple(median, step);
            let Some((value, fitted)) = self.converged(kernel, sites.take(), context)? else {
                continue;
            };
            sites = Some(fitted.latent.sites);
            if best.as_ref().is_none_or(|(highest, _)| value > *highest) {
                best = Some((value, fitted.kernel));
            }
        }
        Ok(best)
    }

    fn uphill(&self, median: &Kernel, context: &Context) -> Result<Option<(f64, Kernel)>> {
        for step in STARTS {
            if let Some(found) = self.climb(&multiple(median, step), context)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Uphill from one kernel to a maximum of the evidence; none if there is no convergence where it begins.
    fn climb(&self, start: &Kernel, context: &Context) -> Result<Option<(f64, Kernel)>> {
        let limits = Limits { reach: REACH, stride: 1.0, gain: 1e-2, steps: 30 };
        let mut sites = None;
        let found = maximise(&start.parameters(), &limits, |parameters| {
            let kernel = start.with_parameters(parameters);
            let found = self.converged(kernel, sites.take(), context)?;
            Ok(found.map(|(value, Gaussian { kernel, matrix, latent, .. })| {
                let gradient = evidence_gradient(self.rows, &kernel, &matrix, &latent);
                sites = Some(latent.sites);
                (value, gradient)
            }))
        })?;
        Ok(found.map(|(parameters, value)| (value, start.with_parameters(&parameters))))
    }

    /// Runs Gaussian expectation propagation with this kernel, from these sites if there are any and they make a
    /// distribution, else from sites of no effect.
    ///
    /// # Errors
    /// If it breaks, the deadline passes or the user interrupts.
    pub fn fit(
        &self,
        kernel: Kernel,
        sites: Option<Vec<Site>>,
        context: &Context,
    ) -> Result<Gaussian> {
        let matrix = kernel.matrix(self.rows, self.jitter);
        let observed = Observed { kernel: &matrix, signs: self.signs };
        let start = sites.map(|sites| Latent::with_sites(&matrix, sites));
        let mut latent = start.and_then(Result::ok).unwrap_or_else(|| Latent::prior(&matrix));
        let rule = Rule::Consistent(Step::new(Dof::GAUSSIAN, self.rows.len(), self.eps));
        let progress = latent.propagate(observed, Dof::GAUSSIAN, &rule, &self.schedule, context)?;
        let log_evidence = latent.log_evidence(observed, Dof::GAUSSIAN, &rule);
        Ok(Gaussian { kernel, matrix, latent, progress, log_evidence })
    }

    /// The fixed point of free sites with the logarithm of its evidence. None where there is no convergence:
    /// elsewhere than at a fixed point the formula says nothing.
    fn converged(
        &self,
        kernel: Kernel,
        sites: Option<Vec<Site>>,
        context: &Context,
    ) -> Result<Option<(f64, Gaussian)>> {
        let fitted = match self.fit(kernel, sites, context) {
            Err(FitError::NoSolution(_)) => return Ok(None),
            other => other?,
        };
        let value = fitted.log_evidence.filter(|_| fitted.progress.converged);
        Ok(value.map(|value| (value, fitted)))
    }
}

/// The kernel whose length scales are those of the median times the square root of 2 to this power.
fn multiple(median: &Kernel, step: i32) -> Kernel {
    let by = f64::from(step) * 0.5 * std::f64::consts::LN_2;
    let moved: Vec<f64> = median.parameters().iter().map(|at| at + by).collect();
    median.with_parameters(&moved)
}

/// The gradient of the Gaussian evidence at a fixed point, equation (90) in the limit:
/// tr[(b b' - T + T A T) dK] / 2 with b = K⁻¹ mean, so that no kernel matrix is inverted.
pub fn evidence_gradient(
    rows: &NumericRows,
    kernel: &Kernel,
    matrix: &Matrix,
    latent: &Latent,
) -> Vec<f64> {
    let b = &latent.weights;
    let tau: Vec<f64> = latent.sites.iter().map(|site| site.tau).collect();
    let weight = |row: usize, column: usize| {
        let own = if row == column { tau[row] } else { 0.0 };
        0.5 * (b[row] * b[column] - own + tau[row] * latent.a(row, column) * tau[column])
    };
    kernel.gradient(rows, matrix, weight)
}

#[cfg(test)]
mod tests;
