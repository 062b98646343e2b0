//! Naive Bayes and nearest neighbours predict what scikit-learn 1.9.1 predicts: see
//! `tests/reference/classifiers.py`, which makes the same examples and prints the numbers below.

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::binary::BinaryRows;
use reprise::contract::packed::PackedRows;
use reprise::contract::parameter::{Parameters, Value};
use reprise::contract::{Context, Examples, Fit, Labelled};
use reprise::method::baseline::knn::Knn;

const TRAIN: usize = 400;
const TEST: usize = 300;

/// Examples to be made, and what scikit-learn makes of them.
struct Set {
    name: &'static str,
    variables: usize,
    classes: usize,
    /// The share of ones at the lowest and the highest level.
    levels: (f64, f64),
    /// alpha, checksum of the predictions, number of right ones.
    naive_bayes: [(f64, u64, usize); 3],
    /// k; checksum and number of right ones of the queries without a tie at the boundary; number of
    /// those with one.
    neighbours: [(usize, u64, usize, usize); 2],
}

/// As `tests/reference/classifiers.py` prints them (scikit-learn 1.9.1, NumPy 2.4.6).
const SETS: [Set; 5] = [
    Set {
        name: "dense",
        variables: 60,
        classes: 2,
        levels: (0.3, 0.7),
        naive_bayes: [
            (1.0, 0x2f9f78dea20fe4c4, 200),
            (0.1, 0x2f9f78dea20fe4c4, 200),
            (0.01, 0x2f9f78dea20fe4c4, 200),
        ],
        neighbours: [(5, 0x708ad77f5bcb3a07, 49, 218), (1, 0xcf72b3c6c18f9705, 115, 96)],
    },
    Set {
        name: "classes",
        variables: 100,
        classes: 7,
        levels: (0.05, 0.5),
        naive_bayes: [
            (1.0, 0x342c4d069b828015, 187),
            (0.1, 0xaf4ec77b1933c293, 185),
            (0.01, 0x95d4ba643312c69c, 185),
        ],
        neighbours: [(5, 0x3956ac9ec1750675, 37, 207), (1, 0xffea0cd95f2c644b, 78, 84)],
    },
    Set {
        name: "wide",
        variables: 3000,
        classes: 4,
        levels: (0.001, 0.02),
        naive_bayes: [
            (1.0, 0x0c6e83c94b73d93c, 137),
            (0.1, 0x1f51b87412a7ceb5, 135),
            (0.01, 0x247c6d2db1f1ff38, 132),
        ],
        neighbours: [(5, 0xf7812e3ddf3c64ff, 16, 204), (1, 0x6405c94c79ebaaaa, 58, 74)],
    },
    Set {
        name: "few",
        variables: 12,
        classes: 3,
        levels: (0.2, 0.8),
        naive_bayes: [
            (1.0, 0x1869e6e46ed83a87, 182),
            (0.1, 0x1869e6e46ed83a87, 182),
            (0.01, 0x1869e6e46ed83a87, 182),
        ],
        neighbours: [(5, 0xfa8c886df0dac7e4, 10, 277), (1, 0x492b340f4c1e0864, 54, 189)],
    },
    Set {
        name: "long",
        variables: 2000,
        classes: 3,
        levels: (0.45, 0.55),
        naive_bayes: [
            (1.0, 0xd78a7693345ea4d1, 173),
            (0.1, 0xd78a7693345ea4d1, 173),
            (0.01, 0xd78a7693345ea4d1, 173),
        ],
        neighbours: [(5, 0x976c1c3a6cade380, 85, 77), (1, 0x1f3dabda168fea55, 106, 16)],
    },
];

/// Marsaglia's xorshift64*.
struct XorShift(u64);

impl XorShift {
    fn uniform(&mut self) -> f64 {
        let mut x = self.0;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0 = x;
        (x.wrapping_mul(2_685_821_657_736_338_717) >> 11) as f64 / 9_007_199_254_740_992.0
    }
}

/// Training and test examples, as the script makes them.
fn examples(set: &Set) -> [Labelled; 2] {
    let mut random = XorShift(88_172_645_463_325_252);
    let (low, high) = set.levels;
    let levels: Vec<Vec<f64>> = (0..set.classes)
        .map(|_| (0..set.variables).map(|_| low + (high - low) * random.uniform()).collect())
        .collect();
    let classes = set.classes as f64;
    let mut part = |count: usize| {
        let mut rows = BinaryRows::new(set.variables);
        let mut labels = Vec::new();
        for _ in 0..count {
            let label = (random.uniform() * classes) as u32;
            let mut ones = Vec::new();
            for (variable, level) in (0..).zip(&levels[label as usize]) {
                if random.uniform() < *level {
                    ones.push(variable);
                }
            }
            rows.push(&ones);
            let anew = random.uniform() < 1.0 / 3.0;
            labels.push(if anew { (random.uniform() * classes) as u32 } else { label });
        }
        let examples = Examples::Binary(rows);
        Labelled { examples, labels, classes: set.classes, known_blocks: None }
    };
    [part(TRAIN), part(TEST)]
}

fn packed(labelled: &Labelled) -> Labelled {
    let Examples::Binary(rows) = &labelled.examples else { panic!("packed already") };
    Labelled { examples: Examples::Packed(PackedRows::from(rows)), ..labelled.clone() }
}

/// FNV-1a over the values as bytes.
fn checksum(values: impl IntoIterator<Item = u32>) -> u64 {
    values.into_iter().fold(14_695_981_039_346_656_037, |total, value| {
        (total ^ u64::from(value)).wrapping_mul(1_099_511_628_211)
    })
}

fn context() -> Context {
    testing::context(Digest::of(b"reference"), 1)
}

#[test]
fn naive_bayes_predicts_what_scikit_learn_predicts() {
    let entry = KNOWN.catalogue.methods_of("bernoulli-nb").next().unwrap();
    let [Fit::Classification(fit)] = entry.fits else { panic!("no classifier") };
    for set in &SETS {
        let sparse = examples(set);
        for [train, test] in [sparse.each_ref().map(packed), sparse] {
            for (alpha, expected, right) in set.naive_bayes {
                let mut parameters = Parameters::defaults(entry.parameters);
                parameters.set("smoothing", Value::Real(alpha));
                let model = fit(&parameters, &train, &context(), &mut None).unwrap();
                let found = model.predict(&test.examples, &context()).unwrap().classes;
                let hits = found.iter().zip(&test.labels).filter(|(a, b)| a == b).count();
                assert_eq!((checksum(found), hits), (expected, right), "{} {alpha}", set.name);
            }
        }
    }
}

#[test]
fn neighbours_without_a_tie_at_the_boundary_vote_as_in_scikit_learn() {
    for set in &SETS {
        let sparse = examples(set);
        for [train, test] in [sparse.each_ref().map(packed), sparse] {
            for (k, expected, right, ties) in set.neighbours {
                let knn = Knn::new(&train, k).unwrap();
                let found = knn.neighbours_vote(&test.examples, &context()).unwrap();
                let untied = || found.iter().zip(&test.labels).filter(|((_, tied), _)| !tied);
                let hits = untied().filter(|((class, _), label)| class == *label).count();
                let sum = checksum(untied().map(|((class, _), _)| *class));
                println!(
                    "{}, k = {k}: {} of {TEST} queries are tied",
                    set.name,
                    TEST - untied().count()
                );
                assert_eq!(TEST - untied().count(), ties, "{} {k}", set.name);
                assert_eq!((sum, hits), (expected, right), "{} {k}", set.name);
            }
        }
    }
}
