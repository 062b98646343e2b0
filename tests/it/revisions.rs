//! Nothing stale: a method whose results change raises its `revision`, or stored results of the
//! old code would pass for results of the new. This test fits every method on small generated data
//! and compares a digest of what comes out with the one listed for the present revision.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use reprise::base::derived::Derived;
use reprise::base::digest::{Digest, FieldHasher};
use reprise::base::parallel::Cores;
use reprise::contract::binary::BinaryRows;
use reprise::contract::categorical::{Attribute, CategoricalRows, MISSING};
use reprise::contract::numeric::NumericRows;
use reprise::contract::packed::PackedRows;
use reprise::contract::parameter::{Domain, Parameters};
use reprise::contract::testing::plain;
use reprise::contract::{Carry, Context, Examples, Fit, Labelled, Measure, MethodEntry, Observed};
use reprise::data::generate::density::{DensitySample, Model, Sizes};
use reprise::data::generate::factors::example;
use reprise::method::METHODS;
use reprise::spec::tasks_of;
use reprise::task::{self, Task};

/// One fit: the method with its revision, the parameters that differ from the test's own, and the
/// first 12 digits of the digest of what comes out.
type Golden = (&'static str, u32, &'static [(&'static str, &'static str)], &'static str);

const DENSITY: &[Golden] = &[
    ("mevm", 1, &[], "1a444729d7e6"),
    ("mevm", 1, &[("partition", "sorted-last")], "01b22b0f8e6f"),
    ("mevm", 1, &[("partition", "sorted-mean")], "bafc082df10b"),
    ("mevm", 1, &[("partition", "components"), ("alpha", "0.3")], "53b135e32c3c"),
    ("mevm", 1, &[("partition", "cliques")], "60118ad8b409"),
    ("mevm", 1, &[("partition", "file-order")], "1b99c191b985"),
    ("mevm", 1, &[("partition", "singletons")], "4ceecb009634"),
    ("mevm", 1, &[("welch_sample", "effective")], "6cd39f68709f"),
    ("mevm", 1, &[("welch_sample", "kish")], "c1641a139e0d"),
    ("mevm", 1, &[("bessel", "false"), ("alpha", "0.3")], "fbb525977525"),
    ("mevm", 1, &[("conditions", "mean-variance")], "e58a1814ec1d"),
    ("mevm", 1, &[("conditions", "mean-variance-covariance")], "c48422a78e56"),
    ("mevm", 1, &[("structure", "always-new")], "e891ddb0e929"),
    ("mevm", 1, &[("structure", "per-component")], "d2ae883e1136"),
    ("mevm", 1, &[("laplace", "binomial")], "c70a197897d0"),
    ("mevm", 1, &[("remainder", "spread")], "a6b2f90577ec"),
    ("mevm", 1, &[("initial", "soft")], "afa68c6e160e"),
    ("mevm", 1, &[("prior_smoothing", "1")], "7e2e8aa500f4"),
    ("mevm", 1, &[("smoothing", "1"), ("components", "1")], "918173abf8ee"),
    (
        "mevm",
        1,
        &[
            ("conditions", "mean-variance-covariance"),
            ("structure", "per-component"),
            ("partition", "cliques"),
            ("welch_sample", "effective"),
        ],
        "86f5bb8179bc",
    ),
    ("latent-nb", 1, &[], "0d46dfbec639"),
    ("latent-nb", 1, &[("remainder", "spread")], "31796fa6ecb1"),
    ("latent-nb", 1, &[("initial", "soft")], "80a256fe8905"),
    ("latent-nb", 1, &[("layout", "dense")], "3bdc9dada32d"),
    ("latent-nb", 1, &[("prior_smoothing", "1")], "929c0875e60f"),
    ("latent-nb", 1, &[("smoothing", "1"), ("components", "1")], "92e219d2c70a"),
    ("chow-liu", 1, &[], "1a49dc70f8cb"),
    ("chow-liu", 1, &[("smoothing", "0")], "c9bdb30515a3"),
    ("chow-liu", 1, &[("smoothing", "1")], "6297d0c447ca"),
    ("independent", 1, &[], "68562f4662aa"),
    ("independent", 1, &[("smoothing", "1")], "5438ce1eb86b"),
    ("mevm", 1, &[("bessel", "true"), ("alpha", "0.3")], "0bc720317356"),
];

const PSEUDO_LIKELIHOOD: &[Golden] = &[
    ("mple-l2", 1, &[], "2e7f6d46a8c2"),
    ("mple-l2", 1, &[("edge_rule", "both")], "a31f5da2b801"),
    ("mple-l2", 1, &[("edge_rule", "all")], "6ef34903beea"),
    ("mple-l2", 1, &[("l1_penalty", "shared"), ("degree", "2")], "6e25d91f18b4"),
    ("mple-l2", 1, &[("lambda", "0"), ("degree", "2")], "9bb84f8a5bd5"),
    ("mple-l2", 1, &[("path_ratio", "0.5"), ("path_end", "0.2")], "e6282ce32ffa"),
    ("mple-l2", 1, &[("optimiser", "sgd")], "4222db001504"),
    ("mple-l2", 1, &[("optimiser", "sgd"), ("raised", "false")], "0f1634d844a1"),
    ("ltr", 2, &[("l1_penalty", "shared"), ("degree", "2"), ("clusters", "3")], "6828d8e79380"),
    ("ltr", 2, &[], "15d05e2b5c67"),
    ("ltr", 2, &[("clusters", "1000")], "3171fd675b84"),
    ("ltr", 2, &[("edge_rule", "both"), ("clusters", "3")], "5198c4a1e0a1"),
    ("ltr", 2, &[("edge_rule", "all"), ("clusters", "3")], "b4cb4fac980f"),
    ("ltr", 2, &[("optimiser", "sgd")], "c90794038033"),
    ("ltr", 2, &[("optimiser", "sgd"), ("raised", "false")], "a7f8a7ac6ccc"),
    ("apt", 1, &[("l1_penalty", "shared"), ("degree", "2"), ("clusters", "3")], "aebdc6e11f61"),
    ("apt", 1, &[], "0c2c04d738d8"),
    ("apt", 1, &[("clusters", "3")], "10f50941e80a"),
    ("apt", 1, &[("edge_rule", "both"), ("clusters", "3")], "cd27f5cae34c"),
    ("apt", 1, &[("edge_rule", "all"), ("clusters", "3")], "3ee8168f7d6d"),
    ("apt", 1, &[("tying", "hard"), ("clusters", "3")], "4647e2e68ec2"),
    ("apt", 1, &[("start", "random"), ("clusters", "3")], "25b5ac338e28"),
    ("apt", 1, &[("optimiser", "sgd"), ("clusters", "3")], "4fded8194ba2"),
    ("apt", 1, &[("optimiser", "sgd"), ("raised", "false"), ("clusters", "3")], "18b964e57e6d"),
    ("mle-l2", 1, &[("l1_penalty", "shared"), ("degree", "2")], "38d7a398fc64"),
    ("mle-l2", 1, &[], "685a293445b9"),
    ("mle-l2", 1, &[("edge_rule", "both")], "9162ebb5026f"),
    ("mle-l2", 1, &[("edge_rule", "all")], "2ce11284cb4e"),
    ("mle-apt", 1, &[("l1_penalty", "shared"), ("degree", "2"), ("clusters", "3")], "f888fa5f2f13"),
    ("mle-apt", 1, &[], "41a22f6e88eb"),
    ("mle-apt", 1, &[("clusters", "3")], "4139297459ad"),
    ("mle-apt", 1, &[("edge_rule", "both"), ("clusters", "3")], "a4335d64ffe0"),
    ("mle-apt", 1, &[("edge_rule", "all"), ("clusters", "3")], "ecdff92dda9a"),
    ("mle-apt", 1, &[("tying", "hard"), ("clusters", "3")], "308d23e907cc"),
    ("mle-apt", 1, &[("start", "random"), ("clusters", "3")], "7a45e4f4206d"),
    ("independent", 1, &[], "16421c85d548"),
];

const CLASSIFICATION: &[Golden] = &[
    ("mevm", 1, &[], "5c6fd8ac85c1"),
    ("mevm", 1, &[("partition", "sorted-last")], "c0325cbcccb4"),
    ("mevm", 1, &[("partition", "sorted-mean")], "35eaf29ad7aa"),
    ("mevm", 1, &[("partition", "components"), ("alpha", "0.25")], "425f1b417497"),
    ("mevm", 1, &[("partition", "cliques"), ("alpha", "0.7")], "3f4a0fad6905"),
    ("mevm", 1, &[("partition", "file-order"), ("alpha", "0.02")], "125ed67b2e7e"),
    ("mevm", 1, &[("partition", "singletons")], "3f86d0101f87"),
    ("mevm", 1, &[("partition", "whole")], "b5ae49b39832"),
    ("mevm", 1, &[("partition", "known")], "ff591453c134"),
    ("mevm", 1, &[("sample", "all")], "5fdd0d1d10d3"),
    ("mevm", 1, &[("bessel", "false"), ("alpha", "0.4")], "d8f4b0422d14"),
    ("mevm", 1, &[("conditions", "mean-variance"), ("alpha", "0.2")], "3ce343060ed2"),
    ("mevm", 1, &[("conditions", "mean-variance-covariance")], "d2a153fa3f5f"),
    ("mevm", 1, &[("correction", "bonferroni")], "c8cae994e440"),
    ("mevm", 1, &[("correction", "sidak"), ("alpha", "0.3")], "3c4f18f25ec8"),
    ("mevm", 1, &[("global_test", "cochran-q"), ("alpha", "1e-3")], "6cba7d3225c3"),
    ("mevm", 1, &[("laplace", "binomial")], "650466dc2588"),
    ("mevm", 1, &[("prior_smoothing", "40")], "6d23359040c1"),
    ("mevm", 1, &[("smoothing", "5")], "ced9ac864463"),
    ("bernoulli-nb", 1, &[], "6de74f344927"),
    ("bernoulli-nb", 1, &[("smoothing", "1")], "ae7e125dff59"),
    ("bernoulli-nb", 1, &[("smoothing", "20")], "3cf7c6d2867a"),
    ("knn", 1, &[], "c6ad39f99947"),
    ("knn", 1, &[("k", "1")], "0cb026c447be"),
    ("knn", 1, &[("k", "20")], "d5731745108d"),
    ("decision-tree", 1, &[], "adb49a77be2b"),
    ("decision-tree", 1, &[("ties", "first")], "69e62f4a38fc"),
    ("linear-svm", 1, &[("solver", "auto"), ("c", "0.5")], "99156e4b0cf9"),
    ("linear-svm", 1, &[], "1cb0ec40e309"),
    ("linear-svm", 1, &[("solver", "primal")], "f520c118dee8"),
    ("linear-svm", 1, &[("bias", "false")], "e146b144043a"),
    ("linear-svm", 1, &[("c", "0.1"), ("max_epochs", "3")], "045e221cfbee"),
    ("gibbs", 1, &[], "8df47855d705"),
    ("gibbs", 1, &[("max_order", "2")], "97542320cebf"),
    ("gibbs", 1, &[("negative_order", "2"), ("negative_potential", "-5")], "53fa0302c5fd"),
    ("gibbs", 1, &[("smoothing", "1"), ("max_order", "3")], "e2a8c6856eb9"),
    ("gibbs", 1, &[("missing", "skip")], "45eda01de5b4"),
    ("gibbs", 1, &[("transform", "moebius"), ("max_order", "3")], "507635de0fff"),
    ("gibbs", 1, &[("capacity", "200")], "be9a711ee5ea"),
    ("gibbs", 1, &[("capacity", "200"), ("replace", "magnitude")], "acfbce83fd5c"),
    ("gibbs", 1, &[("capacity", "200"), ("replace", "signed")], "aa380e5eb6e5"),
    ("categorical-nb", 1, &[], "da1c75b8fa17"),
    ("categorical-nb", 1, &[("smoothing", "0.1")], "a989ecba7828"),
    ("bpm-adf", 1, &[], "9330b7f697ba"),
    ("bpm-adf", 1, &[("posterior", "gaussian")], "d29aab1e9b08"),
    ("bpm-adf", 1, &[("bias", "true")], "f988fe38c506"),
    ("bpm-adf", 1, &[("order", "given"), ("dof", "3")], "b50a959b2d10"),
    ("bpm-ep", 4, &[], "cf8c4abf4102"),
    ("bpm-ep", 4, &[("posterior", "gaussian"), ("eps", "0.1")], "a5285098cea5"),
    ("bpm-ep", 4, &[("bias", "true"), ("prior_scale", "3")], "4cdbdc3e91c9"),
    ("bpm-ep", 4, &[("order", "given"), ("dof", "3")], "55dfa1f63f97"),
    ("gpc-ep", 6, &[], "5391dd97f57c"),
    ("gpc-ep", 6, &[("hyperparameters", "fixed"), ("length_scale", "2.5")], "ac92bcb4da75"),
    ("gpc-ep", 6, &[("hyperparameters", "grid"), ("eps", "0.1")], "9304ac6100e8"),
    ("gpc-ep", 6, &[("hyperparameters", "evidence"), ("eps", "0.2")], "d29fb63491a2"),
    (
        "gpc-ep",
        6,
        &[("kernel", "rbf-ard"), ("hyperparameters", "evidence"), ("eps", "0.1")],
        "46e39c95830f",
    ),
    ("gpc-ep", 6, &[("kernel", "linear")], "f89771d2c2a7"),
    ("gpc-ep", 6, &[("variant", "clipped")], "6c1a1dce95ac"),
    (
        "gpc-ep",
        6,
        &[("variant", "clipped"), ("hyperparameters", "evidence"), ("eps", "0.2")],
        "980e99f77135",
    ),
    ("stc-ep", 5, &[], "fdf7d6ede490"),
    (
        "stc-ep",
        5,
        &[("hyperparameters", "fixed"), ("length_scale", "2.5"), ("dof", "3")],
        "6c123061f61a",
    ),
    ("stc-ep", 5, &[("hyperparameters", "grid"), ("eps", "0.1")], "44ea7179b27a"),
    (
        "stc-ep",
        5,
        &[("hyperparameters", "evidence"), ("dof", "100"), ("eps", "0.2")],
        "5295db0da664",
    ),
    ("stc-ep", 5, &[("kernel", "rbf-ard"), ("eps", "0.1")], "d0067c4d547b"),
    ("stc-ep", 5, &[("kernel", "linear")], "ac4c5b158aa6"),
    ("stc-ep", 5, &[("variant", "clipped")], "0e2010831e50"),
    (
        "stc-ep",
        5,
        &[("variant", "literal"), ("jitter", "0.5"), ("eps", "0.1"), ("damping", "0.5")],
        "f68235ef9691",
    ),
    ("process-exact", 1, &[], "4c0e2f858900"),
    ("process-exact", 1, &[("prior", "gaussian"), ("length_scale", "2.5")], "f5b804f5f278"),
    ("empirical", 1, &[], "e1078fa69fde"),
    ("empirical", 1, &[("smoothing", "0.1")], "58cb3782f6ac"),
];

const PARTITION: &[Golden] = &[
    ("idf-intersection", 2, &[], "1a0720806c49"),
    ("idf-intersection", 2, &[("test", "g")], "aff957a505e0"),
    ("idf-intersection", 2, &[("test", "g-chi-squared")], "c3c44864f755"),
    ("idf-intersection", 2, &[("test", "g-permutation"), ("permutations", "50")], "dae4c050d2e3"),
    ("idf-intersection", 2, &[("test", "partial-correlation")], "8b3e3f0609ca"),
    ("idf-intersection", 2, &[("test", "exact")], "e93c1703601a"),
    ("idf-intersection", 2, &[("correction", "none"), ("alpha", "0.1")], "1dccf39a638e"),
    ("idf-intersection", 2, &[("correction", "holm"), ("alpha", "0.9")], "c65de77b699c"),
    (
        "idf-intersection",
        2,
        &[("correction", "benjamini-hochberg"), ("alpha", "0.4")],
        "899abd343a63",
    ),
    ("idf-markov-boundary", 2, &[], "1ab5260ec759"),
    ("idf-markov-boundary", 2, &[("test", "g")], "f1882c4b8e86"),
    ("idf-markov-boundary", 2, &[("test", "g-chi-squared")], "e813c41cbe9c"),
    (
        "idf-markov-boundary",
        2,
        &[("test", "g-permutation"), ("permutations", "50")],
        "44205e25046e",
    ),
    ("idf-markov-boundary", 2, &[("test", "partial-correlation")], "4c51bd6713c3"),
    ("idf-markov-boundary", 2, &[("test", "exact")], "ab7f00998fbb"),
    ("idf-markov-boundary", 2, &[("correction", "none")], "a201b636945e"),
    ("idf-markov-boundary", 2, &[("search", "grow-shrink")], "db3967cf85e9"),
    ("idf-composition", 2, &[], "8ed26716f895"),
    ("idf-composition", 2, &[("test", "g")], "3014219d3b05"),
    ("idf-composition", 2, &[("test", "g-chi-squared")], "77d93a99a47a"),
    ("idf-composition", 2, &[("test", "g-permutation"), ("permutations", "50")], "c7d606e674a3"),
    ("idf-composition", 2, &[("test", "partial-correlation")], "d2a534d8f9e9"),
    ("idf-composition", 2, &[("test", "exact")], "347ecc8422d3"),
    ("idf-composition", 2, &[("correction", "none"), ("alpha", "1e-4")], "de72c806e11e"),
    ("idf-composition", 2, &[("correction", "holm"), ("alpha", "1e-4")], "7dda5529ff0e"),
    (
        "idf-composition",
        2,
        &[("correction", "benjamini-hochberg"), ("alpha", "0.7")],
        "04ea7503e22d",
    ),
    ("idf-any", 2, &[], "e7e3d7a9eaf6"),
    ("idf-any", 2, &[("test", "g")], "236cf1e2388d"),
    ("idf-any", 2, &[("test", "g-chi-squared")], "c63d9ad511bf"),
    ("idf-any", 2, &[("test", "g-permutation"), ("permutations", "50")], "859209811799"),
    ("idf-any", 2, &[("test", "partial-correlation")], "40f1bd402565"),
    ("idf-any", 2, &[("test", "exact")], "f813a073b49f"),
    ("idf-any", 2, &[("correction", "none")], "cd0a0ac87c4e"),
    ("idf-any", 2, &[("order", "reversed")], "09939aebe4d1"),
    ("idf-any", 2, &[("order", "random")], "d202e8a76e3f"),
    ("idf-exhaustive", 2, &[], "b9d13a842589"),
    ("idf-exhaustive", 2, &[("test", "g")], "98b143babba8"),
    ("idf-exhaustive", 2, &[("test", "g-chi-squared")], "f89c1dfffddb"),
    ("idf-exhaustive", 2, &[("test", "g-permutation"), ("permutations", "50")], "b3ef8ab5d7b2"),
    ("idf-exhaustive", 2, &[("test", "partial-correlation")], "4566bd256d86"),
    ("idf-exhaustive", 2, &[("test", "exact")], "c52f2c56b204"),
    ("idf-exhaustive", 2, &[("correction", "none")], "3b0adf26461b"),
    ("idf-enumeration", 1, &[], "335bc43da13f"),
    ("chow-liu-forest", 1, &[], "fcbe0c774375"),
    ("chow-liu-forest", 1, &[("penalty", "0.2")], "8fd2a30a9d9d"),
    ("l1-network", 2, &[], "07be506b56c8"),
    ("l1-network", 2, &[("penalty", "3")], "97eedf47c571"),
];

/// Every line with its task.
fn golden() -> impl Iterator<Item = (&'static dyn Task, &'static Golden)> {
    let density = DENSITY.iter().map(|line| (&task::density::DENSITY as &dyn Task, line));
    let networks = PSEUDO_LIKELIHOOD
        .iter()
        .map(|line| (&task::pseudo_likelihood::PSEUDO_LIKELIHOOD as &dyn Task, line));
    let classification = CLASSIFICATION
        .iter()
        .map(|line| (&task::classification::CLASSIFICATION as &dyn Task, line));
    let partition = PARTITION.iter().map(|line| (&task::partition::PARTITION as &dyn Task, line));
    density.chain(networks).chain(classification).chain(partition)
}

fn method(kind: &str, task: &dyn Task) -> &'static MethodEntry {
    reprise::method::find(kind).find(|entry| task.serves(entry)).unwrap()
}

