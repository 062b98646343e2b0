//! What the tests found: one row a comparison.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use base::layout::TESTS;
use base::text::real;
use base::words::Worded as _;
use math::decimal::{difference, significant};
use spec::{Adjustment, Behind, Comparison, Comparisons, Found, Over, Says};
use stats::{Correction, Dependence, Effect, Posterior};

use super::pairs::joined;
use super::screen::Screen;
use super::sheet::{Cell, Column, Sheet, escaped, gathered};

/// How many comparisons under one heading a terminal shows.
const LISTED: usize = 20;

/// How many sentences somebody reads.
pub const READ: usize = 12;

/// Comparisons of one kind, with what they are as the title and remarks as notes.
pub struct Tests<'a> {
    /// The comparisons.
    pub rows: Vec<&'a Comparison>,
    /// A row for each.
    pub sheet: Sheet,
}

impl Tests<'_> {
    /// What was found, in sentences.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        self.rows.iter().map(|row| in_words(row))
    }
}

/// What comparisons show, in sentences: the first that somebody reads.
pub fn shown_by(rows: &[&Comparison]) -> Vec<String> {
    rows.iter().filter(|row| shows(row)).take(READ).map(|row| in_words(row)).collect()
}

/// The tests over metrics that read a clock, or the others.
pub fn tests(comparisons: &Comparisons, timing: bool) -> Vec<Tests<'_>> {
    let groups = alike(comparisons, timing).into_iter();
    groups
        .map(|rows| {
            let (title, notes) = (heading(&rows), notes(&rows));
            Tests { sheet: Sheet { title, notes, ..sheet(&rows) }, rows }
        })
        .collect()
}

/// The tests over metrics that read a clock, or the others: a table for all comparisons of one kind.
pub(crate) fn markdown(comparisons: &Comparisons, timing: bool) -> String {
    let tests = tests(comparisons, timing);
    let head = if tests.is_empty() { "" } else { "\n## Tests\n" };
    let each = tests.iter().map(|test| {
        let few = test.sentences().filter(|_| test.rows.len() <= READ);
        let sentences = few.map(|one| format!("- {}\n", escaped(&one)));
        let sheet = &test.sheet;
        let title = escaped(&sheet.title);
        format!("\n{title}.\n\n{}\n{}", sentences.collect::<String>(), sheet.markdown())
    });
    head.to_owned() + &each.collect::<String>()
}

/// The tests over metrics that do not read a clock, the first comparisons of each kind.
pub(crate) fn terminal(comparisons: &Comparisons, screen: &mut Screen) {
    for Tests { rows, sheet } in tests(comparisons, false) {
        screen.sheet(sheet.first(LISTED, Some(TESTS)));
        shown_by(&rows).into_iter().for_each(|sentence| screen.paragraph(sentence, 0));
    }
}

/// The comparisons, all that is known of them in `tests.csv`.
pub fn sheet(rows: &[&Comparison]) -> Sheet {
    type Row<'a> = &'a Comparison;
    let found = |row: Row| -> Option<Found> { row.found.as_ref().ok().cloned() };
    let posterior = |row: Row| found(row).and_then(|found| found.posterior);
    let interval = |row: Row| row.effect.and_then(|effect| effect.interval);
    let share = |row: Row| row.superiority.and_then(|superiority| superiority.interval);
    let p = |p: Option<f64>| Cell::significant(p, 3);
    let roomy = Column { roomy: true, ..Column::number("statistic", "Statistic") };
    Sheet::of("", rows.iter().copied())
        .value("id", |row: Row| row.id())
        .value("kind", |row| row.kind)
        .value("metric", |row| row.metric.name)
        .value("left", |row| &*row.left)
        .value("right", |row| &*row.right)
        .text("dataset", "Data set", |row| &*row.dataset)
        .shown("Pair", pair)
        .number("n", "n", |row| found(row).map(|found| found.n))
        .column(roomy, |row| Cell::significant(found(row).map(|found| found.statistic), 4))
        .number("", "Effect", |row| match &row.found {
            Ok(_) => row.effect.map(shown),
            Err(why) => Some(why.to_string()),
        })
        .number("", "p", |row| match posterior(row) {
            Some(posterior) => Cell::Text(probable(posterior, ["left", "right"])),
            None => p(found(row).and_then(|found| found.p)),
        })
        .value("p", |row| found(row).and_then(|found| found.p))
        .number("p_adjusted", "Adjusted p", |row| p(found(row).and_then(|found| found.p_adjusted)))
        .value("correction", |row| row.adjustment.word())
        .value("family", |row| row.adjustment.family())
        .value("effect", |row| row.effect.map(|effect| effect.measure.word()))
        .value("value", |row| end(row.effect.map(|effect| effect.value)))
        .value("low", |row| end(interval(row).map(|(low, _)| low)))
        .value("high", |row| end(interval(row).map(|(_, high)| high)))
        .value("a12", |row| end(row.superiority.map(|superiority| superiority.value)))
        .value("a12_low", |row| end(share(row).map(|(low, _)| low)))
        .value("a12_high", |row| end(share(row).map(|(_, high)| high)))
        .value("level", |row| interval(row).or(share(row)).map(|_| row.level))
        .value("p_left", |row| posterior(row).map(|posterior| posterior.left))
        .value("p_region", |row| posterior(row).map(|posterior| posterior.region))
        .value("p_right", |row| posterior(row).map(|posterior| posterior.right))
        .value("over", |row| row.over.map(|over| over.word()))
        .value("note", |row| Cell::prose(remark(row)))
        .value("low_family", |row| end(row.in_family.map(|(low, _)| low)))
        .value("high_family", |row| end(row.in_family.map(|(_, high)| high)))
        .value("sentence", |row| Cell::prose(in_words(row)))
        .sheet()
}

