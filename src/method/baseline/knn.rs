//! k nearest neighbours in Euclidean distance, each with one vote.
//!
//! Between rows of bits the squared Euclidean distance is the number of bits that differ, so distances
//! are compared as whole numbers.

mod nearest;
mod search;

use std::sync::OnceLock;

use contract::parameter::{Default, Domain, Parameter, Parameters};
use contract::{
    Carry, Classifier, Context, Examples, Fit, FitError, Labelled, Measure, MethodEntry,
};
use nearest::Nearest;
use search::Search;

/// The registry's entry.
pub static KNN: MethodEntry = MethodEntry {
    kind: "knn",
    summary: "k nearest neighbours in Euclidean distance, one vote each",
    source: "Cover and Hart 1967; as scikit-learn's KNeighborsClassifier",
    revision: 1,
    parameters: &[Parameter {
        name: "k",
        domain: Domain::Integer { least: 1, most: 1_000_000 },
        default: Default::Integer(5),
        meaning: "number of neighbours that vote; of equally far ones those that come first in training \
                  are the nearer, and of classes with equally many votes the first wins",
    }],
    along: &[],
    cost: |_, shape| 1e-12 * shape.examples as f64 * shape.entries as f64,
    fits: &[Fit::Classification(fit)],
};

fn fit(
    parameters: &Parameters,
    train: &Labelled,
    _: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>, FitError> {
    Ok(Box::new(Knn::new(train, parameters.count("k"))?))
}

/// The training examples, ready to be searched. Packed rows are shared, not copied; of sparse rows an
/// inverted index is made, or packed rows where these are searched faster.
#[derive(Debug)]
pub struct Knn {
    k: usize,
    search: Search,
    labels: Vec<u32>,
    classes: usize,
    /// Share of the first examples predicted, those of the test, that have a tie at the boundary.
    boundary_ties: OnceLock<f64>,
}

impl Knn {
    /// Neighbours among these examples.
    ///
    /// # Errors
    /// If there are fewer than k examples, or more than 4,294,967,295.
    pub fn new(train: &Labelled, k: usize) -> Result<Self, FitError> {
        let examples = train.labels.len();
        if examples < k {
            return Err(FitError::Failed(format!(
                "k = {k} neighbours can't be found among {examples} training examples; lower `k`"
            )));
        }
        if u32::try_from(examples).is_err() {
            return Err(FitError::Failed("more than 4,294,967,295 training examples".to_owned()));
        }
        let search = Search::new(&train.examples);
        let (labels, classes) = (train.labels.clone(), train.classes);
        Ok(Self { k, search, labels, classes, boundary_ties: OnceLock::new() })
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
    ) -> Result<Vec<(u32, bool)>, FitError> {
        self.search.map_nearest(
            examples,
            self.k,
            context,
            || vec![0; self.classes],
            |votes, nearest| (self.vote(nearest, votes), nearest.tied()),
        )
    }
}

impl Classifier for Knn {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<u32>, FitError> {
        let found = self.neighbours_vote(examples, context)?;
        let tied = found.iter().filter(|(_, tied)| *tied).count();
        self.boundary_ties.get_or_init(|| tied as f64 / found.len() as f64);
        Ok(found.into_iter().map(|(class, _)| class).collect())
    }

    fn measures(&self) -> Vec<(&'static str, Measure)> {
        let ties = self.boundary_ties.get().copied();
        ties.map(|share| ("boundary_ties", Measure::Scalar(share))).into_iter().collect()
    }
}

#[cfg(test)]
mod tests;
