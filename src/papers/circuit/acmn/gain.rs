//! What two new features gain while all other weights stay.
//!
//! ```text
//! max over d:  n (Σ_y d_y p̂_y - ln (1 + Σ_y p_y (e^d_y - 1))) - L1 Σ_y |d_y| - Σ_y d_y² / (2 s)
//! ```

use math::orthant::{inside, slope};
use math::special::{exp, exp_m1, ln_1p};

/// The penalties of weights.
#[derive(Debug, Clone, Copy)]
pub struct Penalty {
    /// L1.
    pub absolute: f64,
    /// s.
    pub variance: f64,
}

/// The steepest slope, for each example, at which a maximum is found.
const TOLERANCE: f64 = 1e-10;
const STEPS: usize = 100;
const HALVINGS: usize = 40;

/// Features of disjoint events: how often they hold in the data and under the model; none where there is nothing to add.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// n.
    pub examples: f64,
    /// p̂ and p of each.
    pub of: [Option<(f64, f64)>; 2],
}

impl Pair {
    /// The value at d, its derivatives, and the probabilities of the events there.
    fn at(&self, d: [f64; 2], penalty: Penalty) -> (f64, [f64; 2], [f64; 2]) {
        let (mut linear, mut rise) = (0.0, 0.0);
        for (d, (seen, p)) in d.iter().zip(&self.of).filter_map(|(d, of)| Some((d, (*of)?))) {
            linear += d * seen;
            rise += p * exp_m1(*d);
        }
        let cost = |d: f64| penalty.absolute * d.abs() + 0.5 * d * d / penalty.variance;
        let value = self.examples * (linear - ln_1p(rise)) - cost(d[0]) - cost(d[1]);
        let (mut slopes, mut held) = ([0.0; 2], [0.0; 2]);
        for at in 0..2 {
            let Some((seen, p)) = self.of[at] else { continue };
            held[at] = p * exp(d[at]) / (1.0 + rise);
            slopes[at] = self.examples * (seen - held[at]) - d[at] / penalty.variance;
        }
        (value, slopes, held)
    }

    /// The largest gain, and the weights that give it: Newton's method in the orthant that the slopes point to.
    pub fn best(&self, penalty: Penalty) -> (f64, [f64; 2]) {
        let mut d = [0.0; 2];
        let (mut value, mut derivatives, mut held) = self.at(d, penalty);
        for _ in 0..STEPS {
            let slopes = [0, 1].map(|at| match self.of[at] {
                Some(_) => slope(d[at], derivatives[at], penalty.absolute),
                None => 0.0,
            });
            if slopes.iter().all(|slope| slope.abs() <= TOLERANCE * self.examples) {
                break;
            }
            let step = self.newton(d, slopes, held, penalty);
            let mut size = 1.0;
            let higher = (0..HALVINGS).find_map(|_| {
                let next = [0, 1].map(|at| inside(d[at], size * step[at], slopes[at]));
                size *= 0.5;
                let promised: f64 = (0..2).map(|at| slopes[at] * (next[at] - d[at])).sum();
                let found = self.at(next, penalty);
                (promised > 0.0 && found.0 >= value + 1e-4 * promised).then_some((next, found))
            });
            let Some((next, found)) = higher else { break };
            d = next;
            (value, derivatives, held) = found;
        }
        (value, d)
    }

    /// The curvature's inverse times the slopes, among the coordinates that may move.
    fn newton(&self, d: [f64; 2], slopes: [f64; 2], held: [f64; 2], penalty: Penalty) -> [f64; 2] {
        let bend = |at: usize| self.examples * held[at] * (1.0 - held[at]) + 1.0 / penalty.variance;
        let free = [0, 1].map(|at| self.of[at].is_some() && (d[at] != 0.0 || slopes[at] != 0.0));
        if free != [true; 2] {
            return [0, 1].map(|at| if free[at] { slopes[at] / bend(at) } else { 0.0 });
        }
        let cross = -self.examples * held[0] * held[1];
        let determinant = bend(0) * bend(1) - cross * cross;
        [0, 1].map(|at| (bend(1 - at) * slopes[at] - cross * slopes[1 - at]) / determinant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid around what is found has nothing higher.
    #[test]
    fn nothing_around_is_higher() {
        let mut random = math::random::Random::new(base::digest::Digest::of(b"gains"));
        let mut zeros = 0;
        for _ in 0..2000 {
            let p = random.uniform();
            let mut part = || {
                let share = random.uniform();
                [p * share, p * (1.0 - share)]
            };
            let (seen, model) = (part(), part());
            let mut of = [Some((seen[0], model[0])), Some((seen[1], model[1]))];
            if random.below(4) == 0 {
                of[random.below(2)] = None;
            }
            let pair = Pair { examples: 10.0 + 1e4 * random.uniform(), of };
            let penalty =
                Penalty { absolute: 20.0 * random.uniform(), variance: 0.1 + random.uniform() };
            let (value, d) = pair.best(penalty);
            zeros += usize::from(d[0] == 0.0 || d[1] == 0.0);
            assert!(value >= 0.0 && (pair.at(d, penalty).0 - value).abs() < 1e-12);
            for (at, width) in (0..2).flat_map(|at| [(at, 1e-4), (at, 0.03)]) {
                for step in [-width, width] {
                    let mut other = d;
                    other[at] += if of[at].is_some() { step } else { 0.0 };
                    assert!(pair.at(other, penalty).0 <= value + 1e-9, "{pair:?} {d:?}");
                }
            }
        }
        assert!(zeros > 100, "{zeros}");
    }
}
