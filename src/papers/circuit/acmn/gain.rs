//! What two new features gain while all other weights stay.
//!
//! ```text
//! max over d:  n (Σ_y d_y p̂_y - ln (1 + Σ_y p_y (e^d_y - 1))) - L1 Σ_y |d_y| - Σ_y d_y² / (2 s)
//! ```

use std::convert::Infallible;

use math::orthant::{Limits, maximise};
use math::special::{exp, exp_m1, ln_1p};

const LIMITS: Limits = Limits { steps: 200, gain: 1e-12 };

/// New features of disjoint events: how often they hold in the data and under the model.
#[derive(Debug, Clone)]
pub struct New {
    /// n.
    pub examples: f64,
    /// p̂ and p of each.
    pub of: Vec<(f64, f64)>,
}

impl New {
    /// The value at d without the L1 penalty, and its derivatives.
    fn at(&self, d: &[f64], variance: f64) -> (f64, Vec<f64>) {
        let parts = || d.iter().zip(&self.of);
        let total = parts().map(|(d, (_, p))| p * exp_m1(*d)).sum::<f64>();
        let part =
            |(d, (seen, _)): (&f64, &(f64, f64))| self.examples * d * seen - 0.5 * d * d / variance;
        let slope = |(d, (seen, p)): (&f64, &(f64, f64))| {
            self.examples * (seen - p * exp(*d) / (1.0 + total)) - d / variance
        };
        let value = parts().map(part).sum::<f64>() - self.examples * ln_1p(total);
        (value, parts().map(slope).collect())
    }

    /// The largest gain, and the weights that give it.
    pub fn best(&self, l1: f64, variance: f64) -> (f64, Vec<f64>) {
        let mut d = vec![0.0; self.of.len()];
        let at = |d: &[f64]| Ok::<_, Infallible>(self.at(d, variance));
        let Ok(gain) = maximise(&mut d, l1, LIMITS, at);
        (gain, d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid around what is found has nothing higher.
    #[test]
    fn nothing_around_is_higher() {
        let mut random = math::random::Random::new(base::digest::Digest::of(b"gains"));
        let mut zeros = 0;
        for _ in 0..2000 {
            let p = random.uniform();
            let mut part = || {
                let share = random.uniform();
                [p * share, p * (1.0 - share)]
            };
            let (seen, model) = (part(), part());
            let mut of = vec![(seen[0], model[0]), (seen[1], model[1])];
            of.truncate(1 + random.below(2));
            let new = New { examples: 10.0 + 1e4 * random.uniform(), of };
            let absolute = 20.0 * random.uniform();
            let variance = 0.1 + random.uniform();
            let (gain, d) = new.best(absolute, variance);
            let at = |d: &[f64]| {
                let cost = d.iter().map(|d| absolute * d.abs()).sum::<f64>();
                new.at(d, variance).0 - cost
            };
            zeros += usize::from(d.contains(&0.0));
            assert!(gain >= 0.0 && (at(&d) - gain).abs() < 1e-12);
            for (place, width) in (0..d.len()).flat_map(|place| [(place, 1e-3), (place, 0.03)]) {
                for step in [-width, width] {
                    let mut other = d.clone();
                    other[place] += step;
                    assert!(at(&other) <= gain + 1e-7, "{new:?} {d:?}: {gain} {}", at(&other));
                }
            }
        }
        assert!(zeros > 100, "{zeros}");
    }
}
