//! Universes of choices: a claim that fails exactly under two options together, and what becomes of the results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::support::experiment::Bench;
use crate::support::registry;
use crate::support::results::{digest, forge, manifest, outputs, rows};
use crate::support::terminal::assert_says;
use reprise::KNOWN;
use reprise::run::trials_csv;

/// "A beats B" fails exactly where A is smoothed by 30 and B by 10; the third choice is of a method that no claim names.
fn spec(universes: &str) -> String {
    let choice = |id: &str, method: &str, options: &str, chosen: &str| {
        format!(
            "[[choice]]\nid = \"{id}\"\nquestion = \"How?\"\ntarget = \"method:{method}\"\nparameter = \"smoothing\"\n\
             options = [{options}]\nchosen = {chosen}\nwhy = \".\"\n"
        )
    };
    let method = |id: &str| format!("[[method]]\nid = \"{id}\"\nkind = \"independent\"\n");
    format!(
        "schema = 1\n[experiment]\nid = \"u\"\ntitle = \"Universes\"\npaper = \"evm\"\nseed = 1\n[task]\nkind = \"density\"\n\
         datasets = [\"tree\"]\nsplit = \"published\"\nmetrics = [\"test_ll\"]\nrepeats = 3\n{}{}{}{}{}{}\
         [universes]\n{universes}\n[[claim]]\nid = \"beats\"\ntext = \"A beats B\"\nsource = \"here\"\n\
         check = {{ wins = {{ left = \"A\", right = \"B\", metric = \"test_ll\" }} }}\n",
        method("A"),
        method("B"),
        method("C"),
        choice("a", "A", "2.0, 30.0, 5.0", "2.0"),
        choice("b", "B", "100.0, 10.0", "100.0"),
        choice("c", "C", "1.0, 2.0, 3.0", "1.0"),
    )
}

fn of(spec: &str) -> Bench {
    Bench::with(spec, &[("datasets.toml", &registry::of(&[registry::tree()]))])
}

fn bench(universes: &str) -> Bench {
    of(&spec(universes))
}

fn run(bench: &Bench, name: &str, arguments: &[&str]) {
    assert_says(&bench.command(name, arguments).output().unwrap(), 0, &[]);
}

/// The verdict on the claim by the options that are not the chosen ones.
fn verdicts(bench: &Bench, name: &str) -> BTreeMap<String, String> {
    let file = |file: &str| rows(&bench.results(name).join("universes").join(file));
    let universes = file("universes.csv");
    let of = |claim: &BTreeMap<String, String>| {
        let at: usize = claim["universe"].parse().unwrap();
        (universes[at]["options"].clone(), claim["verdict"].clone())
    };
    file("claims.csv").iter().map(of).collect()
}

#[test]
fn a_claim_is_judged_in_every_universe_and_nothing_else_moves() {
    let bench = bench("cover = 2\nsample = 6\nrepeats = 2");
    let before = outputs(&bench.run("r"));
    run(&bench, "r", &["--universes"]);
    let dir = bench.results("r");
    let mut after = outputs(&dir);
    after.retain(|path, _| !path.starts_with("universes/"));
    assert_eq!(before, after);
    assert!(manifest(&dir).universes_digest.is_some());
    // The seconds of universes stand beside the others, and are not counted.
    let own = trials_csv::read(&dir, &KNOWN.catalogue.metrics).unwrap();
    let totals = trials_csv::totals(&dir, &KNOWN.catalogue.metrics).unwrap();
    let seconds: f64 = own.iter().filter_map(|row| Some(row.outcome.as_ref()?.seconds())).sum();
    assert_eq!(totals.done, own.len());
    assert!((totals.seconds - seconds).abs() <= 1e-9 * seconds, "{} {seconds}", totals.seconds);
    for (options, verdict) in verdicts(&bench, "r") {
        let fails = options.starts_with("a=30;b=10");
        assert_eq!(verdict, if fails { "fails" } else { "holds" }, "{options}");
    }
    // Nine rows have all pairs of three, two and three options, and no fewer can.
    let universes = rows(&dir.join("universes/universes.csv"));
    let origins: Vec<&str> = universes.iter().map(|row| row["origin"].as_str()).collect();
    assert_eq!(origins[..9], [&["chosen"][..], &["covering"; 8]].concat());
    assert_eq!(origins[9..], ["random"; 6]);
    // What stands stays, also where universes are not asked for again; and it is given up only if that is said.
    for arguments in [&["--universes"][..], &[]] {
        let output = bench.command("r", arguments).output().unwrap();
        assert_says(&output, 0, &["already sealed"]);
    }
    let sealed = digest(&dir);
    run(&bench, "r", &["--replace"]);
    assert!(manifest(&dir).universes_digest.is_none());
    assert_eq!(digest(&dir), sealed);
}

