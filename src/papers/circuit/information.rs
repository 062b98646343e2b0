//! Mutual information of smoothed counts.

use math::special::ln;

/// Mutual informations of smoothed counts that are no whole numbers.
pub struct Smoothed {
    /// A quarter of the pseudo-examples, and all examples.
    cell: f64,
    total: f64,
    ones: Vec<f64>,
    /// Σ c ln c over both values of each variable.
    margins: Vec<f64>,
}

/// c ln c.
fn term(count: f64) -> f64 {
    if count > 0.0 { count * ln(count) } else { 0.0 }
}

impl Smoothed {
    /// Of variables with so many ones in `total` examples, with `smoothing` pseudo-examples spread evenly over all states.
    pub fn new(ones: &[f64], total: f64, smoothing: f64) -> Self {
        let (ones, total): (Vec<f64>, f64) =
            (ones.iter().map(|ones| ones + smoothing / 2.0).collect(), total + smoothing);
        let margins = ones.iter().map(|&ones| term(ones) + term(total - ones)).collect();
        Self { cell: smoothing / 4.0, total, ones, margins }
    }

    /// N times the mutual information of two variables in nats, symmetric bit for bit; `both` is not smoothed yet.
    pub fn of(&self, a: usize, b: usize, both: f64) -> f64 {
        let both = both + self.cell;
        let [few, many] = [self.ones[a].min(self.ones[b]), self.ones[a].max(self.ones[b])];
        let neither = (self.total - many) - (few - both);
        let cells = (term(both) + term(neither)) + (term(few - both) + term(many - both));
        (cells - (self.margins[a] + self.margins[b])) + term(self.total)
    }
}
