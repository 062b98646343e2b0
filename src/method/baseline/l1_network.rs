//! Independent groups of variables as the components of an L1-regularised Markov network.

use std::collections::BTreeSet;

use super::chow_liu::Cooccurrence;
use super::chow_liu_forest::binary;
use crate::data::binary::DistinctRows;
use crate::math::parallel::Cores;
use crate::math::special::{exp, ln};
use crate::method::idf::graph::components;
use crate::method::parameter::{Default, Domain, Parameter};
use crate::method::{Context, Fit, FitError, MethodEntry, Partition};
use crate::task::Measure;
use crate::task::measure::Sample;
use crate::task::partition::{DIMENSION, EXAMPLES};

/// The registry's entry. Each variable, as ±1, is predicted from the others by logistic regression with
/// penalty λ |β|₁ on the mean loss; an edge joins two variables if either has a coefficient for the other.
pub static L1_NETWORK: MethodEntry = MethodEntry {
    kind: "l1-network",
    summary: "components of a pairwise Markov network, by L1-regularised logistic regression of each variable",
    source: "Ravikumar, Wainwright and Lafferty 2010, \"High-dimensional Ising model selection using \
             l1-regularized logistic regression\"",
    revision: 1,
    parameters: &[
        Parameter {
            name: "penalty",
            domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
            default: Default::Real(1.0),
            meaning: "λ as a multiple of √(ln n / N), for n variables and N examples",
        },
        EXAMPLES,
        DIMENSION,
    ],
    along: &[],
    cost: |_, shape| 1e-7 * (shape.variables * shape.entries) as f64,
    fits: &[Fit::Partition(|parameters, observed, context| {
        let train = binary(observed)?;
        let (n, examples) = (train.variables(), train.examples() as f64);
        let lambda = parameters.real("penalty") * (ln(n.max(2) as f64) / examples).sqrt();
        let network = Regressions::new(&train, lambda, &context.cores);
        let coefficients = context.cores.map_chunks(
            n,
            1,
            || (),
            |(), range| network.coefficients(range.start, context),
        );
        let mut edges = BTreeSet::new();
        let mut epochs = Sample::default();
        for (target, result) in coefficients.into_iter().enumerate() {
            let (coefficients, steps) = result?;
            epochs.push(steps as f64);
            for (other, coefficient) in coefficients.into_iter().enumerate() {
                if coefficient != 0.0 {
                    edges.insert((target.min(other), target.max(other)));
                }
            }
        }
        let edge_count = Measure::Scalar(edges.len() as f64);
        let measures = vec![("edges", edge_count), ("epochs", Measure::Sample(epochs))];
        Ok(Partition { of_variable: components(n, edges), measures })
    })],
};

/// Steps after which a regression is given up.
const MOST_STEPS: usize = 10_000;
/// Sweeps over the coefficients in one step.
const SWEEPS: usize = 20;
/// How far a derivative may be from the optimality conditions, in units of λ.
const TOLERANCE: f64 = 1e-3;

/// The regressions of all variables on the others.
struct Regressions<'a> {
    train: &'a DistinctRows,
    lambda: f64,
    /// Mean products of the variables as ±1, and behind the last variable the constant 1.
    products: Vec<f64>,
}

impl<'a> Regressions<'a> {
    fn new(train: &'a DistinctRows, lambda: f64, cores: &Cores) -> Self {
        let n = train.variables();
        let total = train.examples() as f64;
        let counts = Cooccurrence::count(train, cores);
        // How often both are one; the constant always is.
        let both = |one: usize, other: usize| match (one < n, other < n) {
            (true, true) => f64::from(counts.get(one, other)),
            (true, false) => f64::from(counts.get(one, one)),
            (false, true) => f64::from(counts.get(other, other)),
            (false, false) => total,
        };
        let product = |at: usize| {
            let (one, other) = (at / (n + 1), at % (n + 1));
            let differ = both(one, one) + both(other, other) - 2.0 * both(one, other);
            1.0 - 2.0 * differ / total
        };
        Self { train, lambda, products: (0..(n + 1) * (n + 1)).map(product).collect() }
    }

