//! What a fit may use of its surroundings, and how it may end.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use base::derived::Derived;
use base::digest::{Digest, FieldHasher};
use base::parallel::Cores;
use base::text::grouped;
use math::random::Random;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Variables;
use crate::parameter::Parameters;

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
    /// The parameters of all trials of the path, in order; none where there is no path. What is learned must not
    /// depend on those to come.
    pub path: Arc<[Parameters]>,
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

    /// What `work` makes of each of `count` items, on idle cores, `chunk` of them at a time.
    ///
    /// # Errors
    /// That of the first item that has one; if the deadline passes or the user interrupts.
    pub fn each<T: Send>(
        &self,
        count: usize,
        chunk: usize,
        work: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        self.each_with(count, chunk, || (), |(), item| work(item))
    }

    /// The same with a state of each thread; what `work` gives must not depend on what earlier items left in it.
    ///
    /// # Errors
    /// As [`Self::each`].
    pub fn each_with<S, T: Send>(
        &self,
        count: usize,
        chunk: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let chunks = self.cores.map_chunks(count, chunk, scratch, |scratch, range| {
            self.check()?;
            range.map(|item| work(scratch, item)).collect::<Result<Vec<T>>>()
        });
        let mut all = Vec::with_capacity(count);
        for chunk in chunks {
            all.append(&mut chunk?);
        }
        Ok(all)
    }

    /// The derived artefact of this key, which `make` makes where it is not kept, if it is `sound`. Numbers in it are finite.
    ///
    /// # Errors
    /// Those of `make`; if the deadline passes or the user interrupts while another path makes it; if the
    /// kept text is another thing's.
    pub fn derive<T: Serialize + DeserializeOwned>(
        &self,
        key: Digest,
        make: impl FnOnce() -> Result<T>,
        sound: impl FnOnce(&T) -> bool,
    ) -> Result<T> {
        let make = || serde_json::to_string(&make()?).map_err(FitError::failed);
        let text = self.derived.get(key, &self.cores, || self.check(), make)?;
        serde_json::from_str(&text).ok().filter(sound).ok_or_else(|| {
            FitError::Failed(format!(
                "what is kept is not readable; remove `derived/{key}` in the cache folder"
            ))
        })
    }

    /// To be called in every long loop.
    ///
    /// # Errors
    /// If the deadline has passed or the user asked to stop.
    pub fn check(&self) -> Result<()> {
        if self.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(FitError::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(FitError::Timeout),
            _ => Ok(()),
        }
    }
}

/// What a fit gives, or why it gives nothing.
pub type Result<T, E = FitError> = std::result::Result<T, E>;

/// Why a fit gave no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// The method cannot work on this data or with these parameters.
    #[error("{0}")]
    Failed(String),
    /// There is nothing to learn from.
    #[error("there are no training examples")]
    NoExamples,
    /// There is more to learn from than the method can count.
    #[error("more than {} training examples", grouped(u64::from(*most)))]
    TooManyExamples {
        /// What it can count.
        most: u32,
    },
    /// The examples are of a kind that the method does not take.
    #[error("it takes {}, and the dataset has {has}", takes.word())]
    OtherKind {
        /// What it takes.
        takes: Variables,
        /// What they are, as a phrase.
        has: &'static str,
    },
    /// The examples have other variables than those behind a fit.
    #[error("the examples have {found} variables, those that {fit} {fitted}")]
    OtherVariables {
        /// How many they have.
        found: usize,
        /// How many those of the fit had.
        fitted: usize,
        /// The fit, such as "the tree was grown on".
        fit: &'static str,
    },
    /// The computation led to no solution: it did not converge, or left the numbers.
    #[error("{0}")]
    NoSolution(String),
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

impl FitError {
    /// That something which the fit needs can't be had.
    pub fn failed(why: impl fmt::Display) -> Self {
        Self::Failed(why.to_string())
    }
}

/// What a trial hands to the next one of its path: counts, a structure, a warm start.
pub type Carry = Option<Box<dyn Any + Send>>;

/// What the trial before handed on; none for the first one of a path.
///
/// # Errors
/// If it is not a `T`: a start from nothing would give another result than the path says.
pub fn carried<T: Any>(carry: &mut Carry) -> Result<Option<T>> {
    let other = |_| FitError::Failed("its path hands on what another method left".to_owned());
    let state = carry.take().map(|state| state.downcast().map_err(other)).transpose()?;
    Ok(state.map(|state| *state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_on_is_what_was_left_or_an_error() {
        let mut carry: Carry = None;
        assert_eq!(carried::<u32>(&mut carry), Ok(None));
        carry = Some(Box::new(7u32));
        assert_eq!(carried::<u32>(&mut carry), Ok(Some(7)));
        carry = Some(Box::new("seven"));
        let error = carried::<u32>(&mut carry).unwrap_err().to_string();
        assert_eq!(error, "its path hands on what another method left");
    }
}
