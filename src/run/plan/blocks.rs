//! Tests of ranks and signs are of values that each test example has.

use contract::{DatasetId, PerExample};
use data::split::SplitPlan;
use spec::{Experiment, PairBy, Part};
use task::blocks::MOST;

/// A test would rank means of blocks of test examples.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error(
    "test `{test}` would rank blocks of test examples: `{dataset}` has {examples} of them, and of more than {MOST} the \
     means of blocks are kept"
)]
#[diagnostic(help(
    "ranks and signs of such means say more the larger the blocks are: compare means, as with kind = \"paired-t\" or \
     \"bootstrap\", or leave `{dataset}` out of the `datasets` of the test"
))]
pub struct RanksOfBlocks {
    /// The test's id.
    pub test: String,
    /// The dataset's.
    pub dataset: DatasetId,
    /// How many test examples it has.
    pub examples: usize,
}

impl RanksOfBlocks {
    /// Checks the tests over the examples of one dataset, of which so many are test examples of a trial in a part.
    pub(super) fn check(
        experiment: &Experiment,
        dataset: &DatasetId,
        test_examples: impl Fn(&Part) -> usize,
    ) -> Result<(), Self> {
        for part in experiment.parts.iter().filter(|part| part.datasets.contains(dataset)) {
            let examples = test_examples(part);
            // Without problems, folds and repeats `auto` is the examples.
            let once = part.split == SplitPlan::Published && part.repeats == 1;
            let ranked = experiment.tests.iter().find(|test| {
                (test.pair_by == PairBy::Example || test.pair_by == PairBy::Auto && once)
                    && test.kind.asks().orders
                    && test.metric.per_example == PerExample::Scores
                    && test.datasets.contains(dataset)
                    && test.methods.iter().any(|id| part.methods.contains(id))
            });
            if let Some(test) = ranked.filter(|_| examples > MOST) {
                let (test, dataset) = (test.id.clone(), dataset.clone());
                return Err(Self { test, dataset, examples });
            }
        }
        Ok(())
    }
}
