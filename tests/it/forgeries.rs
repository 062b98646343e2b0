//! Results that lie are found, however consistently they were sealed again: an audit that executes again
//! starts from the sealed inputs, not from the sealed rows.

use std::path::PathBuf;
use std::sync::OnceLock;

use reprise::base::digest::Digest;
use reprise::harness::again::Amount;
use reprise::harness::run::Options;
use reprise::report::figure::Export;
use reprise::seal::{self, FileEntry, Folder, LAYOUT, Manifest};

use crate::support::audit::{Ask, Verdict, all, some};
use crate::support::experiment::{Bench, choices, only};
use crate::support::results::{copy, digest, forge, manifest, rows, seal_again};
use crate::support::spec::{CHOW_LIU, density};
use crate::support::terminal::{assert_says, text};

/// Every kind of output on data that take no time: a grid, a choice, a sample of examples, a figure, seconds.
const SPEC: &str = r#"
schema = 1
[experiment]
id = "forgeries/main"
title = "Forged"
seed = 5
[task]
kind = "density"
datasets = ["generated-tree"]
split = "published"
repeats = 2
metrics = ["test_ll", "time:fit"]
[[method]]
id = "Tuned"
kind = "latent-nb"
restarts = 1
tolerance = 0.1
grid = { components = [1, 3] }
select = "valid_ll"
[[method]]
id = "Two"
kind = "latent-nb"
restarts = 1
tolerance = 0.1
components = 2
[[method]]
id = "Four"
kind = "latent-nb"
restarts = 1
tolerance = 0.1
components = 4
[[method]]
id = "CL"
kind = "chow-liu"
[[choice]]
id = "remainder"
question = "?"
target = ["method:Two"]
parameter = "remainder"
options = ["unassigned", "spread"]
chosen = "unassigned"
why = "."
[[test]]
id = "paired"
kind = "paired-t"
metric = "test_ll"
reference = "CL"
pair_by = "example"
[[table]]
id = "t"
rows = "dataset"
columns = "method"
metric = "test_ll"
digits = 2
published = "published/t.csv"
[[table]]
id = "seconds"
rows = "dataset"
columns = "method"
metric = "time:fit"
digits = 2
[[figure]]
id = "f"
kind = "dot"
x = "dataset"
y = "test_ll"
series = "method"
[[claim]]
id = "wins"
text = "The tree wins."
source = "here"
check = { wins = { left = "CL", right = "Two", metric = "test_ll", at_least = "all" } }
"#;

const PUBLISHED: &str = "row,column,metric,value,sd\ngenerated-tree,CL,test_ll,-6.5,\n";

/// With choices and pictures.
fn everything() -> Options {
    Options { exports: [Export::Png].into(), ..choices() }
}

/// A folder with the experiment file and its honest results.
fn honest() -> &'static Bench {
    static HONEST: OnceLock<Bench> = OnceLock::new();
    HONEST.get_or_init(|| {
        let bench = Bench::with(SPEC, &[("published/t.csv", PUBLISHED)]);
        bench.run_with("honest", &everything());
        bench
    })
}

/// The experiment file of the honest results, to compare with.
fn honest_spec() -> Option<PathBuf> {
    Some(honest().spec().to_owned())
}

/// Somebody's copy of the honest results, by this name.
struct Copied {
    name: String,
    dir: PathBuf,
}

impl Copied {
    fn new(name: &str) -> Self {
        let (bench, name) = (honest(), format!("copy of {name}"));
        copy(&bench.folder().join("honest"), &bench.folder().join(&name));
        Self { dir: bench.results(&name), name }
    }

    /// Changes cells of `trials.csv`, seals again, and lets a report make everything else anew from the rows.
    fn rows(self, change: impl FnOnce(&mut Cells)) -> Self {
        forge(&self.dir, "trials.csv", |text| {
            let mut cells = Cells::parse(&text);
            change(&mut cells);
            cells.text()
        });
        honest().report_with(&self.name, &[Export::Png]).unwrap();
        self
    }

