//! Classification: learn from labelled examples, predict the classes of others.

mod metrics;

use contract::parameter::{Choice, Parameters, Real, parameters, settings};
use std::borrow::Cow;
use std::sync::Arc;

use base::digest::{Digest, FieldHasher};
use contract::{
    Carry, Examples, Fit, FitClassifier, FitError, Gives, Labelled, Prediction, Result, listed,
    words,
};
use data::split::Division;
use data::{Dataset, Truth, Vocabulary};

use crate::chance::{self, CHANCE_ACCURACY, Chance, MAJORITY_SHARE};
use crate::confusion::{Confusion, OF_CONFUSION};
use crate::labels::Labels;
use crate::measured::Measured;
use crate::metrics::{SIZES, TIME_FIT, TIME_PREDICT, TIME_PROGRAM};
use crate::moved::{MOVED_ANSWERS, moved};
use crate::overlap::{OVERLAPS, Overlap};
use crate::picture::Picture;
use crate::predictions::Predictions;
use crate::probabilities::{self, OF_PROBABILITIES, OF_SCORES};
use crate::{Ask, Contradiction, Divided, Fitting, Portion, Problem, Served, Task};
use math::random::Random;
use math::sample::mean;
use ndarray::Array2;

use metrics::OF_CLASSES;
pub use metrics::{
    CLASSES, TEST_ACCURACY, TEST_ERROR, TEST_JOINT_LL, TRAIN_ACCURACY, TRAIN_ERROR, VALID_ACCURACY,
};

words! {
    /// Which problems the classes of a dataset make.
    enum Classes {
        All = "all", "the classes of a dataset are one problem";
        AllPairs = "all-pairs", "every pair of classes is a problem of its own; values are averaged over the pairs";
    }
}

settings! {
    CLASSES_KEY classes: Choice<Classes>::worded("all"), "which problems the classes of a dataset make";
    LABEL_NOISE label_noise: Real::within(0.0..=1.0, 0.0),
        "share of the training labels that are flipped at random: all methods meet the same, and a larger share flips those \
         of a smaller one too";
}

/// Learn from labelled examples, predict the classes of others.
pub static CLASSIFICATION: Task = Task {
    word: "classification",
    meaning: "learn to predict the class of held-out examples",
    keys: parameters![CLASSES_KEY, LABEL_NOISE],
    score: &TEST_ACCURACY,
    chance: Some(Chance {
        score: &TEST_ACCURACY,
        by_chance: &CHANCE_ACCURACY,
        hits: &TEST_ACCURACY,
    }),
    predicts: true,
    metrics: listed![
        OF_CLASSES,
        OF_CONFUSION,
        OF_PROBABILITIES,
        OF_SCORES,
        &[&CLASSES],
        SIZES,
        OVERLAPS,
        &[
            &CHANCE_ACCURACY,
            &MAJORITY_SHARE,
            &MOVED_ANSWERS,
            &TIME_FIT,
            &TIME_PREDICT,
            &TIME_PROGRAM
        ]
    ],
    serves: |method| {
        let fits = method.fits.iter().any(|fit| classifier(fit).is_some());
        fits || method.gives().any(Gives::classifies)
    },
    setting: |settings| match settings.get(&LABEL_NOISE) {
        share if share > 0.0 => format!("label_noise={}", base::text::real(share)),
        _ => String::new(),
    },
    draws: |settings| settings.get(&LABEL_NOISE) > 0.0,
    contradiction: |settings, given| {
        (given.inner && settings.get(&LABEL_NOISE) > 0.0).then_some(Contradiction {
            key: LABEL_NOISE.parameter.name,
            message: "`label_noise` beside `inner`",
            why: "what validates would have no noise, what trains would",
            help: "leave out `label_noise` or `inner`",
        })
    },
    suits: |dataset, _| dataset.with_classes("classification").map(|_| ()),
    problem_count: |classes, settings| match all_pairs(classes, settings) {
        true => (classes as u64).saturating_mul(classes as u64 - 1) / 2,
        false => 1,
    },
    problems: |classes, settings| match all_pairs(classes.len(), settings) {
        true => Problem::pairs(classes),
        false => vec![Problem::whole(classes.len())],
    },
    divide: |portion, settings| {
        let labels = portion.dataset.targets.labels();
        let labels = labels.ok_or_else(|| crate::lacking("classes"))?;
        let Portion { dataset, division, problem, seed, fold } = portion;
        let mut data = ClassificationData::new(dataset, &labels.of_example, division, problem);
        data.overlap.dataset = Some(Arc::clone(dataset));
        let share = settings.get(&LABEL_NOISE);
        Ok(Box::new(data.with_label_noise(share, *seed, *fold)))
    },
};

