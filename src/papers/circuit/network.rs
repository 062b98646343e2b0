//! Arithmetic circuits over binary variables: sums and products of leaves, in one flat array.
//!
//! The children of a product have no variable in common, those of a sum have the same ones, and the weights of a sum total one
//! unless the circuit is unnormalised: then the value of the root is a distribution but for a constant, which one evaluation with
//! no variable observed gives. Values are logarithms.

use base::parallel::Cores;
use contract::binary::BinaryRows;
use contract::packed::bits_of;
use contract::{DensityModel, FitError, Measure, Reported, Result, metrics, words};
use math::special::{exp, ln};
use method::metrics::PARAMETERS;

use crate::blocks::by_blocks;

metrics! {
    pub CIRCUIT_EDGES: Model = "circuit_edges", "Edges of the circuit",
        "number of edges between the nodes of an arithmetic circuit";
}

/// Rows that are evaluated at once.
const ROWS: usize = 64;

/// A node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// The leaf of this number.
    Leaf(u32),
    /// The sum or product of this number.
    Inner(u32),
}

/// The distribution of one variable; a literal where one value is impossible. Without a variable a factor, `logs[0]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leaf {
    /// The variable.
    pub variable: Option<u32>,
    /// The logarithms of the probabilities of zero and of one.
    pub logs: [f64; 2],
}

/// A sum or a product: its children stand before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inner {
    pub(super) sum: bool,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// What is known of the variables in each of up to 64 rows: of each variable, the rows in which it may be zero, and one.
#[derive(Debug, Clone)]
pub struct Evidence(pub Vec<[u64; 2]>);

impl Evidence {
    /// Nothing is observed.
    pub fn none(variables: usize) -> Self {
        Self(vec![[u64::MAX; 2]; variables])
    }
}

words! {
    /// How sums are computed.
    pub enum Sums {
        Exact = "exact", "exactly";
        AsPrinted = "as-printed", "as the programme of Gens and Domingos prints them: with a rough exponential, and each divided by 1.01; no distribution";
    }
}

/// A circuit; its root is the last sum or product.
#[derive(Debug, Clone, PartialEq)]
pub struct Circuit {
    pub(super) variables: usize,
    pub(super) leaves: Vec<Leaf>,
    pub(super) inner: Vec<Inner>,
    pub(super) edges: Vec<Node>,
    /// Of each edge the logarithm of its weight; 0 below products.
    pub(super) weights: Vec<f64>,
    /// The logarithm of the sum over all states.
    total: f64,
    sums: Sums,
}

impl Circuit {
    /// No nodes yet.
    pub fn new(variables: usize) -> Self {
        let (leaves, inner, edges, weights) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { variables, leaves, inner, edges, weights, total: 0.0, sums: Sums::Exact }
    }

    /// Adds a leaf.
    pub fn leaf(&mut self, leaf: Leaf) -> Node {
        self.leaves.push(leaf);
        Node::Leaf(self.leaves.len() as u32 - 1)
    }

    /// Adds a product.
    pub fn product(&mut self, children: impl IntoIterator<Item = Node>) -> Node {
        self.add(false, children)
    }

    /// Adds a sum of children with the logarithms of their weights.
    pub fn sum(&mut self, children: impl IntoIterator<Item = (Node, f64)>) -> Node {
        let (children, weights): (Vec<_>, Vec<_>) = children.into_iter().unzip();
        let first = self.edges.len();
        let node = self.add(true, children);
        self.weights[first..].copy_from_slice(&weights);
        node
    }

    /// Adds a product, or a sum without weights.
    pub(super) fn add(&mut self, sum: bool, children: impl IntoIterator<Item = Node>) -> Node {
        let start = self.edges.len() as u32;
        self.edges.extend(children);
        self.weights.resize(self.edges.len(), 0.0);
        self.inner.push(Inner { sum, start, end: self.edges.len() as u32 });
        Node::Inner(self.inner.len() as u32 - 1)
    }

    /// The circuit, once it is found to be a distribution.
    ///
    /// # Errors
    /// If it is none.
    pub fn normalised(self) -> Result<Self> {
        self.check_scopes().map_err(FitError::failed)?;
        let total = |logs: &[f64]| logs.iter().map(|&log| exp(log)).sum::<f64>();
        let sums = self.inner.iter().filter(|inner| inner.sum);
        let weights =
            sums.map(|sum| ("weights of a sum", total(&self.weights[self.children(sum)])));
        let leaves = self.leaves.iter();
        let values = leaves.map(|leaf| ("probabilities of a leaf", total(&leaf.logs)));
        match weights.chain(values).find(|(_, total)| (total - 1.0).abs() > 1e-12) {
            Some((what, total)) => Err(FitError::Failed(format!("the {what} total {total}"))),
            None => Ok(self),
        }
    }

