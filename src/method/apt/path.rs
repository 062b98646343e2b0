//! What the trials of a path share: the data as the network sees them, and solutions to start from.

use std::sync::Arc;

use super::converged::Converged;
use super::likelihood::Likelihood;
use super::model::LearnedNetwork;
use super::objective::Loss;
use super::parameters::*;
use super::pseudo_likelihood::PseudoLikelihood;
use super::sgd::{Settings, Sgd};
use super::solution::Solution;
use super::structure::{Structure, train_fields};
use base::digest::{Digest, FieldHasher};
use contract::binary::DistinctRows;
use contract::parameter::Parameters;
use contract::{Carry, Context, FitError, MarkovNetwork, carried};
use math::k_means::Clustering;
use math::lbfgs::Stopping;

/// The optimiser of the parameters.
pub enum Learner<'a> {
    /// To convergence.
    Converged(Converged<'a>),
    /// By stochastic gradients.
    Sgd(Sgd<'a>),
}

impl Learner<'_> {
    fn converged(&self) -> &Converged<'_> {
        match self {
            Self::Converged(converged) => converged,
            Self::Sgd(sgd) => &sgd.converged,
        }
    }

    fn context(&self) -> &Context {
        self.converged().context
    }

    /// Names everything that an L2-regularised solution depends on: `before` are the λs through which the
    /// converged optimiser came.
    fn l2_key(&self, problem: Digest, before: impl Iterator<Item = f64>, lambda: f64) -> Digest {
        let Stopping { tolerance, max_iterations } = self.converged().stopping;
        let hasher = FieldHasher::new("l2")
            .number(REVISION)
            .field(problem.0)
            .number(tolerance.to_bits())
            .number(max_iterations as u64)
            .number(lambda.to_bits());
        let hasher = match self {
            Self::Converged(_) => {
                before.fold(hasher.field("converged"), |hasher, of| hasher.number(of.to_bits()))
            }
            Self::Sgd(Sgd { train, settings, .. }) => {
                let order = train.of_example.iter().flat_map(|row| row.to_le_bytes());
                hasher
                    .field("sgd")
                    .field(format!("{settings:?}"))
                    .field(self.context().split_seed.0)
                    .field(order.collect::<Vec<u8>>())
            }
        };
        hasher.finish()
    }

    /// Parameters under equality constraints.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn hard(&self, clustering: Clustering, start: &[f64]) -> Result<Solution, FitError> {
        match self {
            Self::Converged(converged) => converged.hard(clustering, start),
            Self::Sgd(sgd) => sgd.hard(&clustering, start),
        }
    }

    /// From `start`, if the optimiser starts anywhere but at zero.
    fn l2(&self, lambda: f64, start: Option<Vec<f64>>) -> Result<Solution, FitError> {
        match self {
            Self::Converged(converged) => {
                converged.l2(lambda, start.unwrap_or_else(|| converged.start()))
            }
            Self::Sgd(sgd) => sgd.l2(lambda),
        }
    }
}

/// Raised by every change that can change an L2-regularised solution; it enters the keys of the kept ones.
pub(super) const REVISION: u64 = 1;

/// Which likelihood is maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likelihoods {
    /// The pseudo-likelihood.
    Pseudo,
    /// The exact one, where the states can be summed over.
    Exact,
}

/// The state that is carried along a path: from trial to trial, λ and k change and the rest does not.
#[derive(Debug)]
pub struct PathState {
    /// Names the data, the network and the likelihood.
    problem: Digest,
    structure_residual: f64,
    loss: Arc<dyn Loss>,
    /// The L2-regularised solution of each λ, in the order of the path.
    l2: Vec<(f64, Solution)>,
    /// The last softly tied solution of each λ, in the order of the path.
    tied: Vec<(f64, Solution)>,
    /// The solution without ties and penalty.
    untied: Option<Solution>,
}

impl PathState {
    fn new(
        likelihood: Likelihoods,
        parameters: &Parameters,
        train: &DistinctRows,
        context: &Context,
    ) -> Result<Self, FitError> {
        let structure = Structure::learn(parameters, train, context)?;
        let loss: Arc<dyn Loss> = match likelihood {
            Likelihoods::Pseudo => {
                Arc::new(PseudoLikelihood::new(structure.network, train, context)?)
            }
            Likelihoods::Exact => Arc::new(Likelihood::new(structure.network, train)?),
        };
        let structure_residual = structure.residual;
        let edges = loss.network().edges().iter().flatten();
        let problem = train_fields(FieldHasher::new("network"), train)
            .field(edges.flat_map(|end| end.to_le_bytes()).collect::<Vec<u8>>())
            .field(format!("{likelihood:?}"))
            .finish();
        Ok(Self {
            problem,
            structure_residual,
            loss,
            l2: Vec::new(),
            tied: Vec::new(),
            untied: None,
        })
    }

    /// Number of parameters, m.
    pub fn parameters(&self) -> usize {
        self.loss.network().parameters()
    }

