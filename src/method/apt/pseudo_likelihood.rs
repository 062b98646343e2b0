//! The pseudo-log-likelihood of training rows, its gradient and its curvature.
//!
//! The term of variable i depends on x_i and its neighbours alone, so rows that agree there are merged,
//! variable by variable: what is left of the data are the distinct *patterns* of each neighbourhood, with
//! the number of rows and of ones of x_i among them. A pattern is written in codes: eight neighbours give a
//! byte, and the sums of their weights are tabulated for the bytes that occur, so a pattern costs one
//! addition for each of its non-zero bytes and not for each of its ones. The gradient goes the same way
//! back.

use std::collections::HashMap;
use std::sync::Mutex;

use super::network::{Neighbour, Network};
use super::objective::Loss;
use base::parallel::{Cores, lock};
use contract::binary::{BinaryColumns, DistinctRows};
use contract::{Context, FitError};
use math::vector;

/// How many codes a neighbourhood may have: all values of `u16`.
const CODES: usize = 1 << 16;
/// Work, in patterns and codes, below which an evaluation is not worth sharing.
const WORTH_SHARING: usize = 400_000;
/// Into how many parts an evaluation is cut at most.
const PARTS: usize = 32;

/// The training rows as the pseudo-log-likelihood of one network sees them.
///
/// Memory: 8 bytes a pattern and 2 a code. All sums have a fixed order, whatever the number of cores.
#[derive(Debug)]
pub struct PseudoLikelihood {
    network: Network,
    neighbourhoods: Vec<Neighbourhood>,
    examples: f64,
    /// Variables of one part.
    chunk: usize,
    /// One for each part.
    buffers: Vec<Mutex<Buffer>>,
    /// Held while an evaluation uses the buffers.
    evaluation: Mutex<()>,
}

/// The distinct patterns of a variable's neighbours.
#[derive(Debug)]
struct Neighbourhood {
    /// Code c + 1 stands for the ones of code `rest` and the neighbour `last`; code 0 for none.
    codes: Vec<Code>,
    /// Runs of patterns with the same number of codes.
    runs: Vec<Run>,
    /// The codes of the patterns.
    entries: Vec<u16>,
    /// The rows of each pattern.
    rows: Vec<i32>,
    /// Those in which the variable is one.
    ones: Vec<i32>,
}

#[derive(Debug, Clone, Copy)]
struct Code {
    rest: u16,
    last: u16,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    patterns: usize,
    /// Codes of each.
    length: usize,
}

/// What an evaluation of some variables writes.
#[derive(Debug)]
struct Buffer {
    /// By code.
    values: Box<[f64; CODES]>,
    /// By pattern.
    margins: Vec<f64>,
    softplus: Vec<f64>,
    /// By neighbour of one variable.
    weights: Vec<f64>,
    /// By variable of the part: the loss, the derivative to the node's weight.
    losses: Vec<f64>,
    nodes: Vec<f64>,
    /// By variable of the part and its neighbours: the derivative to the edge's weight.
    edges: Vec<f64>,
}

/// What is summed over the patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sums {
    /// First derivatives.
    Gradient,
    /// Second derivatives, each parameter with itself.
    Curvature,
}

impl PseudoLikelihood {
    /// Merges the rows, neighbourhood by neighbourhood. Time O(N (n + sum of degrees / 8) + ones of the
    /// neighbours).
    ///
    /// # Errors
    /// If the user interrupts or the deadline passes; if there are no rows or more than 2,147,483,647.
    pub fn new(
        network: Network,
        train: &DistinctRows,
        context: &Context,
    ) -> Result<Self, FitError> {
        let examples = countable(train.examples())?;
        let columns = train.rows.by_column();
        let n = network.variables();
        let neighbourhoods = context.cores.map_chunks(
            n,
            n.div_ceil(PARTS),
            || (),
            |(), range| {
                let of = |variable| {
                    context.check()?;
                    Neighbourhood::new(network.neighbours(variable), variable, &columns, train)
                };
                range.map(of).collect::<Result<Vec<_>, FitError>>()
            },
        );
        let mut all = Vec::with_capacity(n);
        for some in neighbourhoods {
            all.append(&mut some?);
        }
        let work: usize = all.iter().map(|of| 3 * of.rows.len() + of.entries.len()).sum();
        let parts = if work < WORTH_SHARING { 1 } else { PARTS };
        let chunk = n.div_ceil(parts).max(1);
        let buffers = (0..n.div_ceil(chunk)).map(|_| Mutex::new(Buffer::new())).collect();
        Ok(Self {
            network,
            neighbourhoods: all,
            examples: f64::from(examples),
            chunk,
            buffers,
            evaluation: Mutex::new(()),
        })
    }

