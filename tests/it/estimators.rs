//! What every registered method promises, whatever it is: scikit-learn's `check_estimator` for this registry. A
//! method that is added is checked by being in [`METHODS`].

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::binary::BinaryRows;
use reprise::contract::categorical::{CategoricalRows, MISSING};
use reprise::contract::numeric::NumericRows;
use reprise::contract::{Context, Examples, Fit, FitError, Labelled, MethodEntry};
use reprise::math::random::Random;
use reprise::math::special::exp;
use testing::all_states;

use crate::support::fits::{self, Given, given, parameters, select};

/// Longer than any fit here takes: what takes longer does not end.
const PATIENCE: Duration = Duration::from_secs(60);

/// How far apart values may be that differ by rounding only.
const ROUNDING: f64 = 1e-9;

/// Methods for which the order of the training examples matters: how far apart values may be then, and why.
const BY_ORDER: &[(&str, f64, &str)] = &[
    (
        "mevm",
        f64::INFINITY,
        "an initial assignment at random deals the examples out by their places",
    ),
    (
        "latent-nb",
        f64::INFINITY,
        "an initial assignment at random deals the examples out by their places",
    ),
    (
        "bpm-adf",
        f64::INFINITY,
        "one pass over the examples: that it depends on their order is the paper's point",
    ),
    ("gpc-ep", 1e-4, "sites are visited in the order of the examples until they hardly move"),
    ("stc-ep", 1e-4, "sites are visited in the order of the examples until they hardly move"),
    ("knn", f64::INFINITY, "of examples at the same distance the first ones are neighbours"),
];

/// Parameters with which a method's promises hold: expectation propagation of processes has a fixed point, and
/// reports that it has not reached it where labels are wrong and may hardly be; coordinate descent on numbers ends
/// where its epochs do, near the minimum.
const WHERE_IT_CONVERGES: &[(&str, &[(&str, &str)])] = &[
    ("gpc-ep", &[("eps", "0.1")]),
    ("stc-ep", &[("eps", "0.1")]),
    ("linear-svm", &[("solver", "primal"), ("tolerance", "1e-12")]),
];

/// Everything that the registry fits, with examples for it.
struct Subject {
    method: &'static MethodEntry,
    fit: Fit,
    /// The first of them are for training.
    examples: Labelled,
    train: usize,
}

fn subjects() -> impl Iterator<Item = Subject> {
    let fits = KNOWN
        .catalogue
        .methods
        .iter()
        .flat_map(|method| method.fits.iter().map(move |fit| (*method, *fit)));
    let fits = fits.filter(|(_, fit)| !matches!(fit, Fit::Program(_)));
    fits.map(|(method, fit)| {
        let rows = fits::rows();
        // So few variables that all their states can be counted.
        let few = matches!(fit, Fit::Density(_) | Fit::Network(_) | Fit::Classification(_));
        let rows = if few { rows.columns(&(0..8)) } else { rows };
        // Quadrature takes at most three latent values.
        let train = if method.kind == "process-exact" { 3 } else { 60 };
        let examples = fits::examples(fit, &rows);
        Subject { method, fit, examples, train }
    })
}

impl Subject {
    fn name(&self) -> String {
        let tasks: Vec<&str> = fits::tasks_of(self.fit).map(|task| task.word).collect();
        format!("{} ({})", self.method.kind, tasks.join(", "))
    }

    /// The training examples.
    fn train(&self) -> Labelled {
        select(&self.examples, &(0..self.train).collect::<Vec<_>>())
    }

    /// The other examples; of a method that takes few, few.
    fn test(&self) -> Labelled {
        let places: Vec<usize> = (self.train..self.examples.labels.len()).collect();
        select(&self.examples, &places[..places.len().min(4 * self.train)])
    }

    fn given(&self, train: &Labelled, test: &Labelled, idle: usize) -> Result<Given, FitError> {
        let deadline = Some(Instant::now() + PATIENCE);
        let context = Context { deadline, ..fits::context(idle) };
        let set = WHERE_IT_CONVERGES.iter().find(|(kind, _)| *kind == self.method.kind);
        let set = set.map_or(&[][..], |(_, set)| set);
        given(self.fit, &parameters(self.method, set), train, test, &context)
    }

