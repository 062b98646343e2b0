//! The methods `gpc-ep` and `stc-ep`: Gaussian and Student-t process classification by expectation
//! propagation, appendix E of the paper.

use super::hyper::{Lengths, Problem, Search};
use super::kernel::{Family, Inputs, JITTER, Kernel};
use super::labels::{BySign, Decide, decisions, signed};
use super::process::{Latent, Observed};
use super::schedule::{DAMPING, MAX_SWEEPS, Progress, Schedule, TOLERANCE};
use super::site::{Literal, Rule};
use super::step::{Dof, EPS, Step};
use crate::tep::evidence::{LOG_EVIDENCE, Q_LOG_EVIDENCE};
use crate::tep::schedule::{CONVERGED, SKIPPED_SITES, SWEEPS};
use contract::numeric::NumericRows;
use contract::parameter::{Choice, Parameters, Real, parameters, settings};
use contract::{
    Context, Examples, Fit, FitError, Measure, Memory, MethodEntry, Metric, Reported, Result,
    Shape, metrics, words,
};
use math::matrix::Matrix;
use math::matrix::cholesky::Cholesky;
use math::vector::dot;

metrics! {
    pub FITTED_LENGTH_SCALE: Training = "fitted_length_scale", "Length scale",
        "length scale of the kernel; a sample over the columns where each has one";
}

words! {
    /// How length scales are chosen.
    enum Choosing {
        Median = "median", "the median of the distances between training inputs";
        Fixed = "fixed", "`length_scale`";
        Grid = "grid", "that of nine multiples of the median, from 1/4 to 4, which has the highest Gaussian evidence";
        Evidence = "evidence", "a maximum of the Gaussian evidence, climbed to from the median, or from the first of 4, 16, 64, 1/4, 1/16 \
                                and 1/64 times it where expectation propagation converges";
    }
}

settings! {
    /// The kernel of either process.
    struct OfKernel {
        KERNEL kernel: Choice<Family>::worded("rbf"), "kernel, of amplitude 1: a likelihood of signs sees no amplitude";
        HYPERPARAMETERS hyperparameters: Choice<Choosing>::worded("median"), "how length scales are chosen";
        LENGTH_SCALE length_scale: Real::positive(1.0), "length scale l where it is fixed, in units of the inputs";
    }
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
        let (rows, signs) = signed(train)?;
        let clipped = parameters.get(&GPC_VARIANT) == GaussianVariant::Clipped;
        let problem = Problem { clipped, ..problem(parameters, rows, &signs) };
        let (kernel, _) = problem.choose(parameters.get(&KERNEL), lengths(parameters), context)?;
        let fitted = problem.fit(kernel, context)?;
        let evidence = fitted.log_evidence.filter(|_| fitted.progress.converged);
        let evidence = evidence.map(|value| (&LOG_EVIDENCE, value));
        Ok(Box::new(BySign(ProcessClassifier::new(
            rows,
            &fitted.kernel,
            fitted.latent.weights().to_vec(),
            fitted.progress,
            evidence,
        ))))
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
        let (rows, signs) = signed(train)?;
        let problem = problem(parameters, rows, &signs);
        let (kernel, log_evidence) =
            problem.choose(parameters.get(&KERNEL), lengths(parameters), context)?;
        let amplitude = parameters.get(&AMPLITUDE);
        let square = amplitude * amplitude;
        let matrix = kernel.matrix(rows, problem.jitter);
        let matrix =
            Matrix::from_fn(rows.len(), rows.len(), |row, column| square * matrix.at(row, column));
        let observed = Observed { kernel: &matrix, signs: &signs };
        let (v, n) = (parameters.get(&DOF), rows.len());
        let dof = Dof::new(v);
        let step = Step::new(dof, n, problem.eps);
        let rule = match parameters.get(&STC_VARIANT) {
            Variant::Clipped => Rule::Clipped(step),
            Variant::Literal => {
                let cholesky = Cholesky::new(matrix.clone()).ok_or_else(|| {
                FitError::NoSolution(
                    "the kernel matrix is not positive definite to working precision, and the literal \
                     variant needs its determinant; raise `jitter`"
                        .to_owned(),
                )
            })?;
                Rule::Literal(Literal::new(v, n, problem.eps, cholesky.log_determinant()))
            }
            Variant::SelfConsistent => Rule::Consistent(step),
        };
        let mut latent = Latent::prior(&matrix);
        let progress = latent.propagate(observed, dof, &rule, &problem.schedule, context)?;
        let evidences = [
            (&LOG_EVIDENCE, log_evidence),
            (
                &Q_LOG_EVIDENCE,
                latent.log_evidence(observed, dof, &rule).filter(|_| progress.converged),
            ),
        ];
        let evidences = evidences.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let weights = latent.weights().iter().map(|weight| square * weight).collect();
        Ok(Box::new(BySign(ProcessClassifier::new(rows, &kernel, weights, progress, evidences))))
    })],
    ..MethodEntry::PLAIN
};

