//! What experiment files mean: each form of design.md's section 4 becomes the value it says.

use crate::support::{COMPONENTS, Folder, RESTARTS, TOLERANCE, load};
use reprise::contract::parameter::Value;
use reprise::data::dealt::Dealt;
use reprise::data::split::SplitPlan;
use reprise::spec::{AxisRef, Best, Experiment, Subject};

const TABLE5: &str = include_str!("table5.toml");

const PUBLISHED: &str = "row,column,metric,value,sd\nnltcs,MEVM,test_ll,-6.04,\n\
                         nltcs,LTM,test_ll,-6.49,\nkdd,LTM,test_ll,,\n";

fn table5(profile: Option<&str>) -> Experiment {
    let folder = Folder::new(TABLE5);
    folder.write("published/table5.csv", PUBLISHED);
    load(&folder.path(), profile).unwrap_or_else(|errors| panic!("{}", folder.render(&errors)))
}

/// Loads the text with one part of it replaced.
fn changed(from: &str, to: &str) -> Experiment {
    assert!(TABLE5.contains(from), "{from}");
    let folder = Folder::new(&without_validation(TABLE5, from).replace(from, to));
    folder.write("published/table5.csv", PUBLISHED);
    load(&folder.path(), None).unwrap_or_else(|errors| panic!("{}", folder.render(&errors)))
}

/// Where the split changes, nothing is left to select by but the training examples.
fn without_validation(text: &str, changed: &str) -> String {
    match changed.starts_with("split") {
        true => text.replace("select = \"valid_ll\"", "select = \"train_ll\""),
        false => text.to_owned(),
    }
}

#[test]
fn the_header_and_the_task() {
    let experiment = table5(None);
    assert_eq!(experiment.id, "evm/table5");
    assert_eq!(experiment.paper.as_ref().map(|paper| paper.key.as_str()), Some("evm"));
    assert_eq!(experiment.seed, 2014);
    assert!(!experiment.exclusive);
    let [part] = &experiment.parts[..] else { panic!("one part") };
    assert_eq!((part.id.as_str(), part.task.word), ("", "density"));
    assert_eq!(part.datasets, ["nltcs", "msnbc", "kdd"]);
    assert_eq!(part.split, SplitPlan::Published);
    assert_eq!(part.repeats, 3);
    let metrics: Vec<&str> = part.metrics.iter().map(|metric| metric.name).collect();
    assert_eq!(metrics, ["test_ll", "train_ll", "blocks"]);
    assert_eq!(part.methods, ["MEVM", "NB", "CL", "LTM", "NB-k"]);
    assert_eq!(part.timeout.map(|limit| limit.as_secs()), Some(1800));
}

/// A choice runs for the task's repeats, unless it says how many of a split's own it runs for.
#[test]
fn a_choice_may_count_the_draws_of_a_split() {
    let split = "split = { resample = { train = 335, test = 100, repeats = 50 } }";
    let silent = changed("split = \"published\"", split);
    assert_eq!(silent.choices[0].repeats, 3);
    let text = without_validation(TABLE5, "split");
    let folder = Folder::new(&text.replace("split = \"published\"", split).replacen(
        "[[choice]]\n",
        "[[choice]]\nrepeats = 150\n",
        1,
    ));
    folder.write("published/table5.csv", PUBLISHED);
    let counted = load(&folder.path(), None).unwrap();
    assert_eq!(counted.choices[0].repeats, 150);
}

#[test]
fn splits() {
    let split = |to: &str| changed("split = \"published\"", to).parts[0].split;
    assert_eq!(
        split("split = { cv = { folds = 10, repeats = 1, stratified = true } }"),
        SplitPlan::CrossValidation {
            folds: 10,
            repeats: 1,
            dealt: Dealt { stratified: true, grouped: false }
        }
    );
    assert_eq!(
        split("split = { cv = { folds = 5 } }"),
        SplitPlan::CrossValidation { folds: 5, repeats: 1, dealt: Dealt::default() }
    );
    assert_eq!(
        split("split = { resample = { train = 335, test = 100, repeats = 50 } }"),
        SplitPlan::Resample { train: 335, test: 100, repeats: 50 }
    );
    assert_eq!(
        split("split = { share = { test = 0.2, repeats = 30, grouped = true } }"),
        SplitPlan::Share {
            test: 0.2,
            repeats: 30,
            dealt: Dealt { stratified: false, grouped: true }
        }
    );
    assert_eq!(split("split = \"leave-one-out\""), SplitPlan::LeaveOneOut);
    assert_eq!(split("split = \"folds\""), SplitPlan::Folds);
}

