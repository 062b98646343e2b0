//! Entries of datasets that are taken from another one.

use std::ops::Range;

use document::Spanned;

use super::super::{Derivation, Entry, JoinedClass, Origin, RowSelection};
use super::{Classes, EntryKeys, OfParts, Reading, SelectedRows};
use crate::vocabulary::{Parts, Rows, Shape, Target};

/// The entry of a dataset that is taken from one of `bases`; `all` are the names of all entries, where they are known.
pub(super) fn derived_entry(
    id: &str,
    keys: EntryKeys,
    bases: &[Entry],
    all: Option<&[String]>,
    reading: &mut Reading<'_>,
) -> Option<Entry> {
    let given = [
        keys.kind.as_ref().map(|kind| ("kind", &kind.span)),
        keys.shape.as_ref().map(|shape| ("shape", &shape.span)),
        keys.files.as_ref().map(|files| ("files", &files.span)),
        keys.generator.as_ref().map(|generator| ("generator", &generator.span)),
    ];
    let varied = keys.varied.given().map(|(key, span, _)| (key, span));
    for (key, span) in given.into_iter().flatten().chain(varied) {
        reading.leave_out(span, format!("`{key}` follows from the base"));
    }
    let from = keys.from?;
    let Some(base) = bases.iter().find(|entry| entry.id == *from) else {
        match all {
            Some(all) if !all.contains(&from.value) => {
                let all: Vec<&str> = all.iter().map(String::as_str).collect();
                reading.faults.unknown("dataset", &from, &from.span, &all);
            }
            // A base that is there but has mistakes of its own is reported already.
            Some(_) if reading.faults.is_empty() => {
                let why = format!("`{from}` is derived itself");
                reading.faults.at(&from.span, why, "name its base");
            }
            _ => {}
        }
        return None;
    };
    let columns = within("columns", keys.columns, base.shape.variables, reading)?;
    let (selection, rows) = selected_rows(keys.rows, base.shape.rows, reading)?;
    let joined = match keys.classes {
        Some(classes) => Some(joined_classes(classes, base.shape.classes(), reading)?),
        None => None,
    };
    let joined_into = joined.as_ref().map(|joined| Target::Classes(joined.len()));
    let target = joined_into.unwrap_or(base.shape.target);
    Some(Entry {
        id: id.to_owned(),
        title: keys.title,
        shape: Shape { variables: columns.len(), rows, target, ..base.shape },
        citation: keys.citation,
        licence: keys.licence,
        origin: Origin::Derived(Derivation {
            from: from.value,
            rows: selection,
            columns,
            classes: joined,
        }),
        replaces: keys.replaces,
        ..base.clone()
    })
}

/// The classes of a derived dataset, each with those of its base. Their names are known only when the
/// base is parsed, their number is known here.
fn joined_classes(
    classes: Spanned<Classes>,
    of_base: Option<usize>,
    reading: &mut Reading<'_>,
) -> Option<Vec<JoinedClass>> {
    let Some(of_base) = of_base else {
        reading.leave_out(&classes.span, "the base has no classes");
        return None;
    };
    let Classes::Joined(joined) = classes.value else {
        reading.faults.at(&classes.span, "`classes` can't be a list", "expected a table");
        return None;
    };
    let mut all: Vec<&String> = joined.iter().flat_map(|class| &class.of_base).collect();
    all.sort();
    let why = if joined.len() < 2 {
        "expected at least two classes".to_owned()
    } else if all.windows(2).any(|pair| pair[0] == pair[1]) {
        "a class of the base is in two".to_owned()
    } else if all.len() != of_base {
        format!("they name {} of the {of_base} classes of the base", all.len())
    } else {
        return Some(joined);
    };
    reading.faults.at(&classes.span, "the classes of the base are not joined so", why);
    None
}

fn selected_rows(
    rows: Option<Spanned<SelectedRows>>,
    base: Rows,
    reading: &mut Reading<'_>,
) -> Option<(RowSelection, Rows)> {
    let parts = match rows.map(|rows| (rows.value, rows.span)) {
        Some((SelectedRows::Whole(value), span)) => {
            let rows = Spanned { value, key: span.clone(), span };
            let range = within("rows", Some(rows), base.total(), reading)?;
            let rows = Rows::Whole(range.len());
            return Some((RowSelection::Whole(range), rows));
        }
        Some((SelectedRows::Parts(parts), span)) => Some((parts, span)),
        None => None,
    };
    let Rows::Split(sizes) = base else {
        if let Some((_, span)) = parts {
            let why = "the base has no published split";
            reading.faults.at(&span, why, "write rows = [first, end]");
            return None;
        }
        return Some((RowSelection::Whole(0..base.total()), base));
    };
    let of = parts.map(|(parts, _)| parts);
    let of = of.unwrap_or(OfParts { train: None, valid: None, test: None });
    let train = within("train", of.train, sizes.train, reading);
    let valid = within("valid", of.valid, sizes.valid, reading);
    let test = within("test", of.test, sizes.test, reading);
    let parts = Parts { train: train?, valid: valid?, test: test? };
    let rows = Rows::Split(parts.map(|rows| rows.len()));
    Some((RowSelection::Split(parts), rows))
}

/// A range of a base; all of it where none is given.
fn within(
    key: &str,
    range: Option<Spanned<Range<usize>>>,
    size: usize,
    reading: &mut Reading<'_>,
) -> Option<Range<usize>> {
    let Some(range) = range else { return Some(0..size) };
    if range.end > size {
        let why = format!("`{key}` ends at {}", range.end);
        reading.faults.at(&range.span, why, format!("the base has only {size}"));
        return None;
    }
    Some(range.value)
}
