//! What a program cannot reach.

use reprise_program::{Bound, Containment};

use crate::support::{LABELS, Options, containment, in_python, labels};

pub fn the_machine_can_do_something() {
    let found = containment();
    println!("in force here: {found:?}");
    let lacking: Vec<Bound> = all_bounds().filter(|&bound| !found.has(bound)).collect();
    assert_eq!(found.lacking(), lacking);
    assert!(Containment::NONE.lacking().into_iter().eq(all_bounds()));
    assert_eq!(
        Containment::of(&[Bound::Root, Bound::Proc]).without(Bound::Root),
        Containment::NONE
    );
}

/// Else a fault of ours would pass for a machine that can't, and the tests that need it for skipped.
pub fn what_others_can_do_here_is_in_force() {
    let users: &[&str] = if is_root() { &[] } else { &["--user", "--map-root-user"] };
    let pieces: [(&str, Bound); 5] = [
        ("--user", Bound::User),
        ("--fork --pid --mount-proc", Bound::Proc),
        ("--net", Bound::Network),
        ("--ipc", Bound::Ipc),
        ("--mount", Bound::Root),
    ];
    for (words, bound) in pieces {
        let mut unshare = std::process::Command::new("unshare");
        unshare.args(users).args(words.split(' ')).arg("true");
        let can = unshare.output().is_ok_and(|output| output.status.success());
        assert!(!can || containment().has(bound), "{bound:?}");
    }
}

/// What a program says of things that it tries: the word `no` for each that fails.
pub fn tried(lines: &str, options: Options) -> String {
    let script = format!(
        "import socket\ndef attempt(f):\n    try:\n        f()\n        return 'yes'\n    except Exception as error:\n        return 'no'\n\
         for request in requests():\n    found = [{lines}]\n    say({{'trial': request['trial'], 'error': ' '.join(found)}})"
    );
    let bench = in_python(&script, options);
    let failure = bench.ask(1).unwrap_err();
    bench.gone();
    failure.message.trim_start_matches("`bad`: it says: ").to_owned()
}

fn tried_in(lines: &str, containment: Containment) -> String {
    tried(lines, Options { containment, ..Options::default() })
}

/// Whether a bound is in force here; if not, the test has nothing to show.
pub fn has(bound: Bound) -> bool {
    if !containment().has(bound) {
        println!("skipped: this machine has no {}", bound.word());
    }
    containment().has(bound)
}

pub fn opens_a_socket() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("attempt(lambda: socket.create_connection(('127.0.0.1', {port}), 2))");
    let send = "attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9)))";
    let both = format!("{connect}, {send}");
    if has(Bound::Filter) {
        // The kernel counts for the whole machine what such sockets try.
        let made = "attempt(lambda: socket.socket(socket.AF_INET)), attempt(lambda: socket.socket(socket.AF_INET6)), \
                    attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)), attempt(lambda: socket.socketpair())";
        assert_eq!(tried_in(made, containment()), "no no no yes");
    }
    if has(Bound::Network) {
        assert_eq!(tried_in(&both, containment()), "no no");
        assert_eq!(tried_in(&both, containment().without(Bound::Landlock)), "no no");
    }
    // Landlock knows of connections from Linux 6.7 on.
    if has(Bound::Landlock) && kernel() >= (6, 7) {
        assert_eq!(tried_in(&connect, containment().without(Bound::Network)), "no");
    }
    assert_eq!(tried_in(&both, Containment::NONE), "yes yes");
}

pub fn reads_files_outside() {
    if !has(Bound::Landlock) {
        return;
    }
    // What counts for all to see what anybody does.
    let counters = "attempt(lambda: os.listdir('/sys/kernel/mm/transparent_hugepage/hugepages-2048kB')), \
                    attempt(lambda: os.listdir('/sys/devices/system/cpu/cpuidle')), \
                    attempt(lambda: os.listdir('/sys/devices/system/cpu/cpu0/power')), \
                    attempt(lambda: open('/sys/devices/system/cpu/online').read())";
    assert_eq!(tried_in(counters, containment()), "no no no yes");
    let secret = tempfile::NamedTempFile::new().unwrap();
    let path = secret.path().display();
    let lines = format!(
        "attempt(lambda: open('{path}')), attempt(lambda: open('secret.txt')), attempt(lambda: os.listdir('{}')), \
         attempt(lambda: open('/etc/shadow')), attempt(lambda: open('/proc/1/environ').read()), \
         attempt(lambda: open('method.py')), attempt(lambda: os.listdir('.')), attempt(lambda: open('/usr/bin/env', 'rb'))",
        secret.path().parent().unwrap().display()
    );
    // The folder for temporary files is one of its own.
    let own = if has(Bound::Root) { "yes" } else { "no" };
    assert_eq!(tried_in(&lines, containment()), format!("no no {own} no no yes yes yes"));
    let alone = Containment::of(&[Bound::Landlock]);
    assert!(tried_in(&lines, alone).starts_with("no no no no no yes yes yes"));
}

