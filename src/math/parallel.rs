//! Work shared between cores with results that do not depend on how many there are.
//!
//! A trial borrows cores that no other trial is using, for the length of one loop. The work is cut
//! into chunks whose number and borders depend on the input alone, and results come back in chunk
//! order, so a reduction over them has one fixed shape.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Name of the threads on which trials run: a panic there is an outcome, and is not printed.
pub const TRIAL_THREAD: &str = "trial";

/// The number of threads that the machine runs at once.
pub fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What a mutex holds, also after a thread panicked with it: a panic of a trial is an outcome, and
/// nothing here panics half-way through a change.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As [`lock`], for a mutex that is no longer needed.
pub fn unwrap_mutex<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The cores that running trials do not use at the moment.
#[derive(Clone, Debug, Default)]
pub struct Cores {
    idle: Arc<AtomicUsize>,
}

impl Cores {
    /// `idle` cores to borrow beside the calling thread's own.
    pub fn new(idle: usize) -> Self {
        Self { idle: Arc::new(AtomicUsize::new(idle)) }
    }

    /// Gives one more core: a worker has no more trials.
    pub fn release(&self) {
        self.idle.fetch_add(1, Ordering::Relaxed);
    }

    fn borrow(&self, most: usize) -> usize {
        let mut taken = 0;
        let _ = self.idle.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |idle| {
            taken = idle.min(most);
            Some(idle - taken)
        });
        taken
    }

    /// Applies `work` to every range of `chunk` items of `0..items` (the last may be shorter) and
    /// returns the results in order. `scratch` makes one state for each thread that takes part.
    pub fn map_chunks<S, T: Send>(
        &self,
        items: usize,
        chunk: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        let chunks = items.div_ceil(chunk.max(1));
        let range = |index: usize| index * chunk..((index + 1) * chunk).min(items);
        let helpers = if chunks > 1 { self.borrow(chunks - 1) } else { 0 };
        if helpers == 0 {
            let mut state = scratch();
            return (0..chunks).map(|index| work(&mut state, range(index))).collect();
        }
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(chunks));
        let turn = || {
            let mut state = scratch();
            let mut mine = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= chunks {
                    break;
                }
                mine.push((index, work(&mut state, range(index))));
            }
            lock(&done).append(&mut mine);
        };
        let give_back = GiveBack { cores: self, helpers };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..helpers)
                .filter_map(|_| {
                    let thread = std::thread::Builder::new().name(TRIAL_THREAD.to_owned());
                    thread.spawn_scoped(scope, turn).ok()
                })
                .collect();
            turn();
            for thread in threads {
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
        drop(give_back);
        let mut done = unwrap_mutex(done);
        done.sort_unstable_by_key(|&(index, _)| index);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// Returns borrowed cores even when the work panics.
struct GiveBack<'a> {
    cores: &'a Cores,
    helpers: usize,
}

impl Drop for GiveBack<'_> {
    fn drop(&mut self) {
        self.cores.idle.fetch_add(self.helpers, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_do_not_depend_on_the_number_of_cores() {
        let sum = |cores: Cores| -> Vec<f64> {
            cores.map_chunks(
                10_001,
                64,
                || (),
                |(), range| range.map(|i| 1.0 / (i as f64 + 1.0)).sum(),
            )
        };
        let alone = sum(Cores::new(0));
        assert_eq!(alone.len(), 157);
        assert_eq!(alone, sum(Cores::new(1)));
        assert_eq!(alone, sum(Cores::new(5)));
    }

    #[test]
    fn borrowed_cores_come_back() {
        let cores = Cores::new(2);
        cores.map_chunks(100, 1, || (), |(), _| ());
        assert_eq!(cores.idle.load(Ordering::Relaxed), 2);
        let panicked = std::panic::catch_unwind(|| {
            cores.map_chunks(100, 1, || (), |(), range| assert!(range.start < 50));
        });
        assert!(panicked.is_err());
        assert_eq!(cores.idle.load(Ordering::Relaxed), 2);
    }
}
