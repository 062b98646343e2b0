//! Why trials do not run on rayon's pool (docs/developing/packages.md).

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    static IN_TRIAL: Cell<bool> = const { Cell::new(false) };
}

fn wait_for(flag: &AtomicBool) {
    let begun = Instant::now();
    while !flag.load(Ordering::Acquire) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the other thread never came");
        std::thread::yield_now();
    }
}

/// A thread that waits for the part of its loop that another thread has taken begins another trial inside of its
/// own. If this ever fails, rayon can keep the contract of `base::parallel::Cores`, which may then go.
#[test]
fn a_rayon_loop_within_a_trial_runs_another_trial() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let [taken, begun, nested] = [(); 3].map(|()| AtomicBool::new(false));
    pool.in_place_scope(|trials| {
        trials.spawn(|_| {
            IN_TRIAL.set(true);
            let take = || {
                taken.store(true, Ordering::Release);
                wait_for(&begun);
            };
            rayon::join(|| wait_for(&taken), take);
            IN_TRIAL.set(false);
        });
        wait_for(&taken);
        trials.spawn(|_| {
            nested.store(IN_TRIAL.get(), Ordering::Release);
            begun.store(true, Ordering::Release);
        });
    });
    assert!(nested.into_inner());
}
