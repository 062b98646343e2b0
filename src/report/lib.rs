//! The report: tables, tests, claims, choices and figures from the records of trials. It never
//! trains and never reads a clock.

mod axis;
mod cells;
mod choices;
pub mod claims;
mod evidence;
pub mod figure;
mod grid;
mod page;
mod pairs;
mod panels;
mod published;
pub mod significance;
mod sizes;
mod summary;
mod table;
mod tested;
mod values;
mod wrap;

use std::collections::BTreeMap;

use base::layout::{CHOICES, CLAIMS, REPORT, TESTS, TIMING};
use base::side_by_side;
use document::DocumentErrors;
use run::Record;
use spec::{Comparisons, Experiment, Kinds, TableSpec, Whose};

use axis::Titles;
use cells::Cells;
use figure::Figure;
use page::Page;
use published::Published;
use values::Values;

pub use spec::Verdict;
pub use summary::Summary;

/// The kinds of tests, figures and claims that experiment files may name. Each is one file and one line in its list.
pub static KINDS: Kinds =
    Kinds { tests: significance::KINDS, figures: figure::KINDS, claims: claims::KINDS };

/// What an experiment's records amount to.
#[derive(Debug)]
pub struct Report {
    /// Files by their path in the results folder. Those under [`TIMING`] read a clock; all others
    /// have the same bytes for the same records, times aside.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Tables and verdicts for a person at a terminal; no colours. The part over metrics that read
    /// a clock comes last.
    pub terminal: String,
    /// How trials ended and claims were judged.
    pub summary: Summary,
}

/// A dataset, with whom to cite for it.
#[derive(Debug, Clone)]
pub struct Cited {
    /// What people read.
    pub title: String,
    /// Whom to cite.
    pub citation: String,
    /// Licence as stated at the source.
    pub licence: String,
}

/// Checks that no `[[difference]]` names a cell that, by these records, agrees with the paper or is not in its table.
///
/// # Errors
/// The places of all that do. Cells without a value are let pass.
pub fn check_differences(
    experiment: &Experiment,
    records: &[Record],
    titles: Titles,
) -> Result<(), DocumentErrors> {
    let cells = Cells::new(experiment, records);
    let none = Comparisons(Vec::new());
    let with_causes = |table: &&TableSpec| {
        experiment.differences.iter().any(|difference| difference.table == table.id)
    };
    let tables = experiment.tables.iter().filter(with_causes);
    let tables = tables.map(|spec| table::table(experiment, spec, &cells, &none, titles));
    table::check_notes(experiment, &tables.collect::<Vec<_>>())
}

/// Builds the report. `records` are all planned trials, those of choices too, in any order;
/// `titles` gives what people read for a dataset id, `data` are the experiment's datasets.
///
/// # Errors
/// As [`check_differences`].
pub fn build(
    experiment: &Experiment,
    records: &[Record],
    titles: Titles,
    data: &[Cited],
) -> Result<Report, DocumentErrors> {
    let cells = Cells::new(experiment, records);
    let published = Published::new(experiment, titles);
    let on = |whose| Values {
        experiment,
        cells: &cells,
        published: &published,
        whose,
        part: None,
        titles,
    };
    let (ours, papers) = (on(Whose::Ours), on(Whose::Published));
    let comparisons = significance::run(&experiment.tests, &ours, &papers);
    let claims = claims::judge(experiment, ours, papers, &comparisons);
    let effects = choices::effects(experiment, records, &published);
    let tables = side_by_side(experiment.tables.iter().collect(), |spec| {
        table::table(experiment, spec, &cells, &comparisons, titles)
    });
    let figures: Vec<Figure> = side_by_side(experiment.figures.iter().collect(), |spec| {
        Figure::draw(spec, &ours, &experiment.tests)
    });
    table::check_notes(experiment, &tables)?;
    let counts = tables.iter().map(table::Table::counts);
    let summary = Summary::of(records, &claims, counts);

    let mut files = BTreeMap::new();
    let mut terminal = format!("{}\n", experiment.title);
    for timing in [false, true] {
        let folder = if timing { TIMING } else { "" };
        let mut add = |path: String, bytes: Option<Vec<u8>>| {
            files.extend(bytes.map(|bytes| (format!("{folder}{path}"), bytes)));
        };
        let page = Page {
            experiment,
            tables: tables
                .iter()
                .filter(|table| table.is_timing(&experiment.tests) == timing)
                .collect(),
            claims: claims.iter().filter(|claim| claim.timing == timing).collect(),
            comparisons: &comparisons,
            timing,
            figures: figures.iter().filter(|figure| figure.timing == timing).collect(),
            effects: effects.iter().filter(|effect| effect.metric.is_time() == timing).collect(),
            titles,
            data,
        };
        for table in &page.tables {
            let id = &table.spec.id;
            add(format!("tables/{id}.csv"), Some(table::csv(table)));
            add(format!("tables/{id}.md"), Some(table::markdown(table).into_bytes()));
            add(format!("tables/{id}.tex"), Some(table::latex(table, &experiment.id).into_bytes()));
            terminal += &format!("\n{}", table::terminal(table));
        }
        for figure in &page.figures {
            let svg = figure.svg.as_ref().ok().map(|svg| svg.clone().into_bytes());
            add(format!("figures/{}.svg", figure.spec.id), svg);
        }
        add(TESTS.to_owned(), significance::file(&comparisons, timing));
        add(CLAIMS.to_owned(), claims::file(&claims, timing));
        add(CHOICES.to_owned(), choices::file(&effects, timing));
        if !timing {
            let whole = page.whole(&summary, records);
            add(REPORT.to_owned(), Some(whole.into_bytes()));
        } else if !page.is_empty() {
            add(REPORT.to_owned(), Some(page.timing().into_bytes()));
        }
    }
    terminal += &tested::terminal(&comparisons);
    terminal += &summary::verdicts(&claims);
    terminal += &format!("\n{}\n", summary.text());
    Ok(Report { files, terminal, summary })
}
