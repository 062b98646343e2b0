//! Examples whose variables fall into known independent groups: for the procedures of Gasse and Aussem
//! 2016 that find them.

use std::sync::Arc;

use super::{
    Drawn, Generator, MOST_ROWS, MOST_VARIABLES, OutOfRange, Ranges, Sample, hashed, start,
};
use crate::vocabulary::{Kind, Rows, Shape, Target};
use crate::{Targets, Truth};
use base::digest::Digest;
use base::words;
use contract::Examples;
use contract::categorical::{Attribute, CategoricalRows};
use contract::joint::JointTable;
use contract::numeric::NumericRows;
use contract::packed::{PackedRows, words_for};
use math::random::Random;

/// Raised by every change that can change a generated row; it enters the dataset's digest.
const REVISION: u64 = 1;
/// Most variables of a factor whose variables' conditional probabilities are listed.
const MOST_OF_FACTOR: usize = 16;
/// Most parents of a variable of a random network.
const MOST_PARENTS: usize = 3;
/// The range of the probabilities of a one in a random network.
const PROBABILITIES: [f64; 2] = [0.1, 0.9];
/// How often the last variable of an exclusive-or is what the others make it.
const XOR_AGREEMENT: f64 = 0.9;
/// The range of the coefficients' sizes in a Gaussian network.
const COEFFICIENTS: [f64; 2] = [0.3, 1.0];

/// A family of distributions with the size of the sample to draw from one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct FactorSample {
    seed: u64,
    examples: usize,
    family: Family,
}

/// The families. Variables of a factor stand side by side; the last factor may be smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Factors drawn at random.
    Random {
        /// What each factor is.
        factor: Factor,
        /// Number of variables, n.
        variables: usize,
        /// Number of variables of a factor.
        size: usize,
    },
    /// The paper's example of this number, 1 to 3, with α = 3/4.
    Example(usize),
}

words! {
    /// What a factor of a random distribution is.
    pub enum Factor {
        /// Each variable has one random parent before it, and up to two more; its probability of a one is uniform in
        /// [0.1, 0.9] for each state of its parents.
        Network = "network", "a random Bayesian network of 0/1 variables";
        /// The exclusive or is right in nine cases of ten. Any proper subset is independent.
        Xor = "xor", "fair coins, and their exclusive or: Composition fails";
        Duplicates = "duplicates", "a random network in which every variable stands twice: Intersection fails";
        Mixed = "mixed", "factors of the three kinds in turn";
        /// Each variable is a standard normal error plus random multiples, of sizes in [0.3, 1], of one random parent
        /// before it and up to two more.
        Gaussian = "gaussian", "linear equations with normal errors";
    }
}

/// Examples with the truth about them.
#[derive(Debug, Clone)]
pub struct DrawnFactors {
    /// The examples.
    pub examples: Examples,
    /// The irreducible disjoint factor of each variable, numbered from 0 by their first variables.
    pub factors: Vec<u32>,
    /// The distribution, for the paper's examples.
    pub distribution: Option<JointTable>,
}

impl FactorSample {
    /// A sample with checked parameters.
    ///
    /// # Errors
    /// All parameters that are out of their ranges.
    pub fn new(seed: u64, examples: usize, family: Family) -> Result<Self, Vec<OutOfRange>> {
        let mut ranges = Ranges::default();
        ranges.whole("examples", examples, 1, MOST_ROWS);
        match family {
            Family::Random { variables, size, factor } => {
                ranges.whole("variables", variables, 1, MOST_VARIABLES);
                ranges.whole("size", size, 1, MOST_OF_FACTOR);
                let bits = if factor == Factor::Gaussian { 64 } else { 1 };
                ranges.cells("examples", examples, variables, bits);
                // An exclusive or lists the states of all but one of its variables.
                if matches!(factor, Factor::Xor | Factor::Mixed) && size <= MOST_OF_FACTOR {
                    ranges.parameters("size", variables, 1 << size, "variables times 2^size");
                }
            }
            Family::Example(number) => ranges.whole("example", number, 1, 3),
        }
        ranges.into_result(Self { seed, examples, family })
    }

