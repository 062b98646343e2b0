//! Marginal and MAP queries on a mixture of EVMs, both in time O(k n) (Niepert and Domingos 2014,
//! proposition 3.1: of a block's states that agree with the evidence and have a given number of
//! ones, one can be named and all can be counted).

use proptest::prelude::*;

use crate::evm::mevm::{MEVM, learn};
use crate::evm::model::Mevm;
use base::digest::Digest;
use base::parallel::Cores;
use contract::DensityModel as _;
use contract::parameter::{Parameters, Value};
use math::special::{exp, ln, ln_gamma};
use math::vector;
use testing::{all_states, context};

/// What is known of each variable.
type Evidence<'a> = &'a [Option<bool>];

/// The most probable completion of some evidence.
#[derive(Debug, Clone, PartialEq)]
struct Explanation {
    /// The value of the latent variable.
    component: usize,
    /// The value of every variable.
    state: Vec<bool>,
    /// ln P(component, state).
    log_probability: f64,
}

impl Mevm {
    /// ln P(e): the log-probability of the evidence, all else summed out.
    fn log_marginal(&self, evidence: Evidence) -> f64 {
        let structure = &self.structure;
        let mut joint = self.log_priors.clone();
        for (y, value) in joint.iter_mut().enumerate() {
            for (slots, known) in structure.blocks(y).zip(self.known(y, evidence)) {
                // Σ over the ones u among the unknown of C(unknown, u) P(a state with that many).
                let terms: Vec<f64> = (0..=known.unknown)
                    .map(|ones| {
                        log_binomial(known.unknown, ones)
                            + self.log_states[slots.start + known.ones + ones]
                    })
                    .collect();
                *value += log_sum(&terms);
            }
        }
        log_sum(&joint)
    }

    /// The most probable values of the latent variable and of all variables that the evidence
    /// leaves open. Of equally probable ones it is that of the first component, and in each block
    /// that with the fewest ones, on the variables of lowest index.
    fn explain(&self, evidence: Evidence) -> Explanation {
        let best = |y| self.best_counts(y, evidence);
        let mut component = 0;
        let (mut counts, mut log_probability) = best(0);
        for y in 1..self.structure.components() {
            let (its_counts, value) = best(y);
            if value > log_probability {
                (component, counts, log_probability) = (y, its_counts, value);
            }
        }
        let block_of = &self.structure.partitions[component].block_of;
        let choose = |(known, &block): (&Option<bool>, &u32)| {
            known.unwrap_or_else(|| {
                let left = &mut counts[block as usize];
                let one = *left > 0;
                *left -= usize::from(one);
                one
            })
        };
        let state = evidence.iter().zip(block_of).map(choose).collect();
        Explanation { component, state, log_probability }
    }

    /// For each block of component `y` the best number of ones among its unknown variables, and
    /// the log-probability of the best state.
    fn best_counts(&self, y: usize, evidence: Evidence) -> (Vec<usize>, f64) {
        let mut log_probability = self.log_priors[y];
        let known = self.known(y, evidence);
        let best = |(slots, known): (std::ops::Range<usize>, &Known)| {
            let first = slots.start + known.ones;
            let states = &self.log_states[first..=first + known.unknown];
            let top = vector::max(states);
            log_probability += top;
            states.iter().position(|&state| state == top).unwrap_or(0)
        };
        let counts = self.structure.blocks(y).zip(&known).map(best).collect();
        (counts, log_probability)
    }

    /// What is known of each block of component `y`.
    fn known(&self, y: usize, evidence: Evidence) -> Vec<Known> {
        let partition = &self.structure.partitions[y];
        let mut known = vec![Known::default(); partition.blocks];
        for (value, &block) in evidence.iter().zip(&partition.block_of) {
            let known = &mut known[block as usize];
            match value {
                Some(true) => known.ones += 1,
                Some(false) => {}
                None => known.unknown += 1,
            }
        }
        known
    }
}

/// What the evidence says of one block.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    ones: usize,
    unknown: usize,
}

fn log_binomial(size: usize, ones: usize) -> f64 {
    let f = |n: usize| ln_gamma(n as f64 + 1.0);
    f(size) - (f(ones) + f(size - ones))
}

fn log_sum(terms: &[f64]) -> f64 {
    let top = vector::max(terms);
    top + ln(terms.iter().map(|term| exp(term - top)).sum())
}

const N: usize = 7;

fn model(states: Vec<usize>) -> Mevm {
    let mut parameters = Parameters::defaults(MEVM.parameters);
    parameters.set("components", Value::Integer(3));
    let train = all_states(N).select(states).distinct();
    learn(&parameters, &train, &context(Digest::of(b"query"), 0)).unwrap().model
}

fn agrees(state: usize, evidence: Evidence) -> bool {
    evidence.iter().enumerate().all(|(v, e)| e.is_none_or(|one| one == (state >> v & 1 == 1)))
}

/// ln P(y, x), by a walk over the row's ones.
fn joints(model: &Mevm, state: usize) -> Vec<f64> {
    let ones: Vec<u32> = (0..N as u32).filter(|v| state >> v & 1 == 1).collect();
    let mut positions = model.structure.starts.to_vec();
    let mut joint = vec![0.0; 3];
    model.log_joint(&ones, &mut positions, &mut joint);
    joint
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn queries_agree_with_enumeration(
        states in prop::collection::vec(0usize..1 << N, 20..80),
        evidence in prop::collection::vec(prop::option::of(any::<bool>()), N),
    ) {
        let model = model(states);
        let out = model.log_likelihoods(&all_states(N), &Cores::default());
        let consistent: Vec<usize> =
            (0..1 << N).filter(|&state| agrees(state, &evidence)).collect();
        let sum: f64 = consistent.iter().map(|&state| exp(out[state])).sum();
        let marginal = model.log_marginal(&evidence);
        prop_assert!((marginal - ln(sum)).abs() < 1e-10, "{} {}", marginal, ln(sum));

        let best = consistent.iter().flat_map(|&s| joints(&model, s)).fold(f64::MIN, f64::max);
        let explanation = model.explain(&evidence);
        let state = (0..N).filter(|&v| explanation.state[v]).map(|v| 1 << v).sum();
        prop_assert!(agrees(state, &evidence));
        let value = joints(&model, state)[explanation.component];
        prop_assert!((value - explanation.log_probability).abs() < 1e-10);
        prop_assert!((value - best).abs() < 1e-10);
    }
}

#[test]
fn without_evidence_all_is_summed_out() {
    assert!(model((0..40).collect()).log_marginal(&[None; N]).abs() < 1e-12);
}
