//! LIBSVM's lines.

use super::column::{Summary, can_be_target, joined, learned};
use super::{Asked, Draft, Head, LOOKED_AT, Opened, Predicted, kind, without_columns};
use crate::error::{Refused, no};
use crate::format::columns::{Column, Wanted, as_bit};
use crate::format::csv;
use crate::format::libsvm::{self, Line};
use crate::limits;
use crate::vocabulary::{Charset, Kind, Role};

/// Whether all files look like LIBSVM's.
pub(super) fn are(files: &[Opened<'_>]) -> bool {
    let text = |opened: &Opened<'_>| {
        csv::text(&opened.bytes, Charset::Utf8).is_ok_and(|text| looks_so(&text))
    };
    files.iter().all(text)
}

/// Whether the first lines are a word and pairs of numbers, and some have a pair.
fn looks_so(text: &str) -> bool {
    let pair = |word: &str| {
        word.split_once(':').is_some_and(|(index, value)| {
            (index == "qid" || index.parse::<u64>().is_ok()) && value.parse::<f64>().is_ok()
        })
    };
    let mut pairs = 0;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let rows = lines.map(str::split_ascii_whitespace);
    let mut rows = rows.filter(|words| words.clone().next().is_some()).take(LOOKED_AT);
    let so = rows.all(|mut words| {
        let target = words.next().unwrap_or_default();
        pairs += words.clone().count();
        // Several labels are refused where they are read.
        let labels = target.split(',').all(|label| label.parse::<f64>().is_ok());
        let target =
            !target.contains([':', ',', ';', '|']) || labels && words.clone().next().is_some();
        target && words.all(pair)
    });
    so && pairs > 0
}

/// What such files hold.
struct Held {
    target: Column,
    variables: usize,
    /// How many values are written.
    given: usize,
    /// Whether each of them is 0 or 1.
    bits: bool,
    /// The rows of each file.
    sizes: Vec<(Role, usize)>,
}

impl Held {
    fn of(files: &[Opened<'_>], wanted: Wanted) -> Result<Self, Refused> {
        let target = Column::new(wanted);
        let mut held = Self { target, variables: 0, given: 0, bits: true, sizes: Vec::new() };
        for opened in files {
            let before = held.target.len();
            let mut sink = |line: Line<'_>| {
                let most = line.given.last().map_or(0, |(place, _)| place + 1);
                held.variables = held.variables.max(most);
                held.given += line.given.len();
                held.bits &= line.given.iter().all(|&(_, value)| as_bit(value).is_some());
                held.target.push(Some(line.target), wanted, None);
                Ok(())
            };
            libsvm::read(&opened.bytes, limits::VARIABLES, &mut sink)
                .map_err(Refused::in_file(&opened.file.name))?;
            held.sizes.push((opened.file.role, held.target.len() - before));
        }
        Ok(held)
    }
}

/// The entry of such files.
pub(super) fn draft(files: &[Opened<'_>], asked: &Asked<'_>) -> Result<Draft, Refused> {
    without_columns(asked, "a LIBSVM file")?;
    if let Some(target) = asked.target {
        let what = format!("there is no column `{target}`: a LIBSVM line begins with its target");
        return Err(no(what, "leave --target out"));
    }
    let mut held = Held::of(files, Wanted::Either)?;
    if let Column::Torn(_) = held.target {
        held = Held::of(files, Wanted::Names)?;
    }
    let Held { target: column, variables, given, bits, sizes } = held;
    let count = column.len();
    if limits::product(variables, count, limits::CELLS).is_none() {
        let name = &files[0].file.name;
        let what = format!("{name} has {count} rows and indices up to {variables}");
        return Err(no(what, format!("at most {} values in all are read", limits::CELLS)));
    }
    let mut notes = Vec::new();
    let target = Summary::of("target", &column);
    can_be_target(&target, &mut notes)?;
    let (missing, predicted) = learned(&target, &[], &mut notes)?;
    if let Predicted::Classes(_) = predicted {
        notes.extend(joined(&column, || Ok(Held::of(files, Wanted::Names)?.target))?);
    }
    let kind = kind(bits, &predicted, Kind::Numeric, &mut notes);
    let item = |opened: &Opened<'_>| opened.item(opened.file.role, "libsvm", "");
    let items: String = files.iter().map(item).collect();
    let becomes = if target.is_number() { "target" } else { "class" };
    let share = 100.0 * given as f64 / (variables * count).max(1) as f64;
    let columns = [
        ["first word".to_owned(), becomes.to_owned(), "0".to_owned(), target.held()],
        [
            format!("1 to {variables}"),
            if bits { "0 or 1" } else { "number" }.to_owned(),
            "0".to_owned(),
            format!("{given} values that are written, {share:.1}%"),
        ],
    ];
    let head = Head { asked, kind, missing, variables, sizes, predicted: &predicted, folds: None };
    Ok(Draft { entry: head.entry(&items), columns: columns.to_vec(), target: predicted, notes })
}
