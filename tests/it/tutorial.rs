//! The guide, followed literally: files are written, commands run, and what a page says is printed is printed.

use std::path::Path;
use std::process::Command;

use reprise::harness::submit::Site;

use crate::support::experiment::Bench;
use crate::support::guide_page::{Files, follow, printed, section};
use crate::support::results::{copy, digest};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::{assert_says, text};

const TUTORIAL: &str = include_str!("../../docs/guide/tutorial.md");

const CLUSTER: &str = include_str!("../../docs/guide/cluster.md");

/// The pages whose commands start in the tutorial's folder.
const PAGES: [&str; 8] = [
    include_str!("../../docs/guide/data.md"),
    include_str!("../../docs/guide/tuning.md"),
    include_str!("../../docs/guide/leaks.md"),
    include_str!("../../docs/guide/methods.md"),
    include_str!("../../docs/guide/significance.md"),
    include_str!("../../docs/guide/auditing.md"),
    include_str!("../../docs/guide/universes.md"),
    include_str!("../../docs/guide/reviewing.md"),
];

const PANDAS: &str = include_str!("../../docs/guide/pandas.md");

const SKLEARN: &str = include_str!("../../docs/guide/sklearn.md");

const INSTALL: &str = include_str!("../../docs/guide/install.md");

const README: &str = include_str!("../../README.md");

const SHOWN: &str = include_str!("../../docs/reference/pages.md");

const COMMANDS: &str = include_str!("../../docs/reference/commands.md");

const DATA: &str = include_str!("../../docs/reference/data.md");

/// What stands before a block of the page of scikit-learn: what selects needs a grid, which not all blocks have.
const BEFORE: &str = r#"
experiment = { id = "page", title = "A block of the page", seed = 1 }
schema = 1
[task]
kind = "classification"
datasets = ["flowers"]
split = { cv = { folds = 5 } }
inner = { cv = 2 }
metrics = ["test_accuracy", "valid_accuracy"]
[[method]]
id = "k-NN"
kind = "knn"
grid = { k = [1, 5] }
select = "valid_accuracy"
"#;

fn assert_follows(page: &str, folder: &Path) {
    let output = follow(page, Files::AreWritten, folder);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    for line in printed(page) {
        assert!(said.lines().any(|one| one.trim() == line.trim()), "{line:?} is not in:\n{said}");
    }
}

