//! The k nearest of the rows seen so far.

/// The k rows of smallest distance among those offered, nearest first; of equal distances the row that
/// was offered first. It allocates nothing after it was made.
#[derive(Debug, Clone)]
pub(super) struct Nearest {
    k: usize,
    /// Distance and row.
    found: Vec<(u64, u32)>,
    /// Whether a row that was left out is as near as the k-th.
    pub(super) tied: bool,
}

impl Nearest {
    pub(super) fn new(k: usize) -> Self {
        Self { k, found: Vec::with_capacity(k), tied: false }
    }

    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.tied = false;
    }

    /// Rows at this distance or farther change nothing.
    #[inline]
    pub(super) fn limit(&self) -> u64 {
        match self.found.last() {
            // One more tie tells nothing new.
            Some(&(farthest, _)) if self.found.len() == self.k => farthest + u64::from(!self.tied),
            _ => u64::MAX,
        }
    }

    /// Takes a row into account; rows are offered in ascending order.
    pub(super) fn offer(&mut self, distance: u64, row: u32) {
        if distance >= self.limit() {
            return;
        }
        if self.found.len() == self.k {
            let farthest = self.found[self.k - 1].0;
            if distance == farthest {
                self.tied = true;
                return;
            }
            self.found.pop();
            self.insert(distance, row);
            // The row that has just been dropped.
            self.tied = self.found[self.k - 1].0 == farthest;
        } else {
            self.insert(distance, row);
        }
    }

    fn insert(&mut self, distance: u64, row: u32) {
        let position = self.found.partition_point(|&(other, _)| other <= distance);
        self.found.insert(position, (distance, row));
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        self.found.iter().map(|&(_, row)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use math::random::Random;

    #[test]
    fn the_nearest_are_those_of_a_stable_sort() {
        let mut random = Random::new(Digest::of(b"nearest"));
        for case in 0..500 {
            let (k, rows, spread) = (1 + case % 6, 6 + case % 30, 2 + case % 9);
            let distances: Vec<u64> = (0..rows).map(|_| random.below(spread) as u64).collect();
            let mut sorted: Vec<usize> = (0..rows).collect();
            sorted.sort_by_key(|&row| distances[row]);
            let mut nearest = Nearest::new(k);
            (0..).zip(&distances).for_each(|(row, &distance)| nearest.offer(distance, row));
            assert!(nearest.rows().eq(sorted[..k].iter().map(|&row| row as u32)));
            let beyond = sorted.get(k).map(|&row| distances[row]);
            assert_eq!(nearest.tied, beyond == Some(distances[sorted[k - 1]]), "{distances:?}");
        }
    }
}
