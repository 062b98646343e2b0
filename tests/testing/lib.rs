//! What the tests of several rooms need.

use std::sync::atomic::AtomicBool;

use base::derived::Derived;
use base::digest::Digest;
use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use contract::joint::JointTable;
use contract::packed::PackedRows;
use contract::{Context, DensityModel, Examples, Fit, Labelled, MethodEntry};
use math::special::exp;

/// Rows written as words of zeros and ones.
pub fn rows_of(words: &[&str]) -> BinaryRows {
    let mut rows = BinaryRows::new(words[0].len());
    for word in words {
        let ones: Vec<u32> =
            (0..).zip(word.bytes()).filter(|(_, c)| *c == b'1').map(|(i, _)| i).collect();
        rows.push(&ones);
    }
    rows
}

/// All 2^n states of n variables; bit v of a row's index is variable v.
pub fn all_states(n: usize) -> BinaryRows {
    let mut rows = BinaryRows::new(n);
    for state in 0..1usize << n {
        let ones: Vec<u32> = (0..n as u32).filter(|v| state >> v & 1 == 1).collect();
        rows.push(&ones);
    }
    rows
}

/// Sparse rows with their classes.
pub fn labelled(rows: &BinaryRows, labels: &[u32], classes: usize) -> Labelled {
    let examples = Examples::Binary(rows.clone());
    Labelled { examples, labels: labels.to_vec(), classes, known_blocks: None }
}

/// The same examples in bit-packed rows.
pub fn packed(train: &Labelled) -> Labelled {
    let Examples::Binary(rows) = &train.examples else { panic!("packed already") };
    Labelled { examples: Examples::Packed(PackedRows::from(rows)), ..train.clone() }
}

/// A context without a deadline and with `idle` cores to borrow.
pub fn context(split_seed: Digest, idle: usize) -> Context {
    static NEVER: AtomicBool = AtomicBool::new(false);
    Context {
        split_seed,
        cores: Cores::new(idle),
        derived: Derived::default(),
        deadline: None,
        path: [].into(),
        interrupt: &NEVER,
    }
}

/// The sum of a model's probabilities over all 2^n states.
pub fn total_probability(model: &dyn DensityModel, n: usize) -> f64 {
    let states = all_states(n);
    model.log_likelihoods(&states, &Cores::default()).into_iter().map(exp).sum()
}

/// Rows taken as distinct although some are equal.
pub fn unmerged(rows: &BinaryRows) -> DistinctRows {
    let n = rows.len();
    DistinctRows { rows: rows.clone(), counts: vec![1; n], of_example: (0..n as u32).collect() }
}

/// The distribution of independent groups of variables, one group behind another.
pub fn product(first: &JointTable, second: &JointTable) -> JointTable {
    let weights = |table: &JointTable| table.marginal(&(0..table.variables()).collect::<Vec<_>>());
    let of_first = weights(first);
    let weight = |of_second: u64| of_first.iter().map(move |of_first| of_first * of_second);
    let weights = weights(second).into_iter().flat_map(weight).collect();
    JointTable::new([first.cardinalities(), second.cardinalities()].concat(), weights)
}

/// A method without parameters that is fitted so.
pub fn method(fits: Vec<Fit>) -> MethodEntry {
    MethodEntry { fits: fits.leak(), ..plain("own") }
}

/// A method that is fitted in no way yet, for entries of tests.
pub const fn plain(kind: &'static str) -> MethodEntry {
    MethodEntry {
        kind,
        summary: "a method of a test",
        source: "a test",
        cost: |_, _| 1.0,
        ..MethodEntry::PLAIN
    }
}
