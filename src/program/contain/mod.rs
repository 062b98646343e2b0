//! What keeps a program within its bounds, and the hidden subcommand that sets the bounds up.
//!
//! reprise has threads, so it can't restrict a child before the child runs. It starts itself anew as
//! [`main`], a process with one thread and an empty environment, which makes namespaces (`enter`) and starts itself
//! once more as the first process in them: the `supervisor`. That one restricts itself for good, starts the program,
//! and ends as soon as its socket to reprise is closed; the system then ends whatever is left in the namespace. So
//! nothing outlives reprise, however it ends.

mod enter;
mod filesystem;
pub(crate) mod message;
mod supervisor;

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use base::words::Worded as _;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use message::{Access, Report, Spec};

/// Which bounds are in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Containment {
    /// A user namespace of its own: what the other namespaces need where reprise is not root.
    pub user: bool,
    /// A process namespace of its own: it sees no other process, and none of its own outlives it.
    pub process: bool,
    /// A network namespace of its own, without interfaces: it reaches nothing.
    pub network: bool,
    /// Semaphores and shared memory of its own.
    pub ipc: bool,
    /// Mounts of its own: of `/proc`, an empty `/run` without the sockets of services, and a small `/dev/shm`.
    pub mounts: bool,
    /// The version of Landlock: it reads its code, its environment, its examples and the system's libraries, and
    /// writes its scratch folder and its answers.
    pub landlock: Option<u32>,
}

base::words! {
    /// A bound that a kernel may lack.
    #[derive(Serialize, Deserialize)]
    pub enum Bound {
        User = "user namespace", "its own users";
        Process = "process namespace", "its own processes";
        Network = "network namespace", "no network";
        Ipc = "IPC namespace", "its own semaphores and shared memory";
        Mounts = "mount namespace", "its own mounts";
        Landlock = "Landlock", "only the files that it needs";
    }
}

impl Containment {
    /// No bounds beside an own session and the limits of time, memory and output.
    pub const NONE: Self = Self {
        user: false,
        process: false,
        network: false,
        ipc: false,
        mounts: false,
        landlock: None,
    };

    /// All bounds, with the newest Landlock that this program knows.
    const ALL: Self = Self {
        user: true,
        process: true,
        network: true,
        ipc: true,
        mounts: true,
        landlock: Some(filesystem::NEWEST),
    };

    /// What this machine can do, found out by doing it. `command` is how the hidden subcommand is started: a program
    /// and its arguments, which calls [`main`]. Takes a few milliseconds for each bound that lacks.
    ///
    /// # Errors
    /// If the subcommand can't be started at all.
    pub fn of_this_machine(command: &[OsString]) -> std::io::Result<Self> {
        let mut containment = Self::ALL;
        loop {
            match attempt(command, containment)? {
                Report::Contained { landlock } => return Ok(Self { landlock, ..containment }),
                Report::Lacks { bound, .. } if containment.has(bound) => {
                    containment = containment.without(bound);
                }
                Report::Lacks { bound, error } => {
                    let text = format!("the {} was not asked for: {error}", bound.word());
                    return Err(std::io::Error::other(text));
                }
                report => {
                    return Err(std::io::Error::other(format!("unexpected report: {report:?}")));
                }
            }
        }
    }

    /// Whether this bound is in force.
    pub fn has(self, bound: Bound) -> bool {
        match bound {
            Bound::User => self.user,
            Bound::Process => self.process,
            Bound::Network => self.network,
            Bound::Ipc => self.ipc,
            Bound::Mounts => self.mounts,
            Bound::Landlock => self.landlock.is_some(),
        }
    }

    /// The same without this bound. Without own processes there are no own mounts: `/proc` would be others'.
    #[must_use]
    pub fn without(mut self, bound: Bound) -> Self {
        match bound {
            Bound::User => self.user = false,
            Bound::Process => (self.process, self.mounts) = (false, false),
            Bound::Network => self.network = false,
            Bound::Ipc => self.ipc = false,
            Bound::Mounts => self.mounts = false,
            Bound::Landlock => self.landlock = None,
        }
        self
    }

    /// The bounds that lack.
    pub fn lacking(self) -> Vec<Bound> {
        Bound::WORDS.iter().map(|(_, bound)| bound).filter(|&bound| !self.has(bound)).collect()
    }
}

/// What comes of setting these bounds up, with no program to run.
fn attempt(command: &[OsString], containment: Containment) -> std::io::Result<Report> {
    let (control, theirs) = message::pair()?;
    let mut child = start(command, theirs, Stdio::null())?;
    let spec = Spec {
        contain: message::texts(command)?,
        command: Vec::new(),
        folder: "/".into(),
        variables: Vec::new(),
        longest_file: 0,
        access: Access::default(),
        containment,
    };
    let report = message::send(&control, &spec, &[]).and_then(|()| message::receive(&control));
    drop(control);
    child.wait()?;
    match report? {
        Some((report, _)) => Ok(report),
        None => Err(std::io::Error::other(format!("`{}` said nothing", spec.contain.join(" ")))),
    }
}

/// Starts the hidden subcommand, with its socket as standard input.
pub(crate) fn start(
    command: &[OsString],
    control: std::os::fd::OwnedFd,
    log: impl Into<Stdio>,
) -> std::io::Result<std::process::Child> {
    let [program, arguments @ ..] = command else {
        return Err(std::io::Error::other("the hidden subcommand has no name"));
    };
    let log = log.into();
    let mut command = Command::new(program);
    command.args(arguments).arg(enter::ARGUMENT).env_clear().current_dir("/");
    command.stdin(Stdio::from(control)).stdout(log).stderr(Stdio::null());
    command.spawn()
}

/// The hidden subcommand: `arguments` are those behind its name. It takes everything else from the socket that is its
/// standard input, so a person who calls it gets an error. The process must have no threads.
pub fn main(arguments: &[OsString]) -> ExitCode {
    let control = rustix::stdio::stdin();
    let ended = match arguments {
        [word] if word == enter::ARGUMENT => enter::enter(control),
        [word] if word == supervisor::ARGUMENT => supervisor::supervise(control),
        _ => Err(Report::Broken("it is a part of reprise, and not for people".to_owned())),
    };
    let Err(report) = ended else { return ExitCode::SUCCESS };
    if message::send(control, &report, &[]).is_err() {
        eprintln!("{report}");
    }
    ExitCode::FAILURE
}

/// Says which bound an error is about.
fn lacks(bound: Bound) -> impl Fn(Errno) -> Report {
    move |error| Report::Lacks { bound, error: error.to_string() }
}
