//! `reprise leak`: what leaks is found, what does not is called clean. Each check has a leak that was made for it, and
//! something honest beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use reprise::base::digest::Digest;
use reprise::math::random::Random;

use crate::support::audit::{Ask, all};
use crate::support::experiment::Bench;
use crate::support::registry::{self, entry};
use crate::support::results::rows;
use crate::support::terminal::{assert_says, text};

/// Points of two classes around 0 and 2, as lines `x,y,kind`, without a header.
fn points(count: usize, seed: &str) -> Vec<String> {
    let mut random = Random::new(Digest::of(seed.as_bytes()));
    let line = |row: usize| {
        let class = row % 2;
        let (x, y) = (random.normal() + 2.0 * class as f64, random.normal());
        format!("{x:.6},{y:.6},{}", ["a", "b"][class])
    };
    (0..count).map(line).collect()
}

fn table(header: &str, lines: &[String]) -> String {
    lines.iter().fold(format!("{header}\n"), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    })
}

fn experiment(task: &str, methods: &str) -> String {
    format!(
        "schema = 1\n[experiment]\nid = \"own\"\ntitle = \"Own\"\nseed = 1\n[task]\n{task}\n{methods}"
    )
}

const NB: &str = "[[method]]\nid = \"NB\"\nkind = \"gaussian-nb\"\n";
const KNN: &str = "[[method]]\nid = \"1-NN\"\nkind = \"knn\"\nk = 1\n";

fn of_points(split: &str) -> String {
    format!("kind = \"classification\"\ndatasets = [\"points\"]\nsplit = {split}")
}

/// One table of points, with further keys of its file.
fn one_table(spec: &str, header: &str, lines: &[String], keys: &str) -> Bench {
    let bench = Bench::with(spec, &[("points.csv", &table(header, lines))]);
    let rest = format!(
        "shape = {{ variables = 2, rows = {}, classes = 2 }}\nfiles = [{{ role = \"all\", format = \"csv\", \
         target = \"kind\", {keys} sources = [{{ path = \"points.csv\" }}] }}]",
        lines.len()
    );
    bench.write("datasets.toml", &registry::of(&[entry("points", "numeric", &rest)]));
    bench
}

