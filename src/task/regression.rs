//! Regression: learn from examples with a number each, predict the numbers of others.

use std::borrow::Cow;

use contract::{Carry, Examples, FitError, Gives, Result, Targeted, Work, listed, metrics};
use data::Dataset;
use data::split::Division;

use crate::chance::{self, CHANCE_R2, Chance, MAJORITY_SHARE, RIGHT_SIDE};
use crate::classification::numeric;
use crate::errors::Errors;
use crate::labels::Labels;
use crate::measured::Measured;
use crate::metrics::{SIZES, TIME_FIT, TIME_PREDICT, TIME_PROGRAM};
use crate::moved::{MOVED_ANSWERS, moved, near};
use crate::overlap::{OVERLAPS, Overlap};
use crate::predictions::Predictions;
use crate::{Ask, Divided, Fitting, Served, Task, Unsuited, blocks};

/// Largest absolute value of a target: its square is a number.
const LARGEST: f64 = 1e100;

static SHARES: Work = Work("errors as shares of targets");

metrics! {
    in pub(crate) OF_NUMBERS;
    pub RMSE: Task = "rmse", "RMSE",
        "root of the mean squared error on the test examples, in the unit of the target".lower().of_test().within(0.0, f64::INFINITY);
    pub MAE: Task = "mae", "MAE",
        "mean absolute error on the test examples, in the unit of the target".lower().of_test().scores().within(0.0, f64::INFINITY);
    pub R2: Task = "r2", "R²",
        "1 less the squared errors on the test examples over those of the mean of the test targets; not there where the test targets are all equal, or one".higher().of_test().within(f64::NEG_INFINITY, 1.0);
    pub MAPE: Task = "mape", "MAPE",
        "mean over the test examples of the absolute error over the size of the target; not there where a test target is 0; measured where an experiment names it".lower().of_test().within(0.0, f64::INFINITY).asked(&SHARES);
    pub VALID_RMSE: Task = "valid_rmse", "Validation RMSE",
        "root of the mean squared error on the validation examples, in the unit of the target".lower().of_validation().within(0.0, f64::INFINITY);
}

/// Learn from examples with a number each, predict the numbers of others.
pub static REGRESSION: Task = Task {
    word: "regression",
    meaning: "learn to predict a number for held-out examples",
    score: &RMSE,
    chance: Some(Chance { score: &R2, by_chance: &CHANCE_R2, hits: &RIGHT_SIDE }),
    predicts: true,
    metrics: listed![
        OF_NUMBERS,
        SIZES,
        OVERLAPS,
        &[
            &CHANCE_R2,
            &RIGHT_SIDE,
            &MAJORITY_SHARE,
            &MOVED_ANSWERS,
            &TIME_FIT,
            &TIME_PREDICT,
            &TIME_PROGRAM
        ]
    ],
    serves: |method| {
        method.regression().is_some() || method.gives().any(|gives| gives == Gives::Values)
    },
    suits: |dataset, _| {
        if dataset.targets {
            return Ok(());
        }
        let found = if dataset.classes.is_empty() { "no target" } else { "classes" };
        Err(Unsuited::NoTargets { dataset: dataset.id.to_owned(), found })
    },
    divide: |portion, _| {
        let targets = portion.dataset.targets.numbers();
        let targets = targets.ok_or_else(|| crate::lacking("targets that are numbers"))?;
        let mut data = RegressionData::new(portion.dataset, targets, portion.division)?;
        data.overlap.dataset = Some(portion.dataset.clone());
        Ok(Box::new(data))
    },
    ..Task::PLAIN
};

/// The examples of one split.
#[derive(Debug, Clone)]
pub struct RegressionData {
    /// Training examples.
    pub train: Targeted,
    /// Validation examples; may be empty.
    pub valid: Targeted,
    /// Test examples.
    pub test: Targeted,
    /// Names of the variables, where they have some.
    pub columns: Option<Vec<String>>,
    /// What training examples give away of test examples.
    pub overlap: Overlap,
}

