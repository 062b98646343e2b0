//! Maximum spanning trees of complete graphs.

/// The parents of the maximum spanning tree of a symmetric weight, rooted at node 0 (Prim). Of equal edges the one with
/// the lower pair of indices goes first. O(n²). `check` is asked before each node joins.
///
/// # Errors
/// Those of `check`.
pub fn spanning<E>(
    n: usize,
    weight: impl Fn(usize, usize) -> f64,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<Vec<Option<usize>>, E> {
    let mut parents = vec![None; n];
    // For each node outside the tree, its best edge into the tree.
    let mut best: Vec<(f64, usize)> = vec![(f64::NEG_INFINITY, 0); n];
    let mut outside: Vec<usize> = (1..n).collect();
    let mut newest = 0;
    while !outside.is_empty() {
        check()?;
        for &v in &outside {
            let value = weight(newest, v);
            if precedes((value, newest), best[v], v) {
                best[v] = (value, newest);
            }
        }
        let mut next = 0;
        for candidate in 1..outside.len() {
            let (left, right) = (outside[candidate], outside[next]);
            let (a, b) = (best[left], best[right]);
            let earlier = pair(a.1, left) < pair(b.1, right);
            if a.0 > b.0 || (a.0 == b.0 && earlier) {
                next = candidate;
            }
        }
        newest = outside.swap_remove(next);
        parents[newest] = Some(best[newest].1);
    }
    Ok(parents)
}

/// Whether edge `left` into `variable` goes before edge `right`: more information, then the lower
/// pair of indices.
fn precedes(left: (f64, usize), right: (f64, usize), variable: usize) -> bool {
    left.0 > right.0 || (left.0 == right.0 && pair(left.1, variable) < pair(right.1, variable))
}

fn pair(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// All trees of five nodes: sequences of Prüfer.
    #[test]
    fn no_tree_is_heavier() {
        let weight = |a: usize, b: usize| ((a * b * 7 + (a + b) * 5) % 11) as f64;
        let parents = spanning(5, weight, || Ok::<_, Infallible>(())).unwrap();
        let edges = parents.iter().enumerate().filter_map(|(v, parent)| Some((v, (*parent)?)));
        let found: f64 = edges.map(|(v, parent)| weight(v, parent)).sum();
        let mut heaviest = f64::NEG_INFINITY;
        for code in 0..125 {
            let code = [code % 5, code / 5 % 5, code / 25];
            let mut degree = [1; 5];
            code.iter().for_each(|&v| degree[v] += 1);
            let mut total = 0.0;
            for v in code {
                let leaf = (0..5).find(|&leaf| degree[leaf] == 1).unwrap();
                total += weight(leaf, v);
                degree[leaf] -= 1;
                degree[v] -= 1;
            }
            let last: Vec<usize> = (0..5).filter(|&v| degree[v] == 1).collect();
            heaviest = f64::max(heaviest, total + weight(last[0], last[1]));
        }
        assert_eq!((found, parents[0]), (heaviest, None));
    }
}
