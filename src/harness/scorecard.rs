//! The scorecard over a tree of results, counted from their sealed files.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use base::digest::Digest;
use base::file_error::FileError;
use base::layout::{
    CONCLUSIONS, INDEX, OVERLAY, PAGE, PAPERS, REPORT, SPEC, TESTS, TIMINGS, UNIVERSES,
    of_scorecard,
};
use base::words::Worded as _;
use base::{durable, own};
use itertools::Itertools as _;
use math::decimal::significant;
use page::scorecard::Scorecard;
use page::scored::{Claimed, InUniverses, Note, Scored, State};
use report::table::{Agreement, Orderings, Pair};
use seal::{Folder, Manifest};
use spec::{Along, Verdict};
use task::metrics::TIMES;

use super::Error;
use super::written::{MOST_COUNTED, MOST_TABLE, Row, Written, folders};

/// The most bytes of the times of trials, which are summed: 1 GiB.
const MOST_TIMINGS: u64 = 1 << 30;

/// Makes the scorecard of all results below a folder, and writes it there.
///
/// # Errors
/// If there are no results, or it can't be written.
pub fn write(root: &Path) -> Result<Scorecard, Error> {
    let folders = folders(root)?;
    if let Some(changed) = folders.iter().find(|folder| !folder.differences.is_empty()) {
        return Err(Error::tampered(changed));
    }
    let scorecard = of(&folders)?;
    for (file, page) in scorecard.pages() {
        let path = root.join(file);
        durable::replace(&path, page.as_bytes()).map_err(FileError::with(
            "write",
            &path,
            "name a folder of results that can be written",
        ))?;
    }
    Ok(scorecard)
}

/// How the scorecard in a folder, or a page beside it, differs from what the results below it come to; none if none does, or
/// there is no scorecard.
pub fn difference(root: &Path, folders: &[Folder]) -> Option<String> {
    // What is not as it was sealed is not read, and said already.
    let names = fs::read_dir(root).into_iter().flatten().flatten();
    let there: Vec<OsString> = names
        .filter(|entry| !entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.file_name())
        .filter(|name| of_scorecard(name))
        .collect();
    if there.is_empty() || folders.iter().any(|one| !one.differences.is_empty()) {
        return None;
    }
    let pages = match of(folders) {
        Ok(scorecard) => scorecard.pages(),
        Err(error) => return Some(format!("{INDEX}: can't be made again: {error}")),
    };
    let differs =
        |(file, again): &(String, String)| match own::read_bounded(&root.join(file), MOST_TABLE) {
            Err(error) => Some(format!("{file}: can't be read: {error}")),
            Ok(there) => {
                let differences = super::compare::differences(file, &there, again.as_bytes());
                differences.into_iter().next().map(|one| one.to_string())
            }
        };
    let made = |name: &OsString| pages.iter().any(|(file, _)| **file == **name);
    if let Some(beside) = there.iter().find(|name| !made(name)) {
        return Some(format!("{}: no results here make it: remove it", beside.display()));
    }
    let other = pages.iter().find_map(differs)?;
    let other = unlisted(root, folders).unwrap_or(other);
    Some(format!("{other}; `reprise report --results {}` makes it anew", root.display()))
}

/// The results that the scorecard does not name, if there are some.
fn unlisted(root: &Path, folders: &[Folder]) -> Option<String> {
    let page = own::read_bounded(&root.join(INDEX), MOST_TABLE).ok()?;
    let page = String::from_utf8_lossy(&page);
    let named = |id: &str| page.contains(&format!("\"{id}/"));
    let ids = folders.iter().filter_map(|folder| Some(&*folder.manifest.as_ref()?.experiment));
    let others: Vec<&str> = ids.filter(|id| !named(id)).collect();
    (!others.is_empty()).then(|| {
        format!("{INDEX}: does not list {}, which came later or was left out", others.join(", "))
    })
}

/// Counts the results of these folders; those of profiles are small parts, and those with something set from outside are
/// not what the file says.
fn of(folders: &[Folder]) -> Result<Scorecard, Error> {
    let (mut scorecard, budget) = (Scorecard::default(), Cell::new(MOST_COUNTED));
    for folder in folders {
        let Some(manifest) = &folder.manifest else { continue };
        let set = manifest.files.iter().any(|file| file.path == OVERLAY);
        if set || !manifest.profile.is_empty() {
            scorecard.others.push((manifest.experiment.clone(), opens(manifest)));
        } else {
            let (paper, scored) = scored(Written(&folder.path, &budget), manifest)?;
            scorecard.papers.entry(paper).or_default().push(scored);
        }
    }
    for experiments in scorecard.papers.values_mut() {
        experiments.sort_by(|one, other| one.id.cmp(&other.id));
    }
    Ok(scorecard)
}

