//! The scorecard over a tree of results, counted from their sealed files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::Path;

use base::bounded::MOST_WRITTEN;
use base::digest::Digest;
use base::layout::{CLAIMS, INDEX, OVERLAY, PAGE, PAPERS, REPORT, SPEC, TIMING, TIMINGS};
use base::words::Worded as _;
use base::{durable, own};
use page::scorecard::{Note, Scorecard, Scored, State};
use report::table::{Agreement, Counts, Orderings, Pair};
use seal::{Folder, Manifest};
use spec::Verdict;
use task::metrics::{TIME_EVALUATE, TIME_FIT};

use super::Error;
use super::error::{NoResults, NotCounted, Tampered};
use super::versus::{MOST_TABLE, bytes_of, rows_of};

/// The most bytes of the times of trials, which are summed: 1 GiB.
const MOST_TIMINGS: u64 = 1 << 30;

/// Makes the scorecard of all results below a folder, and writes it there.
///
/// # Errors
/// If there are no results, or it can't be written.
pub fn write(root: &Path) -> Result<Scorecard, Error> {
    let folders = folders(root)?;
    if folders.is_empty() {
        return Err(NoResults { dir: root.to_owned(), cause: None }.into());
    }
    if let Some(changed) = folders.iter().find(|folder| !folder.differences.is_empty()) {
        let differences = changed.differences.iter().map(ToString::to_string).collect();
        return Err(Tampered { dir: changed.path.clone(), differences }.into());
    }
    let scorecard = of(&folders)?;
    let path = root.join(INDEX);
    durable::replace(&path, scorecard.page().as_bytes())
        .map_err(|cause| NoResults { dir: path, cause: Some(cause) })?;
    Ok(scorecard)
}

/// How the scorecard in a folder differs from what the results below it come to; none if it does not, or is not there.
pub fn difference(root: &Path, folders: &[Folder]) -> Option<String> {
    let there = own::read_bounded(&root.join(INDEX), MOST_TABLE);
    let there = match there {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(format!("{INDEX}: can't be read: {error}")),
    };
    // What is not as it was sealed is not read, and said already.
    if folders.iter().any(|folder| !folder.differences.is_empty()) {
        return None;
    }
    let again = match of(folders) {
        Ok(scorecard) => scorecard.page(),
        Err(error) => return Some(format!("{INDEX}: can't be made again: {error}")),
    };
    let other = super::compare::differences(INDEX, &there, again.as_bytes()).into_iter().next()?;
    Some(format!("{other}; `reprise report --results {}` makes it anew", root.display()))
}

fn folders(root: &Path) -> Result<Vec<Folder>, Error> {
    let unreadable = |cause| NoResults { dir: root.to_owned(), cause: Some(cause) };
    let folders = seal::audit(root).map_err(unreadable)?;
    Ok(folders.into_iter().filter(|folder| folder.manifest.is_some()).collect())
}

/// Counts the results of these folders; those of profiles are small parts, those with something set from outside are not
/// what the file says, and those without a paper are of none.
fn of(folders: &[Folder]) -> Result<Scorecard, NotCounted> {
    let mut scorecard = Scorecard::default();
    for folder in folders {
        let as_written = |manifest: &&Manifest| {
            let set = manifest.files.iter().any(|file| file.path == OVERLAY);
            manifest.profile.is_empty() && !set
        };
        let Some(manifest) = folder.manifest.as_ref().filter(as_written) else { continue };
        if let Some((paper, scored)) = scored(folder, manifest)? {
            scorecard.papers.entry(paper).or_default().push(scored);
        }
    }
    for experiments in scorecard.papers.values_mut() {
        experiments.sort_by(|one, other| one.id.cmp(&other.id));
    }
    Ok(scorecard)
}

/// The citation of its paper, and what is counted; none if it is of no paper.
fn scored(folder: &Folder, manifest: &Manifest) -> Result<Option<(String, Scored)>, NotCounted> {
    let dir = &folder.path;
    let papers = toml(dir, PAPERS)?;
    let citation = papers.values().next().and_then(|paper| paper.get("citation")?.as_str());
    let Some(citation) = citation.map(str::to_owned) else { return Ok(None) };
    let spec = toml(dir, SPEC)?;
    let title = spec.get("experiment").and_then(|table| table.get("title")?.as_str());
    let paths = || manifest.files.iter().map(|file| file.path.as_str());
    let (stands, orderings) = tables(dir, paths(), &spec)?;
    let mut cells = Counts::new();
    stands.values().for_each(|agreement| *cells.entry(*agreement).or_default() += 1);
    let mut claims = BTreeMap::new();
    for path in [CLAIMS.to_owned(), format!("{TIMING}{CLAIMS}")] {
        for word in rows_of(dir, &path, MOST_TABLE)?.iter().filter_map(|row| row.get("verdict")) {
            if let Some(verdict) = Verdict::WORDS.value(word) {
                *claims.entry(verdict).or_default() += 1;
            }
        }
    }
    let state = if manifest.complete { State::Sealed } else { State::Incomplete };
    let scored = Scored {
        id: manifest.experiment.clone(),
        title: title.unwrap_or_default().to_owned(),
        opens: if paths().any(|path| path == PAGE) { PAGE } else { REPORT },
        state,
        cells,
        orderings,
        claims,
        seconds: seconds(dir),
        notes: notes(&spec, &stands),
    };
    Ok(Some((citation, scored)))
}

