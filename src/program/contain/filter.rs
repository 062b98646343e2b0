//! Which system calls a program may make.

use std::collections::BTreeMap;

use seccompiler::{
    Error, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition,
    SeccompFilter, SeccompRule, apply_filter,
};

use super::{Bound, Containment};

/// Calls by their numbers, each with the arguments at which it is refused; none: always.
type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// New calls, whose numbers are the same on all architectures.
const CACHESTAT: i64 = 451;
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const OPEN_TREE_ATTR: i64 = 467;
const FILE_SETATTR: i64 = 469;

/// What stays, spreads or is read where no folder sees it, and what changes mounts and namespaces.
const REFUSED: [i64; 27] = [
    libc::SYS_syslog,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_fanotify_init,
];

/// Calls without which libraries take another way: the arguments of the first two lie in memory that a filter can't read,
/// and the others tell which pages of a file somebody read.
const ABSENT: [i64; 4] = [libc::SYS_clone3, libc::SYS_openat2, libc::SYS_mincore, CACHESTAT];

/// Through files that others have too: locks, leases, watches, sockets, and which pages are in memory.
const SHARED: [i64; 5] = [
    libc::SYS_flock,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    libc::SYS_connect,
    libc::SYS_preadv2,
];

/// Not named by `libc`.
const F_SET_RW_HINT: i32 = 1036;

/// The same, by a command of `fcntl`; with a number from 0 to 5 that a file keeps.
const LOCKS: [i32; 9] = [
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_SETLEASE,
    libc::F_NOTIFY,
    F_SET_RW_HINT,
];

/// What changes attributes of files that may be read.
const ATTRIBUTES: [i64; 15] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

/// Of the calls above what has an older form on x86-64.
#[cfg(target_arch = "x86_64")]
const OLDER: [&[i64]; 2] = [
    &[libc::SYS_inotify_init],
    &[
        libc::SYS_chmod,
        libc::SYS_chown,
        libc::SYS_lchown,
        libc::SYS_utime,
        libc::SYS_utimes,
        libc::SYS_futimesat,
    ],
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: [&[i64]; 2] = [&[], &[]];

/// The other numbers of the same calls on x86-64: those of its form with short pointers.
#[cfg(target_arch = "x86_64")]
const SHORT_POINTERS: i64 = 0x4000_0000;

/// Refuses the calls for good, for this process and all that it starts, and ends what is of another architecture.
///
/// # Errors
/// What the kernel lacks, or what it said.
pub(super) fn restrict(containment: Containment) -> Result<(), Error> {
    install(always(&ABSENT), libc::ENOSYS)?;
    install(refused(containment)?, libc::EPERM)
}

fn refused(containment: Containment) -> Result<Calls, Error> {
    let mut calls = always(&REFUSED);
    let new_users = masked(0, libc::CLONE_NEWUSER as u32, libc::CLONE_NEWUSER as u32)?;
    calls.insert(libc::SYS_clone, vec![rule(vec![new_users])?]);
    // What others ask for is counted for the whole machine, whatever network namespace they are in: routes, for instance.
    let mut sockets = vec![rule(vec![condition(0, Op::Ne, libc::AF_UNIX as u32)?])?];
    let devices = |argument| {
        [libc::S_IFCHR, libc::S_IFBLK]
            .into_iter()
            .map(|kind| rule(vec![masked(argument, libc::S_IFMT, kind)?]))
            .collect::<Result<Vec<_>, Error>>()
    };
    calls.insert(libc::SYS_mknodat, devices(2)?);
    #[cfg(target_arch = "x86_64")]
    calls.insert(libc::SYS_mknod, devices(1)?);
    if !containment.has(Bound::Overlay) {
        calls.extend(always(&SHARED));
        calls.extend(always(OLDER[0]));
        let locks = LOCKS.iter().map(|&lock| rule(vec![condition(1, Op::Eq, lock as u32)?]));
        calls.insert(libc::SYS_fcntl, locks.collect::<Result<_, _>>()?);
        // They send to a path without a connection; the kernel makes the second kind the first.
        for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
            let local = condition(0, Op::Eq, libc::AF_UNIX as u32)?;
            sockets.push(rule(vec![local, masked(1, 0xf, kind as u32)?])?);
        }
        calls.insert(libc::SYS_socketpair, sockets[1..].to_vec());
    }
    calls.insert(libc::SYS_socket, sockets);
    if !containment.has(Bound::Root) {
        calls.extend(always(&ATTRIBUTES));
        calls.extend(always(OLDER[1]));
    }
    Ok(calls)
}

fn always(calls: &[i64]) -> Calls {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, Error> {
    Ok(SeccompRule::new(conditions)?)
}

fn condition(argument: u8, operator: Op, value: u32) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, Len::Dword, operator, value.into())?)
}

/// That these bits of an argument are those of `value`.
fn masked(argument: u8, bits: u32, value: u32) -> Result<SeccompCondition, Error> {
    condition(argument, Op::MaskedEq(bits.into()), value)
}

fn install(calls: Calls, error: i32) -> Result<(), Error> {
    #[cfg(target_arch = "x86_64")]
    let calls = {
        let both =
            |(call, rules): (i64, Vec<_>)| [(call, rules.clone()), (call | SHORT_POINTERS, rules)];
        calls.into_iter().flat_map(both).collect::<Calls>()
    };
    let refuse = SeccompAction::Errno(error as u32);
    let architecture = std::env::consts::ARCH.try_into()?;
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, refuse, architecture)?;
    let filter: seccompiler::BpfProgram = filter.try_into()?;
    apply_filter(&filter)
}
