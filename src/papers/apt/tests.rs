use super::likelihood::Likelihood;
use super::network::Network;
use super::objective::{Answer, Loss, Request, gradient};
use super::pseudo_likelihood::PseudoLikelihood;
use base::digest::Digest;
use base::parallel::Cores;
use contract::binary::{BinaryRows, DistinctRows};
use math::newton::{Asked, Hessian};
use math::random::Random;
use math::special::{exp, ln};
use testing::{all_states, context, unmerged};

/// Rows of independent bits.
pub(super) fn drawn(seed: &str, examples: usize, variables: usize, share: f64) -> BinaryRows {
    let mut random = Random::new(Digest::of(seed.as_bytes()));
    let mut rows = BinaryRows::new(variables);
    for _ in 0..examples {
        let ones: Vec<u32> = (0..variables as u32).filter(|_| random.uniform() < share).collect();
        rows.push(&ones);
    }
    rows
}

/// A network in which each pair is an edge with this probability.
pub(super) fn drawn_network(seed: &str, variables: usize, share: f64) -> Network {
    let mut random = Random::new(Digest::of(seed.as_bytes()));
    let n = variables as u32;
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
    Network::new(variables, pairs.filter(|_| random.uniform() < share))
}

pub(super) fn drawn_parameters(seed: &str, count: usize) -> Vec<f64> {
    let mut random = Random::new(Digest::of(seed.as_bytes()));
    (0..count).map(|_| 2.0 * random.uniform() - 1.0).collect()
}

fn pseudo_likelihood(network: &Network, train: &DistinctRows) -> PseudoLikelihood {
    PseudoLikelihood::new(network.clone(), train, &context(Digest::of(b""), 0)).unwrap()
}

/// ln P(x) up to a constant, by the definition.
fn energy(network: &Network, parameters: &[f64], state: &[bool]) -> f64 {
    let n = network.variables();
    let one = |v: u32| f64::from(state[v as usize]);
    let nodes: f64 = (0..n).map(|v| parameters[v] * one(v as u32)).sum();
    let edges = network.edges.iter().enumerate();
    nodes + edges.map(|(at, &[a, b])| parameters[n + at] * one(a) * one(b)).sum::<f64>()
}

fn states(rows: &BinaryRows) -> Vec<Vec<bool>> {
    let of = |row: &[u32]| (0..rows.variables()).map(|v| row.contains(&(v as u32))).collect();
    rows.iter().map(of).collect()
}

/// Σ_i ln P(x_i | the others), each conditional from the joint energies of its two states.
fn by_definition(network: &Network, parameters: &[f64], state: &[bool]) -> f64 {
    let energy = |state: &[bool]| energy(network, parameters, state);
    let of = |v: usize| {
        let mut other = state.to_vec();
        other[v] = !other[v];
        -ln(1.0 + exp(energy(&other) - energy(state)))
    };
    (0..state.len()).map(of).sum()
}

#[test]
fn pseudo_log_likelihood_is_that_of_the_definition() {
    // Degrees above 8 and 16 take several codes; dense and sparse rows.
    for (variables, edges, share) in [(6, 0.5, 0.5), (23, 0.9, 0.6), (23, 0.3, 0.05), (4, 0.0, 0.3)]
    {
        let network = drawn_network("network", variables, edges);
        let rows = drawn("rows", 60, variables, share);
        let parameters = drawn_parameters("parameters", network.parameters());
        let expected: Vec<f64> =
            states(&rows).iter().map(|row| by_definition(&network, &parameters, row)).collect();
        let found = network.pseudo_log_likelihoods(&parameters, &rows, &Cores::new(0));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
        }
        let pseudo = pseudo_likelihood(&network, &rows.distinct());
        let (loss, _) = gradient(&pseudo, &parameters, &Cores::new(0));
        let expected = -expected.iter().sum::<f64>();
        assert!((loss - expected).abs() < 1e-10, "{loss} instead of {expected}");
    }
}

#[test]
fn gradient_and_curvature_are_finite_differences() {
    for (variables, edges, share) in [(21, 0.8, 0.5), (30, 0.4, 0.1)] {
        let network = drawn_network("network", variables, edges);
        let pseudo = pseudo_likelihood(&network, &drawn("rows", 80, variables, share).distinct());
        let parameters = drawn_parameters("parameters", network.parameters());
        let cores = Cores::new(0);
        agree(&pseudo, &parameters, &cores);
    }
}

/// The derivatives are finite differences of the loss, and the Hessian's products of the derivatives.
fn agree(loss: &dyn Loss, parameters: &[f64], cores: &Cores) {
    let (_, found) = gradient(loss, parameters, cores);
    let hessian = hessian(loss, parameters, cores);
    let m = parameters.len();
    for at in 0..m {
        let shifted = |step: f64| {
            let mut shifted = parameters.to_vec();
            shifted[at] += step;
            gradient(loss, &shifted, cores)
        };
        let (above, below) = (shifted(1e-5), shifted(-1e-5));
        let slope = (above.0 - below.0) / 2e-5;
        assert!((found[at] - slope).abs() < 1e-6, "{at}: {} instead of {slope}", found[at]);
        let mut unit = vec![0.0; m];
        unit[at] = 1.0;
        let mut column = vec![0.0; m];
        hessian.multiply(&unit, &mut column);
        let differences = above.1.iter().zip(&below.1).map(|(above, below)| (above - below) / 2e-5);
        for (found, curvature) in column.iter().zip(differences) {
            assert!((found - curvature).abs() < 2e-6, "{at}: {found} for {curvature}");
        }
        assert!((hessian.diagonal()[at] - column[at]).abs() < 1e-6);
    }
}

