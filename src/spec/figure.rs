//! `[[figure]]`.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use derive_more::Deref;
use document::{Attempt, Id, ReadTable, Spanned, Table, section};

use super::evidence::{Evidence, FigureDesign, Pictured};
use super::kind::{Kind, declared};
use super::refer::{ListedDatasets, ListedMethods, ListedParts, Reported, Title};
use super::scope::{Shown, Tested};
use super::test::TestSpec;

/// One `[[figure]]`.
#[derive(Debug, Clone, Deref)]
pub struct FigureSpec {
    /// What it shows.
    #[deref]
    pub design: FigureDesign,
    /// Which plot, with its options.
    pub plot: Arc<dyn Plot>,
}

/// What a figure shows in numbers: a table with names of its columns and rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// What it is of.
    pub title: String,
    /// The name over the names of the rows.
    pub corner: String,
    /// Names of the columns, and how many digits after the point people read.
    pub columns: Vec<(String, usize)>,
    /// Names of the rows with their values; of some there is none.
    pub rows: Vec<(String, Vec<Option<f64>>)>,
}

/// The SVG of a figure, or why it can't be drawn.
pub type Drawn = Result<String, Box<dyn Error + Send + Sync>>;

/// A kind of figure with its options.
pub trait Plot: fmt::Debug + Send + Sync {
    /// Draws a figure as SVG; `tests` are those of the experiment.
    ///
    /// # Errors
    /// Why it can't be drawn.
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, tests: &[TestSpec]) -> Drawn;

    /// Whether it reads a clock otherwise than by its metric; `tests` are those of the experiment.
    fn reads_clock(&self, _tests: &[TestSpec]) -> bool {
        false
    }

    /// Of which trials it shows the pictures.
    fn pictured(&self) -> Pictured {
        Pictured::None
    }

    /// What it shows, in numbers, where it has numbers of its own: a table each.
    fn numbers(&self, _figure: &FigureDesign, _evidence: &dyn Evidence) -> Vec<Numbers> {
        Vec::new()
    }

    /// The claim whose universes it shows, if it stands with what is said of these.
    fn of_universes(&self) -> Option<&str> {
        None
    }

    /// Whether it shows the points of a grid that are not selected.
    fn shows_grid(&self) -> bool {
        false
    }
}

declared!(Plot in Plotted);

section! {
    in Tested;
    pub(crate) struct FigureKeys: "figure" => "A figure." {
        id: Attempt<Id> => "its id, the name of its files";
        title: Attempt<Title>, else "the experiment's title" => "drawn above";
        methods: Attempt<ListedMethods>, else "those that run in the parts, or are quoted" => "the methods shown, in their order";
        datasets: Attempt<ListedDatasets>, else "those of the parts" => "the datasets shown, in their order";
        parts: Spanned<Attempt<ListedParts>>, else "all parts" => "the parts shown, in their order";
        y: Option<Attempt<Reported>>, else "required, but of a figure in universes" => "what is drawn";
    }
}

/// A figure of one of these kinds.
pub(crate) fn figure(
    kinds: &'static [Kind<dyn Plot>],
    table: &Table,
    scope: &mut Tested<'_>,
) -> Option<FigureSpec> {
    let FigureKeys { id, title, mut methods, mut datasets, parts, y } =
        FigureKeys::read_table(table, scope)?;
    let named = parts.span != table.span;
    let Spanned { value: parts, span, .. } = parts;
    let among = parts.clone().unwrap_or_default();
    if let (Some(methods), Some(datasets)) = (&mut methods, &mut datasets) {
        scope.leave_run(table, &among, methods);
        scope.leave_used(table, &among, datasets);
    }
    let kind = table.get("kind");
    let place = kind.filter(|_| !named).map_or(span, |kind| kind.span.clone());
    let shown = Shown {
        y: y.flatten(),
        methods: methods.clone().unwrap_or_default(),
        datasets: datasets.clone().unwrap_or_default(),
        parts: among,
        place,
    };
    // The keys of its kind are read also where something is wrong with these.
    let word = kind?.text()?;
    let kind = kinds.iter().find(|kind| kind.word == word)?;
    let plot = (kind.read)(table, &mut scope.plotted(&shown))?;
    if y.is_none() && plot.of_universes().is_none() {
        scope.faults.missing(table, "y", "`[[figure]]`");
    }
    let design = FigureDesign {
        id: id?,
        title: title?,
        y: y.map_or(Some(None), |y| y.map(Some))?,
        methods: methods?,
        datasets: datasets?,
        parts: parts?,
    };
    Some(FigureSpec { design, plot })
}
