//! What the tests found, for people: one line a comparison. `tests.csv` has all of it.

use base::text::real;
use math::decimal::significant;
use spec::{Adjustment, Comparison, Comparisons};
use stats::{Correction, Effect, Posterior};

use super::screen::Screen;
use super::table::markdown_escaped as escaped;

/// How many comparisons under one heading a terminal shows.
const LISTED: usize = 20;

/// What stands over the columns.
const HEADER: [&str; 6] = ["Data set", "Pair", "n", "Effect", "p", "Adjusted p"];

/// Comparisons of one kind.
pub struct Tests<'a> {
    /// What they are, in a phrase.
    pub heading: String,
    /// The comparisons.
    pub rows: Vec<&'a Comparison>,
    /// Remarks, each once.
    pub notes: Vec<String>,
}

/// The tests over metrics that read a clock, or the others.
pub fn tests(comparisons: &Comparisons, timing: bool) -> Vec<Tests<'_>> {
    let groups = alike(comparisons, timing).into_iter();
    groups.map(|rows| Tests { heading: heading(&rows), notes: notes(&rows), rows }).collect()
}

/// The tests over metrics that read a clock, or the others: a table for all comparisons of one kind.
pub(crate) fn markdown(comparisons: &Comparisons, timing: bool) -> String {
    let mut text = String::new();
    for rows in &alike(comparisons, timing) {
        if text.is_empty() {
            text += "\n## Tests\n";
        }
        text += &format!("\n{}.\n\n", escaped(&heading(rows)));
        text += &format!("| {} |\n|:--|:--|--:|--:|--:|--:|\n", HEADER.join(" | "));
        for line in rows.iter().copied().map(line) {
            text += &format!("| {} |\n", line.map(|cell| escaped(&cell)).join(" | "));
        }
        for note in notes(rows) {
            text += &format!("\n{}.\n", escaped(&note));
        }
    }
    text
}

/// The tests over metrics that do not read a clock, the first comparisons of each kind.
pub(crate) fn terminal(comparisons: &Comparisons, screen: &mut Screen) {
    for rows in &alike(comparisons, false) {
        screen.blank();
        screen.paragraph(heading(rows), 0);
        let lines = rows.iter().copied().take(LISTED).map(line);
        screen.columns(HEADER, lines, &[2, 3, 4, 5]);
        if rows.len() > LISTED {
            screen.paragraph(format!("and {} more in tests.csv", rows.len() - LISTED), 0);
        }
        notes(rows).into_iter().for_each(|note| screen.paragraph(note, 0));
    }
}

/// The comparisons test by test, and within a test those that are adjusted alike, have one kind of effect and are over one
/// kind of values.
fn alike(comparisons: &Comparisons, timing: bool) -> Vec<Vec<&Comparison>> {
    let mut groups: Vec<Vec<&Comparison>> = Vec::new();
    for row in comparisons.0.iter().filter(|row| row.metric.is_time() == timing) {
        let same = |other: &Comparison| {
            other.id == row.id
                && other.left.is_empty() == row.left.is_empty()
                && other.adjustment == row.adjustment
                && agree(other.effect.map(|one| one.measure), row.effect.map(|one| one.measure))
                && agree(other.over, row.over)
        };
        match groups.iter_mut().find(|group| group.iter().all(|other| same(other))) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// Whether two are the same, as far as both are known.
fn agree<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one == other)
}

/// Such as `Test wilcoxon: wilcoxon-signed-rank of test_ll, correction holm in the family wilcoxon; effect: ...`.
fn heading(rows: &[&Comparison]) -> String {
    let Some(first @ Comparison { id, kind, metric, .. }) = rows.first() else {
        return String::new();
    };
    let what = if first.left.is_empty() { "all methods at once, " } else { "" };
    let correction = match &first.adjustment {
        Adjustment::None | Adjustment::Family { correction: Correction::None, .. } => {
            "no correction".to_owned()
        }
        Adjustment::Nemenyi => {
            "Nemenyi's comparisons of all pairs, p and interval for all of them at once".to_owned()
        }
        Adjustment::Family { name, correction } => {
            format!("correction {} in the family {name}", correction.word())
        }
    };
    let effects = || rows.iter().filter_map(|row| row.effect);
    let effect = effects().next().map_or_else(String::new, |effect| {
        let interval = effects().any(|effect| effect.interval.is_some());
        let level = format!(", {}% interval", real(100.0 * first.level));
        let level = if interval { level.as_str() } else { "" };
        format!("; effect: {}{level}", effect.measure.word())
    });
    let over = rows.iter().find_map(|row| row.over);
    let over = over.map_or_else(String::new, |over| format!(", over {}", over.word()));
    format!("Test {id}: {kind} of {}{over}, {what}{correction}{effect}", metric.name)
}

/// The remarks on comparisons, each once: on all of them, or with those that it is on.
fn notes(rows: &[&Comparison]) -> Vec<String> {
    let mut notes: Vec<(&str, Vec<String>)> = Vec::new();
    for row in rows.iter().filter(|row| !row.note.is_empty()) {
        let on =
            if row.dataset.is_empty() { String::new() } else { format!(" on {}", row.dataset) };
        let name = format!("{}{on}", pair(row));
        match notes.iter_mut().find(|(note, _)| *note == row.note) {
            Some((_, names)) => names.push(name),
            None => notes.push((&row.note, vec![name])),
        }
    }
    let text = |(note, names): (&str, Vec<String>)| {
        if names.len() == rows.len() {
            format!("Note: {note}")
        } else {
            format!("Note on {}: {note}", names.join("; "))
        }
    };
    notes.into_iter().map(text).collect()
}

fn pair(Comparison { left, right, .. }: &Comparison) -> String {
    if left.is_empty() { "all".to_owned() } else { format!("{left}, {right}") }
}

/// Data set, pair, number of values, effect, p (or posterior) and adjusted p of a comparison.
pub fn line(comparison: &Comparison) -> [String; 6] {
    let Comparison { dataset, found, .. } = comparison;
    let rest = match found {
        Ok(found) => {
            let p = |p: Option<f64>| p.map_or_else(String::new, |p| number(p, 3));
            let effect = comparison.effect.map_or_else(String::new, shown);
            let first = found.posterior.map_or_else(|| p(found.p), posterior);
            [found.n.to_string(), effect, first, p(found.p_adjusted)]
        }
        Err(why) => [String::new(), why.clone(), String::new(), String::new()],
    };
    let [n, effect, p, adjusted] = rest;
    [dataset.clone(), pair(comparison), n, effect, p, adjusted]
}

/// How large the difference is, with its interval.
fn shown(effect: Effect) -> String {
    let value = number(effect.value, 3);
    effect.interval.map_or_else(
        || value.clone(),
        |(low, high)| format!("{value} [{}, {}]", number(low, 3), number(high, 3)),
    )
}

/// How probable it is that left, neither or right is better.
fn posterior(Posterior { left, region, right }: Posterior) -> String {
    let [left, region, right] = [left, region, right].map(|share| number(share, 3));
    format!("{left} left, {region} neither, {right} right")
}

/// To so many digits, without the sign of a zero.
pub fn number(value: f64, digits: usize) -> String {
    real(significant(value, digits) + 0.0)
}
