//! The methods `bpm-adf` and `bpm-ep`: the Bayes point machine, a linear classifier whose weights have a
//! Student-t or Gaussian posterior (appendices C and D.2 of the paper).
//!
//! Examples are met in a random order that repeats draw anew, so that repeats on the same data show how
//! a result depends on the order. `bpm-adf` meets each once; `bpm-ep` sweeps over them in that order
//! until nothing changes.

use super::adf::Filtered;
use super::labels::{BySign, decisions, signed};
use super::schedule::{self, Schedule};
use super::site::Rule;
use super::step::{self, Dof, Step};
use super::weights::{Inputs, Weights};
use crate::tep::evidence::{LOG_EVIDENCE, Q_LOG_EVIDENCE};
use crate::tep::schedule::{CONVERGED, SKIPPED_SITES, SWEEPS};
use contract::parameter::{Choice, Count, Flag, Parameters, Real, parameters, settings};
use contract::words::Words;
use contract::{
    Classifier, Context, Examples, Fit, Labelled, Measure, Memory, MethodEntry, Reported, Result,
    Shape, words,
};
use math::matrix::Matrix;
use math::vector::dot;

settings! {
    POSTERIOR posterior: Choice<fn(f64) -> Dof>::new(&Words(&[
        ("student-t", Dof::new, "Student-t with `dof` degrees of freedom"),
        ("gaussian", |_| Dof::GAUSSIAN, "Gaussian, the limit of many degrees of freedom"),
    ]), "student-t"), "family of the prior and the posterior of the weights";
    DOF dof: Real::positive(10.0), "degrees of freedom v of a Student-t posterior";
    PRIOR_SCALE prior_scale: Real::positive(1.0),
        "scale of each weight under the prior: its scale matrix is the square of it times the identity";
    BIAS bias: Flag::flag(false), "whether each example has one more input that is always 1";
    ORDER order: Choice<Order>::worded("random"), "order in which the examples are met";
}

const EPS: Real = step::EPS
    .meaning("probability of a wrong label, eps of the likelihood eps + (1 - 2 eps) Theta(y w·x)");

words! {
    /// The order in which examples are met.
    enum Order {
        Random = "random", "a permutation that depends on the seed, and so on the repeat";
        Given = "given", "that of the training examples";
    }
}

/// Assumed density filtering.
pub static BPM_ADF: MethodEntry = MethodEntry {
    kind: "bpm-adf",
    summary: "Bayes point machine by assumed density filtering: every example is met once",
    source: "Futami, Sato and Sugiyama 2017, equations (41)-(47); Ding, Qi and Vishwanathan 2011",
    parameters: parameters![POSTERIOR, DOF, EPS, PRIOR_SCALE, BIAS, ORDER],
    cost: |_, shape| cost(shape),
    memory: Memory::PairsOfExamples(3.0),
    fits: &[Fit::Numeric(|parameters, train, context, _| {
        let inputs = inputs(parameters, train, context)?;
        let (k, prior_scale) = (inputs.rows.columns(), parameters.get(&PRIOR_SCALE));
        let mut filtered = Filtered::prior(k, prior_scale * prior_scale);
        filtered.learn(&inputs, &Step::new(dof(parameters), k, parameters.get(&EPS)))?;
        Ok(bayes_point(train.examples.variables(), filtered.mean, Vec::new()))
    })],
    ..MethodEntry::PLAIN
};

const DAMPING: Real = Real::within("damping", 0.01..=1.0, 0.5, schedule::DAMPING.parameter.meaning);

settings! {
    TOLERANCE tolerance: Real::positive(1e-9),
        "a sweep is the last when no location and no element of the scale matrix changes by more than this part of the largest one";
    MAX_SWEEPS max_sweeps: Count::from(1, 1000),
        "most sweeps over the examples; `converged` is 0 where they were not enough, the run was given up, or the last sweep \
         skipped an example";
}

/// Expectation propagation.
pub static BPM_EP: MethodEntry = MethodEntry {
    kind: "bpm-ep",
    summary: "Bayes point machine by expectation propagation for the t-exponential family",
    source: "Futami, Sato and Sugiyama 2017, appendix D.2; corrected as in docs/papers/tep.md",
    revision: 5,
    parameters: parameters![
        POSTERIOR,
        DOF,
        EPS,
        PRIOR_SCALE,
        BIAS,
        ORDER,
        DAMPING,
        TOLERANCE,
        MAX_SWEEPS,
    ],
    reports: &[&SWEEPS, &CONVERGED, &SKIPPED_SITES, &LOG_EVIDENCE, &Q_LOG_EVIDENCE],
    cost: |_, shape| 100.0 * cost(shape),
    memory: Memory::PairsOfExamples(3.0),
    fits: &[Fit::Numeric(|parameters, train, context, _| {
        let inputs = inputs(parameters, train, context)?;
        let (dof, prior_scale) = (dof(parameters), parameters.get(&PRIOR_SCALE));
        let rule = Rule::Consistent(Step::new(dof, inputs.rows.columns(), parameters.get(&EPS)));
        let schedule = Schedule::read(parameters);
        let mut weights = Weights::prior(&inputs, prior_scale * prior_scale);
        let progress = weights.propagate(&inputs, dof, &rule, &schedule, context)?;
        let mut measures = progress.measures().to_vec();
        let metric = if dof == Dof::GAUSSIAN { &LOG_EVIDENCE } else { &Q_LOG_EVIDENCE };
        let evidence = weights.log_evidence(&inputs, dof, &rule).filter(|_| progress.converged);
        measures.extend(evidence.map(|value| (metric, Measure::Scalar(value))));
        Ok(bayes_point(train.examples.variables(), weights.mean, measures))
    })],
    ..MethodEntry::PLAIN
};

/// Seconds of a sweep.
fn cost(shape: &Shape) -> f64 {
    let k = shape.variables as f64 + 1.0;
    shape.examples as f64 * (1e-6 + 1e-9 * k * k)
}

/// The degrees of freedom of the posterior.
fn dof(parameters: &Parameters) -> Dof {
    parameters.get(&POSTERIOR)(parameters.get(&DOF))
}

/// The examples in the order in which they are met.
fn inputs(parameters: &Parameters, train: &Labelled, context: &Context) -> Result<Inputs> {
    let (rows, signs) = signed(train)?;
    let order = match parameters.get(&ORDER) {
        Order::Given => (0..rows.len()).collect(),
        Order::Random => context.random(0).permutation(rows.len()),
    };
    let columns = rows.columns();
    let inputs = columns + usize::from(parameters.get(&BIAS));
    Ok(Inputs {
        rows: Matrix::from_fn(rows.len(), inputs, |row, column| {
            if column < columns { rows.row(order[row])[column] } else { 1.0 }
        }),
        signs: order.iter().map(|&example| signs[example]).collect(),
    })
}

/// The classifier by w·x at the Bayes point, the location of the posterior: a weight for each column, then that of the
/// constant input if there is one.
fn bayes_point(columns: usize, weights: Vec<f64>, measures: Reported) -> Box<dyn Classifier> {
    let decide = move |examples: &Examples, context: &Context| {
        let (weights, bias) = weights.split_at(columns);
        let bias = bias.first().copied().unwrap_or(0.0);
        decisions(examples, columns, context, || (), |(), input| dot(input, weights) + bias)
    };
    Box::new(BySign { decide, measures })
}

#[cfg(test)]
mod tests;
