//! NumPy arrays that a program wrote: read within bounds, and never unpickled.

use ndarray::{Array, Dimension};
use ndarray_npy::{ReadNpyExt as _, ReadableElement, npy::header::Header};

/// The most bytes of a header that is read. NumPy pads those of plain arrays to 64 or 128.
pub(crate) const LONGEST_HEADER: usize = 1024;

/// Brackets of a header: of the dictionary and of the shape. More of them, and the header is no plain array's.
const MOST_BRACKETS: usize = 4;

/// An array of this shape. What the header claims is compared with it before anything is allocated.
///
/// # Errors
/// What is wrong, as a phrase that goes on after "test.npy ", with what was expected.
pub(crate) fn read<T: ReadableElement, D: Dimension>(
    bytes: &[u8],
    shape: D,
    dtype: &str,
) -> Result<Array<T, D>, String> {
    let header = header(bytes)?;
    if header.shape != shape.slice() {
        let (found, expected) = (shown(&header.shape), shown(shape.slice()));
        return Err(format!("has the shape {found}; {expected} was expected"));
    }
    let array = Array::<T, D>::read_npy(bytes);
    array.map_err(|error| {
        let found = header.type_descriptor.to_string();
        format!("can't be read as an array of {dtype}: {error} (its dtype is {found})")
    })
}

fn header(bytes: &[u8]) -> Result<Header, String> {
    let not = || "is no NumPy array: its first bytes are not those of the NPY format".to_owned();
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
    Header::from_reader(&mut &bytes[..]).map_err(|error| format!("has a damaged header: {error}"))
}

fn shown(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    match &sizes[..] {
        [rows] => format!("({rows},)"),
        sizes => format!("({})", sizes.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Dim, Ix1, Ix2, array};
    use ndarray_npy::WriteNpyExt as _;

    use super::*;

    fn written() -> Vec<u8> {
        let mut bytes = Vec::new();
        array![[0.25, 0.75], [1.0, 0.0]].write_npy(&mut bytes).unwrap();
        bytes
    }

    /// An array with this header text, in version 1.
    fn with_header(text: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(text.len() + 1).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), b"\n", data].concat()
    }

    fn refused<T: ReadableElement + std::fmt::Debug>(bytes: &[u8], rows: usize) -> String {
        read::<T, Ix1>(bytes, Dim(rows), "expected").unwrap_err()
    }

    #[test]
    fn arrays_are_read_in_either_order() {
        let shape: Ix2 = Dim([2, 2]);
        assert_eq!(read::<f64, Ix2>(&written(), shape, "f8").unwrap()[(0, 1)], 0.75);
        let mut fortran = Vec::new();
        array![[0.25, 0.75], [1.0, 0.0]].t().write_npy(&mut fortran).unwrap();
        assert_eq!(read::<f64, Ix2>(&fortran, shape, "f8").unwrap()[(1, 0)], 0.75);
    }

    #[test]
    fn a_claimed_size_is_compared_before_it_is_believed() {
        let claim = "{'descr': '<f8', 'fortran_order': False, 'shape': (1250000000,), }";
        let error = refused::<f64>(&with_header(claim, &[0; 16]), 2);
        assert_eq!(error, "has the shape (1250000000,); (2,) was expected");
        let claim = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
        assert!(refused::<f64>(&with_header(claim, &[0; 9]), 2).contains("can't be read"));
        assert!(refused::<f64>(&with_header(claim, &[0; 24]), 2).contains("can't be read"));
    }

    #[test]
    fn objects_other_types_and_deep_headers_are_refused() {
        let pickled = "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }";
        let error = refused::<f64>(&with_header(pickled, b"\x80\x04cos\nsystem\n"), 2);
        assert!(error.contains("'|O'"), "{error}");
        let longs = "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }";
        let error = refused::<i32>(&with_header(longs, &[0; 16]), 2);
        assert!(error.contains("array of expected") && error.contains("'<i8'"), "{error}");
        assert!(
            refused::<f64>(&with_header(&"(".repeat(60_000), b""), 2).contains("no plain array")
        );
        assert!(refused::<f64>(&with_header(&"(".repeat(900), b""), 2).contains("no plain array"));
        let huge = [&b"\x93NUMPY\x02\x00\xff\xff\xff\xff"[..], &[b' '; 4096]].concat();
        assert!(refused::<f64>(&huge, 2).contains("no plain array"));
        for bytes in [&b""[..], b"\x93NUMPY", b"\x93NUMPY\x01\x00\x10\x00", b"pickle me, please"] {
            refused::<f64>(bytes, 2);
        }
    }
    proptest::proptest! {
        #[test]
        fn no_header_makes_it_panic(text in r#"[{]('(descr|fortran_order|shape)': |[(){}\[\]'",<f8i4O|,x\\uN0-9eTrueFalsbj+. -]|\PC){0,40}[}]"#) {
            let bytes = with_header(&text, &[0; 16]);
            let _ = read::<f64, Ix1>(&bytes, Dim(2), "f8");
        }

        #[test]
        fn no_damage_makes_it_panic(at in 0usize..128, byte: u8, end in 0usize..160) {
            let mut bytes = written();
            bytes[at] = byte;
            bytes.truncate(end);
            let _ = read::<f64, Ix2>(&bytes, Dim([2, 2]), "f8");
        }
    }
}
