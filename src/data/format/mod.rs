//! File formats: bytes in, examples out. Documents of text formats go to a sink one by one, as they are
//! read.

pub mod archive;
pub mod arff;
pub mod attribute_csv;
pub mod binary_csv;
pub mod columns;
pub mod csv;
pub mod fault;
pub mod idx;
pub mod labelled_lines;
pub mod libsvm;
pub mod newsgroup;
pub mod npy;
pub mod npz;
pub mod openml_splits;
pub mod reuters_sgml;
pub mod text_files;

use std::borrow::Cow;
use std::ops::ControlFlow;

use fault::Fault;

use super::limits::{self, Exceeded};
use super::vocabulary::{Charset, Encoding, Role};
use base::bounded;

/// One document of a text format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document<'a> {
    /// The part of the published split that the file itself puts it into.
    pub part: Option<Role>,
    /// Its class.
    pub class: &'a str,
    /// Its fold, from 0, if the file gives one.
    pub fold: Option<u32>,
    /// Its name in an archive, by which the documents are ordered; empty where their order in the file
    /// counts.
    pub name: &'a str,
    /// Its text.
    pub text: Cow<'a, str>,
}

/// Takes the documents of a file. Where it breaks, it has had enough: the rest of the file is not read.
pub type Sink<'a> = &'a mut dyn FnMut(Document<'_>) -> ControlFlow<()>;

/// Why the files of an archive can't be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is no archive, or a damaged one.
    #[error(transparent)]
    Archive(#[from] std::io::Error),
    /// A document is not what the format says.
    #[error(transparent)]
    Malformed(#[from] Fault),
}

/// The text of a file from its bytes.
///
/// # Errors
/// If the bytes are not packed as `encoding` says; [`Exceeded`] if the text has more than `most` bytes, or is packed and has
/// more than [`limits::UNPACKED`].
pub fn unpacked(bytes: Vec<u8>, encoding: Encoding, most: u64) -> std::io::Result<Vec<u8>> {
    let most = if encoding == Encoding::Gzip { most.min(limits::UNPACKED) } else { most };
    let exceeded = || Exceeded::new(most, "unpacked bytes").into();
    match encoding {
        Encoding::Plain | Encoding::TarGzip if bytes.len() as u64 > most => Err(exceeded()),
        Encoding::Plain | Encoding::TarGzip => Ok(bytes),
        Encoding::Gzip => {
            let text = flate2::bufread::MultiGzDecoder::new(&bytes[..]);
            let guess = 4 * bytes.len() as u64;
            bounded::read(text, most, guess)
                .map_err(|error| if bounded::is_too_long(&error) { exceeded() } else { error })
        }
    }
}

/// The characters of bytes.
///
/// # Errors
/// The first byte that is no character.
pub fn decoded(bytes: &[u8], charset: Charset) -> Result<Cow<'_, str>, usize> {
    match (charset, std::str::from_utf8(bytes)) {
        (Charset::Utf8, Ok(text)) => Ok(Cow::Borrowed(text)),
        (Charset::Utf8, Err(error)) => Err(error.valid_up_to()),
        (Charset::Latin1, Ok(text)) if text.is_ascii() => Ok(Cow::Borrowed(text)),
        (Charset::Latin1, _) => Ok(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// Whether a class can stand in a csv cell, a file name and a problem's id.
pub fn is_class_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

const CLASS_NAME: &str = "a class name of letters, digits, `-`, `_` and `.`";

/// The beginning of a text, between backticks, for errors.
pub(super) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// What stands at a byte, in words.
fn found(bytes: &[u8], at: usize) -> String {
    match bytes.get(at) {
        None => "the end of the file".to_owned(),
        Some(b'\n') => "the end of the line".to_owned(),
        Some(b'\r') => "a carriage return".to_owned(),
        Some(&byte) if byte.is_ascii_graphic() => format!("`{}`", char::from(byte)),
        Some(byte) => format!("byte 0x{byte:02x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_characters_or_the_first_that_does_not_is_named() {
        assert_eq!(decoded(b"caf\xe9", Charset::Latin1).unwrap(), "café");
        assert_eq!(decoded("café".as_bytes(), Charset::Utf8).unwrap(), "café");
        assert_eq!(decoded("café".as_bytes(), Charset::Latin1).unwrap(), "cafÃ©");
        assert_eq!(decoded(b"caf\xe9", Charset::Utf8), Err(3));
    }

    #[test]
    fn no_more_is_unpacked_than_is_let() {
        let gzip = flate2::read::GzEncoder::new(&[b'0'; 5000][..], flate2::Compression::best());
        let packed = base::bounded::read(gzip, 1000, 0).unwrap();
        assert_eq!(unpacked(packed.clone(), Encoding::Gzip, 5000).unwrap(), [b'0'; 5000]);
        let why = "it has more than 4999 unpacked bytes";
        assert_eq!(unpacked(packed, Encoding::Gzip, 4999).unwrap_err().to_string(), why);
        assert_eq!(unpacked(vec![0; 5000], Encoding::Plain, 4999).unwrap_err().to_string(), why);
    }
}
