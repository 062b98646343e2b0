//! A way in: `reprise init` and `reprise data add`, from an empty folder to a sealed and audited one.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::terminal::{assert_says, text};

/// The program in a folder, without a developer's environment and without network.
fn reprise(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command.args(arguments).current_dir(folder);
    command.env("REPRISE_CACHE", folder.join("cache")).env_remove("REPRISE_MIRROR");
    command.env("NO_COLOR", "1").output().unwrap()
}

/// Writes a first experiment, plans it, runs it, and audits it.
fn sealed(arguments: &[&str], id: &str, phrases: &[&str], trust: bool) {
    let folder = tempfile::tempdir().unwrap();
    let init = [&["init", "own"][..], arguments].concat();
    assert_says(&reprise(folder.path(), &init), 0, &["wrote experiment.toml", "cd own"]);
    let own = folder.path().join("own");
    assert_says(&reprise(&own, &["plan", "experiment.toml", "--offline"]), 0, &["0 done"]);
    let run = reprise(&own, &["run", "experiment.toml", "--offline"]);
    assert_says(&run, 0, phrases);
    let mut audit = vec!["audit", "results", "--rerun", "all", "--data-dir", "."];
    audit.extend(trust.then_some("--trust"));
    assert_says(&reprise(&own, &audit), 0, &[]);
    let status = reprise(&own, &["status"]);
    assert_says(&status, 0, &[id, "sealed"]);
    // Nothing is written over.
    assert_says(&reprise(folder.path(), &init), 2, &["is already there", "nothing was written"]);
    made_again(folder.path(), id);
}

/// Whoever gets the results and the data, without the experiment file, makes them again by the commands of the page, and
/// from another folder by those of `explain`.
fn made_again(folder: &Path, id: &str) {
    let [own, got] = ["own", "got"].map(|name| folder.join(name));
    std::fs::rename(&own, &got).unwrap();
    std::fs::remove_file(got.join("experiment.toml")).unwrap();
    let page = std::fs::read_to_string(got.join("results").join(id).join("report.html")).unwrap();
    let commands = page.split("<pre class=\"command\"><code>").skip(1);
    let commands = commands.map(|rest| rest.split("</code>").next().unwrap().to_owned());
    let commands: Vec<String> = commands.collect();
    assert_eq!(commands.len(), 3, "{commands:?}");
    assert!(page.contains("<p class=\"lead\">"), "what was found stands first");
    let explained = reprise(folder, &["explain", id, "--results", "got/results"]);
    let explained = text(&explained);
    let lines = explained.lines().filter_map(|line| line.trim().strip_prefix("reprise "));
    let explained: Vec<String> = lines.map(|line| format!("reprise {line}")).collect();
    assert_eq!(explained.len(), 2, "{explained:?}");
    for (folder, commands) in [(&got, commands), (&folder.to_owned(), explained)] {
        for command in commands {
            let words: Vec<&str> = command.split(' ').skip(1).collect();
            let output = reprise(folder, &words);
            assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output));
        }
        let digest = |results: &Path| {
            let manifest = std::fs::read_to_string(results.join(id).join("manifest.toml")).unwrap();
            manifest.lines().find(|line| line.starts_with("digest")).unwrap().to_owned()
        };
        assert_eq!(digest(&got.join("results")), digest(&folder.join("again")));
    }
}

#[test]
fn a_first_classification() {
    sealed(&[], "first", &["Doe (2020)", "125 of 125 trials ok", "sealed in results/first"], false);
    sealed(&["--task", "classification"], "first", &["nearest", "sealed in results/first"], false);
}

#[test]
fn results_beside_the_folder_of_their_data_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_says(&reprise(here, &["init", "exp"]), 0, &["wrote experiment.toml"]);
    let run = reprise(here, &["run", "exp/experiment.toml", "--offline"]);
    assert_says(&run, 0, &["sealed in results/first"]);
    let page = std::fs::read_to_string(here.join("results/first/report.html")).unwrap();
    assert!(page.contains("names the folder that has <code>flowers.csv</code>"), "{page}");
    // Where nobody says which it is, it is not said to be this one.
    assert_says(
        &reprise(here, &["explain", "first"]),
        0,
        &["--data-dir '<folder of flowers.csv>'"],
    );
    for said in [["--data-dir", "exp"], ["--registry", "exp/datasets.toml"]] {
        let explained = reprise(here, &[&["explain", "first"][..], &said].concat());
        let again = "run results/first/spec.toml --data-dir exp --results again";
        assert_says(&explained, 0, &[again]);
        let words: Vec<&str> = again.split(' ').collect();
        assert_says(&reprise(here, &words), 0, &["first"]);
    }
}

