//! Tests of the optimisers.

use super::converged::Converged;
use super::likelihood::Likelihood;
use super::network::Network;
use super::objective::{Centres, Hard, Loss as _, Penalty, Soft, means};
use super::pseudo_likelihood::PseudoLikelihood;
use super::sgd::{Settings, Sgd};
use super::solution::Solution;
use super::tests::{drawn, drawn_network, drawn_parameters};
use crate::find;
use base::derived::Derived;
use base::digest::Digest;
use contract::binary::DistinctRows;
use contract::parameter::{Parameters, Value};
use contract::testing::{all_states, context, rows_of};
use contract::{Context, Fit};
use math::k_means::{Clustering, k_means};
use math::lbfgs::{Smooth, Stopping};
use math::special::exp;

/// Calls `test` with the converged optimiser on these rows.
fn with<T>(network: &Network, train: &DistinctRows, test: impl FnOnce(Converged<'_>) -> T) -> T {
    let context: Context = context(Digest::of(b""), 0);
    let pseudo = PseudoLikelihood::new(network.clone(), train, &context).unwrap();
    let stopping = Stopping { tolerance: 1e-12, max_iterations: 1000 };
    test(Converged { loss: &pseudo, context: &context, stopping })
}

fn small() -> (Network, DistinctRows) {
    let words = [
        "1101", "1111", "1100", "1010", "0011", "0000", "0010", "1001", "1101", "0110", "0001",
        "0010", "1110", "0100", "1011", "0000",
    ];
    (Network::new(4, [[0, 1], [0, 3], [1, 2], [2, 3]]), rows_of(&words).distinct())
}

fn large() -> (Network, DistinctRows) {
    (drawn_network("network", 25, 0.3), drawn("rows", 400, 25, 0.3).distinct())
}

fn close(found: &Solution, objective: f64, parameters: &[f64]) {
    assert!(found.converged, "{found:?}");
    assert!((found.objective - objective).abs() < 1e-9, "{} is not {objective}", found.objective);
    for (found, expected) in found.parameters.iter().zip(parameters) {
        assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
    }
}

// SciPy 1.17.1, minimize(method="BFGS", gtol=1e-10) of the same objectives written with NumPy.

#[test]
fn l2_agrees_with_scipy() {
    let (network, train) = small();
    let found = with(&network, &train, |learner| learner.l2(1.0, learner.start()).unwrap());
    let expected = [
        -0.6033074,
        -0.40914639,
        0.2618615,
        -0.40914641,
        0.88107902,
        0.88107901,
        -0.37567244,
        -0.37567244,
    ];
    close(&found, 41.23215347973978, &expected);
}

#[test]
fn hard_ties_agree_with_scipy() {
    let (network, train) = small();
    let of_value = vec![0, 0, 1, 1, 0, 1, 1, 1];
    let clustering = Clustering { of_value, clusters: 2, cost: 0.0 };
    let found = with(&network, &train, |learner| learner.hard(clustering, &[0.5; 8]).unwrap());
    let (a, b) = (0.09333395, -0.05339376);
    close(&found, 44.2514743891043, &[a, a, b, b, a, b, b, b]);
}

#[test]
fn derivatives_of_objectives_are_finite_differences() {
    let (network, train) = large();
    let m = network.parameters();
    let of_parameter: Vec<u32> = (0..m as u32).map(|parameter| parameter % 4).collect();
    let penalty =
        |centres| Penalty { lambda: 3.0, of_parameter: of_parameter.clone(), centres, clusters: 4 };
    let check = |objective: &mut dyn Smooth<Error = _>, count: usize| {
        let point = drawn_parameters("point", count);
        let mut gradient = vec![0.0; count];
        let mut unused = vec![0.0; count];
        objective.value(&point, &mut gradient).unwrap();
        for at in (0..count).step_by(3) {
            let mut shifted = |step: f64| {
                let mut shifted = point.clone();
                shifted[at] += step;
                objective.value(&shifted, &mut unused).unwrap()
            };
            let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            assert!((gradient[at] - slope).abs() < 1e-5, "{at}: {} for {slope}", gradient[at]);
        }
    };
    with(&network, &train, |learner| {
        let soft = |centres| Soft::new(learner.loss, penalty(centres), learner.context);
        check(&mut soft(Centres::Means), m);
        check(&mut soft(Centres::At(vec![0.5, -1.0, 0.0, 2.0])), m);
        check(&mut Hard::new(learner.loss, &of_parameter, learner.context), 4);
    });
}

#[test]
fn the_penalty_is_solved_exactly() {
    let (network, train) = small();
    let of_parameter = vec![0, 0, 1, 1, 0, 1, 1, 2];
    with(&network, &train, |learner| {
        for centres in [Centres::Means, Centres::At(vec![0.0; 3])] {
            let penalty = Penalty {
                lambda: 5.0,
                of_parameter: of_parameter.clone(),
                centres: centres.clone(),
                clusters: 3,
            };
            let mut soft = Soft::new(learner.loss, penalty, learner.context);
            let point = drawn_parameters("point", 8);
            soft.approximate(&point);
            let mut curvature = vec![0.0; 8];
            learner.loss.curvature(&point, &mut curvature, &learner.context.cores);
            let vector = drawn_parameters("vector", 8);
            let mut solved = vector.clone();
            soft.precondition(&mut solved);
            let means = match centres {
                Centres::Means => means(&solved, &of_parameter, 3),
                Centres::At(centres) => centres,
            };
            for at in 0..8 {
                let deviation = solved[at] - means[of_parameter[at] as usize];
                let image = curvature[at] * solved[at] + 5.0 * deviation;
                assert!((image - vector[at]).abs() < 1e-12, "{image} for {}", vector[at]);
            }
        }
    });
}

#[test]
fn one_cluster_with_its_centre_at_zero_is_l2() {
    let (network, train) = large();
    let m = network.parameters();
    with(&network, &train, |learner| {
        let l2 = learner.l2(4.0, learner.start()).unwrap();
        // Algorithm 1 with the centre fixed: learning, then a clustering that has no choice.
        let penalty = Penalty {
            lambda: 4.0,
            of_parameter: k_means(&l2.parameters, 1).of_value,
            centres: Centres::At(vec![0.0]),
            clusters: 1,
        };
        assert_eq!(penalty, Penalty::l2(4.0, m));
        // With a free centre it is no worse.
        let tied = learner.tied(4.0, 1, l2.parameters.clone()).unwrap();
        assert!(tied.objective < l2.objective);
        let centre = means(&tied.parameters, &tied.of_parameter, 1)[0];
        assert!(centre != 0.0);
    });
}

#[test]
fn no_round_raises_the_objective() {
    let (network, train) = large();
    let m = network.parameters();
    with(&network, &train, |learner| {
        let start = learner.l2(2.0, learner.start()).unwrap().parameters;
        for k in [2, 5, 9] {
            let mut point = start.clone();
            let mut last = f64::INFINITY;
            for _ in 0..6 {
                let Clustering { of_value, clusters, .. } = k_means(&point, k);
                let penalty = |of_parameter| Penalty {
                    lambda: 2.0,
                    of_parameter,
                    centres: Centres::Means,
                    clusters,
                };
                // The clustering, then a few steps of learning.
                let clustered = learner.at(penalty(of_value.clone()), point.clone()).unwrap();
                assert!(clustered.objective <= last + 1e-9);
                let few = Stopping { tolerance: 0.0, max_iterations: 4 };
                let hurried = Converged { stopping: few, ..learner };
                let learned = hurried.learned(penalty(of_value), point).unwrap();
                assert!(learned.objective <= clustered.objective + 1e-9);
                (last, point) = (learned.objective, learned.parameters);
            }
            let tied = learner.tied(2.0, k, start.clone()).unwrap();
            assert!(tied.converged && tied.objective <= last + 1e-9, "{} {last}", tied.objective);
            assert_eq!((tied.clusters, tied.parameters.len()), (k, m));
            // A fixed point: clustering and learning change nothing more.
            let again = learner.tied(2.0, k, tied.parameters.clone()).unwrap();
            assert!((again.objective - tied.objective).abs() < 1e-9);
        }
    });
}

/// Without a penalty, the exact likelihood of a network with all edges is greatest where the model has the
/// pairwise shares of the data; the pseudo-likelihood is greatest elsewhere.
#[test]
fn the_greatest_likelihood_matches_moments() {
    let rows = drawn("rows", 300, 5, 0.4);
    let train = rows.distinct();
    let network = drawn_network("network", 5, 1.0);
    let context = context(Digest::of(b""), 0);
    let stopping = Stopping { tolerance: 1e-14, max_iterations: 1000 };
    let loss = Likelihood::new(network.clone(), &train).unwrap();
    let exact = Converged { loss: &loss, context: &context, stopping };
    let found = exact.l2(0.0, exact.start()).unwrap();
    assert!(found.converged);
    let states = all_states(5);
    let weights = network.log_weights(&found.parameters, &states);
    let log_partition = network.log_partition(&found.parameters).unwrap();
    for &[a, b] in network.edges() {
        let has = |row: &[u32]| row.contains(&a) && row.contains(&b);
        let observed = rows.iter().filter(|row| has(row)).count() as f64 / 300.0;
        let of_states = states.iter().zip(&weights).filter(|(row, _)| has(row));
        let expected: f64 = of_states.map(|(_, weight)| exp(weight - log_partition)).sum();
        assert!((observed - expected).abs() < 1e-7, "{a} {b}: {observed} {expected}");
    }
    let pseudo = PseudoLikelihood::new(network, &train, &context).unwrap();
    let learner = Converged { loss: &pseudo, context: &context, stopping };
    let other = learner.l2(0.0, learner.start()).unwrap();
    let mut unused = found.parameters.clone();
    let of_other = loss.evaluate(&other.parameters, &mut unused, &context.cores);
    assert!(of_other > found.objective + 1e-6, "{of_other} {}", found.objective);
}

fn settings() -> Settings {
    Settings { step_size: 0.02, steps: 60_000, interval: 5_000, raised: true }
}

#[test]
fn stochastic_steps_come_near_the_optimum() {
    let (network, train) = large();
    with(&network, &train, |converged| {
        let examples = converged.loss.examples();
        let sgd = |settings| Sgd { train: &train, settings, converged };
        let found = sgd(settings()).l2(2.0).unwrap();
        let gap = found.gap.unwrap() / examples;
        assert!((0.0..0.5).contains(&gap), "{gap}");
        // Shorter steps make less noise.
        let short = Settings { step_size: 0.002, steps: 300_000, ..settings() };
        let shorter = sgd(short).l2(2.0).unwrap().gap.unwrap() / examples;
        assert!(shorter < 0.5 * gap, "{shorter} after {gap}");
        let tied = sgd(settings()).tied(2.0, 3, None).unwrap();
        assert!(tied.gap.unwrap() > -1e-6 && tied.clusters == 3);
        // Another start is another walk.
        let elsewhere =
            sgd(settings()).tied(2.0, 3, Some(vec![0.5; network.parameters()])).unwrap();
        assert_ne!(elsewhere.parameters, tied.parameters);
        let hard = sgd(settings()).hard(&k_means(&found.parameters, 3), &found.parameters).unwrap();
        let gap = hard.gap.unwrap() / examples;
        assert!((0.0..0.1).contains(&gap), "{gap}");
        let distinct = k_means(&hard.parameters, 100).clusters;
        assert_eq!(distinct, 3);
    });
}

#[test]
fn a_shrinking_scale_is_renewed() {
    // A part of 1 - 0.02 × 40,000 / 1,600 in every step: the scale would be zero after some 1,100.
    let (network, train) = small();
    with(&network, &train, |converged| {
        let settings = Settings { steps: 3_000, raised: false, ..settings() };
        let found = Sgd { train: &train, settings, converged }.l2(400.0).unwrap();
        assert!(found.parameters.iter().all(|value| value.abs() < 0.2), "{found:?}");
        let settings = Settings { step_size: 0.05, ..settings };
        let error = Sgd { train: &train, settings, converged }.l2(400.0).unwrap_err();
        let message = "steps of 0.05 are too long for λ = 400 and 16 examples";
        assert_eq!(error.to_string(), message);
    });
}

#[test]
fn centres_have_to_be_renewed() {
    let (network, train) = small();
    with(&network, &train, |converged| {
        let settings = Settings { steps: 5_000, ..settings() };
        let error = Sgd { train: &train, settings, converged }.tied(1.0, 3, None).unwrap_err();
        let message = "centres that are renewed every 5000 steps are never renewed in 5000: \
                       `interval` has to be below `steps`";
        assert_eq!(error.to_string(), message);
    });
}

/// If this fails, raise the revision in `path.rs` and write the new digest here: kept solutions of the old code
/// would pass for those of the new.
#[test]
fn kept_solutions_change_only_with_the_revision() {
    let (network, train) = large();
    let texts = with(&network, &train, |converged| {
        let first = converged.l2(10.0, converged.start()).unwrap();
        let second = converged.l2(1.0, first.parameters.clone()).unwrap();
        let stochastic = Sgd { train: &train, settings: settings(), converged }.l2(2.0).unwrap();
        [first, second, stochastic].map(|solution| solution.to_text()).join("\n")
    });
    let digest = Digest::of(texts.as_bytes()).to_string();
    assert_eq!((super::path::REVISION, &digest[..12]), (1, "b36c09ba89b3"));
}

/// What a method measures of the network that it learns.
fn measured(kind: &str, optimiser: &str, train: &DistinctRows, context: &Context) -> Vec<String> {
    let entry = find(kind).next().unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.set("optimiser", Value::Text(optimiser.to_owned()));
    parameters.set("steps", Value::Integer(5_000));
    parameters.set("interval", Value::Integer(500));
    let [Fit::Network(fit)] = entry.fits else { panic!("{:?}", entry.fits) };
    let mut carry = None;
    let mut all = Vec::new();
    for lambda in [10.0, 1.0] {
        parameters.set("lambda", Value::Real(lambda));
        let model = fit(&parameters, train, context, &mut carry).unwrap();
        all.push(format!("{:?}", model.measures()));
    }
    all
}

#[test]
fn methods_that_share_what_l2_learned_learn_the_same_alone() {
    let (_, train) = large();
    let folder = tempfile::tempdir().unwrap();
    let alone = context(Digest::of(b"alone"), 0);
    let sharing = Context { derived: Derived::new(folder.path()), ..context(alone.split_seed, 0) };
    for optimiser in ["converged", "sgd"] {
        for kind in ["mple-l2", "ltr", "apt"] {
            let expected = measured(kind, optimiser, &train, &alone);
            assert_eq!(measured(kind, optimiser, &train, &sharing), expected, "{kind} {optimiser}");
        }
    }
    // One structure, and two λs by either optimiser.
    let kept = std::fs::read_dir(folder.path().join("derived")).unwrap();
    let artefacts = kept.filter(|file| file.as_ref().unwrap().path().extension().is_none());
    assert_eq!(artefacts.count(), 5);
}

#[test]
fn what_is_kept_of_another_thing_is_named() {
    let (_, train) = large();
    let folder = tempfile::tempdir().unwrap();
    let context =
        Context { derived: Derived::new(folder.path()), ..context(Digest::of(b"kept"), 0) };
    measured("mple-l2", "converged", &train, &context);
    for file in std::fs::read_dir(folder.path().join("derived")).unwrap() {
        std::fs::write(file.unwrap().path(), format!("{}\nx", Digest::of(b"x"))).unwrap();
    }
    let mut parameters = Parameters::defaults(find("mple-l2").next().unwrap().parameters);
    parameters.set("lambda", Value::Real(10.0));
    let [Fit::Network(fit)] = find("mple-l2").next().unwrap().fits else { panic!() };
    let error = fit(&parameters, &train, &context, &mut None).err().unwrap().to_string();
    assert!(error.starts_with("what is kept is not readable; remove `derived/"), "{error}");
}
