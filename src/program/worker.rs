//! A program that answers trials of one hand-over, one after another.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use base::digest::Digest;
use base::own;
use rustix::fs::{Mode, OFlags};

use crate::answer::{self, Answers};
use crate::contain::message::{Report, texts};
use crate::contain::{Bound, Containment, root};
use crate::dialogue::{LONGEST, Request, Said, Seconds, understand};
use crate::environment::{Prepared, unchanged};
use crate::failure::{Ending, Failure};
use crate::group::Group;
use crate::hand_over::{BatchName, HandOver};
use crate::limits::Limits;
use crate::process::{self, Event, Process};
use crate::surroundings::{self, Folders};
use crate::usage;

/// How long a program that is not needed any more may take to end by itself.
const FAREWELL: Duration = Duration::from_millis(200);

/// What a program answered, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answers to each batch that was asked.
    pub answers: BTreeMap<BatchName, Answers>,
    /// What the method counted of itself: finite numbers.
    pub metrics: BTreeMap<String, f64>,
    /// How long it says that it took.
    pub seconds: Option<Seconds>,
}

/// What workers are started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How the hidden subcommand is started: a program and its arguments, which calls [`crate::contain::main`].
    pub contain: Vec<OsString>,
    /// Where scratch folders and answers lie meanwhile; absolute.
    pub folder: PathBuf,
    /// The bounds to set up, of those that [`Containment::of_this_machine`] found.
    pub containment: Containment,
    /// How much a program may take.
    pub limits: Limits,
    /// Set when the user asks to stop.
    pub interrupt: &'static AtomicBool,
}

/// A program that is ready for a trial.
pub(crate) struct Worker {
    prepared: Prepared,
    hand_over: Arc<HandOver>,
    process: Process,
    folder: PathBuf,
    /// Where it makes the folders of its answers, as the program knows it.
    out: PathBuf,
    limits: Limits,
    interrupt: &'static AtomicBool,
}

impl Worker {
    /// Starts a program, in a control group with its limit of memory where there is one, and waits until it is ready. Its
    /// folder is made.
    pub(crate) fn start(
        settings: &Settings,
        (group, folder): (Option<Group>, PathBuf),
        prepared: &Prepared,
        hand_over: &Arc<HandOver>,
    ) -> Result<Self, Failure> {
        let Settings { interrupt, .. } = *settings;
        let id = &prepared.program.id;
        let failed = |error: &dyn std::fmt::Display| {
            Failure::new(Ending::Start, format!("`{id}` can't be started: {error}"))
        };
        unchanged(&prepared.program).map_err(|error| failed(&error))?;
        let (scratch, out) = match settings.containment.has(Bound::Root) {
            true => (PathBuf::from(root::HOME), PathBuf::from(root::OUT)),
            false => (folder.join("scratch"), folder.join("out")),
        };
        if !settings.containment.has(Bound::Root) {
            for folder in [&folder, &scratch, &out] {
                std::fs::create_dir(folder)
                    .map_err(|error| failed(&format!("{}: {error}", folder.display())))?;
            }
        }
        let contain = texts(&settings.contain).map_err(|error| failed(&error))?;
        let folders = Folders { data: hand_over.folder(), scratch: &scratch, out: &out };
        let mut limits = settings.limits.clone();
        limits.output += hand_over.largest_answers();
        let spec =
            surroundings::spec(contain, prepared, &folders, settings.containment, limits.output);
        let (memory, output) = ((prepared.program.memory, group), vec![scratch, out.clone()]);
        let process = Process::start(&settings.contain, &spec, limits.clone(), memory, output);
        let process = process.map_err(|error| failed(&error))?;
        let (prepared, hand_over) = (prepared.clone(), hand_over.clone());
        let mut worker = Self { prepared, hand_over, process, folder, out, limits, interrupt };
        let deadline = Instant::now() + worker.limits.start;
        match worker.reply(Some(deadline), None) {
            Ok(_) => Ok(worker),
            Err(failure) => Err(worker.failed(failure)),
        }
    }

    /// Whether it serves this program, within the same limits, and this hand-over.
    pub(crate) fn serves(&self, prepared: &Prepared, hand_over: &HandOver) -> bool {
        self.is_of(hand_over) && self.prepared == *prepared
    }

