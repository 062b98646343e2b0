//! The method `gibbs`: a Gibbs energy model of the attributes together with the class.
//!
//! The predicted class is the one with the most probable combination with the attribute values (section
//! 6); the patterns without the class have the same potentials for every class and are left out. The
//! first of equally probable classes is predicted.

use std::sync::OnceLock;

use super::counts::{Counts, Missing, RecordCounts, Records};
use super::energy::{Energies, Settings};
use super::table::{PatternTable, Rank};
use super::transform::Transform;
use crate::prediction::highest;
use contract::categorical::{Attribute, CategoricalRows, MISSING};
use contract::parameter::{Default, Domain, Parameter, Parameters};
use contract::{
    Carry, Classifier, Context, Examples, Fit, FitError, Labelled, Measure, MethodEntry,
};
use math::special::{exp, ln};

/// Most attributes beside the class: the energy of a record is a sum over all their subsets.
pub const MOST_ATTRIBUTES: usize = 20;

/// Most terms of the sum over all configurations by which probabilities are normalised.
const MOST_TERMS: f64 = (1u64 << 27) as f64;

const ALL_ORDERS: i64 = MOST_ATTRIBUTES as i64 + 1;

/// The registry's entry.
pub static GIBBS: MethodEntry = MethodEntry {
    kind: "gibbs",
    summary: "Gibbs energy model whose potentials come from the frequencies of patterns, without \
              iteration",
    source: "Miller and Goodman 1993, equations (7) and (8)",
    revision: 1,
    parameters: &[
        Parameter {
            name: "max_order",
            domain: Domain::Integer { least: 1, most: ALL_ORDERS },
            default: Default::Integer(ALL_ORDERS),
            meaning: "highest order of a pattern, the class counted; potentials above it are zero",
        },
        Parameter {
            name: "negative_potential",
            domain: Domain::Real { least: f64::NEG_INFINITY, most: 0.0, open: false },
            default: Default::Real(-100.0),
            meaning: "potential of a pattern that never occurs in the training records",
        },
        Parameter {
            name: "negative_order",
            domain: Domain::Integer { least: 0, most: ALL_ORDERS },
            default: Default::Integer(ALL_ORDERS),
            meaning: "highest order of the patterns that it is given to; longer ones that never occur have \
                      potential zero",
        },
        Parameter {
            name: "smoothing",
            domain: Domain::Real { least: 0.0, most: f64::INFINITY, open: false },
            default: Default::Real(0.0),
            meaning: "records added to the training records, spread evenly over all configurations; above \
                      0 no pattern has frequency zero and none has the negative potential",
        },
        Parameter {
            name: "missing",
            domain: Domain::Word(&[
                ("value", "a value of its own"),
                ("skip", "patterns with a missing value are neither counted nor activated"),
            ]),
            default: Default::Word("value"),
            meaning: "what a missing value is",
        },
        Parameter {
            name: "transform",
            domain: Domain::Word(&[
                ("normalised", "equations (7) and (8): the potentials of an order are averaged"),
                ("moebius", "equations (2) and (6): the potentials of an order are added"),
            ]),
            default: Default::Word("normalised"),
            meaning: "how frequencies become potentials, and potentials the energy",
        },
        Parameter {
            name: "capacity",
            domain: Domain::Integer { least: 0, most: 1 << 30 },
            default: Default::Integer(0),
            meaning: "patterns that the hash table holds, rounded up to a multiple of 8; 0 keeps all \
                      patterns, and then counts those of a record when it is asked for",
        },
        Parameter {
            name: "replace",
            domain: Domain::Word(&[
                ("contribution", "the lowest absolute potential times the weight of its order"),
                ("magnitude", "the lowest absolute potential"),
                ("signed", "the lowest potential"),
            ]),
            default: Default::Word("contribution"),
            meaning: "which pattern of a full bucket of the table gives way; the potential is that of (8)",
        },
    ],
    along: &[],
    cost: |parameters, shape| {
        let patterns = f64::from(1u32 << shape.variables.min(MOST_ATTRIBUTES));
        let table = if parameters.count("capacity") > 0 { 10.0 } else { 1.0 };
        3e-9 * table * patterns * shape.examples as f64
    },
    fits: &[Fit::Categorical(fit)],
};

fn fit(
    parameters: &Parameters,
    train: &Labelled,
    context: &Context,
    _: &mut Carry,
) -> Result<Box<dyn Classifier>, FitError> {
    let rows = train.categorical()?;
    let attributes = rows.attributes().len();
    if attributes > MOST_ATTRIBUTES {
        return Err(FitError::Failed(format!(
            "{attributes} attributes; all subsets of at most {MOST_ATTRIBUTES} can be summed over"
        )));
    }
    let records = Records {
        rows: rows.clone(),
        labels: train.labels.clone(),
        classes: train.classes,
        missing: match parameters.word("missing") {
            "skip" => Missing::Skip,
            _ => Missing::Value,
        },
    };
    let settings = Settings {
        transform: match parameters.word("transform") {
            "moebius" => Transform::Moebius,
            _ => Transform::Normalised,
        },
        max_order: parameters.count("max_order"),
        negative_potential: parameters.real("negative_potential"),
        negative_order: parameters.count("negative_order"),
        smoothing: parameters.real("smoothing"),
    };
    let rank = match parameters.word("replace") {
        "magnitude" => Rank::Magnitude,
        "signed" => Rank::Signed,
        _ => Rank::Contribution,
    };
    let counts = match parameters.count("capacity") {
        0 => Counts::All,
        capacity => {
            let max_order = settings.max_order;
            let table = PatternTable::build(&records, max_order, capacity, rank, context)?;
            Counts::Table(Box::new(table))
        }
    };
    Ok(Box::new(Gibbs { records, settings, counts, normaliser: OnceLock::new() }))
}

