//! Mean and variance of test statistics under independence, given the margins of a table of counts: of N
//! examples with given values of one variable, those of the other are assigned in random order.

use math::mutual_information::EntropyTerms;

/// Relative weight of the states that no longer matter.
const NEGLIGIBLE: f64 = 1e-18;

/// Mean and variance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// Mean.
    pub mean: f64,
    /// Variance.
    pub variance: f64,
}

/// Moments of G = 2 Σ O ln(O / E) of a 2×2 table of `n` examples with `row` in its second row and
/// `column` in its second column. The count of both, k, is hypergeometric and decides the whole table;
/// its states are summed outwards from the most probable one until they have no weight: O(√n) states.
pub fn g_moments(terms: &EntropyTerms, n: u32, row: u32, column: u32) -> Moments {
    let f = |count: u32| terms.of(count);
    let rest = n - row;
    let least = column.saturating_sub(rest);
    let most = row.min(column);
    let margins = f(n) - f(row) - f(rest) - f(column) - f(n - column);
    let g = |k: u32| {
        let cells = (f(k) + f(row - k)) + (f(column - k) + f(rest - (column - k)));
        2.0 * (cells + margins)
    };
    let mode = (u64::from(row) + 1) * (u64::from(column) + 1) / (u64::from(n) + 2);
    let mode = (mode as u32).clamp(least, most);
    let (mut weights, mut sum, mut squares) = (0.0, 0.0, 0.0);
    let mut add = |k: u32, weight: f64| {
        let g = g(k);
        weights += weight;
        sum += weight * g;
        squares += weight * g * g;
    };
    add(mode, 1.0);
    let mut weight = 1.0;
    for k in mode..most {
        // p(k + 1) / p(k) of the hypergeometric distribution.
        weight *= f64::from(row - k) * f64::from(column - k)
            / (f64::from(k + 1) * f64::from(rest - (column - k) + 1));
        if weight < NEGLIGIBLE {
            break;
        }
        add(k + 1, weight);
    }
    let mut weight = 1.0;
    for k in (least..mode).rev() {
        weight *= f64::from(k + 1) * f64::from(rest - (column - k) + 1)
            / (f64::from(row - k) * f64::from(column - k));
        if weight < NEGLIGIBLE {
            break;
        }
        add(k, weight);
    }
    let mean = sum / weights;
    Moments { mean, variance: (squares / weights - mean * mean).max(0.0) }
}

/// Moments of Pearson's X² = Σ (O - E)² / E of a table with these margins, all of them positive, two rows
/// and two columns at least (J. B. S. Haldane, Biometrika 31, 1940, in the form of R. B. Dawson, Biometrika
/// 41, 1954). Below four examples the variance has no such form; there the table's assignments are listed.
pub fn pearson_moments(rows: &[u32], columns: &[u32]) -> Moments {
    let n: u32 = rows.iter().sum();
    if n < 4 {
        return listed_pearson_moments(rows, columns);
    }
    let n = f64::from(n);
    let part = |margins: &[u32]| {
        let count = margins.len() as f64;
        let inverses: f64 = margins.iter().map(|&margin| 1.0 / f64::from(margin)).sum();
        let v = (count - 1.0) * (n - count) / (n - 1.0);
        let w = (n * inverses - count * count) / (n - 2.0);
        (count - 1.0, v, w)
    };
    let ((r, v1, w1), (c, v2, w2)) = (part(rows), part(columns));
    let variance = 2.0 * n / (n - 3.0) * (v1 - w1) * (v2 - w2) + n * n / (n - 1.0) * w1 * w2;
    Moments { mean: n * r * c / (n - 1.0), variance: variance.max(0.0) }
}

/// The same for two or three examples, over all orders of the second variable's values.
fn listed_pearson_moments(rows: &[u32], columns: &[u32]) -> Moments {
    let values = |margins: &[u32]| -> Vec<usize> {
        let repeated = |(value, &count): (usize, &u32)| vec![value; count as usize];
        margins.iter().enumerate().flat_map(repeated).collect()
    };
    let (left, right) = (values(rows), values(columns));
    let orders: &[&[usize]] = match left.len() {
        2 => &[&[0, 1], &[1, 0]],
        _ => &[&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]],
    };
    let mut table = vec![0; rows.len() * columns.len()];
    let statistics = orders.iter().map(|order| {
        table.fill(0);
        order.iter().zip(&left).for_each(|(&at, &row)| table[row + rows.len() * right[at]] += 1);
        pearson(&table, rows, columns)
    });
    let statistics: Vec<f64> = statistics.collect();
    let count = statistics.len() as f64;
    let mean = statistics.iter().sum::<f64>() / count;
    let variance = statistics.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
    Moments { mean, variance }
}

