//! What the tests are over.

use std::collections::BTreeMap;

use base::digest::FieldHasher;
use contract::{DatasetId, MethodId, Metric, PerExample};
use run::Status;
use spec::{Blocks, Dependent, Evidence, Lack, Over, PairBy, Pairs, Part, Per, TestDesign};
use stats::Dependence;

use super::cells::{Cells, Matched, OfExamples, Selection, lack, reason};
use super::values::Values;

/// The values of a test.
#[derive(Clone, Copy)]
pub struct OfTest<'a> {
    /// What it compares.
    pub test: &'a TestDesign,
    /// Where values come from.
    pub values: Values<'a>,
}

impl<'a> OfTest<'a> {
    /// The values of two methods, pair by pair: on the test's datasets, or of the problems, folds, repeats or examples of
    /// one.
    ///
    /// # Errors
    /// A value that should be there is not, the two methods' values do not pair up, or there is no pair at all.
    pub fn pairs(
        self,
        of: [&'a MethodId; 2],
        dataset: Option<&'a DatasetId>,
    ) -> Result<Pairs, Lack> {
        let (Self { test, values }, [left, right]) = (self, of);
        let units = match dataset {
            None => match self.on_datasets(&of, Vec::new())? {
                (units, lack) if units.values[0].is_empty() => {
                    return Err(lack.unwrap_or(Lack::Datasets));
                }
                (units, _) => units,
            },
            Some(dataset) => self.within(of, dataset)?,
        };
        let Units { values: sides, over, dependence, note } = units;
        let [lefts, rights]: [Vec<f64>; 2] = sides.try_into().unwrap_or_default();
        let differences: Vec<f64> =
            lefts.iter().zip(&rights).map(|(one, other)| one - other).collect();
        let seed = FieldHasher::new("bootstrap")
            .number(values.experiment.seed)
            .field(&test.id)
            .field(left.as_str())
            .field(right.as_str())
            .field(dataset.map_or("", DatasetId::as_str))
            .finish();
        let mut pairs =
            Pairs { left: lefts, right: rights, differences, dependence, over, note, seed };
        // Equal differences of decimals are apart in their last bits, which is no variation.
        if pairs.hardly_vary() {
            let on_paper = pairs.on_paper();
            if on_paper.windows(2).all(|two| two[0] == two[1]) {
                pairs.differences = on_paper;
            }
        }
        Ok(pairs)
    }

    /// The values of methods on each dataset where all can have one, and why the last one that is left out is: not applicable,
    /// or not published, which is noted. Datasets of equal content count once.
    ///
    /// # Errors
    /// A value that should be there is not.
    fn on_datasets(
        self,
        methods: &[&'a MethodId],
        mut omitted: Vec<String>,
    ) -> Result<(Units, Option<Lack>), Lack> {
        let Self { test, values } = self;
        let evidence: &dyn Evidence = &values;
        let (mut rows, mut lack) = (Vec::<Vec<f64>>::new(), None);
        let (mut contents, mut twice) = (BTreeMap::new(), Vec::new());
        for dataset in &test.datasets {
            let content = values.cells.content(dataset);
            if let Some(first) = content.and_then(|content| contents.get(&content)) {
                let [first, again] = [*first, dataset].map(|id| evidence.title(id));
                twice.push(format!("{first} and {again} are one data set, counted once"));
                continue;
            }
            let value = |method: &&'a MethodId| {
                let found = values.value(dataset, *method, test.metric);
                found.map_err(|status| {
                    let method = evidence.label(method).to_owned();
                    let on = evidence.title(dataset);
                    (Lack::ValueOn { method, on, why: reason(status) }, status)
                })
            };
            match methods.iter().map(value).collect() {
                Ok(row) => {
                    rows.push(row);
                    contents.extend(content.map(|content| (content, dataset)));
                }
                Err((why, Status::NotApplicable | Status::PublishedOnly)) => {
                    lack = Some(why);
                    omitted.push(evidence.title(dataset));
                }
                Err((why, _)) => return Err(why),
            }
        }
        let quoted = evidence.quoted_among(methods.iter().copied());
        let quoted: Vec<&str> = quoted.iter().map(|id| evidence.label(id)).collect();
        let without = (!omitted.is_empty()).then(|| format!("without {}", omitted.join(", ")));
        let quoted = (!quoted.is_empty()).then(|| format!("{} as published", quoted.join(", ")));
        let note = joined([without, quoted].into_iter().chain(twice.into_iter().map(Some)));
        let side = |at: usize| rows.iter().map(|row| row[at]).collect();
        let (values, over) = ((0..methods.len()).map(side).collect(), Over::Datasets);
        Ok((Units { values, over, dependence: Dependence::None, note }, lack))
    }

    /// The values of two methods on the problems, folds, repeats or examples of one dataset.
    fn within(
        self,
        of @ [left, right]: [&'a MethodId; 2],
        dataset: &'a DatasetId,
    ) -> Result<Units, Lack> {
        let units = self.of_methods(&of, dataset, 0);
        let units = units.map_err(|lack| match lack {
            Lack::OtherSplits(_) => Lack::Splits(left.to_owned(), right.to_owned()),
            Lack::OtherExamples => Lack::Examples(left.to_owned(), right.to_owned()),
            lack => lack,
        })?;
        let part = self.values.part_of(dataset, left);
        let divisions = matches!(units.over, Over::Folds | Over::Divisions);
        let grouped = |part: &&Part| part.split.dealt().grouped && divisions;
        let by_group = part.filter(grouped).map(|_| BY_GROUP.to_owned());
        let dependence = match self.test.dependent {
            Dependent::Refused => units.dependence,
            Dependent::Ignored => Dependence::None,
        };
        Ok(Units { note: joined([Some(units.note), by_group]), dependence, ..units })
    }

    /// The values of all methods, block by block: on each dataset, or on each problem, fold, repeat or example of one.
    /// Quoted methods without any published value are left out.
    ///
    /// # Errors
    /// A value that should be there is not.
    pub fn blocks(self, dataset: Option<&'a DatasetId>) -> Result<Blocks, Lack> {
        let Self { test, values } = self;
        let published = |method: &&MethodId| {
            let value = |dataset| values.value(dataset, *method, test.metric).is_ok();
            dataset.is_some() || !values.of_paper(method) || test.datasets.iter().any(value)
        };
        let (methods, unquoted): (Vec<&MethodId>, Vec<&MethodId>) =
            test.methods.iter().partition(published);
        let units = match dataset {
            None => {
                let evidence: &dyn Evidence = &values;
                let omitted = unquoted.iter().map(|id| evidence.label(id).to_owned()).collect();
                self.on_datasets(&methods, omitted)?.0
            }
            Some(dataset) => {
                let last = methods.len().saturating_sub(1);
                self.of_methods(&methods, dataset, last)?
            }
        };
        let Units { values: columns, over, note, .. } = units;
        let n = columns.first().map_or(0, Vec::len);
        let values = (0..n).map(|at| columns.iter().map(|column| column[at]).collect()).collect();
        Ok(Blocks { methods: methods.into_iter().cloned().collect(), values, over, note })
    }

    /// The values of methods on what one dataset has several of, or on its examples; of the examples those of the methods
    /// from a place on say what they are.
    fn of_methods(
        self,
        methods: &[&'a MethodId],
        dataset: &'a DatasetId,
        from: usize,
    ) -> Result<Units, Lack> {
        let Self { test, values } = self;
        let part = methods.first().and_then(|method| values.part_of(dataset, method));
        let mut units = if let Some(per) = unit(test.pair_by, values.cells, dataset) {
            let places: Vec<_> =
                methods.iter().map(|method| values.selection(dataset, *method)).collect();
            of_units(values, part, &places, test.metric, per)?
        } else {
            let side = |method: &&'a MethodId| {
                let place = values.selection(dataset, *method);
                let found = values.cells.examples(&place, test.metric, test.outcomes);
                found.map_err(|status| lack(method, status))
            };
            let sides = methods.iter().map(side).collect::<Result<Vec<_>, _>>()?;
            let Some(said @ [first, ..]) = sides.get(from..) else {
                return Err(Lack::OtherExamples);
            };
            let blocks = in_blocks(test.metric, first.values.len());
            let over = |part: &Part| part.over_examples(first.grouped, blocks);
            Units {
                note: remark(said),
                over: part.map_or(Over::Examples, over),
                dependence: first.dependence(),
                values: sides.into_iter().map(|side| side.values).collect(),
            }
        };
        if units.values.iter().any(|side| side.len() != units.values[0].len()) {
            return Err(Lack::OtherExamples);
        }
        let coinciding = part.and_then(|part| values.cells.coinciding(dataset, part));
        units.note = joined([Some(units.note), coinciding.map(|remark| remark.to_string())]);
        Ok(units)
    }
}

/// What `docs/reference/calibration.md` says of the corrected t over divisions by groups.
const BY_GROUP: &str = "divisions by group: with 20 groups a p-value of .05 comes in .08 to .10 of the cases without a difference, with fewer groups more often";

/// The values of several places, unit by unit.
pub struct Units {
    /// Those of each place, in the order of the units.
    pub values: Vec<Vec<f64>>,
    /// What the units are.
    pub over: Over,
    /// How the values depend on each other, where as many examples were tested to those that were fitted.
    pub dependence: Dependence,
    /// What is to be said of them.
    pub note: String,
}

/// Of what a dataset has several of, in the part in which the first place runs.
///
/// # Errors
/// If a place has no value, or the places have other units.
pub fn of_units<'a>(
    values: Values<'a>,
    part: Option<&Part>,
    places: &[Selection<'a>],
    metric: &Metric,
    per: Per,
) -> Result<Units, Lack> {
    let matched = values.cells.matched(places, metric, per)?;
    let over = part.map_or(Over::Seeds, |part| part.over(per));
    let dependence = match (over.depends(), values.cells.overlap(places, per)) {
        (None, _) => Dependence::None,
        (Some(_), Some(ratio)) if ratio > 0.0 => Dependence::Overlap(ratio),
        (Some(_), _) => Dependence::Unknown,
    };
    let Matched { values, note } = matched;
    Ok(Units { values, over, dependence, note })
}

/// Whether so many values of test examples may be means of blocks: these give more than half as many as are kept at most.
pub fn in_blocks(metric: &Metric, count: usize) -> bool {
    metric.per_example == PerExample::Scores && count > task::blocks::MOST / 2
}

/// Of which repeats the values of examples are, if there are several.
fn remark(sides: &[OfExamples]) -> String {
    let repeats = sides.iter().map(|side| side.repeats).max().unwrap_or(1);
    match sides.iter().all(|side| side.averaged || side.repeats == 1) {
        _ if repeats < 2 => String::new(),
        true => format!("examples averaged over {repeats} repeats"),
        false => format!("examples of the first of {repeats} repeats"),
    }
}

/// The unit of a pair on a dataset; none for examples, and for datasets, which are paired elsewhere.
pub fn unit(pair_by: PairBy, cells: &Cells<'_>, dataset: &DatasetId) -> Option<Per> {
    match pair_by {
        PairBy::Problem => Some(Per::Problem),
        PairBy::Fold => Some(Per::Fold),
        PairBy::Repeat => Some(Per::Repeat),
        PairBy::Auto => cells.several(dataset),
        PairBy::Dataset | PairBy::Example => None,
    }
}

/// Remarks as one.
pub fn joined(remarks: impl IntoIterator<Item = Option<String>>) -> String {
    let said = remarks.into_iter().flatten().filter(|remark| !remark.is_empty());
    said.collect::<Vec<_>>().join("; ")
}
