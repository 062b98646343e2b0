use super::*;
use contract::numeric::NumericRows;
use contract::packed::PackedRows;
use contract::{Classifier, Measure};
use contract::{Context, Metric};
use data::binning::Binning;
use data::{Labels, Preprocessing, Targets};
use testing::{context, method, rows_of};

/// Variable 0 occurs in class a only, 1 in b, 2 in c, 3 only in the test examples.
fn dataset(vocabulary: Option<Vocabulary>) -> Dataset {
    let rows = rows_of(&["1000", "0100", "0010", "1001", "0101", "0011"]);
    let classes = ["a", "b", "c"].map(str::to_owned).to_vec();
    Dataset {
        targets: Targets::Classes(Labels { classes, of_example: vec![0, 1, 2, 0, 1, 2] }),
        preprocessing: Preprocessing { vocabulary, ..Preprocessing::NONE },
        ..Dataset::new("d", Digest::of(b"d"), Examples::Binary(rows))
    }
}

fn data(vocabulary: Option<Vocabulary>, problem: &Problem) -> ClassificationData {
    let dataset = dataset(vocabulary);
    let division = Division { train: vec![0, 1, 2], valid: vec![], test: vec![3, 4, 5] };
    let labels = dataset.targets.labels().unwrap();
    ClassificationData::new(&dataset, &labels.of_example, &division, problem)
}

#[test]
fn every_pair_is_a_problem() {
    let classes = ["a", "b", "c"].map(str::to_owned);
    let pairs = Problem::pairs(&classes);
    let names: Vec<&str> = pairs.iter().map(|pair| pair.name.as_str()).collect();
    assert_eq!(names, ["a/b", "a/c", "b/c"]);
    assert_eq!(pairs[1].classes, [0, 2]);
    assert_eq!(Problem::whole(3).classes, [0, 1, 2]);
}

#[test]
fn a_problem_has_its_classes_examples_and_vocabulary() {
    let pair = Problem { name: "a/c".to_owned(), classes: vec![0, 2] };
    for (vocabulary, train) in [
        (None, ["1000", "0010"]),
        (Some(Vocabulary::Training), ["100", "001"]),
        (Some(Vocabulary::Problem), ["10", "01"]),
    ] {
        let data = data(vocabulary, &pair);
        let Examples::Binary(rows) = &data.train.examples else { panic!("not sparse") };
        assert_eq!(*rows, rows_of(&train), "{vocabulary:?}");
        assert_eq!((data.train.labels, data.train.classes), (vec![0, 1], 2));
        let Examples::Binary(rows) = &data.test.examples else { panic!("not sparse") };
        let without_last = rows.total_ones();
        assert_eq!(without_last, if vocabulary.is_none() { 4 } else { 2 });
        assert_eq!(data.test.labels, [0, 1]);
    }
}

/// Predicts class 1 for every example.
struct One;

impl Classifier for One {
    fn predict(&self, examples: &Examples, _: &Context) -> Result<Prediction> {
        Ok(vec![1; examples.len()].into())
    }
}

#[test]
fn accuracy_is_the_share_of_hits() {
    let problem = Problem::whole(3);
    let data = data(Some(Vocabulary::Problem), &problem);
    let context = context(Digest::of(b""), 0);
    let measured = |requested: &[&'static Metric]| {
        let parameters = Parameters::defaults(&[]);
        let fit: FitClassifier = |_, _, _, _| Ok(Box::new(One));
        let ask = Ask { metrics: requested.to_vec(), ..Ask::default() };
        let method = method(vec![Fit::Classification(fit)]);
        data.measure(
            &Fitting { method: &method, parameters: &parameters, ask: &ask, context: &context },
            &mut None,
        )
    };
    let lacking = measured(&[&TEST_ACCURACY, &TEST_JOINT_LL]).unwrap();
    assert!(lacking.lacks["test_joint_ll"].starts_with("it models no probability"));
    assert!(lacking.metrics.has("test_accuracy") && !lacking.metrics.has("test_joint_ll"));
    let plain = measured(&[&TEST_ACCURACY]).unwrap();
    let third = Measure::Scalar(1.0 / 3.0);
    assert_eq!(plain.metrics["test_accuracy"], third);
    assert_eq!(plain.metrics["test_error"], Measure::Scalar(2.0 / 3.0));
    assert_eq!(plain.examples["test_accuracy"], [0.0, 1.0, 0.0]);
    assert_eq!(plain.examples["test_error"], [1.0, 0.0, 1.0]);
    assert_eq!(plain.metrics["variables"], Measure::Scalar(3.0));
    assert!(!plain.metrics.has("train_accuracy"));
    assert!(!plain.metrics.has("valid_accuracy"));
    assert!(!plain.metrics.has("test_joint_ll"));
    assert_eq!(measured(&[&TRAIN_ACCURACY]).unwrap().metrics["train_accuracy"], third);
}