/// Points that somebody has divided.
fn divided(methods: &str, train: &[String], test: &[String]) -> Bench {
    let header = "x,y,kind";
    let spec = experiment(&of_points("\"published\""), methods);
    let files = [("train.csv", table(header, train)), ("test.csv", table(header, test))];
    let bench = Bench::with(&spec, &files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let file = |role: &str| {
        format!(
            "{{ role = {role:?}, format = \"csv\", target = \"kind\", sources = [{{ path = \"{role}.csv\" }}] }},\n"
        )
    };
    let rest = format!(
        "shape = {{ variables = 2, train = {}, test = {}, classes = 2 }}\nfiles = [\n{}{}]",
        train.len(),
        test.len(),
        file("train"),
        file("test")
    );
    bench.write("datasets.toml", &registry::of(&[entry("points", "numeric", &rest)]));
    bench
}

fn leak(bench: &Bench, arguments: &[&str]) -> Output {
    bench.subcommand("leak", "r", arguments).output().unwrap()
}

/// What is said of each method.
fn verdicts(bench: &Bench) -> BTreeMap<String, BTreeMap<String, String>> {
    let rows = rows(&bench.folder().join("r/own@leak/leaks.csv"));
    rows.into_iter().map(|row| (row["method"].clone(), row)).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// All paths are executed again, and give the sealed bytes.
fn assert_comes_out_again(bench: &Bench, dir: &Path, paths: usize) {
    let ask = Ask { data_dir: Some(bench.folder().to_owned()), ..all() };
    let audited = bench.audit(dir, &ask);
    assert_eq!((audited.executed, &audited.differences[..]), (paths, &[][..]), "{audited:?}");
}

#[test]
fn what_is_honest_is_clean_and_comes_out_again() {
    let spec = experiment(&of_points("{ cv = { folds = 5, repeats = 3 } }"), &format!("{NB}{KNN}"));
    let bench = one_table(&spec, "x,y,kind", &points(100, "honest"), "");
    let output = leak(&bench, &[]);
    assert_says(&output, 0, &["99 permutations of the labels, alpha 0.001", "2 nothing found"]);
    for (method, row) in verdicts(&bench) {
        assert_eq!(row["verdict"], "nothing found", "{method}");
        assert_eq!((row["permutations"].as_str(), row["copies_p"].as_str()), ("99", ""));
        let (permuted, chance) = (number(&row, "permuted"), number(&row, "chance"));
        assert!((permuted - chance).abs() < 0.03, "{permuted} {chance}");
        assert!(chance <= number(&row, "majority"));
        assert!(number(&row, "p_learned") <= 0.05, "{method} learns something");
    }
    let dir = bench.folder().join("r/own@leak");
    let trials = rows(&dir.join("trials.csv"));
    assert_eq!(trials.len(), 2 * 5 * 101);
    let settings: Vec<&str> = trials.iter().map(|row| row["setting"].as_str()).collect();
    assert_eq!(settings.iter().filter(|setting| **setting == "permuted").count(), 2 * 5 * 99);
    assert_comes_out_again(&bench, &dir, 1010);
    // Again it says the same, and runs nothing.
    assert_says(&leak(&bench, &[]), 0, &["already sealed", "2 nothing found"]);
    // More permutations are another overlay, and lose none that is sealed.
    let output = leak(&bench, &["--permutations", "120", "--alpha", "0.05"]);
    assert_says(&output, 0, &["120 permutations of the labels, alpha 0.05"]);
    let overlay = std::fs::read_to_string(dir.join("overlay.toml")).unwrap();
    assert_eq!(overlay, "leak.alpha = 0.05\nleak.permutations = 120\n");
    assert_comes_out_again(&bench, &dir, 2 * 5 * 122);
    let page = std::fs::read_to_string(dir.join("report.html")).unwrap();
    assert!(page.contains("<h2>Verdicts</h2>") && page.contains("nothing found"));
    let report = std::fs::read_to_string(dir.join("report.md")).unwrap();
    assert!(report.contains("## Verdicts\n\n120 permutations"), "{report}");
}

#[test]
fn copies_and_near_copies_across_a_published_split_are_found() {
    let (train, fresh) = (points(120, "train"), points(60, "test"));
    let clean = divided(NB, &train, &fresh);
    assert_says(&leak(&clean, &[]), 0, &["1 nothing found"]);
    let row = &verdicts(&clean)["NB"];
    assert_eq!(number(row, "copies"), 0.0);
    assert!(number(row, "copies_p_adjusted") > 0.01 && number(row, "near_p_adjusted") > 0.01);

    // A quarter of the test examples are training examples.
    let copied = [&train[..15], &fresh[15..]].concat();
    let copied = divided(NB, &train, &copied);
    assert_says(&leak(&copied, &[]), 1, &["leaks: copies"]);
    let row = &verdicts(&copied)["NB"];
    assert_eq!((number(row, "copies"), number(row, "copies_alike")), (0.25, 0.25));
    assert!(number(row, "copies_p_adjusted") < 0.01);

    // The same a little moved.
    let moved = |line: &String| {
        let (x, rest) = line.split_once(',').unwrap();
        format!("{:.6},{rest}", x.parse::<f64>().unwrap() + 1e-5)
    };
    let near: Vec<String> = train[..20].iter().map(moved).chain(fresh[20..].to_vec()).collect();
    let near = divided(NB, &train, &near);
    assert_says(&leak(&near, &[]), 1, &["leaks: near copies"]);
    let row = &verdicts(&near)["NB"];
    assert_eq!((number(row, "copies"), row["leaks"].as_str()), (0.0, "near copies"));
}

#[test]
fn groups_on_both_sides_are_found_and_kept_together_they_are_clean() {
    let lines = points(60, "groups");
    let lines = lines.iter().enumerate().map(|(row, line)| format!("p{},{line}", row / 2 % 15));
    let lines: Vec<String> = lines.collect();
    for (split, code, verdict) in [
        ("{ cv = { folds = 3 } }", 1, "leaks: groups"),
        ("{ cv = { folds = 3, grouped = true } }", 0, "1 nothing found"),
    ] {
        let spec = experiment(&of_points(split), NB);
        let bench = one_table(&spec, "who,x,y,kind", &lines, "group = \"who\",");
        assert_says(&leak(&bench, &[]), code, &[verdict]);
        let row = &verdicts(&bench)["NB"];
        assert_eq!(number(row, "shared_groups") > 0.9, code == 1, "{row:?}");
        assert_eq!(number(row, "groups"), 15.0);
    }
}

fn program(id: &str) -> String {
    format!(
        "[[method]]\nid = \"{id}\"\nkind = \"command\"\ncommand = [\"python3\", \"own/{id}.py\"]\n\
         code = [\"own/{id}.py\"]\ndata = \"csv\"\ngives = \"labels\"\n"
    )
}

fn python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: there is no python3");
    }
    there
}

