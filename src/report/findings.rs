//! Everything that an experiment's records amount to, as values: what files and pages are made of.

use std::collections::BTreeMap;

use base::layout::{CHOICES, CLAIMS, LEAKS, REPORT, TESTS, TIMING};
use base::side_by_side;
use contract::{DatasetId, Metric, PartId};
use document::DocumentErrors;
use run::Record;
use spec::{Comparison, Comparisons, Experiment, MethodSpec, Universe, Whose};

use super::axis::{Scope, Titles, meeting};
use super::cells::{Cells, Selection, status};
use super::choices::{self, Effect, Options};
use super::claims::{self, Claim};
use super::figure::Figure;
use super::leak::Leaks;
use super::page::Page;
use super::published::Published;
use super::screen::Screen;
use super::sheet::latex;
use super::summary::{self, Summary};
use super::table::{self, Table};
use super::universes::Universes;
use super::values::Values;
use super::{Cited, Report, significance, tested};

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
}

/// What stands behind a cell of a table.
pub struct Behind<'a> {
    /// What is shown.
    pub metric: &'static Metric,
    /// Its datasets.
    pub datasets: Vec<&'a DatasetId>,
    /// Its methods.
    pub methods: Vec<&'a MethodSpec>,
    /// Its parts.
    pub parts: Vec<&'a PartId>,
    /// Its trials in the order of repeats, folds and problems, with the points of grids that were not selected.
    pub trials: Vec<&'a Record>,
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
            trials: records.iter().map(status).collect(),
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

    /// Says of tests and claims that rest on a density whose total probability is estimated that they do.
    fn mark_estimates(&mut self) {
        let estimates = table::estimates(self.experiment, self.records);
        if estimates.is_empty() {
            return;
        }
        let says = format!("{} rests on an estimated total probability", table::ESTIMATED);
        let rests = |row: &Comparison| {
            estimates.iter().any(|Record { trial, .. }| {
                self.experiment.test(&row.id).is_some()
                    && (row.left.is_empty() || [&row.left, &row.right].contains(&&trial.method))
                    && (row.dataset.is_empty() || row.dataset == trial.dataset)
            })
        };
        for row in self.comparisons.rows.iter_mut().filter(|row| rests(row)) {
            let before = std::mem::take(&mut row.note);
            row.note = [before, says.clone()]
                .into_iter()
                .filter(|note| !note.is_empty())
                .collect::<Vec<_>>()
                .join("; ");
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

    /// What stands behind a cell of one of its tables, by row and column; none if there is no such cell.
    pub fn behind(&self, table: &Table<'a>, row: usize, column: usize) -> Option<Behind<'a>> {
        let cell = table.cells.get(row)?.get(column)?;
        let selection = self.selection(table, row, column);
        let methods = selection.methods.iter().filter_map(|id| self.experiment.method(id));
        Some(Behind {
            metric: cell.metric,
            methods: methods.collect(),
            trials: self.cells.trials(&selection),
            datasets: selection.datasets,
            parts: selection.parts,
        })
    }

    /// What stands behind a claim: the trials of the datasets and methods that its verdict asks for, by way of its test
    /// too.
    pub fn behind_claim(&self, claim: &Claim<'a>) -> Vec<&'a Record> {
        let Self { experiment, titles, .. } = *self;
        let published = &Published::new(experiment, titles);
        let (cells, whose, part) = (&self.cells, Whose::Ours, None);
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

    fn selection(&self, table: &Table<'a>, row: usize, column: usize) -> Selection<'a> {
        let scope = Scope::of(self.experiment, table.spec);
        meeting(&table.rows[row], &table.columns[column], scope)
    }

    /// The files, and the text for a terminal.
    pub fn report(&self) -> Report {
        let Self { experiment, comparisons, .. } = self;
        let mut files = BTreeMap::new();
        let mut terminal = Screen::default();
        terminal.paragraph(&experiment.title, 0);
        for timing in [false, true] {
            let folder = if timing { TIMING } else { "" };
            let mut add = |path: String, bytes: Option<Vec<u8>>| {
                files.extend(bytes.map(|bytes| (format!("{folder}{path}"), bytes)));
            };
            let page = Page { findings: self, timing };
            for table in page.tables() {
                let (id, sheet) = (&table.spec.id, table::sheet(table));
                add(format!("tables/{id}.csv"), Some(table::csv(table)));
                add(format!("tables/{id}.md"), Some(sheet.markdown().into_bytes()));
                add(
                    format!("tables/{id}.tex"),
                    Some(latex(&sheet, [&experiment.id, id]).into_bytes()),
                );
                terminal.sheet(sheet);
            }
            for figure in page.figures() {
                let svg = figure.svg.as_ref().ok().map(|svg| svg.clone().into_bytes());
                add(format!("figures/{}.svg", figure.spec.id), svg);
                add(format!("figures/{}.csv", figure.spec.id), figure.csv());
            }
            let tests = comparisons.rows.iter().filter(|row| row.metric.is_time() == timing);
            for (file, sheet) in [
                (TESTS, tested::sheet(&tests.collect::<Vec<_>>())),
                (CLAIMS, page.claims(false)),
                (CHOICES, choices::sheet(&page.effects())),
            ] {
                // Of what reads a clock there is a file only where there is something.
                let there = !timing || !sheet.rows.is_empty();
                add(file.to_owned(), there.then(|| sheet.csv()));
            }
            add(LEAKS.to_owned(), page.leaks().map(|leaks| leaks.verdicts().csv()));
            let there = !timing || !page.is_empty();
            add(REPORT.to_owned(), there.then(|| page.markdown().into_bytes()));
        }
        if let Some(leaks) = &self.leaks {
            leaks.terminal(&mut terminal);
        }
        tested::terminal(comparisons, &mut terminal);
        summary::verdicts(&self.claims, &mut terminal);
        if let Some(universes) = &self.universes {
            terminal.sheet(universes.conclusions());
        }
        terminal.blank();
        terminal.paragraph(self.summary.text(), 0);
        let leaking = self.leaks.as_ref().map_or(0, Leaks::leaking);
        Report { files, terminal, summary: self.summary.clone(), leaking }
    }
}
