//! Independent pieces of work next to each other, outside the trials: hashing, downloads, audits, drawing.

use std::sync::OnceLock;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| ThreadPoolBuilder::new().build().ok()).as_ref()
}

/// What two pieces of work give.
///
/// # Panics
/// If one does.
pub fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    match pool() {
        Some(pool) => pool.join(one, other),
        None => (one(), other()),
    }
}

/// What `work` makes of each item, in the items' order. Where the system gives no threads, one after another.
///
/// # Panics
/// If `work` does.
pub fn side_by_side<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> R + Send + Sync,
) -> Vec<R> {
    if items.len() < 2 {
        return items.into_iter().map(work).collect();
    }
    match pool() {
        Some(pool) => pool.install(|| items.into_par_iter().map(work).collect()),
        None => items.into_iter().map(work).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let nested = |n: u64| side_by_side((0..n).collect(), |m| m * m).into_iter().sum::<u64>();
        let found = side_by_side((0..50).collect(), nested);
        let squares = |n: u64| (0..n).map(|m| m * m).sum::<u64>();
        assert_eq!(found, (0..50).map(squares).collect::<Vec<_>>());
    }
}
