//! Processes that die, that multiply, and that outlive nothing.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitCode, Stdio};

use reprise_program::Ending;

use crate::support::{
    LABELS, Options, containment, in_python, in_shell, labels, naming, processes, wait_until,
};

pub fn signals() {
    let bench =
        in_shell("echo '{\"ready\": 1}' >&3; read request; kill -SEGV $$", Options::default());
    let failure = bench.ask(1).unwrap_err();
    assert_eq!(failure.ending, Ending::Signal(11));
    assert_eq!(failure.message, "`bad`: signal 11 ended it in the middle of a trial");
    bench.gone();
}

const DAEMON: &str = r#"
for request in requests():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    answer(request)
    done(request)
    if request["parameters"]["number"] == 2: os._exit(0)
"#;

pub fn forks_a_daemon() {
    let bench = in_python(DAEMON, Options::default());
    assert_eq!(labels(&bench.ask(1).unwrap()), LABELS);
    wait_until("the daemon", || naming(bench.folder.path()).len() >= 4);
    bench.gone();
    // The program ends, and its daemon holds the pipe for replies.
    let bench = in_python(DAEMON, Options::default());
    assert_eq!(labels(&bench.ask(2).unwrap()), LABELS);
    wait_until("the daemon's end", || naming(bench.folder.path()).is_empty());
    assert_eq!(labels(&bench.ask(1).unwrap()), LABELS);
    bench.gone();
}

pub fn dies_half_way() {
    let script = r#"
for request in requests():
    answer(request)
    if request["parameters"]["number"] == 2: sys.exit("out of luck")
    if request["parameters"]["number"] == 3: sys.exit(0)
    done(request)
"#;
    let bench = in_python(script, Options::default());
    assert!(bench.ask(1).is_ok());
    let failure = bench.ask(2).unwrap_err();
    assert_eq!(failure.ending, Ending::Exit(1));
    let message =
        "`bad`: it ended in the middle of a trial, with exit code 1; it printed last: out of luck";
    assert_eq!(failure.message, message);
    // A dead worker fails only its trial.
    assert!(bench.ask(4).is_ok());
    let failure = bench.ask(3).unwrap_err();
    assert_eq!(failure.ending, Ending::NoAnswer);
    assert!(
        failure.message.contains("must read requests until its standard input ends"),
        "{failure}"
    );
    assert!(bench.ask(5).is_ok());
    bench.gone();
}

pub fn dies_while_idle() {
    let script =
        "for request in requests():\n    answer(request)\n    done(request)\n    sys.exit(5)";
    let bench = in_python(script, Options::default());
    for number in 1..=4 {
        assert!(bench.ask(number).is_ok(), "nobody asked it when it died");
        wait_until("its end", || naming(bench.folder.path()).is_empty());
    }
    bench.gone();
}

pub fn workers_of_an_ended_hand_over() {
    let bench = in_python(
        "for request in requests():\n    answer(request)\n    done(request)",
        Options::default(),
    );
    assert!(bench.ask(1).is_ok());
    assert!(!naming(bench.folder.path()).is_empty());
    bench.workers.end_of(&bench.hand_over);
    assert_eq!(processes(bench.folder.path()), Vec::<String>::new());
    assert!(bench.ask(2).is_ok());
    bench.gone();
}

/// Else one who leaves many behind would run out of processes.
pub fn orphans_that_end_are_gone() {
    let script = r#"
for request in requests():
    read, write = os.pipe()
    if os.fork() == 0:
        orphan = os.fork()
        if orphan: os.write(write, str(orphan).encode())
        os._exit(0)
    os.wait()
    orphan = "/proc/" + os.read(read, 20).decode()
    until = time.monotonic() + 20
    while os.path.exists(orphan) and time.monotonic() < until: time.sleep(0.05)
    say({"trial": request["trial"], "error": str(os.path.exists(orphan))})
"#;
    for containment in [containment(), reprise_program::Containment::NONE] {
        let options = Options { containment, ..Options::default() };
        assert_eq!(in_python(script, options).fails().1, "`bad`: it says: False");
    }
}

/// Without a process namespace a program can end its supervisor.
pub fn kills_its_supervisor() {
    let script = r#"
import signal, subprocess
for request in requests():
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    os.kill(os.getppid(), [signal.SIGKILL, signal.SIGSTOP][request["parameters"]["number"]])
    time.sleep(600)
"#;
    let containment = reprise_program::Containment::NONE;
    let bench = in_python(script, Options { containment, ..Options::default() });
    let killed = bench.ask(0).unwrap_err();
    assert_eq!(killed.ending, Ending::Start, "{killed}");
    let stopped = bench.ask_within(1, std::time::Duration::from_millis(200)).unwrap_err();
    assert_eq!(stopped.ending, Ending::Timeout, "{stopped}");
    bench.gone();
}

/// Its own process is killed in the middle of a trial, with and without all bounds.
pub fn kill_nine() {
    for bounds in ["all", "none"] {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["victim", bounds])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
        let folder = std::path::PathBuf::from(lines.next().unwrap().unwrap());
        wait_until("the trial", || {
            folder.join("experiment/../workers").exists() && naming(&folder).len() >= 4
        });
        victim.kill().unwrap();
        victim.wait().unwrap();
        assert_eq!(processes(&folder), Vec::<String>::new(), "orphans, with {bounds} bounds");
        // What it left is removed by the next run in the same place.
        let left = || std::fs::read_dir(folder.join("workers")).unwrap().count();
        assert_eq!(left(), 2);
        let settings = reprise_program::Settings {
            contain: Vec::new(),
            folder: folder.join("workers"),
            containment: reprise_program::Containment::NONE,
            limits: Default::default(),
            interrupt: &crate::support::GO,
        };
        drop(reprise_program::Workers::new(settings).unwrap());
        assert_eq!(left(), 1);
        let examples = folder.join("examples");
        let mine = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(examples, mine).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
    }
}

/// The process that is killed: it asks a program that starts others and never answers.
pub fn victim(arguments: &[OsString]) -> ExitCode {
    let script = r#"
import subprocess
for request in requests():
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(600)
        os._exit(0)
    time.sleep(600)
"#;
    let mut options = Options::default();
    if arguments.first().is_some_and(|word| word == "none") {
        options.containment = reprise_program::Containment::NONE;
    }
    let bench = in_python(script, options);
    println!("{}", bench.folder.path().display());
    let _ = bench.ask_within(1, std::time::Duration::from_secs(60));
    ExitCode::SUCCESS
}
