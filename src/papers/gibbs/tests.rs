use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::classifier::GIBBS;
use super::counts::{Counts, RecordCounts, UNKNOWN};
use super::energy::{Energies, Settings};
use super::records::{Missing, Records};
use super::table::{PatternTable, Rank, Slot};
use super::transform::Transform;
use base::digest::Digest;
use contract::categorical::{Attribute, CategoricalRows, MISSING};
use contract::parameter::Parameters;
use contract::{Classifier, Examples, Fit, Labelled};
use math::special::{exp, ln, pow};
use testing::context;

/// Values of an attribute, its missing one not counted.
const VALUES: u16 = 3;

fn attributes(number: usize) -> Arc<Vec<Attribute>> {
    let values = (0..VALUES).map(|value| value.to_string()).collect();
    Arc::new(vec![Attribute { values, missing: true }; number])
}

fn records(rows: &[(Vec<u16>, u32)], classes: usize, missing: Missing) -> Records {
    let mut coded = CategoricalRows::new(attributes(rows[0].0.len()));
    rows.iter().for_each(|(row, _)| coded.push(row));
    let labels = rows.iter().map(|(_, label)| *label).collect();
    Records { rows: coded, labels, classes, missing }
}

/// Records of one to five attributes and two or three classes, a value in ten missing.
fn drawn() -> impl Strategy<Value = (Vec<(Vec<u16>, u32)>, usize)> {
    let value = prop_oneof![9 => 0..VALUES, 1 => Just(MISSING)];
    (1usize..=5, 2usize..=3).prop_flat_map(move |(width, classes)| {
        let record = (proptest::collection::vec(value.clone(), width), 0..classes as u32);
        (proptest::collection::vec(record, 1..40), Just(classes))
    })
}

fn settings(transform: Transform) -> Settings {
    Settings {
        transform,
        max_order: 21,
        negative_potential: -100.0,
        negative_order: 21,
        smoothing: 0.0,
    }
}

/// The energies of a record with each class, and what the patterns without the class add to each.
fn energies(
    settings: &Settings,
    records: &Records,
    counts: &Counts,
    row: &[u16],
) -> (Vec<f64>, f64) {
    let (mut known, mut of_record, mut of_classes) =
        (Vec::new(), RecordCounts::default(), Vec::new());
    records.known(row, &mut known);
    counts.of_record(records, row, &known, &mut of_record);
    let mut energies = Energies::new(settings, records);
    energies.of_classes(&of_record, &known, &mut of_classes);
    let free = energies.without_class(&of_record, &known);
    (of_classes, free)
}

fn table(records: &Records, max_order: usize, capacity: usize, rank: Rank) -> PatternTable {
    let context = context(Digest::of(b"table"), 0);
    PatternTable::build(records, max_order, capacity, rank, &context).unwrap()
}

/// The model by its definition, pattern by pattern: attributes that are not in a pattern are none, the
/// class is the last.
struct Definition<'a> {
    settings: &'a Settings,
    counts: BTreeMap<Vec<Option<u16>>, usize>,
    records: usize,
    classes: usize,
    missing: Missing,
}

impl<'a> Definition<'a> {
    fn new(
        settings: &'a Settings,
        rows: &[(Vec<u16>, u32)],
        classes: usize,
        missing: Missing,
    ) -> Self {
        let mut counts = BTreeMap::new();
        for (row, label) in rows {
            for pattern in patterns(row, *label as u16, missing) {
                *counts.entry(pattern).or_default() += 1;
            }
        }
        Self { settings, counts, records: rows.len(), classes, missing }
    }

    /// None where the pattern has frequency zero.
    fn logarithm(&self, pattern: &[Option<u16>]) -> Option<f64> {
        let smoothing = self.settings.smoothing;
        let values = usize::from(VALUES) + usize::from(self.missing == Missing::Value);
        let (class, attributes) = pattern.split_last().unwrap();
        let class = if class.is_some() { self.classes } else { 1 };
        let configurations = values.pow(attributes.iter().flatten().count() as u32) * class;
        let count = self.counts.get(pattern).copied().unwrap_or(0) as f64;
        let frequency =
            (count + smoothing / configurations as f64) / (self.records as f64 + smoothing);
        (frequency > 0.0).then(|| ln(frequency))
    }

