//! Numbers as they would be on paper: decimal, without what binary rounding adds.

/// The number nearest to `value` with so many significant digits.
pub fn significant(value: f64, digits: usize) -> f64 {
    let after_point = digits.saturating_sub(1);
    format!("{value:.after_point$e}").parse().unwrap_or(value)
}

/// Digits of the largest value that count.
const DIGITS: i32 = 12;

/// The decimal grid on which several values are compared: its step is the twelfth digit of the largest of them. One
/// grid for all: on grids of their own, 61/66 - 56/66 and 6/66 - 1/66 end at different digits and are no tie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// The power of ten of the step.
    step: i32,
}

impl Grid {
    /// The grid of these values; those that are not finite do not count.
    pub fn of<'v>(values: impl IntoIterator<Item = &'v f64>) -> Self {
        let finite = values.into_iter().map(|value| value.abs()).filter(|size| size.is_finite());
        Self { step: exponent(finite.fold(0.0, f64::max)) - DIGITS + 1 }
    }

    /// The nearest point of the grid.
    pub fn round(self, value: f64) -> f64 {
        if !value.is_finite() {
            return value;
        }
        match exponent(value) - self.step + 1 {
            digits @ 1.. => significant(value, digits as usize),
            // Below one step: the nearest point may still be one step away.
            0 if value.abs() >= 0.5 * step(self.step) => step(self.step).copysign(value),
            _ => 0.0,
        }
    }

    /// The difference of two values without what their rounding errors add.
    pub fn difference(self, one: f64, other: f64) -> f64 {
        self.round(one - other)
    }
}

/// The difference of two values on their own [`Grid`]: values that agree in twelve digits are equal, and so are
/// differences such as 0.9 - 0.8 and 0.8 - 0.7.
pub fn difference(one: f64, other: f64) -> f64 {
    Grid::of([&one, &other]).difference(one, other)
}

/// Ten to this power.
fn step(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(0.0)
}

/// The power of ten below a number's first digit.
fn exponent(value: f64) -> i32 {
    let text = format!("{value:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_that_are_equal_on_paper_are_equal() {
        assert_ne!(0.9 - 0.8, 0.8 - 0.7);
        assert_eq!(difference(0.9, 0.8), difference(0.8, 0.7));
        assert_eq!(difference(0.8, 0.9), -0.1);
        assert_eq!(difference(0.1 + 0.2, 0.3), 0.0);
        assert_eq!(difference(0.0, 0.0), 0.0);
        assert_eq!(difference(1.0 + 1e-9, 1.0), 1e-9);
        assert_eq!(difference(1e300, -1e300), 2e300);
        assert_eq!(difference(f64::INFINITY, 1.0), f64::INFINITY);
        assert!(difference(f64::NAN, 1.0).is_nan());
    }

    #[test]
    fn significant_digits() {
        assert_eq!(significant(0.010_784_449, 6), 0.010_784_4);
        assert_eq!(significant(1.0, 6), 1.0);
        assert_eq!(significant(1.234_567_89e-12, 6), 1.234_57e-12);
    }

    #[test]
    fn printed_differences_tie_exactly() {
        let (jester, netflix) = ((-53.22, -53.19), (-57.84, -57.87));
        assert_ne!(-(jester.0 - jester.1), netflix.0 - netflix.1);
        assert_eq!(difference(jester.0, jester.1), -0.03);
        assert_eq!(difference(netflix.0, netflix.1), 0.03);
    }

    #[test]
    fn repeating_decimals_of_different_sizes_tie_on_one_grid() {
        // Shares of 66 pairs: 5/66 apart, where the larger value is 6/66 or 61/66.
        let (small, large) = ([6.0 / 66.0, 1.0 / 66.0], [61.0 / 66.0, 56.0 / 66.0]);
        let grid = Grid::of(small.iter().chain(&large));
        let tied = grid.difference(small[0], small[1]);
        assert_eq!(tied, grid.difference(large[0], large[1]));
        let own = |pair: [f64; 2]| difference(pair[0], pair[1]);
        assert_ne!(own(small), own(large), "grids of their own end at different digits");
    }

    #[test]
    fn less_than_half_a_step_is_nothing() {
        let grid = Grid::of(&[1.0]);
        assert_eq!(grid.round(0.4e-11), 0.0);
        assert_eq!(grid.round(-0.6e-11), -1e-11);
        assert_eq!(grid.round(2.4e-11), 2e-11);
        assert_eq!(Grid::of(&[]).round(0.0), 0.0);
        assert_eq!(Grid::of(&[f64::NAN, 3e-300]).round(1e-300), 1e-300);
    }
}
