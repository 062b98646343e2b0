//! Fits of registered methods to small data, whatever task they serve.

use std::sync::Arc;

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::binary::BinaryRows;
use reprise::contract::categorical::{Attribute, CategoricalRows, MISSING};
use reprise::contract::joint::JointTable;
use reprise::contract::model::Prediction;
use reprise::contract::numeric::NumericRows;
use reprise::contract::{
    Carry, Classifier, Context, Examples, Fit, FitError, Labelled, Measure, MethodEntry, Metric,
    Observed, Parameters, Targeted,
};
use reprise::data::generate::density::{BlocksKeys, DensitySample, Model, Sizes};
use reprise::data::generate::factors::example;
use reprise::task::Task;

/// Not a multiple of the number of components.
pub const TRAIN: usize = 110;

/// Small enough for every fit to take milliseconds.
const QUICK: &[(&str, &str)] = &[
    ("components", "3"),
    ("restarts", "2"),
    ("max_iterations", "20"),
    ("alpha", "0.05"),
    ("steps", "2000"),
    ("interval", "300"),
];

/// The parameters of a quick fit, and these.
pub fn parameters(method: &MethodEntry, set: &[(&str, &str)]) -> Parameters {
    let mut parameters = Parameters::defaults(method.parameters);
    for (name, text) in QUICK.iter().chain(set) {
        if let Some(parameter) = method.parameters.iter().find(|p| p.name == *name) {
            parameters.set(name, parameter.parse(text).unwrap());
        } else {
            assert!(!set.contains(&(name, text)), "{} has no parameter {name}", method.kind);
        }
    }
    parameters
}

/// The surroundings of a fit that may borrow so many cores.
pub fn context(idle: usize) -> Context {
    testing::context(Digest::of(b"split"), idle)
}

/// The tasks that can measure what a fit learns.
pub fn tasks_of(fit: Fit) -> impl Iterator<Item = &'static Task> {
    let method = testing::method(vec![fit]);
    KNOWN.catalogue.tasks.iter().copied().filter(move |task| (task.serves)(&method))
}

/// What a fit gives for test examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The class of each example, or the group of each variable.
    pub classes: Vec<u32>,
    /// Log-likelihoods, the decision function, or predicted targets.
    pub values: Vec<f64>,
    /// The probability of each class for one example after another, of classifiers that give them.
    pub probabilities: Vec<f64>,
    /// What the method reports of itself.
    pub measures: Vec<(&'static Metric, Measure)>,
}

/// Fits a method to training examples and asks it about test examples.
pub fn given(
    fit: Fit,
    parameters: &Parameters,
    train: &Labelled,
    test: &Labelled,
    context: &Context,
) -> Result<Given, FitError> {
    let mut carry: Carry = None;
    let given = |classes, values, measures| {
        Ok(Given { classes, values, probabilities: Vec::new(), measures })
    };
    let of_classes = |classifier: &dyn Classifier| {
        let table = classifier.probabilities(&test.examples, context)?;
        Ok::<Vec<f64>, FitError>(table.iter().flatten().copied().collect())
    };
    match fit {
        Fit::Density(fit) => {
            let (train, test) = (binary(&train.examples), binary(&test.examples));
            let model = fit(parameters, &train.distinct(), context, &mut carry)?;
            let values = model.log_likelihoods(test, &context.cores);
            given(Vec::new(), values, model.measures())
        }
        Fit::Network(fit) => {
            let (train, test) = (binary(&train.examples), binary(&test.examples));
            let network = fit(parameters, &train.distinct(), context, &mut carry)?;
            let pseudo = network.pseudo_log_likelihoods(test, &context.cores);
            let mut values = pseudo.expect("a Markov network");
            if network.is_normalised() {
                values.extend(network.log_likelihoods(test, &context.cores));
            }
            given(Vec::new(), values, network.measures())
        }
        Fit::Classification(fit) | Fit::Categorical(fit) => {
            let classifier = fit(parameters, train, context, &mut carry)?;
            let Prediction { classes, noticed } = classifier.predict(&test.examples, context)?;
            let joint = classifier.log_joints(test, context)?.unwrap_or_default();
            let probabilities = of_classes(classifier.as_ref())?;
            let found = given(classes, joint, [classifier.measures(), noticed].concat())?;
            Ok(Given { probabilities, ..found })
        }
        Fit::Numeric(fit) => {
            let classifier = fit(parameters, train, context, &mut carry)?;
            let Prediction { classes, noticed } = classifier.predict(&test.examples, context)?;
            let decision = classifier.decision_values(&test.examples, context)?.unwrap_or_default();
            let probabilities = of_classes(classifier.as_ref())?;
            let found = given(classes, decision, [classifier.measures(), noticed].concat())?;
            Ok(Given { probabilities, ..found })
        }
        Fit::Regression(fit) => {
            let regressor = fit(parameters, &targeted(train), context, &mut carry)?;
            let predicted = regressor.predict(&test.examples, context)?;
            given(Vec::new(), predicted, regressor.measures())
        }
        Fit::Partition(fit) => {
            let distribution = Some(Arc::new(distribution()));
            let observed = Observed { examples: train.examples.clone(), distribution };
            let found = fit(parameters, &observed, context)?;
            given(found.of_variable, Vec::new(), found.measures)
        }
        Fit::Program(_) => Err(FitError::Failed("nothing that can be called".to_owned())),
    }
}

