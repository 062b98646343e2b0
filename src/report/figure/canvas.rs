//! Lines, markers and text on an SVG page, in pixels.

use std::cell::RefCell;
use std::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use base::text::real;
use math::decimal::significant;
use spec::Mark;

use super::FigureError;

/// Size of a title's text.
pub const TITLE: f64 = 16.0;
/// Size of all other text.
pub const TEXT: f64 = 12.0;
/// From one line of text to the next.
pub const LINE_HEIGHT: f64 = 18.0;
/// Half the width of a marker.
pub const MARKER: f64 = 4.0;

/// The colour of text and axes.
pub const INK: RGBColor = RGBColor(34, 34, 34);
/// The colour of every other row's background.
pub const BAND: RGBColor = RGBColor(246, 246, 246);

/// Okabe and Ito's colours, which colour-blind people can tell apart; yellow, too pale for a
/// line on white, is left out.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Corners of the marker shapes, in half widths; none for the circle. There are as many as colours: of seven series
/// no two have either in common, of 49 no two have both.
const SHAPES: [&[(f64, f64)]; 7] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.25), (1.15, 0.85), (-1.15, 0.85)],
    &[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)],
    &[(0.0, 1.25), (1.15, -0.85), (-1.15, -0.85)],
    &[
        (-1.2, -0.8),
        (-0.8, -1.2),
        (0.0, -0.4),
        (0.8, -1.2),
        (1.2, -0.8),
        (0.4, 0.0),
        (1.2, 0.8),
        (0.8, 1.2),
        (0.0, 0.4),
        (-0.8, 1.2),
        (-1.2, 0.8),
        (-0.4, 0.0),
    ],
    &[(-1.35, 0.0), (-0.68, -1.17), (0.68, -1.17), (1.35, 0.0), (0.68, 1.17), (-0.68, 1.17)],
];

/// Fonts by preference: the one embedded for PNG, then one of the same widths, then any.
const FONTS: &str = "DejaVu Sans, Verdana, sans-serif";

/// Widths of U+0020 to U+007E in DejaVu Sans, in thousandths of its size.
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// Width of a line of text; of characters outside ASCII an upper estimate.
pub fn text_width(text: &str, size: f64) -> f64 {
    let width = |c: char| match WIDTHS.get((c as usize).wrapping_sub(0x20)) {
        Some(&width) => f64::from(width),
        None => 840.0,
    };
    text.chars().map(width).sum::<f64>() * size / 1000.0
}

/// The width of the widest text.
pub fn widest<'a>(texts: impl IntoIterator<Item = &'a str>) -> f64 {
    texts.into_iter().map(|text| text_width(text, TEXT)).fold(0.0, f64::max)
}

/// Breaks a text between words into lines of at most `width`; a longer word has a line of its own.
pub fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line, size) + text_width(word, size) + size / 3.0 <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// How a series looks. Series of the same `color` belong together, such as a method's values and
/// the paper's values of it, drawn hollow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Position in the palette of colours and of marker shapes; both start again at their end.
    pub color: usize,
    /// Hollow markers and dashed lines: published values.
    pub hollow: bool,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Pen {
    color: RGBColor,
    width: u32,
    dashed: bool,
}

impl Pen {
    /// Of axes.
    pub const INK: Self = Self::new(INK, 1);
    /// Of grid lines.
    pub const GRID: Self = Self::new(RGBColor(222, 222, 222), 1);

    /// A line without a break.
    pub const fn new(color: RGBColor, width: u32) -> Self {
        Self { color, width, dashed: false }
    }

    /// The same, dashed.
    pub const fn dashed(self) -> Self {
        Self { dashed: true, ..self }
    }
}

impl Look {
    /// Its colour.
    pub fn color(self) -> RGBColor {
        PALETTE[self.color % PALETTE.len()]
    }

    /// That of so manyth a line, from 0: once all colours are there they come again, dashed.
    pub fn nth(place: usize) -> Self {
        Self { color: place, hollow: place / PALETTE.len() % 2 == 1 }
    }

    /// Its lines.
    pub fn pen(self) -> Pen {
        Pen { dashed: self.hollow, ..Pen::new(self.color(), 2) }
    }
}

/// Where a text lies from its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// The backend draws at whole numbers: this many of them to a pixel, so that slopes stay straight.
const FINE: f64 = 4.0;

/// A page to draw on. Its y axis points down.
pub struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    size: (u32, u32),
    kept: &'a RefCell<Kept>,
}

/// What is kept until the page is done.
#[derive(Default)]
struct Kept {
    /// What is drawn above all else.
    marks: String,
    /// What the backend failed at first.
    failure: Option<String>,
}

