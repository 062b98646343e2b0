//! The mean target of the k nearest neighbours.

use super::neighbours::{Neighbour, Neighbours};
use contract::parameter::{Count, parameters, settings};
use contract::{Context, Examples, Fit, MethodEntry, Regressor, Result};

settings! {
    K k: Count::within(1..=1_000_000, 5),
        "number of neighbours whose targets are averaged; of equally far ones those that come first in training are the nearer";
}

/// The registry's entry.
pub static KNN_REGRESSION: MethodEntry = MethodEntry {
    kind: "knn-regression",
    summary: "the mean target of the k nearest neighbours in Euclidean distance",
    source: "Altman 1992; as scikit-learn's KNeighborsRegressor",
    parameters: parameters![K],
    cost: |_, shape| 3e-11 * shape.examples as f64 * shape.entries as f64,
    fits: &[Fit::Regression(|parameters, train, _, _| {
        let neighbours = Neighbours::new(train.examples.numeric()?, parameters.get(&K))?;
        Ok(Box::new(Means { neighbours, targets: train.targets.clone() }))
    })],
    ..MethodEntry::PLAIN
};

#[derive(Debug)]
struct Means {
    neighbours: Neighbours,
    targets: Vec<f64>,
}

impl Regressor for Means {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<f64>> {
        let k = self.neighbours.k as f64;
        self.neighbours.map(examples, context, |nearest: &mut [Neighbour], _| {
            // Which of them stands where is not defined, and the order of a sum counts.
            nearest.sort_unstable_by_key(|(_, row)| *row);
            nearest.iter().map(|(_, row)| self.targets[*row as usize]).sum::<f64>() / k
        })
    }
}
