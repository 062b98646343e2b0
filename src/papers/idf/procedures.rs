//! The procedures of theorems 3, 5, 7 and 8.

use super::independence::{Evidence, IndependenceTest, Level, Tester, pairs};
use contract::{Context, FitError, Measure, Metric, Partition, Result, metrics};
use math::components::Components;
use math::sample::Sample;
use method::metrics::EDGES;

metrics! {
    pub TESTS: Structure = "tests", "Tests", "number of tests of conditional independence".lower();
    pub CONDITIONING_MEAN: Structure = "conditioning_mean", "Mean conditioning set",
        "mean number of variables that a test of independence is given".unit("variables");
    pub CONDITIONING_LARGEST: Structure = "conditioning_largest", "Largest conditioning set",
        "largest number of variables that a test of independence is given".unit("variables");
    pub MEAN_P: Structure = "mean_p", "Mean p-value",
        "mean p-value of the tests of independence; 0.5 where all hypotheses hold and the test is calibrated";
}

/// What the entries report.
pub(super) const REPORTS: &[&Metric] =
    &[&TESTS, &EDGES, &CONDITIONING_MEAN, &CONDITIONING_LARGEST, &MEAN_P];

/// Most variables of which all conditioning sets are tried.
pub const MOST_EXHAUSTIVE: usize = 16;
/// Pairs that one core tests at a time.
const CHUNK: usize = 64;

/// What was tested.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Sizes of the conditioning sets, one for each test.
    pub conditioning: Sample,
    /// The largest of them.
    pub largest: usize,
    /// The p-values.
    pub p: Sample,
    /// How many edges the graph has.
    pub edges: usize,
}

impl Tally {
    /// Takes over what another has noted.
    pub fn merge(&mut self, other: Self) {
        self.conditioning = self.conditioning.pooled(other.conditioning);
        self.largest = self.largest.max(other.largest);
        self.p = self.p.pooled(other.p);
        self.edges += other.edges;
    }

    /// The partition into the components of a graph, found by these tests.
    pub fn partition(self, components: Components) -> Partition {
        let mut measures = vec![
            (&TESTS, Measure::Scalar(self.conditioning.n as f64)),
            (&EDGES, Measure::Scalar(self.edges as f64)),
        ];
        if self.conditioning.n > 0 {
            measures.extend([
                (&CONDITIONING_MEAN, Measure::Scalar(self.conditioning.mean)),
                (&CONDITIONING_LARGEST, Measure::Scalar(self.largest as f64)),
                (&MEAN_P, Measure::Sample(self.p)),
            ]);
        }
        Partition { of_variable: components.labels(), measures }
    }
}

/// The tests of one thread.
pub struct Asking<'a> {
    tester: Tester<'a>,
    context: &'a Context,
    /// What was tested.
    pub tally: Tally,
}

impl Asking<'_> {
    /// What a test finds, which the tally takes note of.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn evidence(&mut self, pair: (usize, usize), given: &[usize]) -> Result<Evidence> {
        self.context.check()?;
        let evidence = (self.tester)(pair, given);
        self.tally.conditioning.push(given.len() as f64);
        self.tally.largest = self.tally.largest.max(given.len());
        self.tally.p.push(evidence.p);
        Ok(evidence)
    }
}

/// The procedures, by one test.
#[derive(Clone, Copy)]
pub struct By<'a> {
    /// The test.
    pub test: &'a dyn IndependenceTest,
    /// The level of all tests together.
    pub level: Level,
    /// Where the procedure runs.
    pub context: &'a Context,
}

