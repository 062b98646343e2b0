//! How often tests find a difference where there is none, and where there is one: `docs/reference/calibration.md`.
//!
//! `.ci/full` draws 2,000 data sets for each line and compares the page with what is found (`REPRISE_CALIBRATE=1`); with
//! `REPRISE_UPDATE_DOCS=1` it writes it. Without, a few data sets show that every line can be computed.

use std::path::Path;

use reprise::base::digest::{Digest, FieldHasher};
use reprise::contract::Examples;
use reprise::contract::numeric::NumericRows;
use reprise::data::Dataset;
use reprise::data::dealt::Dealt;
use reprise::data::marks::Marks;
use reprise::data::split::{Division, SplitPlan};
use reprise::math::normal;
use reprise::math::random::Random;
use reprise::math::special;
use reprise::spec::number::fixed;
use reprise::stats::{self, Correction, Dependence, Ends, McNemarP, StatsError, TestResult, Zeros};

const NOMINAL: f64 = 0.05;

/// Columns of each learner.
const OWN: usize = 5;

/// What the class mean of a learner's columns is where all are alike, and where the first is the better one.
const NULL: [f64; 3] = [0.4; 3];
const ALTERNATIVE: [f64; 3] = [0.5, 0.3, 0.3];

/// Rows of two classes, which every column tells apart as well as its learner's others do.
struct Drawn {
    rows: Vec<[f64; 3 * OWN]>,
    classes: Vec<bool>,
    dataset: Dataset,
}

/// `count` rows in groups of `size`, whose rows share their class and, of more than one, what else moves each column.
fn drawn(random: &mut Random, count: usize, size: usize, means: [f64; 3]) -> Drawn {
    let (mut rows, mut classes, mut shared) = (Vec::new(), Vec::new(), [0.0; 3 * OWN]);
    for row in 0..count {
        if row % size == 0 {
            classes.push(random.uniform() < 0.5);
            shared = shared.map(|_| if size > 1 { random.normal() } else { 0.0 });
        } else {
            classes.push(classes[row - 1]);
        }
        let side = if classes[row] { 1.0 } else { -1.0 };
        let mut values = [0.0; 3 * OWN];
        for (column, value) in values.iter_mut().enumerate() {
            *value = side * means[column / OWN] + shared[column] + random.normal();
        }
        rows.push(values);
    }
    let groups = (0..count as u32).map(|row| row / size as u32).collect();
    let examples = Examples::Numeric(NumericRows::new(1, vec![0.0; count]));
    let dataset = Dataset {
        marks: Marks { groups: Some(groups), times: None },
        ..Dataset::new("drawn", Digest::of(b"drawn"), examples)
    };
    Drawn { rows, classes, dataset }
}

impl Drawn {
    /// The logarithm of the odds that a learner gives the class of each test example of a division: it takes the nearer of
    /// two centroids of its columns.
    fn odds(&self, Division { train, test, .. }: &Division, learner: usize) -> Vec<f64> {
        let columns = learner * OWN..(learner + 1) * OWN;
        let mut sums = [[0.0; OWN]; 2];
        let mut counts = [0.0_f64; 2];
        for &row in train {
            let class = usize::from(self.classes[row]);
            counts[class] += 1.0;
            for (sum, value) in sums[class].iter_mut().zip(&self.rows[row][columns.clone()]) {
                *sum += value;
            }
        }
        let odds = |&row: &usize| {
            let own = self.rows[row][columns.clone()].iter().enumerate();
            let score = own.map(|(at, value)| {
                let [no, yes] = [0, 1].map(|class| sums[class][at] / counts[class].max(1.0));
                (value - 0.5 * (no + yes)) * (yes - no)
            });
            let score: f64 = score.sum();
            if self.classes[row] { score } else { -score }
        };
        test.iter().map(odds).collect()
    }