    fn audit(&self, ask: &Ask) -> Verdict {
        honest().audit(&self.dir, ask)
    }

    /// Asserts that the bytes are as they were sealed, and that executing again finds the lie.
    #[track_caller]
    fn is_found(&self, says: &[&str]) {
        self.audit(&Ask::default()).assert_same(0, 0);
        self.audit(&all()).assert_differs(says);
    }
}

/// A file of comma-separated cells.
struct Cells {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Cells {
    fn parse(text: &str) -> Self {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let cells = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = cells(reader.headers().unwrap());
        Self { header, rows: reader.records().map(|record| cells(&record.unwrap())).collect() }
    }

    fn text(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.header).unwrap();
        self.rows.iter().for_each(|row| writer.write_record(row).unwrap());
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    }

    fn at(&self, column: &str) -> usize {
        self.header.iter().position(|name| name == column).unwrap()
    }

    /// The rows with these cells.
    fn find(&self, cells: &[(&str, &str)]) -> Vec<usize> {
        let has = |row: &&usize| {
            cells.iter().all(|(name, cell)| self.rows[**row][self.at(name)] == *cell)
        };
        (0..self.rows.len()).collect::<Vec<_>>().iter().filter(has).copied().collect()
    }

    fn set(&mut self, row: usize, column: &str, cell: &str) {
        let column = self.at(column);
        self.rows[row][column] = cell.to_owned();
    }

    fn exchange(&mut self, one: usize, other: usize, columns: &[&str]) {
        let columns: Vec<usize> = columns.iter().map(|column| self.at(column)).collect();
        for column in columns {
            let cell = self.rows[one][column].clone();
            self.rows[one][column] = std::mem::replace(&mut self.rows[other][column], cell);
        }
    }
}

/// The row of a method in the first repeat.
fn first(cells: &Cells, method: &str) -> usize {
    cells.find(&[("method", method), ("repeat", "0"), ("choice", ""), ("selected", "true")])[0]
}

#[test]
fn honest_results_come_out_again() {
    let copied = Copied::new("honest results");
    let audit = |arguments: &[&str]| {
        honest().reprise().arg("audit").arg(&copied.dir).args(arguments).output().unwrap()
    };
    assert_says(
        &audit(&["--rerun", "all", "--data"]),
        0,
        &[
            "ok forgeries/main",
            "12 of 12 paths executed again; everything else made anew",
            "believed: timing/: the machine, the seconds, and the verdicts over them",
            "believed: spec.toml: no experiment `forgeries/main` is built in",
            "believed: published/t.csv: no experiment",
            "1 inputs are as they should be",
            "1 results folders, 0 differences",
        ],
    );
    let drawn = audit(&["--rerun", "3", "--draw", "77"]);
    assert_says(&drawn, 0, &["3 of 12 paths executed again, the rest believed"]);
    copied.audit(&some(3)).assert_same(3, 12);
    let spec = honest().spec().display().to_string();
    let compared = audit(&["--spec", &spec]);
    assert_says(&compared, 0, &["3 inputs are as they should be"]);
    assert!(!text(&compared).contains("believed: spec.toml"));
}

#[test]
fn labels_of_two_trials_exchanged() {
    let forged = Copied::new("labels").rows(|cells| {
        for repeat in ["0", "1"] {
            let row =
                |method| cells.find(&[("method", method), ("repeat", repeat), ("choice", "")])[0];
            let (one, other) = (row("Two"), row("Four"));
            cells.exchange(one, other, &["method", "components"]);
        }
    });
    let honest = std::fs::read_to_string(honest().results("honest").join("tables/t.md")).unwrap();
    assert_ne!(std::fs::read_to_string(forged.dir.join("tables/t.md")).unwrap(), honest);
    forged.is_found(&["is sealed, but no trial of spec.toml", "trials.csv: trial"]);
}

