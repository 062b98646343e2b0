//! Options of choices, by their places in an experiment file.

use std::collections::BTreeSet;

use spec::Universe;

/// Options of choices, by their places.
pub type Terms = Vec<(usize, usize)>;

/// The options of a universe that are not the chosen ones, of the choices that count.
pub fn others(rows: &[Universe], at: usize, counts: impl Fn(usize) -> bool) -> Terms {
    let both = rows[at].options.iter().zip(&rows[0].options).enumerate();
    let both = both.filter(|(choice, (own, chosen))| own != chosen && counts(*choice));
    both.map(|(choice, (own, _))| (choice, *own)).collect()
}

/// Every combination of options of so many of these choices that some universe may have.
pub fn conjunctions(choices: &[usize], rows: &[Universe], length: usize) -> Vec<Terms> {
    spec::conjunctions(choices.iter().map(|choice| (*choice, size(*choice, rows))), length)
}

/// How many options of a choice some universe may have.
pub fn size(choice: usize, rows: &[Universe]) -> usize {
    1 + rows.iter().map(|row| row.options[choice]).max().unwrap_or(0)
}

/// The first universe with each combination of options of the choices that count. Another one with the same is the same
/// again, as those drawn at random may be.
pub fn distinct(rows: &[Universe], counts: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    let own = |at: &usize| -> Vec<usize> {
        let options = rows[*at].options.iter().enumerate();
        options.filter(|(choice, _)| counts(*choice)).map(|(_, option)| *option).collect()
    };
    (0..rows.len()).filter(|at| seen.insert(own(at))).collect()
}
