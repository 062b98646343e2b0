//! Control groups of version 2: the system holds limits of memory and of processes, where it lets reprise.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::limits::PROCESSES;

/// The group in which reprise runs, where it may make others below it.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    folder: PathBuf,
}

/// A group of one program.
#[derive(Debug)]
pub(crate) struct Group {
    folder: PathBuf,
}

static NEXT: AtomicU64 = AtomicU64::new(0);

impl Groups {
    /// The groups of this process, if they are delegated to it with the right to limit memory: the folder is writable,
    /// and no other process stands in the way. reprise itself moves into a group beside those of its programs, since
    /// processes may only be in leaves.
    pub(crate) fn delegated() -> Option<Self> {
        let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
        let membership = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        Self::at(&place(&mounts, &membership)?, std::process::id())
    }

    fn at(folder: &Path, process: u32) -> Option<Self> {
        let controllers = std::fs::read_to_string(folder.join("cgroup.controllers")).ok()?;
        let has = |name: &str| controllers.split_whitespace().any(|controller| controller == name);
        if !has("memory") {
            return None;
        }
        let wanted = if has("pids") { "+memory +pids" } else { "+memory" };
        let own = folder.join(format!("reprise-{process}"));
        let enabled = || -> io::Result<()> {
            std::fs::create_dir(&own)?;
            std::fs::write(own.join("cgroup.procs"), process.to_string())?;
            std::fs::write(folder.join("cgroup.subtree_control"), wanted)
        };
        if enabled().is_err() {
            // Back to where it was; a group with a process in it can't be removed, and does no harm.
            let _ = std::fs::write(folder.join("cgroup.procs"), process.to_string());
            let _ = std::fs::remove_dir(&own);
            return None;
        }
        Some(Self { folder: folder.to_owned() })
    }

    /// A new group with a limit of processes and this one of memory, in bytes, and none of it on a swap device.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn group(&self, memory: Option<u64>) -> io::Result<Group> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("reprise-{}-{number}", std::process::id());
        let group = Group { folder: self.folder.join(name) };
        std::fs::create_dir(&group.folder)?;
        // Where they are not counted so, another limit of processes holds.
        let _ = group.set("pids.max", &PROCESSES.to_string());
        group.set("memory.max", &memory.map_or("max".to_owned(), |bytes| bytes.to_string()))?;
        // All of its processes end together.
        group.set("memory.oom.group", "1")?;
        // Without swap accounting there is no such file.
        let _ = group.set("memory.swap.max", "0");
        Ok(group)
    }
}

impl Group {
    /// Moves a process in.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn add(&self, process: u32) -> io::Result<()> {
        self.set("cgroup.procs", &process.to_string())
    }

    /// Whether the system ended a process since the group had no memory left.
    pub(crate) fn ran_out(&self) -> bool {
        let events = std::fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
        kills.is_some_and(|kills| kills.trim() != "0")
    }

    /// Removes the group; its processes have ended.
    pub(crate) fn remove(self) {
        if let Err(error) = std::fs::remove_dir(&self.folder) {
            log::warn!("can't remove {}: {error}", self.folder.display());
        }
    }

    fn set(&self, file: &str, text: &str) -> io::Result<()> {
        std::fs::write(self.folder.join(file), text)
    }
}

/// The folder of the group of version 2 that a process is in, from its mounts and its memberships.
fn place(mounts: &str, membership: &str) -> Option<PathBuf> {
    let mounted = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let (_, folder, kind) = (fields.next()?, fields.next()?, fields.next()?);
        (kind == "cgroup2").then_some(folder)
    })?;
    let group = membership.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(Path::new(mounted).join(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a delegated group.
    fn tree(controllers: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("cgroup.controllers"), controllers).unwrap();
        root
    }

    fn text(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn the_group_of_version_2_is_found() {
        let mounts = "proc /proc proc rw 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n\
                      cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        let of = |membership: &str| place(mounts, membership);
        assert_eq!(of("4:memory:/x\n0::/\n"), Some("/sys/fs/cgroup/unified/".into()));
        let nested = of("0::/user.slice/session-2.scope\n");
        assert_eq!(nested, Some("/sys/fs/cgroup/unified/user.slice/session-2.scope".into()));
        assert_eq!(of("4:memory:/x\n"), None);
        assert_eq!(place("proc /proc proc rw 0 0\n", "0::/\n"), None);
    }

    #[test]
    fn a_delegated_group_limits_a_program() {
        let root = tree("cpu memory pids\n");
        // The system makes the files of a group with its folder; here they are written first.
        let groups = {
            let own = root.path().join("reprise-77");
            assert!(Groups::at(root.path(), 77).is_some());
            assert_eq!(text(&own.join("cgroup.procs")), "77");
            assert_eq!(text(&root.path().join("cgroup.subtree_control")), "+memory +pids");
            Groups { folder: root.path().to_owned() }
        };
        let group = groups.group(Some(1 << 30)).unwrap();
        group.add(99).unwrap();
        let file = |name: &str| group.folder.join(name);
        assert_eq!(text(&file("memory.max")), "1073741824");
        assert_eq!(text(&file("pids.max")), "512");
        assert_eq!(
            (text(&file("memory.oom.group")), text(&file("cgroup.procs"))),
            ("1".into(), "99".into())
        );
        assert!(!group.ran_out());
        let events = |kills: u32| {
            format!("low 0\nhigh 0\nmax 3\noom {kills}\noom_kill {kills}\noom_group_kill 0\n")
        };
        std::fs::write(file("memory.events"), events(0)).unwrap();
        assert!(!group.ran_out());
        std::fs::write(file("memory.events"), events(2)).unwrap();
        assert!(group.ran_out());
    }

    #[test]
    fn what_is_not_delegated_is_left_alone() {
        assert!(Groups::at(tree("cpu pids\n").path(), 77).is_none());
        assert!(Groups::at(Path::new("/absent"), 77).is_none());
        let root = tree("memory\n");
        std::fs::create_dir(root.path().join("cgroup.subtree_control")).unwrap();
        assert!(Groups::at(root.path(), 77).is_none());
    }
}
