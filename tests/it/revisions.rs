//! Nothing stale: a method whose results change raises its `revision`, or stored results of the
//! old code would pass for results of the new. This test fits every method on small generated data
//! and compares a digest of what comes out with the one listed for the present revision.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use reprise::data::binary::BinaryRows;
use reprise::data::generate::{Generator, Model, Sizes};
use reprise::math::digest::{Digest, FieldHasher};
use reprise::math::parallel::Cores;
use reprise::method::parameter::{Domain, Parameters};
use reprise::method::{Carry, Context, Fit, METHODS, MethodEntry};
use reprise::task::Measure;

/// One fit: the method with its revision, the parameters that differ from the test's own, and the
/// first 12 digits of the digest of what comes out.
type Golden = (&'static str, u32, &'static [(&'static str, &'static str)], &'static str);

const GOLDEN: &[Golden] = &[
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

/// Small enough for every fit to take milliseconds.
const QUICK: &[(&str, &str)] =
    &[("components", "3"), ("restarts", "2"), ("max_iterations", "20"), ("alpha", "0.05")];

/// Not a multiple of the number of components.
const TRAIN: usize = 110;

/// Rows with positively and negatively correlated blocks, a constant column and a column that
/// repeats another.
fn rows() -> BinaryRows {
    let sizes = Sizes { variables: 12, train: TRAIN, valid: 0, test: 100 };
    let model = Model::MixtureOfBlocks { components: 3, blocks: 4 };
    let drawn = Generator::new(7, sizes, model).unwrap().rows();
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

/// Digest of the log-likelihoods of training and test rows, bit for bit, and of the measures.
fn outputs(method: &MethodEntry, set: &[(&str, &str)], idle: usize) -> Digest {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let context = Context {
        split_seed: Digest::of(b"split"),
        cores: Cores::new(idle),
        deadline: None,
        interrupt: &NEVER,
    };
    let rows = rows();
    let mut carry: Carry = None;
    let Fit::Density(fit) = method.fit;
    let train = rows.slice(0..TRAIN).distinct();
    let model = fit(&parameters(method, set), &train, &context, &mut carry).unwrap();
    let mut values = vec![0.0; rows.len()];
    model.log_likelihoods(&rows, &context.cores, &mut values);
    let hasher = values
        .iter()
        .fold(FieldHasher::new("outputs"), |hasher, value| hasher.number(value.to_bits()));
    let hasher = model.measures().iter().fold(hasher, |hasher, (name, measure)| {
        let hasher = hasher.field(name);
        match measure {
            Measure::Scalar(value) => hasher.number(value.to_bits()),
            Measure::Sample(sample) => {
                hasher.number(sample.n).number(sample.mean.to_bits()).number(sample.m2.to_bits())
            }
        }
    });
    hasher.finish()
}

#[test]
fn results_change_only_with_the_revision() {
    let mut wrong = String::new();
    for &(kind, revision, set, golden) in GOLDEN {
        let method = reprise::method::find(kind).unwrap();
        let found = outputs(method, set, 0).short();
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
    for &(kind, _, set, _) in GOLDEN {
        let method = reprise::method::find(kind).unwrap();
        assert_eq!(outputs(method, set, 0), outputs(method, set, 3), "{kind} {set:?}");
    }
}

#[test]
fn every_method_and_every_option_is_listed() {
    let listed: BTreeSet<(&str, &str, &str)> = GOLDEN
        .iter()
        .flat_map(|(kind, _, set, _)| set.iter().map(move |(name, word)| (*kind, *name, *word)))
        .collect();
    let digests: BTreeSet<&str> = GOLDEN.iter().map(|(_, _, _, digest)| *digest).collect();
    assert_eq!(digests.len(), GOLDEN.len(), "two lines with one digest: one of them tells nothing");
    for method in METHODS {
        assert!(
            GOLDEN.iter().any(|(kind, _, set, _)| *kind == method.kind && set.is_empty()),
            "{}: a line without parameters is missing",
            method.kind
        );
        for parameter in method.parameters {
            let words: Vec<&str> = match parameter.domain {
                Domain::Word(words) => words.iter().map(|(word, _)| *word).collect(),
                Domain::Bool => vec!["true", "false"],
                _ => continue,
            };
            let default = parameters(method, &[]).get(parameter.name).unwrap().to_string();
            for word in words.into_iter().filter(|word| *word != default) {
                assert!(
                    listed.contains(&(method.kind, parameter.name, word)),
                    "{}: a line with {} = {word} is missing",
                    method.kind,
                    parameter.name
                );
            }
        }
    }
}
