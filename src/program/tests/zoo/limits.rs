//! Programs that take too much.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reprise_program::{Bound, Containment, Ending, Limits};

use crate::support::{Options, containment, in_python, in_shell, request};

pub fn never_ready() {
    let limits = Limits { start: Duration::from_millis(200), ..Options::default().limits };
    let (outcome, message) = in_shell("sleep 60", Options { limits, ..Options::default() }).fails();
    assert_eq!(outcome, "timeout");
    assert!(message.contains("was not ready within 0.2 s: reply {\"ready\": 1}"), "{message}");
}

/// The outcome of a trial of half a second.
fn half_a_second(script: &str) -> (Ending, Duration) {
    let bench = in_python(script, Options::default());
    let begun = Instant::now();
    let failure = bench.ask_within(1, Duration::from_millis(500)).unwrap_err();
    assert!(failure.message.contains("within its time; give it more"), "{failure}");
    let taken = begun.elapsed();
    bench.gone();
    (failure.ending, taken)
}

pub fn never_answers() {
    let (outcome, taken) = half_a_second("for request in requests():\n    time.sleep(60)");
    assert_eq!(outcome, Ending::Timeout);
    assert!(taken < Duration::from_secs(10), "{taken:?}");
}

pub fn ignores_sigterm() {
    let script = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
                  for request in requests():\n    while True: pass";
    let (outcome, taken) = half_a_second(script);
    assert_eq!(outcome, Ending::Timeout);
    assert!(taken > Duration::from_millis(800), "it was given time to end: {taken:?}");
}

pub fn ends_when_it_is_asked_to() {
    let script = r#"
import signal
def end(*_):
    print("asked", flush=True)
    time.sleep(0.1)
    print("ended", flush=True)
    os._exit(0)
signal.signal(signal.SIGTERM, end)
for request in requests():
    while True: time.sleep(60)
"#;
    let limits = Limits { grace: Duration::from_secs(20), ..Options::default().limits };
    let bench = in_python(script, Options { limits, ..Options::default() });
    let begun = Instant::now();
    let failure = bench.ask_within(1, Duration::from_millis(200)).unwrap_err();
    assert_eq!((failure.ending, &*failure.log), (Ending::Timeout, "asked\nended\n"));
    assert!(begun.elapsed() < Duration::from_secs(15), "it is waited for no longer than it takes");
    bench.gone();
}

pub fn writes_ten_gigabytes() {
    let script = r#"
for request in requests():
    file = open(os.environ["HOME"] + "/huge", "wb")
    for block in range(10 << 10):
        file.write(b"x" * (1 << 20))
        time.sleep(0.001)
    answer(request)
    done(request)
"#;
    let limits = Limits { output: 32 << 20, ..Options::default().limits };
    let bench = in_python(script, Options { limits, ..Options::default() });
    let failure = bench.ask(1).unwrap_err();
    assert_eq!(failure.ending, Ending::BadAnswer);
    assert!(failure.message.contains("it wrote more than 32 MiB"), "{failure}");
    let left = std::fs::read_dir(bench.folder.path().join("workers")).unwrap().flatten();
    let runs = left.filter(|entry| entry.path().is_dir());
    let files = runs.map(|run| std::fs::read_dir(run.path()).unwrap().count());
    assert_eq!(files.sum::<usize>(), 1, "only the lock is left");
    bench.gone();
}

