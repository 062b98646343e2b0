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

/// Which files of an archive are documents: their paths, with `{class}`, `{part}` (`train`, `valid` or
/// `test`), `{fold}` (a digit) and `{name}` in the places of what differs. No placeholder matches a `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Vec<Piece>);

/// The most placeholders, and texts between them, of a pattern.
const MOST_PIECES: usize = 64;

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
            if pieces.len() > MOST_PIECES {
                return Err(format!("the pattern has more than {MOST_PIECES} pieces"));
            }
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
        told(&self.0, path, Told::default()).ok()
    }
}

/// Why a path does not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Miss {
    /// What stands here: the placeholder before it may take more of the path.
    Here,
    /// What stands behind the next placeholder: what one before it would take more, that one could take as
    /// well, so that no further try is worth it.
    Beyond,
}

/// What a path tells if the pieces match it. A placeholder takes the shortest text that fits. Time
/// O(characters · pieces).
fn told<'a>(pieces: &[Piece], path: &'a str, so_far: Told<'a>) -> Result<Told<'a>, Miss> {
    let Some((piece, pieces)) = pieces.split_first() else {
        return if path.is_empty() { Ok(so_far) } else { Err(Miss::Here) };
    };
    let fixed = |found: Option<(&'a str, Told<'a>)>| {
        let (rest, with) = found.ok_or(Miss::Here)?;
        told(pieces, rest, with)
    };
    match piece {
        Piece::Literal(literal) => {
            fixed(path.strip_prefix(literal.as_str()).map(|rest| (rest, so_far)))
        }
        Piece::Part => fixed([Role::Train, Role::Valid, Role::Test].into_iter().find_map(|part| {
            let rest = path.strip_prefix(part.word())?;
            Some((rest, Told { part: Some(part), ..so_far }))
        })),
        Piece::Fold => fixed(
            path.as_bytes()
                .first()
                .filter(|digit| digit.is_ascii_digit())
                .map(|digit| (&path[1..], Told { fold: Some(u32::from(digit - b'0')), ..so_far })),
        ),
        Piece::Class | Piece::Name => {
            let longest = path.find('/').unwrap_or(path.len());
            let ends = path.char_indices().map(|(at, c)| at + c.len_utf8());
            for end in ends.take_while(|&end| end <= longest) {
                let (text, rest) = path.split_at(end);
                let with = match piece {
                    Piece::Class => Told { class: text, ..so_far },
                    _ => so_far,
                };
                match told(pieces, rest, with) {
                    Err(Miss::Here) => {}
                    done => return done,
                }
            }
            Err(Miss::Beyond)
        }
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
            proptest::prop_assert_eq!(found, tried(&pattern.0, &path, ""));
        }
    }

    /// The class by trying everything.
    fn tried<'a>(pieces: &[Piece], path: &'a str, class: &'a str) -> Option<&'a str> {
        let Some((piece, rest)) = pieces.split_first() else {
            return path.is_empty().then_some(class);
        };
        match piece {
            Piece::Literal(literal) => tried(rest, path.strip_prefix(literal.as_str())?, class),
            _ => (1..=path.find('/').unwrap_or(path.len())).find_map(|end| {
                let class = if *piece == Piece::Class { &path[..end] } else { class };
                tried(rest, &path[end..], class)
            }),
        }
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