impl By<'_> {
    /// The tests of a thread, none of which has been made.
    pub fn asking(&self) -> Asking<'_> {
        let (tester, tally) = (self.test.tester(), Tally::default());
        Asking { tester, context: self.context, tally }
    }

    /// Theorem 5: an edge where V_i and V_j are dependent given all others. Right if Intersection holds.
    /// n(n-1)/2 tests on n - 2 given variables each.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn intersection(&self) -> Result<Partition> {
        let n = self.test.variables();
        self.all_pairs(|(one, other), given| {
            given.extend((0..n).filter(|&variable| variable != one && variable != other));
        })
    }

    /// Theorem 7: an edge where V_i and V_j are dependent. Right if Composition holds. n(n-1)/2 tests, nothing
    /// given.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn composition(&self) -> Result<Partition> {
        self.all_pairs(|_, _| {})
    }

    /// Tests every pair given a set that does not depend on other tests, on idle cores. Memory is some 50 bytes
    /// a pair.
    fn all_pairs(&self, set: impl Fn((usize, usize), &mut Vec<usize>) + Sync) -> Result<Partition> {
        let n = self.test.variables();
        let all: Vec<(usize, usize)> =
            (0..n).flat_map(|one| (one + 1..n).map(move |other| (one, other))).collect();
        let chunks = self.context.cores.map_chunks(
            all.len(),
            CHUNK,
            || (self.asking(), Vec::with_capacity(n)),
            |(asking, given), range| {
                let mut p = Vec::with_capacity(range.len());
                for &pair in &all[range] {
                    given.clear();
                    set(pair, given);
                    p.push(asking.evidence(pair, given)?.p);
                }
                Ok((p, std::mem::take(&mut asking.tally)))
            },
        );
        let mut tally = Tally::default();
        let mut p = Vec::with_capacity(all.len());
        for chunk in chunks {
            let (of_chunk, tally_of_chunk) = chunk?;
            p.extend(of_chunk);
            tally.merge(tally_of_chunk);
        }
        let mut components = Components::new(n);
        for (&(one, other), _) in
            all.iter().zip(self.level.dependent(&p)).filter(|(_, dependent)| *dependent)
        {
            components.join(one, other);
            tally.edges += 1;
        }
        Ok(tally.partition(components))
    }

    /// Theorem 8: right for every distribution. The variables are taken in the given order; V_i is tested
    /// against each later V_j given all before V_i and the later ones that were found independent of it.
    /// n(n-1)/2 tests, each of which may depend on those before.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn any(&self, order: &[usize]) -> Result<Partition> {
        let n = self.test.variables();
        let alpha = self.level.of_each(pairs(n));
        let mut asking = self.asking();
        let mut components = Components::new(n);
        let mut given = Vec::with_capacity(n);
        for (place, &one) in order.iter().enumerate() {
            given.clear();
            given.extend_from_slice(&order[..place]);
            for &other in &order[place + 1..] {
                if asking.evidence((one, other), &given)?.p <= alpha {
                    components.join(one, other);
                    asking.tally.edges += 1;
                } else {
                    given.push(other);
                }
            }
        }
        Ok(asking.tally.partition(components))
    }

    /// Theorem 3: an edge where V_i and V_j are dependent given some set. Right for every distribution, at
    /// up to 2ⁿ⁻² tests a pair: sets are tried in turn until one shows a dependence. Bonferroni's correction
    /// counts every set of every pair, tested or not.
    ///
    /// # Errors
    /// If there are more than [`MOST_EXHAUSTIVE`] variables; if the deadline passes or the user interrupts.
    pub fn exhaustive(&self) -> Result<Partition> {
        let n = self.test.variables();
        if n > MOST_EXHAUSTIVE {
            let message = format!(
                "all conditioning sets of {n} variables are too many: at most {MOST_EXHAUSTIVE}"
            );
            return Err(FitError::NotApplicable(message));
        }
        let sets = 1usize << n.saturating_sub(2);
        let alpha = self.level.of_each(pairs(n) * sets);
        let mut asking = self.asking();
        let mut components = Components::new(n);
        let mut given = Vec::with_capacity(n);
        for one in 0..n {
            for other in one + 1..n {
                let rest: Vec<usize> = (0..n).filter(|&v| v != one && v != other).collect();
                for set in 0..sets {
                    given.clear();
                    given
                        .extend((0..rest.len()).filter(|at| set >> at & 1 == 1).map(|at| rest[at]));
                    if asking.evidence((one, other), &given)?.p <= alpha {
                        components.join(one, other);
                        asking.tally.edges += 1;
                        break;
                    }
                }
            }
        }
        Ok(asking.tally.partition(components))
    }
}
