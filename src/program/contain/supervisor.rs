//! The first process of the namespace: it restricts itself, runs the program, and ends with its socket.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, FdFlags};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid,
    kill_process_group, pidfd_open, set_child_subreaper, set_dumpable_behavior, setrlimit, wait,
};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::message::{self, Order, Report, Spec};
use super::{Bound, filesystem, lacks};
use crate::tree;

/// The word that calls this.
pub(super) const ARGUMENT: &str = "supervise";

/// How often orphans that have ended are looked for.
const REAP: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// The size of `/dev/shm`, in which the semaphores of several languages lie.
const SHARED_MEMORY: &std::ffi::CStr = c"size=64m,mode=1777";

/// Runs the program of the message that waits, and reports how it ended.
pub(super) fn supervise(control: BorrowedFd<'_>) -> Result<(), Report> {
    let received = message::receive::<Spec>(control).map_err(broken)?;
    let Some((spec, descriptors)) = received else { return Ok(()) };
    let landlock = restrict(&spec)?;
    if spec.command.is_empty() {
        return message::send(control, &Report::Contained { landlock }, &[]).map_err(broken);
    }
    let child = start(&spec, descriptors)?;
    let report = watch(control, child).map_err(|error| broken(error.into()))?;
    if !spec.containment.process {
        tree::end_descendants();
    }
    // Where nobody listens any more, nobody needs to know.
    let _ = report.map(|report| message::send(control, &report, &[]));
    Ok(())
}

fn broken(error: std::io::Error) -> Report {
    Report::Broken(error.to_string())
}

/// Gives up, for this process and all that it starts, whatever the program must not have.
fn restrict(spec: &Spec) -> Result<Option<u32>, Report> {
    let failed = |error: Errno| broken(error.into());
    if spec.containment.mounts {
        own_mounts().map_err(lacks(Bound::Mounts))?;
    }
    if spec.containment.user {
        rustix::thread::clear_ambient_capability_set().map_err(failed)?;
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
        rustix::thread::set_capabilities(None, sets).map_err(failed)?;
    }
    if !spec.containment.process {
        // Orphans become its children, and it finds them.
        set_child_subreaper(Some(getpid())).map_err(failed)?;
    }
    rustix::thread::set_no_new_privs(true).map_err(failed)?;
    // The program may not look into this process.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(failed)?;
    for (resource, most) in [(Resource::Core, 0), (Resource::Fsize, spec.longest_file)] {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).map_err(failed)?;
    }
    if spec.containment.landlock.is_none() {
        return Ok(None);
    }
    let restricted = filesystem::restrict(&spec.access);
    restricted.map(Some).map_err(|error| Report::Lacks { bound: Bound::Landlock, error })
}

/// Mounts of its own: the processes of this namespace, no sockets of services, and memory to share.
fn own_mounts() -> Result<(), Errno> {
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    let plain = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", plain, None)?;
    mount("tmpfs", "/dev/shm", "tmpfs", plain, SHARED_MEMORY)?;
    // On some systems programs themselves lie below /run.
    if !std::path::Path::new("/run/current-system").exists() {
        mount("tmpfs", "/run", "tmpfs", plain | MountFlags::RDONLY, None)?;
    }
    Ok(())
}

/// Starts the program in a process group of its own.
fn start(spec: &Spec, descriptors: Vec<OwnedFd>) -> Result<Pid, Report> {
    let [program, arguments @ ..] = &spec.command[..] else {
        return Err(Report::NotStarted("it has no name".to_owned()));
    };
    let Ok([reply, input]) = <[OwnedFd; 2]>::try_from(descriptors) else {
        return Err(Report::Broken("a descriptor is missing".to_owned()));
    };
    rustix::io::fcntl_setfd(&reply, FdFlags::empty()).map_err(|error| broken(error.into()))?;
    let number = std::os::fd::AsRawFd::as_raw_fd(&reply).to_string();
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&spec.folder).env_clear();
    command.envs(spec.variables.iter().map(|(name, value)| (name, value)));
    command.env("REPRISE_REPLY_FD", number).stdin(Stdio::from(input)).process_group(0);
    // Standard error goes where standard output goes.
    let output = rustix::stdio::stdout().try_clone_to_owned().map_err(broken)?;
    command.stderr(Stdio::from(output));
    let child = command.spawn().map_err(|error| Report::NotStarted(error.to_string()))?;
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| Report::Broken("its process has no number".to_owned()))
}

/// Waits until the program ends, and does meanwhile what reprise orders. None: reprise is gone.
fn watch(control: BorrowedFd<'_>, child: Pid) -> Result<Option<Report>, Errno> {
    let ended = pidfd_open(child, PidfdFlags::empty())?;
    loop {
        let mut ready = [
            PollFd::new(&control, PollFlags::IN),
            PollFd::from_borrowed_fd(ended.as_fd(), PollFlags::IN),
        ];
        match poll(&mut ready, Some(&REAP)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        let spoken = !ready[0].revents().is_empty();
        if let Some(report) = reaped(child)? {
            return Ok(Some(report));
        }
        if spoken {
            match message::receive::<Order>(control) {
                // It may have ended meanwhile.
                Ok(Some((Order::Terminate, _))) => drop(kill_process_group(child, Signal::TERM)),
                Ok(None) | Err(_) => return Ok(None),
            }
        }
    }
}

/// Takes leave of all processes that have ended; how the program did, if it is among them.
fn reaped(child: Pid) -> Result<Option<Report>, Errno> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((process, status))) if process == child => {
                let report = match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Report::Exit(code),
                    (_, Some(signal)) => Report::Signal(signal),
                    _ => continue,
                };
                return Ok(Some(report));
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) | Err(Errno::CHILD) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}