/// The distribution of variables that fall into groups, where a method is told it.
pub fn distribution() -> JointTable {
    testing::product(&example(2), &example(3))
}

/// The examples of methods that take no others.
pub fn binary(examples: &Examples) -> &BinaryRows {
    match examples {
        Examples::Binary(rows) => rows,
        other => panic!("{}", other.described()),
    }
}

/// Rows with positively and negatively correlated blocks, a constant column and a column that
/// repeats another; [`TRAIN`] of them are for training.
pub fn rows() -> BinaryRows {
    let sizes = Sizes { seed: 7, variables: 12, train: TRAIN, valid: 0, test: 100 };
    let model = Model::MixtureOfBlocks(BlocksKeys { components: 3, blocks: 4 });
    let drawn = DensitySample::new(sizes, model).unwrap().rows();
    let mut rows = BinaryRows::new(14);
    for row in drawn.iter() {
        let mut row = row.to_vec();
        if row.contains(&3) {
            row.push(13);
        }
        rows.push(&row);
    }
    rows
}

/// These rows as the examples that a fit takes, with classes.
pub fn examples(fit: Fit, rows: &BinaryRows) -> Labelled {
    let of_rows = || labelled(Examples::Binary(rows.clone()));
    match fit {
        Fit::Density(_) | Fit::Network(_) | Fit::Classification(_) | Fit::Program(_) => of_rows(),
        Fit::Categorical(_) => Labelled {
            examples: Examples::Categorical(categorical(rows)),
            known_blocks: None,
            ..of_rows()
        },
        Fit::Numeric(_) | Fit::Regression(_) => two_columns(rows),
        Fit::Partition(_) => labelled(Examples::Binary(rows.columns(&(0..8)))),
    }
}

/// Three classes by the number of ones, every tenth example in the wrong one.
pub fn labelled(examples: Examples) -> Labelled {
    let ones = |index: usize| examples.select(&[index]).total_ones();
    let class = |index: usize| (ones(index) + usize::from(index.is_multiple_of(10))) % 3;
    let labels = (0..examples.len()).map(|index| class(index) as u32).collect();
    let blocks = (0..examples.variables() as u32).map(|variable| variable / 5).collect();
    Labelled { examples, labels, classes: 3, known_blocks: Some(Arc::new(blocks)) }
}

/// Five attributes with the number of ones among three variables each; that of the third attribute is
/// missing where variable 5 is one.
pub fn categorical(rows: &BinaryRows) -> CategoricalRows {
    let values: Vec<String> = (0..4).map(|value| value.to_string()).collect();
    let attribute = |at| Attribute { values: values.clone(), missing: at == 2 };
    let mut coded = CategoricalRows::new(Arc::new((0..5).map(attribute).collect()));
    for row in rows.iter() {
        let ones = |at: u32| row.iter().filter(|&&one| one / 3 == at).count() as u16;
        let mut codes: Vec<u16> = (0..5).map(ones).collect();
        if row.contains(&5) {
            codes[2] = MISSING;
        }
        coded.push(&codes);
    }
    coded
}

/// The rows as numbers, with something else added to each.
pub fn numeric(rows: &BinaryRows) -> NumericRows {
    let value = |(index, row): (usize, &[u32]), column: u32| {
        let noise = (index * (7 + 2 * column as usize) % 13) as f64 / 13.0;
        f64::from(row.contains(&column)) + noise
    };
    let columns = rows.variables() as u32;
    let values = rows.iter().enumerate();
    let values = values.flat_map(|row| (0..columns).map(move |column| value(row, column)));
    NumericRows::new(rows.variables(), values.collect())
}

/// Two columns of numbers and two classes: the numbers of ones among the first and the last seven
/// variables, moved a little by the place in the file, and whether the first is the larger; every tenth
/// example is in the wrong class.
fn two_columns(rows: &BinaryRows) -> Labelled {
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for (place, row) in rows.iter().enumerate() {
        let first = row.iter().filter(|&&one| one < 7).count() as f64 + 0.01 * (place % 17) as f64;
        let last = row.iter().filter(|&&one| one >= 7).count() as f64 - 0.01 * (place % 13) as f64;
        values.extend([first, last]);
        labels.push(u32::from((first > last) != place.is_multiple_of(10)));
    }
    let examples = Examples::Numeric(NumericRows::new(2, values));
    Labelled { examples, labels, classes: 2, known_blocks: None }
}

/// Rows of numbers with a target each, which depends on the first two columns and on the class.
fn targeted(labelled: &Labelled) -> Targeted {
    let rows = labelled.examples.numeric().unwrap();
    let target = |(row, &class): (&[f64], &u32)| {
        2.0 * row[0] - 0.5 * row[1] * row[1] + 3.0 * f64::from(class)
    };
    let targets = rows.iter().zip(&labelled.labels).map(target).collect();
    Targeted { examples: labelled.examples.clone(), targets }
}

/// The examples at these places.
pub fn select(examples: &Labelled, places: &[usize]) -> Labelled {
    Labelled {
        examples: examples.examples.select(places),
        labels: places.iter().map(|&place| examples.labels[place]).collect(),
        ..examples.clone()
    }
}
