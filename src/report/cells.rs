//! Aggregation: from the records of trials to the value of a cell.
//!
//! The value of a cell is the mean over problems, then folds, then repeats. Records are taken in
//! the order of (repeat, fold, problem), so the order in which they arrive does not matter.

mod group;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use base::digest::Digest;
use base::parallel::lock;
use contract::parameter::Value;
use contract::{DatasetId, Measure, MethodId, Metric, NOT_CONVERGED, PartId};
use data::split::SplitPlan;
use math::decimal::significant;
use math::sample::Sample;
use math::student_t;
use run::plan::Remark;
use run::{Record, Setup, Status, Trial, several};
use spec::{Axis, Experiment, Lack, Part, Per, SdOver, crossed};
use stats::Dependence;
use task::overlap::CLUSTERS;

use group::{Group, GroupKey, mean, means, only, settled};

/// Level of the interval behind [`Cells::noise`].
const LEVEL: f64 = 0.95;

/// Which trials a cell is over: those of these datasets, methods and parts at these points of
/// sweeps and grids.
#[derive(Debug, Clone)]
pub struct Selection<'a> {
    /// Dataset ids.
    pub datasets: Vec<&'a DatasetId>,
    /// Method ids.
    pub methods: Vec<&'a MethodId>,
    /// Part ids.
    pub parts: Vec<&'a PartId>,
    /// Points of sweeps; a method that does not sweep a parameter is the same at all its points.
    pub sweep: Vec<(&'a str, &'a Value)>,
    /// Points of grids. If there are any, unselected trials count too.
    pub grid: Vec<(&'a str, &'a Value)>,
}

impl<'a> Selection<'a> {
    /// The same place of one method, at those points that it has.
    pub fn of_method(&self, experiment: &Experiment, method: &'a MethodId) -> Self {
        let spec = experiment.method(method);
        let has = |axes: &[Axis], name: &str| axes.iter().any(|axis| axis.name == name);
        let mut place = Self { methods: vec![method], ..self.clone() };
        place.sweep.retain(|(name, _)| spec.is_none_or(|spec| has(&spec.sweep, name)));
        place.grid.retain(|(name, _)| spec.is_none_or(|spec| has(&spec.grid, name)));
        place
    }

    /// The trials of one method on one dataset, whatever the part.
    pub fn of(experiment: &'a Experiment, dataset: &'a DatasetId, method: &'a MethodId) -> Self {
        Self {
            datasets: vec![dataset],
            methods: vec![method],
            parts: experiment.parts.iter().map(|part| &part.id).collect(),
            sweep: Vec::new(),
            grid: Vec::new(),
        }
    }
}

/// The value of a cell, or why it has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The worst status of its trials.
    pub status: Status,
    /// The mean over the trials that report the metric; present only if all trials are ok.
    pub value: Option<f64>,
    /// Standard deviation (n - 1) over what the caller asked for.
    pub sd: Option<f64>,
    /// How many values `sd` is over; without one, the number of trials; for a metric that returns
    /// samples, the size of the pooled sample.
    pub n: u64,
    /// How many trials the value is of, where others do not report the metric.
    pub of: Option<usize>,
}

/// What the value of a cell owes to chance: half the widths of its 95% intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Of our mean.
    pub interval: f64,
    /// Of what the paper would have found by the same procedure: one seed or draw, or the mean of as many divisions.
    pub prediction: f64,
}

/// The values of test examples.
#[derive(Debug, Clone, PartialEq)]
pub struct OfExamples {
    /// One each, or one a block.
    pub values: Vec<f64>,
    /// How many repeats there are.
    pub repeats: usize,
    /// Whether they are means over the repeats.
    pub averaged: bool,
    /// Whether they are of one division and one problem.
    pub whole: bool,
    /// Whether some go together: those of a group of the dataset, or an example in several problems.
    pub grouped: bool,
    /// The group of each, where it was kept.
    clusters: Vec<u32>,
}

