//! Kernels that refuse a piece of containment: it costs that piece alone, and programs run all the same.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use reprise_program::{Bound, Containment};
use rustix::mount::{MountFlags, MountPropagationFlags, mount_change, mount_remount};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use crate::support::{LABELS, Options, contain, containment, in_python, labels};

/// With those that stand on the last, [`Bound::Overlay`] and [`Bound::Proc`].
const NAMESPACES: [Bound; 5] =
    [Bound::User, Bound::Process, Bound::Network, Bound::Ipc, Bound::Root];

const ALL_OF_ROOT: [Bound; 6] =
    [Bound::User, Bound::Process, Bound::Network, Bound::Ipc, Bound::Root, Bound::Number];

const OTHERS: [Bound; 4] = [Bound::Process, Bound::Network, Bound::Ipc, Bound::Root];

/// A kernel, what root lacks there, and what an ordinary user does.
const KERNELS: [(&str, &[Bound], &[Bound]); 18] = [
    ("landlock", &[Bound::Landlock], &[Bound::Landlock]),
    ("seccomp", &[Bound::Filter], &[Bound::Filter]),
    ("keyctl", &[Bound::Keyring], &[Bound::Keyring]),
    ("mount", &[Bound::Root], &[Bound::Root]),
    ("overlay", &[Bound::Overlay], &[Bound::Overlay]),
    ("pivot_root", &[], &[]),
    ("close_range", &[], &[]),
    ("setgroups", &[Bound::Number], &[]),
    ("setresuid", &[Bound::Number], &[]),
    // Without users of its own an ordinary user has no other namespaces.
    ("users", &[Bound::User], &NAMESPACES),
    ("others", &OTHERS, &OTHERS),
    ("unshare", &NAMESPACES, &NAMESPACES),
    // Root without rights is as an ordinary user.
    ("rights", &[Bound::Number], &[]),
    ("rights users", &ALL_OF_ROOT, &NAMESPACES),
    // As in `unshare -Ur`: root where no other number is.
    ("mapped", &[Bound::Number], &[]),
    ("mapped users", &[Bound::Number, Bound::User], &[Bound::User]),
    ("mapped pivot_root", &[Bound::Number], &[]),
    // As on most machines: a user namespace may not open what is closed there.
    ("closed mapped", &[Bound::Number], &[]),
];

/// How the hidden subcommand is started under such a kernel.
pub fn hampered(kernel: &str) -> Vec<OsString> {
    let mut command = contain(Path::new("/"));
    command.splice(1..1, ["hampered".into(), kernel.into()]);
    command
}

pub fn a_piece_that_lacks_costs_only_itself() {
    let is_root = rustix::process::getuid().is_root();
    for (kernel, of_root, of_users) in KERNELS {
        let found = Containment::of_this_machine(&hampered(kernel)).unwrap();
        let lacks = if is_root { of_root } else { of_users };
        let expected = lacks.iter().fold(containment(), |all, &bound| all.without(bound));
        assert_eq!(found.lacking(), expected.lacking(), "{kernel}");
        let script = "for request in requests():\n    answer(request)\n    done(request)";
        let options = Options { containment: found, kernel: Some(kernel), ..Options::default() };
        let bench = in_python(script, options);
        assert_eq!(labels(&bench.ask(1).unwrap()), LABELS, "{kernel}");
        bench.gone();
    }
}

/// What of the bounds a stranger's program may do without.
pub fn weaknesses_are_told_from_comforts() {
    let mut all = NAMESPACES.to_vec();
    all.extend([Bound::Number, Bound::Overlay, Bound::Proc]);
    let all = Containment::of(&all);
    assert_eq!(all.weaknesses(), [Bound::Keyring, Bound::Filter]);
    let comforts = all.without(Bound::Proc).weaknesses();
    assert_eq!(comforts, all.weaknesses());
    assert!(all.without(Bound::Overlay).weaknesses().contains(&Bound::Overlay));
}