/// A universe asks for more of a trial that is also one of the results.
#[test]
fn what_universes_measure_of_a_trial_that_coincides_is_theirs() {
    let bench = Bench::new(
        r#"schema = 1
[experiment]
id = "u"
title = "Universes"
seed = 1
[task]
kind = "classification"
datasets = ["conjunction-8"]
split = { cv = { folds = 2 } }
[[part]]
id = "less"
methods = ["three"]
metrics = ["test_accuracy"]
[[part]]
id = "more"
methods = ["five", "NB"]
metrics = ["test_accuracy", "train_accuracy"]
[[method]]
id = "three"
kind = "knn"
k = 3
[[method]]
id = "five"
kind = "knn"
[[method]]
id = "NB"
kind = "bernoulli-nb"
[[choice]]
id = "k"
question = "How many?"
target = "method:five"
parameter = "k"
options = [5, 3]
chosen = 5
why = "."
[universes]
cover = 1
[[claim]]
id = "wins"
text = "Five win."
source = "here"
check = { wins = { left = "five", right = "NB", metric = "test_accuracy" } }
"#,
    );
    let trials = |dir: &Path| std::fs::read_to_string(dir.join("trials.csv")).unwrap();
    let alone = trials(&bench.run("alone"));
    run(&bench, "r", &["--universes"]);
    let keys = |file: &str| -> BTreeSet<String> {
        rows(&bench.results("r").join(file)).iter().map(|row| row["key"].clone()).collect()
    };
    assert!(!keys("trials.csv").is_disjoint(&keys("universes/trials.csv")));
    assert_eq!(trials(&bench.results("r")), alone);
}

#[test]
fn all_universes_are_counted_before_they_run() {
    let bench = bench("cover = 1");
    let refused = |bench: &Bench, most: &str, says: &str| {
        let few = ["--universes", "all", "--max-trials", most];
        assert_says(&bench.command("r", &few).output().unwrap(), 2, &[says, "--max-trials"]);
    };
    // Three, two and three options of a method each, on three repeats; fewer paths are left where options coincide.
    refused(&bench, "23", "`--universes all` of u would be 24 paths, more than 23");
    let single = self::bench("repeats = 1");
    refused(&single, "7", "`--universes all` of u would be 8 paths, more than 7");
    refused(&single, "17", "`--universes all` of u would be 18 universes, more than 17");
    let planned = bench.subcommand("plan", "r", &["--universes", "all"]).output().unwrap();
    // Of A two options, of B one, of C two, on three repeats each; independent models have no others.
    assert_says(
        &planned,
        0,
        &["18 universes, of 0 draws at random", "15 trials beside those in 12 paths"],
    );
    run(&bench, "r", &["--universes", "all"]);
    let found = verdicts(&bench, "r");
    assert_eq!(found.len(), 18);
    assert_eq!(found.values().filter(|verdict| *verdict == "fails").count(), 3);
}

#[test]
fn what_choices_ran_is_not_run_again_and_what_is_missing_only_once() {
    let bench = bench("cover = 2\nrepeats = 3");
    run(&bench, "r", &["--choices"]);
    let planned = bench.subcommand("plan", "r", &["--choices", "--universes"]).output().unwrap();
    assert_says(&planned, 0, &["9 universes", "0 trials beside those in 0 paths"]);
    // Trials that universes run too are lost all the same: they would no longer be those of choices.
    let refused = bench.command("r", &["--universes"]).output().unwrap();
    assert_says(&refused, 2, &["`run --choices` keeps those of choices"]);
    run(&bench, "r", &["--choices", "--universes"]);
    assert!(!bench.results("r").join("universes/trials.csv").exists());
    // Without the options one at a time the trials stand among those of universes, with the same verdicts.
    run(&bench, "other", &["--universes"]);
    assert_eq!(verdicts(&bench, "r"), verdicts(&bench, "other"));
    assert_eq!(rows(&bench.results("other").join("universes/trials.csv")).len(), 15);
}

