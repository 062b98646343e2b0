//! Statements that a test decides: shown, refuted, or neither.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use contract::{DatasetId, MethodId};
use spec::{
    Basis, Behind, Comparison, Comparisons, CouldShow, Finding, HowMany, Lack, PairBy, Phrase,
    Size, Strength, TestSpec, Verdict,
};
use stats::{Effect, Measure, POWER, StatsError};

use super::measured::Measured;
use super::reading::{number, size_text};
use super::statement::{Items, Statement, Tally, named};
use crate::significance::oriented;

const DEPENDENT: &str = "no test is known that heeds how its values depend on each other";

/// A test at a level, on one basis.
pub(super) struct ByTest<'a> {
    measured: &'a Measured<'a>,
    comparisons: &'a Comparisons,
    /// Its id.
    test: &'a str,
    /// Its level, of both sides together.
    alpha: f64,
    /// At which p-values the statement is shown, and its opposite.
    levels: [f64; 2],
    /// An advantage up to this does not matter, in the metric's unit.
    matters: f64,
    asserted: Asserted,
}

/// What is to be shown of a difference.
#[derive(Clone, Copy)]
pub(super) enum Asserted {
    /// That it is an advantage, and larger than what does not matter.
    Better,
    /// That there is one.
    Differ,
    /// That it is at most this, either way.
    Within(f64),
}

/// What a test says of a statement on one data set, or over all.
pub(super) struct Item {
    /// The data set; nothing if it is over all.
    pub name: String,
    /// For each opponent one-sided p-values, of the statement and of its opposite.
    pub sides: Vec<Result<[f64; 2], Lack>>,
    /// How large the difference is; of several opponents that which is hardest to show.
    pub size: Option<Size>,
    /// Why the test finds nothing in values that are there.
    pub silent: Option<String>,
    /// What its p-value ignores.
    pub ignored: Option<&'static str>,
    /// What else is to be said of its comparisons.
    pub notes: Vec<String>,
    /// What could have been shown of it.
    pub power: Option<CouldShow>,
}

impl Item {
    /// Its p-values, those that are missing taken for these: for several opponents the statement must be shown of each, and
    /// is refuted by any.
    fn against(&self, missing: [f64; 2]) -> [f64; 2] {
        let known = self.sides.iter().map(|sides| *sides.as_ref().unwrap_or(&missing));
        let [p, q] = known
            .reduce(|[p, q], [other_p, other_q]| [p.max(other_p), q.min(other_q)])
            .unwrap_or(missing);
        [p, (q * self.sides.len() as f64).min(1.0)]
    }

    /// Whether the opposite of the statement is shown at a one-sided level.
    pub fn refuted(&self, level: f64) -> bool {
        self.against([1.0, 1.0])[1] <= level
    }

    fn missing(&self) -> Option<String> {
        self.sides.iter().find_map(|sides| sides.as_ref().err()).map(ToString::to_string)
    }
}

impl<'a> ByTest<'a> {
    /// A test at a level, of advantages that are larger than what does not matter.
    pub fn of(
        measured: &'a Measured<'a>,
        comparisons: &'a Comparisons,
        test: &'a str,
        (alpha, matters): (f64, f64),
    ) -> Self {
        let levels = [0.5 * alpha; 2];
        let asserted = Asserted::Better;
        Self { measured, comparisons, test, alpha, levels, matters, asserted }
    }

    /// Of another statement than that one is better: its p-values are compared with the whole level.
    pub fn saying(self, asserted: Asserted) -> Self {
        Self { levels: [self.alpha, self.levels[1]], asserted, ..self }
    }

