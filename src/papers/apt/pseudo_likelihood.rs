//! The pseudo-log-likelihood of training rows, its gradient and its curvature.
//!
//! The term of variable i depends on x_i and its neighbours alone, so rows that agree there are merged,
//! variable by variable: what is left of the data are the distinct *patterns* of each neighbourhood, with
//! the number of examples. A pattern is written in codes: eight neighbours give a
//! byte, and the sums of their weights are tabulated for the bytes that occur, so a pattern costs one
//! addition for each of its non-zero bytes and not for each of its ones. The gradient goes the same way
//! back. Up to eight vectors of parameters are served in one pass over the codes.
//!
//! What is linear in the parameters, Σ_r Σ_i x_ri a_ri with the log-odds a, needs no pass: its derivatives are the
//! numbers of examples in which a variable is one, and twice those in which both ends of an edge are.

use std::collections::HashMap;

use super::hessian::Blocks;
use super::network::{Neighbour, Network};
use super::objective::{Answer, Loss, Request};
use base::parallel::Cores;
use contract::binary::{BinaryColumns, DistinctRows};
use contract::{Context, FitError, Result};
use math::lanes::{self, Members, plus};
use math::newton::Asked;
use math::vector;
use method::shared::refusals::countable;

/// How many codes a neighbourhood may have: all values of `u16`.
const CODES: usize = 1 << 16;
/// Work, in patterns and codes, below which an evaluation is not worth sharing.
const WORTH_SHARING: usize = 400_000;
/// Into how many parts an evaluation is cut at most.
const PARTS: usize = 32;
/// Patterns that pass through all steps of an evaluation before the next ones: what is between them stays near.
const BLOCK: usize = 512;
/// Bytes that the sums of one pass may take, and those of all Hessians that are held.
const PASS: usize = 256 << 20;
const HELD: usize = 1 << 30;

/// The training rows as the pseudo-log-likelihood of one network sees them.
///
/// Memory: 8 bytes a pattern and 2 a code of one; a Hessian has 4 bytes for each pair of parameters of a neighbourhood,
/// and 8 for each lane while it is summed up. All sums have a fixed order, whatever the number of cores.
#[derive(Debug)]
pub struct PseudoLikelihood {
    network: Network,
    pub(super) neighbourhoods: Vec<Neighbourhood>,
    examples: f64,
    /// Variables of one part.
    chunk: usize,
    /// Derivatives of the linear part.
    linear: Vec<f64>,
    /// Entries of a Hessian.
    pairs: usize,
}

/// The distinct patterns of a variable's neighbours.
#[derive(Debug)]
pub(super) struct Neighbourhood {
    /// Code c + 1 stands for the ones of code `rest` and the neighbour `last`; code 0 for none.
    codes: Vec<Code>,
    /// Runs of patterns with the same number of codes.
    runs: Vec<Run>,
    /// The codes of the patterns.
    entries: Vec<u16>,
    /// The examples of each pattern.
    pub(super) examples: Vec<f64>,
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

/// What a thread needs to serve some requests.
#[derive(Default)]
struct Scratch<const W: usize> {
    /// By code: the sum of its weights, and what its patterns add to the derivatives.
    table: Vec<[f64; W]>,
    back: Vec<[f64; W]>,
    /// By pattern of a block: the margin, then what it adds to the derivatives.
    margins: Vec<[f64; W]>,
    softplus: Vec<[f64; W]>,
    /// By neighbour of one variable.
    weights: Vec<[f64; W]>,
}

/// What the variables of a part add up to: the loss and, variable by variable, what is asked.
struct Part<const W: usize> {
    loss: [f64; W],
    /// Derivatives by the variable's own weight and then by those of its edges; or, of these, each one with itself
    /// and those after it.
    derivatives: Vec<[f64; W]>,
}

impl PseudoLikelihood {
    /// Merges the rows, neighbourhood by neighbourhood. Time O(N (n + sum of degrees / 8) + ones of the
    /// neighbours).
    ///
    /// # Errors
    /// If the user interrupts or the deadline passes; if there are no rows or more than 2,147,483,647.
    pub fn new(network: Network, train: &DistinctRows, context: &Context) -> Result<Self> {
        // A pattern counts with a sign.
        let examples = countable(train.examples(), i32::MAX as u32)?;
        let columns = train.rows.by_column();
        let n = network.variables();
        let all = context.each(n, n.div_ceil(PARTS), |variable| {
            context.check()?;
            Neighbourhood::new(network.neighbours(variable), &columns, train)
        })?;
        let work: usize = all.iter().map(|of| 3 * of.examples.len() + of.entries.len()).sum();
        let parts = if work < WORTH_SHARING { 1 } else { PARTS };
        let linear = linear(&network, train, &columns);
        let sizes = (0..n).map(|variable| network.neighbours(variable).len() + 1);
        let pairs = sizes.map(|size| size * (size + 1) / 2).sum();
        Ok(Self {
            network,
            neighbourhoods: all,
            examples: f64::from(examples),
            chunk: n.div_ceil(parts).max(1),
            linear,
            pairs,
        })
    }