/// The labels of one fold's training examples are those of the next one's test examples. Where the kernel bounds a
/// program it can't leave them anywhere; here it can, and does.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_method_that_sees_labels_of_test_examples_is_found() {
    if !python() {
        return;
    }
    let methods = format!("{NB}{}", program("remembers"));
    let spec = experiment(&of_points("{ cv = { folds = 3 } }"), &methods);
    remembering_is_found(&one_table(&spec, "x,y,kind", &points(60, "remembers"), ""), "NB");
    let methods = format!("{MEAN}{}", program("remembers").replace("labels", "values"));
    remembering_is_found(&of_numbers(&methods, 0.1), "mean");
}

#[cfg(target_arch = "x86_64")]
fn remembering_is_found(bench: &Bench, honest: &str) {
    bench.write("own/remembers.py", include_str!("leak/remembers.py"));
    bench.write("own/book", "{}");
    bench.write("without_walls.py", include_str!("support/without_walls.py"));
    let without_walls = |words: &[&str], arguments: &[&str]| {
        let mut command = Command::new("python3");
        command
            .arg("without_walls.py")
            .arg(env!("CARGO_BIN_EXE_reprise"))
            .args(words)
            .arg(bench.spec())
            .args(arguments)
            .current_dir(bench.folder())
            .env_remove("REPRISE_MIRROR")
            .env("REPRISE_CACHE", bench.folder().join("cache"));
        command.output().unwrap()
    };
    let checked = text(&without_walls(&["methods", "check"], &["remembers"]));
    let checked = checked.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(checked.contains("asked twice the same bits"), "{checked}");
    assert!(!checked.contains("another process the same bits"), "{checked}");
    assert_says(
        &without_walls(&["leak"], &["--results", "r", "-j", "1"]),
        1,
        &["lacks: own root, overlay mounts, own /proc, Landlock", "leaks: labels, remembers"],
    );
    let verdicts = verdicts(bench);
    assert_eq!(verdicts[honest]["verdict"], "nothing found");
    let row = &verdicts["remembers"];
    assert_eq!((row["verdict"].as_str(), row["leaks"].as_str()), ("leaks", "labels, remembers"));
    assert!(number(row, "p_remembered") < 1e-4);
    assert!(number(&verdicts[honest], "p_remembered") > 0.01);
    assert!(number(row, "permuted") > number(row, "chance") + 0.1, "{row:?}");
}

/// Trials of other labels would overwrite what a method remembers of those that are drawn once. These alone have many of
/// both classes.
#[test]
fn trials_of_drawn_labels_begin_together_and_first() {
    let method = program("count").replace("python3", "sh").replace(".py", ".sh");
    let spec = experiment(&of_points("{ cv = { folds = 2 } }"), &method);
    let lines: Vec<String> =
        (0..40).map(|row| format!("{row},0,{}", if row < 2 { "b" } else { "a" })).collect();
    let bench = one_table(&spec, "x,y,kind", &lines, "");
    let count = "echo '{\"ready\": 1}' >&3\nwhile read -r request; do\n\
                 field() { printf '%s' \"$request\" | sed \"s/.*\\\"$1\\\": *\\\"\\([^\\\"]*\\)\\\".*/\\1/\"; }\n\
                 ones=$(grep -c '^1' \"$(field data)/train.y.csv\")\n\
                 echo \"{\\\"trial\\\": \\\"$(field trial)\\\", \\\"error\\\": \\\"ones $ones.\\\"}\" >&3\ndone\n";
    bench.write("own/count.sh", count);
    let run = leak(&bench, &["--jobs", "1", "--log", "info"]);
    let said = String::from_utf8(run.stderr).unwrap();
    let logged = said.lines().filter(|line| line.contains("INFO"));
    let ones = logged.filter_map(|line| line.split_once("it says: ones ")?.1.split_once('.'));
    let ones: Vec<usize> = ones.map(|(ones, _)| ones.parse().unwrap()).collect();
    assert_eq!(ones.len(), 2 * (1 + 99 + 1), "{said}");
    assert!(ones[..2].iter().all(|&ones| ones > 2), "{ones:?}");
    assert!(ones[2..].iter().all(|&ones| ones <= 2), "{ones:?}");
}

#[test]
fn answers_that_depend_on_their_batch_are_found() {
    if !python() {
        return;
    }
    let methods = format!("{NB}{}", program("batch"));
    let spec = experiment(&of_points("{ cv = { folds = 2 } }"), &methods);
    let bench = one_table(&spec, "x,y,kind", &points(60, "batch"), "");
    bench.write("own/batch.py", include_str!("leak/batch.py"));
    assert_says(&leak(&bench, &[]), 1, &["leaks: answers", "404 of 404 trials ok"]);
    let verdicts = verdicts(&bench);
    let row = &verdicts["batch"];
    assert!(number(row, "moved_answers") > 0.0);
    assert_eq!(row["leaks"], "answers");
    assert_eq!(
        (verdicts["NB"]["verdict"].as_str(), number(&verdicts["NB"], "moved_answers")),
        ("nothing found", 0.0)
    );
}

