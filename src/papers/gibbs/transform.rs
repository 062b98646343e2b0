//! From energies of all subsets of a set to potentials: sections 3 and 4 of the paper.
//!
//! A function of the subsets of {0, …, n - 1} is a slice of 2^n numbers; bit t of an index says whether
//! t is in the subset. Every map takes O(n 2^n) time.

use contract::words;

words! {
    /// How energies and potentials are related.
    pub enum Transform {
        Normalised = "normalised", "equations (7) and (8): the potentials of an order are averaged";
        /// By inclusion and exclusion, (5).
        Moebius = "moebius", "equations (2) and (6): the potentials of an order are added";
    }
}

impl Transform {
    /// What a potential of each order, from 0 to n, counts in the energy of n attributes: the inverse of
    /// (n - 1 choose order - 1) in equation (7), 1 in equation (2). The empty set counts nothing.
    pub fn weights(self, n: usize) -> Vec<f64> {
        let mut weights = vec![0.0; n + 1];
        let mut binomial = 1.0;
        for (order, weight) in weights.iter_mut().enumerate().skip(1) {
            *weight = match self {
                Self::Normalised => 1.0 / binomial,
                Self::Moebius => 1.0,
            };
            binomial *= (n - order) as f64 / order as f64;
        }
        weights
    }

    /// Turns energies into potentials, equation (10) or (5). The empty set has energy zero, whatever
    /// stands there. `parts` is working space.
    ///
    /// # Panics
    /// If the length is not a power of two.
    pub fn potentials(self, energies: &mut [f64], parts: &mut Vec<f64>) {
        energies[0] = 0.0;
        match self {
            Self::Normalised => {
                sums_of_parts(energies, parts);
                for (set, (energy, parts)) in energies.iter_mut().zip(parts.iter()).enumerate() {
                    let order = set.count_ones();
                    if order > 1 {
                        *energy -= parts / f64::from(order - 1);
                    }
                }
            }
            Self::Moebius => for_each_element(energies, |without, with| *with -= *without),
        }
    }
}

/// Sets `parts` to the sum over each set's parts with one element less.
///
/// # Panics
/// If the length is not a power of two.
pub fn sums_of_parts(values: &[f64], parts: &mut Vec<f64>) {
    assert!(values.len().is_power_of_two(), "a number for each subset");
    parts.clear();
    parts.resize(values.len(), 0.0);
    let mut half = 1;
    while half < values.len() {
        for (values, parts) in values.chunks_exact(2 * half).zip(parts.chunks_exact_mut(2 * half)) {
            let sums = parts[half..].iter_mut().zip(&values[..half]);
            sums.for_each(|(sum, value)| *sum += value);
        }
        half *= 2;
    }
}

/// For each element in turn, calls `step` with the value of every set without it and that of the set
/// with it.
///
/// # Panics
/// If the length is not a power of two.
pub fn for_each_element<T>(values: &mut [T], step: impl Fn(&mut T, &mut T)) {
    assert!(values.len().is_power_of_two(), "a number for each subset");
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (without, with) = pair.split_at_mut(half);
            without.iter_mut().zip(with).for_each(|(without, with)| step(without, with));
        }
        half *= 2;
    }
}

