//! Growing a tree, level by level.
//!
//! The nodes of a level are independent of each other and are split on all idle cores. A node is a
//! run of example numbers grouped by class; splitting keeps the order within zeros and ones, so the
//! children are grouped by class as well.

use std::ops::Range;
use std::sync::Mutex;

use super::split::Search;
use super::{DecisionTree, Node};
use crate::shared::prediction::highest;
use base::parallel::lock;
use contract::binary::BinaryRows;
use contract::packed::PackedRows;
use contract::{Binary, Context, FitError, Labelled, Result};
use math::random::Random;

/// Scores are compared exactly in 128 bits, and prepared exactly in 53, up to this many examples.
const MOST_EXAMPLES: usize = 1 << 26;
/// A level with fewer examples in all is not worth sharing between cores.
const WORTH_SHARING: usize = 1 << 12;
/// Into how many parts a level is cut at most.
const PARTS: usize = 64;
/// Sparse rows are packed where more than one value in so many is a one: a packed row is then no
/// larger, and counting its ones is several times faster.
const PACKED_BELOW: usize = 32;

/// The nodes of one depth that are not pure.
struct Level {
    /// The examples of all nodes, one node after another; those of a node by class.
    examples: Vec<u32>,
    /// How many examples of each class each node has; `classes` numbers a node.
    counts: Vec<u32>,
    nodes: Vec<Open>,
}

/// A node to be split.
struct Open {
    /// Its index in the tree.
    index: usize,
    /// Its part of the level's examples.
    examples: Range<usize>,
    /// Picks one of several equally good variables: uniform in [0, 1).
    draw: f64,
}

/// What the children of some consecutive nodes are made of.
#[derive(Default)]
struct Division {
    /// The variable by which each node is split, if there is one.
    variables: Vec<Option<u32>>,
    /// The examples of the nodes that are split: of each node the zeros, then the ones.
    examples: Vec<u32>,
    /// Their numbers by class: of each node those of the zeros, then of the ones.
    counts: Vec<u32>,
}

/// Grows a tree. Of several equally good variables `ties` draws one; without it the first is taken.
///
/// Time O(sum over levels of (words or ones of the rows in impure nodes + nodes × variables that are
/// not constant)), for packed rows nodes × variables; memory O(examples + nodes + cores × variables)
/// beside the rows.
///
/// # Errors
/// If there are no examples or too many, the deadline passes or the user interrupts.
pub fn grow(train: &Labelled, mut ties: Option<Random>, context: &Context) -> Result<DecisionTree> {
    check_size(train.labels.len())?;
    let mut draw = || ties.as_mut().map_or(0.0, Random::uniform);
    let packed;
    let data = match train.examples.binary()? {
        Binary::Sparse(rows) if is_dense(rows) => {
            packed = PackedRows::from(rows);
            Binary::Packed(&packed)
        }
        data => data,
    };
    let (variables, nodes) = (data.variables(), Vec::new());
    let mut tree = DecisionTree { variables, nodes, counts: Vec::new(), depth: 0 };
    let mut level = root(train);
    tree.push(&level.counts);
    level.nodes[0].draw = draw();
    if pure(&level.counts) {
        return Ok(tree);
    }
    let idle = Mutex::new(Vec::new());
    while !level.nodes.is_empty() {
        let parts = if level.examples.len() < WORTH_SHARING { 1 } else { PARTS };
        let chunk = level.nodes.len().div_ceil(parts);
        let divisions = context.cores.map(level.nodes.len(), chunk, |range| {
            context.check()?;
            // Making a search costs O(variables), too much for every level of a deep tree.
            let kept = lock(&idle).pop();
            let mut search = kept.unwrap_or_else(|| Search::new(data));
            let division = divide(&level, range, data, train.classes, &mut search);
            lock(&idle).push(search);
            Ok(division)
        });
        let divisions = divisions.into_iter().collect::<Result<Vec<_>>>()?;
        level = next(&mut tree, &level, &divisions, train.classes, &mut draw);
    }
    Ok(tree)
}

fn check_size(examples: usize) -> Result<()> {
    match examples {
        0 => Err(FitError::NoExamples),
        _ if examples > MOST_EXAMPLES => Err(FitError::Failed(format!(
            "{examples} training examples: a decision tree takes {MOST_EXAMPLES} at most"
        ))),
        _ => Ok(()),
    }
}

