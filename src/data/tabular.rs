//! Rows of values to columns: what the formats of attributes and numbers share.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::preprocessing::Missing;
use super::vocabulary::{Rows, Target};
use super::{Labels, Targets};
use contract::Examples;
use contract::categorical::{Attribute, CategoricalRows, MISSING};
use contract::numeric::NumericRows;
use contract::table::{Column, Table};

/// A value can't be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The value of an attribute is no finite number.
    NoNumber(usize),
    /// An attribute has more names than there are codes.
    ManyNames(usize),
    /// The value of an attribute is missing; or the target.
    Missing(Option<usize>),
    /// The target is no finite number.
    NoTarget,
}

/// A target as its file has it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Given<'a> {
    /// The name of a class, or the text of a number.
    Text(&'a str),
    /// A number, where targets are numbers.
    Number(f64),
}

/// Columns as they grow.
#[derive(Debug)]
pub(super) struct Builder {
    columns: Vec<Growing>,
    missing: Missing,
    target: GrowingTarget,
    /// Of all rows that came, those that are left out.
    dropped: Vec<usize>,
}

#[derive(Debug)]
enum GrowingTarget {
    /// Classes by their first occurrence.
    Classes {
        known: BTreeMap<String, u32>,
        of_example: Vec<u32>,
    },
    Numbers(Vec<f64>),
}

/// What has become of the rows.
#[derive(Debug)]
pub(super) struct Columns {
    /// The examples.
    pub examples: Examples,
    /// What is to be predicted of each.
    pub targets: Targets,
}

#[derive(Debug)]
enum Growing {
    Numbers(Vec<f64>),
    Names { known: HashMap<Box<str>, u16>, codes: Vec<u16> },
}

impl Builder {
    /// No columns yet.
    pub fn new(missing: Missing, target: Target) -> Self {
        let target = match target {
            Target::Number => GrowingTarget::Numbers(Vec::new()),
            Target::None | Target::Classes(_) => {
                GrowingTarget::Classes { known: BTreeMap::new(), of_example: Vec::new() }
            }
        };
        Self { columns: Vec::new(), missing, target, dropped: Vec::new() }
    }

    /// The columns, unless it has them already: true for each that has names, false for numbers.
    pub fn begin(&mut self, names: impl Iterator<Item = bool>) {
        if self.columns.is_empty() {
            self.columns.extend(names.map(|names| match names {
                true => Growing::Names { known: HashMap::new(), codes: Vec::new() },
                false => Growing::Numbers(Vec::new()),
            }));
        }
    }

    /// Number of rows that came, those that are left out too.
    pub fn seen(&self) -> usize {
        self.target.len() + self.dropped.len()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        match &self.target {
            GrowingTarget::Classes { known, .. } => known.len(),
            GrowingTarget::Numbers(_) => 0,
        }
    }

    /// How many rows of each part stay, where `rows` came.
    pub fn kept(&self, rows: Rows) -> Rows {
        let within = |first: usize, size: usize| {
            let inside = first..first + size;
            size - self.dropped.iter().filter(|row| inside.contains(row)).count()
        };
        match rows {
            Rows::Whole(all) => Rows::Whole(within(0, all)),
            Rows::Shared(all) => Rows::Shared(within(0, all)),
            Rows::Split { train, valid, test } => Rows::Split {
                train: within(0, train),
                valid: within(train, valid),
                test: within(train + valid, test),
            },
        }
    }

    /// Of values of all rows that came, in order, those of the rows that stay.
    pub fn of_kept<T>(&self, values: Vec<T>) -> Vec<T> {
        let kept = |(row, value)| self.dropped.binary_search(&row).is_err().then_some(value);
        values.into_iter().enumerate().filter_map(kept).collect()
    }

    /// Whether a row stays, of which this attribute is the first that is missing, and perhaps the target.
    fn stays(&mut self, absent: Option<usize>, targeted: bool) -> Result<bool, Refused> {
        if self.missing == Missing::Drop && (absent.is_some() || !targeted) {
            self.dropped.push(self.seen());
            return Ok(false);
        }
        match (targeted, absent) {
            (false, _) => Err(Refused::Missing(None)),
            (true, Some(attribute)) if self.missing == Missing::Error => {
                Err(Refused::Missing(Some(attribute)))
            }
            _ => Ok(true),
        }
    }

    /// Appends a row of texts; leaves it out if something is missing and such rows are left out.
    ///
    /// # Errors
    /// The first value that can't be taken. The rows are not to be used then.
    pub fn push(&mut self, target: Option<&str>, values: &[Option<&str>]) -> Result<(), Refused> {
        if !self.stays(values.iter().position(Option::is_none), target.is_some())? {
            return Ok(());
        }
        for (attribute, (column, value)) in self.columns.iter_mut().zip(values).enumerate() {
            match column {
                Growing::Numbers(numbers) => numbers.push(match value {
                    Some(text) => number(text).ok_or(Refused::NoNumber(attribute))?,
                    None => f64::NAN,
                }),
                Growing::Names { known, codes } => codes.push(match value {
                    Some(name) => code(known, name).ok_or(Refused::ManyNames(attribute))?,
                    None => MISSING,
                }),
            }
        }
        target.map_or(Ok(()), |target| self.target.push(Given::Text(target)))
    }

