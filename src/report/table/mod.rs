//! Tables: our values beside the published ones, laid out as in the paper.

mod agreement;
mod causes;
mod evidence;
mod orderings;
mod placed;
mod programs;
mod sheet;

use contract::{DatasetId, Direction, MethodId, Metric};
use data::split::SplitPlan;
use document::Spanned;
use run::Status;
use spec::{
    Best, Bold, Comparison, Comparisons, Experiment, Part, Procedure, PublishedFile, SdOver,
    TableSpec, Whose, Why,
};

use super::axis::{self, Header, Scope, Titles};
use super::cells::{Cell, Cells, Noise, Selection};
use super::choices::Options;
use super::counts::Counts;
use super::published;
use math::decimal::significant;
use spec::number::Rounding;

pub(crate) use agreement::within as near;
pub use agreement::{Agreement, Moved};
pub use causes::Noted;
pub(crate) use causes::check_notes;
use evidence::Evidence;
pub use orderings::{Orderings, Pair};
pub(crate) use placed::csv;
pub use placed::{Placed, cells};
pub use programs::marked;
pub(crate) use programs::{ESTIMATED, estimates};
pub use sheet::{deviation, sheet};

/// A table with its values.
pub struct Table<'a> {
    /// Its layout.
    pub spec: &'a TableSpec,
    /// Row headers.
    pub rows: Vec<Header<'a>>,
    /// Column headers.
    pub columns: Vec<Header<'a>>,
    /// Cells by row and column.
    pub cells: Vec<Vec<TableCell>>,
    /// What people read for the method that marks what is worse.
    pub worse_than: Option<&'a str>,
    /// What people read for the methods that the test behind bold does not compare.
    pub untested: Vec<&'a str>,
    /// Why values depend on each other that the test behind bold takes for independent.
    pub ignored: Option<&'static str>,
    /// Why cells differ from the paper's, in the order of the cells: by row, then column.
    pub notes: Vec<Noted<'a>>,
    /// What else is to be said of its trials.
    pub remarks: Vec<String>,
    /// The file of published values, if none of them is of one of the cells.
    pub unmatched: Option<&'a PublishedFile>,
}

/// One cell of a table.
#[derive(Debug, Clone)]
pub struct TableCell {
    /// What is shown.
    pub metric: &'static Metric,
    /// Our value in the table's unit (scaled), or why there is none.
    pub ours: Cell,
    /// The published value and its standard deviation, as printed.
    pub published: Option<(f64, Option<f64>)>,
    /// Why some of its trials have no value, where they say so.
    pub lacks: Option<String>,
    /// What is wrong with the fits behind a value that is better or worse than others, if something is.
    pub flaws: Option<String>,
    /// One unit of the last digit of the published value.
    pub unit: f64,
    /// What ours owes to seeds, draws or divisions, in the table's unit; only beside a published value.
    pub noise: Option<Noise>,
    /// How ours stands to the published value; none where one of them is missing.
    pub agreement: Option<Agreement>,
    /// What becomes of ours by what the file says moves it.
    pub moved: Option<Moved>,
    /// Which of the table's notes is on it.
    pub note: Option<usize>,
    /// Whether it is the best of its row (or column), at the table's rounding; a published-only
    /// method competes with its published value.
    pub best: bool,
    /// Whether another one of its line is better, by the table's test; by the paper's procedure, whether it differs from the
    /// best, none for the best itself. None where no test says anything of it.
    pub significant: Option<bool>,
    /// Whether our value, and the published one, is worse than that of the method that marks what is
    /// worse, at the table's rounding.
    pub worse: [bool; 2],
}

impl TableCell {
    /// The value that competes for the best.
    pub(crate) fn competing(&self) -> Option<f64> {
        match self.ours.status == Status::PublishedOnly {
            true => self.published.map(|(value, _)| value),
            false => self.ours.value,
        }
    }

    /// Whether it is set in bold: what the test does not leave out; where none says anything of it, the best.
    pub fn bold(&self) -> bool {
        self.significant.map_or(self.best, |left_out| !left_out)
    }

    /// Marks what is worse than `bound`.
    fn mark_worse(&mut self, bound: f64, rounding: Rounding) {
        let worse = |value: f64| {
            !rounding.tied(value, bound)
                && match self.metric.direction {
                    Direction::Lower => value > bound,
                    Direction::Higher => value < bound,
                    Direction::Neutral => false,
                }
        };
        let published = self.published.map(|(value, _)| value);
        self.worse = [self.ours.value, published].map(|value| value.is_some_and(worse));
    }

