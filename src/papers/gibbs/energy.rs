//! The energy of a record with each class: equations (7) and (8) over the counts of its patterns.

use super::counts::{RecordCounts, UNKNOWN};
use super::records::Records;
use super::transform::{Transform, for_each_element, sums_of_parts};
use contract::parameter::{Choice, Count, Real, settings};
use math::special::ln;

/// Most attributes beside the class: the energy of a record is a sum over all their subsets.
pub const MOST_ATTRIBUTES: usize = 20;

/// The highest order of a pattern.
const ALL_ORDERS: i64 = MOST_ATTRIBUTES as i64 + 1;

settings! {
    /// How counts become potentials.
    #[derive(PartialEq)]
    pub struct Settings {
        MAX_ORDER max_order: Count::within(1..=ALL_ORDERS, ALL_ORDERS),
            "highest order of a pattern, the class counted; potentials above it are zero";
        NEGATIVE_POTENTIAL negative_potential: Real::within(f64::NEG_INFINITY..=0.0, -100.0),
            "potential of a pattern that never occurs in the training records";
        NEGATIVE_ORDER negative_order: Count::within(0..=ALL_ORDERS, ALL_ORDERS),
            "highest order of the patterns that it is given to; longer ones that never occur have potential zero";
        SMOOTHING smoothing: Real::not_negative(0.0),
            "records added to the training records, spread evenly over all configurations; above 0 no pattern has frequency zero and none has the negative potential";
        TRANSFORM transform: Choice<Transform>::worded("normalised"), "how frequencies become potentials, and potentials the energy";
    }
}

/// Computes energies, with the space to work in.
///
/// The frequency of a pattern b is (N(b) + s / m(b)) / (N + s): N(b) of the N records have it, m(b)
/// configurations of its attributes exist, s is the smoothing. A pattern that never occurs has the
/// negative potential, where s is 0. The potential of a pattern is zero if its own count or that of one
/// of its parts is unknown.
#[derive(Debug)]
pub struct Energies<'a> {
    settings: &'a Settings,
    records: &'a Records,
    /// Logarithms of the frequencies N(b) / N by N(b), where nothing is smoothed.
    logarithms: Vec<f64>,
    /// Of each order the weight of its potentials.
    weights: Vec<f64>,
    /// Of each set of known attributes their number.
    sizes: Vec<u8>,
    configurations: Vec<f64>,
    free: Vec<f64>,
    with_class: Vec<f64>,
    parts: Vec<f64>,
}

impl<'a> Energies<'a> {
    /// For records of this training set.
    pub fn new(settings: &'a Settings, records: &'a Records) -> Self {
        let total = records.count() as f64;
        Self {
            settings,
            records,
            logarithms: (0..=records.count()).map(|count| ln(count as f64 / total)).collect(),
            weights: Vec::new(),
            sizes: vec![0],
            configurations: Vec::new(),
            free: Vec::new(),
            with_class: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// For each class the sum over the patterns with the class, which is what classes differ by. Time
    /// O(C n 2^n) for n known attributes and C classes.
    pub fn of_classes(&mut self, counts: &RecordCounts, known: &[usize], energies: &mut Vec<f64>) {
        self.begin(known);
        self.logarithms_of(&counts.free, 1.0);
        std::mem::swap(&mut self.free, &mut self.with_class);
        // The empty pattern occurs always.
        self.free[0] = 0.0;
        energies.clear();
        for of_class in &counts.of_class {
            self.logarithms_of(of_class, self.records.classes as f64);
            match self.settings.transform {
                Transform::Normalised => {
                    sums_of_parts(&self.with_class, &mut self.parts);
                    let parts = self.parts.iter().zip(&self.free).zip(&self.sizes);
                    let sets = self.with_class.iter_mut().zip(parts).skip(1);
                    for (value, ((parts, free), size)) in sets {
                        *value -= (parts + free) / f64::from(*size);
                    }
                }
                Transform::Moebius => {
                    for (value, free) in self.with_class.iter_mut().zip(&self.free) {
                        *value -= free;
                    }
                    for_each_element(&mut self.with_class, |without, with| *with -= *without);
                }
            }
            energies.push(self.sum(of_class, &self.with_class, 1));
        }
    }

    /// The sum over the patterns without the class.
    pub fn without_class(&mut self, counts: &RecordCounts, known: &[usize]) -> f64 {
        self.begin(known);
        self.logarithms_of(&counts.free, 1.0);
        let transform = self.settings.transform;
        transform.potentials(&mut self.with_class, &mut self.parts);
        self.with_class[0] = 0.0;
        self.sum(&counts.free, &self.with_class, 0)
    }

    fn begin(&mut self, known: &[usize]) {
        self.weights = self.settings.transform.weights(known.len() + 1);
        while self.sizes.len() < 1 << known.len() {
            let more: Vec<u8> = self.sizes.iter().map(|size| size + 1).collect();
            self.sizes.extend(more);
        }
        if self.settings.smoothing > 0.0 {
            self.configurations.clear();
            self.configurations.push(1.0);
            for &attribute in known {
                let values = self.records.values_of(attribute) as f64;
                self.configurations.extend_from_within(..);
                let half = self.configurations.len() / 2;
                self.configurations[half..].iter_mut().for_each(|count| *count *= values);
            }
        }
    }

    /// The weighted sum of the potentials of patterns with `more` attributes beyond those of the set.
    fn sum(&self, counts: &[u32], potentials: &[f64], more: usize) -> f64 {
        let Settings { max_order, negative_potential, negative_order, smoothing, .. } =
            *self.settings;
        // By the size of a set, what a potential counts, and what a pattern adds that never occurs.
        let by_size = |order: usize, weight: &f64| match order {
            0 => (0.0, 0.0),
            order if order > max_order => (0.0, 0.0),
            order if order > negative_order => (*weight, 0.0),
            _ => (*weight, weight * negative_potential),
        };
        let weights = self.weights.iter().enumerate().skip(more);
        let by_size: Vec<(f64, f64)> = weights.map(|(order, w)| by_size(order, w)).collect();
        let mut sum = 0.0;
        for ((&count, &potential), &size) in counts.iter().zip(potentials).zip(&self.sizes) {
            let (weight, never) = by_size[usize::from(size)];
            sum += if count == 0 && smoothing == 0.0 {
                never
            } else if potential.is_nan() {
                0.0
            } else {
                weight * potential
            };
        }
        sum
    }

    /// Sets `with_class` to the logarithms of the frequencies of patterns; not a number where the count
    /// is unknown. `classes` is 1 for patterns without the class.
    fn logarithms_of(&mut self, counts: &[u32], classes: f64) {
        let smoothing = self.settings.smoothing;
        self.with_class.clear();
        if smoothing > 0.0 {
            let total = self.records.count() as f64 + smoothing;
            let counts = counts.iter().zip(&self.configurations);
            self.with_class.extend(counts.map(|(&count, configurations)| match count {
                UNKNOWN => f64::NAN,
                count => ln((f64::from(count) + smoothing / (configurations * classes)) / total),
            }));
        } else {
            // A pattern that never occurs is no part of one that does.
            self.with_class.extend(counts.iter().map(|&count| match count {
                UNKNOWN => f64::NAN,
                0 => 0.0,
                count => self.logarithms[count as usize],
            }));
        }
    }
}
