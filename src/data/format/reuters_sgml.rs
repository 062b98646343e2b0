//! The SGML files of Reuters-21578, distribution 1.0 (Lewis 1997): stories between `<REUTERS …>` and
//! `</REUTERS>`.
//!
//! A story is a document of its topic if it has exactly one and belongs to the ModApte split: `TOPICS` is
//! `YES` and `LEWISSPLIT` is `TRAIN` or `TEST`. Its text is its title and its body, or all of `TEXT` where
//! that has neither (unprocessed stories), with character references resolved.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::fault::{Fault, Place};
use super::{CLASS_NAME, Document, Sink, decoded, found, is_class_name};
use crate::vocabulary::{Charset, Role};

/// Gives each story of the ModApte split with one topic to `sink`. Time O(bytes).
///
/// # Errors
/// If a story lacks an attribute, a tag, or the end of one; at the byte where it was missed.
pub fn read(file: &[u8], charset: Charset, sink: Sink<'_>) -> Result<(), Fault> {
    let mut at = 0;
    while let Some(start) = position(file, at, b"<REUTERS ") {
        let story = Story { file, start };
        let end = story.find(file.len(), start, b"</REUTERS>")?;
        let tag_end = story.find(file.len(), start, b">")?;
        at = end + b"</REUTERS>".len();
        let part = match story.attribute(tag_end, b"LEWISSPLIT=\"")? {
            b"TRAIN" => Role::Train,
            b"TEST" => Role::Test,
            _ => continue,
        };
        if story.attribute(tag_end, b"TOPICS=\"")? != b"YES" {
            continue;
        }
        let topics = story.element(end, b"<TOPICS>", b"</TOPICS>")?;
        let Some(class) = only_item(&file[topics]) else { continue };
        let class = std::str::from_utf8(class).ok().filter(|name| is_class_name(name));
        let class = class.ok_or_else(|| story.malformed(start, CLASS_NAME))?;
        let text = story.element(end, b"<TEXT", b"</TEXT>")?;
        let from = text.start;
        let text = decoded(&file[text], charset)
            .map_err(|byte| story.malformed(from + byte, "a character in UTF-8"))?;
        let text = Cow::Owned(title_and_body(&text));
        if sink(Document { part: Some(part), class, fold: None, name: "", text }).is_break() {
            break;
        }
    }
    Ok(())
}

/// A story that begins at `start` of the file.
#[derive(Clone, Copy)]
struct Story<'a> {
    file: &'a [u8],
    start: usize,
}

impl<'a> Story<'a> {
    fn malformed(&self, at: usize, expected: &str) -> Fault {
        let expected = format!("{expected} in the story at byte {}", self.start);
        Fault::of_format(Place::Byte(at), expected, found(self.file, at))
    }

    /// Where something stands from a byte on, before the byte `end`.
    fn find(&self, end: usize, from: usize, what: &[u8]) -> Result<usize, Fault> {
        position(&self.file[..end], from, what).ok_or_else(|| {
            let expected = format!("`{}`", String::from_utf8_lossy(what));
            self.malformed(end, &expected)
        })
    }

    /// The value of an attribute of the story's tag, which ends at `tag_end`.
    fn attribute(&self, tag_end: usize, name: &[u8]) -> Result<&'a [u8], Fault> {
        let tag = &self.file[..tag_end];
        let missing = || {
            let expected = format!("`{}…\"`", String::from_utf8_lossy(name));
            self.malformed(tag_end, &expected)
        };
        let from = position(tag, self.start, name).ok_or_else(missing)? + name.len();
        let to = position(tag, from, b"\"").ok_or_else(missing)?;
        Ok(&tag[from..to])
    }

    /// Where the text between a tag and its end stands in the story, which ends at `end`; with the rest of
    /// the tag if `open` is not all of it.
    fn element(&self, end: usize, open: &[u8], close: &[u8]) -> Result<Range<usize>, Fault> {
        let from = self.find(end, self.start, open)? + open.len();
        Ok(from..self.find(end, from, close)?)
    }
}

/// The text of the only `<D>` element, if there is one and no other.
fn only_item(topics: &[u8]) -> Option<&[u8]> {
    let item = topics.strip_prefix(b"<D>")?.strip_suffix(b"</D>")?;
    position(item, 0, b"<").is_none().then_some(item)
}

/// Title and body of the content of `TEXT`, which begins with the rest of that tag.
fn title_and_body(text: &str) -> String {
    let between = |open: &str, close: &str| {
        let (_, after) = text.split_once(open)?;
        after.split_once(close).map(|(inside, _)| inside)
    };
    match (between("<TITLE>", "</TITLE>"), between("<BODY>", "</BODY>")) {
        (None, None) => resolved(text.split_once('>').map_or("", |(_, rest)| rest)),
        (title, body) => resolved(&[title, body].map(Option::unwrap_or_default).join("\n")),
    }
}

