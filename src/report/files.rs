//! The files of findings, and the text for a terminal.

use std::collections::BTreeMap;

use base::layout::{CHOICES, CLAIMS, LEAKS, REPORT, TESTS, TIMING};

use super::page::Page;
use super::screen::Screen;
use super::sheet::latex;
use super::{Findings, Report, choices, summary, table, tested};
use crate::leak::Leaks;

impl Findings<'_> {
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
                let tex = latex(&sheet, [&experiment.id, id]);
                add(format!("tables/{id}.tex"), Some(tex.into_bytes()));
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
        let [leaking, suspicious] = self.leaks.as_ref().map_or([0, 0], Leaks::leaking);
        let valueless = self.valueless();
        Report { files, terminal, summary: self.summary.clone(), leaking, suspicious, valueless }
    }
}