impl OfExamples {
    /// How they depend on each other.
    pub fn dependence(&self) -> Dependence {
        match (self.grouped, self.clusters.len() == self.values.len()) {
            (false, _) => Dependence::None,
            (true, true) => Dependence::Clusters(self.clusters.clone()),
            (true, false) => Dependence::Unknown,
        }
    }
}

impl Noise {
    /// In another unit.
    pub fn scaled(self, scale: f64) -> Self {
        Self { interval: self.interval * scale, prediction: self.prediction * scale }
    }
}

/// The values of several places over the same units.
#[derive(Debug)]
pub struct Matched {
    /// Those of each place, in the order of the units.
    pub values: Vec<Vec<f64>>,
    /// What is to be said of trials of which some place has no value.
    pub note: String,
}

impl Cell {
    /// A cell without a value.
    pub fn without(status: Status) -> Self {
        Self { status, value: None, sd: None, n: 0, of: None }
    }
}

/// What the paired values of a test, or a standard deviation, are over: the fields that are not
/// zero or empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit<'a> {
    /// Repeat.
    pub repeat: usize,
    /// Fold.
    pub fold: usize,
    /// Problem.
    pub problem: &'a str,
}

impl<'a> Unit<'a> {
    fn of(record: &'a Record) -> Self {
        let Trial { repeat, fold, setup, .. } = &record.trial;
        Self { repeat: *repeat, fold: *fold, problem: &setup.problem }
    }
}

/// The trials that feed tables, tests and claims.
pub struct Cells<'a> {
    experiment: &'a Experiment,
    records: Arc<BTreeMap<(&'a DatasetId, &'a MethodId), Vec<OfSetup<'a>>>>,
    /// Where it is noted of which datasets and methods trials are asked for, if anybody wants to know.
    asked: Option<&'a Asked>,
}

/// A dataset with a method.
pub type Asking = (DatasetId, MethodId);

/// For which trials are asked.
pub type Asked = Mutex<BTreeSet<Asking>>;

/// The records of a setup: of all repeats and folds.
struct OfSetup<'a> {
    setup: &'a Setup,
    records: Vec<&'a Record>,
}

impl<'a> Cells<'a> {
    /// Over the records of the chosen options.
    pub fn new(experiment: &'a Experiment, records: &'a [Record]) -> Self {
        Self::of(experiment, records.iter().filter(|record| record.trial.choice.is_empty()))
    }

    /// Over these records.
    pub fn of(experiment: &'a Experiment, records: impl Iterator<Item = &'a Record>) -> Self {
        let mut index: BTreeMap<_, Vec<OfSetup<'a>>> = BTreeMap::new();
        // By address: setups that are alike and not the same are met one after the other.
        let mut places: BTreeMap<*const Setup, usize> = BTreeMap::new();
        for record in records {
            let setup = &*record.trial.setup;
            let setups = index.entry((&setup.dataset, &setup.method)).or_default();
            let place = *places.entry(setup).or_insert(setups.len());
            if place == setups.len() {
                setups.push(OfSetup { setup, records: Vec::new() });
            }
            setups[place].records.push(record);
        }
        Self { experiment, records: Arc::new(index), asked: None }
    }

