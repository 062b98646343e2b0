//! The hash table of bounded size that holds the counts of the most important patterns.
//!
//! Patterns are offered with their counts, those of low order first: by order, then by the subset of the
//! attributes (as a binary number, the class highest), then by the first record that has the pattern. The
//! hash of a pattern names a bucket of [`WAYS`] places. In a full bucket the pattern of the lowest
//! potential gives way, be it a stored one or the new one; of equally low ones the new one, else the
//! first of the bucket. So records in another order can change what is stored only where potentials tie
//! or where a part gives way before a pattern that needs it comes.
//!
//! A pattern one of whose parts is not held has no potential and is not stored; counting ends with the
//! first order of which no pattern is held, because no higher one could be.
//!
//! A bucket remembers the lowest order of the patterns that it lost. What is not in the table and of a
//! lower order than that never occurs; what is of that order or a higher one may.

use super::records::Records;
use super::transform::Transform;
use contract::categorical::MISSING;
use contract::packed::bits_of;
use contract::{Context, FitError, Result, words};
use math::special::ln;

/// Places of a bucket.
pub const WAYS: usize = 8;

words! {
    /// What "low potential" means.
    pub enum Rank {
        Contribution = "contribution", "the lowest absolute potential times the weight of its order";
        Magnitude = "magnitude", "the lowest absolute potential";
        Signed = "signed", "the lowest potential";
    }
}

impl Rank {
    fn score(self, potential: f64, weight: f64) -> f64 {
        match self {
            Self::Contribution => potential.abs() * weight,
            Self::Magnitude => potential.abs(),
            Self::Signed => potential,
        }
    }
}

/// A record as one number: each attribute has a field of bits, and so has the class. A pattern is a
/// record whose other fields are zero.
#[derive(Debug, Clone)]
pub struct Packing {
    /// Lowest bit of each attribute's field, then of the class's.
    shifts: Vec<u32>,
    /// Bits of each field.
    widths: Vec<u32>,
    /// Number of named values of each attribute; a missing value's code stands behind them.
    values: Vec<u64>,
}

impl Packing {
    /// The fields of these records.
    ///
    /// # Errors
    /// If they do not fit into 64 bits.
    pub fn new(records: &Records) -> Result<Self> {
        let attributes = records.rows.attributes();
        let named = attributes.iter().map(|attribute| attribute.values.len() as u64);
        let values: Vec<u64> = named.chain([records.classes as u64]).collect();
        // One code more for a missing value, and zero for "not in the pattern".
        let widths: Vec<u32> =
            values.iter().map(|values| 64 - (values + 1).leading_zeros()).collect();
        let mut next = 0;
        let mut shifts = Vec::with_capacity(widths.len());
        for width in &widths {
            shifts.push(next);
            next += width;
        }
        if next > 64 {
            let message = format!(
                "a record takes {next} bits, and patterns of at most 64 can be kept in a table; \
                 `capacity = 0` counts without one"
            );
            return Err(FitError::Failed(message));
        }
        Ok(Self { shifts, widths, values })
    }

    /// The field of an attribute with this code.
    pub fn field(&self, attribute: usize, code: u16) -> u64 {
        let code = if code == MISSING { self.values[attribute] } else { u64::from(code) };
        (code + 1) << self.shifts[attribute]
    }

    /// The field of the class.
    pub fn class_field(&self, class: u32) -> u64 {
        (u64::from(class) + 1) << self.shifts[self.shifts.len() - 1]
    }

    /// All bits of an attribute's field, or of the class's, which is the last.
    fn mask(&self, attribute: usize) -> u64 {
        let ones = u64::MAX >> (64 - self.widths[attribute]);
        ones << self.shifts[attribute]
    }
}

/// What the table knows of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// It occurs so often.
    Held(u32),
    /// It never occurs.
    Never,
    /// It is not held, and may occur.
    Unknown,
}

/// See the module's text.
#[derive(Debug)]
pub struct PatternTable {
    /// The fields of records.
    pub packing: Packing,
    /// Zero where a place is empty. `WAYS` places a bucket.
    keys: Vec<u64>,
    counts: Vec<u32>,
    scores: Vec<f64>,
    /// Of each bucket the lowest order that it lost.
    lost: Vec<u32>,
    /// Patterns of higher orders are not counted.
    max_order: u32,
    /// Of each order the number of patterns held.
    held: Vec<usize>,
}

impl PatternTable {
    /// Counts the patterns of all orders up to `max_order` and keeps those that fit into `capacity`
    /// places, rounded up to whole buckets. Time O(N 2^n) and, for each distinct pattern, one access a
    /// part; memory 20 bytes a place. No allocation a pattern.
    ///
    /// # Errors
    /// If records do not fit into 64 bits, the deadline passes or the user interrupts.
    pub fn build(
        records: &Records,
        max_order: usize,
        capacity: usize,
        rank: Rank,
        context: &Context,
    ) -> Result<Self> {
        let packing = Packing::new(records)?;
        let buckets = capacity.div_ceil(WAYS).max(1);
        let attributes = records.rows.attributes().len();
        let mut table = Self {
            packing,
            keys: vec![0; buckets * WAYS],
            counts: vec![0; buckets * WAYS],
            scores: vec![0.0; buckets * WAYS],
            lost: vec![u32::MAX; buckets],
            max_order: 0,
            held: vec![0; attributes + 2],
        };
        let packed = table.packed(records);
        let masks: Vec<u64> = (0..=attributes).map(|field| table.packing.mask(field)).collect();
        let weights = Transform::Normalised.weights(attributes + 1);
        let mut groups = Groups::new(records.count());
        let total = ln(records.count() as f64);
        for order in 1..=max_order.min(attributes + 1) as u32 {
            table.max_order = order;
            for subset in subsets(attributes + 1, order) {
                context.check()?;
                let mask = bits_of(subset as u64).map(|field| masks[field]).sum();
                groups.count(&packed, subset, mask);
                for &(key, count) in &groups.found {
                    let potential = table.potential(key, count, subset, &masks, total);
                    let score = potential.map(|it| rank.score(it, weights[order as usize]));
                    table.offer(key, count, order, score);
                }
            }
            if table.held[order as usize] == 0 {
                break;
            }
        }
        Ok(table)
    }

