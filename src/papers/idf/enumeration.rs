//! The irreducible disjoint factors of a known distribution, by their definition.

use contract::joint::JointTable;
use contract::{Context, FitError, Result};
use math::components::Components;

/// Most variables of which all subsets are looked at.
pub const MOST_VARIABLES: usize = 16;

/// Whether a set of variables is independent of all others (definition 2).
pub fn is_disjoint_factor(distribution: &JointTable, inside: impl Fn(usize) -> bool) -> bool {
    let (left, right): (Vec<usize>, Vec<usize>) =
        (0..distribution.variables()).partition(|&variable| inside(variable));
    distribution.independent(&left, &right, &[])
}

/// The irreducible disjoint factor of each variable. Two variables belong together iff no disjoint factor
/// has one of them without the other, since disjoint factors are closed under union, intersection and
/// complement (theorem 1). O(2ⁿ · n · states).
///
/// # Errors
/// If there are more than [`MOST_VARIABLES`] variables; if the deadline passes or the user interrupts.
pub fn irreducible_factors(distribution: &JointTable, context: &Context) -> Result<Vec<u32>> {
    let n = distribution.variables();
    if n > MOST_VARIABLES {
        let message =
            format!("all subsets of {n} variables are too many: at most {MOST_VARIABLES}");
        return Err(FitError::NotApplicable(message));
    }
    // Bit w of `together[v]`: no factor so far has v without w.
    let mut together = vec![u32::MAX; n];
    for subset in 1u32..1 << n {
        context.check()?;
        if is_disjoint_factor(distribution, |variable| subset >> variable & 1 == 1) {
            for (variable, together) in together.iter_mut().enumerate() {
                *together &= if subset >> variable & 1 == 1 { subset } else { !subset };
            }
        }
    }
    let mut components = Components::new(n);
    for (one, together) in together.iter().enumerate() {
        for other in (one + 1..n).filter(|other| together >> other & 1 == 1) {
            components.join(one, other);
        }
    }
    Ok(components.labels())
}