#[test]
fn tables_show_things_in_the_order_in_which_they_list_them() {
    let text = "schema = 1\n[experiment]\nid = \"order\"\ntitle = \"Order\"\nseed = 1\n\
                [task]\nkind = \"density\"\ndatasets = [\"nltcs\", \"kdd\"]\nsplit = \"published\"\n\
                [[method]]\nid = \"A\"\nkind = \"chow-liu\"\n[[method]]\nid = \"B\"\nkind = \"chow-liu\"\n\
                [[table]]\nid = \"t\"\nrows = \"dataset\"\ncolumns = \"method\"\nmetric = \"test_ll\"\n\
                datasets = [\"kdd\", \"nltcs\"]\nmethods = [\"B\", \"A\"]\n";
    let experiment = load(&Folder::new(text).path(), None).unwrap();
    assert_eq!(experiment.tables[0].datasets, ["kdd", "nltcs"]);
    assert_eq!(experiment.tables[0].methods, ["B", "A"]);
    assert_eq!(experiment.parts[0].datasets, ["nltcs", "kdd"]);
}

#[test]
fn methods_have_all_parameters() {
    let experiment = table5(None);
    let [mevm, nb, cl, ltm, swept] = &experiment.methods[..] else { panic!("five methods") };
    assert_eq!(mevm.parameters.get(&COMPONENTS), 20);
    assert_eq!(mevm.parameters.get(&TOLERANCE), 1e-3);
    // Set by the choice, not by the method.
    assert_eq!(mevm.parameters.value("partition"), Some(&Value::Text("sorted-first".to_owned())));
    // A default, and an axis whose whole numbers became real.
    assert_eq!(nb.parameters.get(&RESTARTS), 10);
    assert_eq!(swept.sweep.len(), 1);
    assert_eq!(swept.sweep[0].values, [5, 15, 50].map(Value::Integer));
    assert_eq!(nb.grid[0].values, [0.0, 0.1, 1.0].map(Value::Real));
    assert_eq!(nb.select.map(|metric| metric.name), Some("valid_ll"));
    assert_eq!(cl.label, "Chow-Liu tree");
    assert!(cl.may_fail);
    assert!(ltm.published_only() && !cl.published_only());
}

#[test]
fn choices() {
    let experiment = table5(None);
    let [choice] = &experiment.choices[..] else { panic!("one choice") };
    assert_eq!(choice.subject, Subject::Methods(vec!["MEVM".into()]));
    assert_eq!(choice.parameter, "partition");
    assert_eq!(choice.options.len(), 2);
    assert_eq!(choice.chosen, Value::Text("sorted-first".into()));
    assert_eq!(choice.datasets, ["nltcs", "kdd"]);
    assert_eq!(choice.repeats, 3);
    assert!(!choice.seen);
    assert_eq!(choice.methods, ["MEVM"]);
    let one = changed("target = [\"method:MEVM\"]", "target = \"method:MEVM\"");
    assert_eq!(one.choices[0].subject, Subject::Methods(vec!["MEVM".into()]));
}

