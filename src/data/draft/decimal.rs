//! What parts the decimals of a table's numbers, and what their thousands.

use base::text::real;

use crate::format::columns::number;
use crate::vocabulary::Decimal;

/// What the values of a column say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parted {
    /// Whether all are numbers where a point parts decimals.
    point: bool,
    /// Whether all are where a comma does.
    comma: bool,
    /// Whether some have commas.
    commas: bool,
    /// Whether some have neither point nor comma.
    bare: bool,
    /// The first that has one.
    example: Option<String>,
}

impl Parted {
    /// What values say that are not missing.
    pub fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut found =
            Self { point: true, comma: true, commas: false, bare: false, example: None };
        for text in texts {
            let marked = text.contains(['.', ',']);
            found.bare |= !marked;
            found.commas |= text.contains(',');
            found.point &= number(text, Some(Decimal::Point)).is_some();
            found.comma &= number(text, Some(Decimal::Comma)).is_some();
            if marked && found.example.is_none() {
                found.example = Some(text.to_owned());
            }
            if !(found.point || found.comma) {
                break;
            }
        }
        found
    }

    /// What parts decimals, if only one of them can.
    fn decided(&self) -> Option<Decimal> {
        match (&self.example, self.point, self.comma) {
            (Some(_), true, false) => Some(Decimal::Point),
            (Some(_), false, true) => Some(Decimal::Comma),
            _ => None,
        }
    }

    /// A value that has decimals or thousands, and what parts them.
    fn open(&self) -> Option<(&str, Decimal)> {
        let example = self.example.as_deref().filter(|_| self.point && self.comma)?;
        Some((example, if example.contains('.') { Decimal::Point } else { Decimal::Comma }))
    }

    /// Whether three digits stand behind each mark, and other values have none: as thousands do.
    pub fn like_thousands(&self) -> bool {
        self.bare && self.open().is_some()
    }
}

/// What parts the decimals of a file: what those columns say that have one reading, else what looks like thousands,
/// else what does not part values.
pub(super) fn decimal(columns: &[&Parted], delimiter: u8) -> Option<Decimal> {
    let count = |fits: &dyn Fn(&Parted) -> bool| columns.iter().filter(|it| fits(it)).count();
    let decided = |by| count(&|column| column.decided() == Some(by));
    let open = |mark| count(&|column| column.open().is_some_and(|(_, found)| found == mark));
    let thousands = |mark| {
        count(&|column| column.bare && column.open().is_some_and(|(_, found)| found == mark))
    };
    let (points, commas) = (thousands(Decimal::Point), thousands(Decimal::Comma));
    let by_comma = match (decided(Decimal::Point), decided(Decimal::Comma)) {
        (0, 0) if points + commas > 0 => points > commas,
        (0, 0) => delimiter == b';' && open(Decimal::Point) == 0 && open(Decimal::Comma) > 0,
        (point, _) => point == 0,
    };
    let parted = count(&|column| column.point && column.commas) > 0;
    if by_comma { Some(Decimal::Comma) } else { parted.then_some(Decimal::Point) }
}

/// The columns whose numbers may be others than is read, with a value of each that shows it.
pub(super) fn doubtful<'n>(
    columns: impl Iterator<Item = (&'n String, &'n Parted)> + Clone,
    decimal: Option<Decimal>,
) -> Option<String> {
    let decided = columns.clone().any(|(_, column)| column.decided().is_some());
    let by = decimal.unwrap_or(Decimal::Point);
    let other = if by == Decimal::Point { Decimal::Comma } else { Decimal::Point };
    let mut found = columns.filter_map(|(name, column)| {
        let (example, mark) = column.open()?;
        // Thousands behind a comma are usual where decimals are known to be behind a point.
        let sound = match mark == by {
            true => decided && !column.bare,
            false => column.bare || decided && mark == Decimal::Comma,
        };
        let [is, may] =
            [by, other].map(|by| number(example, Some(by)).map_or_else(String::new, real));
        (!sound).then(|| format!("`{example}` of `{name}` is read as {is}, not {may}"))
    });
    let first = found.next()?;
    let more = match found.count() {
        0 => String::new(),
        more => format!(", and so in {more} more columns"),
    };
    Some(format!(
        "warning: {first}{more}; where that is wrong, write decimal = \"{}\" in the entry, or digits alone in the file",
        other.word()
    ))
}
