//! The reference of tables in Markdown, from the descriptors of their keys.

use std::fmt::{Display, Write as _};

use reprise::contract::Value;
use reprise::contract::parameter::{Domain, Preset};
use reprise::document::{Absent, Form, Key, Variant};

/// A part of a reference: what has been explained in it is not explained again.
#[derive(Debug, Default)]
pub struct Reference {
    seen: Vec<String>,
}

impl Reference {
    /// A table of keys; below it, the words that they can be and the tables that they hold.
    pub fn table(&mut self, keys: &[Key]) -> String {
        let mut text = "| key | value | default | meaning |\n|---|---|---|---|\n".to_owned();
        let mut details = String::new();
        for key in keys {
            let absent = match key.absent {
                Absent::Required => "required".to_owned(),
                Absent::Value(literal) => format!("`{literal}`"),
                Absent::Preset(Preset::Text(word)) => format!("`{word:?}`"),
                Absent::Preset(preset) => format!("`{}`", Value::from(preset)),
                Absent::Means(words) => words.to_owned(),
            };
            let value = value(&key.form);
            let meaning = key.meaning.replace('|', "\\|");
            let _ = writeln!(text, "| `{}` | {value} | {absent} | {meaning} |", key.name);
            let detail = self.detail(key.name, &key.form);
            if !self.seen.contains(&detail) {
                details += &detail;
                self.seen.push(detail);
            }
        }
        format!("{text}\n{details}")
    }

    /// Each variant with its keys; `before` and `quote` stand around its word.
    pub fn variants(&mut self, variants: &[Variant], before: &str, quote: &str) -> String {
        let mut text = String::new();
        for variant in variants {
            let _ = writeln!(
                text,
                "### `{before}{quote}{}{quote}`\n\n{}.\n",
                variant.word,
                capitalised(variant.meaning)
            );
            if !variant.keys.is_empty() {
                text += &self.table(&variant.keys);
            }
        }
        text
    }

    /// What does not fit into a table's cell.
    fn detail(&mut self, name: &str, form: &Form) -> String {
        match form {
            Form::One(Domain::Word(words)) => {
                let mut text = format!("`{name}`:\n\n");
                for (word, meaning) in words.iter() {
                    let _ = writeln!(text, "- `\"{word}\"`: {meaning}");
                }
                text + "\n"
            }
            Form::Table(keys) => format!("`{name}` is a table:\n\n{}", self.table(keys)),
            Form::Tables(noun, keys) => {
                format!("Each {noun} of `{name}` is a table:\n\n{}", self.table(keys))
            }
            Form::List(item) if matches!(**item, Form::Table(_)) => {
                let Form::Table(keys) = &**item else { return String::new() };
                format!("An item of `{name}` is a table:\n\n{}", self.table(keys))
            }
            Form::OneOf(variants) => {
                let variants = self.variants(variants, &format!("{name}."), "");
                format!("`{name}` as a table has one key:\n\n{variants}")
            }
            Form::ByKind(variants) => {
                let variants = self.variants(variants, "kind = ", "\"");
                format!("The further keys of `{name}` depend on its `kind`:\n\n{variants}")
            }
            Form::Either(forms) => forms.iter().map(|form| self.detail(name, form)).collect(),
            _ => String::new(),
        }
    }
}

/// A form in few words.
fn value(form: &Form) -> String {
    match form {
        Form::One(Domain::Word(words)) => quoted(words.iter().map(|(word, _)| word)),
        Form::One(_) => form.expected(),
        Form::Text(pattern) => pattern.noun.to_owned(),
        Form::Name(names) if names.few => quoted(names.words()),
        Form::Name(names) => names.noun.to_owned(),
        Form::Any => "truth value, number or word".to_owned(),
        Form::List(item) => format!("list: {}", value(item)),
        Form::OneOrMany(item) => format!("{0}; or list: {0}", value(item)),
        Form::Row(item) => format!("list: {}", value(item)),
        Form::Range => "`[first, end]`, the end excluded".to_owned(),
        Form::Table(_) | Form::OneOf(_) | Form::ByKind(_) => "table".to_owned(),
        Form::Lists(_) => "table of lists".to_owned(),
        Form::Tables(..) => "table of tables".to_owned(),
        Form::Either(forms) => forms.iter().map(value).collect::<Vec<_>>().join("; or "),
    }
}

fn quoted(words: impl IntoIterator<Item = impl Display>) -> String {
    words.into_iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
}

/// With a capital letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
