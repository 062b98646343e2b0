//! The registry's entries: L2 regularisation, learn-tie-relearn, automatic parameter tying.

use std::sync::Arc;

use super::converged::{Converged, Solution};
use super::model::LearnedNetwork;
use super::pseudo_likelihood::PseudoLikelihood;
use super::sgd::{Settings, Sgd};
use super::structure::{DEGREE, EDGES, PATH_END, PATH_RATIO, Structure};
use crate::data::binary::DistinctRows;
use crate::math::k_means::{Clustering, k_means};
use crate::math::lbfgs::Stopping;
use crate::method::parameter::{Default, Domain, Parameter, Parameters};
use crate::method::{Carry, Context, Fit, FitError, MarkovNetwork, MethodEntry, Shape};

const SOURCE: &str = "Chou, Sahoo, Sarkhel, Ruozzi and Gogate 2018";

const LAMBDA: Parameter = Parameter {
    name: "lambda",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: false },
    default: Default::Real(1.0),
    meaning: "λ: weight of the penalty on the pseudo-log-likelihood summed over the examples",
};

const CLUSTERS: Parameter = Parameter {
    name: "clusters",
    domain: Domain::Integer { least: 1, most: i64::MAX },
    default: Default::Integer(20),
    meaning: "k: number of clusters of parameters; with as many as there are parameters none are tied",
};

const TYING: Parameter = Parameter {
    name: "tying",
    domain: Domain::Word(&[
        ("soft", "parameters are drawn to the means of their clusters"),
        ("hard", "after that, all of a cluster are made equal and relearned without a penalty"),
    ]),
    default: Default::Word("soft"),
    meaning: "how parameters of a cluster are tied",
};

const START: Parameter = Parameter {
    name: "start",
    domain: Domain::Word(&[
        (
            "near",
            "from the parameters of the last point of the grid with the same λ and fewer clusters, or of the \
             last point if it has the same number of clusters, whichever is better now; from those of L2 \
             regularisation if there is neither",
        ),
        ("random", "from parameters drawn uniformly between -1 and 1"),
    ]),
    default: Default::Word("near"),
    meaning: "where the converged optimiser starts",
};

const TOLERANCE: Parameter = Parameter {
    name: "tolerance",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
    default: Default::Real(1e-6),
    meaning: "a minimisation ends when half the squared gradient in the metric of the Hessian's diagonal, \
              the decrease that a Newton step promises, is this many nats per training example",
};

const MAX_ITERATIONS: Parameter = Parameter {
    name: "max_iterations",
    domain: Domain::Integer { least: 1, most: i64::MAX },
    default: Default::Integer(2000),
    meaning: "steps after which a minimisation ends in any case",
};

const OPTIMISER: Parameter = Parameter {
    name: "optimiser",
    domain: Domain::Word(&[
        (
            "converged",
            "full gradients and L-BFGS to the tolerance, with centres at the means of their clusters",
        ),
        ("sgd", "steps on one example each, as in the paper's experiments"),
    ]),
    default: Default::Word("converged"),
    meaning: "how the objective is minimised",
};

const STEP_SIZE: Parameter = Parameter {
    name: "step_size",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
    default: Default::Real(0.05),
    meaning: "of `sgd`: length of a step, as a multiple of the gradient of one example",
};

const STEPS: Parameter = Parameter {
    name: "steps",
    domain: Domain::Integer { least: 1, most: i64::MAX },
    default: Default::Integer(5_000_000),
    meaning: "of `sgd`: number of steps",
};

const INTERVAL: Parameter = Parameter {
    name: "interval",
    domain: Domain::Integer { least: 1, most: i64::MAX },
    default: Default::Integer(50_000),
    meaning: "of `sgd`: steps after which the centres are renewed and λ is raised",
};

const RAISED: Parameter = Parameter {
    name: "raised",
    domain: Domain::Bool,
    default: Default::Bool(true),
    meaning: "of `sgd`: whether λ rises in equal parts to its value, or has it from the beginning",
};

