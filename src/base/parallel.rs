//! Work shared between cores with results that do not depend on how many there are.
//!
//! A trial borrows cores that no other trial is using, for the length of one loop. The work is cut
//! into chunks whose number and borders depend on the input alone, and results come back in chunk
//! order, so a reduction over them has one fixed shape.

use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Name of the threads on which trials run: a panic there is an outcome, and is not printed.
pub const TRIAL_THREAD: &str = "trial";

thread_local! {
    static WORKER: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The worker whose trial this thread works on, if any.
pub fn worker() -> Option<usize> {
    WORKER.get()
}

/// Says whose trial this thread works on; threads that help it take the number over.
pub fn set_worker(worker: Option<usize>) {
    WORKER.set(worker);
}

type Panic = Box<dyn Any + Send>;

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
    /// Below zero while a lent core was taken back before its borrower had finished.
    idle: Arc<AtomicIsize>,
}

impl Cores {
    /// `idle` cores to borrow beside the calling thread's own.
    pub fn new(idle: usize) -> Self {
        Self { idle: Arc::new(AtomicIsize::new(idle as isize)) }
    }

    /// Gives one more core: a worker has no more trials.
    pub fn release(&self) {
        self.idle.fetch_add(1, Ordering::Relaxed);
    }

    /// Gives the calling thread's core to others until the result is dropped: the thread waits.
    pub fn lend(&self) -> Lent<'_> {
        self.release();
        Lent { cores: self, back: -1 }
    }

    fn borrow(&self, most: usize) -> usize {
        let mut taken = 0;
        let _ = self.idle.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |idle| {
            taken = usize::try_from(idle).unwrap_or(0).min(most);
            Some(idle - taken as isize)
        });
        taken
    }

    /// As [`Self::map_chunks`] for work that needs no state.
    pub fn map<T: Send>(
        &self,
        items: usize,
        chunk: usize,
        work: impl Fn(Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        self.map_chunks(items, chunk, || (), |(), range| work(range))
    }

    /// What `value` gives for each of `0..items`, `chunk` of them at a time as by [`Self::map_chunks`]. It must not depend
    /// on what earlier items left in the state.
    pub fn each<S, T: Send>(
        &self,
        items: usize,
        chunk: usize,
        scratch: impl Fn() -> S + Sync,
        value: impl Fn(&mut S, usize) -> T + Sync,
    ) -> Vec<T> {
        let chunks = self.map_chunks(items, chunk, scratch, |state, range| {
            range.map(|item| value(state, item)).collect::<Vec<T>>()
        });
        chunks.into_iter().flatten().collect()
    }

    /// Applies `work` to every range of `chunk` items of `0..items` (the last may be shorter) and
    /// returns the results in order. `scratch` makes one state for each thread that takes part.
    ///
    /// # Panics
    /// If `work` does: with the panic of the first range in which it does, however many threads
    /// take part.
    pub fn map_chunks<S, T: Send>(
        &self,
        items: usize,
        chunk: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        let chunk = chunk.max(1);
        let chunks = items.div_ceil(chunk);
        let range = |index: usize| index * chunk..((index + 1) * chunk).min(items);
        let helpers = if chunks > 1 { self.borrow(chunks - 1) } else { 0 };
        if helpers == 0 {
            let mut state = scratch();
            return (0..chunks).map(|index| work(&mut state, range(index))).collect();
        }
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Result<T, Panic>)>> = Mutex::new(Vec::with_capacity(chunks));
        let worker = worker();
        let turn = || {
            set_worker(worker);
            let mut state = scratch();
            let mut mine = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= chunks {
                    break;
                }
                let result = catch_unwind(AssertUnwindSafe(|| work(&mut state, range(index))));
                let panicked = result.is_err();
                mine.push((index, result));
                if panicked {
                    // Nobody needs the ranges that no thread has begun.
                    next.store(chunks, Ordering::Relaxed);
                    break;
                }
            }
            lock(&done).append(&mut mine);
        };
        let borrowed = Lent { cores: self, back: helpers as isize };
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                let thread = std::thread::Builder::new().name(TRIAL_THREAD.to_owned());
                // A thread that the system refuses is not needed.
                let _ = thread.spawn_scoped(scope, turn);
            }
            turn();
        });
        drop(borrowed);
        let mut done = unwrap_mutex(done);
        done.sort_unstable_by_key(|&(index, _)| index);
        let results = done.into_iter().map(|(_, result)| result);
        results.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    }
}

/// A core that its thread does not need while it waits, or cores that were borrowed: they go back where they came from
/// even when the work panics.
#[derive(Debug)]
pub struct Lent<'a> {
    cores: &'a Cores,
    /// How many more are idle then.
    back: isize,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.cores.idle.fetch_add(self.back, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lent_core_is_borrowed_and_taken_back() {
        let cores = Cores::new(0);
        let lent = cores.lend();
        assert_eq!(cores.borrow(5), 1);
        drop(lent);
        // Its borrower still works: now there is one core too few.
        assert_eq!((cores.borrow(5), cores.idle.load(Ordering::Relaxed)), (0, -1));
        cores.release();
        assert_eq!(cores.borrow(5), 0);
    }

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
    fn the_first_panic_counts() {
        let panic = |idle: usize| {
            let cores = Cores::new(idle);
            let work = |(): &mut (), range: Range<usize>| {
                // The later one would come first.
                if range.start == 3 {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                assert!(range.start < 3, "at {}", range.start);
            };
            let panic = catch_unwind(|| cores.map_chunks(100, 1, || (), work)).unwrap_err();
            panic.downcast_ref::<String>().cloned()
        };
        for idle in [0, 1, 4] {
            assert_eq!(panic(idle).as_deref(), Some("at 3"), "{idle} idle cores");
        }
    }

    #[test]
    fn helpers_know_whose_trial_it_is() {
        set_worker(Some(7));
        let workers = Cores::new(3).map_chunks(64, 1, || (), |(), _| worker());
        set_worker(None);
        assert!(workers.into_iter().all(|worker| worker == Some(7)));
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