    /// Appends a row of numbers to columns of numbers, as [`Self::push`]; NaN is missing.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn push_numbers(
        &mut self,
        target: Option<Given<'_>>,
        values: &[f64],
    ) -> Result<(), Refused> {
        let absent = values.iter().position(|value| value.is_nan());
        if !self.stays(absent, target.is_some())? {
            return Ok(());
        }
        if let Some(attribute) = values.iter().position(|value| value.is_infinite()) {
            return Err(Refused::NoNumber(attribute));
        }
        for (column, value) in self.columns.iter_mut().zip(values) {
            if let Growing::Numbers(numbers) = column {
                numbers.push(*value);
            }
        }
        target.map_or(Ok(()), |target| self.target.push(target))
    }

    /// The examples with their targets. Names of values and of classes are sorted: of values shorter ones first, else
    /// in alphabetical order, so that numbers ascend; of classes in alphabetical order.
    pub fn finish(self) -> Columns {
        let columns: Vec<Column> = self.columns.into_iter().map(Growing::sorted).collect();
        Columns { examples: examples(columns, self.missing), targets: self.target.sorted() }
    }
}

impl GrowingTarget {
    fn len(&self) -> usize {
        match self {
            Self::Classes { of_example, .. } => of_example.len(),
            Self::Numbers(targets) => targets.len(),
        }
    }

    fn push(&mut self, target: Given<'_>) -> Result<(), Refused> {
        match (self, target) {
            (Self::Classes { known, of_example }, Given::Text(text)) => {
                let next = known.len() as u32;
                of_example.push(match known.get(text) {
                    Some(&class) => class,
                    None => *known.entry(text.to_owned()).or_insert(next),
                });
            }
            (Self::Numbers(targets), Given::Text(text)) => {
                targets.push(number(text).ok_or(Refused::NoTarget)?);
            }
            (Self::Numbers(targets), Given::Number(number)) if number.is_finite() => {
                targets.push(number);
            }
            (_, Given::Number(_)) => return Err(Refused::NoTarget),
        }
        Ok(())
    }

    fn sorted(self) -> Targets {
        match self {
            Self::Classes { known, of_example } => {
                let mut place = vec![0; known.len()];
                (0..).zip(known.values()).for_each(|(at, &class)| place[class as usize] = at);
                let of_example = of_example.into_iter().map(|class| place[class as usize]);
                let of_example = of_example.collect();
                Targets::Classes(Labels { classes: known.into_keys().collect(), of_example })
            }
            Self::Numbers(targets) => Targets::Numbers(targets),
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

fn code(known: &mut HashMap<Box<str>, u16>, name: &str) -> Option<u16> {
    if let Some(&code) = known.get(name) {
        return Some(code);
    }
    let code = u16::try_from(known.len()).ok().filter(|&code| code < MISSING)?;
    known.insert(name.into(), code);
    Some(code)
}

impl Growing {
    fn sorted(self) -> Column {
        let (known, mut codes) = match self {
            Self::Numbers(values) => return Column::Numbers(values),
            Self::Names { known, codes } => (known, codes),
        };
        let mut names: Vec<(Box<str>, u16)> = known.into_iter().collect();
        names.sort_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        let mut place = vec![0; names.len()];
        (0..).zip(&names).for_each(|(at, (_, code))| place[usize::from(*code)] = at);
        for code in codes.iter_mut().filter(|code| **code != MISSING) {
            *code = place[usize::from(*code)];
        }
        let names = names.into_iter().map(|(name, _)| name.into()).collect();
        Column::Names { names: Arc::new(names), codes }
    }
}

/// What methods take as it is, where nothing is left to do in a trial; else a table.
fn examples(columns: Vec<Column>, missing: Missing) -> Examples {
    let table = Table::new(columns);
    let complete = !table.has_missing();
    let numbers: Option<Vec<&Vec<f64>>> = table
        .columns()
        .iter()
        .map(|column| match column {
            Column::Numbers(values) => Some(values),
            Column::Names { .. } => None,
        })
        .collect();
    if let (Some(numbers), true) = (numbers, complete) {
        let row = |row: usize| numbers.iter().map(move |values| values[row]);
        let values = (0..table.len()).flat_map(row).collect();
        return Examples::Numeric(NumericRows::new(table.columns().len(), values));
    }
    let names: Option<Vec<(&Vec<String>, &Vec<u16>)>> = table
        .columns()
        .iter()
        .map(|column| match column {
            Column::Numbers(_) => None,
            Column::Names { names, codes } => Some((&**names, codes)),
        })
        .collect();
    match names {
        Some(names) if complete || missing == Missing::Category => {
            let attribute = |(values, codes): &(&Vec<String>, &Vec<u16>)| Attribute {
                values: values.to_vec(),
                missing: codes.contains(&MISSING),
            };
            let mut rows = CategoricalRows::new(Arc::new(names.iter().map(attribute).collect()));
            for row in 0..table.len() {
                rows.push(&names.iter().map(|(_, codes)| codes[row]).collect::<Vec<u16>>());
            }
            Examples::Categorical(rows)
        }
        _ => Examples::Table(table),
    }
}
