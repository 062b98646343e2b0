use super::*;

#[test]
fn the_digest_depends_on_every_parameter() {
    let sizes = Sizes { seed: 1, variables: 9, train: 5, valid: 1, test: 2 };
    let blocks = &Model::MixtureOfBlocks(BlocksKeys { components: 2, blocks: 3 });
    let of = |seed, sizes: Sizes, model: &Model| {
        DensitySample::new(Sizes { seed, ..sizes }, model.clone()).unwrap().digest()
    };
    let digests = [
        of(1, sizes, blocks),
        of(2, sizes, blocks),
        of(1, Sizes { variables: 10, ..sizes }, blocks),
        of(1, Sizes { train: 6, ..sizes }, blocks),
        of(1, Sizes { valid: 0, ..sizes }, blocks),
        of(1, Sizes { test: 3, ..sizes }, blocks),
        of(1, sizes, &Model::MixtureOfBlocks(BlocksKeys { components: 3, blocks: 3 })),
        of(1, sizes, &Model::MixtureOfBlocks(BlocksKeys { components: 2, blocks: 2 })),
        of(1, sizes, &Model::Tree(TreeKeys {})),
        of(1, sizes, &Model::Independent(IndependentKeys { probabilities: vec![0.1, 0.2] })),
        of(1, sizes, &Model::Independent(IndependentKeys { probabilities: vec![0.1, 0.3] })),
    ];
    let distinct: std::collections::BTreeSet<Digest> = digests.into_iter().collect();
    assert_eq!(distinct.len(), digests.len());
}

/// Mean and variance of the number of ones in 20,000 draws of ten variables from an urn, and
/// how often the first and the last variable are one.
fn moments(ones: f64, total: f64, reinforcement: f64) -> [f64; 4] {
    let urn = Urn { variables: (0..10).collect(), ones, total, reinforcement };
    let mut draw = mixture(vec![vec![urn]], vec![1.0]);
    let mut random = Random::new(Digest::of(b"urn"));
    let mut row = [false; 10];
    let draws = 20_000;
    let (mut sum, mut squares, mut first, mut last) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..draws {
        draw(&mut random, &mut row);
        let count = row.iter().filter(|&&one| one).count() as f64;
        sum += count;
        squares += count * count;
        first += f64::from(row[0]);
        last += f64::from(row[9]);
    }
    let n = f64::from(draws);
    let mean = sum / n;
    [mean, squares / n - mean * mean, first / n, last / n]
}

fn assert_near(found: [f64; 4], expected: [f64; 4]) {
    let near = found.iter().zip(&expected).all(|(f, e)| (f - e).abs() < 0.03 * e);
    assert!(near, "{found:?}, expected {expected:?}");
}

#[test]
fn urns_are_exchangeable_with_the_closed_moments() {
    // Beta-binomial(10; 0.8, 1.2): mean 10 * 0.4, variance 10 * 0.24 * (2 + 10) / (2 + 1).
    assert_near(moments(0.8, 2.0, 1.0), [4.0, 9.6, 0.4, 0.4]);
    // Hypergeometric, 10 of 20 with 8 ones: variance 10 * 0.24 * (20 - 10) / (20 - 1).
    assert_near(moments(8.0, 20.0, -1.0), [4.0, 24.0 / 19.0, 0.4, 0.4]);
}

#[test]
fn a_tree_has_its_conditional_probabilities() {
    let mut random = Random::new(Digest::of(b"tree"));
    let mut draw = tree(Node::random(6, &mut random));
    let nodes = Node::random(6, &mut Random::new(Digest::of(b"tree")));
    let mut counts = [[[0.0; 2]; 2]; 6];
    let mut row = [false; 6];
    for _ in 0..20_000 {
        draw(&mut random, &mut row);
        for node in &nodes {
            let given = usize::from(node.parent.is_some_and(|parent| row[parent]));
            counts[node.name][given][usize::from(row[node.name])] += 1.0;
        }
    }
    assert!(nodes[1..].iter().all(|node| node.parent.is_some()));
    for node in &nodes {
        for (given, &[zeros, ones]) in counts[node.name].iter().enumerate() {
            let n: f64 = zeros + ones;
            let p = node.ones[given];
            let error = (ones - n * p).abs();
            assert!(error <= 5.0 * (n * p * (1.0 - p)).sqrt(), "{error} of {n} at {p}");
        }
    }
}

#[test]
fn independent_variables_have_probabilities_in_the_range() {
    let sizes = Sizes { seed: 7, variables: 20, train: 10_000, valid: 0, test: 1 };
    let model = Model::Independent(IndependentKeys { probabilities: vec![0.2, 0.3] });
    let counts = DensitySample::new(sizes, model).unwrap().rows().column_counts();
    // Five standard deviations of 10,000 trials are about 215.
    assert!(counts.iter().all(|count| (1785..3215).contains(count)), "{counts:?}");
    assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() > 300, "{counts:?}");
}

#[test]
fn parameters_out_of_range_are_named() {
    let sizes = Sizes { seed: 1, variables: 4, train: 5, valid: 0, test: 5 };
    let errors = |sizes, model| {
        let errors = DensitySample::new(sizes, model).unwrap_err();
        errors.iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    let none = Sizes { train: 0, ..sizes };
    let blocks = Model::MixtureOfBlocks(BlocksKeys { components: 1, blocks: 5 });
    assert_eq!(
        errors(none, blocks),
        [
            "`train` must be from 1 to 10000000",
            "`blocks` must be from 1 to the number of variables, 4",
        ]
    );
    for (low, high) in [(0.5, 0.4), (-0.1, 0.4), (0.1, 1.1), (f64::NAN, 0.5)] {
        assert_eq!(
            errors(sizes, Model::Independent(IndependentKeys { probabilities: vec![low, high] })),
            ["`probabilities` must be [low, high] with 0 <= low <= high <= 1"]
        );
    }
}

#[test]
fn a_tied_network_has_its_conditional_log_odds() {
    let sizes = Sizes { seed: 5, variables: 4, train: 200_000, valid: 0, test: 1 };
    let model = Model::TiedNetwork(TiedKeys { clusters: 3, spacing: 0.8, width: 0.0 });
    let sample = DensitySample::new(sizes, model).unwrap();
    let Truth::Clusters(clusters) = sample.truth() else { panic!("no clusters") };
    assert_eq!((clusters.len(), clusters.iter().max()), (10, Some(&2)));
    let value = |parameter: usize| 0.8 * (f64::from(clusters[parameter]) - 1.0);
    // Of variable 0 given the others: its node's value, and those of its pairs with ones.
    let mut counts = [[0.0; 2]; 8];
    for row in sample.rows().iter() {
        let others: usize = row.iter().filter(|&&one| one > 0).map(|&one| 1 << (one - 1)).sum();
        counts[others][usize::from(row.first() == Some(&0))] += 1.0;
    }
    for (others, [zeros, ones]) in counts.into_iter().enumerate() {
        let pairs = (0..3).filter(|pair| others >> pair & 1 == 1);
        let expected = value(0) + pairs.map(|pair| value(4 + pair)).sum::<f64>();
        let found = special::ln(ones / zeros);
        // Five standard errors of log-odds.
        let error = 5.0 * (1.0 / ones + 1.0 / zeros).sqrt();
        assert!((found - expected).abs() < error, "{others}: {found}, not {expected}");
    }
}
