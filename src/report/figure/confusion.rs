//! Confusion matrices, a panel each.

use plotters::style::RGBColor;

use document::section;
use spec::number::fixed;
use spec::{
    Drawn, Evidence, FigureDesign, Mark, Numbers, Panel, Pictured, Plot, Plotted, TestSpec,
};
use task::classification::CLASSIFICATION;
use task::confusion::{Confusion, OfClass};
use task::picture::Picture;

use super::FigureError;
use super::area::{Area, Page};
use super::canvas::{Align, Canvas, LINE_HEIGHT, TEXT, text_width, widest};
use super::legend::Legend;
use super::panels::{PicturePlot, arranged, only_of};

section! {
    in Plotted;
    pub struct ConfusionMatrix: "confusion" => "confusion matrices, a panel for each method, dataset, part and sweep point, with `y` above: of the examples of each class the percentage that is taken for each, over all folds and repeats; the numbers, and each class's precision, recall and F1, are in `figures/ID.csv` and in the report" {}
    check(scope, _table) {
        only_of(&CLASSIFICATION, "confusion matrices", scope);
    }
}

impl Plot for ConfusionMatrix {
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        Ok(confusion_matrix(&PicturePlot::new(figure, evidence, self.pictured()))?)
    }

    fn pictured(&self) -> Pictured {
        Pictured::All
    }

    fn numbers(&self, figure: &FigureDesign, evidence: &dyn Evidence) -> Vec<Numbers> {
        let panels = evidence.panels(figure, self.pictured());
        let of =
            |panel: &Panel| Some(numbers(&panel.label, panel.picture.as_ref().ok()?.confusion()?));
        panels.iter().filter_map(of).collect()
    }
}

/// Widest name of a class.
const NAME: f64 = 150.0;
/// The column of a measure beside a matrix.
const MEASURE: f64 = 62.0;
/// Side of a cell that has room for its percentage, and for a name beside it.
const WITH_TEXT: f64 = 24.0;
const WITH_NAME: f64 = 13.0;
/// The heading of a panel.
const ABOVE: f64 = 3.0 * LINE_HEIGHT;
/// Widest row of panels.
const ABREAST: f64 = 900.0;
/// What is all of a class, pale enough for text on it.
const FULL: RGBColor = RGBColor(86, 180, 233);

fn numbers(title: &str, confusion: &Confusion) -> Numbers {
    let taken = confusion.classes().iter().map(|class| (format!("as {class}"), 0));
    let measures = measures().map(|name| (name.to_owned(), 3));
    let row = |((name, counts), class): ((&str, &[u64]), OfClass)| {
        let counts = counts.iter().map(|&count| Some(count as f64));
        let measures = class.measures().into_iter().map(|(_, value)| value);
        (name.to_owned(), counts.chain(measures).collect())
    };
    Numbers {
        title: title.to_owned(),
        corner: "Class".to_owned(),
        columns: taken.chain(measures).collect(),
        rows: confusion.rows().zip(confusion.each()).map(row).collect(),
    }
}

/// Names of the measures of a class.
fn measures() -> impl Iterator<Item = &'static str> {
    OfClass::default().measures().into_iter().map(|(name, _)| name)
}

/// How large the parts of a panel are.
struct Layout {
    /// Names of the classes, as far as there is room.
    names: Vec<String>,
    /// Side of a cell.
    side: f64,
    /// Left of the matrix.
    margin: f64,
    /// Whether the names of columns have room beside each other.
    across: bool,
    /// Of the matrix.
    extent: f64,
}

impl Layout {
    fn of(confusion: &Confusion) -> Self {
        let classes = confusion.classes().len() as f64;
        let side = match classes {
            ..=8.0 => 40.0,
            ..=14.0 => 30.0,
            ..=24.0 => WITH_TEXT,
            _ => (576.0 / classes).max(2.0),
        };
        let names: Vec<String> = match side >= WITH_NAME {
            true => confusion.classes().iter().map(|name| shortened(name)).collect(),
            false => Vec::new(),
        };
        let margin = LINE_HEIGHT + widest(names.iter().map(String::as_str)) + 10.0;
        let across = names.iter().all(|name| text_width(name, TEXT) < side - 4.0);
        Self { names, side, margin, across, extent: side * classes }
    }

    fn width(&self) -> f64 {
        let measures = if self.names.is_empty() { 0.0 } else { 3.0 * MEASURE };
        self.margin + self.extent + measures + 16.0
    }

    /// From the matrix to what its columns are.
    fn below(&self) -> f64 {
        if self.across { LINE_HEIGHT + 10.0 } else { self.margin - 2.0 }
    }

    fn height(&self) -> f64 {
        ABOVE + self.extent + self.below() + 2.0 * LINE_HEIGHT
    }
}

/// A name that is not too wide.
fn shortened(name: &str) -> String {
    if text_width(name, TEXT) <= NAME {
        return name.to_owned();
    }
    let mut short = String::new();
    for letter in name.chars() {
        short.push(letter);
        if text_width(&short, TEXT) > NAME - 14.0 {
            break;
        }
    }
    short + "…"
}

