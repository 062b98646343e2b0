//! Student's t on paired differences.

use base::digest::Digest;
use document::section;
use spec::{Asks, Designed, Kind, Made, Over, Pairs, Test};

use super::paired::{Pairing, made};

pub(super) const KIND: Kind<dyn Test> = Kind::<dyn Test>::of::<PairedT>(
    "paired-t",
    "Student's t on paired differences; by test examples with the error of their groups, where they are of groups",
);

section! {
    in Designed;
    /// Student's t on paired differences.
    pub struct PairedT {
        /// What is paired.
        pairing: Pairing;
    }
}

impl Test for PairedT {
    fn asks(&self) -> Asks<'_> {
        self.pairing.asks()
    }

    fn heeds(&self, over: Over) -> bool {
        over == Over::Groups
    }

    fn efficiency(&self) -> Option<f64> {
        Some(1.0)
    }

    fn compare(&self, pairs: &Pairs, level: f64, _: Digest) -> Made {
        let Pairs { differences, dependence, .. } = pairs;
        made(
            stats::paired_t(differences, dependence),
            stats::mean_difference(differences, dependence, level),
        )
    }
}
