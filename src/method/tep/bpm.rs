//! The methods `bpm-adf` and `bpm-ep`: the Bayes point machine, a linear classifier whose weights have a
//! Student-t or Gaussian posterior (appendices C and D.2 of the paper).
//!
//! Examples are met in a random order that repeats draw anew, so that repeats on the same data show how
//! a result depends on the order. `bpm-adf` meets each once; `bpm-ep` sweeps over them in that order
//! until nothing changes.

use super::adf::Filtered;
use super::labels::{BySign, Decide, decisions, signed};
use super::schedule::Schedule;
use super::site::Rule;
use super::step::{Dof, Step};
use super::weights::{Inputs, Weights};
use contract::parameter::{Default, Domain, Parameter, Parameters};
use contract::{
    Carry, Classifier, Context, Examples, Fit, FitError, Labelled, Measure, MethodEntry, Shape,
};
use math::matrix::Matrix;
use math::vector::dot;

const POSTERIOR: Parameter = Parameter {
    name: "posterior",
    domain: Domain::Word(&[
        ("student-t", "Student-t with `dof` degrees of freedom"),
        ("gaussian", "Gaussian, the limit of many degrees of freedom"),
    ]),
    default: Default::Word("student-t"),
    meaning: "family of the prior and the posterior of the weights",
};

const DOF: Parameter = Parameter {
    name: "dof",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
    default: Default::Real(10.0),
    meaning: "degrees of freedom v of a Student-t posterior",
};

const EPS: Parameter = Parameter {
    name: "eps",
    domain: Domain::Real { least: 0.0, most: 0.499, open: false },
    default: Default::Real(0.01),
    meaning: "probability of a wrong label, eps of the likelihood eps + (1 - 2 eps) Theta(y w·x)",
};

const PRIOR_SCALE: Parameter = Parameter {
    name: "prior_scale",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
    default: Default::Real(1.0),
    meaning: "scale of each weight under the prior: its scale matrix is the square of it times the identity",
};

const BIAS: Parameter = Parameter {
    name: "bias",
    domain: Domain::Bool,
    default: Default::Bool(false),
    meaning: "whether each example has one more input that is always 1",
};

const ORDER: Parameter = Parameter {
    name: "order",
    domain: Domain::Word(&[
        ("random", "a permutation that depends on the seed, and so on the repeat"),
        ("given", "that of the training examples"),
    ]),
    default: Default::Word("random"),
    meaning: "order in which the examples are met",
};

/// Assumed density filtering.
pub static BPM_ADF: MethodEntry = MethodEntry {
    kind: "bpm-adf",
    summary: "Bayes point machine by assumed density filtering: every example is met once",
    source: "Futami, Sato and Sugiyama 2017, equations (41)-(47); Ding, Qi and Vishwanathan 2011",
    revision: 1,
    parameters: &[POSTERIOR, DOF, EPS, PRIOR_SCALE, BIAS, ORDER],
    along: &[],
    cost: |_, shape| cost(shape),
    fits: &[Fit::Numeric(fit_adf)],
};

/// Expectation propagation.
pub static BPM_EP: MethodEntry = MethodEntry {
    kind: "bpm-ep",
    summary: "Bayes point machine by expectation propagation for the t-exponential family",
    source: "Futami, Sato and Sugiyama 2017, appendix D.2; corrected as in docs/tep.md",
    revision: 4,
    parameters: &[
        POSTERIOR,
        DOF,
        EPS,
        PRIOR_SCALE,
        BIAS,
        ORDER,
        Parameter {
            name: "damping",
            domain: Domain::Real { least: 0.01, most: 1.0, open: false },
            default: Default::Real(0.5),
            meaning: "share of the step to its new value that a site takes at first; 1 is no damping; it is \
                      halved where twenty sweeps bring no progress, and the run ends where that does not help",
        },
        Parameter {
            name: "tolerance",
            domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
            default: Default::Real(1e-9),
            meaning: "a sweep is the last when no location and no element of the scale matrix changes by \
                      more than this part of the largest one",
        },
        Parameter {
            name: "max_sweeps",
            domain: Domain::Integer { least: 1, most: i64::MAX },
            default: Default::Integer(1000),
            meaning: "most sweeps over the examples; `converged` is 0 where they were not enough, the run was \
                      given up, or the last sweep skipped an example",
        },
    ],
    along: &[],
    cost: |_, shape| 100.0 * cost(shape),
    fits: &[Fit::Numeric(fit_ep)],
};