/// L2 regularisation.
pub static MPLE_L2: MethodEntry = MethodEntry {
    kind: "mple-l2",
    summary: "pairwise Markov network of bounded degree by L2-regularised pseudo-likelihood",
    source: SOURCE,
    revision: 1,
    parameters: &[
        DEGREE,
        EDGES,
        PATH_RATIO,
        PATH_END,
        LAMBDA,
        OPTIMISER,
        TOLERANCE,
        MAX_ITERATIONS,
        STEP_SIZE,
        STEPS,
        INTERVAL,
        RAISED,
    ],
    along: &["lambda"],
    cost,
    fits: &[Fit::PseudoLikelihood(|parameters, train, context, carry| {
        on_path(parameters, train, context, carry, |path, learner| {
            Ok(path.l2(learner, parameters.real(LAMBDA.name))?.clone())
        })
    })],
};

/// Learn, tie, relearn: the parameters of [`MPLE_L2`], clustered, then relearned without a penalty, all
/// of a cluster equal.
pub static LTR: MethodEntry = MethodEntry {
    kind: "ltr",
    summary: "learn-tie-relearn: L2-regularised parameters are clustered, made equal within clusters and relearned",
    source: SOURCE,
    revision: 1,
    parameters: &[
        DEGREE,
        EDGES,
        PATH_RATIO,
        PATH_END,
        LAMBDA,
        CLUSTERS,
        OPTIMISER,
        TOLERANCE,
        MAX_ITERATIONS,
        STEP_SIZE,
        STEPS,
        INTERVAL,
        RAISED,
    ],
    along: &["clusters", "lambda"],
    cost,
    fits: &[Fit::PseudoLikelihood(|parameters, train, context, carry| {
        on_path(parameters, train, context, carry, |path, learner| {
            let (lambda, k) = (parameters.real(LAMBDA.name), parameters.count(CLUSTERS.name));
            if k >= path.parameters() {
                return path.untied(learner, lambda);
            }
            let learned = &path.l2(learner, lambda)?.parameters;
            learner.hard(k_means(learned, k), learned)
        })
    })],
};

/// Automatic parameter tying, algorithm 1 of the paper, from the parameters of [`MPLE_L2`].
pub static APT: MethodEntry = MethodEntry {
    kind: "apt",
    summary: "automatic parameter tying: parameters and their clusters are learned together",
    source: SOURCE,
    revision: 1,
    parameters: &[
        DEGREE,
        EDGES,
        PATH_RATIO,
        PATH_END,
        LAMBDA,
        CLUSTERS,
        TYING,
        START,
        OPTIMISER,
        TOLERANCE,
        MAX_ITERATIONS,
        STEP_SIZE,
        STEPS,
        INTERVAL,
        RAISED,
    ],
    along: &["clusters", "lambda"],
    cost,
    fits: &[Fit::PseudoLikelihood(|parameters, train, context, carry| {
        on_path(parameters, train, context, carry, |path, learner| {
            let (lambda, k) = (parameters.real(LAMBDA.name), parameters.count(CLUSTERS.name));
            if k >= path.parameters() {
                return path.untied(learner, lambda);
            }
            let soft = match learner {
                Learner::Sgd(sgd) => sgd.tied(lambda, k)?,
                Learner::Converged(converged) => {
                    let start = path.start(parameters, learner, converged)?;
                    let soft = converged.tied(lambda, k, start)?;
                    path.tied.retain(|(of, _)| *of != lambda);
                    path.tied.push((lambda, soft.clone()));
                    soft
                }
            };
            if parameters.word(TYING.name) == "soft" {
                return Ok(soft);
            }
            let hard = learner.hard(k_means(&soft.parameters, k), &soft.parameters)?;
            Ok(Solution {
                iterations: soft.iterations + hard.iterations,
                rounds: soft.rounds,
                converged: soft.converged && hard.converged,
                ..hard
            })
        })
    })],
};

fn cost(parameters: &Parameters, shape: &Shape) -> f64 {
    let degree = parameters.count(DEGREE.name).min(shape.variables) as f64;
    1e-8 * (shape.examples * shape.variables) as f64 * (10.0 + degree)
}

