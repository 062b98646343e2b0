use base::digest::Digest;
use base::words::Worded as _;
use contract::{BinaryRows, Examples};
use ndarray::{Array, Dimension, array};
use ndarray_npy::{WritableElement, WriteNpyExt as _};
use proptest::prelude::any;
use proptest::test_runner::TestRunner;

use super::*;
use crate::hand_over::Batch;
use crate::program::Form;

/// A hand-over of three test rows, and a folder for answers.
struct Asked {
    folder: tempfile::TempDir,
    hand_over: HandOver,
    /// Of the rows, in the order in which they were given.
    tokens: Vec<u64>,
}

impl Asked {
    fn new(gives: Gives) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = BinaryRows::new(2);
        [&[0][..], &[1], &[0, 1]].iter().for_each(|row| rows.push(row));
        let examples = Examples::Binary(rows);
        let names = if gives.classifies() { &["ham", "spam"][..] } else { &[] };
        let classes = names.iter().map(|&name| name.to_owned()).collect();
        let about = About { gives, form: Form::Npy, sees_valid: false, columns: None, classes };
        let test = Batch { name: BatchName::Test, examples: &examples, labels: None };
        let path = folder.path().join("examples");
        let hand_over = HandOver::write(&path, about, &[test], Digest::of(b"seed")).unwrap();
        let places = hand_over.places(BatchName::Test).unwrap();
        let mut tokens = vec![0; 3];
        places.iter().for_each(|(&token, &row)| tokens[row] = token);
        Self { folder, hand_over, tokens }
    }

    fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(file), bytes).unwrap();
    }

    fn array<T: WritableElement, D: Dimension>(&self, file: &str, array: Array<T, D>) {
        let mut bytes = Vec::new();
        array.write_npy(&mut bytes).unwrap();
        self.write(file, bytes);
    }

    /// Writes answers to the rows 2, 0, 1.
    fn answered<T: WritableElement, D: Dimension>(self, answers: Array<T, D>) -> Self {
        self.array("test.npy", answers);
        self.array("test.token.npy", array![self.tokens[2], self.tokens[0], self.tokens[1]]);
        self
    }

    fn read(&self) -> Result<Answers, Failure> {
        read(self.folder.path(), BatchName::Test, &self.hand_over)
    }

    /// The message of a bad answer.
    fn bad(&self) -> String {
        let failure = self.read().unwrap_err();
        assert_eq!(failure.ending, Ending::BadAnswer, "{failure}");
        failure.message
    }
}

#[test]
fn answers_come_in_the_order_of_the_rows() {
    let labels = Asked::new(Gives::Labels).answered(array![1i32, 0, 0]);
    assert_eq!(labels.read(), Ok(Answers::Labels(vec![0, 0, 1])));
    let table = array![[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]];
    let table = Asked::new(Gives::Probabilities).answered(table);
    let expected = array![[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]];
    assert_eq!(table.read(), Ok(Answers::Probabilities(expected)));
    let scores = Asked::new(Gives::Scores).answered(array![[0.0, 9.0], [-1.5, 1.5], [2.0, 2.0]]);
    let expected = array![[-1.5, 1.5], [2.0, 2.0], [0.0, 9.0]];
    assert_eq!(scores.read(), Ok(Answers::Scores(expected)));
    let density = Asked::new(Gives::LogLikelihoods).answered(array![-3.0, -1.0, -2.0]);
    assert_eq!(density.read(), Ok(Answers::LogLikelihoods(vec![-1.0, -2.0, -3.0])));
    let values = Asked::new(Gives::Values).answered(array![30.5, 0.0, -2.0]);
    assert_eq!(values.read(), Ok(Answers::Values(vec![0.0, -2.0, 30.5])));
}

#[test]
fn text_says_the_same() {
    let labels = Asked::new(Gives::Labels);
    let [a, b, c] = labels.tokens[..] else { unreachable!() };
    labels.write("test.csv", format!("token,answer\n{c},1\n{a},0\n{b},0\n"));
    assert_eq!(labels.read(), Ok(Answers::Labels(vec![0, 0, 1])));
    let values = Asked::new(Gives::Values);
    let [a, b, c] = values.tokens[..] else { unreachable!() };
    values.write("test.csv", format!("token,answer\n{c},1e3\n{a},-.5\n{b},0\n"));
    assert_eq!(values.read(), Ok(Answers::Values(vec![-0.5, 0.0, 1000.0])));
    let table = Asked::new(Gives::Probabilities);
    let [a, b, c] = table.tokens[..] else { unreachable!() };
    table.write("test.csv", format!("token,ham,spam\n{c},0.25,0.75\n{a},1,0\n{b},5e-1,.5\n"));
    let expected = array![[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]];
    assert_eq!(table.read(), Ok(Answers::Probabilities(expected)));
    table.write("test.csv", format!("token,spam,ham\n{c},0.25,0.75\n{a},1,0\n{b},5e-1,.5\n"));
    assert!(table.bad().contains("in this order, ham,spam"), "{}", table.bad());
    table.write("test.csv", format!("token,ham,spam\n{a},one,0\n"));
    assert!(table.bad().contains("`one` where a number was expected, in line 2"));
    table.write("test.csv", "token,answer\n");
    assert!(table.bad().contains("`token,ham,spam` was expected"));
    table.write("test.csv", vec![b'\xff'; 200]);
    assert!(table.bad().contains("test.csv"));
    table.write("test.csv", "1".repeat(100_000));
    assert!(table.bad().contains("one answer for each row"), "{}", table.bad());
}