#[test]
fn tests_of_significance() {
    const CORRECTED: &str =
        "correcting: Correcting { correction: Holm, family: None, family_of: Test }, level: 0.95";
    let pairing = |by: &str| {
        format!(
            "pairing: Pairing {{ unit: Unit {{ pair_by: {by}, dependence: Refused }}, {CORRECTED} }}"
        )
    };
    let experiment = table5(None);
    let test = &experiment.tests[0];
    assert_eq!(test.word, "wilcoxon-signed-rank");
    assert_eq!(
        format!("{:?}", test.kind),
        format!(
            "Wilcoxon {{ {}, p_value: Normal, zeros: Drop, continuity: false }}",
            pairing("Dataset")
        )
    );
    assert_eq!(test.reference.as_deref(), Some("MEVM"));
    assert_eq!(test.methods, ["MEVM", "NB", "CL", "LTM"]);
    let friedman = &experiment.tests[1];
    assert_eq!((friedman.word, friedman.kind.asks().ranks), ("friedman", true));
    for (keys, read) in [
        ("paired-t\"", format!("PairedT {{ {} }}", pairing("Dataset"))),
        ("welch-t\"\npair_by = \"fold\"", format!("WelchT {{ {} }}", pairing("Fold"))),
        (
            "sign\"\ncorrection = \"holm\"\np_value = \"mid-p\"",
            format!("Sign {{ {}, p_value: MidP }}", pairing("Dataset")),
        ),
        (
            "bootstrap\"\ninterval = \"bca\"",
            "Bootstrap { unit: Unit { pair_by: Dataset, dependence: Refused }, resamples: 10000, interval: Bca, level: 0.95 }"
                .to_owned(),
        ),
        (
            "mcnemar\"\np_value = \"chi-squared\"",
            format!(
                "McNemar {{ outcomes: Outcomes {{ pair_by: Example, dependence: Refused, {CORRECTED} }}, p_value: ChiSquared, continuity: false }}"
            ),
        ),
        (
            "corrected-resampled-t\"",
            format!("CorrectedResampledT {{ pair_by: Fold, {CORRECTED} }}"),
        ),
        (
            "cochran-q\"",
            format!("CochranQ {{ outcomes: Outcomes {{ pair_by: Example, dependence: Refused, {CORRECTED} }} }}"),
        ),
        (
            "equivalence\"\nmargin = 0.1\nfamily = \"same\"",
            "Equivalence { unit: Unit { pair_by: Dataset, dependence: Refused }, margin: 0.1, form: T, correcting: Correcting { \
             correction: Holm, family: Some(\"same\"), family_of: Test }, level: 0.9 }"
                .to_owned(),
        ),
        (
            "bayesian-signed-rank\"\nregion = 0.05",
            "BayesianSignedRank { unit: Unit { pair_by: Dataset, dependence: Refused }, region: 0.05, samples: 50000, level: 0.95 }"
                .to_owned(),
        ),
        (
            "bayesian-correlated-t\"\nregion = 0",
            "BayesianCorrelatedT { pair_by: Fold, region: 0.0, level: 0.95 }".to_owned(),
        ),
    ] {
        let changed = changed("kind = \"paired-t\"", &format!("kind = \"{keys}"));
        assert_eq!(format!("{:?}", changed.tests[2].kind), read);
    }
}

#[test]
fn tables() {
    let experiment = table5(None);
    let [table5, table4, swept] = &experiment.tables[..] else { panic!("three tables") };
    assert_eq!(table5.title, experiment.title);
    assert_eq!(
        (&swept.rows[..], &swept.columns[..]),
        (
            &[AxisRef::Dataset.into()][..],
            &[AxisRef::Method.into(), AxisRef::Sweep("components".into()).into()][..],
        )
    );
    assert_eq!(table5.metrics()[0].name, "test_ll");
    assert_eq!((table5.digits, table5.scale, table5.best), (2, 1.0, Best::Max));
    let bold = table5.bold.as_ref().unwrap();
    assert_eq!((bold.test.as_str(), *bold.alpha), ("by-example", 0.01));
    assert_eq!(table5.published.as_deref(), Some("published/table5.csv"));
    assert_eq!(table5.parts, [""]);
    assert_eq!(table4.columns, [AxisRef::Metric.into()]);
    assert_eq!(table4.methods, ["MEVM"]);
    let metrics: Vec<&str> = table4.metrics().iter().map(|metric| metric.name).collect();
    assert_eq!(metrics, ["blocks", "train_ll"]);

    let [published] = &experiment.published[..] else { panic!("one file, read once") };
    assert_eq!(published.text, PUBLISHED);
    assert_eq!(published.values.len(), 2);
    assert_eq!((published.values[1].column.as_str(), published.values[1].value), ("LTM", -6.49));
}

