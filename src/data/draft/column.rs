//! What a column holds, and what it can be.

use std::collections::BTreeMap;

use base::text::real;

use super::Predicted;
use super::header::is_gap;
use crate::error::{Refused, no};
use crate::format::columns::{Column, Names, number};
use crate::format::csv;
use crate::format::excerpt;
use crate::limits;
use crate::marks::Moment;
use crate::preprocessing::Missing;
use crate::tabular::{called, classes};
use crate::vocabulary::Decimal;

/// So many different values are still classes, where they are whole numbers.
const MOST_NUMBERED_CLASSES: usize = 20;

/// Characters of a name that are shown, and of all names of a column, so that its line stays one on a terminal.
const LONGEST_NAME: usize = 20;
const MOST_CHARACTERS: usize = 60;

/// So many things of a kind are named in a sentence.
pub(super) const MOST_NAMED: usize = 3;

/// So much more often a value is there in one class than in another, if that tells the class.
const TELLS: f64 = 0.6;
/// A class of fewer rows says nothing of it.
const CLASS: usize = 10;

/// What stands where a number is missing.
const SENTINELS: [f64; 4] = [-99.0, -999.0, -9999.0, -99999.0];

/// Up to here whole numbers are told apart, 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// So many odd values of a column are shown.
const MOST_ODD: usize = 5;

/// Words in the name of a column that says whose a row is, and of one that says when it was made.
const OWNERS: [&str; 10] = [
    "patient",
    "subject",
    "group",
    "user",
    "customer",
    "person",
    "participant",
    "household",
    "student",
    "family",
];
const MOMENTS: [&str; 5] = ["date", "time", "timestamp", "datetime", "year"];
/// Words that may stand beside the first: `family_history` says whose a row is by none.
const NUMBERED: [&str; 5] = ["no", "nr", "number", "code", "name"];

/// What a column holds.
pub(super) struct Summary<'c> {
    pub name: String,
    /// Its values.
    pub column: &'c Column,
    /// How often it is missing.
    pub missing: usize,
    /// How many rows have each name, where it has names.
    names: BTreeMap<&'c str, usize>,
    /// The least and the most of its numbers, where it has some.
    pub range: Option<(f64, f64)>,
    /// Whether all its values are whole numbers.
    whole: bool,
    /// Whether each is one more than that of the row before.
    counts_up: bool,
    /// Its different numbers, ascending, if they are few; else more than are few.
    few: Vec<f64>,
}

impl<'c> Summary<'c> {
    /// Of a column.
    pub fn of(name: &str, column: &'c Column) -> Self {
        let missing = (0..column.len()).filter(|&row| column.lacks(row)).count();
        let names = match column {
            Column::Names(names) => names.counts(),
            Column::Bits(_) | Column::Numbers(_) | Column::Torn(_) => BTreeMap::new(),
        };
        let mut few: Vec<f64> = Vec::new();
        let known = || column.numbers().filter(|value| !value.is_nan());
        for value in known() {
            if few.len() > MOST_NUMBERED_CLASSES {
                break;
            }
            if !few.contains(&value) {
                few.push(value);
            }
        }
        few.sort_by(f64::total_cmp);
        let range = known().map(|value| (value, value));
        let range = range.reduce(|(low, high), (value, _)| (low.min(value), high.max(value)));
        let whole = range.is_some() && known().all(|value| value.fract() == 0.0);
        let counts_up = whole
            && missing == 0
            && column.numbers().zip(column.numbers().skip(1)).all(|(one, next)| next == one + 1.0);
        Self { name: name.to_owned(), column, missing, names, range, whole, counts_up, few }
    }

    /// Whether all its values are numbers.
    pub fn numbers(&self) -> bool {
        self.range.is_some()
    }

    /// How many different values it has.
    pub fn different(&self) -> usize {
        if self.few.len() <= MOST_NUMBERED_CLASSES {
            return self.few.len() + self.names.len();
        }
        let mut known: Vec<f64> = self.column.numbers().filter(|value| !value.is_nan()).collect();
        known.sort_unstable_by(f64::total_cmp);
        known.dedup();
        known.len()
    }

    /// Whether its values are different in all rows, and no measured numbers.
    fn tells_apart(&self) -> bool {
        let known = self.column.len() - self.missing;
        (self.whole || !self.numbers())
            && known > MOST_NUMBERED_CLASSES
            && self.different() == known
    }

