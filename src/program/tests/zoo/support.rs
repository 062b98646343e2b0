//! An experiment's folder with a program, examples to hand over, and workers that ask it.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use base::digest::Digest;
use contract::{BinaryRows, Examples};
use reprise_program::{
    About, Answers, Batch, BatchName, Containment, Determinism, Environments, Failure, Form, Gives,
    HandOver, Labels, Limits, Mode, Prepared, Program, Reply, Request, Settings, Workers, code,
};

/// What every Python program here begins with.
const SPEAK: &str = r#"
import json, os, sys, time
replies = os.fdopen(int(os.environ["REPRISE_REPLY_FD"]), "w")
def say(message):
    replies.write(message if isinstance(message, str) else json.dumps(message) + "\n")
    replies.flush()
def column(request, file):
    return open(request["data"] + "/" + file + ".csv").read().split()[1:]
def write(request, name, text):
    path = os.path.join(request["out"], name)
    with open(path + ".part", "w" if isinstance(text, str) else "wb") as file:
        file.write(text)
    os.rename(path + ".part", path)
def answer(request, batch="test", value=None, tokens=None):
    rows = [row.split(",")[0] for row in column(request, batch + ".x")]
    tokens = column(request, batch + ".token") if tokens is None else tokens
    lines = [f"{t},{r if value is None else value}\n" for t, r in zip(tokens, rows)]
    write(request, batch + ".csv", "token,answer\n" + "".join(lines))
def requests():
    say({"ready": 1})
    for line in sys.stdin:
        yield json.loads(line)
def done(request):
    say({"trial": request["trial"], "done": True})
"#;

pub static GO: AtomicBool = AtomicBool::new(false);

/// A Python interpreter: the system's, or else one on PATH.
pub fn python() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let script = "import sys; print(sys.executable)";
        ["/usr/bin/python3", "python3"].iter().find_map(|name| {
            let output = std::process::Command::new(name).args(["-c", script]).output().ok()?;
            Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
        })
    };
    FOUND.get_or_init(find).as_deref()
}

/// How this binary is started as the hidden subcommand. The folder tells its processes from those of other tests.
pub fn contain(folder: &Path) -> Vec<OsString> {
    vec!["/proc/self/exe".into(), "contain".into(), folder.into()]
}

/// What this machine can do.
pub fn containment() -> Containment {
    static FOUND: OnceLock<Containment> = OnceLock::new();
    *FOUND.get_or_init(|| Containment::of_this_machine(&contain(Path::new("/"))).unwrap())
}

pub struct Bench {
    // Its workers end before its folder goes.
    pub workers: Workers,
    pub hand_over: Arc<HandOver>,
    pub prepared: Prepared,
    pub folder: tempfile::TempDir,
}

pub struct Options {
    pub mode: Mode,
    pub gives: Gives,
    pub form: Form,
    pub memory: Option<u64>,
    pub limits: Limits,
    pub interrupt: &'static AtomicBool,
    pub containment: Containment,
    /// Under which kernel of [`crate::kernels`] it is started, where it is another than this.
    pub kernel: Option<&'static str>,
    /// Beside its code, in the experiment's folder.
    pub readable: Vec<PathBuf>,
    pub devices: Vec<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let limits = Limits { grace: Duration::from_millis(300), ..Limits::default() };
        Self {
            mode: Mode::Worker,
            gives: Gives::Labels,
            form: Form::Csv,
            memory: None,
            limits,
            interrupt: &GO,
            containment: containment(),
            kernel: None,
            readable: Vec::new(),
            devices: Vec::new(),
        }
    }
}

/// A bench with a program in Python: what follows the lines of `SPEAK`.
pub fn in_python(script: &str, options: Options) -> Bench {
    let python = python().unwrap().to_str().unwrap();
    let script = format!("{SPEAK}\n{script}");
    Bench::new(&[], &[python, "method.py"], &script, options)
}

/// A bench with a program in Python that this command starts.
pub fn with_command(command: &[&str], script: &str) -> Bench {
    Bench::new(&[], command, &format!("{SPEAK}\n{script}"), Options::default())
}

/// A bench with a shell script.
pub fn in_shell(script: &str, options: Options) -> Bench {
    Bench::new(&[], &["sh", "method.py"], script, options)
}

