//! The procedures as methods of experiment files.

use super::columns::Columns;
use super::enumeration::irreducible_factors;
use super::g_test::{GTest, Null};
use super::independence::{IndependenceTest, Level};
use super::markov_boundary::Search;
use super::partial_correlation::PartialCorrelation;
use super::procedures::{self, By};
use base::digest::FieldHasher;
use contract::parameter::{Choice, Count, Parameters, Real, parameters, settings};
use contract::sampling::{DIMENSION, EXAMPLES};
use contract::words::Words;
use contract::{
    Context, Examples, Fit, FitError, Memory, MethodEntry, Observed, Partition, Result, Shape,
    words,
};
use math::special::pow;
use method::shared::refusals::check_scales;
use stats::Correction;

words! {
    /// How conditional independence is decided.
    enum Test {
        Auto = "auto", "`g` for values, `partial-correlation` for numbers";
        G = "g", "G-test whose null mean and variance are exact given the margins of each stratum; Pearson's X² where a variable has \
                  more than two values";
        GChiSquared = "g-chi-squared", "G-test with the asymptotic chi-squared null";
        GPermutation = "g-permutation", "G-test against random permutations within the strata";
        PartialCorrelation = "partial-correlation", "Fisher's z of the partial correlation, for Gaussian variables";
        Exact = "exact", "independence in the distribution itself, where the dataset's is known";
    }
}

words! {
    /// The total order of the variables.
    enum Order {
        Dataset = "dataset", "that of the dataset";
        Reversed = "reversed", "that of the dataset, backwards";
        Random = "random", "a random one, of the trial's seed";
    }
}

settings! {
    /// How independence is tested.
    struct Settings {
        TEST test: Choice<Test>::worded("auto"), "how conditional independence is decided";
        ALPHA alpha: Real::between(0.0, 1.0, 0.05), "level of the tests of independence, before the correction";
        PERMUTATIONS permutations: Count::within(1..=1_000_000, 1999),
            "number of permutations of `g-permutation`; no p-value is below 1 / (1 + permutations)";
    }
}

settings! {
    CORRECTION correction: Choice<Correction>::worded("bonferroni"), "correction over the n(n-1)/2 pairs of variables";
    // Where a test must be decided before the next is made.
    CORRECTION_IN_ORDER correction: Choice<Correction>::new(&Words(&[
        ("none", Correction::None, "none"),
        ("bonferroni", Correction::Bonferroni, "alpha divided by the number of pairs; by that of pairs and sets in theorem 3"),
    ]), "bonferroni"), "correction over the n(n-1)/2 pairs of variables";
    SEARCH search: Choice<Search>::worded("iamb"), "how Markov boundaries are found";
    ORDER order: Choice<Order>::worded("dataset"), "the total order of the variables";
}

/// The parameters of tests with a correction, behind a procedure's own.
macro_rules! by_tests {
    ($correction:expr $(; $own:expr)?) => {
        parameters![in parameters![$($own,)? $correction, EXAMPLES, DIMENSION], Settings::PARAMETERS]
    };
}

/// What the procedures that decide by tests have in common.
const BY_TESTS: MethodEntry = MethodEntry {
    revision: 2,
    reports: procedures::REPORTS,
    cost: cubic,
    memory: Memory::PairsOfVariables(4.0),
    ..MethodEntry::PLAIN
};

/// The fit of a procedure.
macro_rules! fit {
    ($procedure:expr) => {
        &[Fit::Partition(|parameters, observed, context| {
            with_test(parameters, observed, context, $procedure)
        })]
    };
}

/// The registry's entry of theorem 5.
pub static IDF_INTERSECTION: MethodEntry = MethodEntry {
    kind: "idf-intersection",
    summary: "irreducible disjoint factors under Intersection: dependence given all other variables",
    source: "Gasse and Aussem 2016, theorem 5",
    parameters: by_tests![CORRECTION],
    fits: fit!(|by, _| by.intersection()),
    ..BY_TESTS
};

/// The registry's entry of lemma 6.
pub static IDF_MARKOV_BOUNDARY: MethodEntry = MethodEntry {
    kind: "idf-markov-boundary",
    summary: "irreducible disjoint factors under Intersection: membership in a Markov boundary",
    source: "Gasse and Aussem 2016, lemma 6",
    parameters: by_tests![CORRECTION_IN_ORDER; SEARCH],
    fits: fit!(|by, parameters| by.markov_boundary(parameters.get(&SEARCH))),
    ..BY_TESTS
};

/// The registry's entry of theorem 7.
pub static IDF_COMPOSITION: MethodEntry = MethodEntry {
    kind: "idf-composition",
    summary: "irreducible disjoint factors under Composition: pairwise dependence",
    source: "Gasse and Aussem 2016, theorem 7",
    parameters: by_tests![CORRECTION],
    cost: |parameters, shape| 0.1 * cubic(parameters, shape),
    fits: fit!(|by, _| by.composition()),
    ..BY_TESTS
};

/// The registry's entry of theorem 8.
pub static IDF_ANY: MethodEntry = MethodEntry {
    kind: "idf-any",
    summary: "irreducible disjoint factors of any distribution, by tests in order",
    source: "Gasse and Aussem 2016, theorem 8",
    parameters: by_tests![CORRECTION_IN_ORDER; ORDER],
    fits: fit!(|by, parameters| by.any(&order(by, parameters))),
    ..BY_TESTS
};

