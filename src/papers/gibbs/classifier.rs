//! The method `gibbs`: a Gibbs energy model of the attributes together with the class.
//!
//! The predicted class is the one with the most probable combination with the attribute values (section
//! 6); the patterns without the class have the same potentials for every class and are left out. The
//! first of equally probable classes is predicted.

use method::metrics::EPOCHS;
use method::shared::prediction::{distributions_with, highest, normalise};
use ndarray::Array2;
use std::sync::OnceLock;

use super::counts::{Counts, RecordCounts};
use super::energy::{Energies, MOST_ATTRIBUTES, Settings};
use super::records::{Missing, Records};
use super::table::{PatternTable, Rank};
use contract::categorical::{Attribute, CategoricalRows, MISSING};
use contract::parameter::{Choice, Count, parameters, settings};
use contract::{
    Classifier, Context, Examples, Fit, FitError, Labelled, Measure, MethodEntry, Prediction,
    Reported, Result, metrics,
};
use math::vector::log_sum_exp;

metrics! {
    pub PATTERNS: Model = "patterns", "Patterns", "number of patterns that a table of bounded size holds";
}

/// Most terms of the sum over all configurations by which probabilities are normalised.
const MOST_TERMS: f64 = (1u64 << 27) as f64;

settings! {
    /// How records are counted.
    struct Counting {
        MISSING_VALUES missing: Choice<Missing>::worded("value"), "what a missing value is";
        CAPACITY capacity: Count::within(0..=1 << 30, 0),
            "patterns that the hash table holds, rounded up to a multiple of 8; 0 keeps all patterns, and then counts those of a record when it is asked for";
        REPLACE replace: Choice<Rank>::worded("contribution"),
            "which pattern of a full bucket of the table gives way; the potential is that of (8)";
    }
}

/// The registry's entry.
pub static GIBBS: MethodEntry = MethodEntry {
    kind: "gibbs",
    summary: "Gibbs energy model whose potentials come from the frequencies of patterns, without \
              iteration",
    source: "Miller and Goodman 1993, equations (7) and (8)",
    parameters: parameters![in Settings::PARAMETERS, Counting::PARAMETERS],
    reports: &[&PATTERNS, &EPOCHS],
    probabilities: true,
    cost: |parameters, shape| {
        let patterns = f64::from(1u32 << shape.variables.min(MOST_ATTRIBUTES));
        let table = if parameters.get(&CAPACITY) > 0 { 10.0 } else { 1.0 };
        3e-9 * table * patterns * shape.examples as f64
    },
    fits: &[Fit::Categorical(|parameters, train, context, _| {
        let rows = train.examples.categorical()?;
        let attributes = rows.attributes().len();
        if attributes > MOST_ATTRIBUTES {
            return Err(FitError::Failed(format!(
                "{attributes} attributes; all subsets of at most {MOST_ATTRIBUTES} can be summed over"
            )));
        }
        let Counting { missing, capacity, replace } = Counting::read(parameters);
        let records = Records {
            rows: rows.clone(),
            labels: train.labels.clone(),
            classes: train.classes,
            missing,
        };
        let settings = Settings::read(parameters);
        let table =
            || PatternTable::build(&records, settings.max_order, capacity, replace, context);
        let counts = if capacity == 0 { Counts::All } else { Counts::Table(table()?.into()) };
        Ok(Box::new(Gibbs { records, settings, counts, normaliser: OnceLock::new() }))
    })],
    ..MethodEntry::PLAIN
};

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
    fn predict(&self, examples: &Examples, context: &Context) -> Result<Prediction> {
        let rows = examples.categorical()?;
        let walk = || Walk::new(self);
        let class = |walk: &mut Walk<'_>, row| Ok(highest(walk.classes(rows.row(row))));
        Ok(context.each_with(rows.len(), 1, walk, class)?.into())
    }

    fn probabilities(&self, examples: &Examples, context: &Context) -> Result<Option<Array2<f64>>> {
        let rows = examples.categorical()?;
        let classes = self.records.classes;
        let walk = || Walk::new(self);
        let table = distributions_with(rows.len(), classes, context, walk, |walk, row, out| {
            out.copy_from_slice(walk.classes(rows.row(row)));
            normalise(out);
        })?;
        Ok(Some(table))
    }

    /// None where the configurations are too many, or missing values make sub-configurations of records.
    fn log_joints(&self, examples: &Labelled, context: &Context) -> Result<Option<Vec<f64>>> {
        let rows = examples.examples.categorical()?;
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
        let walk = || Walk::new(self);
        let log = |walk: &mut Walk<'_>, row| {
            Ok(walk.complete(rows.row(row))[examples.labels[row] as usize] - normaliser)
        };
        context.each_with(rows.len(), 1, walk, log).map(Some)
    }

    fn measures(&self) -> Reported {
        // Each pattern of a training record is counted once, and nothing is repeated.
        let mut measures = vec![(&EPOCHS, Measure::Scalar(1.0))];
        if let Counts::Table(table) = &self.counts {
            measures.push((&PATTERNS, Measure::Scalar(table.held() as f64)));
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
    fn normalise(&self, context: &Context) -> Result<f64> {
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
