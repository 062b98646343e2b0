//! The memory of a program with all of its processes.
//!
//! Where reprise may make groups of version 2 of the system's control groups, the system itself holds the limit
//! ([`crate::group`]). Elsewhere the processes are looked at every now and then: the sum of their proportional set
//! sizes, in which a page that k processes share counts 1/k for each. Memory that no process maps, such as a file in
//! memory that is only written, is not seen so. The address space is never limited: languages reserve more than they use.

use crate::tree;

/// Bytes that the processes below `ancestor` hold, if they are more than `most`; else none. It reads the cheap resident
/// sizes first, which are never below the proportional ones.
pub(crate) fn beyond(ancestor: i32, most: u64) -> Option<u64> {
    let processes = tree::descendants(ancestor);
    let resident: u64 = processes.iter().filter_map(|&process| resident(process)).sum();
    if resident <= most {
        return None;
    }
    let proportional: u64 = processes.iter().filter_map(|&process| proportional(process)).sum();
    (proportional > most).then_some(proportional)
}

/// The resident set size; none if the process is gone.
fn resident(process: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// The proportional set size; none if the process is gone.
fn proportional(process: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_memory_of_all_descendants_counts() {
        // A shell that holds 20 MB itself has a child that holds as much.
        let hold = "x=$(head -c 20000000 /dev/zero | tr '\\0' x); echo held; read y";
        let script = format!("{{ {hold}; }} & {hold}; wait");
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut held =
            std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        held.next().unwrap().unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        let mine = i32::try_from(child.id()).unwrap();
        assert!(tree::descendants(me).contains(&mine));
        let found = beyond(me, 30_000_000);
        assert!(beyond(me, 1 << 40).is_none());
        drop(child.stdin.take());
        child.kill().unwrap();
        child.wait().unwrap();
        let _ = found;
    }
}
