//! Archives of one document a file, whose paths tell the class, and may tell the part of the published
//! split and the fold.

use std::borrow::Cow;
use std::io::Read;
use std::ops::ControlFlow;

use super::archive::{for_each, within};
use super::fault::{Fault, Place};
use super::{
    CLASS_NAME, Document, Sink, Unreadable, decoded, excerpt, found, is_class_name, newsgroup,
};
use crate::vocabulary::{Charset, Role};
use base::words::Worded as _;
use regex_lite::Regex;

/// Which files of an archive are documents: their paths, with `{class}`, `{part}` (`train`, `valid` or
/// `test`), `{fold}` (a digit) and `{name}` in the places of what differs. No placeholder matches a `/`.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

/// The most placeholders, and texts between them, of a pattern.
const MOST_PIECES: usize = 64;

/// What placeholders stand for: the shortest texts that fit.
const PLACEHOLDERS: [(&str, &str); 4] = [
    ("class", "(?<class>[^/]+?)"),
    ("part", "(?<part>train|valid|test)"),
    ("fold", "(?<fold>[0-9])"),
    ("name", "[^/]+?"),
];

/// What a path tells of its document.
#[derive(Debug, PartialEq)]
struct Told<'a> {
    class: &'a str,
    part: Option<Role>,
    fold: Option<u32>,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut expression, mut pieces) = ("^".to_owned(), 0);
        let mut rest = text;
        while !rest.is_empty() {
            let (literal, open) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
            expression += &regex_lite::escape(literal);
            let Some(open) = open.strip_prefix('{') else { break };
            let (word, after) =
                open.split_once('}').ok_or_else(|| format!("`{text}` lacks a `}}`"))?;
            let (_, texts) =
                PLACEHOLDERS.into_iter().find(|(known, _)| *known == word).ok_or_else(|| {
                    format!("`{{{word}}}` is none of {{class}}, {{part}}, {{fold}}, {{name}}")
                })?;
            if word != "name" && expression.contains(texts) {
                return Err(format!("`{{{word}}}` stands twice"));
            }
            expression += texts;
            pieces += 1 + usize::from(!literal.is_empty());
            if pieces > MOST_PIECES {
                return Err(format!("the pattern has more than {MOST_PIECES} pieces"));
            }
            rest = after;
        }
        let pattern = Regex::new(&(expression + "$")).map(Self);
        let pattern = pattern.map_err(|error| format!("`{text}` can't be used: {error}"))?;
        if pattern.tells("class") { Ok(pattern) } else { Err(format!("`{text}` lacks {{class}}")) }
    }

    /// Whether it has this placeholder.
    fn tells(&self, placeholder: &str) -> bool {
        self.0.capture_names().any(|name| name == Some(placeholder))
    }

    /// Whether it tells the part of the published split.
    pub fn tells_parts(&self) -> bool {
        self.tells("part")
    }

    /// Whether it tells the fold.
    pub fn tells_folds(&self) -> bool {
        self.tells("fold")
    }

    /// What a path tells if it fits. Time O(characters · pieces).
    fn told<'a>(&self, path: &'a str) -> Option<Told<'a>> {
        let found = self.0.captures(path)?;
        let text = |placeholder| found.name(placeholder).map(|text| text.as_str());
        Some(Told {
            class: text("class")?,
            part: text("part").and_then(|word| Role::WORDS.value(word)),
            fold: text("fold").and_then(|digit| digit.parse().ok()),
        })
    }
}

/// What the files of an archive are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text,
    /// Messages, of which only the bodies count; see [`newsgroup`].
    Messages,
}

/// Gives each file of a gzipped tar whose path fits `pattern` to `sink`; the paths are those below
/// `folder`, if there is one (see [`for_each`]). Holds one document at a time.
///
/// # Errors
/// If the archive is damaged, or a document has a byte that is no character, or a class no good name.
pub fn read(
    archive: impl Read,
    folder: Option<&str>,
    pattern: &Pattern,
    charset: Charset,
    content: Content,
    sink: Sink<'_>,
) -> Result<(), Unreadable> {
    for_each(archive, folder, |path, bytes| {
        let below = folder.and_then(|folder| within(path, folder)).unwrap_or(path);
        let Some(Told { class, part, fold }) = pattern.told(below) else {
            return Ok(ControlFlow::Continue(()));
        };
        let malformed = |byte: usize, expected: &str, found: String| {
            Fault::of_format(Place::Document { name: path.to_owned(), byte }, expected, found)
        };
        if !is_class_name(class) {
            return Err(malformed(0, CLASS_NAME, format!("{} in its path", excerpt(class))).into());
        }
        let text = decoded(bytes, charset)
            .map_err(|at| malformed(at, "a character in UTF-8", found(bytes, at)))?;
        let text = match content {
            Content::Text => text,
            Content::Messages => Cow::Owned(newsgroup::body(&text)),
        };
        Ok(sink(Document { part, class, fold, name: below, text }))
    })
}

#[cfg(test)]
mod tests {
    use super::super::archive::tests::packed;
    use super::*;

    fn seen(
        pattern: &str,
        path: &'static str,
    ) -> Option<(&'static str, Option<Role>, Option<u32>)> {
        let told = Pattern::parse(pattern).unwrap().told(path)?;
        Some((told.class, told.part, told.fold))
    }

