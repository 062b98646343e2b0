//! Points of two classes in the plane with decision boundaries, a panel each.

use document::section;
use plotters::style::RGBColor;
use spec::{Evidence, FigureDesign, Kind, Panel, Pictured, Plot, Scope, TestSpec};
use task::boundary::BOUNDARY;

use super::axis::{Scale, Shown};
use super::canvas::{
    Align, Canvas, GRID, INK, LINE_HEIGHT, TEXT, TITLE, color, page, widest, wrapped,
};
use super::line::draw_title;
use super::shared::{FigureError, Look, PicturePlot, drawable, only_of};
use task::boundary::picture::{Group, Plane};
use task::picture::Picture;

pub(super) const KIND: Kind<dyn Plot> = Kind::<dyn Plot>::of::<Boundary>(
    "boundary",
    "training points and decision boundaries of a boundary task, a panel for each method, dataset, part and sweep \
     point: of the first repeat the two boundaries that differ most, with the trial's `y` above",
);

section! {
    in Scope;
    /// Training points and decision boundaries of a boundary task, a panel for each trial of the first repeat.
    pub struct Boundary {}
    check(scope, _table) {
        only_of(&BOUNDARY, "boundaries", scope);
    }
}

impl Plot for Boundary {
    fn draw(
        &self,
        figure: &FigureDesign,
        evidence: &dyn Evidence,
        _: &[TestSpec],
    ) -> Result<String, String> {
        boundary(&PicturePlot::new(figure, evidence, self.pictured()))
            .map_err(|error| error.to_string())
    }

    fn pictured(&self) -> Pictured {
        Pictured::First
    }
}

/// Longest side of a panel's window.
const SIDE: f64 = 280.0;
/// Most panels beside each other.
const ABREAST: usize = 3;
/// Radius of a point, and of the ring around an outlier.
const POINT: f64 = 2.2;
const RING: f64 = 6.0;
/// From the last panel of a row to the legend, and from a sample of the legend to its text.
const GAP: f64 = 20.0;
const SAMPLE: f64 = 28.0;

/// Draws panels of points and decision boundaries as SVG.
///
/// # Errors
/// No picture to draw.
pub fn boundary(plot: &PicturePlot) -> Result<String, FigureError> {
    let pictures: Vec<&Plane> = plot.panels.iter().filter_map(|panel| plane(panel).ok()).collect();
    let Some(first) = pictures.first().filter(|_| pictures.iter().all(|p| has_place(p))) else {
        return Err(FigureError::Empty { title: plot.title.clone() });
    };
    let size = |picture: &Plane| {
        let [left, right, low, high] = picture.window;
        let (width, height) = (right - left, high - low);
        let scale = SIDE / width.max(height);
        (scale * width, scale * height)
    };
    let sizes: Vec<(f64, f64)> =
        plot.panels.iter().map(|panel| size(plane(panel).unwrap_or(first))).collect();
    let columns = if plot.panels.len() <= ABREAST { plot.panels.len() } else { 2 };
    let cell_width = 58.0 + sizes.iter().map(|size| size.0).fold(0.0, f64::max) + 12.0;
    let cell_height =
        2.0 * LINE_HEIGHT + sizes.iter().map(|size| size.1).fold(0.0, f64::max) + 34.0;

    let legend = Legend::of(&pictures);
    let right = columns as f64 * cell_width;
    let width = right + legend.width();
    let title = wrapped(&plot.title, TITLE, width - 24.0);
    let top = 16.0 + title.len() as f64 * 20.0;
    let rows = plot.panels.len().div_ceil(columns);
    let height = (top + rows as f64 * cell_height + 8.0).max(top + legend.height() + 8.0);
    page(width, height, |canvas| {
        draw_title(canvas, &title, width)?;
        for (index, (panel, size)) in plot.panels.iter().zip(&sizes).enumerate() {
            let left = (index % columns) as f64 * cell_width + 58.0;
            let y = top + (index / columns) as f64 * cell_height;
            draw_panel(canvas, panel, (left, y), *size, legend.named)?;
        }
        legend.draw(canvas, right + GAP, top + 2.0 * LINE_HEIGHT)
    })
}

/// The points and boundaries of a panel, or why there are none.
fn plane(panel: &Panel) -> Result<&Plane, &str> {
    match &panel.picture {
        Ok(Picture::Plane(plane)) => Ok(plane),
        Ok(Picture::Tree(_) | Picture::Confusion(_)) => Err("no boundary"),
        Err(why) => Err(why),
    }
}

fn has_place(picture: &Plane) -> bool {
    let [left, right, low, high] = picture.window;
    picture.window.iter().all(|&end| drawable(end)) && left < right && low < high
}