/// The citation of its paper, if it is of one, and what is counted.
fn scored(written: Written<'_>, manifest: &Manifest) -> Result<(Option<String>, Scored), Error> {
    let papers = written.toml(PAPERS)?;
    let paper = papers.iter().next();
    let citation = paper.and_then(|(_, paper)| paper.get("citation")?.as_str());
    // A key becomes the name of a file.
    let key = paper.map_or("", |(key, _)| key).to_owned();
    let paper = Some(key).filter(|key| document::ID.accepts(key)).unwrap_or_default();
    let spec = written.toml(SPEC)?;
    let title = spec.get("experiment").and_then(|table| table.get("title")?.as_str());
    let Tables { stands, orderings, best } = tables(written, manifest)?;
    let mut varied = BTreeMap::new();
    written.rows(&format!("{UNIVERSES}{CONCLUSIONS}"), |row| {
        let count = |column: &str| row.text(column).parse().unwrap_or(0);
        let universes = InUniverses {
            all: count("universes"),
            holds: count("holds"),
            no_evidence: count("no_evidence"),
            decides: row.text("decides").to_owned(),
            undecided: row.text("undecided").to_owned(),
        };
        let concluded = (row.text("sentence").to_owned(), universes);
        varied.entry(row.text("claim").to_owned()).or_insert(concluded);
    })?;
    let mut claimed = |row: &Row<'_>| {
        let (sentence, universes) = varied.remove(row.text("id")).unzip();
        Claimed {
            verdict: Verdict::WORDS.value(row.text("verdict")),
            sentence: sentence.unwrap_or_else(|| row.text("sentence").to_owned()),
            source: Some(row.text("source").to_owned().into()),
            universes,
        }
    };
    let mut found = Vec::new();
    written.claims(|row| found.push(claimed(&row)))?;
    let claims = found.iter().filter_map(|claim| claim.verdict).collect();
    if found.is_empty() {
        written.rows(TESTS, |row| found.push(claimed(&row)))?;
    }
    if found.is_empty() {
        let said = |sentence| Claimed { sentence, ..Claimed::default() };
        found = best.into_iter().map(said).collect();
    }
    let state = if manifest.complete { State::Sealed } else { State::Incomplete };
    let scored = Scored {
        id: manifest.experiment.clone(),
        title: title.unwrap_or_default().to_owned(),
        paper,
        opens: opens(manifest),
        state,
        cells: stands.values().copied().collect(),
        orderings,
        claims,
        found,
        seconds: seconds(written)?,
        notes: notes(&spec, &stands),
    };
    Ok((citation.map(str::to_owned), scored))
}

/// The file that a person opens: the page, where there is one.
fn opens(manifest: &Manifest) -> &'static str {
    if manifest.files.iter().any(|file| file.path == PAGE) { PAGE } else { REPORT }
}

/// How published cells stand, by table, row and column.
type Stands = BTreeMap<(String, [String; 2]), Agreement>;

/// What all tables say.
#[derive(Default)]
struct Tables {
    stands: Stands,
    /// The orderings of each table.
    orderings: Vec<(String, Orderings)>,
    /// What is best in each line, in a sentence.
    best: Vec<String>,
}

fn tables(written: Written<'_>, manifest: &Manifest) -> Result<Tables, Error> {
    let mut tables = Tables::default();
    let by_column = written.tables_with("best_along", Along::Column.word())?;
    for (table, file) in Written::tables(manifest, true) {
        let found = by_column.iter().any(|id| id == table);
        let along = if found { Along::Column } else { Along::Row };
        let mut lines: BTreeMap<[String; 2], Vec<Pair>> = BTreeMap::new();
        written.rows(file, |row| {
            let agreement = Agreement::WORDS.value(row.text("agreement"));
            let place = ["row", "column"].map(|side| row.text(side).to_owned());
            tables.stands.extend(agreement.map(|agreement| ((table.to_owned(), place), agreement)));
            tables.best.extend(best_of(&row, along));
            // Cells are compared with each other where this column names the same.
            let line = [along.word(), "metric"].map(|column| row.text(column).to_owned());
            let pair = pair(&row).into_iter();
            pair.for_each(|pair| lines.entry(line.clone()).or_default().push(pair));
        })?;
        let pairs = lines.values().map(|line| line.len() * line.len());
        written.spend(file, pairs.sum())?;
        let orderings = lines.values().map(|line| Orderings::of(line)).sum();
        tables.orderings.push((table.to_owned(), orderings));
    }
    Ok(tables)
}

