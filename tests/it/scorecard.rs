//! The scorecard: counted from sealed files, and made again by an audit.

use crate::support::paper::small;
use crate::support::results::rows;
use crate::support::terminal::assert_says;

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
    assert!(page.contains(&format!("{holds} claims hold")), "{page}");
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
    assert_says(&audit(), 0, &["1 results folders, 0 differences"]);
    // Results that it does not name are none of its affair; what it says of those that it names is.
    bench.run_with("results/other", &crate::support::experiment::choices());
    std::fs::write(bench.folder().join("results/index.html"), page.replace("sealed", "perfect"))
        .unwrap();
    let found = audit();
    assert_says(
        &found,
        1,
        &["index.html: does not come out again", "reprise report --results results"],
    );

    let nothing = bench.reprise().args(["report", "--results", "nowhere"]).output().unwrap();
    assert_says(&nothing, 2, &["no sealed results in nowhere", "--results DIR"]);
}