    /// Equation (8) or (6).
    fn potential(&self, pattern: &[Option<u16>]) -> f64 {
        let order = pattern.iter().flatten().count();
        let Some(own) = self.logarithm(pattern) else {
            let low = order <= self.settings.negative_order;
            return if low { self.settings.negative_potential } else { 0.0 };
        };
        match self.settings.transform {
            Transform::Normalised if order == 1 => own,
            Transform::Normalised => {
                let mut sum = 0.0;
                for at in (0..pattern.len()).filter(|&at| pattern[at].is_some()) {
                    let mut part = pattern.to_vec();
                    part[at] = None;
                    sum += self.logarithm(&part).unwrap();
                }
                own - sum / (order - 1) as f64
            }
            Transform::Moebius => {
                let row: Vec<u16> = pattern.iter().flatten().copied().collect();
                let places: Vec<usize> =
                    (0..pattern.len()).filter(|&at| pattern[at].is_some()).collect();
                (1..1usize << order)
                    .map(|subset| {
                        let mut part = vec![None; pattern.len()];
                        for bit in (0..order).filter(|bit| subset >> bit & 1 == 1) {
                            part[places[bit]] = Some(row[bit]);
                        }
                        let sign = if (order as u32 - subset.count_ones()).is_multiple_of(2) {
                            1.0
                        } else {
                            -1.0
                        };
                        sign * self.logarithm(&part).unwrap()
                    })
                    .sum()
            }
        }
    }

    /// Equation (7) or (2), truncated.
    fn energy(&self, row: &[u16], class: u16) -> f64 {
        let holds = |code: &&u16| self.missing == Missing::Value || **code != MISSING;
        let n = row.iter().filter(holds).count() + 1;
        let choose =
            |n: usize, k: usize| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        patterns(row, class, self.missing)
            .iter()
            .map(|pattern| (pattern.iter().flatten().count(), pattern))
            .filter(|(order, _)| *order <= self.settings.max_order)
            .map(|(order, pattern)| match self.settings.transform {
                Transform::Normalised => self.potential(pattern) / choose(n - 1, order - 1),
                Transform::Moebius => self.potential(pattern),
            })
            .sum()
    }
}