    /// Draws a distribution of the family, and the examples from it. O(examples · variables).
    pub fn drawn(&self, seed: Digest) -> DrawnFactors {
        let mut random = Random::new(seed);
        match self.family {
            Family::Example(number) => self.draw_example(number, &mut random),
            Family::Random { factor, variables, size } => {
                let factors = (0..variables).map(|variable| (variable / size) as u32).collect();
                let examples = if factor == Factor::Gaussian {
                    gaussian(variables, size, self.examples, &mut random)
                } else {
                    let nodes = nodes(factor, variables, size, &mut random);
                    binary(&nodes, self.examples, &mut random)
                };
                DrawnFactors { examples, factors, distribution: None }
            }
        }
    }

    fn draw_example(&self, number: usize, random: &mut Random) -> DrawnFactors {
        let table = example(number);
        let attribute = |&cardinality: &usize| Attribute {
            values: (0..cardinality).map(|value| value.to_string()).collect(),
            missing: false,
        };
        let attributes = table.cardinalities().iter().map(attribute).collect();
        let mut rows = CategoricalRows::new(Arc::new(attributes));
        let mut packed = Vec::with_capacity(self.examples);
        let mut state = vec![0; table.variables()];
        for _ in 0..self.examples {
            table.draw(random, &mut state);
            rows.push(&state.iter().map(|&value| value as u16).collect::<Vec<u16>>());
            packed.push((0..).zip(&state).map(|(v, &value)| (value as u64) << v).sum());
        }
        let examples = if self.kind() == Kind::Categorical {
            Examples::Categorical(rows)
        } else {
            Examples::Packed(PackedRows::new(table.variables(), packed))
        };
        DrawnFactors { examples, factors: vec![0; table.variables()], distribution: Some(table) }
    }
}

impl Sample for FactorSample {
    /// It has no parts: all examples are for training, and all for testing.
    fn shape(&self) -> Shape {
        let variables = match self.family {
            Family::Random { variables, .. } => variables,
            Family::Example(number) => example(number).variables(),
        };
        Shape::without_folds(variables, Rows::Shared(self.examples), Target::None)
    }

    fn kind(&self) -> Kind {
        match self.family {
            Family::Random { factor: Factor::Gaussian, .. } => Kind::Numeric,
            Family::Example(1) => Kind::Categorical,
            Family::Random { .. } | Family::Example(_) => Kind::Binary,
        }
    }

    fn digest(&self) -> Digest {
        let hasher = hashed("factors", REVISION, [self.seed as usize, self.examples]);
        match self.family {
            Family::Random { factor, variables, size } => {
                hasher.field(factor.word()).number(variables as u64).number(size as u64)
            }
            Family::Example(number) => hasher.field("example").number(number as u64),
        }
        .finish()
    }

    fn draw(&self) -> Drawn {
        let examples = self.drawn(start("factors", self.seed)).examples;
        Drawn { examples, targets: Targets::None, truth: Truth::Factors(self.clone()) }
    }

    fn reseeded(&self, seed: &dyn Fn(u64) -> u64) -> Option<Generator> {
        Some(Self { seed: seed(self.seed), ..self.clone() }.into())
    }
}

/// The distributions of the paper's examples, with α = 3/4. In each all variables are one factor.
pub fn example(number: usize) -> JointTable {
    match number {
        // V₁ and V₂ are the digits of V₃.
        1 => JointTable::of(&[2, 2, 4], |v| u64::from(v[2] == v[0] + 2 * v[1])),
        // V₁ = V₂ and V₃ = V₄, and V₂ = V₃ with probability α.
        2 => JointTable::of(&[2; 4], |v| match (v[0] == v[1] && v[2] == v[3], v[1] == v[2]) {
            (false, _) => 0,
            (true, true) => 3,
            (true, false) => 1,
        }),
        // V₁ is the exclusive or of V₂ and V₃ with probability α.
        _ => JointTable::of(&[2; 3], |v| if v[0] == v[1] ^ v[2] { 3 } else { 1 }),
    }
}

/// A 0/1 variable given variables before it.
struct Node {
    parents: Vec<usize>,
    /// Probability of a one for each state of the parents, the first fastest.
    probabilities: Vec<f64>,
}

