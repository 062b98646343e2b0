//! What training examples give away of test examples: equal ones, near ones, and others of their groups.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use base::digest::{Digest, FieldHasher};
use contract::{Examples, Work, metrics};
use data::marks::Marks;
use math::random::Random;

use crate::agreement::{Agreement, agreement};
use crate::columns::Columns;
use crate::labels::Labels;
use crate::measured::Measured;
use crate::neighbours::neighbours;
use crate::picture::Picture;
use crate::whole::Whole;
use crate::{Ask, alone};

static EQUAL: Work = Work("comparisons of test examples with training examples");
static FROM_THE_FILE: Work =
    Work("what the file gives away: groups, copies, and what each column alone tells");
static TOGETHER: Work = Work("which test examples go together");
static DIVIDED_ANEW: Work = Work("random divisions of the same examples");

/// How often the examples are divided at random, and how often where none of these divisions counts as many.
const DIVISIONS: [usize; 2] = [9999, 99_999];

metrics! {
    in pub(crate) OVERLAPS;
    pub COPIES: Examples = "copies", "Copies",
        "share of the test examples that equal a training example in all variables; measured where an experiment names it".lower().of_test().within(0.0, 1.0).asked(&EQUAL);
    pub COPIES_ALIKE: Examples = "copies_alike", "Copies with the label",
        "share of the test examples that equal a training example in all variables and have its class or target; measured where an experiment names it".lower().of_test().within(0.0, 1.0).asked(&EQUAL);
    pub COPIES_OF_NUMBERS: Examples = "copies_of_numbers", "Copies of numbers",
        "share of the test examples that equal a training example, have its class or target, and two numbers that no other row has: copies that are no chance; measured where an experiment names it".lower().of_test().within(0.0, 1.0).asked(&EQUAL);
    pub AGREEMENT: Examples = "agreement_drop", "Drop of agreement",
        "how much more labels differ among the next training examples than distances explain from how much they differ among the nearest few, two standard errors taken off: a share of labels, or of the standard deviation of targets; 0 where the dataset names groups; of numbers, of at most 20,000 examples; measured where an experiment names it".lower().of_test().asked(&FROM_THE_FILE);
    pub AGREEING: Examples = "agreeing", "Agreeing",
        "among how many of the nearest training examples, of up to twelve, labels agree more than among the next; measured where an experiment names it".of_test().asked(&FROM_THE_FILE);
    pub CLOSE: Examples = "close", "Close",
        "share of the test examples whose nearest training examples, of up to twelve, are ten times nearer than the next, or four times where rows fill more than a surface; 0 where the dataset names groups; of numbers, of at most 20,000 examples; measured where an experiment names it".lower().of_test().within(0.0, 1.0).asked(&FROM_THE_FILE);
    pub BETWEEN: Examples = "between", "Between",
        "share of the test examples that lie on the line between two of their nearest training examples; 0 where the dataset names groups, has fewer than five columns of numbers, or these fill a curve or a surface; of at most 20,000 examples; measured where an experiment names it".lower().of_test().within(0.0, 1.0).asked(&FROM_THE_FILE);
    pub REPEATS: Examples = "repeats", "Repeated rows",
        "how many times as many distinct rows stand more than once in the dataset as chance gives at most, where each column depends on another; 0 where fewer than 20 do; measured where an experiment names it".lower().asked(&FROM_THE_FILE);
    pub IN_FILE: Examples = "in_file", "In the file",
        "by how much less labels differ between rows that follow each other in the file, or between a row and the one whose columns are most alike, than where that one stands far off in the file, as a part of how much any two do, two standard errors taken off; 0 where the dataset names groups or times; of at most 20,000 examples; measured where an experiment names it".lower().asked(&FROM_THE_FILE);
    pub EARLIER: Examples = "earlier", "Earlier",
        "share of the test examples that are earlier than a training example; 0 where the dataset names no time; measured where an experiment names it".lower().of_test().within(0.0, 1.0).asked(&EQUAL);
    pub GROUPS: Examples = "groups", "Groups",
        "number of groups that the training and test examples are of, 0 where the dataset names none; measured where an experiment names it".asked(&EQUAL);
    pub SHARED_GROUPS: Examples = "shared_groups", "Shared groups",
        "share of the test examples whose group has training examples; measured where an experiment names it".lower().of_test().within(0.0, 1.0).asked(&EQUAL);
    pub CLUSTERS: Examples = "test_clusters", "Test clusters",
        "number of groups that the test examples are of, or of examples where the dataset names no groups; tests by example of what goes together have it measured".asked(&TOGETHER);
    pub COPIES_BY_CHANCE: Examples = "copies_by_chance", "Copies by chance",
        "share of 9,999 random divisions of the same examples, or of 99,999 where none of these has as many, and of this one, in which at least as many test examples equal a training example: a p-value; measured where an experiment names it".higher().of_test().within(0.0, 1.0).asked(&DIVIDED_ANEW);
    pub NEAR_COPIES: Examples = "near_copies", "Near copies",
        "share of the test examples that are nearer to a training example, without being equal to it, than a tenth of all examples are to their nearest other; of at most 4,000 examples; measured where an experiment names it".lower().of_test().within(0.0, 1.0).asked(&DIVIDED_ANEW);
    pub NEAR_BY_CHANCE: Examples = "near_by_chance", "Near copies by chance",
        "share of 9,999 random divisions of the same examples, or of 99,999 where none of these has as many, and of this one, in which at least as many test examples are near a training example: a p-value; measured where an experiment names it".higher().of_test().within(0.0, 1.0).asked(&DIVIDED_ANEW);
}

