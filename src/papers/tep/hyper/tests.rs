use super::*;
use base::derived::Derived;
use base::digest::Digest;
use math::random::Random;
use math::special::sin;
use testing::context;

const EXACT: Schedule =
    Schedule { damping: 0.5, tolerance: 1e-13, max_sweeps: 1000, settling: usize::MAX };

/// Three columns of which the first decides, a twentieth of the labels wrong.
fn drawn(n: usize) -> (NumericRows, Vec<f64>) {
    let mut random = Random::new(Digest::of(b"hyper"));
    let values: Vec<f64> = (0..3 * n).map(|_| 4.0 * random.uniform() - 2.0).collect();
    let rows = NumericRows::new(3, values);
    let label = |row: &[f64]| {
        let right = random.uniform() < 0.95;
        if (sin(1.5 * row[0]) > 0.0) == right { 1.0 } else { -1.0 }
    };
    let signs = rows.iter().map(label).collect();
    (rows, signs)
}

fn problem<'a>(rows: &'a NumericRows, signs: &'a [f64]) -> Problem<'a> {
    Problem { rows, signs, jitter: 1e-4, eps: 0.05, schedule: EXACT }
}

fn of(kernel: Family, hyperparameters: Choosing) -> OfKernel {
    OfKernel { kernel, hyperparameters, length_scale: 0.7 }
}

/// The difference quotient of a function of the kernel, by its first length scale.
fn slope(kernel: &Kernel, f: impl Fn(&Kernel) -> f64) -> f64 {
    let moved = |by: f64| {
        let mut parameters = kernel.parameters();
        parameters[0] += by;
        f(&kernel.with_parameters(&parameters))
    };
    (moved(1e-4) - moved(-1e-4)) / 2e-4
}

#[test]
fn the_gradient_of_the_evidence_is_its_difference() {
    let (rows, signs) = drawn(40);
    let problem = problem(&rows, &signs);
    let context = context(Digest::of(b"hyper"), 0);
    for family in [Family::Rbf, Family::RbfArd, Family::Linear] {
        let kernel = Kernel::new(family, 3, 1.4);
        let fitted = problem.fit(kernel.clone(), None, &context).unwrap();
        assert!(fitted.progress.converged, "{family:?}");
        let gradient = evidence_gradient(&rows, &kernel, &fitted.matrix, &fitted.latent);
        let evidence = |kernel: &Kernel| {
            problem.fit(kernel.clone(), None, &context).unwrap().log_evidence.unwrap()
        };
        let expected = slope(&kernel, evidence);
        assert!((gradient[0] - expected).abs() < 1e-6, "{family:?}: {gradient:?} {expected}");
    }
}

/// For finite v equation (90), with eta the escort moments, is not the gradient of (39).
#[test]
fn the_papers_gradient_is_not_that_of_its_evidence() {
    let (rows, signs) = drawn(12);
    let context = context(Digest::of(b"hyper"), 0);
    let kernel = Kernel::new(Family::Rbf, 3, 1.4);
    let apart = |v: f64| {
        let dof = Dof::new(v);
        let rule = Rule::Consistent(Step::new(dof, 12, 0.05));
        let fit = |kernel: &Kernel| {
            let matrix = kernel.matrix(&rows, 1e-4);
            let observed = Observed { kernel: &matrix, signs: &signs };
            let mut latent = Latent::prior(&matrix);
            latent.propagate(observed, dof, &rule, &EXACT, &context).unwrap();
            let value = latent.log_evidence(observed, dof, &rule).unwrap();
            (matrix, latent, value)
        };
        let expected = slope(&kernel, |kernel| fit(kernel).2);
        // tr[(Sigma + mu mu' - K) K⁻¹ dK K⁻¹] / 2, Sigma = psi A, in the form of `evidence_gradient`:
        // K⁻¹ A K⁻¹ = K⁻¹ - T + T A T.
        let (matrix, latent, _) = fit(&kernel);
        let b = &latent.weights;
        let inverse = math::matrix::cholesky::Cholesky::new(matrix.clone()).unwrap().inverse();
        let (psi, sites) = (latent.psi(dof), &latent.sites);
        let weight = |row: usize, column: usize| {
            let own = if row == column { sites[row].tau } else { 0.0 };
            let inner = sites[row].tau * latent.a(row, column) * sites[column].tau - own;
            0.5 * (b[row] * b[column] + psi * inner + (psi - 1.0) * inverse.at(row, column))
        };
        kernel.gradient(&rows, &matrix, weight)[0] - expected
    };
    let (few, many) = (apart(10.0).abs(), apart(1e5).abs());
    assert!(few > 0.1, "{few}");
    assert!(many < 2e-3 * few.max(1.0), "in the limit it is: {many}");
}

