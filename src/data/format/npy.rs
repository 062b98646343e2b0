//! Arrays of NumPy, as `numpy.save` writes them: examples, one a row, of numbers or truth values; and their targets, of
//! numbers, truth values or texts. In a number of examples NaN stands where a value is missing. Nothing is unpickled.
//!
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

use base::npy::Claimed;
use base::text::real;

use super::excerpt;
use super::fault::Fault;

/// An array in one or two directions, in the bytes of its file.
#[derive(Debug, Clone)]
pub struct Array<'a> {
    element: Element,
    big_endian: bool,
    /// Bytes of an element.
    size: usize,
    fortran: bool,
    shape: Vec<usize>,
    data: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Truth,
    Signed,
    Unsigned,
    Real,
    /// Of characters of four bytes.
    Text,
}

/// An element of an array.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A truth value.
    Truth(bool),
    /// A whole number.
    Whole(i128),
    /// A number, which may be NaN or infinite.
    Real(f64),
    /// A text.
    Text(String),
}

impl Value {
    /// It as a number, if it is no text. Truth is 1.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Truth(truth) => Some(f64::from(*truth)),
            Self::Whole(whole) => Some(*whole as f64),
            Self::Real(real) => Some(*real),
            Self::Text(_) => None,
        }
    }

    /// It as the name of a class: a whole number without decimals. None where it is missing.
    pub fn name(&self) -> Option<String> {
        match self {
            Self::Truth(truth) => Some(if *truth { "True" } else { "False" }.to_owned()),
            Self::Whole(whole) => Some(whole.to_string()),
            Self::Real(number) if number.is_nan() => None,
            // Zero has no sign.
            Self::Real(number) => Some(real(number + 0.0)),
            Self::Text(text) => (!super::csv::is_missing(text)).then(|| text.clone()),
        }
    }
}

/// What to do about an array whose elements are not read.
const PLAIN: &str = "save truth values, whole numbers, float32 or float64, or as targets texts: X.astype(\"float64\")";

impl<'a> Array<'a> {
    /// The array in the bytes of a file. Its size is compared with the bytes before anything is made of it.
    ///
    /// # Errors
    /// If they are no array of one or two directions, or its elements are not read.
    pub fn of(bytes: &'a [u8]) -> Result<Self, Fault> {
        let claimed = Claimed::of(bytes).map_err(|what| {
            Fault::in_array(format!("it {what}"), "write it with numpy.save or numpy.savez")
        })?;
        let Claimed { fortran, data, .. } = claimed;
        let no = |what: String, cure: &str| Err(Fault::in_array(what, cure));
        let Some((element, size, big_endian)) = element(claimed.dtype.trim_matches('\'')) else {
            return no(format!("its dtype is {}", excerpt(&claimed.dtype)), PLAIN);
        };
        if !(1..=2).contains(&claimed.shape.len()) {
            let what = format!("its shape is {}", claimed.shown());
            return no(what, "save one row an example: X.reshape(len(X), -1)");
        }
        let elements = claimed.shape.iter().try_fold(1_usize, |all, &n| all.checked_mul(n));
        let expected = elements.and_then(|elements| elements.checked_mul(size));
        if expected != Some(data.len()) {
            let (shape, found) = (claimed.shown(), data.len());
            let what =
                format!("its header says {shape} of {size} bytes each, and {found} bytes follow");
            return no(what, "it is torn or damaged: write it anew");
        }
        Ok(Self { element, big_endian, size, fortran, shape: claimed.shape, data })
    }

    /// How long it is in each direction.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// It as examples: number of rows, then of columns.
    ///
    /// # Errors
    /// If it has one direction, or holds texts.
    pub fn of_examples(&self) -> Result<(usize, usize), Fault> {
        match self.shape[..] {
            _ if self.element == Element::Text => Err(Fault::in_array(
                "it holds texts, and examples are numbers",
                "write a table as CSV, whose columns may have names",
            )),
            [rows, columns] if columns > 0 => Ok((rows, columns)),
            _ => Err(Fault::in_array(
                format!("its shape is {}", base::npy::shown(&self.shape)),
                "save one row an example, with at least one column: X.reshape(len(X), -1)",
            )),
        }
    }

