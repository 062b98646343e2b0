//! What the mixtures fitted by expectation maximization share: initial assignments, posteriors,
//! the stopping rule and restarts (Niepert and Domingos 2014, Algorithm 1 and section 5.2).

use crate::metrics::UNCONVERGED;
use std::ops::Range;
use std::sync::Mutex;

use base::parallel::{Cores, lock};
use contract::binary::{BinaryRows, DistinctRows};
use contract::parameter::{Choice, Count, Parameters, Real, settings};
use contract::{
    Context, DensityModel, FitError, ITERATIONS, Measure, Reported, Result, Shape, words,
};
use math::sample::Sample;
use math::special::ln;
use math::vector;

words! {
    /// What becomes of the examples beyond k floor(N / k).
    pub enum Remainder {
        Unassigned = "unassigned", "they belong to no component until the first E-step";
        Spread = "spread", "they go to the first components, one each";
    }
}

words! {
    /// How the first assignment looks.
    pub enum Initial {
        Hard = "hard", "each component is assigned floor(N / k) random examples";
        Soft = "soft", "each example is divided among all components in random proportions";
    }
}

settings! {
    /// How EM runs.
    #[derive(PartialEq)]
    pub struct Settings {
        COMPONENTS components: Count::within(1..=65_536, 20), "number of mixture components, k";
        SMOOTHING smoothing: Real::within(1e-12..=f64::INFINITY, 0.1), "Laplace smoothing constant";
        PRIOR_SMOOTHING prior_smoothing: Real::not_negative(0.0),
            "constant added to the expected number of examples of each component for its prior";
        RESTARTS restarts: Count::within(1..=1_000_000, 10),
            "number of EM runs; the one with the highest training log-likelihood is kept";
        TOLERANCE tolerance: Real::not_negative(1e-3),
            "EM stops when the average training log-likelihood grows by less, in nats an example, or not at all";
        MAX_ITERATIONS max_iterations: Count::within(1..=1_000_000_000, 1000),
            "most iterations of one EM run; the measure `unconverged` counts runs that reach it";
        REMAINDER remainder: Choice<Remainder>::worded("unassigned"),
            "the examples left over when each component has floor(N / k) random ones";
        INITIAL initial: Choice<Initial>::worded("hard"),
            "how examples are assigned to components before the first iteration";
    }
}

/// ln p(y) from the number of examples of each y, `smoothing` added to each: p(y) = Σ_i δ(y | i) / N without it.
/// A component without examples has prior 0 then, and stays empty.
pub fn log_priors(totals: &[f64], smoothing: f64) -> Vec<f64> {
    let all = totals.iter().sum::<f64>() + totals.len() as f64 * smoothing;
    totals.iter().map(|total| ln((total + smoothing) / all)).collect()
}

/// Roughly how many seconds a fit takes: some fifty iterations a restart, each a pass over the ones.
pub fn cost(parameters: &Parameters, shape: &Shape) -> f64 {
    let restarts = parameters.get(&RESTARTS) * parameters.get(&COMPONENTS);
    1e-7 * (restarts * (shape.entries + shape.examples)) as f64
}

/// How the examples of each distinct row belong to the components: row by row, k values each.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Sum of δ(y|i) over the examples i that equal the row.
    pub weights: Vec<f64>,
    /// Sum of δ(y|i)² over them.
    pub squares: Vec<f64>,
}

impl Assignment {
    /// The assignment that restart `restart` begins with. It depends on the split and the
    /// restart alone, so that all mixtures begin alike.
    ///
    /// # Errors
    /// If there are fewer training examples than components.
    pub fn initial(
        train: &DistinctRows,
        settings: &Settings,
        context: &Context,
        restart: usize,
    ) -> Result<Self> {
        let k = settings.components;
        let n = train.examples();
        let share = n / k;
        if train.variables() == 0 {
            return Err(FitError::NotApplicable("the examples have no variables".into()));
        }
        if share == 0 {
            return Err(FitError::NotApplicable(format!(
                "{n} training examples cannot be assigned to {k} components"
            )));
        }
        let mut random = context.random(restart);
        let mut weights = vec![0.0; train.rows.len() * k];
        if settings.initial == Initial::Soft {
            let mut squares = weights.clone();
            let mut parts = vec![0.0; k];
            for &row in &train.of_example {
                // Above zero, so that they can be divided by their sum.
                parts.fill_with(|| 1.0 - random.uniform());
                let sum = vector::sum(&parts);
                for (y, part) in parts.iter().enumerate() {
                    weights[row as usize * k + y] += part / sum;
                    squares[row as usize * k + y] += (part / sum) * (part / sum);
                }
            }
            return Ok(Self { weights, squares });
        }
        for (position, example) in random.permutation(n).into_iter().enumerate() {
            let y = position / share;
            let y = if y < k {
                y
            } else if settings.remainder == Remainder::Spread {
                position - k * share
            } else {
                break;
            };
            weights[train.of_example[example] as usize * k + y] += 1.0;
        }
        Ok(Self { squares: weights.clone(), weights })
    }
}

