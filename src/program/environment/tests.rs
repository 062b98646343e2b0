use super::*;
use crate::program::{Determinism, Form, Gives, Mode};

static GO: AtomicBool = AtomicBool::new(false);

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// A program that is a shell script in its environment, which a script builds.
fn program(folder: &Path) -> Program {
    let build = "mkdir -p {env}/bin && cp run.sh {env}/bin/run && cat lock >> {env}/built && echo built >> built";
    std::fs::write(folder.join("run.sh"), "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(
        folder.join("run.sh"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    std::fs::write(folder.join("lock"), "one==1\n").unwrap();
    Program {
        id: "own".into(),
        folder: folder.to_owned(),
        command: words(&["run", "{env}/x", "y"]),
        prepare: vec![words(&["sh", "-c", build])],
        code: vec![CodeFile::read(folder, "run.sh").unwrap()],
        lock: Some(CodeFile::read(folder, "lock").unwrap()),
        brought: Vec::new(),
        gives: Gives::Labels,
        form: Form::Npy,
        mode: Mode::Worker,
        sees_valid: false,
        frame: false,
        threads: 1,
        memory: None,
        readable: Vec::new(),
        devices: Vec::new(),
        determinism: Determinism::Bitwise,
    }
}

#[test]
fn an_environment_is_built_once_for_a_lock() {
    let root = tempfile::tempdir().unwrap();
    let environments = Environments::new(&root.path().join("cache"), &GO).unwrap();
    let program = program(root.path());
    let built = || std::fs::read_to_string(root.path().join("built")).unwrap().lines().count();
    let prepared = environments.prepare(program.clone()).unwrap();
    let folder = prepared.environment.clone().unwrap();
    assert_eq!(prepared.executable, folder.join("bin/run"));
    let arguments: Vec<String> = prepared.arguments().collect();
    assert_eq!(arguments, [folder.join("x").to_str().unwrap(), "y"]);
    environments.prepare(program.clone()).unwrap();
    assert_eq!(built(), 1);
    // Half an environment, left by a kill.
    std::fs::remove_file(folder.join(READY)).unwrap();
    environments.prepare(program.clone()).unwrap();
    assert_eq!(
        (built(), std::fs::read_to_string(folder.join("built")).unwrap().lines().count()),
        (2, 1)
    );
    std::fs::write(root.path().join("lock"), "one==2\n").unwrap();
    let changed = environments.prepare(program.clone()).unwrap_err();
    assert!(changed.to_string().contains("changed after it was read"), "{changed}");
    let lock = Some(CodeFile::read(root.path(), "lock").unwrap());
    let other = environments.prepare(Program { lock, ..program }).unwrap();
    assert_ne!(other.environment, Some(folder));
}

#[test]
fn a_command_that_builds_inherits_nothing() {
    let root = tempfile::tempdir().unwrap();
    let environments = Environments::new(&root.path().join("cache"), &GO).unwrap();
    let file = tempfile::tempfile().unwrap();
    let high = rustix::io::fcntl_dupfd_cloexec(&file, 200).unwrap();
    rustix::io::fcntl_setfd(&high, rustix::io::FdFlags::empty()).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&high);
    let open = format!("/proc/self/fd/{number}");
    let script = format!("mkdir -p {{env}}/bin; cp run.sh {{env}}/bin/run; ! test -e {open}");
    let program = Program { prepare: vec![words(&["sh", "-c", &script])], ..program(root.path()) };
    environments.prepare(program).unwrap();
}

#[test]
fn a_command_that_fails_is_named_with_its_last_lines() {
    let root = tempfile::tempdir().unwrap();
    let environments = Environments::new(&root.path().join("cache"), &GO).unwrap();
    let failing = |command: &[&str]| {
        let program = Program { prepare: vec![words(command)], ..program(root.path()) };
        environments.prepare(program).unwrap_err().to_string()
    };
    let error = failing(&["sh", "-c", "seq 100; printf 'no such\\033[2Jpackage\\n' >&2; exit 3"]);
    assert!(
        error.contains("`own`: `sh -c seq 100;") && error.contains("ended with exit status: 3")
    );
    assert!(!error.contains("\n  81\n") && error.contains("\n  82\n"), "{error}");
    assert!(error.ends_with("no such\\u{1b}[2Jpackage"), "{error}");
    assert!(failing(&["no-such-builder"]).contains("can't be started"));
    assert!(failing(&["sh", "-c", "exit 1"]).contains("it printed nothing"));
    static STOP: AtomicBool = AtomicBool::new(true);
    let environments = Environments::new(&root.path().join("cache"), &STOP).unwrap();
    let sleeping = Program { prepare: vec![words(&["sleep", "60"])], ..program(root.path()) };
    let interrupted = environments.prepare(sleeping);
    assert!(matches!(interrupted, Err(Error::Interrupted)));
}

#[test]
fn what_cannot_be_executed_is_an_error_before_the_first_trial() {
    let root = tempfile::tempdir().unwrap();
    let environments = Environments::new(root.path(), &GO).unwrap();
    let error = |command: &str| {
        let program =
            Program { prepare: Vec::new(), command: words(&[command]), ..program(root.path()) };
        match environments.prepare(program) {
            Ok(prepared) => prepared.executable.display().to_string(),
            Err(error) => error.to_string(),
        }
    };
    assert!(error("no-such-interpreter").contains("neither in its environment nor on PATH"));
    assert!(error("./absent.sh").contains("no such file"));
    assert!(error("./lock").contains("chmod +x"));
    std::fs::copy(root.path().join("run.sh"), root.path().join("other.sh")).unwrap();
    assert!(error("./other.sh").contains("`code` does not name it"));
    assert!(error("./run.sh").ends_with("run.sh") && error("sh").ends_with("/sh"));
    assert!(error("").contains("names no program"));
}

/// Whoever may write an environment puts into it what a program answers.
#[test]
fn what_others_may_write_is_built_anew_apart() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempfile::tempdir().unwrap();
    let cache = root.path().join("cache");
    let program = program(root.path());
    let built = |cache: &Path| {
        let environments = Environments::new(cache, &GO).unwrap();
        let prepared = environments.prepare(program.clone()).unwrap();
        (prepared.environment.unwrap(), environments)
    };
    let open = |path: &Path| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
    };
    let (first, _) = built(&cache);
    let times = || std::fs::read_to_string(root.path().join("built")).unwrap().lines().count();
    assert_eq!((built(&cache).0, times()), (first.clone(), 1));
    // Its own folder: built again in its place. One above it: in a folder of the run's own.
    open(&first);
    assert_eq!((built(&cache).0, times()), (first.clone(), 2));
    open(&cache);
    let (apart, environments) = built(&cache);
    assert_eq!((apart == first, times()), (false, 3));
    drop(environments);
    assert!(!apart.exists());
}

