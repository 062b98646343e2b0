//! The idx files of MNIST: big-endian headers, then bytes. Images have the magic number 2051 and then
//! their number, rows and columns; labels 2049 and their number.

use super::fault::{Fault, Place};

/// Images of one byte a pixel, 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Images<'a> {
    /// Pixels of an image, rows times columns.
    pub size: usize,
    /// The pixels of one image after another.
    pub pixels: &'a [u8],
}

/// Reads images.
///
/// # Errors
/// If the magic number or the number of bytes is wrong.
pub fn images(bytes: &[u8]) -> Result<Images<'_>, Fault> {
    let [magic, count, rows, columns] = header(bytes)?;
    check_magic(magic, 2051, "images")?;
    let size = rows.saturating_mul(columns);
    if size == 0 {
        let at = if rows == 0 { 8 } else { 12 };
        return Err(malformed(at, "images of at least one pixel".to_owned(), "0".to_owned()));
    }
    Ok(Images { size, pixels: body(bytes, 16, count.saturating_mul(size))? })
}

/// Reads labels, one byte each.
///
/// # Errors
/// If the magic number or the number of bytes is wrong, or a label is not below `classes`.
pub fn labels(bytes: &[u8], classes: usize) -> Result<&[u8], Fault> {
    let [magic, count] = header(bytes)?;
    check_magic(magic, 2049, "labels")?;
    let labels = body(bytes, 8, count)?;
    match labels.iter().position(|&label| usize::from(label) >= classes) {
        None => Ok(labels),
        Some(at) => {
            let expected = format!("a label below {classes}, the number of classes");
            Err(malformed(8 + at, expected, labels[at].to_string()))
        }
    }
}

fn header<const N: usize>(bytes: &[u8]) -> Result<[usize; N], Fault> {
    let mut numbers = [0; N];
    for (index, number) in numbers.iter_mut().enumerate() {
        let four = bytes.get(4 * index..).and_then(<[u8]>::first_chunk::<4>).ok_or_else(|| {
            let expected = format!("a header of {} bytes", 4 * N);
            malformed(bytes.len(), expected, "the end of the file".to_owned())
        })?;
        *number = u32::from_be_bytes(*four) as usize;
    }
    Ok(numbers)
}

fn check_magic(found: usize, expected: usize, of: &str) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    Err(malformed(0, format!("{expected}, the magic number of {of}"), found.to_string()))
}

fn body(bytes: &[u8], start: usize, size: usize) -> Result<&[u8], Fault> {
    let body = &bytes[start..];
    if body.len() == size {
        return Ok(body);
    }
    let (at, expected) = (start + size.min(body.len()), format!("{size} bytes after the header"));
    Err(malformed(at, expected, format!("{} bytes", body.len())))
}

fn malformed(at: usize, expected: String, found: String) -> Fault {
    Fault::of_format(Place::Byte(at), expected, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGES: &[u8] = b"\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03abcdef";
    const LABELS: &[u8] = b"\0\0\x08\x01\0\0\0\x03\x00\x09\x01";

    #[test]
    fn images_and_labels_are_read() {
        assert_eq!(images(IMAGES), Ok(Images { size: 3, pixels: b"abcdef" }));
        assert_eq!(labels(LABELS, 10), Ok(&[0, 9, 1][..]));
    }

    #[test]
    fn malformed_files_are_named_by_the_byte() {
        let long = [IMAGES, b"g"].concat();
        let empty = b"\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x00";
        for (file, message) in [
            (&IMAGES[..6], "byte 6: expected a header of 16 bytes, found the end of the file"),
            (&b""[..], "byte 0: expected a header of 16 bytes, found the end of the file"),
            (
                &[LABELS, LABELS].concat(),
                "byte 0: expected 2051, the magic number of images, found 2049",
            ),
            (&IMAGES[..20], "byte 20: expected 6 bytes after the header, found 4 bytes"),
            (&long, "byte 22: expected 6 bytes after the header, found 7 bytes"),
            (empty, "byte 12: expected images of at least one pixel, found 0"),
        ] {
            assert_eq!(images(file).unwrap_err().to_string(), message);
        }
        for (file, classes, message) in [
            (IMAGES, 10, "byte 0: expected 2049, the magic number of labels, found 2051"),
            (LABELS, 9, "byte 9: expected a label below 9, the number of classes, found 9"),
            (&LABELS[..9], 10, "byte 9: expected 3 bytes after the header, found 1 bytes"),
        ] {
            assert_eq!(labels(file, classes).unwrap_err().to_string(), message);
        }
    }
}
