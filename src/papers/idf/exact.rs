//! The oracle: independence as it is in a known distribution.

use super::independence::{Evidence, IndependenceTest, Tester};
use contract::joint::JointTable;

impl IndependenceTest for JointTable {
    fn variables(&self) -> usize {
        self.variables()
    }

    fn tester(&self) -> Tester<'_> {
        let dependent = Evidence { p: 0.0, strength: 1.0 };
        Box::new(
            move |(one, other), given| {
                if self.independent(&[one], &[other], given) { Evidence::NONE } else { dependent }
            },
        )
    }
}