    fn spec(&self) -> Option<&'a TestSpec> {
        self.comparisons.test(self.test)
    }

    fn title(&self) -> &'static str {
        self.spec().map_or("", |spec| spec.called)
    }

    /// What it finds of two methods.
    fn row(
        &self,
        left: &MethodId,
        right: &MethodId,
        dataset: Option<&DatasetId>,
    ) -> Result<Cow<'a, Comparison>, Lack> {
        let whose = self.measured.evidence.whose();
        let row = self.comparisons.on(self.test, whose, left, right, dataset)?;
        let Some(spec) = self.spec().filter(|_| self.matters != 0.0) else {
            return Ok(Cow::Borrowed(row));
        };
        let Some(pairs) = row.pairs_of(left).map(Cow::into_owned) else {
            return Ok(Cow::Borrowed(row));
        };
        let shifted = pairs.clone().less(oriented(spec.metric, self.matters));
        let found = spec.kind.compare(&shifted, row.level).found;
        Ok(Cow::Owned(Comparison {
            left: left.clone(),
            right: right.clone(),
            effect: row.size_of(left).map(|size| size.effect),
            found: row.found.clone().and(found),
            behind: Behind::Pairs(Arc::new(pairs)),
            ..row.clone()
        }))
    }

    /// How large the difference is, with an interval that holds for so many comparisons at once (Bonferroni).
    fn size(&self, row: &Comparison, left: &MethodId, comparisons: usize) -> Option<Size> {
        let effect = row.effect?;
        let interval = match comparisons {
            1 => effect.interval,
            _ => effect.interval.and_then(|_| {
                let spec = self.spec()?;
                let level = 1.0 - (1.0 - row.level) / comparisons as f64;
                spec.kind.interval(row, level)
            }),
        };
        let effect = Some(Effect { interval, ..effect });
        Comparison { effect, ..row.clone() }.size_of(left)
    }

    /// What it says of `left` against each of `rights`, by the p-values that `sides` takes from a row: on each data set, or once
    /// if it is over all of them.
    pub fn items(
        &self,
        datasets: &[DatasetId],
        methods: (&MethodId, &[MethodId]),
        sides: impl Fn(&Comparison) -> Result<[f64; 2], Lack>,
    ) -> Vec<Item> {
        if self.spec().is_some_and(|spec| spec.pair_by == PairBy::Dataset) {
            return vec![self.item(methods, None, methods.1.len(), sides)];
        }
        let all = datasets.len() * methods.1.len();
        datasets.iter().map(|dataset| self.item(methods, Some(dataset), all, &sides)).collect()
    }

    fn item(
        &self,
        (left, rights): (&MethodId, &[MethodId]),
        dataset: Option<&DatasetId>,
        comparisons: usize,
        sides: impl Fn(&Comparison) -> Result<[f64; 2], Lack>,
    ) -> Item {
        let rows: Vec<_> = rights.iter().map(|right| self.row(left, right, dataset)).collect();
        let of = |row: &Result<Cow<'_, Comparison>, Lack>| {
            match row.as_ref().map_err(Clone::clone).and_then(|row| sides(row)) {
                Err(Lack::Statistic(StatsError::Dependent { .. })) => Err(Lack::Unmet(DEPENDENT)),
                // The values are there, and show nothing.
                Err(Lack::Statistic(_)) => Ok([1.0, 1.0]),
                sides => sides,
            }
        };
        let known = rows.iter().filter_map(|row| Some((of(row).ok()?[0], row.as_ref().ok()?)));
        let hardest = known.max_by(|one, other| one.0.total_cmp(&other.0));
        Item {
            name: dataset.map(|id| self.measured.title(id)).unwrap_or_default(),
            sides: rows.iter().map(of).collect(),
            size: hardest.as_ref().and_then(|(_, row)| self.size(row, left, comparisons)),
            silent: rows.iter().find_map(|row| match &row.as_ref().ok()?.found {
                Err(why @ Lack::Statistic(_)) => Some(why.to_string()),
                _ => None,
            }),
            ignored: hardest.as_ref().and_then(|(_, row)| row.ignored),
            notes: rows.iter().flatten().map(|row| row.note.clone()).collect(),
            power: hardest.and_then(|(_, row)| self.power(row, left)),
        }
    }

    /// What it could have shown of two methods, where that is known of its kind.
    fn power(&self, row: &Comparison, left: &MethodId) -> Option<CouldShow> {
        let kind = &self.spec()?.kind;
        let power = row.pairs_of(left).and_then(|pairs| kind.power(&pairs, self.alpha));
        let on = row.title.clone();
        let (from, to) = self.measured.metric.range;
        Some(CouldShow { on, over: row.over?, power, matters: self.matters, most: to - from })
    }

    /// The verdict on "so many of these are true", for one number of data sets or many.
    pub fn judge(&self, statement: &Statement, items: &[Item]) -> Finding {
        let verdict = |missing: [f64; 2]| {
            let sides: Vec<[f64; 2]> = items.iter().map(|item| item.against(missing)).collect();
            statement.how_many.judged(items.len(), |count| at_least(count, &sides, self.levels))
        };
        let known = verdict([1.0, 1.0]);
        let open = [[0.0, 1.0], [1.0, 0.0]].into_iter().any(|missing| verdict(missing) != known);
        let verdict = if open { Verdict::NoEvidence } else { known };
        let sides: Vec<[f64; 2]> = items.iter().map(|item| item.against([1.0, 1.0])).collect();
        let [yes, no] = [0, 1]
            .map(|side| sides.iter().filter(|sides| sides[side] <= self.levels[side]).count());
        let missing = items.iter().filter_map(|item| Some((item.name.clone(), item.missing()?)));
        let shown = items.iter().zip(&sides).filter(|(item, _)| item.missing().is_none());
        let unshown = shown
            .filter(|(_, [p, _])| *p > self.levels[0])
            .map(|(item, sides)| (item.name.clone(), self.numbers(item, *sides)));
        let (unknown, not, total) = (missing.collect(), unshown.collect(), items.len());
        let tally = Tally { yes, not, unknown, total };
        let level = number(self.alpha);
        let sentence = match items {
            [item] => self.of_one(statement, item, verdict),
            _ => {
                let (lead, wanted) = (lead(verdict), statement.wanted(total));
                let not = match tally.not.as_slice() {
                    [] => String::new(),
                    unshown => format!("; not on {}", named(unshown)),
                };
                let opposite =
                    if no > 0 { format!(", its opposite on {no}") } else { String::new() };
                let (by, level) = (self.title(), self.level());
                let enough = matches!(statement.how_many, HowMany::AtLeast(count) if yes >= count);
                let chance = if enough && verdict == Verdict::NotShown {
                    ", which chance may give among so many"
                } else {
                    ""
                };
                format!(
                    "{lead} {wanted} ({by}, {level}): by itself it is shown on {yes}{chance}{opposite}{not}."
                )
            }
        };
        let of = match items {
            [Item { name, .. }] if name.is_empty() => Items::Tests,
            _ => statement.of,
        };
        let at_once = total > 1 && items.iter().any(|item| item.size.is_some());
        let notes: BTreeSet<&String> = items.iter().flat_map(|item| &item.notes).collect();
        let mut by = vec![format!("by {} at {level}", self.test)];
        by.extend(at_once.then(|| "intervals for all at once".to_owned()));
        by.extend(notes.into_iter().filter(|note| !note.is_empty()).cloned());
        Finding {
            verdict,
            basis: Basis::Test,
            narrowly: false,
            sentence,
            evidence: tally.phrases(of, statement.how_many, by.into_iter().map(Phrase::from)),
            power: items.iter().filter_map(|item| item.power.clone()).collect(),
            strength: self.strength(statement.how_many, items, &sides),
        }
    }

    fn of_one(&self, statement: &Statement, item: &Item, verdict: Verdict) -> String {
        let none = matches!(statement.how_many, HowMany::AtMost(0) | HowMany::Exactly(0));
        let not = if none { "it is not so that " } else { "" };
        let says = format!("{not}{}", statement.at(&item.name));
        if verdict == Verdict::NoEvidence {
            let why = item.missing().unwrap_or_default();
            return format!("{} {says}: {why}.", lead(verdict));
        }
        let numbers = self.numbers(item, item.against([1.0, 1.0]));
        format!("{} {says} ({}, {}): {numbers}.", lead(verdict), self.title(), self.level())
    }

    fn numbers(&self, item: &Item, [p, q]: [f64; 2]) -> String {
        if let Some(why) = &item.silent {
            return why.clone();
        }
        let size = item.size.map(|size| size_text(&size, self.measured.rounding) + ", ");
        let [shown, refuted] = self.levels;
        let other = if q <= refuted { ", the opposite is shown" } else { "" };
        let could = item.power.as_ref().filter(|_| p > shown && q > refuted);
        let least = could.map(|could| self.least(could));
        let ignored = item.ignored.map(|why| format!(" (dependence ignored: {why})"));
        let [size, ignored, least] = [size, ignored, least].map(Option::unwrap_or_default);
        let p = match shown < self.alpha {
            // Of a few values with few ways to fall, the side that loses has more than what the other leaves.
            true if p > 0.5 => "one-sided p > 0.5".to_owned(),
            true => format!("one-sided p = {}", number(p)),
            false => format!("p = {}", number(p)),
        };
        format!("{size}{p}{ignored}{other}{least}")
    }

    /// The level at which it is shown.
    fn level(&self) -> String {
        match self.levels[0] {
            shown if shown < self.alpha => format!("one-sided at {}", number(shown)),
            shown => format!("at {}", number(shown)),
        }
    }

    /// The smallest difference that would be shown, and which one no number of repeats shows.
    fn least(&self, could: &CouldShow) -> String {
        let (Some(power), Some(least)) = (could.power, could.smallest()) else {
            return ", what would be shown is not computed".to_owned();
        };
        let (n, fewest) = (power.n, power.fewest());
        if n < fewest {
            return format!(", of {n} pairs no difference can be shown: that takes {fewest}");
        }
        if least.is_infinite() {
            return format!(", of {n} no difference that is possible would be shown");
        }
        let text = |size: f64| self.measured.rounding.difference(size);
        let of = if let Asserted::Within(_) = self.asserted { "a margin of " } else { "" };
        let floor = match power.floor() {
            0.0 => String::new(),
            floor => {
                let floor = text(could.matters + floor);
                format!(", less than {floor} by no number of repeats")
            }
        };
        let least = text(least);
        format!(", {of}{least} would be shown with probability {POWER}{floor}")
    }

    /// How far the difference on the item that decides is on the claim's side.
    fn strength(&self, how_many: HowMany, items: &[Item], sides: &[[f64; 2]]) -> Option<Strength> {
        let of = |measure: Measure, value: f64| match self.asserted {
            // Ranks are of what is good already.
            Asserted::Better if measure == Measure::MeanRank => value - self.matters,
            Asserted::Better => oriented(self.measured.metric, value) - self.matters,
            Asserted::Differ => value.abs(),
            Asserted::Within(margin) => margin - value.abs(),
        };
        let known = items.iter().zip(sides).map(|(item, [p, _])| {
            let far = item.size.map(|Size { effect, .. }| of(effect.measure, effect.value));
            let far = far.unwrap_or(f64::INFINITY);
            // Values that do not vary have no p-value, and are on one side.
            (if item.silent.is_some() && far > 0.0 { 0.0 } else { *p }, far)
        });
        let at = deciding(how_many, &known.collect::<Vec<_>>())?;
        let Effect { measure, value, interval } = items[at].size?.effect;
        let side = match how_many {
            HowMany::AtMost(_) | HowMany::Exactly(0) => -1.0,
            HowMany::All | HowMany::AtLeast(_) | HowMany::Exactly(_) => 1.0,
        };
        let of = |value: f64| side * of(measure, value);
        let interval = interval.map(|(low, high)| {
            let ends = [low, high, 0.0_f64.clamp(low, high)].map(of);
            (
                ends.into_iter().fold(f64::INFINITY, f64::min),
                ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
            )
        });
        Some(Strength { value: of(value), interval })
    }
}

