//! What the scores of the splits of a node follow from.

/// What the score of each candidate follows from: whole numbers below 2^53, so exact.
#[derive(Debug, Default)]
pub struct Sums {
    /// The variables that may split the node.
    pub candidates: Vec<u32>,
    /// Of each candidate the sum of h over the classes.
    pub ones: Vec<f64>,
    /// The sum of h².
    pub squares: Vec<f64>,
    /// The sum of c h.
    pub products: Vec<f64>,
}

impl Sums {
    /// Sets the number of candidates; the sums of new ones are zero.
    pub fn resize(&mut self, candidates: usize) {
        for sums in [&mut self.ones, &mut self.squares, &mut self.products] {
            sums.resize(candidates, 0.0);
        }
    }

    /// Adds a class with `size` examples in the node, `ones` of them with a one in a candidate.
    pub fn add(&mut self, candidate: usize, size: usize, ones: u32) {
        let (size, ones) = (size as f64, f64::from(ones));
        self.ones[candidate] += ones;
        self.squares[candidate] += ones * ones;
        self.products[candidate] += size * ones;
    }
}
