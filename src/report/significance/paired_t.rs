//! Student's t on paired differences.

use document::section;
use spec::{Asks, Designed, Made, Over, Pairs, Test};

use super::paired::{Pairing, made};

section! {
    in Designed;
    pub struct PairedT: "paired-t" => "Student's t on paired differences; by test examples with the error of their groups, where they are of groups" {
        /// What is paired.
        pairing: Pairing;
    }
}

impl Test for PairedT {
    fn asks(&self) -> Asks<'_> {
        Asks { heeds: Over::IN_GROUPS, shifts: true, efficiency: Some(1.0), ..self.pairing.asks() }
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let Pairs { differences, dependence, .. } = pairs;
        made(
            stats::paired_t(differences, dependence),
            stats::mean_difference(differences, dependence, level),
        )
    }
}