/// Ends of intervals come from quantiles, whose last bits nobody reads.
fn end(value: Option<f64>) -> Option<f64> {
    value.map(|value| significant(value, 9))
}

/// Why there is no result, and what else is to be said.
fn remark(row: &Comparison) -> String {
    joined([row.found.as_ref().err().map(ToString::to_string), Some(said(row))])
}

/// What is to be said of a comparison: first that its p-value ignores something.
pub(crate) fn said(row: &Comparison) -> String {
    let ignored = row.ignored.map(|why| format!("dependence ignored: {why}"));
    joined([ignored, Some(row.note.clone())])
}

/// The comparisons test by test, and within a test those that are adjusted alike, have one kind of effect and are over one
/// kind of values.
fn alike(comparisons: &Comparisons, timing: bool) -> Vec<Vec<&Comparison>> {
    let mut groups: Vec<Vec<&Comparison>> = Vec::new();
    for row in comparisons.rows.iter().filter(|row| row.metric.is_time() == timing) {
        let same = |other: &Comparison| {
            (&other.test, other.whose) == (&row.test, row.whose)
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

/// Such as `Wilcoxon signed-rank, of test log-likelihood, corrected by Holm's step-down in the family w; effect: ... (test w)`.
fn heading(rows: &[&Comparison]) -> String {
    let Some(first @ Comparison { called, metric, .. }) = rows.first() else {
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
            let how = Correction::WORDS.meaning(*correction);
            format!("corrected by {how} in the family {name}")
        }
    };
    let effects = || rows.iter().filter_map(|row| row.effect);
    let effect = effects().next().map_or_else(String::new, |effect| {
        let interval = effects().any(|effect| effect.interval.is_some());
        let level = format!(", {}% interval", real(100.0 * first.level));
        let level = if interval { level.as_str() } else { "" };
        format!("; effect: {}{level}", effect.measure.word().replace('-', " "))
    });
    let over = rows.iter().find_map(|row| row.over);
    let over = over.map_or_else(String::new, |over| format!(", over {}", over.word()));
    let noun = metric.noun();
    format!("{called}, of {noun}{over}, {what}{correction}{effect} (test {})", first.id())
}

/// Whether something is shown: by the corrected p-value, at the level that is left of that of the interval.
fn shows(row: &Comparison) -> bool {
    let Ok(found) = &row.found else { return false };
    let outside = difference(1.0, row.level);
    match (found.p_adjusted, found.posterior) {
        // Two one-sided tests at half of what the interval leaves out: it lies within the margin then.
        (Some(p), _) if found.outside.is_some() => p < 0.5 * outside,
        (Some(p), _) => p < outside,
        (None, Some(posterior)) => posterior.left.max(posterior.right) > row.level,
        (None, None) => row.differs(1.0).is_ok_and(|shown| shown),
    }
}

/// What was found, in a sentence.
fn in_words(row: &Comparison) -> String {
    let noun = row.metric.noun();
    let on = on(row);
    let between = match row.left.is_empty() {
        true => "the methods".to_owned(),
        false => row.labels.join(" and "),
    };
    let found = match &row.found {
        Ok(found) => found,
        Err(why) => return format!("Nothing is known of {noun} of {between}{on}: {why}."),
    };
    let all = row.pairs_of(&row.left).map(|pairs| pairs.differences.len());
    let counted = |over: Over| match all {
        // Ties say nothing, and are not counted.
        Some(all) if found.n < all => {
            format!(", {} of {}", found.n, over.counted(all, groups(row)))
        }
        _ => format!(", {}", over.counted(found.n, groups(row))),
    };
    let over = row.over.map_or_else(String::new, counted);
    let ignored = row.ignored.map_or_else(String::new, |why| format!("; ignored: {why}"));
    let alike = found.outside.is_some();
    let larger = found.larger == Ordering::Greater;
    // The effect is that of the method that the sentence begins with.
    let turned = !alike && !larger && !row.left.is_empty() && shows(row);
    let effect = if turned { row.size_of(&row.right).map(|of| of.effect) } else { row.effect };
    let effect = match effect {
        _ if row.left.is_empty() && !row.note.is_empty() => format!(": {}", row.note),
        Some(effect) => format!(": {} {}", effect.measure.word().replace('-', " "), shown(effect)),
        None => String::new(),
    };
    let p = found.p_adjusted.map(|p| match p {
        0.0 => ", p < 1e-300".to_owned(),
        p if found.p.is_some_and(|raw| raw != p) => {
            format!(", p = {} after {}", number(p, 2), row.adjustment.text())
        }
        p => format!(", p = {}", number(p, 2)),
    });
    let p = p.unwrap_or_default();
    let p = match (row.says, found.posterior) {
        (Says::Equivalence(margin), _) => format!("{p}, margin {}", number(margin, 4)),
        (Says::Posterior(region), Some(posterior)) => {
            let [left, right] = &row.labels;
            format!(", {}, region {}", probable(posterior, [left, right]), number(region, 4))
        }
        _ => p,
    };
    let what = match (alike, shows(row), row.left.is_empty()) {
        (true, true, _) => format!("{between} were shown to be alike in {noun}"),
        (true, false, _) => format!("{between} were not shown to be alike in {noun}"),
        (false, false, _) => format!("No difference in {noun} between {between} was shown"),
        (false, true, true) => format!("The methods differ in {noun}"),
        (false, true, false) => {
            let [left, right] = &row.labels;
            let (high, low) = if larger { (left, right) } else { (right, left) };
            format!("{high} has a higher {noun} than {low}")
        }
    };
    format!("{what}{on} ({}{p}{over}{ignored}){effect}.", row.called)
}

/// Of how many groups its examples are, where a group counts as one.
fn groups(row: &Comparison) -> Option<usize> {
    let Behind::Pairs(pairs) = &row.behind else { return None };
    let Dependence::Clusters(groups) = &pairs.dependence else { return None };
    Some(groups.iter().collect::<BTreeSet<_>>().len())
}

/// The remarks on comparisons, each once: on all of them, or with those that it is on.
fn notes(rows: &[&Comparison]) -> Vec<String> {
    let said = rows.iter().map(|row| (said(row), pair(row) + &on(row)));
    let notes = gathered(said.filter(|(said, _)| !said.is_empty()));
    let text = |(note, names): (String, Vec<String>)| {
        if names.len() == rows.len() {
            format!("Note: {note}")
        } else {
            format!("Note on {}: {note}", names.join("; "))
        }
    };
    notes.into_iter().map(text).collect()
}

fn on(Comparison { title, .. }: &Comparison) -> String {
    if title.is_empty() { String::new() } else { format!(" on {title}") }
}

fn pair(Comparison { left, labels, .. }: &Comparison) -> String {
    if left.is_empty() { "all".to_owned() } else { labels.join(", ") }
}

/// How large the difference is, with its interval.
fn shown(effect: Effect) -> String {
    let value = number(effect.value, 3);
    effect.interval.map_or_else(
        || value.clone(),
        |(low, high)| format!("{value} [{}, {}]", number(low, 3), number(high, 3)),
    )
}

/// How probable it is that one, neither or the other is larger.
fn probable(Posterior { left, region, right }: Posterior, [one, other]: [&str; 2]) -> String {
    let [left, region, right] = [left, region, right].map(|share| number(share, 3));
    format!("{left} {one}, {region} neither, {right} {other}")
}

/// To so many digits, without the sign of a zero.
pub fn number(value: f64, digits: usize) -> String {
    real(significant(value, digits) + 0.0)
}