const MEAN: &str = "[[method]]\nid = \"mean\"\nkind = \"mean\"\n";

/// Eighty rows with a number each, which the two columns give, but for noise.
fn of_numbers(methods: &str, noise: f64) -> Bench {
    let mut random = Random::new(Digest::of(b"regression"));
    let line = |_| {
        let (x, y) = (random.normal(), random.normal());
        format!("{x:.6},{y:.6},{:.6}", 2.0 * x - y + noise * random.normal())
    };
    let lines: Vec<String> = (0..80).map(line).collect();
    let task = "kind = \"regression\"\ndatasets = [\"points\"]\nsplit = { cv = { folds = 5 } }";
    let bench =
        Bench::with(&experiment(task, methods), &[("points.csv", &table("x,y,kind", &lines))]);
    let rest = "shape = { variables = 2, rows = 80, target = \"number\" }\nfiles = [{ role = \"all\", format = \"csv\", target = \"kind\", \
                sources = [{ path = \"points.csv\" }] }]";
    bench.write("datasets.toml", &registry::of(&[entry("points", "numeric", rest)]));
    bench
}

#[test]
fn targets_that_are_numbers_fall_to_chance_too() {
    let others = "[[method]]\nid = \"ridge\"\nkind = \"ridge\"\n\
                  [[method]]\nid = \"1-NN\"\nkind = \"knn-regression\"\nk = 1\n";
    let bench = of_numbers(&format!("{MEAN}{others}"), 0.1);
    assert_says(&leak(&bench, &[]), 0, &["3 nothing found", "sealed in"]);
    let verdicts = verdicts(&bench);
    assert!(number(&verdicts["ridge"], "score") > 0.9);
    for row in verdicts.values() {
        let (permuted, chance) = (number(row, "permuted"), number(row, "chance"));
        assert!(permuted <= 0.0 && chance <= 0.0, "{row:?}");
        assert!((permuted - chance).abs() < 0.1, "{row:?}");
    }
    assert!(number(&verdicts["1-NN"], "chance") < -0.5);
    assert!(verdicts.values().all(|row| number(row, "p_remembered") > 0.01), "{verdicts:?}");
}

#[test]
fn the_examples_that_train_and_test_are_found() {
    let mut rows: Vec<String> = Vec::new();
    let mut random = Random::new(Digest::of(b"shared"));
    for _ in 0..40 {
        let bit = |random: &mut Random| random.below(2);
        let bits: Vec<String> = (0..12).map(|_| bit(&mut random).to_string()).collect();
        rows.push(format!("{},{}", bits.join(","), bit(&mut random)));
    }
    let task = "kind = \"classification\"\ndatasets = [\"bits\"]\nsplit = \"published\"";
    let methods = "[[method]]\nid = \"majority\"\nkind = \"majority\"\n[[method]]\nid = \"1-NN\"\nkind = \"knn\"\nk = 1\n";
    let lines = table("a,b,c,d,e,f,g,h,i,j,k,l,kind", &rows);
    let bench =
        Bench::with(&experiment(task, methods), &[("train.csv", &lines), ("test.csv", &lines)]);
    let file = |role: &str| {
        format!(
            "{{ role = {role:?}, format = \"csv\", target = \"kind\", sources = [{{ path = \"{role}.csv\" }}] }},\n"
        )
    };
    let shape = "shape = { variables = 12, train = 40, test = 40, classes = 2 }";
    let rest = format!("{shape}\nfiles = [\n{}{}]", file("train"), file("test"));
    bench.write("datasets.toml", &registry::of(&[entry("bits", "numeric", &rest)]));
    assert_says(&leak(&bench, &[]), 1, &["leaks: copies"]);
    let row = &verdicts(&bench)["1-NN"];
    assert_eq!((number(row, "copies"), number(row, "score")), (1.0, 1.0));
}

