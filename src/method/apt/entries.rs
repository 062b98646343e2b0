//! The registry's entries: L2 regularisation, learn-tie-relearn, automatic parameter tying.

use std::sync::Arc;

use super::converged::{Converged, Solution};
use super::model::LearnedNetwork;
use super::pseudo_likelihood::PseudoLikelihood;
use super::structure::{DEGREE, EDGES, PATH_END, PATH_RATIO, Structure};
use crate::data::binary::DistinctRows;
use crate::math::k_means::k_means;
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
            "path",
            "from the last configuration of the grid, if that has the same λ and fewer clusters; else as `l2`",
        ),
        ("l2", "from the parameters of L2 regularisation with the same λ"),
        ("random", "from parameters drawn uniformly between -1 and 1"),
    ]),
    default: Default::Word("path"),
    meaning: "where learning starts",
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

/// L2 regularisation.
pub static MPLE_L2: MethodEntry = MethodEntry {
    kind: "mple-l2",
    summary: "pairwise Markov network of bounded degree by L2-regularised pseudo-likelihood",
    source: SOURCE,
    revision: 1,
    parameters: &[DEGREE, EDGES, PATH_RATIO, PATH_END, LAMBDA, TOLERANCE, MAX_ITERATIONS],
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
    parameters: &[DEGREE, EDGES, PATH_RATIO, PATH_END, LAMBDA, CLUSTERS, TOLERANCE, MAX_ITERATIONS],
    along: &["lambda", "clusters"],
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
        TOLERANCE,
        MAX_ITERATIONS,
    ],
    along: &["lambda", "clusters"],
    cost,
    fits: &[Fit::PseudoLikelihood(|parameters, train, context, carry| {
        on_path(parameters, train, context, carry, |path, learner| {
            let (lambda, k) = (parameters.real(LAMBDA.name), parameters.count(CLUSTERS.name));
            if k >= path.parameters() {
                return path.untied(learner, lambda);
            }
            let start = match parameters.word(START.name) {
                "random" => drawn(path.parameters(), context),
                "path" => match path.tied.take() {
                    Some((last, solution)) if last == lambda && solution.clusters <= k => {
                        solution.parameters
                    }
                    _ => path.l2(learner, lambda)?.parameters.clone(),
                },
                _ => path.l2(learner, lambda)?.parameters.clone(),
            };
            let soft = learner.tied(lambda, k, start)?;
            path.tied = Some((lambda, soft.clone()));
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

/// Parameters drawn for a random start.
fn drawn(count: usize, context: &Context) -> Vec<f64> {
    let mut random = context.random(0);
    (0..count).map(|_| 2.0 * random.uniform() - 1.0).collect()
}

/// What the trials of a path share: the data as the network sees them, and solutions to start from.
#[derive(Debug)]
struct Path {
    structure_residual: f64,
    pseudo: Arc<PseudoLikelihood>,
    /// The last λ with its L2-regularised solution.
    l2: Option<(f64, Solution)>,
    /// The last λ of soft ties with its solution.
    tied: Option<(f64, Solution)>,
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
        Ok(Self {
            structure_residual: structure.residual,
            pseudo,
            l2: None,
            tied: None,
            untied: None,
        })
    }

    /// Number of parameters, m.
    fn parameters(&self) -> usize {
        self.pseudo.network().parameters()
    }

    /// The L2-regularised solution, from that of the last λ.
    fn l2(&mut self, learner: &Converged<'_>, lambda: f64) -> Result<&Solution, FitError> {
        let solution = match self.l2.take() {
            Some((last, solution)) if last == lambda => solution,
            Some((_, solution)) => learner.l2(lambda, solution.parameters)?,
            None => learner.l2(lambda, learner.start())?,
        };
        Ok(&self.l2.insert((lambda, solution)).1)
    }

    /// The solution without ties and penalty: what any λ has where there are as many clusters as
    /// parameters.
    fn untied(&mut self, learner: &Converged<'_>, lambda: f64) -> Result<Solution, FitError> {
        if self.untied.is_none() {
            let start = self.l2(learner, lambda)?.parameters.clone();
            let m = self.parameters();
            let untied = learner.l2(0.0, start)?;
            let of_parameter = (0..m as u32).collect();
            self.untied = Some(Solution { of_parameter, clusters: m, ..untied });
        }
        self.untied.clone().ok_or_else(|| unreachable!("it has been set"))
    }
}

/// Learns one configuration of a path, whose state is carried from trial to trial.
fn on_path(
    parameters: &Parameters,
    train: &DistinctRows,
    context: &Context,
    carry: &mut Carry,
    learn: impl FnOnce(&mut Path, &Converged<'_>) -> Result<Solution, FitError>,
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
    let learner = Converged { pseudo: &pseudo, context, stopping };
    let solution = learn(&mut path, &learner)?;
    let model = LearnedNetwork::new(&pseudo, solution, path.structure_residual);
    *carry = Some(path);
    Ok(Box::new(model))
}