    /// Whether its values are there in most rows of one class and missing in most of another.
    pub fn is_there_by(&self, target: &Self) -> bool {
        if target.is_number() {
            return false;
        }
        let there = target.classes(|row| !self.column.lacks(row));
        let there: BTreeMap<String, usize> = there.into_iter().collect();
        let share = |(class, all): (String, usize)| {
            there.get(&class).map_or(0.0, |there| *there as f64 / all as f64)
        };
        let classes = target.classes(|_| true).into_iter();
        let shares = classes.filter(|(_, rows)| *rows >= CLASS).map(share);
        let [least, most] = shares.fold([1.0, 0.0], |[a, b], s| [f64::min(a, s), f64::max(b, s)]);
        most - least > TELLS
    }

    /// Whether its few values have more digits than numbers keep: different ones may be read as one.
    fn is_too_long(&self) -> bool {
        self.few.len() <= MOST_NUMBERED_CLASSES && self.few.iter().any(|value| value.abs() >= EXACT)
    }

    /// What there is of one value.
    fn one_value(&self) -> &'static str {
        match self.is_too_long() {
            true => {
                "its whole numbers have more than 15 digits, of which numbers keep no more: write a letter before each"
            }
            false => "it has one value everywhere",
        }
    }

    /// Why the column tells examples apart and nothing of their classes, if it seems so.
    pub fn identifies(&self, target: &Self) -> Option<String> {
        let rows = self.column.len();
        let is_id = self.name.to_lowercase();
        let is_id = is_id == "id" || is_id.ends_with("_id") || is_id.is_empty();
        let (known, names) = (rows - self.missing, self.names.len());
        let many = self.few.len() > MOST_NUMBERED_CLASSES;
        match self.few.len() + names {
            0 => Some("all its values are missing".to_owned()),
            1 => Some(self.one_value().to_owned()),
            _ if 2 * self.missing > rows => {
                let by = if self.is_there_by(target) { ", by the class" } else { "" };
                Some(format!("it is missing in {} of {rows} rows{by}", self.missing))
            }
            _ if 2 * names > known && names > MOST_NUMBERED_CLASSES => {
                Some(format!("it has {names} names in {known} rows"))
            }
            _ if self.counts_up && many || self.whole && is_id && self.different() == known => {
                Some("it numbers the rows".to_owned())
            }
            _ => None,
        }
    }

    /// The names that people write where a value is missing, beside others.
    pub fn gaps(&self) -> Vec<String> {
        let gaps = self.names.keys().filter(|name| is_gap(name));
        let gaps: Vec<String> = gaps.map(|name| excerpt(name)).collect();
        if gaps.len() < self.names.len() { gaps } else { Vec::new() }
    }

    /// The number that seems to say that a value is missing, and in how many rows: all others are far above it.
    pub fn sentinel(&self) -> Option<(f64, usize)> {
        let (least, _) = self.range.filter(|(least, _)| SENTINELS.contains(least))?;
        let others = self.column.numbers().filter(|value| !value.is_nan() && *value != least);
        let next = others.fold(f64::INFINITY, f64::min);
        let rows = self.column.numbers().filter(|value| *value == least).count();
        (next.is_finite() && next > least / 2.0).then_some((least, rows))
    }

    /// Names that are the same but for capitals and blanks, where there are some.
    pub fn respelled(&self) -> Vec<String> {
        let mut plain: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for name in self.names.keys() {
            plain.entry(name.trim().to_lowercase()).or_default().push(name);
        }
        let several = plain.into_values().filter(|names| names.len() > 1).flatten();
        several.take(MOST_ODD).map(excerpt).collect()
    }

    /// What its odd values are, if it has names, and most look like numbers of a table with these decimals, or all others as
    /// if one were missing.
    pub fn odd(&self, decimal: Option<Decimal>) -> Option<String> {
        let is_number =
            |name: &str| [None, decimal].into_iter().any(|by| number(name, by).is_some());
        let dressed = |name: &str| {
            let bare = |c: &char| !"$€£¥%<>≤≥~()".contains(*c) && !c.is_whitespace();
            let bare: String = name.chars().filter(bare).collect::<String>().replace('−', "-");
            let by = |by| number(&bare, Some(by)).is_some();
            !is_number(name)
                && (by(Decimal::Point)
                    || by(Decimal::Comma)
                    || bare.parse().is_ok_and(f64::is_infinite))
        };
        let rows = |fits: &dyn Fn(&str) -> bool| -> usize {
            self.names.iter().filter(|(name, _)| fits(name)).map(|(_, rows)| rows).sum()
        };
        let (all, dressed, gaps) = (rows(&|_| true), rows(&dressed), rows(&is_gap));
        let like_numbers = rows(&is_number) + dressed;
        let odd = self.names.keys().filter(|name| !is_number(name));
        let shown: Vec<String> = odd.take(MOST_ODD).map(|name| excerpt(name)).collect();
        let most = 2 * like_numbers > all || like_numbers > 0 && like_numbers + gaps >= all;
        if shown.is_empty() || !most {
            return None;
        }
        let shown = shown.join(", ");
        Some(match 2 * dressed > all {
            false => format!(
                "its values are numbers but for {shown}; a missing one is empty, ?, NA or nan"
            ),
            true => format!(
                "its values look like numbers, such as {shown}: write digits alone, decimals as other columns do"
            ),
        })
    }

    /// Why it looks like no target, if it does.
    pub fn unlike_a_target(&self) -> Option<&'static str> {
        match () {
            () if self.counts_up => Some("it numbers the rows"),
            () if self.dates() => Some("it holds dates"),
            () if self.tells_apart() => Some("each of its values comes once"),
            () => None,
        }
    }

    fn dates(&self) -> bool {
        let is_date = |name: &&str| matches!(Moment::parse(name), Some(Moment::Date(_)));
        !self.names.is_empty() && self.names.keys().all(is_date)
    }

    /// The words of its name.
    fn words(&self) -> Vec<String> {
        let name = self.name.to_lowercase();
        name.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
    }

    /// Whether it seems to say whose a row is: values that come again, in a column that is called so.
    pub fn owns(&self) -> bool {
        let (known, words) = (self.column.len() - self.missing, self.words());
        let owner = |word: &String| OWNERS.contains(&word.as_str());
        let beside = |word: &String| owner(word) || NUMBERED.contains(&word.as_str());
        let called = words.iter().any(|word| word == "id")
            || words.iter().any(owner) && words.iter().all(beside);
        self.missing == 0
            && called
            && (self.whole || !self.numbers())
            && (3..=known / 2).contains(&self.different())
    }

    /// Whether it seems to say when a row was made.
    pub fn dated(&self) -> bool {
        let moment = |word: &String| MOMENTS.contains(&word.as_str());
        self.missing == 0 && (self.dates() || self.numbers() && self.words().iter().all(moment))
    }

    /// Whether, as a target, it is a number and no class.
    pub fn is_number(&self) -> bool {
        self.numbers() && (!self.whole || self.few.len() > MOST_NUMBERED_CLASSES)
    }

    /// The classes of the rows that stay, each with the number of its rows.
    pub fn classes(&self, stays: impl Fn(usize) -> bool) -> Vec<(String, usize)> {
        let mut names = Names::default();
        let known = |row: &usize| !self.column.lacks(*row) && stays(*row);
        let rows = (0..self.column.len()).filter(known);
        match self.column {
            Column::Bits(_) | Column::Numbers(_) => {
                rows.for_each(|row| names.push(Some(&real(self.column.number(row) + 0.0))));
            }
            Column::Names(own) => {
                let all = own.all();
                rows.for_each(|row| names.push(Some(all[own.codes[row] as usize])));
            }
            Column::Torn(_) => {}
        }
        classes(&names).counted()
    }

    /// What it holds, for people.
    pub fn held(&self) -> String {
        if let Some((low, high)) = self.range {
            return format!("{} to {}", real(low), real(high));
        }
        let shown = |name: &&str| {
            let cut = name.chars().nth(LONGEST_NAME).is_some();
            let name = name.chars().take(LONGEST_NAME).chain(cut.then_some('…'));
            let name: String = name.collect();
            if name.contains(',') { format!("\"{name}\"") } else { name }
        };
        let mut room = MOST_CHARACTERS;
        let fits = |name: &String| {
            room = room.saturating_sub(name.chars().count() + 2);
            room > 0
        };
        let some: Vec<String> = self.names.keys().take(4).map(shown).take_while(fits).collect();
        let more = if self.names.len() > some.len() { ", …" } else { "" };
        format!("{} names: {}{more}", self.names.len(), some.join(", "))
    }
}