    /// It as targets: how many.
    ///
    /// # Errors
    /// If it has two directions.
    pub fn of_targets(&self) -> Result<usize, Fault> {
        match self.shape[..] {
            [rows] => Ok(rows),
            _ => Err(Fault::in_array(
                format!(
                    "its shape is {}, and targets are one a row",
                    base::npy::shown(&self.shape)
                ),
                "save them as one list: y.ravel(), or y.argmax(axis=1) of 0/1 columns",
            )),
        }
    }

    /// The numbers of a column, NaN where there are none.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> {
        (0..self.shape[0]).map(move |row| self.value(row, column).number().unwrap_or(f64::NAN))
    }

    /// The element of a row and column; targets have the column 0.
    pub fn value(&self, row: usize, column: usize) -> Value {
        let (rows, columns) = (self.shape[0], self.shape.get(1).copied().unwrap_or(1));
        let place = if self.fortran { column * rows + row } else { row * columns + column };
        let bytes = &self.data[place * self.size..][..self.size];
        // Little-endian, filled up.
        let mut padded = [0; 8];
        if self.element != Element::Text {
            padded[..self.size].copy_from_slice(bytes);
            if self.big_endian {
                padded[..self.size].reverse();
            }
        }
        let bits = u64::from_le_bytes(padded);
        match self.element {
            Element::Truth => Value::Truth(bits != 0),
            Element::Unsigned => Value::Whole(bits.into()),
            Element::Signed => {
                let unused = 64 - 8 * self.size as u32;
                Value::Whole((((bits << unused) as i64) >> unused).into())
            }
            Element::Real if self.size == 4 => Value::Real(f32::from_bits(bits as u32).into()),
            Element::Real => Value::Real(f64::from_bits(bits)),
            Element::Text => {
                let character = |four: &[u8]| {
                    let four = [four[0], four[1], four[2], four[3]];
                    let code = match self.big_endian {
                        true => u32::from_be_bytes(four),
                        false => u32::from_le_bytes(four),
                    };
                    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                };
                let text: String = bytes.chunks_exact(4).map(character).collect();
                // Shorter texts are filled up.
                Value::Text(text.trim_end_matches('\0').to_owned())
            }
        }
    }
}

