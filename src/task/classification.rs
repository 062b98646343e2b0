//! Classification: learn from labelled examples, predict the classes of others.

use std::time::Instant;

use super::measure::Measured;
use crate::data::split::Division;
use crate::data::{Dataset, Examples, Vocabulary};
use crate::method::parameter::Parameters;
use crate::method::{Carry, Classifier, Context, FitClassifier, FitError, Labelled};

/// The examples of one split of one problem.
#[derive(Debug)]
pub struct ClassificationData {
    /// Training examples.
    pub train: Labelled,
    /// Validation examples; may be empty.
    pub valid: Labelled,
    /// Test examples.
    pub test: Labelled,
}

/// Which classes a classifier tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What `trials.csv` calls it; empty where it is the only one.
    pub name: String,
    /// The classes, indices into those of the dataset, ascending.
    pub classes: Vec<u32>,
}

impl Problem {
    /// All classes at once.
    pub fn whole(classes: &[String]) -> Self {
        Self { name: String::new(), classes: (0..classes.len() as u32).collect() }
    }

    /// Every pair of classes, `first/second`, the first slowest.
    pub fn pairs(classes: &[String]) -> Vec<Self> {
        let count = classes.len() as u32;
        (0..count)
            .flat_map(|one| (one + 1..count).map(move |other| vec![one, other]))
            .map(|pair| Self {
                name: format!("{}/{}", classes[pair[0] as usize], classes[pair[1] as usize]),
                classes: pair,
            })
            .collect()
    }
}

impl ClassificationData {
    /// The examples of a division that are of a problem's classes, with the variables that the dataset's
    /// vocabulary keeps; `labels` are those of the dataset's examples.
    pub fn new(dataset: &Dataset, labels: &[u32], division: &Division, problem: &Problem) -> Self {
        let of_problem = |examples: &[usize]| -> Vec<usize> {
            let inside = |example: &usize| problem.classes.contains(&labels[*example]);
            examples.iter().copied().filter(inside).collect()
        };
        let train = of_problem(&division.train);
        let vocabulary = match dataset.vocabulary {
            Vocabulary::Fixed => None,
            Vocabulary::Problem => Some(occurring(&dataset.examples, &train)),
            Vocabulary::Training => Some(occurring(&dataset.examples, &division.train)),
        };
        let labelled = |examples: &[usize]| {
            let class = |&example: &usize| {
                let class = problem.classes.binary_search(&labels[example]);
                class.map_or(0, |class| class as u32)
            };
            let rows = dataset.examples.select(examples);
            Labelled {
                examples: match &vocabulary {
                    Some(kept) => restricted(&rows, kept),
                    None => rows,
                },
                labels: examples.iter().map(class).collect(),
                classes: problem.classes.len(),
                known_blocks: dataset.known_blocks.clone(),
            }
        };
        Self {
            train: labelled(&train),
            valid: labelled(&of_problem(&division.valid)),
            test: labelled(&of_problem(&division.test)),
        }
    }
}

/// The new index of each variable that is one in some of the examples, in the variables' order; none for
/// the others.
fn occurring(rows: &Examples, examples: &[usize]) -> Vec<Option<u32>> {
    let mut occurs = vec![false; rows.variables()];
    for &example in examples {
        match rows {
            Examples::Binary(rows) => {
                rows.row(example).iter().for_each(|&one| occurs[one as usize] = true);
            }
            Examples::Packed(rows) => {
                crate::data::packed::ones_of(rows.row(example))
                    .for_each(|one| occurs[one as usize] = true);
            }
        }
    }
    let mut kept = 0;
    let index = |occurs: bool| {
        kept += u32::from(occurs);
        occurs.then(|| kept - 1)
    };
    occurs.into_iter().map(index).collect()
}

/// The examples without the variables that are not kept.
fn restricted(rows: &Examples, kept: &[Option<u32>]) -> Examples {
    let sparse;
    let rows = match rows {
        Examples::Binary(rows) => rows,
        Examples::Packed(rows) => {
            sparse = rows.to_sparse();
            &sparse
        }
    };
    Examples::Binary(rows.renamed(kept))
}

/// Fits one configuration and predicts; the training examples only if `score_train`.
///
/// # Errors
/// The method's own; or if there is nothing to learn from, or to predict.
pub fn measure(
    fit: FitClassifier,
    parameters: &Parameters,
    data: &ClassificationData,
    score_train: bool,
    context: &Context,
    carry: &mut Carry,
) -> Result<Measured, FitError> {
    for (part, examples) in [("training", &data.train), ("test", &data.test)] {
        if examples.labels.is_empty() {
            return Err(FitError::Failed(format!("the split has no {part} examples")));
        }
    }
    let mut measured = Measured::default();
    let start = Instant::now();
    let classifier = fit(parameters, &data.train, context, carry)?;
    measured.times.insert("time:fit".to_owned(), start.elapsed().as_secs_f64());
    let start = Instant::now();
    let correct = correct(classifier.as_ref(), &data.test, context)?;
    measured.times.insert("time:predict".to_owned(), start.elapsed().as_secs_f64());
    let mut score = |part: &str, correct: &[f64]| {
        let hits: f64 = correct.iter().sum();
        let total = correct.len() as f64;
        measured.scalar(&format!("{part}_accuracy"), hits / total);
        if part != "valid" {
            measured.scalar(&format!("{part}_error"), (total - hits) / total);
        }
    };
    score("test", &correct);
    if !data.valid.labels.is_empty() {
        score("valid", &self::correct(classifier.as_ref(), &data.valid, context)?);
    }
    if score_train {
        score("train", &self::correct(classifier.as_ref(), &data.train, context)?);
    }
    for (name, value) in [
        ("variables", data.train.examples.variables()),
        ("train_examples", data.train.labels.len()),
        ("test_examples", data.test.labels.len()),
        ("classes", data.train.classes),
    ] {
        measured.scalar(name, value as f64);
    }
    measured
        .metrics
        .extend(classifier.measures().into_iter().map(|(name, value)| (name.to_owned(), value)));
    measured.examples.insert("test_accuracy".to_owned(), correct);
    Ok(measured)
}

/// 1 for each example whose class is predicted, 0 for each other.
fn correct(
    classifier: &dyn Classifier,
    examples: &Labelled,
    context: &Context,
) -> Result<Vec<f64>, FitError> {
    let predicted = classifier.predict(&examples.examples, context)?;
    let hit = |(predicted, class): (u32, &u32)| f64::from(u8::from(predicted == *class));
    Ok(predicted.into_iter().zip(&examples.labels).map(hit).collect())
}
