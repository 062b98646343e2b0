//! `report.md`: what a person opens first.

use base::layout::EXTERNAL;
use run::{Record, Status};
use spec::number::fixed;
use spec::{Comparisons, Experiment, Finding, Numbers, Verdict};

use super::choices::Effect;
use super::claims::Claim;
use super::figure::Figure;
use super::leak::Leaks;
use super::table::{Table, markdown, markdown_escaped as escaped};
use super::{Cited, Summary, cells, tested};

/// How many failed trials are listed; the others are counted.
const LISTED: usize = 50;

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
        text + &failures(records)
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
            text += &format!("\n## {}\n\n{}", escaped(&table.spec.title), markdown(table));
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
            figure.numbers.iter().for_each(|table| text += &numbers(table));
        }
        text + &self.choices()
    }

    /// Whom to cite for the data.
    fn data(&self) -> String {
        if self.data.is_empty() {
            return String::new();
        }
        let mut text = "\n## Data\n\n| Data set | Citation | Licence |\n|:--|:--|:--|\n".to_owned();
        for Cited { title, citation, licence } in self.data {
            let [title, citation, licence] = [title, citation, licence].map(|text| escaped(text));
            text += &format!("| {title} | {citation} | {licence} |\n");
        }
        text
    }

    fn claims(&self) -> String {
        if self.claims.is_empty() {
            return String::new();
        }
        let finding = |finding: &Finding| {
            let mark = if finding.verdict == Verdict::Fails { "**" } else { "" };
            format!("{mark}{}{mark}: {}", finding.verdict.word(), escaped(&finding.sentence()))
        };
        let of_paper = self.experiment.paper.is_some();
        let line = |[text, source, ours, published]: [&str; 4]| {
            let published = if of_paper { format!(" {published} |") } else { String::new() };
            format!("| {text} | {source} | {ours} |{published}\n")
        };
        let mut text = "\n## Claims\n\n".to_owned();
        text += &line(["Claim", "Source", "Our numbers", "The paper's numbers"]);
        text += &format!("|{}\n", ":--|".repeat(if of_paper { 4 } else { 3 }));
        for claim in &self.claims {
            let (sentence, source) = (escaped(&claim.spec.text), escaped(&claim.spec.source));
            let (ours, published) = (finding(&claim.ours), finding(&claim.published));
            text += &line([&sentence, &source, &ours, &published]);
        }
        text
    }

    fn choices(&self) -> String {
        let mut text = String::new();
        for choice in &self.experiment.choices {
            let effects: Vec<&&Effect> = self
                .effects
                .iter()
                .filter(|effect| effect.choice.split(';').any(|id| id == choice.id))
                .filter(|effect| shown(self.experiment, effect))
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
            text += &self.effects(&effects);
        }
        text
    }

    /// A row a dataset, method, sweep point and metric; a column an option.
    fn effects(&self, effects: &[&&Effect]) -> String {
        let mut options: Vec<(&str, bool)> = Vec::new();
        let mut rows: Vec<(String, Vec<&Effect>)> = Vec::new();
        for effect in effects {
            if !options.iter().any(|(option, _)| *option == effect.option) {
                options.push((&effect.option, effect.chosen));
            }
            let name = self.row_name(effect);
            match rows.iter_mut().find(|(other, _)| *other == name) {
                Some((_, row)) => row.push(effect),
                None => rows.push((name, vec![effect])),
            }
        }
        let mut text = "| Data set | Method | Metric |".to_owned();
        for (option, chosen) in &options {
            text += &format!(" {}{} |", escaped(option), if *chosen { " (chosen)" } else { "" });
        }
        text += &format!(" paper |\n|:--|:--|:--|{}--:|\n", "--:|".repeat(options.len()));
        for (name, row) in &rows {
            text += &format!("| {name} |");
            for (option, _) in &options {
                let effect = row.iter().find(|effect| effect.option == *option);
                text += &format!(" {} |", effect.map_or_else(String::new, |e| self.value(e)));
            }
            let published = row.first().and_then(|effect| {
                Some(self.experiment.rounding(effect.metric).text(effect.published?))
            });
            text += &format!(" {} |\n", published.unwrap_or_default());
        }
        if effects.iter().any(|effect| effect.cell.sd.is_some()) {
            text += "\n±: standard deviation over repeats.\n";
        }
        text
    }

    fn value(&self, effect: &Effect) -> String {
        let rounding = self.experiment.rounding(effect.metric);
        match (effect.cell.value, effect.cell.sd) {
            (Some(value), Some(sd)) => format!("{} ± {}", rounding.text(value), rounding.text(sd)),
            (Some(value), None) => rounding.text(value),
            (None, _) => format!("*{}*", effect.cell.status.word()),
        }
    }

    fn row_name(&self, effect: &Effect) -> String {
        let dataset = match effect.part {
            "" => (self.titles)(effect.dataset),
            part => format!("{}, {part}", (self.titles)(effect.dataset)),
        };
        let method = match effect.sweep.as_str() {
            "" => effect.method.to_owned(),
            sweep => format!("{} {sweep}", effect.method),
        };
        [&dataset, &method, effect.metric.label].map(escaped).join(" | ")
    }
}

