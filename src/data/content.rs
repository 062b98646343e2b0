//! Parsed content: its split, its digest, and what is derived from it.

use std::ops::Range;

use super::binary::BinaryRows;
use super::generate::{Drawn, Generator};
use super::registry::{Derivation, Entry, RowSelection, Rows};
use super::{Dataset, PublishedSplit, Vocabulary};
use crate::math::digest::{Digest, FieldHasher};

/// The published split of examples that stand as train, valid, test.
pub(super) fn published(rows: Rows) -> Option<PublishedSplit> {
    match rows {
        Rows::Whole(_) => None,
        Rows::Split { train, valid, test } => Some(PublishedSplit {
            train: 0..train,
            valid: train..train + valid,
            test: train + valid..train + valid + test,
        }),
        Rows::Shared(rows) => {
            Some(PublishedSplit { train: 0..rows, valid: rows..rows, test: 0..rows })
        }
    }
}

/// The dataset that a generator draws.
pub(super) fn generated(entry: &Entry, generator: &Generator) -> Dataset {
    let Drawn { examples, labels, known_blocks } = generator.draw();
    Dataset {
        id: entry.id.clone(),
        title: entry.title.clone(),
        digest: generator.digest(),
        examples,
        labels,
        published: published(entry.shape.rows),
        folds: None,
        vocabulary: Vocabulary::Fixed,
        known_blocks,
    }
}

/// The rows and columns of a base dataset that a rule selects.
pub(super) fn derived(
    base: &BinaryRows,
    split: Option<&PublishedSplit>,
    rule: &Derivation,
) -> BinaryRows {
    let rows: Vec<usize> = match (&rule.rows, split) {
        (RowSelection::Split { train, valid, test }, Some(split)) => {
            let part = |part: &Range<usize>, rows: &Range<usize>| {
                part.start + rows.start..part.start + rows.end
            };
            part(&split.train, train)
                .chain(part(&split.valid, valid))
                .chain(part(&split.test, test))
                .collect()
        }
        (RowSelection::Split { train, .. }, None) => train.clone().collect(),
        (RowSelection::Whole(rows), _) => rows.clone().collect(),
    };
    let mut result = BinaryRows::new(rule.columns.len());
    let mut ones = Vec::new();
    for row in rows {
        ones.clear();
        let inside = base.row(row).iter().filter(|&&one| rule.columns.contains(&(one as usize)));
        ones.extend(inside.map(|&one| one - rule.columns.start as u32));
        result.push(&ones);
    }
    result
}

/// Digest of parsed content: kind, number of variables, split, then of each row the number of its ones
/// and their indices.
pub(super) fn content_digest(rows: &BinaryRows, split: Rows) -> Digest {
    let hasher = FieldHasher::new("dataset").field("binary").number(rows.variables() as u64);
    let hasher = match split {
        Rows::Whole(all) => hasher.field("whole").number(all as u64),
        Rows::Shared(all) => hasher.field("shared").number(all as u64),
        Rows::Split { train, valid, test } => {
            hasher.field("split").number(train as u64).number(valid as u64).number(test as u64)
        }
    };
    let mut bytes = Vec::with_capacity(4 * (rows.len() + rows.total_ones()));
    for row in rows.iter() {
        bytes.extend_from_slice(&(row.len() as u32).to_le_bytes());
        bytes.extend(row.iter().flat_map(|one| one.to_le_bytes()));
    }
    hasher.field(bytes).finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::registry::{Origin, Registry};

    fn rows() -> BinaryRows {
        let mut rows = BinaryRows::new(3);
        rows.push(&[0, 2]);
        rows.push(&[]);
        rows.push(&[1]);
        rows
    }

    #[test]
    fn the_content_digest_is_sha_256_of_the_framed_content() {
        let split = Rows::Split { train: 1, valid: 1, test: 1 };
        // Python: hashlib.sha256 over length-framed (u64 LE) b"dataset", b"binary", 3, b"split", 1, 1, 1
        // (u64 LE each) and struct.pack of 2, 0, 2, 0, 1, 1 (u32 LE each).
        let golden = "e9d26f288916e83e3a6eaa15d25c70667eecaa5c775feabbbb3de7707b380c23";
        assert_eq!(content_digest(&rows(), split).to_string(), golden);
        let other = Rows::Split { train: 2, valid: 0, test: 1 };
        assert_ne!(content_digest(&rows(), other).to_string(), golden);
        assert_ne!(content_digest(&rows(), Rows::Whole(3)).to_string(), golden);
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
        let labels = dataset.labels.unwrap();
        assert_eq!(labels.classes, ["true", "false"]);
        assert_eq!(labels.of_example[..8], [1, 0, 0, 1, 0, 1, 1, 0]);
        assert_eq!(*dataset.known_blocks.unwrap(), [0; 8]);
        assert_eq!(dataset.digest, generator.digest());
    }

    #[test]
    fn derived_rows_keep_the_parts_and_the_columns() {
        let split = published(Rows::Split { train: 2, valid: 0, test: 1 });
        let selection = RowSelection::Split { train: 1..2, valid: 0..0, test: 0..1 };
        let rule = Derivation { from: String::new(), rows: selection, columns: 1..3 };
        let mut expected = BinaryRows::new(2);
        expected.push(&[]);
        expected.push(&[0]);
        assert_eq!(derived(&rows(), split.as_ref(), &rule), expected);
        let whole = Derivation { rows: RowSelection::Whole(0..1), ..rule };
        assert_eq!(derived(&rows(), None, &whole).row(0), [1]);
    }
}