/// All patterns of a record but the empty one.
fn patterns(row: &[u16], class: u16, missing: Missing) -> Vec<Vec<Option<u16>>> {
    let full: Vec<u16> = row.iter().copied().chain([class]).collect();
    (1..1usize << full.len())
        .map(|subset| -> Vec<Option<u16>> {
            full.iter()
                .enumerate()
                .map(|(at, code)| (subset >> at & 1 == 1).then_some(*code))
                .collect()
        })
        .filter(|pattern| {
            let values = &pattern[..row.len()];
            missing == Missing::Value || !values.contains(&Some(MISSING))
        })
        .collect()
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * (1.0 + expected.abs())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn energies_are_those_of_the_definition(
        (rows, classes) in drawn(),
        others in proptest::collection::vec(proptest::collection::vec(0..VALUES, 5), 3),
        max_order in 1usize..=6,
        negative_order in 0usize..=6,
        smoothing in prop_oneof![Just(0.0), 0.1f64..5.0],
    ) {
        for missing in [Missing::Value, Missing::Skip] {
            for transform in [Transform::Normalised, Transform::Moebius] {
                let settings = Settings { max_order, negative_order, smoothing, ..settings(transform) };
                let records = records(&rows, classes, missing);
                let definition = Definition::new(&settings, &rows, classes, missing);
                let width = rows[0].0.len();
                let others = others.iter().map(|other| &other[..width]);
                for row in rows.iter().map(|(row, _)| &row[..]).chain(others) {
                    let (of_classes, free) = energies(&settings, &records, &Counts::All, row);
                    for (class, energy) in of_classes.into_iter().enumerate() {
                        let expected = definition.energy(row, class as u16);
                        prop_assert!(near(energy + free, expected), "{} {expected}", energy + free);
                    }
                }
            }
        }
    }

    #[test]
    fn with_all_orders_the_model_is_the_empirical_distribution((rows, classes) in drawn()) {
        let records = records(&rows, classes, Missing::Value);
        for transform in [Transform::Normalised, Transform::Moebius] {
            for record in &rows {
                let settings = settings(transform);
                let (of_classes, free) = energies(&settings, &records, &Counts::All, &record.0);
                let times = rows.iter().filter(|other| *other == record).count();
                let expected = ln(times as f64 / rows.len() as f64);
                prop_assert!(near(of_classes[record.1 as usize] + free, expected));
            }
        }
    }

    /// Lemma C1 on data: the scaled geometric mean of the marginals of order D.
    #[test]
    fn truncated_it_is_the_scaled_mean_of_marginals((rows, classes) in drawn(), max_order in 1usize..=6) {
        let records = records(&rows, classes, Missing::Value);
        let settings = Settings { max_order, ..settings(Transform::Normalised) };
        let definition = Definition::new(&settings, &rows, classes, Missing::Value);
        for (row, label) in &rows {
            let order = max_order.min(row.len() + 1);
            let (of_classes, free) = energies(&settings, &records, &Counts::All, row);
            let of_order = patterns(row, *label as u16, Missing::Value);
            let of_order = of_order.iter().filter(|pattern| pattern.iter().flatten().count() == order);
            let sum: f64 = of_order.map(|pattern| definition.logarithm(pattern).unwrap()).sum();
            let weight = Transform::Normalised.weights(row.len() + 1)[order];
            prop_assert!(near(of_classes[*label as usize] + free, weight * sum));
        }
    }

    #[test]
    fn a_table_that_holds_all_patterns_changes_nothing((rows, classes) in drawn(), max_order in 1usize..=6) {
        for missing in [Missing::Value, Missing::Skip] {
            let records = records(&rows, classes, missing);
            let settings = Settings { max_order, ..settings(Transform::Normalised) };
            let table = Counts::Table(Box::new(table(&records, max_order, 1 << 15, Rank::Contribution)));
            for (row, _) in &rows {
                let all = energies(&settings, &records, &Counts::All, row);
                prop_assert_eq!(energies(&settings, &records, &table, row), all);
            }
        }
    }

    /// Whatever it forgets, a table tells no untruth.
    #[test]
    fn a_small_table_is_right_or_says_that_it_does_not_know(
        (rows, classes) in drawn(),
        capacity in 1usize..200,
    ) {
        for rank in [Rank::Contribution, Rank::Magnitude, Rank::Signed] {
            let records = records(&rows, classes, Missing::Value);
            let table = table(&records, 4, capacity, rank);
            prop_assert!(table.held() <= capacity.next_multiple_of(8));
            let table = Counts::Table(Box::new(table));
            let (mut counts, mut truth) = (RecordCounts::default(), RecordCounts::default());
            let known: Vec<usize> = (0..rows[0].0.len()).collect();
            for (row, _) in &rows {
                table.of_record(&records, row, &known, &mut counts);
                Counts::All.of_record(&records, row, &known, &mut truth);
                let pairs = counts.of_class.iter().flatten().zip(truth.of_class.iter().flatten());
                for (found, truth) in pairs.chain(counts.free.iter().zip(&truth.free)) {
                    prop_assert!(found == truth || *found == UNKNOWN, "{found} {truth}");
                }
            }
        }
    }

    #[test]
    fn smoothed_the_full_model_is_the_smoothed_distribution(
        (rows, classes) in drawn(),
        smoothing in 0.1f64..5.0,
    ) {
        let records = records(&rows, classes, Missing::Value);
        let settings = Settings { smoothing, ..settings(Transform::Normalised) };
        let width = rows[0].0.len();
        let configurations = pow(4.0, width as f64) * classes as f64;
        let unseen = (vec![MISSING; width], 0);
        for record in rows.iter().chain([&unseen]) {
            let times = rows.iter().filter(|other| *other == record).count();
            let total = rows.len() as f64 + smoothing;
            let expected = ln((times as f64 + smoothing / configurations) / total);
            let (of_classes, free) = energies(&settings, &records, &Counts::All, &record.0);
            prop_assert!(near(of_classes[record.1 as usize] + free, expected));
        }
    }
}

/// Two attributes, two classes: "xor" with one record that breaks it.
fn xor() -> Vec<(Vec<u16>, u32)> {
    let record = |a: u16, b: u16, class: u32| (vec![a, b], class);
    vec![
        record(0, 0, 0),
        record(0, 1, 1),
        record(1, 0, 1),
        record(1, 1, 0),
        record(0, 0, 0),
        record(1, 1, 1),
    ]
}

#[test]
fn patterns_of_low_contribution_give_way_in_a_full_bucket() {
    let records = records(&xor(), 2, Missing::Value);
    // One bucket of eight places for six patterns of order 1, ten of order 2 and five of order 3.
    let table = table(&records, 3, 1, Rank::Contribution);
    assert_eq!(table.held(), 8);
    let packing = &table.packing;
    let single = |attribute, code| table.find(packing.field(attribute, code), 1);
    // ln 1/2 counts in full, more than any pair with weight 1/2.
    let found = [single(0, 0), single(0, 1), single(1, 0), single(1, 1)];
    assert!(found.iter().all(|slot| *slot == Slot::Held(3)), "{found:?}");
    // Orders that were lost may hold anything; lower ones are known.
    assert_eq!(single(0, 2), Slot::Never);
    assert_eq!(table.find(packing.field(0, 2) | packing.field(1, 2), 2), Slot::Unknown);
}

