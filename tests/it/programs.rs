//! Programs as methods, from the experiment file to sealed results. What a program may do, and how it is stopped, is
//! tested in `src/program`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use reprise::KNOWN;
use reprise::base::digest::{Digest, FieldHasher};
use reprise::harness::again::{Amount, Execution};
use reprise::harness::audit::{Audited, Means, Request};
use reprise::harness::run::{Ended, Listener, Options};
use reprise::run::plan::{MAX_TRIALS, Path as PlanPath, WithChoices};
use reprise::run::programs::Author;
use reprise::seal::FileEntry;

use crate::support::audit::Ask;
use crate::support::experiment::{Bench, chunk};
use crate::support::results::{forge, manifest, outputs, rows, seal_again};
use crate::support::spec;
use crate::support::terminal::{assert_error, assert_says, text};

const MAJORITY: &str = include_str!("../../clients/shell/majority.sh");

fn options() -> Options {
    Options { jobs: 2, ..Options::default() }
}

/// A program of a shell that answers batches: `answer` prints the answer of a row, `$batch` is asked.
fn answering(answer: &str) -> String {
    MAJORITY.replace(
        "sed \"1s/\\$/,answer/; 2,\\$s/\\$/,$class/\" \"$data/$batch.token.csv\"",
        &format!("{{ echo token,answer; sed 1d \"$data/$batch.token.csv\" | {answer}; }}"),
    )
}

fn method(id: &str, script: &str, further: &str) -> String {
    format!(
        "[[method]]\nid = \"{id}\"\nkind = \"command\"\ncommand = [\"sh\", \"{script}\"]\n\
         code = [\"{script}\"]\ndata = \"csv\"\n{further}\n"
    )
}

fn classification(id: &str, methods: &str) -> String {
    format!(
        r#"schema = 1
[experiment]
id = "{id}"
title = "{id}"
seed = 1
[task]
kind = "classification"
datasets = ["conjunction-8"]
split = {{ cv = {{ folds = 3 }} }}
timeout = "60s"
[[method]]
id = "NB"
kind = "bernoulli-nb"
{methods}
[[table]]
id = "t"
rows = "dataset"
columns = "method"
metric = "test_accuracy"
digits = 2
"#
    )
}

const LABELS: &str = "gives = \"labels\"";

/// Every path is executed, those of programs too.
fn trusting() -> Ask {
    Ask { rerun: Some(Amount::All), programs: true, ..Ask::default() }
}

fn majority(further: &str) -> Bench {
    let methods = method("majority", "own/majority.sh", &format!("{LABELS}\n{further}"));
    Bench::with(&classification("majority", &methods), &[("own/majority.sh", MAJORITY)])
}

/// What a column says of the trials of a method.
fn column(dir: &Path, method: &str, column: &str) -> Vec<String> {
    let of_method = rows(&dir.join("trials.csv")).into_iter().filter(|row| row["method"] == method);
    of_method.map(|row| row[column].clone()).collect()
}

#[test]
fn a_program_stands_in_the_table_and_its_code_is_sealed() {
    let bench = majority("");
    let run = bench.command("r", &["--jobs", "2"]).output().unwrap();
    assert_says(&run, 0, &["sealed in"]);
    let dir = bench.results("r");
    let trials = rows(&dir.join("trials.csv"));
    let own: Vec<_> = trials.iter().filter(|row| row["method"] == "majority").collect();
    assert_eq!(own.len(), 3);
    for row in &own {
        assert_eq!(row["status"], "ok", "{}", row["message"]);
        // Of 256 states of eight variables, one in four is of the rarer class.
        let accuracy: f64 = row["test_accuracy"].parse().unwrap();
        assert!((0.6..0.95).contains(&accuracy), "{accuracy}");
    }
    assert_eq!(std::fs::read_to_string(dir.join("code/own/majority.sh")).unwrap(), MAJORITY);
    let environment = std::fs::read_to_string(dir.join("timing/environment.toml")).unwrap();
    assert!(environment.contains("containment = ["), "{environment}");
    assert!(environment.contains("containment_lacks = ["), "{environment}");
    let lacks = !environment.contains("containment_lacks = []");
    assert_eq!(text(&run).contains("programs run without what this machine lacks: "), lacks);

    let believed = bench.audit(&dir, &Ask { rerun: Some(Amount::All), ..Ask::default() });
    assert_eq!((believed.executed, believed.paths), (3, 6));
    assert!(believed.skipped.iter().all(|why| why.contains("--trust")), "{believed:?}");
    let trusted = trusting();
    let trusted = bench.audit(&dir, &trusted);
    assert_eq!((trusted.executed, &trusted.differences[..]), (6, &[][..]));
}

#[test]
fn a_method_in_r_answers_as_the_native_one() {
    if let Err(error) = Command::new("Rscript").arg("--version").output() {
        return eprintln!("skipped: Rscript does not start: {error}");
    }
    let shares = r#"source("own/reprise_method.R")
reprise_run(fit = function(train, valid, parameters, seed) {
  shares <- as.vector(table(train$y)) / nrow(train$x)
  function(rows) matrix(shares, nrow(rows$x), length(shares), byrow = TRUE)
})
"#;
    let methods = "[[method]]\nid = \"native\"\nkind = \"majority\"\n\
        [[method]]\nid = \"R\"\nkind = \"command\"\ngives = \"probabilities\"\ndata = \"csv\"\n\
        command = [\"Rscript\", \"--vanilla\", \"own/shares.R\"]\ncode = [\"own/*.R\"]\n";
    let helper = include_str!("../../clients/r/reprise_method.R");
    let files = [("own/shares.R", shares), ("own/reprise_method.R", helper)];
    let bench = Bench::with(&classification("r", methods), &files);
    let dir = bench.run_with("r", &options());
    let accuracies = |method| -> BTreeMap<String, String> {
        let (folds, values) = (column(&dir, method, "fold"), column(&dir, method, "test_accuracy"));
        folds.into_iter().zip(values).collect()
    };
    assert_eq!(accuracies("R").len(), 3);
    assert_eq!(accuracies("R"), accuracies("native"));
}