#[test]
fn interrupted_runs_and_workers_seal_the_same_bytes() {
    let bench = bench("cover = 2\nsample = 6\nrepeats = 2");
    run(&bench, "one", &["--universes"]);
    for index in ["1/3", "2/3", "3/3"] {
        let worker = ["--universes", "--index", index, "--host", "host"];
        let worked = bench.subcommand("worker", "several", &worker).output().unwrap();
        assert_says(&worked, 0, &["paths are in"]);
    }
    run(&bench, "several", &["--universes"]);
    assert_eq!(outputs(&bench.results("one")), outputs(&bench.results("several")));
    assert_eq!(
        manifest(&bench.results("one")).universes_digest,
        manifest(&bench.results("several")).universes_digest
    );
    // A run that stops before it seals has broken the seal, and what it had is journaled.
    let only = ["--universes", "--only", "method=A"];
    run(&bench, "killed", &only);
    std::fs::remove_file(bench.results("killed").join("manifest.toml")).unwrap();
    run(&bench, "killed", &["--universes"]);
    assert_eq!(outputs(&bench.results("one")), outputs(&bench.results("killed")));
    let audit = bench.reprise().args(["audit", "one/u", "--rerun", "all"]).output().unwrap();
    assert_says(&audit, 0, &["paths executed again", "0 differences"]);
}

#[test]
fn a_forged_verdict_in_a_universe_is_found() {
    let bench = bench("cover = 2");
    run(&bench, "r", &["--universes"]);
    let claims = bench.results("r").join("universes/claims.csv");
    let forged = std::fs::read_to_string(&claims).unwrap().replace("fails", "holds");
    std::fs::write(&claims, forged).unwrap();
    let audit = bench.reprise().args(["audit", "r/u"]).output().unwrap();
    assert_says(&audit, 1, &["universes/claims.csv"]);
}

/// Options may cost more than the chosen ones: here 100 seconds for 1.
#[test]
fn how_long_universes_take_is_known_from_other_universes() {
    let single = bench("repeats = 1");
    run(&single, "r", &["--universes"]);
    let dir = single.results("r");
    let own: BTreeSet<String> = rows(&dir.join("trials.csv"))
        .into_iter()
        .map(|mut row| row.remove("key").unwrap())
        .collect();
    forge(&dir, "timing/timings.csv", |text| {
        let of = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            let seconds = match cells[0] {
                "key" => "time:fit",
                key if own.contains(key) => "1",
                _ => "100",
            };
            format!("{},{seconds}\n", cells[..cells.len() - 1].join(","))
        };
        text.lines().map(of).collect()
    });
    let three = Bench::beside(&single, &spec("repeats = 3"));
    let planned = three.subcommand("plan", "r", &["--universes"]).output().unwrap();
    // Eight are left; where the chosen options coincide with a universe's, one of three trials took a second.
    assert_says(&planned, 0, &["7 done, 10 min 51 s by earlier timings on one core"]);
}

#[test]
fn what_universes_can_not_be_is_said_at_its_line() {
    for (universes, says) in [
        ("exclude = [{ a = [30.0], b = [100.0, 10.0] }]", "no universe has 30 of `a`"),
        ("exclude = [{ a = [2.0], c = [1.0] }]", "the chosen options are left out"),
        ("exclude = [{ d = [2.0] }]", "`d`"),
        ("exclude = [{ a = [3.0] }]", "`3`"),
        ("repeats = 4", "universes run for no more repeats than the task"),
    ] {
        let output = bench(universes).subcommand("plan", "r", &["--universes"]).output().unwrap();
        assert_says(&output, 2, &[says]);
    }
    // A claim by Wilcoxon's test over three draws can be shown in no universe: six are the fewest that differ at .05.
    let claim = "[[test]]\nid = \"w\"\nkind = \"wilcoxon-signed-rank\"\nmetric = \"test_ll\"\npair_by = \"repeat\"\n\
                 [[claim]]\nid = \"shown\"\ntext = \"A beats B\"\nsource = \"here\"\ncheck = { wins = { left = \"A\", \
                 right = \"B\", metric = \"test_ll\", significant = { test = \"w\", alpha = 0.05 } } }";
    let weak = bench(&format!("repeats = 3\n{claim}"));
    let weak = weak.subcommand("plan", "r", &["--universes"]).output().unwrap();
    assert_says(&weak, 2, &["test `w` shows nothing over 3 repeats", "expected 6 at least"]);
    let fewer = bench("cover = 3\nexclude = [{ a = [30.0], b = [10.0] }]");
    let planned = fewer.subcommand("plan", "r", &["--universes"]).output().unwrap();
    assert_says(&planned, 0, &["15 universes"]);
}

