//! What is stored is neither lost, nor taken for more than it is: later runs, reports and audits
//! over results that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use reprise::harness::Error;
use reprise::harness::run::{Ended, Options};
use reprise::report::figure::Export;

use crate::support::audit::{Ask, all};
use crate::support::experiment::{Bench, choices, chunk, only, replace};
use crate::support::results::{complete, digest, forge, journaled_paths, manifest, outputs, rows};
use crate::support::server::{Reply, Server, ok};
use crate::support::spec::CHOW_LIU;
use crate::support::terminal::{assert_error, assert_says};
use crate::support::{registry, spec};

/// A grid, and a method that coincides with one of its points.
fn spec() -> String {
    let method = |id: &str, components: &str| {
        format!(
            "[[method]]\nid = \"{id}\"\nkind = \"latent-nb\"\nrestarts = 1\ntolerance = 0.1\n{components}\n"
        )
    };
    let tuned = method("Tuned", "grid = { components = [1, 3] }\nselect = \"valid_ll\"");
    spec::density("stored", "repeats = 2", &(tuned + &method("One", "components = 1")))
}

fn choice() -> String {
    spec::choice("One", "remainder", &["\"unassigned\"", "\"spread\""])
}

const FIGURE: &str = r#"
[[figure]]
id = "f"
kind = "line"
x = "grid:components"
y = "test_ll"
series = "method"
methods = ["Tuned"]
"#;

/// Asserts that a run finds nothing to do.
#[track_caller]
fn assert_sealed(bench: &Bench, name: &str, options: &Options) {
    let ended = bench.ended(name, options);
    assert!(matches!(ended, Ok(Ended::AlreadySealed(_))), "{ended:?}");
}

