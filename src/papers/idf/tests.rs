//! The theorems on random distributions, with the exact oracle.

use std::sync::LazyLock;

use crate::idf::procedures::TESTS;
use proptest::prelude::*;

use super::columns::Columns;
use super::enumeration::{irreducible_factors, is_disjoint_factor};
use super::g_test::{GTest, Null};
use super::independence::Level;
use super::markov_boundary::Search;
use super::procedures::By;
use base::digest::Digest;
use contract::joint::JointTable;
use contract::{Context, Partition};
use data::generate::factors::{Factor, FactorSample, Family, example};
use math::components::components;
use math::random::Random;
use stats::Correction;
use testing::{context, product};

const LEVEL: Level = Level { alpha: 0.5, correction: Correction::None };

fn here() -> Context {
    context(Digest::of(b"idf"), 0)
}

/// The procedures by the exact oracle.
fn by(table: &JointTable) -> By<'_> {
    static HERE: LazyLock<Context> = LazyLock::new(here);
    By { test: table, level: LEVEL, context: &HERE }
}

fn truth(table: &JointTable) -> Vec<u32> {
    irreducible_factors(table, &here()).unwrap()
}

fn labels(found: Result<Partition, contract::FitError>) -> Vec<u32> {
    found.unwrap().of_variable
}

/// Whether every state has positive probability; then Intersection holds.
fn is_positive(table: &JointTable) -> bool {
    let all: Vec<usize> = (0..table.variables()).collect();
    table.marginal(&all).iter().all(|&weight| weight > 0)
}

fn number_of_tests(found: &Partition) -> f64 {
    found.measures.iter().find(|(metric, _)| **metric == TESTS).unwrap().1.value()
}

/// Whether every group of `fine` is inside one of `coarse`.
fn refines(fine: &[u32], coarse: &[u32]) -> bool {
    (0..fine.len()).all(|a| (0..fine.len()).all(|b| fine[a] != fine[b] || coarse[a] == coarse[b]))
}

/// One to three independent groups of one to three variables, each of one of the kinds that break
/// something: any weights, positive weights, few states, an exclusive or, copies.
fn random_table(random: &mut Random, positive: bool) -> JointTable {
    let groups = 1 + random.below(3);
    let mut table: Option<JointTable> = None;
    for _ in 0..groups {
        let group = random_group(random, positive);
        let larger = table.as_ref().map_or(group.clone(), |table| product(table, &group));
        if larger.variables() > 6 {
            break;
        }
        table = Some(larger);
    }
    shuffled(&table.unwrap(), random)
}

fn random_group(random: &mut Random, positive: bool) -> JointTable {
    let size = 1 + random.below(3);
    let cardinalities: Vec<usize> = (0..size).map(|_| 2 + random.below(6) / 5).collect();
    match random.below(if positive { 3 } else { 6 }) {
        // Small weights make many accidental independences.
        0 => JointTable::of(&cardinalities, |_| 1 + random.below(3) as u64),
        1 => JointTable::of(&cardinalities, |_| 1 + random.below(1000) as u64),
        2 => {
            let bias = 1 + random.below(3) as u64;
            JointTable::of(
                &vec![2; size],
                |s| if s.iter().sum::<usize>() % 2 == 0 { bias } else { 2 },
            )
        }
        3 => nonzero(random, |random| {
            JointTableWeights::of(&cardinalities, |_| random.below(3) as u64)
        }),
        4 => JointTable::of(&vec![2; size], |s| u64::from(s.iter().sum::<usize>() % 2 == 0)),
        _ => {
            let weights: Vec<u64> = (0..2).map(|_| 1 + random.below(5) as u64).collect();
            JointTable::of(&vec![2; size], |s| {
                if s.iter().all(|v| v == &s[0]) { weights[s[0]] } else { 0 }
            })
        }
    }
}

/// Weights that may all be zero.
struct JointTableWeights(Vec<usize>, Vec<u64>);

