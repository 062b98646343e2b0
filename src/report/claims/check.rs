//! The forms that a claim's check can take.

use contract::parameter::Value;
use contract::{Direction, Metric};
use run::Status;
use spec::{Bold, Check, HowMany};

use crate::number::Rounding;
use crate::published::rounding;
use crate::significance::{Comparisons, oriented};
use crate::values::{Basis, Values, reason};
use math::decimal::{difference, significant};

use super::sweep::Sweep;
use super::tally::{Answer, Tally};
use super::{Finding, Verdict};

/// Judges a check on one basis.
pub fn check<'a>(check: &'a Check, values: Values<'a>, comparisons: &Comparisons) -> Finding {
    match check {
        Check::Wins { left, right, metric, datasets, how_many, or_tied, margin, significant } => {
            let wins = Wins {
                measured: Measured::new(values, metric),
                left,
                right,
                or_tied: *or_tied,
                margin: *margin,
                significant: significant.as_ref(),
                comparisons,
            };
            let methods = std::iter::once(left).chain(right);
            wins.measured.tally(datasets, *how_many, methods, |dataset| wins.on(dataset))
        }
        Check::Rank { method, among, metric, datasets, rank, how_many, tied, significant } => {
            let ranks = Ranks {
                measured: Measured::new(values, metric),
                method,
                among,
                tied: *tied,
                significant: significant.as_ref(),
                comparisons,
            };
            ranks.measured.tally(datasets, *how_many, among, |dataset| ranks.on(dataset, *rank))
        }
        Check::PValue { test, left, right, below, equals, within } => {
            p_value(comparisons, values.basis, (test, left, right), *below, *equals, *within)
        }
        Check::ValueNear { method, dataset, metric, value, within } => {
            value_near(&Measured::new(values, metric), method, dataset, *value, *within)
        }
        Check::Trend { method, metric, along, rising, datasets, how_many } => {
            let measured = Measured::new(values, metric);
            let sweep = Sweep::new(&measured, method, along);
            measured.tally(datasets, *how_many, [method], |dataset| sweep.trend(dataset, *rising))
        }
        Check::BestAt { method, metric, along, datasets, least, most, how_many } => {
            let measured = Measured::new(values, metric);
            let sweep = Sweep::new(&measured, method, along);
            measured.tally(datasets, *how_many, [method], |dataset| {
                sweep.best_at(dataset, *least, *most)
            })
        }
        Check::Ratio { left, right, metric, datasets, least, most, how_many } => {
            let measured = Measured::new(values, metric);
            measured.tally(datasets, *how_many, [left, right], |dataset| {
                measured.pair(dataset, left, right, |one, other| {
                    let ratio = one / other;
                    let text = number(ratio);
                    if !ratio.is_finite() {
                        Answer::Unknown(format!("the ratio is {text}"))
                    } else if inside(ratio, *least, *most) {
                        Answer::Yes(None)
                    } else {
                        Answer::No(text)
                    }
                })
            })
        }
        Check::Widens { left, right, metric, margin, datasets, how_many } => {
            let measured = Measured::new(values, metric);
            measured.tally(datasets, *how_many, left.iter().chain(right), |dataset| {
                widens(&measured, dataset, left, right, *margin)
            })
        }
        Check::Spread { method, than, metric, datasets, least, most, how_many } => {
            let measured = Measured::new(values, metric);
            let methods = std::iter::once(method).chain(than);
            measured.tally(datasets, *how_many, methods, |dataset| {
                let of = |method: &'a String| measured.deviation(dataset, method);
                let spread = of(method).and_then(|own| match than {
                    None => Ok(own),
                    Some(than) => Ok(own / of(than)?),
                });
                match spread {
                    Err(why) => Answer::Unknown(why),
                    Ok(spread) if spread.is_nan() => {
                        Answer::Unknown("neither method varies".to_owned())
                    }
                    Ok(spread) if inside(spread, *least, *most) => Answer::Yes(None),
                    Ok(spread) => Answer::No(number(spread)),
                }
            })
        }
        Check::Counts { methods, metric, datasets, least, most, how_many } => {
            let measured = Measured::new(values, metric);
            let mut tally = Tally::default();
            for method in methods {
                for dataset in datasets {
                    let answer = match measured.value(dataset, method) {
                        Err(why) => Answer::Unknown(why),
                        Ok(value) if inside(value, *least, *most) => Answer::Yes(None),
                        Ok(value) => Answer::No(measured.rounding.text(value)),
                    };
                    tally.push(format!("{method} on {dataset}"), answer);
                }
            }
            measured.judge(&tally, *how_many, "cells", methods)
        }
        Check::Equivalent { left, right, metric, datasets, margin, how_many } => {
            let measured = Measured::new(values, metric);
            measured.tally(datasets, *how_many, [left, right], |dataset| {
                measured.pair(dataset, left, right, |one, other| {
                    if near(one, other, *margin) {
                        Answer::Yes(None)
                    } else {
                        Answer::No(measured.against(one, other))
                    }
                })
            })
        }
    }
}