    /// Number of patterns held.
    pub fn held(&self) -> usize {
        self.held.iter().sum()
    }

    /// What the table knows of a pattern of this order.
    pub fn find(&self, key: u64, order: u32) -> Slot {
        let bucket = self.bucket(key);
        match (bucket * WAYS..(bucket + 1) * WAYS).find(|&place| self.keys[place] == key) {
            Some(place) => Slot::Held(self.counts[place]),
            None if order < self.lost[bucket] && order <= self.max_order => Slot::Never,
            None => Slot::Unknown,
        }
    }

    /// Each record with the set of its fields that are not missing.
    fn packed(&self, records: &Records) -> Vec<(u64, usize)> {
        let mut known = Vec::new();
        let class = records.rows.attributes().len();
        let pack = |(row, &label): (&[u16], &u32)| {
            records.known(row, &mut known);
            let key = known.iter().map(|&at| self.packing.field(at, row[at])).sum::<u64>();
            let fields = known.iter().map(|&at| 1usize << at).sum::<usize>();
            (key | self.packing.class_field(label), fields | 1 << class)
        };
        records.rows.iter().zip(&records.labels).map(pack).collect()
    }

    /// The potential of a pattern by (8); none if the count of a part is not held.
    fn potential(
        &self,
        key: u64,
        count: u32,
        subset: usize,
        masks: &[u64],
        total: f64,
    ) -> Option<f64> {
        let own = ln(f64::from(count)) - total;
        let order = subset.count_ones();
        if order == 1 {
            return Some(own);
        }
        let mut parts = 0.0;
        for field in bits_of(subset as u64) {
            let part = key & !masks[field];
            let Slot::Held(count) = self.find(part, order - 1) else { return None };
            parts += ln(f64::from(count)) - total;
        }
        Some(own - parts / f64::from(order - 1))
    }

    /// Stores a pattern, or lets the one of the lowest score go.
    fn offer(&mut self, key: u64, count: u32, order: u32, score: Option<f64>) {
        let bucket = self.bucket(key);
        let lose = |table: &mut Self, order: u32| {
            table.lost[bucket] = table.lost[bucket].min(order);
        };
        let Some(score) = score else { return lose(self, order) };
        let mut lowest = bucket * WAYS;
        for place in bucket * WAYS..(bucket + 1) * WAYS {
            if self.keys[place] == 0 {
                (self.keys[place], self.counts[place], self.scores[place]) = (key, count, score);
                self.held[order as usize] += 1;
                return;
            }
            if self.scores[place] < self.scores[lowest] {
                lowest = place;
            }
        }
        if self.scores[lowest] < score {
            let gone = self.order_of(self.keys[lowest]);
            lose(self, gone);
            self.held[gone as usize] -= 1;
            self.held[order as usize] += 1;
            (self.keys[lowest], self.counts[lowest], self.scores[lowest]) = (key, count, score);
        } else {
            lose(self, order);
        }
    }

    fn order_of(&self, key: u64) -> u32 {
        (0..self.packing.shifts.len()).filter(|&field| key & self.packing.mask(field) != 0).count()
            as u32
    }

    fn bucket(&self, key: u64) -> usize {
        ((u128::from(mixed(key)) * self.lost.len() as u128) >> 64) as usize
    }
}

/// Mixes the bits of a key: the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
fn mixed(key: u64) -> u64 {
    let key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}

/// The subsets of {0, …, n - 1} of one size, ascending (Gosper's step).
fn subsets(n: usize, size: u32) -> impl Iterator<Item = usize> {
    let mut next = (1usize << size) - 1;
    std::iter::from_fn(move || {
        let subset = next;
        (subset < 1 << n).then(|| {
            let lowest = subset & subset.wrapping_neg();
            let ripple = subset + lowest;
            next = ripple | ((subset ^ ripple) / lowest) >> 2;
            subset
        })
    })
}

/// Records grouped by their pattern over one subset of the attributes.
struct Groups {
    /// The patterns with their counts, by the first record that has each.
    found: Vec<(u64, u32)>,
    /// Open addressing: where in `found` a key stands, with the round that wrote it.
    places: Vec<(u32, u32)>,
    round: u32,
}

impl Groups {
    fn new(records: usize) -> Self {
        let places = (2 * records).next_power_of_two();
        Self { found: Vec::with_capacity(records), places: vec![(0, 0); places], round: 0 }
    }

    fn count(&mut self, packed: &[(u64, usize)], subset: usize, mask: u64) {
        self.found.clear();
        self.round += 1;
        let last = self.places.len() - 1;
        for &(record, fields) in packed {
            if subset & !fields != 0 {
                continue;
            }
            let key = record & mask;
            let mut at = mixed(key) as usize & last;
            loop {
                let (index, round) = self.places[at];
                if round != self.round {
                    self.places[at] = (self.found.len() as u32, self.round);
                    self.found.push((key, 1));
                    break;
                }
                if self.found[index as usize].0 == key {
                    self.found[index as usize].1 += 1;
                    break;
                }
                at = (at + 1) & last;
            }
        }
    }
}