/// The item that decides, of p-values of a statement with how far each difference is on its side: the last of those that
/// must be shown. P-values that nothing tells apart, such as those near 1, are in the order of the differences.
fn deciding(how_many: HowMany, items: &[(f64, f64)]) -> Option<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| {
        let ((p, far), (other_p, other_far)) = (items[a], items[b]);
        p.total_cmp(&other_p).then(other_far.total_cmp(&far))
    });
    let last = match how_many {
        HowMany::All => items.len(),
        HowMany::AtLeast(count) | HowMany::Exactly(count) => count,
        HowMany::AtMost(count) => count + 1,
    };
    order.get(last.clamp(1, items.len().max(1)) - 1).copied()
}

fn lead(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "It was shown that",
        Verdict::Fails => "It was refuted that",
        Verdict::NotShown => "It was not shown that",
        Verdict::NoEvidence => "It is not known whether",
    }
}

/// Whether at least `count` of statements are true, by one-sided p-values of each and of its opposite.
///
/// Source: Benjamini and Heller, Screening for partial conjunction hypotheses, Biometrics 64 (2008), the form by
/// Bonferroni, which holds under any dependence.
fn at_least(count: usize, sides: &[[f64; 2]], levels: [f64; 2]) -> Verdict {
    let shown = |side: usize, count: usize| {
        let p: Vec<f64> = sides.iter().map(|sides| sides[side]).collect();
        partial(&p, count) <= levels[side]
    };
    if count == 0 {
        Verdict::Holds
    } else if count > sides.len() {
        Verdict::Fails
    } else if shown(0, count) {
        Verdict::Holds
    } else if shown(1, sides.len() - count + 1) {
        Verdict::Fails
    } else {
        Verdict::NotShown
    }
}

