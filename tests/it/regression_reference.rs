//! Regressions predict what scikit-learn 1.9.1 predicts: see `tests/reference/regression.py`, which makes the same
//! examples and prints the numbers below.

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::numeric::NumericRows;
use reprise::contract::{Examples, Measure, Parameters, Targeted};
use reprise::data::split::Division;
use reprise::data::{Dataset, Targets};
use reprise::task::regression::RegressionData;
use reprise::task::{Ask, Divided as _, Fitting};

use crate::numeric_reference::XorShift;
use crate::support::fits::parameters;

const TRAIN: usize = 200;
const TEST: usize = 300;

/// All examples, as the script makes them.
fn examples(columns: usize) -> Targeted {
    let mut random = XorShift(88_172_645_463_325_252);
    let (mut values, mut targets) = (Vec::new(), Vec::new());
    for _ in 0..TRAIN + TEST {
        let mut value =
            |column| (4096.0 * (4.0 * random.uniform() + column as f64)).floor() / 4096.0;
        let row: Vec<f64> = (0..columns).map(&mut value).collect();
        let noise = random.uniform() + random.uniform() + random.uniform() - 1.5;
        let target = 3.0 * row[0] - row[1] * row[1] + row[2] * row[3] + 2.0 * noise;
        targets.push((4096.0 * target).floor() / 4096.0);
        values.extend(row);
    }
    Targeted { examples: Examples::Numeric(NumericRows::new(columns, values)), targets }
}

/// What a method predicts for the test examples, and what it reports of itself.
fn predicted(
    kind: &str,
    set: &[(&str, &str)],
    all: &Targeted,
    train: usize,
    seed: &str,
) -> (Vec<f64>, Vec<f64>) {
    let method = KNOWN.catalogue.methods_of(kind).next().unwrap();
    let fit = method.regression().unwrap();
    let select = |places: Vec<usize>| Targeted {
        examples: all.examples.select(&places),
        targets: places.iter().map(|&place| all.targets[place]).collect(),
    };
    let context = testing::context(Digest::of(seed.as_bytes()), 0);
    let train = select((0..train).collect());
    let regressor = fit(&parameters(method, set), &train, &context, &mut None).unwrap();
    let test = select((TRAIN..TRAIN + TEST).collect());
    let predicted = regressor.predict(&test.examples, &context).unwrap();
    let measures = regressor.measures();
    (predicted, measures.iter().map(|(_, measure)| measure.value()).collect())
}

fn assert_near(found: f64, expected: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error < 1e-9 * expected.abs().max(1.0), "{what}: {found} for {expected}");
}

/// The errors that the task measures of a method.
fn measured(kind: &str, set: &[(&str, &str)], all: &Targeted, train: usize) -> [f64; 3] {
    let dataset = Dataset {
        targets: Targets::Numbers(all.targets.clone()),
        ..Dataset::new("d", Digest::of(b"d"), all.examples.clone())
    };
    let division = Division {
        train: (0..train).collect(),
        valid: Vec::new(),
        test: (TRAIN..TRAIN + TEST).collect(),
    };
    let data = RegressionData::new(&dataset, &all.targets, &division).unwrap();
    let method = KNOWN.catalogue.methods_of(kind).next().unwrap();
    let parameters: Parameters = parameters(method, set);
    let context = testing::context(Digest::of(b"regression"), 0);
    let found = data
        .measure(
            &Fitting { method, parameters: &parameters, ask: &Ask::default(), context: &context },
            &mut None,
        )
        .unwrap();
    ["rmse", "mae", "r2"].map(|name| match found.metrics[name] {
        Measure::Scalar(value) => value,
        Measure::Sample(_) => panic!("{name} is a sample"),
    })
}

/// Method, parameters, columns, training examples; the first two predictions, RMSE, MAE and R².
type Line = (&'static str, &'static [(&'static str, &'static str)], usize, usize, [f64; 5]);

