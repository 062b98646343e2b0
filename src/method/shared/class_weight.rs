//! How much the loss of an example counts, by its class.

use contract::{FitError, Labelled, Result, words};

words! {
    /// How much the loss of an example counts.
    pub enum ClassWeight {
        None = "none", "as much as that of any other";
        Balanced = "balanced",
            "n / (k m) times, with n training examples of k classes, m of them of its class; the classes count alike then";
    }
}

impl ClassWeight {
    /// The classes with training examples, ascending, and how much the loss of an example of each counts.
    ///
    /// # Errors
    /// If there are no examples.
    pub fn of(self, train: &Labelled) -> Result<(Vec<u32>, Vec<f64>)> {
        let mut counts = vec![0; train.classes];
        train.labels.iter().for_each(|&class| counts[class as usize] += 1);
        let classes: Vec<u32> =
            (0..train.classes as u32).filter(|&class| counts[class as usize] > 0).collect();
        if classes.is_empty() {
            return Err(FitError::NoExamples);
        }
        let weight = |&class: &u32| match self {
            Self::None => 1.0,
            Self::Balanced => {
                train.labels.len() as f64 / (classes.len() * counts[class as usize]) as f64
            }
        };
        let weights = classes.iter().map(weight).collect();
        Ok((classes, weights))
    }
}
