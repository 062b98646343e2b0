//! What the trials of a path share: the data as the network sees them, and solutions to start from.
//!
//! The problems of one number of clusters are learned together, one for each λ of the path, so that a pass over the
//! examples serves all of them. None depends on the others: what is found is the same where each is learned by
//! itself, as under a time limit, which is for one trial.

use std::sync::Arc;

use super::converged::{Converged, Starts};
use super::likelihood::Likelihood;
use super::model::LearnedNetwork;
use super::objective::{Loss, Ties};
use super::parameters::*;
use super::pseudo_likelihood::PseudoLikelihood;
use super::sgd::{Settings, Sgd};
use super::solution::Solution;
use super::structure::Structure;
use base::digest::{Digest, FieldHasher};
use contract::binary::DistinctRows;
use contract::parameter::Parameters;
use contract::{Carry, Context, DensityModel, FitError, Result, carried, words};
use math::newton::Stopping;
use method::shared::derived_key::{order_field, train_fields};

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

    /// Names everything that what is learned of a problem depends on, but for λ and clusters.
    fn key(&self, problem: Digest) -> FieldHasher {
        let Converged { stopping: Stopping { tolerance, max_iterations }, free, .. } =
            self.converged();
        let hasher = FieldHasher::new("network-parameters")
            .number(REVISION)
            .field(problem.0)
            .number(tolerance.to_bits())
            .number(*max_iterations as u64)
            .number(*free as u64);
        match self {
            Self::Converged(_) => hasher.field("converged"),
            Self::Sgd(Sgd { train, settings, .. }) => {
                let Settings { step_size, steps, interval, raised } = settings;
                let hasher = hasher
                    .field("sgd")
                    .number(step_size.to_bits())
                    .number(*steps as u64)
                    .number(*interval as u64)
                    .number(*raised as u64)
                    .field(self.context().split_seed.0);
                order_field(hasher, train)
            }
        }
    }

    /// L2-regularised parameters, from the network without edges or, by stochastic gradients, from zero.
    fn l2(&self, lambdas: &[f64]) -> Result<Vec<Solution>> {
        match self {
            Self::Converged(converged) => converged.l2(lambdas, &converged.start()),
            Self::Sgd(sgd) => lambdas.iter().map(|&lambda| sgd.l2(lambda)).collect(),
        }
    }

    /// Parameters under equality constraints.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn hard(&self, ties: Vec<(Ties, &[f64])>) -> Result<Vec<Solution>> {
        match self {
            Self::Converged(converged) => converged.hard(ties),
            Self::Sgd(sgd) => ties.into_iter().map(|(ties, near)| sgd.hard(ties, near)).collect(),
        }
    }
}

/// Raised by every change that can change what is learned; it enters the keys of what is kept.
pub(super) const REVISION: u64 = 3;

words! {
    /// Which likelihood is maximised.
    pub enum Likelihoods {
        Pseudo = "pseudo-likelihood", "that of each variable given all others";
        Exact = "likelihood", "the exact one, where the states can be summed over";
    }
}

/// What is learned of clusters.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// Equal values.
    Hard,
    /// Values that are drawn to each other.
    Soft(Start),
}

/// A solution for some λ.
#[derive(Debug, Clone)]
struct Learned {
    lambda: f64,
    /// The clusters that were asked for; none with L2 regularisation.
    k: Option<usize>,
    solution: Solution,
}

/// What is known of a λ when a number of clusters is learned.
struct Near {
    lambda: f64,
    /// The largest smaller number of clusters that has been learned, and its solution; without one, that of L2
    /// regularisation.
    clusters: Option<usize>,
    tied: Solution,
    /// The solution of L2 regularisation.
    untied: Solution,
}

