//! A process and all that descend from it, as `/proc` shows them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait};

/// How long processes that were killed may take to go.
const PATIENCE: Duration = Duration::from_secs(5);

/// The processes that descend from one: those whose parents ended in between hang on their reaper.
pub(crate) fn descendants(ancestor: i32) -> Vec<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    for entry in entries.flatten() {
        let process = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(process) = process else { continue };
        // It may have ended meanwhile.
        if let Some(parent) = parent(process) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = children.remove(&ancestor).unwrap_or_default();
    let mut next = 0;
    while next < found.len() {
        found.extend(children.remove(&found[next]).unwrap_or_default());
        next += 1;
    }
    found
}

/// The fourth field of `/proc/<process>/stat`. The second, a name in brackets, may hold anything.
fn parent(process: i32) -> Option<i32> {
    let stat = std::fs::read(format!("/proc/{process}/stat")).ok()?;
    let name = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(&stat[name + 1..]).ok()?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// Ends all that descend from this process, which is their reaper, and takes leave of them.
pub(crate) fn end_descendants() {
    let reap = || while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {};
    kill(getpid().as_raw_pid(), PATIENCE, reap);
}

/// Kills all that descend from a process, and what they start meanwhile, for at most `patience`. `reap` takes leave of
/// those that have ended and are this process's own children.
pub(crate) fn kill(ancestor: i32, patience: Duration, reap: impl Fn()) {
    let begun = Instant::now();
    loop {
        let alive = descendants(ancestor);
        if alive.is_empty() || begun.elapsed() > patience {
            return;
        }
        for process in alive.into_iter().filter_map(Pid::from_raw) {
            // It may have ended meanwhile.
            let _ = kill_process(process, Signal::KILL);
        }
        reap();
        std::thread::sleep(Duration::from_millis(2));
    }
}