fn trials(dir: &Path) -> usize {
    rows(&dir.join("trials.csv")).len()
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn what_a_default_was_when_it_was_sealed_is_compared() {
    let bench = Bench::new(&spec());
    let dir = bench.run("r");
    let sealed = outputs(&dir);
    assert_sealed(&bench, "r", &Options::default());
    // As if what the rows say of a parameter had been its default then.
    forge(&dir, "trials.csv", |text| text.replace(",0.1,", ",0.2,"));
    let again = bench.command("r", &[]).output().unwrap();
    assert_says(&again, 0, &["6 trials, sealed"]);
    assert_eq!(outputs(&dir), sealed);
}

#[test]
fn configurations_that_coincide_are_reported_each() {
    let bench = Bench::new(&spec());
    let dir = bench.run("r");
    let before = outputs(&dir);
    let report = bench.report("r").unwrap().terminal.to_string();
    assert!(report.contains("6 of 6 trials ok"), "{report}");
    assert_eq!(outputs(&dir), before);
    // The path of both is planned for the first one.
    let part = bench.command("only", &["--only", "method=One"]).output().unwrap();
    assert_says(&part, 0, &["4 of 6 trials ok, 2 missing", "sealed as incomplete"]);
    assert_eq!(outputs(&bench.run("only")), before);
}

#[test]
fn values_of_test_examples_are_kept_of_selected_trials() {
    let bench =
        Bench::new(&(spec().replace("[1, 3]", "[1, 2, 3]") + &spec::by_example("One") + FIGURE));
    let dir = bench.run("r");
    let keys = |file: &str, counts: &dyn Fn(&BTreeMap<String, String>) -> bool| {
        let rows = rows(&dir.join(file)).into_iter().filter(counts);
        rows.map(|row| row["key"].clone()).collect::<BTreeSet<String>>()
    };
    let selected = keys("trials.csv", &|row| row["selected"] == "true");
    assert_eq!(keys("examples/test_ll.csv", &|_| true), selected);
    assert!(selected.len() < keys("trials.csv", &|_| true).len());
    for row in rows(&dir.join("examples/test_ll.csv")) {
        let values: Vec<&str> = row["values"].split(' ').collect();
        assert_eq!(values.len(), 1000);
        let digits = |value: &str| value.bytes().filter(u8::is_ascii_digit).count();
        assert!(values.iter().all(|value| digits(value) <= 7), "{values:?}");
        let mean = values.iter().map(|value| value.parse::<f64>().unwrap()).sum::<f64>() / 1000.0;
        let trial =
            rows(&dir.join("trials.csv")).into_iter().find(|other| other["key"] == row["key"]);
        let score: f64 = trial.unwrap()["test_ll"].parse().unwrap();
        assert!((mean - score).abs() < 1e-6, "{mean}, not {score}");
    }
    // Nothing more is needed for the report, nor for another run.
    let before = outputs(&dir);
    bench.report("r").unwrap();
    assert_eq!(outputs(&dir), before);
    assert_sealed(&bench, "r", &Options::default());
}

/// As a user meets it: edits that would lose sealed trials are refused before any trial, those of what is shown pass.
#[test]
fn sealed_trials_are_never_overwritten_in_silence() {
    let spec = spec::density("kept", "repeats = 2", CHOW_LIU);
    let bench = Bench::new(&spec);
    assert_says(&bench.command("r", &[]).output().unwrap(), 0, &["2 trials, sealed in"]);
    let dir = bench.results("r");
    let sealed = digest(&dir);
    let edit = |from: &str, to: &str| {
        assert!(spec.contains(from));
        std::fs::write(bench.spec(), spec.replace(from, to)).unwrap();
    };
    let kind = "kind = \"chow-liu\"";
    for (from, to, lost) in [
        ("seed = 1", "seed = 2", "2 sealed trials"),
        (kind, "kind = \"chow-liu\"\nsmoothing = 0.5", "2 sealed trials"),
        ("repeats = 2", "repeats = 1", "1 sealed trials"),
        ("[\"generated-tree\"]", "[\"generated-blocks\"]", "2 sealed trials"),
    ] {
        edit(from, to);
        for arguments in [&[][..], &["--fresh"]] {
            let refused = bench.command("r", arguments).output().unwrap();
            assert_says(&refused, 2, &[lost, "`run --replace` gives them up"]);
            assert_eq!(digest(&dir), sealed, "{to}");
        }
        let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
        assert_says(&plan, 0, &[lost, "`run` refuses to lose them without --replace"]);
    }
    // To forget all and to compute a part again loses the rest.
    edit("seed = 1", "seed = 1");
    let part = ["--fresh", "--only", "repeat=0"];
    let refused = bench.command("r", &part).output().unwrap();
    assert_says(&refused, 2, &["1 sealed trials", "`run` without --fresh keeps them"]);
    assert_eq!(digest(&dir), sealed);
    // What shows the trials otherwise loses none.
    for (from, to) in [("digits = 2", "digits = 3"), ("id = \"t\"", "id = \"other\"")] {
        edit(from, to);
        assert_says(&bench.command("r", &[]).output().unwrap(), 0, &["2 trials, sealed in"]);
    }
    std::fs::write(bench.spec(), spec.clone() + spec::DOTS).unwrap();
    assert_says(&bench.command("r", &[]).output().unwrap(), 0, &["2 trials, sealed in"]);
    edit("seed = 1", "seed = 2");
    let replaced = bench.command("r", &["--replace"]).output().unwrap();
    assert_says(&replaced, 0, &["2 trials, sealed in"]);
    assert_ne!(digest(&dir), sealed);
}

#[test]
fn what_only_names_must_exist() {
    let bench = Bench::new(&spec());
    for (filter, says) in [
        ("method=On", "did you mean `One`?"),
        ("dataset=nltcs", "--only dataset=nltcs: no trial has this dataset"),
        ("repeat=2", "--only repeat=2: no trial has this repeat"),
    ] {
        assert_says(&bench.command("r", &["--only", filter]).output().unwrap(), 2, &[says]);
        assert!(!bench.results("r").join("manifest.toml").exists());
    }
    // Where all is sealed too.
    assert_says(&bench.command("r", &[]).output().unwrap(), 0, &["sealed in"]);
    let typo = bench.command("r", &["--only", "method=On"]).output().unwrap();
    assert_says(&typo, 2, &["did you mean `One`?"]);
}

#[test]
fn a_fresh_run_that_cannot_begin_forgets_nothing() {
    let bench = Bench::new(&spec());
    let dir = bench.journal("r");
    let before = journaled_paths(&dir);
    let typo = bench.refused("r", &Options { fresh: true, ..only("method=Oen") });
    assert!(matches!(typo, Error::NoTrial(_)), "{typo}");
    assert_eq!(journaled_paths(&dir), before);
}

#[test]
fn finished_choices_are_not_lost() {
    let bench = Bench::new(&(spec() + &choice() + FIGURE));
    let dir = bench.run_with("r", &choices());
    let (before, rows) = (outputs(&dir), trials(&dir));
    let kept = ["sealed trials", "are no trials of this run", "`run --choices` keeps those"];
    assert_says(&bench.command("r", &["--png", "--pdf"]).output().unwrap(), 2, &kept);
    assert_eq!(outputs(&dir), before);
    // Pictures change nothing else.
    let sealed = digest(&dir);
    bench.report_with("r", &Export::ALL).unwrap();
    // A report that does not ask for them keeps them: a paper may include one.
    bench.report_with("r", &[]).unwrap();
    for file in ["f.png", "f.pdf"] {
        assert!(dir.join("figures").join(file).exists());
    }
    assert_eq!((digest(&dir), trials(&dir)), (sealed, rows));
    assert_sealed(&bench, "r", &Options { exports: Export::ALL.into(), ..choices() });
    // Another experiment file, without --choices.
    let spec = (spec() + &choice()).replace("repeats = 2", "repeats = 3");
    let wider = Bench::beside(&bench, &spec);
    assert_error(&wider.refused("r", &Options::default()), &kept);
    let alone = wider.run_with("alone", &choices());
    assert_eq!(outputs(&wider.run_with("r", &choices())), outputs(&alone));
    // Unless they are given up.
    let plain = wider.run("plain");
    assert_eq!(outputs(&wider.run_with("r", &replace())), outputs(&plain));
    assert!(!manifest(&dir).choices);
}

#[test]
fn options_that_an_interrupted_run_finished_are_kept_and_not_sealed() {
    let bench = Bench::new(&(spec() + &choice()));
    bench.work_with("r", &chunk("1/1", "host"), &choices());
    let dir = bench.run("r");
    assert_eq!(outputs(&dir), outputs(&bench.run("plain")));
    let plan = bench.subcommand("plan", "r", &["--choices"]).output().unwrap();
    assert_says(&plan, 0, &["Nothing to run."]);
    let [dir, alone] = ["r", "c"].map(|name| bench.run_with(name, &choices()));
    assert_eq!(outputs(&dir), outputs(&alone));
}

#[test]
fn what_a_seal_left_out_runs_again_when_it_is_needed() {
    // The seal keeps no test score of unselected points. The better fit to the training rows is
    // the less smooth one.
    let grid = "kind = \"chow-liu\"\ngrid = { smoothing = [0.01, 1.0] }";
    let nb = "kind = \"latent-nb\"\nrestarts = 1\ntolerance = 0.1\ngrid = { components = [1, 3] }";
    let spec = spec().replace(nb, grid);
    for changed in [
        spec.replace("valid_ll", "train_ll"),
        format!("{spec}{FIGURE}").replace("grid:components", "grid:smoothing"),
    ] {
        let bench = Bench::new(&spec);
        let dir = bench.run("r");
        let bench = Bench::beside(&bench, &changed);
        let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
        assert_says(&plan, 0, &["4 2 2 to run: what is stored is not"]);
        let report = bench.report("r").unwrap().terminal.to_string();
        assert!(report.contains("missing"), "{report}");
        assert!(!complete(&dir));
        bench.run("r");
        assert!(complete(&dir));
        assert_eq!(outputs(&dir), outputs(&bench.run("fresh")));
    }
}

#[test]
fn results_of_other_data_are_not_taken_for_present_ones() {
    let bench = Bench::new(&spec().replace("generated-tree", "mine"));
    let drawn = |seed: u64| {
        let generator = format!(
            "kind = \"tree\", seed = {seed}, variables = 8, train = 200, valid = 50, test = 50"
        );
        bench.write("datasets.toml", &registry::of(&[registry::generated("mine", &generator)]));
    };
    drawn(1);
    let dir = bench.run("r");
    let before = digest(&dir);
    assert_sealed(&bench, "r", &Options::default());
    drawn(2);
    let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&plan, 0, &["0 done", "to run: the dataset changed"]);
    let lost =
        ["4 sealed trials", "`run --replace` gives them up", "a --results folder of its own"];
    assert_error(&bench.refused("r", &Options::default()), &lost);
    assert_eq!(digest(&dir), before);
    bench.run_with("r", &replace());
    assert_ne!(digest(&dir), before);
}

