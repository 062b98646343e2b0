//! Unlabelled rows of known distributions, for density estimation.

use std::sync::Arc;

use super::{
    Drawn, Generator, MOST_ROWS, MOST_VARIABLES, OutOfRange, Ranges, Sample, hashed, latent_tree,
    start,
};
use crate::registry::reading::{Reading, Reals, Seed, Size};
use crate::vocabulary::{Parts, Rows, Shape, Target};
use crate::{Targets, Truth, limits};
use base::digest::Digest;
use base::words::Worded;
use contract::binary::BinaryRows;
use contract::{Examples, LatentTree, breadth_first};
use document::{Named as _, Real, Whole, Word, section};
use math::random::Random;
use math::special;

/// Raised by every change that can change a generated row; it enters the dataset's digest.
const REVISION: u64 = 1;

/// A distribution with the sizes of the samples to draw from it.
#[derive(Debug, Clone)]
pub struct DensitySample {
    sizes: Sizes,
    model: Model,
}

section! {
    in Reading;
    /// How many examples of how many variables.
    #[derive(Copy)]
    pub struct Sizes {
        seed: Seed => "where the random numbers start";
        variables: Whole<0, { limits::VARIABLES as i64 }> => "the number of variables";
        train: Size => "the number of training examples";
        valid: Size => "the number of validation examples, or 0";
        test: Size => "the number of test examples";
    }
}

/// The distributions. Their parameters are drawn from the generator's seed.
#[derive(Debug, Clone)]
pub enum Model {
    /// A mixture of exchangeable variable models: each component partitions the variables at random
    /// into blocks of nearly equal size, and each block is a Pólya urn. An urn starts with a share of
    /// ones; after each draw either a like ball is added (counts of ones over-dispersed, variables
    /// positively correlated) or the ball is kept out (negatively correlated).
    MixtureOfBlocks(BlocksKeys),
    /// A tree over the variables: the root has a random probability, every other variable depends
    /// on one of those before it in a random order.
    Tree(TreeKeys),
    /// Independent variables whose probabilities of a one are uniform between two ends.
    Independent(IndependentKeys),
    /// A pairwise Markov network in which every two variables interact: P(x) ∝ exp(Σ b_i x_i +
    /// Σ w_ij x_i x_j) with x in {0, 1}. Each parameter lies in one of the clusters, whose centres are
    /// equally far apart around 0.
    TiedNetwork(TiedKeys),
    /// A tree whose leaves are the variables and whose other nodes are hidden. Every node is 1 with the same
    /// probability; the correlation of neighbours is uniform between two ends.
    LatentTree(LatentKeys),
}

section! {
    in Reading;
    pub struct BlocksKeys: "mixture-of-blocks" => "a mixture; in each component, random blocks of exchangeable variables, positively or negatively correlated (Pólya urns)" {
        components: Size => "the number of mixture components";
        blocks: Size => "the number of blocks a component";
    }
}

section! {
    in Reading;
    pub struct TreeKeys: "tree" => "a random tree distribution" {}
}

section! {
    in Reading;
    pub struct IndependentKeys: "independent" => "independent variables" {
        probabilities: Reals => "`[low, high]`: the probabilities of a one are uniform between";
    }
}

section! {
    in Reading;
    pub struct TiedKeys: "tied-network" => "a pairwise Markov network of at most 16 variables, every two of which interact; its parameters lie in clusters" {
        clusters: Size => "the number of clusters of parameters";
        spacing: Real => "the distance of their centres";
        width: Real => "the width of a cluster: each parameter is at most half of it from its centre";
    }
}

section! {
    in Reading;
    pub struct LatentKeys: "latent-tree" => "a tree whose leaves are the variables and whose other nodes are hidden; both values of a node are equally probable" {
        shape: Word<latent_tree::Shape> => "the shape of the tree";
        correlations: Reals => "`[low, high]`: the correlations of neighbours are uniform between";
        ones: Real = 0.5 => "how probable it is that a node is one";
    }
}

/// The most variables of a latent tree.
const MOST_OF_TREE: usize = 10_000;
/// The most variables of a network whose states are listed.
const MOST_LISTED: usize = 16;

impl Model {
    /// The word that `datasets.toml` uses.
    pub fn word(&self) -> &'static str {
        match self {
            Self::MixtureOfBlocks(_) => BlocksKeys::WORD,
            Self::Tree(_) => TreeKeys::WORD,
            Self::Independent(_) => IndependentKeys::WORD,
            Self::TiedNetwork(_) => TiedKeys::WORD,
            Self::LatentTree(_) => LatentKeys::WORD,
        }
    }
}