    /// Number of distinct patterns of all neighbourhoods; a loop over the examples would see N n.
    pub fn patterns(&self) -> usize {
        self.neighbourhoods.iter().map(|of| of.rows.len()).sum()
    }

    fn evaluate_all(
        &self,
        parameters: &[f64],
        sums: Sums,
        totals: &mut [f64],
        cores: &Cores,
    ) -> f64 {
        let _alone = lock(&self.evaluation);
        self.pass(parameters, sums, cores);
        self.collect(totals)
    }

    #[cfg(test)]
    pub(super) fn buffers(&self) -> usize {
        self.buffers.len()
    }

    fn pass(&self, parameters: &[f64], sums: Sums, cores: &Cores) {
        cores.map_chunks(
            self.neighbourhoods.len(),
            self.chunk,
            || (),
            |(), range| {
                let buffer = &mut *lock(&self.buffers[range.start / self.chunk]);
                buffer.clear();
                for variable in range {
                    let neighbours = self.network.neighbours(variable);
                    let of = &self.neighbourhoods[variable];
                    buffer.add(
                        of,
                        variable,
                        neighbours,
                        parameters,
                        sums,
                        self.network.variables(),
                    );
                }
            },
        );
    }

    fn collect(&self, sums: &mut [f64]) -> f64 {
        let n = self.network.variables();
        let (nodes, edges) = sums.split_at_mut(n);
        edges.fill(0.0);
        let mut loss = 0.0;
        for (part, buffer) in self.buffers.iter().enumerate() {
            let buffer = lock(buffer);
            let first = part * self.chunk;
            nodes[first..first + buffer.nodes.len()].copy_from_slice(&buffer.nodes);
            loss = buffer.losses.iter().fold(loss, |sum, term| sum + term);
            let neighbours = (first..first + buffer.nodes.len())
                .flat_map(|variable| self.network.neighbours(variable));
            for (neighbour, term) in neighbours.zip(&buffer.edges) {
                edges[neighbour.edge as usize] += term;
            }
        }
        loss
    }
}

impl Loss for PseudoLikelihood {
    fn network(&self) -> &Network {
        &self.network
    }

    fn examples(&self) -> f64 {
        self.examples
    }

    fn evaluate(&self, parameters: &[f64], gradient: &mut [f64], cores: &Cores) -> f64 {
        self.evaluate_all(parameters, Sums::Gradient, gradient, cores)
    }

    fn curvature(&self, parameters: &[f64], diagonal: &mut [f64], cores: &Cores) {
        self.evaluate_all(parameters, Sums::Curvature, diagonal, cores);
    }
}

/// The number of training examples, if there are any and not too many to count in a pattern.
fn countable(examples: usize) -> Result<i32, FitError> {
    match i32::try_from(examples) {
        Ok(0) => Err(FitError::NoExamples),
        Ok(examples) => Ok(examples),
        Err(_) => Err(FitError::TooManyExamples { most: i32::MAX as u32 }),
    }
}

