//! The `generator` of a generated dataset.

use super::fields::Fields;
use crate::generate::boolean::{Function, FunctionSample, Selection};
use crate::generate::density::{DensitySample, Model, Sizes};
use crate::generate::factors::{Factor, FactorSample, Family};
use crate::generate::mixture::{CLASSES, Component, MixtureSample, Normal, Outliers};
use crate::generate::{Generator, OutOfRange};
use crate::limits;
use contract::words::Words;
use document::Faults;

#[derive(Clone, Copy)]
enum Kind {
    Density(Density),
    Function,
    Factors,
    Example,
    Mixture,
}

#[derive(Clone, Copy)]
enum Density {
    Blocks,
    Tree,
    Independent,
    TiedNetwork,
}

const KINDS: Words<Kind> = Words(&[
    ("mixture-of-blocks", Kind::Density(Density::Blocks), "mixture of exchangeable blocks"),
    ("tree", Kind::Density(Density::Tree), "tree-shaped distribution"),
    ("independent", Kind::Density(Density::Independent), "independent variables"),
    ("tied-network", Kind::Density(Density::TiedNetwork), "Markov network with tied parameters"),
    ("boolean-function", Kind::Function, "examples that a Boolean function labels"),
    ("factors", Kind::Factors, "rows whose variables fall into independent groups"),
    ("factors-example", Kind::Example, "the distribution of an example of the paper"),
    ("normal-mixture", Kind::Mixture, "points of two classes"),
]);

/// Reads the table of a generator.
pub(super) fn generator(table: &Fields<'_>, faults: &mut Faults) -> Option<Generator> {
    match table.needed_word("kind", &KINDS, faults) {
        Some(Kind::Density(kind)) => density_sample(kind, table, faults).map(Generator::Density),
        Some(Kind::Function) => function_sample(table, faults).map(Generator::Function),
        Some(Kind::Factors) => factor_sample(table, faults).map(Generator::Factors),
        Some(Kind::Example) => factor_example(table, faults).map(Generator::Factors),
        Some(Kind::Mixture) => mixture_sample(table, faults).map(Generator::Mixture),
        None => {
            variables(table, faults);
            None
        }
    }
}

fn density_sample(kind: Density, table: &Fields<'_>, faults: &mut Faults) -> Option<DensitySample> {
    const COMMON: [&str; 6] = ["kind", "seed", "variables", "train", "valid", "test"];
    let own: &[&str] = match kind {
        Density::Blocks => &["components", "blocks"],
        Density::Tree => &[],
        Density::Independent => &["probabilities"],
        Density::TiedNetwork => &["clusters", "spacing", "width"],
    };
    table.only(&[&COMMON[..], own].concat(), faults);
    let seed = seed(table, faults);
    let variables = variables(table, faults);
    let train = train(table, faults);
    let valid =
        table.needed_size("valid", "the number of validation examples, or 0", limits::ROWS, faults);
    let test = test(table, faults);
    let model = match kind {
        Density::Blocks => {
            let components = table.needed_size(
                "components",
                "the number of mixture components",
                limits::ROWS,
                faults,
            );
            let blocks = table.needed_size(
                "blocks",
                "the number of blocks a component",
                limits::ROWS,
                faults,
            );
            Model::MixtureOfBlocks { components: components?, blocks: blocks? }
        }
        Density::Tree => Model::Tree,
        Density::TiedNetwork => {
            let clusters = table.needed_size(
                "clusters",
                "the number of clusters of parameters",
                limits::ROWS,
                faults,
            );
            let spacing = table.needed_real("spacing", "the distance of their centres", faults);
            let width = table.needed_real("width", "the width of a cluster", faults);
            Model::TiedNetwork { clusters: clusters?, spacing: spacing?, width: width? }
        }
        Density::Independent => {
            let what = "[low, high], the range of the probabilities of a one";
            let [low, high] = table.needed_pair("probabilities", what, faults)?;
            Model::Independent { low, high }
        }
    };
    let sizes = Sizes { variables: variables?, train: train?, valid: valid?, test: test? };
    in_range(DensitySample::new(seed?, sizes, model), table, faults)
}

fn function_sample(table: &Fields<'_>, faults: &mut Faults) -> Option<FunctionSample> {
    #[derive(Clone, Copy)]
    enum Word {
        Parity,
        Counting,
        Threshold,
        Exact,
        Conjunction,
        Disjunction,
    }
    const FUNCTIONS: Words<Word> = Words(&[
        ("parity", Word::Parity, "an odd number of ones"),
        ("counting", Word::Counting, "a number of ones with a remainder"),
        ("threshold", Word::Threshold, "at least so many ones"),
        ("exact", Word::Exact, "one of some numbers of ones"),
        ("conjunction", Word::Conjunction, "ones only"),
        ("disjunction", Word::Disjunction, "any one"),
    ]);
    let function = table.needed_word("function", &FUNCTIONS, faults);
    let sampling = table.needed_word("sampling", &Selection::SAMPLINGS, faults);
    let own: &[&str] = match function {
        Some(Word::Counting) => &["modulus", "remainder"],
        Some(Word::Threshold) => &["least"],
        Some(Word::Exact) => &["values"],
        Some(Word::Parity | Word::Conjunction | Word::Disjunction) => &[],
        None => &["modulus", "remainder", "least", "values"],
    };
    let sizes: &[&str] = if sampling == Some(None) { &[] } else { &["seed", "train", "test"] };
    let common = ["kind", "function", "variables", "relevant", "sampling"];
    table.only(&[&common[..], sizes, own].concat(), faults);
    let variables = variables(table, faults);
    let relevant = if table.has("relevant") {
        table.needed_size(
            "relevant",
            "on how many variables the function depends",
            limits::ROWS,
            faults,
        )
    } else {
        variables
    };
    let function = function.and_then(|word| {
        Some(match word {
            Word::Parity => Function::Parity,
            Word::Conjunction => Function::Conjunction,
            Word::Disjunction => Function::Disjunction,
            Word::Threshold => {
                let least =
                    table.needed_size("least", "the least number of ones", limits::ROWS, faults);
                Function::Threshold { least: least? }
            }
            Word::Exact => {
                let values = table.needed_sizes("values", "the numbers of ones", faults);
                Function::Exact { values: values? }
            }
            Word::Counting => {
                let modulus = table.needed_size(
                    "modulus",
                    "what the number of ones is divided by",
                    limits::ROWS,
                    faults,
                );
                let remainder =
                    table.needed_size("remainder", "its remainder", limits::ROWS, faults);
                Function::Counting { modulus: modulus?, remainder: remainder? }
            }
        })
    });
    let selection = match sampling {
        Some(Some(sampling)) => {
            let (seed, train) = (seed(table, faults), train(table, faults));
            let test = test(table, faults);
            Selection::Random { sampling, seed: seed?, train: train?, test: test? }
        }
        Some(None) => Selection::Exhaustive,
        None => return None,
    };
    in_range(FunctionSample::new(variables?, relevant?, function?, selection), table, faults)
}

