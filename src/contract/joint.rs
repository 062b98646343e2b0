//! Joint distributions of a few variables, as tables of whole-number weights: independence in them is
//! decided exactly.

use math::random::Random;

/// The distribution of n variables with finitely many values. A state's probability is its weight divided
/// by the sum of all weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JointTable {
    cardinalities: Vec<usize>,
    weights: Vec<u64>,
    total: u64,
}

impl JointTable {
    /// A table of one weight for each state. States are numbered with the first variable fastest: the state
    /// x has number x₀ + c₀ (x₁ + c₁ (x₂ + …)), c being the numbers of values.
    ///
    /// # Panics
    /// If there is not one weight a state, all are zero, or their sum does not fit 63 bits.
    pub fn new(cardinalities: Vec<usize>, weights: Vec<u64>) -> Self {
        assert_eq!(cardinalities.iter().product::<usize>(), weights.len(), "a weight a state");
        let total = weights.iter().try_fold(0u64, |sum, &weight| sum.checked_add(weight));
        let total = total.filter(|&total| total < 1 << 63).expect("weights of 63 bits");
        assert!(total > 0, "a state of positive probability");
        Self { cardinalities, weights, total }
    }

    /// The table of a weight function of the states.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn of(cardinalities: &[usize], mut weight: impl FnMut(&[usize]) -> u64) -> Self {
        let states: usize = cardinalities.iter().product();
        let mut state = vec![0; cardinalities.len()];
        let mut weights = Vec::with_capacity(states);
        for _ in 0..states {
            weights.push(weight(&state));
            advance(&mut state, cardinalities);
        }
        Self::new(cardinalities.to_vec(), weights)
    }

    /// Number of variables, n.
    pub fn variables(&self) -> usize {
        self.cardinalities.len()
    }

    /// Number of values of each variable.
    pub fn cardinalities(&self) -> &[usize] {
        &self.cardinalities
    }

    /// Weights of the states of some of the variables, the first of them fastest. O(states · n).
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn marginal(&self, variables: &[usize]) -> Vec<u64> {
        let mut strides = vec![0; self.variables()];
        let mut states = 1;
        for &variable in variables {
            strides[variable] = states;
            states *= self.cardinalities[variable];
        }
        let mut marginal = vec![0; states];
        let mut state = vec![0; self.variables()];
        for &weight in &self.weights {
            let at: usize = state.iter().zip(&strides).map(|(value, stride)| value * stride).sum();
            marginal[at] += weight;
            advance(&mut state, &self.cardinalities);
        }
        marginal
    }

    /// Whether `left` is independent of `right` given `given`, three disjoint sets of variables: for every
    /// state p(x, y, z) p(z) = p(x, z) p(y, z), in whole numbers.
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn independent(&self, left: &[usize], right: &[usize], given: &[usize]) -> bool {
        let states = |variables: &[usize]| -> usize {
            variables.iter().map(|&variable| self.cardinalities[variable]).product()
        };
        let (xs, ys, zs) = (states(left), states(right), states(given));
        let joint = self.marginal(&[left, right, given].concat());
        let mut of_x = vec![0u64; xs];
        for z in 0..zs {
            let slab = &joint[z * xs * ys..(z + 1) * xs * ys];
            let total: u64 = slab.iter().sum();
            of_x.fill(0);
            for row in slab.chunks_exact(xs) {
                of_x.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
            }
            for row in slab.chunks_exact(xs) {
                let of_y: u64 = row.iter().sum();
                let equal = |(&x, &xy): (&u64, &u64)| {
                    u128::from(xy) * u128::from(total) == u128::from(x) * u128::from(of_y)
                };
                if !of_x.iter().zip(row).all(equal) {
                    return false;
                }
            }
        }
        true
    }

    /// Overwrites `state` with a random state.
    pub fn draw(&self, random: &mut Random, state: &mut [usize]) {
        let mut point = random.below(self.total as usize) as u64;
        let mut index = 0;
        while point >= self.weights[index] {
            point -= self.weights[index];
            index += 1;
        }
        for (value, cardinality) in state.iter_mut().zip(&self.cardinalities) {
            *value = index % cardinality;
            index /= cardinality;
        }
    }
}

/// The next state, the first variable fastest; the first state after the last.
fn advance(state: &mut [usize], cardinalities: &[usize]) {
    for (value, &cardinality) in state.iter_mut().zip(cardinalities) {
        *value += 1;
        if *value < cardinality {
            return;
        }
        *value = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;

    /// Two fair coins and whether they agree, with weight 3 of 4.
    fn coins() -> JointTable {
        JointTable::of(&[2, 2, 2], |s| if (s[0] == s[1]) == (s[2] == 1) { 3 } else { 1 })
    }

    #[test]
    fn marginals_sum_the_other_variables() {
        let table = JointTable::new(vec![2, 3], vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(table.marginal(&[0]), [9, 12]);
        assert_eq!(table.marginal(&[1]), [3, 7, 11]);
        assert_eq!(table.marginal(&[1, 0]), [1, 3, 5, 2, 4, 6]);
        assert_eq!(table.marginal(&[]), [21]);
    }

    #[test]
    fn independence_is_exact() {
        let coins = coins();
        assert!(coins.independent(&[0], &[2], &[]));
        assert!(!coins.independent(&[0], &[2], &[1]));
        assert!(!coins.independent(&[0, 1], &[2], &[]));
        let almost = JointTable::new(vec![2, 2], vec![1 << 40, 1 << 40, 1 << 40, (1 << 40) + 1]);
        assert!(!almost.independent(&[0], &[1], &[]));
        let agree = |s: &[usize]| (s[0] == s[1]) == (s[2] == 1);
        let both = JointTable::of(&[2, 2, 2, 2, 2], |s| {
            (if agree(s) { 3 } else { 1 }) * ((1 << 40) + s[3] as u64 * s[4] as u64)
        });
        assert!(both.independent(&[0, 1, 2], &[3, 4], &[]));
    }

    #[test]
    fn states_are_drawn_by_their_weights() {
        let coins = coins();
        let mut random = Random::new(Digest::of(b"coins"));
        let (mut state, mut agree) = (vec![0; 3], 0);
        for _ in 0..10_000 {
            coins.draw(&mut random, &mut state);
            agree += usize::from((state[0] == state[1]) == (state[2] == 1));
        }
        // Five standard deviations of a binomial(10,000, 3/4) are 217.
        assert!(agree.abs_diff(7_500) < 217, "{agree}");
    }
}
