//! What a file that was made anew and the sealed one do not have in common, for people.

use std::collections::BTreeMap;

use crate::run::trials_csv::{TIMINGS, TRIALS};

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
        found.push(first_line(sealed, again));
    }
    if found.len() > NAMED {
        let more = found.len() - NAMED;
        found.truncate(NAMED);
        found.push(format!("{more} more rows differ"));
    }
    found.into_iter().map(|found| format!("{path}: {found}")).collect()
}

type Row = BTreeMap<String, String>;

/// The rows of a file of trials by what identifies them; of rows that even that does not tell apart, each.
fn keyed(file: &[u8]) -> Option<BTreeMap<(Vec<String>, usize), Row>> {
    let mut reader = csv::Reader::from_reader(file);
    let header = reader.headers().ok()?.clone();
    let mut rows = BTreeMap::new();
    for record in reader.records() {
        let record = record.ok()?;
        let cells =
            header.iter().zip(&record).map(|(name, cell)| (name.to_owned(), cell.to_owned()));
        let row: Row = cells.collect();
        let identity = ["key", "part", "method", "choice"];
        let identity = identity.map(|name| row.get(name).cloned().unwrap_or_default()).to_vec();
        let nth = (0..).find(|nth| !rows.contains_key(&(identity.clone(), *nth)))?;
        rows.insert((identity, nth), row);
    }
    Some(rows)
}

fn rows(sealed: &[u8], again: &[u8]) -> Option<Vec<String>> {
    let (sealed, again) = (keyed(sealed)?, keyed(again)?);
    let mut found = Vec::new();
    for (identity, row) in &sealed {
        match again.get(identity) {
            None => found.push(format!("{} is sealed, but no trial of spec.toml", name(row))),
            Some(again) if again != row => {
                found.push(format!("{}: {}", name(row), columns(row, again)));
            }
            Some(_) => {}
        }
    }
    let missing = again.iter().filter(|(identity, _)| !sealed.contains_key(identity));
    found.extend(missing.map(|(_, row)| format!("{} is not sealed", name(row))));
    Some(found)
}

fn columns(sealed: &Row, again: &Row) -> String {
    let names = sealed.keys().chain(again.keys().filter(|name| !sealed.contains_key(*name)));
    let differing = names.filter(|name| sealed.get(*name) != again.get(*name));
    let text = |row: &Row, name: &str| match row.get(name).map(String::as_str) {
        None => "not there".to_owned(),
        Some("") => "empty".to_owned(),
        Some(value) => value.to_owned(),
    };
    let sentences = differing
        .map(|name| format!("{name} is {}, sealed as {}", text(again, name), text(sealed, name)));
    sentences.collect::<Vec<_>>().join("; ")
}

/// Key and place of a trial.
fn name(row: &Row) -> String {
    let cell = |name: &str| row.get(name).cloned().unwrap_or_default();
    let key: String = cell("key").chars().take(12).collect();
    let problem = Some(cell("problem")).filter(|name| !name.is_empty());
    let problem = problem.map_or_else(String::new, |name| format!(" {name}"));
    let choice = Some(cell("choice")).filter(|name| !name.is_empty());
    let choice = choice.map_or_else(String::new, |name| format!(", {name}"));
    let [method, dataset, repeat, fold] = ["method", "dataset", "repeat", "fold"].map(cell);
    format!("trial {key} ({method} on {dataset}{problem}, repeat {repeat}, fold {fold}{choice})")
}

/// The first line that differs, from a little before its first differing character on.
pub fn first_line(sealed: &[u8], again: &[u8]) -> String {
    let (Ok(sealed), Ok(again)) = (std::str::from_utf8(sealed), std::str::from_utf8(again)) else {
        return "does not come out again".to_owned();
    };
    let mut lines = (1..).zip(sealed.lines().map(Some).chain([None]));
    let mut others = again.lines().map(Some).chain([None]);
    let differing = lines.find_map(|(number, line)| {
        let other = others.next().flatten();
        (line != other).then_some((number, line, other))
    });
    let Some((number, sealed, again)) = differing else {
        return "does not come out again: the ends of its lines differ".to_owned();
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
    format!(
        "does not come out again: line {number} is {}, sealed as {}",
        shown(again),
        shown(sealed)
    )
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
