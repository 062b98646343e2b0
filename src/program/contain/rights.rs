//! What a program may do as a user of the system: nothing.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Gid, Resource, Rlimit, Uid, getgid, getuid, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

use crate::limits::{DESCRIPTORS, PROCESSES};

/// The first of the numbers that programs of root have: from here on no system gives numbers to users.
const FIRST_USER: u32 = 0x7000_0000;

/// Who a user is that no number is given to.
const NOBODY: u32 = 65534;

/// So many of the first numbers of processes the kernel does not give a second time.
const GIVEN_ONCE: u64 = 300;

/// Goes into namespaces of its own. The process must have no threads.
pub(super) fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: descriptors stay what they are, since `FILES` is not among the flags.
    unsafe { rustix::thread::unshare_unsafe(flags) }
}

/// Lets no program that this process executes inherit a descriptor but those of input and output. May be called between
/// `fork` and `exec`.
pub(crate) fn inherit_nothing() {
    const FIRST: u32 = 3;
    const MOST: u64 = 1 << 20;
    let (call, flag) = (libc::SYS_close_range, libc::CLOSE_RANGE_CLOEXEC);
    // SAFETY: the call takes three numbers, and closes nothing now.
    let marked = unsafe { libc::syscall(call, FIRST, u32::MAX, flag) };
    if marked != 0 {
        // A kernel before Linux 5.11: one by one, and those that are not open say so.
        let most = rustix::process::getrlimit(Resource::Nofile).current.unwrap_or(MOST).min(MOST);
        for number in FIRST as libc::c_int..most as libc::c_int {
            // SAFETY: as above.
            unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

/// Whether this process may mount and make namespaces.
pub(super) fn is_privileged() -> bool {
    rustix::thread::capabilities(None)
        .is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN))
}

/// Joins a session keyring that nobody else has.
pub(super) fn own_keyring() -> Result<(), Errno> {
    const JOIN: libc::c_ulong = 1;
    // SAFETY: the call takes a number and a pointer, which may be null: a keyring without a name.
    let joined = unsafe { libc::syscall(libc::SYS_keyctl, JOIN, std::ptr::null::<libc::c_char>()) };
    if joined >= 0 { Ok(()) } else { Err(errno(std::io::Error::last_os_error())) }
}

/// Takes the number of a user that nobody is, at random, so that nobody learns from it how many programs there were; that
/// of nobody where the system has no such number. Not where there is no other number, and root is an ordinary user outside
/// its namespace.
pub(super) fn become_another(proc: &OwnedFd) -> Result<bool, Errno> {
    let number = FIRST_USER + (RandomState::new().build_hasher().finish() as u32 >> 4);
    let take = |number: u32| {
        let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
        set_thread_groups(&[])?;
        set_thread_res_gid(group, group, group)?;
        set_thread_res_uid(user, user, user)
    };
    match take(number).or_else(|_| take(NOBODY)) {
        Err(error) if is_root_outside(proc) => Err(error),
        taken => Ok(taken.is_ok()),
    }
}

/// Whether this user is root, and root outside its user namespace too as far as this can be seen.
pub(super) fn is_root_outside(proc: &OwnedFd) -> bool {
    let mut map = String::new();
    let file = rustix::fs::openat(proc, "self/uid_map", OFlags::CLOEXEC, Mode::empty());
    // Where nobody says, it may be.
    let read = file.is_ok_and(|file| std::fs::File::from(file).read_to_string(&mut map).is_ok());
    let numbers: Vec<_> = map.split_whitespace().collect();
    getuid().is_root() && (!read || numbers.chunks(3).any(|range| range.starts_with(&["0", "0"])))
}

/// Enters a user namespace in which this user has its own number; root has that of nobody.
pub(super) fn own_users(proc: &OwnedFd) -> Result<(), Errno> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(UnshareFlags::NEWUSER)?;
    // Else the files of this process in `/proc` are root's.
    rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable)?;
    let number = |id: u32| if id == 0 { NOBODY } else { id };
    write(proc, "self/setgroups", "deny")?;
    write(proc, "self/uid_map", &format!("{} {user} 1", number(user)))?;
    write(proc, "self/gid_map", &format!("{} {group} 1", number(group)))
}

/// Forbids user namespaces below that of this process.
pub(super) fn no_users_below(proc: &OwnedFd) -> Result<(), Errno> {
    write(proc, "sys/user/max_user_namespaces", "0")
}

/// Bounds the numbers of processes in this process's namespace, whose `/proc` is there, where the kernel has a bound for
/// each namespace; in an older one the file is that of the whole machine.
pub(super) fn own_numbers() {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    if (numbers.next(), numbers.next()) >= (Some(6), Some(14)) {
        // A machine of very many processors takes no bound so low. RLIMIT_NPROC holds all the same.
        let _ = std::fs::write("/proc/sys/kernel/pid_max", (PROCESSES + GIVEN_ONCE).to_string());
    }
}

fn write(proc: impl AsFd, file: &str, text: &str) -> Result<(), Errno> {
    let file = rustix::fs::openat(proc, file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    std::fs::File::from(file).write_all(text.as_bytes()).map_err(errno)
}

fn errno(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

/// Gives up all rights over the system for good, and lets nothing that is executed bring any.
pub(super) fn give_up() -> Result<(), Errno> {
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets)?;
    rustix::thread::set_no_new_privs(true)?;
    // The program may not look into this process.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
}

/// Bounds what a process may take of the system. Processes are counted where `alone` says that this user's are the
/// program's alone.
pub(super) fn limit(longest_file: u64, alone: bool) -> Result<(), Errno> {
    let processes = alone.then_some((Resource::Nproc, PROCESSES));
    let all = [
        (Resource::Core, 0),
        (Resource::Fsize, longest_file),
        (Resource::Nofile, DESCRIPTORS),
        // The kernel counts locked pages for good, and tells everybody.
        (Resource::Memlock, 0),
    ];
    for (resource, most) in all.into_iter().chain(processes) {
        // No more than was allowed before.
        let before = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let most = Some(most.min(before));
        setrlimit(resource, Rlimit { current: most, maximum: most })?;
    }
    Ok(())
}
