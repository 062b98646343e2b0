//! Assumed density filtering for weights: section 3 and appendix C of the paper, equations (14)-(20) and
//! (41)-(47). Each example is seen once, so the result depends on their order. O(N k²) time.

use contract::{FitError, Result};
use math::matrix::Matrix;
use math::vector::{add_scaled, dot};

use super::step::Step;
use super::weights::Inputs;

/// St(w; v, mean, scale).
#[derive(Debug, Clone)]
pub struct Filtered {
    /// Location.
    pub mean: Vec<f64>,
    /// Scale matrix, both triangles.
    pub scale: Matrix,
}

impl Filtered {
    /// The prior: location zero, scale matrix `prior_variance` I.
    pub fn prior(dimensions: usize, prior_variance: f64) -> Self {
        Self {
            mean: vec![0.0; dimensions],
            scale: Matrix::from_diagonal(&vec![prior_variance; dimensions]),
        }
    }

    /// Takes up the examples in order.
    ///
    /// # Errors
    /// If the scale matrix is no longer positive definite.
    pub fn learn(&mut self, inputs: &Inputs, step: &Step) -> Result<()> {
        let mut along = vec![0.0; self.mean.len()];
        for (example, &y) in inputs.signs.iter().enumerate() {
            self.update(inputs.rows.row(example), y, step, &mut along).ok_or_else(|| {
                FitError::NoSolution(format!(
                    "the scale matrix is not positive definite after example {} of {}",
                    example + 1,
                    inputs.signs.len()
                ))
            })?;
        }
        Ok(())
    }

    /// Takes up an example: (41) and (42), that is
    /// mu' = mu + y a Sigma x / sqrt(s), Sigma' = r Sigma - (r - s'/s) Sigma x (Sigma x)' / s.
    fn update(&mut self, x: &[f64], y: f64, step: &Step, along: &mut [f64]) -> Option<()> {
        self.scale.times(x, along);
        let variance = dot(x, along);
        if variance == 0.0 {
            // An input of zeros says nothing.
            return Some(());
        }
        let root = variance.sqrt();
        let tilted = step.tilt(y * dot(x, &self.mean) / root);
        add_scaled(&mut self.mean, y * tilted.shift / root, along);
        let shrink = (tilted.ratio - (1.0 - tilted.shrink)) / variance;
        for row in 0..along.len() {
            let factor = -shrink * along[row];
            for (element, other) in self.scale.row_mut(row).iter_mut().zip(&*along) {
                *element = tilted.ratio * *element + factor * other;
            }
        }
        (variance > 0.0 && tilted.shrink < 1.0 && tilted.ratio > 0.0).then_some(())
    }
}

#[cfg(test)]
mod tests;