impl RegressionData {
    /// The examples of a division after the dataset's preprocessing, which is fitted to the training examples.
    ///
    /// # Errors
    /// If a target is so large that its square is no number.
    pub fn new(dataset: &Dataset, targets: &[f64], division: &Division) -> Result<Self> {
        if let Some(target) = targets.iter().find(|target| target.abs() > LARGEST) {
            return Err(FitError::Failed(format!(
                "a target is {target:e}, and its square is no number; give the target another unit"
            )));
        }
        let all = dataset.preprocessing.apply(&dataset.examples, &division.train);
        let of = |examples: &[usize]| Targeted {
            examples: all.select(examples),
            targets: examples.iter().map(|&example| targets[example]).collect(),
        };
        let rows = [&division.train, &division.valid, &division.test].map(Vec::clone);
        Ok(Self {
            train: of(&division.train),
            valid: of(&division.valid),
            test: of(&division.test),
            columns: dataset.named_columns(&division.train),
            overlap: Overlap::new(&dataset.marks, rows),
        })
    }

    /// The examples as numbers: attributes with finitely many values become 0/1 columns, one a value.
    fn numeric(&self) -> Cow<'_, Self> {
        if let Examples::Numeric(_) | Examples::Table(_) = &self.train.examples {
            return Cow::Borrowed(self);
        }
        let of = |part: &Targeted| Targeted {
            examples: numeric(&part.examples),
            targets: part.targets.clone(),
        };
        Cow::Owned(Self {
            train: of(&self.train),
            valid: of(&self.valid),
            test: of(&self.test),
            // Attributes are several columns now.
            columns: None,
            overlap: self.overlap.clone(),
        })
    }

    /// Adds what the predictions of the test examples give, and the sizes.
    pub(crate) fn measured_on_test(&self, measured: &mut Measured, predicted: &[f64], ask: &Ask) {
        chance::of_numbers(measured, ask, &self.test.targets, predicted);
        let targets = (&self.train.targets[..], &self.test.targets[..]);
        chance::of_sides(measured, ask, targets, predicted);
        if ask.predictions {
            let (truth, predicted) = (self.test.targets.clone(), predicted.to_vec());
            measured.predictions = Some(Predictions::new(self.overlap.tested(), truth, predicted));
        }
        let errors = Errors::of(predicted, &self.test.targets);
        measured.scalar(&RMSE, errors.rmse());
        measured.scalar(&MAE, errors.mae());
        match errors.r2(&self.test.targets) {
            Some(r2) => measured.scalar(&R2, r2),
            None => {
                measured.lacks.insert(&R2, "the test targets are all equal".to_owned());
            }
        }
        match errors.mape(&self.test.targets) {
            _ if !ask.names(&MAPE) => {}
            Some(mape) => measured.scalar(&MAPE, mape),
            None => measured.lacks([&MAPE], ask, "a test target is 0"),
        }
        measured.examples.insert(&MAE, blocks::means(&errors.absolute()));
        let (train, test) = (&self.train, &self.test);
        measured.sizes(train.examples.variables(), train.targets.len(), test.targets.len());
    }

    /// Adds what training examples give away of the test examples.
    pub(crate) fn measured_overlap(&self, measured: &mut Measured, ask: &Ask) {
        let labels = Labels::Numbers { train: &self.train.targets, test: &self.test.targets };
        self.overlap.measured(measured, ask, (&self.train.examples, &self.test.examples), &labels);
    }

    /// Adds what the predictions of the validation examples give.
    pub(crate) fn measured_on_valid(&self, measured: &mut Measured, predicted: &[f64]) {
        measured.scalar(&VALID_RMSE, Errors::of(predicted, &self.valid.targets).rmse());
    }
}

impl Divided for RegressionData {
    fn served(&self) -> Option<&dyn Served> {
        Some(self)
    }

