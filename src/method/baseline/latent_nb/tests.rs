use crate::metrics::{PARAMETERS, UNCONVERGED};
use proptest::prelude::*;

use super::*;
use crate::shared::em::BestRun;
use base::digest::Digest;
use contract::FitError;
use contract::parameter::Parameters;
use math::special::exp;
use testing::{all_states, context, total_probability, unmerged};

fn settings(components: usize, smoothing: f64) -> Settings {
    Settings {
        components,
        smoothing,
        prior_smoothing: 0.0,
        restarts: 3,
        tolerance: 1e-3,
        max_iterations: 200,
        remainder: em::Remainder::Unassigned,
        initial: em::Initial::Hard,
    }
}

fn learn(train: &DistinctRows, settings: &Settings, idle: usize) -> BestRun<LatentNb> {
    let context = context(Digest::of(b"latent-nb"), idle);
    let mut learner = Sparse::new(train, settings, &context.cores);
    em::best_of_restarts(&mut learner, train, settings, &context).unwrap()
}

fn close(left: &[f64], right: &[f64]) -> bool {
    left.iter().zip(right).all(|(a, b)| a == b || (a - b).abs() < 1e-9 * (1.0 + a.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_likelihood_never_falls_without_smoothing(
        states in prop::collection::vec(0usize..64, 12..120),
        components in 1usize..6,
    ) {
        let train = all_states(6).select(states).distinct();
        let settings = settings(components, 1e-12);
        let context = context(Digest::of(b"monotone"), 0);
        let mut learner = Sparse::new(&train, &settings, &context.cores);
        let first = Assignment::initial(&train, &settings, &context, 0).unwrap();
        let mut last = learner.begin(&first).unwrap();
        for _ in 0..30 {
            let next = learner.iterate().unwrap();
            prop_assert!(next >= last - 1e-7 * last.abs(), "{} after {}", next, last);
            last = next;
        }
    }

    #[test]
    fn dense_loops_give_the_same_model(
        states in prop::collection::vec(0usize..128, 12..120),
        components in 1usize..7,
    ) {
        let train = all_states(7).select(states).distinct();
        let settings = settings(components, 0.1);
        let context = context(Digest::of(b"dense"), 0);
        let first = Assignment::initial(&train, &settings, &context, 0).unwrap();
        let mut sparse = Sparse::new(&train, &settings, &context.cores);
        let mut dense = Dense::new(&train, &settings);
        let mut pair = [sparse.begin(&first).unwrap(), dense.begin(&first).unwrap()];
        for _ in 0..5 {
            prop_assert!((pair[0] - pair[1]).abs() < 1e-9 * pair[0].abs());
            pair = [sparse.iterate().unwrap(), dense.iterate().unwrap()];
        }
        prop_assert!(close(&sparse.model().odds, &dense.model().odds));
        prop_assert!(close(&sparse.model().base, &dense.model().base));
    }

    #[test]
    fn models_are_distributions(
        states in prop::collection::vec(0usize..64, 8..60),
        components in 1usize..6,
        smoothing in prop::sample::select(vec![1e-12, 0.1, 3.0]),
    ) {
        let train = all_states(6).select(states).distinct();
        let model = learn(&train, &settings(components, smoothing), 0).model;
        prop_assert!((total_probability(&model, 6) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn merging_duplicates_changes_nothing_but_rounding(
        states in prop::collection::vec(0usize..16, 8..80),
    ) {
        let rows = all_states(4).select(states);
        // Rounding could decide between equally good restarts, or end a run earlier.
        let one = Settings { restarts: 1, tolerance: 0.0, max_iterations: 4, ..settings(3, 0.1) };
        let merged = learn(&rows.distinct(), &one, 0);
        let unmerged = learn(&unmerged(&rows), &one, 0);
        prop_assert!(close(&merged.model.odds, &unmerged.model.odds));
    }
}

#[test]
fn one_component_is_a_product_of_the_columns() {
    let rows = all_states(3).select([0, 1, 1, 7]);
    let model = learn(&rows.distinct(), &settings(1, 0.5), 0).model;
    // Columns have 3, 1 and 1 ones of 4; smoothed 3.5 / 5, 1.5 / 5, 1.5 / 5.
    let out = model.log_likelihoods(&all_states(3), &Cores::default());
    assert!((exp(out[1]) - 0.7 * 0.7 * 0.7).abs() < 1e-15);
    assert!((exp(out[6]) - 0.3 * 0.3 * 0.3).abs() < 1e-15);
    assert_eq!(model.measures(), [(&PARAMETERS, Measure::Scalar(3.0))]);
}

#[test]
fn results_do_not_depend_on_the_number_of_cores() {
    // Enough ones for several chunks.
    let rows = all_states(12).select((0..4096).map(|i| i * i % 4093));
    let train = rows.distinct();
    let alone = learn(&train, &settings(5, 0.1), 0);
    for idle in [1, 3] {
        let helped = learn(&train, &settings(5, 0.1), idle);
        assert_eq!(alone.model, helped.model);
        assert_eq!(alone.log_likelihood.to_bits(), helped.log_likelihood.to_bits());
    }
}

#[test]
fn runs_that_reach_the_limit_are_counted() {
    let train = all_states(6).select((0..64).map(|i| i * i % 61)).distinct();
    let limited = Settings { max_iterations: 1, tolerance: 0.0, ..settings(4, 0.1) };
    let outcome = learn(&train, &limited, 0);
    assert_eq!(outcome.unconverged, 3);
    assert!(outcome.measures().contains(&(&UNCONVERGED, Measure::Scalar(3.0))));
    assert_eq!(learn(&train, &settings(4, 0.1), 0).unconverged, 0);
}

#[test]
fn deadlines_and_interrupts_end_a_fit() {
    let train = all_states(4).distinct();
    let mut context = context(Digest::of(b"late"), 0);
    context.deadline = Some(std::time::Instant::now());
    let parameters = Parameters::defaults(LATENT_NB.parameters);
    let mut few = parameters;
    few.set("components", contract::parameter::Value::Integer(2));
    let result = (LATENT_NB.density().unwrap())(&few, &train, &context, &mut None);
    assert_eq!(result.err(), Some(FitError::Timeout));
}
