//! Single values.

use std::fmt;

use base::text::real;

/// A value that is no list and no table.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A finite real number.
    Real(f64),
    /// A text.
    Text(String),
}

impl Value {
    /// The number, whole or not, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(whole) => Some(*whole as f64),
            Self::Real(real) => Some(*real),
            Self::Bool(_) | Self::Text(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Real(value) => f.write_str(&real(*value)),
            Self::Text(value) => f.write_str(value),
        }
    }
}
