//! Metrics that several tasks measure.

use contract::{Metric, metrics};

metrics! {
    in pub(crate) SIZES;
    pub VARIABLES: Examples = "variables", "|V|", "number of variables";
    pub TRAIN_EXAMPLES: Examples = "train_examples", "Train", "number of training examples".unit("examples");
    pub TEST_EXAMPLES: Examples = "test_examples", "Test", "number of test examples".unit("examples").of_test();
}

metrics! {
    pub OPTIMISM: Examples = "optimism", "Optimism",
        "how far the score of the selected grid point on the test examples lies from the best of its grid, which selection did not see: what a selection by test examples would have gained; measured with `optimism = true`".lower().of_test().within(0.0, f64::INFINITY);
    pub TIME_FIT: Clock = "time:fit", "Fit time",
        "seconds of the fit, all restarts; what serves several trials of a path counts in the first of them".lower().unit("s");
    pub TIME_EVALUATE: Clock = "time:evaluate", "Evaluation time",
        "seconds of scoring the training, validation and test examples".lower().unit("s");
    pub TIME_PREDICT: Clock = "time:predict", "Prediction time",
        "seconds of predicting the classes or the targets of the test examples".lower().unit("s");
    pub TIME_PROGRAM: Clock = "time:program", "Program time",
        "seconds of a program beside those that it names: its start, its reading and writing".lower().unit("s");
}

/// The clocks that a trial's seconds are the sum of.
pub static TIMES: [&Metric; 4] = [&TIME_FIT, &TIME_PREDICT, &TIME_EVALUATE, &TIME_PROGRAM];
