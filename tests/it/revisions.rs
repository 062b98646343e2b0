//! Nothing stale: a method whose results change raises its `revision`, or stored results of the
//! old code would pass for results of the new. This test fits every method on small generated data
//! and compares a digest of what comes out, and a few numbers of it for those who review a change, with
//! what `tests/golden/revisions.csv` has for the present revision.

use std::collections::BTreeSet;

use reprise::KNOWN;
use reprise::base::digest::{Digest, FieldHasher};
use reprise::base::text::real;
use reprise::contract::packed::PackedRows;
use reprise::contract::parameter::Domain;
use reprise::contract::{Examples, Fit, Measure, MethodEntry, Metric};
use reprise::task::Task;

use crate::support::fits::{self, Given, TRAIN, context, given, labelled, parameters, select};
use crate::support::golden;

const FILE: &str = "revisions.csv";
const HEADER: [&str; 8] =
    ["task", "method", "revision", "parameters", "digest", "last", "mean", "measures"];

/// A fit that the file pins.
struct Golden {
    task: &'static Task,
    method: &'static MethodEntry,
    /// As the file has them: `name=value`, separated by spaces.
    set: String,
    revision: String,
    digest: String,
}

/// The fits that the file pins.
fn golden() -> Vec<Golden> {
    let line = |[task, kind, revision, set, digest, ..]: [String; HEADER.len()]| {
        let task = KNOWN.catalogue.task(&task).unwrap_or_else(|| panic!("{FILE}: no task {task}"));
        let method = KNOWN.catalogue.methods_of(&kind).find(|entry| (task.serves)(entry));
        let method = method.unwrap_or_else(|| panic!("{FILE}: no method {kind} for {task:?}"));
        Golden { task, method, set, revision, digest }
    };
    golden::read(FILE).into_iter().map(line).collect()
}

impl Golden {
    /// The parameters that differ from a quick fit's.
    fn set(&self) -> Vec<(&str, &str)> {
        self.set.split_whitespace().map(|set| set.split_once('=').unwrap()).collect()
    }

    fn name(&self) -> String {
        format!("{} ({}) {}", self.method.kind, self.task.word, self.set)
    }

    /// What the fit gives when it may borrow so many cores.
    fn given(&self, idle: usize) -> Given {
        let (method, set) = (self.method, self.set());
        let takes = |fit: &&Fit| fits::tasks_of(**fit).any(|task| task == self.task);
        let fit = *method.fits.iter().find(takes).unwrap();
        let parameters = parameters(method, &set);
        let rows = fits::rows();
        let mut all = fits::examples(fit, &rows);
        if let Fit::Partition(_) = fit {
            let rows = rows.columns(&(0..8));
            match set.iter().find(|(name, _)| *name == "test") {
                Some((_, "partial-correlation")) => {
                    all.examples = Examples::Numeric(fits::numeric(&rows));
                }
                Some((_, "g")) => all.examples = Examples::Categorical(fits::categorical(&rows)),
                _ => {}
            }
            return given(fit, &parameters, &all, &all, &context(idle)).unwrap();
        }
        // Quadrature takes at most three latent values, and its time.
        let exact = method.kind == "process-exact";
        let (train, test) = if exact { (3, 12) } else { (TRAIN, rows.len()) };
        let first = |count: usize| select(&all, &(0..count).collect::<Vec<_>>());
        let ask =
            |train: &_, test: &_| given(fit, &parameters, train, test, &context(idle)).unwrap();
        let found = ask(&first(train), &first(test));
        if let Fit::Classification(_) = fit {
            let packed = |count: usize| {
                let rows = PackedRows::from(&rows.select(0..count));
                labelled(Examples::Packed(rows))
            };
            let packed = ask(&packed(train), &packed(test));
            assert_eq!(found, packed, "{}: sparse and packed rows differ", self.name());
        }
        found
    }

