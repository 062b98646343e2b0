//! Partitions of the variables into blocks that no test contradicts to be exchangeable
//! (Niepert and Domingos 2014, section 3.3 and Proposition 3.3).

use contract::words;
use math::components::numbered;
use math::{normal, student_t};

words! {
    /// How pairwise tests become a partition.
    pub enum Rule {
        SortedFirst = "sorted-first", "by ascending mean: join the open block unless its first member rejects";
        SortedLast = "sorted-last", "by ascending mean: join the open block unless its last member rejects";
        SortedMean = "sorted-mean", "by ascending mean: join the open block unless its mean member rejects";
        Components = "components", "connected components of the pairs that are not rejected";
        Cliques = "cliques", "by ascending mean: join the first block none of whose members rejects";
        FileOrder = "file-order", "in the data's order: join the first block whose first member accepts";
        Singletons = "singletons", "every variable is a block of its own: naive Bayes";
    }
}

/// Mean and variance of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Its mean.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
}

/// Welch's t-test of equal means between samples a and b of the same size n, as a decision at one level
/// (Welch 1947, with the degrees of freedom of Satterthwaite):
///
/// ```text
/// t  = (mean_a - mean_b) / √((var_a + var_b) / n)
/// df = (n - 1) (var_a + var_b)² / (var_a² + var_b²)
/// ```
///
/// The means differ if P(|T_df| ≥ |t|) < alpha.
///
/// Two samples without variance are different exactly if their means are. Samples of at most one
/// example are never found different.
#[derive(Debug, Clone, Copy)]
pub struct Welch {
    size: f64,
    alpha: f64,
    /// Squared t up to which no p-value is below alpha, and from which every one is.
    certain: (f64, f64),
}

impl Welch {
    /// Tests between samples of `size` (which may be fractional) at level `alpha` in (0, 1).
    pub fn new(size: f64, alpha: f64) -> Self {
        // The degrees of freedom lie between size - 1 and 2 (size - 1), and the critical value
        // falls towards the normal one as they grow.
        let least = normal::critical(alpha) * (1.0 - 1e-8);
        let most = student_t::critical_above(alpha, size - 1.0);
        Self { size, alpha, certain: (least * least, most * most) }
    }

    /// Whether the null hypothesis of equal means is rejected: p < alpha.
    #[inline]
    pub fn rejects(&self, a: Moments, b: Moments) -> bool {
        let difference = a.mean - b.mean;
        let variances = a.variance + b.variance;
        if self.size <= 1.0 {
            return false;
        }
        if variances <= 0.0 {
            return difference != 0.0;
        }
        let tt = difference * difference * self.size / variances;
        if tt <= self.certain.0 {
            return false;
        }
        tt >= self.certain.1 || {
            let squares = a.variance * a.variance + b.variance * b.variance;
            let df = (self.size - 1.0) * (variances * variances) / squares;
            student_t::two_sided(tt.sqrt(), df) < self.alpha
        }
    }
}

/// A partition of n variables into blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The block of each variable; blocks are numbered by their first variable.
    pub block_of: Vec<u32>,
    /// Number of blocks.
    pub blocks: usize,
}

impl Partition {
    /// All variables in one block.
    pub fn whole(variables: usize) -> Self {
        Self { block_of: vec![0; variables], blocks: variables.min(1) }
    }

    /// The variables with equal labels as blocks.
    pub fn of_labels(labels: &[u32]) -> Self {
        let mut distinct = labels.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let rank = |label: &u32| distinct.partition_point(|other| other < label) as u32;
        Self::numbered(&labels.iter().map(rank).collect::<Vec<u32>>())
    }

    /// Numbers the blocks by their first variable; labels are below the number of variables.
    fn numbered(labels: &[u32]) -> Self {
        let (block_of, blocks) = numbered(labels.len(), labels.iter().map(|&label| label as usize));
        Self { block_of, blocks }
    }

    /// Splits each block by the rule, by tests on these moments of its variables. Variables of
    /// equal means are taken in the data's order.
    #[must_use]
    pub fn refined(&self, moments: &[Moments], rule: Rule, welch: Welch) -> Self {
        let mut labels = vec![0; self.block_of.len()];
        let mut splitter = Splitter { moments, welch, labels: &mut labels, opened: 0 };
        for mut block in self.members() {
            if rule != Rule::FileOrder {
                let mean = |&variable: &usize| moments[variable].mean;
                block.sort_unstable_by(|a, b| mean(a).total_cmp(&mean(b)).then(a.cmp(b)));
            }
            splitter.split(&block, rule);
        }
        Self::numbered(&labels)
    }

