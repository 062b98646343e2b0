//! What the verdicts on one claim in all universes come to: how often each, what turns them, and by which choices.

use std::collections::BTreeMap;

use math::decimal::significant;
use math::vector::{add_scaled, dot};
use spec::{Origin, Universe, Verdict};

use super::OfClaim;

/// Options of choices, by their places.
pub type Terms = Vec<(usize, usize)>;

/// Where a claim has another verdict than in the chosen universe.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The options that a universe has to have.
    pub terms: Terms,
    /// Whether the verdict is another one where it has them; else where it has not.
    pub turned: bool,
    /// On how many of the universes drawn at random it is right, and how many there are.
    pub random: (usize, usize),
    /// How many others are as short and right as often.
    pub others: usize,
}

impl Rule {
    /// Whether it is right wherever the claim was judged.
    pub fn exact(&self) -> bool {
        self.random.0 == self.random.1
    }
}

/// How much of what an effect varies is a choice's.
#[derive(Debug, Clone, PartialEq)]
pub struct Main {
    /// The choice, by its place.
    pub choice: usize,
    /// The share of the sum of squares that only it explains.
    pub share: f64,
    /// By how much each of its options moves the effect from the chosen one's; none where that is confounded.
    pub moves: Vec<(usize, Option<f64>)>,
}

/// Main effects by least squares.
#[derive(Debug, Clone, PartialEq)]
pub struct Importance {
    /// Of the choices that bear on the claim, most first.
    pub choices: Vec<Main>,
    /// The share of the sum of squares that they leave.
    pub left: f64,
    /// Over so many universes.
    pub n: usize,
}

/// How often a claim has another verdict where a universe has an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turns {
    /// The option.
    pub option: (usize, usize),
    /// How often, of how many universes.
    pub with: (usize, usize),
    /// The same of those with the chosen option of its choice.
    pub chosen: (usize, usize),
    /// Whether seeds alone turn it as often.
    pub within_seeds: bool,
}

