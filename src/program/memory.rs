//! The memory of a program with all of its processes.
//!
//! Where reprise may make groups of version 2 of the system's control groups, the system itself holds the limit
//! ([`crate::group`]). Elsewhere the processes are looked at every now and then: the sum of their proportional set
//! sizes, in which a page that k processes share counts 1/k for each, and what files in memory hold beside: a page of
//! such a file that a process maps counts twice. Memory that no process maps and no file shows, such as a pipe's, is not
//! seen so. The address space is never limited: languages reserve more than they use.

use crate::tree;

/// Bytes that the processes below `ancestor` hold beside `files`, with these, if they are more than `most`; else none. It
/// reads the cheap resident sizes first, which are never below the proportional ones.
pub(crate) fn beyond(ancestor: i32, files: u64, most: u64) -> Option<u64> {
    let processes = tree::descendants(ancestor);
    let resident: u64 = processes.iter().filter_map(|&process| resident(process)).sum();
    if files + resident <= most {
        return None;
    }
    let proportional: u64 = processes.iter().filter_map(|&process| proportional(process)).sum();
    let all = files + proportional;
    (all > most).then_some(all)
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
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_memory_of_all_descendants_counts() {
        // A shell below a shell below this process holds 20 MB until its input ends.
        let hold = "x=$(head -c 20000000 /dev/zero | tr '\\0' x); echo held; read y";
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
            command.spawn().unwrap()
        };
        let mut child = shell(&format!("sh -c \"{}\"; exit 0", hold.replace('$', "\\$")));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "held");
        let (me, below) = (std::process::id() as i32, child.id() as i32);
        assert!(tree::descendants(me).contains(&below));
        let grandchild = tree::descendants(below);
        assert_eq!(grandchild.len(), 1);
        let found = beyond(below, 0, 15_000_000).unwrap();
        assert!((20_000_000..60_000_000).contains(&found), "{found}");
        assert_eq!(beyond(below, 0, 1 << 40), None);
        assert_eq!(
            beyond(below, 1 << 40, 1 << 40).map(|all| all - (1 << 40) > 15_000_000),
            Some(true)
        );
        assert_eq!(beyond(grandchild[0], 0, 0), None, "a process is not its own descendant");
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