/// The state that is carried along a path: from trial to trial, λ and k change and the rest does not.
#[derive(Debug)]
pub struct PathState {
    /// Names the data, the network and the likelihood.
    problem: Digest,
    structure_residual: f64,
    loss: Arc<dyn Loss>,
    /// What has been learned, by and by.
    learned: Vec<Learned>,
    /// Names the path so far.
    so_far: Digest,
}

impl PathState {
    fn new(
        likelihood: Likelihoods,
        parameters: &Parameters,
        train: &DistinctRows,
        context: &Context,
    ) -> Result<Self> {
        let structure = Structure::learn(parameters, train, context)?;
        let loss: Arc<dyn Loss> = match likelihood {
            Likelihoods::Pseudo => {
                Arc::new(PseudoLikelihood::new(structure.network, train, context)?)
            }
            Likelihoods::Exact => Arc::new(Likelihood::new(structure.network, train)?),
        };
        let structure_residual = structure.residual;
        let edges = loss.network().edges.iter().flatten();
        let problem = train_fields(FieldHasher::new("network"), train)
            .field(edges.flat_map(|end| end.to_le_bytes()).collect::<Vec<u8>>())
            .field(likelihood.word())
            .finish();
        Ok(Self { problem, structure_residual, loss, learned: Vec::new(), so_far: problem })
    }

    /// Number of parameters, m.
    fn parameters(&self) -> usize {
        self.loss.network().parameters()
    }

    fn known(&self, lambda: f64, k: Option<usize>) -> Option<&Solution> {
        let this = |learned: &&Learned| learned.lambda == lambda && learned.k == k;
        self.learned.iter().find(this).map(|learned| &learned.solution)
    }

    /// The derived artefact of what `make` learns for these λ.
    fn derive(
        &mut self,
        learner: &Learner<'_>,
        key: Digest,
        lambdas: &[f64],
        k: Option<usize>,
        make: impl FnOnce() -> Result<Vec<Solution>>,
    ) -> Result<()> {
        let m = self.parameters();
        let solutions = learner.context().derive(key, make, |all: &Vec<Solution>| {
            all.len() == lambdas.len() && all.iter().all(|solution| solution.fits(m))
        })?;
        let learned = lambdas.iter().zip(solutions);
        self.learned.extend(learned.map(|(&lambda, solution)| Learned { lambda, k, solution }));
        Ok(())
    }