impl JointTableWeights {
    fn of(cardinalities: &[usize], mut weight: impl FnMut(usize) -> u64) -> Self {
        let states = cardinalities.iter().product();
        Self(cardinalities.to_vec(), (0..states).map(&mut weight).collect())
    }
}

fn nonzero(
    random: &mut Random,
    mut draw: impl FnMut(&mut Random) -> JointTableWeights,
) -> JointTable {
    loop {
        let JointTableWeights(cardinalities, weights) = draw(random);
        if weights.iter().any(|&weight| weight > 0) {
            return JointTable::new(cardinalities, weights);
        }
    }
}

/// The variables in another order.
fn shuffled(table: &JointTable, random: &mut Random) -> JointTable {
    let order = random.permutation(table.variables());
    let cardinalities = order.iter().map(|&variable| table.cardinalities()[variable]).collect();
    JointTable::new(cardinalities, table.marginal(&order))
}

fn subsets(n: usize) -> impl Iterator<Item = Vec<usize>> + Clone {
    (0..1usize << n).map(move |set| (0..n).filter(|v| set >> v & 1 == 1).collect())
}

/// Whether X ⊥ Y and X ⊥ W, given Z, imply X ⊥ Y ∪ W given Z, for all disjoint sets.
fn composition_holds(table: &JointTable) -> bool {
    graphoid(table, |table, x, y, w, z| table.independent(x, y, z) && table.independent(x, w, z))
}

/// Whether X ⊥ Y given Z ∪ W and X ⊥ W given Z ∪ Y imply X ⊥ Y ∪ W given Z, for all disjoint sets.
fn intersection_holds(table: &JointTable) -> bool {
    graphoid(table, |table, x, y, w, z| {
        table.independent(x, y, &[z, w].concat()) && table.independent(x, w, &[z, y].concat())
    })
}

