//! Parameters of methods: one descriptor drives validation, grids, `reprise methods`, the JSON
//! Schema and the documentation.

use std::borrow::Cow;

pub use crate::Value;
use base::text::real;

/// What a parameter may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Domain {
    /// `true` or `false`.
    Bool,
    /// A whole number from `least` to `most`, both included.
    Integer {
        /// Smallest allowed value.
        least: i64,
        /// Largest allowed value.
        most: i64,
    },
    /// A real number from `least` to `most`; the ends are allowed unless `open`.
    Real {
        /// Lower end.
        least: f64,
        /// Upper end; may be infinite.
        most: f64,
        /// Whether the ends themselves are excluded.
        open: bool,
    },
    /// One of these words, each with its meaning.
    Word(&'static [(&'static str, &'static str)]),
}

/// The value that a parameter has where the file does not give one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Default {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// A word.
    Word(&'static str),
}

impl From<Default> for Value {
    fn from(default: Default) -> Self {
        match default {
            Default::Bool(value) => Self::Bool(value),
            Default::Integer(value) => Self::Integer(value),
            Default::Real(value) => Self::Real(value),
            Default::Word(value) => Self::Text(value.to_owned()),
        }
    }
}

/// Describes one parameter of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Its key in an experiment file.
    pub name: &'static str,
    /// What it may be.
    pub domain: Domain,
    /// What it is where the file is silent.
    pub default: Default,
    /// What it means, with units, in one sentence.
    pub meaning: &'static str,
}

impl Parameter {
    /// Checks a value and brings it into the parameter's type (a whole number is a real one too).
    ///
    /// # Errors
    /// What was expected instead, as a phrase that follows "expected".
    pub fn check(&self, value: Value) -> Result<Value, String> {
        let value = match (self.domain, value) {
            (Domain::Real { .. }, Value::Integer(whole)) => Value::Real(whole as f64),
            (_, value) => value,
        };
        let fits = match (self.domain, &value) {
            (Domain::Bool, Value::Bool(_)) => true,
            (Domain::Integer { least, most }, Value::Integer(v)) => (least..=most).contains(v),
            (Domain::Real { least, most, open }, Value::Real(v)) => {
                v.is_finite()
                    && (if open { least < *v && *v < most } else { least <= *v && *v <= most })
            }
            (Domain::Word(words), Value::Text(v)) => words.iter().any(|(word, _)| word == v),
            _ => false,
        };
        if fits { Ok(value) } else { Err(self.expected()) }
    }

    /// Reads a value back from its text.
    pub fn parse(&self, text: &str) -> Option<Value> {
        let value = match self.domain {
            Domain::Bool => Value::Bool(text.parse().ok()?),
            Domain::Integer { .. } => Value::Integer(text.parse().ok()?),
            Domain::Real { .. } => Value::Real(text.parse().ok()?),
            Domain::Word(_) => Value::Text(text.to_owned()),
        };
        self.check(value).ok()
    }

    /// What the parameter may be, in words.
    pub fn expected(&self) -> String {
        match self.domain {
            Domain::Bool => "true or false".to_owned(),
            Domain::Integer { least, most: i64::MAX } => format!("a whole number from {least}"),
            Domain::Integer { least, most } => format!("a whole number from {least} to {most}"),
            Domain::Real { least, most, open } => {
                let mut text = "a number".to_owned();
                if least.is_finite() {
                    let word = if open { "above" } else { "from" };
                    text += &format!(" {word} {}", real(least));
                }
                if most.is_finite() {
                    let word = if open { "below" } else { "to" };
                    text += &format!(" {word} {}", real(most));
                }
                text
            }
            Domain::Word(words) => {
                let words: Vec<String> =
                    words.iter().map(|(word, _)| format!("{word:?}")).collect();
                format!("one of {}", words.join(", "))
            }
        }
    }
}

/// The values of all parameters of one method configuration, by name. The accessors panic on a
/// name or type that the method's descriptor does not declare: values only get here checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters(Vec<(Cow<'static, str>, Value)>);

impl Parameters {
    /// Every parameter at its default.
    pub fn defaults(descriptors: &[Parameter]) -> Self {
        let default = |p: &Parameter| (Cow::Borrowed(p.name), p.default.into());
        let mut defaults: Vec<_> = descriptors.iter().map(default).collect();
        defaults.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self(defaults)
    }

    /// Sets one value.
    pub fn set(&mut self, name: &str, value: Value) {
        match self.place(name) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (Cow::Owned(name.to_owned()), value)),
        }
    }

    /// One value by name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.place(name).ok().map(|place| &self.0[place].1)
    }

    /// All values in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    /// A truth value.
    pub fn bool(&self, name: &str) -> bool {
        match self.get(name) {
            Some(Value::Bool(value)) => *value,
            other => undeclared(name, other),
        }
    }

    /// A whole number that the descriptor keeps at or above zero.
    pub fn count(&self, name: &str) -> usize {
        match self.get(name) {
            Some(Value::Integer(value)) if *value >= 0 => *value as usize,
            other => undeclared(name, other),
        }
    }

    /// A real number.
    pub fn real(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(Value::Real(value)) => *value,
            other => undeclared(name, other),
        }
    }

    /// A word.
    pub fn word(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(value)) => value,
            other => undeclared(name, other),
        }
    }
}

fn undeclared(name: &str, value: Option<&Value>) -> ! {
    panic!("parameter `{name}` is {value:?}, which its descriptor does not declare")
}

impl FromIterator<(String, Value)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(values: I) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|(name, value)| all.set(&name, value));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALPHA: Parameter = Parameter {
        name: "alpha",
        domain: Domain::Real { least: 0.0, most: 1.0, open: true },
        default: Default::Real(0.1),
        meaning: "level of the test",
    };

    #[test]
    fn whole_numbers_become_real_where_reals_are_wanted() {
        let lambda = Parameter {
            domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: false },
            ..ALPHA
        };
        assert_eq!(lambda.check(Value::Integer(3)), Ok(Value::Real(3.0)));
        assert_eq!(lambda.check(Value::Real(-1.0)), Err("a number from 0".to_owned()));
    }

    #[test]
    fn open_ends_are_excluded() {
        assert!(ALPHA.check(Value::Real(0.1)).is_ok());
        assert_eq!(ALPHA.check(Value::Real(1.0)), Err("a number above 0 below 1".to_owned()));
        assert!(ALPHA.check(Value::Text("0.1".into())).is_err());
        assert!(ALPHA.check(Value::Real(f64::NAN)).is_err());
    }
}
