//! What reprise and the supervisor say to each other, over a socket that keeps messages apart.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Bound, Containment};

/// The most bytes of a message: what the system takes at once where nothing else is set.
const LONGEST: usize = 200 << 10;

/// The most file descriptors that go with a message.
const DESCRIPTORS: usize = 2;

/// What to run, and within which bounds. With it go the descriptors for replies and for standard input.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Spec {
    /// How the hidden subcommand is started.
    pub(crate) contain: Vec<String>,
    /// The program and its arguments; none: only set the bounds up, and say whether that went well.
    pub(crate) command: Vec<String>,
    /// The working folder.
    pub(crate) folder: PathBuf,
    /// All environment variables but the number of the descriptor for replies.
    pub(crate) variables: Vec<(String, String)>,
    /// The most bytes that it may write into one file.
    pub(crate) longest_file: u64,
    /// The most bytes of all that it writes, where it has a root of its own.
    pub(crate) scratch: u64,
    /// Which files are for the program.
    pub(crate) access: Access,
    /// The bounds to set up. Each is demanded.
    pub(crate) containment: Containment,
}

/// Files and folders, with all below them. What does not exist is passed over.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Access {
    /// May be read and executed.
    pub(crate) readable: Vec<PathBuf>,
    /// Of these folders the names may be listed.
    pub(crate) listed: Vec<PathBuf>,
    /// May be written too.
    pub(crate) writable: Vec<PathBuf>,
    /// Devices that may be used.
    pub(crate) devices: Vec<PathBuf>,
}

/// What reprise asks of a supervisor later. A closed socket asks to end everything.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Ask the program to end: SIGTERM.
    Terminate,
}

/// What becomes of a program.
#[derive(Debug, Clone, Serialize, Deserialize, thiserror::Error)]
pub(crate) enum Report {
    /// The bounds are set up; there is no program to run.
    #[error("its bounds are set up")]
    Contained,
    /// The root of its own is entered. With it goes the folder of its answers.
    #[error("its bounds are set up")]
    Entered,
    /// A bound can't be set up.
    #[error("the {} can't be set up: {error}", bound.word())]
    Lacks {
        /// Which.
        bound: Bound,
        /// What the system says.
        error: String,
    },
    /// The program can't be executed.
    #[error("it can't be executed: {0}")]
    NotStarted(String),
    /// The program ended with this exit code.
    #[error("it ended with exit code {0}")]
    Exit(i32),
    /// This signal ended the program.
    #[error("signal {0} ended it")]
    Signal(i32),
    /// Something else went wrong on the way.
    #[error("{0}")]
    Broken(String),
}

/// Both ends of a new socket.
pub(crate) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let (kind, flags) = (SocketType::SEQPACKET, SocketFlags::CLOEXEC);
    Ok(rustix::net::socketpair(AddressFamily::UNIX, kind, flags, None)?)
}

/// Words as UTF-8, which messages need.
pub(crate) fn texts(words: &[OsString]) -> io::Result<Vec<String>> {
    let text = |word: &OsString| word.clone().into_string();
    words
        .iter()
        .map(text)
        .collect::<Result<_, _>>()
        .map_err(|word| io::Error::other(format!("{} is no UTF-8 text", word.display())))
}

/// Sends a message, with descriptors.
///
/// # Errors
/// If the other end is closed, or the message is longer than 200 KiB.
pub(crate) fn send(
    socket: impl AsFd,
    message: &impl Serialize,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    if text.len() > LONGEST {
        return Err(io::Error::other(format!(
            "its files have {} bytes of names, more than {LONGEST}; name folders in `readable`, or fewer files in `code`",
            text.len()
        )));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    rustix::net::sendmsg(socket, &[IoSlice::new(&text)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Waits for a message; none if the other end is closed. Its descriptors are inherited by no program.
///
/// # Errors
/// If it is none of ours.
pub(crate) fn receive<T: DeserializeOwned>(
    socket: impl AsFd,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut text = vec![0; LONGEST];
    let received = {
        let mut slices = [IoSliceMut::new(&mut text)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        match rustix::net::recvmsg(&socket, &mut slices, &mut ancillary, flags) {
            // The other end closed before it read all; the last that it said comes behind that.
            Err(Errno::CONNRESET) => {
                rustix::net::recvmsg(&socket, &mut slices, &mut ancillary, flags)?
            }
            received => received?,
        }
    };
    if received.bytes == 0 {
        return Ok(None);
    }
    let rights = |message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    };
    let descriptors = ancillary.drain().filter_map(rights).flatten().collect();
    Ok(Some((serde_json::from_slice(&text[..received.bytes])?, descriptors)))
}

/// As [`receive`], and leaves the message and its descriptors where they are.
///
/// # Errors
/// As [`receive`].
pub(crate) fn peek<T: DeserializeOwned>(socket: impl AsFd) -> io::Result<Option<T>> {
    let mut text = vec![0; LONGEST];
    let (bytes, _) = rustix::net::recv(socket, &mut text[..], RecvFlags::PEEK)?;
    if bytes == 0 {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&text[..bytes])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_stay_apart_and_bring_descriptors() {
        let (ours, theirs) = pair().unwrap();
        send(&ours, &Order::Terminate, &[]).unwrap();
        send(&ours, &Report::Exit(3), &[ours.as_fd(), theirs.as_fd()]).unwrap();
        assert!(peek::<Order>(&theirs).unwrap().is_some());
        assert!(receive::<Order>(&theirs).unwrap().unwrap().1.is_empty());
        let (report, descriptors) = receive::<Report>(&theirs).unwrap().unwrap();
        assert!(matches!(report, Report::Exit(3)) && descriptors.len() == 2);
        drop((ours, descriptors));
        assert!(receive::<Report>(&theirs).unwrap().is_none());
    }

    #[test]
    fn the_last_word_is_heard_also_of_one_who_did_not_listen() {
        let (ours, theirs) = pair().unwrap();
        send(&ours, &Order::Terminate, &[]).unwrap();
        send(&theirs, &Report::Signal(9), &[]).unwrap();
        drop(theirs);
        let (report, _) = receive::<Report>(&ours).unwrap().unwrap();
        assert!(matches!(report, Report::Signal(9)));
    }

    #[test]
    fn what_is_too_long_says_what_to_do() {
        let (ours, _theirs) = pair().unwrap();
        let error = send(&ours, &"x".repeat(LONGEST), &[]).unwrap_err().to_string();
        assert!(error.contains("fewer files in `code`"), "{error}");
    }
}