    /// Whether the published value lies where another run by our procedure would with a probability of 95%, give or take
    /// its rounding; none where nothing varies.
    pub fn predicted(&self) -> Option<bool> {
        let distance = (self.ours.value? - self.published?.0).abs();
        Some(agreement::within(distance, self.unit / 2.0 + self.noise?.prediction))
    }

    /// Our value minus the published one, to twelve digits.
    pub fn difference(&self) -> Option<f64> {
        Some(significant(self.ours.value? - self.published?.0, 12))
    }
}

/// Fills in a table.
pub(crate) fn table<'a>(
    experiment: &'a Experiment,
    spec: &'a TableSpec,
    cells: &Cells<'a>,
    (options, comparisons): (&Options<'a>, &Comparisons),
    titles: Titles,
) -> Table<'a> {
    let scope = Scope::of(experiment, spec);
    let rows = axis::headers(spec.rows.iter().map(|axis| &axis.value), scope, titles);
    let columns = axis::headers(spec.columns.iter().map(|axis| &axis.value), scope, titles);
    let file = published::file(experiment, spec.published.as_deref());
    let evidence = Evidence::of(experiment, spec, options);
    let filling = Filling { experiment, spec, cells, scope, file, evidence };
    let line = |row| columns.iter().filter_map(|column| filling.cell(row, column)).collect();
    let filled: Vec<Vec<TableCell>> = rows.iter().map(line).collect();
    let quoted = filled.iter().flatten().any(|cell| cell.published.is_some());
    let unmatched = file.filter(|file| !quoted && !file.values.is_empty());
    let worse_than = spec.worse_than.as_ref().map(|id| axis::method_label(experiment, id));
    let test = spec.bold.as_ref().and_then(|bold| experiment.test(&bold.test));
    let untested = test.map_or_else(Vec::new, |test| {
        let absent = spec.methods.iter().filter(|id| !test.methods.contains(id));
        absent.map(|id| axis::method_label(experiment, id)).collect()
    });
    let ignored = test.and_then(|test| {
        let mut rows = comparisons.rows.iter().filter(|row| row.is_ours_of(&test.id));
        rows.find_map(|row| row.ignored)
    });
    let mut remarks = programs::notes(experiment, spec, cells, titles);
    for part in experiment.parts.iter().filter(|part| spec.parts.contains(&part.id)) {
        let of_dataset =
            |id: &&DatasetId| Some(format!("{}: {}", titles(id), cells.coinciding(id, part)?));
        remarks.extend(spec.datasets.iter().filter_map(|id| of_dataset(&id)));
    }
    let (cells, notes) = (filled, Vec::new());
    let mut table = Table {
        spec,
        rows,
        columns,
        cells,
        worse_than,
        untested,
        ignored,
        notes,
        remarks,
        unmatched,
    };
    table.mark_best(comparisons);
    table.mark_agreement(experiment);
    table
}

/// What the cells of a table are filled in from.
struct Filling<'c, 'a> {
    experiment: &'a Experiment,
    spec: &'a TableSpec,
    cells: &'c Cells<'a>,
    scope: Scope<'a>,
    file: Option<&'a PublishedFile>,
    evidence: Evidence<'a>,
}

impl<'a> Filling<'_, 'a> {
    /// The cell where a row and a column meet; none where neither says what is measured.
    fn cell(&self, row: &Header<'a>, column: &Header<'a>) -> Option<TableCell> {
        let Self { experiment, spec, cells, .. } = *self;
        let metric = row.metric.or(column.metric).or(spec.metrics().first().copied())?;
        let look_up = |file| published::look_up(file, &row.id, &column.id, metric);
        let found = self.file.and_then(look_up);
        let selection = axis::meeting(row, column, self.scope);
        let mut ours = cells.cell(&selection, metric, spec.sd);
        ours.value = ours.value.map(|value| value * spec.scale);
        let constant =
            spec.sd == SdOver::Repeat && ours.sd == Some(0.0) && same_data(experiment, &selection);
        ours.sd = ours.sd.filter(|_| !constant).map(|sd| sd * spec.scale);
        if found.is_some() && ours.status == Status::NotApplicable {
            ours.status = Status::PublishedOnly;
        }
        let place = (row.id.as_str(), column.id.as_str());
        let moved = |(ours, _)| self.evidence.moved(place, ours, (&selection, metric));
        let noise = found.and_then(|_| cells.noise(&selection, metric));
        let flawed = ours.value.is_some() && metric.direction != Direction::Neutral;
        let mut cell = TableCell {
            metric,
            moved: ours.value.zip(found).and_then(moved),
            published: found.map(|found| (found.value, found.sd)),
            unit: found.map_or(0.0, |found| found.unit),
            noise: noise.map(|noise| noise.scaled(spec.scale)),
            lacks: cells.lacks(&selection, metric).map(str::to_owned),
            flaws: if flawed { cells.flaws(&selection) } else { None },
            ours,
            agreement: None,
            note: None,
            best: false,
            significant: None,
            worse: [false; 2],
        };
        let bound = spec.worse_than.as_ref().and_then(|method| {
            let place = selection.of_method(experiment, method);
            cells.cell(&place, metric, spec.sd).value
        });
        if let Some(bound) = bound {
            let rounding = Rounding { digits: spec.digits, scale: 1.0, printed: false };
            cell.mark_worse(bound * spec.scale, rounding);
        }
        Some(cell)
    }
}

