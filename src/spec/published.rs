//! Published values: the paper's numbers in a tidy csv file beside the experiment file.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::design::{PublishedFile, PublishedValue};
use super::patterns::is_beside;
use super::scope::Named;
use base::printable::is_hidden;
use base::{bounded, printable};
use contract::{DatasetId, MethodId, Metrics, PartId};
use document::{Faults, Span, Table, suggestion};

const HEADER: [&str; 5] = ["row", "column", "metric", "value", "sd"];

/// The files of values that tables and differences name, each once.
pub(crate) fn files(root: &Table, scope: &mut Named<'_>) -> Vec<PublishedFile> {
    let outline = scope.outline;
    let ids: Vec<&str> = (outline.datasets.iter())
        .chain(&outline.dropped)
        .map(DatasetId::as_str)
        .chain(outline.method_ids.iter().map(MethodId::as_str))
        .chain(outline.part_ids.iter().map(PartId::as_str))
        .chain(outline.registry.iter().map(|dataset| dataset.id.as_str()))
        .chain(scope.known.metrics.iter().map(|metric| metric.name))
        .collect();
    let (ids, folder) = (Ids::of(&ids, &scope.known.metrics), scope.folder().to_owned());
    let mut files: Vec<PublishedFile> = Vec::new();
    let tables = root.tables("table").filter_map(|table| table.get("published"));
    let moves = root.tables("difference").filter_map(|one| one.table("moves_to")?.get("values"));
    for node in tables.chain(moves) {
        let Some(path) = node.text().filter(|path| is_beside(path)) else { continue };
        if files.iter().any(|file| file.path == path) {
            continue;
        }
        match read(&folder.join(path), path, &ids, scope.faults) {
            Ok(file) => files.push(file),
            Err(error) => unreadable(path, &folder, &node.span, &error, scope.faults),
        }
    }
    files
}

/// Reads `file`, which the experiment file calls `path`. Rows without a value are skipped: the
/// paper has no number there. `ids` are those of the experiment: a row or column that is one of
/// them in other letters is an error; any other may be an id that only the paper knows.
///
/// # Errors
/// If the file can't be read; errors inside it go to `faults`.
fn read(
    file: &Path,
    path: &str,
    ids: &Ids<'_>,
    faults: &mut Faults,
) -> std::io::Result<PublishedFile> {
    let text = bounded::read_text(file, bounded::MOST_WRITTEN)?;
    let mut inner = Faults::new(file.display(), &text);
    let values = parse(&text, ids, &mut inner);
    faults.append(inner);
    Ok(PublishedFile { path: path.to_owned(), text, values })
}

fn parse(text: &str, ids: &Ids<'_>, faults: &mut Faults) -> Vec<PublishedValue> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches('\n').trim_end_matches('\r');
        if let Some(hidden) = line.chars().find(|&c| is_hidden(c)) {
            let message =
                format!("a published value can't hold the character {}", printable::name(hidden));
            faults.at(&(start..start + line.len()), message, "it can't be seen here");
        }
        start += whole.len();
    }
    let mut records = reader.records();
    match records.next() {
        Some(Ok(header)) if header.iter().eq(HEADER) => {}
        _ => {
            let label = format!("expected the header {}", HEADER.join(","));
            faults.at(&line_at(text, 0), "the header is wrong", label);
            return Vec::new();
        }
    }
    let mut values: Vec<PublishedValue> = Vec::new();
    let mut given = BTreeSet::new();
    for record in records {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let start = error.position().map_or(0, |place| place.byte() as usize);
                faults.at(&line_at(text, start), "this is not valid csv", error.to_string());
                continue;
            }
        };
        let start = record.position().map_or(0, |place| place.byte() as usize);
        let line = line_at(text, start);
        if record.len() != HEADER.len() {
            let label = format!("expected {} fields, found {}", HEADER.len(), record.len());
            faults.at(&line, "the line has the wrong number of fields", label);
            continue;
        }
        let Some(value) = parse_record(&record, &line, ids, faults) else { continue };
        let cell = (value.row.clone(), value.column.clone(), value.metric);
        if !given.insert(cell) {
            faults.at(&line, "this value is given twice", "again").help("remove one of the lines");
        }
        values.push(value);
    }
    values
}

/// The value of a line; none if it has none, or if it is wrong.
fn parse_record(
    record: &csv::StringRecord,
    line: &Span,
    ids: &Ids<'_>,
    faults: &mut Faults,
) -> Option<PublishedValue> {
    let [row, column, metric, value, sd] = [0, 1, 2, 3, 4].map(|field| &record[field]);
    for (name, id) in [("row", row), ("column", column)] {
        if id.is_empty() {
            faults.at(line, format!("the line has no {name}"), "expected an id");
        }
        // A spreadsheet would compute what stands in such a cell.
        if id.starts_with(['=', '+', '-', '@']) {
            let message = format!("`{id}` can't be a {name}");
            faults.at(line, message, "an id begins with a letter or digit");
        }
        for word in id.split_whitespace() {
            if let Some(meant) = misspelt(word, ids) {
                faults
                    .at(line, format!("`{word}` is no id of the experiment"), format!("in {name}"))
                    .help(format!("did you mean `{meant}`?"));
            }
        }
    }
    let known = ids.metrics.get(metric);
    if known.is_none() {
        let names: Vec<&str> = ids.metrics.iter().map(|metric| metric.name).collect();
        faults.unknown("metric", metric, line, &names);
    }
    let mut number = |name: &str, text: &str| match text.parse::<f64>() {
        _ if text.is_empty() => None,
        Ok(number) if number.is_finite() && (name == "value" || number >= 0.0) => Some(number),
        _ => {
            let message = format!("`{text}` is not a number that `{name}` can have");
            faults.at(line, message, "expected a finite number, or nothing");
            None
        }
    };
    let unit = last_digit(value);
    let (value, sd) = (number("value", value), number("sd", sd));
    Some(PublishedValue {
        row: row.to_owned(),
        column: column.to_owned(),
        metric: known?,
        value: value?,
        sd,
        unit,
    })
}

