//! What differs between two results of the same experiments.

use std::fmt::Write as _;

use maud::{Markup, html};
use serde::Serialize;

use super::shell::{Document, document};

/// What differs between two results, or two trees of results.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// Where the two lie.
    pub sides: [String; 2],
    /// The experiments that both have.
    pub experiments: Vec<Compared>,
    /// The experiments that one of them has.
    pub only: [Vec<String>; 2],
}

/// What differs between two results of an experiment.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// Its id.
    pub id: String,
    /// What is not as it was sealed, on either side.
    pub broken: [Vec<String>; 2],
    /// Inputs that differ.
    pub inputs: Vec<Input>,
    /// How many trials are the same on both sides, to the last bit.
    pub same_trials: usize,
    /// Trials with other values.
    pub trials: Vec<TrialMoved>,
    /// How many trials one side alone has.
    pub only_trials: [usize; 2],
    /// How many cells are the same.
    pub same_cells: usize,
    /// Cells with other values.
    pub cells: Vec<CellMoved>,
    /// Claims with other verdicts.
    pub claims: Vec<Flip>,
    /// Rows in which methods changed places.
    pub ranks: Vec<Flip>,
}

/// An input that differs.
#[derive(Debug, Clone, Serialize)]
pub struct Input {
    /// What it is.
    pub what: String,
    /// What it is on either side.
    pub sides: [String; 2],
}

/// A trial with another value.
#[derive(Debug, Clone, Serialize)]
pub struct TrialMoved {
    /// Method, data set, problem, repeat, fold and parameters.
    pub place: String,
    /// The metric, or `status`.
    pub metric: String,
    /// Its values.
    pub sides: [String; 2],
}

/// A cell with another value.
#[derive(Debug, Clone, Serialize)]
pub struct CellMoved {
    /// The table.
    pub table: String,
    /// Row and column.
    pub cell: [String; 2],
    /// The metric.
    pub metric: String,
    /// Its values; none where it has none.
    pub values: [Option<f64>; 2],
    /// Half the width of the 95% interval of the difference, from the noise of both; none where none is known.
    pub noise: Option<f64>,
}

/// Something that came out otherwise.
#[derive(Debug, Clone, Serialize)]
pub struct Flip {
    /// What.
    pub what: String,
    /// What it is on either side.
    pub sides: [String; 2],
}

impl CellMoved {
    /// By how much.
    pub fn by(&self) -> Option<f64> {
        Some(self.values[1]? - self.values[0]?)
    }

    /// Whether that is more than noise; none where no noise is known.
    pub fn beyond(&self) -> Option<bool> {
        Some(self.by()?.abs() > self.noise?)
    }

    fn judged(&self) -> &'static str {
        match self.beyond() {
            Some(true) => "beyond noise",
            Some(false) => "within noise",
            None => "no noise known",
        }
    }
}

impl Compared {
    /// Whether anything came out otherwise, or is not as it was sealed.
    pub fn moved(&self) -> bool {
        let Self { broken, trials, only_trials, cells, claims, ranks, .. } = self;
        broken.iter().any(|side| !side.is_empty())
            || *only_trials != [0, 0]
            || !(trials.is_empty() && cells.is_empty() && claims.is_empty() && ranks.is_empty())
    }

    fn in_words(&self) -> String {
        let beyond = self.cells.iter().filter(|cell| cell.beyond() == Some(true)).count();
        format!(
            "{} of {} trials and {} of {} cells moved, {beyond} beyond noise; {} claims and {} ranks flipped",
            self.trials.len(),
            self.trials.len() + self.same_trials,
            self.cells.len(),
            self.cells.len() + self.same_cells,
            self.claims.len(),
            self.ranks.len()
        )
    }
}

/// How many rows a person is shown.
const SHOWN: [usize; 2] = [20, 500];

fn number(value: Option<f64>) -> String {
    value.map_or_else(
        || "none".to_owned(),
        |value| base::text::real(math::decimal::significant(value, 6)),
    )
}

