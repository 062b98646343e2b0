//! Parameters of methods: one descriptor drives validation, grids, `reprise methods`, the JSON
//! Schema and the documentation, and a typed handle around it is what a method reads its value by.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::RangeInclusive;

use crate::words::{Listed, Worded, Words};
pub use crate::{Preset, Value};
pub use crate::{parameters, settings};
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
    Word(&'static dyn Listed),
    /// One of the values that the file gives, of any type: what else it may be, only a program knows.
    Given(&'static [Value]),
}

/// Describes one parameter of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Its key in an experiment file.
    pub name: &'static str,
    /// What it may be.
    pub domain: Domain,
    /// What it is where the file is silent.
    pub default: Preset,
    /// What it means, with units, in one sentence.
    pub meaning: &'static str,
    /// Where it is read; none where it always is.
    pub under: Option<Under>,
    /// Whether it came after results were sealed: at its default it enters no key, so that those stay what they are.
    pub later: bool,
}

/// A parameter is read only where another one has this word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Under {
    /// The other one's name.
    pub parameter: &'static str,
    /// The word.
    pub word: &'static str,
}

impl Under {
    /// Whether a value of the other one is the word.
    pub fn holds(&self, value: &Value) -> bool {
        matches!(value, Value::Text(word) if word == self.word)
    }
}

impl Parameter {
    /// One that is always read.
    pub const fn new(
        name: &'static str,
        domain: Domain,
        default: Preset,
        meaning: &'static str,
    ) -> Self {
        Self { name, domain, default, meaning, under: None, later: false }
    }

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
            (Domain::Given(values), value) => values.contains(value),
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
            Domain::Given(values) => values.iter().find(|v| v.to_string() == text)?.clone(),
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
            Domain::Given(values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                format!(
                    "one of the values that the method gives it ({}); several stand in `sweep` or `grid`",
                    values.join(", ")
                )
            }
        }
    }
}

/// A parameter together with the type that its value is read as.
#[derive(Debug, Clone, Copy)]
pub struct Typed<T: 'static> {
    /// Its descriptor.
    pub parameter: Parameter,
    read: Read<T>,
}

/// How a value is read.
#[derive(Debug, Clone, Copy)]
enum Read<T: 'static> {
    By(fn(&Value) -> Option<T>),
    Word(&'static Words<T>),
}

/// A parameter that is true or false.
pub type Flag = Typed<bool>;

/// A parameter that counts something.
pub type Count = Typed<usize>;

/// A parameter that is a real number.
pub type Real = Typed<f64>;

/// A parameter that is one of several words, each of which stands for a `T`.
pub type Choice<T> = Typed<T>;

/// What a parameter's value is read as.
pub trait ReadAs {
    /// The type.
    type Value;
}

impl<T> ReadAs for Typed<T> {
    type Value = T;
}

impl<T> Typed<T> {
    /// The same, read only where `other` has this word.
    #[must_use]
    pub const fn under<U>(mut self, other: &Choice<U>, word: &'static str) -> Self {
        self.parameter.under = Some(Under { parameter: other.parameter.name, word });
        self
    }

    /// The same, with another meaning.
    #[must_use]
    pub const fn meaning(mut self, meaning: &'static str) -> Self {
        self.parameter.meaning = meaning;
        self
    }

    /// The same, added [`later`](Parameter::later).
    #[must_use]
    pub const fn later(mut self) -> Self {
        self.parameter.later = true;
        self
    }
}

impl<T: Copy> Typed<T> {
    /// Reads a value of the parameter's domain; none of any other.
    pub fn read(&self, value: &Value) -> Option<T> {
        match (self.read, value) {
            (Read::By(read), value) => read(value),
            (Read::Word(words), Value::Text(word)) => words.value(word),
            (Read::Word(_), _) => None,
        }
    }
}

impl Flag {
    /// One that is `preset` where the file is silent.
    pub const fn flag(name: &'static str, preset: bool, meaning: &'static str) -> Self {
        let parameter = Parameter::new(name, Domain::Bool, Preset::Bool(preset), meaning);
        Self { parameter, read: Read::By(Value::flag) }
    }
}

impl Count {
    /// A whole number in `range`, whose start is not negative.
    pub const fn within(
        name: &'static str,
        range: RangeInclusive<i64>,
        preset: i64,
        meaning: &'static str,
    ) -> Self {
        let domain = Domain::Integer { least: *range.start(), most: *range.end() };
        let parameter = Parameter::new(name, domain, Preset::Integer(preset), meaning);
        Self { parameter, read: Read::By(Value::count) }
    }

    /// A whole number from `least` on.
    pub const fn from(name: &'static str, least: i64, preset: i64, meaning: &'static str) -> Self {
        Self::within(name, least..=i64::MAX, preset, meaning)
    }
}

impl Real {
    const fn of(name: &'static str, domain: Domain, preset: f64, meaning: &'static str) -> Self {
        let parameter = Parameter::new(name, domain, Preset::Real(preset), meaning);
        Self { parameter, read: Read::By(Value::number) }
    }

