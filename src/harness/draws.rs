//! Fresh draws of trials beside the sealed ones: whether both are of one distribution. If they are, each pair may as well be
//! the other way round, whatever its split is: every test here rests on that alone.

use std::collections::BTreeMap;

use base::digest::FieldHasher;
use math::random::Random;
use math::sample::mean;
use run::Trial;
use run::record::{Configuration, point};
use stats::{StatsError, Zeros, wilcoxon_signed_rank};

/// The level at which fresh draws refute sealed ones, over all tests of a folder (Holm).
pub(super) const ALPHA: f64 = 0.01;
/// How many times pairs are turned round at random, where no table has the distribution.
const TURNS: usize = 9_999;
/// As soon as so many of them are as extreme as what was found, that is no finding.
const ORDINARY: usize = 200;

/// Sealed values with fresh ones of the same trials, by what has one distribution but for its splits.
#[derive(Debug, Default)]
pub(super) struct Draws(BTreeMap<(Configuration, String), Vec<[f64; 2]>>);

/// What one test says of draws.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said {
    /// The question.
    pub of: Question,
    /// The p-value.
    pub p: f64,
    /// The smallest that so many draws can have.
    pub least: f64,
}

/// In what draws may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// Where they lie, all together: Wilcoxon's signed-rank test.
    Shift,
    /// Where they lie on each data set and at each setting, so that shifts do not cancel: the sum of squared sums.
    ShiftOfEach,
    /// How far they lie from the middle of their data set and setting: Wilcoxon's signed-rank test.
    Spread,
}

impl Question {
    /// What is said where it shows a difference.
    pub fn refuted(self) -> &'static str {
        match self {
            Self::Shift => "are of another distribution",
            Self::ShiftOfEach => {
                "are of other distributions on single data sets or at single settings"
            }
            Self::Spread => "spread otherwise",
        }
    }

    /// What is said where it shows none.
    pub fn kept(self) -> &'static str {
        match self {
            Self::Shift => "no shift",
            Self::ShiftOfEach => "none on single data sets or at single settings",
            Self::Spread => "no other spread",
        }
    }
}

