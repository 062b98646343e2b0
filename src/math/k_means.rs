//! Exact k-means clustering of real numbers.
//!
//! Optimal clusters are intervals of the sorted values. The least cost of i intervals is convex in i (the
//! cost of an interval satisfies the quadrangle inequality), so an optimal division into k intervals is
//! also one that minimises cost + ν × intervals for some price ν of an interval. For one price that takes
//! O(m log m) for m distinct values; prices are tried along the lower convex hull of cost over number of
//! intervals until k is on an edge of it, and if k lies inside an edge, the divisions at its ends are
//! spliced into one with k intervals (A. Aggarwal, B. Schieber and T. Tokuyama, "Finding a minimum-weight
//! k-link path in graphs with the concave Monge property and applications", Discrete & Computational
//! Geometry 12, 1994). A dozen prices are usual, whatever k: the dynamic programme of Wang and Song 2011
//! takes O(k m²).

/// A clustering of real numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustering {
    /// The cluster of each value, numbered from 0 by ascending values.
    pub of_value: Vec<u32>,
    /// Number of clusters: k, or the number of distinct values if that is less.
    pub clusters: usize,
    /// Sum of squared deviations from the clusters' means.
    pub cost: f64,
}

/// The best clustering of `values` into `k` clusters, exact up to rounding. Equal values share a cluster.
///
/// # Panics
/// If `k` is zero, or a value is not a number.
pub fn k_means(values: &[f64], k: usize) -> Clustering {
    assert!(k > 0, "at least one cluster");
    assert!(values.iter().all(|value| !value.is_nan()), "values are numbers");
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
    let line = Line::new(order.iter().map(|&at| values[at as usize]));
    let ends = line.divided(k);
    let mut of_value = vec![0; values.len()];
    let mut cluster = 0;
    for (&at, &distinct) in order.iter().zip(&line.distinct) {
        while distinct as usize >= ends[cluster] {
            cluster += 1;
        }
        of_value[at as usize] = cluster as u32;
    }
    Clustering { of_value, clusters: ends.len(), cost: line.cost_of(&ends) }
}

/// Distinct values in ascending order, by the sums over the first of them.
struct Line {
    /// For each sorted value, the index of the distinct one that it equals.
    distinct: Vec<u32>,
    /// Number, sum and sum of squares of the values up to each distinct one, less the mean of all.
    counts: Vec<f64>,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

/// Ends of the intervals (the index behind the last distinct value of each), ascending.
type Ends = Vec<usize>;

impl Line {
    fn new(sorted: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
        let mean = sorted.clone().sum::<f64>() / sorted.len().max(1) as f64;
        let (mut counts, mut sums, mut squares) = (vec![0.0], vec![0.0], vec![0.0]);
        let mut distinct = Vec::with_capacity(sorted.len());
        let mut last = None;
        for value in sorted {
            if last != Some(value) {
                counts.push(counts[counts.len() - 1]);
                sums.push(sums[sums.len() - 1]);
                squares.push(squares[squares.len() - 1]);
                last = Some(value);
            }
            let end = counts.len() - 1;
            let value = value - mean;
            counts[end] += 1.0;
            sums[end] += value;
            squares[end] += value * value;
            distinct.push(end as u32 - 1);
        }
        Self { distinct, counts, sums, squares }
    }

    /// Number of distinct values.
    fn len(&self) -> usize {
        self.counts.len() - 1
    }

    /// Sum of squared deviations from their mean of the values of `from..to`, a non-empty interval.
    #[inline]
    fn cost(&self, from: usize, to: usize) -> f64 {
        let count = self.counts[to] - self.counts[from];
        let sum = self.sums[to] - self.sums[from];
        let cost = self.squares[to] - self.squares[from] - sum * sum / count;
        if to - from == 1 || cost < 0.0 { 0.0 } else { cost }
    }

    fn cost_of(&self, ends: &Ends) -> f64 {
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts.zip(ends).map(|(from, &to)| self.cost(from, to)).sum()
    }

