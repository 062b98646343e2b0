//! The methods `gpc-ep` and `stc-ep`: Gaussian and Student-t process classification by expectation
//! propagation, appendix E of the paper.

use super::hyper::{Choice, Problem, Search};
use super::kernel::{Family, Inputs, Kernel};
use super::labels::{BySign, Decide, decisions, signed};
use super::process::{Latent, Observed};
use super::schedule::{Progress, Schedule};
use super::site::{Literal, Rule};
use super::step::{Dof, Step};
use contract::numeric::NumericRows;
use contract::parameter::{Default, Domain, Parameter, Parameters};
use contract::{
    Carry, Classifier, Context, Examples, Fit, FitError, Labelled, Measure, MethodEntry, Shape,
};
use math::matrix::Matrix;
use math::matrix::cholesky::Cholesky;
use math::vector::dot;

const KERNEL: Parameter = Parameter {
    name: "kernel",
    domain: Domain::Word(&[
        ("rbf", "Gaussian: exp(-|x - x'|² / (2 l²))"),
        ("rbf-ard", "Gaussian with a length scale for each column"),
        ("linear", "1 + x·x' / l²"),
    ]),
    default: Default::Word("rbf"),
    meaning: "kernel, of amplitude 1: a likelihood of signs sees no amplitude",
};

const HYPERPARAMETERS: Parameter = Parameter {
    name: "hyperparameters",
    domain: Domain::Word(&[
        ("median", "the median of the distances between training inputs"),
        ("fixed", "`length_scale`"),
        (
            "grid",
            "that of nine multiples of the median, from 1/4 to 4, which has the highest Gaussian evidence",
        ),
        (
            "evidence",
            "a maximum of the Gaussian evidence, climbed to from the median, or from the nearest of those \
             multiples where expectation propagation converges",
        ),
    ]),
    default: Default::Word("median"),
    meaning: "how length scales are chosen",
};

const AMPLITUDE: Parameter = Parameter {
    name: "amplitude",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
    default: Default::Real(1.0),
    meaning: "the kernel is multiplied by its square; of the variants only the literal one depends on it, since a \
              likelihood of signs sees no amplitude",
};

const LENGTH_SCALE: Parameter = Parameter {
    name: "length_scale",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
    default: Default::Real(1.0),
    meaning: "length scale l where it is fixed, in units of the inputs",
};

const JITTER: Parameter = Parameter {
    name: "jitter",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: false },
    default: Default::Real(1e-6),
    meaning: "added to the diagonal of the kernel matrix of the training inputs",
};

const EPS: Parameter = Parameter {
    name: "eps",
    domain: Domain::Real { least: 0.0, most: 0.499, open: false },
    default: Default::Real(0.01),
    meaning: "probability of a wrong label, eps of the likelihood eps + (1 - 2 eps) Theta(y f)",
};

const DAMPING: Parameter = Parameter {
    name: "damping",
    domain: Domain::Real { least: 0.01, most: 1.0, open: false },
    default: Default::Real(0.8),
    meaning: "share of the step to its new value that a site takes at first; 1 is no damping; it is halved \
              where twenty sweeps bring no progress, and the run ends where that does not help",
};

const TOLERANCE: Parameter = Parameter {
    name: "tolerance",
    domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
    default: Default::Real(1e-6),
    meaning: "a sweep is the last when no location and no variance changes by more than this part of the \
              largest one, damping undone",
};

const MAX_SWEEPS: Parameter = Parameter {
    name: "max_sweeps",
    domain: Domain::Integer { least: 1, most: i64::MAX },
    default: Default::Integer(200),
    meaning: "most sweeps over the sites; `converged` is 0 where they were not enough, the run was given up, \
              or the last sweep skipped a site",
};

/// Gaussian process classification.
pub static GPC_EP: MethodEntry = MethodEntry {
    kind: "gpc-ep",
    summary: "Gaussian process classification by expectation propagation, with a step likelihood",
    source: "Rasmussen and Williams 2006, algorithm 3.5; likelihood of Futami, Sato and Sugiyama 2017, (57)",
    revision: 6,
    parameters: &[
        KERNEL,
        HYPERPARAMETERS,
        LENGTH_SCALE,
        JITTER,
        EPS,
        Parameter {
            name: "variant",
            domain: Domain::Word(&[
                ("free", "sites may have negative precision"),
                (
                    "clipped",
                    "negative precisions of sites are set to zero; the mean is still matched",
                ),
            ]),
            default: Default::Word("free"),
            meaning: "how sites are updated",
        },
        DAMPING,
        TOLERANCE,
        MAX_SWEEPS,
    ],
    along: &[],
    cost,
    fits: &[Fit::Numeric(fit_gaussian)],
};

/// Student-t process classification.
pub static STC_EP: MethodEntry = MethodEntry {
    kind: "stc-ep",
    summary: "Student-t process classification by expectation propagation for the t-exponential family",
    source: "Futami, Sato and Sugiyama 2017, appendix E; corrected as in docs/tep.md",
    revision: 5,
    parameters: &[
        KERNEL,
        HYPERPARAMETERS,
        LENGTH_SCALE,
        AMPLITUDE,
        JITTER,
        EPS,
        Parameter {
            name: "dof",
            domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
            default: Default::Real(10.0),
            meaning: "degrees of freedom v of the process; the limit of many is `gpc-ep`",
        },
        Parameter {
            name: "variant",
            domain: Domain::Word(&[
                ("self-consistent", "the projection on the distributions that a site can reach"),
                ("clipped", "the same with negative precisions of sites set to zero"),
                (
                    "literal",
                    "equations (78)-(89) as they stand; a trial fails where a cavity or the posterior is \
                     no distribution",
                ),
            ]),
            default: Default::Word("self-consistent"),
            meaning: "how sites are updated",
        },
        DAMPING,
        TOLERANCE,
        MAX_SWEEPS,
    ],
    along: &[],
    cost: cost_of_one_of_several,
    fits: &[Fit::Numeric(fit_student)],
};

