//! SHA-256 digests: of files, of parsed data, of trial keys and seeds.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest; displays as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Digest of one byte string.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Digest of what a stream gives, and the number of its bytes. Memory O(1).
    ///
    /// # Errors
    /// If it can't be read.
    pub fn of_stream(mut stream: impl Read) -> io::Result<(Self, u64)> {
        let (mut hasher, mut length) = (Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 16];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return Ok((Self(hasher.finalize().into()), length)),
                Ok(count) => {
                    hasher.update(&buffer[..count]);
                    length += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Its first bytes, of which there are 32.
    pub fn first<const N: usize>(&self) -> [u8; N] {
        std::array::from_fn(|at| self.0[at])
    }

    /// The first 12 hexadecimal digits, for people.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let mut text = [0; 64];
        for (place, digit) in text.iter_mut().zip(digits) {
            *place = b"0123456789abcdef"[usize::from(digit)];
        }
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

/// The text is not 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a SHA-256 digest is 64 hexadecimal digits, not {0:?}")]
pub struct NotADigest(String);

/// The values of hexadecimal digits; 255 of all else.
const HEXADECIMAL: [u8; 256] = {
    let (mut values, mut value) = ([255; 256], 0);
    while value < 16 {
        let digit = b"0123456789abcdef"[value];
        values[digit as usize] = value as u8;
        values[digit.to_ascii_uppercase() as usize] = value as u8;
        value += 1;
    }
    values
};

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let (pairs, rest) = text.as_bytes().as_chunks();
        let (mut bytes, mut all) = ([0; 32], 0);
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            let [high, low] = pair.map(|digit| HEXADECIMAL[usize::from(digit)]);
            *byte = high << 4 | low;
            all |= high | low;
        }
        match pairs.len() == bytes.len() && rest.is_empty() && all < 16 {
            true => Ok(Self(bytes)),
            false => Err(NotADigest(text.to_owned())),
        }
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// SHA-256 over a sequence of fields. Each field is framed by its length, so that different
/// sequences never hash the same bytes.
#[derive(Clone, Default)]
pub struct FieldHasher(Sha256);

impl FieldHasher {
    /// A hasher for one purpose; `domain` keeps the digests of different purposes apart.
    pub fn new(domain: &str) -> Self {
        Self::default().field(domain)
    }

    /// Adds one field.
    #[must_use]
    pub fn field(mut self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds one field, which `feed` gives part by part, the same each time. Memory O(1).
    #[must_use]
    pub fn streamed(mut self, feed: impl Fn(&mut dyn FnMut(&[u8]))) -> Self {
        let mut length = 0_u64;
        feed(&mut |bytes| length += bytes.len() as u64);
        self.0.update(length.to_le_bytes());
        feed(&mut |bytes| self.0.update(bytes));
        self
    }

    /// Adds one integer field.
    #[must_use]
    pub fn number(self, value: u64) -> Self {
        self.field(value.to_le_bytes())
    }

    /// The digest of the fields so far.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_round_trips_through_its_text() {
        let digest = Digest::of(b"abc");
        // FIPS 180-2, appendix B.1.
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse(), Ok(digest));
        assert_eq!(text.to_uppercase().parse(), Ok(digest));
        let (longer, odd) = (format!("{text}00"), format!("{text}0"));
        for other in ["", "ba78", &text[1..], &longer, &odd, &text.replace('f', "g")] {
            assert!(other.parse::<Digest>().is_err(), "{other}");
        }
    }

    #[test]
    fn streams_are_hashed_as_their_bytes_are() {
        let bytes = vec![7; 200_000];
        assert_eq!(Digest::of_stream(&bytes[..]).unwrap(), (Digest::of(&bytes), 200_000));
    }

    #[test]
    fn fields_are_framed() {
        let ab_c = FieldHasher::new("t").field("ab").field("c").finish();
        let a_bc = FieldHasher::new("t").field("a").field("bc").finish();
        assert_ne!(ab_c, a_bc);
    }
}
