//! `tests.csv`. Reference values: SciPy 1.17.1, calls quoted.

use reprise::data::dealt::{Dealt, Forward};
use reprise::data::split::SplitPlan;
use reprise::report::significance::*;
use reprise::run::Cause;
use reprise::spec::{Correcting, Dependent, Experiment, FamilyOf, PairBy};
use reprise::stats::{Correction, Ends, critical_difference, rank_error};

use crate::build::*;

fn resampled(pair_by: Division) -> CorrectedResampledT {
    CorrectedResampledT { pair_by, correcting: corrected(Correction::None), level: 0.95 }
}

fn close(text: &str, reference: f64) {
    let value: f64 = text.parse().unwrap_or_else(|_| panic!("{text:?}"));
    assert!((value / reference - 1.0).abs() < 6e-6, "{value} is not {reference}");
}

#[test]
fn the_papers_own_table_is_tested_too() {
    let (mut experiment, records) = table5(-0.004);
    let mut spec = test(&experiment, "wilcoxon", wilcoxon(WilcoxonPValue::Normal));
    spec.design.reference = Some("MEVM".into());
    experiment.tests = vec![spec];
    experiment.methods.iter_mut().for_each(|method| method.label = format!("the {}", method.id));
    let report = report(&experiment, &records);
    // scipy.stats.wilcoxon(round(mevm - other, 6), zero_method="wilcox", correction=False,
    // method="approx") on the columns of table 5.
    for (right, statistic, p) in
        [("NB", 2.5, 0.010_775_6), ("LTM", 9.0, 0.018_602_9), ("CL", 0.0, 0.002_217_72)]
    {
        let paper = row(&report, "tests.csv", &[("id", "wilcoxon@published"), ("right", right)]);
        close(&paper["p"], p);
        close(&paper["p_adjusted"], p);
        assert_eq!(paper["statistic"].parse(), Ok(statistic));
        assert_eq!(paper["left"], "MEVM");
        let says = format!("the MEVM has a higher test log-likelihood than the {right} (");
        assert!(paper["sentence"].starts_with(&says), "{}", paper["sentence"]);
        assert_eq!(paper["n"], if right == "NB" { "10" } else { "12" });
        assert_eq!(paper["note"], "");
    }
    let ltm = row(&report, "tests.csv", &[("id", "wilcoxon"), ("right", "LTM")]);
    assert_eq!(ltm["note"], "the LTM as published");
    assert_eq!((ltm["kind"].as_str(), ltm["dataset"].as_str()), ("wilcoxon-signed-rank", ""));
    assert!(!ltm["p"].is_empty());
}

/// NLTCS under a second name: a row of the table, and not a thirteenth data set.
#[test]
fn data_sets_of_equal_content_are_counted_once() {
    let (mut experiment, mut records) = table5(0.0);
    let kinds = |experiment: &Experiment| {
        let tests = [
            test(experiment, "w", wilcoxon(WilcoxonPValue::Exact)),
            test(experiment, "f", FRIEDMAN),
        ];
        let ours = |mut spec: reprise::spec::TestSpec| {
            spec.design.methods = ids(&["MEVM", "CL"]);
            spec
        };
        tests.map(ours).to_vec()
    };
    experiment.tests = kinds(&experiment);
    let found = |experiment: &Experiment, records: &[reprise::run::Record], id: &str| {
        let row = row(&report(experiment, records), "tests.csv", &[("id", id), ("right", "CL")]);
        [row["n"].clone(), row["p"].clone(), row["note"].clone()]
    };
    let before = ["w", "f"].map(|id| found(&experiment, &records, id));
    let again = |record: &reprise::run::Record| {
        record.clone().edit(|record| record.trial.dataset = "nltcs-again".into())
    };
    let twins: Vec<_> =
        records.iter().filter(|record| &*record.trial.dataset == "nltcs").map(again).collect();
    assert!(!twins.is_empty());
    records.extend(twins);
    experiment.parts[0].datasets.push("nltcs-again".into());
    experiment.tests = kinds(&experiment);
    for (id, [n, p, note]) in ["w", "f"].into_iter().zip(before) {
        let [now, same, said] = found(&experiment, &records, id);
        assert_eq!((now, same), (n, p), "{id}");
        let once = "NLTCS and NLTCS-AGAIN are one data set, counted once";
        assert!(said.contains(once) && !note.contains(once), "{said}");
    }
}

#[test]
fn a_test_that_cannot_be_computed_says_why() {
    let (mut experiment, mut records) = table5(0.0);
    let mut spec = test(&experiment, "wilcoxon", wilcoxon(WilcoxonPValue::Normal));
    spec.design.reference = Some("MEVM".into());
    experiment.tests = vec![spec];
    records[1] = records[1].clone().ended(Cause::GaveUp);
    experiment.published[0].values.retain(|value| value.column != "LTM");
    let report = report(&experiment, &records);
    let note = |right: &str| {
        let row = row(&report, "tests.csv", &[("id", "wilcoxon"), ("right", right)]);
        assert_eq!(row["p"].is_empty(), right != "CL");
        row["note"].clone()
    };
    assert_eq!(note("NB"), "NB on NLTCS: failed");
    assert_eq!(note("LTM"), "LTM on C20NG: no published value");
    assert_eq!(note("CL"), "");
    // The paper has nothing on LTM now, so there is no such row of its own numbers.
    let paper: Vec<_> = rows(&report, "tests.csv")
        .into_iter()
        .filter(|row| row["id"] == "wilcoxon@published")
        .map(|row| row["right"].clone())
        .collect();
    assert_eq!(paper, ["NB", "CL"]);
}

