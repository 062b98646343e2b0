//! What is stored is neither lost, nor taken for more than it is: later runs, reports and audits
//! over results that exist.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use reprise::seal::Manifest;

use crate::support::experiment::{Bench, assert_says, digest, forge, journaled_paths, outputs};
use crate::support::server::{Reply, Server};

/// A grid, and a method that coincides with one of its points.
const SPEC: &str = r#"
schema = 1
[experiment]
id = "stored"
title = "Stored"
seed = 1
[task]
kind = "density"
datasets = ["generated-tree"]
split = "published"
repeats = 2
metrics = ["test_ll"]
[[method]]
id = "Tuned"
kind = "latent-nb"
restarts = 1
tolerance = 0.1
grid = { components = [1, 3] }
select = "valid_ll"
[[method]]
id = "One"
kind = "latent-nb"
restarts = 1
tolerance = 0.1
components = 1
[[table]]
id = "t"
rows = "dataset"
columns = "method"
metric = "test_ll"
digits = 2
"#;

const CHOICE: &str = r#"
[[choice]]
id = "remainder"
question = "?"
target = ["method:One"]
parameter = "remainder"
options = ["unassigned", "spread"]
chosen = "unassigned"
why = "."
"#;

const FIGURE: &str = r#"
[[figure]]
id = "f"
kind = "line"
x = "grid:components"
y = "test_ll"
series = "method"
methods = ["Tuned"]
"#;

fn complete(dir: &Path) -> bool {
    Manifest::read(dir).unwrap().unwrap().complete
}

fn lines(dir: &Path) -> usize {
    std::fs::read_to_string(dir.join("trials.csv")).unwrap().lines().count()
}

#[test]
fn configurations_that_coincide_are_reported_each() {
    let bench = Bench::new(SPEC);
    let dir = bench.run("r", &[]);
    let before = outputs(&dir);
    let report = bench.subcommand("report", "r", &[]).output().unwrap();
    assert_says(&report, 0, &["6 of 6 trials ok"]);
    assert_eq!(outputs(&dir), before);
    // The path of both is planned for the first one.
    let only = bench.command("only", &["--only", "method=One"]).output().unwrap();
    assert_says(&only, 0, &["4 of 6 trials ok, 2 missing", "sealed as incomplete"]);
    assert_eq!(outputs(&bench.run("only", &[])), before);
}

#[test]
fn what_only_names_must_exist() {
    let bench = Bench::new(SPEC);
    for (only, says) in [
        ("method=On", "did you mean `One`?"),
        ("dataset=nltcs", "--only dataset=nltcs: no trial has this dataset"),
        ("repeat=2", "--only repeat=2: no trial has this repeat"),
    ] {
        assert_says(&bench.command("r", &["--only", only]).output().unwrap(), 2, &[says]);
        assert!(!bench.results("r").join("manifest.toml").exists());
    }
}

#[test]
fn a_fresh_run_that_cannot_begin_forgets_nothing() {
    let bench = Bench::new(SPEC);
    let dir = bench.run("r", &["--shard", "1/1"]);
    let before = journaled_paths(&dir);
    let typo = bench.command("r", &["--fresh", "--only", "method=Oen"]).output().unwrap();
    assert_says(&typo, 2, &["no trial has this method"]);
    assert_eq!(journaled_paths(&dir), before);
}

#[test]
fn finished_choices_are_not_lost() {
    let bench = Bench::new(&format!("{SPEC}{CHOICE}{FIGURE}"));
    let dir = bench.run("r", &["--choices"]);
    let (before, rows) = (outputs(&dir), lines(&dir));
    let kept = ["sealed trials", "are no trials of this run", "`run --choices` keeps those"];
    assert_says(&bench.command("r", &["--png"]).output().unwrap(), 2, &kept);
    assert_eq!(outputs(&dir), before);
    // Pictures change nothing else.
    let sealed = digest(&dir);
    let report = bench.subcommand("report", "r", &["--png"]).output().unwrap();
    assert_says(&report, 0, &[]);
    assert!(dir.join("figures/f.png").exists());
    assert_eq!((digest(&dir), lines(&dir)), (sealed, rows));
    let again = bench.command("r", &["--choices", "--png"]).output().unwrap();
    assert_says(&again, 0, &["already sealed"]);
    // Another experiment file, without --choices.
    let spec = format!("{SPEC}{CHOICE}").replace("repeats = 2", "repeats = 3");
    let wider = Bench::beside(&bench, &spec);
    assert_says(&wider.command("r", &[]).output().unwrap(), 2, &kept);
    let fresh = wider.run("fresh", &["--choices"]);
    assert_eq!(outputs(&wider.run("r", &["--choices"])), outputs(&fresh));
    // Unless they are given up.
    let plain = wider.run("plain", &[]);
    assert_eq!(outputs(&wider.run("r", &["--replace"])), outputs(&plain));
    assert!(!Manifest::read(&dir).unwrap().unwrap().choices);
}