/// One unit of the last digit of a number as it is printed.
fn last_digit(printed: &str) -> f64 {
    let (digits, exponent) = printed.split_once(['e', 'E']).unwrap_or((printed, "0"));
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let exponent = exponent.parse::<i64>().unwrap_or(0) - decimals as i64;
    format!("1e{exponent}").parse().unwrap_or(0.0)
}

/// Ids by what is left of them without capitals and punctuation, and the metrics.
struct Ids<'a> {
    metrics: &'a Metrics,
    known: HashSet<&'a str>,
    bare: HashMap<String, &'a str>,
}

impl<'a> Ids<'a> {
    fn of(ids: &[&'a str], metrics: &'a Metrics) -> Self {
        // Of those that are left alike the first.
        let bare = ids.iter().rev().map(|id| (bare(id), *id)).collect();
        Self { metrics, known: ids.iter().copied().collect(), bare }
    }
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The id that `word` is in other letters: in capitals, or with other punctuation.
fn misspelt<'a>(word: &str, ids: &Ids<'a>) -> Option<&'a str> {
    if ids.known.contains(word) { None } else { ids.bare.get(&bare(word)).copied() }
}

/// The line that begins at a byte, or at the first byte of text after it.
fn line_at(text: &str, start: usize) -> Span {
    let start = start.min(text.len());
    let rest = &text[start..];
    let start = start + (rest.len() - rest.trim_start().len());
    let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    start..end
}

/// The error of a file that can't be read.
fn unreadable(path: &str, folder: &Path, span: &Span, error: &std::io::Error, faults: &mut Faults) {
    let file = folder.join(path);
    let beside: Vec<String> = super::source::files_beside(&file, "csv")
        .into_iter()
        .map(|name| match path.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{name}"),
            None => name,
        })
        .collect();
    let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
    let fault = faults.at(span, format!("`{}` can't be read", file.display()), error.to_string());
    let help = suggestion(path, &beside);
    fault.help(help.unwrap_or_else(|| "the path begins at the experiment file".to_owned()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics() -> Metrics {
        Metrics::of(task::TASKS.iter().map(|task| task.metrics))
    }

    fn parsed(text: &str) -> (Vec<PublishedValue>, Vec<String>) {
        let mut faults = Faults::new("t.csv", text);
        let values =
            parse(text, &Ids::of(&["nltcs", "pumsb_star", "MEVM"], &metrics()), &mut faults);
        let errors = faults.into_errors("t.csv").errors;
        (values, errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn values_are_read_and_empty_ones_skipped() {
        let text = "row,column,metric,value,sd\nnltcs,MEVM,test_ll,-6.04,\n\
                    nltcs,LTM,test_ll,,\nparity,MEVM,variables,1.29,0.32\n";
        let (values, errors) = parsed(text);
        assert_eq!(errors, [""; 0]);
        assert_eq!(values.len(), 2);
        assert_eq!((values[0].value, values[0].sd), (-6.04, None));
        assert_eq!((values[1].row.as_str(), values[1].sd), ("parity", Some(0.32)));
    }

    #[test]
    fn every_wrong_line_is_an_error() {
        let text = "row,column,metric,value,sd\nNLTCS,MEVM,test_ll,-6.04,\n\
                    nltcs,MEVM,tset_ll,1,\nnltcs,MEVM,test_ll,abc,\nnltcs,MEVM\n\
                    nltcs,MEVM,test_ll,nan,-1\npumsb-star,CL,test_ll,1,\npumsb-star,CL,test_ll,1,\n";
        let (_, errors) = parsed(text);
        assert_eq!(
            errors,
            [
                "`NLTCS` is no id of the experiment",
                "there is no metric `tset_ll`",
                "`abc` is not a number that `value` can have",
                "the line has the wrong number of fields",
                "`nan` is not a number that `value` can have",
                "`-1` is not a number that `sd` can have",
                "`pumsb-star` is no id of the experiment",
                "`pumsb-star` is no id of the experiment",
                "this value is given twice",
            ]
        );
    }

    #[test]
    fn what_can_not_be_seen_and_what_computes_is_refused() {
        let text = "row,column,metric,value,sd\r\n=cmd|' /C calc'!A0,MEVM,test_ll,1,\r\n\
                    # \u{202e}\nnltcs,@x,test_ll,,\nnltcs,\u{1b}[2J,test_ll,1,\n";
        assert_eq!(
            parsed(text).1,
            [
                "`=cmd|' /C calc'!A0` can't be a row",
                "a published value can't hold the character U+202E",
                "`@x` can't be a column",
                "a published value can't hold the character U+001B",
            ]
        );
    }

    #[test]
    fn many_words_are_compared_with_many_ids_in_time() {
        let ids: Vec<String> = (0..5_000).map(|at| format!("method-{at}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let words = "a ".repeat(200_000);
        let text = format!("row,column,metric,value,sd\n{words},METHOD_7,test_ll,1,\n");
        let (before, mut faults) = (std::time::Instant::now(), Faults::new("t.csv", &text));
        parse(&text, &Ids::of(&ids, &metrics()), &mut faults);
        assert!(before.elapsed().as_secs() < 5, "every word is compared with every id");
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn the_header_is_fixed() {
        assert_eq!(parsed("row,column,value\n").1, ["the header is wrong"]);
        assert_eq!(parsed("").1, ["the header is wrong"]);
    }
}