/// What a type says: `<f8` that elements are numbers of eight bytes, the lowest first.
fn element(dtype: &str) -> Option<(Element, usize, bool)> {
    let (order, rest) = dtype.split_at_checked(1)?;
    let (kind, size) = rest.split_at_checked(1)?;
    let size: usize = size.parse().ok()?;
    let (element, bytes) = match (kind, size) {
        ("b", 1) => (Element::Truth, 1),
        ("i", 1 | 2 | 4 | 8) => (Element::Signed, size),
        ("u", 1 | 2 | 4 | 8) => (Element::Unsigned, size),
        ("f", 4 | 8) => (Element::Real, size),
        ("U", 1..=1000) => (Element::Text, 4 * size),
        _ => return None,
    };
    matches!(order, "<" | ">" | "|" | "=").then_some((element, bytes, order == ">"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array as NumPy writes it.
    fn npy(dtype: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let fortran = if fortran { "True" } else { "False" };
        let text =
            format!("{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let length = u16::try_from(text.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), data].concat()
    }

    fn values(bytes: &[u8]) -> Vec<Value> {
        let array = Array::of(bytes).unwrap();
        let columns = array.shape().get(1).copied().unwrap_or(1);
        let row = |row| (0..columns).map(move |column| (row, column));
        let places = (0..array.shape()[0]).flat_map(row);
        places.map(|(row, column)| array.value(row, column)).collect()
    }

    #[test]
    fn elements_are_read_in_either_order_of_bytes_and_of_rows() {
        let row_major = npy("|u1", false, "(2, 3)", &[1, 2, 3, 4, 5, 6]);
        let column_major = npy("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6]);
        assert_eq!(values(&row_major), (1..=6).map(Value::Whole).collect::<Vec<_>>());
        assert_eq!(values(&column_major), values(&row_major));
        // NumPy 2.4.6: np.array(…, dtype).tobytes().
        assert_eq!(
            values(&npy("<i2", false, "(2,)", &[0xfe, 0xff, 0, 1])),
            [-2, 256].map(Value::Whole)
        );
        assert_eq!(values(&npy(">i2", false, "(1,)", &[0xff, 0xfe])), [Value::Whole(-2)]);
        assert_eq!(values(&npy("<u8", false, "(1,)", &[0xff; 8])), [Value::Whole(u64::MAX.into())]);
        assert_eq!(values(&npy("<i8", false, "(1,)", &[0xff; 8])), [Value::Whole(-1)]);
        assert_eq!(values(&npy("|b1", false, "(2,)", &[0, 1])), [false, true].map(Value::Truth));
        assert_eq!(values(&npy(">f4", false, "(1,)", &[0x3f, 0x40, 0, 0])), [Value::Real(0.75)]);
        assert_eq!(values(&npy("<f8", false, "(1,)", &2.5_f64.to_le_bytes())), [Value::Real(2.5)]);
        let words = [0x61, 0, 0, 0, 0xe9, 0, 0, 0, 0x62, 0, 0, 0, 0, 0, 0, 0];
        let texts = ["aé", "b"].map(|text| Value::Text(text.to_owned()));
        assert_eq!(values(&npy("<U2", false, "(2,)", &words)), texts);
    }

    #[test]
    fn values_are_names_of_classes() {
        let name = |value: Value| value.name();
        assert_eq!(name(Value::Real(3.0)), Some("3".to_owned()));
        assert_eq!(name(Value::Real(f64::NAN)), None);
        assert_eq!(name(Value::Truth(true)), Some("True".to_owned()));
        assert_eq!(name(Value::Text("?".to_owned())), None);
        assert_eq!(Value::Truth(true).number(), Some(1.0));
    }

    #[test]
    fn what_is_no_array_of_examples_is_refused() {
        let of = |bytes: &[u8]| Array::of(bytes).unwrap_err().to_string();
        assert!(of(b"a,b\n1,2\n").starts_with("the array: it is no NumPy array"));
        assert_eq!(of(&npy("|O", false, "(1,)", b"\x80\x04.")), "the array: its dtype is `'|O'`");
        assert_eq!(of(&npy("<f2", false, "(1,)", &[0; 2])), "the array: its dtype is `'<f2'`");
        assert_eq!(of(&npy("|u1", false, "()", &[0])), "the array: its shape is ()");
        assert_eq!(of(&npy("|u1", false, "(1, 1, 1)", &[0])), "the array: its shape is (1, 1, 1)");
        for shape in
            ["(1250000000, 8)", "(18446744073709551615, 18446744073709551615)", "(1,)", "(3,)"]
        {
            let error = of(&npy("<f8", false, shape, &[0; 16]));
            assert!(error.contains("and 16 bytes follow"), "{error}");
        }
        let examples = |bytes: &[u8]| Array::of(bytes).unwrap().of_examples().unwrap_err().what;
        assert_eq!(examples(&npy("|u1", false, "(2,)", &[0, 1])), "its shape is (2,)");
        assert_eq!(examples(&npy("|u1", false, "(2, 0)", &[])), "its shape is (2, 0)");
        assert_eq!(
            examples(&npy("<U1", false, "(1, 1)", &[0x61, 0, 0, 0])),
            "it holds texts, and examples are numbers"
        );
        let column = npy("|u1", false, "(2, 1)", &[0, 1]);
        let targets = Array::of(&column).unwrap().of_targets().unwrap_err();
        assert_eq!(targets.what, "its shape is (2, 1), and targets are one a row");
    }
}
