//! What is counted of predicted classes beside how many are right: how often each class is taken for each.

use contract::{Metric, Work, metrics};

use math::sample::mean;

static CONFUSION: Work = Work("counts of each class taken for each");
static AGREEMENT: Work = Work("agreement of classes and predictions");

metrics! {
    in pub(crate) OF_CONFUSION;
    pub BALANCED_ACCURACY: Task = "balanced_accuracy", "Balanced accuracy",
        "mean over the classes that test examples have of the share of theirs whose class is predicted; measured where an experiment names it".higher().of_test().within(0.0, 1.0).asked(&CONFUSION);
    pub F1_MACRO: Task = "f1_macro", "Macro F1",
        "mean of F1, the harmonic mean of precision and recall on the test examples, over the classes that they have or are taken for; measured where an experiment names it".higher().of_test().within(0.0, 1.0).asked(&CONFUSION);
    pub F1: Task = "f1", "F1",
        "of two classes F1, the harmonic mean of precision and recall on the test examples, of the second; measured where an experiment names it; of more classes there is `f1_macro`".higher().of_test().within(0.0, 1.0).asked(&AGREEMENT);
    pub MCC: Task = "mcc", "MCC",
        "Matthews' correlation of the classes of the test examples and the predicted ones, of more than two classes that of Gorodkin (2004); 0 where either are all one class; measured where an experiment names it".higher().of_test().within(-1.0, 1.0).asked(&AGREEMENT);
    pub KAPPA: Task = "kappa", "Kappa",
        "Cohen's kappa: by how much the share of right predictions is above what the shares of the classes would give by chance, over the most it could be; not there where there is one class alone; measured where an experiment names it".higher().of_test().within(-1.0, 1.0).asked(&AGREEMENT);
}

/// How often each class is taken for each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confusion {
    /// Names of the classes.
    classes: Vec<String>,
    /// A row a class, a column for what it is taken for.
    counts: Vec<u64>,
}

/// What is counted of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OfClass {
    /// Its examples.
    pub examples: u64,
    /// The examples that are taken for it.
    pub taken: u64,
    /// Those that are both.
    pub both: u64,
}