#[test]
fn datasets_to_which_a_method_does_not_apply_are_left_out() {
    let (mut experiment, mut records) = table5(0.0);
    let mut spec = test(
        &experiment,
        "sign",
        Sign { pairing: by(PairBy::Dataset), p_value: SignPValue::Exact },
    );
    spec.design.methods = ids(&["MEVM", "CL"]);
    experiment.tests = vec![spec];
    records[2] = records[2].clone().ended(Cause::NotApplicable);
    let ours = row(&report(&experiment, &records), "tests.csv", &[("id", "sign")]);
    assert_eq!((ours["n"].as_str(), ours["note"].as_str()), ("11", "without NLTCS"));
}

#[test]
fn corrections_are_over_all_comparisons_of_a_test() {
    let (mut experiment, records) = table5(0.0);
    let correcting = corrected(Correction::Bonferroni);
    let pairing = Pairing { correcting, ..by(PairBy::Dataset) };
    let kind = Sign { pairing, p_value: SignPValue::Exact };
    let spec = test(&experiment, "sign", kind);
    experiment.tests = vec![spec];
    let report = report(&experiment, &records);
    let ours: Vec<_> =
        rows(&report, "tests.csv").into_iter().filter(|row| row["id"] == "sign").collect();
    assert_eq!(ours.len(), 6);
    for row in &ours {
        let (p, adjusted): (f64, f64) =
            (row["p"].parse().unwrap(), row["p_adjusted"].parse().unwrap());
        assert!((adjusted - (6.0 * p).min(1.0)).abs() < 1e-5 * adjusted);
        assert_eq!(row["correction"], "bonferroni");
    }
    // MEVM beats CL twelve times out of twelve: 2 / 2^12.
    let mevm = row(&report, "tests.csv", &[("id", "sign"), ("left", "MEVM"), ("right", "CL")]);
    close(&mevm["p"], 2.0 / 4096.0);
}

#[test]
fn friedman_has_an_overall_row_then_its_comparisons() {
    let (mut experiment, records) = table5(0.0);
    let mut holm = test(&experiment, "holm", FRIEDMAN);
    holm.design.reference = Some("MEVM".into());
    experiment.tests = vec![holm, test(&experiment, "nemenyi", FRIEDMAN)];
    let report = report(&experiment, &records);
    // scipy.stats.friedmanchisquare(*columns); mean ranks by scipy.stats.rankdata(-row).
    let overall = row(&report, "tests.csv", &[("id", "holm@published"), ("left", "")]);
    close(&overall["statistic"], 22.067_796_610_169_51);
    close(&overall["p"], 6.314_623_6e-5);
    assert!(
        overall["note"]
            .starts_with("mean ranks: MEVM (1.333), NB (2.250), LTM (2.667), CL (3.750); "),
        "{}",
        overall["note"]
    );
    // z = (rank - rank of MEVM) / sqrt(4 * 5 / (6 * 12)); 2 * scipy.stats.norm.sf(z).
    let get = |id: &str, right: &str| {
        row(&report, "tests.csv", &[("id", id), ("left", "MEVM"), ("right", right)])
    };
    close(&get("holm", "NB")["statistic"], 1.739_252_7);
    close(&get("holm", "NB")["p"], 0.081_990_3);
    close(&get("holm", "LTM")["p_adjusted"], 2.0 * 0.011_412_0);
    close(&get("holm", "CL")["p_adjusted"], 3.0 * 4.533_294e-6);
    assert_eq!(get("holm", "CL")["correction"], "holm");
    // scipy.stats.studentized_range.sf(z * sqrt(2), 4, inf)
    close(&get("nemenyi", "NB")["p_adjusted"], 0.303_273);
    close(&get("nemenyi", "LTM")["p_adjusted"], 0.055_436_6);
    assert_eq!(get("nemenyi", "NB")["correction"], "nemenyi");
    assert_eq!(rows(&report, "tests.csv").iter().filter(|row| row["id"] == "nemenyi").count(), 7);
}

/// F is infinite there, and says nothing: of two blocks an order comes twice with probability 1 / 2.
#[test]
fn without_any_disagreement_there_is_no_f() {
    let mut experiment = experiment(&["a", "b"], &["M", "N"]);
    experiment.tests = vec![test(&experiment, "f", FRIEDMAN)];
    let values = [("M", 2.0), ("N", 1.0)];
    let records = ["a", "b"]
        .map(|dataset| values.map(|(method, value)| record(dataset, method, "test_ll", value)));
    let found = report(&experiment, records.as_flattened());
    let overall = row(&found, "tests.csv", &[("id", "f"), ("left", "")]);
    let note =
        "mean ranks: M (1.000), N (2.000); no Iman-Davenport F, since all agree on the order";
    assert_eq!(overall["note"], note);
}

#[test]
fn intervals_of_mean_ranks_are_those_of_their_level() {
    let (mut experiment, records) = table5(0.0);
    // scipy.stats.norm.ppf((1 + level) / 2)
    for (level, z) in [(0.9, 1.644_853_626_951_472), (0.95, 1.959_963_984_540_054)] {
        let kind = || Friedman { pairing: Pairing { level, ..FRIEDMAN.pairing }, ..FRIEDMAN };
        let mut alone = test(&experiment, "alone", kind());
        alone.design.reference = Some("MEVM".into());
        experiment.tests = vec![test(&experiment, "all", kind()), alone];
        let report = report(&experiment, &records);
        let half = |id: &str| {
            let pair = [("id", id), ("left", "MEVM"), ("right", "NB")];
            let row = row(&report, "tests.csv", &pair);
            assert_eq!(row["level"].parse(), Ok(level));
            let [low, high] = ["low", "high"].map(|end| row[end].parse::<f64>().unwrap());
            0.5 * (high - low)
        };
        let of_all = critical_difference(4, 12, 1.0 - level).unwrap();
        let of_one = z * rank_error(4, 12).unwrap();
        for (id, expected) in [("all", of_all), ("alone", of_one)] {
            assert!((half(id) - expected).abs() < 1e-4, "{id}: {} is not {expected}", half(id));
        }
    }
}