#[test]
fn a_worse_grid_point_selected() {
    let forged = Copied::new("selection").rows(|cells| {
        let good = first(cells, "Tuned");
        let score = cells.rows[good][cells.at("test_ll")].clone();
        let bad = cells.find(&[("method", "Tuned"), ("repeat", "0"), ("selected", "false")])[0];
        cells.set(good, "selected", "false");
        cells.set(good, "test_ll", "");
        cells.set(bad, "selected", "true");
        cells.set(bad, "test_ll", &format!("{score}1"));
    });
    forged.is_found(&["(Tuned on generated-tree, repeat 0, fold 0): selected is"]);
    // It is not believed either where nothing of it is executed.
    let spared = (0..11).any(|draw| {
        let rerun = Some(Amount::AtMost(3, draw));
        let found = forged.audit(&Ask { rerun, ..Ask::default() });
        found.assert_differs(&[]);
        found.differences.iter().any(|difference| difference.contains("selected is"))
    });
    assert!(spared);
}

#[test]
fn an_invented_number_declared_as_one_that_may_differ() {
    let forged = Copied::new("class");
    forge(&forged.dir, "tables/t.md", |text| text.replace("−", "−1").replace("-", "-1"));
    let path = forged.dir.join("manifest.toml");
    let honest = std::fs::read_to_string(&path).unwrap();
    let reseal = |body: String| {
        let seal = Digest::of(body.as_bytes());
        std::fs::write(&path, format!("{body}\n[seal]\nsha256 = \"{seal}\"\n")).unwrap();
    };
    let (body, _) = honest.rsplit_once("\n[seal]\n").unwrap();
    let entry = "path = \"tables/t.md\"\n";
    let lying = format!("{entry}deterministic = false\n");
    reseal(body.replace(entry, &lying));
    forged.audit(&Ask::default()).assert_differs(&["unknown field `deterministic`"]);
}

#[test]
fn a_rival_that_is_said_to_have_ended_badly() {
    let crashed = "it took the process down twice; `--fresh` tries again";
    for (status, message) in [
        ("crashed", crashed),
        ("timeout", "the time limit passed"),
        ("failed", "singular"),
        ("not-applicable", "not applicable: one class"),
        ("ok", ""),
    ] {
        let forged = Copied::new(&format!("a rival {status}")).rows(|cells| {
            let row = first(cells, "CL");
            cells.set(row, "status", status);
            cells.set(row, "message", message);
            for metric in ["test_ll", "train_ll", "valid_ll"] {
                cells.set(row, metric, "");
            }
        });
        let found = forged.audit(&all());
        found.assert_differs(&["(CL on generated-tree, repeat 0, fold 0):", "sealed as"]);
        assert_eq!((found.executed, found.paths), (12, 12));
        if status != "ok" {
            found.assert_differs(&[&format!("status is ok, sealed as {status}")]);
        }
    }
}

#[test]
fn a_rival_that_is_said_not_to_have_run() {
    let forged = Copied::new("a missing rival").rows(|cells| {
        let row = first(cells, "CL");
        cells.set(row, "status", "missing");
        for metric in ["test_ll", "train_ll", "valid_ll"] {
            cells.set(row, metric, "");
        }
    });
    assert!(!manifest(&forged.dir).complete);
    let audit = ["audit", "--rerun", "all"];
    assert_says(
        &honest().reprise().args(audit).arg(&forged.dir).output().unwrap(),
        1,
        &[
            "not checked",
            "11 of 12 paths executed again",
            "not executed: CL on generated-tree, repeat 0, fold 0: sealed as missing",
            "0 differences, 1 not checked",
        ],
    );
    // That it is whole all the same is a lie of the manifest.
    seal_again(&forged.dir, |manifest| manifest.complete = true);
    let says = "manifest.toml: complete is false, sealed as true";
    forged.audit(&all()).assert_differs(&[says]);
}

