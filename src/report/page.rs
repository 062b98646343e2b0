//! `report.md`: what a person opens first.

use base::layout::EXTERNAL;
use itertools::Itertools as _;
use spec::{Choice, Part};

use super::choices::Effect;
use super::figure::Figure;
use super::leak::Leaks;
use super::sheet::{Cell, Number, Sheet, escaped, gathered};
use super::table::{self, Table};
use super::{Findings, claims, sheets, tested};

/// What a page shows of findings: all that is deterministic, or all that is read from a clock.
pub struct Page<'p, 'a> {
    /// Of what.
    pub findings: &'p Findings<'a>,
    /// Whether the page is the one over metrics that read a clock.
    pub timing: bool,
}

impl<'p, 'a> Page<'p, 'a> {
    /// Its tables.
    pub fn tables(&self) -> impl Iterator<Item = &'p Table<'a>> {
        let (timing, tests) = (self.timing, &self.findings.experiment.tests);
        self.findings.tables.iter().filter(move |table| table.is_timing(tests) == timing)
    }

    /// Its figures.
    pub fn figures(&self) -> impl Iterator<Item = &'p Figure<'a>> {
        let timing = self.timing;
        self.findings.figures.iter().filter(move |figure| figure.timing == timing)
    }

    /// Its claims, for people and for programs; what the paper's numbers say of them, if there is a paper.
    pub fn claims(&self, of_paper: bool) -> Sheet {
        let own = self.findings.claims.iter().filter(|claim| claim.timing == self.timing);
        claims::sheet(&own.collect::<Vec<_>>(), of_paper)
    }

    /// What options change.
    pub fn effects(&self) -> Vec<&'p Effect<'a>> {
        let own = |effect: &&Effect| effect.metric.is_time() == self.timing;
        self.findings.effects.iter().filter(own).collect()
    }

    /// The verdicts, if it is a leak check.
    pub fn leaks(&self) -> Option<&'p Leaks<'a>> {
        self.findings.leaks.as_ref().filter(|_| !self.timing)
    }

    /// The page; of what is deterministic with the state of the trials, and those that failed.
    pub fn markdown(&self) -> String {
        let Findings { experiment, summary, records, data, .. } = self.findings;
        let title = escaped(&experiment.title);
        if self.timing {
            let measured = "Measured on one machine at one time; another run gives other numbers.";
            return format!("# {title}: times\n\n{measured}\n{}", self.body());
        }
        let mut text = format!("# {title}\n\n");
        text += &format!("Experiment `{}`", experiment.id);
        text += &format!(", seed {}. {}.\n", experiment.seed, summary.trials_text());
        text += &self.external();
        if let Some(paper) = &experiment.paper {
            text += &format!("\nPaper: {}", escaped(&paper.citation));
            text += &paper.link.as_ref().map_or(String::new(), |link| format!(" <{link}>"));
            text.push('\n');
        }
        text + &self.body()
            + &section(&sheets::data(data))
            + &section(&sheets::without_value(records))
    }

    /// Which methods promise less than their bits, and where their values stand.
    fn external(&self) -> String {
        let apart = self.findings.experiment.methods.iter().filter(|method| !method.is_exact());
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
        self.tables().next().is_none()
            && self.claims(false).rows.is_empty()
            && self.figures().next().is_none()
    }

    fn body(&self) -> String {
        let Findings { experiment, comparisons, .. } = self.findings;
        let mut text = self.leaks().map_or_else(String::new, Leaks::markdown);
        text.extend(self.tables().map(|table| section(&table::sheet(table))));
        text += &tested::markdown(comparisons, self.timing);
        text += &section(&self.claims(experiment.paper.is_some()));
        for figure in self.figures() {
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

    fn choices(&self) -> String {
        let (mut text, experiment) = (String::new(), self.findings.experiment);
        for choice in &experiment.choices {
            let mut effects = self.effects();
            effects.retain(|one| one.assignment.sets(&choice.id) && one.is_shown(experiment));
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
            text += &self.compared(choice, &effects).markdown();
        }
        text
    }

    /// A row a dataset, method, sweep point and metric; a column an option.
    fn compared(&self, choice: &Choice, effects: &[&Effect]) -> Sheet {
        let options = effects.iter().map(|effect| (&effect.assignment, effect.chosen));
        let options = options.unique_by(|(option, _)| *option);
        let rows = gathered(effects.iter().map(|effect| (self.row_name(effect), *effect)));
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
        let deviation = varies.then(|| "±: standard deviation over repeats".to_owned());
        let all = self.findings.experiment.parts.iter().map(Part::all_repeats).max().unwrap_or(1);
        let first = match choice.repeats {
            1 => "the first".to_owned(),
            some => format!("the first {some}"),
        };
        let few = choice.repeats < all;
        let few = few.then(|| format!("over {first} of {all} repeats, all options alike"));
        let notes = few.into_iter().chain(deviation);
        sheet.number("", "paper", |(_, row)| self.published(row[0])).notes(notes).sheet()
    }

    fn value(&self, effect: &Effect) -> Cell {
        let rounding = self.findings.experiment.rounding(effect.metric);
        let Some(value) = effect.cell.value else { return Cell::Absent(effect.cell.status.word()) };
        let (text, sd) = (rounding.text(value), effect.cell.sd.map(|sd| rounding.text(sd)));
        Cell::Number(Number { value, text, sd, ..Number::default() })
    }

    fn published(&self, effect: &Effect) -> Option<String> {
        Some(self.findings.experiment.rounding(effect.metric).text(effect.published?))
    }

    fn row_name(&self, effect: &Effect) -> [String; 3] {
        let dataset = match effect.part.as_str() {
            "" => (self.findings.titles)(effect.dataset),
            part => format!("{}, {part}", (self.findings.titles)(effect.dataset)),
        };
        let method = match effect.sweep.as_str() {
            "" => effect.method.to_string(),
            sweep => format!("{} {sweep}", effect.method),
        };
        [dataset, method, effect.metric.label.to_owned()]
    }
}

/// A section of one sheet, if it has rows.
fn section(sheet: &Sheet) -> String {
    if sheet.rows.is_empty() {
        return String::new();
    }
    format!("\n## {}\n\n{}", escaped(&sheet.title), sheet.markdown())
}
