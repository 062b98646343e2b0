//! Values of programs that promise less than their bits, executed again: within their tolerance, or draws of one
//! distribution.

use std::collections::{BTreeMap, BTreeSet};

use base::text::counted;
use contract::{Measure, MethodId, Metric};
use math::decimal::significant;
use math::sample::Sample;
use program::{Determinism, MOST_TOLERANCE};
use run::outcome::Aspect;
use run::{Outcome, Trial};
use spec::Experiment;
use stats::{Correction, adjust};
use task::predictions::Predictions;

use super::checked::Checked;
use super::draws::{ALPHA, Draws, Question, Said};

/// What is compared so of the trials of a folder.
pub(super) struct Promises<'a> {
    experiment: &'a Experiment,
    differences: Vec<String>,
    /// By method: its tolerance, how many values were compared, and how far the one that moved most did.
    within: BTreeMap<&'a MethodId, (f64, usize, f64)>,
    /// By method and metric: fresh values beside sealed ones.
    draws: BTreeMap<(&'a MethodId, &'static str), Draws>,
}

impl<'a> Promises<'a> {
    pub fn new(experiment: &'a Experiment) -> Self {
        Self {
            experiment,
            differences: Vec::new(),
            within: BTreeMap::new(),
            draws: BTreeMap::new(),
        }
    }

    /// Compares what a trial was sealed with and what it gave again, where it gave both. False where its method promises its
    /// bits: it is not compared so.
    pub fn compare(&mut self, trial: &Trial, sealed: &Outcome, again: &Outcome) -> bool {
        let Some(method) = self.experiment.method(&trial.method) else { return false };
        let Some(program) = method.program.as_ref().filter(|_| !method.is_exact()) else {
            return false;
        };
        let place = trial.place();
        if sealed.status() != again.status() {
            let words = [again, sealed].map(|outcome| outcome.status().word());
            self.differences
                .push(format!("{place}: status is {}, sealed as {}", words[0], words[1]));
            return true;
        }
        if program.determinism == Determinism::Stochastic {
            for (metric, before) in sealed.metrics.iter() {
                let now = again.metrics.get(metric.name).map(Measure::value);
                let draws = self.draws.entry((&method.id, metric.name)).or_default();
                if let Some(now) = now {
                    draws.add(trial, before.value(), now);
                }
            }
        }
        for Moved { what, values, furthest } in moved(sealed, again) {
            let Some((apart, [before, now])) = furthest else {
                self.differences
                    .push(format!("{place}: {what} again is not of what it is sealed of"));
                continue;
            };
            let Determinism::Tolerance(most) = program.determinism else { continue };
            let (_, count, furthest) = self.within.entry(&method.id).or_insert((most, 0, 0.0));
            *count += values;
            *furthest = furthest.max(apart);
            if apart > most {
                self.differences.push(format!(
                    "{place}: {what}: {now}, sealed as {before}: further apart than its tolerance of {most}"
                ));
            }
        }
        true
    }

    /// Judges what was compared, and the draws all together: says which promises were kept, which not, and which are of so
    /// little, or of so few values, that no execution confirms them.
    pub fn judge(self, found: &mut Checked) {
        found.differences.extend(self.differences);
        for (method, (most, values, moved)) in self.within {
            if moved > most {
                continue;
            }
            if most > MOST_TOLERANCE {
                found.unchecked.push(format!(
                    "{method}: its tolerance of {most} is above {MOST_TOLERANCE}, and confirms nothing"
                ));
                continue;
            }
            let moved = significant(moved, 2);
            found.kept.push(format!(
                "{method}: {values} values moved by at most {moved}, within its tolerance of {most}"
            ));
        }
        judge_draws(self.draws, found);
    }
}