/// Draws confusion matrices as SVG.
///
/// # Errors
/// No matrix to draw.
pub fn confusion_matrix(plot: &PicturePlot) -> Result<String, FigureError> {
    let matrices = plot.pictures(Picture::confusion, "no confusion matrix")?.into_iter();
    let matrices: Vec<Result<(&Confusion, Layout), &str>> =
        matrices.map(|matrix| matrix.map(|matrix| (matrix, Layout::of(matrix)))).collect();
    let layouts = || matrices.iter().flatten().map(|(_, layout)| layout);
    let titles = plot.panels.iter().flat_map(|panel| [panel.label.as_str(), panel.note.as_str()]);
    let cell_width = layouts().map(Layout::width).fold(widest(titles) + 24.0, f64::max);
    let abreast = ((ABREAST / cell_width) as usize).clamp(1, plot.panels.len());
    let width = (abreast as f64 * cell_width).max(440.0) + 8.0;
    let page = Page::new(&plot.title, width, Legend::default());
    let height = |(_, layout): &(&Confusion, Layout)| layout.height();
    let sizes = matrices.iter().map(|matrix| (cell_width, matrix.as_ref().map_or(ABOVE, height)));
    let (corners, bottom) = arranged(&sizes.collect::<Vec<_>>(), abreast, (8.0, page.top));
    let note = page.wrapped(
        "percent of the examples of each class that are taken for each, over all folds and repeats",
    );
    page.draw(bottom + note.len() as f64 * LINE_HEIGHT + 10.0, |canvas| {
        for ((panel, matrix), (left, top)) in plot.panels.iter().zip(&matrices).zip(corners) {
            let margin = matrix.as_ref().map_or(16.0, |(_, layout)| layout.margin);
            let (heading, y) = (left + margin, top + 8.0);
            canvas.text(&panel.label, (heading, y), TEXT, Align::Start);
            match matrix {
                Ok((matrix, layout)) => {
                    let below = (heading, y + 0.95 * LINE_HEIGHT);
                    canvas.text(&panel.note, below, TEXT, Align::Start);
                    layout.draw(canvas, matrix, (heading, top + ABOVE));
                }
                Err(why) => canvas.text(why, (heading, y + LINE_HEIGHT), TEXT, Align::Start),
            }
        }
        canvas.lines(&note, (16.0, bottom + 4.0), TEXT, LINE_HEIGHT, Align::Start);
    })
}

impl Layout {
    /// A matrix from its upper left corner.
    fn draw(&self, canvas: &Canvas<'_>, confusion: &Confusion, corner: (f64, f64)) {
        let Self { names, side, extent, .. } = self;
        let (left, top) = corner;
        self.draw_names(canvas, corner);
        for (row, ((name, counts), class)) in confusion.rows().zip(confusion.each()).enumerate() {
            let y = top + row as f64 * side;
            for (column, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let x = left + column as f64 * side;
                let share = count as f64 / class.examples as f64;
                let at = format!("as {}", confusion.classes()[column]);
                canvas.mark(name, &at, &Mark { value: share, bar: None }, |canvas| {
                    let cell = Area { left: x, top: y, right: x + side, bottom: y + side };
                    cell.fill(canvas, tint(share));
                    if *side >= WITH_TEXT {
                        let middle = (x + side / 2.0, y + side / 2.0);
                        canvas.text(&percent(share), middle, TEXT, Align::Middle);
                    }
                });
            }
            for (place, (_, value)) in
                class.measures().into_iter().enumerate().filter(|_| !names.is_empty())
            {
                let text = value.map_or("–".to_owned(), |value| fixed(value, 3));
                canvas.text(&text, (self.measure(left, place), y + side / 2.0), TEXT, Align::End);
            }
        }
        // Around the cells, which are drawn above it.
        let (left, top) = (left - 1.0, top - 1.0);
        let around = Area { left, top, right: left + extent + 2.0, bottom: top + extent + 2.0 };
        around.outline(canvas);
    }

    /// Where the column of a measure ends.
    fn measure(&self, left: f64, place: usize) -> f64 {
        left + self.extent + (place as f64 + 1.0) * MEASURE
    }

    /// The names of rows, columns and measures.
    fn draw_names(&self, canvas: &Canvas<'_>, (left, top): (f64, f64)) {
        let bottom = top + self.extent;
        for (place, name) in self.names.iter().enumerate() {
            let middle = (place as f64 + 0.5) * self.side;
            canvas.text(name, (left - 6.0, top + middle), TEXT, Align::End);
            if self.across {
                canvas.text(name, (left + middle, bottom + 11.0), TEXT, Align::Middle);
            } else {
                let y = bottom + 6.0 + text_width(name, TEXT) / 2.0;
                canvas.text_upwards(name, (left + middle, y));
            }
        }
        for (place, name) in measures().enumerate().filter(|_| !self.names.is_empty()) {
            canvas.text(name, (self.measure(left, place), top - 9.0), TEXT, Align::End);
        }
        canvas.text_upwards("class", (left - self.margin + 10.0, top + self.extent / 2.0));
        let below = bottom + self.below();
        canvas.text("taken for", (left + self.extent / 2.0, below), TEXT, Align::Middle);
    }
}

/// White for none, a blue for all.
fn tint(share: f64) -> RGBColor {
    let blend = |full: u8| (255.0 - share * (255.0 - f64::from(full))).round() as u8;
    RGBColor(blend(FULL.0), blend(FULL.1), blend(FULL.2))
}

/// A share above zero as a percentage.
fn percent(share: f64) -> String {
    match share * 100.0 {
        ..0.5 => "<1".to_owned(),
        percent => format!("{percent:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_and_never_to_nothing() {
        assert_eq!(percent(0.001), "<1");
        assert_eq!(percent(0.014), "1");
        assert_eq!(percent(1.0), "100");
        assert_eq!(tint(0.0), RGBColor(255, 255, 255));
        assert_eq!(tint(1.0), FULL);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(shortened("acq"), "acq");
        let short = shortened("talk.politics.mideast.and.much.more.of.it");
        assert_eq!(short, "talk.politics.mideast.an…");
    }
}