fn nodes(factor: Factor, variables: usize, size: usize, random: &mut Random) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(variables);
    for (index, first) in (0..variables).step_by(size).enumerate() {
        let size = size.min(variables - first);
        let kind = match factor {
            Factor::Mixed => [Factor::Network, Factor::Xor, Factor::Duplicates][index % 3],
            other => other,
        };
        for place in 0..size {
            nodes.push(match kind {
                Factor::Xor if place + 1 == size && size > 1 => {
                    let states = 0usize..1 << place;
                    let odd = |state: usize| state.count_ones() % 2 == 1;
                    let of = |state| if odd(state) { XOR_AGREEMENT } else { 1.0 - XOR_AGREEMENT };
                    let parents = (first..first + place).collect();
                    Node { parents, probabilities: states.map(of).collect() }
                }
                Factor::Xor => Node { parents: Vec::new(), probabilities: vec![0.5] },
                Factor::Duplicates if place % 2 == 1 => {
                    Node { parents: vec![first + place - 1], probabilities: vec![0.0, 1.0] }
                }
                Factor::Duplicates => {
                    random_node((0..place).step_by(2).map(|at| first + at).collect(), random)
                }
                Factor::Network | Factor::Mixed | Factor::Gaussian => {
                    random_node((first..first + place).collect(), random)
                }
            });
        }
    }
    nodes
}

/// A variable with some of the candidates as parents; one at least, if there are any.
fn random_node(candidates: Vec<usize>, random: &mut Random) -> Node {
    let parents = random_parents(candidates, random);
    let [low, high] = PROBABILITIES;
    let probability = |_| low + (high - low) * random.uniform();
    let probabilities = (0..1 << parents.len()).map(probability).collect();
    Node { parents, probabilities }
}

fn random_parents(mut candidates: Vec<usize>, random: &mut Random) -> Vec<usize> {
    let most = candidates.len().min(MOST_PARENTS);
    if most > 0 {
        random.shuffle(&mut candidates);
        candidates.truncate(1 + random.below(most));
    }
    candidates
}

fn binary(nodes: &[Node], examples: usize, random: &mut Random) -> Examples {
    let width = words_for(nodes.len());
    let mut words = vec![0u64; examples * width];
    for row in words.chunks_exact_mut(width) {
        for (variable, node) in nodes.iter().enumerate() {
            let one = |&parent: &usize| (row[parent / 64] >> (parent % 64) & 1) as usize;
            let state: usize =
                node.parents.iter().map(one).zip(0..).map(|(bit, at)| bit << at).sum();
            let one = random.uniform() < node.probabilities[state];
            row[variable / 64] |= u64::from(one) << (variable % 64);
        }
    }
    Examples::Packed(PackedRows::new(nodes.len(), words))
}

