//! Which choices what a claim's verdict hangs on varies with: main effects by least squares.

use math::decimal::significant;
use math::vector::{add_scaled, dot};
use spec::{Finding, Universe};

use super::terms::{Terms, conjunctions, distinct, size};

/// How much of what an effect varies is a choice's.
#[derive(Debug, Clone, PartialEq)]
pub struct Main {
    /// The choice, by its place.
    pub choice: usize,
    /// The share of the sum of squares that only it explains.
    pub share: f64,
}

/// Main effects by least squares.
#[derive(Debug, Clone, PartialEq)]
pub struct Importance {
    /// Of the choices that bear on the claim, most first.
    pub choices: Vec<Main>,
    /// The share of the sum of squares that they leave.
    pub left: f64,
    /// How many of them are left when all effects are known: degrees of freedom.
    pub free: usize,
}

/// Why no main effects are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unweighed {
    /// It is known in no universe.
    #[error("no number says how far it is from turning")]
    Unknown,
    /// With so many combinations of what bears on it the effect is known, and so many are asked for.
    #[error(
        "{0} combinations of options that bear on it give it an effect, and shares of these options take {1}"
    )]
    TooFew(usize, usize),
    /// It does not vary.
    #[error("its effect is the same in all universes")]
    Same,
    /// No choice has a larger share than all others.
    #[error("several choices weigh alike")]
    Alike,
}

/// Main effects have to leave as many degrees of freedom as they take, or this many, unless every combination ran: with fewer,
/// shares are those of chance.
const ENOUGH_FREE: usize = 10;

/// Main effects of the choices on what the verdict on a claim hangs on, over the combinations of options that bear on it
/// where that is known, each once.
///
/// # Errors
/// It does not vary, or they are too few.
pub(super) fn importance(
    judged: &[Finding],
    bearing: &[usize],
    rows: &[Universe],
) -> Result<Importance, Unweighed> {
    let known = |at: &usize| judged[*at].strength.is_some();
    let all = distinct(rows, |choice| bearing.contains(&choice)).into_iter();
    let places: Vec<usize> = all.filter(known).collect();
    let y: Vec<f64> = places.iter().filter_map(|at| Some(judged[*at].strength?.value)).collect();
    let column = |&(choice, option): &(usize, usize)| {
        let has = |at: &usize| f64::from(rows[*at].options[choice] == option);
        places.iter().map(has).collect::<Vec<f64>>()
    };
    let all = conjunctions(bearing, rows, 1).into_iter().flatten();
    let options: Terms =
        all.filter(|(choice, option)| rows[0].options[*choice] != *option).collect();
    let columns: Vec<Vec<f64>> = options.iter().map(column).collect();
    if places.is_empty() {
        return Err(Unweighed::Unknown);
    }
    let least = columns.len() + 1 + columns.len().min(ENOUGH_FREE);
    // Of all combinations they are no sample.
    let all: usize = bearing.iter().map(|choice| size(*choice, rows)).product();
    if places.len() < least && places.len() < all {
        return Err(Unweighed::TooFew(places.len(), least));
    }
    let fit = |without: &dyn Fn(usize) -> bool| {
        let mut space = Space::new(places.len());
        let kept = (0..columns.len()).filter(|at| !without(*at));
        kept.for_each(|at| space.add(&columns[at]));
        space
    };
    let squares = |space: &Space| {
        let rest = space.rest(&y);
        dot(&rest, &rest)
    };
    let total = squares(&Space::new(places.len()));
    let space = fit(&|_| false);
    let (whole, free) = (squares(&space), places.len() - space.0.len());
    let end = |least: fn(f64, f64) -> f64| y.iter().copied().reduce(least).unwrap_or_default();
    let (low, high) = (end(f64::min), end(f64::max));
    if high - low <= NOTHING * low.abs().max(high.abs()).max(1.0) {
        return Err(Unweighed::Same);
    }
    let share = |squares: f64| significant((squares / total).max(0.0), 6);
    let main = |choice: &usize| {
        let without = fit(&|at| options[at].0 == *choice);
        Main { choice: *choice, share: share(squares(&without) - whole) }
    };
    let mut choices: Vec<Main> = bearing.iter().map(main).collect();
    choices.sort_by(|a, b| b.share.total_cmp(&a.share));
    Ok(Importance { choices, left: share(whole), free })
}

/// A sum of squares, or a difference beside what is near 1 or larger, that is none.
const NOTHING: f64 = 1e-9;

/// What columns span, as orthonormal vectors; the constant is among them.
struct Space(Vec<Vec<f64>>);

impl Space {
    fn new(n: usize) -> Self {
        let mut space = Self(Vec::new());
        space.add(&vec![1.0; n]);
        space
    }

    /// What is left of values, projected twice for its last digits.
    fn rest(&self, values: &[f64]) -> Vec<f64> {
        let mut rest = values.to_vec();
        for _ in 0..2 {
            for unit in &self.0 {
                let along = dot(unit, &rest);
                add_scaled(&mut rest, -along, unit);
            }
        }
        rest
    }

    /// Adds a column, unless it is spanned already.
    fn add(&mut self, column: &[f64]) {
        let mut rest = self.rest(column);
        let squares = dot(&rest, &rest);
        if squares > NOTHING {
            rest.iter_mut().for_each(|value| *value /= squares.sqrt());
            self.0.push(rest);
        }
    }
}
