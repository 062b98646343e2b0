//! The effect of a claim in every universe of choices, in order, with the options of each below.

use document::section;
use spec::{Drawn, Evidence, FigureDesign, Mark, OneClaim, Plot, Plotted, TestSpec};

use super::FigureError;
use super::area::{Area, Page};
use super::axis::{Axis, Scale};
use super::canvas::{Align, BAND, LINE_HEIGHT, Look, Pen, TEXT, widest};
use super::legend::{Legend, Sample};

section! {
    in Plotted;
    pub struct Specification: "specification" => "the effect of a claim in each universe of choices, with the options of each; it stands in `universes/`" {
        claim: OneClaim => "the claim, one that is judged in universes";
    }
}

impl Plot for Specification {
    fn draw(&self, figure: &FigureDesign, _: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        Err(Box::new(FigureError::Empty { title: figure.title.clone() }))
    }

    fn of_universes(&self) -> Option<&str> {
        Some(&self.claim)
    }
}

/// What is drawn.
#[derive(Debug, Clone)]
pub struct SpecificationPlot {
    /// Title above.
    pub title: String,
    /// The name of the effect.
    pub effect: String,
    /// The universes: their numbers, effects with intervals, and the rows of options that they have.
    pub universes: Vec<(usize, Mark, Vec<usize>)>,
    /// Names of the rows of options.
    pub options: Vec<String>,
    /// The effect on the paper's numbers.
    pub published: Option<f64>,
}

/// Draws it as SVG: the universes from the lowest effect to the highest.
///
/// # Errors
/// No universe with an effect.
pub fn specification(plot: &SpecificationPlot) -> Result<String, FigureError> {
    const WIDTH: f64 = 520.0;
    const HEIGHT: f64 = 200.0;
    const ROW: f64 = 15.0;
    let mut universes: Vec<&(usize, Mark, Vec<usize>)> = plot.universes.iter().collect();
    universes.sort_by(|a, b| a.1.value.total_cmp(&b.1.value).then(a.0.cmp(&b.0)));
    let axis = Axis::all(plot.effect.clone(), false);
    let marks: Vec<Mark> = universes.iter().map(|(_, mark, _)| *mark).collect();
    let mut values = axis.spanned(&plot.title, &marks)?;
    values.extend(plot.published);
    values.push(0.0);
    let (own, chosen) = (Look { color: 0, hollow: false }, Look { color: 1, hollow: false });
    let mut entries = vec![
        ("universes".to_owned(), Sample::Marker(own)),
        ("the chosen one".to_owned(), Sample::Marker(chosen)),
    ];
    let printed = Pen::new(chosen.color(), 1).dashed();
    entries.extend(plot.published.map(|_| ("as published".to_owned(), Sample::Line(printed))));
    let left = 30.0 + LINE_HEIGHT + widest(plot.options.iter().map(String::as_str)).max(40.0);
    let page = Page::new(&plot.title, left + WIDTH, Legend { entries, down: 0.0 });
    let area = page.area(left, HEIGHT);
    let y = Scale::vertical(&values, &axis, (area.bottom, area.top));
    let beside = 16.0 + widest(y.ticks.iter().map(|tick| &*tick.1)) + LINE_HEIGHT / 2.0;
    let step = WIDTH / universes.len() as f64;
    let x = |place: usize| area.left + (place as f64 + 0.5) * step;
    let row = |at: usize| area.bottom + 14.0 + (at as f64 + 0.5) * ROW;
    let below = row(plot.options.len()) + 8.0;
    page.draw(below, |canvas| {
        area.ticks_beside(canvas, &y, true);
        area.axes(canvas);
        canvas.text_upwards(&plot.effect, (area.left - beside, area.middle().1));
        canvas.line(
            &[(area.left, y.position(0.0)), (area.right, y.position(0.0))],
            Pen::INK.dashed(),
        );
        if let Some(published) = plot.published.map(|value| y.position(value)) {
            canvas.line(&[(area.left, published), (area.right, published)], printed);
        }
        for (at, option) in plot.options.iter().enumerate() {
            if at % 2 == 0 {
                let (top, bottom) = (row(at) - ROW / 2.0, row(at) + ROW / 2.0);
                Area { top, bottom, ..area }.fill(canvas, BAND);
            }
            canvas.text(option, (area.left - 8.0, row(at)), TEXT, Align::End);
        }
        let half = (step / 2.0).clamp(1.0, 4.0);
        for (place, (number, mark, options)) in universes.iter().enumerate() {
            let look = if *number == 0 { chosen } else { own };
            canvas.mark(&format!("universe {number}"), "", mark, |canvas| {
                if let Some((low, high)) = mark.bar {
                    let ends = [low, high].map(|end| (x(place), y.position(end)));
                    canvas.whisker(ends, (0.0, 0.0), look.color());
                }
                canvas.marker_of((x(place), y.position(mark.value)), look, half);
            });
            for option in options {
                canvas.marker_of((x(place), row(*option)), look, half.min(3.0));
            }
        }
    })
}
