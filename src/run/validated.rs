//! The outcome of a trial that was scored on one division and validated on others.

use contract::{Basis, Measure, Metric};

use super::outcome::Outcome;

/// The outcome on the division that is scored, with the mean of each validation metric over the rounds inside of its
/// training examples. A round that did not end well ends the trial.
pub fn validated(scored: Outcome, rounds: &[Outcome]) -> Outcome {
    if !scored.measured() {
        return scored;
    }
    if let Some((round, ended)) = rounds.iter().enumerate().find(|(_, round)| !round.measured())
        && let Some(cause) = ended.cause.clone()
    {
        return Outcome::ended(cause, &format!("inner fold {round}: {}", ended.message));
    }
    let mut outcome = scored;
    let Some(first) = rounds.first() else { return outcome };
    let validates = |metric: &Metric| metric.basis == Basis::Validation;
    for (metric, _) in first.metrics.iter().filter(|(metric, _)| validates(metric)) {
        let values = rounds.iter().filter_map(|round| round.metrics.get(metric.name));
        let values: Vec<f64> = values.map(Measure::value).collect();
        if values.len() == rounds.len() {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            outcome.metrics.insert(metric, Measure::Scalar(mean));
        }
    }
    outcome.judge();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Cause;
    use crate::for_tests::metric;

    fn measured(values: &[(&str, f64)]) -> Outcome {
        let mut outcome = Outcome::default();
        let of = |&(name, value): &(&str, f64)| (metric(name).unwrap(), Measure::Scalar(value));
        outcome.metrics = values.iter().map(of).collect();
        outcome
    }

    #[test]
    fn validation_metrics_are_means_over_the_rounds_and_all_else_is_of_the_scored_fit() {
        let scored = measured(&[("test_accuracy", 0.25), ("nodes", 7.0)]);
        let rounds = [0.5, 1.0].map(|accuracy| {
            measured(&[("valid_accuracy", accuracy), ("test_accuracy", accuracy), ("nodes", 3.0)])
        });
        let expected =
            measured(&[("test_accuracy", 0.25), ("nodes", 7.0), ("valid_accuracy", 0.75)]);
        assert_eq!(validated(scored, &rounds), expected);
    }

    #[test]
    fn a_round_that_fails_ends_the_trial() {
        let scored = measured(&[("test_accuracy", 0.25)]);
        let failed = Outcome::ended(Cause::GaveUp, "no");
        let rounds = [measured(&[("valid_accuracy", 0.5)]), failed];
        let ended = Outcome::ended(Cause::GaveUp, "inner fold 1: no");
        assert_eq!(validated(scored, &rounds), ended);
    }

    #[test]
    fn what_is_not_finite_on_test_examples_of_a_round_is_not_the_trials() {
        let scored = measured(&[("test_ll", -1.0)]);
        let mut round = measured(&[("test_ll", f64::NEG_INFINITY), ("valid_ll", -2.0)]);
        round.judge();
        assert_eq!(validated(scored.clone(), &[round]).cause, None);
        let round = measured(&[("valid_ll", f64::NEG_INFINITY)]);
        assert_eq!(validated(scored, &[round]).message, "not a finite number: valid_ll");
    }
}