/// A bench with a program in Python that runs in an environment which a command builds.
pub fn in_environment(build: &[&str], command: &[&str], script: &str) -> Bench {
    Bench::new(&[build], command, &format!("{SPEAK}\n{script}"), Options::default())
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

impl Bench {
    fn new(prepare: &[&[&str]], command: &[&str], script: &str, options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let experiment = folder.path().join("experiment");
        std::fs::create_dir(&experiment).unwrap();
        std::fs::write(experiment.join("method.py"), script).unwrap();
        std::fs::write(experiment.join("secret.txt"), "secret").unwrap();
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(experiment.join("method.py"), executable).unwrap();
        let program = Program {
            id: "bad".into(),
            code: code(&experiment, &["*.py".to_owned()]).unwrap(),
            folder: experiment,
            command: words(command),
            prepare: prepare.iter().map(|command| words(command)).collect(),
            lock: None,
            brought: Vec::new(),
            gives: options.gives,
            form: options.form,
            mode: options.mode,
            sees_valid: false,
            frame: false,
            threads: 1,
            memory: options.memory,
            readable: options.readable,
            devices: options.devices,
            determinism: Determinism::Bitwise,
        };
        let environments = Environments::new(folder.path(), &GO).unwrap();
        let prepared = environments.prepare(program).unwrap();
        let mut contain = contain(folder.path());
        if let Some(kernel) = options.kernel {
            contain.splice(1..1, ["hampered".into(), kernel.into()]);
        }
        let settings = Settings {
            contain,
            folder: folder.path().join("workers"),
            containment: options.containment,
            limits: options.limits,
            interrupt: options.interrupt,
        };
        let workers = Workers::new(settings).unwrap();
        let hand_over = hand_over(folder.path(), "examples", options.gives, options.form);
        Self { workers, hand_over, prepared, folder }
    }

    /// Asks for a trial of this number, with a limit of 30 s that no test is to reach.
    pub fn ask(&self, number: u64) -> Result<Reply, Failure> {
        self.ask_within(number, Duration::from_secs(30))
    }

    pub fn ask_within(&self, number: u64, seconds: Duration) -> Result<Reply, Failure> {
        let request = request(number, seconds);
        self.workers.ask(&self.prepared, &self.hand_over, &request)
    }

    /// The outcome and the message of a trial that fails; and no process is left.
    pub fn fails(self) -> (String, String) {
        let failure = self.ask(1).unwrap_err();
        self.gone();
        (failure.ending.to_string(), failure.message)
    }

    /// Ends everything, and makes sure that no process is left.
    pub fn gone(self) {
        let Self { workers, folder, .. } = self;
        drop(workers);
        assert_eq!(processes(folder.path()), Vec::<String>::new(), "processes are left");
    }
}

pub fn request(number: u64, seconds: Duration) -> Request {
    Request {
        trial: Digest::of(&number.to_le_bytes()),
        seed: number as u32,
        parameters: serde_json::json!({"number": number}).as_object().unwrap().clone(),
        seconds: Some(seconds),
        answer: vec![BatchName::Test],
    }
}

/// The labels of test rows that a good program gives: their first variable.
pub const LABELS: [u32; 6] = [0, 1, 0, 1, 0, 1];

pub fn labels(reply: &Reply) -> &[u32] {
    match &reply.answers[&BatchName::Test] {
        Answers::Labels(labels) => labels,
        other => panic!("{other:?}"),
    }
}

/// Training and test rows of three variables, whose first is the class.
pub fn hand_over(folder: &Path, name: &str, gives: Gives, form: Form) -> Arc<HandOver> {
    let mut rows = BinaryRows::new(3);
    (0..6u32).for_each(|row| rows.push(if row % 2 == 1 { &[0, 2] } else { &[1] }));
    let examples = Examples::Binary(rows);
    let names = if gives.classifies() { &["ham", "spam"][..] } else { &[] };
    let classes = names.iter().map(|&name| name.to_owned()).collect();
    let about = About { gives, form, sees_valid: false, columns: None, classes };
    let labels = gives.classifies().then_some(Labels::Classes(&LABELS));
    let batches = [
        Batch { name: BatchName::Train, examples: &examples, labels },
        Batch { name: BatchName::Test, examples: &examples, labels: None },
    ];
    let seed = Digest::of(name.as_bytes());
    Arc::new(HandOver::write(&folder.join(name), about, &batches, seed).unwrap())
}

/// Command lines of the processes that name a folder, in their environment or in the command line itself. The test
/// waits for those that are about to end.
pub fn processes(folder: &Path) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        let found = naming(folder);
        if found.is_empty() || Instant::now() > until {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Those of now.
pub fn naming(folder: &Path) -> Vec<String> {
    let word = folder.to_str().unwrap();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let process = entry.file_name().into_string().unwrap_or_default();
        if !process.bytes().all(|byte| byte.is_ascii_digit())
            || process == std::process::id().to_string()
        {
            continue;
        }
        let read = |file: &str| std::fs::read(entry.path().join(file)).unwrap_or_default();
        let line = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let variables = read("environ");
        let place = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        let named = [line.as_str(), &String::from_utf8_lossy(&variables), &place.to_string_lossy()];
        if named.iter().any(|text| text.contains(word)) {
            found.push(format!("{process}: {line}"));
        }
    }
    found
}

/// Whether a process of a folder has this file in its home.
pub fn has_at_home(folder: &Path, file: &str) -> bool {
    naming(folder).iter().any(|process| {
        let place = PathBuf::from("/proc").join(process.split(':').next().unwrap());
        let variables = std::fs::read_to_string(place.join("environ")).unwrap_or_default();
        let home = variables.split('\0').find_map(|variable| variable.strip_prefix("HOME=/"));
        home.is_some_and(|home| place.join("root").join(home).join(file).exists())
    })
}

/// Waits until something is so, and fails after ten seconds.
pub fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(10);
    while !so() {
        assert!(Instant::now() < until, "waited for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
