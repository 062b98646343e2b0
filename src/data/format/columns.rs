//! Columns of values, as they come out of a file: what every format of tables gives, whether the types of its columns
//! are known or to be found.

use std::collections::{BTreeMap, HashMap};

use super::fault::{Fault, Place};
use crate::vocabulary::Decimal;

/// What a column is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Numbers 0 and 1, none missing: anything else is refused.
    Bits,
    /// Numbers: anything else is refused.
    Numbers,
    /// Names, whatever they look like.
    Names,
    /// Numbers if all its values are, else names.
    Either,
}

/// The code of a name that is missing.
pub const ABSENT: u32 = u32::MAX;

/// A column, a value a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers of which each is 0 or 1, and none is missing.
    Bits(Bits),
    /// Finite numbers; NaN where one is missing.
    Numbers(Vec<f64>),
    /// Names.
    Names(Names),
    /// Numbers at first, and something else later: to be read once more, as names.
    Torn(usize),
}

/// Values of 0 and 1, a bit each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Whether the value of a row is 1.
    pub fn get(&self, row: usize) -> bool {
        self.words[row / 64] >> (row % 64) & 1 == 1
    }

    fn push(&mut self, one: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.words[self.len / 64] |= u64::from(one) << (self.len % 64);
        self.len += 1;
    }

    /// Zeros up to this row.
    fn fill(&mut self, rows: usize) {
        self.words.resize(rows.div_ceil(64), 0);
        self.len = rows;
    }

    /// The same as numbers.
    pub fn numbers(&self) -> Vec<f64> {
        (0..self.len).map(|row| f64::from(self.get(row))).collect()
    }
}

/// Names by their first occurrence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    known: HashMap<Box<str>, u32>,
    /// The name of each row; [`ABSENT`] where it is missing.
    pub codes: Vec<u32>,
}

impl Names {
    /// The code of a name, whether it is known or new.
    fn code(&mut self, name: &str) -> u32 {
        if let Some(&code) = self.known.get(name) {
            return code;
        }
        let code = self.known.len() as u32;
        self.known.insert(name.into(), code);
        code
    }

    /// Appends the name of a row.
    pub fn push(&mut self, name: Option<&str>) {
        let code = name.map_or(ABSENT, |name| self.code(name));
        self.codes.push(code);
    }

    /// All names, each at the place of its code.
    pub fn all(&self) -> Vec<&str> {
        let mut all = vec![""; self.known.len()];
        self.known.iter().for_each(|(name, &code)| all[code as usize] = name);
        all
    }

    /// How many rows have each name, for those that some have, in alphabetical order.
    pub fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = vec![0; self.known.len()];
        self.codes.iter().filter(|code| **code != ABSENT).for_each(|&at| counts[at as usize] += 1);
        let counted = self.all().into_iter().zip(counts);
        counted.filter(|(_, count)| *count > 0).collect()
    }

    fn append(&mut self, other: Self) {
        let place: Vec<u32> = other.all().into_iter().map(|name| self.code(name)).collect();
        let code = |code: u32| if code == ABSENT { ABSENT } else { place[code as usize] };
        self.codes.extend(other.codes.into_iter().map(code));
    }
}