    /// The line of the file with what is found now.
    fn line(&self, found: &Given) -> [String; HEADER.len()] {
        let of_classes: Vec<f64> = found.classes.iter().map(|&class| f64::from(class)).collect();
        let values = if found.values.is_empty() { &of_classes } else { &found.values };
        let measure = |(metric, measure): &(&Metric, Measure)| {
            format!("{}={}", metric.name, real(measure.value()))
        };
        [
            self.task.word.to_owned(),
            self.method.kind.to_owned(),
            self.method.revision.to_string(),
            self.set.clone(),
            digest(found).short(),
            values.last().copied().map(real).unwrap_or_default(),
            real(values.iter().sum::<f64>() / values.len() as f64),
            found.measures.iter().map(measure).collect::<Vec<_>>().join(" "),
        ]
    }
}

/// Digest of what a fit gives, bit for bit.
fn digest(given: &Given) -> Digest {
    let number = |hasher: FieldHasher, class: &u32| hasher.number(u64::from(*class));
    let hasher = given.classes.iter().fold(FieldHasher::new("outputs"), number);
    let value = |hasher: FieldHasher, value: &f64| hasher.number(value.to_bits());
    let hasher = given.values.iter().fold(hasher, value);
    let hasher = given.probabilities.iter().fold(hasher, value);
    let measure = |hasher: FieldHasher, (metric, measure): &(&Metric, Measure)| {
        let hasher = hasher.field(metric.name);
        match measure {
            Measure::Scalar(value) => hasher.number(value.to_bits()),
            Measure::Sample(sample) => {
                hasher.number(sample.n).number(sample.mean.to_bits()).number(sample.m2.to_bits())
            }
        }
    };
    given.measures.iter().fold(hasher, measure).finish()
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn results_change_only_with_the_revision() {
    let golden = golden();
    let found: Vec<_> = golden.iter().map(|golden| golden.line(&golden.given(0))).collect();
    let moved = |golden: &Golden, [_, _, revision, _, digest, ..]: &[String; HEADER.len()]| {
        !golden.digest.is_empty() && golden.digest != *digest && golden.revision == *revision
    };
    let unraised = golden.iter().zip(&found).filter(|(golden, line)| moved(golden, line));
    let kinds: BTreeSet<(&str, &str)> =
        unraised.map(|(golden, _)| (golden.method.kind, golden.revision.as_str())).collect();
    let says = |(kind, revision): (&str, &str)| {
        format!(
            "Results of `{kind}` moved, and its revision is still {revision}: stored results of the old \
             code would pass for results of the new. If the change is meant, raise `revision` in the \
             method's entry first."
        )
    };
    golden::compare(FILE, HEADER, &found, &kinds.into_iter().map(says).collect::<Vec<_>>());
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn borrowed_cores_change_no_bit() {
    for golden in golden() {
        assert_eq!(digest(&golden.given(0)), digest(&golden.given(3)), "{}", golden.name());
    }
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn every_method_and_every_option_is_listed() {
    let golden = golden();
    let digests: BTreeSet<&str> = golden.iter().map(|golden| golden.digest.as_str()).collect();
    assert_eq!(digests.len(), golden.len(), "two lines with one digest: one of them tells nothing");
    // A boundary task fits its classifiers as classification does.
    let fits = KNOWN
        .catalogue
        .methods
        .iter()
        .flat_map(|m| KNOWN.catalogue.tasks_of(m).map(move |task| (*m, task)));
    let fits = fits.filter(|(method, _)| method.gives().next().is_none());
    for (method, task) in fits.filter(|(_, task)| task.word != "boundary") {
        let sets: Vec<_> = golden
            .iter()
            .filter(|golden| golden.task == task && golden.method.kind == method.kind)
            .map(Golden::set)
            .collect();
        let name = format!("{} ({})", method.kind, task.word);
        assert!(sets.contains(&Vec::new()), "{name}: a line without parameters is missing");
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
