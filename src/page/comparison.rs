//! What differs between two results of the same experiments.

use std::fmt::Write as _;

use base::text::wrapped;
use maud::{Markup, html};
use report::sheet::{Cell, Sheet, Tone};
use serde::Serialize;

use super::sheet::{badge, sheet};
use super::shell::document;

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
    pub inputs: Vec<Flip>,
    /// Whether the digests of both sides are the same, those over universes too.
    pub same_digest: bool,
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
    /// How many cells one side alone has.
    pub only_cells: [usize; 2],
    /// Claims with other verdicts.
    pub claims: Vec<Flip>,
    /// How many claims one side alone has.
    pub only_claims: [usize; 2],
    /// Rows in which methods changed places.
    pub ranks: Vec<Flip>,
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
        let Self { broken, trials, cells, claims, ranks, .. } = self;
        let only = [self.only_trials, self.only_cells, self.only_claims];
        broken.iter().any(|side| !side.is_empty())
            || only != [[0, 0]; 3]
            || !(trials.is_empty() && cells.is_empty() && claims.is_empty() && ranks.is_empty())
    }

    /// What is said where no value moved.
    fn unmoved(&self) -> &'static str {
        match self.same_digest {
            true => "the same",
            false => "the same values; the digests differ, by what is not compared here",
        }
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

/// How many rows a terminal shows, and a page.
const SHOWN: [usize; 2] = [20, 500];

impl Compared {
    /// What differs, a sheet a kind of thing; those that have no rows are left out.
    fn sheets(&self, most: usize) -> impl Iterator<Item = Sheet> {
        let flips = |title: &str, label: &str, flips: &[Flip]| {
            Sheet::of(title, flips)
                .shown(label, |flip: &Flip| &*flip.what)
                .shown("left", |flip| &*flip.sides[0])
                .shown("right", |flip| &*flip.sides[1])
                .sheet()
        };
        let inputs = flips("Inputs that differ", "Input", &self.inputs);
        let cells = Sheet::of("Cells", &self.cells)
            .shown("Table", |cell: &CellMoved| &*cell.table)
            .shown("Cell", |cell| cell.cell.join(" / "))
            .number("", "left", |cell| Cell::significant(cell.values[0], 6))
            .number("", "right", |cell| Cell::significant(cell.values[1], 6))
            .number("", "by", |cell| Cell::significant(cell.by(), 6))
            .shown("", CellMoved::judged);
        let trials = Sheet::of("Trials", &self.trials)
            .shown("Trial", |trial: &TrialMoved| &*trial.place)
            .shown("Metric", |trial| &*trial.metric)
            .shown("left", |trial| &*trial.sides[0])
            .shown("right", |trial| &*trial.sides[1]);
        let (claims, ranks) =
            (flips("Claims", "Claim", &self.claims), flips("Ranks", "Row", &self.ranks));
        [inputs, claims, ranks, cells.empty("none").sheet(), trials.sheet()]
            .into_iter()
            .filter(|sheet| !sheet.rows.is_empty())
            .map(move |sheet| sheet.first(most, None))
    }

    /// What is not as it was sealed, and which trials one side alone has.
    fn remarks(&self, sides: &[String; 2]) -> (Vec<String>, Vec<String>) {
        let broken = sides.iter().zip(&self.broken);
        let broken =
            broken.flat_map(|(side, all)| all.iter().map(move |what| format!("{side}: {what}")));
        let only = [
            ("trials", self.only_trials),
            ("cells", self.only_cells),
            ("claims", self.only_claims),
        ];
        let only = only.into_iter().flat_map(|(what, of)| {
            let of = sides.iter().zip(of).filter(|(_, n)| *n > 0);
            of.map(move |(side, n)| format!("{n} {what} are only in {side}"))
        });
        (broken.collect(), only.collect())
    }
}

impl Comparison {
    /// Whether anything moved.
    pub fn moved(&self) -> bool {
        self.experiments.iter().any(Compared::moved)
            || self.only.iter().any(|side| !side.is_empty())
    }

    /// For a terminal, in lines of at most so many characters.
    pub fn text(&self, width: usize) -> String {
        let mut text = String::new();
        for (side, only) in self.sides.iter().zip(&self.only).filter(|(_, only)| !only.is_empty()) {
            let _ = writeln!(text, "only in {side}: {}", only.join(", "));
        }
        for one in &self.experiments {
            if !one.moved() && one.inputs.is_empty() {
                let _ = writeln!(text, "{}: {}", one.id, one.unmoved());
                continue;
            }
            text += &wrapped(&format!("{}: {}", one.id, one.in_words()), 0, width);
            let (broken, only) = one.remarks(&self.sides);
            broken.iter().for_each(|what| text += &format!("not as sealed: {what}\n"));
            only.iter().for_each(|what| text += &format!("{what}\n"));
            one.sheets(SHOWN[0]).for_each(|sheet| text += &format!("\n{}", sheet.terminal(width)));
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
        document(&title, &body)
    }

    fn compared(&self, one: &Compared) -> Markup {
        let (broken, only) = one.remarks(&self.sides);
        html! {
            section {
                h2 { (one.id) }
                @if one.moved() { p class="lead" { (one.in_words()) "." } } @else { p { (one.unmoved()) "." } }
                @for what in broken { p { (badge(Tone::Bad, "not as sealed")) " " (what) } }
                @for what in only { p { (what) "." } }
                @for rows in one.sheets(SHOWN[1]) { h3 { (rows.title) } (sheet(&rows)) }
            }
        }
    }
}
