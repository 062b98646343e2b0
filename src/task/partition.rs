//! Partition: divide the variables into independent groups, compare them with the true ones where these
//! are known.

use crate::metrics::{TIME_FIT, TRAIN_EXAMPLES, VARIABLES};
use crate::{Divided, Fitting, Task};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::measured::Measured;
use base::digest::Digest;
use contract::parameter::{Count, Parameters};
use contract::sampling::{DIMENSION, EXAMPLES};
use contract::{Carry, FitError, Observed, Result, listed, metrics};
use data::split::Division;
use data::{Dataset, Truth};

metrics! {
    in pub(crate) OF_PARTITIONS;
    pub EXACT_RECOVERY: Structure = "exact_recovery", "Exact recovery",
        "1 if the partition, of the variables or of the parameters of a Markov network, is the true one, else 0; where the true one is known".higher().within(0.0, 1.0);
    pub ADJUSTED_RAND: Structure = "adjusted_rand", "Adjusted Rand index",
        "agreement of the partition with the true one: 1 if they are the same, 0 on average by chance (Hubert and Arabie 1985)".higher().within(-1.0, 1.0);
    pub FALSE_MERGES: Structure = "false_merges", "False merges",
        "share of the pairs of variables of different true factors that are found in one; 0 if there are none".lower();
    pub SPLITS: Structure = "splits", "Splits",
        "share of the pairs of variables of one true factor that are found in two; 0 if there are none".lower();
    pub FACTORS: Structure = "factors", "Factors", "number of groups of variables that are found";
    pub LARGEST_FACTOR: Structure = "largest_factor", "Largest factor",
        "number of variables of the largest group".unit("variables");
}

/// Divide the variables into independent groups.
pub static PARTITION: Task = Task {
    word: "partition",
    meaning: "divide the variables into independent groups",
    score: &FACTORS,
    metrics: listed![&[&VARIABLES, &TRAIN_EXAMPLES], OF_PARTITIONS, &[&TIME_FIT]],
    serves: |method| method.partition().is_some(),
    draws: |_| true,
    divide: |portion, _| {
        Ok(Box::new(PartitionData::new(portion.dataset, portion.division, portion.seed)))
    },
    ..Task::PLAIN
};

/// The training examples of one split, and their true groups.
#[derive(Debug, Clone)]
pub struct PartitionData {
    /// What a method sees.
    pub observed: Observed,
    /// The irreducible disjoint factor of each variable, where they are known.
    pub truth: Option<Vec<u32>>,
}

impl PartitionData {
    /// The training examples of a division. A dataset with a generator of factors is drawn anew, from a
    /// distribution that is drawn anew, for each `seed`: repeats are independent.
    pub fn new(dataset: &Dataset, division: &Division, seed: Digest) -> Self {
        match &dataset.truth {
            Truth::Factors(sample) => {
                let mut drawn = sample.drawn(seed);
                if division.train.len() < drawn.examples.len() {
                    drawn.examples = drawn.examples.select(&division.train);
                }
                let distribution = drawn.distribution.map(Arc::new);
                let observed = Observed { examples: drawn.examples, distribution };
                Self { observed, truth: Some(drawn.factors) }
            }
            _ => {
                let examples = dataset.examples.select(&division.train);
                Self { observed: Observed { examples, distribution: None }, truth: None }
            }
        }
    }

    /// The examples and variables that the parameters ask for.
    fn restricted(&self, parameters: &Parameters) -> Result<Self> {
        let wanted = |count: Count, all: usize, what: &str| match parameters.get(&count) {
            0 => Ok(all),
            wanted if wanted > all => {
                let name = count.parameter.name;
                let message = format!("`{name}` is {wanted}, and there are {all} {what}");
                Err(FitError::NotApplicable(message))
            }
            wanted => Ok(wanted),
        };
        let examples = &self.observed.examples;
        let rows = wanted(EXAMPLES, examples.len(), "training examples")?;
        let columns = wanted(DIMENSION, examples.variables(), "variables")?;
        let mut restricted = self.clone();
        if rows < examples.len() {
            restricted.observed.examples = examples.select(&(0..rows).collect::<Vec<usize>>());
        }
        if columns < examples.variables() {
            restricted.observed.examples = restricted.observed.examples.columns(&(0..columns));
            restricted.observed.distribution = None;
            restricted.truth = match &self.truth {
                Some(truth) if truth[columns..].iter().any(|f| truth[..columns].contains(f)) => {
                    return Err(FitError::NotApplicable(format!(
                        "the first {columns} variables cut a true factor"
                    )));
                }
                truth => truth.as_ref().map(|truth| truth[..columns].to_vec()),
            };
        }
        Ok(restricted)
    }
}