fn factor_sample(table: &Fields<'_>, faults: &mut Faults) -> Option<FactorSample> {
    table.only(&["kind", "factor", "seed", "variables", "size", "examples"], faults);
    let factor = table.needed_word("factor", &Factor::ALL, faults);
    let seed = seed(table, faults);
    let variables = variables(table, faults);
    let size =
        table.needed_size("size", "the number of variables of a factor", limits::ROWS, faults);
    let examples = examples(table, faults);
    let family = Family::Random { factor: factor?, variables: variables?, size: size? };
    in_range(FactorSample::new(seed?, examples?, family), table, faults)
}

fn factor_example(table: &Fields<'_>, faults: &mut Faults) -> Option<FactorSample> {
    table.only(&["kind", "example", "seed", "examples"], faults);
    let example = table.needed_size(
        "example",
        "the number of the paper's example, 1 to 3",
        limits::ROWS,
        faults,
    );
    let seed = seed(table, faults);
    let examples = examples(table, faults);
    in_range(FactorSample::new(seed?, examples?, Family::Example(example?)), table, faults)
}

fn examples(table: &Fields<'_>, faults: &mut Faults) -> Option<usize> {
    table.needed_size("examples", "the number of examples", limits::ROWS, faults)
}

fn mixture_sample(table: &Fields<'_>, faults: &mut Faults) -> Option<MixtureSample> {
    const WHERE: &str = "the mean, a number for each column";
    const SPREAD: &str = "the variance of each column";
    table.only(&["kind", "seed", "train", "test", "variance", "components", "outliers"], faults);
    let sizes = (train(table, faults), test(table, faults));
    let (seed, variance) = (seed(table, faults), table.needed_real("variance", SPREAD, faults));
    let what = "the normal distributions, each with `class`, `weight` and `mean`";
    let components = table.needed_tables("components", what, faults);
    let components: Vec<Option<Component>> = components
        .into_iter()
        .flatten()
        .map(|component| {
            component.only(&["class", "weight", "mean"], faults);
            let class = class(&component, faults);
            let weight = component.needed_real("weight", "its probability", faults);
            let mean = component.needed_reals("mean", WHERE, faults);
            Some(Component { class: class?, weight: weight?, mean: mean? })
        })
        .collect();
    let outliers = if table.has("outliers") {
        let outliers = table.inner("outliers", faults)?;
        outliers.only(&["class", "count", "mean", "variance"], faults);
        let class = class(&outliers, faults);
        let count = outliers.needed_size("count", "the number of outliers", limits::ROWS, faults);
        let mean = outliers.needed_reals("mean", WHERE, faults);
        let variance = outliers.needed_real("variance", SPREAD, faults);
        let normal = Normal { mean: mean?, variance: variance? };
        Some(Outliers { class: class?, count: count?, normal })
    } else {
        None
    };
    let components: Vec<Component> = components.into_iter().collect::<Option<_>>()?;
    let sizes = (sizes.0?, sizes.1?);
    in_range(MixtureSample::new(seed?, sizes, variance?, components, outliers), table, faults)
}

fn class(table: &Fields<'_>, faults: &mut Faults) -> Option<u32> {
    const WORDS: Words<u32> =
        Words(&[(CLASSES[0], 0, "the first class"), (CLASSES[1], 1, "the second class")]);
    table.needed_word("class", &WORDS, faults)
}

fn seed(table: &Fields<'_>, faults: &mut Faults) -> Option<u64> {
    table.needed_whole("seed", "where the random numbers start", faults)
}

fn variables(table: &Fields<'_>, faults: &mut Faults) -> Option<usize> {
    table.needed_size("variables", "the number of variables", limits::VARIABLES, faults)
}

fn train(table: &Fields<'_>, faults: &mut Faults) -> Option<usize> {
    table.needed_size("train", "the number of training examples", limits::ROWS, faults)
}

fn test(table: &Fields<'_>, faults: &mut Faults) -> Option<usize> {
    table.needed_size("test", "the number of test examples", limits::ROWS, faults)
}

/// The sample, or reports which of its parameters are out of range.
fn in_range<T>(
    sample: Result<T, Vec<OutOfRange>>,
    table: &Fields<'_>,
    faults: &mut Faults,
) -> Option<T> {
    let report = |errors: Vec<OutOfRange>| {
        for error in errors {
            faults.at(&table.place(error.parameter), error.to_string(), "out of range");
        }
    };
    sample.map_err(report).ok()
}
