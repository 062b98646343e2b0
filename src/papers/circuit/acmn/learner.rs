//! The greedy loop: the split with the highest score is made, and all weights are learned anew.
//!
//! Splits wait in a queue with old scores, which are nearly upper bounds: the first is scored anew, and put back if it falls below the
//! next. The cost of a split only ends the loop.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use contract::binary::DistinctRows;
use contract::{Context, FitError, Result};
use math::orthant::{Limits, maximise};
use math::special::{exp, ln};

use super::Settings;
use super::gain::New;
use super::split::{Split, literal};
use crate::circuit::network::{Circuit, Evidence, Leaf, Node};
use crate::circuit::rows::ones;

/// How far all weights are learned after a split.
const LIMITS: Limits = Limits { steps: 100, gain: 1e-5 };
/// A score may be below the next by this part of it.
const NEARLY: f64 = 0.01;
/// Splits of a feature that gain less than this part of its best are left out.
const WORTH: f64 = 0.01;

/// What is learned from.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    pub rows: &'a DistinctRows,
    pub context: &'a Context,
}

/// A conjunction of literals, in ascending order: twice the variable and its value.
type Literals = Vec<u32>;

/// A feature to be split by a variable.
#[derive(Debug, Clone, PartialEq)]
struct Candidate {
    score: f64,
    gain: f64,
    /// Edges by which the circuit would grow, as last found; none before.
    growth: f64,
    feature: u32,
    variable: u32,
    /// Examples of the feature in which the variable is zero, and one.
    counts: [u32; 2],
    /// The splits made before its gain, and its growth, were found.
    gained_at: usize,
    grown_at: usize,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |of: &Self| (of.feature, of.variable);
        self.score.total_cmp(&other.score).then(place(other).cmp(&place(self)))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A network on its way.
#[derive(Debug, Clone)]
pub struct Learner {
    settings: Settings,
    /// The circuit with the weights of now.
    pub circuit: Circuit,
    features: Vec<Literals>,
    known: HashMap<Literals, u32>,
    weights: Vec<f64>,
    /// The share of the examples that have each feature.
    seen: Vec<f64>,
    queue: BinaryHeap<Candidate>,
    splits: usize,
    /// The next split wants too many edges.
    full: bool,
}

impl Learner {
    /// The product of marginals, with all weights learned and all splits queued.
    ///
    /// # Errors
    /// If its circuit has too many edges, the deadline passes or the user interrupts.
    pub fn new(data: &Data, settings: Settings) -> Result<Self> {
        let n = data.rows.variables();
        if 7 * n > settings.max_edges {
            return Err(FitError::NotApplicable(format!(
                "the circuit of {n} independent variables has {} edges: raise `max_edges`, {}",
                7 * n,
                settings.max_edges
            )));
        }
        let mut learner = Self {
            settings,
            circuit: Circuit::new(n),
            features: Vec::new(),
            known: HashMap::new(),
            weights: Vec::new(),
            seen: Vec::new(),
            queue: BinaryHeap::new(),
            splits: 0,
            full: false,
        };
        for variable in 0..n as u32 {
            for logs in [[0.0, f64::NEG_INFINITY], [f64::NEG_INFINITY, 0.0]] {
                learner.circuit.leaf(Leaf { variable: Some(variable), logs });
            }
        }
        let total = data.rows.examples() as f64;
        let mut sums = Vec::with_capacity(n);
        for (variable, ones) in (0..).zip(ones(data.rows)) {
            let ones = f64::from(ones);
            let terms = [total - ones, ones].into_iter().enumerate().map(|(value, count)| {
                let weight = ln((count + 0.5) / (total + 1.0));
                let factor =
                    learner.feature(vec![2 * variable + value as u32], weight, count / total);
                (learner.circuit.product([literal(variable, value), factor]), 0.0)
            });
            let terms: Vec<(Node, f64)> = terms.collect();
            sums.push(learner.circuit.sum(terms));
        }
        learner.circuit.product(sums);
        learner.optimise(data)?;
        for feature in 0..learner.features.len() as u32 {
            learner.enqueue(data, feature)?;
        }
        Ok(learner)
    }

    /// Adds a feature, which has this share of the examples.
    fn feature(&mut self, literals: Literals, weight: f64, seen: f64) -> Node {
        self.known.insert(literals.clone(), self.features.len() as u32);
        self.features.push(literals);
        self.weights.push(weight);
        self.seen.push(seen);
        self.circuit.leaf(Leaf { variable: None, logs: [weight; 2] })
    }