impl OfClaim<'_> {
    /// How often it has each verdict in universes that count.
    pub fn counts(
        &self,
        rows: &[Universe],
        count: impl Fn(Origin) -> bool,
    ) -> BTreeMap<Verdict, usize> {
        let mut counts = BTreeMap::new();
        for (_, judged) in rows.iter().zip(&self.judged).filter(|(row, _)| count(row.origin)) {
            *counts.entry(judged.verdict).or_default() += 1;
        }
        counts
    }

    /// Whether it has another verdict than in the chosen universe.
    pub fn turned(&self, universe: usize) -> bool {
        self.judged[universe].verdict != self.judged[0].verdict
    }

    /// On how many single repeats it has another verdict, and how many there are; none if that is not known.
    pub fn seeds(&self) -> Option<(usize, usize)> {
        let seeds = self.seeds.as_ref()?;
        let turned = seeds.iter().filter(|verdict| **verdict != self.judged[0].verdict).count();
        Some((turned, seeds.len()))
    }

    /// The universe nearest to the chosen one that turns it, the first of several, with its options that are not chosen.
    pub fn nearest_flip(&self, rows: &[Universe]) -> Option<(usize, Terms)> {
        let others = |row: &Universe| -> Terms {
            let both = row.options.iter().zip(&rows[0].options).enumerate();
            let both = both
                .filter(|(choice, (own, chosen))| own != chosen && self.bearing.contains(choice));
            both.map(|(choice, (own, _))| (choice, *own)).collect()
        };
        let turned = rows.iter().enumerate().filter(|(at, _)| self.turned(*at));
        turned.map(|(at, row)| (at, others(row))).min_by_key(|(_, others)| others.len())
    }

    /// The shortest rule of at most so many options that says on all universes but random ones where its verdict is
    /// another one; of several that which is right on most of the random ones. None if there is none, or nothing turns it.
    pub fn rule(&self, rows: &[Universe], most: usize) -> Option<Rule> {
        let turned: Vec<bool> = (0..rows.len()).map(|at| self.turned(at)).collect();
        if !turned.contains(&true) {
            return None;
        }
        let mut best: Option<Rule> = None;
        for length in 1..=most {
            for terms in conjunctions(&self.bearing, rows, length) {
                for side in [true, false] {
                    let right = |at: usize| {
                        let has = terms.iter().all(|&(c, o)| rows[at].options[c] == o);
                        (has == side) == turned[at]
                    };
                    let of = |random: bool| {
                        let places = 0..rows.len();
                        places.filter(move |at| (rows[*at].origin == Origin::Random) == random)
                    };
                    if !of(false).all(right) {
                        continue;
                    }
                    let random = (of(true).filter(|at| right(*at)).count(), of(true).count());
                    match &mut best {
                        Some(best) if best.random.0 > random.0 => {}
                        Some(best) if best.random.0 == random.0 => {
                            best.others += usize::from(best.terms.len() == length);
                        }
                        _ => {
                            best =
                                Some(Rule { terms: terms.clone(), turned: side, random, others: 0 })
                        }
                    }
                }
            }
            if best.as_ref().is_some_and(Rule::exact) {
                break;
            }
        }
        best
    }

    /// The options with which its verdict is another one, most often first.
    pub fn turns(&self, rows: &[Universe]) -> Vec<Turns> {
        let often = |option: (usize, usize)| {
            let with = (0..rows.len()).filter(|at| rows[*at].options[option.0] == option.1);
            (with.clone().filter(|at| self.turned(*at)).count(), with.count())
        };
        let seeds = self.seeds();
        let mut found: Vec<Turns> = Vec::new();
        for option in conjunctions(&self.bearing, rows, 1).into_iter().flatten() {
            let (with, chosen) = (often(option), often((option.0, rows[0].options[option.0])));
            let within = |(turned, n): (usize, usize)| with.0 * n <= turned * with.1;
            if with.0 > 0 && option.1 != rows[0].options[option.0] {
                let within_seeds = seeds.is_some_and(within);
                found.push(Turns { option, with, chosen, within_seeds });
            }
        }
        found.sort_by(|a, b| (b.with.0 * a.with.1).cmp(&(a.with.0 * b.with.1)));
        found
    }

    /// Main effects of the choices on what its verdict hangs on, over the universes where that is known; none where it
    /// does not vary, or they are too few.
    pub fn importance(&self, rows: &[Universe]) -> Option<Importance> {
        let known = |at: &usize| self.judged[*at].strength.is_some();
        let places: Vec<usize> = (0..rows.len()).filter(known).collect();
        let y = places.iter().filter_map(|at| Some(self.judged[*at].strength?.value)).collect();
        let column = |&(choice, option): &(usize, usize)| {
            let has = |at: &usize| f64::from(u8::from(rows[*at].options[choice] == option));
            places.iter().map(has).collect::<Vec<f64>>()
        };
        let all = conjunctions(&self.bearing, rows, 1).into_iter().flatten();
        let options: Terms =
            all.filter(|(choice, option)| rows[0].options[*choice] != *option).collect();
        let columns: Vec<Vec<f64>> = options.iter().map(column).collect();
        if places.len() < columns.len() + 2 {
            return None;
        }
        let fit = |without: &dyn Fn(usize) -> bool| {
            let mut space = Space::new(places.len());
            let kept = (0..columns.len()).filter(|at| !without(*at));
            kept.for_each(|at| space.add(&columns[at]));
            space
        };
        let rest = |space: &Space, values: &Vec<f64>| {
            let rest = space.rest(values);
            (dot(&rest, &rest), rest)
        };
        let total = rest(&Space::new(places.len()), &y).0;
        let (whole, _) = rest(&fit(&|_| false), &y);
        if total <= 0.0 {
            return None;
        }
        let share = |squares: f64| significant((squares / total).max(0.0), 6);
        let moves = |at: usize| {
            let (squares, alone) = rest(&fit(&|other| other == at), &columns[at]);
            (squares > NOTHING).then(|| significant(dot(&alone, &y) / squares, 9))
        };
        let main = |choice: &usize| {
            let own = |at: usize| options[at].0 == *choice;
            let places = (0..options.len()).filter(|at| own(*at));
            Main {
                choice: *choice,
                share: share(rest(&fit(&own), &y).0 - whole),
                moves: places.map(|at| (options[at].1, moves(at))).collect(),
            }
        };
        let mut choices: Vec<Main> = self.bearing.iter().map(main).collect();
        choices.sort_by(|a, b| b.share.total_cmp(&a.share));
        Some(Importance { choices, left: share(whole), n: places.len() })
    }
}

/// Every combination of options of so many of these choices that some universe may have.
fn conjunctions(choices: &[usize], rows: &[Universe], length: usize) -> Vec<Terms> {
    let mut found: Vec<Terms> = vec![Vec::new()];
    for &choice in choices {
        let options = 1 + rows.iter().map(|row| row.options[choice]).max().unwrap_or(0);
        let longer = found.iter().filter(|terms| terms.len() < length).flat_map(|terms| {
            (0..options).map(move |option| [&terms[..], &[(choice, option)]].concat())
        });
        let longer: Vec<Terms> = longer.collect();
        found.extend(longer);
    }
    found.retain(|terms| terms.len() == length);
    found
}

/// A sum of squares that is none.
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
