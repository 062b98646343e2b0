//! Samples by their sufficient statistics.

/// The mean, such as the share of ones among zeros and ones: their sum, from the first on, over their number. NaN of none.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Size, mean and sum of squared deviations of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sample {
    /// Number of values.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// Sum of squared deviations from the mean.
    pub m2: f64,
}

impl Sample {
    /// Adds one value (Welford's update).
    pub fn push(&mut self, value: f64) {
        self.n += 1;
        let delta = value - self.mean;
        self.mean += delta / self.n as f64;
        self.m2 += delta * (value - self.mean);
    }

    /// The two samples as one (Chan, Golub and LeVeque's pairwise update).
    #[must_use]
    pub fn pooled(self, other: Self) -> Self {
        if self.n == 0 || other.n == 0 {
            return if self.n == 0 { other } else { self };
        }
        let n = self.n + other.n;
        let delta = other.mean - self.mean;
        let share = other.n as f64 / n as f64;
        Self {
            n,
            mean: self.mean + delta * share,
            m2: self.m2 + other.m2 + delta * delta * self.n as f64 * share,
        }
    }

    /// Standard deviation with n - 1; none for fewer than two values.
    pub fn sd(&self) -> Option<f64> {
        (self.n > 1).then(|| (self.m2 / (self.n - 1) as f64).sqrt())
    }
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sample = Self::default();
        values.into_iter().for_each(|value| sample.push(value));
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pooling_equals_one_pass() {
        let values = [3.0, 1.5, -2.0, 8.25, 0.5];
        let whole: Sample = values.into_iter().collect();
        let (left, right) = values.split_at(2);
        let pooled =
            left.iter().copied().collect::<Sample>().pooled(right.iter().copied().collect());
        assert_eq!(pooled.n, 5);
        assert!((pooled.mean - whole.mean).abs() < 1e-12);
        assert!((pooled.m2 - whole.m2).abs() < 1e-12);
        // By hand: mean 2.25, squares 0.5625 + 0.5625 + 18.0625 + 36 + 3.0625 = 58.25, over 4.
        assert!((whole.sd().unwrap() - 14.5625_f64.sqrt()).abs() < 1e-12);
    }
}