/// Exclusions can be a riddle, and pairs of very many options more than anybody covers: both once took minutes.
#[test]
fn universes_that_nobody_finds_are_refused_at_their_line() {
    let file = |options: &[usize], universes: &str| {
        let text = spec(universes);
        let (before, rest) = text.split_at(text.find("[[choice]]").unwrap());
        let (_, universes) = rest.split_at(rest.find("[universes]").unwrap());
        let choice = |(at, &options): (usize, &usize)| {
            let listed: Vec<String> = (1..=options).map(|option| format!("{option}.0")).collect();
            format!(
                "[[method]]\nid = \"m{at}\"\nkind = \"independent\"\n[[choice]]\nid = \"c{at}\"\nquestion = \"?\"\n\
                 target = \"method:m{at}\"\nparameter = \"smoothing\"\noptions = [{}]\nchosen = 1.0\nwhy = \"-\"\n",
                listed.join(", ")
            )
        };
        let choices: String = options.iter().enumerate().map(choice).collect();
        of(&format!("{before}{choices}{universes}"))
    };
    // Eleven choices with eleven options, of which no two have the same, and a twelfth that asks for the first of none.
    let holes = 11;
    let mut exclude = Vec::new();
    for one in 0..holes {
        for other in 0..one {
            let same = (2..=holes).map(|o| format!("{{ c{one} = [{o}.0], c{other} = [{o}.0] }}"));
            exclude.extend(same);
        }
    }
    let asks = (0..holes).map(|at| format!("{{ c{holes} = [2.0], c{at} = [1.0] }}"));
    exclude.extend(asks);
    let mut options = vec![holes; holes];
    options.push(2);
    let riddle = file(&options, &format!("cover = 1\nexclude = [\n{}\n]", exclude.join(",\n")));
    let many = file(&[300, 300], "cover = 2");
    for (bench, line) in [(riddle, "too much to look through"), (many, "cover = 2")] {
        let output = bench.subcommand("plan", "r", &["--universes"]).output().unwrap();
        let says = ["universes are not found in", "steps", line, "fewer options"];
        assert_says(&output, 2, &says);
    }
}

/// The verdicts of all universes once more, from both files of trials alone: the mean of the repeats that count of each
/// method with its own option.
#[test]
fn verdicts_are_those_of_the_trials_of_both_files() {
    let bench = bench("cover = 2\nsample = 6\nrepeats = 2");
    run(&bench, "r", &["--universes"]);
    let dir = bench.results("r");
    let mut values: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for file in ["trials.csv", "universes/trials.csv"] {
        for row in rows(&dir.join(file)).iter().filter(|row| ["0", "1"].contains(&&*row["repeat"]))
        {
            let place = (row["method"].clone(), row["choice"].clone());
            values.entry(place).or_default().push(row["test_ll"].parse().unwrap());
        }
    }
    let mean = |method: &str, options: &str| {
        let choice = format!("{}=", method.to_lowercase());
        let own = options.split(';').find(|one| one.starts_with(&choice)).unwrap_or("");
        let all = &values[&(method.to_owned(), own.to_owned())];
        assert_eq!(all.len(), 2, "{method} {own}");
        all.iter().sum::<f64>() / all.len() as f64
    };
    let judged = verdicts(&bench, "r");
    let holds = |options: &str| mean("A", options) > mean("B", options);
    for (options, verdict) in &judged {
        assert_eq!(verdict, if holds(options) { "holds" } else { "fails" }, "{options}");
    }
    // Each once, however often it was drawn.
    let universes = rows(&dir.join("universes/universes.csv"));
    let universes: BTreeSet<&str> = universes.iter().map(|row| &*row["options"]).collect();
    let count = universes.iter().filter(|options| holds(options)).count();
    let concluded = rows(&dir.join("universes/conclusions.csv"));
    let said = ["claim", "universes", "holds", "fails", "not_shown"].map(|key| &*concluded[0][key]);
    let expected = [count, universes.len() - count].map(|n| n.to_string());
    assert_eq!(said, ["beats", "11", &expected[0], &expected[1], "0"]);
}