    /// The L2-regularised solution, from that of the last λ. Paths of the same problem that come to it by the
    /// same λs share it as a derived artefact.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn l2(&mut self, learner: &Learner<'_>, lambda: f64) -> Result<&Solution, FitError> {
        let known = self.l2.iter().position(|(of, _)| *of == lambda);
        let place = match known {
            Some(place) => place,
            None => {
                let start = self.l2.last().map(|(_, solution)| solution.parameters.clone());
                let before = self.l2.iter().map(|(of, _)| *of);
                let key = learner.l2_key(self.problem, before, lambda);
                let m = self.parameters();
                let solution = learner.context().derive(
                    key,
                    || learner.l2(lambda, start),
                    Solution::to_text,
                    |text| Solution::from_text(text).filter(|found| found.parameters.len() == m),
                )?;
                self.l2.push((lambda, solution));
                self.l2.len() - 1
            }
        };
        Ok(&self.l2[place].1)
    }

    /// The solution without ties and penalty: what any λ has where there are as many clusters as
    /// parameters.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn untied(&mut self, learner: &Learner<'_>, lambda: f64) -> Result<Solution, FitError> {
        if let Some(solution) = &self.untied {
            return Ok(solution.clone());
        }
        let start = match learner {
            Learner::Converged(_) => Some(self.l2(learner, lambda)?.parameters.clone()),
            Learner::Sgd(_) => None,
        };
        let m = self.parameters();
        let of_parameter = (0..m as u32).collect();
        let solution = Solution { of_parameter, clusters: m, ..learner.l2(0.0, start)? };
        Ok(self.untied.insert(solution).clone())
    }

    /// The softly tied solution.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn tied(
        &mut self,
        parameters: &Parameters,
        learner: &Learner<'_>,
    ) -> Result<Solution, FitError> {
        let (lambda, k) = (parameters.get(&LAMBDA), parameters.get(&CLUSTERS));
        match learner {
            Learner::Sgd(sgd) => {
                let random = parameters.get(&START) == Start::Random;
                sgd.tied(lambda, k, random.then(|| self.random_start(&sgd.converged, 1)))
            }
            Learner::Converged(converged) => {
                let start = self.start(parameters, learner, converged)?;
                let soft = converged.tied(lambda, k, start)?;
                self.tied.retain(|(of, _)| *of != lambda);
                self.tied.push((lambda, soft.clone()));
                Ok(soft)
            }
        }
    }

    fn random_start(&self, converged: &Converged<'_>, restart: usize) -> Vec<f64> {
        let mut random = converged.context.random(restart);
        (0..self.parameters()).map(|_| 2.0 * random.uniform() - 1.0).collect()
    }

    /// Where soft tying starts.
    fn start(
        &mut self,
        parameters: &Parameters,
        learner: &Learner<'_>,
        converged: &Converged<'_>,
    ) -> Result<Vec<f64>, FitError> {
        let (lambda, k) = (parameters.get(&LAMBDA), parameters.get(&CLUSTERS));
        if parameters.get(&START) == Start::Random {
            return Ok(self.random_start(converged, 0));
        }
        let same = self.tied.iter().find(|(of, solution)| *of == lambda && solution.clusters <= k);
        let last = self.tied.last().filter(|(_, solution)| solution.clusters == k);
        let mut best: Option<(f64, &Solution)> = None;
        for (_, solution) in same.into_iter().chain(last) {
            let objective = converged.objective(lambda, k, &solution.parameters);
            if best.is_none_or(|(least, _)| objective < least) {
                best = Some((objective, solution));
            }
        }
        match best {
            Some((_, solution)) => Ok(solution.parameters.clone()),
            None => Ok(self.l2(learner, lambda)?.parameters.clone()),
        }
    }
}

/// Learns one configuration of a path, whose state is carried from trial to trial. The exact likelihood is
/// learned to convergence.
///
/// # Errors
/// Those of the structure and of `learn`.
pub fn learned(
    likelihood: Likelihoods,
    parameters: &Parameters,
    train: &DistinctRows,
    context: &Context,
    carry: &mut Carry,
    learn: impl FnOnce(&mut PathState, &Learner<'_>) -> Result<Solution, FitError>,
) -> Result<Box<dyn MarkovNetwork>, FitError> {
    let mut path = match carried::<PathState>(carry)? {
        Some(path) => path,
        None => PathState::new(likelihood, parameters, train, context)?,
    };
    let loss = path.loss.clone();
    let stopping = Stopping {
        tolerance: parameters.get(&TOLERANCE) * loss.examples(),
        max_iterations: parameters.get(&MAX_ITERATIONS),
    };
    let converged = Converged { loss: loss.as_ref(), context, stopping };
    // Those of the exact likelihood have no parameter `optimiser`, and so its default.
    let learner = match parameters.get(&OPTIMISER) {
        Optimiser::Converged => Learner::Converged(converged),
        Optimiser::Sgd => {
            let settings = Settings {
                step_size: parameters.get(&STEP_SIZE),
                steps: parameters.get(&STEPS),
                interval: parameters.get(&INTERVAL),
                raised: parameters.get(&RAISED),
            };
            Learner::Sgd(Sgd { train, settings, converged })
        }
    };
    let solution = learn(&mut path, &learner)?;
    let model = LearnedNetwork::new(loss.as_ref(), solution, path.structure_residual);
    *carry = Some(Box::new(path));
    Ok(Box::new(model))
}
