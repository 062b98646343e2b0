//! The examples that trials meet: those that are scored, or those of a round inside of the training examples.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use base::digest::FieldHasher;
use contract::{Basis, FitError, Metric};
use program::{HandOver, Program};
use task::{Ask, Divided};

use super::needs::Needs;
use super::plan::Path;
use super::pool::Pool;
use super::programs::Programs;
use super::record::Trial;

/// The examples that the trials of a path meet: those that are scored, which other paths share, or those of a round
/// inside of its training examples.
pub struct Examples {
    round: Option<usize>,
    own: OnceCell<Result<Arc<dyn Divided>, FitError>>,
    hand_over: OnceCell<Result<Arc<HandOver>, FitError>>,
}

impl Examples {
    /// Those that are scored, or those of a round.
    pub fn new(round: Option<usize>) -> Self {
        Self { round, own: OnceCell::new(), hand_over: OnceCell::new() }
    }

    /// The examples, divided.
    ///
    /// # Errors
    /// Why they can't be.
    pub fn divided(&self, pool: &Pool<'_>, path: &Path) -> Result<Arc<dyn Divided>, FitError> {
        match self.round {
            None => pool.divided(path),
            Some(round) => self.own.get_or_init(|| pool.round(path, round)).clone(),
        }
    }

    /// What a program is handed of them.
    ///
    /// # Errors
    /// Why it can't be written.
    pub fn hand_over(
        &self,
        pool: &Pool<'_>,
        path: &Path,
        program: &Program,
        data: &dyn Divided,
        programs: &Programs,
    ) -> Result<Arc<HandOver>, FitError> {
        let Some(round) = self.round else { return pool.hand_over(path, program, data, programs) };
        let write = || pool.hand_over_of_round((path, round), program, data, programs);
        self.hand_over.get_or_init(write).clone()
    }

    /// Ends the programs that were handed those of a round.
    pub fn end(&self, programs: Option<&Programs>) {
        if let (Some(Ok(hand_over)), Some(programs)) = (self.hand_over.get(), programs) {
            programs.end_of(hand_over);
        }
    }

    /// What is measured of a trial: a round only validates.
    pub fn ask(&self, needs: &Needs, trial: &Trial) -> Ask {
        let scored = self.round.is_none();
        let asked = |metric: &&Metric| scored || metric.basis == Basis::Validation;
        let metrics = needs.requested(trial).filter(asked).collect();
        let [picture, predictions] = [needs.picture(trial), needs.predictions(trial)];
        Ask { metrics, picture: scored && picture, predictions: scored && predictions }
    }

    /// A trial with the seed of its fit on these examples.
    pub fn seeded<'t>(&self, trial: &'t Trial) -> Cow<'t, Trial> {
        let Some(round) = self.round else { return Cow::Borrowed(trial) };
        let seed = FieldHasher::new("round").field(trial.seed.0).number(round as u64).finish();
        Cow::Owned(Trial { seed, ..trial.clone() })
    }
}