#[test]
fn pairs_by_wilcoxons_test_do_not_depend_on_who_else_is_listed() {
    let (mut experiment, records) = table5(0.0);
    let holm = Pairing { correcting: corrected(Correction::Holm), ..by(PairBy::Dataset) };
    let friedman = || Friedman { pairs: ByPairs::Wilcoxon, ..FRIEDMAN };
    let alone = Wilcoxon { pairing: holm, ..wilcoxon(WilcoxonPValue::Exact) };
    let mut few = test(&experiment, "few", friedman());
    few.design.methods = ids(&["MEVM", "NB"]);
    few.design.methods.push("CL".into());
    experiment.tests =
        vec![test(&experiment, "all", friedman()), test(&experiment, "alone", alone), few];
    let report = report(&experiment, &records);
    let get =
        |id: &str| row(&report, "tests.csv", &[("id", id), ("left", "MEVM"), ("right", "NB")]);
    let (all, alone, few) = (get("all@published"), get("alone@published"), get("few@published"));
    // scipy.stats.wilcoxon(round(mevm - nb, 6), method="exact") on the columns of table 5: 10 differences, the least rank sum 2.5.
    assert_eq!((all["statistic"].as_str(), all["n"].as_str()), ("2.5", "10"));
    for column in ["p", "p_adjusted", "effect", "value", "low", "high", "low_family"] {
        assert_eq!(all[column], alone[column], "{column}");
    }
    assert_eq!((&few["p"], all["correction"].as_str()), (&all["p"], "holm"));
    assert_eq!(row(&report, "tests.csv", &[("id", "all"), ("left", "")])["effect"], "kendall-w");
}

#[test]
fn smaller_is_better_for_friedman_where_the_metric_says_so() {
    let (mut experiment, records) = table5(0.0);
    let records: Vec<_> = records
        .into_iter()
        .map(|record| {
            record.edit(|record| {
                let outcome = outcome(record);
                let seconds = 1000.0 + outcome.metrics.get("test_ll").unwrap().value();
                outcome.times.insert(named("time:fit"), seconds);
            })
        })
        .collect();
    let mut spec = test(&experiment, "speed", FRIEDMAN);
    (spec.design.metric, spec.design.methods) = (named("time:fit"), ids(&["MEVM", "NB", "CL"]));
    experiment.tests = vec![spec];
    let report = report(&experiment, &records);
    let overall = row(&report, "timing/tests.csv", &[("left", "")]);
    // CL has the smallest values but for NB on MSNBC and Book: (10 + 2 * 2) / 12.
    assert!(overall["note"].contains("CL (1.167)"), "{}", overall["note"]);
}

const DIFFERENCES: [f64; 5] = [0.1, 0.3, 0.2, 0.4, 0.15];

/// Two methods over five folds, which differ by these.
fn folds() -> (reprise::spec::Experiment, Vec<reprise::run::Record>) {
    over(&DIFFERENCES.map(|difference| [difference, 0.0]))
}

/// The values of two methods, fold by fold.
fn over(folds: &[[f64; 2]]) -> (reprise::spec::Experiment, Vec<reprise::run::Record>) {
    let mut experiment = experiment(&["a"], &["M", "N"]);
    experiment.parts[0].split =
        SplitPlan::CrossValidation { folds: folds.len(), repeats: 1, dealt: Dealt::default() };
    let mut records = vec![];
    for (fold, values) in folds.iter().enumerate() {
        for (method, value) in ["M", "N"].into_iter().zip(*values) {
            records.push(record("a", method, "test_ll", value).at(0, fold, "").sized(100, 25));
        }
    }
    (experiment, records)
}

