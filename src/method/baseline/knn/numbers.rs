//! Nearest neighbours among rows of numbers, each with one vote.

use super::BOUNDARY_TIES;
use super::neighbours::{Neighbour, Neighbours};
use crate::shared::prediction::highest;
use contract::{Classifier, Context, Examples, Labelled, Measure, Prediction, Result};
use ndarray::Array2;

/// The training examples.
#[derive(Debug)]
pub struct Numbers {
    neighbours: Neighbours,
    labels: Vec<u32>,
    classes: usize,
}

/// What the neighbours of an example say.
struct Vote {
    /// Of each class the number of neighbours.
    of_class: Vec<f64>,
    /// Whether a training example beyond them is as near as the farthest.
    tied: bool,
}

impl Numbers {
    /// Neighbours among these examples.
    ///
    /// # Errors
    /// If there are fewer than k examples, they are no numbers, or their squares are none.
    pub fn new(train: &Labelled, k: usize) -> Result<Self> {
        let neighbours = Neighbours::new(train.examples.numeric()?, k)?;
        Ok(Self { neighbours, labels: train.labels.clone(), classes: train.classes })
    }

    /// The vote about each example. Time O(N n) an example.
    fn votes(&self, examples: &Examples, context: &Context) -> Result<Vec<Vote>> {
        self.neighbours.map(examples, context, |nearest: &mut [Neighbour], tied| {
            let mut of_class = vec![0.0; self.classes];
            for (_, row) in nearest.iter() {
                of_class[self.labels[*row as usize] as usize] += 1.0;
            }
            Vote { of_class, tied }
        })
    }
}

impl Classifier for Numbers {
    /// Notices the share of the examples that have a tie at the boundary.
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let votes = self.votes(examples, context)?;
        let tied = votes.iter().filter(|vote| vote.tied).count();
        let share = tied as f64 / votes.len() as f64;
        Ok(Prediction {
            classes: votes.iter().map(|vote| highest(&vote.of_class)).collect(),
            noticed: vec![(&BOUNDARY_TIES, Measure::Scalar(share))],
        })
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let (votes, k) = (self.votes(examples, context)?, self.neighbours.k() as f64);
        let share = |(row, class): (usize, usize)| votes[row].of_class[class] / k;
        Ok(Some(Array2::from_shape_fn((votes.len(), self.classes), share)))
    }

    /// By how large a part of the neighbours class 1 wins.
    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        if self.classes != 2 {
            return Ok(None);
        }
        let votes = self.votes(examples, context)?;
        let k = self.neighbours.k() as f64;
        let lead = |vote: &Vote| (vote.of_class[1] - vote.of_class[0]) / k;
        Ok(Some(votes.iter().map(lead).collect()))
    }
}