    /// The circuit of a distribution but for a constant.
    ///
    /// # Errors
    /// If it is none.
    pub fn unnormalised(mut self) -> Result<Self> {
        let none = |why: &str| FitError::NoSolution(why.to_owned());
        self.check_scopes().map_err(none)?;
        self.total = self.log_total();
        if self.total.is_finite() { Ok(self) } else { Err(none("its total is no number")) }
    }

    /// The same circuit, evaluated so.
    #[must_use]
    pub fn with(self, sums: Sums) -> Self {
        Self { sums, ..self }
    }

    /// Refuses nodes and edges that are no distribution.
    fn check_scopes(&self) -> Result<(), &'static str> {
        let words = self.variables.div_ceil(64);
        let mut scopes = vec![0_u64; self.inner.len() * words];
        let mut child = vec![0_u64; words];
        for (at, inner) in self.inner.iter().enumerate() {
            let mut scope = vec![0; words];
            for (nth, edge) in self.edges[self.children(inner)].iter().enumerate() {
                child.fill(0);
                match *edge {
                    Node::Leaf(leaf) => {
                        if let Some(variable) = self.leaves[leaf as usize].variable {
                            child[variable as usize / 64] |= 1 << (variable % 64);
                        }
                    }
                    Node::Inner(of) if (of as usize) < at => {
                        child.copy_from_slice(&scopes[of as usize * words..][..words]);
                    }
                    Node::Inner(_) => return Err("a node stands before its child"),
                }
                let shared = scope.iter().zip(&child).any(|(one, other)| one & other != 0);
                if !inner.sum && shared {
                    return Err("two factors of a product have a variable in common");
                }
                if inner.sum && nth > 0 && scope != child {
                    return Err("two terms of a sum have other variables");
                }
                scope.iter_mut().zip(&child).for_each(|(all, of_child)| *all |= of_child);
            }
            scopes[at * words..(at + 1) * words].copy_from_slice(&scope);
        }
        let observed: u32 = scopes.iter().rev().take(words).map(|word| word.count_ones()).sum();
        let all = observed as usize == self.variables;
        if all { Ok(()) } else { Err("some variables are in no leaf") }
    }

    pub(super) fn children(&self, inner: &Inner) -> std::ops::Range<usize> {
        inner.start as usize..inner.end as usize
    }

    /// The logarithm of the sum over all states.
    pub fn log_total(&self) -> f64 {
        let mut values = Vec::new();
        self.upward(&Evidence::none(self.variables), &mut values);
        values.last().map_or(f64::NAN, |&[value]| value)
    }

    /// Writes the values of sums and products in the first `W` rows.
    pub fn upward<const W: usize>(&self, evidence: &Evidence, values: &mut Vec<[f64; W]>) {
        values.clear();
        for inner in &self.inner {
            let value = if inner.sum {
                self.sum_of(inner, evidence, values)
            } else {
                let (mut value, mut of_all) = ([0.0; W], 0.0);
                for edge in self.children(inner) {
                    of_all += self.add_value(edge, evidence, values, &mut value);
                }
                value.map(|value| value + of_all)
            };
            values.push(value);
        }
    }

    fn sum_of<const W: usize>(
        &self,
        inner: &Inner,
        evidence: &Evidence,
        values: &[[f64; W]],
    ) -> [f64; W] {
        let (mut top, mut sum) = ([f64::NEG_INFINITY; W], [0.0; W]);
        for edge in self.children(inner) {
            top.iter_mut()
                .zip(self.term(edge, evidence, values))
                .for_each(|(top, term)| *top = f64::max(*top, term));
        }
        for edge in self.children(inner) {
            let term = self.term(edge, evidence, values);
            for ((sum, term), top) in sum.iter_mut().zip(term).zip(top) {
                if term > f64::NEG_INFINITY {
                    *sum += match self.sums {
                        Sums::Exact if term == top => 1.0,
                        Sums::Exact => exp(term - top),
                        Sums::AsPrinted => rough_exp(term - top),
                    };
                }
            }
        }
        let less = if self.sums == Sums::AsPrinted { ln(1.01) } else { 0.0 };
        std::array::from_fn(
            |row| if sum[row] > 0.0 { top[row] + ln(sum[row]) - less } else { top[row] },
        )
    }

    /// The value of an edge's child in each row, with the edge's weight.
    fn term<const W: usize>(
        &self,
        edge: usize,
        evidence: &Evidence,
        values: &[[f64; W]],
    ) -> [f64; W] {
        let mut term = [self.weights[edge]; W];
        let of_all = self.add_value(edge, evidence, values, &mut term);
        term.map(|term| term + of_all)
    }

    /// Adds the value of an edge's child in each row but for a part that all rows have, which it returns: the zeros of sparse rows
    /// cost nothing.
    #[inline]
    fn add_value<const W: usize>(
        &self,
        edge: usize,
        evidence: &Evidence,
        values: &[[f64; W]],
        to: &mut [f64; W],
    ) -> f64 {
        let leaf = match self.edges[edge] {
            Node::Leaf(leaf) => self.leaves[leaf as usize],
            Node::Inner(inner) => {
                to.iter_mut().zip(&values[inner as usize]).for_each(|(to, v)| *to += v);
                return 0.0;
            }
        };
        let Leaf { variable: Some(variable), logs: [of_zero, of_one] } = leaf else {
            return leaf.logs[0];
        };
        let [zero, one] = evidence.0[variable as usize];
        let of_all = if of_zero.is_finite() { of_zero } else { 0.0 };
        let of = [f64::NEG_INFINITY, of_zero, of_one, 0.0].map(|of| of - of_all);
        let rows = if of[1] == 0.0 { one | !zero } else { u64::MAX };
        for row in bits_of(rows & (u64::MAX >> (64 - W))) {
            to[row] += of[(zero >> row & 1 | (one >> row & 1) << 1) as usize];
        }
        of_all
    }

    /// Adds to `flows` of each leaf how often it is expected to be used, the rows counted `counts` times, and to `inner` the same of
    /// sums and products, row by row; `values` are those of [`Self::upward`]. Sums are exact.
    ///
    /// A leaf of a variable is used where the variable is observed as it is, or would be; so the flow of a literal is the expected
    /// number of its value, and that of a factor t is t dZ/dt / Z.
    pub fn downward<const W: usize>(
        &self,
        (evidence, values): (&Evidence, &[[f64; W]]),
        counts: &[f64; W],
        inner_flows: &mut Vec<[f64; W]>,
        flows: &mut [f64],
    ) {
        inner_flows.clear();
        inner_flows.resize(self.inner.len(), [0.0; W]);
        if let Some((last, root)) = inner_flows.last_mut().zip(values.last()) {
            *last =
                std::array::from_fn(|row| if root[row].is_finite() { counts[row] } else { 0.0 });
        }
        for (at, inner) in self.inner.iter().enumerate().rev() {
            let flow = inner_flows[at];
            if flow == [0.0; W] {
                continue;
            }
            for edge in self.children(inner) {
                let mut part = flow;
                if inner.sum {
                    let term = self.term(edge, evidence, values);
                    for ((part, term), whole) in part.iter_mut().zip(term).zip(&values[at]) {
                        *part *= if term > f64::NEG_INFINITY { exp(term - whole) } else { 0.0 };
                    }
                }
                match self.edges[edge] {
                    Node::Inner(of) => {
                        let flow = inner_flows[of as usize].iter_mut();
                        flow.zip(part).for_each(|(to, part)| *to += part);
                    }
                    Node::Leaf(leaf) => flows[leaf as usize] += part.iter().sum::<f64>(),
                }
            }
        }
    }
}