#[test]
fn a_first_density() {
    sealed(&["--task", "density"], "first", &["trials ok", "sealed in results/first"], false);
}

#[test]
fn a_first_regression() {
    let phrases = ["125 of 125 trials ok", "claims: 1 holds", "sealed in results/first"];
    sealed(&["--task", "regression"], "first", &phrases, false);
}

#[test]
fn a_first_method_in_rust() {
    if Command::new("rustc").arg("--version").output().is_err() {
        println!("skipped: there is no rustc");
        return;
    }
    sealed(&["--method", "rust"], "own/first", &["centroid", "sealed in results/own/first"], true);
}

#[test]
fn the_first_experiment_of_the_checkout_is_that_of_init() {
    let folder = tempfile::tempdir().unwrap();
    assert_says(&reprise(folder.path(), &["init"]), 0, &["wrote experiment.toml"]);
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    for (written, committed) in [
        ("experiment.toml", "first.toml"),
        ("datasets.toml", "datasets.toml"),
        ("flowers.csv", "flowers.csv"),
        ("published/first.csv", "published/first.csv"),
    ] {
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!(
            read(&folder.path().join(written)),
            read(&checkout.join(committed)),
            "{committed}"
        );
    }
    // It teaches in few lines.
    let text = std::fs::read_to_string(checkout.join("first.toml")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    assert!(lines <= 45, "{lines}");
    let results = folder.path().join("results");
    let results = results.to_str().unwrap();
    let file = checkout.join("first.toml");
    let run = ["run", file.to_str().unwrap(), "--offline", "--results", results];
    assert_says(&reprise(folder.path(), &run), 0, &["sealed in"]);
}

const PEOPLE: &str = "name,age,\"height, cm\",colour,sick\n\
    Ann,31,170.5,red,no\nBob,NA,181,blue,yes\n\"Cox, Eve\",45,165.2,red,no\nDan,52,?,green,yes\n\
    Eve,23,160.0,blue,no\nFox,61,175.5,red,yes\n";

#[test]
fn a_registry_above_is_found_from_a_bare_file_name() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("below");
    assert_says(&reprise(folder.path(), &["init"]), 0, &["wrote experiment.toml"]);
    std::fs::create_dir(&below).unwrap();
    std::fs::rename(folder.path().join("published"), below.join("published")).unwrap();
    std::fs::rename(folder.path().join("experiment.toml"), below.join("experiment.toml")).unwrap();
    for file in ["experiment.toml", "./experiment.toml"] {
        assert_says(&reprise(&below, &["plan", file, "--offline"]), 0, &["0 done"]);
    }
}

#[test]
fn a_table_as_people_have_it_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("people.csv"), PEOPLE).unwrap();
    let added = reprise(here, &["data", "add", "people.csv", "--target", "sick"]);
    assert_says(&added, 0, &["height, cm", "classes: no 3, yes 3", "`people` is in datasets.toml"]);
    let registry = std::fs::read_to_string(here.join("datasets.toml")).unwrap();
    for part in ["[dataset.people]", "target = \"sick\"", "path = \"people.csv\"", "sha256"] {
        assert!(registry.contains(part), "{part}: {registry}");
    }
    assert!(registry.contains("missing = "), "{registry}");
    assert_says(&reprise(here, &["data", "list", "people"]), 0, &["people"]);
    assert_says(&reprise(here, &["data", "verify", "people"]), 0, &["ok"]);
    // An id that is there, here or built in, is not taken twice, and the file stays as it is.
    let again = reprise(here, &["data", "add", "people.csv"]);
    assert_says(
        &again,
        2,
        &["there is a dataset `people` already, in datasets.toml", "--id", "data add --replace"],
    );
    let known = reprise(here, &["data", "add", "people.csv", "--id", "iris"]);
    assert_says(&known, 2, &["there is a dataset `iris` already", "known here"]);
    assert_eq!(std::fs::read_to_string(here.join("datasets.toml")).unwrap(), registry);
    // Another id adds it behind the first.
    let other =
        reprise(here, &["data", "add", "people.csv", "--target", "sick", "--id", "people2"]);
    assert_says(&other, 0, &["`people2` is in datasets.toml"]);
    let both = std::fs::read_to_string(here.join("datasets.toml")).unwrap();
    assert!(both.starts_with(registry.trim_end()) && both.contains("[dataset.people2]"), "{both}");
}