#[test]
fn figures() {
    let experiment = table5(None);
    let [line, ranks] = &experiment.figures[..] else { panic!("two figures") };
    assert_eq!(line.y.unwrap().name, "test_ll");
    assert_eq!(
        format!("{:?}", line.plot),
        "Line { x: Sweep(\"components\"), x_log: true, dashed: None, values: Gridded { series: Method, \
         x_label: None, y_label: None, y_log: false, \
         clip: Some(Range { least: Some(-9.0), most: None }), relative_to: None, published: None } }"
    );
    assert_eq!(
        format!("{:?}", ranks.plot),
        "CriticalDifference { test: \"friedman\", alpha: 0.05 }"
    );
    assert!(!line.plot.shows_grid());
    let by = |x: &str, series: &str| {
        let between = "x_log = true\nclip = { least = -9.0 }\ny = \"test_ll\"";
        format!("x = \"{x}\"\n{between}\nseries = {series}")
    };
    let grid = changed(
        &by("sweep:components", "\"method\""),
        &by("grid:smoothing", "\"sweep:components\"\nmethods = [\"NB-k\"]"),
    );
    assert!(grid.figures[0].plot.shows_grid());
}

/// The claim of this id, as it was read.
fn check(experiment: &Experiment, id: &str) -> String {
    let claim = experiment.claims.iter().find(|claim| claim.id == id).unwrap();
    // A metric by its name alone.
    let text = format!("{:?}", claim.check);
    let (before, after) = text.split_once("Metric {").unwrap_or((&text, ""));
    format!("{before}{}", after.split_once("part_of: None }").map_or("", |(_, rest)| rest))
}

#[test]
fn claims() {
    let experiment = table5(None);
    for (id, read) in [
        (
            "beats-chow-liu",
            "Wins { left: \"MEVM\", right: Named([\"CL\"]), metric: , on: Counted { datasets: CountedDatasets { \
             datasets: [\"nltcs\", \"msnbc\", \"kdd\"], except: None }, how_many: HowOften { at_least: Some(All), \
             at_most: None, exactly: None } }, or_tied: false, margin: 0.0, significant: None, matters: 0.0, \
             negligible: 0.0 }",
        ),
        (
            "at-or-above",
            "Wins { left: \"MEVM\", right: Named([\"NB\", \"CL\", \"LTM\"]), metric: , on: Counted { datasets: \
             CountedDatasets { datasets: [\"nltcs\", \"kdd\"], except: Some([\"msnbc\"]) }, how_many: HowOften { \
             at_least: None, at_most: None, exactly: None } }, or_tied: false, margin: 0.0, significant: Some(Bold { \
             test: \"by-example\", alpha: 0.05, procedure: Ours }), matters: 0.1, negligible: 0.0 }",
        ),
        (
            "highest",
            "Rank { method: \"MEVM\", among: [\"MEVM\", \"NB\", \"CL\", \"LTM\"], metric: , on: Counted { datasets: \
             CountedDatasets { datasets: [\"nltcs\", \"msnbc\", \"kdd\"], except: None }, how_many: HowOften { \
             at_least: None, at_most: None, exactly: Some(Exactly(2)) } }, rank: 1, tied: true, significant: None }",
        ),
        (
            "p",
            "PValue { test: \"wilcoxon\", pair: Pair { left: \"MEVM\", right: \"NB\" }, differ: false, below: None, matters: 0.0, equals: \
             Some(0.0124), within: Some(5e-5) }",
        ),
        (
            "near",
            "ValueNear { method: \"MEVM\", dataset: \"msnbc\", metric: , value: -6.2, within: 0.05 }",
        ),
        (
            "trend",
            "Trend { swept: Swept { method: \"NB-k\", along: \"components\" }, metric: , direction: Rising, on: \
             Counted { datasets: CountedDatasets { datasets: [\"nltcs\", \"msnbc\", \"kdd\"], except: None }, \
             how_many: HowOften { at_least: None, at_most: None, exactly: None } } }",
        ),
        (
            "ratio",
            "Ratio { pair: Pair { left: \"MEVM\", right: \"CL\" }, metric: , on: Counted { datasets: CountedDatasets \
             { datasets: [\"nltcs\", \"msnbc\", \"kdd\"], except: None }, how_many: HowOften { at_least: None, \
             at_most: None, exactly: None } }, range: Range { least: None, most: Some(2.0) } }",
        ),
        (
            "counts",
            "Counts { methods: [\"MEVM\", \"NB\", \"CL\", \"LTM\"], metric: , datasets: CountedDatasets { datasets: \
             [\"nltcs\", \"msnbc\", \"kdd\"], except: None }, range: Range { least: Some(-1.0), most: None }, \
             how_many: HowOften { at_least: None, at_most: Some(AtMost(10)), exactly: None } }",
        ),
        (
            "same",
            "Equivalent { pair: Pair { left: \"MEVM\", right: \"NB\" }, metric: , margin: Some(0.1), on: Counted { \
             datasets: CountedDatasets { datasets: [\"nltcs\", \"msnbc\", \"kdd\"], except: None }, how_many: \
             HowOften { at_least: None, at_most: None, exactly: None } }, significant: None }",
        ),
    ] {
        assert_eq!(check(&experiment, id), read);
    }
}

