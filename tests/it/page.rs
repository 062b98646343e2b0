//! `report.html`: a page that asks for nothing, says what the files say, and is outside of the digest.

use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprise::base::digest::Digest;
use reprise::base::layout::PAGE;
use reprise::seal::{Class, FileEntry};

use crate::support::audit::all;
use crate::support::experiment::Bench;
use crate::support::paper::small;
use crate::support::results::{digest, manifest, seal_again};
use crate::support::spec::density;
use crate::support::terminal::assert_says;

fn page(dir: &Path) -> String {
    std::fs::read_to_string(dir.join(PAGE)).unwrap()
}

/// What stands between two texts, the first time that the first is there.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before}"));
    rest.split_once(after).unwrap().0
}

/// The trials of a page, opened as a browser does.
fn block(page: &str) -> serde_json::Value {
    let packed = STANDARD.decode(between(page, "id=\"trials\">", "</script>")).unwrap();
    let mut text = String::new();
    flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_page_runs_its_own_style_and_script_and_asks_for_nothing() {
    let page = page(&small().1);
    let policy = between(&page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Digest::of(text.as_bytes()).0));
    let (style, script) =
        (between(&page, "<style>", "</style>"), between(&page, "<script>", "</script>"));
    let expected = format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    );
    assert_eq!(policy, expected);
    assert_eq!(page.matches("<style").count(), 1);
    for asks in [" src=", "<link", "@import", "url(", " style=", "onclick=", "fetch("] {
        assert!(!page.contains(asks), "{asks}");
    }
}

#[test]
fn the_page_says_what_the_files_say() {
    let (_bench, dir) = small();
    let (page, manifest) = (page(&dir), manifest(&dir));
    for says in [
        "M. Niepert and P. Domingos. Exchangeable Variable Models. ICML 2014.",
        "Of 2 claims 1 holds, 1 fails.",
        "Of 2 published cells",
        "Trees are better on the tree.",
        "How much smoothing?",
        "reprise audit results/small/paper --rerun 3",
        "reprise run results/small/paper/spec.toml --choices --results again",
        &manifest.digest.to_string(),
    ] {
        assert!(page.contains(says), "{says}");
    }
    // Who wins and whether that was shown, then the table, then one picture of all claims.
    let order = [
        "<p class=\"lead\">",
        "CL and NB have the highest test log-likelihood on 1 of 2 data sets each.",
        "<article class=\"table\"",
        "id=\"figure-claims\"",
        "blocks-too: ",
        "id=\"claim-tree-wins\"",
        "<h2>Significance tests</h2>",
    ];
    let places: Vec<usize> =
        order.iter().map(|text| page.find(text).unwrap_or_else(|| panic!("no {text}"))).collect();
    assert!(places.is_sorted(), "{places:?}");
    let svg = std::fs::read_to_string(dir.join("figures/dots.svg")).unwrap();
    assert!(page.contains(svg.split_once('>').unwrap().1), "the figure as it is sealed");

    let block = block(&page);
    let trials = crate::support::results::rows(&dir.join("trials.csv"));
    assert_eq!(block["key"].as_array().unwrap().len(), trials.len());
    // The cell of the tree's data set and NB: three repeats of a grid of two points.
    let cell = &block["tables"][0][0][1];
    let setups = cell["setups"].as_array().unwrap();
    assert_eq!(setups.len(), 2);
    let only = "dataset=generated-tree,method=NB";
    assert_eq!(
        cell["audit"],
        format!("reprise audit results/small/paper --rerun all --only {only}")
    );
    let counts = block["counts"].as_array().unwrap();
    let at = |setup: &serde_json::Value| setup.as_u64().unwrap() as usize;
    assert!(setups.iter().all(|setup| counts[at(setup)] == 3));
    // Its value is the mean of the selected ones.
    let (mut selected, from) =
        (Vec::new(), |setup: usize| -> usize { counts[..setup].iter().map(at).sum() });
    let metrics = block["metrics"].as_array().unwrap();
    let metric = metrics.iter().position(|metric| metric["name"] == cell["metric"]).unwrap();
    for trial in setups.iter().flat_map(|setup| from(at(setup))..from(at(setup)) + 3) {
        if block["selected"][trial] == 1 {
            selected.push(block["values"][metric][trial].as_f64().unwrap());
        }
    }
    assert_eq!(selected.len(), 3);
    let mean = selected.iter().sum::<f64>() / 3.0;
    assert!((mean - cell["value"].as_f64().unwrap()).abs() < 1e-4);
}

