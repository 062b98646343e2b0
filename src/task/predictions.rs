//! What a fitted model answers to each test example.

/// What a fitted model answers to each test example.
#[derive(Debug, Clone, Default)]
pub struct Predictions {
    /// The places of the test examples among those of the dataset, from 0.
    pub rows: Vec<u32>,
    /// Names of the classes; none where targets are numbers.
    pub classes: Vec<String>,
    /// The target of each: the number of its class, or a number.
    pub truth: Vec<f64>,
    /// What the model takes it for.
    pub predicted: Vec<f64>,
    /// A probability or score of each class, example by example; none where the method gives none.
    pub scores: Vec<f64>,
}

/// The same bits: a number that is none equals itself.
impl PartialEq for Predictions {
    fn eq(&self, other: &Self) -> bool {
        let bits = |of: &Self| {
            let numbers = of.truth.iter().chain(&of.predicted).chain(&of.scores);
            numbers.map(|number| number.to_bits()).collect::<Vec<u64>>()
        };
        (&self.rows, &self.classes) == (&other.rows, &other.classes) && bits(self) == bits(other)
    }
}

impl Predictions {
    /// Of test examples in these places, with their targets.
    pub fn new(rows: &[usize], truth: Vec<f64>, predicted: Vec<f64>) -> Self {
        let rows = rows.iter().map(|&row| row as u32).collect();
        Self { rows, truth, predicted, ..Self::default() }
    }

    /// How many numbers they hold, or take the place of.
    pub fn numbers(&self) -> usize {
        let names: usize = self.classes.iter().map(|class| 3 + class.len() / 8).sum();
        3 * self.rows.len() + self.scores.len() + names
    }

    /// Whether all lists are as long as they should be, and the classes are those that there are.
    pub fn are_sound(&self) -> bool {
        let (rows, classes) = (self.rows.len(), self.classes.len());
        let is_class = |value: &f64| value.fract() == 0.0 && (0.0..classes as f64).contains(value);
        [self.truth.len(), self.predicted.len()] == [rows; 2]
            && (self.scores.is_empty() || self.scores.len() == rows * classes)
            && (classes == 0 || self.truth.iter().chain(&self.predicted).all(is_class))
    }
}

/// The most bytes of what results keep of a dataset, and of all.
pub const MOST_KEPT: [u64; 2] = [200_000_000, 1_500_000_000];

/// The bytes of what is kept of one test example: its trial and place, its target and what it is taken for, and scores.
pub fn record_bytes(classes: bool, scores: usize) -> usize {
    let target = if classes { 4 } else { 8 };
    8 + 2 * target + 8 * scores
}