/// Posterior weights below e to this power of the largest (2^-54) count as zero: they are less than
/// the rounding of a sum with it, and work is saved on them.
const NEGLIGIBLE: f64 = -37.5;

/// Replaces ln P(y, x) by δ(y | x) = P(y, x) / Σ_j P(j, x) for every y, and returns ln P(x) (step 1 of Algorithm 1).
#[inline]
pub fn posterior(log_joint: &mut [f64]) -> f64 {
    let top = vector::max(log_joint);
    vector::exp_relative(log_joint, top, NEGLIGIBLE);
    let sum = vector::sum(log_joint);
    let inverse = 1.0 / sum;
    log_joint.iter_mut().for_each(|value| *value *= inverse);
    top + ln(sum)
}

/// A mixture in the middle of an EM run.
pub trait Learner {
    /// What it learns.
    type Model;

    /// Estimates a model from an initial assignment and returns its training log-likelihood (the
    /// sum over the examples).
    ///
    /// # Errors
    /// On a deadline or interrupt.
    fn begin(&mut self, assignment: &Assignment) -> Result<f64>;

    /// One EM iteration; returns the new model's training log-likelihood.
    ///
    /// # Errors
    /// On a deadline or interrupt.
    fn iterate(&mut self) -> Result<f64>;

    /// The present model.
    fn model(&self) -> Self::Model;
}

/// The best model of all restarts and how the runs went.
#[derive(Debug, Clone)]
pub struct BestRun<M> {
    /// The model with the highest training log-likelihood; of equal ones the earliest.
    pub model: M,
    /// Its training log-likelihood, the sum over the examples.
    pub log_likelihood: f64,
    /// Number of iterations of each run.
    pub iterations: Sample,
    /// How many runs reached the limit of iterations.
    pub unconverged: usize,
}

impl<M: DensityModel> DensityModel for BestRun<M> {
    fn log_likelihoods(&self, rows: &BinaryRows, cores: &Cores) -> Vec<f64> {
        self.model.log_likelihoods(rows, cores)
    }

    fn measures(&self) -> Reported {
        let mut measures = self.model.measures();
        measures.push((&ITERATIONS, Measure::Sample(self.iterations)));
        measures.push((&UNCONVERGED, Measure::Scalar(self.unconverged as f64)));
        measures
    }
}

/// Runs EM from every restart's assignment and keeps the likeliest model.
///
/// # Errors
/// If there are fewer examples than components, no run has a finite likelihood, the deadline
/// passes or the user interrupts.
pub fn best_of_restarts<L: Learner + ?Sized>(
    learner: &mut L,
    train: &DistinctRows,
    settings: &Settings,
    context: &Context,
) -> Result<BestRun<L::Model>> {
    let least = settings.tolerance * train.examples() as f64;
    let mut best: Option<(L::Model, f64)> = None;
    let mut iterations = Sample::default();
    let mut unconverged = 0;
    for restart in 0..settings.restarts {
        let assignment = Assignment::initial(train, settings, context, restart)?;
        let mut log_likelihood = learner.begin(&assignment)?;
        let mut done = 0;
        let mut converged = false;
        while !converged && done < settings.max_iterations {
            context.check()?;
            let previous = log_likelihood;
            log_likelihood = learner.iterate()?;
            done += 1;
            let growth = log_likelihood - previous;
            // Without growth the model is a fixed point, also where no growth is too little.
            converged = growth < least || growth == 0.0;
        }
        iterations.push(done as f64);
        unconverged += usize::from(!converged);
        let better = best.as_ref().is_none_or(|(_, highest)| log_likelihood > *highest);
        if log_likelihood.is_finite() && better {
            best = Some((learner.model(), log_likelihood));
        }
    }
    let (model, log_likelihood) = best.ok_or_else(|| {
        FitError::NoSolution("no EM run gave the training examples a finite likelihood".into())
    })?;
    Ok(BestRun { model, log_likelihood, iterations, unconverged })
}

/// Distinct rows cut into chunks, each with a state of its own that outlives the passes over them.
/// The borders depend on the data alone.
#[derive(Debug)]
pub struct Chunks<S> {
    rows: usize,
    size: usize,
    states: Vec<Mutex<S>>,
}

