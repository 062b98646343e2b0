//! The text of a file to a tree.

use base::printable::{self, is_hidden};
use contract::Value;
use toml::de::{DeTable, DeValue};

use super::error::{DocumentError, Faults};
use super::tree::{Content, Entry, Node, Span, Table};

/// Parses a whole file. Syntax errors go to `faults`; the tree then has the sections without any.
pub fn parse(text: &str, faults: &mut Faults) -> Table {
    let (root, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return table(root.get_ref(), 0..0, faults);
    }
    // One error can make nonsense of all that follows it, so sections are parsed on their own, and
    // the first error of each is worth reading.
    let mut sound = String::with_capacity(text.len());
    for section in sections(text) {
        let alone = &text[section.clone()];
        match DeTable::parse_recoverable(alone).1.first() {
            Some(error) => {
                syntax_error(error, section.start, faults);
                sound += &blanked(alone);
            }
            None => sound += alone,
        }
    }
    if faults.is_empty() {
        // Of a header that comes again the keys do too.
        let header = |error: &&toml::de::Error| {
            let before = error.span().map_or("", |span| &text[..span.start]);
            before.ends_with('[') && !before.ends_with("[[")
        };
        match errors.iter().find(header) {
            Some(again) => {
                let help = "write it once, or where there may be several in double brackets, as `[[method]]`";
                syntax_error(again, 0, faults).help(help);
            }
            None => {
                for error in &errors {
                    syntax_error(error, 0, faults);
                }
            }
        }
    }
    match DeTable::parse(&sound) {
        Ok(root) => table(root.get_ref(), 0..0, faults),
        Err(_) => Table { entries: Vec::new(), span: 0..0 },
    }
}

/// Reports an error of a text that begins at byte `start` of the file.
fn syntax_error<'f>(
    error: &toml::de::Error,
    start: usize,
    faults: &'f mut Faults,
) -> &'f mut DocumentError {
    let span = error.span().unwrap_or(0..0);
    faults.at(&(start + span.start..start + span.end), "this is not valid TOML", error.message())
}

/// The bytes of each section: from its header, or the beginning, to the next one's. The tables
/// inside `[section]` and `[[section]]`, such as `[section.inner]`, are parts of it.
fn sections(text: &str) -> Vec<Span> {
    let mut starts = vec![0];
    let mut start = 0;
    let mut outer = "";
    for line in text.split_inclusive('\n') {
        let name = line.trim_start_matches('[');
        if name.len() < line.len() && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let end = name.find(['.', ']']).unwrap_or(name.len());
            let inner = name[end..].starts_with('.');
            if !inner || name[..end] != *outer {
                starts.push(start);
            }
            if !inner {
                outer = &name[..end];
            }
        }
        start += line.len();
    }
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| *start..end).collect()
}