/// What is known of the overlap of training and test examples; found once for all methods.
#[derive(Debug, Clone, Default)]
pub struct Overlap {
    /// How many groups there are, and the share of the test examples whose group has training examples.
    groups: (usize, f64),
    /// The share of the test examples that are earlier than a training example.
    earlier: f64,
    /// The group of each test example, or where there are none the example.
    clusters: Vec<u32>,
    /// Which examples train, validate and test.
    rows: [Vec<usize>; 3],
    /// What they are of, whose columns are looked at one by one.
    pub(crate) dataset: Option<Arc<Whole>>,
    equal: OnceLock<[f64; 3]>,
    by_chance: OnceLock<ByChance>,
    agreement: OnceLock<Agreement>,
    columns: OnceLock<Option<Columns>>,
}

/// What random divisions say.
#[derive(Debug, Clone, Copy)]
struct ByChance {
    copies: f64,
    near: f64,
    near_by_chance: f64,
}

impl Overlap {
    /// Of these examples that train, validate and test, where all examples have these marks.
    pub fn new(marks: &Marks, rows: [Vec<usize>; 3]) -> Self {
        let [train, _, test] = &rows;
        let groups = marks.groups.as_deref();
        let of = |examples: &[usize]| -> Vec<u32> {
            examples.iter().filter_map(|&example| Some(groups?[example])).collect()
        };
        let cluster = |&example: &usize| groups.map_or(example as u32, |of| of[example]);
        let clusters = test.iter().map(cluster).collect();
        let (train, test) = (of(train), of(test));
        let known: BTreeSet<u32> = train.iter().copied().collect();
        let shared = test.iter().filter(|group| known.contains(group)).count();
        let all: BTreeSet<u32> = train.into_iter().chain(test.iter().copied()).collect();
        let share = |count: usize| count as f64 / rows[2].len().max(1) as f64;
        let time = |example: &usize| marks.times.as_ref().map(|times| times[*example]);
        let last = rows[0].iter().filter_map(time).max();
        let earlier = share(rows[2].iter().filter(|example| time(example) < last).count());
        Self { groups: (all.len(), share(shared)), earlier, clusters, rows, ..Self::default() }
    }

    /// The places of the test examples among those of the dataset.
    pub(crate) fn tested(&self) -> &[usize] {
        &self.rows[2]
    }

    /// The examples that train, validate and test with the columns that their dataset has, before anything is made of them,
    /// and the names of these; none where they are 0/1 variables.
    pub(crate) fn tables(&self) -> Option<(Option<Vec<String>>, [Examples; 3])> {
        let dataset = self.dataset.as_ref()?;
        let table = dataset.examples.table()?;
        let tables = self.rows.each_ref().map(|rows| Examples::Table(table.select(rows)));
        Some((dataset.columns.clone(), tables))
    }