impl<S: Send> Chunks<S> {
    /// At most 16 chunks, each with several times as many ones as there are variables, so that
    /// adding up the chunks' sums costs little beside making them.
    pub fn new(train: &DistinctRows, state: impl Fn(Range<usize>) -> S) -> Self {
        let rows = train.rows.len();
        let ones = train.rows.total_ones() + rows;
        let count = (ones / (32 * train.variables().max(1))).clamp(1, 16);
        let size = rows.div_ceil(count).max(1);
        let states = (0..rows.div_ceil(size))
            .map(|index| Mutex::new(state(index * size..((index + 1) * size).min(rows))))
            .collect();
        Self { rows, size, states }
    }

    /// Applies `work` to every chunk's state and range of rows; returns the results in order.
    pub fn map<T: Send>(
        &self,
        cores: &Cores,
        work: impl Fn(&mut S, Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        cores.map(self.states.len(), 1, |index| {
            let start = index.start * self.size;
            let rows = start..(start + self.size).min(self.rows);
            work(&mut lock(&self.states[index.start]), rows)
        })
    }

    /// Visits the states in order.
    pub fn for_each(&self, mut visit: impl FnMut(&mut S)) {
        self.states.iter().for_each(|state| visit(&mut lock(state)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::digest::Digest;
    use math::special::exp;
    use testing::{all_states, context};

    fn settings(components: usize, remainder: Remainder, initial: Initial) -> Settings {
        Settings {
            components,
            smoothing: 0.1,
            prior_smoothing: 0.0,
            restarts: 1,
            tolerance: 1e-3,
            max_iterations: 10,
            remainder,
            initial,
        }
    }

    fn sums(assignment: &Assignment, k: usize) -> Vec<f64> {
        (0..k).map(|y| assignment.weights.iter().skip(y).step_by(k).sum()).collect()
    }

    #[test]
    fn every_component_gets_its_share() {
        let train = all_states(4).select((0..17).map(|i| i % 11)).distinct();
        let context = context(Digest::of(b"assign"), 0);
        let initial = |settings: &Settings, restart| {
            Assignment::initial(&train, settings, &context, restart).unwrap()
        };
        let strict = initial(&settings(5, Remainder::Unassigned, Initial::Hard), 0);
        assert_eq!(sums(&strict, 5), [3.0; 5]);
        assert_ne!(strict, initial(&settings(5, Remainder::Unassigned, Initial::Hard), 1));
        assert_eq!(
            sums(&initial(&settings(5, Remainder::Spread, Initial::Hard), 0), 5),
            [4.0, 4.0, 3.0, 3.0, 3.0]
        );
        let soft = initial(&settings(5, Remainder::Unassigned, Initial::Soft), 0);
        assert!((soft.weights.iter().sum::<f64>() - 17.0).abs() < 1e-12);
        assert!(soft.squares.iter().zip(&soft.weights).all(|(s, w)| s <= w));
        let error = Assignment::initial(
            &train,
            &settings(18, Remainder::Unassigned, Initial::Hard),
            &context,
            0,
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "not applicable: 17 training examples cannot be assigned to 18 components"
        );
    }

    /// Halves its distance to a likelihood of 0, until that underflows.
    struct Halving(f64);

    impl Learner for Halving {
        type Model = f64;

        fn begin(&mut self, _: &Assignment) -> Result<f64> {
            self.0 = -1e-300;
            Ok(self.0)
        }

        fn iterate(&mut self) -> Result<f64> {
            self.0 *= 0.5;
            Ok(self.0)
        }

        fn model(&self) -> f64 {
            self.0
        }
    }

    #[test]
    fn without_a_tolerance_a_fixed_point_is_the_end() {
        let train = all_states(3).distinct();
        let settings = Settings {
            tolerance: 0.0,
            max_iterations: 1000,
            ..settings(2, Remainder::Unassigned, Initial::Hard)
        };
        let context = context(Digest::of(b"fixed"), 0);
        let best = best_of_restarts(&mut Halving(0.0), &train, &settings, &context).unwrap();
        // 1e-300 is 2^-996.6: 79 halvings to 2^-1075, which is rounded to 0, and one that changes nothing.
        assert_eq!((best.log_likelihood, best.unconverged), (0.0, 0));
        assert_eq!(best.iterations.mean, 80.0);
    }

    #[test]
    fn posteriors_are_normalised_joints() {
        let mut values = [-3.0, -1.0, f64::NEG_INFINITY, -200.0, -2.5];
        let expected: Vec<f64> = values.iter().map(|&v| exp(v)).collect();
        let sum: f64 = expected.iter().sum();
        let log_sum = posterior(&mut values);
        assert!((log_sum - ln(sum)).abs() < 1e-15);
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected / sum).abs() < 1e-15);
        }
    }
}
