//! What a column holds, and what it can be.

use std::collections::BTreeMap;

use base::text::real;

use super::{Undescribed, no};
use crate::format::csv::{self, is_missing};
use crate::format::excerpt;
use crate::limits;

/// So many different values are still classes, where they are whole numbers.
const MOST_NUMBERED_CLASSES: usize = 20;

/// Characters of a name that are shown, and of all names of a column, so that its line stays one on a terminal.
const LONGEST_NAME: usize = 20;
const MOST_CHARACTERS: usize = 60;

/// What a column holds.
pub(super) struct Summary {
    pub name: String,
    /// Whether all its values are numbers.
    pub numbers: bool,
    /// Whether all its values are whole numbers.
    pub whole: bool,
    /// Whether each is one more than that of the row before.
    pub counts_up: bool,
    /// How often it is missing.
    pub missing: usize,
    /// How often it has each value.
    pub values: BTreeMap<String, usize>,
}

impl Summary {
    /// Of the texts of a column.
    pub fn of<'a>(name: &str, values: impl Iterator<Item = &'a str>) -> Self {
        let (mut numbers, mut whole, mut missing) = (true, true, 0);
        let (mut counts_up, mut last) = (true, None);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for value in values {
            if is_missing(value) {
                missing += 1;
                counts_up = false;
                continue;
            }
            let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
            numbers &= number.is_some();
            let now = value.parse::<i64>().ok();
            whole &= now.is_some();
            counts_up &= last.is_none_or(|last: i64| now == last.checked_add(1));
            last = now;
            *counts.entry(value.to_owned()).or_default() += 1;
        }
        let some = !counts.is_empty();
        Self {
            name: name.to_owned(),
            numbers: numbers && some,
            whole: whole && some,
            counts_up: counts_up && whole && some,
            missing,
            values: counts,
        }
    }

    /// Why the column tells examples apart and nothing of their classes, if it seems so.
    pub fn identifies(&self, rows: usize) -> Option<String> {
        let (known, different) = (rows - self.missing, self.values.len());
        let is_id = self.name.to_lowercase();
        let is_id = is_id == "id" || is_id.ends_with("_id") || is_id.is_empty();
        match different {
            0 => Some("all its values are missing".to_owned()),
            1 => Some("it has one value everywhere".to_owned()),
            _ if 2 * self.missing > rows => {
                Some(format!("it is missing in {} of {rows} rows", self.missing))
            }
            _ if !self.numbers && 2 * different > known && different > 20 => Some(
                self.nearly_numbers()
                    .unwrap_or_else(|| format!("it has {different} names in {known} rows")),
            ),
            _ if self.counts_up && different > 20 || self.whole && is_id && different == known => {
                Some("it numbers the rows".to_owned())
            }
            _ => None,
        }
    }

    /// Why its values, which look like numbers, are none, if most of them do.
    fn nearly_numbers(&self) -> Option<String> {
        let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        let most = |others: usize| 10 * others <= self.values.len();
        let others: Vec<&String> = self.values.keys().filter(|&value| !is_number(value)).collect();
        if most(others.len()) {
            let shown: Vec<String> = others.iter().take(3).map(|other| excerpt(other)).collect();
            return Some(format!(
                "its values are numbers but for {}; a missing one is empty, ?, NA or nan",
                shown.join(", ")
            ));
        }
        let with_comma = |value: &&String| {
            value.matches(',').count() == 1 && is_number(&value.replace(',', "."))
        };
        let others = self.values.keys().filter(|value| !is_number(value) && !with_comma(value));
        most(others.count()).then(|| {
            let first = self.values.keys().find(with_comma).map_or("", String::as_str);
            format!(
                "its numbers have decimal commas; write {} for {}",
                first.replace(',', "."),
                excerpt(first)
            )
        })
    }

    /// Whether, as a target, it is a number and no class.
    pub fn is_number(&self) -> bool {
        self.numbers && (!self.whole || self.values.len() > MOST_NUMBERED_CLASSES)
    }

    /// The least and the most of numbers.
    pub fn range(&self) -> Option<(f64, f64)> {
        let values = self.values.keys().filter_map(|text| text.parse::<f64>().ok());
        let both = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        self.numbers.then_some(both)
    }

    /// What it holds, for people.
    pub fn held(&self) -> String {
        if let Some((low, high)) = self.range() {
            return format!("{} to {}", real(low), real(high));
        }
        let shown = |name: &String| {
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
        let some: Vec<String> = self.values.keys().take(4).map(shown).take_while(fits).collect();
        let more = if self.values.len() > some.len() { ", …" } else { "" };
        format!("{} names: {}{more}", self.values.len(), some.join(", "))
    }
}

/// What to do where a column is no target.
pub(super) const NAME_TARGET: &str = "name the column of the target with --target";

/// Whether a column can be the target, with a note where it could be taken otherwise.
pub(super) fn can_be_target(column: &Summary, notes: &mut Vec<String>) -> Result<(), Undescribed> {
    let (name, different) = (&column.name, column.values.len());
    if different < 2 {
        let what = format!("`{name}` is no target: it has one value everywhere");
        return Err(no(what, NAME_TARGET));
    }
    if column.is_number() {
        notes.push(format!(
            "`{name}` has {different} different numbers and is a number to predict; where they are classes, write \
             classes = {different} in place of target = \"number\" in `shape`"
        ));
        return Ok(());
    }
    if column.numbers && different > 2 {
        notes.push(format!(
            "the {different} different numbers of `{name}` are classes; where they are numbers to predict, write \
             target = \"number\" in place of classes = {different} in `shape`"
        ));
    }
    if let Some(bad) = column.values.keys().find(|value| !csv::is_class_name(value)) {
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

/// What is done about missing values, if there are any: in how many of `rows` rows one is missing among the
/// attributes, and in how many the target.
pub(super) fn treatment(
    incomplete: usize,
    unlabelled: usize,
    rows: usize,
    notes: &mut Vec<String>,
) -> Option<&'static str> {
    if unlabelled > 0 {
        notes.push(format!(
            "{unlabelled} rows have no target: missing = \"drop\" leaves them out, and with them every \
             row where another value is missing"
        ));
        return Some("drop");
    }
    (incomplete > 0).then(|| {
        notes.push(format!(
            "{incomplete} of {rows} rows have missing values: missing = \"median\" fills them from the \
             training examples of each split; \"category\" keeps that they were missing, \"drop\" leaves \
             the rows out"
        ));
        "median"
    })
}