/// On a disk a file that no folder names any more can only be kept short; in a root of its own it counts.
pub fn writes_a_file_without_a_name() {
    let script = r#"
for request in requests():
    path = os.environ["HOME"] + "/huge"
    file = open(path, "wb", buffering=0)
    os.remove(path)
    written = 0
    while True:
        written += file.write(b"x" * (1 << 20))
        print(written, flush=True)
"#;
    let limits = Limits { output: 8 << 20, ..Options::default().limits };
    let asked = |containment: Containment| {
        let options = Options { limits: limits.clone(), containment, ..Options::default() };
        in_python(script, options).fails()
    };
    let (outcome, message) = asked(Containment::NONE);
    assert_eq!(outcome, "exit 1");
    assert!(message.contains("File too large"), "{message}");
    if containment().has(Bound::Root) {
        let (outcome, message) = asked(containment());
        // Whether it is seen before it is gone.
        let full = ["it wrote more than 8 MiB", "No space left on device"];
        assert!(["bad-answer", "exit 1"].contains(&&*outcome), "{outcome}: {message}");
        assert!(full.iter().any(|text| message.contains(text)), "{message}");
    }
    let shell = "echo '{\"ready\": 1}' >&3; read request; exec cat /dev/zero > $HOME/huge";
    let limits = Limits { output: 8 << 20, ..Options::default().limits };
    let (outcome, message) = in_shell(shell, Options { limits, ..Options::default() }).fails();
    assert_eq!(outcome, "bad-answer", "{message}");
}

pub fn closes_its_folders() {
    let script = r#"
for request in requests():
    for folder in ["HOME", "out"]:
        path = os.path.join(os.environ.get(folder, request["out"]), "closed")
        os.mkdir(path)
        open(path + "/file", "w").close()
        os.chmod(path, 0)
    answer(request)
    done(request)
"#;
    let bench = in_python(script, Options::default());
    assert!(bench.ask(1).is_ok());
    let workers = bench.folder.path().join("workers");
    bench.workers.end_of(&bench.hand_over);
    let run =
        std::fs::read_dir(workers).unwrap().flatten().find(|run| run.path().is_dir()).unwrap();
    assert_eq!(std::fs::read_dir(run.path()).unwrap().count(), 1, "only the lock is left");
    bench.gone();
}

pub fn very_many_files() {
    let script = r#"
for request in requests():
    for number in range(1 << 30):
        open(os.environ["HOME"] + "/" + str(number), "wb").close()
"#;
    let (outcome, message) = in_python(script, Options::default()).fails();
    assert_eq!(outcome, "bad-answer");
    assert!(message.contains("very many files"), "{message}");
}

pub fn allocates_fifty_gigabytes() {
    let script = r#"
import subprocess
held = []
for request in requests():
    if request["parameters"]["number"] == 1:
        code = "import time\nheld = []\nwhile True:\n held.append(bytes([1]) * (4 << 20)); time.sleep(0.02)"
        subprocess.run([sys.executable, "-c", code])
    while len(held) < 50 << 8:
        held.append(b"x" * (4 << 20))
        time.sleep(0.02)
"#;
    let bench = in_python(script, Options { memory: Some(128 << 20), ..Options::default() });
    // In a child, then in the program itself.
    for number in [1, 2] {
        let failure = bench.ask(number).unwrap_err();
        assert_eq!(failure.ending, Ending::Memory, "{failure}");
        assert!(
            failure.message.contains("may use 128 MiB of memory with all of its processes"),
            "{failure}"
        );
    }
    bench.gone();
}

pub fn prints_for_ever() {
    let (outcome, _) =
        half_a_second("for request in requests():\n    while True: print('x' * 5000)");
    assert_eq!(outcome, Ending::Timeout);
    let script = "i = 0\nfor request in requests():\n    for i in range(1 << 16): print(i, 'x' * 64)\n    sys.exit(1)";
    let bench = in_python(script, Options::default());
    let failure = bench.ask(1).unwrap_err();
    assert_eq!(failure.ending, Ending::Exit(1));
    assert!(failure.log.len() <= (1 << 20) + 100 && failure.log.contains("65535 xxx"));
    bench.gone();
}

pub fn interrupted() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let script = "for request in requests():\n    time.sleep(60)";
    let bench = in_python(script, Options { interrupt: &STOP, ..Options::default() });
    let stop = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(400));
        STOP.store(true, Ordering::Relaxed);
    });
    let request = request(1, Duration::from_secs(30));
    let begun = Instant::now();
    let asked = bench.workers.ask(&bench.prepared, &bench.hand_over, &request);
    assert_eq!(asked.unwrap_err().ending, Ending::Interrupted);
    assert!(begun.elapsed() < Duration::from_secs(5));
    stop.join().unwrap();
    bench.gone();
}