/// Seconds of a sweep.
fn cost(shape: &Shape) -> f64 {
    let k = shape.variables as f64 + 1.0;
    shape.examples as f64 * (1e-6 + 1e-9 * k * k)
}

/// The degrees of freedom of the posterior.
fn dof(parameters: &Parameters) -> Dof {
    match parameters.word("posterior") {
        "gaussian" => Dof::GAUSSIAN,
        _ => Dof::new(parameters.real("dof")),
    }
}

/// The examples in the order in which they are met.
fn inputs(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
) -> Result<Inputs, FitError> {
    let (rows, signs) = signed(train)?;
    let order = match parameters.word("order") {
        "given" => (0..rows.len()).collect(),
        _ => context.random(0).permutation(rows.len()),
    };
    let columns = rows.columns();
    let inputs = columns + usize::from(parameters.bool("bias"));
    Ok(Inputs {
        rows: Matrix::from_fn(rows.len(), inputs, |row, column| {
            if column < columns { rows.row(order[row])[column] } else { 1.0 }
        }),
        signs: order.iter().map(|&example| signs[example]).collect(),
    })
}

fn fit_adf(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>, FitError> {
    let inputs = inputs(parameters, train, context)?;
    let (k, prior_scale) = (inputs.rows.columns(), parameters.real("prior_scale"));
    let mut filtered = Filtered::prior(k, prior_scale * prior_scale);
    filtered.learn(&inputs, &Step::new(dof(parameters), k, parameters.real("eps")))?;
    let columns = train.examples.variables();
    Ok(Box::new(BySign(BayesPoint { columns, weights: filtered.mean, measures: Vec::new() })))
}

fn fit_ep(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>, FitError> {
    let inputs = inputs(parameters, train, context)?;
    let (dof, prior_scale) = (dof(parameters), parameters.real("prior_scale"));
    let rule = Rule::Consistent(Step::new(dof, inputs.rows.columns(), parameters.real("eps")));
    let schedule = Schedule::read(parameters);
    let mut weights = Weights::prior(&inputs, prior_scale * prior_scale);
    let progress = weights.propagate(&inputs, dof, &rule, &schedule, context)?;
    let mut measures = progress.measures().to_vec();
    let name = if dof == Dof::GAUSSIAN { "log_evidence" } else { "q_log_evidence" };
    let evidence = weights.log_evidence(&inputs, dof, &rule).filter(|_| progress.converged);
    measures.extend(evidence.map(|value| (name, Measure::Scalar(value))));
    let columns = train.examples.variables();
    Ok(Box::new(BySign(BayesPoint { columns, weights: weights.mean, measures })))
}

/// A fitted machine: the Bayes point is the location of the posterior.
#[derive(Debug)]
struct BayesPoint {
    columns: usize,
    /// A weight for each column, then that of the constant input if there is one.
    weights: Vec<f64>,
    measures: Vec<(&'static str, Measure)>,
}

impl Decide for BayesPoint {
    /// w·x at the location of the posterior.
    fn decide(&self, examples: &Examples, context: &Context) -> Result<Vec<f64>, FitError> {
        let (weights, bias) = self.weights.split_at(self.columns);
        let bias = bias.first().copied().unwrap_or(0.0);
        decisions(examples, self.columns, context, || (), |(), input| dot(input, weights) + bias)
    }

    fn measures(&self) -> Vec<(&'static str, Measure)> {
        self.measures.clone()
    }
}

#[cfg(test)]
mod tests;
