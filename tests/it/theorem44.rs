//! Theorem 4.4 of "Exchangeable Variable Models", as `docs/papers/theorem44.md` proves it, by enumeration with exact
//! arithmetic and nothing of the program's own classifiers.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use reprise::stats::welch_t;

/// Values of the variables: bit v is variable v.
type State = u128;

/// Blocks of variables, as masks.
type Partition = Vec<State>;

/// A partition for the examples of value 0, and one for those of value 1.
type Structure = [Partition; 2];

type Function<'a> = &'a dyn Fn(State) -> bool;

type Named = (&'static str, Box<dyn Fn(State) -> bool>);

/// How often each state occurs.
type Sample = [(State, u128)];

/// Constants added to counts, in tenths.
#[derive(Clone, Copy)]
struct Smoothing {
    blocks: u128,
    prior: u128,
}

const NONE: Smoothing = Smoothing { blocks: 0, prior: 0 };
const LAPLACE: Smoothing = Smoothing { blocks: 1, prior: 0 };
const BOTH: Smoothing = Smoothing { blocks: 1, prior: 1 };

fn ones(state: State) -> u128 {
    u128::from(state.count_ones())
}

fn choose(n: u128, k: u128) -> u128 {
    (0..k).fold(1, |value, i| value * (n - i) / (i + 1))
}

/// N P(y, state) by definition 4.1 with the estimates of theorem 4.2, as a fraction: `members` are the
/// examples of class y, `partition` is its partition.
fn score(members: &Sample, partition: &Partition, add: Smoothing, state: State) -> (u128, u128) {
    let all = size(members);
    if all == 0 && add.blocks == 0 {
        return (0, 1);
    }
    partition.iter().fold((10 * all + add.prior, 1), |(above, below), &block| {
        let count = ones(state & block);
        let alike = members.iter().filter(|&&(z, _)| ones(z & block) == count);
        let seen: u128 = alike.map(|&(_, times)| times).sum();
        let values = add.blocks * (ones(block) + 1);
        let states = choose(ones(block), count);
        (above * (10 * seen + add.blocks), below * (10 * all + values) * states)
    })
}

/// How the true class of the worst example compares with the other: `Greater` if all are classified
/// rightly, `Equal` if some are tied, `Less` if some are classified wrongly.
fn worst(f: Function<'_>, sample: &Sample, structure: &Structure, add: Smoothing) -> Ordering {
    let there = sample.iter().copied().filter(|&(_, times)| times > 0);
    let (second, first): (Vec<_>, Vec<_>) = there.partition(|&(state, _)| f(state));
    let members = [first, second];
    let of = |y: usize, state| score(&members[y], &structure[y], add, state);
    let compare = |y: usize, state| {
        let ((own, own_below), (other, other_below)) = (of(y, state), of(1 - y, state));
        (own * other_below).cmp(&(other * own_below))
    };
    let compared = (0..2).flat_map(|y| members[y].iter().map(move |&(state, _)| (y, state)));
    compared.map(|(y, state)| compare(y, state)).min().unwrap_or(Greater)
}

/// All samples of these states, each at most `most` times.
fn samples(states: Vec<State>, most: u128) -> impl Iterator<Item = Vec<(State, u128)>> {
    let base = most + 1;
    let total = base.pow(states.len() as u32);
    (1..total).map(move |mut code| {
        let times = |&state: &State| {
            let times = code % base;
            code /= base;
            (state, times)
        };
        states.iter().map(times).collect()
    })
}

fn all_states(n: u32) -> Vec<State> {
    (0..1 << n).collect()
}

fn size(sample: &Sample) -> u128 {
    sample.iter().map(|&(_, times)| times).sum()
}

fn whole(n: u32) -> Structure {
    let partition = vec![(1 << n) - 1];
    [partition.clone(), partition]
}

fn naive_bayes(n: u32) -> Structure {
    let partition: Partition = (0..n).map(|v| 1 << v).collect();
    [partition.clone(), partition]
}

/// All partitions of n variables.
fn partitions(n: u32) -> Vec<Partition> {
    (0..n).fold(vec![vec![]], |smaller, variable| {
        let grow = |partition: Partition| {
            let mut grown: Vec<Partition> = (0..partition.len())
                .map(|block| {
                    let mut larger = partition.clone();
                    larger[block] |= 1 << variable;
                    larger
                })
                .collect();
            grown.push([&partition[..], &[1 << variable]].concat());
            grown
        };
        smaller.into_iter().flat_map(grow).collect()
    })
}

/// For each block an example of the class that has as many ones there as `state`, if each has one.
fn look_alikes(
    f: Function<'_>,
    n: u32,
    partition: &Partition,
    class: bool,
    state: State,
) -> Option<Vec<State>> {
    let like = |&block: &State| {
        all_states(n).into_iter().find(|&z| f(z) == class && ones(z & block) == ones(state & block))
    };
    partition.iter().map(like).collect()
}

/// The functions of the theorem, of the first `r` variables.
fn functions(r: u32) -> [Named; 6] {
    let count = move |state: State| (state & ((1 << r) - 1)).count_ones();
    [
        ("conjunction", Box::new(move |x| count(x) == r)),
        ("disjunction", Box::new(move |x| count(x) > 0)),
        ("threshold", Box::new(move |x| count(x) >= 2)),
        ("parity", Box::new(move |x| count(x) % 2 == 1)),
        ("counting", Box::new(move |x| count(x) % 3 == 1)),
        ("exact", Box::new(move |x| count(x) == 1)),
    ]
}

/// Theorem 1: a structure is optimal for every sample if and only if each class is what the numbers of ones
/// in the blocks of its partition say; every function of three variables, every structure.
#[test]
fn a_structure_is_optimal_exactly_where_its_blocks_describe_the_classes() {
    let partitions = partitions(3);
    assert_eq!(partitions.len(), 5);
    let subsets: Vec<Vec<(State, u128)>> = samples(all_states(3), 1).collect();
    let (mut optimal, mut naive) = (0, vec![]);
    for table in 0u32..256 {
        let f = |state: State| table >> state & 1 == 1;
        for structure in
            partitions.iter().flat_map(|p| partitions.iter().map(|q| [p.clone(), q.clone()]))
        {
            let confused = all_states(3).into_iter().find_map(|state| {
                let other = !f(state);
                let partition = &structure[usize::from(other)];
                Some((state, look_alikes(&f, 3, partition, other, state)?))
            });
            match confused {
                None => {
                    optimal += 1;
                    if structure == naive_bayes(3) {
                        naive.push(table);
                    }
                    let right = |sample: &Vec<_>| worst(&f, sample, &structure, NONE) == Greater;
                    assert!(subsets.iter().all(right), "{table:b} {structure:?}");
                }
                Some((state, others)) => {
                    let mut sample = vec![(state, 1)];
                    sample.extend(others.into_iter().map(|other| (other, 100)));
                    assert_eq!(
                        worst(&f, &sample, &structure, NONE),
                        Less,
                        "{table:b} {structure:?}"
                    );
                }
            }
        }
    }
    assert!(optimal > 100, "{optimal}");
    // Naive Bayes: the constants, and each variable or its negation.
    assert_eq!(naive, [0, 0x0f, 0x33, 0x55, 0xaa, 0xcc, 0xf0, 0xff]);
}

#[test]
fn full_exchangeability_is_optimal_for_symmetric_functions() {
    // All symmetric functions of three variables, each state up to twice, unsmoothed and smoothed.
    for table in 1u32..15 {
        let f = |state: State| table >> state.count_ones() & 1 == 1;
        for sample in samples(all_states(3), 2) {
            for add in [NONE, LAPLACE, BOTH] {
                assert_eq!(worst(&f, &sample, &whole(3), add), Greater, "{table:b} {sample:?}");
            }
        }
    }
    // The theorem's functions of four variables, each state at most once.
    for (name, f) in functions(4) {
        for sample in samples(all_states(4), 1) {
            assert_eq!(worst(&f, &sample, &whole(4), NONE), Greater, "{name} {sample:?}");
        }
    }
}

/// Two variables are relevant, of three with examples up to twice, of four with examples at most once.
#[test]
fn irrelevant_variables_need_a_block_of_their_own() {
    for (n, most, irrelevant) in [(3, 2, 0b100), (4, 1, 0b1100)] {
        let structure = [vec![0b11, irrelevant], vec![0b11, irrelevant]];
        for (name, f) in functions(2) {
            for sample in samples(all_states(n), most) {
                assert_eq!(worst(&f, &sample, &structure, NONE), Greater, "{name} {sample:?}");
            }
        }
    }
    // In one block with them, 01 and 10 are tied although the first variable alone decides.
    let f = |state: State| state & 1 == 1;
    assert_eq!(worst(&f, &[(0b01, 1), (0b10, 1)], &whole(2), NONE), Equal);
}

/// Corollary 2: where conjunctions and disjunctions need the relevant variables in one block.
#[test]
fn conjunctions_and_disjunctions_need_one_block_in_one_class() {
    let partitions = partitions(3);
    for (relevant, conjunction) in [(0b011, true), (0b011, false), (0b111, true), (0b111, false)] {
        let f = |state: State| {
            if conjunction { state & relevant == relevant } else { state & relevant != 0 }
        };
        for structure in
            partitions.iter().flat_map(|p| partitions.iter().map(|q| [p.clone(), q.clone()]))
        {
            let (block, other) =
                (&structure[usize::from(!conjunction)], &structure[usize::from(conjunction)]);
            let pure = other.iter().all(|b| b & relevant == 0 || b & !relevant == 0);
            let expected = block.contains(&relevant) && pure;
            let confused = |state: &State| {
                look_alikes(&f, 3, &structure[usize::from(!f(*state))], !f(*state), *state)
                    .is_some()
            };
            assert_eq!(!all_states(3).iter().any(confused), expected, "{structure:?}");
        }
    }
}

/// Naive Bayes fails on all of them, with the smallest samples that the page names.
#[test]
fn naive_bayes_is_not_optimal() {
    let smallest = |f: Function<'_>, n: u32, most: u128| {
        let wrong = |sample: &Vec<_>| worst(f, sample, &naive_bayes(n), NONE) == Less;
        samples(all_states(n), most).filter(wrong).map(|sample| size(&sample)).min()
    };
    let and = |x: State| x == 0b11;
    let xor = |x: State| x.count_ones() == 1;
    assert_eq!(smallest(&and, 2, 4), Some(6));
    assert_eq!(worst(&and, &[(0b11, 1), (0b01, 2), (0b10, 3)], &naive_bayes(2), NONE), Less);
    assert_eq!(smallest(&|x| x != 0, 2, 4), Some(6));
    assert_eq!(smallest(&xor, 2, 4), Some(5));
    assert_eq!(smallest(&|x| x.count_ones() == 1, 3, 1), Some(4));
    assert_eq!(smallest(&|x| x.count_ones() % 3 == 1, 3, 1), Some(4));
    assert_eq!(smallest(&|x| x.count_ones() >= 2, 3, 1), Some(5));
    assert_eq!(smallest(&|x| x.count_ones() % 2 == 1, 3, 1), Some(5));
    for (f, n, sample) in [
        ((|x| x != 0) as fn(State) -> bool, 2, &[(0b00, 1), (0b01, 2), (0b10, 3)][..]),
        (xor, 2, &[(0b00, 1), (0b01, 1), (0b10, 1), (0b11, 2)]),
        (|x| x.count_ones() == 1, 3, &[(0b000, 1), (0b010, 1), (0b100, 1), (0b111, 1)]),
        (|x| x.count_ones() % 3 == 1, 3, &[(0b000, 1), (0b010, 1), (0b100, 1), (0b111, 1)]),
        (|x| x.count_ones() >= 2, 3, &[(2, 1), (3, 1), (4, 1), (5, 1), (6, 1)]),
        (|x| x.count_ones() % 2 == 1, 3, &[(3, 1), (4, 1), (5, 1), (6, 1), (7, 1)]),
    ] {
        assert_eq!(worst(&f, sample, &naive_bayes(n), NONE), Less, "{sample:?}");
    }
    let states = [0b00, 0b01, 0b10, 0b11].map(|state| (state, 1));
    assert_eq!(worst(&xor, &states, &naive_bayes(2), NONE), Equal);
    // A conjunction of four, no example twice.
    let four = |x: State| x == 0b1111;
    let sample = [0b1111, 0b0111, 0b1011, 0b1101, 0b1110].map(|state| (state, 1));
    assert_eq!(worst(&four, &sample, &naive_bayes(4), NONE), Less);
    assert_eq!(smallest(&|x| x == 0b111, 3, 1), None);
}