/// Adds what draws say, all together.
fn judge_draws(draws: BTreeMap<(&MethodId, &'static str), Draws>, found: &mut Checked) {
    let draws: Vec<_> = draws.into_iter().filter(|(_, draws)| draws.move_at_all()).collect();
    // Each has at most three tests.
    let least = ALPHA / (3 * draws.len()).max(1) as f64;
    let tests: Vec<_> = draws.iter().map(|(_, draws)| draws.tested(least)).collect();
    let raw: Vec<f64> = tests.iter().flatten().flatten().map(|said| said.p).collect();
    let family = raw.len();
    let of = format!("(Holm over {family}, level {ALPHA})");
    let mut adjusted = adjust(&raw, Correction::Holm).into_iter();
    for (((method, metric), draws), test) in draws.iter().zip(tests) {
        let what = format!(
            "{method}, {metric}: {} beside the sealed ones",
            counted(draws.count(), "fresh draw")
        );
        let said = match test {
            Ok(said) => said,
            Err(error) => {
                found.differences.push(format!("{what}: {error}"));
                continue;
            }
        };
        let said: Vec<(Said, f64)> = said.into_iter().zip(&mut adjusted).collect();
        let mut told = Vec::new();
        for (Said { of: question, least, .. }, p) in said {
            let number = significant(p, 2);
            if p <= ALPHA {
                found.differences.push(format!("{what} {}: p = {number} {of}", question.refuted()));
            } else if least * family as f64 <= ALPHA {
                told.push(format!("{}, p = {number}", question.kept()));
            } else if question == Question::Shift {
                found.unchecked.push(format!("{what}: too few to refute them {of}"));
                told.clear();
                break;
            }
        }
        if !told.is_empty() {
            found.kept.push(format!("{what}: {} {of}", told.join("; ")));
        }
    }
}

/// How far values moved that belong together.
struct Moved {
    what: Aspect,
    values: usize,
    /// How far apart the sealed and the fresh value are that are furthest apart; none if the two are not of the same things.
    furthest: Option<(f64, [f64; 2])>,
}

/// How far what a trial was sealed with moved from what it gave again, where both have it: as a share of the size of the
/// latter, which nobody can forge.
fn moved(sealed: &Outcome, again: &Outcome) -> Vec<Moved> {
    let both = &sealed.parts() & &again.parts();
    let (before, now) = (numbers(sealed), numbers(again));
    let keys: BTreeSet<&(Aspect, String)> = before.keys().chain(now.keys()).collect();
    let moved = |key| {
        let none = (Vec::new(), 0.0);
        let (before, _) = before.get(key).unwrap_or(&none);
        let (now, size) = now.get(key).unwrap_or(&none);
        let apart = |(&before, &now): (&f64, &f64)| match (now - before).abs() / size {
            _ if now == before || now.is_nan() && before.is_nan() => (0.0, [before, now]),
            apart if apart.is_nan() => (f64::INFINITY, [before, now]),
            apart => (apart, [before, now]),
        };
        let furthest = before.iter().zip(now).map(apart);
        let furthest = furthest.max_by(|(one, _), (other, _)| one.total_cmp(other));
        let alike = before.len() == now.len();
        let furthest = alike.then(|| furthest.unwrap_or_default());
        Moved { what: key.0, values: before.len(), furthest }
    };
    keys.into_iter().filter(|(what, _)| both.contains(what)).map(moved).collect()
}

/// Numbers that belong together, by what they are and what they are of; and how large they are: as their range, or as the
/// largest of them. Numbers of classes and of things have no size: they do not move.
type Numbers = BTreeMap<(Aspect, String), (Vec<f64>, f64)>;

fn numbers(outcome: &Outcome) -> Numbers {
    let sized = |values: &[f64]| {
        let finite = values.iter().map(|value| value.abs()).filter(|value| value.is_finite());
        (values.to_vec(), finite.fold(0.0, f64::max))
    };
    let of_metric = |metric: &Metric, values: &[f64]| match metric.range.1 - metric.range.0 {
        range if range.is_finite() => (values.to_vec(), range),
        _ => sized(values),
    };
    let metrics = outcome.metrics.iter().map(|(metric, measure)| {
        let (of, values) = match measure {
            Measure::Scalar(value) => (String::new(), vec![*value]),
            Measure::Sample(Sample { n, mean, m2 }) => {
                (n.to_string(), vec![*mean, (m2 / *n as f64).sqrt()])
            }
        };
        ((Aspect::Metric(metric), of), of_metric(metric, &values))
    });
    let examples = outcome.examples.iter().map(|(metric, values)| {
        ((Aspect::Examples(metric), String::new()), of_metric(metric, values))
    });
    let lines = outcome.picture.iter().flat_map(|picture| picture.to_lines()).enumerate();
    let lines = lines.map(|(at, (what, name, values))| {
        let whole = values.iter().all(|value| value.fract() == 0.0);
        let numbers = if whole { (values, 0.0) } else { sized(&values) };
        ((Aspect::Picture, format!("{at} {what} {name}")), numbers)
    });
    let predictions = outcome.predictions.iter().flat_map(|kept| {
        let Predictions { rows, classes, truth, predicted, scores } = &**kept;
        let rows = rows.iter().map(|&row| f64::from(row)).collect();
        let whole = if classes.is_empty() { sized(predicted) } else { (predicted.clone(), 0.0) };
        let lists = [(rows, 0.0), (truth.clone(), 0.0), whole, sized(scores)];
        (0..).zip(lists).map(move |(at, numbers): (usize, _)| {
            ((Aspect::Predictions, format!("{at} {classes:?}")), numbers)
        })
    });
    metrics.chain(examples).chain(lines).chain(predictions).collect()
}

#[cfg(test)]
mod tests {
    use task::metrics::OPTIMISM;

    use super::*;

    fn outcome(measure: Measure, predictions: Predictions) -> Outcome {
        let metrics = std::iter::once((&OPTIMISM, measure)).collect();
        Outcome { metrics, predictions: Some(Box::new(predictions)), ..Outcome::default() }
    }

    fn predicted(truth: f64, predicted: f64) -> Predictions {
        Predictions::new(&[7], vec![truth], vec![predicted])
    }

    /// How far the first values moved that did; infinitely far if they are not of the same things.
    fn apart(sealed: &Outcome, again: &Outcome) -> f64 {
        let far = |moved: Moved| moved.furthest.map_or(f64::INFINITY, |(apart, _)| apart);
        moved(sealed, again).into_iter().map(far).fold(0.0, f64::max)
    }

    #[test]
    fn whatever_a_tolerance_is_about_moves_by_a_share_of_its_size() {
        let values = |truth, value| outcome(Measure::Scalar(2.0), predicted(truth, value));
        let honest = values(3.0, 4.0);
        assert_eq!(apart(&honest, &honest), 0.0);
        assert_eq!(apart(&values(3.0, 5.0), &honest), 0.25);
        assert_eq!(apart(&values(3.5, 4.0), &honest), f64::INFINITY);
        let sample =
            |n, m2| outcome(Measure::Sample(Sample { n, mean: 2.0, m2 }), predicted(3.0, 4.0));
        assert_eq!(apart(&sample(2, 8.0), &sample(2, 32.0)), 0.5);
        assert_eq!(apart(&sample(3, 8.0), &sample(2, 8.0)), f64::INFINITY);
        assert_eq!(apart(&honest, &sample(2, 8.0)), f64::INFINITY);
        let classes = |class, scores: [f64; 2]| {
            let classes = ["a", "b"].map(str::to_owned).to_vec();
            let scored = Predictions { classes, scores: scores.to_vec(), ..predicted(1.0, class) };
            outcome(Measure::Scalar(2.0), scored)
        };
        let honest = classes(1.0, [0.0, 0.5]);
        assert_eq!(apart(&classes(0.0, [0.0, 0.5]), &honest), f64::INFINITY);
        assert_eq!(apart(&classes(1.0, [0.25, 0.5]), &honest), 0.5);
        // A huge number that is sealed makes no other small.
        assert!(apart(&classes(1.0, [0.25, 1e300]), &honest) > 1e299);
    }
}