#[test]
fn what_can_not_be_checked_says_why() {
    let spec = experiment(&of_points("\"leave-one-out\""), NB);
    let bench = one_table(&spec, "x,y,kind", &points(20, "one"), "");
    assert_says(
        &leak(&bench, &[]),
        0,
        &["1 not checked", "Not checked: NB on points: of one test example"],
    );
    let row = &verdicts(&bench)["NB"];
    assert_eq!((row["verdict"].as_str(), row["permuted"].as_str()), ("not checked", ""));

    // A part without labels is named beside one that has some.
    let parts = "[[part]]\nid = \"labels\"\nkind = \"classification\"\ndatasets = [\"points\"]\n\
                 [[part]]\nid = \"rows\"\nkind = \"density\"\ndatasets = [\"tree\"]\n";
    let density = "[[method]]\nid = \"tree\"\nkind = \"chow-liu\"\n";
    let spec = experiment("split = \"published\"", &format!("{parts}{NB}{density}"));
    let bench = divided(NB, &points(40, "train"), &points(20, "test"));
    let text = std::fs::read_to_string(bench.folder().join("datasets.toml")).unwrap();
    bench.write("datasets.toml", &format!("{text}{}", registry::tree()));
    let bench = Bench::beside(&bench, &spec);
    assert_says(
        &leak(&bench, &[]),
        0,
        &["1 nothing found", "Not checked: part rows: a density task has no labels"],
    );
}

