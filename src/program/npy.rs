//! NumPy arrays that a program wrote: read within bounds, and never unpickled.

use base::npy::{Claimed, shown};
use ndarray::{Array, Dimension};
use ndarray_npy::{ReadNpyExt as _, ReadableElement};

/// An array of this shape. What the header claims is compared with it before anything is allocated.
///
/// # Errors
/// What is wrong, as a phrase that goes on after "test.npy ", with what was expected.
pub(crate) fn read<T: ReadableElement, D: Dimension>(
    bytes: &[u8],
    shape: D,
    dtype: &str,
) -> Result<Array<T, D>, String> {
    let claimed = Claimed::of(bytes)?;
    if claimed.shape != shape.slice() {
        let (found, expected) = (claimed.shown(), shown(shape.slice()));
        return Err(format!("has the shape {found}; {expected} was expected"));
    }
    let array = Array::<T, D>::read_npy(bytes);
    array.map_err(|error| {
        let found = &claimed.dtype;
        format!("can't be read as an array of {dtype}: {error} (its dtype is {found})")
    })
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
    }

    proptest::proptest! {
        #[test]
        fn no_damage_makes_it_panic(at in 0usize..128, byte: u8, end in 0usize..160) {
            let mut bytes = written();
            bytes[at] = byte;
            bytes.truncate(end);
            let _ = read::<f64, Ix2>(&bytes, Dim([2, 2]), "f8");
        }
    }
}
