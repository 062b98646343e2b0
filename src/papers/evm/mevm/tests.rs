use method::metrics::{PARAMETERS, UNCONVERGED};
use proptest::prelude::*;

use super::*;
use base::digest::Digest;
use base::parallel::Cores;
use contract::DensityModel;
use contract::Measure;
use contract::binary::BinaryRows;
use contract::parameter::{Domain, Value};
use math::special::{exp, ln, ln_gamma};
use method::baseline::latent_nb;
use method::shared::em::{Assignment, Learner};
use testing::{all_states, context, total_probability, unmerged};

fn parameters(changes: &[(&str, Value)]) -> Parameters {
    let mut parameters = Parameters::defaults(MEVM.parameters);
    parameters.set("components", Value::Integer(3));
    parameters.set("restarts", Value::Integer(2));
    for (name, value) in changes {
        let descriptor = MEVM.parameters.iter().find(|p| p.name == *name).unwrap();
        parameters.set(name, descriptor.check(value.clone()).unwrap());
    }
    parameters
}

fn word(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn fitted(rows: &BinaryRows, changes: &[(&str, Value)]) -> BestRun<Mevm> {
    learn(&parameters(changes), &rows.distinct(), &context(Digest::of(b"mevm"), 0)).unwrap()
}

fn scores(model: &dyn DensityModel, rows: &BinaryRows) -> Vec<f64> {
    model.log_likelihoods(rows, &Cores::default())
}

fn close(left: &[f64], right: &[f64]) -> bool {
    left.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + a.abs()))
}

/// Every option of every word parameter, one at a time.
fn options() -> Vec<(&'static str, Value)> {
    let mut options = vec![("bessel", Value::Bool(false))];
    for parameter in MEVM.parameters {
        if let Domain::Word(words) = parameter.domain {
            options.extend(words.iter().map(|(option, _)| (parameter.name, word(option))));
        }
    }
    options
}