fn draw_panel(
    canvas: &Canvas<'_>,
    panel: &Panel,
    (left, top): (f64, f64),
    (width, height): (f64, f64),
    named: bool,
) -> Result<(), FigureError> {
    let middle = left + width / 2.0;
    let top = top + 2.0 * LINE_HEIGHT;
    let (right, bottom) = (left + width, top + height);
    canvas.text(&panel.label, (middle, top - 1.6 * LINE_HEIGHT), TEXT, Align::Middle)?;
    let picture = match plane(panel) {
        Ok(picture) => picture,
        Err(why) => {
            frame(canvas, (left, top), (right, bottom))?;
            return canvas.text(why, (middle, (top + bottom) / 2.0), TEXT, Align::Middle);
        }
    };
    let mut note = panel.note.clone();
    if !named {
        let names: Vec<&str> = picture.curves.iter().map(|(name, _)| &**name).collect();
        note = format!("{note}: {}", names.join(" and "));
    }
    canvas.text(&note, (middle, top - 0.65 * LINE_HEIGHT), TEXT, Align::Middle)?;
    let [x_low, x_high, y_low, y_high] = picture.window;
    let x = Scale::horizontal(&[x_low, x_high], Shown::all(false), (left, right));
    let y = Scale::vertical(&[y_low, y_high], Shown::all(false), (bottom, top));
    for (value, text) in &x.ticks {
        let x = x.position(*value);
        canvas.line(&[(x, bottom), (x, bottom + 5.0)], INK, 1)?;
        canvas.text(text, (x, bottom + 15.0), TEXT, Align::Middle)?;
    }
    for (value, text) in &y.ticks {
        let y = y.position(*value);
        canvas.line(&[(left - 5.0, y), (left, y)], INK, 1)?;
        canvas.text(text, (left - 8.0, y), TEXT, Align::End)?;
    }
    for group in &picture.points {
        let look = class_color(picture, group);
        for point in group.coordinates.chunks_exact(2) {
            let at = (x.position(point[0]), y.position(point[1]));
            canvas.circle(at, POINT, look, true)?;
            if group.outliers {
                canvas.circle(at, RING, INK, false)?;
            }
        }
    }
    for (place, (_, curve)) in picture.curves.iter().enumerate() {
        for line in &curve.lines {
            let line: Vec<(f64, f64)> =
                line.iter().map(|point| (x.position(point[0]), y.position(point[1]))).collect();
            draw_curve(canvas, &line, place)?;
        }
    }
    frame(canvas, (left, top), (right, bottom))
}

/// The first boundary is solid, the others are dashed, so that both are seen where they coincide.
fn draw_curve(canvas: &Canvas<'_>, line: &[(f64, f64)], place: usize) -> Result<(), FigureError> {
    const SOLID: Look = Look { color: 1, hollow: false };
    if place == 0 { canvas.line(line, color(SOLID), 2) } else { canvas.dashed(line, INK, 2) }
}

fn frame(
    canvas: &Canvas<'_>,
    (left, top): (f64, f64),
    (right, bottom): (f64, f64),
) -> Result<(), FigureError> {
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    canvas.line(&corners, GRID, 1)?;
    canvas.line(&[(left, top), (left, bottom), (right, bottom)], INK, 1)
}

/// The colour of a class: its place among those of the points that are no outliers.
fn class_color(picture: &Plane, group: &Group) -> RGBColor {
    let mut classes = picture.points.iter().filter(|other| !other.outliers);
    let place = classes.position(|other| other.class == group.class).unwrap_or(0);
    color(Look { color: [0, 4][place % 2], hollow: false })
}

/// What points and lines mean.
struct Legend<'a> {
    picture: Option<&'a Plane>,
    /// Names of the boundaries; where panels have different ones, their places in the line above a panel.
    names: Vec<&'a str>,
    /// Whether the names are the same in all panels.
    named: bool,
}

impl<'a> Legend<'a> {
    fn of(pictures: &[&'a Plane]) -> Self {
        let names = |picture: &'a Plane| -> Vec<&'a str> {
            picture.curves.iter().map(|(name, _)| &**name).collect()
        };
        let first = pictures.first().map_or_else(Vec::new, |picture| names(picture));
        let named = pictures.iter().all(|picture| names(picture) == first);
        let names = if named { first } else { vec!["the first named", "the second"] };
        // Outliers are in all pictures of a figure, or in none.
        Self { picture: pictures.first().copied(), names, named }
    }

    fn labels(&self) -> Vec<String> {
        let groups = self.picture.map_or(&[][..], |picture| &picture.points);
        let label = |group: &Group| match group.outliers {
            true => format!("outliers ({})", group.class),
            false => group.class.clone(),
        };
        let names = self.names.iter().map(|&name| name.to_owned());
        groups.iter().map(label).chain(names).collect()
    }

    fn width(&self) -> f64 {
        let labels = self.labels();
        GAP + SAMPLE + 8.0 + widest(labels.iter().map(String::as_str)) + GAP
    }

    fn height(&self) -> f64 {
        (2 + self.labels().len()) as f64 * LINE_HEIGHT
    }

    fn draw(&self, canvas: &Canvas<'_>, left: f64, top: f64) -> Result<(), FigureError> {
        let Some(picture) = self.picture else { return Ok(()) };
        for (place, label) in self.labels().iter().enumerate() {
            let y = top + (place as f64 + 0.5) * LINE_HEIGHT;
            let middle = (left + SAMPLE / 2.0, y);
            match picture.points.get(place) {
                Some(group) => {
                    canvas.circle(middle, POINT, class_color(picture, group), true)?;
                    if group.outliers {
                        canvas.circle(middle, RING, INK, false)?;
                    }
                }
                None => {
                    let ends = [(left, y), (left + SAMPLE, y)];
                    draw_curve(canvas, &ends, place - picture.points.len())?;
                }
            }
            canvas.text(label, (left + SAMPLE + 8.0, y), TEXT, Align::Start)?;
        }
        Ok(())
    }
}
