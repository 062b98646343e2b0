//! Seeded random numbers whose sequence is part of reprise's contract: ChaCha8 words turned into
//! integers, reals and permutations by the few lines below, so that no library update changes a
//! result.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use super::special::ln;
use base::digest::Digest;

/// A ChaCha8 stream seeded by a digest.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: Digest) -> Self {
        Self(ChaCha8Rng::from_seed(seed.0))
    }

    /// 64 independent fair bits.
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform integer in `0..bound`, without bias (Lemire's multiply and reject).
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "an empty range has no uniform element");
        let bound = bound as u64;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            let low = product as u64;
            // The remainder is below the bound, and seldom needed.
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 64) as usize;
            }
        }
    }

    /// A uniform real in [0, 1) with 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A standard normal number, by Marsaglia's polar method; the second one of each pair is not used.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * ln(square) / square).sqrt();
            }
        }
    }

    /// Shuffles in place (Fisher and Yates, from the back).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// A uniform permutation of `0..n`.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut items: Vec<usize> = (0..n).collect();
        self.shuffle(&mut items);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::pow;

    #[test]
    fn the_stream_is_fixed() {
        let mut random = Random::new(Digest::of(b"stream"));
        let first: Vec<usize> = (0..4).map(|_| random.below(1000)).collect();
        let again: Vec<usize> = {
            let mut random = Random::new(Digest::of(b"stream"));
            (0..4).map(|_| random.below(1000)).collect()
        };
        assert_eq!(first, again);
    }

    #[test]
    fn below_is_uniform() {
        let mut random = Random::new(Digest::of(b"uniform"));
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[random.below(7)] += 1;
        }
        // Six standard deviations of a binomial(70000, 1/7) are 556.
        assert!(counts.iter().all(|&c| c.abs_diff(10_000) < 556), "{counts:?}");
    }

    #[test]
    fn normal_numbers_have_their_moments() {
        let mut random = Random::new(Digest::of(b"normal"));
        let mut moments = [0.0; 4];
        for _ in 0..100_000 {
            let x = random.normal();
            for (power, moment) in moments.iter_mut().enumerate() {
                *moment += pow(x, power as f64 + 1.0) / 1e5;
            }
        }
        // Six standard deviations of the means of x, x², x³ and x⁴: variances 1, 2, 15 and 96.
        for ((moment, expected), variance) in
            moments.into_iter().zip([0.0, 1.0, 0.0, 3.0]).zip([1.0_f64, 2.0, 15.0, 96.0])
        {
            let bound = 6.0 * (variance / 1e5).sqrt();
            assert!((moment - expected).abs() < bound, "{moment} for {expected}");
        }
    }

    #[test]
    fn a_permutation_holds_every_index_once() {
        let mut items = Random::new(Digest::of(b"permutation")).permutation(100);
        items.sort_unstable();
        assert!(items.iter().copied().eq(0..100));
    }
}