impl OfClass {
    /// Precision, recall and F1, in this order, by name.
    pub fn measures(self) -> [(&'static str, Option<f64>); 3] {
        [("Precision", self.precision()), ("Recall", self.recall()), ("F1", self.f1())]
    }

    /// The share of its examples that are taken for it; none if it has none.
    pub fn recall(self) -> Option<f64> {
        share(self.both, self.examples)
    }

    /// The share of the examples taken for it that are its; none if there are none.
    pub fn precision(self) -> Option<f64> {
        share(self.both, self.taken)
    }

    /// The harmonic mean of precision and recall; none of a class without either.
    pub fn f1(self) -> Option<f64> {
        share(2 * self.both, self.examples + self.taken)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl Confusion {
    /// Counts predictions, both numbers of these classes.
    pub fn of(labels: &[u32], predicted: &[u32], classes: &[String]) -> Self {
        let mut counts = vec![0; classes.len() * classes.len()];
        for (&label, &predicted) in labels.iter().zip(predicted) {
            counts[label as usize * classes.len() + predicted as usize] += 1;
        }
        Self { classes: classes.to_vec(), counts }
    }

    /// Of each class its name, and how many of its examples are taken for each; none if they are not as many as classes,
    /// or a name comes twice.
    pub fn from_rows(rows: Vec<(String, Vec<u64>)>) -> Option<Self> {
        let (classes, counts): (Vec<String>, Vec<Vec<u64>>) = rows.into_iter().unzip();
        let whole = counts.iter().all(|row| row.len() == classes.len());
        let mut names: Vec<&String> = classes.iter().collect();
        names.sort();
        let different = names.windows(2).all(|pair| pair[0] != pair[1]);
        (whole && different).then(|| Self { counts: counts.concat(), classes })
    }

    /// Of each class its name, and how many of its examples are taken for each.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &[u64])> {
        let rows = self.counts.chunks_exact(self.classes.len().max(1));
        self.classes.iter().map(String::as_str).zip(rows)
    }

    /// Names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// How many examples of a class are taken for another, or for the same.
    pub fn count(&self, class: usize, predicted: usize) -> u64 {
        self.counts[class * self.classes.len() + predicted]
    }

    /// What is counted of each class.
    pub fn each(&self) -> impl Iterator<Item = OfClass> {
        let all = 0..self.classes.len();
        all.clone().map(move |class| OfClass {
            examples: all.clone().map(|other| self.count(class, other)).sum(),
            taken: all.clone().map(|other| self.count(other, class)).sum(),
            both: self.count(class, class),
        })
    }

    /// Adds what was counted elsewhere, class by class; classes that are new come last.
    pub fn add(&mut self, other: &Self) {
        let mut classes = self.classes.clone();
        let place: Vec<usize> = other
            .classes
            .iter()
            .map(|name| {
                classes.iter().position(|known| known == name).unwrap_or_else(|| {
                    classes.push(name.clone());
                    classes.len() - 1
                })
            })
            .collect();
        let mut counts = vec![0; classes.len() * classes.len()];
        for (class, row) in self.counts.chunks_exact(self.classes.len().max(1)).enumerate() {
            counts[class * classes.len()..][..row.len()].copy_from_slice(row);
        }
        for (class, (_, row)) in other.rows().enumerate() {
            for (&taken, count) in place.iter().zip(row) {
                counts[place[class] * classes.len() + taken] += count;
            }
        }
        *self = Self { classes, counts };
    }

    /// All that is measured of it, or why it is not there.
    pub(crate) fn scores(&self) -> [(&'static Metric, Result<f64, &'static str>); 5] {
        let one_class = "the test examples have one class, and it is predicted for all";
        let second = self.each().nth(1).filter(|_| self.classes.len() == 2);
        let f1 = match second.map(OfClass::f1) {
            Some(Some(f1)) => Ok(f1),
            Some(None) => Err("no test example is of the second class, and none is taken for it"),
            None if self.classes.len() == 1 => Err(one_class),
            None => Err("there are more than two classes: name `f1_macro`"),
        };
        [
            (&BALANCED_ACCURACY, Ok(self.balanced_accuracy())),
            (&F1_MACRO, Ok(self.f1_macro())),
            (&MCC, Ok(self.mcc())),
            (&KAPPA, self.kappa().ok_or(one_class)),
            (&F1, f1),
        ]
    }

    /// The number of examples, of those whose class is predicted, and over the classes the sums of products of how many
    /// have it and how many are taken for it, and of their squares.
    fn sums(&self) -> [f64; 5] {
        let add = |[all, right, both, own, taken]: [f64; 5], class: OfClass| {
            let (examples, predicted) = (class.examples as f64, class.taken as f64);
            let both = both + examples * predicted;
            let (own, taken) = (own + examples * examples, taken + predicted * predicted);
            [all + examples, right + class.both as f64, both, own, taken]
        };
        self.each().fold([0.0; 5], add)
    }

    /// Matthews' correlation, by Gorodkin's formula for any number of classes (2004).
    pub fn mcc(&self) -> f64 {
        let [all, right, both, own, taken] = self.sums();
        let scale = (all * all - own) * (all * all - taken);
        if scale > 0.0 { (right * all - both) / scale.sqrt() } else { 0.0 }
    }

    /// Cohen's kappa (1960); none where chance is always right.
    pub fn kappa(&self) -> Option<f64> {
        let [all, right, both, ..] = self.sums();
        let most = all * all - both;
        (most > 0.0).then(|| (right * all - both) / most)
    }

    /// Mean recall over the classes that have examples.
    pub fn balanced_accuracy(&self) -> f64 {
        mean(&self.each().filter_map(OfClass::recall).collect::<Vec<f64>>())
    }

    /// Mean F1 over the classes that have examples or are predicted.
    pub fn f1_macro(&self) -> f64 {
        mean(&self.each().filter_map(OfClass::f1).collect::<Vec<f64>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|class| format!("c{class}")).collect()
    }

    #[test]
    fn classes_without_examples_or_predictions_do_not_count() {
        let found = Confusion::of(&[0, 0, 1, 1, 1], &[0, 1, 1, 1, 3], &names(5));
        assert_eq!((found.count(0, 1), found.count(1, 3), found.count(3, 1)), (1, 1, 0));
        // scikit-learn 1.9.1: balanced_accuracy_score, f1_score(average="macro").
        assert!((found.balanced_accuracy() - 0.583_333_333_333_333_3).abs() < 1e-15);
        assert!((found.f1_macro() - 0.444_444_444_444_444_4).abs() < 1e-15);
        // matthews_corrcoef, cohen_kappa_score.
        assert!((found.mcc() - 0.308_606_699_924_183_8).abs() < 1e-15, "{}", found.mcc());
        assert!((found.kappa().unwrap() - 0.285_714_285_714_285_7).abs() < 1e-15);
        let one = Confusion::of(&[1, 1], &[1, 1], &names(2));
        assert_eq!((one.mcc(), one.kappa()), (0.0, None));
    }

    #[test]
    fn the_second_of_two_classes_has_an_f1_and_more_say_why_not() {
        let of = |labels: &[u32], predicted: &[u32], classes, metric: &str| {
            let scores = Confusion::of(labels, predicted, &names(classes)).scores();
            scores.into_iter().find(|(of, _)| of.name == metric).unwrap().1
        };
        // scikit-learn 1.9.1: f1_score.
        assert_eq!(of(&[0, 0, 1, 1, 1], &[0, 1, 1, 1, 0], 2, "f1"), Ok(2.0 / 3.0));
        assert!(of(&[0, 1, 2], &[0, 1, 2], 3, "f1").unwrap_err().contains("name `f1_macro`"));
        assert_eq!(of(&[0, 1, 2], &[0, 1, 2], 3, "mcc"), Ok(1.0));
        assert!(of(&[0], &[0], 2, "f1").unwrap_err().contains("second class"));
        assert!(of(&[0], &[0], 2, "kappa").unwrap_err().contains("one class"));
        assert!(of(&[0], &[0], 1, "f1").unwrap_err().contains("one class"));
    }

    /// scikit-learn 1.9.1: precision_recall_fscore_support(zero_division=nan).
    #[test]
    fn a_class_has_its_precision_recall_and_f1() {
        let found = Confusion::of(&[0, 0, 1, 1, 1], &[0, 1, 1, 1, 3], &names(5));
        let each: Vec<OfClass> = found.each().collect();
        assert_eq!(each[0].precision(), Some(1.0));
        assert_eq!(each[0].recall(), Some(0.5));
        assert_eq!(each[0].f1(), Some(2.0 / 3.0));
        assert_eq!(each[1].precision(), Some(2.0 / 3.0));
        assert_eq!(each[1].recall(), Some(2.0 / 3.0));
        assert_eq!((each[2].precision(), each[2].recall(), each[2].f1()), (None, None, None));
        assert_eq!(
            (each[3].precision(), each[3].recall(), each[3].f1()),
            (Some(0.0), None, Some(0.0))
        );
    }

    #[test]
    fn what_is_added_is_added_class_by_class() {
        let of = |classes: &[&str], rows: &[&[u64]]| {
            let rows =
                classes.iter().zip(rows).map(|(name, row)| ((*name).to_owned(), row.to_vec()));
            Confusion::from_rows(rows.collect()).unwrap()
        };
        let mut sum = Confusion::default();
        sum.add(&of(&["a", "b"], &[&[3, 1], &[2, 4]]));
        sum.add(&of(&["c", "a"], &[&[5, 1], &[7, 10]]));
        assert_eq!(sum, of(&["a", "b", "c"], &[&[13, 1, 7], &[2, 4, 0], &[1, 0, 5]]));
        let rows = |row: &[u64], name: &str| {
            Confusion::from_rows(vec![
                ("a".to_owned(), vec![1, 2]),
                (name.to_owned(), row.to_vec()),
            ])
        };
        assert!(rows(&[3, 4], "b").is_some());
        assert!(rows(&[3], "b").is_none() && rows(&[3, 4], "a").is_none());
    }
}
