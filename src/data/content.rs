//! Parsed content: its split, its digest, and what is derived from it.

use std::ops::Range;

use super::generate::{Drawn, Generator};
use super::marks::Marks;
use super::registry::{Derivation, Entry, JoinedClass, RowSelection};
use super::vocabulary::{Kind, Parts, Rows};
use super::{Dataset, Labels, Preprocessing, PublishedSplit, Targets, Truth};
use base::digest::{Digest, FieldHasher};
use contract::Examples;
use contract::packed::ones_of;
use contract::table::Column;
use serde::{Deserialize, Serialize};

/// The published split of examples that stand as train, valid, test.
pub(super) fn published(rows: Rows) -> Option<PublishedSplit> {
    match rows {
        Rows::Whole(_) => None,
        Rows::Split(sizes) => Some(sizes.ranges()),
        Rows::Shared(rows) => Some(Parts { train: 0..rows, valid: rows..rows, test: 0..rows }),
    }
}

/// The dataset of an entry with this content.
pub(super) fn dataset(entry: &Entry, parsed: Parsed, digest: Digest, truth: Truth) -> Dataset {
    let Parsed { examples, columns, targets, marks, folds, kept } = parsed;
    Dataset {
        title: entry.title.clone(),
        columns,
        targets,
        marks,
        published: published(kept),
        folds,
        preprocessing: entry.preprocessing,
        dropped: entry.shape.rows.total() - kept.total(),
        truth,
        ..Dataset::new(&entry.id, digest, examples)
    }
}

/// Examples of which all are kept, without columns that have names or marks.
pub(super) fn plain(entry: &Entry, examples: Examples, targets: Targets) -> Parsed {
    let (folds, columns, marks) = (None, None, Marks::default());
    Parsed { examples, targets, folds, columns, marks, kept: entry.shape.rows }
}

/// The dataset that a generator draws.
pub(super) fn generated(entry: &Entry, generator: &Generator) -> Dataset {
    let Drawn { examples, targets, truth } = generator.draw();
    dataset(entry, plain(entry, examples, targets), generator.digest(), truth)
}

/// Examples with what the authors tell of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Parsed {
    /// The examples, in the order train, valid, test.
    pub examples: Examples,
    /// The names of their columns, where the files have some.
    pub columns: Option<Vec<String>>,
    /// What is to be predicted of each.
    pub targets: Targets,
    /// Whose they are and when they were made, where that is known.
    pub marks: Marks,
    /// Their folds, from 0, where the authors give folds.
    pub folds: Option<Vec<u32>>,
    /// How many rows of each part there are, without those that are left out.
    pub kept: Rows,
}

/// The rows and columns of a base dataset that a rule selects.
///
/// # Errors
/// If a class that is to be joined is none of the base's.
pub(super) fn derived(
    base: &Parsed,
    split: Option<&PublishedSplit>,
    rule: &Derivation,
) -> Result<Parsed, NoClass> {
    let rows: Vec<usize> = match (&rule.rows, split) {
        (RowSelection::Split(Parts { train, valid, test }), Some(split)) => {
            let part = |part: &Range<usize>, rows: &Range<usize>| {
                part.start + rows.start..part.start + rows.end
            };
            part(&split.train, train)
                .chain(part(&split.valid, valid))
                .chain(part(&split.test, test))
                .collect()
        }
        (RowSelection::Split(parts), None) => parts.train.clone().collect(),
        (RowSelection::Whole(rows), _) => rows.clone().collect(),
    };
    let mut examples = base.examples.select(&rows);
    if rule.columns != (0..examples.variables()) {
        examples = examples.columns(&rule.columns);
    }
    let select = |values: &[u32]| rows.iter().map(|&row| values[row]).collect::<Vec<u32>>();
    let targets = match (&rule.classes, base.targets.select(&rows)) {
        (Some(classes), Targets::Classes(labels)) => Targets::Classes(joined(&labels, classes)?),
        (_, targets) => targets,
    };
    let kept = match &rule.rows {
        RowSelection::Whole(rows) => Rows::Whole(rows.len()),
        RowSelection::Split(parts) => Rows::Split(parts.map(|rows| rows.len())),
    };
    let columns = base.columns.as_ref().map(|columns| columns[rule.columns.clone()].to_vec());
    let folds = base.folds.as_deref().map(select);
    let marks = base.marks.select(&rows);
    Ok(Parsed { examples, columns, targets, marks, folds, kept })
}