    /// Training examples as bad as examples get.
    fn cases(&self) -> Vec<(&'static str, Labelled)> {
        let train = self.train();
        let places = || 0..train.labels.len();
        let relabelled = |label: &dyn Fn(u32) -> u32| Labelled {
            labels: train.labels.iter().map(|&class| label(class)).collect(),
            ..train.clone()
        };
        let with = |examples| Labelled { examples, ..train.clone() };
        let mut cases = vec![
            ("sound examples", train.clone()),
            ("constant columns", with(constant_columns(&train.examples))),
            (
                "one example several times",
                with(train.examples.select(&vec![0; train.labels.len()])),
            ),
            ("one example", select(&train, &[0])),
            ("one class", relabelled(&|_| 0)),
            ("an empty class", relabelled(&|class| if class == 1 { 0 } else { class })),
            ("a class too many", Labelled { classes: train.classes + 1, ..train.clone() }),
        ];
        // As often as methods that take few examples can take.
        let twice: Vec<usize> = places().chain(places()).collect();
        if self.train > 3 {
            cases.push(("every example twice", select(&train, &twice)));
        }
        cases
    }
}

/// Examples of which the first variable has the same value everywhere, and the second another.
fn constant_columns(examples: &Examples) -> Examples {
    match examples {
        Examples::Binary(rows) => {
            let mut constant = BinaryRows::new(rows.variables());
            for row in rows.iter() {
                let others = row.iter().copied().filter(|&one| one > 1);
                constant.push(&std::iter::once(0).chain(others).collect::<Vec<u32>>());
            }
            Examples::Binary(constant)
        }
        Examples::Categorical(rows) => {
            let mut constant = CategoricalRows::new(rows.attributes().clone());
            for row in rows.iter() {
                constant.push(&[&[1, 0], &row[2..]].concat());
            }
            Examples::Categorical(constant)
        }
        Examples::Numeric(rows) => {
            let constant = rows.iter().flat_map(|row| [&[2.5], &row[1..]].concat());
            Examples::Numeric(NumericRows::new(rows.columns(), constant.collect()))
        }
        Examples::Packed(_) | Examples::Table(_) => panic!("no method takes them only"),
    }
}

/// What is wrong with what a fit gives for so many test examples.
fn faults(subject: &Subject, train: &Labelled, test: usize, given: &Given) -> Vec<String> {
    let mut faults = Vec::new();
    let mut check = |sound: bool, fault: String| {
        if !sound {
            faults.push(fault);
        }
    };
    let Given { classes, values, probabilities, measures } = given;
    check(values.iter().all(|value| value.is_finite()), "a value is not finite".to_owned());
    match subject.fit {
        Fit::Density(_) => check(values.len() == test, "a value for each example".to_owned()),
        Fit::Network(_) => {}
        Fit::Regression(_) => {
            check(values.len() == test, "a prediction for each example".to_owned());
        }
        Fit::Classification(_) | Fit::Categorical(_) | Fit::Numeric(_) => {
            check(classes.len() == test, "a class for each example".to_owned());
            let known = |&class: &u32| (class as usize) < train.classes;
            check(classes.iter().all(known), "a class that there is not".to_owned());
            let gives = subject.method.probabilities;
            check(
                gives != probabilities.is_empty(),
                "what its entry says of probabilities".to_owned(),
            );
            let rows = probabilities.chunks(train.classes).zip(classes);
            let sound = |(row, &class): (&[f64], &u32)| {
                let most = row.iter().copied().fold(0.0, f64::max);
                let sum = row.iter().sum::<f64>();
                row.iter().all(|p| (0.0..=1.0).contains(p))
                    && (sum - 1.0).abs() < 1e-12
                    && row[class as usize] >= most - 1e-12
            };
            check(rows.into_iter().all(sound), "probabilities that are none".to_owned());
            let some = values.is_empty() || values.len() == test;
            check(some, "a value for each example".to_owned());
        }
        // Programs have tests of their own.
        Fit::Program(_) => {}
        Fit::Partition(_) => {
            // Of the examples, or of the distribution where that is what the method looks at.
            let variables = [train.examples.variables(), fits::distribution().variables()];
            check(variables.contains(&classes.len()), "a group for each variable".to_owned());
            let mut next = 0;
            for &group in classes {
                check(group <= next, format!("groups by their first variables: {classes:?}"));
                next = next.max(group + 1);
            }
        }
    }
    if matches!(subject.fit, Fit::Density(_) | Fit::Network(_) | Fit::Categorical(_)) {
        check(values.iter().all(|&value| value <= 1e-12), "a probability above one".to_owned());
    }
    for (metric, measure) in measures {
        let declared = subject.method.reports.iter().any(|known| known.name == metric.name);
        check(declared, format!("its entry does not say that it reports {}", metric.name));
        check(measure.value().is_finite(), format!("{} is {}", metric.name, measure.value()));
    }
    faults
}

