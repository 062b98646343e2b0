//! The methods `gpc-ep` and `stc-ep`: Gaussian and Student-t process classification by expectation
//! propagation, appendix E of the paper.

use super::hyper::{Choosing, HYPERPARAMETERS, OfKernel, Problem};
use super::kernel::JITTER;
use super::labels::{BySign, decisions, signed};
use super::process::{Latent, Observed};
use super::schedule::{DAMPING, MAX_SWEEPS, Schedule, TOLERANCE};
use super::site::{Literal, Rule};
use super::step::{Dof, EPS, Step};
use crate::tep::evidence::{LOG_EVIDENCE, Q_LOG_EVIDENCE};
use crate::tep::schedule::{CONVERGED, SKIPPED_SITES, SWEEPS};
use contract::parameter::{Choice, Parameters, Real, parameters, settings};
use contract::{
    Classifier, Context, Examples, Fit, FitError, Labelled, Measure, Memory, MethodEntry, Result,
    Shape, metrics, words,
};
use math::matrix::Matrix;
use math::matrix::cholesky::Cholesky;
use math::vector::dot;

metrics! {
    pub FITTED_LENGTH_SCALE: Training = "fitted_length_scale", "Length scale",
        "length scale of the kernel; a sample over the columns where each has one";
}

settings! {
    AMPLITUDE amplitude: Real::positive(1.0),
        "the kernel is multiplied by its square; of the variants only the literal one depends on it, since a likelihood of \
         signs sees no amplitude";
}

words! {
    /// How the sites of a Gaussian process are updated.
    enum GaussianVariant {
        Free = "free", "sites may have negative precision";
        Clipped = "clipped", "negative precisions of sites are set to zero; the mean is still matched";
    }
}

settings! { GPC_VARIANT variant: Choice<GaussianVariant>::worded("free"), "how sites are updated"; }

/// The schedule's parameters, behind those of the kernel and others.
macro_rules! with_schedule {
    ($($own:expr),*) => {
        parameters![in OfKernel::PARAMETERS, parameters![JITTER, EPS, $($own),*, DAMPING, TOLERANCE, MAX_SWEEPS]]
    };
}

/// Gaussian process classification.
pub static GPC_EP: MethodEntry = MethodEntry {
    kind: "gpc-ep",
    summary: "Gaussian process classification by expectation propagation, with a step likelihood",
    source: "Rasmussen and Williams 2006, algorithm 3.5; likelihood of Futami, Sato and Sugiyama 2017, (57)",
    revision: 7,
    parameters: with_schedule![GPC_VARIANT],
    reports: &[&SWEEPS, &CONVERGED, &SKIPPED_SITES, &LOG_EVIDENCE, &FITTED_LENGTH_SCALE],
    cost: |parameters, shape| cost(parameters, shape, 9.0),
    memory: Memory::PairsOfExamples(3.0),
    fits: &[Fit::Numeric(|parameters, train, context, _| {
        fitted(parameters, train, context, Dof::GAUSSIAN, |step, _| {
            Ok(match parameters.get(&GPC_VARIANT) {
                GaussianVariant::Free => Rule::Consistent(step),
                GaussianVariant::Clipped => Rule::Clipped(step),
            })
        })
    })],
    ..MethodEntry::PLAIN
};

settings! { DOF dof: Real::positive(10.0), "degrees of freedom v of the process; the limit of many is `gpc-ep`"; }

words! {
    /// How the sites of a Student-t process are updated.
    enum Variant {
        SelfConsistent = "self-consistent", "the projection on the distributions that a site can reach";
        Clipped = "clipped", "the same with negative precisions of sites set to zero";
        Literal = "literal", "equations (78)-(89) as they stand; a trial fails where a cavity or the posterior is no distribution";
    }
}

settings! { STC_VARIANT variant: Choice<Variant>::worded("self-consistent"), "how sites are updated"; }

