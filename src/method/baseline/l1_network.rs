//! Independent groups of variables as the components of an L1-regularised Markov network: by corollary 4 of Gasse and
//! Aussem 2016 the irreducible disjoint factors, if the network is faithful to the distribution.

use crate::metrics::{EDGES, EPOCHS};
use std::collections::BTreeSet;

use super::chow_liu_forest::binary;
use crate::shared::l1_logistic::Regression;
use contract::binary::{BinaryColumns, DistinctRows};
use contract::parameter::{Real, parameters, settings};
use contract::sampling::{DIMENSION, EXAMPLES};
use contract::{Context, Fit, Measure, Memory, MethodEntry, Partition, Result};
use math::components::components;
use math::sample::Sample;
use math::special::ln;

settings! { PENALTY penalty: Real::positive(1.0), "λ as a multiple of √(ln n / N), for n variables and N examples"; }

/// The registry's entry. Each variable, as ±1, is predicted from the others by logistic regression with
/// penalty λ |β|₁ on the mean loss; an edge joins two variables if either has a coefficient for the other.
pub static L1_NETWORK: MethodEntry = MethodEntry {
    kind: "l1-network",
    summary: "components of a pairwise Markov network, by L1-regularised logistic regression of each variable",
    source: "Ravikumar, Wainwright and Lafferty 2010, \"High-dimensional Ising model selection using \
             l1-regularized logistic regression\"",
    revision: 3,
    parameters: parameters![PENALTY, EXAMPLES, DIMENSION,],
    reports: &[&EPOCHS, &EDGES],
    cost: |_, shape| 1e-7 * (shape.variables * shape.entries) as f64,
    memory: Memory::PairsOfVariables(4.0),
    fits: &[Fit::Partition(|parameters, observed, context| {
        let train = binary(observed)?;
        let (n, examples) = (train.variables(), train.examples() as f64);
        let lambda = parameters.get(&PENALTY) * (ln(n.max(2) as f64) / examples).sqrt();
        let columns = train.rows.by_column();
        let of_each =
            context.each(n, 1, |target| coefficients(&train, &columns, lambda, target, context))?;
        let mut edges = BTreeSet::new();
        let mut epochs = Sample::default();
        for (target, (coefficients, steps)) in of_each.into_iter().enumerate() {
            epochs.push(steps as f64);
            for (other, coefficient) in coefficients.into_iter().enumerate() {
                if coefficient != 0.0 {
                    edges.insert((target.min(other), target.max(other)));
                }
            }
        }
        let edge_count = Measure::Scalar(edges.len() as f64);
        let measures = vec![(&EDGES, edge_count), (&EPOCHS, Measure::Sample(epochs))];
        Ok(Partition { of_variable: components(n, edges), measures })
    })],
    ..MethodEntry::PLAIN
};

/// The coefficients of one variable for all variables as ±1, its own being zero, at penalty λ on the mean
/// loss; and the Newton steps that they took. A variable of one value has none.
fn coefficients(
    train: &DistinctRows,
    columns: &BinaryColumns,
    lambda: f64,
    target: usize,
    context: &Context,
) -> Result<(Vec<f64>, usize)> {
    let mut coefficients = vec![0.0; train.variables()];
    let Some(mut regression) = Regression::new(train, columns, target) else {
        return Ok((coefficients, 0));
    };
    // For variables in {0, 1} weights are twice as large.
    let solution = regression.solve(lambda / 2.0, context)?;
    for (other, weight) in solution.weights {
        coefficients[other as usize] = weight / 2.0;
    }
    Ok((coefficients, solution.steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use contract::binary::BinaryRows;
    use contract::parameter::Parameters;
    use contract::{Examples, Observed};
    use testing::{context, rows_of};

    #[test]
    fn coefficients_agree_with_scikit_learn() {
        let words = [
            "1101", "1111", "1100", "1010", "0011", "0000", "0010", "1001", "1101", "0110", "0001",
            "0010", "1110", "0100", "1011", "0000",
        ];
        let train = rows_of(&words).distinct();
        let (columns, context) = (train.rows.by_column(), context(Digest::of(b""), 0));
        let found = coefficients(&train, &columns, 0.05, 0, &context).unwrap().0;
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
        let (columns, context) = (train.rows.by_column(), context(Digest::of(b""), 0));
        for target in 0..4 {
            let (found, steps) = coefficients(&train, &columns, 0.01, target, &context).unwrap();
            let joined: Vec<usize> = (0..4).filter(|&other| found[other] != 0.0).collect();
            let expected: &[usize] = [&[][..], &[], &[3], &[2]][target];
            assert_eq!(joined, expected, "{target}");
            assert!(steps < 200, "{steps} steps for {target}");
        }
    }

    #[test]
    fn one_variable_is_a_group() {
        let fit = L1_NETWORK.partition().unwrap();
        let parameters = Parameters::defaults(L1_NETWORK.parameters);
        let examples = Examples::Binary(rows_of(&["1", "0", "1"]));
        let observed = Observed { examples, distribution: None };
        let found = fit(&parameters, &observed, &context(Digest::of(b""), 0)).unwrap();
        assert_eq!(found.of_variable, [0]);
    }

    #[test]
    fn edges_join_what_has_a_coefficient_alone() {
        // The first two are equal, the third is half of the time either.
        let rows: Vec<&str> = ["110", "111", "000", "001"].into_iter().cycle().take(400).collect();
        let observed = Observed { examples: Examples::Binary(rows_of(&rows)), distribution: None };
        let parameters = Parameters::defaults(L1_NETWORK.parameters);
        let fit = L1_NETWORK.partition().unwrap();
        let found = fit(&parameters, &observed, &context(Digest::of(b""), 0)).unwrap();
        assert_eq!(found.of_variable, [0, 0, 1]);
    }

    // scikit-learn 1.9.1: LogisticRegression(l1_ratio=1, C=1/(16·0.05), solver="saga", tol=1e-12,
    // max_iter=1000000) of the first of the variables as ±1 on the others.
    const EXPECTED: [f64; 4] = [0.0, 0.6430816, 0.0, 0.6430816];
}
