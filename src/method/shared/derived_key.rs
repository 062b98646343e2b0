//! What the keys of derived artefacts are made of.

use base::digest::FieldHasher;
use contract::binary::DistinctRows;

/// Names training rows by their content.
pub fn train_fields(hasher: FieldHasher, train: &DistinctRows) -> FieldHasher {
    let mut bytes = Vec::with_capacity(4 * (train.rows.total_ones() + 2 * train.rows.len()));
    for (row, count) in train.rows.iter().zip(&train.counts) {
        bytes.extend_from_slice(&count.to_le_bytes());
        bytes.extend_from_slice(&(row.len() as u32).to_le_bytes());
        row.iter().for_each(|one| bytes.extend_from_slice(&one.to_le_bytes()));
    }
    hasher.number(train.variables() as u64).field(bytes)
}

/// Names the order of training rows, where what is drawn depends on it.
pub fn order_field(hasher: FieldHasher, train: &DistinctRows) -> FieldHasher {
    let order = train.of_example.iter().flat_map(|row| row.to_le_bytes());
    hasher.field(order.collect::<Vec<u8>>())
}
