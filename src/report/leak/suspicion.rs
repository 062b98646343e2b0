//! What is suspicious of a dataset: it may be a leak, and may have honest reasons.

use contract::Metric;
use run::Record;
use spec::Accepted;
use task::chance::MAJORITY_SHARE;
use task::columns::{Alone, Columns};
use task::metrics::TRAIN_EXAMPLES;
use task::overlap::{TIGHT, TIGHT_ALIKE};

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
/// So many of the test examples stand in tight clusters,
const IN_CLUSTERS: f64 = 0.1;
/// in which labels agree so much more than outside.
const AGREE: f64 = 0.2;

/// What is suspicious.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suspicion {
    pub leak: Leak,
    /// What was seen, and what to do.
    pub what: String,
}

/// What may be suspicious of a dataset.
#[derive(Debug, Clone, Default)]
pub(super) struct Suspects {
    tight: Option<f64>,
    alike: Option<f64>,
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
            let same: Vec<&Alone> = same.filter(|other| other.column == one.column).collect();
            let of = |value: fn(&Alone) -> f64| {
                same.iter().map(|one| value(one)).sum::<f64>() / all.len() as f64
            };
            let mean =
                Alone { score: of(|one| one.score), order: of(|one| one.order), ..one.clone() };
            (same.len() == all.len()).then_some(mean)
        };
        let first = all.first().map_or(&[][..], |columns| &columns.most);
        Self {
            tight: of(&TIGHT),
            alike: of(&TIGHT_ALIKE),
            chance: of(&MAJORITY_SHARE).unwrap_or(0.0),
            train: of(&TRAIN_EXAMPLES),
            all: all.first().map_or(0, |columns| columns.all),
            columns: first.iter().filter_map(mean).collect(),
        }
    }

    /// What is suspicious, where the best method scores this; columns that are accepted are not.
    pub fn found(&self, best: Option<f64>, accept: &[Accepted]) -> Vec<Suspicion> {
        let mut found = Vec::new();
        let mut suspect = |leak, what: String| found.push(Suspicion { leak, what });
        let accepted = |one: &Alone| accept.iter().any(|accepted| *accepted.column == one.column);
        for one in self.columns.iter().filter(|one| !accepted(one)) {
            if let Some(tells) = self.tells(one, best) {
                suspect(Leak::Column, format!("column `{}` alone {tells}", one.column));
            }
            if one.identifies {
                let what = format!("column `{}` says which row it is", one.column);
                suspect(Leak::Identifies, what);
            }
        }
        if let (Some(tight), Some(alike)) = (self.tight, self.alike)
            && tight >= IN_CLUSTERS
            && alike >= AGREE
        {
            let share = number(100.0 * tight, 2);
            suspect(
                Leak::Clusters,
                format!(
                    "{share} % of the test rows stand in a small cluster with training rows, and their labels agree there: whose rows are they? name the `group`"
                ),
            );
        }
        if let Some(train) = self.train.filter(|train| self.all as f64 > *train) {
            let (all, train) = (self.all, number(train, 6));
            suspect(Leak::Wide, format!("{all} columns, {train} training rows"));
        }
        found
    }

    /// What a column tells, if it is too much.
    fn tells(&self, one: &Alone, best: Option<f64>) -> Option<String> {
        let (best, left) = (best?, 1.0 - self.chance);
        let told = |score: f64| if left > 0.0 { (score - self.chance) / left } else { 0.0 };
        let own = told(one.score);
        let nearly = |other: &&Alone| told(other.score) >= NEARLY * own;
        let nearly = self.columns.iter().filter(nearly).count();
        if nearly > 1 && 2 * nearly >= self.all {
            return None;
        }
        // Of two columns one is usually the better, and does what both do.
        if self.all > 2 && own >= TELLS && own >= REACHES * told(best) {
            let (own, best) = (number(one.score, 3), number(best, 3));
            return Some(format!("scores {own}, the best method {best}"));
        }
        let order = number(one.order, 3);
        (self.all > 1 && one.order > ORDERS)
            .then(|| format!("orders the classes with an AUC of {order}"))
    }
}