    /// Which test examples of a division a learner is right on.
    fn hits(&self, division: &Division, learner: usize) -> Vec<f64> {
        self.odds(division, learner).into_iter().map(hit).collect()
    }

    fn accuracy(&self, division: &Division, learner: usize) -> f64 {
        let hits = self.hits(division, learner);
        hits.iter().sum::<f64>() / hits.len().max(1) as f64
    }

    /// The differences of the first two learners over a split, with the mean of tested over fitted rows.
    fn differences(&self, split: &SplitPlan, random: &mut Random) -> (Vec<f64>, f64) {
        let (mut differences, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..split.repeats() {
            let seed = FieldHasher::new("repeat").number(random.word()).finish();
            let all: Vec<usize> = (0..self.dataset.examples.len()).collect();
            for fold in 0..split.folds(&self.dataset, all.len()) {
                let division = split.divide(&self.dataset, &all, seed, fold).unwrap();
                differences.push(self.accuracy(&division, 0) - self.accuracy(&division, 1));
                ratios.push(division.test.len() as f64 / division.train.len() as f64);
            }
        }
        let ratio = ratios.iter().sum::<f64>() / ratios.len() as f64;
        (differences, ratio)
    }
}

fn hit(odds: f64) -> f64 {
    f64::from(odds > 0.0)
}

fn log_likelihood(odds: f64) -> f64 {
    -special::ln_1p(special::exp(-odds))
}

type Found = Result<TestResult, StatsError>;

/// A p-value of data that are drawn with these class means.
type OfDraw = Box<dyn Fn(&mut Random, [f64; 3]) -> Found>;

/// Over folds or divisions of 100 rows, or of 20 groups of 10: corrected, or as if they were independent.
fn over(split: SplitPlan, size: usize, corrected: bool) -> impl Fn(&mut Random, [f64; 3]) -> Found {
    move |random, means| {
        let data = drawn(random, if size > 1 { 200 } else { 100 }, size, means);
        let (differences, ratio) = data.differences(&split, random);
        let overlap = if corrected { Dependence::Overlap(ratio) } else { Dependence::None };
        stats::paired_t(&differences, &overlap)
    }
}

/// By what the better of two learners is right more often after 80 and after 60 training rows: means of 20,000 draws.
const LARGER_OF_80: f64 = 0.126;
const LARGER_OF_60: f64 = 0.128;

/// Whether two are alike by less than what they differ by where they do.
fn alike_over(split: SplitPlan, margin: f64) -> impl Fn(&mut Random, [f64; 3]) -> Found {
    move |random, means| {
        let (differences, ratio) =
            drawn(random, 100, 1, opposite(means)).differences(&split, random);
        stats::equivalence_t(&differences, &Dependence::Overlap(ratio), margin)
    }
}

/// By the hits of the 300 test rows of one training set of 2,000, in groups of this size.
fn by_row(
    size: usize,
    test: impl Fn(&[Vec<f64>; 3], &[u32]) -> Found,
) -> impl Fn(&mut Random, [f64; 3]) -> Found {
    by_row_of(hit, size, test)
}

/// The same by what becomes of the odds of each row.
fn by_row_of(
    value: fn(f64) -> f64,
    size: usize,
    test: impl Fn(&[Vec<f64>; 3], &[u32]) -> Found,
) -> impl Fn(&mut Random, [f64; 3]) -> Found {
    move |random, means| {
        let (train, tested) = (1992, 300);
        let data = drawn(random, train + tested, size, means);
        let division = Division {
            train: (0..train).collect(),
            valid: vec![],
            test: (train..train + tested).collect(),
        };
        let groups: Vec<u32> = (0..tested as u32).map(|row| row / size as u32).collect();
        let values = |learner| data.odds(&division, learner).into_iter().map(value).collect();
        test(&[0, 1, 2].map(values), &groups)
    }
}

/// Over ten data sets of 100 rows: accuracies by one division of each.
fn over_datasets(test: fn(&[[f64; 3]]) -> Found) -> impl Fn(&mut Random, [f64; 3]) -> Found {
    move |random, means| {
        let accuracies: Vec<[f64; 3]> = (0..10)
            .map(|_| {
                let data = drawn(random, 100, 1, means);
                let order = random.permutation(100);
                let division = Division {
                    train: order[..60].to_vec(),
                    valid: vec![],
                    test: order[60..].to_vec(),
                };
                [0, 1, 2].map(|learner| data.accuracy(&division, learner))
            })
            .collect();
        test(&accuracies)
    }
}

/// By ten runs of each of two learners on 100 rows, each on 30 of 60 training rows that it draws; where there is no
/// difference, both are the first one.
fn over_seeds(random: &mut Random, means: [f64; 3]) -> Found {
    let data = drawn(random, 100, 1, means);
    let mut runs = |learner: usize| -> Vec<f64> {
        let run = |_| {
            let order = random.permutation(60);
            let (train, test) = (order[..30].to_vec(), (60..100).collect());
            data.accuracy(&Division { train, valid: vec![], test }, learner)
        };
        (0..10).map(run).collect()
    };
    let (left, right) = (runs(0), runs(usize::from(means != NULL)));
    stats::welch_t(&left, &right)
}

/// The classes of which every two are told apart, in the bits of their numbers.
const CLASSES: usize = 4;

/// By 200 test rows of one training set of 800, of four classes: each pair of classes is a problem, with one value a
/// problem or one a row in each problem that it is in.
fn over_problems(by_row: bool) -> impl Fn(&mut Random, [f64; 3]) -> Found {
    move |random, means| {
        let (train, tested) = (800, 200);
        let class: Vec<usize> =
            (0..train + tested).map(|_| (4.0 * random.uniform()) as usize % CLASSES).collect();
        let side = |class: usize, column: usize| {
            let bit = [class & 1, class >> 1, (class ^ (class >> 1)) & 1][column % 3];
            if bit == 1 { 1.0 } else { -1.0 }
        };
        let row = |class: &usize| {
            let mut values = [0.0; 3 * OWN];
            for (column, value) in values.iter_mut().enumerate() {
                *value = side(*class, column % OWN) * means[column / OWN] + random.normal();
            }
            values
        };
        let rows: Vec<[f64; 3 * OWN]> = class.iter().map(row).collect();
        let (mut differences, mut clusters) = (Vec::new(), Vec::new());
        for first in 0..CLASSES {
            for second in first + 1..CLASSES {
                let of_pair = |row: &usize| [first, second].contains(&class[*row]);
                let division = Division {
                    train: (0..train).filter(of_pair).collect(),
                    valid: vec![],
                    test: (train..train + tested).filter(of_pair).collect(),
                };
                let problem = Drawn {
                    rows: rows.clone(),
                    classes: class.iter().map(|class| *class == second).collect(),
                    dataset: drawn(&mut Random::new(Digest::of(b"none")), 1, 1, means).dataset,
                };
                let own = minus(&problem.hits(&division, 0), &problem.hits(&division, 1));
                if by_row {
                    clusters.extend(division.test.iter().map(|row| *row as u32));
                    differences.extend(own);
                } else {
                    differences.push(own.iter().sum::<f64>() / own.len() as f64);
                }
            }
        }
        let dependence = if by_row { Dependence::Clusters(clusters) } else { Dependence::None };
        stats::paired_t(&differences, &dependence)
    }
}

/// Where the interval of the mean, of 1,000 resamples, leaves zero out.
fn bootstrap(differences: &[f64]) -> Found {
    let seed = FieldHasher::new("resamples").number(differences.len() as u64).finish();
    let found = stats::bootstrap_mean(differences, 1000, 0.95, Ends::Percentile, seed)?;
    let beyond = found.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0);
    let (n, larger) = (differences.len(), std::cmp::Ordering::Equal);
    Ok(TestResult { statistic: found.value, p: if beyond { 0.0 } else { 1.0 }, n, larger })
}

