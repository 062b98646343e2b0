//! Cores and memory that are kept for paths before they run, so that no two programs take together what one of them was
//! promised.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use base::parallel::lock;

/// How often a waiting worker looks whether the user asks to stop.
const LOOK: Duration = Duration::from_millis(100);

/// What there is to give.
#[derive(Debug)]
pub(crate) struct Reserve {
    all: Amount,
    state: Mutex<State>,
    changed: Condvar,
}

/// Cores, and bytes of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Amount {
    pub cores: usize,
    pub memory: u64,
}

#[derive(Debug)]
struct State {
    free: Amount,
    /// Who waits, in the order in which they came: who needs much is not passed over for ever.
    waiting: VecDeque<u64>,
    last: u64,
}

impl Reserve {
    /// So much to give.
    pub fn new(all: Amount) -> Self {
        let state = State { free: all, waiting: VecDeque::new(), last: 0 };
        Self { all, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for so much, or for all if it is more than there is; none if the user asks to stop.
    pub fn take(&self, asked: Amount, interrupt: &AtomicBool) -> Option<Taken<'_>> {
        let amount = Amount {
            cores: asked.cores.min(self.all.cores),
            memory: asked.memory.min(self.all.memory),
        };
        let mut state = lock(&self.state);
        state.last += 1;
        let mine = state.last;
        state.waiting.push_back(mine);
        loop {
            let stopped = interrupt.load(Ordering::Relaxed);
            let enough = amount.cores <= state.free.cores && amount.memory <= state.free.memory;
            if stopped || enough && state.waiting.front() == Some(&mine) {
                state.waiting.retain(|&other| other != mine);
                if !stopped {
                    state.free.cores -= amount.cores;
                    state.free.memory -= amount.memory;
                }
                self.changed.notify_all();
                return (!stopped).then(|| Taken { reserve: self, amount });
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Taken<'a> {
    reserve: &'a Reserve,
    amount: Amount,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.reserve.state);
        state.free.cores += self.amount.cores;
        state.free.memory += self.amount.memory;
        self.reserve.changed.notify_all();
    }
}

/// Four fifths of the memory that the system can give without swapping; no limit where it does not say.
pub fn free_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.map_or(u64::MAX, |kib| kib * 1024 / 5 * 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    static GO_ON: AtomicBool = AtomicBool::new(false);

    fn cores(cores: usize) -> Amount {
        Amount { cores, memory: 0 }
    }

    #[test]
    fn never_more_is_given_than_there_is() {
        let all = Amount { cores: 3, memory: 100 };
        let reserve = Reserve::new(all);
        let (used, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for worker in 0..6 {
                let (reserve, used, most) = (&reserve, &used, &most);
                scope.spawn(move || {
                    for turn in 0..200 {
                        let asked = Amount { cores: 1 + (worker + turn) % 5, memory: 40 };
                        let taken = reserve.take(asked, &GO_ON).unwrap();
                        let now = used.fetch_add(taken.amount.cores, Ordering::SeqCst);
                        most.fetch_max(now + taken.amount.cores, Ordering::SeqCst);
                        used.fetch_sub(taken.amount.cores, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= all.cores);
        assert_eq!(lock(&reserve.state).free, all);
    }

    #[test]
    fn who_needs_all_is_not_passed_over() {
        let reserve = Reserve::new(cores(2));
        let first = reserve.take(cores(1), &GO_ON).unwrap();
        std::thread::scope(|scope| {
            let whole = scope.spawn(|| reserve.take(cores(9), &GO_ON).map(|taken| taken.amount));
            while lock(&reserve.state).waiting.is_empty() {
                std::thread::yield_now();
            }
            // A core is free, and yet the next one waits behind.
            let next = scope.spawn(|| reserve.take(cores(1), &GO_ON).is_some());
            while lock(&reserve.state).waiting.len() < 2 {
                std::thread::yield_now();
            }
            drop(first);
            assert_eq!(whole.join().unwrap(), Some(cores(2)));
            assert!(next.join().unwrap());
        });
    }

    #[test]
    fn who_waits_hears_that_the_user_asks_to_stop() {
        let reserve = Reserve::new(cores(1));
        let _all = reserve.take(cores(1), &GO_ON);
        assert!(reserve.take(cores(1), &AtomicBool::new(true)).is_none());
        assert!(lock(&reserve.state).waiting.is_empty());
    }
}