    /// A number in `range`, the ends included.
    pub const fn within(
        name: &'static str,
        range: RangeInclusive<f64>,
        preset: f64,
        meaning: &'static str,
    ) -> Self {
        let domain = Domain::Real { least: *range.start(), most: *range.end(), open: false };
        Self::of(name, domain, preset, meaning)
    }

    /// A number above `least` and below `most`.
    pub const fn between(
        name: &'static str,
        least: f64,
        most: f64,
        preset: f64,
        meaning: &'static str,
    ) -> Self {
        Self::of(name, Domain::Real { least, most, open: true }, preset, meaning)
    }

    /// A number above 0.
    pub const fn positive(name: &'static str, preset: f64, meaning: &'static str) -> Self {
        Self::between(name, 0.0, f64::INFINITY, preset, meaning)
    }

    /// A number from 0 on.
    pub const fn not_negative(name: &'static str, preset: f64, meaning: &'static str) -> Self {
        Self::within(name, 0.0..=f64::INFINITY, preset, meaning)
    }
}

impl<T: Worded> Choice<T> {
    /// One of its words, the word `preset` where the file is silent.
    pub const fn worded(name: &'static str, preset: &'static str, meaning: &'static str) -> Self {
        Self::new(name, const { &T::WORDS }, preset, meaning)
    }
}

impl<T: Debug + Sync> Choice<T> {
    /// One of `words`, the word `preset` where the file is silent.
    pub const fn new(
        name: &'static str,
        words: &'static Words<T>,
        preset: &'static str,
        meaning: &'static str,
    ) -> Self {
        let (domain, default) = (Domain::Word(words), Preset::Text(preset));
        let parameter = Parameter::new(name, domain, default, meaning);
        Self { parameter, read: Read::Word(words) }
    }
}

/// The descriptors of typed parameters, as the list of a [`MethodEntry`](crate::MethodEntry); behind `in`, those of several lists.
#[macro_export]
macro_rules! parameters {
    (in $($list:expr),* $(,)?) => {
        const {
            const LISTS: &[&[$crate::parameter::Parameter]] = &[$($list),*];
            &$crate::joined::<_, { $crate::count(LISTS) }>(LISTS)
        }
    };
    ($($typed:expr),* $(,)?) => { &[$($typed.parameter),*] };
}