/// ln P(x) by definition 4.1, from the partitions, q(ℓ | y) and p(y) alone.
fn by_definition(model: &Mevm, row: &[u32]) -> f64 {
    let mut total = 0.0;
    for (y, partition) in model.structure.partitions.iter().enumerate() {
        let mut product = exp(model.log_priors[y]);
        for (members, slots) in partition.members().iter().zip(model.structure.blocks(y)) {
            let ones = members.iter().filter(|&&v| row.contains(&(v as u32))).count();
            product *= exp(model.log_states[slots][ones]);
        }
        total += product;
    }
    ln(total)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn models_are_distributions_for_every_option(
        states in prop::collection::vec(0usize..64, 20..80),
    ) {
        let rows = all_states(6).select(states);
        for option in options() {
            let model = fitted(&rows, std::slice::from_ref(&option)).model;
            let total = total_probability(&model, 6);
            prop_assert!((total - 1.0).abs() < 1e-9, "{:?}: {}", option, total);
        }
    }

    #[test]
    fn scores_follow_the_definition(states in prop::collection::vec(0usize..64, 20..80)) {
        let model = fitted(&all_states(6).select(states), &[]).model;
        let all = all_states(6);
        let expected: Vec<f64> = all.iter().map(|row| by_definition(&model, row)).collect();
        prop_assert!(close(&scores(&model, &all), &expected));
    }

    #[test]
    fn blocks_of_one_variable_are_naive_bayes(
        states in prop::collection::vec(0usize..64, 20..80),
        soft in any::<bool>(),
    ) {
        let train = all_states(6).select(states).distinct();
        let context = context(Digest::of(b"singletons"), 0);
        let initial = word(if soft { "soft" } else { "hard" });
        let parameters = parameters(&[("partition", word("singletons")), ("initial", initial)]);
        let settings = Settings::read(&parameters);
        let mevm = MevmSettings::read(&parameters);
        let mut ours = MevmLearner::new(&train, &settings, &mevm, &context.cores);
        let mut naive = latent_nb::Sparse::new(&train, &settings, &context.cores);
        let first = Assignment::initial(&train, &settings, &context, 0).unwrap();
        let mut pair = [ours.begin(&first).unwrap(), naive.begin(&first).unwrap()];
        for _ in 0..5 {
            prop_assert!(close(&pair[..1], &pair[1..]), "{:?}", pair);
            pair = [ours.iterate().unwrap(), naive.iterate().unwrap()];
        }
        let all = all_states(6);
        prop_assert!(close(&scores(&ours.model(), &all), &scores(&naive.model(), &all)));
    }

    #[test]
    fn merging_duplicates_changes_nothing_but_rounding(
        states in prop::collection::vec(0usize..16, 20..80),
        soft in any::<bool>(),
    ) {
        let rows = all_states(4).select(states);
        // Rounding could decide between equally good restarts, end a run earlier, or grow from iteration to iteration.
        let changes = [
            ("initial", word(if soft { "soft" } else { "hard" })),
            ("restarts", Value::Integer(1)),
            ("tolerance", Value::Real(0.0)),
            ("max_iterations", Value::Integer(4)),
        ];
        let merged = fitted(&rows, &changes);
        let context = context(Digest::of(b"mevm"), 0);
        let apart = learn(&parameters(&changes), &unmerged(&rows), &context).unwrap();
        prop_assert_eq!(&merged.model.structure, &apart.model.structure);
        prop_assert!(close(&merged.model.log_states, &apart.model.log_states));
    }

    #[test]
    fn likelihood_never_falls_when_the_structure_is_chosen_by_it(
        states in prop::collection::vec(0usize..256, 40..200),
    ) {
        let train = all_states(8).select(states).distinct();
        let context = context(Digest::of(b"monotone"), 0);
        let parameters = parameters(&[("smoothing", Value::Real(1e-12))]);
        let settings = Settings::read(&parameters);
        let mevm = MevmSettings::read(&parameters);
        let mut learner = MevmLearner::new(&train, &settings, &mevm, &context.cores);
        let first = Assignment::initial(&train, &settings, &context, 0).unwrap();
        let mut last = learner.begin(&first).unwrap();
        for _ in 0..20 {
            let next = learner.iterate().unwrap();
            prop_assert!(next >= last - 1e-7 * last.abs(), "{} after {}", next, last);
            last = next;
        }
    }
}

/// Two components of 12 variables: exchangeable, and far from independent, in two blocks each.
fn exchangeable() -> BinaryRows {
    let mut random = math::random::Random::new(Digest::of(b"exchangeable"));
    let mut rows = BinaryRows::new(12);
    for _ in 0..3000 {
        let second = random.below(2) == 1;
        let mut ones = Vec::new();
        for (block, range) in [(0, 0..6u32), (1, 6..12)] {
            // All or nothing in the block, with a rate that depends on both.
            let rate = if second == (block == 0) { 0.9 } else { 0.2 };
            let level = if random.uniform() < rate { 0.9 } else { 0.1 };
            ones.extend(range.filter(|_| random.uniform() < level));
        }
        rows.push(&ones);
    }
    rows
}

#[test]
fn one_component_finds_the_blocks() {
    let rows = exchangeable();
    // Given the one component, variables 0..6 share a mean, and so do 6..12: about the same one.
    let model = fitted(&rows, &[("components", Value::Integer(1))]).model;
    assert!(model.structure.partitions[0].blocks <= 3);
    let n = rows.len() as f64;
    let whole = fitted(&rows, &[("components", Value::Integer(1)), ("alpha", Value::Real(1e-9))]);
    assert_eq!(whole.model.structure.partitions[0].blocks, 1);
    // Theorem 3.2: the weights of the numbers of ones are their shares of the examples.
    for ones in 0..=12 {
        let count = rows.iter().filter(|row| row.len() == ones).count() as f64;
        let log_binomial =
            ln_gamma(13.0) - ln_gamma(ones as f64 + 1.0) - ln_gamma(13.0 - ones as f64);
        let expected = ln((count + 0.1) / (n + 1.3)) - log_binomial;
        assert!((whole.model.log_states[ones] - expected).abs() < 1e-12);
    }
    assert!(whole.measures().contains(&(&UNCONVERGED, Measure::Scalar(0.0))));
    let free = Measure::Scalar(12.0);
    assert!(whole.model.measures().contains(&(&PARAMETERS, free)), "k + k n - 1 = 12");
}

