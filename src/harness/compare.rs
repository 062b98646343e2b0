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

/// The cells of a row by their columns.
type Row = BTreeMap<String, String>;

/// The rows of a file by what tells them apart: rows that are alike in that are numbered.
fn read(file: &[u8]) -> Option<BTreeMap<([String; 4], usize), Row>> {
    let (mut found, mut alike) = (BTreeMap::new(), BTreeMap::<[String; 4], usize>::new());
    for row in csv::Reader::from_reader(file).into_deserialize::<Row>() {
        let row = row.ok()?;
        let identity = ["key", "part", "method", "choice"];
        let identity = identity.map(|name| row.get(name).cloned().unwrap_or_default());
        let nth = alike.entry(identity.clone()).or_default();
        found.insert((identity, *nth), row);
        *nth += 1;
    }
    Some(found)
}

/// What people call the trial of a row.
fn name(row: &Row) -> String {
    let cell = |name: &str| row.get(name).map_or("", String::as_str);
    let key: String = cell("key").chars().take(12).collect();
    let further = |before: &str, name: &str| match cell(name) {
        "" => String::new(),
        text => format!("{before}{text}"),
    };
    let (problem, choice) = (further(" ", "problem"), further(", ", "choice"));
    let [method, dataset, repeat, fold] = ["method", "dataset", "repeat", "fold"].map(cell);
    format!("trial {key} ({method} on {dataset}{problem}, repeat {repeat}, fold {fold}{choice})")
}

/// The differences of two files of trials, a sentence a row; none if one of them is no such file.
fn rows(sealed: &[u8], again: &[u8]) -> Option<Vec<String>> {
    let (sealed, again) = (read(sealed)?, read(again)?);
    let mut found = Vec::new();
    for (identity, row) in &sealed {
        let Some(other) = again.get(identity) else {
            found.push(format!("{} is sealed, but no trial of spec.toml", name(row)));
            continue;
        };
        let text = |cell: &String| if cell.is_empty() { "empty".to_owned() } else { cell.clone() };
        let cells = flips([row.clone(), other.clone()]).into_iter().map(|Flip { what, sides }| {
            let [before, now] = sides.each_ref().map(text);
            format!("{what} is {now}, sealed as {before}")
        });
        let cells: Vec<String> = cells.collect();
        found.extend((!cells.is_empty()).then(|| format!("{}: {}", name(row), cells.join("; "))));
    }
    let missing = again.iter().filter(|(identity, _)| !sealed.contains_key(identity));
    found.extend(missing.map(|(_, row)| format!("{} is not sealed", name(row))));
    Some(found)
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