#[test]
fn no_structure_is_optimal_for_a_conjunction_with_a_negated_variable() {
    let f = |state: State| state == 0b01;
    let sample = [(0b01, 1), (0b10, 3), (0b00, 3), (0b11, 4)];
    for structure in
        partitions(2).iter().flat_map(|p| partitions(2).into_iter().map(|q| [p.clone(), q]))
    {
        assert_eq!(worst(&f, &sample, &structure, NONE), Less, "{structure:?}");
    }
}

/// Theorem 2: one block and Laplace's constant a are optimal if and only if a² (n + 1) <= 1 + b (1 + a), b
/// being the constant of the prior.
#[test]
fn smoothing_of_one_block_breaks_the_theorem_beyond_a_number_of_variables() {
    let f = |state: State| ones(state) == 1;
    let on = |n: u32, add, zeros: u128| worst(&f, &[(1, 1), (0, zeros)], &whole(n), add);
    assert_eq!(on(99, LAPLACE, 1 << 40), Greater);
    let around = [1110, 1111, 1112].map(|zeros| on(100, LAPLACE, zeros));
    assert_eq!(around, [Greater, Equal, Less]);
    assert_eq!(on(110, BOTH, 1 << 40), Greater);
    assert_eq!(on(111, BOTH, 1 << 40), Less);
}

