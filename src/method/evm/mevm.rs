//! Mixtures of EVMs: given the latent variable, the variables are partitioned into independent
//! blocks of exchangeable ones (Niepert and Domingos 2014, definition 4.1, Algorithm 1).

use std::sync::Arc;

use crate::evm::conditions::{ALPHA, BESSEL, CONDITIONS, Tests, WelchSample};
use crate::evm::em::{self, Outcome, Settings};
use crate::evm::learner::{MevmLearner, MevmSettings};
use crate::evm::partition::Rule;
use crate::evm::smoothing::{LAPLACE, Smoothing};
use crate::evm::structure::Structure;
use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use contract::parameter::{Default, Domain, Parameter, Parameters};
use contract::{Carry, Context, DensityModel, Fit, FitError, Measure, MethodEntry};
use math::special::ln;
use math::vector;

const PARTITION: Parameter = Parameter {
    name: "partition",
    domain: Domain::Word(Rule::WORDS),
    default: Default::Word("sorted-first"),
    meaning: "how pairwise tests become a partition",
};
const WELCH_SAMPLE: Parameter = Parameter {
    name: "welch_sample",
    domain: Domain::Word(&[
        ("literal", "x_ij δ(y|i) over all N examples, with their mean and variance, n = N"),
        ("effective", "x_j given y, with mean m, variance m (1 - m), n = sum of δ(y|i)"),
        ("kish", "the same with n = (sum of δ(y|i))² / sum of δ(y|i)²"),
    ]),
    default: Default::Word("literal"),
    meaning: "the sample that Welch's test takes a variable for, given a component",
};
const STRUCTURE: Parameter = Parameter {
    name: "structure",
    domain: Domain::Word(&[
        ("global", "old or new for all components, by training likelihood after the update"),
        ("always-new", "always the new one"),
        ("per-component", "each component by the expected log-likelihood of its examples"),
    ]),
    default: Default::Word("global"),
    meaning: "step 4 of Algorithm 1: which structure an iteration keeps",
};
/// The registry's entry.
pub static MEVM: MethodEntry = MethodEntry {
    kind: "mevm",
    summary: "mixture of exchangeable variable models with a latent variable, by structural EM",
    source: "Niepert and Domingos 2014, Algorithm 1",
    revision: 1,
    parameters: &[
        em::COMPONENTS,
        em::SMOOTHING,
        em::PRIOR_SMOOTHING,
        em::RESTARTS,
        em::TOLERANCE,
        em::MAX_ITERATIONS,
        em::REMAINDER,
        em::INITIAL,
        ALPHA,
        PARTITION,
        WELCH_SAMPLE,
        BESSEL,
        CONDITIONS,
        STRUCTURE,
        LAPLACE,
    ],
    along: &[],
    cost: |parameters, shape| 4.0 * em::cost(parameters, shape),
    fits: &[Fit::Density(fit)],
};

fn fit(
    parameters: &Parameters,
    train: &DistinctRows,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn DensityModel>, FitError> {
    Ok(Box::new(learn(parameters, train, context)?))
}

/// Learns a mixture of EVMs by Algorithm 1.
///
/// # Errors
/// If there are fewer examples than components, the deadline passes or the user interrupts.
pub fn learn(
    parameters: &Parameters,
    train: &DistinctRows,
    context: &Context,
) -> Result<Outcome<Mevm>, FitError> {
    let settings = Settings::read(parameters);
    let mevm = MevmSettings::read(parameters);
    let mut learner = MevmLearner::new(train, &settings, &mevm, &context.cores);
    em::best_of_restarts(&mut learner, train, &settings, context)
}

impl MevmSettings {
    /// Reads the parameters that are the mixture of EVMs' own.
    pub fn read(parameters: &Parameters) -> Self {
        let word = |parameter: &Parameter| parameters.word(parameter.name);
        let sample = match word(&WELCH_SAMPLE) {
            "effective" => WelchSample::Effective,
            "kish" => WelchSample::Kish,
            _ => WelchSample::Literal,
        };
        Self {
            tests: Tests::read(parameters, Rule::named(word(&PARTITION)), sample),
            choice: match word(&STRUCTURE) {
                "always-new" => super::learner::StructureChoice::AlwaysNew,
                "per-component" => super::learner::StructureChoice::PerComponent,
                _ => super::learner::StructureChoice::Global,
            },
            binomial: word(&LAPLACE) == "binomial",
        }
    }
}

/// A mixture of EVMs. Every probability is positive.
#[derive(Debug, Clone, PartialEq)]
pub struct Mevm {
    pub(super) structure: Arc<Structure>,
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
    /// The smoothed maximum-likelihood estimate (theorem 4.2) from the expected number of examples
    /// of each component and, for each slot, of examples with that number of ones.
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
        let mut gains = vec![0.0; structure.slots()];
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

    /// The structure: for each component a partition of the variables.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The number of blocks of each component, and that of free parameters.
    pub(super) fn size(&self) -> Vec<(&'static str, Measure)> {
        let k = self.structure.components();
        let blocks = self.structure.partitions.iter().map(|p| p.blocks as f64).collect();
        let free = k + k * self.structure.variables() - 1;
        vec![("blocks", Measure::Sample(blocks)), ("parameters", Measure::Scalar(free as f64))]
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
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores, out: &mut [f64]) {
        let structure = &*self.structure;
        let values = cores.map_chunks(
            rows.len(),
            1024,
            || (structure.starts().to_vec(), vec![0.0; structure.components()]),
            |(positions, joint), range| {
                let score = |index| {
                    let ones = rows.row(index);
                    self.log_joint(ones, positions, joint);
                    structure.reset(ones, positions);
                    em::posterior(joint)
                };
                range.map(score).collect::<Vec<f64>>()
            },
        );
        out.copy_from_slice(&values.concat());
    }

    fn measures(&self) -> Vec<(&'static str, Measure)> {
        self.size()
    }
}

#[cfg(test)]
mod tests;
