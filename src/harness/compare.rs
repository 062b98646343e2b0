//! What a file that was made anew and the sealed one do not have in common, for people.

use std::collections::{BTreeMap, BTreeSet};

use base::layout::{TIMINGS, TRIALS};
use page::comparison::Flip;

/// How many differing rows of one file are named; the others are counted.
const NAMED: usize = 20;
/// How many characters of a line are shown.
const SHOWN: usize = 60;

/// The differences of a file that was made anew from the sealed one, a sentence each; none if they are equal.
pub fn differences(path: &str, sealed: &[u8], again: &[u8]) -> Vec<String> {
    if sealed == again {
        return Vec::new();
    }
    let mut found = match path {
        TRIALS | TIMINGS => rows(sealed, again).unwrap_or_default(),
        _ => Vec::new(),
    };
    if found.is_empty() {
        found.push(format!("does not come out again{}", first_line(sealed, again)));
    }
    if found.len() > NAMED {
        let more = found.len() - NAMED;
        found.truncate(NAMED);
        found.push(format!("{more} more rows differ"));
    }
    found.into_iter().map(|found| format!("{path}: {found}")).collect()
}

/// The rows of a file of trials.
struct Rows {
    header: csv::StringRecord,
    /// By key, part, method and choice, and of rows that even that does not tell apart by their number.
    rows: BTreeMap<([String; 4], usize), csv::StringRecord>,
}

impl Rows {
    fn read(file: &[u8]) -> Option<Self> {
        let mut reader = csv::Reader::from_reader(file);
        let header = reader.headers().ok()?.clone();
        let mut found = Self { header, rows: BTreeMap::new() };
        let mut equal: BTreeMap<[String; 4], usize> = BTreeMap::new();
        for record in reader.records() {
            let record = record.ok()?;
            let identity = ["key", "part", "method", "choice"];
            let identity = identity.map(|name| found.cell(&record, name).unwrap_or("").to_owned());
            let nth = equal.entry(identity.clone()).or_default();
            found.rows.insert((identity, *nth), record);
            *nth += 1;
        }
        Some(found)
    }

    fn cell<'r>(&self, row: &'r csv::StringRecord, name: &str) -> Option<&'r str> {
        row.get(self.header.iter().position(|column| column == name)?)
    }

    /// Key and place of a trial.
    fn name(&self, row: &csv::StringRecord) -> String {
        let cell = |name: &str| self.cell(row, name).unwrap_or("");
        let key: String = cell("key").chars().take(12).collect();
        let further = |before: &str, name: &str| match cell(name) {
            "" => String::new(),
            text => format!("{before}{text}"),
        };
        let (problem, choice) = (further(" ", "problem"), further(", ", "choice"));
        let [method, dataset, repeat, fold] = ["method", "dataset", "repeat", "fold"].map(cell);
        format!(
            "trial {key} ({method} on {dataset}{problem}, repeat {repeat}, fold {fold}{choice})"
        )
    }
}

fn rows(sealed: &[u8], again: &[u8]) -> Option<Vec<String>> {
    let (sealed, again) = (Rows::read(sealed)?, Rows::read(again)?);
    let mut found = Vec::new();
    for (identity, row) in &sealed.rows {
        let name = || sealed.name(row);
        match again.rows.get(identity) {
            None => found.push(format!("{} is sealed, but no trial of spec.toml", name())),
            Some(other) => {
                let columns = columns(&sealed, row, &again, other);
                found.extend((!columns.is_empty()).then(|| format!("{}: {columns}", name())));
            }
        }
    }
    let missing = again.rows.iter().filter(|(identity, _)| !sealed.rows.contains_key(identity));
    found.extend(missing.map(|(_, row)| format!("{} is not sealed", again.name(row))));
    Some(found)
}

fn columns(
    sealed: &Rows,
    row: &csv::StringRecord,
    again: &Rows,
    other: &csv::StringRecord,
) -> String {
    let more = again.header.iter().filter(|name| !sealed.header.iter().any(|known| known == *name));
    let text = |cell: Option<&str>| match cell {
        None => "not there".to_owned(),
        Some("") => "empty".to_owned(),
        Some(value) => value.to_owned(),
    };
    let differing = |name: &str| {
        let (before, now) = (sealed.cell(row, name), again.cell(other, name));
        (before != now).then(|| format!("{name} is {}, sealed as {}", text(now), text(before)))
    };
    sealed.header.iter().chain(more).filter_map(differing).collect::<Vec<_>>().join("; ")
}

