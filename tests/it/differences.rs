//! A `[[difference]]` holds of the results or stops them, and no trial is lost by it.

use reprise::harness::run::Options;
use reprise::run::plan::WithChoices;

use crate::support::experiment::Bench;
use crate::support::spec::{CHOW_LIU, density};
use crate::support::terminal;

const VALUES: &str = "row,column,metric,value,sd\ngenerated-tree,CL,test_ll,";

#[test]
fn a_note_on_a_cell_that_agrees_stops_plan_report_and_run() {
    let plain =
        density("noted", "", CHOW_LIU).replace("digits = 2", "published = \"published/t.csv\"");
    let noted = format!(
        "{plain}[[difference]]\ntable = \"t\"\nrows = \"generated-tree\"\ncolumns = \"CL\"\ncause = \"x\"\n\
         document = \"docs/evm.md#x\"\n"
    );
    let bench = Bench::with(&noted, &[("published/t.csv", &format!("{VALUES}-99.00,\n"))]);
    let folder = bench.run("results");
    let cell = |folder: &std::path::Path| {
        let text = std::fs::read_to_string(folder.join("tables/t.csv")).unwrap();
        text.lines().nth(1).unwrap().split(',').map(str::to_owned).collect::<Vec<_>>()
    };
    let agreement = |folder: &std::path::Path| cell(folder).into_iter().rev().nth(2).unwrap();
    assert_eq!(agreement(&folder), "explained");
    let value: f64 = cell(&folder)[3].parse().unwrap();

    bench.write("published/t.csv", &format!("{VALUES}{value:.2},\n"));
    let message = "row `generated-tree`, column `CL` of `t` can't be explained";
    let report = bench.report("results").unwrap_err();
    assert!(terminal::shown(&report).contains(message), "{}", terminal::shown(&report));
    let run = bench.refused("results", &Options::default());
    assert!(terminal::shown(&run).contains(message), "{}", terminal::shown(&run));
    let plan = bench.subcommand("plan", "results", &[]).output().unwrap();
    assert!(!plan.status.success());
    assert!(String::from_utf8_lossy(&plan.stderr).contains("can't be explained"), "{plan:?}");

    // Nothing runs again once the note is gone.
    let bench = Bench::beside(&bench, &plain);
    bench.report("results").unwrap_or_else(|error| panic!("{}", terminal::shown(&error)));
    assert_eq!(agreement(&bench.results("results")), "rounding");
    assert!(matches!(
        bench.ended("results", &Options { choices: WithChoices::No, ..Options::default() }),
        Ok(reprise::harness::run::Ended::AlreadySealed)
    ));
}