/// Student-t process classification.
pub static STC_EP: MethodEntry = MethodEntry {
    kind: "stc-ep",
    summary: "Student-t process classification by expectation propagation for the t-exponential family",
    source: "Futami, Sato and Sugiyama 2017, appendix E; corrected as in docs/papers/tep.md",
    revision: 6,
    parameters: with_schedule![AMPLITUDE, DOF, STC_VARIANT],
    reports: &[
        &SWEEPS,
        &CONVERGED,
        &SKIPPED_SITES,
        &LOG_EVIDENCE,
        &Q_LOG_EVIDENCE,
        &FITTED_LENGTH_SCALE,
    ],
    // The search is likely to be another method's too: what makes it begins first.
    cost: |parameters, shape| cost(parameters, shape, 3.0),
    memory: Memory::PairsOfExamples(3.0),
    fits: &[Fit::Numeric(|parameters, train, context, _| {
        let v = parameters.get(&DOF);
        fitted(parameters, train, context, Dof::new(v), |step, matrix| {
            Ok(match parameters.get(&STC_VARIANT) {
                Variant::SelfConsistent => Rule::Consistent(step),
                Variant::Clipped => Rule::Clipped(step),
                Variant::Literal => {
                    let cholesky = Cholesky::new(matrix.clone()).ok_or_else(|| {
                        FitError::NoSolution(
                            "the kernel matrix is not positive definite to working precision, and the literal \
                             variant needs its determinant; raise `jitter`"
                                .to_owned(),
                        )
                    })?;
                    let (n, log_determinant) = (matrix.rows(), cholesky.log_determinant());
                    Rule::Literal(Literal::new(v, n, parameters.get(&EPS), log_determinant))
                }
            })
        })
    })],
    ..MethodEntry::PLAIN
};

/// About thirty sweeps of N³/2 multiplications, and so many runs more for the evidence where length scales are searched.
fn cost(parameters: &Parameters, shape: &Shape, of_search: f64) -> f64 {
    let searched = matches!(parameters.get(&HYPERPARAMETERS), Choosing::Grid | Choosing::Evidence);
    let n = shape.examples as f64;
    (if searched { 1.0 + of_search } else { 1.0 }) * (3e-9 * n * n * n)
}

/// Chooses length scales and fits the process of this family, its sites updated by this rule.
fn fitted(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
    dof: Dof,
    rule: impl FnOnce(Step, &Matrix) -> Result<Rule>,
) -> Result<Box<dyn Classifier>> {
    let (rows, signs) = signed(train)?;
    let (jitter, eps) = (parameters.get(&JITTER), parameters.get(&EPS));
    let schedule = Schedule::read(parameters);
    let problem = Problem { rows, signs: &signs, jitter, eps, schedule };
    let (kernel, of_search) = problem.choose(&OfKernel::read(parameters), context)?;
    let amplitude = parameters.get(&AMPLITUDE);
    let square = amplitude * amplitude;
    let mut matrix = kernel.matrix(rows, jitter);
    for row in 0..rows.len() {
        matrix.row_mut(row).iter_mut().for_each(|value| *value *= square);
    }
    let rule = rule(Step::new(dof, rows.len(), eps), &matrix)?;
    let observed = Observed { kernel: &matrix, signs: &signs };
    let mut latent = Latent::prior(&matrix);
    let progress = latent.propagate(observed, dof, &rule, &schedule, context)?;
    let own = latent.log_evidence(observed, dof, &rule).filter(|_| progress.converged);
    let evidences = if dof == Dof::GAUSSIAN {
        [(&LOG_EVIDENCE, own), (&Q_LOG_EVIDENCE, None)]
    } else {
        [(&LOG_EVIDENCE, of_search), (&Q_LOG_EVIDENCE, own)]
    };
    let mut measures = progress.measures().to_vec();
    let evidences = evidences.into_iter().filter_map(|(name, value)| Some((name, value?)));
    measures.extend(evidences.map(|(name, value)| (name, Measure::Scalar(value))));
    let length_scale = match &kernel.lengths[..] {
        [length] => Measure::Scalar(*length),
        lengths => Measure::Sample(lengths.iter().copied().collect()),
    };
    measures.push((&FITTED_LENGTH_SCALE, length_scale));
    let weights: Vec<f64> = latent.weights.iter().map(|weight| square * weight).collect();
    let (columns, inputs) = (rows.columns(), kernel.at(rows));
    // The prediction rule (96): the sign of the expected latent value (95), k*' K⁻¹ mean.
    let decide = move |examples: &Examples, context: &Context| {
        let scratch = || (Vec::new(), vec![0.0; weights.len()]);
        decisions(examples, columns, context, scratch, |(scaled, kernels), input| {
            inputs.with(input, scaled, kernels);
            dot(kernels, &weights)
        })
    };
    Ok(Box::new(BySign { decide, measures }))
}

#[cfg(test)]
mod tests;
