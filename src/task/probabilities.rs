//! What the probabilities of classes are worth: proper scores, calibration, and how well they, or other scores, rank.

use contract::{Work, metrics};
use math::special::ln;
use ndarray::{ArrayView1, ArrayView2};

use crate::measured::Measured;
use crate::{Ask, blocks};
use math::sample::mean;

static PROBABILITIES: Work = Work("probabilities of classes");
static RANKING: Work = Work("order of the examples by the probability of a class");
static PRECISION: Work = Work("precision and recall by the probability of a class");

/// How many intervals of equal width the expected calibration error sorts probabilities into.
const BINS: usize = 15;

metrics! {
    in pub OF_PROBABILITIES;
    pub LOG_LOSS: Task = "log_loss", "Log-loss",
        "mean of - ln p over the test examples, with p the probability of their class, at least 2.2e-16; measured where an experiment names it, of methods that give probabilities".lower().unit("nats per example").of_test().scores().within(0.0, f64::INFINITY).asked(&PROBABILITIES);
    pub BRIER: Task = "brier", "Brier score",
        "mean over the test examples of the squared differences between the probabilities of the classes and 1 for the true one, 0 for others: of two classes those of one class, of more the sum over all; measured where an experiment names it, of methods that give probabilities".named().lower().of_test().scores().within(0.0, 2.0).asked(&PROBABILITIES);
    pub ECE: Task = "ece", "ECE",
        "expected calibration error (Guo, Pleiss, Sun and Weinberger 2017): test examples are sorted into 15 intervals of equal width by the probability of the most probable class; mean over examples of the difference in their interval between its mean and the share of right predictions; measured where an experiment names it, of methods that give probabilities".lower().of_test().within(0.0, 1.0).asked(&PROBABILITIES);
}

metrics! {
    in pub OF_SCORES;
    pub AUC: Task = "auc", "AUC",
        "area under the ROC curve on the test examples: of two classes how often an example of the second has a higher probability, or score, of it than one of the first, equal ones counting half; of more classes the mean over each against the rest; measured where an experiment names it, of methods that give probabilities or scores, where every class has test examples".higher().of_test().within(0.0, 1.0).asked(&RANKING);
    pub PR_AUC: Task = "pr_auc", "PR-AUC",
        "average precision, the area under the steps of precision over recall on the test examples: of two classes that of the second, of more the mean over each against the rest; measured where an experiment names it, of methods that give probabilities or scores, where every class has test examples".higher().of_test().within(0.0, 1.0).asked(&PRECISION);
}

/// Whether probabilities or scores are asked for.
pub(crate) fn asked(ask: &Ask) -> bool {
    OF_PROBABILITIES.iter().chain(OF_SCORES).any(|metric| ask.names(metric))
}

/// Adds what is asked for of probabilities, which have a row an example and a column a class.
pub(crate) fn measured(
    measured: &mut Measured,
    probabilities: ArrayView2<'_, f64>,
    labels: &[u32],
    ask: &Ask,
) {
    if ask.names(&LOG_LOSS) {
        let log_loss = of_each(probabilities, labels, surprise);
        let brier = of_each(probabilities, labels, squares);
        measured.scalar(&LOG_LOSS, mean(&log_loss));
        measured.scalar(&BRIER, mean(&brier));
        measured.scalar(&ECE, ece(probabilities, labels));
        measured.examples.insert(&LOG_LOSS, blocks::means(&log_loss));
        measured.examples.insert(&BRIER, blocks::means(&brier));
    }
}

/// Adds what is asked for of scores, which have a row an example and a column a class.
pub(crate) fn ranked(
    measured: &mut Measured,
    scores: ArrayView2<'_, f64>,
    (labels, names): (&[u32], &[String]),
    ask: &Ask,
) {
    let alone = |class: &usize| {
        let own = labels.iter().filter(|&&label| label as usize == *class).count();
        own == 0 || own == labels.len()
    };
    if let Some(class) = (0..names.len()).find(alone) {
        let why = format!(
            "none of the test examples, or all of them, are of class `{}`: divide with `stratified = true`, into no more folds than it has examples",
            names[class]
        );
        measured.lacks([&AUC, &PR_AUC], ask, &why);
        return;
    }
    if ask.names(&AUC) {
        measured.scalar(&AUC, over_classes(scores, labels, area));
    }
    if ask.names(&PR_AUC) {
        measured.scalar(&PR_AUC, over_classes(scores, labels, average_precision));
    }
}

