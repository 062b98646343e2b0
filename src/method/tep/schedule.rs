//! When expectation propagation ends, and what a run says of itself.

use crate::method::{Context, FitError};
use crate::task::Measure;

/// How far and how long sites are updated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// Share of the step to the new site that is taken.
    pub damping: f64,
    /// A sweep is the last when no location and no variance has changed by more than this part of the
    /// largest one.
    pub tolerance: f64,
    /// Most sweeps.
    pub max_sweeps: usize,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Sweeps over all sites.
    pub sweeps: usize,
    /// Whether the tolerance was reached in a sweep without skipped sites.
    pub converged: bool,
    /// Sites that the last sweep left alone, because their cavity or what would come of them is no
    /// distribution.
    pub skipped: usize,
}

impl Progress {
    /// As measures of a trial.
    pub fn measures(&self) -> [(&'static str, Measure); 3] {
        [
            ("sweeps", Measure::Scalar(self.sweeps as f64)),
            ("converged", Measure::Scalar(f64::from(u8::from(self.converged)))),
            ("skipped_sites", Measure::Scalar(self.skipped as f64)),
        ]
    }
}

impl Schedule {
    /// Calls `sweep`, which says how many sites it skipped, until `state` stands still: locations and
    /// variances, each compared with the largest of their kind.
    ///
    /// # Errors
    /// Those of `sweep`; if the deadline passes or the user interrupts; or if `state` is no longer finite.
    pub fn run<T>(
        &self,
        posterior: &mut T,
        context: &Context,
        mut sweep: impl FnMut(&mut T, usize) -> Result<usize, FitError>,
        mut state: impl FnMut(&T, &mut [Vec<f64>; 2]),
    ) -> Result<Progress, FitError> {
        let mut progress = Progress::default();
        let (mut before, mut after) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        state(posterior, &mut before);
        while progress.sweeps < self.max_sweeps && !progress.converged {
            context.check()?;
            progress.sweeps += 1;
            progress.skipped = sweep(posterior, progress.sweeps)?;
            state(posterior, &mut after);
            let still = before.iter().zip(&after).all(|(before, after)| {
                let size = after.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
                let pairs = before.iter().zip(after);
                pairs.into_iter().all(|(one, other)| (one - other).abs() <= self.tolerance * size)
            });
            if after.iter().flatten().any(|value| !value.is_finite()) {
                return Err(FitError::Failed(format!(
                    "the posterior is not finite after sweep {}",
                    progress.sweeps
                )));
            }
            progress.converged = still && progress.skipped == 0;
            std::mem::swap(&mut before, &mut after);
        }
        Ok(progress)
    }
}