#[test]
fn two_sealed_folders_exchanged() {
    let bench = honest();
    let root = bench.folder().join("exchanged");
    let other = Bench::beside(bench, &SPEC.replace("forgeries/main", "forgeries/other"));
    other.run_with("exchanged", &only("method=CL"));
    copy(&bench.results("honest"), &root.join("forgeries/main"));
    let found = || -> Vec<String> {
        let folders = seal::audit(&root).unwrap();
        assert_eq!(folders.len(), 2);
        let differences = |folder: Folder| folder.differences.into_iter().map(|d| d.to_string());
        folders.into_iter().flat_map(differences).collect()
    };
    assert_eq!(found(), Vec::<String>::new());
    std::fs::rename(root.join("forgeries/main"), root.join("aside")).unwrap();
    std::fs::rename(root.join("forgeries/other"), root.join("forgeries/main")).unwrap();
    std::fs::rename(root.join("aside"), root.join("forgeries/other")).unwrap();
    let misplaced = |folder: &str, id: &str| {
        format!("the folder is {folder}, but its results are of experiment {id}")
    };
    let (one, two) = ("forgeries/main", "forgeries/other");
    assert_eq!(found(), [misplaced(one, two), misplaced(two, one)]);
    // Renamed in the manifest too.
    for name in ["main", "other"] {
        let id = format!("forgeries/{name}");
        seal_again(&root.join(&id), |manifest| manifest.experiment.clone_from(&id));
    }
    let says = "manifest.toml is of experiment forgeries/main, but spec.toml of forgeries/other";
    assert!(found().contains(&says.to_owned()), "{:?}", found());
}

#[test]
fn the_digest_of_other_data() {
    let forged = Copied::new("data");
    let other = Digest::of(b"other data");
    forge(&forged.dir, "trials.csv", |text| {
        let mut cells = Cells::parse(&text);
        for row in 0..cells.rows.len() {
            cells.set(row, "data", &other.to_string());
        }
        cells.text()
    });
    seal_again(&forged.dir, |manifest| {
        manifest.datasets.values_mut().for_each(|digest| *digest = other);
    });
    forged.is_found(&[
        "manifest.toml: the digest of dataset generated-tree is",
        &format!("data is {}", honest_data()),
    ]);
    let says = "dataset generated-tree: its digest is";
    forged.audit(&Ask { data: true, ..Ask::default() }).assert_differs(&[says]);
}

fn honest_data() -> Digest {
    manifest(&honest().results("honest")).datasets["generated-tree"]
}

/// A lie in the inputs, sealed consistently: nothing in the folder contradicts it.
fn lie_in_the_inputs(name: &str, spec: &str, published: &str) -> Copied {
    let liar = Bench::with(spec, &[("published/t.csv", published)]);
    let forged = liar.run_with("r", &everything());
    let copied = Copied::new(name);
    std::fs::remove_dir_all(&copied.dir).unwrap();
    copy(&forged, &copied.dir);
    let believed = copied.audit(&all());
    assert!(believed.differences.is_empty(), "{believed:?}");
    believed.assert_believes(&["spec.toml", "published/t.csv"]);
    copied
}

#[test]
fn a_published_value_changed() {
    let lie = lie_in_the_inputs("published", SPEC, &PUBLISHED.replace("-6.5", "-9.5"));
    let says =
        "t.csv: line 2 is `…ed-tree,CL,test_ll,-6.5,`, sealed as `…ed-tree,CL,test_ll,-9.5,`";
    let compared = lie.audit(&Ask { spec: honest_spec(), ..Ask::default() });
    compared.assert_differs(&["published/t.csv is not", says]);
}

#[test]
fn the_text_of_a_claim_changed() {
    let changed = SPEC.replace("The tree wins.", "The tree always wins.");
    let lie = lie_in_the_inputs("claim", &changed, PUBLISHED);
    let says = "is `text = \"The tree wins.\"`, sealed as `text = \"The tree always wins.\"`";
    let compared = lie.audit(&Ask { spec: honest_spec(), ..Ask::default() });
    compared.assert_differs(&["spec.toml is not", says]);
}