/// The exponential of the programme of Gens and Domingos.
fn rough_exp(x: f64) -> f64 {
    if x.abs() > 70.0 {
        return exp(x);
    }
    let upper = (1_512_775.0 * x + 1_072_632_447.0) as u64;
    f64::from_bits(upper << 32)
}

impl DensityModel for Circuit {
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64> {
        let scratch = || (Evidence::none(self.variables), Vec::new());
        let values = |(evidence, values): &mut (Evidence, Vec<_>), ones: &[u64]| {
            evidence.0.iter_mut().zip(ones).for_each(|(of, &ones)| *of = [!ones, ones]);
            self.upward::<ROWS>(evidence, values);
            values.last().map_or([f64::NAN; ROWS], |root| root.map(|value| value - self.total))
        };
        by_blocks(rows, cores, scratch, values)
    }

    fn measures(&self) -> Reported {
        let (mut free, mut factors) = (0, false);
        for leaf in &self.leaves {
            let proper = leaf.logs.iter().all(|log| log.is_finite());
            free += usize::from(proper);
            factors |= leaf.variable.is_none();
        }
        if !factors {
            let sums = self.inner.iter().filter(|inner| inner.sum);
            free += sums.map(|sum| self.children(sum).len().saturating_sub(1)).sum::<usize>();
        }
        vec![
            (&PARAMETERS, Measure::Scalar(free as f64)),
            (&CIRCUIT_EDGES, Measure::Scalar(self.edges.len() as f64)),
        ]
    }
}

#[cfg(test)]
mod tests;
