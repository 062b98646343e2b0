//! Mixtures of EVMs: given the latent variable, the variables are partitioned into independent
//! blocks of exchangeable ones (Niepert and Domingos 2014, definition 4.1, Algorithm 1).

use method::metrics::{PARAMETERS, UNCONVERGED};

use crate::evm::conditions::{Level, Tests, WelchSample};
use crate::evm::learner::{MevmLearner, MevmSettings, StructureChoice};
use crate::evm::model::{BLOCKS, Mevm};
use crate::evm::partition::Rule;
use crate::evm::smoothing::LAPLACE;
use contract::binary::DistinctRows;
use contract::parameter::{Choice, Parameters, parameters, settings};
use contract::words::Words;
use contract::{Context, Fit, ITERATIONS, MethodEntry, Result};
use method::shared::em::{self, BestRun, Settings};

settings! {
    struct Own {
        PARTITION partition: Choice<Rule>::worded("sorted-first"), "how pairwise tests become a partition";
        WELCH_SAMPLE welch_sample: Choice<WelchSample>::new(&Words(&[
            ("literal", WelchSample::Literal, "for condition (1), x_ij δ(y|i) over all N examples, with their mean and variance, n = N; \
             the paper gives no sample for conditions (2) and (3), which are tested as under `effective`"),
            ("effective", WelchSample::Effective, "x_j given y, with mean m, variance m (1 - m), n = sum of δ(y|i)"),
            ("kish", WelchSample::Kish, "the same with n = (sum of δ(y|i))² / sum of δ(y|i)²"),
        ]), "literal"), "the sample that Welch's test takes a variable for, given a component";
        STRUCTURE structure: Choice<StructureChoice>::worded("global"),
            "step 4 of Algorithm 1: which structure an iteration keeps";
    }
}

/// The registry's entry.
pub static MEVM: MethodEntry = MethodEntry {
    kind: "mevm",
    summary: "mixture of exchangeable variable models with a latent variable, by structural EM",
    source: "Niepert and Domingos 2014, Algorithm 1",
    parameters: parameters![
        in Settings::PARAMETERS, Level::PARAMETERS, Own::PARAMETERS, parameters![LAPLACE]
    ],
    reports: &[&BLOCKS, &PARAMETERS, &ITERATIONS, &UNCONVERGED],
    cost: |parameters, shape| 4.0 * em::cost(parameters, shape),
    fits: &[Fit::Density(|parameters, train, context, _| {
        Ok(Box::new(learn(parameters, train, context)?))
    })],
    ..MethodEntry::PLAIN
};

/// Learns a mixture of EVMs by Algorithm 1.
///
/// # Errors
/// If there are fewer examples than components, the deadline passes or the user interrupts.
pub fn learn(
    parameters: &Parameters,
    train: &DistinctRows,
    context: &Context,
) -> Result<BestRun<Mevm>> {
    let settings = Settings::read(parameters);
    let mevm = MevmSettings::read(parameters);
    let mut learner = MevmLearner::new(train, &settings, &mevm, &context.cores);
    em::best_of_restarts(&mut learner, train, &settings, context)
}

impl MevmSettings {
    /// Reads the parameters that are the mixture of EVMs' own.
    pub fn read(parameters: &Parameters) -> Self {
        let Own { partition, welch_sample, structure } = Own::read(parameters);
        let tests = Tests::read(parameters, partition, welch_sample);
        Self { tests, choice: structure, laplace: parameters.get(&LAPLACE) }
    }
}

#[cfg(test)]
mod tests;