/// The p-value of "at least `count` of these are true": the `count`-th smallest times the number of those from it on.
fn partial(p: &[f64], count: usize) -> f64 {
    let mut sorted = p.to_vec();
    sorted.sort_by(f64::total_cmp);
    (p.len() - count + 1) as f64 * sorted[count - 1]
}

#[cfg(test)]
mod tests {
    use spec::HowMany;

    use super::*;

    fn verdict(how_many: HowMany, p: &[f64]) -> Verdict {
        let sides: Vec<[f64; 2]> = p.iter().map(|p| [*p, 1.0 - p]).collect();
        how_many.judged(sides.len(), |count| at_least(count, &sides, [0.025; 2]))
    }

    #[test]
    fn counts_are_shown_refuted_or_neither() {
        use Verdict::{Fails, Holds, NotShown};
        // One: its own p-value, on either side.
        for (p, expected) in [(0.02, Holds), (0.03, NotShown), (0.5, NotShown), (0.98, Fails)] {
            assert_eq!(verdict(HowMany::All, &[p]), expected, "{p}");
            assert_eq!(verdict(HowMany::AtMost(0), &[p]), !expected, "{p}");
        }
        // All of three: the largest, without a correction; refuted by the smallest of the opposites times three.
        assert_eq!(verdict(HowMany::All, &[0.02, 0.001, 0.025]), Holds);
        assert_eq!(verdict(HowMany::All, &[0.02, 0.001, 0.03]), NotShown);
        assert_eq!(verdict(HowMany::All, &[0.02, 0.001, 0.98]), NotShown);
        assert_eq!(verdict(HowMany::All, &[0.02, 0.001, 0.992]), Fails);
        // At least one of three: the smallest times three.
        assert_eq!(verdict(HowMany::AtLeast(1), &[0.008, 0.9, 0.9]), Holds);
        assert_eq!(verdict(HowMany::AtLeast(1), &[0.009, 0.9, 0.9]), NotShown);
        // At least two of three: the second times two.
        assert_eq!(verdict(HowMany::AtLeast(2), &[0.001, 0.0125, 0.9]), Holds);
        assert_eq!(verdict(HowMany::AtLeast(2), &[0.001, 0.013, 0.9]), NotShown);
        assert_eq!(verdict(HowMany::AtLeast(2), &[0.001, 0.99, 0.99]), Fails);
        // Exactly two of three: two are shown, and the third is refuted.
        assert_eq!(verdict(HowMany::Exactly(2), &[0.001, 0.002, 0.5]), NotShown);
        assert_eq!(verdict(HowMany::Exactly(2), &[0.001, 0.002, 0.999]), Holds);
    }

