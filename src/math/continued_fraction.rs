//! Continued fractions by the modified Lentz method (Press et al., Numerical Recipes, section 5.2).

/// Keeps denominators off zero.
const TINY: f64 = 1e-300;

/// A continued fraction that is evaluated from the front, term by term.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContinuedFraction {
    /// The value of the terms so far.
    pub value: f64,
    /// The quotient of two successive numerators.
    above: f64,
    /// The reciprocal of the quotient of two successive denominators.
    below: f64,
}

impl ContinuedFraction {
    /// b₀ + a₁/(b₁ + a₂/(b₂ + …)), up to b₀.
    pub fn new(first: f64) -> Self {
        let first = off_zero(first);
        Self { value: first, above: first, below: 0.0 }
    }

    /// 1/(b₀ + a₁/(b₁ + a₂/(b₂ + …))), up to b₀.
    pub fn reciprocal(first: f64) -> Self {
        let reciprocal = 1.0 / off_zero(first);
        Self { value: reciprocal, above: f64::INFINITY, below: reciprocal }
    }

    /// Adds the next aᵢ and bᵢ. Returns the factor by which the value changed.
    pub fn add(&mut self, numerator: f64, denominator: f64) -> f64 {
        self.below = 1.0 / off_zero(denominator + numerator * self.below);
        self.above = off_zero(denominator + numerator / self.above);
        let factor = self.above * self.below;
        self.value *= factor;
        factor
    }
}

fn off_zero(value: f64) -> f64 {
    if value.abs() < TINY { TINY } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_give_the_golden_ratio() {
        let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
        let (mut fraction, mut reciprocal) =
            (ContinuedFraction::new(1.0), ContinuedFraction::reciprocal(1.0));
        for _ in 0..40 {
            fraction.add(1.0, 1.0);
            reciprocal.add(1.0, 1.0);
        }
        assert!((fraction.value - golden).abs() < 1e-15);
        assert!((reciprocal.value - 1.0 / golden).abs() < 1e-15);
    }

    #[test]
    fn a_denominator_of_zero_is_passed() {
        // tan 1 = 1/(1 - 1/(3 - 1/(5 - …))); its second convergent begins with 1 - 1/1.
        let mut fraction = ContinuedFraction::new(0.0);
        fraction.add(1.0, 1.0);
        for odd in (3..40).step_by(2) {
            fraction.add(-1.0, f64::from(odd));
        }
        assert!((fraction.value - 1.557_407_724_654_902_2).abs() < 1e-14);
    }
}