#[test]
fn what_is_not_as_it_was_built_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempfile::tempdir().unwrap();
    let cache = root.path().join("cache");
    let mut program = program(root.path());
    program.prepare.push(words(&["sh", "-c", "touch {env}/open; chmod 666 {env}/open"]));
    assert_eq!(changed(&cache, &program).unwrap(), [""; 0]);
    let environments = Environments::new(&cache, &GO).unwrap();
    let prepared = environments.prepare(program.clone()).unwrap();
    let folder = prepared.environment.unwrap();
    let says = |name: &str| format!("{name:?} is not as it was built");
    assert_eq!(changed(&cache, &program).unwrap(), [""; 0]);
    let mode = |name: &str| folder.join(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("open"), 0o644, "what others could write is closed to them");
    std::fs::set_permissions(folder.join("open"), std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(changed(&cache, &program).unwrap(), [says("open")]);
    assert_eq!(mode("open"), 0o666, "a look changes nothing");
    std::fs::set_permissions(folder.join("open"), std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::write(folder.join("built"), "labels").unwrap();
    std::fs::write(folder.join("more"), "").unwrap();
    std::fs::remove_file(folder.join("bin/run")).unwrap();
    assert_eq!(changed(&cache, &program).unwrap(), ["bin/run", "built", "more"].map(says));
}