/// About thirty sweeps of N³/2 multiplications, and nine runs more for the evidence.
fn cost(parameters: &Parameters, shape: &Shape) -> f64 {
    runs(parameters, 9.0) * run_cost(shape)
}

/// As [`cost`], but the search is likely to be another one's too: what makes it begins first.
fn cost_of_one_of_several(parameters: &Parameters, shape: &Shape) -> f64 {
    runs(parameters, 3.0) * run_cost(shape)
}

fn runs(parameters: &Parameters, of_search: f64) -> f64 {
    match choice(parameters) {
        Choice::Searched(_) => 1.0 + of_search,
        Choice::Fixed(_) | Choice::Median => 1.0,
    }
}

fn run_cost(shape: &Shape) -> f64 {
    let n = shape.examples as f64;
    3e-9 * n * n * n
}

fn family(parameters: &Parameters) -> Family {
    match parameters.word("kernel") {
        "rbf-ard" => Family::RbfArd,
        "linear" => Family::Linear,
        _ => Family::Rbf,
    }
}

fn choice(parameters: &Parameters) -> Choice {
    match parameters.word("hyperparameters") {
        "fixed" => Choice::Fixed(parameters.real("length_scale")),
        "grid" => Choice::Searched(Search::Grid),
        "evidence" => Choice::Searched(Search::Evidence),
        _ => Choice::Median,
    }
}

fn problem<'a>(parameters: &Parameters, rows: &'a NumericRows, signs: &'a [f64]) -> Problem<'a> {
    Problem {
        rows,
        signs,
        jitter: parameters.real("jitter"),
        eps: parameters.real("eps"),
        clipped: false,
        schedule: Schedule::read(parameters),
    }
}

fn fit_gaussian(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>, FitError> {
    let (rows, signs) = signed(train)?;
    let clipped = parameters.word("variant") == "clipped";
    let problem = Problem { clipped, ..problem(parameters, rows, &signs) };
    let (kernel, _) = problem.choose(family(parameters), choice(parameters), context)?;
    let fitted = problem.fit(kernel, context)?;
    let evidence = fitted.log_evidence.filter(|_| fitted.progress.converged);
    let evidence = evidence.map(|value| ("log_evidence", value));
    Ok(Box::new(BySign(ProcessClassifier::new(
        rows,
        &fitted.kernel,
        fitted.latent.weights(),
        fitted.progress,
        evidence,
    ))))
}

fn fit_student(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>, FitError> {
    let (rows, signs) = signed(train)?;
    let problem = problem(parameters, rows, &signs);
    let (kernel, log_evidence) = problem.choose(family(parameters), choice(parameters), context)?;
    let amplitude = parameters.real("amplitude");
    let square = amplitude * amplitude;
    let matrix = kernel.matrix(rows, problem.jitter);
    let matrix =
        Matrix::from_fn(rows.len(), rows.len(), |row, column| square * matrix.at(row, column));
    let observed = Observed { kernel: &matrix, signs: &signs };
    let (v, n) = (parameters.real("dof"), rows.len());
    let dof = Dof::new(v);
    let step = Step::new(dof, n, problem.eps);
    let rule = match parameters.word("variant") {
        "clipped" => Rule::Clipped(step),
        "literal" => {
            let cholesky = Cholesky::new(matrix.clone()).ok_or_else(|| {
                FitError::Failed(
                    "the kernel matrix is not positive definite to working precision, and the literal \
                     variant needs its determinant; raise `jitter`"
                        .to_owned(),
                )
            })?;
            Rule::Literal(Literal::new(v, n, problem.eps, cholesky.log_determinant()))
        }
        _ => Rule::Consistent(step),
    };
    let mut latent = Latent::prior(&matrix);
    let progress = latent.propagate(observed, dof, &rule, &problem.schedule, context)?;
    let evidences = [
        ("log_evidence", log_evidence),
        (
            "q_log_evidence",
            latent.log_evidence(observed, dof, &rule).filter(|_| progress.converged),
        ),
    ];
    let evidences = evidences.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let weights = latent.weights().into_iter().map(|weight| square * weight).collect();
    Ok(Box::new(BySign(ProcessClassifier::new(rows, &kernel, weights, progress, evidences))))
}

/// A fitted classifier: the prediction rule (96), the sign of k*' K⁻¹ mean.
#[derive(Debug)]
struct ProcessClassifier {
    columns: usize,
    inputs: Inputs,
    weights: Vec<f64>,
    measures: Vec<(&'static str, Measure)>,
}

impl ProcessClassifier {
    fn new(
        rows: &NumericRows,
        kernel: &Kernel,
        weights: Vec<f64>,
        progress: Progress,
        evidences: impl IntoIterator<Item = (&'static str, f64)>,
    ) -> Self {
        let mut measures = progress.measures().to_vec();
        measures.extend(evidences.into_iter().map(|(name, value)| (name, Measure::Scalar(value))));
        let lengths = kernel.lengths();
        measures.push((
            "fitted_length_scale",
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
    fn decide(&self, examples: &Examples, context: &Context) -> Result<Vec<f64>, FitError> {
        let scratch = || (Vec::new(), vec![0.0; self.weights.len()]);
        decisions(examples, self.columns, context, scratch, |(scaled, kernels), input| {
            self.inputs.with(input, scaled, kernels);
            dot(kernels, &self.weights)
        })
    }

    fn measures(&self) -> Vec<(&'static str, Measure)> {
        self.measures.clone()
    }
}

#[cfg(test)]
mod tests;