#[test]
fn a_trial_removed_from_the_plan_and_the_rows() {
    let lie = lie_in_the_inputs("plan", &SPEC.replace("repeats = 2", "repeats = 1"), PUBLISHED);
    let says = "is `repeats = 2`, sealed as `repeats = 1`";
    lie.audit(&Ask { spec: honest_spec(), ..Ask::default() }).assert_differs(&[says]);
}

#[test]
fn a_trial_removed_from_the_rows() {
    let forged = Copied::new("row").rows(|cells| {
        let row = first(cells, "CL");
        cells.rows.remove(row);
    });
    forged.is_found(&["(CL on generated-tree, repeat 0, fold 0) is not sealed"]);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn an_experiment_that_is_built_in_changed() {
    let text = include_str!("../../experiments/quickstart.toml");
    let changed = text.replace("the Chow-Liu tree wins", "every tree wins");
    for spec in [text, &changed] {
        let bench = Bench::new(spec);
        let dir = bench.run_with("r", &only("method=CL,dataset=generated-tree"));
        let found = bench.audit(&dir, &some(1));
        if spec == text {
            assert!(
                found.differences.is_empty()
                    && found.believed.iter().all(|one| !one.contains("spec.toml")),
                "{found:?}"
            );
        } else {
            found.assert_differs(&["spec.toml is not the built-in quickstart.toml: line"]);
        }
    }
}

#[test]
fn an_option_of_a_choice_relabelled() {
    let forged = Copied::new("option").rows(|cells| {
        let chosen = cells.find(&[("method", "Two"), ("choice", ""), ("repeat", "0")])[0];
        let option = cells.find(&[("choice", "remainder=spread"), ("repeat", "0")])[0];
        cells.exchange(chosen, option, &["choice", "remainder"]);
    });
    forged.is_found(&["trials.csv: trial", "remainder=spread) is not sealed"]);
}

#[test]
fn files_that_are_made_from_the_records() {
    for (file, from, to) in [
        ("figures/f.svg", "cx=\"", "cx=\"1"),
        ("tables/t.csv", ",ok,", ",okay,"),
        ("tables/t.tex", "toprule", "midrule"),
        ("claims.csv", "holds", "fails"),
        ("tests.csv", "CL", "LC"),
        ("choices.csv", "spread", "spreads"),
        ("report.md", "Forged", "Forget"),
        ("examples/test_ll.csv", ",-", ",-1"),
        ("timing/tables/seconds.csv", ",ok,", ",okay,"),
        ("timing/timings.csv", "CL", "LC"),
    ] {
        let forged = Copied::new(file);
        forge(&forged.dir, file, |text| {
            assert!(text.contains(from), "{file}: {text}");
            text.replacen(from, to, 1)
        });
        forged.is_found(&[&format!("{file}: ")]);
    }
}

#[test]
fn a_picture_replaced() {
    let forged = Copied::new("picture");
    let before = digest(&forged.dir);
    std::fs::write(forged.dir.join("figures/f.png"), b"another picture").unwrap();
    seal_again(&forged.dir, |_| ());
    assert_eq!(digest(&forged.dir), before, "pictures are outside the digest");
    forged.is_found(&["figures/f.png: does not come out again"]);
}

/// A change of a manifest: its name, what it does, and what is said of it.
type Lie = (&'static str, fn(&mut Manifest), &'static str);

#[test]
fn a_manifest_that_contradicts_its_folder() {
    let cases: [Lie; 5] = [
        ("profile", |m| m.profile = "smoke".to_owned(), "manifest.toml is of experiment"),
        ("choices", |m| m.choices = false, "is sealed, but no trial of spec.toml"),
        ("spec", |m| m.spec = Digest::of(b"other"), "manifest.toml: spec is"),
        (
            "a dataset",
            |m| {
                m.datasets.insert("nltcs".to_owned(), Digest::of(b"nltcs"));
            },
            "the digest of dataset nltcs is not there, sealed as",
        ),
        (
            "a method",
            |m| {
                m.methods.remove("chow-liu");
            },
            "the revision of method chow-liu is 1, sealed as not there",
        ),
    ];
    for (name, change, says) in cases {
        let forged = Copied::new(name);
        seal_again(&forged.dir, change);
        forged.audit(&all()).assert_differs(&[says]);
    }
}

/// What an audit of the data compares, without executing anything.
#[test]
fn a_manifest_that_leaves_out_what_it_is_of() {
    let data = Ask { data: true, ..Ask::default() };
    let forged = Copied::new("no data");
    seal_again(&forged.dir, |manifest| manifest.datasets.clear());
    forged
        .audit(&data)
        .assert_differs(&["dataset generated-tree: its digest is", "sealed as not there"]);
    let forged = Copied::new("other spec");
    seal_again(&forged.dir, |manifest| manifest.spec = Digest::of(b"other"));
    forged.audit(&data).assert_differs(&["manifest.toml: spec is"]);
}

#[test]
fn seconds_that_no_clock_shows() {
    let forged = Copied::new("seconds");
    forge(&forged.dir, "timing/timings.csv", |text| {
        let mut cells = Cells::parse(&text);
        cells.set(0, "time:fit", "-1");
        cells.text()
    });
    forged.audit(&all()).assert_differs(&["time:fit is -1, which is no number of seconds"]);
}

/// Such as the time per iteration of a trial without one.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn seconds_that_cannot_be_measured_are_missing() {
    let tree = CHOW_LIU.replace("chow-liu\"", "latent-tree\"\nmax_iterations = 0");
    let bench = Bench::new(&density("still", "", &tree));
    let dir = bench.run("results");
    let timings = || rows(&dir.join("timing/timings.csv")).remove(0);
    assert!(timings().contains_key("time:fit"));
    assert_eq!(timings().get("time:iteration"), None);
    forge(&dir, "timing/timings.csv", |text| {
        let mut cells = Cells::parse(&text);
        cells.set(0, "time:fit", "inf");
        cells.text()
    });
    bench.report("results").unwrap();
    assert_eq!(timings().get("time:fit"), None);
}