#[test]
fn options_that_an_interrupted_run_finished_are_kept_and_not_sealed() {
    let bench = Bench::new(&format!("{SPEC}{CHOICE}"));
    bench.run("r", &["--choices", "--shard", "1/1"]);
    let dir = bench.run("r", &[]);
    assert_eq!(outputs(&dir), outputs(&bench.run("plain", &[])));
    let plan = bench.subcommand("plan", "r", &["--choices"]).output().unwrap();
    assert_says(&plan, 0, &["Nothing to run."]);
    assert_eq!(outputs(&bench.run("r", &["--choices"])), outputs(&bench.run("c", &["--choices"])));
}

#[test]
fn what_a_seal_left_out_runs_again_when_it_is_needed() {
    // The seal keeps no test score of unselected points. The better fit to the training rows is
    // the less smooth one.
    let grid = "kind = \"chow-liu\"\ngrid = { smoothing = [0.01, 1.0] }";
    let nb = "kind = \"latent-nb\"\nrestarts = 1\ntolerance = 0.1\ngrid = { components = [1, 3] }";
    let spec = SPEC.replace(nb, grid);
    for changed in [
        spec.replace("valid_ll", "train_ll"),
        format!("{spec}{FIGURE}").replace("grid:components", "grid:smoothing"),
    ] {
        let bench = Bench::new(&spec);
        let dir = bench.run("r", &[]);
        let bench = Bench::beside(&bench, &changed);
        let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
        assert_says(&plan, 0, &["4 trials 2 to run: what is stored is not"]);
        let report = bench.subcommand("report", "r", &[]).output().unwrap();
        assert_says(&report, 0, &["missing"]);
        assert!(!complete(&dir));
        bench.run("r", &[]);
        assert!(complete(&dir));
        assert_eq!(outputs(&dir), outputs(&bench.run("fresh", &[])));
    }
}

#[test]
fn results_of_other_data_are_not_taken_for_present_ones() {
    let bench = Bench::new(&SPEC.replace("generated-tree", "mine"));
    let registry = |seed: u64| {
        let text = format!(
            "schema = 1\n[dataset.mine]\ntitle = \"Mine\"\nkind = \"binary\"\n\
             citation = \"none\"\nlicence = \"none\"\n\
             generator = {{ kind = \"tree\", seed = {seed}, variables = 8, train = 200, \
             valid = 50, test = 50 }}\n"
        );
        std::fs::write(bench.folder().join("datasets.toml"), text).unwrap();
    };
    registry(1);
    let dir = bench.run("r", &[]);
    let before = digest(&dir);
    assert_says(&bench.command("r", &[]).output().unwrap(), 0, &["already sealed"]);
    registry(2);
    let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&plan, 0, &["0 done", "to run: the dataset changed"]);
    let lost =
        ["4 sealed trials", "`run --replace` gives them up", "a --results folder of its own"];
    assert_says(&bench.command("r", &[]).output().unwrap(), 2, &lost);
    assert_eq!(digest(&dir), before);
    bench.run("r", &["--replace"]);
    assert_ne!(digest(&dir), before);
}

#[test]
fn a_report_never_passes_old_results_for_new_ones() {
    let bench = Bench::new(SPEC);
    let dir = bench.run("r", &[]);
    let revision = Manifest::read(&dir).unwrap().unwrap().methods["latent-nb"];
    // As if an earlier revision had made them.
    forge(&dir, "trials.csv", |text| {
        text.replace(&format!("latent-nb,{revision},"), "latent-nb,0,")
    });
    assert!(bench.subcommand("report", "r", &[]).status().unwrap().success());
    assert_eq!(Manifest::read(&dir).unwrap().unwrap().methods["latent-nb"], 0);
}