/// The entry of a file without a digest is the same whatever is in it.
#[test]
fn results_of_a_file_that_changed_are_not_taken_for_present_ones() {
    let bench = Bench::new(&spec().replace("generated-tree", "mine"));
    bench.write("datasets.toml", &registry::mine("path = \"rows.csv\""));
    bench.write("rows.csv", registry::ROWS);
    bench.run("r");
    assert_sealed(&bench, "r", &Options::default());
    bench.write("rows.csv", &registry::ROWS.replace("1,1", "0,0"));
    assert_error(&bench.refused("r", &Options::default()), &["4 sealed trials"]);
}

#[test]
fn a_report_never_passes_old_results_for_new_ones() {
    let bench = Bench::new(&spec());
    let dir = bench.run("r");
    let revision = manifest(&dir).methods["latent-nb"];
    // As if an earlier revision had made them.
    forge(&dir, "trials.csv", |text| {
        text.replace(&format!("latent-nb,{revision},"), "latent-nb,0,")
    });
    bench.report("r").unwrap();
    assert_eq!(manifest(&dir).methods["latent-nb"], 0);
}

#[test]
fn a_report_that_is_killed_loses_nothing() {
    let bench = Bench::new(&spec());
    let dir = bench.run("r");
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
    assert_eq!(outputs(&bench.run("r")), before);
    bench.audit(&dir, &Ask::default()).assert_same(0, 0);
}