/// One metric on one basis, with the paper's rounding of it.
pub(super) struct Measured<'a> {
    pub values: Values<'a>,
    pub metric: &'static Metric,
    pub rounding: Rounding,
}

impl<'a> Measured<'a> {
    fn new(values: Values<'a>, metric: &'static Metric) -> Self {
        Self { values, metric, rounding: rounding(values.experiment, metric) }
    }

    /// The value of a method on a dataset, or why there is none.
    fn value(&self, dataset: &'a str, method: &'a str) -> Result<f64, String> {
        self.at(dataset, method, &[])
    }

    /// The standard deviation of a method over repeats, or why there is none.
    fn deviation(&self, dataset: &'a str, method: &'a str) -> Result<f64, String> {
        let found = self.values.deviation(dataset, method, self.metric);
        found
            .map_err(|status| format!("{method}: {}", reason(status)))?
            .ok_or_else(|| format!("{method}: one repeat has no standard deviation"))
    }

    pub(super) fn at(
        &self,
        dataset: &'a str,
        method: &'a str,
        sweep: &[(&'a str, &'a Value)],
    ) -> Result<f64, String> {
        self.values
            .value(dataset, method, self.metric, sweep)
            .map_err(|status: Status| format!("{method}: {}", reason(status)))
    }

    /// An answer from two methods' values.
    fn pair(
        &self,
        dataset: &'a str,
        left: &'a str,
        right: &'a str,
        answer: impl Fn(f64, f64) -> Answer,
    ) -> Answer {
        match (self.value(dataset, left), self.value(dataset, right)) {
            (Ok(one), Ok(other)) => answer(one, other),
            (Err(why), _) | (_, Err(why)) => Answer::Unknown(why),
        }
    }

    /// Two values beside each other, in the table's unit.
    pub(super) fn against(&self, one: f64, other: f64) -> String {
        let (left, right) = (self.rounding.text(one), self.rounding.text(other));
        if left == right && one != other {
            let size = self.rounding.difference((one - other).abs());
            let side = if one < other { "below" } else { "above" };
            return format!("{left} {side} {right} by {size}");
        }
        format!("{left} against {right}")
    }

    /// How much better `one` is than `other`; positive is better.
    pub(super) fn advantage(&self, one: f64, other: f64) -> f64 {
        difference(oriented(self.metric, one), oriented(self.metric, other))
    }

    fn tally<'m>(
        &self,
        datasets: &'a [String],
        how_many: HowMany,
        methods: impl IntoIterator<Item = &'m String>,
        answer: impl Fn(&'a str) -> Answer,
    ) -> Finding {
        let mut tally = Tally::default();
        datasets.iter().for_each(|dataset| tally.push(dataset, answer(dataset)));
        self.judge(&tally, how_many, "data sets", methods)
    }

    fn judge<'m>(
        &self,
        tally: &Tally,
        how_many: HowMany,
        what: &str,
        methods: impl IntoIterator<Item = &'m String>,
    ) -> Finding {
        if self.values.basis == Basis::Published && tally.is_unknown() {
            return undecided("no such values".to_owned());
        }
        let quoted = self.values.quoted_among(methods.into_iter().map(String::as_str));
        let remark = format!("{} as published", quoted.join(", "));
        let remarks = if quoted.is_empty() { vec![] } else { vec![remark] };
        tally.judge(how_many, what, |margin| self.rounding.difference(margin), &remarks)
    }

    /// Says that better and worse mean nothing for the metric.
    fn undirected(&self) -> Option<Answer> {
        (self.metric.direction == Direction::Neutral)
            .then(|| Answer::Unknown(format!("{} is neither good nor bad", self.metric.name)))
    }
}

