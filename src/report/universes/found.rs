//! What the verdicts on one claim in all universes come to: how often each, what turns them, and by which choices.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use spec::{Origin, Universe, Verdict};

use super::judged::OfClaim;
use super::terms::{Terms, conjunctions, distinct, others};
use crate::counts::Counts;

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
    /// Whether it is right on all of the random ones, of which there is one at least, or was found on every combination of
    /// options that bears on the claim.
    pub exact: bool,
}

/// How often a claim has another verdict where a universe has an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turns {
    /// The option.
    pub option: (usize, usize),
    /// How often, of how many universes.
    pub with: (usize, usize),
    /// Whether seeds alone turn it as often.
    pub within_seeds: bool,
}

impl OfClaim<'_> {
    /// In how many universes it has each verdict.
    pub fn verdicts(&self, rows: &[Universe]) -> Counts<Verdict> {
        distinct(rows, |_| true).into_iter().map(|at| self.judged[at].verdict).collect()
    }

    /// How often it has each verdict in those that were drawn at random, each as often as it was drawn.
    pub fn drawn(&self, rows: &[Universe]) -> Counts<Verdict> {
        let own = rows.iter().zip(&self.judged).filter(|(row, _)| row.origin == Origin::Random);
        own.map(|(_, judged)| judged.verdict).collect()
    }

    /// Whether there is a verdict on it in a universe.
    fn known(&self, universe: usize) -> bool {
        self.judged[universe].verdict != Verdict::NoEvidence
    }

    /// Whether it has another verdict than in the chosen universe. That there is no evidence is none.
    pub fn turned(&self, universe: usize) -> bool {
        let [own, chosen] = [universe, 0].map(|at| self.judged[at].verdict);
        own != chosen && self.known(universe) && self.known(0)
    }

    /// Whether it has another verdict in some universe.
    pub fn varies(&self) -> bool {
        (0..self.judged.len()).any(|at| self.turned(at))
    }

    /// On how many other sets of repeats it has another verdict, and how many there are; none if that is not known.
    pub fn seeds(&self) -> Option<(usize, usize)> {
        let seeds = self.seeds.as_ref()?;
        let turned = seeds.iter().filter(|verdict| **verdict != self.judged[0].verdict).count();
        Some((turned, seeds.len()))
    }

    /// The universe nearest to the chosen one that turns it, the first of several, with its options that are not chosen.
    pub fn nearest_flip(&self, rows: &[Universe]) -> Option<(usize, Terms)> {
        let turned = (0..rows.len()).filter(|at| self.turned(*at));
        let others = |at| (at, others(rows, at, |choice| self.bearing.contains(&choice)));
        turned.map(others).min_by_key(|(_, others)| others.len())
    }

    /// Whether every combination of options that bears on it ran.
    fn complete(&self, rows: &[Universe], most: usize) -> bool {
        self.bearing.len() <= most || rows.iter().any(|row| row.origin == Origin::Listed)
    }

    /// Whether one universe that is not random has a verdict that no other has, and not all ran: almost any options tell it
    /// apart.
    pub fn stands_alone(&self, rows: &[Universe], most: usize) -> bool {
        let known = (0..rows.len()).filter(|at| self.known(*at));
        let (turned, kept): (Vec<_>, Vec<_>) = known.partition(|at| self.turned(*at));
        let lone = [turned, kept].into_iter().find(|own| own.len() == 1);
        lone.is_some_and(|own| rows[own[0]].origin != Origin::Random) && !self.complete(rows, most)
    }

    /// The shortest rule of at most so many options that says on all universes but random ones where its verdict is
    /// another one; of several that which is right on most of the random ones. None if there is none, if nothing turns it, or
    /// if one universe stands alone.
    pub fn rule(&self, rows: &[Universe], most: usize) -> Option<Rule> {
        if !self.varies() || self.stands_alone(rows, most) {
            return None;
        }
        let right = |terms: &Terms, side: bool, at: &usize| {
            let has = terms.iter().all(|&(choice, option)| rows[*at].options[choice] == option);
            (has == side) == self.turned(*at)
        };
        let known = (0..rows.len()).filter(|at| self.known(*at));
        let (random, covering): (Vec<usize>, Vec<usize>) =
            known.partition(|at| rows[*at].origin == Origin::Random);
        let complete = self.complete(rows, most);
        let mut best: Option<Rule> = None;
        for length in 1..=most {
            let sides = conjunctions(&self.bearing, rows, length).into_iter();
            // Where not to have an option is to have the other one, that says it.
            let one_of_two = |terms: &Terms| {
                let [(choice, _)] = terms[..] else { return false };
                rows.iter().all(|row| row.options[choice] < 2)
            };
            let sides = sides.flat_map(|terms| {
                let other = (!one_of_two(&terms)).then(|| (terms.clone(), false));
                std::iter::once((terms, true)).chain(other)
            });
            let kept =
                |(terms, side): &(Terms, bool)| covering.iter().all(|at| right(terms, *side, at));
            for (terms, turned) in sides.filter(kept) {
                let count = random.iter().filter(|at| right(&terms, turned, at)).count();
                match &mut best {
                    Some(best) if best.random.0 > count => {}
                    Some(best) if best.random.0 == count => {
                        best.others += usize::from(best.terms.len() == length);
                    }
                    _ => {
                        let random = (count, random.len());
                        let exact = complete || (count > 0 && count == random.1);
                        best = Some(Rule { terms, turned, random, others: 0, exact });
                    }
                }
            }
            if best.as_ref().is_some_and(|rule| rule.exact) {
                break;
            }
        }
        best
    }

    /// The choice that decides its verdict alone: each of its options is in several universes, and has one verdict in all
    /// of them. The first of several; none where nothing turns it.
    pub fn decided_by(&self, rows: &[Universe]) -> Option<usize> {
        let alone = |choice: &usize| {
            let mut verdicts: BTreeMap<usize, Vec<Verdict>> = BTreeMap::new();
            for (row, judged) in rows.iter().zip(&self.judged) {
                verdicts.entry(row.options[*choice]).or_default().push(judged.verdict);
            }
            verdicts.values().all(|of| of.len() > 1 && of.iter().all_equal())
        };
        self.bearing.iter().copied().find(|choice| self.varies() && alone(choice))
    }

    /// The options with which its verdict is another one, most often first.
    pub fn turns(&self, rows: &[Universe]) -> Vec<Turns> {
        let all = distinct(rows, |_| true);
        let often = |option: (usize, usize)| {
            let all = all.iter().copied();
            let with = all.filter(|at| rows[*at].options[option.0] == option.1);
            (with.clone().filter(|at| self.turned(*at)).count(), with.count())
        };
        let seeds = self.seeds();
        let mut found: Vec<Turns> = Vec::new();
        for option in conjunctions(&self.bearing, rows, 1).into_iter().flatten() {
            let with = often(option);
            let within = |(turned, n): (usize, usize)| with.0 * n <= turned * with.1;
            if with.0 > 0 && option.1 != rows[0].options[option.0] {
                let within_seeds = seeds.is_some_and(within);
                found.push(Turns { option, with, within_seeds });
            }
        }
        found.sort_by(|a, b| (b.with.0 * a.with.1).cmp(&(a.with.0 * b.with.1)));
        found
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use spec::{About, Basis, Check, ClaimSpec, Comparisons, Evidence, Strength};

    use super::super::importance::{Unweighed, importance};
    use super::*;
    use spec::Finding;

    #[derive(Debug)]
    struct Nothing;

    impl Check for Nothing {
        fn judge(&self, _: &dyn Evidence, _: &Comparisons) -> Finding {
            Finding::of(Verdict::NoEvidence, Basis::Values, "")
        }

        fn about(&self) -> About<'_> {
            About::default()
        }
    }

    fn claim() -> ClaimSpec {
        let [id, text, source] = ["c", "C", "here"].map(str::to_owned);
        ClaimSpec {
            id,
            text,
            source: source.into(),
            part: None,
            printed: None,
            check: Arc::new(Nothing),
        }
    }

    fn universe(origin: Origin, options: &[usize]) -> Universe {
        Universe { origin, options: options.to_vec() }
    }

    /// A claim that fails in these universes, with this effect there.
    fn of<'c>(
        spec: &'c ClaimSpec,
        rows: &[Universe],
        fails: impl Fn(&[usize]) -> bool,
        effect: impl Fn(usize, &[usize]) -> f64,
    ) -> OfClaim<'c> {
        let judged = |(at, row): (usize, &Universe)| {
            let verdict = if fails(&row.options) { Verdict::Fails } else { Verdict::Holds };
            let strength = Some(Strength { value: effect(at, &row.options), interval: None });
            Finding { strength, ..Finding::of(verdict, Basis::Values, "") }
        };
        let judged: Vec<Finding> = rows.iter().enumerate().map(judged).collect();
        let bearing: Vec<usize> = (0..rows[0].options.len()).collect();
        OfClaim {
            spec,
            weighed: importance(&judged, &bearing, rows),
            judged,
            bearing,
            seeds: None,
            alone: Vec::new(),
            sealed: Verdict::Holds,
            published: None,
        }
    }

    /// Every pair of options of three choices of three, and these at random.
    fn covered(random: &[[usize; 3]]) -> Vec<Universe> {
        let square = (0..9).map(|at| [at / 3, at % 3, (at / 3 + at % 3) % 3]);
        let covering = square.map(|options| universe(Origin::Covering, &options));
        covering.chain(random.iter().map(|options| universe(Origin::Random, options))).collect()
    }

    #[test]
    fn a_rule_of_two_options_and_the_nearest_flip_come_out() {
        let (spec, rows) = (claim(), covered(&[[2, 1, 1], [2, 0, 1], [0, 1, 1], [2, 1, 2]]));
        let found = of(&spec, &rows, |row| row[0] == 2 && row[1] == 1, |_, _| 0.0);
        let rule = found.rule(&rows, 2).unwrap();
        assert_eq!((&rule.terms[..], rule.turned, rule.others), (&[(0, 2), (1, 1)][..], true, 0));
        assert!(rule.exact);
        // Row 7 of the square has it with the chosen option of the third choice.
        assert_eq!(found.nearest_flip(&rows), Some((7, vec![(0, 2), (1, 1)])));
        assert_eq!(found.drawn(&rows).of(Verdict::Fails), 2);
        // The other way round: it holds there and nowhere else.
        let found = of(&spec, &rows, |row| row[2] != 0, |_, _| 0.0);
        let rule = found.rule(&rows, 2).unwrap();
        assert_eq!((&rule.terms[..], rule.turned), (&[(2, 0)][..], false));
        assert_eq!(of(&spec, &rows, |_| false, |_, _| 0.0).rule(&rows, 2), None);
    }

    #[test]
    fn of_a_rule_of_three_options_it_is_said_that_two_are_none() {
        let random = [[1, 1, 0], [1, 1, 2], [1, 0, 2], [0, 1, 2], [1, 1, 1]];
        let (spec, rows) = (claim(), covered(&random));
        // In the cover once: there two of its options say as much, and those at random refute them.
        let found = of(&spec, &rows, |row| row == [1, 1, 2], |_, _| 0.0);
        assert!(!found.rule(&rows, 2).unwrap().exact);
        // Not in the cover at all: every pair of options is there without it.
        let found = of(&spec, &rows, |row| row == [1, 1, 0], |_, _| 0.0);
        assert_eq!(found.rule(&rows, 2), None);
    }

    #[test]
    fn rules_as_right_are_counted_and_one_that_is_right_more_often_is_taken() {
        let mut rows: Vec<Universe> =
            (0..6).map(|at| universe(Origin::Covering, &[at % 2, at % 2, at / 2])).collect();
        rows.extend([[1, 0, 0], [0, 1, 0]].map(|options| universe(Origin::Random, &options)));
        let spec = claim();
        // By those that cover, each of two choices says it all.
        for choice in [0, 1] {
            let found = of(&spec, &rows, |row| row[choice] == 1, |_, _| 0.0);
            let rule = found.rule(&rows, 1).unwrap();
            assert_eq!((&rule.terms[..], rule.turned), (&[(choice, 1)][..], true));
            assert_eq!((rule.random, rule.others, rule.exact), ((2, 2), 0, true));
        }
    }

    #[test]
    fn some_options_of_one_choice_may_decide() {
        let options = (0..8).map(|at| [at % 4, at / 4]);
        let rows: Vec<Universe> =
            options.map(|options| universe(Origin::Covering, &options)).collect();
        let spec = claim();
        let found = of(&spec, &rows, |row| row[0] % 2 == 1, |_, _| 0.0);
        assert_eq!((found.rule(&rows, 2), found.decided_by(&rows)), (None, Some(0)));
        let both = of(&spec, &rows, |row| row[0] % 2 == 1 && row != [3, 1], |_, _| 0.0);
        assert_eq!(both.decided_by(&rows), None);
        assert_eq!(of(&spec, &rows, |_| false, |_, _| 0.0).decided_by(&rows), None);
    }

    #[test]
    fn a_rule_is_exact_only_where_something_checks_it() {
        let (spec, mut rows) = (claim(), covered(&[]));
        let mut found = of(&spec, &rows, |row| row[0] == 2 && row[1] == 1, |_, _| 0.0);
        assert_eq!(found.rule(&rows, 2), None, "one universe, and no random one");
        assert!(found.stands_alone(&rows, 2));
        let two = of(&spec, &rows, |row| row[0] == 2 && row[1] > 0, |_, _| 0.0);
        assert!(!two.stands_alone(&rows, 2));
        found.bearing.pop();
        assert!(found.rule(&rows, 2).unwrap().exact, "every pair of what bears on it");
        found.bearing.push(2);
        rows[1..].iter_mut().for_each(|row| row.origin = Origin::Listed);
        assert!(found.rule(&rows, 2).unwrap().exact, "all universes");
    }

    /// Normal equations in rational numbers on dummies of the options, with and without those of each choice.
    #[test]
    fn main_effects_are_those_of_least_squares() {
        let all = (0..24).filter(|at| ![5, 10, 17, 22].contains(at));
        let rows: Vec<Universe> =
            all.map(|at| universe(Origin::Covering, &[at / 12, at / 4 % 3, at % 4])).collect();
        let is = |truth: bool| f64::from(truth);
        let effect = |at: usize, row: &[usize]| {
            2.0 * is(row[0] == 1) - is(row[1] == 2)
                + 0.5 * is(row[0] == 1 && row[2] == 1)
                + 0.1 * at as f64
        };
        let spec = claim();
        let found = of(&spec, &rows, |_| false, effect).weighed.unwrap();
        assert_eq!(found.free, 13);
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-5, "{one} {other}");
        near(found.left, 0.004_239);
        let order: Vec<usize> = found.choices.iter().map(|main| main.choice).collect();
        assert_eq!(order, [0, 1, 2]);
        for (main, share) in found.choices.iter().zip([0.966_801, 0.023_260, 0.005_964]) {
            near(main.share, share);
        }
        // The same universes once more are nothing new.
        let (twice, once) = ([&rows[..], &rows].concat(), rows.len());
        let again = of(&spec, &twice, |_| false, |at, row| effect(at % once, row));
        assert_eq!(again.weighed.as_ref(), Ok(&found));
        assert_eq!(again.verdicts(&twice).total(), once);
        let weighed = |rows: &[Universe]| of(&spec, rows, |_| false, |_, _| 1.0).weighed;
        assert_eq!(weighed(&rows), Err(Unweighed::Same));
        // Rounding alone, of values near 1 and of what nearly vanishes.
        for base in [1.0, 1e-9] {
            let noise = |at: usize, _: &[usize]| base + 4e-13 * (at % 2) as f64;
            assert_eq!(of(&spec, &rows, |_| false, noise).weighed, Err(Unweighed::Same));
        }
        // The options that are not chosen are two and three.
        assert_eq!(weighed(&rows[..8]), Err(Unweighed::TooFew(8, 11)));
        // Six of six: no sample, so fewer will do.
        let six: Vec<Universe> =
            (0..6).map(|at| universe(Origin::Listed, &[at / 3, at % 3])).collect();
        let whole = of(&spec, &six, |_| false, |_, row| (row[0] * 3 + row[1]) as f64);
        assert_eq!(whole.weighed.unwrap().free, 2);
        let part = of(&spec, &six[..5], |_| false, |_, row| (row[0] * 3 + row[1]) as f64);
        assert_eq!(part.weighed, Err(Unweighed::TooFew(5, 7)));
        let mut none = of(&spec, &rows, |_| false, |_, _| 1.0);
        none.judged.iter_mut().for_each(|judged| judged.strength = None);
        let none = importance(&none.judged, &none.bearing, &rows);
        assert_eq!(none, Err(Unweighed::Unknown));
    }

    #[test]
    fn what_turns_no_more_often_than_seeds_is_within_them() {
        let (spec, rows) = (claim(), covered(&[]));
        let mut found = of(&spec, &rows, |row| row[0] == 2 || row == [1, 1, 2], |_, _| 0.0);
        let of_option = |found: &OfClaim<'_>, option| {
            let turns = found.turns(&rows);
            turns.into_iter().find(|turns| turns.option == option).unwrap()
        };
        let one = of_option(&found, (0, 1));
        assert_eq!((one.with, one.within_seeds), ((1, 3), false));
        found.seeds = Some(vec![Verdict::Holds, Verdict::Fails, Verdict::Holds]);
        assert!(of_option(&found, (0, 1)).within_seeds, "one of three, as seeds do");
        assert!(!of_option(&found, (0, 2)).within_seeds, "three of three");
    }
}
