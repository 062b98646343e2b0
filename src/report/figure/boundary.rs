//! Points of two classes in the plane with decision boundaries, a panel each.

use plotters::style::RGBColor;

use document::section;
use spec::{Drawn, Evidence, FigureDesign, Pictured, Plot, Plotted, TestSpec};
use task::boundary::BOUNDARY;
use task::boundary::picture::{Group, Plane};
use task::picture::Picture;

use super::area::{Area, Page};
use super::axis::{Axis, Scale, drawable};
use super::canvas::{Align, Canvas, INK, LINE_HEIGHT, Pen, TEXT};
use super::legend::{Legend, Sample};
use super::panels::{PicturePlot, arranged, only_of};
use super::{FigureError, Look};

section! {
    in Plotted;
    pub struct Boundary: "boundary" => "training points and decision boundaries of a boundary task, a panel for each method, dataset, part and sweep point: of the first repeat the two boundaries that differ most, with the trial's `y` above" {}
    check(scope, _table) {
        only_of(&BOUNDARY, "boundaries", scope);
    }
}

impl Plot for Boundary {
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        Ok(boundary(&PicturePlot::new(figure, evidence, self.pictured()))?)
    }

    fn pictured(&self) -> Pictured {
        Pictured::First
    }
}

/// Longest side of a panel's window.
const SIDE: f64 = 280.0;
/// Most panels beside each other.
const ABREAST: usize = 3;
/// Left of a panel's window.
const MARGIN: f64 = 58.0;
/// Above it.
const HEADING: f64 = 2.0 * LINE_HEIGHT;

/// Draws panels of points and decision boundaries as SVG.
///
/// # Errors
/// No picture to draw.
pub fn boundary(plot: &PicturePlot) -> Result<String, FigureError> {
    let planes = plot.pictures(Picture::plane, "no boundary")?;
    let pictures: Vec<&Plane> = planes.iter().copied().flatten().collect();
    if !pictures.iter().all(|picture| has_place(picture)) {
        return Err(FigureError::Empty { title: plot.title.clone() });
    }
    let sizes: Vec<(f64, f64)> =
        planes.iter().map(|plane| size(plane.unwrap_or(pictures[0]))).collect();
    let abreast = if sizes.len() <= ABREAST { sizes.len() } else { 2 };
    let width = MARGIN + sizes.iter().map(|size| size.0).fold(0.0, f64::max) + 12.0;
    let height = HEADING + sizes.iter().map(|size| size.1).fold(0.0, f64::max) + 34.0;
    let names = common_names(&pictures);
    let legend = legend(pictures[0], names.as_deref());
    let page = Page::new(&plot.title, abreast as f64 * width, legend);
    let cells = vec![(width, height); sizes.len()];
    let (corners, bottom) = arranged(&cells, abreast, (MARGIN, page.top));
    page.draw(bottom + 8.0, |canvas| {
        for (((panel, plane), size), corner) in
            plot.panels.iter().zip(planes).zip(sizes).zip(corners)
        {
            let (left, top) = (corner.0, corner.1 + HEADING);
            let area = Area { left, top, right: left + size.0, bottom: top + size.1 };
            let (middle, _) = area.middle();
            canvas.text(&panel.label, (middle, top - 1.6 * LINE_HEIGHT), TEXT, Align::Middle);
            match plane {
                Ok(plane) => {
                    let note = match names {
                        Some(_) => panel.note.clone(),
                        None => format!("{}: {}", panel.note, curve_names(plane).join(" and ")),
                    };
                    canvas.text(&note, (middle, top - 0.65 * LINE_HEIGHT), TEXT, Align::Middle);
                    draw_plane(canvas, plane, area);
                }
                Err(why) => {
                    frame(canvas, area);
                    canvas.text(why, area.middle(), TEXT, Align::Middle);
                }
            }
        }
    })
}

fn has_place(picture: &Plane) -> bool {
    let [left, right, low, high] = picture.window;
    picture.window.iter().all(|&end| drawable(end)) && left < right && low < high
}

/// The size of a panel's window.
fn size(picture: &Plane) -> (f64, f64) {
    let [left, right, low, high] = picture.window;
    let (width, height) = (right - left, high - low);
    let scale = SIDE / width.max(height);
    (scale * width, scale * height)
}

/// The names of the boundaries, if they are the same in all panels.
fn common_names<'a>(pictures: &[&'a Plane]) -> Option<Vec<&'a str>> {
    let first = curve_names(pictures[0]);
    pictures.iter().all(|picture| curve_names(picture) == first).then_some(first)
}

fn curve_names(picture: &Plane) -> Vec<&str> {
    picture.curves.iter().map(|(name, _)| name.as_str()).collect()
}

/// What points and lines mean; lines without common names are those named above a panel.
fn legend(picture: &Plane, names: Option<&[&str]>) -> Legend {
    // Outliers are in all pictures of a figure, or in none.
    let label = |group: &Group| match group.outliers {
        true => format!("outliers ({})", group.class),
        false => group.class.clone(),
    };
    let sample = |group: &Group| Sample::Point(class_color(picture, group), group.outliers);
    let points = picture.points.iter().map(|group| (label(group), sample(group)));
    let names = names.unwrap_or(&["the first named", "the second"]).iter().enumerate();
    let lines = names.map(|(place, name)| ((*name).to_owned(), Sample::Line(pen(place))));
    Legend { entries: points.chain(lines).collect(), down: HEADING }
}

fn draw_plane(canvas: &Canvas<'_>, picture: &Plane, area: Area) {
    let [left, right, low, high] = picture.window;
    let any = Axis::all(String::new(), false);
    let x = Scale::horizontal(&[left, right], &any, (area.left, area.right));
    let y = Scale::vertical(&[low, high], &any, (area.bottom, area.top));
    area.ticks_below(canvas, &x, false);
    area.ticks_beside(canvas, &y, false);
    for group in &picture.points {
        for point in group.coordinates.chunks_exact(2) {
            let at = (x.position(point[0]), y.position(point[1]));
            canvas.point(at, class_color(picture, group), group.outliers);
        }
    }
    for (place, (_, curve)) in picture.curves.iter().enumerate() {
        for line in &curve.lines {
            let at = |point: &[f64; 2]| (x.position(point[0]), y.position(point[1]));
            canvas.line(&line.iter().map(at).collect::<Vec<_>>(), pen(place));
        }
    }
    frame(canvas, area);
}

fn frame(canvas: &Canvas<'_>, area: Area) {
    area.outline(canvas);
    area.axes(canvas);
}

/// The first boundary is solid, the others are dashed, so that both are seen where they coincide.
fn pen(place: usize) -> Pen {
    const SOLID: Look = Look { color: 1, hollow: false };
    if place == 0 { SOLID.pen() } else { Pen::new(INK, 2).dashed() }
}

/// The colour of a class: its place among those of the points that are no outliers.
fn class_color(picture: &Plane, group: &Group) -> RGBColor {
    let mut classes = picture.points.iter().filter(|other| !other.outliers);
    let place = classes.position(|other| other.class == group.class).unwrap_or(0);
    Look { color: [0, 4][place % 2], hollow: false }.color()
}