/// The name of a class that is to be joined and that the base does not have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoClass(pub(super) String);

/// The labels where classes have become one.
fn joined(labels: &Labels, classes: &[JoinedClass]) -> Result<Labels, NoClass> {
    let mut becomes = vec![0; labels.classes.len()];
    for (new, class) in classes.iter().enumerate() {
        for name in &class.of_base {
            let old = labels.classes.iter().position(|known| known == name);
            becomes[old.ok_or_else(|| NoClass(name.clone()))?] = new as u32;
        }
    }
    let of_example = labels.of_example.iter().map(|&old| becomes[old as usize]).collect();
    let classes = classes.iter().map(|class| class.name.clone()).collect();
    Ok(Labels { classes, of_example })
}

/// Digest of parsed content: kind, number of variables, split, then of each row the number of its ones
/// and their indices, or its values; then classes, targets, folds, and the rules of vocabulary, missing values, binning or
/// standardisation, where there are any.
pub(super) fn content_digest(
    parsed: &Parsed,
    (kind, preprocessing): (Kind, &Preprocessing),
    split: Rows,
) -> Digest {
    let Preprocessing { vocabulary, missing, binning, standardised } = *preprocessing;
    let hasher =
        FieldHasher::new("dataset").field(kind.word()).number(parsed.examples.variables() as u64);
    let mut hasher = match split {
        Rows::Whole(all) => hasher.field("whole").number(all as u64),
        Rows::Shared(all) => hasher.field("shared").number(all as u64),
        Rows::Split(Parts { train, valid, test }) => {
            hasher.field("split").number(train as u64).number(valid as u64).number(test as u64)
        }
    };
    hasher = hasher.streamed(|sink| give_rows(&parsed.examples, sink));
    if let Some(columns) = &parsed.columns {
        hasher = hasher.field("columns");
        hasher = columns.iter().fold(hasher, FieldHasher::field);
    }
    hasher = parsed.marks.hashed(hasher);
    hasher = match &parsed.targets {
        Targets::None => hasher,
        Targets::Classes(labels) => {
            hasher = hasher.field("classes").number(labels.classes.len() as u64);
            hasher = labels.classes.iter().fold(hasher, FieldHasher::field);
            hasher.streamed(|sink| give(&labels.of_example, u32::to_le_bytes, sink))
        }
        Targets::Numbers(targets) => {
            hasher.field("targets").streamed(|sink| give(targets, f64::to_le_bytes, sink))
        }
    };
    if let Some(folds) = &parsed.folds {
        hasher = hasher.field("folds").streamed(|sink| give(folds, u32::to_le_bytes, sink));
    }
    if let Some(vocabulary) = vocabulary {
        hasher = hasher.field("vocabulary").field(vocabulary.word());
    }
    if let Examples::Table(table) = &parsed.examples
        && table.has_missing()
    {
        hasher = hasher.field("missing").field(missing.word());
    }
    if let Some(binning) = binning {
        hasher = hasher.field("binning").field(binning.word());
    }
    if standardised {
        hasher = hasher.field("standardised");
    }
    hasher.finish()
}

/// Gives of each row the number of its ones and their indices, whichever way it is stored; of attributes the names of
/// their values and the codes, of columns the numbers; of a table one column after another.
fn give_rows(examples: &Examples, sink: &mut dyn FnMut(&[u8])) {
    match examples {
        Examples::Binary(rows) => {
            for row in rows.iter() {
                sink(&(row.len() as u32).to_le_bytes());
                give(row, u32::to_le_bytes, sink);
            }
        }
        Examples::Packed(rows) => {
            for row in rows.iter() {
                let ones: Vec<u32> = ones_of(row).collect();
                sink(&(ones.len() as u32).to_le_bytes());
                give(&ones, u32::to_le_bytes, sink);
            }
        }
        Examples::Categorical(rows) => {
            for attribute in rows.attributes().iter() {
                give_names(&attribute.values, sink);
                sink(&[u8::from(attribute.missing)]);
            }
            give(rows.codes(), |code| code.to_le_bytes(), sink);
        }
        Examples::Numeric(rows) => give(rows.values(), |value| value.to_le_bytes(), sink),
        Examples::Table(table) => table.columns().iter().for_each(|column| match column {
            Column::Numbers(values) => {
                sink(&[0]);
                // Of all that is no number there is one: that a value is missing.
                let one = |value: f64| if value.is_nan() { f64::NAN } else { value };
                give(values, |value| one(value).to_le_bytes(), sink);
            }
            Column::Names { names, codes } => {
                sink(&[1]);
                give_names(names, sink);
                give(codes, |code| code.to_le_bytes(), sink);
            }
        }),
    }
}

