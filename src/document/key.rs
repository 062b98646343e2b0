//! What a key of a file is: one descriptor drives its validation, the JSON Schema and the reference.

use std::sync::{Arc, OnceLock};

use contract::parameter::{Domain, Parameter, Preset};
use regex_lite::Regex;

/// A key.
#[derive(Debug, Clone)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value looks like.
    pub form: Form,
    /// What holds where the file is silent.
    pub absent: Absent,
    /// What it means.
    pub meaning: &'static str,
}

/// What holds where the file does not give a key.
#[derive(Debug, Clone, Copy)]
pub enum Absent {
    /// An error.
    Required,
    /// This value, in TOML.
    Value(&'static str),
    /// This value, which whoever reads the key knows.
    Preset(Preset),
    /// What these words say.
    Means(&'static str),
}

/// What a value looks like.
#[derive(Debug, Clone)]
pub enum Form {
    /// One truth value, number or word.
    One(Domain),
    /// A text of a certain shape.
    Text(&'static Pattern),
    /// One of the names of something.
    Name(Names),
    /// Any single value: its meaning depends on what it is for.
    Any,
    /// A list that is not empty, of different values.
    List(Box<Form>),
    /// A value, or a list of them.
    OneOrMany(Box<Form>),
    /// A table with these keys.
    Table(Vec<Key>),
    /// A table with exactly one of these keys, itself a table.
    OneOf(Vec<Variant>),
    /// A list whose items may repeat.
    Row(Box<Form>),
    /// The first of a range of whole numbers, and the one behind its last.
    Range,
    /// A table whose `kind` is one of these, with their keys.
    ByKind(Vec<Variant>),
    /// A table of lists: names of a noun with the values that they take.
    Lists(&'static str),
    /// A table of tables: names of a noun, each with these keys.
    Tables(&'static str, Vec<Key>),
    /// One of several forms.
    Either(Vec<Form>),
}

/// A word, as a kind or as the one key of a table, with the keys that it brings.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The word.
    pub word: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Its keys.
    pub keys: Vec<Key>,
}

/// A kind of text.
#[derive(Debug)]
pub struct Pattern {
    /// Its name in the reference.
    pub noun: &'static str,
    /// What it is, as a phrase that follows "expected".
    pub expected: &'static str,
    /// The same as a regular expression, which the JSON Schema has too.
    pub regex: &'static str,
    compiled: OnceLock<Regex>,
    by: Option<fn(&str) -> bool>,
}

impl Pattern {
    /// The texts that a regular expression matches.
    pub const fn new(noun: &'static str, expected: &'static str, regex: &'static str) -> Self {
        Self { noun, expected, regex, compiled: OnceLock::new(), by: None }
    }

    /// Those that `accepts` says, where an expression can't say it.
    #[must_use]
    pub const fn by(mut self, accepts: fn(&str) -> bool) -> Self {
        self.by = Some(accepts);
        self
    }

    /// Whether a text is one.
    pub fn accepts(&self, text: &str) -> bool {
        let compiled = || Regex::new(self.regex).expect("a regular expression");
        match self.by {
            Some(accepts) => accepts(text),
            None => self.compiled.get_or_init(compiled).is_match(text),
        }
    }
}

/// Names of something that stands elsewhere: whoever knows them fills them in ([`Form::fill`]).
#[derive(Debug, Clone)]
pub struct Names {
    /// What has such a name.
    pub noun: &'static str,
    /// Every name with its meaning.
    pub all: Arc<[(&'static str, &'static str)]>,
    /// Whether they are few enough to be listed wherever the reference speaks of them.
    pub few: bool,
}

impl Names {
    /// The names of a noun, to be filled in.
    pub fn of(noun: &'static str) -> Self {
        Self { noun, all: Arc::default(), few: false }
    }

    /// Every name.
    pub fn words(&self) -> Vec<&'static str> {
        self.all.iter().map(|(name, _)| *name).collect()
    }
}

/// Any text but blank ones.
pub static TEXT: Pattern = Pattern::new("text", "text", r"\S").by(|text| !text.trim().is_empty());

/// Names that appear in file names, in joined ids and on the command line.
pub static ID: Pattern = Pattern::new(
    "id",
    "an id: up to 100 letters, digits, `-`, `_`, `.` and `+`, beginning with a letter or digit",
    r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$",
);

impl Form {
    /// Fills in the names that a value may be, or hold.
    pub fn fill(&mut self, names: &dyn Fn(&mut Names)) {
        match self {
            Self::Name(of) => names(of),
            Self::List(item) | Self::OneOrMany(item) | Self::Row(item) => item.fill(names),
            Self::Either(forms) => forms.iter_mut().for_each(|form| form.fill(names)),
            Self::Table(keys) | Self::Tables(_, keys) => {
                keys.iter_mut().for_each(|key| key.form.fill(names));
            }
            Self::OneOf(variants) | Self::ByKind(variants) => {
                let keys = variants.iter_mut().flat_map(|variant| &mut variant.keys);
                keys.for_each(|key| key.form.fill(names));
            }
            Self::One(_) | Self::Text(_) | Self::Any | Self::Range | Self::Lists(_) => {}
        }
    }

    /// What is expected, as a phrase that follows "expected".
    pub fn expected(&self) -> String {
        match self {
            Self::One(domain) => nameless(*domain).expected(),
            Self::Text(pattern) => pattern.expected.to_owned(),
            Self::Name(names) => format!("a {}", names.noun),
            Self::Any => "one value".to_owned(),
            Self::List(item) => format!("a list; each item {}", item.expected()),
            Self::OneOrMany(item) => format!("{}; or a list of such", item.expected()),
            Self::Table(_) => "a table".to_owned(),
            Self::OneOf(variants) => {
                let words: Vec<String> =
                    variants.iter().map(|variant| format!("`{}`", variant.word)).collect();
                format!("a table with one of {}", words.join(", "))
            }
            Self::Row(item) => format!("a list, each item {}", item.expected()),
            Self::Range => "[first, end] with 0 <= first < end, the end excluded".to_owned(),
            Self::ByKind(_) => "a table with a `kind`".to_owned(),
            Self::Lists(noun) => format!("a table of lists, one a {noun}"),
            Self::Tables(noun, _) => format!("a table of tables, one a {noun}"),
            Self::Either(forms) => {
                let forms: Vec<String> = forms.iter().map(Self::expected).collect();
                forms.join("; or ")
            }
        }
    }
}

/// The key of a parameter.
impl From<&'static Parameter> for Key {
    fn from(parameter: &'static Parameter) -> Self {
        Self {
            name: parameter.name,
            form: Form::One(parameter.domain),
            absent: Absent::Preset(parameter.default),
            meaning: parameter.meaning,
        }
    }
}

/// Keys and parameters of methods are checked by the same code.
pub(super) fn nameless(domain: Domain) -> Parameter {
    Parameter::new("", domain, Preset::Bool(false), "")
}
