//! `report.md`: what a person opens first.

use base::layout::EXTERNAL;
use contract::Assignment;
use run::Record;
use spec::{Comparisons, Experiment};

use super::choices::Effect;
use super::claims::{self, Claim};
use super::figure::Figure;
use super::leak::Leaks;
use super::sheet::{Cell, Number, Sheet, escaped};
use super::table::{self, Table};
use super::{Cited, Summary, sheets, tested};

/// What the page shows, all of it deterministic or all of it read from a clock.
pub struct Page<'a, 'p> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its tables.
    pub tables: Vec<&'p Table<'a>>,
    /// Its claims.
    pub claims: Vec<&'p Claim<'a>>,
    /// What its tests found.
    pub comparisons: &'p Comparisons,
    /// Whether the page is the one over metrics that read a clock.
    pub timing: bool,
    /// Its figures.
    pub figures: Vec<&'p Figure<'a>>,
    /// What options change.
    pub effects: Vec<&'p Effect<'a>>,
    /// The verdicts, if it is a leak check.
    pub leaks: Option<&'p Leaks<'a>>,
    /// Titles of datasets.
    pub titles: super::axis::Titles<'p>,
    /// The datasets.
    pub data: &'p [Cited],
}

impl Page<'_, '_> {
    /// The page, with the state of the trials after the title, and the trials that failed.
    pub fn whole(&self, summary: &Summary, records: &[Record]) -> String {
        let experiment = self.experiment;
        let mut text = format!("# {}\n\n", escaped(&experiment.title));
        text += &format!("Experiment `{}`", experiment.id);
        text += &format!(", seed {}. {}.\n", experiment.seed, capitalised(&summary.trials_text()));
        text += &self.external();
        if let Some(paper) = &experiment.paper {
            text += &format!("\nPaper: {}", escaped(&paper.citation));
            text += &paper.link.as_ref().map_or(String::new(), |link| format!(" <{link}>"));
            text.push('\n');
        }
        text += &self.body();
        text += &self.data();
        match sheets::without_value(records) {
            failed if failed.rows.is_empty() => text,
            failed => text + &format!("\n## {}\n\n{}", failed.title, failed.markdown()),
        }
    }

    /// Which methods promise less than their bits, and where their values stand.
    fn external(&self) -> String {
        let apart = self.experiment.methods.iter().filter(|method| !method.is_exact());
        let apart: Vec<String> = apart.map(|method| format!("`{}`", method.id)).collect();
        if apart.is_empty() {
            return String::new();
        }
        format!(
            "\nOf {}, another run gives other bits. Their values, and all that depends on them, stand in `{EXTERNAL}` \
             and are not under the digest; the files beside that folder hold what comes out again bit for bit.\n",
            apart.join(", ")
        )
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.claims.is_empty() && self.figures.is_empty()
    }

    /// The page over metrics that read a clock.
    pub fn timing(&self) -> String {
        format!(
            "# {}: times\n\nMeasured on one machine at one time; another run gives other \
             numbers.\n{}",
            escaped(&self.experiment.title),
            self.body()
        )
    }

    fn body(&self) -> String {
        let mut text = self.leaks.map_or_else(String::new, Leaks::markdown);
        for table in &self.tables {
            let sheet = table::sheet(table);
            text += &format!("\n## {}\n\n{}", escaped(&sheet.title), sheet.markdown());
        }
        text += &tested::markdown(self.comparisons, self.timing);
        text += &self.claims();
        for figure in &self.figures {
            let title = escaped(&figure.spec.title);
            text += &format!("\n## {title}\n\n");
            text += &match &figure.svg {
                Ok(_) => format!("![{title}](figures/{}.svg)\n", figure.spec.id),
                Err(why) => format!("Not drawn: {}.\n", escaped(&why.to_string())),
            };
            for sheet in figure.numbers.iter().map(sheets::numbers) {
                text += &format!("\n{}\n\n{}", escaped(&sheet.title), sheet.markdown());
            }
        }
        text + &self.choices()
    }

    /// Whom to cite for the data.
    fn data(&self) -> String {
        match sheets::data(self.data) {
            data if data.rows.is_empty() => String::new(),
            data => format!("\n## {}\n\n{}", data.title, data.markdown()),
        }
    }

    fn claims(&self) -> String {
        if self.claims.is_empty() {
            return String::new();
        }
        let claims = claims::sheet(&self.claims, self.experiment.paper.is_some());
        format!("\n## {}\n\n{}", claims.title, claims.markdown())
    }

    fn choices(&self) -> String {
        let mut text = String::new();
        for choice in &self.experiment.choices {
            let effects: Vec<&&Effect> = self
                .effects
                .iter()
                .filter(|effect| effect.assignment.sets(&choice.id))
                .filter(|effect| effect.is_shown(self.experiment))
                .collect();
            if effects.is_empty() {
                continue;
            }
            text += &format!(
                "\n## Choice `{}`\n\n{} `{}`: {}\n\n",
                choice.id,
                escaped(&choice.question),
                choice.chosen,
                escaped(&choice.why)
            );
            text += &self.effects(&effects).markdown();
        }
        text
    }

    /// A row a dataset, method, sweep point and metric; a column an option.
    fn effects(&self, effects: &[&&Effect]) -> Sheet {
        let mut options: Vec<(&Assignment, bool)> = Vec::new();
        let mut rows: Vec<([String; 3], Vec<&Effect>)> = Vec::new();
        for effect in effects {
            if !options.iter().any(|(option, _)| *option == &effect.assignment) {
                options.push((&effect.assignment, effect.chosen));
            }
            let name = self.row_name(effect);
            match rows.iter_mut().find(|(other, _)| *other == name) {
                Some((_, row)) => row.push(effect),
                None => rows.push((name, vec![effect])),
            }
        }
        type Row<'r, 'e> = &'r ([String; 3], Vec<&'e Effect<'e>>);
        let mut sheet = Sheet::of("", &rows)
            .shown("Data set", |(name, _): Row| &*name[0])
            .shown("Method", |(name, _)| &*name[1])
            .shown("Metric", |(name, _)| &*name[2]);
        for (option, chosen) in options {
            let label = option.options() + if chosen { " (chosen)" } else { "" };
            sheet = sheet.number("", &label, |(_, row)| {
                let effect = row.iter().find(|effect| effect.assignment == *option);
                effect.map(|effect| self.value(effect))
            });
        }
        let varies = effects.iter().any(|effect| effect.cell.sd.is_some());
        let note = varies.then(|| "±: standard deviation over repeats".to_owned());
        sheet.number("", "paper", |(_, row)| self.published(row[0])).notes(note).sheet()
    }

    fn value(&self, effect: &Effect) -> Cell {
        let rounding = self.experiment.rounding(effect.metric);
        let Some(value) = effect.cell.value else { return Cell::Absent(effect.cell.status.word()) };
        let (text, sd) = (rounding.text(value), effect.cell.sd.map(|sd| rounding.text(sd)));
        Cell::Number(Number { value, text, sd, ..Number::default() })
    }

    fn published(&self, effect: &Effect) -> Option<String> {
        Some(self.experiment.rounding(effect.metric).text(effect.published?))
    }

    fn row_name(&self, effect: &Effect) -> [String; 3] {
        let dataset = match effect.part.as_str() {
            "" => (self.titles)(effect.dataset),
            part => format!("{}, {part}", (self.titles)(effect.dataset)),
        };
        let method = match effect.sweep.as_str() {
            "" => effect.method.to_string(),
            sweep => format!("{} {sweep}", effect.method),
        };
        [dataset, method, effect.metric.label.to_owned()]
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
