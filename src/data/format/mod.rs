//! File formats: bytes in, examples out.

pub mod binary_csv;

use std::io::Read as _;

use super::registry::Encoding;

/// A line of a file is not what its format says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct Malformed {
    /// From 1.
    pub line: usize,
    /// Byte in the line, from 1.
    pub column: usize,
    /// What the format asks for there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// The text of a file from its bytes. `size` is a guess at the text's length, for the allocation.
///
/// # Errors
/// If the bytes are not packed as `encoding` says.
pub fn unpacked(bytes: Vec<u8>, encoding: Encoding, size: usize) -> std::io::Result<Vec<u8>> {
    match encoding {
        Encoding::Plain => Ok(bytes),
        Encoding::Gzip => {
            let mut text = Vec::with_capacity(size.min(1 << 30));
            flate2::bufread::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text)?;
            Ok(text)
        }
    }
}