/// Of `equivalence` the null is a difference, and none is the alternative.
fn opposite(means: [f64; 3]) -> [f64; 3] {
    if means == NULL { ALTERNATIVE } else { NULL }
}

/// Whether two are alike by less than their difference, where they differ; its power is where they do not.
fn equivalence(random: &mut Random, means: [f64; 3]) -> Found {
    let right = |mean: f64| normal::cdf(mean * (OWN as f64).sqrt());
    let margin = right(ALTERNATIVE[0]) - right(ALTERNATIVE[1]);
    by_row(1, move |[left, right, _], _| {
        stats::equivalence_t(&minus(left, right), &Dependence::None, margin)
    })(random, opposite(means))
}

fn alike_datasets(random: &mut Random, means: [f64; 3]) -> Found {
    let test =
        |all: &[[f64; 3]]| stats::equivalence_t(&first_two(all), &Dependence::None, LARGER_OF_60);
    over_datasets(test)(random, opposite(means))
}

fn minus(left: &[f64], right: &[f64]) -> Vec<f64> {
    left.iter().zip(right).map(|(one, other)| one - other).collect()
}

fn first_two(accuracies: &[[f64; 3]]) -> Vec<f64> {
    of_pair(accuracies, 0, 1)
}

fn of_pair(accuracies: &[[f64; 3]], left: usize, right: usize) -> Vec<f64> {
    // On a grid, as they would tie on paper.
    accuracies.iter().map(|of| ((of[left] - of[right]) * 1e9).round() / 1e9).collect()
}

