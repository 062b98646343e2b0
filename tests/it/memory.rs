//! Memory: what runs at once fits, and a trial that the system kills for want of memory is neither sealed as if it had
//! ended, nor tried for ever.

use std::path::Path;

use reprise::KNOWN;
use reprise::contract::Shape;
use reprise::harness::run::{Ended, Options};

use crate::support::experiment::Bench;
use crate::support::results::{complete, journaled_paths, outputs};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::assert_says;

/// Every method says how much it holds, and those with a matrix of pairs hold more where there are more.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn every_method_says_how_much_it_holds() {
    let shape = |n| Shape { examples: n, variables: n, entries: n };
    for entry in &KNOWN.catalogue.methods {
        let [few, many] = [100, 1000].map(|n| entry.memory.bytes(&shape(n)));
        assert!(few > 0 && many >= 10 * few, "{}", entry.kind);
    }
    let quadratic = |kind: &str| {
        let entry = KNOWN.catalogue.methods.iter().find(|entry| entry.kind == kind).unwrap();
        entry.memory.bytes(&shape(1000)) >= 8_000_000
    };
    assert!(["gpc-ep", "stc-ep", "chow-liu", "latent-tree"].into_iter().all(quadratic));
    assert!(!["latent-nb", "majority"].into_iter().any(quadratic));
}

/// What a process leaves that the system killed while it ran this path: this boot, and a counter that has moved since.
fn killed(dir: &Path, path: &str) {
    let boot = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap();
    let boot = reprise::base::digest::Digest::of(&boot);
    let tag = path.parse::<reprise::base::digest::Digest>().unwrap();
    // The counter of the process is below that of the system, whatever that is.
    let bytes = [&boot.0[..8], &[0; 16], &tag.0[..8]].concat();
    std::fs::write(dir.join(".journal/gone-1-00000000.running"), bytes).unwrap();
}

fn system_has_killed() -> bool {
    let counters = std::fs::read_to_string("/proc/vmstat").unwrap();
    counters.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|n| n != "0"))
}

#[test]
fn a_trial_that_is_killed_three_times_is_not_tried_again() {
    let bench = Bench::new(&spec::density("memory", "repeats = 2", CHOW_LIU));
    let dir = bench.journal("r");
    let path = journaled_paths(&dir).into_keys().next().unwrap();
    for entry in std::fs::read_dir(dir.join(".journal")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some() {
            std::fs::remove_file(path).unwrap();
        }
    }
    // Where the system has never killed anything, its counter can't have moved: blame the path as another run would.
    let tag = path.parse::<reprise::base::digest::Digest>().unwrap();
    for _ in 0..2 {
        let blamed = dir.join(".journal/run.blamed");
        let mut bytes = std::fs::read(&blamed).unwrap_or_default();
        bytes.extend_from_slice(&tag.0[..8]);
        std::fs::write(blamed, bytes).unwrap();
    }
    if system_has_killed() {
        killed(&dir, &path);
    } else {
        std::fs::write(dir.join(".journal/gone.blamed"), &tag.0[..8]).unwrap();
    }
    let run = bench.command("r", &[]).output().unwrap();
    assert_says(
        &run,
        4,
        &["out-of-memory: the system killed its process 3 times for want of memory"],
    );
    assert!(!complete(&dir), "it is not sealed as if it had ended");
    let again = bench.command("r", &["--fresh"]).output().unwrap();
    assert_says(&again, 0, &["2 trials, sealed"]);
    assert_eq!(outputs(&dir), outputs(&bench.run("undisturbed")));
}

/// With less memory than any trial wants they run one after the other, and give the same.
#[test]
fn a_small_budget_changes_nothing_but_time() {
    let bench = Bench::new(&spec::density("memory", "repeats = 8", CHOW_LIU));
    let small = Options { jobs: 4, memory: Some(1), ..Options::default() };
    let dir = bench.run_with("small", &small);
    assert_eq!(outputs(&dir), outputs(&bench.run("large")));
    let sealed = bench.command("small", &["--memory", "1GiB"]).output().unwrap();
    assert_says(&sealed, 0, &["already sealed"]);
    let wrong = bench.command("small", &["--memory", "lots"]).output().unwrap();
    assert_says(&wrong, 2, &["expected a size such as 512MiB or 8GiB"]);
    assert!(matches!(bench.ended("small", &small), Ok(Ended::AlreadySealed(_))));
}
