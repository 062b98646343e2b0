use base::digest::Digest;
use contract::Examples;
use contract::table::Table;
use data::Targets;
use math::random::Random;
use math::special::exp;
use std::sync::Arc;

use super::*;
use math::sample::Sample;

const ROWS: usize = 400;

fn normal(random: &mut Random) -> Vec<f64> {
    (0..ROWS).map(|_| random.normal()).collect()
}

/// A column as a file has it.
fn written(values: impl IntoIterator<Item = f64>) -> Column {
    Column::Numbers(values.into_iter().map(|value| (1e4 * value).round() / 1e4).collect())
}

fn marks(columns: Vec<Column>, targets: Targets) -> Vec<Vec<Mark>> {
    let examples = Examples::Table(Table::new(columns));
    traces(&Dataset { targets, ..Dataset::new("d", Digest::of(b"d"), examples) })
}

fn standard(values: &[f64]) -> Vec<f64> {
    let sample: Sample = values.iter().copied().collect();
    values.iter().map(|value| (value - sample.mean) / sample.sd().unwrap()).collect()
}

#[test]
fn columns_that_all_rows_scaled_or_rotated_are_known() {
    let mut random = Random::new(Digest::of(b"scaled"));
    let raw: Vec<Vec<f64>> = (0..4).map(|_| normal(&mut random)).collect();
    let found = |columns: Vec<Column>| {
        let numbers = Targets::Numbers(raw[3].clone());
        marks(columns, numbers)
            .iter()
            .map(|marks| marks.contains(&Mark::Scaled))
            .collect::<Vec<bool>>()
    };
    let [one, two, three] = [0, 1, 2].map(|at| raw[at].clone());
    assert_eq!(found(vec![written(standard(&one)), written(two.clone())]), [true, false]);
    let range = |values: &[f64]| {
        let ends = values.iter().fold([f64::MAX, f64::MIN], |[a, b], v| [a.min(*v), b.max(*v)]);
        written(values.iter().map(|value| (value - ends[0]) / (ends[1] - ends[0])))
    };
    assert_eq!(found([&one, &two, &three].map(|of| range(of)).to_vec()), [true; 3]);
    assert_eq!(found(vec![range(&one), written(two.clone()), range(&three)]), [false; 3]);
    // Gram and Schmidt.
    let mut rotated: Vec<Vec<f64>> = Vec::new();
    for own in [&one, &two, &three] {
        let mut left: Vec<f64> = standard(own).iter().map(|value| 3.0 * value).collect();
        for before in &rotated {
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let share = product(&left, before) / product(before, before);
            left.iter_mut().zip(before).for_each(|(left, before)| *left -= share * before);
        }
        rotated.push(left);
    }
    assert_eq!(found(rotated.into_iter().map(written).collect()), [true; 3]);
}

#[test]
fn columns_that_were_selected_among_many_are_known_and_weak_ones_are_not() {
    let mut random = Random::new(Digest::of(b"selected"));
    let classes: Vec<u32> = (0..ROWS).map(|_| random.below(2) as u32).collect();
    let labels = || {
        let (of, of_example) = (["a", "b"].map(str::to_owned).to_vec(), classes.clone());
        Targets::Classes(data::Labels { classes: of, of_example })
    };
    let told = |column: &Vec<f64>| {
        let target: Vec<f64> = classes.iter().map(|class| f64::from(*class)).collect();
        Numbers::of(column).unwrap().correlation(&target).abs()
    };
    let mut noise: Vec<Vec<f64>> = (0..2000).map(|_| normal(&mut random)).collect();
    noise.sort_by(|a, b| told(b).total_cmp(&told(a)));
    let found = |columns: &[Vec<f64>]| -> Vec<bool> {
        let columns = columns.iter().map(|column| written(column.iter().copied())).collect();
        let marks = marks(columns, labels());
        marks.iter().map(|marks| marks.contains(&Mark::Selected)).collect()
    };
    let any = |columns: &[Vec<f64>]| found(columns).into_iter().all(|found| found);
    assert!(any(&noise[..15]));
    assert!(!any(&noise[500..515]));
    // A column that was there from the first, among them.
    let with_one = [&noise[..15], &noise[1500..1501]].concat();
    assert_eq!(found(&with_one), [&[true; 15][..], &[false]].concat());
    let weak = |random: &mut Random| {
        classes.iter().map(|class| 0.4 * f64::from(*class) + random.normal()).collect()
    };
    let weak: Vec<Vec<f64>> = (0..15).map(|_| weak(&mut random)).collect();
    assert!(!any(&weak));
}

#[test]
fn a_value_that_is_the_mean_of_all_others_was_filled_in() {
    let mut random = Random::new(Digest::of(b"averaged"));
    let values: Vec<f64> = (0..ROWS).map(|_| (10.0 * random.normal()).round() / 10.0).collect();
    let there: Vec<bool> = (0..ROWS).map(|_| random.below(5) > 0).collect();
    let of = |filled: f64| {
        let cells = values.iter().zip(&there);
        let cells = cells.map(|(value, there)| if *there { *value } else { filled });
        Numbers::of(&cells.collect::<Vec<f64>>()).unwrap().is_filled()
    };
    let known = values.iter().zip(&there).filter(|(_, there)| **there);
    let middle = mean(&known.map(|(value, _)| *value).collect::<Vec<f64>>());
    assert!(of(middle) && of((1e4 * middle).round() / 1e4));
    assert!(!of(-2.0) && !of(middle + 0.03));
}

