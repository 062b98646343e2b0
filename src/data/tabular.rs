//! The tables of files to examples: what the formats of attributes and numbers share.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::content::Parsed;
use super::format::columns::{ABSENT, Column as Read, Names, Table as Part, number};
use super::format::csv::is_class_name;
use super::format::excerpt;
use super::format::fault::Fault;
use super::marks::{self, Marks, Moment};
use super::preprocessing::Missing;
use super::registry::Entry;
use super::vocabulary::{Kind, Rows, Target};
use super::{Labels, Targets};
use base::side_by_side;
use contract::Examples;
use contract::categorical::{Attribute, CategoricalRows, MISSING};
use contract::numeric::NumericRows;
use contract::packed::{PackedRows, words_for};
use contract::table::{Column, Table};

/// The rows of the files so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    whole: Option<Part>,
    times: Vec<Moment>,
    /// Of all rows that came, those that are left out.
    dropped: Vec<usize>,
}

/// Something is wrong in a column, by its place among the names of its table.
pub(super) type Refused = (usize, Fault);

impl Gathered {
    /// Appends the rows of a file.
    ///
    /// # Errors
    /// A value that can't be taken. The rows are not to be used then.
    pub fn add(&mut self, part: Part, entry: &Entry) -> Result<(), Refused> {
        let before = self.whole.as_ref().map_or(0, |whole| whole.target.len());
        self.mark(&part)?;
        let target = part.attributes.len();
        let refused = |column: usize, row: usize, what: String, cure: &str| {
            Err((column, part.fault(column, row, what, cure)))
        };
        let of_class = |_, name: &str| is_class_name(name);
        if let Some((row, name)) = part.target.refused(of_class) {
            let cure = "a class name has at most 200 characters, and none that moves the cursor";
            return refused(target, row, format!("{} is no class name", excerpt(name)), cure);
        }
        for (at, column) in part.attributes.iter().enumerate() {
            if let Some((row, _)) = column.refused(|code, _| code < usize::from(MISSING)) {
                let what = format!("it has more than {MISSING} different names");
                return refused(at, row, what, "leave the column out of `attributes`");
            }
        }
        let rows = part.target.len();
        let lacks = |at: &usize| (0..rows).any(|row| part.attributes[*at].lacks(row));
        let partial: Vec<usize> = (0..target).filter(lacks).collect();
        let missing = entry.preprocessing.missing;
        for row in 0..rows {
            let absent = partial.iter().find(|&&at| part.attributes[at].lacks(row));
            match (missing, part.target.lacks(row), absent) {
                (Missing::Drop, true, _) | (Missing::Drop, _, Some(_)) => {
                    self.dropped.push(before + row);
                }
                (_, true, _) => {
                    let class = matches!(entry.shape.target, Target::Classes(_));
                    let what = if class { "the class is missing" } else { "the target is missing" };
                    let cure = "correct the file, or leave such rows out: missing = \"drop\"";
                    return refused(target, row, what.to_owned(), cure);
                }
                (Missing::Error, _, Some(&at)) => {
                    let cure = "say what is done about missing values: missing = \"drop\", \"median\" or \"category\"";
                    return refused(at, row, "the value is missing".to_owned(), cure);
                }
                _ => {}
            }
        }
        match &mut self.whole {
            None => self.whole = Some(part),
            Some(whole) => {
                let more = part.attributes.into_iter();
                whole
                    .attributes
                    .iter_mut()
                    .zip(more)
                    .for_each(|(column, more)| column.append(more));
                whole.target.append(part.target);
                if let (Some(group), Some(more)) = (&mut whole.group, part.group) {
                    group.append(more);
                }
            }
        }
        Ok(())
    }

