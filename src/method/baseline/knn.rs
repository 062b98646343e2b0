//! k nearest neighbours in Euclidean distance, each with one vote. This file has those among rows of bits, `numbers`
//! those among rows of numbers, `regression` means of their targets.
//!
//! Between rows of bits the squared Euclidean distance is the number of bits that differ, so distances
//! are compared as whole numbers.

mod nearest;
mod neighbours;
mod numbers;
pub mod regression;
mod search;

use contract::parameter::{Count, parameters};
use contract::{
    Classifier, Context, Examples, Fit, FitError, Labelled, Measure, MethodEntry, Prediction,
    Result, metrics,
};
use ndarray::Array2;
use nearest::Nearest;
use search::Search;

metrics! {
    pub BOUNDARY_TIES: Training = "boundary_ties", "Ties at the boundary",
        "share of the test examples with a training example beyond the k nearest at the distance of the k-th";
}

const K: Count = Count::within(
    "k",
    1..=1_000_000,
    5,
    "number of neighbours that vote; of equally far ones those that come first in training are \
     the nearer, and of classes with equally many votes the first wins",
);

/// The registry's entry.
pub static KNN: MethodEntry = MethodEntry {
    kind: "knn",
    summary: "k nearest neighbours in Euclidean distance, one vote each",
    source: "Cover and Hart 1967; as scikit-learn's KNeighborsClassifier",
    parameters: parameters![K],
    reports: &[&BOUNDARY_TIES],
    probabilities: true,
    cost: |_, shape| 3e-11 * shape.examples as f64 * shape.entries as f64,
    fits: &[
        Fit::Classification(|parameters, train, _, _| {
            Ok(Box::new(Knn::new(train, parameters.get(&K))?))
        }),
        Fit::Numeric(|parameters, train, _, _| {
            Ok(Box::new(numbers::Numbers::new(train, parameters.get(&K))?))
        }),
    ],
    ..MethodEntry::PLAIN
};

/// Refuses fewer examples than neighbours, and more than can be counted.
fn enough(examples: usize, k: usize) -> Result<()> {
    if examples < k {
        return Err(FitError::Failed(format!(
            "k = {k} neighbours can't be found among {examples} training examples; lower `k`"
        )));
    }
    if u32::try_from(examples).is_err() {
        return Err(FitError::TooManyExamples { most: u32::MAX });
    }
    Ok(())
}

/// The training examples, ready to be searched. Packed rows are shared, not copied; of sparse rows an
/// inverted index is made, or packed rows where these are searched faster.
#[derive(Debug)]
pub struct Knn {
    k: usize,
    search: Search,
    labels: Vec<u32>,
    classes: usize,
}

impl Knn {
    /// Neighbours among these examples.
    ///
    /// # Errors
    /// If there are fewer than k examples, or more than 4,294,967,295.
    pub fn new(train: &Labelled, k: usize) -> Result<Self> {
        enough(train.labels.len(), k)?;
        let search = Search::new(train.examples.binary()?);
        let (labels, classes) = (train.labels.clone(), train.classes);
        Ok(Self { k, search, labels, classes })
    }

    /// The class of most votes; of equally many the first.
    fn vote(&self, nearest: &Nearest, votes: &mut [u32]) -> u32 {
        votes.fill(0);
        nearest.rows().for_each(|row| votes[self.labels[row as usize] as usize] += 1);
        let most = votes.iter().copied().max().unwrap_or(0);
        votes.iter().position(|&count| count == most).unwrap_or(0) as u32
    }

    /// For each example its class, and whether a training example beyond the k nearest is as near as
    /// the k-th.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn neighbours_vote(
        &self,
        examples: &Examples,
        context: &Context,
    ) -> Result<Vec<(u32, bool)>> {
        self.search.map_nearest(
            examples.binary()?,
            self.k,
            context,
            || vec![0; self.classes],
            |votes, nearest| (self.vote(nearest, votes), nearest.tied()),
        )
    }
}

impl Classifier for Knn {
    /// Notices the share of the examples that have a tie at the boundary.
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let found = self.neighbours_vote(examples, context)?;
        let tied = found.iter().filter(|(_, tied)| *tied).count();
        let share = tied as f64 / found.len() as f64;
        Ok(Prediction {
            classes: found.into_iter().map(|(class, _)| class).collect(),
            noticed: vec![(&BOUNDARY_TIES, Measure::Scalar(share))],
        })
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let shares = self.search.map_nearest(
            examples.binary()?,
            self.k,
            context,
            || vec![0; self.classes],
            |votes, nearest| {
                self.vote(nearest, votes);
                votes.iter().map(|&votes| f64::from(votes) / self.k as f64).collect::<Vec<f64>>()
            },
        )?;
        let share = |(row, class): (usize, usize)| shares[row][class];
        Ok(Some(Array2::from_shape_fn((shares.len(), self.classes), share)))
    }
}

#[cfg(test)]
mod tests;