fn graphoid(
    table: &JointTable,
    premise: impl Fn(&JointTable, &[usize], &[usize], &[usize], &[usize]) -> bool,
) -> bool {
    // Each variable is in one of X, Y, W, Z or in none.
    let n = table.variables() as u32;
    (0..5usize.pow(n)).all(|code| {
        let mut sets: [Vec<usize>; 5] = Default::default();
        let mut rest = code;
        for variable in 0..n as usize {
            sets[rest % 5].push(variable);
            rest /= 5;
        }
        let [_, x, y, w, z] = &sets;
        let needed = [x, y, w].iter().all(|set| !set.is_empty()) && y[0] < w[0];
        !needed || !premise(table, x, y, w, z) || table.independent(x, &[&y[..], w].concat(), z)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Theorem 1: disjoint factors are closed under union and intersection, and the irreducible ones are a
    /// partition, of which every disjoint factor is a union.
    #[test]
    fn factors_are_closed_and_the_partition_is_unique(seed: u64) {
        let table = random_table(&mut Random::new(Digest::of(&seed.to_le_bytes())), false);
        let n = table.variables();
        let factors: Vec<usize> = (0..1usize << n)
            .filter(|set| is_disjoint_factor(&table, |variable| set >> variable & 1 == 1))
            .collect();
        for a in &factors {
            for b in &factors {
                prop_assert!(factors.contains(&(a | b)) && factors.contains(&(a & b)));
            }
        }
        let irreducible: Vec<usize> = factors
            .iter()
            .copied()
            .filter(|&set| set > 0 && factors.iter().all(|&f| f == 0 || f == set || f & set != f))
            .collect();
        prop_assert_eq!(irreducible.iter().sum::<usize>(), (1 << n) - 1);
        prop_assert_eq!(irreducible.iter().fold(0, |all, set| all | set), (1 << n) - 1);
        let found = truth(&table);
        for a in 0..n {
            for b in 0..n {
                let together = irreducible.iter().any(|set| set >> a & set >> b & 1 == 1);
                prop_assert_eq!(together, found[a] == found[b]);
            }
        }
    }

    /// Theorems 3 and 8 are right for every distribution, theorem 8 in any order; none of the procedures
    /// ever merges two factors (lemma 2).
    #[test]
    fn theorems_3_and_8_need_no_assumption(seed: u64) {
        let mut random = Random::new(Digest::of(&seed.to_le_bytes()));
        let table = random_table(&mut random, false);
        let n = table.variables();
        let truth = truth(&table);
        prop_assert_eq!(&labels(by(&table).exhaustive()), &truth);
        for _ in 0..3 {
            let found = by(&table).any(&random.permutation(n)).unwrap();
            prop_assert_eq!(number_of_tests(&found) as usize, n * (n - 1) / 2);
            prop_assert_eq!(&found.of_variable, &truth);
        }
        for found in [
            by(&table).intersection(),
            by(&table).composition(),
            by(&table).markov_boundary(Search::Iamb),
            by(&table).markov_boundary(Search::GrowShrink),
        ] {
            prop_assert!(refines(&labels(found), &truth));
        }
    }

    /// Theorem 5 in positive distributions, where Intersection holds.
    #[test]
    fn theorem_5_is_right_in_positive_distributions(seed: u64) {
        let table = random_table(&mut Random::new(Digest::of(&seed.to_le_bytes())), true);
        prop_assert!(is_positive(&table));
        prop_assert_eq!(labels(by(&table).intersection()), truth(&table));
    }
}

/// Where each depends on each, the first that is found ends a round of grow-shrink, and IAMB looks at all.
#[test]
fn grow_shrink_asks_for_fewer_tests_than_iamb() {
    let table =
        JointTable::of(
            &[2; 4],
            |state| if state.iter().all(|one| *one == state[0]) { 8 } else { 1 },
        );
    let tests = |search| number_of_tests(&by(&table).markov_boundary(search).unwrap());
    assert!(tests(Search::GrowShrink) < tests(Search::Iamb));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Theorems 5 and 7, and lemma 6, in distributions of which the assumption itself was checked.
    #[test]
    fn theorems_5_and_7_are_right_where_their_assumptions_hold(seed: u64) {
        let mut random = Random::new(Digest::of(&seed.to_le_bytes()));
        let mut table = random_group(&mut random, false);
        while table.variables() < 4 && random.below(2) == 0 {
            let group = random_group(&mut random, false);
            if table.variables() + group.variables() > 4 {
                break;
            }
            table = product(&table, &group);
        }
        let truth = truth(&table);
        let intersects = intersection_holds(&table);
        prop_assert!(intersects || !is_positive(&table));
        if intersects {
            prop_assert_eq!(&labels(by(&table).intersection()), &truth);
        }
        if composition_holds(&table) {
            prop_assert_eq!(&labels(by(&table).composition()), &truth);
            if intersects {
                for search in [Search::Iamb, Search::GrowShrink] {
                    prop_assert_eq!(&labels(by(&table).markov_boundary(search)), &truth);
                }
            }
        }
    }
}

/// The random distributions above are not of one kind: both assumptions hold in many and fail in many, and
/// where they fail the procedures are often wrong.
#[test]
fn random_distributions_satisfy_and_violate_both_assumptions() {
    let mut random = Random::new(Digest::of(b"assumptions"));
    let mut counts = [0; 6];
    for _ in 0..400 {
        let table = random_group(&mut random, false);
        let truth = truth(&table);
        let assumptions = [intersection_holds(&table), composition_holds(&table)];
        let found = [labels(by(&table).intersection()), labels(by(&table).composition())];
        for (at, (holds, found)) in assumptions.into_iter().zip(found).enumerate() {
            counts[3 * at] += usize::from(holds);
            counts[3 * at + 1] += usize::from(!holds);
            counts[3 * at + 2] += usize::from(found != truth);
        }
    }
    assert!(counts.iter().all(|&count| count >= 15), "{counts:?}");
}

/// Lemma 6: a variable outside some Markov boundary of V_i is independent of it given all others; the
/// converse holds under Intersection. All boundaries are listed.
#[test]
fn lemma_6_relates_boundaries_and_dependence_given_all_others() {
    let mut random = Random::new(Digest::of(b"lemma 6"));
    let mut several = 0;
    for _ in 0..300 {
        let table = random_table(&mut random, false);
        let n = table.variables().min(5);
        let table = JointTable::new(
            table.cardinalities()[..n].to_vec(),
            table.marginal(&(0..n).collect::<Vec<usize>>()),
        );
        for target in 0..n {
            let others: Vec<usize> = (0..n).filter(|&v| v != target).collect();
            let is_blanket = |set: &Vec<usize>| {
                let rest: Vec<usize> =
                    others.iter().copied().filter(|v| !set.contains(v)).collect();
                table.independent(&[target], &rest, set)
            };
            let blankets: Vec<Vec<usize>> =
                subsets(n).filter(|set| !set.contains(&target) && is_blanket(set)).collect();
            let minimal = |set: &&Vec<usize>| {
                let smaller = |other: &Vec<usize>| {
                    other.len() < set.len() && other.iter().all(|v| set.contains(v))
                };
                !blankets.iter().any(smaller)
            };
            let boundaries: Vec<&Vec<usize>> = blankets.iter().filter(minimal).collect();
            several += usize::from(boundaries.len() > 1);
            for &other in &others {
                let given: Vec<usize> = others.iter().copied().filter(|&v| v != other).collect();
                let dependent = !table.independent(&[target], &[other], &given);
                let everywhere = boundaries.iter().all(|set| set.contains(&other));
                assert!(!dependent || everywhere, "{table:?}: {target} and {other}");
                if is_positive(&table) {
                    assert_eq!(dependent, everywhere, "{table:?}: {target} and {other}");
                    assert_eq!(boundaries.len(), 1);
                }
            }
        }
    }
    assert!(several > 50, "{several} variables with several boundaries");
}

/// What the paper says that the procedures return.
#[test]
fn the_examples_of_the_paper_are_as_it_says() {
    let [one, two, three] = [1, 2, 3].map(example);
    for (table, of_5, of_7) in [
        // Example 1: V₁ ⊥ V₂, also given V₃, yet all are one factor, through V₃.
        (&one, [0; 3].as_slice(), [0; 3].as_slice()),
        // Example 2: Intersection fails, and theorem 5 finds {V₁, V₂} and {V₃, V₄}.
        (&two, &[0, 0, 1, 1], &[0, 0, 0, 0]),
        // Example 3: Composition fails, and theorem 7 finds three factors.
        (&three, &[0, 0, 0], &[0, 1, 2]),
    ] {
        let all = vec![0; table.variables()];
        assert_eq!(truth(table), all);
        assert_eq!(labels(by(table).exhaustive()), all);
        let order: Vec<usize> = (0..table.variables()).collect();
        assert_eq!(labels(by(table).any(&order)), all);
        assert_eq!(labels(by(table).intersection()), of_5);
        assert_eq!(labels(by(table).composition()), of_7);
    }
    assert!(one.independent(&[0], &[1], &[]) && one.independent(&[0], &[1], &[2]));
    assert!(!one.independent(&[0], &[2], &[]) && !one.independent(&[1], &[2], &[]));
    assert!(!intersection_holds(&two) && !composition_holds(&three));
    assert!(intersection_holds(&three));
    // "M₁ = {V₂}, M₂ = {V₁}, M₃ = {V₄} and M₄ = {V₃}"
    for search in [Search::Iamb, Search::GrowShrink] {
        for (target, expected) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
            let by = by(&two);
            let found = by.boundary(target, search, 0.5, &mut by.asking()).unwrap().0;
            // Growing in the order of the variables meets V₁ before V₄; shrinking repairs it.
            assert_eq!(found, [expected], "{search:?}: V{}", target + 1);
        }
        // Growing assumes Composition, so it finds nothing of an exclusive or.
        assert_eq!(labels(by(&three).markov_boundary(search)), [0, 1, 2]);
    }
}

/// Corollary 4: the components of a Bayesian network are the factors if it is faithful, and unions of them
/// if not. Weights of random networks are seldom unfaithful.
#[test]
fn components_of_a_network_are_the_factors() {
    let mut random = Random::new(Digest::of(b"corollary 4"));
    let mut equal = 0;
    for _ in 0..300 {
        let n = 2 + random.below(4);
        let parents: Vec<Vec<usize>> =
            (0..n).map(|child| (0..child).filter(|_| random.below(4) == 0).collect()).collect();
        let probability: Vec<Vec<u64>> = (parents.iter())
            .map(|parents| (0..1 << parents.len()).map(|_| 1 + random.below(62) as u64).collect())
            .collect();
        let table = JointTable::of(&vec![2; n], |state| {
            let factor = |v: usize| {
                let bit = |(at, &parent): (usize, &usize)| state[parent] << at;
                let given: usize = parents[v].iter().enumerate().map(bit).sum();
                if state[v] == 1 { probability[v][given] } else { 63 - probability[v][given] }
            };
            (0..n).map(factor).product()
        });
        let edges = parents.iter().enumerate();
        let edges = edges.flat_map(|(child, of)| of.iter().map(move |&parent| (parent, child)));
        let of_network = components(n, edges);
        let truth = truth(&table);
        assert!(refines(&truth, &of_network), "{table:?}");
        equal += usize::from(truth == of_network);
    }
    assert!(equal >= 290, "{equal} of 300");
}

/// Corollary 4 for Markov networks: positive weights of pairs, with numbers that are seldom unfaithful.
#[test]
fn components_of_a_markov_network_are_the_factors() {
    let mut random = Random::new(Digest::of(b"markov network"));
    let mut equal = 0;
    for _ in 0..300 {
        let n = 2 + random.below(4);
        let pairs = (0..n).flat_map(|one| (one + 1..n).map(move |other| (one, other)));
        let edges: Vec<(usize, usize)> = pairs.filter(|_| random.below(4) == 0).collect();
        let potentials: Vec<[u64; 4]> =
            edges.iter().map(|_| [(); 4].map(|()| 1 + random.below(31) as u64)).collect();
        let table = JointTable::of(&vec![2; n], |state| {
            let weights = edges.iter().zip(&potentials);
            weights.map(|(&(a, b), weights)| weights[state[a] + 2 * state[b]]).product()
        });
        let of_network = components(n, edges);
        let truth = truth(&table);
        assert!(refines(&truth, &of_network), "{table:?}");
        equal += usize::from(truth == of_network);
    }
    assert!(equal >= 280, "{equal} of 300");
}

/// Parallel procedures give the same bits on any number of cores.
#[test]
fn partitions_do_not_depend_on_cores() {
    let family = Family::Random { factor: Factor::Network, variables: 30, size: 3 };
    let drawn = FactorSample::new(1, 300, family).unwrap().drawn(Digest::of(b"cores"));
    let test = GTest::new(Columns::new(&drawn.examples).unwrap(), Null::Moments);
    let level = Level { alpha: 0.05, correction: Correction::Bonferroni };
    let on = |idle: usize| {
        let context = context(Digest::of(b"idf"), idle);
        let by = By { test: &test, level, context: &context };
        [
            by.intersection().unwrap(),
            by.composition().unwrap(),
            by.markov_boundary(Search::Iamb).unwrap(),
        ]
    };
    let alone = on(0);
    assert_eq!(alone, on(1));
    assert_eq!(alone, on(3));
    assert!(alone.iter().all(|found| number_of_tests(found) >= 435.0));
}

#[test]
fn too_many_variables_for_all_sets_are_refused() {
    let coin = JointTable::new(vec![1; 17], vec![1]);
    for error in
        [irreducible_factors(&coin, &here()).unwrap_err(), by(&coin).exhaustive().unwrap_err()]
    {
        assert!(error.to_string().ends_with("of 17 variables are too many: at most 16"), "{error}");
    }
}
