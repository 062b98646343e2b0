//! An explanation of a number, as a value and step by step for people.

use std::fmt::Write as _;

use serde::Serialize;

/// Where a number comes from.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The experiment.
    pub experiment: String,
    /// Its title.
    pub title: String,
    /// What is asked about.
    pub about: About,
    /// The trials behind it.
    pub trials: Vec<TrialOf>,
    /// Their methods.
    pub methods: Vec<MethodOf>,
    /// Their data.
    pub data: Vec<DataOf>,
    /// What options of choices give instead.
    pub choices: Vec<ChoiceOf>,
    /// The code that made them.
    pub code: Code,
    /// What makes it again.
    pub commands: Vec<CommandOf>,
}

/// What is asked about, with what the results say of it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// The experiment: what can be asked.
    Experiment {
        /// Tables, with the ids of their rows and columns.
        tables: Vec<(String, Vec<String>, Vec<String>)>,
        /// Claims with their verdicts.
        claims: Vec<(String, &'static str)>,
    },
    /// A cell.
    Cell(CellOf),
    /// A claim.
    Claim(ClaimOf),
}

/// A cell of a table.
#[derive(Debug, Clone, Serialize)]
pub struct CellOf {
    /// The table's id.
    pub table: String,
    /// Row and column: ids.
    pub row: String,
    /// The column's id.
    pub column: String,
    /// What is measured.
    pub metric: &'static str,
    /// What that is.
    pub meaning: &'static str,
    /// How it ended.
    pub status: &'static str,
    /// Our value, in the table's unit.
    pub value: Option<f64>,
    /// Its standard deviation, as the table shows it.
    pub sd: Option<f64>,
    /// How the value is made of the trials' values.
    pub rule: String,
    /// The published value.
    pub published: Option<f64>,
    /// Ours minus the published value.
    pub difference: Option<f64>,
    /// Half the width of our 95% interval, where something varies.
    pub noise: Option<f64>,
    /// How ours stands to the published value.
    pub agreement: Option<&'static str>,
    /// Why it differs, as the experiment file says.
    pub cause: Option<String>,
}

/// A claim.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimOf {
    /// Its id.
    pub id: String,
    /// The paper's sentence.
    pub text: String,
    /// Where the paper says it.
    pub source: String,
    /// On our numbers.
    pub verdict: &'static str,
    /// What that rests on.
    pub evidence: String,
    /// On the paper's numbers.
    pub published_verdict: &'static str,
    /// What that rests on.
    pub published_evidence: String,
    /// The comparisons of the test behind it: data set, pair, n, effect, p, adjusted p.
    pub tests: Vec<[String; 6]>,
}

/// A trial.
#[derive(Debug, Clone, Serialize)]
pub struct TrialOf {
    /// Its key, as in `trials.csv`.
    pub key: String,
    /// Method, data set, problem, repeat and fold.
    pub place: String,
    /// Its seed, from which all its random numbers come.
    pub seed: String,
    /// Where it stands in sweeps and grids.
    pub point: String,
    /// Whether its grid point was selected.
    pub selected: bool,
    /// How it ended.
    pub status: &'static str,
    /// The value of the metric asked about.
    pub value: Option<f64>,
    /// The value that the grid is selected by.
    pub selecting: Option<f64>,
    /// Seconds.
    pub seconds: Option<f64>,
    /// What went wrong.
    pub message: String,
}

/// A method.
#[derive(Debug, Clone, Serialize)]
pub struct MethodOf {
    /// Its id.
    pub id: String,
    /// Its kind in the registry.
    pub kind: String,
    /// The revision that ran.
    pub revision: u32,
    /// The parameters that are the same in all trials.
    pub parameters: Vec<(String, String)>,
    /// By what its grid is selected, if it has one.
    pub select: Option<&'static str>,
}

/// A dataset.
#[derive(Debug, Clone, Serialize)]
pub struct DataOf {
    /// Its id.
    pub id: String,
    /// The digest of its content.
    pub digest: String,
    /// How examples are divided.
    pub split: String,
}

/// What an option of a choice gives.
#[derive(Debug, Clone, Serialize)]
pub struct ChoiceOf {
    /// The choice.
    pub choice: String,
    /// The option.
    pub option: String,
    /// Whether the results use it.
    pub chosen: bool,
    /// The value, in the metric's unit.
    pub value: Option<f64>,
}

/// The code that made the results.
#[derive(Debug, Clone, Serialize)]
pub struct Code {
    /// Version of reprise.
    pub version: String,
    /// The commit on record.
    pub commit: String,
    /// SHA-256 over the sources on record.
    pub sources: String,
    /// Digest of the results.
    pub digest: String,
    /// Digest of the experiment file.
    pub spec: String,
}

/// A command.
#[derive(Debug, Clone, Serialize)]
pub struct CommandOf {
    /// What it does.
    pub does: &'static str,
    /// The line.
    pub line: String,
}

/// How many trials a person is shown.
const SHOWN: usize = 20;