#[test]
fn folds_give_one_test_a_dataset() {
    let (mut experiment, records) = folds();
    let spec = test(&experiment, "nb", resampled(Division::Fold));
    experiment.tests = vec![spec];
    let found = report(&experiment, &records);
    let shown = "\nM has a higher test log-likelihood than N on A (";
    assert!(found.terminal.to_string().contains(shown), "{}", found.terminal);
    let found = row(&found, "tests.csv", &[("dataset", "a")]);
    // numpy: d.mean() / sqrt((1/5 + 1/4) * d.var(ddof=1)); 2 * scipy.stats.t.sf(t, 4)
    close(&found["statistic"], 2.847_328_518_714_8);
    close(&found["p"], 0.046_521_3);
    assert_eq!(found["n"], "5");

    // A sentence begins with who is ahead, and its difference is theirs, in whichever order the test names the two.
    let mut turned = test(&experiment, "nb", resampled(Division::Fold));
    turned.design.reference = Some("N".into());
    experiment.tests = vec![turned];
    let turned = row(&report(&experiment, &records), "tests.csv", &[("dataset", "a")]);
    assert_eq!((&*turned["left"], &*turned["value"]), ("N", &*format!("-{}", found["value"])));
    assert_eq!(turned["sentence"], found["sentence"]);

    let why = "the pairs are neither folds nor repeats of one division each";
    experiment.tests = vec![test(&experiment, "nb", resampled(Division::Repeat))];
    let repeats = row(&report(&experiment, &records), "tests.csv", &[]);
    assert_eq!(repeats["note"], "repeats are of the same examples");
    experiment.tests = vec![test(&experiment, "nb", resampled(Division::Fold))];

    experiment.parts[0].split = SplitPlan::Published;
    let none = report(&experiment, &records);
    assert_eq!(row(&none, "tests.csv", &[])["note"], why);
    experiment.parts[0].split = SplitPlan::Resample { train: 100, test: 25, repeats: 5 };
    let same = report(&experiment, &records);
    close(&row(&same, "tests.csv", &[])["p"], 0.046_521_3);
    experiment.parts[0].split = SplitPlan::Share { test: 0.2, repeats: 5, dealt: Dealt::default() };
    let same = report(&experiment, &records);
    close(&row(&same, "tests.csv", &[])["p"], 0.046_521_3);
    // What counts is what was tested and fitted: 1/4 in the mean.
    let sizes = [(100, 10), (100, 40), (50, 10), (80, 24), (40, 10)];
    let of_fold = |(record, (train, test)): (&reprise::run::Record, (usize, usize))| {
        record.clone().sized(train, test)
    };
    let unequal = sizes.iter().flat_map(|size| [*size; 2]);
    let unequal: Vec<_> = records.iter().zip(unequal).map(of_fold).collect();
    close(&row(&report(&experiment, &unequal), "tests.csv", &[])["p"], 0.046_521_3);
    // A part with the dataset in which the compared methods do not run.
    let mut other = part("other", &["a"], &[]);
    other.split = SplitPlan::Resample { train: 100, test: 5, repeats: 5 };
    experiment.parts.insert(0, other);
    let same = report(&experiment, &records);
    close(&row(&same, "tests.csv", &[])["p"], 0.046_521_3);
}

/// Folds that differ by one example each: .9 - .8 and .7 - .6 are apart in their last bits.
#[test]
fn equal_differences_of_decimals_do_not_vary() {
    let folds = [[0.9, 0.8], [0.8, 0.7], [0.7, 0.6], [0.6, 0.5], [0.5, 0.4]];
    assert!(folds.windows(2).any(|two| two[0][0] - two[0][1] != two[1][0] - two[1][1]));
    let (mut experiment, records) = over(&folds);
    let equivalence = Equivalence {
        unit: unit(PairBy::Fold, Dependent::Refused),
        margin: 0.2,
        form: EquivalenceForm::T,
        correcting: corrected(Correction::None),
        level: 0.9,
    };
    experiment.tests = vec![
        test(&experiment, "t", resampled(Division::Fold)),
        test(&experiment, "e", equivalence),
        test(
            &experiment,
            "b",
            BayesianCorrelatedT { pair_by: Division::Fold, region: 0.01, level: 0.95 },
        ),
    ];
    for row in rows(&report(&experiment, &records), "tests.csv") {
        let known = [&row["p"], &row["p_left"], &row["p_right"]].map(|p| p.as_str());
        match row["id"].as_str() {
            "b" => assert_eq!(known, ["", "1", "0"]),
            _ => assert!(row["note"].starts_with("differences do not vary"), "{row:?}"),
        }
    }
}

#[test]
fn folds_in_time_have_means_without_p() {
    let (mut experiment, records) = folds();
    experiment.parts[0].split = SplitPlan::Ordered { folds: 5, forward: Forward::default() };
    experiment.tests = vec![test(&experiment, "nb", resampled(Division::Fold))];
    let found = row(&report(&experiment, &records), "tests.csv", &[]);
    assert_eq!(found["note"], "no correction is known for the overlap of training sets in time");
    assert_eq!([&found["p"], &found["value"], &found["low"]], ["", "0.23", ""]);
}

/// Of ten repeats by whole groups four are divisions of their own: forty values of two methods that differ by chance.
#[test]
fn repeats_that_coincide_are_counted_once_and_said() {
    let (mut experiment, records) = folds();
    let dealt = Dealt { stratified: false, grouped: true };
    experiment.parts[0].split = SplitPlan::CrossValidation { folds: 5, repeats: 10, dealt };
    experiment.tables = vec![table(&experiment, "test_ll")];
    experiment.tests = vec![test(&experiment, "nb", resampled(Division::Fold))];
    let report = report(&experiment, &records);
    let found = row(&report, "tests.csv", &[]);
    let said = "1 of 10 repeats run, for the others divide as one of these does";
    let liberal = "divisions by group: with 20 groups a p-value of .05 comes in .08 to .10 of the cases without a difference, with fewer groups more often";
    let note = format!("{said}; {liberal}");
    assert_eq!((found["n"].as_str(), found["note"].as_str()), ("5", note.as_str()));
    assert!(text(&report, "report.md").contains(&format!("A: {said}")));
}

#[test]
fn problems_are_not_corrected_as_folds_are() {
    let (mut experiment, records) = folds();
    let spec = test(&experiment, "nb", resampled(Division::Auto));
    experiment.tests = vec![spec];
    let pairs = ["a/b", "a/c"].iter().flat_map(|problem| {
        records
            .iter()
            .map(|record| record.clone().edit(|record| record.trial.problem = (*problem).into()))
    });
    let found = report(&experiment, &pairs.collect::<Vec<_>>());
    let found = row(&found, "tests.csv", &[("dataset", "a")]);
    assert_eq!(found["p"], "");
    assert_eq!(found["note"], "class pairs share classes");
}

