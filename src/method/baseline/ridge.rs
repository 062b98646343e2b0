//! Ridge regression: least squares with an L2 penalty.
//!
//! For examples x_i with targets y_i the weights w and the intercept b minimise
//!
//! ```text
//! sum over i of (y_i - w·x_i - b)² + alpha |w|²
//! ```
//!
//! The intercept is not penalised: columns and targets are moved to mean 0, and w solves
//!
//! ```text
//! (X'X + alpha I) w = X'y,    or    w = X'a with (XX' + alpha I) a = y
//! ```
//!
//! whichever is the smaller system, by Cholesky factors.

use super::mean;
use crate::metrics::PARAMETERS;
use crate::shared::prediction::{check_variables, predict_each};
use crate::shared::refusals::numbers;
use contract::numeric::NumericRows;
use contract::parameter::{Real, parameters, settings};
use contract::{
    Context, Examples, Fit, FitError, Measure, Memory, MethodEntry, Regressor, Reported, Result,
};
use math::matrix::Matrix;
use math::matrix::cholesky::{Cholesky, add_gram};
use math::vector::add_scaled;

settings! { ALPHA alpha: Real::positive(1.0), "weight of the penalty |w|² against the sum of squared errors"; }

/// The registry's entry.
pub static RIDGE: MethodEntry = MethodEntry {
    kind: "ridge",
    summary: "linear regression with an L2 penalty on the weights, none on the intercept",
    source: "Hoerl and Kennard 1970; as scikit-learn's Ridge",
    parameters: parameters![ALPHA],
    reports: &[&PARAMETERS],
    cost: |_, shape| 1e-9 * shape.entries as f64 * shape.variables.min(shape.examples) as f64 / 2.0,
    memory: Memory::PairsOfVariables(4.0),
    fits: &[Fit::Regression(|parameters, train, context, _| {
        let rows = numbers(&train.examples)?;
        context.check()?;
        let (n, columns) = (rows.len(), rows.columns());
        let alpha = parameters.get(&ALPHA);
        let means: Vec<f64> =
            (0..columns).map(|at| mean::of(&rows.column(at).collect::<Vec<f64>>())).collect();
        let mean = mean::of(&train.targets);
        let targets: Vec<f64> = train.targets.iter().map(|target| target - mean).collect();
        let centred = |row: usize, column: usize| rows.row(row)[column] - means[column];
        let weights = if columns <= n {
            let x = Matrix::from_fn(n, columns, centred);
            let mut weights = vec![0.0; columns];
            for (row, &target) in targets.iter().enumerate() {
                add_scaled(&mut weights, target, &x.row(row)[..columns]);
            }
            penalised(&x, alpha, context)?.solve(&mut weights);
            weights
        } else {
            let transposed = Matrix::from_fn(columns, n, |column, row| centred(row, column));
            let mut of_rows = targets;
            penalised(&transposed, alpha, context)?.solve(&mut of_rows);
            let weight = |column: usize| {
                transposed.row(column)[..n].iter().zip(&of_rows).map(|(x, a)| x * a).sum()
            };
            (0..columns).map(weight).collect()
        };
        Ok(Box::new(Ridge { means, mean, weights }))
    })],
    ..MethodEntry::PLAIN
};

/// The factors of V'V + alpha I.
fn penalised(v: &Matrix, alpha: f64, context: &Context) -> Result<Cholesky> {
    let size = v.columns();
    let mut gram = Matrix::zeros(size, size);
    add_gram(&mut gram, v, 1.0);
    (0..size).for_each(|at| gram.set(at, at, gram.at(at, at) + alpha));
    context.check()?;
    Cholesky::new(gram).ok_or_else(|| {
        FitError::NoSolution(format!(
            "the columns are so nearly dependent that alpha = {alpha:e} does not tell them apart; raise `alpha`, or give \
             the dataset `standardised = true`"
        ))
    })
}

#[derive(Debug)]
struct Ridge {
    /// Of the columns.
    means: Vec<f64>,
    /// Of the targets.
    mean: f64,
    weights: Vec<f64>,
}

impl Ridge {
    fn at(&self, row: &[f64]) -> f64 {
        let term = |((x, mean), weight): ((&f64, &f64), &f64)| (x - mean) * weight;
        self.mean + row.iter().zip(&self.means).zip(&self.weights).map(term).sum::<f64>()
    }
}

impl Regressor for Ridge {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<f64>> {
        check_variables(examples, self.weights.len(), "the weights are of")?;
        let rows: &NumericRows = examples.numeric()?;
        predict_each(rows.len(), context, |row| self.at(rows.row(row)))
    }

    fn measures(&self) -> Reported {
        vec![(&PARAMETERS, Measure::Scalar((self.weights.len() + 1) as f64))]
    }
}
