//! Reads typed values from a TOML table and collects every mistake with its place.

use std::fmt;
use std::ops::Range;

use miette::{NamedSource, SourceSpan};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The mistakes of a registry file.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the dataset registry {name} has {}", mistakes(.problems.len()))]
pub struct RegistryErrors {
    /// What the file is called.
    pub name: String,
    /// Its text.
    #[source_code]
    pub text: NamedSource<String>,
    /// The mistakes in the order of their lines.
    #[related]
    pub problems: Vec<Problem>,
}

/// One mistake in a registry file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("line {line}: {message}")]
pub struct Problem {
    /// What is wrong and what was expected.
    pub message: String,
    /// Its line, from 1.
    pub line: usize,
    /// The offending text.
    #[label("here")]
    pub span: SourceSpan,
    /// What to do.
    #[help]
    pub help: Option<String>,
}

fn mistakes(count: usize) -> String {
    if count == 1 { "a mistake".to_owned() } else { format!("{count} mistakes") }
}

/// The name among `names` that `word` was probably meant to be.
pub(in crate::data) fn nearest<'a>(
    word: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .filter(|&(distance, name)| distance <= 1 + word.len().max(name.len()) / 4)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Collects the mistakes of one text.
pub(super) struct Reader<'t> {
    text: &'t str,
    problems: Vec<Problem>,
}

/// A table with its place.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub fields: &'a DeTable<'a>,
    pub span: (usize, usize),
}

impl<'a> Table<'a> {
    /// The value of a key, if it is there.
    pub fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.fields.get(key)
    }

    /// The place of a key's value, or of the table if it has none.
    pub fn place(&self, key: &str) -> Range<usize> {
        self.get(key).map_or(self.span.0..self.span.1, Spanned::span)
    }
}