/// How published cells stand, by table, row and column.
type Stands = BTreeMap<(String, [String; 2]), Agreement>;

/// How the cells of the tables among these files stand, and the orderings of each table.
fn tables<'p>(
    dir: &Path,
    paths: impl Iterator<Item = &'p str>,
    spec: &toml::Table,
) -> Result<(Stands, Vec<(String, Orderings)>), NotCounted> {
    let (mut stands, mut orderings) = (Stands::new(), Vec::new());
    for path in paths {
        let table = path.strip_prefix(TIMING).unwrap_or(path).strip_prefix("tables/");
        let Some(table) = table.and_then(|table| table.strip_suffix(".csv")) else { continue };
        let rows = rows_of(dir, path, MOST_TABLE)?;
        for row in &rows {
            let agreement = row.get("agreement").and_then(|word| Agreement::WORDS.value(word));
            let place = ["row", "column"].map(|side| row.get(side).cloned().unwrap_or_default());
            stands.extend(agreement.map(|agreement| ((table.to_owned(), place), agreement)));
        }
        orderings.push((table.to_owned(), of_table(&rows, along(spec, table))));
    }
    Ok((stands, orderings))
}

fn toml(dir: &Path, file: &str) -> Result<toml::Table, NotCounted> {
    let wrong = |cause| NotCounted { path: dir.join(file), cause: std::io::Error::other(cause) };
    toml::from_slice(&bytes_of(dir, file, MOST_WRITTEN)?).map_err(wrong)
}

/// The column whose cells name the line in which the cells of a table are compared with each other.
fn along(spec: &toml::Table, table: &str) -> &'static str {
    let tables = spec.get("table").and_then(toml::Value::as_array).into_iter().flatten();
    let word = |one: &toml::Value, key: &str, word: &str| {
        one.get(key).and_then(toml::Value::as_str) == Some(word)
    };
    let mut this = tables.filter(|one| word(one, "id", table));
    if this.any(|one| word(one, "best_along", "column")) { "column" } else { "row" }
}

/// How the orderings that the paper's numbers show come out in a table of these rows.
fn of_table(rows: &[BTreeMap<String, String>], along: &str) -> Orderings {
    let mut lines: BTreeMap<_, Vec<Pair>> = BTreeMap::new();
    for row in rows {
        let number = |name: &str| row.get(name).and_then(|cell| cell.parse::<f64>().ok());
        let values = (number("value"), number("published"), number("unit"));
        if let (Some(ours), Some(paper), Some(unit)) = values {
            let line = lines.entry((row.get(along), row.get("metric"))).or_default();
            line.push(Pair { ours, noise: number("noise"), paper, unit });
        }
    }
    lines.values().map(|line| Orderings::of(line)).sum()
}

/// The seconds of the trials, each once.
fn seconds(dir: &Path) -> f64 {
    let file = own::open(&dir.join(TIMINGS), OpenOptions::new().read(true));
    let Ok(file) = file else { return 0.0 };
    // Row by row: there may be a million.
    let mut rows = csv::Reader::from_reader(file.take(MOST_TIMINGS));
    let Ok(header) = rows.headers().cloned() else { return 0.0 };
    let place = |name: &str| header.iter().position(|column| column == name);
    let (key, times) = (place("key"), [TIME_FIT.name, TIME_EVALUATE.name].map(place));
    let mut seen = BTreeSet::new();
    let mut seconds = 0.0;
    for row in rows.records().flatten() {
        let cell = |place: Option<usize>| row.get(place?);
        if cell(key).and_then(|key| key.parse().ok()).is_some_and(|key: Digest| seen.insert(key)) {
            let times = times.map(|time| cell(time)?.parse::<f64>().ok());
            seconds += times.into_iter().flatten().sum::<f64>();
        }
    }
    seconds
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
            shown
                .map(|(key, value)| format!("{key} {}", text(value)))
                .collect::<Vec<_>>()
                .join(", ")
        });
        let (table, cells) = (word("table")?.to_owned(), [words("rows"), words("columns")]);
        let mut cells_stand = Counts::new();
        for row in &cells[0] {
            let places = cells[1].iter().map(|column| [row.clone(), column.clone()]);
            let stand = places.filter_map(|place| stands.get(&(table.clone(), place)));
            stand.for_each(|agreement| *cells_stand.entry(*agreement).or_default() += 1);
        }
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