    /// Takes what marks the rows.
    fn mark(&mut self, part: &Part) -> Result<(), Refused> {
        let group = part.attributes.len() + 1;
        let time = group + usize::from(part.group.is_some());
        for (at, column, what) in [
            (group, &part.group, "the group is missing"),
            (time, &part.time, "the time is missing"),
        ] {
            let rows =
                column.iter().flat_map(|column| (0..column.len()).map(move |row| (column, row)));
            if let Some((_, row)) = { rows }.find(|(column, row)| column.lacks(*row)) {
                let cure = "write one in every row; a split could not tell where the row belongs";
                return Err((at, part.fault(at, row, what.to_owned(), cure)));
            }
        }
        let Some(Read::Names(times)) = &part.time else { return Ok(()) };
        let all = times.all();
        let moments: Vec<Option<Moment>> = all.iter().map(|text| Moment::parse(text)).collect();
        for (row, &code) in times.codes.iter().enumerate() {
            let refused = |why: &str, cure: &str| {
                let what = format!("{} {why}", excerpt(all[code as usize]));
                Err((time, part.fault(time, row, what, cure)))
            };
            match &moments[code as usize] {
                None => {
                    let cure = "write numbers, or dates such as 2026-11-23 or 2026-11-23T10:51:48";
                    return refused("is no time", cure);
                }
                Some(moment)
                    if self.times.first().is_some_and(|first| !first.comparable(moment)) =>
                {
                    let cure = "write numbers in all rows, or dates in all";
                    return refused("is of another kind than the first time", cure);
                }
                Some(moment) => self.times.push(moment.clone()),
            }
        }
        Ok(())
    }

    /// How many rows of each part stay, where `rows` came.
    fn kept(&self, rows: Rows) -> Rows {
        let within = |part: &Range<usize>| {
            part.len() - self.dropped.iter().filter(|row| part.contains(row)).count()
        };
        match rows {
            Rows::Whole(all) => Rows::Whole(within(&(0..all))),
            Rows::Shared(all) => Rows::Shared(within(&(0..all))),
            Rows::Split(sizes) => Rows::Split(sizes.ranges().map(within)),
        }
    }

    /// Of values of all rows that came, in order, those of the rows that stay.
    fn of_kept<T>(&self, values: Vec<T>) -> Vec<T> {
        if self.dropped.is_empty() {
            return values;
        }
        let kept = |(row, value)| self.dropped.binary_search(&row).is_err().then_some(value);
        values.into_iter().enumerate().filter_map(kept).collect()
    }

    /// The examples with their targets. Names of values and of classes are sorted: of values shorter ones first, else
    /// in alphabetical order, so that numbers ascend; of classes in alphabetical order.
    pub fn finish(mut self, entry: &Entry, folds: Option<Vec<u32>>) -> Parsed {
        let kept = self.kept(entry.shape.rows);
        let folds = folds.map(|folds| self.of_kept(folds));
        let times = std::mem::take(&mut self.times);
        let times = (!times.is_empty()).then(|| marks::ranked(&self.of_kept(times)));
        let whole = self.whole.take();
        let missing = entry.preprocessing.missing;
        let mut examples = Examples::Table(Table::new(Vec::new()));
        let (mut targets, mut groups) = (Targets::None, None);
        if let Some(whole) = whole {
            examples = match entry.kind {
                Kind::Binary => bits(&whole.attributes),
                Kind::Categorical | Kind::Numeric | Kind::Text | Kind::Image => {
                    let columns = whole.attributes.into_iter().map(|column| self.column(column));
                    as_it_is(columns.collect(), missing)
                }
            };
            groups = whole.group.and_then(|group| match group {
                Read::Names(names) => Some(marks::numbered(&self.of_kept(names.codes))),
                Read::Bits(_) | Read::Numbers(_) | Read::Torn(_) => None,
            });
            targets = match whole.target {
                Read::Bits(bits) => Targets::Numbers(self.of_kept(bits.numbers())),
                Read::Numbers(values) => Targets::Numbers(self.of_kept(values)),
                Read::Names(names) => Targets::Classes(classes(&self.names_of_kept(names))),
                Read::Torn(_) => Targets::None,
            };
        }
        let marks = Marks { groups, times };
        Parsed { examples, columns: None, targets, marks, folds, kept }
    }

    fn names_of_kept(&self, mut names: Names) -> Names {
        names.codes = self.of_kept(names.codes);
        names
    }

    fn column(&self, column: Read) -> Column {
        match column {
            Read::Bits(bits) => Column::Numbers(self.of_kept(bits.numbers())),
            Read::Numbers(values) => Column::Numbers(self.of_kept(values)),
            Read::Names(names) => {
                let names = self.names_of_kept(names);
                let mut known: Vec<&str> = names.counts().into_keys().collect();
                known.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
                let place: HashMap<&str, u16> = known.iter().copied().zip(0..).collect();
                let place: Vec<u16> =
                    names.all().iter().map(|name| *place.get(name).unwrap_or(&MISSING)).collect();
                let code = |code: &u32| place.get(*code as usize).copied().unwrap_or(MISSING);
                let codes = names.codes.iter().map(code).collect();
                let names = known.into_iter().map(str::to_owned).collect();
                Column::Names { names: Arc::new(names), codes }
            }
            Read::Torn(rows) => Column::Numbers(vec![f64::NAN; rows]),
        }
    }
}

