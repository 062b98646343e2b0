//! Errors of predicted numbers.

/// Predictions less targets.
pub(crate) struct Errors(Vec<f64>);

impl Errors {
    pub(crate) fn of(predicted: &[f64], targets: &[f64]) -> Self {
        Self(predicted.iter().zip(targets).map(|(predicted, target)| predicted - target).collect())
    }

    pub(crate) fn absolute(&self) -> Vec<f64> {
        self.0.iter().map(|error| error.abs()).collect()
    }

    fn squared(&self) -> f64 {
        self.0.iter().map(|error| error * error).sum()
    }

    /// Root of the mean square.
    pub(crate) fn rmse(&self) -> f64 {
        (self.squared() / self.0.len() as f64).sqrt()
    }

    /// Mean absolute value.
    pub(crate) fn mae(&self) -> f64 {
        self.absolute().iter().sum::<f64>() / self.0.len() as f64
    }

    /// Mean size over that of the targets; none if one of these is 0.
    pub(crate) fn mape(&self, targets: &[f64]) -> Option<f64> {
        let shares = self.0.iter().zip(targets).map(|(error, target)| (error / target).abs());
        (!targets.contains(&0.0)).then(|| shares.sum::<f64>() / targets.len() as f64)
    }

    /// 1 less their squares over those of the targets around their mean; none if the targets are all equal.
    pub(crate) fn r2(&self, targets: &[f64]) -> Option<f64> {
        let first = *targets.first()?;
        if targets.iter().all(|target| *target == first) {
            return None;
        }
        let moved: Vec<f64> = targets.iter().map(|target| target - first).collect();
        let mean = moved.iter().sum::<f64>() / moved.len() as f64;
        let around: f64 = moved.iter().map(|target| (target - mean) * (target - mean)).sum();
        Some(1.0 - self.squared() / around)
    }
}