impl Column {
    /// No rows yet.
    pub fn new(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Bits | Wanted::Numbers | Wanted::Either => Self::Bits(Bits::default()),
            Wanted::Names => Self::Names(Names::default()),
        }
    }

    /// Appends the value of a row; false if it is not what alone is wanted.
    pub fn push(&mut self, text: Option<&str>, wanted: Wanted, decimal: Option<Decimal>) -> bool {
        let value = match (&mut *self, text) {
            (Self::Names(names), name) => {
                names.push(name);
                return true;
            }
            (Self::Torn(rows), _) => {
                *rows += 1;
                return true;
            }
            (Self::Bits(_) | Self::Numbers(_), None) => Some(f64::NAN),
            (Self::Bits(_) | Self::Numbers(_), Some("0")) => Some(0.0),
            (Self::Bits(_) | Self::Numbers(_), Some("1")) => Some(1.0),
            (Self::Bits(_) | Self::Numbers(_), Some(text)) => number(text, decimal),
        };
        match value {
            Some(value) => self.push_number(value, wanted),
            None if wanted == Wanted::Either => {
                *self = self.as_names();
                self.push(text, wanted, decimal)
            }
            None => false,
        }
    }

    /// A column of numbers that turns out to hold names: it has them, if it has no number yet.
    fn as_names(&self) -> Self {
        match self {
            Self::Numbers(values) if values.iter().all(|value| value.is_nan()) => {
                Self::Names(Names { codes: vec![ABSENT; values.len()], ..Names::default() })
            }
            Self::Bits(Bits { len: 0, .. }) => Self::Names(Names::default()),
            Self::Bits(_) | Self::Numbers(_) => Self::Torn(self.len()),
            Self::Names(_) | Self::Torn(_) => self.clone(),
        }
    }

    /// Appends zeros up to this row.
    pub fn fill(&mut self, rows: usize) {
        match self {
            Self::Bits(bits) => bits.fill(rows),
            Self::Numbers(values) => values.resize(rows, 0.0),
            Self::Names(_) | Self::Torn(_) => {}
        }
    }

    /// Appends a number, NaN where it is missing; false if bits alone are wanted, and it is none.
    pub fn push_number(&mut self, value: f64, wanted: Wanted) -> bool {
        match self {
            Self::Bits(bits) => match as_bit(value) {
                Some(one) => bits.push(one),
                None if wanted == Wanted::Bits => return false,
                None => {
                    *self = Self::Numbers(bits.numbers());
                    return self.push_number(value, wanted);
                }
            },
            Self::Numbers(values) => values.push(value),
            Self::Names(_) | Self::Torn(_) => return false,
        }
        true
    }

    /// Its numbers, NaN where one is missing; none where it has names.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + Clone {
        let rows = match self {
            Self::Bits(_) | Self::Numbers(_) => self.len(),
            Self::Names(_) | Self::Torn(_) => 0,
        };
        (0..rows).map(|row| self.number(row))
    }

    /// The number of a row; NaN where it is missing, or a name.
    pub fn number(&self, row: usize) -> f64 {
        match self {
            Self::Bits(bits) => f64::from(bits.get(row)),
            Self::Numbers(values) => values[row],
            Self::Names(_) | Self::Torn(_) => f64::NAN,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Bits(bits) => bits.len,
            Self::Numbers(values) => values.len(),
            Self::Names(names) => names.codes.len(),
            Self::Torn(rows) => *rows,
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the rows of another column.
    pub fn append(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Bits(bits), Self::Bits(more)) => {
                (0..more.len).for_each(|row| bits.push(more.get(row)));
            }
            (Self::Bits(bits), more @ Self::Numbers(_)) => {
                *self = Self::Numbers(bits.numbers());
                self.append(more);
            }
            (Self::Numbers(values), Self::Numbers(more)) => values.extend(more),
            (Self::Numbers(values), more @ Self::Bits(_)) => values.extend(more.numbers()),
            (Self::Names(names), Self::Names(more)) => names.append(more),
            (Self::Torn(rows), more) => *rows += more.len(),
            (_, more) => match (self.as_names(), more.as_names()) {
                (Self::Names(mut names), Self::Names(more)) => {
                    names.append(more);
                    *self = Self::Names(names);
                }
                (one, other) => *self = Self::Torn(one.len() + other.len()),
            },
        }
    }

    /// Whether the value of a row is missing.
    pub fn lacks(&self, row: usize) -> bool {
        match self {
            Self::Numbers(values) => values[row].is_nan(),
            Self::Names(names) => names.codes[row] == ABSENT,
            Self::Bits(_) | Self::Torn(_) => false,
        }
    }

    /// The first row with a name that is refused, and the name.
    pub fn refused(&self, mut is_fine: impl FnMut(usize, &str) -> bool) -> Option<(usize, &str)> {
        let Self::Names(names) = self else { return None };
        let all = names.all();
        let code = (0..all.len()).find(|&code| !is_fine(code, all[code]))?;
        let row = names.codes.iter().position(|&found| found as usize == code)?;
        Some((row, all[code]))
    }
}

