//! The Gibbs energy model on records as large as a voting record: 16 attributes of three values and the
//! class, so 2^17 patterns a record. divan's items are patterns.

mod context;

use context::{context, sizes};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use reprise::base::digest::Digest;
use reprise::contract::categorical::{Attribute, CategoricalRows};
use reprise::math::random::Random;
use reprise::papers::gibbs::counts::{Counts, RecordCounts};
use reprise::papers::gibbs::energy::{Energies, Settings};
use reprise::papers::gibbs::records::{Missing, Records};
use reprise::papers::gibbs::table::{PatternTable, Rank};
use reprise::papers::gibbs::transform::Transform;
use std::sync::Arc;

const ATTRIBUTES: usize = 16;
const RECORDS: usize = 335;

fn main() {
    divan::main();
}

/// Two classes; in each an attribute has its usual value in seven records of ten.
fn records() -> Records {
    let mut random = Random::new(Digest::of(b"votes"));
    let values = (0..3).map(|value| value.to_string()).collect();
    let attributes = vec![Attribute { values, missing: false }; ATTRIBUTES];
    let mut rows = CategoricalRows::new(Arc::new(attributes));
    let labels: Vec<u32> = (0..RECORDS).map(|_| random.below(2) as u32).collect();
    for &label in &labels {
        let value = |at: usize| {
            let usual = (at + label as usize) % 3;
            (if random.uniform() < 0.7 { usual } else { random.below(3) }) as u16
        };
        let row: Vec<u16> = (0..ATTRIBUTES).map(value).collect();
        rows.push(&row);
    }
    Records { rows, labels, classes: 2, missing: Missing::Value }
}

/// Counting all patterns of the records into a table.
#[divan::bench(args = sizes(&[1 << 10, 1 << 15, 1 << 20, 1 << 24]), sample_count = 3, sample_size = 1)]
fn count_into_table(bencher: Bencher, capacity: usize) {
    let records = records();
    let context = context();
    bencher.counter(ItemsCount::new(RECORDS << (ATTRIBUTES + 1))).bench_local(|| {
        let all = ATTRIBUTES + 1;
        PatternTable::build(black_box(&records), all, capacity, Rank::Contribution, &context)
    });
}

/// Counting the patterns of one record among all others, for each class, without a table.
#[divan::bench(sample_count = 100, sample_size = 1)]
fn count_one_record(bencher: Bencher) {
    let records = records();
    let known: Vec<usize> = (0..ATTRIBUTES).collect();
    let mut counts = RecordCounts::default();
    let items = ItemsCount::new(3usize << ATTRIBUTES);
    bencher.counter(items).bench_local(|| {
        Counts::All.of_record(black_box(&records), records.rows.row(0), &known, &mut counts);
    });
}

/// Counting them and summing their potentials: the classification of one record.
#[divan::bench(sample_count = 100, sample_size = 1)]
fn classify_one_record(bencher: Bencher) {
    let records = records();
    let known: Vec<usize> = (0..ATTRIBUTES).collect();
    let settings = Settings {
        transform: Transform::Normalised,
        max_order: ATTRIBUTES + 1,
        negative_potential: -100.0,
        negative_order: ATTRIBUTES + 1,
        smoothing: 0.0,
    };
    let mut counts = RecordCounts::default();
    let mut energies = Energies::new(&settings, &records);
    let mut of_classes = Vec::new();
    let items = ItemsCount::new(3usize << ATTRIBUTES);
    bencher.counter(items).bench_local(|| {
        Counts::All.of_record(black_box(&records), records.rows.row(0), &known, &mut counts);
        energies.of_classes(&counts, &known, &mut of_classes);
        of_classes[0]
    });
}