/// Of all metrics, the page shows the effects on those that the experiment's tables show.
fn shown(experiment: &Experiment, effect: &Effect) -> bool {
    experiment
        .tables
        .iter()
        .any(|table| table.metrics().iter().any(|metric| metric.name == effect.metric.name))
}

/// Every trial that ran and gave no value, with its message.
fn failures(records: &[Record]) -> String {
    let mut failed: Vec<&Record> = records
        .iter()
        .filter(|record| !matches!(cells::status(record), Status::Ok | Status::Missing))
        .collect();
    if failed.is_empty() {
        return String::new();
    }
    failed.sort_by_key(|record| record.trial.key);
    let mut text = "\n## Trials without a value\n\n".to_owned();
    text += "| Trial | Data set | Method | Split | Parameters | Status | Message |\n";
    text += "|:--|:--|:--|:--|:--|:--|:--|\n";
    for record in failed.iter().take(LISTED) {
        let trial = &record.trial;
        let message =
            record.outcome.as_ref().map(|outcome| outcome.complaint()).unwrap_or_default();
        let mut split = format!("{}, repeat {}, fold {}", trial.split, trial.repeat, trial.fold);
        if !trial.problem.is_empty() {
            split += &format!(", {}", trial.problem);
        }
        let points = trial.sweep.iter().chain(&trial.grid);
        let mut points: Vec<String> =
            points.map(|(name, value)| format!("{name}={value}")).collect();
        if !trial.choice.is_empty() {
            points.push(trial.choice.clone());
        }
        text += &format!(
            "| `{}` | {} | {} | {} | {} | {} | {} |\n",
            trial.key.short(),
            escaped(&trial.dataset),
            escaped(&trial.method),
            escaped(&split),
            escaped(&points.join(" ")),
            cells::status(record).word(),
            escaped(&message)
        );
    }
    if failed.len() > LISTED {
        let more = failed.len() - LISTED;
        text += &format!("\nAnd {more} more in `trials.csv`.\n");
    }
    text
}

/// What a figure shows in numbers.
fn numbers(table: &Numbers) -> String {
    let line = |name: &str, cells: &mut dyn Iterator<Item = String>| {
        cells.fold(format!("| {} |", escaped(name)), |line, cell| line + &format!(" {cell} |"))
    };
    let head = line(&table.corner, &mut table.columns.iter().map(|(name, _)| escaped(name)));
    let rule = format!("|:--|{}", "--:|".repeat(table.columns.len()));
    let rows = table.rows.iter().map(|(name, values)| {
        let shown = values.iter().zip(&table.columns).map(|(value, (_, digits))| {
            value.map_or_else(String::new, |value| fixed(value, *digits))
        });
        format!("{}\n", line(name, &mut { shown }))
    });
    format!("\n{}\n\n{head}\n{rule}\n{}", escaped(&table.title), rows.collect::<String>())
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