/// The bit that a number is; -0 is none, since it would come back as 0.
pub fn as_bit(value: f64) -> Option<bool> {
    match value {
        zero if zero.to_bits() == 0 => Some(false),
        other => (other == 1.0).then_some(true),
    }
}

/// The finite number that a text is. Where the file says which character parts decimals, the other one may part
/// thousands.
pub fn number(text: &str, decimal: Option<Decimal>) -> Option<f64> {
    let plain = |text: &str| {
        let parsed = || text.parse::<f64>().ok().filter(|number| number.is_finite());
        short(text.as_bytes()).or_else(parsed)
    };
    let (mark, thousands) = match decimal {
        None => return plain(text),
        Some(Decimal::Point) => ('.', ','),
        Some(Decimal::Comma) => (',', '.'),
    };
    let (whole, rest) = text.split_at(text.find([mark, 'e', 'E']).unwrap_or(text.len()));
    let mut groups = whole.trim_start_matches(['+', '-']).split(thousands);
    let first = groups.next().unwrap_or_default();
    let mut groups = groups.peekable();
    // `0.123` has decimals, and so has `1.234e5`.
    let begins = (1..=3).contains(&first.len()) && !first.starts_with('0');
    if groups.peek().is_some()
        && (!begins || rest.starts_with(['e', 'E']) || groups.any(|group| group.len() != 3))
    {
        return None;
    }
    let rest = rest.replacen(mark, ".", 1);
    let sound = !rest[rest.len().min(1)..].contains([',', '.']);
    if sound { plain(&(whole.replace(thousands, "") + &rest)) } else { None }
}

/// The number of a text of at most 15 digits, with a point or without: as whole numbers they and the power of ten are
/// exact, so that one division rounds as parsing does (Clinger 1990), in half of its time.
fn short(text: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let (mut whole, mut behind) = (0_u64, None);
    if !(1..=16).contains(&digits.len()) {
        return None;
    }
    for (at, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => whole = 10 * whole + u64::from(byte - b'0'),
            b'.' if behind.is_none() && digits.len() > 1 => behind = Some(digits.len() - at - 1),
            _ => return None,
        }
    }
    if behind.is_none() && digits.len() > 15 {
        return None;
    }
    let number = whole as f64 / POWERS[behind.unwrap_or(0)];
    Some(if negative { -number } else { number })
}

/// A table of a file: what is learned from, what is to be predicted, and what marks its rows.
#[derive(Debug, Clone)]
pub struct Table {
    /// What is learned from.
    pub attributes: Vec<Column>,
    /// What is to be predicted.
    pub target: Column,
    /// Whose each row is, if the file says.
    pub group: Option<Column>,
    /// When each row was made, if the file says.
    pub time: Option<Column>,
    /// What the columns are called: the attributes, then the others in this order.
    pub names: Vec<String>,
    /// The line of each row, from 1; none in a file that has no lines.
    pub lines: Vec<u32>,
}

