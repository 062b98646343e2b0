//! The tests of exchangeability given one component: which samples they compare (Niepert and
//! Domingos 2014, proposition 3.3 and section 5.2).

use super::partition::{Moments, Partition, Rule, Welch};
use super::passes::{Expected, Rest};
use super::structure::Structure;
use contract::parameter::{Choice, Flag, Parameters, Real, settings};
use contract::words;

words! {
    /// The conditions of proposition 3.3, necessary for variables X_1, …, X_n to be exchangeable; each is tested after
    /// the ones before.
    #[derive(PartialOrd, Ord)]
    pub enum Condition {
        /// (1) E(X_i) = E(X_j).
        Mean = "mean", "condition (1): equal expectations";
        /// (2) Var(X_i) = Var(X_j).
        Variance = "mean-variance", "and condition (2), by Welch's test on (x - m)² within the blocks of (1)";
        /// (3) Cov(X_i, X_j) = Cov(X_i', X_j') ≥ -Var(X_i) / (n - 1).
        Covariance = "mean-variance-covariance",
            "and condition (3), by Welch's test on the products of each variable's deviation and that of the sum of the rest of its block, within the blocks of (2)";
    }
}

settings! {
    /// What is tested at which level.
    #[derive(PartialEq)]
    pub struct Level {
        ALPHA alpha: Real::between(0.0, 1.0, 0.1),
            "level below which a p-value puts two variables into different blocks";
        BESSEL bessel: Flag::flag(true), "whether sample variances divide by n - 1";
        CONDITIONS conditions: Choice<Condition>::worded("mean"), "which conditions of proposition 3.3 are tested";
    }
}

/// The sample that Welch's test takes variable j for, given component y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WelchSample {
    /// x_ij δ(y|i) over all N examples; for conditions (2) and (3) as `Effective`.
    Literal,
    /// x_j given y in Σ δ(y|i) examples.
    Effective,
    /// x_j given y in (Σ δ(y|i))² / Σ δ(y|i)² examples.
    Kish,
    /// x_j given y in all N examples.
    All,
}

/// How the variables are partitioned given one component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tests {
    /// What is tested.
    pub level: Level,
    /// How tests become a partition.
    pub rule: Rule,
    /// The sample that is tested.
    pub sample: WelchSample,
}

impl Tests {
    /// Reads the parameters that this module declares.
    pub fn read(parameters: &Parameters, rule: Rule, sample: WelchSample) -> Self {
        Self { level: Level::read(parameters), rule, sample }
    }

    /// Whether condition (3) of proposition 3.3 is tested.
    pub fn covariance(&self) -> bool {
        self.level.conditions == Condition::Covariance
    }
}

/// What the tests given one component know.
pub(super) struct Conditions<'a> {
    pub(super) tests: &'a Tests,
    pub(super) expected: &'a Expected,
    /// Number of training examples, N.
    pub(super) examples: usize,
    pub(super) component: usize,
}

