//! What is suspicious of a dataset: it may be a leak, and may have honest reasons.

use base::text::first_of;
use base::words::Worded as _;
use contract::Metric;
use itertools::Itertools as _;
use run::Record;
use spec::Accepted;
use task::chance::MAJORITY_SHARE;
use task::columns::{Alone, Columns, Mark};
use task::metrics::TRAIN_EXAMPLES;
use task::overlap::{AGREEING, AGREEMENT, BETWEEN, CLOSE, EARLIER, IN_FILE, REPEATS};
use task::regression::R2;

use super::{Leak, percent};
use crate::tested::number;

/// A column that orders the classes so well tells all of them.
const ORDERS: f64 = 0.99;
/// A column that reaches the best method takes away so much of what chance leaves, at least,
const TELLS: f64 = 0.75;
/// and so much of what the best method does.
const REACHES: f64 = 0.95;
/// Where half of the columns tell so much of what one does, the task is an easy one.
const NEARLY: f64 = 0.9;
/// A few columns that order so well, where all others are so much better than chance as the best could be, may be what is to be
/// predicted.
const STANDS_OUT: [f64; 2] = [0.9, 0.6];
/// Those are fewer than one in so many.
const FEW: usize = 3;
/// Labels differ so much more among the next rows than among the nearest few.
const DIFFER: f64 = 0.1;
/// An R² above this leaves nothing to learn.
const EXACT: f64 = 0.9995;
/// So many columns of a finding are named.
const NAMED: usize = 5;

/// A metric, from which value on it is suspicious, and what is said of it.
type Rule = (&'static Metric, f64, Leak, fn(f64) -> String);

static RULES: [Rule; 5] = [
    (&IN_FILE, 0.15, Leak::Sequence, |_| {
        "labels agree between rows that stand near each other in the file, and hardly between rows that are alike and stand far off: rows in time, or of one person after another? name the `time` or the `group`".to_owned()
    }),
    (&EARLIER, f64::MIN_POSITIVE, Leak::Earlier, |share| {
        format!(
            "{} % of the test rows are earlier than a training row: split by `time`",
            percent(share)
        )
    }),
    // On a line one of nine is by chance.
    (&CLOSE, 0.2, Leak::Close, |share| {
        format!(
            "{} % of the test rows have training rows far nearer than the next: are they copies with noise, or rows of one thing? drop them, or name the `group`",
            percent(share)
        )
    }),
    // Of 42 tables without made rows none had one in a hundred.
    (&BETWEEN, 0.05, Leak::Between, |share| {
        format!(
            "{} % of the test rows lie between two training rows, on the line: were they made of these, as SMOTE does? make rows of the training rows alone",
            percent(share)
        )
    }),
    (&REPEATS, 2.0, Leak::Repeats, |times| {
        format!(
            "{} times as many rows stand more than once as chance gives: were rows copied? drop the copies, or name the `group`",
            number(times, 2)
        )
    }),
];

/// What a mark may be a sign of.
fn sign(mark: Mark) -> Leak {
    match mark {
        Mark::Identifies => Leak::Identifies,
        Mark::Encoded => Leak::Encoded,
        Mark::Filled | Mark::Averaged => Leak::Filled,
        Mark::Groups => Leak::Clusters,
        Mark::Scaled => Leak::Scaled,
        Mark::Selected => Leak::Selected,
        Mark::Multiplied => Leak::Exact,
        Mark::Computed => Leak::Computed,
        Mark::Missing => Leak::Missing,
        Mark::Interpolated => Leak::Between,
    }
}

/// What may be suspicious of a dataset.
#[derive(Debug, Clone, Default)]
pub(super) struct Suspects {
    /// What is, by its rows.
    found: Vec<(Leak, String)>,
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
        let groups = of(&AGREEMENT).filter(|differ| *differ >= DIFFER).zip(of(&AGREEING));
        let groups = groups.map(|(differ, few)| {
            let what = format!(
                "labels agree among the nearest {} training rows, and differ by {} more among the next than distances explain: whose rows are they? name the `group`",
                few.round(),
                number(differ, 2)
            );
            (Leak::Clusters, what)
        });
        let rule = |(metric, least, leak, said): &Rule| {
            Some((*leak, said(of(metric).filter(|value| value >= least)?)))
        };
        Self {
            found: groups.into_iter().chain(RULES.iter().filter_map(rule)).collect(),
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
        for (_, mark, what) in Mark::WORDS.0 {
            let marked = self.columns.iter().filter(|one| one.marks.contains(mark));
            let marked: Vec<&Alone> = marked.filter(|one| !accepted(one)).collect();
            let those = first_of(marked.iter().map(|one| format!("`{}`", one.column)), NAMED, ", ");
            let noun = if marked.len() > NAMED { "columns" } else { "column" };
            if !marked.is_empty() {
                suspect(sign(*mark), format!("{noun} {those}: {what}"));
            }
        }
        self.found.iter().for_each(|(leak, what)| suspect(*leak, what.clone()));
        if let Some(best) = best.filter(|best| *scored == R2 && *best > EXACT) {
            let what =
                format!("a method has R² {}: do columns add up to the target?", number(best, 6));
            suspect(Leak::Exact, what);
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
        let [high, low] = STANDS_OUT;
        let single = self.columns.iter().filter(|other| other.less.is_none());
        let (out, others): (Vec<f64>, Vec<f64>) =
            single.map(|other| other.order).partition(|order| *order >= high);
        let order = number(one.order, 3);
        if self.all > 1 && one.order > ORDERS {
            return Some(format!("has {by} {order}"));
        }
        // Of many columns those that tell less are not known.
        let next = others.into_iter().reduce(f64::max).filter(|next| beyond(*next) <= low)?;
        let stands_out = one.less.is_none() && one.order >= high && FEW * out.len() < self.all;
        stands_out.then(|| format!("has {by} {order}, other columns {} at most", number(next, 3)))
    }
}