fn of_each(
    probabilities: ArrayView2<'_, f64>,
    labels: &[u32],
    score: impl Fn(&[f64], usize) -> f64,
) -> Vec<f64> {
    let rows = probabilities.outer_iter().zip(labels);
    rows.map(|(row, &label)| score(&row.to_vec(), label as usize)).collect()
}

/// Minus the logarithm of a class's probability, which is taken to be a double's precision at least: as scikit-learn.
fn surprise(row: &[f64], label: usize) -> f64 {
    -ln(row[label].clamp(f64::EPSILON, 1.0 - f64::EPSILON))
}

/// Of two classes the square of one: that of the other is the same.
fn squares(row: &[f64], label: usize) -> f64 {
    let error = |(class, p): (usize, &f64)| p - f64::from(class == label);
    let sum: f64 = row.iter().enumerate().map(error).map(|error| error * error).sum();
    if row.len() == 2 { 0.5 * sum } else { sum }
}

/// The class with the largest probability, of equal ones the first.
pub(crate) fn most_probable(row: ArrayView1<'_, f64>) -> usize {
    (1..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best })
}

/// In which of so many intervals of equal width a probability lies, which are open below and closed above.
pub(crate) fn interval(probability: f64, count: usize) -> usize {
    (probability * count as f64).ceil().clamp(1.0, count as f64) as usize - 1
}

fn ece(probabilities: ArrayView2<'_, f64>, labels: &[u32]) -> f64 {
    let mut bins = [(0.0, 0.0); BINS];
    for (row, &label) in probabilities.outer_iter().zip(labels) {
        let best = most_probable(row);
        let bin = interval(row[best], BINS);
        bins[bin].0 += row[best];
        bins[bin].1 += f64::from(best == label as usize);
    }
    let gaps = bins.iter().map(|(confidence, right)| (confidence - right).abs());
    gaps.sum::<f64>() / labels.len() as f64
}

/// Of two classes that of the second, of more the mean over the classes. Every class has an example, and another has.
fn over_classes(
    scores: ArrayView2<'_, f64>,
    labels: &[u32],
    of_class: fn(&[f64], &[u32], usize) -> f64,
) -> f64 {
    let of = |class: usize| of_class(&scores.column(class).to_vec(), labels, class);
    match scores.ncols() {
        2 => of(1),
        classes => mean(&(0..classes).map(of).collect::<Vec<f64>>()),
    }
}

/// How often an example of a class has a higher value than one of another (Mann and Whitney's U), ties counting half.
/// Time O(N log N).
pub(crate) fn area(values: &[f64], labels: &[u32], class: usize) -> f64 {
    let sorted = rising(values, labels, class);
    let inside = sorted.iter().filter(|(_, inside)| *inside).count() as f64;
    let outside = sorted.len() as f64 - inside;
    // All counts are halves of whole numbers: the sums are exact.
    let (mut below, mut pairs) = (0.0, 0.0);
    for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
        let own = equal.iter().filter(|(_, inside)| *inside).count() as f64;
        let others = equal.len() as f64 - own;
        pairs += own * (below + 0.5 * others);
        below += others;
    }
    pairs / (inside * outside)
}

/// The sum over the values, from the largest down, of the precision among the examples with at least that value, times
/// what these add to the recall: average precision, where nothing is drawn between two values. Time O(N log N).
fn average_precision(values: &[f64], labels: &[u32], class: usize) -> f64 {
    let (mut before, mut sum) = (0.0, 0.0);
    for (found, taken) in falling(values, labels, class) {
        sum += (found - before) * (found / taken);
        before = found;
    }
    sum / before
}

/// Of the examples with at least a value how many are of a class, and how many there are: for each value, from the
/// largest down. Time O(N log N).
pub(crate) fn falling(values: &[f64], labels: &[u32], class: usize) -> Vec<(f64, f64)> {
    let sorted = rising(values, labels, class);
    let (mut found, mut taken) = (0, 0);
    let add = |equal: &[(f64, bool)]| {
        found += equal.iter().filter(|(_, inside)| *inside).count();
        taken += equal.len();
        (f64::from(found as u32), f64::from(taken as u32))
    };
    sorted.chunk_by(|a, b| a.0 == b.0).rev().map(add).collect()
}