    /// Answers requests of one kind, no more than there are lanes.
    fn pass<const W: usize>(&self, points: &[&[f64]], asked: Asked, cores: &Cores) -> Vec<Answer> {
        let n = self.network.variables();
        let parts = cores.map_chunks(n, self.chunk, Scratch::default, |scratch, range| {
            let mut part = Part { loss: [0.0; W], derivatives: Vec::new() };
            for variable in range {
                let neighbours = self.network.neighbours(variable);
                let weight = |parameter: usize| {
                    let mut weight = [0.0; W];
                    let lanes = weight.iter_mut().zip(points);
                    lanes.for_each(|(lane, point)| *lane = point[parameter]);
                    weight
                };
                scratch.weights.clear();
                let edges = neighbours.iter().map(|to| weight(n + to.edge as usize));
                scratch.weights.extend(edges);
                let of = &self.neighbourhoods[variable];
                scratch.tabulate(of);
                match asked {
                    Asked::Gradient => scratch.differentiate(of, weight(variable), &mut part),
                    Asked::Hessian => scratch.curve(of, weight(variable), &mut part),
                }
            }
            part
        });
        let answer = |lane: usize| match asked {
            Asked::Gradient => self.gradient(points[lane], lane, &parts),
            Asked::Hessian => {
                let derivatives = parts.iter().flat_map(|part| &part.derivatives);
                let entries = derivatives.map(|entry| entry[lane]);
                Answer::Hessian(Box::new(Blocks::new(&self.network, entries)))
            }
        };
        (0..points.len()).map(answer).collect()
    }

    fn gradient<const W: usize>(&self, point: &[f64], lane: usize, parts: &[Part<W>]) -> Answer {
        let n = self.network.variables();
        let loss: f64 = parts.iter().map(|part| part.loss[lane]).sum();
        let mut gradient: Vec<f64> = self.linear.iter().map(|linear| -linear).collect();
        let mut derivatives = parts.iter().flat_map(|part| &part.derivatives);
        for variable in 0..n {
            let edges = self.network.neighbours(variable).iter().map(|to| n + to.edge as usize);
            for (parameter, derivative) in [variable].into_iter().chain(edges).zip(&mut derivatives)
            {
                gradient[parameter] += derivative[lane];
            }
        }
        Answer::Gradient(loss - vector::dot(&self.linear, point), gradient)
    }
}

/// Derivatives of the linear part of the log-likelihood.
fn linear(network: &Network, train: &DistinctRows, columns: &BinaryColumns) -> Vec<f64> {
    let counts = &train.counts;
    let ones = |variable: usize| -> f64 {
        columns.of(variable).iter().map(|&row| f64::from(counts[row as usize])).sum()
    };
    let mut linear: Vec<f64> = (0..network.variables()).map(ones).collect();
    let mut is_one = vec![false; train.rows.len()];
    for edges in network.edges.chunk_by(|a, b| a[0] == b[0]) {
        let lower = columns.of(edges[0][0] as usize);
        lower.iter().for_each(|&row| is_one[row as usize] = true);
        for edge in edges {
            let both = columns.of(edge[1] as usize).iter().filter(|&&row| is_one[row as usize]);
            linear.push(2.0 * both.map(|&row| f64::from(counts[row as usize])).sum::<f64>());
        }
        lower.iter().for_each(|&row| is_one[row as usize] = false);
    }
    linear
}

impl Loss for PseudoLikelihood {
    fn network(&self) -> &Network {
        &self.network
    }

    fn examples(&self) -> f64 {
        self.examples
    }

    fn together(&self) -> usize {
        (HELD / (4 * self.pairs)).max(1)
    }

    fn serve(&self, requests: &[Request<'_>], cores: &Cores) -> Vec<Answer> {
        let same = requests.chunk_by(|a, b| a.asked == b.asked);
        let some = same.flat_map(|same| {
            let fits = |lanes: &usize| 8 * lanes * self.pairs <= PASS;
            let lanes = match same[0].asked {
                Asked::Gradient => 8,
                Asked::Hessian => [8, 4].into_iter().find(fits).unwrap_or(1),
            };
            same.chunks(lanes)
        });
        let answers = some.flat_map(|some| {
            let asked = some[0].asked;
            let points: Vec<&[f64]> = some.iter().map(|request| request.point).collect();
            match points.len() {
                1 => self.pass::<1>(&points, asked, cores),
                2..=4 => self.pass::<4>(&points, asked, cores),
                _ => self.pass::<8>(&points, asked, cores),
            }
        });
        answers.collect()
    }
}

impl Neighbourhood {
    fn new(
        neighbours: &[Neighbour],
        columns: &BinaryColumns,
        train: &DistinctRows,
    ) -> Result<Self> {
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
        let mut index: HashMap<&[u8], usize> = HashMap::new();
        let mut patterns: Vec<Pattern<'_>> = Vec::new();
        for (row, &count) in train.counts.iter().enumerate() {
            let bits = &bits[row * bytes..(row + 1) * bytes];
            let at = *index.entry(bits).or_insert_with(|| {
                let length = bits.iter().filter(|&&byte| byte != 0).count();
                patterns.push(Pattern { bits, length, examples: 0.0 });
                patterns.len() - 1
            });
            patterns[at].examples += f64::from(count);
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
            examples: patterns.iter().map(|pattern| pattern.examples).collect(),
        })
    }