/// Wins of one method over others.
struct Wins<'a, 'c> {
    measured: Measured<'a>,
    left: &'a str,
    right: &'a [String],
    or_tied: bool,
    margin: f64,
    significant: Option<&'a Bold>,
    comparisons: &'c Comparisons,
}

impl<'a> Wins<'a, '_> {
    /// The answer of the hardest opponent: a loss before anything unknown before a win.
    fn on(&self, dataset: &'a str) -> Answer {
        if let Some(answer) = self.measured.undirected() {
            return answer;
        }
        let mut least = None;
        let mut unknown = None;
        for right in self.right {
            match self.over(dataset, right) {
                Answer::No(numbers) => return Answer::No(numbers),
                Answer::Unknown(why) => unknown = unknown.or(Some(why)),
                Answer::Yes(margin) => {
                    let smaller = |old: f64| margin.is_some_and(|new| new < old);
                    if least.is_none_or(smaller) {
                        least = margin;
                    }
                }
            }
        }
        unknown.map_or(Answer::Yes(least), Answer::Unknown)
    }

    fn over(&self, dataset: &'a str, right: &'a str) -> Answer {
        self.measured.pair(dataset, self.left, right, |one, other| {
            let mut numbers = self.measured.against(one, other);
            if self.right.len() > 1 {
                numbers += &format!(" of {right}");
            }
            let advantage = self.measured.advantage(one, other);
            if self.or_tied && self.measured.rounding.tied(one, other) {
                return Answer::Yes(Some(advantage.max(0.0)));
            }
            if advantage <= self.margin {
                return Answer::No(numbers);
            }
            let Some(bold) = self.significant else { return Answer::Yes(Some(advantage)) };
            let basis = self.measured.values.basis;
            let row = self.comparisons.on(&bold.test, basis, self.left, right, Some(dataset));
            match row.map(|row| &row.finding) {
                None => Answer::Unknown(format!("{} does not compare with {right}", bold.test)),
                Some(Err(why)) => Answer::Unknown(why.clone()),
                Some(Ok(finding)) if finding.significant(bold.alpha) => {
                    Answer::Yes(Some(advantage))
                }
                Some(Ok(finding)) => {
                    let p = finding.p_adjusted.map(|p| format!(", p = {}", number(p)));
                    Answer::No(format!("{numbers}, not significant{}", p.unwrap_or_default()))
                }
            }
        })
    }
}

/// The rank of one method among others: 1 plus the number of those that are better.
struct Ranks<'a, 'c> {
    measured: Measured<'a>,
    method: &'a str,
    among: &'a [String],
    tied: bool,
    significant: Option<&'a Bold>,
    comparisons: &'c Comparisons,
}

impl<'a> Ranks<'a, '_> {
    /// Whether the rank is good enough.
    fn on(&self, dataset: &'a str, rank: usize) -> Answer {
        let measured = &self.measured;
        if let Some(answer) = measured.undirected() {
            return answer;
        }
        let own = match measured.value(dataset, self.method) {
            Ok(own) => own,
            Err(why) => return Answer::Unknown(why),
        };
        let (mut better, mut unknown) = (Vec::new(), Vec::new());
        for other in self.among.iter().filter(|other| *other != self.method) {
            let value = match measured.value(dataset, other) {
                Ok(value) => value,
                Err(why) => {
                    unknown.push(why);
                    continue;
                }
            };
            let ahead = measured.advantage(value, own) > 0.0;
            if !ahead || self.tied && measured.rounding.tied(value, own) {
                continue;
            }
            match self.significantly(dataset, other) {
                Ok(true) => better.push(format!("{other} {}", measured.rounding.text(value))),
                Ok(false) => {}
                Err(why) => unknown.push(why),
            }
        }
        if 1 + better.len() > rank {
            let (own, place) = (measured.rounding.text(own), 1 + better.len());
            return Answer::No(format!("{own}, rank {place} after {}", better.join(", ")));
        }
        if 1 + better.len() + unknown.len() > rank {
            return Answer::Unknown(unknown.join(", "));
        }
        Answer::Yes(None)
    }

    /// Whether the difference from another method passes the test, if there is one.
    fn significantly(&self, dataset: &'a str, other: &'a str) -> Result<bool, String> {
        let Some(bold) = self.significant else { return Ok(true) };
        let basis = self.measured.values.basis;
        let row = self.comparisons.on(&bold.test, basis, self.method, other, Some(dataset));
        match row.map(|row| &row.finding) {
            None => Err(format!("{} does not compare with {other}", bold.test)),
            Some(Err(why)) => Err(why.clone()),
            Some(Ok(finding)) => Ok(finding.significant(bold.alpha)),
        }
    }
}