fn mcnemar([left, right, _]: &[Vec<f64>; 3], _: &[u32]) -> Found {
    let only = |one: &[f64], other: &[f64]| {
        one.iter().zip(other).filter(|(a, b)| **a > **b).count() as u64
    };
    stats::mcnemar(only(left, right), only(right, left), McNemarP::Exact)
}

fn cochran(hits: &[Vec<f64>; 3], _: &[u32]) -> Found {
    let rows = 0..hits[0].len();
    stats::cochran_q(&rows.map(|row| hits.iter().map(|of| of[row]).collect()).collect::<Vec<_>>())
}

fn friedman(accuracies: &[[f64; 3]]) -> Found {
    let blocks: Vec<Vec<f64>> = accuracies.iter().map(|block| block.to_vec()).collect();
    let found = stats::friedman(&blocks)?;
    let larger = std::cmp::Ordering::Equal;
    Ok(TestResult { statistic: found.statistic, p: found.p, n: found.n, larger })
}

/// Wilcoxon's test of every two of the three, corrected by Holm: the smallest p of the family.
fn pairs_of_friedman(accuracies: &[[f64; 3]]) -> Found {
    let pairs = [(0, 1), (0, 2), (1, 2)].map(|(left, right)| of_pair(accuracies, left, right));
    let found = pairs.iter().filter_map(|pair| wilcoxon(pair).ok());
    let p: Vec<f64> = found.map(|found| found.p).collect();
    let adjusted = stats::adjust(&p, Correction::Holm).into_iter();
    let larger = std::cmp::Ordering::Equal;
    let smallest = adjusted.fold(1.0, f64::min);
    Ok(TestResult { statistic: 0.0, p: smallest, n: accuracies.len(), larger })
}

fn wilcoxon(differences: &[f64]) -> Found {
    stats::wilcoxon_signed_rank(differences, true, Zeros::Drop, false)
}

/// A line of the page.
struct Line {
    kind: &'static str,
    over: &'static str,
    /// Where it does not have to keep its level: that `[[test]]` refuses it, or prints it.
    excused: &'static str,
    /// Why its level is below .03, where it is.
    below: String,
    p: OfDraw,
}