    /// The neighbours of the codes, from 1 on; the variable itself is 0.
    fn members(&self, neighbours: usize) -> Members {
        let mut of_codes: Vec<Vec<u16>> = vec![Vec::new()];
        for code in &self.codes {
            let mut members = of_codes[code.rest as usize].clone();
            members.push(code.last + 1);
            of_codes.push(members);
        }
        Members::new(neighbours, of_codes.iter().map(Vec::as_slice))
    }

    /// Calls `work` with patterns of the same number of codes: that number, their codes and their examples.
    fn each_block(&self, mut work: impl FnMut(usize, &[u16], &[f64])) {
        let (mut entries, mut examples) = (&self.entries[..], &self.examples[..]);
        for &Run { mut patterns, length } in &self.runs {
            while patterns > 0 {
                let some = patterns.min(BLOCK);
                let (codes, counts);
                (codes, entries) = entries.split_at(some * length);
                (counts, examples) = examples.split_at(some);
                work(length, codes, counts);
                patterns -= some;
            }
        }
    }
}

struct Pattern<'a> {
    bits: &'a [u8],
    /// Non-zero bytes.
    length: usize,
    examples: f64,
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

impl<const W: usize> Scratch<W> {
    /// The sums of the codes' weights.
    fn tabulate(&mut self, of: &Neighbourhood) {
        self.table.clear();
        self.table.push([0.0; W]);
        for code in &of.codes {
            let sum = plus(self.table[code.rest as usize], &self.weights[code.last as usize]);
            self.table.push(sum);
        }
    }

    /// The log-odds of some patterns.
    fn gather(&mut self, node: [f64; W], length: usize, codes: &[u16], patterns: usize) {
        self.margins.clear();
        self.margins.resize(patterns, node);
        lanes::gather(codes, length, &self.table, &mut self.margins);
    }

    /// Adds the terms of one variable, whose own weight is `node`.
    fn differentiate(&mut self, of: &Neighbourhood, node: [f64; W], part: &mut Part<W>) {
        let mut back = std::mem::take(&mut self.back);
        back.clear();
        back.resize(self.table.len(), [0.0; W]);
        let mut own = [0.0; W];
        of.each_block(|length, codes, examples| {
            self.gather(node, length, codes, examples.len());
            self.softplus.resize(self.margins.len(), [0.0; W]);
            let margins = self.margins.as_flattened_mut();
            vector::logistic(margins, self.softplus.as_flattened_mut());
            part.loss = plus(part.loss, &lanes::weighted(examples, &self.softplus));
            own = plus(own, &lanes::weigh(examples, &mut self.margins));
            lanes::scatter(codes, length, &self.margins, &mut back);
        });
        part.derivatives.push(own);
        self.weights.fill([0.0; W]);
        for (at, code) in of.codes.iter().enumerate().rev() {
            let value = back[at + 1];
            let (last, rest) = (code.last as usize, code.rest as usize);
            self.weights[last] = plus(self.weights[last], &value);
            back[rest] = plus(back[rest], &value);
        }
        part.derivatives.extend_from_slice(&self.weights);
        self.back = back;
    }

    /// Adds the second derivatives of the terms of one variable.
    fn curve(&mut self, of: &Neighbourhood, node: [f64; W], part: &mut Part<W>) {
        let members = of.members(self.weights.len());
        let first = part.derivatives.len();
        part.derivatives.resize(first + members.pairs(), [0.0; W]);
        let pairs = &mut part.derivatives[first..];
        of.each_block(|length, codes, examples| {
            self.gather(node, length, codes, examples.len());
            let shares = self.margins.as_flattened_mut();
            vector::sigmoid(shares);
            for share in shares {
                *share *= 1.0 - *share;
            }
            lanes::weigh(examples, &mut self.margins);
            lanes::square(codes, length, &members, &self.margins, pairs);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::PseudoLikelihood;

    impl PseudoLikelihood {
        /// Number of parts that cores can share.
        pub(in crate::apt) fn parts(&self) -> usize {
            self.network.variables().div_ceil(self.chunk)
        }
    }
}