#[test]
fn methods_on_different_splits_do_not_pair() {
    let (mut experiment, mut records) = folds();
    let spec = test(&experiment, "t", PairedT { pairing: by(PairBy::Fold) });
    experiment.tests = vec![spec];
    records.pop();
    let found = report(&experiment, &records);
    assert_eq!(row(&found, "tests.csv", &[])["note"], "M and N were not run on the same splits");
}

/// Outcomes of examples.
fn outcomes(correction: Correction) -> Outcomes {
    Outcomes {
        pair_by: McNemarUnit::Example,
        dependence: Dependent::Refused,
        correcting: corrected(correction),
        level: 0.95,
    }
}

#[test]
fn examples_pair_within_the_first_repeat() {
    let mut experiment = experiment(&["a"], &["M", "N"]);
    let kind = McNemar {
        outcomes: outcomes(Correction::None),
        p_value: McNemarPValue::Exact,
        continuity: false.into(),
    };
    let spec = test(&experiment, "mcnemar", kind);
    experiment.tests = vec![spec];
    let trial = |method: &str, repeat: usize, examples: &[f64]| {
        record("a", method, "test_ll", 0.5).at(repeat, 0, "").edit(|record| {
            let outcome = outcome(record);
            outcome.examples.insert(named("test_ll"), examples.to_vec());
        })
    };
    // Only M is right on 5, only N on 1: scipy.stats.binomtest(1, 6).pvalue = 0.21875.
    let mut records = vec![
        trial("M", 0, &[1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0]),
        trial("N", 0, &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]),
        trial("M", 1, &[1.0; 8]),
        trial("N", 1, &[0.0; 8]),
    ];
    let found = row(&report(&experiment, &records), "tests.csv", &[]);
    close(&found["p"], 0.218_75);
    assert_eq!(found["note"], "examples of the first of 2 repeats");
    assert!(found["sentence"].contains("6 of 8 test examples"), "{}", found["sentence"]);
    records[0] = trial("M", 0, &[0.5; 8]);
    let found = row(&report(&experiment, &records), "tests.csv", &[]);
    assert!(found["note"].starts_with("values per example are not all 0 or 1"));
}

#[test]
fn a_bootstrap_has_an_interval_instead_of_a_p_value() {
    let kind = || {
        let unit = unit(PairBy::Fold, Dependent::Ignored);
        Bootstrap { unit, resamples: 1000, interval: Ends::Bca, level: 0.9 }
    };
    // Of two values of one sign every resample is on that side, and of five a sixth of all intervals leaves out zero.
    let (mut few, records) = folds();
    few.tests = vec![test(&few, "boot", kind())];
    let found = row(&report(&few, &records), "tests.csv", &[]);
    let why = "fewer than ten values, of which a bootstrap interval is far too short";
    assert!(found["note"].starts_with(why), "{found:?}");
    assert_eq!((found["value"].as_str(), found["low"].as_str()), ("0.23", ""));
    let twice = [DIFFERENCES, DIFFERENCES].concat();
    let twice: Vec<[f64; 2]> = twice.into_iter().map(|difference| [difference, 0.0]).collect();
    let (mut experiment, records) = over(&twice);
    experiment.tests = vec![test(&experiment, "boot", kind())];
    let found = row(&report(&experiment, &records), "tests.csv", &[]);
    let number = |name: &str| found[name].parse::<f64>().unwrap();
    assert!((number("statistic") - 0.23).abs() < 1e-12);
    assert!(0.1 < number("low") && number("low") < 0.23);
    assert!(0.23 < number("high") && number("high") < 0.4);
    assert_eq!((found["p"].as_str(), found["p_adjusted"].as_str()), ("", ""));
    // What is known of the level over so few values stands beside it.
    let note = "fewer than 20 values: with ten, an interval of 95% leaves zero out in .08 to .10";
    assert!(found["note"].contains(note), "{found:?}");
}

#[test]
fn people_read_the_labels_of_methods() {
    let (mut experiment, records) = table5(0.0);
    for method in &mut experiment.methods {
        method.label = format!("{} of old", method.id);
    }
    experiment.tests = vec![test(&experiment, "f", FRIEDMAN)];
    let page = text(&report(&experiment, &records), "report.md");
    for read in ["mean ranks: MEVM of old ", "| MEVM of old, NB of old |"] {
        assert!(page.contains(read), "{read}: {page}");
    }
}

#[test]
fn tests_of_one_family_are_corrected_together() {
    let (mut experiment, records) = table5(0.0);
    let in_family = |id: &str, family: Option<&str>| {
        let correcting = Correcting { family: family.map(spanned), ..corrected(Correction::Holm) };
        let pairing = Pairing { correcting, ..by(PairBy::Dataset) };
        let mut spec = test(&experiment, id, Sign { pairing, p_value: SignPValue::Exact });
        spec.design.methods = ids(&["MEVM", "CL"]);
        spec
    };
    let tests = vec![in_family("a", Some("c")), in_family("b", None), in_family("c", None)];
    experiment.tests = tests;
    let report = report(&experiment, &records);
    // Twelve of twelve: 2 / 2^12, once alone and once doubled.
    for (id, family, factor) in
        [("a", "c", 2.0), ("b", "b", 1.0), ("c", "c", 2.0), ("a@published", "c@published", 2.0)]
    {
        let row = row(&report, "tests.csv", &[("id", id)]);
        close(&row["p_adjusted"], factor * 2.0 / 4096.0);
        assert_eq!((row["family"].as_str(), row["correction"].as_str()), (family, "holm"));
    }
}

