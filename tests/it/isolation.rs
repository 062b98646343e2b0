//! What one trial does never reaches another: every bad end is recorded with its message while the
//! others go on, and a path that takes the process down twice is skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reprise::base::derived::Derived;
use reprise::base::digest::Digest;
use reprise::base::file_error::FileError;
use reprise::base::parallel::Cores;
use reprise::contract::binary::{BinaryRows, DistinctRows};
use reprise::contract::parameter::{Count, Parameters, parameters};
use reprise::contract::{Carry, Context, DensityModel, Fit, FitError, MethodEntry, MethodId};
use reprise::data::{DataConfig, Library};
use reprise::harness::again::{Amount, Execution};
use reprise::harness::audit::Checked;
use reprise::harness::environment::Environment;
use reprise::harness::outputs::{Outputs, Records, Renderings};
use reprise::harness::planned::Planned;
use reprise::harness::{self, Session};
use reprise::run::datasets::Datasets;
use reprise::run::endings::Endings;
use reprise::run::error::RunError;
use reprise::run::executor::{self, Observer, Options};
use reprise::run::needs::Needs;
use reprise::run::plan::{MAX_TRIALS, Path as PlanPath, Plan, WithChoices, plan};
use reprise::run::pool::Pool;
use reprise::run::programs::Author;
use reprise::run::store::Folder;
use reprise::run::{Outcome, Status, Trial};
use reprise::spec::{Catalogue, Experiment, Known, KnownDataset, Lists, load};
use reprise::task::TASKS;
use testing::plain;

use crate::support::experiment::Bench;
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::assert_says;

/// A model that gives every row the same log-likelihood.
struct Constant(f64);

impl DensityModel for Constant {
    fn log_likelihoods(&self, rows: &BinaryRows, _: &Cores) -> Vec<f64> {
        vec![self.0; rows.len()]
    }
}

fn fine() -> Result<Box<dyn DensityModel>, FitError> {
    Ok(Box::new(Constant(-1.0)))
}

const fn entry(kind: &'static str, fits: &'static [Fit]) -> MethodEntry {
    MethodEntry { fits, ..plain(kind) }
}

type Fitted = Result<Box<dyn DensityModel>, FitError>;

