//! The distribution that rows are drawn from to estimate a total probability.

use std::convert::Infallible;

use contract::binary::{BinaryRows, DistinctRows};
use contract::breadth_first;
use math::mutual_information::Information;
use math::random::Random;
use math::spanning_tree::spanning;
use math::special::ln;
use math::vector::log_sum_exp;

/// Training rows that rows are drawn around.
const CENTRES: usize = 200;
/// How probable it is that a value differs from that of the centre.
const FLIPPED: f64 = 0.05;
/// The share of rows that are drawn from the tree; the others are drawn around training rows.
const FROM_TREE: f64 = 0.9;
/// In how many values rows near test rows differ from them, at most.
const MOST_FLIPPED: usize = 5;
/// Pseudo-examples that are spread over the four states of an edge.
const SMOOTHING: f64 = 4.0;

/// A mixture of the Chow-Liu tree of the training rows (Chow and Liu 1968) and of rows near them: where a density has its
/// mass, so has one of the two.
#[derive(Debug)]
pub(crate) struct Proposal {
    centres: BinaryRows,
    /// For each variable its parent and the probability of a one given the parent's value; parents come first.
    tree: Vec<(usize, Option<usize>, [f64; 2])>,
}

impl Proposal {
    /// Learned from these rows, of which there is at least one.
    pub fn new(train: &DistinctRows) -> Self {
        let (rows, count) = (&train.rows, train.rows.len().min(CENTRES));
        let centres = rows.select((0..count).map(|c| c * rows.len() / count));
        Self { centres, tree: tree(train) }
    }

    /// A row as its ones.
    pub fn draw(&self, random: &mut Random) -> Vec<u32> {
        let mut ones = vec![false; self.tree.len()];
        if random.uniform() < FROM_TREE {
            for &(variable, parent, share) in &self.tree {
                let given = parent.is_some_and(|parent| ones[parent]);
                ones[variable] = random.uniform() < share[usize::from(given)];
            }
        } else {
            let centre = self.centres.row(random.below(self.centres.len()));
            centre.iter().for_each(|&one| ones[one as usize] = true);
            for one in &mut ones {
                *one ^= random.uniform() < FLIPPED;
            }
        }
        (0u32..).zip(ones).filter_map(|(variable, one)| one.then_some(variable)).collect()
    }

    /// Logarithm of the probability that a row is drawn.
    pub fn log(&self, row: &[u32]) -> f64 {
        let mut ones = vec![false; self.tree.len()];
        row.iter().for_each(|&one| ones[one as usize] = true);
        let edge = |&(variable, parent, share): &(usize, Option<usize>, [f64; 2])| {
            let share = share[usize::from(parent.is_some_and(|parent| ones[parent]))];
            ln(if ones[variable] { share } else { 1.0 - share })
        };
        let tree: f64 = self.tree.iter().map(edge).sum();
        let near = self.centres.iter().map(|centre| {
            let apart = apart(centre, row, &ones) as f64;
            apart * ln(FLIPPED) + (ones.len() as f64 - apart) * ln(1.0 - FLIPPED)
        });
        let near = log_sum_exp(&near.collect::<Vec<f64>>()) - ln(self.centres.len() as f64);
        log_sum_exp(&[ln(FROM_TREE) + tree, ln(1.0 - FROM_TREE) + near])
    }
}

/// Rows that differ by a few values from others: a density that knows more of these than it may has its mass there.
pub(super) struct Flipped {
    centres: BinaryRows,
    variables: usize,
}

impl Flipped {
    /// Rows near some of these, of which there is at least one; drawn as often as they occur.
    pub fn new(test: &DistinctRows, random: &mut Random) -> Self {
        let mut centre = |_| test.of_example[random.below(test.of_example.len())] as usize;
        let centres = test.rows.select((0..CENTRES).map(&mut centre));
        Self { centres, variables: test.variables() }
    }

