//! regCLRG and regCLNJ: of the closed neighbourhoods of all inner observed nodes, the latent tree that raises the Bayesian
//! information criterion most replaces its neighbourhood, until none raises it.

use base::digest::FieldHasher;
use base::words;
use contract::{Context, LatentTree, Result};
use math::random::Random;
use math::special::ln;

use super::distances::Distances;
use super::em::{Fitted, Initial, Settings, fit};
use super::graph::Graph;
use super::local::{Builder, closed_neighbourhood, latent, replace};
use super::messages::{Known, Scratch};
use super::pieces::{BLOCK, Column, Columns, Piece};

words! {
    /// What later steps take for the values of hidden nodes found before.
    pub enum States {
        /// Drawn once.
        Sampled = "sampled", "drawn once for every example from the model in which the hidden node is found";
        /// Their probabilities.
        Expected = "expected", "their probabilities in the model in which the hidden node is found, as uncertain evidence";
    }
}

/// A smaller gain is rounding, in nats.
const LEAST_GAIN: f64 = 1e-6;
/// Most steps for each observed node. Every step raises the criterion, but EM of small trees is not run to its end.
const MOST_STEPS: usize = 10;

/// A latent tree that could replace a neighbourhood.
struct Candidate {
    members: Vec<usize>,
    found: Graph,
    tree: LatentTree,
    fitted: Fitted,
    /// How much it raises the criterion, in nats.
    gain: f64,
}

/// What is learned from.
pub struct Learner<'a> {
    /// How latent trees are found.
    pub builder: Builder,
    /// Pseudo-examples of the models that are compared.
    pub smoothing: f64,
    /// Factor on ½ ln N, the price of a parameter.
    pub penalty: f64,
    /// What is known of hidden nodes.
    pub states: States,
    /// Deadline, cores, seed.
    pub context: &'a Context,
}