impl<'t> Reader<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, problems: Vec::new() }
    }

    /// Notes a mistake.
    pub fn mistake(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let start = span.start.min(self.text.len());
        let line = 1 + self.text.as_bytes()[..start].iter().filter(|&&b| b == b'\n').count();
        self.problems.push(Problem {
            message: message.into(),
            line,
            span: (start, span.len()).into(),
            help,
        });
    }

    /// How many mistakes there are so far.
    pub fn count(&self) -> usize {
        self.problems.len()
    }

    /// The result, or all mistakes.
    pub fn finish<T>(mut self, name: &str, value: T) -> Result<T, RegistryErrors> {
        if self.problems.is_empty() {
            return Ok(value);
        }
        self.problems.sort_by_key(|problem| problem.span.offset());
        Err(RegistryErrors {
            name: name.to_owned(),
            text: NamedSource::new(name, self.text.to_owned()).with_language("toml"),
            problems: self.problems,
        })
    }

    /// Notes every key that is not known.
    pub fn only(&mut self, table: &Table<'_>, known: &[&str]) {
        for key in table.fields.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let help = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known keys: {}", known.join(", ")),
                };
                self.mistake(key.span(), format!("unknown key `{name}`"), Some(help));
            }
        }
    }

    /// Notes that a key is missing.
    pub fn missing(&mut self, table: &Table<'_>, key: &str, what: &str) {
        let span = table.span.0..table.span.1;
        self.mistake(span, format!("`{key}` is missing: {what}"), None);
    }

    fn wrong(&mut self, value: &Spanned<DeValue<'_>>, key: &str, expected: impl fmt::Display) {
        let found = value.get_ref().type_str();
        self.mistake(value.span(), format!("`{key}` must be {expected}, not a {found}"), None);
    }

    /// A table.
    pub fn table<'a>(&mut self, value: &'a Spanned<DeValue<'a>>, key: &str) -> Option<Table<'a>> {
        match value.get_ref() {
            DeValue::Table(fields) => {
                let span = value.span();
                Some(Table { fields, span: (span.start, span.end) })
            }
            _ => {
                self.wrong(value, key, "a table");
                None
            }
        }
    }

    /// The tables of an array.
    pub fn tables<'a>(&mut self, table: &Table<'a>, key: &str) -> Option<Vec<Table<'a>>> {
        let value = table.get(key)?;
        let Some(items) = value.get_ref().as_array() else {
            self.wrong(value, key, "an array of tables");
            return None;
        };
        if items.is_empty() {
            self.mistake(value.span(), format!("`{key}` is empty: name at least one"), None);
        }
        let tables: Vec<Option<Table<'a>>> =
            items.iter().map(|item| self.table(item, key)).collect();
        tables.into_iter().collect()
    }

    /// A text, if it is there.
    pub fn text<'a>(&mut self, table: &Table<'a>, key: &str) -> Option<&'a str> {
        let value = table.get(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.wrong(value, key, "a string");
        }
        text
    }

    /// A text that must be there.
    pub fn needed_text(&mut self, table: &Table<'_>, key: &str, what: &str) -> Option<String> {
        if table.get(key).is_none() {
            self.missing(table, key, what);
        }
        self.text(table, key).map(str::to_owned)
    }

    /// One of a list of words.
    pub fn word<T: Copy>(
        &mut self,
        table: &Table<'_>,
        key: &str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let known = || words.iter().map(|&(word, _)| word);
        if table.get(key).is_none() {
            let list: Vec<&str> = known().collect();
            self.missing(table, key, &format!("one of {}", list.join(", ")));
        }
        let text = self.text(table, key)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|&(_, value)| value);
        if found.is_none() {
            let list: Vec<&str> = known().collect();
            let help = nearest(text, known()).map(|near| format!("did you mean `{near}`?"));
            self.mistake(
                table.place(key),
                format!("`{text}` is no {key}; known: {}", list.join(", ")),
                help,
            );
        }
        found
    }

    /// A whole number, if it is there.
    pub fn whole(&mut self, table: &Table<'_>, key: &str) -> Option<u64> {
        let value = table.get(key)?;
        let number = whole(value.get_ref());
        if number.is_none() {
            self.wrong(value, key, "a whole number, zero or more");
        }
        number
    }

    /// A whole number that must be there.
    pub fn needed_whole(&mut self, table: &Table<'_>, key: &str, what: &str) -> Option<u64> {
        if table.get(key).is_none() {
            self.missing(table, key, what);
        }
        self.whole(table, key)
    }

    /// A number of things that must be there.
    pub fn needed_size(&mut self, table: &Table<'_>, key: &str, what: &str) -> Option<usize> {
        let number = self.needed_whole(table, key, what)?;
        let size = u32::try_from(number).ok().map(|size| size as usize);
        if size.is_none() {
            self.mistake(
                table.place(key),
                format!("`{key}` is too large: at most {}", u32::MAX),
                None,
            );
        }
        size
    }

    /// `[first, end]`, the end excluded, if it is there.
    pub fn range(&mut self, table: &Table<'_>, key: &str) -> Option<Range<usize>> {
        let value = table.get(key)?;
        let items = value.get_ref().as_array();
        let ends = items.and_then(|items| match &items[..] {
            [first, end] => {
                let end_of = |value: &Spanned<DeValue<'_>>| {
                    whole(value.get_ref()).and_then(|number| usize::try_from(number).ok())
                };
                end_of(first).zip(end_of(end)).filter(|(first, end)| first < end)
            }
            _ => None,
        });
        if ends.is_none() {
            self.mistake(
                value.span(),
                format!("`{key}` must be [first, end] with 0 <= first < end, the end excluded"),
                None,
            );
        }
        ends.map(|(first, end)| first..end)
    }

    /// Two real numbers that must be there.
    pub fn needed_pair(&mut self, table: &Table<'_>, key: &str, what: &str) -> Option<[f64; 2]> {
        let Some(value) = table.get(key) else {
            self.missing(table, key, what);
            return None;
        };
        let pair = value.get_ref().as_array().and_then(|items| match &items[..] {
            [low, high] => Some([real(low.get_ref())?, real(high.get_ref())?]),
            _ => None,
        });
        if pair.is_none() {
            self.wrong(value, key, "two numbers, [low, high]");
        }
        pair
    }
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    let integer = value.as_integer()?;
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn real(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => whole(value).map(|number| number as f64),
    }
}