impl Neighbourhood {
    fn new(
        neighbours: &[Neighbour],
        variable: usize,
        columns: &BinaryColumns,
        train: &DistinctRows,
    ) -> Result<Self, FitError> {
        let fits = |width: &usize| neighbours.len().div_ceil(*width) * ((1 << width) - 1) < CODES;
        let width = [8, 4, 1].into_iter().find(fits).ok_or_else(|| {
            let count = neighbours.len();
            FitError::Failed(format!("a variable has {count} neighbours; at most 65,535 fit"))
        })?;
        let bytes = neighbours.len().div_ceil(width);
        let mut bits = vec![0u8; bytes * train.rows.len()];
        for (at, neighbour) in neighbours.iter().enumerate() {
            for &row in columns.of(neighbour.variable as usize) {
                bits[row as usize * bytes + at / width] |= 1 << (at % width);
            }
        }
        let mut is_one = vec![false; train.rows.len()];
        columns.of(variable).iter().for_each(|&row| is_one[row as usize] = true);
        let mut index: HashMap<&[u8], usize> = HashMap::new();
        let mut patterns: Vec<Pattern<'_>> = Vec::new();
        for (row, (&count, is_one)) in train.counts.iter().zip(is_one).enumerate() {
            let bits = &bits[row * bytes..(row + 1) * bytes];
            let at = *index.entry(bits).or_insert_with(|| {
                let length = bits.iter().filter(|&&byte| byte != 0).count();
                patterns.push(Pattern { bits, length, rows: 0, ones: 0 });
                patterns.len() - 1
            });
            patterns[at].rows += count as i32;
            patterns[at].ones += if is_one { count as i32 } else { 0 };
        }
        patterns.sort_by_key(|pattern| pattern.length);
        let mut codes = Codes { of: vec![0; bytes << width], codes: Vec::new(), width };
        let mut entries = Vec::with_capacity(patterns.iter().map(|pattern| pattern.length).sum());
        for pattern in &patterns {
            for (place, &byte) in pattern.bits.iter().enumerate().filter(|(_, byte)| **byte != 0) {
                entries.push(codes.of(place, byte));
            }
        }
        let same_length = patterns.chunk_by(|a, b| a.length == b.length);
        Ok(Self {
            codes: codes.codes,
            runs: same_length.map(|of| Run { patterns: of.len(), length: of[0].length }).collect(),
            entries,
            rows: patterns.iter().map(|pattern| pattern.rows).collect(),
            ones: patterns.iter().map(|pattern| pattern.ones).collect(),
        })
    }
}

struct Pattern<'a> {
    bits: &'a [u8],
    /// Non-zero bytes.
    length: usize,
    rows: i32,
    ones: i32,
}

struct Codes {
    /// By place and byte; 0 for those without a code.
    of: Vec<u16>,
    codes: Vec<Code>,
    width: usize,
}

impl Codes {
    /// The code of a byte at a place; new codes come after that of the same byte without its highest one.
    fn of(&mut self, place: usize, byte: u8) -> u16 {
        if byte == 0 {
            return 0;
        }
        let at = place << self.width | byte as usize;
        if self.of[at] == 0 {
            let highest = 7 - byte.leading_zeros() as usize;
            let rest = self.of(place, byte ^ 1 << highest);
            self.codes.push(Code { rest, last: (place * self.width + highest) as u16 });
            self.of[at] = self.codes.len() as u16;
        }
        self.of[at]
    }
}