#[test]
fn a_profile_narrows_everything_that_names_what_it_drops() {
    let smoke = table5(Some("smoke"));
    assert_eq!(smoke.id, "evm/table5@smoke");
    assert_eq!(smoke.profile(), Some("smoke"));
    assert_eq!(smoke.parts[0].datasets, ["nltcs"]);
    assert_eq!(smoke.parts[0].repeats, 1);
    assert_eq!(smoke.methods[0].parameters.get(&RESTARTS), 1);
    assert_eq!(
        smoke.methods[0].parameters.value("partition"),
        Some(&Value::Text("components".to_owned()))
    );
    assert_eq!(smoke.methods[4].sweep[0].values, [Value::Integer(2)]);
    assert_eq!(smoke.choices[0].datasets, ["nltcs"]);
    assert_eq!(smoke.choices[0].repeats, 1);
    assert_eq!(smoke.tables[1].datasets, ["nltcs"]);
    assert!(check(&smoke, "at-or-above").contains("datasets: [\"nltcs\"]"));
}

#[test]
fn the_digest_is_over_the_text_the_profile_and_the_published_values() {
    let folder = Folder::new(TABLE5);
    folder.write("published/table5.csv", PUBLISHED);
    let digest = |profile| load(&folder.path(), profile).unwrap().spec_digest();
    let first = digest(None);
    assert_eq!(first, digest(None));
    assert_ne!(first, digest(Some("smoke")));
    folder.write("published/table5.csv", &PUBLISHED.replace("-6.04", "-6.05"));
    assert_ne!(first, digest(None));
}

#[test]
fn parts_override_the_task() {
    let parts = "repeats = 3\n[[part]]\nid = \"one\"\nsplit = \"leave-one-out\"\n\
                 [[part]]\nid = \"two\"\nlabel = \"Second\"\ndatasets = [\"plants\"]\n\
                 methods = [\"CL\"]\nrepeats = 2\ntimeout = 90\n[task.unused]\n";
    let text =
        without_validation(TABLE5, "split").replace("repeats = 3\n", "repeats = 3\n#PARTS\n");
    // The parts stand after the whole `[task]`.
    let text = text.replace("#PARTS\n", "").replace(
        "[[method]]\nid = \"MEVM\"",
        &format!(
            "{}[[method]]\nid = \"MEVM\"",
            parts.trim_start_matches("repeats = 3\n").trim_end_matches("[task.unused]\n")
        ),
    );
    let folder = Folder::new(&text.replace(
        "rows = \"dataset\"\ncolumns = \"metric\"",
        "rows = \"part\"\ncolumns = \"metric\"",
    ));
    folder.write("published/table5.csv", PUBLISHED);
    let experiment =
        load(&folder.path(), None).unwrap_or_else(|errors| panic!("{}", folder.render(&errors)));
    let [one, two] = &experiment.parts[..] else { panic!("two parts") };
    assert_eq!((one.split, one.repeats, one.datasets.len()), (SplitPlan::LeaveOneOut, 3, 3));
    assert_eq!(
        (two.label.as_str(), two.repeats, &two.datasets[..]),
        ("Second", 2, &["plants".into()][..])
    );
    assert_eq!(two.methods, ["CL"]);
    assert_eq!(two.timeout.map(|limit| limit.as_secs()), Some(90));
    assert_eq!(experiment.tables[1].rows, [AxisRef::Part.into()]);
    assert_eq!(experiment.tables[1].parts, ["one", "two"]);
    assert_eq!(experiment.tables[0].datasets, ["nltcs", "msnbc", "kdd", "plants"]);
}
