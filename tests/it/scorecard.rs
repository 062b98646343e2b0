//! The scorecard: counted from sealed files, and made again by an audit.

use reprise::seal::FileEntry;

use crate::support::experiment::Bench;
use crate::support::paper::small;
use crate::support::results::{copy, forge, rows, seal_again};
use crate::support::spec::{self, CHOW_LIU};
use crate::support::terminal::{assert_says, text};

#[test]
fn the_scorecard_counts_what_the_files_say() {
    let (bench, dir) = small();
    let report = bench.reprise().arg("report").output().unwrap();
    assert_says(
        &report,
        0,
        &[
            "M. Niepert and P. Domingos. Exchangeable Variable Models. ICML 2014.",
            "small/paper",
            "sealed",
        ],
    );
    let page = std::fs::read_to_string(bench.folder().join("results/index.html")).unwrap();
    let verdicts = rows(&dir.join("claims.csv"));
    let holds = verdicts.iter().filter(|row| row["verdict"] == "holds").count();
    assert!(page.contains("Of 2 published cells"), "{page}");
    assert!(page.contains(&format!("Of {} claims {holds} hold", verdicts.len())), "{page}");
    // The overview stands first, and leads to each paper.
    assert!(page.contains("href=\"#paper-evm\"") && page.contains("id=\"paper-evm\""), "{page}");
    assert!(page.contains(&format!("<td>{holds} of {}</td>", verdicts.len())), "{page}");
    assert!(page.contains("href=\"small/paper/report.html\""));
    // In print the tree is ahead by more than rounding, and so it is here.
    let ordering = "Of 1 orderings that print shows 1 have the same sign here";
    assert!(page.contains(ordering), "{page}");
    let json = bench.reprise().args(["report", "--format", "json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let paper = json.as_object().unwrap().values().next().unwrap();
    let [orderings] = paper["orderings"].as_array().unwrap().as_slice() else { panic!("{paper}") };
    let cells = ["table", "printed", "same", "reversed"].map(|key| orderings[key].to_string());
    assert_eq!(cells, ["\"scores\"", "1", "1", "0"]);
    assert_eq!(paper["experiments"][0]["cells"], 2);

    let audit = || bench.reprise().args(["audit", "results"]).output().unwrap();
    let last = "compared: the bytes of files with their manifests; no value was computed";
    assert_says(&audit(), 0, &["1 results folders, 0 differences", last]);
    std::fs::write(bench.folder().join("results/index.html"), page.replace("sealed", "perfect"))
        .unwrap();
    let found = audit();
    assert_says(
        &found,
        1,
        &["index.html: does not come out again", "reprise report --results results"],
    );

    // Nor does it leave out what lies there: whoever does so shows what he likes.
    bench.reprise().arg("report").output().unwrap();
    assert_says(&audit(), 0, &["0 differences"]);
    copy(&dir, &bench.folder().join("results/more/small/paper"));
    assert_says(&audit(), 1, &["index.html: does not come out again"]);
    std::fs::remove_dir_all(bench.folder().join("results/more")).unwrap();
    let later = bench.folder().join("results/later");
    copy(&dir, &later);
    forge(&later, "spec.toml", |text| text.replacen("small/paper", "later", 1));
    seal_again(&later, |manifest| manifest.experiment = "later".to_owned());
    let unlisted = "index.html: does not list later, which came later or was left out";
    assert_says(&audit(), 1, &[unlisted, "reprise report --results results"]);
    std::fs::remove_dir_all(&later).unwrap();

    // A folder may be called as a page is, and a page may stand alone.
    let inner = bench.folder().join("results/conclusions-mine/small/paper");
    copy(&dir, &inner);
    std::fs::write(inner.join("claims.csv"), "verdict\nholds\n").unwrap();
    assert_says(&audit(), 1, &["conclusions-mine/small/paper: DIFFERS", "2 results folders"]);
    std::fs::remove_dir_all(bench.folder().join("results/conclusions-mine")).unwrap();
    std::fs::remove_file(bench.folder().join("results/index.html")).unwrap();
    assert_says(&audit(), 1, &["index.html: can't be read"]);
    std::fs::remove_file(bench.folder().join("results/conclusions-evm.html")).unwrap();
    assert_says(&audit(), 0, &["0 differences"]);

    // Of what is not as it was sealed there is no scorecard.
    std::fs::write(dir.join("claims.csv"), "verdict\nholds\n").unwrap();
    let report = bench.reprise().arg("report").output().unwrap();
    assert_says(&report, 1, &["claims.csv: changed after sealing"]);

    let nothing = bench.reprise().args(["report", "--results", "nowhere"]).output().unwrap();
    assert_says(&nothing, 2, &["no sealed results in nowhere", "--results DIR"]);
}

#[test]
fn what_was_found_are_claims_or_else_tests_or_else_what_is_best() {
    let claim = "[[claim]]\nid = \"tree\"\ntext = \"The tree wins.\"\nsource = \"here\"\n\
                 check.wins = { left = \"CL\", right = \"Independent\", metric = \"test_ll\" }\n";
    let of = |id: &str, further: &str| {
        let independent = "\n[[method]]\nid = \"Independent\"\nkind = \"independent\"\n";
        let text = spec::density(id, "", &format!("{CHOW_LIU}{independent}"));
        text.replace("digits = 2", "digits = 2\nbest = \"max\"") + further
    };
    let test = spec::by_example("CL");
    let bench = Bench::new(&of("claimed", &format!("{test}{claim}")));
    bench.run("r");
    Bench::beside(&bench, &of("tested", &test)).run("r");
    Bench::beside(&bench, &of("measured", "")).run("r");
    let report = bench.reprise().args(["report", "--results", "r"]).output().unwrap();
    let said = text(&report);
    let found = |id: &str| -> Vec<&str> {
        said.lines().filter_map(|line| line.strip_prefix(&format!("{id}: "))).collect()
    };
    for (id, says) in [
        ("claimed", " against "),
        ("tested", "Student's t on paired differences"),
        ("measured", "By the values alone CL is best on Generated tree: "),
    ] {
        assert!(matches!(found(id)[..], [one] if one.contains(says)), "{id}: {said}");
    }
}

/// Three tables of commas once took six gigabytes.
#[test]
fn what_all_files_hold_together_is_bounded() {
    let (bench, dir) = small();
    let row = |at: usize| format!("{at},c,{}\n", "x".repeat(90));
    let table: String = (0..150_000).map(row).collect();
    let table = format!("row,column,metric\n{table}");
    let paths = ["tables/x.csv", "tables/y.csv"];
    paths.iter().for_each(|path| std::fs::write(dir.join(path), &table).unwrap());
    seal_again(&dir, |manifest| {
        manifest.files.extend(paths.map(|path| FileEntry::of(path, b"")));
        manifest.files.sort_by(|one, other| one.path.cmp(&other.path));
    });
    for arguments in [&["report"][..], &["compare", "results", "results"]] {
        let output = bench.reprise().args(arguments).output().unwrap();
        let says = ["cannot count what stands in", "tables/y.csv", "more than 134217728 bytes"];
        assert_says(&output, 1, &says);
    }
}

/// A file that is left out would make the counts those of other results.
#[test]
fn a_file_that_cannot_be_counted_is_named() {
    let (bench, dir) = small();
    let kept = std::fs::read_to_string(dir.join("claims.csv")).unwrap();
    let long = format!("{kept}{}", "tree-wins,holds\n".repeat(1 << 20));
    for (claims, why) in
        [(long, "more than 16777216 bytes"), (format!("{kept}x\n"), "found record")]
    {
        forge(&dir, "claims.csv", |_| claims);
        for arguments in [&["report"][..], &["compare", "results", "results"]] {
            let output = bench.reprise().args(arguments).output().unwrap();
            assert_says(&output, 1, &["cannot count what stands in", "claims.csv", why, "leave"]);
        }
        std::fs::write(bench.folder().join("results/index.html"), "").unwrap();
        let audit = bench.reprise().args(["audit", "results"]).output().unwrap();
        assert_says(&audit, 1, &["index.html: can't be made again: cannot count", why]);
        std::fs::remove_file(bench.folder().join("results/index.html")).unwrap();
    } // What the inputs are, and the times, are read to be compared and summed.
    forge(&dir, "claims.csv", |_| kept);
    let spec = std::fs::read_to_string(dir.join("spec.toml")).unwrap();
    forge(&dir, "spec.toml", |text| text + "\nseed = seed\n");
    let compare = bench.reprise().args(["compare", "results", "results"]).output().unwrap();
    assert_says(&compare, 1, &["cannot count what stands in", "spec.toml", "TOML parse error"]);
    forge(&dir, "spec.toml", |_| spec);
    forge(&dir, "timing/timings.csv", |_| "key,time_fit\nshort\n".to_owned());
    let report = bench.reprise().arg("report").output().unwrap();
    assert_says(&report, 1, &["cannot count what stands in", "timings.csv", "found record"]);
}