    /// A row as its ones.
    pub fn draw(&self, random: &mut Random) -> Vec<u32> {
        let centre = self.centres.row(random.below(self.centres.len()));
        let flips = 1 + random.below(MOST_FLIPPED);
        let mut ones = vec![false; self.variables];
        centre.iter().for_each(|&one| ones[one as usize] = true);
        let flipped = random.permutation(self.variables);
        flipped.into_iter().take(flips).for_each(|variable| ones[variable] ^= true);
        (0u32..).zip(ones).filter_map(|(variable, one)| one.then_some(variable)).collect()
    }

    /// Logarithm of the probability that a row is drawn.
    pub fn log(&self, row: &[u32]) -> f64 {
        let mut ones = vec![false; self.variables];
        row.iter().for_each(|&one| ones[one as usize] = true);
        let near = self.centres.iter().filter_map(|centre| {
            let apart = apart(centre, row, &ones);
            let rows = |flips: usize| {
                (0..flips).map(|k| ln((self.variables - k) as f64 / (k + 1) as f64)).sum::<f64>()
            };
            (1..=MOST_FLIPPED).contains(&apart).then(|| -rows(apart))
        });
        log_sum_exp(&near.collect::<Vec<f64>>()) - ln((MOST_FLIPPED * self.centres.len()) as f64)
    }
}

/// In how many values a row, also given as flags, differs from a centre.
fn apart(centre: &[u32], row: &[u32], ones: &[bool]) -> usize {
    let common = centre.iter().filter(|&&one| ones[one as usize]).count();
    centre.len() + row.len() - 2 * common
}

fn tree(train: &DistinctRows) -> Vec<(usize, Option<usize>, [f64; 2])> {
    let n = train.variables();
    let mut both = vec![0u32; n * n];
    for (row, count) in train.rows.iter().zip(&train.counts) {
        for &a in row {
            row.iter().for_each(|&b| both[a as usize * n + b as usize] += count);
        }
    }
    let both = |a: usize, b: usize| both[a * n + b];
    let information = Information::new(train.examples() as u32);
    let weight = |a: usize, b: usize| information.of(both(a, a), both(b, b), both(a, b));
    let Ok(parents) = spanning(n, weight, || Ok::<_, Infallible>(()));
    let mut children = vec![Vec::new(); n];
    for (variable, parent) in parents.iter().enumerate() {
        parent.iter().for_each(|&parent| children[parent].push(variable));
    }
    let total = train.examples() as f64;
    let share = |ones: u32, of: f64| (f64::from(ones) + SMOOTHING / 4.0) / (of + SMOOTHING / 2.0);
    let edge = |(variable, parent): (usize, Option<usize>)| {
        let ones = both(variable, variable);
        let shares = match parent {
            None => [share(ones, total); 2],
            Some(parent) => {
                let (of, common) = (both(parent, parent), both(parent, variable));
                [share(ones - common, total - f64::from(of)), share(common, f64::from(of))]
            }
        };
        (variable, parent, shares)
    };
    let order = (n > 0).then(|| breadth_first(&children, 0));
    order.into_iter().flatten().map(edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use math::special::exp;
    use testing::rows_of;

    #[test]
    fn it_is_a_distribution_and_draws_follow_it() {
        let train = rows_of(&["0110", "0111", "1000", "0000", "0110"]).distinct();
        let proposal = Proposal::new(&train);
        let state = |code: u32| (0..4).filter(|v| code >> v & 1 == 1).collect::<Vec<u32>>();
        let probability = |code| exp(proposal.log(&state(code)));
        assert!(((0..16).map(probability).sum::<f64>() - 1.0).abs() < 1e-12);
        let mut random = Random::new(Digest::of(b"draws"));
        let mut counts = [0.0; 16];
        for _ in 0..20_000 {
            let row = proposal.draw(&mut random);
            counts[row.iter().map(|one| 1 << one).sum::<usize>()] += 1.0 / 20_000.0;
        }
        for (code, share) in (0..).zip(counts) {
            let expected: f64 = probability(code);
            // Six standard errors.
            assert!(
                (share - expected).abs() < 6.0 * (expected / 20_000.0).sqrt(),
                "{code}: {share}"
            );
        }
    }
}