#[test]
fn the_entry_of_an_edited_table_is_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let registry = || std::fs::read_to_string(here.join("datasets.toml")).unwrap();
    std::fs::write(here.join("people.csv"), PEOPLE).unwrap();
    let add = |further: &[&str]| reprise(here, &[&["data", "add", "people.csv"], further].concat());
    assert_says(&add(&["--target", "colour"]), 0, &["`people` is in datasets.toml"]);
    assert_says(&add(&["--target", "sick", "--id", "people2"]), 0, &["`people2` is in"]);
    let by_hand = registry().replacen("title = \"people\"", "title = \"Mine\"", 1);
    let by_hand = by_hand.replace("[dataset.people2]", "# The other.\n[dataset.people2]");
    std::fs::write(here.join("datasets.toml"), &by_hand).unwrap();
    let (_, other) = by_hand.split_once("# The other.").unwrap();
    std::fs::write(here.join("people.csv"), format!("{PEOPLE}Gil,40,171.5,red,no\n")).unwrap();
    let fetched = reprise(here, &["data", "fetch", "people"]);
    assert_says(&fetched, 3, &["wrong checksum", "people.csv --replace"]);
    assert_says(&add(&["--replace", "--id", "iris"]), 2, &["known here"]);
    let nobody = add(&["--replace", "--id", "nobody"]);
    assert_says(&nobody, 2, &["there is no dataset `nobody` in datasets.toml", "--id"]);
    assert_eq!(registry(), by_hand, "what is refused changes nothing");
    // What was said by hand stays, as does the target that was named before; the other entry is untouched.
    assert_says(&add(&["--replace"]), 0, &["`people` is in datasets.toml", "`colour`"]);
    let (own, rest) =
        registry().split_once("# The other.").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert_eq!(rest.trim_end(), other.trim_end());
    for part in ["title = \"Mine\"", "target = \"colour\"", "rows = 7"] {
        assert!(own.contains(part), "{part}: {own}");
    }
    assert_eq!(own.matches("[dataset.people]").count(), 1, "{own}");
    assert_says(&reprise(here, &["data", "verify", "people"]), 0, &["ok"]);
}

#[test]
fn the_command_that_replaces_an_entry_finds_it_by_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("people.csv"), PEOPLE).unwrap();
    assert_says(&reprise(here, &["data", "add", "people.csv", "--id", "patients"]), 0, &[]);
    std::fs::write(here.join("people.csv"), format!("{PEOPLE}Gil,40,171.5,red,no\n")).unwrap();
    let replaced = reprise(here, &["data", "add", "people.csv", "--replace"]);
    assert_says(&replaced, 0, &["`patients` is in datasets.toml"]);
    let registry = std::fs::read_to_string(here.join("datasets.toml")).unwrap();
    assert_eq!(registry.matches("[dataset.").count(), 1, "{registry}");
}

#[test]
fn a_folder_with_a_published_split_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::create_dir(here.join("split")).unwrap();
    for (part, rows) in [("train", "1,2,x\n2,3,z\n4,1,x\n5,5,z\n"), ("test", "1,1,x\n3,2,z\n")] {
        std::fs::write(here.join(format!("split/{part}.csv")), format!("a,b,y\n{rows}")).unwrap();
    }
    let added = reprise(here, &["data", "add", "split", "--target", "y"]);
    assert_says(&added, 0, &["`split` is in datasets.toml"]);
    std::fs::create_dir(here.join("unlabelled")).unwrap();
    std::fs::copy(here.join("split/train.csv"), here.join("unlabelled/train.csv")).unwrap();
    std::fs::write(here.join("unlabelled/test.csv"), "a,b\n1,1\n3,2\n").unwrap();
    let unlabelled = reprise(here, &["data", "add", "unlabelled", "--target", "y"]);
    assert_says(&unlabelled, 3, &["has other columns than", "it lacks `y`"]);
    let registry = std::fs::read_to_string(here.join("datasets.toml")).unwrap();
    assert!(
        registry.contains("split/train.csv") && registry.contains("split/test.csv"),
        "{registry}"
    );
    assert_says(&reprise(here, &["data", "list", "split"]), 0, &["4", "2"]);
}