/// What to do where a column is no target.
pub(super) const NAME_TARGET: &str = "name the column of the target with --target";

/// Whether a column can be the target, with a note where it could be taken otherwise.
pub(super) fn can_be_target(column: &Summary<'_>, notes: &mut Vec<String>) -> Result<(), Refused> {
    let (name, different) = (&column.name, column.different());
    if different < 2 || column.is_too_long() {
        let what = format!("`{name}` is no target: {}", column.one_value());
        return Err(no(what, NAME_TARGET));
    }
    if column.is_number() {
        let classes = format!(
            "; where they are classes, write classes = {different} in place of target = \"number\" in `shape`"
        );
        let classes = if column.whole { &*classes } else { "" };
        notes.push(format!(
            "`{name}` has {different} different numbers and is a number to predict{classes}"
        ));
        return Ok(());
    }
    if column.numbers() && different > 2 {
        notes.push(format!(
            "the {different} different numbers of `{name}` are classes; where they are numbers to predict, write \
             target = \"number\" in place of classes = {different} in `shape`"
        ));
    }
    if let Some(bad) = column.names.keys().find(|value| !csv::is_class_name(value)) {
        let what = format!("`{name}` is no class: {bad:?} can't be the name of one");
        return Err(no(what, NAME_TARGET));
    }
    if different > limits::CLASSES {
        let most = limits::CLASSES;
        let what = format!("`{name}` is no class: it has {different} names, and {most} are read");
        return Err(no(what, NAME_TARGET));
    }
    Ok(())
}