/// Two relevant variables, one irrelevant: 17 examples are the least that smoothing gets wrong.
#[test]
fn smoothing_breaks_the_theorem_where_there_are_irrelevant_variables() {
    let f = |state: State| state & 0b011 == 0b011;
    let structure = [vec![0b011, 0b100], vec![0b011, 0b100]];
    let sample = [(0b000, 1), (0b101, 12), (0b011, 4)];
    assert_eq!(worst(&f, &sample, &structure, LAPLACE), Less);
    assert_eq!(worst(&f, &sample, &structure, NONE), Greater);
    // 01 and 10 count alike, so six states stand for all.
    let states = [0b000, 0b001, 0b011, 0b100, 0b101, 0b111];
    let mut sample = states.map(|state| (state, 0));
    every_sample(&mut sample, 0, 16, &mut |sample| {
        assert_eq!(worst(&f, sample, &structure, LAPLACE), Greater, "{sample:?}");
    });
}

/// Calls `visit` with every sample of at most `left` examples of the states from `first` on.
fn every_sample(
    sample: &mut [(State, u128)],
    first: usize,
    left: u128,
    visit: &mut dyn FnMut(&Sample),
) {
    if first == sample.len() {
        return visit(sample);
    }
    for times in 0..=left {
        sample[first].1 = times;
        every_sample(sample, first + 1, left - times, visit);
    }
}