    /// A feature's factor: factors are the leaves behind the literals.
    fn factor(&self, feature: u32) -> Node {
        Node::Leaf(2 * self.circuit.variables as u32 + feature)
    }

    /// Splits as long as a split gains more than it costs.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn learn(&mut self, data: &Data, split_cost: f64) -> Result<()> {
        while !self.full {
            let Some(best) = self.next(data, split_cost)? else { break };
            if (self.circuit.edges.len() as f64 + best.growth) > self.settings.max_edges as f64 {
                self.full = true;
                break;
            }
            self.take(data, &best)?;
        }
        Ok(())
    }

    /// The split with the highest score, if it is above the cost of a split.
    fn next(&mut self, data: &Data, split_cost: f64) -> Result<Option<Candidate>> {
        let mut model: HashMap<u32, Vec<[f64; 2]>> = HashMap::new();
        while let Some(mut best) = self.queue.pop() {
            data.context.check()?;
            if best.score <= split_cost {
                self.queue.push(best);
                return Ok(None);
            }
            if best.gained_at != self.splits {
                let of_feature = model.entry(best.feature);
                let held = of_feature.or_insert_with(|| self.held(best.feature));
                let held = held[best.variable as usize];
                let Some(new) = self.new_of(data, &best, held) else { continue };
                best.gain = new.best(self.settings.l1, self.settings.variance).0;
                best.gained_at = self.splits;
                best.score = best.gain - self.settings.edge_cost * best.growth;
                if self.is_below_the_next(&best) {
                    self.queue.push(best);
                    continue;
                }
            }
            if best.grown_at != self.splits {
                best.growth = self.growth(&best);
                best.grown_at = self.splits;
                best.score = best.gain - self.settings.edge_cost * best.growth;
            }
            if self.is_below_the_next(&best) || best.score <= split_cost {
                self.queue.push(best);
                continue;
            }
            return Ok(Some(best));
        }
        Ok(None)
    }

    fn is_below_the_next(&self, candidate: &Candidate) -> bool {
        let next = self.queue.peek().map_or(f64::NEG_INFINITY, |next| next.score);
        candidate.score < next - NEARLY * next.abs()
    }

    /// The conjunctions of a feature with both values of a variable.
    fn conjunctions(&self, candidate: &Candidate) -> [Literals; 2] {
        [0, 1].map(|value| {
            let mut literals = self.features[candidate.feature as usize].clone();
            let literal = 2 * candidate.variable + value;
            let place = literals.partition_point(|&other| other < literal);
            literals.insert(place, literal);
            literals
        })
    }

    /// What a split would add; none if both features are there. `held` has the probabilities of the conjunctions.
    fn new_of(&self, data: &Data, candidate: &Candidate, held: [f64; 2]) -> Option<New> {
        let examples = data.rows.examples() as f64;
        let shares = candidate.counts.map(|count| f64::from(count) / examples);
        let all = self.conjunctions(candidate).into_iter().zip(shares.into_iter().zip(held));
        let new = all.filter(|(literals, _)| !self.known.contains_key(literals));
        let of: Vec<(f64, f64)> = new.map(|(_, of)| of).collect();
        (!of.is_empty()).then_some(New { examples, of })
    }

    /// The probabilities of a feature with each value of each variable.
    fn held(&self, feature: u32) -> Vec<[f64; 2]> {
        let n = self.circuit.variables;
        let mut evidence = Evidence::none(n);
        for literal in &self.features[feature as usize] {
            evidence.0[*literal as usize / 2][1 - *literal as usize % 2] = 0;
        }
        let (mut values, mut inner) = (Vec::new(), Vec::new());
        let mut flows = vec![0.0; self.circuit.leaves.len()];
        self.circuit.upward::<1>(&evidence, &mut values);
        let log = values.last().map_or(f64::NEG_INFINITY, |value| value[0]);
        let of_feature = exp(log - self.circuit.log_total());
        self.circuit.downward((&evidence, &values), &[of_feature], &mut inner, &mut flows);
        flows[..2 * n].chunks_exact(2).map(|of| [of[0], of[1]]).collect()
    }

    /// Edges by which the circuit would grow.
    fn growth(&self, candidate: &Candidate) -> f64 {
        // The factors of new features are of no account yet.
        let factor = |literals: Literals| {
            (!self.known.contains_key(&literals)).then(|| self.factor(self.features.len() as u32))
        };
        let new = self.conjunctions(candidate).map(factor);
        let split =
            Split { factor: self.factor(candidate.feature), variable: candidate.variable, new };
        self.circuit.split(split).edges.len() as f64 - self.circuit.edges.len() as f64
    }

