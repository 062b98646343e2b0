//! What is written of trials is what is read: the files of records, and the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::base::layout::{TRIAL_IDENTITY, TRIAL_PROVENANCE};
use reprise::contract::{Assignment, ByMetric, Measure, Metric, Parameters};
use reprise::math::sample::Sample;
use reprise::program::Ending;
use reprise::run::journal::{self, Journal};
use reprise::run::record::Configuration;
use reprise::run::trials_csv;
use reprise::run::{Cause, Outcome, Record, Setup, Trial};
use reprise::task::picture::Picture;

use crate::support::property::few;

/// Numbers that are hard to write.
fn number() -> impl Strategy<Value = f64> {
    let hard =
        [0.0, -0.0, 1.0, 1e-300, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    prop_oneof![select(hard.to_vec()), any::<f64>().prop_filter("one NaN will do", |v| !v.is_nan())]
}

/// What a clock shows, of any number.
fn seconds(value: f64) -> f64 {
    if value.is_finite() { value.abs() } else { 0.5 }
}

/// What people write, and what breaks a file: separators, quotes, formulas.
fn text() -> impl Strategy<Value = String> {
    let broken =
        ["", ",", "\"", "\"\"", "'", "'=1", "=1", "-1", "a;b=c", " a ", "é\u{1F600}", "a'b"];
    prop_oneof![select(broken.to_vec()).prop_map(str::to_owned), "\\PC{0,12}"]
}

fn measure() -> impl Strategy<Value = Measure> {
    let sample = (any::<u64>(), number(), number());
    prop_oneof![
        number().prop_map(Measure::Scalar),
        sample.prop_map(|(n, mean, m2)| Measure::Sample(Sample { n, mean, m2 })),
    ]
}

/// Values of some of these metrics.
fn by_metric<S>(
    metrics: Vec<&'static Metric>,
    value: S,
) -> impl Strategy<Value = ByMetric<S::Value>>
where
    S: Strategy,
{
    let some = 0..=metrics.len().min(5);
    (subsequence(metrics, some), vec(value, 5))
        .prop_map(|(metrics, values)| metrics.into_iter().zip(values).collect())
}

fn picture() -> impl Strategy<Value = Option<Box<Picture>>> {
    let pairs = || vec(number(), 1..4).prop_map(|half| half.repeat(2));
    (option::of((text(), vec(number(), 4), pairs(), pairs()))).prop_map(|picture| {
        let (name, window, points, curve) = picture?;
        let lines = [("window", "", window), ("points", &*name, points), ("curve", &*name, curve)];
        Some(Box::new(Picture::from_lines(lines).unwrap()))
    })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let causes = vec![
        Cause::GaveUp,
        Cause::Panicked,
        Cause::Timeout,
        Cause::OutOfMemory,
        Cause::Crashed,
        Cause::NotApplicable,
        Cause::Program(Ending::Exit(3)),
        Cause::Program(Ending::Memory),
    ];
    let (times, others): (Vec<&Metric>, Vec<&Metric>) =
        KNOWN.catalogue.metrics.iter().partition(|metric| metric.is_time());
    // A sum of zeros and ones is written as bits, which have no sign.
    let values = prop_oneof![
        vec(select(vec![0.0, 1.0]), 0..6),
        vec(number().prop_filter("a sign of zero", |v| v.to_bits() != (-0.0f64).to_bits()), 0..6)
    ];
    let values = by_metric(others.clone(), values);
    let message = (text(), text()).prop_map(|(one, two)| format!("{one}\n{two}"));
    let message = prop_oneof![text(), message];
    let ended =
        (select(causes), message).prop_map(|(cause, message)| Outcome::ended(cause, &message));
    let measured = (
        by_metric(others.clone(), measure()),
        by_metric(times, number().prop_map(seconds)),
        values,
        picture(),
        by_metric(others, text()),
    );
    let measured = measured.prop_map(|(metrics, times, examples, picture, lacks)| {
        let mut outcome =
            Outcome { metrics, times, examples, picture, lacks, ..Outcome::default() };
        outcome.judge();
        outcome
    });
    prop_oneof![ended, measured]
}

fn digest() -> impl Strategy<Value = Digest> {
    any::<u64>().prop_map(|seed| Digest::of(&seed.to_be_bytes()))
}

fn trial() -> impl Strategy<Value = Trial> {
    let words = (text(), text(), text(), text(), text(), text(), text());
    let places = (0..100_usize, 0..10_usize);
    (select(KNOWN.catalogue.methods.clone()), words, places, digest(), digest(), digest()).prop_map(
        |(entry, words, (repeat, fold), key, seed, data)| {
            let (dataset, part, problem, method, split, option, setting) = words;
            let choice = Assignment::of(&"choice".into(), option);
            let parameters = Parameters::defaults(entry.parameters);
            let (kind, revision, variant) = (entry.kind, entry.revision, dataset.clone());
            let (sweep, grid) = (Vec::new(), Vec::new());
            let configuration = Configuration {
                dataset: dataset.into(),
                part: part.into(),
                problem: problem.into(),
                method: method.into(),
                choice,
            };
            let setup = Setup {
                configuration,
                variant,
                split,
                kind: kind.into(),
                revision,
                data,
                setting,
                parameters,
                sweep,
                grid,
            };
            Trial { key, seed, repeat, fold, setup: Arc::new(setup) }
        },
    )
}

/// Records, some of which are of one computation under two names.
fn records() -> impl Strategy<Value = Vec<Record>> {
    let twin = (text(), any::<bool>());
    let record = (trial(), option::weighted(0.9, outcome()), any::<bool>(), option::of(twin));
    vec(record, 0..8).prop_map(|drawn| {
        let mut records = Vec::new();
        for (trial, outcome, selected, twin) in drawn {
            let outcome = outcome.map(Arc::new);
            if let Some((method, selected)) = twin {
                let mut trial = trial.clone();
                trial.method = format!("twin {method}").into();
                records.push(Record { trial, outcome: outcome.clone(), selected });
            }
            records.push(Record { trial, outcome, selected });
        }
        records
    })
}

/// Everything that a row says of its trial, down to the bits of the numbers: `{:?}` of a number has them all.
fn said(Record { trial, outcome, selected }: &Record) -> String {
    let Setup { configuration, split, kind, revision, data, setting, parameters, .. } =
        &*trial.setup;
    let entry = KNOWN.catalogue.methods.iter().find(|entry| entry.kind == *kind).unwrap();
    let value = |name: &str| parameters.value(name).map(ToString::to_string);
    let parameters: Vec<Option<String>> =
        entry.parameters.iter().map(|parameter| value(parameter.name)).collect();
    let Trial { key, seed, repeat, fold, .. } = trial;
    format!(
        "{key} {seed} {repeat} {fold} {selected} {configuration:?} {split:?} {kind} {revision} {data} {setting:?} \
         {parameters:?} {outcome:?}"
    )
}

fn written(folder: &Path, records: &[Record]) -> Vec<Record> {
    for (path, bytes) in trials_csv::write(records, &[], &KNOWN.catalogue.metrics, &|_| false) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    trials_csv::read(folder, &KNOWN.catalogue.metrics).unwrap()
}

proptest! {
    #![proptest_config(few(200))]

    #[test]
    fn records_come_back_from_their_files(records in records()) {
        let folder = tempfile::tempdir().unwrap();
        let read = written(folder.path(), &records);
        let outcomes: Vec<&Outcome> = read.iter().filter_map(|row| row.outcome.as_deref()).collect();
        let totals = trials_csv::totals(folder.path(), &KNOWN.catalogue.metrics).unwrap();
        let failed = outcomes.iter().filter(|outcome| outcome.status().is_bad()).count();
        prop_assert_eq!((totals.done, totals.failed), (outcomes.len(), failed));
        let seconds: f64 = outcomes.iter().map(|outcome| outcome.seconds()).sum();
        let same = totals.seconds == seconds || (totals.seconds - seconds).abs() <= 1e-9 * seconds;
        prop_assert!(same, "{} {seconds}", totals.seconds);
        let mut found: Vec<String> = read.iter().map(said).collect();
        let mut expected: Vec<String> = records.iter().map(said).collect();
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn outcomes_come_back_from_the_journal(paths in vec(vec((digest(), outcome()), 0..4), 0..4)) {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "run").unwrap();
        let mut expected = BTreeMap::new();
        for (path, outcomes) in (0u8..).zip(&paths) {
            let outcomes: Vec<(Digest, &Outcome)> =
                outcomes.iter().map(|(key, outcome)| (*key, outcome)).collect();
            journal.append(Digest::of(&[path]), &outcomes).unwrap();
            expected.extend(outcomes.into_iter().map(|(key, outcome)| (key, format!("{outcome:?}"))));
        }
        let found = journal::read(folder.path(), &KNOWN.catalogue.metrics).unwrap();
        let warnings = &found.warnings;
        prop_assert!(warnings.is_empty(), "{warnings:?}");
        let found = found.outcomes.into_iter().map(|(key, outcome)| (key, format!("{outcome:?}")));
        prop_assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
    }
}

/// A parameter with the name of another column would be read back as that one.
#[test]
fn parameters_have_columns_of_their_own() {
    let metrics = KNOWN.catalogue.metrics.iter().map(|metric| metric.name);
    let taken: BTreeSet<&str> = metrics.chain(TRIAL_IDENTITY).chain(TRIAL_PROVENANCE).collect();
    for entry in &KNOWN.catalogue.methods {
        for parameter in entry.parameters {
            assert!(!taken.contains(parameter.name), "{}: {}", entry.kind, parameter.name);
        }
    }
}

/// A log-likelihood of minus zero, which is that of a certain event, beside others.
#[test]
fn a_sign_of_zero_comes_back() {
    let metric = KNOWN.catalogue.metrics.get("test_ll").unwrap();
    for values in [vec![-0.0], vec![-0.0, 1.0, 0.0], vec![-0.0, 0.5]] {
        let folder = tempfile::tempdir().unwrap();
        let examples = ByMetric::from_iter([(metric, values.clone())]);
        let outcome = Outcome { examples, ..Outcome::default() };
        let (dataset, method) = ("d".into(), "m".into());
        let setup = Setup {
            configuration: Configuration { dataset, method, ..Configuration::default() },
            split: "published".to_owned(),
            kind: KNOWN.catalogue.methods[0].kind.into(),
            revision: 1,
            parameters: Parameters::defaults(KNOWN.catalogue.methods[0].parameters),
            ..Setup::default()
        };
        let (key, seed) = (Digest::of(b"key"), Digest::of(b"seed"));
        let trial = Trial { key, seed, repeat: 0, fold: 0, setup: Arc::new(setup) };
        let record = Record { trial, outcome: Some(Arc::new(outcome)), selected: true };
        let rows = written(folder.path(), std::slice::from_ref(&record));
        assert_eq!(rows.iter().map(said).collect::<Vec<_>>(), [said(&record)], "{values:?}");
    }
}