impl Table {
    /// That something is wrong with the value of a row, in the column at this place of its names.
    pub fn fault(&self, column: usize, row: usize, what: String, cure: &str) -> Fault {
        let place = match self.lines.get(row) {
            Some(&line) => Place::Value { line: line as usize, column: self.names[column].clone() },
            None => {
                let at = if column < self.attributes.len() { column } else { 0 };
                Place::Array { name: None, at: Some((row, at)) }
            }
        };
        Fault { place, what, cure: cure.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Table {
        /// What is read from, then each row: its line, its target, its values; `∅` where one is missing.
        pub(crate) fn shown(&self) -> Vec<String> {
            let text = |column: &Column| -> Vec<String> {
                let value =
                    |text: String, row| if column.lacks(row) { "∅".to_owned() } else { text };
                match column {
                    Column::Bits(_) | Column::Numbers(_) => column
                        .numbers()
                        .enumerate()
                        .map(|(row, v)| value(v.to_string(), row))
                        .collect(),
                    Column::Names(names) => {
                        let all = names.all();
                        let text =
                            |code: &u32| all.get(*code as usize).copied().unwrap_or("∅").to_owned();
                        names.codes.iter().map(text).collect()
                    }
                    Column::Torn(_) => panic!("torn"),
                }
            };
            let (values, target): (Vec<_>, _) =
                (self.attributes.iter().map(text).collect(), text(&self.target));
            let row = |(row, line): (usize, &u32)| {
                let values: Vec<&str> = values.iter().map(|column| &*column[row]).collect();
                format!("{line} {}: {}", target[row], values.join("|"))
            };
            let head = self.names[..self.attributes.len().min(self.names.len() - 1)].join(" ");
            [head].into_iter().chain(self.lines.iter().enumerate().map(row)).collect()
        }
    }

    #[test]
    fn a_column_is_numbers_until_it_has_a_name() {
        let of = |texts: &[Option<&str>]| {
            let mut column = Column::new(Wanted::Either);
            texts.iter().for_each(|text| assert!(column.push(*text, Wanted::Either, None)));
            column
        };
        assert!(matches!(of(&[Some("1"), None]), Column::Numbers(values) if values[0] == 1.0));
        let late = of(&[None, Some("x"), Some("1"), Some("x")]);
        let Column::Names(names) = &late else { panic!("{late:?}") };
        assert_eq!((&names.codes[..], names.all()), (&[ABSENT, 0, 1, 0][..], vec!["x", "1"]));
        assert_eq!(of(&[Some("1"), Some("x"), None]), Column::Torn(3));
        let joined = |mut one: Column, other| {
            one.append(other);
            one
        };
        assert_eq!(joined(of(&[Some("1")]), of(&[Some("x")])), Column::Torn(2));
        let names = joined(of(&[None]), of(&[Some("x"), Some("y")]));
        let names = joined(names, of(&[Some("y"), None]));
        let Column::Names(names) = &names else { panic!("{names:?}") };
        assert_eq!(names.codes, [ABSENT, 0, 1, 1, ABSENT]);
        assert!(!Column::new(Wanted::Numbers).push(Some("inf"), Wanted::Numbers, None));
    }

    /// The oracle is the standard library's parser.
    #[test]
    fn short_numbers_are_rounded_as_parsing_does() {
        let mut random = math::random::Random::new(base::digest::Digest::of(b"short numbers"));
        let mut texts: Vec<String> =
            ["0", "-0", "-.5", "5.", ".", "-", "", "-.", "1.2.3", "+1", "1e3", "0x1", "١", "--1"]
                .map(str::to_owned)
                .to_vec();
        for _ in 0..100_000 {
            let digits = 1 + random.below(17);
            let mut text: String =
                (0..digits).map(|_| char::from(b'0' + random.below(10) as u8)).collect();
            if random.below(2) == 0 {
                text.insert(random.below(digits + 1), '.');
            }
            if random.below(2) == 0 {
                text.insert(0, '-');
            }
            texts.push(text);
        }
        let mut fast = 0;
        for text in &texts {
            let found = short(text.as_bytes()).map(f64::to_bits);
            let parsed = text.parse::<f64>().ok().map(f64::to_bits);
            assert!(found.is_none() || found == parsed, "{text}");
            fast += usize::from(found.is_some());
        }
        assert!(fast > 70_000, "{fast}");
    }

    #[test]
    fn decimals_and_thousands_are_parted_as_the_file_says() {
        for (text, plain, point, comma) in [
            ("1.5", Some(1.5), Some(1.5), None),
            ("1,5", None, None, Some(1.5)),
            ("-1.234,5e1", None, None, Some(-12345.0)),
            ("1,234,567.25", None, Some(1_234_567.25), None),
            ("1,234", None, Some(1234.0), Some(1.234)),
            ("1,2,3", None, None, None),
            ("1.2.3", None, None, None),
            ("7", Some(7.0), Some(7.0), Some(7.0)),
            ("1234,567.5", None, None, None),
            ("inf", None, None, None),
            ("", None, None, None),
            (",5", None, None, Some(0.5)),
            ("0.123", Some(0.123), Some(0.123), None),
            ("1.234e5", Some(123_400.0), Some(123_400.0), None),
        ] {
            let found = [None, Some(Decimal::Point), Some(Decimal::Comma)];
            let found = found.map(|decimal| number(text, decimal));
            assert_eq!(found, [plain, point, comma], "{text}");
        }
    }
}
