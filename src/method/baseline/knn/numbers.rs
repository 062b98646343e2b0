//! Nearest neighbours among rows of numbers, each with one vote.

use super::BOUNDARY_TIES;
use crate::shared::prediction::{check_variables, highest};
use crate::shared::scales::check_scales;
use contract::numeric::NumericRows;
use contract::{Classifier, Context, Examples, FitError, Labelled, Measure, Prediction};

/// Examples between two looks at the clock.
const CHUNK: usize = 64;

/// The training examples.
#[derive(Debug)]
pub struct Numbers {
    k: usize,
    rows: NumericRows,
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
    pub fn new(train: &Labelled, k: usize) -> Result<Self, FitError> {
        super::enough(train.labels.len(), k)?;
        let rows = train.numeric()?;
        check_scales(rows)?;
        let (rows, labels) = (rows.clone(), train.labels.clone());
        Ok(Self { k, rows, labels, classes: train.classes })
    }

    /// The vote about each example. Time O(N n) an example.
    fn votes(&self, examples: &Examples, context: &Context) -> Result<Vec<Vote>, FitError> {
        check_variables(examples, self.rows.columns(), "the neighbours are")?;
        let asked = examples.numeric()?;
        let chunks = context.cores.map_chunks(asked.len(), CHUNK, Vec::new, |near, range| {
            context.check()?;
            Ok(range.map(|row| self.vote(asked.row(row), near)).collect::<Vec<Vote>>())
        });
        Ok(chunks
            .into_iter()
            .collect::<Result<Vec<_>, FitError>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    fn vote(&self, asked: &[f64], near: &mut Vec<(f64, u32)>) -> Vote {
        near.clear();
        near.extend(self.rows.iter().zip(0..).map(|(row, at)| {
            let squares = row.iter().zip(asked).map(|(a, b)| (a - b) * (a - b));
            (squares.sum::<f64>(), at)
        }));
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let (nearer, last, beyond) = near.select_nth_unstable_by(self.k - 1, order);
        let mut of_class = vec![0.0; self.classes];
        for (_, row) in nearer.iter().chain([&*last]) {
            of_class[self.labels[*row as usize] as usize] += 1.0;
        }
        Vote { of_class, tied: beyond.iter().any(|(distance, _)| *distance == last.0) }
    }
}

impl Classifier for Numbers {
    /// Notices the share of the examples that have a tie at the boundary.
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction, FitError> {
        let votes = self.votes(examples, context)?;
        let tied = votes.iter().filter(|vote| vote.tied).count();
        let share = tied as f64 / votes.len() as f64;
        Ok(Prediction {
            classes: votes.iter().map(|vote| highest(&vote.of_class)).collect(),
            noticed: vec![(&BOUNDARY_TIES, Measure::Scalar(share))],
        })
    }

    /// By how large a part of the neighbours class 1 wins.
    fn decision_values(
        &self,
        examples: &Examples,
        context: &Context,
    ) -> Result<Option<Vec<f64>>, FitError> {
        if self.classes != 2 {
            return Ok(None);
        }
        let votes = self.votes(examples, context)?;
        let lead = |vote: &Vote| (vote.of_class[1] - vote.of_class[0]) / self.k as f64;
        Ok(Some(votes.iter().map(lead).collect()))
    }
}
