//! How often the patterns of one record occur among the training records.

use super::records::Records;
use super::table::{PatternTable, Slot};
use super::transform::superset_sums;

/// The count of a pattern that the table does not hold although it may occur.
pub const UNKNOWN: u32 = u32::MAX;

/// The counts of all patterns of one record: those without the class, then those with each class. Bit t
/// of an index says whether the t-th known attribute is in the pattern.
#[derive(Debug, Default)]
pub struct RecordCounts {
    /// Of patterns without the class.
    pub free: Vec<u32>,
    /// Of patterns with each class.
    pub of_class: Vec<Vec<u32>>,
    /// Keys of the patterns in the table.
    keys: Vec<u64>,
}

/// Where counts come from.
#[derive(Debug)]
pub enum Counts {
    /// From the records themselves, at the moment of the question: no pattern is forgotten.
    All,
    /// From a table that was filled before.
    Table(Box<PatternTable>),
}

impl Counts {
    /// The counts of the patterns of a record over its known attributes.
    ///
    /// From the records: each training record agrees with this one on a set of attributes, and a pattern
    /// occurs in the records that agree on a superset of its own. Time O(N n + C n 2^n) for n known
    /// attributes and C classes; from the table O(C 2^n).
    pub fn of_record(
        &self,
        records: &Records,
        row: &[u16],
        known: &[usize],
        counts: &mut RecordCounts,
    ) {
        let patterns = 1usize << known.len();
        counts.of_class.resize_with(records.classes, Vec::new);
        for of_class in counts.of_class.iter_mut().chain([&mut counts.free]) {
            of_class.clear();
            of_class.resize(patterns, 0);
        }
        match self {
            Self::All => {
                for (other, &class) in records.rows.iter().zip(&records.labels) {
                    let agrees = |(at, &attribute): (usize, &usize)| {
                        usize::from(other[attribute] == row[attribute]) << at
                    };
                    let agreement: usize = known.iter().enumerate().map(agrees).sum();
                    counts.of_class[class as usize][agreement] += 1;
                }
                for of_class in &mut counts.of_class {
                    superset_sums(of_class);
                    counts.free.iter_mut().zip(of_class).for_each(|(free, count)| *free += *count);
                }
            }
            Self::Table(table) => {
                let packing = &table.packing;
                let RecordCounts { free, of_class, keys } = counts;
                keys.clear();
                keys.resize(patterns, 0);
                for (at, &attribute) in known.iter().enumerate() {
                    let field = packing.field(attribute, row[attribute]);
                    for pattern in 1 << at..2 << at {
                        keys[pattern] = keys[pattern ^ 1 << at] | field;
                    }
                }
                let count = |key: u64, order: u32| match table.find(key, order) {
                    Slot::Held(count) => count,
                    Slot::Never => 0,
                    Slot::Unknown => UNKNOWN,
                };
                for (pattern, &key) in keys.iter().enumerate() {
                    let order = pattern.count_ones();
                    free[pattern] =
                        if order == 0 { records.count() as u32 } else { count(key, order) };
                    for (class, of_class) in of_class.iter_mut().enumerate() {
                        let key = key | packing.class_field(class as u32);
                        of_class[pattern] = count(key, order + 1);
                    }
                }
            }
        }
    }
}
