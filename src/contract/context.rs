//! What a fit may use of its surroundings, and how it may end.

use std::any::Any;
use std::time::Instant;

use base::derived::Derived;
use base::digest::{Digest, FieldHasher};
use base::parallel::Cores;
use math::random::Random;

/// What a fit may use of its surroundings.
#[derive(Debug, Clone)]
pub struct Context {
    /// Seed of the split; it does not know the method.
    pub split_seed: Digest,
    /// Cores that are idle at the moment.
    pub cores: Cores,
    /// Artefacts that paths share.
    pub derived: Derived,
    /// When the trial must end.
    pub deadline: Option<Instant>,
    /// Set when the user asks to stop.
    pub interrupt: &'static std::sync::atomic::AtomicBool,
}

impl Context {
    /// The random numbers of one restart: the same for every method on the same split.
    pub fn random(&self, restart: usize) -> Random {
        Random::new(
            FieldHasher::new("fit").field(self.split_seed.0).number(restart as u64).finish(),
        )
    }

    /// The derived artefact of this key, which `make` makes where it is not kept. It is kept as a text: what
    /// `read` makes of what `write` gives must be the same.
    ///
    /// # Errors
    /// Those of `make`; if the deadline passes or the user interrupts while another path makes it; if the
    /// kept text is another thing's.
    pub fn derive<T>(
        &self,
        key: Digest,
        make: impl FnOnce() -> Result<T, FitError>,
        write: impl FnOnce(&T) -> String,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, FitError> {
        let make = || Ok(write(&make()?));
        let text = self.derived.get(key, &self.cores, || self.check(), make)?;
        read(&text).ok_or_else(|| {
            FitError::Failed(format!(
                "what is kept is not readable; remove `derived/{key}` in the cache folder"
            ))
        })
    }

    /// To be called in every long loop.
    ///
    /// # Errors
    /// If the deadline has passed or the user asked to stop.
    pub fn check(&self) -> Result<(), FitError> {
        if self.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(FitError::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(FitError::Timeout),
            _ => Ok(()),
        }
    }
}

/// Why a fit gave no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// The method cannot work on this data or with these parameters.
    #[error("{0}")]
    Failed(String),
    /// The configuration makes no sense for this dataset; its cell says so.
    #[error("not applicable: {0}")]
    NotApplicable(String),
    /// The deadline passed.
    #[error("the time limit passed")]
    Timeout,
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// What a trial hands to the next one of its path: counts, a structure, a warm start.
pub type Carry = Option<Box<dyn Any + Send>>;
