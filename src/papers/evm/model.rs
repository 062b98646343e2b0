//! The mixture of EVMs as a distribution: its parameters, their estimate from counts (Niepert and Domingos 2014,
//! theorem 4.2), and the probability of a row.

use std::sync::Arc;

use super::smoothing::Smoothing;
use super::structure::Structure;
use base::parallel::Cores;
use contract::binary::BinaryRows;
use contract::{DensityModel, Measure, Reported, metrics};
use math::special::ln;
use math::vector;
use method::metrics::PARAMETERS;
use method::shared::em;

metrics! {
    pub BLOCKS: Model = "blocks", "Blocks",
        "number of exchangeable blocks; a sample over the partitions of components or classes";
}

/// A mixture of EVMs (definition 4.1):
///
/// ```text
/// P(y, x) = p(y) Π_X q_X(n_X(x) | y) / C(|X|, n_X(x))
/// ```
///
/// over the blocks X into which component y parts the variables, n_X(x) being the number of ones of x in X. Every
/// probability is positive.
#[derive(Debug, Clone, PartialEq)]
pub struct Mevm {
    /// The structure: for each component a partition of the variables.
    pub structure: Arc<Structure>,
    /// ln p(y).
    pub(super) log_priors: Vec<f64>,
    /// For each slot, that of ℓ ones in a block of m: ln q(ℓ | y) - ln C(m, ℓ), the log-probability
    /// of each one of the block's states with ℓ ones.
    pub(super) log_states: Vec<f64>,
    /// ln P(y, no ones at all).
    base: Vec<f64>,
    /// What one more one in a block adds, by the slot before.
    gains: Vec<f64>,
}

impl Mevm {
    /// The smoothed maximum-likelihood estimate (theorem 4.2, and step 3 of Algorithm 1) from the expected number
    /// of examples of each component and, for each slot, of examples with that number of ones:
    /// q_X(ℓ | y) = Σ_i [n_X(x_i) = ℓ] δ(y | i) / Σ_i δ(y | i).
    pub(super) fn estimate(
        structure: Arc<Structure>,
        log_priors: Vec<f64>,
        totals: &[f64],
        histogram: &[f64],
        smoothing: &Smoothing,
    ) -> Self {
        let mut log_states = histogram.to_vec();
        for y in 0..structure.components() {
            for block in structure.blocks(y) {
                smoothing.add_to(&mut log_states[block]);
            }
        }
        vector::ln(&mut log_states);
        let mut base = log_priors.clone();
        let mut gains = vec![0.0; structure.slots];
        for (y, base) in base.iter_mut().enumerate() {
            for block in structure.blocks(y) {
                let states = &mut log_states[block.clone()];
                let norm = ln(totals[y] + smoothing.constant * states.len() as f64);
                let size = states.len() - 1;
                for (ones, state) in states.iter_mut().enumerate() {
                    *state -= norm + smoothing.log_binomial(size, ones);
                }
                *base += states[0];
                for (gain, pair) in gains[block].iter_mut().zip(states.windows(2)) {
                    *gain = pair[1] - pair[0];
                }
            }
        }
        Self { structure, log_priors, log_states, base, gains }
    }

    /// Writes ln P(y, x) of every component, and moves each block's position to the slot of its
    /// number of ones.
    #[inline]
    pub(super) fn log_joint(&self, ones: &[u32], positions: &mut [u32], out: &mut [f64]) {
        if self.structure.has_fewer_blocks(ones.len()) {
            self.structure.count(ones, positions);
            return self.log_joint_at(positions, out);
        }
        self.log_joint_of(ones.iter().copied(), positions, out);
    }

    /// Writes ln P(y, x) of every component from the slots of its blocks' numbers of ones.
    #[inline]
    pub(super) fn log_joint_at(&self, positions: &[u32], out: &mut [f64]) {
        for (y, (value, prior)) in out.iter_mut().zip(&self.log_priors).enumerate() {
            let ends = &positions[self.structure.numbers(y)];
            *value = ends.iter().fold(*prior, |sum, &end| sum + self.log_states[end as usize]);
        }
    }

    /// Writes ln P(y, x) of every component by a walk over the ones, and moves positions along.
    #[inline]
    pub(super) fn log_joint_of(
        &self,
        ones: impl Iterator<Item = u32>,
        positions: &mut [u32],
        out: &mut [f64],
    ) {
        out.copy_from_slice(&self.base);
        for one in ones {
            for (value, &block) in out.iter_mut().zip(self.structure.blocks_of(one)) {
                let position = &mut positions[block as usize];
                *value += self.gains[*position as usize];
                *position += 1;
            }
        }
    }
}

impl DensityModel for Mevm {
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64> {
        let structure = &*self.structure;
        let scratch = || (structure.starts.to_vec(), vec![0.0; structure.components()]);
        cores.each(rows.len(), 1024, scratch, |(positions, joint), index| {
            let ones = rows.row(index);
            self.log_joint(ones, positions, joint);
            structure.reset(ones, positions);
            em::posterior(joint)
        })
    }

    fn measures(&self) -> Reported {
        let k = self.structure.components();
        let blocks = self.structure.partitions.iter().map(|p| p.blocks as f64).collect();
        let free = k + k * self.structure.variables() - 1;
        vec![(&BLOCKS, Measure::Sample(blocks)), (&PARAMETERS, Measure::Scalar(free as f64))]
    }
}
