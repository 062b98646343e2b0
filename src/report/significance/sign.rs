//! The sign test.

use std::f64::consts::PI;

use base::words;
use document::{Word, section};
use spec::{Asks, Designed, Made, Pairs, Test};

use super::paired::{Pairing, made};

words! {
    /// Where a p-value of the sign test comes from.
    pub enum PValue {
        Exact = "exact", "exact binomial";
        MidP = "mid-p", "the same, what was seen counted half: less conservative";
    }
}

section! {
    in Designed;
    pub struct Sign: "sign" => "sign test (binomial)" {
        /// What is paired.
        pairing: Pairing;
        p_value: Word<PValue> = "exact" => "where the p-value comes from";
    }
}

impl Test for Sign {
    fn asks(&self) -> Asks<'_> {
        let efficiency = Some(2.0 / PI);
        let by_signs = self.p_value == PValue::Exact;
        Asks { orders: true, shifts: true, efficiency, by_signs, ..self.pairing.asks() }
    }

    fn compare(&self, pairs: &Pairs, level: f64) -> Made {
        let differences = pairs.on_paper();
        made(
            stats::sign(&differences, self.p_value == PValue::MidP),
            stats::median_difference(&differences, level),
        )
    }
}