    /// Splits, learns all weights and queues the splits of the new features.
    fn take(&mut self, data: &Data, candidate: &Candidate) -> Result<()> {
        let first = self.features.len() as u32;
        let examples = data.rows.examples() as f64;
        let mut new = [None; 2];
        for (value, literals) in self.conjunctions(candidate).into_iter().enumerate() {
            if !self.known.contains_key(&literals) {
                let seen = f64::from(candidate.counts[value]) / examples;
                new[value] = Some(self.feature(literals, 0.0, seen));
            }
        }
        let factor = self.factor(candidate.feature);
        self.circuit = self.circuit.split(Split { factor, variable: candidate.variable, new });
        self.splits += 1;
        self.optimise(data)?;
        (first..self.features.len() as u32).try_for_each(|feature| self.enqueue(data, feature))
    }

    /// The objective with the circuit's weights, less the L1 penalty, and its gradient.
    fn objective(&mut self, data: &Data, weights: &[f64]) -> (f64, Vec<f64>) {
        let (n, literals) = (data.rows.examples() as f64, 2 * self.circuit.variables);
        self.weigh(weights);
        let evidence = Evidence::none(self.circuit.variables);
        let (mut values, mut inner) = (Vec::new(), Vec::new());
        let mut flows = vec![0.0; self.circuit.leaves.len()];
        self.circuit.upward::<1>(&evidence, &mut values);
        self.circuit.downward((&evidence, &values), &[1.0], &mut inner, &mut flows);
        let log_total = values.last().map_or(f64::NAN, |value| value[0]);
        let variance = self.settings.variance;
        let part =
            |(weight, seen): (&f64, &f64)| n * weight * seen - weight * weight / (2.0 * variance);
        let value = weights.iter().zip(&self.seen).map(part).sum::<f64>() - n * log_total;
        let slope =
            |((weight, seen), held): ((&f64, &f64), &f64)| n * (seen - held) - weight / variance;
        (value, weights.iter().zip(&self.seen).zip(&flows[literals..]).map(slope).collect())
    }

    /// Gives the circuit these weights.
    fn weigh(&mut self, weights: &[f64]) {
        let factors = &mut self.circuit.leaves[2 * self.circuit.variables..];
        factors.iter_mut().zip(weights).for_each(|(leaf, &weight)| leaf.logs = [weight; 2]);
    }

    /// Learns all weights, from those of now on.
    fn optimise(&mut self, data: &Data) -> Result<()> {
        let mut weights = std::mem::take(&mut self.weights);
        let penalty = self.settings.l1;
        maximise(&mut weights, penalty, LIMITS, |weights| {
            data.context.check()?;
            Ok(self.objective(data, weights))
        })?;
        self.weigh(&weights);
        self.weights = weights;
        Ok(())
    }

