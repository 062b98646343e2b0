//! What is suspicious of a dataset: it may be a leak, and may have honest reasons.

use contract::Metric;
use itertools::Itertools as _;
use run::Record;
use spec::Accepted;
use task::chance::MAJORITY_SHARE;
use task::columns::{Alone, Columns, Mark};
use task::metrics::TRAIN_EXAMPLES;
use task::overlap::{AGREEING, AGREEMENT, BETWEEN, CLOSE, EARLIER, IN_FILE, REPEATS};
use task::regression::R2;

use super::Leak;
use crate::tested::number;

/// A column that orders the classes so well tells all of them.
const ORDERS: f64 = 0.99;
/// A column that reaches the best method takes away so much of what chance leaves, at least,
const TELLS: f64 = 0.75;
/// and so much of what the best method does.
const REACHES: f64 = 0.95;
/// Where half of the columns tell so much of what one does, the task is an easy one.
const NEARLY: f64 = 0.9;
/// Labels differ so much more among the next rows than among the nearest few.
const DIFFER: f64 = 0.1;
/// Of so many test rows the nearest few are much nearer than the next: on a line one of nine would be by chance.
const CLOSE_ROWS: f64 = 0.2;
/// So many test rows lie between two training rows: of 42 tables without made rows none had one in a hundred.
const MADE: f64 = 0.05;
/// An R² above this leaves nothing to learn.
const EXACT: f64 = 0.9995;
/// So many times as many rows stand more than once as chance gives at most.
const TIMES: f64 = 2.0;

/// What may be wrong with columns, and what it is called.
const MARKS: [(Mark, Leak, &str); 10] = [
    (Mark::Identifies, Leak::Identifies, "says which row it is"),
    (
        Mark::Encoded,
        Leak::Encoded,
        "follows the mean targets of the rows that share its values: encoded by all rows?",
    ),
    (
        Mark::Filled,
        Leak::Filled,
        "has a value for each of several classes, in many rows: filled in by class?",
    ),
    (
        Mark::Groups,
        Leak::Clusters,
        "rows of one value have like labels, and others have not: whose rows are they? name the `group`",
    ),
    (
        Mark::Scaled,
        Leak::Scaled,
        "scaled or rotated by all rows: leave that to `standardised` of the entry, or to the method",
    ),
    (
        Mark::Selected,
        Leak::Selected,
        "tell what the best of very many columns tell by chance: selected by all rows?",
    ),
    (
        Mark::Averaged,
        Leak::Filled,
        "has in many rows the mean of all others: filled in by all rows?",
    ),
    (
        Mark::Computed,
        Leak::Computed,
        "is a mean or sum of targets, the row's own or later ones among them; if the file runs backwards, name the `time`",
    ),
    (
        Mark::Missing,
        Leak::Missing,
        "is missing by the label: is it known when a prediction is made?",
    ),
    (
        Mark::Interpolated,
        Leak::Between,
        "lies on lines between values of rows before and after: interpolated over all rows?",
    ),
];

/// So many columns of a finding are named.
const NAMED: usize = 5;
/// A column that is so much better than chance as the best could be, and others by far less, may be what is to be predicted.
const STANDS_OUT: [f64; 2] = [0.9, 0.6];
/// By so much less labels differ between rows that follow each other.
const FOLLOW: f64 = 0.15;

/// What may be suspicious of a dataset.
#[derive(Debug, Clone, Default)]
pub(super) struct Suspects {
    agreement: Option<f64>,
    agreeing: Option<f64>,
    close: Option<f64>,
    between: Option<f64>,
    repeats: Option<f64>,
    in_file: Option<f64>,
    earlier: Option<f64>,
    /// What chance scores.
    chance: f64,
    train: Option<f64>,
    /// How many columns there are.
    all: usize,
    /// Those of all divisions, in the mean.
    columns: Vec<Alone>,
}