/// As `tests/reference/regression.py` prints them (scikit-learn 1.9.1, NumPy 2.4.6).
const LINES: [Line; 8] = [
    (
        "mean",
        &[],
        4,
        TRAIN,
        [
            14.397_293_701_171_876,
            14.397_293_701_171_876,
            10.891_260_232_838_585,
            8.975_828_450_520_833,
            -0.002_679_704_457_947_407,
        ],
    ),
    (
        "ridge",
        &[("alpha", "1.0")],
        4,
        TRAIN,
        [
            27.609_257_701_518_906,
            5.827_026_722_352_272,
            2.003_201_633_722_201_6,
            1.594_292_901_610_551,
            0.966_080_043_578_713,
        ],
    ),
    (
        "ridge",
        &[("alpha", "100.0")],
        4,
        TRAIN,
        [
            24.061_048_299_613_63,
            7.773_568_996_965_483_5,
            3.583_690_056_720_745_3,
            2.865_355_474_482_385,
            0.891_440_749_168_412_1,
        ],
    ),
    (
        "knn-regression",
        &[],
        4,
        TRAIN,
        [
            25.096_289_062_5,
            6.962_5,
            2.894_424_689_279_693_7,
            2.281_474_934_895_833_4,
            0.929_184_151_643_584_7,
        ],
    ),
    (
        "knn-regression",
        &[("k", "1")],
        4,
        TRAIN,
        [
            25.059_082_031_25,
            3.548_583_984_375,
            3.907_109_276_650_257,
            3.166_042_480_468_75,
            0.870_962_164_283_914_4,
        ],
    ),
    // More columns than training examples.
    (
        "ridge",
        &[("alpha", "2.0")],
        40,
        30,
        [
            19.647_639_389_491_39,
            19.071_599_281_885_995,
            7.354_627_239_490_001,
            5.805_648_081_351_212,
            0.547_663_380_662_994,
        ],
    ),
    (
        "regression-tree",
        &[],
        1,
        TRAIN,
        [
            16.893_798_828_125,
            27.334_472_656_25,
            14.328_675_982_518_08,
            11.540_932_617_187_5,
            -0.735_473_866_092_487_5,
        ],
    ),
    (
        "regression-tree",
        &[("min_leaf", "7")],
        1,
        TRAIN,
        [
            23.637_207_031_25,
            20.989_040_798_611_11,
            11.435_855_212_653_454,
            9.271_552_850_474_357,
            -0.105_460_554_639_217_33,
        ],
    ),
];

#[test]
fn predictions_and_errors_are_those_of_scikit_learn() {
    for (kind, set, columns, train, expected) in LINES {
        let mut all = examples(columns.max(4));
        all.examples = all.examples.columns(&(0..columns));
        let (found, _) = predicted(kind, set, &all, train, "regression");
        let [rmse, mae, r2] = measured(kind, set, &all, train);
        for (found, expected) in [found[0], found[1], rmse, mae, r2].into_iter().zip(expected) {
            assert_near(found, expected, &format!("{kind} {set:?}"));
        }
    }
    let first = examples(4);
    let first = Targeted { examples: first.examples.columns(&(0..1)), ..first };
    for (least, nodes_and_depth) in [("1", [397.0, 20.0]), ("7", [41.0, 8.0])] {
        let set = [("min_leaf", least)];
        let (_, measures) = predicted("regression-tree", &set, &first, TRAIN, "regression");
        assert_eq!(measures, nodes_and_depth);
    }
}

#[test]
fn trees_agree_about_what_all_of_scikit_learn_s_agree_about() {
    let all = examples(4);
    let answers: Vec<Vec<f64>> = (0..50)
        .map(|seed| predicted("regression-tree", &[], &all, TRAIN, &format!("tree {seed}")).0)
        .collect();
    let apart = |at: usize| {
        let values = answers.iter().map(|answer| answer[at]);
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    };
    let agreed: Vec<f64> =
        (0..TEST).filter(|&at| apart(at) < 1e-9).map(|at| answers[0][at]).collect();
    assert_eq!(agreed.len(), 67);
    assert_near(agreed.iter().sum::<f64>() / 67.0, 15.586_852_116_371_269, "trees");
}