#[test]
fn every_comparison_has_its_size_with_an_interval() {
    let (mut experiment, records) = table5(0.0);
    let mut spec = test(&experiment, "w", wilcoxon(WilcoxonPValue::Exact));
    spec.design.methods = ids(&["MEVM", "NB"]);
    let mut friedman = test(&experiment, "f", FRIEDMAN);
    friedman.design.reference = Some("MEVM".into());
    experiment.tests = vec![spec, friedman];
    let report = report(&experiment, &records);
    let paper = row(&report, "tests.csv", &[("id", "w@published")]);
    // tests/reference/statistics.py: the median of Walsh averages of the printed differences; nine wins (one loss, two
    // ties) of twelve by Wilson's interval.
    assert_eq!(paper["effect"], "pseudo-median");
    let number = |name: &str| paper[name].parse::<f64>().unwrap();
    assert_eq!((number("value"), number("low"), number("high")), (0.1325, 0.02, 0.385));
    assert!((number("a12") - 10.0 / 12.0).abs() < 1e-8);
    assert!(0.55 < number("a12_low") && number("a12_high") < 0.96, "{paper:?}");
    assert_eq!(number("level"), 0.95);
    let overall = row(&report, "tests.csv", &[("id", "f@published"), ("left", "")]);
    // W = 22.0678 / (12 * 3)
    assert_eq!(overall["effect"], "kendall-w");
    close(&overall["value"], 22.067_796_610_169_51 / 36.0);
    let cl = row(&report, "tests.csv", &[("id", "f@published"), ("right", "CL")]);
    // The interval of 12 data sets for one comparison is its family's.
    assert_eq!((&paper["low_family"], &paper["high_family"]), (&paper["low"], &paper["high"]));
    // Mean ranks 1.333 and 3.750; 1.96 sqrt(4 * 5 / (6 * 12)) = 1.032992
    assert_eq!(cl["effect"], "mean-rank-difference");
    // scipy.stats.norm.ppf(1 - .05 / 3 / 2) sqrt(4 * 5 / (6 * 12)): three comparisons with the reference.
    close(&cl["low_family"], 29.0 / 12.0 - 2.393_979_800 * (20.0_f64 / 72.0).sqrt());
    close(&cl["value"], 29.0 / 12.0);
    close(&cl["low"], 29.0 / 12.0 - 1.032_992);
}

#[test]
fn equivalence_is_shown_not_assumed() {
    let (mut experiment, records) = folds();
    let kind = |margin, form, dependence| Equivalence {
        unit: unit(PairBy::Fold, dependence),
        margin,
        form,
        correcting: corrected(Correction::None),
        level: 0.9,
    };
    let p =
        |experiment: &Experiment| row(&report(experiment, &records), "tests.csv", &[])["p"].clone();
    experiment.tests =
        vec![test(&experiment, "e", kind(0.4, EquivalenceForm::T, Dependent::Ignored))];
    // max(t.sf((.23 + .4) / se, 4), t.cdf((.23 - .4) / se, 4)), se = sqrt(var(d, ddof=1) / 5)
    close(&p(&experiment), 0.017_144_3);
    // Unless that is ignored, training sets that overlap are corrected for: the same with se = sqrt((1/5 + 1/4) var(d, ddof=1))
    let heeded = kind(0.4, EquivalenceForm::T, Dependent::Refused);
    experiment.tests = vec![test(&experiment, "e", heeded)];
    close(&p(&experiment), 0.051_561_4);
    experiment.tests =
        vec![test(&experiment, "e", kind(0.45, EquivalenceForm::Exact, Dependent::Ignored))];
    // All five within: 1 / 2^5.
    close(&p(&experiment), 1.0 / 32.0);
    experiment.parts[0].split = SplitPlan::Published;
    let kind = BayesianCorrelatedT { pair_by: Division::Fold, region: 0.1, level: 0.95 };
    experiment.tests = vec![test(&experiment, "b", kind)];
    let row = row(&report(&experiment, &records), "tests.csv", &[]);
    assert_eq!(row["note"], "the pairs are neither folds nor repeats of one division each");
    assert_eq!((row["value"].as_str(), row["low"].as_str()), ("0.23", ""));
}

#[test]
fn posteriors_stand_in_their_columns() {
    let (mut experiment, records) = folds();
    let kind = BayesianCorrelatedT { pair_by: Division::Fold, region: 0.1, level: 0.95 };
    experiment.tests = vec![test(&experiment, "b", kind)];
    let found = row(&report(&experiment, &records), "tests.csv", &[]);
    // baycomp.single.CorrelatedTTest.probs(d, 0, 0.1)
    close(&found["p_left"], 0.908_589);
    close(&found["p_region"], 0.083_894_9);
    assert!(found["sentence"].contains(" N, region 0.1, 5 folds)"), "{found:?}");
    assert_eq!((found["p"].as_str(), found["correction"].as_str()), ("", "none"));

    let (mut experiment, records) = table5(0.0);
    let unit = unit(PairBy::Dataset, Dependent::Refused);
    let kind = BayesianSignedRank { unit, region: 0.05, samples: 50_000, level: 0.95 };
    let mut spec = test(&experiment, "b", kind);
    spec.design.methods = ids(&["MEVM", "NB"]);
    experiment.tests = vec![spec];
    let found = row(&report(&experiment, &records), "tests.csv", &[("id", "b@published")]);
    // baycomp.multiple.SignedRankTest, 400,000 samples: .883, .117, 0
    let left: f64 = found["p_left"].parse().unwrap();
    assert!((left - 0.883).abs() < 0.007, "{left}");
    assert_eq!(found["p_right"], "0");
}