/// Spaces in place of all bytes of a text; lines stay.
fn blanked(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

/// The value of a literal that the program itself holds, such as a key's default.
pub fn literal(text: &str, span: &Span) -> Option<Node> {
    let value = DeValue::parse(text).ok()?;
    let mut faults = Faults::new("", text);
    let mut node = node("", value.get_ref(), span.clone(), &mut faults);
    if let Content::List(items) = &mut node.content {
        items.iter_mut().for_each(|item| item.span = span.clone());
    }
    Some(node)
}

fn table(source: &DeTable<'_>, span: Span, faults: &mut Faults) -> Table {
    let entries = source
        .iter()
        .map(|(key, value)| {
            let (name, key_span) = (key.get_ref(), key.span());
            let node = node(name, value.get_ref(), value.span(), faults);
            Entry { key: seen(name, "a key", false, &key_span, faults), key_span, node }
        })
        .collect();
    Table { entries, span }
}

/// Keys whose texts are sentences, and may have several lines.
const PROSE: [&str; 5] = ["question", "why", "text", "citation", "licence"];

/// The text, if all of it can be seen; else that is reported.
fn seen(text: &str, what: &str, prose: bool, span: &Span, faults: &mut Faults) -> String {
    let text = if prose { text.replace("\r\n", "\n") } else { text.to_owned() };
    let hidden = |c| is_hidden(c) || (!prose && matches!(c, '\n' | '\t'));
    let Some(first) = text.chars().find(|&c| hidden(c)) else { return text };
    let message = format!("{what} can't hold the character {}", printable::name(first));
    faults.at(span, message, "it can't be seen here").help(
        "write it without control characters and marks of direction; only sentences, such as `why`, \
         may have line breaks and tabs",
    );
    text.replace(hidden, "\u{fffd}")
}

/// The value of this key.
fn node(key: &str, value: &DeValue<'_>, span: Span, faults: &mut Faults) -> Node {
    let content = match value {
        DeValue::String(text) => {
            let what = format!("`{key}`");
            let text = seen(text, &what, PROSE.contains(&key), &span, faults);
            Content::Scalar(Value::Text(text))
        }
        DeValue::Boolean(truth) => Content::Scalar(Value::Bool(*truth)),
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(whole) => Content::Scalar(Value::Integer(whole)),
            Err(_) => {
                faults.at(&span, "this whole number is too large", "beyond 64 bits");
                Content::Unreadable
            }
        },
        DeValue::Float(digits) => match digits.as_str().parse::<f64>() {
            Ok(real) if real.is_finite() => Content::Scalar(Value::Real(real)),
            _ => {
                faults.at(&span, "a number must be finite", "not a finite number");
                Content::Unreadable
            }
        },
        DeValue::Datetime(_) => Content::Date,
        DeValue::Array(items) => Content::List(
            items.iter().map(|item| node(key, item.get_ref(), item.span(), faults)).collect(),
        ),
        DeValue::Table(inner) => Content::Table(table(inner, span.clone(), faults)),
    };
    Node { content, span }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn messages(text: &str) -> Vec<String> {
        let mut faults = Faults::new("t.toml", text);
        parse(text, &mut faults);
        faults.into_errors("t.toml").errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn texts_that_can_not_be_seen_are_refused() {
        for (text, message) in [
            (r#"title = "a\u001b[31m""#, "`title` can't hold the character U+001B"),
            (r#"title = "a\u0000""#, "`title` can't hold the character U+0000"),
            (r#"title = "a\u009b""#, "`title` can't hold the character U+009B"),
            ("title = \"a\u{202e}b\"", "`title` can't hold the character U+202E"),
            ("title = \"a\u{2028}b\"", "`title` can't hold the character U+2028"),
            (r#"title = "a\nb""#, "`title` can't hold the character U+000A"),
            (r#"title = "a\tb""#, "`title` can't hold the character U+0009"),
            (r#"datasets = ["a", "\u0007"]"#, "`datasets` can't hold the character U+0007"),
            (r#"a = { title = "\r" }"#, "`title` can't hold the character U+000D"),
            (r#"why = "a\rb""#, "`why` can't hold the character U+000D"),
            (r#""a\u001b" = 1"#, "a key can't hold the character U+001B"),
        ] {
            assert_eq!(messages(text), [message], "{text:?}");
        }
        for text in [r#"why = "a\n\tb""#, "why = '''\r\na\r\n'''", "title = \"é − 日本 🙂\""]
        {
            assert_eq!(messages(text), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = 100_000;
        for text in [
            format!("a = {}", "[".repeat(deep)),
            format!("a = {}1{}", "[".repeat(deep), "]".repeat(deep)),
            format!("a = {}", "{ a = ".repeat(deep)),
            format!("{} = 1", vec!["a"; deep].join(".")),
            format!("[{}]", vec!["a"; deep].join(".")),
            format!("[[{}]]\na = 1", vec!["a"; deep].join(".")),
        ] {
            assert!(!messages(&text).is_empty(), "{}…", &text[..20]);
        }
        // As deep as the parser lets a tree be.
        let path = vec!["a"; 79].join(".");
        let text = format!("[{path}]\n{path} = {}1{}", "[".repeat(70), "]".repeat(70));
        assert_eq!(messages(&text), [""; 0]);
    }

    /// Each section is parsed on its own when one is wrong: that must not cost the whole file each time.
    #[test]
    fn many_sections_with_errors_are_read_at_once() {
        let text = "[a]\nx = \n".repeat(20_000);
        let start = Instant::now();
        let messages = messages(&text);
        assert_eq!(messages.len(), 101);
        assert_eq!(messages[100], "19900 more are not shown");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