/// Of a method that has fewer repeats than the task the first ones run, and claims and universes are judged on them.
#[test]
fn a_method_may_have_fewer_repeats() {
    let all = bench("cover = 2");
    let own = |repeats: &str| format!("id = \"B\"\nrepeats = {repeats}\n");
    let fewer = |repeats: &str| of(&spec("cover = 2").replace("id = \"B\"\n", &own(repeats)));
    let two = fewer("2");
    run(&all, "r", &["--choices"]);
    run(&two, "r", &["--choices", "--universes"]);
    let trials = |bench: &Bench| rows(&bench.results("r").join("trials.csv"));
    let mut kept = trials(&all);
    kept.retain(|row| row["method"] != "B" || ["0", "1"].contains(&&*row["repeat"]));
    assert_eq!(trials(&two), kept);
    assert!(!two.results("r").join("universes/trials.csv").exists());
    let (claims, verdicts) = (rows(&two.results("r").join("claims.csv")), verdicts(&two, "r"));
    assert_eq!((&*claims[0]["verdict"], &*verdicts[""]), ("holds", "holds"));
    let refused = fewer("4").subcommand("plan", "r", &[]).output().unwrap();
    assert_says(&refused, 2, &["a method runs for no more repeats than the task", "at most 3"]);
}

#[test]
fn a_run_that_is_killed_again_and_again_seals_the_same_bytes() {
    let bench = bench("cover = 2\nsample = 6\nrepeats = 2");
    run(&bench, "one", &["--universes"]);
    let mut killed = 0;
    for delay in (1..).map(|at: u64| 7 * at) {
        let mut command = bench.command("killed", &["--universes"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        let ended = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        killed += usize::from(!ended);
        if ended {
            break;
        }
    }
    assert!(killed > 0);
    run(&bench, "killed", &["--universes"]);
    assert_eq!(outputs(&bench.results("one")), outputs(&bench.results("killed")));
    let of = |name| manifest(&bench.results(name)).universes_digest;
    assert_eq!(of("one"), of("killed"));
}

#[test]
fn a_paper_has_a_page_of_what_may_be_concluded() {
    let bench = bench("cover = 2\nsample = 6\nrepeats = 2");
    run(&bench, "r", &["--universes"]);
    let report = || bench.reprise().args(["report", "--results", "r"]).output().unwrap();
    assert_says(&report(), 0, &["Of 1 claim 1 holds"]);
    let read = |file: &str| std::fs::read_to_string(bench.folder().join("r").join(file)).unwrap();
    assert!(read("index.html").contains("href=\"conclusions-evm.html\""));
    let page = read("conclusions-evm.html");
    let concluded = &rows(&bench.results("r").join("universes/conclusions.csv"))[0];
    let often = &concluded["holds"];
    for says in [
        "M. Niepert and P. Domingos.",
        "open, 1 was judged: 0 of the paper's and ours beside them hold in all",
        &format!("the one that decides most is {} in u, with 1", concluded["decides"]),
        "Hold in most universes that ran",
        &format!("holds in {often} of 11 universes"),
        "It has another verdict exactly where a = 30 and b = 10",
        "href=\"u/report.html\"",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    // An audit makes it again, and knows whose pages are not of these results.
    let audit = || bench.reprise().args(["audit", "r"]).output().unwrap();
    assert_says(&audit(), 0, &["0 differences"]);
    let path = |file: &str| bench.folder().join("r").join(file);
    std::fs::write(path("conclusions-evm.html"), page.replace("holds", "fails")).unwrap();
    assert_says(&audit(), 1, &["conclusions-evm.html: does not come out again"]);
    report();
    std::fs::write(path("conclusions-other.html"), page).unwrap();
    assert_says(&audit(), 1, &["conclusions-other.html: no results here make it"]);
}

/// "A is not the last" fails where A is smoothed by 30 and B and C both by 10: three options.
fn of_three(universes: &str, figure: &str) -> Bench {
    let spec = spec(universes)
        .replace(
            "options = [1.0, 2.0, 3.0]\nchosen = 1.0",
            "options = [100.0, 10.0]\nchosen = 100.0",
        )
        .replace(
            "wins = { left = \"A\", right = \"B\", metric = \"test_ll\" }",
            "rank = { method = \"A\", metric = \"test_ll\", rank = 2 }",
        );
    of(&format!("{spec}{figure}"))
}

/// The shares are those of numpy.linalg.lstsq on the sealed effects, with and without the options of each choice.
#[test]
fn of_a_rule_of_three_options_the_nearest_flip_and_what_the_effect_hangs_on_are_said() {
    let figure = "[[figure]]\nid = \"effects\"\nkind = \"specification\"\nclaim = \"beats\"\n";
    let bench = of_three("cover = 2\nsample = 12", figure);
    run(&bench, "r", &["--universes"]);
    let folder = bench.results("r").join("universes");
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let said = "Of the universes the nearest that turns it is 3 options away, number 14: a = 30 and b = 10 and c = 10. \
                No rule of two options says where it turns. | c 33.8%, b 20.4%, a 11.5%; 18.8% is left, with 5 degrees of freedom |";
    assert!(read("report.md").contains(said), "{}", read("report.md"));
    let concluded = &rows(&folder.join("conclusions.csv"))[0];
    let keys = ["holds", "fails", "no_evidence", "away", "decides", "undecided"];
    assert_eq!(keys.map(|key| &*concluded[key]), ["9", "1", "0", "3", "c", ""]);
    // The figure has the options below in the same order.
    let svg = read("effects.svg");
    let places = ["c = 100", "c = 10\n", "b = 100", "a = 2"].map(|text| svg.find(text).unwrap());
    assert!(places.is_sorted(), "{svg}");
    // All combinations of three are covered where three are: nothing has to be drawn.
    let whole = of_three("cover = 3", "");
    run(&whole, "r", &["--universes"]);
    let exactly = "It has another verdict exactly where a = 30 and b = 10 and c = 10.";
    let concluded = &rows(&whole.results("r").join("universes/conclusions.csv"))[0];
    assert!(concluded["sentence"].ends_with(exactly), "{}", concluded["sentence"]);
}

/// A method that a claim does not name has no part in it, though the claim's test compares it with others; the p-value as
/// corrected is of all.
#[test]
fn of_a_test_that_bears_on_a_claim_which_the_claim_asks_for() {
    let other = "kind = \"tree\", seed = 2, variables = 5, train = 20, valid = 10, test = 10";
    let registry = registry::of(&[registry::tree(), registry::generated("other", other)]);
    let test = "[[test]]\nid = \"t\"\nkind = \"wilcoxon-signed-rank\"\nmetric = \"test_ll\"\npair_by = \"dataset\"\n";
    let by_test =
        "check = { p_value = { test = \"t\", left = \"A\", right = \"B\", below = 0.05 } }";
    let corrected = "check = { p_value = { test = \"t\", left = \"A\", right = \"B\", equals = 0.5, within = 0.5 } }";
    let values = "check = { wins = { left = \"A\", right = \"B\", metric = \"test_ll\" } }";
    for (check, taken) in [(values, 7), (by_test, 7), (corrected, 11)] {
        let spec = spec("cover = 1")
            .replace("datasets = [\"tree\"]\nsplit", "datasets = [\"tree\", \"other\"]\nsplit")
            .replace(values, check)
            + test;
        let bench = Bench::with(&spec, &[("datasets.toml", &registry)]);
        run(&bench, "r", &["--universes"]);
        let sheet =
            std::fs::read_to_string(bench.results("r").join("universes/report.md")).unwrap();
        let why = format!(
            "combinations of options that bear on it give it an effect, and shares of these options take {taken}"
        );
        assert!(sheet.contains(&why), "{check}: {sheet}");
    }
}

/// No universe has the option alone, but the trials of each method do.
#[test]
fn an_option_that_turns_a_claim_by_itself_is_named() {
    let claim = "[[claim]]\nid = \"second\"\ntext = \"A is not the last\"\nsource = \"here\"\n\
                 check = { rank = { method = \"A\", metric = \"test_ll\", rank = 2 } }\n";
    let spec = spec("cover = 2")
        .replace("2.0, 30.0, 5.0", "2.0, 1000.0")
        .replace("1.0, 2.0, 3.0", "1.0, 2.0");
    let bench = of(&(spec.split_once("[[claim]]").unwrap().0.to_owned() + claim));
    run(&bench, "r", &["--universes"]);
    let folder = bench.results("r").join("universes");
    let sheet = std::fs::read_to_string(folder.join("report.md")).unwrap();
    let said = "Each of these options turns it by itself: a = 1000. \
                Of the universes the nearest that turns it is 2 options away";
    assert!(sheet.contains(said), "{sheet}");
    let concluded = &rows(&folder.join("conclusions.csv"))[0];
    assert_eq!(concluded["away"], "1");
    assert!(
        concluded["sentence"].ends_with(" a = 1000 turns it by itself."),
        "{}",
        concluded["sentence"]
    );
}

/// A set of repeats counts where all that a claim asks for ran, and a published cell once, in however many tables it stands.
#[test]
fn seeds_are_whole_and_published_cells_are_counted_once() {
    let other = "kind = \"tree\", seed = 2, variables = 5, train = 20, valid = 10, test = 10";
    let registry = registry::of(&[registry::tree(), registry::generated("other", other)]);
    let table = |id: &str| {
        format!(
            "[[table]]\nid = \"{id}\"\ntitle = \"T\"\nrows = \"dataset\"\ncolumns = \"method\"\nmetric = \"test_ll\"\n\
             published = \"published/t.csv\"\n"
        )
    };
    let printed = "row,column,metric,value,sd\ntree,A,test_ll,-3.1,\nother,A,test_ll,-3.2,\n";
    let said = |repeats: u32| {
        let (before, rest) = spec("cover = 1\nrepeats = 1")
            .split_once("[[method]]")
            .map(|(b, r)| (b.to_owned(), r.to_owned()))
            .unwrap();
        let part = |id: &str, repeats: u32| {
            format!("[[part]]\nid = \"{id}\"\ndatasets = [\"{id}\"]\nrepeats = {repeats}\n")
        };
        let task = before.replace("datasets = [\"tree\"]\n", "").replace("repeats = 3\n", "");
        let parts = part("tree", 3) + &part("other", repeats);
        let spec = format!("{task}{parts}[[method]]{rest}{}{}", table("one"), table("again"));
        let bench =
            Bench::with(&spec, &[("datasets.toml", &registry), ("published/t.csv", printed)]);
        run(&bench, "r", &["--universes"]);
        std::fs::read_to_string(bench.results("r").join("universes/report.md")).unwrap()
    };
    let (all, some) = (said(3), said(1));
    assert!(all.contains("| another verdict in 0 of 2 |"), "{all}");
    assert!(some.contains("| not known |"), "{some}");
    assert!(all.contains(" of 2 published cells within rounding or noise"), "{all}");
    assert!(all.contains("Nearest to the paper is universe 0 (the chosen one)"), "{all}");
}

#[test]
fn what_too_few_universes_leave_open_is_said() {
    let bench = bench("cover = 1");
    run(&bench, "r", &["--universes"]);
    let concluded = &rows(&bench.results("r").join("universes/conclusions.csv"))[0];
    let found = "One universe stands alone there, which almost any options would tell apart.";
    assert!(concluded["sentence"].ends_with(found), "{}", concluded["sentence"]);
    let why = "3 combinations of options that bear on it give it an effect, and shares of these options take 7";
    assert_eq!((&*concluded["decides"], &*concluded["undecided"]), ("", why));
    let sheet = std::fs::read_to_string(bench.results("r").join("universes/report.md")).unwrap();
    assert!(sheet.contains(&format!("| not computed: {why} |")), "{sheet}");
    let page = concluded_page(&bench);
    assert!(page.contains(&format!("no choice is named as deciding: {why}")), "{page}");
}

/// The page of what may be concluded of the paper, made anew.
fn concluded_page(bench: &Bench) -> String {
    let report = bench.reprise().args(["report", "--results", "r"]).output().unwrap();
    assert_says(&report, 0, &[" claim"]);
    std::fs::read_to_string(bench.folder().join("r/conclusions-evm.html")).unwrap()
}

#[test]
fn that_no_choices_were_varied_is_said_whether_or_not_there_are_any() {
    let spec = spec("cover = 2");
    let (before, rest) = spec.split_once("[[choice]]").unwrap();
    let (_, claims) = rest.split_once("[[claim]]").unwrap();
    for spec in [&spec, &format!("{before}[[claim]]{claims}")] {
        let bench = of(spec);
        bench.run("r");
        let page = concluded_page(&bench);
        assert!(page.contains("No open choices were varied together here"), "{page}");
    }
}

#[test]
fn a_failed_trial_is_no_evidence_and_a_claim_that_is_not_judged_is_listed() {
    // Without smoothing a row of the test set has probability zero.
    let spec = spec("cover = 2")
        .replace("id = \"B\"\nkind = \"independent\"", "id = \"B\"\nkind = \"chow-liu\"")
        .replace("options = [100.0, 10.0]\nchosen = 100.0", "options = [0.1, 0.0]\nchosen = 0.1")
        .replace("metrics = [\"test_ll\"]", "metrics = [\"test_ll\", \"time:fit\"]");
    let quick = "[[claim]]\nid = \"quick\"\ntext = \"A is quick\"\nsource = \"here\"\ncheck = { wins = { left = \"A\", \
                 right = \"B\", metric = \"time:fit\" } }\n";
    let bench = of(&format!("{spec}{quick}"));
    run(&bench, "r", &["--universes"]);
    for (options, verdict) in verdicts(&bench, "r") {
        let expected = if options.contains("b=0") { "no-evidence" } else { "fails" };
        assert_eq!(verdict, expected, "{options}");
    }
    let folder = bench.results("r").join("universes");
    let concluded = rows(&folder.join("conclusions.csv"));
    assert_eq!(concluded.len(), 1);
    let keys = ["claim", "holds", "fails", "not_shown", "no_evidence"];
    assert_eq!(keys.map(|key| &*concluded[0][key]), ["beats", "0", "5", "0", "4"]);
    let sheet = std::fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(sheet.contains("Not judged: quick (it reads a clock)."), "{sheet}");
    let page = concluded_page(&bench);
    assert!(page.contains("holds in 0 of 9 universes · no evidence in 4 · "), "{page}");
}

#[test]
fn bounds_of_a_choice_do_not_bound_its_universes() {
    let other = "kind = \"tree\", seed = 2, variables = 5, train = 20, valid = 10, test = 10";
    let registry = registry::of(&[registry::tree(), registry::generated("other", other)]);
    let bounded = "chosen = 2.0\nwhy = \".\"\ndatasets = [\"tree\"]\nrepeats = 1\n";
    let spec = spec("cover = 2")
        .replace("datasets = [\"tree\"]\nsplit", "datasets = [\"tree\", \"other\"]\nsplit")
        .replace("chosen = 2.0\nwhy = \".\"\n", bounded);
    let bench = Bench::with(&spec, &[("datasets.toml", &registry)]);
    run(&bench, "r", &["--choices", "--universes"]);
    let places = |file: &str| {
        let mut rows = rows(&bench.results("r").join(file));
        rows.retain(|row| row["choice"] == "a=30");
        let places = rows.iter().map(|row| format!("{} {}", row["dataset"], row["repeat"]));
        places.collect::<BTreeSet<String>>()
    };
    assert_eq!(places("trials.csv"), BTreeSet::from(["tree 0".to_owned()]));
    let together = ["other 0", "other 1", "other 2", "tree 1", "tree 2"];
    assert_eq!(places("universes/trials.csv"), BTreeSet::from(together.map(str::to_owned)));
}

/// By one of three draws neighbours are ahead, by all of them they are not.
#[test]
fn that_fewer_repeats_give_another_verdict_stands_on_the_sheet() {
    let spec = "schema = 1\n[experiment]\nid = \"u\"\ntitle = \"Universes\"\nseed = 1\n[task]\nkind = \"classification\"\n\
                datasets = [\"coins\"]\nsplit = { redrawn = { repeats = 3 } }\nmetrics = [\"test_accuracy\"]\n\
                [[method]]\nid = \"A\"\nkind = \"knn\"\nk = 5\n[[method]]\nid = \"B\"\nkind = \"bernoulli-nb\"\n\
                [[choice]]\nid = \"a\"\nquestion = \"How?\"\ntarget = \"method:A\"\nparameter = \"k\"\noptions = [5, 3]\n\
                chosen = 5\nwhy = \".\"\n[universes]\nrepeats = 1\n[[claim]]\nid = \"beats\"\ntext = \"A beats B\"\n\
                source = \"here\"\ncheck = { wins = { left = \"A\", right = \"B\", metric = \"test_accuracy\" } }\n";
    let coins = registry::of(&[registry::coins(6, "uniform", 30, 20)]);
    let bench = Bench::with(spec, &[("datasets.toml", &coins)]);
    run(&bench, "r", &["--universes"]);
    let differs = "On these repeats the chosen universe says holds, on all it is fails";
    for file in ["universes/report.md", "report.html"] {
        let text = std::fs::read_to_string(bench.results("r").join(file)).unwrap();
        assert!(text.contains(differs), "{file}: {text}");
    }
}