#[test]
fn a_broken_seal_is_named_by_plan_and_report() {
    let bench = Bench::new(&spec());
    let dir = bench.run("r");
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
    let bench = Bench::new(&spec());
    let dir = bench.run("r");
    bench.audit(&dir, &all()).assert_same(4, 4);
    forge(&dir, "tables/t.csv", |text| text.replace(",ok,", ",okay,"));
    let says = "tables/t.csv: does not come out again: line 2";
    bench.audit(&dir, &all()).assert_differs(&[says]);
}

#[test]
fn the_audit_verifies_the_cache_and_leaves_it_alone() {
    let bench = Bench::new(&spec().replace("generated-tree", "mine"));
    let server = Server::start(|_, _| ok(registry::ROWS.as_bytes()));
    bench.write("datasets.toml", &registry::mine(&registry::rows_at(&server.url("/rows"))));
    let dir = bench.run("r");
    let own = Some(bench.folder().join("datasets.toml"));
    let ask = Ask { data: true, registry: own, ..Ask::default() };
    bench.audit(&dir, &ask).assert_same(0, 0);
    let cached = registry::find(&bench.folder().join("cache"), registry::ROWS.as_bytes()).unwrap();
    std::fs::write(&cached, "0,1\n1,0\n1,0\n").unwrap();
    bench.audit(&dir, &ask).assert_differs(&["data mine train"]);
    assert!(cached.exists(), "an audit only looks");
}

#[test]
fn control_c_during_a_fetch() {
    let server = Server::start(|_, _| Reply::Stall);
    let bench = Bench::new(&spec().replace("generated-tree", "nltcs"));
    let mut run = bench.command("r", &["--mirror", &server.url("/")]);
    let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while server.requests().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let start = Instant::now();
    // SAFETY: a signal to a child of this process.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    assert_says(&child.wait_with_output().unwrap(), 130, &["warning: interrupted"]);
    assert!(start.elapsed() < Duration::from_secs(5), "it waited for the server");
}

