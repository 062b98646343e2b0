//! Linear support vector machines with squared hinge loss, one class against the rest.
//!
//! For examples x_i and signs y_i = ±1 the weights minimise
//!
//! ```text
//! f(w) = |w|² / 2 + sum_i C_i max(0, 1 - y_i w·x_i)²
//! ```
//!
//! where C_i is C times what `class_weight` gives the side of i, and with `bias` every example has one more feature, always 1, whose weight is regularised like the
//! others (scikit-learn's `LinearSVC` with `intercept_scaling = 1`). Two classes are one problem, more
//! are one for each class. Classes without training examples are never predicted.
//!
//! Both solvers find the same weights, in different time. Dual coordinate descent is quick on text; on
//! 20,000 examples of 1,000 fair bits with random classes its objective is still 14 % above the least
//! after 1,000 epochs, where Newton steps in the primal converge in 20 passes.

mod dual;
mod primal;
mod product;

use crate::metrics::{EPOCHS, OBJECTIVE, PARAMETERS};
use crate::shared::class_weight::ClassWeight;
use crate::shared::prediction::{check_variables, highest, predict_each};
use crate::shared::refusals::check_scales;
use contract::packed::words_for;
use contract::parameter::{Choice, Count, Flag, Real, settings};
use contract::{
    Binary, Classifier, Context, Examples, Fit, FitClassifier, Labelled, Measure, MethodEntry,
    NOT_CONVERGED, Prediction, Reported, Result, words,
};

words! {
    /// How the problems are solved.
    enum Solver {
        Dual = "dual", "dual coordinate descent; slow where examples that cannot be separated far outnumber the variables";
        Primal = "primal", "truncated Newton steps";
        /// The one that suits the shape.
        Auto = "auto", "primal where there are at least as many examples as variables, else dual";
    }
}

settings! {
    /// How the problems are solved.
    struct Settings {
        C c: Real::positive(1.0), "weight of the loss against the regulariser";
        BIAS bias: Flag::flag(true),
            "whether each example has one more feature that is always 1, its weight regularised like the others";
        CLASS_WEIGHT class_weight: Choice<ClassWeight>::worded("none"),
            "how much the loss of an example counts; of more than two classes, that of the class against the rest, which counts once"
            .later();
        SOLVER solver: Choice<Solver>::worded("auto"), "how the problems are solved; where both converge, with the same weights";
        TOLERANCE tolerance: Real::positive(1e-4),
            "dual: a problem has converged when the projected gradients of an epoch over all examples, and zero, span no more; \
             primal: when the norm of the gradient, as a part of that at zero weights, is no more than this times the share of \
             the rarer sign";
        MAX_EPOCHS max_epochs: Count::from(1, 1000),
            "most passes over the examples of a problem; `not_converged` counts the problems that end before they converge";
    }
}

/// The registry's entry.
pub static LINEAR_SVM: MethodEntry = MethodEntry {
    kind: "linear-svm",
    summary: "linear support vector machine: L2-regularised squared hinge loss, one class against the rest",
    source: "Hsieh et al. 2008 (dual coordinate descent), Galli and Lin 2022 (Newton steps), as LIBLINEAR",
    parameters: Settings::PARAMETERS,
    reports: &[&PARAMETERS, &EPOCHS, &NOT_CONVERGED, &OBJECTIVE],
    cost: |_, shape| 1e-7 * shape.entries as f64,
    fits: &[Fit::Classification(FIT), Fit::Numeric(FIT)],
    ..MethodEntry::PLAIN
};

const FIT: FitClassifier = |parameters, train, context, _| {
    Ok(Box::new(LinearSvm::fit(&Settings::read(parameters), train, context)?))
};

/// The examples of a problem.
struct Sides {
    /// Number of variables.
    variables: usize,
    /// y_i, 1 for the class itself and -1 for the other side.
    signs: Vec<f64>,
    /// How much the loss of an example of the other side counts, and of the class itself.
    weights: [f64; 2],
}

impl Sides {
    /// How much the loss of an example counts.
    fn weight(&self, row: usize) -> f64 {
        self.weights[usize::from(self.signs[row] > 0.0)]
    }
}

/// The solution of a problem.
#[derive(Debug, Clone, PartialEq)]
struct Solution {
    /// Weight of each variable, then zeros up to a whole word of variables.
    weights: Vec<f64>,
    /// Weight of the feature that is always 1; zero if there is none.
    bias: f64,
    /// Epochs, the last included.
    epochs: usize,
    /// Whether the tolerance was reached.
    converged: bool,
    /// Value of the primal objective.
    objective: f64,
}

impl Solution {
    /// No weights.
    fn new(variables: usize) -> Self {
        Self {
            weights: vec![0.0; words_for(variables) * 64],
            bias: 0.0,
            epochs: 0,
            converged: false,
            objective: 0.0,
        }
    }

    /// w·x + bias: positive for the class itself.
    fn decision(&self, rows: &(impl Product + ?Sized), row: usize) -> f64 {
        rows.dot(row, &self.weights) + self.bias
    }