#[test]
fn a_report_that_is_killed_loses_nothing() {
    let bench = Bench::new(SPEC);
    let dir = bench.run("r", &[]);
    let before = outputs(&dir);
    for delay in 0..30 {
        let mut report = bench.subcommand("report", "r", &["--offline"]);
        let mut child = report.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&plan, 0, &["Nothing to run."]);
    assert_eq!(outputs(&bench.run("r", &[])), before);
    let audit = bench.reprise().arg("audit").arg(&dir).output().unwrap();
    assert_says(&audit, 0, &["0 differences"]);
}

#[test]
fn a_broken_seal_is_named_by_plan_and_report() {
    let bench = Bench::new(SPEC);
    let dir = bench.run("r", &[]);
    std::fs::write(dir.join("notes.txt"), "mine").unwrap();
    for subcommand in ["plan", "report", "run"] {
        let output = bench.subcommand(subcommand, "r", &[]).output().unwrap();
        assert_says(&output, 1, &["notes.txt: not listed", "remove those that are not listed"]);
    }
    std::fs::remove_file(dir.join("notes.txt")).unwrap();
    // Without its seal, nothing of it counts.
    std::fs::remove_file(dir.join("manifest.toml")).unwrap();
    let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&plan, 0, &["0 done", "what is stored is not sealed"]);
}

#[test]
fn a_forged_table_does_not_come_out_again() {
    let bench = Bench::new(SPEC);
    let dir = bench.run("r", &[]);
    let audit = || {
        let mut audit = bench.reprise();
        audit.arg("audit").arg(&dir).args(["--rerun", "all"]).output().unwrap()
    };
    assert_says(&audit(), 0, &["0 differences"]);
    forge(&dir, "tables/t.csv", |text| text.replace(",ok,", ",okay,"));
    assert_says(&audit(), 1, &["tables/t.csv: does not come out again: line 2"]);
}

#[test]
fn the_audit_verifies_the_cache_and_leaves_it_alone() {
    let bench = Bench::new(&SPEC.replace("generated-tree", "mine"));
    let rows = "0,1\n1,0\n1,1\n";
    let server = Server::start(move |_, _| crate::support::server::ok(rows.as_bytes()));
    let file = |role: &str| {
        format!(
            "{{ role = {role:?}, format = \"binary-csv\", sources = [{{ url = {:?}, \
             sha256 = \"{}\", bytes = {}, encoding = \"plain\" }}] }},\n",
            server.url("/rows"),
            reprise::base::digest::Digest::of(rows.as_bytes()),
            rows.len()
        )
    };
    let registry = format!(
        "schema = 1\n[dataset.mine]\ntitle = \"Mine\"\nkind = \"binary\"\ncitation = \"none\"\n\
         licence = \"none\"\nshape = {{ variables = 2, train = 3, valid = 3, test = 3 }}\n\
         files = [\n{}{}{}]\n",
        file("train"),
        file("valid"),
        file("test")
    );
    std::fs::write(bench.folder().join("datasets.toml"), registry).unwrap();
    let dir = bench.run("r", &[]);
    let audit = || {
        let mut audit = bench.reprise();
        audit.arg("audit").arg(&dir).args(["--data", "--registry"]);
        audit.arg(bench.folder().join("datasets.toml")).output().unwrap()
    };
    assert_says(&audit(), 0, &["0 differences"]);
    let cached = find(&bench.folder().join("cache"), rows.as_bytes()).unwrap();
    std::fs::write(&cached, "0,1\n1,0\n1,0\n").unwrap();
    assert_says(&audit(), 1, &["data mine train"]);
    assert!(cached.exists(), "an audit only looks");
}

/// The file with this content.
fn find(folder: &Path, content: &[u8]) -> Option<std::path::PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find_map(|path| {
        if path.is_dir() {
            find(&path, content)
        } else {
            (std::fs::read(&path).unwrap() == content).then_some(path)
        }
    })
}

#[test]
fn control_c_during_a_fetch() {
    let server = Server::start(|_, _| Reply::Stall);
    let bench = Bench::new(&SPEC.replace("generated-tree", "nltcs"));
    let mut run = bench.command("r", &["--mirror", &server.url("/")]);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while server.requests().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let start = Instant::now();
    // SAFETY: a signal to a child of this process.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(5), "it waited for the server");
}