#[test]
fn values_that_break_a_rule_are_named() {
    let bad =
        |rows: [[f64; 2]; 3]| Asked::new(Gives::Probabilities).answered(ndarray::arr2(&rows)).bad();
    let fine = [0.5, 0.5];
    assert!(bad([fine, [f64::NAN, 1.0], fine]).contains("not between 0 and 1"));
    assert!(bad([fine, fine, [1.5, -0.5]]).contains("not between 0 and 1"));
    assert!(bad([[0.5, 0.4], fine, fine]).contains("sum to 0.9, not to 1"));
    let scores = array![[0.0, 9.0], [-1.5, f64::INFINITY], [2.0, 2.0]];
    let found = Asked::new(Gives::Scores).answered(scores).bad();
    assert!(found.contains("a score") && found.contains("is inf; it must be finite"), "{found}");
    let density =
        |value: f64| Asked::new(Gives::LogLikelihoods).answered(array![-1.0, value, -1.0]).bad();
    assert!(density(f64::NAN).contains("finite") && density(f64::NEG_INFINITY).contains("finite"));
    for value in [f64::NAN, f64::INFINITY] {
        let found = Asked::new(Gives::Values).answered(array![-1.0, value, -1.0]).bad();
        assert!(found.contains("it must be a finite number"), "{found}");
    }
    let labels = |label: i32| Asked::new(Gives::Labels).answered(array![0, label, 1]).bad();
    assert!(labels(2).contains("is 2; classes go from 0 to 1") && labels(-1).contains("is -1"));
}

#[test]
fn every_row_is_answered_once() {
    let asked = Asked::new(Gives::Labels).answered(array![0i32, 1, 0]);
    let [a, b, c] = asked.tokens[..] else { unreachable!() };
    asked.array("test.token.npy", array![a, b, b]);
    assert!(asked.bad().contains("comes twice"));
    let foreign = (0..).find(|token| ![a, b, c].contains(token)).unwrap();
    asked.array("test.token.npy", array![a, b, foreign]);
    assert!(asked.bad().contains("is of no row"));
    asked.array("test.token.npy", array![a, b]);
    assert!(asked.bad().contains("(2,); (3,) was expected"));
    std::fs::remove_file(asked.folder.path().join("test.token.npy")).unwrap();
    assert!(asked.bad().contains("is missing"));
    asked.write("test.csv", format!("token,answer\n{a},1\n"));
    std::fs::remove_file(asked.folder.path().join("test.npy")).unwrap();
    assert!(asked.bad().contains("has 1 rows, and 3 were asked"));
    std::fs::remove_file(asked.folder.path().join("test.csv")).unwrap();
    let none = asked.read().unwrap_err();
    assert!(none.ending == Ending::NoAnswer && none.message.contains("test.token.npy"));
}

#[test]
fn metrics_are_numbers_or_nothing() {
    let asked = Asked::new(Gives::Labels);
    let path = asked.folder.path();
    assert!(metrics(path).unwrap().is_empty());
    asked.write("metrics.json", r#"{"trees": 12, "depth": 2.5}"#);
    let found: Vec<(String, f64)> = metrics(path).unwrap().into_iter().collect();
    assert_eq!(found, [("depth".to_owned(), 2.5), ("trees".to_owned(), 12.0)]);
    for text in ["[]", r#"{"trees": "many"}"#, r#"{"trees": NaN}"#, r#"{"trees": 1e999}"#, ""] {
        asked.write("metrics.json", text);
        assert_eq!(metrics(path).unwrap_err().ending, Ending::BadAnswer, "{text}");
    }
}

#[test]
fn no_text_makes_it_panic() {
    let asked = Gives::WORDS.iter().map(|(_, gives)| Asked::new(gives)).collect::<Vec<_>>();
    let like_one = "(token,(answer|ham,spam)\n)?([0-9nainf.e\",-]{0,12}[,\n\r]){0,9}";
    let texts = (any::<Vec<u8>>(), like_one);
    let tried = TestRunner::default().run(&texts, |(bytes, text)| {
        for asked in &asked {
            let places = asked.hand_over.places(BatchName::Test).unwrap();
            for text in [&bytes[..], text.as_bytes()] {
                let raw = text::read(text, asked.hand_over.about());
                let _ = raw.and_then(|raw| ordered(raw, places, asked.hand_over.about()));
            }
        }
        Ok(())
    });
    tried.unwrap();
}