impl DensitySample {
    /// A sample with checked parameters.
    ///
    /// # Errors
    /// All parameters that are out of their ranges.
    pub fn new(sizes: Sizes, model: Model) -> Result<Self, Vec<OutOfRange>> {
        let Sizes { variables, train, valid, test, .. } = sizes;
        let mut ranges = Ranges::default();
        ranges.whole("variables", variables, 1, MOST_VARIABLES);
        for (name, rows, least) in [("train", train, 1), ("valid", valid, 0), ("test", test, 1)] {
            ranges.whole(name, rows, least, MOST_ROWS);
        }
        let rows = train.saturating_add(valid).saturating_add(test);
        // Rows hold the indices of their ones.
        ranges.cells("train", rows, variables, 32);
        match &model {
            Model::MixtureOfBlocks(BlocksKeys { components, blocks }) => {
                ranges.whole("components", *components, 1, 1000);
                let expected = format!("from 1 to the number of variables, {variables}");
                ranges.check("blocks", (1..=variables).contains(blocks), expected);
                let what = "components times variables";
                ranges.parameters("components", *components, variables, what);
            }
            Model::Independent(IndependentKeys { probabilities }) => ranges.check(
                "probabilities",
                matches!(probabilities[..], [low, high] if 0.0 <= low && low <= high && high <= 1.0),
                "[low, high] with 0 <= low <= high <= 1",
            ),
            Model::TiedNetwork(TiedKeys { clusters, spacing, width }) => {
                ranges.whole("variables", variables, 2, MOST_LISTED);
                ranges.whole("clusters", *clusters, 1, variables);
                ranges.check("spacing", (0.0..=10.0).contains(spacing), "from 0 to 10");
                ranges.check("width", (0.0..=10.0).contains(width), "from 0 to 10");
            }
            Model::LatentTree(LatentKeys { correlations, ones, .. }) => {
                ranges.whole("variables", variables, 4, MOST_OF_TREE);
                ranges.check("ones", 0.0 < *ones && *ones < 1.0, "above 0 and below 1");
                ranges.check(
                    "correlations",
                    matches!(correlations[..], [low, high] if 0.0 < low && low <= high && high < 1.0),
                    "[low, high] with 0 < low <= high < 1",
                );
            }
            Model::Tree(_) => {}
        }
        ranges.into_result(Self { sizes, model })
    }

    /// Draws the rows: training, validation, test. Time O(rows · variables).
    pub fn rows(&self) -> BinaryRows {
        let mut random = self.random();
        let n = self.sizes.variables;
        let mut draw = match &self.model {
            Model::MixtureOfBlocks(BlocksKeys { components, blocks }) => {
                mixture_of_blocks(n, *components, *blocks, &mut random)
            }
            Model::Tree(_) => tree(Node::random(n, &mut random)),
            Model::Independent(IndependentKeys { probabilities }) => {
                tree(Node::independent(n, ends(probabilities), &mut random))
            }
            Model::TiedNetwork(TiedKeys { clusters, spacing, width }) => {
                tied_network(n, *clusters, (*spacing, *width), &mut random)
            }
            Model::LatentTree(LatentKeys { shape, correlations, ones }) => {
                let hidden = shape.tree(n, &mut random);
                tree(Node::latent(&hidden, ends(correlations), *ones, &mut random))
            }
        };
        let mut rows = BinaryRows::new(n);
        let mut row = vec![false; n];
        let mut ones = Vec::with_capacity(n);
        for _ in 0..self.shape().rows.total() {
            draw(&mut random, &mut row);
            ones.clear();
            ones.extend((0u32..).zip(&row).filter(|&(_, &one)| one).map(|(index, _)| index));
            rows.push(&ones);
        }
        rows
    }
}

impl Sample for DensitySample {
    fn shape(&self) -> Shape {
        let Sizes { variables, train, valid, test, .. } = self.sizes;
        let rows = Rows::Split(Parts { train, valid, test });
        Shape::without_folds(variables, rows, Target::None)
    }