#[test]
fn nobody_has_to_listen() {
    let bench = Bench::new(SPEC);
    bench.run("r", &[]);
    let registry: &[&str] = &["data", "list", "--format", "json"];
    for arguments in [registry, &["methods"], &["schema"], &["audit", "r"]] {
        let mut command = bench.reprise();
        // A pipe whose reader has gone.
        let mut child = command.args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = bench.reprise().args(arguments).stdout(full).output().unwrap();
        assert_says(&output, 5, &["standard output can't be written"]);
    }
    // Results are in files: a run goes on.
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let status = bench.command("again", &[]).stdout(full()).stderr(full()).status().unwrap();
    assert!(status.success());
    assert!(complete(&bench.results("again")));
}

#[test]
fn nothing_is_selected_from_a_grid_with_points_to_come() {
    let bench = Bench::new(SPEC);
    // This also gives the first point of the other method's grid.
    let dir = bench.run("part", &["--only", "method=One"]);
    let table = std::fs::read_to_string(dir.join("tables/t.csv")).unwrap();
    let cell = |method: &str| {
        let start = format!("generated-tree,{method},");
        table.lines().find(|line| line.starts_with(&start)).unwrap().to_owned()
    };
    assert!(cell("Tuned").contains(",missing,"), "{table}");
    assert!(cell("One").contains(",ok,"), "{table}");
    let whole = bench.run("whole", &[]);
    assert_eq!(outputs(&bench.run("part", &[])), outputs(&whole));
}

#[test]
fn nothing_is_selected_by_a_value_that_no_point_has() {
    // Divisions at random into training and test examples leave none to validate with.
    let split = "split = { resample = { train = 200, test = 50, repeats = 1 } }";
    let spec = SPEC.replace("split = \"published\"\nrepeats = 2", split);
    let spec = spec.replace("select =", "may_fail = true\nselect =");
    let bench = Bench::new(&spec);
    let dir = bench.run("resampled", &[]);
    let table = std::fs::read_to_string(dir.join("tables/t.csv")).unwrap();
    assert!(table.contains("generated-tree,Tuned,test_ll,,,,,,false,,failed"), "{table}");
    let trials = std::fs::read_to_string(dir.join("trials.csv")).unwrap();
    assert!(
        trials.contains("no point of the grid has a value of `valid_ll` to be selected by"),
        "{trials}"
    );
    // The trials themselves ended well: they come out again, and can be selected by something else.
    let audit = bench.reprise().args(["audit", "--rerun", "all"]).arg(&dir).output().unwrap();
    assert_says(&audit, 0, &["0 differences"]);
    let changed = Bench::beside(&bench, &spec.replace("valid_ll", "train_ll"));
    changed.run("resampled", &[]);
    assert_eq!(outputs(&dir), outputs(&changed.run("fresh", &[])));
}

#[test]
fn what_cannot_be_measured_is_not_run_for_again() {
    // The pseudo-likelihood task has no likelihood of networks of more than 20 variables.
    let test = "[[test]]\nid = \"examples\"\nkind = \"sign\"\nmetric = \"test_ll\"\n\
                pair_by = \"example\"\n";
    let spec = SPEC
        .replace("kind = \"density\"", "kind = \"pseudo-likelihood\"")
        .replace("metrics = [\"test_ll\"]", "metrics = [\"test_npll\", \"test_ll\"]")
        .replace("metric = \"test_ll\"", "metric = \"test_npll\"");
    let start = spec.find("[[method]]").unwrap();
    let end = spec.find("[[table]]").unwrap();
    let methods = "[[method]]\nid = \"A\"\nkind = \"mple-l2\"\ndegree = 2\n\
                   [[method]]\nid = \"B\"\nkind = \"mple-l2\"\ndegree = 3\n";
    let spec = format!("{}{methods}{}{test}", &spec[..start], &spec[end..]);
    let bench = Bench::new(&spec.replace("generated-tree", "generated-blocks"));
    let dir = bench.run("r", &[]);
    assert!(complete(&dir));
    assert_says(&bench.command("r", &[]).output().unwrap(), 0, &["already sealed"]);
}