impl Comparison {
    /// Whether anything moved.
    pub fn moved(&self) -> bool {
        self.experiments.iter().any(Compared::moved)
            || self.only.iter().any(|side| !side.is_empty())
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (side, only) in self.sides.iter().zip(&self.only).filter(|(_, only)| !only.is_empty()) {
            let _ = writeln!(text, "only in {side}: {}", only.join(", "));
        }
        for one in &self.experiments {
            if !one.moved() && one.inputs.is_empty() {
                let _ = writeln!(text, "{}: the same", one.id);
                continue;
            }
            let _ = writeln!(text, "{}: {}", one.id, one.in_words());
            let mut list = |what: &str, lines: Vec<String>| {
                let more = lines.len().saturating_sub(SHOWN[0]);
                for line in lines.iter().take(SHOWN[0]) {
                    let _ = writeln!(text, "  {what} {line}");
                }
                if more > 0 {
                    let _ = writeln!(text, "  {what} and {more} more");
                }
            };
            for (side, broken) in self.sides.iter().zip(&one.broken) {
                list(
                    "not as sealed:",
                    broken.iter().map(|what| format!("{side}: {what}")).collect(),
                );
            }
            let arrow = |sides: &[String; 2]| format!("{} -> {}", sides[0], sides[1]);
            list(
                "input",
                one.inputs.iter().map(|i| format!("{}: {}", i.what, arrow(&i.sides))).collect(),
            );
            for (side, n) in self.sides.iter().zip(one.only_trials).filter(|(_, n)| *n > 0) {
                list("trials", vec![format!("{n} only in {side}")]);
            }
            let trials = one.trials.iter();
            list(
                "trial",
                trials.map(|t| format!("{}: {} {}", t.place, t.metric, arrow(&t.sides))).collect(),
            );
            let cells = one.cells.iter().map(|cell| {
                let CellMoved { table, cell: [row, column], values, .. } = cell;
                let by =
                    cell.by().map_or_else(String::new, |by| format!(" by {}", number(Some(by))));
                let (left, right) = (number(values[0]), number(values[1]));
                format!("{row} / {column} of {table}: {left} -> {right}{by}, {}", cell.judged())
            });
            list("cell", cells.collect());
            list(
                "claim",
                one.claims.iter().map(|f| format!("{}: {}", f.what, arrow(&f.sides))).collect(),
            );
            list(
                "rank",
                one.ranks.iter().map(|f| format!("{}: {}", f.what, arrow(&f.sides))).collect(),
            );
        }
        text
    }

    /// As a page.
    pub fn page(&self) -> String {
        let [left, right] = &self.sides;
        let title = format!("{left} and {right}");
        let body = html! {
            header class="top" {
                h1 { "What differs" }
                p { "On the left " code { (left) } ", on the right " code { (right) } "." }
                @for (side, only) in self.sides.iter().zip(&self.only) {
                    @if !only.is_empty() { p { "Only in " code { (side) } ": " (only.join(", ")) "." } }
                }
            }
            main {
                @for one in &self.experiments { (self.compared(one)) }
            }
        };
        document(Document { title: &title, body })
    }

    fn compared(&self, one: &Compared) -> Markup {
        let flips = |flips: &[Flip]| -> Vec<[String; 3]> {
            flips
                .iter()
                .map(|flip| [flip.what.clone(), flip.sides[0].clone(), flip.sides[1].clone()])
                .collect()
        };
        let inputs = one.inputs.iter();
        let inputs = inputs.map(|i| [i.what.clone(), i.sides[0].clone(), i.sides[1].clone()]);
        let trials = one.trials.iter().map(|trial| {
            let [left, right] = trial.sides.clone();
            [trial.place.clone(), trial.metric.clone(), left, right]
        });
        let cells = one.cells.iter().map(|cell| {
            let CellMoved { table, cell: [row, column], values, .. } = cell;
            let [left, right] = values.map(number);
            [
                table.clone(),
                format!("{row} / {column}"),
                left,
                right,
                number(cell.by()),
                cell.judged().to_owned(),
            ]
        });
        html! {
            section {
                h2 { (one.id) }
                @if one.moved() { p class="lead" { (one.in_words()) "." } } @else { p { "The same numbers." } }
                @for (side, broken) in self.sides.iter().zip(&one.broken) {
                    @for what in broken { p { span class="badge bad" { "not as sealed" } " " (side) ": " (what) } }
                }
                @for (side, n) in self.sides.iter().zip(one.only_trials) {
                    @if n > 0 { p { (n) " trials are only in " code { (side) } "." } }
                }
                (listed("Inputs that differ", &["Input", "left", "right"], &inputs.collect::<Vec<_>>()))
                (listed("Claims", &["Claim", "left", "right"], &flips(&one.claims)))
                (listed("Ranks", &["Row", "left", "right"], &flips(&one.ranks)))
                (listed("Cells", &["Table", "Cell", "left", "right", "by", ""], &cells.collect::<Vec<_>>()))
                (listed("Trials", &["Trial", "Metric", "left", "right"], &trials.collect::<Vec<_>>()))
            }
        }
    }
}

fn listed<const N: usize>(title: &str, header: &[&str; N], rows: &[[String; N]]) -> Markup {
    html! {
        @if !rows.is_empty() {
            h3 { (title) }
            div class="scroll" tabindex="0" role="region" aria-label=(title) { table class="plain" {
                thead { tr { @for name in header { th scope="col" { (name) } } } }
                tbody { @for row in rows.iter().take(SHOWN[1]) { tr { @for cell in row { td { (cell) } } } } }
            } }
            @if rows.len() > SHOWN[1] { p class="note" { "And " (rows.len() - SHOWN[1]) " more." } }
        }
    }
}