fn labelled(rows: &[(Vec<u16>, u32)], classes: usize) -> Labelled {
    let Records { rows, labels, .. } = records(rows, classes, Missing::Value);
    Labelled { examples: Examples::Categorical(rows), labels, classes, known_blocks: None }
}

fn fit(train: &Labelled, set: &[(&str, &str)]) -> Result<Box<dyn Classifier>, String> {
    let mut parameters = Parameters::defaults(GIBBS.parameters);
    for (name, text) in set {
        let parameter = GIBBS.parameters.iter().find(|parameter| parameter.name == *name).unwrap();
        parameters.set(name, parameter.parse(text).unwrap());
    }
    let [Fit::Categorical(fit)] = GIBBS.fits else { panic!("no fit") };
    let context = context(Digest::of(b"fit"), 0);
    fit(&parameters, train, &context, &mut None).map_err(|error| error.to_string())
}

#[test]
fn the_most_probable_combination_is_predicted() {
    let train = labelled(&xor(), 2);
    let context = context(Digest::of(b"predict"), 0);
    let predict = |set: &[(&str, &str)]| {
        fit(&train, set).unwrap().predict(&train.examples, &context).unwrap().classes
    };
    assert_eq!(predict(&[]), [0, 1, 1, 0, 0, 0]);
    assert_eq!(predict(&[("capacity", "1000")]), [0, 1, 1, 0, 0, 0]);
    // Pairs do not show an exclusive or, but the last record tips them.
    assert_eq!(predict(&[("max_order", "1")]), [0; 6], "equal classes: the first");
}

#[test]
fn joint_probabilities_sum_to_one() {
    let train = labelled(&xor(), 2);
    let context = context(Digest::of(b"joint"), 0);
    let all: Vec<(Vec<u16>, u32)> = [0, 1, 2, MISSING]
        .iter()
        .flat_map(|&a| [0, 1, 2, MISSING].map(|b| (a, b)))
        .flat_map(|(a, b)| [0, 1].map(|class| (vec![a, b], class)))
        .collect();
    let all = labelled(&all, 2);
    let sets: [&[(&str, &str)]; 4] = [
        &[("negative_potential", "-3")],
        &[("max_order", "2"), ("smoothing", "1")],
        &[("transform", "moebius"), ("max_order", "2")],
        &[("capacity", "8"), ("negative_order", "1")],
    ];
    for set in sets {
        let model = fit(&train, set).unwrap();
        let values = model.log_joints(&all, &context).unwrap().unwrap();
        let sum: f64 = values.iter().map(|value| exp(*value)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{set:?}: {sum}");
    }
    let skip = fit(&train, &[("missing", "skip")]).unwrap();
    assert_eq!(skip.log_joints(&all, &context), Ok(None));
    assert!(skip.log_joints(&train, &context).unwrap().is_some());
    let wide = labelled(&[(vec![0; 14], 0), (vec![1; 14], 1)], 2);
    let model = fit(&wide, &[]).unwrap();
    assert_eq!(model.log_joints(&wide, &context), Ok(None), "4^14 configurations");
}

#[test]
fn what_it_cannot_take_it_says() {
    let error = |train: &Labelled, set| fit(train, set).err().unwrap();
    let wide = labelled(&[(vec![0; 21], 0), (vec![1; 21], 1)], 2);
    assert_eq!(error(&wide, &[]), "21 attributes; all subsets of at most 20 can be summed over");
    let values = (0..300).map(|value| value.to_string()).collect();
    let many = Arc::new(vec![Attribute { values, missing: false }; 8]);
    let mut rows = CategoricalRows::new(many);
    rows.push(&[299; 8]);
    let train =
        Labelled { examples: Examples::Categorical(rows), labels: vec![1], ..labelled(&xor(), 2) };
    assert_eq!(
        error(&train, &[("capacity", "99")]),
        "a record takes 74 bits, and patterns of at most 64 can be kept in a table; `capacity = 0` counts \
         without one"
    );
    let binary = testing::rows_of(&["01", "10"]);
    let train = Labelled { examples: Examples::Binary(binary), labels: vec![0, 1], ..train };
    assert_eq!(
        error(&train, &[]),
        "it takes categorical attributes, and the dataset has 0/1 variables"
    );
}
