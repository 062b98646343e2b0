//! Independent groups of variables as the trees of a Chow-Liu forest.

use super::chow_liu::Tree;
use crate::metrics::EDGES;
use contract::binary::DistinctRows;
use contract::parameter::{Real, parameters, settings};
use contract::sampling::{DIMENSION, EXAMPLES};
use contract::{Fit, FitError, Measure, Memory, MethodEntry, Observed, Partition, Result};
use math::components::components;
use math::special::ln;

settings! { PENALTY penalty: Real::not_negative(1.0), "factor on ½ ln N, which N times the mutual information of an edge must exceed"; }

/// The registry's entry. An edge stays if its ends' mutual information, times N, is more than the
/// `penalty` times ½ ln N, the description length of its one parameter. The forest's components are those
/// of the graph of all pairs above the threshold, since a maximum spanning tree joins whatever any such
/// edges join: it is theorem 7's procedure with this criterion in place of a test.
pub static CHOW_LIU_FOREST: MethodEntry = MethodEntry {
    kind: "chow-liu-forest",
    summary: "components of the Chow-Liu tree without the edges that do not pay for their parameter",
    source: "Chow and Liu 1968; Suzuki 1993, \"A construction of Bayesian networks from databases based on \
             an MDL principle\"",
    parameters: parameters![PENALTY, EXAMPLES, DIMENSION,],
    reports: &[&EDGES],
    cost: |_, shape| 1e-9 * (shape.variables * shape.entries) as f64,
    memory: Memory::PairsOfVariables(4.0),
    fits: &[Fit::Partition(|parameters, observed, context| {
        let train = binary(observed)?;
        let threshold = parameters.get(&PENALTY) * 0.5 * ln(train.examples() as f64);
        let edges = Tree::learn(&train, context)?.edges();
        let kept = edges.into_iter().filter(|(.., information)| *information > threshold);
        let kept: Vec<(usize, usize)> = kept.map(|(one, other, _)| (one, other)).collect();
        let measures = vec![(&EDGES, Measure::Scalar(kept.len() as f64))];
        Ok(Partition { of_variable: components(train.variables(), kept), measures })
    })],
    ..MethodEntry::PLAIN
};

/// The examples as 0/1 variables, equal ones merged.
///
/// # Errors
/// If they are of another kind.
pub(super) fn binary(observed: &Observed) -> Result<DistinctRows> {
    let rows = observed.examples.binary();
    let rows = rows.map_err(|other| FitError::NotApplicable(other.to_string()))?;
    Ok(rows.sparse().distinct())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use contract::Examples;
    use contract::numeric::NumericRows;
    use contract::parameter::{Parameters, Value};
    use testing::{context, rows_of};

    fn groups(examples: Examples, penalty: f64) -> Result<Vec<u32>> {
        let fit = CHOW_LIU_FOREST.partition().unwrap();
        let mut parameters = Parameters::defaults(CHOW_LIU_FOREST.parameters);
        parameters.set("penalty", Value::Real(penalty));
        let observed = Observed { examples, distribution: None };
        fit(&parameters, &observed, &context(Digest::of(b""), 0)).map(|found| found.of_variable)
    }

    #[test]
    fn edges_stay_where_they_pay() {
        // The first two agree in seven rows of eight: 4 ln(8/5) + ln(2/5) + 3 ln 2 = 3.04 nats, by hand; the
        // threshold is ½ ln 8 = 1.04.
        let words = ["110", "111", "110", "110", "001", "000", "001", "100"];
        let rows = || Examples::Binary(rows_of(&words));
        assert_eq!(groups(rows(), 1.0).unwrap()[..2], [0, 0]);
        assert_eq!(groups(rows(), 1e3).unwrap(), [0, 1, 2]);
        assert_eq!(groups(rows(), 0.0).unwrap(), [0, 0, 0]);
    }

    #[test]
    fn only_0_1_variables_have_a_tree() {
        let numbers = Examples::Numeric(NumericRows::new(1, vec![0.5]));
        let error = groups(numbers, 1.0).unwrap_err().to_string();
        assert!(
            error.ends_with("it takes 0/1 variables, and the dataset has numeric columns"),
            "{error}"
        );
    }
}