fn slow(_: &Parameters, _: &DistinctRows, context: &Context, _: &mut Carry) -> Fitted {
    loop {
        context.check()?;
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn overflow(depth: u64) -> u64 {
    std::hint::black_box([depth; 64]);
    if depth == u64::MAX { 0 } else { 1 + overflow(depth + 1) }
}

/// Which trial of a path it is, or which method.
const TURN: Count = Count::from("turn", 1, 1, "a number");

static KNOWN: LazyLock<Lists> = LazyLock::new(|| Lists {
    catalogue: Catalogue::new(METHODS.to_vec(), TASKS.to_vec()),
    kinds: reprise::report::KINDS,
});

static METHODS: &[&MethodEntry] = &[
    &entry("fine", &[Fit::Density(|_, _, _, _| fine())]),
    &entry("panics", &[Fit::Density(|_, _, _, _| panic!("no good at {}", 7))]),
    &entry(
        "helpers-panic",
        &[Fit::Density(|_, _, context, _| {
            let work = |(): &mut (), range: std::ops::Range<usize>| {
                assert!(range.start < 10, "no good at {}", range.start);
            };
            context.cores.map_chunks(100, 1, || (), work);
            fine()
        })],
    ),
    &entry(
        "fails",
        &[Fit::Density(|_, _, _, _| Err(FitError::Failed("singular, line 1\nline 2".into())))],
    ),
    &entry("not-finite", &[Fit::Density(|_, _, _, _| Ok(Box::new(Constant(f64::NAN))))]),
    &entry(
        "not-for-this",
        &[Fit::Density(|_, _, _, _| Err(FitError::NotApplicable("one class".into())))],
    ),
    &entry("slow", &[Fit::Density(slow)]),
    &MethodEntry {
        parameters: parameters![TURN],
        along: &["turn"],
        ..entry(
            "second-is-slow",
            &[Fit::Density(|parameters, train, context, carry| match parameters.get(&TURN) {
                2 => slow(parameters, train, context, carry),
                _ => fine(),
            })],
        )
    },
    &MethodEntry {
        parameters: parameters![TURN],
        ..entry(
            "naps",
            &[Fit::Density(|_, _, _, _| {
                std::thread::sleep(Duration::from_millis(200));
                fine()
            })],
        )
    },
    &entry("aborts", &[Fit::Density(|_, _, _, _| std::process::abort())]),
    &entry("overflows", &[Fit::Density(|_, _, _, _| Ok(Box::new(Constant(overflow(0) as f64))))]),
    &entry(
        "helpers-overflow",
        &[Fit::Density(|_, _, context, _| {
            context.cores.map_chunks(
                2,
                1,
                || (),
                |(), range| {
                    if std::thread::current().name() == Some(reprise::base::parallel::TRIAL_THREAD)
                    {
                        // Both chunks are begun before the process dies.
                        std::thread::sleep(Duration::from_millis(20));
                    }
                    overflow(range.start as u64)
                },
            );
            fine()
        })],
    ),
];

/// An experiment on generated data with these methods.
fn experiment(folder: &Path, kinds: &[&str], timeout: &str) -> Experiment {
    let method = |kind: &&str| format!("[[method]]\nid = \"{kind}\"\nkind = \"{kind}\"\n");
    of_methods(folder, &kinds.iter().map(method).collect::<String>(), "\"method\"", timeout)
}

fn of_methods(folder: &Path, methods: &str, columns: &str, timeout: &str) -> Experiment {
    let spec = format!(
        "schema = 1\n[experiment]\nid = \"isolation\"\ntitle = \"Isolation\"\nseed = 1\n\
         [task]\nkind = \"density\"\ndatasets = [\"generated-tree\"]\nsplit = \"published\"\n\
         metrics = [\"test_ll\"]\n{timeout}\n\
         [[table]]\nid = \"t\"\nrows = \"dataset\"\ncolumns = {columns}\nmetric = \"test_ll\"\n\
         digits = 2\n{methods}"
    );
    let path = folder.join("isolation.toml");
    std::fs::write(&path, spec).unwrap();
    let id = "generated-tree".into();
    let datasets = [KnownDataset { id, parameters: Vec::new(), foreseen: None, grouped: false }];
    let known = Known { lists: &KNOWN, datasets: &datasets, code: None };
    load(&path, None, None, &known).unwrap()
}

/// Keeps outcomes by method.
fn keeping<'a>(
    plan: &'a Plan,
    kept: &'a Mutex<BTreeMap<MethodId, Outcome>>,
) -> impl Fn(&PlanPath, Vec<Outcome>) -> Result<(), FileError> + Sync + 'a {
    move |path, outcomes| {
        let methods = path.trials.iter().map(|&trial| plan.trials[trial].method.clone());
        kept.lock().unwrap().extend(methods.zip(outcomes));
        Ok(())
    }
}

struct Unobserved;

impl Observer for Unobserved {
    fn started(&self, _: &PlanPath) {}
    fn ended(&self, _: &PlanPath, _: &[Outcome]) {}
}

/// The data, with a cache in a results folder.
fn library(dir: &Path) -> Library {
    let config = DataConfig { cache: Some(dir.join("cache")), ..DataConfig::default() };
    Library::open(&config, None).unwrap()
}

/// Plans an experiment on its data.
fn planned<'l>(experiment: &Experiment, library: &'l Library) -> (Plan, Datasets<'l>) {
    let datasets = Datasets::load(library, experiment, &[], MAX_TRIALS).unwrap();
    let facts = datasets.facts(experiment).unwrap();
    let plan = plan(experiment, &facts, WithChoices::No, &[], MAX_TRIALS).unwrap();
    (plan, datasets)
}

fn options(jobs: usize, endings: Endings) -> Options {
    let options = Options::new(jobs, Derived::default(), None);
    Options { endings, memory: u64::MAX, ..options }
}

/// Runs an experiment in a results folder, as `reprise run` does; the outcomes by method.
fn run(experiment: &Experiment, dir: &Path, jobs: usize) -> BTreeMap<MethodId, Outcome> {
    let library = library(dir);
    let (plan, datasets) = planned(experiment, &library);
    let folder = Folder::open(dir, &KNOWN.catalogue.metrics).unwrap();
    let needs = Needs::default();
    let options = options(jobs, folder.watch().unwrap());
    let paths: Vec<&PlanPath> = plan.paths.iter().collect();
    let kept = Mutex::default();
    let keep = keeping(&plan, &kept);
    let pool = Pool { experiment, plan: &plan, datasets: &datasets, needs: &needs };
    let all = executor::execute(&pool, &paths, &options, &keep, &Unobserved);
    assert!(all.unwrap());
    drop(keep);
    kept.into_inner().unwrap()
}

