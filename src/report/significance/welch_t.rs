//! Welch's t on two samples.

use document::section;
use spec::{Asks, Designed, Made, Pairs, Test};
use stats::{Power, Superiority};

use super::paired::{Pairing, made};

section! {
    in Designed;
    pub struct WelchT: "welch-t" => "Welch's t on two samples" {
        /// What one value of a sample is; repeats for seeds.
        pairing: Pairing;
    }
}

impl Test for WelchT {
    fn asks(&self) -> Asks<'_> {
        Asks { shifts: true, ..self.pairing.asks() }
    }

    fn power(&self, pairs: &Pairs, alpha: f64) -> Option<Power> {
        Power::of_samples(&pairs.left, &pairs.right, alpha).ok()
    }

    fn superiority(&self, pairs: &Pairs, level: f64) -> Option<Superiority> {
        stats::superiority(&pairs.left, &pairs.right, level).ok()
    }

    fn compare(&self, Pairs { left, right, .. }: &Pairs, level: f64) -> Made {
        made(stats::welch_t(left, right), stats::welch_difference(left, right, level))
    }
}
