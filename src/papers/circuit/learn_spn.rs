//! LearnSPN: sum-product networks from the top down: R. Gens and P. Domingos, "Learning the structure of sum-product networks",
//! ICML 2013.
//!
//! ```text
//! learn(T, V):  one variable: (ones + s) / (|T| + 2 s);  one distinct row, or few examples: a product of such leaves
//!               V falls into independent parts by G-tests: a product of learn(T, part), but not at the root
//!               else T is clustered: a sum of learn(T_c, V) with weights |T_c| / |T|
//! ```

use contract::binary::DistinctRows;
use contract::parameter::{Choice, Count, Flag, Real, settings};
use contract::{Context, Fit, Memory, MethodEntry, Result, carried, words};
use math::components::components;
use math::mutual_information::Information;
use math::random::Random;
use math::special::ln;
use method::baseline::chow_liu::Cooccurrence;
use method::metrics::PARAMETERS;
use method::shared::refusals::countable;

use super::clustering::{clusters, listed};
use super::network::{CIRCUIT_EDGES, Circuit, Leaf, Node, Sums};
use super::rows::{gathered, of, ones, sorted};

words! {
    /// Which value of a G-test makes two variables dependent.
    enum Threshold {
        Coded = "coded", "2 dof g + .001, as the authors' programme has it";
        Printed = "printed", "dof g + .001";
    }
}

settings! {
    struct Settings {
        CLUSTER_PENALTY cluster_penalty: Real::positive(0.6),
            "λ of the prior e^(-λ |V| k) on k clusters: a larger one makes fewer";
        G_FACTOR g_factor: Real::positive(10.0), "g of the threshold of G-tests: a larger one splits more";
        THRESHOLD threshold: Choice<Threshold>::worded("coded"), "from where on a G-test says dependent";
        FEWEST fewest: Count::from(0, 1), "so many examples or less become a product of leaves";
        MERGED merged: Flag::flag(true),
            "whether equal rows are clustered as one, with their number; a pass over single ones may deal them apart";
        LEAF_SMOOTHING leaf_smoothing: Real::positive(0.25), "added to the counts of both values of a leaf";
        SUMS sums: Choice<Sums>::worded("exact"), "how sums are computed once the network is learned";
    }
}

/// The registry's entry.
pub static LEARN_SPN: MethodEntry = MethodEntry {
    kind: "learn-spn",
    summary: "sum-product network, by G-tests between variables and clustering of examples",
    source: "Gens and Domingos 2013",
    parameters: Settings::PARAMETERS,
    revision: 2,
    along: &["leaf_smoothing", "sums"],
    shares_paths: true,
    reports: &[&PARAMETERS, &CIRCUIT_EDGES],
    cost: |parameters, shape| {
        let n = (shape.entries + 4 * shape.variables * shape.examples.min(10_000)) as f64;
        1e-6 * n / parameters.get(&CLUSTER_PENALTY)
    },
    memory: Memory::Entries(16.0),
    fits: &[Fit::Density(|parameters, train, context, carry| {
        let settings = Settings::read(parameters);
        let learn = || Learner::new(settings, context).learned(train);
        let learned: Learned = carried(carry)?.map_or_else(learn, Ok)?;
        let model = learned.smoothed(settings.leaf_smoothing);
        let model = model.normalised()?.with(settings.sums);
        *carry = Some(Box::new(learned));
        Ok(Box::new(model))
    })],
    ..MethodEntry::PLAIN
};

/// A network whose leaves are counts.
#[derive(Debug, Clone)]
struct Learned {
    circuit: Circuit,
    /// How many zeros and ones each leaf was learned from.
    counts: Vec<[u32; 2]>,
}

impl Learned {
    fn smoothed(&self, smoothing: f64) -> Circuit {
        let mut circuit = self.circuit.clone();
        for (leaf, counts) in circuit.leaves.iter_mut().zip(&self.counts) {
            let total = counts.iter().map(|&count| f64::from(count)).sum::<f64>();
            leaf.logs =
                counts.map(|count| ln((f64::from(count) + smoothing) / (total + 2.0 * smoothing)));
        }
        circuit
    }
}

/// What a part of the rows and variables becomes: sums in sums are one, and so are products in products.
enum Part {
    Leaf(Node),
    Product(Vec<Node>),
    Sum(Vec<(Node, f64)>),
}

struct Learner<'a> {
    settings: Settings,
    /// What a G-test must reach for each degree of freedom.
    threshold: f64,
    context: &'a Context,
    random: Random,
    circuit: Circuit,
    counts: Vec<[u32; 2]>,
}

impl<'a> Learner<'a> {
    fn new(settings: Settings, context: &'a Context) -> Self {
        let twice = match settings.threshold {
            Threshold::Coded => 2.0,
            Threshold::Printed => 1.0,
        };
        Self {
            settings,
            threshold: twice * settings.g_factor,
            context,
            random: context.random(0),
            circuit: Circuit::new(0),
            counts: Vec::new(),
        }
    }