#[test]
fn every_bad_end_is_recorded_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = ["panics", "helpers-panic", "fails", "not-finite", "not-for-this", "slow", "fine"];
    let experiment = experiment(folder.path(), &kinds, "timeout = 0.05");
    // With more jobs than trials, helper threads take part.
    for jobs in [1, 2, 12] {
        let outcomes = run(&experiment, &folder.path().join("r"), jobs);
        let ended = |method: &str| (outcomes[method].status(), outcomes[method].message.as_str());
        assert_eq!(ended("panics"), (Status::Failed, "panicked: no good at 7"));
        assert_eq!(ended("helpers-panic"), (Status::Failed, "panicked: no good at 10"));
        assert_eq!(ended("fails"), (Status::Failed, "singular, line 1\nline 2"));
        let broken = "not a finite number: test_ll, train_ll, valid_ll";
        assert_eq!(ended("not-finite"), (Status::Nonfinite, broken));
        let inapplicable = (Status::NotApplicable, "not applicable: one class");
        assert_eq!(ended("not-for-this"), inapplicable);
        assert_eq!(ended("slow"), (Status::Timeout, "the time limit passed"));
        assert_eq!(ended("fine"), (Status::Ok, ""));
        assert_eq!(outcomes["fine"].metrics.get("test_ll").unwrap().value(), -1.0);
    }
}

/// Whether they would end in time hangs on the clock.
#[test]
fn what_follows_a_time_out_on_its_path_does_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let kind = "second-is-slow";
    let method =
        format!("[[method]]\nid = \"{kind}\"\nkind = \"{kind}\"\nsweep = {{ turn = [1, 2, 3] }}\n");
    let columns = "[\"method\", \"sweep:turn\"]";
    let experiment = of_methods(folder.path(), &method, columns, "timeout = 0.5");
    let library = library(folder.path());
    let (plan, datasets) = planned(&experiment, &library);
    let paths: Vec<&PlanPath> = plan.paths.iter().collect();
    assert_eq!((paths.len(), paths[0].trials.len()), (1, 3));
    let needs = Needs::default();
    let options = options(1, Endings::default());
    // In the order in which their paths finish.
    let kept = Mutex::new(Vec::new());
    let keep = |_: &PlanPath, outcomes: Vec<Outcome>| {
        kept.lock().unwrap().extend(outcomes);
        Ok(())
    };
    let pool = Pool { experiment: &experiment, plan: &plan, datasets: &datasets, needs: &needs };
    let all = executor::execute(&pool, &paths, &options, &keep, &());
    assert!(all.unwrap());
    let outcomes = kept.into_inner().unwrap();
    let ended: Vec<_> =
        outcomes.iter().map(|outcome| (outcome.status(), outcome.message.as_str())).collect();
    let earlier = "the time limit passed earlier on its path";
    let expected =
        [(Status::Ok, ""), (Status::Timeout, "the time limit passed"), (Status::Timeout, earlier)];
    assert_eq!(ended, expected);
}

/// Sees which paths run at once.
struct AtOnce {
    killed: Digest,
    running: Mutex<Vec<Digest>>,
    /// The most at once, and the most while the killed one ran.
    most: Mutex<[usize; 2]>,
}

impl Observer for AtOnce {
    fn started(&self, path: &PlanPath) {
        let mut running = self.running.lock().unwrap();
        running.push(path.id);
        let mut most = self.most.lock().unwrap();
        most[0] = most[0].max(running.len());
        if running.contains(&self.killed) {
            most[1] = most[1].max(running.len());
        }
    }

    fn ended(&self, path: &PlanPath, _: &[Outcome]) {
        self.running.lock().unwrap().retain(|&running| running != path.id);
    }
}

#[test]
fn a_path_that_was_killed_for_want_of_memory_gets_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let method =
        |turn: u32| format!("[[method]]\nid = \"m{turn}\"\nkind = \"naps\"\nturn = {turn}\n");
    let methods: String = (1..=6).map(method).collect();
    let experiment = of_methods(folder.path(), &methods, "\"method\"", "");
    let library = library(folder.path());
    let (plan, datasets) = planned(&experiment, &library);
    let paths: Vec<&PlanPath> = plan.paths.iter().collect();
    assert_eq!(paths.len(), 6);
    let killed = paths[2].id;
    std::fs::write(folder.path().join("gone.blamed"), &killed.0[..8]).unwrap();
    let endings = Endings::watch(folder.path(), "run").unwrap();
    assert_eq!(endings.kills.of(killed), 1);
    let needs = Needs::default();
    let options = options(4, endings);
    let seen = AtOnce { killed, running: Mutex::default(), most: Mutex::default() };
    // In the order in which their paths finish.
    let kept = Mutex::new(Vec::new());
    let keep = |_: &PlanPath, outcomes: Vec<Outcome>| {
        kept.lock().unwrap().extend(outcomes);
        Ok(())
    };
    let pool = Pool { experiment: &experiment, plan: &plan, datasets: &datasets, needs: &needs };
    let all = executor::execute(&pool, &paths, &options, &keep, &seen);
    assert!(all.unwrap());
    let [most, beside] = *seen.most.lock().unwrap();
    assert!(most > 1 && beside == 1, "{most} {beside}");
    assert!(kept.into_inner().unwrap().iter().all(|outcome| outcome.status() == Status::Ok));
}