/// The text with its character references resolved. An ampersand that begins none is kept.
fn resolved(text: &str) -> String {
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, special)) = rest.split_once('&') {
        resolved.push_str(before);
        // The name of a reference ends before the next ampersand: no text is searched twice for its end.
        let end = special.find([';', '&']).filter(|&end| special[end..].starts_with(';'));
        let reference =
            end.and_then(|end| Some((character(&special[..end])?, &special[end + 1..])));
        let (character, after) = reference.unwrap_or(('&', special));
        resolved.push(character);
        rest = after;
    }
    resolved.push_str(rest);
    resolved
}

/// The character that a reference names.
fn character(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        _ => char::from_u32(name.strip_prefix('#')?.parse().ok()?),
    }
}

fn position(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    Some(from + memmem::find(bytes.get(from..)?, what)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    fn documents(file: &str) -> Result<Vec<String>, String> {
        let mut documents = Vec::new();
        let mut sink = |document: Document<'_>| {
            let part = document.part.map_or("", Role::word);
            documents.push(format!("{part} {}: {}", document.class, document.text));
            ControlFlow::Continue(())
        };
        read(file.as_bytes(), Charset::Utf8, &mut sink).map_err(|error| error.to_string())?;
        Ok(documents)
    }

    fn story(topics: &str, split: &str, items: &str, text: &str) -> String {
        format!(
            "<REUTERS TOPICS=\"{topics}\" LEWISSPLIT=\"{split}\" NEWID=\"1\">\n\
             <TOPICS>{items}</TOPICS>\n{text}\n</REUTERS>\n"
        )
    }

    #[test]
    fn stories_of_the_split_with_one_topic_are_documents() {
        let text = "<TEXT>&#2;<TITLE>A &lt;B> &amp; C</TITLE><DATELINE>no</DATELINE>\
                    <BODY>1 &#60; 2 & 3; &x;</BODY></TEXT>";
        let file = [
            "<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n".to_owned(),
            story("YES", "TRAIN", "<D>earn</D>", text),
            story("YES", "TRAIN", "<D>earn</D><D>acq</D>", text),
            story("YES", "TRAIN", "", text),
            story("NO", "TRAIN", "<D>earn</D>", text),
            story("YES", "NOT-USED", "<D>earn</D>", text),
            story("YES", "TEST", "<D>money-fx</D>", "<TEXT TYPE=\"UNPROC\">&#9;all\nof it</TEXT>"),
        ];
        let expected = ["train earn: A <B> & C\n1 < 2 & 3; &x;", "test money-fx: \tall\nof it"];
        assert_eq!(documents(&file.concat()), Ok(expected.map(str::to_owned).to_vec()));
    }

    /// A hundred thousand ampersands and no end of a reference: were the end of each looked for in all of the
    /// rest, these were ten thousand million steps.
    #[test]
    fn ampersands_without_an_end_cost_no_more_than_other_characters() {
        let text = "&".repeat(100_000);
        let start = std::time::Instant::now();
        assert_eq!(resolved(&text), text);
        assert_eq!(resolved(&"&lt".repeat(100_000)).len(), 300_000);
        assert!(start.elapsed() < std::time::Duration::from_secs(1));
        assert_eq!(resolved("&a&lt;b;&#38;lt;&;"), "&a<b;&lt;&;");
    }

    #[test]
    fn a_malformed_story_is_named_by_its_byte() {
        let good = story("YES", "TRAIN", "<D>earn</D>", "<TEXT>x</TEXT>");
        let second = good.len();
        for (from, to, message) in [
            (
                "</REUTERS>",
                "",
                format!(
                    "byte {}: expected `</REUTERS>` in the story at byte {second}, found the end of the file",
                    2 * second - 10
                ),
            ),
            (
                "LEWISSPLIT=",
                "SPLIT=",
                format!(
                    "byte {}: expected `LEWISSPLIT=\"…\"` in the story at byte {second}, found `>`",
                    second + 45
                ),
            ),
            (
                "</TOPICS>",
                "",
                format!(
                    "byte {}: expected `</TOPICS>` in the story at byte {second}, found `<`",
                    2 * second - 20
                ),
            ),
            (
                "earn",
                "ea/n",
                format!(
                    "byte {second}: expected a class name of letters, digits, `-`, `_` and `.` in the story at byte {second}, found `<`"
                ),
            ),
        ] {
            let file = format!("{good}{}", good.replace(from, to));
            assert_eq!(documents(&file), Err(message));
        }
    }
}
