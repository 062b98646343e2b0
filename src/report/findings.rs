//! Everything that an experiment's records amount to, as values: what files and pages are made of.

use base::side_by_side;
use document::DocumentErrors;
use run::{Record, Status};
use spec::{Comparison, Comparisons, Experiment, Universe, Whose};

use super::axis::{Scope, Titles, meeting};
use super::cells::Cells;
use super::choices::{self, Effect, Options};
use super::claims::{self, Claim};
use super::figure::Figure;
use super::leak::Leaks;
use super::published::Published;
use super::summary::Summary;
use super::table::{self, Table};
use super::universes::Universes;
use super::values::Values;
use super::{Cited, significance};

/// What an experiment's records amount to.
pub struct Findings<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its trials, those of choices too.
    pub records: &'a [Record],
    /// What people read for a dataset.
    pub titles: Titles<'a>,
    /// The datasets.
    pub data: &'a [Cited],
    /// Its tables.
    pub tables: Vec<Table<'a>>,
    /// What its tests found.
    pub comparisons: Comparisons,
    /// Its claims, judged.
    pub claims: Vec<Claim<'a>>,
    /// What options of choices change.
    pub effects: Vec<Effect<'a>>,
    /// Its figures.
    pub figures: Vec<Figure<'a>>,
    /// The verdicts, if it is a leak check.
    pub leaks: Option<Leaks<'a>>,
    /// What claims come to in universes of choices, if any run.
    pub universes: Option<Universes<'a>>,
    /// How trials ended, claims were judged and cells agree.
    pub summary: Summary,
    cells: Cells<'a>,
    published: Published<'a>,
}

impl<'a> Findings<'a> {
    /// Of these records: all planned trials, those of choices too, in any order.
    ///
    /// # Errors
    /// As [`check_differences`](super::check_differences).
    pub fn new(
        experiment: &'a Experiment,
        records: &'a [Record],
        titles: Titles<'a>,
        data: &'a [Cited],
    ) -> Result<Self, DocumentErrors> {
        let cells = Cells::new(experiment, records);
        let published = Published::new(experiment, titles);
        let (whose, part) = (Whose::Ours, None);
        let ours = Values { experiment, cells: &cells, published: &published, whose, part, titles };
        let papers = Values { whose: Whose::Published, ..ours };
        let comparisons = significance::run(&experiment.tests, &ours, &papers);
        let claims = claims::judge(experiment, ours, papers, &comparisons);
        let options = Options::new(experiment, records);
        let effects = choices::effects(&options, &published);
        let tables = side_by_side(experiment.tables.iter().collect(), |spec| {
            table::table(experiment, spec, &cells, (&options, &comparisons), titles)
        });
        let own = experiment.figures.iter().filter(|spec| spec.plot.of_universes().is_none());
        let figures: Vec<Figure> =
            side_by_side(own.collect(), |spec| Figure::draw(spec, &ours, &experiment.tests));
        table::check_notes(experiment, &tables)?;
        let cells_of = tables.iter().flat_map(|table| table.cells.iter().flatten());
        let summary = Summary {
            trials: records.iter().map(Record::status).collect(),
            claims: claims.iter().map(|claim| claim.ours.verdict).collect(),
            cells: cells_of.filter_map(|cell| cell.agreement).collect(),
        };
        let mut findings = Self {
            experiment,
            records,
            titles,
            data,
            tables,
            comparisons,
            claims,
            effects,
            figures,
            leaks: Leaks::of(experiment, records),
            universes: None,
            summary,
            cells,
            published,
        };
        findings.mark_estimates();
        Ok(findings)
    }

    /// The same with what claims come to in these universes, the chosen one first, by these trials beside.
    #[must_use]
    pub fn in_universes(self, rows: &'a [Universe], beside: &'a [Record]) -> Self {
        let records = self.records.iter().chain(beside);
        let all = || Universes::new(self.experiment, rows, records, self.titles);
        Self { universes: (!rows.is_empty()).then(all), ..self }
    }

    /// The tables that ask for values of which there is not one.
    pub(crate) fn valueless(&self) -> Vec<String> {
        let valueless = |table: &&Table<'a>| {
            let cells = table.cells.iter().flatten().map(|cell| cell.ours.status);
            let mut ours = cells.filter(|status| *status != Status::PublishedOnly).peekable();
            ours.peek().is_some() && ours.all(|status| status == Status::NotApplicable)
        };
        self.tables.iter().filter(valueless).map(|table| table.spec.id.to_string()).collect()
    }

    /// Says of tests and claims that rest on a density whose total probability is estimated that they do.
    fn mark_estimates(&mut self) {
        let estimates = table::estimates(self.experiment, self.records);
        if estimates.is_empty() {
            return;
        }
        let says = format!("{} rests on an estimated total probability", table::ESTIMATED);
        let rests = |row: &Comparison| {
            estimates.iter().any(|Record { trial, .. }| {
                row.whose == Whose::Ours
                    && (row.left.is_empty() || [&row.left, &row.right].contains(&&trial.method))
                    && (row.dataset.is_empty() || row.dataset == trial.dataset)
            })
        };
        for row in self.comparisons.rows.iter_mut().filter(|row| rests(row)) {
            row.noting(&says);
        }
        let rests = |claim: &Claim<'a>| {
            let behind = self.behind_claim(claim);
            behind.iter().any(|record| estimates.iter().any(|one| std::ptr::eq(*one, *record)))
        };
        let resting: Vec<bool> = self.claims.iter().map(rests).collect();
        for (claim, _) in self.claims.iter_mut().zip(resting).filter(|(_, rests)| *rests) {
            claim.ours.evidence.push(says.clone().into());
        }
    }

    /// The trials behind a cell of one of its tables, by row and column, in the order of repeats, folds and problems, with the
    /// points of grids that were not selected.
    pub fn behind(&self, table: &Table<'a>, row: usize, column: usize) -> Vec<&'a Record> {
        let scope = Scope::of(self.experiment, table.spec);
        self.cells.trials(&meeting(&table.rows[row], &table.columns[column], scope))
    }

    /// What stands behind a claim: the trials of the datasets and methods that its verdict asks for, by way of its test
    /// too.
    pub fn behind_claim(&self, claim: &Claim<'a>) -> Vec<&'a Record> {
        let Self { experiment, titles, ref cells, ref published, .. } = *self;
        let (whose, part) = (Whose::Ours, None);
        let values = Values { experiment, cells, published, whose, part, titles };
        let asked = values.asked_by(claim.spec, &self.comparisons);
        let behind = |record: &&Record| {
            let trial = &record.trial;
            trial.choice.is_empty()
                && claim.spec.part.as_ref().is_none_or(|part| *part == trial.part)
                && asked.contains(&(trial.dataset.clone(), trial.method.clone()))
        };
        self.records.iter().filter(behind).collect()
    }
}
