use super::*;

fn sample(variables: usize, relevant: usize, function: Function, sampling: Sampling) -> Drawn {
    let draws = Some(Draws { sampling, seed: 5, train: 60_000, test: 4_000 });
    FunctionSample::new(variables, relevant, function, draws).unwrap().draw()
}

/// Each row as a number, bit v being variable v, and its class.
fn states(drawn: &Drawn) -> Vec<(u64, u32)> {
    let Examples::Packed(rows) = &drawn.examples else { panic!("packed") };
    let labels = drawn.targets.labels().unwrap();
    rows.iter().map(|row| row[0]).zip(labels.of_example.iter().copied()).collect()
}

/// Checks how often each state occurs against its probability, within six standard deviations.
fn assert_distribution(drawn: &Drawn, probability: impl Fn(u64) -> f64) {
    let Examples::Packed(rows) = &drawn.examples else { panic!("packed") };
    let total = rows.len() as f64;
    let mut counts = vec![0.0; 1 << rows.variables()];
    states(drawn).into_iter().for_each(|(state, _)| counts[state as usize] += 1.0);
    let sum: f64 = (0..counts.len()).map(|state| probability(state as u64)).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    for (state, &count) in (0u64..).zip(&counts) {
        let p = probability(state);
        let error: f64 = count - total * p;
        let bound = 6.0 * (total * p * (1.0 - p)).sqrt();
        assert!(error.abs() <= bound, "state {state:b}: {count} of {total} at {p}");
    }
}

