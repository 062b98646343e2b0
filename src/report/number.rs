//! Numbers as a table prints them.

/// How a table prints a metric. Two values that it prints alike are tied at the paper's rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounding {
    /// Digits after the decimal point.
    pub digits: usize,
    /// Factor between the metric's unit and the table's.
    pub scale: f64,
}

impl Rounding {
    /// `value`, in the metric's unit, as the table prints it.
    pub fn text(&self, value: f64) -> String {
        fixed(value * self.scale, self.digits)
    }

    /// A difference of two values; with two significant digits where the table's would show zero.
    pub fn difference(&self, value: f64) -> String {
        let text = self.text(value);
        if value != 0.0 && text.bytes().all(|b| matches!(b, b'0' | b'.')) {
            crate::math::text::real(significant(value * self.scale, 2))
        } else {
            text
        }
    }

    /// Whether the table prints both values alike.
    pub fn tied(&self, a: f64, b: f64) -> bool {
        self.text(a) == self.text(b)
    }
}

/// A number with so many digits after the decimal point; zero has no sign.
pub fn fixed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(size) if size.bytes().all(|b| matches!(b, b'0' | b'.')) => size.to_owned(),
        _ => text,
    }
}

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
    fn zero_has_no_sign() {
        assert_eq!(fixed(-0.004, 2), "0.00");
        assert_eq!(fixed(-0.006, 2), "-0.01");
        assert_eq!(fixed(15.0, 0), "15");
    }

    #[test]
    fn significant_digits() {
        assert_eq!(significant(0.010_784_449, 6), 0.010_784_4);
        assert_eq!(significant(1.0, 6), 1.0);
        assert_eq!(significant(1.234_567_89e-12, 6), 1.234_57e-12);
    }

    #[test]
    fn ties_are_at_the_tables_rounding() {
        let percent = Rounding { digits: 1, scale: 100.0 };
        assert!(percent.tied(0.855_1, 0.854_9));
        assert!(!percent.tied(0.855_1, 0.854_4));
        assert_eq!(percent.difference(0.000_2), "0.02");
    }
}