/// Pearson's X² of a table with these margins, the rows fastest.
pub fn pearson(table: &[u32], rows: &[u32], columns: &[u32]) -> f64 {
    let n: f64 = rows.iter().map(|&row| f64::from(row)).sum();
    let mut sum = 0.0;
    for (cells, &column) in table.chunks_exact(rows.len()).zip(columns) {
        for (&cell, &row) in cells.iter().zip(rows) {
            sum += f64::from(cell) * f64::from(cell) / (f64::from(row) * f64::from(column));
        }
    }
    n * (sum - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every order of the second variable's values is equally likely.
    fn listed(rows: &[u32], columns: &[u32], statistic: &dyn Fn(&[u32]) -> f64) -> Moments {
        fn permutations(items: &mut Vec<usize>, at: usize, visit: &mut dyn FnMut(&[usize])) {
            if at == items.len() {
                return visit(items);
            }
            for other in at..items.len() {
                items.swap(at, other);
                permutations(items, at + 1, visit);
                items.swap(at, other);
            }
        }
        let values = |margins: &[u32]| -> Vec<usize> {
            (0..margins.len()).flat_map(|v| vec![v; margins[v] as usize]).collect()
        };
        let (left, mut right) = (values(rows), values(columns));
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        permutations(&mut right, 0, &mut |right| {
            let mut table = vec![0; rows.len() * columns.len()];
            left.iter().zip(right).for_each(|(a, b)| table[a + rows.len() * b] += 1);
            let value = statistic(&table);
            count += 1.0;
            sum += value;
            squares += value * value;
        });
        let mean = sum / count;
        Moments { mean, variance: squares / count - mean * mean }
    }

    fn assert_near(found: Moments, expected: Moments, what: &str) {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-10;
        let fine = near(found.mean, expected.mean) && near(found.variance, expected.variance);
        assert!(fine, "{what}: {found:?} instead of {expected:?}");
    }

    #[test]
    fn g_moments_are_those_of_all_permutations() {
        let terms = EntropyTerms::new(8);
        let g = |table: &[u32], rows: &[u32], columns: &[u32]| {
            let n = f64::from(rows[0] + rows[1]);
            let cell = |a: usize, b: usize| {
                let (o, e) = (f64::from(table[a + 2 * b]), f64::from(rows[a] * columns[b]) / n);
                if o > 0.0 { 2.0 * o * math::special::ln(o / e) } else { 0.0 }
            };
            cell(0, 0) + cell(0, 1) + cell(1, 0) + cell(1, 1)
        };
        for n in 2..=8 {
            for (row, column) in (1..n).flat_map(|row| (1..n).map(move |column| (row, column))) {
                let (rows, columns) = ([n - row, row], [n - column, column]);
                let expected = listed(&rows, &columns, &|table| g(table, &rows, &columns));
                assert_near(g_moments(&terms, n, row, column), expected, "G");
            }
        }
    }

    #[test]
    fn pearson_moments_are_those_of_all_permutations() {
        let margins: [&[u32]; 8] =
            [&[1, 1], &[1, 2], &[1, 1, 1], &[2, 2], &[1, 3, 2], &[3, 3], &[2, 2, 2, 1], &[1, 6]];
        for rows in margins {
            for columns in margins {
                if rows.iter().sum::<u32>() == columns.iter().sum::<u32>() {
                    let statistic = |table: &[u32]| pearson(table, rows, columns);
                    let expected = listed(rows, columns, &statistic);
                    assert_near(pearson_moments(rows, columns), expected, "X²");
                }
            }
        }
    }

    #[test]
    fn g_moments_agree_with_scipy() {
        // scipy 1.17.1: scipy.stats.hypergeom(n, row, column).pmf over all states, with G of each.
        let terms = EntropyTerms::new(100_000);
        for (n, row, column, mean, variance) in [
            (100_000, 30_000, 60_000, 1.0000198549787205, 2.0000794234214263),
            (500, 9, 13, 0.7852438784534252, 0.7596683149640545),
        ] {
            let found = g_moments(&terms, n, row, column);
            assert!((found.mean - mean).abs() < 1e-8, "{found:?}");
            assert!((found.variance - variance).abs() < 1e-8, "{found:?}");
        }
    }
}