/// What stands outside a seal, or outside a digest, is said to.
#[test]
fn what_no_digest_is_over_is_named() {
    let copied = Copied::new("outside");
    let expected = digest(&copied.dir);
    let audit = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_reprise"));
        command.arg("audit").arg(&copied.dir).args(arguments).output().unwrap()
    };
    let outside = "believed: the version that sealed, the page, pictures, timing/, external/, \
                   native_digest and universes/: this digest is not over them";
    assert_says(&audit(&["--expect", &expected]), 0, &[outside]);
    // What the header says is under the digest.
    seal_again(&copied.dir, |manifest| manifest.complete = !manifest.complete);
    let says = format!("its digest is {}, expected {expected}", digest(&copied.dir));
    assert_says(&audit(&["--expect", &expected]), 1, &[&says]);
    seal_again(&copied.dir, |manifest| manifest.complete = !manifest.complete);
    assert!(!text(&audit(&[])).contains(outside));
    std::fs::create_dir_all(copied.dir.join(".journal")).unwrap();
    std::fs::write(copied.dir.join(".journal/lock"), "").unwrap();
    assert!(!text(&audit(&[])).contains("outside the seal"));
    std::fs::write(copied.dir.join(".journal/report.html"), "").unwrap();
    assert_says(&audit(&[]), 0, &[".journal: outside the seal; a later run into this folder"]);
}