fn give_names(names: &[String], sink: &mut dyn FnMut(&[u8])) {
    sink(&(names.len() as u32).to_le_bytes());
    for name in names {
        sink(&(name.len() as u32).to_le_bytes());
        sink(name.as_bytes());
    }
}

/// Gives the bytes of values, many at a time.
fn give<T: Copy, const N: usize>(
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
    sink: &mut dyn FnMut(&[u8]),
) {
    for some in values.chunks(4096) {
        sink(&some.iter().flat_map(|&value| bytes(value)).collect::<Vec<u8>>());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Vocabulary;
    use crate::registry::{Origin, Registry};
    use contract::binary::BinaryRows;
    use contract::packed::PackedRows;

    fn rows() -> BinaryRows {
        let mut rows = BinaryRows::new(3);
        rows.push(&[0, 2]);
        rows.push(&[]);
        rows.push(&[1]);
        rows
    }

    fn unlabelled() -> Parsed {
        Parsed {
            examples: Examples::Binary(rows()),
            columns: None,
            marks: Marks::default(),
            targets: Targets::None,
            folds: None,
            kept: Rows::Whole(3),
        }
    }

    fn labelled() -> Parsed {
        let classes = vec!["ham".to_owned(), "spam".to_owned()];
        let targets = Targets::Classes(Labels { classes, of_example: vec![1, 0, 1] });
        Parsed { targets, folds: Some(vec![0, 1, 2]), ..unlabelled() }
    }

    #[test]
    fn the_content_digest_is_sha_256_of_the_framed_content() {
        let split = Rows::Split(Parts { train: 1, valid: 1, test: 1 });
        // Python: hashlib.sha256 over length-framed (u64 LE) b"dataset", b"binary", 3, b"split", 1, 1, 1
        // (u64 LE each) and struct.pack of 2, 0, 2, 0, 1, 1 (u32 LE each).
        let golden = "e9d26f288916e83e3a6eaa15d25c70667eecaa5c775feabbbb3de7707b380c23";
        let plain = (Kind::Binary, &Preprocessing::NONE);
        let digest = |parsed: &Parsed, split| content_digest(parsed, plain, split).to_string();
        assert_eq!(digest(&unlabelled(), split), golden);
        let packed = Examples::Packed(PackedRows::from(&rows()));
        assert_eq!(digest(&Parsed { examples: packed, ..unlabelled() }, split), golden);
        let other = Rows::Split(Parts { train: 2, valid: 0, test: 1 });
        assert_ne!(digest(&unlabelled(), other), golden);
        assert_ne!(digest(&unlabelled(), Rows::Whole(3)), golden);
    }

    #[test]
    fn all_examples_of_an_exhaustive_sample_are_for_training_and_for_testing() {
        let registry = Registry::built_in().unwrap();
        let entry = registry.get("parity-8").unwrap();
        let Origin::Generated(generator) = &entry.origin else { panic!("generated") };
        let dataset = generated(entry, generator);
        let split = dataset.published.unwrap();
        assert_eq!((split.train, split.valid, split.test), (0..256, 256..256, 0..256));
        assert_eq!((dataset.examples.len(), dataset.examples.variables()), (256, 8));
        let labels = dataset.targets.labels().unwrap();
        assert_eq!(labels.classes, ["true", "false"]);
        assert_eq!(labels.of_example[..8], [1, 0, 0, 1, 0, 1, 1, 0]);
        let Truth::Blocks(blocks) = &dataset.truth else { panic!("{:?}", dataset.truth) };
        assert_eq!(**blocks, [0; 8]);
        assert_eq!(dataset.digest, generator.digest());
    }

    #[test]
    fn the_content_digest_depends_on_classes_folds_and_vocabulary() {
        let text = |vocabulary| (Kind::Text, Preprocessing { vocabulary, ..Preprocessing::NONE });
        let parsed = labelled();
        let mut others = vec![(parsed.clone(), text(Some(Vocabulary::Training)))];
        let mut change = |change: &dyn Fn(&mut Parsed)| {
            let mut changed = parsed.clone();
            change(&mut changed);
            others.push((changed, text(Some(Vocabulary::Problem))));
        };
        change(&|_| {});
        change(&|parsed| parsed.columns = Some(["a", "b", "c"].map(str::to_owned).to_vec()));
        change(&|parsed| parsed.folds = None);
        change(&|parsed| parsed.folds = Some(vec![0, 1, 1]));
        change(&|parsed| parsed.targets = Targets::None);
        change(&|parsed| parsed.targets = Targets::Numbers(vec![1.0, 0.0, 1.0]));
        change(&|parsed| parsed.targets = Targets::Numbers(vec![1.0, 0.0, 1.5]));
        let labels = |names: [&str; 2], of_example: [u32; 3]| {
            let classes = names.map(str::to_owned).to_vec();
            Targets::Classes(Labels { classes, of_example: of_example.to_vec() })
        };
        change(&|parsed| parsed.targets = labels(["ham", "spam"], [0, 0, 1]));
        change(&|parsed| parsed.targets = labels(["good", "spam"], [1, 0, 1]));
        others.push((parsed.clone(), (Kind::Binary, Preprocessing::NONE)));
        others.push((parsed, (Kind::Image, Preprocessing::NONE)));
        let digests: BTreeSet<Digest> = others
            .iter()
            .map(|(parsed, (kind, rule))| content_digest(parsed, (*kind, rule), Rows::Whole(3)))
            .collect();
        assert_eq!(digests.len(), others.len());
    }

    #[test]
    fn derived_rows_keep_the_parts_the_columns_the_labels_and_the_folds() {
        let split = published(Rows::Split(Parts { train: 2, valid: 0, test: 1 }));
        let selection = RowSelection::Split(Parts { train: 1..2, valid: 0..0, test: 0..1 });
        let rule =
            Derivation { from: String::new(), rows: selection, columns: 1..3, classes: None };
        let mut expected = BinaryRows::new(2);
        expected.push(&[]);
        expected.push(&[0]);
        let found = derived(&labelled(), split.as_ref(), &rule).unwrap();
        assert!(matches!(&found.examples, Examples::Binary(rows) if *rows == expected));
        assert_eq!(found.targets.labels().unwrap().of_example, [0, 1]);
        assert_eq!(found.folds.unwrap(), [1, 2]);
        let base = Parsed { targets: Targets::Numbers(vec![7.0, 2.5, -1.0]), ..labelled() };
        let found = derived(&base, split.as_ref(), &rule).unwrap();
        assert_eq!(found.targets, Targets::Numbers(vec![2.5, -1.0]));
        let packed = Examples::Packed(PackedRows::from(&rows()));
        let found =
            derived(&Parsed { examples: packed, ..labelled() }, split.as_ref(), &rule).unwrap();
        assert!(matches!(&found.examples, Examples::Packed(rows) if rows.to_sparse() == expected));
        let whole = Derivation { rows: RowSelection::Whole(0..1), ..rule };
        let found = derived(&unlabelled(), None, &whole).unwrap();
        assert!(matches!(&found.examples, Examples::Binary(rows) if rows.row(0) == [1]));
    }

    #[test]
    fn classes_are_joined_under_their_new_names() {
        let base = Labels {
            classes: ["1", "2", "3"].map(str::to_owned).to_vec(),
            of_example: vec![0, 2, 1, 0],
        };
        let class = |name: &str, of_base: &[&str]| JoinedClass {
            name: name.to_owned(),
            of_base: of_base.iter().map(|&name| name.to_owned()).collect(),
        };
        let labels = joined(&base, &[class("ill", &["3", "2"]), class("well", &["1"])]).unwrap();
        assert_eq!(labels.classes, ["ill", "well"]);
        assert_eq!(labels.of_example, [1, 0, 0, 1]);
        let absent = joined(&base, &[class("ill", &["3", "4"]), class("well", &["1"])]);
        assert_eq!(absent, Err(NoClass("4".to_owned())));
    }
}