#[test]
fn the_page_is_derived_outside_of_the_digest_and_audited() {
    let (bench, dir) = small();
    assert_eq!(Class::of(PAGE), Class::Derived);
    let (before, sealed) = (page(&dir), digest(&dir));
    let found = bench.audit(&dir, &all());
    assert!(found.differences.is_empty(), "{found:?}");

    // Results without it are whole; a report adds it, and their digest stays.
    std::fs::remove_file(dir.join(PAGE)).unwrap();
    seal_without_page(&dir);
    assert!(bench.audit(&dir, &all()).differences.is_empty());
    bench.report("results").unwrap();
    assert_eq!((page(&dir), digest(&dir)), (before, sealed));

    // Somebody who knows the format writes another page.
    std::fs::write(dir.join(PAGE), page(&dir).replace("hold", "fold")).unwrap();
    seal_again(&dir, |_| ());
    let found = bench.audit(&dir, &all());
    assert!(found.differences[0].starts_with("report.html: does not come out again"), "{found:?}");
}

fn seal_without_page(dir: &Path) {
    seal_again(dir, |manifest| {
        manifest.files.retain(|file: &FileEntry| file.path != PAGE);
    });
}

#[test]
fn an_audit_of_some_trials_executes_those() {
    let (bench, dir) = small();
    let audit = |only: &str| {
        let mut command = bench.reprise();
        command.arg("audit").arg(&dir).args(["--rerun", "all", "--only", only]);
        command.output().unwrap()
    };
    assert_says(
        &audit("dataset=generated-tree,method=NB,repeat=0"),
        0,
        &["2 of 24 paths executed again"],
    );
    assert_says(&audit("method=NBB"), 2, &["--only method=NBB: no trial has this method"]);
    let plain = bench.reprise().arg("audit").arg(&dir).args(["--only", "method=NB"]).output();
    assert_says(&plain.unwrap(), 2, &["--rerun"]);
}

/// More sentences than somebody reads are folded with their table; none is left out.
#[test]
fn sentences_of_many_tests_are_folded() {
    let method = |k: usize| format!("[[method]]\nid = \"{k}-NN\"\nkind = \"knn\"\nk = {k}\n");
    let methods: String = (1..=6).map(method).collect();
    let bench = Bench::new(&format!(
        "schema = 1\n[experiment]\nid = \"many\"\ntitle = \"T\"\nseed = 1\n[task]\nkind = \"classification\"\n\
         datasets = [\"conjunction-8\"]\nsplit = {{ share = {{ test = 0.5, repeats = 1 }} }}\n\
         metrics = [\"test_accuracy\"]\n{methods}[[test]]\nid = \"t\"\nkind = \"mcnemar\"\nmetric = \"test_accuracy\"\n"
    ));
    let page = page(&bench.run("r"));
    let folded = between(&page, "<summary>15 comparisons</summary>", "</details>");
    assert_eq!(folded.matches("<p>").count(), 15, "{folded}");
}

#[test]
fn the_page_of_very_many_trials_holds_none_and_says_so() {
    let independent = "[[method]]\nid = \"I\"\nkind = \"independent\"\n";
    let bench = Bench::new(&density("many", "repeats = 100001", independent));
    let page = page(&bench.run("r"));
    assert!(page.contains("100001 trials of 1 method") && page.contains("too many for this page"));
    let block = block(&page);
    assert_eq!((&block["counts"][0], &block["key"]), (&0.into(), &serde_json::json!([])));
    assert_eq!(block["setups"][0]["method"], "I");
    assert!(block["tables"][0][0][0]["run"].is_string());
    assert!(page.len() < 100_000, "{}", page.len());
}