#[test]
fn a_file_that_is_no_output() {
    let forged = Copied::new("extra");
    std::fs::write(forged.dir.join("tables/better.csv"), "row\n").unwrap();
    seal_again(&forged.dir, |manifest| {
        manifest.files.push(FileEntry::of("tables/better.csv", b"row\n"));
        manifest.files.sort_by(|a, b| a.path.cmp(&b.path));
    });
    forged.is_found(&["tables/better.csv: sealed, but no output of spec.toml"]);
    let forged = Copied::new("lacking");
    std::fs::remove_file(forged.dir.join("claims.csv")).unwrap();
    let before = manifest(&forged.dir);
    let mut files = before.files.clone();
    files.retain(|file| file.path != "claims.csv");
    let manifest = Manifest { files, ..before }.with_digests();
    std::fs::write(forged.dir.join("manifest.toml"), manifest.to_text().unwrap()).unwrap();
    forged.is_found(&["claims.csv: an output of spec.toml, not sealed"]);
}

#[test]
fn the_entry_of_a_built_in_dataset_changed() {
    let forged = Copied::new("entry");
    forge(&forged.dir, "datasets.toml", |text| {
        assert!(text.contains("[dataset.generated-tree]"), "{text}");
        text.replacen("title = \"", "title = \"Another ", 1)
    });
    forged.is_found(&[
        "datasets.toml: the entry of generated-tree is not that of the built-in registry",
        "datasets.toml: does not come out again",
    ]);
}

#[test]
fn what_another_version_sealed_is_not_checked() {
    let cases: [Lie; 3] = [
        ("version", |m| m.reprise = "0.0.9".to_owned(), "sealed by reprise 0.0.9; this is reprise"),
        (
            "revision",
            |m| {
                m.methods.insert("chow-liu".to_owned(), 999);
            },
            "sealed with revision 999 of method chow-liu; this program has revision",
        ),
        (
            "kind",
            |m| {
                m.methods.insert("oracle".to_owned(), 1);
            },
            "sealed with method oracle, which this program does not have",
        ),
    ];
    for (name, change, says) in cases {
        let other = Copied::new(name);
        seal_again(&other.dir, change);
        other.audit(&Ask::default()).assert_same(0, 0);
        other.audit(&some(1)).assert_not_checked(&[says]);
    }
    // Versions of one series move no digest; a page comes out again if it says which made it, and else is not vouched for.
    let patch = Copied::new("patch");
    let series =
        [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"), "999"].join(".");
    seal_again(&patch.dir, |m| m.reprise.clone_from(&series));
    let audit = patch.audit(&some(1));
    audit.assert_same(1, audit.paths);
    assert!(audit.unchecked[0].starts_with("report.html: reprise 0.1.999 made it"), "{audit:?}");
    let page = std::fs::read_to_string(patch.dir.join("report.html")).unwrap();
    let page =
        page.replace(concat!("reprise ", env!("CARGO_PKG_VERSION")), &format!("reprise {series}"));
    std::fs::write(patch.dir.join("report.html"), page).unwrap();
    seal_again(&patch.dir, |_| ());
    let audit = patch.audit(&some(1));
    audit.assert_same(1, audit.paths);
    assert!(audit.unchecked.is_empty(), "{audit:?}");
}

/// Such layouts were never released: results of them are refused, not read by other rules.
#[test]
fn what_was_sealed_before_the_first_release_is_refused() {
    const SAYS: &str = "was sealed before 0.1.0: run it again";
    let older = Copied::new("older");
    seal_again(&older.dir, |manifest| manifest.layout = LAYOUT - 1);
    older.audit(&Ask::default()).assert_differs(&[SAYS]);
    older.audit(&all()).assert_differs(&[SAYS]);
    let said = honest().reprise().arg("audit").arg(&older.dir).output().unwrap();
    assert_says(&said, 1, &["DIFFERS", SAYS]);
    let refused = honest().refused(&older.name, &everything()).to_string();
    assert!(refused.contains(SAYS), "{refused}");
    honest().run_with(&older.name, &Options { fresh: true, ..everything() });
    older.audit(&Ask::default()).assert_same(0, 0);
}