/// Turns a value for each set into the sum over its supersets.
///
/// # Panics
/// If the length is not a power of two.
pub fn superset_sums(values: &mut [u32]) {
    for_each_element(values, |without, with| *without += *with);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Equations (9) and (2) as they stand: the sum over all subsets, those up to `order` only.
    fn energy(transform: Transform, potentials: &[f64], set: usize, order: usize) -> f64 {
        let weights = transform.weights(set.count_ones() as usize);
        (1..=set)
            .filter(|part| part & !set == 0 && part.count_ones() as usize <= order)
            .map(|part| weights[part.count_ones() as usize] * potentials[part])
            .sum()
    }

    /// The energies of all sets.
    fn energies(transform: Transform, potentials: &[f64]) -> Vec<f64> {
        (0..potentials.len()).map(|set| energy(transform, potentials, set, usize::MAX)).collect()
    }

    /// Equations (10) and (5) as they stand.
    fn potential(transform: Transform, energies: &[f64], set: usize) -> f64 {
        let order = set.count_ones();
        let parts = (1..=set).filter(|part| part & !set == 0);
        match transform {
            Transform::Normalised if order < 2 => energies[set],
            Transform::Normalised => {
                let below = parts.filter(|part| part.count_ones() == order - 1);
                let sum: f64 = below.map(|part| energies[part]).sum();
                energies[set] - sum / f64::from(order - 1)
            }
            Transform::Moebius => {
                let sign = |part: usize| {
                    if (order - part.count_ones()).is_multiple_of(2) { 1.0 } else { -1.0 }
                };
                parts.map(|part| sign(part) * energies[part]).sum()
            }
        }
    }

    fn near(found: &[f64], expected: &[f64]) -> bool {
        found.iter().zip(expected).all(|(f, e)| (f - e).abs() <= 1e-9 * (1.0 + e.abs()))
    }

    fn assignment() -> impl Strategy<Value = Vec<f64>> {
        (0u32..=7).prop_flat_map(|n| proptest::collection::vec(-9.0..9.0, 1 << n)).prop_map(
            |mut values| {
                values[0] = 0.0;
                values
            },
        )
    }

    const BOTH: [Transform; 2] = [Transform::Normalised, Transform::Moebius];

    proptest! {
        #[test]
        fn the_two_maps_are_inverse(values in assignment()) {
            for transform in BOTH {
                let mut potentials = values.clone();
                transform.potentials(&mut potentials, &mut Vec::new());
                prop_assert!(near(&energies(transform, &potentials), &values), "f(g(V)) = V");
                let mut there_and_back = energies(transform, &values);
                transform.potentials(&mut there_and_back, &mut Vec::new());
                prop_assert!(near(&there_and_back, &values), "g(f(J)) = J");
            }
        }

        #[test]
        fn potentials_are_those_of_the_equations(values in assignment()) {
            for transform in BOTH {
                let sets = 0..values.len();
                let mut potentials = values.clone();
                transform.potentials(&mut potentials, &mut Vec::new());
                let expected: Vec<f64> = sets.map(|set| potential(transform, &values, set)).collect();
                prop_assert!(near(&potentials, &expected), "J of V");
            }
        }

        /// Lemma C1, for every set and every order.
        #[test]
        fn a_truncated_energy_is_the_scaled_sum_of_the_highest_order(values in assignment()) {
            let mut potentials = values.clone();
            Transform::Normalised.potentials(&mut potentials, &mut Vec::new());
            for set in 1..values.len() {
                let n = set.count_ones() as usize;
                let weights = Transform::Normalised.weights(n);
                for (order, weight) in weights.iter().enumerate().skip(1) {
                    let found = energy(Transform::Normalised, &potentials, set, order);
                    let of_order = |part: &usize| part & !set == 0 && part.count_ones() as usize == order;
                    let sum: f64 = (1..=set).filter(of_order).map(|part| values[part]).sum();
                    prop_assert!(near(&[found], &[weight * sum]), "{set:b} {order}");
                }
            }
        }

        #[test]
        fn superset_sums_are_sums_over_supersets(values in proptest::collection::vec(0u32..99, 32)) {
            let mut sums = values.clone();
            superset_sums(&mut sums);
            for (set, sum) in sums.iter().enumerate() {
                let expected: u32 = (0..32).filter(|other| other & set == set).map(|o| values[o]).sum();
                prop_assert_eq!(*sum, expected);
            }
        }
    }

    #[test]
    fn weights_are_those_of_the_example() {
        assert_eq!(Transform::Normalised.weights(3), [0.0, 1.0, 0.5, 1.0]);
        assert_eq!(Transform::Normalised.weights(6)[1..], [1.0, 0.2, 0.1, 0.1, 0.2, 1.0]);
        assert_eq!(Transform::Moebius.weights(3), [0.0, 1.0, 1.0, 1.0]);
    }
}
