//! Kernels that refuse a piece of containment: it costs that piece alone, and programs run all the same.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use reprise_program::{Bound, Containment};
use rustix::thread::{CapabilitySet, CapabilitySets};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use crate::support::{LABELS, Options, contain, containment, in_python, labels};

const NAMESPACES: [Bound; 7] = [
    Bound::User,
    Bound::Process,
    Bound::Network,
    Bound::Ipc,
    Bound::Root,
    Bound::Overlay,
    Bound::Proc,
];

/// A kernel, and what it lacks.
const KERNELS: [(&str, &[Bound]); 8] = [
    ("landlock", &[Bound::Landlock]),
    ("seccomp", &[Bound::Filter]),
    ("keyctl", &[Bound::Keyring]),
    ("mount", &[Bound::Root, Bound::Overlay, Bound::Proc]),
    ("users", &[Bound::User]),
    ("unshare", &NAMESPACES),
    // As an ordinary user.
    ("rights", &[]),
    ("rights users", &NAMESPACES),
];

/// How the hidden subcommand is started under such a kernel.
fn hampered(kernel: &str) -> Vec<OsString> {
    let mut command = contain(Path::new("/"));
    command.splice(1..1, ["hampered".into(), kernel.into()]);
    command
}

pub fn a_piece_that_lacks_costs_only_itself() {
    let is_root = rustix::process::getuid().is_root();
    for (kernel, lacks) in KERNELS {
        let found = Containment::of_this_machine(&hampered(kernel)).unwrap();
        // Without users of its own an ordinary user has no other namespaces.
        let lacks = if kernel == "users" && !is_root { &NAMESPACES[..] } else { lacks };
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
    let all = Containment::of(&NAMESPACES);
    assert_eq!(all.weaknesses(), [Bound::Keyring, Bound::Filter]);
    let comforts = all.without(Bound::Proc).weaknesses();
    assert_eq!(comforts, all.weaknesses());
    assert!(all.without(Bound::Overlay).weaknesses().contains(&Bound::Overlay));
}

/// Makes the kernel of this process refuse these pieces.
pub fn hamper(kernel: &str) {
    for piece in kernel.split(' ') {
        let new_users = || {
            let bit = libc::CLONE_NEWUSER as u64;
            let operator = SeccompCmpOp::MaskedEq(bit);
            let has = SeccompCondition::new(0, SeccompCmpArgLen::Dword, operator, bit).unwrap();
            SeccompRule::new(vec![has]).unwrap()
        };
        let (call, rules, error) = match piece {
            "landlock" => (libc::SYS_landlock_create_ruleset, Vec::new(), libc::ENOSYS),
            "seccomp" => (libc::SYS_seccomp, Vec::new(), libc::ENOSYS),
            "keyctl" => (libc::SYS_keyctl, Vec::new(), libc::EPERM),
            "mount" => (libc::SYS_mount, Vec::new(), libc::EPERM),
            "unshare" => (libc::SYS_unshare, Vec::new(), libc::EPERM),
            "users" => (libc::SYS_unshare, vec![new_users()], libc::ENOSPC),
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