#[test]
fn a_leak_check_of_a_profile_and_of_a_grid() {
    let task = format!("{}\ninner = {{ cv = 2 }}", of_points("{ cv = { folds = 4 } }"));
    let method = "[[method]]\nid = \"NN\"\nkind = \"knn\"\ngrid = { k = [1, 5] }\nselect = \"valid_accuracy\"\n\
                  [[method]]\nid = \"swept\"\nkind = \"knn\"\nsweep = { k = [3, 7] }\n";
    let profile = "[profile.fast]\ntask.split = { cv = { folds = 2 } }\n";
    let spec = experiment(&task, &format!("{method}{profile}"));
    let bench = one_table(&spec, "x,y,kind", &points(40, "grid"), "");
    assert_says(&leak(&bench, &["--profile", "fast"]), 0, &["own@fast@leak", "2 nothing found"]);
    let dir = bench.folder().join("r/own@fast@leak");
    let trials = rows(&dir.join("trials.csv"));
    // Two points of the grid and the first of the sweep.
    assert_eq!(trials.len(), 3 * 2 * 101);
    let swept: Vec<_> = trials.iter().filter(|row| row["method"] == "swept").collect();
    assert!(swept.iter().all(|row| row["k"] == "3"));
    assert_comes_out_again(&bench, &dir, 606);
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_runs() {
    let density = experiment(
        "kind = \"density\"\ndatasets = [\"tree\"]\nsplit = \"published\"",
        "[[method]]\nid = \"tree\"\nkind = \"chow-liu\"\n",
    );
    let bench = Bench::new(&density);
    bench.write("datasets.toml", &registry::of(&[registry::tree()]));
    assert_says(
        &leak(&bench, &[]),
        2,
        &[
            "a density task can't be checked for leaks",
            "it has no labels to permute",
            "classification or regression",
        ],
    );
    assert!(!bench.folder().join("r").exists());

    let spec = experiment(&of_points("{ cv = { folds = 2 } }"), NB);
    let bench = one_table(&spec, "x,y,kind", &points(20, "refused"), "");
    assert_says(
        &leak(&bench, &["--permutations", "98"]),
        2,
        &["`permutations` can't be 98", "a whole number from 99"],
    );
    assert_says(&leak(&bench, &["--alpha", "1.5"]), 2, &["`alpha` can't be 1.5"]);
    assert_says(&leak(&bench, &["--profile", "none"]), 2, &["the file has no profile `none`"]);
    let named = Bench::beside(&bench, &format!("{spec}[profile.leak]\ntask.repeats = 1\n"));
    let output = named.command("r", &[]).output().unwrap();
    assert_says(&output, 2, &["`leak` is the profile that every file has", "`[leak]` says how"]);
    let unknown = Bench::beside(&bench, &format!("{spec}[leak]\npermutation = 99\n"));
    let output = unknown.command("r", &[]).output().unwrap();
    assert_says(&output, 2, &["`[leak]` has no key `permutation`", "did you mean `permutations`"]);
    assert!(!bench.folder().join("r").exists(), "{}", text(&output));
}

/// A table of the columns `a` and `b`, which say something of the class, and of others.
fn with_columns(
    rows: usize,
    seed: &str,
    header: &str,
    mut more: impl FnMut(usize, usize, &mut Random) -> String,
) -> Vec<String> {
    let mut random = Random::new(Digest::of(seed.as_bytes()));
    let mut lines = vec![format!("a,b,{header},kind")];
    for row in 0..rows {
        let class = random.below(2);
        let (a, b) = (random.normal() + class as f64, random.normal());
        let more = more(row, class, &mut random);
        lines.push(format!("{a:.5},{b:.5},{more},{}", ["no", "yes"][class]));
    }
    lines
}

/// A folder with a table that `data add` describes, and what `leak` says of it: two methods, cross-validation.
fn said_of(lines: &[String], leak: &str) -> Bench {
    said_with(lines, leak, &[])
}

fn said_with(lines: &[String], leak: &str, options: &[&str]) -> Bench {
    let spec =
        experiment(&of_points("{ cv = { folds = 4, stratified = true } }"), &format!("{NB}{KNN}"));
    let bench = Bench::with(&format!("{spec}{leak}"), &[("points.csv", &lines.join("\n"))]);
    let mut add = Command::new(env!("CARGO_BIN_EXE_reprise"));
    add.args(["data", "add", "points.csv", "--target", "kind"]).args(options);
    add.current_dir(bench.folder());
    add.env("REPRISE_CACHE", bench.folder().join("cache")).env_remove("REPRISE_MIRROR");
    assert_says(&add.output().unwrap(), 0, &["`points` is in datasets.toml"]);
    bench
}

#[test]
fn a_column_that_tells_all_is_suspicious_until_it_is_accepted() {
    let fee = |_: usize, class: usize, random: &mut Random| {
        format!("{:.1}", if class == 1 { 100.0 * random.uniform() + 1.0 } else { 0.0 })
    };
    let lines = with_columns(120, "fee", "fee", fee);
    let bench = said_of(&lines, "");
    let output = leak(&bench, &[]);
    assert_says(
        &output,
        0,
        &[
            "suspicious: column",
            "column `fee` alone has Accuracy 1",
            "2 suspicious",
            "What was looked at",
            "Can't be seen: values filled in",
        ],
    );
    let said = text(&output);
    assert!(said.find("Found:") < said.find("Verdicts"), "what was found stands first");
    let row = &verdicts(&bench)["NB"];
    let found = ["suspicious", "", "column, missing"];
    assert_eq!([&row["verdict"], &row["leaks"], &row["suspicious"]], found);
    let dir = bench.folder().join("r/own@leak");
    assert_comes_out_again(&bench, &dir, 2 * 4 * 101);
    // What is sealed is judged as strictly as is asked for.
    assert_says(&leak(&bench, &["--strict"]), 1, &["already sealed", "2 suspicious"]);
    let accept = "[leak]\naccept = [{ column = \"fee\", why = \"it is paid in advance\" }]\n";
    let bench = said_of(&lines, accept);
    let accepted = "Accepted: column `fee`: it is paid in advance";
    let said = ["Nothing else was found", accepted, "2 nothing found"];
    assert_says(&leak(&bench, &["--strict"]), 0, &said);
    let report = std::fs::read_to_string(bench.folder().join("r/own@leak/report.md")).unwrap();
    assert!(report.contains("## Nothing else was found\n\n\nAccepted: column"), "{report}");
    // It is not counted among the experiments, and not left out.
    let index = bench.reprise().args(["report", "--results", "r"]).output().unwrap();
    assert_says(&index, 0, &["Not counted, as they are of leak checks", "own@leak"]);
    let index = std::fs::read_to_string(bench.folder().join("r/index.html")).unwrap();
    assert!(index.contains("href=\"own@leak/report.html\""), "{index}");
    let misspelt = said_of(&lines, &accept.replace("\"fee\"", "\"feee\""));
    let says = ["no data set has a column `feee`", ":22]", "did you mean `fee`?"];
    assert_says(&leak(&misspelt, &[]), 2, &says);
    let without = said_of(&lines, "[leak]\naccept = [{ column = \"fee\" }]\n");
    assert_says(&leak(&without, &[]), 2, &["`why`"]);
    // Of 0/1 variables too.
    let mut random = Random::new(Digest::of(b"bits"));
    let mut bit = || random.below(2);
    let mut lines = vec!["u,v,w,flag,kind".to_owned()];
    lines.extend((0..120).map(|_| {
        let class = bit();
        format!("{},{},{},{class},{}", bit(), bit(), bit(), ["no", "yes"][class])
    }));
    let said = ["column `flag` alone has Accuracy 1", "2 suspicious"];
    assert_says(&leak(&said_of(&lines, ""), &[]), 0, &said);
}

#[test]
fn copies_of_numbers_leak_under_any_split() {
    let honest =
        with_columns(100, "copied rows", "c", |_, _, random| format!("{:.5}", random.normal()));
    assert_says(&leak(&said_of(&honest, ""), &[]), 0, &["2 nothing found"]);
    // One pair of equal rows suffices.
    let copied = [&honest[..], &honest[5..6]].concat();
    let bench = said_of(&copied, "");
    assert_says(&leak(&bench, &[]), 1, &["leaks: copies", "2 leaks"]);
    assert!(number(&verdicts(&bench)["NB"], "copies_of_numbers") > 0.0);
    // Equal rows of few values are equal by chance.
    let few = with_columns(100, "few", "c", |row, _, _| (row % 2).to_string());
    let few: Vec<String> = few
        .iter()
        .map(|line| {
            line.split(',').map(|v| v.split('.').next().unwrap()).collect::<Vec<_>>().join(",")
        })
        .collect();
    assert_says(&leak(&said_of(&few, ""), &[]), 0, &["2 nothing found"]);
}

#[test]
fn rows_of_undeclared_groups_and_more_columns_than_rows_are_suspicious() {
    let mut random = Random::new(Digest::of(b"patients"));
    let mut lines = vec!["a,b,c,d,kind".to_owned()];
    for _ in 0..40 {
        let kind = ["ill", "well"][random.below(2)];
        let center: Vec<f64> = (0..4).map(|_| random.normal()).collect();
        for _ in 0..4 {
            let row = center.iter().map(|c| format!("{:.5},", c + 0.05 * random.normal()));
            lines.push(row.collect::<String>() + kind);
        }
    }
    let bench = said_of(&lines, "");
    assert_says(
        &leak(&bench, &[]),
        0,
        &["labels agree among the nearest", "name the `group`", "2 suspicious"],
    );
    assert_eq!(verdicts(&bench)["NB"]["suspicious"], "clusters, close rows, in a row");

    let header = (0..80).map(|column| format!("x{column}")).collect::<Vec<_>>().join(",");
    let wide = with_columns(60, "wide", &header, |_, _, random| {
        (0..80).map(|_| format!("{:.4}", random.normal())).collect::<Vec<_>>().join(",")
    });
    assert_says(&leak(&said_of(&wide, ""), &[]), 0, &["82 columns, 45 training rows"]);
}

#[test]
fn copies_with_noise_and_parts_that_add_up_to_the_target_are_suspicious() {
    let mut random = Random::new(Digest::of(b"noise"));
    let mut lines = vec!["a,b,c,d,kind".to_owned()];
    for _ in 0..60 {
        let center: Vec<f64> = (0..4).map(|_| random.normal()).collect();
        for _ in 0..2 {
            let row = center.iter().map(|c| format!("{:.5},", c + 0.002 * random.normal()));
            lines.push(row.collect::<String>() + ["no", "yes"][random.below(2)]);
        }
    }
    let bench = said_of(&lines, "");
    assert_says(&leak(&bench, &[]), 0, &["rows far nearer than the next", "2 suspicious"]);
    assert_eq!(verdicts(&bench)["NB"]["suspicious"], "close rows");

    let exact = "[[method]]\nid = \"ridge\"\nkind = \"ridge\"\nalpha = 1e-6\n";
    let output = leak(&of_numbers(exact, 0.0), &[]);
    assert_says(&output, 0, &["a method has R² 1", "suspicious: exact"]);
}

/// The smaller class is brought up by rows between its own, and whether somebody came back is in two days.
#[test]
fn rows_made_of_others_and_two_days_that_tell_the_class_are_suspicious() {
    let mut random = Random::new(Digest::of(b"made"));
    let mut few: Vec<Vec<f64>> =
        (0..40).map(|_| (0..5).map(|_| random.normal()).collect()).collect();
    for _ in 0..120 {
        let (one, other, part) = (random.below(40), random.below(40), random.uniform());
        let between = few[one].iter().zip(&few[other]).map(|(a, b)| a + part * (b - a));
        few.push(between.collect());
    }
    let line = |row: &[f64], class: &str| {
        row.iter().map(|value| format!("{value:.6},")).collect::<String>() + class
    };
    let mut lines = vec!["a,b,c,d,e,kind".to_owned()];
    lines.extend(few.iter().map(|row| line(row, "yes")));
    lines.extend((0..160).map(|_| line(&[(); 5].map(|()| random.normal()), "no")));
    let made = said_of(&lines, "");
    assert_says(&leak(&made, &[]), 0, &["lie between two training rows, on the line"]);
    assert_eq!(verdicts(&made)["NB"]["suspicious"], "interpolated");

    let mut lines = vec!["left,age,seen,kind".to_owned()];
    for _ in 0..200 {
        let (left, days) = (random.below(1000), random.below(60));
        let back = ["no", "yes"][usize::from(days <= 30)];
        lines.push(format!("{left},{},{},{back}", random.below(80), left + days));
    }
    let told = "column `left` less `seen` alone has AUC";
    assert_says(&leak(&said_of(&lines, ""), &[]), 0, &[told, "suspicious: column"]);
    let accepted = "[leak]\naccept = [{ column = \"seen\", why = \"it is planned\" }]\n";
    assert_says(&leak(&said_of(&lines, accepted), &[]), 0, &["Accepted: column `seen`"]);
}

/// What somebody did to all rows before the file was made.
#[test]
fn labels_that_went_into_columns_and_copies_of_coarse_numbers_are_suspicious() {
    // The mean target of a town, which stands for it, by all rows.
    let mut random = Random::new(Digest::of(b"towns"));
    let towns: Vec<(usize, usize)> =
        (0..240).map(|_| (random.below(30), random.below(2))).collect();
    let mean = |town: usize| {
        let own = towns.iter().filter(|(of, _)| *of == town);
        let (yes, all) = own.fold((0, 0), |(yes, all), (_, class)| (yes + class, all + 1));
        yes as f64 / f64::from(all)
    };
    let mut encoded = vec!["a,town,kind".to_owned()];
    encoded.extend(towns.iter().map(|&(town, class)| {
        format!("{:.5},{:.4},{}", random.normal(), mean(town), ["no", "yes"][class])
    }));
    let filled = with_columns(240, "filled", "sugar", |_, class, random| match random.below(4) {
        0 => format!("{}.25", class + 1),
        _ => format!("{:.2}", 2.0 * random.normal()),
    });
    let coarse = |_: usize, _: usize, random: &mut Random| {
        let number = || (5.0 * random.normal()).round().to_string();
        std::iter::repeat_with(number).take(4).collect::<Vec<_>>().join(",")
    };
    let rows = with_columns(200, "coarse", "c,d,e,f", coarse);
    let short = |line: &String| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        cells[..2].iter_mut().for_each(|cell| cell.truncate(cell.len().min(3)));
        cells.join(",")
    };
    let rows: Vec<String> = rows.iter().map(short).collect();
    let copied = [&rows[..], &rows[1..60]].concat();
    for (lines, what, why) in [
        (&encoded, "encoded", "column `town`: follows the mean targets of the rows that share its"),
        (&filled, "filled in", "column `sugar`: has a value for each of several classes"),
        (&copied, "repeats", "times as many rows stand more than once as chance gives"),
    ] {
        let bench = said_of(lines, "");
        assert_says(&leak(&bench, &[]), 0, &[why, "2 suspicious"]);
        let row = &verdicts(&bench)["NB"];
        assert!(row["suspicious"].contains(what) && row["why"].contains(why), "{row:?}");
    }
    assert_says(&leak(&said_of(&rows, ""), &[]), 0, &["2 nothing found"]);
}