#[test]
fn what_can_not_be_added_leaves_no_registry() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("torn.csv"), "a,b,y\n1,2,x\n3,4\n").unwrap();
    std::fs::write(here.join("empty.csv"), "").unwrap();
    std::fs::write(here.join("people.csv"), PEOPLE).unwrap();
    std::fs::create_dir(here.join("none")).unwrap();
    for (arguments, exit, phrase) in [
        (&["torn.csv"][..], 3, "torn.csv"),
        (&["empty.csv"], 3, "empty.csv"),
        (&["gone.csv"], 3, "gone.csv"),
        (&["none"], 2, "none holds"),
        (&["people.csv", "--target", "ill"], 3, "ill"),
    ] {
        let output = reprise(here, &[&["data", "add"], arguments].concat());
        assert_says(&output, exit, &[phrase]);
        assert!(!here.join("datasets.toml").exists(), "{}", text(&output));
    }
}

/// Classes as UCI Adult has them, a table of names alone to a method of numbers, and no `[[table]]`: what came out stands
/// in a table, and in the index first.
#[test]
fn names_as_people_have_them_reach_every_method_and_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let class = |first: &str| if first == "u" { ">50K/yr; a=b" } else { "<=50K" };
    let rows = ["u", "v", "w"].into_iter().flat_map(|a| ["x", "y", "z"].map(|b| (a, b)));
    let rows = rows.map(|(a, b)| format!("{a},{b},{}\n", class(a)).repeat(4));
    let table = format!("a,b,income\n{}", rows.collect::<String>());
    std::fs::write(here.join("adult.csv"), table).unwrap();
    let added = reprise(here, &["data", "add", "adult.csv", "--target", "income"]);
    assert_says(&added, 0, &["classes: <=50K 24, >50K/yr; a=b 12", "`adult` is in datasets.toml"]);
    let methods = ["decision-tree", "logistic-regression", "nearest-centroid"]
        .map(|kind| format!("[[method]]\nid = \"{kind}\"\nkind = \"{kind}\"\n"));
    let spec = format!(
        "schema = 1\n[experiment]\nid = \"adult\"\ntitle = \"Adult\"\nseed = 1\n[task]\nkind = \"classification\"\n\
         datasets = [\"adult\"]\nsplit = {{ cv = {{ folds = 4, stratified = true }} }}\nmetrics = [\"test_accuracy\"]\n{}",
        methods.concat()
    );
    std::fs::write(here.join("adult.toml"), &spec).unwrap();
    let says = ["nearest-centroid", "1.000", "sealed in"];
    let run = reprise(here, &["run", "adult.toml", "--offline"]);
    assert_says(&run, 0, &says);
    let best = "By the values alone decision-tree is best on adult: test_accuracy 1.";
    assert_says(&reprise(here, &["report"]), 0, &["Own experiments", best]);
    let index = std::fs::read_to_string(here.join("results/index.html")).unwrap();
    assert!(index.contains(best) && index.contains("href=\"adult/report.html\""), "{index}");
    assert_says(&reprise(here, &["audit", "results", "--rerun", "all", "--data-dir", "."]), 0, &[]);
    // Tests say more than values.
    let test = "[[test]]\nid = \"t\"\nkind = \"corrected-resampled-t\"\nmetric = \"test_accuracy\"\nreference = \"decision-tree\"\n";
    std::fs::write(here.join("adult.toml"), spec + test).unwrap();
    assert_says(&reprise(here, &["run", "adult.toml", "--offline"]), 0, &["sealed in"]);
    let said = text(&reprise(here, &["report"]));
    assert!(said.contains("adult: ") && !said.contains("By the values alone"), "{said}");
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_binary_without_a_checkout_has_its_experiments() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_says(&reprise(here, &["experiments"]), 0, &["evm/table4", "gibbs/table1", "quickstart"]);
    assert_says(
        &reprise(here, &["plan", "quickstart", "--offline"]),
        0,
        &["quickstart:", "0 done"],
    );
    assert_says(
        &reprise(here, &["experiments", "evm/table4"]),
        0,
        &["reprise run ./evm/table4.toml"],
    );
    assert!(here.join("evm/published/table4.csv").is_file());
    let again = reprise(here, &["experiments", "evm/table4"]);
    assert_says(&again, 2, &["is already there", "nothing was written"]);
    let none = reprise(here, &["experiments", "evm/table9"]);
    assert_says(&none, 2, &["no experiment `evm/table9` is built in", "reprise experiments"]);
    assert_says(&reprise(here, &["--version"]), 0, &["(reprise-harness)"]);
}