/// How a method is fitted for a task.
fn fit_for(method: &MethodEntry, task: &dyn Task) -> Fit {
    let serves =
        |fit: &&Fit| task.serves(&MethodEntry { fits: vec![**fit].leak(), ..plain("one fit") });
    *method.fits.iter().find(serves).unwrap()
}

/// Small enough for every fit to take milliseconds.
const QUICK: &[(&str, &str)] = &[
    ("components", "3"),
    ("restarts", "2"),
    ("max_iterations", "20"),
    ("alpha", "0.05"),
    ("steps", "2000"),
    ("interval", "300"),
];

/// Not a multiple of the number of components.
const TRAIN: usize = 110;

/// Rows with positively and negatively correlated blocks, a constant column and a column that
/// repeats another.
fn rows() -> BinaryRows {
    let sizes = Sizes { variables: 12, train: TRAIN, valid: 0, test: 100 };
    let model = Model::MixtureOfBlocks { components: 3, blocks: 4 };
    let drawn = DensitySample::new(7, sizes, model).unwrap().rows();
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

fn parameters(method: &MethodEntry, set: &[(&str, &str)]) -> Parameters {
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

/// Digest of what a fit gives for training and test rows, bit for bit, and of its measures.
fn outputs(method: &MethodEntry, task: &dyn Task, set: &[(&str, &str)], idle: usize) -> Digest {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let context = Context {
        split_seed: Digest::of(b"split"),
        cores: Cores::new(idle),
        derived: Derived::default(),
        deadline: None,
        interrupt: &NEVER,
    };
    let rows = rows();
    let mut carry: Carry = None;
    let parameters = parameters(method, set);
    let hasher = FieldHasher::new("outputs");
    let (hasher, measures) = match fit_for(method, task) {
        Fit::Density(fit) => {
            let train = rows.slice(0..TRAIN).distinct();
            let model = fit(&parameters, &train, &context, &mut carry).unwrap();
            let mut values = vec![0.0; rows.len()];
            model.log_likelihoods(&rows, &context.cores, &mut values);
            let hasher = values.iter().fold(hasher, |hasher, value| hasher.number(value.to_bits()));
            (hasher, model.measures())
        }
        Fit::Network(fit) => {
            let train = rows.slice(0..TRAIN).distinct();
            let network = fit(&parameters, &train, &context, &mut carry).unwrap();
            let values = network.pseudo_log_likelihoods(&rows, &context.cores);
            let exact = network.log_likelihoods(&rows).unwrap();
            let values = values.iter().chain(&exact);
            let hasher = values.fold(hasher, |hasher, value| hasher.number(value.to_bits()));
            (hasher, network.measures())
        }
        Fit::Classification(fit) => {
            let predict = |examples: &dyn Fn(BinaryRows) -> Examples, carry: &mut Carry| {
                let train = labelled(examples(rows.slice(0..TRAIN)));
                let classifier = fit(&parameters, &train, &context, carry).unwrap();
                let predicted = classifier.predict(&examples(rows.clone()), &context).unwrap();
                (predicted.classes, [classifier.measures(), predicted.noticed].concat())
            };
            let sparse = predict(&Examples::Binary, &mut carry);
            let packed = predict(&|rows| Examples::Packed(PackedRows::from(&rows)), &mut None);
            assert_eq!(sparse, packed, "{}: sparse and packed rows differ", method.kind);
            let (predicted, measures) = sparse;
            let number = |hasher: FieldHasher, class: u32| hasher.number(u64::from(class));
            (predicted.into_iter().fold(hasher, number), measures)
        }
        Fit::Categorical(fit) => {
            let Labelled { labels, .. } = labelled(Examples::Binary(rows.clone()));
            let of = |range: std::ops::Range<usize>| Labelled {
                examples: Examples::Categorical(categorical(&rows.slice(range.clone()))),
                labels: labels[range].to_vec(),
                classes: 3,
                known_blocks: None,
            };
            let classifier = fit(&parameters, &of(0..TRAIN), &context, &mut carry).unwrap();
            let test = of(0..rows.len());
            let predicted = classifier.predict(&test.examples, &context).unwrap();
            let joint = classifier.joint_log_likelihoods(&test, &context).unwrap();
            let number = |hasher: FieldHasher, class: u32| hasher.number(u64::from(class));
            let hasher = predicted.classes.into_iter().fold(hasher, number);
            let value = |hasher: FieldHasher, value: f64| hasher.number(value.to_bits());
            let measures = [classifier.measures(), predicted.noticed].concat();
            (joint.into_iter().flatten().fold(hasher, value), measures)
        }
        Fit::Partition(fit) => {
            let rows = rows.columns(&(0..8));
            let test = set.iter().find(|(name, _)| *name == "test").map(|(_, word)| *word);
            let examples = match test {
                Some("partial-correlation") => numeric(&rows),
                Some("g") => Examples::Categorical(categorical(&rows)),
                _ => Examples::Binary(rows),
            };
            let distribution = Some(Arc::new(example(2).product(&example(3))));
            let observed = Observed { examples, distribution };
            let found = fit(&parameters, &observed, &context).unwrap();
            let number = |hasher: FieldHasher, group: u32| hasher.number(u64::from(group));
            (found.of_variable.into_iter().fold(hasher, number), found.measures)
        }
        Fit::Numeric(fit) => {
            let of = |range: std::ops::Range<usize>| two_columns(&rows.slice(range));
            // Quadrature takes at most three latent values, and its time.
            let exact = method.kind == "process-exact";
            let (train, test) = if exact { (3, 12) } else { (TRAIN, rows.len()) };
            let classifier = fit(&parameters, &of(0..train), &context, &mut carry).unwrap();
            let test = of(0..test).examples;
            let predicted = classifier.predict(&test, &context).unwrap();
            let decision = classifier.decision_values(&test, &context).unwrap();
            let number = |hasher: FieldHasher, class: u32| hasher.number(u64::from(class));
            let hasher = predicted.classes.into_iter().fold(hasher, number);
            let value = |hasher: FieldHasher, value: f64| hasher.number(value.to_bits());
            let measures = [classifier.measures(), predicted.noticed].concat();
            (decision.into_iter().flatten().fold(hasher, value), measures)
        }
    };
    let hasher = measures.iter().fold(hasher, |hasher, (name, measure)| {
        let hasher = hasher.field(name.name);
        match measure {
            Measure::Scalar(value) => hasher.number(value.to_bits()),
            Measure::Sample(sample) => {
                hasher.number(sample.n).number(sample.mean.to_bits()).number(sample.m2.to_bits())
            }
        }
    });
    hasher.finish()
}

/// Five attributes with the number of ones among three variables each; that of the third attribute is
/// missing where variable 5 is one.
fn categorical(rows: &BinaryRows) -> CategoricalRows {
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
fn numeric(rows: &BinaryRows) -> Examples {
    let value = |(index, row): (usize, &[u32]), column: u32| {
        let noise = (index * (7 + 2 * column as usize) % 13) as f64 / 13.0;
        f64::from(u8::from(row.contains(&column))) + noise
    };
    let columns = rows.variables() as u32;
    let values = rows.iter().enumerate();
    let values = values.flat_map(|row| (0..columns).map(move |column| value(row, column)));
    Examples::Numeric(NumericRows::new(rows.variables(), values.collect()))
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

/// Three classes by the number of ones, every tenth example in the wrong one.
fn labelled(examples: Examples) -> Labelled {
    let ones = |index: usize| examples.select(&[index]).total_ones();
    let class = |index: usize| (ones(index) + usize::from(index.is_multiple_of(10))) % 3;
    let labels = (0..examples.len()).map(|index| class(index) as u32).collect();
    let known_blocks = Some(Arc::new((0..14).map(|variable| variable / 5).collect()));
    Labelled { examples, labels, classes: 3, known_blocks }
}

#[test]
fn results_change_only_with_the_revision() {
    let mut wrong = String::new();
    for (task, &(kind, revision, set, golden)) in golden() {
        let method = method(kind, task);
        let found = outputs(method, task, set, 0).short();
        if (revision, golden) != (method.revision, &found) {
            wrong += &format!("    ({kind:?}, {}, &{set:?}, {found:?}),\n", method.revision);
        }
    }
    assert!(
        wrong.is_empty(),
        "the results of these fits are not those that are listed for their revision. If the change \
         is meant, raise `revision` in the method's entry, then update the lines here:\n{wrong}"
    );
}

#[test]
fn borrowed_cores_change_no_bit() {
    for (task, &(kind, _, set, _)) in golden() {
        let method = method(kind, task);
        assert_eq!(outputs(method, task, set, 0), outputs(method, task, set, 3), "{kind} {set:?}");
    }
}

#[test]
fn every_method_and_every_option_is_listed() {
    let digests: BTreeSet<&str> = golden().map(|(_, (_, _, _, digest))| *digest).collect();
    let lines = golden().count();
    assert_eq!(digests.len(), lines, "two lines with one digest: one of them tells nothing");
    // A boundary task fits its classifiers as classification does.
    let fits = METHODS.iter().flat_map(|m| tasks_of(m).map(move |task| (*m, task)));
    for (method, task) in fits.filter(|(_, task)| task.word() != "boundary") {
        let sets: Vec<_> = golden()
            .filter(|(of, (kind, ..))| of.word() == task.word() && *kind == method.kind)
            .map(|(_, (_, _, set, _))| *set)
            .collect();
        let name = format!("{} ({})", method.kind, task.word());
        assert!(sets.contains(&&[][..]), "{name}: a line without parameters is missing");
        for parameter in method.parameters {
            let words: Vec<&str> = match parameter.domain {
                Domain::Word(words) => words.iter().map(|(word, _)| word).collect(),
                Domain::Bool => vec!["true", "false"],
                _ => continue,
            };
            let default = parameters(method, &[]).value(parameter.name).unwrap().to_string();
            for word in words.into_iter().filter(|word| *word != default) {
                assert!(
                    sets.iter().any(|set| set.contains(&(parameter.name, word))),
                    "{name}: a line with {} = {word} is missing",
                    parameter.name
                );
            }
        }
    }
}
