//! The first process of a contained program: it makes the namespaces, and waits for the supervisor in them.

use std::os::fd::BorrowedFd;
use std::process::{Command, Stdio};

use nix::sched::CloneFlags;
use rustix::io::Errno;
use rustix::process::{getgid, getpid, getuid, set_child_subreaper};
use rustix::thread::{CapabilitySet, CapabilitySets, configure_capability_in_ambient_set};

use super::message::{self, Report, Spec};
use super::{Bound, lacks, supervisor};
use crate::tree;

/// The word that calls this.
pub(super) const ARGUMENT: &str = "enter";

/// How much sooner than others the program and all of its processes are ended where the system lacks memory: at most
/// 1,000.
const OUT_OF_MEMORY: &str = "800";

/// The user as which root's programs run inside: nobody, who has no rights in the namespace.
const NOBODY: u32 = 65534;

/// Makes the namespaces, starts the supervisor in them and waits for it.
pub(super) fn enter(control: BorrowedFd<'_>) -> Result<(), Report> {
    let broken = |error: std::io::Error| Report::Broken(error.to_string());
    let Some(spec) = message::peek::<Spec>(control).map_err(broken)? else { return Ok(()) };
    // It leads its own group already where it can't lead a session.
    let _ = rustix::process::setsid();
    // Where it can't be raised, the program is as any other.
    let _ = std::fs::write("/proc/self/oom_score_adj", OUT_OF_MEMORY);
    let containment = spec.containment;
    if containment.user {
        own_users().map_err(lacks(Bound::User))?;
    }
    for (bound, flag) in [
        (Bound::Process, CloneFlags::CLONE_NEWPID),
        (Bound::Network, CloneFlags::CLONE_NEWNET),
        (Bound::Ipc, CloneFlags::CLONE_NEWIPC),
        (Bound::Mounts, CloneFlags::CLONE_NEWNS),
    ] {
        if containment.has(bound) {
            unshare(flag).map_err(lacks(bound))?;
        }
    }
    let [program, arguments @ ..] = &spec.contain[..] else {
        return Err(Report::Broken("the hidden subcommand has no name".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(supervisor::ARGUMENT).env_clear().stdin(Stdio::inherit());
    if !containment.process {
        // Where the program ends its supervisor, what is left comes to this process.
        set_child_subreaper(Some(getpid())).map_err(|error| broken(error.into()))?;
    }
    let mut child = command.spawn().map_err(broken)?;
    child.wait().map_err(broken)?;
    if !containment.process {
        tree::end_descendants();
    }
    Ok(())
}

fn unshare(flag: CloneFlags) -> Result<(), Errno> {
    nix::sched::unshare(flag).map_err(|error| Errno::from_raw_os_error(error as i32))
}

/// Enters a user namespace in which this user has its own number (root has nobody's), and keeps the one right over it
/// that the supervisor needs for its mounts.
fn own_users() -> Result<(), Errno> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    let number = |id: u32| if id == 0 { NOBODY } else { id };
    let write = |file: &str, text: String| {
        std::fs::write(file, text)
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    };
    write("/proc/self/setgroups", "deny".to_owned())?;
    write("/proc/self/uid_map", format!("{} {user} 1", number(user)))?;
    write("/proc/self/gid_map", format!("{} {group} 1", number(group)))?;
    let all = rustix::thread::capabilities(None)?;
    let kept = CapabilitySet::SYS_ADMIN;
    rustix::thread::set_capabilities(None, CapabilitySets { inheritable: kept, ..all })?;
    configure_capability_in_ambient_set(kept, true)
}