    /// Adds what is asked for of these examples.
    pub(crate) fn measured(
        &self,
        measured: &mut Measured,
        ask: &Ask,
        (train, test): (&Examples, &Examples),
        labels: &Labels<'_>,
    ) {
        if ask.names(&COPIES) {
            let [copies, alike, sure] =
                *self.equal.get_or_init(|| equal((train, test), &labels.keys()));
            let (groups, shared) = self.groups;
            for (metric, value) in [
                (&COPIES, copies),
                (&COPIES_ALIKE, alike),
                (&COPIES_OF_NUMBERS, sure),
                (&GROUPS, groups as f64),
                (&SHARED_GROUPS, shared),
                (&EARLIER, self.earlier),
            ] {
                measured.scalar(metric, value);
            }
        }
        if ask.names(&CLUSTERS) {
            let distinct: BTreeSet<&u32> = self.clusters.iter().collect();
            measured.scalar(&CLUSTERS, distinct.len() as f64);
            let of_each = self.clusters.iter().map(|&cluster| cluster.into()).collect();
            measured.examples.insert(&CLUSTERS, of_each);
        }
        if ask.names(&AGREEMENT) {
            let undeclared = self.groups.0 == 0;
            let found = || match undeclared {
                true => agreement((train, test), labels),
                false => Agreement::default(),
            };
            let Agreement { drop, few, close, between } = *self.agreement.get_or_init(found);
            measured.scalar(&AGREEMENT, drop);
            measured.scalar(&AGREEING, few as f64);
            measured.scalar(&CLOSE, close);
            measured.scalar(&BETWEEN, between);
            let whole = self.dataset.as_ref();
            measured.scalar(&REPEATS, whole.map_or(0.0, |whole| whole.repeats()));
            measured.scalar(&IN_FILE, whole.map_or(0.0, |whole| whole.in_file()));
            let columns = self.columns.get_or_init(|| {
                let [train, _, test] = &self.rows;
                Some(alone::columns(self.dataset.as_ref()?, (train, test), labels))
            });
            measured.picture = columns.clone().filter(|_| ask.picture).map(Picture::Columns);
        }
        if ask.names(&NEAR_COPIES) {
            let found = self.by_chance.get_or_init(|| by_chance(train, test));
            measured.scalar(&COPIES_BY_CHANCE, found.copies);
            measured.scalar(&NEAR_COPIES, found.near);
            measured.scalar(&NEAR_BY_CHANCE, found.near_by_chance);
        }
    }
}

/// The share of the test examples that equal a training example, that of those with its label, and that of those with its
/// label that are no chance: two of their numbers no other row has.
fn equal((train, test): (&Examples, &Examples), labels: &[u64]) -> [f64; 3] {
    let (of_train, of_test) = labels.split_at(train.len());
    let mut known: BTreeMap<Digest, BTreeSet<u64>> = BTreeMap::new();
    for (row, &label) in digests(train).into_iter().zip(of_train) {
        known.entry(row).or_default().insert(label);
    }
    let (mut copies, mut alike) = (0, Vec::new());
    for (at, (row, label)) in digests(test).iter().zip(of_test).enumerate() {
        if let Some(labels) = known.get(row) {
            copies += 1;
            alike.extend(labels.contains(label).then_some(at));
        }
    }
    let share = |count: usize| count as f64 / of_test.len() as f64;
    let sure = of_numbers(train, test, &alike);
    [copies, alike.len(), sure].map(share)
}

/// How many of these test examples, which equal training examples, have two numbers that no other row has.
fn of_numbers(train: &Examples, test: &Examples, copies: &[usize]) -> usize {
    let (Examples::Numeric(train), Examples::Numeric(test)) = (train, test) else { return 0 };
    if copies.is_empty() {
        return 0;
    }
    let mut distinct: Vec<&[f64]> = train.iter().chain(test.iter()).collect();
    let order = |a: &&[f64], b: &&[f64]| a.partial_cmp(b).unwrap_or(Ordering::Equal);
    distinct.sort_by(order);
    distinct.dedup();
    let mut own = vec![0; copies.len()];
    for column in 0..train.columns() {
        let mut values: Vec<f64> = distinct.iter().map(|row| row[column]).collect();
        values.sort_by(f64::total_cmp);
        for (own, &copy) in own.iter_mut().zip(copies) {
            let value = test.row(copy)[column];
            let below = values.partition_point(|other| *other < value);
            *own += usize::from(values.get(below + 1).is_none_or(|next| *next > value));
        }
    }
    own.into_iter().filter(|own| *own >= 2).count()
}

