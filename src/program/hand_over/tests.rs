use std::sync::Arc;

use contract::BinaryRows;
use contract::categorical::{Attribute, CategoricalRows, MISSING};
use contract::numeric::NumericRows;
use contract::packed::PackedRows;
use contract::table::{Column, Table};
use ndarray::{Array1, Array2, array};
use ndarray_npy::{ReadableElement, read_npy};

use super::*;

fn about(form: Form) -> About {
    let classes = vec!["ham".to_owned(), "spam".to_owned()];
    About { gives: Gives::Labels, form, sees_valid: false, columns: None, classes }
}

fn density(form: Form) -> About {
    About { gives: Gives::LogLikelihoods, classes: Vec::new(), ..about(form) }
}

fn batch(name: BatchName, examples: &Examples) -> Batch<'_> {
    Batch { name, examples, labels: None }
}

fn binary(variables: usize, rows: &[&[u32]]) -> Examples {
    let mut binary = BinaryRows::new(variables);
    rows.iter().for_each(|row| binary.push(row));
    Examples::Binary(binary)
}

/// A hand-over in a folder that goes with it.
fn written(
    about: About,
    batches: &[Batch<'_>],
    seed: &str,
) -> Result<(HandOver, tempfile::TempDir), Error> {
    let root = tempfile::tempdir().unwrap();
    let seed = Digest::of(seed.as_bytes());
    HandOver::write(&root.path().join("examples"), about, batches, seed).map(|found| (found, root))
}

fn task(hand_over: &HandOver) -> Value {
    let text = std::fs::read_to_string(hand_over.folder().join("task.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn vector<T: ReadableElement>(hand_over: &HandOver, file: &str) -> Vec<T> {
    let array: Array1<T> = read_npy(hand_over.folder().join(file)).unwrap();
    array.into_iter().collect()
}

fn names(hand_over: &HandOver) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(hand_over.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn rows_labels_and_tokens_stand_in_one_order() {
    // Row r has the bits of r, and class r % 2.
    let rows: Vec<Vec<u32>> =
        (0..100u32).map(|row| (0..7).filter(|bit| row >> bit & 1 == 1).collect()).collect();
    let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
    let examples = binary(7, &rows);
    let labels: Vec<u32> = (0..100).map(|row| row % 2).collect();
    let train =
        Batch { labels: Some(Labels::Classes(&labels)), ..batch(BatchName::Train, &examples) };
    let test = batch(BatchName::Test, &examples);
    let (hand_over, _root) = written(about(Form::Npy), &[train, test], "seed").unwrap();
    let files = [
        "task.json",
        "test.token.npy",
        "test.x.npy",
        "train.token.npy",
        "train.x.npy",
        "train.y.npy",
    ];
    assert_eq!(names(&hand_over), files);
    let x: Array2<u8> = read_npy(hand_over.folder().join("train.x.npy")).unwrap();
    let y: Vec<i32> = vector(&hand_over, "train.y.npy");
    let tokens: Vec<u64> = vector(&hand_over, "train.token.npy");
    let row_of = |bits: ndarray::ArrayView1<'_, u8>| {
        bits.iter().enumerate().map(|(bit, &one)| usize::from(one) << bit).sum::<usize>()
    };
    let order: Vec<usize> = x.outer_iter().map(row_of).collect();
    let places = hand_over.places(BatchName::Train).unwrap();
    for (place, &row) in order.iter().enumerate() {
        assert_eq!((y[place], places[&tokens[place]]), (row as i32 % 2, row));
    }
    assert!(!order.is_sorted(), "the file's order must not come through");
    let test_tokens: Vec<u64> = vector(&hand_over, "test.token.npy");
    assert!(tokens.iter().all(|token| *token < 1 << 31 && !test_tokens.contains(token)));
}

#[test]
fn the_seed_alone_decides() {
    let examples = binary(3, &[&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2], &[]]);
    let content = |seed: &str| {
        let batches = [batch(BatchName::Train, &examples), batch(BatchName::Test, &examples)];
        let (hand_over, _root) = written(density(Form::Npy), &batches, seed).unwrap();
        let read = |name: &String| std::fs::read(hand_over.folder().join(name)).unwrap();
        names(&hand_over).iter().map(read).collect::<Vec<_>>()
    };
    assert_eq!(content("one"), content("one"));
    assert_ne!(content("one"), content("two"));
}

#[test]
fn wide_rows_with_few_ones_are_sparse() {
    let examples = binary(65, &[&[0, 64], &[], &[3]]);
    let (hand_over, _root) =
        written(density(Form::Npy), &[batch(BatchName::Test, &examples)], "s").unwrap();
    let offsets: Vec<i64> = vector(&hand_over, "test.x.indptr.npy");
    let ones: Vec<i32> = vector(&hand_over, "test.x.indices.npy");
    let places = hand_over.places(BatchName::Test).unwrap();
    for (place, token) in vector::<u64>(&hand_over, "test.token.npy").into_iter().enumerate() {
        let row = &ones[offsets[place] as usize..offsets[place + 1] as usize];
        let given = [&[0, 64][..], &[], &[3]][places[&token]];
        assert_eq!(row, given);
    }
    assert_eq!(vector::<u8>(&hand_over, "test.x.data.npy"), [1, 1, 1]);
    assert_eq!(task(&hand_over)["sparse"], true);
    let (text, _root) =
        written(density(Form::Csv), &[batch(BatchName::Test, &examples)], "s").unwrap();
    assert_eq!(task(&text)["sparse"], false);
    let narrow = Examples::Packed(PackedRows::from(&BinaryRows::new(64)));
    let (hand_over, _root) =
        written(density(Form::Npy), &[batch(BatchName::Test, &narrow)], "s").unwrap();
    assert_eq!(task(&hand_over)["sparse"], false);
}

#[test]
fn the_task_says_what_the_rows_are() {
    let attribute = |values: usize, missing: bool| Attribute {
        values: (0..values).map(|value| value.to_string()).collect(),
        missing,
    };
    let mut rows = CategoricalRows::new(Arc::new(vec![attribute(3, true), attribute(2, false)]));
    rows.push(&[MISSING, 1]);
    let examples = Examples::Categorical(rows);
    let columns = Some(vec!["colour".to_owned(), "a,b".to_owned()]);
    let labels = [1];
    let batches = [
        Batch { labels: Some(Labels::Classes(&labels)), ..batch(BatchName::Train, &examples) },
        batch(BatchName::Again, &examples),
    ];
    let said = About { columns, ..about(Form::Csv) };
    let (hand_over, _root) = written(said, &batches, "seed").unwrap();
    let expected = json!({
        "protocol": 1, "task": "classification", "gives": "labels", "form": "csv", "kind": "categorical",
        "variables": 2, "columns": ["colour", "a,b"], "values": [3, 2], "classes": ["ham", "spam"],
        "missing": -1, "sparse": false, "dtype": "i4", "sees_valid": false,
        "batches": {"train": {"rows": 1, "labels": true}, "again": {"rows": 1, "labels": false}}
    });
    assert_eq!(task(&hand_over), expected);
    let text = |file: &str| std::fs::read_to_string(hand_over.folder().join(file)).unwrap();
    assert_eq!(text("train.x.csv"), "colour,\"a,b\"\n-1,1\n");
    assert_eq!(text("train.y.csv"), "y\n1\n");
    assert!(text("train.token.csv").starts_with("token\n"));
}

#[test]
fn a_table_keeps_its_names_and_its_gaps() {
    let names = Arc::new(vec!["f".to_owned(), "m".to_owned()]);
    let columns = vec![
        Column::Numbers(vec![0.1, f64::NAN]),
        Column::Names { names, codes: vec![MISSING, 1] },
    ];
    let examples = Examples::Table(Table::new(columns));
    let (hand_over, _root) =
        written(density(Form::Npy), &[batch(BatchName::Test, &examples)], "s").unwrap();
    let task = task(&hand_over);
    assert_eq!((&task["kind"], &task["dtype"]), (&json!("table"), &json!("f8")));
    assert_eq!(task["categories"], json!([null, ["f", "m"]]));
    let x: Array2<f64> = read_npy(hand_over.folder().join("test.x.npy")).unwrap();
    let mut rows: Vec<String> = x.outer_iter().map(|row| row.to_string()).collect();
    rows.sort();
    assert_eq!(rows, ["[0.1, NaN]", "[NaN, 1]"]);
}

#[test]
fn numbers_keep_their_bits_as_text() {
    let values = array![[0.1, -1e-300], [1.0 / 3.0, 12_345_678.0]];
    let examples = Examples::Numeric(NumericRows::new(2, values.iter().copied().collect()));
    let (hand_over, _root) =
        written(density(Form::Csv), &[batch(BatchName::Test, &examples)], "s").unwrap();
    let text = std::fs::read_to_string(hand_over.folder().join("test.x.csv")).unwrap();
    let mut found: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect();
    found.sort_by(|a, b| a[0].total_cmp(&b[0]));
    assert_eq!(found, [values.row(0).to_vec(), values.row(1).to_vec()]);
    assert_eq!(
        (&task(&hand_over)["dtype"], &task(&hand_over)["missing"]),
        (&json!("f8"), &Value::Null)
    );
}

#[test]
fn labels_that_must_stay_are_refused() {
    let examples = binary(2, &[&[0]]);
    let labels = [0];
    let train =
        Batch { labels: Some(Labels::Classes(&labels)), ..batch(BatchName::Train, &examples) };
    let refused = |about: About, batch: Batch<'_>| {
        written(about, &[train, batch], "seed").unwrap_err().to_string()
    };
    for name in [BatchName::Test, BatchName::Again, BatchName::Valid] {
        let error = refused(about(Form::Npy), Batch { name, ..train });
        assert!(error.contains("stay here"), "{error}");
    }
    let sees = About { sees_valid: true, ..about(Form::Npy) };
    assert!(
        written(sees.clone(), &[train, Batch { name: BatchName::Valid, ..train }], "s").is_ok()
    );
    assert!(refused(sees, batch(BatchName::Valid, &examples)).contains("lacks its labels"));
    assert!(refused(about(Form::Npy), train).contains("comes twice"));
    let other = binary(3, &[&[0]]);
    assert!(refused(about(Form::Npy), batch(BatchName::Test, &other)).contains("other variables"));
}

#[test]
fn the_folder_is_read_only_and_goes_with_its_owner() {
    let examples = binary(2, &[&[0]]);
    let (hand_over, _root) =
        written(density(Form::Npy), &[batch(BatchName::Test, &examples)], "s").unwrap();
    let folder = hand_over.folder().to_owned();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("task.json"))), (0o555, 0o444));
    drop(hand_over);
    assert!(!folder.exists());
}

#[test]
fn tokens_are_the_first_that_chance_gives_and_none_comes_twice() {
    let seed = Digest::of(b"seed");
    let mut tokens = tokens(seed);
    let mut random = Random::new(FieldHasher::new("tokens").field(seed.0).finish());
    assert_eq!(tokens.next(), Some(random.below(1 << 31) as u64));
    // Of so many numbers chance gives some again.
    let numbers: HashSet<usize> = (0..200_000).map(|_| random.below(1 << 31)).collect();
    let drawn: HashSet<u64> = tokens.take(200_000).collect();
    assert!(numbers.len() < 200_000 && drawn.len() == 200_000);
}