impl Suspects {
    pub fn of(given: &[&Record], of: impl Fn(&'static Metric) -> Option<f64>) -> Self {
        let pictures = given.iter().filter_map(|record| record.outcome.as_ref()?.picture.as_ref());
        let all: Vec<&Columns> = pictures.filter_map(|picture| picture.columns()).collect();
        let mean = |one: &Alone| {
            let same = all.iter().flat_map(|columns| &columns.most);
            let same: Vec<&Alone> =
                same.filter(|other| other.columns().eq(one.columns())).collect();
            let of = |value: fn(&Alone) -> f64| {
                same.iter().map(|one| value(one)).sum::<f64>() / all.len() as f64
            };
            let mean =
                Alone { score: of(|one| one.score), order: of(|one| one.order), ..one.clone() };
            (same.len() == all.len()).then_some(mean)
        };
        let first = all.first().map_or(&[][..], |columns| &columns.most);
        Self {
            agreement: of(&AGREEMENT),
            agreeing: of(&AGREEING),
            close: of(&CLOSE),
            between: of(&BETWEEN),
            repeats: of(&REPEATS),
            in_file: of(&IN_FILE),
            earlier: of(&EARLIER),
            chance: of(&MAJORITY_SHARE).unwrap_or(0.0),
            train: of(&TRAIN_EXAMPLES),
            all: all.first().map_or(0, |columns| columns.all),
            columns: first.iter().filter_map(mean).collect(),
        }
    }

    /// What is suspicious, and why, where the best method has this of what is scored; columns that are accepted are not.
    pub fn found(
        &self,
        (scored, best): (&Metric, Option<f64>),
        accept: &[Accepted],
    ) -> Vec<(Leak, String)> {
        let mut found = Vec::new();
        let mut suspect = |leak, what: String| found.push((leak, what));
        let accepted = |one: &Alone| {
            accept.iter().any(|accepted| one.columns().any(|column| *accepted.column == *column))
        };
        for one in self.columns.iter().filter(|one| !accepted(one)) {
            if let Some(tells) = self.tells(one, (scored, best)) {
                suspect(
                    Leak::Column,
                    format!(
                        "column {} alone {tells}: is it known when a prediction is made?",
                        one.columns().map(|column| format!("`{column}`")).join(" less ")
                    ),
                );
            }
        }
        for (mark, leak, what) in MARKS {
            let marked = self.columns.iter().filter(|one| one.marks.contains(&mark));
            let marked: Vec<&Alone> = marked.filter(|one| !accepted(one)).collect();
            let those = marked.iter().take(NAMED).map(|one| format!("`{}`", one.column)).join(", ");
            match marked.len() {
                0 => {}
                n if n > NAMED => {
                    suspect(leak, format!("columns {those} and {}: {what}", n - NAMED))
                }
                _ => suspect(leak, format!("column {those}: {what}")),
            }
        }
        if let (Some(agreement), Some(few)) = (self.agreement, self.agreeing)
            && agreement >= DIFFER
        {
            let (agreement, few) = (number(agreement, 2), few.round());
            let what = format!(
                "labels agree among the nearest {few} training rows, and differ by {agreement} more among the next than distances explain: whose rows are they? name the `group`"
            );
            suspect(Leak::Clusters, what);
        }
        if self.in_file.is_some_and(|less| less >= FOLLOW) {
            let what = "labels agree between rows that follow each other in the file, and hardly between rows whose columns are alike: rows in time, or of one person after another? name the `time` or the `group`";
            suspect(Leak::Sequence, what.to_owned());
        }
        if let Some(earlier) = self.earlier.filter(|earlier| *earlier > 0.0) {
            let earlier = number(100.0 * earlier, 3);
            let what = format!(
                "{earlier} % of the test rows are earlier than a training row: split by `time`"
            );
            suspect(Leak::Earlier, what);
        }
        if let Some(close) = self.close.filter(|close| *close >= CLOSE_ROWS) {
            let what = format!(
                "{} % of the test rows have training rows far nearer than the next: are they copies with noise, or rows of one thing? drop them, or name the `group`",
                number(100.0 * close, 3)
            );
            suspect(Leak::Close, what);
        }
        if let Some(between) = self.between.filter(|between| *between >= MADE) {
            let what = format!(
                "{} % of the test rows lie between two training rows, on the line: were they made of these, as SMOTE does? make rows of the training rows alone",
                number(100.0 * between, 3)
            );
            suspect(Leak::Between, what);
        }
        if let Some(best) = best.filter(|best| *scored == R2 && *best > EXACT) {
            let what =
                format!("a method has R² {}: do columns add up to the target?", number(best, 6));
            suspect(Leak::Exact, what);
        }
        if let Some(times) = self.repeats.filter(|times| *times >= TIMES) {
            let times = number(times, 2);
            let what = format!(
                "{times} times as many rows stand more than once as chance gives: were rows copied? drop the copies, or name the `group`"
            );
            suspect(Leak::Repeats, what);
        }
        if let Some(train) = self.train.filter(|train| self.all as f64 > *train) {
            let (all, train) = (self.all, number(train, 6));
            suspect(Leak::Wide, format!("{all} columns, {train} training rows"));
        }
        found
    }

    /// What a column tells, if it is too much.
    fn tells(&self, one: &Alone, (scored, best): (&Metric, Option<f64>)) -> Option<String> {
        let (best, left) = (best?, 1.0 - self.chance);
        let told = |score: f64| if left > 0.0 { (score - self.chance) / left } else { 0.0 };
        let own = told(one.score);
        let nearly = |other: &&Alone| told(other.score) >= NEARLY * own;
        let nearly = self.columns.iter().filter(nearly).count();
        if nearly > 1 && 2 * nearly >= self.columns.len() {
            return None;
        }
        // Of two columns one is usually the better, and does what both do.
        if self.all > 2 && one.less.is_none() && own >= TELLS && own >= REACHES * told(best) {
            let (own, best) = (number(one.score, 3), number(best, 3));
            return Some(format!("has {} {own}, the best method {best}", scored.label));
        }
        // Of numbers it is the score itself.
        let (by, chance) = if *scored == R2 { (scored.label, 0.0) } else { ("AUC", 0.5) };
        let beyond = |order: f64| (order - chance) / (1.0 - chance);
        let others = self.columns.iter().filter(|other| other.columns().ne(one.columns()));
        let next = others.map(|other| other.order).fold(chance, f64::max);
        let [high, low] = STANDS_OUT;
        let order = number(one.order, 3);
        if self.all > 1 && one.order > ORDERS {
            return Some(format!("has {by} {order}"));
        }
        let stands_out =
            self.all > 3 && one.less.is_none() && beyond(one.order) >= high && beyond(next) <= low;
        stands_out.then(|| format!("has {by} {order}, the next {}", number(next, 3)))
    }
}