fn by_chance(train: &Examples, test: &Examples) -> ByChance {
    let rows = [digests(train), digests(test)].concat();
    let mut equal: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
    rows.iter().enumerate().for_each(|(row, of)| equal.entry(*of).or_default().push(row));
    let equal: Vec<Vec<usize>> = equal.into_values().filter(|rows| rows.len() > 1).collect();
    // Of equal rows all that test are copies, where some train.
    let copies = |tests: &[bool]| {
        let of = |rows: &Vec<usize>| {
            let testing = rows.iter().filter(|&&row| tests[row]).count();
            if testing < rows.len() { testing } else { 0 }
        };
        equal.iter().map(of).sum()
    };
    let (_, copies) = among_divisions((train.len(), test.len()), copies);
    let near = neighbours(train, test);
    let close = |tests: &[bool]| {
        let trained = |row: &usize| !tests[*row];
        let found = near.of.iter().enumerate();
        found.filter(|(row, others)| tests[*row] && others.iter().any(trained)).count()
    };
    let (found, near_by_chance) = among_divisions((near.train, near.test), close);
    ByChance { copies, near: found as f64 / near.test.max(1) as f64, near_by_chance }
}

/// How many are counted where the last examples test, and the share of random divisions of the same sizes, and of this
/// one, that count at least as many: exact where chance divided.
fn among_divisions(
    (train, test): (usize, usize),
    count: impl Fn(&[bool]) -> usize,
) -> (usize, f64) {
    let examples = train + test;
    let given: Vec<bool> = (0..examples).map(|example| example >= train).collect();
    let observed = count(&given);
    if observed == 0 {
        return (0, 1.0);
    }
    let mut random = Random::new(Digest::of(b"random divisions"));
    let mut order: Vec<usize> = (0..examples).collect();
    // The smaller side is drawn.
    let (drawn, tests) = if test <= train { (test, true) } else { (train, false) };
    let mut division = vec![!tests; examples];
    let [few, many] = DIVISIONS;
    let (mut as_many, mut divisions) = (1, 1);
    while divisions <= few || (as_many == 1 && divisions <= many) {
        divisions += 1;
        for place in 0..drawn {
            order.swap(place, place + random.below(examples - place));
            division[order[place]] = tests;
        }
        as_many += usize::from(count(&division) >= observed);
        order[..drawn].iter().for_each(|&example| division[example] = !tests);
    }
    (observed, as_many as f64 / divisions as f64)
}

