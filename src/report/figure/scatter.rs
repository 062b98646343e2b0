//! One metric over another.

use document::{Flag, Spanned, section};
use spec::{
    Drawn, Evidence, FigureDesign, GridAxes, OneAxis, Plot, Plotted, Reported, Series, TestSpec,
};

use super::axis::Axis;
use super::line::{LinePlot, line};
use super::series::{Gridded, drawable_over, series};

section! {
    in Plotted;
    pub struct Scatter: "scatter" => "one metric over another, such as a score over the seconds of a fit" {
        x: Reported => "the metric on the x axis";
        x_log: Flag = false => "logarithmic scale of x";
        each: Spanned<OneAxis> = "dataset" => "what each marker of a series is of";
        /// What is drawn over it.
        values: Gridded;
    }
    check(scope, _table) {
        drawable_over(each.as_ref(), values.as_ref().map(|values| &values.series), scope);
    }
}

impl Plot for Scatter {
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        let Self { x: metric, each, values, .. } = self;
        let over = FigureDesign { y: Some(metric), ..figure.clone() };
        let axes = GridAxes { x: each, series: &values.series, relative_to: None, published: None };
        let over = evidence.grid(&over, &axes);
        let grid = values.grid(each, figure, evidence);
        // Positions are found by their names: the method that is subtracted has none of its own.
        let place = |of: &Series, at: usize| {
            let series = over.series.iter().find(|series| series.label == of.label)?;
            let at = &grid.positions[at].label;
            let at = over.positions.iter().position(|position| position.label == *at)?;
            Some(series.ours[at]?.value)
        };
        let name = values.x_label.clone().unwrap_or_else(|| metric.with_unit(metric.label));
        Ok(line(&LinePlot {
            title: figure.title.clone(),
            x: Axis::all(name + &values.bars_note(figure, &grid), self.x_log),
            y: values.value_axis(values.y_label.clone(), figure, evidence),
            series: series(&grid, place, &[]),
            joined: false,
        })?)
    }

    fn reads_clock(&self, _tests: &[TestSpec]) -> bool {
        self.x.is_time()
    }

    fn shows_grid(&self) -> bool {
        self.values.over_grid(&self.each)
    }
}