fn all_pairs(classes: usize, settings: &Parameters) -> bool {
    classes > 2 && settings.get(&CLASSES_KEY) == Classes::AllPairs
}

/// The examples of one split of one problem.
#[derive(Debug, Clone)]
pub struct ClassificationData {
    /// Training examples.
    pub train: Labelled,
    /// Validation examples; may be empty.
    pub valid: Labelled,
    /// Test examples.
    pub test: Labelled,
    /// Names of the classes.
    pub names: Vec<String>,
    /// Names of the variables, where they have some.
    pub columns: Option<Vec<String>>,
    /// What training examples give away of test examples.
    pub overlap: Overlap,
}

impl ClassificationData {
    /// The examples of a division that are of a problem's classes, with the variables that the dataset's
    /// vocabulary keeps, after the dataset's preprocessing; `labels` are those of the dataset's examples. What is
    /// learned for this is learned from training examples.
    pub fn new(dataset: &Dataset, labels: &[u32], division: &Division, problem: &Problem) -> Self {
        let of_problem = |examples: &[usize]| -> Vec<usize> {
            let inside = |example: &usize| problem.classes.contains(&labels[*example]);
            examples.iter().copied().filter(inside).collect()
        };
        let train = of_problem(&division.train);
        let [valid, test] = [&division.valid, &division.test].map(|part| of_problem(part));
        let vocabulary = match dataset.preprocessing.vocabulary {
            None => None,
            Some(Vocabulary::Problem) => occurring(&dataset.examples, &train),
            Some(Vocabulary::Training) => occurring(&dataset.examples, &division.train),
        };
        let all = dataset.preprocessing.apply(&dataset.examples, &train);
        let labelled = |examples: &[usize]| {
            let class = |&example: &usize| {
                let class = problem.classes.binary_search(&labels[example]);
                class.map_or(0, |class| class as u32)
            };
            let rows = all.select(examples);
            Labelled {
                examples: match &vocabulary {
                    Some(kept) => restricted(&rows, kept),
                    None => rows,
                },
                labels: examples.iter().map(class).collect(),
                classes: problem.classes.len(),
                known_blocks: match &dataset.truth {
                    Truth::Blocks(blocks) => Some(blocks.clone()),
                    _ => None,
                },
            }
        };
        let columns = dataset.named_columns(&train);
        let names =
            dataset.targets.labels().into_iter().flat_map(|labels| &labels.classes).enumerate();
        let names = names.filter(|(class, _)| problem.classes.contains(&(*class as u32)));
        Self {
            train: labelled(&train),
            valid: labelled(&valid),
            test: labelled(&test),
            names: names.map(|(_, name)| name.clone()).collect(),
            columns,
            overlap: Overlap::new(&dataset.marks, [train, valid, test]),
        }
    }

    /// The same examples with a share of the training labels flipped, rounded to a whole number of them: to
    /// another class, each equally likely. A larger share flips those of a smaller one too. `seed` depends on
    /// the repeat.
    #[must_use]
    pub fn with_label_noise(mut self, share: f64, seed: Digest, fold: usize) -> Self {
        let seed = FieldHasher::new("label noise").field(seed.0).number(fold as u64).finish();
        let mut random = Random::new(seed);
        let order = random.permutation(self.train.labels.len());
        let flipped = (share * order.len() as f64).round() as usize;
        let classes = self.train.classes;
        if classes < 2 {
            return self;
        }
        for &example in order.iter().take(flipped) {
            let label = self.train.labels[example] as usize;
            self.train.labels[example] = ((label + 1 + random.below(classes - 1)) % classes) as u32;
        }
        self
    }