/// Whether all repeats are of the same examples: of a method without randomness they are one value.
fn same_data(experiment: &Experiment, selection: &Selection) -> bool {
    let drawn = |part: &Part| part.split != SplitPlan::Published || part.draws();
    !experiment.parts.iter().any(|part| {
        selection.parts.contains(&&part.id)
            && part.datasets.iter().any(|id| selection.datasets.contains(&id))
            && drawn(part)
    })
}

impl<'a> Table<'a> {
    /// Whether some metric reads a clock.
    pub fn is_timing(&self, comparisons: &[spec::TestSpec]) -> bool {
        let by_clock = |bold: &Spanned<Bold>| {
            comparisons.iter().any(|test| test.id == *bold.test && test.metric.is_time())
        };
        self.spec.metrics().iter().any(|metric| metric.is_time())
            || self.spec.bold.as_ref().is_some_and(by_clock)
    }

    /// The positions of the cells that compete with each other.
    pub(crate) fn lines(&self) -> Vec<Vec<(usize, usize)>> {
        let (rows, columns) = (0..self.rows.len(), 0..self.columns.len());
        if self.spec.best_along == spec::Along::Column {
            columns.map(|column| rows.clone().map(|row| (row, column)).collect()).collect()
        } else {
            rows.map(|row| columns.clone().map(|column| (row, column)).collect()).collect()
        }
    }

    /// How many cells stand how to the paper's.
    pub fn counts(&self) -> Counts<Agreement> {
        self.cells.iter().flatten().filter_map(|cell| cell.agreement).collect()
    }

    /// How the orderings come out that the paper's numbers show among the cells that compete with each other.
    pub fn orderings(&self) -> Orderings {
        let pair = |cell: &TableCell| {
            let noise = cell.noise.map(|noise| noise.interval);
            Some(Pair { ours: cell.ours.value?, noise, paper: cell.published?.0, unit: cell.unit })
        };
        let of_metric = |line: &[(usize, usize)], metric: &Metric| {
            let cells = line.iter().filter_map(|&(row, column)| self.cells[row].get(column));
            let cells = cells.filter(|cell| cell.metric.name == metric.name);
            Orderings::of(&cells.filter_map(pair).collect::<Vec<Pair>>())
        };
        let metrics = self.spec.metrics();
        let lines = self.lines();
        lines.iter().flat_map(|line| metrics.iter().map(|metric| of_metric(line, metric))).sum()
    }

    /// The cells that differ, of which the file says neither why nor what was tried: row and column labels.
    pub fn silent(&self) -> Vec<[&str; 2]> {
        let differs = [Some(Agreement::Unexplained), Some(Agreement::NoNoiseKnown)];
        let silent = |cell: &TableCell| cell.note.is_none() && differs.contains(&cell.agreement);
        self.placed().filter(|at| silent(at.cell())).map(Placed::labels).collect()
    }

    fn mark_agreement(&mut self, experiment: &'a Experiment) {
        for row in 0..self.rows.len() {
            for column in 0..self.cells[row].len() {
                let (id, ids) = (&self.spec.id, (&*self.rows[row].id, &*self.columns[column].id));
                let difference =
                    experiment.differences.iter().find(|one| one.names(id, ids.0, ids.1));
                let cell = &self.cells[row][column];
                let (Some(ours), Some((paper, _))) = (cell.ours.value, cell.published) else {
                    continue;
                };
                let (unit, noise) = (cell.unit, cell.noise.map(|noise| noise.interval));
                let caused = difference.is_some_and(|one| matches!(one.why, Why::Cause(_)));
                let (noted, moved) = (difference.is_some(), cell.moved.filter(|_| caused));
                let found = agreement::agreement((ours, paper), unit, noise, noted, moved);
                let share = cell.moved.map(|moved| moved.share(paper));
                let agrees = matches!(found, Agreement::Rounding | Agreement::Noise);
                let note =
                    difference.filter(|_| !agrees).map(|one| self.noted(one, (found, share)));
                let cell = &mut self.cells[row][column];
                (cell.note, cell.agreement) = (note, Some(found));
            }
        }
    }