/// Whether the ones of these rows are counted faster by their bits.
fn is_dense(rows: &BinaryRows) -> bool {
    rows.total_ones() > rows.len() * rows.variables() / PACKED_BELOW
}

/// All examples, grouped by class.
fn root(train: &Labelled) -> Level {
    let mut of_class: Vec<Vec<u32>> = vec![Vec::new(); train.classes];
    for (example, &class) in (0..).zip(&train.labels) {
        of_class[class as usize].push(example);
    }
    let counts = of_class.iter().map(|examples| examples.len() as u32).collect();
    let examples = of_class.concat();
    let whole = Open { index: 0, examples: 0..examples.len(), draw: 0.0 };
    Level { examples, counts, nodes: vec![whole] }
}

/// Finds the split of each node of a range and divides its examples.
fn divide(
    level: &Level,
    range: Range<usize>,
    data: Binary<'_>,
    classes: usize,
    search: &mut Search<'_>,
) -> Division {
    let mut division = Division::default();
    let mut ones = Vec::new();
    for index in range {
        let node = &level.nodes[index];
        let examples = &level.examples[node.examples.clone()];
        let counts = &level.counts[index * classes..(index + 1) * classes];
        let best = search.best(examples, counts, node.draw);
        division.variables.push(best);
        let Some(variable) = best else { continue };
        let of_zeros = division.counts.len();
        division.counts.extend_from_slice(counts);
        let mut rest = examples;
        for (class, &size) in counts.iter().enumerate() {
            let (run, behind) = rest.split_at(size as usize);
            rest = behind;
            let before = ones.len();
            for &example in run {
                if data.is_one(example as usize, variable) {
                    ones.push(example);
                } else {
                    division.examples.push(example);
                }
            }
            let run_ones = (ones.len() - before) as u32;
            division.counts[of_zeros + class] -= run_ones;
            division.counts.push(run_ones);
        }
        division.examples.append(&mut ones);
    }
    division
}

/// Adds the children of a level to the tree and opens those that are not pure.
fn next(
    tree: &mut DecisionTree,
    level: &Level,
    divisions: &[Division],
    classes: usize,
    draw: &mut impl FnMut() -> f64,
) -> Level {
    let mut opened = Level { examples: Vec::new(), counts: Vec::new(), nodes: Vec::new() };
    let mut nodes = level.nodes.iter();
    let before = tree.nodes.len();
    for division in divisions {
        let mut counts = division.counts.chunks_exact(classes);
        let mut examples = &division.examples[..];
        for (variable, node) in division.variables.iter().zip(&mut nodes) {
            let Some(variable) = *variable else { continue };
            tree.nodes[node.index] = Node::Split { variable, zero: tree.nodes.len() as u32 };
            for counts in counts.by_ref().take(2) {
                let index = tree.nodes.len();
                tree.push(counts);
                let size: u32 = counts.iter().sum();
                let (own, behind) = examples.split_at(size as usize);
                examples = behind;
                if !pure(counts) {
                    let start = opened.examples.len();
                    opened.examples.extend_from_slice(own);
                    let examples = start..opened.examples.len();
                    opened.counts.extend_from_slice(counts);
                    opened.nodes.push(Open { index, examples, draw: draw() });
                }
            }
        }
    }
    tree.depth += usize::from(tree.nodes.len() > before);
    opened
}

impl DecisionTree {
    /// Adds a leaf of so many examples of each class. It predicts the most frequent one, of several the lowest.
    fn push(&mut self, counts: &[u32]) {
        let class = highest(counts.iter().map(|&count| f64::from(count)));
        self.nodes.push(Node::Leaf(class));
        self.counts.extend_from_slice(counts);
    }
}

fn pure(counts: &[u32]) -> bool {
    counts.iter().filter(|&&count| count > 0).count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_examples_has_a_limit() {
        let message = |examples| check_size(examples).unwrap_err().to_string();
        assert_eq!(message(0), "there are no training examples");
        assert_eq!(
            message(MOST_EXAMPLES + 1),
            "67108865 training examples: a decision tree takes 67108864 at most"
        );
        assert_eq!(check_size(MOST_EXAMPLES), Ok(()));
    }
}