/// The values with whether they are of examples of a class, from the smallest up.
fn rising(values: &[f64], labels: &[u32], class: usize) -> Vec<(f64, bool)> {
    let of_class = |(&value, &label): (&f64, &u32)| (value, label as usize == class);
    let mut sorted: Vec<(f64, bool)> = values.iter().zip(labels).map(of_class).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-14, "{found} for {expected}");
    }

    fn means(p: &Array2<f64>, labels: &[u32]) -> [f64; 2] {
        [mean(&of_each(p.view(), labels, surprise)), mean(&of_each(p.view(), labels, squares))]
    }

    #[test]
    fn scores_are_those_of_scikit_learn() {
        // tests/reference/class_metrics.py: scikit-learn 1.9.1's log_loss, brier_score_loss and roc_auc_score, and the
        // expected calibration error by NumPy.
        let p = array![[0.9, 0.1], [0.4, 0.6], [0.35, 0.65], [0.2, 0.8], [0.4, 0.6], [1.0, 0.0]];
        let labels = [0, 1, 0, 1, 0, 1];
        let [log_loss, brier] = means(&p, &labels);
        near(log_loss, 6.474_849_322_704_668);
        near(brier, 0.332_083_333_333_333_34);
        near(over_classes(p.view(), &labels, area), 0.5);
        near(over_classes(p.view(), &labels, average_precision), 0.666_666_666_666_666_7);
        near(ece(p.view(), &labels), 0.358_333_333_333_333_3);
        let p = array![
            [0.5, 0.25, 0.25],
            [0.1, 0.7, 0.2],
            [0.3, 0.3, 0.4],
            [0.6, 0.3, 0.1],
            [0.2, 0.2, 0.6],
            [0.25, 0.5, 0.25],
        ];
        let labels = [0, 1, 2, 1, 2, 0];
        let [log_loss, brier] = means(&p, &labels);
        near(log_loss, 0.844_534_274_264_108_3);
        near(brier, 0.505);
        near(over_classes(p.view(), &labels, area), 0.812_5);
        near(over_classes(p.view(), &labels, average_precision), 0.75);
        near(ece(p.view(), &labels), 0.183_333_333_333_333_3);
    }

    #[test]
    fn the_area_counts_pairs() {
        let values = [0.1, 0.4, 0.4, 0.4, 0.7, 0.9, 0.9];
        let labels = [0, 1, 0, 1, 0, 1, 0];
        let mut pairs = 0.0;
        for (own, _) in values.iter().zip(labels).filter(|(_, label)| *label == 1) {
            for (other, _) in values.iter().zip(labels).filter(|(_, label)| *label == 0) {
                pairs += if own > other {
                    1.0
                } else if own == other {
                    0.5
                } else {
                    0.0
                };
            }
        }
        assert_eq!(area(&values, &labels, 1), pairs / 12.0);
    }

    #[test]
    fn a_class_without_test_examples_has_no_area_and_says_so() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let all = Ask { metrics: vec![&AUC, &BRIER], ..Ask::default() };
        let found = |labels: &[u32], classes: usize| {
            let mut found = Measured::default();
            let p = Array2::from_elem((labels.len(), classes), 1.0 / classes as f64);
            measured(&mut found, p.view(), labels, &all);
            ranked(&mut found, p.view(), (labels, &names[..classes]), &all);
            assert!(
                found.metrics.has("brier") && found.metrics.has("auc") != found.lacks.has("auc")
            );
            found.lacks.get("auc").cloned()
        };
        let class = |labels: &[u32], classes| found(labels, classes).unwrap();
        assert!(class(&[0, 1], 3).contains("of class `c`: divide with"));
        assert!(class(&[1, 1], 2).contains("of class `a`"));
        assert_eq!(found(&[0, 1, 2], 3), None);
        let mut unasked = Measured::default();
        let p = array![[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]];
        let ask = Ask { metrics: vec![&BRIER], ..Ask::default() };
        measured(&mut unasked, p.view(), &[0, 1], &ask);
        ranked(&mut unasked, p.view(), (&[0, 1], &names), &ask);
        assert!(unasked.metrics.has("log_loss") && unasked.lacks.is_empty());
    }
}
