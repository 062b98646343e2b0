//! Whatever happens around a run, it never seals less than it computed, and touches nothing that is
//! not its own.

use std::ffi::CString;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::audit::Ask;
use crate::support::experiment::Bench;
use crate::support::registry::{self, ROWS, mine, rows_at};
use crate::support::results::{journaled_paths, outputs};
use crate::support::server::{Server, ok};
use crate::support::spec;
use crate::support::terminal::{assert_says, text};

/// Paths that take a few hundredths of a second each.
fn spec() -> String {
    let method = "[[method]]\nid = \"NB\"\nkind = \"latent-nb\"\nrestarts = 2\ncomponents = 3";
    spec::density("outside", "repeats = 12", method)
}

/// A run that stands still after its first path, with more to come.
struct Halted {
    child: Child,
}

impl Halted {
    fn start(bench: &Bench, name: &str) -> Self {
        let mut command = bench.command(name, &["--jobs", "1"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let dir = bench.results(name);
        while journaled_paths(&dir).is_empty() {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::sleep(Duration::from_millis(1));
        }
        let halted = Self { child };
        halted.signal(libc::SIGSTOP);
        assert!(!dir.join("manifest.toml").exists() && journaled_paths(&dir).len() < 12);
        halted
    }

    fn signal(&self, signal: libc::c_int) {
        // SAFETY: a signal to a child of this process.
        assert_eq!(unsafe { libc::kill(self.child.id() as i32, signal) }, 0);
    }

    fn end(self) -> Output {
        self.signal(libc::SIGCONT);
        self.child.wait_with_output().unwrap()
    }
}

#[test]
fn what_a_journal_loses_while_a_run_is_at_work_runs_again() {
    let bench = Bench::new(&spec());
    let undisturbed = outputs(&bench.run("undisturbed"));
    let flip = |journal: &Path| {
        let mut bytes = std::fs::read(journal).unwrap();
        bytes[40] ^= 1;
        std::fs::write(journal, bytes).unwrap();
    };
    let empty = |journal: &Path| std::fs::write(journal, "").unwrap();
    let remove = |journal: &Path| std::fs::remove_file(journal).unwrap();
    let damages: [fn(&Path); 3] = [flip, empty, remove];
    for (name, damage) in ["flipped", "emptied", "removed"].into_iter().zip(damages) {
        let run = Halted::start(&bench, name);
        let dir = bench.results(name);
        damage(&dir.join(".journal/run.journal"));
        let says = ["that finished are no longer there", "12 of 12 trials ok"];
        assert_says(&run.end(), 0, &says);
        assert_eq!(outputs(&dir), undisturbed, "{name}");
    }
}

/// What the user reads when the folder is no longer the one that was locked.
const MOVED: &str = "is no longer the folder that this run has locked";

#[test]
fn a_folder_without_its_journal_is_not_published_in() {
    let bench = Bench::new(&spec());
    let undisturbed = outputs(&bench.run("undisturbed"));
    let run = Halted::start(&bench, "r");
    let dir = bench.results("r");
    std::fs::remove_dir_all(dir.join(".journal")).unwrap();
    assert_says(&run.end(), 5, &[MOVED, "was moved, removed or replaced meanwhile"]);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
    assert_eq!(outputs(&bench.run("r")), undisturbed);

    let run = Halted::start(&bench, "linked");
    let dir = bench.results("linked");
    let elsewhere = bench.folder().join("elsewhere");
    std::fs::rename(dir.join(".journal"), &elsewhere).unwrap();
    std::fs::write(elsewhere.join("mine"), "mine").unwrap();
    symlink(&elsewhere, dir.join(".journal")).unwrap();
    assert_says(&run.end(), 5, &[MOVED]);
    assert!(elsewhere.join("mine").exists() && !dir.join("manifest.toml").exists());
}

#[test]
fn a_folder_that_moves_takes_its_run_along() {
    let bench = Bench::new(&spec());
    let run = Halted::start(&bench, "r");
    let (dir, moved) = (bench.results("r"), bench.folder().join("moved"));
    std::fs::rename(&dir, &moved).unwrap();
    // Another run takes the place meanwhile.
    let other = outputs(&bench.run("r"));
    assert_says(&run.end(), 5, &[MOVED]);
    assert_eq!(outputs(&dir), other);
    bench.audit(&dir, &Ask::default()).assert_same(0, 0);
    // Put back, it goes on: what finished is in its journal.
    assert_eq!(journaled_paths(&moved).len(), 12);
    std::fs::remove_dir_all(&dir).unwrap();
    std::fs::rename(&moved, &dir).unwrap();
    let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&plan, 0, &["12 done", "Nothing to run."]);
    assert_eq!(outputs(&bench.run("r")), other);
}

#[test]
fn links_in_place_of_journals_are_not_followed() {
    let bench = Bench::new(&spec());
    let (dir, mine) = (bench.results("r"), bench.folder().join("mine"));
    let refused = |name: &str, why: &str| {
        for subcommand in ["run", "plan"] {
            // A plan neither locks nor watches for crashes.
            if subcommand == "plan" && matches!(name, "lock" | "run.running") {
                continue;
            }
            let output = bench.subcommand(subcommand, "r", &[]).output().unwrap();
            assert_says(&output, 5, &[name, why, "move it out of the results folder"]);
        }
    };
    std::fs::create_dir_all(dir.join(".journal")).unwrap();
    for name in ["lock", "run.running", "run.journal", "1-of-2.journal"] {
        let place = dir.join(".journal").join(name);
        std::fs::write(&mine, "torn, without an end of the line").unwrap();
        symlink(&mine, &place).unwrap();
        refused(name, "it is a symbolic link");
        assert_eq!(std::fs::read_to_string(&mine).unwrap(), "torn, without an end of the line");
        // Of a name that is free, the link would make a file.
        std::fs::remove_file(&mine).unwrap();
        refused(name, "it is a symbolic link");
        assert!(!mine.exists());
        std::fs::remove_file(&place).unwrap();
    }
    let pipe = CString::new(dir.join(".journal/run.journal").to_str().unwrap()).unwrap();
    // SAFETY: a string that ends with a zero byte.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    refused("run.journal", "it is not a plain file");

    std::fs::remove_dir_all(dir.join(".journal")).unwrap();
    std::fs::create_dir(&mine).unwrap();
    std::fs::write(mine.join("run.journal"), "torn").unwrap();
    symlink(&mine, dir.join(".journal")).unwrap();
    refused(".journal", "it is a symbolic link");
    assert_eq!(std::fs::read_dir(&mine).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(mine.join("run.journal")).unwrap(), "torn");
}

#[test]
fn a_signal_from_outside_ends_the_process_and_is_no_crash() {
    let bench = Bench::new(&spec());
    let undisturbed = outputs(&bench.run("undisturbed"));
    let dir = bench.results("r");
    for signal in [libc::SIGABRT, libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE] {
        let before = journaled_paths(&dir).len();
        let mut command = bench.command("r", &["--jobs", "2"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while journaled_paths(&dir).len() == before {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::sleep(Duration::from_millis(1));
        }
        // SAFETY: a signal to a child of this process.
        unsafe { libc::kill(child.id() as i32, signal) };
        assert_eq!(child.wait().unwrap().signal(), Some(signal));
        let noted = std::fs::read(dir.join(".journal/run.running")).unwrap();
        assert_eq!(
            (&noted[16..24], dir.join(".journal/run.crashes").exists()),
            (&[0; 8][..], false)
        );
    }
    let last = bench.command("r", &[]).output().unwrap();
    assert_says(&last, 0, &["12 of 12 trials ok"]);
    assert_eq!(outputs(&dir), undisturbed);
}

/// The command with a limit of the system.
fn limited(mut command: Command, limit: libc::__rlimit_resource_t, most: u64) -> Command {
    let set = move || {
        let most = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: a system call that only reads `most`.
        match unsafe { libc::setrlimit(limit, &raw const most) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: the child only makes a system call before it executes.
    unsafe { command.pre_exec(set) };
    command
}

/// Lets every user read and write there, and execute the program there.
fn open_to_all(bench: &Bench) {
    std::fs::set_permissions(bench.folder(), PermissionsExt::from_mode(0o777)).unwrap();
    let program = bench.folder().join("reprise");
    std::fs::copy(env!("CARGO_BIN_EXE_reprise"), &program).unwrap();
    std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
}

/// The same command with the program of [`open_to_all`], as a user with nothing else running if this
/// is root, to whom neither permissions nor the limit of threads apply.
fn by_anyone(bench: &Bench, command: &Command) -> Command {
    let mut same = Command::new(bench.folder().join("reprise"));
    same.args(command.get_args()).current_dir(bench.folder());
    for (name, value) in command.get_envs() {
        value.map(|value| same.env(name, value));
    }
    same.env_remove("REPRISE_MIRROR");
    // SAFETY: it has no effects.
    if unsafe { libc::geteuid() } == 0 {
        same.uid(60_000 + std::process::id() % 5_000);
    }
    same
}

#[test]
fn without_threads_a_run_fails_and_says_so() {
    let bench = Bench::new(&spec());
    open_to_all(&bench);
    let mut refused = 0;
    // None, one for the journal, one for the journal and one to work on, and enough.
    for most in 1..=4 {
        let command = by_anyone(&bench, &bench.command(&format!("r{most}"), &["--jobs", "2"]));
        let output = limited(command, libc::RLIMIT_NPROC, most).output().unwrap();
        match output.status.code() {
            Some(0) => assert_says(&output, 0, &["12 of 12 trials ok"]),
            _ => {
                assert_says(&output, 5, &["failed to start a thread", "ulimit -u"]);
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn without_threads_a_download_fails_and_says_so() {
    let bench = Bench::new(&spec().replace("generated-tree", "mine"));
    open_to_all(&bench);
    let server = Server::start(|_, _| ok(ROWS.as_bytes()));
    // A name has to be looked up, other than a number.
    let url = server.url("/rows").replace("127.0.0.1", "localhost");
    bench.write("datasets.toml", &mine(&rows_at(&url)));
    let mut codes = Vec::new();
    for most in 1..=4 {
        let cache = bench.folder().join(format!("cache{most}"));
        let mut command = bench.reprise();
        command.args(["data", "fetch", "mine"]).env("REPRISE_CACHE", &cache);
        let command = by_anyone(&bench, &command);
        let output = limited(command, libc::RLIMIT_NPROC, most).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
        codes.push(output.status.code());
    }
    assert_eq!(codes[0], Some(3));
}

#[test]
fn a_file_that_may_not_grow_is_an_error_that_names_it() {
    let bench = Bench::new(&spec());
    let run = limited(bench.command("r", &[]), libc::RLIMIT_FSIZE, 200).output().unwrap();
    assert_says(&run, 5, &["failed to write", "run.journal: File too large"]);
    // What was written of the line is cut off again.
    let journal = bench.results("r").join(".journal/run.journal");
    assert_eq!(std::fs::metadata(journal).unwrap().len(), 0);
    bench.run("r");
}

#[test]
fn sealed_results_need_not_be_writable() {
    let bench = Bench::new(&spec());
    open_to_all(&bench);
    let dir = bench.run("r");
    std::fs::remove_dir_all(dir.join(".journal")).unwrap();
    let folders = [dir.clone(), dir.join("tables"), dir.join("timing")];
    let writable = |mode: u32| {
        for folder in &folders {
            std::fs::set_permissions(folder, PermissionsExt::from_mode(mode)).unwrap();
        }
    };
    writable(0o555);
    let plain = |subcommand: &str, arguments: &[&str]| {
        by_anyone(&bench, &bench.subcommand(subcommand, "r", arguments)).output().unwrap()
    };
    let (run, plan) = (plain("run", &[]), plain("plan", &[]));
    let fresh = plain("run", &["--fresh"]);
    writable(0o755);
    assert_says(&run, 0, &["already sealed"]);
    assert_says(&plan, 0, &["Nothing to run."]);
    assert_says(&fresh, 5, &["failed to create", ".journal: Permission denied"]);
    assert!(!dir.join(".journal").exists());
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_start_that_fails_leaves_nothing_behind() {
    let plain = spec();
    let unsuited = plain.replace("kind = \"density\"", "kind = \"classification\"");
    let unsuited = unsuited.replace("test_ll", "test_accuracy").replace("latent-nb", "mevm");
    let unsuited = unsuited.replace("restarts = 2\ncomponents = 3\n", "");
    let absent = plain.replace("generated-tree", "nltcs");
    let tests: [(&str, &[&str], i32, &str); 4] = [
        (&plain, &["--only", "method=On"], 2, "no trial has this method"),
        (&plain, &["--registry", "absent.toml"], 2, "absent.toml"),
        (&absent, &["--offline"], 3, "not available offline"),
        (&unsuited, &[], 2, "has no classes"),
    ];
    for (spec, arguments, code, says) in tests {
        let bench = Bench::new(spec);
        for more in [&[][..], &["--fresh"], &["--jobs", "2"]] {
            let run = bench.command("r", &[arguments, more].concat()).output().unwrap();
            assert_says(&run, code, &[says]);
            assert!(!bench.folder().join("r").exists(), "{says}");
        }
    }
}

#[test]
fn one_interrupt_is_enough_while_data_are_drawn() {
    let bench = Bench::new(&spec().replace("generated-tree", "large"));
    let large = "kind = \"tree\", seed = 1, variables = 100, train = 600000, valid = 50, test = 50";
    bench.write("datasets.toml", &registry::of(&[registry::generated("large", large)]));
    let mut command = bench.command("r", &[]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !bench.results("r").join(".journal/run.journal").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(100));
    let start = Instant::now();
    // SAFETY: a signal to a child of this process.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    assert_says(&output, 130, &["interrupted; what finished is kept"]);
}