/// A digest of the values of each row.
fn digests(examples: &Examples) -> Vec<Digest> {
    fn of<T>(values: &[T], bytes: impl Fn(&T) -> u64) -> Digest {
        let row = FieldHasher::new("row");
        let bytes = values.iter().flat_map(|value| bytes(value).to_le_bytes());
        row.field(bytes.collect::<Vec<u8>>()).finish()
    }
    match examples {
        Examples::Binary(rows) => rows.iter().map(|row| of(row, |&one| one.into())).collect(),
        Examples::Packed(rows) => rows.iter().map(|row| of(row, |&word| word)).collect(),
        Examples::Categorical(rows) => {
            rows.iter().map(|row| of(row, |&code| code.into())).collect()
        }
        // Zero has no sign.
        Examples::Numeric(rows) => {
            rows.iter().map(|row| of(row, |v| (v + 0.0).to_bits())).collect()
        }
        // Preprocessing leaves none.
        Examples::Table(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::numeric::NumericRows;
    use testing::rows_of;

    fn numbers(rows: &[[f64; 2]]) -> Examples {
        Examples::Numeric(NumericRows::new(2, rows.concat()))
    }

    fn drawn(random: &mut Random, count: usize) -> Vec<[f64; 2]> {
        (0..count).map(|_| [random.normal(), random.normal()]).collect()
    }

    #[test]
    fn copies_are_counted_with_and_without_their_label() {
        let train = numbers(&[[0.0, 1.0], [2.0, 3.0], [2.0, 3.0]]);
        let test = numbers(&[[-0.0, 1.0], [2.0, 3.0], [5.0, 5.0], [2.0, 3.0]]);
        assert_eq!(equal((&train, &test), &[0, 0, 1, 1, 1, 0, 2]), [0.75, 0.25, 0.25]);
        // Two numbers that no other row has, once the copies of a row are one.
        let test = numbers(&[[0.0, 1.0], [2.0, 7.0]]);
        assert_eq!(equal((&train, &test), &[0, 0, 1, 0, 1]), [0.5, 0.5, 0.5]);
        let train = numbers(&[[0.0, 1.0], [2.0, 1.0], [2.0, 3.0]]);
        assert_eq!(equal((&train, &test), &[0, 0, 1, 0, 1]), [0.5, 0.5, 0.0]);
        let bits = |rows: &[&str]| Examples::Binary(rows_of(rows));
        let (train, test) = (bits(&["011", "110"]), bits(&["110", "000"]));
        assert_eq!(equal((&train, &test), &[0, 1, 1, 0]), [0.5, 0.5, 0.0]);
    }

    #[test]
    fn groups_are_shared_where_they_train_too() {
        let of = |marks: &[u32]| Some(marks.to_vec());
        let marks = Marks { groups: of(&[0, 1, 1, 2, 3]), times: of(&[3, 1, 1, 2, 3]) };
        let overlap = Overlap::new(&marks, [vec![0, 1], vec![], vec![2, 3, 4]]);
        assert_eq!((overlap.groups, overlap.earlier), ((4, 1.0 / 3.0), 2.0 / 3.0));
        let overlap = Overlap::new(&Marks::default(), [vec![0, 1], vec![], vec![2]]);
        assert_eq!((overlap.groups, overlap.earlier), ((0, 0.0), 0.0));
    }

    /// All divisions of few examples, counted out.
    #[test]
    fn the_share_of_divisions_is_that_of_all_of_them() {
        // Rows 0 and 5 are equal, and 1 and 4; the last two test.
        let pairs = [(0, 5), (1, 4)];
        let count = |tests: &[bool]| pairs.iter().filter(|(a, b)| tests[*a] != tests[*b]).count();
        let all: Vec<Vec<bool>> = (0u32..64)
            .filter(|set| set.count_ones() == 2)
            .map(|set| (0..6).map(|row| set >> row & 1 == 1).collect())
            .collect();
        assert_eq!(all.len(), 15);
        let as_many = all.iter().filter(|tests| count(tests) >= 2).count() as f64 / 15.0;
        let (observed, share) = among_divisions((4, 2), count);
        assert_eq!(observed, 2);
        assert!((share - as_many).abs() < 0.02, "{share} {as_many}");
        // The smaller side may be the one that trains.
        let (_, share) = among_divisions((2, 4), count);
        let as_many = all.iter().filter(|train| {
            let tests: Vec<bool> = train.iter().map(|train| !train).collect();
            count(&tests) >= observed
        });
        assert!((share - as_many.count() as f64 / 15.0).abs() < 0.02, "{share}");
    }

    #[test]
    fn planted_copies_are_found_near_and_far() {
        let mut random = Random::new(Digest::of(b"planted"));
        let (train, mut test) = (drawn(&mut random, 150), drawn(&mut random, 50));
        test[..10].copy_from_slice(&train[..10]);
        let found = by_chance(&numbers(&train), &numbers(&test));
        assert!(found.copies < 0.001, "{found:?}");
        for (copy, row) in test.iter_mut().zip(&train).take(10) {
            *copy = [row[0] + 1e-6, row[1]];
        }
        let found = by_chance(&numbers(&train), &numbers(&test));
        assert!(found.copies == 1.0 && found.near_by_chance < 0.001, "{found:?}");
        assert!(found.near >= 0.2, "{found:?}");
    }

    /// Of 200 tables of independent rows, divided by chance, one in ten has a p-value up to one in ten: continuous ones,
    /// and ones of few values, whose p-values are never too small.
    #[test]
    fn independent_rows_are_found_as_often_as_the_level_says() {
        let mut random = Random::new(Digest::of(b"independent"));
        let (mut near, mut copies) = (0, 0);
        for _ in 0..200 {
            let (train, test) = (drawn(&mut random, 60), drawn(&mut random, 30));
            let found = by_chance(&numbers(&train), &numbers(&test));
            near += usize::from(found.near_by_chance <= 0.1);
            let few = |rows: Vec<[f64; 2]>| -> Vec<[f64; 2]> {
                rows.into_iter().map(|row| row.map(|value| (2.0 * value).round())).collect()
            };
            let found = by_chance(&numbers(&few(train)), &numbers(&few(test)));
            copies += usize::from(found.copies <= 0.1);
        }
        // 20 are expected; the standard deviation is 4.2. Ties make both a little fewer.
        assert!((6..=33).contains(&near), "{near}");
        assert!((6..=33).contains(&copies), "{copies}");
    }
}