impl Divided for PartitionData {
    fn measure(&self, fitting: &Fitting<'_>, _: &mut Carry) -> Result<Measured> {
        let Fitting { method, parameters, context, .. } = *fitting;
        let fit = method.partition().ok_or_else(|| PARTITION.unserved())?;
        let data = self.restricted(parameters)?;
        crate::needs("training", data.observed.examples.len())?;
        let mut measured = Measured::default();
        let found = measured.timed(&TIME_FIT, || fit(parameters, &data.observed, context))?;
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        found.of_variable.iter().for_each(|factor| *sizes.entry(*factor).or_default() += 1);
        measured.counts([
            (&FACTORS, sizes.len()),
            (&LARGEST_FACTOR, sizes.values().copied().max().unwrap_or(0)),
            (&VARIABLES, data.observed.examples.variables()),
            (&TRAIN_EXAMPLES, data.observed.examples.len()),
        ]);
        if let Some(truth) = &data.truth {
            let Agreement { exact, adjusted_rand, false_merges, splits } =
                Agreement::of(truth, &found.of_variable);
            measured.scalar(&EXACT_RECOVERY, f64::from(exact));
            measured.scalar(&ADJUSTED_RAND, adjusted_rand);
            measured.scalar(&FALSE_MERGES, false_merges);
            measured.scalar(&SPLITS, splits);
        }
        measured.metrics.extend(found.measures);
        Ok(measured)
    }
}

/// How far a partition is the true one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Whether they are the same.
    pub exact: bool,
    /// Hubert and Arabie's adjusted Rand index: 1 for the same partition, 0 on average by chance.
    pub adjusted_rand: f64,
    /// Share of the pairs of different true groups that are found in one; 0 if there are none.
    pub false_merges: f64,
    /// Share of the pairs of one true group that are found in two; 0 if there are none.
    pub splits: f64,
}