    fn measure(&self, fitting: &Fitting<'_>, carry: &mut Carry) -> Result<Measured> {
        let Fitting { method, parameters, ask, context } = *fitting;
        let fit = method.regression().ok_or_else(|| REGRESSION.unserved())?;
        crate::needs("training", self.train.targets.len())?;
        crate::needs("test", self.test.targets.len())?;
        let data = self.numeric();
        let mut measured = Measured::default();
        let regressor =
            measured.timed(&TIME_FIT, || fit(parameters, &data.train, context, carry))?;
        let predict = || regressor.predict(&data.test.examples, context);
        let predicted = measured.timed(&TIME_PREDICT, predict)?;
        data.measured_on_test(&mut measured, &predicted, ask);
        self.measured_overlap(&mut measured, ask);
        if ask.names(&MOVED_ANSWERS) {
            let again = |examples: &Examples| regressor.predict(examples, context);
            let moved = moved(&data.test.examples, &predicted, |a, b| near(*a, *b), again)?;
            measured.scalar(&MOVED_ANSWERS, moved);
        }
        if !data.valid.targets.is_empty() {
            let predicted = regressor.predict(&data.valid.examples, context)?;
            data.measured_on_valid(&mut measured, &predicted);
        }
        measured.metrics.extend(regressor.measures());
        Ok(measured)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use ::program::{Answers, BatchName};
    use base::digest::Digest;
    use contract::table::{Column, Table};
    use contract::{Context, Fit, FitRegressor, Measure, Parameters, Regressor};
    use data::preprocessing::Missing;
    use data::{Preprocessing, Targets};
    use testing::{context, method};

    use crate::program::{Answered, Served as _};

    #[test]
    fn errors_are_shares_of_targets_unless_one_is_0() {
        // scikit-learn 1.9.1: mean_absolute_percentage_error.
        let errors = Errors::of(&[1.0, -3.0, 6.0], &[2.0, -4.0, 5.0]);
        assert!((errors.mape(&[2.0, -4.0, 5.0]).unwrap() - 0.316_666_666_666_666_65).abs() < 1e-15);
        assert_eq!(errors.mape(&[2.0, 0.0, 5.0]), None);
    }

    #[test]
    fn errors_are_those_of_scikit_learn() {
        // scikit-learn 1.9.1: root_mean_squared_error, mean_absolute_error, r2_score.
        let errors = Errors::of(&[2.5, 0.0, 2.0, 8.0], &[3.0, -0.5, 2.0, 7.0]);
        assert!((errors.rmse() - 0.612_372_435_695_794_5).abs() < 1e-15);
        assert_eq!(errors.mae(), 0.5);
        let r2 = errors.r2(&[3.0, -0.5, 2.0, 7.0]).unwrap();
        assert!((r2 - 0.948_608_137_044_967_9).abs() < 1e-15, "{r2}");
        let worse = Errors::of(&[3.0, 2.0, 1.0], &[1.0, 2.0, 3.0]).r2(&[1.0, 2.0, 3.0]);
        assert_eq!(worse, Some(-3.0));
    }

    #[test]
    fn of_equal_targets_there_is_no_r2() {
        assert_eq!(Errors::of(&[0.1, 0.1], &[0.1, 0.1]).r2(&[0.1, 0.1]), None);
        assert_eq!(Errors::of(&[0.3, 0.1], &[0.1, 0.1]).r2(&[0.1, 0.1]), None);
        assert_eq!(Errors::of(&[1.0], &[2.0]).r2(&[2.0]), None);
    }

    /// A column of numbers, of which one is missing, and one of names; the targets are 10, 20, 40, 5, 5.
    fn dataset(preprocessing: Preprocessing) -> Dataset {
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let codes = vec![0, 1, 0, 1, 1];
        let examples = Examples::Table(Table::new(vec![
            Column::Numbers(vec![1.0, f64::NAN, 3.0, 7.0, f64::NAN]),
            Column::Names { names: Arc::new(names), codes },
        ]));
        Dataset {
            targets: Targets::Numbers(vec![10.0, 20.0, 40.0, 5.0, 5.0]),
            preprocessing,
            ..Dataset::new("d", Digest::of(b"d"), examples)
        }
    }

    fn data(preprocessing: Preprocessing, valid: Vec<usize>, test: Vec<usize>) -> RegressionData {
        let dataset = dataset(preprocessing);
        let division = Division { train: vec![0, 1, 2], valid, test };
        RegressionData::new(&dataset, dataset.targets.numbers().unwrap(), &division).unwrap()
    }

    const MEDIAN: Preprocessing = Preprocessing { missing: Missing::Median, ..Preprocessing::NONE };

    /// Predicts the first column.
    #[derive(Debug)]
    struct FirstColumn;

    impl Regressor for FirstColumn {
        fn predict(&self, examples: &Examples, _: &Context) -> Result<Vec<f64>> {
            Ok(examples.numeric()?.column(0).collect())
        }
    }

    fn measured(data: &RegressionData) -> Result<Measured> {
        let fit: FitRegressor = |_, _, _, _| Ok(Box::new(FirstColumn));
        let method = method(vec![Fit::Regression(fit)]);
        let context = context(Digest::of(b""), 0);
        data.measure(
            &Fitting {
                method: &method,
                parameters: &Parameters::defaults(&[]),
                ask: &Ask::default(),
                context: &context,
            },
            &mut None,
        )
    }

    #[test]
    fn preprocessing_is_fitted_to_training_examples_and_errors_are_measured() {
        let data = data(MEDIAN, vec![3], vec![3, 4]);
        // The median of 1 and 3 is 2; `b` is the second of two columns of names.
        assert_eq!(data.test.examples.numeric().unwrap().values(), [7.0, 0.0, 1.0, 2.0, 0.0, 1.0]);
        let found = measured(&data).unwrap();
        assert_eq!(found.metrics["mae"], Measure::Scalar(2.5));
        assert_eq!(found.metrics["rmse"], Measure::Scalar(6.5_f64.sqrt()));
        assert_eq!(found.metrics["valid_rmse"], Measure::Scalar(2.0));
        assert_eq!(found.metrics["variables"], Measure::Scalar(3.0));
        assert_eq!(found.examples["mae"], [2.0, 3.0]);
        // Both test targets are 5.
        assert_eq!(
            (found.metrics.has("r2"), &*found.lacks["r2"]),
            (false, "the test targets are all equal")
        );
    }

    /// What a program answers is measured as what a native method predicts: on validation rows too, where there are some.
    #[test]
    fn answers_of_programs_are_measured_on_test_and_validation_rows() {
        let judged = |data: &RegressionData, answers: &[(BatchName, &[f64])]| {
            let values = |&(name, of): &(_, &[f64])| (name, Answers::Values(of.to_vec()));
            let answers = answers.iter().map(values).collect();
            let (trial, elapsed) = (Digest::of(b""), std::time::Duration::ZERO);
            let answered = Answered { trial, answers: &answers, seconds: None, elapsed };
            data.judge(&answered, &Ask::default())
        };
        let tested: [(BatchName, &[f64]); 2] =
            [(BatchName::Test, &[7.0, 2.0]), (BatchName::Again, &[7.0])];
        let validated = [tested[0], tested[1], (BatchName::Valid, &[7.0])];
        let data = |valid| data(MEDIAN, valid, vec![3, 4]);
        let (program, native) =
            (judged(&data(vec![3]), &validated).unwrap(), measured(&data(vec![3])).unwrap());
        for metric in ["mae", "rmse", "valid_rmse"] {
            assert_eq!(program.metrics[metric], native.metrics[metric]);
        }
        assert!(!judged(&data(vec![]), &tested).unwrap().metrics.has("valid_rmse"));
    }

    #[test]
    fn attributes_with_few_values_become_columns() {
        let binning = Some(data::binning::Binning::EqualWidth);
        let data = data(Preprocessing { binning, ..MEDIAN }, vec![], vec![3, 4]);
        assert!(data.test.examples.categorical().is_ok());
        let numeric = data.numeric();
        let rows = numeric.test.examples.numeric().unwrap();
        assert_eq!(rows.columns(), 12);
        assert_eq!(rows.row(0).iter().sum::<f64>(), 2.0);
        assert!(!measured(&data).unwrap().metrics.has("valid_rmse"));
    }

    #[test]
    fn what_can_not_be_measured_is_refused() {
        let error = measured(&data(MEDIAN, vec![], vec![])).unwrap_err();
        assert_eq!(error.to_string(), "the split has no test examples");
        let dataset = dataset(MEDIAN);
        let division = Division { train: vec![0], valid: vec![], test: vec![1] };
        let error = RegressionData::new(&dataset, &[1.0, -1e200, 0.0, 0.0, 0.0], &division);
        assert_eq!(
            error.unwrap_err().to_string(),
            "a target is -1e200, and its square is no number; give the target another unit"
        );
    }
}