    #[test]
    fn patterns_tell_class_part_and_fold() {
        let news = "20news-bydate-{part}/{class}/{name}";
        let path = "20news-bydate-test/alt.atheism/53068";
        assert_eq!(seen(news, path), Some(("alt.atheism", Some(Role::Test), None)));
        let polarity = "txt_sentoken/{class}/cv{fold}{name}.txt";
        let path = "txt_sentoken/neg/cv914_1.txt";
        assert_eq!(seen(polarity, path), Some(("neg", None, Some(9))));
        for (pattern, path) in [
            (news, "20news-bydate-dev/alt.atheism/53068"),
            (news, "20news-bydate-test/alt.atheism/deep/53068"),
            (news, "20news-bydate-test/alt.atheism/"),
            (polarity, "txt_sentoken/neg/cvx14_1.txt"),
            (polarity, "txt_sentoken/neg/cv914_1.text"),
            ("{class}/{name}", "Summary.txt"),
        ] {
            assert_eq!(seen(pattern, path), None, "{pattern} {path}");
        }
    }

    /// Were every placeholder tried at every place, a path of sixty letters would take longer than a lifetime.
    #[test]
    fn many_placeholders_are_matched_at_once() {
        let pattern = format!("{{class}}{}x", "{name}".repeat(20));
        let (long, fits) = ("a".repeat(4000), format!("{}x", "a".repeat(4000)));
        let pattern = Pattern::parse(&pattern).unwrap();
        assert_eq!(pattern.told(&long), None);
        assert_eq!(pattern.told(&fits).unwrap().class, "a");
    }

    proptest::proptest! {
        /// What is told is what trying everything would tell.
        #[test]
        fn patterns_tell_what_all_tries_would(
            pieces in proptest::collection::vec(0..8usize, 0..7),
            path in "[a1/t]{0,8}",
            class in 0..7usize,
        ) {
            const PIECES: [&str; 8] = ["a", "/", "1", "t", "a/", "{name}", "{name}", "{name}"];
            let mut texts: Vec<&str> = pieces.into_iter().map(|piece| PIECES[piece]).collect();
            texts.insert(class.min(texts.len()), "{class}");
            let pattern = Pattern::parse(&texts.concat()).unwrap();
            let found = pattern.told(&path).map(|told| told.class);
            proptest::prop_assert_eq!(found, tried(&texts, &path, ""));
        }
    }

    /// The class by trying everything.
    fn tried<'a>(pieces: &[&str], path: &'a str, class: &'a str) -> Option<&'a str> {
        let Some((piece, rest)) = pieces.split_first() else {
            return path.is_empty().then_some(class);
        };
        if !piece.starts_with('{') {
            return tried(rest, path.strip_prefix(piece)?, class);
        }
        (1..=path.find('/').unwrap_or(path.len())).find_map(|end| {
            let class = if *piece == "{class}" { &path[..end] } else { class };
            tried(rest, &path[end..], class)
        })
    }

    #[test]
    fn mistakes_of_patterns_are_named() {
        for (pattern, why) in [
            ("{part}/{name}", "`{part}/{name}` lacks {class}"),
            ("{class}/{class}", "`{class}` stands twice"),
            ("{class}/{nmae}", "`{nmae}` is none of {class}, {part}, {fold}, {name}"),
            ("{class", "`{class` lacks a `}`"),
            (&"{name}".repeat(100), "the pattern has more than 64 pieces"),
        ] {
            assert_eq!(Pattern::parse(pattern), Err(why.to_owned()));
        }
    }

    fn documents(files: &[(&str, &str)], charset: Charset) -> Result<Vec<String>, String> {
        let pattern = Pattern::parse("{class}/{name}").unwrap();
        let mut documents = Vec::new();
        let mut sink = |document: Document<'_>| {
            documents.push(format!("{} {}: {}", document.class, document.name, document.text));
            ControlFlow::Continue(())
        };
        read(&packed(files)[..], Some("d"), &pattern, charset, Content::Messages, &mut sink)
            .map_err(|error| error.to_string())?;
        Ok(documents)
    }

    #[test]
    fn documents_of_the_folder_are_read_and_malformed_ones_named() {
        let files = [("r/d/a/1", "From: x\n\nhello"), ("r/d/readme", "no"), ("r/e/a/2", "no")];
        assert_eq!(documents(&files, Charset::Utf8), Ok(vec!["a a/1: hello".to_owned()]));
        let error = documents(&[("r/d/a b/1", "\n\nx")], Charset::Utf8).unwrap_err();
        assert!(error.starts_with("document d/a b/1, byte 0: expected a class name"), "{error}");
        assert!(error.ends_with("found `a b` in its path"), "{error}");
    }

    #[test]
    fn a_byte_that_is_no_character_is_named() {
        let pattern = Pattern::parse("{class}/{name}").unwrap();
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(4);
        archive.append_data(&mut header, "a/1", &b"caf\xe9"[..]).unwrap();
        let mut gzip =
            flate2::read::GzEncoder::new(&archive.get_ref()[..], flate2::Compression::fast());
        let mut bytes = Vec::new();
        gzip.read_to_end(&mut bytes).unwrap();
        let text = |charset| {
            let mut texts = Vec::new();
            let mut sink = |document: Document<'_>| {
                texts.push(document.text.into_owned());
                ControlFlow::Continue(())
            };
            read(&bytes[..], None, &pattern, charset, Content::Text, &mut sink).map(|()| texts)
        };
        let message = "document a/1, byte 3: expected a character in UTF-8, found byte 0xe9";
        assert_eq!(text(Charset::Utf8).unwrap_err().to_string(), message);
        assert_eq!(text(Charset::Latin1).unwrap(), ["café"]);
    }
}