#[test]
fn the_evidence_is_climbed() {
    let (rows, signs) = drawn(60);
    let problem =
        Problem { schedule: Schedule { tolerance: 1e-8, ..EXACT }, ..problem(&rows, &signs) };
    let context = context(Digest::of(b"hyper"), 0);
    let evidence = |kernel: &Kernel| {
        problem.fit(kernel.clone(), None, &context).unwrap().log_evidence.unwrap()
    };
    let choose = |family, choosing| problem.choose(&of(family, choosing), &context).unwrap();
    let (median, none) = choose(Family::Rbf, Choosing::Median);
    assert_eq!(none, None);
    let (grid, of_grid) = choose(Family::Rbf, Choosing::Grid);
    let (climbed, of_climbed) = choose(Family::Rbf, Choosing::Evidence);
    assert!((evidence(&grid) - of_grid.unwrap()).abs() < 1e-3);
    assert!((evidence(&climbed) - of_climbed.unwrap()).abs() < 1e-3);
    assert!(evidence(&median) <= evidence(&grid) && evidence(&grid) <= evidence(&climbed) + 1e-3);
    // The columns that say nothing get long scales.
    let (each, of_each) = choose(Family::RbfArd, Choosing::Evidence);
    assert!(of_each.unwrap() > of_climbed.unwrap() + 1.0);
    assert!(each.lengths[0] < 0.5 * each.lengths[1].min(each.lengths[2]), "{each:?}");
    // Nothing else is chosen by being fixed.
    assert_eq!(choose(Family::Linear, Choosing::Fixed).0, Kernel::new(Family::Linear, 3, 0.7));
}

/// What is kept is exactly what a search finds.
#[test]
fn a_search_is_made_once_for_all_who_ask() {
    let (rows, signs) = drawn(40);
    let problem = problem(&rows, &signs);
    let alone = context(Digest::of(b"hyper"), 0);
    let cache = tempfile::tempdir().unwrap();
    let sharing = Context { derived: Derived::new(cache.path()), ..alone.clone() };
    for (family, search) in [(Family::Rbf, Choosing::Grid), (Family::RbfArd, Choosing::Evidence)] {
        let choose =
            |choosing, context: &Context| problem.choose(&of(family, choosing), context).unwrap();
        let found = choose(search, &alone);
        assert_ne!(found.0, choose(Choosing::Median, &alone).0);
        assert_eq!(choose(search, &sharing), found);
        assert_eq!(choose(search, &sharing), found);
    }
    let kept = std::fs::read_dir(cache.path().join("derived")).unwrap();
    let names: Vec<_> = kept.map(|entry| entry.unwrap().path()).collect();
    let is_lock = |path: &&std::path::PathBuf| path.extension().is_some();
    assert_eq!(names.iter().filter(|path| !is_lock(path)).count(), 2);
    // Another problem does not get them.
    let other = Problem { eps: 0.1, ..problem };
    let choose =
        |context: &Context| other.choose(&of(Family::Rbf, Choosing::Grid), context).unwrap();
    assert_eq!(choose(&sharing), choose(&alone));
}

#[test]
fn without_distances_there_is_no_median() {
    let rows = NumericRows::new(1, vec![1.0; 4]);
    let signs = [1.0, -1.0, 1.0, 1.0];
    let context = context(Digest::of(b"hyper"), 0);
    let found = problem(&rows, &signs).choose(&of(Family::Rbf, Choosing::Median), &context);
    assert_eq!(
        found.unwrap_err().to_string(),
        "the median of the distances between training inputs is zero or does not exist, so it is no length \
         scale; set one with `hyperparameters = \"fixed\"` and `length_scale`"
    );
}

/// Labels of no pattern: of problems drawn until it is so, one has no fixed point at the median.
#[test]
fn a_climb_begins_where_propagation_converges() {
    let context = context(Digest::of(b"hyper"), 0);
    let schedule =
        Schedule { damping: 0.8, tolerance: ROUGH, max_sweeps: HASTY, settling: SETTLING };
    let climbed = (0..200).find_map(|seed| {
        let mut random = Random::new(Digest::of(format!("start {seed}").as_bytes()));
        let values = (0..40).map(|_| 4.0 * random.uniform() - 2.0).collect();
        let rows = NumericRows::new(2, values);
        let signs: Vec<f64> =
            (0..20).map(|_| if random.uniform() < 0.5 { 1.0 } else { -1.0 }).collect();
        let problem = Problem { eps: 0.01, schedule, ..problem(&rows, &signs) };
        let median = problem.median(Family::Rbf).unwrap();
        let at_median = problem.converged(median.clone(), None, &context).unwrap();
        let climbed = problem.uphill(&median, &context).unwrap();
        climbed.filter(|_| at_median.is_none()).map(|(_, kernel)| (median, kernel))
    });
    let (median, kernel) = climbed.unwrap();
    assert_ne!(kernel, median);
}
