//! `[[figure]]`.

use std::fmt;
use std::sync::Arc;

use contract::Metric;
use document::{Id, ReadTable, Spanned, Table, section};

use super::kinds;
use super::refer::{ListedDatasets, ListedMethods, ListedParts, Reported, Title};
use super::scope::Shown;
use super::{Evidence, Scope, TestSpec};

/// One `[[figure]]`.
#[derive(Debug, Clone)]
pub struct FigureSpec {
    /// Id: the name of its files.
    pub id: String,
    /// Title drawn above.
    pub title: String,
    /// What is drawn.
    pub y: &'static Metric,
    /// Methods shown.
    pub methods: Vec<String>,
    /// Datasets shown.
    pub datasets: Vec<String>,
    /// Parts shown.
    pub parts: Vec<String>,
    /// Which plot, with its options.
    pub plot: Arc<dyn Plot>,
}

/// A kind of figure with its options.
pub trait Plot: fmt::Debug + Send + Sync {
    /// Draws a figure as SVG.
    ///
    /// # Errors
    /// Why it can't be drawn.
    fn draw(&self, figure: &FigureSpec, evidence: &dyn Evidence) -> Result<String, String>;

    /// Whether it reads a clock otherwise than by its metric; `tests` are those of the experiment.
    fn reads_clock(&self, _tests: &[TestSpec]) -> bool {
        false
    }

    /// Whether it shows trials as they are: the pictures of those of the first repeat.
    fn shows_trials(&self) -> bool {
        false
    }

    /// Whether it shows the points of a grid that are not selected.
    fn shows_grid(&self) -> bool {
        false
    }
}

section! {
    in Scope;
    /// What every `[[figure]]` says.
    pub(crate) struct FigureKeys {
        id: Id => "its id, the name of its files";
        title: Title, else "the experiment's title" => "drawn above";
        methods: ListedMethods, else "all methods" => "the methods shown, in their order";
        datasets: ListedDatasets, else "all datasets" => "the datasets shown, in their order";
        parts: Spanned<ListedParts>, else "all parts" => "the parts shown, in their order";
        y: Reported => "what is drawn";
    }
    check(scope, table) {
        // The keys of its kind are read next, also where something is wrong with these.
        let parts = parts.clone().unwrap_or_default();
        let named = parts.span != table.span;
        let kind = table.get("kind").map(|kind| &kind.span);
        scope.shown = Shown {
            methods: methods.clone().unwrap_or_default(),
            place: kind.filter(|_| !named).unwrap_or(&parts.span).clone(),
            parts: parts.value,
        };
    }
}

/// A figure of a kind that the file may name.
pub(crate) fn figure(table: &Table, scope: &mut Scope<'_>) -> Option<FigureSpec> {
    let keys = FigureKeys::read_table(table, scope);
    let kind = kinds::find(scope.known.kinds.figures, table.text("kind")?)?;
    let plot = kind.read(table, scope);
    let FigureKeys { id, title, methods, datasets, parts, y } = keys?;
    Some(FigureSpec { id, title, y, methods, datasets, parts: parts.value, plot: plot? })
}