    /// The best division into `k` intervals; into single values if there are fewer.
    fn divided(&self, k: usize) -> Ends {
        let m = self.len();
        let mut fewer: Ends = vec![m];
        let mut more: Ends = (1..=m).collect();
        if k >= m || m == 0 {
            return more;
        }
        if k == 1 {
            return fewer;
        }
        let (mut fewer_cost, mut more_cost) = (self.cost_of(&fewer), 0.0);
        loop {
            let price = (fewer_cost - more_cost) / (more.len() - fewer.len()) as f64;
            let between = self.priced(price);
            if between.len() == k {
                return between;
            }
            if between.len() <= fewer.len() || between.len() >= more.len() {
                return splice(&fewer, &more, k);
            }
            let cost = self.cost_of(&between);
            if between.len() < k {
                (fewer, fewer_cost) = (between, cost);
            } else {
                (more, more_cost) = (between, cost);
            }
        }
    }

    /// The division that minimises cost + `price` × intervals.
    ///
    /// The best start of the last interval never moves back as its end moves on, so each start is the best
    /// for a range of ends, found by bisection.
    fn priced(&self, price: f64) -> Ends {
        let m = self.len();
        let mut least = vec![0.0; m + 1];
        let mut starts = vec![0u32; m + 1];
        // Starts with the first end for which each is the best; what lies before `front` is past.
        let mut best: Vec<(usize, usize)> = vec![(1, 0)];
        let mut front = 0;
        for end in 1..=m {
            while best.get(front + 1).is_some_and(|next| next.0 <= end) {
                front += 1;
            }
            let start = best[front].1;
            least[end] = least[start] + self.cost(start, end) + price;
            starts[end] = start as u32;
            if end == m {
                break;
            }
            let better = |start: usize, to: usize| {
                least[end] + self.cost(end, to) < least[start] + self.cost(start, to)
            };
            while best.len() > front + 1 && better(best[best.len() - 1].1, best[best.len() - 1].0) {
                best.pop();
            }
            let (from, start) = best[best.len() - 1];
            let (mut worse, mut reached) = (from.max(end + 1) - 1, m + 1);
            while reached - worse > 1 {
                let middle = usize::midpoint(worse, reached);
                if better(start, middle) {
                    reached = middle;
                } else {
                    worse = middle;
                }
            }
            if reached <= m {
                best.push((reached, end));
            }
        }
        let mut ends = vec![m];
        while starts[ends[ends.len() - 1]] > 0 {
            ends.push(starts[ends[ends.len() - 1]] as usize);
        }
        ends.reverse();
        ends
    }
}

/// Two divisions of the same least cost at some price, spliced into one with k intervals: the first
/// intervals of the finer one up to one that lies within an interval of the coarser, then the coarser.
fn splice(fewer: &Ends, more: &Ends, k: usize) -> Ends {
    let ahead = k - fewer.len();
    let within = (0..fewer.len()).find(|&at| more[at + ahead] <= fewer[at]);
    let at = within.unwrap_or(fewer.len() - 1);
    more[..at + ahead].iter().chain(&fewer[at..]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use base::digest::Digest;

    /// The least cost of k intervals, by trying all.
    fn least_cost(sorted: &[f64], k: usize) -> f64 {
        let cost = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()
        };
        if k == 1 {
            return cost(sorted);
        }
        let last = k - 1..sorted.len();
        let of = |at: usize| least_cost(&sorted[..at], k - 1) + cost(&sorted[at..]);
        last.map(of).fold(f64::INFINITY, f64::min)
    }

    fn check(values: &[f64], k: usize) -> Clustering {
        let found = k_means(values, k);
        let mut means = vec![(0.0, 0.0); found.clusters];
        for (value, &cluster) in values.iter().zip(&found.of_value) {
            means[cluster as usize].0 += value;
            means[cluster as usize].1 += 1.0;
        }
        let mean = |cluster: u32| means[cluster as usize].0 / means[cluster as usize].1;
        let cost = values.iter().zip(&found.of_value).map(|(value, &cluster)| {
            let deviation = value - mean(cluster);
            deviation * deviation
        });
        let cost: f64 = cost.sum();
        assert!((found.cost - cost).abs() < 1e-9 * (1.0 + cost), "{} is not {cost}", found.cost);
        found
    }

    #[test]
    fn clusterings_are_as_good_as_the_best_of_all() {
        let mut random = Random::new(Digest::of(b"k-means"));
        for round in 0..300 {
            let m = 1 + random.below(11);
            // Every third time with ties: whole numbers, of which many divisions cost the same.
            let draw = |random: &mut Random| match round % 3 {
                0 => random.below(6) as f64,
                _ => random.uniform() * random.uniform() - 0.3,
            };
            let values: Vec<f64> = (0..m).map(|_| draw(&mut random)).collect();
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            let distinct = sorted.len();
            sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            for k in 1..=m {
                let found = check(&values, k);
                assert_eq!(found.clusters, k.min(distinct));
                let expected = if k < distinct { least_cost(&sorted, k) } else { 0.0 };
                assert!((found.cost - expected).abs() < 1e-12, "{values:?} in {k}: {found:?}");
            }
        }
    }

    #[test]
    fn divisions_of_equal_cost_are_spliced() {
        // Equally spaced values: with 12 of them, 5 clusters lie inside an edge of the hull.
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        for k in 1..=12 {
            let found = check(&values, k);
            assert_eq!(found.clusters, k);
            // q or q + 1 values a cluster; r of them have a variance sum of r (r² - 1) / 12.
            let (q, larger) = ((12 / k) as f64, (12 % k) as f64);
            let of = |r: f64| r * (r * r - 1.0) / 12.0;
            let expected = larger * of(q + 1.0) + (k as f64 - larger) * of(q);
            assert!((found.cost - expected).abs() < 1e-12, "{k}: {} is not {expected}", found.cost);
        }
    }

    #[test]
    fn many_values_in_many_clusters() {
        let mut random = Random::new(Digest::of(b"many"));
        let normal = |random: &mut Random| (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        let values: Vec<f64> = (0..40_000).map(|_| normal(&mut random)).collect();
        let mut before = f64::INFINITY;
        for k in [1, 2, 5, 10, 20, 100, 500, 1000, 5000, 10_000, 50_000] {
            let found = check(&values, k);
            assert_eq!(found.clusters, k.min(40_000));
            assert!(found.cost < before);
            before = found.cost;
        }
    }

    /// Lemma 1 of the APT paper says that errors below (α - ω)/4 cannot change the best clusters, for a least
    /// distance α between clusters and a largest width ω. That is not so where sizes differ: twelve
    /// parameters at 0 and one at 1 (α = 1, ω = 0), with errors of 0.24 < 1/4.
    #[test]
    fn lemma_1_fails_for_clusters_of_different_sizes() {
        let exact: Vec<f64> = [[0.0; 12].as_slice(), &[1.0]].concat();
        assert_eq!(k_means(&exact, 2).of_value, [[0; 12].as_slice(), &[1]].concat());
        let estimated = [[-0.24; 6].as_slice(), &[0.24; 6], &[0.76]].concat();
        assert!(exact.iter().zip(&estimated).all(|(one, other)| (one - other).abs() < 0.25));
        let found = k_means(&estimated, 2);
        assert_eq!(found.of_value, [[0; 6].as_slice(), &[1; 7]].concat());
        // By hand: 12 × 0.24² for the true clusters; 6/7 × 0.52² for those found.
        assert!((found.cost - 6.0 / 7.0 * 0.52 * 0.52).abs() < 1e-12);
        assert!(found.cost < 12.0 * 0.24 * 0.24);
        // With clusters of one size the bound suffices here.
        let estimated = [[-0.24; 6].as_slice(), &[0.24; 6], &[0.76; 12]].concat();
        assert_eq!(k_means(&estimated, 2).of_value, [[0; 12], [1; 12]].concat());
    }

    #[test]
    fn nothing_is_in_no_cluster() {
        let nothing = Clustering { of_value: Vec::new(), clusters: 0, cost: 0.0 };
        assert_eq!(k_means(&[], 3), nothing);
    }
}