pub fn writes_outside() {
    if !has(Bound::Landlock) {
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    let lines = format!(
        "attempt(lambda: open('{}/x', 'w')), attempt(lambda: open('method.py', 'a')), attempt(lambda: open('new', 'w')), \
         attempt(lambda: os.mkdir(request['data'] + '/x')), attempt(lambda: open(os.environ['HOME'] + '/x', 'w')), \
         attempt(lambda: open('/dev/null', 'w'))",
        outside.path().display()
    );
    // In a root of its own the folder that it starts in may lie below its own `/tmp`.
    let found = tried_in(&lines, containment());
    assert!(["no no no no yes yes", "no no yes no yes yes"].contains(&&*found), "{found}");
    assert_eq!(tried_in(&lines, containment().without(Bound::Root)), "no no no no yes yes");
}

pub fn sees_no_other_process() {
    if !has(Bound::Proc) {
        return;
    }
    let lines = format!(
        "str([p for p in os.listdir('/proc') if p.isdigit()] == ['1', str(os.getpid())]), \
         attempt(lambda: os.kill({}, 0)), attempt(lambda: os.kill(1, 9)), str(os.getuid() != 0), \
         open('/proc/self/status').read().split('CapEff:')[1].split()[0]",
        std::process::id()
    );
    let found = tried_in(&lines, containment());
    assert_eq!(found, "True no yes True 0000000000000000");
    let top = tried_in("str(sorted(os.listdir('/')))", containment().without(Bound::Landlock));
    assert!(!top.contains("run"), "{top}");
}

/// Where nothing else holds, rights of files do; a program of the same user can give them to itself, so this shows only
/// that no accident changes the examples.
pub fn changes_its_examples() {
    let lines = "attempt(lambda: open(request['data'] + '/test.x.csv', 'w')), attempt(lambda: os.remove(request['data'] + '/test.x.csv'))";
    if has(Bound::Landlock) {
        assert_eq!(tried_in(lines, containment()), "no no");
    }
}

pub fn the_environment_is_fixed() {
    let script = r#"
for request in requests():
    say({"trial": request["trial"], "error": " ".join(sorted(os.environ)) + " " + os.environ["TZ"] + os.environ["REPRISE_REPLY_FD"]})
"#;
    let bench = in_python(script, Options::default());
    let message = bench.ask(1).unwrap_err().message;
    let cores = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let has = |flag: &str| cores.split_whitespace().any(|word| word == flag);
    for name in ["MKL_CBWR ", "OPENBLAS_CORETYPE "] {
        assert_eq!(message.contains(name), has("avx2") && has("fma"), "{message}");
    }
    let message = message.replace("MKL_CBWR ", "").replace("OPENBLAS_CORETYPE ", "");
    let expected = "BLIS_NUM_THREADS HOME JULIA_NUM_THREADS LANG LC_ALL MKL_NUM_THREADS NUMEXPR_NUM_THREADS OMP_NUM_THREADS OPENBLAS_NUM_THREADS PATH PYTHONDONTWRITEBYTECODE PYTHONHASHSEED RAYON_NUM_THREADS \
                    REPRISE_PROTOCOL REPRISE_REPLY_FD TMPDIR TZ VECLIB_MAXIMUM_THREADS UTC3";
    assert_eq!(message, format!("`bad`: it says: {expected}"));
    bench.gone();
}

/// Where a kernel lacks a bound, programs still run, and leave nothing behind.
pub fn bounds_that_lack() {
    let script = r#"
import subprocess
for request in requests():
    subprocess.Popen(["sleep", "60"], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(60)
        os._exit(0)
    answer(request)
    done(request)
"#;
    let all = containment();
    let mut lacking: Vec<Containment> = Vec::new();
    for bound in all_bounds() {
        // Only root has namespaces without users of its own.
        let lacks = if bound == Bound::User && !is_root() {
            Containment::of(&[Bound::Keyring, Bound::Filter, Bound::Landlock])
        } else {
            all.without(bound)
        };
        lacking.push(lacks);
    }
    lacking.extend([Containment::NONE, all]);
    for containment in lacking {
        let bench = in_python(script, Options { containment, ..Options::default() });
        assert_eq!(labels(&bench.ask(1).unwrap()), LABELS, "{containment:?}");
        bench.gone();
    }
}

/// A bound that is asked for and lacks is an error, and not forgotten.
pub fn a_bound_that_fails_is_named() {
    if is_root() || !has(Bound::Network) {
        return;
    }
    let containment = Containment::of(&[Bound::Network]);
    let (outcome, message) = in_python("", Options { containment, ..Options::default() }).fails();
    assert_eq!(outcome, "start");
    assert!(
        message.contains("the network namespace can't be set up: Operation not permitted"),
        "{message}"
    );
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0
}

fn all_bounds() -> impl Iterator<Item = Bound> {
    <Bound as base::words::Worded>::WORDS.iter().map(|(_, bound)| bound)
}

/// The version of the kernel.
pub fn kernel() -> (u32, u32) {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = text.split('.').map_while(|part| part.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
