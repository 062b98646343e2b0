//! Figures. Each kind is one file: its keys, what it shows, and how that is drawn.
//!
//! Drawing is pure, from numbers to SVG, and from SVG to pictures:
//! the same input gives the same bytes: no system font is looked at, text stays text in the SVG,
//! and every position is computed here. Values that are not finite are left out: a line breaks
//! where one is, a row has no marker.

mod area;
mod axis;
mod boundary;
mod box_plot;
mod canvas;
mod claimed;
mod confusion;
mod critical_difference;
mod curve;
mod dot;
#[cfg(feature = "pictures")]
mod drawn;
mod error;
mod export;
mod legend;
mod line;
mod panels;
mod plane;
mod scatter;
mod series;
mod specification;
mod tree;

use contract::Metric;
use spec::{Drawn, Evidence, FigureSpec, Kind, Numbers, Plot, TestSpec};

use crate::sheet::{Cell, Sheet};

pub use axis::Axis;
pub use boundary::{Boundary, boundary};
pub use box_plot::BoxPlot;
pub use canvas::Look;
pub use claimed::claimed;
pub use confusion::{ConfusionMatrix, confusion_matrix};
pub use critical_difference::{Apart, CriticalDifference, RankPlot, Ranked, critical_difference};
pub use curve::Curve;
pub use dot::{Dot, DotPlot, dot};
pub use error::FigureError;
pub use export::Export;
pub use line::{Line, LinePlot, line};
pub use panels::PicturePlot;
pub use scatter::Scatter;
pub use series::{Gridded, Series};
pub use specification::{Specification, SpecificationPlot, specification};
pub use tree::{Tree, tree};

/// Every kind of figure.
pub static KINDS: &[Kind<dyn Plot>] = &[
    Kind::<dyn Plot>::of::<Line>(),
    Kind::<dyn Plot>::of::<Dot>(),
    Kind::<dyn Plot>::of::<Scatter>(),
    Kind::<dyn Plot>::of::<BoxPlot>(),
    Kind::<dyn Plot>::of::<CriticalDifference>(),
    Kind::<dyn Plot>::of::<ConfusionMatrix>(),
    Kind::<dyn Plot>::of::<Curve>(),
    Kind::<dyn Plot>::of::<Boundary>(),
    Kind::<dyn Plot>::of::<Tree>(),
    Kind::<dyn Plot>::of::<Specification>(),
];

/// A figure, or why it cannot be drawn.
pub struct Figure<'a> {
    /// Its specification.
    pub spec: &'a FigureSpec,
    /// The SVG.
    pub svg: Drawn,
    /// What it shows in numbers, where it has numbers of its own.
    pub numbers: Vec<Numbers>,
    /// Whether it reads a clock.
    pub timing: bool,
}

impl<'a> Figure<'a> {
    /// Draws a figure.
    pub(crate) fn draw(spec: &'a FigureSpec, evidence: &dyn Evidence, tests: &[TestSpec]) -> Self {
        let timing = spec.y.is_some_and(Metric::is_time) || spec.plot.reads_clock(tests);
        let numbers = spec.plot.numbers(spec, evidence);
        Self { spec, svg: spec.plot.draw(spec, evidence, tests), numbers, timing }
    }

    /// Its numbers as `of,row,column,value`; none if it has none of its own.
    pub(crate) fn csv(&self) -> Option<Vec<u8>> {
        type Row<'n> = ([&'n String; 3], Option<f64>);
        let cells = self.numbers.iter().flat_map(|table| {
            table.rows.iter().flat_map(move |(row, values)| {
                let columns = table.columns.iter().zip(values);
                columns.map(move |((column, _), value)| ([&table.title, row, column], *value))
            })
        });
        let sheet = Sheet::of("", cells)
            .value("of", |(names, _): Row<'_>| Cell::prose(names[0]))
            .value("row", |(names, _)| Cell::prose(names[1]))
            .value("column", |(names, _)| Cell::prose(names[2]))
            .value("value", |(_, value)| value);
        (!self.numbers.is_empty()).then(|| sheet.sheet().csv())
    }
}

#[cfg(test)]
mod tests;