fn gaussian(variables: usize, size: usize, examples: usize, random: &mut Random) -> Examples {
    let equation = |variable: usize| {
        let first = variable / size * size;
        let parents = random_parents((first..variable).collect(), random);
        let coefficient = |parent| {
            let [low, high] = COEFFICIENTS;
            let value = low + (high - low) * random.uniform();
            (parent, if random.below(2) == 0 { value } else { -value })
        };
        parents.into_iter().map(coefficient).collect()
    };
    let equations: Vec<Vec<(usize, f64)>> = (0..variables).map(equation).collect();
    let mut values = Vec::with_capacity(examples * variables);
    for example in 0..examples {
        for equation in &equations {
            let row = &values[example * variables..];
            let mean: f64 =
                equation.iter().map(|&(parent, factor): &(usize, f64)| factor * row[parent]).sum();
            values.push(mean + random.normal());
        }
    }
    Examples::Numeric(NumericRows::new(variables, values))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn sample(factor: Factor, variables: usize, size: usize, examples: usize) -> FactorSample {
        FactorSample::new(1, examples, Family::Random { factor, variables, size }).unwrap()
    }

    fn bits(sample: &FactorSample) -> Vec<Vec<u32>> {
        let Examples::Packed(rows) = sample.draw().examples else { panic!() };
        rows.to_sparse().iter().map(<[u32]>::to_vec).collect()
    }

    #[test]
    fn an_exclusive_or_is_right_nine_times_of_ten_and_its_parts_are_coins() {
        let rows = bits(&sample(Factor::Xor, 3, 3, 10_000));
        let even = rows.iter().filter(|row| row.len() % 2 == 0).count();
        // Five standard deviations: 150 of a binomial(10,000, 0.9), 250 of one with 1/2.
        assert!(even.abs_diff(9_000) < 150, "{even}");
        for one in 0..3 {
            let ones = rows.iter().filter(|row| row.contains(&one)).count();
            assert!(ones.abs_diff(5_000) < 250, "{ones}");
        }
    }

    #[test]
    fn duplicates_are_equal_and_depend_on_each_other() {
        let rows = bits(&sample(Factor::Duplicates, 4, 4, 10_000));
        assert!(rows.iter().all(|row| row.contains(&0) == row.contains(&1)));
        assert!(rows.iter().all(|row| row.contains(&2) == row.contains(&3)));
        let distinct: BTreeSet<&Vec<u32>> = rows.iter().collect();
        assert_eq!(distinct.len(), 4);
    }

    #[test]
    fn a_network_has_its_probabilities() {
        let mut random = Random::new(Digest::of(b"network"));
        let nodes = nodes(Factor::Network, 5, 5, &mut random);
        let Examples::Packed(rows) = binary(&nodes, 20_000, &mut random) else { panic!() };
        for (variable, node) in nodes.iter().enumerate() {
            assert_eq!(node.parents.is_empty(), variable == 0);
            for (state, &p) in node.probabilities.iter().enumerate() {
                let agrees = |row: &&[u64]| {
                    let bit = |(at, &parent): (usize, &usize)| {
                        row[0] >> parent & 1 == (state >> at & 1) as u64
                    };
                    node.parents.iter().enumerate().all(bit)
                };
                let of_state: Vec<&[u64]> = rows.iter().filter(agrees).collect();
                let ones = of_state.iter().filter(|row| row[0] >> variable & 1 == 1).count() as f64;
                let n = of_state.len() as f64;
                let error = (ones - n * p).abs();
                assert!(error <= 5.0 * (n * p * (1.0 - p)).sqrt(), "{error} of {n} at {p}");
            }
        }
    }

    #[test]
    fn every_repeat_is_another_sample_of_another_distribution() {
        let sample = sample(Factor::Network, 7, 3, 50);
        let drawn = sample.drawn(Digest::of(b"a"));
        assert_eq!(drawn.factors, [0, 0, 0, 1, 1, 1, 2]);
        let rows = |seed: &[u8]| match sample.drawn(Digest::of(seed)).examples {
            Examples::Packed(rows) => rows.words().to_vec(),
            other => panic!("{}", other.described()),
        };
        assert_eq!(rows(b"a"), rows(b"a"));
        assert_ne!(rows(b"a"), rows(b"b"));
    }

    #[test]
    fn examples_are_drawn_from_their_tables() {
        let one = FactorSample::new(1, 40, Family::Example(1)).unwrap().drawn(Digest::of(b"1"));
        let Examples::Categorical(rows) = &one.examples else { panic!() };
        assert!(rows.iter().all(|row| row[2] == row[0] + 2 * row[1]));
        let two = FactorSample::new(1, 40, Family::Example(2)).unwrap();
        assert!(bits(&two).iter().all(|row| row.len() % 2 == 0));
        assert_eq!((two.kind(), two.shape().variables), (Kind::Binary, 4));
    }

    #[test]
    fn the_digest_depends_on_every_parameter() {
        let of =
            |seed, examples, family| FactorSample::new(seed, examples, family).unwrap().digest();
        let random = |factor, variables, size| Family::Random { factor, variables, size };
        let digests = [
            of(1, 5, random(Factor::Network, 4, 2)),
            of(2, 5, random(Factor::Network, 4, 2)),
            of(1, 6, random(Factor::Network, 4, 2)),
            of(1, 5, random(Factor::Xor, 4, 2)),
            of(1, 5, random(Factor::Network, 5, 2)),
            of(1, 5, random(Factor::Network, 4, 3)),
            of(1, 5, Family::Example(1)),
            of(1, 5, Family::Example(2)),
        ];
        assert_eq!(digests.iter().collect::<BTreeSet<_>>().len(), digests.len());
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let errors = |family| {
            let errors = FactorSample::new(1, 0, family).unwrap_err();
            errors.iter().map(ToString::to_string).collect::<Vec<String>>()
        };
        let family = Family::Random { factor: Factor::Xor, variables: 0, size: 17 };
        let expected = [
            "`examples` must be from 1 to 10000000",
            "`variables` must be from 1 to 100000",
            "`size` must be from 1 to 16",
        ];
        assert_eq!(errors(family), expected);
        assert_eq!(errors(Family::Example(4))[1], "`example` must be from 1 to 3");
    }
}
