//! Numbers as text.

use std::fmt;

/// The shortest decimal text that reads back as the same number; `NaN`, `inf`, `-inf` as such.
pub fn real(value: f64) -> String {
    Real(value).to_string()
}

/// Displays as [`real`] writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Real(pub f64);

impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        if value == 0.0 || !value.is_finite() || (1e-5..1e17).contains(&value.abs()) {
            write!(f, "{value}")
        } else {
            write!(f, "{value:e}")
        }
    }
}

/// Rows in columns as wide as their widest cell, two spaces apart; those in `right` flush right.
pub fn columns<const N: usize>(rows: &[[String; N]], right: &[usize]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            if right.contains(&column) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:width$}")
            }
        });
        text += cells.collect::<Vec<String>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_short_and_reads_back() {
        for value in [0.1, -6.04, 1e-300, 2.5e-7, 12_345_678.0, 1e22, f64::MIN_POSITIVE, -0.0] {
            let text = real(value);
            assert!(text.len() < 25, "{text}");
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
        }
        assert_eq!(real(1e22), "1e22");
        assert_eq!(real(0.1), "0.1");
        assert_eq!(real(f64::NAN), "NaN");
    }
}
