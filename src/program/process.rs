//! A contained process and all that goes in and out of it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::contain;
use crate::contain::message::{self, Order, Report, Spec};
use crate::dialogue::LONGEST;
use crate::group::Group;
use crate::limits::Limits;
use crate::log::Log;
use crate::usage::Written;
use crate::{memory, tree};

/// How long a supervisor may take to end after its socket is closed, before everything is killed from here.
const GONE: Duration = Duration::from_secs(5);

/// The signal to one who writes more into a file than it may: SIGXFSZ.
const TOO_LONG_A_FILE: i32 = 25;

/// What comes of waiting for a process.
#[derive(Debug)]
pub(crate) enum Event {
    /// A line on the descriptor for replies, without its line feed.
    Line(Vec<u8>),
    /// More than 1 MiB on that descriptor without a line feed.
    LongLine,
    /// It ended, or never began.
    Ended(Report),
    /// The time is over.
    Late,
    /// It holds more memory than it may: so many bytes, where they were counted.
    Memory(Option<u64>),
    /// It wrote more than it may.
    Output,
    /// The user asked to stop.
    Interrupted,
}

/// A contained process.
pub(crate) struct Process {
    child: Child,
    /// None once the supervisor was told to end everything.
    control: Option<OwnedFd>,
    /// None once it was closed.
    input: Option<OwnedFd>,
    unsent: VecDeque<u8>,
    /// None once the other end is closed.
    replies: Option<OwnedFd>,
    received: VecDeque<u8>,
    printed: Option<OwnedFd>,
    log: Log,
    ended: Option<Report>,
    memory: Option<u64>,
    group: Option<Group>,
    written: Written,
    limits: Limits,
    looked: Instant,
}