impl Agreement {
    /// Compares the groups of the same items. O(n log n).
    pub fn of(truth: &[u32], found: &[u32]) -> Self {
        let pairs_within = |sizes: BTreeMap<(u32, u32), u64>| -> f64 {
            sizes.into_values().map(|size| (size * (size - 1) / 2) as f64).sum()
        };
        let count = |groups: &mut dyn Iterator<Item = (u32, u32)>| {
            let mut sizes = BTreeMap::new();
            groups.for_each(|group| *sizes.entry(group).or_default() += 1);
            pairs_within(sizes)
        };
        let of_truth = count(&mut truth.iter().map(|&group| (group, 0)));
        let of_found = count(&mut found.iter().map(|&group| (0, group)));
        let of_both = count(&mut truth.iter().copied().zip(found.iter().copied()));
        let n = truth.len() as f64;
        let all = n * (n - 1.0) / 2.0;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let exact = of_truth == of_both && of_found == of_both;
        let by_chance = share(of_truth * of_found, all);
        let most = 0.5 * (of_truth + of_found);
        let adjusted_rand = if exact { 1.0 } else { (of_both - by_chance) / (most - by_chance) };
        Self {
            exact,
            adjusted_rand,
            false_merges: share(of_found - of_both, all - of_truth),
            splits: share(of_truth - of_both, of_truth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ask;
    use contract::parameter::{Value, parameters};
    use contract::{Context, Examples, Fit, Measure, Partition};
    use data::generate::Sample as _;
    use data::generate::factors::{Factor, FactorSample, Family};
    use testing::{context, method, rows_of};

    #[test]
    fn agreement_agrees_with_scikit_learn() {
        // scikit-learn 1.9.1: sklearn.metrics.adjusted_rand_score; the pairs by hand.
        let truth = [0, 0, 0, 1, 1, 2];
        let found = Agreement::of(&truth, &[0, 0, 1, 1, 1, 2]);
        assert!((found.adjusted_rand - 0.3181818181818182).abs() < 1e-15, "{found:?}");
        assert_eq!((found.false_merges, found.splits), (2.0 / 11.0, 0.5));
        let same = Agreement { exact: true, adjusted_rand: 1.0, false_merges: 0.0, splits: 0.0 };
        assert_eq!(Agreement::of(&truth, &[5, 5, 5, 0, 0, 1]), same);
        assert_eq!(Agreement::of(&[0, 1, 2], &[0, 1, 2]), same);
        assert_eq!(Agreement::of(&[0], &[0]), same);
        let merged = Agreement::of(&[0, 1, 2], &[0, 0, 0]);
        assert_eq!((merged.exact, merged.adjusted_rand, merged.false_merges), (false, 0.0, 1.0));
    }

    fn data() -> PartitionData {
        let examples = Examples::Binary(rows_of(&["1101", "0010", "1100", "0011"]));
        let observed = Observed { examples, distribution: None };
        PartitionData { observed, truth: Some(vec![0, 0, 1, 2]) }
    }

    contract::metrics! { TESTS: Structure = "tests", "Tests", "number of tests"; }

    /// All variables in one group.
    fn one(_: &Parameters, observed: &Observed, _: &Context) -> Result<Partition> {
        let of_variable = vec![0; observed.examples.variables()];
        Ok(Partition { of_variable, measures: vec![(&TESTS, Measure::Scalar(7.0))] })
    }

    fn measured(set: &[(&str, i64)]) -> Result<Measured> {
        let mut parameters = Parameters::defaults(parameters![EXAMPLES, DIMENSION]);
        set.iter().for_each(|(name, value)| parameters.set(name, Value::Integer(*value)));
        let method = method(vec![Fit::Partition(one)]);
        let context = context(Digest::of(b""), 0);
        data().measure(
            &Fitting {
                method: &method,
                parameters: &parameters,
                ask: &Ask::default(),
                context: &context,
            },
            &mut None,
        )
    }

    #[test]
    fn groups_are_counted_and_compared() {
        let of = |measured: &Measured, name: &str| measured.metrics[name].value();
        let all = measured(&[]).unwrap();
        let found = ["factors", "largest_factor", "variables", "train_examples", "tests"];
        assert_eq!(found.map(|name| of(&all, name)), [1.0, 4.0, 4.0, 4.0, 7.0]);
        assert_eq!((of(&all, "exact_recovery"), of(&all, "false_merges")), (0.0, 1.0));
        let some = measured(&[("examples", 3), ("dimension", 2)]).unwrap();
        let found = ["exact_recovery", "variables", "train_examples"];
        assert_eq!(found.map(|name| of(&some, name)), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_repeat_has_examples_of_its_own_distribution() {
        let family = Family::Random { factor: Factor::Network, variables: 6, size: 3 };
        let sample = FactorSample::new(1, 40, family).unwrap();
        let dataset = Dataset {
            truth: Truth::Factors(sample.clone()),
            ..Dataset::new("d", sample.digest(), sample.draw().examples)
        };
        let data = |train: Vec<usize>, seed: &[u8]| {
            let division = Division { train, valid: Vec::new(), test: Vec::new() };
            let data = PartitionData::new(&dataset, &division, Digest::of(seed));
            assert_eq!(data.truth, Some(vec![0, 0, 0, 1, 1, 1]));
            let Examples::Packed(rows) = data.observed.examples else { panic!("not packed") };
            rows
        };
        let all = || (0..40).collect::<Vec<usize>>();
        let first = data(all(), b"first");
        assert_eq!(first, data(all(), b"first"));
        assert_ne!(first, data(all(), b"second"));
        assert_eq!(first.select(&[3, 1]), data(vec![3, 1], b"first"));
    }

    #[test]
    fn what_is_not_there_is_not_applicable() {
        for (set, message) in [
            (("examples", 5), "`examples` is 5, and there are 4 training examples"),
            (("dimension", 6), "`dimension` is 6, and there are 4 variables"),
            (("dimension", 1), "the first 1 variables cut a true factor"),
        ] {
            let error = measured(&[set]).unwrap_err();
            assert_eq!(error, FitError::NotApplicable(message.to_owned()));
        }
    }
}