fn lines() -> Vec<Line> {
    let cv = |folds, repeats, dealt| SplitPlan::CrossValidation { folds, repeats, dealt };
    let share = |test, repeats, dealt| SplitPlan::Share { test, repeats, dealt };
    let evenly = Dealt::default();
    let grouped = Dealt { grouped: true, ..Dealt::default() };
    let line = |kind, over, p| Line { kind, over, excused: "", below: String::new(), p };
    let refused = |kind, over, p| Line { excused: "refused", ..line(kind, over, p) };
    let printed = |kind, over, p| Line { excused: "printed beside p", ..line(kind, over, p) };
    let below = |below: &str, line| Line { below: below.to_owned(), ..line };
    const CORRECTED: &str = "corrected-resampled-t";
    let once = "its correction is for folds that are drawn again: once over, they cover all rows";
    let signs = (0..=5).filter_map(|wins: usize| {
        let differences: Vec<f64> = (0..10).map(|at| if at < wins { 1.0 } else { -1.0 }).collect();
        stats::sign(&differences, false).ok().map(|found| found.p).filter(|p| *p < NOMINAL)
    });
    let attainable = fixed(signs.fold(0.0, f64::max), 4);
    let attainable = format!("the largest p below .05 that ten signs can give is {attainable}");
    vec![
        line(CORRECTED, "10 x 10 folds", Box::new(over(cv(10, 10, evenly), 1, true))),
        below(once, line(CORRECTED, "10 folds", Box::new(over(cv(10, 1, evenly), 1, true)))),
        line(CORRECTED, "30 shares of .1", Box::new(over(share(0.1, 30, evenly), 1, true))),
        line(CORRECTED, "100 shares of .2", Box::new(over(share(0.2, 100, evenly), 1, true))),
        printed(CORRECTED, "5 x 5 folds by group", Box::new(over(cv(5, 5, grouped), 10, true))),
        printed(
            CORRECTED,
            "30 shares of .2, by group",
            Box::new(over(share(0.2, 30, grouped), 10, true)),
        ),
        line("mcnemar", "test rows", Box::new(by_row(1, mcnemar))),
        line("cochran-q", "test rows", Box::new(by_row(1, cochran))),
        line(
            "paired-t",
            "test rows",
            Box::new(by_row(1, |[left, right, _], _| {
                stats::paired_t(&minus(left, right), &Dependence::None)
            })),
        ),
        line(
            "paired-t",
            "25 groups of 12 test rows",
            Box::new(by_row(12, |[left, right, _], groups| {
                stats::paired_t(&minus(left, right), &Dependence::Clusters(groups.to_vec()))
            })),
        ),
        line(
            "paired-t",
            "10 data sets",
            Box::new(over_datasets(|all| stats::paired_t(&first_two(all), &Dependence::None))),
        ),
        line(
            "wilcoxon-signed-rank",
            "10 data sets",
            Box::new(over_datasets(|all| wilcoxon(&first_two(all)))),
        ),
        line(
            "wilcoxon-signed-rank",
            "log-likelihoods of test rows",
            Box::new(by_row_of(log_likelihood, 1, |[left, right, _], _| {
                wilcoxon(&minus(left, right))
            })),
        ),
        below(
            &attainable,
            line(
                "sign",
                "10 data sets",
                Box::new(over_datasets(|all| stats::sign(&first_two(all), false))),
            ),
        ),
        line("friedman", "10 data sets", Box::new(over_datasets(friedman))),
        line(
            "friedman",
            "10 data sets, three pairs by Wilcoxon",
            Box::new(over_datasets(pairs_of_friedman)),
        ),
        line(
            "bootstrap",
            "test rows",
            Box::new(by_row(1, |[left, right, _], _| bootstrap(&minus(left, right)))),
        ),
        printed(
            "bootstrap",
            "10 data sets",
            Box::new(over_datasets(|all| bootstrap(&first_two(all)))),
        ),
        line("welch-t", "10 seeds each", Box::new(over_seeds)),
        line("equivalence", "test rows", Box::new(equivalence)),
        line(
            "equivalence",
            "100 shares of .2",
            Box::new(alike_over(share(0.2, 100, evenly), LARGER_OF_80)),
        ),
        line("equivalence", "10 data sets", Box::new(alike_datasets)),
        line("paired-t", "test rows of 6 class pairs", Box::new(over_problems(true))),
        refused("paired-t", "10 x 10 folds", Box::new(over(cv(10, 10, evenly), 1, false))),
        refused("paired-t", "6 class pairs", Box::new(over_problems(false))),
        refused("paired-t", "100 shares of .2", Box::new(over(share(0.2, 100, evenly), 1, false))),
        refused("mcnemar", "25 groups of 12 test rows", Box::new(by_row(12, mcnemar))),
    ]
}