/// Whatever the examples: finite numbers, or a sentence that says why not; the same with borrowed cores.
#[test]
fn a_fit_ends_well_or_says_why_not() {
    let mut findings = Vec::new();
    for subject in subjects() {
        let test = subject.test();
        for (case, train) in subject.cases() {
            let mut find =
                |what: String| findings.push(format!("{}, {case}: {what}", subject.name()));
            let fit = |idle| {
                catch_unwind(AssertUnwindSafe(|| subject.given(&train, &test, idle)))
                    .map_err(|_| "it panics".to_owned())
            };
            let (alone, helped) = (fit(0), fit(3));
            if alone != helped {
                find(format!("borrowed cores change it: {alone:?} and {helped:?}"));
            }
            match alone {
                Ok(Ok(given)) => {
                    faults(&subject, &train, test.labels.len(), &given).into_iter().for_each(find);
                }
                Ok(Err(error @ (FitError::Timeout | FitError::Interrupted))) => {
                    find(error.to_string())
                }
                Ok(Err(why)) => {
                    if case == "sound examples" || why.to_string().is_empty() {
                        find(format!("it fails: {why}"));
                    }
                }
                Err(panic) => find(panic),
            }
        }
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

/// All states of the variables, the examples that a model of their distribution can be asked about.
fn states(train: &Labelled) -> Option<Labelled> {
    let examples = match &train.examples {
        Examples::Binary(rows) => Examples::Binary(all_states(rows.variables())),
        Examples::Categorical(rows) => {
            let attributes = rows.attributes();
            let mut states = vec![Vec::new()];
            for attribute in attributes.iter() {
                let codes =
                    (0..attribute.values.len() as u16).chain(attribute.missing.then_some(MISSING));
                let longer = |state: &Vec<u16>| {
                    codes.clone().map(|code| [&state[..], &[code]].concat()).collect::<Vec<_>>()
                };
                states = states.iter().flat_map(longer).collect();
            }
            let mut rows = CategoricalRows::new(attributes.clone());
            states.iter().for_each(|state| rows.push(state));
            Examples::Categorical(rows)
        }
        Examples::Packed(_) | Examples::Numeric(_) | Examples::Table(_) => return None,
    };
    Some(Labelled { labels: vec![0; examples.len()], examples, ..train.clone() })
}

/// The probabilities of all states, and of all states with all classes, are those of one distribution; and the
/// class that is predicted is the one that is most probable.
#[test]
fn probabilities_sum_to_one() {
    let mut findings = Vec::new();
    let mut summed = BTreeSet::new();
    for subject in subjects() {
        for (case, train) in subject.cases() {
            let mut find =
                |what: String| findings.push(format!("{}, {case}: {what}", subject.name()));
            let Some(states) = states(&train) else { continue };
            let given = |states: &Labelled| subject.given(&train, states, 0).ok();
            let total = |values: &[f64]| values.iter().map(|&value| exp(value)).sum::<f64>();
            let n = states.labels.len();
            let sum = match subject.fit {
                Fit::Density(_) => given(&states).map(|given| total(&given.values)),
                // The pseudo-likelihoods come first; networks that are too large have no others.
                Fit::Network(_) => given(&states)
                    .filter(|given| given.values.len() > n)
                    .map(|g| total(&g.values[n..])),
                Fit::Categorical(_) | Fit::Classification(_) => {
                    let classes = 0..train.classes as u32;
                    let of_class =
                        |class| given(&Labelled { labels: vec![class; n], ..states.clone() });
                    let by_class: Option<Vec<Given>> = classes.map(of_class).collect();
                    let by_class = by_class.filter(|by_class| !by_class[0].values.is_empty());
                    if let Some(by_class) = &by_class {
                        for state in 0..n {
                            let of = |class: u32| by_class[class as usize].values[state];
                            let best = (0..train.classes as u32).map(of).fold(f64::MIN, f64::max);
                            if of(by_class[0].classes[state]) < best - 1e-9 {
                                find(format!("state {state}: another class is more probable"));
                                break;
                            }
                        }
                    }
                    by_class.map(|by_class| by_class.iter().map(|given| total(&given.values)).sum())
                }
                Fit::Numeric(_) | Fit::Regression(_) | Fit::Partition(_) | Fit::Program(_) => None,
            };
            if let Some(sum) = sum {
                summed.insert(subject.method.kind);
                if (sum - 1.0).abs() > 1e-9 {
                    find(format!("the probabilities sum to {sum}"));
                }
            }
        }
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    for subject in subjects() {
        let must = matches!(subject.fit, Fit::Density(_) | Fit::Network(_));
        assert!(
            !must || summed.contains(subject.method.kind),
            "{}: nothing summed",
            subject.name()
        );
    }
}

/// A decision function is positive where class 1 is predicted, and negative where class 0 is.
#[test]
fn decisions_have_the_sign_of_the_prediction() {
    let mut decided = 0;
    for subject in subjects().filter(|subject| matches!(subject.fit, Fit::Numeric(_))) {
        let given = subject.given(&subject.train(), &subject.test(), 0).unwrap();
        for (class, value) in given.classes.iter().zip(&given.values) {
            assert!(
                *value == 0.0 || (*value > 0.0) == (*class == 1),
                "{}: {value}",
                subject.name()
            );
            decided += 1;
        }
    }
    assert!(decided > 0);
}

/// Training examples are a set, but where a method says otherwise.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn the_order_of_examples_does_not_matter() {
    let apart = |a: f64, b: f64| (a - b).abs() / a.abs().max(b.abs()).max(1.0);
    let (mut findings, mut exceptions) = (Vec::new(), BTreeSet::new());
    for subject in subjects() {
        let (train, test) = (subject.train(), subject.test());
        let mut places: Vec<usize> = (0..subject.train).collect();
        Random::new(Digest::of(b"order of examples")).shuffle(&mut places);
        let shuffled = select(&train, &places);
        let straight = subject.given(&train, &test, 0).unwrap();
        let shuffled = subject.given(&shuffled, &test, 0).unwrap();
        let values = straight.values.iter().zip(&shuffled.values);
        let apart = values.map(|(&a, &b)| apart(a, b)).fold(0.0, f64::max);
        if straight.classes == shuffled.classes && apart <= ROUNDING {
            continue;
        }
        match BY_ORDER.iter().find(|(kind, ..)| *kind == subject.method.kind) {
            Some((kind, most, _)) if apart <= *most => drop(exceptions.insert(*kind)),
            _ => findings.push(format!("{}: values are {apart} apart", subject.name())),
        }
    }
    assert!(findings.is_empty(), "the order of the examples matters:\n{}", findings.join("\n"));
    let listed: BTreeSet<&str> = BY_ORDER.iter().map(|(kind, ..)| *kind).collect();
    assert_eq!(listed, exceptions, "an exception that is none");
}

/// A metric of an entry is there for every task that the method serves.
#[test]
fn every_fit_of_a_method_reports_the_same_metrics() {
    let mut reported: BTreeMap<(&str, usize), (String, BTreeSet<&str>)> = BTreeMap::new();
    for subject in subjects() {
        let given = subject.given(&subject.train(), &subject.test(), 0);
        let given = given.unwrap_or_else(|error| panic!("{}: {error}", subject.name()));
        let found: BTreeSet<&str> = given.measures.iter().map(|(metric, _)| metric.name).collect();
        let entry = (subject.method.kind, std::ptr::from_ref(subject.method).addr());
        let (first, known) = reported.entry(entry).or_insert((subject.name(), found.clone()));
        assert_eq!(found, *known, "{} and {first}", subject.name());
    }
}