fn hessian(loss: &dyn Loss, point: &[f64], cores: &Cores) -> Box<dyn Hessian> {
    match loss.serve(&[Request { point, asked: Asked::Hessian }], cores).pop() {
        Some(Answer::Hessian(hessian)) => hessian,
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn hessians_are_the_same_in_any_company() {
    let network = drawn_network("network", 30, 0.4);
    let pseudo = pseudo_likelihood(&network, &drawn("rows", 80, 30, 0.3).distinct());
    let m = network.parameters();
    let points: Vec<Vec<f64>> =
        (0..11).map(|at| drawn_parameters(&format!("point {at}"), m)).collect();
    let requests: Vec<Request<'_>> =
        points.iter().map(|point| Request { point, asked: Asked::Hessian }).collect();
    let answers = pseudo.serve(&requests, &Cores::new(1));
    for (point, answer) in points.iter().zip(answers) {
        let Answer::Hessian(together) = answer else { panic!("{answer:?}") };
        let alone = hessian(&pseudo, point, &Cores::new(0));
        assert_eq!(format!("{together:?}"), format!("{alone:?}"));
    }
}

#[test]
fn merged_rows_and_more_cores_give_the_same() {
    let network = drawn_network("network", 40, 0.5);
    let rows = drawn("rows", 9000, 40, 0.15);
    let parameters = drawn_parameters("parameters", network.parameters());
    let of = |train: &DistinctRows, idle: usize| {
        let pseudo = pseudo_likelihood(&network, train);
        let (loss, gradient) = gradient(&pseudo, &parameters, &Cores::new(idle));
        (pseudo, loss, gradient)
    };
    let (pseudo, loss, gradient) = of(&unmerged(&rows), 0);
    assert!(pseudo.parts() > 1, "the evaluation is shared");
    let patterns: usize = pseudo.neighbourhoods.iter().map(|of| of.examples.len()).sum();
    assert!(patterns < 9000 * 40, "a loop over the examples would see as many");
    assert_eq!((loss, gradient.clone()), {
        let (_, loss, gradient) = of(&unmerged(&rows), 3);
        (loss, gradient)
    });
    let (_, merged_loss, merged) = of(&rows.distinct(), 0);
    assert!((loss - merged_loss).abs() < 1e-8 * loss);
    assert!(gradient.iter().zip(&merged).all(|(a, b)| (a - b).abs() < 1e-8));
}

#[test]
fn the_partition_function_is_a_sum_over_states() {
    let network = drawn_network("network", 7, 0.6);
    let parameters = drawn_parameters("parameters", network.parameters());
    let rows = all_states(7);
    let energies: Vec<f64> =
        states(&rows).iter().map(|state| energy(&network, &parameters, state)).collect();
    let expected = ln(energies.iter().map(|&energy| exp(energy)).sum());
    let found = network.log_partition(&parameters).unwrap();
    assert!((found - expected).abs() < 1e-12);
    for (found, expected) in network.log_weights(&parameters, &rows).iter().zip(&energies) {
        assert!((found - expected).abs() < 1e-12);
    }
}

#[test]
fn the_likelihood_is_that_of_the_states() {
    for (variables, edges) in [(1, 0.0), (2, 1.0), (9, 0.5), (9, 1.0)] {
        let network = drawn_network("network", variables, edges);
        let train = drawn("rows", 40, variables, 0.4).distinct();
        let parameters = drawn_parameters("parameters", network.parameters());
        let loss = Likelihood::new(network.clone(), &train).unwrap();
        let cores = Cores::new(0);
        let (value, _) = gradient(&loss, &parameters, &cores);
        // Each state's probability by the definition.
        let all = states(&all_states(variables));
        let weight = |state: &Vec<bool>| exp(energy(&network, &parameters, state));
        let total: f64 = all.iter().map(weight).sum();
        let of_rows = states(&train.rows);
        let terms = of_rows.iter().zip(&train.counts);
        let terms = terms.map(|(row, &count)| f64::from(count) * ln(weight(row) / total));
        let expected = -terms.sum::<f64>();
        assert!((value - expected).abs() < 1e-10, "{value} instead of {expected}");
        agree(&loss, &parameters, &cores);
    }
    let many = drawn_network("network", 21, 0.1);
    let error = Likelihood::new(many, &drawn("rows", 5, 21, 0.4).distinct()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "not applicable: the likelihood is summed over the states of at most 20 variables, and there are 21"
    );
}

#[test]
fn neighbourhoods_are_bounded() {
    let star = |leaves: u32| Network::new(leaves as usize + 1, (1..=leaves).map(|leaf| [0, leaf]));
    let train = |leaves: u32| drawn("rows", 2, leaves as usize + 1, 0.0).distinct();
    let context = context(Digest::of(b""), 0);
    assert!(PseudoLikelihood::new(star(65_535), &train(65_535), &context).is_ok());
    let error = PseudoLikelihood::new(star(65_536), &train(65_536), &context).unwrap_err();
    assert_eq!(error.to_string(), "a variable has 65536 neighbours; at most 65,535 fit");
}

#[test]
fn there_must_be_examples() {
    let network = drawn_network("network", 3, 0.6);
    let none = BinaryRows::new(3).distinct();
    let error = Likelihood::new(network.clone(), &none).unwrap_err();
    assert_eq!(error.to_string(), "there are no training examples");
    let error = PseudoLikelihood::new(network, &none, &context(Digest::of(b""), 0)).unwrap_err();
    assert_eq!(error.to_string(), "there are no training examples");
}