/// The registry's entry of theorem 3.
pub static IDF_EXHAUSTIVE: MethodEntry = MethodEntry {
    kind: "idf-exhaustive",
    summary: "irreducible disjoint factors of any distribution, by all conditioning sets of each pair",
    source: "Gasse and Aussem 2016, theorem 3",
    parameters: by_tests![CORRECTION_IN_ORDER],
    cost: |parameters, shape| cubic(parameters, shape) * subsets(shape),
    fits: fit!(|by, _| by.exhaustive()),
    ..BY_TESTS
};

/// The registry's entry of the definition itself.
pub static IDF_ENUMERATION: MethodEntry = MethodEntry {
    kind: "idf-enumeration",
    summary: "irreducible disjoint factors of a known distribution, by all subsets of the variables",
    source: "Gasse and Aussem 2016, definition 2",
    reports: procedures::REPORTS,
    cost: |_, shape| 1e-6 * subsets(shape),
    memory: Memory::PairsOfVariables(4.0),
    fits: &[Fit::Partition(|_, observed, context| {
        let of_variable = irreducible_factors(observed.known()?, context)?;
        Ok(Partition { of_variable, measures: Vec::new() })
    })],
    ..MethodEntry::PLAIN
};

fn cubic(_: &Parameters, shape: &Shape) -> f64 {
    1e-9 * (shape.variables * shape.variables * shape.examples) as f64
}

fn subsets(shape: &Shape) -> f64 {
    pow(2.0, shape.variables as f64)
}

/// The variables in the order that the parameters name.
fn order(by: &By<'_>, parameters: &Parameters) -> Vec<usize> {
    let n = by.test.variables();
    match parameters.get(&ORDER) {
        Order::Dataset => (0..n).collect(),
        Order::Reversed => (0..n).rev().collect(),
        Order::Random => by.context.random(0).permutation(n),
    }
}

/// Runs a procedure with the test that the parameters name.
fn with_test(
    parameters: &Parameters,
    observed: &Observed,
    context: &Context,
    procedure: fn(&By<'_>, &Parameters) -> Result<Partition>,
) -> Result<Partition> {
    let Settings { test, alpha, permutations } = Settings::read(parameters);
    let level = Level { alpha, correction: parameters.get(&CORRECTION) };
    let run = |test: &dyn IndependenceTest| procedure(&By { test, level, context }, parameters);
    let null = match (test, &observed.examples) {
        (Test::Exact, _) => return run(observed.known()?),
        (Test::PartialCorrelation | Test::Auto, Examples::Numeric(rows)) => {
            check_scales(rows)?;
            return run(&PartialCorrelation::new(rows));
        }
        (Test::PartialCorrelation, other) => {
            return Err(FitError::NotApplicable(format!(
                "partial correlation takes numeric columns, and the dataset has {}",
                other.described()
            )));
        }
        (Test::G | Test::Auto, _) => Null::Moments,
        (Test::GChiSquared, _) => Null::ChiSquared,
        (Test::GPermutation, _) => Null::Permutation {
            permutations,
            seed: FieldHasher::new("independence").field(context.split_seed.0).finish(),
        },
    };
    run(&GTest::new(Columns::new(&observed.examples)?, null))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use contract::binary::BinaryRows;
    use contract::numeric::NumericRows;
    use contract::parameter::Value;
    use testing::{context, rows_of};

    const ENTRIES: [&MethodEntry; 5] =
        [&IDF_INTERSECTION, &IDF_MARKOV_BOUNDARY, &IDF_COMPOSITION, &IDF_ANY, &IDF_EXHAUSTIVE];

    fn found(entry: &MethodEntry, examples: Examples, test: &str) -> Result<Vec<u32>> {
        let fit = entry.partition().unwrap();
        let mut parameters = Parameters::defaults(entry.parameters);
        parameters.set("test", Value::Text(test.to_owned()));
        let observed = Observed { examples, distribution: None };
        fit(&parameters, &observed, &context(Digest::of(b""), 0)).map(|found| found.of_variable)
    }

    #[test]
    fn tests_that_do_not_suit_the_data_are_refused() {
        let values = || Examples::Binary(rows_of(&["10", "01"]));
        let numbers = || Examples::Numeric(NumericRows::new(1, vec![0.5, 1.0]));
        let unknown = "the distribution of the dataset is not known as a table of all states";
        let not_numbers = "partial correlation takes numeric columns, and the dataset has";
        let not_values = "the G-test takes variables with finitely many values, and the dataset has numeric \
                          columns";
        for entry in ENTRIES {
            for (examples, test, expected) in [
                (values(), "exact", unknown),
                (values(), "partial-correlation", not_numbers),
                (numbers(), "g", not_values),
                (numbers(), "g-permutation", not_values),
            ] {
                let error = found(entry, examples, test).unwrap_err();
                let FitError::NotApplicable(message) = &error else { panic!("{error}") };
                assert!(message.starts_with(expected), "{}: {error}", entry.kind);
            }
        }
    }

    #[test]
    fn one_variable_or_none_is_no_trouble() {
        for entry in ENTRIES {
            assert_eq!(found(entry, Examples::Binary(rows_of(&["1", "0"])), "auto"), Ok(vec![0]));
            let mut empty = BinaryRows::new(0);
            empty.push(&[]);
            assert_eq!(found(entry, Examples::Binary(empty), "auto"), Ok(vec![]));
            let numbers = NumericRows::new(1, vec![0.5, 1.0]);
            assert_eq!(found(entry, Examples::Numeric(numbers), "auto"), Ok(vec![0]));
        }
    }
}
