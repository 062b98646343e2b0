//! Linear support vector machines with squared hinge loss, one class against the rest.
//!
//! For examples x_i and signs y_i = ±1 the weights minimise
//!
//! ```text
//! f(w) = |w|² / 2 + C sum_i max(0, 1 - y_i w·x_i)²
//! ```
//!
//! where with `bias` every example has one more feature, always 1, whose weight is regularised like the
//! others (scikit-learn's `LinearSVC` with `intercept_scaling = 1`). Two classes are one problem, more
//! are one for each class. Classes without training examples are never predicted.

mod dual;
mod product;

use crate::data::Examples;
use crate::data::packed::words_for;
use crate::method::parameter::{Default, Domain, Parameter, Parameters};
use crate::method::{Carry, Classifier, Context, Fit, FitError, Labelled, MethodEntry};
use crate::task::Measure;
use crate::task::measure::Sample;
use dual::{Settings, Solution};
use product::Product;

/// The registry's entry.
pub static LINEAR_SVM: MethodEntry = MethodEntry {
    kind: "linear-svm",
    summary: "linear support vector machine: L2-regularised squared hinge loss, one class against the rest",
    source: "Hsieh, Chang, Lin, Keerthi and Sundararajan 2008 (dual coordinate descent), as LIBLINEAR",
    revision: 1,
    parameters: &[
        Parameter {
            name: "c",
            domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
            default: Default::Real(1.0),
            meaning: "weight of the loss against the regulariser",
        },
        Parameter {
            name: "bias",
            domain: Domain::Bool,
            default: Default::Bool(true),
            meaning: "whether each example has one more feature that is always 1, its weight regularised \
                      like the others",
        },
        Parameter {
            name: "tolerance",
            domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: true },
            default: Default::Real(1e-4),
            meaning: "a problem has converged when the largest and the smallest projected gradient of an \
                      epoch over all examples differ by no more",
        },
        Parameter {
            name: "max_epochs",
            domain: Domain::Integer { least: 1, most: i64::MAX },
            default: Default::Integer(1000),
            meaning: "most passes over the examples of a problem; `not_converged` counts the problems that \
                      end there",
        },
    ],
    along: &[],
    cost: |_, shape| 1e-7 * shape.entries as f64,
    fits: &[Fit::Classification(fit)],
};

fn fit(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>, FitError> {
    Ok(Box::new(LinearSvm::fit(&Settings::read(parameters), train, context)?))
}

/// A fitted machine.
#[derive(Debug)]
struct LinearSvm {
    /// Number of variables of the training examples.
    variables: usize,
    /// The classes with training examples, ascending.
    classes: Vec<u32>,
    /// Of two classes the problem of the second against the first, of more that of each against the
    /// rest; none of a single class.
    problems: Vec<Solution>,
    /// Number of weights of a problem.
    parameters: usize,
}

impl LinearSvm {
    /// Solves the problems on idle cores.
    fn fit(settings: &Settings, train: &Labelled, context: &Context) -> Result<Self, FitError> {
        let mut occurs = vec![false; train.classes];
        train.labels.iter().for_each(|&class| occurs[class as usize] = true);
        let classes: Vec<u32> =
            (0..train.classes as u32).filter(|&class| occurs[class as usize]).collect();
        let positive = match classes[..] {
            [] => return Err(FitError::Failed("there are no training examples".into())),
            [_] => &[],
            [_, _] => &classes[1..],
            _ => &classes[..],
        };
        let solve = |problem: usize| {
            let random = context.random(problem);
            let signs = train.labels.iter().map(|&class| class == positive[problem]);
            match &train.examples {
                Examples::Binary(rows) => dual::solve(rows, signs, settings, random, context),
                Examples::Packed(rows) => dual::solve(rows, signs, settings, random, context),
            }
        };
        let problems =
            context.cores.map_chunks(positive.len(), 1, || (), |(), range| solve(range.start));
        let variables = train.examples.variables();
        Ok(Self {
            variables,
            problems: problems.into_iter().collect::<Result<_, FitError>>()?,
            parameters: variables + usize::from(settings.bias),
            classes,
        })
    }

    /// The class of an example; of several with the largest decision value the lowest.
    fn class(&self, rows: &impl Product, example: usize) -> u32 {
        let value = |problem: &Solution| problem.decision(rows, example);
        if let [problem] = &self.problems[..] {
            return self.classes[usize::from(value(problem) > 0.0)];
        }
        let mut best = (f64::NEG_INFINITY, self.classes[0]);
        for (problem, &class) in self.problems.iter().zip(&self.classes) {
            let value = value(problem);
            if value > best.0 {
                best = (value, class);
            }
        }
        best.1
    }
}

/// Examples between two looks at the clock.
const CHUNK: usize = 1024;

impl Classifier for LinearSvm {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<u32>, FitError> {
        if examples.variables() != self.variables {
            return Err(FitError::Failed(format!(
                "the examples have {} variables, those that the machine was fitted to {}",
                examples.variables(),
                self.variables
            )));
        }
        let chunks = context.cores.map_chunks(
            examples.len(),
            CHUNK,
            || (),
            |(), range| {
                context.check()?;
                let class = |example| match examples {
                    Examples::Binary(rows) => self.class(rows, example),
                    Examples::Packed(rows) => self.class(rows, example),
                };
                Ok(range.map(class).collect::<Vec<u32>>())
            },
        );
        Ok(chunks.into_iter().collect::<Result<Vec<_>, FitError>>()?.concat())
    }

    fn measures(&self) -> Vec<(&'static str, Measure)> {
        let sample = |value: fn(&Solution) -> f64| {
            let mut sample = Sample::default();
            self.problems.iter().for_each(|problem| sample.push(value(problem)));
            Measure::Sample(sample)
        };
        let not_converged = self.problems.iter().filter(|problem| !problem.converged).count();
        vec![
            ("epochs", sample(|problem| problem.epochs as f64)),
            ("not_converged", Measure::Scalar(not_converged as f64)),
            ("objective", sample(|problem| problem.objective)),
            ("parameters", Measure::Scalar((self.problems.len() * self.parameters) as f64)),
        ]
    }
}

/// Number of weights that are stored for so many variables: whole words of variables.
fn padded(variables: usize) -> usize {
    words_for(variables) * 64
}

#[cfg(test)]
mod tests;
