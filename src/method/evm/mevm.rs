//! Mixtures of EVMs: given the latent variable, the variables are partitioned into independent
//! blocks of exchangeable ones (Niepert and Domingos 2014, definition 4.1, Algorithm 1).

use std::sync::Arc;

use crate::data::binary::{BinaryRows, DistinctRows};
use crate::math::parallel::Cores;
use crate::math::special::{exp, ln, ln_gamma};
use crate::math::vector;
use crate::method::evm::em::{self, Outcome, Settings};
use crate::method::evm::learner::{MevmLearner, MevmSettings};
use crate::method::evm::partition::Rule;
use crate::method::evm::structure::Structure;
use crate::method::parameter::{Default, Domain, Parameter, Parameters};
use crate::method::{Carry, Context, DensityModel, Fit, FitError, MethodEntry};
use crate::task::Measure;

const ALPHA: Parameter = Parameter {
    name: "alpha",
    domain: Domain::Real { least: 0.0, most: 1.0, open: true },
    default: Default::Real(0.1),
    meaning: "level below which a p-value puts two variables into different blocks",
};
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
const BESSEL: Parameter = Parameter {
    name: "bessel",
    domain: Domain::Bool,
    default: Default::Bool(true),
    meaning: "whether sample variances divide by n - 1",
};
const CONDITIONS: Parameter = Parameter {
    name: "conditions",
    domain: Domain::Word(&[
        ("mean", "condition (1): equal expectations"),
        (
            "mean-variance",
            "and condition (2), by Welch's test on (x - m)² within the blocks of (1)",
        ),
        (
            "mean-variance-covariance",
            "and condition (3), by Welch's test on the products of each variable's deviation and \
             that of the sum of the rest of its block, within the blocks of (2)",
        ),
    ]),
    default: Default::Word("mean"),
    meaning: "which conditions of proposition 3.3 are tested",
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
const LAPLACE: Parameter = Parameter {
    name: "laplace",
    domain: Domain::Word(&[
        ("uniform", "the smoothing constant for each of a block's |X| + 1 numbers of ones"),
        ("binomial", "the same total, spread like a binomial distribution with p = 1/2"),
    ]),
    default: Default::Word("uniform"),
    meaning: "how the smoothing constant is spread over a block's numbers of ones",
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
        Self {
            alpha: parameters.real(ALPHA.name),
            rule: Rule::named(word(&PARTITION)),
            sample: match word(&WELCH_SAMPLE) {
                "effective" => super::learner::WelchSample::Effective,
                "kish" => super::learner::WelchSample::Kish,
                _ => super::learner::WelchSample::Literal,
            },
            bessel: parameters.bool(BESSEL.name),
            variance: word(&CONDITIONS) != "mean",
            covariance: word(&CONDITIONS) == "mean-variance-covariance",
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
        totals: &[f64],
        histogram: &[f64],
        settings: &Settings,
        smoothing: &Smoothing,
    ) -> Self {
        let mut log_states = histogram.to_vec();
        for y in 0..structure.components() {
            for block in structure.blocks(y) {
                smoothing.add_to(&mut log_states[block], settings.smoothing);
            }
        }
        vector::ln(&mut log_states);
        let log_priors = settings.log_priors(totals);
        let mut base = log_priors.clone();
        let mut gains = vec![0.0; structure.slots()];
        for (y, base) in base.iter_mut().enumerate() {
            for block in structure.blocks(y) {
                let states = &mut log_states[block.clone()];
                let norm = ln(totals[y] + settings.smoothing * states.len() as f64);
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

    /// Writes ln P(y, x) of every component, and moves each block's position to the slot of its
    /// number of ones.
    #[inline]
    pub(super) fn log_joint(&self, ones: &[u32], positions: &mut [u32], out: &mut [f64]) {
        if self.structure.has_fewer_blocks(ones.len()) {
            self.structure.count(ones, positions);
            for (y, (value, prior)) in out.iter_mut().zip(&self.log_priors).enumerate() {
                let ends = &positions[self.structure.numbers(y)];
                *value = ends.iter().fold(*prior, |sum, &end| sum + self.log_states[end as usize]);
            }
            return;
        }
        out.copy_from_slice(&self.base);
        for &one in ones {
            for (value, &block) in out.iter_mut().zip(self.structure.blocks_of(one)) {
                let position = &mut positions[block as usize];
                *value += self.gains[*position as usize];
                *position += 1;
            }
        }
    }
}

/// Laplace smoothing of a block's histogram, and the binomial coefficients.
#[derive(Debug, Clone)]
pub(super) struct Smoothing {
    log_factorials: Vec<f64>,
    binomial: bool,
}

impl Smoothing {
    /// For blocks of at most `variables` variables.
    pub(super) fn new(variables: usize, binomial: bool) -> Self {
        let log_factorials = (0..=variables).map(|n| ln_gamma(n as f64 + 1.0)).collect();
        Self { log_factorials, binomial }
    }

    fn log_binomial(&self, size: usize, ones: usize) -> f64 {
        let f = &self.log_factorials;
        f[size] - (f[ones] + f[size - ones])
    }

    /// Adds pseudo-counts to a block's slots: `constant` to each, or as much in all.
    fn add_to(&self, slots: &mut [f64], constant: f64) {
        if !self.binomial {
            return slots.iter_mut().for_each(|slot| *slot += constant);
        }
        let size = slots.len() - 1;
        let total = constant * slots.len() as f64;
        for (ones, slot) in slots.iter_mut().enumerate() {
            let share = exp(self.log_binomial(size, ones) - size as f64 * std::f64::consts::LN_2);
            // Far from the middle of a large block the share would vanish.
            *slot += (total * share).max(f64::MIN_POSITIVE);
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
        let k = self.structure.components();
        let blocks = self.structure.partitions.iter().map(|p| p.blocks as f64).collect();
        let free = k + k * self.structure.variables() - 1;
        vec![("blocks", Measure::Sample(blocks)), ("parameters", Measure::Scalar(free as f64))]
    }
}

#[cfg(test)]
mod tests;