#[test]
fn covariance_parts_what_means_do_not() {
    // Variables 0..4 are equal to each other, 4..8 independent, all with mean 1/2.
    let mut random = math::random::Random::new(Digest::of(b"covariance"));
    let mut rows = BinaryRows::new(8);
    for _ in 0..4000 {
        let mut ones: Vec<u32> = if random.below(2) == 1 { (0..4).collect() } else { vec![] };
        ones.extend((4..8).filter(|_| random.below(2) == 1));
        rows.push(&ones);
    }
    let learn = |conditions: &str| {
        let changes = [
            ("components", Value::Integer(1)),
            ("alpha", Value::Real(1e-4)),
            ("conditions", word(conditions)),
        ];
        fitted(&rows, &changes).model.structure.partitions[0].block_of.clone()
    };
    assert_eq!(learn("mean"), [0; 8]);
    assert_eq!(learn("mean-variance"), [0; 8]);
    assert_eq!(learn("mean-variance-covariance"), [0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn results_do_not_depend_on_the_number_of_cores() {
    let train = all_states(12).select((0..4096).map(|i| i * i % 4093)).distinct();
    for conditions in ["mean", "mean-variance-covariance"] {
        let parameters = parameters(&[("conditions", word(conditions))]);
        let run = |idle| learn(&parameters, &train, &context(Digest::of(b"cores"), idle)).unwrap();
        let alone = run(0);
        for idle in [1, 3] {
            let helped = run(idle);
            assert_eq!(alone.model, helped.model);
            assert_eq!(alone.log_likelihood.to_bits(), helped.log_likelihood.to_bits());
        }
    }
}

#[test]
fn the_reported_likelihood_is_the_models() {
    let rows = exchangeable();
    for choice in ["global", "always-new", "per-component"] {
        let outcome = fitted(&rows, &[("structure", word(choice))]);
        let total: f64 = scores(&outcome.model, &rows).iter().sum();
        assert!((total - outcome.log_likelihood).abs() < 1e-9 * total.abs(), "{choice}");
    }
}

#[test]
fn long_rows_are_counted_too() {
    // Rows of more ones than a byte counts, in blocks of more variables than that.
    let mut rows = BinaryRows::new(600);
    for shift in 0..40u32 {
        rows.push(&(0..600).filter(|v| v % 40 != shift).collect::<Vec<_>>());
        rows.push(&(0..600).filter(|v| v % 7 == shift % 7).collect::<Vec<_>>());
        rows.push(&[shift]);
    }
    let model = fitted(&rows, &[]).model;
    assert!(model.structure.partitions.iter().all(|partition| partition.blocks < 64));
    for (row, score) in rows.iter().zip(scores(&model, &rows)) {
        let expected: Vec<f64> = (model.log_priors.iter().enumerate())
            .map(|(y, prior)| {
                let members = model.structure.partitions[y].members();
                let logs = members.iter().zip(model.structure.blocks(y)).map(|(members, slots)| {
                    let ones = row.iter().filter(|&&one| members.contains(&(one as usize))).count();
                    model.log_states[slots][ones]
                });
                prior + logs.sum::<f64>()
            })
            .collect();
        let top = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let expected = top + ln(expected.iter().map(|value| exp(value - top)).sum());
        assert!((score - expected).abs() < 1e-9 * expected.abs(), "{score} {expected}");
    }
}