    /// The coefficients of one variable, its own being zero. Each step minimises the penalised quadratic
    /// that bounds the loss from above at the last point (the logistic loss curves by ¼ at most), by
    /// coordinate descent; it ends when the optimality conditions hold. Also the number of steps.
    fn coefficients(
        &self,
        target: usize,
        context: &Context,
    ) -> Result<(Vec<f64>, usize), FitError> {
        let n = self.train.variables();
        let size = n + 1;
        let mut point = vec![0.0; size];
        // The best constant, from which rare values are not far; a variable of one value has none.
        let balance = self.products[target * size + n];
        if balance.abs() == 1.0 {
            point.truncate(n);
            return Ok((point, 0));
        }
        point[n] = ln((1.0 + balance) / (1.0 - balance));
        for step in 1..=MOST_STEPS {
            context.check()?;
            let gradient = self.gradient(target, &point);
            let violated = |(at, slope): (usize, &f64)| {
                let penalty = if at == n { 0.0 } else { self.lambda };
                let violation = if point[at] == 0.0 {
                    slope.abs() - penalty
                } else {
                    (slope + penalty * point[at].signum()).abs()
                };
                at != target && violation > TOLERANCE * self.lambda
            };
            if !gradient.iter().enumerate().any(violated) {
                point.truncate(n);
                return Ok((point, step));
            }
            let mut slope = gradient;
            for _ in 0..SWEEPS {
                for at in (0..size).filter(|&at| at != target) {
                    let penalty = if at == n { 0.0 } else { 4.0 * self.lambda };
                    let free = point[at] - 4.0 * slope[at];
                    let next = (free.abs() - penalty).max(0.0) * free.signum();
                    let change = 0.25 * (next - point[at]);
                    if change != 0.0 {
                        point[at] = next;
                        let products = &self.products[at * size..(at + 1) * size];
                        slope
                            .iter_mut()
                            .zip(products)
                            .for_each(|(s, product)| *s += change * product);
                    }
                }
            }
        }
        Err(FitError::Failed(format!(
            "the regression of variable {target} did not converge in {MOST_STEPS} steps"
        )))
    }

    /// Derivatives of the mean loss.
    fn gradient(&self, target: usize, point: &[f64]) -> Vec<f64> {
        let n = self.train.variables();
        let base = point[n] - point[..n].iter().sum::<f64>();
        let mut of_ones = vec![0.0; n];
        let mut total = 0.0;
        for (row, &count) in self.train.rows.iter().zip(&self.train.counts) {
            let margin = base + 2.0 * row.iter().map(|&one| point[one as usize]).sum::<f64>();
            let class = row.binary_search(&(target as u32)).is_ok();
            let error = 1.0 / (1.0 + exp(-margin)) - f64::from(u8::from(class));
            let error = f64::from(count) * error;
            total += error;
            row.iter().for_each(|&one| of_ones[one as usize] += error);
        }
        let examples = self.train.examples() as f64;
        let slopes = of_ones.into_iter().map(|of_one| (2.0 * of_one - total) / examples);
        slopes.chain([total / examples]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Examples;
    use crate::data::binary::BinaryRows;
    use crate::math::digest::Digest;
    use crate::method::Observed;
    use crate::method::parameter::Parameters;
    use crate::method::testing::{context, rows_of};
    use crate::task::TaskKind;

    #[test]
    fn coefficients_agree_with_scikit_learn() {
        let words = [
            "1101", "1111", "1100", "1010", "0011", "0000", "0010", "1001", "1101", "0110", "0001",
            "0010", "1110", "0100", "1011", "0000",
        ];
        let train = rows_of(&words).distinct();
        let network = Regressions::new(&train, 0.05, &Cores::new(0));
        let found = network.coefficients(0, &context(Digest::of(b""), 0)).unwrap().0;
        for (found, expected) in found.iter().zip(EXPECTED) {
            assert!((found - expected).abs() < 2e-3, "{found} instead of {expected}");
        }
    }

    #[test]
    fn rare_and_constant_variables_have_a_solution() {
        // A constant, one one in twenty thousand, and two that are often equal.
        let mut rows = BinaryRows::new(4);
        for at in 0..20_000 {
            let pair: &[u32] = [&[][..], &[2, 3], &[], &[2, 3], &[2]][at % 5];
            let rare: &[u32] = if at == 7 { &[0, 1] } else { &[0] };
            rows.push(&[rare, pair].concat());
        }
        let train = rows.distinct();
        let network = Regressions::new(&train, 0.01, &Cores::new(0));
        for target in 0..4 {
            let (found, steps) =
                network.coefficients(target, &context(Digest::of(b""), 0)).unwrap();
            let joined: Vec<usize> = (0..4).filter(|&other| found[other] != 0.0).collect();
            let expected: &[usize] = [&[][..], &[], &[3], &[2]][target];
            assert_eq!(joined, expected, "{target}");
            assert!(steps < 200, "{steps} steps for {target}");
        }
    }

    #[test]
    fn one_variable_is_a_group() {
        let Some(Fit::Partition(fit)) = L1_NETWORK.fit(TaskKind::Partition) else { panic!() };
        let parameters = Parameters::defaults(L1_NETWORK.parameters);
        let examples = Examples::Binary(rows_of(&["1", "0", "1"]));
        let observed = Observed { examples, distribution: None };
        let found = fit(&parameters, &observed, &context(Digest::of(b""), 0)).unwrap();
        assert_eq!(found.of_variable, [0]);
    }

    // scikit-learn 1.9.1: LogisticRegression(l1_ratio=1, C=1/(16·0.05), solver="saga", tol=1e-12,
    // max_iter=1000000) of the first of the variables as ±1 on the others.
    const EXPECTED: [f64; 4] = [0.0, 0.6430816, 0.0, 0.6430816];
}
