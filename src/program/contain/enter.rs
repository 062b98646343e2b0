//! The first process of a contained program: it makes the namespaces, and waits for the supervisor in them.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::process::{getpid, set_child_subreaper};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};

use super::message::{self, Report, Spec};
use super::{Bound, broken, lacks, rights, root, supervisor};
use crate::tree;

/// The word that calls this.
pub(super) const ARGUMENT: &str = "enter";

/// How much sooner than others the program and all of its processes are ended where the system lacks memory: at most
/// 1,000.
const OUT_OF_MEMORY: &str = "800";

/// Makes the namespaces, starts the supervisor in them and waits for it.
pub(super) fn enter(control: BorrowedFd<'_>) -> Result<(), Report> {
    let Some(spec) = message::peek::<Spec>(control).map_err(broken)? else { return Ok(()) };
    // It leads its own group already where it can't lead a session.
    let _ = rustix::process::setsid();
    // Where it can't be raised, the program is as any other.
    let _ = std::fs::write("/proc/self/oom_score_adj", OUT_OF_MEMORY);
    let containment = spec.containment;
    if containment.has(Bound::User) && !rights::is_privileged() {
        let proc = root::proc().map_err(lacks(Bound::User))?;
        if containment.has(Bound::Number) && rights::is_root_outside(&proc) {
            return Err(lacks(Bound::Number)(Errno::PERM));
        }
        users_of_mounts(&proc).map_err(lacks(Bound::User))?;
    }
    for (bound, flag) in [
        (Bound::Process, UnshareFlags::NEWPID),
        (Bound::Network, UnshareFlags::NEWNET),
        (Bound::Ipc, UnshareFlags::NEWIPC),
    ] {
        if containment.has(bound) {
            rights::unshare(flag).map_err(lacks(bound))?;
        }
    }
    let [program, arguments @ ..] = &spec.contain[..] else {
        return Err(Report::Broken("the hidden subcommand has no name".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(supervisor::ARGUMENT).env_clear().stdin(Stdio::inherit());
    if !containment.has(Bound::Process) {
        // When the supervisor ends, or the program ends it, what is left comes to this process.
        set_child_subreaper(Some(getpid())).map_err(|error| broken(error.into()))?;
    }
    let mut child = command.spawn().map_err(broken)?;
    child.wait().map_err(broken)?;
    if !containment.has(Bound::Process) {
        tree::end_descendants();
    }
    Ok(())
}

/// Enters the user namespace to which the mounts of an ordinary user's program belong, and keeps the rights over it that
/// the supervisor needs to make them a root.
fn users_of_mounts(proc: &OwnedFd) -> Result<(), Errno> {
    rights::own_users(proc)?;
    let all = rustix::thread::capabilities(None)?;
    let kept = [CapabilitySet::SYS_ADMIN, CapabilitySet::SYS_CHROOT];
    let inheritable = kept[0] | kept[1];
    rustix::thread::set_capabilities(None, CapabilitySets { inheritable, ..all })?;
    let keep = |right| rustix::thread::configure_capability_in_ambient_set(right, true);
    kept.into_iter().try_for_each(keep)
}