impl Draws {
    /// Adds a pair.
    pub fn add(&mut self, trial: &Trial, sealed: f64, fresh: f64) {
        let setting = point(trial.sweep.iter().chain(&trial.grid));
        let of = (trial.configuration.clone(), setting);
        self.0.entry(of).or_default().push([sealed, fresh]);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// Whether some moved: what never moves says nothing of a distribution.
    pub fn move_at_all(&self) -> bool {
        self.0.values().flatten().any(|[sealed, fresh]| sealed != fresh)
    }

    /// What tests say of them, each at best at this p-value; the first is that of a shift.
    ///
    /// # Errors
    /// If they are not finite numbers.
    pub fn tested(&self, least: f64) -> Result<Vec<Said>, StatsError> {
        let shifts: Vec<Vec<f64>> = self.0.values().map(|pairs| minus(pairs)).collect();
        let mut said = vec![wilcoxon(Question::Shift, &shifts.concat())?];
        if shifts.iter().filter(|group| group.len() > 1).count() > 1 {
            said.push(each(&shifts, least));
        }
        let spreads: Vec<f64> = self.0.values().flat_map(|pairs| further(pairs)).collect();
        if spreads.iter().any(|further| *further != 0.0) {
            said.push(wilcoxon(Question::Spread, &spreads)?);
        }
        Ok(said)
    }
}

/// Fresh values minus sealed ones.
fn minus(pairs: &[[f64; 2]]) -> Vec<f64> {
    pairs.iter().map(|[sealed, fresh]| fresh - sealed).collect()
}

/// How much further the fresh value of each pair lies from the middle of all, which stays where it is if a pair turns round.
fn further(pairs: &[[f64; 2]]) -> Vec<f64> {
    let middle = mean(pairs.as_flattened());
    pairs.iter().map(|[sealed, fresh]| (fresh - middle).abs() - (sealed - middle).abs()).collect()
}

/// How probable one of the ways is to turn so many pairs round.
fn one_of_ways(pairs: usize) -> f64 {
    1.0 / (1_u64 << pairs.min(63)) as f64
}

fn wilcoxon(of: Question, differences: &[f64]) -> Result<Said, StatsError> {
    let exact = differences.len() <= stats::EXACT_MOST;
    let test = wilcoxon_signed_rank(differences, exact, Zeros::Drop, false)?;
    // They all have one sign.
    let least = one_of_ways(test.n.max(1) - 1);
    Ok(Said { of, p: test.p, least })
}

/// By turning pairs round at random: how often the sum over groups of their squared sums, each in units of its squares, is as
/// large.
fn each(groups: &[Vec<f64>], least: f64) -> Said {
    let groups = groups.iter().filter(|group| group.iter().any(|shift| *shift != 0.0));
    let groups: Vec<(&Vec<f64>, f64)> =
        groups.map(|group| (group, group.iter().map(|shift| shift * shift).sum())).collect();
    let large = |turned: &mut dyn FnMut(f64) -> f64| -> f64 {
        let of = |(group, squares): &(&Vec<f64>, f64)| {
            let sum: f64 = group.iter().map(|shift| turned(*shift)).sum();
            sum * sum / squares
        };
        groups.iter().map(of).sum()
    };
    let found = large(&mut |shift| shift) * (1.0 - 1e-9);
    let moved = groups.iter().flat_map(|(group, _)| group.iter()).filter(|shift| **shift != 0.0);
    let smallest = one_of_ways(moved.count() - groups.len());
    let turns = TURNS.max((2.0 / least).ceil() as usize);
    let mut random = Random::new(FieldHasher::new("draws").number(turns as u64).finish());
    let (mut as_large, mut turned) = (0, 0);
    while turned < turns && as_large < ORDINARY {
        let (mut bits, mut left) = (0, 0);
        let mut turn = |shift: f64| {
            if left == 0 {
                (bits, left) = (random.word(), 64);
            }
            let side = if bits & 1 == 0 { shift } else { -shift };
            (bits, left) = (bits >> 1, left - 1);
            side
        };
        as_large += usize::from(large(&mut turn) >= found);
        turned += 1;
    }
    let p = (as_large + 1) as f64 / (turned + 1) as f64;
    Said { of: Question::ShiftOfEach, p, least: smallest }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use run::Setup;

    use super::*;

    /// Of two data sets, in turn.
    fn draws(pairs: impl Iterator<Item = [f64; 2]>) -> Draws {
        let mut draws = Draws::default();
        for (at, [sealed, fresh]) in pairs.enumerate() {
            let dataset = ["a", "b"][at % 2].into();
            let configuration = Configuration { dataset, ..Configuration::default() };
            let setup = Arc::new(Setup { configuration, ..Setup::default() });
            let (key, seed) = Default::default();
            draws.add(&Trial { key, seed, repeat: 0, fold: 0, setup }, sealed, fresh);
        }
        draws
    }

    fn p(pairs: impl Iterator<Item = [f64; 2]>) -> Vec<f64> {
        draws(pairs).tested(1e-3).unwrap().iter().map(|said| said.p).collect()
    }

    #[test]
    fn shifts_that_cancel_and_spreads_that_shrank_show() {
        let cancel = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
        let of = |forge: &dyn Fn(usize, [f64; 2]) -> [f64; 2]| {
            let mut random = Random::new(base::digest::Digest::of(b"honest draws"));
            p((0..40)
                .map(|at| forge(at, [random.normal(), random.normal()].map(|draw| draw / 2.0))))
        };
        assert!(of(&|_, pair| pair).iter().all(|p| *p > 0.05));
        let [shift, of_each, _] = of(&|at, [s, f]| [s + cancel(at), f])[..] else { panic!() };
        assert!(shift > 0.5 && of_each < 1e-3, "{shift} {of_each}");
        let [_, _, spread] = of(&|_, [_, f]| [0.0, f])[..] else { panic!() };
        assert!(spread < 1e-6, "{spread}");
        let [shift, ..] = of(&|_, [s, f]| [s + 1.0, f])[..] else { panic!() };
        assert!(shift < 1e-6, "{shift}");
    }

    #[test]
    fn turning_pairs_round_agrees_with_all_ways_of_it() {
        let shifts = [vec![3.0, 1.0, -2.0, 4.0, 2.5], vec![-1.0, -5.0, -2.0, 0.5]];
        let large = |turned: u32| {
            let mut at = 0;
            let groups = shifts.iter().map(|group| {
                let sum: f64 = group
                    .iter()
                    .map(|shift| {
                        at += 1;
                        if turned >> (at - 1) & 1 == 1 { -shift } else { *shift }
                    })
                    .sum();
                sum * sum / group.iter().map(|shift| shift * shift).sum::<f64>()
            });
            groups.sum::<f64>()
        };
        let ways = 1 << 9;
        let exact = (0..ways).filter(|way| large(*way) >= large(0) - 1e-9).count();
        let said = each(&shifts, 1e-3);
        let exact = exact as f64 / f64::from(ways);
        assert!((said.p - exact).abs() < 0.25 * exact, "{} {exact}", said.p);
        assert_eq!(said.least, 1.0 / 128.0);
    }
}
