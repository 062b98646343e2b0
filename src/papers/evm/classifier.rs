//! The MEVM classifier: given the class, the variables are partitioned into independent blocks of
//! exchangeable ones (Niepert and Domingos 2014, definition 4.1, theorem 4.2, section 5.1).

use method::metrics::PARAMETERS;
use ndarray::Array2;
use std::sync::Arc;

use crate::evm::class_structure::{ClassStatistics, Settings};
use crate::evm::conditions::Level;
use crate::evm::masks::Masks;
use crate::evm::model::{BLOCKS, Mevm};
use crate::evm::partition::{Partition, Rule};
use crate::evm::smoothing::{LAPLACE, Smoothing};
use crate::evm::structure::Structure;
use contract::packed::ones_of;
use contract::parameter::{Choice, Parameters, Real, parameters, settings};
use contract::words::{Worded as _, Words};
use contract::{
    Classifier, Context, DensityModel as _, Examples, Fit, FitError, Labelled, MethodEntry,
    Prediction, Reported, Result,
};
use method::shared::by_class::{Row, highest_scores, posteriors};
use method::shared::em;

const PRIOR_SMOOTHING: Real = em::PRIOR_SMOOTHING
    .meaning("constant added to the number of examples of each class for its prior");

/// Where the blocks come from.
#[derive(Debug, Clone, Copy)]
enum Blocks {
    /// From tests.
    Tested(Rule),
    /// There is one.
    Whole,
    /// From the generator.
    Known,
}

/// The rules' words, and two more.
const BLOCKS_OF: Words<Blocks> = Words(&{
    const WHOLE: &str = "all variables are one block: full exchangeability, nothing is tested";
    const KNOWN: &str = "the blocks that the data's generator states, nothing is tested";
    let mut words = [("whole", Blocks::Whole, WHOLE); Rule::WORDS.0.len() + 2];
    words[Rule::WORDS.0.len() + 1] = ("known", Blocks::Known, KNOWN);
    let mut at = 0;
    while at < Rule::WORDS.0.len() {
        let (word, rule, meaning) = Rule::WORDS.0[at];
        words[at] = (word, Blocks::Tested(rule), meaning);
        at += 1;
    }
    words
});

settings! { PARTITION partition: Choice<Blocks>::new(&BLOCKS_OF, "sorted-first"), "how pairwise tests become a partition"; }

/// The registry's entry.
pub static MEVM_CLASSIFIER: MethodEntry = MethodEntry {
    kind: "mevm",
    summary: "exchangeable blocks of variables given the class, found by Welch's tests",
    source: "Niepert and Domingos 2014, definition 4.1, theorem 4.2, section 5.1",
    parameters: parameters![
        in parameters![em::SMOOTHING, PRIOR_SMOOTHING, PARTITION, LAPLACE],
        Level::PARAMETERS, Settings::PARAMETERS
    ],
    reports: &[&BLOCKS, &PARAMETERS],
    probabilities: true,
    cost: |_, shape| 3e-8 * shape.entries as f64,
    fits: &[Fit::Classification(|parameters, train, context, _| {
        Ok(Box::new(MevmClassifier::learn(parameters, train, context)?))
    })],
    ..MethodEntry::PLAIN
};

/// A fitted MEVM classifier.
#[derive(Debug)]
pub struct MevmClassifier {
    model: Mevm,
    /// The blocks as masks, where packed rows are counted faster by these than by their ones.
    masks: Option<Masks>,
}

impl MevmClassifier {
    /// Partitions the variables for each class and estimates theorem 4.2's parameters, smoothed.
    ///
    /// A class without examples has nothing that could part its variables: they are one block, unless
    /// `partition` needs no tests. Where priors are not smoothed its prior is 0, and it is never
    /// predicted.
    ///
    /// Time O(ones + k n log n) with the sorted rules, or O(bits / 64) for each block of packed rows; memory
    /// beside the examples is O(k n).
    ///
    /// # Errors
    /// If there are no examples; if the known blocks are asked for and the data have none; if the
    /// deadline passes or the user interrupts.
    pub fn learn(parameters: &Parameters, train: &Labelled, context: &Context) -> Result<Self> {
        let n = train.examples.variables();
        let statistics = ClassStatistics::new(train, context)?;
        let of_all = |partition| Structure::new(vec![partition; train.classes], n);
        let structure = match parameters.get(&PARTITION) {
            Blocks::Whole => of_all(Partition::whole(n)),
            Blocks::Known => of_all(known(train)?),
            Blocks::Tested(rule) => statistics.learn_structure(parameters, rule)?,
        };
        let masks = statistics.masks(&structure);
        let histogram = statistics.histogram(&structure, masks.as_ref())?;
        let totals = statistics.totals();
        let smoothing = Smoothing::new(n, parameters.get(&em::SMOOTHING), parameters.get(&LAPLACE));
        let log_priors = em::log_priors(totals, parameters.get(&PRIOR_SMOOTHING));
        let structure = Arc::new(structure);
        let model = Mevm::estimate(structure, log_priors, totals, &histogram, &smoothing);
        Ok(Self { model, masks })
    }

    /// For each class a partition of the variables.
    pub fn structure(&self) -> &Structure {
        &self.model.structure
    }

    /// Writes ln P(y, x) of each class y. `positions` are at the blocks' starts before and after.
    fn log_joint(&self, row: Row<'_>, positions: &mut [u32], out: &mut [f64]) {
        let structure = self.structure();
        match row {
            Row::Ones(ones) => {
                self.model.log_joint(ones, positions, out);
                structure.reset(ones, positions);
            }
            Row::Bits(words) if structure.has_fewer_blocks(row.count_ones()) => {
                match &self.masks {
                    Some(masks) => masks.count(words, 0..positions.len(), positions),
                    None => ones_of(words).for_each(|one| {
                        let blocks = structure.blocks_of(one).iter();
                        blocks.for_each(|&block| positions[block as usize] += 1);
                    }),
                }
                self.model.log_joint_at(positions, out);
                positions.copy_from_slice(&structure.starts);
            }
            Row::Bits(words) => {
                self.model.log_joint_of(ones_of(words), positions, out);
                positions.copy_from_slice(&structure.starts);
            }
        }
    }
}

impl Classifier for MevmClassifier {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let structure = self.structure();
        let classes = highest_scores(
            examples,
            structure.components(),
            context,
            || structure.starts.to_vec(),
            |positions, row, out| self.log_joint(row, positions, out),
        )?;
        Ok(classes.into())
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let structure = self.structure();
        let table = posteriors(
            examples,
            structure.components(),
            context,
            || structure.starts.to_vec(),
            |positions, row, out| self.log_joint(row, positions, out),
        )?;
        Ok(Some(table))
    }

    fn measures(&self) -> Reported {
        self.model.measures()
    }
}

/// The blocks of the data's generator.
fn known(train: &Labelled) -> Result<Partition> {
    let n = train.examples.variables();
    let message = match &train.known_blocks {
        Some(blocks) if blocks.len() == n => return Ok(Partition::of_labels(blocks)),
        Some(blocks) => format!(
            "partition = \"known\" needs the blocks of {n} variables, and the data state those of {}",
            blocks.len()
        ),
        None => "partition = \"known\" needs data whose generator states blocks".to_owned(),
    };
    Err(FitError::NotApplicable(message))
}

#[cfg(test)]
mod tests;