/// Partitions learned by Welch's test at 0.1: nine examples are the least that go wrong, seven with
/// smoothing.
#[test]
fn a_learned_structure_is_not_optimal_for_every_sample() {
    for f in [(|x| x == 0b11) as fn(State) -> bool, |x| x.count_ones() % 2 == 1] {
        let learned = |sample: &Sample| {
            [false, true].map(|value| {
                let column = |v: u32| -> Vec<f64> {
                    let of_class = sample.iter().filter(|&&(z, _)| f(z) == value);
                    let value = |&(z, times): &(State, u128)| {
                        std::iter::repeat_n((z >> v & 1) as f64, times as usize)
                    };
                    of_class.flat_map(value).collect()
                };
                // Without a variance, means that differ are told apart, and equal ones are not.
                let apart = |(left, right): (Vec<f64>, Vec<f64>)| match welch_t(&left, &right) {
                    Ok(test) => test.p < 0.1,
                    Err(_) => left.first() != right.first(),
                };
                if apart((column(0), column(1))) { vec![0b01, 0b10] } else { vec![0b11] }
            })
        };
        for (add, least, wrong) in [
            (NONE, 9, [(0b11, 1), (0b01, 2), (0b10, 6)]),
            (LAPLACE, 7, [(0b11, 1), (0b01, 1), (0b10, 5)]),
        ] {
            assert_eq!(size(&wrong), least);
            assert_eq!(worst(&f, &wrong, &learned(&wrong), add), Less);
            let mut sample = [0b00, 0b01, 0b10, 0b11].map(|state| (state, 0));
            every_sample(&mut sample, 0, least - 1, &mut |sample| {
                assert_ne!(worst(&f, sample, &learned(sample), add), Less, "{sample:?}");
            });
        }
    }
}