#[test]
fn nobody_has_to_listen() {
    let bench = Bench::new(&spec());
    bench.run("r");
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
    let bench = Bench::new(&spec());
    // This also gives the first point of the other method's grid.
    let dir = bench.run_with("part", &only("method=One"));
    let table = std::fs::read_to_string(dir.join("tables/t.csv")).unwrap();
    let cell = |method: &str| {
        let start = format!("generated-tree,{method},");
        table.lines().find(|line| line.starts_with(&start)).unwrap().to_owned()
    };
    assert!(cell("Tuned").contains(",missing,"), "{table}");
    assert!(cell("One").contains(",ok,"), "{table}");
    let whole = bench.run("whole");
    assert_eq!(outputs(&bench.run("part")), outputs(&whole));
}

#[test]
fn nothing_is_selected_by_a_value_that_no_point_has() {
    // The distance from the true tree, which a mixture has not.
    let spec = spec().replace("repeats = 2", "repeats = 1").replace("valid_ll", "robinson_foulds");
    let spec = spec.replace("select =", "may_fail = true\nselect =");
    let bench = Bench::new(&spec);
    let dir = bench.run("resampled");
    let table = std::fs::read_to_string(dir.join("tables/t.csv")).unwrap();
    assert!(table.contains("generated-tree,Tuned,test_ll,,,,,,false,,failed"), "{table}");
    let trials = std::fs::read_to_string(dir.join("trials.csv")).unwrap();
    assert!(
        trials.contains("no point of the grid has a value of `robinson_foulds` to be selected by"),
        "{trials}"
    );
    // The trials themselves ended well: they come out again, and can be selected by something else.
    bench.audit(&dir, &all()).assert_same(2, 2);
    let changed = Bench::beside(&bench, &spec.replace("robinson_foulds", "train_ll"));
    changed.run("resampled");
    assert_eq!(outputs(&dir), outputs(&changed.run("fresh")));
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn what_cannot_be_measured_is_not_run_for_again() {
    // The pseudo-likelihood task has no likelihood of networks of more than 20 variables.
    let test = "[[test]]\nid = \"examples\"\nkind = \"sign\"\nmetric = \"test_ll\"\n\
                pair_by = \"example\"\n";
    let spec = spec()
        .replace("kind = \"density\"", "kind = \"pseudo-likelihood\"")
        .replace("metrics = [\"test_ll\"]", "metrics = [\"test_npll\", \"test_ll\"]")
        .replace("metric = \"test_ll\"", "metric = \"test_npll\"");
    let start = spec.find("[[method]]").unwrap();
    let end = spec.find("[[table]]").unwrap();
    let methods = "[[method]]\nid = \"A\"\nkind = \"mple-l2\"\ndegree = 2\n\
                   [[method]]\nid = \"B\"\nkind = \"mple-l2\"\ndegree = 3\n";
    let spec = format!("{}{methods}{}{test}", &spec[..start], &spec[end..]);
    let bench = Bench::new(&spec.replace("generated-tree", "generated-blocks"));
    let dir = bench.run("r");
    assert!(complete(&dir));
    assert_sealed(&bench, "r", &Options::default());
}

/// Sum-product networks are learned once, and two methods evaluate them.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn methods_that_differ_only_in_what_comes_last_share_a_path() {
    let method = |id: &str, sums: &str| {
        format!(
            "[[method]]\nid = \"{id}\"\nkind = \"learn-spn\"\nsums = \"{sums}\"\ncluster_penalty = 0.8\n"
        )
    };
    let both = method("SPN", "exact") + &method("Printed", "as-printed");
    let bench = Bench::new(&spec::density("shared", "repeats = 1", &both));
    let plan = bench.subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&plan, 0, &["2 trials in 1 paths"]);
    let dir = bench.run("r");
    let value = |dir: &Path, method: &str| {
        let of_method = |row: &BTreeMap<String, String>| row["method"] == method;
        rows(&dir.join("trials.csv")).into_iter().find(of_method).unwrap()["test_ll"].clone()
    };
    assert_ne!(value(&dir, "SPN"), value(&dir, "Printed"));
    // Alone each comes to the same.
    for (id, sums) in [("SPN", "exact"), ("Printed", "as-printed")] {
        let alone = Bench::new(&spec::density("alone", "repeats = 1", &method(id, sums)));
        assert_eq!(value(&alone.run("r"), id), value(&dir, id));
    }
}