    /// The examples as 0/1 variables: categorical attributes become one variable a value, of which one
    /// is 1 ([`CategoricalRows::one_hot`](contract::categorical::CategoricalRows::one_hot)). This is
    /// the only place where methods for 0/1 variables meet others.
    ///
    /// # Errors
    /// If they are numbers.
    pub fn binary(&self) -> Result<Cow<'_, Self>> {
        match &self.train.examples {
            Examples::Binary(_) | Examples::Packed(_) => Ok(Cow::Borrowed(self)),
            Examples::Categorical(_) => Ok(self.as_others(|examples| match examples {
                Examples::Categorical(rows) => Examples::Binary(rows.one_hot()),
                other => other.clone(),
            })),
            Examples::Numeric(_) | Examples::Table(_) => Err(FitError::Failed(
                "it takes 0/1 variables, and the dataset has numeric columns without a `binning`"
                    .to_owned(),
            )),
        }
    }

    /// The examples as numbers: 0/1 variables are 0 and 1, and categorical attributes one such column a value.
    ///
    /// # Errors
    /// If they are 0/1 variables, and too many for that.
    fn numeric(&self) -> Result<Cow<'_, Self>> {
        let (rows, variables) = (self.train.examples.len(), self.train.examples.variables());
        match &self.train.examples {
            Examples::Numeric(_) | Examples::Table(_) => return Ok(Cow::Borrowed(self)),
            Examples::Binary(_) | Examples::Packed(_) if rows * variables > MOST_NUMBERS => {
                return Err(FitError::NotApplicable(format!(
                    "{rows} training examples of {variables} 0/1 variables are more than {MOST_NUMBERS} numbers"
                )));
            }
            Examples::Binary(_) | Examples::Packed(_) | Examples::Categorical(_) => {}
        }
        Ok(self.as_others(numeric))
    }

    /// The same with what `change` makes of the examples, whose columns have no names then.
    fn as_others(&self, change: fn(&Examples) -> Examples) -> Cow<'_, Self> {
        let changed = |labelled: &Labelled| Labelled {
            examples: change(&labelled.examples),
            ..labelled.clone()
        };
        Cow::Owned(Self {
            train: changed(&self.train),
            valid: changed(&self.valid),
            test: changed(&self.test),
            names: self.names.clone(),
            columns: None,
            overlap: self.overlap.clone(),
        })
    }
}

/// Examples as numbers: 0/1 variables are 0 and 1, and categorical attributes one such column a value.
pub(crate) fn numeric(examples: &Examples) -> Examples {
    Examples::Numeric(match examples {
        Examples::Binary(rows) => rows.indicators(),
        Examples::Packed(rows) => rows.to_sparse().indicators(),
        Examples::Categorical(rows) => rows.one_hot().indicators(),
        Examples::Numeric(_) | Examples::Table(_) => return examples.clone(),
    })
}

/// The new index of each variable that is one in some of the examples, in the variables' order; none for
/// the others. Attributes and columns that are not 0/1 are all kept.
fn occurring(rows: &Examples, examples: &[usize]) -> Option<Vec<Option<u32>>> {
    let rows = rows.binary().ok()?.sparse();
    let mut occurs = vec![false; rows.variables()];
    for &example in examples {
        rows.row(example).iter().for_each(|&one| occurs[one as usize] = true);
    }
    let mut kept = 0;
    let index = |occurs: bool| {
        kept += u32::from(occurs);
        occurs.then(|| kept - 1)
    };
    Some(occurs.into_iter().map(index).collect())
}

/// The examples without the variables that are not kept.
fn restricted(rows: &Examples, kept: &[Option<u32>]) -> Examples {
    match rows.binary() {
        Ok(rows) => Examples::Binary(rows.sparse().renamed(kept)),
        Err(_) => rows.clone(),
    }
}

