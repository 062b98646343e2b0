//! Tests of the optimisers.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::converged::{Converged, Starts};
use super::likelihood::Likelihood;
use super::network::Network;
use super::objective::{Answer, Loss, Penalty, Request, Ties, gradient};
use super::pseudo_likelihood::PseudoLikelihood;
use super::search::{Soft, serve};
use super::sgd::{Settings, Sgd};
use super::solution::Solution;
use super::tests::{drawn, drawn_network, drawn_parameters};
use crate::METHODS;
use base::derived::Derived;
use base::digest::Digest;
use base::parallel::Cores;
use contract::binary::DistinctRows;
use contract::parameter::{Parameters, Value};
use contract::{Context, Fit, MethodEntry};
use math::k_means::k_means;
use math::newton::{Asked, Stopping, Term as _};
use math::special::exp;
use testing::{all_states, context, rows_of};

/// Calls `test` with the converged optimiser on these rows.
fn with<T>(network: &Network, train: &DistinctRows, test: impl FnOnce(Converged<'_>) -> T) -> T {
    let context: Context = context(Digest::of(b""), 0);
    let pseudo = PseudoLikelihood::new(network.clone(), train, &context).unwrap();
    let stopping = Stopping { tolerance: 1e-12, max_iterations: 1000 };
    test(Converged { loss: &pseudo, context: &context, stopping, free: 0 })
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
    let found = with(&network, &train, |learner| l2(learner, 1.0));
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
    let ties = vec![(Ties { of_parameter: of_value, clusters: 2, free: 0 }, &[0.5; 8][..])];
    let found = with(&network, &train, |learner| learner.hard(ties).unwrap().remove(0));
    let (a, b) = (0.09333395, -0.05339376);
    close(&found, 44.2514743891043, &[a, a, b, b, a, b, b, b]);
}

/// Four clusters, and two free parameters.
fn some_ties(m: usize) -> Ties {
    let of_parameter = (0..m as u32).map(|j| if j < 2 { 4 + j } else { j % 4 }).collect();
    Ties { of_parameter, clusters: 6, free: 2 }
}

#[test]
fn derivatives_of_penalties_are_finite_differences() {
    let m = 23;
    for penalty in
        [Penalty::soft(3.0, some_ties(m)), Penalty::l2(3.0, m, 0), Penalty::l2(3.0, m, 2)]
    {
        let point = drawn_parameters("point", m);
        let value = |point: &[f64]| penalty.add(point, &mut vec![0.0; m]);
        let mut gradient = vec![0.0; m];
        penalty.add(&point, &mut gradient);
        for at in 0..m {
            let shifted = |step: f64| {
                let mut shifted = point.clone();
                shifted[at] += step;
                value(&shifted)
            };
            let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            assert!((gradient[at] - slope).abs() < 1e-8, "{at}: {} for {slope}", gradient[at]);
        }
        // The derivatives are linear in the step.
        let step = drawn_parameters("step", m);
        let there: Vec<f64> = point.iter().zip(&step).map(|(at, by)| at + by).collect();
        let (mut change, mut after) = (vec![0.0; m], vec![0.0; m]);
        penalty.add_change(&step, &mut change);
        penalty.add(&there, &mut after);
        for at in 0..m {
            assert!((gradient[at] + change[at] - after[at]).abs() < 1e-12);
        }
        // A free parameter costs nothing.
        let free = penalty.ties.free;
        assert!(gradient[..free].iter().all(|slope| *slope == 0.0));
    }
}

#[test]
fn the_penalty_is_solved_exactly() {
    let m = 14;
    let diagonal: Vec<f64> = drawn_parameters("d", m).iter().map(|value| 1.5 + value).collect();
    for penalty in
        [Penalty::soft(5.0, some_ties(m)), Penalty::l2(5.0, m, 0), Penalty::l2(5.0, m, 2)]
    {
        let vector = drawn_parameters("vector", m);
        let mut solved = vector.clone();
        penalty.precondition(&diagonal, &mut solved);
        let mut image: Vec<f64> = solved.iter().zip(&diagonal).map(|(v, d)| v * d).collect();
        penalty.add_change(&solved, &mut image);
        for (image, expected) in image.iter().zip(&vector) {
            assert!((image - expected).abs() < 1e-12, "{image} for {expected}");
        }
    }
}

fn l2(learner: Converged<'_>, lambda: f64) -> Solution {
    learner.l2(&[lambda], &learner.start()).unwrap().remove(0)
}

fn tied(learner: Converged<'_>, lambda: f64, k: usize, start: &[f64]) -> Solution {
    learner.tied(k, &[Starts { lambda, from: vec![start.to_vec()] }]).unwrap().remove(0)
}

#[test]
fn one_free_centre_is_no_worse_than_zero() {
    let (network, train) = large();
    with(&network, &train, |learner| {
        let l2 = l2(learner, 4.0);
        let tied = tied(learner, 4.0, 1, &l2.parameters);
        assert!(tied.objective < l2.objective);
        assert!(tied.ties.means(&tied.parameters)[0] != 0.0);
    });
}

#[test]
fn problems_that_are_served_together_are_solved_as_alone() {
    let (network, train) = large();
    let lambdas = [30.0, 10.0, 3.0, 1.0, 0.3, 0.1];
    with(&network, &train, |learner| {
        for free in [0, network.variables()] {
            let learner = Converged { free, ..learner };
            let together = learner.l2(&lambdas, &learner.start()).unwrap();
            let alone = lambdas.map(|lambda| l2(learner, lambda));
            assert_eq!(together, alone);
            let starts = |of: &[Solution]| -> Vec<Starts> {
                let from = |solution: &Solution| {
                    vec![solution.parameters.clone(), vec![0.1; 25 + network.edges.len()]]
                };
                let each = lambdas.iter().zip(of);
                each.map(|(&lambda, of)| Starts { lambda, from: from(of) }).collect()
            };
            let starts = starts(&together);
            let soft = learner.tied(4, &starts).unwrap();
            for (start, soft) in starts.iter().zip(&soft) {
                let alone = learner.tied(4, std::slice::from_ref(start)).unwrap();
                assert_eq!(alone, std::slice::from_ref(soft));
                assert!(soft.converged && soft.ties.free == free);
            }
            let ties = |of: &Solution| Ties::best(&of.parameters, 3, free).0;
            let hard: Vec<_> = together.iter().map(|of| (ties(of), &of.parameters[..])).collect();
            let found = learner.hard(hard.clone()).unwrap();
            for (one, found) in hard.into_iter().zip(&found) {
                assert_eq!(learner.hard(vec![one]).unwrap(), std::slice::from_ref(found));
            }
        }
    });
}

/// A loss of which the memory holds three Hessians.
#[derive(Debug)]
struct Large(PseudoLikelihood);

impl Loss for Large {
    fn network(&self) -> &Network {
        self.0.network()
    }

    fn examples(&self) -> f64 {
        self.0.examples()
    }

    fn together(&self) -> usize {
        3
    }

    fn serve(&self, requests: &[Request<'_>], cores: &Cores) -> Vec<Answer> {
        let hessians = requests.iter().filter(|of| of.asked == Asked::Hessian).count();
        assert!(hessians <= 3, "{hessians} at a time");
        self.0.serve(requests, cores)
    }
}

#[test]
fn as_many_problems_are_served_together_as_fit_in_memory() {
    let (network, train) = large();
    let lambdas = [30.0, 10.0, 3.0, 1.0, 0.3];
    with(&network, &train, |learner| {
        let pseudo = PseudoLikelihood::new(network.clone(), &train, learner.context).unwrap();
        let large = Large(pseudo);
        let few = Converged { loss: &large, ..learner };
        let l2 = learner.l2(&lambdas, &learner.start()).unwrap();
        assert_eq!(few.l2(&lambdas, &few.start()).unwrap(), l2);
        let from = |of: &Solution| vec![of.parameters.clone(), vec![0.1; of.parameters.len()]];
        let each = lambdas.iter().zip(&l2);
        let starts: Vec<_> = each.map(|(&lambda, of)| Starts { lambda, from: from(of) }).collect();
        assert_eq!(few.tied(4, &starts).unwrap(), learner.tied(4, &starts).unwrap());
        let ties = |of: &Solution| Ties::best(&of.parameters, 3, 0).0;
        let hard: Vec<_> = l2.iter().map(|of| (ties(of), &of.parameters[..])).collect();
        assert_eq!(few.hard(hard.clone()).unwrap(), learner.hard(hard).unwrap());
    });
}

/// Two of the six variables are constant, so that without a penalty their weights have no optimum.
#[test]
fn what_has_converged_has_by_a_hessian_of_its_own() {
    let words = ["100101", "101101", "110101", "111001", "100001", "101001"];
    let train = rows_of(&words).distinct();
    let network = Network::new(6, (0..6).flat_map(|a| (a + 1..6).map(move |b| [a, b])));
    let context: Context = context(Digest::of(b""), 0);
    let pseudo = PseudoLikelihood::new(network, &train, &context).unwrap();
    for tolerance in [1e-3, 1e-6, 1e-9] {
        let stopping = Stopping { tolerance, max_iterations: 5000 };
        let learner = Converged { loss: &pseudo, context: &context, stopping, free: 0 };
        let found = l2(learner, 0.0);
        // Going on gains no more than was promised to be left, or, where the loss falls exponentially for ever, twice
        // that.
        let stopping = Stopping { tolerance: 1e-12, max_iterations: 5000 };
        let further = Converged { stopping, ..learner }.l2(&[0.0], &found.parameters).unwrap();
        let gained = found.objective - further[0].objective;
        assert!(found.converged && gained <= 2.1 * tolerance, "{gained} above {tolerance}");
    }
}

#[test]
fn no_round_raises_the_objective() {
    let (network, train) = large();
    let m = network.parameters();
    with(&network, &train, |learner| {
        let start = l2(learner, 2.0).parameters;
        for k in [2, 5, 9] {
            let mut point = start.clone();
            let mut last = f64::INFINITY;
            for _ in 0..6 {
                let penalty = Penalty::soft(2.0, Ties::best(&point, k, 0).0);
                // The clustering, then a few steps of learning.
                let clustered = learner.at(penalty.clone(), point.clone());
                assert!(clustered.objective <= last + 1e-9);
                let few = Stopping { tolerance: 0.0, max_iterations: 4 };
                let mut hurried = [Soft::once(penalty, point, few)];
                serve(learner.loss, &mut hurried, learner.context).unwrap();
                let learned = hurried[0].solution();
                assert!(learned.objective <= clustered.objective + 1e-9);
                (last, point) = (learned.objective, learned.parameters);
            }
            let found = tied(learner, 2.0, k, &start);
            assert!(
                found.converged && found.objective <= last + 1e-9,
                "{} {last}",
                found.objective
            );
            assert_eq!((found.ties.clusters, found.parameters.len()), (k, m));
            // A fixed point: clustering and learning change nothing more.
            let again = tied(learner, 2.0, k, &found.parameters);
            assert!((again.objective - found.objective).abs() < 1e-9);
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
    let exact = Converged { loss: &loss, context: &context, stopping, free: 0 };
    let found = l2(exact, 0.0);
    assert!(found.converged);
    let states = all_states(5);
    let weights = network.log_weights(&found.parameters, &states);
    let log_partition = network.log_partition(&found.parameters).unwrap();
    for &[a, b] in &network.edges {
        let has = |row: &[u32]| row.contains(&a) && row.contains(&b);
        let observed = rows.iter().filter(|row| has(row)).count() as f64 / 300.0;
        let of_states = states.iter().zip(&weights).filter(|(row, _)| has(row));
        let expected: f64 = of_states.map(|(_, weight)| exp(weight - log_partition)).sum();
        assert!((observed - expected).abs() < 1e-7, "{a} {b}: {observed} {expected}");
    }
    let pseudo = PseudoLikelihood::new(network, &train, &context).unwrap();
    let learner = Converged { loss: &pseudo, context: &context, stopping, free: 0 };
    let other = l2(learner, 0.0);
    let (of_other, _) = gradient(&loss, &other.parameters, &context.cores);
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
        assert!(tied.gap.unwrap() > -1e-6 && tied.ties.clusters == 3);
        // Another start is another walk.
        let elsewhere =
            sgd(settings()).tied(2.0, 3, Some(vec![0.5; network.parameters()])).unwrap();
        assert_ne!(elsewhere.parameters, tied.parameters);
        let ties = Ties::best(&found.parameters, 3, 0).0;
        let hard = sgd(settings()).hard(ties, &found.parameters).unwrap();
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
        let l2 = l2(converged, 10.0);
        let near = l2.parameters.clone();
        let soft = converged
            .tied(3, &[Starts { lambda: 1.0, from: vec![near.clone(), vec![0.1; near.len()]] }]);
        let hard = converged.hard(vec![(Ties::best(&near, 3, 0).0, &near)]);
        let stochastic = Sgd { train: &train, settings: settings(), converged }.l2(2.0).unwrap();
        [l2, soft.unwrap().remove(0), hard.unwrap().remove(0), stochastic]
            .map(|solution| serde_json::to_string(&solution).unwrap())
            .concat()
    });
    let digest = Digest::of(texts.as_bytes()).to_string();
    assert_eq!((super::path::REVISION, &digest[..12]), (3, "a06ccc4517f2"));
    // Where few examples and no penalty hold a weight, the least curvature decides where a search ends.
    let rare = drawn("rare", 400, 25, 0.03).distinct();
    let free = with(&network, &rare, |converged| {
        let stopping = Stopping { tolerance: 1e-6, ..converged.stopping };
        serde_json::to_string(&l2(Converged { stopping, ..converged }, 0.0)).unwrap()
    });
    let digest = Digest::of(free.as_bytes()).to_string();
    assert_eq!((super::path::REVISION, &digest[..12]), (3, "7cb9fd59c96b"));
}

/// The method of this kind.
fn entry_of(kind: &str) -> &'static MethodEntry {
    METHODS.iter().find(|entry| entry.kind == kind).unwrap()
}

/// What a method measures of the network that it learns.
fn measured(kind: &str, optimiser: &str, train: &DistinctRows, context: &Context) -> Vec<String> {
    let entry = entry_of(kind);
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.set("optimiser", Value::Text(optimiser.to_owned()));
    parameters.set("steps", Value::Integer(5_000));
    parameters.set("interval", Value::Integer(500));
    let [Fit::Network(fit)] = entry.fits else { panic!("{:?}", entry.fits) };
    let of = |lambda| {
        let mut parameters = parameters.clone();
        parameters.set("lambda", Value::Real(lambda));
        parameters
    };
    let path: Arc<[Parameters]> = [10.0, 1.0].map(of).into();
    let derived = context.derived.for_path();
    let context = Context { path: path.clone(), derived, ..context.clone() };
    let mut carry = None;
    let measures = |parameters| {
        let model = fit(parameters, train, &context, &mut carry).unwrap();
        format!("{:?}", model.measures())
    };
    let measured = path.iter().map(measures).collect();
    context.derived.forget_passing();
    measured
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
    // One structure, and two λs by either optimiser, once together. What the paths kept for themselves is gone.
    assert_eq!(artefacts(folder.path()), 4);
}

fn artefacts(cache: &Path) -> usize {
    let kept = std::fs::read_dir(cache.join("derived")).unwrap();
    kept.filter(|file| file.as_ref().unwrap().path().extension().is_none()).count()
}

/// The defaults of a method with so many clusters and this λ.
fn at(entry: &MethodEntry, (clusters, lambda): (i64, f64)) -> Parameters {
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.set("clusters", Value::Integer(clusters));
    parameters.set("lambda", Value::Real(lambda));
    parameters
}

#[test]
fn a_path_that_is_begun_again_goes_on_where_it_was() {
    let (_, train) = large();
    let entry = entry_of("apt");
    let [Fit::Network(fit)] = entry.fits else { panic!() };
    let path: Arc<[Parameters]> =
        [(2, 10.0), (2, 1.0), (5, 10.0), (5, 1.0)].map(|point| at(entry, point)).into();
    let folder = tempfile::tempdir().unwrap();
    let derived = Derived::new(folder.path());
    let alone = Context { path: path.clone(), ..context(Digest::of(b"path"), 0) };
    let kept = Context { derived, ..alone.clone() };
    let run = |context: &Context, some: &[Parameters]| -> Vec<String> {
        let mut carry = None;
        let mut of = |parameters| fit(parameters, &train, context, &mut carry).unwrap();
        some.iter().map(|parameters| format!("{:?}", of(parameters).measures())).collect()
    };
    let expected = run(&alone, &path);
    // The structure, L2 for both λs, and what each number of clusters gave.
    assert_eq!(run(&kept, &path[..3]), expected[..3]);
    assert_eq!(artefacts(folder.path()), 4);
    assert_eq!(run(&kept, &path), expected);
    kept.derived.forget_passing();
    assert_eq!(artefacts(folder.path()), 2);
    // A time limit is for each trial: none learns for those to come, and all are the same.
    let far = Instant::now() + Duration::from_secs(3600);
    let limited = Context { deadline: Some(far), ..alone.clone() };
    assert_eq!(run(&limited, &path), expected);
}

/// As ten repeats on the same rows: they differ by what they draw.
#[test]
fn random_starts_of_other_splits_are_not_shared() {
    let (_, train) = large();
    let entry = entry_of("apt");
    let [Fit::Network(fit)] = entry.fits else { panic!() };
    let mut parameters = at(entry, (3, 1.0));
    parameters.set("start", Value::Text("random".to_owned()));
    let folder = tempfile::tempdir().unwrap();
    let derived = Derived::new(folder.path());
    let measured = |seed: &[u8], derived: &Derived| {
        let context = Context { derived: derived.clone(), ..context(Digest::of(seed), 0) };
        format!("{:?}", fit(&parameters, &train, &context, &mut None).unwrap().measures())
    };
    let alone = [&b"one"[..], b"other"].map(|seed| measured(seed, &Derived::default()));
    assert_ne!(alone[0], alone[1]);
    // Neither path has ended, so that both leave what they learned.
    assert_eq!([&b"one"[..], b"other"].map(|seed| measured(seed, &derived)), alone);
}

/// A number of clusters that ties nothing comes first, and has an optimum of its own for a λ of the path.
#[test]
fn relearning_has_all_penalties_of_its_path() {
    let (_, train) = large();
    let entry = entry_of("ltr");
    let [Fit::Network(fit)] = entry.fits else { panic!() };
    let path: Arc<[Parameters]> =
        [(100_000, 0.0), (2, 0.0), (2, 1.0)].map(|point| at(entry, point)).into();
    let context = Context { path: path.clone(), ..context(Digest::of(b"path"), 0) };
    let mut carry = None;
    for parameters in path.iter() {
        fit(parameters, &train, &context, &mut carry).unwrap();
    }
}

/// What is left to gain is lost in rounding.
#[test]
fn a_tolerance_below_rounding_ends() {
    let (network, train) = large();
    with(&network, &train, |learner| {
        let stopping = Stopping { tolerance: 1e-300, ..learner.stopping };
        let found = tied(Converged { stopping, ..learner }, 1.0, 2, &learner.start());
        assert!(!found.converged);
    });
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
    let mut parameters = Parameters::defaults(entry_of("mple-l2").parameters);
    parameters.set("lambda", Value::Real(10.0));
    let [Fit::Network(fit)] = entry_of("mple-l2").fits else { panic!() };
    let error = fit(&parameters, &train, &context, &mut None).err().unwrap().to_string();
    assert!(error.starts_with("what is kept is not readable; remove `derived/"), "{error}");
}