impl Buffer {
    fn new() -> Self {
        let values = vec![0.0; CODES].into_boxed_slice().try_into();
        Self {
            values: values.unwrap_or_else(|_| unreachable!("the length is that of the array")),
            margins: Vec::new(),
            softplus: Vec::new(),
            weights: Vec::new(),
            losses: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.losses.clear();
        self.nodes.clear();
        self.edges.clear();
    }

    /// Adds the terms of one variable.
    fn add(
        &mut self,
        of: &Neighbourhood,
        variable: usize,
        neighbours: &[Neighbour],
        parameters: &[f64],
        sums: Sums,
        n: usize,
    ) {
        let weight = |neighbour: &Neighbour| parameters[n + neighbour.edge as usize];
        self.weights.clear();
        self.weights.extend(neighbours.iter().map(weight));
        self.values[0] = 0.0;
        for (at, code) in of.codes.iter().enumerate() {
            self.values[at + 1] =
                self.values[code.rest as usize] + self.weights[code.last as usize];
        }
        let patterns = of.rows.len();
        self.margins.clear();
        self.margins.resize(patterns, parameters[variable]);
        self.softplus.resize(patterns, 0.0);
        of.each_run(|run, entries, range| {
            gather(run.length, entries, &self.values, &mut self.margins[range]);
        });
        let counts = || of.rows.iter().zip(&of.ones);
        match sums {
            Sums::Gradient => {
                let linear = weighted(&self.margins, &of.ones);
                vector::logistic(&mut self.margins, &mut self.softplus[..patterns]);
                self.losses.push(weighted(&self.softplus[..patterns], &of.rows) - linear);
                for (share, (&rows, &ones)) in self.margins.iter_mut().zip(counts()) {
                    *share = f64::from(rows) * *share - f64::from(ones);
                }
            }
            Sums::Curvature => {
                vector::sigmoid(&mut self.margins);
                for (share, (&rows, _)) in self.margins.iter_mut().zip(counts()) {
                    *share = f64::from(rows) * *share * (1.0 - *share);
                }
            }
        }
        self.nodes.push(vector::sum(&self.margins));
        self.values[..=of.codes.len()].fill(0.0);
        of.each_run(|run, entries, range| {
            scatter(run.length, entries, &self.margins[range], &mut self.values);
        });
        self.weights.fill(0.0);
        for (at, code) in of.codes.iter().enumerate().rev() {
            let value = self.values[at + 1];
            self.weights[code.last as usize] += value;
            self.values[code.rest as usize] += value;
        }
        self.edges.extend_from_slice(&self.weights);
    }
}

impl Neighbourhood {
    fn each_run(&self, mut work: impl FnMut(Run, &[u16], std::ops::Range<usize>)) {
        let (mut entry, mut pattern) = (0, 0);
        for &run in &self.runs {
            let entries = &self.entries[entry..entry + run.patterns * run.length];
            work(run, entries, pattern..pattern + run.patterns);
            entry += entries.len();
            pattern += run.patterns;
        }
    }
}

/// Adds to each pattern the values of its codes.
fn gather(length: usize, entries: &[u16], values: &[f64; CODES], margins: &mut [f64]) {
    fn fixed<const L: usize>(entries: &[u16], values: &[f64; CODES], margins: &mut [f64]) {
        for (codes, margin) in entries.as_chunks::<L>().0.iter().zip(margins) {
            *margin = codes.iter().fold(*margin, |sum, &code| sum + values[code as usize]);
        }
    }
    match length {
        0 => {}
        1 => fixed::<1>(entries, values, margins),
        2 => fixed::<2>(entries, values, margins),
        3 => fixed::<3>(entries, values, margins),
        4 => fixed::<4>(entries, values, margins),
        5 => fixed::<5>(entries, values, margins),
        6 => fixed::<6>(entries, values, margins),
        7 => fixed::<7>(entries, values, margins),
        8 => fixed::<8>(entries, values, margins),
        _ => {
            for (codes, margin) in entries.chunks_exact(length).zip(margins) {
                *margin = codes.iter().fold(*margin, |sum, &code| sum + values[code as usize]);
            }
        }
    }
}

/// Adds to each code the terms of the patterns that have it.
fn scatter(length: usize, entries: &[u16], terms: &[f64], values: &mut [f64; CODES]) {
    fn fixed<const L: usize>(entries: &[u16], terms: &[f64], values: &mut [f64; CODES]) {
        for (codes, term) in entries.as_chunks::<L>().0.iter().zip(terms) {
            for &code in codes {
                values[code as usize] += term;
            }
        }
    }
    match length {
        0 => {}
        1 => fixed::<1>(entries, terms, values),
        2 => fixed::<2>(entries, terms, values),
        3 => fixed::<3>(entries, terms, values),
        4 => fixed::<4>(entries, terms, values),
        5 => fixed::<5>(entries, terms, values),
        6 => fixed::<6>(entries, terms, values),
        7 => fixed::<7>(entries, terms, values),
        8 => fixed::<8>(entries, terms, values),
        _ => {
            for (codes, term) in entries.chunks_exact(length).zip(terms) {
                codes.iter().for_each(|&code| values[code as usize] += term);
            }
        }
    }
}

/// Σ counts × values, in four lanes as [`vector::sum`].
fn weighted(values: &[f64], counts: &[i32]) -> f64 {
    let mut lanes = [0.0; 4];
    let (quads, rest) = values.as_chunks::<4>();
    let (of_quads, of_rest) = counts.as_chunks::<4>();
    for (quad, counts) in quads.iter().zip(of_quads) {
        for ((lane, value), &count) in lanes.iter_mut().zip(quad).zip(counts) {
            *lane += value * f64::from(count);
        }
    }
    let total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    rest.iter().zip(of_rest).fold(total, |sum, (value, &count)| sum + value * f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_counted_in_31_bits() {
        assert_eq!(countable(i32::MAX as usize), Ok(i32::MAX));
        let error = countable(1 << 31).unwrap_err();
        assert_eq!(error.to_string(), "more than 2,147,483,647 training examples");
    }
}