impl Divided for ClassificationData {
    fn served(&self) -> Option<&dyn Served> {
        Some(self)
    }

    fn measure(&self, fitting: &Fitting<'_>, carry: &mut Carry) -> Result<Measured> {
        let method = fitting.method;
        // Of a method that takes several kinds of examples, the fit for those that there are.
        let own = match (&self.train.examples, method.numeric_classifier()) {
            (Examples::Numeric(_), Some(fit)) => Some((Takes::Numbers, fit)),
            _ => None,
        };
        let (data, fit) = match own.or_else(|| method.fits.iter().find_map(classifier)) {
            Some((Takes::Binary, fit)) => (self.binary()?, fit),
            Some((Takes::Numbers, fit)) => (self.numeric()?, fit),
            Some((Takes::TheirOwn, fit)) => (Cow::Borrowed(self), fit),
            None => return Err(CLASSIFICATION.unserved()),
        };
        let mut measured = measure(fit, &data, fitting, carry)?;
        self.measured_overlap(&mut measured, fitting.ask);
        Ok(measured)
    }
}

/// So many 0/1 values are made numbers of for a method that takes numbers alone: a gigabyte.
const MOST_NUMBERS: usize = 1 << 27;

/// Whether a classifier takes 0/1 variables or numbers whatever the dataset has, or what it has.
enum Takes {
    Binary,
    Numbers,
    TheirOwn,
}

fn classifier(fit: &Fit) -> Option<(Takes, FitClassifier)> {
    match fit {
        Fit::Classification(fit) => Some((Takes::Binary, *fit)),
        Fit::Numeric(fit) => Some((Takes::Numbers, *fit)),
        Fit::Categorical(fit) => Some((Takes::TheirOwn, *fit)),
        Fit::Density(_)
        | Fit::Network(_)
        | Fit::Regression(_)
        | Fit::Partition(_)
        | Fit::Program(_) => None,
    }
}

fn measure(
    fit: FitClassifier,
    data: &ClassificationData,
    fitting: &Fitting<'_>,
    carry: &mut Carry,
) -> Result<Measured> {
    let Fitting { parameters, ask, context, .. } = *fitting;
    crate::needs("training", data.train.labels.len())?;
    crate::needs("test", data.test.labels.len())?;
    let mut measured = Measured::default();
    let classifier = measured.timed(&TIME_FIT, || fit(parameters, &data.train, context, carry))?;
    let predict = || classifier.predict(&data.test.examples, context);
    let Prediction { classes, noticed } = measured.timed(&TIME_PREDICT, predict)?;
    data.measured_on_test(&mut measured, &classes, ask);
    if ask.names(&MOVED_ANSWERS) {
        let again = |examples: &Examples| Ok(classifier.predict(examples, context)?.classes);
        let moved = moved(&data.test.examples, &classes, PartialEq::eq, again)?;
        measured.scalar(&MOVED_ANSWERS, moved);
    }
    if ask.predictions || probabilities::asked(ask) {
        let table = classifier.probabilities(&data.test.examples, context)?;
        data.measured_by_class(&mut measured, [table.as_ref(); 2], ask);
    }
    let correct = |part: &Labelled| {
        let Prediction { classes, .. } = classifier.predict(&part.examples, context)?;
        Ok::<Vec<f64>, FitError>(hits(&classes, part))
    };
    if !data.valid.labels.is_empty() {
        measured.scalar(&VALID_ACCURACY, mean(&correct(&data.valid)?));
    }
    if ask.names(&TRAIN_ACCURACY) {
        measured_on_train(&mut measured, &correct(&data.train)?);
    }
    if ask.names(&TEST_JOINT_LL) {
        match classifier.log_joints(&data.test, context)? {
            Some(values) => measured.scalar(&TEST_JOINT_LL, mean(&values)),
            None => measured.lacks([&TEST_JOINT_LL], ask, NO_JOINT),
        }
    }
    measured.metrics.extend(classifier.measures().into_iter().chain(noticed));
    Ok(measured)
}