/// The optimiser of the parameters.
enum Learner<'a> {
    Converged(Converged<'a>),
    Sgd(Sgd<'a>),
}

impl Learner<'_> {
    fn hard(&self, clustering: Clustering, start: &[f64]) -> Result<Solution, FitError> {
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

/// What the trials of a path share: the data as the network sees them, and solutions to start from.
#[derive(Debug)]
struct Path {
    structure_residual: f64,
    pseudo: Arc<PseudoLikelihood>,
    /// The L2-regularised solution of each λ, in the order of the path.
    l2: Vec<(f64, Solution)>,
    /// The last softly tied solution of each λ, in the order of the path.
    tied: Vec<(f64, Solution)>,
    /// The solution without ties and penalty.
    untied: Option<Solution>,
}

impl Path {
    fn new(
        parameters: &Parameters,
        train: &DistinctRows,
        context: &Context,
    ) -> Result<Self, FitError> {
        let structure = Structure::learn(parameters, train, context)?;
        let pseudo = Arc::new(PseudoLikelihood::new(structure.network, train, context)?);
        let structure_residual = structure.residual;
        Ok(Self { structure_residual, pseudo, l2: Vec::new(), tied: Vec::new(), untied: None })
    }

    /// Number of parameters, m.
    fn parameters(&self) -> usize {
        self.pseudo.network().parameters()
    }

    /// The L2-regularised solution, from that of the last λ.
    fn l2(&mut self, learner: &Learner<'_>, lambda: f64) -> Result<&Solution, FitError> {
        let known = self.l2.iter().position(|(of, _)| *of == lambda);
        let place = match known {
            Some(place) => place,
            None => {
                let start = self.l2.last().map(|(_, solution)| solution.parameters.clone());
                self.l2.push((lambda, learner.l2(lambda, start)?));
                self.l2.len() - 1
            }
        };
        Ok(&self.l2[place].1)
    }

    /// The solution without ties and penalty: what any λ has where there are as many clusters as
    /// parameters.
    fn untied(&mut self, learner: &Learner<'_>, lambda: f64) -> Result<Solution, FitError> {
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

    /// Where soft tying starts.
    fn start(
        &mut self,
        parameters: &Parameters,
        learner: &Learner<'_>,
        converged: &Converged<'_>,
    ) -> Result<Vec<f64>, FitError> {
        let (lambda, k) = (parameters.real(LAMBDA.name), parameters.count(CLUSTERS.name));
        if parameters.word(START.name) == "random" {
            let mut random = converged.context.random(0);
            return Ok((0..self.parameters()).map(|_| 2.0 * random.uniform() - 1.0).collect());
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

/// Learns one configuration of a path, whose state is carried from trial to trial.
fn on_path(
    parameters: &Parameters,
    train: &DistinctRows,
    context: &Context,
    carry: &mut Carry,
    learn: impl FnOnce(&mut Path, &Learner<'_>) -> Result<Solution, FitError>,
) -> Result<Box<dyn MarkovNetwork>, FitError> {
    let mut path = match carry.take().and_then(|state| state.downcast::<Path>().ok()) {
        Some(path) => path,
        None => Box::new(Path::new(parameters, train, context)?),
    };
    let pseudo = path.pseudo.clone();
    let stopping = Stopping {
        tolerance: parameters.real(TOLERANCE.name) * pseudo.examples(),
        max_iterations: parameters.count(MAX_ITERATIONS.name),
    };
    let converged = Converged { pseudo: &pseudo, context, stopping };
    let learner = if parameters.word(OPTIMISER.name) == "sgd" {
        let settings = Settings {
            step_size: parameters.real(STEP_SIZE.name),
            steps: parameters.count(STEPS.name),
            interval: parameters.count(INTERVAL.name),
            raised: parameters.bool(RAISED.name),
        };
        Learner::Sgd(Sgd { train, settings, converged })
    } else {
        Learner::Converged(converged)
    };
    let solution = learn(&mut path, &learner)?;
    let model = LearnedNetwork::new(&pseudo, solution, path.structure_residual);
    *carry = Some(path);
    Ok(Box::new(model))
}