fn p_value(
    comparisons: &Comparisons,
    basis: Basis,
    (test, left, right): (&str, &str, &str),
    below: Option<f64>,
    equals: Option<f64>,
    within: f64,
) -> Finding {
    let (mut texts, mut verdict) = (Vec::new(), Verdict::Holds);
    for row in comparisons.between(test, basis, left, right) {
        let dataset = match row.dataset.as_str() {
            "" => String::new(),
            dataset => format!(" on {dataset}"),
        };
        let p = match &row.finding {
            Ok(finding) => finding.p_adjusted.ok_or_else(|| "it gives an interval".to_owned()),
            Err(why) => Err(why.clone()),
        };
        match p {
            Ok(p) => {
                let met = below.is_none_or(|level| p < level)
                    && equals.is_none_or(|printed| near(p, printed, within));
                if !met {
                    verdict = Verdict::Fails;
                }
                let note =
                    if row.note.is_empty() { String::new() } else { format!(" ({})", row.note) };
                texts.push(format!("p = {}{dataset}{note}", number(p)));
            }
            Err(why) => {
                if verdict == Verdict::Holds {
                    verdict = Verdict::Undecided;
                }
                texts.push(format!("no p-value{dataset}: {why}"));
            }
        }
    }
    if texts.is_empty() {
        return undecided(format!("{test} was not computed for {left} and {right}"));
    }
    let mut wanted = Vec::new();
    wanted.extend(below.map(|level| format!("below {}", number(level))));
    wanted.extend(equals.map(|p| format!("within {} of {}", number(within), number(p))));
    let evidence = format!("{}; wanted {}", texts.join(", "), wanted.join(" and "));
    Finding { verdict, evidence }
}

fn value_near<'a>(
    measured: &Measured<'a>,
    method: &'a str,
    dataset: &'a str,
    target: f64,
    within: f64,
) -> Finding {
    let value = match measured.value(dataset, method) {
        Ok(value) => value,
        Err(why) => return undecided(format!("{why} on {dataset}")),
    };
    let verdict = if near(value, target, within) { Verdict::Holds } else { Verdict::Fails };
    let quoted =
        if measured.values.quoted_among([method]).is_empty() { "" } else { " as published" };
    let evidence = format!(
        "{method} on {dataset}{quoted} is {}, wanted within {} of {}",
        measured.rounding.text(value),
        measured.rounding.difference(within),
        measured.rounding.text(target)
    );
    Finding { verdict, evidence }
}

/// Whether the advantage of the left of each pair of methods is larger than in the pair before, by more than a margin.
fn widens<'a>(
    measured: &Measured<'a>,
    dataset: &'a str,
    left: &'a [String],
    right: &'a [String],
    margin: f64,
) -> Answer {
    let pairs = left.iter().zip(right);
    let advantage = |(one, other): (&'a String, &'a String)| {
        Ok(measured.advantage(measured.value(dataset, one)?, measured.value(dataset, other)?))
    };
    match pairs.map(advantage).collect::<Result<Vec<f64>, String>>() {
        Err(why) => Answer::Unknown(why),
        Ok(found) if found.windows(2).all(|step| step[1] - step[0] > margin) => Answer::Yes(None),
        Ok(found) => {
            let texts = found.iter().map(|advantage| number(*advantage)).collect::<Vec<_>>();
            Answer::No(texts.join(", "))
        }
    }
}

fn undecided(evidence: String) -> Finding {
    Finding { verdict: Verdict::Undecided, evidence }
}

pub(super) fn inside(value: f64, least: Option<f64>, most: Option<f64>) -> bool {
    least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most)
}

/// Whether two numbers differ by at most a margin. Decimal fractions such as 6.04 and 6.05 differ
/// by 0.01 only up to their own rounding, which is allowed for.
fn near(a: f64, b: f64, margin: f64) -> bool {
    let rounding = 4.0 * f64::EPSILON * a.abs().max(b.abs());
    (a - b).abs() <= margin + rounding
}

/// A number for reading.
fn number(value: f64) -> String {
    base::text::real(significant(value, 4))
}