/// A path that took its process down, or ran out of time, comes out again as such: executed again, the
/// former in another process.
#[test]
fn bad_ends_come_out_again() {
    let folder = tempfile::tempdir().unwrap();
    let config = DataConfig { cache: Some(folder.path().join("cache")), ..DataConfig::default() };
    let session = Session {
        experiment: experiment(folder.path(), &["aborts", "slow", "fine"], "timeout = 0.05"),
        universes: Vec::new(),
        library: Library::open(&config, None).unwrap(),
        dir: folder.path().join("r"),
        max_trials: MAX_TRIALS,
        untrusted: false,
    };
    let planned = Planned::new(&session, WithChoices::No, None).unwrap();
    let plan = &planned.plan;
    let mut lock = Folder::open(&session.dir, &KNOWN.catalogue.metrics).unwrap();
    let others: Vec<&PlanPath> =
        plan.paths.iter().filter(|path| path.entry.kind != "aborts").collect();
    let kept = Mutex::default();
    let keep = keeping(plan, &kept);
    let options = options(1, Endings::default());
    executor::execute(&planned.pool(), &others, &options, &keep, &Unobserved).unwrap();
    drop(keep);
    let mut kept = kept.into_inner().unwrap();
    kept.insert("aborts".into(), executor::crashed());
    let outcome = |trial: &Trial| (trial.key, Arc::new(kept[&trial.method].clone()));
    let outcomes = plan.trials.iter().map(outcome).collect();
    let records = Records::of_plan(&planned, planned.records(&outcomes));
    let (derived, environment) =
        (Renderings::with(BTreeSet::new()), Some(Environment::now(1, None, None)));
    let outputs = Outputs::new(&session, &records, WithChoices::No, derived, environment).unwrap();
    let (_, manifest) = outputs.publish(&mut lock).unwrap();

    let again = |script: &str| {
        let child = |id: Digest, journal: &Path| {
            if script.starts_with("kill -SEGV") {
                // As the handler of signals does when the process itself is at fault.
                std::fs::write(journal.join("again.crashes"), &id.0[..8]).unwrap();
            }
            let mut command = Command::new("sh");
            command.arg("-c").arg(script);
            command
        };
        fn observer<'p>(_: &'p Plan, _: &[&PlanPath]) -> Box<dyn Observer + 'p> {
            Box::new(Unobserved)
        }
        let execution = Execution {
            only: None,
            amount: Amount::All,
            jobs: 1,
            trust: false,
            readable: &[],
            author: Author::Stranger,
            child: &child,
            observer: &observer,
        };
        let mut found = Checked::default();
        let again = harness::again::again;
        assert!(again(&session, &manifest, &execution, &mut found).unwrap());
        found
    };
    let crashed = again("kill -SEGV $$");
    assert_eq!((crashed.executed, crashed.paths), (3, 3));
    assert_eq!((crashed.skipped, crashed.differences), (Vec::new(), Vec::new()));
    let place = "aborts on generated-tree, repeat 0, fold 0: sealed as crashed, and the process that \
                 executed it again";
    let outside = again("kill -KILL $$");
    let says = "sealed as crashed, and a signal from outside ended the process";
    assert!(outside.skipped[0].contains(says), "{:?}", outside.skipped);
    let fails = again("echo no data >&2; exit 3");
    assert_eq!((fails.executed, fails.differences.len()), (2, 0));
    assert_eq!(fails.skipped, [format!("{place} ended with 3: no data")]);
    assert_eq!(again("true").skipped, [format!("{place} journaled nothing")]);
}