/// The first line that differs, from a little before its first differing character on, behind a colon; nothing of
/// files that are no text.
pub fn first_line(sealed: &[u8], again: &[u8]) -> String {
    let (Ok(sealed), Ok(again)) = (std::str::from_utf8(sealed), std::str::from_utf8(again)) else {
        return String::new();
    };
    let mut lines = (1..).zip(sealed.lines().map(Some).chain([None]));
    let mut others = again.lines().map(Some).chain([None]);
    let differing = lines.find_map(|(number, line)| {
        let other = others.next().flatten();
        (line != other).then_some((number, line, other))
    });
    let Some((number, sealed, again)) = differing else {
        return ": the ends of its lines differ".to_owned();
    };
    let (one, other) = (sealed.unwrap_or_default(), again.unwrap_or_default());
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(SHOWN / 3);
    let shown = |line: Option<&str>| match line {
        None => "missing".to_owned(),
        Some(line) => {
            let shown: String = line.chars().skip(from).take(SHOWN).collect();
            let before = if from > 0 { "…" } else { "" };
            let after = if line.chars().count() > from + SHOWN { "…" } else { "" };
            format!("`{before}{shown}{after}`")
        }
    };
    format!(": line {number} is {}, sealed as {}", shown(again), shown(sealed))
}

/// What is said otherwise on the right than on the left, by name.
pub(crate) fn flips([left, right]: [BTreeMap<String, String>; 2]) -> Vec<Flip> {
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let value = |side: &BTreeMap<String, String>, name: &str| {
        side.get(name).cloned().unwrap_or_else(|| "not there".to_owned())
    };
    let both = names
        .into_iter()
        .map(|what| Flip { what: what.clone(), sides: [value(&left, what), value(&right, what)] });
    both.filter(|flip| flip.sides[0] != flip.sides[1]).collect()
}

/// What each name is, as text.
pub(crate) fn texts<T: ToString>(of: &BTreeMap<String, T>) -> BTreeMap<String, String> {
    of.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "key,dataset,part,problem,method,repeat,fold,choice,selected,test_ll\n";

    fn trials(rows: &[&str]) -> Vec<u8> {
        format!("{HEADER}{}\n", rows.join("\n")).into_bytes()
    }

    #[test]
    fn equal_files_do_not_differ() {
        let file = trials(&["aa,nltcs,,,CL,0,0,,true,-6.5"]);
        assert_eq!(differences("trials.csv", &file, &file), [""; 0]);
    }

    #[test]
    fn rows_of_trials_are_told_apart() {
        let sealed = trials(&["aa,nltcs,,,CL,0,0,,true,-6.5", "bb,kdd,,a-b,NB,1,2,c=1,true,"]);
        let again = trials(&["aa,nltcs,,,CL,0,0,,false,-6.25", "cc,kdd,,,NB,1,2,,true,-2"]);
        assert_eq!(
            differences("trials.csv", &sealed, &again),
            [
                "trials.csv: trial aa (CL on nltcs, repeat 0, fold 0): selected is false, sealed as \
                 true; test_ll is -6.25, sealed as -6.5",
                "trials.csv: trial bb (NB on kdd a-b, repeat 1, fold 2, c=1) is sealed, but no \
                 trial of spec.toml",
                "trials.csv: trial cc (NB on kdd, repeat 1, fold 2) is not sealed",
            ]
        );
        let blank = trials(&["aa,nltcs,,,CL,0,0,,true,"]);
        let full = trials(&["aa,nltcs,,,CL,0,0,,true,-6.5"]);
        assert!(differences("trials.csv", &blank, &full)[0].ends_with("is -6.5, sealed as empty"));
    }

    #[test]
    fn many_rows_are_counted() {
        let row = |value: &str| {
            let rows: Vec<String> =
                (10..50).map(|key| format!("{key},d,,,m,0,0,,true,{value}")).collect();
            trials(&rows.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let found = differences("trials.csv", &row("1"), &row("2"));
        assert_eq!((found.len(), found[20].as_str()), (21, "trials.csv: 20 more rows differ"));
    }

    #[test]
    fn of_other_files_the_first_differing_line_is_shown() {
        let says = |sealed: &str, again: &str| {
            differences("t.md", sealed.as_bytes(), again.as_bytes()).join("|")
        };
        let line = "t.md: does not come out again: line";
        assert_eq!(says("a\nb\n", "a\nc\n"), format!("{line} 2 is `c`, sealed as `b`"));
        assert_eq!(says("a\nb\n", "a\n"), format!("{line} 2 is missing, sealed as `b`"));
        assert_eq!(says("a\n", "a\nb\n"), format!("{line} 2 is `b`, sealed as missing"));
        let long = |end: &str| format!("{}{end}", "x".repeat(100));
        let shown = format!("`…{}y`", "x".repeat(20));
        assert!(says(&long("z"), &long("y")).contains(&shown), "{}", says(&long("z"), &long("y")));
        assert!(says("a\r\n", "a\n").ends_with("the ends of its lines differ"));
        let binary = differences("f.png", b"\xff", b"\xfe");
        assert_eq!(binary, ["f.png: does not come out again"]);
    }
}
