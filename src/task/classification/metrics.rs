//! What classification measures, but for what [`crate::probabilities`] and [`crate::confusion`] do.

use contract::{Work, metrics};

metrics! {
    in pub(crate) OF_CLASSES;
    pub TEST_ACCURACY: Task = "test_accuracy", "Accuracy",
        "share of the test examples whose class is predicted".higher().of_test().outcomes().within(0.0, 1.0);
    pub TEST_ERROR: Task = "test_error", "Error",
        "zero-one loss on the test examples; of the boundary task, without outliers, or the mean over the orders".lower().of_test().outcomes().within(0.0, 1.0);
    pub VALID_ACCURACY: Task = "valid_accuracy", "Validation accuracy",
        "share of the validation examples whose class is predicted".higher().of_validation().within(0.0, 1.0);
    pub TRAIN_ACCURACY: Task = "train_accuracy", "Training accuracy",
        "share of the training examples whose class is predicted; measured where an experiment names it".higher().within(0.0, 1.0).asked(&TRAINING_PREDICTIONS);
    pub TRAIN_ERROR: Task = "train_error", "Training error",
        "zero-one loss on the training examples: 1 - `train_accuracy`; measured where an experiment names it".lower().within(0.0, 1.0).asked(&TRAINING_PREDICTIONS);
    pub TEST_JOINT_LL: Task = "test_joint_ll", "Joint log-likelihood",
        "average log-likelihood of the test examples together with their classes; measured where an experiment names it, and there methods that do not model both fail".higher().unit("nats per example").of_test().asked(&JOINT_LOG_LIKELIHOODS);
}

metrics! {
    pub CLASSES: Task = "classes", "Classes", "number of classes";
}

static TRAINING_PREDICTIONS: Work = Work("training predictions");

static JOINT_LOG_LIKELIHOODS: Work = Work("joint log-likelihoods");