/// Probabilities that rise with the scores have their order, and so their area.
#[test]
fn scores_rank_as_the_probabilities_that_rise_with_them() {
    let script = |answer: &str| {
        MAJORITY.replace(
            "sed \"1s/\\$/,answer/; 2,\\$s/\\$/,$class/\" \"$data/$batch.token.csv\"",
            &format!(
                "{{ echo token,true,false; paste -d, \"$data/$batch.token.csv\" \"$data/$batch.x.csv\" | \
                 awk -F, 'NR > 1 {{ s = $2 + $3 + $4 - 1.5; {answer} }}'; }}"
            ),
        )
    };
    let scores = script("print $1 \",\" (-s) \",\" s");
    let probabilities = script("p = 1 / (1 + exp(-s)); print $1 \",\" 1 - p \",\" p");
    let methods = method("scores", "scores.sh", "gives = \"scores\"")
        + &method("logistic", "logistic.sh", "gives = \"probabilities\"");
    let asked = "timeout = \"60s\"\nmetrics = [\"test_accuracy\", \"auc\", \"pr_auc\"]";
    let text = classification("scores", &methods).replace("timeout = \"60s\"", asked);
    let files = [("scores.sh", scores.as_str()), ("logistic.sh", probabilities.as_str())];
    let bench = Bench::with(&text, &files);
    let dir = bench.run_with("r", &options());
    for metric in ["test_accuracy", "auc", "pr_auc"] {
        let [found, logistic] = ["scores", "logistic"].map(|method| {
            let mut of_folds = column(&dir, method, metric);
            of_folds.sort_unstable();
            of_folds
        });
        assert_eq!(found, logistic, "{metric}");
        assert!(found.len() == 3 && found.iter().all(|value| value.parse::<f64>().is_ok()));
    }
}

#[test]
fn a_profile_with_a_program_is_audited_as_the_whole_is() {
    let whole = classification("majority", &method("majority", "own/majority.sh", LABELS));
    let fast = format!("{whole}[profile.fast]\ntask.split = {{ cv = {{ folds = 2 }} }}\n");
    let bench = Bench::with(&fast, &[("own/majority.sh", MAJORITY)]);
    let mut run = bench.subcommand("run", "r", &["--profile", "fast"]);
    let output = run.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let dir = bench.folder().join("r/majority@fast");
    let trusted = trusting();
    let audited = bench.audit(&dir, &trusted);
    assert_eq!((audited.executed, audited.paths), (4, 4));
    assert_eq!(audited.differences, [""; 0]);
}

/// A stranger's `prepare` runs outside of all walls: whoever runs or checks a sealed file of theirs says so.
#[test]
fn programs_in_sealed_results_start_only_for_who_trusts_them() {
    let bench = majority("prepare = [[\"sh\", \"-c\", \"mkdir -p {env}\"]]");
    let spec = bench.run_with("r", &options()).join("spec.toml");
    let with = |command: &[&str]| {
        let mut asked = bench.reprise();
        asked.args(command).arg(&spec).args(["--data-dir", "."]);
        asked
    };
    let refused = ["lie in sealed results, which may be a stranger's", "--trust"];
    for command in [&["run", "--results", "x"][..], &["leak", "--results", "x"]] {
        assert_says(&with(command).output().unwrap(), 2, &refused);
    }
    let check = with(&["methods", "check"]).arg("majority").output().unwrap();
    assert_says(&check, 2, &refused[..1]);
    assert_says(&with(&["plan", "--results", "x"]).output().unwrap(), 0, &["6 trials"]);
    let trusting = with(&["run", "--trust", "--results", "x"]).output().unwrap();
    assert_says(&trusting, 0, &["digest"]);
}

/// What is sealed as code is compared with what the user has: another program of the same experiment file is another method.
#[test]
fn code_is_compared_with_that_of_the_user() {
    let bench = majority("");
    let dir = bench.run_with("r", &options());
    let mine = Ask { spec: Some(bench.spec().to_owned()), ..trusting() };
    let honest = bench.audit(&dir, &mine);
    honest.assert_same(6, 6);
    assert!(
        honest.equal.iter().any(|one| one == "code of majority: 1 files as they are known here"),
        "{honest:?}"
    );
    let unknown = bench.audit(&dir, &trusting());
    let believed = "code/own/majority.sh of majority: no copy of it is here";
    assert!(unknown.believed.iter().any(|one| one.starts_with(believed)), "{unknown:?}");
    std::fs::write(bench.folder().join("own/majority.sh"), format!("{MAJORITY}\n")).unwrap();
    let other = bench.audit(&dir, &mine);
    let says = "code/own/majority.sh of majority is not that beside";
    assert!(other.differences.iter().any(|one| one.starts_with(says)), "{other:?}");
}

#[test]
fn one_byte_of_code_makes_new_trials() {
    let bench = majority("");
    let dir = bench.run_with("r", &options());
    let keys = |dir: &Path| -> Vec<String> {
        let of_method = rows(&dir.join("trials.csv")).into_iter();
        of_method.filter(|row| row["method"] == "majority").map(|row| row["key"].clone()).collect()
    };
    let before = keys(&dir);
    bench.write("own/majority.sh", &format!("{MAJORITY}\n"));
    let refused = bench.refused("r", &options());
    assert_error(&refused, &["3 sealed trials", "--replace"]);
    let dir = bench.run_with("r", &Options { replace: true, ..options() });
    assert!(keys(&dir).iter().all(|key| !before.contains(key)));
}

#[test]
fn trials_that_measured_nothing_are_no_loss() {
    let failing = method("majority", "own/majority.sh", &format!("{LABELS}\nmay_fail = true"));
    let files = [("own/majority.sh", "exit 3\n")];
    let bench = Bench::with(&classification("mended", &failing), &files);
    let status = |dir: &Path| column(dir, "majority", "status");
    assert_eq!(status(&bench.run_with("r", &options())), ["failed"; 3]);
    bench.write("own/majority.sh", MAJORITY);
    assert_eq!(status(&bench.run_with("r", &options())), ["ok"; 3]);
}