fn choose(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

#[test]
fn every_state_has_the_probability_of_its_sampling() {
    const RELEVANT: u64 = 0b1_1111;
    let function = Function::Exact { values: vec![0, 2] };
    let drawn = |sampling| sample(7, 5, function.clone(), sampling);
    assert_distribution(&drawn(Sampling::Uniform), |_| 1.0 / 128.0);
    assert_distribution(&drawn(Sampling::UniformCount), |state| {
        1.0 / 6.0 / choose(5, (state & RELEVANT).count_ones()) / 4.0
    });
    assert_distribution(&drawn(Sampling::Balanced), |state| {
        let ones = (state & RELEVANT).count_ones();
        let of_class = if matches!(ones, 0 | 2) { 2.0 } else { 4.0 };
        0.5 / of_class / choose(5, ones) / 4.0
    });
}

#[test]
fn rows_over_several_words_have_their_numbers_of_ones_and_fair_irrelevant_bits() {
    let least = Function::Threshold { least: 60 };
    let drawn = sample(200, 130, least, Sampling::UniformCount);
    let Examples::Packed(rows) = &drawn.examples else { panic!("packed") };
    let labels = &drawn.targets.labels().unwrap().of_example;
    let mut of_count = [0u32; 131];
    let mut of_variable = [0u32; 200];
    for (row, &class) in rows.iter().zip(labels) {
        let ones: Vec<u32> = contract::packed::ones_of(row).collect();
        let count = ones.iter().filter(|&&one| one < 130).count();
        assert_eq!(class, u32::from(count < 60));
        of_count[count] += 1;
        ones.iter().for_each(|&one| of_variable[one as usize] += 1);
    }
    // 64,000 rows: six standard deviations of a binomial at 1/131 are 132, at 1/2 they are 759.
    assert!(of_count.iter().all(|&count| count.abs_diff(64_000 / 131) < 132), "{of_count:?}");
    assert!(of_variable.iter().all(|&n| n.abs_diff(32_000) < 759), "{of_variable:?}");
}

#[test]
fn random_subsets_are_uniform_and_leave_no_bit_behind_them() {
    let mut random = Random::new(Digest::of(b"subset"));
    for (n, size) in [(6, 0), (6, 2), (6, 3), (6, 5), (6, 6), (64, 1), (70, 69)] {
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..30_000 {
            let mut row = [u64::MAX; 2];
            random_subset(n, size, &mut random, &mut row);
            assert_eq!(row.iter().map(|word| word.count_ones()).sum::<u32>(), size as u32);
            assert_eq!(ones_below(n, &row), size);
            *counts.entry(row).or_insert(0u32) += 1;
        }
        let subsets = choose(n as u32, size as u32);
        assert_eq!(counts.len() as f64, subsets.round(), "{size} of {n}");
        let expected = 30_000.0 / subsets;
        let fine = |&count: &u32| (f64::from(count) - expected).abs() <= 6.0 * expected.sqrt();
        assert!(counts.values().all(fine), "{size} of {n}: {counts:?}");
    }
}

#[test]
fn an_exhaustive_sample_has_every_state_once_with_the_value_of_its_function() {
    let of = |relevant, function| FunctionSample::new(4, relevant, function, None).unwrap().draw();
    for (relevant, function, value) in [
        (4, Function::Parity, (|x| x.count_ones() % 2 == 1) as fn(u64) -> bool),
        (4, Function::Counting { modulus: 3, remainder: 1 }, |x| matches!(x.count_ones(), 1 | 4)),
        (3, Function::Threshold { least: 2 }, |x| (x & 7).count_ones() >= 2),
        (4, Function::Exact { values: vec![0, 3] }, |x| matches!(x.count_ones(), 0 | 3)),
        (2, Function::Conjunction, |x| x & 3 == 3),
        (2, Function::Disjunction, |x| x & 3 != 0),
    ] {
        let drawn = of(relevant, function.clone());
        let expected: Vec<(u64, u32)> =
            (0..16).map(|state| (state, u32::from(!value(state)))).collect();
        assert_eq!(states(&drawn), expected, "{function:?}");
        let blocks: Vec<u32> = (0..4).map(|v| u32::from(v >= relevant)).collect();
        assert!(matches!(&drawn.truth, Truth::Blocks(found) if **found == blocks));
    }
}

#[test]
fn the_digest_depends_on_every_parameter() {
    let random = Some(Draws { sampling: Sampling::Uniform, seed: 1, train: 5, test: 2 });
    let of = |variables, relevant, function, draws| {
        FunctionSample::new(variables, relevant, function, draws).unwrap().digest()
    };
    let exact = |values: &[usize]| Function::Exact { values: values.to_vec() };
    let counting = |modulus, remainder| Function::Counting { modulus, remainder };
    let mut digests = vec![
        of(9, 8, Function::Parity, random),
        of(8, 8, Function::Parity, random),
        of(9, 7, Function::Parity, random),
        of(9, 8, Function::Parity, None),
    ];
    for (sampling, seed, train, test) in [
        (Sampling::Balanced, 1, 5, 2),
        (Sampling::UniformCount, 1, 5, 2),
        (Sampling::Uniform, 2, 5, 2),
        (Sampling::Uniform, 1, 6, 2),
        (Sampling::Uniform, 1, 5, 3),
    ] {
        let draws = Some(Draws { sampling, seed, train, test });
        digests.push(of(9, 8, Function::Parity, draws));
    }
    for function in [
        Function::Conjunction,
        Function::Disjunction,
        Function::Threshold { least: 2 },
        Function::Threshold { least: 3 },
        counting(4, 1),
        counting(5, 1),
        counting(4, 2),
        exact(&[1]),
        exact(&[1, 2]),
    ] {
        digests.push(of(9, 8, function, random));
    }
    let count = digests.len();
    let distinct: std::collections::BTreeSet<Digest> = digests.into_iter().collect();
    assert_eq!(distinct.len(), count);
}

#[test]
fn the_sampling_of_random_examples_can_be_varied() {
    let draws = |sampling| Some(Draws { sampling, seed: 1, train: 5, test: 2 });
    let of = |draws| FunctionSample::new(9, 9, Function::Parity, draws).unwrap();
    let uniform = of(draws(Sampling::Uniform));
    let [(parameter, _)] = uniform.parameters()[..] else { panic!("one parameter") };
    assert_eq!(parameter.name, "sampling");
    for (word, sampling) in Sampling::WORDS.iter() {
        let value = parameter.check(Value::Text(word.to_owned())).unwrap();
        assert_eq!(uniform.with("sampling", &value), Some(of(draws(sampling)).into()));
    }
    let text = |word: &str| Value::Text(word.to_owned());
    assert_eq!(uniform.with("sampling", &text("exhaustive")), None);
    assert_eq!(uniform.with("seed", &text("uniform")), None);
    let exhaustive = of(None);
    assert!(exhaustive.parameters().is_empty());
    assert_eq!(exhaustive.with("sampling", &text("uniform")), None);
}