#[test]
fn label_noise_flips_a_share_of_the_training_labels_for_all_methods_alike() {
    let rows = rows_of(&["1"; 120]);
    let of = |labels: Vec<u32>| testing::labelled(&rows, &labels, 3);
    let plain = ClassificationData {
        columns: None,
        overlap: Overlap::default(),
        names: Vec::new(),
        train: of((0..120).map(|example| example % 3).collect()),
        valid: of(vec![0; 120]),
        test: of(vec![1; 120]),
    };
    let noisy =
        |share, seed: &[u8], fold| plain.clone().with_label_noise(share, Digest::of(seed), fold);
    let changed = |data: &ClassificationData| -> Vec<usize> {
        let labels = data.train.labels.iter().zip(&plain.train.labels);
        assert!(data.train.labels.iter().all(|&label| label < 3));
        labels.enumerate().filter(|(_, (a, b))| a != b).map(|(example, _)| example).collect()
    };
    let (five, ten) = (noisy(0.05, b"a", 0), noisy(0.1, b"a", 0));
    assert_eq!((changed(&five).len(), changed(&ten).len()), (6, 12));
    for example in changed(&five) {
        assert_eq!(five.train.labels[example], ten.train.labels[example]);
    }
    assert_eq!(five.test.labels, plain.test.labels);
    assert_eq!(five.valid.labels, plain.valid.labels);
    assert_ne!(changed(&ten), changed(&noisy(0.1, b"b", 0)));
    // There is no other class.
    let mut single = plain.clone();
    single.train.classes = 1;
    let single = single.with_label_noise(0.1, Digest::of(b"a"), 0);
    assert_eq!(single.train.labels, plain.train.labels);
    assert_ne!(changed(&ten), changed(&noisy(0.1, b"a", 1)));
    assert!(changed(&noisy(0.0, b"a", 0)).is_empty());
    assert_eq!(changed(&noisy(1.0, b"a", 0)).len(), 120);
}

#[test]
fn an_empty_part_is_an_error() {
    let dataset = dataset(None);
    let division = Division { train: vec![0, 1], valid: vec![], test: vec![] };
    let labels = dataset.targets.labels().unwrap();
    let problem = Problem::whole(labels.classes.len());
    let data = ClassificationData::new(&dataset, &labels.of_example, &division, &problem);
    let fit: FitClassifier = |_, _, _, _| Ok(Box::new(One));
    let context = context(Digest::of(b""), 0);
    let method = method(vec![Fit::Classification(fit)]);
    let defaults = Parameters::defaults(&[]);
    let error = data.measure(
        &Fitting {
            method: &method,
            parameters: &defaults,
            ask: &Ask::default(),
            context: &context,
        },
        &mut None,
    );
    assert_eq!(error.unwrap_err().to_string(), "the split has no test examples");
}

/// Two columns of numbers: the training examples end at 4 and 40.
fn numeric(binning: Option<Binning>) -> ClassificationData {
    let values = vec![0.0, 10.0, 2.0, 20.0, 4.0, 40.0, 9.0, -5.0, 1.9, 31.0, 3.0, 30.0];
    let examples = Examples::Numeric(NumericRows::new(2, values));
    let preprocessing = Preprocessing { binning, ..Preprocessing::NONE };
    let dataset = Dataset { examples, preprocessing, ..dataset(Some(Vocabulary::Training)) };
    let division = Division { train: vec![0, 1, 2], valid: vec![], test: vec![3, 4, 5] };
    let labels = dataset.targets.labels().unwrap();
    let problem = Problem::whole(labels.classes.len());
    ClassificationData::new(&dataset, &labels.of_example, &division, &problem)
}

#[test]
fn intervals_are_those_of_the_training_examples() {
    let data = numeric(Some(Binning::EqualWidth));
    let train = data.train.examples.categorical().unwrap();
    assert_eq!(train.codes(), [0, 0, 5, 3, 9, 9]);
    assert_eq!(data.test.examples.categorical().unwrap().codes(), [9, 0, 4, 7, 7, 6]);
    let error = numeric(None).train.examples.categorical().unwrap_err();
    let expected = "it takes categorical attributes, and the dataset has numeric columns";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn methods_for_binary_variables_get_one_a_value() {
    let data = numeric(Some(Binning::EqualWidth));
    let binary = data.binary().unwrap();
    let Examples::Binary(rows) = &binary.test.examples else { panic!("not sparse") };
    assert_eq!(rows.variables(), 20);
    assert_eq!(rows.iter().collect::<Vec<_>>(), [[9, 10], [4, 17], [7, 16]]);
    assert_eq!(binary.test.labels, data.test.labels);
    let error = numeric(None).binary().unwrap_err();
    assert_eq!(
        error.to_string(),
        "it takes 0/1 variables, and the dataset has numeric columns without a `binning`"
    );
}

#[test]
fn packed_rows_have_the_same_vocabulary() {
    let mut dataset = dataset(Some(Vocabulary::Training));
    let division = Division { train: vec![0, 1, 2], valid: vec![], test: vec![3, 4, 5] };
    let labels = dataset.targets.labels().unwrap();
    let problem = Problem::whole(labels.classes.len());
    let new = |dataset: &Dataset| {
        let data = ClassificationData::new(dataset, &labels.of_example, &division, &problem);
        match data.test.examples {
            Examples::Binary(rows) => rows,
            Examples::Packed(rows) => rows.to_sparse(),
            other => panic!("{}", other.described()),
        }
    };
    let sparse = new(&dataset);
    let Examples::Binary(rows) = &dataset.examples else { panic!("not sparse") };
    dataset.examples = Examples::Packed(PackedRows::from(rows));
    assert_eq!(new(&dataset), sparse);
}