/// Which of the classes of a column are written in several ways. How numbers are written is not held: `as_written` reads
/// them once more.
pub(super) fn joined(
    held: &Column,
    as_written: impl FnOnce() -> Result<Column, Refused>,
) -> Result<Option<String>, Refused> {
    let again = if let Column::Names(_) = held { None } else { Some(as_written()?) };
    let Column::Names(names) = again.as_ref().unwrap_or(held) else { return Ok(None) };
    let others = called(names).into_iter().filter(|(name, class)| name != class);
    let others = others.map(|(name, class)| format!("{} is {}", excerpt(name), excerpt(class)));
    let others: Vec<String> = others.take(MOST_NAMED).collect();
    let what = format!("one number is one class, however it is written: {}", others.join(", "));
    Ok((!others.is_empty()).then_some(what))
}

/// What is done about missing values, and what is learned to predict of the rows that stay then.
pub(super) fn learned(
    target: &Summary<'_>,
    attributes: &[&Column],
    notes: &mut Vec<String>,
) -> Result<(Option<Missing>, Predicted), Refused> {
    let rows = target.column.len();
    let lacks = |row| attributes.iter().any(|column| column.lacks(row));
    let incomplete: Vec<bool> = (0..rows).map(lacks).collect();
    let lacking = incomplete.iter().filter(|&&lacks| lacks).count();
    let missing = treatment(lacking, target.missing, rows, notes);
    if let Some((least, most)) = target.range.filter(|_| target.is_number()) {
        return Ok((missing, Predicted::Number(least, most)));
    }
    // Rows that are left out may take a class with them.
    let classes = target.classes(|row| missing != Some(Missing::Drop) || !incomplete[row]);
    if classes.len() < 2 {
        let what = format!("`{}` is no target: it has one value in complete rows", target.name);
        return Err(no(what, NAME_TARGET));
    }
    Ok((missing, Predicted::Classes(classes)))
}

/// What is done about missing values, if there are any: in how many of `rows` rows one is missing among the
/// attributes, and in how many the target.
fn treatment(
    incomplete: usize,
    unlabelled: usize,
    rows: usize,
    notes: &mut Vec<String>,
) -> Option<Missing> {
    if unlabelled > 0 {
        notes.push(format!(
            "{unlabelled} rows have no target: missing = \"drop\" leaves them out, and with them every \
             row where another value is missing"
        ));
        return Some(Missing::Drop);
    }
    (incomplete > 0).then(|| {
        notes.push(format!(
            "{incomplete} of {rows} rows have missing values: missing = \"median\" fills them from the \
             training examples of each split; \"category\" keeps that they were missing, \"drop\" leaves \
             the rows out"
        ));
        Missing::Median
    })
}