#[test]
fn a_journal_that_keeps_nothing_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(folder.path(), &["fine", "fails"], "");
    let dir = folder.path().join("r");
    let library = library(&dir);
    let (plan, datasets) = planned(&experiment, &library);
    let paths: Vec<&PlanPath> = plan.paths.iter().collect();
    let needs = Needs::default();
    let options = options(1, Endings::default());
    let mut folder = Folder::open(&dir, &KNOWN.catalogue.metrics).unwrap();
    // As often as a damage is hoped to be an accident, it is mended.
    for (damages, mended) in [(0, true), (1, true), (2, false)] {
        let times = Mutex::new(0);
        let ended = folder.journaled(&plan, &paths, |paths, sink| {
            let pool =
                Pool { experiment: &experiment, plan: &plan, datasets: &datasets, needs: &needs };
            let all = executor::execute(&pool, paths, &options, sink, &Unobserved);
            let mut times = times.lock().unwrap();
            *times += 1;
            if *times <= damages {
                std::fs::write(dir.join(".journal/run.journal"), "lost\n").unwrap();
            }
            all
        });
        assert_eq!(*times.lock().unwrap(), (damages + 1).min(2));
        match ended {
            Ok(all) => assert!(all && mended),
            Err(RunError::Lost { paths: 2, .. }) => assert!(!mended),
            Err(error) => panic!("{error}"),
        }
        folder.forget().unwrap();
    }
}

/// Runs `experiment` in a process of its own, which is this test once more.
fn in_a_process_of_its_own(test: &str, dir: &Path) -> std::process::Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("isolation::{test}"), "--nocapture", "--test-threads", "1"])
        .env("REPRISE_TEST_ISOLATION", dir)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A method that takes the process down is crashed at the third time; the innocent one that runs
/// beside it never is.
fn takes_the_process_down(test: &str, kind: &str, jobs: usize, says: &str) {
    if let Some(dir) = std::env::var_os("REPRISE_TEST_ISOLATION") {
        let dir = Path::new(&dir);
        let experiment = experiment(dir, &[kind, "slow"], "timeout = 1");
        let outcomes = run(&experiment, &dir.join("r"), jobs);
        let crashed = "it took the process down twice; `--fresh` tries again";
        assert_eq!(outcomes[kind].status(), Status::Crashed);
        assert_eq!(outcomes[kind].message, crashed);
        assert_eq!(outcomes["slow"].status(), Status::Timeout);
        println!("three times lucky");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let output = in_a_process_of_its_own(test, folder.path());
        assert_eq!(output.status.code(), None, "a signal ends it");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(says), "{text}");
    }
    let output = in_a_process_of_its_own(test, folder.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("three times lucky"), "{text}");
}

#[test]
fn an_abort_twice_is_a_crash() {
    takes_the_process_down("an_abort_twice_is_a_crash", "aborts", 2, "");
}

#[test]
fn a_stack_overflow_twice_is_a_crash() {
    let test = "a_stack_overflow_twice_is_a_crash";
    takes_the_process_down(test, "overflows", 2, "has overflowed its stack");
}

#[test]
fn a_stack_overflow_of_a_helper_is_blamed_on_its_trial() {
    let test = "a_stack_overflow_of_a_helper_is_blamed_on_its_trial";
    takes_the_process_down(test, "helpers-overflow", 4, "has overflowed its stack");
}

/// One method that does well, and another.
fn beside_a_good_one(task: &str, other: &str) -> String {
    spec::density("ends", task, &format!("{CHOW_LIU}\n{other}"))
}

#[test]
fn a_configuration_that_makes_no_sense_leaves_the_exit_code_alone() {
    let inapplicable = "[[method]]\nid = \"NB\"\nkind = \"latent-nb\"\ncomponents = 5000\n";
    let bench = Bench::new(&beside_a_good_one("", inapplicable));
    assert_says(&bench.command("r", &[]).output().unwrap(), 0, &["not-applicable"]);
}

#[test]
fn a_time_out_is_not_final() {
    let slow = "[[method]]\nid = \"NB\"\nkind = \"latent-nb\"\nrestarts = 2";
    let limited = |timeout: &str| beside_a_good_one(&format!("timeout = {timeout}"), slow);
    let bench = Bench::new(&limited("1e-6"));
    let first = bench.command("r", &[]).output().unwrap();
    assert_says(&first, 4, &["NB on generated-tree", "timeout", "sealed as incomplete"]);
    let again = bench.command("r", &[]).output().unwrap();
    assert_says(&again, 4, &["timeout", "sealed as incomplete"]);
    // With time enough it is done, although its time-out was sealed.
    let enough = Bench::beside(&bench, &limited("60"));
    let plan = enough.subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&plan, 0, &["1 to run: it ran out of time"]);
    let done = enough.command("r", &[]).output().unwrap();
    assert_says(&done, 0, &["2 of 2 trials ok"]);
}