    /// The L2-regularised solution. Paths of the same problem with the same λ share it as a derived artefact.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn l2(&mut self, learner: &Learner<'_>, lambda: f64) -> Result<Solution> {
        if self.known(lambda, None).is_none() {
            self.l2_of(learner, &beside(learner, lambda, None))?;
        }
        found(self.known(lambda, None))
    }

    fn l2_of(&mut self, learner: &Learner<'_>, lambdas: &[f64]) -> Result<()> {
        let key = lambdas.iter().fold(learner.key(self.problem).field("l2"), |key, lambda| {
            key.number(lambda.to_bits())
        });
        self.derive(learner, key.finish(), lambdas, None, || learner.l2(lambdas))
    }

    /// The solution without ties and penalty: what any λ has where there are as many clusters as
    /// parameters to tie.
    fn untied(&mut self, learner: &Learner<'_>) -> Result<Solution> {
        if self.known(0.0, None).is_none() {
            self.l2_of(learner, &[0.0])?;
        }
        let solution = found(self.known(0.0, None))?;
        Ok(Solution { ties: Ties::none(self.parameters()), ..solution })
    }

    /// Learns by `make` for a number of clusters and all λ of the path, if it has not been done, from what was found
    /// for the last smaller number of clusters or, for the first, from L2 regularisation. Returns the solution for
    /// one λ. It is kept until the path has ended, so that an interrupted one goes on where it was.
    fn clustered(
        &mut self,
        learner: &Learner<'_>,
        parameters: &Parameters,
        stage: Stage,
        make: impl FnOnce(&[Near]) -> Result<Vec<Solution>>,
    ) -> Result<Solution> {
        let (lambda, k) = (parameters.get(&LAMBDA), parameters.get(&CLUSTERS));
        if self.known(lambda, Some(k)).is_none() {
            let lambdas = beside(learner, lambda, Some(k));
            let mut near = Vec::with_capacity(lambdas.len());
            for &lambda in &lambdas {
                let untied = self.l2(learner, lambda)?;
                let fewer = self.learned.iter().filter(|of| of.lambda == lambda && of.k < Some(k));
                let last = fewer.filter(|of| of.k.is_some()).max_by_key(|of| of.k);
                let fewer = last.map(|last| (last.k, last.solution.clone()));
                let (clusters, tied) = fewer.unwrap_or_else(|| (None, untied.clone()));
                near.push(Near { lambda, clusters, tied, untied });
            }
            let key = learner.key(self.so_far).number(k as u64);
            let key = match stage {
                Stage::Hard => key.field("hard"),
                Stage::Soft(start) => {
                    let key = key.field("soft").field(start.word());
                    // What is drawn depends on the split.
                    key.field(learner.context().split_seed.0)
                }
            };
            let key = lambdas.iter().fold(key, |key, lambda| key.number(lambda.to_bits()));
            let key = key.finish();
            self.derive(learner, key, &lambdas, Some(k), || make(&near))?;
            learner.context().derived.passes(key);
            self.so_far = key;
        }
        found(self.known(lambda, Some(k)))
    }

    /// Drops what is neither asked for by the trials to come nor what the next number of clusters starts from.
    fn drop_all_but(&mut self, to_come: &[Parameters]) {
        let asked: Vec<(f64, usize)> =
            to_come.iter().map(|trial| (trial.get(&LAMBDA), trial.get(&CLUSTERS))).collect();
        let learned: Vec<_> = self.learned.iter().map(|of| (of.lambda, of.k)).collect();
        let most = |lambda| learned.iter().filter(|of| of.0 == lambda).filter_map(|of| of.1).max();
        self.learned.retain(|Learned { lambda, k, .. }| {
            k.is_none_or(|k| Some(k) == most(*lambda) || asked.contains(&(*lambda, k)))
        });
    }

    /// Whether there are as many clusters as parameters to tie.
    fn ties_nothing(&self, parameters: &Parameters, learner: &Learner<'_>) -> bool {
        parameters.get(&CLUSTERS) >= self.parameters() - learner.converged().free
    }

    /// The solution of learn, tie, relearn.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn relearned(
        &mut self,
        parameters: &Parameters,
        learner: &Learner<'_>,
    ) -> Result<Solution> {
        if self.ties_nothing(parameters, learner) {
            return self.untied(learner);
        }
        let (lambda, k) = (parameters.get(&LAMBDA), parameters.get(&CLUSTERS));
        let free = learner.converged().free;
        let hard = self.clustered(learner, parameters, Stage::Hard, |near| {
            let ties = near.iter().map(|Near { tied, untied, .. }| {
                (Ties::best(&untied.parameters, k, free).0, tied.parameters.as_slice())
            });
            learner.hard(ties.collect())
        })?;
        Ok(hard.after(&self.l2(learner, lambda)?))
    }

    /// The softly tied solution, made hard if the parameters say so.
    ///
    /// # Errors
    /// If the deadline passes or the user interrupts.
    pub fn tied(&mut self, parameters: &Parameters, learner: &Learner<'_>) -> Result<Solution> {
        if self.ties_nothing(parameters, learner) {
            return self.untied(learner);
        }
        let soft = self.softly(parameters, learner)?;
        match parameters.get(&TYING) {
            Tying::Soft => Ok(soft),
            Tying::Hard => {
                let (k, free) = (parameters.get(&CLUSTERS), learner.converged().free);
                let (ties, _) = Ties::best(&soft.parameters, k, free);
                let hard = learner.hard(vec![(ties, &soft.parameters)])?;
                Ok(found(hard.first())?.after(&soft))
            }
        }
    }

    fn softly(&mut self, parameters: &Parameters, learner: &Learner<'_>) -> Result<Solution> {
        let (k, start) = (parameters.get(&CLUSTERS), parameters.get(&START));
        let m = self.parameters();
        self.clustered(learner, parameters, Stage::Soft(start), |near| match learner {
            Learner::Sgd(sgd) => {
                let random = || random_start(sgd.converged.context, 1, m);
                let start = (start == Start::Random).then(random);
                near.iter().map(|near| sgd.tied(near.lambda, k, start.clone())).collect()
            }
            Learner::Converged(converged) => {
                let random = random_start(converged.context, 0, m);
                let starts = near.iter().map(|Near { lambda, clusters, tied, .. }| {
                    let near = tied.parameters.clone();
                    let first = k > 1 && clusters.is_none_or(|fewer| fewer == 1);
                    let from = match start {
                        Start::Random => vec![random.clone()],
                        Start::Best if first => vec![near, random.clone()],
                        Start::Best | Start::Near => vec![near],
                    };
                    Starts { lambda: *lambda, from }
                });
                converged.tied(k, &starts.collect::<Vec<_>>())
            }
        })
    }
}