    /// Whether it serves this hand-over.
    pub(crate) fn is_of(&self, hand_over: &HandOver) -> bool {
        self.hand_over.folder() == hand_over.folder()
    }

    /// Whether it still waits for a trial.
    pub(crate) fn is_idle(&mut self) -> bool {
        self.process.is_quiet()
    }

    /// Asks for a trial. After a failure the worker must not be asked again, unless the program said itself that it
    /// failed.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<Reply, Failure> {
        // From outside, a root of its own is reached through a descriptor alone.
        let reached = self.process.out().unwrap_or_else(|| self.out.clone());
        let out = reached.join(request.trial.to_string());
        let asked = self.asked(request, &out).map_err(|failure| self.failed(failure));
        // While the program lives it may put links in the place of folders: what it has closed stays until it has ended.
        let _ = std::fs::remove_dir_all(&out);
        asked
    }

    /// Asks for a trial, with answers in the new folder `out`.
    fn asked(&mut self, request: &Request, out: &Path) -> Result<Reply, Failure> {
        let start = |error: String| Failure::new(Ending::Start, error);
        let in_out = |error: io::Error| start(format!("{}: {error}", out.display()));
        std::fs::create_dir(out).map_err(in_out)?;
        // The program may be of another user.
        let folder = own_folder(out).map_err(in_out)?;
        rustix::fs::fchmod(&folder, Mode::RWXU | Mode::RWXG | Mode::RWXO)
            .map_err(|error| in_out(error.into()))?;
        drop(folder);
        let data = self.hand_over.folder().to_string_lossy();
        let inside = self.out.join(request.trial.to_string());
        let line = request.line(&data, &inside.to_string_lossy()).map_err(start)?;
        self.process.clear_log();
        self.process.send(&line);
        let deadline = request.seconds.map(|seconds| Instant::now() + seconds);
        let Said::Done(seconds) = self.reply(deadline, Some(request.trial))? else {
            return Err(start("it is ready again".to_owned()));
        };
        let folder =
            own_folder(out).map_err(|error| answer::bad(&inside.to_string_lossy(), error))?;
        let out = process::reached(&folder);
        let answer = |&batch: &BatchName| Ok((batch, answer::read(&out, batch, &self.hand_over)?));
        let answers = request.answer.iter().map(answer).collect::<Result<_, Failure>>()?;
        Ok(Reply { answers, metrics: answer::metrics(&out)?, seconds })
    }

    /// Waits for a reply. What goes wrong is told without the method's name and log.
    fn reply(&mut self, deadline: Option<Instant>, trial: Option<Digest>) -> Result<Said, Failure> {
        let event = self.process.next(deadline, self.interrupt);
        match event {
            Event::Late => self.process.stop(),
            Event::Memory(_) | Event::Output | Event::Interrupted => self.process.end(),
            Event::Line(_) | Event::LongLine | Event::Ended(_) => {}
        }
        let (ending, message) = match event {
            Event::Line(line) => match understand(&line, trial) {
                Ok(Said::Failed(error)) => (Ending::Error, format!("it says: {error}")),
                Ok(said) => return Ok(said),
                Err(error) => (Ending::BadAnswer, error),
            },
            Event::LongLine => (
                Ending::BadAnswer,
                format!(
                    "its reply has more than {LONGEST} bytes without a line feed; answers belong into files"
                ),
            ),
            Event::Late if trial.is_some() => (
                Ending::Timeout,
                "it did not answer within its time; give it more, or less to do".to_owned(),
            ),
            Event::Late => (
                Ending::Timeout,
                format!(
                    "it was not ready within {} s: reply {{\"ready\": 1}} once everything is imported",
                    self.limits.start.as_secs_f64()
                ),
            ),
            Event::Memory(bytes) => {
                let may = mebibytes(self.prepared.program.memory.unwrap_or_default());
                let held = bytes.map(|bytes| format!(": it held {}", mebibytes(bytes)));
                let held = held.unwrap_or_default();
                (
                    Ending::Memory,
                    format!(
                        "it may use {may} of memory with all of its processes{held}; raise `memory`, or use less"
                    ),
                )
            }
            Event::Output => (
                Ending::BadAnswer,
                format!(
                    "it wrote more than {}, or very many files, into its answers and its scratch folder",
                    mebibytes(self.limits.output)
                ),
            ),
            Event::Interrupted => (Ending::Interrupted, "interrupted".to_owned()),
            Event::Ended(report) => ended(report, trial),
        };
        Err(Failure::new(ending, message))
    }

    /// Says whose failure it is, and what was printed last.
    fn failed(&mut self, failure: Failure) -> Failure {
        let log = self.process.log();
        let mut message = format!("`{}`: {}", self.prepared.program.id, failure.message);
        if failure.ending != Ending::Interrupted {
            let last = log.lines().rev().map(str::trim).find(|line| !line.is_empty());
            if let Some(last) = last.filter(|last| !failure.message.contains(last)) {
                let last: String = last.chars().take(200).collect();
                message += &format!("; it printed last: {last}");
            }
            // An error that it said, or ended by; another may have been handled long before. Of an estimator the
            // lines are reprise's.
            let own = !self.prepared.program.is_estimator();
            if own && matches!(failure.ending, Ending::Error | Ending::Exit(_)) {
                message += &traced(&log);
            }
        }
        Failure { message, log, ..failure }
    }

    /// Tells the program that there are no more trials.
    pub(crate) fn close(&mut self) {
        self.process.close();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.process.finish(FAREWELL);
        usage::remove(&self.folder);
    }
}

