//! NumPy arrays that somebody wrote: what their header claims, read within bounds and before anything is believed.

use ndarray_npy::npy::header::Header;

/// The most bytes of a header that is read. NumPy pads those of plain arrays to 64 or 128.
pub const LONGEST_HEADER: usize = 1024;

/// Brackets of a header: of the dictionary and of the shape. More of them, and the header is no plain array's.
const MOST_BRACKETS: usize = 4;

/// What the header of an array claims, and the bytes behind it, which may be fewer or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed<'a> {
    /// The type of its elements as NumPy writes it, quotes included: `'<f8'`.
    pub dtype: String,
    /// Whether a column follows another, and not a row another.
    pub fortran: bool,
    /// How long it is in each direction.
    pub shape: Vec<usize>,
    /// What is behind the header.
    pub data: &'a [u8],
}

impl<'a> Claimed<'a> {
    /// Reads the header of an array.
    ///
    /// # Errors
    /// What is wrong, as a phrase that goes on after the name of the file.
    pub fn of(bytes: &'a [u8]) -> Result<Self, String> {
        let not =
            || "is no NumPy array: its first bytes are not those of the NPY format".to_owned();
        let length = match bytes {
            [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, a, b, ..] => {
                usize::from(u16::from_le_bytes([*a, *b]))
            }
            [0x93, b'N', b'U', b'M', b'P', b'Y', _, _, a, b, c, d, ..] => {
                u32::from_le_bytes([*a, *b, *c, *d]) as usize
            }
            _ => return Err(not()),
        };
        // The header's reader descends into brackets, so a file must not choose how deep.
        let text = bytes.get(8..length.saturating_add(12).min(bytes.len())).ok_or_else(not)?;
        let brackets = text.iter().filter(|byte| b"([{".contains(byte)).count();
        if length > LONGEST_HEADER || brackets > MOST_BRACKETS {
            return Err("has a header that no plain array has".to_owned());
        }
        let mut data = bytes;
        let header = Header::from_reader(&mut data)
            .map_err(|error| format!("has a damaged header: {error}"))?;
        let Header { type_descriptor, layout, shape } = header;
        let fortran = layout.is_fortran();
        Ok(Self { dtype: type_descriptor.to_string(), fortran, shape, data })
    }

    /// Its shape as NumPy shows it.
    pub fn shown(&self) -> String {
        shown(&self.shape)
    }
}

/// A shape as NumPy shows it.
pub fn shown(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    match &sizes[..] {
        [rows] => format!("({rows},)"),
        sizes => format!("({})", sizes.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array with this header text, in version 1.
    fn with_header(text: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(text.len() + 1).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), b"\n", data].concat()
    }

    #[test]
    fn a_header_is_told_from_what_is_behind_it() {
        let bytes =
            with_header("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }", b"ab");
        let claimed = Claimed::of(&bytes).unwrap();
        let expected =
            Claimed { dtype: "'<f8'".to_owned(), fortran: true, shape: vec![3, 2], data: b"ab" };
        assert_eq!((claimed.shown().as_str(), claimed), ("(3, 2)", expected));
        assert_eq!([shown(&[7]), shown(&[])], ["(7,)", "()"]);
    }

    #[test]
    fn what_no_plain_array_has_is_refused() {
        for bytes in [
            with_header(&"(".repeat(60_000), b""),
            with_header(&"(".repeat(900), b""),
            [&b"\x93NUMPY\x02\x00\xff\xff\xff\xff"[..], &[b' '; 4096]].concat(),
        ] {
            assert_eq!(Claimed::of(&bytes).unwrap_err(), "has a header that no plain array has");
        }
        for bytes in [&b""[..], b"\x93NUMPY", b"\x93NUMPY\x01\x00\x10\x00", b"pickle me, please"] {
            assert!(Claimed::of(bytes).is_err());
        }
    }

    proptest::proptest! {
        #[test]
        fn no_header_makes_it_panic(text in r#"[{]('(descr|fortran_order|shape)': |[(){}\[\]'",<f8i4O|,x\\uN0-9eTrueFalsbj+. -]|\PC){0,40}[}]"#) {
            let _ = Claimed::of(&with_header(&text, &[0; 16]));
        }
    }
}