fn found(solution: Option<&Solution>) -> Result<Solution> {
    solution.cloned().ok_or_else(|| FitError::Failed("the path has no such point".to_owned()))
}

/// This λ and, where they are learned together and no trial has its own time limit, those of its path with as many
/// clusters.
fn beside(learner: &Learner<'_>, lambda: f64, k: Option<usize>) -> Vec<f64> {
    let Learner::Converged(Converged { context, .. }) = learner else { return vec![lambda] };
    let path = if context.deadline.is_none() { &context.path[..] } else { &[] };
    let same = |trial: &&Parameters| k.is_none_or(|k| trial.get(&CLUSTERS) == k);
    let others = path.iter().filter(same).map(|trial| trial.get(&LAMBDA));
    let mut lambdas = Vec::new();
    for other in others.chain([lambda]) {
        if !lambdas.contains(&other) {
            lambdas.push(other);
        }
    }
    lambdas
}

fn random_start(context: &Context, restart: usize, m: usize) -> Vec<f64> {
    let mut random = context.random(restart);
    (0..m).map(|_| 2.0 * random.uniform() - 1.0).collect()
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
    learn: impl FnOnce(&mut PathState, &Parameters, &Learner<'_>) -> Result<Solution>,
) -> Result<Box<dyn DensityModel>> {
    let new = || PathState::new(likelihood, parameters, train, context);
    let mut path: PathState = carried(carry)?.map_or_else(new, Ok)?;
    let loss = path.loss.clone();
    let penalised = Penalised::read(parameters);
    let stopping = Stopping {
        tolerance: penalised.tolerance * loss.examples(),
        max_iterations: penalised.max_iterations,
    };
    let free = match penalised.node_penalty {
        NodePenalty::Penalised => 0,
        NodePenalty::Free => loss.network().variables(),
    };
    let converged = Converged { loss: loss.as_ref(), context, stopping, free };
    // Those of the exact likelihood have no parameter `optimiser`, and so its default.
    let learner = match parameters.get(&OPTIMISER) {
        Optimiser::Converged => Learner::Converged(converged),
        Optimiser::Sgd => {
            let settings = Settings::read(parameters);
            Learner::Sgd(Sgd { train, settings, converged })
        }
    };
    let solution = learn(&mut path, parameters, &learner)?;
    let model = LearnedNetwork::new(loss.as_ref(), solution, path.structure_residual);
    if let Some(now) = context.path.iter().position(|trial| trial == parameters) {
        path.drop_all_but(&context.path[now + 1..]);
    }
    *carry = Some(Box::new(path));
    Ok(Box::new(model))
}