    /// The same trials, of which is noted which are asked for.
    pub fn noted<'n>(&self, asked: &'n Asked) -> Cells<'n>
    where
        'a: 'n,
    {
        let records = self.records.clone();
        Cells { experiment: self.experiment, records, asked: Some(asked) }
    }

    /// The trials of a method on a dataset, by parts and units, in whatever order they arrived.
    pub fn records(&self, dataset: &'a DatasetId, method: &'a MethodId) -> Vec<&'a Record> {
        let setups = self.records.get(&(dataset, method)).into_iter().flatten();
        let mut records: Vec<&Record> =
            setups.flat_map(|setup| setup.records.iter().copied()).collect();
        records.sort_by_key(|record| (&record.trial.part, Unit::of(record), record.trial.key));
        records
    }

    /// The trials of a cell in the order of their units, with the points of grids that were not selected.
    pub fn trials(&self, selection: &Selection<'a>) -> Vec<&'a Record> {
        self.groups(selection).into_values().flat_map(|group| group.records).collect()
    }

    fn all(&self) -> impl Iterator<Item = &'a Record> + Clone {
        self.records.values().flatten().flat_map(|setup| setup.records.iter().copied())
    }

    /// The cell over those of these trials that report the metric. Where they belong to several datasets, methods, parts or
    /// sweep points that no axis tells apart, it has a value only if all agree.
    pub fn cell(&self, selection: &Selection<'a>, metric: &Metric, sd: SdOver) -> Cell {
        let groups = self.groups(selection);
        if groups.is_empty() {
            return Cell::without(self.absence(selection));
        }
        let cells: Vec<Cell> = groups
            .values()
            .map(|group| group.cell(metric, sd))
            .filter(|cell| cell.status != Status::NotApplicable)
            .collect();
        let Some(first) = cells.first() else { return Cell::without(Status::NotApplicable) };
        let status = worst(cells.iter().map(|cell| cell.status));
        match status {
            Status::Ok if cells.iter().all(|cell| cell.value == first.value) => *first,
            Status::Ok => Cell::without(Status::NotApplicable),
            status => Cell::without(status),
        }
    }

    /// What the value of a cell owes to its seeds, draws or divisions: over whole repeats, since the folds of one
    /// division differ by what is in them. Another division of the same data is what the paper may have had, so this is
    /// not how well the method would do on other data: nothing is corrected for training sets that overlap. None of a
    /// single repeat, and of repeats that are all equal, as those of a method without randomness are where there is one
    /// division: the authors' folds, each example left out once.
    pub fn noise(&self, selection: &Selection<'a>, metric: &Metric) -> Option<Noise> {
        let groups = self.groups(selection);
        let noises = groups.values().filter_map(|group| {
            let measures = group.measures(metric).ok()?;
            let values = measures.iter().map(|(unit, measure)| (*unit, measure.value())).collect();
            let sample: Sample = only(means(values, Per::Repeat)).collect();
            let deviation = sample.sd().filter(|sd| *sd > 0.0)?;
            let n = sample.n as f64;
            let split = &group.part?.split;
            let anew = split.by_chance() && *split != SplitPlan::LeaveOneOut;
            let runs = if anew { n } else { 1.0 };
            let t = student_t::two_sided_quantile(LEVEL, n - 1.0);
            // No verdict depends on the last bits of a quantile.
            let half = |share: f64| significant(t * deviation * share.sqrt(), 9);
            Some(Noise { interval: half(1.0 / n), prediction: half(1.0 / runs + 1.0 / n) })
        });
        noises.reduce(|one, other| if other.interval > one.interval { other } else { one })
    }

    /// The values of several places, unit by unit. A trial of which some place has no value is left out everywhere.
    ///
    /// # Errors
    /// If a place has no value, or the places have other units.
    pub fn matched(
        &self,
        places: &[Selection<'a>],
        metric: &Metric,
        per: Per,
    ) -> Result<Matched, Lack> {
        let method =
            |at: usize| places[at].methods.first().map(|id| (*id).clone()).unwrap_or_default();
        let (mut of_places, mut missing, mut planned) = (Vec::new(), BTreeSet::new(), 0);
        let groups: Vec<_> = places.iter().map(|place| self.group(place)).collect();
        for (at, group) in groups.into_iter().enumerate() {
            let absent = |status| lack(&method(at), status);
            let group = group.map_err(absent)?;
            let measures: BTreeMap<Unit, Measure> =
                group.measures(metric).map_err(absent)?.into_iter().collect();
            let units = group.units().map(|(unit, _)| unit);
            missing.extend(units.filter(|unit| !measures.contains_key(unit)));
            planned = planned.max(group.units().count());
            of_places.push(measures);
        }
        let matched = of_places.into_iter().map(|measures| {
            let common = measures.into_iter().filter(|(unit, _)| !missing.contains(unit));
            means(common.map(|(unit, measure)| (unit, measure.value())).collect(), per)
        });
        let matched: Vec<Vec<(Unit, f64)>> = matched.collect();
        let units = |at: usize| matched[at].iter().map(|(unit, _)| unit);
        if let Some(other) = (1..matched.len()).find(|&at| !units(at).eq(units(0))) {
            return Err(Lack::OtherSplits(method(other)));
        }
        if matched.iter().any(Vec::is_empty) {
            return Err(lack(&method(0), Status::NotApplicable));
        }
        let values = matched.into_iter().map(|values| only(values).collect()).collect();
        let note = match missing.len() {
            0 => String::new(),
            n => format!("without {n} of {planned} trials, where a method has no value"),
        };
        Ok(Matched { values, note })
    }

    /// The metric's value for every test example (or block of them): means over the repeats where all of them are on one
    /// published split and `one_run` is not asked for, else of the first repeat.
    ///
    /// # Errors
    /// The status of the cell, if it has no such values.
    pub fn examples(
        &self,
        selection: &Selection<'a>,
        metric: &Metric,
        one_run: bool,
    ) -> Result<OfExamples, Status> {
        let group = self.group(selection)?;
        let mut of_repeats: BTreeMap<usize, Result<Vec<f64>, Status>> = BTreeMap::new();
        let mut whole = true;
        let mut grouped = selection.datasets.iter().any(|id| self.experiment.grouped.contains(id));
        let mut clusters = Vec::new();
        for (unit, candidates) in group.units() {
            whole &= unit.fold == 0 && unit.problem.is_empty();
            grouped |= !unit.problem.is_empty();
            let outcome = settled(candidates, false);
            if let Some(of_test) = outcome.ok().filter(|_| unit.repeat == 0) {
                let kept = of_test.examples.get(CLUSTERS.name);
                clusters.extend(kept.into_iter().flatten().map(|cluster| *cluster as u32));
            }
            let found = outcome
                .and_then(|outcome| outcome.examples.get(metric.name).ok_or(Status::NotApplicable));
            let values = of_repeats.entry(unit.repeat).or_insert_with(|| Ok(Vec::new()));
            match (found, values.as_mut()) {
                (Ok(found), Ok(values)) => values.extend(found),
                (Err(status), _) => *values = Err(status),
                (Ok(_), Err(_)) => {}
            }
        }
        let repeats = of_repeats.len();
        let mut of_repeats = of_repeats.into_values();
        let mut values = of_repeats.next().unwrap_or(Err(Status::Missing))?;
        // Of what is drawn anew the first repeat alone is kept.
        let rest: Vec<Vec<f64>> = of_repeats.flatten().collect();
        let same = |part: &Part| part.split == SplitPlan::Published && !part.draws();
        let averaged = !one_run
            && rest.len() + 1 == repeats
            && group.part.is_some_and(same)
            && rest.iter().all(|other| other.len() == values.len());
        if averaged {
            for (at, value) in values.iter_mut().enumerate() {
                let of_example: Vec<f64> =
                    std::iter::once(*value).chain(rest.iter().map(|other| other[at])).collect();
                *value = mean(&of_example);
            }
        }
        Ok(OfExamples { values, repeats, averaged, whole, grouped, clusters })
    }

    /// The values of the test examples, or of blocks of them, of which the cell is the mean. None where there are folds
    /// or problems or groups of examples or other test examples in every repeat, or where such values were not kept.
    pub fn test_sample(&self, selection: &Selection<'a>, metric: &Metric) -> Option<Vec<f64>> {
        let found = self.examples(selection, metric, false).ok()?;
        let one = found.whole && !found.grouped && (found.averaged || found.repeats == 1);
        one.then_some(found.values)
    }

    /// Of examples that were tested to those that were fitted, the mean over the trials of these places: 0 where training sets do
    /// not overlap, and for means over the folds of a repeat; none where no correction is known, as of folds in time.
    pub fn overlap(&self, places: &[Selection<'a>], per: Per) -> Option<f64> {
        let groups: Vec<Group> =
            places.iter().flat_map(|place| self.groups(place).into_values()).collect();
        group::overlap(&groups.iter().collect::<Vec<_>>(), per)
    }

    /// The digest of what a dataset holds, if a trial ran on it.
    pub fn content(&self, dataset: &DatasetId) -> Option<Digest> {
        let mut setups = self.records.iter().filter(|((id, _), _)| *id == dataset);
        setups.find_map(|(_, setups)| Some(setups.first()?.setup.data))
    }

    /// Why the first trial of a place that says so has no value.
    pub fn lacks(&self, place: &Selection<'a>, metric: &Metric) -> Option<&'a str> {
        let mut selected = self.trials(place).into_iter().filter(|record| record.selected);
        selected
            .find_map(|record| record.outcome.as_ref()?.lacks.get(metric.name))
            .map(String::as_str)
    }

    /// What is wrong with the fits of a place: how many did not converge, and how many points of grids failed.
    pub fn flaws(&self, place: &Selection<'a>) -> Option<String> {
        let (fits, others): (Vec<&Record>, Vec<&Record>) =
            self.trials(place).into_iter().partition(|record| record.selected);
        let problems =
            fits.iter().filter_map(|fit| fit.outcome.as_ref()?.metrics.get(NOT_CONVERGED.name));
        let stopped = problems.filter(|problems| problems.value() > 0.0);
        let failed = others.iter().filter(|record| record.status().is_bad());
        let found = [
            (stopped.count(), fits.len(), "fits did not converge"),
            (failed.count(), others.len(), "fits of points that are not selected failed"),
        ];
        let found = found.iter().filter(|(count, ..)| *count > 0);
        let found = found.map(|(count, all, what)| format!("{count} of {all} {what}"));
        found.reduce(|one, other| format!("{one}, {other}"))
    }

    /// What the trials of a method on a dataset are several of: problems, else folds, else repeats.
    pub fn several(&self, dataset: &DatasetId) -> Option<Per> {
        let trials = self.records.iter().filter(|((id, _), _)| *id == dataset);
        let trials = trials.flat_map(|(_, setups)| setups).flat_map(|setup| &setup.records);
        several(trials.map(|record| &record.trial))
    }

    /// That of the repeats of a part not all are divisions of their own, as whole groups leave no more ways.
    pub fn coinciding(&self, dataset: &DatasetId, part: &Part) -> Option<Remark> {
        if !part.split.dealt().grouped {
            return None;
        }
        let all = part.all_repeats();
        let here = |trial: &&Trial| trial.dataset == *dataset && trial.part == part.id;
        let trials = self.all().map(|record| &record.trial).filter(here);
        let distinct = trials.map(|trial| trial.repeat).collect::<BTreeSet<usize>>().len();
        (1..all).contains(&distinct).then_some(Remark::Distinct(distinct, all))
    }

    /// What the trials of one cell vary over, in words: repeats, else folds, else nothing.
    pub fn varying(&self) -> Option<(Per, &'static str)> {
        if self.all().any(|record| record.trial.repeat > 0) {
            Some((Per::Repeat, "repeats"))
        } else {
            self.all().any(|record| record.trial.fold > 0).then_some((Per::Fold, "folds"))
        }
    }

    /// The sweep points of a method's trials on a dataset, in the order of the method's axes.
    pub fn sweep_points(&self, method: &MethodId) -> Vec<Vec<(&'a str, &'a Value)>> {
        let spec = self.experiment.method(method);
        crossed(spec.map_or(&[][..], |spec| &spec.sweep).iter().map(Axis::points))
    }

    fn groups(&self, selection: &Selection<'a>) -> BTreeMap<GroupKey<'a>, Group<'a>> {
        let mut groups: BTreeMap<GroupKey, Group> = BTreeMap::new();
        for dataset in &selection.datasets {
            for method in &selection.methods {
                if let Some(asked) = self.asked {
                    lock(asked).insert(((*dataset).clone(), (*method).clone()));
                }
                for OfSetup { setup, records } in
                    self.records.get(&(*dataset, *method)).into_iter().flatten()
                {
                    if !selection.parts.contains(&&setup.part)
                        || !meets(&setup.sweep, &selection.sweep)
                        || !meets(&setup.grid, &selection.grid)
                    {
                        continue;
                    }
                    let sweep = setup.sweep.iter().map(|(_, value)| value.to_string()).collect();
                    let group = groups.entry((dataset, &setup.part, method, sweep)).or_default();
                    group.any_point = !selection.grid.is_empty();
                    let mut parts = self.experiment.parts.iter();
                    group.part = parts.find(|part| part.id == setup.part);
                    group.records.extend(records);
                }
            }
        }
        for group in groups.values_mut() {
            group.records.sort_by_key(|record| Unit::of(record));
        }
        groups
    }

    /// The one group of trials of a place.
    fn group(&self, place: &Selection<'a>) -> Result<Group<'a>, Status> {
        let mut groups = self.groups(place).into_values();
        let group = groups.next().ok_or_else(|| self.absence(place))?;
        if groups.next().is_some() { Err(Status::NotApplicable) } else { Ok(group) }
    }

    /// Why no trial was planned.
    fn absence(&self, selection: &Selection) -> Status {
        let methods =
            || self.experiment.methods.iter().filter(|spec| selection.methods.contains(&&spec.id));
        let planned = self.experiment.parts.iter().any(|part| {
            selection.parts.contains(&&part.id)
                && selection.datasets.iter().any(|id| part.datasets.contains(id))
                && methods().any(|spec| !spec.published_only() && part.methods.contains(&spec.id))
        });
        if planned {
            Status::Missing
        } else if methods().all(|spec| spec.published_only()) {
            Status::PublishedOnly
        } else {
            Status::NotApplicable
        }
    }
}

/// The worst of several statuses; [`Status::Ok`] if there are none.
pub fn worst(statuses: impl Iterator<Item = Status>) -> Status {
    let severity = |status: &Status| match status {
        Status::Ok => 0,
        Status::PublishedOnly => 1,
        Status::NotApplicable => 2,
        Status::Missing => 3,
        Status::Nonfinite => 4,
        Status::Failed => 5,
        Status::OutOfMemory => 6,
        Status::Timeout => 7,
        Status::Crashed => 8,
    };
    statuses.max_by_key(severity).unwrap_or(Status::Ok)
}

/// That a method has no value.
pub fn lack(method: &MethodId, status: Status) -> Lack {
    Lack::Value { method: method.to_owned(), why: reason(status) }
}

/// Why a value is not there, as a phrase after its name.
pub fn reason(status: Status) -> &'static str {
    match status {
        Status::PublishedOnly => "no published value",
        Status::Missing => "not run",
        Status::NotApplicable => "not applicable",
        Status::Nonfinite => "not finite",
        Status::Timeout => "timed out",
        Status::OutOfMemory => "out of memory",
        Status::Failed => "failed",
        Status::Crashed => "crashed",
        Status::Ok => "no value",
    }
}

/// Whether a trial is at these points, as far as its method has these parameters.
fn meets(trial: &[(String, Value)], wanted: &[(&str, &Value)]) -> bool {
    wanted.iter().all(|(name, value)| {
        trial.iter().find(|(n, _)| n == name).is_none_or(|(_, v)| same_value(v, value))
    })
}

/// Whether two values are one point of a sweep, as 5 and 5.0 are.
pub fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Integer(whole), Value::Real(real)) | (Value::Real(real), Value::Integer(whole)) => {
            *whole as f64 == *real
        }
        _ => a == b,
    }
}
