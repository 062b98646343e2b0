//! What keeps a program within its bounds, and the hidden subcommand that sets the bounds up.
//!
//! reprise has threads, so it can't restrict a child before the child runs. It starts itself anew as
//! [`main`], a process with one thread and an empty environment, which makes namespaces (`enter`) and starts itself
//! once more as the first process in them: the `supervisor`. That one builds a tree of files and enters it (`root`),
//! gives up its rights (`rights`, `filesystem`, `filter`), starts the program, and ends as soon as its socket to reprise
//! is closed; the system then ends whatever is left in the namespace. So nothing outlives reprise, however it ends.

mod enter;
mod filesystem;
mod filter;
pub(crate) mod message;
pub(crate) mod rights;
pub(crate) mod root;
mod supervisor;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;

use base::words::Worded as _;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use message::{Access, Report, Spec};

/// The hidden subcommand that restricts itself and then becomes a program.
pub const CONTAIN: &str = "contain";

/// The binary that has the hidden subcommand, where it is another than the one that runs.
pub static BINARY: OnceLock<PathBuf> = OnceLock::new();

/// Devices that swallow, and that give zeros and chance.
pub(crate) const DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// How the hidden subcommand is started.
pub fn command() -> Vec<OsString> {
    let this = || PathBuf::from("/proc/self/exe");
    vec![BINARY.get().cloned().unwrap_or_else(this).into(), CONTAIN.into()]
}

base::words! {
    /// A bound that a kernel may lack.
    #[derive(Serialize, Deserialize)]
    pub enum Bound {
        User = "user namespace", "a user namespace of its own, with none below it";
        Process = "process namespace", "it sees no other process, and none of its own outlives it";
        Network = "network namespace", "a network without interfaces: it reaches nothing";
        Ipc = "IPC namespace", "its own semaphores and message queues";
        Root = "own root", "a tree of files in which only those stand that are for it";
        Number = "own number", "where reprise is root, the program is another user outside";
        Overlay = "overlay mounts", "folders in that tree share no locks, sockets and watches with others";
        Proc = "own /proc", "a /proc of its own processes";
        Keyring = "session keyring", "a session keyring of its own";
        Filter = "filter of system calls", "calls are refused that no method needs";
        Landlock = "Landlock", "a second wall around its files";
    }
}

/// Which bounds are in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Containment(u16);

impl Containment {
    /// No bounds beside an own session and the limits of time, memory and output.
    pub const NONE: Self = Self(0);

    /// These bounds alone.
    pub fn of(bounds: &[Bound]) -> Self {
        Self(bounds.iter().fold(0, |bits, &bound| bits | bit(bound)))
    }

    fn all() -> Self {
        Bound::WORDS.iter().fold(Self::NONE, |all, (_, bound)| Self(all.0 | bit(bound)))
    }

    /// What this machine can do, found out by doing it. `command` is how the hidden subcommand is started: a program
    /// and its arguments, which calls [`main`]. Takes a few milliseconds for each bound that lacks.
    ///
    /// # Errors
    /// If the subcommand can't be started at all.
    pub fn of_this_machine(command: &[OsString]) -> std::io::Result<Self> {
        let mut containment = Self::all();
        loop {
            match attempt(command, containment)? {
                Report::Contained => return Ok(containment),
                Report::Lacks { bound, error } if containment.has(bound) => {
                    log::info!("this machine lacks the {}: {error}", bound.word());
                    containment = containment.without(bound);
                }
                report => return Err(std::io::Error::other(report.to_string())),
            }
        }
    }

    /// Whether this bound is in force.
    pub fn has(self, bound: Bound) -> bool {
        self.0 & bit(bound) != 0
    }

    /// The same without this bound, and without those that stand on it.
    #[must_use]
    pub fn without(self, bound: Bound) -> Self {
        let above: &[Bound] = match bound {
            Bound::Process => &[Bound::Proc],
            Bound::Root => &[Bound::Overlay, Bound::Proc],
            _ => &[],
        };
        Self(self.0 & !bit(bound) & !Self::of(above).0)
    }

    /// The bounds that lack.
    pub fn lacking(self) -> Vec<Bound> {
        Bound::WORDS.iter().map(|(_, bound)| bound).filter(|&bound| !self.has(bound)).collect()
    }

    /// The bounds that lack of those without which a stranger's code is not to run.
    pub fn weaknesses(self) -> Vec<Bound> {
        let mut lacking = self.lacking();
        lacking.retain(|bound| !matches!(bound, Bound::Proc | Bound::Landlock));
        lacking
    }
}

fn bit(bound: Bound) -> u16 {
    1 << bound as u16
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
        scratch: 1 << 20,
        access: Access {
            readable: vec!["/usr".into(), "/proc".into()],
            devices: DEVICES.map(PathBuf::from).to_vec(),
            ..Access::default()
        },
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
    rights::inherit_nothing();
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

/// What went wrong on the way to the bounds.
fn broken(error: std::io::Error) -> Report {
    Report::Broken(error.to_string())
}