impl ClassificationData {
    /// Adds what the predictions of the test examples give, and the sizes.
    pub(crate) fn measured_on_test(&self, measured: &mut Measured, predicted: &[u32], ask: &Ask) {
        let hits = hits(predicted, &self.test);
        chance::of_classes(measured, ask, (&self.test.labels, predicted), self.test.classes);
        if ask.picture || OF_CONFUSION.iter().any(|metric| ask.names(metric)) {
            let confusion = Confusion::of(&self.test.labels, predicted, &self.names);
            for (metric, score) in confusion.scores() {
                match score {
                    Ok(value) if ask.names(metric) => measured.scalar(metric, value),
                    Ok(_) => {}
                    Err(why) => measured.lacks([metric], ask, why),
                }
            }
            measured.picture = ask.picture.then_some(Picture::Confusion(confusion));
        }
        if ask.predictions {
            let numbers = |classes: &[u32]| classes.iter().map(|&class| class.into()).collect();
            let (truth, predicted) = (numbers(&self.test.labels), numbers(predicted));
            let predictions = Predictions::new(self.overlap.tested(), truth, predicted);
            let classes = self.names.clone();
            measured.predictions = Some(Predictions { classes, ..predictions });
        }
        measured.scalar(&TEST_ACCURACY, mean(&hits));
        let wrong: Vec<f64> = hits.iter().map(|hit| 1.0 - hit).collect();
        measured.scalar(&TEST_ERROR, mean(&wrong));
        measured.examples.insert(&TEST_ERROR, wrong);
        measured.examples.insert(&TEST_ACCURACY, hits);
        let (train, test) = (&self.train, &self.test);
        measured.sizes(train.examples.variables(), train.labels.len(), test.labels.len());
        measured.scalar(&CLASSES, train.classes as f64);
    }

    /// Adds what the probabilities of the classes of the test examples give, and what their scores do, if there are any.
    pub(crate) fn measured_by_class(
        &self,
        measured: &mut Measured,
        [probabilities, scores]: [Option<&Array2<f64>>; 2],
        ask: &Ask,
    ) {
        let labels = &self.test.labels;
        if let (Some(kept), Some(table)) = (&mut measured.predictions, scores) {
            kept.scores = table.iter().copied().collect();
        }
        let why = "it gives no probabilities of classes";
        match probabilities {
            Some(table) => probabilities::measured(measured, table.view(), labels, ask),
            None => measured.lacks(OF_PROBABILITIES.iter().copied(), ask, why),
        }
        match scores {
            Some(table) => {
                probabilities::ranked(measured, table.view(), (labels, &self.names), ask);
            }
            None => measured.lacks(OF_SCORES.iter().copied(), ask, why),
        }
    }

    /// Adds what training examples give away of the test examples.
    pub(crate) fn measured_overlap(&self, measured: &mut Measured, ask: &Ask) {
        let Self { train, test, overlap, .. } = self;
        let labels =
            Labels::Classes { train: &train.labels, test: &test.labels, classes: test.classes };
        overlap.measured(measured, ask, (&train.examples, &test.examples), &labels);
    }
}

/// Adds what the predictions of the training examples give.
pub(crate) fn measured_on_train(measured: &mut Measured, hits: &[f64]) {
    measured.scalar(&TRAIN_ACCURACY, mean(hits));
    let wrong: Vec<f64> = hits.iter().map(|hit| 1.0 - hit).collect();
    measured.scalar(&TRAIN_ERROR, mean(&wrong));
}

const NO_JOINT: &str =
    "it models no probability of an example together with its class, or can't normalise it here";

/// 1 for each example whose class is predicted, 0 for each other.
pub(crate) fn hits(predicted: &[u32], examples: &Labelled) -> Vec<f64> {
    let hit = |(predicted, class): (&u32, &u32)| f64::from(predicted == class);
    predicted.iter().zip(&examples.labels).map(hit).collect()
}

#[cfg(test)]
mod tests;