#[test]
fn statistics_of_later_targets_are_known_and_those_of_earlier_ones_are_not() {
    let mut random = Random::new(Digest::of(b"computed"));
    let mut target = vec![0.0];
    (1..ROWS).for_each(|row| target.push(0.8 * target[row - 1] + random.normal()));
    let window = |from: isize, to: isize| {
        (0..ROWS as isize).map(move |row| (row + from, row + to)).map(|(from, to)| {
            let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
            let own = range.and_then(|(from, to)| target.get(from..=to));
            own.map_or(f64::NAN, mean)
        })
    };
    let names = |rows: &[usize]| Column::Names {
        names: Arc::new((0..40).map(|name| format!("{name:02}")).collect()),
        codes: rows.iter().map(|&row| row as u16).collect(),
    };
    let group: Vec<usize> = (0..ROWS).map(|_| random.below(40)).collect();
    let of_group = |row: usize, own: bool| {
        let rows = (0..ROWS).filter(|other| group[*other] == group[row] && (own || *other != row));
        mean(&rows.map(|row| target[row]).collect::<Vec<f64>>())
    };
    // The targets are written in fewer digits than those that were averaged.
    let columns = vec![
        written(window(-3, 0)),
        written(window(-2, 2)),
        written(window(1, 1)),
        written(window(-4, -1)),
        written((0..ROWS).map(|row| of_group(row, false))),
        written((0..ROWS).map(|row| of_group(row, true))),
        names(&group),
    ];
    let rounded = target.iter().map(|target| (1e2 * target).round() / 1e2).collect();
    let found = marks(columns, Targets::Numbers(rounded));
    let found: Vec<bool> = found.iter().map(|marks| marks.contains(&Mark::Computed)).collect();
    assert_eq!(found, [true, true, true, false, true, true, false]);
}

#[test]
fn values_between_those_before_and_after_are_interpolated_and_a_clock_is_not() {
    let mut random = Random::new(Digest::of(b"interpolated"));
    let ends = normal(&mut random);
    let between = |row: usize| {
        let share = (row % 6) as f64 / 6.0;
        (1.0 - share) * ends[row / 6] + share * ends[row / 6 + 1]
    };
    let is = |column: Column| {
        let values = column.numbers().unwrap();
        let order: Vec<usize> = (0..values.len()).collect();
        Numbers::of(values).unwrap().is_interpolated(&order)
    };
    assert!(is(written((0..ROWS).map(between))));
    assert!(!is(written((0..ROWS).map(|row| (row % 24) as f64))));
    assert!(!is(written(ends.iter().copied())));
}

#[test]
fn what_is_missing_by_class_and_names_of_persons_are_known() {
    let mut random = Random::new(Digest::of(b"missing"));
    let persons: Vec<(u16, u32)> = (0..ROWS as u16)
        .map(|_| random.below(60) as u16)
        .map(|person| (person, u32::from(person % 2)))
        .collect();
    let classes: Vec<u32> = persons.iter().map(|(_, class)| *class).collect();
    let names = |codes: Vec<u16>| Column::Names {
        names: Arc::new((0..60).map(|name| format!("{name:02}")).collect()),
        codes,
    };
    let mut value = |often: [usize; 2]| {
        let cell = classes.iter().map(|class| {
            if random.below(10) < often[*class as usize] { f64::NAN } else { random.normal() }
        });
        Column::Numbers(cell.collect())
    };
    let missing = [value([0, 10]), value([4, 6])];
    let others = (0..ROWS).map(|_| random.below(60) as u16).collect();
    let persons = persons.iter().map(|(person, _)| *person).collect();
    let columns = missing.into_iter().chain([names(persons), names(others)]).collect();
    let labels = data::Labels {
        classes: ["a", "b"].map(str::to_owned).to_vec(),
        of_example: classes.clone(),
    };
    let found = marks(columns, Targets::Classes(labels));
    assert_eq!(found, [&[Mark::Missing][..], &[], &[Mark::Groups], &[]]);
}

/// Of a rare class a correlation is small, however much it tells.
#[test]
fn a_value_that_a_rare_class_has_and_others_lack_is_missing_by_the_class() {
    let rare = |row: usize| row.is_multiple_of(8);
    let missing = |often: [usize; 2]| {
        let is = |row: usize| f64::from(row / 8 % 10 < often[usize::from(rare(row))]);
        (0..800).map(is).collect::<Vec<f64>>()
    };
    let target = vec![(0..800).map(|row| f64::from(rare(row))).collect()];
    assert!(is_missing(&missing([8, 1]), &target, true));
    assert!(!is_missing(&missing([8, 1]), &target, false));
    assert!(!is_missing(&missing([8, 4]), &target, true));
}

/// A yield is a weight by an area; a price that goes with both is not made of them.
#[test]
fn factors_of_the_target_are_known() {
    let mut random = Random::new(Digest::of(b"factors"));
    let mut sizes = |spread: f64| -> Vec<f64> {
        (0..ROWS).map(|_| (100.0 * exp(spread * random.normal())).round()).collect()
    };
    let [area, weight, other] = [sizes(0.5), sizes(0.6), sizes(0.5)];
    let factors = |noise: f64| {
        let mut random = Random::new(Digest::of(b"noise"));
        let of = area.iter().zip(&weight).map(|(area, weight)| weight / area);
        let target = of.map(|of| of * exp(noise * random.normal())).collect();
        let columns = [&area, &other, &weight].map(|values| written(values.clone())).to_vec();
        marks(columns, Targets::Numbers(target))
    };
    let both = [&[Mark::Multiplied][..], &[], &[Mark::Multiplied]];
    assert_eq!(factors(0.02), both);
    assert_eq!(factors(0.2), [&[][..]; 3]);
}