/// The section on Slurm, in a copy of the folder without results: the file of the site where it is looked for, and stand-ins
/// of Slurm's commands.
fn slurm() -> String {
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/slurm");
    let there = format!(
        "```sh\ncd queue\nexport PATH={tools}:$PATH FAKE=$PWD/fake XDG_CONFIG_HOME=$PWD/site\n"
    );
    let copied = "```sh\ncp -r coffee queue\nrm -r queue/results\nmkdir -p queue/fake queue/site/reprise\n```\n";
    let page = section(CLUSTER, "Slurm").replacen("```sh\n", &there, 1);
    let page = page.replacen("```toml", "`queue/site/reprise/site.toml`:\n\n```toml", 1);
    copied.to_owned() + &page
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_reader_gets_what_the_guide_shows() {
    let folder = tempfile::tempdir().unwrap();
    assert!(printed(TUTORIAL).len() > 10);
    assert_follows(TUTORIAL, folder.path());
    let received = folder.path().join("received/cups");
    for file in ["report.html", "figures/neighbours.svg", "tables/accuracy.tex", "tests.csv"] {
        assert!(received.join(file).exists(), "{file}");
    }
    let coffee = folder.path().join("coffee");
    PAGES.iter().for_each(|page| assert_follows(page, &coffee));
    for heading in
        ["A shared folder and no engine", "Machines without a folder in common", "Any other engine"]
    {
        assert_follows(section(CLUSTER, heading), &coffee);
    }
    assert_follows("```sh\nreprise run cups.toml --results alone\n```\n", &coffee);
    let sealed = |results: &str| digest(&coffee.join(results).join("cups"));
    assert_eq!(["shared", "both", "engine"].map(sealed), [(); 3].map(|()| sealed("alone")));
    assert_follows(&slurm(), folder.path());
    assert_eq!(digest(&folder.path().join("queue/results/cups")), sealed("alone"));
    let calls = std::fs::read_to_string(folder.path().join("queue/fake/calls")).unwrap();
    assert!(calls.contains("--partition=short") && calls.contains("--exclude=node13"), "{calls}");
    let version = concat!("reprise ", env!("CARGO_PKG_VERSION"), " (reprise-harness)");
    let version = format!("```sh\nreprise --version\n```\n```text\n{version}\n```\n");
    assert_follows(&version, folder.path());
    assert_follows(section(INSTALL, "Without a checkout"), folder.path());
    assert_follows(section(SHOWN, "`reprise explain`"), &coffee);
    let python = |code: &str| {
        let found = Command::new("python3").args(["-c", code]).output();
        found.is_ok_and(|found| found.status.success())
    };
    let pandas = python("import pandas");
    if pandas {
        assert_follows(PANDAS, &coffee);
    }
    if python("") {
        let own = "```sh\ncd own\nexport REPRISE_BINARY=$(command -v reprise)\n```\n";
        let run = if pandas { "\n```sh\npython3 notebook.py\n```\n" } else { "" };
        assert_follows(&(own.to_owned() + section(INSTALL, "From Python") + run), folder.path());
    }
    // What the tutorial calls refused is refused.
    let again = follow("```sh\nreprise run cups.toml\n```\n", Files::AreWritten, &coffee);
    assert_says(&again, 2, &["350 sealed trials", "--replace"]);
}

/// But for what builds the program, and for a run of hours, which is planned.
#[test]
fn the_readme_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let ends_well = |page: &str| {
        let output = follow(page, Files::AreWritten, folder.path());
        assert!(output.status.success(), "{}", text(&output));
    };
    let own = section(README, "An experiment of your own").replace("cargo install --path .\n", "");
    let table = "printf 'size,class\\n1,x\\n2,y\\n3,x\\n4,y\\n5,x\\n6,y\\n' > mine.csv\n";
    ends_well(&own.replace("reprise data add", &format!("{table}reprise data add")));
    let registry = std::fs::read_to_string(folder.path().join("own/datasets.toml")).unwrap();
    assert!(registry.contains("[dataset.mine]"), "{registry}");
    let bench = Bench::new(&spec::density("audited", "repeats = 4", CHOW_LIU));
    let dir = bench.run("r");
    let audit = section(README, "Audit somebody's results").replace("DIGEST", &digest(&dir));
    ends_well(&audit.replace("DIR", dir.to_str().unwrap()));
    if cfg!(feature = "papers") {
        let skipped = |line: &&str| line.starts_with("reprise run ") || line.starts_with("grep ");
        let lines = section(README, "Regenerate a table").lines().filter(|line| !skipped(line));
        let page = lines.collect::<Vec<_>>().join("\n");
        let root = concat!("plan ", env!("CARGO_MANIFEST_DIR"), "/experiments/");
        let page = page.replace("plan experiments/", root);
        ends_well(&page.replace("/tmp/mine", "mine"));
    }
}

/// In a copy of what they name, and the manual in a home of its own.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn the_commands_of_the_reference_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    for part in ["experiments", "results/evm/table2", "results/evm/table5"] {
        copy(&checkout.join(part), &folder.path().join(part));
    }
    let table = "printf 'width,Species\n1,x\n2,y\n3,x\n4,y\n' > flowers.csv\nexport HOME=$PWD";
    let page: [&str; 4] = [
        &format!("```sh\n{table}\n```\n"),
        section(DATA, "Adding a table of your own"),
        &section(COMMANDS, "Read and question results").replace("/tmp/mine", "results"),
        section(COMMANDS, "Keep order"),
    ];
    assert_follows(&page.join("\n"), folder.path());
}

/// They are planned, which builds no environment.
#[test]
fn the_blocks_of_the_page_of_scikit_learn_are_methods() {
    let blocks = SKLEARN.split("```toml\n").skip(1).filter_map(|rest| rest.split("```\n").next());
    let plans = blocks.map(|block| {
        let plan = "```sh\nreprise plan block.toml\n```\n";
        format!("\n`block.toml`:\n\n```toml{BEFORE}{block}```\n\n{plan}")
    });
    let page: String = plans.collect();
    assert!(page.matches("reprise plan").count() > 2);
    let folder = tempfile::tempdir().unwrap();
    let first = "```sh\nreprise init page\ncd page\ntouch requirements.txt\n```\n";
    assert_follows(&(first.to_owned() + &page), folder.path());
}

#[test]
fn the_page_of_scikit_learn_is_followed() {
    let Some(cache) = std::env::var_os("REPRISE_ESTIMATORS") else {
        return eprintln!("skipped: REPRISE_ESTIMATORS names no folder for its environment");
    };
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(cache, folder.path().join("cache")).unwrap();
    assert_follows(SKLEARN.split("\n## ").next().unwrap(), folder.path());
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn the_site_file_of_the_guide_is_one() {
    let text = CLUSTER.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("site.toml");
    std::fs::write(&file, text).unwrap();
    let site = Site::read(&file).unwrap();
    assert_eq!(site.slurm.cpus.map(usize::from), Some(2));
}