#[test]
fn cochrans_q_comes_before_mcnemars_comparisons() {
    let mut experiment = experiment(&["a"], &["M", "N", "O"]);
    let kind = CochranQ { outcomes: outcomes(Correction::Holm) };
    experiment.tests = vec![test(&experiment, "q", kind)];
    let trial = |method: &str, examples: [u8; 10]| {
        record("a", method, "test_ll", 0.5).edit(|record| {
            let examples = examples.map(f64::from).to_vec();
            outcome(record).examples.insert(named("test_ll"), examples);
        })
    };
    let records = [
        trial("M", [1, 1, 1, 0, 1, 1, 0, 1, 1, 1]),
        trial("N", [1, 0, 1, 1, 0, 1, 0, 1, 1, 0]),
        trial("O", [0, 0, 1, 0, 0, 0, 0, 1, 0, 1]),
    ];
    let found = report(&experiment, &records);
    let overall = row(&found, "tests.csv", &[("left", "")]);
    // statsmodels.stats.contingency_tables.cochrans_q, tests/reference/statistics.py
    close(&overall["statistic"], 5.428_571_428_571_429);
    close(&overall["p"], 0.066_252_3);
    assert_eq!(
        (overall["family"].as_str(), overall["effect"].as_str()),
        ("q overall", "eta-squared-q")
    );
    // Only M is right on 5, only O on none: 2 / 2^5, of three comparisons.
    let pair = row(&found, "tests.csv", &[("left", "M"), ("right", "O")]);
    close(&pair["p"], 0.062_5);
    close(&pair["p_adjusted"], 3.0 * 0.062_5);
    assert_eq!((pair["effect"].as_str(), pair["value"].as_str()), ("share-difference", "0.5"));
}

#[test]
fn mid_p_values_are_smaller() {
    let (mut experiment, records) = table5(0.0);
    let kind = Sign { pairing: by(PairBy::Dataset), p_value: SignPValue::MidP };
    let mut spec = test(&experiment, "s", kind);
    spec.design.methods = ids(&["MEVM", "CL"]);
    experiment.tests = vec![spec];
    close(&row(&report(&experiment, &records), "tests.csv", &[("id", "s")])["p"], 1.0 / 4096.0);
}

fn outcome_trial(method: &str, repeat: usize, examples: &[f64]) -> reprise::run::Record {
    record("a", method, "test_ll", 0.5).at(repeat, 0, "").edit(|record| {
        outcome(record).examples.insert(named("test_ll"), examples.to_vec());
    })
}

#[test]
fn examples_of_a_published_split_are_averaged_over_repeats() {
    let mut experiment = experiment(&["a"], &["M", "N"]);
    let paired = test(&experiment, "t", PairedT { pairing: by(PairBy::Example) });
    experiment.tests = vec![paired];
    // Means of two repeats less zero: 1, 2, 3, 4.
    let records = [
        outcome_trial("M", 0, &[0.0, 2.0, 2.0, 4.0]),
        outcome_trial("M", 1, &[2.0, 2.0, 4.0, 4.0]),
        outcome_trial("N", 0, &[0.0; 4]),
        outcome_trial("N", 1, &[0.0; 4]),
    ];
    let found = report(&experiment, &records);
    let row = row(&found, "tests.csv", &[]);
    // scipy.stats.ttest_1samp([1, 2, 3, 4], 0)
    close(&row["p"], 0.030_466_3);
    assert_eq!(row["note"], "examples averaged over 2 repeats");
    assert_eq!(row["over"], "test examples of these fitted models");
    let page = text(&found, "report.md");
    assert!(page.contains("\nNote: examples averaged over 2 repeats.\n"), "{page}");
    assert!(found.terminal.to_string().contains("Note: examples averaged over 2 repeats\n"));
}

#[test]
fn superiority_has_no_interval_where_training_sets_overlap_and_is_not_of_blocks() {
    let (mut experiment, records) = folds();
    let pairing = || Pairing { unit: unit(PairBy::Fold, Dependent::Ignored), ..by(PairBy::Fold) };
    experiment.tests = vec![test(&experiment, "t", PairedT { pairing: pairing() })];
    let found = row(&report(&experiment, &records), "tests.csv", &[]);
    assert_eq!((found["a12"].as_str(), found["a12_low"].as_str()), ("1", ""));
    experiment.tests = vec![test(&experiment, "w", WelchT { pairing: pairing() })];
    let found = row(&report(&experiment, &records), "tests.csv", &[]);
    assert_eq!((found["a12"].as_str(), found["a12_low"].as_str()), ("1", ""));
    // Log-likelihoods of more than 500 examples may be means of blocks.
    let mut experiment = crate::build::experiment(&["a"], &["M", "N"]);
    for (examples, over, a12) in [
        (500, "test examples of these fitted models", "1"),
        (501, "test examples or blocks of them, of these fitted models", ""),
    ] {
        let values: Vec<f64> = (1..=examples).map(f64::from).collect();
        let records =
            [outcome_trial("M", 0, &values), outcome_trial("N", 0, &vec![0.0; values.len()])];
        experiment.tests = vec![test(&experiment, "t", PairedT { pairing: by(PairBy::Example) })];
        let found = row(&report(&experiment, &records), "tests.csv", &[]);
        assert_eq!((found["over"].as_str(), found["a12"].as_str()), (over, a12));
    }
}