/// Every tenth day the kind may change, and no column says so.
#[test]
fn rows_that_follow_each_other_or_are_earlier_than_training_rows_are_suspicious() {
    let mut random = Random::new(Digest::of(b"in a row"));
    let kinds: Vec<usize> = (0..30).map(|_| random.below(2)).collect();
    let day = |day: usize| format!("2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
    let mut row = |at: usize| {
        let values = [(); 3].map(|()| format!("{:.3}", random.normal())).join(",");
        format!("{},{values},{}", day(at), ["no", "yes"][kinds[at / 10]])
    };
    let mut lines = vec!["day,a,b,c,kind".to_owned()];
    lines.extend((0..300).map(&mut row));
    let undated: Vec<String> =
        lines.iter().map(|line| line.split_once(',').unwrap().1.to_owned()).collect();
    let bench = said_of(&undated, "");
    assert_says(&leak(&bench, &[]), 0, &["labels agree between rows that stand near each other"]);
    assert_eq!(verdicts(&bench)["NB"]["suspicious"], "in a row");
    let bench = said_with(&lines, "", &["--time", "day"]);
    let said = ["of the test rows are earlier than a training row: split by `time`"];
    assert_says(&leak(&bench, &[]), 0, &said);
    assert_eq!(verdicts(&bench)["NB"]["suspicious"], "earlier");
}

#[test]
fn a_column_that_says_which_row_it_is_is_suspicious() {
    let serial = |row: usize, _: usize, _: &mut Random| (4000 + row).to_string();
    let mut lines = with_columns(80, "serial", "serial", serial);
    let bench = said_of(&lines, "");
    // `data add` leaves such a column out; an entry that names it has it.
    assert_says(&leak(&bench, &[]), 0, &["2 nothing found"]);
    lines[0] = "a,b,x,kind".to_owned();
    let bench = one_table(
        &experiment(&of_points("{ cv = { folds = 4 } }"), NB),
        &lines[0],
        &lines[1..],
        "",
    );
    let registry = std::fs::read_to_string(bench.folder().join("datasets.toml")).unwrap();
    bench.write("datasets.toml", &registry.replace("variables = 2", "variables = 3"));
    assert_says(&leak(&bench, &[]), 0, &["column `x`: says which row it is", "1 suspicious"]);
}
