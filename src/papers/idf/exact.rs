//! The oracle: independence as it is in a known distribution.

use super::independence::{Evidence, IndependenceTest};
use contract::joint::JointTable;

impl IndependenceTest for JointTable {
    type Scratch = ();

    fn variables(&self) -> usize {
        self.variables()
    }

    fn scratch(&self) {}

    fn test(&self, (one, other): (usize, usize), given: &[usize], (): &mut ()) -> Evidence {
        if self.independent(&[one], &[other], given) {
            Evidence::NONE
        } else {
            Evidence { p: 0.0, strength: 1.0 }
        }
    }
}