    /// The variables of each block, ascending.
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.blocks];
        for (variable, &block) in self.block_of.iter().enumerate() {
            members[block as usize].push(variable);
        }
        members
    }

    /// The number of variables of each block.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.blocks];
        self.block_of.iter().for_each(|&block| sizes[block as usize] += 1);
        sizes
    }
}

/// Gives labels to the variables of one block after another.
struct Splitter<'a> {
    moments: &'a [Moments],
    welch: Welch,
    labels: &'a mut [u32],
    opened: u32,
}

impl Splitter<'_> {
    fn split(&mut self, variables: &[usize], rule: Rule) {
        match rule {
            Rule::SortedFirst => self.sweep(variables, |first, _, _| first),
            Rule::SortedLast => self.sweep(variables, |_, last, _| last),
            Rule::SortedMean => self.sweep(variables, |mean, own, size| {
                let toward = |old: f64, new: f64| old + (new - old) / (size + 1.0);
                Moments {
                    mean: toward(mean.mean, own.mean),
                    variance: toward(mean.variance, own.variance),
                }
            }),
            Rule::Components => self.components(variables),
            Rule::Cliques => self.first_fit(variables, |block| block),
            Rule::FileOrder => self.first_fit(variables, |block| &block[..1]),
            Rule::Singletons => variables.iter().for_each(|&variable| {
                let label = self.open();
                self.labels[variable] = label;
            }),
        }
    }

    fn open(&mut self) -> u32 {
        self.opened += 1;
        self.opened - 1
    }

    /// One open block at a time; a variable is compared with what stands for it. When one joins, `stand_in` gives what
    /// stands for the block then, from what stood for it, the variable, and the block's size before.
    fn sweep(&mut self, variables: &[usize], stand_in: impl Fn(Moments, Moments, f64) -> Moments) {
        let mut open: Option<(u32, Moments, f64)> = None;
        for &variable in variables {
            let own = self.moments[variable];
            let (label, judge, size) = match open {
                Some((label, judge, size)) if !self.welch.rejects(judge, own) => {
                    (label, stand_in(judge, own, size), size + 1.0)
                }
                _ => (self.open(), own, 1.0),
            };
            self.labels[variable] = label;
            open = Some((label, judge, size));
        }
    }

    /// Breadth-first search over the pairs that are not rejected.
    fn components(&mut self, variables: &[usize]) {
        let mut waiting = variables.to_vec();
        while let Some(&first) = waiting.first() {
            let label = self.open();
            let mut frontier = vec![first];
            waiting.remove(0);
            while let Some(variable) = frontier.pop() {
                self.labels[variable] = label;
                let own = self.moments[variable];
                let (moments, welch) = (self.moments, self.welch);
                waiting.retain(|&other| {
                    let rejected = welch.rejects(own, moments[other]);
                    if !rejected {
                        frontier.push(other);
                    }
                    rejected
                });
            }
        }
    }

    /// Each variable joins the first block whose `judges` do not reject it.
    fn first_fit(&mut self, variables: &[usize], judges: impl Fn(&[usize]) -> &[usize]) {
        let mut blocks: Vec<(u32, Vec<usize>)> = Vec::new();
        for &variable in variables {
            let own = self.moments[variable];
            let accepts = |block: &[usize]| {
                judges(block).iter().all(|&judge| !self.welch.rejects(self.moments[judge], own))
            };
            let label = match blocks.iter_mut().find(|(_, members)| accepts(members)) {
                Some((label, members)) => {
                    members.push(variable);
                    *label
                }
                None => {
                    let label = self.open();
                    blocks.push((label, vec![variable]));
                    label
                }
            };
            self.labels[variable] = label;
        }
    }
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF as _, StudentsT};

    use super::*;
    use base::digest::Digest;
    use math::random::Random;

    fn bernoulli(means: &[f64]) -> Vec<Moments> {
        means.iter().map(|&mean| Moments { mean, variance: mean * (1.0 - mean) }).collect()
    }

    fn partition(means: &[f64], rule: Rule, size: f64) -> Vec<u32> {
        let whole = Partition::whole(means.len());
        let refined = whole.refined(&bernoulli(means), rule, Welch::new(size, 0.1));
        assert_eq!(refined.sizes().iter().sum::<usize>(), means.len());
        assert_eq!(refined.blocks, refined.block_of.iter().max().map_or(0, |&m| m as usize + 1));
        refined.block_of
    }

    #[test]
    fn decisions_are_those_of_welchs_test() {
        let mut random = Random::new(Digest::of(b"welch"));
        let mut rejections = 0;
        for _ in 0..20_000 {
            let size = [3.0, 12.5, 40.0, 1000.0, 20_000.0][random.below(5)];
            let a = random.uniform();
            let b = a + 4.0 * (random.uniform() - 0.5) / f64::sqrt(size);
            let moments = |mean: f64| Moments { mean, variance: (mean * (1.0 - mean)).abs() };
            let (a, b) = (moments(a), moments(b));
            // Welch 1947, with the degrees of freedom of Satterthwaite.
            let (va, vb) = (a.variance / size, b.variance / size);
            let t = (a.mean - b.mean) / (va + vb).sqrt();
            let df = (va + vb) * (va + vb) / ((va * va + vb * vb) / (size - 1.0));
            let p = 2.0 * StudentsT::new(0.0, 1.0, df).unwrap().sf(t.abs());
            assert_eq!(Welch::new(size, 0.1).rejects(a, b), p < 0.1, "{a:?} {b:?} {size} {p}");
            rejections += usize::from(p < 0.1);
        }
        assert!((4000..16_000).contains(&rejections), "{rejections}");
    }

    #[test]
    fn samples_without_variance_differ_if_their_means_do() {
        let zero = Moments { mean: 0.0, variance: 0.0 };
        let one = Moments { mean: 1.0, variance: 0.0 };
        let welch = Welch::new(50.0, 0.1);
        assert!(!welch.rejects(zero, zero));
        assert!(welch.rejects(zero, one));
        assert!(!Welch::new(1.0, 0.1).rejects(zero, one));
        assert!(!Welch::new(0.0, 0.1).rejects(zero, zero));
    }

    #[test]
    fn rules_differ_on_a_chain_of_means() {
        // With n = 1000, means of .5 reject at a distance of .0368: neighbours at .03 pass,
        // second neighbours at .06 do not.
        let chain = [0.50, 0.53, 0.56, 0.59, 0.62];
        assert_eq!(partition(&chain, Rule::SortedFirst, 1000.0), [0, 0, 1, 1, 2]);
        assert_eq!(partition(&chain, Rule::SortedLast, 1000.0), [0; 5]);
        assert_eq!(partition(&chain, Rule::Components, 1000.0), [0; 5]);
        assert_eq!(partition(&chain, Rule::Cliques, 1000.0), [0, 0, 1, 1, 2]);
        // The mean of the first two is .515: .56 is .045 away.
        assert_eq!(partition(&chain, Rule::SortedMean, 1000.0), [0, 0, 1, 1, 2]);
        assert_eq!(partition(&chain, Rule::Singletons, 1000.0), [0, 1, 2, 3, 4]);
        // In the file's order the first member need not be the smallest.
        let shuffled = [0.53, 0.50, 0.56, 0.62, 0.59];
        assert_eq!(partition(&shuffled, Rule::FileOrder, 1000.0), [0, 0, 0, 1, 1]);
        assert_eq!(partition(&shuffled, Rule::SortedFirst, 1000.0), [0, 0, 1, 2, 1]);
    }

    #[test]
    fn equal_and_constant_columns_share_a_block() {
        use contract::words::Worded as _;
        for (_, rule) in Rule::WORDS.iter().filter(|(_, rule)| *rule != Rule::Singletons) {
            assert_eq!(partition(&[0.0, 0.3, 1.0, 0.3, 0.0, 1.0], rule, 500.0), [0, 1, 2, 1, 0, 2]);
            // An empty component has no evidence against one block.
            assert_eq!(partition(&[0.0; 4], rule, 0.0), [0; 4]);
        }
    }

    #[test]
    fn refining_keeps_blocks_apart() {
        let first = Partition::numbered(&[0, 1, 0, 1]);
        let moments = bernoulli(&[0.5, 0.5, 0.9, 0.5]);
        let refined = first.refined(&moments, Rule::SortedFirst, Welch::new(100.0, 0.1));
        assert_eq!(refined.block_of, [0, 1, 2, 1]);
        assert_eq!(refined.members(), [vec![0], vec![1, 3], vec![2]]);
    }
}