impl Conditions<'_> {
    fn total(&self) -> f64 {
        self.expected.totals[self.component]
    }

    fn variables(&self) -> usize {
        self.expected.ones.len() / self.expected.totals.len()
    }

    /// Where a variable's sums stand.
    fn cell(&self, variable: usize) -> usize {
        variable * self.expected.totals.len() + self.component
    }

    /// Number of examples that stand behind the conditional distribution given `y`.
    fn size(&self) -> f64 {
        let total = self.total();
        match self.tests.sample {
            WelchSample::Literal | WelchSample::Effective => total,
            WelchSample::Kish if total > 0.0 => {
                total * total / self.expected.total_squares[self.component]
            }
            WelchSample::Kish => 0.0,
            WelchSample::All => self.examples as f64,
        }
    }

    pub(super) fn welch(&self) -> Welch {
        Welch::new(self.size(), self.tests.level.alpha)
    }

    /// The factor that makes a sample variance of `size` values that of n - 1.
    fn bessel(&self, size: f64) -> f64 {
        if self.tests.level.bessel && size > 1.0 { size / (size - 1.0) } else { 1.0 }
    }

    /// Σ x δ / Σ δ, and 0 in an empty component.
    fn conditional_mean(&self, variable: usize) -> f64 {
        let total = self.total();
        let ones = self.expected.ones[self.cell(variable)];
        if total > 0.0 { (ones / total).min(1.0) } else { 0.0 }
    }

    /// The partition by conditions (1) and, if it is tested, (2).
    pub(super) fn partition(&self) -> Partition {
        let (welch, moments) = self.means();
        let whole = Partition::whole(self.variables());
        let partition = whole.refined(&moments, self.tests.rule, welch);
        if self.tests.level.conditions >= Condition::Variance {
            partition.refined(&self.variances(), self.tests.rule, self.welch())
        } else {
            partition
        }
    }

    /// The component's partition, refined by condition (3): if all covariances within a block are equal,
    /// so are those of its variables with the sum of the rest of the block. (That they are at least
    /// -Var/(n - 1) holds in any block on average, because the variance of its sum is not negative.)
    pub(super) fn refined_by_covariance(
        &self,
        structure: &Structure,
        histogram: &[f64],
        rest: &Rest,
    ) -> Partition {
        let moments = self.covariances(structure, histogram, rest);
        structure.partitions[self.component].refined(&moments, self.tests.rule, self.welch())
    }

    /// Condition (1): each variable's mean and variance, and the test on them.
    pub(super) fn means(&self) -> (Welch, Vec<Moments>) {
        let literal = self.tests.sample == WelchSample::Literal;
        let size = if literal { self.examples as f64 } else { self.size() };
        let factor = self.bessel(size);
        let moments = |variable| {
            let of = |sums: &[f64]| sums[self.cell(variable)] / size;
            let mean =
                if literal { of(&self.expected.ones) } else { self.conditional_mean(variable) };
            let variance = if literal {
                (of(&self.expected.squares) - mean * mean).max(0.0)
            } else {
                mean * (1.0 - mean)
            };
            Moments { mean, variance: variance * factor }
        };
        let welch = Welch::new(size, self.tests.level.alpha);
        (welch, (0..self.variables()).map(moments).collect())
    }

    /// Condition (2): mean and variance of (x - m)², which is (1 - m)² with probability m and m²
    /// else.
    pub(super) fn variances(&self) -> Vec<Moments> {
        let factor = self.bessel(self.size());
        (0..self.variables())
            .map(|variable| {
                let m = self.conditional_mean(variable);
                let spread = 1.0 - 2.0 * m;
                let mean = m * (1.0 - m);
                Moments { mean, variance: mean * (spread * spread) * factor }
            })
            .collect()
    }

    /// Mean and variance of (x - p)(r - ρ), p and ρ being the means of x and of the ones r in the
    /// rest of its block.
    pub(super) fn covariances(
        &self,
        structure: &Structure,
        histogram: &[f64],
        rest: &Rest,
    ) -> Vec<Moments> {
        let total = self.total();
        let none = Moments { mean: 0.0, variance: 0.0 };
        if total <= 0.0 {
            return vec![none; self.variables()];
        }
        // First and second moment of each block's number of ones.
        let sums: Vec<(f64, f64)> = structure
            .blocks(self.component)
            .map(|block| {
                (0..).zip(&histogram[block]).fold((0.0, 0.0), |(first, second), (ones, share)| {
                    let (ones, share) = (f64::from(ones), share / total);
                    (first + ones * share, second + ones * ones * share)
                })
            })
            .collect();
        let sizes = structure.partitions[self.component].sizes();
        let factor = self.bessel(self.size());
        let of_variable = |(variable, &block): (usize, &u32)| {
            if sizes[block as usize] == 1 {
                return none;
            }
            let cell = self.cell(variable);
            let (t1, t2) = sums[block as usize];
            let p = self.conditional_mean(variable);
            let (a1, a2) = (rest.sums[cell] / total, rest.squares[cell] / total);
            let rho = t1 - p;
            let with_one = a2 - 2.0 * rho * a1 + rho * rho * p;
            let (b1, b2) = (t1 - (a1 + p), t2 - (a2 + 2.0 * a1 + p));
            let with_zero = b2 - 2.0 * rho * b1 + rho * rho * (1.0 - p);
            let mean = a1 - p * rho;
            let square = (1.0 - p) * (1.0 - p) * with_one + p * p * with_zero;
            Moments { mean, variance: (square - mean * mean).max(0.0) * factor }
        };
        structure.partitions[self.component].block_of.iter().enumerate().map(of_variable).collect()
    }
}
