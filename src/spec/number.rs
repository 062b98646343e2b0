//! Numbers as a table prints them.

use base::text::real;
use math::decimal::significant;

/// How a table prints a metric. Two values that it prints alike are tied at the paper's rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounding {
    /// Digits after the decimal point.
    pub digits: usize,
    /// Factor between the metric's unit and the table's.
    pub scale: f64,
    /// Whether the paper prints such values.
    pub printed: bool,
}

impl Rounding {
    /// `value`, in the metric's unit, as the table prints it.
    pub fn text(&self, value: f64) -> String {
        fixed(value * self.scale, self.digits)
    }

    /// `value` as the table prints it, in the table's unit.
    pub fn printed(&self, value: f64) -> f64 {
        self.text(value).parse().unwrap_or(value * self.scale)
    }

    /// One in the last digit that the table prints.
    pub fn unit(&self) -> f64 {
        format!("1e-{}", self.digits).parse().unwrap_or(0.0)
    }

    /// A difference of two values; with two significant digits where the table's would show zero.
    pub fn difference(&self, value: f64) -> String {
        let text = self.text(value);
        if value != 0.0 && text.bytes().all(|b| matches!(b, b'0' | b'.')) {
            real(significant(value * self.scale, 2))
        } else {
            text
        }
    }

    /// A limit as the file has it: with all its digits where the table's would say another one.
    pub fn limit(&self, value: f64) -> String {
        let (text, scaled) = (self.difference(value), significant(value * self.scale, 12));
        if text.parse() == Ok(scaled) { text } else { real(scaled) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(fixed(-0.004, 2), "0.00");
        assert_eq!(fixed(-0.006, 2), "-0.01");
        assert_eq!(fixed(15.0, 0), "15");
    }

    #[test]
    fn ties_are_at_the_tables_rounding() {
        let percent = Rounding { digits: 1, scale: 100.0, printed: false };
        assert!(percent.tied(0.855_1, 0.854_9));
        assert!(!percent.tied(0.855_1, 0.854_4));
        assert_eq!(percent.difference(0.000_2), "0.02");
        assert_eq!((percent.printed(0.855_12), percent.unit()), (85.5, 0.1));
    }
}