#[test]
fn a_cache_that_is_named_from_here_serves_programs_too() {
    if Command::new("rustc").arg("--version").output().is_err() {
        eprintln!("skipped: rustc is not on PATH");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    assert_says(&reprise(folder.path(), &["init", "own", "--method", "rust"]), 0, &[]);
    let run = ["run", "own/experiment.toml", "--offline", "--cache", "kept"];
    assert_says(&reprise(folder.path(), &run), 0, &["sealed in"]);
    assert!(folder.path().join("kept/environments").is_dir());
    assert!(!folder.path().join("own/kept").exists());
}

/// A table with 40 rows of two classes, or of a number.
fn table(target: impl Fn(usize) -> String) -> String {
    let row = |row: usize| format!("{}.5,{},{}\n", row * 7 % 11, row * row % 5, target(row));
    format!("width,count,y\n{}", (0..40).map(row).collect::<String>())
}

#[test]
fn a_first_experiment_on_own_data_in_one_command() {
    let folder = tempfile::tempdir().unwrap();
    let classes = table(|row| ["no", "yes"][row * 7 % 11 / 6].to_owned());
    std::fs::write(folder.path().join("mine.csv"), classes).unwrap();
    let init = ["init", "own", "--data", "mine.csv", "--target", "y"];
    assert_says(
        &reprise(folder.path(), &init),
        0,
        &["classes: no", "wrote experiment.toml", "cd own", "reprise leak experiment.toml"],
    );
    let own = folder.path().join("own");
    let run = reprise(&own, &["run", "experiment.toml", "--offline"]);
    assert_says(&run, 0, &["150 of 150 trials ok", "sealed in results/mine"]);
    let unsaid = reprise(&own, &["audit", "results", "--rerun", "3"]);
    assert_says(&unsaid, 1, &["--registry datasets.toml names those of this folder"]);
    let said = ["audit", "results", "--registry", "datasets.toml", "--rerun", "3"];
    assert_says(&reprise(&own, &said), 0, &["0 differences"]);
    assert_says(&reprise(folder.path(), &init), 2, &["is already there"]);
    // The table lies outside of the experiment's folder.
    made_again(folder.path(), "mine");
    // What marks the rows is passed on.
    let marked = table(|row| format!("{},{}", ["no", "yes"][row % 2], row / 4));
    let marked = marked.replacen(",y\n", ",y,who\n", 1);
    std::fs::write(folder.path().join("marked.csv"), marked).unwrap();
    let grouped = ["init", "grouped", "--data", "marked.csv", "--target", "y", "--group", "who"];
    assert_says(&reprise(folder.path(), &grouped), 0, &["wrote experiment.toml"]);
    let spec = std::fs::read_to_string(folder.path().join("grouped/experiment.toml")).unwrap();
    assert!(spec.contains("grouped = true"), "{spec}");
    let timed = ["init", "timed", "--data", "marked.csv", "--target", "y", "--group", "who"];
    let timed = reprise(folder.path(), &[&timed[..], &["--time", "count"]].concat());
    assert_says(&timed, 0, &["wrote experiment.toml"]);
    let spec = std::fs::read_to_string(folder.path().join("timed/experiment.toml")).unwrap();
    assert!(spec.contains("{ time = { folds = 5 } } # rows of one group"), "{spec}");
    // What is known under this name gets another.
    std::fs::copy(folder.path().join("mine.csv"), folder.path().join("iris.csv")).unwrap();
    let iris = ["init", "other", "--data", "iris.csv"];
    assert_says(&reprise(folder.path(), &iris), 2, &["already, among those", "--id"]);
    let named = reprise(folder.path(), &[&iris[..], &["--id", "my-iris"]].concat());
    assert_says(&named, 0, &["`my-iris` is in other/datasets.toml"]);
    // A dataset's id may have what an experiment's has not, and what a template has too.
    let other = ["init", "sd", "--data", "mine.csv", "--id", "SD.NAME"];
    assert_says(&reprise(folder.path(), &other), 0, &["wrote experiment.toml"]);
    let spec = std::fs::read_to_string(folder.path().join("sd/experiment.toml")).unwrap();
    assert!(spec.contains("id = \"sd-name\"") && spec.contains("[\"SD.NAME\"]"), "{spec}");
    assert_says(&reprise(&folder.path().join("sd"), &["plan", "experiment.toml"]), 0, &[]);
    // What is not made leaves nothing behind.
    let missing = ["init", "nothing", "--data", "not-there.csv"];
    assert_says(&reprise(folder.path(), &missing), 3, &["not-there.csv"]);
    assert!(!folder.path().join("nothing").exists());
    // A first line is what it is said to be.
    let rows = ["init", "rows", "--data", "mine.csv", "--header", "no"];
    assert_says(&reprise(folder.path(), &rows), 0, &["--header says so", "rows = 41"]);
    let alone = reprise(folder.path(), &["init", "--target", "y"]);
    assert_says(&alone, 2, &["--data"]);
}

#[test]
fn data_add_and_init_in_either_order() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    of("rents.csv", &table(|row| format!("{}.25", 3 * (row * 7 % 11))));
    of("more.csv", &table(|row| format!("{}.75", row * row % 5)));
    of("kinds.csv", &table(|row| ["a", "b"][row % 2].to_owned()));
    let add = |name: &str| reprise(folder.path(), &["data", "add", name, "--target", "y"]);
    for name in ["rents.csv", "kinds.csv", "more.csv"] {
        assert_says(&add(name), 0, &["is in datasets.toml"]);
    }
    assert_says(&reprise(folder.path(), &["init"]), 0, &["wrote experiment.toml"]);
    let spec = std::fs::read_to_string(folder.path().join("experiment.toml")).unwrap();
    assert!(spec.contains("datasets = [\"rents\", \"more\"]"), "{spec}");
    assert!(
        spec.contains("kind = \"regression\"") && spec.contains("cv = { folds = 5, repeats = 5 }")
    );
    let run = reprise(folder.path(), &["run", "experiment.toml", "--offline"]);
    assert_says(&run, 0, &["300 of 300 trials ok"]);
    // A kind that nobody knows: those that do the task are named.
    let unknown = spec.replacen("kind = \"knn-regression\"", "kind = \"xyzzy\"", 1);
    std::fs::write(folder.path().join("unknown.toml"), unknown).unwrap();
    let refused = reprise(folder.path(), &["plan", "unknown.toml", "--offline"]);
    assert_says(&refused, 2, &["no method of kind `xyzzy`", "there is `", "`ridge`"]);
    assert!(!text(&refused).contains("gaussian-nb"), "{}", text(&refused));
    let empty = tempfile::tempdir().unwrap();
    std::fs::write(empty.path().join("datasets.toml"), "schema = 1\n").unwrap();
    assert_says(&reprise(empty.path(), &["init"]), 2, &["has no dataset", "init --data FILE"]);
    // `init` first: then the table stands beside the one that came with it.
    let first = tempfile::tempdir().unwrap();
    assert_says(&reprise(first.path(), &["init"]), 0, &["wrote experiment.toml"]);
    let table = folder.path().join("kinds.csv");
    let added = reprise(first.path(), &["data", "add", &table.to_string_lossy(), "--target", "y"]);
    assert_says(&added, 0, &["`kinds` is in datasets.toml"]);
}