    fn digest(&self) -> Digest {
        let Sizes { seed, variables, train, valid, test } = self.sizes;
        let sizes = [seed, variables, train, valid, test];
        let hasher = hashed(self.model.word(), REVISION, sizes);
        match &self.model {
            Model::MixtureOfBlocks(BlocksKeys { components, blocks }) => {
                hasher.number(*components as u64).number(*blocks as u64)
            }
            Model::Tree(_) => hasher,
            Model::Independent(IndependentKeys { probabilities }) => {
                probabilities.iter().fold(hasher, |hasher, end| hasher.number(end.to_bits()))
            }
            Model::TiedNetwork(TiedKeys { clusters, spacing, width }) => {
                hasher.number(*clusters as u64).number(spacing.to_bits()).number(width.to_bits())
            }
            Model::LatentTree(LatentKeys { shape, correlations, ones }) => {
                let hasher = hasher.field(latent_tree::Shape::WORDS.word(*shape));
                let numbers = correlations.iter().chain([ones]);
                { numbers }.fold(hasher, |hasher, number| hasher.number(number.to_bits()))
            }
        }
        .finish()
    }

    fn draw(&self) -> Drawn {
        let examples = Examples::Binary(self.rows());
        Drawn { examples, targets: Targets::None, truth: self.truth() }
    }

    fn reseeded(&self, seed: &dyn Fn(u64) -> u64) -> Option<Generator> {
        let sizes = Sizes { seed: seed(self.sizes.seed as u64) as usize, ..self.sizes };
        Some(Self { sizes, ..self.clone() }.into())
    }
}

impl DensitySample {
    fn random(&self) -> Random {
        Random::new(start(self.model.word(), self.sizes.seed as u64))
    }

    /// The clusters of a tied network, or the latent tree that is the distribution.
    pub fn truth(&self) -> Truth {
        let (variables, random) = (self.sizes.variables, &mut self.random());
        match &self.model {
            Model::TiedNetwork(TiedKeys { clusters, .. }) => {
                Truth::Clusters(Arc::new(tied_clusters(variables, *clusters, random)))
            }
            Model::LatentTree(LatentKeys { shape, .. }) => {
                Truth::Tree(Arc::new(shape.tree(variables, random)))
            }
            Model::MixtureOfBlocks(_) | Model::Tree(_) | Model::Independent(_) => Truth::Unknown,
        }
    }
}

/// A distribution: overwrites a row with one draw.
type Draw = Box<dyn FnMut(&mut Random, &mut [bool])>;

/// The ends of a range that has been checked.
fn ends(range: &[f64]) -> (f64, f64) {
    (range[0], range[range.len() - 1])
}

fn between((low, high): (f64, f64), random: &mut Random) -> f64 {
    low + (high - low) * random.uniform()
}

/// Clusters of nearly equal size, of all parameters.
fn tied_clusters(n: usize, clusters: usize, random: &mut Random) -> Vec<u32> {
    let mut of_parameter: Vec<u32> =
        (0..n * (n + 1) / 2).map(|parameter| (parameter % clusters) as u32).collect();
    random.shuffle(&mut of_parameter);
    of_parameter
}

/// A network whose states are listed; bit i of a state is variable i.
fn tied_network(
    n: usize,
    clusters: usize,
    (spacing, width): (f64, f64),
    random: &mut Random,
) -> Draw {
    let middle = 0.5 * (clusters - 1) as f64;
    let parameters: Vec<f64> = tied_clusters(n, clusters, random)
        .into_iter()
        .map(|cluster| spacing * (f64::from(cluster) - middle) + width * (random.uniform() - 0.5))
        .collect();
    let (nodes, edges) = parameters.split_at(n);
    let energy = |state: usize| {
        let is_one = |variable: usize| state >> variable & 1 == 1;
        let ones = (0..n).filter(|&variable| is_one(variable));
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        let pairs = pairs.zip(edges).filter(|&((a, b), _)| is_one(a) && is_one(b));
        ones.map(|variable| nodes[variable]).sum::<f64>()
            + pairs.map(|(_, weight)| weight).sum::<f64>()
    };
    let energies: Vec<f64> = (0..1 << n).map(energy).collect();
    let top = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    // Of the probabilities up to each state.
    let mut sums: Vec<f64> = Vec::with_capacity(energies.len());
    for energy in energies {
        total += special::exp(energy - top);
        sums.push(total);
    }
    sums.iter_mut().for_each(|sum| *sum /= total);
    Box::new(move |random: &mut Random, row: &mut [bool]| {
        let place = random.uniform();
        let state = sums.partition_point(|&sum| sum <= place).min(sums.len() - 1);
        for (variable, value) in row.iter_mut().enumerate() {
            *value = state >> variable & 1 == 1;
        }
    })
}