/// What it means that it ended by itself, while a trial or its start was waited for.
fn ended(report: Report, trial: Option<Digest>) -> (Ending, String) {
    let when = if trial.is_some() { "in the middle of a trial" } else { "before it was ready" };
    match report {
        Report::Exit(0) => {
            let cure = "it must read requests until its standard input ends";
            (Ending::NoAnswer, format!("it ended {when}, with exit code 0; {cure}"))
        }
        Report::Exit(code) => {
            (Ending::Exit(code), format!("it ended {when}, with exit code {code}"))
        }
        Report::Signal(signal) => {
            (Ending::Signal(signal), format!("signal {signal} ended it {when}"))
        }
        report => (Ending::Start, report.to_string()),
    }
}

/// The file of the client for Python, which is in every traceback.
const CLIENT: &str = "/reprise_method.py";

/// Opens a folder that a program may have put something else in the place of.
fn own_folder(path: &Path) -> io::Result<OwnedFd> {
    own::folder(path)?;
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// The last file and line of the author's own in the last traceback of Python; where it has none, its last.
fn traced(log: &str) -> String {
    fn at(line: &str) -> Option<(&str, &str)> {
        line.trim().strip_prefix("File \"")?.split_once("\", line ")
    }
    let last = log.rfind("Traceback (most").map_or("", |begin| &log[begin..]);
    let library = ["/lib/python", "/lib64/python", "-packages/", CLIENT];
    let own = |(path, _): &(&str, &str)| {
        path.starts_with('/') && !library.iter().any(|part| path.contains(part))
    };
    let mut places = last.lines().rev().filter_map(at);
    let Some((path, rest)) = places.clone().find(own).or_else(|| places.next()) else {
        return String::new();
    };
    let file = path.rsplit('/').next().unwrap_or(path);
    let line: String = rest.chars().take_while(char::is_ascii_digit).collect();
    format!(" ({file}, line {line})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceback_ends_at_a_line() {
        let log = "Traceback (most recent call last):\n  File \"/code/main.py\", line 3, in <module>\n    go()\n  \
                   File \"/code/lib/model.py\", line 17, in go\n    1 / 0\nZeroDivisionError: division by zero\n";
        assert_eq!(traced(log), " (model.py, line 17)");
        let within = "  File \"/env/lib/python3.12/site-packages/numpy/linalg.py\", line 90, in solve\n    raise\nLinAlgError: singular\n";
        let client = "  File \"/code/reprise_method.py\", line 200, in _answer\n    fit()\n";
        let failed =
            |frames: &str| traced(&format!("Traceback (most recent call last):\n{frames}"));
        let own = "  File \"/code/method.py\", line 8, in fit\n    solve()\n";
        assert_eq!(failed(&[client, own, within].concat()), " (method.py, line 8)");
        assert_eq!(failed(&[client, within].concat()), " (linalg.py, line 90)");
        assert_eq!(traced("out of luck\n"), "");
    }
}