#[test]
fn what_a_program_reads_beside_its_code_is_believed() {
    // The last would lead to the second once something hung where it turns back.
    for (key, path) in
        [("devices", "/dev/full"), ("readable", "/usr/share"), ("readable", "/.empty/../usr/share")]
    {
        let bench = majority(&format!("{key} = [{path:?}]"));
        let dir = bench.run_with("r", &options());
        // Of a stranger's file nothing of the user's is opened that the user has not named.
        let refused = bench.audit(&dir, &trusting());
        let why =
            format!("its program reads {path}, which is not sealed; --readable {path} lets it");
        assert!(refused.skipped.iter().all(|skipped| skipped.contains(&why)), "{refused:?}");
        assert_eq!((refused.executed, refused.skipped.len()), (3, 3));
        let named = Ask { readable: vec![path.into()], ..trusting() };
        let verdict = bench.audit(&dir, &named);
        let says = format!("majority: it reads {path}, which is not sealed");
        assert!(verdict.believed.contains(&says), "{verdict:?}");
        verdict.assert_same(6, 6);
        let environment = std::fs::read_to_string(dir.join("timing/environment.toml")).unwrap();
        let granted = environment.contains("[devices]\nmajority = [\"/dev/full\"]");
        assert_eq!(granted, key == "devices", "{environment}");
    }
}

/// Whoever may write the cache, or holds its locks, would say what an audit executes, and when.
#[test]
fn an_audit_builds_environments_in_a_folder_of_its_own() {
    let built = tempfile::NamedTempFile::new().unwrap();
    let log = built.path().display();
    let bench = majority(&format!(
        "prepare = [[\"sh\", \"-c\", \"mkdir -p {{env}} && echo {{env}} >> {log}\"]]"
    ));
    let dir = bench.run_with("r", &options());
    let cache = bench.folder().join("cache");
    let entries = |folder: &Path| -> BTreeSet<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let (there, environments) = (entries(&cache), entries(&cache.join("environments")));
    let locks = environments.iter().filter(|path| path.extension().is_some());
    let held: Vec<std::fs::File> = locks.map(|lock| std::fs::File::open(lock).unwrap()).collect();
    assert!(!held.is_empty());
    held.iter().for_each(|lock| lock.lock().unwrap());
    bench.audit(&dir, &trusting()).assert_same(6, 6);
    let folders = std::fs::read_to_string(built.path()).unwrap();
    let folders: Vec<&Path> = folders.lines().map(Path::new).collect();
    let [of_run, of_audit] = folders[..] else { panic!("{folders:?}") };
    assert!(of_run.starts_with(&cache) && of_run.exists());
    assert!(!of_audit.starts_with(&cache) && !of_audit.exists());
    assert_eq!((entries(&cache), entries(&cache.join("environments"))), (there, environments));
}

/// Where a kernel lacks a wall, a stranger's code runs only if the user says so.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_weak_machine_executes_nothing_of_a_stranger() {
    let bench = majority("");
    let dir = bench.run_with("r", &options());
    bench.write("without_walls.py", include_str!("support/without_walls.py"));
    let audited = |further: &[&str]| {
        let mut audit = Command::new("python3");
        audit.arg(bench.folder().join("without_walls.py")).arg(env!("CARGO_BIN_EXE_reprise"));
        audit.arg("audit").arg(&dir).args(["--rerun", "all", "--trust"]).args(further);
        audit.env("REPRISE_CACHE", bench.folder().join("cache")).output()
    };
    let Ok(refused) = audited(&[]) else { return eprintln!("skipped: there is no python3") };
    let lacks = "this machine lacks what keeps a stranger's program in: own root, overlay mounts";
    assert_says(&refused, 1, &["not checked", lacks, "--weak executes it all the same"]);
    assert_says(&audited(&["--weak"]).unwrap(), 0, &["6 of 6 paths executed again"]);
}

/// The second trial of a process is answered in another way: in the same process an audit would find the same.
#[test]
fn what_a_process_keeps_does_not_come_out_again() {
    let state =
        answering("sed \"s/$/,$((n % 2))/\"").replace("field() {", "n=$((n + 1))\n    field() {");
    let swept =
        "parameters = { power = { type = \"integer\", default = 1 } }\nsweep = { power = [2, 1] }";
    let methods = method("state", "own/state.sh", &format!("{LABELS}\n{swept}"));
    let spec =
        classification("kept", &methods).replace("\"method\"", "[\"method\", \"sweep:power\"]");
    let bench = Bench::with(&spec, &[("own/state.sh", &state)]);
    let dir = bench.run_with("r", &Options { jobs: 1, ..options() });
    let mut audit = bench.reprise();
    audit.arg("audit").arg(&dir).args(["--rerun", "all", "--trust", "--jobs", "1"]);
    assert_says(&audit.output().unwrap(), 1, &["tables/t.csv: does not come out again"]);
}

#[test]
fn a_failing_program_fails_its_trials_alone() {
    let cases = [
        ("exits", "echo no such luck >&2\nexit 3\n".to_owned(), "exit 3"),
        ("silent", MAJORITY.replace("mv ", "true "), "no-answer"),
        ("third", answering("sed 's/$/,2/'"), "bad-answer"),
        ("short", answering("sed 2d | sed 's/$/,0/'"), "bad-answer"),
        // The class depends on the place of a row among those that are asked.
        ("order", answering("awk '{ print $0 \",\" NR % 2 }'"), "bad-answer"),
    ];
    let mut methods = String::new();
    let mut files = Vec::new();
    for (id, text, _) in &cases {
        let script = format!("own/{id}.sh");
        methods += &method(id, &script, &format!("{LABELS}\nmay_fail = true"));
        files.push((script, text.as_str()));
    }
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let bench = Bench::with(&classification("failing", &methods), &files);
    let dir = bench.run_with("r", &options());
    for (id, _, word) in &cases {
        assert_eq!(column(&dir, id, "outcome"), [*word; 3], "{id}");
        assert!(column(&dir, id, "status").iter().all(|status| status == "failed"), "{id}");
    }
    for of_programs in ["outcome", "message"] {
        assert!(column(&dir, "NB", of_programs).iter().all(String::is_empty));
    }
    let message = &column(&dir, "exits", "message")[0];
    assert!(message.contains("no such luck"), "{message}");
    let report = std::fs::read_to_string(dir.join("report.md")).unwrap();
    assert!(report.contains("| failed | exit 3: "), "{report}");
}

