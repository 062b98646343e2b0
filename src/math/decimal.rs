//! Numbers as they would be on paper: decimal, without what binary rounding adds.

/// The number nearest to `value` with so many significant digits.
pub fn significant(value: f64, digits: usize) -> f64 {
    let after_point = digits.saturating_sub(1);
    format!("{value:.after_point$e}").parse().unwrap_or(value)
}

/// The difference of two values without what their rounding errors add: values that agree in twelve digits are
/// equal, and so are differences such as 0.9 - 0.8 and 0.8 - 0.7.
pub fn difference(one: f64, other: f64) -> f64 {
    let difference = one - other;
    let size = one.abs().max(other.abs());
    if !difference.is_finite() {
        return difference;
    }
    match 12 + exponent(difference) - exponent(size) {
        digits @ 1.. => significant(difference, digits as usize),
        _ => 0.0,
    }
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
}