/// The SVG of what `draw` draws on a white page.
pub fn page(
    width: f64,
    height: f64,
    draw: impl FnOnce(&Canvas<'_>),
) -> Result<String, FigureError> {
    let (width, height) = (width.ceil(), height.ceil());
    let fine = ((FINE * width) as u32, (FINE * height) as u32);
    let kept = RefCell::default();
    let drawn = drawn(fine, &kept, |canvas| {
        canvas.done(canvas.area.fill(&WHITE));
        draw(canvas);
    });
    let Kept { marks, failure } = kept.into_inner();
    failure.map_or(Ok(()), |why| Err(FigureError::Draw(why)))?;
    Ok(format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n{drawn}{marks}</svg>\n",
        fine.0, fine.1,
    ))
}

/// The elements of what `draw` draws.
fn drawn(size: (u32, u32), kept: &RefCell<Kept>, draw: impl FnOnce(&Canvas<'_>)) -> String {
    let mut drawn = String::new();
    {
        let area = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
        let canvas = Canvas { area, size, kept };
        draw(&canvas);
        canvas.done(canvas.area.present());
    }
    // The backend makes a page of its own of them.
    let elements = drawn.split_once(">\n").map_or("", |(_, rest)| rest);
    elements.trim_end().trim_end_matches("</svg>").to_owned()
}

/// A text within an attribute or an element.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

/// A value and its interval as a reader is told them.
fn told(mark: &Mark) -> String {
    let short = |value| real(significant(value, 6));
    match mark.bar {
        Some((low, high)) => format!("{} [{}, {}]", short(mark.value), short(low), short(high)),
        None => short(mark.value),
    }
}

impl Canvas<'_> {
    /// Draws what stands for one value, above all that is drawn otherwise, and tells a reader who points at it of which
    /// series it is, and where.
    pub fn mark(&self, series: &str, at: &str, mark: &Mark, draw: impl FnOnce(&Canvas<'_>)) {
        let drawn = drawn(self.size, self.kept, draw);
        let (series, at) = (escaped(series), escaped(at));
        let value = real(mark.value);
        let place = if series.is_empty() { at.clone() } else { format!("{series} · {at}") };
        let told = told(mark);
        self.kept.borrow_mut().marks += &format!(
            "<g data-series=\"{series}\" data-at=\"{at}\" data-value=\"{value}\">\n\
             <title>{place}: {told}</title>\n{drawn}</g>\n"
        );
    }

    /// The interval of a mark, from end to end between two caps, of which this leads from the middle to an end.
    pub fn whisker(&self, ends: [(f64, f64); 2], (dx, dy): (f64, f64), color: RGBColor) {
        self.line(&ends, Pen::new(color, 1));
        for (x, y) in ends {
            self.line(&[(x - dx, y - dy), (x + dx, y + dy)], Pen::new(color, 1));
        }
    }

    /// An arrow that points to the right, or with the y axis down; backwards with a negative length.
    pub fn arrow(&self, (x, y): (f64, f64), length: f64, upright: bool, color: RGBColor) {
        let turned = |along: f64, across: f64| match upright {
            true => (x + across, y + along),
            false => (x + along, y + across),
        };
        let back = length - 4.0 * length.signum();
        let pen = Pen::new(color, 1);
        self.line(&[turned(0.0, 0.0), turned(length, 0.0)], pen);
        self.line(&[turned(back, -3.0), turned(length, 0.0), turned(back, 3.0)], pen);
    }

    /// A line through all points.
    pub fn line(&self, points: &[(f64, f64)], pen: Pen) {
        let lines = if pen.dashed { dashes(points) } else { vec![points.to_vec()] };
        for line in lines {
            let pixels: Vec<(i32, i32)> = line.into_iter().map(pixel).collect();
            self.done(self.area.draw(&PathElement::new(pixels, stroke(pen.color, pen.width))));
        }
    }

    /// A filled rectangle; nothing if it has no width.
    pub fn filled(&self, corners: [(f64, f64); 2], color: RGBColor) {
        let corners = corners.map(pixel);
        if corners[0].0 == corners[1].0 {
            return;
        }
        self.done(self.area.draw(&Rectangle::new(corners, color.filled())));
    }

    /// A circle, filled or not.
    pub fn circle(&self, at: (f64, f64), radius: f64, color: RGBColor, filled: bool) {
        let style = if filled { color.filled() } else { stroke(color, 1) };
        self.done(self.area.draw(&Circle::new(pixel(at), FINE * radius, style)));
    }

    /// A small point, with a ring around it or without.
    pub fn point(&self, at: (f64, f64), color: RGBColor, ringed: bool) {
        self.circle(at, 2.2, color, true);
        if ringed {
            self.circle(at, 6.0, INK, false);
        }
    }

    /// The marker of a series.
    pub fn marker(&self, at: (f64, f64), look: Look) {
        self.marker_of(at, look, MARKER);
    }

    /// The marker of a series, of this half width.
    pub fn marker_of(&self, (x, y): (f64, f64), look: Look, half: f64) {
        let color = look.color();
        let inside = if look.hollow { WHITE.filled() } else { color.filled() };
        let shape = SHAPES[(look.color + look.color / PALETTE.len()) % SHAPES.len()];
        if shape.is_empty() {
            let circle = |style| Circle::new(pixel((x, y)), FINE * half, style);
            self.done(self.area.draw(&circle(inside)));
            if look.hollow {
                self.done(self.area.draw(&circle(stroke(color, 2))));
            }
            return;
        }
        let corners = shape.iter().map(|&(dx, dy)| (x + half * dx, y + half * dy));
        self.done(
            self.area.draw(&Polygon::new(corners.clone().map(pixel).collect::<Vec<_>>(), inside)),
        );
        if look.hollow {
            // Past the first corner again, so that the outline has no notch there.
            let outline: Vec<(f64, f64)> = corners.clone().chain(corners.take(2)).collect();
            self.line(&outline, Pen::new(color, 2));
        }
    }

    /// One line of text, centred on its position's height.
    pub fn text(&self, text: &str, at: (f64, f64), size: f64, align: Align) {
        // The backend centres small letters; this is the middle between those and capitals.
        self.write(text, (at.0, at.1 + size / 12.0), size, align, FontTransform::None);
    }

    /// Lines of text, one below another.
    pub fn lines(&self, lines: &[String], (x, y): (f64, f64), size: f64, step: f64, align: Align) {
        for (place, line) in lines.iter().enumerate() {
            self.text(line, (x, y + place as f64 * step), size, align);
        }
    }

    /// One line of text that reads upwards, centred on its position.
    pub fn text_upwards(&self, text: &str, at: (f64, f64)) {
        self.write(text, at, TEXT, Align::Middle, FontTransform::Rotate270);
    }

    fn write(&self, text: &str, at: (f64, f64), size: f64, align: Align, turn: FontTransform) {
        // XML has no control characters.
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let horizontal = match align {
            Align::Start => HPos::Left,
            Align::Middle => HPos::Center,
            Align::End => HPos::Right,
        };
        // The backend divides by 1.24, a line's height over its font's size.
        let style = TextStyle::from((FONTS, FINE * size * 1.24).into_font())
            .transform(turn)
            .color(&INK)
            .pos(Pos::new(horizontal, VPos::Center));
        self.done(self.area.draw(&Text::new(text, pixel(at), style)));
    }

    /// Keeps the first failure of the backend, for [`page`] to return.
    fn done(&self, result: Result<(), impl Display>) {
        if let Err(error) = result {
            self.kept.borrow_mut().failure.get_or_insert(error.to_string());
        }
    }
}

fn pixel((x, y): (f64, f64)) -> (i32, i32) {
    ((FINE * x).round() as i32, (FINE * y).round() as i32)
}

fn stroke(color: RGBColor, width: u32) -> ShapeStyle {
    color.stroke_width(FINE as u32 * width)
}

/// Cuts a line into dashes.
fn dashes(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    const DASH: f64 = 6.0;
    const GAP: f64 = 4.0;
    let mut dashes = Vec::new();
    let mut current: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    let mut inked = true;
    let mut left = DASH;
    for ends in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (ends[0], ends[1]);
        let length = ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)).sqrt();
        let mut done = 0.0;
        while done + left < length {
            done += left;
            let share = done / length;
            let cut = (x0 + share * (x1 - x0), y0 + share * (y1 - y0));
            if inked {
                current.push(cut);
                dashes.push(std::mem::take(&mut current));
            } else {
                current = vec![cut];
            }
            inked = !inked;
            left = if inked { DASH } else { GAP };
        }
        left -= length - done;
        if inked {
            current.push((x1, y1));
        }
    }
    if inked && current.len() > 1 {
        dashes.push(current);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_around_corners() {
        let dashes = dashes(&[(0.0, 0.0), (8.0, 0.0), (8.0, 8.0)]);
        assert_eq!(
            dashes,
            [vec![(0.0, 0.0), (6.0, 0.0)], vec![(8.0, 2.0), (8.0, 8.0)]],
            "six on, four off, over 16 pixels"
        );
    }

    #[test]
    fn titles_break_between_words() {
        assert_eq!(wrapped("one two three", 10.0, 45.0), ["one two", "three"]);
        assert_eq!(wrapped("incomprehensibilities", 10.0, 5.0), ["incomprehensibilities"]);
        assert!(wrapped("", 10.0, 5.0).is_empty());
    }

    #[test]
    fn text_is_escaped_and_its_size_is_round() {
        let svg = page(50.0, 20.0, |canvas| {
            canvas.text("a < b & \u{7}c", (1.0, 10.0), TEXT, Align::Start)
        })
        .unwrap();
        assert!(svg.contains("a &lt; b &amp;  c"), "{svg}");
        assert!(svg.contains("font-size=\"48\""), "{svg}");
        assert!(svg.contains("font-family=\"DejaVu Sans, Verdana, sans-serif\""), "{svg}");
    }
}