impl Learner<'_> {
    /// Adds hidden nodes to a tree over the observed nodes while the criterion rises. `columns` are rows, or examples
    /// where states are sampled; those of hidden nodes are added.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn grow(
        &self,
        graph: &mut Graph,
        distances: &mut Distances,
        mut columns: Columns,
    ) -> Result<()> {
        let total = columns.total();
        let mut candidates: Vec<Option<Candidate>> = (0..graph.observed()).map(|_| None).collect();
        let mut changed: Vec<usize> =
            (0..graph.observed()).filter(|&v| graph.of(v).len() > 1).collect();
        for step in 0..MOST_STEPS * graph.observed() {
            self.context.check()?;
            let (known, there) = (&columns, &*graph);
            let fresh = self.context.each(changed.len(), 1, |at| {
                let node = changed[at];
                let random = self.random("latent tree candidate", [step, node]);
                self.candidate(node, there, distances, known, total, random)
            })?;
            for (&node, candidate) in changed.iter().zip(fresh) {
                candidates[node] = candidate;
            }
            let gain = |(node, of): (usize, &Option<Candidate>)| Some((of.as_ref()?.gain, node));
            let gains = candidates.iter().enumerate().filter_map(gain);
            let worth = gains.filter(|(gain, _)| *gain > LEAST_GAIN);
            let best = worth.reduce(|best, other| if other.0 > best.0 { other } else { best });
            let Some((_, node)) = best else { break };
            let Some(taken) = candidates[node].take() else { break };
            replace(graph, distances, node, &taken.members, &taken.found);
            let random = self.random("latent tree states", [step, node]);
            self.add_states(&taken, &mut columns, random)?;
            let observed = graph.observed();
            let inner = |v: &usize| *v < observed && graph.of(*v).len() > 1;
            for &member in taken.members.iter().filter(|&&member| member < observed) {
                candidates[member] = None;
            }
            changed = taken.members.into_iter().filter(inner).collect();
        }
        Ok(())
    }

    fn random(&self, purpose: &str, numbers: [usize; 2]) -> Random {
        let hasher = FieldHasher::new(purpose).field(self.context.split_seed.0);
        Random::new(numbers.iter().fold(hasher, |h, &number| h.number(number as u64)).finish())
    }

    /// The latent tree of a closed neighbourhood; none if it has no hidden node, or is the neighbourhood.
    fn candidate(
        &self,
        node: usize,
        graph: &Graph,
        distances: &Distances,
        columns: &Columns,
        total: f64,
        mut random: Random,
    ) -> Result<Option<Candidate>> {
        let members = closed_neighbourhood(graph, node);
        if members.len() < 3 {
            return Ok(None);
        }
        let found = self.builder.build(&distances.among(&members), &mut random, self.context)?;
        if !latent(&found, &members, graph.observed()) {
            return Ok(None);
        }
        let (tree, lengths) = found.finish();
        let centre = members.binary_search(&node).unwrap_or(0);
        let mut star = Graph::new(members.len());
        for (place, &member) in members.iter().enumerate() {
            if let Some(&length) = graph.of(node).get(&member) {
                star.join(centre, place, length);
            }
        }
        let (star, star_lengths) = star.finish();
        if star == tree {
            return Ok(None);
        }
        let (own, _) = columns.of_nodes(&members);
        let settings = Settings {
            smoothing: self.smoothing,
            tolerance: 0.01,
            max_iterations: (10 * tree.hidden()).max(5),
            initial: Initial::Distances,
        };
        let fitted = fit(&tree, &lengths, &own, &settings, &mut random, self.context)?;
        let before = fit(&star, &star_lengths, &own, &settings, &mut random, self.context)?;
        // Every hidden node brings an edge, with two parameters.
        let penalty = self.penalty * tree.hidden() as f64 * ln(total);
        let gain = fitted.log_likelihood - before.log_likelihood - penalty;
        Ok(Some(Candidate { members, found, tree, fitted, gain }))
    }

    /// Adds the columns of the hidden nodes of what has been taken.
    fn add_states(
        &self,
        taken: &Candidate,
        columns: &mut Columns,
        mut random: Random,
    ) -> Result<()> {
        let members = taken.members.len();
        let (own, of_row) = columns.of_nodes(&taken.members);
        let hidden = taken.tree.hidden();
        // By hidden node and merged row.
        let mut probability = vec![vec![0.0; own.weights.len()]; hidden];
        let mut given = vec![vec![[0.0; 2]; own.weights.len()]; hidden];
        let mut scratch = Scratch::default();
        for (piece, tables) in taken.fitted.plan.pieces.iter().zip(&taken.fitted.pieces) {
            let columns = plain(piece, &own);
            for block in 0..own.blocks() {
                self.context.check()?;
                let known = Known { columns: &columns, block };
                scratch.upward(piece, tables, |at| known.bits(at), |at| known.soft(at));
                scratch.posteriors(piece, tables, known);
                for (place, node) in piece.nodes.iter().enumerate() {
                    let Some(new) = node.name.checked_sub(members).filter(|_| !node.leaf) else {
                        continue;
                    };
                    for row in 0..BLOCK {
                        let at = block * BLOCK + row;
                        probability[new][at] = scratch.posterior(place)[1][row].clamp(0.0, 1.0);
                        given[new][at] = [0, 1].map(|s| scratch.given(place, tables, s, row));
                    }
                }
            }
        }
        match self.states {
            States::Expected => {
                let of_row = |new: &Vec<f64>| of_row.iter().map(|&row| new[row as usize]).collect();
                columns.of.extend(probability.iter().map(|new| Column::Soft(of_row(new))));
            }
            States::Sampled => {
                let mut drawn = vec![vec![0u64; columns.blocks()]; hidden];
                for (at, row) in of_row.iter().map(|&row| row as usize).enumerate() {
                    for piece in &taken.fitted.plan.pieces {
                        for (place, node) in piece.nodes.iter().enumerate() {
                            let Some(new) = node.name.checked_sub(members) else { continue };
                            let parent = piece.parent(place);
                            let known = Known { columns: &own, block: row / BLOCK };
                            let (bits, bit) = match parent.checked_sub(members) {
                                Some(parent) => (drawn[parent][at / BLOCK], at % BLOCK),
                                None => (known.bits(parent), row % BLOCK),
                            };
                            let s = (bits >> bit & 1) as usize;
                            let one = random.uniform() < given[new][row][s];
                            drawn[new][at / BLOCK] |= u64::from(one) << (at % BLOCK);
                        }
                    }
                }
                columns.of.extend(drawn.into_iter().map(Column::Bits));
            }
        }
        Ok(())
    }
}

/// The columns of a piece, of its root, then of its nodes; every row has weight 1.
fn plain(piece: &Piece, columns: &Columns) -> Columns {
    let column = |at| columns.of.get(piece.name(at)).cloned().unwrap_or(Column::Hidden);
    let of = (0..=piece.nodes.len()).map(column).collect();
    Columns { weights: vec![1.0; columns.weights.len()], of }
}