/// About thirty sweeps of N³/2 multiplications, and so many runs more for the evidence where length scales are searched.
fn cost(parameters: &Parameters, shape: &Shape, of_search: f64) -> f64 {
    let searched = matches!(lengths(parameters), Lengths::Searched(_));
    let n = shape.examples as f64;
    (if searched { 1.0 + of_search } else { 1.0 }) * (3e-9 * n * n * n)
}

fn lengths(parameters: &Parameters) -> Lengths {
    let OfKernel { hyperparameters, length_scale, .. } = OfKernel::read(parameters);
    match hyperparameters {
        Choosing::Median => Lengths::Median,
        Choosing::Fixed => Lengths::Fixed(length_scale),
        Choosing::Grid => Lengths::Searched(Search::Grid),
        Choosing::Evidence => Lengths::Searched(Search::Evidence),
    }
}

fn problem<'a>(parameters: &Parameters, rows: &'a NumericRows, signs: &'a [f64]) -> Problem<'a> {
    Problem {
        rows,
        signs,
        jitter: parameters.get(&JITTER),
        eps: parameters.get(&EPS),
        clipped: false,
        schedule: Schedule::read(parameters),
    }
}

/// A fitted classifier: the prediction rule (96), the sign of k*' K⁻¹ mean.
#[derive(Debug)]
struct ProcessClassifier {
    columns: usize,
    inputs: Inputs,
    weights: Vec<f64>,
    measures: Reported,
}

impl ProcessClassifier {
    fn new(
        rows: &NumericRows,
        kernel: &Kernel,
        weights: Vec<f64>,
        progress: Progress,
        evidences: impl IntoIterator<Item = (&'static Metric, f64)>,
    ) -> Self {
        let mut measures = progress.measures().to_vec();
        measures.extend(evidences.into_iter().map(|(name, value)| (name, Measure::Scalar(value))));
        let lengths = kernel.lengths();
        measures.push((
            &FITTED_LENGTH_SCALE,
            match lengths {
                [length] => Measure::Scalar(*length),
                _ => Measure::Sample(lengths.iter().copied().collect()),
            },
        ));
        Self { columns: rows.columns(), inputs: kernel.at(rows), weights, measures }
    }
}

impl Decide for ProcessClassifier {
    /// The expected latent value (95).
    fn decide(&self, examples: &Examples, context: &Context) -> Result<Vec<f64>> {
        let scratch = || (Vec::new(), vec![0.0; self.weights.len()]);
        decisions(examples, self.columns, context, scratch, |(scaled, kernels), input| {
            self.inputs.with(input, scaled, kernels);
            dot(kernels, &self.weights)
        })
    }

    fn measures(&self) -> Reported {
        self.measures.clone()
    }
}

#[cfg(test)]
mod tests;
