//! When expectation propagation ends, and what a run says of itself.

use contract::parameter::{Count, Parameters, Real, settings};
use contract::{Context, FitError, Measure, Metric, Result, metrics};

metrics! {
    pub SWEEPS: Training = "sweeps", "Sweeps", "sweeps of expectation propagation over its sites";
    pub CONVERGED: Training = "converged", "Converged",
        "1 if expectation propagation reached its tolerance in a sweep that skipped no site, else 0".higher();
    pub SKIPPED_SITES: Training = "skipped_sites", "Skipped sites",
        "sites that the last sweep of expectation propagation left alone, because no distribution would have come of them".lower();
}

/// Sweeps after which the damping is looked at.
const PATIENCE: usize = 20;

/// Damping is halved no further than to this: rounding would hide what it holds back.
const LEAST_DAMPING: f64 = 1e-3;

/// The changes of so many sweeps must have fallen below this part of those before.
const PROGRESS: f64 = 0.9;

/// A run is given up where a quarter of the damping has brought no progress and changes are still larger
/// than this part of the largest value.
const ERRATIC: f64 = 0.1;

/// So many such changes in a row are no settling.
const UNSETTLED: usize = 4;

settings! {
    pub DAMPING damping: Real::within(0.01..=1.0, 0.8),
        "share of the step to its new value that a site takes at first; 1 is no damping; it is halved where twenty sweeps \
         bring no progress, and the run ends where that does not help";
    pub TOLERANCE tolerance: Real::positive(1e-6),
        "a sweep is the last when no location and no variance changes by more than this part of the largest one, damping undone";
    pub MAX_SWEEPS max_sweeps: Count::from(1, 200),
        "most sweeps over the sites; `converged` is 0 where they were not enough, the run was given up, or the last sweep \
         skipped a site";
}

/// How far and how long sites are updated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// Share of the step to the new site that is taken at first. Where the changes of twenty sweeps are no
    /// smaller than those of the twenty before, as in a cycle, it is halved; where they are still large after
    /// two halvings, the run ends.
    pub damping: f64,
    /// A sweep is the last when no location and no variance would, undamped, have changed by more than this
    /// part of the largest one.
    pub tolerance: f64,
    /// Most sweeps.
    pub max_sweeps: usize,
    /// Sweeps after which a run is given up where each of the last four changes is still above a tenth of the
    /// largest value.
    pub settling: usize,
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
    pub fn measures(&self) -> [(&'static Metric, Measure); 3] {
        [
            (&SWEEPS, Measure::Scalar(self.sweeps as f64)),
            (&CONVERGED, Measure::Scalar(f64::from(self.converged))),
            (&SKIPPED_SITES, Measure::Scalar(self.skipped as f64)),
        ]
    }
}

impl Schedule {
    /// From the parameters of these names, which have other defaults in other methods.
    pub fn read(parameters: &Parameters) -> Self {
        Self {
            damping: parameters.get(&DAMPING),
            tolerance: parameters.get(&TOLERANCE),
            max_sweeps: parameters.get(&MAX_SWEEPS),
            settling: usize::MAX,
        }
    }

    /// Calls `sweep`, with its number and the damping, until `state` stands still: locations and
    /// variances, each compared with the largest of their kind. A sweep says how many sites it skipped.
    ///
    /// # Errors
    /// Those of `sweep`; if the deadline passes or the user interrupts; or if `state` is no longer finite.
    pub fn run<T>(
        &self,
        posterior: &mut T,
        context: &Context,
        mut sweep: impl FnMut(&mut T, usize, f64) -> Result<usize>,
        state: impl Fn(&T, &mut [Vec<f64>; 2]),
    ) -> Result<Progress> {
        let mut progress = Progress::default();
        let mut damping = self.damping;
        let mut erratic = 0;
        let (mut smallest, mut smallest_before) = (f64::INFINITY, f64::INFINITY);
        let (mut before, mut after) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        state(posterior, &mut before);
        while progress.sweeps < self.max_sweeps && !progress.converged {
            context.check()?;
            progress.sweeps += 1;
            progress.skipped = sweep(posterior, progress.sweeps, damping)?;
            state(posterior, &mut after);
            if after.iter().flatten().any(|value| !value.is_finite()) {
                return Err(FitError::NoSolution(format!(
                    "the posterior is not finite after sweep {}",
                    progress.sweeps
                )));
            }
            let change = before.iter().zip(&after).map(|(before, after)| change(before, after));
            // What damping holds back is no convergence.
            let change = change.fold(0.0, f64::max) / damping;
            progress.converged = change <= self.tolerance && progress.skipped == 0;
            std::mem::swap(&mut before, &mut after);
            erratic = if change > ERRATIC { erratic + 1 } else { 0 };
            if progress.sweeps == self.settling && erratic >= UNSETTLED {
                break;
            }
            smallest = f64::min(smallest, change);
            if progress.sweeps.is_multiple_of(PATIENCE) {
                if smallest > PROGRESS * smallest_before {
                    if damping <= 0.25 * self.damping && smallest > ERRATIC {
                        break;
                    }
                    if damping > LEAST_DAMPING {
                        damping *= 0.5;
                    }
                }
                (smallest_before, smallest) = (smallest, f64::INFINITY);
            }
        }
        Ok(progress)
    }
}