/// What a program says decides nothing, were it the name of a metric that nobody asked it for, or a sentence of ours.
#[test]
fn a_failure_is_one_whatever_its_message_names() {
    let says = [
        "no `train_accuracy`",
        "it has no `auc`: give me probabilities",
        "not a finite number: test_accuracy",
        "panicked: at the `test_joint_ll`",
    ];
    let mut methods = String::new();
    let files: Vec<(String, String)> = says
        .iter()
        .enumerate()
        .map(|(place, says)| {
            let script = format!("own/{place}.sh");
            methods += &method(&format!("P{place}"), &script, LABELS);
            (script, format!("echo '{says}' >&2\nexit 3\n"))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let bench = Bench::with(&classification("forged", &methods), &files);

    let assert_failed = |dir: &Path| {
        for (place, says) in says.iter().enumerate() {
            let column = |name| column(dir, &format!("P{place}"), name);
            assert_eq!(column("status"), ["failed"; 3]);
            assert_eq!(column("outcome"), ["exit 3"; 3]);
            assert!(column("message").iter().all(|message| message.contains(says)), "{says}");
        }
        let report = std::fs::read_to_string(dir.join("report.md")).unwrap();
        assert!(report.contains("| failed | exit 3: "), "{report}");
    };
    for arguments in [&[][..], &["--fresh"]] {
        let run = bench.command("r", arguments).output().unwrap();
        assert_says(&run, 4, &["failed: exit 3: ", "no `train_accuracy`", "3 of 15 trials ok"]);
        assert_failed(&bench.results("r"));
    }
    let trusted = trusting();
    bench.audit(&bench.results("r"), &trusted).assert_same(15, 15);

    let work = |name, index, host| bench.work_with(name, &chunk(index, host), &options());
    work("one", "1/2", "a");
    work("two", "2/2", "b");
    let mut merge = bench.reprise();
    merge.args(["merge", "one", "two", "--into", "all"]);
    assert_says(&merge.output().unwrap(), 0, &["forged: 2 journals added, 15 trials"]);
    assert_says(&bench.command("all", &[]).output().unwrap(), 4, &["failed: exit 3: "]);
    assert_failed(&bench.results("all"));
    assert_eq!(outputs(&bench.results("all")), outputs(&bench.results("r")));
}

/// All of a trial's log is for who mends the program, and none of it moves a terminal's cursor.
#[test]
fn the_log_of_a_program_is_printed_whole_and_escaped() {
    let script = "printf 'one\\033[2Jtwo\\nthree\\n' >&2\nexit 3\n";
    let methods = method("logged", "own/logged.sh", LABELS);
    let bench = Bench::with(&classification("logged", &methods), &[("own/logged.sh", script)]);
    let run = bench.command("r", &["--log", "info"]).output().unwrap();
    assert_says(&run, 4, &["one\\u{1b}[2Jtwo three", "failed: exit 3: "]);
    assert!(!text(&run).contains(reprise::base::printable::is_hidden), "{}", text(&run));
}

/// Of each program one path of twenty, and of what is over another one: those that their ids draw.
#[test]
fn before_a_seal_one_path_of_twenty_is_asked_again() {
    let files = [("own/a.sh", MAJORITY), ("own/b.sh", MAJORITY)];
    let methods = method("a", "own/a.sh", LABELS) + &method("b", "own/b.sh", LABELS);
    let spec = classification("drawn", &methods).replace("folds = 3", "folds = 3, repeats = 7");
    let bench = Bench::with(&spec, &files);
    let executed: Mutex<Vec<Vec<(String, Digest)>>> = Mutex::default();
    let listener = Listener {
        paths: &|plan, paths| {
            let method = |path: &PlanPath| plan.trials[path.trials[0]].method.to_string();
            let paths = paths.iter().map(|path| (method(path), path.id));
            executed.lock().unwrap().push(paths.collect());
            Box::new(())
        },
        warn: &|_| (),
    };
    let ended = reprise::harness::run::run(&bench.session("r"), &options(), &listener).unwrap();
    assert!(matches!(ended, Ended::Sealed(_)), "{ended:?}");
    let executed = executed.into_inner().unwrap();
    let [of_run, again] = &executed[..] else { panic!("{executed:?}") };
    let drawn = |id: &str| {
        let mut of_method: Vec<_> = of_run.iter().filter(|(method, _)| method == id).collect();
        assert_eq!(of_method.len(), 21);
        of_method.sort_by_key(|(_, path)| FieldHasher::new("asked again").field(path.0).finish());
        of_method.into_iter().take(2).cloned().collect::<Vec<_>>()
    };
    assert_eq!(*again, [drawn("a"), drawn("b")].concat());
}

#[test]
fn an_audit_executes_the_paths_of_programs_backwards_and_apart() {
    let bench = majority("");
    let dir = bench.run_with("r", &options());
    let sealed = reprise::seal::check(&dir).manifest.unwrap();
    let means = Means::new(&KNOWN, bench.data(), MAX_TRIALS);
    let executed: Mutex<Vec<Vec<usize>>> = Mutex::default();
    let execution = Execution {
        amount: Amount::All,
        only: None,
        jobs: 2,
        trust: true,
        readable: &[],
        author: Author::User,
        child: &|_, _| unreachable!("no path took its process down"),
        observer: &|plan, paths| {
            let place = |path: &PlanPath| plan.paths.iter().position(|one| one.id == path.id);
            let programs = paths.iter().filter(|path| path.program.is_some());
            executed.lock().unwrap().push(programs.filter_map(|path| place(path)).collect());
            Box::new(())
        },
    };
    let request = Request { means: &means, verify_data: false, execution: Some(execution) };
    let audited = reprise::harness::audit::audit(&dir, &sealed, &request).unwrap();
    assert!(matches!(audited, Audited::Checked(_)), "{audited:?}");
    let mut places = executed.into_inner().unwrap();
    places.retain(|places| !places.is_empty());
    assert!(places.len() == 3 && places.iter().all(|places| places.len() == 1), "{places:?}");
    assert!(places.is_sorted_by(|one, next| one > next), "{places:?}");
}

#[test]
fn a_density_must_be_one() {
    let density = |id: &str, answer: &str| {
        let script = format!("own/{id}.sh");
        let further = "gives = \"log-likelihoods\"\nmay_fail = true";
        (method(id, &script, further), script, answering(answer))
    };
    // The network has 10 variables.
    let cases = [
        density("even", "sed 's/$/,-6.931471805599453/'"),
        density("double", "sed 's/$/,-6.238324625039508/'"),
    ];
    let methods: String = cases.iter().map(|(method, ..)| method.as_str()).collect();
    let spec = crate::support::spec::density("densities", "", &methods)
        .replace("generated-tree", "tied-network")
        .replace("\"published\"", "{ resample = { train = 500, test = 100, repeats = 1 } }")
        .replace("metrics = [\"test_ll\"]", "metrics = [\"test_ll\", \"total_probability\"]");
    let files: Vec<(&str, &str)> =
        cases.iter().map(|(_, script, text)| (script.as_str(), text.as_str())).collect();
    let bench = Bench::with(&spec, &files);
    let dir = bench.run_with("r", &options());
    let trials = rows(&dir.join("trials.csv"));
    let of = |id: &str| trials.iter().find(|row| row["method"] == id).unwrap();
    assert_eq!(of("even")["status"], "ok", "{}", of("even")["message"]);
    let total: f64 = of("even")["total_probability"].parse().unwrap();
    assert!((total - 1.0).abs() < 1e-9);
    assert!(
        (of("even")["test_ll"].parse::<f64>().unwrap() + 10.0 * std::f64::consts::LN_2).abs()
            < 1e-12
    );
    let (outcome, message) = (&of("double")["outcome"], &of("double")["message"]);
    assert_eq!(outcome, "not-normalised");
    assert!(message.starts_with("the probabilities of all 1024 states sum to 2"), "{message}");
}

/// Of 40 variables no total is known.
#[test]
fn a_density_that_rests_on_an_estimate_is_marked_wherever_it_is_read() {
    let further = "gives = \"log-likelihoods\"";
    let own = method("Own", "own/even.sh", further);
    let claim = "[[claim]]\nid = \"wins\"\ntext = \"The tree wins.\"\nsource = \"here\"\n\
                 check = { wins = { left = \"CL\", right = \"Own\", metric = \"test_ll\", at_least = \"all\" } }\n";
    let parts = [&spec::density("marked", "", &format!("{own}{}\n", spec::CHOW_LIU)), claim];
    let text = parts.concat() + &spec::by_example("CL") + spec::DOTS;
    let even = answering("sed 's/$/,-27.725887222397812/'");
    let bench = Bench::with(&text, &[("own/even.sh", &even)]);
    let dir = bench.run_with("r", &options());
    let read = |file: &str| std::fs::read_to_string(dir.join(file)).unwrap();
    assert!(read("trials.csv").contains(",ok,"));
    let report = read("report.md");
    let note = "‡: normalisation not proven, with the estimated total probability: Own‡ on";
    assert!(report.contains(note), "{report}");
    for file in ["tests.csv", "claims.csv"] {
        let says = "‡ rests on an estimated total probability";
        assert!(read(file).contains(says), "{file}: {}", read(file));
    }
    for file in ["tables/t.md", "figures/f.svg", "report.html"] {
        let text = read(file);
        assert!(text.contains("Own‡"), "{file}: {text}");
    }
    assert!(!report.contains("CL‡"));
    let ask = trusting();
    bench.audit(&dir, &ask).assert_same(2, 2);
}

/// A program whose answers are those that `answer` makes of the seed of the trial and of what a file says, which it may
/// read; and the file. Two runs with another file are two draws, and which is known.
fn drawn(
    id: &str,
    answer: &str,
    further: &str,
    task: impl Fn(&str) -> String,
) -> (Bench, PathBuf, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let draw = folder.path().join("draw");
    let seed = "seed=$(printf '%s' \"$request\" | sed 's/.*\"seed\": *\\([0-9]*\\).*/\\1/')";
    let script = answering(answer).replace(
        "field() {",
        &format!("{seed}\n    draw=$(cat {})\n    field() {{", draw.display()),
    );
    let further = format!("{further}\nreadable = [{:?}]", draw.display().to_string());
    let methods = method(id, &format!("own/{id}.sh"), &further);
    let bench = Bench::with(&task(&methods), &[(&format!("own/{id}.sh"), &script)]);
    (bench, draw, folder)
}

#[test]
fn values_of_a_stochastic_method_are_outside_the_digest_and_compared_as_draws() {
    // Draw 0 and draw 1 are fair coins; draw 2 always guesses the class that most rows have.
    let coin = "case $draw in 2) class=0;; *) class=$((seed / (draw + 1) % 2));; esac; sed \"s/$/,$class/\"";
    let further = format!("{LABELS}\ndeterminism = \"stochastic\"");
    let task = |methods: &str| {
        classification("coin", methods).replace("folds = 3", "folds = 3, repeats = 8")
    };
    let (bench, draw, _folder) = drawn("coin", &format!("{{ {coin}; }}"), &further, task);
    std::fs::write(&draw, "0").unwrap();
    let dir = bench.run_with("r", &options());
    let exact = rows(&dir.join("trials.csv"));
    assert!(exact.iter().all(|row| row["method"] == "NB") && exact.len() == 24);
    let own = rows(&dir.join("external/trials.csv"));
    assert!(
        own.iter().all(|row| row["method"] == "coin" && row["status"] == "ok") && own.len() == 24
    );
    let table = |path: &str| std::fs::read_to_string(dir.join(path)).unwrap();
    assert!(table("tables/t.csv").contains("coin,test_accuracy,,"), "{}", table("tables/t.csv"));
    assert!(!table("external/tables/t.csv").contains("coin,test_accuracy,,"));
    assert!(table("report.md").contains("Of `coin`, another run gives other bits"));
    let before = manifest(&dir);
    assert!(before.native_digest.is_some());

    // Sealed results are read back whole: nothing runs again, and reporting changes no byte.
    let outputs_before = outputs(&dir);
    bench.report("r").unwrap();
    assert_eq!(outputs(&dir), outputs_before);

    let trusted = |amount| Ask { rerun: Some(amount), readable: vec![draw.clone()], ..trusting() };
    for (drawn, differs) in [("0", false), ("1", false), ("2", true)] {
        std::fs::write(&draw, drawn).unwrap();
        let verdict = bench.audit(&dir, &trusted(Amount::All));
        let refuted =
            verdict.differences.iter().any(|text| text.contains("of another distribution"));
        // Of the accuracy and of the error: where they lie, and how they spread.
        let both = 4 * usize::from(differs);
        assert_eq!((refuted, verdict.differences.len()), (differs, both), "{verdict:?}");
        let single = "coin: values of single test examples";
        assert!(verdict.believed.iter().any(|text| text.starts_with(single)), "{verdict:?}");
        let kept = verdict.kept.iter().filter(|text| text.contains("24 fresh draws"));
        assert_eq!(kept.count(), 2 * usize::from(drawn == "1"), "{verdict:?}");
    }
    // Another draw: the same digest, other values.
    let again = bench.run_with("s", &options());
    let after = manifest(&again);
    assert_eq!((after.digest, after.native_digest), (before.digest, before.native_digest));
    assert_ne!(outputs(&again)["external/trials.csv"], outputs_before["external/trials.csv"]);

    // Six draws can't refute anything.
    let task = |methods: &str| {
        classification("few", methods).replace("folds = 3", "folds = 3, repeats = 2")
    };
    let (bench, draw, _folder) = drawn("few", &format!("{{ {coin}; }}"), &further, task);
    std::fs::write(&draw, "0").unwrap();
    let dir = bench.run_with("r", &options());
    std::fs::write(&draw, "2").unwrap();
    let few = bench.audit(&dir, &Ask { readable: vec![draw.clone()], ..trusting() });
    assert!(few.unchecked[0].contains("too few to refute"), "{few:?}");
}

/// The options are one choice's, whatever they look like.
#[test]
fn an_option_that_looks_like_several_is_one() {
    let declared =
        r#"parameters = { cut = { type = "word", words = [",", "a;b=c"], default = "," } }"#;
    let choice = r#"[[choice]]
id = "cut"
question = "Where are lines cut?"
target = "method:majority"
parameter = "cut"
options = [",", "a;b=c"]
chosen = ","
why = "It is usual."
"#;
    let bench = majority(&format!("{declared}\n{choice}"));
    let options = Options { choices: WithChoices::Yes, ..options() };
    let dir = bench.run_with("r", &options);
    let cells = |file: &str, column: &str| -> BTreeSet<String> {
        rows(&dir.join(file)).iter().map(|row| row[column].clone()).collect()
    };
    assert_eq!(cells("trials.csv", "choice"), ["", "cut=a;;b=c"].map(str::to_owned).into());
    assert_eq!(cells("choices.csv", "choice"), ["cut".to_owned()].into());
    assert_eq!(cells("choices.csv", "option"), [",", "a;;b=c"].map(str::to_owned).into());
    assert!(bench.audit(&dir, &Ask::default()).differences.is_empty());
    let sealed = outputs(&dir);
    bench.report("r").unwrap();
    assert_eq!(outputs(&dir), sealed);
}

#[test]
fn values_within_a_tolerance_are_outside_the_digest_and_compared_within_it() {
    let task = |methods: &str| {
        crate::support::spec::density("near", "", methods)
            .replace("generated-tree", "tied-network")
            .replace("\"published\"", "{ resample = { train = 500, test = 100, repeats = 2 } }")
    };
    let further = "gives = \"log-likelihoods\"\ndeterminism = \"tolerance\"\ntolerance = 1e-8";
    let answer = "sed \"s/$/,-6.93147$draw/\"";
    let (bench, draw, _folder) = drawn("near", answer, further, task);
    std::fs::write(&draw, "1805599453").unwrap();
    let dir = bench.run_with("r", &options());
    assert_eq!(rows(&dir.join("trials.csv")).len(), 0);
    let ask = Ask { readable: vec![draw.clone()], ..trusting() };
    for (drawn, within) in [("1805599453", true), ("1805599454", true), ("1955599453", false)] {
        std::fs::write(&draw, drawn).unwrap();
        let verdict = bench.audit(&dir, &ask);
        assert_eq!(verdict.differences.is_empty(), within, "{verdict:?}");
        assert_eq!(verdict.kept.len(), usize::from(within), "{verdict:?}");
        for difference in &verdict.differences {
            assert!(difference.contains("further apart than its tolerance"), "{difference}");
        }
    }
}

/// The worst values once became ones that lack, and predictions the truth, in results that an audit confirmed.
#[test]
fn what_a_program_is_said_to_lack_or_predict_is_asked_of_it() {
    let forged = |determinism: &str| {
        let methods = method("majority", "own/majority.sh", &format!("{LABELS}\n{determinism}"));
        let text =
            classification("kept", &methods).replace("timeout", "keep = \"predictions\"\ntimeout");
        let bench = Bench::with(&text, &[("own/majority.sh", MAJORITY)]);
        let dir = bench.run_with("r", &options());
        let verdict = bench.audit(&dir, &trusting());
        assert!(verdict.differences.is_empty(), "{verdict:?}");
        let file = "external/predictions/conjunction-8.npy";
        let mut bytes = std::fs::read(dir.join(file)).unwrap();
        let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        for record in bytes[header..].chunks_exact_mut(16) {
            record.copy_within(8..12, 12);
        }
        std::fs::write(dir.join(file), bytes).unwrap();
        seal_again(&dir, |_| ());
        bench.report("r").unwrap();
        (bench, dir)
    };
    let (bench, dir) = forged("determinism = \"stochastic\"");
    let verdict = bench.audit(&dir, &trusting());
    verdict.assert_believes(&["majority: values of single test examples, predictions, pictures"]);
    let (bench, dir) = forged("determinism = \"tolerance\"\ntolerance = 1e-6");
    let verdict = bench.audit(&dir, &trusting());
    let says = "predictions: ";
    verdict.assert_differs(&[says]);
    verdict.assert_believes(&["majority: why its trials failed or lack values, in words"]);

    let bench = majority("determinism = \"tolerance\"\ntolerance = 1e-6");
    let dir = bench.run_with("r", &options());
    let path = dir.join("external/trials.csv");
    let worst = rows(&path)[0].clone();
    let value = format!(",{},", worst["test_accuracy"]);
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, row) = text.split_at(text.find(&worst["key"]).unwrap());
    std::fs::write(&path, format!("{before}{}", row.replacen(&value, ",,", 1))).unwrap();
    let lacks = format!("key,metric,why\n{},test_accuracy,none here\n", worst["key"]);
    std::fs::write(dir.join("external/lacks.csv"), &lacks).unwrap();
    seal_again(&dir, |manifest| {
        manifest.files.push(FileEntry::of("external/lacks.csv", lacks.as_bytes()));
        manifest.files.sort_by(|one, other| one.path.cmp(&other.path));
    });
    bench.report("r").unwrap();
    bench.audit(&dir, &trusting()).assert_differs(&[
        "lack of test_accuracy is sealed, and does not come out again",
        "test_accuracy comes out again, and is not sealed",
    ]);
}

/// A tolerance of a billion once made forged values ones that were confirmed.
#[test]
fn a_tolerance_that_confirms_everything_confirms_nothing() {
    let bench = majority("determinism = \"tolerance\"\ntolerance = 1e-3");
    let dir = bench.run_with("r", &options());
    let table = std::fs::read_to_string(dir.join("external/tables/t.md")).unwrap();
    assert!(table.contains("comes out again within a tolerance: majority (0.001)"), "{table}");
    bench.audit(&dir, &trusting()).assert_same(6, 6);
    forge(&dir, "spec.toml", |spec| spec.replace("tolerance = 1e-3", "tolerance = 1e9"));
    let moved = bench.audit(&dir, &trusting()).differences.concat();
    let spec = moved.split("spec is ").nth(1).unwrap().split(',').next().unwrap();
    seal_again(&dir, |manifest| manifest.spec = spec.parse().unwrap());
    let verdict = bench.audit(&dir, &trusting());
    let says = "its tolerance of 1000000000 is above 0.001, and confirms nothing";
    assert!(verdict.unchecked.iter().any(|line| line.contains(says)), "{verdict:?}");
}

#[test]
fn what_a_command_puts_into_an_environment_is_believed() {
    let build = "prepare = [[\"sh\", \"-c\", \"mkdir -p {env} && echo labels > {env}/x\"]]";
    let bench = majority(build);
    let built = "the environment of `majority` is not there yet: it is built now, once";
    assert_says(&bench.command("r", &[]).output().unwrap(), 0, &[built]);
    assert!(!text(&bench.command("r", &["--fresh"]).output().unwrap()).contains(built));
    let dir = bench.results("r");
    let data = Ask { data: true, ..Ask::default() };
    let verdict = bench.audit(&dir, &data);
    verdict
        .assert_believes(&["spec.toml: what `prepare` of majority puts into its environment: sh"]);
    assert!(verdict.differences.is_empty(), "{verdict:?}");
    let environments = bench.folder().join("cache/environments");
    let mut folders = std::fs::read_dir(&environments).unwrap().map(|entry| entry.unwrap().path());
    let environment = folders.find(|path| path.is_dir()).unwrap();
    std::fs::write(environment.join("x"), "other labels").unwrap();
    let says = "environment of majority: \"x\" is not as it was built";
    bench.audit(&dir, &data).assert_differs(&[says]);
}

#[test]
fn what_programs_share_stands_once() {
    let keys =
        "command = [\"sh\", \"own/majority.sh\"]\ncode = [\"own/majority.sh\"]\ndata = \"csv\"\n";
    let program =
        |id: &str, keys: &str| format!("[[method]]\nid = \"{id}\"\nkind = \"command\"\n{keys}\n");
    let once = format!("{keys}mode = \"once\"\n{LABELS}\n");
    let apart = program("a", &format!("{keys}mode = \"once\"\n{LABELS}"))
        + &program("b", &format!("{keys}mode = \"worker\"\n{LABELS}"));
    let shared = program("a", "") + &program("b", "mode = \"worker\"");
    let files = [("own/majority.sh", MAJORITY)];
    let keys = |text: &str| -> Vec<String> {
        let bench = Bench::with(text, &files);
        let dir = bench.run_with("r", &options());
        rows(&dir.join("trials.csv")).into_iter().map(|row| row["key"].clone()).collect()
    };
    let shared = format!("{}[program]\n{once}", classification("shared", &shared));
    assert_eq!(keys(&shared), keys(&classification("shared", &apart)));

    for (text, phrases) in [
        (shared.replace("mode = \"once\"", "mod = \"once\""), ["`mod`", "`[program]`"]),
        (
            shared.replace("mode = \"once\"", "mode = \"twice\""),
            ["`mode` can't be \"twice\"", "\"once\""],
        ),
        (
            shared.replacen("command = [\"sh\", \"own/majority.sh\"]", "", 1),
            ["`command`", "missing"],
        ),
        (
            format!("{}[program]\n{once}", classification("shared", "")),
            ["no method of kind `command`", "[program]"],
        ),
    ] {
        assert_error(&Bench::with(&text, &files).refused("r", &options()), &phrases);
    }
}

#[test]
fn what_is_wrong_with_a_program_is_said_before_it_runs() {
    let refused = |further: &str| majority(further).refused("r", &options());
    let declared = |keys: &str| format!("parameters = {{ depth = {{ {keys} }} }}");
    let crowd: Vec<String> = (0..17).map(|number| format!("w{number}")).collect();
    for (further, phrases) in [
        ("lock = \"own/requirements.txt\"".to_owned(), ["own/requirements.txt", "No such file"]),
        ("determinism = \"tolerance\"".to_owned(), ["there is no `tolerance`", "methods check"]),
        (
            "tolerance = 1e-6".to_owned(),
            ["`tolerance` without `determinism = \"tolerance\"`", "holds for nothing"],
        ),
        (
            "determinism = \"tolerance\"\ntolerance = 0.002".to_owned(),
            ["`tolerance` is above 0.001", "determinism = \"stochastic\""],
        ),
        ("memory = \"4GB\"".to_owned(), ["memory", "a size such as \"512MiB\""]),
        ("readable = [\"/\"]".to_owned(), ["`/` can't be `readable`", "holds all files of a user"]),
        ("readable = [\"/dev\"]".to_owned(), ["`/dev` can't be `readable`", "makes it up"]),
        (format!("readable = {:?}", crowd), ["`w16` can't be `readable`", "after 16 others"]),
        ("devices = [\"nvidia0\"]".to_owned(), ["does not lie below /dev", "/dev/nvidia0"]),
        ("devices = [\"/dev/../etc\"]".to_owned(), ["does not lie below /dev", "/dev/nvidia0"]),
        ("depth = 3".to_owned(), ["`depth`", "a method of kind `command`"]),
        (
            declared("type = \"integer\", from = 1, default = 0"),
            ["default", "a whole number from 1"],
        ),
        (
            declared("type = \"integer\", default = 2") + "\ndepth = 0.5",
            ["depth", "a whole number"],
        ),
        (
            "parameters = { grid = { type = \"boolean\", default = true } }".to_owned(),
            ["a parameter can't be called `grid`", "key of every such method"],
        ),
        (
            "parameters = { \"max-depth\" = { type = \"boolean\", default = true } }".to_owned(),
            ["`max-depth` is no name of a parameter", "letters, digits"],
        ),
        (
            "parameters = { seed = { type = \"boolean\", default = true } }".to_owned(),
            ["a parameter can't be called `seed`", "a column of trials.csv"],
        ),
        (
            "parameters = { test_accuracy = { type = \"boolean\", default = true } }".to_owned(),
            ["a parameter can't be called `test_accuracy`", "a column of trials.csv"],
        ),
    ] {
        assert_error(&refused(&further), &phrases);
    }
    let absent = method("m", "own/none.sh", LABELS);
    let refused = Bench::new(&classification("absent", &absent)).refused("r", &options());
    assert_error(&refused, &["`own/none.sh` in `code`: no file matches it"]);
    let interpreter =
        method("m", "own/m.sh", LABELS).replace("[\"sh\"", "[\"no-such-interpreter\"");
    let bench =
        Bench::with(&classification("interpreter", &interpreter), &[("own/m.sh", MAJORITY)]);
    assert_error(&bench.refused("r", &options()), &["no-such-interpreter"]);
    // Nothing was made.
    assert!(!bench.results("r").exists());
    // Whoever asks for native methods alone needs no interpreter.
    let only = Options { only: Some("method=NB".parse().unwrap()), ..options() };
    bench.run_with("r", &only);
    let wrong = classification("task", &method("m", "own/m.sh", "gives = \"log-likelihoods\""));
    let refused = Bench::with(&wrong, &[("own/m.sh", MAJORITY)]).refused("r", &options());
    assert_error(&refused, &["a program that gives `log-likelihoods` does not do classification"]);
}

/// What a process makes up when it starts is its own: another one says something else.
#[test]
fn a_trial_is_asked_again_before_it_is_sealed() {
    let own = "#!/bin/sh\ndraw=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')\n";
    let answer = answering("sed \"s/$/,-6.93147180$draw/\"").replacen("#!/bin/sh\n", own, 1);
    let bench = |promise: &str| {
        let further = format!("gives = \"log-likelihoods\"\n{promise}");
        let text = spec::density("own", "", &method("own", "own/own.sh", &further))
            .replace("generated-tree", "tied-network")
            .replace("\"published\"", "{ resample = { train = 50, test = 20, repeats = 2 } }");
        Bench::with(&text, &[("own/own.sh", &answer)])
    };
    let exact = bench("");
    // Nor does a second attempt seal what the first one refused.
    for _ in 0..2 {
        let refused = exact.refused("r", &options());
        let says =
            ["asked again in a new process: own on tied-network", "test_ll is not what it was"];
        assert_error(&refused, &says);
        assert!(!exact.results("r").join("manifest.toml").exists());
    }
    bench("determinism = \"tolerance\"\ntolerance = 1e-6").run_with("r", &options());
    let once = exact.command("r", &[]).output().unwrap();
    assert_says(&once, 1, &["reprise methods check", "mode = \"once\""]);
}

#[test]
fn a_check_says_what_answers_depend_on() {
    // The second trial of a process is answered in another way.
    let state =
        answering("sed \"s/$/,$((n % 2))/\"").replace("field() {", "n=$((n + 1))\n    field() {");
    let seeded = answering("sed \"s/$/,$(($(seed) % 2))/\"").replace(
        "field() {",
        "seed() { printf '%s' \"$request\" | sed 's/.*\"seed\": *\\([0-9]*\\).*/\\1/'; }\n    field() {",
    );
    let methods = ["majority", "state", "seeded"]
        .map(|id| method(id, &format!("own/{id}.sh"), LABELS))
        .concat();
    let files =
        [("own/majority.sh", MAJORITY), ("own/state.sh", &state), ("own/seeded.sh", &seeded)];
    let bench = Bench::with(&classification("checked", &methods), &files);
    let check = |method: &str| {
        let mut command = bench.reprise();
        command.args(["methods", "check"]).arg(bench.spec()).arg(method).output().unwrap()
    };
    let same = "another seed the same bits";
    assert_says(
        &check("majority"),
        0,
        &[
            "majority on conjunction-8, repeat 0, fold 0",
            "another process the same bits",
            same,
            "it can promise determinism = \"bitwise\"",
        ],
    );
    assert_says(
        &check("state"),
        1,
        &[
            "asked twice",
            "labels are others",
            "it can promise determinism = \"stochastic\"; its [[method]] promises",
        ],
    );
    assert_says(
        &check("seeded"),
        0,
        &["asked twice the same bits", "another order of the rows the same bits", "it can promise"],
    );
    let words = text(&check("seeded"));
    let words = words.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(words.contains("another seed") && !words.contains(same), "{words}");
    assert_says(&check("NB"), 2, &["`NB` can't be checked: `NB` is no program"]);
    assert_says(&check("none"), 2, &["the experiment has no trial of `none`"]);
}

/// Code lies below the experiment file, so the experiments have a copy of the helper: that which their results are sealed with.
#[test]
fn the_helper_of_the_experiments_is_the_sealed_one() {
    let copy = include_str!("../../experiments/external/reprise_method.py");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/external/density");
    let sealed = std::fs::read_to_string(folder.join("code/reprise_method.py")).unwrap();
    assert_eq!(copy, sealed);
}