    fn learned(mut self, train: &DistinctRows) -> Result<Learned> {
        countable(train.examples(), u32::MAX)?;
        let mut rows = sorted(train)?;
        if !self.settings.merged {
            let single = rows.rows.select(rows.of_example.iter().map(|&row| row as usize));
            let count = single.len();
            rows = of(single, vec![1; count]);
        }
        self.circuit = Circuit::new(rows.variables());
        let variables: Vec<u32> = (0..rows.variables() as u32).collect();
        let root = self.learn(&rows, &variables, true)?;
        // The root is a sum or a product, also where it is all.
        match root {
            Part::Leaf(leaf) => drop(self.circuit.product([leaf])),
            root => drop(self.node(root)),
        }
        Ok(Learned { circuit: self.circuit, counts: self.counts })
    }

    /// The network of these rows; `variables` are their variables' names.
    fn learn(&mut self, rows: &DistinctRows, variables: &[u32], root: bool) -> Result<Part> {
        self.context.check()?;
        let first = rows.rows.row(0);
        let one_row = || rows.rows.iter().all(|row| row == first);
        if variables.len() == 1 || rows.examples() <= self.settings.fewest || one_row() {
            return Ok(self.leaves(rows, variables));
        }
        if !root {
            let parts = self.parts(rows);
            if parts.len() > 1 {
                return self.product(rows, variables, &parts);
            }
        }
        let clusters =
            clusters(self.settings.cluster_penalty, rows, &mut self.random, self.context)?;
        let log_total = ln(rows.examples() as f64);
        let mut terms = Vec::with_capacity(clusters.len());
        for cluster in clusters {
            let counts: Vec<u32> = cluster.iter().map(|&row| rows.counts[row]).collect();
            let cluster = of(rows.rows.select(cluster), counts);
            let weight = ln(cluster.examples() as f64) - log_total;
            match self.learn(&cluster, variables, false)? {
                Part::Sum(of) => {
                    terms.extend(of.into_iter().map(|(node, log)| (node, weight + log)))
                }
                part => terms.push((self.node(part), weight)),
            }
        }
        Ok(Part::Sum(terms))
    }

    fn leaves(&mut self, rows: &DistinctRows, variables: &[u32]) -> Part {
        let total = rows.examples() as u32;
        let leaves = ones(rows).into_iter().zip(variables).map(|(ones, &variable)| {
            self.counts.push([total - ones, ones]);
            self.circuit.leaf(Leaf { variable: Some(variable), logs: [0.0; 2] })
        });
        let leaves: Vec<Node> = leaves.collect();
        if let [leaf] = leaves[..] { Part::Leaf(leaf) } else { Part::Product(leaves) }
    }

    /// The part of each variable: those that G-tests join.
    fn parts(&self, rows: &DistinctRows) -> Vec<Vec<usize>> {
        let n = rows.variables();
        let examples = rows.examples() as u32;
        let pairs = Cooccurrence::count(rows, &self.context.cores);
        let information = Information::new(examples);
        let constant = |v: usize| pairs.get(v, v) == 0 || pairs.get(v, v) == examples;
        // A constant variable has no degree of freedom and a statistic of zero: it is independent of all.
        let varied: Vec<usize> = (0..n).filter(|&v| !constant(v)).collect();
        let dependent = |&(a, b): &(usize, usize)| {
            let both = pairs.get(a, b);
            2.0 * information.of(pairs.get(a, a), pairs.get(b, b), both) >= self.threshold + 0.001
        };
        let of_pairs = varied
            .iter()
            .enumerate()
            .flat_map(|(place, &a)| varied[place + 1..].iter().map(move |&b| (a, b)));
        let joined: Vec<(usize, usize)> = of_pairs.filter(dependent).collect();
        listed(&components(n, joined))
    }

    fn product(
        &mut self,
        rows: &DistinctRows,
        variables: &[u32],
        parts: &[Vec<usize>],
    ) -> Result<Part> {
        let mut factors = Vec::with_capacity(parts.len());
        for part in parts {
            let mut names = vec![None; variables.len()];
            (0..).zip(part).for_each(|(name, &variable)| names[variable] = Some(name));
            let of_part = gathered(&rows.rows.renamed(&names), &rows.counts, self.settings.merged);
            let variables: Vec<u32> = part.iter().map(|&variable| variables[variable]).collect();
            match self.learn(&of_part, &variables, false)? {
                Part::Product(of) => factors.extend(of),
                part => factors.push(self.node(part)),
            }
        }
        Ok(Part::Product(factors))
    }

    fn node(&mut self, part: Part) -> Node {
        match part {
            Part::Leaf(leaf) => leaf,
            Part::Product(factors) => self.circuit.product(factors),
            Part::Sum(terms) => self.circuit.sum(terms),
        }
    }
}

#[cfg(test)]
mod tests;