/// So many digits of a number are exact: others are other numbers.
const EXACT: usize = 15;

/// The number that a text is, if other texts of that number are the same.
fn exact(text: &str) -> Option<f64> {
    let digits = text.bytes().take_while(|byte| !b"eE".contains(byte));
    let digits = digits.filter(u8::is_ascii_digit).count();
    number(text, None).filter(|_| digits <= EXACT)
}

/// What the class of each name is called. Where all are numbers one number is one class, however it is written: it is
/// called as it is written shortest.
pub(super) fn called(names: &Names) -> BTreeMap<&str, &str> {
    let known: Vec<&str> = names.counts().into_keys().collect();
    let values: Option<Vec<f64>> = known.iter().map(|name| exact(name)).collect();
    let Some(values) = values else { return known.iter().map(|&name| (name, name)).collect() };
    let values = || values.iter().map(|value| (value + 0.0).to_bits()).zip(&known);
    let mut called: HashMap<u64, &str> = HashMap::new();
    for (value, &name) in values() {
        let known = called.entry(value).or_insert(name);
        *known = [*known, name].into_iter().min_by_key(|name| (name.len(), *name)).unwrap_or(name);
    }
    values().map(|(value, &name)| (name, called[&value])).collect()
}

/// The classes that rows have.
pub(super) fn classes(names: &Names) -> Labels {
    let becomes = called(names);
    let mut classes: Vec<&str> = becomes.values().copied().collect();
    classes.sort_unstable();
    classes.dedup();
    let place = |name: &&str| {
        let class = becomes.get(name).and_then(|class| classes.binary_search(class).ok());
        class.map_or(ABSENT, |class| class as u32)
    };
    let place: Vec<u32> = names.all().iter().map(place).collect();
    let of_example = names.codes.iter().map(|&code| place[code as usize]).collect();
    Labels { classes: classes.into_iter().map(str::to_owned).collect(), of_example }
}

/// Rows of 0/1 variables: by their ones where these are few, else by their bits. The columns of such a dataset are read as
/// bits, or refused.
fn bits(columns: &[Read]) -> Examples {
    let (rows, width) = (columns.first().map_or(0, Read::len), words_for(columns.len()));
    let mut words = vec![0u64; rows * width];
    for (row, words) in words.chunks_exact_mut(width.max(1)).enumerate() {
        for (at, column) in columns.iter().enumerate() {
            let one = matches!(column, Read::Bits(bits) if bits.get(row));
            words[at / 64] |= u64::from(one) << (at % 64);
        }
    }
    let packed = PackedRows::new(columns.len(), words);
    match 32 * packed.total_ones() < rows * columns.len() {
        true => Examples::Binary(packed.to_sparse()),
        false => Examples::Packed(packed),
    }
}

/// Rows that are made of columns at once: few enough for a cache.
const TILE: usize = 256;

/// What methods take as it is, where nothing is left to do in a trial; else a table.
fn as_it_is(columns: Vec<Column>, missing: Missing) -> Examples {
    let table = Table::new(columns);
    let complete = !table.has_missing();
    let numbers: Option<Vec<&Vec<f64>>> = table.columns().iter().map(Column::numbers).collect();
    if let (Some(numbers), true) = (numbers, complete) {
        let width = numbers.len();
        let mut values = vec![0.0; table.len() * width];
        let tiles = values.chunks_mut(TILE * width.max(1)).enumerate().collect();
        side_by_side(tiles, |(tile, values): (usize, &mut [f64])| {
            for (at, column) in numbers.iter().enumerate() {
                let rows = values.iter_mut().skip(at).step_by(width);
                rows.zip(&column[tile * TILE..]).for_each(|(place, value)| *place = *value);
            }
        });
        return Examples::Numeric(NumericRows::new(width, values));
    }
    let names: Option<Vec<_>> = table.columns().iter().map(Column::names).collect();
    match names {
        Some(names) if complete || missing == Missing::Category => {
            let attribute = |(values, codes): &(&[String], &[u16])| Attribute {
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