/// What is best in a line, in a sentence; nothing of other cells.
fn best_of(row: &Row<'_>, along: Along) -> Option<String> {
    let (line, cell) = match along {
        Along::Column => ("column_label", "row_label"),
        Along::Row => ("row_label", "column_label"),
    };
    let value = row.number("value").filter(|_| row.text("best") == "true")?;
    let (line, cell, metric) = (row.text(line), row.text(cell), row.text("metric"));
    let value = significant(value, 4);
    Some(format!("By the values alone {cell} is best on {line}: {metric} {value}."))
}

/// Our value of a cell beside the paper's, where both are known.
fn pair(row: &Row<'_>) -> Option<Pair> {
    Some(Pair {
        ours: row.number("value")?,
        noise: row.number("noise"),
        paper: row.number("published")?,
        unit: row.number("unit")?,
    })
}

/// The seconds of the trials, each once; none where no times are kept.
fn seconds(written: Written<'_>) -> Result<f64, Error> {
    let (mut seen, mut seconds) = (BTreeSet::new(), 0.0);
    // Row by row: there may be a million.
    written.each(TIMINGS, MOST_TIMINGS, |row| {
        if row.text("key").parse().is_ok_and(|key: Digest| seen.insert(key)) {
            let times = TIMES.map(|time| row.number(time.name));
            seconds += times.into_iter().flatten().sum::<f64>();
        }
        Ok(())
    })?;
    Ok(seconds)
}

/// What the `[[difference]]`s of an experiment file say.
fn notes(spec: &toml::Table, stands: &Stands) -> Vec<Note> {
    let differences = spec.get("difference").and_then(toml::Value::as_array);
    let note = |one: &toml::Value| {
        let word = |key: &str| one.get(key).and_then(toml::Value::as_str);
        let words = |key: &str| match one.get(key) {
            Some(toml::Value::String(text)) => vec![text.clone()],
            Some(toml::Value::Array(all)) => {
                all.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        };
        let moves_to = one.get("moves_to").and_then(toml::Value::as_table);
        let moves_to = moves_to.map(|moves| {
            let shown = moves.iter().filter(|(key, _)| *key != "values");
            let text =
                |value: &toml::Value| value.as_str().map_or(value.to_string(), str::to_owned);
            shown.map(|(key, value)| format!("{key} {}", text(value))).join(", ")
        });
        let (table, cells) = (word("table")?.to_owned(), [words("rows"), words("columns")]);
        let [rows, columns] = &cells;
        let places = rows.iter().flat_map(|row| columns.iter().map(move |column| [row, column]));
        let stand =
            places.filter_map(|place| stands.get(&(table.clone(), place.map(Clone::clone))));
        let cells_stand = stand.copied().collect();
        Some(Note {
            table,
            cells,
            cells_stand,
            text: word("cause").or(word("tried"))?.to_owned(),
            shown: moves_to.into_iter().chain(word("document").map(str::to_owned)).collect(),
        })
    };
    differences.into_iter().flatten().filter_map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_row_by_row_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(TIMINGS);
        fs::create_dir(path.parent().unwrap()).unwrap();
        let budget = Cell::new(0);
        let sum = || match seconds(Written(folder.path(), &budget)) {
            Ok(seconds) => Ok(seconds),
            Err(Error::NotCounted { cause, .. }) => Err(cause.to_string()),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(sum(), Ok(0.0));
        let header = format!("key,{}\n", TIMES[0].name);
        let row = |n: u64| format!("{},0.5\n", Digest::of(&n.to_le_bytes()));
        // More than a row may have, and one trial twice.
        let rows: String = (0..20_000).chain([0]).map(row).collect();
        fs::write(&path, format!("{header}{rows}")).unwrap();
        assert_eq!(sum(), Ok(10_000.0));
        let long = "it has more than 1048576 bytes, the most that are read here";
        for text in [
            format!("{header}\"{}", "x".repeat(1 << 22)),
            format!("{header}{}\n", "x".repeat(1 << 22)),
            format!("{}{header}", "x".repeat(1 << 22)),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(sum(), Err(long.to_owned()));
        }
        fs::File::create(&path).unwrap().set_len(MOST_TIMINGS + 1).unwrap();
        assert_eq!(sum(), Err(long.replace("1048576", "1073741824")));
    }
}