    fn mark_best(&mut self, comparisons: &Comparisons) {
        if self.spec.best == Best::None {
            return;
        }
        for line in self.lines() {
            for metric in self.spec.metrics().iter().map(|metric| metric.name) {
                let line: Vec<(usize, usize, f64)> = line
                    .iter()
                    .filter_map(|&(row, column)| {
                        let cell = self.cells.get(row)?.get(column)?;
                        (cell.metric.name == metric)
                            .then(|| cell.competing().map(|value| (row, column, value)))?
                    })
                    .collect();
                self.mark_best_of(&line, comparisons);
            }
        }
    }

    fn mark_best_of(&mut self, line: &[(usize, usize, f64)], comparisons: &Comparisons) {
        let better = |a: f64, b: f64| if self.spec.best == Best::Min { a < b } else { a > b };
        let Some(&first) = line.first() else { return };
        if line.len() < 2 {
            return;
        }
        let top =
            line.iter().fold(first, |top, &cell| if better(cell.2, top.2) { cell } else { top });
        for &(row, column, value) in line {
            let rounding = self.rounding(self.cells[row][column].metric);
            let best = rounding.tied(value, top.2);
            let significant = self.spec.bold.as_ref().and_then(|bold| match bold.procedure {
                Procedure::Paper if best => None,
                Procedure::Paper => {
                    let found = self.comparison((row, column), (top.0, top.1), comparisons)?;
                    found.differs(*bold.alpha).ok()
                }
                Procedure::Ours => self.left_out((row, column), line, comparisons),
            });
            let cell = &mut self.cells[row][column];
            (cell.best, cell.significant) = (best, significant);
        }
    }

    /// Whether another cell of the line is better than this one by the table's test, one-sided at alpha / (cells - 1); none
    /// if the test says nothing of them. So the best one is left out with a probability of at most alpha (Bonferroni).
    fn left_out(
        &self,
        cell: (usize, usize),
        line: &[(usize, usize, f64)],
        comparisons: &Comparisons,
    ) -> Option<bool> {
        let alpha = *self.spec.bold.as_ref()?.alpha / (line.len() - 1) as f64;
        let others = line.iter().map(|&(row, column, _)| (row, column));
        let compared = others.filter(|other| *other != cell).filter_map(|other| {
            Some((self.method(other)?, self.comparison(cell, other, comparisons)?))
        });
        let beaten =
            compared.map(|(other, found)| found.one_sided(other).is_ok_and(|[p, _]| p <= alpha));
        beaten.reduce(|one, other| one || other)
    }

    /// The method of a cell, if an axis sets it.
    pub fn method(&self, (row, column): (usize, usize)) -> Option<&'a MethodId> {
        self.columns[column].method.or(self.rows[row].method)
    }

    /// The dataset of a cell, if an axis sets it.
    pub(crate) fn dataset(&self, (row, column): (usize, usize)) -> Option<&'a DatasetId> {
        self.rows[row].dataset.or(self.columns[column].dataset)
    }

    /// What the table's test found of two cells.
    fn comparison<'c>(
        &self,
        cell: (usize, usize),
        other: (usize, usize),
        comparisons: &'c Comparisons,
    ) -> Option<&'c Comparison> {
        let test = &self.spec.bold.as_ref()?.test;
        let (left, right) = (self.method(cell)?, self.method(other)?);
        comparisons.on(test, Whose::Ours, left, right, self.dataset(cell)).ok()
    }

    /// How numbers of a metric are printed: scaled already, and without decimals if all of a
    /// descriptive metric's values are whole.
    pub fn rounding(&self, metric: &Metric) -> Rounding {
        let whole = metric.direction == Direction::Neutral
            && self.cells.iter().flatten().filter(|cell| cell.metric.name == metric.name).all(
                |cell| {
                    let published = cell.published.map(|(value, _)| value);
                    cell.ours.sd.is_none()
                        && [cell.ours.value, published].iter().flatten().all(|v| v.fract() == 0.0)
                },
            );
        Rounding { digits: if whole { 0 } else { self.spec.digits }, scale: 1.0, printed: false }
    }
}
