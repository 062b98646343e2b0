//! A `[[difference]]` holds of the results or stops them, and no trial is lost by it.

use reprise::harness::run::Options;
use reprise::run::plan::WithChoices;

use crate::support::experiment::Bench;
use crate::support::results::rows;
use crate::support::spec::{CHOW_LIU, density};
use crate::support::terminal;

const VALUES: &str = "row,column,metric,value,sd\ngenerated-tree,CL,test_ll,";

#[test]
fn a_note_on_a_cell_that_agrees_stops_plan_report_and_run() {
    let plain =
        density("noted", "", CHOW_LIU).replace("digits = 2", "published = \"published/t.csv\"");
    let noted = format!(
        "{plain}[[difference]]\ntable = \"t\"\nrows = \"generated-tree\"\ncolumns = \"CL\"\ntried = \"x\"\n\
         document = \"docs/evm.md#x\"\n"
    );
    let bench = Bench::with(&noted, &[("published/t.csv", &format!("{VALUES}-99.00,\n"))]);
    let folder = bench.run("results");
    let cell = |folder: &std::path::Path, column: &str| {
        rows(&folder.join("tables/t.csv"))[0][column].clone()
    };
    assert_eq!(cell(&folder, "agreement"), "unexplained");
    let value: f64 = cell(&folder, "value").parse().unwrap();

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
    assert_eq!(cell(&bench.results("results"), "agreement"), "rounding");
    assert!(matches!(
        bench.ended("results", &Options { choices: WithChoices::No, ..Options::default() }),
        Ok(reprise::harness::run::Ended::AlreadySealed(_))
    ));
}
