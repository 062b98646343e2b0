//! Programs that do what they should.

use std::time::Duration;

use reprise_program::{
    Answers, BatchName, Ending, Environments, Form, Gives, Mode, Prepared, Program,
};

use crate::support::{
    GO, LABELS, Options, hand_over, in_environment, in_python, in_shell, labels, python, request,
};

/// Ten lines of shell: the class is the first variable.
const SHELL: &str = r#"
echo '{"ready": 1}' >&3
while read -r request; do
    field() { echo "$request" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
    data=$(field data) out=$(field out) trial=$(field trial)
    cut -d, -f1 "$data/test.x.csv" | sed 1s/.*/answer/ | paste -d, "$data/test.token.csv" - > "$out/part"
    mv "$out/part" "$out/test.csv"
    echo "{\"trial\": \"$trial\", \"done\": true}" >&3
done
"#;

pub fn a_shell_script_is_a_method() {
    let bench = in_shell(SHELL, Options::default());
    for number in 0..3 {
        assert_eq!(labels(&bench.ask(number).unwrap()), LABELS);
    }
    bench.gone();
}

/// An interpreter of an environment of its own, which is a link to one elsewhere.
pub fn an_environment_is_built_and_used() {
    let script = "for request in requests():\n    answer(request)\n    \
                  write(request, 'metrics.json', json.dumps({'own': int(sys.prefix != sys.base_prefix)}))\n    done(request)";
    for python in [python().unwrap().to_str().unwrap(), "python3"] {
        let build = [python, "-m", "venv", "--without-pip", "{env}"];
        let bench = in_environment(&build, &["{env}/bin/python", "method.py"], script);
        let reply = bench.ask(1).unwrap();
        assert_eq!((labels(&reply), reply.metrics["own"]), (&LABELS[..], 1.0));
        bench.gone();
    }
}

const COUNTS: &str = r#"
count = 0
for request in requests():
    count += 1
    answer(request)
    write(request, "metrics.json", json.dumps({"count": count, "process": os.getpid(), "files": len(os.listdir(os.environ["HOME"]))}))
    open(os.path.join(os.environ["HOME"], "left"), "w").close()
    say({"trial": request["trial"], "done": True, "seconds": {"fit": 0.5}})
"#;

pub fn a_worker_answers_many_trials_of_one_hand_over() {
    let bench = in_python(COUNTS, Options::default());
    for number in 1..=4 {
        let reply = bench.ask(number).unwrap();
        assert_eq!(labels(&reply), LABELS);
        assert_eq!(reply.metrics["count"], number as f64);
        assert_eq!(reply.seconds.unwrap().fit, Some(0.5));
    }
    // Training labels of one fold are test labels of another.
    let other = hand_over(bench.folder.path(), "other", Gives::Labels, Form::Csv);
    let request = crate::support::request(9, std::time::Duration::from_secs(30));
    let reply = bench.workers.ask(&bench.prepared, &other, &request).unwrap();
    assert_eq!((reply.metrics["count"], reply.metrics["files"]), (1.0, 0.0));
    bench.gone();
}

pub fn once_is_a_process_a_trial() {
    let bench = in_python(COUNTS, Options { mode: Mode::Once, ..Options::default() });
    for number in 1..=3 {
        let reply = bench.ask(number).unwrap();
        assert_eq!((reply.metrics["count"], reply.metrics["files"]), (1.0, 0.0));
    }
    assert!(crate::support::processes(bench.folder.path()).is_empty());
    bench.gone();
}

pub fn rows_in_another_order_are_fine() {
    let script = r#"
for request in requests():
    rows = sorted(zip(column(request, "test.token"), column(request, "test.x")))
    write(request, "test.csv", "token,answer\n" + "".join(f"{t},{x[0]}\n" for t, x in rows))
    done(request)
"#;
    let bench = in_python(script, Options::default());
    assert_eq!(labels(&bench.ask(1).unwrap()), LABELS);
    bench.gone();
}

pub fn arrays_are_answers_too() {
    let script = r#"
import struct
def array(descr, shape, data):
    text = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    text += b" " * (63 - (10 + len(text)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data
def load(request, file):
    bytes = open(request["data"] + "/" + file, "rb").read()
    return bytes[10 + struct.unpack("<H", bytes[8:10])[0]:]
for request in requests():
    tokens, x = load(request, "test.token.npy"), load(request, "test.x.npy")
    n = len(tokens) // 8
    p = [[1.0 - x[3 * row], float(x[3 * row])] for row in range(n)]
    write(request, "test.npy", array("<f8", (n, 2), struct.pack(f"<{2 * n}d", *sum(p, []))))
    write(request, "test.token.npy", array("<u8", (n,), tokens))
    done(request)
"#;
    let options = Options { gives: Gives::Probabilities, form: Form::Npy, ..Options::default() };
    let bench = in_python(script, options);
    let reply = bench.ask(1).unwrap();
    let Answers::Probabilities(found) = &reply.answers[&BatchName::Test] else {
        panic!("{reply:?}")
    };
    assert!(found.column(1).iter().copied().eq(LABELS.map(f64::from)));
    bench.gone();
}

pub fn an_error_of_its_own_fails_only_its_trial() {
    let script = r#"
for request in requests():
    if request["parameters"]["number"] == 1:
        say({"trial": request["trial"], "error": "the matrix is singular"})
    else:
        answer(request)
        write(request, "metrics.json", json.dumps({"process": os.getpid()}))
        done(request)
"#;
    let bench = in_python(script, Options::default());
    let before = bench.ask(0).unwrap();
    let failure = bench.ask(1).unwrap_err();
    assert_eq!(failure.ending, Ending::Error);
    assert_eq!(failure.message, "`bad`: it says: the matrix is singular");
    assert_eq!(bench.ask(2).unwrap().metrics, before.metrics);
    bench.gone();
}

pub fn what_it_prints_is_its_own() {
    let script = r#"
for request in requests():
    print("garbage", request["parameters"]["number"], flush=True)
    sys.stderr.write("\x1b[31m{\"ready\": 1}\n")
    answer(request)
    if request["parameters"]["number"] == 2: os._exit(3)
    done(request)
"#;
    let bench = in_python(script, Options::default());
    assert_eq!(labels(&bench.ask(1).unwrap()), LABELS);
    let failure = bench.ask(2).unwrap_err();
    assert_eq!(failure.ending, Ending::Exit(3));
    assert_eq!(failure.log, "garbage 2\n\\u{1b}[31m{\"ready\": 1}\n");
    bench.gone();
}

/// A program may remember; a check of it sees that, since a process a trial has nothing to remember.
pub fn state_stays_in_its_worker() {
    let script = r#"
path = os.path.join(os.environ["TMPDIR"], "before")
for request in requests():
    answer(request, value=int(os.path.exists(path)))
    open(path, "w").close()
    done(request)
"#;
    let asked = |mode: Mode| {
        let bench = in_python(script, Options { mode, ..Options::default() });
        let found = [1, 2].map(|number| labels(&bench.ask(number).unwrap())[0]);
        bench.gone();
        found
    };
    assert_eq!(asked(Mode::Worker), [0, 1]);
    assert_eq!(asked(Mode::Once), [0, 0]);
}

/// What a program may hold is no part of what it is; a process that was started within other limits is left alone all the
/// same.
pub fn a_worker_of_other_limits_is_not_reused() {
    let script = r#"
for number, request in enumerate(requests()):
    answer(request, value=number)
    done(request)
"#;
    let bench = in_python(script, Options::default());
    let program = &bench.prepared.program;
    let wider = Program { memory: Some(8 << 30), ..Program::clone(program) };
    let environments = Environments::new(bench.folder.path(), &GO).unwrap();
    let wider = environments.prepare(wider).unwrap();
    assert_eq!(program.digest(), wider.program.digest());
    let ask = |prepared: &Prepared, number: u64| {
        let request = request(number, Duration::from_secs(30));
        let reply = bench.workers.ask(prepared, &bench.hand_over, &request).unwrap();
        labels(&reply)[0]
    };
    assert_eq!([ask(&bench.prepared, 1), ask(&wider, 2), ask(&bench.prepared, 3)], [0, 0, 1]);
    bench.gone();
}
