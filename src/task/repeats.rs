//! Rows that stand more than once in a file: by chance, where there are few values, or because they were copied before they were
//! divided.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::convert::Infallible;

use contract::table::Column;
use data::Dataset;
use math::spanning_tree::spanning;
use math::special::ln;

use crate::columns::column;

/// Fewer rows that stand more than once say nothing.
const LEAST: usize = 20;
/// Of larger tables, by rows times the square of columns, it is not asked.
const MOST: usize = 20_000_000;

/// How many times as many distinct rows stand more than once as chance gives at most; 0 where fewer than 20 do, and where it is
/// not asked. By chance the columns of the distinct rows are a tree, each dependent on another (Chow and Liu, 1968); its probability
/// of a row is counted with the row itself, and so too large.
pub(crate) fn excess(dataset: &Dataset) -> f64 {
    let columns = (0..dataset.examples.variables()).map_while(|at| column(dataset, at));
    let columns: Vec<Vec<u64>> = columns.map(codes).collect();
    let rows = dataset.examples.len();
    if columns.is_empty() || rows.saturating_mul(columns.len() * columns.len()) > MOST {
        return 0.0;
    }
    let row = |at: usize| columns.iter().map(move |column| column[at]);
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(|&a, &b| row(a).cmp(row(b)));
    let equal: Vec<&[usize]> = order.chunk_by(|&a, &b| row(a).eq(row(b))).collect();
    let repeated = equal.iter().filter(|rows| rows.len() > 1).count();
    if repeated < LEAST {
        return 0.0;
    }
    let distinct = |column: &Vec<u64>| equal.iter().map(|rows| column[rows[0]]).collect();
    repeated as f64 / expected(&columns.iter().map(distinct).collect::<Vec<Vec<u64>>>())
}

/// The values of a column by their ranks.
fn codes(column: Cow<'_, Column>) -> Vec<u64> {
    match &*column {
        Column::Names { codes, .. } => codes.iter().map(|&code| code.into()).collect(),
        Column::Numbers(values) => {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let rank = |value: &f64| sorted.partition_point(|other| other.total_cmp(value).is_lt());
            values.iter().map(|value| rank(value) as u64).collect()
        }
    }
}

/// How many of these rows are expected to have an equal one at most.
fn expected(columns: &[Vec<u64>]) -> f64 {
    let rows = columns[0].len() as f64;
    let alone: Vec<Vec<f64>> =
        columns.iter().map(|column| counts(column.iter().copied())).collect();
    let both =
        |a: usize, b: usize| counts(columns[a].iter().zip(&columns[b]).map(|(a, b)| a << 32 | b));
    // The mutual information.
    let weight = |a: usize, b: usize| {
        let both = both(a, b);
        let each = alone[a].iter().zip(&alone[b]).zip(&both);
        each.map(|((a, b), both)| ln(both * rows / (a * b))).sum::<f64>()
    };
    let Ok(parents) = spanning(columns.len(), weight, || Ok::<_, Infallible>(()));
    let mut equal = vec![rows; columns[0].len()];
    for (column, parent) in parents.into_iter().enumerate() {
        match parent {
            None => {
                equal.iter_mut().zip(&alone[column]).for_each(|(equal, own)| *equal *= own / rows)
            }
            Some(parent) => {
                let both = both(column, parent);
                let shares = both.iter().zip(&alone[parent]).map(|(both, parent)| both / parent);
                equal.iter_mut().zip(shares).for_each(|(equal, share)| *equal *= share);
            }
        }
    }
    equal.into_iter().map(|equal| equal.min(1.0)).sum()
}

/// Of each, how many are equal to it.
fn counts(keys: impl Iterator<Item = u64> + Clone) -> Vec<f64> {
    let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
    keys.clone().for_each(|key| *counts.entry(key).or_default() += 1.0);
    keys.map(|key| counts[&key]).collect()
}

#[cfg(test)]
mod tests {
    use base::digest::Digest;
    use contract::Examples;
    use contract::numeric::NumericRows;
    use math::random::Random;

    use super::*;

    /// Rows of so many coarse numbers, each dependent on the one before it, of which so many are copied.
    fn of(columns: usize, copied: usize) -> f64 {
        let mut random = Random::new(Digest::of(b"repeats"));
        let mut values = Vec::new();
        for _ in 0..800 {
            let mut before = 0.0;
            for _ in 0..columns {
                before = (0.5 * before + 4.0 * random.normal()).round();
                values.push(before);
            }
        }
        values.extend_from_within(..columns * copied);
        let rows = Examples::Numeric(NumericRows::new(columns, values));
        excess(&Dataset::new("d", Digest::of(b"d"), rows))
    }

    #[test]
    fn copies_of_coarse_numbers_are_more_than_chance_gives_and_equal_rows_of_few_values_are_not() {
        assert!(of(6, 100) > 3.0, "{}", of(6, 100));
        // Too few to say.
        assert_eq!(of(6, 10), 0.0);
        let chance = of(2, 0);
        assert!(chance > 0.1 && chance <= 1.0, "{chance}");
    }
}