    /// Sets the objective, f(w), by the examples and their sides.
    fn with_objective(mut self, rows: &(impl Product + ?Sized), sides: &Sides, c: f64) -> Self {
        let squares: f64 = self.weights.iter().map(|weight| weight * weight).sum();
        let losses = sides.signs.iter().enumerate().map(|(row, sign)| {
            let loss = (1.0 - sign * self.decision(rows, row)).max(0.0);
            sides.weight(row) * loss * loss
        });
        self.objective = 0.5 * (squares + self.bias * self.bias) + c * losses.sum::<f64>();
        self
    }
}

/// Rows that can be multiplied with weights and added to them. There are 64 weights for each word of a
/// packed row, as many for a sparse one.
trait Product: Sync {
    /// The product of a row with itself: of a binary one, its number of ones.
    fn square(&self, row: usize) -> f64;
    /// Sum of the weights of a row's ones.
    fn dot(&self, row: usize, weights: &[f64]) -> f64;
    /// Adds a number to the weights of a row's ones.
    fn add(&self, row: usize, number: f64, weights: &mut [f64]);

    /// Solves problem number `problem`: its loops are compiled for these rows.
    fn solve(
        &self,
        settings: &Settings,
        sides: &Sides,
        problem: usize,
        context: &Context,
    ) -> Result<Solution> {
        let primal = match settings.solver {
            Solver::Primal => true,
            Solver::Dual => false,
            Solver::Auto => sides.signs.len() >= sides.variables,
        };
        if primal {
            primal::solve(self, sides, settings, context)
        } else {
            dual::solve(self, sides, settings, context.random(problem), context)
        }
    }
}

/// Rows of bits or of numbers.
///
/// # Errors
/// If the examples are neither, or their scale is absurd.
fn rows_of(examples: &Examples) -> Result<&dyn Product> {
    if let Examples::Numeric(rows) = examples {
        check_scales(rows)?;
        return Ok(rows);
    }
    Ok(match examples.binary()? {
        Binary::Sparse(rows) => rows,
        Binary::Packed(rows) => rows,
    })
}

/// A fitted machine.
#[derive(Debug)]
struct LinearSvm {
    /// Number of variables of the training examples.
    variables: usize,
    /// Number of classes.
    all: usize,
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
    fn fit(settings: &Settings, train: &Labelled, context: &Context) -> Result<Self> {
        let (classes, weights) = settings.class_weight.of(train)?;
        // The class of each problem, and how much the other side counts.
        let (first, other) = match classes.len() {
            1 => (1, 1.0),
            2 => (1, weights[0]),
            _ => (0, 1.0),
        };
        let (rows, variables) = (rows_of(&train.examples)?, train.examples.variables());
        let solve = |problem: usize| {
            let place = first + problem;
            let sign = |&class: &u32| if class == classes[place] { 1.0 } else { -1.0 };
            let signs = train.labels.iter().map(sign).collect();
            let sides = Sides { variables, signs, weights: [other, weights[place]] };
            rows.solve(settings, &sides, problem, context)
        };
        Ok(Self {
            variables,
            all: train.classes,
            problems: context.each(classes.len() - first, 1, solve)?,
            parameters: variables + usize::from(settings.bias),
            classes,
        })
    }

    /// The class of an example; of several with the largest decision value the lowest.
    fn class(&self, rows: &(impl Product + ?Sized), example: usize) -> u32 {
        let value = |problem: &Solution| problem.decision(rows, example);
        if let [problem] = &self.problems[..] {
            return self.classes[usize::from(value(problem) > 0.0)];
        }
        self.classes[highest(self.problems.iter().map(value)) as usize]
    }
}

impl Classifier for LinearSvm {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        check_variables(examples, self.variables, "the machine was fitted to")?;
        let rows = rows_of(examples)?;
        let class = |example| self.class(rows, example);
        Ok(predict_each(examples.len(), context, class)?.into())
    }

    fn decision_values(&self, examples: &Examples, context: &Context) -> Result<Option<Vec<f64>>> {
        check_variables(examples, self.variables, "the machine was fitted to")?;
        context.check()?;
        let ([problem], 2) = (&self.problems[..], self.all) else { return Ok(None) };
        let rows = rows_of(examples)?;
        Ok(Some((0..examples.len()).map(|at| problem.decision(rows, at)).collect()))
    }

    fn measures(&self) -> Reported {
        let sample = |value: fn(&Solution) -> f64| {
            Measure::Sample(self.problems.iter().map(value).collect())
        };
        let not_converged = self.problems.iter().filter(|problem| !problem.converged).count();
        vec![
            (&EPOCHS, sample(|problem| problem.epochs as f64)),
            (&NOT_CONVERGED, Measure::Scalar(not_converged as f64)),
            (&OBJECTIVE, sample(|problem| problem.objective)),
            (&PARAMETERS, Measure::Scalar((self.problems.len() * self.parameters) as f64)),
        ]
    }
}

#[cfg(test)]
mod tests;