/// A variable that depends on at most one other, or a hidden one.
struct Node {
    name: usize,
    parent: Option<usize>,
    /// The probability of a one where the parent is 0 (or there is none), and where it is 1.
    ones: [f64; 2],
    /// Whether a parent of 1 is asked for the probability of a 0 instead.
    flips: bool,
}

impl Node {
    fn independent(n: usize, range: (f64, f64), random: &mut Random) -> Vec<Self> {
        let node = |name| {
            let ones = [between(range, random); 2];
            Self { name, parent: None, ones, flips: false }
        };
        (0..n).map(node).collect()
    }

    fn random(n: usize, random: &mut Random) -> Vec<Self> {
        let permutation = random.permutation(n);
        let node = |(position, &name): (usize, &usize)| Self {
            name,
            parent: (position > 0).then(|| permutation[random.below(position)]),
            ones: [between((0.05, 0.45), random), between((0.35, 0.95), random)],
            flips: false,
        };
        permutation.iter().enumerate().map(node).collect()
    }

    fn latent(tree: &LatentTree, range: (f64, f64), ones: f64, random: &mut Random) -> Vec<Self> {
        let node = |(name, parent): (usize, Option<usize>)| {
            let factor = if parent.is_some() { 1.0 - between(range, random) } else { 1.0 };
            Self { name, parent, ones: [ones, 1.0 - ones].map(|p| p * factor), flips: true }
        };
        breadth_first(&tree.neighbours(), 0).into_iter().map(node).collect()
    }
}

/// A tree of these nodes, parents before their children; hidden ones have names behind those of the variables.
fn tree(nodes: Vec<Node>) -> Draw {
    let mut state = vec![false; nodes.len()];
    Box::new(move |random: &mut Random, row: &mut [bool]| {
        for &Node { name, parent, ones, flips } in &nodes {
            let given = parent.is_some_and(|parent| state[parent]);
            state[name] = (flips && given) ^ (random.uniform() < ones[usize::from(given)]);
        }
        row.copy_from_slice(&state[..row.len()]);
    })
}

/// A block of variables that are drawn one after another from an urn.
struct Urn {
    variables: Vec<usize>,
    ones: f64,
    total: f64,
    /// What a draw adds to its own colour: 1 or -1.
    reinforcement: f64,
}

fn mixture_of_blocks(n: usize, components: usize, blocks: usize, random: &mut Random) -> Draw {
    let component = |random: &mut Random| -> Vec<Urn> {
        let order = random.permutation(n);
        (0..blocks)
            .map(|block| {
                let variables = order[n * block / blocks..n * (block + 1) / blocks].to_vec();
                let share = between((0.05, 0.6), random);
                if random.uniform() < 0.5 {
                    Urn { variables, ones: 2.0 * share, total: 2.0, reinforcement: 1.0 }
                } else {
                    // Twice as many balls as draws, so that the urn never runs empty.
                    let total = 2.0 * variables.len() as f64;
                    let ones = (share * total).round();
                    Urn { variables, ones, total, reinforcement: -1.0 }
                }
            })
            .collect()
    };
    let components: Vec<Vec<Urn>> = (0..components).map(|_| component(random)).collect();
    let mut sum = 0.0;
    let cumulative = components
        .iter()
        .map(|_| {
            sum += between((0.5, 1.5), random);
            sum
        })
        .collect();
    mixture(components, cumulative)
}

/// A mixture of components with these cumulative weights, unnormalised.
fn mixture(components: Vec<Vec<Urn>>, cumulative: Vec<f64>) -> Draw {
    Box::new(move |random: &mut Random, row: &mut [bool]| {
        let total = cumulative.last().copied().unwrap_or(0.0);
        let point = random.uniform() * total;
        let last = components.len() - 1;
        let chosen = cumulative.iter().position(|&c| point < c).unwrap_or(last);
        for urn in &components[chosen] {
            let (mut ones, mut balls) = (urn.ones, urn.total);
            for &variable in &urn.variables {
                let one = random.uniform() * balls < ones;
                row[variable] = one;
                balls += urn.reinforcement;
                if one {
                    ones += urn.reinforcement;
                }
            }
        }
    })
}

#[cfg(test)]
mod tests;