    #[test]
    fn of_p_values_that_are_alike_the_hardest_difference_decides() {
        // Alike within .01: on two sets all differences are 0, on the third they are .36, and every p rounds to 1.
        let alike = [(1.0, 0.01), (1.0, -0.35), (1.0, 0.01)];
        assert_eq!(deciding(HowMany::All, &alike), Some(1));
        assert_eq!(deciding(HowMany::AtLeast(1), &alike), Some(0));
        let shown = [(0.2, -0.5), (0.01, 0.02), (0.04, 0.01)];
        assert_eq!(deciding(HowMany::AtLeast(2), &shown), Some(2));
        assert_eq!(deciding(HowMany::AtMost(0), &shown), Some(1));
        assert_eq!(deciding(HowMany::All, &[]), None);
    }

    #[test]
    fn what_is_missing_decides_only_where_it_could() {
        let item = |sides| Item {
            name: String::new(),
            sides,
            size: None,
            silent: None,
            ignored: None,
            notes: vec![],
            power: None,
        };
        let missing = || Err(Lack::Datasets);
        assert_eq!(item(vec![Ok([0.01, 0.99]), missing()]).against([1.0, 1.0]), [1.0, 1.0]);
        assert_eq!(item(vec![Ok([0.01, 0.99]), missing()]).against([0.0, 1.0]), [0.01, 1.0]);
        // Refuted by one opponent, whatever the other is.
        assert_eq!(item(vec![Ok([0.99, 0.01]), missing()]).against([1.0, 1.0]), [1.0, 0.02]);
    }
}
