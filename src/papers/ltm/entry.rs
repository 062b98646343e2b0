//! The method `latent-tree`.

use contract::parameter::parameters;
use contract::sampling::EXAMPLES;
use contract::{Fit, FitError, ITERATIONS, Memory, MethodEntry};

use super::em::{Settings, fit};
use super::model::{HIDDEN, LatentTreeModel};
use super::pieces::Columns;
use super::structure::{self, Structure};
use method::metrics::{PARAMETERS, UNCONVERGED};

/// The registry's entry.
pub static LATENT_TREE: MethodEntry = MethodEntry {
    kind: "latent-tree",
    summary: "tree over the variables and hidden ones, by distances, its parameters by EM",
    source: "Choi, Tan, Anandkumar and Willsky 2011, sections 4 to 6",
    revision: 2,
    parameters: parameters![in structure::Settings::PARAMETERS, Settings::PARAMETERS, parameters![EXAMPLES]],
    reports: &[&PARAMETERS, &ITERATIONS, &UNCONVERGED, &HIDDEN],
    cost: |_, shape| {
        let n = shape.variables as f64;
        1e-7 * n * (shape.examples as f64 + n)
    },
    memory: Memory::PairsOfVariables(4.0),
    fits: &[Fit::Density(|parameters, train, context, _| {
        let examples = parameters.get(&EXAMPLES);
        let first;
        let train = if examples == 0 {
            train
        } else if examples <= train.examples() {
            let rows = train.of_example[..examples].iter().map(|&row| row as usize);
            first = train.rows.select(rows).distinct();
            &first
        } else {
            return Err(FitError::NotApplicable(format!(
                "`examples` is {examples}, and there are {} training examples",
                train.examples()
            )));
        };
        let Structure { tree, lengths } = Structure::learn(parameters, train, context)?;
        let settings = Settings::read(parameters);
        let columns = Columns::of_rows(train);
        let mut random = context.random(0);
        let fitted = fit(&tree, &lengths, &columns, &settings, &mut random, context)?;
        Ok(Box::new(LatentTreeModel { tree, fitted }))
    })],
    ..MethodEntry::PLAIN
};