/// The fitted model.
#[derive(Debug)]
struct Gibbs {
    records: Records,
    settings: Settings,
    counts: Counts,
    /// Logarithm of the sum over all configurations, once it was asked for.
    normaliser: OnceLock<f64>,
}

/// What is needed to look at one record after another.
struct Walk<'a> {
    model: &'a Gibbs,
    energies: Energies<'a>,
    counts: RecordCounts,
    known: Vec<usize>,
    of_classes: Vec<f64>,
}

impl<'a> Walk<'a> {
    fn new(model: &'a Gibbs) -> Self {
        Self {
            model,
            energies: Energies::new(&model.settings, &model.records),
            counts: RecordCounts::default(),
            known: Vec::new(),
            of_classes: Vec::new(),
        }
    }

    /// Sets `of_classes` to the energy of a record with each class, without the patterns that have no
    /// class.
    fn classes(&mut self, row: &[u16]) -> &[f64] {
        self.model.records.known(row, &mut self.known);
        self.model.counts.of_record(&self.model.records, row, &self.known, &mut self.counts);
        self.energies.of_classes(&self.counts, &self.known, &mut self.of_classes);
        &self.of_classes
    }

    /// The energies of a record with each class, complete.
    fn complete(&mut self, row: &[u16]) -> &[f64] {
        self.classes(row);
        let rest = self.energies.without_class(&self.counts, &self.known);
        self.of_classes.iter_mut().for_each(|energy| *energy += rest);
        &self.of_classes
    }
}

impl Classifier for Gibbs {
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Vec<u32>, FitError> {
        let rows = examples.categorical()?;
        let mut walk = Walk::new(self);
        let mut predicted = Vec::with_capacity(rows.len());
        for row in rows.iter() {
            context.check()?;
            predicted.push(highest(walk.classes(row)));
        }
        Ok(predicted)
    }

    /// None where the configurations are too many, or missing values make sub-configurations of records.
    fn joint_log_likelihoods(
        &self,
        examples: &Labelled,
        context: &Context,
    ) -> Result<Option<Vec<f64>>, FitError> {
        let rows = examples.categorical()?;
        let skipped = self.records.missing == Missing::Skip && rows.codes().contains(&MISSING);
        if skipped || self.terms() > MOST_TERMS {
            return Ok(None);
        }
        let normaliser = match self.normaliser.get() {
            Some(normaliser) => *normaliser,
            None => {
                let normaliser = self.normalise(context)?;
                *self.normaliser.get_or_init(|| normaliser)
            }
        };
        let mut walk = Walk::new(self);
        let mut values = Vec::with_capacity(rows.len());
        for (row, &label) in rows.iter().zip(&examples.labels) {
            context.check()?;
            values.push(walk.complete(row)[label as usize] - normaliser);
        }
        Ok(Some(values))
    }

    fn measures(&self) -> Vec<(&'static str, Measure)> {
        // Each pattern of a training record is counted once, and nothing is repeated.
        let mut measures = vec![("epochs", Measure::Scalar(1.0))];
        if let Counts::Table(table) = &self.counts {
            measures.push(("patterns", Measure::Scalar(table.held() as f64)));
        }
        measures
    }
}

impl Gibbs {
    /// How many terms the normalising sum has: a pattern of each configuration with each class.
    fn terms(&self) -> f64 {
        let attributes = 0..self.records.rows.attributes().len();
        let of_attribute = |attribute| 2.0 * self.records.values_of(attribute) as f64;
        attributes.map(of_attribute).product::<f64>() * self.records.classes as f64
    }

    /// The logarithm of Z in (1).
    fn normalise(&self, context: &Context) -> Result<f64, FitError> {
        let mut walk = Walk::new(self);
        let mut all = Vec::new();
        let mut row = vec![0u16; self.records.rows.attributes().len()];
        loop {
            context.check()?;
            all.extend_from_slice(walk.complete(&coded(&self.records.rows, &row)));
            let next = (0..row.len()).find(|&at| {
                row[at] += 1;
                let more = usize::from(row[at]) < self.records.values_of(at);
                if !more {
                    row[at] = 0;
                }
                more
            });
            if next.is_none() {
                return Ok(log_sum_exp(&all));
            }
        }
    }
}

/// Places among the values as codes: behind the named values stands the missing one.
fn coded(rows: &CategoricalRows, places: &[u16]) -> Vec<u16> {
    let code = |(&place, attribute): (&u16, &Attribute)| {
        if usize::from(place) < attribute.values.len() { place } else { MISSING }
    };
    places.iter().zip(rows.attributes().iter()).map(code).collect()
}

fn log_sum_exp(values: &[f64]) -> f64 {
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    highest + ln(values.iter().map(|value| exp(value - highest)).sum())
}
