//! Archives of one document a file, whose paths tell the class, and may tell the part of the published
//! split and the fold.

use std::borrow::Cow;
use std::io::Read;

use super::archive::{for_each, within};
use super::{CLASS_NAME, Document, Malformed, Position, Sink, Unreadable, decoded, found};
use super::{is_class_name, newsgroup};
use crate::data::registry::{Charset, Role};

/// Which files of an archive are documents: their paths, with `{class}`, `{part}` (`train`, `valid` or
/// `test`), `{fold}` (a digit) and `{name}` in the places of what differs. No placeholder matches a `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Class,
    Part,
    Fold,
    Name,
}

/// What a path tells of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
        let mut pieces = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (literal, open) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
            if !literal.is_empty() {
                pieces.push(Piece::Literal(literal.to_owned()));
            }
            let Some(open) = open.strip_prefix('{') else { break };
            let (word, after) =
                open.split_once('}').ok_or_else(|| format!("`{text}` lacks a `}}`"))?;
            let piece = match word {
                "class" => Piece::Class,
                "part" => Piece::Part,
                "fold" => Piece::Fold,
                "name" => Piece::Name,
                _ => {
                    return Err(format!(
                        "`{{{word}}}` is none of {{class}}, {{part}}, {{fold}}, {{name}}"
                    ));
                }
            };
            if piece != Piece::Name && pieces.contains(&piece) {
                return Err(format!("`{{{word}}}` stands twice"));
            }
            pieces.push(piece);
            rest = after;
        }
        if pieces.contains(&Piece::Class) {
            Ok(Self(pieces))
        } else {
            Err(format!("`{text}` lacks {{class}}"))
        }
    }

    /// Whether it tells the part of the published split.
    pub fn tells_parts(&self) -> bool {
        self.0.contains(&Piece::Part)
    }

    /// Whether it tells the fold.
    pub fn tells_folds(&self) -> bool {
        self.0.contains(&Piece::Fold)
    }

    fn told<'a>(&self, path: &'a str) -> Option<Told<'a>> {
        told(&self.0, path, Told::default())
    }
}

/// What a path tells if the pieces match it. A placeholder takes the shortest text that fits.
fn told<'a>(pieces: &[Piece], path: &'a str, so_far: Told<'a>) -> Option<Told<'a>> {
    let Some((piece, pieces)) = pieces.split_first() else {
        return path.is_empty().then_some(so_far);
    };
    if let Piece::Literal(literal) = piece {
        return told(pieces, path.strip_prefix(literal.as_str())?, so_far);
    }
    let longest = path.find('/').unwrap_or(path.len());
    let ends = path.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.take_while(|&end| end <= longest).find_map(|end| {
        let (text, rest) = path.split_at(end);
        let with = match piece {
            Piece::Class => Told { class: text, ..so_far },
            Piece::Part => {
                let part = [Role::Train, Role::Valid, Role::Test];
                let part = part.into_iter().find(|part| part.word() == text)?;
                Told { part: Some(part), ..so_far }
            }
            Piece::Fold => {
                let [digit @ b'0'..=b'9'] = text.as_bytes() else { return None };
                Told { fold: Some(u32::from(digit - b'0')), ..so_far }
            }
            Piece::Name | Piece::Literal(_) => so_far,
        };
        told(pieces, rest, with)
    })
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
        let Some(Told { class, part, fold }) = pattern.told(below) else { return Ok(()) };
        let malformed = |byte: usize, expected: &str, found: String| Malformed {
            position: Position::Document { name: path.to_owned(), byte },
            expected: expected.to_owned(),
            found,
        };
        if !is_class_name(class) {
            return Err(malformed(0, CLASS_NAME, format!("`{class}` in its path")).into());
        }
        let text = decoded(bytes, charset)
            .map_err(|at| malformed(at, "a character in UTF-8", found(bytes, at)))?;
        let text = match content {
            Content::Text => text,
            Content::Messages => Cow::Owned(newsgroup::body(&text)),
        };
        sink(Document { part, class, fold, name: below, text });
        Ok(())
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

    #[test]
    fn mistakes_of_patterns_are_named() {
        for (pattern, why) in [
            ("{part}/{name}", "`{part}/{name}` lacks {class}"),
            ("{class}/{class}", "`{class}` stands twice"),
            ("{class}/{nmae}", "`{nmae}` is none of {class}, {part}, {fold}, {name}"),
            ("{class", "`{class` lacks a `}`"),
        ] {
            assert_eq!(Pattern::parse(pattern), Err(why.to_owned()));
        }
    }

    fn documents(files: &[(&str, &str)], charset: Charset) -> Result<Vec<String>, String> {
        let pattern = Pattern::parse("{class}/{name}").unwrap();
        let mut documents = Vec::new();
        let mut sink = |document: Document<'_>| {
            documents.push(format!("{} {}: {}", document.class, document.name, document.text));
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
            let mut sink = |document: Document<'_>| texts.push(document.text.into_owned());
            read(&bytes[..], None, &pattern, charset, Content::Text, &mut sink).map(|()| texts)
        };
        let message = "document a/1, byte 3: expected a character in UTF-8, found byte 0xe9";
        assert_eq!(text(Charset::Utf8).unwrap_err().to_string(), message);
        assert_eq!(text(Charset::Latin1).unwrap(), ["café"]);
    }
}
