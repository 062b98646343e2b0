//! Mutual information of binary variables.

use crate::special::ln;

/// c ln c of the counts c out of N.
#[derive(Debug, Clone)]
pub struct EntropyTerms(Vec<f64>);

impl EntropyTerms {
    /// Of the counts 0 to `examples`.
    pub fn new(examples: u32) -> Self {
        let term = |count| if count == 0 { 0.0 } else { f64::from(count) * ln(f64::from(count)) };
        Self((0..=examples).map(term).collect())
    }

    /// That of one count.
    pub fn of(&self, count: u32) -> f64 {
        self.0[count as usize]
    }
}

/// Mutual information of two binary variables from their counts.
#[derive(Debug)]
pub struct Information {
    examples: u32,
    terms: EntropyTerms,
}

impl Information {
    /// For counts out of so many examples.
    pub fn new(examples: u32) -> Self {
        Self { examples, terms: EntropyTerms::new(examples) }
    }

    /// N times the mutual information in nats, of variables with `a` and `b` ones, `both` of them
    /// in the same example. Symmetric in its first two arguments, bit for bit.
    pub fn of(&self, a: u32, b: u32, both: u32) -> f64 {
        let n = self.examples;
        if a == 0 || a == n || b == 0 || b == n {
            return 0.0;
        }
        let f = |count: u32| self.terms.of(count);
        // N - a - b + both cannot be negative, but its first terms can.
        let neither = n - (a - both) - b;
        let cells = (f(both) + f(neither)) + (f(a - both) + f(b - both));
        let margins = (f(a) + f(n - a)) + (f(b) + f(n - b));
        (cells - margins) + f(n)
    }
}