/// The largest change as a part of the largest value.
fn change(before: &[f64], after: &[f64]) -> f64 {
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let size = most(&mut after.iter().map(|value| value.abs()));
    let change = most(&mut before.iter().zip(after).map(|(one, other)| (one - other).abs()));
    if change == 0.0 { 0.0 } else { change / size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use testing::context;

    const SCHEDULE: Schedule =
        Schedule { damping: 1.0, tolerance: 1e-9, max_sweeps: 500, settling: usize::MAX };

    /// x moves by the damping towards `target(x)`.
    fn run(schedule: &Schedule, target: impl Fn(f64) -> f64) -> (Result<Progress>, f64) {
        let mut x = 1.0;
        let progress = schedule.run(
            &mut x,
            &context(Digest::of(b"schedule"), 0),
            |x, _, damping| {
                *x += damping * (target(*x) - *x);
                Ok(0)
            },
            |x, [locations, variances]| {
                *locations = vec![*x];
                *variances = vec![1.0];
            },
        );
        (progress, x)
    }

    #[test]
    fn a_cycle_is_damped_until_it_ends() {
        // x ↦ 5 - x has a cycle at no damping and the fixed point 2.5.
        let (progress, x) = run(&SCHEDULE, |x| 5.0 - x);
        let progress = progress.unwrap();
        assert!(progress.converged && (x - 2.5).abs() < 1e-8, "{progress:?} {x}");
        assert!((40..80).contains(&progress.sweeps), "{progress:?}");
        let (progress, _) = run(&Schedule { max_sweeps: 30, ..SCHEDULE }, |x| 5.0 - x);
        assert_eq!(progress, Ok(Progress { sweeps: 30, converged: false, skipped: 0 }));
    }

    #[test]
    fn damping_is_no_convergence() {
        // A target that is never nearer than 0.1: with each halving the steps become shorter.
        let schedule = Schedule { tolerance: 1e-3, max_sweeps: 2000, ..SCHEDULE };
        let (progress, _) = run(&schedule, |x| if x < 2.0 { x + 0.1 } else { x - 0.1 });
        assert_eq!(progress, Ok(Progress { sweeps: 2000, converged: false, skipped: 0 }));
    }

    #[test]
    fn what_damping_does_not_tame_is_given_up() {
        let schedule = Schedule { max_sweeps: 2000, ..SCHEDULE };
        let (progress, _) = run(&schedule, |x| if x < 2.0 { x + 0.5 } else { x - 0.5 });
        assert_eq!(progress, Ok(Progress { sweeps: 80, converged: false, skipped: 0 }));
    }

    #[test]
    fn what_does_not_settle_in_time_is_given_up() {
        let cycle = |x: f64| if x < 2.0 { x + 0.5 } else { x - 0.5 };
        let schedule = Schedule { settling: 12, ..SCHEDULE };
        let (progress, _) = run(&schedule, cycle);
        assert_eq!(progress, Ok(Progress { sweeps: 12, converged: false, skipped: 0 }));
        // 0.6^n falls below a tenth after five sweeps.
        let (progress, _) = run(&schedule, |x| 0.6 * x + 0.8);
        assert!(progress.unwrap().converged);
    }

    #[test]
    fn a_strong_cycle_is_damped_twice() {
        // Steps of 0.8, and of 0.4, overshoot by more than they correct; steps of 0.2 do not.
        let (progress, x) = run(&Schedule { damping: 0.8, ..SCHEDULE }, |x| {
            let target = 2.0 - 5.0 * (x - 2.0);
            target.clamp(-100.0, 100.0)
        });
        let progress = progress.unwrap();
        assert!(progress.converged && (x - 2.0).abs() < 1e-8, "{progress:?} {x}");
    }

    #[test]
    fn slow_progress_is_not_slowed_down() {
        // 0.95^n = 1e-9 takes 400 sweeps; half as much damping would take 800.
        let (progress, x) = run(&SCHEDULE, |x| 0.95 * x + 0.1);
        assert!(progress.unwrap().converged && (x - 2.0).abs() < 1e-6, "{x}");
    }

    #[test]
    fn what_is_not_finite_is_an_error() {
        let (progress, _) = run(&SCHEDULE, |_| f64::NAN);
        let error = progress.unwrap_err().to_string();
        assert_eq!(error, "the posterior is not finite after sweep 1");
    }
}
