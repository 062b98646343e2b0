//! The procedures of theorems 3, 5, 7 and 8.

use super::independence::{Evidence, IndependenceTest, Level, pairs};
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
    /// Takes note of a test.
    pub fn add(&mut self, given: usize, evidence: Evidence) {
        self.conditioning.push(given as f64);
        self.largest = self.largest.max(given);
        self.p.push(evidence.p);
    }

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

/// The procedures, by one test.
#[derive(Debug, Clone, Copy)]
pub struct By<'a, T> {
    /// The test.
    pub test: &'a T,
    /// The level of all tests together.
    pub level: Level,
    /// Where the procedure runs.
    pub context: &'a Context,
}

impl<T: IndependenceTest> By<'_, T> {
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
            || (self.test.scratch(), Vec::with_capacity(n)),
            |(scratch, given), range| {
                let mut tally = Tally::default();
                let mut p = Vec::with_capacity(range.len());
                for &pair in &all[range] {
                    given.clear();
                    set(pair, given);
                    p.push(self.evidence(pair, given, scratch, &mut tally)?.p);
                }
                Ok((p, tally))
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
        let mut scratch = self.test.scratch();
        let mut tally = Tally::default();
        let mut components = Components::new(n);
        let mut given = Vec::with_capacity(n);
        for (place, &one) in order.iter().enumerate() {
            given.clear();
            given.extend_from_slice(&order[..place]);
            for &other in &order[place + 1..] {
                if self.evidence((one, other), &given, &mut scratch, &mut tally)?.p <= alpha {
                    components.join(one, other);
                    tally.edges += 1;
                } else {
                    given.push(other);
                }
            }
        }
        Ok(tally.partition(components))
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
        let mut scratch = self.test.scratch();
        let mut tally = Tally::default();
        let mut components = Components::new(n);
        let mut given = Vec::with_capacity(n);
        for one in 0..n {
            for other in one + 1..n {
                let rest: Vec<usize> = (0..n).filter(|&v| v != one && v != other).collect();
                for set in 0..sets {
                    given.clear();
                    given
                        .extend((0..rest.len()).filter(|at| set >> at & 1 == 1).map(|at| rest[at]));
                    if self.evidence((one, other), &given, &mut scratch, &mut tally)?.p <= alpha {
                        components.join(one, other);
                        tally.edges += 1;
                        break;
                    }
                }
            }
        }
        Ok(tally.partition(components))
    }

    /// What a test finds, which the tally takes note of.
    pub(super) fn evidence(
        &self,
        pair: (usize, usize),
        given: &[usize],
        scratch: &mut T::Scratch,
        tally: &mut Tally,
    ) -> Result<Evidence> {
        self.context.check()?;
        let evidence = self.test.test(pair, given, scratch);
        tally.add(given.len(), evidence);
        Ok(evidence)
    }
}