impl Explanation {
    /// Step by step, for people.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.experiment, self.title);
        let mut step = 0;
        let mut say = |heading: &str, lines: Vec<String>| {
            step += 1;
            let _ = writeln!(text, "\n{step}. {heading}");
            for line in lines {
                let _ = writeln!(text, "   {line}");
            }
        };
        let number = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), base::text::real);
        match &self.about {
            About::Experiment { tables, claims } => {
                for (table, rows, columns) in tables {
                    let lines = vec![
                        format!("rows: {}", rows.join(", ")),
                        format!("columns: {}", columns.join(", ")),
                    ];
                    say(&format!("Table {table}, whose cells are --cell ROW,COLUMN"), lines);
                }
                let lines = claims.iter().map(|(id, verdict)| format!("{id}: {verdict}"));
                say("Claims, each --claim ID", lines.collect());
            }
            About::Cell(cell) => {
                let sd = cell.sd.map_or_else(String::new, |sd| {
                    format!(" ± {}", base::text::real(math::decimal::significant(sd, 3)))
                });
                let mut lines = vec![
                    format!("{}: {}", cell.metric, cell.meaning),
                    format!("ours {}{sd} ({})", number(cell.value), cell.status),
                ];
                if let Some(published) = cell.published {
                    let difference = number(cell.difference);
                    let published = number(Some(published));
                    lines.push(format!("published {published}, difference {difference}"));
                }
                if let Some(noise) = cell.noise {
                    lines.push(format!("half the 95% interval of ours: {}", number(Some(noise))));
                }
                if let Some(agreement) = cell.agreement {
                    lines.push(format!("against the paper: {}", agreement.replace('-', " ")));
                }
                lines.extend(cell.cause.iter().map(|cause| format!("why: {cause}")));
                say(&format!("Cell {} / {} of table {}", cell.row, cell.column, cell.table), lines);
                say("How its value is made", vec![cell.rule.clone()]);
            }
            About::Claim(claim) => {
                let lines = vec![
                    format!("{} ({})", claim.text, claim.source),
                    format!("our numbers: {}: {}", claim.verdict, claim.evidence),
                    format!(
                        "the paper's: {}: {}",
                        claim.published_verdict, claim.published_evidence
                    ),
                ];
                say(&format!("Claim {}", claim.id), lines);
                if !claim.tests.is_empty() {
                    let rows = claim.tests.iter().map(|row| row.join("  ").trim().to_owned());
                    say("Its test: data set, pair, n, effect, p, adjusted p", rows.collect());
                }
            }
        }
        if !self.trials.is_empty() {
            let line = |trial: &TrialOf| {
                let mut line = format!("{} {}", &trial.key[..12], trial.place);
                if !trial.point.is_empty() {
                    let _ = write!(line, ", {}", trial.point);
                }
                let _ = write!(line, ": {}, {}", number(trial.value), trial.status);
                if trial.selecting.is_some() {
                    let selected = if trial.selected { "selected" } else { "not selected" };
                    let _ = write!(line, ", {selected} by {}", number(trial.selecting));
                }
                let _ = write!(line, ", seed {}", &trial.seed[..12]);
                if !trial.message.is_empty() {
                    let _ = write!(line, ", {}", trial.message);
                }
                line
            };
            let mut trials: Vec<&TrialOf> = self.trials.iter().collect();
            trials.sort_by_key(|trial| !trial.selected);
            let mut lines: Vec<String> = trials.iter().take(SHOWN).map(|t| line(t)).collect();
            if trials.len() > SHOWN {
                lines.push(format!("and {} more: --format json", trials.len() - SHOWN));
            }
            say(&format!("Its {} trials", trials.len()), lines);
        }
        let lines = self.methods.iter().map(|method| {
            let parameters: Vec<String> =
                method.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let select = method.select.map_or_else(String::new, |metric| {
                format!("; of its grid the point with the best {metric} counts")
            });
            let MethodOf { id, kind, revision, .. } = method;
            let parameters = match parameters.as_slice() {
                [] => String::new(),
                some => format!(", {}", some.join(" ")),
            };
            format!("{id}: {kind} revision {revision}{parameters}{select}")
        });
        if !self.methods.is_empty() {
            say("Methods", lines.collect());
        }
        let lines = self.data.iter().map(|data| {
            let DataOf { id, digest, split } = data;
            format!("{id}, {split}: SHA-256 {digest}")
        });
        if !self.data.is_empty() {
            say("Data", lines.collect());
        }
        if !self.choices.is_empty() {
            let lines = self.choices.iter().map(|one| {
                let chosen = if one.chosen { " (chosen)" } else { "" };
                format!("{} = {}{chosen}: {}", one.choice, one.option, number(one.value))
            });
            say("What choices do to it, in the metric's unit", lines.collect());
        }
        let Code { version, commit, sources, digest, spec } = &self.code;
        say(
            "Code",
            vec![
                format!("reprise {version}, commit {commit}, sources {sources}"),
                format!("experiment file {spec}"),
                format!("digest of the results {digest}"),
            ],
        );
        let lines = self
            .commands
            .iter()
            .flat_map(|command| [format!("{}:", command.does), format!("  {}", command.line)]);
        say("Make it again", lines.collect());
        text
    }
}