impl Process {
    /// Starts a process, with so much memory and the control group that holds it to this, where there is one. Where it has
    /// no root of its own, its output is counted in these folders. That it could not be executed is an event later.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn start(
        command: &[OsString],
        spec: &Spec,
        limits: Limits,
        (memory, group): (Option<u64>, Option<Group>),
        output: Vec<PathBuf>,
    ) -> io::Result<Self> {
        let (control, theirs) = message::pair()?;
        let (their_input, input) = pipe_with(PipeFlags::CLOEXEC)?;
        let (replies, their_replies) = pipe_with(PipeFlags::CLOEXEC)?;
        let (printed, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
        for ours in [&input, &replies, &printed] {
            rustix::fs::fcntl_setfl(ours, OFlags::NONBLOCK)?;
        }
        let child = contain::start(command, theirs, Stdio::from(their_output))?;
        let process = Self {
            child,
            control: Some(control),
            input: Some(input),
            unsent: VecDeque::new(),
            replies: Some(replies),
            received: VecDeque::new(),
            printed: Some(printed),
            log: Log::new(limits.log),
            ended: None,
            memory,
            group,
            written: Written::Folders(output),
            limits,
            looked: Instant::now(),
        };
        if let Some(group) = &process.group {
            // It waits for its message, so it has no children yet.
            group.add(process.child.id())?;
        }
        let descriptors = [their_replies.as_fd(), their_input.as_fd()];
        if let Some(control) = &process.control {
            message::send(control, spec, &descriptors)?;
        }
        Ok(process)
    }

    /// Sends a line, as far as the process reads it; the rest goes while it is waited for.
    pub(crate) fn send(&mut self, line: &[u8]) {
        self.unsent.extend(line);
    }

    /// Forgets what was printed so far.
    pub(crate) fn clear_log(&mut self) {
        self.read_printed();
        self.log.clear();
    }

    /// What was printed, as far as it is kept.
    pub(crate) fn log(&mut self) -> String {
        self.read_printed();
        self.log.text()
    }

    /// Whether it waits, and has said nothing that nobody asked.
    pub(crate) fn is_quiet(&mut self) -> bool {
        let now = Some(Instant::now());
        self.unsent.is_empty()
            && matches!(self.next(now, &AtomicBool::new(false)), Event::Late)
            && self.received.is_empty()
    }

    /// Where it makes the folders of its answers, as this process reaches it; none if it has no root of its own.
    pub(crate) fn out(&self) -> Option<PathBuf> {
        match &self.written {
            Written::Own(out) => Some(reached(out)),
            Written::Folders(_) => None,
        }
    }

    /// Waits for the next event.
    pub(crate) fn next(&mut self, deadline: Option<Instant>, interrupt: &AtomicBool) -> Event {
        let mut late = false;
        loop {
            if let Some(line) = self.line() {
                return Event::Line(line);
            }
            if self.received.len() >= LONGEST {
                return Event::LongLine;
            }
            if let Some(event) = self.over() {
                return event;
            }
            if interrupt.load(Ordering::Relaxed) {
                return Event::Interrupted;
            }
            if late {
                return Event::Late;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            // What it said in time is still read.
            late = left.is_some_and(|left| left.is_zero());
            let wait = left.unwrap_or(self.limits.interval).min(self.limits.interval);
            if let Err(error) = self.move_bytes(wait) {
                return Event::Ended(Report::Broken(error.to_string()));
            }
        }
    }

    /// How it ended, or why it must.
    fn over(&mut self) -> Option<Event> {
        if self.looked.elapsed() >= self.limits.interval {
            self.looked = Instant::now();
            if let Some(most) = self.memory.filter(|_| self.group.is_none())
                && let Some(bytes) =
                    memory::beyond(self.child.id() as i32, self.written.memory(), most)
            {
                return Some(Event::Memory(Some(bytes)));
            }
            if self.written.exceeds(self.limits.output) {
                return Some(Event::Output);
            }
        }
        // What it said before it ended comes first.
        if self.replies.is_some() {
            return None;
        }
        let ended = self.ended.take()?;
        let killed = matches!(ended, Report::Signal(9) | Report::Broken(_));
        match &self.group {
            Some(group) if killed && group.ran_out() => Some(Event::Memory(None)),
            _ if matches!(ended, Report::Signal(TOO_LONG_A_FILE)) => Some(Event::Output),
            // It may have failed for that.
            _ if self.written.exceeds(self.limits.output) => Some(Event::Output),
            _ => Some(Event::Ended(ended)),
        }
    }

    /// Takes the first whole line.
    fn line(&mut self) -> Option<Vec<u8>> {
        let end = self.received.iter().position(|&byte| byte == b'\n')?;
        let mut line: Vec<u8> = self.received.drain(..=end).collect();
        line.pop();
        Some(line)
    }

    /// Waits until something can be read or written, and does so.
    fn move_bytes(&mut self, wait: Duration) -> Result<(), Errno> {
        let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
        type Source<'p> = (&'p Option<OwnedFd>, bool, PollFlags, fn(&mut Process));
        let sources: [Source<'_>; 4] = [
            (&self.replies, true, PollFlags::IN, Self::read_replies),
            (&self.printed, true, PollFlags::IN, Self::read_printed),
            (&self.control, self.ended.is_none(), PollFlags::IN, Self::hear),
            (&self.input, !self.unsent.is_empty(), PollFlags::OUT, Self::write_input),
        ];
        let wanted = sources.into_iter().filter_map(|(fd, wanted, flags, moves)| {
            Some((PollFd::new(fd.as_ref().filter(|_| wanted)?, flags), moves))
        });
        let (mut fds, moves): (Vec<_>, Vec<_>) = wanted.unzip();
        match poll(&mut fds, Some(&wait)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        drop(fds);
        moves.into_iter().zip(ready).filter(|(_, ready)| *ready).for_each(|(moves, _)| moves(self));
        Ok(())
    }

    fn read_replies(&mut self) {
        let Some(replies) = &self.replies else { return };
        let mut buffer = [0; 1 << 16];
        match rustix::io::read(replies, &mut buffer) {
            Ok(0) => self.replies = None,
            Ok(count) => self.received.extend(&buffer[..count]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.replies = None,
        }
    }

    /// Reads all that was printed until now.
    fn read_printed(&mut self) {
        let mut buffer = [0; 1 << 16];
        // No more than a pipe holds, so that one who prints for ever is not listened to for ever.
        for _ in 0..16 {
            let Some(printed) = &self.printed else { return };
            match rustix::io::read(printed, &mut buffer) {
                Ok(0) => self.printed = None,
                Ok(count) => self.log.add(&buffer[..count]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.printed = None,
            }
        }
    }

    /// Hears what the supervisor reports.
    fn hear(&mut self) {
        let Some(control) = &self.control else { return };
        let lost = |why: &str| Report::Broken(format!("its supervisor is gone{why}"));
        self.ended = Some(match message::receive(control) {
            Ok(Some((Report::Entered, mut descriptors))) => {
                if let Some(out) = descriptors.pop() {
                    self.written = Written::Own(out);
                }
                return;
            }
            Ok(Some((report, _))) => report,
            Ok(None) => lost(""),
            Err(error) => lost(&format!(": {error}")),
        });
        // Processes that it left behind may hold the pipe open, and are about to be ended.
        self.control = None;
    }

    fn write_input(&mut self) {
        let Some(input) = &self.input else { return };
        match rustix::io::write(input, self.unsent.make_contiguous()) {
            Ok(count) => drop(self.unsent.drain(..count)),
            Err(Errno::AGAIN | Errno::INTR) => {}
            // It does not read any more: how it goes on tells why.
            Err(_) => (self.input, self.unsent) = (None, VecDeque::new()),
        }
    }

    /// Asks it to end, waits a while for that, and ends it with everything that it started. What it prints meanwhile is
    /// in its log.
    pub(crate) fn stop(&mut self) {
        let asked =
            self.control.as_ref().map(|control| message::send(control, &Order::Terminate, &[]));
        if matches!(asked, Some(Ok(()))) {
            self.wait_for_end(self.limits.grace);
        }
        self.end();
    }

    /// Closes its standard input, so that it ends by itself.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// As [`Self::close`]; where it does not end soon, ends it with everything that it started.
    pub(crate) fn finish(&mut self, patience: Duration) {
        self.close();
        self.wait_for_end(patience);
        self.end();
    }

    fn wait_for_end(&mut self, patience: Duration) {
        let until = Instant::now() + patience;
        while self.ended.is_none() && self.control.is_some() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.move_bytes(left).is_err() {
                return;
            }
            self.received.clear();
        }
    }

    /// Ends it with everything that it started, at once.
    pub(crate) fn end(&mut self) {
        self.control = None;
        self.input = None;
        let begun = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match self.child.try_wait() {
                Ok(Some(_)) | Err(_) => break,
                Ok(None) if begun.elapsed() > GONE => {
                    self.kill();
                    break;
                }
                Ok(None) => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
            }
        }
        self.read_printed();
        if let Some(group) = self.group.take() {
            group.remove();
        }
    }

    /// For the case that the supervisor does not do it.
    fn kill(&mut self) {
        log::warn!("a supervisor does not end; its processes are killed one by one");
        tree::kill(self.child.id() as i32, GONE, || {});
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// A path to an open folder. Nothing that the program renames or links changes where it leads.
pub(crate) fn reached(folder: &OwnedFd) -> PathBuf {
    format!("/proc/self/fd/{}", folder.as_raw_fd()).into()
}
