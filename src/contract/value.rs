//! Single values.

use derive_more::Display;
use serde::Serialize;

/// A value that is no list and no table.
#[derive(Debug, Clone, PartialEq, PartialOrd, Display, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A finite real number.
    #[display("{}", base::text::Real(*_0))]
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