    /// Queues the splits of a feature.
    fn enqueue(&mut self, data: &Data, feature: u32) -> Result<()> {
        data.context.check()?;
        let n = data.rows.variables();
        let literals = &self.features[feature as usize];
        let (mut all, mut ones) = (0, vec![0; n]);
        for (row, &count) in data.rows.rows.iter().zip(&data.rows.counts) {
            let holds = |literal: &u32| {
                usize::from(row.binary_search(&(literal / 2)).is_ok()) == *literal as usize % 2
            };
            if literals.iter().all(holds) {
                all += count;
                row.iter().for_each(|&one| ones[one as usize] += count);
            }
        }
        let held = self.held(feature);
        let mut found = Vec::new();
        for variable in 0..n as u32 {
            let v = variable as usize;
            if self.features[feature as usize].iter().any(|literal| literal / 2 == variable) {
                continue;
            }
            let mut candidate = Candidate {
                score: 0.0,
                gain: 0.0,
                growth: 0.0,
                feature,
                variable,
                counts: [all - ones[v], ones[v]],
                gained_at: self.splits,
                grown_at: usize::MAX,
            };
            if let Some(new) = self.new_of(data, &candidate, held[v]) {
                candidate.gain = new.best(self.settings.l1, self.settings.variance).0;
                candidate.score = candidate.gain;
                found.push(candidate);
            }
        }
        let best = found.iter().map(|candidate| candidate.gain).fold(0.0, f64::max);
        found.retain(|candidate| candidate.gain > WORTH * best);
        self.queue.extend(found);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use base::digest::Digest;
    use testing::{all_states, context};

    use super::*;
    use crate::circuit::rows::sorted;
    use crate::circuit::tests::{drawn, logs};

    const SETTINGS: Settings =
        Settings { l1: 0.1, variance: 1.0, split_cost: 0.01, edge_cost: 0.01, max_edges: 100_000 };

    fn holds(state: usize, literals: &Literals) -> bool {
        literals.iter().all(|literal| state >> (literal / 2) & 1 == *literal as usize % 2)
    }

    /// The objective, ln Z and the features' probabilities by going through all states.
    fn enumerated(learner: &Learner, data: &Data) -> (f64, f64, Vec<f64>) {
        let n = learner.circuit.variables;
        let (mut z, mut held) = (0.0, vec![0.0; learner.features.len()]);
        for state in 0..1 << n {
            let which: Vec<bool> = learner.features.iter().map(|f| holds(state, f)).collect();
            let log: f64 =
                learner.weights.iter().zip(&which).map(|(w, of)| f64::from(*of) * w).sum();
            z += exp(log);
            held.iter_mut().zip(which).for_each(|(held, of)| *held += f64::from(of) * exp(log));
        }
        held.iter_mut().for_each(|held| *held /= z);
        let examples = data.rows.examples() as f64;
        let part = |(weight, seen): (&f64, &f64)| {
            let Settings { l1: absolute, variance, .. } = SETTINGS;
            examples * weight * seen - absolute * weight.abs() - weight * weight / (2.0 * variance)
        };
        let fit: f64 = learner.weights.iter().zip(&learner.seen).map(part).sum();
        (fit - examples * ln(z), ln(z), held)
    }

    /// After every split: ln Z, all probabilities of features and all predictions are those of the enumeration, the circuit has grown
    /// by what was predicted, and before the other weights move the gain is what was predicted.
    #[test]
    fn every_split_is_what_it_was_predicted_to_be() {
        for (n, examples) in [(6, 300), (9, 500)] {
            let rows = sorted(&drawn(n, examples).distinct()).unwrap();
            let context = context(Digest::of(b"acmn"), 0);
            let data = Data { rows: &rows, context: &context };
            let mut learner = Learner::new(&data, SETTINGS).unwrap();
            let mut longest = 0;
            for _ in 0..60 {
                let Some(best) = learner.next(&data, 0.01).unwrap() else { break };
                let held = learner.held(best.feature)[best.variable as usize];
                let (gain, d) = learner
                    .new_of(&data, &best, held)
                    .unwrap()
                    .best(SETTINGS.l1, SETTINGS.variance);
                let before = enumerated(&learner, &data).0;
                let edges = learner.circuit.edges.len() as f64;
                let mut only = learner.clone();
                only.take(&data, &best).unwrap();
                assert_eq!(only.circuit.edges.len() as f64, edges + best.growth);
                let after = only.weights.clone();
                only.weights[..learner.weights.len()].copy_from_slice(&learner.weights);
                only.weights[learner.weights.len()..].copy_from_slice(&d);
                assert!((enumerated(&only, &data).0 - before - gain).abs() < 1e-7);
                only.weights = after;
                learner = only;
                let (_, log_total, held) = enumerated(&learner, &data);
                assert!((learner.circuit.log_total() - log_total).abs() < 1e-10);
                let weights = learner.weights.clone();
                let (_, slopes) = learner.objective(&data, &weights);
                for (f, held) in held.iter().enumerate() {
                    let slope = examples as f64 * (learner.seen[f] - held) - weights[f];
                    assert!((slopes[f] - slope).abs() < 1e-6);
                    longest = longest.max(learner.features[f].len());
                }
            }
            let state = |row: &[u32]| row.iter().map(|one| 1 << one).sum::<usize>();
            for (literals, seen) in learner.features.iter().zip(&learner.seen) {
                let weighted = rows.rows.iter().zip(&rows.counts);
                let of = weighted.filter(|(row, _)| holds(state(row), literals));
                let count: u32 = of.map(|(_, count)| count).sum();
                assert!((f64::from(count) / examples as f64 - seen).abs() < 1e-12);
            }
            let model = learner.circuit.clone().unnormalised().unwrap();
            let states = all_states(n);
            let log_total = enumerated(&learner, &data).1;
            for (state, log) in logs(&model, &states).into_iter().enumerate() {
                let held = learner.features.iter().zip(&learner.weights);
                let held = held.filter(|(literals, _)| holds(state, literals));
                let expected = held.map(|(_, weight)| weight).sum::<f64>() - log_total;
                assert!((log - expected).abs() < 1e-9, "{state}: {log} {expected}");
            }
            assert!(learner.splits > 10 && longest > 2, "{} {longest}", learner.splits);
        }
    }
}