/// Makes the kernel of this process refuse these pieces.
pub fn hamper(kernel: &str) {
    for piece in kernel.split(' ') {
        let of_others =
            [libc::CLONE_NEWPID, libc::CLONE_NEWNET, libc::CLONE_NEWIPC, libc::CLONE_NEWNS];
        let (call, rules, error) = match piece {
            "landlock" => (libc::SYS_landlock_create_ruleset, Vec::new(), libc::ENOSYS),
            "seccomp" => (libc::SYS_seccomp, Vec::new(), libc::ENOSYS),
            "keyctl" => (libc::SYS_keyctl, Vec::new(), libc::EPERM),
            "mount" => (libc::SYS_mount, Vec::new(), libc::EPERM),
            "unshare" => (libc::SYS_unshare, Vec::new(), libc::EPERM),
            "close_range" => (libc::SYS_close_range, Vec::new(), libc::ENOSYS),
            "pivot_root" => (libc::SYS_pivot_root, Vec::new(), libc::EINVAL),
            "setgroups" => (libc::SYS_setgroups, Vec::new(), libc::EPERM),
            "setresuid" => (libc::SYS_setresuid, Vec::new(), libc::EPERM),
            "users" => (libc::SYS_unshare, having(&[libc::CLONE_NEWUSER]), libc::ENOSPC),
            "others" => (libc::SYS_unshare, having(&of_others), libc::EPERM),
            // What is neither a bind mount nor a new look at one, and can't be written to.
            "overlay" => (libc::SYS_mount, vec![rule(3, 0x1021, 1)], libc::ENODEV),
            "mapped" | "closed" => {
                // In a namespace of one number it has been here before.
                if !std::fs::read_to_string("/proc/self/uid_map").unwrap().ends_with(" 1\n") {
                    if piece == "mapped" { mapped() } else { closed() }
                }
                continue;
            }
            "rights" => {
                // Without this one root can't give its own number to a namespace, as others can theirs.
                let kept = CapabilitySet::SETFCAP;
                let none = CapabilitySet::empty();
                let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: none };
                // In a namespace of users of its own it has been here before.
                let has = rustix::thread::capabilities(None).unwrap().effective;
                if has.contains(kept) {
                    rustix::thread::set_capabilities(None, sets).unwrap();
                }
                continue;
            }
            other => panic!("{other}"),
        };
        let refuse = SeccompAction::Errno(error as u32);
        let architecture = std::env::consts::ARCH.try_into().unwrap();
        let calls = BTreeMap::from([(call, rules)]);
        let filter = SeccompFilter::new(calls, SeccompAction::Allow, refuse, architecture);
        let filter: BpfProgram = filter.unwrap().try_into().unwrap();
        // A process below one that lacks filters has none to set.
        assert!(apply_filter(&filter).is_ok() || piece == "seccomp");
    }
}

/// That the first argument has one of these bits.
fn having(bits: &[i32]) -> Vec<SeccompRule> {
    bits.iter().map(|&bit| rule(0, bit as u64, bit as u64)).collect()
}

/// That these bits of an argument are those of `value`.
fn rule(argument: u8, bits: u64, value: u64) -> SeccompRule {
    let operator = SeccompCmpOp::MaskedEq(bits);
    let has = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value);
    SeccompRule::new(vec![has.unwrap()]).unwrap()
}

/// Enters a user namespace in which this user is root and nobody else is anybody.
fn mapped() {
    let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
    unshare(UnshareFlags::NEWUSER);
    std::fs::write("/proc/self/setgroups", "deny").unwrap();
    std::fs::write("/proc/self/uid_map", format!("0 {} 1", user.as_raw())).unwrap();
    std::fs::write("/proc/self/gid_map", format!("0 {} 1", group.as_raw())).unwrap();
}

/// Lets nothing of `/dev` be executed and bring rights, where this process may say so.
fn closed() {
    let has = rustix::thread::capabilities(None).unwrap().effective;
    if has.contains(CapabilitySet::SYS_ADMIN) {
        unshare(UnshareFlags::NEWNS);
        let propagation = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
        mount_change("/", propagation).unwrap();
        let flags = MountFlags::BIND | MountFlags::NOSUID | MountFlags::NOEXEC;
        mount_remount("/dev", flags, c"").unwrap();
    }
}

fn unshare(flags: UnshareFlags) {
    // SAFETY: descriptors stay what they are, since `FILES` is not among the flags.
    unsafe { rustix::thread::unshare_unsafe(flags) }.unwrap();
}
