//! Classifiers of numbers predict what scikit-learn 1.9.1 predicts: see `tests/reference/numeric_classifiers.py`, which
//! makes the same examples and prints the numbers below.

use reprise::KNOWN;
use reprise::contract::numeric::NumericRows;
use reprise::contract::{Examples, Labelled};

use crate::support::fits::{Given, context, parameters, select};

const TRAIN: usize = 200;
const TEST: usize = 300;

/// Examples to be made, and what scikit-learn makes of them.
pub struct Set {
    pub columns: usize,
    pub classes: u32,
    /// Method, checksum of the predictions, number of right ones, decision function at the first test example. Balanced ones
    /// learn of every fourth training example of the first class alone.
    methods: [(&'static str, u64, usize, Option<f64>); 8],
    /// Of the test examples about which fifty trees agree: how many, checksum of the predictions, right ones.
    trees: (usize, u64, usize),
    /// A tree of the first column: checksum, right ones, nodes, depth.
    first_column: (u64, usize, f64, f64),
}

/// As `tests/reference/numeric_classifiers.py` prints them (scikit-learn 1.9.1, NumPy 2.4.6; balanced 1.7.2, 2.2.6).
pub const SETS: [Set; 2] = [
    Set {
        columns: 3,
        classes: 2,
        methods: [
            ("knn", 0x8780_348a_0174_c905, 256, None),
            ("linear-svm", 0xa011_f74a_b4b7_f788, 257, Some(-0.339_960_005_183_038_6)),
            ("gaussian-nb", 0x90db_e731_9ead_438e, 255, Some(-3.545_941_082_533_707)),
            ("logistic-regression", 0xa011_f74a_b4b7_f788, 257, Some(-1.106_922_080_114_386_6)),
            ("nearest-centroid", 0xa011_f74a_b4b7_f788, 257, None),
            ("majority", 0xc557_529d_2513_90e1, 172, None),
            ("linear-svm balanced", 0xb222_496c_e3f9_b496, 253, Some(-0.002_650_990_022_339_774_8)),
            (
                "logistic-regression balanced",
                0xb222_496c_e3f9_b496,
                253,
                Some(-0.165_256_273_879_583_03),
            ),
        ],
        trees: (286, 0x2bb9_cd7f_1051_bf21, 242),
        first_column: (0x65bc_9443_629d_1011, 246, 27.0, 6.0),
    },
    Set {
        columns: 5,
        classes: 4,
        methods: [
            ("knn", 0x1a58_f1d7_1a53_2522, 223, None),
            ("linear-svm", 0x9448_6f7a_9c13_a8ff, 224, None),
            ("gaussian-nb", 0xfab2_6cd6_a276_c2b7, 229, None),
            ("logistic-regression", 0xd2a1_df38_57aa_303e, 224, None),
            ("nearest-centroid", 0x250d_57da_b448_2f53, 223, None),
            ("majority", 0x5419_1692_fe7f_4315, 76, None),
            ("linear-svm balanced", 0x54d2_36b2_059b_80f9, 219, None),
            ("logistic-regression balanced", 0x8da8_000f_50d1_7c66, 219, None),
        ],
        trees: (261, 0x317e_bb2f_a589_08dd, 159),
        first_column: (0x584b_9496_d19b_5cdd, 100, 269.0, 21.0),
    },
];

/// Marsaglia's xorshift64*.
pub struct XorShift(pub u64);

impl XorShift {
    pub fn uniform(&mut self) -> f64 {
        let mut x = self.0;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0 = x;
        (x.wrapping_mul(2_685_821_657_736_338_717) >> 11) as f64 / 9_007_199_254_740_992.0
    }
}

/// Training and test examples, as the script makes them.
pub fn examples(set: &Set) -> [Labelled; 2] {
    let mut random = XorShift(88_172_645_463_325_252);
    let of_class = |random: &mut XorShift| {
        (0..set.columns).map(|_| 4.0 * random.uniform()).collect::<Vec<f64>>()
    };
    let centres: Vec<Vec<f64>> = (0..set.classes).map(|_| of_class(&mut random)).collect();
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..TRAIN + TEST {
        let draw = |random: &mut XorShift| (random.uniform() * f64::from(set.classes)) as u32;
        let label = draw(&mut random);
        for centre in &centres[label as usize] {
            let noise = random.uniform() + random.uniform() + random.uniform() - 1.5;
            values.push((4096.0 * (centre + 1.5 * noise)).floor() / 4096.0);
        }
        let anew = random.uniform() < 0.2;
        labels.push(if anew { draw(&mut random) } else { label });
    }
    let examples = Examples::Numeric(NumericRows::new(set.columns, values));
    let all = Labelled { examples, labels, classes: set.classes as usize, known_blocks: None };
    [0..TRAIN, TRAIN..TRAIN + TEST].map(|range| select(&all, &range.collect::<Vec<_>>()))
}

/// FNV-1a over the classes as bytes.
fn checksum(classes: impl Iterator<Item = u32>) -> u64 {
    classes.fold(14_695_981_039_346_656_037, |total, class| {
        (total ^ u64::from(class)).wrapping_mul(1_099_511_628_211)
    })
}

fn given(kind: &str, set: &[(&str, &str)], train: &Labelled, test: &Labelled) -> Given {
    let method = KNOWN.catalogue.methods_of(kind).next().unwrap();
    let fit = method.numeric_classifier().unwrap();
    let fit = reprise::contract::Fit::Numeric(fit);
    crate::support::fits::given(fit, &parameters(method, set), train, test, &context(0)).unwrap()
}

fn right(classes: &[u32], test: &Labelled) -> usize {
    classes.iter().zip(&test.labels).filter(|(predicted, class)| predicted == class).count()
}

#[test]
fn predictions_are_those_of_scikit_learn() {
    for set in &SETS {
        let [train, test] = examples(set);
        let rare = |&at: &usize| train.labels[at] != 0 || at.is_multiple_of(4);
        let rare = select(&train, &(0..TRAIN).filter(rare).collect::<Vec<_>>());
        for (kind, expected, hits, decision) in &set.methods {
            let (kind, balanced) = match kind.strip_suffix(" balanced") {
                Some(kind) => (kind, Some(("class_weight", "balanced"))),
                None => (*kind, None),
            };
            // As close to the minimum as the script's.
            let exact: &[(&str, &str)] = match kind {
                "linear-svm" => &[("solver", "primal"), ("tolerance", "1e-10")],
                "logistic-regression" => &[("tolerance", "1e-12")],
                _ => &[],
            };
            let exact: Vec<_> = exact.iter().copied().chain(balanced).collect();
            let train = if balanced.is_some() { &rare } else { &train };
            let found = given(kind, &exact, train, &test);
            assert_eq!(right(&found.classes, &test), *hits, "{kind}");
            assert_eq!(checksum(found.classes.iter().copied()), *expected, "{kind}");
            if let Some(decision) = decision {
                let error = (found.values[0] - decision).abs();
                assert!(error < 1e-6, "{kind}: {} for {decision}", found.values[0]);
            }
        }
    }
}

#[test]
fn trees_are_those_of_scikit_learn_where_no_splits_are_equally_good() {
    for set in &SETS {
        let [train, test] = examples(set);
        // A column alone has no ties between columns.
        let first =
            |all: &Labelled| Labelled { examples: all.examples.columns(&(0..1)), ..all.clone() };
        let (expected, hits, nodes, depth) = set.first_column;
        let found = given("decision-tree", &[], &first(&train), &first(&test));
        assert_eq!(right(&found.classes, &test), hits);
        assert_eq!(checksum(found.classes.iter().copied()), expected);
        let measures: Vec<f64> =
            found.measures.iter().map(|(_, measure)| measure.value()).collect();
        assert_eq!(measures, [nodes, depth]);

        // What all trees agree about, whichever ties they break, is what ours says too: of ours, drawn by fifty
        // seeds, those agree too.
        let seeds = (0..50).map(|seed| {
            let method = KNOWN.catalogue.methods_of("decision-tree").next().unwrap();
            let fit = reprise::contract::Fit::Numeric(method.numeric_classifier().unwrap());
            let digest = reprise::base::digest::Digest::of(format!("tree {seed}").as_bytes());
            let context = testing::context(digest, 0);
            let parameters = parameters(method, &[]);
            crate::support::fits::given(fit, &parameters, &train, &test, &context).unwrap().classes
        });
        let answers: Vec<Vec<u32>> = seeds.collect();
        let agreed = |at: &usize| answers.iter().all(|answer| answer[*at] == answers[0][*at]);
        let agreed: Vec<usize> = (0..TEST).filter(agreed).collect();
        let (count, expected, hits) = set.trees;
        let classes: Vec<u32> = agreed.iter().map(|&at| answers[0][at]).collect();
        assert_eq!((agreed.len(), right(&classes, &select(&test, &agreed))), (count, hits));
        assert_eq!(checksum(classes.into_iter()), expected);
    }
}
