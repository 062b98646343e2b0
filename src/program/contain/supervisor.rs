//! The first process of the namespace: it restricts itself, runs the program, and ends with its socket.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, FdFlags};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, getuid, kill_process_group, pidfd_open,
    set_child_subreaper, wait,
};

use super::message::{self, Order, Report, Spec};
use super::{Bound, broken, filesystem, filter, lacks, rights, root};

/// The word that calls this.
pub(super) const ARGUMENT: &str = "supervise";

/// How often orphans that have ended are looked for.
const REAP: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Runs the program of the message that waits, and reports how it ended.
pub(super) fn supervise(control: BorrowedFd<'_>) -> Result<(), Report> {
    let received = message::receive::<Spec>(control).map_err(broken)?;
    let Some((spec, descriptors)) = received else { return Ok(()) };
    let out = restrict(&spec)?;
    if spec.command.is_empty() {
        return message::send(control, &Report::Contained, &[]).map_err(broken);
    }
    if let Some(out) = out {
        message::send(control, &Report::Entered, &[out.as_fd()]).map_err(broken)?;
    }
    let child = start(&spec, descriptors)?;
    let report = watch(control, child).map_err(|error| broken(error.into()))?;
    // Where nobody listens any more, nobody needs to know.
    let _ = report.map(|report| message::send(control, &report, &[]));
    Ok(())
}

/// Gives up, for this process and all that it starts, whatever the program must not have. The tree of files is built with
/// all rights, and the user namespace entered last: so the program has no rights over the mounts. Gives the folder of
/// answers of a root of its own.
fn restrict(spec: &Spec) -> Result<Option<OwnedFd>, Report> {
    let failed = |error: Errno| broken(error.into());
    let has = |bound| spec.containment.has(bound);
    if has(Bound::Keyring) {
        rights::own_keyring().map_err(lacks(Bound::Keyring))?;
    }
    let is_root = rights::is_privileged() && getuid().is_root() && has(Bound::Number);
    let (out, proc) = match has(Bound::Root) {
        true => root::enter(spec).map(|entered| (Some(entered.out), entered.proc))?,
        false => (None, root::proc().map_err(failed)?),
    };
    let another = out.is_some() && is_root && {
        rights::become_another(&proc).map_err(lacks(Bound::Number))?
    };
    if has(Bound::User) {
        rights::own_users(&proc).map_err(lacks(Bound::User))?;
        // Where `/proc/sys` is closed, the filter refuses them all the same.
        let _ = rights::no_users_below(&proc);
    }
    if !has(Bound::Process) {
        // Orphans become its children, and it takes leave of them.
        set_child_subreaper(Some(getpid())).map_err(failed)?;
    }
    rights::give_up().map_err(failed)?;
    rights::limit(spec.longest_file, another || has(Bound::User)).map_err(failed)?;
    if has(Bound::Landlock) {
        let lacks = |error| Report::Lacks { bound: Bound::Landlock, error };
        filesystem::restrict(&spec.access).map_err(lacks)?;
    }
    if has(Bound::Filter) {
        let lacks = |error: seccompiler::Error| Report::Lacks {
            bound: Bound::Filter,
            error: error.to_string(),
        };
        filter::restrict(spec.containment).map_err(lacks)?;
    }
    Ok(out)
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
