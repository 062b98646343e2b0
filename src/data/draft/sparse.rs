//! LIBSVM's lines.

use std::borrow::Cow;
use std::str::SplitAsciiWhitespace;

use super::column::{Summary, can_be_target};
use super::{Asked, Draft, Head, LOOKED_AT, Opened, Predicted, Undescribed, no, without_columns};
use crate::format::csv::Fault;
use crate::format::{arff, libsvm};
use crate::limits;
use crate::vocabulary::Charset;

/// The texts of files that look like LIBSVM's, if all do.
pub(super) fn texts<'o>(files: &'o [Opened<'_>]) -> Option<Vec<Cow<'o, str>>> {
    let text = |opened: &'o Opened<'_>| arff::text(&opened.bytes, Charset::Utf8).ok();
    files.iter().map(|opened| text(opened).filter(|text| looks_so(text))).collect()
}

/// The words of the lines that have some, without comments.
fn rows(text: &str) -> impl Iterator<Item = SplitAsciiWhitespace<'_>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.map(str::split_ascii_whitespace).filter(|words| words.clone().next().is_some())
}

/// Whether the first lines are a word and pairs of numbers, and some have a pair.
fn looks_so(text: &str) -> bool {
    let pair = |word: &str| {
        word.split_once(':').is_some_and(|(index, value)| {
            (index == "qid" || index.parse::<u64>().is_ok()) && value.parse::<f64>().is_ok()
        })
    };
    let mut pairs = 0;
    let so = rows(text).take(LOOKED_AT).all(|mut words| {
        let target = words.next().unwrap_or_default();
        pairs += words.clone().count();
        !target.contains([':', ',', ';', '|']) && words.all(pair)
    });
    so && pairs > 0
}

/// The entry of such files.
pub(super) fn draft(
    files: &[Opened<'_>],
    texts: &[Cow<'_, str>],
    asked: &Asked<'_>,
) -> Result<Draft, Undescribed> {
    without_columns(asked, "a LIBSVM file")?;
    if let Some(target) = asked.target {
        let what = format!("there is no column `{target}`: a LIBSVM line begins with its target");
        return Err(no(what, "leave --target out"));
    }
    let index =
        |word: &str| word.split_once(':').and_then(|(index, _)| index.parse::<usize>().ok());
    let all = || texts.iter().flat_map(|text| rows(text)).flatten();
    let variables = all().filter_map(index).max().unwrap_or(0);
    let count = texts.iter().map(|text| rows(text).count()).sum();
    if variables > limits::VARIABLES || limits::product(variables, count, limits::CELLS).is_none() {
        let name = &files[0].file.name;
        let what = format!("{name} has {count} rows and indices up to {variables}");
        let most = (limits::VARIABLES, limits::CELLS);
        let cure = format!("at most {} variables, and {} values in all, are read", most.0, most.1);
        return Err(no(what, cure));
    }
    let (mut targets, mut given, mut sizes) = (Vec::new(), 0, Vec::new());
    for (opened, text) in files.iter().zip(texts) {
        let before = targets.len();
        let mut sink = |_: usize, target: &str, _: &[Option<&str>]| {
            targets.push(target.to_owned());
            Ok(())
        };
        libsvm::read(text.as_bytes(), variables, &mut sink)
            .map_err(|fault: Fault| no(format!("{}, {fault}", opened.file.name), fault.cure))?;
        given += rows(text).map(|words| words.count() - 1).sum::<usize>();
        sizes.push((opened.file.role, targets.len() - before));
    }
    let mut notes = Vec::new();
    let target = Summary::of("target", targets.iter().map(String::as_str));
    can_be_target(&target, &mut notes)?;
    let predicted = match target.range() {
        Some((least, most)) if target.is_number() => Predicted::Number(least, most),
        _ => Predicted::Classes(target.values.clone().into_iter().collect()),
    };
    let items: String = files
        .iter()
        .map(|opened| {
            opened.item(&format!("role = \"{}\", format = \"libsvm\"", opened.file.role.word()))
        })
        .collect();
    let becomes = if target.is_number() { "target" } else { "class" };
    let share = 100.0 * given as f64 / (variables * count).max(1) as f64;
    let columns = [
        ["first word".to_owned(), becomes.to_owned(), "0".to_owned(), target.held()],
        [
            format!("1 to {variables}"),
            "number".to_owned(),
            "0".to_owned(),
            format!("{given} values that are written, {share:.1}%"),
        ],
    ];
    let (missing, folds) = (None, None);
    let head =
        Head { asked, kind: "numeric", missing, variables, sizes, predicted: &predicted, folds };
    Ok(Draft { entry: head.entry(&items), columns: columns.to_vec(), target: predicted, notes })
}