#[test]
fn a_family_may_be_one_data_set() {
    let mut experiment = experiment(&["a", "b"], &["M", "N", "O"]);
    let trial = |dataset: &str, method: &str, repeat: usize, value: f64| {
        record(dataset, method, "test_ll", value).at(repeat, 0, "")
    };
    let records: Vec<_> = ["a", "b"]
        .into_iter()
        .flat_map(|dataset| {
            [("M", [1.0, 2.0, 3.0]), ("N", [0.0, 0.5, 0.0]), ("O", [5.0, 9.0, 8.0])]
                .into_iter()
                .flat_map(move |(method, values)| {
                    values
                        .into_iter()
                        .enumerate()
                        .map(move |(at, value)| trial(dataset, method, at, value))
                })
        })
        .collect();
    let pairing = |family_of| Pairing {
        correcting: Correcting { family_of, ..corrected(Correction::Bonferroni) },
        ..by(PairBy::Repeat)
    };
    let first = |experiment: &Experiment| {
        row(
            &report(experiment, &records),
            "tests.csv",
            &[("dataset", "b"), ("left", "M"), ("right", "O")],
        )
    };
    experiment.tests = vec![test(&experiment, "t", PairedT { pairing: pairing(FamilyOf::Test) })];
    let whole = first(&experiment);
    experiment.tests =
        vec![test(&experiment, "t", PairedT { pairing: pairing(FamilyOf::Dataset) })];
    let own = first(&experiment);
    let p = |row: &std::collections::BTreeMap<String, String>, name: &str| {
        row[name].parse::<f64>().unwrap()
    };
    assert_eq!((whole["family"].as_str(), own["family"].as_str()), ("t", "t on b"));
    // Six comparisons, or three.
    assert!((p(&whole, "p_adjusted") - (6.0 * p(&whole, "p")).min(1.0)).abs() < 1e-5);
    assert!((p(&own, "p_adjusted") - 3.0 * p(&own, "p")).abs() < 1e-5);
    // scipy.stats.t.interval(1 - .05 / 6, 2, mean, sem) of -4, -7, -5, and with a third of .05
    close(&whole["low_family"], -14.933_765_293);
    close(&whole["high_family"], 4.267_098_627);
    close(&own["low_family"], -12.078_944_349);
    // The page has a table for each family.
    let page = text(&report(&experiment, &records), "report.md");
    for dataset in ["a", "b"] {
        let heading = format!("corrected by Bonferroni in the family t on {dataset}");
        assert_eq!(page.matches(&heading).count(), 1, "{page}");
    }
}

#[test]
fn a_heading_is_of_one_correction_and_one_effect() {
    let (mut experiment, records) = table5(0.0);
    let friedman = test(&experiment, "f", FRIEDMAN);
    let mut plain = test(&experiment, "w", wilcoxon(WilcoxonPValue::Exact));
    plain.design.methods = ids(&["MEVM", "NB"]);
    experiment.tests = vec![friedman, plain];
    let page = text(&report(&experiment, &records), "report.md");
    let head = "Wilcoxon signed-rank, of test log-likelihood, over data sets, ";
    for heading in [
        format!(
            "{head}all methods at once, corrected by Holm's step-down in the family f overall; effect: kendall w (test f)."
        ),
        String::from(
            "Nemenyi's test, of test log-likelihood, over data sets, Nemenyi's comparisons of all pairs, p and interval for all of them at once; effect: mean rank difference, 95% interval (test f).",
        ),
        format!("{head}no correction; effect: pseudo median, 95% interval (test w)."),
    ] {
        assert_eq!(page.matches(&heading).count(), 1, "{heading}\n{page}");
    }
    assert!(page.contains("\n- The methods differ in test log-likelihood ("), "{page}");
    // The mean ranks stand under the test of all methods.
    assert!(page.contains("\nNote: mean ranks: MEVM "), "{page}");
}

#[test]
fn alike_is_said_where_the_interval_lies_within_the_margin() {
    let (mut experiment, records) = folds();
    // p = .07 is below what an interval of 90% leaves out on both sides together, and it reaches beyond the margin.
    for (margin, says) in [(0.375, "were not shown to be alike"), (0.5, "were shown to be alike")] {
        let kind = Equivalence {
            unit: unit(PairBy::Fold, Dependent::Refused),
            margin,
            form: EquivalenceForm::T,
            correcting: corrected(Correction::None),
            level: 0.9,
        };
        experiment.tests = vec![test(&experiment, "e", kind)];
        let found = row(&report(&experiment, &records), "tests.csv", &[]);
        assert!(found["sentence"].contains(says), "{found:?}");
        assert!(found["sentence"].contains(&format!(", margin {margin}, 5 folds)")), "{found:?}");
    }
    // What a test that could heed it is told to ignore is ignored, and said so.
    let kind = Equivalence {
        unit: unit(PairBy::Fold, Dependent::Ignored),
        margin: 0.5,
        form: EquivalenceForm::T,
        correcting: corrected(Correction::None),
        level: 0.9,
    };
    experiment.tests = vec![test(&experiment, "e", kind)];
    let found = row(&report(&experiment, &records), "tests.csv", &[]);
    assert!(found["note"].contains("training sets overlap"), "{found:?}");
}

#[test]
fn equivalence_says_nothing_of_equal_differences() {
    let (mut experiment, mut records) = folds();
    for record in &mut records {
        outcome(record).metrics.insert(named("test_ll"), reprise::contract::Measure::Scalar(0.5));
    }
    let kind = Equivalence {
        unit: unit(PairBy::Fold, Dependent::Refused),
        margin: 0.4,
        form: EquivalenceForm::T,
        correcting: corrected(Correction::None),
        level: 0.9,
    };
    experiment.tests = vec![test(&experiment, "e", kind)];
    let found = row(&report(&experiment, &records), "tests.csv", &[]);
    assert_eq!((found["p"].as_str(), found["low"].as_str()), ("", ""));
    assert_eq!(found["note"], "differences are all zero");
}