/// In how many of so many draws the test rejects.
fn rejects(line: &Line, draws: usize, means: [f64; 3]) -> usize {
    let rejected = |draw: &usize| {
        let seed = FieldHasher::new("calibration").number(*draw as u64).finish();
        // Nothing that varies is nothing that differs.
        (line.p)(&mut Random::new(seed), means).is_ok_and(|found| found.p < NOMINAL)
    };
    (0..draws).filter(rejected).count()
}

const PAGE: &str = "docs/reference/calibration.md";

const HEAD: &str = "# Levels and power of the tests

How often a test at .05 finds a difference where there is none, and where there is one. Two thousand data sets are drawn for each line; a
test of the repository (`.ci/full`) draws them again. The learner takes the nearer of two centroids. It is compared with itself: on five
columns, and on five others. Where there is no difference, both halves tell the two classes apart equally well (true accuracy
.81); for the power one is better (.87 and .75). Sets have 100 rows; those by group 20 groups of 10. Test rows are 300, of one training set
of 2,000. Data sets are ten, with one division each. Seeds are ten runs, each on half of 60 training rows that it draws; where there is no
difference, both are runs of one learner. Class pairs are those of four classes, with 200 test rows. The level of `equivalence` is that at a
difference as large as its margin; its power is where there is none. Of several pairs the line counts how often any is found. Wilcoxon's
test of 0/1 outcomes of test rows is McNemar's; so its line by rows is of log-likelihoods.

| `kind` | over | level | 95% interval | power | |
|---|---|---|---|---|---|
";

#[test]
fn tests_keep_their_level() {
    let whole = std::env::var_os("REPRISE_CALIBRATE").is_some();
    let draws = if whole { 2000 } else { 5 };
    let mut page = HEAD.to_owned();
    let mut wrong = Vec::new();
    for line in lines() {
        let found = rejects(&line, draws, NULL);
        let (level, (low, high)) = stats::share(found as u64, draws as u64, 0.95).unwrap();
        let power = rejects(&line, draws, ALTERNATIVE) as f64 / draws as f64;
        let Line { kind, over, excused, below, .. } = line;
        if excused.is_empty() && low > 0.07 {
            wrong.push(format!("{kind} over {over}: {level}, at least {low}"));
        }
        if level < 0.03 && below.is_empty() {
            wrong.push(format!("{kind} over {over}: {level}, and the page does not say why"));
        }
        let remark = if level < 0.03 { below.as_str() } else { excused };
        let [level, low, high] = [level, low, high].map(|share| fixed(share, 3));
        page += &format!(
            "| `{kind}` | {over} | {level} | {low} to {high} | {} | {remark} |\n",
            fixed(power, 2)
        );
    }
    if !whole {
        return;
    }
    assert_eq!(wrong, [""; 0], "{page}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    if std::env::var_os("REPRISE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap_or_default(),
        page,
        "REPRISE_UPDATE_DOCS=1 writes it"
    );
}
