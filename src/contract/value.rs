//! Single values.

use derive_more::Display;
use serde::Serialize;

/// A value of a file, or of a result.
pub type Value = Scalar<String>;

/// The value that a parameter has where the file does not give one.
pub type Preset = Scalar<&'static str>;

/// A value that is no list and no table; `T` is how it holds a text.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Display, Serialize)]
#[serde(untagged)]
pub enum Scalar<T> {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A finite real number.
    #[display("{}", base::text::Real(*_0))]
    Real(f64),
    /// A text.
    Text(T),
}

impl<T> Scalar<T> {
    /// The same, its text held otherwise.
    pub fn map<U>(self, text: impl FnOnce(T) -> U) -> Scalar<U> {
        match self {
            Self::Bool(value) => Scalar::Bool(value),
            Self::Integer(value) => Scalar::Integer(value),
            Self::Real(value) => Scalar::Real(value),
            Self::Text(value) => Scalar::Text(text(value)),
        }
    }

    /// The truth value, if it is one.
    pub fn flag(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The whole number from zero, if it is one.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Integer(whole) => usize::try_from(*whole).ok(),
            _ => None,
        }
    }

    /// The number, whole or not, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(whole) => Some(*whole as f64),
            Self::Real(real) => Some(*real),
            Self::Bool(_) | Self::Text(_) => None,
        }
    }
}

impl From<Preset> for Value {
    fn from(preset: Preset) -> Self {
        preset.map(str::to_owned)
    }
}