/// Declares parameters, each with the constant that it is asked for by; in a struct also what a method reads of them, a field each.
///
/// ```
/// use reprise_contract::parameter::{Count, Parameters, Real};
/// use reprise_contract::settings;
///
/// settings! {
///     /// How neighbours vote.
///     pub struct Settings {
///         K k: Count::from(1, 5), "number of neighbours";
///         POWER power: Real::positive(2.0), "of the distances";
///     }
/// }
/// settings! { PRIOR prior: Real::positive(1.0), "votes that every class has"; }
///
/// let parameters = Parameters::defaults(Settings::PARAMETERS);
/// let settings = Settings::read(&parameters);
/// assert_eq!((settings.k, settings.power, parameters.get(&K)), (5, 2.0, 5));
/// assert_eq!(parameters.get(&PRIOR), 1.0);
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$attribute:meta])*
        $seen:vis struct $name:ident {
            $($constant:ident $field:ident: $kind:ident $(<$of:ty>)? :: $make:ident($($argument:expr),* $(,)?), $meaning:literal
              $(.$what:ident($($with:expr),*))*;)*
        }
    ) => {
        $crate::settings! {
            $($seen $constant $field: $kind$(<$of>)?::$make($($argument),*), $meaning$(.$what($($with),*))*;)*
        }

        $(#[$attribute])*
        #[derive(Debug, Clone, Copy)]
        $seen struct $name {
            $(#[doc = concat!($meaning, "\n")] $seen $field: <$kind$(<$of>)? as $crate::parameter::ReadAs>::Value,)*
        }

        impl $name {
            /// The parameters.
            $seen const PARAMETERS: &[$crate::parameter::Parameter] = $crate::parameters![$($constant),*];

            /// Reads them.
            $seen fn read(parameters: &$crate::parameter::Parameters) -> Self {
                Self { $($field: parameters.get(&$constant)),* }
            }
        }
    };
    ($($seen:vis $constant:ident $field:ident: $kind:ident $(<$of:ty>)? :: $make:ident($($argument:expr),* $(,)?), $meaning:literal
       $(.$what:ident($($with:expr),*))*;)*) => {
        $(
            #[doc = concat!($meaning, "\n")]
            $seen const $constant: $kind$(<$of>)? =
                $kind$(::<$of>)?::$make(stringify!($field), $($argument,)* $meaning)$(.$what($($with),*))*;
        )*
    };
}

/// The values of all parameters of one method configuration, by name.
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

    /// Sets one value, which must be one of its parameter's domain.
    pub fn set(&mut self, name: &str, value: Value) {
        match self.place(name) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (Cow::Owned(name.to_owned()), value)),
        }
    }

    /// Without those that are not read, and without later ones that say nothing new.
    #[must_use]
    pub fn in_use(mut self, descriptors: &[Parameter]) -> Self {
        let idle = descriptors.iter().filter(|descriptor| {
            let other = |under: Under| self.value(under.parameter).map(|value| under.holds(value));
            let says_nothing = || self.value(descriptor.name) == Some(&descriptor.default.into());
            descriptor.under.and_then(other) == Some(false) || descriptor.later && says_nothing()
        });
        let idle: Vec<&str> = idle.map(|descriptor| descriptor.name).collect();
        self.0.retain(|(name, _)| !idle.contains(&&**name));
        self
    }

    /// What a parameter is: its default where no value is set.
    ///
    /// # Panics
    /// If the value is not of the parameter's domain: only checked values are set.
    pub fn get<T: Copy>(&self, typed: &Typed<T>) -> T {
        let parameter = &typed.parameter;
        let default = || Value::from(parameter.default);
        let value = self.value(parameter.name).cloned().unwrap_or_else(default);
        match typed.read(&value) {
            Some(read) => read,
            None => {
                panic!("`{}` is {value:?}; {} was checked", parameter.name, parameter.expected())
            }
        }
    }

    /// One value by name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.place(name).ok().map(|place| &self.0[place].1)
    }

    /// All values in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(name))
    }
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

    const ALPHA: Real = Real::between("alpha", 0.0, 1.0, 0.1, "level of the test");
    const LAMBDA: Real = Real::not_negative("lambda", 1.0, "weight of the penalty");
    const SIDE: Choice<i8> = Choice::new(
        "side",
        &Words(&[("left", -1, "of the road"), ("right", 1, "of the road")]),
        "right",
        "where to drive",
    );

    #[test]
    fn whole_numbers_become_real_where_reals_are_wanted() {
        assert_eq!(LAMBDA.parameter.check(Value::Integer(3)), Ok(Value::Real(3.0)));
        assert_eq!(LAMBDA.parameter.check(Value::Real(-1.0)), Err("a number from 0".to_owned()));
    }

    #[test]
    fn what_is_not_read_is_left_out() {
        const SPEED: Count = Count::from("speed", 1, 50, "in km/h").under(&SIDE, "right");
        let descriptors = parameters![ALPHA, SIDE, SPEED];
        let mut parameters = Parameters::defaults(descriptors);
        assert_eq!(parameters.clone().in_use(descriptors), parameters);
        parameters.set("side", Value::Text("left".to_owned()));
        let read = parameters.in_use(descriptors);
        assert_eq!(read.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["alpha", "side"]);
    }

    /// Results that were sealed before the parameter was there keep their keys.
    #[test]
    fn a_later_parameter_is_left_out_at_its_default() {
        const SIDEWALK: Choice<i8> =
            Choice::new("sidewalk", &Words(&[("none", 0, ""), ("one", 1, "")]), "none", "").later();
        let descriptors = parameters![ALPHA, SIDEWALK];
        let mut parameters = Parameters::defaults(descriptors);
        let names = |parameters: &Parameters| {
            let used = parameters.clone().in_use(descriptors);
            used.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&parameters), ["alpha"]);
        parameters.set("sidewalk", Value::Text("one".to_owned()));
        assert_eq!(names(&parameters), ["alpha", "sidewalk"]);
    }

    #[test]
    fn open_ends_are_excluded() {
        let check = |value| ALPHA.parameter.check(value);
        assert!(check(Value::Real(0.1)).is_ok());
        assert_eq!(check(Value::Real(1.0)), Err("a number above 0 below 1".to_owned()));
        assert!(check(Value::Text("0.1".into())).is_err());
        assert!(check(Value::Real(f64::NAN)).is_err());
    }

    #[test]
    fn values_are_read_as_their_type_and_defaults_where_none_is_set() {
        let mut parameters = Parameters::defaults(parameters![ALPHA, SIDE]);
        assert_eq!((parameters.get(&ALPHA), parameters.get(&SIDE)), (0.1, 1));
        parameters.set("side", SIDE.parameter.parse("left").unwrap());
        assert_eq!((parameters.get(&SIDE), parameters.get(&LAMBDA)), (-1, 1.0));
        assert_eq!(SIDE.parameter.parse("up"), None);
    }

    #[test]
    #[should_panic(expected = "`alpha` is Bool(true)")]
    fn a_value_of_another_type_is_no_default() {
        let mut parameters = Parameters::defaults(parameters![ALPHA]);
        parameters.set("alpha", Value::Bool(true));
        parameters.get(&ALPHA);
    }

    #[test]
    fn what_is_given_comes_back_in_its_own_type() {
        static VALUES: [Value; 3] = [Value::Real(1.0), Value::Integer(2), Value::Bool(true)];
        let domain = Domain::Given(&VALUES);
        let given = Parameter::new("C", domain, Preset::Real(1.0), "a parameter of the estimator");
        for value in &VALUES {
            assert_eq!(given.parse(&value.to_string()).as_ref(), Some(value));
            assert_eq!(given.check(value.clone()).as_ref(), Ok(value));
        }
        // To a program a whole number is no real one.
        assert_eq!(given.parse("3"), None);
        let expected = given.check(Value::Integer(1)).unwrap_err();
        assert!(expected.starts_with("one of the values that the method gives it (1, 2, true)"));
    }
}
